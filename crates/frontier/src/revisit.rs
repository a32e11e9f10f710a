//! Revisits: pages that are kept go back into the queue, and keep what they were until something is learnt.
//!
//! An answer decides: a page, the same page, or a redirect. When none comes, however often it is tried, the page stays
//! what it was: an outage deletes nothing. A server that says twice, days apart, that the page is not there is believed,
//! and so is one that leads elsewhere for now, forbids the page by its robots.txt or sends something of another kind in its
//! place, as many do while they are mended.

use std::time::Duration;

use kv::{Batch, KvError, Reader};
use model::{CrawlId, ErrorKind, Outcome, Timestamp, UrlKey};

use crate::tables::{MISSING, PageKey, REVISITS, RevisitRecord, URLS};
use crate::{Frontier, FrontierError, page_key};

/// Between the first answer that a page is missing and the one that is believed.
const GONE_AFTER: Duration = Duration::from_secs(2 * 86_400);

/// The fact that says when a crawl was last refreshed.
pub fn refresh_fact(id: CrawlId) -> String {
    format!("refreshed {}", id.0)
}

/// The fact that says by which settings a crawl's texts were fingerprinted.
pub fn texts_fact(id: CrawlId) -> String {
    format!("texts {}", id.0)
}

/// What a page is kept as while it is asked for again: until an answer decides it stays what it was. None of any other
/// URL.
pub fn kept_as(
    reader: &impl Reader,
    id: CrawlId,
    key: UrlKey,
    outcome: &Outcome,
) -> Result<Option<Outcome>, KvError> {
    if !outcome.is_open() {
        return Ok(None);
    }
    let record = reader.get(&REVISITS, &page_key(id, key))?;
    Ok(record.map(|record| record.was).filter(Outcome::is_page))
}

impl Frontier {
    /// Puts a page back into the queue to be asked for again. False when it is no page, or waits already.
    pub fn revisit(&mut self, batch: &mut Batch, id: CrawlId, key: UrlKey) -> Result<bool, FrontierError> {
        let row = page_key(id, key);
        let Some(mut record) = batch.get(&URLS, &row)?.filter(|record| record.outcome.is_page()) else {
            return Ok(false);
        };
        let store = self.store.clone();
        let crawl = self.crawl_mut(id);
        let site = crawl.site(&store, key.host)?;
        site.record.pages = site.record.pages.saturating_sub(1);
        let most = crawl.settings.max_pages;
        let is_full = most > 0 && crawl.pages() + crawl.revisits >= most;
        crawl.revisits += 1;
        batch.put(&REVISITS, &row, &RevisitRecord { was: record.outcome.clone() });
        (record.tries, record.busy) = (0, 0);
        self.record(batch, id, key, record, Outcome::Waiting)?;
        // In a full collection new URLs must not take the place of what is kept, before it is asked for again.
        if is_full && let Some(record) = batch.get(&URLS, &row)? {
            self.move_to(batch, id, key, record, 0)?;
        }
        Ok(true)
    }

    /// True while pages wait to be asked for again.
    pub fn has_revisits(&self, id: CrawlId) -> bool {
        self.crawl(id).revisits > 0
    }

    /// True of a page that was put back and has not been settled since.
    pub(crate) fn is_revisit(
        &self,
        reader: &impl Reader,
        id: CrawlId,
        key: UrlKey,
    ) -> Result<bool, FrontierError> {
        if !self.has_revisits(id) {
            return Ok(false);
        }
        let record = reader.get(&REVISITS, &page_key(id, key))?;
        Ok(record.is_some_and(|record| record.was.is_page()))
    }

    /// What becomes of a URL, in view of what it was if it was put back. A redirect may be a passing one.
    pub(crate) fn after_revisit(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        key: UrlKey,
        outcome: Outcome,
        is_passing: bool,
        now: Timestamp,
    ) -> Result<Outcome, FrontierError> {
        if outcome.is_open() || !self.has_revisits(id) {
            return Ok(outcome);
        }
        let row = page_key(id, key);
        let Some(RevisitRecord { was }) = batch.get(&REVISITS, &row)? else { return Ok(outcome) };
        batch.remove(&REVISITS, &row);
        let crawl = self.crawl_mut(id);
        crawl.revisits = crawl.revisits.saturating_sub(1);
        if !was.is_page() {
            // It was new, and a page was given up for it.
            return Ok(outcome);
        }
        // Such an answer has been counted.
        let is_answer = outcome.is_page();
        let outcome = decided(batch, &row, was, outcome, is_passing, now)?;
        if outcome.is_page() && !is_answer {
            let store = self.store.clone();
            self.crawl_mut(id).site(&store, key.host)?.record.pages += 1;
        }
        Ok(outcome)
    }
}

/// What a page that is kept becomes by what was learnt at a visit: what it was, until an answer decides. A redirect may be a
/// passing one.
pub fn decided(
    batch: &mut Batch,
    row: &PageKey,
    was: Outcome,
    outcome: Outcome,
    is_passing: bool,
    now: Timestamp,
) -> Result<Outcome, KvError> {
    Ok(match outcome {
        Outcome::Failed { error: ErrorKind::Status(status @ (404 | 410)), .. } => {
            match first_missed(batch, row, now)? {
                Some(first) => Outcome::Gone { status, first, last: now },
                None => was,
            }
        }
        Outcome::Redirected { .. } if !is_passing => answered(batch, row, outcome),
        Outcome::Redirected { .. } | Outcome::Unwanted { .. } | Outcome::Disallowed { line: Some(_) } => {
            match first_missed(batch, row, now)? {
                Some(_) => outcome,
                None => was,
            }
        }
        // Without a line there were no rules to be had.
        Outcome::Disallowed { line: None }
        | Outcome::Failed { .. }
        | Outcome::Trap { .. }
        | Outcome::OverLimit { .. } => was,
        outcome => answered(batch, row, outcome),
    })
}

/// An answer that decides: what was said before counts no more.
fn answered(batch: &mut Batch, row: &PageKey, outcome: Outcome) -> Outcome {
    batch.remove(&MISSING, row);
    outcome
}

/// When a page was first missed, where that is long enough ago to be believed; else notes it.
///
/// Each refresh puts a page back once, so that this is an answer to another run than the first. What a clock said that was
/// set back since says nothing.
fn first_missed(batch: &mut Batch, row: &PageKey, now: Timestamp) -> Result<Option<Timestamp>, KvError> {
    let first = batch.get(&MISSING, row)?.map(Timestamp).filter(|first| *first <= now);
    match first {
        Some(first) if now.since(first) >= GONE_AFTER => {
            batch.remove(&MISSING, row);
            Ok(Some(first))
        }
        Some(_) => Ok(None),
        None => {
            batch.put(&MISSING, row, &now.0);
            Ok(None)
        }
    }
}
