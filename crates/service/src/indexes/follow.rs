//! Following: while a crawl runs, a thread brings the indexes over it up to date again and again, so that what is
//! committed is found within seconds and no search has to wait for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use archive::tables::POSITIONS;
use catalog::ProjectEntry;
use crawl::Fresh;
use kv::Reader as _;

use super::feed::{Following, catch_up};
use super::{OpenIndex, open};
use crate::{Data, ServiceError};

/// How often a running crawl's index follows it.
const EVERY: Duration = Duration::from_millis(1_500);

/// Follows a running crawl.
pub(crate) struct Follower {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    /// The indexes that have caught up once and are counted as followed.
    followed: Mutex<Vec<Arc<OpenIndex>>>,
}

/// Begins to follow, if there is an index over the project. What the crawl has just read is found in `fresh`.
pub(crate) fn follow(
    data: &Arc<Data>,
    entry: &ProjectEntry,
    fresh: Arc<Fresh>,
) -> Result<Option<Follower>, ServiceError> {
    let project = entry.project.name.as_str().to_owned();
    if open::over(data, &project)?.is_empty() {
        return Ok(None);
    }
    fresh.want(true);
    let shared = Arc::new(Shared::default());
    let (data, told, crawl) = (Arc::clone(data), Arc::clone(&shared), entry.crawl);
    let work = move || {
        loop {
            let last = told.stop.load(Ordering::Acquire);
            let committed =
                data.store().get(&POSITIONS, &crawl.0).ok().flatten().unwrap_or_default().position;
            // Also those that were made while the crawl runs.
            for index in open::over(&data, &project).unwrap_or_default() {
                let caught_up = catch_up(&data, &index, Some(Following { crawl, fresh: &fresh, last }));
                told.count(&index, caught_up.is_ok());
                if let Err(error) = caught_up {
                    tracing::warn!(index = %index.name, %error, "the index does not follow the crawl");
                }
            }
            // Whoever has not come so far reads the archive.
            fresh.forget(committed);
            if last {
                rest(&data, &project);
                return fresh.want(false);
            }
            std::thread::park_timeout(EVERY);
        }
    };
    let thread = std::thread::Builder::new().name("index".to_owned()).spawn(work);
    let thread = thread.map_err(ServiceError::io("start a thread for", "the index"))?;
    Ok(Some(Follower { shared, thread: Some(thread) }))
}

/// Ends the writers that no other crawl needs: each has threads and memory of its own.
fn rest(data: &Data, project: &str) {
    for index in open::over(data, project).unwrap_or_default() {
        let writer = index.feeding().take_if(|_| !index.is_followed());
        if let Some(Err(error)) = writer.map(index::Writer::close) {
            tracing::warn!(index = %index.name, %error, "merging the index failed");
        }
    }
}

impl Drop for Follower {
    /// Reads what is still to be read, and ends.
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        // From here on a search reads by itself what the crawl committed last.
        self.shared.followed().drain(..).for_each(|index| index.follow(-1));
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn followed(&self) -> MutexGuard<'_, Vec<Arc<OpenIndex>>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an index as followed, or as followed no more.
    fn count(&self, index: &Arc<OpenIndex>, follows: bool) {
        let mut followed = self.followed();
        let place = followed.iter().position(|known| Arc::ptr_eq(known, index));
        match place {
            None if follows && !self.stop.load(Ordering::Acquire) => {
                index.follow(1);
                followed.push(Arc::clone(index));
            }
            Some(place) if !follows => followed.swap_remove(place).follow(-1),
            _ => {}
        }
    }
}
