//! Templates and detection, tried on whole pages.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may stop")]

mod detect;
