//! Waiting URLs whose worth has changed get their new place, host by host, with the commit that follows a host's visit.

use kv::{Batch, Reader};
use model::{CrawlId, HostKey, Outcome, UrlKey};

use crate::crawl::{Dealt, END};
use crate::order::{Worth, interleaved};
use crate::tables::{QUEUE, URLS, UrlRecord};
use crate::{Frontier, FrontierError, KnownLinks, PromisedUrl, Recollection, page_key};

/// URLs that are put in order at once; each costs a look into the store and two rows written.
const AT_ONCE: usize = 1_024;

/// The same of a host whose URLs are sorted all together, and of a crawl that is young.
const WHOLE: usize = 4_096;

/// So few are sorted whenever anything changes.
const FEW: usize = 16;

/// By what part of itself the mean of links on a host's pages has to differ, for its URLs to be sorted again.
const OTHER_MEAN: f64 = 0.25;

impl Frontier {
    /// True when this crawl's order goes by links, and those of pages read before a restart are not known.
    pub fn wants_links(&self, id: CrawlId) -> bool {
        let crawl = self.crawl(id);
        crawl.needs.links && crawl.importance.wants_links()
    }

    /// Takes what pages read before say of links. URLs move to their new places host by host, as hosts come to their
    /// turn, so that nothing stands still for it.
    pub fn set_links(&mut self, id: CrawlId, before: Recollection) {
        self.crawl_mut(id).importance.recollect(before);
    }

    /// True when ranks of all known links would serve this crawl's order.
    pub fn wants_ranks(&self, id: CrawlId) -> bool {
        let crawl = self.crawl(id);
        crawl.needs.ranks && crawl.importance.wants_ranks()
    }

    /// The links that ranks for this crawl's order are computed of: all, or of very many those of the most important
    /// pages.
    pub fn known_links(&self, id: CrawlId) -> KnownLinks {
        self.crawl(id).importance.known_links()
    }

    /// Takes the PageRank of those links' URLs, by number, each as a multiple of what a page has that nothing links
    /// to. URLs move to their new places as with links.
    pub fn set_ranks(&mut self, id: CrawlId, of: &KnownLinks, ranks: &[f32]) {
        self.crawl_mut(id).importance.set_ranks(of, ranks);
    }

    /// True when this crawl's order goes by a topic, and what pages promised before a restart is not known.
    pub fn wants_promises(&self, id: CrawlId) -> bool {
        let crawl = self.crawl(id);
        crawl.needs.topic && crawl.importance.wants_promises()
    }

    /// Takes what fetched pages promise of waiting URLs. They move to their new places as with ranks.
    pub fn set_promises(&mut self, id: CrawlId, promised: impl IntoIterator<Item = PromisedUrl>) {
        self.crawl_mut(id).importance.set_promises(promised);
    }

    /// Puts the URLs of hosts in order whose epoch is past: of those that were touched, and of others as many as there is
    /// time for, since what they have may be better than all else.
    pub(crate) fn rescore(&mut self, batch: &mut Batch) -> Result<(), FrontierError> {
        let ids: Vec<CrawlId> = self.crawls.keys().copied().collect();
        for id in ids {
            let crawl = self.crawl(id);
            if !crawl.needs.changes() {
                continue;
            }
            if self.crawl_mut(id).importance.make_room() {
                continue;
            }
            let crawl = self.crawl(id);
            let epoch = crawl.importance.epoch();
            let is_past = |host: &HostKey| crawl.sites.get(host).is_some_and(|site| site.epoch < epoch);
            let mut hosts: Vec<HostKey> = crawl.touched.iter().copied().filter(is_past).collect();
            hosts.sort_unstable();
            // Where there was no time last time, so that all have their turn.
            let first = hosts.partition_point(|host| *host < crawl.next_in_order);
            hosts.rotate_left(first);
            let (whole, young) = (crawl.needs.host_links, crawl.importance.is_young());
            let mut left = if young { WHOLE } else { AT_ONCE };
            if crawl.swept < epoch {
                let (others, is_all) = self.past_hosts(id, epoch);
                hosts.extend(others);
                if is_all {
                    self.crawl_mut(id).swept = epoch;
                }
            }
            for host in hosts {
                if left == 0 {
                    let crawl = self.crawl_mut(id);
                    (crawl.next_in_order, crawl.swept) = (host, crawl.swept.min(epoch - 1));
                    break;
                }
                let moved = match whole {
                    true if !self.is_out_of_order(id, host) => 0,
                    true => self.deal_out(batch, id, host)?,
                    false => self.move_changed(batch, id, host, left)?,
                };
                left = left.saturating_sub(moved);
                let crawl = self.crawl_mut(id);
                let more = !whole && crawl.importance.changes_of(host) > 0;
                if let Some(site) = crawl.sites.get_mut(&host).filter(|_| !more) {
                    site.epoch = epoch;
                }
            }
        }
        Ok(())
    }

    /// Hosts that were not touched, and whose epoch is past, with about as many changes as are made at once; whether
    /// that is all of them.
    fn past_hosts(&self, id: CrawlId, epoch: u64) -> (Vec<HostKey>, bool) {
        let crawl = self.crawl(id);
        let mut hosts = Vec::new();
        let mut left = WHOLE;
        for host in crawl.importance.changed_hosts().filter(|host| !crawl.touched.contains(host)) {
            if crawl.sites.get(&host).is_some_and(|site| site.epoch < epoch) {
                if left == 0 {
                    return (hosts, false);
                }
                hosts.push(host);
                left = left.saturating_sub(crawl.importance.changes_of(host));
            }
        }
        (hosts, true)
    }

    /// The URLs of which more is known than before move to their places; how many were looked at.
    fn move_changed(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        host: HostKey,
        most: usize,
    ) -> Result<usize, FrontierError> {
        let crawl = self.crawl_mut(id);
        let best = crawl.sites.get(&host).map_or(END, |site| site.head.min(site.fresh_head));
        let by_worth = crawl.needs.worth != Worth::Other && !crawl.importance.is_young();
        let numbers = match by_worth {
            true => crawl.importance.take_misplaced(host, best.0, most),
            false => crawl.importance.take_changed(host, most),
        };
        let count = numbers.len();
        for number in numbers {
            let crawl = self.crawl(id);
            let (key, placed) = crawl.importance.place_of(number);
            if crawl.needs.links_alone && crawl.place_by_links(number) == placed {
                continue;
            }
            let Some(record) = self.waiting(batch, id, key)? else { continue };
            let priority = self.crawl(id).priority(key, &record.url, record.depth);
            self.move_to(batch, id, key, record, priority)?;
        }
        Ok(count)
    }

    /// True when a host's URLs are worth sorting: where they are few, where half as many changes as there are to sort have
    /// come together, so that each change pays for two of them, or where its pages turn out to be others.
    fn is_out_of_order(&self, id: CrawlId, host: HostKey) -> bool {
        let crawl = self.crawl(id);
        let Some(site) = crawl.sites.get(&host) else { return false };
        let sorted = usize::try_from(site.record.waiting).unwrap_or(WHOLE).min(WHOLE);
        let leased = site.served.wrapping_sub(site.dealt.served);
        let links_on = crawl.importance.links_on(host);
        sorted <= FEW
            || 2 * (crawl.importance.changes_of(host) + leased) >= sorted
            || (links_on - site.dealt.links_on).abs() > OTHER_MEAN * site.dealt.links_on
    }

    /// The first URLs of the queue are sorted, cut into lanes and queued in the order in which those are served. The first
    /// of them has the place of the best, and so on, so that hosts are compared by what they have.
    fn deal_out(&mut self, batch: &mut Batch, id: CrawlId, host: HostKey) -> Result<usize, FrontierError> {
        // They are all looked at.
        let crawl = self.crawl_mut(id);
        crawl.importance.take_changed(host, usize::MAX);
        let links_on = crawl.importance.links_on(host);
        if let Some(site) = crawl.sites.get_mut(&host) {
            site.dealt = Dealt { served: site.served, links_on };
        }
        let mut scored = Vec::new();
        let whole = (id.0, host.0, (0, 0))..=(id.0, host.0, (u32::MAX, u64::MAX));
        let rows: Vec<_> = batch.range(&QUEUE, whole).take(WHOLE).collect::<Result<_, _>>()?;
        let count = rows.len();
        for (_, waiting) in rows {
            let key = UrlKey { host, page: waiting.page };
            let Some(record) = self.waiting(batch, id, key)? else { continue };
            let crawl = self.crawl(id);
            let mut candidate = crawl.candidate(key, &record.url, record.depth);
            if record.tries > 0 {
                // A broken link leads nowhere.
                candidate.forward_links = 0.0;
            }
            let score = crawl.order.score(&candidate);
            scored.push((score, key, record));
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.arrival.cmp(&b.2.arrival)));
        let crawl = self.crawl(id);
        let served = crawl.sites.get(&host).map_or(0, |site| site.served);
        let lanes = crawl.order.lanes();
        let order = interleaved(scored.len(), lanes, served);
        let mut places: Vec<u32> =
            scored.iter().map(|(_, key, record)| crawl.priority(*key, &record.url, record.depth)).collect();
        places.sort_unstable();
        if lanes.len() > 1 {
            // Whoever is served later must not come first for having been found before.
            let mut least = 0;
            for place in &mut places {
                *place = (*place).max(least);
                least = place.saturating_add(1);
            }
        }
        let mut scored: Vec<_> = scored.into_iter().map(Some).collect();
        for (at, place) in order.into_iter().zip(places) {
            if let Some((_, key, record)) = scored[at].take() {
                self.move_to(batch, id, key, record, place)?;
            }
        }
        Ok(count)
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
