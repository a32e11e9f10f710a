//! Runs of a process that lives longer than they do: begun, watched to their end, steered by number, and gone on
//! with after the process has ended.

use std::net::SocketAddr;
use std::sync::Arc;

use catalog::{InterruptedRun, RunId};
use model::{ProjectName, Timestamp};

use super::{Begin, RunView, begin, run_view};
use crate::rows::shelf::RowFollower;
use crate::select::hint;
use crate::{Data, ServiceError};

/// Tells the time.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// How a run of a kept project is begun.
#[derive(Clone, Debug)]
pub struct StartRun {
    /// The project.
    pub project: ProjectName,
    /// Drop what the project has crawled so far, but for the rows of the latest few starts.
    pub fresh: bool,
    /// Put URLs that failed back into the queue.
    pub only_failed: bool,
    /// Ask for pages again that are due.
    pub refresh: bool,
    /// Private addresses that may be asked all the same: the bundled demo site.
    pub allow: Vec<SocketAddr>,
}

/// What may be asked of a run at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steer {
    /// Nothing more is asked for until it is resumed.
    Pause,
    /// Go on.
    Resume,
    /// End, and keep everything.
    Stop,
    /// End at once, and drop what the crawl has.
    Cancel,
}

/// Begins a run of a kept project, which is watched to its end by a task of its own. Must be called within a tokio
/// runtime.
pub async fn start_run(data: &Arc<Data>, wanted: StartRun, now: Now) -> Result<RunView, ServiceError> {
    let entry = data.catalog().project_by_name(&wanted.project).await?;
    let Some(entry) = entry else {
        let projects = data.catalog().projects().await?;
        let known: Vec<&str> = projects.iter().map(|entry| entry.project.name.as_str()).collect();
        let name = wanted.project.to_string();
        return Err(ServiceError::UnknownProject { hint: hint(&name, &known), name });
    };
    let StartRun { fresh, only_failed: retry_failed, refresh, allow, .. } = wanted;
    launch(data, Begin { fresh, retry_failed, refresh, allow, ..Begin::of(entry.project) }, now).await
}

/// Goes on with the runs that the end of their process cut off; those that were held are held. Those that cannot be
/// gone on with end as failed. Must be called within a tokio runtime.
pub async fn continue_runs(
    data: &Arc<Data>,
    allow: &[SocketAddr],
    now: Now,
) -> Result<Vec<RunView>, ServiceError> {
    let mut views = Vec::new();
    for InterruptedRun { run, was, page_limit } in data.catalog().interrupted_runs().await? {
        let Some(entry) = data.catalog().project_by_id(run.project).await? else { continue };
        let again = Some((run.id, was));
        let wanted = Begin { allow: allow.to_vec(), again, page_limit, ..Begin::of(entry.project) };
        match launch(data, wanted, now.clone()).await {
            Ok(view) => views.push(view),
            Err(error) => {
                tracing::warn!(run = run.id.0, error = error.sentence(), "run cannot be gone on with");
            }
        }
    }
    Ok(views)
}

/// Stops all runs in such a way that [`continue_runs`] takes them up again, and waits for their end.
pub async fn shut_down(data: &Data) {
    data.live_runs().iter().for_each(|run| run.interrupt());
    data.live().wait_for_end().await;
}

/// Steers a run at work; says how it stands. From a blocking thread.
pub fn steer(data: &Data, id: RunId, wish: Steer) -> Result<RunView, ServiceError> {
    let Some(live) = data.live_run(id).filter(|live| live.is_crawling()) else {
        // Unknown, or over.
        run_view(data, id)?;
        return Err(ServiceError::RunEnded(id.0));
    };
    match wish {
        Steer::Pause => live.controls.pause(),
        Steer::Resume => live.controls.resume(),
        Steer::Stop => live.controls.stop(),
        Steer::Cancel => live.controls.cancel(),
    }
    // So that a run that was held comes back held, should the process die.
    data.wait(data.catalog().hold_run(id, live.controls.is_paused()))?;
    run_view(data, id)
}

async fn launch(data: &Arc<Data>, wanted: Begin, now: Now) -> Result<RunView, ServiceError> {
    let began = now();
    let started = begin(data, wanted, began).await?;
    let id = started.id();
    let until = now.clone();
    let follower = RowFollower::begin(data, started.project(), started.crawl())?;
    let (data, owner) = (data.clone(), data.clone());
    tokio::spawn(async move {
        match started.finish(|| until()).await {
            Ok(finished) => tracing::info!(run = id.0, reason = %finished.reason, "run ended"),
            Err(error) => tracing::warn!(run = id.0, error = error.sentence(), "run failed"),
        }
        let _ = tokio::task::spawn_blocking(move || {
            // Makes the last indexes.
            drop(follower);
            // Nothing more is written for a while.
            if data.live_runs().is_empty()
                && let Err(error) = data.store().settle()
            {
                tracing::debug!(%error, "new rows stay in memory");
            }
        })
        .await;
    });
    tokio::task::spawn_blocking(move || run_view(&owner, id)).await.map_err(|_| ServiceError::Lost)?
}
