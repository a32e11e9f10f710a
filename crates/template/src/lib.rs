//! Page -> rows: which kind of page it is, where its rows are, what stands in their fields, which links they follow.
//!
//! A page's type and rows depend on the page alone, so that preview, crawl and repair read the same. Pure and total:
//! a hostile page costs a bounded number of steps and gives poorer rows, never an error. Only a template can be
//! wrong, and that is told when it is compiled.

mod clean;
mod compile;
mod date;
pub mod detect;
mod drift;
mod follow;
mod json;
mod linked_data;
mod markup;
mod number;
mod read;
mod reading;
mod table;
#[cfg(test)]
mod tests;

pub use compile::Template;
pub use read::{FUEL, MAX_ROWS};
pub use reading::{Coverage, Reading, Wanted, Why};
