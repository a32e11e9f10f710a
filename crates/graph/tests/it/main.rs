//! The graph as its users see it.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod dense;
mod reference;
