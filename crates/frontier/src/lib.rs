//! The frontier: which URL next, and when.
//!
//! A state machine over the store: `now` is an argument, nothing sleeps, nothing is fetched. It hands out
//! [leases](model::Lease), takes back what became of each URL, and writes its changes into the caller's batch,
//! so that they become durable together with the pages they belong to.
//!
//! Invariants: two live leases never name the same host; a host is never leased before its clock allows;
//! every URL ever met has exactly one recorded outcome; an open URL has exactly one row in the queue.

mod audit;
mod counted;
mod crawl;
mod guards;
mod host_queue;
mod importance;
mod key_hash;
mod known_links;
mod lease;
mod neighbours;
mod novelty;
mod numbers;
mod offer;
mod order;
mod politeness;
mod promise;
mod ready;
mod reorder;
mod replace;
mod rescore;
mod retry;
mod revisit;
mod rules;
mod settle;
mod sieve;
pub mod tables;
mod template;

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::time::Duration;

use kv::{Batch, Reader, Store};
use model::{CrawlId, ErrorKind, Host, HostKey, LeaseId, PageUrl, Project, Timestamp, UrlKey};

pub use audit::{Finding, audit};
pub use counted::{Counted, counted};
pub use crawl::Crawl;
pub use importance::Recollection;
pub use known_links::{KnownLinks, RANK_TOLERANCE};
pub use lease::{LimitReached, Next};
pub use neighbours::Neighbours;
pub use novelty::TextMark;
pub use offer::{Offer, Unfollowed};
pub use order::{
    Backlink, BreadthFirst, ByPageRank, ByRelevance, ByTopic, Candidate, CrawlOrder, DepthFirst, ForwardLink,
    Location, Mixed, Needs, Opic, PValue, Priority, Random, TimedBreadthFirst, Worth, first_priority,
};
pub use politeness::{Asked, Politeness};
pub use promise::{PageTopic, PromisedUrl, handed_on, hope};
pub use ready::Lane;
pub use retry::{Patience, Retry};
pub use revisit::{decided, kept_as, refresh_fact, texts_fact};
pub use rules::{Rules, Ruling};
pub use settle::{End, Sent, Settled};
pub use sieve::{Recent, RecentUrls};

use key_hash::{KeyMap, KeySet};
use neighbours::Entry;
use tables::{
    ADDRESSES, CLEAN, FACTS, HOSTS, HostRecord, REQUESTS, SCHEDULE, SITES, STATS, UNCLEAN_START, URLS,
};

/// A stored due time beyond this comes from a clock that was wrong: it is pulled back.
const FARTHEST: Duration = Duration::from_secs(24 * 3600);

/// Recent URLs remembered in memory: 32 bytes each.
const RECENT: usize = 1 << 18;

/// Why the frontier cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum FrontierError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] kv::KvError),
    /// A row that must exist does not.
    #[error("the crawl's tables disagree: {0}; run `gannet check`")]
    Damaged(String),
}

/// All crawls of a data directory, and the clocks of all hosts.
pub struct Frontier {
    store: Store,
    /// Its place among the frontiers of this process.
    seat: neighbours::Seat,
    crawls: KeyMap<CrawlId, Crawl>,
    hosts: KeyMap<HostKey, HostState>,
    /// Not to be asked before.
    addresses: HashMap<IpAddr, Timestamp>,
    leases: KeyMap<LeaseId, lease::LiveLease>,
    next_lease: u64,
    /// Hosts that wait for an address.
    resolving: usize,
    /// The latest start after an unclean stop: before it, requests may have been sent that no clock knows of.
    wary_since: Option<Timestamp>,
    recent: RecentUrls,
    /// A page that led to others, and its URL.
    last_via: Option<(CrawlId, UrlKey, PageUrl)>,
    dirty_hosts: KeySet<HostKey>,
    dirty_addresses: HashSet<IpAddr>,
}

/// A host in memory.
struct HostState {
    record: HostRecord,
    lease: Option<LeaseId>,
    resolving: bool,
    address: Option<(IpAddr, Timestamp)>,
    /// Given up on: its URLs fail without being asked for.
    condemned: Option<ErrorKind>,
}

impl HostState {
    /// True when the host is known to answer soon. One that gave no more than its robots.txt is not: that may be a
    /// file, and the pages slow.
    fn is_quick(&self) -> bool {
        let HostRecord { requests, millis, failures, .. } = self.record;
        requests > 1 && failures == 0 && millis <= requests.saturating_mul(ready::QUICK_MILLIS)
    }
}

impl Frontier {
    /// True when a host is known to answer soon.
    pub fn is_quick(&self, host: HostKey) -> bool {
        self.hosts.get(&host).is_some_and(HostState::is_quick)
    }

    /// Opens the frontier of a store, of which no other is open. From here on the store counts as unclean until
    /// [`Frontier::close`].
    pub fn open(store: Store, now: Timestamp) -> Result<Frontier, FrontierError> {
        Frontier::open_beside(store, &Neighbours::default(), now)
    }

    /// Opens a frontier beside others of the same store in this process: they share hosts and their clocks.
    pub fn open_beside(
        store: Store,
        neighbours: &Neighbours,
        now: Timestamp,
    ) -> Result<Frontier, FrontierError> {
        let (seat, entry) = neighbours.enter();
        let closed = store.get(&FACTS, &CLEAN.to_owned())?.map(Timestamp);
        // A clock that stands before the last stop was set back; one that stands days after it may have been set
        // forward, and then no host has had its rest. To be wary costs each host one pause.
        let clean = match entry {
            Entry::Alone => closed.is_some_and(|closed| closed <= now && now <= closed + FARTHEST),
            Entry::Beside => true,
            Entry::AfterLoss => false,
        };
        // Not the hosts: the commit that would have named the first of them may be the one that was lost.
        let used = store.first(&URLS)?.is_some();
        let mut batch = store.batch();
        batch.remove(&FACTS, &CLEAN.to_owned());
        if used && !clean {
            batch.put(&FACTS, &UNCLEAN_START.to_owned(), &now.0);
        }
        // A clean stop soon after does not undo it: some hosts may not have had their rest yet.
        let mut wary_since =
            batch.get(&FACTS, &UNCLEAN_START.to_owned())?.map(|start| Timestamp(start).min(now));
        if entry == Entry::Beside {
            // The others may have asked a host a moment ago and not have committed it.
            wary_since = Some(now);
        }
        store.commit(batch, kv::Durability::Synced)?;
        Ok(Frontier {
            store,
            seat,
            crawls: KeyMap::default(),
            hosts: KeyMap::default(),
            addresses: HashMap::new(),
            leases: KeyMap::default(),
            next_lease: 1,
            resolving: 0,
            wary_since,
            recent: RecentUrls::new(RECENT),
            last_via: None,
            dirty_hosts: KeySet::default(),
            dirty_addresses: HashSet::new(),
        })
    }

    /// Takes up a crawl, or begins it.
    pub fn begin(&mut self, id: CrawlId, project: &Project) -> Result<(), FrontierError> {
        let crawl = Crawl::open(&self.store, id, project)?;
        self.crawls.insert(id, crawl);
        // The number may have served another crawl before, and a host given up on gets another chance.
        self.recent.clear();
        self.last_via = None;
        self.hosts.values_mut().for_each(|host| host.condemned = None);
        Ok(())
    }

    /// Marks a clean stop: all clocks are in the store. Nothing may be leased or uncommitted. Where others are
    /// open beside it, the last one marks it.
    pub fn close(&mut self, batch: &mut Batch, now: Timestamp) {
        let Some(hosts) = self.seat.close() else { return };
        for (key, record) in hosts {
            batch.put(&HOSTS, &key.0, &record);
            self.dirty_hosts.remove(&key);
        }
        batch.put(&FACTS, &CLEAN.to_owned(), &now.0);
    }

    /// Gives up: what was leased may have been asked, and neighbours are wary of it. Only for a frontier that is to
    /// be opened again.
    pub fn abandon(&mut self) {
        self.seat.abandon();
    }

    /// The machine, or the process, stood still for so long: workers that hold a lease did too, so none of them is
    /// lost for that.
    pub fn stood_still(&mut self, span: Duration) {
        self.leases.values_mut().for_each(|lease| lease.deadline = lease.deadline + span);
    }

    /// A crawl that was begun.
    pub fn crawl(&self, id: CrawlId) -> &Crawl {
        self.crawls.get(&id).expect("a crawl is begun before it is used")
    }

    /// A crawl that was begun, to change its counts.
    pub fn crawl_mut(&mut self, id: CrawlId) -> &mut Crawl {
        self.crawls.get_mut(&id).expect("a crawl is begun before it is used")
    }

    /// Writes what settling changed in counts, clocks and schedule. Once per commit, after all settling.
    pub fn seal(&mut self, batch: &mut Batch, now: Timestamp) -> Result<(), FrontierError> {
        self.rescore(batch)?;
        if self.seat.is_cautious() {
            batch.remove(&FACTS, &CLEAN.to_owned());
        }
        for key in self.dirty_hosts.drain() {
            // What another frontier has done with the host since is not undone.
            if let Some(record) = self.seat.latest(key) {
                batch.put(&HOSTS, &key.0, &record);
            } else if let Some(host) = self.hosts.get(&key) {
                batch.put(&HOSTS, &key.0, &host.record);
            }
        }
        for address in self.dirty_addresses.drain() {
            if let Some(next) = self.addresses.get(&address) {
                batch.put(&ADDRESSES, &address_key(address), &next.0);
            }
        }
        for crawl in self.crawls.values_mut() {
            let touched: Vec<HostKey> = crawl.touched.iter().copied().collect();
            for key in touched {
                let due = self.hosts.get(&key).map_or(Timestamp::ZERO, |host| host.record.next);
                crawl.reschedule(batch, key, due, now)?;
            }
            for (number, request) in crawl.requests.drain(..) {
                batch.put(&REQUESTS, &(crawl.id.0, number), &request);
            }
            crawl.guards.seal(batch, crawl.id);
            if crawl.stats_changed {
                crawl.stats_changed = false;
                batch.put(&STATS, &crawl.id.0, &crawl.stats);
            }
        }
        Ok(())
    }

    /// After the commit: what it made durable may be leased, what it settled is out of our hands.
    pub fn committed(&mut self, now: Timestamp) -> Result<(), FrontierError> {
        let ids: Vec<CrawlId> = self.crawls.keys().copied().collect();
        for id in ids {
            let crawl = self.crawl_mut(id);
            for key in std::mem::take(&mut crawl.settled) {
                crawl.in_hand.remove(&key);
            }
            for host in std::mem::take(&mut crawl.touched) {
                if let Some(site) = self.crawl_mut(id).sites.get_mut(&host) {
                    site.head = site.head.min(std::mem::replace(&mut site.fresh_head, crawl::END));
                }
                self.place(id, host, now)?;
            }
            self.crawl_mut(id).make_room();
            self.crawl_mut(id).guards.make_room();
        }
        self.forget_idle_hosts(now);
        Ok(())
    }

    /// The state of a host, from memory or the store.
    fn host_state(&mut self, key: HostKey, name: &Host) -> Result<&mut HostState, FrontierError> {
        if !self.hosts.contains_key(&key) {
            let stored = self.store.get(&HOSTS, &key.0)?;
            let state = HostState {
                record: stored.unwrap_or_else(|| HostRecord::new(name.clone())),
                lease: None,
                resolving: false,
                address: None,
                condemned: None,
            };
            self.hosts.insert(key, state);
        }
        Ok(self.hosts.get_mut(&key).expect("inserted above"))
    }

    /// Keeps memory flat on broad crawls: a host that rests, owes nothing and has nothing loaded is forgotten.
    fn forget_idle_hosts(&mut self, now: Timestamp) {
        const PLENTY: usize = 32_768;
        if self.hosts.len() > PLENTY {
            let (crawls, dirty) = (&self.crawls, &self.dirty_hosts);
            self.hosts.retain(|key, host| {
                host.lease.is_some()
                    || host.resolving
                    || dirty.contains(key)
                    || crawls.values().any(|crawl| crawl.sites.contains_key(key))
            });
        }
        if self.addresses.len() > PLENTY {
            let dirty = &self.dirty_addresses;
            self.addresses.retain(|address, next| *next > now || dirty.contains(address));
        }
    }

    /// Every robots.txt, page and link of a crawl is dropped elsewhere; this drops its queue and sieve, a part
    /// at a time. True when nothing is left.
    pub fn drop_crawl(batch: &mut Batch, id: CrawlId, at_most: usize) -> Result<bool, FrontierError> {
        let mut left = at_most;
        let mut whole = true;
        macro_rules! drop_rows {
            ($($table:expr),*) => {$(
                let keys: Vec<_> = batch.prefix($table, &id.0).keys().take(left + 1).collect::<Result<_, _>>()?;
                whole &= keys.len() <= left;
                for key in keys.iter().take(left) {
                    batch.remove($table, key);
                }
                left = left.saturating_sub(keys.len());
            )*};
        }
        drop_rows!(&URLS, &tables::QUEUE, &tables::LATER, &SCHEDULE, &SITES, &tables::SHALLOWER);
        drop_rows!(
            &tables::INVITED,
            &tables::OFF_TOPIC,
            &tables::RELEVANCE,
            &tables::GUARDS,
            &tables::URL_TEMPLATES,
            &tables::STOCKS,
            &tables::TEXTS,
            &tables::REVISITS,
            &tables::MISSING,
            &tables::REQUESTS
        );
        let _ = left;
        batch.remove(&STATS, &id.0);
        batch.remove(&FACTS, &crawl::rules_fact(id));
        batch.remove(&FACTS, &crawl::order_fact(id));
        batch.remove(&FACTS, &refresh_fact(id));
        batch.remove(&FACTS, &texts_fact(id));
        Ok(whole)
    }
}

/// IPv4 addresses in their IPv6-mapped form, so that all keys have one length.
fn address_key(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
        IpAddr::V6(v6) => v6.octets(),
    }
}

/// The store's key of a URL.
pub fn page_key(crawl: CrawlId, key: UrlKey) -> tables::PageKey {
    (crawl.0, key.host.0, key.page)
}
