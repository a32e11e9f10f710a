//! A machine that falls asleep: the program is stopped in mid-crawl for longer than its time limits, and goes on.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use webs::demo::Demo;

use crate::kept::{Kept, assert_same};
use crate::process::{LONGEST, Running, eventually};
use crate::served::{Served, shortest_gaps};

const DELAY: Duration = Duration::from_millis(60);

/// Longer than the time that an answer may take.
const ASLEEP: Duration = Duration::from_millis(2_500);

/// Times it falls asleep, each after so many requests.
const NAPS: usize = 3;
const REQUESTS: usize = 12;

fn start(site: &Served, data: &Path) -> Running {
    let (url, data) = (format!("{}docs/", site.start_url()), format!("--data={}", data.display()));
    let settings = [
        "--allow-private",
        "--include=/docs/*",
        "--delay=60ms",
        "--max-earned-delay=60ms",
        "--timeout=2s",
        "-q",
    ];
    Running::start(&[&["crawl", &url, &data][..], &settings].concat())
}

#[test]
#[expect(clippy::disallowed_methods, reason = "that time passes is what is tested")]
fn a_crawl_that_is_suspended_goes_on_without_a_flood_and_loses_nothing() {
    let site = Served::start(Arc::new(Demo::new(1, 1)));
    let folder = tempfile::tempdir().unwrap();
    let (awake, asleep) = (folder.path().join("awake"), folder.path().join("asleep"));
    start(&site, &awake).finish();

    let then = site.now();
    let mut run = start(&site, &asleep);
    for nap in 1..=NAPS {
        site.wait_for(nap * REQUESTS, then, || run.is_alive());
        run.signal("STOP");
        let (began, asked) = (Instant::now(), site.since(then).len());
        eventually("it sleeps", LONGEST, || (began.elapsed() >= ASLEEP).then_some(()));
        let more = site.since(then).len() - asked;
        assert!(more <= 1, "{more} requests while it slept");
        run.signal("CONT");
    }
    run.finish();
    assert_same(&Kept::read(&awake), &Kept::read(&asleep));
    let gaps = shortest_gaps(&site.since(then), |entry| entry.host.clone());
    assert!(gaps.values().all(|gap| *gap >= DELAY), "{gaps:?}");
}
