//! An index against a plain computation over the same entries.

#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod corpus;
mod live;
mod matching;
mod scores;
mod while_writing;
