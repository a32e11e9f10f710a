//! Judged queries: how good a ranking is, on an index or on a collection of documents brought along.

use std::collections::BTreeMap;
use std::sync::Arc;

use index::{Index, WriterSettings};
use measure::{Evaluation, Judgments, Measure, Ranking as Ranked};
use text::spell::Vocabulary;

use crate::document::{Document, Fields};
use crate::query;
use crate::settings::{IndexSettings, Ranking};
use crate::{Local, Search, SearchError, Searcher};

/// Documents looked at by an evaluation, per query, unless a measure asks for all that match.
const MOST: usize = 1_000;

/// Words of a field that are known for near spellings, the most frequent.
const MOST_SPELLED: usize = 1_000_000;

/// Documents whose language is guessed, and the letters of each that are read.
const SAMPLE: usize = 50;
const SAMPLE_LETTERS: usize = 2_000;

/// A collection in memory, ready to be searched.
pub struct Collection {
    settings: IndexSettings,
    fields: Arc<Fields>,
    shard: Local,
}

impl Collection {
    /// Indexes documents in memory.
    pub fn new(settings: IndexSettings, documents: &[Document]) -> Result<Collection, SearchError> {
        settings.check()?;
        let sample = documents.iter().map(|document| document.text.as_str());
        let settings = settings.in_language_of(sample);
        let fields = Arc::new(Fields::new(&settings, &[]));
        let index = Index::in_memory(fields.schema.clone())?;
        let mut writer = index.writer(WriterSettings::default())?;
        for document in documents {
            writer.add(&fields.entry(document)?)?;
        }
        writer.commit("")?;
        writer.settle()?;
        let view = index.view()?;
        let words = Arc::new(vocabulary(&view, &fields, settings.suggestions.q)?);
        let shard = Local::new(view, Arc::clone(&fields), move || Some(Arc::clone(&words)));
        Ok(Collection { settings, fields, shard })
    }

    /// How it ranks unless something else is asked for.
    pub fn ranking(&self) -> &Ranking {
        &self.settings.ranking
    }

    /// Runs `f` with something to search.
    pub fn with<T>(&self, f: impl FnOnce(&Searcher<'_>) -> T) -> T {
        let searcher =
            Searcher { fields: &self.fields, settings: &self.settings, shards: &[&self.shard], now: 0 };
        f(&searcher)
    }
}

impl IndexSettings {
    /// The same, with the language that most of these texts are in where none is said. `none` says that there is none.
    pub fn in_language_of<'t>(mut self, texts: impl Iterator<Item = &'t str>) -> IndexSettings {
        match self.analysis.language.as_deref() {
            Some("none") => self.analysis.language = None,
            Some(_) => {}
            None => {
                let mut counts: BTreeMap<String, usize> = BTreeMap::new();
                for text in texts.take(SAMPLE) {
                    let beginning = &text[..text.floor_char_boundary(SAMPLE_LETTERS)];
                    if let Some(language) = text::language(beginning) {
                        *counts.entry(language.code.to_string()).or_default() += 1;
                    }
                }
                let most = counts.into_iter().max_by_key(|(_, count)| *count).map(|(code, _)| code);
                // A language whose words cannot be stemmed is cut like any other text.
                self.analysis.language =
                    most.filter(|code| text::Analyzer::new(&text::Analysis::of_language(code)).is_ok());
            }
        }
        let language = &self.analysis.language;
        for analysis in self.fields.values_mut().filter_map(|field| field.analysis.as_mut()) {
            match analysis.language.as_deref() {
                Some("none") => analysis.language = None,
                Some(_) => {}
                None => analysis.language.clone_from(language),
            }
        }
        self
    }
}

/// The words of an index, for near spellings.
pub fn vocabulary(view: &index::View, fields: &Fields, q: usize) -> Result<Vocabulary, SearchError> {
    let mut words: Vec<(String, u32)> = Vec::new();
    for field in fields.spelled() {
        let plain = |word: &str| word.chars().all(char::is_alphabetic);
        let frequent = view.frequent_words(field, index::Form::Exact, MOST_SPELLED, plain)?;
        words.extend(
            frequent.into_iter().map(|(word, count)| (word, u32::try_from(count).unwrap_or(u32::MAX))),
        );
    }
    Ok(Vocabulary::with_q(q, words))
}

/// Measures a ranking by judged queries; `name` is what judgments call a document. A query that the language does not understand is taken for plain words.
pub fn evaluate(
    searcher: &Searcher<'_>,
    ranking: &Ranking,
    queries: &BTreeMap<String, String>,
    judgments: &Judgments,
    measures: &[Measure],
    name: fn(Document) -> String,
) -> Result<Evaluation, SearchError> {
    let asked = Search { ranking: Some(ranking.clone()), ..Search::default() };
    let ranking = &searcher.ranking(&asked)?;
    let all: u64 = searcher.shards.iter().map(|shard| shard.documents()).sum();
    let most = match measures.iter().any(|one| matches!(one, Measure::SetPrecision | Measure::SetRecall)) {
        true => usize::try_from(all).unwrap_or(usize::MAX).max(MOST),
        false => MOST,
    };
    measure::evaluate(judgments, measures, |id| {
        let Some(text) = queries.get(id) else { return Ok(Ranked::default()) };
        let found = match searcher.ranking_of(text, ranking, most, name) {
            Err(SearchError::Query(_)) => searcher.ranking_of(&query::words_only(text), ranking, most, name),
            found => found,
        };
        Ok(found?.into_iter().collect())
    })
}
