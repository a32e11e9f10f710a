//! An index against a plain computation over the same entries.

mod corpus;
mod live;
mod matching;
mod scores;
