//! Short names for long things: fixed-size keys of hosts and URLs, stable across versions and machines.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::url::has_port;
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

    /// The key of a URL's host: every link of every page asks for it, so its text is put together on the stack.
    pub fn of_url(url: &PageUrl) -> HostKey {
        let authority = url.authority().as_bytes();
        let port: &[u8] = match (has_port(url.authority()), url.is_https()) {
            (true, _) => b"",
            (false, true) => b":443",
            (false, false) => b":80",
        };
        let mut text = [0; 288];
        match text.get_mut(..authority.len() + port.len()) {
            Some(text) => {
                text[..authority.len()].copy_from_slice(authority);
                text[authority.len()..].copy_from_slice(port);
                HostKey(xxh3_64(text))
            }
            None => HostKey::of(&url.host()),
        }
    }
}

impl UrlKey {
    /// The key of a canonical URL.
    pub fn of(url: &PageUrl) -> UrlKey {
        UrlKey { host: HostKey::of_url(url), page: xxh3_128(url.as_str().as_bytes()) }
    }
}

/// Makes the keys of one URL after the other: of those of one host in a row, that host's key is made once.
#[derive(Default)]
pub struct UrlKeys<'a> {
    last: Option<(&'a PageUrl, UrlKey)>,
}

impl<'a> UrlKeys<'a> {
    /// The key of a canonical URL.
    pub fn of(&mut self, url: &'a PageUrl) -> UrlKey {
        let key = match self.last {
            Some((last, key)) if last.is_clone_of(url) => return key,
            Some((last, key)) if last.has_origin_of(url) => {
                UrlKey { host: key.host, page: xxh3_128(url.as_str().as_bytes()) }
            }
            _ => UrlKey::of(url),
        };
        self.last = Some((url, key));
        key
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

    #[test]
    fn the_host_of_a_url_has_one_key() {
        let long = format!("https://{}com/", "a.".repeat(140));
        let urls = [
            "http://e.com/",
            "http://e.com/b",
            "http://e.com.au/b",
            "http://e.com/",
            "https://e.com/a",
            "http://e.com:8080/",
            "http://[::1]/",
            "https://[::1]:8/",
            &long,
        ];
        // Each of them, and another of the same text.
        let urls = urls.map(|url| [PageUrl::parse(url).unwrap(), PageUrl::parse(url).unwrap()]);
        let mut keys = UrlKeys::default();
        for [url, other] in &urls {
            assert_eq!(HostKey::of_url(url), HostKey::of(&url.host()), "{url}");
            assert_eq!([url, url, other].map(|url| keys.of(url)), [UrlKey::of(url); 3], "{url}");
        }
    }
}
