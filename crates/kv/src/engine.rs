//! The engine, opened: fjall, its tables, and what it leaves to whoever writes to it.
//!
//! After a failed write fjall takes no more of them. Its threads may have ended by then, and a writer that waits
//! for them would wait for ever; so a commit waits here, where it notices. Files and directories are `disk.rs`.

use crate::{
    Batch, Durability, KvError, Options,
    disk::{DATA_FOLDER, sync_dir},
    error::no_space,
    key_bytes::{Bounds, KeyBytes},
    read::{Bytes, RawRows},
    table::{Layout, Reads},
};
use fjall::{
    AbstractTree, CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode, Readable,
    compaction::Leveled,
    config::{
        BlockSizePolicy, BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry,
        PartitioningPolicy, PinningPolicy,
    },
};
use std::{
    collections::HashMap,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

/// The engine's folder with one folder per table.
const TABLES_FOLDER: &str = "keyspaces";

/// One thread writes new rows to files and merges files. Of two the engine keeps one for new rows, and that one takes and
/// gives back what there is to merge without a pause for as long as the other merges.
const BACKGROUND_THREADS: usize = 1;
/// Leaves most of the usual 1024 descriptors to the network.
const OPEN_FILES: usize = 200;
/// Beyond this, tables that hold old rows in memory are written out, so that the start stays fast.
const JOURNAL_BYTES: u64 = 64 << 20;

/// A writer waits while a table has this many buffers to be written out, or this many files to be merged. The
/// engine itself waits at 4 and at 30, without looking whether anybody is left to do the work; a commit adds at
/// most two buffers and one file to what is seen here.
const MOST_BUFFERS: usize = 2;
/// The same, of all tables: times the bytes that new rows may take.
const MOST_BUFFERED: u64 = 2;
const MOST_FRESH_FILES: usize = 24;
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// An open engine. Fields are dropped in this order: it stops before the lock goes.
pub(crate) struct Engine {
    tables: RwLock<HashMap<&'static str, Open>>,
    database: Database,
    options: Options,
    dir: PathBuf,
    _lock: Arc<File>,
}

/// An open table.
struct Open {
    keyspace: Keyspace,
    /// Bytes of new rows that it keeps in memory.
    buffer_bytes: u64,
}

impl Engine {
    /// Opens what is in the data folder of `dir`, which is locked.
    pub(crate) fn open(dir: &Path, options: &Options, lock: Arc<File>) -> Result<Engine, KvError> {
        let database = open_database(&dir.join(DATA_FOLDER), options).map_err(open_error(dir))?;
        let (tables, options, dir) = (RwLock::default(), options.clone(), dir.into());
        Ok(Engine { tables, database, options, dir, _lock: lock })
    }

    /// Makes an empty one in `data`, of the store in `dir`.
    pub(crate) fn create(data: &Path, dir: &Path, options: &Options) -> Result<(), KvError> {
        open_database(data, options).map(drop).map_err(open_error(dir))
    }

    pub(crate) fn get(&self, table: Layout, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        match self.existing_table(table)? {
            Some(keyspace) => keyspace.get(key).map_err(|error| self.read_error(error)),
            None => Ok(None),
        }
    }

    pub(crate) fn commit(&self, batch: Batch, durability: Durability) -> Result<(), KvError> {
        let mode = match durability {
            // The length of the file is part of what fdatasync keeps.
            Durability::Synced => PersistMode::SyncData,
            Durability::Buffered => PersistMode::Buffer,
        };
        if batch.is_empty() {
            return self.database.persist(mode).map_err(|error| self.write_error(error));
        }
        let mut write = self.database.batch().durability(Some(mode));
        for (table, changes) in batch.into_changes() {
            let keyspace = self.table(table)?;
            for (key, change) in changes {
                match change {
                    Some(value) => write.insert(&keyspace, &*key, value),
                    None => write.remove(&keyspace, &*key),
                }
            }
        }
        self.wait_for_room()?;
        write.commit().map_err(|error| self.write_error(error))?;
        self.bound_buffers()
    }

    /// The table, created if it is new.
    fn table(&self, table: Layout) -> Result<Keyspace, KvError> {
        if let Some(keyspace) = self.existing_table(table)? {
            return Ok(keyspace);
        }
        let keyspace = self
            .database
            .keyspace(table.name, || create_options(table.reads, &self.options))
            .map_err(|error| self.write_error(error))?;
        // The engine syncs what is inside the new folder, but not its name.
        sync_dir(&self.dir.join(DATA_FOLDER).join(TABLES_FOLDER))?;
        self.remember(table, &keyspace);
        Ok(keyspace)
    }

    /// The table, if anything was ever put into it: a read shall not create files.
    fn existing_table(&self, table: Layout) -> Result<Option<Keyspace>, KvError> {
        let known = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = known.get(table.name) {
            return Ok(Some(open.keyspace.clone()));
        }
        drop(known);
        if !self.database.keyspace_exists(table.name) {
            return Ok(None);
        }
        let keyspace = self
            .database
            .keyspace(table.name, || create_options(table.reads, &self.options))
            .map_err(|error| self.read_error(error))?;
        self.remember(table, &keyspace);
        Ok(Some(keyspace))
    }

    fn remember(&self, table: Layout, keyspace: &Keyspace) {
        let mut known = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        // With twice as many new rows at once, half as many old ones are written anew for each.
        let share = if table.reads == Reads::ManyPoints { 2 } else { 1 };
        let buffer_bytes = self.options.table_buffer_bytes.saturating_mul(share);
        known.insert(table.name, Open { keyspace: keyspace.clone(), buffer_bytes });
    }

    /// A table with many new rows brings them to disk. The engine would ask its thread to begin with that, which may be
    /// merging files meanwhile. And it does not bound the new rows of all tables together: with many tables the fullest
    /// one has to go early. Of these one at a time, or a burst of commits would leave many small files.
    fn bound_buffers(&self) -> Result<(), KvError> {
        let known = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        for Open { keyspace, buffer_bytes } in known.values() {
            if keyspace.tree.active_memtable().size() >= *buffer_bytes {
                keyspace.rotate_memtable().map_err(|error| self.write_error(error))?;
            }
        }
        if self.database.write_buffer_size() <= self.options.buffer_bytes
            || self.database.outstanding_flushes() > 0
        {
            return Ok(());
        }
        let sizes =
            known.values().map(|Open { keyspace, .. }| (keyspace.tree.active_memtable().size(), keyspace));
        let fullest = sizes.max_by_key(|&(size, _)| size);
        if let Some((size, keyspace)) = fullest
            && size >= self.options.buffer_bytes / 8
        {
            keyspace.rotate_memtable().map_err(|error| self.write_error(error))?;
        }
        Ok(())
    }

    /// Sends the new rows of all tables to disk.
    pub(crate) fn settle(&self) -> Result<(), KvError> {
        let known = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        let tables = known.values().map(|open| &open.keyspace);
        for keyspace in tables.filter(|keyspace| keyspace.tree.active_memtable().size() > 0) {
            keyspace.rotate_memtable().map_err(|error| self.write_error(error))?;
        }
        Ok(())
    }

    /// Waits while the engine's threads are behind with their work; fails when they have given up.
    #[expect(clippy::disallowed_methods, reason = "the engine tells nobody when it has caught up")]
    fn wait_for_room(&self) -> Result<(), KvError> {
        let behind = || {
            if self.database.outstanding_flushes() > 0
                && self.database.write_buffer_size() > self.options.buffer_bytes.saturating_mul(MOST_BUFFERED)
            {
                return true;
            }
            let known = self.tables.read().unwrap_or_else(PoisonError::into_inner);
            known.values().any(|Open { keyspace, .. }| {
                keyspace.tree.sealed_memtable_count() >= MOST_BUFFERS
                    || keyspace.tree.l0_run_count() >= MOST_FRESH_FILES
            })
        };
        while behind() {
            // Refused once a write has failed, also one of the background.
            self.database.persist(PersistMode::Buffer).map_err(|error| self.write_error(error))?;
            std::thread::sleep(LOOK_AGAIN);
        }
        Ok(())
    }

    fn read_error(&self, error: fjall::Error) -> KvError {
        KvError::Engine { path: self.dir.clone(), source: error.into() }
    }

    fn write_error(&self, error: fjall::Error) -> KvError {
        let source = match error {
            fjall::Error::Poisoned => None,
            error => Some(error.into()),
        };
        KvError::Poisoned { path: self.dir.clone(), source }
    }
}

/// The tables of one moment.
#[derive(Clone)]
pub(crate) struct EngineSnapshot {
    view: fjall::Snapshot,
    engine: Arc<Engine>,
}

impl EngineSnapshot {
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self { view: engine.database.snapshot(), engine }
    }

    pub(crate) fn get(&self, table: Layout, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        match self.engine.existing_table(table)? {
            Some(keyspace) => self.view.get(&keyspace, key).map_err(|error| self.engine.read_error(error)),
            None => Ok(None),
        }
    }

    pub(crate) fn range(&self, table: Layout, bounds: Bounds) -> RawRows {
        match self.engine.existing_table(table) {
            Ok(Some(keyspace)) => {
                let engine = self.engine.clone();
                let rows = self.view.range(&keyspace, bounds);
                Box::new(rows.map(move |row| match row.into_inner() {
                    Ok((key, value)) => Ok((KeyBytes::from(&*key), value)),
                    Err(error) => Err(engine.read_error(error)),
                }))
            }
            Ok(None) => Box::new(std::iter::empty()),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }
}

/// How much larger each level of a table of many short rows is than the one before: a read by key asks all of them, and so
/// two are enough up to 3 GB.
const MANY: f32 = 24.0;

fn create_options(reads: Reads, options: &Options) -> KeyspaceCreateOptions {
    // Kept to by `bound_buffers`; the engine's own bound is never reached.
    let create = KeyspaceCreateOptions::default()
        .max_memtable_size(options.table_buffer_bytes.max(options.buffer_bytes));
    let filters_in_memory = |create: KeyspaceCreateOptions| {
        create
            .filter_block_pinning_policy(PinningPolicy::all(true))
            .filter_block_partitioning_policy(PartitioningPolicy::all(false))
    };
    let indexes_in_memory = |create: KeyspaceCreateOptions| {
        create
            .index_block_pinning_policy(PinningPolicy::all(true))
            .index_block_partitioning_policy(PartitioningPolicy::all(false))
    };
    match reads {
        // Their indexes and filters stay in memory, 4 bytes a row: a cache would drop them for rows, and read them
        // again as a whole.
        Reads::Points => indexes_in_memory(filters_in_memory(create)),
        // Smaller filters, and smaller files: a merge holds 8 bytes for each row of the file that it writes, and rewrites
        // all of a first level, whose size follows that of files, for a few new rows. Hashes do not get shorter by
        // compression.
        Reads::ManyPoints => indexes_in_memory(filters_in_memory(create))
            .filter_policy(FilterPolicy::all(FilterPolicyEntry::Bloom(BloomConstructionPolicy::BitsPerKey(
                8.0,
            ))))
            .data_block_compression_policy(CompressionPolicy::all(CompressionType::None))
            .compaction_strategy(Arc::new(
                Leveled::default().with_table_target_size(32 << 20).with_level_ratio_policy(vec![MANY]),
            )),
        // A filter answers for nearly all; of rows of kilobytes, an index would have an entry for each.
        Reads::Absent => filters_in_memory(create),
        // Most rows are in the last level, and so is nine tenths of all filters: a table that is
        // asked for rows it has can do without.
        Reads::Mixed => create.expect_point_read_hits(true),
        Reads::Scans => create
            .filter_policy(FilterPolicy::disabled())
            .data_block_size_policy(BlockSizePolicy::all(16 * 1024)),
        // Every level is asked, so each has to answer quickly.
        Reads::ShortScans => indexes_in_memory(create)
            .filter_policy(FilterPolicy::disabled())
            .data_block_compression_policy(CompressionPolicy::all(CompressionType::None)),
    }
}

fn open_database(data: &Path, options: &Options) -> fjall::Result<Database> {
    Database::builder(data)
        .cache_size(options.cache_bytes)
        .max_cached_files(Some(OPEN_FILES))
        .max_journaling_size(JOURNAL_BYTES)
        // Long rows are mostly hashes, which do not get shorter.
        .journal_compression(CompressionType::None)
        .worker_threads(BACKGROUND_THREADS)
        .open()
}

/// A full disk is no damage.
fn open_error(dir: &Path) -> impl Fn(fjall::Error) -> KvError + use<> {
    let path = dir.to_path_buf();
    move |error| match error {
        fjall::Error::Locked => KvError::Busy { path: path.clone() },
        error => match no_space(&error) {
            Some(kind) => KvError::Io { action: "open", path: path.clone(), source: io::Error::from(kind) },
            None => KvError::Engine { path: path.clone(), source: error.into() },
        },
    }
}
