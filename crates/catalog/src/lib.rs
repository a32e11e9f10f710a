//! What people want: projects, their runs and indexes, and who may ask; in one SQLite file.
//!
//! What happened (pages, links, clocks) is in the crawl's own store; no fact is in both. Who may open the
//! file is decided elsewhere: one process owns a data directory.

mod access;
mod error;
mod indexes;
mod projects;
mod runs;
mod schema;

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

pub use access::{AccessHash, Token};
pub use error::CatalogError;
pub use indexes::IndexEntry;
pub use projects::{AbandonedCrawl, ProjectEntry, ProjectId};
pub use runs::{InterruptedRun, Run, RunId, RunState};
pub use schema::VERSION;

/// Readers at once; SQLite has one writer whatever the number.
const CONNECTIONS: u32 = 4;

/// How long to wait for somebody else's lock, as a backup tool holds it.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// A handle to the file; cheap to clone.
#[derive(Clone)]
pub struct Catalog {
    pool: SqlitePool,
    path: PathBuf,
}

impl Catalog {
    /// Opens the catalog, which is created if need be. Only for the owner of the data directory: runs that a
    /// dead process left behind are ended here.
    pub async fn open(path: &Path) -> Result<Catalog, CatalogError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .foreign_keys(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(LOCK_WAIT);
        let pool = SqlitePoolOptions::new()
            .max_connections(CONNECTIONS)
            .connect_with(options)
            .await
            .map_err(CatalogError::at(path))?;
        let catalog = Catalog { pool, path: path.to_owned() };
        schema::migrate(&catalog.pool, path).await?;
        catalog.end_lost_runs().await?;
        Ok(catalog)
    }

    /// Closes the file; what was written is durable already.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    fn failed(&self) -> impl Fn(sqlx::Error) -> CatalogError + use<'_> {
        CatalogError::at(&self.path)
    }

    fn damaged(&self, what: impl Into<String>) -> CatalogError {
        CatalogError::Damaged { path: self.path.clone(), what: what.into() }
    }
}

/// SQLite's numbers are signed; ours are small enough, but a damaged file may hold any.
fn unsigned<T: TryFrom<i64>>(catalog: &Catalog, column: &str, value: i64) -> Result<T, CatalogError> {
    T::try_from(value).map_err(|_| catalog.damaged(format!("{column} is {value}")))
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
