//! Power cuts: a whole crawl by the real program is recorded on a disk that forgets what was not synced, the disk
//! is rebuilt as a cut may have left it, and the same command resumes there.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use testkit::Seed;
use testkit::forgetful::{Event, Forget, Recorder};
use webs::demo::Demo;

use crate::gannet::gannet;
use crate::kept::{Kept, assert_same};
use crate::process::Running;
use crate::served::{Served, url};

/// Power cuts tried; the full form has more.
const CUTS: usize = 5;

fn args(site: &Served, base: &Path) -> Vec<String> {
    let data = format!("--data={}", base.join("data").display());
    let start = format!("{}docs/", site.start_url());
    let mut args = vec!["crawl".to_owned(), start, data];
    args.extend(
        // So that there are many small commits, and several archive files.
        ["-q", "--allow-private", "--include=/docs/*", "--rate=100/s", "--warc-size=64KiB"]
            .map(str::to_owned),
    );
    args
}

fn pages(kept: Option<&Kept>) -> BTreeSet<String> {
    kept.map(|kept| kept.pages().into_iter().map(str::to_owned).collect()).unwrap_or_default()
}

/// When a group of visits had become durable: each sync of the store's journal.
fn commits(events: &[Event]) -> Vec<usize> {
    let mut journals = HashSet::new();
    let mut commits = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Create { inode, path } if path.extension().is_some_and(|name| name == "jnl") => {
                journals.insert(*inode);
            }
            Event::SyncFile { inode } if journals.contains(inode) => commits.push(at + 1),
            _ => {}
        }
    }
    commits
}

/// What a look at the disk finds, without touching it: on another copy.
fn look(image: impl Fn(&Path)) -> Option<Kept> {
    let copy = tempfile::tempdir().unwrap();
    image(copy.path());
    Kept::read_if_begun(&copy.path().join("data"))
}

#[test]
fn a_crawl_survives_a_crash_of_the_machine_at_any_moment() {
    let site = Served::start(Arc::new(Demo::new(1, 1)));
    let mut seed = Seed::from_env();
    let cuts = std::env::var("GANNET_SOAK").map_or(CUTS, |cuts| cuts.parse().unwrap());

    let recorder = Recorder::build();
    let whole = tempfile::tempdir().unwrap();
    let session = recorder.session(whole.path());
    let mut command = session.command(env!("CARGO_BIN_EXE_gannet"));
    command.args(args(&site, whole.path())).stdout(Stdio::piped()).stderr(Stdio::piped());
    Running::watch(command.spawn().unwrap()).finish();
    let recording = session.finish();
    let expected = Kept::read(&whole.path().join("data"));
    println!("{} pages, {} events", expected.pages().len(), recording.events().len());
    assert!((30..200).contains(&expected.pages().len()), "{} pages", expected.pages().len());

    let commits = commits(recording.events());
    println!("{} commits", commits.len());
    // Most events make the directory; as many cuts again where the pages come in.
    let mut moments: BTreeSet<usize> = recording.cuts(cuts / 2, &mut seed).into_iter().collect();
    while moments.len() < cuts {
        let near = commits[seed.below(commits.len())] + seed.below(9);
        moments.insert(near.saturating_sub(4).min(recording.events().len()));
    }
    let mut disk = recording.replay();
    let mut at_commit = recording.replay();
    for cut in moments {
        disk.advance_to(cut);
        // What the program could see when it committed last before the cut is what it may count on.
        at_commit.advance_to(commits.iter().copied().rfind(|commit| *commit <= cut).unwrap_or(0));
        let promised = pages(look(|into| at_commit.image(Forget::Nothing, into)).as_ref());

        let forget = if seed.chance(1, 4) { Forget::AllUnsynced } else { Forget::Some(seed.fork()) };
        let kept = pages(look(|into| disk.image(forget.clone(), into)).as_ref());
        let lost = promised.difference(&kept).count();
        assert_eq!(lost, 0, "cut {cut}, {forget:?}: of {} pages committed", promised.len());
        let image = tempfile::tempdir().unwrap();
        disk.image(forget.clone(), image.path());
        let then = site.now();
        let args = args(&site, image.path());
        Running::start(&args.iter().map(String::as_str).collect::<Vec<_>>()).finish();
        let again: Vec<String> = site.since(then).iter().map(url).filter(|url| kept.contains(url)).collect();
        println!("cut {cut}: {} pages left, {} requests to go on", kept.len(), site.since(then).len());
        assert_eq!(again, [""; 0], "cut {cut}, {forget:?}: fetched again");
        let data = image.path().join("data");
        assert_same(&expected, &Kept::read(&data));
        let checked = gannet(&["check", "--data", data.to_str().unwrap()]);
        assert_eq!(checked.code, Some(0), "cut {cut}, {forget:?}: {}{}", checked.out, checked.err);
    }
}
