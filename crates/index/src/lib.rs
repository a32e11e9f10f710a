//! Terms to postings to candidates: entries in, matches with their scores out. The only crate that names the index
//! library.
//!
//! An [`Index`] is a folder. One [`Writer`] puts and removes entries and commits them together with a cursor, the
//! caller's own note of how far it has come. A [`View`] is a still picture of the last commit and answers queries:
//! a tree of [`Query`] nodes, [`Statistics`] over all living entries (to be added up over several views), and
//! [`Scoring`], whose k, b and weights are chosen per query. Scores are exact: true lengths, living entries only.
//! How people write queries, and what is done with the candidates, is decided elsewhere.

mod bm25;
mod collect;
mod column;
mod entry;
mod error;
mod eval;
mod explain;
mod lengths;
mod prune;
mod query;
mod schema;
mod statistics;
mod tokens;
mod view;
mod window;
mod writer;

pub use bm25::{Idf, Scoring};
pub use collect::{Candidate, Change, Counts, Facet, Found, Order, Request, Signals};
pub use column::{KeywordColumn, NumberColumn, Segment, SegmentName};
pub use entry::{Entry, Value};
pub use error::IndexError;
pub use explain::{How, Part};
pub use query::{Demand, Form, Query, Term};
pub use schema::{FieldSpec, Kind, Schema};
pub use statistics::Statistics;
pub use view::{DocAddress, View};
pub use writer::{Index, Writer, WriterSettings};
