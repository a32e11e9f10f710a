//! Drives a frontier through a made-up Web: several workers, a clock of its own, and chance in the order of
//! everything that may happen in any order. Checks what must hold at every step.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use frontier::tables::{ROBOTS, RobotsAnswer, RobotsRecord, Stats, URLS, UrlRecord};
use frontier::{Frontier, LimitReached, Next, Offer, Politeness, Sent, Settled, audit, page_key};
use kv::{Batch, Durability, Reader, Store};
use model::{CrawlId, Host, Lease, LeaseId, LeasedUrl, Outcome, Project, Timestamp, UrlKey};
use testkit::Seed;

use crate::server::{Servers, Visit, link};
use crate::web::{Answer, FakeWeb};

pub(crate) const CRAWL: CrawlId = CrawlId(7);

/// A start long after 1970, so that a clock never set is in the past.
const BEGIN: Timestamp = Timestamp(1_000_000_000);

pub(crate) struct Driver {
    pub(crate) servers: Servers,
    pub(crate) store: Store,
    pub(crate) frontier: Frontier,
    pub(crate) project: Project,
    pub(crate) now: Timestamp,
    pub(crate) workers: usize,
    /// False: everything happens in the plainest order.
    pub(crate) by_chance: bool,
    /// Another order now and then.
    pub(crate) changes_order: bool,
    /// Leases handed out, in order.
    pub(crate) order: Vec<Lease>,
    politeness: Politeness,
    seed: Seed,
    batch: Option<Batch>,
    visits: Vec<Worker>,
    in_hand: HashSet<UrlKey>,
    settled: Vec<UrlKey>,
}

/// A worker with a lease.
struct Worker {
    lease: LeaseId,
    host: Host,
    gap: Duration,
    left: VecDeque<LeasedUrl>,
    under_way: Option<(Timestamp, Work)>,
    next_start: Timestamp,
}

enum Work {
    Fetch(LeasedUrl, Visit),
    Robots(LeasedUrl, Sent, Option<Duration>),
}

/// How a drive ended.
#[derive(Debug, PartialEq)]
pub(crate) enum Finish {
    Done,
    Reached(LimitReached),
    /// As many steps as were asked for.
    Interrupted,
}

impl Driver {
    pub(crate) fn new(web: FakeWeb, project: Project, seed: u64) -> Driver {
        Driver::over(Store::memory(), Servers::new(web), project, seed, BEGIN)
    }

    fn over(store: Store, servers: Servers, project: Project, seed: u64, now: Timestamp) -> Driver {
        let mut frontier = Frontier::open(store.clone(), now).unwrap();
        frontier.begin(CRAWL, &project).unwrap();
        let mut driver = Driver {
            politeness: Politeness::of(&project.crawl),
            batch: Some(store.batch()),
            servers,
            store,
            frontier,
            project,
            now,
            workers: 4,
            by_chance: true,
            changes_order: false,
            order: Vec::new(),
            seed: Seed::new(seed),
            visits: Vec::new(),
            in_hand: HashSet::new(),
            settled: Vec::new(),
        };
        for start in driver.project.start.clone() {
            let offer = Offer { start: true, via: None, ..link(&start, UrlKey::of(&start), true) };
            let batch = driver.batch.as_mut().unwrap();
            driver.frontier.offer(batch, CRAWL, offer, driver.now).unwrap();
        }
        driver
    }

    /// Goes on in a new process: after a clean stop, or after a crash that takes what was not committed.
    pub(crate) fn restart(mut self, project: Project, clean: bool, pause: Duration) -> Driver {
        let by_chance = self.by_chance;
        if clean {
            self.drain();
            self.by_chance = false;
            let now = self.now;
            self.commit_with(|frontier, batch| frontier.close(batch, now));
        }
        let crash = self.seed.number();
        let mut servers = self.servers;
        if !clean {
            let web = servers.web().clone();
            let pause = self.politeness.gap(None);
            servers.hosts.crash(self.now, |host| {
                let robots = self.store.contains(&ROBOTS, &format!("http://{}", host.name())).unwrap();
                let asked = web.hosts[host].robots.flatten().filter(|_| robots);
                pause.max(asked.unwrap_or_default())
            });
        }
        let store = self.store.crash(crash);
        let mut next = Driver::over(store, servers, project, crash ^ 1, self.now + pause);
        next.workers = self.workers;
        next.by_chance = by_chance;
        next.changes_order = self.changes_order;
        next
    }

    /// Runs until nothing is left, a limit is reached, or `steps` are taken.
    pub(crate) fn run(&mut self, steps: usize) -> Finish {
        for _ in 0..steps {
            if self.changes_order && self.seed.chance(1, 50) {
                let all = model::Policy::ALL;
                let policy = all[self.seed.below(all.len())];
                self.frontier.set_order(CRAWL, model::Order::only(policy));
            }
            let free = self.visits.len() < self.workers;
            let due = self.visits.iter().any(|worker| worker.due() <= self.now);
            match self.seed.below(8) {
                0 => self.commit(),
                1..=4 if due => self.work_one(),
                _ if free => {
                    if let Some(end) = self.ask() {
                        return end;
                    }
                }
                _ => self.pass_time(None),
            }
        }
        Finish::Interrupted
    }

    /// Runs to the end.
    pub(crate) fn finish(&mut self) -> Finish {
        let end = self.run(2_000_000);
        assert_ne!(end, Finish::Interrupted, "the crawl does not come to an end");
        end
    }

    /// Runs to the end in the plainest order: one lease, its URLs, a commit. The URLs as they were leased.
    pub(crate) fn run_plainly(&mut self) -> Vec<String> {
        self.by_chance = false;
        loop {
            self.commit();
            if self.ask().is_some() {
                break;
            }
            self.let_workers_end();
        }
        self.order.iter().flat_map(|lease| &lease.urls).map(|leased| leased.url.to_string()).collect()
    }

    /// The same for so many steps → the most URLs that moved in their queues with one commit.
    pub(crate) fn most_moves(&mut self, steps: usize) -> usize {
        self.by_chance = false;
        let mut most = 0;
        for _ in 0..steps {
            let places = |driver: &Driver| -> HashMap<UrlKey, u32> {
                driver.records().map(|record| (UrlKey::of(&record.url), record.priority)).collect()
            };
            let before = places(self);
            self.commit();
            let moved =
                places(self).into_iter().filter(|(key, now)| before.get(key).is_some_and(|was| was != now));
            most = most.max(moved.count());
            assert_eq!(self.ask(), None);
            self.let_workers_end();
        }
        most
    }

    /// The same with another order after so many URLs.
    pub(crate) fn run_plainly_changing(&mut self, after: usize, order: model::Order) -> Vec<String> {
        self.by_chance = false;
        while self.order.iter().map(|lease| lease.urls.len()).sum::<usize>() < after {
            self.commit();
            assert_eq!(self.ask(), None);
            self.let_workers_end();
        }
        self.frontier.set_order(CRAWL, order);
        self.run_plainly()
    }

    /// The crawl has to end so long after now.
    pub(crate) fn deadline(&mut self, after: Duration) {
        self.frontier.set_deadline(CRAWL, Some(self.now + after));
    }

    /// Everything that is known, as text: URL → outcome without its number of tries, depth.
    pub(crate) fn known(&self) -> BTreeMap<String, (String, u32)> {
        let told = |record: UrlRecord| {
            let outcome = match &record.outcome {
                Outcome::Failed { error, .. } => format!("failed {}", error.name()),
                other => other.to_string(),
            };
            (record.url.to_string(), (outcome, record.depth))
        };
        self.records().map(told).collect()
    }

    pub(crate) fn records(&self) -> impl Iterator<Item = UrlRecord> {
        self.store.prefix(&URLS, &CRAWL.0).map(|row| row.unwrap().1)
    }

    pub(crate) fn stats(&self) -> &Stats {
        self.frontier.crawl(CRAWL).stats()
    }

    pub(crate) fn pages(&self) -> usize {
        self.records().filter(|record| record.outcome == Outcome::Fetched).count()
    }

    /// Asserts that what is known is the truth.
    pub(crate) fn check_truth(&self) {
        let truth = self.servers.web().truth(&self.project);
        let known = self.known();
        let missing: Vec<_> = truth.keys().filter(|url| !known.contains_key(*url)).collect();
        let surplus: Vec<_> = known.keys().filter(|url| !truth.contains_key(*url)).collect();
        assert!(missing.is_empty() && surplus.is_empty(), "missing {missing:?}, surplus {surplus:?}");
        for (url, (outcome, depth)) in &truth {
            let (found, found_depth) = &known[url];
            assert_eq!((found, depth.unwrap_or(*found_depth)), (outcome, *found_depth), "{url}");
        }
    }

    /// Settles and gives back all that is under way, and commits.
    pub(crate) fn drain(&mut self) {
        let workers = std::mem::take(&mut self.workers);
        self.let_workers_end();
        self.commit();
        self.audit();
        self.workers = workers;
    }

    fn let_workers_end(&mut self) {
        while !self.visits.is_empty() {
            if self.visits.iter().any(|worker| worker.due() <= self.now) {
                self.work_one();
            } else {
                self.pass_time(None);
            }
        }
    }

    pub(crate) fn commit(&mut self) {
        self.commit_with(|_, _| ());
    }

    fn commit_with(&mut self, last: impl FnOnce(&mut Frontier, &mut Batch)) {
        let mut batch = self.batch.take().unwrap();
        let frontier = &mut self.frontier;
        frontier.settle_refusals(&mut batch).unwrap();
        for (key, record) in frontier.take_shallower(&mut batch, CRAWL, 3).unwrap() {
            let offers = match (&record.outcome, self.servers.web().pages.get(&record.url)) {
                (Outcome::Redirected { to }, _) => {
                    vec![Offer {
                        depth: record.depth,
                        start: record.depth == 0,
                        hops: record.hops + 1,
                        ..link(to, key, true)
                    }]
                }
                (_, Some(Answer::Page { links, .. })) => {
                    let links = links.iter().map(|(to, follow)| link(to, key, *follow));
                    links.map(|offer| Offer { depth: record.depth + 1, ..offer }).collect()
                }
                _ => Vec::new(),
            };
            for offer in offers {
                frontier.offer(&mut batch, CRAWL, offer, self.now).unwrap();
            }
        }
        frontier.reconsider(&mut batch, CRAWL, 5).unwrap();
        let at_once = if self.by_chance { 5 } else { 4_096 };
        frontier.reorder(&mut batch, CRAWL, at_once).unwrap();
        frontier.seal(&mut batch, self.now).unwrap();
        last(frontier, &mut batch);
        // Leasing goes on while the disk is busy.
        self.batch = Some(batch);
        self.lease_meanwhile();
        let batch = self.batch.replace(self.store.batch()).unwrap();
        self.store.commit(batch, Durability::Synced).unwrap();
        self.lease_meanwhile();
        self.frontier.committed(self.now).unwrap();
        for key in self.settled.drain(..) {
            self.in_hand.remove(&key);
        }
        self.servers.hosts.commit();
        if self.stats().distinct < 500 || self.seed.chance(1, 20) {
            self.audit();
        }
    }

    fn audit(&self) {
        let findings = audit(&self.store, CRAWL).unwrap();
        assert!(findings.is_empty(), "{findings:?}");
    }

    /// Takes what the frontier says next.
    fn ask(&mut self) -> Option<Finish> {
        match self.frontier.next(CRAWL, self.now).unwrap() {
            Next::Lease(lease) => self.take(*lease),
            Next::Resolve(host) => self.resolve(&host),
            Next::Wait { until, busy, .. } => {
                assert!(until.is_some() || busy, "a wait for nothing");
                self.pass_time(until);
            }
            end @ (Next::Done | Next::Reached(_)) => {
                if !self.visits.is_empty() {
                    assert!(!matches!(end, Next::Done), "done while visits are under way");
                    self.pass_time(None);
                    return None;
                }
                self.drain();
                return Some(match end {
                    Next::Reached(limit) => Finish::Reached(limit),
                    _ => Finish::Done,
                });
            }
        }
        None
    }

    fn lease_meanwhile(&mut self) {
        if self.by_chance && self.seed.chance(1, 3) && self.visits.len() < self.workers {
            match self.frontier.next(CRAWL, self.now).unwrap() {
                Next::Lease(lease) => self.take(*lease),
                Next::Resolve(host) => self.resolve(&host),
                _ => {}
            }
        }
    }

    fn resolve(&mut self, host: &Host) {
        let answer = self.servers.resolve(host, self.now);
        self.frontier.resolved(host, answer, self.now).unwrap();
    }

    fn take(&mut self, lease: Lease) {
        let taken = self.visits.iter().any(|worker| worker.host == lease.host);
        assert!(!taken, "{} is leased twice at once", lease.host.as_str());
        assert!(!lease.urls.is_empty(), "an empty lease");
        for url in &lease.urls {
            assert!(self.in_hand.insert(url.key), "{} is leased twice at once", url.url);
            let row = page_key(CRAWL, url.key);
            let record = self.batch.as_ref().unwrap().get(&URLS, &row).unwrap().unwrap();
            assert!(record.outcome.is_open(), "{} is leased but {}", url.url, record.outcome);
            if let Outcome::Retrying { due, .. } = record.outcome {
                assert!(due <= self.now, "{} is leased before its retry is due", url.url);
            }
        }
        self.order.push(lease.clone());
        self.visits.push(Worker {
            lease: lease.id,
            host: lease.host,
            gap: lease.gap,
            left: lease.urls.into(),
            under_way: None,
            next_start: self.now,
        });
        // An address's clock counts from the lease: a worker asks at once.
        let last = self.visits.len() - 1;
        self.work(last);
    }

    /// Lets one worker that is due do its next piece of work.
    fn work_one(&mut self) {
        let due: Vec<usize> = (0..self.visits.len()).filter(|&n| self.visits[n].due() <= self.now).collect();
        let chosen = due[self.seed.below(due.len())];
        self.work(chosen);
    }

    fn work(&mut self, number: usize) {
        let now = self.now;
        let worker = &mut self.visits[number];
        if let Some((_, work)) = worker.under_way.take() {
            let lease = worker.lease;
            match work {
                Work::Fetch(url, visit) => self.settle(lease, url, visit),
                Work::Robots(url, sent, delay) => self.know_robots(number, url, sent, delay),
            }
            return;
        }
        let Some(url) = worker.left.pop_front() else {
            let worker = self.visits.remove(number);
            self.frontier.release(worker.lease, now).unwrap();
            return;
        };
        if self.by_chance && self.seed.chance(1, 20) {
            // Unasked.
            self.in_hand.remove(&url.key);
            self.frontier.hand_back(worker.lease, url.key).unwrap();
            return;
        }
        let fake = &self.servers.web().hosts[&worker.host];
        let origin = url.url.origin().as_str().to_owned();
        let needs_robots =
            fake.robots.is_some() && !self.batch.as_ref().unwrap().contains(&ROBOTS, &origin).unwrap();
        if needs_robots && fake.unreachable == 0 {
            let (sent, delay) = self.servers.robots(&url.url, now, &self.politeness);
            worker.under_way = Some((sent.end, Work::Robots(url, sent, delay)));
            return;
        }
        let visit = self.servers.fetch(&url.url, url.key, url.body_limit, now, &self.politeness);
        let end = visit.sent.map_or(now, |sent| sent.end);
        worker.next_start = now + worker.gap;
        worker.under_way = Some((end, Work::Fetch(url, visit)));
    }

    fn settle(&mut self, lease: LeaseId, url: LeasedUrl, visit: Visit) {
        let unsettled = matches!(visit.end, frontier::End::NoRoom);
        let settled = Settled { lease, key: url.key, sent: visit.sent, asked: visit.asked, end: visit.end };
        self.frontier.settle(self.batch.as_mut().unwrap(), settled, self.now).unwrap();
        self.servers.hosts.tell(&url.url.host());
        if unsettled {
            self.in_hand.remove(&url.key);
        } else {
            self.settled.push(url.key);
        }
    }

    /// The pause that robots.txt asks for begins now, so the lease ends.
    fn know_robots(&mut self, number: usize, url: LeasedUrl, sent: Sent, delay: Option<Duration>) {
        let answer = RobotsAnswer::Rules { text: b"made up".to_vec(), version: 1 };
        let expires = Timestamp(u64::MAX);
        let record = RobotsRecord { fetched: sent.start, expires, answer };
        let batch = self.batch.as_mut().unwrap();
        let (origin, host) = (url.url.origin(), url.url.host());
        self.frontier.robots(batch, CRAWL, &origin, &record, Some(sent), delay).unwrap();
        self.servers.hosts.tell(&host);
        let worker = self.visits.remove(number);
        for left in worker.left.iter().chain([&url]) {
            self.in_hand.remove(&left.key);
        }
        self.frontier.release(worker.lease, self.now).unwrap();
    }

    /// Moves the clock to what comes next: a visit's end or the frontier's word. Where neither is, a commit.
    fn pass_time(&mut self, until: Option<Timestamp>) {
        let next = self.visits.iter().map(Worker::due).chain(until).min();
        match next {
            Some(next) => self.now = self.now.max(next),
            None => self.commit(),
        }
    }
}

impl Worker {
    fn due(&self) -> Timestamp {
        match &self.under_way {
            Some((end, _)) => *end,
            None if self.left.is_empty() => Timestamp::ZERO,
            None => self.next_start,
        }
    }
}

/// Requests by host, from the servers' log.
pub(crate) fn requests_by_host(driver: &Driver) -> HashMap<Host, u64> {
    let mut requests = HashMap::new();
    for (_, url) in &driver.servers.log {
        *requests.entry(url.host()).or_default() += 1;
    }
    requests
}
