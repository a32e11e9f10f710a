//! Rows and pages out: JSON, JSON lines, CSV, SQLite, sitemap.
//!
//! Rows are pushed one by one as they come from a running or a finished crawl, so nothing is held in memory.
//! Which rows to take, and where from, is the caller's business; so is copying the archive itself, which
//! stands in `archive`.

mod cell;
mod csv;
mod error;
mod format;
mod json_lines;
mod json_rows;
mod page_row;
mod sitemap;
mod sqlite;
mod target;

pub use cell::Cell;
pub use csv::{Csv, guard_formula, unguard_formula};
pub use error::ExportError;
pub use format::Format;
pub use json_lines::JsonLines;
pub use json_rows::JsonRows;
pub use page_row::PageRow;
pub use sitemap::{Sitemap, SitemapSummary};
pub use sqlite::{SqlitePages, SqliteRows};
pub use target::FileTarget;
