//! One file out of a ZIP archive, within limits. As much of the format as documents use: stored and deflated entries.

use std::io::Read;

use flate2::read::DeflateDecoder;

/// Bytes of one entry, inflated.
const MOST_BYTES: u64 = 32 << 20;
/// Entries that are looked at.
const MOST_ENTRIES: usize = 4_096;
/// Bytes at the end in which the directory's own place is sought: a comment may follow it.
const TAIL: usize = 66_000;

/// The content of the entry of this name; none where the archive cannot be read so far.
pub(crate) fn entry(archive: &[u8], name: &str) -> Option<Vec<u8>> {
    let from = archive.len().saturating_sub(TAIL);
    let end = from + memchr::memmem::rfind(&archive[from..], b"PK\x05\x06")?;
    let mut at = number(archive, end + 16, 4)?;
    for _ in 0..MOST_ENTRIES {
        if archive.get(at..at + 4)? != b"PK\x01\x02" {
            return None;
        }
        let (name_length, extra, comment) =
            (number(archive, at + 28, 2)?, number(archive, at + 30, 2)?, number(archive, at + 32, 2)?);
        let names = archive.get(at + 46..at + 46 + name_length)?;
        if names == name.as_bytes() {
            return content(
                archive,
                number(archive, at + 10, 2)?,
                number(archive, at + 20, 4)?,
                number(archive, at + 42, 4)?,
            );
        }
        at += 46 + name_length + extra + comment;
    }
    None
}

fn content(archive: &[u8], method: usize, size: usize, at: usize) -> Option<Vec<u8>> {
    if archive.get(at..at + 4)? != b"PK\x03\x04" {
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
