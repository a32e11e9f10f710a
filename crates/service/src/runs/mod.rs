//! Runs: begun on a project's crawl state, watched, ended with their reason in the catalog.

mod change;
mod dropping;
mod eta;
mod fill;
mod health;
mod log;
mod looks;
mod manage;
pub(crate) mod monitor;
pub(crate) mod outlook;
mod series;
mod view;

use std::net::SocketAddr;
use std::sync::Arc;

use archive::rows::{self, ROW_RUNS};
use catalog::{ProjectEntry, RunId, RunState};
use crawl::{Controls, CrawlError, EndReason, Ended, Fresh, Progress, Run, Setup};
use frontier::page_key;
use frontier::tables::{STATS, URLS};
use kv::{Durability, Reader};
use model::{CrawlId, KeepPages, Outcome, PageUrl, Project, ProjectName, Timestamp, UrlKey};
use serde_json::Value;
use tokio::sync::watch;

pub(crate) use self::dropping::drop_abandoned;
use self::dropping::{discard_rows, drop_old_logs, drop_old_rows, has_earlier_rows};
use self::monitor::Monitor;
pub(crate) use self::view::view;
use crate::indexes::{Follower, ensure, follow};
use crate::live::{LiveRun, Occupied};
use crate::rows::{latest_marks, watch};
use crate::{Data, ServiceError, Summary, ranks, summary};

pub use change::{Excluded, change_order, change_speed, exclude, retry};
pub use fill::{Fill, fill};
pub use health::{Action, Health, Level};
pub use log::{LogLevel, LogLine, LogPage, LogRequest};
pub use looks::{Fetching, live, log, log_text, series};
pub use manage::{Now, StartRun, Steer, continue_runs, shut_down, start_run, steer};
pub use outlook::{Forecast, Outlook, Quarter, RankHour, forecast, forecast_of, outlook};
pub use series::{Points, Series};
pub use view::{NextDue, ProgressView, RunPhase, RunView, RunsRequest, run_view, run_views};

/// How a run is begun.
pub struct Begin {
    /// What to crawl.
    pub project: Project,
    /// Drop what the project has crawled so far, but for the rows of the latest few starts.
    pub fresh: bool,
    /// Private addresses that may be asked all the same: the bundled demo site.
    pub allow: Vec<SocketAddr>,
    /// Put URLs that failed back into the queue.
    pub retry_failed: bool,
    /// Ask for pages again that are due.
    pub refresh: bool,
    /// Go on with this run instead of beginning one, as after the end of its process; in this state.
    pub again: Option<(RunId, RunState)>,
    /// Pages of the crawl at which this run ends, whatever the project's limit.
    pub page_limit: Option<u64>,
}

impl Begin {
    /// A run of a project that goes on with what it has.
    pub fn of(project: Project) -> Begin {
        Begin {
            project,
            fresh: false,
            allow: Vec::new(),
            retry_failed: false,
            refresh: false,
            again: None,
            page_limit: None,
        }
    }
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
    live: Arc<LiveRun>,
    _occupied: Occupied,
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
pub async fn begin(data: &Arc<Data>, mut begin: Begin, now: Timestamp) -> Result<Started, ServiceError> {
    let mut entry = data.catalog().upsert_project(&begin.project, now).await?;
    if let Some(limit) = begin.page_limit {
        begin.project.crawl.max_pages = limit;
    }
    let occupied = data.occupy(entry.id, &entry.project.name)?;
    if begin.fresh {
        entry.crawl = data.catalog().fresh_crawl(entry.id, true).await?;
        drop_old_rows(data, &entry).await?;
    }
    drop_abandoned(data).await?;
    drop_old_logs(data, &entry).await?;
    let id = match begin.again {
        Some((id, _)) => data.catalog().continue_run(id).await.map(|()| id)?,
        None => {
            let settings = &begin.project.crawl;
            data.catalog().begin_run_up_to(entry.id, settings, begin.page_limit, now).await?
        }
    };
    let paused = begin.again.is_some_and(|(_, was)| was == RunState::Paused);
    data.catalog().hold_run(id, paused).await?;
    let monitor = Arc::new(Monitor::open(&data.run_dir(entry.crawl, id), &begin.project)?);
    let again = if begin.again.is_some() { "the run goes on" } else { "the run begins" };
    monitor.note(now, LogLevel::Info, again);
    let setup = Setup {
        store: data.store().clone(),
        dir: data.dir().to_owned(),
        archive: data.archive_dir(entry.crawl),
        crawl: entry.crawl,
        project: begin.project,
        allow: begin.allow,
        retry_failed: begin.retry_failed,
        watcher: Some(monitor.clone()),
        paused,
        neighbours: data.neighbours().clone(),
        refresh: begin.refresh,
    };
    let (store, crawl) = (data.store().clone(), entry.crawl);
    let fresh = Arc::new(Fresh::default());
    let read = fresh.clone();
    let started = tokio::task::spawn_blocking(move || {
        let known = store.get(&STATS, &crawl.0)?.map_or(0, |stats| stats.distinct);
        let key = (crawl.0, id.0.unsigned_abs());
        if store.get(&ROW_RUNS, &key)?.is_none() {
            let mut batch = store.batch();
            batch.put(&ROW_RUNS, &key, &rows::counts(&store, crawl)?.next);
            store.commit(batch, Durability::Synced)?;
        }
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
    let name = entry.project.name.clone();
    let live = Arc::new(LiveRun::new(id, name, entry.crawl, run.controls(), run.progress(), monitor));
    data.live().attach(live.clone());
    let (followed, wanted) = (data.clone(), entry.clone());
    let follower = tokio::task::spawn_blocking(move || {
        ensure(&followed, &wanted.project, now)?;
        follow(&followed, &wanted, fresh)
    });
    let follower = follower.await.map_err(|_| ServiceError::Lost)??;
    Ok(Started { data: data.clone(), entry, id, run, known, follower, live, _occupied: occupied })
}

impl Started {
    /// Its number.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// Its project.
    pub fn project(&self) -> &ProjectName {
        &self.entry.project.name
    }

    /// The crawl state it works on.
    pub(crate) fn crawl(&self) -> CrawlId {
        self.entry.crawl
    }

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
        let Started { data, entry, id, run, follower, live, _occupied, .. } = self;
        let _attached = Attached(data.clone(), id);
        let ended = run.wait().await;
        live.ended();
        let ended_at = now();
        let counted = {
            let (data, entry) = (data.clone(), entry.clone());
            tokio::task::spawn_blocking(move || {
                // Reads what is left first.
                drop(follower);
                data.write_index(entry.crawl)?;
                // A search can do with the ranks of the run before; without pages there is nothing to search.
                if entry.project.crawl.keep == KeepPages::All
                    && let Err(error) = ranks::after_run(&data, &entry, ended_at)
                {
                    tracing::warn!(%error, "no ranks were computed; \"gannet rank\" does it");
                }
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
        let mut figures = counted.as_ref().ok().and_then(|(summary, _)| serde_json::to_value(summary).ok());
        if let Some(figures) = &mut figures {
            figures["health"] = serde_json::to_value(live.monitor.recent().health(None)).unwrap_or_default();
        }
        let level = if ended.is_ok() { LogLevel::Info } else { LogLevel::Error };
        live.monitor.note(now(), level, &format!("the run ends: {reason}"));
        live.monitor.save();
        if state == RunState::Cancelled {
            figures = None;
            let earlier = has_earlier_rows(&data, entry.crawl, id)?;
            // Before it is called cancelled, so that nothing of it can come back.
            data.catalog().fresh_crawl(entry.id, earlier).await?;
            if earlier {
                discard_rows(&data, entry.crawl, id).await?;
            }
        }
        data.catalog().end_run(id, state, Some(&reason), &figures.unwrap_or_default(), now()).await?;
        if let Some(was) = live.interrupted().filter(|_| state == RunState::Stopped) {
            data.catalog().interrupt_run(id, was).await?;
        }
        drop_abandoned(&data).await?;
        let (ended, (summary, starts)) = (ended?, counted?);
        Ok(Finished { reason: ended.reason, summary, starts })
    }
}

/// A run that others see until its end is written down.
struct Attached(Arc<Data>, RunId);

impl Drop for Attached {
    fn drop(&mut self) {
        self.0.live().detach(self.1);
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
