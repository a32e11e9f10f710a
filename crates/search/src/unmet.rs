//! Why a document is not among the hits, or not higher: what of a query does not hold for it, and where it stands.
//!
//! Each part of a query is planned and asked as the whole of it would be, and places come from searches, so that
//! nothing is told that a search does not do.

use std::collections::BTreeSet;

use index::{DocAddress, Order, Query as Ask, Scoring, Statistics};
use text::spell::Vocabulary;

use crate::answer::{Answer, Hit, Search};
use crate::document::{Document, DocumentKind, built_in, page_key};
use crate::plan::plan;
use crate::query::{self, Demand, Filter, Node, Options, Query};
use crate::settings::Ranking;
use crate::shard::ShardOrder;
use crate::spelling::AllWords;
use crate::{DEEPEST, SearchError, Searcher, cursor_at, dates};

/// A document and where it is.
#[derive(Clone, Debug)]
pub struct Located {
    /// The document.
    pub document: Document,
    /// The number of its shard.
    pub shard: usize,
    /// Its place there.
    pub address: DocAddress,
}

/// What of a query does not hold for a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unmet {
    /// Each part that does not hold, in words.
    pub reasons: Vec<String>,
    /// Words that it does not have, as typed.
    pub words: Vec<String>,
    /// The query matches it all the same.
    pub matches: bool,
}

/// Hits of one look for a place.
const PAGE: usize = 1_000;

/// Words of a document that spellings are compared with.
const MOST_WORDS: usize = 20_000;

/// Letters shown of a value.
const SHOWN: usize = 80;

impl Searcher<'_> {
    /// The page of a URL in a project, the rows that lead to it, and the rows that were read from it; at most so many.
    pub fn documents_of(&self, project: &str, url: &str, most: usize) -> Result<Vec<Located>, SearchError> {
        let keyword = |field, value: String| Ask::Keyword { field, value };
        let query = Ask::All(vec![
            keyword(built_in::PROJECT, project.to_owned()),
            Ask::Any(vec![
                keyword(built_in::ADDRESS, url.to_owned()),
                keyword(built_in::PAGE, page_key(project, url)),
            ]),
        ]);
        self.matching(&query, most)
    }

    /// The documents that match a query without words, pages before rows; at most so many of each shard.
    pub(crate) fn matching(&self, query: &Ask, most: usize) -> Result<Vec<Located>, SearchError> {
        let scoring = Scoring::even(self.fields.schema.fields.len(), 0.0, 0.0, index::Idf::Standard);
        let (statistics, ranking) = (Statistics::default(), Ranking { proximity: 0.0, ..Ranking::default() });
        let order = ShardOrder {
            query,
            filters: &[],
            words: &[],
            statistics: &statistics,
            scoring: &scoring,
            ranking: &ranking,
            now: self.now,
            demoted: &[],
            most,
            order: Order::Score,
            facets: &[],
            count: false,
        };
        let mut found = Vec::new();
        for (number, shard) in self.shards.iter().enumerate() {
            for scored in shard.best(&order)?.best {
                let address = scored.address;
                found.push(Located { document: shard.document(address)?, shard: number, address });
            }
        }
        found.sort_by_key(|located| located.document.kind == DocumentKind::Row);
        Ok(found)
    }

    /// The first hit that `wanted` says yes to, with its place; none where a search does not come to it.
    pub fn hit_where(
        &self,
        search: &Search,
        wanted: impl Fn(&Hit) -> bool,
    ) -> Result<Option<Hit>, SearchError> {
        let mut search = Search { limit: Some(PAGE), cursor: None, facets: Vec::new(), ..search.clone() };
        loop {
            let answer = self.search(&search)?;
            if let Some(hit) = answer.hits.into_iter().find(&wanted) {
                return Ok(Some(hit));
            }
            match answer.next {
                Some(next) => search.cursor = Some(next),
                None => return Ok(None),
            }
        }
    }

    /// The hit of a place and the one before it, with the ways to their scores.
    pub fn hits_about(&self, search: &Search, place: usize) -> Result<Answer, SearchError> {
        let first = place.saturating_sub(2).min(DEEPEST);
        let mut search = Search { limit: Some(2), explain: true, cursor: None, ..search.clone() };
        search.cursor = (first > 0).then(|| cursor_at(first, &search));
        self.search(&search)
    }

    /// The words of a document's text, and how many are usual.
    pub fn length_of(
        &self,
        text: &str,
        ranking: &Ranking,
        located: &Located,
    ) -> Result<(usize, f64), SearchError> {
        let usual = self.statistics(&self.plan(text, ranking)?)?.average_length(built_in::TEXT);
        let Document { title, text, .. } = &located.document;
        Ok((title.split_whitespace().count() + text.split_whitespace().count(), usual))
    }

    /// What of a query does not hold for a document.
    pub fn unmet(&self, text: &str, ranking: &Ranking, located: &Located) -> Result<Unmet, SearchError> {
        let options = Options {
            fields: self.fields.texts.keys().chain(self.fields.columns.keys()).cloned().collect(),
            lower_case_operators: ranking.lower_case_operators,
        };
        let parsed = query::parse(text, &options)?;
        let whole = plan(&parsed, self.fields, ranking, &AllWords(self.shards))?;
        let mut look =
            Look { searcher: self, ranking, located, ignored: &whole.ignored, unmet: Unmet::default() };
        look.unmet.matches = look.holds(&parsed)?;
        look.part(&parsed)?;
        Ok(look.unmet)
    }
}

struct Look<'a, 's> {
    searcher: &'a Searcher<'s>,
    ranking: &'a Ranking,
    located: &'a Located,
    ignored: &'a [String],
    unmet: Unmet,
}

impl Look<'_, '_> {
    /// Whether a part of the query holds for the document.
    fn holds(&self, part: &Query) -> Result<bool, SearchError> {
        if let Node::Word { text, .. } = &part.node
            && self.ignored.contains(text)
        {
            return Ok(true);
        }
        let plan = plan(part, self.searcher.fields, self.ranking, &AllWords(self.searcher.shards))?;
        let shard = self.searcher.shards[self.located.shard];
        for asked in plan.filters.iter().chain([&plan.query]) {
            if !shard.matches(asked, self.located.address)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn say(&mut self, reason: String) {
        if !self.unmet.reasons.contains(&reason) {
            self.unmet.reasons.push(reason);
        }
    }

    /// Says what does not hold of a part that is wanted.
    fn part(&mut self, part: &Query) -> Result<(), SearchError> {
        match &part.node {
            Node::And(parts) => return parts.iter().try_for_each(|part| self.part(part)),
            Node::Loose(parts) => {
                for (demand, part) in parts {
                    match demand {
                        Demand::MustNot => self.unwanted(part)?,
                        Demand::May | Demand::Must => self.part(part)?,
                    }
                }
                return Ok(());
            }
            Node::Not(part) => return self.unwanted(part),
            _ if self.holds(part)? => return Ok(()),
            _ => {}
        }
        match &part.node {
            Node::Word { field: None, text, form } => {
                let typed = part.to_string();
                let near = match form {
                    query::Form::Prefix => None,
                    _ => self.nearest(text),
                };
                let near = near.map(|near| format!("; the nearest it has is “{near}”")).unwrap_or_default();
                self.say(format!("it does not have “{typed}”{near}"));
                self.unmet.words.push(text.clone());
            }
            Node::Phrase { field: None, text } => self.phrase(text)?,
            Node::Word { field: Some(name), text, .. } | Node::Phrase { field: Some(name), text } => {
                let value = self.value(name);
                match self.searcher.fields.texts.contains_key(name) {
                    true => self.say(format!("its {name} does not have “{text}”: it is {value}")),
                    false => self.say(condition(part, name, &value)),
                }
            }
            Node::Span { field, .. } => {
                let value = self.value(field);
                self.say(condition(part, field, &value));
            }
            Node::Filter { filter, .. } => {
                let name = match filter {
                    Filter::Before | Filter::After => "date",
                    Filter::Site => "host",
                    other => other.name(),
                };
                let value = self.value(name);
                self.say(condition(part, name, &value));
            }
            Node::Near { left, right, distance } => {
                if self.holds(left)? && self.holds(right)? {
                    self.say(format!(
                        "it has {left} and {right}, but not within {distance} words of each other"
                    ));
                } else {
                    self.part(left)?;
                    self.part(right)?;
                }
            }
            Node::Or(parts) => parts.iter().try_for_each(|part| self.part(part))?,
            Node::Xor(_) => self.say(format!("an even number of the parts of {part} hold for it")),
            Node::Everything | Node::And(_) | Node::Loose(_) | Node::Not(_) => {}
        }
        Ok(())
    }

    /// Says that a part holds which is not wanted.
    fn unwanted(&mut self, part: &Query) -> Result<(), SearchError> {
        if self.holds(part)? {
            self.say(format!("it has {part}, which the query does not want"));
        }
        Ok(())
    }

    fn phrase(&mut self, text: &str) -> Result<(), SearchError> {
        let mut missing = Vec::new();
        for word in text.split_whitespace() {
            let node = Node::Word { field: None, text: word.to_owned(), form: query::Form::Exact };
            if !self.holds(&Query { node, span: 0..0 })? {
                missing.push(word.to_owned());
            }
        }
        if missing.is_empty() {
            self.say(format!("it has the words of “{text}”, but not one after the other as written"));
        } else {
            self.say(format!("it does not have “{}” of the phrase “{text}”", missing.join("”, “")));
            self.unmet.words.extend(missing);
        }
        Ok(())
    }

    /// The word of the document that is spelled most like another.
    fn nearest(&self, word: &str) -> Option<String> {
        let shard = self.searcher.shards[self.located.shard];
        let analyzer = shard.analyzer(built_in::TEXT)?;
        let document = &self.located.document;
        let mut words = BTreeSet::new();
        for text in [&document.title, &document.text].into_iter().chain(&document.anchors) {
            analyzer.each(text, &mut |word| {
                if words.len() < MOST_WORDS {
                    words.insert(word.exact.to_owned());
                }
            });
        }
        let word = analyzer.exact(word);
        let most = if word.chars().count() < 5 { 1 } else { 2 };
        let known = Vocabulary::new(words.into_iter().map(|word| (word, 1)));
        known.near(&word, most).into_iter().map(|near| near.word).find(|near| *near != word)
    }

    /// What the document has in a field, to be read.
    fn value(&self, name: &str) -> String {
        let document = &self.located.document;
        let day = |seconds: i64| dates::day(seconds);
        let value = match name {
            "title" => Some(document.title.clone()),
            "url" => Some(document.url.clone()),
            "anchor" => Some(document.anchors.join(", ")),
            "text" => Some(document.text.clone()),
            "site" | "host" => Some(document.host().to_owned()),
            "filetype" => document.file_type.clone(),
            "lang" => document.language.clone(),
            "date" => document.date.and_then(day),
            "fetched" => day(document.fetched),
            "depth" => document.depth.map(|depth| depth.to_string()),
            "kind" => Some(if document.kind == DocumentKind::Row { "row" } else { "page" }.to_owned()),
            "project" => Some(document.project.clone()),
            _ => {
                let values = document.fields.iter().filter(|(field, _)| field == name);
                Some(values.map(|(_, value)| value.text()).collect::<Vec<_>>().join(", "))
            }
        };
        match value.filter(|value| !value.is_empty()) {
            None => "not known".to_owned(),
            Some(value) if value.chars().count() > SHOWN => {
                format!("“{}…”", value.chars().take(SHOWN).collect::<String>())
            }
            Some(value) => format!("“{value}”"),
        }
    }
}

fn condition(part: &Query, name: &str, value: &str) -> String {
    format!("the condition {part} does not hold: its {name} is {value}")
}
