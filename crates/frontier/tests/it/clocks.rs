//! Clocks that are wrong: the machine's date jumps between runs, and the machine sleeps during one.
//!
//! Within a run the date does not jump, because a run reads it once; see `crawl::WallClock`.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use frontier::{Asked, End, Frontier, Next, Offer, Patience, Sent, Settled, audit};
use kv::{Durability, Store};
use model::{CrawlId, ErrorKind, Host, PageUrl, Project, Timestamp, UrlKey};
use testkit::Seed;

use crate::server::link;
use crate::web::{project, url};

const CRAWL: CrawlId = CrawlId(1);
const PAUSE: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);
const YEAR: Duration = Duration::from_secs(365 * 86_400);
const HOSTS: usize = 5;
const PAGES: usize = 8;

/// A crawl whose machine has a date of its own.
struct Crawl {
    store: Store,
    frontier: Frontier,
    project: Project,
    /// Time as it passes.
    real: Timestamp,
    date: Timestamp,
    seed: Seed,
    /// When each host was last done with a request, in real time.
    served: HashMap<Host, Timestamp>,
    requests: usize,
}

impl Crawl {
    fn begin(seed: u64) -> Crawl {
        let starts: Vec<PageUrl> = (0..HOSTS).map(|host| url(&format!("h{host}.web"), "0")).collect();
        let date = Timestamp(1_763_196_319_123);
        let store = Store::memory();
        let frontier = Frontier::open(store.clone(), date).unwrap();
        let project = project(&starts, |crawl| crawl.address_delay = model::Span::from_millis(0));
        let (real, served) = (Timestamp(0), HashMap::new());
        let mut crawl =
            Crawl { store, frontier, project, real, date, seed: Seed::new(seed), served, requests: 0 };
        crawl.start();
        crawl
    }

    fn start(&mut self) {
        self.frontier.begin(CRAWL, &self.project).unwrap();
        let mut batch = self.store.batch();
        for start in &self.project.start {
            let offer = Offer { start: true, via: None, ..link(start, UrlKey::of(start), true) };
            self.frontier.offer(&mut batch, CRAWL, offer, self.date).unwrap();
        }
        self.commit(batch);
    }

    fn commit(&mut self, mut batch: kv::Batch) {
        self.frontier.settle_refusals(&mut batch).unwrap();
        self.frontier.reconsider(&mut batch, CRAWL, 100).unwrap();
        self.frontier.seal(&mut batch, self.date).unwrap();
        self.store.commit(batch, Durability::Synced).unwrap();
        self.frontier.committed(self.date).unwrap();
        assert_eq!(audit(&self.store, CRAWL).unwrap(), []);
    }

    fn pass(&mut self, span: Duration) {
        self.real = self.real + span;
        self.date = self.date + span;
    }

    /// Takes some steps; true when the crawl is done.
    fn run(&mut self, steps: usize) -> bool {
        for _ in 0..steps {
            match self.frontier.next(CRAWL, self.date).unwrap() {
                Next::Done => return true,
                Next::Resolve(host) => {
                    let address = IpAddr::V4(Ipv4Addr::new(10, 0, 0, host.name().as_bytes()[1]));
                    self.frontier.resolved(&host, Ok((address, self.date + HOUR)), self.date).unwrap();
                }
                Next::Wait { until: Some(until), .. } => {
                    let wait = until.since(self.date);
                    assert!(wait <= DAY, "frozen for {wait:?}");
                    self.pass(wait);
                }
                Next::Wait { .. } => self.commit(self.store.batch()),
                Next::Lease(lease) => self.visit(&lease),
                other => panic!("{other:?}"),
            }
        }
        false
    }

    fn visit(&mut self, lease: &model::Lease) {
        assert_eq!(lease.urls.len(), 1);
        let leased = &lease.urls[0];
        if let Some(served) = self.served.get(&lease.host) {
            let rest = self.real.since(*served);
            assert!(rest >= PAUSE, "{} was asked again after {rest:?}", lease.host.name());
        }
        let start = self.date;
        let took = Duration::from_millis(self.seed.below(200) as u64);
        self.pass(took);
        self.served.insert(lease.host.clone(), self.real);
        self.requests += 1;
        let end = match self.seed.below(6) {
            0 => End::Failed { error: ErrorKind::Timeout, patience: Patience::Soft },
            1 => End::Busy { status: 429, wait: Some(Duration::from_secs(self.seed.below(90) as u64)) },
            _ => {
                let number: usize = leased.url.path_and_query().trim_start_matches('/').parse().unwrap();
                let next = (number + 1 < PAGES).then(|| url(lease.host.name(), &(number + 1).to_string()));
                let links = next.iter().map(|next| link(next, leased.key, true)).collect();
                End::Page { bytes: 1, links, text: None, topic: None }
            }
        };
        let sent = Some(Sent { start, end: self.date });
        let settled = Settled { lease: lease.id, key: leased.key, sent, asked: Asked::default(), end };
        let mut batch = self.store.batch();
        self.frontier.settle(&mut batch, settled, self.date).unwrap();
        self.frontier.release(lease.id, self.date).unwrap();
        self.commit(batch);
    }

    /// A new process, on a machine whose date may have been changed meanwhile.
    fn restart(&mut self) {
        let clean = self.seed.chance(1, 2);
        if clean {
            let mut batch = self.store.batch();
            self.frontier.close(&mut batch, self.date);
            self.commit(batch);
        }
        self.store = self.store.crash(self.seed.number());
        let upto =
            |seed: &mut Seed, span: Duration| Duration::from_millis(seed.number() % span.as_millis() as u64);
        match self.seed.below(5) {
            0 => self.date = self.date - upto(&mut self.seed, YEAR),
            1 => self.date = self.date - upto(&mut self.seed, HOUR),
            2 => self.date = self.date + DAY + upto(&mut self.seed, YEAR),
            // After a clean stop nothing tells an hour set forward from an hour gone by.
            3 if !clean => self.date = self.date + upto(&mut self.seed, HOUR),
            _ => {}
        }
        self.frontier = Frontier::open(self.store.clone(), self.date).unwrap();
        self.start();
    }
}

#[test]
fn a_date_set_back_or_forward_between_runs_neither_floods_a_host_nor_freezes_the_crawl() {
    let mut seed = Seed::from_env();
    let crawls = std::env::var("GANNET_SOAK").map_or(60, |crawls| crawls.parse().unwrap());
    let mut requests = 0;
    for _ in 0..crawls {
        let number = seed.number() >> 32;
        println!("crawl {number}");
        let mut crawl = Crawl::begin(number);
        while !crawl.run(1 + Seed::new(crawl.real.0).below(60)) {
            crawl.restart();
        }
        requests += crawl.requests;
    }
    assert!(requests >= crawls * HOSTS * PAGES / 4, "{requests}");
}

#[test]
fn a_machine_that_slept_takes_no_lease_from_its_worker() {
    for (told, kept) in [(true, true), (false, false)] {
        let mut crawl = Crawl::begin(1);
        let lease = loop {
            match crawl.frontier.next(CRAWL, crawl.date).unwrap() {
                Next::Lease(lease) => break lease,
                Next::Resolve(host) => {
                    let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
                    let answer = Ok((address, crawl.date + YEAR));
                    crawl.frontier.resolved(&host, answer, crawl.date).unwrap();
                }
                other => panic!("{other:?}"),
            }
        };
        crawl.pass(9 * HOUR);
        if told {
            crawl.frontier.stood_still(9 * HOUR);
        }
        let mut again = false;
        for _ in 0..2 * HOSTS {
            match crawl.frontier.next(CRAWL, crawl.date).unwrap() {
                Next::Lease(other) => again |= other.host == lease.host,
                Next::Resolve(host) => {
                    let answer = Ok((IpAddr::V4(Ipv4Addr::LOCALHOST), crawl.date + YEAR));
                    crawl.frontier.resolved(&host, answer, crawl.date).unwrap();
                }
                _ => break,
            }
        }
        assert_eq!(!again, kept, "two live leases of one host");
    }
}
