//! `cargo xtask bench judge`: looking texts up among millions, and what a fingerprint costs.
//!
//! Made-up fingerprints of pages, a twentieth of them near duplicates of an earlier one, are judged through the book and
//! its store as in a crawl, 512 to a commit. `-- N` judges N of them in place of 5,000,000.

use std::path::Path;
use std::time::Instant;

use judge::book;
use judge::fingerprint::{Fingerprint, FingerprintMaker, Marks};
use kv::{Durability, Options, Store};
use model::{CrawlId, CrawlSettings, Duplicates, HostKey, Page, UrlKey};

const CRAWL: CrawlId = CrawlId(1);
/// Hashes of a page: few, so that the bench is about the look-up and not about writing.
const HASHES: u64 = 64;
/// Pages of one host, and of one commit.
const HOST: u64 = 1_000;
const GROUP: u64 = 512;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let most = std::env::args().nth(1).map(|count| count.parse()).transpose()?.unwrap_or(5_000_000);
    fingerprints()?;
    let folder = tempfile::tempdir()?;
    look_up(folder.path(), most)
}

/// What the fingerprint of a page of 1,000 words costs, by each method.
fn fingerprints() -> Result<(), Failure> {
    let text: String = (0..1_000_u64).map(|n| format!("{:x} ", mixed(n) >> 40)).collect();
    let page = Page { text: text.clone(), main: text, ..Page::default() };
    for method in [Duplicates::Exact, Duplicates::Winnowing, Duplicates::Keywords] {
        let settings = CrawlSettings { duplicates: method, ..CrawlSettings::default() };
        let mut maker = FingerprintMaker::of(&settings.duplicate_settings()).ok_or("not off")?;
        let (began, times) = (now(), 2_000);
        for _ in 0..times {
            std::hint::black_box(maker.of_page(&page));
        }
        let each = began.elapsed().as_secs_f64() * 1e6 / f64::from(times);
        println!("measure: fingerprint by {method} = {each:.1} µs");
    }
    Ok(())
}

fn look_up(folder: &Path, most: u64) -> Result<(), Failure> {
    let store = Store::open(folder, Options::default())?;
    let mut batch = store.batch();
    let (mut found, mut expected) = (0_u64, 0_u64);
    let mut step = (now(), cpu()?);
    let mut report = (most / 50).max(1);
    let mut since = 0;
    for number in 0..most {
        let twin = number % 20 == 19;
        let print = fingerprint(if twin { number / 2 / 20 * 20 } else { number }, twin);
        let page = UrlKey { host: HostKey(mixed(number / HOST)), page: u128::from(mixed(number)) };
        let verdict = book::judge(&mut batch, CRAWL, page, &print, 0.7)?;
        expected += u64::from(twin);
        found += u64::from(twin && !verdict.twins.is_empty());
        if (number + 1) % GROUP == 0 {
            store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Synced)?;
        }
        since += 1;
        if number + 1 == report {
            let each = step.0.elapsed().as_secs_f64() * 1e6 / since as f64;
            let own = (cpu()? - step.1) * 1e6 / since as f64;
            println!("measure: judged, of {report} = {each:.1} µs");
            println!("measure: judged, of {report}, processor = {own:.1} µs");
            println!("measure: memory with {report} = {} MiB", memory()?);
            report = (report * 5).min(most).max(report + 1);
            (step, since) = ((now(), cpu()?), 0);
        }
    }
    store.commit(batch, Durability::Synced)?;
    println!("{found} of {expected} near duplicates found among {most} pages");
    Ok(())
}

/// The fingerprint of the page of this number; a twin has a tenth of its hashes changed.
fn fingerprint(number: u64, twin: bool) -> Fingerprint {
    let hash =
        |nth: u64| mixed(number * HASHES + nth + if twin && nth.is_multiple_of(10) { 1 << 60 } else { 0 });
    let mut hashes: Vec<u64> = (0..HASHES).map(hash).collect();
    hashes.sort_unstable();
    let halves = hashes.iter().flat_map(|hash| ((hash >> 32) as u32).to_be_bytes()).collect();
    Fingerprint {
        exact: mixed(number ^ u64::from(twin) << 50),
        whole: number,
        length: 1_000,
        simhash: number,
        sketch: hashes[..16].to_vec(),
        marks: Marks::Hashes(halves),
    }
}

fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Seconds of processor time of this process.
fn cpu() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or_default();
    Ok((ticks(11) + ticks(12)) / 100.0)
}

/// MiB of memory that no file backs.
fn memory() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or_default();
    Ok(line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default() / 1_024)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn now() -> Instant {
    Instant::now()
}
