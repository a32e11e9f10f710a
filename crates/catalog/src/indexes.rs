//! Indexes: a name and settings, as text that only the search understands.

use model::Timestamp;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::{Catalog, CatalogError, signed, unsigned};

/// An index as kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// Its name.
    pub name: String,
    /// Its settings, in JSON.
    pub settings: String,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Catalog {
    /// Every index, by name.
    pub async fn indexes(&self) -> Result<Vec<IndexEntry>, CatalogError> {
        let rows = sqlx::query("SELECT name, settings, created_at FROM indexes ORDER BY name")
            .fetch_all(&self.pool)
            .await
            .map_err(self.failed())?;
        rows.iter().map(|row| self.index_of(row)).collect()
    }

    /// Keeps an index; a known name gets new settings.
    pub async fn upsert_index(&self, name: &str, settings: &str, now: Timestamp) -> Result<(), CatalogError> {
        sqlx::query(
            "INSERT INTO indexes (name, settings, created_at) VALUES (?, ?, ?)
             ON CONFLICT (name) DO UPDATE SET settings = excluded.settings",
        )
        .bind(name)
        .bind(settings)
        .bind(signed(now.0))
        .execute(&self.pool)
        .await
        .map_err(self.failed())?;
        Ok(())
    }

    /// Forgets an index; false when there was none.
    pub async fn drop_index(&self, name: &str) -> Result<bool, CatalogError> {
        let done = sqlx::query("DELETE FROM indexes WHERE name = ?")
            .bind(name)
            .execute(&self.pool)
            .await
            .map_err(self.failed())?;
        Ok(done.rows_affected() > 0)
    }

    fn index_of(&self, row: &SqliteRow) -> Result<IndexEntry, CatalogError> {
        Ok(IndexEntry {
            name: row.try_get("name").map_err(self.failed())?,
            settings: row.try_get("settings").map_err(self.failed())?,
            created_at: Timestamp(unsigned(
                self,
                "created_at",
                row.try_get("created_at").map_err(self.failed())?,
            )?),
        })
    }
}
