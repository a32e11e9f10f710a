//! Projects: listed, shown, made and changed.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use catalog::ProjectEntry;
use model::{Project, ProjectError, ProjectName};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use service::{Moment, ProjectChoice, Request};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::list::List;
use super::runs::{self, Run};
use crate::asking;
use crate::extract::{Body, Path};
use crate::problem::{Mistake, Problem, Problems};
use crate::state::App;

/// A project in the list of all.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProjectCard {
    name: String,
    start: Vec<String>,
    #[schema(value_type = String)]
    created: Moment,
    /// Pages kept.
    pages: u64,
    /// Rows read.
    rows: u64,
    last_run: Option<Run>,
    attention: Vec<Attention>,
}

/// What someone should look at.
#[derive(Serialize, ToSchema)]
pub(crate) struct Attention {
    /// `info`, `warn` or `error`.
    level: &'static str,
    text: String,
    action: Option<String>,
}

/// A project.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProjectShown {
    name: String,
    /// The project, as its file has it.
    project: Value,
    /// The project's file.
    yaml: String,
    /// Changes with each edit; the ETag.
    version: String,
    summary: Option<Value>,
    attention: Vec<Attention>,
    last_run: Option<Run>,
}

/// A project as text or as JSON.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ProjectGiven {
    /// The project's file.
    yaml: Option<String>,
    /// The same as JSON.
    project: Option<Value>,
}

/// What is said of a project that is not kept.
#[derive(Serialize, ToSchema)]
pub(crate) struct Checked {
    /// The project as JSON; none when it cannot be read.
    project: Option<Value>,
    /// The project as a file.
    yaml: Option<String>,
    errors: Vec<Mistake>,
}

impl ProjectGiven {
    /// The project, without its mistakes.
    pub(crate) fn read(&self) -> Result<Project, Problem> {
        self.parse().map_err(|mistake| {
            let detail = mistake.message.clone();
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail).with_errors(vec![mistake])
        })
    }

    fn parse(&self) -> Result<Project, Mistake> {
        let text = match (&self.yaml, &self.project) {
            (Some(yaml), None) => yaml.clone(),
            // JSON is YAML.
            (None, Some(project)) => project.to_string(),
            _ => {
                let message = "give either yaml or project".to_owned();
                return Err(Mistake { line: None, column: None, path: None, message });
            }
        };
        let of_json = self.project.is_some();
        Project::parse(&text, "project").map_err(|error| match error {
            ProjectError::At { line, column, problem, .. } if !of_json => {
                Mistake { line: Some(line), column: Some(column), path: None, message: problem }
            }
            ProjectError::At { problem, .. } | ProjectError::Whole { problem, .. } => {
                Mistake { line: None, column: None, path: None, message: problem }
            }
        })
    }
}

/// Every project, the one that ran last first.
#[utoipa::path(get, path = "/projects", tag = "projects", responses((status = 200, body = List<ProjectCard>), Problems))]
pub(crate) async fn list(State(app): State<App>) -> Result<Json<List<ProjectCard>>, Problem> {
    let projects = asking::blocking(&app, |data| {
        let mut projects = Vec::new();
        for entry in data.projects()? {
            let summary = service::summary(data, &entry)?;
            projects.push((entry, summary));
        }
        Ok(projects)
    });
    let mut cards = Vec::new();
    for (entry, summary) in projects.await? {
        cards.push(ProjectCard {
            name: entry.project.name.to_string(),
            start: entry.project.start.iter().map(|url| url.to_string()).collect(),
            created: entry.created_at.into(),
            pages: summary.pages_fetched,
            rows: summary.rows,
            last_run: runs::latest(&app, &entry).await?,
            attention: Vec::new(),
        });
    }
    Ok(Json(List::whole(cards)))
}

/// Makes a project.
#[utoipa::path(
    post, path = "/projects", tag = "projects", request_body = ProjectGiven,
    responses((status = 201, body = ProjectShown), Problems)
)]
pub(crate) async fn create(
    State(app): State<App>,
    Body(given): Body<ProjectGiven>,
) -> Result<Response, Problem> {
    let project = given.read()?;
    if app.data.catalog().project_by_name(&project.name).await?.is_some() {
        let problem = Problem::conflict(format!("there is a project {:?} already", project.name.as_str()));
        return Err(problem.advise("choose another name, or change that project"));
    }
    let entry = app.data.catalog().upsert_project(&project, (app.now)()).await?;
    Ok((StatusCode::CREATED, shown(&app, entry).await?).into_response())
}

/// Looks a project over without keeping it.
#[utoipa::path(
    post, path = "/projects/check", tag = "projects", request_body = ProjectGiven,
    responses((status = 200, body = Checked), Problems)
)]
pub(crate) async fn check(Body(given): Body<ProjectGiven>) -> Json<Checked> {
    Json(match given.parse() {
        Ok(project) => {
            Checked { project: Some(project.to_json()), yaml: Some(project.to_yaml()), errors: Vec::new() }
        }
        Err(mistake) => Checked { project: None, yaml: None, errors: vec![mistake] },
    })
}

/// A project.
#[utoipa::path(
    get, path = "/projects/{name}", tag = "projects", params(("name" = String, Path)),
    responses((status = 200, body = ProjectShown), Problems)
)]
pub(crate) async fn show(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Problem> {
    let entry = entry(&app, &name).await?;
    shown(&app, entry).await
}

/// Changes a project.
#[utoipa::path(
    put, path = "/projects/{name}", tag = "projects", request_body = ProjectGiven,
    params(("name" = String, Path), ("if-match" = Option<String>, Header, description = "The version that is changed")),
    responses(
        (status = 200, body = ProjectShown),
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
    let known = entry(&app, &name).await?;
    same_version(&headers, &version(&known.project))?;
    let project = given.read()?;
    if project.name != known.project.name {
        return Err(Problem::request("a project cannot be renamed yet"));
    }
    let entry = app.data.catalog().upsert_project(&project, (app.now)()).await?;
    shown(&app, entry).await
}

/// A project's file.
#[utoipa::path(
    get, path = "/projects/{name}/file", tag = "projects", params(("name" = String, Path)),
    responses((status = 200, body = String, content_type = "application/yaml"), Problems)
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

/// Refuses an edit that was not based on the current version.
pub(crate) fn same_version(headers: &HeaderMap, current: &str) -> Result<(), Problem> {
    let Some(asked) = headers.get(header::IF_MATCH).and_then(|value| value.to_str().ok()) else {
        return Err(Problem::new(StatusCode::PRECONDITION_REQUIRED, "the header If-Match is missing")
            .advise("send the ETag of the version that you change"));
    };
    let matches = asked.split(',').map(str::trim).any(|tag| tag == "*" || tag.trim_matches('"') == current);
    match matches {
        true => Ok(()),
        false => Err(Problem::new(StatusCode::PRECONDITION_FAILED, "someone else has changed it meanwhile")
            .advise("read it again, and make your change to that")
            .with_version(current)),
    }
}

pub(crate) fn version_of(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(&Sha256::digest(text.as_bytes())[..12])
}

fn version(project: &Project) -> String {
    version_of(&json!(project).to_string())
}

pub(crate) async fn shown(app: &App, entry: ProjectEntry) -> Result<Response, Problem> {
    let last_run = runs::latest(app, &entry).await?;
    let version = version(&entry.project);
    let (project, yaml) = (entry.project.to_json(), entry.project.to_yaml());
    let name = entry.project.name.to_string();
    let summary = asking::blocking(app, move |data| service::summary(data, &entry)).await?;
    let summary = serde_json::to_value(summary).ok();
    let tag = HeaderValue::from_str(&format!("\"{version}\"")).ok();
    let shown = ProjectShown { name, project, yaml, version, summary, attention: Vec::new(), last_run };
    let mut response = Json(shown).into_response();
    if let Some(tag) = tag {
        response.headers_mut().insert(header::ETAG, tag);
    }
    Ok(response)
}
