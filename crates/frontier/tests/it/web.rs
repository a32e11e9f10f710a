//! A made-up Web: hosts with their moods, pages with their links, and the truth about both.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use model::{CrawlSettings, Host, PageUrl, Project};
use testkit::Seed;

/// A URL in short: `url("a.web", "x")` is `http://a.web/x`.
pub(crate) fn url(host: &str, path: &str) -> PageUrl {
    PageUrl::parse(&format!("http://{host}/{path}")).unwrap()
}

/// A project with these start URLs and settings.
pub(crate) fn project(start: &[PageUrl], edit: impl FnOnce(&mut CrawlSettings)) -> Project {
    let mut crawl = CrawlSettings { scope: "any".parse().unwrap(), ..CrawlSettings::default() };
    edit(&mut crawl);
    Project { name: "test".parse().unwrap(), start: start.to_vec(), crawl, fields: None, index: None }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct FakeWeb {
    pub(crate) pages: BTreeMap<PageUrl, Answer>,
    pub(crate) hosts: BTreeMap<Host, FakeHost>,
    /// What pages have to do with a topic.
    pub(crate) topics: BTreeMap<PageUrl, frontier::PageTopic>,
}

/// What a URL answers with.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// A page with these links; false: nofollow. The first `fails` requests time out.
    Page {
        bytes: u64,
        links: Vec<(PageUrl, bool)>,
        fails: u32,
    },
    Redirect(PageUrl),
    /// robots.txt denies it.
    Denied,
    Unwanted,
    NotFound,
    /// No request ever gets an answer.
    TimesOut,
}

/// How a host behaves.
#[derive(Clone, Debug)]
pub(crate) struct FakeHost {
    pub(crate) address: IpAddr,
    pub(crate) name: Name,
    /// robots.txt exists, and asks for this.
    pub(crate) robots: Option<Option<Duration>>,
    /// Time of an answer.
    pub(crate) took: Duration,
    /// The first so many requests are answered by 503; with this Retry-After.
    pub(crate) busy: u32,
    pub(crate) retry_after: Option<Duration>,
    /// The first so many connections fail.
    pub(crate) unreachable: u32,
}

/// What asking for a host's address gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Name {
    /// An address, after so many failures.
    Resolves {
        fails: u32,
    },
    Forbidden,
}

/// For ever.
pub(crate) const ALWAYS: u32 = u32::MAX;

impl FakeHost {
    pub(crate) fn at(address: u8) -> FakeHost {
        FakeHost {
            address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, address)),
            name: Name::Resolves { fails: 0 },
            robots: None,
            took: Duration::from_millis(20),
            busy: 0,
            retry_after: None,
            unreachable: 0,
        }
    }

    /// The error that all its URLs end with, if it never serves any.
    fn never(&self) -> Option<&'static str> {
        match self.name {
            Name::Forbidden => Some("failed forbidden-address"),
            Name::Resolves { fails: ALWAYS } => Some("failed dns"),
            _ if self.unreachable == ALWAYS => Some("failed connect"),
            _ if self.busy == ALWAYS => Some("failed status-503"),
            _ => None,
        }
    }
}

impl FakeWeb {
    /// Adds a page with followed links; its host is made up if need be.
    pub(crate) fn page(&mut self, from: &PageUrl, links: &[PageUrl]) {
        let links = links.iter().map(|to| (to.clone(), true)).collect();
        self.answer(from, Answer::Page { bytes: 100, links, fails: 0 });
    }

    pub(crate) fn answer(&mut self, at: &PageUrl, answer: Answer) {
        let next = self.hosts.len() as u8;
        self.hosts.entry(at.host()).or_insert_with(|| FakeHost::at(next));
        self.pages.insert(at.clone(), answer);
    }

    /// Some hosts of every mood, with pages of every kind. `h0.web/0` is the way in.
    pub(crate) fn with_seed(seed: u64) -> FakeWeb {
        let mut seed = Seed::new(seed);
        let mut web = FakeWeb::default();
        let hosts = 4 + seed.below(10);
        let pages: Vec<usize> = (0..hosts).map(|_| 3 + seed.below(14)).collect();
        // Few addresses: hosts share them.
        let addresses = 1 + seed.below(hosts);
        let some_page = |seed: &mut Seed, home: usize| {
            let host = if seed.chance(2, 3) { home } else { seed.below(hosts) };
            match seed.below(20) {
                0 => url("else.off", &seed.below(3).to_string()),
                1 => url(&format!("h{host}.web"), &format!("skip{}", seed.below(3))),
                _ => url(&format!("h{host}.web"), &seed.below(pages[host]).to_string()),
            }
        };
        for (host, &count) in pages.iter().enumerate() {
            let mut fake = FakeHost::at(seed.below(addresses) as u8);
            fake.took = Duration::from_millis([5, 50, 700, 9_000][seed.below(4)]);
            if seed.chance(1, 3) {
                fake.robots = Some(seed.chance(1, 2).then(|| Duration::from_secs(1 + seed.below(9) as u64)));
            }
            let mood = if host == 0 { 99 } else { seed.below(16) };
            match mood {
                0 => fake.name = Name::Forbidden,
                1 => fake.name = Name::Resolves { fails: ALWAYS },
                2 => fake.name = Name::Resolves { fails: 1 + seed.below(3) as u32 },
                3 => fake.unreachable = ALWAYS,
                4 => fake.unreachable = 1 + seed.below(3) as u32,
                5 => fake.busy = ALWAYS,
                6 | 7 => {
                    fake.busy = 1 + seed.below(8) as u32;
                    fake.retry_after =
                        seed.chance(1, 2).then(|| Duration::from_secs(seed.below(4000) as u64));
                }
                _ => {}
            }
            for page in 0..count {
                let at = url(&format!("h{host}.web"), &page.to_string());
                let kind = if page == 0 { 99 } else { seed.below(24) };
                let answer = match kind {
                    0 | 1 => Answer::Redirect(some_page(&mut seed, host)),
                    2 => Answer::Denied,
                    3 => Answer::Unwanted,
                    4 => Answer::NotFound,
                    5 if fake.unreachable == 0 => Answer::TimesOut,
                    _ => {
                        let links = if page == 0 { 4 } else { seed.below(7) };
                        let links = (0..links).map(|_| (some_page(&mut seed, host), seed.chance(9, 10)));
                        let links = links.collect();
                        let fails = if fake.unreachable == 0 && seed.chance(1, 6) {
                            1 + seed.below(3) as u32
                        } else {
                            0
                        };
                        Answer::Page { bytes: 10 + seed.below(5000) as u64, links, fails }
                    }
                };
                web.pages.insert(at, answer);
            }
            web.hosts.insert(url(&format!("h{host}.web"), "").host(), fake);
        }
        web
    }

    /// The project that crawls a generated web.
    pub(crate) fn project(&self, seed: u64) -> Project {
        project(&[url("h0.web", "0")], |settings| {
            settings.scope = "suffix:web".parse().unwrap();
            settings.exclude = vec!["/skip*".parse().unwrap()];
            settings.max_depth = [0, 0, 3, 6][seed as usize % 4];
            let orders = ["breadth-first", "depth-first", "pagerank", "pvalue", "0.5 opic + 0.5 location"];
            settings.order = orders[seed as usize / 4 % orders.len()].parse().unwrap();
        })
    }

    /// Every URL that can be met, with what must become of it and, unless a nofollow link is all that leads
    /// there, its depth. By a search of its own that shares nothing with the frontier.
    pub(crate) fn truth(&self, project: &Project) -> BTreeMap<String, (String, Option<u32>)> {
        let mut depths: BTreeMap<PageUrl, u32> = BTreeMap::new();
        let mut shunned = Vec::new();
        let mut queue: VecDeque<(PageUrl, u32)> =
            project.start.iter().map(|start| (start.clone(), 0)).collect();
        while let Some((at, depth)) = queue.pop_front() {
            if depths.contains_key(&at) {
                continue;
            }
            depths.insert(at.clone(), depth);
            match (self.outcome(project, &at, depth).as_str(), self.pages.get(&at)) {
                ("fetched", Some(Answer::Page { links, .. })) => {
                    for (to, follow) in links {
                        match follow {
                            true => queue.push_back((to.clone(), depth + 1)),
                            false => shunned.push(to.clone()),
                        }
                    }
                }
                // No click: before all that is one deeper.
                (outcome, Some(Answer::Redirect(to))) if outcome.starts_with("redirected") => {
                    queue.push_front((to.clone(), depth));
                }
                _ => {}
            }
        }
        let mut truth = BTreeMap::new();
        for at in shunned {
            truth.insert(at.to_string(), ("excluded by nofollow".to_owned(), None));
        }
        for (at, depth) in depths {
            truth.insert(at.to_string(), (self.outcome(project, &at, depth), Some(depth)));
        }
        truth
    }

    fn outcome(&self, project: &Project, at: &PageUrl, depth: u32) -> String {
        let settings = &project.crawl;
        if at.path().starts_with("/skip") && !settings.exclude.is_empty() {
            return "excluded by exclude /skip*".into();
        }
        if at.host().name().ends_with(".off") {
            return "off-site".into();
        }
        if settings.max_depth > 0 && u64::from(depth) > settings.max_depth {
            return "over limit: max_depth".into();
        }
        let host = &self.hosts[&at.host()];
        let answer = self.pages.get(at);
        match (host.never(), answer) {
            // robots.txt comes before the page, and before a page's own troubles.
            (Some(error), _) if error != "failed status-503" => error.into(),
            (_, Some(Answer::Denied)) => "disallowed by robots.txt line 1".into(),
            (Some(error), _) => error.into(),
            (_, Some(Answer::Page { .. })) => "fetched".into(),
            (_, Some(Answer::Redirect(to))) => format!("redirected to {to}"),
            (_, Some(Answer::Unwanted)) => "unwanted: image/png".into(),
            (_, Some(Answer::TimesOut)) => "failed timeout".into(),
            (_, Some(Answer::NotFound) | None) => "failed status-404".into(),
        }
    }
}
