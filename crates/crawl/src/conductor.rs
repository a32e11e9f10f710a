//! The conductor: grants leases, settles what comes back, and commits it in groups.
//!
//! One thread owns frontier, archive and store, so nothing here is locked. A group commit is two ordered syncs:
//! first the archive's data, then one key-value batch that names the archive's new length. A crash before the
//! second leaves bytes that no row names; the next start cuts them off. A crash after it finds everything.

mod leasing;
mod settling;

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use archive::rows::{self, Stand};
use archive::tables::{Committed, LINKS, POSITIONS, VISITS};
use archive::{ArchiveSettings, ArchiveWriter};
use frontier::tables::{FACTS, STATS, Stats, URLS};
use frontier::{Frontier, Lane, Offer, Unfollowed, page_key, refresh_fact};
use judge::book::{self, StoredTexts};
use kv::{Batch, Durability, Reader, Store};
use model::{CrawlId, CrawlSettings, Host, LeaseId, LinkKind, Origin, Outcome, Project, Timestamp, UrlKey};
use net::Clock as _;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};

use crate::duplicates::DuplicateBook;
use crate::fresh::Fresh;
use crate::hints::HintsBook;
use crate::neighbours::Stay;
use crate::progress::{EndReason, Ended, Pause, Progress};
use crate::rank_watch::RankWatch;
use crate::replace::Importance;
use crate::revisits::{self, Revisits};
use crate::robots::RobotsBook;
use crate::run::{Change, Wish};
use crate::slot_time::SlotTime;
use crate::space::Space;
use crate::topic::{TopicInForce, topic_tag};
use crate::visit::{Gaps, Message, Pace, Slots};
use crate::waiting::wait_for;
use crate::watcher::{Event, Visited, Watcher};
use crate::{CrawlError, Neighbours, WallClock};

/// A group is committed when it is this old …
const COMMIT_AFTER: Duration = Duration::from_millis(50);
/// … or this large.
const COMMIT_VISITS: usize = 512;
const COMMIT_BYTES: u64 = 8 << 20;

/// Messages taken in before the clock is looked at again.
const DRAIN: usize = 256;

/// How often progress is published.
const PUBLISH_EVERY: Duration = Duration::from_millis(100);

/// After a stop, visits under way get this long to end.
const GRACE: Duration = Duration::from_secs(5);

/// One slot in so many is kept for hosts that answer soon, unless there are too few.
const RESERVED_PART: usize = 32;
const FEW_SLOTS: usize = 4;
/// A loop that takes longer has stood still: the machine was suspended, or the process stopped.
const STANDSTILL: Duration = Duration::from_secs(60);

/// Names looked up at once.
const MOST_LOOKUPS: usize = 512;

/// Pages whose links are offered again, and URLs that are judged anew, per group.
const SHALLOWER: usize = 64;
const RECONSIDER: usize = 4_096;

/// Waiting URLs that get their place by another order, per group: few enough that nothing stands still for them.
const REORDER: usize = 1_024;
/// Pages that are put back to be asked for again, per group.
const REVISITS_AT_ONCE: usize = 1_024;

pub(crate) struct Conductor {
    pub(crate) id: CrawlId,
    pub(crate) project: Project,
    pub(crate) store: Store,
    pub(crate) frontier: Frontier,
    /// None only while it is opened again.
    pub(crate) archive: Option<ArchiveWriter>,
    pub(crate) archive_at: (PathBuf, ArchiveSettings),
    pub(crate) fresh: Arc<Fresh>,
    pub(crate) space: Space,
    pub(crate) robots: RobotsBook,
    pub(crate) hints: HintsBook,
    pub(crate) duplicates: DuplicateBook,
    pub(crate) topic: TopicInForce,
    pub(crate) revisits: Revisits,
    /// Pages that are due are to be asked for again; until they are chosen.
    pub(crate) refresh: bool,
    pub(crate) slots: Arc<Slots>,
    pub(crate) inbox: mpsc::Receiver<Message>,
    pub(crate) runtime: Handle,
    pub(crate) clock: WallClock,
    pub(crate) wish: watch::Receiver<Wish>,
    pub(crate) changes: mpsc::UnboundedReceiver<Change>,
    pub(crate) watcher: Option<Arc<dyn Watcher>>,
    pub(crate) pace: watch::Sender<Pace>,
    pub(crate) progress: watch::Sender<Progress>,
    pub(crate) neighbours: Neighbours,
    /// Given back when the run has ended.
    pub(crate) _stay: Stay,
}

/// What changes while the conductor works.
pub(crate) struct State {
    batch: Batch,
    /// Visits in the open batch, and bytes appended to the archive with them.
    visits: usize,
    bytes: u64,
    opened: Option<Timestamp>,
    /// Something in the batch must be durable before anything is leased.
    commit_first: bool,
    /// The frontier is to be told of the last commit, which came while a lease was under way.
    untold: bool,
    pub(crate) free_slots: Vec<u32>,
    connections_used: usize,
    /// Names being looked up, and those that wait for it.
    pub(crate) lookups: usize,
    to_look_up: VecDeque<Host>,
    /// Slots with a host that is not known to answer soon.
    slots_unsure: usize,
    slot_time: SlotTime,
    /// Hosts were passed over for the sake of those that answer soon.
    held_back: bool,
    pub(crate) leases: HashMap<LeaseId, LeaseState>,
    /// With one connection: the end of the last request, or when the host was due that was waited for. What is next is
    /// decided as of then, so that it does not depend on how long answers took to be read and committed.
    moment: Timestamp,
    /// When the run began, moved on by the time it stood still.
    began: Timestamp,
    /// The last time the loop came round.
    last_round: Timestamp,
    before: Before,
    last_answer: Timestamp,
    published: Timestamp,
    next_due: Option<(Timestamp, Option<Host>)>,
    pub(crate) ending: Option<(EndReason, Timestamp)>,
    /// The write that failed, while it is mended; mendings since the last commit, and whether one of them was for
    /// want of room.
    pub(crate) failed_write: Option<String>,
    pub(crate) mendings: u32,
    pub(crate) for_want_of_room: bool,
    /// `max_rows` is reached.
    rows_full: bool,
    /// Ranks in the making, for orders that use them.
    ranks: RankWatch,
    /// How many pages a refresh asks for again, in words.
    refresh: Option<String>,
    /// When the refresh began, until all pages that are due wait: only then is its budget spent.
    refreshed: Option<Timestamp>,
}

pub(crate) struct LeaseState {
    host: Host,
    /// The best URL of each origin.
    firsts: Vec<(Origin, UrlKey)>,
    width: usize,
    /// The host is not known to answer soon.
    unsure: bool,
    /// It has several URLs.
    many: bool,
    /// The slot has nothing more to send.
    pub(crate) slot_done: bool,
    /// With one connection: URLs in the order of their requests that are not settled, and what came of those whose turn
    /// to be settled has not come, because a reader was quicker than another.
    in_turn: VecDeque<UrlKey>,
    pub(crate) early: Vec<(UrlKey, Message)>,
}

/// The counts when the run began.
struct Before {
    pages: u64,
    bytes: u64,
    requests: u64,
    running_millis: u64,
}

impl Conductor {
    /// Works until the run ends.
    pub(crate) fn run(mut self) -> Result<Ended, CrawlError> {
        let mut state = self.state()?;
        loop {
            match self.work(&mut state) {
                Ok(ended) => return Ok(ended),
                Err(error) => self.mend(&mut state, error)?,
            }
        }
    }

    /// Works until the run ends or something fails.
    fn work(&mut self, state: &mut State) -> Result<Ended, CrawlError> {
        self.begin(state)?;
        loop {
            self.note_standstill(state);
            self.take_messages(state)?;
            self.take_changes()?;
            if self.may_decide(state) {
                self.side_work(state)?;
            }
            if self.commit_is_due(state) {
                self.commit(state)?;
            }
            self.turn_ranks(state, false);
            if let Some(reason) = self.lease_out(state)? {
                return self.finish(state, reason);
            }
            self.count_slots(state);
            self.publish(state, false);
        }
    }

    fn state(&self) -> Result<State, CrawlError> {
        let now = self.clock.now();
        let before = Before::of(&self.store.get(&STATS, &self.id.0)?.unwrap_or_default());
        Ok(State {
            batch: self.store.batch(),
            visits: 0,
            bytes: 0,
            opened: None,
            commit_first: true,
            untold: false,
            free_slots: (0..self.project.crawl.connections).rev().collect(),
            connections_used: 0,
            lookups: 0,
            to_look_up: VecDeque::new(),
            slots_unsure: 0,
            slot_time: SlotTime::default(),
            held_back: false,
            leases: HashMap::new(),
            moment: now,
            began: now,
            last_round: now,
            before,
            last_answer: now,
            published: Timestamp::ZERO,
            next_due: None,
            ending: None,
            rows_full: self.rows_left(&self.store)? == Some(0),
            failed_write: None,
            mendings: 0,
            for_want_of_room: false,
            ranks: RankWatch::default(),
            refresh: None,
            refreshed: None,
        })
    }

    /// One request at a time: its answer is settled and durable before the next is chosen.
    fn is_serial(&self) -> bool {
        self.project.crawl.connections == 1
    }

    /// With one connection nothing is decided while something is under way, so that it does not depend on when that ends.
    fn may_decide(&self, state: &State) -> bool {
        !self.is_serial() || state.leases.is_empty() && state.lookups == 0
    }

    /// Now, as the frontier sees it.
    fn moment(&self, state: &State) -> Timestamp {
        if self.is_serial() { state.moment } else { self.clock.now() }
    }

    /// With one connection ranks are waited for before a commit, so that the same crawl has the same order again.
    fn turn_ranks(&mut self, state: &mut State, before_commit: bool) {
        if self.is_serial() == before_commit {
            let crawl = &self.project.crawl;
            state.ranks.turn(&self.store, &mut self.frontier, self.id, crawl, before_commit);
        }
    }

    fn begin(&mut self, state: &mut State) -> Result<(), CrawlError> {
        let now = self.clock.now();
        state.moment = now;
        self.frontier.begin(self.id, &self.project)?;
        self.frontier.set_deadline(self.id, self.deadline(state));
        // First what was known before a restart, by which URLs are put into their places.
        state.ranks.turn(&self.store, &mut self.frontier, self.id, &self.project.crawl, false);
        if let Some(fields) = &self.project.fields {
            rows::put_template(&mut state.batch, self.id, fields);
        }
        let settings = &self.project.crawl;
        let starts: Vec<model::PageUrl> =
            self.project.start.iter().chain(&settings.sitemaps).chain(&settings.feeds).cloned().collect();
        for url in &starts {
            let offer = Offer { start: true, ..Offer::of(url.clone()) };
            self.frontier.offer(&mut state.batch, self.id, offer, now)?;
        }
        if self.duplicates.note_settings(&mut state.batch, self.id)? {
            let text = "pages were judged for duplicates by other settings; what stays the same is not judged again: \
                        \"gannet repair\" does that from the archive";
            tracing::warn!("{text}");
            self.tell(|| Event::Note { warn: true, text: text.to_owned() });
        }
        self.commit(state)?;
        if std::mem::take(&mut self.refresh) {
            self.replace_pages(state)?;
            let settings = self.project.crawl.revisit_settings();
            self.revisits = Revisits::due(&self.store, self.id, &settings, now)?;
            let text = self.revisits.words();
            state.refreshed = Some(now);
            self.put_back(state)?;
            self.commit(state)?;
            self.tell(|| Event::Note { warn: false, text: text.clone() });
            state.refresh = Some(text);
        }
        Ok(())
    }

    /// Puts some of the pages that are due back into the queue. With the last of them the refresh is noted: killed before,
    /// the next one has what is left of its budget.
    fn put_back(&mut self, state: &mut State) -> Result<(), CrawlError> {
        for key in self.revisits.take(REVISITS_AT_ONCE) {
            self.frontier.revisit(&mut state.batch, self.id, key)?;
        }
        if self.revisits.len() == 0
            && let Some(began) = state.refreshed.take()
        {
            state.batch.put(&FACTS, &refresh_fact(self.id), &began.0);
        }
        Ok(())
    }

    /// A collection that is full gives up its least important pages for more important URLs, where that is wanted.
    fn replace_pages(&mut self, state: &mut State) -> Result<(), CrawlError> {
        let most = self.project.crawl.max_pages;
        if !self.project.crawl.replace_pages || most == 0 || self.frontier.crawl(self.id).pages() < most {
            return Ok(());
        }
        let snapshot = self.store.snapshot();
        let pairs = Importance::read(&snapshot, self.id)?.replacements(&snapshot, self.id)?;
        let (now, mut replaced) = (self.clock.now(), 0_u64);
        for (page, by) in pairs {
            if !self.frontier.replace(&mut state.batch, self.id, page, by)? {
                continue;
            }
            revisits::repeat_rows(&mut state.batch, self.id, page, now, Some(Stand::Gone))?;
            book::forget(&mut StoredTexts { batch: &mut state.batch, crawl: self.id }, page)?;
            replaced += 1;
            if replaced.is_multiple_of(REVISITS_AT_ONCE as u64) {
                self.commit(state)?;
            }
        }
        if replaced > 0 {
            state.touch(now);
            self.commit(state)?;
            let text = format!("{replaced} pages are given up for more important ones");
            self.tell(|| Event::Note { warn: false, text: text.clone() });
        }
        Ok(())
    }

    /// Time in which nothing could happen takes no lease from its worker, and is no running time.
    fn note_standstill(&mut self, state: &mut State) {
        let now = self.clock.now();
        let span = now.since(std::mem::replace(&mut state.last_round, now));
        if span > STANDSTILL {
            tracing::warn!(?span, "the machine or the process stood still");
            self.frontier.stood_still(span);
            state.began = state.began + span;
            self.frontier.set_deadline(self.id, self.deadline(state));
        }
    }

    /// Waits for word from slots, readers and the caller, no longer than the next thing is due.
    fn take_messages(&mut self, state: &mut State) -> Result<(), CrawlError> {
        let now = self.clock.now();
        let mut wait = PUBLISH_EVERY;
        if let Some(opened) = state.opened {
            wait = wait.min((opened + COMMIT_AFTER).since(now));
        }
        if let Some((due, _)) = &state.next_due {
            wait = wait.min(due.since(now));
        }
        if self.has_side_work() && self.may_decide(state) {
            wait = Duration::ZERO;
        }
        let mut waited = false;
        let first = match self.inbox.try_recv() {
            Ok(message) => Some(message),
            Err(_) if wait.is_zero() => None,
            Err(_) => {
                waited = true;
                let (inbox, wish) = (&mut self.inbox, &mut self.wish);
                let told = async {
                    tokio::select! {
                        message = inbox.recv() => message,
                        // Not when nobody can wish any more: that would be told without end.
                        Ok(()) = wish.changed() => None,
                    }
                };
                wait_for(told, wait, self.clock.process()).flatten()
            }
        };
        state.slot_time.begin(waited, self.clock.process().elapsed());
        let Some(first) = first else { return Ok(()) };
        self.take(state, first)?;
        for _ in 1..DRAIN {
            let Ok(message) = self.inbox.try_recv() else { break };
            self.take(state, message)?;
        }
        Ok(())
    }

    /// What the caller wants changed.
    fn take_changes(&mut self) -> Result<(), CrawlError> {
        while let Ok(change) = self.changes.try_recv() {
            match change {
                Change::Exclude(patterns) => {
                    let exclude = &mut self.project.crawl.exclude;
                    let new: Vec<_> =
                        patterns.into_iter().filter(|pattern| !exclude.contains(pattern)).collect();
                    self.tell(|| Event::Note {
                        warn: false,
                        text: format!("excluded from now on: {}", words(&new)),
                    });
                    self.project.crawl.exclude.extend(new);
                    self.frontier.change_rules(self.id, &self.project)?;
                }
                Change::Rate(rate) => {
                    self.project.crawl.rate = rate;
                    let politeness = self.frontier.set_rate(self.id, rate);
                    self.slots.set_gaps(Gaps::of(&politeness));
                    let rate = rate
                        .map_or_else(|| "by the pauses of the settings".to_owned(), |rate| rate.to_string());
                    self.tell(|| Event::Note { warn: false, text: format!("speed from now on: {rate}") });
                }
                Change::Order(order) => {
                    self.project.crawl.order = order;
                    self.frontier.set_order(self.id, order);
                    self.tell(|| Event::Note { warn: false, text: format!("order from now on: {order}") });
                }
                Change::Topic(words, examples) => self.change_topic(words, examples),
                Change::RetryFailed => {
                    self.frontier.retry_failed(self.id);
                    let text = "URLs that failed are put back".to_owned();
                    self.tell(|| Event::Note { warn: false, text: text.clone() });
                }
            }
        }
        Ok(())
    }

    /// Another topic, unless it cannot be had.
    fn change_topic(&mut self, words: Vec<String>, examples: Vec<String>) {
        let crawl = &self.project.crawl;
        let changed = CrawlSettings { topic: words, topic_examples: examples, ..crawl.clone() };
        let (warn, text) = match self.topic.set(&changed) {
            Err(error) => (true, error.to_string()),
            Ok(()) => {
                let words = changed.topic.join(", ");
                let examples = changed.topic_examples.len();
                self.project.crawl = changed;
                self.frontier.set_topic(self.id, topic_tag(&self.project.crawl));
                (false, format!("topic from now on: {words}; {examples} example texts"))
            }
        };
        self.tell(|| Event::Note { warn, text: text.clone() });
    }

    /// Tells whoever watches.
    pub(crate) fn tell<'a>(&self, event: impl FnOnce() -> Event<'a>) {
        if let Some(watcher) = &self.watcher {
            watcher.told(&event(), self.clock.now());
        }
    }

    /// Takes what came of a request in its turn: with one connection in the order of the requests.
    fn take(&mut self, state: &mut State, message: Message) -> Result<(), CrawlError> {
        let of = message.is_about().filter(|_| self.is_serial());
        let Some((lease, key)) = of.filter(|(lease, _)| state.leases.contains_key(lease)) else {
            return self.take_now(state, message);
        };
        if let Some(live) = state.leases.get_mut(&lease) {
            live.early.push((key, message));
        }
        while let Some(message) = state.leases.get_mut(&lease).and_then(LeaseState::in_its_turn) {
            self.take_now(state, message)?;
        }
        Ok(())
    }

    fn take_now(&mut self, state: &mut State, message: Message) -> Result<(), CrawlError> {
        let now = self.clock.now();
        state.moment = state.moment.max(message.ended().unwrap_or_default());
        match message {
            Message::Read(read) => {
                self.slots.unread.settled(read.lease);
                self.settle_read(state, *read, now)?;
            }
            Message::Settled(settled, visit) => {
                let (lease, key) = (settled.lease, settled.key);
                self.tell(|| Event::Visited {
                    lease,
                    key,
                    visited: Visited::of(&settled.end, visit.as_deref(), None),
                });
                if let Some((visit, sent)) = visit.zip(settled.sent) {
                    state.last_answer = now;
                    state.batch.put(&VISITS, &(self.id.0, key.host.0, key.page, sent.start.0), &*visit);
                }
                state.touch(now);
                let moment = self.moment(state);
                self.frontier.settle(&mut state.batch, settled, moment)?;
                self.release_if_done(state, lease)?;
            }
            Message::Robots(lease, asked) => self.settle_robots(state, lease, *asked, now)?,
            Message::Hints(lease, asked) => self.settle_hints(state, lease, *asked, now)?,
            Message::Released(lease, slot) => {
                state.free_slots.push(slot);
                if let Some(live) = state.leases.get_mut(&lease) {
                    live.slot_done = true;
                    state.connections_used -= live.width;
                    state.slots_unsure -= usize::from(live.unsure);
                }
                self.release_if_done(state, lease)?;
            }
            Message::Resolved(host, answer) => {
                state.lookups -= 1;
                if let Some(next) = state.to_look_up.pop_front() {
                    state.lookups += 1;
                    self.resolve(next);
                }
                let answer = answer.map(|(address, valid_for)| (address, now + valid_for));
                let moment = self.moment(state);
                self.frontier.resolved(&host, answer, moment)?;
                state.touch(now);
            }
        }
        Ok(())
    }

    fn has_side_work(&self) -> bool {
        self.frontier.has_shallower(self.id)
            || self.frontier.has_to_reconsider(self.id)
            || self.frontier.has_to_reorder(self.id)
            || self.frontier.crawl(self.id).has_refusals()
            || self.revisits.len() > 0
    }

    /// Work that no visit brings: refusals, pages that came closer, rules that changed.
    fn side_work(&mut self, state: &mut State) -> Result<(), CrawlError> {
        if !self.has_side_work() {
            return Ok(());
        }
        let now = self.moment(state);
        state.touch(self.clock.now());
        self.frontier.settle_refusals(&mut state.batch)?;
        self.frontier.reconsider(&mut state.batch, self.id, RECONSIDER)?;
        self.frontier.reorder(&mut state.batch, self.id, REORDER)?;
        self.put_back(state)?;
        for (key, record) in self.frontier.take_shallower(&mut state.batch, self.id, SHALLOWER)? {
            if let Outcome::Redirected { to } = &record.outcome {
                let offer = Offer::redirect(&record, key, to);
                self.frontier.offer(&mut state.batch, self.id, offer, now)?;
                continue;
            }
            let links = state.batch.get(&LINKS, &page_key(self.id, key))?.unwrap_or_default();
            for edge in &links.edges {
                let Some(target) = state.batch.get(&URLS, &page_key(self.id, edge.target))? else { continue };
                let offer = Offer {
                    url: target.url,
                    key: edge.target,
                    depth: edge.kind.depth_from(record.depth),
                    via: Some(key),
                    // Known already, so that its reason stands.
                    unfollowed: match Unfollowed::of(&target.outcome) {
                        Some(Unfollowed::OffTopic) => Some(Unfollowed::OffTopic),
                        _ => (!edge.followed).then_some(Unfollowed::Nofollow),
                    },
                    start: false,
                    hops: 0,
                    further: edge.kind == LinkKind::Further,
                    weight: edge.look.weight(),
                    links: 1,
                };
                self.frontier.offer(&mut state.batch, self.id, offer, now)?;
            }
        }
        Ok(())
    }

    fn commit_is_due(&self, state: &State) -> bool {
        let Some(opened) = state.opened else { return state.untold && self.may_decide(state) };
        if self.is_serial() && self.may_decide(state) {
            return true;
        }
        if self.is_serial() && !state.leases.values().any(|live| live.many) {
            // Its only answer is about to be settled. A commit puts URLs in order: not now and then, but once for each.
            return false;
        }
        let idle = state.leases.is_empty() && self.inbox.is_empty();
        idle || state.commit_first
            || state.visits >= COMMIT_VISITS
            || state.bytes >= COMMIT_BYTES
            || self.clock.now().since(opened) >= COMMIT_AFTER
    }

    /// Makes everything since the last commit durable, archive first.
    fn commit(&mut self, state: &mut State) -> Result<(), CrawlError> {
        self.turn_ranks(state, true);
        let (now, moment) = (self.clock.now(), self.moment(state));
        let running = now.since(state.began).as_millis() as u64;
        self.frontier.crawl_mut(self.id).stats_mut().running_millis = state.before.running_millis + running;
        self.frontier.seal(&mut state.batch, moment)?;
        let position = self.archive.as_mut().ok_or(CrawlError::Lost("the archive"))?.sync()?;
        state.batch.put(&POSITIONS, &self.id.0, &Committed { position, at: now });
        let batch = std::mem::replace(&mut state.batch, self.store.batch());
        self.store.commit(batch, Durability::Synced)?;
        // With one connection hosts get their places when a lease is over, at one moment whatever else took its time.
        state.untold = !self.may_decide(state);
        if !state.untold {
            self.frontier.committed(moment)?;
        }
        (state.visits, state.bytes, state.opened, state.commit_first) = (0, 0, None, false);
        (state.mendings, state.for_want_of_room) = (0, false);
        Ok(())
    }

    pub(crate) fn set_pace(&self, to: Pace) {
        self.pace.send_if_modified(|pace| std::mem::replace(pace, to) != to);
    }

    /// Notes that the run is to end, by its user or by its time.
    pub(crate) fn note_ending(&self, state: &mut State, wish: Wish) {
        let now = self.clock.now();
        let over = self.deadline(state).is_some_and(|deadline| now >= deadline);
        let reason = match wish {
            Wish::Cancel => EndReason::Cancelled,
            _ if state.ending.is_some() => return,
            Wish::Stop => EndReason::Stopped,
            _ if over => EndReason::Walltime,
            _ if state.rows_full => EndReason::MaxRows,
            _ => return,
        };
        state.ending = Some((reason, now));
    }

    /// When `walltime` is over; earlier runs of the crawl count.
    fn deadline(&self, state: &State) -> Option<Timestamp> {
        let walltime = self.project.crawl.walltime.limit()?;
        let left = walltime.saturating_sub(Duration::from_millis(state.before.running_millis));
        Some(state.began + left)
    }

    /// Counts the slots at work, and those that stand idle although a host is ready.
    fn count_slots(&self, state: &mut State) {
        let connections = self.project.crawl.connections as usize;
        let busy = connections - state.free_slots.len();
        let free = state.free_slots.len().min(connections.saturating_sub(state.connections_used));
        let ready = self.frontier.crawl(self.id).hosts_ready_and_resting().0;
        let waiting = if state.held_back { free.min(ready) } else { 0 };
        state.slot_time.end(busy, waiting, self.clock.process().elapsed());
    }

    pub(crate) fn publish(&mut self, state: &mut State, last: bool) {
        let now = self.clock.now();
        if !last && now.since(state.published) < PUBLISH_EVERY {
            return;
        }
        state.published = now;
        let progress = self.progress_now(state, now);
        let held = |progress: &Progress| progress.paused.as_ref().map(ToString::to_string);
        let (before, after) = (held(&self.progress.borrow()), held(&progress));
        if before != after {
            let text = after.as_ref().map_or("goes on".to_owned(), |reason| format!("paused: {reason}"));
            self.tell(|| Event::Note { warn: after.is_some(), text: text.clone() });
        }
        self.tell(|| Event::Progress(&progress));
        self.progress.send_replace(progress);
    }

    fn progress_now(&self, state: &State, now: Timestamp) -> Progress {
        let crawl = self.frontier.crawl(self.id);
        let stats = crawl.stats();
        let (hosts_ready, hosts_resting) = crawl.hosts_ready_and_resting();
        let count = |name: &str| stats.outcomes.get(name).copied().unwrap_or(0);
        let refused: HashSet<&str> = ["off-site", "excluded", "over-limit", "trap"].into();
        let known: u64 =
            stats.outcomes.iter().filter(|(name, _)| !refused.contains(name.as_str())).map(|(_, n)| n).sum();
        Progress {
            pages: crawl.pages(),
            pages_now: crawl.pages().saturating_sub(state.before.pages),
            done: known - count("waiting") - count("retrying"),
            known,
            limit: Some(self.project.crawl.max_pages).filter(|limit| *limit > 0),
            bytes: stats.bytes,
            bytes_now: stats.bytes - state.before.bytes,
            // Of what is committed; a figure that cannot be had is no reason to end a run.
            rows: archive::rows::counts(&self.store, self.id).map_or(0, |counts| counts.rows),
            errors: stats.errors.values().sum(),
            queue: count("waiting") + count("retrying"),
            failed: count("failed"),
            skipped: refused.iter().map(|name| count(name)).sum::<u64>() + count("disallowed"),
            hosts_ready,
            hosts_resting,
            slots_busy: self.project.crawl.connections as usize - state.free_slots.len(),
            slots: self.project.crawl.connections as usize,
            slot_time_used: state.slot_time.used(),
            slot_time_lost: state.slot_time.lost(),
            connections_idle: self.slots.network.fetcher.idle_connections(),
            bytes_in_flight: self.slots.bytes_in_flight(),
            most_in_flight: self.slots.most_in_flight(),
            requests_now: stats.requests - state.before.requests,
            running: now.since(state.began),
            quiet: now.since(state.last_answer),
            refresh: state.refresh.clone(),
            paused: self.pause(state),
            next_due: state.next_due.clone(),
        }
    }

    /// Whether the run is held, and why.
    fn pause(&self, state: &State) -> Option<Pause> {
        if let Some(short) = self.space.short() {
            return Some(short.into());
        }
        if let Some(error) = &state.failed_write {
            return Some(Pause::Write { error: error.clone() });
        }
        if *self.wish.borrow() == Wish::Pause {
            return Some(Pause::Asked);
        }
        self.slots.network.proxies_rest().map(|_| Pause::NoProxy)
    }

    fn finish(&mut self, state: &mut State, reason: EndReason) -> Result<Ended, CrawlError> {
        self.frontier.close(&mut state.batch, self.clock.now());
        self.commit(state)?;
        self.publish(state, true);
        let progress = self.progress_now(state, self.clock.now());
        let stats = self.frontier.crawl(self.id).stats().clone();
        Ok(Ended { reason, stats, progress })
    }
}

fn words(patterns: &[model::Pattern]) -> String {
    patterns.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl LeaseState {
    /// What came of the URL whose turn it is to be settled, if that is known.
    fn in_its_turn(&mut self) -> Option<Message> {
        let next = self.in_turn.front()?;
        let at = self.early.iter().position(|(key, _)| key == next)?;
        self.in_turn.pop_front();
        Some(self.early.swap_remove(at).1)
    }
}

impl State {
    /// Half of the slots are for whoever is next; in the other half hosts that answer soon come first. A few are theirs
    /// alone, so that they need not wait until a slow one is done.
    fn lane(&self, slots: usize) -> Lane {
        let reserve = if slots < FEW_SLOTS { 0 } else { slots.div_ceil(RESERVED_PART) };
        if self.slots_unsure < slots.div_ceil(2) {
            Lane::Any
        } else if self.free_slots.len() > reserve {
            Lane::QuickFirst
        } else {
            Lane::QuickOnly
        }
    }

    /// The open batch has something in it.
    fn touch(&mut self, now: Timestamp) {
        self.opened.get_or_insert(now);
    }

    /// As at the start of the run: nothing leased, nothing fetched since the last commit.
    pub(crate) fn begin_again(&mut self, batch: Batch) {
        self.batch = batch;
        (self.visits, self.bytes, self.opened, self.commit_first) = (0, 0, None, true);
        self.untold = false;
        (self.connections_used, self.slots_unsure, self.held_back) = (0, 0, false);
        self.to_look_up.clear();
        self.leases.clear();
        self.next_due = None;
    }
}

impl Before {
    fn of(stats: &Stats) -> Before {
        Before {
            pages: ["fetched", "not-modified"].iter().filter_map(|name| stats.outcomes.get(*name)).sum(),
            bytes: stats.bytes,
            requests: stats.requests,
            running_millis: stats.running_millis,
        }
    }
}
