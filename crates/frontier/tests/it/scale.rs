//! Many hosts: memory holds the front, the schedule on disk the rest, and nobody is forgotten.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use frontier::{Asked, End, Frontier, Next, Offer, Sent, Settled};
use kv::{Durability, Store};
use model::{CrawlId, ErrorKind, Timestamp, UrlKey};

use crate::server::link;
use crate::web::{project, url};

const CRAWL: CrawlId = CrawlId(1);
const HOSTS: usize = 20_000;
/// What the frontier means to keep in memory.
const FRONT: usize = 16_384;

/// Twenty thousand hosts of one or two pages. The names of some do not resolve.
fn crawl(dead: fn(usize) -> bool) {
    let store = Store::memory();
    let mut now = Timestamp(1_000_000_000);
    let mut frontier = Frontier::open(store.clone(), now).unwrap();
    frontier.begin(CRAWL, &project(&[url("h0.web", "")], |_| ())).unwrap();
    let mut batch = store.batch();
    let home = UrlKey::of(&url("h0.web", ""));
    for host in 0..HOSTS {
        for page in 0..=usize::from(host % 10 == 0) {
            let offer =
                Offer { depth: 1, ..link(&url(&format!("h{host}.web"), &page.to_string()), home, true) };
            frontier.offer(&mut batch, CRAWL, offer, now).unwrap();
        }
    }
    let begin = now;
    let mut fetched = HashSet::new();
    let mut living_by = now;
    let mut address = 0u32;
    let mut asked = 0;
    loop {
        frontier.settle_refusals(&mut batch).unwrap();
        frontier.reconsider(&mut batch, CRAWL, 1000).unwrap();
        frontier.seal(&mut batch, now).unwrap();
        store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Synced).unwrap();
        frontier.committed(now).unwrap();
        let (ready, resting) = frontier.crawl(CRAWL).hosts_ready_and_resting();
        assert!(ready + resting <= FRONT, "{ready} + {resting} hosts in memory");
        let mut until = None;
        for _ in 0..500 {
            asked += 1;
            match frontier.next(CRAWL, now).unwrap() {
                Next::Resolve(host) => {
                    address += 1;
                    let number: usize = host.name()[1..].trim_end_matches(".web").parse().unwrap();
                    let found = match dead(number) {
                        true => Err(ErrorKind::Dns),
                        false => Ok((IpAddr::V4(Ipv4Addr::from(address)), now + Duration::from_secs(86_400))),
                    };
                    frontier.resolved(&host, found, now).unwrap();
                }
                Next::Lease(lease) => {
                    for url in &lease.urls {
                        assert!(fetched.insert(url.key));
                        let sent = Some(Sent { start: now, end: now });
                        let end = End::Page { bytes: 1, links: Vec::new(), text: None, topic: None };
                        let settled =
                            Settled { lease: lease.id, key: url.key, sent, asked: Asked::default(), end };
                        frontier.settle(&mut batch, settled, now).unwrap();
                    }
                    frontier.release(lease.id, now).unwrap();
                    living_by = now;
                }
                Next::Wait { until: moment, .. } => {
                    until = moment;
                    break;
                }
                Next::Done => {
                    let pages: usize = (0..HOSTS)
                        .filter(|host| !dead(*host))
                        .map(|host| 1 + usize::from(host % 10 == 0))
                        .sum();
                    assert_eq!(fetched.len(), pages, "no host is forgotten");
                    let waited = living_by.since(begin);
                    assert!(
                        waited < Duration::from_secs(600),
                        "the living do not wait for the dead: {waited:?}"
                    );
                    assert!(asked < 300_000, "{asked} questions");
                    return;
                }
                Next::Reached(limit) => panic!("{limit:?}"),
            }
        }
        if let Some(until) = until {
            now = now.max(until);
        }
    }
}

#[test]
fn twenty_thousand_hosts_fit_in_a_front_of_fewer() {
    crawl(|_| false);
}

#[test]
fn a_front_full_of_dead_hosts_lets_the_living_through() {
    // More than the front has room for.
    crawl(|host| host % 10 != 0);
}
