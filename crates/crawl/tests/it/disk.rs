//! A disk that fills up under a run: it pauses, says why, and goes on by itself.

use std::collections::BTreeMap;
use std::time::Duration;

use crawl::{EndReason, Pause};
use model::{CrawlSettings, Size};
use testkit::{Seed, SmallDisk};

use crate::bench_site::{Bench, CRAWL};
use crate::site::{Site, after, html, not_found, page};

const PAGES: usize = 100;
const MIB: u64 = 1 << 20;

/// A start page and many more, 40 kB of noise each, so that little of it can be compressed.
async fn noisy_site() -> Site {
    Site::serve(|request| match request.path.as_str() {
        "/robots.txt" => not_found(),
        "/" => {
            let links: Vec<String> = (0..PAGES).map(|number| format!("/page/{number}")).collect();
            page("Start", &links.iter().map(String::as_str).collect::<Vec<_>>())
        }
        path => {
            let number = path.bytes().fold(7, |number: u64, byte| number * 31 + u64::from(byte));
            let noise: String =
                Seed::new(number).bytes(20_000).iter().map(|byte| format!("{byte:02x}")).collect();
            after(20, html(&format!("<!doctype html><title>{path}</title><p>{noise}")))
        }
    })
    .await
}

fn bench(disk: &SmallDisk) -> Bench {
    Bench::over(tempfile::tempdir_in(disk.path()).unwrap())
}

fn times_asked(site: &Site) -> BTreeMap<String, usize> {
    site.asked_paths().into_iter().fold(BTreeMap::new(), |mut times, path| {
        *times.entry(path).or_default() += 1;
        times
    })
}

fn assert_whole(bench: &Bench) {
    assert_eq!(frontier::audit(&bench.store, CRAWL).unwrap(), []);
    let fetched = bench.urls().values().filter(|record| record.outcome == model::Outcome::Fetched).count();
    assert_eq!(fetched, PAGES + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_pauses_while_room_is_short_and_goes_on_by_itself() {
    let Some(disk) = SmallDisk::mount("a run on a disk that gets full", 160 * MIB) else { return };
    let site = noisy_site().await;
    let bench = bench(&disk);
    let watch = |crawl: &mut CrawlSettings| crawl.min_free_space = Size::from_bytes(40 * MIB);
    let run = bench.start(site.project(&bench, &[site.url("/")], watch));
    let mut progress = run.progress();
    site.has_been_asked(10).await;
    let reserve = bench.dir.path().join("reserve");
    assert!(reserve.metadata().unwrap().len() > 0);
    disk.fill(30 * MIB);
    let held = progress.wait_for(|now| now.paused.is_some() && now.slots_busy == 0).await.unwrap().clone();
    let Some(Pause::Disk { free, needed }) = held.paused else { panic!("{:?}", held.paused) };
    assert!(free < needed && needed >= 40 * MIB, "{free} of {needed}");
    let asked = site.asked().len();
    assert!(asked < PAGES, "{asked} requests");
    for _ in 0..8 {
        progress.changed().await.unwrap();
    }
    assert_eq!(site.asked().len(), asked, "requests during the pause");
    disk.clear();
    let ended = run.wait().await.unwrap();
    assert_eq!(ended.reason, EndReason::Complete);
    assert_whole(&bench);
    let times = times_asked(&site);
    assert!(times.values().all(|times| *times == 1), "a pause in time loses nothing: {times:?}");
    assert!(!reserve.exists(), "the reserve goes with the run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_write_failed_opens_its_store_again_and_completes() {
    let Some(disk) = SmallDisk::mount("a run on a full disk", 96 * MIB) else { return };
    let site = noisy_site().await;
    let bench = bench(&disk);
    // Without a watch, so that the disk is full before anybody looks.
    let unwatched = |crawl: &mut CrawlSettings| {
        crawl.min_free_space = Size::default();
        crawl.warc_size = Size::from_bytes(300_000);
    };
    let run = bench.start(site.project(&bench, &[site.url("/")], unwatched));
    let mut progress = run.progress();
    for (asked, leave) in [(10, 100_000), (60, 0)] {
        site.has_been_asked(asked).await;
        disk.fill(leave);
        let held = progress.wait_for(|now| now.paused.is_some()).await.unwrap().clone();
        let Some(Pause::Write { error }) = held.paused else { panic!("{:?}", held.paused) };
        println!("{error}");
        assert!(held.pages < PAGES as u64);
        disk.clear();
        progress.wait_for(|now| now.paused.is_none()).await.unwrap();
    }
    let ended = run.wait().await.unwrap();
    assert_eq!(ended.reason, EndReason::Complete);
    assert_whole(&bench);
    let orphans: Vec<_> = std::fs::read_dir(bench.archive()).unwrap().flatten().collect();
    assert!(
        orphans.iter().all(|entry| !entry.file_name().to_string_lossy().contains("orphan")),
        "{orphans:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_can_be_stopped_while_its_disk_is_full_and_keeps_what_it_has() {
    let Some(disk) = SmallDisk::mount("a run stopped on a full disk", 160 * MIB) else { return };
    let site = noisy_site().await;
    let bench = bench(&disk);
    let watch = |crawl: &mut CrawlSettings| crawl.min_free_space = Size::from_bytes(40 * MIB);
    let run = bench.start(site.project(&bench, &[site.url("/")], watch));
    let mut progress = run.progress();
    site.has_been_asked(10).await;
    disk.fill(0);
    progress.wait_for(|now| now.paused.is_some()).await.unwrap();
    run.controls().stop();
    let ended = tokio::time::timeout(Duration::from_secs(20), run.wait()).await.expect("it ends").unwrap();
    assert_eq!(ended.reason, EndReason::Stopped);
    assert!(ended.progress.pages > 0);
    disk.clear();
    let ended = bench.crawl(site.project(&bench, &[site.url("/")], watch)).await;
    assert_eq!(ended.reason, EndReason::Complete);
    assert_whole(&bench);
}
