//! The write path against real servers on loopback.

mod bench_site;
mod truth;
