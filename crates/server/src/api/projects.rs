//! Projects: listed, shown, made, changed, deleted.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use catalog::ProjectEntry;
use model::{Project, ProjectName};
use serde::Deserialize;
use serde_json::Value;
use service::{CheckedProject, ProjectCard, ProjectChoice, ProjectText, ProjectView, Request};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::list::List;
use crate::asking;
use crate::extract::{Body, Pairs, Path};
use crate::problem::{Problem, Problems};
use crate::state::App;

/// A project as text or as JSON.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ProjectGiven {
    /// The project's file.
    yaml: Option<String>,
    /// The same as JSON.
    project: Option<Value>,
}

impl ProjectGiven {
    /// The text, of one kind.
    pub(crate) fn text(self) -> Result<ProjectText, Problem> {
        match (self.yaml, self.project) {
            (Some(yaml), None) => Ok(ProjectText::Yaml(yaml)),
            (None, Some(project)) => Ok(ProjectText::Json(project)),
            _ => Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "give either yaml or project")),
        }
    }

    /// The project, without its mistakes.
    pub(crate) fn read(self) -> Result<Project, Problem> {
        self.text()?.read().map_err(|mistake| service::ServiceError::BadProject(vec![mistake]).into())
    }
}

/// Every project, the one that ran last first.
#[utoipa::path(get, path = "/projects", tag = "projects", responses((status = 200, body = List<ProjectCard>), Problems))]
pub(crate) async fn list(State(app): State<App>) -> Result<Response, Problem> {
    let cards = asking::blocking(&app, |data| service::project_cards(data)).await?;
    Ok(Json(List::whole(cards)).into_response())
}

/// Makes a project.
#[utoipa::path(
    post, path = "/projects", tag = "projects", request_body = ProjectGiven,
    responses((status = 201, body = ProjectView), Problems)
)]
pub(crate) async fn create(
    State(app): State<App>,
    Body(given): Body<ProjectGiven>,
) -> Result<Response, Problem> {
    let (text, now) = (given.text()?, (app.now)());
    let made = asking::blocking(&app, move |data| service::create_project(data, &text, now)).await?;
    Ok((StatusCode::CREATED, shown(made)).into_response())
}

/// Looks a project over without keeping it.
#[utoipa::path(
    post, path = "/projects/check", tag = "projects", request_body = ProjectGiven,
    responses((status = 200, body = CheckedProject), Problems)
)]
pub(crate) async fn check(Body(given): Body<ProjectGiven>) -> Result<Response, Problem> {
    let text = given.text()?;
    let checked = tokio::task::spawn_blocking(move || service::check_project(&text)).await;
    Ok(Json(checked.map_err(|_| service::ServiceError::Lost)?).into_response())
}

/// A project.
#[utoipa::path(
    get, path = "/projects/{name}", tag = "projects", params(("name" = String, Path)),
    responses((status = 200, body = ProjectView), Problems)
)]
pub(crate) async fn show(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Problem> {
    let name = parse_name(&name)?;
    Ok(shown(asking::blocking(&app, move |data| service::project_view(data, &name)).await?))
}

/// Changes a project; another name in it renames it.
#[utoipa::path(
    put, path = "/projects/{name}", tag = "projects", request_body = ProjectGiven,
    params(("name" = String, Path), ("if-match" = Option<String>, Header, description = "The version that is changed")),
    responses(
        (status = 200, body = ProjectView),
        (status = 412, body = Problem, content_type = "application/problem+json", description = "Someone else changed it"),
        (status = 428, body = Problem, content_type = "application/problem+json", description = "If-Match is missing"),
        Problems
    )
)]
pub(crate) async fn update(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
    Body(given): Body<ProjectGiven>,
) -> Result<Response, Problem> {
    let (name, text, now) = (parse_name(&name)?, given.text()?, (app.now)());
    let expected = based_on(&headers)?;
    let changed = asking::blocking(&app, move |data| {
        service::update_project(data, &name, &text, expected.as_deref(), now)
    });
    Ok(shown(changed.await?))
}

/// Deletes a project and all that it has crawled.
#[utoipa::path(
    delete, path = "/projects/{name}", tag = "projects",
    params(
        ("name" = String, Path), ("if-match" = Option<String>, Header, description = "The version that is deleted"),
        ("keep" = Option<String>, Query, description = "`archive`: the WARC files stay")
    ),
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
    query: Pairs,
) -> Result<StatusCode, Problem> {
    let name = parse_name(&name)?;
    let expected = based_on(&headers)?;
    let keep_archive = match query.one("keep") {
        None => false,
        Some("archive") => true,
        Some(other) => return Err(Problem::request(format!("keep={other:?}: only archive can be kept"))),
    };
    service::delete_project(&app.data, &name, expected.as_deref(), keep_archive, (app.now)()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A project's file.
#[utoipa::path(
    get, path = "/projects/{name}/file", tag = "projects", params(("name" = String, Path)),
    responses((status = 200, body = Value, content_type = "application/yaml"), Problems)
)]
pub(crate) async fn file(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Problem> {
    let entry = entry(&app, &name).await?;
    let headers = [
        (header::CONTENT_TYPE, "application/yaml".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}.yaml\"", entry.project.name)),
    ];
    Ok((headers, entry.project.to_yaml()).into_response())
}

/// The counts of a project.
#[utoipa::path(
    get, path = "/projects/{name}/summary", tag = "projects", params(("name" = String, Path)),
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn summary(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Problem> {
    let project = Some(parse_name(&name)?);
    Ok(Json(asking::one(&app, Request::Summary(ProjectChoice { project })).await?))
}

/// The project of a name in a path.
pub(crate) async fn entry(app: &App, name: &str) -> Result<ProjectEntry, Problem> {
    let name = parse_name(name)?;
    asking::blocking(app, move |data| data.project(Some(&name))).await
}

pub(crate) fn parse_name(name: &str) -> Result<ProjectName, Problem> {
    name.parse().map_err(|_| Problem::missing(format!("there is no project {name:?}")))
}

/// A project with its version as ETag.
pub(crate) fn shown(project: ProjectView) -> Response {
    let tag = HeaderValue::from_str(&format!("\"{}\"", project.version)).ok();
    let mut response = Json(project).into_response();
    if let Some(tag) = tag {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// The version that an edit was based on; none for `*`.
fn based_on(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let asked = headers.get(header::IF_MATCH).and_then(|value| value.to_str().ok());
    let asked = asked.ok_or_else(|| {
        Problem::new(StatusCode::PRECONDITION_REQUIRED, "the header If-Match is missing")
            .advise("send the ETag of the version that you change")
    })?;
    Ok((asked.trim() != "*").then(|| asked.trim().trim_start_matches("W/").trim_matches('"').to_owned()))
}

/// Refuses an edit that was not based on the current version.
pub(crate) fn same_version(headers: &HeaderMap, current: &str) -> Result<(), Problem> {
    match based_on(headers)? {
        Some(version) if version != current => {
            Err(Problem::new(StatusCode::PRECONDITION_FAILED, "someone else has changed it meanwhile")
                .advise("read it again, and make your change to that")
                .with_version(current))
        }
        _ => Ok(()),
    }
}

/// A text's version.
pub(crate) fn version_of(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(&Sha256::digest(text.as_bytes())[..12])
}
