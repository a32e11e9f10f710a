//! A run is paused, resumed, stopped, cancelled; a run that fails leaves nothing half-done.

use std::collections::BTreeMap;
use std::time::Duration;

use crawl::EndReason;
use webs::Answer;

use crate::bench_site::Bench;
use crate::site::{Site, after, not_found, page};

const PAGES: usize = 60;

/// A start page and `PAGES` more, each some milliseconds slow: one lease holds them all.
async fn wide_site() -> Site {
    Site::serve(|request| match request.path.as_str() {
        "/robots.txt" => not_found(),
        "/" => {
            let links: Vec<String> = (0..PAGES).map(|number| format!("/page/{number}")).collect();
            page("Start", &links.iter().map(String::as_str).collect::<Vec<_>>())
        }
        path => after(20, page(path, &[])),
    })
    .await
}

/// How often each page was asked for.
fn times_asked(site: &Site) -> BTreeMap<String, usize> {
    site.asked_paths().into_iter().fold(BTreeMap::new(), |mut times, path| {
        *times.entry(path).or_default() += 1;
        times
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_holds_the_next_request_and_resuming_goes_on() {
    let site = wide_site().await;
    let bench = Bench::new();
    let run = bench.start(site.project(&bench, &[site.url("/")], |_| ()));
    let (controls, mut progress) = (run.controls(), run.progress());
    site.has_been_asked(10).await;
    controls.pause();
    let held = progress.wait_for(|now| now.paused.is_some() && now.slots_busy == 0).await.unwrap().clone();
    let asked = site.asked().len();
    assert!(asked < PAGES, "{asked} requests although it was paused at the tenth");
    assert!(held.running > Duration::ZERO);
    for _ in 0..3 {
        progress.changed().await.unwrap();
    }
    assert_eq!(site.asked().len(), asked, "requests during a pause");
    controls.resume();
    let ended = run.wait().await.unwrap();
    assert_eq!(ended.reason, EndReason::Complete);
    let times = times_asked(&site);
    assert_eq!(times.len(), PAGES + 1);
    assert!(times.values().all(|times| *times == 1), "{times:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_keeps_what_is_there_and_the_next_run_asks_for_the_rest_only() {
    let site = wide_site().await;
    let bench = Bench::new();
    let run = bench.start(site.project(&bench, &[site.url("/")], |_| ()));
    site.has_been_asked(10).await;
    run.controls().stop();
    let ended = run.wait().await.unwrap();
    assert_eq!(ended.reason, EndReason::Stopped);
    assert!(ended.progress.pages < PAGES as u64, "{} pages", ended.progress.pages);
    assert_eq!(frontier::audit(&bench.store, crate::bench_site::CRAWL).unwrap(), []);

    let ended = bench.crawl(site.project(&bench, &[site.url("/")], |_| ())).await;
    assert_eq!(ended.reason, EndReason::Complete);
    assert_eq!(ended.progress.pages, PAGES as u64 + 1);
    let times = times_asked(&site);
    assert!(times.values().all(|times| *times == 1), "{times:?}");
}

/// The path that never answers → cancelling ends the run all the same.
async fn check_cancel(never: &'static str) {
    let site = Site::serve(move |request| match request.path.as_str() {
        path if path == never => after(60_000, page("Late", &[])),
        "/robots.txt" => not_found(),
        _ => page("Start", &["/slow"]),
    })
    .await;
    let bench = Bench::new();
    let run = bench.start(site.project(&bench, &[site.url("/")], |_| ()));
    let before = if never == "/robots.txt" { 1 } else { 3 };
    site.has_been_asked(before).await;
    run.controls().cancel();
    let ended = tokio::time::timeout(Duration::from_secs(3), run.wait()).await;
    assert_eq!(ended.expect("it ends at once").unwrap().reason, EndReason::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_waits_for_no_answer() {
    check_cancel("/slow").await;
    check_cancel("/robots.txt").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_robots_txt_given_up_half_way_still_counts_for_the_hosts_clock() {
    let site = Site::serve(|request| match request.path.as_str() {
        "/robots.txt" => after(60_000, not_found()),
        _ => page("Start", &[]),
    })
    .await;
    let bench = Bench::new();
    let polite = |crawl: &mut model::CrawlSettings| {
        crawl.rate = None;
        crawl.delay = model::Span::from_millis(700);
    };
    for requests in 1..=2 {
        let run = bench.start(site.project(&bench, &[site.url("/")], polite));
        site.has_been_asked(requests).await;
        run.controls().cancel();
        run.wait().await.unwrap();
    }
    let gap = site.shortest_gap("127.0.0.1");
    assert!(gap >= Duration::from_millis(700), "{gap:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_cannot_write_ends_asks_no_more_and_the_next_one_completes() {
    let site = wide_site().await;
    let bench = Bench::new();
    // Every visit begins a new archive file, so that a lost folder is noticed at once.
    let small_files = |crawl: &mut model::CrawlSettings| crawl.warc_size = model::Size::from_bytes(1);
    let run = bench.start(site.project(&bench, &[site.url("/")], small_files));
    site.has_been_asked(10).await;
    let away = bench.dir.path().join("away");
    std::fs::rename(bench.archive(), &away).unwrap();
    let error = run.wait().await.map(|ended| ended.reason).unwrap_err();
    println!("{error}");
    let asked = site.asked().len();
    assert!(asked < PAGES, "{asked}");

    let _ = std::fs::remove_dir_all(bench.archive());
    std::fs::rename(&away, bench.archive()).unwrap();
    let ended = bench.crawl(site.project(&bench, &[site.url("/")], small_files)).await;
    assert_eq!(ended.reason, EndReason::Complete);
    assert_eq!(ended.progress.pages, PAGES as u64 + 1);
    assert_eq!(frontier::audit(&bench.store, crate::bench_site::CRAWL).unwrap(), []);
    // What was under way when the first run failed is asked for again, and no more than that.
    let again = times_asked(&site).values().filter(|times| **times > 1).count();
    assert!(again <= asked, "{again} pages asked for twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_caller_is_gone_goes_on() {
    let site = wide_site().await;
    let bench = Bench::new();
    let run = bench.start(site.project(&bench, &[site.url("/")], |_| ()));
    let mut progress = run.progress();
    drop(run);
    // The sender goes with the conductor.
    while progress.changed().await.is_ok() {}
    assert_eq!(progress.borrow().pages, PAGES as u64 + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_without_a_readable_robots_txt_is_left_alone_and_the_run_ends() {
    let site = Site::serve(|_| Answer::new(500, "text/plain", "broken")).await;
    let bench = Bench::new();
    let ended = bench.crawl(site.project(&bench, &[site.url("/")], |_| ())).await;
    // robots.txt cannot be had, so nothing may be asked for an hour.
    assert!(matches!(ended.reason, EndReason::NothingDue { .. }), "{:?}", ended.reason);
    assert_eq!(site.asked_paths(), [""; 0]);
}
