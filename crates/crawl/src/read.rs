//! Reading: from an answer to a page, its links and its WARC records. CPU work, on threads of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use archive::rows::{PageRows, Stand};
use archive::tables::VisitRecord;
use archive::{
    ArchiveReader, Digest, Kept, Location, Original, PackedLinks, Purpose, RecordKind, RecordWriter, Records,
    Visit,
};
use fetch::{Answer, NextStep, Share, Unwanted};
use frontier::{Asked, End, Patience, Sent, TextMark};
use judge::change::passing::lasting_hash;
use judge::fingerprint::{Fingerprint, FingerprintMaker};
use model::{
    CrawlId, CrawlSettings, EarlierVersion, ErrorKind, Fetched, KeepPages, LeaseId, LeasedUrl, OffTopic,
    Outcome, Page, PageUrl, Timestamp, UrlKey, Validators,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::fresh::Fresh;
use crate::page::PageReader;

/// An answer on its way to be read.
pub(crate) struct Job {
    pub(crate) lease: LeaseId,
    pub(crate) crawl: CrawlId,
    pub(crate) url: LeasedUrl,
    pub(crate) answer: Answer,
    pub(crate) sent: Sent,
    pub(crate) asked: Asked,
    pub(crate) slot: u32,
    /// Its share of the bytes in flight, kept until the visit is settled.
    pub(crate) room: Option<Share>,
}

/// What reading gives: everything the conductor needs to settle and keep the visit.
pub(crate) struct Read {
    pub(crate) lease: LeaseId,
    pub(crate) key: UrlKey,
    /// The visit's name among those of its URL, as in the archive.
    pub(crate) started: Timestamp,
    pub(crate) sent: Sent,
    pub(crate) asked: Asked,
    pub(crate) end: End,
    pub(crate) visit: VisitRecord,
    pub(crate) links: Option<PackedLinks>,
    /// What the visit says of the page's rows.
    pub(crate) rows: Option<PageRows>,
    pub(crate) records: Option<Records>,
    /// What is kept of its text to find its copies.
    pub(crate) fingerprint: Option<Box<Fingerprint>>,
    /// What was read, for whoever follows the crawl.
    pub(crate) fresh: Option<Box<FreshPage>>,
    pub(crate) slot: u32,
    /// How long reading took, in microseconds.
    pub(crate) micros: u64,
    pub(crate) room: Option<Share>,
}

/// A page as it was just read.
pub(crate) struct FreshPage {
    pub(crate) url: PageUrl,
    pub(crate) page: Option<Page>,
}

/// Reads answers; one per thread, as it keeps its buffers.
pub(crate) struct Reader {
    settings: CrawlSettings,
    pages: PageReader,
    records: RecordWriter,
    fresh: Arc<Fresh>,
    fingerprints: Option<FingerprintMaker>,
    archive: ArchiveReader,
    /// Pages are kept, not only their links.
    keeps: bool,
}

impl Reader {
    pub(crate) fn new(
        settings: &CrawlSettings,
        pages: PageReader,
        fresh: Arc<Fresh>,
        archive: &Path,
    ) -> Reader {
        let keeps = settings.keep == KeepPages::All;
        let fingerprints = FingerprintMaker::of(&settings.duplicate_settings());
        let records = RecordWriter::new(settings.compression);
        let archive = ArchiveReader::new(archive);
        Reader { settings: settings.clone(), pages, records, fresh, fingerprints, archive, keeps }
    }

    /// Reads an answer. One that reading cannot cope with is a bug of ours, and a failed visit: without a word
    /// from here its lease, and the run, would never end.
    pub(crate) fn read_or_fail(&mut self, job: Job) -> Read {
        self.guarded(job, Reader::read)
    }

    fn guarded(&mut self, job: Job, read: impl FnOnce(&mut Reader, Job) -> Read) -> Read {
        let Job { lease, sent, asked, slot, .. } = job;
        let (key, url) = (job.url.key, job.url.url.clone());
        let (started, status) = (job.answer.fetched().started, job.answer.fetched().status);
        catch_unwind(AssertUnwindSafe(|| read(self, job))).unwrap_or_else(|_| {
            tracing::error!(%url, "reading this page failed; please report it");
            self.records = RecordWriter::new(self.settings.compression);
            let error = ErrorKind::Body;
            let visit = VisitRecord { status: Some(status), ..failed_visit(error.clone(), sent) };
            let end = failed(error);
            Read {
                lease,
                key,
                started,
                sent,
                asked,
                end,
                visit,
                links: None,
                rows: None,
                records: None,
                fingerprint: None,
                fresh: None,
                slot,
                micros: 0,
                room: None,
            }
        })
    }

    fn read(&mut self, job: Job) -> Read {
        let mut page = None;
        let mut links = None;
        let mut rows = None;
        let mut off_topic = false;
        let fetched = job.answer.fetched();
        let body_limit = job.url.body_limit;
        let end = match &job.answer {
            Answer::Unwanted { what, .. } => End::Unwanted { what: unwanted(what) },
            // The last room of `max_bytes` was too small for it: as if it had not been asked for.
            Answer::Fetched(fetched)
                if fetched.cut == Some(model::Cut::Length)
                    && (200..300).contains(&fetched.status)
                    && body_limit < self.settings.max_body.limit().unwrap_or(u64::MAX) =>
            {
                End::NoRoom
            }
            Answer::Fetched(fetched) => match fetched.status {
                200..=299 => {
                    let mut read = self.pages.read(fetched);
                    let topic = self.pages.topic(&read);
                    // What a page promises of its links is told by their places.
                    let (mut offers, found) = read.offers(job.url.key, job.url.depth, topic.is_some());
                    // After the links, whose places others count on. They are no links of the graph.
                    let images = self.settings.images_per_page;
                    offers.extend(read.image_offers(job.url.key, job.url.depth, images));
                    links = Some(found);
                    off_topic = topic.as_ref().is_some_and(|topic| !topic.on_topic);
                    // What a page said before is no news about its host.
                    // A picture has none.
                    let has_text = self.keeps && job.url.earlier.is_none() && !is_picture(fetched);
                    let text = has_text.then(|| TextMark::of(&read.page.text));
                    rows = self.pages.rows(fetched, Stand::Read, read.reading.as_mut());
                    page = Some(read.page);
                    End::Page { bytes: fetched.body.len() as u64, links: offers, text, topic }
                }
                304 if job.url.earlier.is_some() && job.url.validators != Validators::default() => {
                    End::NotModified
                }
                // Nobody asked whether it has changed.
                304 => failed(ErrorKind::Status(304)),
                status @ 300..=399 => {
                    match fetched.headers.get("location").and_then(|to| self.target(&job.url.url, to)) {
                        Some(to) if to == job.url.url => failed(ErrorKind::RedirectLoop),
                        Some(to) => {
                            let passing = matches!(status, 302 | 303 | 307);
                            // Of a page that was there before, one such answer does not decide.
                            if !passing || job.url.earlier.is_none() {
                                rows = self.pages.rows(fetched, Stand::Moved { to: to.clone() }, None);
                            }
                            End::Redirect { to, passing }
                        }
                        None => failed(ErrorKind::BadRedirect),
                    }
                }
                status @ (429 | 503) => End::Busy { status, wait: job.asked.retry_after },
                status => {
                    // Of a page that was there before, one answer does not decide.
                    if matches!(status, 404 | 410) && job.url.earlier.is_none() {
                        rows = self.pages.rows(fetched, Stand::Gone, None);
                    }
                    failed(ErrorKind::Status(status))
                }
            },
        };
        let kept = self.keeps && matches!(job.answer, Answer::Fetched(_)) && !matches!(end, End::NoRoom);
        let outcome = match end {
            End::Page { .. } => Some(Outcome::Fetched),
            End::NotModified => Some(Outcome::NotModified),
            _ => None,
        };
        let original = job.url.earlier.filter(|_| kept && outcome.is_some());
        let original = original.and_then(|earlier| self.original(&job, earlier));
        let stored = match (&end, original) {
            (End::NotModified, Some(original)) => Kept::NotModified(original),
            (End::Page { .. }, Some(original)) if original.payload == Digest::of(&fetched.body) => {
                Kept::SamePayload(original)
            }
            _ => Kept::Whole,
        };
        let records = kept.then(|| {
            self.records.records(&Visit {
                crawl: job.crawl,
                fetched,
                purpose: Purpose::Page,
                via: job.url.via.as_ref(),
                depth: job.url.depth,
                outcome: outcome.as_ref(),
                page: page.as_ref(),
                kept: stored,
            })
        });
        let error = match &end {
            End::Failed { error, .. } => Some(error.clone()),
            End::Busy { status, .. } => Some(ErrorKind::Status(*status)),
            _ => {
                let why = page.as_ref().and_then(Page::unread_why);
                why.map(|why| ErrorKind::Unread(why.to_owned()))
            }
        };
        let mut visit = visit_record(fetched, page.as_ref(), error);
        visit.noindex |= off_topic && self.settings.off_topic == OffTopic::Mark || is_picture(fetched);
        let maker = self.fingerprints.as_mut().zip(page.as_ref());
        let fingerprint = maker.and_then(|(maker, page)| maker.of_page(page)).map(Box::new);
        let fresh = (self.keeps && self.fresh.is_wanted()).then(|| {
            let mut page = page.filter(|_| !fetched.content.is_empty());
            if let Some(page) = &mut page {
                // The greater part of most pages.
                (page.links, page.tables) = Default::default();
                if !page.main.is_empty() {
                    page.text = String::new();
                }
                page.images.truncate(1);
                page.headings.truncate(1);
            }
            Box::new(FreshPage { url: job.url.url.clone(), page })
        });
        Read {
            lease: job.lease,
            key: job.url.key,
            started: fetched.started,
            sent: job.sent,
            asked: job.asked,
            end,
            visit,
            links,
            rows,
            records,
            fingerprint,
            fresh,
            slot: job.slot,
            micros: 0,
            room: job.room,
        }
    }

    /// The record that stands for a body that has not changed.
    fn original<'a>(&self, job: &'a Job, earlier: EarlierVersion) -> Option<Original<'a>> {
        let (file, offset, length) = earlier.record;
        let mut reader = self.archive.at(Location { file, offset, length }).ok()?;
        let head = reader.next_record().ok()??;
        let payload = head.get("WARC-Payload-Digest").and_then(Digest::parse)?;
        let right = head.target() == Some(job.url.url.as_str()) && head.kind() == Some(RecordKind::Response);
        right.then_some(Original { crawl: job.crawl, url: &job.url.url, started: earlier.started, payload })
    }

    fn target(&self, base: &PageUrl, location: &str) -> Option<PageUrl> {
        self.pages.normalise().join(base, location).ok()
    }
}

/// The end of a visit that failed, with what fetch advises.
pub(crate) fn failed(error: ErrorKind) -> End {
    End::Failed { patience: patience(NextStep::after(&error)), error }
}

/// The frontier's word for what fetch advises.
pub(crate) fn patience(step: NextStep) -> Patience {
    match step {
        NextStep::Drop => Patience::Drop,
        NextStep::RetrySoft => Patience::Soft,
        NextStep::RetryHard => Patience::Hard,
    }
}

fn is_picture(fetched: &Fetched) -> bool {
    fetched.content_type().is_some_and(|content_type| extract::is_picture(&content_type))
}

fn unwanted(what: &Unwanted) -> String {
    match what {
        Unwanted::Type(content_type) => content_type.clone(),
        Unwanted::Length(bytes) => format!("{bytes} bytes"),
    }
}

fn visit_record(fetched: &Fetched, page: Option<&Page>, error: Option<ErrorKind>) -> VisitRecord {
    let validators = fetched.validators();
    VisitRecord {
        status: Some(fetched.status),
        error,
        millis: fetched.timings.total.as_millis() as u64,
        bytes: fetched.body.len() as u64,
        content_bytes: fetched.content.len() as u64,
        content_type: fetched.content_type(),
        cut: fetched.cut,
        title: page.map(|page| page.title.clone()),
        content_hash: xxh3_64(&fetched.content),
        location: None,
        etag: validators.etag,
        last_modified: validators.last_modified,
        noindex: page.is_some_and(|page| page.directives.noindex),
        canonical: page.and_then(|page| page.canonical.clone()).filter(|own| *own != fetched.url),
        text_hash: page.map_or(0, |page| lasting_hash(&page.text, &page.main)),
    }
}

/// A visit that brought no answer.
pub(crate) fn failed_visit(error: ErrorKind, sent: Sent) -> VisitRecord {
    VisitRecord { error: Some(error), millis: millis(sent.start, sent.end), ..VisitRecord::default() }
}

fn millis(start: Timestamp, end: Timestamp) -> u64 {
    end.since(start).as_millis() as u64
}

#[cfg(test)]
mod tests {
    use model::HostKey;

    use super::*;
    use crate::page::tests::{fetched, project};

    #[test]
    fn an_answer_that_cannot_be_read_is_a_failed_visit() {
        let fetched = fetched("<p>words");
        let key = UrlKey { host: HostKey(1), page: 2 };
        let leased = LeasedUrl {
            key,
            url: fetched.url.clone(),
            depth: 0,
            via: None,
            tries: 0,
            validators: Validators::default(),
            earlier: None,
            body_limit: 1 << 20,
        };
        let sent = Sent { start: Timestamp(5), end: Timestamp(9) };
        let job = Job {
            lease: LeaseId(3),
            crawl: CrawlId(1),
            url: leased,
            answer: Answer::Fetched(fetched),
            sent,
            asked: Asked::default(),
            slot: 4,
            room: None,
        };
        let (project, pages) = project();
        let mut reader = Reader::new(&project.crawl, pages, Arc::default(), Path::new("."));
        let read = reader.guarded(job, |_, _| panic!("as if reading had a bug"));
        assert_eq!((read.lease, read.key, read.visit.status), (LeaseId(3), key, Some(200)));
        assert!(matches!(read.end, End::Failed { error: ErrorKind::Body, patience: Patience::Drop }));
    }
}
