//! `export`: rows and pages out, to a file or through whoever asked.
//!
//! The file is written by the process that owns the data, so its path must be absolute. Without one the bytes
//! are handed over in pieces.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use archive::tables::POSITIONS;
use archive::{ArchiveReader, HttpHead, Location, Position};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use export::{Csv, ExportError, FileTarget, Format, JsonLines, PageRow, Sitemap, SqlitePages};
use fetch::{DecodeLimits, decode};
use kv::{Reader, Snapshot};
use model::{CrawlId, CrawlSettings, Outcome};
use serde::{Deserialize, Serialize};

use crate::pages::{unread, url_of};
use crate::select::check_outcomes;
use crate::sink::Sink;
use crate::walk::{Met, Walk};
use crate::{Data, ExportRequest, RowsRequest, ServiceError, row_export};

/// Bytes handed over in one piece.
const PIECE: usize = 48 * 1024;

/// Longest content of a page that is exported.
const LONGEST: u64 = 64 << 20;

/// What exporting tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "kebab-case")]
pub enum ExportPart {
    /// Some bytes of the export.
    Piece {
        /// In base 64.
        base64: String,
    },
    /// The last line.
    Exported {
        /// Rows, or URLs of a sitemap; none for an archive.
        rows: Option<u64>,
        /// Files written.
        files: Vec<PathBuf>,
        /// Rows that did not fit the format, or whose archived content cannot be read.
        left_out: u64,
    },
}

pub(crate) fn export(data: &Data, request: &ExportRequest, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    check_outcomes(&request.outcomes)?;
    let path = request.path.as_deref();
    let format = match request.format.as_str() {
        "" if request.rows.is_some() => path.and_then(Format::of_path).unwrap_or(Format::Csv),
        format => format.parse()?,
    };
    if let Some(path) = path.filter(|path| !path.is_absolute()) {
        return Err(ServiceError::RelativePath(path.to_owned()));
    }
    if let Some(rows) = &request.rows {
        let done = rows_out(data, format, rows, path, request.force, out)?;
        let Done { rows, files, left_out } = done;
        return out.send(&ExportPart::Exported { rows, files, left_out });
    }
    if format == Format::Json {
        return Err(ServiceError::RowsOnly(format.to_string()));
    }
    let entry = data.project(request.project.as_ref())?;
    let snapshot = data.store().snapshot();
    let committed = snapshot.get(&POSITIONS, &entry.crawl.0)?.unwrap_or_default().position;
    let settings = &entry.project.crawl;
    let work = Work { data, snapshot, crawl: entry.crawl, settings, committed, outcomes: &request.outcomes };
    let done = match (format, path) {
        (Format::Sqlite, None) => return Err(ServiceError::NeedsFile("sqlite")),
        (Format::Sqlite, Some(path)) => work.sqlite(path, request.force)?,
        (Format::Sitemap, Some(path)) => work.sitemap(path, request.force)?,
        (Format::Sitemap, None) => {
            // It may grow into several files, so it is made in one first.
            let file = data.dir().join(format!("sitemap-{}.tmp", std::process::id()));
            let made = work.sitemap(&file, true);
            let streamed = made.and_then(|done| hand_over_sitemap(&done, out));
            for part in [&file, &file.with_extension("tmp.part")] {
                let _ = fs::remove_file(part);
            }
            streamed?
        }
        (format, Some(path)) => {
            let mut target = FileTarget::create(path, request.force)?;
            let mut done = work.stream(format, &mut target)?;
            target.commit()?;
            done.files.push(path.to_owned());
            done
        }
        (format, None) => {
            let mut pieces = BufWriter::with_capacity(PIECE, Pieces(out));
            let done = work.stream(format, &mut pieces);
            let flushed = pieces.flush();
            let done = done.map_err(closed)?;
            flushed.map_err(|error| closed(ExportError::Write(error).into()))?;
            done
        }
    };
    let Done { rows, files, left_out } = done;
    out.send(&ExportPart::Exported { rows, files, left_out })
}

/// Rows to a file or in pieces.
fn rows_out(
    data: &Data,
    format: Format,
    rows: &RowsRequest,
    path: Option<&Path>,
    force: bool,
    out: &mut Sink<'_>,
) -> Result<Done, ServiceError> {
    let mut files = Vec::new();
    let written = match (format, path) {
        (Format::Sitemap | Format::Warc, _) => return Err(ServiceError::NoRowFormat(format.to_string())),
        (Format::Sqlite, None) => return Err(ServiceError::NeedsFile("sqlite")),
        (Format::Sqlite, Some(path)) => row_export::sqlite(data, rows, path, force)?,
        (format, Some(path)) => {
            let mut target = FileTarget::create(path, force)?;
            let written = row_export::stream(data, rows, format, &mut target)?;
            target.commit()?;
            written
        }
        (format, None) => {
            let mut pieces = BufWriter::with_capacity(PIECE, Pieces(out));
            let written = row_export::stream(data, rows, format, &mut pieces).map_err(closed)?;
            pieces.flush().map_err(|error| closed(ExportError::Write(error).into()))?;
            written
        }
    };
    files.extend(path.map(Path::to_owned));
    Ok(Done { rows: Some(written), files, left_out: 0 })
}

#[derive(Default)]
struct Done {
    rows: Option<u64>,
    files: Vec<PathBuf>,
    left_out: u64,
}

struct Work<'a> {
    data: &'a Data,
    snapshot: Snapshot,
    crawl: CrawlId,
    settings: &'a CrawlSettings,
    committed: Position,
    outcomes: &'a [String],
}

impl Work<'_> {
    fn stream(&self, format: Format, out: &mut impl Write) -> Result<Done, ServiceError> {
        let mut rows = 0;
        match format {
            Format::Warc => {
                let dir = self.data.archive_dir(self.crawl);
                if dir.is_dir() {
                    archive::copy_all(&dir, self.committed, out)?;
                }
                return Ok(Done::default());
            }
            Format::Csv => {
                let mut csv = Csv::new(out, &PageRow::COLUMNS)?;
                for row in self.rows() {
                    csv.push(&row?.0.cells())?;
                    rows += 1;
                }
                csv.finish()?;
            }
            _ => {
                let mut lines = JsonLines::new(out);
                for row in self.rows() {
                    lines.push(&row?.0)?;
                    rows += 1;
                }
                lines.finish()?;
            }
        }
        Ok(Done { rows: Some(rows), ..Done::default() })
    }

    fn sqlite(&self, path: &Path, force: bool) -> Result<Done, ServiceError> {
        let mut left_out = 0;
        let archive = ArchiveReader::new(self.data.archive_dir(self.crawl));
        let mut pages = self.data.wait(SqlitePages::create(path, force))?;
        for row in self.rows() {
            let (row, location) = row?;
            let content = match location.map(|location| content(&archive, location)) {
                Some(None) => {
                    left_out += 1;
                    None
                }
                content => content.flatten(),
            };
            self.data.wait(pages.push(&row, content.as_deref()))?;
        }
        let rows = self.data.wait(pages.finish())?;
        Ok(Done { rows: Some(rows), files: vec![path.to_owned()], left_out })
    }

    fn sitemap(&self, path: &Path, force: bool) -> Result<Done, ServiceError> {
        let mut sitemap = Sitemap::create(path, force, None)?;
        for met in Walk::all(&self.snapshot, self.crawl) {
            let met = met?;
            if self.wants(&met) && self.is_shown(&met) {
                let found =
                    met.last.as_ref().filter(|(_, visit)| matches!(visit.status, Some(200..=299 | 304)));
                let found_at = found.or(met.version.as_ref()).map(|(at, _)| *at);
                let (row, _) = self.row(met)?;
                if row.belongs_in_sitemap() {
                    sitemap.push(&row.url, found_at)?;
                }
            }
        }
        let summary = sitemap.finish()?;
        Ok(Done { rows: Some(summary.urls), files: summary.files, left_out: summary.too_long })
    }

    /// The wanted rows, and where the content of each lies.
    fn rows(&self) -> impl Iterator<Item = Result<(PageRow, Option<Location>), ServiceError>> + '_ {
        Walk::all(&self.snapshot, self.crawl).filter_map(move |met| match met {
            Ok(met) if !self.wants(&met) => None,
            Ok(met) => Some(self.row(met)),
            Err(error) => Some(Err(error.into())),
        })
    }

    fn wants(&self, met: &Met) -> bool {
        self.outcomes.is_empty() || self.outcomes.iter().any(|name| name == met.record.outcome.name())
    }

    /// False for a page that asks not to be shown, or that calls another URL its own, where that is honoured.
    fn is_shown(&self, met: &Met) -> bool {
        let Some((_, visit)) = met.version.as_ref().or(met.last.as_ref()) else { return true };
        let hidden = self.settings.honour_noindex && visit.noindex;
        let copy = self.settings.honour_canonical && visit.canonical.is_some();
        !hidden && !copy
    }

    fn row(&self, met: Met) -> Result<(PageRow, Option<Location>), ServiceError> {
        let detail = met.words();
        let Met { record, last, version, title, content_type, .. } = met;
        let via = record.via.map(|via| url_of(&self.snapshot, self.crawl, via)).transpose()?.flatten();
        let visit = last.as_ref().map(|(_, visit)| visit);
        let row = PageRow {
            outcome: record.outcome.name().to_owned(),
            detail: format!("{detail}{}", unread(visit)),
            status: visit.and_then(|visit| visit.status),
            depth: record.depth,
            fetched_at: last.as_ref().map(|(at, _)| *at),
            millis: visit.map(|visit| visit.millis),
            content_type,
            bytes: visit.map(|visit| visit.content_bytes),
            title,
            via,
            location: match &record.outcome {
                Outcome::Redirected { to } => Some(to.clone()),
                _ => None,
            },
            url: record.url,
        };
        let content = version.filter(|_| record.outcome.is_page()).and_then(|(_, visit)| visit.location);
        Ok((row, content))
    }
}

/// The content of an archived answer, decoded; none when it cannot be read.
fn content(archive: &ArchiveReader, location: Location) -> Option<Vec<u8>> {
    let record = archive.record(location, LONGEST).ok()?;
    let (head, body) = HttpHead::split(&record.block);
    let coding = head.headers.get("content-encoding").unwrap_or_default();
    let limits = DecodeLimits { length: LONGEST, ratio: 10_000 };
    Some(decode(&Bytes::copy_from_slice(body), coding, limits)?.content.to_vec())
}

fn hand_over_sitemap(done: &Done, out: &mut Sink<'_>) -> Result<Done, ServiceError> {
    let [file] = &done.files[..] else {
        done.files.iter().for_each(|file| drop(fs::remove_file(file)));
        return Err(ServiceError::NeedsFile("a sitemap of more than one file"));
    };
    let mut input = fs::File::open(file).map_err(ServiceError::io("read", file))?;
    let mut pieces = BufWriter::with_capacity(PIECE, Pieces(out));
    let copied = io::copy(&mut input, &mut pieces).and_then(|_| pieces.flush());
    copied.map_err(|error| closed(ExportError::Write(error).into()))?;
    Ok(Done { rows: done.rows, files: Vec::new(), left_out: done.left_out })
}

/// Hands bytes over in pieces.
struct Pieces<'a, 'b>(&'a mut Sink<'b>);

impl Write for Pieces<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = ExportPart::Piece { base64: BASE64.encode(bytes) };
        self.0.send(&piece).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// When whoever asked has gone, nothing went wrong.
fn closed(error: ServiceError) -> ServiceError {
    match &error {
        ServiceError::Export(ExportError::Write(cause)) if cause.kind() == io::ErrorKind::BrokenPipe => {
            ServiceError::Closed
        }
        ServiceError::Archive(archive::ArchiveError::Io { source, .. })
            if source.kind() == io::ErrorKind::BrokenPipe =>
        {
            ServiceError::Closed
        }
        _ => error,
    }
}
