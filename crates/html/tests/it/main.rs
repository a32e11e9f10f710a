//! Selection on whole pages.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod lxml;
