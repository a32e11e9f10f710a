//! Ranks for the order of a crawl, computed of all committed links on a thread of its own, whenever a tenth more was read.

use std::thread::JoinHandle;

use frontier::tables::URLS;
use frontier::{Frontier, RankedUrl};
use graph::{PageRank, Preference};
use kv::{Reader, Snapshot, Store};
use model::{CrawlId, HostKey, Outcome, UrlKey};

use crate::{CrawlError, LinkGraph, LinkWeights};

/// An order needs no more exact ranks.
const TOLERANCE: f64 = 1e-4;

/// Ranks in the making.
#[derive(Default)]
pub(crate) struct RankWatch {
    under_way: Option<JoinHandle<Result<Vec<RankedUrl>, CrawlError>>>,
}

impl RankWatch {
    /// Hands over ranks that are done, and begins new ones when they are wanted. Never waits.
    pub(crate) fn turn(&mut self, store: &Store, frontier: &mut Frontier, id: CrawlId) {
        match &self.under_way {
            Some(thread) if !thread.is_finished() => return,
            Some(_) => {}
            None if !frontier.wants_ranks(id) => return,
            None => {
                let snapshot = store.snapshot();
                let thread = std::thread::Builder::new().name("ranks".to_owned());
                // Without a thread the estimate has to do; the next turn tries again.
                self.under_way = thread.spawn(move || ranks(&snapshot, id)).ok();
                return;
            }
        }
        match self.under_way.take().map(JoinHandle::join) {
            Some(Ok(Ok(ranked))) => {
                tracing::debug!(crawl = id.0, urls = ranked.len(), "new ranks for the order");
                frontier.set_ranks(id, ranked);
            }
            Some(Ok(Err(error))) => {
                tracing::warn!(crawl = id.0, %error, "no ranks; the order goes on with its estimate");
                frontier.set_ranks(id, []);
            }
            // A panic was reported by its thread.
            Some(Err(_)) => frontier.set_ranks(id, []),
            None => {}
        }
    }
}

impl Drop for RankWatch {
    /// The thread reads the store, which may be closed after the run.
    fn drop(&mut self) {
        if let Some(thread) = self.under_way.take() {
            let _ = thread.join();
        }
    }
}

/// The ranks of what waits.
fn ranks(snapshot: &Snapshot, id: CrawlId) -> Result<Vec<RankedUrl>, CrawlError> {
    let pages = LinkGraph::read(snapshot, id, &LinkWeights::default())?;
    let solve = PageRank { tolerance: TOLERANCE, threads: 1, ..PageRank::default() };
    let ranks = solve.of(&pages.links, Preference::Even).values;
    let mut ranked = Vec::new();
    for row in snapshot.prefix(&URLS, &id.0) {
        let ((_, host, page), record) = row?;
        let key = UrlKey { host: HostKey(host), page };
        if let (Outcome::Waiting, Some(number)) = (&record.outcome, pages.number(key)) {
            let rank = ranks[number as usize] * ranks.len() as f64;
            ranked.push(RankedUrl { key, rank, in_links: pages.links.in_links(number).count() as u32 });
        }
    }
    Ok(ranked)
}
