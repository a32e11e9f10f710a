//! Exports as other people's readers see them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod round_trip;
mod rows;
