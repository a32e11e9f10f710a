//! Walking a crawl's URLs together with their visits: both tables have the same order, so one pass serves.

use std::iter::Peekable;
use std::ops::RangeInclusive;

use archive::tables::{VISITS, VisitRecord};
use frontier::tables::{PageKey, URLS, UrlRecord};
use kv::{Entries, KvError, Reader};
use model::{CrawlId, HostKey, Timestamp, UrlKey};

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
        Walk { urls: reader.range(&URLS, range), visits: reader.range(&VISITS, visits).peekable() }
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
                if visit.content_type.is_some() && visit.status != Some(304) {
                    met.content_type.clone_from(&visit.content_type);
                }
                if visit.title.is_some() {
                    met.title.clone_from(&visit.title);
                }
                met.last = Some((Timestamp(start), visit));
            }
        }
        Some(Ok(met))
    }
}
