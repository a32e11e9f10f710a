//! Pages or rows as one SQLite file, readable by anything that speaks SQL: table
//! `pages(id, url, fetched_at, status, data, …)`, or table `rows` with a column per field.

use std::collections::HashSet;
use std::path::Path;

use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Sqlite, SqliteConnection};

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
    file: SqliteFile,
}

impl SqlitePages {
    /// Begins the file `path`; one that exists is replaced, at the end, only with `force`.
    pub async fn create(path: &Path, force: bool) -> Result<SqlitePages, ExportError> {
        Ok(SqlitePages { file: SqliteFile::create(path, force, CREATE, INSERT.to_owned()).await? })
    }

    /// Writes one row; `data` is the page itself, its content coding undone.
    pub async fn push(&mut self, row: &PageRow, data: Option<&[u8]>) -> Result<(), ExportError> {
        self.file.push(&row.cells(), Some(data)).await
    }

    /// Ends the file and gives it its name. Returns the number of rows.
    pub async fn finish(mut self) -> Result<u64, ExportError> {
        self.file.execute("COMMIT").await?;
        self.file.execute("CREATE INDEX pages_url ON pages (url)").await?;
        self.file.finish().await
    }
}

/// Writes rows to a SQLite file. Columns have no type, so that every value keeps its own; a list is JSON.
pub struct SqliteRows {
    file: SqliteFile,
    columns: usize,
}

impl SqliteRows {
    /// Begins the file `path`; one that exists is replaced, at the end, only with `force`.
    pub async fn create(path: &Path, force: bool, columns: &[&str]) -> Result<SqliteRows, ExportError> {
        let names: Vec<_> = distinct(columns).iter().map(|name| quoted(name)).collect();
        let create = format!("CREATE TABLE rows ({})", names.join(", "));
        let insert = format!("INSERT INTO rows VALUES ({})", vec!["?"; columns.len()].join(", "));
        let file = SqliteFile::create(path, force, &create, insert).await?;
        Ok(SqliteRows { file, columns: columns.len() })
    }

    /// Writes one row; cells that are missing are null, cells without a column are left out.
    pub async fn push(&mut self, cells: &[Cell<'_>]) -> Result<(), ExportError> {
        let mut cells = cells.to_vec();
        cells.resize(self.columns, Cell::Empty);
        self.file.push(&cells, None).await
    }

    /// Ends the file and gives it its name. Returns the number of rows.
    pub async fn finish(mut self) -> Result<u64, ExportError> {
        self.file.execute("COMMIT").await?;
        self.file.finish().await
    }
}

/// SQLite takes `Price` and `price` for one column; the second gets a number.
fn distinct(columns: &[&str]) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut names = Vec::new();
    for column in columns {
        let numbered = (2..).map(|number| format!("{column}_{number}"));
        let free = std::iter::once((*column).to_owned()).chain(numbered);
        let name = free.into_iter().find(|name| taken.insert(name.to_lowercase()));
        names.push(name.expect("numbers do not end"));
    }
    names
}

fn quoted(name: &str) -> String {
    // A NUL would end the statement.
    format!("\"{}\"", name.replace('\0', "").replace('"', "\"\""))
}

/// A file with one table, filled in transactions of bounded size.
struct SqliteFile {
    // Before the target, so that a dropped export closes its connection before the file is removed.
    connection: SqliteConnection,
    target: FileTarget,
    insert: String,
    rows: u64,
    batch_rows: u64,
    batch_bytes: usize,
}

impl SqliteFile {
    async fn create(
        path: &Path,
        force: bool,
        create: &str,
        insert: String,
    ) -> Result<SqliteFile, ExportError> {
        let target = FileTarget::create(path, force)?;
        // No journal and no syncs: until it has its name, the file is worth nothing to anyone.
        let options = SqliteConnectOptions::new()
            .filename(target.part())
            .journal_mode(SqliteJournalMode::Off)
            .synchronous(SqliteSynchronous::Off);
        let connection = options.connect().await.map_err(ExportError::sqlite(path))?;
        let mut file = SqliteFile { connection, target, insert, rows: 0, batch_rows: 0, batch_bytes: 0 };
        file.execute(create).await?;
        file.execute("BEGIN").await?;
        Ok(file)
    }

    async fn push(&mut self, cells: &[Cell<'_>], data: Option<Option<&[u8]>>) -> Result<(), ExportError> {
        // Made of our own words and of names that are quoted.
        let mut query = sqlx::query(AssertSqlSafe(self.insert.clone()));
        for cell in cells {
            self.batch_bytes += cell.text().map_or(0, |text| text.len());
            query = bind(query, cell)?;
        }
        if let Some(data) = data {
            self.batch_bytes += data.map_or(0, <[u8]>::len);
            query = query.bind(data.map(<[u8]>::to_vec));
        }
        let result = query.execute(&mut self.connection).await;
        result.map_err(ExportError::sqlite(self.target.part()))?;
        self.rows += 1;
        self.batch_rows += 1;
        if self.batch_rows >= BATCH_ROWS || self.batch_bytes >= BATCH_BYTES {
            (self.batch_rows, self.batch_bytes) = (0, 0);
            self.execute("COMMIT").await?;
            self.execute("BEGIN").await?;
        }
        Ok(())
    }

    async fn finish(self) -> Result<u64, ExportError> {
        let SqliteFile { connection, target, rows, .. } = self;
        connection.close().await.map_err(ExportError::sqlite(target.part()))?;
        target.commit()?;
        Ok(rows)
    }

    async fn execute(&mut self, statement: &str) -> Result<(), ExportError> {
        let statement = AssertSqlSafe(statement.to_owned());
        let result = sqlx::query(statement).execute(&mut self.connection).await;
        result.map(drop).map_err(ExportError::sqlite(self.target.part()))
    }
}

type Query<'q> = sqlx::query::Query<'q, Sqlite, SqliteArguments>;

fn bind<'q>(query: Query<'q>, cell: &Cell<'_>) -> Result<Query<'q>, ExportError> {
    Ok(match cell {
        Cell::Empty => query.bind(None::<i64>),
        Cell::Text(text) => query.bind(text.clone().into_owned()),
        Cell::Integer(number) => query.bind(*number),
        Cell::Number(number) => query.bind(*number),
        Cell::Flag(flag) => query.bind(*flag),
        many @ (Cell::List(_) | Cell::Json(_)) => query.bind(serde_json::to_string(many)?),
    })
}
