//! Sections of an index as files: plain bytes behind which their checksum stands.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::ServiceError;

/// Bytes held back before they are written. Many sections are written side by side, so none keeps its file open.
const HELD: usize = 64 * 1024;

/// Bytes of a checksum.
const CHECK: usize = 8;

/// A section in the making.
pub(crate) struct SectionWriter {
    path: PathBuf,
    held: Vec<u8>,
    hash: Xxh3,
    /// Bytes so far.
    pub(crate) length: u64,
}

impl SectionWriter {
    /// A section of this name in a folder that is new.
    pub(crate) fn new(dir: &Path, name: &str) -> SectionWriter {
        SectionWriter { path: dir.join(name), held: Vec::new(), hash: Xxh3::new(), length: 0 }
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<(), ServiceError> {
        self.held.extend_from_slice(bytes);
        self.length += bytes.len() as u64;
        if self.held.len() < HELD {
            return Ok(());
        }
        self.write()
    }

    /// Not synced: a file that a power cut spoils fails its checksum, and the index is made again.
    pub(crate) fn finish(mut self) -> Result<(), ServiceError> {
        self.hash.update(&self.held);
        let sum = self.hash.digest().to_le_bytes();
        self.held.extend_from_slice(&sum);
        self.append()
    }

    /// Forgets it.
    pub(crate) fn discard(self) -> Result<(), ServiceError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(ServiceError::io("remove", &self.path)(error))
            }
            _ => Ok(()),
        }
    }

    fn write(&mut self) -> Result<(), ServiceError> {
        self.hash.update(&self.held);
        self.append()
    }

    fn append(&mut self) -> Result<(), ServiceError> {
        let opened = OpenOptions::new().create(true).append(true).open(&self.path);
        let written = opened.and_then(|mut file| file.write_all(&self.held));
        self.held.clear();
        written.map_err(ServiceError::io("write", &self.path))
    }
}

/// Writes a whole section.
pub(crate) fn write(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), ServiceError> {
    let mut section = SectionWriter::new(dir, name);
    section.add(bytes)?;
    section.finish()
}

/// A whole section; none if there is no such.
pub(crate) fn read(dir: &Path, name: &str) -> Result<Option<Vec<u8>>, ServiceError> {
    let path = dir.join(name);
    let mut bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ServiceError::io("read", path)(error)),
    };
    let length = bytes.len().checked_sub(CHECK).ok_or_else(|| spoilt(&path))?;
    let is_right = bytes[length..] == xxh3_64(&bytes[..length]).to_le_bytes();
    bytes.truncate(length);
    if is_right { Ok(Some(bytes)) } else { Err(spoilt(&path)) }
}

/// A section of records of one size, read one by one.
pub(crate) struct Records<const SIZE: usize> {
    path: PathBuf,
    file: File,
    /// How many there are.
    pub(crate) count: u64,
}

impl<const SIZE: usize> Records<SIZE> {
    pub(crate) fn open(dir: &Path, name: &str) -> Result<Records<SIZE>, ServiceError> {
        let path = dir.join(name);
        let file = File::open(&path).map_err(ServiceError::io("open", &path))?;
        let length = file.metadata().map_err(ServiceError::io("inspect", &path))?.len();
        Ok(Records { path, file, count: length.saturating_sub(CHECK as u64) / SIZE as u64 })
    }

    pub(crate) fn get(&self, at: u64) -> Result<[u8; SIZE], ServiceError> {
        let mut bytes = [0; SIZE];
        let mut file = &self.file;
        let read = file.seek(SeekFrom::Start(at * SIZE as u64)).and_then(|_| file.read_exact(&mut bytes));
        read.map_err(ServiceError::io("read", &self.path))?;
        Ok(bytes)
    }
}

/// The place of the first record that is not below something, in a section that is sorted.
pub(crate) fn lower_bound(
    count: u64,
    mut is_below: impl FnMut(u64) -> Result<bool, ServiceError>,
) -> Result<u64, ServiceError> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        match is_below(middle)? {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    Ok(low)
}

pub(crate) fn spoilt(path: &Path) -> ServiceError {
    ServiceError::io("use", path)(std::io::ErrorKind::InvalidData.into())
}
