//! What an order needs to know of waiting URLs, computed of all that is committed on a thread of its own: ranks, whenever
//! a third more was read, and what links promise of the topic, after a restart.

use std::thread::JoinHandle;

use frontier::tables::URLS;
use frontier::{Frontier, PromisedUrl, RankedUrl};
use graph::{PageRank, Preference};
use kv::{Reader, Snapshot, Store};
use model::{CrawlId, CrawlSettings, HostKey, Outcome, UrlKey};

use crate::promises::promises;
use crate::{CrawlError, LinkGraph, LinkWeights, topic_of};

/// An order needs no more exact ranks.
const TOLERANCE: f64 = 1e-4;

/// Knowledge in the making.
#[derive(Default)]
pub(crate) struct RankWatch {
    under_way: Option<JoinHandle<Result<Found, CrawlError>>>,
}

enum Found {
    Ranks(Vec<RankedUrl>),
    Promises(Vec<PromisedUrl>),
}

impl RankWatch {
    /// Hands over what is done, and begins anew when something is wanted. Never waits.
    pub(crate) fn turn(
        &mut self,
        store: &Store,
        frontier: &mut Frontier,
        id: CrawlId,
        settings: &CrawlSettings,
    ) {
        match &self.under_way {
            Some(thread) if !thread.is_finished() => return,
            Some(_) => {}
            None => {
                let promised = frontier.wants_promises(id);
                if promised || frontier.wants_ranks(id) {
                    let (snapshot, settings) = (store.snapshot(), settings.clone());
                    let find = move || match promised {
                        true => Ok(Found::Promises(promised_of(&snapshot, id, &settings)?)),
                        false => Ok(Found::Ranks(ranks(&snapshot, id)?)),
                    };
                    let thread = std::thread::Builder::new().name("ranks".to_owned());
                    // Without a thread the estimate has to do; the next turn tries again.
                    self.under_way = thread.spawn(find).ok();
                }
                return;
            }
        }
        match self.under_way.take().map(JoinHandle::join) {
            Some(Ok(Ok(Found::Ranks(ranked)))) => {
                tracing::debug!(crawl = id.0, urls = ranked.len(), "new ranks for the order");
                frontier.set_ranks(id, ranked);
            }
            Some(Ok(Ok(Found::Promises(promised)))) => {
                tracing::debug!(crawl = id.0, urls = promised.len(), "what links promise is known again");
                frontier.set_promises(id, promised);
            }
            Some(Ok(Err(error))) => {
                tracing::warn!(crawl = id.0, %error, "no ranks; the order goes on with its estimate");
                give_up(frontier, id);
            }
            // A panic was reported by its thread.
            Some(Err(_)) => give_up(frontier, id),
            None => {}
        }
    }
}

/// What could not be had is not asked for again at once.
fn give_up(frontier: &mut Frontier, id: CrawlId) {
    if frontier.wants_promises(id) {
        frontier.set_promises(id, []);
    } else {
        frontier.set_ranks(id, []);
    }
}

fn promised_of(
    snapshot: &Snapshot,
    id: CrawlId,
    settings: &CrawlSettings,
) -> Result<Vec<PromisedUrl>, CrawlError> {
    topic_of(settings)?.map_or_else(|| Ok(Vec::new()), |topic| promises(snapshot, id, &topic))
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
