//! The feed: what was committed since an index last looked becomes documents, in the order of the commits.
//!
//! Pages come from the archive, whose records are in that order; rows from their table. The cursor is part of the
//! index's own commit: after a crash the index stands where it stood, and goes on from there.

use std::collections::BTreeMap;
use std::sync::Arc;

use archive::Position;
use archive::rows;
use archive::tables::POSITIONS;
use crawl::Fresh;
use index::Writer;
use kv::Reader;
use model::CrawlId;
use search::settings::Source;
use search::{Document, Fields};
use serde::{Deserialize, Serialize};

use super::left_out::LeftOut;
use super::{OpenIndex, page_feed, row_feed};
use crate::{Data, ServiceError};

/// How far an index has come, by project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Cursor(pub(super) BTreeMap<String, ProjectCursor>);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ProjectCursor {
    /// A project that starts over has another crawl: all its documents go.
    pub(super) crawl: u32,
    /// The end of the archive that was read.
    pub(super) pages: Position,
    /// The next record of rows.
    pub(super) rows: u64,
    /// The first record whose rows still miss values of pages that were not read.
    pub(super) open: u64,
}

/// Documents after which the index commits, when there are so many.
pub(super) const COMMIT: u64 = 20_000;

/// A running crawl that is followed.
#[derive(Clone, Copy)]
pub(crate) struct Following<'a> {
    /// The crawl.
    pub(crate) crawl: CrawlId,
    /// What it has just read.
    pub(crate) fresh: &'a Fresh,
    /// It has ended.
    pub(crate) last: bool,
}

/// Brings an index up to what is committed. Visits that a running crawl has just read are taken as they are; all others
/// come from the archive. Which pages stand for others is looked at when no crawl is followed, or at its end: it takes a
/// look at all of them.
pub(crate) fn catch_up(
    data: &Data,
    index: &Arc<OpenIndex>,
    following: Option<Following<'_>>,
) -> Result<(), ServiceError> {
    // Whoever comes second finds it done.
    let mut feeding = index.feeding();
    if index.is_ended() {
        return Ok(());
    }
    let mut cursor = cursor(index)?;
    let mut left_out = index.take_left_out();
    if index.index()?.is_none() {
        left_out.forget(None);
    }
    let (writer, waiting) = (feeding.take(), Vec::new());
    let mut work = Work { index, writer, fields: None, waiting, left_out, since: 0 };
    let before = cursor.clone();
    for name in index.settings.projects.clone() {
        let Some(entry) = name.parse().ok().and_then(|name| data.project(Some(&name)).ok()) else { continue };
        let mut of_project = cursor.0.get(&name).cloned().unwrap_or_default();
        if of_project.crawl != entry.crawl.0 {
            if of_project.crawl != 0 {
                work.remove_project(&name, CrawlId(of_project.crawl))?;
            }
            of_project = ProjectCursor { crawl: entry.crawl.0, ..ProjectCursor::default() };
        }
        cursor.0.insert(name.clone(), of_project);
        let reads = |source| index.settings.of == Source::Both || index.settings.of == source;
        if reads(Source::Pages) {
            let following = following.filter(|following| following.crawl == entry.crawl);
            page_feed::pages(data, &entry, following, &mut work, &mut cursor)?;
        }
        if reads(Source::Rows) && entry.project.fields.is_some() {
            row_feed::rows_of(data, &entry, &mut work, &mut cursor)?;
        }
    }
    if cursor != before || work.since > 0 {
        work.commit(&cursor)?;
    }
    *feeding = work.writer;
    index.give_back(work.left_out);
    Ok(())
}

/// Bytes of the archive and records of rows that an index has not read yet.
pub(crate) fn behind(data: &Data, index: &OpenIndex) -> Result<u64, ServiceError> {
    let cursor = cursor(index)?;
    let mut behind = 0;
    for name in &index.settings.projects {
        let Some(entry) = name.parse().ok().and_then(|name| data.project(Some(&name)).ok()) else { continue };
        let read = cursor.0.get(name).filter(|read| read.crawl == entry.crawl.0).cloned().unwrap_or_default();
        let committed = data.store().get(&POSITIONS, &entry.crawl.0)?.unwrap_or_default().position;
        let reads = |source| index.settings.of == Source::Both || index.settings.of == source;
        if reads(Source::Rows) && entry.project.fields.is_some() {
            behind += rows::counts(data.store(), entry.crawl)?.next.saturating_sub(read.rows);
        }
        if !reads(Source::Pages) {
            continue;
        }
        behind += match committed.file == read.pages.file {
            true => committed.length.saturating_sub(read.pages.length),
            false => committed.length.max(1),
        };
    }
    Ok(behind)
}

fn cursor(index: &OpenIndex) -> Result<Cursor, ServiceError> {
    let Some(opened) = index.index()? else { return Ok(Cursor::default()) };
    let text = opened.cursor()?.unwrap_or_default();
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

/// An index being fed.
pub(super) struct Work<'a> {
    pub(super) index: &'a OpenIndex,
    writer: Option<Writer>,
    fields: Option<Arc<Fields>>,
    /// The first documents, before there is an index: it is made in their language.
    waiting: Vec<Document>,
    /// Pages that others stand for.
    pub(super) left_out: LeftOut,
    /// Documents put since the last commit.
    pub(super) since: u64,
}

/// Documents that tell an index's language.
const SAMPLE: usize = 50;

impl Work<'_> {
    pub(super) fn put(&mut self, document: Document) -> Result<(), ServiceError> {
        self.since += 1;
        if self.index.index()?.is_none() {
            self.waiting.push(document);
            if self.waiting.len() >= SAMPLE {
                self.begin()?;
            }
            return Ok(());
        }
        let fields = self.fields()?;
        let entry = fields.entry(&document)?;
        self.writer()?.put(&entry)?;
        Ok(())
    }

    pub(super) fn remove(&mut self, id: &str) -> Result<(), ServiceError> {
        self.waiting.retain(|document| document.id != id);
        if self.index.index()?.is_some() {
            self.since += 1;
            self.writer()?.remove(id);
        }
        Ok(())
    }

    /// Removes all rows of a page.
    pub(super) fn remove_rows(&mut self, project: &str, page: &str) -> Result<(), ServiceError> {
        self.waiting.retain(|document| document.page.as_deref() != Some(page));
        if self.index.index()?.is_some() {
            self.since += 1;
            self.writer()?.remove_all(search::PAGE_FIELD, &search::page_key(project, page));
        }
        Ok(())
    }

    fn remove_project(&mut self, project: &str, crawl: CrawlId) -> Result<(), ServiceError> {
        self.left_out.forget(Some(crawl));
        if self.index.index()?.is_some() {
            self.since += 1;
            self.writer()?.remove_all(search::PROJECT_FIELD, project);
        }
        Ok(())
    }

    /// Makes the index, in the language of what waits for it.
    fn begin(&mut self) -> Result<(), ServiceError> {
        self.index.make(self.waiting.iter().map(|document| document.text.as_str()))?;
        let fields = self.fields()?;
        for document in std::mem::take(&mut self.waiting) {
            let entry = fields.entry(&document)?;
            self.writer()?.put(&entry)?;
        }
        Ok(())
    }

    pub(super) fn commit(&mut self, cursor: &Cursor) -> Result<(), ServiceError> {
        if self.index.index()?.is_none() {
            // Nothing to search yet, and so nothing to note.
            if self.waiting.is_empty() {
                return Ok(());
            }
            self.begin()?;
        }
        let text =
            serde_json::to_string(cursor).map_err(|error| ServiceError::Settings(error.to_string()))?;
        self.left_out.before_commit()?;
        self.writer()?.commit(&text)?;
        self.left_out.after_commit()?;
        self.since = 0;
        Ok(())
    }

    fn fields(&mut self) -> Result<Arc<Fields>, ServiceError> {
        if self.fields.is_none() {
            self.fields = Some(self.index.fields()?);
        }
        Ok(Arc::clone(self.fields.as_ref().expect("set above")))
    }

    fn writer(&mut self) -> Result<&mut Writer, ServiceError> {
        if self.writer.is_none() {
            let index = self.index.index()?.ok_or(ServiceError::Lost)?;
            self.writer = Some(OpenIndex::writer(&index)?);
        }
        Ok(self.writer.as_mut().expect("set above"))
    }
}

/// Seconds since 1970 of a day, or of a moment with its offset.
pub(super) fn seconds_of(text: &str) -> Option<i64> {
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(moment.as_second());
    }
    let day: jiff::civil::Date = text.get(..10)?.parse().ok()?;
    day.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|midnight| midnight.timestamp().as_second())
}
