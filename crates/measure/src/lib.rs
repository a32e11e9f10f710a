//! How good a ranking is, in figures that others compute the same way.
//!
//! [`Judgments`] say which documents answer which query, a [`Ranking`] is what a search returned, a [`Measure`]
//! turns the two into a number, [`evaluate`] does so for every judged query and takes the mean, and [`compare`]
//! says whether the difference between two evaluations may be chance. [`crawl`] has the figures of a crawl. Nothing
//! here searches, reads files or draws numbers from outside.

pub mod crawl;
mod error;
mod evaluation;
mod judgments;
mod measures;
mod ranking;
mod significance;

pub use error::MeasureError;
pub use evaluation::{Evaluation, QueryFigures, evaluate};
pub use judgments::{Grades, Judgments};
pub use measures::Measure;
pub use ranking::Ranking;
pub use significance::{Comparison, compare};
