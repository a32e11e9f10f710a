//! Near duplicates made from real documents, with graded edits.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod near_duplicates;
