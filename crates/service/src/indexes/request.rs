//! What can be asked of indexes, as the socket carries it.

use search::{IndexSettings, Search};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// What to do with indexes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexRequest {
    /// Make one, or give a known one new settings.
    Create {
        /// Its name.
        name: String,
        /// Its settings.
        settings: Box<IndexSettings>,
        /// Over these projects, beside those of the settings; over the one that ran last if there are none.
        projects: Vec<String>,
    },
    /// All of them.
    List,
    /// One of them.
    Status {
        /// Its name.
        name: String,
    },
    /// Make one again from what was crawled.
    Rebuild {
        /// Its name.
        name: String,
    },
    /// How one ranks, as settings that can be changed for a search.
    Ranking {
        /// Its name; that of the project that ran last unless said.
        name: Option<String>,
    },
    /// Remove one; the crawl stays.
    Drop {
        /// Its name.
        name: String,
    },
}

/// How an index stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IndexStatus {
    /// Its name.
    pub name: String,
    /// The projects it is over.
    pub projects: Vec<String>,
    /// Pages and rows in it.
    pub documents: u64,
    /// Parts it lies in.
    pub segments: u64,
    /// On disk.
    pub bytes: u64,
    /// The language its texts are cut in.
    pub language: Option<String>,
    /// Bytes of the archive and records of rows that it has not read yet.
    pub behind: u64,
    /// What hits can be counted, narrowed and ordered by.
    #[serde(default)]
    pub columns: Vec<IndexColumn>,
    /// Its settings.
    #[serde(default)]
    pub settings: Value,
}

/// A column of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IndexColumn {
    /// Its name.
    pub name: String,
    /// `facet`, `number` or `date`.
    pub kind: String,
}

/// A search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SearchRequest {
    /// In this index; that of the project that ran last unless said.
    pub index: Option<String>,
    /// For this.
    #[schema(value_type = Object)]
    pub search: Search,
}

/// What someone has typed so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SuggestRequest {
    /// In this index; that of the project that ran last unless said.
    pub index: Option<String>,
    /// The beginning.
    pub typed: String,
    /// So many.
    pub limit: Option<usize>,
}

/// Which page to show as the index has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CachedRequest {
    /// In this index; that of the project that ran last unless said.
    pub index: Option<String>,
    /// The page.
    pub url: String,
    /// Whose words are marked.
    pub query: String,
}

/// Which page is missed, for which query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WhyNotRequest {
    /// In this index; that of the project that ran last unless said.
    pub index: Option<String>,
    /// The page.
    pub url: String,
    /// As it was typed.
    pub query: String,
}
