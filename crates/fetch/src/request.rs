//! What is asked and what comes back: the seam between the crawl and whatever fetches.

use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use model::{Fetched, Headers, PageUrl, Timestamp, Validators};

use crate::{FetchError, Share};

/// Fetches one URL. Redirects are not followed: each hop is a URL of its own.
pub trait Fetcher: Send + Sync {
    /// Asks for one page.
    fn fetch(&self, request: Request) -> impl Future<Output = Result<Answer, FetchError>> + Send;
}

/// One thing to ask for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The page.
    pub url: PageUrl,
    /// The only address that may be connected to.
    pub address: IpAddr,
    /// Makes the request conditional.
    pub validators: Validators,
    /// Most bytes of body kept, as transferred and as decoded.
    pub body_limit: u64,
    /// Bodies of which more is kept.
    pub longer: Option<Arc<Longer>>,
    /// Which bodies are read at all.
    pub wanted: Wanted,
    /// Further headers, checked when sent.
    pub headers: Vec<(String, String)>,
    /// Room that the body takes while it is read and, by a copy of this, after; without it, as much as it needs.
    pub room: Option<Share>,
    /// Waited for when a connection stands, right before the request is sent.
    pub turn: Option<SendTurn>,
    /// The moment of the request.
    pub started: Timestamp,
}

/// A turn to send: connecting takes its time, and what a host feels is when requests arrive.
#[derive(Clone)]
pub struct SendTurn(Arc<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>);

/// Which bodies are worth reading, judged from the head of a successful answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// `text/html`, `text/*`, `*/*`; empty means all. An answer without a type is always read.
    pub types: Vec<String>,
    /// A body that says it is longer is not read. Without this it is read as far as the body limit.
    pub longest: Option<u64>,
}

/// Bodies that may be longer than others, judged from the head of a successful answer: sitemaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Longer {
    /// Their types, as in [`Wanted`].
    pub types: Vec<String>,
    /// Most bytes kept, as transferred and as decoded.
    pub limit: u64,
}

/// What came back.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The answer, whatever its status.
    Fetched(Fetched),
    /// The head says that the body is not wanted; it was not read.
    Unwanted {
        /// The answer without its body.
        fetched: Fetched,
        /// What it was.
        what: Unwanted,
    },
}

/// Why a body was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unwanted {
    /// A content type that nobody asked for.
    Type(String),
    /// Longer than asked for.
    Length(u64),
}

/// Bounds on what one fetch may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connecting, TLS included.
    pub connect: Duration,
    /// Everything.
    pub total: Duration,
    /// Bytes per second that a body must bring in every `rate_window`.
    pub lowest_rate: u64,
    /// The span over which the rate is measured.
    pub rate_window: Duration,
    /// Bytes of a response head.
    pub head_bytes: usize,
    /// Headers of a response.
    pub head_lines: usize,
    /// How many times as long as the transferred body the decoded one may be, beyond the first MiB.
    pub decode_ratio: u64,
    /// Most bytes kept of an answer that is no success: an error page is evidence, not content.
    pub error_body: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(60),
            lowest_rate: 100,
            rate_window: Duration::from_secs(10),
            head_bytes: 64 * 1024,
            head_lines: 200,
            decode_ratio: 200,
            error_body: 256 * 1024,
        }
    }
}

impl Request {
    /// A plain request: no conditions, 4 MiB, any content.
    pub fn new(url: PageUrl, address: IpAddr, started: Timestamp) -> Request {
        Request {
            url,
            address,
            validators: Validators::default(),
            body_limit: 4 << 20,
            longer: None,
            wanted: Wanted::default(),
            headers: Vec::new(),
            room: None,
            turn: None,
            started,
        }
    }

    /// Most bytes of body that an answer to this can have.
    pub(crate) fn longest(&self) -> u64 {
        self.body_limit.max(self.longer.as_ref().map_or(0, |longer| longer.limit))
    }

    /// Most bytes kept of the body of a successful answer with these headers.
    pub(crate) fn limit_of(&self, headers: &Headers) -> u64 {
        let stated = stated_type(headers);
        let is_longer = |longer: &&Arc<Longer>| longer.types.iter().any(|type_| covers(type_, &stated));
        let longer = self.longer.as_ref().filter(is_longer);
        self.body_limit.max(longer.map_or(0, |longer| longer.limit))
    }
}

impl SendTurn {
    /// `wait` ends when the request may be sent. A request that has to be said again waits again.
    pub fn new<F: Future<Output = ()> + Send + 'static>(
        wait: impl Fn() -> F + Send + Sync + 'static,
    ) -> SendTurn {
        SendTurn(Arc::new(move || Box::pin(wait())))
    }

    pub(crate) async fn wait(&self) {
        (self.0)().await;
    }
}

impl fmt::Debug for SendTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SendTurn")
    }
}

impl Wanted {
    /// Why the body of a successful answer with these headers is not wanted; none when it is.
    pub fn refuse(&self, headers: &Headers) -> Option<Unwanted> {
        let stated = stated_type(headers);
        let refused = !stated.is_empty()
            && !self.types.is_empty()
            && !self.types.iter().any(|type_| covers(type_, &stated));
        if refused {
            return Some(Unwanted::Type(stated));
        }
        let length: u64 = headers.get("content-length")?.trim().parse().ok()?;
        self.longest.filter(|longest| length > *longest).map(|_| Unwanted::Length(length))
    }
}

impl Answer {
    /// The answer with or without its body.
    pub fn fetched(&self) -> &Fetched {
        match self {
            Answer::Fetched(fetched) | Answer::Unwanted { fetched, .. } => fetched,
        }
    }
}

impl fmt::Display for Unwanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwanted::Type(type_) => f.write_str(type_),
            Unwanted::Length(length) => write!(f, "{length} bytes"),
        }
    }
}

fn stated_type(headers: &Headers) -> String {
    let stated = headers.get("content-type").unwrap_or_default();
    stated.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn covers(pattern: &str, stated: &str) -> bool {
    match pattern.strip_suffix("/*") {
        Some("*") => true,
        Some(family) => stated.split('/').next().is_some_and(|stated| stated.eq_ignore_ascii_case(family)),
        None => pattern.eq_ignore_ascii_case(stated),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(types: &[&str], longest: Option<u64>, headers: &[(&str, &str)], expected: Option<Unwanted>) {
        let wanted = Wanted { types: types.iter().map(|text| text.to_string()).collect(), longest };
        let headers =
            headers.iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec().into()));
        assert_eq!(wanted.refuse(&Headers(headers.collect())), expected);
    }

    #[test]
    fn the_head_tells_which_bodies_are_wanted() {
        let pdf = Some(Unwanted::Type("application/pdf".into()));
        check(&[], None, &[("Content-Type", "application/pdf")], None);
        check(&["text/html"], None, &[("content-type", "Text/HTML; charset=utf-8")], None);
        check(&["text/*"], None, &[("content-type", "text/plain")], None);
        check(&["*/*"], None, &[("content-type", "image/png")], None);
        check(&["text/html", "text/*"], None, &[("content-type", "Application/PDF")], pdf);
        check(
            &["text/*"],
            None,
            &[("content-type", "textual/plain")],
            Some(Unwanted::Type("textual/plain".into())),
        );
        check(&["text/html"], None, &[], None);
        check(&["text/html"], None, &[("content-type", "; charset=x")], None);
        check(&[], Some(10), &[("content-length", "10")], None);
        check(&[], Some(10), &[("content-length", "11")], Some(Unwanted::Length(11)));
        check(&[], Some(10), &[("content-length", "eleven")], None);
        check(&[], None, &[("content-length", "99999999999")], None);
    }
}
