//! Simulations, predictions and the map of a crawl.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use service::{Data, SiteMap, WhatIf, WhatIfRequest};
use simulate::{Scenario, WebSource};
use tokio::sync::mpsc;
use utoipa::{IntoParams, ToSchema};

use super::projects::parse_name;
use crate::extract::{Body, Path, Query};
use crate::problem::{Problem, Problems};
use crate::state::App;
use crate::{asking, stream};

/// Fetches of one simulation at most: all orders on all Webs.
const MOST_FETCHES: u64 = 2_000_000;

/// Lines on their way to who watches.
const LINES: usize = 16;

/// Pages in the picture of a map, unless said, and at most.
const SHOWN: usize = 60;
const MOST_SHOWN: usize = 300;

/// Another order, another pace, another topic.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhatIfAsked {
    /// As the setting `order`; the project's own unless said.
    #[serde(default)]
    order: Option<String>,
    /// `2/s`; the project's own unless said.
    #[serde(default)]
    rate: Option<String>,
    /// Words and phrases that pages are judged by anew; the project's own unless said.
    #[serde(default)]
    topic: Vec<String>,
}

/// How much of a map.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MapAsked {
    /// Pages in its picture.
    #[serde(default)]
    pages: Option<usize>,
}

/// Compares orders on a made-up Web, or on what a project has crawled. The body is a simulation's file as JSON:
/// `web` (`{"generated": {…}}` or `{"crawl": "project"}`), `orders`, `seeds`, `pages`, `rate`, `workers` and so on.
#[utoipa::path(
    post, path = "/simulations", tag = "simulations", request_body = Value,
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn create(State(app): State<App>, Body(asked): Body<Value>) -> Result<Json<Value>, Problem> {
    let scenario = scenario(asked)?;
    let simulated = asking::blocking(&app, move |data| service::simulate(data, &scenario)).await?;
    Ok(Json(json!(simulated)))
}

/// The same, told while it goes: lines of JSON, `outcome` for how far an order is, `simulated` for what came of all in
/// the end, or `error`.
#[utoipa::path(
    post, path = "/simulations/live", tag = "simulations", request_body = Value,
    responses((status = 200, content_type = "application/x-ndjson", body = Vec<u8>), Problems)
)]
pub(crate) async fn live(State(app): State<App>, Body(asked): Body<Value>) -> Result<Response, Problem> {
    let scenario = scenario(asked)?;
    let (sender, receiver) = mpsc::channel(LINES);
    tokio::task::spawn_blocking(move || told_live(&app.data, &scenario, &sender));
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], stream::body(receiver)).into_response())
}

/// A scenario that may be simulated here.
fn scenario(asked: Value) -> Result<Scenario, Problem> {
    let scenario: Scenario =
        serde_json::from_value(asked).map_err(|error| Problem::request(error.to_string()))?;
    bounded(&scenario)?;
    Ok(scenario)
}

/// Sends how far each order is, and what came of all in the end, a line each.
fn told_live(data: &Data, scenario: &Scenario, sender: &mpsc::Sender<Bytes>) {
    let send = |line: Value| {
        let mut text = line.to_string();
        text.push('\n');
        sender.blocking_send(text.into()).is_ok()
    };
    let told = service::simulate_watched(data, scenario, &mut |outcome| send(json!({ "outcome": outcome })));
    // Who listened may be gone.
    let _ = match told {
        Ok(simulated) => send(json!({ "simulated": simulated })),
        Err(error) => send(json!({ "error": error.sentence() })),
    };
}

/// Refuses what would keep the server busy for long.
pub(crate) fn bounded(scenario: &Scenario) -> Result<(), Problem> {
    let WebSource::Generated(shape) = &scenario.web else { return Ok(()) };
    let each = if scenario.pages == 0 { u64::from(shape.pages) } else { scenario.pages };
    let all = each.saturating_mul(scenario.orders.len() as u64).saturating_mul(scenario.seeds.len() as u64);
    if u64::from(shape.pages) > MOST_FETCHES {
        // The whole Web is made, however little of it is fetched.
        return Err(Problem::request(format!(
            "a Web of {} pages is too large here, {MOST_FETCHES} at most; \"gannet simulate\" has no limit",
            shape.pages
        )));
    }
    if all <= MOST_FETCHES {
        return Ok(());
    }
    Err(Problem::request(format!(
        "{all} fetches are too many here, {MOST_FETCHES} at most; \"gannet simulate\" has no limit"
    )))
}

/// What a project's crawl would take and bring by another order, at another pace or on another topic.
#[utoipa::path(
    post, path = "/projects/{name}/what-if", tag = "simulations", params(("name" = String, Path)),
    request_body = WhatIfAsked, responses((status = 200, body = WhatIf), Problems)
)]
pub(crate) async fn what_if(
    State(app): State<App>,
    Path(name): Path<String>,
    Body(WhatIfAsked { order, rate, topic }): Body<WhatIfAsked>,
) -> Result<Json<WhatIf>, Problem> {
    let wrong = |error: model::ValueError| Problem::request(error.to_string());
    let request = WhatIfRequest {
        run: None,
        project: Some(parse_name(&name)?),
        order: order.map(|order| order.parse()).transpose().map_err(wrong)?,
        rate: rate.map(|rate| rate.parse()).transpose().map_err(wrong)?,
        topic,
    };
    asking::blocking(&app, move |data| service::what_if(data, &request)).await.map(Json)
}

/// The crawl as a map: folders with counts, pages by depth, links in figures, the most important pages.
#[utoipa::path(
    get, path = "/projects/{name}/map", tag = "pages", params(("name" = String, Path), MapAsked),
    responses((status = 200, body = SiteMap), Problems)
)]
pub(crate) async fn map(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(MapAsked { pages }): Query<MapAsked>,
) -> Result<Json<SiteMap>, Problem> {
    let name = parse_name(&name)?;
    let shown = pages.unwrap_or(SHOWN).min(MOST_SHOWN);
    asking::blocking(&app, move |data| service::site_map(data, &name, shown)).await.map(Json)
}
