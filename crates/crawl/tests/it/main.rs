//! The write path against real servers on loopback.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bench_site;
mod content;
mod disk;
mod following;
mod hints;
mod leaks;
mod load;
mod orders;
mod proxies;
mod requests;
mod robots;
mod rows;
mod site;
mod sitemaps;
mod steering;
mod torture;
mod traps;
mod truth;
