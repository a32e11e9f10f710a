//! Reads visits back from the archive: what a crash, a bad disk or a lost store took from the tables.
//!
//! Damaged places are skipped: each record is a gzip member of its own, so reading goes on at the next one.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use archive::tables::VisitRecord;
use archive::{
    ArchiveError, ArchiveReader, HttpHead, Location, Metadata, Position, Purpose, RecordHead, RecordKind,
    file_name,
};
use model::{Cut, ErrorKind, Normalise, Outcome, PageUrl, Timestamp, UrlKey};
use xxhash_rust::xxh3::xxh3_64;

use crate::stored::{Answer, LONGEST};
use crate::{Moment, ServiceError};

/// How our gzip members begin: what to look for behind a damaged one.
const MEMBER: [u8; 10] = archive::MEMBER_START;

/// Whether a member of ours begins so; in older archives they have no field for their length.
fn begins(window: &[u8]) -> bool {
    window[..3] == MEMBER[..3] && (window[3] == MEMBER[3] || window[3] == 0) && window[4..] == MEMBER[4..]
}

/// A visit as the archive tells it.
pub(crate) struct Archived {
    pub(crate) url: PageUrl,
    pub(crate) key: UrlKey,
    pub(crate) started: Timestamp,
    pub(crate) visit: VisitRecord,
    pub(crate) outcome: Outcome,
    pub(crate) metadata: Metadata<'static>,
    pub(crate) answer: Answer,
}

/// What a walk through an archive found besides visits.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// The end of the last record that is whole.
    pub(crate) end: Position,
    /// Damaged places that were skipped.
    pub(crate) skipped: Vec<String>,
}

/// Hands over every visit of a page in the archive, oldest first, up to `committed`; all there is if none.
pub(crate) fn visits(
    dir: &Path,
    committed: Option<Position>,
    normalise: Normalise,
    take: &mut dyn FnMut(Archived) -> Result<(), ServiceError>,
) -> Result<Walked, ServiceError> {
    visits_from(dir, Position::default(), committed, normalise, take)
}

/// The same, from the end of an earlier walk on.
pub(crate) fn visits_from(
    dir: &Path,
    from: Position,
    committed: Option<Position>,
    normalise: Normalise,
    take: &mut dyn FnMut(Archived) -> Result<(), ServiceError>,
) -> Result<Walked, ServiceError> {
    let mut walked = Walked { end: from, ..Walked::default() };
    for number in file_numbers(dir)? {
        if number < from.file {
            continue;
        }
        if committed.is_some_and(|committed| number > committed.file) {
            break;
        }
        let path = dir.join(file_name(number));
        let size = path.metadata().map_err(ServiceError::io("inspect", &path))?.len();
        let end = match committed {
            Some(committed) if committed.file == number => committed.length.min(size),
            _ => size,
        };
        let mut file = FileWalk { dir, path, number, end, normalise, pending: None, walked: &mut walked };
        file.walk(if number == from.file { from.length } else { 0 }, take)?;
    }
    Ok(walked)
}

struct FileWalk<'a> {
    dir: &'a Path,
    path: PathBuf,
    number: u32,
    end: u64,
    normalise: Normalise,
    /// The answer of which nothing else is known yet: its metadata comes behind it, or stands in its head.
    pending: Option<(PageUrl, Timestamp, VisitRecord, Answer)>,
    walked: &'a mut Walked,
}

impl FileWalk<'_> {
    fn walk(
        &mut self,
        mut from: u64,
        take: &mut dyn FnMut(Archived) -> Result<(), ServiceError>,
    ) -> Result<(), ServiceError> {
        while from < self.end {
            let Err((at, error)) = self.records(from, take)? else { break };
            self.pending = None;
            let next = self.next_member(at + 1)?;
            if next.is_some() || at < self.end {
                let name = file_name(self.number);
                self.walked
                    .skipped
                    .push(format!("{name}: byte {at}: {}", ServiceError::from(error).sentence()));
            }
            match next {
                Some(next) => from = next,
                None => break,
            }
        }
        Ok(())
    }

    /// Reads records until the end, or to where one cannot be read.
    fn records(
        &mut self,
        from: u64,
        take: &mut dyn FnMut(Archived) -> Result<(), ServiceError>,
    ) -> Result<Result<(), (u64, ArchiveError)>, ServiceError> {
        let length = u32::try_from(self.end - from).unwrap_or(u32::MAX);
        let place = Location { file: self.number, offset: from, length };
        let mut reader = ArchiveReader::new(self.dir).at(place)?;
        let mut at = from;
        loop {
            let read = (|| {
                let Some(head) = reader.next_record()? else { return Ok(None) };
                let wanted = matches!(
                    head.kind(),
                    Some(RecordKind::Response | RecordKind::Revisit | RecordKind::Metadata)
                );
                let block = if wanted { reader.read_block(LONGEST)? } else { Vec::new() };
                let length = reader.end_record()?;
                Ok(Some((head, block, length)))
            })();
            match read {
                Ok(None) => return Ok(Ok(())),
                Ok(Some((head, block, length))) => {
                    let end = head.offset + length.unwrap_or(0);
                    self.walked.end = self.walked.end.max(Position { file: self.number, length: end });
                    at = end.max(at);
                    if let Some(archived) = self.record(&head, block, length) {
                        take(archived)?;
                    }
                }
                Err(error) => return Ok(Err((at, error))),
            }
        }
    }

    fn record(&mut self, head: &RecordHead, block: Vec<u8>, length: Option<u64>) -> Option<Archived> {
        match head.kind()? {
            RecordKind::Response | RecordKind::Revisit => {
                self.pending = None;
                let url: PageUrl = serde_json::from_value(head.target()?.into()).ok()?;
                let started = head.get("WARC-Date")?.parse::<Moment>().ok()?.0;
                let length = u32::try_from(length?).ok()?;
                let location = Location { file: self.number, offset: head.offset, length };
                let (answer, mut visit) = visit_of(head, &block, location);
                if head.kind() == Some(RecordKind::Revisit) {
                    // The version before stands for it.
                    visit.location = None;
                }
                self.pending = Some((url, started, visit, answer));
                self.told(head, Metadata::of_head(head)?)
            }
            RecordKind::Metadata => self.told(head, Metadata::parse(&block)?),
            _ => None,
        }
    }

    /// The visit whose answer was read last, with what a record says of it.
    fn told(&mut self, head: &RecordHead, metadata: Metadata<'static>) -> Option<Archived> {
        let (url, started, mut visit, answer) = self.pending.take()?;
        if metadata.purpose != Purpose::Page || head.target() != Some(url.as_str()) {
            return None;
        }
        visit.millis = metadata.fetch_time_ms;
        if let Some(page) = &metadata.page {
            visit.title = Some(page.title.clone().into_owned());
            visit.noindex = page.noindex;
            visit.error = page.unread.as_deref().map(|why| ErrorKind::Unread(why.to_owned()));
            visit.canonical = page.canonical.clone().map(Cow::into_owned).filter(|own| *own != url);
        }
        let outcome = match &metadata.outcome {
            Some(outcome) => outcome.clone().into_owned(),
            None => outcome_of(&url, &answer.http, self.normalise),
        };
        if let Outcome::Failed { error, .. } = &outcome {
            visit.error = Some(error.clone());
        }
        Some(Archived { key: UrlKey::of(&url), url, started, visit, outcome, metadata, answer })
    }

    /// Where the next record begins, from `from` on.
    fn next_member(&self, from: u64) -> Result<Option<u64>, ServiceError> {
        const STEP: usize = 1 << 20;
        let failed = || ServiceError::io("read", &self.path);
        let mut file = File::open(&self.path).map_err(failed())?;
        file.seek(SeekFrom::Start(from)).map_err(failed())?;
        let mut input = file.take(self.end.saturating_sub(from));
        let (mut buffer, mut start) = (Vec::new(), from);
        loop {
            let amount = (&mut input).take(STEP as u64).read_to_end(&mut buffer).map_err(failed())?;
            if let Some(at) = buffer.windows(MEMBER.len()).position(begins) {
                return Ok(Some(start + at as u64));
            }
            if amount == 0 {
                return Ok(None);
            }
            // What may be the beginning of a member is kept for the next look.
            let keep = buffer.len().min(MEMBER.len() - 1);
            start += (buffer.len() - keep) as u64;
            buffer.drain(..buffer.len() - keep);
        }
    }
}

fn file_numbers(dir: &Path) -> Result<Vec<u32>, ServiceError> {
    let mut numbers = Vec::new();
    let entries = match dir.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(numbers),
        Err(error) => return Err(ServiceError::io("list", dir)(error)),
    };
    for entry in entries {
        let entry = entry.map_err(ServiceError::io("list", dir))?;
        numbers.extend(archive::file_number(&entry.file_name()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn visit_of(head: &RecordHead, block: &[u8], location: Location) -> (Answer, VisitRecord) {
    let answer = Answer::of(block);
    let Answer { http, body, content } = &answer;
    let header = |name: &str| http.headers.get(name).map(str::to_owned);
    let visit = VisitRecord {
        status: http.status,
        error: http.status.filter(|status| *status >= 400).map(ErrorKind::Status),
        millis: 0,
        bytes: body.len() as u64,
        content_bytes: content.len() as u64,
        content_type: http.content_type(),
        cut: match head.get("WARC-Truncated") {
            Some("length") if head.kind() == Some(RecordKind::Response) => Some(Cut::Length),
            Some("time") => Some(Cut::Time),
            Some("disconnect") => Some(Cut::Disconnect),
            _ => None,
        },
        title: None,
        content_hash: xxh3_64(content),
        location: Some(location),
        etag: header("etag"),
        last_modified: header("last-modified"),
        noindex: false,
        canonical: None,
        // Read again it would be known; its content tells enough.
        text_hash: 0,
    };
    (answer, visit)
}

/// What an answer means where the archive does not say. Trouble that may pass is asked about again.
fn outcome_of(url: &PageUrl, http: &HttpHead, normalise: Normalise) -> Outcome {
    let failed = |error| Outcome::Failed { error, tries: 1 };
    match http.status {
        Some(304) => Outcome::NotModified,
        Some(300..=399) => {
            let to = http.headers.get("location").and_then(|to| normalise.join(url, to).ok());
            match to {
                Some(to) if to == *url => failed(ErrorKind::RedirectLoop),
                Some(to) => Outcome::Redirected { to },
                None => failed(ErrorKind::BadRedirect),
            }
        }
        Some(status @ (408 | 425 | 429 | 500..)) => {
            let _ = status;
            Outcome::Waiting
        }
        Some(status @ 400..) => failed(ErrorKind::Status(status)),
        _ => Outcome::Waiting,
    }
}
