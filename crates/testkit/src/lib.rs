//! What tests of several crates share: contract suites, seeds, made-up texts, proxies, a disk that forgets, a disk that is full,
//! memory and time of the process.
//!
//! A dev-dependency only: nothing here is part of the product.

pub mod forgetful;
mod kv_contract;
pub mod made_up;
mod process;
mod proxy;
mod python;
mod seed;
mod skip;
mod small_disk;

pub use kv_contract::kv_contract;
pub use process::{process_kib, thread_nanos};
pub use proxy::{Speaks, TestProxy};
pub use python::python;
pub use seed::Seed;
pub use small_disk::SmallDisk;
