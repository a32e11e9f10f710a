//! A data directory, opened by the one process that owns it.
//!
//! ```text
//! <data>/VERSION       version of the whole
//! <data>/gannet.db     what people want: projects, runs, indexes
//! <data>/crawl/        what happened: the key-value store
//! <data>/archive/NNNNN/NNNNN.warc.gz   the raw truth, one folder per crawl
//! <data>/rows/NNNNN/   columnar indexes of rows and pages
//! <data>/runs/NNNNN/NNNNNN/   log and figures of each run, by crawl
//! <data>/index/NAME/   search indexes
//! <data>/gannet.sock   where the owner answers
//! ```

use std::fs;
use std::future::Future;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use archive::rows::ROW_RUNS;
use archive::tables::POSITIONS;
use catalog::Catalog;
use kv::{KvError, Reader, Store};
use model::CrawlId;
use tokio::runtime::Handle;

use crate::ServiceError;
use crate::duplicates::SearchGroups;
use crate::indexes::Indexes;
use crate::live::LiveRuns;
use crate::rows::shelf::Shelf;

/// Version of a data directory's form.
pub const VERSION: u64 = 1;

const VERSION_FILE: &str = "VERSION";
const VERSION_PART: &str = "VERSION.new";

/// Whether a directory may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is made if need be.
    Create,
    /// It must be there.
    Existing,
}

/// An open data directory.
pub struct Data {
    dir: PathBuf,
    store: Store,
    catalog: Catalog,
    runtime: Handle,
    live: LiveRuns,
    neighbours: crawl::Neighbours,
    dropping: tokio::sync::Mutex<()>,
    shelf: Shelf,
    search_groups: SearchGroups,
    indexes: Indexes,
}

impl Data {
    /// Opens a data directory, which belongs to this process until the last handle is gone. Must be called
    /// within a tokio runtime.
    pub async fn open(dir: &Path, access: Access) -> Result<Arc<Data>, ServiceError> {
        let runtime = Handle::current();
        let path = dir.to_owned();
        let opened = runtime.spawn_blocking(move || {
            check_version(&path, access)?;
            open_store(&path)
        });
        let store = opened.await.map_err(|_| ServiceError::Lost)??;
        // Only now: the store's lock makes us the owner, and opening the catalog ends runs left over.
        let catalog = Catalog::open(&catalog_path(dir)).await?;
        let data = Data {
            dir: dir.to_owned(),
            store,
            catalog,
            runtime: runtime.clone(),
            live: LiveRuns::default(),
            neighbours: crawl::Neighbours::default(),
            dropping: tokio::sync::Mutex::new(()),
            shelf: Shelf::default(),
            search_groups: SearchGroups::default(),
            indexes: Indexes::default(),
        };
        let data = Arc::new(data);
        let numbered = data.clone();
        let last =
            runtime.spawn_blocking(move || numbered.last_crawl()).await.map_err(|_| ServiceError::Lost)??;
        data.catalog.reserve_crawls(last).await?;
        Ok(data)
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What happened.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What people want.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Where the WARC files of a crawl are.
    pub fn archive_dir(&self, crawl: CrawlId) -> PathBuf {
        archive_dir(&self.dir, crawl)
    }

    /// Where the columnar index of a crawl's rows is.
    pub(crate) fn rows_dir(&self, crawl: CrawlId) -> PathBuf {
        self.dir.join("rows").join(format!("{:05}", crawl.0))
    }

    /// Where logs and figures of a crawl's runs are.
    pub(crate) fn runs_dir(&self, crawl: CrawlId) -> PathBuf {
        self.dir.join("runs").join(format!("{:05}", crawl.0))
    }

    /// Where log and figures of one run are.
    pub(crate) fn run_dir(&self, crawl: CrawlId, run: catalog::RunId) -> PathBuf {
        self.runs_dir(crawl).join(format!("{:06}", run.0))
    }

    /// Groups of duplicates, as searches need them.
    pub(crate) fn search_groups(&self) -> &SearchGroups {
        &self.search_groups
    }

    /// The indexes that are open.
    pub(crate) fn indexes(&self) -> &Indexes {
        &self.indexes
    }

    /// Where the owner answers.
    pub fn socket_path(dir: &Path) -> PathBuf {
        dir.join("gannet.sock")
    }

    /// Brings the CDXJ index of a crawl's archive up to what is committed. Returns the number of lines written.
    pub fn write_index(&self, crawl: CrawlId) -> Result<u64, ServiceError> {
        let committed = self.store.get(&POSITIONS, &crawl.0)?.unwrap_or_default().position;
        let dir = self.archive_dir(crawl);
        if committed.file == 0 || !dir.is_dir() || archive::index_covers(&dir) == Some(committed) {
            return Ok(0);
        }
        Ok(archive::write_index(&dir, committed)?)
    }

    /// The runs of this process.
    pub(crate) fn live(&self) -> &LiveRuns {
        &self.live
    }

    /// What the runs of this process share.
    pub(crate) fn neighbours(&self) -> &crawl::Neighbours {
        &self.neighbours
    }

    /// The indexes of rows.
    pub(crate) fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// Held by whoever drops a crawl.
    pub(crate) fn dropping(&self) -> &tokio::sync::Mutex<()> {
        &self.dropping
    }

    /// Waits for something asynchronous, from a blocking thread.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// The largest crawl number that anything here was written under.
    fn last_crawl(&self) -> Result<CrawlId, ServiceError> {
        let archived = archived_crawls(&self.dir)?.into_iter().max().unwrap_or(CrawlId(0));
        let stored = self.store.iter(&POSITIONS).keys().next_back().transpose()?;
        let rows = self.store.iter(&ROW_RUNS).keys().next_back().transpose()?.map(|(crawl, _)| crawl);
        Ok(archived.max(CrawlId(stored.max(rows).unwrap_or(0))))
    }
}

pub(crate) fn catalog_path(dir: &Path) -> PathBuf {
    dir.join("gannet.db")
}

pub(crate) fn store_path(dir: &Path) -> PathBuf {
    dir.join("crawl")
}

pub(crate) fn archive_dir(dir: &Path, crawl: CrawlId) -> PathBuf {
    dir.join("archive").join(format!("{:05}", crawl.0))
}

/// The numbers of the crawls that have an archive, in order.
pub(crate) fn archived_crawls(dir: &Path) -> Result<Vec<CrawlId>, ServiceError> {
    let archive = dir.join("archive");
    let entries = match fs::read_dir(&archive) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ServiceError::io("list", archive)(error)),
    };
    let mut crawls = Vec::new();
    for entry in entries {
        let name = entry.map_err(ServiceError::io("list", &archive))?.file_name();
        let number = name.to_str().and_then(|name| name.parse::<u32>().ok());
        crawls.extend(number.filter(|number| *name == *format!("{number:05}")).map(CrawlId));
    }
    crawls.sort_unstable();
    Ok(crawls)
}

pub(crate) fn open_store(dir: &Path) -> Result<Store, ServiceError> {
    Store::open(&store_path(dir), kv::Options::default()).map_err(|error| match error {
        KvError::Busy { .. } => ServiceError::Busy(dir.to_owned()),
        error => error.into(),
    })
}

/// Makes sure that the directory is one of ours and of our version; makes it if it may be made.
pub(crate) fn check_version(dir: &Path, access: Access) -> Result<(), ServiceError> {
    let file = dir.join(VERSION_FILE);
    match fs::read_to_string(&file) {
        Ok(text) => match text.trim().parse::<u64>() {
            // What an earlier start made here and was killed before syncing is durable from now on.
            Ok(VERSION) => sync_dir(dir),
            Ok(found) => Err(ServiceError::Version { dir: dir.to_owned(), found, known: VERSION }),
            Err(_) => Err(ServiceError::BadVersion(file)),
        },
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Err(ServiceError::BadVersion(file)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => create(dir, access),
        Err(error) => Err(ServiceError::io("read", file)(error)),
    }
}

fn create(dir: &Path, access: Access) -> Result<(), ServiceError> {
    let empty = match fs::read_dir(dir) {
        // What a start that was cut off left behind does not count.
        Ok(mut entries) => entries.all(|entry| entry.is_ok_and(|entry| entry.file_name() == VERSION_PART)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
        Err(error) => return Err(ServiceError::io("list", dir)(error)),
    };
    if !empty {
        return Err(ServiceError::NotADirectory(dir.to_owned()));
    }
    if access == Access::Existing {
        return Err(ServiceError::NoDirectory(dir.to_owned()));
    }
    create_dir(dir)?;
    let part = dir.join(VERSION_PART);
    let written = fs::File::create(&part).and_then(|mut file| {
        writeln!(file, "{VERSION}")?;
        file.sync_all()
    });
    written.map_err(ServiceError::io("write", &part))?;
    fs::rename(&part, dir.join(VERSION_FILE)).map_err(ServiceError::io("rename", &part))?;
    sync_dir(dir)
}

/// Creates the directory and its missing parents, and makes their names durable: all that follows hangs on them.
fn create_dir(dir: &Path) -> Result<(), ServiceError> {
    let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !dir.is_dir() {
        if !parent.is_dir() {
            create_dir(parent)?;
        }
        fs::create_dir(dir).map_err(ServiceError::io("create", dir))?;
    }
    sync_dir(parent)
}

fn sync_dir(dir: &Path) -> Result<(), ServiceError> {
    fs::File::open(dir).and_then(|dir| dir.sync_all()).map_err(ServiceError::io("sync", dir))
}
