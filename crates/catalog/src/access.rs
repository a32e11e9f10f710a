//! Who may speak to the server: sessions of browsers and tokens of programs, known by their hashes only.
//!
//! Making secrets, hashing them and deciding what they allow is left to the server.

use model::Timestamp;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::{Catalog, CatalogError, signed, unsigned};

/// The hash of a secret.
pub type AccessHash = [u8; 32];

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its number.
    pub id: i64,
    /// What people call it.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last shown, within a minute.
    pub used_at: Option<Timestamp>,
    /// When it ends to be good; never unless said.
    pub expires_at: Option<Timestamp>,
}

impl Catalog {
    /// Keeps a session. Those that have ended are forgotten.
    pub async fn add_session(
        &self,
        hash: &AccessHash,
        now: Timestamp,
        expires: Timestamp,
    ) -> Result<(), CatalogError> {
        sqlx::query("DELETE FROM sessions WHERE expires_at <= ?")
            .bind(signed(now.0))
            .execute(&self.pool)
            .await
            .map_err(self.failed())?;
        sqlx::query("INSERT INTO sessions (hash, created_at, used_at, expires_at) VALUES (?, ?, ?, ?)")
            .bind(&hash[..])
            .bind(signed(now.0))
            .bind(signed(now.0))
            .bind(signed(expires.0))
            .execute(&self.pool)
            .await
            .map_err(self.failed())?;
        Ok(())
    }

    /// Whether a session of this hash is good.
    pub async fn knows_session(&self, hash: &AccessHash, now: Timestamp) -> Result<bool, CatalogError> {
        let found = sqlx::query("SELECT 1 FROM sessions WHERE hash = ? AND expires_at > ?")
            .bind(&hash[..])
            .bind(signed(now.0))
            .fetch_optional(&self.pool)
            .await
            .map_err(self.failed())?;
        Ok(found.is_some())
    }

    /// Ends a session.
    pub async fn drop_session(&self, hash: &AccessHash) -> Result<(), CatalogError> {
        sqlx::query("DELETE FROM sessions WHERE hash = ?")
            .bind(&hash[..])
            .execute(&self.pool)
            .await
            .map_err(self.failed())?;
        Ok(())
    }

    /// Keeps a token.
    pub async fn add_token(
        &self,
        name: &str,
        hash: &AccessHash,
        now: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<Token, CatalogError> {
        let row = sqlx::query(
            "INSERT INTO tokens (name, hash, created_at, expires_at) VALUES (?, ?, ?, ?)
             RETURNING id, name, created_at, used_at, expires_at",
        )
        .bind(name)
        .bind(&hash[..])
        .bind(signed(now.0))
        .bind(expires.map(|at| signed(at.0)))
        .fetch_one(&self.pool)
        .await
        .map_err(self.failed())?;
        self.token_of(&row)
    }

    /// Every token, the latest first.
    pub async fn tokens(&self) -> Result<Vec<Token>, CatalogError> {
        let rows =
            sqlx::query("SELECT id, name, created_at, used_at, expires_at FROM tokens ORDER BY id DESC")
                .fetch_all(&self.pool)
                .await
                .map_err(self.failed())?;
        rows.iter().map(|row| self.token_of(row)).collect()
    }

    /// Whether a token of this hash is good; notes that it was shown.
    pub async fn use_token(&self, hash: &AccessHash, now: Timestamp) -> Result<bool, CatalogError> {
        let found = sqlx::query(
            "SELECT id, used_at FROM tokens WHERE hash = ? AND (expires_at IS NULL OR expires_at > ?)",
        )
        .bind(&hash[..])
        .bind(signed(now.0))
        .fetch_optional(&self.pool)
        .await
        .map_err(self.failed())?;
        let Some(row) = found else { return Ok(false) };
        let id: i64 = row.try_get("id").map_err(self.failed())?;
        let used: Option<i64> = row.try_get("used_at").map_err(self.failed())?;
        // A synced write for each request would be the slowest part of it.
        if used.is_none_or(|used| signed(now.0).saturating_sub(used) >= 60_000) {
            sqlx::query("UPDATE tokens SET used_at = ? WHERE id = ?")
                .bind(signed(now.0))
                .bind(id)
                .execute(&self.pool)
                .await
                .map_err(self.failed())?;
        }
        Ok(true)
    }

    /// Forgets a token; false when there was none.
    pub async fn drop_token(&self, id: i64) -> Result<bool, CatalogError> {
        let done = sqlx::query("DELETE FROM tokens WHERE id = ?")
            .bind(id)
            .execute(&self.pool)
            .await
            .map_err(self.failed())?;
        Ok(done.rows_affected() > 0)
    }

    /// A small thing that was kept.
    pub async fn note(&self, name: &str) -> Result<Option<String>, CatalogError> {
        let row = sqlx::query("SELECT value FROM notes WHERE name = ?")
            .bind(name)
            .fetch_optional(&self.pool)
            .await
            .map_err(self.failed())?;
        row.map(|row| row.try_get(0).map_err(self.failed())).transpose()
    }

    /// Keeps a small thing.
    pub async fn keep_note(&self, name: &str, value: &str) -> Result<(), CatalogError> {
        sqlx::query(
            "INSERT INTO notes (name, value) VALUES (?, ?)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .bind(name)
        .bind(value)
        .execute(&self.pool)
        .await
        .map_err(self.failed())?;
        Ok(())
    }

    fn token_of(&self, row: &SqliteRow) -> Result<Token, CatalogError> {
        let time = |column: &str| -> Result<Option<Timestamp>, CatalogError> {
            let at: Option<i64> = row.try_get(column).map_err(self.failed())?;
            at.map(|at| unsigned(self, column, at).map(Timestamp)).transpose()
        };
        Ok(Token {
            id: row.try_get("id").map_err(self.failed())?,
            name: row.try_get("name").map_err(self.failed())?,
            created_at: time("created_at")?.unwrap_or_default(),
            used_at: time("used_at")?,
            expires_at: time("expires_at")?,
        })
    }
}
