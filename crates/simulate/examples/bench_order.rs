//! `cargo xtask bench frontier`, its last part: what the order pagerank costs the thread that crawls, and how long it
//! stands still for it.
//!
//! A frontier with a store on disk: 200,000 pages on 900 hosts, 2.6 million in their Web, by breadth-first and by pagerank.
//! Each call is measured in the processor time of its thread. Ranks come between two commits here; in a crawl another
//! thread computes them. Other orders, then pages to fetch, hosts and pages of a
//! commit, may be named: `pvalue forward-link 20000 1 1`.

use std::time::Duration;

use frontier::{Asked, End, Frontier, Next, Offer, RANK_TOLERANCE, Sent, Settled};
use graph::PageRank;
use kv::{Durability, Options, Store};
use model::{CrawlId, CrawlSettings, PageUrl, Project, Rate, Timestamp, UrlKey};

use testkit::{Seed, process_kib, thread_nanos};

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Failure = Box<dyn std::error::Error + Send + Sync>;

const CRAWL: CrawlId = CrawlId(1);
const BEGAN: Timestamp = Timestamp(1_700_000_000_000);
const PAGES: u64 = 2_600_000;
const HOSTS: u64 = 900;
const FETCHED: u64 = 200_000;
const LINKS: u64 = 15;
const GROUP: u64 = 512;

/// Processor time of single calls: the longest, and all of them.
#[derive(Default)]
struct Spent {
    longest: f64,
    all: f64,
}

impl Spent {
    fn on<T>(&mut self, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        let before = thread_millis()?;
        let done = work()?;
        let took = thread_millis()? - before;
        self.longest = self.longest.max(took);
        self.all += took;
        Ok(done)
    }
}

/// What a crawl spent its time on.
#[derive(Default)]
struct Crawled {
    leases: Spent,
    settling: Spent,
    links: Spent,
    ranks: Spent,
    new_ranks: Spent,
    sealing: Spent,
    commits: Spent,
    most: u64,
}

fn main() -> Result<(), Failure> {
    let (numbers, mut orders): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.parse::<u64>().is_ok());
    let numbers: Vec<u64> = numbers.iter().map(|number| number.parse()).collect::<Result<_, _>>()?;
    let number = |at: usize, usual: u64| numbers.get(at).copied().unwrap_or(usual).max(1);
    let (fetched, hosts, group) = (number(0, FETCHED), number(1, HOSTS), number(2, GROUP));
    if orders.is_empty() {
        orders = ["breadth-first", "pagerank"].map(str::to_owned).to_vec();
    }
    for order in &orders {
        let crawled = crawl(order, fetched, hosts, group)?;
        let parts = [
            ("leases", &crawled.leases),
            ("settling", &crawled.settling),
            ("links handed over", &crawled.links),
            ("ranks, on another thread in a crawl", &crawled.ranks),
            ("new ranks taken and room made", &crawled.new_ranks),
            ("sealing, with URLs put in order", &crawled.sealing),
            ("commits", &crawled.commits),
        ];
        for (name, spent) in parts.iter().filter(|(_, spent)| spent.all > 0.0) {
            println!("measure: {order}, {name}, a page = {:.2} us", spent.all * 1e3 / fetched as f64);
            println!("measure: {order}, {name}, longest = {:.1} ms", spent.longest);
        }
        println!("measure: {order}, memory at its most = {} MiB", crawled.most);
    }
    Ok(())
}

fn crawl(order: &str, fetched: u64, hosts: u64, group: u64) -> Result<Crawled, Failure> {
    let dir = tempfile::tempdir()?;
    let store = Store::open(dir.path(), Options::default())?;
    let mut frontier = Frontier::open(store.clone(), BEGAN)?;
    let crawl = CrawlSettings {
        scope: "any".parse()?,
        order: order.parse()?,
        rate: Some(Rate::Unlimited),
        max_depth: 0,
        ..CrawlSettings::default()
    };
    let start = vec![offer(0, hosts)?.url];
    let project = Project { name: "bench".parse()?, start, crawl, fields: None, index: None };
    frontier.begin(CRAWL, &project)?;
    let mut batch = store.batch();
    frontier.offer(&mut batch, CRAWL, Offer { start: true, ..offer(0, hosts)? }, BEGAN)?;
    let (mut spent, mut time, mut done) = (Crawled::default(), BEGAN, 0);
    loop {
        if frontier.wants_ranks(CRAWL) {
            let known = spent.links.on(|| Ok(frontier.known_links(CRAWL)))?;
            let ranks = spent.ranks.on(|| {
                let solve = PageRank { tolerance: RANK_TOLERANCE, ..PageRank::default() };
                Ok(solve.forward(known.estimates(), || known.pages()).multiples())
            })?;
            spent.new_ranks.on(|| {
                frontier.set_ranks(CRAWL, &known, &ranks);
                Ok(())
            })?;
        }
        spent.sealing.on(|| {
            frontier.settle_refusals(&mut batch)?;
            Ok(frontier.seal(&mut batch, time)?)
        })?;
        spent.commits.on(|| {
            store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Buffered)?;
            Ok(frontier.committed(time)?)
        })?;
        spent.most = spent.most.max(process_kib("RssAnon").unwrap_or_default() / 1_024);
        if done >= fetched {
            return Ok(spent);
        }
        time = time + Duration::from_millis(50);
        let before = done;
        while done < before + group {
            let next = spent.leases.on(|| Ok(frontier.next(CRAWL, time)?))?;
            let lease = match next {
                Next::Lease(lease) => lease,
                Next::Resolve(host) => {
                    let answer = Ok(([192, 0, 2, 1].into(), time + Duration::from_secs(3_600)));
                    frontier.resolved(&host, answer, time)?;
                    continue;
                }
                Next::Wait { .. } => break,
                Next::Reached(_) | Next::Done => return Err("nothing is left to do".into()),
            };
            for leased in &lease.urls {
                let end = page(&leased.url, leased.key, hosts)?;
                let sent = Some(Sent { start: time, end: time });
                let settled =
                    Settled { lease: lease.id, key: leased.key, sent, asked: Asked::default(), end };
                spent.settling.on(|| Ok(frontier.settle(&mut batch, settled, time)?))?;
                done += 1;
            }
            frontier.release(lease.id, time)?;
        }
    }
}

/// A page whose links lead mostly to popular pages.
fn page(of: &PageUrl, key: UrlKey, hosts: u64) -> Result<End, Failure> {
    let number: u64 = of.as_str().rsplit('/').next().unwrap_or_default().parse()?;
    let mut links = Vec::new();
    for link in 0..LINKS {
        let share = (Seed::new(number * LINKS + link).number() >> 11) as f64 / (1u64 << 53) as f64;
        let place = (share.powi(4) * PAGES as f64) as u64;
        // Popularity has nothing to do with where a page is.
        links.push(Offer { via: Some(key), ..offer(place * 1_000_003 % PAGES, hosts)? });
    }
    Ok(End::Page { bytes: 27_000, links, text: None, topic: None })
}

fn offer(page: u64, hosts: u64) -> Result<Offer, Failure> {
    Ok(Offer::of(PageUrl::parse(&format!("http://host-{}.test/articles/{page}", page % hosts))?))
}

/// Processor time of this thread so far, in milliseconds.
fn thread_millis() -> Result<f64, Failure> {
    Ok(thread_nanos().ok_or("no times")? as f64 / 1e6)
}
