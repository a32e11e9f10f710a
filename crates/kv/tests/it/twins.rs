//! The store in memory does what the store on disk does.

use kv::{Batch, Durability, Options, Reader, Store, Table};
use proptest::{collection::vec, prelude::*};

const FIRST: Table<u8, Vec<u8>> = Table::new("first").point_reads();
const SECOND: Table<(u8, Vec<u8>), u64> = Table::new("second").scans();

#[derive(Debug, Clone)]
enum Step {
    PutFirst(u8, Vec<u8>),
    RemoveFirst(u8),
    PutSecond(u8, Vec<u8>, u64),
    RemoveSecond(u8, Vec<u8>),
    Commit(bool),
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let text = || vec(0u8..3, 0..3);
    let step = prop_oneof![
        6 => (0u8..12, vec(any::<u8>(), 0..40)).prop_map(|(k, v)| Step::PutFirst(k, v)),
        3 => (0u8..12).prop_map(Step::RemoveFirst),
        6 => (0u8..3, text(), any::<u64>()).prop_map(|(a, b, v)| Step::PutSecond(a, b, v)),
        3 => (0u8..3, text()).prop_map(|(a, b)| Step::RemoveSecond(a, b)),
        4 => any::<bool>().prop_map(Step::Commit),
        1 => Just(Step::Reopen),
    ];
    vec(step, 1..80)
}

/// Everything that can be read, from both ends and in parts.
fn everything(reader: &impl Reader) -> impl PartialEq + std::fmt::Debug {
    let first: Vec<_> = reader.iter(&FIRST).map(Result::unwrap).collect();
    let second: Vec<_> = reader.iter(&SECOND).rev().map(Result::unwrap).collect();
    let prefix: Vec<_> = reader.prefix(&SECOND, &1).keys().map(Result::unwrap).collect();
    let range: Vec<_> = reader.range(&FIRST, 3..9).rev().map(Result::unwrap).collect();
    let mut ends = Vec::new();
    let mut rows = reader.iter(&FIRST).keys();
    while let Some(key) = rows.next() {
        ends.push(key.unwrap());
        ends.extend(rows.next_back().map(Result::unwrap));
    }
    let single: Vec<_> = (0u8..12).map(|key| reader.get(&FIRST, &key).unwrap()).collect();
    (first, second, prefix, range, ends, single)
}

fn change(batch: &mut Batch, step: &Step) {
    match step.clone() {
        Step::PutFirst(key, value) => batch.put(&FIRST, &key, &value),
        Step::RemoveFirst(key) => batch.remove(&FIRST, &key),
        Step::PutSecond(a, b, value) => batch.put(&SECOND, &(a, b), &value),
        Step::RemoveSecond(a, b) => batch.remove(&SECOND, &(a, b)),
        Step::Commit(_) | Step::Reopen => unreachable!("no change"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn memory_equals_disk_after_any_steps(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let memory = Store::memory();
        let mut disk = Store::open(folder.path(), Options::default()).unwrap();
        let mut batches = (memory.batch(), disk.batch());
        for step in &steps {
            match step {
                Step::Commit(synced) => {
                    let durability =
                        if *synced { Durability::Synced } else { Durability::Buffered };
                    let snapshots = (memory.snapshot(), disk.snapshot());
                    let before = everything(&snapshots.0);
                    memory.commit(batches.0, durability).unwrap();
                    disk.commit(batches.1, durability).unwrap();
                    batches = (memory.batch(), disk.batch());
                    prop_assert_eq!(&everything(&snapshots.0), &before);
                    prop_assert_eq!(&everything(&snapshots.1), &before);
                }
                Step::Reopen => {
                    drop((batches, disk));
                    disk = Store::open(folder.path(), Options::default()).unwrap();
                    batches = (memory.batch(), disk.batch());
                }
                step => {
                    change(&mut batches.0, step);
                    change(&mut batches.1, step);
                }
            }
            prop_assert_eq!(everything(&batches.0), everything(&batches.1));
            prop_assert_eq!(everything(&memory), everything(&disk));
        }
    }
}
