//! Ranks and links of what a project has crawled.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use service::{GraphLink, GraphRequest, LinksOf, RankBy, RankRequest, RankRow, Request};
use utoipa::ToSchema;

use super::list::{List, Paging};
use super::projects::parse_name;
use crate::asking;
use crate::extract::{Pairs, Path, Query};
use crate::problem::{Problem, Problems};
use crate::state::App;

/// Pages or hosts by their ranks.
#[derive(Serialize, ToSchema)]
pub(crate) struct Ranks {
    /// They, the highest first.
    items: Vec<RankRow>,
    /// The cursor of the next page; none at the end.
    next: Option<String>,
    /// What they were computed from.
    graph: Option<RankRow>,
}

/// Pages or hosts by the links between them.
#[utoipa::path(
    get, path = "/projects/{name}/rank", tag = "pages",
    params(
        ("name" = String, Path),
        ("by" = Option<RankBy>, Query, description = "pages unless said"),
        ("trusted" = Option<String>, Query, description = "A page or host that rank spreads from; may come again"),
        Paging
    ),
    responses((status = 200, body = Ranks), Problems)
)]
pub(crate) async fn rank(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(paging): Query<Paging>,
    query: Pairs,
) -> Result<Json<Ranks>, Problem> {
    let by = match query.one("by") {
        None | Some("pages") => RankBy::Pages,
        Some("hosts") => RankBy::Hosts,
        Some("harmonic") => RankBy::Harmonic,
        Some(other) => {
            return Err(Problem::request(format!("by={other:?}: write pages, hosts or harmonic")));
        }
    };
    let request = RankRequest {
        project: Some(parse_name(&name)?),
        by,
        trusted: query.all("trusted").map(str::to_owned).collect(),
        limit: Some(paging.up_to()?),
        ..RankRequest::default()
    };
    let (mut items, mut graph) = (Vec::new(), None);
    for row in asking::all(&app, Request::Rank(request)).await? {
        match serde_json::from_value(row) {
            Ok(told @ RankRow::Graph { .. }) => graph = Some(told),
            Ok(row) => items.push(row),
            Err(error) => return Err(Problem::request(error.to_string())),
        }
    }
    let List { items, next } = List::cut(items, &paging)?;
    Ok(Json(Ranks { items, next, graph }))
}

/// The links that a crawl found: all, those to a URL, or those on a page.
#[utoipa::path(
    get, path = "/projects/{name}/graph", tag = "pages",
    params(
        ("name" = String, Path),
        ("to" = Option<String>, Query, description = "Only links that lead to this URL"),
        ("from" = Option<String>, Query, description = "Only links that stand on this page"),
        Paging
    ),
    responses((status = 200, body = List<GraphLink>), Problems)
)]
pub(crate) async fn graph(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(paging): Query<Paging>,
    query: Pairs,
) -> Result<Json<List<GraphLink>>, Problem> {
    let links = match (query.one("to"), query.one("from")) {
        (None, None) => LinksOf::All,
        (Some(to), None) => LinksOf::To(to.to_owned()),
        (None, Some(from)) => LinksOf::From(from.to_owned()),
        (Some(_), Some(_)) => return Err(Problem::request("give one of to and from")),
    };
    let request = GraphRequest {
        project: Some(parse_name(&name)?),
        links,
        limit: Some(paging.up_to()?),
        ..GraphRequest::default()
    };
    let rows = asking::all(&app, Request::Graph(request)).await?;
    let links = rows.into_iter().map(serde_json::from_value).collect::<Result<_, _>>();
    let links = links.map_err(|error: serde_json::Error| Problem::request(error.to_string()))?;
    Ok(Json(List::cut(links, &paging)?))
}
