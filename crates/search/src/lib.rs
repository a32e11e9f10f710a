//! The read path: from what a person typed to ordered hits.
//!
//! [`query`] is the language: text in, a tree with places out, or a message that points at a character. Finding,
//! scoring and showing come on top of it.

pub mod query;
