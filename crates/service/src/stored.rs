//! Pages as they are kept: from a record of the archive back to the answer that it was, so that what reads pages in
//! a crawl can read them again.

use archive::tables::VisitRecord;
use archive::{ArchiveReader, HttpHead};
use bytes::Bytes;
use fetch::{DecodeLimits, decode};
use model::{CrawlSettings, Cut, Fetched, HttpVersion, PageUrl, Timestamp, Timings};

/// Longest block that is read back; bodies are far shorter.
pub(crate) const LONGEST: u64 = 256 << 20;

/// A block of a response record, taken apart.
pub(crate) struct Answer {
    pub(crate) http: HttpHead,
    /// As transferred.
    pub(crate) body: Bytes,
    /// Its content coding undone.
    pub(crate) content: Bytes,
}

impl Answer {
    pub(crate) fn of(block: &[u8]) -> Answer {
        let (http, body) = HttpHead::split(block);
        let limits = DecodeLimits { length: LONGEST, ratio: u64::MAX };
        let body = Bytes::from(body.to_vec());
        let coding = http.headers.get("content-encoding").unwrap_or_default();
        let content = decode(&body, coding, limits).map(|decoded| decoded.content).unwrap_or_default();
        Answer { http, body, content }
    }

    /// The answer as a crawl with these settings read it.
    pub(crate) fn fetched(
        self,
        url: PageUrl,
        started: Timestamp,
        cut: Option<Cut>,
        settings: &CrawlSettings,
    ) -> Fetched {
        let mut content = self.content;
        if cut == Some(Cut::Length) {
            let content_type = self.http.headers.get("content-type");
            let limit = settings.body_limit(content_type).unwrap_or(u64::MAX);
            content.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        }
        Fetched {
            url,
            address: None,
            version: HttpVersion::default(),
            started,
            timings: Timings::default(),
            request: Bytes::new(),
            status: self.http.status.unwrap_or_default(),
            head: Bytes::new(),
            headers: self.http.headers,
            body: self.body,
            content,
            cut,
        }
    }
}

/// The answer that a visit brought, if its record can be read.
pub(crate) fn answer(
    archive: &ArchiveReader,
    url: &PageUrl,
    started: Timestamp,
    visit: &VisitRecord,
    settings: &CrawlSettings,
) -> Option<Fetched> {
    let record = archive.record(visit.location?, LONGEST).ok()?;
    let right = record.head.target() == Some(url.as_str());
    right.then(|| Answer::of(&record.block).fetched(url.clone(), started, visit.cut, settings))
}
