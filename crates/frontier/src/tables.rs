//! The frontier's tables: what it remembers between two commits and two starts.
//!
//! Every row of a crawl begins with the crawl's number, so that a crawl can be dropped by prefix. Hosts,
//! addresses and robots.txt are shared by all crawls: a host is owed its pause whoever asks.

use std::collections::BTreeMap;
use std::net::IpAddr;

use kv::{DecodeError, Record, Table};
use model::{ErrorKind, Host, Outcome, PageUrl, Timestamp, UrlKey};
use serde::{Deserialize, Serialize};

use crate::novelty::Samples;
use crate::promise::PageTopic;
use crate::retry::Patience;
use crate::template::Places;

/// Crawl, host, page: the key of a URL within a crawl.
pub type PageKey = (u32, u64, u128);

/// Every URL ever met, by crawl and key: the sieve and the outcome in one.
pub const URLS: Table<PageKey, UrlRecord> = Table::new("urls").point_reads();

/// Waiting URLs of a host: crawl, host, (inverted priority, arrival) → page.
pub const QUEUE: Table<(u32, u64, (u32, u64)), Waiting> = Table::new("queue").scans();

/// URLs to be tried again: crawl, host, (due, page).
pub const LATER: Table<(u32, u64, (u64, u128)), ()> = Table::new("later").scans();

/// Hosts of a crawl that have something waiting, by the moment they are due: crawl, due, host.
pub const SCHEDULE: Table<(u32, u64, u64), ()> = Table::new("schedule").scans();

/// What one crawl keeps of a host: crawl, host.
pub const SITES: Table<(u32, u64), SiteRecord> = Table::new("sites");

/// What we owe a host, and how we have kept to it.
pub const HOSTS: Table<u64, HostRecord> = Table::new("hosts");

/// When an address was last asked.
pub const ADDRESSES: Table<[u8; 16], u64> = Table::new("addresses");

/// Crawl hints by origin.
pub const HINTS: Table<String, HintsRecord> = Table::new("hints");

/// robots.txt by origin.
pub const ROBOTS: Table<String, RobotsRecord> = Table::new("robots");

/// Pages whose depth has shrunk and whose links are to be offered again.
pub const SHALLOWER: Table<PageKey, ()> = Table::new("shallower").scans();

/// URLs that wait and that a page outside their template links to, though a page inside led there first.
pub const INVITED: Table<PageKey, ()> = Table::new("invited").point_reads();

/// URLs that only pages off topic lead to: how many of these in a row, at least.
pub const OFF_TOPIC: Table<PageKey, u64> = Table::new("off_topic").point_reads();

/// Pages of a crawl with a topic: their relevance, as [`relevance_mark`] has it.
pub const RELEVANCE: Table<PageKey, u64> = Table::new("relevance").point_reads();
/// Pages that were put back to be asked for again: what they were.
pub const REVISITS: Table<PageKey, RevisitRecord> = Table::new("revisits").point_reads();

/// Pages that were missing when they were last asked for: since when, in milliseconds.
pub const MISSING: Table<PageKey, u64> = Table::new("missing").point_reads();

/// What the guards know of a host: crawl, host.
pub const GUARDS: Table<(u32, u64), GuardRecord> = Table::new("guards").point_reads();

/// What the guards know of a URL template: crawl, host, template.
pub const URL_TEMPLATES: Table<(u32, u64, u64), TemplateRecord> = Table::new("url_templates").point_reads();

/// What is remembered of the texts of a template, or, under 0, of the whole host: crawl, host, template.
pub const STOCKS: Table<(u32, u64, u64), StockRecord> = Table::new("stocks").point_reads();

/// Texts that a host has shown: crawl, host, hash of the text.
pub const TEXTS: Table<(u32, u64, u64), ()> = Table::new("texts").point_reads();

/// Requests of a crawl with one connection, as the frontier was told of them, in their order: crawl, number. A simulation
/// takes from here how long each took, and what was told besides; what comes next it finds out itself.
pub const REQUESTS: Table<(u32, u64), RequestRecord> = Table::new("requests").scans();

/// The counts of a crawl.
pub const STATS: Table<u32, Stats> = Table::new("stats");

/// Single facts of the store.
pub const FACTS: Table<String, u64> = Table::new("facts");

/// Fact: when it was stopped cleanly; absent while a process works or after it died.
pub const CLEAN: &str = "clean";

/// Fact: the latest start after an unclean stop.
pub const UNCLEAN_START: &str = "unclean start";

/// Where the tag of a topic begins in a mark.
const TAG: u32 = 52;

/// A page's relevance as it is kept: in the lowest bit whether it is on topic, then millionths, and in the highest 12 bits
/// those of the tag of its topic.
pub fn relevance_mark(topic: &PageTopic) -> u64 {
    u64::from(topic.tag) << TAG | millionths(topic.value) << 1 | u64::from(topic.on_topic)
}

fn millionths(value: f32) -> u64 {
    (f64::from(value.max(0.0)) * 1e6).min(1e15) as u64
}

/// What is left of a page's relevance when it is kept.
pub fn kept_relevance(value: f32) -> f64 {
    millionths(value) as f64 / 1e6
}

/// The relevance that was kept, and whether the page is on topic.
pub fn relevance_of(mark: u64) -> (f64, bool) {
    let mark = mark & ((1 << TAG) - 1);
    ((mark >> 1) as f64 / 1e6, mark & 1 == 1)
}

/// True when a page was judged by the topic of this tag, as far as that is known.
pub fn is_judged_by(mark: u64, tag: u16) -> bool {
    let judged_by = mark >> TAG;
    judged_by == 0 || judged_by == u64::from(tag) & 0xfff
}

/// What is known of a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlRecord {
    /// The URL.
    pub url: PageUrl,
    /// Links on the shortest known path from a start URL.
    pub depth: u32,
    /// The page before it on that path.
    pub via: Option<UrlKey>,
    /// When it was first met.
    pub found: Timestamp,
    /// What became of it.
    pub outcome: Outcome,
    /// Its place among equals; kept for life, so that a retry does not lose its turn.
    pub arrival: u64,
    /// Its priority in the queue.
    pub priority: u32,
    /// How often it has failed.
    pub tries: u32,
    /// How often its host was too busy for it.
    pub busy: u32,
    /// Redirects that led here in a row.
    pub hops: u32,
}

/// A page that was put back to be asked for again, or a URL that a page was given up for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevisitRecord {
    /// What became of it last time: what stands when this time nothing is learnt.
    pub was: Outcome,
}

/// A waiting URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The page part of its key.
    pub page: u128,
}

/// What one crawl keeps of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteRecord {
    /// URLs in the queue.
    pub waiting: u64,
    /// URLs that wait for a retry.
    pub later: u64,
    /// Pages kept.
    pub pages: u64,
    /// The host's place in the schedule; none when it has nothing waiting.
    pub scheduled: Option<Timestamp>,
}

/// What the guards know of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardRecord {
    /// What its URLs have taught.
    pub(crate) places: Places,
    /// Templates counted.
    pub(crate) templates: u64,
    /// Pages with news.
    pub(crate) news: u64,
    /// Pages without.
    pub(crate) stale: u64,
    /// Pages lately that were not invited.
    pub(crate) uninvited: u64,
    /// Pages lately that earned further ones.
    pub(crate) earning: u64,
}

/// What the guards know of a URL template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateRecord {
    /// As people read it.
    pub(crate) text: String,
    /// URLs met.
    pub(crate) met: u64,
    /// URLs settled.
    pub(crate) ended: u64,
    /// Pages.
    pub(crate) pages: u64,
    /// Pages with the text of an earlier one.
    pub(crate) copies: u64,
    /// Pages with news.
    pub(crate) news: u64,
    /// Pages lately that were not invited.
    pub(crate) uninvited: u64,
    /// Pages lately that earned further ones.
    pub(crate) earning: u64,
    /// Depth of the deepest page taken that was invited: chains are counted from there.
    pub(crate) invited_depth: u32,
}

/// What is remembered of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StockRecord {
    /// Samples of the latest pages with news.
    pub(crate) samples: Samples,
    /// The latest blocks, oldest first.
    pub(crate) blocks: Vec<u32>,
}

/// What we owe a host, and how we have kept to it: a line of the politeness ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostRecord {
    /// Host and port.
    pub host: Host,
    /// Start of the latest request.
    pub last_start: Option<Timestamp>,
    /// Not to be asked before.
    pub next: Timestamp,
    /// The pause in force after the latest request, in milliseconds.
    pub pause: u64,
    /// Requests sent, robots.txt included.
    pub requests: u64,
    /// The shortest time between two request starts, in milliseconds.
    pub shortest_gap: Option<u64>,
    /// How often the host asked us to wait (429, 503, Retry-After).
    pub waits_asked: u64,
    /// The longest wait it asked for, in milliseconds.
    pub longest_wait: u64,
    /// Names and connections that failed in a row.
    pub failures: u32,
    /// Answers in a row that said "busy".
    pub busy_in_a_row: u32,
    /// Failed requests in all.
    pub failed: u64,
    /// Time of all answers together, in milliseconds.
    pub millis: u64,
    /// What robots.txt asks for between two requests, in milliseconds.
    pub crawl_delay: Option<u64>,
    /// robots.txt in force by origin: version and when it was read.
    pub robots: BTreeMap<String, (u64, Timestamp)>,
}

/// A request that was sent, or word of a host that came without one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestRecord {
    /// The lease that it was sent for.
    pub lease: u64,
    /// The host.
    pub host: u64,
    /// The page part of the URL's key; none for robots.txt and crawl hints.
    pub page: Option<u128>,
    /// The host's address.
    pub address: Option<IpAddr>,
    /// When it began.
    pub start: Timestamp,
    /// When its answer, or the wait for it, ended.
    pub end: Timestamp,
    /// What the host asked for between two requests, in milliseconds.
    pub crawl_delay: Option<u64>,
    /// How long the host asked us to wait, in milliseconds.
    pub retry_after: Option<u64>,
    /// What came of it.
    pub told: Told,
}

impl RequestRecord {
    /// True of a request; false of what was told without one.
    pub fn is_sent(&self) -> bool {
        !matches!(self.told, Told::Rests { .. } | Told::NoAddress { .. })
    }
}

/// What came of a request, as far as the outcome of its URL does not tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Told {
    /// An answer: the outcome of the URL tells.
    Answer,
    /// A failure, which may be tried again.
    Failed {
        /// Why.
        error: ErrorKind,
        /// Whether to try again.
        patience: Patience,
    },
    /// The host was too busy.
    Busy {
        /// The status.
        status: u16,
    },
    /// Nothing: it was given up, or did not fit.
    Unfinished,
    /// Nothing was sent: the host is to rest, as its robots.txt could not be had, or names hours.
    Rests {
        /// Until then.
        until: Timestamp,
    },
    /// Nothing was sent: the host has no address.
    NoAddress {
        /// Why.
        error: ErrorKind,
    },
}

/// A robots.txt as obeyed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsRecord {
    /// When it was asked for.
    pub fetched: Timestamp,
    /// When it must be asked for again.
    pub expires: Timestamp,
    /// What it is.
    pub answer: RobotsAnswer,
}

/// What asking for robots.txt gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RobotsAnswer {
    /// A file, cut to what is parsed.
    Rules {
        /// Its text.
        text: Vec<u8>,
        /// Its version: a hash of the text.
        version: u64,
    },
    /// There is none (4xx): everything is allowed.
    None {
        /// The status.
        status: u16,
    },
    /// It could not be had (5xx, no connection): nothing is allowed until it can.
    Unreachable {
        /// Why.
        reason: String,
    },
}

/// A site's hints to crawlers, as read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HintsRecord {
    /// When they were asked for.
    pub fetched: Timestamp,
    /// When they must be asked for again.
    pub expires: Timestamp,
    /// What they are.
    pub answer: HintsAnswer,
    /// URLs of the origin that its list of changes named.
    pub named: u64,
}

/// What asking for crawl hints gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HintsAnswer {
    /// A file that is understood.
    Hints {
        /// Its text.
        text: Vec<u8>,
    },
    /// There is none.
    None {
        /// The status.
        status: u16,
    },
    /// It could not be had, or not be understood.
    Unreadable {
        /// Why.
        reason: String,
    },
}

/// The counts of a crawl, over all its runs. All can be recounted from the tables but the times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Number for the next URL met.
    pub next_arrival: u64,
    /// Links found on pages, repeats included.
    pub links_found: u64,
    /// URLs met.
    pub distinct: u64,
    /// URLs by outcome name.
    pub outcomes: BTreeMap<String, u64>,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failed tries by error name.
    pub errors: BTreeMap<String, u64>,
    /// Bytes of all bodies kept, as transferred.
    pub bytes: u64,
    /// robots.txt files found.
    pub robots_found: u64,
    /// Requests sent, robots.txt included.
    pub requests: u64,
    /// Time per fetch.
    pub fetch_millis: Histogram,
    /// Time of reading per page, in microseconds.
    pub processing_micros: Histogram,
    /// Size of a page's content, decoded.
    pub page_bytes: Histogram,
    /// Pages kept per slot.
    pub slots: BTreeMap<u32, u64>,
    /// Milliseconds that runs of this crawl have taken.
    pub running_millis: u64,
}

impl Stats {
    /// Pages kept.
    pub fn pages(&self) -> u64 {
        let count = |name: &str| self.outcomes.get(name).copied().unwrap_or(0);
        count("fetched") + count("not-modified")
    }
}

/// Sum, count and a coarse distribution: buckets grow by a quarter, so a percentile is right within 25 %.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// How many values.
    pub count: u64,
    /// Their sum.
    pub sum: u64,
    /// The largest.
    pub max: u64,
    /// Bucket → how many.
    pub buckets: BTreeMap<u16, u64>,
}

impl Histogram {
    /// Adds a value.
    pub fn add(&mut self, value: u64) {
        self.count += 1;
        self.sum += value;
        self.max = self.max.max(value);
        *self.buckets.entry(bucket(value)).or_default() += 1;
    }

    /// The mean; 0 of none.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum as f64 / self.count as f64 }
    }

    /// The value that `share` (0..1) of all values do not exceed: the upper end of its bucket.
    pub fn percentile(&self, share: f64) -> u64 {
        let wanted = (share * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (&bucket, &count) in &self.buckets {
            seen += count;
            if seen >= wanted {
                return upper_end(bucket).min(self.max);
            }
        }
        0
    }
}

/// 0..7 exactly, then four buckets to each power of two.
fn bucket(value: u64) -> u16 {
    if value < 8 {
        return value as u16;
    }
    let power = 63 - value.leading_zeros();
    let quarter = (value >> (power - 2)) & 3;
    (8 + (power - 3) * 4) as u16 + quarter as u16
}

fn upper_end(bucket: u16) -> u64 {
    if bucket < 8 {
        return u64::from(bucket);
    }
    let power = u32::from(bucket - 8) / 4 + 3;
    let quarter = u64::from((bucket - 8) % 4);
    ((1u64 << power) - 1) + ((quarter + 1) << (power - 2))
}

macro_rules! versions {
    ($($record:ty = $version:literal),* $(,)?) => {
        $(impl Record for $record {
            const VERSION: u8 = $version;
        })*
    };
}

versions!(UrlRecord = 1, Waiting = 1, SiteRecord = 1, HostRecord = 1, RobotsRecord = 1, Stats = 1);
versions!(RevisitRecord = 1, GuardRecord = 1, StockRecord = 1, HintsRecord = 1);

impl Record for RequestRecord {
    const VERSION: u8 = 2;

    fn migrate(version: u8, fields: &[u8]) -> Result<Self, DecodeError> {
        match version {
            // Without words that came without a request.
            1 => kv::read_fields(fields),
            found => Err(DecodeError::Version { found, known: Self::VERSION }),
        }
    }
}

impl Record for TemplateRecord {
    const VERSION: u8 = 2;

    fn migrate(version: u8, fields: &[u8]) -> Result<Self, DecodeError> {
        match version {
            // Without a depth: chains are counted from the start then.
            1 => kv::read_fields(&[fields, &[0]].concat()),
            found => Err(DecodeError::Version { found, known: Self::VERSION }),
        }
    }
}

impl HostRecord {
    /// A host never asked before.
    pub fn new(host: Host) -> HostRecord {
        HostRecord {
            host,
            last_start: None,
            next: Timestamp::ZERO,
            pause: 0,
            requests: 0,
            shortest_gap: None,
            waits_asked: 0,
            longest_wait: 0,
            failures: 0,
            busy_in_a_row: 0,
            failed: 0,
            millis: 0,
            crawl_delay: None,
            robots: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_right_within_a_quarter() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|value| histogram.add(value));
        assert_eq!(histogram.mean(), 500.5);
        for (share, exact) in [(0.5, 500.0), (0.95, 950.0), (1.0, 1000.0), (0.001, 1.0)] {
            let found = histogram.percentile(share) as f64;
            assert!(found >= exact && found <= exact * 1.25, "{share}: {found} for {exact}");
        }
    }

    #[test]
    fn a_template_of_the_first_version_is_read() {
        use kv::Value;
        let old = [&[1, 5][..], b"/cal*", &[9, 8, 7, 1, 2, 6, 3]].concat();
        let record = TemplateRecord::decode(&old).unwrap();
        let expected = TemplateRecord {
            text: "/cal*".into(),
            met: 9,
            ended: 8,
            pages: 7,
            copies: 1,
            news: 2,
            uninvited: 6,
            earning: 3,
            invited_depth: 0,
        };
        assert_eq!(record, expected);
        let mut new = Vec::new();
        expected.encode(&mut new);
        assert_eq!(TemplateRecord::decode(&new).unwrap(), expected);
    }

    #[test]
    fn a_request_of_the_first_version_is_read() {
        use kv::Value;
        let old = [1, 3, 7, 0, 1, 0, 127, 0, 0, 1, 5, 9, 0, 1, 30, 2, 0xf7, 3];
        let expected = RequestRecord {
            lease: 3,
            host: 7,
            page: None,
            address: Some([127, 0, 0, 1].into()),
            start: Timestamp(5),
            end: Timestamp(9),
            crawl_delay: None,
            retry_after: Some(30),
            told: Told::Busy { status: 503 },
        };
        assert_eq!(RequestRecord::decode(&old).unwrap(), expected);
        let mut new = Vec::new();
        expected.encode(&mut new);
        assert_eq!(RequestRecord::decode(&new).unwrap(), expected);
    }

    #[test]
    fn every_value_lies_in_its_bucket() {
        for value in (0..5000).chain([u64::MAX / 2, u64::MAX]) {
            let end = upper_end(bucket(value));
            assert!(end >= value, "{value} > {end}");
            assert!(
                bucket(value) == 0 || upper_end(bucket(value) - 1) < value,
                "{value} fits a bucket below"
            );
        }
    }
}
