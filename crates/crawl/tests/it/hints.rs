//! A site's hints to crawlers: what they may do, and what not.

use std::time::Duration;

use crawl::{EndReason, WallClock};
use frontier::tables::{HINTS, HintsAnswer};
use kv::Reader;
use model::{CrawlSettings, Outcome};
use webs::Answer;
use webs::demo::Demo;

use crate::bench_site::{Bench, CRAWL};
use crate::site::{Site, not_found, page};

const PATH: &str = "/.well-known/crawl-hints.json";

/// A start page with two links; hints and robots.txt as given. One more page is named by `/changes.json`.
async fn site(hints: impl Fn() -> Answer + Send + Sync + 'static, robots: &'static str) -> Site {
    Site::serve(move |request| match request.path.as_str() {
        "/robots.txt" => Answer::new(200, "text/plain", robots),
        PATH => hints(),
        "/changes.json" => json(
            r#"{"version":1,"changes":[{"url":"/named"},{"url":"http://elsewhere.test/"},{"url":"//10.0.0.1/"},
                {"url":"https://127.0.0.1/"},{"url":"file:///etc/passwd"},{"url":"/closed"},{"url":"/left-out"}]}"#,
        ),
        "/" => page("Start", &["/a", "/b"]),
        _ => page("Page", &[]),
    })
    .await
}

fn json(text: &str) -> Answer {
    Answer::new(200, "application/json", text.to_owned())
}

async fn crawl(site: &Site, edit: impl FnOnce(&mut CrawlSettings)) -> (Bench, crawl::Ended) {
    let bench = Bench::new();
    let project = site.project(&bench, &[site.url("/")], |crawl| {
        crawl.crawl_hints = true;
        edit(crawl);
    });
    let ended = bench.crawl(project).await;
    assert_eq!(frontier::audit(&bench.store, CRAWL).unwrap(), []);
    (bench, ended)
}

/// Hints and robots.txt → what is asked for, in order, robots.txt left out.
async fn check(hints: &'static str, robots: &'static str, expected: &[&str]) {
    let site = site(move || json(hints), robots).await;
    crawl(&site, |_| ()).await;
    assert_eq!(site.asked_paths(), expected, "{hints}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_are_asked_for_once_and_in_their_turn() {
    check("{}", "", &[PATH, "/", "/a", "/b"]).await;
    check("{}", "User-agent: *\nDisallow: /.well-known/", &["/", "/a", "/b"]).await;
    let feed = r#"{"version":1,"changes":"/changes.json"}"#;
    check(feed, "User-agent: *\nDisallow: /changes", &[PATH, "/", "/a", "/b"]).await;
    check(r#"{"version":1,"changes":"http://elsewhere.test/changes.json"}"#, "", &[PATH, "/", "/a", "/b"])
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_are_left_alone_when_the_project_says_so() {
    let site = site(|| json("{}"), "").await;
    crawl(&site, |crawl| crawl.crawl_hints = false).await;
    assert_eq!(site.asked_paths(), ["/", "/a", "/b"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_names_urls_of_its_own_origin_and_rules_decide_as_ever() {
    let site =
        site(|| json(r#"{"version":1,"changes":"/changes.json"}"#), "User-agent: *\nDisallow: /closed").await;
    let (bench, _) = crawl(&site, |crawl| crawl.exclude = vec!["/left-out".parse().unwrap()]).await;
    let urls = bench.urls();
    let found: Vec<(String, String)> =
        urls.values().map(|record| (record.url.path().to_owned(), record.outcome.to_string())).collect();
    let row = |path: &str, outcome: &str| (path.to_owned(), outcome.to_owned());
    assert_eq!(
        found,
        [
            row("/", "fetched"),
            row("/a", "fetched"),
            row("/b", "fetched"),
            row("/closed", "disallowed by robots.txt line 2"),
            row("/left-out", "excluded by exclude /left-out"),
            row("/named", "fetched"),
        ]
    );
    assert!(urls.values().all(|record| record.url.host().name() == "127.0.0.1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_may_slow_us_and_never_hurry_us() {
    let gap = async |rate: &str, own_millis: u64| {
        let text = format!(r#"{{"version":1,"rate":{{"requests_per_second":{rate}}}}}"#);
        let site = site(move || json(&text), "").await;
        let (_, ended) = crawl(&site, |crawl| {
            crawl.rate = None;
            crawl.delay = model::Span::from_millis(own_millis);
            crawl.delay_factor = 0;
        })
        .await;
        assert_eq!(ended.progress.pages, 3);
        let log = site.server.log().entries();
        let from = log.iter().position(|entry| entry.target == PATH).unwrap();
        log[from..].windows(2).map(|two| two[1].us - two[0].us).min().map(Duration::from_micros).unwrap()
    };
    let slowed = gap("4", 1).await;
    assert!(slowed >= Duration::from_millis(250), "{slowed:?}");
    let unhurried = gap("1000", 200).await;
    assert!(unhurried >= Duration::from_millis(200), "{unhurried:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn outside_its_hours_a_host_rests_until_they_begin() {
    let minutes = WallClock::start().now().0 / 60_000 % (24 * 60);
    let time = |moment: u64| format!("{:02}:{:02}", (minutes + moment) / 60 % 24, (minutes + moment) % 60);
    let check = async |from: u64, to: u64, pages: u64| {
        let hours = format!("{}-{}", time(from), time(to));
        let text = format!(r#"{{"version":1,"rate":{{"hours":"{hours}"}},"changes":"/changes.json"}}"#);
        let site = site(move || json(&text), "").await;
        let (_, ended) = crawl(&site, |_| ()).await;
        assert_eq!(ended.progress.pages, pages);
        ended.reason
    };
    assert_eq!(check(24 * 60 - 60, 60, 6).await, EndReason::Complete);
    let EndReason::NothingDue { next } = check(120, 180, 0).await else { panic!("the host rests") };
    let wait = next.since(WallClock::start().now()).as_secs();
    assert!((110 * 60..=121 * 60).contains(&wait), "{wait} s");
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_hints_cost_one_request_and_nothing_more() {
    let check = async |answer: fn() -> Answer, expected: &str| {
        let site = site(answer, "").await;
        let (bench, ended) = crawl(&site, |crawl| crawl.timeout = model::Span::from_secs(5)).await;
        assert_eq!((ended.progress.pages, ended.reason), (3, EndReason::Complete));
        assert_eq!(site.asked_paths(), [PATH, "/", "/a", "/b"]);
        let (_, record) = bench.store.iter(&HINTS).next().unwrap().unwrap();
        let told = match record.answer {
            HintsAnswer::Hints { .. } => "hints".to_owned(),
            HintsAnswer::None { status } => format!("none {status}"),
            HintsAnswer::Unreadable { reason } => reason,
        };
        assert_eq!(told, expected);
    };
    check(not_found, "none 404").await;
    check(|| Answer::redirect(302, "/a"), "none 302").await;
    check(|| json(&"[".repeat(60_000)), "it is no hints file of version 1").await;
    check(|| json(&" ".repeat(4 << 20)), "it is no hints file of version 1").await;
    check(
        || json(r#"{"version":1,"rate":{"requests_per_second":1e999}}"#),
        "it is no hints file of version 1",
    )
    .await;
    check(|| json(r#"{"version":1,"urls":-1,"rate":7,"changes":{}}"#), "hints").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_too_busy_for_its_hints_gets_the_wait_it_asks_for() {
    let site = site(|| Answer::new(503, "text/plain", "").with("retry-after", "1"), "").await;
    let (_, ended) = crawl(&site, |_| ()).await;
    assert_eq!(ended.progress.pages, 3);
    let log = site.server.log().entries();
    let at = |target: &str| log.iter().find(|entry| entry.target == target).unwrap().ms;
    assert!(at("/") - at(PATH) >= 1_000, "{} ms", at("/") - at(PATH));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hints_of_the_demo_site_are_read() {
    let server = webs::Server::start(
        std::sync::Arc::new(Demo::new(1, 1)),
        std::net::SocketAddr::from(([127, 0, 0, 1], 0)),
    )
    .await
    .unwrap();
    let bench = Bench::new();
    let start = format!("{}/about", server.base());
    let project = crate::bench_site::project(&start, |crawl| {
        crawl.crawl_hints = true;
        crawl.max_pages = 3;
    });
    bench.crawl(project).await;
    let (origin, record) = bench.store.iter(&HINTS).next().unwrap().unwrap();
    assert_eq!(origin, server.base());
    assert_eq!(record.named, 4);
    let HintsAnswer::Hints { text } = record.answer else { panic!("{:?}", record.answer) };
    assert!(fetch::hints::Hints::parse(&text).unwrap().urls.unwrap() > 100);
    let named =
        bench.urls().values().filter(|record| record.depth == 1 && record.url.path() == "/blog/").count();
    assert_eq!(named, 1);
    assert!(bench.urls().values().all(|record| record.outcome != Outcome::OffSite || record.via.is_some()));
}
