//! Previews: one page looked at before any crawl, and pointed at.

use axum::Json;
use axum::body::Body as Bytes;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::Project;
use serde::Deserialize;
use serde_json::Value;
use service::ServiceError;
use service::preview::{
    Asset, Generalise, PageList, PageReading, PathStep, PickedNodes, Preview, PreviewAnswer, PreviewRequest,
    SelectRequest, Selection,
};
use std::sync::Arc;
use utoipa::ToSchema;

use super::projects::{self, ProjectGiven};
use crate::extract::{Body, Pairs, Path};
use crate::problem::{Problem, Problems};
use crate::state::App;

/// For a foreign page in a frame of ours: no script, no form, nothing but what goes through us. The same origin, so
/// that our own page around it may look at its elements.
const CSP: &str = "sandbox allow-same-origin; default-src 'none'; script-src 'none'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; form-action 'none'; base-uri 'none'; \
    frame-ancestors 'self'";

/// Which page to look at.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Look {
    /// Where it stands; without a scheme https is meant.
    url: String,
    /// The page itself; asked for if missing.
    html: Option<String>,
    /// As this project asks and reads; a new one unless said.
    project: Option<String>,
}

/// What to select.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Select {
    /// An expression of CSS.
    css: Option<String>,
    /// Or of XPath.
    xpath: Option<String>,
    /// Inside each of these rows: an expression that selects them.
    within: Option<String>,
}

/// What was pointed at.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pointed {
    /// Elements that are meant.
    #[serde(default)]
    include: Vec<u32>,
    /// Elements that are not.
    #[serde(default)]
    exclude: Vec<u32>,
    /// Rows that they are fields of: an expression that selects them.
    rows: Option<String>,
    /// The attribute to take values from.
    #[serde(alias = "attr")]
    attribute: Option<String>,
}

impl From<Pointed> for Generalise {
    fn from(Pointed { include, exclude, rows, attribute }: Pointed) -> Generalise {
        Generalise { include, exclude, rows, attribute }
    }
}

/// Looks at a page. One that cannot be had answers with `failure`.
#[utoipa::path(
    post, path = "/previews", tag = "previews", request_body = Look,
    responses(
        (status = 200, body = PreviewAnswer, description = "The page could not be had"),
        (status = 201, body = PreviewAnswer), Problems
    )
)]
pub(crate) async fn open(State(app): State<App>, Body(look): Body<Look>) -> Result<Response, Problem> {
    let project = match &look.project {
        Some(name) => Some(projects::entry(&app, name).await?.project),
        None => None,
    };
    let request = PreviewRequest { url: look.url, html: look.html, project: look.project };
    let answer = app.previews.open(&request, project, &app.allow, &app.clock).await?;
    let status = if answer.failure.is_some() { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Json(answer)).into_response())
}

/// The page as it looked, without scripts, for a sandboxed frame.
#[utoipa::path(
    get, path = "/previews/{id}/page", tag = "previews", params(("id" = String, Path)),
    responses((status = 200, body = String, content_type = "text/html"), Problems)
)]
pub(crate) async fn page(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Problem> {
    let path = format!("/api/v1/previews/{id}/asset?u=");
    let html = with(&app, &id, move |preview| Ok(preview.snapshot(&path))).await?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CSP)),
        (HeaderName::from_static("x-frame-options"), HeaderValue::from_static("SAMEORIGIN")),
    ];
    Ok((headers, html).into_response())
}

/// A picture or style of the page.
#[utoipa::path(
    get, path = "/previews/{id}/asset", tag = "previews",
    params(("id" = String, Path), ("u" = String, Query, description = "Its address")),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream"), Problems)
)]
pub(crate) async fn asset(
    State(app): State<App>,
    Path(id): Path<String>,
    query: Pairs,
) -> Result<Response, Problem> {
    let address = query.one("u").ok_or_else(|| Problem::request("u is missing"))?;
    let preview = app.previews.get(&id, (app.now)())?;
    let path = format!("/api/v1/previews/{id}/asset?u=");
    let found = preview.asset(address, &path, &app.clock).await?;
    Ok(shown(found.ok_or_else(|| Problem::missing("no picture or style could be had there"))?))
}

/// A picture that a hit has, asked for by the server: no page of ours lets a browser ask elsewhere.
#[utoipa::path(
    get, path = "/pictures", tag = "previews", params(("u" = String, Query, description = "Its address")),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream"), Problems)
)]
pub(crate) async fn picture(State(app): State<App>, query: Pairs) -> Result<Response, Problem> {
    let address = query.one("u").ok_or_else(|| Problem::request("u is missing"))?;
    let found = service::preview::picture(address, &app.allow, &app.clock).await?;
    Ok(shown(found.ok_or_else(|| Problem::missing("no picture could be had there"))?))
}

fn shown(found: Asset) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(found.content_type)),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'")),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=600")),
    ];
    (headers, Bytes::from(found.bytes)).into_response()
}

/// What an expression selects.
#[utoipa::path(
    post, path = "/previews/{id}/select", tag = "previews", params(("id" = String, Path)), request_body = Select,
    responses((status = 200, body = Selection), Problems)
)]
pub(crate) async fn select(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(Select { css, xpath, within }): Body<Select>,
) -> Result<Json<Value>, Problem> {
    let request = SelectRequest { css, xpath, within };
    json(with(&app, &id, move |preview| Ok(preview.select(&request))).await?)
}

/// The expression for what was pointed at.
#[utoipa::path(
    post, path = "/previews/{id}/generalise", tag = "previews", params(("id" = String, Path)), request_body = Pointed,
    responses((status = 200, body = PickedNodes), Problems)
)]
pub(crate) async fn generalise(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(pointed): Body<Pointed>,
) -> Result<Json<Value>, Problem> {
    json(with(&app, &id, move |preview| preview.generalise(&pointed.into())).await?)
}

/// The list whose rows were pointed at.
#[utoipa::path(
    post, path = "/previews/{id}/list", tag = "previews", params(("id" = String, Path)), request_body = Pointed,
    responses((status = 200, body = Option<PageList>), Problems)
)]
pub(crate) async fn list(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(pointed): Body<Pointed>,
) -> Result<Json<Value>, Problem> {
    json(with(&app, &id, move |preview| preview.list(&pointed.into())).await?)
}

/// The way from the page's root to an element.
#[utoipa::path(
    get, path = "/previews/{id}/path", tag = "previews",
    params(("id" = String, Path), ("node" = u32, Query, description = "The element")),
    responses((status = 200, body = Vec<PathStep>), Problems)
)]
pub(crate) async fn path(
    State(app): State<App>,
    Path(id): Path<String>,
    query: Pairs,
) -> Result<Json<Value>, Problem> {
    let node = query.read::<u32>("node")?.ok_or_else(|| Problem::request("node is missing"))?;
    json(with(&app, &id, move |preview| preview.path(node)).await?)
}

/// What a project reads from the page, by the crawl's own code.
#[utoipa::path(
    post, path = "/previews/{id}/read", tag = "previews", params(("id" = String, Path)), request_body = ProjectGiven,
    responses((status = 200, body = PageReading), Problems)
)]
pub(crate) async fn read(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(given): Body<ProjectGiven>,
) -> Result<Json<Value>, Problem> {
    let project: Project = given.read()?;
    json(with(&app, &id, move |preview| preview.read(&project)).await?)
}

async fn with<T: Send + 'static>(
    app: &App,
    id: &str,
    ask: impl FnOnce(&Preview) -> Result<T, ServiceError> + Send + 'static,
) -> Result<T, Problem> {
    let preview: Arc<Preview> = app.previews.get(id, (app.now)())?;
    let asked = tokio::task::spawn_blocking(move || ask(&preview)).await;
    Ok(asked.map_err(|_| ServiceError::Lost)??)
}

fn json(value: impl serde::Serialize) -> Result<Json<Value>, Problem> {
    Ok(Json(serde_json::to_value(value).map_err(|error| Problem::request(error.to_string()))?))
}
