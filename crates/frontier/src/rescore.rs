//! Waiting URLs whose worth has changed get their new place, host by host, with the commit that follows a host's visit.

use kv::{Batch, Reader};
use model::{CrawlId, HostKey, Outcome, UrlKey};

use crate::importance::{PromisedUrl, RankedUrl};
use crate::order::interleaved;
use crate::tables::{QUEUE, URLS, UrlRecord};
use crate::{Frontier, FrontierError, page_key};

/// Known URLs of a crawl up to which ranks are computed: beyond, links and ranks of all of them would need more memory
/// than the crawl itself.
const MOST_RANKED: u64 = 1 << 18;

/// URLs of a host that are put in order at once.
const AT_ONCE: usize = 4_096;

impl Frontier {
    /// True when ranks of all known links would serve this crawl's order. Of very many URLs they would take too much
    /// memory: the order goes on with what it has gathered.
    pub fn wants_ranks(&self, id: CrawlId) -> bool {
        let crawl = self.crawl(id);
        let known: u64 = crawl.stats.outcomes.values().sum();
        crawl.order.uses_ranks() && known <= MOST_RANKED && crawl.importance.wants_ranks()
    }

    /// Takes the PageRank of waiting URLs. They move to their new places host by host, as hosts come to
    /// their turn, so that nothing stands still for it.
    pub fn set_ranks(&mut self, id: CrawlId, ranked: impl IntoIterator<Item = RankedUrl>) {
        self.crawl_mut(id).importance.set_ranks(ranked);
    }

    /// True when this crawl's order goes by a topic, and what pages promised before a restart is not known.
    pub fn wants_promises(&self, id: CrawlId) -> bool {
        let crawl = self.crawl(id);
        crawl.order.uses_topic() && crawl.importance.wants_promises()
    }

    /// Takes what fetched pages promise of waiting URLs. They move to their new places as with ranks.
    pub fn set_promises(&mut self, id: CrawlId, promised: impl IntoIterator<Item = PromisedUrl>) {
        self.crawl_mut(id).importance.set_promises(promised);
    }

    /// Puts the URLs of touched hosts in order whose epoch is past.
    pub(crate) fn rescore(&mut self, batch: &mut Batch) -> Result<(), FrontierError> {
        let ids: Vec<CrawlId> = self.crawls.keys().copied().collect();
        for id in ids {
            let crawl = self.crawl(id);
            if !crawl.order.changes() {
                continue;
            }
            let epoch = crawl.importance.epoch();
            let is_past = |host: &HostKey| crawl.sites.get(host).is_some_and(|site| site.epoch < epoch);
            let mut hosts: Vec<HostKey> = crawl.touched.iter().copied().filter(is_past).collect();
            hosts.sort_unstable();
            for host in hosts {
                let whole = self.crawl(id).order.whole_hosts();
                match whole {
                    true => self.deal_out(batch, id, host)?,
                    false => self.move_changed(batch, id, host)?,
                }
                let crawl = self.crawl_mut(id);
                let more = !whole && crawl.importance.has_changed(host);
                if let Some(site) = crawl.sites.get_mut(&host).filter(|_| !more) {
                    site.epoch = epoch;
                }
            }
        }
        Ok(())
    }

    /// The URLs of which more is known than before move to their places.
    fn move_changed(&mut self, batch: &mut Batch, id: CrawlId, host: HostKey) -> Result<(), FrontierError> {
        for page in self.crawl_mut(id).importance.take_changed(host, AT_ONCE) {
            let key = UrlKey { host, page };
            let Some(record) = self.waiting(batch, id, key)? else { continue };
            let priority = self.crawl(id).priority(key, &record.url, record.depth);
            self.move_to(batch, id, key, record, priority)?;
        }
        Ok(())
    }

    /// The first URLs of the queue are sorted, cut into lanes and queued in the order in which those are served.
    fn deal_out(&mut self, batch: &mut Batch, id: CrawlId, host: HostKey) -> Result<(), FrontierError> {
        let mut scored = Vec::new();
        let whole = (id.0, host.0, (0, 0))..=(id.0, host.0, (u32::MAX, u64::MAX));
        let rows: Vec<_> = batch.range(&QUEUE, whole).take(AT_ONCE).collect::<Result<_, _>>()?;
        for (_, waiting) in rows {
            let key = UrlKey { host, page: waiting.page };
            let Some(record) = self.waiting(batch, id, key)? else { continue };
            let crawl = self.crawl(id);
            let score = crawl.order.score(&crawl.candidate(key, &record.url, record.depth));
            scored.push((score, key, record));
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.arrival.cmp(&b.2.arrival)));
        let crawl = self.crawl(id);
        let served = crawl.sites.get(&host).map_or(0, |site| site.served);
        let order = interleaved(scored.len(), crawl.order.lanes(), served);
        let mut scored: Vec<_> = scored.into_iter().map(Some).collect();
        for (place, at) in order.into_iter().enumerate() {
            if let Some((_, key, record)) = scored[at].take() {
                self.move_to(batch, id, key, record, place as u32)?;
            }
        }
        Ok(())
    }

    /// The record of a URL that waits and that nobody has in hand.
    pub(crate) fn waiting(
        &self,
        batch: &Batch,
        id: CrawlId,
        key: UrlKey,
    ) -> Result<Option<UrlRecord>, FrontierError> {
        if self.crawl(id).in_hand.contains(&key) {
            return Ok(None);
        }
        let record = batch.get(&URLS, &page_key(id, key))?;
        Ok(record.filter(|record| record.outcome == Outcome::Waiting))
    }

    /// Gives a waiting URL another place in its queue.
    pub(crate) fn move_to(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        key: UrlKey,
        mut record: UrlRecord,
        priority: u32,
    ) -> Result<(), FrontierError> {
        if record.priority == priority {
            return Ok(());
        }
        let store = self.store.clone();
        let crawl = self.crawl_mut(id);
        crawl.dequeue(&store, batch, key, &record)?;
        record.priority = priority;
        crawl.enqueue(&store, batch, key, &record)?;
        // Until the commit its row in the store is the old one.
        crawl.in_hand.insert(key);
        crawl.settled.push(key);
        batch.put(&URLS, &page_key(id, key), &record);
        Ok(())
    }
}
