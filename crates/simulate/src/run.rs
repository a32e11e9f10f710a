//! A simulated crawl: the frontier says what is next, and a clock of its own says when that is done.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::hint::black_box;
use std::net::Ipv4Addr;
use std::time::Duration;

use frontier::tables::{RequestRecord, Told};
use frontier::{Asked, End, Frontier, Next, Offer, PageTopic, Patience, RANK_TOLERANCE, Sent, Settled};
use graph::PageRank;
use kv::{Batch, Durability, Store};
use model::{
    CrawlId, CrawlSettings, ErrorKind, Host, HostKey, Lease, LeaseId, LeasedUrl, Outcome, PageUrl, Project,
    RobotsMode, Scope, Size, Timestamp, UrlKey,
};

use crate::replay::{self, Replay};
use crate::web::{Look, Says};
use crate::{SimWeb, SimulateError};

const CRAWL: CrawlId = CrawlId(1);

/// Long after 1970, so that a clock never set is in the past.
const BEGIN: Timestamp = Timestamp(1_000_000_000_000);

/// Settled visits at most between two commits.
const GROUP: usize = 64;

/// Turns in a row without anything to fetch after which nothing more will come.
const MOST_IDLE: u32 = 1_000;

/// How to crawl.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where to begin.
    pub seeds: Vec<u32>,
    /// Settings as of any crawl: order, rate, limits.
    pub settings: CrawlSettings,
    /// The Web has URLs that scope and other rules of the settings are for; else all of it is in scope.
    pub by_rules: bool,
    /// Fetches at once.
    pub workers: usize,
    /// How long a fetch takes where the Web does not say.
    pub latency: Duration,
    /// URLs that are chosen at once, the next only when all of them are fetched; 0 = as the frontier has it.
    pub queue: usize,
    /// Which pages' links are followed.
    pub expand: Expand,
    /// When to stop.
    pub time: Option<Duration>,
    /// The plan is that of the crawl itself: where its store tells when its requests were sent and when they ended, as
    /// that of a crawl with one connection does, they are so here.
    pub replay: bool,
}

impl Plan {
    /// The same for a sample of one URL in so many: what is counted is that much less, and so is the time.
    pub fn for_sample(mut self, every: u64) -> Plan {
        let every = every.max(1);
        let less = |limit: u64| if limit > 0 { limit.div_ceil(every) } else { 0 };
        let settings = &mut self.settings;
        settings.max_pages = less(settings.max_pages);
        settings.max_pages_per_host = less(settings.max_pages_per_host);
        if let Some(bytes) = settings.max_bytes.limit() {
            settings.max_bytes = Size::from_bytes(less(bytes));
        }
        self.time = self.time.map(|time| time.div_f64(every as f64));
        self
    }
}

/// Which pages' links are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Expand {
    /// Those of all pages.
    #[default]
    All,
    /// Those of pages on topic, and of where crawls begin.
    Relevant,
}

/// What a crawl fetched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Pages in the order in which they were done.
    pub fetched: Vec<Download>,
    /// Requests sent, also for what was no page.
    pub requests: u64,
    /// Bytes of pages, where the Web knows them.
    pub bytes: u64,
}

/// A page that was fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Download {
    /// The page.
    pub page: u32,
    /// When it was done, in milliseconds since the begin.
    pub millis: u64,
    /// By which worker, from 0.
    pub worker: u32,
}

impl Run {
    /// The pages in order.
    pub fn order(&self) -> Vec<u32> {
        self.fetched.iter().map(|done| done.page).collect()
    }
}

/// Crawls a Web by a plan.
pub fn run(web: &SimWeb, plan: &Plan) -> Result<Run, SimulateError> {
    run_watched(web, plan, &mut |_| true)
}

/// The same; `watch` is told of each page, and ends the crawl by saying false.
pub fn run_watched(
    web: &SimWeb,
    plan: &Plan,
    watch: &mut dyn FnMut(&Download) -> bool,
) -> Result<Run, SimulateError> {
    if web.pages() == 0 || plan.seeds.is_empty() {
        return Err(SimulateError::Empty);
    }
    let mut settings = plan.settings.clone();
    if !plan.by_rules {
        settings.scope = Scope::Any;
    }
    settings.robots = RobotsMode::Ignore;
    let start = plan.seeds.iter().map(|seed| web.url(*seed)).collect::<Result<_, _>>()?;
    let name = "simulation".parse().expect("a plain word is a name");
    let project = Project { name, start, crawl: settings, fields: None, index: None };
    let store = Store::memory();
    let history = web.history.clone().filter(|_| plan.replay && plan.workers <= 1 && plan.queue == 0);
    let replay = history.map(Replay::new);
    let begin = replay.as_ref().and_then(|replay| Some(replay.history().requests.first()?.start));
    let begin = begin.unwrap_or(BEGIN);
    let mut frontier = Frontier::open(store.clone(), begin)?;
    frontier.begin(CRAWL, &project)?;
    frontier.set_deadline(CRAWL, plan.time.map(|time| begin + time));
    if let Some(replay) = &replay {
        frontier.foretell(CRAWL, replay.history().refused.iter().cloned());
    }
    let batch = store.batch();
    let mut crawl = Simulation {
        web,
        plan,
        watch,
        frontier,
        store,
        batch,
        settled: 0,
        chosen: 0,
        replay,
        begin,
        now: begin,
        workers: BTreeMap::new(),
        idle_workers: (0..plan.workers.max(1) as u32).collect(),
        events: BinaryHeap::new(),
        named: vec![None; web.pages() as usize],
        over: false,
        run: Run::default(),
    };
    for seed in &plan.seeds {
        let offer = Offer { start: true, via: None, ..crawl.offer(*seed, None, Look::default())? };
        crawl.frontier.offer(&mut crawl.batch, CRAWL, offer, begin)?;
    }
    if plan.workers <= 1 && plan.queue == 0 {
        crawl.go_alone()?;
    } else {
        crawl.commit()?;
        crawl.go()?;
    }
    Ok(crawl.run)
}

struct Simulation<'a> {
    web: &'a SimWeb,
    plan: &'a Plan,
    watch: &'a mut dyn FnMut(&Download) -> bool,
    frontier: Frontier,
    store: Store,
    batch: Batch,
    settled: usize,
    /// URLs chosen since the queue was last filled.
    chosen: usize,
    /// The crawl that is repeated, while it goes as it went.
    replay: Option<Replay>,
    begin: Timestamp,
    now: Timestamp,
    workers: BTreeMap<LeaseId, Worker>,
    idle_workers: BTreeSet<u32>,
    /// When the fetch of each lease ends.
    events: BinaryHeap<Reverse<(Timestamp, LeaseId)>>,
    /// URLs of pages, each made once: they are offered again and again.
    named: Vec<Option<(PageUrl, UrlKey)>>,
    /// The watcher has seen enough.
    over: bool,
    run: Run,
}

/// True of what a request is sent for.
fn is_asked(says: &Says) -> bool {
    !matches!(says, Says::Disallowed | Says::Unknown)
}

/// A lease in hand.
struct Worker {
    number: u32,
    left: VecDeque<LeasedUrl>,
    gap: Duration,
    started: Timestamp,
    /// Its number in the crawl that is repeated.
    repeats: Option<u64>,
}

impl Simulation<'_> {
    /// One request at a time, as a crawl with one connection has it: what came of a lease is settled and committed
    /// before the next is chosen.
    fn go_alone(&mut self) -> Result<(), SimulateError> {
        let end = self.plan.time.map(|time| self.begin + time);
        let is_over = |now: Timestamp| end.is_some_and(|end| now > end);
        self.seal()?;
        self.commit_all()?;
        let mut idle = 0;
        while idle <= MOST_IDLE {
            match self.frontier.next(CRAWL, self.now)? {
                Next::Lease(lease) => {
                    idle = 0;
                    if !self.run_errand(&lease)? {
                        self.take(*lease)?;
                    }
                    while let Some(Reverse((due, lease))) = self.events.pop() {
                        if is_over(due) {
                            return Ok(());
                        }
                        self.now = self.now.max(due);
                        self.fetched(lease)?;
                        if self.over {
                            return Ok(());
                        }
                    }
                    self.commit_all()?;
                }
                Next::Resolve(host) => {
                    self.resolve(&host)?;
                    self.commit_all()?;
                }
                Next::Done | Next::Reached(_) => return Ok(()),
                Next::Wait { until: Some(until), .. } if until > self.now && !self.has_side_work() => {
                    idle += 1;
                    self.now = until;
                }
                Next::Wait { .. } => {
                    idle += 1;
                    self.commit_all()?;
                }
            }
            if is_over(self.now) {
                return Ok(());
            }
        }
        Err(SimulateError::StandsStill(self.run.fetched.len() as u64))
    }

    /// Repeats what was asked of a host besides pages, if it was asked that with this lease.
    fn run_errand(&mut self, lease: &Lease) -> Result<bool, SimulateError> {
        self.offer_named()?;
        let host = HostKey::of(&lease.host);
        let errand = self.replay.as_mut().map(|replay| replay.errand(host)).unwrap_or_default();
        for request in &errand {
            if let Told::Rests { until } = request.told {
                self.frontier.rest(CRAWL, host, until);
                continue;
            }
            let (sent, asked) = replay::told(request);
            let busy = matches!(request.told, Told::Busy { .. });
            self.frontier.repeat_errand(CRAWL, host, sent, asked, busy);
            self.now = self.now.max(sent.end);
            self.run.requests += 1;
        }
        if !errand.is_empty() {
            self.offer_named()?;
            self.frontier.release(lease.id, self.now)?;
        }
        Ok(!errand.is_empty())
    }

    /// Offers what was named by robots.txt and crawl hints until now.
    fn offer_named(&mut self) -> Result<(), SimulateError> {
        let now = self.now;
        for named in self.replay.as_mut().map(|replay| replay.named(now)).unwrap_or_default() {
            let offer = Offer { depth: named.depth, ..self.offer(named.number, None, Look::default())? };
            self.frontier.offer(&mut self.batch, CRAWL, offer, now)?;
        }
        Ok(())
    }

    fn resolve(&mut self, host: &Host) -> Result<(), SimulateError> {
        let key = HostKey::of(host);
        let known = self.replay.as_mut().and_then(|replay| replay.resolved(key));
        // Each host has an address of its own, unless more is known.
        let own = || Ipv4Addr::from((key.0 as u32 | 1).to_be_bytes()).into();
        let answer = known.unwrap_or_else(|| Ok((own(), Timestamp(u64::MAX))));
        Ok(self.frontier.resolved(host, answer, self.now)?)
    }

    fn go(&mut self) -> Result<(), SimulateError> {
        // A frontier that waits for nothing would keep us for ever.
        let mut idle = 0;
        let end = self.plan.time.map(|time| BEGIN + time);
        let queue = self.plan.queue;
        loop {
            if self.over || end.is_some_and(|end| self.now > end) {
                return Ok(());
            }
            while self.workers.len() < self.plan.workers.max(1) {
                if queue > 0 && self.chosen >= queue {
                    if !self.workers.is_empty() {
                        break;
                    }
                    self.commit()?;
                }
                let until = match self.frontier.next(CRAWL, self.now)? {
                    Next::Lease(lease) => {
                        idle = 0;
                        self.take(*lease)?;
                        continue;
                    }
                    Next::Resolve(host) => {
                        self.resolve(&host)?;
                        continue;
                    }
                    Next::Done | Next::Reached(_) if self.workers.is_empty() => return Ok(()),
                    Next::Done | Next::Reached(_) => break,
                    Next::Wait { until, .. } => until,
                };
                if self.settled > 0 && (queue == 0 || self.workers.is_empty()) {
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
                if end.is_some_and(|end| self.now > end) {
                    return Ok(());
                }
            }
            if let Some(Reverse((due, lease))) = self.events.pop() {
                if end.is_some_and(|end| due > end) {
                    return Ok(());
                }
                self.now = self.now.max(due);
                self.fetched(lease)?;
            }
        }
    }

    fn take(&mut self, lease: Lease) -> Result<(), SimulateError> {
        let mut left: VecDeque<LeasedUrl> = lease.urls.into();
        if self.plan.queue > 0 {
            let room = (self.plan.queue - self.chosen).max(1);
            while left.len() > room
                && let Some(surplus) = left.pop_back()
            {
                self.frontier.hand_back(lease.id, surplus.key)?;
            }
            self.chosen += left.len();
        }
        let number = self.idle_workers.pop_first().unwrap_or(0);
        let (started, due) = self.times(self.now, left.front());
        self.workers.insert(lease.id, Worker { number, left, gap: lease.gap, started, repeats: None });
        self.events.push(Reverse((due, lease.id)));
        Ok(())
    }

    /// When a fetch begins, at the earliest, and when it ends.
    fn times(&self, earliest: Timestamp, leased: Option<&LeasedUrl>) -> (Timestamp, Timestamp) {
        if let Some((replay, leased)) = self.replay.as_ref().zip(leased) {
            if let Some(request) = replay.peek(leased) {
                return (request.start, request.end);
            }
            if !replay.is_ahead(leased.key) {
                // What was not asked for took no time, and nobody waited for its turn.
                return (self.now, self.now);
            }
        }
        (earliest, earliest + self.took(leased))
    }

    /// How long a fetch takes; no time where nothing is asked for.
    fn took(&self, leased: Option<&LeasedUrl>) -> Duration {
        let page = leased.and_then(|leased| self.web.page(&leased.url));
        if page.is_none_or(|page| !is_asked(&self.web.says(page))) {
            return Duration::ZERO;
        }
        let millis = page.and_then(|page| self.web.millis.get(page as usize));
        millis.map_or(self.plan.latency, |millis| Duration::from_millis(u64::from(*millis)))
    }

    /// The first URL of a lease is fetched: settles it, and begins the next.
    fn fetched(&mut self, lease: LeaseId) -> Result<(), SimulateError> {
        let now = self.now;
        let Some(worker) = self.workers.get_mut(&lease) else { return Ok(()) };
        let (started, number) = (worker.started, worker.number);
        let Some(leased) = worker.left.pop_front() else { return Ok(()) };
        let page = self.web.page(&leased.url);
        let request = self.replay.as_mut().and_then(|replay| replay.take(&leased));
        if let Some(replay) = &self.replay
            && request.is_none()
            && replay.is_ahead(leased.key)
        {
            // It comes earlier than in the crawl: from here on nothing is known of when.
            self.replay = None;
        }
        let says = page.map_or(Says::Unknown, |page| self.web.says(page));
        let (sent, asked) = match &request {
            Some(request) => {
                let (sent, asked) = replay::told(request);
                (Some(sent), asked)
            }
            None => {
                let is_sent = self.replay.is_none() && is_asked(&says);
                let crawl_delay = page.and_then(|page| self.web.pause(page));
                (
                    is_sent.then_some(Sent { start: started, end: now }),
                    Asked { crawl_delay, retry_after: None },
                )
            }
        };
        self.go_on(lease, request.as_ref())?;
        let end = match request.as_ref().and_then(replay::ended) {
            Some(end) => end,
            None => self.end(says, page.unwrap_or(0), &leased)?,
        };
        let is_page = matches!(end, End::Page { .. });
        self.run.requests += u64::from(sent.is_some());
        self.frontier.settle(&mut self.batch, Settled { lease, key: leased.key, sent, asked, end }, now)?;
        if let Some(page) = page.filter(|_| is_page) {
            let done = Download { page, millis: now.since(self.begin).as_millis() as u64, worker: number };
            self.run.bytes += self.web.bytes.get(page as usize).map_or(0, |bytes| u64::from(*bytes));
            self.run.fetched.push(done);
            self.over |= !(self.watch)(&done);
        }
        self.settled += 1;
        if !self.workers.contains_key(&lease) {
            self.frontier.release(lease, now)?;
        }
        if self.settled >= GROUP && self.plan.queue == 0 && self.plan.workers > 1 {
            self.commit()?;
        }
        Ok(())
    }

    /// Begins the next fetch of a lease, if there is one.
    fn go_on(&mut self, lease: LeaseId, request: Option<&RequestRecord>) -> Result<(), SimulateError> {
        let Some(worker) = self.workers.get_mut(&lease) else { return Ok(()) };
        worker.repeats = request.map(|request| request.lease).or(worker.repeats);
        if let (Some(replay), Some(repeats)) = (&self.replay, worker.repeats)
            && !replay.goes_on(repeats)
        {
            // The crawl gave the rest back: its host was to rest, or the crawl was paused. What robots.txt forbids it has
            // settled on its way.
            let rests = request.is_some_and(replay::ends_lease);
            let is_settled = |url: &LeasedUrl| {
                let page = self.web.page(&url.url);
                !rests && page.is_some_and(|page| self.web.says(page) == Says::Disallowed)
            };
            let (left, back): (VecDeque<_>, VecDeque<_>) =
                std::mem::take(&mut worker.left).into_iter().partition(is_settled);
            worker.left = left;
            for url in back {
                self.frontier.hand_back(lease, url.key)?;
            }
        }
        let Some(next) = worker.left.front().cloned() else {
            if let Some(worker) = self.workers.remove(&lease) {
                self.idle_workers.insert(worker.number);
            }
            return Ok(());
        };
        let earliest = self.now.max(worker.started + worker.gap);
        let (started, due) = self.times(earliest, Some(&next));
        if let Some(worker) = self.workers.get_mut(&lease) {
            worker.started = started;
        }
        self.events.push(Reverse((due, lease)));
        Ok(())
    }

    /// What the frontier is told of a visit.
    fn end(&mut self, says: Says, page: u32, leased: &LeasedUrl) -> Result<End, SimulateError> {
        Ok(match says {
            Says::Page => {
                let places = self.web.places(page);
                let looks = self.web.looks.get(places.clone());
                let follow =
                    self.plan.expand == Expand::All || leased.depth == 0 || self.web.is_on_topic(page);
                let targets = if follow { self.web.links(page) } else { &[] };
                self.touch(targets);
                let mut links = Vec::with_capacity(targets.len());
                for (at, target) in targets.iter().enumerate() {
                    let look = looks.and_then(|looks| looks.get(at)).copied().unwrap_or_default();
                    links.push(self.offer(*target, Some(leased.key), look)?);
                }
                let topic = self.web.has_topic().then(|| PageTopic {
                    tag: 0,
                    value: self.web.relevance(page),
                    relevance: self.web.relevance(page),
                    on_topic: self.web.is_on_topic(page),
                    promises: self.web.promises.get(places).unwrap_or_default().to_vec(),
                });
                let bytes = self.web.bytes.get(page as usize).map_or(0, |bytes| u64::from(*bytes));
                End::Page { bytes, links, text: None, topic }
            }
            Says::Redirect(to) => End::Redirect { to: self.web.url(to)?, passing: false },
            Says::Failed(error) => End::Failed { error, patience: Patience::Drop },
            Says::Disallowed => End::Disallowed { line: None },
            Says::Unwanted(what) => End::Unwanted { what },
            Says::Unknown => End::Failed { error: ErrorKind::Status(404), patience: Patience::Drop },
        })
    }

    fn commit(&mut self) -> Result<(), SimulateError> {
        self.set_ranks();
        self.side_work()?;
        self.seal()
    }

    /// Commits until there is nothing left to do but to fetch.
    fn commit_all(&mut self) -> Result<(), SimulateError> {
        loop {
            self.side_work()?;
            self.set_ranks();
            self.seal()?;
            if !self.has_side_work() {
                return Ok(());
            }
        }
    }

    fn has_side_work(&self) -> bool {
        self.frontier.has_shallower(CRAWL)
            || self.frontier.has_to_reconsider(CRAWL)
            || self.frontier.has_to_reorder(CRAWL)
            || self.frontier.crawl(CRAWL).has_refusals()
    }

    fn set_ranks(&mut self) {
        if self.frontier.wants_ranks(CRAWL) {
            let known = self.frontier.known_links(CRAWL);
            let solve = PageRank { tolerance: RANK_TOLERANCE, ..PageRank::default() };
            let ranks = solve.forward(known.estimates(), || known.pages());
            self.frontier.set_ranks(CRAWL, &known, &ranks.multiples());
        }
    }

    /// Work that no fetch brings: refusals, pages that came closer.
    fn side_work(&mut self) -> Result<(), SimulateError> {
        self.frontier.settle_refusals(&mut self.batch)?;
        self.frontier.reconsider(&mut self.batch, CRAWL, GROUP)?;
        self.frontier.reorder(&mut self.batch, CRAWL, GROUP)?;
        for (key, record) in self.frontier.take_shallower(&mut self.batch, CRAWL, GROUP)? {
            self.offer_again(key, &record.url, record.depth, &record.outcome, record.hops)?;
        }
        Ok(())
    }

    fn seal(&mut self) -> Result<(), SimulateError> {
        self.frontier.seal(&mut self.batch, self.now)?;
        let batch = std::mem::replace(&mut self.batch, self.store.batch());
        self.store.commit(batch, Durability::Synced)?;
        self.frontier.committed(self.now)?;
        (self.settled, self.chosen) = (0, 0);
        Ok(())
    }

    /// The links of a page that has come closer.
    fn offer_again(
        &mut self,
        key: UrlKey,
        url: &PageUrl,
        depth: u32,
        outcome: &Outcome,
        hops: u32,
    ) -> Result<(), SimulateError> {
        let Some(page) = self.web.page(url) else { return Ok(()) };
        if let (Outcome::Redirected { .. }, Says::Redirect(to)) = (outcome, self.web.says(page)) {
            let offer = self.offer(to, Some(key), Look::default())?;
            let offer = Offer { depth, start: depth == 0, hops: hops + 1, ..offer };
            return Ok(self.frontier.offer(&mut self.batch, CRAWL, offer, self.now)?);
        }
        if self.plan.expand == Expand::Relevant && depth > 0 && !self.web.is_on_topic(page) {
            return Ok(());
        }
        let places = self.web.places(page);
        for (at, target) in places.zip(self.web.links(page)) {
            let look = self.web.looks.get(at).copied().unwrap_or_default();
            let offer = self.offer(*target, Some(key), look)?;
            let offer = Offer { depth: depth + u32::from(!look.further), ..offer };
            self.frontier.offer(&mut self.batch, CRAWL, offer, self.now)?;
        }
        Ok(())
    }

    /// Has the URLs of pages read, all of them at once: one after the other, each would be waited for.
    fn touch(&self, pages: &[u32]) {
        let first = |page: &u32| {
            let url = self.named.get(*page as usize)?.as_ref()?.0.as_str();
            url.as_bytes().first()
        };
        black_box(pages.iter().filter_map(first).fold(0, |sum, byte| sum ^ byte));
    }

    fn offer(&mut self, page: u32, via: Option<UrlKey>, look: Look) -> Result<Offer, SimulateError> {
        let named = self.named.get_mut(page as usize).ok_or(SimulateError::NoPage(page))?;
        let (url, key) = match named {
            Some(named) => named.clone(),
            None => {
                let url = self.web.url(page)?;
                named.insert((url.clone(), UrlKey::of(&url))).clone()
            }
        };
        Ok(Offer {
            key,
            url,
            depth: 0,
            via,
            unfollowed: look.unfollowed,
            start: false,
            hops: 0,
            further: look.further,
            weight: look.weight,
            links: 1,
        })
    }
}
