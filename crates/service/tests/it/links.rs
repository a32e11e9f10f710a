//! `links`.

use service::{LinkList, LinkRow, LinksRequest, Request};

use crate::site::{Site, url};

fn rows(site: &Site, lists: &[LinkList], limit: Option<u64>) -> Vec<LinkRow> {
    let request = Request::Links(LinksRequest { project: None, lists: lists.to_vec(), limit });
    site.ask(&request).unwrap().into_iter().map(|row| serde_json::from_value(row).unwrap()).collect()
}

#[test]
fn broken_links_name_their_sources_and_words() {
    let site = Site::crawled();
    let mut rows = rows(&site, &[LinkList::Broken], None);
    let counts = rows.pop().unwrap();
    let LinkRow::Counts(counts) = counts else { panic!("{counts:?}") };
    assert_eq!((counts.broken_targets, counts.broken_links, counts.orphans), (Some(1), Some(2), None));
    rows.sort_by_key(|row| format!("{row:?}"));
    let broken = |source: &str, anchor: &str| LinkRow::Broken {
        target: url("http://shop.test/gone"),
        outcome: "failed: status 404 (tried 1×)".into(),
        source: Some(url(source)),
        anchor: anchor.into(),
    };
    assert_eq!(rows, [broken("http://shop.test/", "Lost"), broken("http://shop.test/b", "Lost again")]);
}

#[test]
fn redirects_are_shown_as_chains() {
    let site = Site::crawled();
    let rows = rows(&site, &[LinkList::Redirects], None);
    let chain = ["http://shop.test/old", "http://shop.test/older", "http://shop.test/new"].map(url).to_vec();
    assert_eq!(rows[0], LinkRow::Redirects { chain, end: "fetched".into(), circle: false });
    assert_eq!(rows.len(), 2, "and the counts: {rows:?}");
}

#[test]
fn a_page_that_only_the_start_list_knows_is_an_orphan() {
    let site = Site::crawled();
    let rows = rows(&site, &[LinkList::Orphans], None);
    assert_eq!(rows[0], LinkRow::Orphans { url: url("http://shop.test/island"), known: "start URL".into() });
    assert_eq!(rows.len(), 2, "home has an in-link, redirect targets are reached: {rows:?}");
}

#[test]
fn the_slowest_pages_come_slowest_first_and_limits_do_not_change_counts() {
    let site = Site::crawled();
    let rows = rows(&site, &[LinkList::Slow, LinkList::Broken], Some(1));
    let slow: Vec<_> = rows.iter().filter(|row| matches!(row, LinkRow::Slow { .. })).collect();
    assert!(matches!(slow[..], [LinkRow::Slow { millis: 900, .. }]), "{slow:?}");
    let LinkRow::Counts(counts) = rows.last().unwrap() else { panic!() };
    assert_eq!((counts.timed_pages, counts.broken_links), (Some(5), Some(2)));
    assert_eq!(rows.len(), 3);
}
