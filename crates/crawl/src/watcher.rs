//! What a run tells whoever watches it, visit by visit. Watchers only listen: nothing they do changes the run.

use std::time::Duration;

use archive::rows::PageRows;
use archive::tables::VisitRecord;
use frontier::End;
use model::{ErrorKind, Host, LeaseId, LeasedUrl, PageUrl, Timestamp, UrlKey};

use crate::Progress;

/// Listens to a run. Called on the run's own thread: must be quick.
pub trait Watcher: Send + Sync {
    /// Something has happened.
    fn told(&self, event: &Event<'_>, now: Timestamp);
}

/// What happens in a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// These URLs are asked for now, one after the other or side by side.
    Leased {
        /// Names them.
        lease: LeaseId,
        /// Their host.
        host: &'a Host,
        /// Best first.
        urls: &'a [LeasedUrl],
    },
    /// One of them was visited.
    Visited {
        /// Of this lease.
        lease: LeaseId,
        /// This one.
        key: UrlKey,
        /// How it went.
        visited: Visited<'a>,
    },
    /// The lease is over; what was not visited is given back.
    Released {
        /// This one.
        lease: LeaseId,
    },
    /// Counts, some times a second.
    Progress(&'a Progress),
    /// Something worth a line in the log.
    Note {
        /// True when someone should look.
        warn: bool,
        /// In words.
        text: String,
    },
}

/// How a visit went.
#[derive(Debug)]
pub struct Visited<'a> {
    /// The answer's status.
    pub status: Option<u16>,
    /// Milliseconds it took; none when nothing was asked.
    pub millis: Option<u64>,
    /// Bytes of the body.
    pub bytes: u64,
    /// Rows read from it.
    pub rows: Option<&'a PageRows>,
    /// What it was.
    pub end: VisitEnd,
}

/// What a visit was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VisitEnd {
    /// A page, kept.
    Page,
    /// The stored version holds.
    NotModified,
    /// It leads there.
    Redirect(PageUrl),
    /// robots.txt forbids it, by this line.
    Disallowed(Option<u32>),
    /// Not wanted.
    Unwanted(String),
    /// It failed.
    Failed(ErrorKind),
    /// The host is too busy, and asked us to wait so long.
    Busy(u16, Option<Duration>),
    /// Given back.
    Unfinished,
}

impl<'a> Visited<'a> {
    pub(crate) fn of(end: &End, visit: Option<&VisitRecord>, rows: Option<&'a PageRows>) -> Visited<'a> {
        let end = match end {
            End::Page { .. } => VisitEnd::Page,
            End::NotModified => VisitEnd::NotModified,
            End::Redirect { to, .. } => VisitEnd::Redirect(to.clone()),
            End::Disallowed { line } => VisitEnd::Disallowed(*line),
            End::Unwanted { what } => VisitEnd::Unwanted(what.clone()),
            End::Failed { error, .. } => VisitEnd::Failed(error.clone()),
            End::Busy { status, wait } => VisitEnd::Busy(*status, *wait),
            End::NoRoom | End::Unfinished => VisitEnd::Unfinished,
        };
        Visited {
            status: visit.and_then(|visit| visit.status),
            millis: visit.map(|visit| visit.millis),
            bytes: visit.map_or(0, |visit| visit.bytes),
            rows,
            end,
        }
    }
}
