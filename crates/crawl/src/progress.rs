//! What a run tells while it works, and how it ended.

use std::time::Duration;

use frontier::tables::Stats;
use model::{Host, Timestamp};
use serde::{Deserialize, Serialize};

/// A run at one moment. Counts are of the whole crawl, over all its runs.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Progress {
    /// Pages kept.
    pub pages: u64,
    /// Pages kept by this run.
    pub pages_now: u64,
    /// URLs that have their final outcome.
    pub done: u64,
    /// URLs that are to be fetched or were.
    pub known: u64,
    /// `max_pages`, if set.
    pub limit: Option<u64>,
    /// Bytes of all bodies kept.
    pub bytes: u64,
    /// Bytes kept by this run.
    pub bytes_now: u64,
    /// Rows that the template read.
    pub rows: u64,
    /// Failed tries.
    pub errors: u64,
    /// URLs that wait, retries included.
    pub queue: u64,
    /// URLs that failed for good.
    pub failed: u64,
    /// URLs that are not fetched: out of scope, excluded, over a limit, a trap, forbidden by robots.txt.
    pub skipped: u64,
    /// Hosts that may be asked now.
    pub hosts_ready: usize,
    /// Hosts that rest.
    pub hosts_resting: usize,
    /// Slots at work.
    pub slots_busy: usize,
    /// Slots.
    pub slots: usize,
    /// Time of all slots together that they had a lease.
    pub slot_time_used: Duration,
    /// Time of all slots together that they had none although a host was ready; an upper bound.
    pub slot_time_lost: Duration,
    /// Connections kept open for the next request.
    pub connections_idle: usize,
    /// Bytes of bodies that are fetched and not yet settled.
    pub bytes_in_flight: u64,
    /// The most that they have been.
    pub most_in_flight: u64,
    /// Requests sent by this run.
    pub requests_now: u64,
    /// Time since the run began.
    pub running: Duration,
    /// Time since the last answer came.
    pub quiet: Duration,
    /// How many pages a refresh asks for again, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh: Option<String>,
    /// Whether it is held, and why.
    pub paused: Option<Pause>,
    /// When the next host is due, while none is.
    pub next_due: Option<(Timestamp, Option<Host>)>,
}

/// Why a run is held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pause {
    /// The user asked for it.
    Asked,
    /// The disk is nearly full. The run goes on by itself when there is room.
    Disk {
        /// Bytes free.
        free: u64,
        /// Bytes that must be free.
        needed: u64,
    },
    /// A write failed. Store and archive are opened again; the run goes on by itself.
    Write {
        /// What failed.
        error: String,
    },
    /// No proxy works; the first is tried again when it has rested.
    NoProxy,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// Every URL has its outcome.
    Complete,
    /// Nothing is due for longer than `linger`; some URLs wait for a retry.
    NothingDue {
        /// When the next one is due.
        next: Timestamp,
    },
    /// `max_pages` is reached.
    MaxPages,
    /// `max_bytes` is reached.
    MaxBytes,
    /// `max_rows` is reached.
    MaxRows,
    /// `walltime` is over.
    Walltime,
    /// The user stopped it.
    Stopped,
    /// The user stopped it and wants none of it.
    Cancelled,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Why.
    pub reason: EndReason,
    /// The crawl's counts.
    pub stats: Stats,
    /// The last word.
    pub progress: Progress,
}

impl std::fmt::Display for Pause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Pause::Asked => f.write_str("as asked"),
            Pause::NoProxy => f.write_str("no proxy works; the first is tried again when it has rested"),
            Pause::Disk { free, needed } => write!(
                f,
                "disk: {} MiB free, needs {} MiB; free some space, the run goes on by itself",
                free >> 20,
                needed.div_ceil(1 << 20)
            ),
            Pause::Write { error } => {
                write!(f, "a write failed: {error}; it is tried again, the run goes on by itself")
            }
        }
    }
}

impl std::fmt::Display for EndReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EndReason::Complete => f.write_str("complete: every URL has its outcome"),
            EndReason::NothingDue { next } => {
                write!(f, "nothing due within linger; the next retry is due {next}")
            }
            EndReason::MaxPages => f.write_str("max_pages reached"),
            EndReason::MaxBytes => f.write_str("max_bytes reached"),
            EndReason::MaxRows => f.write_str("max_rows reached"),
            EndReason::Walltime => f.write_str("walltime over"),
            EndReason::Stopped => f.write_str("stopped"),
            EndReason::Cancelled => f.write_str("cancelled: what it brought is discarded"),
        }
    }
}
