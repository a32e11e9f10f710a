//! The feed: what was committed since an index last looked becomes documents, in the order of the commits.
//!
//! Pages come from the archive, whose records are in that order; rows from their table. The cursor is part of the
//! index's own commit: after a crash the index stands where it stood, and goes on from there.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use archive::Position;
use archive::rows::{self, ROWS};
use archive::tables::{LINKS, POSITIONS};
use catalog::ProjectEntry;
use crawl::PageReader;
use frontier::page_key;
use frontier::tables::URLS;
use index::Writer;
use kv::{Reader, Snapshot};
use model::{Outcome, Page, Project, UrlKey, Value};
use search::settings::Source;
use search::{Document, DocumentKind, FieldValue, Fields};
use serde::{Deserialize, Serialize};

use super::OpenIndex;
use super::open;
use crate::rebuild::{Archived, visits_from};
use crate::rows::{Layout, Listed, Listing, RowState};
use crate::{Data, ServiceError};

/// How far an index has come, by project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Cursor(BTreeMap<String, ProjectCursor>);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct ProjectCursor {
    /// A project that starts over has another crawl: all its documents go.
    crawl: u32,
    /// The end of the archive that was read.
    pages: Position,
    /// The next record of rows.
    rows: u64,
    /// The first record whose rows still miss values of pages that were not read.
    open: u64,
}

/// Documents after which the index commits, when there are so many.
const COMMIT: u64 = 20_000;

/// Records of rows that are looked at again when a page that completes rows comes.
const LOOK_BACK: u64 = 20_000;

/// How often a running crawl's index follows it.
const EVERY: Duration = Duration::from_millis(1_500);

/// Text that is indexed of a page, in bytes.
const LONGEST_TEXT: usize = 1 << 20;

/// Brings an index up to what is committed.
pub(crate) fn catch_up(data: &Data, index: &Arc<OpenIndex>) -> Result<(), ServiceError> {
    // Whoever comes second finds it done.
    let mut feeding = index.feeding();
    if index.is_ended() {
        return Ok(());
    }
    let mut cursor = cursor(index)?;
    let mut work = Work { index, writer: feeding.take(), fields: None, waiting: Vec::new(), since: 0 };
    let before = cursor.clone();
    for name in index.settings.projects.clone() {
        let Some(entry) = name.parse().ok().and_then(|name| data.project(Some(&name)).ok()) else { continue };
        let mut of_project = cursor.0.get(&name).cloned().unwrap_or_default();
        if of_project.crawl != entry.crawl.0 {
            if of_project.crawl != 0 {
                work.remove_project(&name)?;
            }
            of_project = ProjectCursor { crawl: entry.crawl.0, ..ProjectCursor::default() };
        }
        cursor.0.insert(name.clone(), of_project);
        let reads = |source| index.settings.of == Source::Both || index.settings.of == source;
        if reads(Source::Pages) {
            pages(data, &entry, &mut work, &mut cursor)?;
        }
        if reads(Source::Rows) && entry.project.fields.is_some() {
            project_rows(data, &entry, &mut work, &mut cursor)?;
        }
    }
    if cursor != before || work.since > 0 {
        work.commit(&cursor)?;
    }
    *feeding = work.writer;
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
struct Work<'a> {
    index: &'a OpenIndex,
    writer: Option<Writer>,
    fields: Option<Arc<Fields>>,
    /// The first documents, before there is an index: it is made in their language.
    waiting: Vec<Document>,
    /// Documents put since the last commit.
    since: u64,
}

/// Documents that tell an index's language.
const SAMPLE: usize = 50;

impl Work<'_> {
    fn put(&mut self, document: Document) -> Result<(), ServiceError> {
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

    fn remove(&mut self, id: &str) -> Result<(), ServiceError> {
        self.waiting.retain(|document| document.id != id);
        if self.index.index()?.is_some() {
            self.since += 1;
            self.writer()?.remove(id);
        }
        Ok(())
    }

    /// Removes all rows of a page.
    fn remove_rows(&mut self, project: &str, page: &str) -> Result<(), ServiceError> {
        self.waiting.retain(|document| document.page.as_deref() != Some(page));
        if self.index.index()?.is_some() {
            self.since += 1;
            self.writer()?.remove_all(search::PAGE_FIELD, &search::page_key(project, page));
        }
        Ok(())
    }

    fn remove_project(&mut self, project: &str) -> Result<(), ServiceError> {
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

    fn commit(&mut self, cursor: &Cursor) -> Result<(), ServiceError> {
        if self.index.index()?.is_none() {
            // Nothing to search yet, and so nothing to note.
            if self.waiting.is_empty() {
                return Ok(());
            }
            self.begin()?;
        }
        let text =
            serde_json::to_string(cursor).map_err(|error| ServiceError::Settings(error.to_string()))?;
        self.writer()?.commit(&text)?;
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

fn pages(
    data: &Data,
    entry: &ProjectEntry,
    work: &mut Work<'_>,
    cursor: &mut Cursor,
) -> Result<(), ServiceError> {
    let name = entry.project.name.as_str();
    let committed = data.store().get(&POSITIONS, &entry.crawl.0)?.unwrap_or_default().position;
    let from = cursor.0[name].pages;
    let dir = data.archive_dir(entry.crawl);
    if committed == from || !dir.is_dir() {
        return Ok(());
    }
    // Rows are read by their own feed.
    let plain = Project { fields: None, ..entry.project.clone() };
    let reader = PageReader::new(&plain, PageReader::product(&plain.crawl))
        .map_err(|error| ServiceError::Settings(error.to_string()))?;
    let snapshot = data.store().snapshot();
    let mut failed = None;
    let walked = visits_from(&dir, from, Some(committed), plain.crawl.normalise(), &mut |archived| {
        let end = archived
            .visit
            .location
            .map(|place| Position { file: place.file, length: place.offset + u64::from(place.length) });
        let took = page(&snapshot, entry, &reader, archived, work);
        if let Err(error) = took {
            failed = Some(error);
            return Err(ServiceError::Lost);
        }
        if work.since >= COMMIT {
            // The metadata record behind the answer is read again by the next walk, which knows no answer for it.
            if let (Some(end), Some(of_project)) = (end, cursor.0.get_mut(name)) {
                of_project.pages = end;
            }
            work.commit(cursor)?;
        }
        Ok(())
    });
    if let Some(error) = failed {
        return Err(error);
    }
    walked?;
    if let Some(of_project) = cursor.0.get_mut(name) {
        of_project.pages = committed;
    }
    Ok(())
}

fn page(
    snapshot: &Snapshot,
    entry: &ProjectEntry,
    reader: &PageReader,
    archived: Archived,
    work: &mut Work<'_>,
) -> Result<(), ServiceError> {
    let project = entry.project.name.as_str();
    let Archived { key, url, started, visit, outcome, metadata, answer } = archived;
    let id = page_id(project, url.as_str());
    let readable = matches!(visit.status, Some(200..=299)) && metadata.page.is_some();
    if !readable {
        let gone = matches!(visit.status, Some(404 | 410)) || matches!(outcome, Outcome::Redirected { .. });
        return if gone { work.remove(&id) } else { Ok(()) };
    }
    if visit.noindex {
        return work.remove(&id);
    }
    let content_type = visit.content_type.clone();
    let fetched = answer.fetched(url.clone(), started, visit.cut, &entry.project.crawl);
    if fetched.content.is_empty() {
        return Ok(());
    }
    let page = reader.read(&fetched).page;
    let (depth, anchors) = discovery(snapshot, entry, key)?;
    let text = if page.main.is_empty() { &page.text } else { &page.main };
    let text = text[..text.floor_char_boundary(LONGEST_TEXT)].to_owned();
    let language = language_of(&page, &text);
    work.put(Document {
        id,
        kind: DocumentKind::Page,
        project: project.to_owned(),
        url: url.as_str().to_owned(),
        page: None,
        title: if page.title.is_empty() { first_heading(&page) } else { page.title.clone() },
        author: page.author.clone(),
        date: page.published.as_ref().or(page.modified.as_ref()).and_then(|date| seconds_of(&date.at)),
        fetched: i64::try_from(started.0 / 1_000).unwrap_or(i64::MAX),
        language,
        file_type: content_type.as_deref().map(file_type),
        depth,
        image: image_of(&page),
        text,
        anchors,
        fields: Vec::new(),
    })
}

/// The name of a page in the indexes of a project.
pub(super) fn page_id(project: &str, url: &str) -> String {
    format!("page {project} {url}")
}

/// How deep a page is, and the words of the link that led to it.
fn discovery(
    snapshot: &Snapshot,
    entry: &ProjectEntry,
    key: UrlKey,
) -> Result<(Option<u32>, Vec<String>), ServiceError> {
    let Some(record) = snapshot.get(&URLS, &page_key(entry.crawl, key))? else {
        return Ok((None, Vec::new()));
    };
    let mut anchors = Vec::new();
    if let Some(via) = record.via {
        let links = snapshot.get(&LINKS, &page_key(entry.crawl, via))?.unwrap_or_default();
        for edge in links.edges.iter().filter(|edge| edge.target == key && !edge.anchor.is_empty()) {
            if !anchors.contains(&edge.anchor) && anchors.len() < 4 {
                anchors.push(edge.anchor.clone());
            }
        }
    }
    Ok((Some(record.depth), anchors))
}

fn first_heading(page: &Page) -> String {
    page.headings.first().map(|heading| heading.text.clone()).unwrap_or_default()
}

fn image_of(page: &Page) -> Option<String> {
    let shared = page.meta.iter().find(|(name, _)| name == "og:image").map(|(_, url)| url.clone());
    shared.or_else(|| page.images.first().map(|image| image.url.as_str().to_owned()))
}

/// The language as the page says, else as its words say.
fn language_of(page: &Page, text: &str) -> Option<String> {
    let said = page.language.as_deref().and_then(|code| code.split(['-', '_']).next()).map(str::to_lowercase);
    said.filter(|code| (2..=3).contains(&code.len()))
        .or_else(|| text::language(text).map(|language| language.code.to_string()))
}

fn file_type(content_type: &str) -> String {
    let kind = content_type.rsplit('/').next().unwrap_or(content_type);
    match kind {
        "xhtml+xml" => "html".to_owned(),
        "plain" => "txt".to_owned(),
        "markdown" => "md".to_owned(),
        kind if kind.contains("wordprocessingml") => "docx".to_owned(),
        kind if kind.contains("opendocument.text") => "odt".to_owned(),
        kind => kind.to_owned(),
    }
}

/// Seconds since 1970 of a day, or of a moment with its offset.
fn seconds_of(text: &str) -> Option<i64> {
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(moment.as_second());
    }
    let day: jiff::civil::Date = text.get(..10)?.parse().ok()?;
    day.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|midnight| midnight.timestamp().as_second())
}

fn project_rows(
    data: &Data,
    entry: &ProjectEntry,
    work: &mut Work<'_>,
    cursor: &mut Cursor,
) -> Result<(), ServiceError> {
    let name = entry.project.name.as_str().to_owned();
    let snapshot = data.store().snapshot();
    let end = rows::counts(&snapshot, entry.crawl)?.next;
    let read = cursor.0[&name].clone();
    if read.rows >= end {
        return Ok(());
    }
    let mut completes = false;
    for record in snapshot.range(&ROWS, (entry.crawl.0, read.rows)..(entry.crawl.0, end)) {
        let (_, page) = record?;
        completes |= page.detail;
        work.remove_rows(&name, page.url.as_str())?;
    }
    let from =
        if completes { read.open.max(read.rows.saturating_sub(LOOK_BACK)).min(read.rows) } else { read.rows };
    let layout = Layout::of(&snapshot, entry.crawl, entry.project.fields.as_ref())?;
    let state = RowState { crawl: entry.crawl, end, normalise: entry.project.crawl.normalise() };
    let mut first_open = end;
    let mut put = |listed: Listed| {
        if !listed.unread.is_empty() {
            first_open = first_open.min(listed.number);
        }
        work.put(row(&name, &layout, &listed))?;
        Ok(true)
    };
    Listing::new(&snapshot, &state, &layout)?.walk(from, &mut put)?;
    if let Some(of_project) = cursor.0.get_mut(&name) {
        of_project.rows = end;
        of_project.open = if completes || read.open >= read.rows { first_open } else { read.open };
    }
    Ok(())
}

/// A row as a document: its link is where it leads, its best words are its title.
fn row(project: &str, layout: &Layout, listed: &Listed) -> Document {
    let page = listed.page.url.as_str();
    let mut document = Document {
        id: format!("row {project} {page} {} {}", listed.page_type, listed.position),
        kind: DocumentKind::Row,
        project: project.to_owned(),
        url: page.to_owned(),
        page: Some(page.to_owned()),
        fetched: i64::try_from(listed.page.visited.0 / 1_000).unwrap_or(i64::MAX),
        ..Document::default()
    };
    let mut linked = false;
    let mut texts: Vec<String> = Vec::new();
    for (at, value) in listed.values.iter().enumerate() {
        let name = layout.field_name(at);
        let values: &[Value] = match value {
            Value::List(values) => values,
            one => std::slice::from_ref(one),
        };
        for value in values {
            let (value, is_text) = match value {
                Value::Empty | Value::Html(_) | Value::Json(_) | Value::List(_) => continue,
                Value::Text(text) => (FieldValue::Text(text.clone()), true),
                Value::Number(number) => (FieldValue::Number(*number, number.to_string()), true),
                Value::Price { amount, currency } => {
                    let written = format!("{amount} {}", currency.as_deref().unwrap_or_default());
                    (FieldValue::Number(*amount, written.trim().to_owned()), true)
                }
                Value::Date(text) => match seconds_of(text) {
                    Some(seconds) => {
                        document.date.get_or_insert(seconds);
                        (FieldValue::Date(seconds, text.clone()), false)
                    }
                    None => (FieldValue::Text(text.clone()), false),
                },
                Value::Link(url) => {
                    if !std::mem::replace(&mut linked, true) {
                        document.url = url.clone();
                    }
                    (FieldValue::Text(url.clone()), false)
                }
                Value::Image(url) => {
                    document.image.get_or_insert_with(|| url.clone());
                    (FieldValue::Text(url.clone()), false)
                }
            };
            if is_text && document.title.is_empty() && matches!(name, "title" | "name" | "headline") {
                document.title = value.text().to_owned();
            } else if is_text && !texts.iter().any(|known| known == value.text()) {
                texts.push(value.text().to_owned());
            }
            document.fields.push((name.to_owned(), value));
        }
    }
    if document.title.is_empty() && !texts.is_empty() {
        document.title = texts.remove(0);
    }
    document.text = texts.join("\n");
    document
}

/// Follows a running crawl, so that what it commits is searchable in seconds.
pub(crate) struct Follower {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Begins to follow, if there is an index over the project.
pub(crate) fn follow(data: &Arc<Data>, project: &str) -> Result<Option<Follower>, ServiceError> {
    let indexes = open::over(data, project)?;
    if indexes.is_empty() {
        return Ok(None);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let (data, told, project) = (Arc::clone(data), Arc::clone(&stop), project.to_owned());
    let work = move || {
        loop {
            let last = told.load(Ordering::Acquire);
            // Also those that were made while the crawl runs.
            for index in open::over(&data, &project).unwrap_or_default() {
                if let Err(error) = catch_up(&data, &index) {
                    tracing::warn!(index = %index.name, %error, "the index does not follow the crawl");
                }
            }
            if last {
                return;
            }
            std::thread::park_timeout(EVERY);
        }
    };
    let thread = std::thread::Builder::new().name("index".to_owned()).spawn(work);
    let thread = thread.map_err(ServiceError::io("start a thread for", "the index"))?;
    Ok(Some(Follower { stop, thread: Some(thread) }))
}

impl Drop for Follower {
    /// Reads what is still to be read, and ends.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
