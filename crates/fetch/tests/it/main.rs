//! The fetcher against real servers on loopback: well-behaved, slow, broken and hostile ones.

#![expect(clippy::unwrap_used, reason = "tests")]

mod broken;
mod connections;
mod exchange;
mod server;
mod slow;
mod tls;
