//! What is asked of an index, and what it answers.

use serde::{Deserialize, Serialize};

use crate::document::FieldValue;
use crate::settings::Ranking;
use crate::snippet::Marked;

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// As it was typed.
    pub query: String,
    /// Conditions in the query language that hold beside it, each for all hits; they add nothing to scores.
    pub filters: Vec<String>,
    /// Documents like that of this URL, instead of a query.
    pub like: Option<String>,
    /// Hits on a page; 10 unless said.
    pub limit: Option<usize>,
    /// Where the page before ended, as its answer said.
    pub cursor: Option<String>,
    /// Ordered by a column instead of the score: its name, with `-` before it for the largest first.
    pub sort: Option<String>,
    /// Columns whose values are counted.
    pub facets: Vec<String>,
    /// Columns that the index does not have are not counted, instead of being refused: a young index has few.
    pub known_facets: bool,
    /// With the way to each score.
    pub explain: bool,
    /// In place of the index's own ranking.
    pub ranking: Option<Ranking>,
}

/// What was found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Answer {
    /// All that match.
    pub total: u64,
    /// Those with all words.
    pub with_all_words: u64,
    /// This page of them.
    pub hits: Vec<Hit>,
    /// For the next page; none at the end.
    pub next: Option<String>,
    /// Counts by column.
    pub facets: Vec<FacetCounts>,
    /// The query with words spelled as the index knows them.
    pub did_you_mean: Option<String>,
    /// Words that were also looked for in other spellings.
    pub also: Vec<(String, Vec<String>)>,
    /// Those of them that nothing has as they were typed.
    pub unknown: Vec<String>,
    /// Words too common to be looked for.
    pub ignored: Vec<String>,
    /// Hits that are not shown.
    pub left_out: LeftOut,
}

/// Hits that match and are not shown: those before the end of this page, so all of them on the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// A rule blocks them.
    pub blocked: u64,
    /// Their site shows as many as it may.
    pub same_site: u64,
    /// Another page says the same.
    pub duplicates: u64,
    /// Their score is too small a share of the best.
    pub cut: u64,
}

/// One hit.
#[derive(Clone, Debug, Serialize)]
pub struct Hit {
    /// From 1.
    pub place: usize,
    /// Its name in the index.
    pub id: String,
    /// What it is worth.
    pub score: f64,
    /// It has all words.
    pub all_words: bool,
    /// The page.
    pub url: String,
    /// Its title, with words marked.
    pub title: Marked,
    /// Who wrote it.
    pub author: Option<String>,
    /// When it was published, in seconds since 1970.
    pub date: Option<i64>,
    /// A picture.
    pub image: Option<String>,
    /// The best passages.
    pub passages: Vec<Marked>,
    /// The fields of a row.
    pub fields: Vec<(String, FieldValue)>,
    /// It was pinned here.
    pub pinned: bool,
    /// More hits of the same site follow elsewhere.
    pub more_of_site: bool,
    /// Other pages that say the same or nearly so, which are not shown.
    pub near_duplicates: u64,
    /// The way to its score.
    pub explanation: Option<rank::Explanation>,
}

/// Counts of a column.
#[derive(Clone, Debug, Serialize)]
pub struct FacetCounts {
    /// The column.
    pub column: String,
    /// Values and how many documents have them, most first.
    pub values: Vec<(String, u64)>,
    /// Smallest and largest value of numbers and dates.
    pub ends: Option<(f64, f64)>,
}
