//! Replacing: a collection that is full gives up a page for a more important URL. Which ones is left to others.
//!
//! The room is promised to that URL, as it is to pages that are asked for again: until all promises are kept, or cannot
//! be, no other URL is leased, on whatever host it waits.

use kv::{Batch, Reader};
use model::{CrawlId, Limit, Outcome, UrlKey};

use crate::tables::{REVISITS, RevisitRecord, URLS};
use crate::{Frontier, FrontierError, page_key};

impl Frontier {
    /// Gives up a page for the sake of a URL that waits, which comes first on its host. False when the one is no page,
    /// or the other does not wait.
    pub fn replace(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        page: UrlKey,
        by: UrlKey,
    ) -> Result<bool, FrontierError> {
        let Some(waiting) = self.waiting(batch, id, by)? else { return Ok(false) };
        let known = batch.get(&URLS, &page_key(id, page))?;
        let Some(record) = known.filter(|record| record.outcome.is_page()) else { return Ok(false) };
        let store = self.store.clone();
        let crawl = self.crawl_mut(id);
        let site = crawl.site(&store, page.host)?;
        site.record.pages = site.record.pages.saturating_sub(1);
        // Nothing may wait there that would have it written.
        crawl.touched.insert(page.host);
        self.record(batch, id, page, record, Outcome::OverLimit { limit: Limit::Pages })?;
        batch.put(&REVISITS, &page_key(id, by), &RevisitRecord { was: waiting.outcome.clone() });
        self.crawl_mut(id).revisits += 1;
        // The queue is read from its smallest key.
        self.move_to(batch, id, by, waiting, 0)?;
        Ok(true)
    }
}
