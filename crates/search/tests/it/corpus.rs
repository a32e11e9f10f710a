//! A corpus in memory, in as many shards as a test likes.

use std::sync::Arc;

use index::{Index, WriterSettings};
use search::settings::Column;
use search::{
    Answer, Document, FieldValue, Fields, IndexSettings, Local, Ranking, RowField, Search, SearchError,
    Searcher, Shard,
};

/// 2026-01-01.
pub(crate) const NOW: i64 = 1_767_225_600;
pub(crate) const DAY: i64 = 86_400;

pub(crate) struct Corpus {
    settings: IndexSettings,
    fields: Arc<Fields>,
    shards: Vec<Local>,
}

/// A document with a text and nothing else.
pub(crate) fn text(id: &str, text: &str) -> Document {
    Document { id: id.to_owned(), text: text.to_owned(), fetched: NOW, ..Document::default() }
}

/// English, with what rows may have.
pub(crate) fn settings() -> IndexSettings {
    let mut settings = IndexSettings::default();
    settings.analysis.language = Some("en".to_owned());
    settings
}

fn rows() -> Vec<RowField> {
    let field = |name: &str, column, variable: Option<&str>| RowField {
        name: name.to_owned(),
        column,
        variable: variable.map(str::to_owned),
    };
    vec![
        field("price", Column::Number, None),
        field("reviews", Column::Number, Some("votes")),
        field("brand", Column::Facet, None),
        field("made", Column::Date, None),
    ]
}

impl Corpus {
    pub(crate) fn new(documents: &[Document]) -> Corpus {
        Corpus::with(settings(), documents, 1)
    }

    /// The same documents, dealt out to so many shards.
    pub(crate) fn with(settings: IndexSettings, documents: &[Document], shards: usize) -> Corpus {
        settings.check().unwrap();
        let fields = Arc::new(Fields::new(&settings, &rows()));
        let shard = |number: usize| {
            let index = Index::in_memory(fields.schema.clone()).unwrap();
            let mut writer = index.writer(WriterSettings::default()).unwrap();
            for document in documents.iter().skip(number).step_by(shards) {
                writer.add(&fields.entry(document).unwrap()).unwrap();
            }
            writer.commit("").unwrap();
            let view = index.view().unwrap();
            let words = Arc::new(search::vocabulary(&view, &fields, settings.suggestions.q).unwrap());
            Local::new(view, Arc::clone(&fields), move || Some(Arc::clone(&words)))
        };
        let shards = (0..shards).map(shard).collect();
        Corpus { settings, fields, shards }
    }

    pub(crate) fn try_search(&self, search: &Search) -> Result<Answer, SearchError> {
        self.with_searcher(|searcher| searcher.search(search))
    }

    /// The text that is kept of a URL.
    pub(crate) fn kept(&self, url: &str) -> String {
        let kept = self.with_searcher(|searcher| searcher.cached(url, "")).unwrap();
        kept.text.iter().map(|line| line.with("[", "]")).collect()
    }

    fn with_searcher<T>(&self, f: impl FnOnce(&Searcher<'_>) -> T) -> T {
        let shards: Vec<&dyn Shard> = self.shards.iter().map(|shard| shard as &dyn Shard).collect();
        f(&Searcher { fields: &self.fields, settings: &self.settings, shards: &shards, now: NOW })
    }

    pub(crate) fn search(&self, search: &Search) -> Answer {
        self.try_search(search).unwrap_or_else(|error| panic!("{:?}: {error}", search.query))
    }

    pub(crate) fn find(&self, query: &str) -> Answer {
        self.search(&asked(query))
    }

    /// The names of what is found, best first.
    pub(crate) fn ids(&self, query: &str) -> Vec<String> {
        ids(&self.find(query))
    }

    /// The same in alphabetical order, in one line.
    pub(crate) fn set(&self, query: &str) -> String {
        let mut ids = self.ids(query);
        ids.sort_unstable();
        ids.join(" ")
    }

    /// Under another ranking.
    pub(crate) fn ranked(&self, query: &str, ranking: Ranking) -> Answer {
        self.search(&Search { ranking: Some(ranking), ..asked(query) })
    }
}

/// A search for up to 1,000 hits.
pub(crate) fn asked(query: &str) -> Search {
    Search { query: query.to_owned(), limit: Some(1_000), ..Search::default() }
}

pub(crate) fn ids(answer: &Answer) -> Vec<String> {
    answer.hits.iter().map(|hit| hit.id.clone()).collect()
}

/// A number among a row's fields.
pub(crate) fn number(name: &str, value: f64) -> (String, FieldValue) {
    (name.to_owned(), FieldValue::Number(value, value.to_string()))
}

/// A word among a row's fields.
pub(crate) fn word(name: &str, value: &str) -> (String, FieldValue) {
    (name.to_owned(), FieldValue::Text(value.to_owned()))
}

/// Many documents of few words, the same for the same seed: scores differ, and often are equal.
pub(crate) fn many(count: usize, seed: u64) -> Vec<Document> {
    const WORDS: [&str; 12] = [
        "tent", "lamp", "stove", "river", "mountain", "yellow", "light", "heavy", "winter", "rope", "boat",
        "knife",
    ];
    let mut state = seed;
    let mut below = move |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let mut documents = Vec::with_capacity(count);
    for number_of in 0..count {
        let words = |length: usize, below: &mut dyn FnMut(usize) -> usize| {
            (0..length).map(|_| WORDS[below(WORDS.len())]).collect::<Vec<_>>().join(" ")
        };
        let (title, length) = (below(3), 3 + below(30));
        let mut document = text(&format!("d{number_of:04}"), &words(length, &mut below));
        document.title = words(title, &mut below);
        document.url = format!("http://s{}.test/{number_of}", below(5));
        document.date = (below(3) > 0).then(|| NOW - below(1_000) as i64 * DAY);
        document.language = Some(["en", "de"][below(2)].to_owned());
        document.depth = Some(below(6) as u32);
        if below(4) > 0 {
            document.fields.push(number("price", below(100) as f64));
        }
        if below(4) > 0 {
            document.fields.push(number("reviews", below(50) as f64));
        }
        document.fields.push(word("brand", ["Acme", "Bolt", "Core"][below(3)]));
        documents.push(document);
    }
    documents
}
