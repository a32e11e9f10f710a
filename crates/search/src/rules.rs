//! Hits that are pinned, demoted or blocked, by the user's rules.

use index::Query as Ask;

use crate::document::built_in;
use crate::settings::{Act, Ranking, Rule};

/// The rules that a search for this query has for a URL, with their numbers from 1.
pub fn in_force<'a>(ranking: &'a Ranking, query: &str, url: &str) -> impl Iterator<Item = (usize, &'a Rule)> {
    let typed = query.trim().to_lowercase();
    let rules = (1..).zip(&ranking.rules);
    rules.filter(move |(_, rule)| speaks(rule, &typed)).filter(move |(_, rule)| fits(&rule.url, url))
}

/// True of a rule for this query, or for all.
fn speaks(rule: &Rule, typed: &str) -> bool {
    rule.query.as_ref().is_none_or(|asked| asked.trim().to_lowercase() == typed)
}

/// The rules in force for a query.
pub(crate) struct Rules<'a> {
    rules: Vec<&'a Rule>,
}

impl<'a> Rules<'a> {
    pub(crate) fn new(ranking: &'a Ranking, query: &str) -> Rules<'a> {
        let typed = query.trim().to_lowercase();
        Rules { rules: ranking.rules.iter().filter(|rule| speaks(rule, &typed)).collect() }
    }

    /// Blocked sites, as conditions.
    pub(crate) fn filters(&self) -> Vec<Ask> {
        let sites = self.rules.iter().filter(|rule| rule.act == Act::Block && is_site(&rule.url));
        sites.map(|rule| Ask::Not(Box::new(site(&rule.url)))).collect()
    }

    /// True when hits must be looked at before they are kept.
    pub(crate) fn looks_at_urls(&self) -> bool {
        self.rules.iter().any(|rule| match rule.act {
            Act::Block => !is_site(&rule.url),
            Act::Pin => true,
            // It is part of the score.
            Act::Demote(_) => false,
        })
    }

    pub(crate) fn blocks(&self, url: &str) -> bool {
        self.rules.iter().any(|rule| rule.act == Act::Block && fits(&rule.url, url))
    }

    /// Pinned URLs, in the order of the rules.
    pub(crate) fn pinned(&self) -> impl Iterator<Item = &'a str> {
        let pins = self.rules.iter().filter(|rule| rule.act == Act::Pin);
        pins.map(|rule| rule.url.as_str()).collect::<Vec<_>>().into_iter()
    }

    /// What is demoted, and by how much.
    pub(crate) fn demoted(&self) -> Vec<(String, f64)> {
        let demoted = self.rules.iter().filter_map(|rule| match rule.act {
            Act::Demote(by) => Some((rule.url.clone(), by)),
            _ => None,
        });
        demoted.collect()
    }

    /// What a URL's score is multiplied by.
    pub(crate) fn factor(&self, url: &str) -> f64 {
        let factors = self.rules.iter().filter_map(|rule| match rule.act {
            Act::Demote(by) if fits(&rule.url, url) => Some(by),
            _ => None,
        });
        factors.product()
    }

    /// The page of a pinned URL, of whatever project.
    pub(crate) fn page(&self, url: &str) -> Ask {
        Ask::Keyword { field: built_in::ADDRESS, value: url.to_owned() }
    }
}

/// True for a site's name; anything else is a URL or a pattern of them.
pub(crate) fn is_site(pattern: &str) -> bool {
    !pattern.contains(['/', '*', ':'])
}

fn site(name: &str) -> Ask {
    Ask::Keyword { field: built_in::SITE, value: name.to_lowercase() }
}

/// A URL, with `*` for anything, or a site's name.
pub(crate) fn fits(pattern: &str, url: &str) -> bool {
    if is_site(pattern) {
        let (host, pattern) = (crate::document::host_of(url), pattern.to_lowercase());
        return host == pattern
            || host.strip_suffix(pattern.as_str()).is_some_and(|rest| rest.ends_with('.'));
    }
    let mut parts = pattern.split('*');
    let Some(first) = parts.next() else { return false };
    let Some(mut rest) = url.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(between) = last.replace(part) {
            match rest.find(between) {
                Some(at) => rest = &rest[at + between.len()..],
                None => return false,
            }
        }
    }
    match last {
        None => rest.is_empty(),
        Some(end) => rest.ends_with(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_urls() {
        let check = |pattern, url, expected| assert_eq!(fits(pattern, url), expected, "{pattern} {url}");
        check("a.test", "http://a.test/x", true);
        check("a.test", "http://b.a.test/x", true);
        check("a.test", "http://ba.test/x", false);
        check("http://a.test/x", "http://a.test/x", true);
        check("http://a.test/x", "http://a.test/xy", false);
        check("http://a.test/*", "http://a.test/x/y", true);
        check("*/old/*", "http://a.test/old/y", true);
        check("*/old/*", "http://a.test/new/y", false);
        check("http://*.test/*.pdf", "http://a.test/b.pdf", true);
        check("http://*.test/*.pdf", "http://a.test/b.html", false);
    }
}
