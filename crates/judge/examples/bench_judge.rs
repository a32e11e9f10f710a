//! `cargo xtask bench judge`: looking texts up among millions, and what a fingerprint costs.
//!
//! Made-up fingerprints of pages, a twentieth of them near duplicates of an earlier one, are judged through the book and
//! its store as in a crawl, 512 to a commit. `-- N` judges N of them in place of 5,000,000. `-- N FOLDER` keeps the store
//! there, and goes on with one that is there.

use std::path::Path;
use std::time::Instant;

use judge::book::{self, StoredTexts, Verdict};
use judge::fingerprint::{Fingerprint, FingerprintMaker, Marks, Threshold};
use judge::tables::FINGERPRINTS;
use kv::{Batch, Durability, Options, Reader, Store};
use model::{CrawlId, CrawlSettings, Duplicates, HostKey, Page, UrlKey};
use testkit::{Seed, process_kib, thread_nanos};

const CRAWL: CrawlId = CrawlId(1);
/// Hashes of a page: few, so that the bench is about the look-up and not about writing.
const HASHES: u64 = 64;
/// Pages of one host, and of one commit.
const HOST: u64 = 1_000;
const GROUP: u64 = 512;
/// Texts that are looked up and not kept, of each kind, at most.
const LOOK_UPS: u64 = 20_000;
/// Pages known when it is told what has been measured, and at the end.
const REPORTS: [u64; 6] = [100_000, 500_000, 1_000_000, 2_000_000, 3_000_000, 4_000_000];

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let most = std::env::args().nth(1).map(|count| count.parse()).transpose()?.unwrap_or(5_000_000);
    if let Some(folder) = std::env::args().nth(2) {
        return look_up(Path::new(&folder), most);
    }
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
    let (mut found, mut expected, mut peak) = (0_u64, 0_u64, 0);
    let first = known(&store, most)?;
    if first == most {
        return report(&store, most, 0);
    }
    let (mut began, mut used, mut since) = (now(), cpu()?, 0_u64);
    for number in first..most {
        let is_twin = is_twin(number);
        let verdict = judged(&mut batch, number)?;
        expected += u64::from(is_twin);
        found += u64::from(is_twin && !verdict.twins.is_empty());
        since += 1;
        if (number + 1) % GROUP == 0 {
            store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Synced)?;
            peak = peak.max(memory()?);
        }
        if number + 1 < most && !REPORTS.contains(&(number + 1)) {
            continue;
        }
        store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Synced)?;
        let pages = number + 1;
        let each = began.elapsed().as_secs_f64() * 1e6 / since as f64;
        let own = (cpu()? - used) * 1e6 / since as f64;
        println!("measure: judged and kept, of {pages} = {each:.1} µs");
        println!("measure: judged and kept, of {pages}, processor = {own:.1} µs");
        peak = peak.max(memory()?);
        report(&store, pages, peak)?;
        (began, used, since) = (now(), cpu()?, 0);
    }
    println!("{found} of {expected} near duplicates found, {most} pages");
    Ok(())
}

/// Pages that the store has of the first `most`: they were kept in order.
fn known(store: &Store, most: u64) -> Result<u64, Failure> {
    let (mut known, mut unknown) = (0, most);
    while known < unknown {
        let middle = known.midpoint(unknown);
        let page = key(middle);
        match store.contains(&FINGERPRINTS, &(CRAWL.0, page.host.0, page.page))? {
            true => known = middle + 1,
            false => unknown = middle,
        }
    }
    Ok(known)
}

/// What look-ups among `pages` cost, and what has been taken.
fn report(store: &Store, pages: u64, peak: u64) -> Result<(), Failure> {
    for (kind, twins) in [("new", false), ("twins", true)] {
        let each = looked_up(store, pages, twins)?;
        println!("measure: looked up among {pages}, {kind}, processor = {each:.1} µs");
    }
    println!("measure: most memory until {pages} = {} MiB", peak.max(memory()?));
    println!("measure: on disk with {pages} = {} MiB", store.disk_bytes()? >> 20);
    Ok(())
}

/// Microseconds of this thread for a look-up among `pages`, without keeping what is looked up.
fn looked_up(store: &Store, pages: u64, twins: bool) -> Result<f64, Failure> {
    // Numbers of pages to come, and among them only twins or only others.
    // A twin is like a page of half its number, which has to be known.
    let count = LOOK_UPS.min(pages / 20);
    let numbers = (0..count).map(|nth| pages / 20 * 20 + nth * 20 + if twins { 19 } else { 0 });
    let began = own_nanos()?;
    for number in numbers {
        let verdict = judged(&mut store.batch(), number)?;
        assert_eq!(verdict.twins.is_empty(), !twins, "page {number}: {verdict:?}");
    }
    Ok((own_nanos()? - began) as f64 / 1e3 / count as f64)
}

fn judged(batch: &mut Batch, number: u64) -> Result<Verdict, Failure> {
    Ok(book::judge(
        &mut StoredTexts { batch, crawl: CRAWL },
        key(number),
        &fingerprint(number),
        Threshold::even(0.7),
    )?)
}

fn key(number: u64) -> UrlKey {
    let page = u128::from(mixed(number)) << 64 | u128::from(number);
    UrlKey { host: HostKey(mixed(number / HOST)), page }
}

/// The fingerprint of a page. That of a twin has nine tenths of the hashes of another.
fn fingerprint(number: u64) -> Fingerprint {
    let twin = is_twin(number);
    // Like a page that came when there were half as many.
    let original = if twin { number / 2 / 20 * 20 } else { number };
    let hash = |nth: u64| match twin && nth.is_multiple_of(10) {
        true => mixed((1 << 60) + number * HASHES + nth),
        false => mixed(original * HASHES + nth),
    };
    let mut hashes: Vec<u64> = (0..HASHES).map(hash).collect();
    hashes.sort_unstable();
    let halves = hashes.iter().flat_map(|hash| ((hash >> 32) as u32).to_be_bytes()).collect();
    Fingerprint {
        exact: mixed(number),
        whole: number,
        length: 1_000,
        simhash: number,
        sketch: hashes[..16].to_vec(),
        marks: Marks::Hashes(halves),
    }
}

fn is_twin(number: u64) -> bool {
    number % 20 == 19
}

fn mixed(number: u64) -> u64 {
    Seed::new(number).number()
}

/// Seconds of processor time of this process.
fn cpu() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or_default();
    Ok((ticks(11) + ticks(12)) / 100.0)
}

/// Nanoseconds of processor time of this thread: files are merged by another meanwhile.
fn own_nanos() -> Result<u64, Failure> {
    Ok(thread_nanos().ok_or("no times")?)
}

/// MiB of memory that no file backs.
fn memory() -> Result<u64, Failure> {
    Ok(process_kib("RssAnon").ok_or("no RssAnon")? / 1_024)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn now() -> Instant {
    Instant::now()
}
