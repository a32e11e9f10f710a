//! Killed while it indexes, or cut off from power: the index goes on from its last commit, and in the end holds what
//! was crawled, each once.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::process::Stdio;

use testkit::Seed;
use testkit::forgetful::{Event, Forget, Recorder};

use crate::process::{LONGEST, Running, eventually};
use crate::search::Desk;

/// Kills of the crawl that the index follows, of the making of the whole index, and power cuts; the long form has more.
const KILLS: usize = 5;
const CUTS: usize = 4;

fn times(short: usize) -> usize {
    std::env::var("GANNET_SOAK").map_or(short, |times| times.parse().unwrap())
}

#[test]
fn an_index_agrees_with_what_was_crawled_after_kills_at_any_moment() {
    let mut seed = Seed::from_env();
    let desk = Desk::shop();
    desk.crawl(&["--max-pages", "2"]);
    desk.ask(&["index", "create", "shop"]);
    let segments = desk.path("data/index/shop/documents/segments");
    let mut more: &[&str] = &[];
    for kill in 0..times(KILLS) {
        let before = desk.site.now();
        let mut run = desk.start(&desk.crawl_args(&[&["--rate", "100/s"], more].concat()));
        // At its start the index reads what the run before has left: half of the kills come then.
        let moment = if seed.chance(1, 2) {
            let requests = 5 + seed.below(80);
            desk.site.wait_for(requests, before, || run.is_alive());
            format!("after {requests} requests")
        } else {
            let changes = seed.below(20);
            wait_for_changes(&segments, changes, || run.is_alive());
            format!("after {changes} changes to the index")
        };
        // A crawl that has come to its end is begun anew.
        more = if run.is_alive() { &[] } else { &["--fresh"] };
        run.kill();
        println!("crawl killed {kill}: {moment}");
        // Not always: a search brings the index up to date.
        if seed.chance(1, 3) {
            desk.documents("shop");
        }
    }
    desk.crawl(&[]);
    check(&desk);

    for kill in 0..times(KILLS) {
        let mut run = desk.start(&desk.args(&["index", "rebuild", "shop"]));
        let files = seed.below(12);
        eventually("the index is being made", LONGEST, || {
            (files_in(&segments).len() >= files || !run.is_alive()).then_some(())
        });
        run.kill();
        println!("rebuild killed {kill}: at {files} files");
        if seed.chance(1, 3) {
            check(&desk);
        }
    }
    check(&desk);
}

fn files_in(dir: &Path) -> BTreeSet<std::ffi::OsString> {
    std::fs::read_dir(dir).into_iter().flatten().flatten().map(|file| file.file_name()).collect()
}

/// Waits until files have come or gone so many times, or the program has ended.
fn wait_for_changes(dir: &Path, changes: usize, mut alive: impl FnMut() -> bool) {
    let mut seen = files_in(dir);
    let mut counted = 0;
    eventually("the index changes", LONGEST, || {
        let now = files_in(dir);
        counted += now.symmetric_difference(&seen).count();
        seen = now;
        (counted >= changes || !alive()).then_some(())
    });
}

#[test]
fn an_index_agrees_with_what_was_crawled_after_a_crash_of_the_machine() {
    let mut seed = Seed::from_env();
    let desk = Desk::shop();
    let project = desk.path("project.yaml");
    let text = std::fs::read_to_string(&project).unwrap();
    std::fs::write(&project, format!("{text}index: {{}}\n")).unwrap();

    let recorder = Recorder::build();
    let whole = tempfile::tempdir().unwrap();
    let session = recorder.session(whole.path());
    let mut command = session.command(env!("CARGO_BIN_EXE_gannet"));
    // Slow enough for several commits of the index.
    command.args(desk.at(&whole.path().join("data")).crawl_args(&["--rate", "60/s", "--max-pages", "250"]));
    command.env("GANNET_CRAWL_HINTS", "false").stdout(Stdio::piped()).stderr(Stdio::piped());
    Running::watch(command.spawn().unwrap()).finish();
    let recording = session.finish();

    let near = commits(recording.events());
    println!("{} events, {} of them end commits of the index", recording.events().len(), near.len());
    assert!(near.len() > 2, "{} commits of the index", near.len());
    let cuts = times(CUTS);
    let mut moments: BTreeSet<usize> = recording.cuts(cuts / 4, &mut seed).into_iter().collect();
    while moments.len() < cuts {
        let moment = near[seed.below(near.len())] + seed.below(21);
        moments.insert(moment.saturating_sub(10).min(recording.events().len()));
    }
    let mut disk = recording.replay();
    for cut in moments {
        disk.advance_to(cut);
        let forget = if seed.chance(1, 4) { Forget::AllUnsynced } else { Forget::Some(seed.fork()) };
        let image = tempfile::tempdir().unwrap();
        disk.image(forget.clone(), image.path());
        println!("cut {cut}, {forget:?}");
        let desk = desk.at(&image.path().join("data"));
        desk.crawl(&[]);
        check_index(&desk, "demo-shop");
    }
}

/// Where the index had written a commit: its list of segments got its name.
fn commits(events: &[Event]) -> Vec<usize> {
    let mut lists = HashSet::new();
    let is_list = |path: &Path| path.ends_with("segments/meta.json");
    for event in events {
        if let Event::Create { inode, path } = event
            && is_list(path)
        {
            lists.insert(*inode);
        }
    }
    let ends = |event: &Event| match event {
        Event::Rename { to, .. } => is_list(to),
        Event::SyncFile { inode } => lists.contains(inode),
        _ => false,
    };
    events.iter().enumerate().filter(|(_, event)| ends(event)).map(|(at, _)| at + 1).collect()
}

fn check(desk: &Desk) {
    check_index(desk, "shop");
}

/// The index is up to date, has every row, and is what an index made from nothing would be.
fn check_index(desk: &Desk, name: &str) {
    let found = desk.documents(name);
    let status = desk.json(&["index", "status", name]).remove(0);
    assert_eq!(status["behind"], 0, "{status}");
    assert_eq!(status["documents"], found.len(), "{status}");
    let rows = desk.json(&["rows"]).len();
    assert_eq!(found.iter().filter(|id| id.starts_with("row ")).count(), rows);
    desk.ask(&["index", "create", "anew"]);
    assert_eq!(found, desk.documents("anew"));
    desk.ask(&["index", "drop", "anew"]);
}
