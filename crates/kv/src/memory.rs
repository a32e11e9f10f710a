//! The twin of the engine that lives in memory: the same rows and the same promises, and a power
//! cut whenever a test wants one.

use crate::{
    KvError,
    batch::{Batch, Change},
    key_bytes::{Bounds, KeyBytes},
    read::{Bytes, RawRow, RawRows},
    store::Durability,
    table::Layout,
};
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

type Rows = BTreeMap<KeyBytes, Bytes>;

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
    /// What each commit since the last sync has replaced, oldest first: a power cut may bring it back.
    unsynced: Vec<Vec<(Layout, KeyBytes, Change)>>,
}

impl Memory {
    pub(crate) fn commit(&self, batch: Batch, durability: Durability) {
        let mut guard = self.state();
        let state = &mut *guard;
        match durability {
            Durability::Synced => {
                state.unsynced.clear();
                state.current.apply(batch, |_, _, _| ());
            }
            Durability::Buffered => {
                let mut replaced = Vec::new();
                state.current.apply(batch, |table, key, before| replaced.push((table, key.clone(), before)));
                state.unsynced.push(replaced);
            }
        }
    }

    pub(crate) fn get(&self, table: Layout, key: &KeyBytes) -> Option<Bytes> {
        self.state().current.get(table, key)
    }

    pub(crate) fn tables(&self) -> Tables {
        self.state().current.clone()
    }

    /// What is left after a power cut: all that was synced, and of what was committed since any
    /// first part, chosen by `seed`.
    pub(crate) fn crash(&self, seed: u64) -> Memory {
        let state = self.state();
        let mut current = state.current.clone();
        let survivors = mix(seed) as usize % (state.unsynced.len() + 1);
        for (table, key, before) in state.unsynced[survivors..].iter().rev().flatten() {
            current.change(*table, key.clone(), before.clone());
        }
        Memory { state: Mutex::new(State { current, unsynced: Vec::new() }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    pub(crate) fn get(&self, table: Layout, key: &KeyBytes) -> Option<Bytes> {
        self.0.get(table.name)?.get(key).cloned()
    }

    pub(crate) fn range(&self, table: Layout, bounds: Bounds) -> RawRows {
        match self.0.get(table.name) {
            Some(rows) => Box::new(Range::new(rows.clone(), bounds)),
            None => Box::new(std::iter::empty()),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        let rows = self.0.values().flat_map(|rows| rows.iter());
        rows.map(|(key, value)| (key.len() + value.len()) as u64).sum()
    }

    /// Makes changes; `replaced` is told what each key held before.
    fn apply(&mut self, batch: Batch, mut replaced: impl FnMut(Layout, &KeyBytes, Change)) {
        for (table, changes) in batch.into_changes() {
            let rows = self.rows(table);
            for (key, change) in changes {
                // A copy of a key or value is a count, not its bytes.
                let before = match change {
                    Some(value) => rows.insert(key.clone(), value),
                    None => rows.remove(&key),
                };
                replaced(table, &key, before);
            }
        }
    }

    fn change(&mut self, table: Layout, key: KeyBytes, change: Change) {
        let rows = self.rows(table);
        match change {
            Some(value) => rows.insert(key, value),
            None => rows.remove(&key),
        };
    }

    fn rows(&mut self, table: Layout) -> &mut Rows {
        Arc::make_mut(self.0.entry(table.name).or_default())
    }
}

/// Rows read at once, at most.
const READ_AHEAD: usize = 64;

/// The rows between two bounds, which close in on each other. From the front they are read some at a time, more with
/// each time: most readers want one or many.
struct Range {
    rows: Arc<Rows>,
    bounds: Bounds,
    /// Read from the front and not yet given.
    ahead: VecDeque<RawRow>,
    at_once: usize,
    /// Nothing is left between the bounds.
    done: bool,
}

impl Range {
    fn new(rows: Arc<Rows>, bounds: Bounds) -> Range {
        Range { rows, bounds, ahead: VecDeque::new(), at_once: 1, done: false }
    }

    fn read_ahead(&mut self) {
        if self.done {
            return;
        }
        let mut range = self.rows.range((self.bounds.0.as_ref(), self.bounds.1.as_ref()));
        self.ahead.extend(range.by_ref().take(self.at_once).map(|(key, value)| (key.clone(), value.clone())));
        // The last row must end it: a range excluded on both sides of one key is not allowed.
        self.done = range.next().is_none();
        if let Some((key, _)) = self.ahead.back() {
            self.bounds.0 = Bound::Excluded(key.clone());
        }
        self.at_once = (self.at_once * 4).min(READ_AHEAD);
    }

    fn last(&mut self) -> Option<RawRow> {
        if self.done {
            return None;
        }
        let mut range = self.rows.range((self.bounds.0.as_ref(), self.bounds.1.as_ref()));
        let found = range.next_back().map(|(key, value)| (key.clone(), value.clone()));
        self.done = range.next().is_none();
        if let Some((key, _)) = &found {
            self.bounds.1 = Bound::Excluded(key.clone());
        }
        found
    }
}

impl Iterator for Range {
    type Item = Result<RawRow, KvError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ahead.is_empty() {
            self.read_ahead();
        }
        self.ahead.pop_front().map(Ok)
    }
}

impl DoubleEndedIterator for Range {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.last().or_else(|| self.ahead.pop_back()).map(Ok)
    }
}

/// Spreads a seed over all bits (the finaliser of splitmix64), so that seeds 0, 1, 2 … differ.
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
