//! The servers of a made-up Web: they answer, and they keep a log against which politeness is judged.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use frontier::{Asked, End, Offer, Patience, Politeness, Sent, Unfollowed};
use model::{ErrorKind, Host, PageUrl, Timestamp, UrlKey};

use crate::web::{Answer, FakeWeb, Name};

pub(crate) struct Servers {
    web: FakeWeb,
    requests: HashMap<PageUrl, u32>,
    host_requests: HashMap<Host, u32>,
    connections: HashMap<Host, u32>,
    lookups: HashMap<Host, u32>,
    /// Every request sent: when, to whom.
    pub(crate) log: Vec<(Timestamp, PageUrl)>,
    pub(crate) hosts: Ledger<Host>,
    pub(crate) addresses: Ledger<IpAddr>,
}

/// When each may be asked again, by all that was ever sent to it.
pub(crate) struct Ledger<K> {
    owed: HashMap<K, Timestamp>,
    /// By what the frontier knows.
    told: HashMap<K, Timestamp>,
    /// By what its store knows.
    committed: HashMap<K, Timestamp>,
}

/// What a visit met.
pub(crate) struct Visit {
    pub(crate) sent: Option<Sent>,
    pub(crate) asked: Asked,
    pub(crate) end: End,
}

impl<K: Clone + Eq + std::hash::Hash + std::fmt::Debug> Ledger<K> {
    fn new() -> Ledger<K> {
        Ledger { owed: HashMap::new(), told: HashMap::new(), committed: HashMap::new() }
    }

    pub(crate) fn check(&self, key: &K, start: Timestamp) {
        let owed = self.owed.get(key).copied().unwrap_or_default();
        assert!(start >= owed, "{key:?} was asked at {} although it is owed rest until {}", start.0, owed.0);
    }

    pub(crate) fn owe(&mut self, key: K, until: Timestamp) {
        let owed = self.owed.entry(key).or_default();
        *owed = (*owed).max(until);
    }

    /// The frontier has been told of the latest request.
    pub(crate) fn tell(&mut self, key: &K) {
        self.told.extend(self.owed.get(key).map(|owed| (key.clone(), *owed)));
    }

    pub(crate) fn commit(&mut self) {
        self.committed = self.told.clone();
    }

    /// What hosts asked for in answers that were lost is lost with them; the rest that all are owed is not.
    pub(crate) fn crash(&mut self, now: Timestamp, least: impl Fn(&K) -> Duration) {
        for (key, owed) in &mut self.owed {
            let committed = self.committed.get(key).copied().unwrap_or_default();
            if *owed > committed {
                *owed = committed.max(now + least(key));
            }
        }
        self.told = self.committed.clone();
    }
}

impl Servers {
    pub(crate) fn new(web: FakeWeb) -> Servers {
        Servers {
            web,
            requests: HashMap::new(),
            host_requests: HashMap::new(),
            connections: HashMap::new(),
            lookups: HashMap::new(),
            log: Vec::new(),
            hosts: Ledger::new(),
            addresses: Ledger::new(),
        }
    }

    pub(crate) fn web(&self) -> &FakeWeb {
        &self.web
    }

    pub(crate) fn resolve(&mut self, host: &Host, now: Timestamp) -> Result<(IpAddr, Timestamp), ErrorKind> {
        let asked = count(&mut self.lookups, host);
        let fake = self.web.hosts.get(host).ok_or(ErrorKind::Dns)?;
        match fake.name {
            Name::Forbidden => Err(ErrorKind::ForbiddenAddress),
            Name::Resolves { fails } if asked <= fails => Err(ErrorKind::Dns),
            Name::Resolves { .. } => Ok((fake.address, now + Duration::from_secs(600))),
        }
    }

    /// A request for robots.txt.
    pub(crate) fn robots(
        &mut self,
        url: &PageUrl,
        start: Timestamp,
        politeness: &Politeness,
    ) -> (Sent, Option<Duration>) {
        let fake = self.web.hosts[&url.host()].clone();
        let crawl_delay = fake.robots.flatten();
        let asked = Asked { crawl_delay, retry_after: None };
        (self.log(url, start, fake.took, asked, politeness), crawl_delay)
    }

    /// Fetches a URL, checking that its host and address may be asked.
    pub(crate) fn fetch(
        &mut self,
        url: &PageUrl,
        key: UrlKey,
        limit: u64,
        start: Timestamp,
        politeness: &Politeness,
    ) -> Visit {
        let host = url.host();
        let fake = self.web.hosts[&host].clone();
        let answer = self.web.pages.get(url).cloned();
        let crawl_delay = fake.robots.flatten();
        let mut asked = Asked { crawl_delay, retry_after: None };
        if count(&mut self.connections, &host) <= fake.unreachable {
            return Visit { sent: None, asked, end: failed(ErrorKind::Connect, Patience::Hard) };
        }
        if matches!(answer, Some(Answer::Denied)) {
            return Visit { sent: None, asked, end: End::Disallowed { line: Some(1) } };
        }
        let busy = count(&mut self.host_requests, &host) <= fake.busy;
        let requests = count(&mut self.requests, url);
        if busy {
            asked.retry_after = fake.retry_after;
        }
        let took = match &answer {
            Some(Answer::TimesOut) => Duration::from_secs(60),
            _ => fake.took,
        };
        let sent = self.log(url, start, took, asked, politeness);
        let end = match answer {
            _ if busy => End::Busy { status: 503, wait: fake.retry_after },
            Some(Answer::Page { fails, .. }) if requests <= fails => {
                failed(ErrorKind::Timeout, Patience::Soft)
            }
            Some(Answer::Page { bytes, .. }) if bytes > limit => End::NoRoom,
            Some(Answer::Page { bytes, links, .. }) => End::Page {
                bytes,
                links: match self.web.topics.get(url) {
                    // Links keep their places, by which their promises are told.
                    Some(_) => links.iter().map(|(to, follow)| link(to, key, *follow)).collect(),
                    None => in_a_row(links.iter().map(|(to, follow)| link(to, key, *follow)).collect()),
                },
                text: None,
                topic: self.web.topics.get(url).cloned(),
            },
            Some(Answer::Redirect(to)) => End::Redirect { to, passing: false },
            Some(Answer::Unwanted) => End::Unwanted { what: "image/png".into() },
            Some(Answer::TimesOut) => failed(ErrorKind::Timeout, Patience::Soft),
            Some(Answer::NotFound | Answer::Denied) | None => failed(ErrorKind::Status(404), Patience::Drop),
        };
        Visit { sent: Some(sent), asked, end }
    }

    fn log(
        &mut self,
        url: &PageUrl,
        start: Timestamp,
        took: Duration,
        asked: Asked,
        politeness: &Politeness,
    ) -> Sent {
        let host = url.host();
        let address = self.web.hosts[&host].address;
        self.hosts.check(&host, start);
        if politeness.rate_gap.is_none() {
            // With a rate, a lease has many requests, and only its own worker counts their time.
            self.addresses.check(&address, start);
        }
        let end = start + took;
        // Not by the frontier's own sum, on purpose.
        let mut rest = match politeness.rate_gap {
            Some(gap) => gap.saturating_sub(took),
            None => Duration::from_secs(1).max((took * 5).min(Duration::from_secs(10))),
        };
        rest = rest.max(asked.crawl_delay.unwrap_or_default()).max(asked.retry_after.unwrap_or_default());
        self.hosts.owe(host, end + rest);
        self.addresses.owe(address, start + politeness.address_gap);
        self.log.push((start, url.clone()));
        Sent { start, end }
    }
}

/// A link of a page; the frontier sets its depth.
pub(crate) fn link(to: &PageUrl, from: UrlKey, follow: bool) -> Offer {
    Offer {
        key: UrlKey::of(to),
        url: to.clone(),
        depth: 0,
        via: Some(from),
        unfollowed: (!follow).then_some(Unfollowed::Nofollow),
        start: false,
        hops: 0,
        further: false,
        weight: 1,
        links: 1,
    }
}

/// Links in a row to one page as one offer, as readers make them.
fn in_a_row(mut offers: Vec<Offer>) -> Vec<Offer> {
    offers.dedup_by(|next, kept| {
        let is_same = (next.key, next.unfollowed) == (kept.key, kept.unfollowed);
        kept.links += if is_same { next.links } else { 0 };
        is_same
    });
    offers
}

fn failed(error: ErrorKind, patience: Patience) -> End {
    End::Failed { error, patience }
}

fn count<K: Clone + Eq + std::hash::Hash>(counts: &mut HashMap<K, u32>, key: &K) -> u32 {
    let count = counts.entry(key.clone()).or_default();
    *count += 1;
    *count
}
