//! The torture web with an interrupted crawler: killed at any moment, or by a power cut, it goes on to every
//! legitimate page, true outcomes and no offence.
//!
//! Unlike the demo site it is not the same for a second visitor (hosts recover, a name changes its address), so what
//! is kept is compared with the web's own truth instead of another run.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;

use model::Outcome;
use tempfile::TempDir;
use testkit::Seed;
use testkit::forgetful::{Forget, Recorder};
use tokio::runtime::Runtime;
use webs::log::LogEntry;
use webs::torture::{Torture, TortureOptions, TortureServer};

use crate::gannet::gannet;
use crate::kept::Kept;
use crate::process::{LONGEST, Running, eventually};

const KILLS: usize = 3;
const KILLS_IN_SOAK: usize = 10;
const CUTS: usize = 1;

#[test]
fn a_crawl_of_the_torture_web_survives_kills_at_any_moment() {
    let mut seed = Seed::from_env();
    let soak = std::env::var("GANNET_SOAK").ok().map(|kills| kills.parse::<usize>().unwrap());
    let (all, each) = soak.map_or((KILLS, KILLS), |kills| (kills, KILLS_IN_SOAK));
    for round in 0..all.div_ceil(each) {
        let bench = Bench::new(&mut seed);
        let data = bench.folder.path().join("data");
        let kills = each.min(all - round * each);
        for life in 0..kills {
            let (before, wanted) = (bench.log().len(), 1 + seed.below(250));
            let mut run = bench.start(&data, life);
            eventually("requests reach the server", LONGEST, || {
                (bench.log().len() >= before + wanted || !run.is_alive()).then_some(())
            });
            run.kill();
            println!("killed after {} requests", bench.log().len() - before);
        }
        bench.start(&data, kills).finish();
        bench.check(&data, &bench.log(), kills as u64);
    }
}

#[test]
fn a_crawl_of_the_torture_web_survives_a_crash_of_the_machine() {
    let mut seed = Seed::from_env();
    let cuts = std::env::var("GANNET_SOAK").map_or(CUTS, |cuts| cuts.parse().unwrap());
    let bench = Bench::new(&mut seed);
    let recorder = Recorder::build();
    let whole = tempfile::tempdir().unwrap();
    let session = recorder.session(whole.path());
    let mut command = session.command(env!("CARGO_BIN_EXE_gannet"));
    command.args(bench.args(&whole.path().join("data"))).stdout(Stdio::piped()).stderr(Stdio::piped());
    Running::watch(command.spawn().unwrap()).finish();
    let recording = session.finish();
    let mut moments = recording.cuts(cuts, &mut seed);
    moments.sort_unstable();
    let mut disk = recording.replay();
    for cut in moments {
        disk.advance_to(cut);
        let forget = if seed.chance(1, 4) { Forget::AllUnsynced } else { Forget::Some(seed.fork()) };
        let (image, look) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        disk.image(forget.clone(), image.path());
        disk.image(forget.clone(), look.path());
        let kept = Kept::read_if_begun(&look.path().join("data"));
        let kept: BTreeSet<String> = kept.iter().flat_map(Kept::pages).map(str::to_owned).collect();
        let (data, before) = (image.path().join("data"), bench.log().len());
        bench.start(&data, 0).finish();
        let log = &bench.log()[before..];
        println!("cut {cut}, {forget:?}: {} pages left, {} requests to go on", kept.len(), log.len());
        let again: Vec<String> = log.iter().map(url).filter(|url| kept.contains(url)).collect();
        assert_eq!(again, [""; 0], "cut {cut}, {forget:?}: fetched again");
        bench.check(&data, log, 0);
    }
}

/// The web, served, and a place for data.
struct Bench {
    server: TortureServer,
    folder: TempDir,
    _runtime: Runtime,
}

impl Bench {
    fn new(seed: &mut Seed) -> Bench {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let number = seed.number();
        println!("torture web {number}");
        let server = runtime.block_on(Torture::start(number, TortureOptions::default())).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), server.ca()).unwrap();
        Bench { server, folder, _runtime: runtime }
    }

    fn args(&self, data: &Path) -> Vec<String> {
        let mut args = vec!["crawl".to_owned(), self.server.start_urls()[0].clone()];
        args.push(format!("--data={}", data.display()));
        args.push(format!("--dns={}", self.server.dns_addr()));
        args.push(format!("--ca={}", self.folder.path().join("ca.pem").display()));
        args.push(format!("--allow-addresses={}", self.server.truth().allowed));
        let settings = [
            "--scope=any",
            "--rate=unlimited",
            "--max-pages-per-host=100",
            "--timeout=5s",
            "--connect-timeout=4s",
            "--retry=1",
            "--retry-wait=20ms",
            "--linger=8s",
            "-q",
        ];
        args.extend(settings.map(str::to_owned));
        args
    }

    /// The crawl in one of its lives, which its `User-Agent` tells.
    fn start(&self, data: &Path, life: usize) -> Running {
        let mut args = self.args(data);
        args.push(format!("--contact=life-{life}@torture.test"));
        Running::start(&args.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn log(&self) -> Vec<LogEntry> {
        self.server.log().entries()
    }

    /// What is kept is what the truth says, and the log holds nothing against the crawler.
    #[track_caller]
    fn check(&self, data: &Path, log: &[LogEntry], kills: u64) {
        let kept = Kept::read(data);
        let truth = self.server.truth();
        let outcome = |url: &str| kept.urls.get(url).map(|record| &record.outcome);
        let wrong: Vec<String> = truth
            .urls
            .iter()
            .filter(|url| !match outcome(&url.url) {
                None => url.allows("unmet", None),
                Some(Outcome::Redirected { to }) => url.allows("redirected", Some(to.as_str())),
                Some(Outcome::Failed { error, .. } | Outcome::Retrying { error, .. }) => {
                    url.allows(&format!("failed {}", error.name()), None)
                }
                Some(other) => url.allows(other.name(), None),
            })
            .map(|url| format!("{}: {:?}", url.url, outcome(&url.url)))
            .collect();
        assert!(wrong.is_empty(), "{} outcomes are wrong:\n{}", wrong.len(), wrong.join("\n"));
        let offences: Vec<String> =
            truth.offences_despite(log, kills).iter().map(ToString::to_string).collect();
        assert!(offences.is_empty(), "{}", offences.join("\n"));
        let checked = gannet(&["check", "--data", data.to_str().unwrap()]);
        assert_eq!(checked.code, Some(0), "{}{}", checked.out, checked.err);
    }
}

fn url(entry: &LogEntry) -> String {
    let scheme = if entry.tls { "https" } else { "http" };
    format!("{scheme}://{}{}", entry.host, entry.target)
}
