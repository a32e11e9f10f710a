//! Rules: may this URL enter the queue? Each rule is asked in turn; the first refusal is the outcome.
//!
//! The same chain answers the crawl and `gannet why`, so an explanation can never differ from what happened.

use std::collections::BTreeSet;

use model::{CrawlSettings, Guard, Host, Limit, Outcome, PageUrl, Scope};
use xxhash_rust::xxh3::xxh3_64;

use crate::template::count_parameters;

/// The rules of one crawl.
pub struct Rules {
    settings: CrawlSettings,
    starts: Starts,
}

/// Where the crawl began: what the scope is measured against.
#[derive(Default)]
struct Starts {
    urls: BTreeSet<PageUrl>,
    hosts: BTreeSet<String>,
    domains: BTreeSet<String>,
    prefixes: Vec<String>,
}

/// One rule's word on a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The setting that rules.
    pub rule: &'static str,
    /// None: it has nothing against the URL.
    pub refusal: Option<Outcome>,
}

impl Rules {
    /// The rules of these settings.
    pub fn new<'a>(settings: &CrawlSettings, starts: impl IntoIterator<Item = &'a PageUrl>) -> Rules {
        let mut rules = Rules { settings: settings.clone(), starts: Starts::default() };
        for url in starts {
            rules.add_start(url);
        }
        rules
    }

    /// Widens the scope by a start URL, or by where a start URL redirects to. False when it was one already.
    pub fn add_start(&mut self, url: &PageUrl) -> bool {
        if !self.starts.urls.insert(url.clone()) {
            return false;
        }
        let host = url.host();
        self.starts.hosts.insert(site_name(&host));
        self.starts.domains.insert(host.domain().to_owned());
        let directory = url.path().rfind('/').map_or("/", |slash| &url.path()[..=slash]);
        self.starts.prefixes.push(format!("{}{directory}", url.origin()));
        true
    }

    /// True of a start URL, and of where one redirects to.
    pub(crate) fn is_start(&self, url: &PageUrl) -> bool {
        self.starts.urls.contains(url)
    }

    /// Changes when any setting or start does, so that a resumed crawl knows to judge its refusals anew.
    pub fn fingerprint(&self) -> u64 {
        let settings = serde_json::to_string(&self.settings).unwrap_or_default();
        let starts: Vec<&str> = self.starts.urls.iter().map(PageUrl::as_str).collect();
        xxh3_64(format!("{settings}\n{}", starts.join("\n")).as_bytes())
    }

    /// The outcome that refuses this URL, if any rule does.
    pub fn refusal(&self, url: &PageUrl, depth: u32) -> Option<Outcome> {
        self.chain().into_iter().find_map(|(_, rule)| rule(self, url, depth))
    }

    /// Every rule's word, in order.
    pub fn rulings(&self, url: &PageUrl, depth: u32) -> Vec<Ruling> {
        self.chain()
            .into_iter()
            .map(|(name, rule)| Ruling { rule: name, refusal: rule(self, url, depth) })
            .collect()
    }

    fn chain(&self) -> [(&'static str, Rule); 8] {
        [
            ("max_url_length", Rules::length),
            ("max_segments", Rules::segments),
            ("max_repeats", Rules::repeats),
            ("max_parameters", Rules::parameters),
            ("exclude", Rules::exclude),
            ("scope", Rules::scope),
            ("include", Rules::include),
            ("max_depth", Rules::depth),
        ]
    }

    fn length(&self, url: &PageUrl, _: u32) -> Option<Outcome> {
        let limit = self.settings.max_url_length as usize;
        (limit > 0 && url.as_str().len() > limit).then_some(Outcome::Trap { guard: Guard::Length })
    }

    fn segments(&self, url: &PageUrl, _: u32) -> Option<Outcome> {
        let limit = self.settings.max_segments as usize;
        (limit > 0 && segments(url).count() > limit).then_some(Outcome::Trap { guard: Guard::Segments })
    }

    fn repeats(&self, url: &PageUrl, _: u32) -> Option<Outcome> {
        let limit = self.settings.max_repeats as usize;
        if limit == 0 {
            return None;
        }
        let mut all: Vec<&str> = segments(url).collect();
        all.sort_unstable();
        let most = all.chunk_by(|a, b| a == b).map(<[&str]>::len).max().unwrap_or(0);
        (most > limit + 1).then_some(Outcome::Trap { guard: Guard::Repeats })
    }

    fn parameters(&self, url: &PageUrl, _: u32) -> Option<Outcome> {
        let limit = self.settings.max_parameters as usize;
        (limit > 0 && count_parameters(url) > limit).then_some(Outcome::Trap { guard: Guard::Parameters })
    }

    fn exclude(&self, url: &PageUrl, _: u32) -> Option<Outcome> {
        let rule = self.settings.exclude.iter().find(|pattern| pattern.matches(url))?;
        Some(Outcome::Excluded { rule: format!("exclude {rule}") })
    }

    fn scope(&self, url: &PageUrl, _: u32) -> Option<Outcome> {
        let host = url.host();
        let starts = &self.starts;
        let inside = match &self.settings.scope {
            Scope::Any => true,
            Scope::Host => starts.hosts.contains(&site_name(&host)),
            Scope::Domain => starts.domains.contains(host.domain()),
            Scope::Prefix => starts.prefixes.iter().any(|prefix| url.as_str().starts_with(prefix)),
            Scope::Suffix(suffix) => {
                let name = host.name();
                name.strip_suffix(suffix.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
            Scope::List => false,
        };
        (!inside && !starts.urls.contains(url)).then_some(Outcome::OffSite)
    }

    fn include(&self, url: &PageUrl, _: u32) -> Option<Outcome> {
        let include = &self.settings.include;
        let wanted = include.is_empty()
            || self.starts.urls.contains(url)
            || include.iter().any(|pattern| pattern.matches(url));
        (!wanted).then(|| Outcome::Excluded { rule: "include: no pattern matches".to_owned() })
    }

    fn depth(&self, _: &PageUrl, depth: u32) -> Option<Outcome> {
        let limit = self.settings.max_depth;
        (limit > 0 && u64::from(depth) > limit).then_some(Outcome::OverLimit { limit: Limit::Depth })
    }
}

type Rule = fn(&Rules, &PageUrl, u32) -> Option<Outcome>;

fn segments(url: &PageUrl) -> impl Iterator<Item = &str> {
    url.path().split('/').filter(|segment| !segment.is_empty())
}

/// Host and port, the ports of http and https being one: a site that moves to https stays in scope.
fn site_name(host: &Host) -> String {
    match host.port() {
        80 | 443 => host.name().to_owned(),
        port => format!("{}:{port}", host.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> PageUrl {
        PageUrl::parse(text).unwrap()
    }

    fn rules(edit: impl FnOnce(&mut CrawlSettings)) -> Rules {
        let mut settings = CrawlSettings::default();
        edit(&mut settings);
        Rules::new(&settings, &[url("http://shop.example.de/list/a")])
    }

    /// Scope as written → which of these are inside.
    fn check_scope(scope: &str, inside: &[&str], outside: &[&str]) {
        let rules = rules(|settings| settings.scope = scope.parse().unwrap());
        for text in inside {
            assert_eq!(rules.refusal(&url(text), 1), None, "{scope}: {text}");
        }
        for text in outside {
            assert_eq!(rules.refusal(&url(text), 1), Some(Outcome::OffSite), "{scope}: {text}");
        }
    }

    #[test]
    fn each_scope_has_its_border() {
        let start = "http://shop.example.de/list/a";
        check_scope(
            "host",
            &[start, "http://shop.example.de/x", "https://shop.example.de/x"],
            &["http://www.example.de/", "http://shop.example.de:8080/"],
        );
        check_scope("domain", &[start, "http://www.example.de/"], &["http://example.com/"]);
        check_scope("prefix", &[start, "http://shop.example.de/list/b"], &["http://shop.example.de/x"]);
        check_scope("suffix:de", &[start, "http://other.de/"], &["http://other.com/", "http://code/"]);
        check_scope("list", &[start], &["http://shop.example.de/list/b"]);
        check_scope("any", &[start, "http://other.com/"], &[]);
    }

    #[test]
    fn the_first_refusal_is_the_outcome_and_all_rulings_can_be_shown() {
        let rules = rules(|settings| {
            settings.exclude = vec!["/private/*".parse().unwrap()];
            settings.max_depth = 2;
        });
        let refused = url("http://shop.example.de/private/x");
        assert_eq!(rules.refusal(&refused, 9), Some(Outcome::Excluded { rule: "exclude /private/*".into() }));
        let words: Vec<_> =
            rules.rulings(&refused, 9).into_iter().filter(|r| r.refusal.is_some()).map(|r| r.rule).collect();
        assert_eq!(words, ["exclude", "max_depth"]);
    }

    #[test]
    fn include_narrows_but_keeps_the_start() {
        let rules = rules(|settings| settings.include = vec!["/list/*".parse().unwrap()]);
        assert_eq!(rules.refusal(&url("http://shop.example.de/list/z"), 1), None);
        assert_eq!(rules.refusal(&url("http://shop.example.de/list/a"), 0), None);
        assert!(rules.refusal(&url("http://shop.example.de/x"), 1).is_some());
    }

    #[test]
    fn endless_urls_are_traps() {
        let rules = rules(|_| ());
        let trap = |path: String| rules.refusal(&url(&format!("http://shop.example.de/{path}")), 1);
        assert_eq!(trap("a/b/a/c/a".into()), None);
        assert_eq!(trap("a/b/a/c/a/d/a".into()), Some(Outcome::Trap { guard: Guard::Repeats }));
        let deep: Vec<String> = (0..21).map(|n| n.to_string()).collect();
        assert_eq!(trap(deep.join("/")), Some(Outcome::Trap { guard: Guard::Segments }));
        let query: Vec<String> = (0..17).map(|n| format!("p{n}=1")).collect();
        assert_eq!(trap(format!("x?{}", query.join("&"))), Some(Outcome::Trap { guard: Guard::Parameters }));
        assert_eq!(trap(format!("x?{}", query[1..].join("&"))), None);
        assert_eq!(trap("x".repeat(2100)), Some(Outcome::Trap { guard: Guard::Length }));
    }
}
