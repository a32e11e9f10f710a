//! What can go wrong between a caller and the store.

use std::{io, path::PathBuf};

/// Why the store could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum KvError {
    /// Another process, or another handle of this one, owns the directory.
    #[error("the store at {} is in use by another process", path.display())]
    Busy {
        /// The store's directory.
        path: PathBuf,
    },
    /// The directory was written by another version of this program.
    #[error("the store at {} has format {found}, this program reads format {known}; it was written by {} version", path.display(), if found > known { "a newer" } else { "an older" })]
    Format {
        /// The store's directory.
        path: PathBuf,
        /// What its format file says.
        found: u32,
        /// What this program reads.
        known: u32,
    },
    /// The directory holds something that is not a store, or a store without its format file.
    #[error("{} is not a store: {reason}", path.display())]
    NotAStore {
        /// The directory.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// The operating system refused to open, read or write a file.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The engine found its files damaged or could not read them.
    #[error("the store at {} cannot be read", path.display())]
    Engine {
        /// The store's directory.
        path: PathBuf,
        /// The engine's own words.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A write failed, so the engine takes no more of them: what is on disk is sound, what is in
    /// memory may not be. Drop every snapshot and batch, and [reopen](crate::Store::reopen) the store.
    #[error("a write to the store at {} failed; it must be opened again", path.display())]
    Poisoned {
        /// The store's directory.
        path: PathBuf,
        /// What the failed write met; absent on the writes refused after it.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The store cannot be opened again while somebody reads from it.
    #[error("the store at {} is still being read; it cannot be opened again yet", path.display())]
    BeingRead {
        /// The store's directory.
        path: PathBuf,
    },
    /// Stored bytes are not what the table's types say.
    #[error("table {table} holds bytes it cannot read")]
    Decode {
        /// The table's name.
        table: &'static str,
        /// What is wrong with them.
        source: DecodeError,
    },
    /// The engine knows no empty key, and keeps the length of a key in two bytes.
    #[error("a key of table {table} has {length} bytes; 1 to 65535 are allowed")]
    KeyLength {
        /// The table's name.
        table: &'static str,
        /// Length of the encoded key.
        length: usize,
    },
}

impl KvError {
    /// True when the disk was full, or the user's share of it.
    pub fn is_no_space(&self) -> bool {
        no_space(self).is_some()
    }
}

/// How an error and its causes tell that there is no space left, if they do.
pub(crate) fn no_space(error: &(dyn std::error::Error + 'static)) -> Option<io::ErrorKind> {
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    let full = kind.filter(|kind| matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded));
    full.or_else(|| no_space(error.source()?))
}

/// Why bytes could not be turned back into a key or a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Too few bytes, or some left over.
    #[error("{found} bytes where {expected} were expected")]
    Length {
        /// Bytes the type needs.
        expected: usize,
        /// Bytes there were.
        found: usize,
    },
    /// Written by a version of the type that this program does not know.
    #[error("version {found} of a value, versions up to {known} are known")]
    Version {
        /// The version byte in front of the value.
        found: u8,
        /// The newest version this program reads.
        known: u8,
    },
    /// The right version, but not its content.
    #[error("malformed: {0}")]
    Malformed(String),
}
