//! Bytes -> page: character encoding, links with their attributes, title, meta data, visible text.
//!
//! Pure and total: broken input gives a poorer page, never an error. The page is read from parser events
//! (crate `html`), so it is the same whether or not a tree is built beside it.

mod charset;
mod directives;
mod kind;
mod links;
mod page;
mod prescan;
mod reader;
mod refresh;
mod role;
mod words;

pub use charset::decode;
pub use kind::{Kind, kind};
pub use page::{Input, MAX_LINKS, page, page_and_tree};
