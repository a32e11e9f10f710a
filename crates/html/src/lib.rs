//! HTML as events, with or without a tree.
//!
//! One tokenizer reads the text and tells a [`Listener`] of every start tag, end tag and run of text. [`read`]
//! does only that; [`parse`] also hands each token to an HTML5 tree builder and returns the [`Tree`]. A listener
//! hears the same events on both paths, so what it makes of a page does not depend on whether a tree was wanted.
//!
//! Any text is HTML: nothing here fails. Size is bounded by the caller; the limits on attributes, depth and tree
//! size stand in [`limits`].

mod arena;
mod doctype;
mod element_name;
mod events;
mod fast;
pub mod limits;
#[cfg(test)]
mod oracle;
mod parse;
mod references;
pub mod select;
mod switch;
mod tokens;
mod tree;

pub use element_name::ElementName;
pub use events::{Listener, Tag};
pub use fast::read;
pub use parse::parse;
pub use switch::is_void;
pub use tree::{Kind, NodeId, Space, Tree};
