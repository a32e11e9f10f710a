//! What a power cut leaves: of the twin in memory on demand, of the journal on disk by hand.
//! The whole disk is cut in the tests of `testkit`.

use kv::{Durability, KvError, Options, Reader, Store, Table};
use std::{collections::BTreeSet, fs, path::Path};

const ROWS: Table<u64, Vec<u8>> = Table::new("rows");

fn put(store: &Store, key: u64, durability: Durability) {
    let mut batch = store.batch();
    batch.put(&ROWS, &key, &vec![0xaa; 2_000]);
    store.commit(batch, durability).unwrap();
}

fn keys(store: &Store) -> Vec<u64> {
    store.iter(&ROWS).keys().map(Result::unwrap).collect()
}

#[test]
fn a_crash_keeps_the_synced_and_any_first_part_of_the_rest() {
    let store = Store::memory();
    put(&store, 0, Durability::Buffered);
    put(&store, 1, Durability::Synced);
    put(&store, 2, Durability::Buffered);
    put(&store, 3, Durability::Buffered);
    let left: BTreeSet<Vec<u64>> = (0..50).map(|seed| keys(&store.crash(seed))).collect();
    let possible = [vec![0, 1], vec![0, 1, 2], vec![0, 1, 2, 3]];
    assert_eq!(left, BTreeSet::from(possible));
    assert_eq!(keys(&store), [0, 1, 2, 3], "the store itself goes on");
    assert_eq!(keys(&store.crash(3)), keys(&store.crash(3)), "the same seed, the same cut");
}

#[test]
fn an_empty_synced_commit_syncs_what_was_buffered() {
    let store = Store::memory();
    put(&store, 0, Durability::Buffered);
    store.commit(store.batch(), Durability::Synced).unwrap();
    assert_eq!(keys(&store.crash(0)), [0]);
}

#[test]
fn what_a_crash_left_is_durable() {
    let store = Store::memory();
    put(&store, 0, Durability::Synced);
    let left = store.crash(1);
    put(&left, 1, Durability::Buffered);
    assert!(keys(&left.crash(9)).starts_with(&[0]));
}

/// Writes rows 0 to 2, then lets `damage` at the journal (given where row 2 begins), and opens.
fn reopen_after(damage: impl Fn(&mut Vec<u8>, usize), check: impl Fn(Result<Store, KvError>, &Path)) {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("data/0.jnl");
    let length = || {
        let bytes = fs::read(&journal).unwrap();
        bytes.iter().rposition(|&byte| byte != 0).unwrap() + 1
    };
    let store = Store::open(folder.path(), Options::default()).unwrap();
    put(&store, 0, Durability::Synced);
    put(&store, 1, Durability::Synced);
    let row_2 = length();
    put(&store, 2, Durability::Synced);
    let end = length();
    drop(store);
    let mut bytes = fs::read(&journal).unwrap();
    bytes.truncate(end);
    damage(&mut bytes, row_2);
    bytes.resize(bytes.len() + 5_000, 0);
    fs::write(&journal, &bytes).unwrap();
    check(Store::open(folder.path(), Options::default()), folder.path());
}

#[test]
fn a_last_batch_torn_anywhere_is_dropped_and_the_store_goes_on() {
    for hole in 0..4 {
        let tear = |bytes: &mut Vec<u8>, row_2: usize| {
            let sector = row_2 / 512 * 512 + 512 * hole;
            let from = sector.max(row_2);
            let to = (sector + 512).min(bytes.len());
            bytes[from..to].fill(0);
        };
        reopen_after(tear, |store, dir| {
            let store = store.unwrap();
            assert_eq!(keys(&store), [0, 1]);
            put(&store, 5, Durability::Synced);
            drop(store);
            let store = Store::open(dir, Options::default()).unwrap();
            assert_eq!(keys(&store), [0, 1, 5]);
        });
    }
}

#[test]
fn a_last_batch_cut_short_is_dropped() {
    for kept in [1, 12, 13, 20, 600, 2_000] {
        let cut = |bytes: &mut Vec<u8>, row_2: usize| bytes.truncate(row_2 + kept);
        reopen_after(cut, |store, _| assert_eq!(keys(&store.unwrap()), [0, 1], "{kept}"));
    }
}

#[test]
fn whole_batches_behind_a_broken_one_are_set_aside() {
    let flip = |bytes: &mut Vec<u8>, row_2: usize| bytes[row_2 - 1_000] ^= 1;
    reopen_after(flip, |store, dir| {
        assert_eq!(keys(&store.unwrap()), [0]);
        let names = fs::read_dir(dir.join("data")).unwrap();
        let orphans =
            names.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".orphan"));
        assert_eq!(orphans.count(), 1);
    });
}
