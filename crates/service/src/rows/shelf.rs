//! Which indexes of a crawl's rows there are: one for how the rows stand, one for how they stood after the run
//! before. They are made when a run ends, when a server starts, or when a question needs one; while a crawl runs, again
//! and again, so that questions are answered from a moment that is not long ago.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use archive::rows::{ROW_RUNS, counts};
use kv::{Reader, Snapshot};
use model::{CrawlId, ProjectName};

use super::compare::Side;
use super::index::Index;
use super::listing::State;
use super::state::{Asked, base_of};
use crate::page_index::PageIndex;
use crate::pages_page::prepare_pages;
use crate::{Data, ServiceError};

/// Fewer rows are read one by one.
pub(crate) const MANY: u64 = 8_000;

/// Indexes of moments at which a run ended that are kept, and of other moments.
const ENDS_KEPT: usize = 2;
const OTHERS_KEPT: usize = 2;

/// Bytes of a crawl's indexes that a server reads at its start.
const WARM: u64 = 1 << 30;

/// How often a running crawl is looked at.
const EVERY: Duration = Duration::from_millis(1_500);

/// Looks that are let pass after an index was made because someone asked, for each million rows: making one takes some
/// seconds, and a crawl has better things to do most of the time.
const REST: u64 = 40;

/// Locks and wishes, by crawl.
#[derive(Default)]
pub(crate) struct Shelf(Mutex<HashMap<CrawlId, Arc<OfCrawl>>>);

#[derive(Default)]
struct OfCrawl {
    /// Held by whoever makes an index.
    making: Mutex<()>,
    making_pages: Mutex<()>,
    /// Someone asked and got an older one.
    wanted: AtomicBool,
    /// Someone makes them again and again; others need not.
    followed: AtomicBool,
}

/// Which index is asked for.
pub(crate) struct Wanted<'a> {
    /// The rows, how they stand or stood.
    pub(crate) state: State,
    /// What they are compared with.
    pub(crate) base: Option<&'a Side>,
    /// The comparison is asked for.
    pub(crate) marked: bool,
    /// Of this very moment, and only if it is there.
    pub(crate) fixed: bool,
}

impl Shelf {
    /// The index that is asked for, made if need be. While a crawl is followed that of an earlier moment, if there is
    /// one.
    pub(crate) fn find(
        &self,
        data: &Data,
        snapshot: &Snapshot,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Index>, ServiceError> {
        let crawl = wanted.state.crawl;
        if let Some(index) = exact(data, wanted) {
            return Ok(Some(index));
        }
        let own = self.of(crawl);
        if wanted.fixed {
            return Ok(None);
        }
        if own.followed.load(Ordering::Acquire) {
            own.wanted.store(true, Ordering::Relaxed);
            let mut known = indexes(data, crawl);
            known.retain(|index| index.head.end <= wanted.state.end && suits(index, wanted));
            return Ok(known.pop());
        }
        // Rows that still come would make it anew for every question.
        if data.is_crawled(crawl) {
            return Ok(None);
        }
        self.make(data, snapshot, wanted).map(Some)
    }

    /// The latest index of a crawl's rows. Where there is none yet, one is made in the background, and the asker told.
    pub(crate) fn latest(data: &Arc<Data>, state: State) -> Result<Index, ServiceError> {
        let crawl = state.crawl;
        if let Some(index) = indexes(data, crawl).pop() {
            return Ok(index);
        }
        let own = data.shelf().of(crawl);
        let is_idle = !data.is_crawled(crawl) && !own.followed.load(Ordering::Acquire);
        if is_idle && own.making.try_lock().is_ok() {
            let data = data.clone();
            let work = move || {
                let snapshot = data.store().snapshot();
                let wanted = Wanted { state, base: None, marked: false, fixed: false };
                if let Err(error) = data.shelf().make(&data, &snapshot, &wanted) {
                    tracing::warn!(%error, "no index of the rows is made");
                }
            };
            let thread = std::thread::Builder::new().name("rows".to_owned()).spawn(work);
            thread.map_err(ServiceError::io("start a thread for", "the rows"))?;
        }
        Err(ServiceError::RowsUnsorted)
    }

    /// The index that is asked for, made if need be.
    fn make(&self, data: &Data, snapshot: &Snapshot, wanted: &Wanted<'_>) -> Result<Index, ServiceError> {
        let own = self.of(wanted.state.crawl);
        let _making = own.making.lock().unwrap_or_else(PoisonError::into_inner);
        // Perhaps whoever was waited for made it.
        match exact(data, wanted) {
            Some(index) => Ok(index),
            None => make(data, snapshot, wanted),
        }
    }

    /// Makes the index of a crawl's URLs unless there is one by now.
    pub(crate) fn pages(
        &self,
        data: &Data,
        snapshot: &Snapshot,
        crawl: CrawlId,
        moment: u64,
    ) -> Result<PageIndex, ServiceError> {
        let own = self.of(crawl);
        let _making = own.making_pages.lock().unwrap_or_else(PoisonError::into_inner);
        match PageIndex::open(&data.rows_dir(crawl), moment) {
            Some(index) => Ok(index),
            None => PageIndex::make(&data.rows_dir(crawl), snapshot, crawl, moment),
        }
    }

    /// True while a crawl is followed, which is a little longer than it runs.
    pub(crate) fn is_followed(&self, crawl: CrawlId) -> bool {
        self.of(crawl).followed.load(Ordering::Acquire)
    }

    fn of(&self, crawl: CrawlId) -> Arc<OfCrawl> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(crawl).or_default().clone()
    }
}

/// Makes the indexes of a project's rows and URLs as they stand, where there are many and there is none yet.
pub(crate) fn prepare(data: &Data, project: &str) -> Result<(), ServiceError> {
    let snapshot = data.store().snapshot();
    let asked = Asked::find(data, &snapshot, Some(project))?;
    prepare_pages(data, &snapshot, asked.state.crawl)?;
    let counted = counts(&snapshot, asked.state.crawl)?;
    if counted.rows < MANY {
        return Ok(());
    }
    let base = base_of(data, &snapshot, &asked)?.map(|base| Side::new(&snapshot, base)).transpose()?;
    let state = State { end: asked.state.end.min(counted.next), ..asked.state };
    let wanted = Wanted { state, base: base.as_ref(), marked: true, fixed: false };
    data.shelf().make(data, &snapshot, &wanted).map(drop)
}

/// Makes the indexes that are missing, of all projects, so that nobody has to wait for them. From a blocking thread.
pub fn prepare_all(data: &Data) {
    let projects = data.projects().unwrap_or_default();
    let is_idle = |crawl| !data.is_crawled(crawl) && !data.shelf().is_followed(crawl);
    for entry in projects.into_iter().filter(|entry| is_idle(entry.crawl)) {
        let name = entry.project.name.as_str();
        if let Err(error) = prepare(data, name) {
            tracing::warn!(project = name, %error, "no index of rows and pages is made");
        }
        warm(data, entry.crawl);
    }
}

/// Reads what the first questions will read, so that they find it in the system's memory and not on the disk.
fn warm(data: &Data, crawl: CrawlId) {
    let mut left = WARM;
    let folders = fs::read_dir(data.rows_dir(crawl)).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
    for file in files.filter_map(|file| fs::File::open(file.path()).ok()) {
        left -= std::io::copy(&mut file.take(left), &mut std::io::sink()).unwrap_or(0);
    }
}

/// Keeps an index of a running crawl's rows that is not much older than they are; at the end makes the last one.
pub(crate) struct RowFollower {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl RowFollower {
    /// Begins to follow a project's crawl.
    pub(crate) fn begin(
        data: &Arc<Data>,
        project: &ProjectName,
        crawl: CrawlId,
    ) -> Result<RowFollower, ServiceError> {
        let stop = Arc::new(AtomicBool::new(false));
        let (data, told, project) = (data.clone(), stop.clone(), project.to_string());
        let own = data.shelf().of(crawl);
        own.followed.store(true, Ordering::Release);
        let work = move || {
            follow(&data, &project, crawl, &own, &told);
            own.followed.store(false, Ordering::Release);
        };
        let thread = std::thread::Builder::new().name("rows".to_owned()).spawn(work);
        let thread = thread.map_err(ServiceError::io("start a thread for", "the rows"))?;
        Ok(RowFollower { stop, thread: Some(thread) })
    }
}

impl Drop for RowFollower {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn follow(data: &Data, project: &str, crawl: CrawlId, own: &OfCrawl, stop: &AtomicBool) {
    let (mut made_at, mut rest) = (0, 0_u64);
    loop {
        let last = stop.load(Ordering::Acquire);
        let rows = counts(data.store(), crawl).map_or(0, |counts| counts.rows);
        rest = rest.saturating_sub(1);
        let grew = rows >= MANY && rows >= made_at + made_at / 2;
        let asked = rest == 0 && made_at > 0 && own.wanted.swap(false, Ordering::Relaxed);
        if grew || asked || last {
            if let Err(error) = prepare(data, project) {
                tracing::warn!(%error, "no index of the rows is made");
            }
            (made_at, rest) = (rows, rows * REST / 1_000_000);
        }
        if last {
            return;
        }
        std::thread::park_timeout(EVERY);
    }
}

fn make(data: &Data, snapshot: &Snapshot, wanted: &Wanted<'_>) -> Result<Index, ServiceError> {
    let Wanted { state, base, .. } = wanted;
    let (crawl, now) = (state.crawl, Side::new(snapshot, *state)?);
    let of_base = base.map_or((0, 0), |base| (base.state.crawl.0, base.state.end));
    let name = format!("{:016x}-{:08x}-{:016x}", state.end, of_base.0, of_base.1);
    let made = Index::make(&data.rows_dir(crawl).join(name), snapshot, &now, *base)?;
    tidy(data, snapshot, crawl)?;
    Ok(made)
}

/// Removes indexes that nobody will ask for, and what is none.
fn tidy(data: &Data, snapshot: &Snapshot, crawl: CrawlId) -> Result<(), ServiceError> {
    let runs = snapshot.prefix(&ROW_RUNS, &crawl.0).map(|run| run.map(|(_, first)| first));
    let mut ends: Vec<u64> = runs.collect::<Result<_, _>>()?;
    ends.push(counts(snapshot, crawl)?.next);
    let (mut at_ends, mut others) = (0, 0);
    for folder in folders(data, crawl).filter(|folder| Index::open(folder).is_none()) {
        std::fs::remove_dir_all(&folder).map_err(ServiceError::io("remove", &folder))?;
    }
    for index in indexes(data, crawl).into_iter().rev() {
        let (kept, most) = match ends.contains(&index.head.end) {
            true => (&mut at_ends, ENDS_KEPT),
            false => (&mut others, OTHERS_KEPT),
        };
        *kept += 1;
        if *kept > most {
            index.remove()?;
        }
    }
    Ok(())
}

/// The indexes of a crawl, those of later moments last.
fn indexes(data: &Data, crawl: CrawlId) -> Vec<Index> {
    let mut known: Vec<(PathBuf, Index)> =
        folders(data, crawl).filter_map(|folder| Index::open(&folder).map(|index| (folder, index))).collect();
    known.sort_by(|(a, _), (b, _)| a.cmp(b));
    known.into_iter().map(|(_, index)| index).collect()
}

/// The folders of indexes of rows, of any version, that are finished.
fn folders(data: &Data, crawl: CrawlId) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(data.rows_dir(crawl)).into_iter().flatten().flatten();
    let of_rows = |name: &str| name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    entries.filter(move |entry| entry.file_name().to_str().is_some_and(of_rows)).map(|entry| entry.path())
}

fn exact(data: &Data, wanted: &Wanted<'_>) -> Option<Index> {
    let state = wanted.state;
    indexes(data, state.crawl).into_iter().rfind(|index| index.head.end == state.end && suits(index, wanted))
}

fn suits(index: &Index, wanted: &Wanted<'_>) -> bool {
    let base = wanted.base.map(|base| (base.state.crawl.0, base.state.end));
    !wanted.marked || index.head.base == base
}
