//! Pages into an index: those that a running crawl has just read as they are, all others from the archive.

use archive::Position;
use archive::tables::{LINKS, Links, POSITIONS, VisitRecord};
use catalog::ProjectEntry;
use crawl::{FreshVisit, PageReader};
use frontier::tables::{URLS, UrlRecord};
use frontier::{kept_as, page_key};
use kv::{Reader, Snapshot};
use model::{Outcome, Page, PageUrl, Project, Timestamp, UrlKey};
use search::{Document, DocumentKind};

use super::feed::{COMMIT, Cursor, Following, Work, seconds_of};
use crate::duplicates::Groups;
use crate::rebuild::{Archived, visits_from};
use crate::versions::{self, KeptPages, Visited};
use crate::{Data, ServiceError};

/// Text that tells a page's language, in bytes.
const LANGUAGE_TEXT: usize = 8 << 10;

/// Text that is indexed of a page, in bytes.
const LONGEST_TEXT: usize = 1 << 20;

pub(super) fn pages(
    data: &Data,
    entry: &ProjectEntry,
    following: Option<Following<'_>>,
    work: &mut Work<'_>,
    cursor: &mut Cursor,
) -> Result<(), ServiceError> {
    let committed = data.store().get(&POSITIONS, &entry.crawl.0)?.unwrap_or_default().position;
    let groups = match following {
        Some(Following { last: false, .. }) => data.search_groups().last(entry.crawl),
        _ => data.search_groups().get(data, entry)?,
    };
    let snapshot = data.store().snapshot();
    let mut feed =
        PageFeed { data, entry, snapshot: &snapshot, groups: groups.as_deref(), linking: None, work, cursor };
    if let Some((start, visits)) = following.and_then(|following| following.fresh.until(committed))
        && visits.last().is_some_and(|last| last.end > feed.at())
    {
        if start > feed.at() {
            feed.walk(start)?;
        }
        for visit in visits.iter().filter(|visit| visit.end > start) {
            if visit.end > feed.at() {
                feed.fresh(visit)?;
            }
        }
    }
    feed.walk(committed)?;
    let is_settled = match &groups {
        Some(groups) => feed.work.index.is_settled(entry.crawl, groups),
        None => false,
    };
    if following.is_none_or(|following| following.last) && !is_settled {
        feed.settle()?;
        feed.work.index.settle(entry.crawl, groups);
    }
    Ok(())
}

/// Visits of one project on their way into an index.
struct PageFeed<'a, 'w> {
    data: &'a Data,
    entry: &'a ProjectEntry,
    snapshot: &'a Snapshot,
    /// Which pages stand for others.
    groups: Option<&'a Groups>,
    /// The links of the page that led to the last one: it often led to the next one, too.
    linking: Option<(UrlKey, Links)>,
    work: &'a mut Work<'w>,
    cursor: &'a mut Cursor,
}

impl PageFeed<'_, '_> {
    /// How far the index has come.
    fn at(&self) -> Position {
        self.cursor.0[self.entry.project.name.as_str()].pages
    }

    fn reached(&mut self, position: Position) {
        if let Some(of_project) = self.cursor.0.get_mut(self.entry.project.name.as_str()) {
            of_project.pages = position;
        }
    }

    fn commit_if_much(&mut self) -> Result<(), ServiceError> {
        if self.work.since < COMMIT { Ok(()) } else { self.work.commit(self.cursor) }
    }

    /// Reads the archive from where the index is up to `end`.
    fn walk(&mut self, end: Position) -> Result<(), ServiceError> {
        let from = self.at();
        let dir = self.data.archive_dir(self.entry.crawl);
        if end <= from || !dir.is_dir() {
            return Ok(());
        }
        // Rows are read by their own feed.
        let plain = Project { fields: None, ..self.entry.project.clone() };
        let reader = PageReader::new(&plain, PageReader::product(&plain.crawl))
            .map_err(|error| ServiceError::Settings(error.to_string()))?;
        let mut failed = None;
        let walked = visits_from(&dir, from, Some(end), plain.crawl.normalise(), &mut |archived| {
            let behind = archived
                .visit
                .location
                .map(|place| Position { file: place.file, length: place.offset + u64::from(place.length) });
            if let Err(error) = self.archived(&reader, archived) {
                failed = Some(error);
                return Err(ServiceError::Lost);
            }
            if self.work.since >= COMMIT
                && let Some(behind) = behind
            {
                // The metadata record behind the answer is read again by the next walk, which knows no answer for it.
                self.reached(behind);
            }
            self.commit_if_much()
        });
        if let Some(error) = failed {
            return Err(error);
        }
        walked?;
        self.reached(end);
        Ok(())
    }

    /// A visit from the archive.
    fn archived(&mut self, reader: &PageReader, archived: Archived) -> Result<(), ServiceError> {
        let Archived { key, url, started, visit, outcome, metadata, answer } = archived;
        let redirected = matches!(outcome, Outcome::Redirected { .. });
        if !matches!(visit.status, Some(200..=299)) || metadata.page.is_none() {
            return self.page(&url, key, started, &visit, redirected, None);
        }
        let fetched = answer.fetched(url.clone(), started, visit.cut, &self.entry.project.crawl);
        let page = (!visit.noindex && !fetched.content.is_empty()).then(|| reader.read(&fetched).page);
        self.page(&url, key, started, &visit, redirected, page.as_ref())
    }

    /// A visit that was just read.
    fn fresh(&mut self, fresh: &FreshVisit) -> Result<(), ServiceError> {
        let FreshVisit { end, url, key, started, visit, redirected, page } = fresh;
        let page = page.as_ref().filter(|_| matches!(visit.status, Some(200..=299)));
        self.page(url, *key, *started, visit, *redirected, page)?;
        self.reached(*end);
        self.commit_if_much()
    }

    fn page(
        &mut self,
        url: &PageUrl,
        key: UrlKey,
        started: Timestamp,
        visit: &VisitRecord,
        redirected: bool,
        page: Option<&Page>,
    ) -> Result<(), ServiceError> {
        let project = self.entry.project.name.as_str();
        let id = page_id(project, url.as_str());
        let readable = matches!(visit.status, Some(200..=299));
        // One answer does not decide of a page that is kept.
        let is_elsewhere = redirected || matches!(visit.status, Some(404 | 410));
        if is_elsewhere && !self.is_page(key)? || readable && visit.noindex {
            return self.work.remove(&id);
        }
        let Some(page) = page else { return Ok(()) };
        if self.is_left_out(key) {
            self.work.left_out.insert(self.entry.crawl, key);
            return self.work.remove(&id);
        }
        self.work.left_out.remove(self.entry.crawl, key);
        let (depth, anchors) = self.discovery(key)?;
        let text = if page.main.is_empty() { &page.text } else { &page.main };
        let text = text[..text.floor_char_boundary(LONGEST_TEXT)].to_owned();
        let language = language_of(page, &text);
        self.work.put(Document {
            id,
            kind: DocumentKind::Page,
            project: project.to_owned(),
            url: url.as_str().to_owned(),
            page: None,
            title: if page.title.is_empty() { first_heading(page) } else { page.title.clone() },
            author: page.author.clone(),
            date: page.published.as_ref().or(page.modified.as_ref()).and_then(|date| seconds_of(&date.at)),
            fetched: i64::try_from(started.0 / 1_000).unwrap_or(i64::MAX),
            language,
            file_type: visit.content_type.as_deref().map(file_type),
            depth,
            image: image_of(page),
            text,
            anchors,
            fields: Vec::new(),
        })
    }

    fn is_left_out(&self, key: UrlKey) -> bool {
        self.groups.is_some_and(|groups| groups.is_left_out(key))
    }

    /// Leaves out the pages that others stand for now, and brings those back for which nobody does any more.
    fn settle(&mut self) -> Result<(), ServiceError> {
        let crawl = self.entry.crawl;
        for key in self.groups.into_iter().flat_map(Groups::left_out) {
            if self.work.left_out.contains(crawl, key) {
                continue;
            }
            if let Some(record) = self.snapshot.get(&URLS, &page_key(crawl, key))? {
                self.work.left_out.insert(crawl, key);
                self.work.remove(&page_id(self.entry.project.name.as_str(), record.url.as_str()))?;
                self.commit_if_much()?;
            }
        }
        let mut kept = None;
        for key in self.work.left_out.of(crawl) {
            if self.is_left_out(key) {
                continue;
            }
            let kept = match &mut kept {
                Some(kept) => kept,
                None => kept.insert(KeptPages::of(self.data, self.entry)?),
            };
            self.bring_back(kept, key)?;
            self.commit_if_much()?;
        }
        Ok(())
    }

    /// Puts a page as it was last read; one that cannot be read any more is not missed.
    fn bring_back(&mut self, kept: &KeptPages, key: UrlKey) -> Result<(), ServiceError> {
        let crawl = self.entry.crawl;
        self.work.left_out.remove(crawl, key);
        let Some(record) = self.snapshot.get(&URLS, &page_key(crawl, key))? else { return Ok(()) };
        if !record.outcome.is_page() && !record.outcome.is_open() {
            return Ok(());
        }
        let last = versions::visits(self.snapshot, crawl, key)?.into_iter().rfind(Visited::is_version);
        let Some(visited) = last.filter(|visited| !visited.visit.noindex) else { return Ok(()) };
        let Ok(page) = kept.page(&record.url, &visited) else { return Ok(()) };
        self.page(&record.url, key, visited.at, &visited.visit, false, Some(&page))
    }

    /// True of a page that stands although it was missing once: that may pass.
    fn is_page(&self, key: UrlKey) -> Result<bool, ServiceError> {
        let record = self.snapshot.get(&URLS, &page_key(self.entry.crawl, key))?;
        let Some(UrlRecord { outcome, .. }) = record else { return Ok(false) };
        Ok(outcome.is_page() || kept_as(self.snapshot, self.entry.crawl, key, &outcome)?.is_some())
    }

    /// How deep a page is, and the words of the link that led to it.
    fn discovery(&mut self, key: UrlKey) -> Result<(Option<u32>, Vec<String>), ServiceError> {
        let Some(record) = self.snapshot.get(&URLS, &page_key(self.entry.crawl, key))? else {
            return Ok((None, Vec::new()));
        };
        let mut anchors: Vec<String> = Vec::new();
        if let Some(via) = record.via {
            if self.linking.as_ref().is_none_or(|(known, _)| *known != via) {
                let links = self.snapshot.get(&LINKS, &page_key(self.entry.crawl, via))?;
                self.linking = Some((via, links.unwrap_or_default()));
            }
            let edges = self.linking.iter().flat_map(|(_, links)| &links.edges);
            for edge in edges.filter(|edge| edge.target == key && !edge.anchor.is_empty()) {
                if !anchors.iter().any(|known| **known == *edge.anchor) && anchors.len() < 4 {
                    anchors.push(edge.anchor.to_string());
                }
            }
        }
        Ok((Some(record.depth), anchors))
    }
}

/// The name of a page in the indexes of a project.
pub(super) fn page_id(project: &str, url: &str) -> String {
    format!("page {project} {url}")
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
    said.filter(|code| (2..=3).contains(&code.len())).or_else(|| {
        let beginning = &text[..text.floor_char_boundary(LANGUAGE_TEXT)];
        text::language(beginning).map(|language| language.code.to_string())
    })
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
