//! Documents like another one: those that share its telling words.

use std::collections::HashMap;

use serde::Serialize;

use index::{Demand, Form, Query as Ask, Term};

use crate::document::{Document, built_in};
use crate::plan::{Marks, Plan};
use crate::snippet::{Marked, mark};
use crate::{SearchError, Searcher};

/// A document as an index has it.
#[derive(Clone, Debug, Serialize)]
pub struct Cached {
    /// Its URL.
    pub url: String,
    /// When it was fetched, in seconds since 1970.
    pub fetched: i64,
    /// Its title.
    pub title: Marked,
    /// Its text, line by line.
    pub text: Vec<Marked>,
}

/// Words that tell a document from others.
const TELLING: usize = 30;

/// Documents of a URL among which its page is looked for.
const MOST_OF_URL: usize = 100;

/// Words read of it.
const READ: usize = 5_000;

impl Searcher<'_> {
    /// The document of a URL, if the index has it: its page rather than a row that leads there.
    pub fn document_of(&self, url: &str) -> Result<Option<Document>, SearchError> {
        let query = Ask::Keyword { field: built_in::ADDRESS, value: url.to_owned() };
        let found = self.matching(&query, MOST_OF_URL)?;
        Ok(found.into_iter().next().map(|located| located.document))
    }

    /// A document's text as the index has it, with a query's words marked.
    pub fn cached(&self, url: &str, query: &str) -> Result<Cached, SearchError> {
        let Some(document) = self.document_of(url)? else { return Err(self.no_document(url)) };
        let ranking = self.ranking(&crate::Search::default())?;
        let marks = match query.trim().is_empty() {
            true => Marks::default(),
            false => self.plan(query, &ranking)?.marks,
        };
        let marked = |field, text: &str| {
            let analyzer = self.shards.first().and_then(|shard| shard.analyzer(field));
            analyzer.map_or_else(|| Marked::plain(text), |analyzer| mark(text, analyzer, &marks))
        };
        Ok(Cached {
            title: marked(built_in::TITLE, &document.title),
            text: document.text.lines().map(|line| marked(built_in::TEXT, line)).collect(),
            url: document.url,
            fetched: document.fetched,
        })
    }

    /// Says that there is no document of a URL, and which one may be meant.
    fn no_document(&self, url: &str) -> SearchError {
        let slash = match url.strip_suffix('/') {
            Some(without) => without.to_owned(),
            None => format!("{url}/"),
        };
        let scheme = |url: &str| match url.strip_prefix("https://") {
            Some(rest) => format!("http://{rest}"),
            None => url.replacen("http://", "https://", 1),
        };
        let page = url.split(['?', '#']).next().unwrap_or(url).to_owned();
        let nearest = [slash.clone(), scheme(url), scheme(&slash), page]
            .into_iter()
            .find(|other| other != url && self.document_of(other).is_ok_and(|found| found.is_some()));
        SearchError::Setting(match nearest {
            Some(other) => format!("the index has no document {url}; it has {other}"),
            None => format!("the index has no document {url}; \"gannet why {url}\" tells what the crawl did"),
        })
    }

    /// What is asked for documents like that of a URL.
    pub(crate) fn like(&self, url: &str) -> Result<Plan, SearchError> {
        let Some(document) = self.document_of(url)? else { return Err(self.no_document(url)) };
        let analyzer = self.shards.first().and_then(|shard| shard.analyzer(built_in::TEXT)).cloned();
        let Some(analyzer) = analyzer else {
            return Err(SearchError::Setting("the index is empty".to_owned()));
        };
        let mut counts: HashMap<String, f64> = HashMap::new();
        let mut read = 0;
        for text in [&document.title, &document.text] {
            analyzer.each(text, &mut |word| {
                read += 1;
                if let Some(term) = word.term.filter(|_| read <= READ) {
                    *counts.entry(term.to_owned()).or_default() += 1.0;
                }
            });
        }
        let all: u64 = self.shards.iter().map(|shard| shard.documents()).sum();
        let mut telling = Vec::with_capacity(counts.len());
        for (text, count) in counts {
            let with: u64 = self
                .shards
                .iter()
                .map(|shard| shard.with(built_in::TEXT, Form::Term, &text))
                .sum::<Result<u64, SearchError>>()?;
            // A word of its own leads nowhere.
            if with > 1 {
                telling.push((count.sqrt() * index::Idf::Standard.of(all, with), text));
            }
        }
        telling.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        telling.truncate(TELLING);
        let term = |text: String| Term { field: built_in::TEXT, form: Form::Term, text, boost: 1.0 };
        let mut marks = Marks::default();
        marks.terms.extend(telling.iter().map(|(_, text)| text.clone()));
        let parts: Vec<(Demand, Ask)> =
            telling.into_iter().map(|(_, text)| (Demand::May, Ask::Term(term(text)))).collect();
        let itself = Ask::Keyword { field: built_in::ADDRESS, value: url.to_owned() };
        let query = if parts.is_empty() { Ask::Nothing } else { Ask::Loose(parts) };
        Ok(Plan { query, filters: vec![Ask::Not(Box::new(itself))], marks, ..Plan::default() })
    }
}
