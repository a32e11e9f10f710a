//! A Web of numbers: pages, their links, the host of each, and what asking for each gives.

use std::collections::HashMap;
use std::time::Duration;

use frontier::Unfollowed;
use model::{ErrorKind, PageUrl, UrlKey};

use crate::SimulateError;

/// Pages by number, with their links and hosts. What a list here leaves out is usual for all pages.
#[derive(Clone, Debug, Default)]
pub struct SimWeb {
    /// Where the links of each page begin; one more for the end.
    starts: Vec<u64>,
    targets: Vec<u32>,
    hosts: Vec<u32>,
    /// Where crawls begin.
    pub(crate) seeds: Vec<u32>,
    /// Their URLs; without them they are made up.
    pub(crate) urls: Vec<PageUrl>,
    pub(crate) numbers: HashMap<UrlKey, u32>,
    /// What asking for a page gives; without, a page.
    pub(crate) says: Vec<Says>,
    /// How each link looks; without, they are plain.
    pub(crate) looks: Vec<Look>,
    /// Relevance of each page, from 0 to 1; on topic from one half.
    pub(crate) relevance: Vec<f32>,
    /// What each link promises.
    pub(crate) promises: Vec<f32>,
    /// Milliseconds that an answer takes, by page.
    pub(crate) millis: Vec<u32>,
    /// Bytes of an answer, by page.
    pub(crate) bytes: Vec<u32>,
    /// How often a page changes in a day, by page.
    pub(crate) changes: Vec<f32>,
    /// Milliseconds that a host asks for between two requests, by number of the host.
    pub(crate) pauses: Vec<u32>,
}

/// What asking for a page gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Says {
    /// A page.
    #[default]
    Page,
    /// The way to another page.
    Redirect(u32),
    /// This failure.
    Failed(ErrorKind),
    /// Nothing: robots.txt forbids it.
    Disallowed,
    /// Something that is not kept.
    Unwanted(String),
    /// Nobody knows: it was never asked for.
    Unknown,
}

/// How a link looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// What it weighs.
    pub weight: u8,
    /// Why it is not followed, if so.
    pub unfollowed: Option<Unfollowed>,
    /// It leads to a further page of a list.
    pub further: bool,
}

impl Default for Look {
    fn default() -> Look {
        Look { weight: 1, unfollowed: None, further: false }
    }
}

/// From here a page is on topic.
pub(crate) const ON_TOPIC: f32 = 0.5;

impl SimWeb {
    /// Pages with these links, on these hosts; crawls begin at the first.
    pub fn new(links: &[Vec<u32>], hosts: Vec<u32>) -> SimWeb {
        let mut web = SimWeb { starts: vec![0], hosts, seeds: vec![0], ..SimWeb::default() };
        links.iter().for_each(|links| web.add_links(links.iter().copied()));
        web
    }

    /// The same, links still to be added page by page.
    pub(crate) fn of_hosts(hosts: Vec<u32>) -> SimWeb {
        SimWeb { starts: vec![0], hosts, seeds: vec![0], ..SimWeb::default() }
    }

    /// The links of the next page.
    pub(crate) fn add_links(&mut self, links: impl IntoIterator<Item = u32>) {
        self.targets.extend(links);
        self.starts.push(self.targets.len() as u64);
    }

    /// Pages have these URLs.
    pub(crate) fn name(&mut self, urls: Vec<PageUrl>) {
        self.numbers = urls.iter().zip(0..).map(|(url, number)| (UrlKey::of(url), number)).collect();
        self.urls = urls;
    }

    /// How many pages.
    pub fn pages(&self) -> u32 {
        self.hosts.len() as u32
    }

    /// Where crawls begin.
    pub fn seeds(&self) -> &[u32] {
        &self.seeds
    }

    /// The links of a page.
    pub fn links(&self, page: u32) -> &[u32] {
        &self.targets[self.places(page)]
    }

    /// The place of a page's links among all.
    pub(crate) fn places(&self, page: u32) -> std::ops::Range<usize> {
        let page = page as usize;
        self.starts[page] as usize..self.starts[page + 1] as usize
    }

    /// The URL of a page.
    pub fn url(&self, page: u32) -> Result<PageUrl, SimulateError> {
        if let Some(url) = self.urls.get(page as usize) {
            return Ok(url.clone());
        }
        let host = self.hosts.get(page as usize).ok_or(SimulateError::NoPage(page))?;
        PageUrl::parse(&format!("http://h{host}.test/{page}")).map_err(|_| SimulateError::NoPage(page))
    }

    /// The page of a URL.
    pub(crate) fn page(&self, url: &PageUrl) -> Option<u32> {
        if !self.urls.is_empty() {
            return self.numbers.get(&UrlKey::of(url)).copied();
        }
        let (_, number) = url.as_str().rsplit_once('/')?;
        number.parse().ok().filter(|page| *page < self.pages())
    }

    /// What asking for a page gives.
    pub fn says(&self, page: u32) -> Says {
        self.says.get(page as usize).cloned().unwrap_or_default()
    }

    /// The pause that the host of a page asks for.
    pub(crate) fn pause(&self, page: u32) -> Option<Duration> {
        let host = self.hosts.get(page as usize)?;
        let millis = self.pauses.get(*host as usize).filter(|millis| **millis > 0)?;
        Some(Duration::from_millis(u64::from(*millis)))
    }

    /// What was never asked for counts as a page without links from now on, for who asks how long all of it takes;
    /// it takes as long as others of its host. How many there were.
    pub fn take_unknown_for_pages(&mut self) -> u64 {
        let mut hosts: HashMap<u32, (u64, u64)> = HashMap::new();
        for (host, millis) in self.hosts.iter().zip(&self.millis).filter(|(_, millis)| **millis > 0) {
            let (sum, count) = hosts.entry(*host).or_default();
            (*sum, *count) = (*sum + u64::from(*millis), *count + 1);
        }
        let all = hosts.values().fold((0, 0), |all, host| (all.0 + host.0, all.1 + host.1));
        let mut unknown = 0;
        for (page, says) in self.says.iter_mut().enumerate().filter(|(_, says)| **says == Says::Unknown) {
            *says = Says::Page;
            unknown += 1;
            let (sum, count) = self.hosts.get(page).and_then(|host| hosts.get(host)).unwrap_or(&all);
            if let Some(millis) = self.millis.get_mut(page) {
                *millis = (sum / (*count).max(1)) as u32;
            }
        }
        unknown
    }

    /// True when pages have a relevance.
    pub fn has_topic(&self) -> bool {
        !self.relevance.is_empty()
    }

    /// A page's relevance, from 0 to 1.
    pub fn relevance(&self, page: u32) -> f32 {
        self.relevance.get(page as usize).copied().unwrap_or(0.0)
    }

    /// True when a page is on topic.
    pub fn is_on_topic(&self, page: u32) -> bool {
        self.relevance(page) >= ON_TOPIC
    }

    /// Pages that are pages, of which one can be reached from the seeds only by others that are.
    pub fn reachable(&self, seeds: &[u32]) -> Vec<bool> {
        let mut seen = vec![false; self.pages() as usize];
        let mut waiting: Vec<u32> = seeds.to_vec();
        while let Some(page) = waiting.pop() {
            if page >= self.pages() || std::mem::replace(&mut seen[page as usize], true) {
                continue;
            }
            match self.says(page) {
                Says::Page => waiting.extend_from_slice(self.links(page)),
                Says::Redirect(to) => waiting.push(to),
                _ => {}
            }
        }
        seen
    }
}
