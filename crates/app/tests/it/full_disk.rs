//! A disk that is full: the program pauses, says so, goes on by itself, and keeps what it had.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use testkit::forgetful::{Event, Recorder};
use testkit::{Seed, SmallDisk};
use webs::demo::Demo;

use crate::gannet::gannet;
use crate::kept::{Kept, assert_same};
use crate::process::{LONGEST, Running, eventually};
use crate::served::Served;

/// Crawls that meet a full disk; the full form has more.
const CRAWLS: usize = 5;

/// Calls that fail in a row at most.
const LONGEST_FULL: usize = 12;

fn args(site: &Served, data: &Path, more: &[&str]) -> Vec<String> {
    let start = format!("{}docs/", site.start_url());
    let mut args = vec!["crawl".to_owned(), start, format!("--data={}", data.display())];
    // So that there are many small commits, and several archive files.
    let settings = ["--allow-private", "--include=/docs/*", "--rate=50/s", "--warc-size=64KiB"];
    args.extend(settings.iter().chain(more).map(ToString::to_string));
    args
}

fn run(args: &[String]) -> Running {
    Running::start(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

fn assert_sound(data: &Path, expected: &Kept) {
    assert_same(expected, &Kept::read(data));
    let checked = gannet(&["check", "--data", data.to_str().unwrap()]);
    assert_eq!(checked.code, Some(0), "{}{}", checked.out, checked.err);
}

#[test]
fn a_crawl_whose_writes_fail_for_want_of_room_ends_with_the_same_pages() {
    let site = Served::start(Arc::new(Demo::new(1, 1)));
    let mut seed = Seed::from_env();
    let crawls = std::env::var("GANNET_SOAK").map_or(CRAWLS, |crawls| crawls.parse().unwrap());
    let recorder = Recorder::build();
    // What fails: the store, the archive, or anything of the data directory.
    let parts = ["data/crawl/", "data/archive/00001/0", "data/"];
    let mut calls = [0; 3];
    let mut expected = None;
    for (part, calls) in parts.iter().zip(&mut calls) {
        let folder = tempfile::tempdir().unwrap();
        let session = recorder.session(folder.path());
        let mut command =
            session.command_on_full_disk(env!("CARGO_BIN_EXE_gannet"), u32::MAX.into(), 0, part);
        command.args(args(&site, &folder.path().join("data"), &[]));
        Running::watch(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()).finish();
        let recording = session.finish();
        let Some(Event::NeededRoom { calls: counted }) = recording.events().last() else {
            panic!("no count")
        };
        *calls = *counted as usize;
        expected = Some(Kept::read(&folder.path().join("data")));
    }
    let expected = expected.unwrap();
    println!("{} pages; calls that need room: {parts:?} {calls:?}", expected.pages().len());

    for crawl in 0..crawls {
        let which = crawl % parts.len();
        let (first, count) = (seed.below(calls[which]), 1 + seed.below(LONGEST_FULL));
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let session = recorder.session(folder.path());
        let program = env!("CARGO_BIN_EXE_gannet");
        let mut command = session.command_on_full_disk(program, first as u64, count as u64, parts[which]);
        command.args(args(&site, &data, &[])).stdout(Stdio::piped()).stderr(Stdio::piped());
        let said = Running::watch(command.spawn().unwrap()).wait();
        let recording = session.finish();
        let failed = recording.events().iter().filter(|event| matches!(event, Event::Full { .. })).count();
        println!("{}: {failed} calls from {first} on fail: exit {:?}", parts[which], said.code);
        // Before a run has begun nothing waits; the catalog and the index, written at its end, do not either.
        let begun = said.err.contains("crawling ");
        if said.code != Some(0) {
            assert!(!begun || which == 2, "a run that has begun goes on: {}", said.err);
            assert!(said.err.contains("gannet: "), "{}", said.err);
            assert_ne!(said.code, Some(4), "a full disk is no damage: {}", said.err);
            run(&args(&site, &data, &["-q"])).finish();
        }
        assert_sound(&data, &expected);
    }
}

#[test]
fn a_crawl_says_that_its_disk_is_full_and_goes_on_when_there_is_room() {
    let Some(disk) = SmallDisk::mount("the program on a full disk", 160 << 20) else { return };
    let site = Served::start(Arc::new(Demo::new(1, 1)));
    let whole = tempfile::tempdir().unwrap();
    run(&args(&site, &whole.path().join("data"), &["-q"])).finish();
    let expected = Kept::read(&whole.path().join("data"));

    let data = disk.path().join("data");
    let before = site.now();
    let mut crawl = run(&args(&site, &data, &["--min-free-space=40MiB"]));
    site.wait_for(10, before, || crawl.is_alive());
    assert!(crawl.is_alive(), "{}", crawl.errors());
    disk.fill(0);
    eventually("the pause is told", LONGEST, || crawl.errors().contains("paused: disk: ").then_some(()));
    let asked = gannet(&["hosts", "--data", data.to_str().unwrap()]);
    assert_eq!(asked.code, Some(0), "{}", asked.err);
    assert!(asked.err.contains("gannet: the crawl is paused: disk: "), "{}", asked.err);
    assert!(crawl.is_alive());
    disk.clear();
    let said = crawl.finish();
    assert!(said.err.contains("free some space, the run goes on by itself"), "{}", said.err);
    assert!(!data.join("reserve").exists());
    assert_sound(&data, &expected);
}
