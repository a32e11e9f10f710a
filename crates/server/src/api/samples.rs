//! Sample projects on the bundled demo site, for a first look.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use model::Project;
use serde::Serialize;
use serde_json::json;
use service::{ProjectText, ProjectView};
use utoipa::ToSchema;

use super::list::List;
use super::projects;
use crate::asking;
use crate::extract::Path;
use crate::problem::{Problem, Problems};
use crate::state::App;

/// Where the samples' files say that the demo site is.
const THERE: &str = "http://127.0.0.1:8080";

struct Kept {
    id: &'static str,
    title: &'static str,
    text: &'static str,
    yaml: &'static str,
}

const SAMPLES: [Kept; 3] = [
    Kept {
        id: "shop",
        title: "A shop",
        text: "Lists of products in several layouts, each product's own page merged into its row.",
        yaml: include_str!("../../../../docs/examples/demo-shop.yaml"),
    },
    Kept {
        id: "blog",
        title: "A journal",
        text: "Posts with author, date and tags.",
        yaml: include_str!("../../samples/blog.yaml"),
    },
    Kept {
        id: "manual",
        title: "A manual",
        text: "Pages of text, to be searched.",
        yaml: include_str!("../../samples/manual.yaml"),
    },
];

/// A sample project.
#[derive(Serialize, ToSchema)]
pub(crate) struct Sample {
    id: &'static str,
    title: &'static str,
    text: &'static str,
    /// Its project file.
    yaml: String,
}

/// The sample projects; none without the demo site.
#[utoipa::path(get, path = "/samples", tag = "projects", responses((status = 200, body = List<Sample>), Problems))]
pub(crate) async fn list(State(app): State<App>) -> Json<List<Sample>> {
    let samples = SAMPLES.iter().filter_map(|kept| {
        let yaml = project(&app, kept).ok()?.to_yaml();
        Some(Sample { id: kept.id, title: kept.title, text: kept.text, yaml })
    });
    Json(List::whole(samples.collect()))
}

/// Makes the project of a sample, unless it is there already.
#[utoipa::path(
    post, path = "/samples/{id}", tag = "projects", params(("id" = String, Path)),
    responses((status = 200, body = ProjectView), (status = 201, body = ProjectView), Problems)
)]
pub(crate) async fn create(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Problem> {
    let kept = SAMPLES.iter().find(|kept| kept.id == id);
    let kept = kept.ok_or_else(|| Problem::missing(format!("there is no sample {id:?}")))?;
    let project = project(&app, kept)?;
    let (name, text, now) = (project.name.clone(), ProjectText::Json(project.to_json()), (app.now)());
    if app.data.catalog().project_by_name(&name).await?.is_some() {
        return Ok(projects::shown(
            asking::blocking(&app, move |data| service::project_view(data, &name)).await?,
        ));
    }
    let made = asking::blocking(&app, move |data| service::create_project(data, &text, now)).await?;
    Ok((StatusCode::CREATED, projects::shown(made)).into_response())
}

/// The sample's project on our own demo site. That one is allowed by its address, so nothing else private need be.
fn project(app: &App, kept: &Kept) -> Result<Project, Problem> {
    let Some(demo) = app.demo else {
        return Err(
            Problem::conflict("the server runs without its demo site").advise("start it without --no-demo")
        );
    };
    let yaml = kept.yaml.replace(THERE, &format!("http://{demo}")).replace(", allow_private: true", "");
    let mut project = Project::parse(&yaml, kept.id).map_err(|error| Problem::request(error.to_string()))?;
    // Searchable from the first page on.
    project.index.get_or_insert_with(|| json!({}));
    Ok(project)
}
