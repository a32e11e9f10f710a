//! Every setting, described; and what a project's settings mean.

use axum::Json;
use axum::extract::State;
use service::{Meaning, Reference};

use super::projects::{self, ProjectGiven};
use crate::extract::{Body, Path};
use crate::problem::{Problem, Problems};
use crate::state::App;

/// Every setting of a crawl.
#[utoipa::path(get, path = "/settings", tag = "settings", responses((status = 200, body = Reference), Problems))]
pub(crate) async fn crawl() -> Json<Reference> {
    Json(service::settings_reference())
}

/// Every setting of an index.
#[utoipa::path(get, path = "/settings/index", tag = "settings", responses((status = 200, body = Reference), Problems))]
pub(crate) async fn index() -> Json<Reference> {
    Json(service::index_settings_reference())
}

/// What a project's settings mean, in plain words.
#[utoipa::path(
    post, path = "/projects/{name}/meaning", tag = "settings", params(("name" = String, Path)),
    responses((status = 200, body = Meaning), Problems)
)]
pub(crate) async fn of_project(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<Json<Meaning>, Problem> {
    Ok(Json(service::meaning(&projects::entry(&app, &name).await?.project)))
}

/// What the settings of a project that is not kept would mean.
#[utoipa::path(
    post, path = "/projects/meaning", tag = "settings", request_body = ProjectGiven,
    responses((status = 200, body = Meaning), Problems)
)]
pub(crate) async fn of_given(Body(given): Body<ProjectGiven>) -> Result<Json<Meaning>, Problem> {
    Ok(Json(service::meaning(&given.read()?)))
}
