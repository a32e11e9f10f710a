//! The read path: from what a person typed to ordered hits.
//!
//! [`query`] is the language: text in, a tree with places out, or a message that points at a character. [`plan()`]
//! turns the tree into what the index is asked, a [`Shard`] answers with its best documents, [`Searcher`] brings shards
//! and rules together and cuts the passages that are shown. [`IndexSettings`] say what an index holds and how it
//! ranks. Where documents come from, and when, is decided elsewhere.

mod answer;
mod dates;
mod document;
mod error;
mod evaluate;
mod explain;
mod facets;
mod links;
mod plan;
mod proximity;
pub mod query;
mod rules;
mod searcher;
pub mod settings;
mod shard;
mod signals;
mod similar;
mod snippet;
mod spelling;
mod unmet;
mod worth;

pub use answer::{Answer, FacetCounts, Hit, LeftOut, Search};
pub use dates::day;
pub use document::{
    Document, DocumentKind, FieldValue, Fields, PAGE_FIELD, PROJECT_FIELD, RowField, SUGGESTED_FIELD,
    page_key,
};
pub use error::SearchError;
pub use evaluate::{Collection, evaluate, vocabulary};
pub use explain::differences;
pub use links::{Links, PageLinks};
pub use plan::{Marks, Plan, Row, Words, plan};
pub use rules::in_force;
pub use searcher::{DEEPEST, LARGEST_PAGE, Searcher, cursor_at};
pub use settings::{IndexSettings, Ranking};
pub use shard::{Explained, Group, Local, PageGroups, Scored, Shard, ShardFound, ShardOrder};
pub use signals::{BUILT_IN, SignalParts};
pub use similar::Cached;
pub use snippet::{Marked, Piece, mark, passages};
pub use unmet::{Located, Unmet};
