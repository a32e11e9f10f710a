//! What can go wrong in a search.

use thiserror::Error;

use crate::query::QueryError;

/// Why a search gave nothing.
#[derive(Debug, Error)]
pub enum SearchError {
    /// The query cannot be understood.
    #[error("{0}")]
    Query(#[from] QueryError),
    /// A setting makes no sense.
    #[error("{0}")]
    Setting(String),
    /// The formula cannot be understood.
    #[error("formula, at character {}: {message}", .start + 1)]
    Formula {
        /// What is wrong.
        message: String,
        /// Where it begins, in characters.
        start: usize,
        /// Where it ends.
        end: usize,
    },
    /// The index.
    #[error(transparent)]
    Index(#[from] index::IndexError),
    /// An entry was written by another version.
    #[error("an entry of the index cannot be read ({0}); rebuild the index")]
    Entry(String),
    /// The cursor of a next page is not one of ours.
    #[error("this cursor is not one of ours, or of another query; start from the first page")]
    Cursor,
}

impl SearchError {
    /// True when what was typed or set is the reason.
    pub fn is_the_askers(&self) -> bool {
        matches!(
            self,
            SearchError::Query(_)
                | SearchError::Setting(_)
                | SearchError::Formula { .. }
                | SearchError::Cursor
        )
    }
}
