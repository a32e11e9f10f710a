//! One page, asked for outside any run, for people who try something on it.
//!
//! robots.txt is asked first and obeyed, at every hop of a redirect; nothing is kept, neither pages nor clocks.

use std::sync::Arc;
use std::time::Duration;

use fetch::robots::{MOST_BYTES, MOST_REDIRECTS, Reaction, Robots, Rules, Verdict};
use fetch::{Answer, FetchError, Longer, Request};
use model::{
    CrawlSettings, ErrorKind, Fetched, Host, LONG_LIST_TYPES, MAX_LIST, Normalise, Origin, PageUrl,
    RobotsMode,
};

use crate::{Network, WallClock};

/// Redirects followed on the way to a page.
const MOST_HOPS: usize = 10;

/// Why a page could not be had.
#[derive(Debug, thiserror::Error)]
pub enum SinglePageError {
    /// robots.txt says no.
    #[error("robots.txt of {origin} disallows {url}")]
    Disallowed {
        /// Whose.
        origin: Origin,
        /// The page.
        url: PageUrl,
        /// The deciding line, from 1.
        line: Option<u32>,
    },
    /// robots.txt cannot be had, so nothing is allowed.
    #[error("robots.txt of {origin} cannot be had, so nothing may be asked for there; try again later")]
    NoRobots {
        /// Whose.
        origin: Origin,
        /// What went wrong; none when the server answered with an error.
        source: Option<Box<FetchError>>,
    },
    /// No address.
    #[error("{host} has no address to ask ({kind}); check the name")]
    Address {
        /// Whose.
        host: Host,
        /// Why.
        kind: ErrorKind,
    },
    /// A private address.
    #[error("{0} is at a private address; --allow-private asks it all the same, for sites of your own")]
    Private(Host),
    /// The request failed.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The request failed after robots.txt had allowed it.
    #[error("{url} cannot be had")]
    Allowed {
        /// The page.
        url: PageUrl,
        /// What robots.txt says of it.
        robots: Verdict,
        /// What went wrong.
        source: Box<FetchError>,
    },
    /// The server says that there is no page.
    #[error("{url} answers with status {status}; {}", advice(*status))]
    Status {
        /// The page.
        url: PageUrl,
        /// What it says.
        status: u16,
        /// What robots.txt says of it; none when it was not asked.
        robots: Option<Verdict>,
    },
    /// It leads from one page to the next without end.
    #[error("{0} redirects more than {MOST_HOPS} times")]
    Redirects(PageUrl),
}

fn advice(status: u16) -> &'static str {
    match status {
        401 | 403 | 407 => "it may want to be asked with headers or cookies of yours",
        408 | 425 | 429 | 500..=599 => "try again later",
        _ => "check the address",
    }
}

/// A page, and how it was come by.
pub struct SinglePage {
    /// The page.
    pub fetched: Fetched,
    /// What was asked for first, and each hop but the last.
    pub redirects: Vec<PageUrl>,
    /// What robots.txt says of it; none when it was not asked.
    pub robots: Option<Verdict>,
    /// The pause that robots.txt asks for.
    pub pause: Option<Duration>,
}

/// Asks for one page as a crawl with these settings would; redirects are followed.
pub async fn single_page(
    network: &Network,
    settings: &CrawlSettings,
    url: &PageUrl,
    clock: &WallClock,
) -> Result<Fetched, SinglePageError> {
    look_at(network, settings, url, clock).await.map(|page| page.fetched)
}

/// As [`single_page`], with the way there.
pub async fn look_at(
    network: &Network,
    settings: &CrawlSettings,
    url: &PageUrl,
    clock: &WallClock,
) -> Result<SinglePage, SinglePageError> {
    let asked = Asking { network, settings, clock };
    let mut at = url.clone();
    let mut redirects = Vec::new();
    let mut known: Option<(Origin, Rules)> = None;
    for _ in 0..=MOST_HOPS {
        let mut verdict = None;
        if settings.robots == RobotsMode::Obey {
            let origin = at.origin();
            let rules = match known.take() {
                Some((same, rules)) if same == origin => rules,
                _ => asked.rules(&origin).await?,
            };
            let word = rules.verdict(at.path_and_query());
            if !word.allowed {
                return Err(SinglePageError::Disallowed { origin, url: at, line: word.line });
            }
            verdict = Some(word);
            known = Some((origin, rules));
        }
        let fetched = match (asked.fetch_page(&at).await, verdict) {
            (Err(SinglePageError::Fetch(source)), Some(robots)) => {
                return Err(SinglePageError::Allowed { url: at, robots, source: Box::new(source) });
            }
            (fetched, _) => fetched?,
        };
        match fetched.status {
            300..=399 => match target(&fetched) {
                Some(target) => redirects.push(std::mem::replace(&mut at, target)),
                None => {
                    return Err(SinglePageError::Status { url: at, status: fetched.status, robots: verdict });
                }
            },
            200..=299 => {
                let pause = known.as_ref().and_then(|(_, rules)| rules.pause());
                return Ok(SinglePage { fetched, redirects, robots: verdict, pause });
            }
            status => return Err(SinglePageError::Status { url: at, status, robots: verdict }),
        }
    }
    Err(SinglePageError::Redirects(url.clone()))
}

struct Asking<'a> {
    network: &'a Network,
    settings: &'a CrawlSettings,
    clock: &'a WallClock,
}

impl Asking<'_> {
    async fn rules(&self, origin: &Origin) -> Result<Rules, SinglePageError> {
        let own = || origin.robots_url();
        let mut url = self.settings.robots_url.clone().unwrap_or_else(own);
        for _ in 0..=MOST_REDIRECTS {
            let fetched = match self.fetch(&url, MOST_BYTES as u64, None).await {
                Ok(fetched) => fetched,
                Err(SinglePageError::Fetch(error)) => {
                    return Err(SinglePageError::NoRobots {
                        origin: origin.clone(),
                        source: Some(Box::new(error)),
                    });
                }
                Err(error) => return Err(error),
            };
            match Reaction::to(fetched.status) {
                Reaction::Read => return Ok(Robots::parse(&fetched.content).rules(&self.network.agent)),
                Reaction::AllowAll => break,
                Reaction::DenyAll => {
                    return Err(SinglePageError::NoRobots { origin: origin.clone(), source: None });
                }
                Reaction::Follow => match target(&fetched) {
                    Some(target) => url = target,
                    None => break,
                },
            }
        }
        Ok(Rules::default())
    }

    /// Asks for a URL that may be a sitemap.
    async fn fetch_page(&self, url: &PageUrl) -> Result<Fetched, SinglePageError> {
        let types = LONG_LIST_TYPES.map(str::to_owned).to_vec();
        let longer = Some(Arc::new(Longer { types, limit: MAX_LIST }));
        self.fetch(url, self.settings.max_body.limit().unwrap_or(u64::MAX), longer).await
    }

    async fn fetch(
        &self,
        url: &PageUrl,
        most_bytes: u64,
        longer: Option<Arc<Longer>>,
    ) -> Result<Fetched, SinglePageError> {
        let host = url.host();
        let address = match self.network.address(&host).await {
            Ok((address, _)) => address,
            Err(ErrorKind::ForbiddenAddress) => return Err(SinglePageError::Private(host)),
            Err(kind) => return Err(SinglePageError::Address { host, kind }),
        };
        let mut request = Request::new(url.clone(), address, self.clock.now());
        request.body_limit = most_bytes;
        request.longer = longer;
        match self.network.fetch(request).await? {
            Answer::Fetched(fetched) | Answer::Unwanted { fetched, .. } => Ok(fetched),
        }
    }
}

fn target(fetched: &Fetched) -> Option<PageUrl> {
    let location = fetched.headers.get("location")?;
    Normalise::default().join(&fetched.url, location).ok()
}
