//! Walks an archive file by the lengths that its members state, unpacking no more than how each begins.
//!
//! Whole bodies are left packed, so this takes a tenth of the time that reading every record takes. What a member
//! holds beyond its beginning is not looked at: damage there is found by `verify`.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::{Decompress, FlushDecompress};

use crate::ArchiveError;
use crate::gzip::{HEADER, stated_length};

/// Packed bytes that are read of a member, and unpacked ones that are kept: enough for most heads. Of the others the
/// whole record is read.
const PACKED: u64 = 1_536;
const UNPACKED: usize = 3 * 1024;

/// Unpacked bytes that tell of our own records what they are.
const KIND: usize = 48;

/// Whether this is how a record of ours begins that goes with another, and is in no index.
pub(crate) fn is_beside(start: &[u8]) -> bool {
    let of_ours = start.strip_prefix(b"WARC/1.1\r\nWARC-Type: ");
    of_ours.is_some_and(|kind| kind.starts_with(b"request\r\n") || kind.starts_with(b"metadata\r\n"))
}

pub(crate) struct Heads {
    file: BufReader<File>,
    path: PathBuf,
    at: u64,
    end: u64,
    inflate: Decompress,
    packed: Vec<u8>,
    start: Box<[u8]>,
}

/// What stands at the next place.
pub(crate) enum Step<'a> {
    /// A member, and how it begins.
    Member {
        offset: u64,
        length: u64,
        start: &'a [u8],
    },
    /// Something that does not say where it ends: an older file, or a damaged place.
    Unstated {
        offset: u64,
    },
    End,
}

impl Heads {
    /// Walks a file up to `end`.
    pub(crate) fn open(path: &Path, end: u64) -> Result<Heads, ArchiveError> {
        let file = File::open(path).map_err(ArchiveError::io("open", path))?;
        let size = file.metadata().map_err(ArchiveError::io("inspect", path))?.len();
        Ok(Heads {
            file: BufReader::with_capacity(64 * 1024, file),
            path: path.to_owned(),
            at: 0,
            end: end.min(size),
            inflate: Decompress::new(false),
            packed: Vec::new(),
            start: vec![0; UNPACKED].into(),
        })
    }

    /// The next member. After `Unstated` there is nothing more to be had here.
    pub(crate) fn step(&mut self) -> Result<Step<'_>, ArchiveError> {
        let failed = ArchiveError::io("read", &self.path);
        let (offset, left) = (self.at, self.end - self.at);
        if left == 0 {
            return Ok(Step::End);
        }
        if left < HEADER as u64 {
            return Ok(Step::Unstated { offset });
        }
        let mut header = [0; HEADER];
        self.file.read_exact(&mut header).map_err(failed)?;
        let Some(length) = stated_length(&header).filter(|length| *length <= left) else {
            return Ok(Step::Unstated { offset });
        };
        let rest = length - HEADER as u64;
        self.packed.clear();
        let packed = (&mut self.file).take(rest.min(PACKED)).read_to_end(&mut self.packed);
        let packed = packed.map_err(ArchiveError::io("read", &self.path))? as u64;
        self.inflate.reset(false);
        // Whatever comes of it: what cannot be unpacked begins with nothing, and is looked at by others.
        let (kind, more) = self.start.split_at_mut(KIND);
        let _ = self.inflate.decompress(&self.packed, kind, FlushDecompress::None);
        if !is_beside(kind) {
            let taken = self.inflate.total_in() as usize;
            let _ = self.inflate.decompress(&self.packed[taken..], more, FlushDecompress::None);
        }
        let unpacked = self.inflate.total_out() as usize;
        self.file
            .seek_relative((rest - packed) as i64)
            .or_else(|_| self.file.seek(SeekFrom::Start(offset + length)).map(drop))
            .map_err(ArchiveError::io("seek in", &self.path))?;
        self.at += length;
        Ok(Step::Member { offset, length, start: &self.start[..unpacked] })
    }
}
