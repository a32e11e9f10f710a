//! Runs: one execution of a project's crawl each, with how it went.

use std::fmt;
use std::str::FromStr;

use model::{CrawlId, CrawlSettings, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::{Catalog, CatalogError, ProjectId, signed, unsigned};

/// Names a run within the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub i64);

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Not begun.
    New,
    /// At work.
    Running,
    /// Held by a person or a full disk.
    Paused,
    /// Nothing is left to do.
    Completed,
    /// Ended early; what it has is kept and can be gone on with.
    Stopped,
    /// Ended early; what it had is discarded.
    Cancelled,
    /// Could not go on.
    Failed,
}

/// A run as kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its number.
    pub id: RunId,
    /// The project it ran.
    pub project: ProjectId,
    /// The crawl state it worked on.
    pub crawl: CrawlId,
    /// Where it stands.
    pub state: RunState,
    /// Why, where that is worth a word.
    pub reason: Option<String>,
    /// The settings it ran with.
    pub settings: Value,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended; none while it runs, and when nobody saw it end.
    pub ended_at: Option<Timestamp>,
    /// How it went.
    pub summary: Option<Value>,
}

/// A run that the end of its process cut off.
#[derive(Clone, Debug, PartialEq)]
pub struct InterruptedRun {
    /// The run.
    pub run: Run,
    /// What it was doing.
    pub was: RunState,
    /// Pages of the crawl at which it ends, where that is its own limit.
    pub page_limit: Option<u64>,
}

/// What is said of a run whose process died.
pub(crate) const LOST: &str = "process ended unexpectedly";

impl RunState {
    /// Every state.
    pub const ALL: [RunState; 7] = [
        RunState::New,
        RunState::Running,
        RunState::Paused,
        RunState::Completed,
        RunState::Stopped,
        RunState::Cancelled,
        RunState::Failed,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            RunState::New => "new",
            RunState::Running => "running",
            RunState::Paused => "paused",
            RunState::Completed => "completed",
            RunState::Stopped => "stopped",
            RunState::Cancelled => "cancelled",
            RunState::Failed => "failed",
        }
    }

    /// True while a process works on it.
    pub fn is_live(self) -> bool {
        matches!(self, RunState::New | RunState::Running | RunState::Paused)
    }
}

impl FromStr for RunState {
    type Err = String;

    fn from_str(text: &str) -> Result<RunState, String> {
        let known = RunState::ALL.into_iter().find(|state| state.name() == text);
        known.ok_or_else(|| format!("{text:?} is no state of a run"))
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Catalog {
    /// Begins a run of a project on its present crawl state.
    pub async fn begin_run(
        &self,
        project: ProjectId,
        settings: &CrawlSettings,
        now: Timestamp,
    ) -> Result<RunId, CatalogError> {
        self.begin_run_up_to(project, settings, None, now).await
    }

    /// The same of a run that ends when the crawl has so many pages, whatever the project says.
    pub async fn begin_run_up_to(
        &self,
        project: ProjectId,
        settings: &CrawlSettings,
        page_limit: Option<u64>,
        now: Timestamp,
    ) -> Result<RunId, CatalogError> {
        let settings = serde_json::to_string(settings).expect("settings have only text keys");
        // Whatever was interrupted before is gone on with by this run, or given up.
        sqlx::query("UPDATE runs SET interrupted = NULL WHERE project_id = ?")
            .bind(project.0)
            .execute(&self.pool)
            .await
            .map_err(self.failed())?;
        let row = sqlx::query(
            "INSERT INTO runs (project_id, crawl, state, settings, started_at, page_limit)
             SELECT id, crawl, 'running', ?, ?, ? FROM projects WHERE id = ? RETURNING id",
        )
        .bind(settings)
        .bind(signed(now.0))
        .bind(page_limit.map(signed))
        .bind(project.0)
        .fetch_optional(&self.pool)
        .await
        .map_err(self.failed())?;
        let row = row.ok_or(CatalogError::NoProject(project.0))?;
        Ok(RunId(row.try_get(0).map_err(self.failed())?))
    }

    /// Says where a run stands.
    pub async fn set_state(
        &self,
        run: RunId,
        state: RunState,
        reason: Option<&str>,
    ) -> Result<(), CatalogError> {
        let done = sqlx::query("UPDATE runs SET state = ?, reason = ? WHERE id = ?")
            .bind(state.name())
            .bind(reason)
            .bind(run.0)
            .execute(&self.pool)
            .await
            .map_err(self.failed())?;
        if done.rows_affected() == 0 { Err(CatalogError::NoRun(run.0)) } else { Ok(()) }
    }

    /// Says that a run at work is held, or goes on; one that has ended stays as it is.
    pub async fn hold_run(&self, run: RunId, held: bool) -> Result<(), CatalogError> {
        let state = if held { RunState::Paused } else { RunState::Running };
        sqlx::query("UPDATE runs SET state = ? WHERE id = ? AND state IN ('running', 'paused')")
            .bind(state.name())
            .bind(run.0)
            .execute(&self.pool)
            .await
            .map_err(self.failed())?;
        Ok(())
    }

    /// Ends a run.
    pub async fn end_run(
        &self,
        run: RunId,
        state: RunState,
        reason: Option<&str>,
        summary: &Value,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        let done =
            sqlx::query("UPDATE runs SET state = ?, reason = ?, summary = ?, ended_at = ? WHERE id = ?")
                .bind(state.name())
                .bind(reason)
                .bind(summary.to_string())
                .bind(signed(now.0))
                .bind(run.0)
                .execute(&self.pool)
                .await
                .map_err(self.failed())?;
        if done.rows_affected() == 0 { Err(CatalogError::NoRun(run.0)) } else { Ok(()) }
    }

    /// An ended run was cut off by the end of its process, while it was in this state: it can be gone on with.
    pub async fn interrupt_run(&self, run: RunId, was: RunState) -> Result<(), CatalogError> {
        sqlx::query("UPDATE runs SET interrupted = ? WHERE id = ?")
            .bind(was.name())
            .bind(run.0)
            .execute(&self.pool)
            .await
            .map_err(self.failed())?;
        Ok(())
    }

    /// Runs that the end of their process cut off; each the latest of its project.
    pub async fn interrupted_runs(&self) -> Result<Vec<InterruptedRun>, CatalogError> {
        let rows = sqlx::query(
            "SELECT id, project_id, crawl, state, reason, settings, started_at, ended_at, summary, interrupted,
             page_limit
             FROM runs WHERE interrupted IS NOT NULL
             AND id = (SELECT max(later.id) FROM runs AS later WHERE later.project_id = runs.project_id)
             AND crawl = (SELECT crawl FROM projects WHERE projects.id = runs.project_id)
             ORDER BY id",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(self.failed())?;
        let interrupted = |row: &SqliteRow| {
            let was: String = row.try_get("interrupted").map_err(self.failed())?;
            let limit: Option<i64> = row.try_get("page_limit").map_err(self.failed())?;
            Ok(InterruptedRun {
                run: self.run_of(row)?,
                was: was.parse().map_err(|error: String| self.damaged(error))?,
                page_limit: limit.map(|limit| unsigned(self, "page_limit", limit)).transpose()?,
            })
        };
        rows.iter().map(interrupted).collect()
    }

    /// An ended run goes on.
    pub async fn continue_run(&self, run: RunId) -> Result<(), CatalogError> {
        let done = sqlx::query(
            "UPDATE runs SET state = 'running', reason = NULL, ended_at = NULL, summary = NULL, interrupted = NULL
             WHERE id = ?",
        )
        .bind(run.0)
        .execute(&self.pool)
        .await
        .map_err(self.failed())?;
        if done.rows_affected() == 0 { Err(CatalogError::NoRun(run.0)) } else { Ok(()) }
    }

    /// Runs of all projects with a number below `before`, latest first; with one of these states, unless there are none.
    pub async fn runs_before(
        &self,
        before: Option<RunId>,
        states: &[RunState],
        limit: u32,
    ) -> Result<Vec<Run>, CatalogError> {
        let states: Vec<String> = states.iter().map(|state| state.name().to_owned()).collect();
        let rows = sqlx::query(
            "SELECT id, project_id, crawl, state, reason, settings, started_at, ended_at, summary FROM runs
             WHERE id < ? AND (? = '' OR instr(?, ',' || state || ',') > 0) ORDER BY id DESC LIMIT ?",
        )
        .bind(before.map_or(i64::MAX, |run| run.0))
        .bind(states.join(","))
        .bind(format!(",{},", states.join(",")))
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await
        .map_err(self.failed())?;
        rows.iter().map(|row| self.run_of(row)).collect()
    }

    /// The run of this number.
    pub async fn run(&self, id: RunId) -> Result<Option<Run>, CatalogError> {
        let row = sqlx::query(
            "SELECT id, project_id, crawl, state, reason, settings, started_at, ended_at, summary
             FROM runs WHERE id = ?",
        )
        .bind(id.0)
        .fetch_optional(&self.pool)
        .await
        .map_err(self.failed())?;
        row.map(|row| self.run_of(&row)).transpose()
    }

    /// The latest run of a project.
    pub async fn last_run(&self, project: ProjectId) -> Result<Option<Run>, CatalogError> {
        let row = sqlx::query(
            "SELECT id, project_id, crawl, state, reason, settings, started_at, ended_at, summary
             FROM runs WHERE project_id = ? ORDER BY id DESC LIMIT 1",
        )
        .bind(project.0)
        .fetch_optional(&self.pool)
        .await
        .map_err(self.failed())?;
        row.map(|row| self.run_of(&row)).transpose()
    }

    /// The runs of a project, latest first.
    pub async fn runs_of(&self, project: ProjectId) -> Result<Vec<Run>, CatalogError> {
        let rows = sqlx::query(
            "SELECT id, project_id, crawl, state, reason, settings, started_at, ended_at, summary
             FROM runs WHERE project_id = ? ORDER BY id DESC",
        )
        .bind(project.0)
        .fetch_all(&self.pool)
        .await
        .map_err(self.failed())?;
        rows.iter().map(|row| self.run_of(row)).collect()
    }

    /// No process works on any run when the catalog is opened, whatever a dead one wrote.
    pub(crate) async fn end_lost_runs(&self) -> Result<u64, CatalogError> {
        let done = sqlx::query(
            "UPDATE runs SET interrupted = state, state = 'stopped', reason = ?
             WHERE state IN ('new', 'running', 'paused')",
        )
        .bind(LOST)
        .execute(&self.pool)
        .await
        .map_err(self.failed())?;
        Ok(done.rows_affected())
    }

    fn run_of(&self, row: &SqliteRow) -> Result<Run, CatalogError> {
        let number = |column: &str| row.try_get::<i64, _>(column).map_err(self.failed());
        let text = |column: &str| row.try_get::<Option<String>, _>(column).map_err(self.failed());
        let json = |column: &str| match text(column)? {
            None => Ok(None),
            Some(json) => serde_json::from_str::<Value>(&json)
                .map(Some)
                .map_err(|error| self.damaged(format!("{column} of a run cannot be read: {error}"))),
        };
        let ended: Option<i64> = row.try_get("ended_at").map_err(self.failed())?;
        let state = text("state")?.unwrap_or_default();
        Ok(Run {
            id: RunId(number("id")?),
            project: ProjectId(number("project_id")?),
            crawl: CrawlId(unsigned(self, "crawl", number("crawl")?)?),
            state: state.parse().map_err(|error: String| self.damaged(error))?,
            reason: text("reason")?,
            settings: json("settings")?.unwrap_or_default(),
            started_at: Timestamp(unsigned(self, "started_at", number("started_at")?)?),
            ended_at: ended.map(|at| unsigned(self, "ended_at", at).map(Timestamp)).transpose()?,
            summary: json("summary")?,
        })
    }
}
