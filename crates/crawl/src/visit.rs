//! Visits: a slot takes one lease at a time through robots and fetch.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use archive::tables::VisitRecord;
use fetch::{Fetcher, NextStep, Request, Wanted};
use frontier::{Asked, End, Sent, Settled};
use model::{ErrorKind, Host, Lease, LeaseId, LeasedUrl, Origin, Timestamp};
use tokio::sync::{mpsc, watch};

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
    /// A lease has ended; all its jobs are sent to be read.
    Released(LeaseId, u32),
    /// An address, or why there is none.
    Resolved(Host, Result<(IpAddr, Duration), ErrorKind>),
}

/// A lease with the rules it must keep to.
pub(crate) struct Order {
    pub(crate) lease: Lease,
    pub(crate) leashes: Vec<(Origin, Leash)>,
}

/// What all slots share.
pub(crate) struct Slots {
    pub(crate) network: Arc<Network>,
    pub(crate) clock: WallClock,
    pub(crate) wanted: Wanted,
    pub(crate) jobs: mpsc::Sender<Job>,
    pub(crate) inbox: mpsc::Sender<Message>,
    /// True: give up what is under way.
    pub(crate) give_up: watch::Receiver<bool>,
    pub(crate) unread: Arc<Unread>,
    /// When each address may be asked again.
    pub(crate) turns: Mutex<HashMap<IpAddr, Timestamp>>,
    pub(crate) address_gap: Duration,
}

/// Addresses remembered before those are forgotten whose turn is past.
const MOST_TURNS: usize = 16_384;

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
    /// The run is ending; nothing more may be asked.
    Ending,
}

impl Slots {
    /// Takes a lease through the stages.
    pub(crate) async fn visit(self: Arc<Self>, order: Order, slot: u32) {
        let Order { lease, leashes } = order;
        let lease = Arc::new(lease);
        tracing::debug!(lease = lease.id.0, host = %lease.host, urls = lease.urls.len(), slot, "lease begins");
        let missing = leashes.iter().find(|(_, leash)| matches!(leash, Leash::Unknown));
        if let Some((origin, _)) = missing {
            // The pages wait for their turn after this request: its answer is committed first.
            let asked = robots::ask(&self, &lease, origin).await;
            self.tell(Message::Robots(lease.id, Box::new(asked))).await;
        } else if lease.connections > 1 && lease.urls.len() > 1 {
            self.visit_side_by_side(&lease, &leashes, slot).await;
        } else {
            let mut last_start = None;
            for url in &lease.urls {
                if let Some(start) = last_start {
                    self.sleep_until(start + lease.gap).await;
                }
                let (left, start) = self.visit_url(&lease, &leashes, url, slot).await;
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
        slot: u32,
    ) {
        let mut tasks = tokio::task::JoinSet::new();
        let host_rests = Arc::new(AtomicBool::new(false));
        let mut next_start = self.clock.now();
        for index in 0..lease.urls.len() {
            if tasks.len() >= lease.connections {
                tasks.join_next().await;
            }
            self.sleep_until(next_start).await;
            if *self.give_up.borrow() || host_rests.load(Ordering::Relaxed) {
                break;
            }
            next_start = self.clock.now() + lease.gap;
            let (slots, lease, leashes) = (self.clone(), lease.clone(), leashes.to_vec());
            let host_rests = host_rests.clone();
            tasks.spawn(async move {
                let (left, _) = slots.visit_url(&lease, &leashes, &lease.urls[index], slot).await;
                host_rests.fetch_or(matches!(left, Left::HostRests), Ordering::Relaxed);
            });
        }
        while tasks.join_next().await.is_some() {}
    }

    async fn visit_url(
        &self,
        lease: &Lease,
        leashes: &[(Origin, Leash)],
        url: &LeasedUrl,
        slot: u32,
    ) -> (Left, Option<Timestamp>) {
        if *self.give_up.borrow() {
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
        let asked = Asked { crawl_delay: leash.crawl_delay(), retry_after: None };
        let start = self.turn(lease.address).await;
        if *self.give_up.borrow() || start > lease.deadline {
            return (Left::Ending, None);
        }
        let mut request = Request::new(url.url.clone(), lease.address, start);
        request.validators = url.validators.clone();
        request.body_limit = url.body_limit;
        request.wanted = self.wanted.clone();
        let mut give_up = self.give_up.clone();
        let answer = tokio::select! {
            answer = self.network.fetcher.fetch(request) => answer,
            () = ending(&mut give_up) => {
                let sent = Sent { start, end: self.clock.now() };
                let settled = Settled { lease: lease.id, key: url.key, sent: Some(sent), asked, end: End::Unfinished };
                self.tell(Message::Settled(settled, None)).await;
                return (Left::Ending, Some(start));
            }
        };
        // What counts for the host is when the request reached it, not when we began to connect.
        let connect = answer.as_ref().map_or(Duration::ZERO, |answer| answer.fetched().timings.connect);
        let sent = Sent { start: start + connect, end: self.clock.now() };
        let host_rests;
        match answer {
            Ok(answer) => {
                tracing::debug!(url = %url.url, status = answer.fetched().status, "fetched");
                host_rests = matches!(answer.fetched().status, 429 | 503);
                let job =
                    Job { lease: lease.id, crawl: lease.crawl, url: url.clone(), answer, sent, asked, slot };
                // Waits while the readers are busy: what is fetched and not yet read stays bounded.
                self.unread.add(lease.id);
                let _ = self.jobs.send(job).await;
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

    /// Waits for a turn at an address, which all its hosts share, and takes it. The frontier has made room for
    /// it; this keeps the gap exact however long a slot took to begin.
    pub(crate) async fn turn(&self, address: IpAddr) -> Timestamp {
        let start = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            let now = self.clock.now();
            if turns.len() >= MOST_TURNS {
                turns.retain(|_, next| *next > now);
            }
            let next = turns.entry(address).or_default();
            let start = now.max(*next);
            *next = start + self.address_gap;
            start
        };
        self.sleep_until(start).await;
        start.max(self.clock.now())
    }

    async fn sleep_until(&self, moment: Timestamp) {
        let wait = moment.since(self.clock.now());
        if !wait.is_zero() {
            let mut give_up = self.give_up.clone();
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = ending(&mut give_up) => {}
            }
        }
    }

    async fn tell(&self, message: Message) {
        // The conductor outlives its slots; when it is gone there is nobody to tell.
        let _ = self.inbox.send(message).await;
    }
}

/// Waits until what is under way is to be given up; for ever when that cannot happen any more.
async fn ending(give_up: &mut watch::Receiver<bool>) {
    let told = give_up.wait_for(|ending| *ending).await.is_ok();
    if !told {
        std::future::pending::<()>().await;
    }
}
