//! Walking a crawl's URLs together with their visits: both tables have the same order, so one pass serves.

use std::iter::Peekable;
use std::ops::RangeInclusive;

use archive::tables::{VISITS, VisitRecord};
use frontier::tables::{PageKey, URLS, UrlRecord};
use kv::{Entries, KvError, Reader};
use model::{CrawlId, HostKey, Timestamp, UrlKey};

use crate::versions::{Visited, put_in_order};

/// A URL and its latest visit.
pub(crate) struct Met {
    pub(crate) key: UrlKey,
    pub(crate) record: UrlRecord,
    pub(crate) last: Option<(Timestamp, VisitRecord)>,
    /// The latest title that a visit brought, and the content type with it: a 304 has neither.
    pub(crate) title: Option<String>,
    pub(crate) content_type: Option<String>,
}

/// URLs of a crawl with their visits, in the order of their keys.
pub(crate) struct Walk {
    urls: Entries<PageKey, UrlRecord>,
    visits: Peekable<Entries<(u32, u64, u128, u64), VisitRecord>>,
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
        Walk { urls: reader.range(&URLS, range), visits, seen: Vec::new() }
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
        let mut met = Met { key, record, last: None, title: None, content_type: None };
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
        for Visited { at, visit } in self.seen.drain(..) {
            if visit.content_type.is_some() && visit.status != Some(304) {
                met.content_type.clone_from(&visit.content_type);
            }
            if visit.title.is_some() {
                met.title.clone_from(&visit.title);
            }
            met.last = Some((at, visit));
        }
        Some(Ok(met))
    }
}

#[cfg(test)]
mod tests {
    use archive::Location;
    use kv::{Durability, Store};
    use model::{ErrorKind, Outcome, PageUrl};

    use super::*;

    /// (clock, place in the archive, status) of visits, and which of them is the latest, whose title and type are told.
    #[test]
    fn the_latest_visit_is_the_last_of_the_archive_and_then_of_the_clock() {
        type Seen = (u64, Option<u64>, Option<u16>);
        let cases: [(&[Seen], u64, u64); 6] = [
            (&[(10, Some(0), Some(200)), (20, Some(100), Some(200))], 20, 20),
            // The clock was ahead at the first.
            (&[(10, Some(100), Some(200)), (9_000, Some(0), Some(200))], 10, 10),
            // What failed or found no change left nothing in the archive.
            (&[(10, Some(100), Some(200)), (20, None, None), (9_000, Some(0), Some(200))], 20, 10),
            (&[(10, Some(100), Some(200)), (9_000, Some(0), Some(200)), (9_500, None, Some(304))], 10, 10),
            (&[(10, Some(0), Some(200)), (20, None, Some(304)), (30, None, None)], 30, 10),
            (&[(10, None, None), (20, None, None)], 20, 0),
        ];
        for (number, (visits, last, told)) in cases.into_iter().enumerate() {
            let store = Store::memory();
            let mut batch = store.batch();
            let url = PageUrl::parse("http://a.test/").unwrap();
            let key = UrlKey::of(&url);
            let record = UrlRecord {
                url,
                depth: 0,
                via: None,
                found: Timestamp(1),
                outcome: Outcome::Fetched,
                arrival: 0,
                priority: 0,
                tries: 0,
                busy: 0,
                hops: 0,
            };
            batch.put(&URLS, &(1, key.host.0, key.page), &record);
            for (at, place, status) in visits.iter().copied() {
                let is_page = status == Some(200);
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
