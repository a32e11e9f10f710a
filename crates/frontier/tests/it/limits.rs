//! Limits hold exactly, with many workers, and what they leave waiting goes on when they are raised.

use std::time::Duration;

use frontier::LimitReached;
use model::{CrawlSettings, Outcome, Project, Size};
use testkit::Seed;

use crate::driver::{Driver, Finish};
use crate::web::{Answer, FakeWeb, project, url};

/// Hosts with pages of 1 to 100 bytes each, all linked from the start; some fail, some redirect.
fn wide_web(hosts: usize, pages: usize) -> FakeWeb {
    let mut web = FakeWeb::default();
    let all = || (0..hosts).flat_map(|host| (0..pages).map(move |page| (host, page)));
    let at = |host: usize, page: usize| url(&format!("h{host}.web"), &page.to_string());
    for (host, page) in all() {
        let answer = match (host + page) % 7 {
            1 => Answer::NotFound,
            2 => Answer::Redirect(at(host, 0)),
            _ => {
                Answer::Page { bytes: 1 + (host * 37 + page * 11) as u64 % 100, links: Vec::new(), fails: 0 }
            }
        };
        web.answer(&at(host, page), answer);
    }
    let links = all().map(|(host, page)| (at(host, page), true)).collect();
    web.answer(&url("start.web", ""), Answer::Page { bytes: 100, links, fails: 0 });
    web
}

fn wide_project(edit: impl FnOnce(&mut CrawlSettings)) -> Project {
    project(&[url("start.web", "")], |settings| {
        settings.rate = Some("unlimited".parse().unwrap());
        edit(settings);
    })
}

#[test]
fn max_pages_is_reached_and_never_exceeded() {
    let mut seed = Seed::from_env();
    for limit in [1, 2, 17, 63, 64, 65, 100] {
        for rate in ["unlimited", "1/s"] {
            let edit = |settings: &mut CrawlSettings| {
                settings.max_pages = limit;
                settings.rate = Some(rate.parse().unwrap());
            };
            let mut driver = Driver::new(wide_web(12, 30), wide_project(edit), seed.number());
            driver.workers = 16;
            assert_eq!(driver.finish(), Finish::Reached(LimitReached::Pages));
            assert_eq!(driver.pages() as u64, limit);
        }
    }
}

#[test]
fn max_pages_holds_across_crashes_and_goes_on_when_raised() {
    let mut seed = Seed::from_env();
    let limited = |limit| wide_project(|settings| settings.max_pages = limit);
    let mut driver = Driver::new(wide_web(8, 20), limited(40), seed.number());
    for _ in 0..10 {
        driver.run(seed.below(30));
        assert!(driver.pages() <= 40);
        driver = driver.restart(limited(40), seed.chance(1, 2), Duration::ZERO);
    }
    assert_eq!(driver.finish(), Finish::Reached(LimitReached::Pages));
    assert_eq!(driver.pages(), 40);
    driver = driver.restart(limited(60), true, Duration::ZERO);
    assert_eq!(driver.finish(), Finish::Reached(LimitReached::Pages));
    assert_eq!(driver.pages(), 60);
    driver = driver.restart(limited(0), true, Duration::ZERO);
    assert_eq!(driver.finish(), Finish::Done);
    driver.check_truth();
}

#[test]
fn max_pages_per_host_is_reached_and_never_exceeded() {
    let mut seed = Seed::from_env();
    for limit in [1, 5, 64] {
        let limited = |limit| wide_project(|settings| settings.max_pages_per_host = limit);
        let mut driver = Driver::new(wide_web(5, 150), limited(limit), seed.number());
        assert_eq!(driver.finish(), Finish::Done);
        for host in 0..5 {
            let name = format!("h{host}.web");
            let of_host = || driver.records().filter(|record| record.url.host().name() == name);
            assert_eq!(of_host().filter(|record| record.outcome == Outcome::Fetched).count() as u64, limit);
            assert!(of_host().all(|record| !record.outcome.is_open()));
        }
        driver = driver.restart(limited(0), false, Duration::ZERO);
        assert_eq!(driver.finish(), Finish::Done);
        driver.check_truth();
    }
}

#[test]
fn max_bytes_is_never_exceeded_and_used_up_to_a_page() {
    let mut seed = Seed::from_env();
    for (limit, body) in [(100, 100), (1_000, 100), (999, 150), (5_000, 100), (700, 0)] {
        let edit = |settings: &mut CrawlSettings| {
            settings.max_bytes = Size::from_bytes(limit);
            settings.max_body = Size::from_bytes(body);
        };
        let mut driver = Driver::new(wide_web(10, 60), wide_project(edit), seed.number());
        driver.workers = 8;
        assert_eq!(driver.finish(), Finish::Reached(LimitReached::Bytes), "{limit}");
        let bytes = driver.stats().bytes;
        assert!(bytes <= limit && bytes + 100 > limit, "{bytes} of {limit}");
    }
}

#[test]
fn bodies_without_a_limit_can_be_leased_by_the_thousand() {
    let edit = |settings: &mut CrawlSettings| settings.max_body = Size::from_bytes(0);
    let mut driver = Driver::new(wide_web(25, 70), wide_project(edit), 1);
    driver.workers = 25;
    assert_eq!(driver.finish(), Finish::Done);
    driver.check_truth();
}

#[test]
fn max_depth_is_the_shortest_path() {
    // d0 → d1 → … → d9, and a short cut that is found late: d0 → s (slow) → d7.
    let mut web = FakeWeb::default();
    let at = |n: usize| url("chain.web", &n.to_string());
    let slow = url("slow.web", "");
    for n in 0..10 {
        web.page(&at(n), &[at(n + 1)]);
    }
    web.answer(&at(0), Answer::Page { bytes: 1, links: vec![(at(1), true), (slow.clone(), true)], fails: 0 });
    web.answer(&slow, Answer::Page { bytes: 1, links: vec![(at(5), true)], fails: 3 });
    let limited = |limit| project(&[at(0)], |settings| settings.max_depth = limit);
    let mut driver = Driver::new(web, limited(4), 3);
    assert_eq!(driver.finish(), Finish::Done);
    driver.check_truth();
    // 0 to 4 and slow on the straight way; 5 is at depth 2 by the short cut, 6 at 3, 7 at 4.
    assert_eq!(driver.pages(), 9);
    assert_eq!(driver.known()["http://chain.web/8"], ("over limit: max_depth".into(), 5));
    driver = driver.restart(limited(5), true, Duration::ZERO);
    assert_eq!(driver.finish(), Finish::Done);
    driver.check_truth();
    assert_eq!(driver.pages(), 10);
}
