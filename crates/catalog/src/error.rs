//! What can go wrong with the catalog.

use std::path::{Path, PathBuf};

/// Why the catalog cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// Someone else holds the file.
    #[error("{} is locked by another program", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// Written by a newer version of this program.
    #[error("{} has schema {found}, this program knows schemas up to {known}; update it", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
    /// A file of that name that is something else.
    #[error("{} is not a catalog of this program", path.display())]
    NotACatalog {
        /// The file.
        path: PathBuf,
    },
    /// A row that does not make sense.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The file cannot be read or written.
    #[error("cannot use {}", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// The database's own words.
        source: sqlx::Error,
    },
    /// A project that is not there.
    #[error("there is no project number {0}")]
    NoProject(i64),
    /// A run that is not there.
    #[error("there is no run number {0}")]
    NoRun(i64),
}

/// SQLite's result codes; the low byte of an extended one.
const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const CORRUPT: i32 = 11;
const NOT_A_DATABASE: i32 = 26;

impl CatalogError {
    pub(crate) fn at(path: &Path) -> impl Fn(sqlx::Error) -> CatalogError + use<'_> {
        move |source| {
            let path = path.to_owned();
            let code = source.as_database_error().and_then(|error| error.code()?.parse::<i32>().ok());
            match code.map(|code| code & 0xff) {
                Some(BUSY | LOCKED) => CatalogError::Locked { path },
                Some(NOT_A_DATABASE) => CatalogError::NotACatalog { path },
                Some(CORRUPT) => CatalogError::Damaged { path, what: source.to_string() },
                _ => CatalogError::Failed { path, source },
            }
        }
    }

    /// True when the file itself is beyond use, so that setting it aside is the only way on.
    pub fn is_beyond_use(&self) -> bool {
        matches!(self, CatalogError::NotACatalog { .. } | CatalogError::Damaged { .. })
    }
}
