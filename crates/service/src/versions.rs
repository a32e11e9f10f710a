//! Versions of pages: the visits that brought a text, and the page as each of them found it.

use archive::tables::{VISITS, VisitRecord};
use archive::{ArchiveReader, Location};
use catalog::ProjectEntry;
use crawl::PageReader;
use frontier::tables::PageKey;
use kv::{Reader, Snapshot};
use model::{CrawlId, CrawlSettings, Fetched, Page, PageUrl, Project, Timestamp, UrlKey};

use crate::{Data, ServiceError, stored};

/// A visit of a page.
pub(crate) struct Visited {
    pub(crate) at: Timestamp,
    pub(crate) visit: VisitRecord,
}

impl Visited {
    /// True of a visit whose page is kept.
    pub(crate) fn is_version(&self) -> bool {
        self.visit.location.is_some() && matches!(self.visit.status, Some(200..=299))
    }
}

/// Every visit of a page, oldest first.
pub(crate) fn visits(snapshot: &Snapshot, crawl: CrawlId, key: UrlKey) -> Result<Vec<Visited>, ServiceError> {
    let rows = snapshot.prefix(&VISITS, &(crawl.0, key.host.0, key.page));
    let mut visits: Vec<Visited> = rows
        .map(|row| row.map(|((.., at), visit)| Visited { at: Timestamp(at), visit }))
        .collect::<Result<_, _>>()?;
    put_in_order(&mut visits);
    Ok(visits)
}

/// Puts visits that stand by the clock into the order of the archive: clocks may have been set back between them. One that
/// left nothing there, as it failed or found no change, stays behind the one before it by the clock.
pub(crate) fn put_in_order(visits: &mut Vec<Visited>) {
    if visits.iter().filter_map(|visited| visited.visit.location).is_sorted() {
        return;
    }
    let mut place = None;
    let mut placed: Vec<(Option<Location>, Visited)> = Vec::with_capacity(visits.len());
    for visited in visits.drain(..) {
        place = visited.visit.location.or(place);
        placed.push((place, visited));
    }
    placed.sort_by_key(|(place, _)| *place);
    visits.extend(placed.into_iter().map(|(_, visited)| visited));
}

/// The visits that brought a version of a page, oldest first. One with the content of the one before is none.
pub(crate) fn versions(
    snapshot: &Snapshot,
    crawl: CrawlId,
    key: UrlKey,
) -> Result<Vec<Visited>, ServiceError> {
    let mut versions: Vec<Visited> =
        visits(snapshot, crawl, key)?.into_iter().filter(Visited::is_version).collect();
    versions.dedup_by(|later, earlier| later.visit.content_hash == earlier.visit.content_hash);
    Ok(versions)
}

/// True when no visit of a page lies behind this place in the archive: clocks may have been set back between visits.
pub(crate) fn is_latest(
    reader: &impl Reader,
    page: &PageKey,
    place: Option<Location>,
) -> Result<bool, ServiceError> {
    for row in reader.prefix(&VISITS, page) {
        if row?.1.location > place {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A version of a page.
pub(crate) struct Source {
    pub(crate) fetched: Fetched,
    pub(crate) html: String,
    pub(crate) page: Page,
}

/// The content as text.
pub(crate) fn decoded(fetched: &Fetched, url: &PageUrl) -> String {
    let content_type = fetched.headers.get("content-type");
    extract::decode(&fetched.content, content_type, extract::Kind::Html, url).0.into_owned()
}

/// The markup of a page; documents, which are compared by their text, have none.
fn markup(fetched: &Fetched, url: &PageUrl) -> String {
    let is_markup = fetched.content_type().is_none_or(|kind| kind.contains("html") || kind.contains("xml"));
    if is_markup && !fetched.content.starts_with(b"%PDF-") { decoded(fetched, url) } else { String::new() }
}

/// Reads pages as they are kept.
pub(crate) struct KeptPages {
    archive: ArchiveReader,
    reader: PageReader,
    project: Project,
}

impl KeptPages {
    /// Those of a project.
    pub(crate) fn of(data: &Data, entry: &ProjectEntry) -> Result<KeptPages, ServiceError> {
        // Rows have a table of their own.
        let project = Project { fields: None, ..entry.project.clone() };
        let reader = PageReader::new(&project, PageReader::product(&project.crawl))
            .map_err(|error| ServiceError::Settings(error.to_string()))?;
        Ok(KeptPages { archive: ArchiveReader::new(data.archive_dir(entry.crawl)), reader, project })
    }

    /// How they were crawled.
    pub(crate) fn settings(&self) -> &CrawlSettings {
        &self.project.crawl
    }

    /// The answer that a visit brought.
    pub(crate) fn answer(&self, url: &PageUrl, visited: &Visited) -> Result<Fetched, ServiceError> {
        stored::answer(&self.archive, url, visited.at, &visited.visit, &self.project.crawl)
            .ok_or_else(|| ServiceError::NotKept(url.to_string()))
    }

    /// The page that a visit found.
    pub(crate) fn page(&self, url: &PageUrl, visited: &Visited) -> Result<Page, ServiceError> {
        Ok(self.reader.read(&self.answer(url, visited)?).page)
    }

    /// The page of an answer.
    pub(crate) fn read(&self, answer: &Fetched) -> Page {
        self.reader.read(answer).page
    }

    /// What a visit found: the answer, its markup, and the page read from it.
    pub(crate) fn source(&self, url: &PageUrl, visited: &Visited) -> Result<Source, ServiceError> {
        let fetched = self.answer(url, visited)?;
        let page = self.reader.read(&fetched).page;
        let html = markup(&fetched, url);
        Ok(Source { fetched, html, page })
    }

    /// The markup that a visit found.
    pub(crate) fn markup(&self, url: &PageUrl, visited: &Visited) -> Result<String, ServiceError> {
        Ok(markup(&self.answer(url, visited)?, url))
    }

    /// The page of an answer, as it would be with other markup.
    pub(crate) fn read_as(&self, fetched: &Fetched, html: String) -> Page {
        let mut fetched = fetched.clone();
        fetched.content = html.into_bytes().into();
        fetched.headers.0.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        fetched.headers.0.push(("content-type".to_owned(), "text/html; charset=utf-8".into()));
        self.reader.read(&fetched).page
    }

    /// The latest version of a page.
    pub(crate) fn latest(
        &self,
        snapshot: &Snapshot,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Page, ServiceError> {
        let seen = visits(snapshot, crawl, UrlKey::of(url))?;
        let last = seen.iter().rfind(|visited| visited.is_version());
        self.page(url, last.ok_or_else(|| ServiceError::NotKept(url.to_string()))?)
    }
}

#[cfg(test)]
mod tests {
    use kv::{Durability, Store};
    use model::HostKey;

    use super::*;

    /// A version of when the clock was wrong does not stay the latest.
    #[test]
    fn versions_stand_in_the_order_of_the_archive() {
        let store = Store::memory();
        let mut batch = store.batch();
        let key = UrlKey { host: HostKey(2), page: 3 };
        for (at, offset, content_hash) in [(10, 0, 1), (9_000, 100, 2), (20, 200, 3), (30, 300, 3)] {
            let location = Some(Location { file: 0, offset, length: 10 });
            let visit = VisitRecord { status: Some(200), content_hash, location, ..VisitRecord::default() };
            batch.put(&VISITS, &(1, key.host.0, key.page, at), &visit);
        }
        store.commit(batch, Durability::Buffered).unwrap();
        let found = versions(&store.snapshot(), CrawlId(1), key).unwrap();
        let found: Vec<u64> = found.iter().map(|visited| visited.visit.content_hash).collect();
        assert_eq!(found, [1, 2, 3]);
        let place = |offset| Some(Location { file: 0, offset, length: 10 });
        let latest = |offset| is_latest(&store, &(1, key.host.0, key.page), place(offset)).unwrap();
        assert_eq!([latest(100), latest(200), latest(300)], [false, false, true]);
    }
}
