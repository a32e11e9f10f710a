//! The right to fetch from one host for a while.

use std::net::IpAddr;
use std::time::Duration;

use crate::{CrawlId, Host, PageUrl, Timestamp, UrlKey, Validators};

/// Names a lease within one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId(pub u64);

/// A host that has been resolved and may be asked now, and its best URLs.
///
/// Each URL is completed or given back singly. Two live leases never name the same host.
#[derive(Clone, Debug)]
pub struct Lease {
    /// Its name.
    pub id: LeaseId,
    /// The crawl it serves.
    pub crawl: CrawlId,
    /// The host and port.
    pub host: Host,
    /// The one address that may be connected to.
    pub address: IpAddr,
    /// How many connections may be open to the host at once.
    pub connections: usize,
    /// Shortest time between two request starts within the lease.
    pub gap: Duration,
    /// No request may start after this moment.
    pub deadline: Timestamp,
    /// What to fetch, best first.
    pub urls: Vec<LeasedUrl>,
}

/// A version of a page that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierVersion {
    /// When it was asked for.
    pub started: Timestamp,
    /// 64-bit hash of its content, decoded.
    pub content_hash: u64,
    /// Where its record lies in the archive: file, first byte, bytes.
    pub record: (u32, u64, u32),
}

/// One URL of a lease.
#[derive(Clone, Debug)]
pub struct LeasedUrl {
    /// Its key.
    pub key: UrlKey,
    /// The URL.
    pub url: PageUrl,
    /// Shortest known path from a start URL.
    pub depth: u32,
    /// The page before it on that path.
    pub via: Option<PageUrl>,
    /// How often it has failed so far.
    pub tries: u32,
    /// From the stored version, if there is one.
    pub validators: Validators,
    /// The stored version itself.
    pub earlier: Option<EarlierVersion>,
    /// The longest body this fetch may keep.
    pub body_limit: u64,
}
