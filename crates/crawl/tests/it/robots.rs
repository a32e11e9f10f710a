//! robots.txt as it is obeyed, ignored, replaced; and what it asks for in time. Read from the server's side.

use std::time::Duration;

use crawl::{CrawlError, EndReason, Run, Setup, WallClock};
use model::{CrawlSettings, ErrorKind, Outcome, RobotsMode, Span};
use webs::Answer;

use crate::bench_site::{Bench, CRAWL, project};
use crate::site::{Site, not_found, page};

/// A start page with three links; robots.txt as given.
async fn site(robots: impl Fn() -> Answer + Send + Sync + 'static) -> Site {
    Site::serve(move |request| match request.path.as_str() {
        "/robots.txt" => robots(),
        "/" => page("Start", &["/open", "/private/1", "/private/2"]),
        "/rules" => text("User-agent: *\nDisallow: /open\n"),
        "/slow-rules" => text("User-agent: *\nCrawl-delay: 0.3\n"),
        "/moved" => Answer::redirect(302, "/moved/again"),
        "/moved/again" => text("User-agent: *\nDisallow: /private/2\n"),
        "/round" => Answer::redirect(302, "/round"),
        _ => page("Page", &[]),
    })
    .await
}

fn text(robots: &str) -> Answer {
    Answer::new(200, "text/plain", robots.to_owned())
}

/// Robots.txt and settings → pages asked for, in order.
async fn check(
    robots: fn() -> Answer,
    edit: impl FnOnce(&Site, &mut CrawlSettings),
    expected: &[&str],
) -> Bench {
    let site = site(robots).await;
    let bench = Bench::new();
    let project = site.project(&bench, &[site.url("/")], |crawl| edit(&site, crawl));
    bench.crawl(project).await;
    assert_eq!(site.asked_paths(), expected);
    bench
}

const ALL: [&str; 4] = ["/", "/open", "/private/1", "/private/2"];

#[tokio::test(flavor = "multi_thread")]
async fn robots_txt_decides_unless_it_is_to_be_ignored() {
    let deny = || text("User-agent: *\nDisallow: /private/\nAllow: /private/2\n");
    check(deny, |_, _| (), &["/", "/open", "/private/2"]).await;
    check(deny, |_, crawl| crawl.robots = RobotsMode::Ignore, &ALL).await;
    check(not_found, |_, _| (), &ALL).await;
    check(|| text("<html>not a robots.txt"), |_, _| (), &ALL).await;
    check(|| Answer::new(500, "text/plain", ""), |_, _| (), &[]).await;
    check(|| Answer::new(429, "text/plain", ""), |_, _| (), &[]).await;
    check(|| Answer::new(401, "text/plain", ""), |_, _| (), &ALL).await;
    let named = || text("User-agent: other\nDisallow: /\nUser-agent: mybot\nDisallow: /open\n");
    check(named, |_, _| (), &ALL).await;
    let ours = |_: &Site, crawl: &mut CrawlSettings| crawl.user_agent = Some("mybot/2.1".to_owned());
    check(named, ours, &["/", "/private/1", "/private/2"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_robots_txt_that_moved_is_followed() {
    let moved = || Answer::redirect(301, "/moved");
    check(moved, |_, _| (), &["/moved", "/moved/again", "/", "/open", "/private/1"]).await;
    // Round in circles: after five redirects it counts as not there.
    let round = ["/round"; 5];
    check(|| Answer::redirect(301, "/round"), |_, _| (), &[&round[..], &ALL].concat()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_url_says_which_line_refused_it() {
    let bench =
        check(|| text("User-agent: *\nDisallow: /private/1\n"), |_, _| (), &["/", "/open", "/private/2"]);
    let urls = bench.await.urls();
    let refused = urls.values().find(|record| record.url.path() == "/private/1").unwrap();
    assert_eq!(refused.outcome.to_string(), "disallowed by robots.txt line 2");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_robots_txt_can_stand_for_all() {
    let deny_all = || text("User-agent: *\nDisallow: /\n");
    let other = |site: &Site, crawl: &mut CrawlSettings| {
        crawl.robots_url = Some(model::PageUrl::parse(&site.url("/rules")).unwrap());
    };
    check(deny_all, other, &["/rules", "/", "/private/1", "/private/2"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_robots_url_that_cannot_be_had_ends_the_run_before_anything_is_asked() {
    let site = site(not_found).await;
    let bench = Bench::new();
    let project = site.project(&bench, &[site.url("/")], |crawl| {
        crawl.robots_url = Some(model::PageUrl::parse(&site.url("/robots.txt")).unwrap());
    });
    let (store, archive) = (bench.store.clone(), bench.archive());
    let run = Run::start(Setup {
        store,
        dir: bench.dir.path().to_owned(),
        archive,
        crawl: CRAWL,
        project,
        allow: Vec::new(),
        retry_failed: false,
        watcher: None,
        paused: false,
        neighbours: crawl::Neighbours::default(),
        refresh: false,
    })
    .unwrap();
    let error = run.wait().await.map(|ended| ended.reason).unwrap_err();
    assert!(matches!(error, CrawlError::RobotsUrl { .. }), "{error}");
    assert_eq!(site.asked_paths(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_delay_holds_at_any_rate() {
    let check = async |robots: fn() -> Answer, fixed: bool| {
        let site = site(robots).await;
        let bench = Bench::new();
        let project = site.project(&bench, &[site.url("/")], |crawl| {
            crawl.robots_url = fixed.then(|| model::PageUrl::parse(&site.url("/slow-rules")).unwrap());
        });
        let ended = bench.crawl(project).await;
        assert_eq!(ended.progress.pages, 4);
        let gap = site.shortest_gap("127.0.0.1");
        assert!(gap >= Duration::from_millis(300), "{gap:?}");
    };
    check(|| text("User-agent: *\nCrawl-delay: 0.3\n"), false).await;
    check(not_found, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hours_of_a_host_are_kept() {
    let minutes = WallClock::start().now().0 / 60_000 % (24 * 60);
    let hours = |from: u64, to: u64| {
        let time = |moment: u64| format!("{:02}{:02}", (minutes + moment) / 60 % 24, (minutes + moment) % 60);
        format!("User-agent: *\nVisit-time: {}-{}\n", time(from), time(to))
    };
    let check = async |robots: String, pages: u64| {
        let site = site(move || text(&robots)).await;
        let bench = Bench::new();
        let ended = bench.crawl(site.project(&bench, &[site.url("/")], |_| ())).await;
        assert_eq!(ended.progress.pages, pages);
        ended
    };
    assert_eq!(check(hours(24 * 60 - 60, 60), 4).await.reason, EndReason::Complete);
    let ended = check(hours(120, 180), 0).await;
    let EndReason::NothingDue { next } = ended.reason else { panic!("{:?}", ended.reason) };
    let wait = next.since(WallClock::start().now()).as_secs();
    assert!((110 * 60..=121 * 60).contains(&wait), "{wait} s");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_robots_txt_at_another_host_keeps_that_hosts_gap() {
    let site = Site::serve_hosts(&["a.test", "b.test"], |request| match request.path.as_str() {
        "/robots.txt" if request.host.starts_with("a.test") => {
            Answer::redirect(301, &format!("http://{}/robots.txt", request.host.replace("a.test", "b.test")))
        }
        "/robots.txt" => text("User-agent: *\nDisallow: /private/\n"),
        "/" => page("Start", &["/open", "/private/1"]),
        _ => page("Page", &[]),
    })
    .await;
    let bench = Bench::new();
    let start = [site.url_at("a.test", "/"), site.url_at("b.test", "/")];
    let project = site.project(&bench, &start, |crawl| {
        crawl.rate = None;
        crawl.delay = Span::from_millis(300);
        crawl.delay_factor = 0;
    });
    let ended = bench.crawl(project).await;
    assert_eq!(ended.progress.pages, 4);
    assert_eq!(ended.stats.requests, site.asked().len() as u64);
    for host in ["a.test", "b.test"] {
        let gap = site.shortest_gap(host);
        assert!(gap >= Duration::from_millis(300), "{host}: {gap:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_out_of_reach_is_tried_again_and_then_given_up_with_all_its_urls() {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut project = project(&format!("http://127.0.0.1:{port}/"), |crawl| {
        crawl.retry = 2;
        crawl.retry_wait = model::Span::from_millis(2);
        crawl.linger = model::Span::from_secs(10);
    });
    project.start.push(model::PageUrl::parse(&format!("http://127.0.0.1:{port}/other")).unwrap());
    let bench = Bench::new();
    let ended = bench.crawl(project).await;
    assert_eq!(ended.reason, EndReason::Complete);
    let urls = bench.urls();
    assert_eq!(urls.len(), 2);
    for record in urls.values() {
        let failed = matches!(&record.outcome, Outcome::Failed { error: ErrorKind::Connect, .. });
        assert!(failed, "{}: {:?}", record.url, record.outcome);
    }
    assert_eq!(frontier::audit(&bench.store, CRAWL).unwrap(), []);
}
