//! Words of a query against the words of all shards: what was probably meant by those that nothing has.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::document::built_in;
use crate::plan::Words;
use crate::query;
use crate::settings::Ranking;
use crate::shard::Shard;
use crate::{SearchError, Searcher};

impl Searcher<'_> {
    /// The query with unknown words replaced by known ones, if there are any.
    pub(crate) fn did_you_mean(&self, text: &str, ranking: &Ranking) -> Result<Option<String>, SearchError> {
        let Ok(parsed) = query::parse(text, &self.options(ranking)) else { return Ok(None) };
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        let mut words = Vec::new();
        plain_words(&parsed, &mut words);
        let all = AllWords(self.shards);
        let analyzer = all.analyzer(built_in::TEXT);
        for (span, word) in words {
            // What is cut into several words is no misspelling of one.
            let mut cut = 0;
            if let Some(analyzer) = analyzer {
                analyzer.each(&word, &mut |_| cut += 1);
            }
            if cut != 1 {
                continue;
            }
            let corrected = all.correct(&word)?;
            if let Some(corrected) = corrected.filter(|corrected| *corrected != word.to_lowercase()) {
                changes.push((span, corrected));
            }
        }
        if changes.is_empty() {
            return Ok(None);
        }
        changes.sort_by_key(|(span, _)| span.start);
        let letters: Vec<char> = text.chars().collect();
        let mut meant = String::new();
        let mut at = 0;
        for (span, word) in changes {
            meant.extend(&letters[at.min(span.start)..span.start.min(letters.len())]);
            meant.push_str(&word);
            at = span.end;
        }
        meant.extend(&letters[at.min(letters.len())..]);
        Ok(Some(meant))
    }
}

/// Words without operators, fields or forms: those that may be misspelled.
fn plain_words(query: &query::Query, words: &mut Vec<(Range<usize>, String)>) {
    use query::{Form, Node};
    match &query.node {
        Node::Word { field: None, text, form: Form::Exact } => words.push((query.span.clone(), text.clone())),
        Node::And(parts) | Node::Or(parts) | Node::Xor(parts) => {
            parts.iter().for_each(|part| plain_words(part, words));
        }
        Node::Loose(parts) => {
            let wanted = parts.iter().filter(|(demand, _)| *demand == query::Demand::May);
            wanted.for_each(|(_, part)| plain_words(part, words));
        }
        Node::Near { left, right, .. } => {
            plain_words(left, words);
            plain_words(right, words);
        }
        _ => {}
    }
}

/// All shards' words as one index's.
pub(crate) struct AllWords<'a>(pub(crate) &'a [&'a dyn Shard]);

impl Words for AllWords<'_> {
    fn analyzer(&self, field: usize) -> Option<&text::Analyzer> {
        self.0.first()?.analyzer(field)
    }

    fn with(&self, field: usize, form: index::Form, text: &str) -> Result<u64, SearchError> {
        self.0.iter().map(|shard| shard.with(field, form, text)).sum()
    }

    fn beginning(&self, field: usize, prefix: &str, most: usize) -> Result<Vec<String>, SearchError> {
        let mut words = Vec::new();
        for shard in self.0 {
            words.extend(shard.beginning(field, prefix, most)?);
        }
        words.sort_unstable();
        words.dedup();
        words.truncate(most);
        Ok(words)
    }

    fn near(&self, word: &str, edits: usize) -> Result<Vec<(String, usize, u64)>, SearchError> {
        let mut all: BTreeMap<String, (usize, u64)> = BTreeMap::new();
        for shard in self.0 {
            for (word, edits, with) in shard.near(word, edits)? {
                all.entry(word).or_insert((edits, 0)).1 += with;
            }
        }
        let mut near: Vec<_> = all.into_iter().map(|(word, (edits, with))| (word, edits, with)).collect();
        // The order of one vocabulary: nearest first, then the better known.
        near.sort_by(|one, other| one.1.cmp(&other.1).then(other.2.cmp(&one.2)));
        Ok(near)
    }

    fn correct(&self, word: &str) -> Result<Option<String>, SearchError> {
        if let [one] = self.0 {
            return one.correct(word);
        }
        let Some(analyzer) = self.analyzer(built_in::TEXT) else { return Ok(None) };
        let word = analyzer.exact(word);
        // What is near in all of them together, weighed as one vocabulary would.
        let near = self.near(&word, text::spell::MOST_MISTAKES)?;
        let near = near.into_iter().map(|(word, edits, with)| text::spell::Near {
            word,
            edits,
            df: u32::try_from(with).unwrap_or(u32::MAX),
        });
        Ok(text::spell::meant(&word, near).map(|near| near.word))
    }

    fn entries(&self) -> u64 {
        self.0.iter().map(|shard| shard.entries()).sum()
    }
}
