//! Leasing: the best host that may be asked now, and its best URLs.

use std::net::IpAddr;
use std::time::Duration;

use kv::Reader;
use model::{
    CrawlId, ErrorKind, Host, HostKey, Lease, LeaseId, LeasedUrl, Limit, Outcome, Timestamp, UrlKey,
};

use crate::crawl::{Crawl, END, Place, Times};
use crate::guards::Verdict;
use crate::host_queue::far_off;
use crate::importance::{place_of, worth_at};
use crate::key_hash::KeyMap;
use crate::neighbours::Claim;
use crate::politeness::BATCH_GAP;
use crate::ready::Lane;
use crate::tables::{ADDRESSES, REVISITS, Told, URLS, UrlRecord};
use crate::{FARTHEST, Frontier, FrontierError, Patience, address_key, page_key};

/// URLs in a lease of a host that may be asked at once.
const BATCH: usize = 64;

/// URLs passed over before other hosts get their turn.
const REFUSALS: usize = 1_024;

/// A host's URL that is worth this part of the best of all others is as good as that one.
const NEARLY: f32 = 0.9;

/// A host that another run has leased is looked at again after this.
const TAKEN: Duration = Duration::from_millis(50);

/// A host whose best URL must wait for others is looked at again after this.
const PROMISED: Duration = Duration::from_secs(1);

/// How long a lease is valid: far longer than its visits take, so that only a lost one ever expires.
const LEASE_TIME: Duration = Duration::from_secs(3600);

/// Bytes reserved for a page where bodies have no limit: more than any has, and many leases' sum is a number.
const WITHOUT_LIMIT: u64 = 1 << 40;

/// What to do next for a crawl.
#[derive(Debug)]
pub enum Next {
    /// Fetch these.
    Lease(Box<Lease>),
    /// Look up this host's address and say so by [`Frontier::resolved`].
    Resolve(Host),
    /// Nothing may be asked now.
    Wait {
        /// When the next host is due; none when that depends on what is under way.
        until: Option<Timestamp>,
        /// That host.
        host: Option<Host>,
        /// Visits, look-ups or commits are under way that may bring work.
        busy: bool,
    },
    /// A limit of the whole crawl is reached.
    Reached(LimitReached),
    /// Nothing is left.
    Done,
}

/// A limit of the whole crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitReached {
    /// `max_pages`.
    Pages,
    /// `max_bytes`.
    Bytes,
    /// `walltime`: no page would end in time.
    Time,
}

/// A lease that was handed out.
pub(crate) struct LiveLease {
    pub(crate) crawl: CrawlId,
    pub(crate) host: HostKey,
    pub(crate) deadline: Timestamp,
    /// URLs not yet settled, with the bytes reserved for each.
    pub(crate) open: KeyMap<UrlKey, u64>,
    /// The address, when it was due before, and until when this lease has taken it.
    address: (IpAddr, Timestamp, Timestamp),
    /// A request was sent for it.
    pub(crate) asked: bool,
}

/// What the crawl's limits leave.
enum Room {
    /// For this many URLs, the last of them with this many bytes.
    Free {
        urls: usize,
        body_limit: u64,
    },
    /// None before live leases come back.
    Taken,
    Reached(LimitReached),
}

impl Frontier {
    /// What to do next for a crawl.
    pub fn next(&mut self, id: CrawlId, now: Timestamp) -> Result<Next, FrontierError> {
        self.next_in(id, Lane::Any, now)
    }

    /// What to do next for a crawl, with hosts of this lane.
    pub fn next_in(&mut self, id: CrawlId, lane: Lane, now: Timestamp) -> Result<Next, FrontierError> {
        self.reclaim(now)?;
        self.wake(id, now)?;
        loop {
            let room = self.crawl(id).room();
            let (urls, body_limit) = match room {
                Room::Free { urls, body_limit } => (urls, body_limit),
                Room::Taken => return Ok(Next::Wait { until: None, host: None, busy: true }),
                Room::Reached(limit) => return Ok(Next::Reached(limit)),
            };
            let promised = self.crawl(id).is_promised();
            // Who answers soon is not asked before those to whom the room is promised.
            let lane = if promised && lane == Lane::QuickFirst { Lane::Any } else { lane };
            let Some((place, host)) = self.crawl(id).ready.first(lane) else { return self.idle(id) };
            if promised && place.0 > 0 {
                match self.idle(id)? {
                    // None of them can be kept.
                    Next::Done => {}
                    next => return Ok(next),
                }
            }
            self.crawl_mut(id).put(host, Place::Aside);
            if let Some(next) = self.ask(id, host, urls, body_limit, now)? {
                return Ok(next);
            }
        }
    }

    /// The answer to [`Next::Resolve`]: the address and until when it holds, or why there is none.
    pub fn resolved(
        &mut self,
        host: &Host,
        answer: Result<(IpAddr, Timestamp), ErrorKind>,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let key = HostKey::of(host);
        let most = self.crawls.values().map(|crawl| crawl.retry.times).max().unwrap_or(0);
        if let Err(error) = &answer {
            for id in self.crawls.keys().copied().collect::<Vec<_>>() {
                self.told(id, key, Told::NoAddress { error: error.clone() });
            }
        }
        let state = self.host_state(key, host)?;
        let was_resolving = std::mem::take(&mut state.resolving);
        match answer {
            Ok(address) => state.address = Some(address),
            Err(ErrorKind::ForbiddenAddress) => state.condemned = Some(ErrorKind::ForbiddenAddress),
            Err(error) => {
                state.record.failures += 1;
                state.record.failed += 1;
                let tries = state.record.failures;
                if tries > most {
                    state.condemned = Some(error);
                } else {
                    self.postpone(key, &error, tries, now)?;
                }
                self.dirty_hosts.insert(key);
            }
        }
        self.resolving -= usize::from(was_resolving);
        for id in self.crawls.keys().copied().collect::<Vec<_>>() {
            self.place(id, key, now)?;
        }
        Ok(())
    }

    /// A name that does not resolve: the host rests, and its best URL says why.
    fn postpone(
        &mut self,
        host: HostKey,
        error: &ErrorKind,
        tries: u32,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let any_url = UrlKey { host, page: 0 };
        let waits = self.crawls.values().filter_map(|crawl| crawl.retry.wait(Patience::Hard, tries, any_url));
        let due = now + waits.max().unwrap_or(FARTHEST);
        let state = self.hosts.get_mut(&host).expect("resolved hosts are in memory");
        state.record.next = state.record.next.max(due);
        for id in self.crawls.keys().copied().collect::<Vec<_>>() {
            let head = self.first_rows(id, host, 1, END, now)?.into_iter().next();
            let Some((key, _)) = head else { continue };
            let crawl = self.crawl_mut(id);
            crawl.refused.push((key, Outcome::Retrying { error: error.clone(), tries, due }));
            crawl.in_hand.insert(key);
            crawl.touched.insert(host);
        }
        Ok(())
    }

    /// Leases a host, sends it to be resolved, or puts it where it belongs; none when another host is to be tried.
    fn ask(
        &mut self,
        id: CrawlId,
        key: HostKey,
        urls: usize,
        body_limit: u64,
        now: Timestamp,
    ) -> Result<Option<Next>, FrontierError> {
        let wary_since = self.wary_since;
        let fetch_gap = |frontier: &Frontier, delay| frontier.crawl(id).politeness.gap(delay);
        if !self.hosts.contains_key(&key) {
            let Some(name) = self.host_name(id, key)? else { return Ok(None) };
            self.host_state(key, &name)?;
            let gap = fetch_gap(self, self.hosts[&key].record.crawl_delay.map(Duration::from_millis));
            let state = self.hosts.get_mut(&key).expect("loaded above");
            if let Some(start) = wary_since {
                // Also a host never asked by our books: the commit that says so may be lost.
                state.record.next =
                    state.record.next.max(start + gap.max(Duration::from_millis(state.record.pause)));
            }
            if far_off(state.record.next, now) {
                // By a clock that was wrong: what the host asked for is not known any more.
                state.record.next = now + gap.max(Duration::from_millis(state.record.pause).min(FARTHEST));
            }
        }
        let state = &self.hosts[&key];
        if let Some(error) = state.condemned.clone() {
            let tries = state.record.failures;
            self.condemn(id, key, &error, tries)?;
            return Ok(None);
        }
        if state.lease.is_some() || state.resolving {
            // Another crawl has it; its release places all crawls of the host anew.
            return Ok(None);
        }
        if state.record.next > now {
            let next = state.record.next;
            self.crawl_mut(id).put(key, Place::Sleeping(next));
            return Ok(None);
        }
        let Some((address, _)) = state.address.filter(|(_, until)| *until > now) else {
            let host = state.record.host.clone();
            self.hosts.get_mut(&key).expect("seen above").resolving = true;
            self.resolving += 1;
            return Ok(Some(Next::Resolve(host)));
        };
        let address_due = self.address_due(id, address, now)?.max(self.seat.address_due(address));
        if address_due > now {
            self.crawl_mut(id).put(key, Place::Sleeping(address_due));
            return Ok(None);
        }
        if let Some(due) = self.claim(id, key, now) {
            self.crawl_mut(id).put(key, Place::Sleeping(due));
            return Ok(None);
        }
        let next = self.lease(id, key, address, urls, body_limit, now)?;
        if !matches!(next, Some(Next::Lease(_))) {
            self.seat.unclaim(key);
        }
        Ok(next)
    }

    /// Claims a host among all frontiers of this process, with its latest clock; when to try again otherwise.
    fn claim(&mut self, id: CrawlId, key: HostKey, now: Timestamp) -> Option<Timestamp> {
        let (record, lost) = match self.seat.claim(key) {
            Claim::Ours => return None,
            Claim::Theirs => return Some(now + TAKEN),
            Claim::From { record, lost } => (record, lost),
        };
        let state = self.hosts.get_mut(&key).expect("seen before it is claimed");
        if let Some(record) = record {
            state.record = *record;
        }
        let gap = self.crawls[&id].politeness.gap(state.record.crawl_delay.map(Duration::from_millis));
        // Their pause may be shorter than ours.
        let mut due = state.record.last_start.map_or(Timestamp::ZERO, |last| last + gap);
        if lost {
            due = now + gap.max(Duration::from_millis(state.record.pause).min(FARTHEST));
        }
        state.record.next = state.record.next.max(due);
        let next = state.record.next;
        if next <= now {
            return None;
        }
        self.seat.unclaim(key);
        Some(next)
    }

    fn lease(
        &mut self,
        id: CrawlId,
        key: HostKey,
        address: IpAddr,
        room: usize,
        body_limit: u64,
        now: Timestamp,
    ) -> Result<Option<Next>, FrontierError> {
        let state = &self.hosts[&key];
        let host = state.record.host.clone();
        let crawl = &self.crawls[&id];
        let gap = crawl.politeness.gap(state.record.crawl_delay.map(Duration::from_millis));
        let connections = crawl.settings.connections_per_host.min(crawl.settings.connections) as usize;
        // An order that each page may change takes one at a time while pages are few, or nothing else is under way.
        let one_by_one = crawl.needs.changes() && (crawl.importance.is_young() || crawl.is_serial());
        let most = if gap < BATCH_GAP && !one_by_one { BATCH } else { connections };
        let mut count = most.min(room);
        if let Some(deadline) = crawl.deadline.filter(|_| crawl.needs.times) {
            let likely = crawl.times.get(&key).map_or(Duration::ZERO, Times::p95);
            if now + likely > deadline {
                self.crawl_mut(id).out_of_time = true;
                return Ok(None);
            }
            // One after the other, each has to end in time.
            let each = likely.max(gap).as_millis().max(1);
            count = count.min((deadline.since(now).as_millis() / each).max(1) as usize);
        }
        let site_pages = crawl.sites.get(&key).map_or(0, |site| site.record.pages);
        let host_limit = crawl.settings.max_pages_per_host;
        if host_limit > 0 {
            if site_pages >= host_limit {
                let over = Outcome::OverLimit { limit: Limit::HostPages };
                self.refuse_rows(id, key, &over)?;
                return Ok(None);
            }
            count = count.min((host_limit - site_pages) as usize);
        }
        let Some(urls) = self.choose(id, key, count, body_limit, now)? else {
            self.put_by_retries(id, key, now)?;
            return Ok(None);
        };
        if urls.is_empty() {
            if self.crawl(id).is_promised() {
                self.crawl_mut(id).put(key, Place::Sleeping(now + PROMISED));
            }
            return Ok(None);
        }
        let crawl = self.crawls.get_mut(&id).expect("begun");
        let lease_id = LeaseId(self.next_lease);
        self.next_lease += 1;
        let deadline = now + LEASE_TIME;
        crawl.reserved_pages += urls.len() as u64;
        if let Some(site) = crawl.sites.get_mut(&key) {
            site.served = site.served.wrapping_add(urls.len());
        }
        let open: KeyMap<UrlKey, u64> = urls.iter().map(|url| (url.key, url.body_limit)).collect();
        crawl.reserved_bytes += open.values().sum::<u64>();
        self.hosts.get_mut(&key).expect("seen above").lease = Some(lease_id);
        // The address is taken at once; the request's real start moves its clock further.
        let taken = now + crawl.politeness.address_gap;
        let before = self.addresses.insert(address, taken).unwrap_or_default();
        self.seat.address_taken(address, taken, now);
        let live = LiveLease {
            crawl: id,
            host: key,
            deadline,
            open,
            address: (address, before, taken),
            asked: false,
        };
        self.leases.insert(lease_id, live);
        let lease = Lease { id: lease_id, crawl: id, host, address, connections, gap, deadline, urls };
        Ok(Some(Next::Lease(Box::new(lease))))
    }

    /// A host's best URLs that rules and guards let pass; none when it has nothing open. What they refuse is
    /// passed over, many at a time: of a trap, that is most of its queue.
    fn choose(
        &mut self,
        id: CrawlId,
        host: HostKey,
        count: usize,
        body_limit: u64,
        now: Timestamp,
    ) -> Result<Option<Vec<LeasedUrl>>, FrontierError> {
        let store = self.store.clone();
        let crawl = self.crawl(id);
        // An order that looks at all hosts goes on with another as soon as that has something better.
        let beyond = if crawl.needs.changes() { nearly(crawl.ready.best()) } else { END };
        let mut only_promised = self.crawl(id).is_promised();
        let mut is_first = true;
        let mut urls = Vec::with_capacity(count.min(BATCH));
        let mut refused = 0;
        while urls.len() < count && refused < REFUSALS {
            let wanted = count - urls.len();
            let rows = self.first_rows(id, host, wanted, beyond, now)?;
            let is_all = rows.len() < wanted;
            if rows.is_empty() {
                return Ok((refused + urls.len() > 0).then_some(urls));
            }
            let mut full = false;
            for (key, record) in rows {
                let invited = self.was_invited(&store, id, key, &record)?;
                // What is promised comes first of all: a host is asked for others when no promise can be kept.
                only_promised &= !std::mem::take(&mut is_first) || record.priority == 0;
                let earlier = match self.has_revisits(id) {
                    true => store.get(&REVISITS, &page_key(id, key))?,
                    false => None,
                };
                let crawl = self.crawls.get_mut(&id).expect("begun");
                // The rules may have changed since it was queued.
                let verdict = match crawl.rules.refusal(&record.url, record.depth) {
                    Some(refusal) => Verdict::Refuse(refusal),
                    // The room is for others.
                    None if only_promised && earlier.is_none() => Verdict::Later,
                    // It was let in before, and is a page.
                    None if earlier.is_some_and(|earlier| earlier.was.is_page()) => Verdict::Take,
                    None => match &crawl.foretold {
                        Some(foretold) => foretold.get(&key).cloned().map_or(Verdict::Take, Verdict::Refuse),
                        None => {
                            crawl.guards.verdict(&store, id, key, (&record.url, record.depth), invited)?
                        }
                    },
                };
                match verdict {
                    Verdict::Take => {
                        crawl.in_hand.insert(key);
                        urls.push(self.leased(id, key, record, body_limit)?);
                    }
                    Verdict::Refuse(refusal) => {
                        refused += 1;
                        crawl.in_hand.insert(key);
                        crawl.touched.insert(host);
                        crawl.refused.push((key, refusal));
                    }
                    Verdict::Later => {
                        full = true;
                        if let Some(site) = crawl.sites.get_mut(&host) {
                            site.head = site.head.min((record.priority, record.arrival));
                        }
                    }
                }
            }
            if full || is_all && !urls.is_empty() {
                break;
            }
        }
        Ok(Some(urls))
    }

    fn leased(
        &mut self,
        id: CrawlId,
        key: UrlKey,
        record: UrlRecord,
        body_limit: u64,
    ) -> Result<LeasedUrl, FrontierError> {
        let store = self.store.clone();
        let via = match record.via {
            Some(via) => self.url_of(&store, id, via)?,
            None => None,
        };
        Ok(LeasedUrl {
            key,
            url: record.url,
            depth: record.depth,
            via,
            tries: record.tries,
            validators: model::Validators::default(),
            earlier: None,
            body_limit,
        })
    }

    /// Why nothing can be leased.
    fn idle(&mut self, id: CrawlId) -> Result<Next, FrontierError> {
        let crawl = self.crawl(id);
        // A host that another crawl has leased comes back to this one.
        let concerns = |lease: &LiveLease| lease.crawl == id || crawl.sites.contains_key(&lease.host);
        let under_way = self.leases.values().any(concerns) || self.resolving > 0;
        let uncommitted = !crawl.in_hand.is_empty()
            || !crawl.touched.is_empty()
            || !crawl.refused.is_empty()
            || crawl.shallower > 0
            || crawl.reconsider.is_some();
        let busy = under_way || uncommitted;
        let first = crawl.sleeping.first().copied();
        match (first, crawl.look_again) {
            (Some((due, host)), look_again) if look_again.is_none_or(|moment| due <= moment) => {
                let host = self.host_name(id, host)?;
                Ok(Next::Wait { until: Some(due), host, busy })
            }
            (_, Some(moment)) => Ok(Next::Wait { until: Some(moment), host: None, busy }),
            _ if busy => Ok(Next::Wait { until: None, host: None, busy }),
            _ if crawl.out_of_time => Ok(Next::Reached(LimitReached::Time)),
            _ => Ok(Next::Done),
        }
    }

    /// Gives back what leases past their deadline still hold: their worker is gone.
    fn reclaim(&mut self, now: Timestamp) -> Result<(), FrontierError> {
        let lost: Vec<LeaseId> = self
            .leases
            .iter()
            .filter(|(_, lease)| lease.deadline + LEASE_TIME < now)
            .map(|(id, _)| *id)
            .collect();
        for id in lost {
            tracing::warn!(lease = id.0, "lease expired, its URLs are given back");
            self.release(id, now)?;
        }
        Ok(())
    }

    /// Ends a lease: what it still holds is given back, the host may be leased again when its clock allows.
    pub fn release(&mut self, id: LeaseId, now: Timestamp) -> Result<(), FrontierError> {
        let Some(lease) = self.leases.remove(&id) else { return Ok(()) };
        for (key, bytes) in lease.open {
            self.give_back(lease.crawl, key, bytes)?;
        }
        let (address, before, taken) = lease.address;
        if !lease.asked && self.addresses.get(&address) == Some(&taken) {
            // Nothing was asked for: robots.txt forbade it all.
            self.addresses.insert(address, before);
            self.seat.address_left(address, taken, before);
        }
        if let Some(state) = self.hosts.get_mut(&lease.host) {
            state.lease = None;
            self.seat.release(lease.host, &state.record, now);
        }
        for id in self.crawls.keys().copied().collect::<Vec<_>>() {
            self.place(id, lease.host, now)?;
        }
        Ok(())
    }

    /// Gives back one URL unasked.
    fn give_back(&mut self, id: CrawlId, key: UrlKey, bytes: u64) -> Result<(), FrontierError> {
        let record = self.store.get(&URLS, &page_key(id, key))?;
        let crawl = self.crawl_mut(id);
        crawl.in_hand.remove(&key);
        crawl.guards.ended(key, false);
        crawl.unreserve(bytes);
        if let (Some(record), Some(site)) = (record, crawl.sites.get_mut(&key.host)) {
            site.head = site.head.min((record.priority, record.arrival));
            // Its turn in the lanes was not had.
            site.served = site.served.wrapping_sub(1);
        }
        Ok(())
    }

    /// A live lease's URL is settled: true when it was open.
    pub(crate) fn close_url(&mut self, lease: LeaseId, key: UrlKey) -> bool {
        let Some(live) = self.leases.get_mut(&lease) else { return false };
        let Some(bytes) = live.open.remove(&key) else { return false };
        let id = live.crawl;
        self.crawl_mut(id).unreserve(bytes);
        true
    }

    /// Gives back one URL of a lease unasked.
    pub fn hand_back(&mut self, lease: LeaseId, key: UrlKey) -> Result<(), FrontierError> {
        let Some(live) = self.leases.get_mut(&lease) else { return Ok(()) };
        let id = live.crawl;
        match live.open.remove(&key) {
            Some(bytes) => self.give_back(id, key, bytes),
            None => Ok(()),
        }
    }

    fn address_due(
        &mut self,
        id: CrawlId,
        address: IpAddr,
        now: Timestamp,
    ) -> Result<Timestamp, FrontierError> {
        if let Some(due) = self.addresses.get(&address) {
            return Ok(*due);
        }
        let gap = self.crawl(id).politeness.address_gap;
        let stored = self.store.get(&ADDRESSES, &address_key(address))?.map_or(Timestamp::ZERO, Timestamp);
        let wary = self.wary_since.map_or(Timestamp::ZERO, |start| start + gap);
        // Farther ahead than its gap, it comes from a clock that was wrong.
        let due = stored.max(wary).min(now + gap);
        self.addresses.insert(address, due);
        Ok(due)
    }

    /// A host's name, from memory or from any of its open URLs.
    fn host_name(&self, id: CrawlId, key: HostKey) -> Result<Option<Host>, FrontierError> {
        if let Some(state) = self.hosts.get(&key) {
            return Ok(Some(state.record.host.clone()));
        }
        let row = self.store.prefix(&URLS, &(id.0, key.0)).next().transpose()?;
        Ok(row.map(|(_, record)| record.url.host()))
    }
}

/// Up to where URLs are worth nearly as much as at this place.
fn nearly(place: (u32, u64)) -> (u32, u64) {
    let least = NEARLY * worth_at(place.0);
    // What comes before all else is worth more than can be said.
    if least.is_finite() { (place_of(least), u64::MAX) } else { place }
}

impl Crawl {
    fn unreserve(&mut self, bytes: u64) {
        self.reserved_pages = self.reserved_pages.saturating_sub(1);
        self.reserved_bytes = self.reserved_bytes.saturating_sub(bytes);
    }

    /// What the limits leave, live leases counted as if they all brought pages of full size.
    fn room(&self) -> Room {
        let body = self.settings.max_body.limit().unwrap_or(WITHOUT_LIMIT);
        let mut urls = usize::MAX;
        let mut body_limit = body;
        if self.settings.max_pages > 0 {
            let left = self.settings.max_pages.saturating_sub(self.pages());
            if left == 0 {
                return Room::Reached(LimitReached::Pages);
            }
            urls = left.saturating_sub(self.reserved_pages) as usize;
        }
        if let Some(most) = self.settings.max_bytes.limit() {
            let left = most.saturating_sub(self.stats.bytes);
            if left == 0 || self.bytes_exhausted && self.reserved_pages == 0 {
                return Room::Reached(LimitReached::Bytes);
            }
            let free = left.saturating_sub(self.reserved_bytes);
            let whole = free / body.max(1);
            if whole == 0 && self.reserved_pages == 0 {
                // The last page gets what is left.
                urls = urls.min(1);
                body_limit = free;
            } else {
                urls = urls.min(whole as usize);
            }
        }
        if urls == 0 { Room::Taken } else { Room::Free { urls, body_limit } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_worth_nine_tenths_of_the_best_is_as_good() {
        let place = |worth: f32| (place_of(worth), 7);
        for worth in [0.15, 0.2, 1.0, 30.0, 4_000.0] {
            assert!(place(0.95 * worth) <= nearly(place(worth)), "{worth}");
            assert!(place(0.85 * worth) > nearly(place(worth)), "{worth}");
        }
        // Nothing waits elsewhere; something that comes before all else does.
        assert_eq!(nearly(END), END);
        assert_eq!(nearly((0, 3)), (0, 3));
    }
}
