//! What is known of waiting URLs from the pages that link to them: in-links, an estimate of PageRank, cash.
//!
//! It is held in memory and kept nowhere: links are rows of the archive, from which it can be gathered again by
//! [`Importance::page`], page by page. An entry takes some forty bytes; their number is bounded.

use std::collections::{BTreeSet, HashMap};

use model::{HostKey, UrlKey};

use crate::Offer;

/// Entries at most: further URLs count as if nothing was known of them. An order must not need more memory than a crawl.
const MOST: usize = 1 << 20;

/// URLs at most that wait to be put at their new place.
const MOST_CHANGED: usize = 1 << 18;

/// What a page hands on of its relevance (δ), and what counts of it beside the link itself (γ): shark-search.
const INHERITED: f32 = 0.5;
const OF_INHERITED: f32 = 0.5;

/// How often a link is followed.
const DAMPING: f32 = 0.85;

/// Pages up to which every page makes an epoch; later ones come with every fiftieth part more.
const EVERY_PAGE: u64 = 512;

/// Pages before ranks are first wanted; then with every third part more.
const FIRST_RANKS: u64 = 1_000;

/// What links say of the URLs of a crawl.
#[derive(Debug, Default)]
pub(crate) struct Importance {
    facts: HashMap<u64, Facts>,
    /// Pages and links on them, by host.
    hosts: HashMap<HostKey, (u64, u64)>,
    /// URLs of which more is known than when they were put into their queue; sorted, so that a crawl can be repeated.
    changed: HashMap<HostKey, BTreeSet<u128>>,
    changes: usize,
    pages: u64,
    epoch: u64,
    next_epoch: u64,
    /// Pages at which ranks are wanted again.
    next_ranks: u64,
    /// Pages were read before the process began, and what they say of links is not known again.
    forgot: bool,
    forgot_promises: bool,
}

/// A waiting URL and what all known links say of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedUrl {
    /// The URL.
    pub key: UrlKey,
    /// Its PageRank, where the mean of all known URLs is 1.
    pub rank: f64,
    /// Pages that link to it.
    pub in_links: u32,
}

/// A waiting URL and what the pages before it promise of its relevance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PromisedUrl {
    /// The URL.
    pub key: UrlKey,
    /// Relevance of the most relevant page that links to it.
    pub parent_relevance: f32,
    /// The most that a page hands on to it, as [`handed_on`] says.
    pub inherited: f32,
    /// The most that a link to it promises, as [`hope`] says.
    pub promise: f32,
}

/// What a page hands on of its relevance, or else of what it inherited.
pub fn handed_on(on_topic: bool, relevance: f32, inherited: f32) -> f32 {
    INHERITED * if on_topic { relevance } else { inherited }
}

/// What is promised by a link on a page that hands on so much.
pub fn hope(handed_on: f32, promise: f32) -> f32 {
    OF_INHERITED * handed_on + (1.0 - OF_INHERITED) * promise
}

/// What links say of a URL.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    /// Pages that link to it.
    pub(crate) in_links: u32,
    /// What they hand on of their rank.
    pub(crate) rank: f32,
    /// What they hand on of their cash.
    pub(crate) cash: f32,
    /// Relevance of the most relevant of them.
    pub(crate) parent_relevance: f32,
    /// What they hand on of their relevance, or of what they inherited.
    pub(crate) inherited: f32,
    /// That and what the links to it promise.
    pub(crate) promise: f32,
}

/// What a page has to do with the crawl's topic.
#[derive(Clone, Debug, PartialEq)]
pub struct PageTopic {
    /// Its relevance by the measure of the topic.
    pub value: f32,
    /// The same from 0 to 1.
    pub relevance: f32,
    /// It is on topic.
    pub on_topic: bool,
    /// What each of its links promises by its own words, from 0 to 1; of further ones nothing is known.
    pub promises: Vec<f32>,
}

impl Importance {
    /// Of a crawl that has read so many pages.
    pub(crate) fn new(pages: u64) -> Importance {
        Importance { pages, forgot: pages > 0, forgot_promises: pages > 0, ..Importance::default() }
    }

    /// A page was read: it hands on its rank and its cash over its links, by their weights.
    pub(crate) fn page(&mut self, key: UrlKey, depth: u32, links: &[Offer], topic: Option<&PageTopic>) {
        let own = self.facts.remove(&slot(key)).unwrap_or_default();
        // A start URL is taken for relevant until it is known better.
        let inherited = if depth == 0 { 1.0 } else { own.inherited };
        let handed_on = topic.map(|topic| handed_on(topic.on_topic, topic.relevance, inherited));
        let rank = self.rank_of(own) as f32;
        // A start URL begins with something to hand on.
        let cash = if own.in_links == 0 { 1.0 } else { own.cash };
        let promise = |at: usize| topic.and_then(|topic| topic.promises.get(at)).copied().unwrap_or(0.0);
        let mut targets: Vec<(UrlKey, u8, f32)> = links
            .iter()
            .enumerate()
            .filter(|(_, link)| link.unfollowed.is_none() && link.key != key)
            .map(|(at, link)| (link.key, link.weight.max(1), promise(at)))
            .collect();
        targets.sort_unstable_by_key(|(key, weight, _)| (*key, u8::MAX - weight));
        // Of several links to one page the weightiest counts, and the most promising.
        targets.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.2 = kept.2.max(next.2);
            }
            same
        });
        let all: f32 = targets.iter().map(|(_, weight, _)| f32::from(*weight)).sum();
        let host = self.hosts.entry(key.host).or_default();
        host.0 += 1;
        host.1 += targets.len() as u64;
        for (target, weight, promise) in targets {
            let share = f32::from(weight) / all;
            let full = self.facts.len() >= MOST;
            let slot = slot(target);
            if full && !self.facts.contains_key(&slot) {
                continue;
            }
            let facts = self.facts.entry(slot).or_default();
            facts.in_links = facts.in_links.saturating_add(1);
            facts.rank += DAMPING * rank * share;
            facts.cash += cash * share;
            if let (Some(handed_on), Some(topic)) = (handed_on, topic) {
                facts.parent_relevance = facts.parent_relevance.max(topic.relevance);
                facts.inherited = facts.inherited.max(handed_on);
                facts.promise = facts.promise.max(hope(handed_on, promise));
            }
            if self.changes < MOST_CHANGED && self.changed.entry(target.host).or_default().insert(target.page)
            {
                self.changes += 1;
            }
        }
        self.pages += 1;
        if self.pages >= self.next_epoch {
            self.epoch += 1;
            self.next_epoch =
                if self.pages < EVERY_PAGE { self.pages + 1 } else { self.pages + self.pages / 50 };
        }
    }

    /// True when so much was read since that ranks computed of all known links would tell more than the estimate.
    pub(crate) fn wants_ranks(&self) -> bool {
        self.forgot || self.pages >= self.next_ranks.max(FIRST_RANKS)
    }

    /// Takes ranks that were computed of all known links in place of the estimate.
    pub(crate) fn set_ranks(&mut self, ranked: impl IntoIterator<Item = RankedUrl>) {
        self.forgot = false;
        self.next_ranks = self.pages + self.pages / 3;
        self.epoch += 1;
        for RankedUrl { key, rank, in_links } in ranked {
            let slot = slot(key);
            if self.facts.len() >= MOST && !self.facts.contains_key(&slot) {
                continue;
            }
            let facts = self.facts.entry(slot).or_default();
            facts.rank = (rank as f32 - (1.0 - DAMPING)).max(0.0);
            facts.in_links = facts.in_links.max(in_links);
            if self.changes < MOST_CHANGED && self.changed.entry(key.host).or_default().insert(key.page) {
                self.changes += 1;
            }
        }
    }

    /// True when what pages promised before the process began is not known.
    pub(crate) fn wants_promises(&self) -> bool {
        self.forgot_promises
    }

    /// Takes what all fetched pages promise, beside what was gathered since.
    pub(crate) fn set_promises(&mut self, promised: impl IntoIterator<Item = PromisedUrl>) {
        self.forgot_promises = false;
        self.epoch += 1;
        for PromisedUrl { key, parent_relevance, inherited, promise } in promised {
            let slot = slot(key);
            if self.facts.len() >= MOST && !self.facts.contains_key(&slot) {
                continue;
            }
            let facts = self.facts.entry(slot).or_default();
            facts.parent_relevance = facts.parent_relevance.max(parent_relevance);
            facts.inherited = facts.inherited.max(inherited);
            facts.promise = facts.promise.max(promise);
            if self.changes < MOST_CHANGED && self.changed.entry(key.host).or_default().insert(key.page) {
                self.changes += 1;
            }
        }
    }

    /// True while a host has URLs that wait for their new place.
    pub(crate) fn has_changed(&self, host: HostKey) -> bool {
        self.changed.contains_key(&host)
    }

    /// What is known of a URL.
    pub(crate) fn of(&self, key: UrlKey) -> Facts {
        self.facts.get(&slot(key)).copied().unwrap_or_default()
    }

    /// The rank that these facts make, where the mean of all pages is about 1.
    pub(crate) fn rank_of(&self, facts: Facts) -> f64 {
        f64::from(1.0 - DAMPING) + f64::from(facts.rank)
    }

    /// Links on a page of a host, on the average.
    pub(crate) fn links_on(&self, host: HostKey) -> f64 {
        match self.hosts.get(&host) {
            Some((pages, links)) if *pages > 0 => *links as f64 / *pages as f64,
            _ => 0.0,
        }
    }

    /// Grows when waiting URLs are to be looked at again.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Small crawls take one URL at a time, so that each page counts for the next choice.
    pub(crate) fn is_young(&self) -> bool {
        self.pages < EVERY_PAGE
    }

    /// Takes some of a host's URLs of which more is known.
    pub(crate) fn take_changed(&mut self, host: HostKey, most: usize) -> Vec<u128> {
        let Some(changed) = self.changed.get_mut(&host) else { return Vec::new() };
        let taken: Vec<u128> = std::iter::from_fn(|| changed.pop_first()).take(most).collect();
        if changed.is_empty() {
            self.changed.remove(&host);
        }
        self.changes -= taken.len();
        taken
    }
}

/// The name of a URL here: two URLs of one name would share their facts, which changes an order and nothing else.
fn slot(key: UrlKey) -> u64 {
    key.host.0 ^ key.page as u64
}
