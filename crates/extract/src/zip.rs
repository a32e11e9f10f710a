//! One file out of a ZIP archive, within limits. As much of the format as documents use: stored and deflated entries.

use std::io::Read;

use flate2::read::DeflateDecoder;
use memchr::memmem;

/// Bytes of one entry, inflated.
const MOST_BYTES: u64 = 32 << 20;
/// Entries that are looked at.
const MOST_ENTRIES: usize = 4_096;
/// Bytes at the end in which the directory's own place is sought: a comment may follow it.
const TAIL: usize = 66_000;

/// The content of the entry of this name; none where the archive cannot be read so far.
pub(crate) fn entry(archive: &[u8], name: &str) -> Option<Vec<u8>> {
    let header = match in_directory(archive, name) {
        Directory::Entry(header) => header,
        Directory::NoEntry => return None,
        // An archive that was cut off has lost its end, where the directory is.
        Directory::Broken => in_headers(archive, name)?,
    };
    content(archive, header).filter(|content| !content.is_empty())
}

/// What the directory says of an entry.
enum Directory {
    Entry(Header),
    NoEntry,
    Broken,
}

/// Where an entry is, how it is packed, and in how many bytes.
struct Header {
    at: usize,
    method: usize,
    size: usize,
}

fn in_directory(archive: &[u8], name: &str) -> Directory {
    let from = archive.len().saturating_sub(TAIL);
    let end = memmem::rfind(&archive[from..], b"PK\x05\x06").map(|end| from + end);
    let start = end.and_then(|end| number(archive, end + 16, 4));
    let (Some(end), Some(mut at)) = (end, start) else { return Directory::Broken };
    for _ in 0..MOST_ENTRIES {
        match listed(archive, at) {
            Some((header, listed, _)) if listed == name.as_bytes() => return Directory::Entry(header),
            Some((_, _, next)) => at = next,
            None if at == end => return Directory::NoEntry,
            None => return Directory::Broken,
        }
    }
    Directory::NoEntry
}

/// An entry of the directory, its name, and where the next one is.
fn listed(archive: &[u8], at: usize) -> Option<(Header, &[u8], usize)> {
    if archive.get(at..at + 4)? != b"PK\x01\x02" {
        return None;
    }
    let (name, extra, comment) =
        (number(archive, at + 28, 2)?, number(archive, at + 30, 2)?, number(archive, at + 32, 2)?);
    let header = Header {
        at: number(archive, at + 42, 4)?,
        method: number(archive, at + 10, 2)?,
        size: number(archive, at + 20, 4)?,
    };
    Some((header, archive.get(at + 46..at + 46 + name)?, at + 46 + name + extra + comment))
}

/// The entry as it stands before its content.
fn in_headers(archive: &[u8], name: &str) -> Option<Header> {
    memmem::find_iter(archive, b"PK\x03\x04").take(MOST_ENTRIES).find_map(|at| {
        let length = number(archive, at + 26, 2)?;
        let is_named = archive.get(at + 30..at + 30 + length)? == name.as_bytes();
        let (flags, method, size) =
            (number(archive, at + 6, 2)?, number(archive, at + 8, 2)?, number(archive, at + 18, 4)?);
        // Some programs write the size behind the content; packed content knows its end.
        let size = if flags & 8 != 0 && size == 0 { archive.len() } else { size };
        is_named.then_some(Header { at, method, size })
    })
}

fn content(archive: &[u8], Header { at, method, size }: Header) -> Option<Vec<u8>> {
    if !archive.get(at..)?.starts_with(b"PK\x03\x04") {
        return None;
    }
    let start = at + 30 + number(archive, at + 26, 2)? + number(archive, at + 28, 2)?;
    let packed = archive.get(start..)?;
    let packed = &packed[..size.min(packed.len())];
    match method {
        0 => Some(packed[..packed.len().min(MOST_BYTES as usize)].to_vec()),
        8 => {
            let mut bytes = Vec::new();
            // What comes before a broken place is kept.
            let _ = DeflateDecoder::new(packed).take(MOST_BYTES).read_to_end(&mut bytes);
            Some(bytes)
        }
        _ => None,
    }
}

/// A number of `count` bytes, the lowest first.
fn number(bytes: &[u8], at: usize, count: usize) -> Option<usize> {
    let part = bytes.get(at..at.checked_add(count)?)?;
    Some(part.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}
