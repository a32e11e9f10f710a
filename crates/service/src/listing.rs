//! Lists in pieces: some items, and where the next ones begin.

use serde::{Deserialize, Serialize};

/// Some items of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing<T> {
    /// These.
    pub items: Vec<T>,
    /// Where the next ones begin; none when these were the last.
    pub next: Option<String>,
}
