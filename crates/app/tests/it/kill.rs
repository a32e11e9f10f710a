//! Killed at any moment, resumed by the same command: the same pages, links, depths and outcomes as without.
//!
//! What depends on time is kept out, so that equality is exact and fair: the demo site is shown in an epoch in
//! which nothing is under maintenance, its endless calendar is excluded, and the generated web's 503 answers end
//! sooner than the run lingers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use testkit::Seed;
use webs::demo::Demo;
use webs::generated::{Generated, GeneratedWeb};

use crate::gannet::gannet;
use crate::kept::{Kept, assert_same};
use crate::process::{LONGEST, Running, eventually};
use crate::served::{Served, url};

/// Kills in one crawl; the full form has more of them, in several crawls.
const KILLS: usize = 5;
const KILLS_IN_SOAK: usize = 20;

#[test]
fn a_crawl_of_the_demo_site_survives_kills_at_any_moment() {
    let site = Served::start(Arc::new(Demo::new(1, 1)));
    let bench = Bench::new(site, |site| {
        vec![site.start_url(), "--exclude=/calendar/*".into(), "--duplicates=winnowing".into()]
    });
    bench.kill_and_resume(300);
}

/// Rows are committed with their page: the same ones come of a crawl that was killed.
#[test]
fn rows_of_the_demo_shop_survive_kills_at_any_moment() {
    let site = Served::start(Arc::new(Demo::new(1, 1)));
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("demo-shop.yaml");
    let example = include_str!("../../../../docs/examples/demo-shop.yaml");
    std::fs::write(&project, example.replace("http://127.0.0.1:8080/", &site.start_url())).unwrap();
    let bench = Bench::new(site, |_| vec![format!("--project={}", project.display())]);
    bench.kill_and_resume(50);
}

#[test]
fn a_crawl_of_fifty_hosts_survives_kills_at_any_moment() {
    let shape = Generated {
        page_bytes: (2_000, 4_000),
        slow_per_mille: 2,
        recovers_after: Duration::from_millis(1_500),
        ..Generated::default()
    };
    let site = Served::start(Arc::new(GeneratedWeb::new(shape.clone()).unwrap()));
    let bench = Bench::new(site, |site| vec![shape.start_url(site.port()), "--scope=suffix:test".into()]);
    bench.kill_and_resume(300);
}

/// A served web, the command that crawls it, and places for data.
struct Bench {
    site: Served,
    folder: TempDir,
    args: Vec<String>,
}

impl Bench {
    fn new(site: Served, args: impl FnOnce(&Served) -> Vec<String>) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let hosts = folder.path().join("hosts");
        std::fs::write(&hosts, site.hosts_file()).unwrap();
        let mut args = args(&site);
        args.push(format!("--hosts={}", hosts.display()));
        args.extend(
            ["--allow-private", "--rate=unlimited", "--retry-wait=50ms", "--linger=4s", "-q"]
                .map(str::to_owned),
        );
        Bench { site, folder, args }
    }

    fn data(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn start(&self, data: &Path) -> Running {
        let data = format!("--data={}", data.display());
        let mut args = vec!["crawl", &data];
        args.extend(self.args.iter().map(String::as_str));
        Running::start(&args)
    }

    fn kill_and_resume(&self, fewest_pages: usize) {
        let mut seed = Seed::from_env();
        let whole = self.data("whole");
        self.start(&whole).finish();
        let expected = Kept::read(&whole);
        let requests = self.site.log().len();
        println!("uninterrupted: {} pages, {requests} requests", expected.pages().len());
        assert!(expected.pages().len() > fewest_pages);

        let soak = std::env::var("GANNET_SOAK").ok().map(|kills| kills.parse::<usize>().unwrap());
        let (all, each) = soak.map_or((KILLS, KILLS), |kills| (kills, KILLS_IN_SOAK));
        for round in 0..all.div_ceil(each) {
            self.round(&expected, requests, round, each.min(all - round * each), &mut seed);
        }
    }

    /// One crawl, killed so often and then left to end.
    fn round(&self, expected: &Kept, requests: usize, round: usize, kills: usize, seed: &mut Seed) {
        let data = self.data(&format!("killed-{round}"));
        let mut committed = Vec::new();
        for kill in 0..kills {
            let moment = Moment::pick(seed, kill, requests / (kills + 1));
            let before = self.site.now();
            let mut run = self.start(&data);
            moment.wait(&self.site, before, &data, &mut run);
            assert!(run.is_alive(), "killed in the middle of its work: {}", run.errors());
            run.kill();
            println!("kill {kill}: {moment:?}, {} requests", self.site.since(before).len());
            // Not always: a look into the store mends what the next run should have to mend.
            if seed.chance(1, 2)
                && let Some(kept) = Kept::read_if_begun(&data)
            {
                let pages: BTreeSet<String> = kept.pages().into_iter().map(str::to_owned).collect();
                println!("  {} pages are kept", pages.len());
                committed.push((self.site.now(), pages));
            }
        }
        self.start(&data).finish();
        let found = Kept::read(&data);
        assert_same(expected, &found);
        for (then, pages) in committed {
            let again =
                self.site.since(then).into_iter().map(|entry| url(&entry)).find(|url| pages.contains(url));
            assert_eq!(again, None, "a page that was kept is not fetched again");
        }
        let checked = gannet(&["check", "--data", data.to_str().unwrap()]);
        assert_eq!(checked.code, Some(0), "{}{}", checked.out, checked.err);
    }
}

/// When a run is killed.
#[derive(Debug)]
enum Moment {
    /// At once: it may not even have begun.
    Started,
    /// When this file of the data directory appears.
    Appears(&'static str),
    /// When the server has got this many requests of the run.
    Requests(usize),
}

impl Moment {
    /// The first kill comes while the directory is made, the others in the middle of work.
    fn pick(seed: &mut Seed, kill: usize, most: usize) -> Moment {
        match (kill, seed.below(4)) {
            (0, 0) => Moment::Started,
            (0, 1) => Moment::Appears("VERSION"),
            (0, 2) => Moment::Appears("gannet.db"),
            (0, _) => Moment::Appears("archive"),
            (_, _) if seed.chance(1, 12) => Moment::Started,
            _ => Moment::Requests(1 + seed.below(most)),
        }
    }

    fn wait(&self, site: &Served, before: u64, data: &Path, run: &mut Running) {
        match self {
            Moment::Started => {}
            Moment::Appears(name) => {
                eventually("the directory is made", LONGEST, || {
                    (data.join(name).exists() || !run.is_alive()).then_some(())
                });
            }
            Moment::Requests(count) => site.wait_for(*count, before, || run.is_alive()),
        }
    }
}
