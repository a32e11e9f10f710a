//! A simulated crawl: the frontier says what is next, and a clock of its own says when that is done.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use frontier::{Asked, End, Frontier, Next, Offer, RankedUrl, Sent, Settled};
use graph::{Builder, Fold, PageRank, Preference};
use kv::{Batch, Durability, Store};
use model::{
    CrawlId, CrawlSettings, HostKey, Lease, LeaseId, LeasedUrl, Project, RobotsMode, Scope, Timestamp, UrlKey,
};

use crate::{SimWeb, SimulateError};

const CRAWL: CrawlId = CrawlId(1);

/// Long after 1970, so that a clock never set is in the past.
const BEGIN: Timestamp = Timestamp(1_000_000_000_000);

/// Settled visits at most between two commits.
const GROUP: usize = 64;

/// Turns in a row without anything to fetch after which nothing more will come.
const MOST_IDLE: u32 = 1_000;

/// What ranks need to be right enough for an order.
const TOLERANCE: f64 = 1e-4;

/// How to crawl.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where to begin.
    pub seeds: Vec<u32>,
    /// Settings as of any crawl: order, rate, limits. Scope and robots.txt are left aside.
    pub settings: CrawlSettings,
    /// Fetches at once.
    pub workers: usize,
    /// How long a fetch takes.
    pub latency: Duration,
}

/// What a crawl fetched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Pages in the order in which they were done, and milliseconds since the begin.
    pub fetched: Vec<(u32, u64)>,
}

impl Run {
    /// The pages in order.
    pub fn order(&self) -> Vec<u32> {
        self.fetched.iter().map(|(page, _)| *page).collect()
    }
}

/// Crawls a Web by a plan.
pub fn run(web: &SimWeb, plan: &Plan) -> Result<Run, SimulateError> {
    if web.pages() == 0 || plan.seeds.is_empty() {
        return Err(SimulateError::Empty);
    }
    let mut settings = plan.settings.clone();
    settings.scope = Scope::Any;
    settings.robots = RobotsMode::Ignore;
    let start = plan.seeds.iter().map(|seed| web.url(*seed)).collect::<Result<_, _>>()?;
    let name = "simulation".parse().expect("a plain word is a name");
    let project = Project { name, start, crawl: settings, fields: None, index: None };
    let store = Store::memory();
    let mut frontier = Frontier::open(store.clone(), BEGIN)?;
    frontier.begin(CRAWL, &project)?;
    let batch = store.batch();
    let mut crawl = Simulation {
        web,
        plan,
        frontier,
        store,
        batch,
        settled: 0,
        now: BEGIN,
        workers: BTreeMap::new(),
        events: BinaryHeap::new(),
        done: vec![false; web.pages() as usize],
        run: Run::default(),
    };
    for seed in &plan.seeds {
        let offer = Offer { start: true, via: None, ..crawl.offer(*seed, None)? };
        crawl.frontier.offer(&mut crawl.batch, CRAWL, offer, BEGIN)?;
    }
    crawl.commit()?;
    crawl.go()?;
    Ok(crawl.run)
}

struct Simulation<'a> {
    web: &'a SimWeb,
    plan: &'a Plan,
    frontier: Frontier,
    store: Store,
    batch: Batch,
    settled: usize,
    now: Timestamp,
    workers: BTreeMap<LeaseId, Worker>,
    /// When the fetch of each lease ends.
    events: BinaryHeap<Reverse<(Timestamp, LeaseId)>>,
    /// Pages that were fetched.
    done: Vec<bool>,
    run: Run,
}

/// A lease in hand.
struct Worker {
    left: VecDeque<LeasedUrl>,
    gap: Duration,
    started: Timestamp,
}

impl Simulation<'_> {
    fn go(&mut self) -> Result<(), SimulateError> {
        // A frontier that waits for nothing would keep us for ever.
        let mut idle = 0;
        loop {
            while self.workers.len() < self.plan.workers.max(1) {
                let until = match self.frontier.next(CRAWL, self.now)? {
                    Next::Lease(lease) => {
                        idle = 0;
                        self.take(*lease);
                        continue;
                    }
                    Next::Resolve(host) => {
                        // Each host has an address of its own.
                        let bytes = (HostKey::of(&host).0 as u32 | 1).to_be_bytes();
                        let address = IpAddr::V4(Ipv4Addr::from(bytes));
                        self.frontier.resolved(&host, Ok((address, Timestamp(u64::MAX))), self.now)?;
                        continue;
                    }
                    Next::Done | Next::Reached(_) if self.workers.is_empty() => return Ok(()),
                    Next::Done | Next::Reached(_) => break,
                    Next::Wait { until, .. } => until,
                };
                if self.settled > 0 {
                    // What was found may be leased after that.
                    self.commit()?;
                    continue;
                }
                let next = self.events.peek().map(|Reverse((due, _))| *due);
                match (next, until) {
                    (None, until) => {
                        self.now = self.now.max(until.unwrap_or_default());
                        self.commit()?;
                        idle += 1;
                    }
                    (Some(next), Some(until)) if self.now < until && until < next => self.now = until,
                    _ => break,
                }
                if idle > MOST_IDLE {
                    return Err(SimulateError::StandsStill(self.run.fetched.len() as u64));
                }
            }
            if let Some(Reverse((due, lease))) = self.events.pop() {
                self.now = self.now.max(due);
                self.fetched(lease)?;
            }
        }
    }

    fn take(&mut self, lease: Lease) {
        let worker = Worker { left: lease.urls.into(), gap: lease.gap, started: self.now };
        self.events.push(Reverse((self.now + self.plan.latency, lease.id)));
        self.workers.insert(lease.id, worker);
    }

    /// The first URL of a lease is fetched: settles it, and begins the next.
    fn fetched(&mut self, lease: LeaseId) -> Result<(), SimulateError> {
        let now = self.now;
        let Some(worker) = self.workers.get_mut(&lease) else { return Ok(()) };
        let started = worker.started;
        let Some(leased) = worker.left.pop_front() else { return Ok(()) };
        if worker.left.is_empty() {
            self.workers.remove(&lease);
        } else {
            worker.started = now.max(started + worker.gap);
            self.events.push(Reverse((worker.started + self.plan.latency, lease)));
        }
        let Some(page) = self.web.page(&leased.url) else { return Err(SimulateError::NoPage(u32::MAX)) };
        let links = self.web.links(page).iter();
        let links = links.map(|target| self.offer(*target, Some(leased.key))).collect::<Result<_, _>>()?;
        let settled = Settled {
            lease,
            key: leased.key,
            sent: Some(Sent { start: started, end: now }),
            asked: Asked::default(),
            end: End::Page { bytes: 0, links, text: None },
        };
        self.frontier.settle(&mut self.batch, settled, now)?;
        self.run.fetched.push((page, now.since(BEGIN).as_millis() as u64));
        self.done[page as usize] = true;
        self.settled += 1;
        if !self.workers.contains_key(&lease) {
            self.frontier.release(lease, now)?;
        }
        if self.settled >= GROUP {
            self.commit()?;
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), SimulateError> {
        if self.frontier.wants_ranks(CRAWL) {
            let ranks = self.ranks()?;
            self.frontier.set_ranks(CRAWL, ranks);
        }
        self.frontier.settle_refusals(&mut self.batch)?;
        // Links of a page that has come closer lead nowhere new, and depth is no one's business here.
        self.frontier.take_shallower(&mut self.batch, CRAWL, GROUP)?;
        self.frontier.reconsider(&mut self.batch, CRAWL, GROUP)?;
        self.frontier.seal(&mut self.batch, self.now)?;
        let batch = std::mem::replace(&mut self.batch, self.store.batch());
        self.store.commit(batch, Durability::Synced)?;
        self.frontier.committed(self.now)?;
        self.settled = 0;
        Ok(())
    }

    /// The ranks of what waits, by the links of what was fetched.
    fn ranks(&self) -> Result<Vec<RankedUrl>, SimulateError> {
        let mut numbers = vec![u32::MAX; self.web.pages() as usize];
        let mut pages: Vec<u32> = Vec::new();
        let mut number = |page: u32, pages: &mut Vec<u32>| {
            let number = &mut numbers[page as usize];
            if *number == u32::MAX {
                *number = pages.len() as u32;
                pages.push(page);
            }
            *number
        };
        let mut builder = Builder::new(Fold::Max, 64 << 20);
        for (page, _) in &self.run.fetched {
            let source = number(*page, &mut pages);
            builder.page(source);
            for target in self.web.links(*page) {
                builder.arc(source, number(*target, &mut pages), 1.0)?;
            }
        }
        let solve = PageRank { tolerance: TOLERANCE, ..PageRank::default() };
        let graph = builder.finish()?;
        let ranks = solve.of(&graph, Preference::Even).values;
        let mut ranked = Vec::new();
        for (number, (page, rank)) in (0..).zip(pages.iter().zip(&ranks)) {
            if !self.done[*page as usize] {
                let (key, rank) = (UrlKey::of(&self.web.url(*page)?), rank * ranks.len() as f64);
                ranked.push(RankedUrl { key, rank, in_links: graph.in_links(number).count() as u32 });
            }
        }
        Ok(ranked)
    }

    fn offer(&self, page: u32, via: Option<UrlKey>) -> Result<Offer, SimulateError> {
        let url = self.web.url(page)?;
        Ok(Offer {
            key: UrlKey::of(&url),
            url,
            depth: 0,
            via,
            unfollowed: None,
            start: false,
            hops: 0,
            further: false,
            weight: 1,
        })
    }
}
