//! Pages as one SQLite file: table `pages(id, url, fetched_at, status, data, …)`, readable by anything that
//! speaks SQL.

use std::path::Path;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::{Cell, ExportError, FileTarget, PageRow};

/// Rows and bytes of one transaction.
const BATCH_ROWS: u64 = 1_000;
const BATCH_BYTES: usize = 16 * 1024 * 1024;

const CREATE: &str = "CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    fetched_at TEXT,
    status INTEGER,
    data BLOB,
    outcome TEXT NOT NULL,
    detail TEXT NOT NULL,
    depth INTEGER NOT NULL,
    millis INTEGER,
    content_type TEXT,
    bytes INTEGER,
    title TEXT,
    via TEXT,
    location TEXT
)";

const INSERT: &str = "INSERT INTO pages
    (url, outcome, detail, status, depth, fetched_at, millis, content_type, bytes, title, via, location, data)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// Writes pages to a SQLite file.
pub struct SqlitePages {
    // Before the target, so that a dropped export closes its connection before the file is removed.
    connection: SqliteConnection,
    target: FileTarget,
    rows: u64,
    batch_rows: u64,
    batch_bytes: usize,
}

impl SqlitePages {
    /// Begins the file `path`; one that exists is replaced, at the end, only with `force`.
    pub async fn create(path: &Path, force: bool) -> Result<SqlitePages, ExportError> {
        let target = FileTarget::create(path, force)?;
        // No journal and no syncs: until it has its name, the file is worth nothing to anyone.
        let options = SqliteConnectOptions::new()
            .filename(target.part())
            .journal_mode(SqliteJournalMode::Off)
            .synchronous(SqliteSynchronous::Off);
        let connection = options.connect().await.map_err(ExportError::sqlite(path))?;
        let mut pages = SqlitePages { connection, target, rows: 0, batch_rows: 0, batch_bytes: 0 };
        pages.execute(CREATE).await?;
        pages.execute("BEGIN").await?;
        Ok(pages)
    }

    /// Writes one row; `data` is the page itself, its content coding undone.
    pub async fn push(&mut self, row: &PageRow, data: Option<&[u8]>) -> Result<(), ExportError> {
        let mut query = sqlx::query(INSERT);
        for cell in row.cells() {
            query = match cell {
                Cell::Empty => query.bind(None::<i64>),
                Cell::Text(text) => query.bind(text.into_owned()),
                Cell::Integer(number) => query.bind(number),
                Cell::Number(number) => query.bind(number),
                Cell::Flag(flag) => query.bind(flag),
            };
        }
        let result = query.bind(data).execute(&mut self.connection).await;
        result.map_err(ExportError::sqlite(self.target.part()))?;
        self.rows += 1;
        self.batch_rows += 1;
        self.batch_bytes += data.map_or(0, <[u8]>::len);
        if self.batch_rows >= BATCH_ROWS || self.batch_bytes >= BATCH_BYTES {
            (self.batch_rows, self.batch_bytes) = (0, 0);
            self.execute("COMMIT").await?;
            self.execute("BEGIN").await?;
        }
        Ok(())
    }

    /// Ends the file and gives it its name. Returns the number of rows.
    pub async fn finish(mut self) -> Result<u64, ExportError> {
        self.execute("COMMIT").await?;
        self.execute("CREATE INDEX pages_url ON pages (url)").await?;
        let SqlitePages { connection, target, rows, .. } = self;
        connection.close().await.map_err(ExportError::sqlite(target.part()))?;
        target.commit()?;
        Ok(rows)
    }

    async fn execute(&mut self, statement: &'static str) -> Result<(), ExportError> {
        let result = sqlx::query(statement).execute(&mut self.connection).await;
        result.map(drop).map_err(ExportError::sqlite(self.target.part()))
    }
}
