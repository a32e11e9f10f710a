//! The committed part of an archive, copied out: as one file, or file by file, with an index that fits.
//!
//! Safe while a writer is at work: committed bytes never change, and nothing past them is read.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::cdxj::index_placed;
use crate::writer::files;
use crate::{ArchiveError, Position, file_name};

/// The files of the archive that hold committed records: number and committed length, in order.
pub fn committed_files(dir: &Path, committed: Position) -> Result<BTreeMap<u32, u64>, ArchiveError> {
    let mut lengths = BTreeMap::new();
    for &number in files(dir)?.range(..=committed.file) {
        let path = dir.join(file_name(number));
        let found = path.metadata().map_err(ArchiveError::io("inspect", &path))?.len();
        let length = if number == committed.file { committed.length } else { found };
        if found < length {
            let source = Box::new(ArchiveError::CutOff { offset: found });
            return Err(ArchiveError::Damaged { path, source });
        }
        lengths.insert(number, length);
    }
    Ok(lengths)
}

/// Copies the committed part of one file. Returns its length.
pub fn copy_file(
    dir: &Path,
    number: u32,
    committed: Position,
    out: &mut impl Write,
) -> Result<u64, ArchiveError> {
    let path = dir.join(file_name(number));
    let length = *committed_files(dir, committed)?.get(&number).unwrap_or(&0);
    let file = File::open(&path).map_err(ArchiveError::io("open", &path))?;
    io::copy(&mut file.take(length), out).map_err(ArchiveError::io("copy", &path))
}

/// Copies everything that is committed into one WARC file. Returns its length.
pub fn copy_all(dir: &Path, committed: Position, out: &mut impl Write) -> Result<u64, ArchiveError> {
    let numbers = committed_files(dir, committed)?.into_keys();
    numbers.map(|number| copy_file(dir, number, committed, out)).sum()
}

/// Writes the index of what `copy_all` wrote to a file of this name. Returns the number of lines.
pub fn index_of_copy(
    dir: &Path,
    committed: Position,
    name: &str,
    out: &mut impl Write,
) -> Result<u64, ArchiveError> {
    let mut start = 0;
    let starts: BTreeMap<u32, u64> = committed_files(dir, committed)?
        .into_iter()
        .map(|(number, length)| {
            let place = (number, start);
            start += length;
            place
        })
        .collect();
    index_placed(dir, committed, out, |number| (name.to_owned(), starts.get(&number).copied().unwrap_or(0)))
}
