//! One suite for both engines.

use kv::{Options, Store};
use testkit::kv_contract;

#[test]
fn the_store_in_memory_keeps_the_contract() {
    kv_contract(Store::memory);
}

#[test]
fn the_store_on_disk_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    kv_contract(|| {
        count += 1;
        Store::open(&folder.path().join(count.to_string()), Options::default()).unwrap()
    });
}
