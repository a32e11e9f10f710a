//! What tests of several crates share: contract suites, seeds, and a disk that forgets.
//!
//! A dev-dependency only: nothing here is part of the product.

pub mod forgetful;
mod kv_contract;
mod python;
mod seed;

pub use kv_contract::kv_contract;
pub use python::python;
pub use seed::Seed;
