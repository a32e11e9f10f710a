//! Runs: begun, shown, steered.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use catalog::RunId;
use serde::Deserialize;
use serde_json::json;
use service::{RunPhase, RunView, RunsRequest, StartRun, Steer};
use utoipa::ToSchema;

use super::list::{List, Paging};
use super::projects::parse_name;
use crate::asking;
use crate::extract::{Body, Pairs, Path, Query};
use crate::problem::{Problem, Problems};
use crate::state::App;

/// How to begin.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct BeginRun {
    /// Start over.
    fresh: bool,
    /// Put URLs that failed back into the queue.
    only_failed: bool,
    /// Ask for pages again that are due, and for what is new.
    #[serde(default)]
    refresh: bool,
}

/// The runs of a project, the latest first.
#[utoipa::path(
    get, path = "/projects/{name}/runs", tag = "runs", params(("name" = String, Path), Paging),
    responses((status = 200, body = List<RunView>), Problems)
)]
pub(crate) async fn of_project(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(paging): Query<Paging>,
) -> Result<Json<List<RunView>>, Problem> {
    let request = RunsRequest { project: Some(parse_name(&name)?), ..paged(&paging)? };
    listed(&app, request).await.map(Json)
}

/// Begins a run.
#[utoipa::path(
    post, path = "/projects/{name}/runs", tag = "runs", params(("name" = String, Path)), request_body = BeginRun,
    responses((status = 201, body = RunView), Problems)
)]
pub(crate) async fn begin(
    State(app): State<App>,
    Path(name): Path<String>,
    Body(wanted): Body<BeginRun>,
) -> Result<(StatusCode, Json<RunView>), Problem> {
    let start = StartRun {
        project: parse_name(&name)?,
        fresh: wanted.fresh,
        only_failed: wanted.only_failed,
        refresh: wanted.refresh,
        allow: app.allow.clone(),
    };
    let run = service::start_run(&app.data, start, app.now.clone()).await?;
    Ok((StatusCode::CREATED, Json(run)))
}

/// Runs of all projects, the latest first.
#[utoipa::path(
    get, path = "/runs", tag = "runs",
    params(
        ("state" = Option<String>, Query, description = "Only in this state: running, paused, stopping, completed, stopped, cancelled, failed"),
        Paging
    ),
    responses((status = 200, body = List<RunView>), Problems)
)]
pub(crate) async fn list(
    State(app): State<App>,
    Query(paging): Query<Paging>,
    query: Pairs,
) -> Result<Json<List<RunView>>, Problem> {
    let read = |state: &str| {
        serde_json::from_value::<RunPhase>(json!(state))
            .map_err(|_| Problem::request(format!("{state:?} is no state of a run")))
    };
    let state = query.one("state").map(read).transpose()?;
    listed(&app, RunsRequest { state, ..paged(&paging)? }).await.map(Json)
}

/// A run.
#[utoipa::path(
    get, path = "/runs/{id}", tag = "runs", params(("id" = i64, Path)),
    responses((status = 200, body = RunView), Problems)
)]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<i64>) -> Result<Json<RunView>, Problem> {
    one(&app, id).await.map(Json)
}

/// Holds a run until it is resumed.
#[utoipa::path(
    post, path = "/runs/{id}/pause", tag = "runs", params(("id" = i64, Path)),
    responses((status = 200, body = RunView), Problems)
)]
pub(crate) async fn pause(State(app): State<App>, Path(id): Path<i64>) -> Result<Json<RunView>, Problem> {
    steer(&app, id, Steer::Pause).await
}

/// Goes on with a run.
#[utoipa::path(
    post, path = "/runs/{id}/resume", tag = "runs", params(("id" = i64, Path)),
    responses((status = 200, body = RunView), Problems)
)]
pub(crate) async fn resume(State(app): State<App>, Path(id): Path<i64>) -> Result<Json<RunView>, Problem> {
    steer(&app, id, Steer::Resume).await
}

/// Ends a run; what it has is kept.
#[utoipa::path(
    post, path = "/runs/{id}/stop", tag = "runs", params(("id" = i64, Path)),
    responses((status = 200, body = RunView), Problems)
)]
pub(crate) async fn stop(State(app): State<App>, Path(id): Path<i64>) -> Result<Json<RunView>, Problem> {
    steer(&app, id, Steer::Stop).await
}

/// Ends a run at once; what the crawl has is discarded.
#[utoipa::path(
    post, path = "/runs/{id}/cancel", tag = "runs", params(("id" = i64, Path)),
    responses((status = 200, body = RunView), Problems)
)]
pub(crate) async fn cancel(State(app): State<App>, Path(id): Path<i64>) -> Result<Json<RunView>, Problem> {
    steer(&app, id, Steer::Cancel).await
}

/// The run of a number.
pub(crate) async fn one(app: &App, id: i64) -> Result<RunView, Problem> {
    asking::blocking(app, move |data| service::run_view(data, RunId(id))).await
}

/// The runs under way, the latest first.
pub(crate) async fn under_way(app: &App) -> Result<Vec<RunView>, Problem> {
    asking::blocking(app, |data| {
        let runs = data.live_runs();
        runs.iter().rev().map(|run| service::run_view(data, run.id)).collect()
    })
    .await
}

/// True while a process works on it.
pub(crate) fn is_live(run: &RunView) -> bool {
    matches!(run.state, RunPhase::Running | RunPhase::Paused | RunPhase::Stopping)
}

/// Rows read so far.
pub(crate) fn rows(run: &RunView) -> Option<u64> {
    let counted = || run.summary.as_ref()?.get("rows")?.as_u64();
    run.progress.as_ref().map(|progress| progress.rows).or_else(counted)
}

async fn steer(app: &App, id: i64, wish: Steer) -> Result<Json<RunView>, Problem> {
    asking::blocking(app, move |data| service::steer(data, RunId(id), wish)).await.map(Json)
}

async fn listed(app: &App, request: RunsRequest) -> Result<List<RunView>, Problem> {
    let runs = asking::blocking(app, move |data| service::run_views(data, &request)).await?;
    Ok(List { items: runs.items, next: runs.next })
}

fn paged(paging: &Paging) -> Result<RunsRequest, Problem> {
    let limit = u32::try_from(paging.limit()?).ok();
    let cursor = paging.cursor.clone().filter(|cursor| !cursor.is_empty());
    Ok(RunsRequest { cursor, limit, ..RunsRequest::default() })
}
