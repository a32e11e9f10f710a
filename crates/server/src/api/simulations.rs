//! Simulations, predictions and the map of a crawl.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use service::{SiteMap, WhatIf, WhatIfRequest};
use simulate::{Scenario, WebSource};
use utoipa::{IntoParams, ToSchema};

use super::projects::parse_name;
use crate::asking;
use crate::extract::{Body, Path, Query};
use crate::problem::{Problem, Problems};
use crate::state::App;

/// Fetches of one simulation at most: all orders on all Webs.
const MOST_FETCHES: u64 = 2_000_000;

/// Pages in the picture of a map, unless said, and at most.
const SHOWN: usize = 60;
const MOST_SHOWN: usize = 300;

/// Another order, another pace.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhatIfAsked {
    /// As the setting `order`; the project's own unless said.
    #[serde(default)]
    order: Option<String>,
    /// `2/s`; the project's own unless said.
    #[serde(default)]
    rate: Option<String>,
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
    let scenario: Scenario =
        serde_json::from_value(asked).map_err(|error| Problem::request(error.to_string()))?;
    bounded(&scenario)?;
    let simulated = asking::blocking(&app, move |data| service::simulate(data, &scenario)).await?;
    Ok(Json(json!(simulated)))
}

/// Refuses what would keep the server busy for long.
pub(crate) fn bounded(scenario: &Scenario) -> Result<(), Problem> {
    let WebSource::Generated(shape) = &scenario.web else { return Ok(()) };
    let each = if scenario.pages == 0 { u64::from(shape.pages) } else { scenario.pages };
    let all = each.saturating_mul(scenario.orders.len() as u64).saturating_mul(scenario.seeds.len() as u64);
    if all <= MOST_FETCHES {
        return Ok(());
    }
    Err(Problem::request(format!(
        "{all} fetches are too many here, {MOST_FETCHES} at most; \"gannet simulate\" has no limit"
    )))
}

/// What a project's crawl would take and bring by another order or at another pace.
#[utoipa::path(
    post, path = "/projects/{name}/what-if", tag = "simulations", params(("name" = String, Path)),
    request_body = WhatIfAsked, responses((status = 200, body = WhatIf), Problems)
)]
pub(crate) async fn what_if(
    State(app): State<App>,
    Path(name): Path<String>,
    Body(WhatIfAsked { order, rate }): Body<WhatIfAsked>,
) -> Result<Json<WhatIf>, Problem> {
    let wrong = |error: model::ValueError| Problem::request(error.to_string());
    let request = WhatIfRequest {
        run: None,
        project: Some(parse_name(&name)?),
        order: order.map(|order| order.parse()).transpose().map_err(wrong)?,
        rate: rate.map(|rate| rate.parse()).transpose().map_err(wrong)?,
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
