//! Visits: a slot takes one lease at a time through robots and fetch.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use archive::tables::VisitRecord;
use fetch::{Longer, NextStep, Request, Room, SendTurn, Wanted};
use frontier::{Asked, End, Politeness, Sent, Settled};
use model::{ErrorKind, Host, HostKey, Lease, LeaseId, LeasedUrl, Origin, Timestamp, UrlKey};
use net::Clock;
use tokio::sync::{mpsc, watch};

use crate::hints::{self, AskedHints};
use crate::jobs::Jobs;
use crate::named::{NamedLists, UNNAMED};
use crate::read::{self, Job, Read};
use crate::robots::{self, AskedRobots, Leash};
use crate::{Network, WallClock};

/// What comes back to the conductor.
pub(crate) enum Message {
    /// Read, to be settled and kept.
    Read(Box<Read>),
    /// Settled without an answer to keep.
    Settled(Settled, Option<Box<VisitRecord>>),
    /// A robots.txt.
    Robots(LeaseId, Box<AskedRobots>),
    /// A site's crawl hints.
    Hints(LeaseId, Box<AskedHints>),
    /// A lease has ended; all its jobs are sent to be read.
    Released(LeaseId, u32),
    /// An address, or why there is none.
    Resolved(Host, Result<(IpAddr, Duration), ErrorKind>),
}

impl Message {
    /// The URL of a lease that this is about.
    pub(crate) fn is_about(&self) -> Option<(LeaseId, UrlKey)> {
        match self {
            Message::Read(read) => Some((read.lease, read.key)),
            Message::Settled(settled, _) => Some((settled.lease, settled.key)),
            _ => None,
        }
    }

    /// When the request ended that this tells of.
    pub(crate) fn ended(&self) -> Option<Timestamp> {
        match self {
            Message::Read(read) => Some(read.sent.end),
            Message::Settled(settled, _) => settled.sent.map(|sent| sent.end),
            Message::Robots(_, asked) => asked.sent.map(|sent| sent.end),
            Message::Hints(_, asked) => asked.sent.iter().map(|(sent, _, _)| sent.end).max(),
            Message::Released(..) | Message::Resolved(..) => None,
        }
    }
}

/// A lease with the rules it must keep to.
pub(crate) struct Order {
    pub(crate) lease: Lease,
    pub(crate) leashes: Vec<(Origin, Leash)>,
    /// The pause that the hosts' hints ask for.
    pub(crate) hinted: Option<Duration>,
    /// The origin whose hints are the lease's only request.
    pub(crate) ask_hints: Option<Origin>,
}

/// What all slots share.
pub(crate) struct Slots {
    pub(crate) network: Arc<Network>,
    pub(crate) clock: WallClock,
    pub(crate) wanted: Wanted,
    /// Bodies of which more is kept: sitemaps.
    pub(crate) longer: Option<Arc<Longer>>,
    pub(crate) named: NamedLists,
    pub(crate) jobs: Jobs,
    pub(crate) inbox: mpsc::Sender<Message>,
    pub(crate) pace: watch::Receiver<Pace>,
    pub(crate) unread: Arc<Unread>,
    /// For bodies that are being fetched, or fetched and not yet settled.
    pub(crate) room: Arc<Room>,
    pub(crate) turns: Arc<Mutex<Turns>>,
    pub(crate) gaps: Mutex<Gaps>,
}

/// The least time between two requests; it may be changed while a run works.
#[derive(Clone, Copy)]
pub(crate) struct Gaps {
    /// To one address.
    pub(crate) address: Duration,
    /// To a host of which nothing more is known.
    pub(crate) host: Duration,
}

impl Gaps {
    pub(crate) fn of(politeness: &Politeness) -> Gaps {
        Gaps { address: politeness.address_gap, host: politeness.gap(None) }
    }
}

/// What slots may do; the conductor says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Ask.
    Go,
    /// End what is under way, begin nothing.
    Hold,
    /// Give up what is under way.
    GiveUp,
}

/// When each address and each host may be asked again, on the process's clock: a millisecond is too coarse here.
#[derive(Default)]
pub(crate) struct Turns {
    addresses: HashMap<IpAddr, Duration>,
    hosts: HashMap<HostKey, Duration>,
    /// When the next request may be sent, once its connection stands.
    sends: HashMap<HostKey, Duration>,
}

/// A turn that was taken.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    /// When, by the date.
    pub(crate) start: Timestamp,
    /// When, on the process's clock.
    at: Duration,
}

/// Addresses and hosts remembered before those are forgotten whose turn is past.
const MOST_TURNS: usize = 16_384;

/// Bytes of bodies, as transferred and decoded, that may be in memory: being fetched, or not yet settled.
pub(crate) const MOST_IN_FLIGHT: u64 = 64 << 20;

impl Turns {
    /// Takes the turn at an address and a host, or says when it will be free.
    fn take(
        &mut self,
        (address, address_gap): (IpAddr, Duration),
        (host, host_gap): (HostKey, Duration),
        now: Duration,
    ) -> Result<(), Duration> {
        let due_at_address = self.addresses.get(&address).copied().unwrap_or_default();
        let due = self.hosts.get(&host).copied().unwrap_or_default().max(due_at_address);
        if due > now {
            return Err(due);
        }
        if self.addresses.len() >= MOST_TURNS {
            self.addresses.retain(|_, next| *next > now);
        }
        if self.hosts.len() >= MOST_TURNS {
            self.hosts.retain(|_, next| *next > now);
        }
        self.addresses.insert(address, now + address_gap);
        self.hosts.insert(host, now + host_gap);
        Ok(())
    }
}

impl Turns {
    /// Takes the turn to send, or says when it will be free.
    fn send(&mut self, host: HostKey, gap: Duration, now: Duration) -> Result<(), Duration> {
        match self.sends.get(&host) {
            Some(due) if *due > now => return Err(*due),
            _ => {}
        }
        if self.sends.len() >= MOST_TURNS {
            self.sends.retain(|_, next| *next > now);
        }
        self.sends.insert(host, now + gap);
        Ok(())
    }
}

/// How many answers of each lease are sent to be read and not yet settled.
#[derive(Default)]
pub(crate) struct Unread(Mutex<HashMap<LeaseId, usize>>);

impl Unread {
    fn add(&self, lease: LeaseId) {
        *self.counts().entry(lease).or_default() += 1;
    }

    /// One of them has reached the conductor.
    pub(crate) fn settled(&self, lease: LeaseId) {
        let mut counts = self.counts();
        if let Some(count) = counts.get_mut(&lease) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&lease);
            }
        }
    }

    /// True while a lease's answers are on their way.
    pub(crate) fn has(&self, lease: LeaseId) -> bool {
        self.counts().contains_key(&lease)
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<LeaseId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How one URL was left.
enum Left {
    /// Sent on.
    Settled,
    /// Sent on, and the host is to rest: it is busy, or out of reach.
    HostRests,
    /// Nothing more can be asked now: the run is ending, or no proxy works.
    Ending,
}

impl Slots {
    /// Takes a lease through the stages.
    pub(crate) async fn visit(self: Arc<Self>, order: Order, slot: u32) {
        let Order { lease, leashes, hinted, ask_hints } = order;
        let lease = Arc::new(lease);
        tracing::debug!(lease = lease.id.0, host = %lease.host, urls = lease.urls.len(), slot, "lease begins");
        let missing = leashes.iter().find(|(_, leash)| matches!(leash, Leash::Unknown));
        if let Some((origin, _)) = missing {
            // The pages wait for their turn after this request: its answer is committed first.
            match robots::ask(&self, &lease, origin).await {
                Ok(asked) => self.tell(Message::Robots(lease.id, Box::new(asked))).await,
                // The host was asked all the same, and its clock must know.
                Err(sent) => {
                    if let (Some(sent), Some(first)) = (sent, lease.urls.first()) {
                        let (asked, end) = (Asked::default(), End::Unfinished);
                        let settled =
                            Settled { lease: lease.id, key: first.key, sent: Some(sent), asked, end };
                        self.tell(Message::Settled(settled, None)).await;
                    }
                }
            }
        } else if let Some((origin, leash)) =
            leashes.iter().find(|(origin, _)| Some(origin) == ask_hints.as_ref())
        {
            let asked = hints::ask(&self, &lease, origin, leash).await;
            self.tell(Message::Hints(lease.id, Box::new(asked))).await;
        } else if lease.connections > 1 && lease.urls.len() > 1 {
            self.visit_side_by_side(&lease, &leashes, hinted, slot).await;
        } else {
            let mut last_start = None;
            for url in &lease.urls {
                if let Some(start) = last_start
                    && !self.sleep_until(start + lease.gap).await
                {
                    break;
                }
                let (left, start) = self.visit_url(&lease, &leashes, hinted, url, slot).await;
                last_start = start.or(last_start);
                if !matches!(left, Left::Settled) {
                    // What is left of the lease is given back.
                    break;
                }
            }
        }
        tracing::debug!(lease = lease.id.0, host = %lease.host, slot, "lease ends");
        self.tell(Message::Released(lease.id, slot)).await;
    }

    /// Several connections to one host: request starts still keep the lease's gap.
    async fn visit_side_by_side(
        self: &Arc<Self>,
        lease: &Arc<Lease>,
        leashes: &[(Origin, Leash)],
        hinted: Option<Duration>,
        slot: u32,
    ) {
        let mut tasks = tokio::task::JoinSet::new();
        let host_rests = Arc::new(AtomicBool::new(false));
        for index in 0..lease.urls.len() {
            if tasks.len() >= lease.connections {
                tasks.join_next().await;
            }
            if !self.may_ask() || host_rests.load(Ordering::Relaxed) {
                break;
            }
            let (slots, lease, leashes) = (self.clone(), lease.clone(), leashes.to_vec());
            let host_rests = host_rests.clone();
            tasks.spawn(async move {
                let (left, _) = slots.visit_url(&lease, &leashes, hinted, &lease.urls[index], slot).await;
                host_rests.fetch_or(!matches!(left, Left::Settled), Ordering::Relaxed);
            });
        }
        while tasks.join_next().await.is_some() {}
    }

    async fn visit_url(
        &self,
        lease: &Lease,
        leashes: &[(Origin, Leash)],
        hinted: Option<Duration>,
        url: &LeasedUrl,
        slot: u32,
    ) -> (Left, Option<Timestamp>) {
        if !self.may_ask() {
            return (Left::Ending, None);
        }
        let origin = url.url.origin();
        let leash =
            leashes.iter().find(|(known, _)| *known == origin).map_or(&Leash::Unknown, |(_, leash)| leash);
        if let Leash::Rules(rules) = leash {
            let verdict = rules.verdict(url.url.path_and_query());
            if !verdict.allowed {
                let end = End::Disallowed { line: verdict.line };
                let settled =
                    Settled { lease: lease.id, key: url.key, sent: None, asked: Asked::default(), end };
                self.tell(Message::Settled(settled, None)).await;
                return (Left::Settled, None);
            }
        }
        if let Leash::Unproven = leash {
            let (asked, end) = (Asked::default(), read::failed(ErrorKind::Tls));
            let settled = Settled { lease: lease.id, key: url.key, sent: None, asked, end };
            self.tell(Message::Settled(settled, None)).await;
            return (Left::Settled, None);
        }
        let mut asked = Asked { crawl_delay: leash.crawl_delay().max(hinted), retry_after: None };
        let turn = self.turn(lease.address, url.key.host, lease.gap).await;
        let Some(turn) = turn.filter(|turn| turn.start <= lease.deadline) else {
            return (Left::Ending, None);
        };
        let start = turn.start;
        let mut request = Request::new(url.url.clone(), lease.address, start);
        request.validators = url.validators.clone();
        request.body_limit = url.body_limit;
        request.wanted = self.wanted.clone();
        request.longer.clone_from(&self.longer);
        if self.named.has(&url.url) {
            // What it is called does not matter.
            request.wanted.types.clear();
            request.longer = self
                .longer
                .as_ref()
                .map(|longer| Arc::new(Longer { types: vec!["*/*".to_owned()], limit: longer.limit }));
        } else if !request.wanted.types.is_empty() && self.named.is_told_by_its_end(&url.url) {
            request.wanted.types.extend(UNNAMED.map(str::to_owned));
        }
        request.turn = self.send_turn(url.key.host, lease.gap);
        let room = self.room.share();
        request.room = Some(room.clone());
        let answer = tokio::select! {
            answer = self.network.fetch(request) => answer,
            () = self.given_up() => {
                let sent = Sent { start, end: self.clock.ended() };
                let settled = Settled { lease: lease.id, key: url.key, sent: Some(sent), asked, end: End::Unfinished };
                self.tell(Message::Settled(settled, None)).await;
                return (Left::Ending, Some(start));
            }
        };
        // What counts for the host is when the request reached it, not when we began to connect.
        let connect = answer.as_ref().map_or(Duration::ZERO, |answer| answer.fetched().timings.connect);
        self.put_off(url.key.host, turn, connect + lease.gap);
        let sent = Sent { start: start + connect, end: self.clock.ended() };
        let host_rests;
        match answer {
            Ok(answer) => {
                tracing::debug!(url = %url.url, status = answer.fetched().status, "fetched");
                let fetched = answer.fetched();
                if (300..400).contains(&fetched.status) {
                    self.named.follow(fetched);
                }
                if !(200..300).contains(&fetched.status) {
                    asked.retry_after = fetch::retry_after(&fetched.headers, sent.end);
                }
                host_rests = matches!(fetched.status, 429 | 503) || asked.retry_after.is_some();
                let (lease, crawl, url) = (lease.id, lease.crawl, url.clone());
                self.unread.add(lease);
                self.jobs.put(Job { lease, crawl, url, answer, sent, asked, slot, room: Some(room) }).await;
            }
            Err(error) if error.kind() == ErrorKind::Proxy => {
                // The host has not been asked and is not to blame: the URL waits until a proxy works.
                tracing::warn!(%error, "no proxy works, the crawl waits");
                let settled =
                    Settled { lease: lease.id, key: url.key, sent: None, asked, end: End::Unfinished };
                self.tell(Message::Settled(settled, None)).await;
                return (Left::Ending, None);
            }
            Err(error) => {
                tracing::debug!(url = %url.url, %error, "fetch failed");
                let kind = error.kind();
                host_rests = error.next_step() == NextStep::RetryHard;
                let end = End::Failed { error: kind.clone(), patience: read::patience(error.next_step()) };
                let visit = read::failed_visit(kind, sent);
                let settled = Settled { lease: lease.id, key: url.key, sent: Some(sent), asked, end };
                self.tell(Message::Settled(settled, Some(Box::new(visit)))).await;
            }
        }
        (if host_rests { Left::HostRests } else { Left::Settled }, Some(sent.start))
    }

    /// Waits for a turn at a host, and at its address, which other hosts may share, and takes it; none when nothing
    /// more may be asked. The frontier has made room for it; this keeps the gap exact however long a slot took to
    /// begin, and where robots.txt leads from one host to another.
    pub(crate) async fn turn(&self, address: IpAddr, host: HostKey, gap: Duration) -> Option<Turn> {
        while self.may_ask() {
            if let Some(rest) = self.network.proxies_rest() {
                self.sleep(rest).await;
                continue;
            }
            let now = self.clock.process().elapsed();
            let address_gap = self.gaps().address;
            let taken = {
                let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
                turns.take((address, address_gap), (host, gap), now)
            };
            match taken {
                Ok(()) => return Some(Turn { start: self.clock.now(), at: now }),
                Err(due) => _ = self.sleep(due.saturating_sub(now)).await,
            }
        }
        None
    }

    /// Keeps the gap between requests as the host sees them: connections that take turns to be opened may still stand
    /// at the same moment.
    fn send_turn(&self, host: HostKey, gap: Duration) -> Option<SendTurn> {
        if gap.is_zero() {
            return None;
        }
        let (turns, clock) = (self.turns.clone(), self.clock.process());
        Some(SendTurn::new(move || {
            let turns = turns.clone();
            async move {
                loop {
                    let now = clock.elapsed();
                    let taken = turns.lock().unwrap_or_else(PoisonError::into_inner).send(host, gap, now);
                    let Err(due) = taken else { break };
                    tokio::time::sleep(due.saturating_sub(now)).await;
                }
            }
        }))
    }

    /// The host is not asked again before this time has passed since a turn.
    pub(crate) fn put_off(&self, host: HostKey, since: Turn, time: Duration) {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let next = turns.hosts.entry(host).or_default();
        *next = (*next).max(since.at + time);
    }

    /// True when the moment has come, false when nothing more may be asked.
    pub(crate) async fn sleep_until(&self, moment: Timestamp) -> bool {
        self.sleep(moment.since(self.clock.now())).await
    }

    async fn sleep(&self, wait: Duration) -> bool {
        if wait.is_zero() {
            return self.may_ask();
        }
        let mut pace = self.pace.clone();
        tokio::select! {
            () = tokio::time::sleep(wait) => self.may_ask(),
            // Also when the conductor is gone.
            _ = pace.wait_for(|pace| *pace != Pace::Go) => false,
        }
    }

    /// The gaps in force.
    pub(crate) fn gaps(&self) -> Gaps {
        *self.gaps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Other gaps from now on.
    pub(crate) fn set_gaps(&self, gaps: Gaps) {
        *self.gaps.lock().unwrap_or_else(PoisonError::into_inner) = gaps;
    }

    /// Bytes of bodies that are fetched and not yet settled.
    pub(crate) fn bytes_in_flight(&self) -> u64 {
        self.room.used()
    }

    /// The most that they have been.
    pub(crate) fn most_in_flight(&self) -> u64 {
        self.room.most_used()
    }

    /// True while requests may begin.
    fn may_ask(&self) -> bool {
        *self.pace.borrow() == Pace::Go && self.pace.has_changed().is_ok()
    }

    /// Waits until what is under way is to be given up: by the conductor's word, or because it is gone.
    pub(crate) async fn given_up(&self) {
        let _ = self.pace.clone().wait_for(|pace| *pace == Pace::GiveUp).await;
    }

    async fn tell(&self, message: Message) {
        // The conductor outlives its slots; when it is gone there is nobody to tell.
        let _ = self.inbox.send(message).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_keeps_the_gaps_of_host_and_address() {
        let mut turns = Turns::default();
        let millis = Duration::from_millis;
        let mut check = |address: u8, host: u64, now: u64, expected: Result<(), u64>| {
            let address = (IpAddr::from([192, 0, 2, address]), millis(250));
            let taken = turns.take(address, (HostKey(host), millis(1_000)), millis(now));
            assert_eq!(taken, expected.map_err(millis), "host {host} at {now}");
        };
        check(1, 1, 0, Ok(()));
        check(1, 2, 100, Err(250));
        check(1, 2, 250, Ok(()));
        check(1, 1, 600, Err(1_000));
        // Another address does not free a host.
        check(2, 1, 600, Err(1_000));
        check(2, 1, 1_000, Ok(()));
        check(2, 2, 1_100, Err(1_250));
    }

    #[test]
    fn requests_are_sent_a_gap_apart_however_their_connections_came_about() {
        let mut turns = Turns::default();
        let millis = Duration::from_millis;
        let mut check = |host: u64, now: u64, expected: Result<(), u64>| {
            let taken = turns.send(HostKey(host), millis(100), millis(now));
            assert_eq!(taken, expected.map_err(millis), "host {host} at {now}");
        };
        check(1, 0, Ok(()));
        check(1, 10, Err(100));
        check(2, 10, Ok(()));
        check(1, 100, Ok(()));
        check(1, 110, Err(200));
    }
}
