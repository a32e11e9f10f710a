//! Rows read again from the archive: those that a damaged or lost table took, each in its place.
//!
//! Records of rows are numbered in the order in which visits were committed, which is the order of the archive. A
//! visit whose record is missing gets the number that is free where it belongs. All are read with the project's
//! template as it is now; records that are there stay as they are.

use archive::rows::{self, PageRows, ROW_PAGES, ROW_RUNS, ROWS, Stand};
use archive::tables::POSITIONS;
use catalog::ProjectEntry;
use crawl::PageReader;
use frontier::tables::URLS;
use frontier::{kept_as, page_key};
use kv::{Batch, Durability, KvError, Reader};
use model::{CrawlId, Outcome, Timestamp, UrlKey};

use crate::rebuild::{self, Archived};
use crate::restore::template_reader;
use crate::{Data, ServiceError};

/// Pages whose rows are put back in one commit.
const GROUP: usize = 1_000;

/// Puts back the rows of archived pages that have none in the tables; returns the number of such pages.
pub(crate) fn restore_rows(data: &Data, crawl: CrawlId, entry: &ProjectEntry) -> Result<u64, ServiceError> {
    let Some(template) = &entry.project.fields else { return Ok(0) };
    let Some(reader) = template_reader(&entry.project) else { return Ok(0) };
    let store = data.store();
    let settings = &entry.project.crawl;
    let Some(committed) = store.get(&POSITIONS, &crawl.0)? else { return Ok(0) };
    let mut batch = store.batch();
    rows::put_template(&mut batch, crawl, template);
    let most = Some(settings.max_rows).filter(|most| *most > 0).unwrap_or(u64::MAX);
    let mut work = Work { crawl, reader, most, cursor: 0, pages: 0, filled: false };
    let dir = data.archive_dir(crawl);
    rebuild::visits(&dir, Some(committed.position), settings.normalise(), &mut |archived| {
        work.visit(&mut batch, archived, settings)?;
        if batch.len() >= GROUP {
            store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Buffered)?;
        }
        Ok(())
    })?;
    store.commit(batch, Durability::Synced)?;
    if work.pages > 0 {
        if work.filled {
            rows::reindex(store, crawl)?;
        }
        let index = data.rows_dir(crawl);
        if index.exists() {
            std::fs::remove_dir_all(&index).map_err(ServiceError::io("remove", &index))?;
        }
    }
    restore_runs(data, crawl, entry)?;
    Ok(work.pages)
}

/// True of a page that is there, or was when it was last found.
fn is_kept(batch: &Batch, crawl: CrawlId, key: UrlKey) -> Result<bool, KvError> {
    let Some(record) = batch.get(&URLS, &page_key(crawl, key))? else { return Ok(false) };
    Ok(record.outcome.is_page() || kept_as(batch, crawl, key, &record.outcome)?.is_some())
}

struct Work {
    crawl: CrawlId,
    reader: PageReader,
    /// Rows that the crawl may have.
    most: u64,
    /// The number of the record that comes next.
    cursor: u64,
    pages: u64,
    /// Something was put between other records: lists and counts must be made again.
    filled: bool,
}

impl Work {
    fn visit(
        &mut self,
        batch: &mut Batch,
        archived: Archived,
        settings: &model::CrawlSettings,
    ) -> Result<(), ServiceError> {
        let Archived { key, url, started, visit, outcome, metadata, answer } = archived;
        let stand = match (visit.status, outcome) {
            (Some(200..=299), _) if metadata.page.is_some() => Stand::Read,
            (Some(404 | 410), _) => Stand::Gone,
            (_, Outcome::Redirected { to }) => Stand::Moved { to },
            _ => return Ok(()),
        };
        if let Some(number) = record_of(batch, self.crawl, key, started)? {
            self.cursor = number + 1;
            return Ok(());
        }
        // What was said of a page that is kept was not believed, and left no record.
        if stand != Stand::Read && is_kept(batch, self.crawl, key)? {
            return Ok(());
        }
        let fetched = answer.fetched(url, started, visit.cut, settings);
        let mut read = (stand == Stand::Read).then(|| self.reader.read(&fetched));
        let reading = read.as_mut().and_then(|read| read.reading.as_mut());
        let Some(page) = self.reader.rows(&fetched, stand, reading) else { return Ok(()) };
        // As in the crawl: a page that has no rows and had none says nothing.
        let speaks = !page.rows.is_empty() || matches!(page.stand, Stand::Moved { .. });
        if !speaks && rows::before(batch, self.crawl, key, self.cursor)?.is_none() {
            return Ok(());
        }
        self.put(batch, page)?;
        self.pages += 1;
        Ok(())
    }

    fn put(&mut self, batch: &mut Batch, mut page: PageRows) -> Result<(), ServiceError> {
        let next = rows::counts(batch, self.crawl)?.next;
        let place = (self.crawl.0, self.cursor);
        if self.cursor >= next || batch.contains(&ROWS, &place)? {
            rows::put(batch, self.crawl, page, self.most)?;
            self.cursor = next + 1;
            return Ok(());
        }
        // No row that `max_rows` left out comes in by the back door.
        if !page.detail && self.most < u64::MAX {
            let mut room = self.most.saturating_sub(rows::counts(batch, self.crawl)?.rows);
            let before = page.rows.len();
            page.rows.retain(|_| {
                let fits = room > 0;
                room = room.saturating_sub(1);
                fits
            });
            page.whole &= page.rows.len() == before;
        }
        let key = UrlKey::of(&page.url);
        batch.put(&ROWS, &place, &page);
        batch.put(&ROW_PAGES, &(self.crawl.0, key.host.0, key.page, self.cursor), &());
        self.cursor += 1;
        self.filled = true;
        Ok(())
    }
}

/// The number of the record of this visit.
fn record_of(
    reader: &impl Reader,
    crawl: CrawlId,
    page: UrlKey,
    visited: Timestamp,
) -> Result<Option<u64>, KvError> {
    for key in reader.prefix(&ROW_PAGES, &page_key(crawl, page)).keys() {
        let number = key?.3;
        let record = reader.get(&ROWS, &(crawl.0, number))?;
        if record.is_some_and(|record| record.visited == visited) {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// Where the records of runs begin, for runs of which that is not known: with the first visit after their start.
fn restore_runs(data: &Data, crawl: CrawlId, entry: &ProjectEntry) -> Result<(), ServiceError> {
    let store = data.store();
    let mut lost = Vec::new();
    for run in data.wait(data.catalog().runs_of(entry.id))? {
        let key = (crawl.0, run.id.0.unsigned_abs());
        if run.crawl == crawl && !store.contains(&ROW_RUNS, &key)? {
            lost.push((key, run.started_at, None));
        }
    }
    if lost.is_empty() {
        return Ok(());
    }
    for record in store.snapshot().prefix(&ROWS, &crawl.0) {
        let ((_, number), page) = record?;
        for (_, started, first) in &mut lost {
            if first.is_none() && page.visited >= *started {
                *first = Some(number);
            }
        }
    }
    let next = rows::counts(store, crawl)?.next;
    let mut batch = store.batch();
    lost.iter().for_each(|(key, _, first)| batch.put(&ROW_RUNS, key, &first.unwrap_or(next)));
    Ok(store.commit(batch, Durability::Synced)?)
}
