//! The CDXJ index: one line per response and revisit, sorted by URL and time, by which replay tools find
//! records. Made from the archive whenever it is wanted, and kept beside it with a note of how far it reaches.

use std::fs::{self, File};
use std::io::{BufRead, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::heads::{Heads, Step, is_beside};
use crate::sort::LineSorter;
use crate::writer::{files, sync_dir};
use crate::{
    ArchiveError, ArchiveReader, HttpHead, Position, RecordHead, RecordKind, WarcReader, file_name, surt,
};

/// The index's name, beside the archive's files.
pub const INDEX: &str = "index.cdxj";
/// The note of how far the index reaches.
const NOTE: &str = "index.json";
/// Lines held in memory while sorting.
const SORT_MEMORY: usize = 16 * 1024 * 1024;

/// What the index says of one record. The order of fields is that of the line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CdxEntry {
    /// The URL.
    pub url: String,
    /// `type/subtype`, or `warc/revisit`.
    pub mime: String,
    /// Status code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Digest of the payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Bytes of the record in the file.
    pub length: String,
    /// Its first byte.
    pub offset: String,
    /// The file.
    pub filename: String,
}

#[derive(Serialize, Deserialize)]
struct Note {
    version: u32,
    covers: Position,
}

/// Writes the index of everything up to `committed`, replacing an older one. Returns the number of lines.
pub fn write_index(dir: &Path, committed: Position) -> Result<u64, ArchiveError> {
    let part = dir.join(format!("{INDEX}.part"));
    let action = "write";
    let file = File::create(&part).map_err(ArchiveError::io("create", &part))?;
    let mut out = BufWriter::new(file);
    let lines = index(dir, committed, &mut out)?;
    let file = out.into_inner().map_err(|error| ArchiveError::io(action, &part)(error.into_error()))?;
    file.sync_all().map_err(ArchiveError::io("sync", &part))?;
    fs::rename(&part, dir.join(INDEX)).map_err(ArchiveError::io("rename", &part))?;
    // The note comes last: an index that reaches further than its note does no harm.
    let note =
        serde_json::to_vec(&Note { version: 1, covers: committed }).expect("a note has only text keys");
    let part = dir.join(format!("{NOTE}.part"));
    fs::write(&part, note).map_err(ArchiveError::io(action, &part))?;
    fs::rename(&part, dir.join(NOTE)).map_err(ArchiveError::io("rename", &part))?;
    sync_dir(dir)?;
    Ok(lines)
}

/// How far the kept index reaches; none when there is no index, or one whose note cannot be read.
pub fn index_covers(dir: &Path) -> Option<Position> {
    let note: Note = serde_json::from_slice(&fs::read(dir.join(NOTE)).ok()?).ok()?;
    (note.version == 1 && dir.join(INDEX).is_file()).then_some(note.covers)
}

/// Writes the sorted lines of everything up to `committed`. Returns their number.
pub fn index(dir: &Path, committed: Position, out: &mut impl Write) -> Result<u64, ArchiveError> {
    index_placed(dir, committed, out, |number| (file_name(number), 0))
}

/// As `index`, for files that stand elsewhere: `place` gives the name of the file that holds this one, and where
/// in it this one starts.
pub(crate) fn index_placed(
    dir: &Path,
    committed: Position,
    out: &mut impl Write,
    place: impl Fn(u32) -> (String, u64),
) -> Result<u64, ArchiveError> {
    let archive = ArchiveReader::new(dir);
    let mut sorter = LineSorter::new(dir, SORT_MEMORY);
    let mut lines = 0;
    let sorting = || ArchiveError::io("sort the index of", dir);
    for &number in files(dir)?.range(..=committed.file) {
        let path = dir.join(file_name(number));
        let damaged = |error| ArchiveError::Damaged { path: path.clone(), source: Box::new(error) };
        let (name, start) = place(number);
        let end = if number == committed.file { committed.length } else { u64::MAX };
        let mut push = |line: String| {
            lines += 1;
            sorter.push(line.as_bytes()).map_err(sorting())
        };
        let mut heads = Heads::open(&path, end)?;
        loop {
            let (mut reader, to_end) = match heads.step()? {
                Step::End => break,
                Step::Member { offset, length, start: beginning } => {
                    match line_of_start(beginning, &name, start + offset, length) {
                        Some(None) => continue,
                        Some(Some(line)) => {
                            push(line)?;
                            continue;
                        }
                        // Its head is too long to be seen from its beginning, or damaged.
                        None => (archive.part(number, offset, length)?, false),
                    }
                }
                Step::Unstated { offset } => (archive.part(number, offset, end - offset)?, true),
            };
            while let Some(head) = reader.next_record().map_err(damaged)? {
                if let Some(line) = line(&head, &mut reader, &name, start).map_err(damaged)? {
                    push(line)?;
                }
            }
            if to_end {
                break;
            }
        }
    }
    sorter.finish(out).map_err(sorting())?;
    Ok(lines)
}

/// The index line of the record that begins so, which is none for records that are not indexed; none at all when
/// the beginning does not tell.
fn line_of_start(start: &[u8], filename: &str, offset: u64, length: u64) -> Option<Option<String>> {
    if is_beside(start) {
        return Some(None);
    }
    let mut reader = WarcReader::new(start);
    let head = reader.next_record().ok()??;
    let Some(kind @ (RecordKind::Response | RecordKind::Revisit)) = head.kind() else {
        return Some(None);
    };
    let http = HttpHead::read(&mut reader.block()).ok()?;
    http.bytes.ends_with(b"\r\n\r\n").then(|| entry_line(&head, kind, &http, filename, (offset, length)))
}

/// The index line of the record whose head was read last; none for records that are not indexed.
fn line<R: BufRead>(
    head: &RecordHead,
    reader: &mut WarcReader<R>,
    filename: &str,
    file_start: u64,
) -> Result<Option<String>, ArchiveError> {
    let Some(kind @ (RecordKind::Response | RecordKind::Revisit)) = head.kind() else { return Ok(None) };
    // A block that ends early is found by `end_record`, with its place.
    let http = HttpHead::read(&mut reader.block()).unwrap_or_default();
    let Some(length) = reader.end_record()? else { return Ok(None) };
    Ok(entry_line(head, kind, &http, filename, (file_start + head.offset, length)))
}

fn entry_line(
    head: &RecordHead,
    kind: RecordKind,
    http: &HttpHead,
    filename: &str,
    (offset, length): (u64, u64),
) -> Option<String> {
    let url = head.target()?;
    let mime = match kind {
        RecordKind::Revisit => "warc/revisit".to_owned(),
        _ => http.content_type().unwrap_or_else(|| "unk".to_owned()),
    };
    let entry = CdxEntry {
        url: url.to_owned(),
        mime,
        status: http.status.map(|status| status.to_string()),
        digest: head.get("WARC-Payload-Digest").map(str::to_owned),
        length: length.to_string(),
        offset: offset.to_string(),
        filename: filename.to_owned(),
    };
    let date = head.get("WARC-Date").unwrap_or_default();
    let digits: String = date.chars().filter(char::is_ascii_digit).take(14).collect();
    let json = serde_json::to_string(&entry).expect("an entry has only text keys");
    Some(format!("{} {digits:0<14} {json}", surt(url)))
}

impl CdxEntry {
    /// Reads an index line: sort key, 14-digit time, entry.
    pub fn parse(line: &str) -> Option<(&str, &str, CdxEntry)> {
        let mut parts = line.trim_end().splitn(3, ' ');
        let (key, time, json) = (parts.next()?, parts.next()?, parts.next()?);
        Some((key, time, serde_json::from_str(json).ok()?))
    }
}
