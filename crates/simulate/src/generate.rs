//! Made-up Webs: a tree through which every page can be reached, links to popular pages, and perhaps a topic.

use model::ErrorKind;

use crate::SimWeb;
use crate::web::Says;

/// A generated Web. Everything follows from these numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    /// Makes another Web of the same shape.
    pub seed: u64,
    /// How many pages; the first is where a crawl begins.
    pub pages: u32,
    /// On how many hosts, by turns.
    pub hosts: u32,
    /// Links on a page besides those of the tree, on the average.
    pub links: f64,
    /// How unevenly pages are linked to: the n-th most popular has a share of about n^(1/skew − 1).
    pub skew: f64,
    /// Share of pages that are on topic; 0 = there is none.
    pub topic: f64,
    /// How often a page on topic is found on one, and links to one, whatever else it might.
    pub together: f64,
    /// How often the words of a link to a page on topic say so; one in ten of that, of links to others.
    pub telling: f64,
    /// Share of pages that answer with a failure.
    pub failures: f64,
    /// How often a page changes in a simulated day, on the average: most seldom, few often. 0 = never.
    pub changes: f64,
    /// Milliseconds that the slowest host takes for an answer; 0 = the plan says. Others take less.
    pub slowest: u32,
}

impl Default for PowerLaw {
    fn default() -> PowerLaw {
        PowerLaw {
            seed: 1,
            pages: 60_000,
            hosts: 1,
            links: 8.0,
            skew: 4.0,
            topic: 0.0,
            together: 0.6,
            telling: 0.5,
            failures: 0.0,
            changes: 0.0,
            slowest: 0,
        }
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
        let mut topical = Dice(self.seed ^ 0x5eed_0f70_91c5);
        let relevance = self.relevance(&mut topical);
        let on_topic: Vec<u32> =
            (0..self.pages).filter(|page| relevance.get(*page as usize).is_some_and(|r| *r >= 0.5)).collect();
        let is_on_topic = |page: u32| relevance.get(page as usize).is_some_and(|r| *r >= 0.5);
        let popular_on_topic: Vec<u32> =
            by_popularity.iter().copied().filter(|page| is_on_topic(*page)).collect();
        let mut links: Vec<Vec<u32>> = vec![Vec::new(); pages];
        for page in 1..self.pages {
            let mut parent = (f64::from(page) * dice.share()) as u32;
            if is_on_topic(page) && topical.share() < self.together {
                // Among those before it, so that it stays a tree.
                let before = on_topic.partition_point(|other| *other < page);
                parent =
                    on_topic[..before].get(topical.below(before as u64) as usize).copied().unwrap_or(parent);
            }
            links[parent as usize].push(page);
        }
        for (page, links) in links.iter_mut().enumerate() {
            let count = (-self.links * (1.0 - dice.share()).ln()) as usize;
            for _ in 0..count.min(MOST_LINKS) {
                let place = dice.share().powf(self.skew);
                let mut target = by_popularity[(place * pages as f64) as usize];
                if is_on_topic(page as u32) && topical.share() < self.together {
                    target = popular_on_topic[(place * popular_on_topic.len() as f64) as usize];
                }
                if target as usize != page && !links.contains(&target) {
                    links.push(target);
                }
            }
        }
        let hosts = (0..self.pages).map(|page| page % self.hosts.max(1)).collect();
        let mut web = SimWeb::new(&links, hosts);
        if self.topic > 0.0 {
            let told = |target: &u32| match is_on_topic(*target) {
                true => topical.share() < self.telling,
                false => topical.share() < self.telling / 10.0,
            };
            web.promises =
                links.iter().flatten().map(told).map(|told| if told { 0.8 } else { 0.0 }).collect();
            web.relevance = relevance;
        }
        self.weather(&mut web);
        web
    }

    fn relevance(&self, dice: &mut Dice) -> Vec<f32> {
        if self.topic <= 0.0 {
            return Vec::new();
        }
        let mut of = |_| match dice.share() < self.topic {
            true => 0.5 + 0.5 * dice.share() as f32,
            false => 0.4 * dice.share() as f32,
        };
        (0..self.pages).map(&mut of).collect()
    }

    /// Failures, slow hosts and changing pages.
    fn weather(&self, web: &mut SimWeb) {
        let mut dice = Dice(self.seed ^ 0x00fa_1105);
        if self.failures > 0.0 {
            let mut of = |page: u32| match page > 0 && dice.share() < self.failures {
                true => Says::Failed(ErrorKind::Status(500)),
                false => Says::Page,
            };
            web.says = (0..self.pages).map(&mut of).collect();
        }
        if self.slowest > 0 {
            let hosts: Vec<u32> =
                (0..self.hosts.max(1)).map(|_| 1 + dice.below(u64::from(self.slowest)) as u32).collect();
            web.millis = (0..self.pages).map(|page| hosts[(page % self.hosts.max(1)) as usize]).collect();
        }
        if self.changes > 0.0 {
            let mut of = |_| (-self.changes * (1.0 - dice.share()).ln()) as f32;
            web.changes = (0..self.pages).map(&mut of).collect();
        }
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
