//! Crawls that are stopped and crash at any moment, and go on.

use std::time::Duration;

use testkit::Seed;

use crate::driver::{Driver, Finish};
use crate::web::FakeWeb;

/// Crashes and stops a crawl at random moments, up to 20 times, and compares its end with the truth. The
/// servers' log, which forgets nothing, checks every gap on the way.
fn crawl(seed: u64, clean: fn(&mut Seed) -> bool) {
    println!("web {seed}");
    let web = FakeWeb::with_seed(seed);
    let project = web.project(seed);
    let mut uninterrupted = Driver::new(web.clone(), project.clone(), seed);
    assert_eq!(uninterrupted.finish(), Finish::Done);

    let mut chance = Seed::new(seed);
    let mut driver = Driver::new(web, project.clone(), seed);
    driver.changes_order = seed.is_multiple_of(3);
    for _ in 0..20 {
        if driver.run(chance.below(150)) != Finish::Interrupted {
            break;
        }
        let pause = Duration::from_millis(chance.below(300) as u64);
        driver = driver.restart(project.clone(), clean(&mut chance), pause);
    }
    assert_eq!(driver.finish(), Finish::Done);
    driver.check_truth();
    let followed = |driver: &Driver| {
        let known = driver.known().into_iter();
        known.filter(|(_, (outcome, _))| outcome != "excluded by nofollow").collect::<Vec<_>>()
    };
    assert_eq!(followed(&driver), followed(&uninterrupted));
    let stats = |driver: &Driver| {
        let stats = driver.stats().clone();
        (stats.links_found, stats.distinct, stats.bytes)
    };
    assert_eq!(stats(&driver), stats(&uninterrupted), "links, URLs and bytes are counted once");
}

#[test]
fn a_crawl_that_crashes_at_any_moment_ends_like_one_that_does_not() {
    let mut seed = Seed::from_env();
    for _ in 0..40 {
        crawl(seed.number() >> 32, |_| false);
    }
}

#[test]
fn a_crawl_that_is_stopped_ends_like_one_that_is_not() {
    let mut seed = Seed::from_env();
    for _ in 0..20 {
        crawl(seed.number() >> 32, |chance| chance.chance(2, 3));
    }
}
