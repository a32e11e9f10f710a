//! The store from outside: the contract of both engines, encodings, and the directory.

#![expect(clippy::unwrap_used, reason = "tests")]

mod contract;
mod directory;
mod encodings;
mod failed_write;
mod full_disk;
mod power_cut;
mod twins;
