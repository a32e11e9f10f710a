//! Limits hold exactly on every path: fresh, resumed after a stop, resumed after a kill, on one connection and on
//! many, with redirects and failures in between. Measured from the tables and from the server's log.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use model::{Limit, Outcome};
use tempfile::TempDir;
use webs::{Answer, Request};

use crate::gannet::Said;
use crate::kept::{Kept, archive_folder};
use crate::process::Running;
use crate::served::{Served, missing, robots, small};

/// Body of each page of the web below.
const PAGE: u64 = 2_000;

/// Pages of one host: the home page, 40 below it, 40 below those, and 7 that only redirects lead to.
const PAGES: u64 = 88;

/// A page of exactly `PAGE` bytes.
fn page(links: impl IntoIterator<Item = String>) -> Answer {
    let mut body = String::from("<!doctype html><title>A page</title>\n");
    links.into_iter().for_each(|to| body.push_str(&format!("<a href={to}>x</a>\n")));
    body.push_str(&" ".repeat(PAGE as usize - body.len()));
    Answer::new(200, "text/html", body)
}

/// Two hosts of `PAGES` pages, with redirects, dead links and files among their links.
fn web(request: &Request) -> Answer {
    let (place, number) = request.path[1..].split_once('/').unwrap_or((&request.path[1..], ""));
    match place {
        "robots.txt" => robots("User-agent: *\nDisallow: /closed\n"),
        "" => page((0..40).map(|number| format!("/a/{number}")).chain(["/closed".to_owned()])),
        "a" => {
            let other = match number {
                "0" => format!("//{}/", other_host(&request.host)),
                _ if number.ends_with('4') => format!("/gone/{number}"),
                _ if number.ends_with('5') => format!("/files/{number}"),
                _ if number.len() == 1 => format!("/moved/{number}"),
                _ => format!("/broken/{number}"),
            };
            page([format!("/b/{number}"), other])
        }
        "b" | "c" => page(["/".to_owned()]),
        "moved" => Answer::redirect(302, &format!("/c/{number}")),
        "files" => Answer::new(200, "application/zip", "PK"),
        "broken" => Answer::new(500, "text/html", "<p>Sorry.</p>"),
        _ => missing(),
    }
}

fn other_host(host: &str) -> String {
    match host.strip_prefix("a.") {
        Some(rest) => format!("b.{rest}"),
        None => host.replacen("b.", "a.", 1),
    }
}

struct Bench {
    site: Served,
    folder: TempDir,
    connections: [String; 2],
}

impl Bench {
    fn new(connections: u32) -> Bench {
        let site = Served::start(small(&["a.test", "b.test"], web));
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("hosts"), site.hosts_file()).unwrap();
        let connections = [
            format!("--connections={connections}"),
            format!("--connections-per-host={}", connections.min(8)),
        ];
        Bench { site, folder, connections }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn url(&self, path: &str) -> String {
        format!("http://a.test:{}{path}", self.site.port())
    }

    fn start(&self, args: &[&str]) -> Running {
        let data = format!("--data={}", self.data().display());
        let hosts = format!("--hosts={}", self.folder.path().join("hosts").display());
        let start = self.url("/");
        let mut all =
            vec!["crawl", &start, "-q", "--allow-private", &data, &hosts, "--retry=1", "--linger=3s"];
        all.extend(["--retry-wait=20ms"].iter().chain(&self.connections.each_ref().map(String::as_str)));
        all.extend(args);
        Running::start(&all)
    }

    fn run(&self, args: &[&str]) -> Said {
        self.start(args).finish()
    }

    fn kept(&self) -> Kept {
        Kept::read(&self.data())
    }

    /// Runs by this path until the limit ends it.
    fn run_by(&self, path: Path, args: &[&str]) -> Said {
        if path != Path::Fresh {
            let mut run = self.start(args);
            self.site.wait_for(9, 0, || run.is_alive());
            match path {
                Path::Killed => run.kill(),
                _ => {
                    run.signal("TERM");
                    let code = run.wait().code;
                    assert!(matches!(code, Some(0 | 130)), "{code:?}");
                }
            }
        }
        self.run(args)
    }

    /// Pages that the server has sent.
    fn pages_sent(&self) -> u64 {
        let pages = self.site.log().into_iter().filter(|entry| {
            entry.status == 200 && entry.target != "/robots.txt" && !entry.target.starts_with("/files/")
        });
        pages.count() as u64
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Path {
    Fresh,
    Stopped,
    Killed,
}

/// Every path on one connection and on many.
fn on_every_path(check: impl Fn(&Bench, Path)) {
    for connections in [1, 64] {
        for path in [Path::Fresh, Path::Stopped, Path::Killed] {
            println!("{path:?}, {connections} connections");
            check(&Bench::new(connections), path);
        }
    }
}

#[test]
fn max_pages_holds_exactly_and_can_be_raised() {
    on_every_path(|bench, path| {
        let said = bench.run_by(path, &["--rate=unlimited", "--max-pages=37"]);
        assert!(said.out.starts_with("max_pages reached"), "{}", said.out);
        assert_eq!(bench.kept().pages().len(), 37);
        if path != Path::Killed {
            assert_eq!(bench.pages_sent(), 37, "no page is fetched that is not kept");
        }
        let before = bench.site.now();
        bench.run(&["--rate=unlimited", "--max-pages=37"]);
        assert_eq!(bench.site.since(before), [], "the same command again asks for nothing");
        bench.run(&["--rate=unlimited", "--max-pages=50"]);
        assert_eq!(bench.kept().pages().len(), 50);
        let said = bench.run(&["--rate=unlimited"]);
        assert!(said.out.starts_with("complete"), "{}", said.out);
        assert_eq!(bench.kept().pages().len() as u64, PAGES);
    });
}

#[test]
fn max_depth_holds_exactly_and_can_be_raised() {
    on_every_path(|bench, path| {
        let said = bench.run_by(path, &["--rate=unlimited", "--max-depth=1"]);
        assert!(said.out.starts_with("complete"), "{}", said.out);
        let deep = |target: &str| !["/", "/robots.txt"].contains(&target) && !target.starts_with("/a/");
        let asked: BTreeSet<String> = bench.site.log().into_iter().map(|entry| entry.target).collect();
        assert_eq!(asked.iter().find(|target| deep(target)), None);
        let kept = bench.kept();
        assert_eq!(kept.pages().len(), 41);
        assert_eq!(kept.outcome(&bench.url("/b/0")), &Outcome::OverLimit { limit: Limit::Depth });
        bench.run(&["--rate=unlimited", "--max-depth=2"]);
        assert_eq!(bench.kept().pages().len() as u64, PAGES);
    });
}

#[test]
fn max_pages_per_host_holds_exactly_and_can_be_raised() {
    on_every_path(|bench, path| {
        let args = ["--rate=unlimited", "--scope=suffix:test", "--max-pages-per-host"];
        let said = bench.run_by(path, &[args[0], args[1], args[2], "13"]);
        assert!(said.out.starts_with("complete"), "{}", said.out);
        let count = |kept: &Kept, host: &str| {
            kept.pages().into_iter().filter(|url| url.starts_with(&format!("http://{host}"))).count() as u64
        };
        let kept = bench.kept();
        assert_eq!((count(&kept, "a.test"), count(&kept, "b.test")), (13, 13));
        if path == Path::Fresh {
            assert_eq!(bench.pages_sent(), 26);
        }
        bench.run(&[args[0], args[1], args[2], "20"]);
        let kept = bench.kept();
        assert_eq!((count(&kept, "a.test"), count(&kept, "b.test")), (20, 20));
        bench.run(&[args[0], args[1]]);
        let kept = bench.kept();
        assert_eq!((count(&kept, "a.test"), count(&kept, "b.test")), (PAGES, PAGES));
    });
}

#[test]
fn max_bytes_holds_exactly_and_can_be_raised() {
    on_every_path(|bench, path| {
        // Room for 30 pages, and for half of another one.
        let said = bench.run_by(
            path,
            &["--rate=unlimited", "--order=breadth-first", "--max-bytes=61KB", "--max-body=2KB"],
        );
        assert!(said.out.starts_with("max_bytes reached"), "{}", said.out);
        let kept = bench.kept();
        let other: u64 = kept
            .visits
            .values()
            .flatten()
            .filter(|visit| visit.title.is_none())
            .map(|visit| visit.bytes)
            .sum();
        assert_eq!(
            kept.stats.bytes,
            kept.pages().len() as u64 * PAGE + other,
            "errors and redirects count, too"
        );
        assert!(kept.stats.bytes <= 61_000 && kept.pages().len() >= 29, "{} bytes", kept.stats.bytes);
        let whole = kept.visits.values().flatten().filter(|visit| visit.title.is_some());
        assert!(whole.clone().all(|visit| visit.cut.is_none() && visit.bytes == PAGE));
        bench.run(&["--rate=unlimited", "--order=breadth-first", "--max-bytes=80KB", "--max-body=2KB"]);
        assert_eq!(bench.kept().stats.bytes, 80_000, "to the last byte");
        bench.run(&["--rate=unlimited"]);
        let kept = bench.kept();
        assert_eq!(kept.stats.bytes, kept.visits.values().flatten().map(|visit| visit.bytes).sum::<u64>());
        assert_eq!(kept.pages().len() as u64, PAGES);
    });
}

#[test]
fn walltime_ends_a_run_and_counts_over_all_runs() {
    let bench = Bench::new(4);
    let args = ["--rate=20/s", "--walltime=2s"];
    let span = |since: u64| {
        let log = bench.site.since(since);
        Duration::from_micros(log.last().map_or(0, |last| last.us) - log.first().map_or(0, |first| first.us))
    };
    let mut run = bench.start(&args);
    bench.site.wait_for(12, 0, || run.is_alive());
    run.signal("INT");
    run.wait();
    let first = span(0);
    let between = bench.site.now();
    let said = bench.run(&args);
    assert!(said.out.starts_with("walltime over"), "{}", said.out);
    let second = span(between);
    assert!(first + second <= Duration::from_millis(2_000), "{first:?} and {second:?}");
    assert!(first + second >= Duration::from_millis(1_000), "{first:?} and {second:?}");
    let kept = bench.kept();
    assert!(kept.stats.running_millis >= 2_000, "{}", kept.stats.running_millis);
    assert!((kept.pages().len() as u64) < PAGES);
    let before = bench.site.now();
    bench.run(&args);
    assert_eq!(bench.site.since(before), [], "its time is over");
    bench.run(&["--rate=unlimited", "--walltime=40s"]);
    assert_eq!(bench.kept().pages().len() as u64, PAGES);
}

#[test]
fn a_slow_answer_does_not_outlast_the_walltime() {
    let site = small(&["a.test"], |request| match request.path.as_str() {
        "/" => {
            let mut answer = page([]);
            answer.delay = Duration::from_secs(20);
            answer
        }
        _ => missing(),
    });
    let bench = Bench { site: Served::start(site), ..Bench::new(1) };
    std::fs::write(bench.folder.path().join("hosts"), bench.site.hosts_file()).unwrap();
    let said = bench.start(&["--rate=unlimited", "--walltime=1s"]).wait();
    assert!(said.out.starts_with("walltime over"), "{}", said.out);
    assert_eq!(said.code, Some(1), "nothing was fetched");
    let kept = bench.kept();
    assert!((1_000..3_000).contains(&kept.stats.running_millis), "{}", kept.stats.running_millis);
    assert_eq!(kept.outcome(&bench.url("/")), &Outcome::Waiting);
}

#[test]
fn fresh_starts_over_and_leaves_nothing_of_before() {
    let bench = Bench::new(8);
    bench.run(&["--rate=unlimited", "--max-pages=20"]);
    let old = archive_folder(&bench.data());
    let before = bench.site.now();
    bench.run(&["--rate=unlimited", "--max-pages=10", "--fresh"]);
    let new = archive_folder(&bench.data());
    assert_ne!(old, new, "another crawl has another archive");
    assert!(!old.exists());
    let kept = bench.kept();
    assert_eq!(kept.pages().len(), 10);
    let asked: Vec<String> = bench.site.since(before).into_iter().map(|entry| entry.target).collect();
    assert!(asked.contains(&"/".to_owned()), "{asked:?}");
    // Killed while it starts over: the next start finds the one state or the other.
    let before = bench.site.now();
    let mut run = bench.start(&["--rate=unlimited", "--fresh"]);
    bench.site.wait_for(5, before, || run.is_alive());
    run.kill();
    bench.run(&["--rate=unlimited"]);
    assert_eq!(bench.kept().pages().len() as u64, PAGES);
    assert_ne!(archive_folder(&bench.data()), new);
}

#[test]
fn a_finished_crawl_ends_at_once_and_asks_for_nothing() {
    let bench = Bench::new(8);
    bench.run(&["--rate=unlimited"]);
    let before = bench.site.now();
    let said = bench.run(&["--rate=unlimited"]);
    assert!(said.out.starts_with("complete"), "{}", said.out);
    assert_eq!(bench.site.since(before), []);
    assert_eq!(bench.kept().pages().len() as u64, PAGES);
}
