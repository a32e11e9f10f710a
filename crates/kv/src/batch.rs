//! A batch: changes that will be committed together, and reads that already see them.

use crate::{
    Key, KvError, Store, Table, Value,
    key_bytes::{Bounds, KeyBytes},
    read::{Bytes, RawReader, RawRow, RawRows, encoded},
    table::Layout,
};
use std::{
    cmp::Ordering,
    collections::{BTreeMap, VecDeque},
    ops::RangeInclusive,
};

const KEY_LENGTHS: RangeInclusive<usize> = 1..=u16::MAX as usize;

/// What a key shall hold: a value, or nothing.
pub(crate) type Change = Option<Bytes>;

/// Changes to any number of tables, kept in memory until [`Store::commit`]; dropping it forgets
/// them. Reads through a batch see its own changes over what the store holds at that moment; rows
/// written meanwhile by others are not held still, so that two writers of one row must agree
/// between themselves who goes first.
pub struct Batch {
    store: Store,
    changes: BTreeMap<&'static str, (Layout, BTreeMap<KeyBytes, Change>)>,
    bytes: usize,
    /// Room for the bytes of a value.
    value: Vec<u8>,
}

impl Batch {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, changes: BTreeMap::new(), bytes: 0, value: Vec::new() }
    }

    /// Sets the value of `key`.
    pub fn put<K: Key, V: Value>(&mut self, table: &Table<K, V>, key: &K, value: &V) {
        self.value.clear();
        value.encode(&mut self.value);
        let bytes = Bytes::from(self.value.as_slice());
        self.change(table.layout, encoded(key), Some(bytes));
    }

    /// Removes `key`, whether or not it has a value.
    pub fn remove<K: Key, V: Value>(&mut self, table: &Table<K, V>, key: &K) {
        self.change(table.layout, encoded(key), None);
    }

    /// Takes over the changes of another batch; where both name a key, `later` wins.
    pub fn append(&mut self, later: Batch) {
        self.bytes += later.bytes;
        for (name, (layout, changes)) in later.changes {
            self.changes.entry(name).or_insert((layout, BTreeMap::new())).1.extend(changes);
        }
    }

    /// How many keys the batch changes.
    pub fn len(&self) -> usize {
        self.changes.values().map(|(_, changes)| changes.len()).sum()
    }

    /// Whether the batch changes nothing.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// About how many bytes of keys and values were put in; a key changed twice counts twice.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn belongs_to(&self, store: &Store) -> bool {
        self.store.is_same(store)
    }

    /// Refuses keys that the engine on disk cannot keep, for both engines alike.
    pub(crate) fn check_keys(&self) -> Result<(), KvError> {
        for (layout, changes) in self.changes.values() {
            let lengths = changes.keys().map(|key| key.len());
            if let Some(length) = lengths.into_iter().find(|length| !KEY_LENGTHS.contains(length)) {
                return Err(KvError::KeyLength { table: layout.name, length });
            }
        }
        Ok(())
    }

    pub(crate) fn into_changes(self) -> impl Iterator<Item = (Layout, BTreeMap<KeyBytes, Change>)> + use<> {
        self.changes.into_values()
    }

    fn change(&mut self, table: Layout, key: KeyBytes, change: Change) {
        self.bytes += key.len() + change.as_ref().map_or(0, |value| value.len());
        let (_, changes) = self.changes.entry(table.name).or_insert((table, BTreeMap::new()));
        changes.insert(key, change);
    }
}

impl RawReader for Batch {
    #[expect(private_interfaces, reason = "sealed: only this crate reads raw rows")]
    fn raw_get(&self, table: Layout, key: &KeyBytes) -> Result<Option<Bytes>, KvError> {
        match self.changes.get(table.name).and_then(|(_, changes)| changes.get(key)) {
            Some(change) => Ok(change.clone()),
            None => self.store.raw_get(table, key),
        }
    }

    #[expect(private_interfaces, reason = "sealed: only this crate reads raw rows")]
    fn raw_range(&self, table: Layout, bounds: Bounds) -> RawRows {
        let changes: VecDeque<(KeyBytes, Change)> = match self.changes.get(table.name) {
            Some((_, changes)) => {
                let range = changes.range((bounds.0.as_ref(), bounds.1.as_ref()));
                range.map(|(key, change)| (key.clone(), change.clone())).collect()
            }
            None => VecDeque::new(),
        };
        let stored = self.store.raw_range(table, bounds);
        if changes.is_empty() {
            return stored;
        }
        Box::new(Overlaid { changes, stored, front: None, back: None })
    }
}

/// Changes laid over stored rows, from both ends.
struct Overlaid {
    changes: VecDeque<(KeyBytes, Change)>,
    stored: RawRows,
    /// The next stored row at either end, once it was looked at.
    front: Option<RawRow>,
    back: Option<RawRow>,
}

impl Iterator for Overlaid {
    type Item = Result<RawRow, KvError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.front.is_none() {
                // Where the two ends meet, the row that waits at the other end is the next one.
                self.front = match self.stored.next() {
                    Some(Ok(row)) => Some(row),
                    Some(Err(error)) => return Some(Err(error)),
                    None => self.back.take(),
                };
            }
            let Some((changed, _)) = self.changes.front() else {
                return self.front.take().map(Ok);
            };
            match self.front.as_ref().map(|(key, _)| key.cmp(changed)) {
                Some(Ordering::Less) => return self.front.take().map(Ok),
                Some(Ordering::Equal) => self.front = None,
                Some(Ordering::Greater) | None => {}
            }
            if let (key, Some(value)) = self.changes.pop_front()? {
                return Some(Ok((key, value)));
            }
        }
    }
}

impl DoubleEndedIterator for Overlaid {
    fn next_back(&mut self) -> Option<Self::Item> {
        loop {
            if self.back.is_none() {
                self.back = match self.stored.next_back() {
                    Some(Ok(row)) => Some(row),
                    Some(Err(error)) => return Some(Err(error)),
                    None => self.front.take(),
                };
            }
            let Some((changed, _)) = self.changes.back() else {
                return self.back.take().map(Ok);
            };
            match self.back.as_ref().map(|(key, _)| key.cmp(changed)) {
                Some(Ordering::Greater) => return self.back.take().map(Ok),
                Some(Ordering::Equal) => self.back = None,
                Some(Ordering::Less) | None => {}
            }
            if let (key, Some(value)) = self.changes.pop_back()? {
                return Some(Ok((key, value)));
            }
        }
    }
}
