//! A store's directory: made, locked, opened, and opened again after a failed write.
//!
//! ```text
//! <dir>/lock       held by the process that owns the store
//! <dir>/data/      the engine's files, and FORMAT
//! <dir>/data.new/  a store that was never finished; removed
//! ```
//!
//! fjall opens half-created directories badly, syncs its journal but not every directory, and
//! refuses a journal whose last batch was torn by a power cut. So a new store is made beside its
//! final place and moved there, directories are synced here, and the journals' ends are examined
//! first (`journal.rs`).

use crate::{FORMAT, KvError, Options, engine::Engine, journal::cut_torn_tails};
use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

const LOCK_FILE: &str = "lock";
pub(crate) const DATA_FOLDER: &str = "data";
const UNFINISHED_FOLDER: &str = "data.new";
const FORMAT_FILE: &str = "FORMAT";

/// How long an engine that was closed may take to let go of its last file.
const LETTING_GO: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// An open directory.
pub(crate) struct Disk {
    /// None after it was closed to be opened again and could not be.
    engine: RwLock<Option<Arc<Engine>>>,
    options: Options,
    dir: PathBuf,
    lock: Arc<File>,
}

impl Disk {
    pub(crate) fn open(dir: &Path, options: Options) -> Result<Disk, KvError> {
        create_dir_synced(dir)?;
        let lock = Arc::new(lock(dir)?);
        let data = dir.join(DATA_FOLDER);
        if !data.try_exists().map_err(io_error("look for", &data))? {
            create(dir, &options)?;
        }
        check_format(dir, &data)?;
        let engine = open_engine(dir, &options, &lock)?;
        Ok(Disk { engine: RwLock::new(Some(Arc::new(engine))), options, dir: dir.into(), lock })
    }

    /// The engine as it is now. Whoever holds it keeps [`Disk::reopen`] waiting.
    pub(crate) fn engine(&self) -> Result<Arc<Engine>, KvError> {
        let engine = self.engine.read().unwrap_or_else(PoisonError::into_inner);
        engine.clone().ok_or_else(|| KvError::Poisoned { path: self.dir.clone(), source: None })
    }

    /// Closes the engine and opens it again, with what is on disk.
    pub(crate) fn reopen(&self) -> Result<(), KvError> {
        let mut slot = self.engine.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = slot.take() {
            match Arc::try_unwrap(engine) {
                Ok(engine) => drop(engine),
                Err(engine) => {
                    *slot = Some(engine);
                    return Err(KvError::BeingRead { path: self.dir.clone() });
                }
            }
        }
        *slot = Some(Arc::new(open_engine(&self.dir, &self.options, &self.lock)?));
        Ok(())
    }

    /// Blocks in use, so that the journal's unused room does not count.
    pub(crate) fn bytes(&self) -> Result<u64, KvError> {
        used_bytes(&self.dir).map_err(io_error("measure", &self.dir))
    }
}

fn open_engine(dir: &Path, options: &Options, lock: &Arc<File>) -> Result<Engine, KvError> {
    let data = dir.join(DATA_FOLDER);
    wait_until_let_go(dir, &data)?;
    cut_torn_tails(&data)?;
    Engine::open(dir, options, lock.clone())
}

/// An engine that was closed a moment ago may still write the end of its journal: one of its threads holds it,
/// and is not waited for. The lock is ours, so nobody but this process has files open there.
#[expect(clippy::disallowed_methods, reason = "the engine does not say when its last file is closed")]
fn wait_until_let_go(dir: &Path, data: &Path) -> Result<(), KvError> {
    let Ok(data) = data.canonicalize() else { return Ok(()) };
    let mut waited = Duration::ZERO;
    while has_open_files(&data) {
        if waited >= LETTING_GO {
            return Err(KvError::BeingRead { path: dir.into() });
        }
        std::thread::sleep(LOOK_AGAIN);
        waited += LOOK_AGAIN;
    }
    Ok(())
}

/// Whether this process has a file below `data` open; false where the system does not tell.
fn has_open_files(data: &Path) -> bool {
    let descriptors = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    descriptors
        .into_iter()
        .any(|descriptor| fs::read_link(descriptor.path()).is_ok_and(|file| file.starts_with(data)))
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
    Engine::create(&unfinished, dir, options)?;
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

pub(crate) fn sync_dir(dir: &Path) -> Result<(), KvError> {
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
