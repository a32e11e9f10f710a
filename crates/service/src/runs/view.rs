//! Runs as people and scripts see them: where each stands, how far it is, and whether it is well.

use catalog::{Run, RunId, RunState};
use crawl::{Pause, Progress};
use model::ProjectName;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::health::{Health, Recent};
use crate::live::LiveRun;
use crate::{Data, Listing, Moment, ServiceError};

/// Runs listed unless said otherwise, and at most.
const USUAL: u32 = 50;
const MOST: u32 = 1_000;

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunView {
    /// Its number.
    pub id: i64,
    /// Its project's name.
    pub project: String,
    /// Where it stands.
    pub state: RunPhase,
    /// Why, where that is worth a word.
    pub reason: Option<String>,
    /// When it began.
    #[schema(value_type = String)]
    pub started_at: Moment,
    /// When it ended; none while it runs, and when nobody saw it end.
    #[schema(value_type = Option<String>)]
    pub ended_at: Option<Moment>,
    /// The settings it began with.
    pub settings: Value,
    /// How far it is, while it runs.
    pub progress: Option<ProgressView>,
    /// How it went, at its end.
    pub summary: Option<Value>,
    /// How long it will still take, in seconds; a guess.
    pub eta_seconds: Option<u64>,
    /// What the guess is reckoned from.
    pub eta_basis: Option<String>,
    /// Whether it is well.
    pub health: Health,
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RunPhase {
    /// At work.
    Running,
    /// Held by a person, a full disk or a missing proxy.
    Paused,
    /// Told to end; visits under way end, or what it brought is counted.
    Stopping,
    /// Nothing is left to do, or a limit is reached.
    Completed,
    /// Ended early; what it has is kept.
    Stopped,
    /// Ended early; what it had is discarded.
    Cancelled,
    /// Could not go on.
    Failed,
}

/// A run at one moment. Counts are of the whole crawl, over all its runs; times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProgressView {
    /// Pages kept.
    pub pages: u64,
    /// Pages kept by this run.
    pub pages_now: u64,
    /// URLs that have their final outcome.
    pub done: u64,
    /// URLs that are to be fetched or were.
    pub known: u64,
    /// `max_pages`, if set.
    pub limit: Option<u64>,
    /// URLs that wait, retries included.
    pub queue: u64,
    /// Rows that the template read.
    pub rows: u64,
    /// Failed tries.
    pub errors: u64,
    /// URLs that failed for good.
    pub failed: u64,
    /// URLs that are not fetched: out of scope, excluded, over a limit, a trap, forbidden by robots.txt.
    pub skipped: u64,
    /// Bytes of all bodies kept.
    pub bytes: u64,
    /// Bytes kept by this run.
    pub bytes_now: u64,
    /// Requests sent by this run.
    pub requests_now: u64,
    /// Pages per second, lately.
    pub pages_per_second: f64,
    /// Hosts that may be asked now.
    pub hosts_ready: u64,
    /// Hosts that rest.
    pub hosts_resting: u64,
    /// Slots at work.
    pub slots_busy: u64,
    /// Slots.
    pub slots: u64,
    /// Since the run began.
    pub running: f64,
    /// Since the last answer came.
    pub quiet: f64,
    /// Why it is held.
    pub paused: Option<String>,
    /// When the next host is due, while none is.
    pub next_due: Option<NextDue>,
}

/// When something may be asked again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NextDue {
    /// Then.
    #[schema(value_type = String)]
    pub at: Moment,
    /// This host.
    pub host: Option<String>,
}

/// Which runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunsRequest {
    /// Of this project; of all unless said.
    pub project: Option<ProjectName>,
    /// In this state.
    pub state: Option<RunPhase>,
    /// Where an earlier list ended.
    pub cursor: Option<String>,
    /// At most so many.
    pub limit: Option<u32>,
}

/// The run of this number. From a blocking thread.
pub fn run_view(data: &Data, id: RunId) -> Result<RunView, ServiceError> {
    let run = data.wait(data.catalog().run(id))?.ok_or(ServiceError::UnknownRun(id.0))?;
    let entry = data.wait(data.catalog().project_by_id(run.project))?;
    let name = entry.map(|entry| entry.project.name.to_string()).unwrap_or_default();
    Ok(view(data, run, name))
}

/// Runs, latest first. From a blocking thread.
pub fn run_views(data: &Data, request: &RunsRequest) -> Result<Listing<RunView>, ServiceError> {
    let limit = request.limit.unwrap_or(USUAL).clamp(1, MOST);
    let before = match &request.cursor {
        None => None,
        Some(cursor) => Some(RunId(cursor.parse().map_err(|_| ServiceError::Cursor(cursor.clone()))?)),
    };
    let states = request.state.map_or(&[][..], RunPhase::kept);
    let mut items = Vec::new();
    let projects = data.projects()?;
    let only = request.project.as_ref().map(|name| data.project(Some(name))).transpose()?;
    let mut before = before;
    loop {
        let some = data.wait(data.catalog().runs_before(before, states, MOST))?;
        let last = some.len() < MOST as usize;
        for run in some {
            before = Some(run.id);
            if only.as_ref().is_some_and(|only| only.id != run.project) {
                continue;
            }
            let entry = projects.iter().find(|entry| entry.id == run.project);
            let name = entry.map(|entry| entry.project.name.to_string()).unwrap_or_default();
            let view = view(data, run, name);
            if request.state.is_none_or(|state| state == view.state) {
                items.push(view);
            }
            if items.len() == limit as usize {
                let next = items.last().map(|run: &RunView| run.id.to_string());
                return Ok(Listing { items, next });
            }
        }
        if last {
            return Ok(Listing { items, next: None });
        }
    }
}

/// A kept run as seen now.
pub(crate) fn view(data: &Data, run: Run, project: String) -> RunView {
    let live = data.live_run(run.id);
    let progress = live.as_ref().map(|live| live.progress.borrow().clone());
    let pace = live.as_ref().map_or(0.0, |live| live.monitor.pace());
    let health = match (&live, run.summary.as_ref().map(|summary| &summary["health"])) {
        (Some(live), _) => live.monitor.recent().health(progress.as_ref()),
        (None, Some(kept)) if kept.is_object() => {
            serde_json::from_value(kept.clone()).unwrap_or_else(|_| Recent::new(false).health(None))
        }
        _ => Recent::new(false).health(None),
    };
    let mut settings = run.settings;
    let given = live.as_ref().map(|live| live.given()).unwrap_or_default();
    if let Some(rate) = given.rate {
        settings["rate"] = rate.to_string().into();
    }
    if let Some(order) = given.order {
        settings["order"] = order.to_string().into();
    }
    if let Some((words, examples)) = given.topic {
        (settings["topic"], settings["topic_examples"]) = (words.into(), examples.into());
    }
    let (state, held) = match (&live, &progress) {
        (Some(live), Some(progress)) => live_phase(live, progress),
        _ => (RunPhase::of(run.state), None),
    };
    let rate = settings["rate"].as_str().and_then(|rate| rate.parse().ok());
    let running = progress.as_ref().filter(|_| state == RunPhase::Running);
    let eta = live.as_ref().zip(running).and_then(|(live, now)| live.monitor.eta(now, rate));
    RunView {
        id: run.id.0,
        project,
        state,
        reason: held.or(run.reason),
        started_at: Moment(run.started_at),
        ended_at: run.ended_at.map(Moment),
        settings,
        health,
        progress: progress.as_ref().map(|progress| ProgressView::of(progress, pace)),
        summary: run.summary.filter(|summary| !summary.is_null()),
        eta_seconds: eta.as_ref().map(|eta| eta.left.as_secs()),
        eta_basis: eta.map(|eta| eta.basis),
    }
}

fn live_phase(live: &LiveRun, progress: &Progress) -> (RunPhase, Option<String>) {
    if live.controls.is_ending() || !live.is_crawling() {
        return (RunPhase::Stopping, None);
    }
    if live.controls.is_paused() {
        return (RunPhase::Paused, Some(Pause::Asked.to_string()));
    }
    match &progress.paused {
        Some(pause) if *pause != Pause::Asked => (RunPhase::Paused, Some(pause.to_string())),
        _ => (RunPhase::Running, None),
    }
}

impl RunPhase {
    fn of(state: RunState) -> RunPhase {
        match state {
            RunState::New | RunState::Running => RunPhase::Running,
            RunState::Paused => RunPhase::Paused,
            RunState::Completed => RunPhase::Completed,
            RunState::Stopped => RunPhase::Stopped,
            RunState::Cancelled => RunPhase::Cancelled,
            RunState::Failed => RunPhase::Failed,
        }
    }

    /// The states under which it may be kept.
    fn kept(self) -> &'static [RunState] {
        match self {
            RunPhase::Running | RunPhase::Paused | RunPhase::Stopping => {
                &[RunState::New, RunState::Running, RunState::Paused]
            }
            RunPhase::Completed => &[RunState::Completed],
            RunPhase::Stopped => &[RunState::Stopped],
            RunPhase::Cancelled => &[RunState::Cancelled],
            RunPhase::Failed => &[RunState::Failed],
        }
    }
}

impl ProgressView {
    fn of(progress: &Progress, pages_per_second: f64) -> ProgressView {
        let next = progress.next_due.as_ref();
        ProgressView {
            pages: progress.pages,
            pages_now: progress.pages_now,
            done: progress.done,
            known: progress.known,
            limit: progress.limit,
            queue: progress.queue,
            rows: progress.rows,
            errors: progress.errors,
            failed: progress.failed,
            skipped: progress.skipped,
            bytes: progress.bytes,
            bytes_now: progress.bytes_now,
            requests_now: progress.requests_now,
            pages_per_second,
            hosts_ready: progress.hosts_ready as u64,
            hosts_resting: progress.hosts_resting as u64,
            slots_busy: progress.slots_busy as u64,
            slots: progress.slots as u64,
            running: progress.running.as_secs_f64(),
            quiet: progress.quiet.as_secs_f64(),
            paused: progress.paused.as_ref().map(ToString::to_string),
            next_due: next
                .map(|(at, host)| NextDue { at: Moment(*at), host: host.as_ref().map(ToString::to_string) }),
        }
    }
}
