//! What fetched pages and their links promise of what waits, out of the tables of a crawl: an order by topic goes on
//! with it after a restart, where it had gathered the same page by page.

use std::collections::{BinaryHeap, HashMap};

use archive::tables::LINKS;
use frontier::tables::{RELEVANCE, URLS, is_judged_by, relevance_of};
use frontier::{PromisedUrl, handed_on, hope, page_key};
use judge::topic::Topic;
use kv::{Reader, Snapshot};
use model::{CrawlId, HostKey, PageUrl, UrlKey};

use crate::CrawlError;

/// A page that was judged.
struct Judged {
    relevance: f32,
    on_topic: bool,
    /// It has handed on.
    done: bool,
}

/// What is promised of the URLs that wait.
pub(crate) fn promises(
    snapshot: &Snapshot,
    id: CrawlId,
    topic: &Topic,
    tag: u16,
) -> Result<Vec<PromisedUrl>, CrawlError> {
    let mut judged: HashMap<UrlKey, Judged> = HashMap::new();
    for row in snapshot.prefix(&RELEVANCE, &id.0) {
        let ((_, host, page), mark) = row?;
        // What another topic made of a page says nothing; its links may promise something all the same.
        let (value, on_topic) = if is_judged_by(mark, tag) { relevance_of(mark) } else { (0.0, false) };
        let page = UrlKey { host: HostKey(host), page };
        judged.insert(page, Judged { relevance: topic.share(value) as f32, on_topic, done: false });
    }
    let mut waiting: HashMap<UrlKey, (PageUrl, PromisedUrl)> = HashMap::new();
    // What is handed on becomes less with each page: the most first, so that each page hands on once. The bits of
    // floats that are not negative have their order.
    let mut next: BinaryHeap<(u32, UrlKey)> = BinaryHeap::new();
    for row in snapshot.prefix(&URLS, &id.0) {
        let ((_, host, page), record) = row?;
        let key = UrlKey { host: HostKey(host), page };
        match judged.get(&key) {
            Some(page) if page.on_topic || record.depth == 0 => {
                next.push((handed_on(page.on_topic, page.relevance, 1.0).to_bits(), key));
            }
            None if record.outcome.is_open() => {
                let nothing = PromisedUrl { key, parent_relevance: 0.0, inherited: 0.0, promise: 0.0 };
                waiting.insert(key, (record.url, nothing));
            }
            _ => {}
        }
    }
    while let Some((handed, key)) = next.pop() {
        let handed = f32::from_bits(handed);
        let Some(page) = judged.get_mut(&key).filter(|page| !page.done) else { continue };
        page.done = true;
        let relevance = page.relevance;
        let links = snapshot.get(&LINKS, &page_key(id, key))?.unwrap_or_default();
        for edge in links.edges.iter().filter(|edge| edge.followed && edge.target != key) {
            if let Some((url, told)) = waiting.get_mut(&edge.target) {
                told.parent_relevance = told.parent_relevance.max(relevance);
                told.inherited = told.inherited.max(handed);
                told.promise = told.promise.max(hope(handed, topic.link_promise(&edge.anchor, url)));
            } else if let Some(target) = judged.get(&edge.target).filter(|page| !page.done && !page.on_topic)
            {
                next.push((handed_on(false, target.relevance, handed).to_bits(), edge.target));
            }
        }
    }
    Ok(waiting.into_values().map(|(_, told)| told).filter(|told| told.inherited > 0.0).collect())
}
