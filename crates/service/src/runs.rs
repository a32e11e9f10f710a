//! Runs: begun on a project's crawl state, watched, ended with their reason in the catalog.

use std::net::SocketAddr;
use std::sync::Arc;

use archive::rows::{self, ROW_RUNS};
use archive::tables::{LINKS, POSITIONS, VISITS};
use catalog::{AbandonedCrawl, ProjectEntry, RunId, RunState};
use crawl::{Controls, CrawlError, EndReason, Ended, Fresh, Progress, Run, Setup};
use frontier::tables::{STATS, URLS};
use frontier::{Frontier, page_key};
use kv::{Durability, Reader};
use model::{CrawlId, Outcome, PageUrl, Project, Timestamp, UrlKey};
use serde_json::Value;
use tokio::sync::watch;

use crate::indexes::{Follower, ensure, follow};
use crate::rows::{latest_marks, watch};
use crate::{Data, Live, ServiceError, Summary, summary};

/// Rows dropped in one commit.
const DROP: usize = 20_000;

/// Crawls that a project started over from whose rows are kept: to compare with, and to ask for by run.
const KEPT: usize = 5;

/// How a run is begun.
pub struct Begin {
    /// What to crawl.
    pub project: Project,
    /// Drop what the project has crawled so far, but for the rows of the latest few starts.
    pub fresh: bool,
    /// Private addresses that may be asked all the same: the bundled demo site.
    pub allow: Vec<SocketAddr>,
}

/// A run under way.
pub struct Started {
    data: Arc<Data>,
    entry: ProjectEntry,
    id: RunId,
    run: Run,
    /// URLs known when it began: above zero when it resumes.
    pub known: u64,
    /// Keeps the project's indexes up to date.
    follower: Option<Follower>,
}

/// How a run ended.
pub struct Finished {
    /// Why, or what went wrong.
    pub reason: EndReason,
    /// The project's counts.
    pub summary: Summary,
    /// What became of the start URLs.
    pub starts: Vec<(PageUrl, Outcome)>,
}

/// Begins a run. Must be called within a tokio runtime.
pub async fn begin(data: &Arc<Data>, begin: Begin, now: Timestamp) -> Result<Started, ServiceError> {
    let mut entry = data.catalog().upsert_project(&begin.project, now).await?;
    if begin.fresh {
        entry.crawl = data.catalog().fresh_crawl(entry.id, true).await?;
        drop_old_rows(data, &entry).await?;
    }
    drop_abandoned(data).await?;
    let id = data.catalog().begin_run(entry.id, &begin.project.crawl, now).await?;
    let setup = Setup {
        store: data.store().clone(),
        dir: data.dir().to_owned(),
        archive: data.archive_dir(entry.crawl),
        crawl: entry.crawl,
        project: begin.project,
        allow: begin.allow,
    };
    let (store, crawl) = (data.store().clone(), entry.crawl);
    let fresh = Arc::new(Fresh::default());
    let read = fresh.clone();
    let started = tokio::task::spawn_blocking(move || {
        let known = store.get(&STATS, &crawl.0)?.map_or(0, |stats| stats.distinct);
        let mut batch = store.batch();
        let first = rows::counts(&store, crawl)?.next;
        batch.put(&ROW_RUNS, &(crawl.0, id.0.unsigned_abs()), &first);
        store.commit(batch, Durability::Synced)?;
        Ok::<_, CrawlError>((Run::start_followed(setup, read)?, known))
    });
    let (run, known) = match started.await.map_err(|_| ServiceError::Lost)? {
        Ok(started) => started,
        Err(error) => {
            let reason = error.to_string();
            data.catalog().end_run(id, RunState::Failed, Some(&reason), &Value::Null, now).await?;
            return Err(error.into());
        }
    };
    data.attach(Arc::new(Steering { controls: run.controls(), progress: run.progress() }));
    let (followed, wanted) = (data.clone(), entry.clone());
    let follower = tokio::task::spawn_blocking(move || {
        ensure(&followed, &wanted.project, now)?;
        follow(&followed, &wanted, fresh)
    });
    let follower = follower.await.map_err(|_| ServiceError::Lost)??;
    Ok(Started { data: data.clone(), entry, id, run, known, follower })
}

impl Started {
    /// Progress, whenever it changes.
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.run.progress()
    }

    /// To pause, resume and stop it.
    pub fn controls(&self) -> Controls {
        self.run.controls()
    }

    /// Waits for the end and writes it down.
    pub async fn finish(self, now: impl Fn() -> Timestamp) -> Result<Finished, ServiceError> {
        let Started { data, entry, id, run, follower, .. } = self;
        let ended = run.wait().await;
        data.detach();
        let counted = {
            let (data, entry) = (data.clone(), entry.clone());
            tokio::task::spawn_blocking(move || {
                // Reads what is left first.
                drop(follower);
                data.write_index(entry.crawl)?;
                let mut summary = summary(&data, &entry)?;
                summary.row_changes = latest_marks(&data, entry.project.name.as_str())?;
                (summary.coverage, summary.drift) = watch(&data, &entry, id)?;
                Ok::<_, ServiceError>((summary, starts(&data, &entry)?))
            })
        };
        let counted = counted.await.map_err(|_| ServiceError::Lost)?;
        let state = state(&ended);
        let reason = match &ended {
            Ok(ended) => ended.reason.to_string(),
            Err(error) => error.to_string(),
        };
        let figures = counted.as_ref().ok().and_then(|(summary, _)| serde_json::to_value(summary).ok());
        if state == RunState::Cancelled {
            // Before it is called cancelled, so that nothing of it can come back.
            data.catalog().fresh_crawl(entry.id, false).await?;
        }
        data.catalog().end_run(id, state, Some(&reason), &figures.unwrap_or_default(), now()).await?;
        drop_abandoned(&data).await?;
        let (ended, (summary, starts)) = (ended?, counted?);
        Ok(Finished { reason: ended.reason, summary, starts })
    }
}

fn starts(data: &Data, entry: &ProjectEntry) -> Result<Vec<(PageUrl, Outcome)>, ServiceError> {
    let mut starts = Vec::new();
    for url in &entry.project.start {
        if let Some(record) = data.store().get(&URLS, &page_key(entry.crawl, UrlKey::of(url)))? {
            starts.push((record.url, record.outcome));
        }
    }
    Ok(starts)
}

fn state(ended: &Result<Ended, CrawlError>) -> RunState {
    match ended {
        Ok(Ended { reason: EndReason::Complete | EndReason::NothingDue { .. }, .. }) => RunState::Completed,
        Ok(Ended {
            reason: EndReason::MaxPages | EndReason::MaxBytes | EndReason::MaxRows | EndReason::Walltime,
            ..
        }) => RunState::Completed,
        Ok(Ended { reason: EndReason::Stopped, .. }) => RunState::Stopped,
        Ok(Ended { reason: EndReason::Cancelled, .. }) => RunState::Cancelled,
        Err(_) => RunState::Failed,
    }
}

/// Drops the rows and files of crawls that were started over or cancelled, also when an earlier drop was cut short.
async fn drop_abandoned(data: &Arc<Data>) -> Result<(), ServiceError> {
    for AbandonedCrawl { crawl, keeps_rows } in data.catalog().abandoned_crawls().await? {
        tracing::info!(crawl = crawl.0, "dropping a crawl that was given up");
        let owner = data.clone();
        let dropped = tokio::task::spawn_blocking(move || -> Result<(), ServiceError> {
            while !drop_part(&owner, crawl)? {}
            while !keeps_rows && !drop_rows(&owner, crawl)? {}
            let folder = owner.archive_dir(crawl);
            if folder.exists() {
                std::fs::remove_dir_all(&folder).map_err(ServiceError::io("remove", &folder))?;
            }
            Ok(())
        });
        dropped.await.map_err(|_| ServiceError::Lost)??;
        data.catalog().crawl_dropped(crawl).await?;
    }
    Ok(())
}

/// Drops the rows of all but the latest few crawls that a project started over from.
async fn drop_old_rows(data: &Arc<Data>, entry: &ProjectEntry) -> Result<(), ServiceError> {
    let mut crawls: Vec<CrawlId> =
        data.catalog().runs_of(entry.id).await?.iter().map(|run| run.crawl).collect();
    crawls.sort_unstable();
    crawls.dedup();
    crawls.retain(|crawl| *crawl != entry.crawl);
    crawls.truncate(crawls.len().saturating_sub(KEPT));
    let data = data.clone();
    let dropped = tokio::task::spawn_blocking(move || -> Result<(), ServiceError> {
        for crawl in crawls {
            while !drop_rows(&data, crawl)? {}
        }
        Ok(())
    });
    dropped.await.map_err(|_| ServiceError::Lost)?
}

/// Drops some of what templates read; true when nothing is left.
fn drop_rows(data: &Data, crawl: CrawlId) -> Result<bool, ServiceError> {
    let mut batch = data.store().batch();
    let index = data.rows_dir(crawl);
    if index.exists() {
        std::fs::remove_dir_all(&index).map_err(ServiceError::io("remove", &index))?;
    }
    let done = rows::drop_some(&mut batch, crawl, DROP)?;
    data.store().commit(batch, Durability::Synced)?;
    Ok(done)
}

/// Drops some records of a crawl, all but what templates read; true when none are left.
fn drop_part(data: &Data, crawl: CrawlId) -> Result<bool, ServiceError> {
    let store = data.store();
    let mut batch = store.batch();
    let visits: Vec<_> = store.prefix(&VISITS, &crawl.0).keys().take(DROP).collect::<Result<_, _>>()?;
    visits.iter().for_each(|key| batch.remove(&VISITS, key));
    let links: Vec<_> = store.prefix(&LINKS, &crawl.0).keys().take(DROP).collect::<Result<_, _>>()?;
    links.iter().for_each(|key| batch.remove(&LINKS, key));
    let mut done = visits.is_empty() && links.is_empty();
    if done {
        done = Frontier::drop_crawl(&mut batch, crawl, DROP)?;
    }
    if done {
        batch.remove(&POSITIONS, &crawl.0);
    }
    store.commit(batch, Durability::Synced)?;
    Ok(done)
}

struct Steering {
    controls: Controls,
    progress: watch::Receiver<Progress>,
}

impl Live for Steering {
    fn pause(&self) {
        self.controls.pause();
    }

    fn resume(&self) {
        self.controls.resume();
    }

    fn stop(&self) {
        self.controls.stop();
    }

    fn cancel(&self) {
        self.controls.cancel();
    }

    fn progress(&self) -> Value {
        serde_json::to_value(&*self.progress.borrow()).unwrap_or_default()
    }
}
