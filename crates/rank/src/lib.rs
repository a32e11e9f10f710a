//! Numbers to a score, with an explanation: the user's [`Formula`], [`freshness`], and [`Explanation`], the
//! tree that says how a score came about. Everything here is pure; where the numbers come from is left to others.

mod explanation;
mod formula;
mod freshness;

pub use explanation::{Explanation, How};
pub use formula::{Formula, FormulaError, Scratch};
pub use freshness::freshness;
