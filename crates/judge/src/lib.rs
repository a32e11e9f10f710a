//! Judgments about pages: seen before, changed since, on topic? Acts on nothing.
//!
//! [`winnow`] makes the fingerprint of a text, [`compare`] tells what two texts share, [`lookup`] finds the documents
//! that may share something, [`groups`] puts near duplicates together and chooses one of each. [`fingerprint`] is what is
//! kept of a crawled page for all that, [`tables`] where, [`book`] the judge of a page against all before it. [`change`]
//! tells what differs between two versions of a page, [`revisit`] how often a page changes and when to ask again.
//! [`topic`] tells how relevant a page is.
//!
//! Texts come in, verdicts go out; `now` is an argument.

pub mod book;
pub mod change;
pub mod compare;
pub mod fingerprint;
pub mod groups;
pub mod keywords;
pub mod lookup;
pub mod revisit;
pub mod simhash;
pub mod tables;
pub mod topic;
pub mod winnow;
