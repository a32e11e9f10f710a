//! The request log: who asked for what, when, over which connection.
//!
//! Tests judge a crawler's politeness by this log and by nothing the crawler says itself. The last
//! entries are kept in a ring; a file, when one is named, gets every line.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Entries kept in memory unless told otherwise.
pub const KEPT_ENTRIES: usize = 500_000;

/// One request, as the server saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// Order of arrival, from 1; times never fall with it.
    pub sequence: u64,
    /// Whole milliseconds from the server's start to the arrival of the request head.
    pub ms: u64,
    /// The same in microseconds.
    pub us: u64,
    /// The Host header as sent, empty when missing.
    pub host: String,
    /// The loopback address that was asked.
    pub address: String,
    /// Number of the connection, from 1 in order of acceptance.
    pub connection: u64,
    /// Whether it came over TLS.
    #[serde(default)]
    pub tls: bool,
    /// The request method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Status of the answer; 0 when none was given (yet).
    pub status: u16,
    /// The User-Agent header, empty when missing.
    pub agent: String,
}

/// What is known of a request when its head has arrived.
pub(crate) struct Arrival {
    pub(crate) host: String,
    pub(crate) address: String,
    pub(crate) connection: u64,
    pub(crate) tls: bool,
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) agent: String,
}

/// The log of one server.
pub struct RequestLog {
    start: Instant,
    kept: usize,
    inner: Mutex<Inner>,
}

struct Inner {
    next: u64,
    ring: VecDeque<(LogEntry, bool)>,
    file: Option<File>,
    /// Sequence of the next line for the file: lines are written in order of arrival, so an entry
    /// waits until those before it have been answered.
    to_write: u64,
}

impl RequestLog {
    /// A log that keeps the last `kept` entries and, with a file, writes every one of them there.
    pub fn new(kept: usize, file: Option<&Path>) -> io::Result<Self> {
        let file = file.map(File::create).transpose()?;
        let inner = Inner { next: 1, ring: VecDeque::new(), file, to_write: 1 };
        Ok(Self { start: now(), kept: kept.max(1), inner: Mutex::new(inner) })
    }

    /// Time since the server started.
    pub fn since_start(&self) -> Duration {
        now().duration_since(self.start)
    }

    /// The kept entries, oldest first.
    pub fn entries(&self) -> Vec<LogEntry> {
        self.entries_from(0)
    }

    /// The kept entries from `sequence` on, oldest first.
    pub fn entries_from(&self, sequence: u64) -> Vec<LogEntry> {
        let inner = self.lock();
        let entries = inner.ring.iter().map(|(entry, _)| entry);
        entries.filter(|entry| entry.sequence >= sequence).cloned().collect()
    }

    /// Forgets the kept entries; sequence numbers and the clock go on.
    pub fn clear(&self) {
        self.lock().ring.retain(|(_, answered)| !answered);
    }

    /// The kept entries from `sequence` on as JSON lines.
    pub fn json_lines(&self, sequence: u64) -> String {
        self.entries_from(sequence).iter().map(json_line).collect()
    }

    /// Notes an arrival; the returned number is to be given back with `answered`.
    pub(crate) fn arrived(&self, arrival: Arrival) -> u64 {
        let mut inner = self.lock();
        // The clock is read under the lock, so that times never fall with the sequence.
        let at = self.since_start();
        let sequence = inner.next;
        inner.next += 1;
        if inner.ring.len() >= self.kept {
            inner.ring.pop_front();
        }
        let entry = LogEntry {
            sequence,
            ms: at.as_millis() as u64,
            us: at.as_micros() as u64,
            host: arrival.host,
            address: arrival.address,
            connection: arrival.connection,
            tls: arrival.tls,
            method: arrival.method,
            target: arrival.target,
            status: 0,
            agent: arrival.agent,
        };
        inner.ring.push_back((entry, false));
        sequence
    }

    pub(crate) fn answered(&self, sequence: u64, status: u16) {
        let mut inner = self.lock();
        let place = inner.ring.binary_search_by_key(&sequence, |(entry, _)| entry.sequence);
        if let Ok(place) = place {
            inner.ring[place].0.status = status;
            inner.ring[place].1 = true;
        }
        inner.write_answered();
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic elsewhere leaves at worst an entry without status.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn write_answered(&mut self) {
        let Some(file) = self.file.as_mut() else { return };
        let start = self.ring.partition_point(|(entry, _)| entry.sequence < self.to_write);
        for (entry, answered) in self.ring.iter().skip(start) {
            if !answered {
                break;
            }
            self.to_write = entry.sequence + 1;
            // A log that cannot be written must not change what the web answers; the gap in the
            // sequence tells the reader.
            let _ = file.write_all(json_line(entry).as_bytes());
        }
    }
}

fn json_line(entry: &LogEntry) -> String {
    let mut line = serde_json::to_string(entry).expect("an entry has only plain fields");
    line.push('\n');
    line
}

#[expect(clippy::disallowed_methods, reason = "the log is the measuring instrument: its own clock")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrive(log: &RequestLog, target: &str) -> u64 {
        log.arrived(Arrival {
            host: "demo.test".into(),
            address: "127.0.0.1".into(),
            connection: 1,
            tls: false,
            method: "GET".into(),
            target: target.into(),
            agent: String::new(),
        })
    }

    #[test]
    fn the_ring_forgets_the_oldest_entry() {
        let log = RequestLog::new(2, None).unwrap();
        for target in ["/a", "/b", "/c"] {
            let sequence = arrive(&log, target);
            log.answered(sequence, 200);
        }
        let targets: Vec<_> = log.entries().into_iter().map(|entry| entry.target).collect();
        assert_eq!(targets, ["/b", "/c"]);
    }

    #[test]
    fn lines_reach_the_file_in_order_of_arrival() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = RequestLog::new(10, Some(&path)).unwrap();
        let (first, second) = (arrive(&log, "/a"), arrive(&log, "/b"));
        log.answered(second, 200);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "");
        log.answered(first, 404);
        let text = std::fs::read_to_string(&path).unwrap();
        let entries: Vec<LogEntry> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(entries, log.entries());
        assert_eq!(entries[0].status, 404);
        assert!(entries[0].us <= entries[1].us);
    }
}
