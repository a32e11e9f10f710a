//! robots.txt in a run: which rules a lease must keep, and asking for them when they are missing or old.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use archive::{Kept, Purpose, RecordWriter, Records, Visit};
use fetch::robots::{MOST_BYTES, MOST_REDIRECTS, Reaction, Robots, Rules};
use fetch::{Answer, NextStep, Request};
use frontier::Sent;
use frontier::tables::{ROBOTS, RobotsAnswer, RobotsRecord};
use kv::{KvError, Reader, Store};
use model::{Cut, ErrorKind, Fetched, HostKey, Lease, Origin, PageUrl, Timestamp};
use xxhash_rust::xxh3::xxh3_64;

use crate::visit::Slots;

/// A robots.txt holds for a day (RFC 9309's ceiling); one that could not be had is asked for again in an hour.
const FRESH: Duration = Duration::from_secs(24 * 3600);
const RETRY: Duration = Duration::from_secs(3600);

/// Parsed files kept in memory.
const MOST_PARSED: usize = 4_096;

/// What a visit must keep to at one origin.
#[derive(Clone)]
pub(crate) enum Leash {
    /// Everything is allowed.
    Free,
    /// These rules.
    Rules(Arc<Rules>),
    /// Not known, or too old: ask for robots.txt first.
    Unknown,
    /// The origin proves nothing by TLS, so that neither robots.txt nor a page can be had.
    Unproven,
}

/// All robots.txt of a run, parsed.
pub(crate) struct RobotsBook {
    agent: String,
    mode: Mode,
    /// By origin, with when it must be asked for again.
    parsed: HashMap<Origin, (Timestamp, Leash)>,
    /// Origins whose sitemaps have been named, and those not yet taken.
    told: HashSet<Origin>,
    sitemaps: Vec<(Origin, String)>,
}

/// Sitemaps taken of one robots.txt.
const MOST_SITEMAPS: usize = 100;

enum Mode {
    Ignore,
    /// One file for all hosts.
    Fixed(Arc<Rules>),
    Obey,
}

/// What asking for a robots.txt gave.
pub(crate) struct AskedRobots {
    pub(crate) origin: Origin,
    pub(crate) record: RobotsRecord,
    /// Why the host itself could not be reached, if that is so: then nothing is known of its robots.txt.
    pub(crate) out_of_reach: Option<ErrorKind>,
    /// The request at the origin itself; the last one where it redirected within the host.
    pub(crate) sent: Option<Sent>,
    pub(crate) records: Vec<Records>,
    pub(crate) requests: u64,
}

impl RobotsBook {
    pub(crate) fn obey(agent: &str) -> RobotsBook {
        RobotsBook {
            agent: agent.to_owned(),
            mode: Mode::Obey,
            parsed: HashMap::new(),
            told: HashSet::new(),
            sitemaps: Vec::new(),
        }
    }

    pub(crate) fn ignore() -> RobotsBook {
        RobotsBook {
            agent: String::new(),
            mode: Mode::Ignore,
            parsed: HashMap::new(),
            told: HashSet::new(),
            sitemaps: Vec::new(),
        }
    }

    fn fixed(rules: Arc<Rules>) -> RobotsBook {
        RobotsBook {
            agent: String::new(),
            mode: Mode::Fixed(rules),
            parsed: HashMap::new(),
            told: HashSet::new(),
            sitemaps: Vec::new(),
        }
    }

    /// The leash for each origin of a lease.
    pub(crate) fn leashes(
        &mut self,
        store: &Store,
        lease: &Lease,
        now: Timestamp,
    ) -> Result<Vec<(Origin, Leash)>, KvError> {
        let mut leashes: Vec<(Origin, Leash)> = Vec::new();
        for url in &lease.urls {
            let origin = url.url.origin();
            if !leashes.iter().any(|(known, _)| *known == origin) {
                let leash = self.leash(store, &origin, now)?;
                leashes.push((origin, leash));
            }
        }
        Ok(leashes)
    }

    fn leash(&mut self, store: &Store, origin: &Origin, now: Timestamp) -> Result<Leash, KvError> {
        match &self.mode {
            Mode::Ignore => return Ok(Leash::Free),
            Mode::Fixed(rules) => return Ok(Leash::Rules(rules.clone())),
            Mode::Obey => {}
        }
        if let Some((expires, leash)) = self.parsed.get(origin)
            && is_fresh(*expires, now)
        {
            return Ok(leash.clone());
        }
        let leash = match store.get(&ROBOTS, &origin.as_str().to_owned())? {
            Some(record) if is_fresh(record.expires, now) => self.learn(origin, &record),
            _ => Leash::Unknown,
        };
        Ok(leash)
    }

    /// Forgets what was learned, which may never have become durable; the store is asked again.
    pub(crate) fn forget(&mut self) {
        self.parsed.clear();
        self.told.clear();
        self.sitemaps.clear();
    }

    /// Sitemaps that were named since this was last asked.
    pub(crate) fn take_sitemaps(&mut self) -> Vec<(Origin, String)> {
        std::mem::take(&mut self.sitemaps)
    }

    /// Takes in a file that was read or asked for.
    pub(crate) fn learn(&mut self, origin: &Origin, record: &RobotsRecord) -> Leash {
        let leash = match &record.answer {
            RobotsAnswer::Rules { text, .. } => {
                let robots = Robots::parse(text);
                if self.told.insert(origin.clone()) {
                    let named = robots.sitemaps().iter().take(MOST_SITEMAPS);
                    self.sitemaps.extend(named.map(|sitemap| (origin.clone(), sitemap.clone())));
                }
                Leash::Rules(Arc::new(robots.rules(&self.agent)))
            }
            RobotsAnswer::None { .. } => Leash::Free,
            RobotsAnswer::Unreachable { .. } => Leash::Unknown,
        };
        if !matches!(leash, Leash::Unknown) {
            self.keep(origin, record.expires, leash.clone());
        }
        leash
    }

    /// Takes in that TLS with an origin fails: its URLs fail without being tried one by one. The host may have
    /// another origin, which this says nothing about.
    pub(crate) fn unproven(&mut self, origin: &Origin, now: Timestamp) {
        self.keep(origin, now + RETRY, Leash::Unproven);
    }

    fn keep(&mut self, origin: &Origin, expires: Timestamp, leash: Leash) {
        if self.parsed.len() >= MOST_PARSED {
            self.parsed.clear();
        }
        self.parsed.insert(origin.clone(), (expires, leash));
    }

    /// After a failed attempt an older file goes on to hold, for another hour.
    pub(crate) fn or_stale(store: &Store, asked: &mut AskedRobots, now: Timestamp) -> Result<(), KvError> {
        if !matches!(asked.record.answer, RobotsAnswer::Unreachable { .. }) {
            return Ok(());
        }
        let stored = store.get(&ROBOTS, &asked.origin.as_str().to_owned())?;
        if let Some(stored) = stored
            && !matches!(stored.answer, RobotsAnswer::Unreachable { .. })
        {
            asked.record = RobotsRecord { expires: now + RETRY, ..stored };
        }
        Ok(())
    }
}

/// Whether an answer still holds. One that holds longer than any we keep comes from a clock that was wrong.
fn is_fresh(expires: Timestamp, now: Timestamp) -> bool {
    expires > now && expires <= now + FRESH
}

impl Leash {
    /// Whether robots.txt is known and lets us ask for a path.
    pub(crate) fn allows(&self, path_and_query: &str) -> bool {
        match self {
            Leash::Free => true,
            Leash::Rules(rules) => rules.verdict(path_and_query).allowed,
            Leash::Unknown | Leash::Unproven => false,
        }
    }

    /// What robots.txt asks for between two requests.
    pub(crate) fn crawl_delay(&self) -> Option<Duration> {
        match self {
            Leash::Rules(rules) => rules.pause(),
            _ => None,
        }
    }

    /// When the host's hours begin, if it names hours and these are not they.
    pub(crate) fn opens_at(&self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Leash::Rules(rules) => Some(rules.next_visit(now)).filter(|opens| *opens > now),
            _ => None,
        }
    }
}

/// Reads the one robots.txt that a project wants kept everywhere. Its host then has its pause like any other.
pub(crate) async fn read_fixed(slots: &Slots, url: &PageUrl) -> Result<RobotsBook, String> {
    let Slots { network, .. } = slots;
    let (address, _) = network.address(&url.host()).await.map_err(|error| error.to_string())?;
    let host = HostKey::of(&url.host());
    let turn = slots.turn(address, host, slots.gaps().host).await.ok_or("the run ends")?;
    let mut request = Request::new(url.clone(), address, turn.start);
    request.body_limit = MOST_BYTES as u64;
    match network.fetch(request).await {
        Ok(Answer::Fetched(fetched)) if (200..300).contains(&fetched.status) => {
            let rules = Arc::new(Robots::parse(&fetched.content).rules(&network.agent));
            let pause = rules.pause().unwrap_or_default().max(slots.gaps().host);
            slots.put_off(host, turn, fetched.timings.total + pause);
            Ok(RobotsBook::fixed(rules))
        }
        Ok(answer) => Err(format!("status {}", answer.fetched().status)),
        Err(error) => Err(error.to_string()),
    }
}

/// Asks for an origin's robots.txt, following redirects, keeping each host's gap. When the run ends on the way: the
/// last request at the origin itself, if there was one.
pub(crate) async fn ask(slots: &Slots, lease: &Lease, origin: &Origin) -> Result<AskedRobots, Option<Sent>> {
    let Slots { network, clock, .. } = slots;
    let mut url = origin.robots_url();
    let mut address = Ok(lease.address);
    let mut sent: Option<Sent> = None;
    let mut records = Vec::new();
    let mut requests = 0;
    let mut hops = 0;
    let mut out_of_reach = None;
    let fetched_at = clock.now();
    let answer = loop {
        let at_home = url.host() == lease.host;
        if let (Some(last), true) = (sent, at_home)
            && !slots.sleep_until(last.end + lease.gap).await
        {
            return Err(sent);
        }
        let Ok(address_now) = address else { break unreachable("its redirect leads to no address") };
        let gap = if at_home { lease.gap } else { slots.gaps().host };
        let host = HostKey::of(&url.host());
        let Some(turn) = slots.turn(address_now, host, gap).await else { return Err(sent) };
        let start = turn.start;
        let mut request = Request::new(url.clone(), address_now, start);
        request.body_limit = MOST_BYTES as u64;
        request.room = Some(slots.room.share());
        let answer = tokio::select! {
            answer = network.fetch(request) => answer,
            () = slots.given_up() => {
                return Err(if at_home { Some(Sent { start, end: clock.ended() }) } else { sent });
            }
        };
        let before = sent;
        requests += 1;
        let connect = answer.as_ref().map_or(Duration::ZERO, |answer| answer.fetched().timings.connect);
        slots.put_off(host, turn, connect + gap);
        if at_home {
            sent = Some(Sent { start: start + connect, end: clock.ended() });
        }
        let fetched = match answer {
            Ok(Answer::Fetched(fetched) | Answer::Unwanted { fetched, .. }) => fetched,
            // The host has not been asked, and is asked once a proxy works.
            Err(error) if error.kind() == ErrorKind::Proxy => return Err(before),
            Err(error) => {
                if at_home && (error.next_step() == NextStep::RetryHard || error.kind() == ErrorKind::Tls) {
                    out_of_reach = Some(error.kind());
                }
                break unreachable(&error.to_string());
            }
        };
        records.push(record(lease, &fetched, Purpose::Robots));
        match Reaction::to(fetched.status) {
            Reaction::Read if matches!(fetched.cut, Some(Cut::Time | Cut::Disconnect)) => {
                // The missing half may forbid what the first one does not.
                break unreachable("only a part of it came");
            }
            Reaction::Read => break rules(&fetched),
            Reaction::Follow => {
                hops += 1;
                let target = fetched.headers.get("location").and_then(|to| target(&url, to));
                let Some(target) = target.filter(|_| hops <= MOST_REDIRECTS) else {
                    // Too many or nowhere: RFC 9309 lets it count as not there.
                    break RobotsAnswer::None { status: fetched.status };
                };
                address = network.address(&target.host()).await.map(|(address, _)| address);
                url = target;
            }
            Reaction::AllowAll => break RobotsAnswer::None { status: fetched.status },
            Reaction::DenyAll => break unreachable(&format!("status {}", fetched.status)),
        }
    };
    let lifetime = if matches!(answer, RobotsAnswer::Unreachable { .. }) { RETRY } else { FRESH };
    let record = RobotsRecord { fetched: fetched_at, expires: clock.now() + lifetime, answer };
    Ok(AskedRobots { origin: origin.clone(), record, out_of_reach, sent, records, requests })
}

fn rules(fetched: &Fetched) -> RobotsAnswer {
    let text = fetched.content[..fetched.content.len().min(MOST_BYTES)].to_vec();
    RobotsAnswer::Rules { version: xxh3_64(&text), text }
}

fn unreachable(reason: &str) -> RobotsAnswer {
    RobotsAnswer::Unreachable { reason: reason.to_owned() }
}

fn target(base: &PageUrl, location: &str) -> Option<PageUrl> {
    model::Normalise::default().join(base, location).ok()
}

/// The archive's records of something that is no page.
pub(crate) fn record(lease: &Lease, fetched: &Fetched, purpose: Purpose) -> Records {
    let depth = lease.urls.first().map_or(0, |url| url.depth);
    let visit = Visit {
        crawl: lease.crawl,
        fetched,
        purpose,
        via: None,
        depth,
        outcome: None,
        page: None,
        kept: Kept::Whole,
    };
    RecordWriter::default().records(&visit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 3600);

    fn answered(answer: RobotsAnswer, at: Timestamp) -> AskedRobots {
        let origin = PageUrl::parse("http://e.test/").expect("a URL").origin();
        let record = RobotsRecord { fetched: at, expires: at + DAY, answer };
        AskedRobots { origin, record, out_of_reach: None, sent: None, records: Vec::new(), requests: 1 }
    }

    fn keep(store: &Store, asked: &AskedRobots) {
        let mut batch = store.batch();
        batch.put(&ROBOTS, &asked.origin.as_str().to_owned(), &asked.record);
        store.commit(batch, kv::Durability::Synced).expect("a commit in memory");
    }

    #[test]
    fn rules_hold_until_they_expire_and_an_old_copy_serves_while_no_new_one_can_be_had() {
        let store = Store::memory();
        let mut book = RobotsBook::obey("gannet");
        let t0 = Timestamp(1_000_000);
        let text = b"User-agent: *\nDisallow: /x".to_vec();
        let asked = answered(RobotsAnswer::Rules { version: xxh3_64(&text), text }, t0);
        book.learn(&asked.origin, &asked.record);
        keep(&store, &asked);
        let mut leash = |now| book.leash(&store, &asked.origin, now).expect("a readable store");
        assert!(matches!(leash(t0 + DAY / 2), Leash::Rules(_)));
        assert!(matches!(leash(t0 + DAY), Leash::Unknown), "too old: to be asked for again");

        let mut failed = answered(unreachable("status 500"), t0 + DAY);
        RobotsBook::or_stale(&store, &mut failed, t0 + DAY).expect("a readable store");
        assert_eq!(failed.record.answer, asked.record.answer);
        assert_eq!(failed.record.expires, t0 + DAY + RETRY);
        keep(&store, &failed);
        assert!(matches!(leash(t0 + DAY), Leash::Rules(_)));
    }
}
