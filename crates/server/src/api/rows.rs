//! Rows: what templates read, filtered, sorted and compared.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use service::{
    DiffPart, DiffRequest, Mark, Request, RowVersion, RowsPage, RowsRequest, SortBy, TypeCoverage,
};

use super::list::{List, Paging};
use super::projects::parse_name;
use crate::asking;
use crate::extract::{Pairs, Path, Query};
use crate::problem::{Problem, Problems};
use crate::state::App;

/// Rows.
#[utoipa::path(
    get, path = "/projects/{name}/rows", tag = "rows",
    params(
        ("name" = String, Path),
        ("filter" = Option<Vec<String>>, Query, description = "Conditions that must all hold: `price<50`, `title~tent`, `brand empty`", style = Form, explode),
        ("sort" = Option<Vec<String>>, Query, description = "Columns to sort by; `-price` for the largest first", style = Form, explode),
        ("columns" = Option<String>, Query, description = "These columns, separated by commas"),
        ("page_type" = Option<String>, Query, description = "Only rows read as this page type"),
        ("run" = Option<i64>, Query, description = "As they stood after this run"),
        ("changes" = Option<String>, Query, description = "Only rows of which this became since the run before: new, changed, unchanged, gone"),
        Paging
    ),
    responses((status = 200, body = RowsPage), Problems)
)]
pub(crate) async fn list(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(paging): Query<Paging>,
    query: Pairs,
) -> Result<Json<RowsPage>, Problem> {
    let request = RowsRequest { limit: Some(paging.limit()?), ..request(&name, &query)? };
    let cursor = paging.cursor.clone().filter(|cursor| !cursor.is_empty());
    let page =
        asking::blocking(&app, move |data| service::rows_page(data, &request, cursor.as_deref())).await?;
    Ok(Json(page))
}

/// What a row was after each run, the oldest first.
#[utoipa::path(
    get, path = "/projects/{name}/rows/history", tag = "rows",
    params(("name" = String, Path), ("key" = String, Query, description = "The row's `_key`")),
    responses((status = 200, body = List<RowVersion>), Problems)
)]
pub(crate) async fn history(
    State(app): State<App>,
    Path(name): Path<String>,
    query: Pairs,
) -> Result<Json<List<RowVersion>>, Problem> {
    let name = parse_name(&name)?;
    let key = query.one("key").ok_or_else(|| Problem::request("key is missing"))?.to_owned();
    let mut versions =
        asking::blocking(&app, move |data| service::row_history(data, Some(name.as_str()), &key)).await?;
    versions.reverse();
    Ok(Json(List::whole(versions)))
}

/// What became of rows between two runs.
#[utoipa::path(
    get, path = "/projects/{name}/diff", tag = "rows",
    params(
        ("name" = String, Path),
        ("from" = String, Query, description = "The earlier run"),
        ("to" = Option<String>, Query, description = "The later run; the project as it stands unless said"),
        ("changes" = Option<String>, Query, description = "Only these: new, changed, unchanged, gone"),
        Paging
    ),
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn diff(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(paging): Query<Paging>,
    query: Pairs,
) -> Result<Json<Value>, Problem> {
    let request = DiffRequest {
        before: query.one("from").ok_or_else(|| Problem::request("from is missing"))?.to_owned(),
        after: query.one("to").unwrap_or(parse_name(&name)?.as_str()).to_owned(),
        status: marks(&query)?,
        limit: Some(paging.up_to()?),
    };
    let (mut items, mut counts) = (Vec::new(), Value::Null);
    for part in asking::all(&app, Request::Diff(request)).await? {
        match serde_json::from_value(part.clone()) {
            Ok(DiffPart::Counts(found)) => counts = json!(found),
            _ => items.push(part),
        }
    }
    let List { items, next } = List::cut(items, &paging)?;
    Ok(Json(json!({ "items": items, "next": next, "counts": counts })))
}

/// How often each field was found, by page type: in the latest run that read pages and came to an end.
#[utoipa::path(
    get, path = "/projects/{name}/coverage", tag = "rows", params(("name" = String, Path)),
    responses((status = 200, body = List<TypeCoverage>), Problems)
)]
pub(crate) async fn coverage(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<Json<List<TypeCoverage>>, Problem> {
    let name = parse_name(&name)?;
    let types = asking::blocking(&app, move |data| service::coverage(data, Some(&name))).await?;
    Ok(Json(List::whole(types)))
}

/// The rows that a query string asks for, without a limit.
pub(crate) fn request(name: &str, query: &Pairs) -> Result<RowsRequest, Problem> {
    let name = parse_name(name)?;
    let conditions = query.all("filter").map(|text| text.parse().map_err(Problem::request));
    Ok(RowsRequest {
        of: Some(query.one("run").map_or(name.to_string(), str::to_owned)),
        conditions: conditions.collect::<Result<_, Problem>>()?,
        columns: names(query, "columns"),
        sort: names(query, "sort").into_iter().map(SortBy::from).collect(),
        page_type: query.one("page_type").map(str::to_owned),
        status: marks(query)?,
        ..RowsRequest::default()
    })
}

fn names(query: &Pairs, name: &str) -> Vec<String> {
    let names = query.all(name).flat_map(|list| list.split(','));
    names.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn marks(query: &Pairs) -> Result<Vec<Mark>, Problem> {
    let read = |name: String| {
        let known = Mark::ALL.into_iter().find(|mark| mark.name() == name);
        known.ok_or_else(|| Problem::request(format!("changes={name:?}: there is no such change of a row")))
    };
    names(query, "changes").into_iter().map(read).collect()
}
