//! What differs between the versions of pages, and pages as they were.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use service::{
    AcceptRequest, AcceptedVersion, ChangesRequest, ChangesRow, Moment, PageChange, PageVersion, Request,
    ServiceError, VersionRequest,
};

use utoipa::ToSchema;

use super::list::{List, Paging};
use super::projects::parse_name;
use crate::asking;
use crate::extract::{Body, Pairs, Path, Query};
use crate::problem::{Problem, Problems};
use crate::state::App;

/// Which version to accept.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcceptVersion {
    /// Of this page.
    url: String,
    /// The version that stood then, of a date alone at its end; the last unless said.
    at: Option<String>,
}

/// Pages that have changed, with the latest change of each, that are gone, or that lead elsewhere: most severe first, then
/// latest. Pages of which only noise differs on request.
#[utoipa::path(
    get, path = "/projects/{name}/changes", tag = "pages",
    params(
        ("name" = String, Path),
        ("since" = Option<String>, Query, description = "Only pages that changed at this moment or later"),
        ("noise" = Option<bool>, Query, description = "Also pages of which only noise differs, and what it is"),
        ("ignore" = Option<Vec<String>>, Query, description = "What these selectors find is noise", style = Form, explode),
        Paging
    ),
    responses((status = 200, body = List<ChangesRow>), Problems)
)]
pub(crate) async fn list(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(paging): Query<Paging>,
    query: Pairs,
) -> Result<Json<List<ChangesRow>>, Problem> {
    let request = ChangesRequest {
        project: Some(parse_name(&name)?),
        since: moment(&query, "since")?,
        noise: query.read("noise")?.unwrap_or(false),
        ignore: query.all("ignore").map(str::to_owned).collect(),
        limit: Some(paging.up_to()?),
        ..ChangesRequest::default()
    };
    let mut changes = Vec::new();
    for row in asking::all(&app, Request::Changes(request)).await? {
        match read(row)? {
            ChangesRow::Counts(_) => {}
            row => changes.push(row),
        }
    }
    Ok(Json(List::cut(changes, &paging)?))
}

/// What has changed on a page, with words and elements.
#[utoipa::path(
    get, path = "/projects/{name}/change", tag = "pages",
    params(
        ("name" = String, Path),
        ("url" = String, Query, description = "The page"),
        ("from" = Option<String>, Query, description = "From the version that stood then"),
        ("to" = Option<String>, Query, description = "To the version that stood then"),
        ("ignore" = Option<Vec<String>>, Query, description = "What these selectors find is noise", style = Form, explode)
    ),
    responses((status = 200, body = PageChange), Problems)
)]
pub(crate) async fn of_page(
    State(app): State<App>,
    Path(name): Path<String>,
    query: Pairs,
) -> Result<Json<PageChange>, Problem> {
    let request = ChangesRequest {
        project: Some(parse_name(&name)?),
        url: Some(page(&query)?),
        from: moment(&query, "from")?,
        to: moment(&query, "to")?,
        ignore: query.all("ignore").map(str::to_owned).collect(),
        ..ChangesRequest::default()
    };
    match read(asking::one(&app, Request::Changes(request)).await?)? {
        ChangesRow::Change(change) => Ok(Json(*change)),
        _ => Err(ServiceError::Lost.into()),
    }
}

/// The versions of a page, oldest first.
#[utoipa::path(
    get, path = "/projects/{name}/versions", tag = "pages",
    params(("name" = String, Path), ("url" = String, Query, description = "The page")),
    responses((status = 200, body = List<PageVersion>), Problems)
)]
pub(crate) async fn versions(
    State(app): State<App>,
    Path(name): Path<String>,
    query: Pairs,
) -> Result<Json<List<PageVersion>>, Problem> {
    let request = VersionRequest {
        project: Some(parse_name(&name)?),
        url: page(&query)?,
        list: true,
        ..Default::default()
    };
    let rows = asking::all(&app, Request::Version(request)).await?;
    Ok(Json(List::whole(rows.into_iter().map(read).collect::<Result<_, _>>()?)))
}

/// A page as it was: its content as text or, of images, PDFs and the like, its bytes in Base64.
#[utoipa::path(
    get, path = "/projects/{name}/version", tag = "pages",
    params(
        ("name" = String, Path),
        ("url" = String, Query, description = "The page"),
        ("at" = Option<String>, Query, description = "The version that stood then, of a date alone at its end; the last unless said"),
        ("raw" = Option<bool>, Query, description = "Its bytes as they were, in Base64, also of a text")
    ),
    responses((status = 200, body = PageVersion), Problems)
)]
pub(crate) async fn version(
    State(app): State<App>,
    Path(name): Path<String>,
    query: Pairs,
) -> Result<Json<PageVersion>, Problem> {
    let (url, at) = (page(&query)?, moment(&query, "at")?);
    let raw = query.read("raw")?.unwrap_or(false);
    let request = VersionRequest { project: Some(parse_name(&name)?), url, at, list: false, raw };
    Ok(Json(read(asking::one(&app, Request::Version(request)).await?)?))
}

/// Accepts a version of a page: later ones are compared with it too. Another one takes its place.
#[utoipa::path(
    post, path = "/projects/{name}/accepted", tag = "pages",
    params(("name" = String, Path)),
    request_body = AcceptVersion,
    responses((status = 200, body = AcceptedVersion), Problems)
)]
pub(crate) async fn accept(
    State(app): State<App>,
    Path(name): Path<String>,
    Body(AcceptVersion { url, at }): Body<AcceptVersion>,
) -> Result<Json<AcceptedVersion>, Problem> {
    let at = at.as_deref().map(str::parse::<Moment>).transpose().map_err(Problem::request)?;
    let request = AcceptRequest { project: Some(parse_name(&name)?), url, at };
    Ok(Json(read(asking::one(&app, Request::Accept(request)).await?)?))
}

fn page(query: &Pairs) -> Result<String, Problem> {
    query.one("url").map(str::to_owned).ok_or_else(|| Problem::request("url is missing"))
}

fn moment(query: &Pairs, name: &str) -> Result<Option<Moment>, Problem> {
    query.one(name).map(str::parse::<Moment>).transpose().map_err(Problem::request)
}

/// A row of the service's own answer.
fn read<T: DeserializeOwned>(row: Value) -> Result<T, Problem> {
    serde_json::from_value(row).map_err(|_| ServiceError::Lost.into())
}
