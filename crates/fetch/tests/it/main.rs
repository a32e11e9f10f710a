//! The fetcher against real servers on loopback: well-behaved, slow, broken and hostile ones.

mod broken;
mod connections;
mod exchange;
mod server;
mod slow;
mod tls;
