//! Walking a crawl's URLs together with their visits: both tables have the same order, so one pass serves.

use std::iter::Peekable;
use std::ops::RangeInclusive;

use archive::tables::{VISITS, VisitRecord};
use frontier::tables::{PageKey, REVISITS, RevisitRecord, URLS, UrlRecord};
use kv::{Entries, KvError, Reader};
use model::{CrawlId, HostKey, Outcome, Timestamp, UrlKey};

use crate::versions::{Visited, put_in_order};

/// A URL and its latest visit.
pub(crate) struct Met {
    pub(crate) key: UrlKey,
    /// A page that is asked for again has the outcome that it had.
    pub(crate) record: UrlRecord,
    /// What it is waiting for, if it is such a page.
    pub(crate) again: Option<Outcome>,
    pub(crate) last: Option<(Timestamp, VisitRecord)>,
    /// The latest visit whose page is kept.
    pub(crate) version: Option<(Timestamp, VisitRecord)>,
    /// The title and the content type of what is kept; of other URLs those that a visit brought last.
    pub(crate) title: Option<String>,
    pub(crate) content_type: Option<String>,
}

/// URLs of a crawl with their visits, in the order of their keys.
pub(crate) struct Walk {
    urls: Entries<PageKey, UrlRecord>,
    visits: Peekable<Entries<(u32, u64, u128, u64), VisitRecord>>,
    revisits: Peekable<Entries<PageKey, RevisitRecord>>,
    /// Those of one URL.
    seen: Vec<Visited>,
}

impl Walk {
    /// All URLs of a crawl.
    pub(crate) fn all(reader: &impl Reader, crawl: CrawlId) -> Walk {
        Walk::within(reader, (crawl.0, 0, 0)..=(crawl.0, u64::MAX, u128::MAX))
    }

    /// The URLs of one host.
    pub(crate) fn host(reader: &impl Reader, crawl: CrawlId, host: HostKey) -> Walk {
        Walk::within(reader, (crawl.0, host.0, 0)..=(crawl.0, host.0, u128::MAX))
    }

    /// The URLs whose keys lie in a range.
    pub(crate) fn within(reader: &impl Reader, range: RangeInclusive<PageKey>) -> Walk {
        let (first, last) = (*range.start(), *range.end());
        let visits = (first.0, first.1, first.2, 0)..=(last.0, last.1, last.2, u64::MAX);
        let visits = reader.range(&VISITS, visits).peekable();
        let revisits = reader.range(&REVISITS, range.clone()).peekable();
        Walk { urls: reader.range(&URLS, range), visits, revisits, seen: Vec::new() }
    }
}

impl Met {
    /// The outcome in words; of a page that is kept although it was not there, or not to be had, both.
    pub(crate) fn words(&self) -> String {
        let outcome = &self.record.outcome;
        if let Some(again) = &self.again {
            return format!("{outcome}, kept; asked for again: {again}");
        }
        match &self.last {
            Some((_, visit)) if outcome.is_page() && !matches!(visit.status, Some(200..=299 | 304)) => {
                let asked = match (&visit.error, visit.status) {
                    (Some(error), _) => error.to_string(),
                    (None, status) => status.map_or("no answer".to_owned(), |status| status.to_string()),
                };
                format!("{outcome}, kept; last asked: {asked}")
            }
            _ => outcome.to_string(),
        }
    }
}

impl Iterator for Walk {
    type Item = Result<Met, KvError>;

    fn next(&mut self) -> Option<Result<Met, KvError>> {
        let (row, record) = match self.urls.next()? {
            Ok(row) => row,
            Err(error) => return Some(Err(error)),
        };
        let key = UrlKey { host: HostKey(row.1), page: row.2 };
        let (again, version) = (None, None);
        let mut met = Met { key, record, again, last: None, version, title: None, content_type: None };
        while let Some(revisit) =
            self.revisits.next_if(|revisit| revisit.as_ref().map_or(true, |(key, _)| *key <= row))
        {
            let (key, RevisitRecord { was }) = match revisit {
                Ok(revisit) => revisit,
                Err(error) => return Some(Err(error)),
            };
            if key == row && was.is_page() && met.record.outcome.is_open() {
                met.again = Some(std::mem::replace(&mut met.record.outcome, was));
            }
        }
        while let Some(visit) =
            self.visits.next_if(|visit| visit.as_ref().map_or(true, |((c, h, p, _), _)| (*c, *h, *p) <= row))
        {
            let ((crawl, host, page, start), visit) = match visit {
                Ok(visit) => visit,
                Err(error) => return Some(Err(error)),
            };
            if (crawl, host, page) == row {
                self.seen.push(Visited { at: Timestamp(start), visit });
            }
        }
        put_in_order(&mut self.seen);
        for visited in self.seen.drain(..) {
            let is_version = visited.is_version();
            let Visited { at, visit } = visited;
            if visit.content_type.is_some() && visit.status != Some(304) {
                met.content_type.clone_from(&visit.content_type);
            }
            if visit.title.is_some() {
                met.title.clone_from(&visit.title);
            }
            if is_version {
                met.version = Some((at, visit.clone()));
            }
            met.last = Some((at, visit));
        }
        // Of a page that is kept, and not of what its server says instead while it is missing.
        if met.record.outcome.is_page()
            && let Some((_, kept)) = &met.version
        {
            met.title.clone_from(&kept.title);
            met.content_type.clone_from(&kept.content_type);
        }
        Some(Ok(met))
    }
}

#[cfg(test)]
mod tests {
    use archive::Location;
    use kv::{Durability, Store};
    use model::{ErrorKind, PageUrl};

    use super::*;

    /// (what it was, what it is, status of the last visit, how it is met, its words)
    #[test]
    fn a_page_that_is_asked_for_again_is_what_it_was() {
        let failed = Outcome::Retrying { error: ErrorKind::Connect, tries: 1, due: Timestamp(9) };
        let cases = [
            (None, Outcome::Fetched, Some(200), "fetched", "fetched"),
            (None, Outcome::Waiting, None, "waiting", "waiting"),
            (None, Outcome::Fetched, Some(404), "fetched", "fetched, kept; last asked: 404"),
            (Some(Outcome::Fetched), Outcome::Waiting, Some(200), "fetched", "asked for again: waiting"),
            (Some(Outcome::NotModified), failed, None, "not-modified", "asked for again: failed: "),
            // A page was given up for it.
            (Some(Outcome::Waiting), Outcome::Waiting, None, "waiting", "waiting"),
        ];
        for (was, outcome, status, name, words) in cases {
            let store = Store::memory();
            let mut batch = store.batch();
            let record = url_record(outcome);
            let key = UrlKey::of(&record.url);
            batch.put(&URLS, &(1, key.host.0, key.page), &record);
            if let Some(was) = was {
                batch.put(&REVISITS, &(1, key.host.0, key.page), &RevisitRecord { was });
            }
            for (at, status) in [(10, Some(200)), (20, status)] {
                let location = (status == Some(200)).then_some(Location { file: 0, offset: at, length: 1 });
                let visit = VisitRecord { status, location, ..VisitRecord::default() };
                batch.put(&VISITS, &(1, key.host.0, key.page, at), &visit);
            }
            store.commit(batch, Durability::Buffered).unwrap();
            let met = Walk::all(&store, CrawlId(1)).next().unwrap().unwrap();
            assert_eq!(met.record.outcome.name(), name);
            assert!(met.words().contains(words), "{}", met.words());
            assert!(met.version.is_some_and(|(_, visit)| visit.location.is_some()));
        }
    }

    fn url_record(outcome: Outcome) -> UrlRecord {
        UrlRecord {
            url: PageUrl::parse("http://a.test/").unwrap(),
            depth: 0,
            via: None,
            found: Timestamp(1),
            outcome,
            arrival: 0,
            priority: 0,
            tries: 0,
            busy: 0,
            hops: 0,
        }
    }

    /// (clock, place in the archive, status) of visits, and which of them is the latest, whose title and type are told.
    #[test]
    fn the_latest_visit_is_the_last_of_the_archive_and_then_of_the_clock() {
        type Seen = (u64, Option<u64>, Option<u16>);
        let cases: [(&[Seen], u64, u64); 7] = [
            (&[(10, Some(0), Some(200)), (20, Some(100), Some(200))], 20, 20),
            // The clock was ahead at the first.
            (&[(10, Some(100), Some(200)), (9_000, Some(0), Some(200))], 10, 10),
            // What failed or found no change left nothing in the archive.
            (&[(10, Some(100), Some(200)), (20, None, None), (9_000, Some(0), Some(200))], 20, 10),
            (&[(10, Some(100), Some(200)), (9_000, Some(0), Some(200)), (9_500, None, Some(304))], 10, 10),
            (&[(10, Some(0), Some(200)), (20, None, Some(304)), (30, None, None)], 30, 10),
            (&[(10, None, None), (20, None, None)], 20, 0),
            // The page that says so is not the one that is kept.
            (&[(10, Some(0), Some(200)), (20, Some(100), Some(404))], 20, 10),
        ];
        for (number, (visits, last, told)) in cases.into_iter().enumerate() {
            let store = Store::memory();
            let mut batch = store.batch();
            let record = url_record(Outcome::Fetched);
            let key = UrlKey::of(&record.url);
            batch.put(&URLS, &(1, key.host.0, key.page), &record);
            for (at, place, status) in visits.iter().copied() {
                let is_page = matches!(status, Some(200 | 404));
                let visit = VisitRecord {
                    status,
                    error: status.is_none().then_some(ErrorKind::Timeout),
                    location: place.map(|offset| Location { file: 0, offset, length: 10 }),
                    title: is_page.then(|| at.to_string()),
                    content_type: is_page.then(|| format!("text/{at}")),
                    ..VisitRecord::default()
                };
                batch.put(&VISITS, &(1, key.host.0, key.page, at), &visit);
            }
            store.commit(batch, Durability::Buffered).unwrap();
            let met = Walk::all(&store, CrawlId(1)).next().unwrap().unwrap();
            assert_eq!(met.last.unwrap().0, Timestamp(last), "case {number}");
            let told = (told > 0).then_some(told);
            assert_eq!(met.title, told.map(|told| told.to_string()), "case {number}");
            assert_eq!(met.content_type, told.map(|told| format!("text/{told}")), "case {number}");
        }
    }
}
