//! The fetcher against real servers on loopback: well-behaved, slow, broken and hostile ones.

#![expect(clippy::unwrap_used, reason = "tests")]

mod broken;
mod connections;
mod exchange;
mod http2;
mod http2_broken;
mod http2_site;
mod proxies;
mod room;
mod server;
mod slow;
mod tls;
