//! What can go wrong with an index.

use std::path::PathBuf;

use thiserror::Error;

/// Why an index could not do what was asked.
#[derive(Debug, Error)]
pub enum IndexError {
    /// No index there, or not one of ours.
    #[error("there is no index in {}", .0.display())]
    Missing(PathBuf),
    /// Written by another version, or with fields that are no longer the same.
    #[error("the index in {} was made by another version ({found}); rebuild it", .dir.display())]
    Version {
        /// Where.
        dir: PathBuf,
        /// What it says of itself.
        found: String,
    },
    /// What lies there cannot be read.
    #[error("the index in {} is damaged ({reason}); rebuild it", .dir.display())]
    Damaged {
        /// Where.
        dir: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The text of a field cannot be cut as asked.
    #[error("field {field}: {source}")]
    Analysis {
        /// The field.
        field: String,
        /// Why.
        source: text::TextError,
    },
    /// Files.
    #[error("cannot write the index in {}", .dir.display())]
    Io {
        /// Where.
        dir: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The library.
    #[error("the index cannot go on: {0}")]
    Engine(#[from] tantivy::TantivyError),
}

impl From<std::io::Error> for IndexError {
    fn from(error: std::io::Error) -> IndexError {
        IndexError::Engine(error.into())
    }
}
