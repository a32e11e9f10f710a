//! One crawl in memory: its rules, its counts, and the hosts that may be asked next.

use std::collections::BTreeSet;
use std::time::Duration;

use kv::{Batch, Reader, Store};
use model::{CrawlId, CrawlSettings, HostKey, Outcome, PageUrl, Policy, Project, Timestamp, UrlKey};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::guards::Guards;
use crate::importance::{Facts, Importance};
use crate::key_hash::{KeyMap, KeySet};
use crate::order::{self, Candidate, CrawlOrder, Needs};
use crate::ready::Ready;
use crate::sieve::NeverMet;
use crate::tables::{
    FACTS, LATER, PageKey, QUEUE, REQUESTS, REVISITS, RequestRecord, SCHEDULE, SHALLOWER, SITES, STATS,
    SiteRecord, Stats, URLS, UrlRecord, Waiting,
};
use crate::{FrontierError, Politeness, Retry, Rules, page_key};

/// One crawl in memory.
pub struct Crawl {
    pub(crate) id: CrawlId,
    pub(crate) settings: CrawlSettings,
    pub(crate) rules: Rules,
    pub(crate) guards: Guards,
    pub(crate) politeness: Politeness,
    pub(crate) retry: Retry,
    pub(crate) order: Box<dyn CrawlOrder>,
    /// What that looks at.
    pub(crate) needs: Needs,
    /// What links say of waiting URLs, for orders that ask.
    pub(crate) importance: Importance,
    /// The epoch in which the URLs of all hosts in memory were last put in order.
    pub(crate) swept: u64,
    /// The host to begin with when URLs are put in order.
    pub(crate) next_in_order: HostKey,
    /// Shown to orders that do not look at it.
    any_url: PageUrl,
    pub(crate) stats: Stats,
    pub(crate) stats_changed: bool,
    /// Hosts in memory; others may be on disk.
    pub(crate) sites: KeyMap<HostKey, Site>,
    /// May be asked now.
    pub(crate) ready: Ready,
    /// Rest until then.
    pub(crate) sleeping: BTreeSet<(Timestamp, HostKey)>,
    /// When to look into the schedule for hosts that are not in memory; never when all are.
    pub(crate) look_again: Option<Timestamp>,
    /// Tells URLs that were never met, if there were none when the crawl was opened.
    pub(crate) never_met: Option<NeverMet>,
    /// Leased, or settled and not yet committed.
    pub(crate) in_hand: KeySet<UrlKey>,
    /// Settled in the open batch.
    pub(crate) settled: Vec<UrlKey>,
    /// Hosts with changes in the open batch.
    pub(crate) touched: KeySet<HostKey>,
    /// Requests since the last commit, where they are kept.
    pub(crate) requests: Vec<(u64, RequestRecord)>,
    /// The number of the next.
    next_request: u64,
    /// What guards refused, of a crawl that is simulated: they are not asked again.
    pub(crate) foretold: Option<KeyMap<UrlKey, Outcome>>,
    /// Outcomes found while leasing, to be recorded in the next batch.
    pub(crate) refused: Vec<(UrlKey, Outcome)>,
    /// Pages that live leases may still bring.
    pub(crate) reserved_pages: u64,
    /// Bytes that live leases may still bring.
    pub(crate) reserved_bytes: u64,
    /// A page did not fit into what was left of `max_bytes`.
    pub(crate) bytes_exhausted: bool,
    /// Rows of SHALLOWER not yet worked off.
    pub(crate) shallower: u64,
    /// Rows of REVISITS: pages that wait to be asked for again, and URLs that others were given up for.
    pub(crate) revisits: u64,
    /// The rules have changed: where to go on judging refused URLs anew.
    pub(crate) reconsider: Option<Option<PageKey>>,
    /// The collection was full when the run began: what was given up for others stays so when the rules change.
    pub(crate) began_full: bool,
    /// URLs that failed are put back while others are judged anew.
    pub(crate) retry_failed: bool,
    /// Waiting URLs have their places by another order: where to go on giving them new ones.
    pub(crate) reorder: Option<QueueKey>,
    /// The tag of the topic that it was given while it ran.
    pub(crate) topic: Option<u16>,
    /// How long hosts take, for orders that ask.
    pub(crate) times: KeyMap<HostKey, Times>,
    /// When the crawl has to end, for orders that ask.
    pub(crate) deadline: Option<Timestamp>,
    /// Hosts were passed over because a page of theirs may last too long.
    pub(crate) out_of_time: bool,
}

/// Crawl, host, place: the key of a row of the queue.
pub(crate) type QueueKey = (u32, u64, (u32, u64));

/// A host of a crawl in memory.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) record: SiteRecord,
    pub(crate) place: Place,
    /// No row of its queue in the store lies before this.
    pub(crate) head: (u32, u64),
    /// The first of its rows in the open batch.
    pub(crate) fresh_head: (u32, u64),
    /// When the first of its retries is due, by the last commit.
    pub(crate) first_retry: Option<Timestamp>,
    /// The epoch in which its URLs were last put in order.
    pub(crate) epoch: u64,
    /// URLs leased so far, for the turns of lanes.
    pub(crate) served: usize,
    /// When its URLs were last sorted all together, where the order does that.
    pub(crate) dealt: Dealt,
}

/// How a host was when its URLs were sorted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Dealt {
    /// URLs leased until then.
    pub(crate) served: usize,
    /// Links on its pages, on the average.
    pub(crate) links_on: f64,
}

/// How long a host's latest answers took.
#[derive(Debug, Default)]
pub(crate) struct Times {
    millis: Vec<u32>,
    next: usize,
}

impl Times {
    /// Answers remembered.
    const MOST: usize = 64;

    pub(crate) fn add(&mut self, took: Duration) {
        let millis = took.as_millis().min(u128::from(u32::MAX)) as u32;
        match self.millis.len() < Times::MOST {
            true => self.millis.push(millis),
            false => self.millis[self.next] = millis,
        }
        self.next = (self.next + 1) % Times::MOST;
    }

    /// The time within which 95 of 100 answers came.
    pub(crate) fn p95(&self) -> Duration {
        let mut millis = self.millis.clone();
        millis.sort_unstable();
        let place = (millis.len() * 95).div_ceil(100).saturating_sub(1);
        Duration::from_millis(u64::from(millis.get(place).copied().unwrap_or(0)))
    }
}

/// Hosts kept in memory per crawl; the others wait in the schedule on disk.
pub(crate) const FRONT: usize = 16_384;

/// A host that rests longer than this makes room for one that is due.
const LONG_REST: Duration = Duration::from_secs(60);

/// Before every row.
pub(crate) const BEGIN: (u32, u64) = (0, 0);

/// After every row.
pub(crate) const END: (u32, u64) = (u32::MAX, u64::MAX);

/// Where a host stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nowhere: leased, being resolved, or nothing to lease before the next commit.
    #[default]
    Aside,
    /// By its best URL, and whether it is known to answer soon.
    Ready((u32, u64), bool),
    Sleeping(Timestamp),
}

impl Crawl {
    pub(crate) fn open(store: &Store, id: CrawlId, project: &Project) -> Result<Crawl, FrontierError> {
        let settings = project.crawl.clone();
        let rules = rules_of(store, id, project)?;
        let fingerprint = rules.fingerprint();
        let last_rules = store.get(&FACTS, &rules_fact(id))?;
        let last_order = store.get(&FACTS, &order_fact(id))?;
        let stats = store.get(&STATS, &id.0)?.unwrap_or_default();
        let order = order::named(&settings);
        let needs = order.needs();
        let fetched = stats.outcomes.get("fetched").copied().unwrap_or(0);
        let revisits = store.prefix(&REVISITS, &id.0).keys().count() as u64;
        let last_request = store.prefix(&REQUESTS, &id.0).keys().next_back().transpose()?;
        let next_request = last_request.map_or(1, |(_, number)| number + 1);
        let most = settings.max_pages;
        let began_full = most > 0 && stats.pages() + revisits >= most;
        Ok(Crawl {
            id,
            importance: Importance::new(fetched, needs.links, needs.worth),
            swept: 0,
            next_in_order: HostKey(0),
            any_url: PageUrl::parse("http://any.invalid/").expect("a URL"),
            rules,
            guards: Guards::new(&settings),
            politeness: Politeness::of(&settings),
            retry: Retry::of(&settings),
            order,
            needs,
            stats,
            stats_changed: false,
            sites: KeyMap::default(),
            ready: Ready::default(),
            sleeping: BTreeSet::new(),
            look_again: Some(Timestamp::ZERO),
            never_met: store.prefix(&URLS, &id.0).keys().next().is_none().then(NeverMet::new),
            in_hand: KeySet::default(),
            settled: Vec::new(),
            touched: KeySet::default(),
            requests: Vec::new(),
            next_request,
            foretold: None,
            refused: Vec::new(),
            reserved_pages: 0,
            reserved_bytes: 0,
            bytes_exhausted: false,
            shallower: store.prefix(&SHALLOWER, &id.0).keys().count() as u64,
            began_full,
            revisits,
            reconsider: (last_rules != Some(fingerprint)).then_some(None),
            retry_failed: false,
            reorder: (last_order != Some(order_mark(&settings))).then_some((id.0, 0, BEGIN)),
            topic: None,
            times: KeyMap::default(),
            deadline: None,
            out_of_time: false,
            settings,
        })
    }

    /// Takes other rules.
    pub(crate) fn change_rules(&mut self, store: &Store, project: &Project) -> Result<(), FrontierError> {
        self.rules = rules_of(store, self.id, project)?;
        self.settings.exclude.clone_from(&project.crawl.exclude);
        self.reconsider = Some(None);
        Ok(())
    }

    /// Its counts.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Its counts, to add to; they are written with the next commit.
    pub fn stats_mut(&mut self) -> &mut Stats {
        self.stats_changed = true;
        &mut self.stats
    }

    /// One request at a time: each is known in full before the next is chosen.
    pub(crate) fn is_serial(&self) -> bool {
        self.settings.connections == 1
    }

    /// Keeps a request, or what was told without one, where a simulation is to repeat it.
    pub(crate) fn keep_request(&mut self, request: RequestRecord) {
        if self.is_serial() {
            self.requests.push((self.next_request, request));
            self.next_request += 1;
        }
    }

    /// Its rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Hosts that may be asked now, and hosts in memory that rest.
    pub fn hosts_ready_and_resting(&self) -> (usize, usize) {
        (self.ready.len(), self.sleeping.len())
    }

    /// True while outcomes wait to be recorded that no visit will bring.
    pub fn has_refusals(&self) -> bool {
        !self.refused.is_empty()
    }

    /// Pages kept so far.
    pub fn pages(&self) -> u64 {
        self.stats.pages()
    }

    /// True while all room that is left is promised to pages that are asked for again, and to URLs that others were given
    /// up for.
    pub(crate) fn is_promised(&self) -> bool {
        let most = self.settings.max_pages;
        most > 0 && self.revisits > 0 && self.pages() + self.revisits >= most
    }

    pub(crate) fn priority(&self, key: UrlKey, url: &PageUrl, depth: u32) -> u32 {
        // The queue is read from its smallest key.
        u32::MAX - self.order.priority(&self.candidate(key, url, depth)).0
    }

    /// The same of a known URL, where links alone decide.
    pub(crate) fn place_by_links(&self, number: u32) -> u32 {
        let (key, _) = self.importance.place_of(number);
        let url = &self.any_url;
        u32::MAX - self.order.priority(&self.weighed(key, self.importance.of_number(number), url, 1)).0
    }

    /// What an order may look at.
    pub(crate) fn candidate<'a>(&self, key: UrlKey, url: &'a PageUrl, depth: u32) -> Candidate<'a> {
        self.weighed(key, self.importance.of(key), url, depth)
    }

    fn weighed<'a>(&self, key: UrlKey, facts: Facts, url: &'a PageUrl, depth: u32) -> Candidate<'a> {
        Candidate {
            url,
            depth,
            in_links: facts.in_links,
            rank: f64::from(facts.rank),
            cash: f64::from(facts.cash),
            forward_links: facts.links.map_or_else(|| self.importance.links_on(key.host), f64::from),
            pages: self.pages(),
            parent_relevance: f64::from(facts.parent_relevance),
            promise: f64::from(facts.promise),
        }
    }

    /// The site of a host, from memory or the store.
    pub(crate) fn site(&mut self, store: &Store, host: HostKey) -> Result<&mut Site, FrontierError> {
        if !self.sites.contains_key(&host) {
            let record = store.get(&SITES, &(self.id.0, host.0))?.unwrap_or_default();
            let head = match record.waiting {
                0 => END,
                _ => first_row(store, self.id, host)?,
            };
            let first_retry = first_retry(store, self.id, host, &record)?;
            let site = Site {
                record,
                place: Place::Aside,
                head,
                fresh_head: END,
                first_retry,
                epoch: 0,
                served: 0,
                dealt: Dealt::default(),
            };
            self.sites.insert(host, site);
        }
        Ok(self.sites.get_mut(&host).expect("inserted above"))
    }

    /// What becomes of a URL that a link leads to for the first time: it waits, unless a rule or a guard refuses it.
    pub(crate) fn admit(
        &mut self,
        store: &Store,
        key: UrlKey,
        url: &PageUrl,
        depth: u32,
    ) -> Result<Outcome, FrontierError> {
        if let Some(refusal) = self.rules.refusal(url, depth) {
            return Ok(refusal);
        }
        Ok(self.guards.meet(store, self.id, key.host, url)?.unwrap_or(Outcome::Waiting))
    }

    /// Counts a change of outcome.
    pub(crate) fn recount(&mut self, before: Option<&Outcome>, after: &Outcome) {
        self.stats_changed = true;
        if let Some(before) = before
            && let Some(count) = self.stats.outcomes.get_mut(before.name())
        {
            *count = count.saturating_sub(1);
        }
        match self.stats.outcomes.get_mut(after.name()) {
            Some(count) => *count += 1,
            None => _ = self.stats.outcomes.insert(after.name().to_owned(), 1),
        }
    }

    /// Takes an open URL out of its queue.
    pub(crate) fn dequeue(
        &mut self,
        store: &Store,
        batch: &mut Batch,
        key: UrlKey,
        record: &UrlRecord,
    ) -> Result<(), FrontierError> {
        if !record.outcome.is_open() {
            return Ok(());
        }
        let id = self.id.0;
        self.touched.insert(key.host);
        let site = self.site(store, key.host)?;
        match &record.outcome {
            Outcome::Waiting => {
                site.record.waiting = site.record.waiting.saturating_sub(1);
                batch.remove(&QUEUE, &(id, key.host.0, (record.priority, record.arrival)));
            }
            Outcome::Retrying { due, .. } => {
                site.record.later = site.record.later.saturating_sub(1);
                batch.remove(&LATER, &(id, key.host.0, (due.0, key.page)));
            }
            _ => {}
        }
        Ok(())
    }

    /// Gives an open URL its row in the queue that its outcome names.
    pub(crate) fn enqueue(
        &mut self,
        store: &Store,
        batch: &mut Batch,
        key: UrlKey,
        record: &UrlRecord,
    ) -> Result<(), FrontierError> {
        let id = self.id.0;
        self.touched.insert(key.host);
        if self.needs.changes() {
            self.importance.placed(key, record.priority);
        }
        let site = self.site(store, key.host)?;
        match &record.outcome {
            Outcome::Waiting => {
                site.record.waiting += 1;
                site.fresh_head = site.fresh_head.min((record.priority, record.arrival));
                let row = (id, key.host.0, (record.priority, record.arrival));
                batch.put(&QUEUE, &row, &Waiting { page: key.page });
            }
            Outcome::Retrying { due, .. } => {
                site.record.later += 1;
                batch.put(&LATER, &(id, key.host.0, (due.0, key.page)), &());
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes a host's counts and its place in the schedule.
    pub(crate) fn reschedule(
        &mut self,
        batch: &mut Batch,
        host: HostKey,
        next: Timestamp,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let id = self.id.0;
        let Some(site) = self.sites.get_mut(&host) else { return Ok(()) };
        let record = &mut site.record;
        site.first_retry = first_retry(batch, self.id, host, record)?;
        let due = if record.waiting > 0 { Some(next) } else { site.first_retry.map(|due| next.max(due)) };
        // A host that was due and still is keeps its row: its exact place in the past says nothing.
        let stays_due = matches!((record.scheduled, due), (Some(old), Some(new)) if old <= now && new <= now);
        if record.scheduled != due && !stays_due {
            if let Some(old) = record.scheduled {
                batch.remove(&SCHEDULE, &(id, old.0, host.0));
            }
            if let Some(new) = due {
                batch.put(&SCHEDULE, &(id, new.0, host.0), &());
            }
            record.scheduled = due;
        }
        batch.put(&SITES, &(id, host.0), record);
        Ok(())
    }

    /// Moves a host to another place.
    pub(crate) fn put(&mut self, host: HostKey, place: Place) {
        let Some(site) = self.sites.get_mut(&host) else { return };
        match site.place {
            Place::Aside => {}
            Place::Ready(head, quick) => self.ready.remove((head, host), quick),
            Place::Sleeping(due) => _ = self.sleeping.remove(&(due, host)),
        }
        match place {
            Place::Aside => {}
            Place::Ready(head, quick) => self.ready.insert((head, host), quick),
            Place::Sleeping(due) => _ = self.sleeping.insert((due, host)),
        }
        site.place = place;
    }

    /// Lets go of hosts until the front holds no more than it should: those that rest longest, then those
    /// whose best URL is the least.
    pub(crate) fn make_room(&mut self) {
        while self.sites.len() > FRONT {
            let farthest = self.sleeping.last().map(|(_, host)| *host);
            let Some(host) = farthest.or(self.ready.last()) else { break };
            self.let_go(host);
        }
    }

    /// True when another host may come into memory, if need be in place of one that rests long.
    pub(crate) fn has_room(&mut self, now: Timestamp) -> bool {
        if self.sites.len() < FRONT {
            return true;
        }
        let Some(&(due, host)) = self.sleeping.last() else { return false };
        let rests_long = due > now + LONG_REST && !self.touched.contains(&host);
        if rests_long {
            self.let_go(host);
        }
        rests_long
    }

    /// Forgets a host; if it has anything open, its row in the schedule brings it back.
    pub(crate) fn let_go(&mut self, host: HostKey) {
        self.put(host, Place::Aside);
        let Some(site) = self.sites.remove(&host) else { return };
        if let Some(due) = site.record.scheduled {
            self.look_again = Some(self.look_again.map_or(due, |other| other.min(due)));
        }
    }
}

/// When the first of a host's retries is due.
fn first_retry(
    reader: &impl Reader,
    id: CrawlId,
    host: HostKey,
    record: &SiteRecord,
) -> Result<Option<Timestamp>, FrontierError> {
    if record.later == 0 {
        return Ok(None);
    }
    let first = reader.prefix(&LATER, &(id.0, host.0)).keys().next().transpose()?;
    Ok(first.map(|(_, _, (due, _))| Timestamp(due)))
}

/// The place of a host's first row in the queue.
fn first_row(store: &Store, id: CrawlId, host: HostKey) -> Result<(u32, u64), FrontierError> {
    let row = store.prefix(&QUEUE, &(id.0, host.0)).keys().next().transpose()?;
    Ok(row.map_or(END, |(_, _, place)| place))
}

/// The fact that names the rules by which all refusals of a crawl were last judged.
pub(crate) fn rules_fact(id: CrawlId) -> String {
    format!("rules {}", id.0)
}

/// The fact that names the order by which all waiting URLs of a crawl have their places.
pub(crate) fn order_fact(id: CrawlId) -> String {
    format!("order {}", id.0)
}

/// An order as a fact.
pub(crate) fn order_mark(settings: &CrawlSettings) -> u64 {
    let seed = if settings.order.has(Policy::Random) { settings.order_seed } else { 0 };
    let usual = CrawlSettings::default().order_aging;
    // Of most crawls, the same mark as ever.
    let aging = if settings.order.has(Policy::PValue) { settings.order_aging ^ usual } else { 0 };
    xxh3_64_with_seed(settings.order.to_string().as_bytes(), seed ^ aging.rotate_left(32))
}

fn rules_of(store: &Store, id: CrawlId, project: &Project) -> Result<Rules, FrontierError> {
    let mut rules = Rules::new(&project.crawl, &project.start);
    for start in &project.start {
        widen_by_redirects(store, id, start, &mut rules)?;
    }
    Ok(rules)
}

/// Where a start URL redirects to belongs to the scope as if it had been typed.
fn widen_by_redirects(
    store: &Store,
    id: CrawlId,
    start: &PageUrl,
    rules: &mut Rules,
) -> Result<(), FrontierError> {
    let mut url = start.clone();
    for _ in 0..10 {
        let record = store.get(&URLS, &page_key(id, UrlKey::of(&url)))?;
        let Some(UrlRecord { outcome: Outcome::Redirected { to }, .. }) = record else { break };
        rules.add_start(&to);
        url = to;
    }
    Ok(())
}
