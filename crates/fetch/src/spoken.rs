//! What hosts were found to speak, and the HTTP/2 connection that each one's requests share while there are any.
//!
//! A host that breaks HTTP/2, or fails in it again and again, is asked in HTTP/1.1 as long as it is remembered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::{Mutex as Gate, Semaphore};

use crate::http2::Line;
use crate::pool::Key;

/// Hosts remembered before those are forgotten of which nothing remarkable is known.
const MOST_HOSTS: usize = 16_384;

/// Failures in a row after which a host is asked in HTTP/1.1.
const MOST_FAILURES: u8 = 3;

/// What hosts speak.
pub(crate) struct Spoken {
    /// Streams at once to one host.
    streams: usize,
    hosts: Mutex<HashMap<Key, Known>>,
}

/// What is known about one host.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) speaks: Speaks,
    /// Held while a connection is looked for, so that requests at once find one and the same.
    pub(crate) gate: Arc<Gate<()>>,
    /// One permit for each stream.
    pub(crate) streams: Arc<Semaphore>,
    line: Weak<Line>,
    failures: u8,
}

/// What a host speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaks {
    /// Nobody knows yet.
    Unknown,
    /// It chose HTTP/1.1.
    Http1,
    /// It chose HTTP/2.
    Http2,
    /// It chose HTTP/2 and cannot be trusted with it.
    OnlyHttp1,
}

impl Spoken {
    pub(crate) fn new(streams: usize) -> Spoken {
        Spoken { streams: streams.max(1), hosts: Mutex::default() }
    }

    pub(crate) fn known(&self, key: &Key) -> Known {
        self.with(key, |known| known.clone())
    }

    /// The connection that others are using now.
    pub(crate) fn shared(&self, key: &Key) -> Option<Arc<Line>> {
        self.with(key, |known| known.line.upgrade()).filter(|line| line.is_open())
    }

    /// A connection was opened, or taken up again, and speaks HTTP/2.
    pub(crate) fn share(&self, key: &Key, line: Line) -> Arc<Line> {
        let line = Arc::new(line);
        self.with(key, |known| {
            known.line = Arc::downgrade(&line);
            known.speaks = Speaks::Http2;
        });
        line
    }

    /// A connection was opened and speaks HTTP/1.1.
    pub(crate) fn chose_http1(&self, key: &Key) {
        self.with(key, |known| {
            if known.speaks != Speaks::OnlyHttp1 {
                known.speaks = Speaks::Http1;
            }
        });
    }

    /// An answer came whole in HTTP/2.
    pub(crate) fn answered(&self, key: &Key) {
        self.with(key, |known| known.failures = 0);
    }

    /// No answer came in HTTP/2, or only a part of one.
    pub(crate) fn failed(&self, key: &Key) {
        self.with(key, |known| {
            known.failures = known.failures.saturating_add(1);
            if known.speaks == Speaks::Http2 && known.failures >= MOST_FAILURES {
                known.speaks = Speaks::OnlyHttp1;
            }
        });
    }

    /// HTTP/2 is over with this host.
    pub(crate) fn give_up_http2(&self, key: &Key) {
        self.with(key, |known| known.speaks = Speaks::OnlyHttp1);
    }

    fn with<T>(&self, key: &Key, change: impl FnOnce(&mut Known) -> T) -> T {
        let mut hosts = self.hosts();
        if hosts.len() >= MOST_HOSTS && !hosts.contains_key(key) {
            hosts.retain(|_, known| known.speaks == Speaks::OnlyHttp1 || known.is_in_use());
            if hosts.len() >= MOST_HOSTS {
                hosts.retain(|_, known| known.is_in_use());
            }
        }
        change(hosts.entry(key.clone()).or_insert_with(|| Known {
            speaks: Speaks::Unknown,
            gate: Arc::default(),
            streams: Arc::new(Semaphore::new(self.streams)),
            line: Weak::new(),
            failures: 0,
        }))
    }

    fn hosts(&self) -> MutexGuard<'_, HashMap<Key, Known>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// True while a request holds on to it: forgotten now, it would come to life a second time.
    fn is_in_use(&self) -> bool {
        self.line.strong_count() > 0
            || Arc::strong_count(&self.gate) > 1
            || Arc::strong_count(&self.streams) > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::PageUrl;

    fn key(host: &str) -> Key {
        let url = PageUrl::parse(&format!("https://{host}/")).unwrap();
        Key { origin: url.origin(), address: "192.0.2.1:443".parse().unwrap(), proxy: None }
    }

    #[test]
    fn failures_in_a_row_end_http2() {
        let spoken = Spoken::new(1);
        spoken.with(&key("a"), |known| known.speaks = Speaks::Http2);
        let speaks = || spoken.known(&key("a")).speaks;
        for _ in 0..5 {
            spoken.failed(&key("a"));
            spoken.failed(&key("a"));
            spoken.answered(&key("a"));
        }
        assert_eq!(speaks(), Speaks::Http2);
        (0..MOST_FAILURES).for_each(|_| spoken.failed(&key("a")));
        assert_eq!(speaks(), Speaks::OnlyHttp1);
        spoken.chose_http1(&key("a"));
        assert_eq!(speaks(), Speaks::OnlyHttp1);
        assert_eq!(spoken.known(&key("b")).speaks, Speaks::Unknown);
    }

    #[test]
    fn the_memory_is_bounded_and_keeps_what_matters() {
        let spoken = Spoken::new(1);
        spoken.give_up_http2(&key("bad"));
        let held = spoken.known(&key("busy"));
        for number in 0..MOST_HOSTS + 10 {
            spoken.known(&key(&format!("h{number}")));
        }
        assert!(spoken.hosts().len() < MOST_HOSTS);
        assert_eq!(spoken.known(&key("bad")).speaks, Speaks::OnlyHttp1);
        assert!(Arc::ptr_eq(&held.gate, &spoken.known(&key("busy")).gate));
    }
}
