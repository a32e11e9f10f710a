//! Where suggestions come from: titles of an index, queries that people typed, and the user's own dictionary.

use std::collections::HashMap;
use std::path::PathBuf;

use index::View;
use text::suggest::{Entry, Source, Suggestions};

use super::dictionary;
use crate::ServiceError;

/// A query that was asked so often counts as much as a title of so many pages; before that, less than any title.
const OFTEN: u64 = 3;

/// What each time counts until then.
const SELDOM: f64 = 0.1;

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
        let mut queries: HashMap<String, u64> = HashMap::new();
        let typed = std::fs::read_to_string(&self.queries).unwrap_or_default();
        for line in typed.lines().filter(|line| is_plain(line)) {
            *queries.entry(line.to_lowercase()).or_default() += 1;
        }
        for (query, count) in queries {
            let weight = if count < OFTEN { count as f64 * SELDOM } else { count as f64 };
            entries.push(Entry::new(query, weight, Source::Query));
        }
        if let Some(path) = &self.dictionary {
            for mut entry in dictionary::read(path)? {
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

/// True of plain words: nothing that the query language would read as more.
pub(super) fn is_plain(query: &str) -> bool {
    let operators = ["AND", "OR", "NOT", "XOR", "NEAR"];
    let plain = |word: &str| {
        word.starts_with(char::is_alphanumeric)
            && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '.'))
            && !operators.contains(&word)
    };
    query.split_whitespace().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_plain_and_what_the_language_reads_is_not() {
        let check = |query: &str, plain: bool| assert_eq!(is_plain(query), plain, "{query}");
        check("folding chair", true);
        check("o'neill x-ray 2.0 and so on", true);
        for query in
            ["a AND b", "-a", "+a", "\"a b\"", "a*", "a~", "title:a", "(a b)", "price:1..2", "a NOT b"]
        {
            check(query, false);
        }
    }
}
