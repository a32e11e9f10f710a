//! Replacing in a crawl: which pages of a full collection are given up, and for which URLs.

use frontier::tables::URLS;
use graph::{PageRank, Preference};
use kv::{Reader, Snapshot};
use model::{CrawlId, HostKey, Outcome, UrlKey};

use crate::{CrawlError, LinkGraph, LinkWeights};

/// How much more important a URL must be than the page it replaces: ranks move a little with every page.
const MARGIN: f64 = 1.25;

/// Precise enough for an order.
const TOLERANCE: f64 = 1e-4;

/// The importance of all URLs that a crawl knows, by their links; the mean is 1.
pub(crate) struct Importance {
    pages: LinkGraph,
    ranks: Vec<f64>,
}

impl Importance {
    /// By the links as they are.
    pub(crate) fn read(snapshot: &Snapshot, crawl: CrawlId) -> Result<Importance, CrawlError> {
        let pages = LinkGraph::read(snapshot, crawl, &LinkWeights::default())?;
        let solve = PageRank { tolerance: TOLERANCE, threads: 1, ..PageRank::default() };
        let ranks = solve.of(&pages.links, Preference::Even).values;
        Ok(Importance { pages, ranks })
    }

    /// The importance of a URL, if it is known.
    pub(crate) fn of(&self, key: UrlKey) -> Option<f64> {
        let number = self.pages.number(key)?;
        Some(self.ranks.get(number as usize)? * self.ranks.len() as f64)
    }

    /// Pages to give up, each with the URL that takes its place: the least important for the most important.
    pub(crate) fn replacements(
        &self,
        snapshot: &Snapshot,
        crawl: CrawlId,
    ) -> Result<Vec<(UrlKey, UrlKey)>, CrawlError> {
        let (mut kept, mut waiting) = (Vec::new(), Vec::new());
        for row in snapshot.prefix(&URLS, &crawl.0) {
            let ((_, host, page), record) = row?;
            let key = UrlKey { host: HostKey(host), page };
            let Some(rank) = self.of(key) else { continue };
            // What the project begins with stays.
            if record.outcome.is_page() && record.via.is_some() {
                kept.push((rank, key));
            } else if record.outcome == Outcome::Waiting {
                waiting.push((rank, key));
            }
        }
        kept.sort_by(|first, second| first.0.total_cmp(&second.0).then(first.1.cmp(&second.1)));
        waiting.sort_by(|first, second| second.0.total_cmp(&first.0).then(first.1.cmp(&second.1)));
        let worth = |(page, url): &(&(f64, UrlKey), &(f64, UrlKey))| url.0 > page.0 * MARGIN;
        Ok(kept.iter().zip(&waiting).take_while(worth).map(|(page, url)| (page.1, url.1)).collect())
    }
}
