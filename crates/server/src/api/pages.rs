//! Pages with their outcomes, links and hosts.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use service::{HostsRequest, LinkList, LinksRequest, PageRow, PagesPageRequest, Request, WhyRequest};

use super::list::{List, Paging};
use super::projects::parse_name;
use crate::asking;
use crate::extract::{Pairs, Path, Query};
use crate::problem::{Problem, Problems};
use crate::state::App;

/// Every URL with its outcome.
#[utoipa::path(
    get, path = "/projects/{name}/pages", tag = "pages",
    params(
        ("name" = String, Path),
        ("outcome" = Option<Vec<String>>, Query, description = "Only with one of these outcomes", style = Form, explode),
        ("host" = Option<String>, Query, description = "Only of this host, `name` or `name:port`"),
        ("prefix" = Option<String>, Query, description = "Only URLs that begin like this"),
        Paging
    ),
    responses((status = 200, body = List<PageRow>), Problems)
)]
pub(crate) async fn list(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(paging): Query<Paging>,
    query: Pairs,
) -> Result<Json<List<PageRow>>, Problem> {
    let request = PagesPageRequest {
        project: Some(parse_name(&name)?),
        outcomes: query.all("outcome").flat_map(|list| list.split(',')).map(str::to_owned).collect(),
        host: query.one("host").map(str::to_owned),
        prefix: query.one("prefix").map(str::to_owned),
        cursor: paging.cursor.clone().filter(|cursor| !cursor.is_empty()),
        limit: usize::try_from(paging.limit()?).ok(),
    };
    let page = asking::blocking(&app, move |data| service::pages_page(data, &request)).await?;
    Ok(Json(List { items: page.items, next: page.next }))
}

/// How many URLs have which outcome.
#[utoipa::path(
    get, path = "/projects/{name}/outcomes", tag = "pages", params(("name" = String, Path)),
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn outcomes(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Problem> {
    let name = parse_name(&name)?;
    let counts = asking::blocking(&app, move |data| service::outcome_counts(data, Some(&name))).await?;
    Ok(Json(json!(counts)))
}

/// The whole story of one URL.
#[utoipa::path(
    get, path = "/projects/{name}/why", tag = "pages",
    params(("name" = String, Path), ("url" = String, Query, description = "The URL, in any spelling")),
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn why(
    State(app): State<App>,
    Path(name): Path<String>,
    query: Pairs,
) -> Result<Json<Value>, Problem> {
    let url = query.one("url").ok_or_else(|| Problem::request("url is missing"))?.to_owned();
    let request = WhyRequest { url, project: Some(parse_name(&name)?) };
    Ok(Json(asking::one(&app, Request::Why(request)).await?))
}

/// What is wrong with the links; the last item counts.
#[utoipa::path(
    get, path = "/projects/{name}/links", tag = "pages",
    params(
        ("name" = String, Path),
        ("list" = Option<Vec<String>>, Query, description = "Only these: broken, redirects, orphans, slow", style = Form, explode),
        Paging
    ),
    responses((status = 200, body = List<Value>), Problems)
)]
pub(crate) async fn links(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(paging): Query<Paging>,
    query: Pairs,
) -> Result<Json<List<Value>>, Problem> {
    let read = |name: &str| {
        serde_json::from_value::<LinkList>(json!(name)).map_err(|_| {
            Problem::request(format!("{name:?} is no list; there is broken, redirects, orphans and slow"))
        })
    };
    let lists = query.all("list").flat_map(|list| list.split(',')).map(read).collect::<Result<_, _>>()?;
    let request = LinksRequest { project: Some(parse_name(&name)?), lists, limit: Some(paging.limit()?) };
    Ok(Json(List::whole(asking::all(&app, Request::Links(request)).await?)))
}

/// How each host was treated.
#[utoipa::path(
    get, path = "/projects/{name}/hosts", tag = "pages",
    params(
        ("name" = String, Path),
        ("host" = Option<Vec<String>>, Query, description = "Only these, `name` or `name:port`", style = Form, explode),
        Paging
    ),
    responses((status = 200, body = List<Value>), Problems)
)]
pub(crate) async fn hosts(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(paging): Query<Paging>,
    query: Pairs,
) -> Result<Json<List<Value>>, Problem> {
    let request = HostsRequest {
        project: Some(parse_name(&name)?),
        hosts: query.all("host").map(str::to_owned).collect(),
        limit: Some(paging.up_to()?),
    };
    let items = asking::all(&app, Request::Hosts(request)).await?;
    Ok(Json(List::cut(items, &paging)?))
}
