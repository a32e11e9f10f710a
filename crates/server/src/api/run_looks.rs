//! A run looked at closely, and changed while it works: what it fetches, its figures, its log; exclusions, speed.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use catalog::RunId;
use serde::Deserialize;
use serde_json::json;
use service::{
    Excluded, Fetching, Forecast, LogLevel, LogPage, LogRequest, Moment, OrderRequest, Outlook, RunChoice,
    RunView, Series, ServiceError,
};
use tokio::sync::mpsc;
use utoipa::ToSchema;

use super::list::{List, Paging};
use crate::extract::{Body, Pairs, Path, Query};
use crate::problem::{Problem, Problems};
use crate::state::App;
use crate::{asking, stream};

/// Bytes of a log sent in one piece.
const PIECE: usize = 64 * 1024;

/// Pieces on their way.
const PIECES: usize = 4;

/// URLs to leave out.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExcludeAsked {
    /// Patterns as in `exclude`.
    #[schema(max_items = 1000)]
    patterns: Vec<String>,
    /// Only count.
    #[serde(default)]
    dry_run: bool,
}

/// Another speed, another order, another topic: what is not said stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpeedAsked {
    /// `2/s`, `30/m` or `unlimited`.
    #[serde(default)]
    rate: Option<String>,
    /// Which URLs come first: as the setting `order`.
    #[serde(default)]
    order: Option<String>,
    /// What the crawl is about, in words: as the setting `topic`.
    #[serde(default)]
    topic: Option<Vec<String>>,
    /// The same by texts: as the setting `topic_examples`.
    #[serde(default)]
    topic_examples: Option<Vec<String>>,
    /// Write it into the project, too.
    #[serde(default)]
    keep: bool,
}

/// What is being fetched now.
#[utoipa::path(
    get, path = "/runs/{id}/live", tag = "runs", params(("id" = i64, Path)),
    responses((status = 200, body = List<Fetching>), Problems)
)]
pub(crate) async fn live(State(app): State<App>, Path(id): Path<i64>) -> Result<Response, Problem> {
    let now = (app.now)();
    let flying = asking::blocking(&app, move |data| service::live(data, RunId(id), now)).await?;
    Ok(Json(List::whole(flying)).into_response())
}

/// Figures over time, at most 600 of each.
#[utoipa::path(
    get, path = "/runs/{id}/series", tag = "runs",
    params(
        ("id" = i64, Path),
        ("from" = Option<String>, Query, description = "From this moment on"),
        ("step" = Option<u64>, Query, description = "Seconds of a point, at least")
    ),
    responses((status = 200, body = Series), Problems)
)]
pub(crate) async fn series(
    State(app): State<App>,
    Path(id): Path<i64>,
    query: Pairs,
) -> Result<Response, Problem> {
    let from = query.one("from").map(str::parse::<Moment>).transpose().map_err(Problem::request)?;
    let step = query.read("step")?;
    let series = asking::blocking(&app, move |data| service::series(data, RunId(id), from, step)).await?;
    Ok(Json(series).into_response())
}

/// What the pages of a run are worth: mean PageRank by hour, relevance, what was found in each quarter of an hour.
#[utoipa::path(
    get, path = "/runs/{id}/outlook", tag = "runs", params(("id" = i64, Path)),
    responses((status = 200, body = Outlook), Problems)
)]
pub(crate) async fn outlook(State(app): State<App>, Path(id): Path<i64>) -> Result<Json<Outlook>, Problem> {
    let now = (app.now)();
    asking::blocking(&app, move |data| service::outlook(data, RunId(id), now)).await.map(Json)
}

/// How long a run's crawl takes as a whole, and when it has most of the link mass, by what is known of its sites.
#[utoipa::path(
    get, path = "/runs/{id}/forecast", tag = "runs", params(("id" = i64, Path)),
    responses((status = 200, body = Forecast), Problems)
)]
pub(crate) async fn forecast(State(app): State<App>, Path(id): Path<i64>) -> Result<Json<Forecast>, Problem> {
    asking::blocking(&app, move |data| service::forecast(data, RunId(id))).await.map(Json)
}

/// Lines of a run's log, the newest last.
#[utoipa::path(
    get, path = "/runs/{id}/log", tag = "runs",
    params(
        ("id" = i64, Path),
        ("level" = Option<String>, Query, description = "At least this: info, warn or error"),
        ("url" = Option<String>, Query, description = "Only lines about URLs that have this in them"),
        ("text" = Option<String>, Query, description = "Only lines that have this in them"),
        Paging
    ),
    responses((status = 200, body = LogPage), Problems)
)]
pub(crate) async fn log(
    State(app): State<App>,
    Path(id): Path<i64>,
    Query(paging): Query<Paging>,
    query: Pairs,
) -> Result<Response, Problem> {
    let level = |name: &str| {
        serde_json::from_value::<LogLevel>(json!(name))
            .map_err(|_| Problem::request(format!("{name:?} is no level of a log")))
    };
    let request = LogRequest {
        level: query.one("level").map(level).transpose()?,
        url: query.one("url").map(str::to_owned),
        text: query.one("text").map(str::to_owned),
        cursor: paging.cursor.clone().filter(|cursor| !cursor.is_empty()),
        limit: usize::try_from(paging.limit()?).ok(),
    };
    let page = asking::blocking(&app, move |data| service::log(data, RunId(id), &request)).await?;
    Ok(Json(page).into_response())
}

/// A run's whole log as text.
#[utoipa::path(
    get, path = "/runs/{id}/log/download", tag = "runs", params(("id" = i64, Path)),
    responses((status = 200, body = String, content_type = "text/plain"), Problems)
)]
pub(crate) async fn log_download(State(app): State<App>, Path(id): Path<i64>) -> Result<Response, Problem> {
    let lines = asking::blocking(&app, move |data| service::log_text(data, RunId(id))).await?;
    let (sender, receiver) = mpsc::channel::<Bytes>(PIECES);
    tokio::task::spawn_blocking(move || {
        let mut piece = String::new();
        for line in lines {
            piece += &line;
            if !piece.ends_with('\n') {
                piece.push('\n');
            }
            if piece.len() >= PIECE && sender.blocking_send(std::mem::take(&mut piece).into()).is_err() {
                return;
            }
        }
        let _ = sender.blocking_send(piece.into());
    });
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"run-{id}.log\"")),
    ];
    Ok((headers, stream::body(receiver)).into_response())
}

/// Leaves waiting URLs out while the run works; or says which would go.
#[utoipa::path(
    post, path = "/runs/{id}/exclude", tag = "runs", params(("id" = i64, Path)), request_body = ExcludeAsked,
    responses((status = 200, body = Excluded), Problems)
)]
pub(crate) async fn exclude(
    State(app): State<App>,
    Path(id): Path<i64>,
    Body(ExcludeAsked { patterns, dry_run }): Body<ExcludeAsked>,
) -> Result<Response, Problem> {
    if patterns.len() as u64 > super::list::MOST {
        return Err(Problem::request("too many patterns"));
    }
    let gone =
        asking::blocking(&app, move |data| service::exclude(data, RunId(id), &patterns, dry_run)).await?;
    Ok(Json(gone).into_response())
}

/// Changes speed, order or topic of a run.
#[utoipa::path(
    patch, path = "/runs/{id}", tag = "runs", params(("id" = i64, Path)), request_body = SpeedAsked,
    responses((status = 200, body = RunView), Problems)
)]
pub(crate) async fn speed(
    State(app): State<App>,
    Path(id): Path<i64>,
    Body(asked): Body<SpeedAsked>,
) -> Result<Json<RunView>, Problem> {
    let changed = asking::blocking(&app, move |data| {
        let SpeedAsked { rate, order, topic, topic_examples, keep } = asked;
        if let Some(rate) = &rate {
            service::change_speed(data, RunId(id), rate, keep)?;
        }
        if order.is_none() && topic.is_none() && topic_examples.is_none() {
            return service::run_view(data, RunId(id));
        }
        let of = RunChoice::default();
        service::change_order(data, RunId(id), &OrderRequest { of, order, topic, topic_examples, keep })
    });
    changed.await.map(Json)
}

/// Puts URLs that failed back; begins a run if none is under way.
#[utoipa::path(
    post, path = "/runs/{id}/retry", tag = "runs", params(("id" = i64, Path)),
    responses((status = 200, body = RunView), Problems)
)]
pub(crate) async fn retry(State(app): State<App>, Path(id): Path<i64>) -> Result<Json<RunView>, Problem> {
    let run = service::retry(&app.data, RunId(id), app.allow.clone(), app.now.clone()).await;
    run.map(Json).map_err(|error: ServiceError| error.into())
}
