//! A crawl with one connection, repeated: its store tells when each request was sent and when it ended, so that hosts are
//! due when they were. What comes next is found out by the frontier, as in any simulation.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use frontier::tables::{REQUESTS, RequestRecord, Told};
use frontier::{Asked, End, Patience, Sent};
use kv::Reader;
use model::{CrawlId, ErrorKind, HostKey, LeasedUrl, Outcome, Timestamp, UrlKey};

use crate::SimulateError;

/// How a crawl with one connection went.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// Its requests, in their order.
    pub(crate) requests: Vec<RequestRecord>,
    /// URLs that guards refused: by texts, which a simulation does not have.
    pub(crate) refused: Vec<(UrlKey, Outcome)>,
    /// URLs that no page named, as they were found.
    pub(crate) named: Vec<Named>,
    /// The addresses of each host, one after the other.
    addresses: HashMap<HostKey, Vec<Stay>>,
}

/// A host at an address.
#[derive(Debug)]
struct Stay {
    address: IpAddr,
    /// The place of the last request that it was asked there.
    last: usize,
    end: Timestamp,
}

/// A URL that robots.txt or crawl hints named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Named {
    pub(crate) found: Timestamp,
    pub(crate) arrival: u64,
    pub(crate) number: u32,
    pub(crate) depth: u32,
}

impl History {
    /// What the store has; none of a crawl with more connections.
    pub(crate) fn read(
        reader: &impl Reader,
        crawl: CrawlId,
        keys: &[UrlKey],
        outcomes: &[Outcome],
        mut named: Vec<Named>,
    ) -> Result<Option<Arc<History>>, SimulateError> {
        let rows = reader.prefix(&REQUESTS, &crawl.0);
        let requests: Vec<RequestRecord> = rows.map(|row| row.map(|row| row.1)).collect::<Result<_, _>>()?;
        if requests.is_empty() {
            return Ok(None);
        }
        named.sort_unstable();
        let is_trap = |outcome: &Outcome| matches!(outcome, Outcome::Trap { .. });
        let refused = keys.iter().zip(outcomes).filter(|(_, outcome)| is_trap(outcome));
        let refused = refused.map(|(key, outcome)| (*key, outcome.clone())).collect();
        let mut addresses: HashMap<HostKey, Vec<Stay>> = HashMap::new();
        for (last, request) in requests.iter().enumerate() {
            let Some(address) = request.address else { continue };
            let stays = addresses.entry(HostKey(request.host)).or_default();
            match stays.last_mut().filter(|stay| stay.address == address) {
                Some(stay) => (stay.last, stay.end) = (last, request.end),
                None => stays.push(Stay { address, last, end: request.end }),
            }
        }
        Ok(Some(Arc::new(History { requests, refused, named, addresses })))
    }
}

/// How far a crawl is repeated.
pub(crate) struct Replay {
    history: Arc<History>,
    next: usize,
    next_named: usize,
    /// Requests for each URL that are still to come.
    left: HashMap<UrlKey, u32>,
}

fn key_of(request: &RequestRecord) -> Option<UrlKey> {
    Some(UrlKey { host: HostKey(request.host), page: request.page? })
}

impl Replay {
    pub(crate) fn new(history: Arc<History>) -> Replay {
        let mut left = HashMap::new();
        history.requests.iter().filter_map(key_of).for_each(|key| *left.entry(key).or_default() += 1);
        Replay { history, next: 0, next_named: 0, left }
    }

    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    fn next(&self) -> Option<&RequestRecord> {
        self.history.requests.get(self.next)
    }

    /// The request for a URL, if that is the next.
    pub(crate) fn peek(&self, leased: &LeasedUrl) -> Option<&RequestRecord> {
        self.next().filter(|next| key_of(next) == Some(leased.key))
    }

    /// The same, which is over.
    pub(crate) fn take(&mut self, leased: &LeasedUrl) -> Option<RequestRecord> {
        let request = self.peek(leased)?.clone();
        self.next += 1;
        if let Some(left) = self.left.get_mut(&leased.key) {
            *left -= 1;
        }
        Some(request)
    }

    /// The next request of a host is for its robots.txt or its crawl hints, or it was to rest: that, with all of the same
    /// lease.
    pub(crate) fn errand(&mut self, host: HostKey) -> Vec<RequestRecord> {
        let is_errand = |request: &&RequestRecord| {
            let is_told = !matches!(request.told, Told::NoAddress { .. });
            request.page.is_none() && request.host == host.0 && is_told
        };
        let Some(lease) = self.next().filter(is_errand).map(|request| request.lease) else {
            return Vec::new();
        };
        let rest = self.history.requests[self.next..].iter();
        let errand: Vec<_> =
            rest.take_while(|other| is_errand(other) && other.lease == lease).cloned().collect();
        self.next += errand.len();
        errand
    }

    /// What came of looking up a host's name; none where that is not known.
    pub(crate) fn resolved(&mut self, host: HostKey) -> Option<Result<(IpAddr, Timestamp), ErrorKind>> {
        if let Some(next) = self.next().filter(|next| next.host == host.0)
            && let Told::NoAddress { error } = &next.told
        {
            let error = error.clone();
            self.next += 1;
            return Some(Err(error));
        }
        let mut stays = self.history.addresses.get(&host)?.iter().filter(|stay| stay.last >= self.next);
        let stay = stays.next()?;
        // It was looked up again before it was asked at another.
        let until = if stays.next().is_some() { stay.end } else { Timestamp(u64::MAX) };
        Some(Ok((stay.address, until)))
    }

    /// True when the next request was sent for this lease.
    pub(crate) fn goes_on(&self, lease: u64) -> bool {
        self.next().is_some_and(|next| next.lease == lease && next.page.is_some())
    }

    /// True of a URL that the crawl asks for later.
    pub(crate) fn is_ahead(&self, key: UrlKey) -> bool {
        self.left.get(&key).is_some_and(|left| *left > 0)
    }

    /// URLs that were named until now, by other than pages.
    pub(crate) fn named(&mut self, now: Timestamp) -> Vec<Named> {
        let rest = &self.history.named[self.next_named..];
        let named: Vec<_> = rest.iter().take_while(|named| named.found <= now).copied().collect();
        self.next_named += named.len();
        named
    }
}

/// The request as the frontier is told of it.
pub(crate) fn told(request: &RequestRecord) -> (Sent, Asked) {
    let asked = Asked {
        crawl_delay: request.crawl_delay.map(Duration::from_millis),
        retry_after: request.retry_after.map(Duration::from_millis),
    };
    (Sent { start: request.start, end: request.end }, asked)
}

/// What came of it, where the outcome of its URL does not tell.
pub(crate) fn ended(request: &RequestRecord) -> Option<End> {
    match &request.told {
        Told::Answer => None,
        Told::Failed { error, patience } => Some(End::Failed { error: error.clone(), patience: *patience }),
        Told::Busy { status } => {
            let wait = request.retry_after.map(Duration::from_millis);
            Some(End::Busy { status: *status, wait })
        }
        Told::Unfinished => Some(End::Unfinished),
        Told::Rests { .. } | Told::NoAddress { .. } => None,
    }
}

/// True of an answer after which what was left of its lease was given back: its host was to rest.
pub(crate) fn ends_lease(request: &RequestRecord) -> bool {
    let is_hard = matches!(request.told, Told::Failed { patience: Patience::Hard, .. });
    is_hard || matches!(request.told, Told::Busy { .. }) || request.retry_after.is_some()
}
