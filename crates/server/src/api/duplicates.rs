//! Pages that say the same, and under which addresses.

use axum::Json;
use axum::extract::State;
use serde::de::DeserializeOwned;
use serde_json::Value;
use service::{
    DuplicateGroup, DuplicatePair, DuplicatesRequest, DuplicatesRow, Mirror, MirrorsRequest, Request,
    ServiceError,
};

use super::list::{List, Paging};
use super::projects::parse_name;
use crate::asking;
use crate::extract::{Pairs, Path, Query};
use crate::problem::{Problem, Problems};
use crate::state::App;

/// Groups of pages with the same text or nearly so, the largest first; or the group of one page.
#[utoipa::path(
    get, path = "/projects/{name}/duplicates", tag = "pages",
    params(
        ("name" = String, Path),
        ("url" = Option<String>, Query, description = "Only the group of this page"),
        ("near" = Option<bool>, Query, description = "Nearly the same texts too, where the crawl looked for exact ones only"),
        Paging
    ),
    responses((status = 200, body = List<DuplicateGroup>), Problems)
)]
pub(crate) async fn list(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(paging): Query<Paging>,
    query: Pairs,
) -> Result<Json<List<DuplicateGroup>>, Problem> {
    let request = DuplicatesRequest {
        project: Some(parse_name(&name)?),
        urls: query.one("url").map(str::to_owned).into_iter().collect(),
        limit: Some(paging.up_to()?),
        near: query.read("near")?.unwrap_or(false),
    };
    let mut groups = Vec::new();
    for row in asking::all(&app, Request::Duplicates(request)).await? {
        if let DuplicatesRow::Group(group) = read(row)? {
            groups.push(group);
        }
    }
    Ok(Json(List::cut(groups, &paging)?))
}

/// What two pages share, passage by passage.
#[utoipa::path(
    get, path = "/projects/{name}/shared", tag = "pages",
    params(
        ("name" = String, Path),
        ("first" = String, Query, description = "A page"),
        ("second" = String, Query, description = "Another")
    ),
    responses((status = 200, body = DuplicatePair), Problems)
)]
pub(crate) async fn pair(
    State(app): State<App>,
    Path(name): Path<String>,
    query: Pairs,
) -> Result<Json<DuplicatePair>, Problem> {
    let page = |name: &str| {
        let url = query.one(name).map(str::to_owned);
        url.ok_or_else(|| Problem::request(format!("{name} is missing")))
    };
    let urls = vec![page("first")?, page("second")?];
    let request =
        DuplicatesRequest { project: Some(parse_name(&name)?), urls, ..DuplicatesRequest::default() };
    match read(asking::one(&app, Request::Duplicates(request)).await?)? {
        DuplicatesRow::Pair(pair) => Ok(Json(pair)),
        _ => Err(ServiceError::Lost.into()),
    }
}

/// Patterns of addresses under which the same pages stand.
#[utoipa::path(
    get, path = "/projects/{name}/mirrors", tag = "pages",
    params(("name" = String, Path), Paging),
    responses((status = 200, body = List<Mirror>), Problems)
)]
pub(crate) async fn mirrors(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(paging): Query<Paging>,
) -> Result<Json<List<Mirror>>, Problem> {
    let request = MirrorsRequest { project: Some(parse_name(&name)?), limit: Some(paging.up_to()?) };
    let rows = asking::all(&app, Request::Mirrors(request)).await?;
    Ok(Json(List::cut(rows.into_iter().map(read).collect::<Result<_, _>>()?, &paging)?))
}

/// A row of the service's own answer.
fn read<T: DeserializeOwned>(row: Value) -> Result<T, Problem> {
    serde_json::from_value(row).map_err(|_| ServiceError::Lost.into())
}
