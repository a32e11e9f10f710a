//! `cargo xtask bench frontier`: the frontier with many URLs, filled through its own code.
//!
//! 20 million known URLs on a million hosts, half of them waiting (or as many as the first argument says, twenty to a
//! host). Each part is a process of its own, so that its memory is its own, and the one that fills is cut off in the
//! middle of its work, as a kill would do it:
//!
//! - `fill`: new URLs per second, and memory;
//! - `start`: time from the start of the process to the first lease;
//! - `local`: offers per second of links that their page and host repeat, and that they are all recognised;
//! - `uniform`: the same for any of the known URLs;
//! - `work`: memory while leases are taken and settled, each page with links to new URLs and known ones.
//!
//! A folder may be named as a second argument; it is kept, and filled only if it is new.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use frontier::tables::URLS;
use frontier::{Asked, End, Frontier, Next, Offer, Sent, Settled, page_key};
use kv::{Durability, Options, Reader as _, Store};
use model::{CrawlId, CrawlSettings, PageUrl, Project, Rate, Timestamp};
use testkit::process_kib;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Failure = Box<dyn std::error::Error + Send + Sync>;

const CRAWL: CrawlId = CrawlId(1);
const PER_HOST: u64 = 20;
/// Offers in one commit: a group of visits with their links.
const GROUP: u64 = 20_000;
const BEGAN: Timestamp = Timestamp(1_700_000_000_000);

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [part, known, folder] = &arguments[..]
        && PARTS.contains(&part.as_str())
    {
        return Bench { known: known.parse()?, folder: folder.into() }.part(part);
    }
    let known = arguments.first().map_or("20000000", String::as_str);
    let made = tempfile::tempdir()?;
    let folder = arguments.get(1).map_or_else(|| made.path().join("store"), PathBuf::from);
    let filled = folder.exists();
    for part in PARTS.iter().skip(usize::from(filled)) {
        let status = Command::new(std::env::current_exe()?).args([part, known]).arg(&folder).status()?;
        // Filling ends as a kill would end it.
        if !status.success() && *part != "fill" {
            return Err(format!("{part} ended with {status}").into());
        }
    }
    Ok(())
}

const PARTS: [&str; 5] = ["fill", "start", "local", "uniform", "work"];

struct Bench {
    known: u64,
    folder: PathBuf,
}

impl Bench {
    fn part(&self, part: &str) -> Result<(), Failure> {
        let began = now();
        let (store, mut frontier) = open(&self.folder)?;
        match part {
            "fill" => self.fill(&store, &mut frontier),
            "start" => {
                first_lease(&mut frontier)?;
                let millis = began.elapsed().as_secs_f64() * 1_000.0;
                println!("measure: first lease after a kill = {millis:.0} ms");
                println!("measure: its CPU time = {:.0} ms", cpu_millis()?);
                Ok(())
            }
            "local" => self.local(&store, &mut frontier),
            "uniform" => self.uniform(&store, &mut frontier),
            _ => self.work(&store, &mut frontier),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the store must be left as a kill leaves it")]
    fn fill(&self, store: &Store, frontier: &mut Frontier) -> Result<(), Failure> {
        let began = now();
        let (mut batch, mut open, mut most) = (store.batch(), 0, 0);
        for number in 0..self.known {
            let offer = self.offer(number)?;
            frontier.offer(&mut batch, CRAWL, offer, BEGAN)?;
            open += 1;
            if open == GROUP {
                open = 0;
                frontier.seal(&mut batch, BEGAN)?;
                store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Buffered)?;
                frontier.committed(BEGAN)?;
                most = most.max(memory()?);
                if number % 1_000_000 < GROUP {
                    eprintln!("{number} URLs, {most} MiB");
                }
            }
        }
        frontier.seal(&mut batch, BEGAN)?;
        store.commit(batch, Durability::Synced)?;
        frontier.committed(BEGAN)?;
        let waiting = frontier.crawl(CRAWL).stats().outcomes.get("waiting").copied().unwrap_or(0);
        let seconds = began.elapsed().as_secs_f64();
        println!("{} URLs on {} hosts, {waiting} waiting", self.known, self.known / PER_HOST);
        println!("measure: new URLs = {:.0} offers/s", self.known as f64 / seconds);
        println!("measure: memory while filling, at its most = {} MiB", most.max(memory()?));
        // Without a word to anybody: what is not in the store is lost.
        std::process::abort()
    }

    /// Pages whose 50 links lead to their own host, most of them to the same pages.
    fn local(&self, store: &Store, frontier: &mut Frontier) -> Result<(), Failure> {
        let mut offers = Vec::new();
        for page in 0..2_000u64 {
            let host = page / 20 * 37 % (self.known / PER_HOST);
            for link in 0..50 {
                offers.push(self.offer(host * PER_HOST + link % PER_HOST)?);
            }
        }
        self.repeat(store, frontier, "repeats of a page and its host", &offers, 20)
    }

    fn uniform(&self, store: &Store, frontier: &mut Frontier) -> Result<(), Failure> {
        let mut state = 7u64;
        let mut offers = Vec::new();
        for _ in 0..500_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            offers.push(self.offer((state >> 20) % self.known)?);
        }
        self.repeat(store, frontier, "repeats among all", &offers, 1)
    }

    /// Offers known URLs, and makes sure that none was taken for a new one.
    fn repeat(
        &self,
        store: &Store,
        frontier: &mut Frontier,
        name: &str,
        offers: &[Offer],
        rounds: u32,
    ) -> Result<(), Failure> {
        let before = frontier.crawl(CRAWL).stats().distinct;
        let mut spent = Duration::ZERO;
        for _ in 0..rounds {
            for group in offers.chunks(GROUP as usize) {
                let group = group.to_vec();
                let mut batch = store.batch();
                let began = now();
                for offer in group {
                    frontier.offer(&mut batch, CRAWL, offer, BEGAN)?;
                }
                spent += began.elapsed();
            }
        }
        let wrong = frontier.crawl(CRAWL).stats().distinct - before;
        let count = offers.len() as f64 * f64::from(rounds);
        println!("{name}: {count} offers, {wrong} wrongly taken for new ones");
        println!("measure: {name} = {:.0} offers/s", count / spent.as_secs_f64());
        if wrong > 0 || !store.contains(&URLS, &page_key(CRAWL, offers[0].key))? {
            return Err("the sieve is not exact".into());
        }
        Ok(())
    }

    /// Takes 100,000 pages, each with 10 new links and 40 known ones.
    fn work(&self, store: &Store, frontier: &mut Frontier) -> Result<(), Failure> {
        let (mut most, mut time, mut new) = (0, BEGAN, self.known);
        let began = now();
        let pages = 100_000u64.min(self.known / 10);
        let mut done = 0;
        while done < pages {
            let mut batch = store.batch();
            let mut taken = 0;
            while taken < 256 {
                match frontier.next(CRAWL, time)? {
                    Next::Resolve(host) => {
                        let answer = Ok(([192, 0, 2, 1].into(), time + Duration::from_secs(3_600)));
                        frontier.resolved(&host, answer, time)?;
                    }
                    Next::Lease(lease) => {
                        for url in &lease.urls {
                            let mut links = Vec::new();
                            for link in 0..50 {
                                let number = if link < 10 {
                                    new + link
                                } else {
                                    (done * 50 + link) * 7_919 % self.known
                                };
                                let found = self.offer(number)?;
                                links.push(Offer { via: Some(url.key), depth: url.depth + 1, ..found });
                            }
                            new += 10;
                            let sent = Some(Sent { start: time, end: time });
                            let end = End::Page { bytes: 27_000, links, text: None, topic: None };
                            let settled =
                                Settled { lease: lease.id, key: url.key, sent, asked: Asked::default(), end };
                            frontier.settle(&mut batch, settled, time)?;
                            taken += 1;
                            done += 1;
                        }
                        frontier.release(lease.id, time)?;
                    }
                    Next::Wait { .. } => break,
                    Next::Reached(_) | Next::Done => return Err("nothing is left to do".into()),
                }
            }
            time = time + Duration::from_secs(1);
            frontier.seal(&mut batch, time)?;
            store.commit(batch, Durability::Synced)?;
            frontier.committed(time)?;
            most = most.max(memory()?);
        }
        println!("measure: pages settled = {:.0} pages/s", done as f64 / began.elapsed().as_secs_f64());
        println!("measure: memory at work, at its most = {most} MiB");
        Ok(())
    }

    /// The URL with this number; the second half of each host's is excluded.
    fn offer(&self, number: u64) -> Result<Offer, Failure> {
        let (host, page) = (number / PER_HOST, number % PER_HOST);
        let kind = if page % 2 == 0 { "articles" } else { "private" };
        let url =
            PageUrl::parse(&format!("http://host-{host}.test/{kind}/section-{}/page-{page}.html", page % 5))?;
        Ok(Offer { depth: 3, ..Offer::of(url) })
    }
}

fn open(folder: &Path) -> Result<(Store, Frontier), Failure> {
    let store = Store::open(folder, Options::default())?;
    let mut frontier = Frontier::open(store.clone(), BEGAN)?;
    let crawl = CrawlSettings {
        scope: "any".parse()?,
        exclude: vec!["regex:/private/".parse()?],
        rate: Some(Rate::Unlimited),
        ..CrawlSettings::default()
    };
    let start = vec![PageUrl::parse("http://host-0.test/")?];
    let project = Project { name: "bench".parse()?, start, crawl, fields: None, index: None };
    frontier.begin(CRAWL, &project)?;
    Ok((store, frontier))
}

fn first_lease(frontier: &mut Frontier) -> Result<(), Failure> {
    let mut time = BEGAN;
    loop {
        match frontier.next(CRAWL, time)? {
            Next::Lease(_) => return Ok(()),
            Next::Resolve(host) => {
                let answer = Ok(([192, 0, 2, 1].into(), time + Duration::from_secs(3_600)));
                frontier.resolved(&host, answer, time)?;
            }
            // The pause after an unclean stop is owed to the hosts; it is not ours to count.
            Next::Wait { until: Some(until), .. } if until > time => time = until,
            Next::Wait { .. } => time = time + Duration::from_secs(1),
            Next::Reached(_) | Next::Done => return Err("nothing is left to do".into()),
        }
    }
}

/// CPU time of this process so far, in milliseconds; Linux counts ticks of ten. On a busy machine it tells more than
/// the clock.
fn cpu_millis() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    Ok(fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap_or(0.0)).sum::<f64>() * 10.0)
}

/// Anonymous memory now, in MiB.
fn memory() -> Result<u64, Failure> {
    Ok(process_kib("RssAnon").ok_or("no RssAnon")? / 1_024)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn now() -> Instant {
    Instant::now()
}
