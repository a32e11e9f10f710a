//! Keys sort as their bytes do; values say who wrote them.

use kv::{DecodeError, Durability, Key, KeyBytes, KvError, Reader, Record, Store, Table};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

proptest! {
    #[test]
    fn numbers_sort_as_their_bytes_do(a: (u8, u16, u32, u64), b: (u8, u16, u32, u64)) {
        check_order(&a, &b)?;
        check_order(&a.0, &b.0)?;
        check_order(&a.1, &b.1)?;
        check_order(&a.2, &b.2)?;
        check_order(&a.3, &b.3)?;
    }

    #[test]
    fn wide_numbers_and_arrays_sort_as_their_bytes_do(a: (u128, [u8; 5]), b: (u128, [u8; 5])) {
        check_order(&a, &b)?;
        check_order(&a.1, &b.1)?;
    }

    // A small alphabet, so that one text is often the beginning of the other.
    #[test]
    fn texts_at_the_end_sort_as_their_bytes_do(
        a in (0u32..3, "[ab\u{0}]{0,4}"), b in (0u32..3, "[ab\u{0}]{0,4}"),
    ) {
        check_order(&a, &b)?;
        check_order(&a.1, &b.1)?;
        check_order(&(1u8, a.0, a.1.clone().into_bytes()), &(1u8, b.0, b.1.clone().into_bytes()))?;
    }

    #[test]
    fn no_bytes_make_a_decoder_panic(bytes: Vec<u8>) {
        let _ = u64::decode(&bytes);
        let _ = <(u32, String)>::decode(&bytes);
        let _ = <(u8, [u8; 3], u128, Vec<u8>)>::decode(&bytes);
        let _ = <Clock as kv::Value>::decode(&bytes);
    }

    #[test]
    fn records_come_back_as_they_were(due: u64, host: String) {
        let clock = Clock { due, host };
        let mut bytes = vec![0xaa];
        kv::Value::encode(&clock, &mut bytes);
        prop_assert_eq!(<Clock as kv::Value>::decode(&bytes[1..]).unwrap(), clock);
    }
}

fn check_order<K: Key + Ord + Debug>(a: &K, b: &K) -> Result<(), TestCaseError> {
    let bytes = |key: &K| {
        let mut bytes = KeyBytes::new();
        key.encode(&mut bytes);
        bytes
    };
    prop_assert_eq!(bytes(a).cmp(&bytes(b)), a.cmp(b));
    prop_assert_eq!(&K::decode(&bytes(a)).unwrap(), a);
    Ok(())
}

#[test]
fn a_key_of_the_wrong_length_is_refused() {
    let error = u32::decode(&[0, 0, 0, 1, 9]).unwrap_err();
    assert_eq!(error, DecodeError::Length { expected: 4, found: 5 });
    assert!(<(u8, u16)>::decode(&[1, 2]).is_err());
    assert!(<(u8, String)>::decode(&[1, 0xff]).is_err());
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Clock {
    due: u64,
    host: String,
}

impl Record for Clock {
    const VERSION: u8 = 2;

    fn migrate(version: u8, fields: &[u8]) -> Result<Self, DecodeError> {
        match version {
            1 => Ok(Clock { due: kv::read_fields(fields)?, host: "unknown".into() }),
            found => Err(DecodeError::Version { found, known: Self::VERSION }),
        }
    }
}

const CLOCKS: Table<u8, Clock> = Table::new("clocks");
/// The same table as another version of the program sees it.
const RAW_CLOCKS: Table<u8, Vec<u8>> = Table::new("clocks");

fn read_clock(bytes: &[u8]) -> Result<Option<Clock>, KvError> {
    let store = Store::memory();
    let mut batch = store.batch();
    batch.put(&RAW_CLOCKS, &1, &bytes.to_vec());
    store.commit(batch, Durability::Synced)?;
    store.get(&CLOCKS, &1)
}

#[test]
fn an_older_version_is_migrated() {
    let clock = read_clock(&[1, 7]).unwrap().unwrap();
    assert_eq!(clock, Clock { due: 7, host: "unknown".into() });
}

#[test]
fn a_newer_version_is_refused_by_table_and_number() {
    let error = read_clock(&[3, 7]).unwrap_err();
    assert_eq!(error.to_string(), "table clocks holds bytes it cannot read");
    let KvError::Decode { source, .. } = error else { panic!("{error:?}") };
    assert_eq!(source.to_string(), "version 3 of a value, versions up to 2 are known");
}

#[test]
fn bytes_of_another_shape_are_refused() {
    for bytes in [&[][..], &[2], &[2, 7], &[2, 7, 5, b'a'], &[2, 7, 1, b'a', 0]] {
        assert!(matches!(read_clock(bytes), Err(KvError::Decode { .. })), "{bytes:?}");
    }
    assert_eq!(read_clock(&[2, 7, 1, b'a']).unwrap().unwrap().host, "a");
}
