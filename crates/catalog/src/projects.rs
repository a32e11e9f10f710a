//! Projects: a name, a definition, and the number of the crawl state they work on.

use model::{CrawlId, Project, ProjectName, Timestamp};
use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use crate::{Catalog, CatalogError, signed, unsigned};

/// Names a project within the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProjectId(pub i64);

/// A project as kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectEntry {
    /// Its number.
    pub id: ProjectId,
    /// The crawl state it works on now.
    pub crawl: CrawlId,
    /// Its definition.
    pub project: Project,
    /// When it was first met.
    pub created_at: Timestamp,
}

/// A crawl that its project started over from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbandonedCrawl {
    /// Its number.
    pub crawl: CrawlId,
    /// Its rows stay, to compare later ones with.
    pub keeps_rows: bool,
    /// Its WARC files stay.
    pub keeps_archive: bool,
}

impl Catalog {
    /// The project of this name.
    pub async fn project_by_name(&self, name: &ProjectName) -> Result<Option<ProjectEntry>, CatalogError> {
        let row = sqlx::query("SELECT id, crawl, definition, created_at FROM projects WHERE name = ?")
            .bind(name.as_str())
            .fetch_optional(&self.pool)
            .await
            .map_err(self.failed())?;
        row.map(|row| self.project_of(&row)).transpose()
    }

    /// The project of this number.
    pub async fn project_by_id(&self, id: ProjectId) -> Result<Option<ProjectEntry>, CatalogError> {
        let row = sqlx::query("SELECT id, crawl, definition, created_at FROM projects WHERE id = ?")
            .bind(id.0)
            .fetch_optional(&self.pool)
            .await
            .map_err(self.failed())?;
        row.map(|row| self.project_of(&row)).transpose()
    }

    /// Every project; the one that ran last comes first.
    pub async fn projects(&self) -> Result<Vec<ProjectEntry>, CatalogError> {
        let rows = sqlx::query(
            "SELECT id, crawl, definition, created_at FROM projects
             ORDER BY (SELECT max(runs.id) FROM runs WHERE runs.project_id = projects.id) DESC NULLS LAST, id DESC",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(self.failed())?;
        rows.iter().map(|row| self.project_of(row)).collect()
    }

    /// Keeps a project: a new name gets a crawl number of its own, a known one a new definition.
    pub async fn upsert_project(
        &self,
        project: &Project,
        now: Timestamp,
    ) -> Result<ProjectEntry, CatalogError> {
        let definition = serde_json::to_string(project).expect("a project has only text keys");
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await.map_err(self.failed())?;
        let known = sqlx::query("UPDATE projects SET definition = ? WHERE name = ?")
            .bind(&definition)
            .bind(project.name.as_str())
            .execute(&mut *transaction)
            .await
            .map_err(self.failed())?;
        if known.rows_affected() == 0 {
            let crawl = self.next_crawl(&mut transaction).await?;
            sqlx::query("INSERT INTO projects (name, crawl, definition, created_at) VALUES (?, ?, ?, ?)")
                .bind(project.name.as_str())
                .bind(i64::from(crawl.0))
                .bind(&definition)
                .bind(signed(now.0))
                .execute(&mut *transaction)
                .await
                .map_err(self.failed())?;
        }
        transaction.commit().await.map_err(self.failed())?;
        let entry = self.project_by_name(&project.name).await?;
        entry.ok_or_else(|| self.damaged(format!("project {} was kept and is not there", project.name)))
    }

    /// Keeps a new project; false when its name is taken.
    pub async fn insert_project(&self, project: &Project, now: Timestamp) -> Result<bool, CatalogError> {
        let definition = serde_json::to_string(project).expect("a project has only text keys");
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await.map_err(self.failed())?;
        let crawl = self.next_crawl(&mut transaction).await?;
        let done = sqlx::query(
            "INSERT OR IGNORE INTO projects (name, crawl, definition, created_at) VALUES (?, ?, ?, ?)",
        )
        .bind(project.name.as_str())
        .bind(i64::from(crawl.0))
        .bind(&definition)
        .bind(signed(now.0))
        .execute(&mut *transaction)
        .await
        .map_err(self.failed())?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        transaction.commit().await.map_err(self.failed())?;
        Ok(true)
    }

    /// Gives a project another definition, and another name if that has one. False when it is not any more as it was
    /// `before`, or when the new name is taken.
    pub async fn replace_project(
        &self,
        id: ProjectId,
        before: &Project,
        after: &Project,
    ) -> Result<bool, CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await.map_err(self.failed())?;
        let row = sqlx::query("SELECT id, crawl, definition, created_at FROM projects WHERE id = ?")
            .bind(id.0)
            .fetch_optional(&mut *transaction)
            .await
            .map_err(self.failed())?;
        let found = row.map(|row| self.project_of(&row)).transpose()?;
        if found.is_none_or(|found| found.project != *before) {
            return Ok(false);
        }
        let definition = serde_json::to_string(after).expect("a project has only text keys");
        let done = sqlx::query("UPDATE OR IGNORE projects SET name = ?, definition = ? WHERE id = ?")
            .bind(after.name.as_str())
            .bind(&definition)
            .bind(id.0)
            .execute(&mut *transaction)
            .await
            .map_err(self.failed())?;
        transaction.commit().await.map_err(self.failed())?;
        Ok(done.rows_affected() > 0)
    }

    /// Forgets a project and its runs. All its crawls are abandoned, with or without their archives.
    pub async fn delete_project(&self, id: ProjectId, keeps_archive: bool) -> Result<(), CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await.map_err(self.failed())?;
        sqlx::query(
            "INSERT INTO abandoned_crawls (crawl, keeps_rows, keeps_archive)
             SELECT crawl, 0, ?1 FROM projects WHERE id = ?2
             UNION SELECT crawl, 0, ?1 FROM runs WHERE project_id = ?2
             ON CONFLICT (crawl) DO UPDATE SET keeps_rows = 0",
        )
        .bind(keeps_archive)
        .bind(id.0)
        .execute(&mut *transaction)
        .await
        .map_err(self.failed())?;
        for sql in ["DELETE FROM runs WHERE project_id = ?", "DELETE FROM projects WHERE id = ?"] {
            sqlx::query(sql).bind(id.0).execute(&mut *transaction).await.map_err(self.failed())?;
        }
        transaction.commit().await.map_err(self.failed())?;
        Ok(())
    }

    /// Starts a project over: from now on it works on a crawl state that nobody has used before. The one it
    /// leaves is abandoned, with or without its rows.
    pub async fn fresh_crawl(&self, id: ProjectId, keeps_rows: bool) -> Result<CrawlId, CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await.map_err(self.failed())?;
        sqlx::query(
            "INSERT INTO abandoned_crawls (crawl, keeps_rows) SELECT crawl, ? FROM projects WHERE id = ?",
        )
        .bind(keeps_rows)
        .bind(id.0)
        .execute(&mut *transaction)
        .await
        .map_err(self.failed())?;
        let crawl = self.next_crawl(&mut transaction).await?;
        let done = sqlx::query("UPDATE projects SET crawl = ? WHERE id = ?")
            .bind(i64::from(crawl.0))
            .bind(id.0)
            .execute(&mut *transaction)
            .await
            .map_err(self.failed())?;
        if done.rows_affected() == 0 {
            return Err(CatalogError::NoProject(id.0));
        }
        transaction.commit().await.map_err(self.failed())?;
        Ok(crawl)
    }

    /// Gives a crawl that the catalog does not know to a project it does not know, as when the catalog was
    /// lost. False when either is taken.
    pub async fn adopt_crawl(
        &self,
        project: &Project,
        crawl: CrawlId,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        let definition = serde_json::to_string(project).expect("a project has only text keys");
        let done = sqlx::query(
            "INSERT OR IGNORE INTO projects (name, crawl, definition, created_at) VALUES (?, ?, ?, ?)",
        )
        .bind(project.name.as_str())
        .bind(i64::from(crawl.0))
        .bind(&definition)
        .bind(signed(now.0))
        .execute(&self.pool)
        .await
        .map_err(self.failed())?;
        self.reserve_crawls(crawl).await?;
        Ok(done.rows_affected() > 0)
    }

    /// Crawls that their project started over from and that have not been dropped yet.
    pub async fn abandoned_crawls(&self) -> Result<Vec<AbandonedCrawl>, CatalogError> {
        let rows =
            sqlx::query("SELECT crawl, keeps_rows, keeps_archive FROM abandoned_crawls ORDER BY crawl")
                .fetch_all(&self.pool)
                .await
                .map_err(self.failed())?;
        let abandoned = |row: &SqliteRow| {
            let crawl = row.try_get::<i64, _>(0).map_err(self.failed())?;
            let keeps_rows = row.try_get(1).map_err(self.failed())?;
            let keeps_archive = row.try_get(2).map_err(self.failed())?;
            Ok(AbandonedCrawl { crawl: CrawlId(unsigned(self, "crawl", crawl)?), keeps_rows, keeps_archive })
        };
        rows.iter().map(abandoned).collect()
    }

    /// An abandoned crawl is dropped: nothing of it is left.
    pub async fn crawl_dropped(&self, crawl: CrawlId) -> Result<(), CatalogError> {
        sqlx::query("DELETE FROM abandoned_crawls WHERE crawl = ?")
            .bind(i64::from(crawl.0))
            .execute(&self.pool)
            .await
            .map_err(self.failed())?;
        Ok(())
    }

    /// Makes sure that no crawl number up to this one is given out, as when an archive of that number is
    /// found beside a catalog that does not know it.
    pub async fn reserve_crawls(&self, up_to: CrawlId) -> Result<(), CatalogError> {
        sqlx::query("UPDATE sequences SET last = max(last, ?) WHERE name = 'crawl'")
            .bind(i64::from(up_to.0))
            .execute(&self.pool)
            .await
            .map_err(self.failed())?;
        Ok(())
    }

    async fn next_crawl(&self, connection: &mut SqliteConnection) -> Result<CrawlId, CatalogError> {
        let row = sqlx::query("UPDATE sequences SET last = last + 1 WHERE name = 'crawl' RETURNING last")
            .fetch_one(connection)
            .await
            .map_err(self.failed())?;
        Ok(CrawlId(unsigned(self, "the crawl number", row.try_get(0).map_err(self.failed())?)?))
    }

    fn project_of(&self, row: &SqliteRow) -> Result<ProjectEntry, CatalogError> {
        let number = |column: &str| row.try_get::<i64, _>(column).map_err(self.failed());
        let definition: String = row.try_get("definition").map_err(self.failed())?;
        let id = number("id")?;
        let project = serde_json::from_str(&definition).map_err(|error| {
            self.damaged(format!("the definition of project {id} cannot be read: {error}"))
        })?;
        Ok(ProjectEntry {
            id: ProjectId(id),
            crawl: CrawlId(unsigned(self, "crawl", number("crawl")?)?),
            project,
            created_at: Timestamp(unsigned(self, "created_at", number("created_at")?)?),
        })
    }
}
