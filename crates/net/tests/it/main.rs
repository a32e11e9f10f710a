//! Names and connections against real servers on loopback.

#![expect(clippy::unwrap_used, reason = "tests")]

mod connecting;
mod dns;
mod names;
