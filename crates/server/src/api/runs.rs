//! Runs: begun, shown, steered.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use catalog::{ProjectEntry, RunId, RunState};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use service::{Begin, Moment, ServiceError};
use utoipa::ToSchema;

use super::list::List;
use super::projects::entry;
use crate::asking;
use crate::extract::{Body, Pairs, Path};
use crate::problem::{Problem, Problems};
use crate::state::App;

/// A run.
#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct Run {
    id: i64,
    /// The project's name.
    project: String,
    /// `running`, `paused`, `stopping`, `completed`, `stopped`, `cancelled` or `failed`.
    state: &'static str,
    reason: Option<String>,
    #[schema(value_type = String)]
    started_at: Moment,
    #[schema(value_type = Option<String>)]
    ended_at: Option<Moment>,
    /// The settings it runs with.
    settings: Value,
    /// How it stands, while it runs.
    progress: Option<Value>,
    /// How it went, at its end.
    summary: Option<Value>,
    eta_seconds: Option<f64>,
    health: Value,
}

/// How to begin.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct BeginRun {
    /// Start over.
    fresh: bool,
    /// Only what failed.
    only_failed: bool,
}

/// The runs of a project, the latest first.
#[utoipa::path(
    get, path = "/projects/{name}/runs", tag = "runs", params(("name" = String, Path)),
    responses((status = 200, body = List<Run>), Problems)
)]
pub(crate) async fn of_project(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<Json<List<Run>>, Problem> {
    let entry = entry(&app, &name).await?;
    let runs = app.data.catalog().runs_of(entry.id).await?;
    Ok(Json(List::whole(runs.into_iter().map(|run| shown(&app, &name, run)).collect())))
}

/// Begins a run.
#[utoipa::path(
    post, path = "/projects/{name}/runs", tag = "runs", params(("name" = String, Path)), request_body = BeginRun,
    responses((status = 201, body = Run), Problems)
)]
pub(crate) async fn begin(
    State(app): State<App>,
    Path(name): Path<String>,
    Body(wanted): Body<BeginRun>,
) -> Result<(StatusCode, Json<Run>), Problem> {
    let entry = entry(&app, &name).await?;
    if app.data.live().is_some() {
        return Err(Problem::conflict("a run is under way").advise("wait for it, or stop it"));
    }
    let begin = Begin { project: entry.project.clone(), fresh: wanted.fresh, allow: app.allow.clone() };
    let started = service::begin(&app.data, begin, (app.now)()).await?;
    let now = app.now.clone();
    tokio::spawn(async move {
        if let Err(error) = started.finish(move || now()).await {
            tracing::error!(error = %error.sentence(), "a run failed");
        }
    });
    let run = latest(&app, &entry).await?.ok_or(ServiceError::Lost)?;
    Ok((StatusCode::CREATED, Json(run)))
}

/// Runs of all projects, the latest first.
#[utoipa::path(
    get, path = "/runs", tag = "runs",
    params(("state" = Option<String>, Query, description = "Only in this state; `running` also finds paused ones")),
    responses((status = 200, body = List<Run>), Problems)
)]
pub(crate) async fn list(State(app): State<App>, query: Pairs) -> Result<Json<List<Run>>, Problem> {
    let mut runs = all(&app).await?;
    if let Some(state) = query.one("state") {
        runs.retain(|run| run.state == state || (state == "running" && run.is_live()));
    }
    Ok(Json(List::whole(runs)))
}

/// A run.
#[utoipa::path(
    get, path = "/runs/{id}", tag = "runs", params(("id" = i64, Path)),
    responses((status = 200, body = Run), Problems)
)]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<i64>) -> Result<Json<Run>, Problem> {
    Ok(Json(one(&app, id).await?))
}

/// Steers a run: `pause`, `resume`, `stop` and keep, or `cancel` and discard.
#[utoipa::path(
    post, path = "/runs/{id}/{wish}", tag = "runs",
    params(("id" = i64, Path), ("wish" = String, Path, description = "pause, resume, stop or cancel")),
    responses((status = 200, body = Run), Problems)
)]
pub(crate) async fn steer(
    State(app): State<App>,
    Path((id, wish)): Path<(i64, String)>,
) -> Result<Json<Run>, Problem> {
    let run = one(&app, id).await?;
    let live = app.data.live().filter(|_| run.is_live());
    let Some(live) = live else {
        return Err(Problem::conflict(format!("run {id} is not under way: it is {}", run.state)));
    };
    match wish.as_str() {
        "pause" => live.pause(),
        "resume" => live.resume(),
        "stop" => live.stop(),
        "cancel" => live.cancel(),
        _ => return Err(Problem::missing(format!("a run cannot be told to {wish:?}"))),
    }
    Ok(Json(one(&app, id).await?))
}

/// Every run, the latest first.
pub(crate) async fn all(app: &App) -> Result<Vec<Run>, Problem> {
    let projects = asking::blocking(app, |data| data.projects()).await?;
    let mut runs = Vec::new();
    for entry in projects {
        let name = entry.project.name.to_string();
        let of_project = app.data.catalog().runs_of(entry.id).await?;
        runs.extend(of_project.into_iter().map(|run| shown(app, &name, run)));
    }
    runs.sort_by_key(|run| std::cmp::Reverse(run.id));
    Ok(runs)
}

/// The run of a number.
pub(crate) async fn one(app: &App, id: i64) -> Result<Run, Problem> {
    let run = app.data.catalog().run(RunId(id)).await?.ok_or(ServiceError::UnknownRun(id))?;
    let projects = asking::blocking(app, |data: &Arc<_>| data.projects()).await?;
    let project = projects.into_iter().find(|entry| entry.id == run.project);
    let name = project.map_or_else(String::new, |entry| entry.project.name.to_string());
    Ok(shown(app, &name, run))
}

/// The latest run of a project.
pub(crate) async fn latest(app: &App, entry: &ProjectEntry) -> Result<Option<Run>, Problem> {
    let run = app.data.catalog().runs_of(entry.id).await?.into_iter().next();
    Ok(run.map(|run| shown(app, entry.project.name.as_str(), run)))
}

impl Run {
    /// True while a process works on it.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self.state, "running" | "paused" | "stopping")
    }

    /// Rows read so far.
    pub(crate) fn rows(&self) -> Option<u64> {
        self.progress.as_ref().or(self.summary.as_ref())?.get("rows")?.as_u64()
    }
}

fn shown(app: &App, project: &str, run: catalog::Run) -> Run {
    let live = app.data.live().filter(|_| run.state.is_live());
    let progress = live.map(|live| in_seconds(live.progress()));
    let paused = progress.as_ref().is_some_and(|progress| !progress["paused"].is_null());
    Run {
        id: run.id.0,
        project: project.to_owned(),
        state: match run.state {
            _ if paused => "paused",
            RunState::New => "running",
            state => state.name(),
        },
        reason: run.reason,
        started_at: run.started_at.into(),
        ended_at: run.ended_at.map(Moment),
        settings: run.settings,
        progress,
        summary: run.summary.filter(|summary| !summary.is_null()),
        eta_seconds: None,
        health: json!({ "good": 1.0, "warn": 0.0, "bad": 0.0, "level": "good", "sentence": "", "action": null }),
    }
}

/// Durations as numbers of seconds.
fn in_seconds(mut progress: Value) -> Value {
    for value in progress.as_object_mut().into_iter().flat_map(|map| map.values_mut()) {
        if let (Some(seconds), Some(nanos)) = (value["secs"].as_f64(), value["nanos"].as_f64()) {
            *value = json!(seconds + nanos / 1e9);
        }
    }
    progress
}
