//! Projects: listed, looked at, made, changed, renamed and deleted.
//!
//! A project's version is a digest of its definition, so two editors of one project notice each other whoever
//! wrote in between.

mod attention;
mod check;
mod delete;

use archive::rows::counts;
use catalog::ProjectEntry;
use frontier::tables::STATS;
use kv::Reader;
use model::{Project, ProjectName, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

pub use attention::{Attention, AttentionLevel};
pub use check::{CheckedProject, Mistake, ProjectText, check_project};
pub use delete::delete_project;

use crate::pages_page::counts_of;
use crate::runs::view;
use crate::{Data, Moment, RunView, ServiceError, Summary, indexes, summary};

/// A project in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProjectCard {
    /// Its name.
    pub name: String,
    /// Where its crawl begins.
    pub start: Vec<String>,
    /// When it was made.
    #[schema(value_type = String)]
    pub created: Moment,
    /// Pages it has.
    pub pages: u64,
    /// Rows it has.
    pub rows: u64,
    /// Its latest run.
    pub last_run: Option<RunView>,
    /// What someone should know.
    pub attention: Vec<Attention>,
}

/// A project with its definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProjectView {
    /// Its name.
    pub name: String,
    /// As a file's keys and values.
    pub project: Value,
    /// As a file.
    pub yaml: String,
    /// Changes with every edit.
    pub version: String,
    /// When it was made.
    #[schema(value_type = String)]
    pub created: Moment,
    /// What its crawl has brought; none before its first run.
    #[schema(value_type = Option<Object>)]
    pub summary: Option<Summary>,
    /// What someone should know.
    pub attention: Vec<Attention>,
    /// Its latest run.
    pub last_run: Option<RunView>,
}

/// Every project, the one that ran last first. From a blocking thread.
pub fn project_cards(data: &Data) -> Result<Vec<ProjectCard>, ServiceError> {
    data.projects()?.into_iter().map(|entry| card(data, entry)).collect()
}

/// A project. From a blocking thread.
pub fn project_view(data: &Data, name: &ProjectName) -> Result<ProjectView, ServiceError> {
    let entry = data.project(Some(name))?;
    let last_run = last_run(data, &entry)?;
    let summary = last_run.is_some().then(|| summary(data, &entry)).transpose()?;
    Ok(ProjectView {
        name: entry.project.name.to_string(),
        project: entry.project.to_json(),
        yaml: entry.project.to_yaml(),
        version: version(&entry.project),
        created: Moment(entry.created_at),
        attention: attention::of(last_run.as_ref()),
        summary,
        last_run,
    })
}

/// Keeps a new project. From a blocking thread.
pub fn create_project(data: &Data, text: &ProjectText, now: Timestamp) -> Result<ProjectView, ServiceError> {
    let project = text.read().map_err(|mistake| ServiceError::BadProject(vec![mistake]))?;
    if !data.wait(data.catalog().insert_project(&project, now))? {
        return Err(ServiceError::ProjectExists(project.name.to_string()));
    }
    project_view(data, &project.name)
}

/// Changes a project, which is renamed when its name has changed. `expected` is the version that the editor saw; any
/// when none. A run at work goes on with what it began with. From a blocking thread.
pub fn update_project(
    data: &Data,
    name: &ProjectName,
    text: &ProjectText,
    expected: Option<&str>,
    now: Timestamp,
) -> Result<ProjectView, ServiceError> {
    let project = text.read().map_err(|mistake| ServiceError::BadProject(vec![mistake]))?;
    let entry = data.project(Some(name))?;
    expect(&entry.project, expected)?;
    if project.name != entry.project.name {
        if data.live_runs().iter().any(|run| run.project == entry.project.name) {
            return Err(ServiceError::Occupied(name.to_string()));
        }
        if data.projects()?.iter().any(|other| other.project.name == project.name) {
            return Err(ServiceError::ProjectExists(project.name.to_string()));
        }
    }
    if !data.wait(data.catalog().replace_project(entry.id, &entry.project, &project))? {
        // Somebody else was faster.
        let now = data.project(Some(name))?;
        return Err(ServiceError::Stale { name: name.to_string(), version: version(&now.project) });
    }
    if project.name != entry.project.name {
        indexes::project_renamed(data, &entry.project.name, &project.name, now)?;
    }
    project_view(data, &project.name)
}

/// A digest of a project's definition.
pub fn version(project: &Project) -> String {
    let definition = serde_json::to_vec(project).expect("a project has only text keys");
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&definition))
}

pub(crate) fn expect(project: &Project, expected: Option<&str>) -> Result<(), ServiceError> {
    let version = version(project);
    match expected {
        Some(expected) if expected != version => {
            Err(ServiceError::Stale { name: project.name.to_string(), version })
        }
        _ => Ok(()),
    }
}

fn card(data: &Data, entry: ProjectEntry) -> Result<ProjectCard, ServiceError> {
    let snapshot = data.store().snapshot();
    let stats = snapshot.get(&STATS, &entry.crawl.0)?.unwrap_or_default();
    let outcomes = counts_of(&snapshot, entry.crawl, &stats)?.outcomes;
    let last_run = last_run(data, &entry)?;
    Ok(ProjectCard {
        name: entry.project.name.to_string(),
        start: entry.project.start.iter().map(ToString::to_string).collect(),
        created: Moment(entry.created_at),
        pages: ["fetched", "not-modified"].iter().filter_map(|name| outcomes.get(*name)).sum(),
        rows: counts(data.store(), entry.crawl)?.rows,
        attention: attention::of(last_run.as_ref()),
        last_run,
    })
}

fn last_run(data: &Data, entry: &ProjectEntry) -> Result<Option<RunView>, ServiceError> {
    let run = data.wait(data.catalog().last_run(entry.id))?;
    Ok(run.map(|run| view(data, run, entry.project.name.to_string())))
}
