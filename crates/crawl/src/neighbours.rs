//! Runs side by side in one process: they share the clock, the turns at hosts and addresses, and descriptors.
//!
//! What the frontiers share is in `frontier::Neighbours`; this is what is finer than a millisecond, or not a
//! matter of URLs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::WallClock;
use crate::visit::Turns;

/// What the runs of one process share; cheap to clone.
#[derive(Clone, Default)]
pub struct Neighbours {
    pub(crate) frontiers: frontier::Neighbours,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    runs: usize,
    /// Connections, in use or idle, that runs have been promised.
    connections: u64,
    /// The date is read by the first run and counted on from there while any run works: two runs must agree on it.
    clock: Option<WallClock>,
    turns: Arc<Mutex<Turns>>,
}

/// A run's share; given back when it is dropped.
pub(crate) struct Stay {
    neighbours: Neighbours,
    pub(crate) clock: WallClock,
    pub(crate) turns: Arc<Mutex<Turns>>,
    connections: u64,
}

impl Neighbours {
    /// A run begins.
    pub(crate) fn enter(&self) -> Stay {
        let mut shared = self.shared();
        if shared.runs == 0 {
            *shared = Shared::default();
        }
        shared.runs += 1;
        let clock = *shared.clock.get_or_insert_with(WallClock::start);
        Stay { neighbours: self.clone(), clock, turns: shared.turns.clone(), connections: 0 }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stay {
    /// Connections that other runs have been promised.
    pub(crate) fn promised(&self) -> u64 {
        self.neighbours.shared().connections
    }

    /// Promises connections to this run.
    pub(crate) fn promise(&mut self, connections: u64) {
        self.connections += connections;
        self.neighbours.shared().connections += connections;
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        let mut shared = self.neighbours.shared();
        shared.runs -= 1;
        shared.connections = shared.connections.saturating_sub(self.connections);
    }
}
