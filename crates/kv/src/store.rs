//! The store: one directory of tables, owned by one process.
//!
//! Which engine keeps the rows is decided when it is opened; the engines themselves are in
//! `disk.rs` and `memory.rs`.

use crate::{
    Batch, KvError,
    disk::Disk,
    engine::EngineSnapshot,
    key_bytes::{Bounds, KeyBytes},
    memory::{Memory, Tables},
    read::{Bytes, RawReader, RawRows},
    table::Layout,
};
use std::{path::Path, sync::Arc};

/// Version of what [`Store::open`] writes; an older or newer directory is refused.
pub const FORMAT: u32 = 1;

/// How much memory a store on disk may use for its cache and for new rows. The engine needs more
/// beside these, for the indexes and filters of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Blocks read from disk and kept for the next reader.
    pub cache_bytes: u64,
    /// New rows of one table, kept in memory before they become a file.
    pub table_buffer_bytes: u64,
    /// New rows of all tables together.
    pub buffer_bytes: u64,
}

impl Default for Options {
    /// These bound what they name, not the whole: indexes and filters grow with the rows. A frontier that was
    /// filled with 20 million URLs peaked at 302 MiB of `RssAnon`.
    fn default() -> Self {
        const MIB: u64 = 1 << 20;
        Self { cache_bytes: 16 * MIB, table_buffer_bytes: 8 * MIB, buffer_bytes: 24 * MIB }
    }
}

/// When a commit returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// When this batch and all before it would survive a power cut.
    Synced,
    /// When the operating system has it: it survives the end of this process, but a power cut
    /// may take it away together with all that was committed after it.
    Buffered,
}

/// A handle to the tables of one directory; cheap to clone, shared between threads. The directory
/// is released when the last handle, snapshot and batch is dropped.
///
/// All methods block; see the [crate documentation](crate).
#[derive(Clone)]
pub struct Store {
    engine: Engine,
}

#[derive(Clone)]
enum Engine {
    Disk(Arc<Disk>),
    Memory(Arc<Memory>),
}

impl Store {
    /// Opens the store in `dir`, creating it (and missing parent directories) if need be.
    ///
    /// One process at a time: the second one gets [`KvError::Busy`].
    pub fn open(dir: &Path, options: Options) -> Result<Store, KvError> {
        let disk = Arc::new(Disk::open(dir, options)?);
        Ok(Store { engine: Engine::Disk(disk) })
    }

    /// A store without files, for tests: same rows, same promises, gone with its last handle.
    pub fn memory() -> Store {
        Store { engine: Engine::Memory(Arc::default()) }
    }

    /// What a power cut now would leave of a store in memory: everything up to the last synced
    /// batch, and of the later ones the first few, how many is chosen by `seed`. This store goes
    /// on as if nothing had happened.
    ///
    /// # Panics
    ///
    /// On a store in a directory, which has a real disk to lose power.
    pub fn crash(&self, seed: u64) -> Store {
        match &self.engine {
            Engine::Memory(memory) => Store { engine: Engine::Memory(Arc::new(memory.crash(seed))) },
            Engine::Disk(_) => panic!("only a store in memory can crash on demand"),
        }
    }

    /// The tables as they are now, for as long as the snapshot lives; commits go on meanwhile.
    /// The engine keeps what a snapshot can see, so let it go soon.
    pub fn snapshot(&self) -> Snapshot {
        let view = match &self.engine {
            Engine::Disk(disk) => match disk.engine() {
                Ok(engine) => View::Disk(EngineSnapshot::new(engine)),
                Err(_) => View::Closed(disk.clone()),
            },
            Engine::Memory(memory) => View::Memory(memory.tables()),
        };
        Snapshot { view }
    }

    /// An empty batch of changes to this store.
    pub fn batch(&self) -> Batch {
        Batch::new(self.clone())
    }

    /// Applies a batch: all of it or nothing, after all that was committed before. An empty one
    /// that is [`Durability::Synced`] syncs what was buffered so far.
    pub fn commit(&self, batch: Batch, durability: Durability) -> Result<(), KvError> {
        debug_assert!(batch.belongs_to(self), "a batch is committed to the store that made it");
        batch.check_keys()?;
        match &self.engine {
            Engine::Disk(disk) => disk.engine()?.commit(batch, durability),
            Engine::Memory(memory) => {
                memory.commit(batch, durability);
                Ok(())
            }
        }
    }

    /// Opens the store again after a write has failed ([`KvError::Poisoned`]), with what is on disk: every
    /// batch whose commit succeeded, and perhaps the one that failed, whole. All handles go on with it.
    ///
    /// Snapshots and rows that are still being read keep the old one open: [`KvError::BeingRead`] says so, and
    /// they may be let go of and this tried again. Until it succeeds, the store reads as before if it can.
    pub fn reopen(&self) -> Result<(), KvError> {
        match &self.engine {
            Engine::Disk(disk) => disk.reopen(),
            Engine::Memory(_) => Ok(()),
        }
    }

    /// Brings the new rows of all tables into files in the background, which gives the memory back that holds them. For
    /// when no more are expected for a while; with each call every table gets a small file.
    pub fn settle(&self) -> Result<(), KvError> {
        match &self.engine {
            Engine::Disk(disk) => disk.engine()?.settle(),
            Engine::Memory(_) => Ok(()),
        }
    }

    /// Bytes the store occupies on disk (in memory: bytes of all keys and values).
    pub fn disk_bytes(&self) -> Result<u64, KvError> {
        match &self.engine {
            Engine::Disk(disk) => disk.bytes(),
            Engine::Memory(memory) => Ok(memory.tables().bytes()),
        }
    }

    pub(crate) fn is_same(&self, other: &Store) -> bool {
        match (&self.engine, &other.engine) {
            (Engine::Disk(one), Engine::Disk(other)) => Arc::ptr_eq(one, other),
            (Engine::Memory(one), Engine::Memory(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl RawReader for Store {
    #[expect(private_interfaces, reason = "sealed: only this crate reads raw rows")]
    fn raw_get(&self, table: Layout, key: &KeyBytes) -> Result<Option<Bytes>, KvError> {
        match &self.engine {
            Engine::Disk(disk) => disk.engine()?.get(table, key),
            Engine::Memory(memory) => Ok(memory.get(table, key)),
        }
    }

    #[expect(private_interfaces, reason = "sealed: only this crate reads raw rows")]
    fn raw_range(&self, table: Layout, bounds: Bounds) -> RawRows {
        self.snapshot().raw_range(table, bounds)
    }
}

/// The tables as they were at one moment.
#[derive(Clone)]
pub struct Snapshot {
    view: View,
}

#[derive(Clone)]
enum View {
    Disk(EngineSnapshot),
    /// Of a store that could not be opened again: every read says so.
    Closed(Arc<Disk>),
    Memory(Tables),
}

impl RawReader for Snapshot {
    #[expect(private_interfaces, reason = "sealed: only this crate reads raw rows")]
    fn raw_get(&self, table: Layout, key: &KeyBytes) -> Result<Option<Bytes>, KvError> {
        match &self.view {
            View::Disk(view) => view.get(table, key),
            View::Closed(disk) => disk.engine()?.get(table, key),
            View::Memory(tables) => Ok(tables.get(table, key)),
        }
    }

    #[expect(private_interfaces, reason = "sealed: only this crate reads raw rows")]
    fn raw_range(&self, table: Layout, bounds: Bounds) -> RawRows {
        match &self.view {
            View::Disk(view) => view.range(table, bounds),
            View::Closed(disk) => match disk.engine() {
                Ok(engine) => EngineSnapshot::new(engine).range(table, bounds),
                Err(error) => Box::new(std::iter::once(Err(error))),
            },
            View::Memory(tables) => tables.range(table, bounds),
        }
    }
}
