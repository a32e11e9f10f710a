//! Replacing: a collection that is full gives up a page for a more important URL. Which ones is left to others.

use kv::{Batch, Reader};
use model::{CrawlId, Limit, Outcome, UrlKey};

use crate::tables::URLS;
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
        let site = self.crawl_mut(id).site(&store, page.host)?;
        site.record.pages = site.record.pages.saturating_sub(1);
        self.record(batch, id, page, record, Outcome::OverLimit { limit: Limit::Pages })?;
        // The queue is read from its smallest key.
        self.move_to(batch, id, by, waiting, 0)?;
        Ok(true)
    }
}
