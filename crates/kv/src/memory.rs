//! The twin of the engine that lives in memory: the same rows and the same promises, and a power
//! cut whenever a test wants one.

use crate::{
    KvError,
    batch::{Batch, Change},
    read::{Bounds, Bytes, RawRows, as_slices},
    store::Durability,
    table::Layout,
};
use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

type Rows = BTreeMap<Bytes, Bytes>;

/// The tables of one moment; shared until someone writes to them.
#[derive(Clone, Default)]
pub(crate) struct Tables(HashMap<&'static str, Arc<Rows>>);

/// Tables in memory.
#[derive(Default)]
pub(crate) struct Memory {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    current: Tables,
    /// What a power cut cannot take away.
    synced: Tables,
    /// Committed since the last sync, oldest first.
    unsynced: Vec<Vec<(Layout, BTreeMap<Bytes, Change>)>>,
}

impl Memory {
    pub(crate) fn commit(&self, batch: Batch, durability: Durability) {
        let changes: Vec<_> = batch.into_changes().collect();
        let mut guard = self.state();
        let state = &mut *guard;
        state.current.apply(&changes);
        state.unsynced.push(changes);
        if durability == Durability::Synced {
            for changes in state.unsynced.drain(..) {
                state.synced.apply(&changes);
            }
        }
    }

    pub(crate) fn get(&self, table: Layout, key: &[u8]) -> Option<Bytes> {
        self.state().current.get(table, key)
    }

    pub(crate) fn tables(&self) -> Tables {
        self.state().current.clone()
    }

    /// What is left after a power cut: all that was synced, and of what was committed since any
    /// first part, chosen by `seed`.
    pub(crate) fn crash(&self, seed: u64) -> Memory {
        let state = self.state();
        let mut left = state.synced.clone();
        let survivors = mix(seed) as usize % (state.unsynced.len() + 1);
        for changes in &state.unsynced[..survivors] {
            left.apply(changes);
        }
        let state = State { current: left.clone(), synced: left, unsynced: Vec::new() };
        Memory { state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    pub(crate) fn get(&self, table: Layout, key: &[u8]) -> Option<Bytes> {
        self.0.get(table.name)?.get(key).cloned()
    }

    pub(crate) fn range(&self, table: Layout, bounds: Bounds) -> RawRows {
        match self.0.get(table.name) {
            Some(rows) => Box::new(Range { rows: rows.clone(), bounds, done: false }),
            None => Box::new(std::iter::empty()),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        let rows = self.0.values().flat_map(|rows| rows.iter());
        rows.map(|(key, value)| (key.len() + value.len()) as u64).sum()
    }

    fn apply(&mut self, changes: &[(Layout, BTreeMap<Bytes, Change>)]) {
        for (table, changes) in changes {
            let rows = Arc::make_mut(self.0.entry(table.name).or_default());
            for (key, change) in changes {
                match change {
                    Some(value) => rows.insert(key.clone(), value.clone()),
                    None => rows.remove(key),
                };
            }
        }
    }
}

/// The rows between two bounds, which close in on each other.
struct Range {
    rows: Arc<Rows>,
    bounds: Bounds,
    done: bool,
}

impl Range {
    fn step(&mut self, from_back: bool) -> Option<(Bytes, Bytes)> {
        if self.done {
            return None;
        }
        let mut range = self.rows.range::<[u8], _>(as_slices(&self.bounds));
        let found = if from_back { range.next_back() } else { range.next() };
        let Some((key, value)) = found else {
            self.done = true;
            return None;
        };
        let row = (key.clone(), value.clone());
        // The last row must end it: a range excluded on both sides of one key is not allowed.
        self.done = range.next().is_none();
        let bound = Bound::Excluded(row.0.to_vec());
        if from_back {
            self.bounds.1 = bound;
        } else {
            self.bounds.0 = bound;
        }
        Some(row)
    }
}

impl Iterator for Range {
    type Item = Result<(Bytes, Bytes), KvError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step(false).map(Ok)
    }
}

impl DoubleEndedIterator for Range {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.step(true).map(Ok)
    }
}

/// Spreads a seed over all bits (the finaliser of splitmix64), so that seeds 0, 1, 2 … differ.
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
