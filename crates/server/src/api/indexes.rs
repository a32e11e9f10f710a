//! Indexes: made, shown, changed, dropped, searched.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use search::{IndexSettings, Search, cursor_at};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use service::{
    CachedRequest, IndexRequest, Request, SearchRequest, ServiceError, SuggestRequest, WhyNotRequest,
};
use utoipa::ToSchema;

use super::list::{List, MOST};
use super::projects::{same_version, version_of};
use crate::asking;
use crate::extract::{Body, Pairs, Path};
use crate::problem::{Problem, Problems};
use crate::state::App;

/// An index.
#[derive(Serialize, ToSchema)]
pub(crate) struct IndexShown {
    name: String,
    projects: Vec<String>,
    /// Its settings.
    settings: Value,
    /// How it stands.
    status: Value,
    /// What hits can be counted, narrowed and ordered by: `facet`, `number` or `date`.
    columns: Value,
    /// Changes with each edit; the ETag.
    version: String,
}

/// What an index is to be.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewIndex {
    name: String,
    /// Over these projects; over the one that ran last if none is said.
    #[serde(default)]
    projects: Vec<String>,
    /// Its settings, as under `index` in a project.
    #[serde(default)]
    settings: Option<Value>,
}

/// What an index is to become.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IndexGiven {
    /// Over these projects.
    #[serde(default)]
    projects: Vec<String>,
    /// Its settings, as under `index` in a project.
    settings: Value,
}

/// Every index.
#[utoipa::path(get, path = "/indexes", tag = "indexes", responses((status = 200, body = List<IndexShown>), Problems))]
pub(crate) async fn list(State(app): State<App>) -> Result<Json<List<IndexShown>>, Problem> {
    let mut items = Vec::new();
    for entry in app.data.catalog().indexes().await? {
        items.push(shown(&app, &entry.name).await?);
    }
    Ok(Json(List::whole(items)))
}

/// Makes an index.
#[utoipa::path(
    post, path = "/indexes", tag = "indexes", request_body = NewIndex,
    responses((status = 201, body = IndexShown), Problems)
)]
pub(crate) async fn create(
    State(app): State<App>,
    Body(wanted): Body<NewIndex>,
) -> Result<Response, Problem> {
    let NewIndex { name, projects, settings } = wanted;
    if settings_text(&app, &name).await?.is_some() {
        let problem = Problem::conflict(format!("there is an index {name:?} already"));
        return Err(problem.advise("choose another name, or change that index"));
    }
    keep(&app, &name, projects, settings.unwrap_or_else(|| json!({}))).await?;
    Ok((StatusCode::CREATED, tagged(shown(&app, &name).await?)).into_response())
}

/// An index.
#[utoipa::path(
    get, path = "/indexes/{name}", tag = "indexes", params(("name" = String, Path)),
    responses((status = 200, body = IndexShown), Problems)
)]
pub(crate) async fn show(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Problem> {
    Ok(tagged(shown(&app, &name).await?))
}

/// Gives an index other settings.
#[utoipa::path(
    put, path = "/indexes/{name}", tag = "indexes", request_body = IndexGiven,
    params(("name" = String, Path), ("if-match" = Option<String>, Header, description = "The version that is changed")),
    responses(
        (status = 200, body = IndexShown),
        (status = 412, body = Problem, content_type = "application/problem+json", description = "Someone else changed it"),
        (status = 428, body = Problem, content_type = "application/problem+json", description = "If-Match is missing"),
        Problems
    )
)]
pub(crate) async fn update(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
    Body(given): Body<IndexGiven>,
) -> Result<Response, Problem> {
    let known = shown(&app, &name).await?;
    same_version(&headers, &known.version)?;
    let projects = if given.projects.is_empty() { known.projects } else { given.projects };
    keep(&app, &name, projects, given.settings).await?;
    Ok(tagged(shown(&app, &name).await?))
}

/// Removes an index; what was crawled stays.
#[utoipa::path(
    delete, path = "/indexes/{name}", tag = "indexes",
    params(("name" = String, Path), ("if-match" = Option<String>, Header, description = "The version that is removed")),
    responses(
        (status = 204),
        (status = 412, body = Problem, content_type = "application/problem+json", description = "Someone else changed it"),
        (status = 428, body = Problem, content_type = "application/problem+json", description = "If-Match is missing"),
        Problems
    )
)]
pub(crate) async fn remove(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, Problem> {
    let known = shown(&app, &name).await?;
    same_version(&headers, &known.version)?;
    asking::one(&app, Request::Index(IndexRequest::Drop { name })).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Makes an index again from what was crawled.
#[utoipa::path(
    post, path = "/indexes/{name}/rebuild", tag = "indexes", params(("name" = String, Path)),
    responses((status = 200, body = IndexShown), Problems)
)]
pub(crate) async fn rebuild(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Problem> {
    asking::one(&app, Request::Index(IndexRequest::Rebuild { name: name.clone() })).await?;
    Ok(tagged(shown(&app, &name).await?))
}

/// Searches.
#[utoipa::path(
    get, path = "/indexes/{name}/search", tag = "search",
    params(
        ("name" = String, Path, description = "The index, or the project"),
        ("q" = Option<String>, Query, description = "The query"),
        ("page" = Option<u32>, Query, description = "This page of hits, from 1; or a cursor"),
        ("cursor" = Option<String>, Query, description = "The `next` of the page before"),
        ("limit" = Option<u32>, Query, description = "Hits of a page, 10 unless said"),
        ("sort" = Option<String>, Query, description = "By a column instead of the score; `-price` for the largest first"),
        ("facet" = Option<Vec<String>>, Query, description = "Count the values of these columns; those that the index does not have are left out", style = Form, explode),
        ("filter" = Option<Vec<String>>, Query, description = "More conditions, in the query language: `price:10..50`", style = Form, explode),
        ("group" = Option<String>, Query, description = "`site`: one hit of a site after the other"),
        ("explain" = Option<String>, Query, description = "1: with the way to each score"),
        ("set" = Option<Vec<String>>, Query, description = "Ranking settings for this search: `weights.title=2`", style = Form, explode)
    ),
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn search(
    State(app): State<App>,
    Path(name): Path<String>,
    query: Pairs,
) -> Result<Json<Value>, Problem> {
    Ok(Json(found(&app, &name, &query).await?))
}

/// What a query string asks for, found.
pub(crate) async fn found(app: &App, name: &str, query: &Pairs) -> Result<Value, Problem> {
    let text = query.one("q").unwrap_or_default().to_owned();
    let limit: Option<usize> = query.read("limit")?;
    if limit.is_some_and(|limit| limit == 0 || limit as u64 > MOST) {
        return Err(Problem::request(format!("limit must be from 1 to {MOST}")));
    }
    let mut changes: Vec<String> = query.all("set").map(str::to_owned).collect();
    if query.one("group") == Some("site") {
        changes.push("per_site=1".to_owned());
    }
    let index = Some(name.to_owned());
    let mut search = Search {
        query: text,
        filters: query.all("filter").map(str::to_owned).collect(),
        like: None,
        limit,
        cursor: query.one("cursor").map(str::to_owned),
        sort: query.one("sort").map(str::to_owned),
        facets: query.all("facet").map(str::to_owned).collect(),
        known_facets: true,
        explain: query.is_on("explain"),
        ranking: None,
    };
    if !changes.is_empty() {
        let own = asking::one(app, Request::Index(IndexRequest::Ranking { name: index.clone() })).await?;
        let own: search::Ranking =
            serde_json::from_value(own).map_err(|_| Problem::from(ServiceError::Lost))?;
        let changed = own.with(changes.iter().map(String::as_str));
        search.ranking = Some(changed.map_err(|error| Problem::from(ServiceError::from(error)))?);
    }
    // A cursor is bound to the ranking.
    if let (None, Some(page)) = (&search.cursor, query.read::<usize>("page")?) {
        let hits = page.saturating_sub(1).saturating_mul(limit.unwrap_or(10));
        search.cursor = (hits > 0).then(|| cursor_at(hits, &search));
    }
    asking::one(app, Request::Search(SearchRequest { index, search })).await
}

/// What someone may be about to type.
#[utoipa::path(
    get, path = "/indexes/{name}/suggest", tag = "search",
    params(
        ("name" = String, Path), ("q" = Option<String>, Query, description = "What was typed so far"),
        ("limit" = Option<u32>, Query, description = "So many; 10 unless said")
    ),
    responses((status = 200, body = List<Value>), Problems)
)]
pub(crate) async fn suggest(
    State(app): State<App>,
    Path(name): Path<String>,
    query: Pairs,
) -> Result<Json<List<Value>>, Problem> {
    let limit = query.read::<usize>("limit")?.map(|limit| limit.min(100));
    let typed = query.one("q").unwrap_or_default().to_owned();
    let request = SuggestRequest { index: Some(name), typed, limit };
    Ok(Json(List::whole(asking::all(&app, Request::Suggest(request)).await?)))
}

/// A page as the index has it, with a query's words marked.
#[utoipa::path(
    get, path = "/indexes/{name}/cached", tag = "search",
    params(
        ("name" = String, Path), ("url" = String, Query, description = "The page"),
        ("q" = Option<String>, Query, description = "Whose words are marked")
    ),
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn cached(
    State(app): State<App>,
    Path(name): Path<String>,
    query: Pairs,
) -> Result<Json<Value>, Problem> {
    let url = page(&query)?;
    let request =
        CachedRequest { index: Some(name), query: query.one("q").unwrap_or_default().to_owned(), url };
    let copy = asking::one(&app, Request::Cached(request.clone())).await?;
    match copy.is_null() {
        true => Err(Problem::missing(format!("the index has no page {}", request.url))),
        false => Ok(Json(copy)),
    }
}

/// Pages and rows like one.
#[utoipa::path(
    get, path = "/indexes/{name}/similar", tag = "search",
    params(
        ("name" = String, Path), ("url" = String, Query, description = "The page"),
        ("limit" = Option<u32>, Query, description = "So many; 10 unless said")
    ),
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn similar(
    State(app): State<App>,
    Path(name): Path<String>,
    query: Pairs,
) -> Result<Json<Value>, Problem> {
    let limit = query.read::<usize>("limit")?.map(|limit| limit.clamp(1, 100));
    let search = Search { like: Some(page(&query)?), limit, ..Search::default() };
    Ok(Json(asking::one(&app, Request::Search(SearchRequest { index: Some(name), search })).await?))
}

/// Why a page is missing or low for a query.
#[utoipa::path(
    get, path = "/indexes/{name}/why-not", tag = "search",
    params(
        ("name" = String, Path), ("url" = String, Query, description = "The page"),
        ("q" = String, Query, description = "The query")
    ),
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn why_not(
    State(app): State<App>,
    Path(name): Path<String>,
    query: Pairs,
) -> Result<Json<Value>, Problem> {
    let text = query.one("q").ok_or_else(|| Problem::request("q is missing"))?.to_owned();
    let request = WhyNotRequest { index: Some(name), url: page(&query)?, query: text };
    Ok(Json(asking::one(&app, Request::WhyNot(request)).await?))
}

/// How an index ranks.
#[utoipa::path(
    get, path = "/indexes/{name}/ranking", tag = "search", params(("name" = String, Path)),
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn ranking(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(asking::one(&app, Request::Index(IndexRequest::Ranking { name: Some(name) })).await?))
}

fn page(query: &Pairs) -> Result<String, Problem> {
    Ok(query.one("url").ok_or_else(|| Problem::request("url is missing"))?.to_owned())
}

async fn keep(app: &App, name: &str, projects: Vec<String>, settings: Value) -> Result<(), Problem> {
    let mut settings =
        IndexSettings::of_value(settings).map_err(|error| Problem::from(ServiceError::from(error)))?;
    if !projects.is_empty() {
        settings.projects.clear();
    }
    let request = IndexRequest::Create { name: name.to_owned(), settings: Box::new(settings), projects };
    asking::one(app, Request::Index(request)).await?;
    Ok(())
}

async fn settings_text(app: &App, name: &str) -> Result<Option<String>, Problem> {
    let entries = app.data.catalog().indexes().await?;
    Ok(entries.into_iter().find(|entry| entry.name == name).map(|entry| entry.settings))
}

async fn shown(app: &App, name: &str) -> Result<IndexShown, Problem> {
    let status = asking::one(app, Request::Index(IndexRequest::Status { name: name.to_owned() })).await?;
    let text = settings_text(app, name).await?.unwrap_or_default();
    let settings = serde_json::from_str(&text).unwrap_or_default();
    let projects = serde_json::from_value(status["projects"].clone()).unwrap_or_default();
    let (columns, version) = (status["columns"].clone(), version_of(&text));
    Ok(IndexShown { name: name.to_owned(), projects, settings, status, columns, version })
}

fn tagged(index: IndexShown) -> Response {
    let tag = HeaderValue::from_str(&format!("\"{}\"", index.version)).ok();
    let mut response = Json(index).into_response();
    if let Some(tag) = tag {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}
