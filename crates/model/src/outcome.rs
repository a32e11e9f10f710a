//! What became of a URL: one recorded outcome each, so that every URL can be explained.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{PageUrl, Timestamp};

/// What became of a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Fetched and kept.
    Fetched,
    /// Asked with validators; the stored version still holds.
    NotModified,
    /// Leads elsewhere.
    Redirected {
        /// Where to.
        to: PageUrl,
    },
    /// robots.txt forbids it.
    Disallowed {
        /// The deciding line of robots.txt, from 1; none when the whole file could not be had.
        line: Option<u32>,
    },
    /// A rule of the project leaves it out.
    Excluded {
        /// The rule as written.
        rule: String,
    },
    /// Outside the project's scope.
    OffSite,
    /// Beyond a limit of the project.
    OverLimit {
        /// Which.
        limit: Limit,
    },
    /// A guard against endless spaces refused it.
    Trap {
        /// Which.
        guard: Guard,
    },
    /// The answer's head says that its body is not wanted; it was not read.
    Unwanted {
        /// The content type, or why.
        what: String,
    },
    /// Could not be had.
    Failed {
        /// Why, at the last try.
        error: ErrorKind,
        /// How often it was tried.
        tries: u32,
    },
    /// Failed so far; to be tried again.
    Retrying {
        /// Why, at the last try.
        error: ErrorKind,
        /// How often it was tried.
        tries: u32,
        /// When it is due.
        due: Timestamp,
    },
    /// Known and waiting for its turn.
    Waiting,
    /// Kept before, and missing for days: its server said so twice.
    Gone {
        /// What it said.
        status: u16,
        /// When first.
        first: Timestamp,
        /// When last.
        last: Timestamp,
    },
}

/// A limit that keeps a URL from being fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Deeper than `max_depth`.
    Depth,
    /// The host has had its `max_pages_per_host`.
    HostPages,
    /// The project has its `max_pages`, and it was given up for a more important page.
    Pages,
}

/// A guard against endless URL spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    /// URL too long.
    Length,
    /// Too many path segments.
    Segments,
    /// A path segment repeats too often.
    Repeats,
    /// Too many parameters.
    Parameters,
    /// Too many combinations of parameters at one path.
    Combinations,
    /// Too many pages without new text of one URL template.
    Template,
    /// Too many pages of one URL template.
    TemplatePages,
    /// Too many pages without new text on the host.
    StaleHost,
    /// Too many pages of one URL template in a row, each reached only through the one before.
    Chain,
}

/// Why a fetch failed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The name does not resolve.
    Dns,
    /// The address may not be asked (private, loopback, …).
    ForbiddenAddress,
    /// No connection.
    Connect,
    /// TLS failed.
    Tls,
    /// No answer in time.
    Timeout,
    /// The connection broke.
    Broken,
    /// Not valid HTTP.
    Malformed,
    /// An HTTP status that is no page.
    Status(u16),
    /// Redirects in a circle, or too many.
    RedirectLoop,
    /// A redirect without a usable target.
    BadRedirect,
    /// robots.txt could not be had.
    RobotsUnreachable,
    /// The body could not be decoded or was a bomb.
    Body,
    /// No proxy works; the site was not asked.
    Proxy,
    /// The page was had, and no text could be read from it, for this reason. Its outcome is that of a page.
    Unread(String),
}

impl Outcome {
    /// The outcome's short name: what `gannet pages --outcome` takes.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Fetched => "fetched",
            Outcome::NotModified => "not-modified",
            Outcome::Redirected { .. } => "redirected",
            Outcome::Disallowed { .. } => "disallowed",
            Outcome::Excluded { .. } => "excluded",
            Outcome::OffSite => "off-site",
            Outcome::OverLimit { .. } => "over-limit",
            Outcome::Trap { .. } => "trap",
            Outcome::Unwanted { .. } => "unwanted",
            Outcome::Failed { .. } => "failed",
            Outcome::Retrying { .. } => "retrying",
            Outcome::Waiting => "waiting",
            Outcome::Gone { .. } => "gone",
        }
    }

    /// Every name that `name` gives.
    pub const NAMES: [&'static str; 13] = [
        "fetched",
        "not-modified",
        "redirected",
        "disallowed",
        "excluded",
        "off-site",
        "over-limit",
        "trap",
        "unwanted",
        "failed",
        "retrying",
        "waiting",
        "gone",
    ];

    /// True of a page that is kept and, as far as is known, still there.
    pub fn is_page(&self) -> bool {
        matches!(self, Outcome::Fetched | Outcome::NotModified)
    }

    /// True while the URL still waits for a fetch.
    pub fn is_open(&self) -> bool {
        matches!(self, Outcome::Waiting | Outcome::Retrying { .. })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Fetched => f.write_str("fetched"),
            Outcome::NotModified => f.write_str("not modified"),
            Outcome::Redirected { to } => write!(f, "redirected to {to}"),
            Outcome::Disallowed { line: Some(line) } => write!(f, "disallowed by robots.txt line {line}"),
            Outcome::Disallowed { line: None } => f.write_str("disallowed: robots.txt could not be read"),
            Outcome::Excluded { rule } => write!(f, "excluded by {rule}"),
            Outcome::OffSite => f.write_str("off-site"),
            Outcome::OverLimit { limit: Limit::Depth } => f.write_str("over limit: max_depth"),
            Outcome::OverLimit { limit: Limit::HostPages } => f.write_str("over limit: max_pages_per_host"),
            Outcome::OverLimit { limit: Limit::Pages } => {
                f.write_str("over limit: max_pages, given up for a more important page")
            }
            Outcome::Trap { guard } => write!(f, "trap: {guard}"),
            Outcome::Unwanted { what } => write!(f, "unwanted: {what}"),
            Outcome::Failed { error, tries } => write!(f, "failed: {error} (tried {tries}×)"),
            Outcome::Retrying { error, tries, due } => {
                write!(f, "failed: {error} (tried {tries}×), due again {due}")
            }
            Outcome::Waiting => f.write_str("waiting"),
            Outcome::Gone { status, first, last } => {
                write!(f, "gone: status {status} at {first} and again at {last}")
            }
        }
    }
}

impl Guard {
    /// The setting that is its limit.
    pub fn setting(self) -> &'static str {
        match self {
            Guard::Length => "max_url_length",
            Guard::Segments => "max_segments",
            Guard::Repeats => "max_repeats",
            Guard::Parameters => "max_parameters",
            Guard::Combinations => "max_combinations",
            Guard::Template => "max_stale_per_template",
            Guard::TemplatePages => "max_pages_per_template",
            Guard::StaleHost => "max_stale_per_host",
            Guard::Chain => "max_chain",
        }
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Guard::Length => "URL too long",
            Guard::Segments => "too many path segments",
            Guard::Repeats => "a path segment repeats",
            Guard::Parameters => "too many parameters",
            Guard::Combinations => "too many combinations of parameters at its path",
            Guard::Template => "pages of its kind only lead to each other and bring nothing new",
            Guard::TemplatePages => "too many pages of its kind",
            Guard::StaleHost => "its host brings nothing new",
            Guard::Chain => "too long a chain of pages of its kind",
        })
    }
}

impl ErrorKind {
    /// Short name for counts: `dns`, `timeout`, `status-404`.
    pub fn name(&self) -> String {
        match self {
            ErrorKind::Dns => "dns".into(),
            ErrorKind::ForbiddenAddress => "forbidden-address".into(),
            ErrorKind::Connect => "connect".into(),
            ErrorKind::Tls => "tls".into(),
            ErrorKind::Timeout => "timeout".into(),
            ErrorKind::Broken => "broken".into(),
            ErrorKind::Malformed => "malformed".into(),
            ErrorKind::Status(code) => format!("status-{code}"),
            ErrorKind::RedirectLoop => "redirect-loop".into(),
            ErrorKind::BadRedirect => "bad-redirect".into(),
            ErrorKind::RobotsUnreachable => "robots-unreachable".into(),
            ErrorKind::Body => "body".into(),
            ErrorKind::Proxy => "proxy".into(),
            ErrorKind::Unread(_) => "unread".into(),
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            ErrorKind::Dns => "the name does not resolve",
            ErrorKind::ForbiddenAddress => "the address is private or reserved",
            ErrorKind::Connect => "no connection",
            ErrorKind::Tls => "TLS failed",
            ErrorKind::Timeout => "no answer in time",
            ErrorKind::Broken => "the connection broke",
            ErrorKind::Malformed => "not valid HTTP",
            ErrorKind::Status(code) => return write!(f, "status {code}"),
            ErrorKind::RedirectLoop => "redirects in a circle",
            ErrorKind::BadRedirect => "a redirect to nowhere",
            ErrorKind::RobotsUnreachable => "robots.txt could not be had",
            ErrorKind::Body => "the body could not be decoded",
            ErrorKind::Proxy => "no proxy works",
            ErrorKind::Unread(why) => return write!(f, "not read: {why}"),
        };
        f.write_str(words)
    }
}
