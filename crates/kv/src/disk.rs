//! The engine on disk: fjall, and what it leaves to its user.
//!
//! ```text
//! <dir>/lock       held by the process that owns the store
//! <dir>/data/      the engine's files, and FORMAT
//! <dir>/data.new/  a store that was never finished; removed
//! ```
//!
//! fjall opens half-created directories badly, syncs its journal but not every directory, and
//! refuses a journal whose last batch was torn by a power cut. So a new store is made beside its
//! final place and moved there, directories are synced here, and the end of the journal is
//! examined first (`journal.rs`).

use crate::{
    Batch, Durability, FORMAT, KvError, Options,
    journal::cut_torn_tail,
    read::{Bounds, Bytes, RawRows},
    table::{Layout, Reads},
};
use fjall::{
    AbstractTree, Database, Keyspace, KeyspaceCreateOptions, PersistMode, Readable,
    config::{BlockSizePolicy, FilterPolicy},
};
use std::{
    collections::HashMap,
    fs::{self, File, TryLockError},
    io::{self, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

const LOCK_FILE: &str = "lock";
const DATA_FOLDER: &str = "data";
const UNFINISHED_FOLDER: &str = "data.new";
const FORMAT_FILE: &str = "FORMAT";
/// The engine's folder with one folder per table.
const TABLES_FOLDER: &str = "keyspaces";

/// One thread of the engine writes new rows to files, the other merges files.
const BACKGROUND_THREADS: usize = 2;
/// Leaves most of the usual 1024 descriptors to the network.
const OPEN_FILES: usize = 200;
/// Beyond this, tables that hold old rows in memory are written out, so that the start stays fast.
const JOURNAL_BYTES: u64 = 128 << 20;

/// An open directory. Fields are dropped in this order: the engine stops before the lock goes.
pub(crate) struct Disk {
    tables: RwLock<HashMap<&'static str, Keyspace>>,
    database: Database,
    options: Options,
    dir: PathBuf,
    _lock: File,
}

impl Disk {
    pub(crate) fn open(dir: &Path, options: Options) -> Result<Disk, KvError> {
        create_dir_synced(dir)?;
        let lock = lock(dir)?;
        let data = dir.join(DATA_FOLDER);
        if !data.try_exists().map_err(io_error("look for", &data))? {
            create(dir, &options)?;
        }
        check_format(dir, &data)?;
        cut_torn_tail(&data)?;
        let database = open_engine(&data, &options).map_err(|error| match error {
            fjall::Error::Locked => KvError::Busy { path: dir.into() },
            error => KvError::Engine { path: dir.into(), source: error.into() },
        })?;
        Ok(Disk { tables: RwLock::default(), database, options, dir: dir.into(), _lock: lock })
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
                    Some(value) => write.insert(&keyspace, key, value),
                    None => write.remove(&keyspace, key),
                }
            }
        }
        write.commit().map_err(|error| self.write_error(error))?;
        self.bound_buffers()
    }

    /// Blocks in use, so that the journal's unused room does not count.
    pub(crate) fn bytes(&self) -> Result<u64, KvError> {
        used_bytes(&self.dir).map_err(io_error("measure", &self.dir))
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
        if let Some(keyspace) = known.get(table.name) {
            return Ok(Some(keyspace.clone()));
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
        known.insert(table.name, keyspace.clone());
    }

    /// The engine bounds the new rows of each table, not those of all together: with many tables
    /// the fullest one has to go to disk early. One at a time, or a burst of commits would leave
    /// many small files.
    fn bound_buffers(&self) -> Result<(), KvError> {
        if self.database.write_buffer_size() <= self.options.buffer_bytes
            || self.database.outstanding_flushes() > 0
        {
            return Ok(());
        }
        let known = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        let sizes = known.values().map(|keyspace| (keyspace.tree.active_memtable().size(), keyspace));
        let fullest = sizes.max_by_key(|&(size, _)| size);
        if let Some((size, keyspace)) = fullest
            && size >= self.options.buffer_bytes / 8
        {
            keyspace.rotate_memtable().map_err(|error| self.write_error(error))?;
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
pub(crate) struct DiskSnapshot {
    view: fjall::Snapshot,
    disk: Arc<Disk>,
}

impl DiskSnapshot {
    pub(crate) fn new(disk: Arc<Disk>) -> Self {
        Self { view: disk.database.snapshot(), disk }
    }

    pub(crate) fn get(&self, table: Layout, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        match self.disk.existing_table(table)? {
            Some(keyspace) => self.view.get(&keyspace, key).map_err(|error| self.disk.read_error(error)),
            None => Ok(None),
        }
    }

    pub(crate) fn range(&self, table: Layout, bounds: Bounds) -> RawRows {
        match self.disk.existing_table(table) {
            Ok(Some(keyspace)) => {
                let disk = self.disk.clone();
                let rows = self.view.range(&keyspace, bounds);
                Box::new(rows.map(move |row| row.into_inner().map_err(|e| disk.read_error(e))))
            }
            Ok(None) => Box::new(std::iter::empty()),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }
}

fn create_options(reads: Reads, options: &Options) -> KeyspaceCreateOptions {
    let create = KeyspaceCreateOptions::default().max_memtable_size(options.table_buffer_bytes);
    match reads {
        Reads::Points => create,
        // Most rows are in the last level, and so is nine tenths of all filters: a table that is
        // asked for rows it has can do without.
        Reads::Mixed => create.expect_point_read_hits(true),
        Reads::Scans => create
            .filter_policy(FilterPolicy::disabled())
            .data_block_size_policy(BlockSizePolicy::all(16 * 1024)),
    }
}

fn open_engine(data: &Path, options: &Options) -> fjall::Result<Database> {
    Database::builder(data)
        .cache_size(options.cache_bytes)
        .max_cached_files(Some(OPEN_FILES))
        .max_journaling_size(JOURNAL_BYTES)
        .worker_threads(BACKGROUND_THREADS)
        .open()
}

/// Makes an empty store; it comes into being by the last step, the renaming.
fn create(dir: &Path, options: &Options) -> Result<(), KvError> {
    let stranger = fs::read_dir(dir).map_err(io_error("read", dir))?.flatten().find(|entry| {
        let name = entry.file_name();
        name != LOCK_FILE && name != UNFINISHED_FOLDER
    });
    if let Some(stranger) = stranger {
        let reason = format!("it holds other files, among them {:?}", stranger.file_name());
        return Err(KvError::NotAStore { path: dir.into(), reason });
    }
    let unfinished = dir.join(UNFINISHED_FOLDER);
    match fs::remove_dir_all(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(io_error("remove", &unfinished)(error));
        }
        _ => {}
    }
    let engine = open_engine(&unfinished, options);
    drop(engine.map_err(|error| KvError::Engine { path: dir.into(), source: error.into() })?);
    let format_file = unfinished.join(FORMAT_FILE);
    let write = |mut file: File| {
        writeln!(file, "{FORMAT}")?;
        file.sync_all()
    };
    File::create(&format_file).and_then(write).map_err(io_error("write", &format_file))?;
    sync_dirs(&unfinished)?;
    let data = dir.join(DATA_FOLDER);
    fs::rename(&unfinished, &data).map_err(io_error("create", &data))?;
    sync_dir(dir)
}

fn check_format(dir: &Path, data: &Path) -> Result<(), KvError> {
    let file = data.join(FORMAT_FILE);
    let not_a_store = |reason: &str| KvError::NotAStore { path: dir.into(), reason: reason.into() };
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(not_a_store("its format file is missing"));
        }
        Err(error) => return Err(io_error("read", &file)(error)),
    };
    let Ok(found) = text.trim().parse() else {
        return Err(not_a_store("its format file is not a number"));
    };
    if found != FORMAT {
        return Err(KvError::Format { path: dir.into(), found, known: FORMAT });
    }
    Ok(())
}

fn lock(dir: &Path) -> Result<File, KvError> {
    let path = dir.join(LOCK_FILE);
    let open = File::options().create(true).truncate(false).write(true).open(&path);
    let file = open.map_err(io_error("open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(KvError::Busy { path: dir.into() }),
        Err(TryLockError::Error(error)) => Err(io_error("lock", &path)(error)),
    }
}

/// Creates the directory and its missing parents, each name synced in the one above.
fn create_dir_synced(dir: &Path) -> Result<(), KvError> {
    if dir.is_dir() {
        return Ok(());
    }
    let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    create_dir_synced(parent)?;
    match fs::create_dir(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !dir.is_dir() => {
            Err(io_error("create", dir)(error))
        }
        _ => sync_dir(parent),
    }
}

fn sync_dir(dir: &Path) -> Result<(), KvError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(io_error("sync", dir))
}

fn sync_dirs(dir: &Path) -> Result<(), KvError> {
    for entry in fs::read_dir(dir).map_err(io_error("read", dir))?.flatten() {
        if entry.path().is_dir() {
            sync_dirs(&entry.path())?;
        }
    }
    sync_dir(dir)
}

fn used_bytes(dir: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        bytes += match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => used_bytes(&entry.path())?,
            Ok(metadata) => metadata.blocks() * 512,
            // The engine removes files while we count.
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(error),
        };
    }
    Ok(bytes)
}

pub(crate) fn io_error(action: &'static str, path: &Path) -> impl Fn(io::Error) -> KvError + use<> {
    let path = path.to_path_buf();
    move |source| KvError::Io { action, path: path.clone(), source }
}
