//! A disk that fills up: the store says so, is opened again in place when there is room, and has lost nothing.

use kv::{Durability, KvError, Options, Reader, Store, Table};
use testkit::{Seed, SmallDisk};

const BLOBS: Table<u64, Vec<u8>> = Table::new("blobs");
const NOTES: Table<u64, u64> = Table::new("notes");

/// Times the disk fills up.
const ROUNDS: usize = 8;

#[test]
fn a_store_that_met_a_full_disk_is_opened_again_in_place_and_has_lost_nothing() {
    let Some(disk) = SmallDisk::mount("a store on a full disk", 160 << 20) else { return };
    let mut seed = Seed::from_env();
    // So that files are written and merged all the time, and these fail too.
    let options = Options { table_buffer_bytes: 1 << 20, buffer_bytes: 2 << 20, ..Options::default() };
    let store = Store::open(&disk.path().join("store"), options).unwrap();
    let rounds = std::env::var("GANNET_SOAK").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let mut next = 0;
    for round in 0..rounds {
        for _ in 0..seed.below(12) {
            put(&store, next).unwrap();
            next += 1;
        }
        disk.fill(seed.below(6 << 20) as u64);
        let error = (0..200).find_map(|_| match put(&store, next) {
            Ok(()) => {
                next += 1;
                None
            }
            Err(error) => Some(error),
        });
        let error = error.expect("a full disk is noticed");
        println!("round {round}: {next} batches, then {error:?}");
        assert!(matches!(error, KvError::Poisoned { .. }), "{error:?}");
        assert!(matches!(put(&store, next), Err(KvError::Poisoned { source: None, .. })));
        assert_rows(&store, next);

        let reading = store.snapshot();
        assert!(matches!(store.reopen(), Err(KvError::BeingRead { .. })));
        drop(reading);
        disk.clear();
        store.reopen().unwrap();
        // The batch whose commit failed may be there, whole.
        if store.get(&NOTES, &next).unwrap().is_some() {
            next += 1;
        }
        assert_rows(&store, next);
        // Blobs make room for the next round's.
        let mut batch = store.batch();
        store.iter(&BLOBS).keys().for_each(|key| batch.remove(&BLOBS, &key.unwrap()));
        store.commit(batch, Durability::Synced).unwrap();
    }
}

/// The batches up to here and no others; of each both rows or, later, the note alone.
fn assert_rows(store: &Store, next: u64) {
    let notes: Vec<u64> = store.iter(&NOTES).keys().map(Result::unwrap).collect();
    assert!(notes.iter().copied().eq(0..next), "{} notes of {next}", notes.len());
    for row in store.iter(&BLOBS) {
        let (key, blob) = row.unwrap();
        assert!(key < next && blob == bytes(key), "blob {key}");
    }
}

fn put(store: &Store, n: u64) -> Result<(), KvError> {
    let mut batch = store.batch();
    batch.put(&BLOBS, &n, &bytes(n));
    batch.put(&NOTES, &n, &n);
    store.commit(batch, Durability::Synced)
}

fn bytes(n: u64) -> Vec<u8> {
    Seed::new(n).bytes(256 << 10)
}
