//! robots.txt by RFC 9309, with the leniency of the best known parser, plus Crawl-delay, Request-rate and Visit-time.
//!
//! Reading never fails: a file of nonsense has no rules. Whether the file could be had at all is a matter of
//! `Reaction`; obeying the answers in time is the frontier's.

mod lines;
mod pattern;
mod times;

use std::time::Duration;

use lines::{Group, Rule};
use pattern::Pattern;
pub use times::{RequestRate, VisitTime};

use model::Timestamp;

/// Bytes of a robots.txt that are read; lines beyond are as if not there.
pub const MOST_BYTES: usize = 500 * 1024;

/// Redirects followed on the way to a robots.txt, to other hosts, too.
pub const MOST_REDIRECTS: usize = 5;

/// A robots.txt, read once.
#[derive(Clone, Debug, Default)]
pub struct Robots {
    groups: Vec<Group>,
    sitemaps: Vec<String>,
}

/// What one agent may do, compiled for asking often.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The rule to apply first stands first.
    rules: Vec<Compiled>,
    crawl_delay: Option<Duration>,
    request_rate: Option<RequestRate>,
    visit_times: Vec<VisitTime>,
}

/// The answer for one URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// May it be fetched?
    pub allowed: bool,
    /// The deciding line, from 1; none when no rule matches.
    pub line: Option<u32>,
}

/// What an answer to the request for robots.txt means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// It is the file.
    Read,
    /// It is elsewhere, if a redirect is left.
    Follow,
    /// There is none: everything is allowed.
    AllowAll,
    /// The server is in trouble: nothing is allowed until it is better.
    DenyAll,
}

#[derive(Clone, Debug)]
struct Compiled {
    pattern: Pattern,
    allow: bool,
    line: u32,
}

impl Robots {
    /// Reads a robots.txt.
    pub fn parse(bytes: &[u8]) -> Robots {
        lines::read(bytes)
    }

    /// What `agent` may do, from the groups that name it, else from those for `*`.
    ///
    /// Of `gannet/0.1 (+http://…)` the product token `gannet` counts.
    pub fn rules(&self, agent: &str) -> Rules {
        let token = lines::token(agent.as_bytes());
        let named: Vec<&Group> = self.groups.iter().filter(|group| group.names(token)).collect();
        if !named.is_empty() {
            return Rules::of(&named);
        }
        let everyone: Vec<&Group> = self.groups.iter().filter(|group| group.everyone).collect();
        Rules::of(&everyone)
    }

    /// The sitemaps it names, as written; they belong to no agent.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

impl Rules {
    fn of(groups: &[&Group]) -> Rules {
        let mut rules = Vec::new();
        for Rule { allow, text, line } in groups.iter().flat_map(|group| &group.rules) {
            let (allow, line) = (*allow, *line);
            // Whoever allows the index page by name means the directory, too.
            let directory = text.iter().rposition(|byte| *byte == b'/').filter(|_| allow);
            if let Some(slash) = directory.filter(|slash| text[*slash..].starts_with(b"/index.htm")) {
                let text = [&text[..=slash], b"$"].concat();
                rules.push(Compiled { pattern: Pattern::new(&text), allow, line });
            }
            rules.push(Compiled { pattern: Pattern::new(text), allow, line });
        }
        // The longest match wins, and Allow wins a tie: in this order the first match decides.
        rules.sort_by_key(|rule| (std::cmp::Reverse(rule.pattern.length()), !rule.allow, rule.line));
        Rules {
            rules,
            crawl_delay: groups.iter().filter_map(|group| group.crawl_delay).max(),
            request_rate: groups
                .iter()
                .flat_map(|group| group.request_rates.iter().copied())
                .max_by_key(|rate| rate.pause()),
            visit_times: groups.iter().flat_map(|group| group.visit_times.iter().copied()).collect(),
        }
    }

    /// May this path (with its query) be fetched?
    pub fn verdict(&self, path_and_query: &str) -> Verdict {
        if path_and_query == "/robots.txt" {
            return Verdict { allowed: true, line: None };
        }
        let path = path_and_query.split('#').next().unwrap_or_default();
        let path = pattern::normalise(if path.is_empty() { b"/" } else { path.as_bytes() });
        let deciding = self.rules.iter().find(|rule| rule.pattern.matches(&path));
        Verdict { allowed: deciding.is_none_or(|rule| rule.allow), line: deciding.map(|rule| rule.line) }
    }

    /// The pause it asks for between requests, the longest if several; the caller decides what is absurd.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The rate it asks for, the slowest if several.
    pub fn request_rate(&self) -> Option<RequestRate> {
        self.request_rate
    }

    /// The times of day at which it wants to be visited; none means any.
    pub fn visit_times(&self) -> &[VisitTime] {
        &self.visit_times
    }

    /// The longest pause that Crawl-delay or Request-rate asks for.
    pub fn pause(&self) -> Option<Duration> {
        self.crawl_delay.max(self.request_rate.map(RequestRate::pause))
    }

    /// The first moment from `now` on at which it wants to be visited.
    pub fn next_visit(&self, now: Timestamp) -> Timestamp {
        self.visit_times.iter().map(|time| time.next(now)).min().unwrap_or(now)
    }

    /// True when nothing is said: everything is allowed at any pace.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
            && self.crawl_delay.is_none()
            && self.request_rate.is_none()
            && self.visit_times.is_empty()
    }
}

impl Reaction {
    /// What a status means. No answer at all, or one redirect too many, means the same as a server error.
    pub fn to(status: u16) -> Reaction {
        match status {
            200..=299 => Reaction::Read,
            300..=399 => Reaction::Follow,
            // 429 is a server that cannot keep up, not a file that is not there.
            429 => Reaction::DenyAll,
            400..=499 => Reaction::AllowAll,
            _ => Reaction::DenyAll,
        }
    }
}

#[cfg(test)]
mod tests;
