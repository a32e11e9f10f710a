//! Another order or topic for a crawl at work: every waiting URL gets its new place, little by little.

use kv::{Batch, Reader};
use model::{CrawlId, HostKey, Order, Timestamp, UrlKey};

use crate::crawl::{BEGIN, QueueKey, order_fact, order_mark};
use crate::order;
use crate::tables::{FACTS, QUEUE, Waiting};
use crate::{Frontier, FrontierError};

impl Frontier {
    /// Another order from now on. What is met has its place by it at once, what waits gets one by
    /// [`Frontier::reorder`].
    pub fn set_order(&mut self, id: CrawlId, order: Order) {
        let crawl = self.crawl_mut(id);
        crawl.settings.order = order;
        let went_by_links = crawl.needs.links;
        crawl.order = order::named(&crawl.settings);
        crawl.needs = crawl.order.needs();
        if crawl.needs.links && !went_by_links {
            // Nobody has gathered what the pages so far say of links.
            let fetched = crawl.stats.outcomes.get("fetched").copied().unwrap_or(0);
            crawl.importance.begin_anew(fetched, true, crawl.needs.worth);
        }
        crawl.importance.set_worth(crawl.needs.worth);
        crawl.out_of_time = false;
        crawl.reorder = Some((id.0, 0, BEGIN));
    }

    /// Another topic from now on, that of this tag: what was promised by the one before counts no more, and what waits
    /// moves to its place by [`Frontier::reorder`].
    pub fn set_topic(&mut self, id: CrawlId, tag: u16) {
        let crawl = self.crawl_mut(id);
        crawl.topic = Some(tag);
        crawl.importance.forget_promises();
        if crawl.needs.topic {
            crawl.reorder = Some((id.0, 0, BEGIN));
        }
    }

    /// When the crawl has to end, for orders that begin no page too late.
    pub fn set_deadline(&mut self, id: CrawlId, deadline: Option<Timestamp>) {
        self.crawl_mut(id).deadline = deadline;
    }

    /// True while URLs wait at places that another order gave them.
    pub fn has_to_reorder(&self, id: CrawlId) -> bool {
        self.crawl(id).reorder.is_some()
    }

    /// Gives so many waiting URLs their place by the order in force.
    pub fn reorder(&mut self, batch: &mut Batch, id: CrawlId, at_most: usize) -> Result<(), FrontierError> {
        let Some(from) = self.crawl(id).reorder else { return Ok(()) };
        let rows = batch.range(&QUEUE, from..=(id.0, u64::MAX, (u32::MAX, u64::MAX))).take(at_most + 1);
        let rows: Vec<(QueueKey, Waiting)> = rows.collect::<Result<_, _>>()?;
        let next = (rows.len() > at_most).then(|| rows[at_most].0);
        for ((_, host, _), waiting) in rows.into_iter().take(at_most) {
            let key = UrlKey { host: HostKey(host), page: waiting.page };
            // What is in hand has its place when it is settled.
            let Some(record) = self.waiting(batch, id, key)? else { continue };
            let priority = self.crawl(id).priority(key, &record.url, record.depth);
            self.move_to(batch, id, key, record, priority)?;
        }
        let crawl = self.crawl_mut(id);
        crawl.reorder = next;
        if next.is_none() {
            batch.put(&FACTS, &order_fact(id), &order_mark(&crawl.settings));
        }
        Ok(())
    }
}
