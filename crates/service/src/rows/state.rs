//! Which rows are meant: a project's as they stand, or as they stood after one of its runs.

use archive::rows::{ROW_RUNS, ROWS};
use catalog::{ProjectEntry, Run, RunId, RunState};
use kv::{Reader, Snapshot};
use model::{CrawlId, CrawlSettings, ProjectName};

use super::listing::State;
use crate::{Data, ServiceError};

/// A project or run, found.
pub(crate) struct Asked {
    pub(crate) entry: ProjectEntry,
    /// The run whose rows these are; none if the project never ran.
    pub(crate) run: Option<Run>,
    pub(crate) state: State,
}

impl Asked {
    /// The project of this name, the run of this number, or the project that ran last.
    pub(crate) fn find(data: &Data, snapshot: &Snapshot, of: Option<&str>) -> Result<Asked, ServiceError> {
        let projects = data.projects()?;
        let named = |name: &str| projects.iter().any(|entry| entry.project.name.as_str() == name);
        if let Some(number) = of.filter(|name| !named(name)).and_then(|name| name.parse::<i64>().ok()) {
            let run = data.wait(data.catalog().run(RunId(number)))?;
            let run = run.ok_or(ServiceError::UnknownRun(number))?;
            let entry = projects.into_iter().find(|entry| entry.id == run.project);
            let entry = entry.ok_or(ServiceError::UnknownRun(number))?;
            let is_gone = run.crawl != entry.crawl && !has_rows(snapshot, run.crawl)?;
            if is_gone || run.state == RunState::Cancelled {
                return Err(ServiceError::RowsDropped(number));
            }
            let state = state_after(snapshot, &run)?;
            return Ok(Asked { entry, run: Some(run), state });
        }
        let name = of.map(str::parse::<ProjectName>).transpose();
        let name = name.map_err(|_| ServiceError::NoSuchRows(of.unwrap_or_default().to_owned()))?;
        let entry = data.project(name.as_ref())?;
        let run = data.wait(data.catalog().runs_of(entry.id))?.into_iter().next();
        let normalise = entry.project.crawl.normalise();
        let state = State { crawl: entry.crawl, end: u64::MAX, normalise };
        Ok(Asked { run: run.filter(|run| run.crawl == entry.crawl), entry, state })
    }
}

/// What the rows of a run are compared with: the latest run before it that came to its end, or that an earlier start
/// over left behind. A run that merely goes on with an earlier one is compared with what that one would have been.
pub(crate) fn base_of(
    data: &Data,
    snapshot: &Snapshot,
    asked: &Asked,
) -> Result<Option<State>, ServiceError> {
    let Some(run) = &asked.run else { return Ok(None) };
    for earlier in data.wait(data.catalog().runs_of(asked.entry.id))? {
        let ended = earlier.crawl != run.crawl || earlier.state == RunState::Completed;
        if earlier.id >= run.id || !ended || earlier.state == RunState::Cancelled {
            continue;
        }
        if has_rows(snapshot, earlier.crawl)? {
            return state_after(snapshot, &earlier).map(Some);
        }
    }
    Ok(None)
}

pub(crate) fn has_rows(snapshot: &Snapshot, crawl: CrawlId) -> Result<bool, ServiceError> {
    Ok(snapshot.prefix(&ROWS, &crawl.0).keys().next().transpose()?.is_some())
}

/// The rows as they stood when a run had ended: before the first record of the next run on the same crawl.
pub(crate) fn state_after(snapshot: &Snapshot, run: &Run) -> Result<State, ServiceError> {
    let next = (run.crawl.0, run.id.0.unsigned_abs() + 1)..=(run.crawl.0, u64::MAX);
    let next = snapshot.range(&ROW_RUNS, next).next().transpose()?;
    let settings: CrawlSettings = serde_json::from_value(run.settings.clone()).unwrap_or_default();
    Ok(State {
        crawl: run.crawl,
        end: next.map_or(u64::MAX, |(_, first)| first),
        normalise: settings.normalise(),
    })
}
