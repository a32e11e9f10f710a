//! What can go wrong with an archive, and what is found wrong in one.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why an operation on the archive failed.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file system refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// An earlier write or sync failed: what reached the disk is unknown until the archive is opened again.
    #[error("the archive in {} failed to write before; open it again", .0.display())]
    Poisoned(PathBuf),
    /// The records of one visit do not fit a location.
    #[error("the records of one visit are {0} bytes long; at most 4 GiB fit")]
    TooLong(usize),
    /// The input could not be read.
    #[error("cannot read the record at byte {offset}")]
    Read {
        /// Where the record starts.
        offset: u64,
        /// Why not.
        source: io::Error,
    },
    /// The input ends within a record.
    #[error("the record at byte {offset} is cut off")]
    CutOff {
        /// Where the record starts.
        offset: u64,
    },
    /// Bytes that are no WARC record.
    #[error("no WARC record at byte {offset}: {reason}")]
    Malformed {
        /// Where the record should start.
        offset: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of the archive cannot be read to its end.
    #[error("{} is damaged: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        source: Box<ArchiveError>,
    },
    /// A record is longer than the caller wants to hold.
    #[error("the record at byte {offset} is longer than {limit} bytes")]
    OverLimit {
        /// Where the record starts.
        offset: u64,
        /// The limit.
        limit: u64,
    },
}

impl ArchiveError {
    /// True when the disk was full, or the user's share of it.
    pub fn is_no_space(&self) -> bool {
        match self {
            ArchiveError::Io { source, .. } => {
                matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            _ => false,
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ArchiveError {
        move |source| ArchiveError::Io { action, path: path.to_owned(), source }
    }
}

/// Something in an archive directory that is not as it should be, or was not before it was put right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Name of the file within the directory.
    pub file: String,
    /// Where in the file.
    pub offset: u64,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong at one place of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Bytes past the committed length, as a crash leaves them: cut at opening.
    Tail {
        /// How many.
        bytes: u64,
    },
    /// A file that no commit names: set aside under this name.
    Unknown {
        /// The new name; none when it was left as it is.
        set_aside: Option<String>,
    },
    /// A committed file that is not there.
    Missing,
    /// A committed file that ends before its committed length.
    Short {
        /// The committed length.
        committed: u64,
        /// The new name; none when it was left as it is.
        set_aside: Option<String>,
    },
    /// A record that cannot be read.
    Unreadable {
        /// Why not.
        reason: String,
    },
    /// The bytes differ from the digest in the record's header.
    DigestMismatch {
        /// The header.
        field: &'static str,
    },
}

impl Finding {
    /// True when committed data is lost or wrong; false for what a crash leaves behind.
    pub fn is_damage(&self) -> bool {
        !matches!(self.problem, Problem::Tail { .. } | Problem::Unknown { .. })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { file, offset, problem } = self;
        match problem {
            Problem::Tail { bytes } => write!(f, "{file}: {bytes} uncommitted bytes from byte {offset}"),
            Problem::Unknown { set_aside: None } => write!(f, "{file}: not named by any commit"),
            Problem::Unknown { set_aside: Some(name) } => {
                write!(f, "{file}: not named by any commit, set aside as {name}")
            }
            Problem::Missing => write!(f, "{file}: missing"),
            Problem::Short { committed, set_aside } => {
                write!(f, "{file}: ends at byte {offset}, {committed} bytes were committed")?;
                set_aside.iter().try_for_each(|name| write!(f, ", set aside as {name}"))
            }
            Problem::Unreadable { reason } => write!(f, "{file}: byte {offset}: {reason}"),
            Problem::DigestMismatch { field } => write!(f, "{file}: byte {offset}: {field} does not match"),
        }
    }
}
