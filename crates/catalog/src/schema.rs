//! The schema, step by step: each migration runs once, in order, in a transaction of its own.

use std::path::Path;

use sqlx::sqlite::SqlitePool;
use sqlx::{AssertSqlSafe, Row};

use crate::CatalogError;

/// What leads from each schema to the next. Steps are added, never changed: files have taken them.
const MIGRATIONS: [&str; 8] = [
    include_str!("../migrations/0001_projects_and_runs.sql"),
    include_str!("../migrations/0002_abandoned_crawls.sql"),
    include_str!("../migrations/0003_rows_kept.sql"),
    include_str!("../migrations/0004_indexes.sql"),
    include_str!("../migrations/0005_access.sql"),
    include_str!("../migrations/0006_runs_go_on.sql"),
    include_str!("../migrations/0007_archives_kept.sql"),
    include_str!("../migrations/0008_runs_with_a_limit.sql"),
];

/// The newest schema.
pub const VERSION: i64 = MIGRATIONS.len() as i64;

/// Tells our files from any other SQLite file: "Gnnt".
const APPLICATION: i64 = 0x476e_6e74;

pub(crate) async fn migrate(pool: &SqlitePool, path: &Path) -> Result<(), CatalogError> {
    let failed = CatalogError::at(path);
    let found = pragma(pool, "PRAGMA user_version").await.map_err(&failed)?;
    let application = pragma(pool, "PRAGMA application_id").await.map_err(&failed)?;
    let tables = pragma(pool, "SELECT count(*) FROM sqlite_schema").await.map_err(&failed)?;
    if application != APPLICATION && tables > 0 {
        return Err(CatalogError::NotACatalog { path: path.to_owned() });
    }
    if found > VERSION {
        return Err(CatalogError::Newer { path: path.to_owned(), found, known: VERSION });
    }
    for (step, sql) in MIGRATIONS.iter().enumerate().skip(usize::try_from(found).unwrap_or(0)) {
        let mut transaction = pool.begin().await.map_err(&failed)?;
        sqlx::raw_sql(*sql).execute(&mut *transaction).await.map_err(&failed)?;
        let mark = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {}", step + 1);
        sqlx::raw_sql(AssertSqlSafe(mark)).execute(&mut *transaction).await.map_err(&failed)?;
        transaction.commit().await.map_err(&failed)?;
    }
    Ok(())
}

async fn pragma(pool: &SqlitePool, sql: &'static str) -> Result<i64, sqlx::Error> {
    sqlx::query(sql).fetch_one(pool).await?.try_get(0)
}
