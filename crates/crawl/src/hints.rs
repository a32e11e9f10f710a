//! A site's hints in a run: asked for once a day after robots.txt, before the first page.
//!
//! A hint may slow the run at its host or name URLs of its host, which then pass scope, guards and robots.txt like any
//! link. It never shortens a pause, widens a scope or lifts a limit.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use archive::{Purpose, Records};
use fetch::hints::{HINTS_PATH, Hints, MOST_FEED_BYTES, MOST_HINTS_BYTES, changes};
use fetch::{Answer, Request};
use frontier::tables::{HINTS, HintsAnswer, HintsRecord};
use frontier::{Asked, Sent};
use kv::{KvError, Reader, Store};
use model::{Fetched, Lease, Origin, PageUrl, Timestamp};

use crate::robots::{Leash, record};
use crate::visit::Slots;

/// Hints hold for a day, also when there are none.
const FRESH: Duration = Duration::from_secs(24 * 3600);

/// Parsed files kept in memory.
const MOST_PARSED: usize = 4_096;

/// The hints of a run's origins, parsed.
pub(crate) struct HintsBook {
    wanted: bool,
    parsed: HashMap<Origin, (Timestamp, Option<Arc<Hints>>)>,
}

/// What asking for hints gave.
pub(crate) struct AskedHints {
    pub(crate) origin: Origin,
    /// None when the run ended on the way.
    pub(crate) record: Option<HintsRecord>,
    /// Each request, with what the host asked for and whether it is busy.
    pub(crate) sent: Vec<(Sent, Asked, bool)>,
    pub(crate) records: Vec<Records>,
    /// URLs of the host that changed.
    pub(crate) named: Vec<PageUrl>,
}

impl HintsBook {
    pub(crate) fn new(wanted: bool) -> HintsBook {
        HintsBook { wanted, parsed: HashMap::new() }
    }

    /// Drops what was parsed: the store may have lost it.
    pub(crate) fn forget(&mut self) {
        self.parsed.clear();
    }

    /// The hints of these origins, or the first origin that must be asked for them.
    pub(crate) fn of(
        &mut self,
        store: &Store,
        leashes: &[(Origin, Leash)],
        now: Timestamp,
    ) -> Result<Result<Vec<Arc<Hints>>, Origin>, KvError> {
        let mut known = Vec::new();
        if !self.wanted {
            return Ok(Ok(known));
        }
        for (origin, leash) in leashes {
            if !leash.allows(HINTS_PATH) {
                continue;
            }
            let fresh = self.parsed.get(origin).filter(|(expires, _)| *expires > now);
            match fresh {
                Some((_, hints)) => known.extend(hints.clone()),
                None => match store.get(&HINTS, &origin.as_str().to_owned())? {
                    Some(record) if record.expires > now => known.extend(self.learn(origin, &record)),
                    _ => return Ok(Err(origin.clone())),
                },
            }
        }
        Ok(Ok(known))
    }

    /// Takes in a file that was read or asked for.
    pub(crate) fn learn(&mut self, origin: &Origin, record: &HintsRecord) -> Option<Arc<Hints>> {
        let hints = match &record.answer {
            HintsAnswer::Hints { text } => Hints::parse(text).map(Arc::new),
            HintsAnswer::None { .. } | HintsAnswer::Unreadable { .. } => None,
        };
        if self.parsed.len() >= MOST_PARSED {
            self.parsed.clear();
        }
        self.parsed.insert(origin.clone(), (record.expires, hints.clone()));
        hints
    }
}

/// Asks for an origin's hints and, if they name one, for its feed of changes.
pub(crate) async fn ask(slots: &Slots, lease: &Lease, origin: &Origin, leash: &Leash) -> AskedHints {
    let crawl_delay = leash.crawl_delay();
    let mut visit = Visit { slots, lease, crawl_delay, sent: Vec::new(), records: Vec::new() };
    let (record, named) = visit.ask(origin, leash).await.unzip();
    let Visit { sent, records, .. } = visit;
    AskedHints { origin: origin.clone(), record, sent, records, named: named.unwrap_or_default() }
}

/// The requests of one asking.
struct Visit<'v> {
    slots: &'v Slots,
    lease: &'v Lease,
    /// What robots.txt asks for between two requests.
    crawl_delay: Option<Duration>,
    sent: Vec<(Sent, Asked, bool)>,
    records: Vec<Records>,
}

impl Visit<'_> {
    /// The file, and the URLs that its feed names; `None` when the run ends on the way.
    async fn ask(&mut self, origin: &Origin, leash: &Leash) -> Option<(HintsRecord, Vec<PageUrl>)> {
        let clock = &self.slots.clock;
        let url = model::Normalise::default().join(&origin.robots_url(), HINTS_PATH).ok()?;
        let fetched_at = clock.now();
        let answer = match self.get(url.clone(), MOST_HINTS_BYTES).await? {
            Ok(fetched) => match (fetched.status, Hints::parse(&fetched.content)) {
                (200..=299, Some(_)) => HintsAnswer::Hints { text: fetched.content.to_vec() },
                (200..=299, None) => {
                    HintsAnswer::Unreadable { reason: "it is no hints file of version 1".to_owned() }
                }
                // A redirect is not followed: another place's word is not this site's.
                (status, _) => HintsAnswer::None { status },
            },
            Err(reason) => HintsAnswer::Unreadable { reason },
        };
        let mut named = Vec::new();
        if let HintsAnswer::Hints { text } = &answer
            && let Some(hints) = Hints::parse(text)
            && let Some(feed) = hints.changes.as_deref().and_then(|feed| of_origin(origin, &url, feed))
            && leash.allows(feed.path_and_query())
            && hints.next_visit(clock.now()) <= clock.now()
        {
            self.rest(hints.pause).await.then_some(())?;
            if let Ok(fetched) = self.get(feed.clone(), MOST_FEED_BYTES).await?
                && (200..300).contains(&fetched.status)
            {
                let rows = changes(&fetched.content).unwrap_or_default();
                named = rows.iter().filter_map(|change| of_origin(origin, &feed, &change.url)).collect();
            }
        }
        let expires = clock.now() + FRESH;
        let record = HintsRecord { fetched: fetched_at, expires, answer, named: named.len() as u64 };
        Some((record, named))
    }

    /// One request in the host's turn; `None` when the run ends.
    async fn get(&mut self, url: PageUrl, most: usize) -> Option<Result<Fetched, String>> {
        let Visit { slots, lease, .. } = self;
        let host = model::HostKey::of(&lease.host);
        let turn = slots.turn(lease.address, host, lease.gap).await?;
        let mut request = Request::new(url, lease.address, turn.start);
        // One byte more, so that a file that is too long is seen to be.
        request.body_limit = most as u64 + 1;
        let answer = tokio::select! {
            answer = slots.network.fetch(request) => Some(answer),
            () = slots.given_up() => None,
        };
        let connect = match &answer {
            Some(Ok(answer)) => answer.fetched().timings.connect,
            _ => Duration::ZERO,
        };
        slots.put_off(host, turn, connect + lease.gap);
        let sent = Sent { start: turn.start + connect, end: slots.clock.ended() };
        let fetched = match answer {
            Some(Ok(Answer::Fetched(fetched) | Answer::Unwanted { fetched, .. })) => fetched,
            failed => {
                // The host was asked all the same, and its clock must know.
                let asked = Asked { crawl_delay: self.crawl_delay, retry_after: None };
                self.sent.push((sent, asked, false));
                return failed?.err().map(|error| Err(error.to_string()));
            }
        };
        let success = (200..300).contains(&fetched.status);
        let retry_after = if success { None } else { fetch::retry_after(&fetched.headers, sent.end) };
        let busy = matches!(fetched.status, 429 | 503);
        self.sent.push((sent, Asked { crawl_delay: self.crawl_delay, retry_after }, busy));
        self.records.push(record(self.lease, &fetched, Purpose::Hints));
        Some(Ok(fetched))
    }

    /// Waits the pause before the next request; false when the run ends.
    async fn rest(&self, pause: Option<Duration>) -> bool {
        let Some((last, _, _)) = self.sent.last() else { return true };
        self.slots.sleep_until(last.end + self.lease.gap.max(pause.unwrap_or_default())).await
    }
}

/// A URL as written in a file of an origin, if it belongs to that origin.
fn of_origin(origin: &Origin, base: &PageUrl, written: &str) -> Option<PageUrl> {
    let url = model::Normalise::default().join(base, written).ok()?;
    (url.origin() == *origin).then_some(url)
}
