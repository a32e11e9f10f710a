//! Page -> rows: which kind of page it is, where its rows are, what stands in their fields, which links they follow.
//!
//! A page's type and rows depend on the page alone, so that preview, crawl and repair read the same. Pure and total:
//! a hostile page costs a bounded number of steps and gives poorer rows, never an error. Only a template can be
//! wrong, and that is told when it is compiled.

mod reading;

pub use reading::{Coverage, Reading, Wanted, Why};
