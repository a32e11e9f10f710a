//! What a well-behaved crawler makes of the torture web, and what the server's log says against one.
//!
//! Endings carry the names under which crawlers report them, so that they can be compared as texts.
//! "Failed" covers "failed so far, to be tried again": how long a run waits is its own affair. So is
//! whether the other URLs of a host that cannot be reached share its failure or wait.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::log::LogEntry;

/// What the torture web knows about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TortureTruth {
    /// Its seed.
    pub seed: u64,
    /// Where a crawl starts, with every `*.torture.test` host in its scope.
    pub starts: Vec<String>,
    /// Every canonical URL outside the traps.
    pub urls: Vec<TortureUrl>,
    /// Endless or overlong parts.
    pub traps: Vec<TortureTrap>,
    /// Pauses that hosts ask for.
    pub waits: Vec<Wait>,
    /// Pauses between any two requests that robots.txt asks for.
    pub delays: Vec<Wait>,
    /// The network that a crawl must be allowed to ask, loopback though it is; nothing beyond it.
    pub allowed: String,
    /// Addresses that listen and must never be asked.
    pub forbidden: Vec<IpAddr>,
}

/// One canonical URL outside the traps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TortureUrl {
    /// Canonical and absolute.
    pub url: String,
    /// An ordinary page: it must be fetched, whatever its neighbours do.
    pub legitimate: bool,
    /// Any of these is right; exactly one for a legitimate URL.
    pub endings: Vec<Ending>,
    /// Requests that may be spent on it.
    pub at_most: u64,
}

/// Requests of one crawler that a kill may find under way.
const MOST_UNDER_WAY: u64 = 64;

/// What became of a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Ending {
    /// Kept, though perhaps cut.
    Fetched,
    /// A redirect.
    Redirected {
        /// The canonical URL it leads to.
        to: String,
    },
    /// Never asked for, because robots.txt says so or cannot be had.
    Disallowed,
    /// Could not be had.
    Failed {
        /// Why.
        why: Why,
    },
    /// Outside the scope.
    OffSite,
    /// Refused by a guard against endless spaces.
    Trap,
    /// The head says that the body is not wanted.
    Unwanted,
    /// Known, but not to be asked yet, as its host rests for longer than the crawl waits.
    Waiting,
    /// Not met, as what leads there is cut, refused or unreadable.
    Unmet,
}

/// Why a URL could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The name does not resolve.
    Dns,
    /// The address may not be asked.
    ForbiddenAddress,
    /// No connection.
    Connect,
    /// TLS could not be agreed on, or the certificate proves nothing.
    Tls,
    /// No answer in time.
    Timeout,
    /// The connection broke.
    Broken,
    /// Not valid HTTP.
    Malformed,
    /// A status that is no page.
    Status(u16),
    /// Redirects in a circle, or too many.
    RedirectLoop,
    /// A redirect without a usable target.
    BadRedirect,
    /// robots.txt could not be had.
    RobotsUnreachable,
    /// The body could not be decoded or was a bomb.
    Body,
}

/// An endless or overlong part of the web.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TortureTrap {
    /// Its name.
    pub name: String,
    /// Where it is entered.
    pub root: String,
    /// A regular expression for the URLs in it.
    pub pattern: String,
    /// The same for the eye: what every URL in it begins with.
    pub prefix: String,
    /// Requests that may be spent in it, all URLs together.
    pub at_most: u64,
}

/// A pause that a host asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// `name:port`
    pub host: String,
    /// Seconds without a request: after each answer 429 or 503, or after each request.
    pub seconds: u64,
}

/// Something the log says against a crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offence {
    /// A forbidden address was asked.
    ForbiddenAddress {
        /// The request.
        url: String,
    },
    /// Too many requests for one URL.
    TooOften {
        /// The URL.
        url: String,
        /// Requests.
        asked: u64,
        /// Requests allowed.
        at_most: u64,
    },
    /// Too many requests in a trap.
    Trapped {
        /// The trap.
        name: String,
        /// Requests.
        asked: u64,
        /// Requests allowed.
        at_most: u64,
    },
    /// A host was asked again within the pause that its robots.txt asks for.
    Hurried {
        /// The request.
        url: String,
        /// Milliseconds after the request before it.
        after_ms: u64,
        /// The pause in seconds.
        seconds: u64,
    },
    /// A host was asked again within the pause it asked for.
    TooSoon {
        /// The request.
        url: String,
        /// Milliseconds after the request that was refused.
        after_ms: u64,
        /// The pause in seconds.
        seconds: u64,
    },
}

impl Ending {
    /// The outcome and its reason: `fetched`, `redirected`, `failed timeout`, `failed status-503`.
    pub fn name(&self) -> String {
        match self {
            Ending::Fetched => "fetched".to_owned(),
            Ending::Redirected { .. } => "redirected".to_owned(),
            Ending::Disallowed => "disallowed".to_owned(),
            Ending::Failed { why } => format!("failed {}", why.name()),
            Ending::OffSite => "off-site".to_owned(),
            Ending::Trap => "trap".to_owned(),
            Ending::Unwanted => "unwanted".to_owned(),
            Ending::Waiting => "waiting".to_owned(),
            Ending::Unmet => "unmet".to_owned(),
        }
    }
}

impl Why {
    /// The reason's short name: `dns`, `timeout`, `status-404`.
    pub fn name(self) -> String {
        match self {
            Why::Dns => "dns".to_owned(),
            Why::ForbiddenAddress => "forbidden-address".to_owned(),
            Why::Connect => "connect".to_owned(),
            Why::Tls => "tls".to_owned(),
            Why::Timeout => "timeout".to_owned(),
            Why::Broken => "broken".to_owned(),
            Why::Malformed => "malformed".to_owned(),
            Why::Status(status) => format!("status-{status}"),
            Why::RedirectLoop => "redirect-loop".to_owned(),
            Why::BadRedirect => "bad-redirect".to_owned(),
            Why::RobotsUnreachable => "robots-unreachable".to_owned(),
            Why::Body => "body".to_owned(),
        }
    }
}

impl From<Why> for Ending {
    fn from(why: Why) -> Self {
        Ending::Failed { why }
    }
}

impl TortureUrl {
    /// Whether this is a right ending: `fetched`, `failed timeout`, `unmet`; of a redirect, where it leads.
    pub fn allows(&self, outcome: &str, to: Option<&str>) -> bool {
        self.endings.iter().any(|ending| match ending {
            Ending::Redirected { to: right } => outcome == "redirected" && to == Some(right),
            ending => ending.name() == outcome,
        })
    }
}

impl TortureTruth {
    /// What is known of a canonical URL outside the traps.
    pub fn url(&self, url: &str) -> Option<&TortureUrl> {
        self.urls.iter().find(|known| known.url == url)
    }

    /// The pages that must be fetched.
    pub fn legitimate(&self) -> impl Iterator<Item = &TortureUrl> {
        self.urls.iter().filter(|url| url.legitimate)
    }

    /// The trap that a URL belongs to.
    pub fn trap(&self, url: &str) -> Option<&TortureTrap> {
        self.traps.iter().find(|trap| url.starts_with(&trap.prefix))
    }

    /// Legitimate pages that were never handed out with status 200.
    pub fn missing(&self, log: &[LogEntry]) -> Vec<String> {
        let given: HashSet<String> = log.iter().filter(|entry| entry.status == 200).map(asked_url).collect();
        let missing = self.legitimate().filter(|url| !given.contains(&url.url));
        missing.map(|url| url.url.clone()).collect()
    }

    /// What the whole log of one uninterrupted crawl says against the crawler.
    pub fn offences(&self, log: &[LogEntry]) -> Vec<Offence> {
        self.offences_despite(log, 0)
    }

    /// The same for a crawl that was killed so often and went on under another `User-Agent` each time: the name tells
    /// its requests apart, even one that the server reads when its sender is dead. What was on its way at a kill may be
    /// asked for once more, and a wait that was asked for just then may be forgotten.
    pub fn offences_despite(&self, log: &[LogEntry], kills: u64) -> Vec<Offence> {
        let killed_between = |from: &LogEntry, to: &LogEntry| kills > 0 && from.agent != to.agent;
        let mut offences = Vec::new();
        let mut asked: HashMap<String, u64> = HashMap::new();
        let mut trapped: HashMap<&str, u64> = HashMap::new();
        let mut refused: HashMap<&str, &LogEntry> = HashMap::new();
        let mut before: HashMap<&str, &LogEntry> = HashMap::new();
        for entry in log {
            let url = asked_url(entry);
            let delay = self.delays.iter().find(|delay| delay.host == entry.host);
            if let (Some(delay), Some(last)) = (delay, before.insert(&entry.host, entry)) {
                let after_ms = entry.us.saturating_sub(last.us) / 1_000;
                let hurried = after_ms < delay.seconds.saturating_mul(1_000);
                if hurried && !killed_between(last, entry) {
                    offences.push(Offence::Hurried { url: url.clone(), after_ms, seconds: delay.seconds });
                }
            }
            if self.forbidden.iter().any(|forbidden| forbidden.to_string() == entry.address) {
                offences.push(Offence::ForbiddenAddress { url: url.clone() });
            }
            let seconds =
                self.waits.iter().find(|wait| wait.host == entry.host).map_or(0, |wait| wait.seconds);
            if let Some(refusal) = refused.get(entry.host.as_str()) {
                let after = entry.us.saturating_sub(refusal.us);
                if after < seconds.saturating_mul(1_000_000) && !killed_between(refusal, entry) {
                    let after_ms = after / 1_000;
                    offences.push(Offence::TooSoon { url: url.clone(), after_ms, seconds });
                }
            }
            if matches!(entry.status, 429 | 503) {
                refused.insert(&entry.host, entry);
            }
            match self.trap(&url) {
                Some(trap) => *trapped.entry(&trap.name).or_default() += 1,
                None => *asked.entry(url).or_default() += 1,
            }
        }
        for trap in &self.traps {
            let asked = trapped.get(trap.name.as_str()).copied().unwrap_or(0);
            if asked > trap.at_most + kills * MOST_UNDER_WAY {
                offences.push(Offence::Trapped { name: trap.name.clone(), asked, at_most: trap.at_most });
            }
        }
        for known in &self.urls {
            let asked = asked.get(&known.url).copied().unwrap_or(0);
            // What must never be asked must not be asked after a kill either.
            let again = if known.at_most == 0 { 0 } else { kills };
            if asked > known.at_most + again {
                let url = known.url.clone();
                offences.push(Offence::TooOften { url, asked, at_most: known.at_most });
            }
        }
        offences
    }
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Offence::ForbiddenAddress { url } => write!(f, "{url} was asked of a forbidden address"),
            Offence::TooOften { url, asked, at_most } => {
                write!(f, "{url} was asked {asked} times, at most {at_most} are right")
            }
            Offence::Trapped { name, asked, at_most } => {
                write!(f, "the trap {name} got {asked} requests, at most {at_most} are right")
            }
            Offence::Hurried { url, after_ms, seconds } => {
                write!(f, "{url} was asked {after_ms} ms after another, robots.txt asks for {seconds} s")
            }
            Offence::TooSoon { url, after_ms, seconds } => {
                write!(f, "{url} was asked {after_ms} ms after its host asked for {seconds} s")
            }
        }
    }
}

fn asked_url(entry: &LogEntry) -> String {
    let scheme = if entry.tls { "https" } else { "http" };
    format!("{scheme}://{}{}", entry.host.to_ascii_lowercase(), entry.target)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "a.torture.test:80";

    fn truth() -> TortureTruth {
        let url = |path: &str, at_most, legitimate| TortureUrl {
            url: format!("http://{HOST}{path}"),
            legitimate,
            endings: vec![Ending::Fetched],
            at_most,
        };
        TortureTruth {
            seed: 1,
            starts: Vec::new(),
            urls: vec![url("/", 1, true), url("/denied", 0, false)],
            traps: vec![TortureTrap {
                name: "maze".into(),
                root: format!("http://{HOST}/maze/"),
                pattern: String::new(),
                prefix: format!("http://{HOST}/maze/"),
                at_most: 2,
            }],
            waits: vec![Wait { host: HOST.into(), seconds: 2 }],
            delays: vec![Wait { host: HOST.into(), seconds: 1 }],
            allowed: String::new(),
            forbidden: vec![IpAddr::from([127, 66, 0, 1])],
        }
    }

    /// Requests as (second, address, path, status) and the offences as sentences, host left out.
    fn check(requests: &[(u64, &str, &str, u16)], expected: &[&str]) {
        let entry = |&(second, address, target, status): &(u64, &str, &str, u16)| LogEntry {
            sequence: 0,
            ms: second * 1_000,
            us: second * 1_000_000,
            host: HOST.into(),
            address: address.into(),
            connection: 1,
            tls: false,
            method: "GET".into(),
            target: target.into(),
            status,
            agent: String::new(),
        };
        let log: Vec<LogEntry> = requests.iter().map(entry).collect();
        let found: Vec<String> = truth().offences(&log).iter().map(Offence::to_string).collect();
        let found: Vec<String> =
            found.iter().map(|text| text.replace(&format!("http://{HOST}"), "")).collect();
        assert_eq!(found, expected, "{requests:?}");
    }

    #[test]
    fn the_log_convicts_the_guilty_only() {
        let here = "127.0.0.1";
        check(&[(0, here, "/", 200), (1, here, "/maze/1", 200), (2, here, "/maze/2", 200)], &[]);
        check(
            &[(5, here, "/x", 200), (5, here, "/y", 200)],
            &["/y was asked 0 ms after another, robots.txt asks for 1 s"],
        );
        check(&[(0, here, "/denied", 200)], &["/denied was asked 1 times, at most 0 are right"]);
        check(&[(0, "127.66.0.1", "/x", 200)], &["/x was asked of a forbidden address"]);
        check(&[(0, here, "/x", 503), (2, here, "/y", 200), (3, here, "/z", 200)], &[]);
        check(
            &[(0, here, "/x", 429), (1, here, "/y", 200)],
            &["/y was asked 1000 ms after its host asked for 2 s"],
        );
        check(
            &[(0, here, "/maze/1", 200), (1, here, "/maze/1", 200), (2, here, "/maze/2", 200)],
            &["the trap maze got 3 requests, at most 2 are right"],
        );
    }

    #[test]
    fn a_page_that_was_never_given_is_missing() {
        assert_eq!(truth().missing(&[]), [format!("http://{HOST}/")]);
    }
}
