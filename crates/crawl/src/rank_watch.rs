//! What an order needs to know of waiting URLs, found out on a thread of its own: ranks, whenever a third more was read,
//! and after a restart what links say and promise, of all that is committed.

use std::collections::BinaryHeap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use archive::tables::{LINKS, VISITS};
use frontier::{Frontier, KnownLinks, PromisedUrl, RANK_TOLERANCE, Recollection};
use graph::PageRank;
use kv::{Reader, Snapshot, Store};
use model::{CrawlId, CrawlSettings, HostKey, UrlKey};

use crate::promises::promises;
use crate::topic::topic_tag;
use crate::{CrawlError, topic_of};

/// Pages at most whose links are read again after a restart: the first, which are the most important to most orders.
const MOST_PAGES: usize = 1 << 18;

/// After a restart of a small crawl the first lease waits for what was known before, so that it goes on as if it had
/// never stopped; a large one goes on meanwhile.
const AT_FIRST: Duration = Duration::from_millis(250);

/// Knowledge in the making.
#[derive(Default)]
pub(crate) struct RankWatch {
    under_way: Option<Search>,
    waited: bool,
}

/// A thread, and where its end is told.
type Search = (JoinHandle<Result<Found, CrawlError>>, Receiver<()>);

enum Found {
    Ranks(KnownLinks, Vec<f32>),
    Links(Box<Recollection>),
    /// By the topic of this tag.
    Promises(Vec<PromisedUrl>, u16),
}

/// What to find out.
enum Want {
    Ranks(KnownLinks),
    Links,
    Promises,
}

impl RankWatch {
    /// Hands over what is done, and begins anew when something is wanted. Waits only at the very first, and not long,
    /// unless it is to `wait` for all that is wanted.
    pub(crate) fn turn(
        &mut self,
        store: &Store,
        frontier: &mut Frontier,
        id: CrawlId,
        settings: &CrawlSettings,
        wait: bool,
    ) {
        let first = !std::mem::replace(&mut self.waited, true);
        loop {
            if self.under_way.is_none() {
                self.begin(store, frontier, id, settings);
            }
            let Some((thread, done)) = &self.under_way else { return };
            // Joining waits.
            let ended = wait || first && done.recv_timeout(AT_FIRST) == Err(RecvTimeoutError::Disconnected);
            if !ended && !thread.is_finished() {
                return;
            }
            self.hand_over(frontier, id, settings);
            if !first && !wait {
                return;
            }
        }
    }

    fn begin(&mut self, store: &Store, frontier: &Frontier, id: CrawlId, settings: &CrawlSettings) {
        let want = if frontier.wants_promises(id) {
            Want::Promises
        } else if frontier.wants_links(id) {
            Want::Links
        } else if frontier.wants_ranks(id) {
            Want::Ranks(frontier.known_links(id))
        } else {
            return;
        };
        let (snapshot, settings) = (store.snapshot(), settings.clone());
        let (tell, done) = channel::<()>();
        let find = move || {
            // Dropped at the end, whatever happens.
            let _tell = tell;
            match want {
                Want::Promises => {
                    let tag = topic_tag(&settings);
                    Ok(Found::Promises(promised_of(&snapshot, id, &settings, tag)?, tag))
                }
                Want::Links => Ok(Found::Links(Box::new(recollect(&snapshot, id)?))),
                Want::Ranks(known) => {
                    let ranks = ranks(&known);
                    Ok(Found::Ranks(known, ranks))
                }
            }
        };
        let thread = std::thread::Builder::new().name("ranks".to_owned());
        // Without a thread the estimate has to do; the next turn tries again.
        self.under_way = thread.spawn(find).ok().map(|thread| (thread, done));
    }

    fn hand_over(&mut self, frontier: &mut Frontier, id: CrawlId, settings: &CrawlSettings) {
        match self.under_way.take().map(|(thread, _)| thread.join()) {
            Some(Ok(Ok(Found::Ranks(known, ranks)))) => {
                tracing::debug!(crawl = id.0, urls = ranks.len(), "new ranks for the order");
                frontier.set_ranks(id, &known, &ranks);
            }
            Some(Ok(Ok(Found::Links(before)))) => {
                tracing::debug!(crawl = id.0, "what links say is known again");
                frontier.set_links(id, *before);
            }
            // The topic has changed meanwhile: they are gathered anew.
            Some(Ok(Ok(Found::Promises(_, tag)))) if tag != topic_tag(settings) => {}
            Some(Ok(Ok(Found::Promises(promised, _)))) => {
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
    } else if frontier.wants_links(id) {
        frontier.set_links(id, Recollection::default());
    } else {
        frontier.set_ranks(id, &frontier.known_links(id), &[]);
    }
}

/// What the links of all pages say, in the order in which the pages were fetched.
fn recollect(snapshot: &Snapshot, id: CrawlId) -> Result<Recollection, CrawlError> {
    let mut first: BinaryHeap<(u64, UrlKey)> = BinaryHeap::new();
    let mut last = None;
    for row in snapshot.prefix(&VISITS, &id.0).keys() {
        let (_, host, page, start) = row?;
        let key = UrlKey { host: HostKey(host), page };
        // Visits of a page lie together, the first of them first.
        if last.replace(key) != Some(key) {
            first.push((start, key));
        }
        if first.len() > MOST_PAGES {
            first.pop();
        }
    }
    let mut known = Recollection::default();
    for (_, key) in first.into_sorted_vec() {
        if known.is_full() {
            break;
        }
        if let Some(links) = snapshot.get(&LINKS, &(id.0, key.host.0, key.page))? {
            let followed = links.edges.iter().filter(|edge| edge.followed);
            known.page(key, followed.map(|edge| (edge.target, edge.look.weight())));
        }
    }
    Ok(known)
}

fn promised_of(
    snapshot: &Snapshot,
    id: CrawlId,
    settings: &CrawlSettings,
    tag: u16,
) -> Result<Vec<PromisedUrl>, CrawlError> {
    topic_of(settings)?.map_or_else(|| Ok(Vec::new()), |topic| promises(snapshot, id, &topic, tag))
}

impl Drop for RankWatch {
    /// The thread reads the store, which may be closed after the run.
    fn drop(&mut self) {
        if let Some((thread, _)) = self.under_way.take() {
            let _ = thread.join();
        }
    }
}

/// The ranks of known links, each as a multiple of the least.
fn ranks(known: &KnownLinks) -> Vec<f32> {
    let solve = PageRank { tolerance: RANK_TOLERANCE, ..PageRank::default() };
    solve.forward(known.estimates(), || known.pages()).multiples()
}
