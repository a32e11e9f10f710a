//! Ranks and links of what a project has crawled.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use service::{GraphLink, GraphRequest, LinkWeights, LinksOf, RankBy, RankRequest, RankRow, Request};
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
    /// They, the highest first; with other weights of links, what moves most first, each with its rank and place by the
    /// usual ones.
    items: Vec<RankRow>,
    /// The cursor of the next page; none at the end.
    next: Option<String>,
    /// What they were computed from.
    graph: Option<RankRow>,
}

/// Pages or hosts by the links between them. With other weights of links: what moves, before and after.
#[utoipa::path(
    get, path = "/projects/{name}/rank", tag = "pages",
    params(
        ("name" = String, Path),
        ("by" = Option<RankBy>, Query, description = "pages unless said"),
        ("trusted" = Option<String>, Query, description = "A page or host that rank spreads from; may come again"),
        ("visibility" = Option<String>, Query, description = "What links weigh by their looks: plain, bold or italic, both; 1,2,3 unless said"),
        ("position" = Option<String>, Query, description = "By where they stand: last, middle and first third of the page; 1,2,3 unless said"),
        ("distance" = Option<String>, Query, description = "By where they lead: same host, same registered domain, elsewhere; 1,3,5 unless said"),
        ("nofollow" = Option<String>, Query, description = "What the weight of a nofollow link is multiplied by; 0 unless said"),
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
        weights: weights(&query)?,
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

/// What links weigh, where anything is said of it.
fn weights(query: &Pairs) -> Result<Option<LinkWeights>, Problem> {
    let mut weights = None;
    for name in LinkWeights::NAMES {
        if let Some(numbers) = query.one(name) {
            let set = weights.get_or_insert_with(LinkWeights::default).set(name, numbers);
            set.map_err(|error| Problem::request(format!("{name}={numbers:?}: {error}")))?;
        }
    }
    Ok(weights)
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
