//! Crawl orders: which of a host's waiting URLs comes next.
//!
//! An order sees a [`Candidate`] and answers with a [`Priority`]; ties are broken by discovery. The same code
//! serves a real crawl and a simulated one. What a candidate is worth to links is gathered in `importance`.

use model::{CrawlSettings, PageUrl, Policy};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What an order may look at.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The URL.
    pub url: &'a PageUrl,
    /// Links on the shortest known path from a start URL.
    pub depth: u32,
    /// Known pages that link to it.
    pub in_links: u32,
    /// Its PageRank as far as it is known, where a page that nothing links to has 0.15.
    pub rank: f64,
    /// What fetched pages have handed on to it, each all that it had (OPIC).
    pub cash: f64,
    /// Links on it, or on a page of its host on the average.
    pub forward_links: f64,
    /// Pages that the crawl has kept.
    pub pages: u64,
    /// Relevance of the most relevant page that links to it, from 0 to 1.
    pub parent_relevance: f64,
    /// What its links and the pages before them promise of its relevance, from 0 to 1.
    pub promise: f64,
}

impl<'a> Candidate<'a> {
    /// A URL of which nothing but its depth is known.
    pub fn unknown(url: &'a PageUrl, depth: u32) -> Candidate<'a> {
        Candidate {
            url,
            depth,
            in_links: 0,
            rank: 0.0,
            cash: 0.0,
            forward_links: 0.0,
            pages: 0,
            parent_relevance: 0.0,
            promise: 0.0,
        }
    }
}

/// The larger, the sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Priority(pub u32);

impl Priority {
    /// Of a score from 0 to 1.
    pub(crate) fn of_score(score: f64) -> Priority {
        // The bits of floats that are not negative have their order.
        Priority((score.clamp(0.0, 1.0) as f32).to_bits())
    }

    /// The score that it was made of; any number if it was made of something else.
    pub(crate) fn score(self) -> f32 {
        f32::from_bits(self.0)
    }
}

/// A policy: how soon an unfetched URL is wanted.
pub trait CrawlOrder: Send + Sync {
    /// From 0 to 1; the larger, the sooner.
    fn score(&self, candidate: &Candidate<'_>) -> f64;

    /// The same as a place in the queue.
    fn priority(&self, candidate: &Candidate<'_>) -> Priority {
        Priority::of_score(self.score(candidate))
    }

    /// Turns in a round of each part of the sorted list, cut into as many; one part unless said.
    fn lanes(&self) -> &'static [usize] {
        &[1]
    }

    /// What it looks at; the URL and its depth alone unless said.
    fn needs(&self) -> Needs {
        Needs::default()
    }
}

/// What an order looks at, beside the URL and its depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Links to a URL; those of pages read before a restart count.
    pub links: bool,
    /// Ranks of all known links, which tell it more than what it gathers itself.
    pub ranks: bool,
    /// Links on the pages of a host: all its URLs change together, and are put in order together.
    pub host_links: bool,
    /// Relevance.
    pub topic: bool,
    /// How long hosts take: a page is not begun that may last beyond the crawl's deadline.
    pub times: bool,
    /// Nothing but links, not the URL or its depth.
    pub links_alone: bool,
    /// What alone decides, if it is one of these.
    pub worth: Worth,
}

impl Needs {
    /// Of an order that goes by one figure of links alone.
    fn worth(worth: Worth) -> Needs {
        Needs { links: true, links_alone: true, worth, ..Needs::default() }
    }

    /// True when the score of a waiting URL changes with what is found elsewhere.
    pub fn changes(&self) -> bool {
        self.links || self.topic
    }

    fn and(self, other: Needs) -> Needs {
        Needs {
            links: self.links || other.links,
            ranks: self.ranks || other.ranks,
            host_links: self.host_links || other.host_links,
            topic: self.topic || other.topic,
            times: self.times || other.times,
            links_alone: self.links_alone && other.links_alone,
            worth: Worth::Other,
        }
    }
}

/// What the odds of an order's score are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Worth {
    /// The rank of a URL.
    Rank,
    /// A tenth of the pages that link to it.
    InLinks,
    /// A hundred times what fetched pages have handed on to it.
    Cash,
    /// None of these.
    #[default]
    Other,
}

/// Level by level.
pub struct BreadthFirst;

/// The deepest level first.
pub struct DepthFirst;

/// What most known pages link to.
pub struct Backlink;

/// What links make most important: weighted PageRank of what is known, ties by in-links.
pub struct ByPageRank;

/// Pages with many links.
pub struct ForwardLink;

/// URLs of a promising shape: short paths, few parameters, a directory, HTML.
pub struct Location;

/// Links on it against links to it, after paper S1; in lanes, so that nothing starves.
pub struct PValue {
    /// Weight of links on it.
    pub forward: f64,
    /// Pages kept at which links to it weigh half as much.
    pub half_at: f64,
}

/// Pages found on relevant pages (paper S2); start URLs first.
pub struct ByRelevance;

/// What links and the pages before them promise (paper S4, shark-search); start URLs first.
pub struct ByTopic;

/// Level by level, as long as a page is likely to end before the crawl has to (paper S2).
pub struct TimedBreadthFirst;

/// Online importance: what fetched pages have handed on.
pub struct Opic;

/// No order at all, the same each time for the same number.
#[derive(Default)]
pub struct Random(pub u64);

/// Several orders, each with its share.
pub struct Mixed(pub Vec<(f64, Box<dyn CrawlOrder>)>);

impl CrawlOrder for BreadthFirst {
    fn score(&self, candidate: &Candidate<'_>) -> f64 {
        1.0 / (1.0 + f64::from(candidate.depth))
    }

    fn priority(&self, candidate: &Candidate<'_>) -> Priority {
        Priority(u32::MAX - candidate.depth)
    }
}

impl CrawlOrder for DepthFirst {
    fn score(&self, candidate: &Candidate<'_>) -> f64 {
        1.0 - BreadthFirst.score(candidate)
    }

    fn priority(&self, candidate: &Candidate<'_>) -> Priority {
        Priority(candidate.depth)
    }
}

impl CrawlOrder for Backlink {
    fn score(&self, candidate: &Candidate<'_>) -> f64 {
        share(f64::from(candidate.in_links), 10.0)
    }

    fn needs(&self) -> Needs {
        Needs::worth(Worth::InLinks)
    }
}

impl CrawlOrder for ByPageRank {
    fn score(&self, candidate: &Candidate<'_>) -> f64 {
        // Ranks that differ, differ by more.
        let tie = 1e-6 * share(f64::from(candidate.in_links), 10.0);
        (1.0 - 1e-6) * share(candidate.rank, 1.0) + tie
    }

    fn needs(&self) -> Needs {
        Needs { ranks: true, ..Needs::worth(Worth::Rank) }
    }
}

impl CrawlOrder for ForwardLink {
    fn score(&self, candidate: &Candidate<'_>) -> f64 {
        share(candidate.forward_links, 10.0)
    }

    fn needs(&self) -> Needs {
        Needs { links: true, host_links: true, ..Needs::default() }
    }
}

impl CrawlOrder for Location {
    fn score(&self, candidate: &Candidate<'_>) -> f64 {
        either_way(location(candidate.url), 10.0)
    }
}

impl Default for PValue {
    fn default() -> PValue {
        PValue { forward: 1.0, half_at: 10_000.0 }
    }
}

impl PValue {
    /// The value itself, any number.
    pub fn value(&self, candidate: &Candidate<'_>) -> f64 {
        let pages = candidate.pages as f64;
        let backward = if self.half_at > 0.0 { pages / (pages + self.half_at) } else { 1.0 };
        self.forward * candidate.forward_links - backward * f64::from(candidate.in_links)
    }
}

impl CrawlOrder for PValue {
    fn score(&self, candidate: &Candidate<'_>) -> f64 {
        either_way(self.value(candidate), 20.0)
    }

    fn lanes(&self) -> &'static [usize] {
        &[4, 2, 1]
    }

    fn needs(&self) -> Needs {
        Needs { links: true, host_links: true, ..Needs::default() }
    }
}

impl CrawlOrder for ByRelevance {
    fn score(&self, candidate: &Candidate<'_>) -> f64 {
        if candidate.depth == 0 { 1.0 } else { candidate.parent_relevance.clamp(0.0, 1.0) }
    }

    fn needs(&self) -> Needs {
        Needs { topic: true, ..Needs::default() }
    }
}

impl CrawlOrder for ByTopic {
    fn score(&self, candidate: &Candidate<'_>) -> f64 {
        if candidate.depth == 0 { 1.0 } else { candidate.promise.clamp(0.0, 1.0) }
    }

    fn needs(&self) -> Needs {
        Needs { topic: true, ..Needs::default() }
    }
}

impl CrawlOrder for TimedBreadthFirst {
    fn score(&self, candidate: &Candidate<'_>) -> f64 {
        BreadthFirst.score(candidate)
    }

    fn priority(&self, candidate: &Candidate<'_>) -> Priority {
        BreadthFirst.priority(candidate)
    }

    fn needs(&self) -> Needs {
        Needs { times: true, ..Needs::default() }
    }
}

impl CrawlOrder for Opic {
    fn score(&self, candidate: &Candidate<'_>) -> f64 {
        share(candidate.cash, 0.01)
    }

    fn needs(&self) -> Needs {
        Needs::worth(Worth::Cash)
    }
}

impl CrawlOrder for Random {
    fn score(&self, candidate: &Candidate<'_>) -> f64 {
        // Every 24 bits of it make another float.
        (xxh3_64_with_seed(candidate.url.as_str().as_bytes(), self.0) >> 40) as f64 / (1u64 << 24) as f64
    }
}

impl CrawlOrder for Mixed {
    fn score(&self, candidate: &Candidate<'_>) -> f64 {
        let all: f64 = self.0.iter().map(|(weight, _)| weight).sum();
        let sum: f64 = self.0.iter().map(|(weight, order)| weight * order.score(candidate)).sum();
        if all > 0.0 { sum / all } else { 0.0 }
    }

    /// The heaviest part has its turns, the first of several.
    fn lanes(&self) -> &'static [usize] {
        let heaviest = self.0.iter().rev().max_by(|a, b| a.0.total_cmp(&b.0));
        heaviest.map_or(&[1], |(_, order)| order.lanes())
    }

    fn needs(&self) -> Needs {
        self.0.iter().map(|(_, order)| order.needs()).reduce(Needs::and).unwrap_or_default()
    }
}

/// The order of a project's settings.
pub(crate) fn named(settings: &CrawlSettings) -> Box<dyn CrawlOrder> {
    let terms: Vec<(f64, Policy)> = settings.order.terms().collect();
    match terms[..] {
        [(_, policy)] => one(policy, settings),
        _ => Box::new(Mixed(
            terms.into_iter().map(|(weight, policy)| (weight, one(policy, settings))).collect(),
        )),
    }
}

/// The place in the queue of a URL of which nothing but its depth is known.
pub fn first_priority(settings: &CrawlSettings, url: &PageUrl, depth: u32) -> Priority {
    named(settings).priority(&Candidate::unknown(url, depth))
}

fn one(policy: Policy, settings: &CrawlSettings) -> Box<dyn CrawlOrder> {
    match policy {
        Policy::BreadthFirst => Box::new(BreadthFirst),
        Policy::DepthFirst => Box::new(DepthFirst),
        Policy::Backlink => Box::new(Backlink),
        Policy::PageRank => Box::new(ByPageRank),
        Policy::ForwardLink => Box::new(ForwardLink),
        Policy::Location => Box::new(Location),
        Policy::PValue => Box::new(PValue { half_at: settings.order_aging as f64, ..PValue::default() }),
        Policy::Relevance => Box::new(ByRelevance),
        Policy::Topic => Box::new(ByTopic),
        Policy::TimedBreadthFirst => Box::new(TimedBreadthFirst),
        Policy::Opic => Box::new(Opic),
        Policy::Random => Box::new(Random(settings.order_seed)),
    }
}

/// A number from 0 up as a share of 1: half at `half`.
fn share(number: f64, half: f64) -> f64 {
    let number = number.max(0.0);
    if number.is_finite() { number / (number + half) } else { 1.0 }
}

/// A number on either side of 0 as a share of 1.
fn either_way(number: f64, unit: f64) -> f64 {
    let number = number / unit;
    0.5 + 0.5 * number / (1.0 + number.abs())
}

/// What the shape of a URL is worth: −segments −2·parameters +3 for a directory +1 for a preferred ending.
fn location(url: &PageUrl) -> f64 {
    let rest = url.as_str().split_once("://").map_or("", |(_, rest)| rest);
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let segments = path.split('/').filter(|segment| !segment.is_empty()).count();
    let parameters = query.split('&').filter(|parameter| !parameter.is_empty()).count();
    let directory = if path.is_empty() || path.ends_with('/') { 3.0 } else { 0.0 };
    let preferred = if [".html", ".htm"].iter().any(|ending| path.ends_with(ending)) { 1.0 } else { 0.0 };
    directory + preferred - segments as f64 - 2.0 * parameters as f64
}

/// The order of service of a sorted list that is cut into lanes, each with its turns in a round: the places of the
/// list in the order they are served, when so many turns were served before.
pub(crate) fn interleaved(count: usize, lanes: &[usize], served: usize) -> Vec<usize> {
    let cut = |lane: usize| (2 * count * lane + lanes.len()) / (2 * lanes.len());
    let mut left: Vec<std::ops::Range<usize>> =
        (0..lanes.len()).map(|lane| cut(lane)..cut(lane + 1)).collect();
    let round: Vec<usize> =
        lanes.iter().enumerate().flat_map(|(lane, turns)| std::iter::repeat_n(lane, *turns)).collect();
    let mut order = Vec::with_capacity(count);
    for turn in served.. {
        if order.len() == count {
            break;
        }
        // A lane that is empty gives its turn to nobody.
        order.extend(left[round[turn % round.len()]].next());
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(url: &PageUrl) -> Candidate<'_> {
        Candidate::unknown(url, 0)
    }

    /// Paper S1's table: pages with links on them and to them.
    #[test]
    fn pvalue_orders_s1s_table_and_cuts_it_into_its_lists() {
        let url = PageUrl::parse("http://a.test/").unwrap();
        let order = PValue { forward: 1.0, half_at: 0.0 };
        let table = [("A", 13, 8), ("B", 22, 10), ("C", 17, 9), ("D", 10, 11), ("E", 5, 3)];
        let mut scored: Vec<(f64, f64, &str)> = table
            .iter()
            .map(|(name, forward, backward)| {
                let page =
                    Candidate { forward_links: f64::from(*forward), in_links: *backward, ..candidate(&url) };
                (order.score(&page), order.value(&page), *name)
            })
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let names: Vec<&str> = scored.iter().map(|(_, _, name)| *name).collect();
        assert_eq!(names, ["B", "C", "A", "E", "D"]);
        let values: Vec<f64> = scored.iter().map(|(_, value, _)| *value).collect();
        assert_eq!(values, [12.0, 8.0, 5.0, 2.0, -1.0]);
        // Lists {B, C} {A} {E, D}, four, two and one at a time.
        let served: Vec<&str> = interleaved(5, order.lanes(), 0).into_iter().map(|at| names[at]).collect();
        assert_eq!(served, ["B", "C", "A", "E", "D"]);
    }

    #[test]
    fn links_to_a_page_weigh_more_as_the_crawl_grows() {
        let url = PageUrl::parse("http://a.test/").unwrap();
        let value = |pages| {
            PValue::default().value(&Candidate {
                forward_links: 20.0,
                in_links: 10,
                pages,
                ..candidate(&url)
            })
        };
        assert_eq!(value(0), 20.0);
        assert_eq!(value(10_000), 15.0);
        assert!((value(1_000_000_000) - 10.0).abs() < 0.01);
    }

    #[test]
    fn lanes_are_served_four_to_two_to_one() {
        let lane = |at: usize| at / 7;
        let served: Vec<usize> = interleaved(21, &[4, 2, 1], 0).into_iter().map(lane).collect();
        assert_eq!(served, [0, 0, 0, 0, 1, 1, 2, 0, 0, 0, 1, 1, 2, 1, 1, 2, 1, 2, 2, 2, 2]);
        let later: Vec<usize> = interleaved(21, &[4, 2, 1], 5).into_iter().map(lane).collect();
        assert_eq!(later[..4], [1, 2, 0, 0]);
        for count in 0..30 {
            let mut all = interleaved(count, &[4, 2, 1], count);
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>(), "nothing is lost or served twice");
        }
        assert_eq!(interleaved(4, &[1], 3), [0, 1, 2, 3]);
    }

    #[test]
    fn a_short_url_comes_before_a_long_one() {
        let worth = |text: &str| location(&PageUrl::parse(text).unwrap());
        assert_eq!(worth("http://a.test/"), 3.0);
        assert_eq!(worth("http://a.test/a/b/"), 1.0);
        assert_eq!(worth("http://a.test/a/b.html"), -1.0);
        assert_eq!(worth("http://a.test/a/b?x=1&y=2"), -6.0);
    }

    #[test]
    fn every_score_is_a_share_and_larger_is_sooner() {
        let url = PageUrl::parse("http://a.test/a?b").unwrap();
        let low = Candidate::unknown(&url, 1);
        let high = Candidate {
            in_links: 50,
            rank: 9.0,
            cash: 0.5,
            forward_links: 90.0,
            promise: 0.9,
            parent_relevance: 0.7,
            ..low
        };
        for order in [&Backlink as &dyn CrawlOrder, &ByPageRank, &ForwardLink, &Opic, &ByRelevance, &ByTopic]
        {
            let (low, high) = (order.score(&low), order.score(&high));
            assert!((0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high) && low < high);
        }
        let extreme = Candidate { rank: f64::INFINITY, cash: f64::MAX, forward_links: f64::MAX, ..high };
        for policy in Policy::ALL {
            let score = one(policy, &CrawlSettings::default()).score(&extreme);
            assert!((0.0..=1.0).contains(&score), "{policy}: {score}");
        }
        assert!(Priority::of_score(0.3) > Priority::of_score(0.299_999));
    }

    #[test]
    fn mixed_orders_weigh_their_parts() {
        let url = PageUrl::parse("http://a.test/").unwrap();
        let known = Candidate { rank: 3.0, depth: 4, ..candidate(&url) };
        let near = Candidate { rank: 1.0, depth: 0, ..candidate(&url) };
        let score = |text: &str, page: &Candidate<'_>| {
            let order = text.parse().unwrap();
            named(&CrawlSettings { order, ..CrawlSettings::default() }).score(page)
        };
        let (ranks, levels) = ("0.9 pagerank + 0.1 breadth-first", "0.1 pagerank + 0.9 breadth-first");
        assert!(score(ranks, &known) > score(ranks, &near));
        assert!(score(levels, &known) < score(levels, &near));
    }
}
