//! A Web of numbers: pages, their links, the host of each, and what asking for each gives.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frontier::Unfollowed;
use model::{ErrorKind, PageUrl, UrlKey};

use crate::SimulateError;
use crate::replay::History;

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
    /// What a list calls them.
    pub(crate) names: Vec<String>,
    /// What asking for a page gives; without, a page.
    pub(crate) says: Vec<Says>,
    /// How each link looks; without, they are plain.
    pub(crate) looks: Vec<Look>,
    /// What each link weighs, where that is more than its look can say.
    pub(crate) weights: Vec<f32>,
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
    /// How its crawl went, of a crawl with one connection.
    pub(crate) history: Option<Arc<History>>,
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

    /// What a page is called: its name in a list, else its URL.
    pub fn label(&self, page: u32) -> String {
        let name = self.names.get(page as usize).cloned();
        name.unwrap_or_else(|| self.url(page).map(|url| url.to_string()).unwrap_or_default())
    }

    /// Crawls begin at these names or URLs; where the Web says, if there are none.
    pub fn begin_at(&mut self, start: &[String]) -> Result<(), SimulateError> {
        let number = |name: &String| {
            let named = self.names.iter().zip(0..).find(|(other, _)| *other == name).map(|(_, page)| page);
            let by_url = || self.numbers.get(&UrlKey::of(&PageUrl::parse(name).ok()?)).copied();
            named.or_else(by_url).ok_or_else(|| SimulateError::UnknownStart(name.clone()))
        };
        if !start.is_empty() {
            self.seeds = start.iter().map(number).collect::<Result<_, _>>()?;
        }
        Ok(())
    }

    /// What a link weighs, by its place among all.
    pub(crate) fn weight(&self, at: usize) -> f32 {
        let by_look = || self.looks.get(at).copied().unwrap_or_default().weight.into();
        self.weights.get(at).copied().unwrap_or_else(by_look)
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

    /// What was never asked for counts as a page without links from now on, for who asks how long all of it takes; it
    /// takes as long and is as large as others of its host. Which they are.
    pub fn take_unknown_for_pages(&mut self) -> Vec<u32> {
        let is_unknown = |page: &u32| self.says.get(*page as usize) == Some(&Says::Unknown);
        let unknown: Vec<u32> = (0..self.pages()).filter(is_unknown).collect();
        fill_in(&self.hosts, &mut self.millis, &unknown, |_| true);
        let says = &self.says;
        fill_in(&self.hosts, &mut self.bytes, &unknown, |page| says.get(page) == Some(&Says::Page));
        unknown.iter().for_each(|page| self.says[*page as usize] = Says::Page);
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

/// Gives pages the mean of what is known of the pages of their host that count, or of all where nothing is; 0 is nothing
/// known.
fn fill_in(hosts: &[u32], of_pages: &mut [u32], pages: &[u32], counts: impl Fn(usize) -> bool) {
    let mut sums: HashMap<u32, (u64, u64)> = HashMap::new();
    let known = hosts.iter().zip(&*of_pages).enumerate().filter(|(_, (_, known))| **known > 0);
    for (_, (host, known)) in known.filter(|(page, _)| counts(*page)) {
        let (sum, count) = sums.entry(*host).or_default();
        (*sum, *count) = (*sum + u64::from(*known), *count + 1);
    }
    let all = sums.values().fold((0, 0), |all, host| (all.0 + host.0, all.1 + host.1));
    for page in pages {
        let (sum, count) = hosts.get(*page as usize).and_then(|host| sums.get(host)).unwrap_or(&all);
        if let Some(of_page) = of_pages.get_mut(*page as usize) {
            *of_page = (sum / (*count).max(1)) as u32;
        }
    }
}
