//! The archive as a whole: written, read back, indexed, checked, and read by other people's tools.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod damage;
mod round_trip;
mod samples;
mod warcio;
