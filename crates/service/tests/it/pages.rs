//! `pages` and `hosts`.

use std::collections::BTreeMap;
use std::time::Duration;

use frontier::tables::{ROBOTS, RobotsAnswer, RobotsRecord};
use kv::Durability;
use service::{HostRow, HostsRequest, Moment, PageRow, PagesRequest, Request};

use crate::site::{NOW, Site, url};

fn rows(site: &Site, request: PagesRequest) -> BTreeMap<String, PageRow> {
    let rows = site.ask(&Request::Pages(request)).unwrap();
    let rows = rows.into_iter().map(|row| serde_json::from_value::<PageRow>(row).unwrap());
    rows.map(|row| (row.url.as_str().replace("http://", ""), row)).collect()
}

fn urls(site: &Site, request: PagesRequest) -> Vec<String> {
    rows(site, request).into_keys().collect()
}

#[test]
fn every_url_is_listed_with_its_outcome() {
    let site = Site::crawled();
    let rows = rows(&site, PagesRequest::default());
    let outcomes: Vec<(&str, &str, u32)> =
        rows.iter().map(|(url, row)| (url.as_str(), row.outcome.as_str(), row.depth)).collect();
    assert_eq!(
        outcomes,
        [
            ("other.test/", "off-site", 1),
            ("shop.test/", "fetched", 0),
            ("shop.test/a", "fetched", 1),
            ("shop.test/b", "fetched", 1),
            ("shop.test/denied", "disallowed", 1),
            ("shop.test/flaky", "retrying", 2),
            ("shop.test/gone", "failed", 1),
            ("shop.test/island", "fetched", 0),
            ("shop.test/new", "fetched", 1),
            ("shop.test/old", "redirected", 1),
            ("shop.test/older", "redirected", 1),
            ("shop.test/private/x", "excluded", 1),
        ]
    );
    let a = &rows["shop.test/a"];
    assert_eq!((a.status, a.millis, a.title.as_deref()), (Some(200), Some(900), Some("A")));
    assert_eq!(
        (a.via.clone(), a.content_type.as_deref()),
        (Some(url("http://shop.test/")), Some("text/html"))
    );
    assert_eq!(rows["shop.test/gone"].words, "failed: status 404 (tried 1×)");
    assert_eq!(rows["shop.test/private/x"].words, "excluded by exclude /private/*");
    assert!(rows["shop.test/flaky"].due.is_some());
    assert_eq!(rows["shop.test/denied"].fetched_at, None);
}

#[test]
fn rows_are_chosen_by_outcome_time_host_prefix_and_number() {
    let site = Site::crawled();
    let by = |edit: fn(&mut PagesRequest)| {
        let mut request = PagesRequest::default();
        edit(&mut request);
        urls(&site, request)
    };
    assert_eq!(
        by(|r| r.outcomes = vec!["failed".into(), "off-site".into()]),
        ["other.test/", "shop.test/gone"]
    );
    assert_eq!(by(|r| r.host = Some("other.test".into())), ["other.test/"]);
    assert_eq!(by(|r| r.prefix = Some("http://shop.test/ol".into())), ["shop.test/old", "shop.test/older"]);
    assert_eq!(by(|r| r.prefix = Some("http://oth".into())), ["other.test/"]);
    assert_eq!(by(|r| r.limit = Some(3)).len(), 3);
    assert_eq!(by(|r| r.limit = Some(0)), Vec::<String>::new());
    let fetched = by(|r| r.from = Some(Moment(NOW)));
    assert_eq!(fetched.len(), 9, "all that were asked for: {fetched:?}");
    assert_eq!(by(|r| r.to = Some(Moment(NOW))), Vec::<String>::new());
    let one = rows(&site, PagesRequest::default())["shop.test/b"].fetched_at.unwrap();
    let request = PagesRequest {
        from: Some(one),
        to: Some(Moment(one.0 + Duration::from_millis(1))),
        ..Default::default()
    };
    assert_eq!(urls(&site, request), ["shop.test/b"]);
}

#[test]
fn what_cannot_be_asked_is_refused_in_one_sentence() {
    let site = Site::crawled();
    let refused = |request| site.ask(&Request::Pages(request)).unwrap_err().sentence();
    assert_eq!(
        refused(PagesRequest { outcomes: vec!["faild".into()], ..Default::default() }),
        "there is no outcome \"faild\"; did you mean \"failed\"?"
    );
    assert_eq!(
        refused(PagesRequest { project: Some("shoop".parse().unwrap()), ..Default::default() }),
        "there is no project \"shoop\"; did you mean \"shop\"?"
    );
    assert_eq!(
        refused(PagesRequest { host: Some("a/b".into()), ..Default::default() }),
        "\"a/b\" is no host"
    );
    let empty = Site::empty();
    let refused = empty.ask(&Request::Pages(PagesRequest::default())).unwrap_err();
    let dir = empty.path().display();
    assert_eq!(
        refused.sentence(),
        format!("there is no project yet in {dir}; \"gannet crawl URL\" makes one")
    );
}

#[test]
fn a_url_that_waits_for_robots_txt_says_so() {
    let site = Site::empty();
    let catalog = site.data().catalog();
    let entry = site.runtime.block_on(catalog.upsert_project(&crate::site::project(), NOW)).unwrap();
    let store = site.data().store();
    let mut frontier = frontier::Frontier::open(store.clone(), NOW).unwrap();
    frontier.begin(entry.crawl, &entry.project).unwrap();
    let mut batch = store.batch();
    let start = url("http://shop.test/");
    let key = model::UrlKey::of(&start);
    let offer = frontier::Offer {
        url: start,
        key,
        depth: 0,
        via: None,
        unfollowed: None,
        start: true,
        hops: 0,
        further: false,
        weight: 1,
        links: 1,
    };
    frontier.offer(&mut batch, entry.crawl, offer, NOW).unwrap();
    frontier.seal(&mut batch, NOW).unwrap();
    let answer = RobotsAnswer::Unreachable { reason: "status 500".into() };
    let expires = NOW + Duration::from_secs(3_600);
    batch.put(&ROBOTS, &"http://shop.test".to_owned(), &RobotsRecord { fetched: NOW, expires, answer });
    store.commit(batch, Durability::Synced).unwrap();
    let rows = rows(&site, PagesRequest::default());
    assert_eq!(
        rows["shop.test/"].words,
        format!("waiting: robots.txt could not be had (status 500), asked again {expires}")
    );
}

#[test]
fn the_ledger_tells_how_a_host_was_treated() {
    let site = Site::crawled();
    let hosts = |request| {
        let rows = site.ask(&Request::Hosts(request)).unwrap();
        rows.into_iter().map(|row| serde_json::from_value::<HostRow>(row).unwrap()).collect::<Vec<_>>()
    };
    let all = hosts(HostsRequest::default());
    assert_eq!(all.len(), 1, "{all:?}");
    let shop = &all[0];
    assert_eq!((shop.host.as_str(), shop.requests, shop.failed), ("shop.test", 9, 1));
    assert!(shop.shortest_gap_ms.unwrap() >= 1_000, "{shop:?}");
    assert_eq!((shop.waits_asked, shop.longest_wait_ms), (1, 3_600_000));
    assert_eq!((shop.pages, shop.waiting, shop.retrying), (5, 0, 1));
    assert!(shop.next_allowed.0 > NOW && shop.last_request.is_some());
    let project = Some("shop".parse().unwrap());
    assert_eq!(hosts(HostsRequest { project, limit: Some(1), ..Default::default() }), all);
    assert_eq!(hosts(HostsRequest { hosts: vec!["shop.test".into()], ..Default::default() }), all);
    assert_eq!(hosts(HostsRequest { hosts: vec!["none.test".into()], ..Default::default() }), []);
    assert_eq!(shop.proxy, None);
    let mut project = crate::site::project();
    project.crawl.proxies = vec!["http://ann:s3cret@p.test:3128".parse().unwrap()];
    site.runtime.block_on(site.data().catalog().upsert_project(&project, NOW)).unwrap();
    assert_eq!(hosts(HostsRequest::default())[0].proxy.as_deref(), Some("p.test:3128"));
}

#[test]
fn pages_come_in_pieces_and_none_is_lost() {
    use service::{PagesPageRequest, outcome_counts, pages_page};
    let site = Site::crawled();
    let all = |outcomes: &[&str], limit: usize| {
        let mut request = PagesPageRequest {
            outcomes: outcomes.iter().map(ToString::to_string).collect(),
            limit: Some(limit),
            ..PagesPageRequest::default()
        };
        let (mut urls, mut pieces) = (Vec::new(), 0);
        loop {
            let piece = pages_page(site.data(), &request).unwrap();
            pieces += 1;
            urls.extend(piece.items.into_iter().map(|row| row.url.to_string()));
            match piece.next {
                Some(next) => request.cursor = Some(next),
                None => return (urls, pieces),
            }
        }
    };
    let (whole, one) = all(&[], 1_000);
    let (pieces, several) = all(&[], 3);
    assert_eq!(whole, pieces);
    assert!(one == 1 && several > 3, "{several} pieces");
    let counts = outcome_counts(site.data(), None).unwrap();
    assert_eq!(counts.values().sum::<u64>(), whole.len() as u64);
    assert_eq!(all(&["fetched"], 2).0.len() as u64, counts["fetched"]);
    let bad = PagesPageRequest { cursor: Some("x".into()), ..PagesPageRequest::default() };
    assert!(matches!(pages_page(site.data(), &bad), Err(service::ServiceError::Cursor(_))));
}
