//! Numbers to a score, with an explanation: BM25, the user's [`Formula`], [`freshness`], and [`Explanation`], the
//! tree that says how a score came about. Everything here is pure; where the numbers come from is left to others.

pub mod bm25;
mod explanation;
mod formula;
mod freshness;

pub use explanation::{Explanation, How};
pub use formula::{Formula, FormulaError};
pub use freshness::freshness;
