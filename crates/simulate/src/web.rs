//! A Web of numbers: pages, their links, and the host of each.

use model::PageUrl;

use crate::SimulateError;

/// Pages by number, with their links and hosts.
#[derive(Clone, Debug)]
pub struct SimWeb {
    /// Where the links of each page begin; one more for the end.
    starts: Vec<u64>,
    targets: Vec<u32>,
    hosts: Vec<u32>,
}

/// A generated Web: a tree through which every page can be reached, and links to popular pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    /// Everything follows from it.
    pub seed: u64,
    /// How many pages; the first is where a crawl begins.
    pub pages: u32,
    /// On how many hosts, by turns.
    pub hosts: u32,
    /// Links on a page besides those of the tree, on the average.
    pub links: f64,
    /// How unevenly pages are linked to: the n-th most popular has a share of about n^(1/skew − 1).
    pub skew: f64,
}

impl Default for PowerLaw {
    fn default() -> PowerLaw {
        PowerLaw { seed: 1, pages: 60_000, hosts: 1, links: 8.0, skew: 4.0 }
    }
}

/// Links on one page at most.
const MOST_LINKS: usize = 1_000;

impl PowerLaw {
    /// The Web of this shape.
    pub fn web(&self) -> SimWeb {
        let mut dice = Dice(self.seed);
        let pages = self.pages as usize;
        // Popularity has nothing to do with numbers, that is, with the tree.
        let mut by_popularity: Vec<u32> = (0..self.pages).collect();
        for last in (1..pages).rev() {
            by_popularity.swap(last, dice.below(last as u64 + 1) as usize);
        }
        let mut links: Vec<Vec<u32>> = vec![Vec::new(); pages];
        for page in 1..self.pages {
            let parent = (f64::from(page) * dice.share()) as usize;
            links[parent].push(page);
        }
        for (page, links) in links.iter_mut().enumerate() {
            let count = (-self.links * (1.0 - dice.share()).ln()) as usize;
            for _ in 0..count.min(MOST_LINKS) {
                let target = by_popularity[(dice.share().powf(self.skew) * pages as f64) as usize];
                if target as usize != page && !links.contains(&target) {
                    links.push(target);
                }
            }
        }
        let hosts = (0..self.pages).map(|page| page % self.hosts.max(1)).collect();
        SimWeb::new(&links, hosts)
    }
}

impl SimWeb {
    /// Pages with these links, on these hosts.
    pub fn new(links: &[Vec<u32>], hosts: Vec<u32>) -> SimWeb {
        let mut starts = vec![0];
        let mut targets = Vec::new();
        for links in links {
            targets.extend_from_slice(links);
            starts.push(targets.len() as u64);
        }
        SimWeb { starts, targets, hosts }
    }

    /// How many pages.
    pub fn pages(&self) -> u32 {
        self.hosts.len() as u32
    }

    /// The links of a page.
    pub fn links(&self, page: u32) -> &[u32] {
        let page = page as usize;
        &self.targets[self.starts[page] as usize..self.starts[page + 1] as usize]
    }

    /// The URL of a page.
    pub fn url(&self, page: u32) -> Result<PageUrl, SimulateError> {
        let host = self.hosts.get(page as usize).ok_or(SimulateError::NoPage(page))?;
        PageUrl::parse(&format!("http://h{host}.test/{page}")).map_err(|_| SimulateError::NoPage(page))
    }

    /// The page of a URL.
    pub(crate) fn page(&self, url: &PageUrl) -> Option<u32> {
        let (_, number) = url.as_str().rsplit_once('/')?;
        number.parse().ok().filter(|page| *page < self.pages())
    }
}

/// Numbers without pattern, the same for the same seed everywhere (splitmix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// From 0 to below 1.
    fn share(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, count: u64) -> u64 {
        self.number() % count.max(1)
    }
}
