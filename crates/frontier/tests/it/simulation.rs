//! Whole crawls of made-up Webs, uninterrupted.

use frontier::tables::HOSTS;
use kv::Reader;
use model::HostKey;
use testkit::Seed;

use crate::driver::{Driver, Finish, requests_by_host};
use crate::web::{Answer, FakeWeb};

fn crawl(seed: u64) {
    println!("web {seed}");
    let web = FakeWeb::with_seed(seed);
    let project = web.project(seed);
    let mut driver = Driver::new(web, project, seed);
    driver.workers = 1 + seed as usize % 7;
    assert_eq!(driver.finish(), Finish::Done);
    driver.check_truth();
    check_counts(&driver);
}

/// The counts are those of a recount, and of the servers' own log.
fn check_counts(driver: &Driver) {
    let stats = driver.stats();
    let (mut bytes, mut links) = (0, 0);
    for (url, (outcome, _)) in driver.known() {
        let url = model::PageUrl::parse(&url).unwrap();
        if outcome == "fetched"
            && let Some(Answer::Page { bytes: size, links: found, .. }) = driver.servers.web().pages.get(&url)
        {
            bytes += size;
            links += found.len() as u64;
        }
    }
    assert_eq!((stats.bytes, stats.links_found), (bytes, links));
    assert_eq!(stats.requests, driver.servers.log.len() as u64);
    for (host, requests) in requests_by_host(driver) {
        let record = driver.store.get(&HOSTS, &HostKey::of(&host).0).unwrap().unwrap();
        assert_eq!(record.requests, requests, "{}", host.as_str());
        assert!(
            record.shortest_gap.is_none_or(|gap| gap >= 1000),
            "{}: {:?}",
            host.as_str(),
            record.shortest_gap
        );
    }
}

#[test]
fn every_reachable_url_gets_its_true_outcome_and_depth() {
    let mut seed = Seed::from_env();
    for _ in 0..60 {
        crawl(seed.number() >> 32);
    }
}
