//! What every engine behind `kv::Store` promises.

#![expect(clippy::unwrap_used, reason = "a suite of tests")]

use kv::{Durability, Reader, Store, Table};

const NUMBERS: Table<u64, Vec<u8>> = Table::new("numbers").point_reads();
const PAIRS: Table<(u32, String), u64> = Table::new("pairs").scans();
const MARKS: Table<Vec<u8>, ()> = Table::new("marks");

type Promise = (&'static str, fn(Store));

const PROMISES: &[Promise] = &[
    ("a new store is empty", a_new_store_is_empty),
    ("what is put can be read until it is removed", what_is_put_can_be_read),
    ("rows come in key order from both ends", rows_come_in_key_order),
    ("a range ends where its bounds say", a_range_ends_where_its_bounds_say),
    ("a prefix finds all keys that begin with it", a_prefix_finds_all_that_begin_with_it),
    ("a dropped batch leaves nothing", a_dropped_batch_leaves_nothing),
    ("a batch reads its own changes", a_batch_reads_its_own_changes),
    ("of two changes of a key the later one wins", the_later_change_wins),
    ("a snapshot does not move", a_snapshot_does_not_move),
    ("a batch is seen whole or not at all", a_batch_is_seen_whole),
    ("tables of one store are apart", tables_are_apart),
    ("rows with an empty value are rows like others", empty_values_are_rows),
    ("keys of impossible length are refused", keys_of_impossible_length_are_refused),
];

/// Checks each promise on a new store.
///
/// # Panics
///
/// When one is broken; its sentence is printed before it is checked.
pub fn kv_contract(mut new_store: impl FnMut() -> Store) {
    for (sentence, check) in PROMISES {
        println!("{sentence}");
        check(new_store());
    }
}

fn a_new_store_is_empty(store: Store) {
    assert_eq!(store.get(&NUMBERS, &1).unwrap(), None);
    assert_eq!(store.first(&NUMBERS).unwrap(), None);
    assert_eq!(store.snapshot().last(&PAIRS).unwrap(), None);
    assert_eq!(store.batch().iter(&PAIRS).count(), 0);
}

fn what_is_put_can_be_read(store: Store) {
    put(&store, &[(1, "one"), (2, "two")]);
    check(&store, &[(1, "one"), (2, "two")]);
    assert!(store.contains(&NUMBERS, &2).unwrap());
    let mut batch = store.batch();
    batch.remove(&NUMBERS, &2);
    batch.remove(&NUMBERS, &3);
    batch.put(&NUMBERS, &1, &b"uno".to_vec());
    store.commit(batch, Durability::Buffered).unwrap();
    check(&store, &[(1, "uno")]);
    assert!(!store.contains(&NUMBERS, &2).unwrap());
}

fn rows_come_in_key_order(store: Store) {
    put(&store, &[(300, "c"), (2, "a"), (256, "b"), (u64::MAX, "d")]);
    check(&store, &[(2, "a"), (256, "b"), (300, "c"), (u64::MAX, "d")]);
    let backwards: Vec<u64> = store.iter(&NUMBERS).keys().rev().map(Result::unwrap).collect();
    assert_eq!(backwards, [u64::MAX, 300, 256, 2]);
    let mut ends = store.iter(&NUMBERS).keys();
    assert_eq!(ends.next().unwrap().unwrap(), 2);
    assert_eq!(ends.next_back().unwrap().unwrap(), u64::MAX);
    assert_eq!(ends.next().unwrap().unwrap(), 256);
    assert_eq!(ends.next_back().unwrap().unwrap(), 300);
    assert!(ends.next().is_none() && ends.next_back().is_none());
    assert_eq!(store.first(&NUMBERS).unwrap(), Some((2, b"a".to_vec())));
    assert_eq!(store.last(&NUMBERS).unwrap(), Some((u64::MAX, b"d".to_vec())));
}

fn a_range_ends_where_its_bounds_say(store: Store) {
    use std::ops::Bound::{Excluded, Included};
    put(&store, &[(1, ""), (2, ""), (3, ""), (4, "")]);
    let keys = |range: (std::ops::Bound<u64>, std::ops::Bound<u64>)| -> Vec<u64> {
        store.range(&NUMBERS, range).keys().map(Result::unwrap).collect()
    };
    assert_eq!(keys((Included(2), Excluded(4))), [2, 3]);
    assert_eq!(keys((Excluded(2), Included(4))), [3, 4]);
    assert_eq!(keys((Excluded(1), Excluded(2))), [0; 0]);
    assert_eq!(keys((Included(3), Included(3))), [3]);
    assert_eq!(keys((Excluded(3), Excluded(3))), [0; 0]);
    assert_eq!(keys((Included(4), Included(1))), [0; 0]);
}

fn a_prefix_finds_all_that_begin_with_it(store: Store) {
    let mut batch = store.batch();
    for key in [(1, "a"), (1, "ab"), (1, "b"), (2, ""), (2, "ab"), (u32::MAX, "z")] {
        batch.put(&PAIRS, &(key.0, key.1.to_owned()), &0);
    }
    for mark in [&b"\xff"[..], b"\xff\xff", b"\xff\xff\x01", b"\xfe"] {
        batch.put(&MARKS, &mark.to_vec(), &());
    }
    store.commit(batch, Durability::Buffered).unwrap();
    let count = |first: u32| store.prefix(&PAIRS, &first).count();
    assert_eq!([count(1), count(2), count(3), count(u32::MAX)], [3, 2, 0, 1]);
    assert_eq!(store.prefix(&PAIRS, &(1, "a".to_owned())).count(), 2);
    assert_eq!(store.prefix(&MARKS, &b"\xff\xff"[..]).count(), 2);
    assert_eq!(store.prefix(&MARKS, &b""[..]).count(), 4);
}

fn a_dropped_batch_leaves_nothing(store: Store) {
    let mut batch = store.batch();
    batch.put(&NUMBERS, &1, &b"one".to_vec());
    drop(batch);
    assert_eq!(store.get(&NUMBERS, &1).unwrap(), None);
}

fn a_batch_reads_its_own_changes(store: Store) {
    put(&store, &[(1, "one"), (3, "three"), (5, "five"), (7, "seven")]);
    let mut batch = store.batch();
    batch.put(&NUMBERS, &0, &b"zero".to_vec());
    batch.put(&NUMBERS, &3, &b"drei".to_vec());
    batch.put(&NUMBERS, &4, &b"four".to_vec());
    batch.remove(&NUMBERS, &5);
    batch.remove(&NUMBERS, &6);
    batch.put(&NUMBERS, &9, &b"nine".to_vec());
    assert_eq!(batch.get(&NUMBERS, &3).unwrap().unwrap(), b"drei");
    assert_eq!(batch.get(&NUMBERS, &5).unwrap(), None);
    assert_eq!(batch.get(&NUMBERS, &7).unwrap().unwrap(), b"seven");
    let seen = [(0, "zero"), (1, "one"), (3, "drei"), (4, "four"), (7, "seven"), (9, "nine")];
    check(&batch, &seen);
    let backwards: Vec<u64> = batch.iter(&NUMBERS).keys().rev().map(Result::unwrap).collect();
    assert_eq!(backwards, [9, 7, 4, 3, 1, 0]);
    let inner: Vec<u64> = batch.range(&NUMBERS, 1..=5).keys().map(Result::unwrap).collect();
    assert_eq!(inner, [1, 3, 4]);
    // The store itself has not moved yet.
    assert_eq!(store.get(&NUMBERS, &3).unwrap().unwrap(), b"three");
    store.commit(batch, Durability::Synced).unwrap();
    check(&store, &seen);
}

fn the_later_change_wins(store: Store) {
    let mut batch = store.batch();
    batch.put(&NUMBERS, &1, &b"first".to_vec());
    batch.remove(&NUMBERS, &1);
    batch.put(&NUMBERS, &2, &b"first".to_vec());
    let mut later = store.batch();
    later.put(&NUMBERS, &2, &b"second".to_vec());
    batch.append(later);
    assert_eq!(batch.len(), 2);
    store.commit(batch, Durability::Buffered).unwrap();
    check(&store, &[(2, "second")]);
}

fn a_snapshot_does_not_move(store: Store) {
    put(&store, &[(1, "old"), (2, "old")]);
    let snapshot = store.snapshot();
    let rows = store.iter(&NUMBERS);
    let mut batch = store.batch();
    batch.put(&NUMBERS, &1, &b"new".to_vec());
    batch.remove(&NUMBERS, &2);
    batch.put(&NUMBERS, &3, &b"new".to_vec());
    batch.put(&PAIRS, &(1, String::new()), &1);
    store.commit(batch, Durability::Synced).unwrap();
    check(&snapshot, &[(1, "old"), (2, "old")]);
    assert_eq!(snapshot.get(&NUMBERS, &1).unwrap().unwrap(), b"old");
    // A table that came later is empty for an earlier snapshot.
    assert_eq!(snapshot.iter(&PAIRS).count(), 0);
    assert_eq!(rows.count(), 2);
    check(&store, &[(1, "new"), (3, "new")]);
}

/// A writer adds to two tables at once; whoever takes a snapshot sees both or neither.
fn a_batch_is_seen_whole(store: Store) {
    put(&store, &[(0, "")]);
    let writer = store.clone();
    let writing = std::thread::spawn(move || {
        for round in 1..300u64 {
            let mut batch = writer.batch();
            batch.put(&NUMBERS, &round, &Vec::new());
            batch.put(&PAIRS, &(round as u32, String::new()), &round);
            writer.commit(batch, Durability::Buffered).unwrap();
        }
    });
    loop {
        let done = writing.is_finished();
        let snapshot = store.snapshot();
        let in_pairs = snapshot.last(&PAIRS).unwrap().map_or(0, |(_, round)| round);
        let in_numbers = snapshot.last(&NUMBERS).unwrap().map_or(0, |(round, _)| round);
        assert_eq!(in_pairs, in_numbers);
        if done {
            break;
        }
    }
    writing.join().unwrap();
    assert_eq!(store.iter(&PAIRS).count(), 299);
}

fn tables_are_apart(store: Store) {
    let mut batch = store.batch();
    batch.put(&NUMBERS, &1, &Vec::new());
    batch.put(&MARKS, &1u64.to_be_bytes().to_vec(), &());
    store.commit(batch, Durability::Buffered).unwrap();
    let mut batch = store.batch();
    batch.remove(&NUMBERS, &1);
    store.commit(batch, Durability::Buffered).unwrap();
    assert_eq!(store.iter(&NUMBERS).count(), 0);
    assert_eq!(store.iter(&MARKS).count(), 1);
}

fn empty_values_are_rows(store: Store) {
    let single: Table<(), Vec<u8>> = Table::new("single");
    let mut batch = store.batch();
    batch.put(&single, &(), &Vec::new());
    store.commit(batch, Durability::Synced).unwrap();
    assert_eq!(store.first(&single).unwrap(), Some(((), Vec::new())));
}

fn keys_of_impossible_length_are_refused(store: Store) {
    for (length, allowed) in [(0, false), (1, true), (65_535, true), (65_536, false)] {
        let mut batch = store.batch();
        batch.put(&NUMBERS, &length, &Vec::new());
        batch.put(&MARKS, &vec![7; length as usize], &());
        let committed = store.commit(batch, Durability::Synced);
        assert_eq!(committed.is_ok(), allowed, "{length}");
        assert_eq!(store.contains(&NUMBERS, &length).unwrap(), allowed, "{length}");
    }
}

fn put(store: &Store, rows: &[(u64, &str)]) {
    let mut batch = store.batch();
    for (number, text) in rows {
        batch.put(&NUMBERS, number, &text.as_bytes().to_vec());
    }
    store.commit(batch, Durability::Buffered).unwrap();
}

#[track_caller]
fn check(reader: &impl Reader, expected: &[(u64, &str)]) {
    let rows: Vec<(u64, Vec<u8>)> = reader.iter(&NUMBERS).map(Result::unwrap).collect();
    let expected: Vec<(u64, Vec<u8>)> =
        expected.iter().map(|&(number, text)| (number, text.into())).collect();
    assert_eq!(rows, expected);
}
