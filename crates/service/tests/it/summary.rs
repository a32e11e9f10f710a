//! `summary` and `runs`.

use service::{ProjectChoice, Request, Summary};

use crate::site::{NOW, Site};

#[test]
fn the_summary_counts_what_happened() {
    let site = Site::crawled();
    let rows = site.ask(&Request::Summary(ProjectChoice::default())).unwrap();
    let summary: Summary = serde_json::from_value(rows[0].clone()).unwrap();
    assert_eq!((summary.links_found, summary.urls_distinct, summary.pages_fetched), (11, 12, 5));
    assert_eq!((summary.off_site, summary.excluded, summary.denied, summary.waiting), (1, 1, 1, 1));
    assert_eq!(summary.statuses.into_iter().collect::<Vec<_>>(), [(200, 5), (301, 2), (404, 1), (503, 1)]);
    assert_eq!((summary.fetch_ms.max, summary.fetch_ms.count), (900.0, 9));
    assert_eq!(summary.failing_hosts[0].host, "shop.test");
}

#[test]
fn the_summary_reads_well() {
    let site = Site::crawled();
    let entry = site.data().project(None).unwrap();
    let text = service::summary(site.data(), &entry).unwrap().to_string();
    assert!(text.contains("pages        5 fetched, 1 URLs wait\n"), "{text}");
    assert!(text.contains("statuses     200 5, 301 2, 404 1, 503 1\n"), "{text}");
    assert!(text.contains("failing      shop.test 1×\n"), "{text}");
}

#[test]
fn runs_are_listed_latest_first() {
    let site = Site::crawled();
    let entry = site.data().project(None).unwrap();
    let catalog = site.data().catalog();
    for _ in 0..2 {
        site.runtime.block_on(catalog.begin_run(entry.id, &entry.project.crawl, NOW)).unwrap();
    }
    let runs = site.ask(&Request::Runs(ProjectChoice::default())).unwrap();
    let ids: Vec<_> = runs.iter().map(|run| (run["id"].clone(), run["state"].clone())).collect();
    assert_eq!(ids, [(2.into(), "running".into()), (1.into(), "running".into())]);
}
