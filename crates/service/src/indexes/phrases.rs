//! Where suggestions come from: titles of an index, queries that people typed, and the user's own dictionary.

use std::collections::HashMap;
use std::path::PathBuf;

use index::View;
use text::suggest::{Entry, Source, Suggestions};

use crate::ServiceError;

/// What a query that people typed counts among suggestions, against a title.
const QUERY_WEIGHT: f64 = 10.0;

/// What an entry of the user's own dictionary counts.
const DICTIONARY_WEIGHT: f64 = 1_000.0;

/// The phrases of an index.
pub(super) struct Phrases {
    /// Nothing was indexed yet: none.
    pub(super) view: Option<View>,
    /// What people searched for, a line each.
    pub(super) queries: PathBuf,
    pub(super) dictionary: Option<PathBuf>,
    /// Whether phrases of the dictionary are found by their synonyms.
    pub(super) synonyms: bool,
}

impl Phrases {
    pub(super) fn suggestions(&self) -> Result<Suggestions, ServiceError> {
        let mut entries = Vec::new();
        if let Some(view) = &self.view {
            for (text, count) in view.frequent(search::SUGGESTED_FIELD, Suggestions::MOST)? {
                entries.push(Entry::new(text, count as f64, Source::Title));
            }
        }
        let mut queries: HashMap<&str, u64> = HashMap::new();
        let typed = std::fs::read_to_string(&self.queries).unwrap_or_default();
        typed.lines().for_each(|line| *queries.entry(line).or_default() += 1);
        for (query, count) in queries {
            entries.push(Entry::new(query, count as f64 * QUERY_WEIGHT, Source::Query));
        }
        if let Some(path) = &self.dictionary {
            let text = std::fs::read_to_string(path).map_err(ServiceError::io("read", path))?;
            let own = text::suggest::dictionary(&text)
                .map_err(|error| ServiceError::Search(search::SearchError::Setting(error.to_string())))?;
            for mut entry in own {
                entry.weight += DICTIONARY_WEIGHT;
                if !self.synonyms {
                    entry.synonyms.clear();
                }
                entries.push(entry);
            }
        }
        Ok(Suggestions::build(entries))
    }
}
