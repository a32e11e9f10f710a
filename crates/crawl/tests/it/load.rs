//! Many hosts, of which many are slow: those that answer soon do not wait for them.

use std::time::Duration;

use webs::Request;

use crate::bench_site::Bench;
use crate::site::{Site, after, html, not_found, page};

const QUICK: usize = 200;
const SLOW: usize = 100;
/// Pages of a quick host; the first leads to the others.
const PAGES: usize = 4;

/// Longer than the test waits: with any of these in its way a quick host would not be done in time.
const FOR_EVER: u64 = 600_000;

#[tokio::test(flavor = "multi_thread")]
async fn hosts_that_answer_soon_do_not_wait_for_slow_ones() {
    let names: Vec<String> = (0..QUICK)
        .map(|n| format!("quick{n:03}.test"))
        .chain((0..SLOW).map(|n| format!("slow{n:03}.test")))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let site = Site::serve_hosts_at(1, &names, |request: &Request| match request.path.as_str() {
        "/robots.txt" => not_found(),
        _ if request.host.starts_with("slow") => after(FOR_EVER, not_found()),
        "/" => page("home", &["/1", "/2", "/3"]),
        _ => page("leaf", &[]),
    })
    .await;
    let bench = Bench::new();
    // The slow ones come last, so that each quick one has been heard of before the slots are full of them.
    let start: Vec<String> = names.iter().map(|name| site.url_at(name, "/")).collect();
    let project = site.project(&bench, &start, |crawl| {
        crawl.connections = 32;
        crawl.rate = Some("4/s".parse().unwrap());
        crawl.address_delay = model::Span::from_millis(0);
        crawl.scope = model::Scope::Host;
    });
    let run = bench.start(project);
    let progress = run.progress();
    let quick_pages = async {
        let done = |site: &Site| {
            site.asked().iter().filter(|r| r.host.starts_with("quick") && r.path != "/robots.txt").count()
        };
        let mut times = QUICK * PAGES;
        while done(&site) < QUICK * PAGES {
            times += 1;
            site.has_been_asked(times).await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(40), quick_pages).await;
    let now = progress.borrow().clone();
    run.controls().cancel();
    run.wait().await.unwrap();
    let (used, lost) = (now.slot_time_used, now.slot_time_lost);
    println!("after {:?}: {} pages; slot time used {used:?}, lost {lost:?}", now.running, now.pages);
    assert!(in_time.is_ok(), "quick hosts wait: {} of {} pages", now.pages, QUICK * PAGES);
    assert!(now.slots_busy > 16, "the slow ones have slots, too: {now:?}");
}

/// Hosts with one page each, and its size: more than twice what may be in memory at once.
const LARGE: usize = 24;
const LARGE_BYTES: usize = 6 << 20;
const MIB: u64 = 1 << 20;

#[tokio::test(flavor = "multi_thread")]
async fn bodies_in_flight_stay_within_their_room() {
    let names: Vec<String> = (0..LARGE).map(|n| format!("large{n:02}.test")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let body = format!("<p>{}", "many words ".repeat(LARGE_BYTES / 11));
    let site = Site::serve_hosts_at(1, &names, move |request: &Request| match request.path.as_str() {
        "/" => html(&body),
        _ => not_found(),
    })
    .await;
    let bench = Bench::new();
    let start: Vec<String> = names.iter().map(|name| site.url_at(name, "/")).collect();
    let project = site.project(&bench, &start, |crawl| {
        crawl.address_delay = model::Span::from_millis(0);
        crawl.scope = model::Scope::Host;
    });
    let ended = bench.crawl(project).await;
    let most = ended.progress.most_in_flight / MIB;
    println!("{} pages, at most {most} MiB in flight", ended.progress.pages);
    assert_eq!(ended.progress.pages, LARGE as u64);
    assert!((32..=64).contains(&most), "{most} MiB");
}
