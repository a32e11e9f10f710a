//! Why an export failed.

use std::io;
use std::path::{Path, PathBuf};

/// Why an export failed. What was written so far is removed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is a file of that name.
    #[error("{} exists already; --force replaces it", .0.display())]
    Exists(PathBuf),
    /// The name is a directory's.
    #[error("{} is a directory; name a file", .0.display())]
    IsDirectory(PathBuf),
    /// The directory to write to does not exist.
    #[error("cannot write {}: there is no directory {}", path.display(), directory.display())]
    NoDirectory {
        /// The file.
        path: PathBuf,
        /// The directory.
        directory: PathBuf,
    },
    /// Another export writes the same file.
    #[error("another export is writing {}", .0.display())]
    Busy(PathBuf),
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
    /// The output took no more.
    #[error("cannot write the export")]
    Write(#[from] io::Error),
    /// A row that cannot be written as JSON.
    #[error("a row cannot be written as JSON")]
    Json(#[from] serde_json::Error),
    /// SQLite refused.
    #[error("cannot write the SQLite file {}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: sqlx::Error,
    },
    /// An unknown format.
    #[error("unknown export format {0:?}; known are {known}", known = crate::Format::NAMES.join(", "))]
    UnknownFormat(String),
}

impl ExportError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ExportError {
        move |source| ExportError::Io { action, path: path.to_owned(), source }
    }

    pub(crate) fn sqlite(path: &Path) -> impl FnOnce(sqlx::Error) -> ExportError {
        move |source| ExportError::Sqlite { path: path.to_owned(), source }
    }
}
