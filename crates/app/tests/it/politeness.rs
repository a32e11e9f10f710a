//! A polite guest, by the server's own log: pauses, robots.txt and the waits it asks for, also across stops and
//! kills.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::Outcome;
use tempfile::TempDir;
use webs::demo::Demo;
use webs::log::LogEntry;
use webs::truth::{self, TruthOptions};
use webs::{Answer, Request};

use crate::kept::Kept;
use crate::process::Running;
use crate::served::{Served, missing, page, robots, shortest_gaps, small, url};

const DELAY: Duration = Duration::from_millis(300);
const ADDRESS_DELAY: Duration = Duration::from_millis(100);

/// Requests of two hosts at one address travel on two connections: their order and times at the server may be
/// off by what the machine needs to hand them over. A host's own pause begins at the end of an answer, and is
/// exact.
const TRAVEL: Duration = Duration::from_millis(30);

/// A web and a place for its data.
struct Bench {
    site: Served,
    folder: TempDir,
}

impl Bench {
    fn new(site: Served) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("hosts"), site.hosts_file()).unwrap();
        Bench { site, folder }
    }

    fn start(&self, args: &[&str]) -> Running {
        let data = format!("--data={}", self.folder.path().join("data").display());
        let hosts = format!("--hosts={}", self.folder.path().join("hosts").display());
        let mut all = vec!["crawl", "-q", "--allow-private", &data, &hosts];
        all.extend(args);
        Running::start(&all)
    }

    fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    fn kept(&self) -> Kept {
        Kept::read(Path::new(&self.data()))
    }

    fn at(&self, name: &str, path: &str) -> String {
        format!("http://{name}:{}{path}", self.site.port())
    }
}

/// Before anything else of an origin, its robots.txt.
#[track_caller]
fn assert_robots_first(log: &[LogEntry]) {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for entry in log {
        first.entry(&entry.host).or_insert(&entry.target);
    }
    assert!(first.values().all(|target| *target == "/robots.txt"), "{first:?}");
}

/// Several hosts with six pages each; every page links to all hosts.
fn neighbours(request: &Request) -> Answer {
    let port = request.host.rsplit(':').next().unwrap_or_default().to_owned();
    match request.path.as_str() {
        "/robots.txt" => robots("User-agent: *\nDisallow: /private\n"),
        "/" => {
            let own = ["/1", "/2", "/3", "/4", "/5", "/private/1"].map(str::to_owned);
            let others = NEIGHBOURS.map(|name| format!("http://{name}:{port}/"));
            page(own.into_iter().chain(others))
        }
        "/1" | "/2" | "/3" | "/4" | "/5" => page(["/", "/private/2"]),
        _ => missing(),
    }
}

/// The first and the third share an address, as do the second and the fourth.
const NEIGHBOURS: [&str; 4] = ["a.test", "b.test", "c.test", "d.test"];

#[test]
fn pauses_are_kept_across_a_stop_and_a_kill() {
    let bench = Bench::new(Served::on(2, small(&NEIGHBOURS, neighbours)));
    let start = bench.at("a.test", "/");
    let args = [&start, "--scope=suffix:test", "--delay=300ms", "--address-delay=100ms"];

    let mut run = bench.start(&args);
    bench.site.wait_for(8, 0, || run.is_alive());
    run.signal("INT");
    assert_eq!(run.wait().code, Some(130));
    for requests in [5, 6] {
        let before = bench.site.now();
        let mut run = bench.start(&args);
        bench.site.wait_for(requests, before, || run.is_alive());
        run.kill();
    }
    bench.start(&args).finish();

    let log = bench.site.log();
    assert_eq!(bench.kept().pages().len(), 24);
    assert_robots_first(&log);
    let by_host = shortest_gaps(&log, |entry| entry.host.clone());
    assert_eq!(by_host.len(), 4);
    assert!(by_host.values().all(|gap| *gap >= DELAY), "{by_host:?}");
    let by_address = shortest_gaps(&log, |entry| entry.address.clone());
    assert_eq!(by_address.len(), 2);
    assert!(by_address.values().all(|gap| *gap >= ADDRESS_DELAY - TRAVEL), "{by_address:?}");
    let denied: Vec<_> = log.iter().filter(|entry| entry.target.starts_with("/private")).collect();
    assert!(denied.is_empty(), "{denied:?}");
}

#[test]
fn the_default_pause_is_a_second() {
    let site = small(&["a.test"], |request| match request.path.as_str() {
        "/" | "/1" => page(["/1"]),
        _ => missing(),
    });
    let bench = Bench::new(Served::start(site));
    bench.start(&[&bench.at("a.test", "/")]).finish();
    let log = bench.site.log();
    let targets: Vec<&str> = log.iter().map(|entry| entry.target.as_str()).collect();
    assert_eq!(targets, ["/robots.txt", "/", "/1"]);
    let gaps = shortest_gaps(&log, |entry| entry.host.clone());
    assert!(gaps.values().all(|gap| *gap >= Duration::from_secs(1)), "{gaps:?}");
}

#[test]
fn a_crawl_delay_holds_whatever_the_rate_and_after_a_kill() {
    let site = small(&["a.test"], |request| match request.path.as_str() {
        "/robots.txt" => robots("User-agent: *\nCrawl-delay: 0.7\n"),
        "/" => page(["/1", "/2", "/3"]),
        _ => page([""; 0]),
    });
    let bench = Bench::new(Served::start(site));
    let start = bench.at("a.test", "/");
    let args = [&*start, "--rate=unlimited", "--connections-per-host=4"];
    let mut run = bench.start(&args);
    bench.site.wait_for(3, 0, || run.is_alive());
    run.kill();
    bench.start(&args).finish();
    let gaps = shortest_gaps(&bench.site.log(), |entry| entry.host.clone());
    assert!(gaps.values().all(|gap| *gap >= Duration::from_millis(700)), "{gaps:?}");
    assert_eq!(bench.kept().pages().len(), 4);
}

#[test]
fn nothing_is_asked_while_a_retry_after_lasts() {
    for (status, connections) in [(429, "1"), (503, "4")] {
        let asked = AtomicUsize::new(0);
        let site = small(&["a.test"], move |request| match request.path.as_str() {
            "/robots.txt" => missing(),
            "/" => page((0..30).map(|number| format!("/{number}"))),
            "/10" if asked.fetch_add(1, Ordering::Relaxed) == 0 => {
                Answer::new(status, "text/html", "<p>Not now.</p>").with("retry-after", "1")
            }
            _ => page(["/"]),
        });
        let bench = Bench::new(Served::start(site));
        let start = bench.at("a.test", "/");
        let connections_per_host = format!("--connections-per-host={connections}");
        bench.start(&[&start, "--rate=unlimited", &connections_per_host, "--linger=5s"]).finish();
        let log = bench.site.log();
        let refused = log.iter().find(|entry| entry.status == status).expect("it was asked");
        // What was under way at that moment could not know.
        let under_way = connections.parse::<usize>().unwrap() - 1;
        let during: Vec<&LogEntry> = log
            .iter()
            .filter(|entry| entry.us > refused.us + 20_000 && entry.us < refused.us + 1_000_000)
            .collect();
        assert!(during.is_empty(), "{during:?}");
        let close =
            log.iter().filter(|entry| entry.us > refused.us && entry.us < refused.us + 1_000_000).count();
        assert!(close <= under_way * 3, "{close} more requests after the host had said {status}");
        assert_eq!(bench.kept().pages().len(), 31);
    }
}

#[test]
fn what_robots_denies_is_never_requested_on_the_demo_site() {
    let demo = Arc::new(Demo::new(1, 1));
    let site = Served::start(demo.clone());
    let base = site.start_url();
    let truth = demo.truth(base.trim_end_matches('/'), TruthOptions::default());
    let denied: BTreeSet<String> = truth
        .pages
        .iter()
        .filter(|page| matches!(page.outcome, truth::Outcome::Disallowed { .. }))
        .map(|page| page.url.clone())
        .collect();
    assert!(denied.len() >= 3, "{denied:?}");
    let bench = Bench::new(site);
    // Denied URLs as start URLs, too: nobody's wish but the site's counts.
    let seeds = bench.folder.path().join("seeds");
    let lines: Vec<&str> = std::iter::once(base.as_str()).chain(denied.iter().map(String::as_str)).collect();
    std::fs::write(&seeds, lines.join("\n")).unwrap();
    let seeds = format!("--seeds={}", seeds.display());
    bench.start(&[&seeds, "--rate=unlimited", "--exclude=/calendar/*", "--retry-wait=20ms"]).finish();
    let log = bench.site.log();
    assert_robots_first(&log);
    assert!(log.len() > 300);
    let asked: Vec<String> = log.iter().map(url).filter(|url| denied.contains(url)).collect();
    assert_eq!(asked, [""; 0]);
    let kept = bench.kept();
    for url in &denied {
        assert!(matches!(kept.outcome(url), Outcome::Disallowed { line: Some(_) }), "{url}");
    }
}

#[test]
fn a_redirect_does_not_lead_past_robots() {
    let site = small(&["a.test", "b.test"], |request| {
        let port = request.host.rsplit(':').next().unwrap_or_default().to_owned();
        match request.path.as_str() {
            "/robots.txt" if request.host.starts_with("a.") => Answer::redirect(301, "/rules.txt"),
            "/rules.txt" => robots("User-agent: gannet\nDisallow: /secret\n"),
            "/robots.txt" => robots("User-agent: *\nDisallow: /\n"),
            "/" => page(["/go", "/away", "/open"]),
            "/go" => Answer::redirect(302, "/secret/1"),
            "/away" => Answer::redirect(302, &format!("http://b.test:{port}/closed")),
            _ => page(["/secret/2"]),
        }
    });
    let bench = Bench::new(Served::start(site));
    let start = bench.at("a.test", "/");
    bench.start(&[&start, "--scope=suffix:test", "--delay=20ms", "--address-delay=0ms"]).finish();
    let log = bench.site.log();
    assert_robots_first(&log);
    let asked: BTreeSet<String> = log.iter().map(url).collect();
    let expected =
        ["/robots.txt", "/rules.txt", "/", "/go", "/away", "/open"].map(|path| bench.at("a.test", path));
    let expected = expected.into_iter().chain([bench.at("b.test", "/robots.txt")]).collect();
    assert_eq!(asked, expected);
    let kept = bench.kept();
    for denied in
        [bench.at("a.test", "/secret/1"), bench.at("a.test", "/secret/2"), bench.at("b.test", "/closed")]
    {
        assert!(matches!(kept.outcome(&denied), Outcome::Disallowed { .. }), "{denied}");
    }
    let gaps = shortest_gaps(&log, |entry| entry.host.clone());
    assert!(gaps.values().all(|gap| *gap >= Duration::from_millis(20)), "{gaps:?}");
}

#[test]
fn while_robots_fails_no_page_is_requested() {
    for status in [500, 503, 429] {
        let site = small(&["a.test"], move |request| match request.path.as_str() {
            "/robots.txt" => Answer::new(status, "text/plain", "not today"),
            _ => page(["/1"]),
        });
        let bench = Bench::new(Served::start(site));
        let start = bench.at("a.test", "/");
        let args = [&*start, "--rate=unlimited", "--linger=1s"];
        for run in 0..2 {
            let said = bench.start(&args).wait();
            assert_eq!(said.code, Some(1), "nothing was fetched: {}", said.err);
            let targets: Vec<String> = bench.site.log().into_iter().map(|entry| entry.target).collect();
            assert_eq!(targets, ["/robots.txt"], "status {status}, run {run}");
        }
        assert!(bench.kept().outcome(&start).is_open());
    }
}
