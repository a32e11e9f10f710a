//! Settling: what became of each URL, and the links it led to.

use std::time::Duration;

use kv::{Batch, Reader};
use model::{CrawlId, ErrorKind, HostKey, LeaseId, Outcome, PageUrl, Timestamp, UrlKey};

use crate::offer::waits_for_invitation;
use crate::politeness::Asked;
use crate::retry::{BUSY_LIMIT, Patience, Retry};
use crate::tables::{
    HINTS, HintsRecord, INVITED, OFF_TOPIC, RELEVANCE, ROBOTS, RequestRecord, RobotsAnswer, RobotsRecord,
    Told, URLS, UrlRecord, relevance_mark,
};
use crate::{Frontier, FrontierError, Offer, PageTopic, TextMark, Unfollowed, page_key};

/// What a busy host says to a request for its crawl hints; 429 and 503 mean the same.
const BUSY_HINTS: u16 = 503;

/// Most redirects in a row.
const MOST_HOPS: u32 = 10;

/// A request that was really sent.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// When it started.
    pub start: Timestamp,
    /// When its answer, or the wait for it, ended.
    pub end: Timestamp,
}

/// What became of one URL of a lease.
#[derive(Debug)]
pub struct Settled {
    /// The lease.
    pub lease: LeaseId,
    /// The URL.
    pub key: UrlKey,
    /// The request, if one was sent.
    pub sent: Option<Sent>,
    /// What the host asked for.
    pub asked: Asked,
    /// How it ended.
    pub end: End,
}

/// How a visit ended.
#[derive(Debug)]
pub enum End {
    /// A page, kept.
    Page {
        /// Bytes of its body as transferred.
        bytes: u64,
        /// Its links.
        links: Vec<Offer>,
        /// Its text, for the guards; none counts as new.
        text: Option<TextMark>,
        /// What it has to do with the crawl's topic, if there is one.
        topic: Option<PageTopic>,
    },
    /// The stored version still holds.
    NotModified,
    /// It leads elsewhere.
    Redirect {
        /// There.
        to: PageUrl,
        /// For now, as it says itself (302, 303, 307): a page that is kept is not given up for that at once.
        passing: bool,
    },
    /// Forbidden by robots.txt, by this line.
    Disallowed {
        /// From 1.
        line: Option<u32>,
    },
    /// Not wanted, by its head.
    Unwanted {
        /// What it is.
        what: String,
    },
    /// Failed.
    Failed {
        /// Why.
        error: ErrorKind,
        /// Whether to try again.
        patience: Patience,
    },
    /// The host is too busy (429, 503): it rests, and the URL keeps its tries.
    Busy {
        /// The status.
        status: u16,
        /// How long it asked us to wait.
        wait: Option<Duration>,
    },
    /// The page did not fit into what was left of `max_bytes`: not kept, not settled.
    NoRoom,
    /// Given up half-way, as at a stop: asked for, but not settled.
    Unfinished,
}

impl End {
    /// What the outcome of the URL may not tell later.
    fn told(&self) -> Told {
        match self {
            End::Failed { error, patience } => Told::Failed { error: error.clone(), patience: *patience },
            End::Busy { status, .. } => Told::Busy { status: *status },
            End::NoRoom | End::Unfinished => Told::Unfinished,
            _ => Told::Answer,
        }
    }
}

impl Frontier {
    /// Records what became of a URL. The lease stays live until [`Frontier::release`].
    pub fn settle(
        &mut self,
        batch: &mut Batch,
        settled: Settled,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let Some(id) = self.leases.get(&settled.lease).map(|lease| lease.crawl) else { return Ok(()) };
        if let Some(sent) = settled.sent {
            let about = (Some(settled.key.page), settled.end.told());
            self.tick(id, settled.key.host, sent, settled.asked, about);
        }
        if matches!(settled.end, End::NoRoom | End::Unfinished) {
            self.crawl_mut(id).bytes_exhausted |= matches!(settled.end, End::NoRoom);
            return self.hand_back(settled.lease, settled.key);
        }
        if !self.close_url(settled.lease, settled.key) {
            return Ok(());
        }
        let row = page_key(id, settled.key);
        let Some(mut record) = batch.get(&URLS, &row)? else {
            return Err(FrontierError::Damaged(format!("leased URL {} is unknown", settled.key)));
        };
        let hard_failure = matches!(&settled.end, End::Failed { patience: Patience::Hard, .. });
        if settled.sent.is_some() && !hard_failure {
            self.host_answers(settled.key.host, matches!(&settled.end, End::Busy { .. }));
        }
        let mut offers = Vec::new();
        let mut inviter = None;
        let is_passing = matches!(&settled.end, End::Redirect { passing: true, .. });
        let outcome = match settled.end {
            End::Page { bytes, links, text, topic } => {
                let is_revisit = self.is_revisit(batch, id, settled.key)?;
                let crawl = self.crawl_mut(id);
                let took = settled.sent.map_or(Duration::ZERO, |sent| sent.end.since(sent.start));
                if !is_revisit {
                    crawl.guards.page(batch, id, settled.key, text.as_ref(), took)?;
                }
                crawl.stats_mut().bytes += bytes;
                let found: u64 = links.iter().map(|offer| u64::from(offer.links)).sum();
                crawl.stats_mut().links_found += found;
                let store = self.store.clone();
                let crawl = self.crawl_mut(id);
                crawl.site(&store, settled.key.host)?.record.pages += 1;
                inviter = Some(crawl.guards.inviter(&store, id, settled.key.host, &record.url)?);
                offers = links;
                for offer in &mut offers {
                    // The page may have come closer while it was fetched.
                    offer.depth = record.depth + u32::from(!offer.further);
                }
                if let Some(topic) = &topic {
                    batch.put(&RELEVANCE, &row, &relevance_mark(topic));
                    self.keep_to_topic(batch, id, settled.key, topic.on_topic, &mut offers)?;
                }
                let crawl = self.crawl_mut(id);
                if crawl.needs.changes() {
                    // It may have been read by the topic before.
                    let topic = topic.as_ref().filter(|topic| crawl.topic.is_none_or(|tag| tag == topic.tag));
                    crawl.importance.page(settled.key, record.depth, &offers, topic);
                }
                Outcome::Fetched
            }
            End::NotModified => {
                let store = self.store.clone();
                self.crawl_mut(id).site(&store, settled.key.host)?.record.pages += 1;
                Outcome::NotModified
            }
            End::Redirect { to, .. } if record.hops + 1 > MOST_HOPS => {
                tracing::debug!(url = %record.url, %to, "too many redirects");
                Outcome::Failed { error: ErrorKind::RedirectLoop, tries: record.tries + 1 }
            }
            End::Redirect { to, .. } => {
                offers.push(Offer::redirect(&record, settled.key, &to));
                Outcome::Redirected { to }
            }
            End::Disallowed { line } => Outcome::Disallowed { line },
            End::Unwanted { what } => Outcome::Unwanted { what },
            End::Failed { error, patience } => {
                record.tries += 1;
                self.failed(id, settled.key, record.tries, error, patience, now)
            }
            End::Busy { status, wait } => {
                record.busy += 1;
                let answered = settled.sent.map_or(now, |sent| sent.end.max(now));
                self.busy(settled.key.host, &record, status, wait, answered)
            }
            End::NoRoom | End::Unfinished => return Ok(()),
        };
        let outcome = self.after_revisit(batch, id, settled.key, outcome, is_passing, now)?;
        self.crawl_mut(id).guards.ended(settled.key, !outcome.is_open());
        self.record(batch, id, settled.key, record, outcome)?;
        self.recent.touch(offers.iter().map(|offer| offer.key));
        for offer in offers {
            self.offer_from(batch, id, offer, inviter, now)?;
        }
        Ok(())
    }

    /// Counts the pages off topic on the way to each link, and lets links be that lie too far from the topic.
    fn keep_to_topic(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        key: UrlKey,
        on_topic: bool,
        offers: &mut [Offer],
    ) -> Result<(), FrontierError> {
        let Some(most) = self.crawl(id).settings.off_topic_distance else { return Ok(()) };
        let passed = match on_topic {
            true => 0,
            false => batch.get(&OFF_TOPIC, &page_key(id, key))?.unwrap_or(0) + 1,
        };
        for offer in offers.iter_mut().filter(|offer| offer.unfollowed.is_none()) {
            if passed > u64::from(most) {
                offer.unfollowed = Some(Unfollowed::OffTopic);
                continue;
            }
            let row = page_key(id, offer.key);
            let known = batch.get(&OFF_TOPIC, &row)?;
            // Without a row a URL that is known was found on topic.
            let is_new = known.is_none() && !batch.contains(&URLS, &row)?;
            match known {
                Some(known) if passed < known && passed == 0 => batch.remove(&OFF_TOPIC, &row),
                Some(known) if passed < known => batch.put(&OFF_TOPIC, &row, &passed),
                None if is_new && passed > 0 => batch.put(&OFF_TOPIC, &row, &passed),
                _ => {}
            }
        }
        Ok(())
    }

    /// Records the outcomes that leasing found out. True when there were any.
    pub fn settle_refusals(&mut self, batch: &mut Batch) -> Result<bool, FrontierError> {
        let ids: Vec<CrawlId> = self.crawls.keys().copied().collect();
        let mut any = false;
        for id in ids {
            for (key, mut outcome) in std::mem::take(&mut self.crawl_mut(id).refused) {
                any = true;
                self.recent.forget(key);
                if waits_for_invitation(&outcome) && batch.contains(&INVITED, &page_key(id, key))? {
                    // Invited since it was passed over.
                    outcome = Outcome::Waiting;
                }
                if let Some(record) = batch.get(&URLS, &page_key(id, key))? {
                    // What was found out without asking says nothing about a page that is kept.
                    let outcome = self.after_revisit(batch, id, key, outcome, false, Timestamp::ZERO)?;
                    self.record(batch, id, key, record, outcome)?;
                } else {
                    self.crawl_mut(id).in_hand.remove(&key);
                }
            }
        }
        Ok(any)
    }

    /// Records a robots.txt that was asked for, and lets the host rest as after any request.
    pub fn robots(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        origin: &model::Origin,
        robots: &RobotsRecord,
        sent: Option<Sent>,
        crawl_delay: Option<Duration>,
    ) -> Result<(), FrontierError> {
        let host = origin.robots_url().host();
        let key = HostKey::of(&host);
        batch.put(&ROBOTS, &origin.as_str().to_owned(), robots);
        let version = match &robots.answer {
            RobotsAnswer::Rules { version, .. } => {
                self.crawl_mut(id).stats_mut().robots_found += 1;
                *version
            }
            _ => 0,
        };
        let state = self.host_state(key, &host)?;
        state.record.robots.insert(origin.as_str().to_owned(), (version, robots.fetched));
        state.record.crawl_delay = crawl_delay.map(|delay| delay.as_millis() as u64);
        self.dirty_hosts.insert(key);
        if let Some(sent) = sent {
            self.tick(id, key, sent, Asked { crawl_delay, retry_after: None }, (None, Told::Answer));
            self.host_answers(key, false);
        }
        Ok(())
    }

    /// Lets a host rest after a request for its crawl hints, as after any request.
    pub fn asked_hints(&mut self, id: CrawlId, key: HostKey, sent: Sent, mut asked: Asked, busy: bool) {
        if let Some(state) = self.hosts.get_mut(&key).filter(|_| busy) {
            state.record.busy_in_a_row += 1;
            state.record.waits_asked += 1;
            let rest = asked
                .retry_after
                .unwrap_or_else(|| Retry::busy_wait(state.record.busy_in_a_row))
                .min(crate::FARTHEST);
            state.record.longest_wait = state.record.longest_wait.max(rest.as_millis() as u64);
            asked.retry_after = Some(rest);
        }
        let told = if busy { Told::Busy { status: BUSY_HINTS } } else { Told::Answer };
        self.tick(id, key, sent, asked, (None, told));
        self.host_answers(key, busy);
    }

    /// Lets a host rest after a request for its robots.txt or its crawl hints that was sent in another crawl, which is
    /// simulated.
    pub fn repeat_errand(&mut self, id: CrawlId, key: HostKey, sent: Sent, asked: Asked, busy: bool) {
        self.tick(id, key, sent, asked, (None, Told::Answer));
        self.host_answers(key, busy);
        if let Some(state) = self.hosts.get_mut(&key) {
            state.record.busy_in_a_row += u32::from(busy);
            state.record.crawl_delay = asked.crawl_delay.map(|delay| delay.as_millis() as u64);
        }
    }

    /// These outcomes are the guards' word on URLs, and they let all others pass: for a crawl that is simulated, whose
    /// texts are not at hand.
    pub fn foretell(&mut self, id: CrawlId, refused: impl IntoIterator<Item = (UrlKey, Outcome)>) {
        self.crawl_mut(id).foretold = Some(refused.into_iter().collect());
    }

    /// Records a site's crawl hints, and the pause they ask for where it is the longest.
    pub fn hints(
        &mut self,
        batch: &mut Batch,
        origin: &model::Origin,
        hints: &HintsRecord,
        pause: Option<Duration>,
    ) -> Result<(), FrontierError> {
        let host = origin.robots_url().host();
        let key = HostKey::of(&host);
        batch.put(&HINTS, &origin.as_str().to_owned(), hints);
        let state = self.host_state(key, &host)?;
        let pause = pause.map(|pause| pause.as_millis() as u64);
        state.record.crawl_delay = state.record.crawl_delay.max(pause);
        self.dirty_hosts.insert(key);
        Ok(())
    }

    /// The host must not be asked before `until`, whatever its pause.
    pub fn rest(&mut self, id: CrawlId, host: HostKey, until: Timestamp) {
        if let Some(state) = self.hosts.get_mut(&host) {
            state.record.next = state.record.next.max(until);
            self.dirty_hosts.insert(host);
        }
        self.told(id, host, Told::Rests { until });
    }

    /// Keeps what was told of a host without a request, for a simulation.
    pub(crate) fn told(&mut self, id: CrawlId, host: HostKey, told: Told) {
        let lease = self.hosts.get(&host).and_then(|state| state.lease);
        self.crawl_mut(id).keep_request(RequestRecord {
            lease: lease.map_or(0, |lease| lease.0),
            host: host.0,
            page: None,
            address: None,
            start: Timestamp::ZERO,
            end: Timestamp::ZERO,
            crawl_delay: None,
            retry_after: None,
            told,
        });
    }

    /// Gives a URL a new outcome, with its row in the queue if it stays open.
    pub(crate) fn record(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        key: UrlKey,
        mut record: UrlRecord,
        outcome: Outcome,
    ) -> Result<(), FrontierError> {
        let store = self.store.clone();
        let crawl = self.crawl_mut(id);
        crawl.dequeue(&store, batch, key, &record)?;
        crawl.recount(Some(&record.outcome), &outcome);
        record.outcome = outcome;
        if record.outcome.is_open() {
            record.priority = crawl.priority(key, &record.url, record.depth);
            crawl.enqueue(&store, batch, key, &record)?;
        }
        // In hand until the commit, also if it was refused before and has never been leased.
        crawl.in_hand.insert(key);
        crawl.settled.push(key);
        batch.put(&URLS, &page_key(id, key), &record);
        Ok(())
    }

    fn failed(
        &mut self,
        id: CrawlId,
        key: UrlKey,
        tries: u32,
        error: ErrorKind,
        patience: Patience,
        now: Timestamp,
    ) -> Outcome {
        let crawl = self.crawl_mut(id);
        *crawl.stats_mut().errors.entry(error.name()).or_default() += 1;
        let wait = crawl.retry.wait(patience, tries, key);
        let most = crawl.retry.times;
        let Some(state) = self.hosts.get_mut(&key.host) else { return Outcome::Failed { error, tries } };
        state.record.failed += 1;
        self.dirty_hosts.insert(key.host);
        if patience == Patience::Hard {
            // The host itself is out of reach: all its URLs wait with this one.
            state.record.failures += 1;
            state.address = None;
            if state.record.failures > most {
                state.condemned = Some(error.clone());
            } else if let Some(wait) = wait {
                state.record.next = state.record.next.max(now + wait);
            }
        }
        match wait {
            Some(wait) => Outcome::Retrying { error, tries, due: now + wait },
            None => Outcome::Failed { error, tries },
        }
    }

    /// The host rests as long as it asked for; without a word from it, longer each time in a row. The URL waits
    /// longer each time, so that one page that is always busy does not hold up its host for ever.
    fn busy(
        &mut self,
        host: HostKey,
        record: &UrlRecord,
        status: u16,
        asked: Option<Duration>,
        now: Timestamp,
    ) -> Outcome {
        let error = ErrorKind::Status(status);
        let mut rest = asked.unwrap_or_default();
        if let Some(state) = self.hosts.get_mut(&host) {
            state.record.busy_in_a_row += 1;
            rest = asked.unwrap_or_else(|| Retry::busy_wait(state.record.busy_in_a_row)).min(crate::FARTHEST);
            state.record.waits_asked += 1;
            state.record.longest_wait = state.record.longest_wait.max(rest.as_millis() as u64);
            state.record.next = state.record.next.max(now + rest);
            self.dirty_hosts.insert(host);
        }
        if record.busy > BUSY_LIMIT {
            return Outcome::Failed { error, tries: record.tries + record.busy };
        }
        let wait = rest.max(Retry::busy_wait(record.busy));
        Outcome::Retrying { error, tries: record.tries, due: now + wait }
    }

    /// The clocks of host and address, after a request.
    fn tick(
        &mut self,
        id: CrawlId,
        key: HostKey,
        sent: Sent,
        asked: Asked,
        (page, told): (Option<u128>, Told),
    ) {
        let crawl = self.crawls.get_mut(&id).expect("begun");
        crawl.stats_mut().requests += 1;
        crawl.touched.insert(key);
        let Some(state) = self.hosts.get_mut(&key) else { return };
        let record = &mut state.record;
        if let Some(last) = record.last_start {
            // Visits of one lease may end in another order than they began.
            let gap = sent.start.0.abs_diff(last.0);
            record.shortest_gap = Some(record.shortest_gap.map_or(gap, |shortest| shortest.min(gap)));
        }
        record.requests += 1;
        if let Some(live) = state.lease.and_then(|lease| self.leases.get_mut(&lease)) {
            live.asked = true;
        }
        record.last_start = Some(record.last_start.unwrap_or_default().max(sent.start));
        record.millis += sent.end.since(sent.start).as_millis() as u64;
        if crawl.needs.times {
            crawl.times.entry(key).or_default().add(sent.end.since(sent.start));
        }
        let next = crawl.politeness.next_fetch(sent.start, sent.end, asked);
        record.next = record.next.max(next);
        record.pause = next.since(sent.end).as_millis() as u64;
        crawl.keep_request(RequestRecord {
            lease: state.lease.map_or(0, |lease| lease.0),
            host: key.0,
            page,
            address: state.address.map(|(address, _)| address),
            start: sent.start,
            end: sent.end,
            crawl_delay: asked.crawl_delay.map(|delay| delay.as_millis() as u64),
            retry_after: asked.retry_after.map(|wait| wait.as_millis() as u64),
            told,
        });
        if let Some((address, _)) = state.address {
            let due = self.addresses.entry(address).or_default();
            *due = (*due).max(sent.start + crawl.politeness.address_gap);
            self.seat.address_taken(address, *due, sent.end);
            self.dirty_addresses.insert(address);
        }
        self.dirty_hosts.insert(key);
    }

    fn host_answers(&mut self, key: HostKey, busy: bool) {
        if let Some(state) = self.hosts.get_mut(&key) {
            state.record.failures = 0;
            if !busy {
                state.record.busy_in_a_row = 0;
            }
        }
    }
}
