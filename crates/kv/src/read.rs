//! Typed reads, the same over a store, a snapshot and a batch.

use crate::{
    Key, KvError, Prefix, Table, Value,
    key_bytes::{Bounds, KeyBytes},
    table::Layout,
};
use std::{
    marker::PhantomData,
    ops::{Bound, RangeBounds},
};

/// Bytes shared with the engine's cache; cheap to clone.
pub(crate) type Bytes = fjall::Slice;

/// A row as the engine gives it.
pub(crate) type RawRow = (KeyBytes, Bytes);

/// Rows in key order.
pub(crate) type RawRows = Box<dyn DoubleEndedIterator<Item = Result<RawRow, KvError>> + Send>;

mod sealed {
    use super::*;

    /// What a source of rows provides; the typed methods are built on these two.
    pub trait RawReader {
        #[expect(private_interfaces, reason = "sealed: only this crate reads raw rows")]
        fn raw_get(&self, table: Layout, key: &KeyBytes) -> Result<Option<Bytes>, KvError>;

        #[expect(private_interfaces, reason = "sealed: only this crate reads raw rows")]
        fn raw_range(&self, table: Layout, bounds: Bounds) -> RawRows;
    }
}
pub(crate) use sealed::RawReader;

/// Reads of typed rows. A [`Store`](crate::Store) reads what is committed at the moment of each
/// call, a [`Snapshot`](crate::Snapshot) what was committed when it was taken, a
/// [`Batch`](crate::Batch) its own changes over the store.
pub trait Reader: RawReader {
    /// The value of `key`, if there is one.
    fn get<K: Key, V: Value>(&self, table: &Table<K, V>, key: &K) -> Result<Option<V>, KvError> {
        let bytes = self.raw_get(table.layout, &encoded(key))?;
        bytes.map(|bytes| decode_value(table.name(), &bytes)).transpose()
    }

    /// Whether `key` has a value.
    fn contains<K: Key, V: Value>(&self, table: &Table<K, V>, key: &K) -> Result<bool, KvError> {
        Ok(self.raw_get(table.layout, &encoded(key))?.is_some())
    }

    /// All rows, in key order; from the end by `next_back` and `rev`.
    fn iter<K: Key, V: Value>(&self, table: &Table<K, V>) -> Entries<K, V> {
        self.range(table, ..)
    }

    /// The rows whose keys lie in `range`, in key order.
    fn range<K: Key, V: Value>(&self, table: &Table<K, V>, range: impl RangeBounds<K>) -> Entries<K, V> {
        let bounds = (range.start_bound().map(encoded), range.end_bound().map(encoded));
        Entries::new(self, table, bounds)
    }

    /// The rows whose keys begin with `prefix`: the first parts of a tuple, or of a text.
    fn prefix<K: Key, V: Value, P: Prefix<K> + ?Sized>(
        &self,
        table: &Table<K, V>,
        prefix: &P,
    ) -> Entries<K, V> {
        let mut start = KeyBytes::new();
        prefix.encode_prefix(&mut start);
        let end = after_prefix(&start);
        Entries::new(self, table, (Bound::Included(start), end))
    }

    /// The row with the smallest key.
    fn first<K: Key, V: Value>(&self, table: &Table<K, V>) -> Result<Option<(K, V)>, KvError> {
        self.iter(table).next().transpose()
    }

    /// The row with the largest key.
    fn last<K: Key, V: Value>(&self, table: &Table<K, V>) -> Result<Option<(K, V)>, KvError> {
        self.iter(table).next_back().transpose()
    }
}

impl<R: RawReader> Reader for R {}

/// Rows in key order. An error ends nothing: the caller decides whether to go on.
pub struct Entries<K, V> {
    raw: RawRows,
    table: &'static str,
    types: PhantomData<fn() -> (K, V)>,
}

impl<K: Key, V: Value> Entries<K, V> {
    fn new(reader: &(impl RawReader + ?Sized), table: &Table<K, V>, bounds: Bounds) -> Self {
        // Engines disagree on what an inverted range means, so it never reaches them.
        let raw: RawRows = if is_empty_range(&bounds) {
            Box::new(std::iter::empty())
        } else {
            reader.raw_range(table.layout, bounds)
        };
        Self { raw, table: table.name(), types: PhantomData }
    }

    /// The keys only; values are not decoded.
    pub fn keys(self) -> Keys<K> {
        Keys { raw: self.raw, table: self.table, types: PhantomData }
    }

    fn decode(&self, row: Result<RawRow, KvError>) -> Result<(K, V), KvError> {
        let (key, value) = row?;
        Ok((decode_key(self.table, &key)?, decode_value(self.table, &value)?))
    }
}

impl<K: Key, V: Value> Iterator for Entries<K, V> {
    type Item = Result<(K, V), KvError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.raw.next()?;
        Some(self.decode(row))
    }
}

impl<K: Key, V: Value> DoubleEndedIterator for Entries<K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let row = self.raw.next_back()?;
        Some(self.decode(row))
    }
}

/// Keys in order, without their values.
pub struct Keys<K> {
    raw: RawRows,
    table: &'static str,
    types: PhantomData<fn() -> K>,
}

impl<K: Key> Keys<K> {
    fn decode(&self, row: Result<RawRow, KvError>) -> Result<K, KvError> {
        decode_key(self.table, &row?.0)
    }
}

impl<K: Key> Iterator for Keys<K> {
    type Item = Result<K, KvError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.raw.next()?;
        Some(self.decode(row))
    }
}

impl<K: Key> DoubleEndedIterator for Keys<K> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let row = self.raw.next_back()?;
        Some(self.decode(row))
    }
}

pub(crate) fn encoded<K: Key>(key: &K) -> KeyBytes {
    let mut bytes = KeyBytes::new();
    key.encode(&mut bytes);
    bytes
}

fn decode_key<K: Key>(table: &'static str, bytes: &[u8]) -> Result<K, KvError> {
    K::decode(bytes).map_err(|source| KvError::Decode { table, source })
}

fn decode_value<V: Value>(table: &'static str, bytes: &[u8]) -> Result<V, KvError> {
    V::decode(bytes).map_err(|source| KvError::Decode { table, source })
}

/// The first bytes beyond all that begin with `prefix`: there are none after 0xff only.
fn after_prefix(prefix: &[u8]) -> Bound<KeyBytes> {
    match prefix.iter().rposition(|&byte| byte != 0xff) {
        Some(last) => {
            let mut end = KeyBytes::from(&prefix[..last]);
            end.push(&[prefix[last] + 1]);
            Bound::Excluded(end)
        }
        None => Bound::Unbounded,
    }
}

fn is_empty_range(bounds: &Bounds) -> bool {
    match bounds {
        (Bound::Included(start), Bound::Included(end)) => start > end,
        (Bound::Included(start), Bound::Excluded(end))
        | (Bound::Excluded(start), Bound::Included(end))
        | (Bound::Excluded(start), Bound::Excluded(end)) => start >= end,
        _ => false,
    }
}
