//! From what a person typed to what the index is asked: words are cut and stemmed, put into fields, and spread to
//! synonyms and near spellings.

use std::collections::{BTreeMap, BTreeSet};

use index::{Demand, Form, Query as Ask, Term};

use crate::document::{Fields, built_in};
use crate::query::{self, Filter, Node, Query, QueryError};
use crate::settings::Ranking;
use crate::{SearchError, dates};

/// A query, ready to be asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// What is looked for, with scores.
    pub query: Ask,
    /// What must hold beside it.
    pub filters: Vec<Ask>,
    /// The words to mark in what is shown.
    pub marks: Marks,
    /// The query's words for proximity: for each, its terms by field.
    pub words: Vec<Vec<Term>>,
    /// Words that were looked for in other spellings too, and those.
    pub spread: BTreeMap<String, Vec<String>>,
    /// Words too common or too short to be looked for.
    pub ignored: Vec<String>,
}

/// Which words to mark.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// Stems.
    pub terms: BTreeSet<String>,
    /// Words as they stand.
    pub exact: BTreeSet<String>,
    /// Beginnings of words.
    pub prefixes: Vec<String>,
    /// Words in a row.
    pub phrases: Vec<Vec<String>>,
}

/// What the plan asks of the index while it is made.
pub trait Words {
    /// How the text of a field is cut.
    fn analyzer(&self, field: usize) -> Option<&text::Analyzer>;
    /// Entries with a word.
    fn with(&self, field: usize, form: Form, text: &str) -> Result<u64, SearchError>;
    /// Words of a field that begin so.
    fn beginning(&self, field: usize, prefix: &str, most: usize) -> Result<Vec<String>, SearchError>;
    /// Words near another one: word, edits and how many entries have it; best first.
    fn near(&self, word: &str, edits: usize) -> Result<Vec<(String, usize, u64)>, SearchError>;
    /// The word that a misspelled one was meant to be.
    fn correct(&self, word: &str) -> Result<Option<String>, SearchError>;
    /// All entries.
    fn entries(&self) -> u64;
}

/// Words that `word*` stands for, at most.
const MOST_BEGINNING: usize = 1_000;

/// Near words that a word is spread to, at most.
const MOST_NEAR: usize = 12;

/// A word in so many entries or fewer is spread to near ones.
const FEW: u64 = 0;

/// What each edit takes from a near word's score.
const PER_EDIT: f64 = 0.5;

/// What a synonym counts.
const SYNONYM: f64 = 0.8;

/// Plans a query.
pub fn plan(
    query: &Query,
    fields: &Fields,
    ranking: &Ranking,
    words: &dyn Words,
) -> Result<Plan, SearchError> {
    let mut planner = Planner::new(fields, ranking, words, false);
    let (mut asked, mut filters) = planner.root(query)?;
    if asked.is_none() && !planner.plan.ignored.is_empty() {
        // Nothing but common words: then they are what is meant.
        planner = Planner::new(fields, ranking, words, true);
        (asked, filters) = planner.root(query)?;
    }
    let mut plan = planner.plan;
    // Conditions alone hold for everything; signs that are no words are found nowhere.
    let asks_all = query.node == Node::Everything || !filters.is_empty();
    plan.query = asked.unwrap_or(if asks_all { Ask::Everything } else { Ask::Nothing });
    plan.filters = filters;
    Ok(plan)
}

struct Planner<'a> {
    fields: &'a Fields,
    ranking: &'a Ranking,
    index: &'a dyn Words,
    /// The fields of words that name none.
    searched: Vec<usize>,
    /// Stop words are looked for as they stand.
    stop_words: bool,
    /// Inside a part that is not wanted: a word that nothing has must not shut out near ones.
    unwanted: bool,
    plan: Plan,
}

impl<'a> Planner<'a> {
    fn new(fields: &'a Fields, ranking: &'a Ranking, index: &'a dyn Words, stop_words: bool) -> Planner<'a> {
        let plan = Plan::default();
        let searched = fields.searched(ranking);
        Planner { fields, ranking, index, searched, stop_words, unwanted: false, plan }
    }

    /// The root: conditions side by side with words hold for all.
    fn root(&mut self, query: &Query) -> Result<(Option<Ask>, Vec<Ask>), SearchError> {
        let mut filters = Vec::new();
        let Node::Loose(parts) = &query.node else {
            if self.is_condition(query) {
                let filter = self.any(query)?.into_iter().collect();
                return Ok((None, filter));
            }
            return Ok((self.any(query)?, filters));
        };
        let mut rest = Vec::new();
        for (demand, part) in parts {
            let asked = match demand {
                query::Demand::May if self.is_condition(part) => {
                    filters.extend(self.any(part)?);
                    continue;
                }
                query::Demand::May => (Demand::May, self.any(part)?),
                query::Demand::Must if self.is_condition(part) => {
                    filters.extend(self.any(part)?);
                    continue;
                }
                query::Demand::Must => (Demand::Must, self.any(part)?),
                query::Demand::MustNot => (Demand::MustNot, self.unmarked(part)?),
            };
            if let (demand, Some(asked)) = asked {
                rest.push((demand, asked));
            }
        }
        if rest.iter().all(|(demand, _)| *demand == Demand::MustNot) {
            filters.extend(rest.into_iter().map(|(_, asked)| Ask::Not(Box::new(asked))));
            return Ok((None, filters));
        }
        if let [(Demand::May | Demand::Must, _)] = rest.as_slice() {
            return Ok((rest.pop().map(|(_, asked)| asked), filters));
        }
        Ok((Some(Ask::Loose(rest)), filters))
    }

    /// A query in whatever fields it names; none if nothing of it is looked for.
    fn any(&mut self, query: &Query) -> Result<Option<Ask>, SearchError> {
        Ok(match &query.node {
            Node::Everything => Some(Ask::Everything),
            Node::Word { field, text, form } => self.word(query, field.as_deref(), text, *form)?,
            Node::Phrase { field, text } => self.phrase(query, field.as_deref(), text)?,
            Node::Span { field, from, to } => {
                Some(self.span(query, field, from.as_deref(), to.as_deref())?)
            }
            Node::Filter { filter, value } => Some(filter_ask(query, *filter, value)?),
            Node::And(parts) => self.all(parts)?.map(one_or(Ask::All)),
            Node::Or(parts) => self.all(parts)?.map(one_or(Ask::Any)),
            Node::Xor(parts) => self.all(parts)?.map(one_or(Ask::Odd)),
            Node::Not(part) => self.unmarked(part)?.map(|asked| Ask::Not(Box::new(asked))),
            Node::Near { left, right, distance } => self.near(left, right, *distance)?,
            Node::Loose(parts) => {
                let mut asked = Vec::new();
                for (demand, part) in parts {
                    let demand = match demand {
                        query::Demand::May if self.is_condition(part) => Demand::Must,
                        query::Demand::May => Demand::May,
                        query::Demand::Must => Demand::Must,
                        query::Demand::MustNot => Demand::MustNot,
                    };
                    let part = if demand == Demand::MustNot { self.unmarked(part)? } else { self.any(part)? };
                    asked.extend(part.map(|part| (demand, part)));
                }
                (!asked.is_empty()).then_some(Ask::Loose(asked))
            }
        })
    }

    fn all(&mut self, parts: &[Query]) -> Result<Option<Vec<Ask>>, SearchError> {
        let mut asked = Vec::with_capacity(parts.len());
        for part in parts {
            asked.extend(self.any(part)?);
        }
        Ok((!asked.is_empty()).then_some(asked))
    }

    /// A part whose words are not wanted, so not marked either.
    fn unmarked(&mut self, query: &Query) -> Result<Option<Ask>, SearchError> {
        let (marks, words, spread) =
            (self.plan.marks.clone(), self.plan.words.clone(), self.plan.spread.clone());
        let outer = std::mem::replace(&mut self.unwanted, true);
        let asked = self.any(query)?;
        self.unwanted = outer;
        (self.plan.marks, self.plan.words, self.plan.spread) = (marks, words, spread);
        Ok(asked)
    }

    fn word(
        &mut self,
        query: &Query,
        field: Option<&str>,
        text: &str,
        form: query::Form,
    ) -> Result<Option<Ask>, SearchError> {
        let Some(name) = field else {
            let fields = self.searched.clone();
            return self.word_in(&fields, text, form);
        };
        let mut found = Vec::new();
        if let Some(number) = self.fields.texts.get(name).copied() {
            found.extend(self.word_in(&[number], text, form)?);
        }
        if let Some(column) = self.fields.columns.get(name).copied() {
            found.extend(self.value(column, text));
            if found.is_empty() && !self.fields.texts.contains_key(name) {
                found.push(Ask::Nothing);
            }
        }
        if found.is_empty()
            && !self.fields.texts.contains_key(name)
            && !self.fields.columns.contains_key(name)
        {
            return Err(self.no_field(query, name));
        }
        Ok((!found.is_empty()).then(|| one_or(Ask::Any)(found)))
    }

    fn ignore(&mut self, text: &str) {
        if !self.plan.ignored.iter().any(|known| known == text) {
            self.plan.ignored.push(text.to_owned());
        }
    }

    /// A whole value of a column.
    fn value(&self, column: usize, text: &str) -> Option<Ask> {
        match self.fields.schema.fields[column].kind {
            index::Kind::Keyword => Some(Ask::Keyword { field: column, value: text.to_owned() }),
            index::Kind::Number => {
                let value = text.parse::<f64>().ok().filter(|value| value.is_finite())?;
                Some(Ask::Between { field: column, from: Some(value), to: Some(value) })
            }
            index::Kind::Date => {
                let (from, to) = dates::span(text)?;
                Some(Ask::Between { field: column, from: Some(from as f64), to: Some((to - 1) as f64) })
            }
            index::Kind::Text(_) => None,
        }
    }

    /// A word in fields: the scores of the fields are added.
    fn word_in(
        &mut self,
        fields: &[usize],
        text: &str,
        form: query::Form,
    ) -> Result<Option<Ask>, SearchError> {
        let mut by_field = Vec::new();
        let mut terms = Vec::new();
        let mut ignored = true;
        // A stop word of one field is none to look for in the others either.
        let common = |field: &usize| {
            let analyzer = self.index.analyzer(*field)?;
            let cut = cut(analyzer, text);
            Some(cut.len() == 1 && cut[0].2.is_none())
        };
        if !self.stop_words
            && form != query::Form::Prefix
            && fields.iter().filter_map(common).any(|common| common)
        {
            self.ignore(text);
            return Ok(None);
        }
        let near = self.near_words(fields, text, form)?;
        for field in fields {
            let Some(analyzer) = self.index.analyzer(*field).cloned() else { continue };
            if form == query::Form::Prefix {
                ignored = false;
                let prefix = analyzer.exact(text);
                let words = self.index.beginning(*field, &prefix, MOST_BEGINNING)?;
                let words = words.into_iter().map(|word| term(*field, Form::Exact, word, 1.0));
                by_field.push(Ask::Best(words.map(Ask::Term).collect()));
                self.plan.marks.prefixes.push(prefix);
                continue;
            }
            let mut cut = cut(&analyzer, text);
            if cut.is_empty() {
                continue;
            }
            if cut.len() > 1 {
                // One word for the person, several for the analysis: they stand in a row.
                ignored = false;
                by_field.extend(self.row(*field, &cut, true));
                continue;
            }
            let Some((_, exact, stem)) = cut.pop() else { continue };
            let mut choices = Vec::new();
            match stem {
                Some(stem) => {
                    self.plan.marks.terms.insert(stem.clone());
                    choices.push(term(*field, Form::Term, stem, 1.0));
                }
                None if self.stop_words => {
                    self.plan.marks.exact.insert(exact.clone());
                    choices.push(term(*field, Form::Exact, exact.clone(), 1.0));
                }
                None => continue,
            }
            ignored = false;
            for synonym in analyzer.synonyms(&exact) {
                if let Some(stem) = analyzer.term(synonym) {
                    self.plan.marks.terms.insert(stem.clone());
                    choices.push(term(*field, Form::Term, stem, SYNONYM));
                }
            }
            let typed = choices[0].clone();
            for (word, edits) in &near {
                let mut boost = PER_EDIT.powi(i32::try_from(*edits).unwrap_or(i32::MAX));
                if let Some(stem) = analyzer.term(word) {
                    boost *= self.held_below(&typed, &stem)?;
                    self.plan.marks.terms.insert(stem.clone());
                    choices.push(term(*field, Form::Term, stem, boost));
                }
            }
            choices.dedup_by(|one, other| one.text == other.text && one.form == other.form);
            terms.extend(choices.first().cloned());
            by_field.push(one_or(Ask::Best)(choices.into_iter().map(Ask::Term).collect()));
        }
        if ignored {
            self.ignore(text);
            return Ok(None);
        }
        let mut asked = one_or(Ask::Any)(by_field);
        if let Some(weight) = self.weight(text, &terms) {
            asked = Ask::Plus(Box::new(asked), weight);
        }
        self.plan.words.push(terms);
        Ok(Some(asked))
    }

    /// What keeps a near word from being worth more than the typed one only because it is rarer.
    fn held_below(&self, typed: &Term, near: &str) -> Result<f64, SearchError> {
        let with = |form, text: &str| self.index.with(typed.field, form, text);
        let known = with(typed.form, &typed.text)?;
        if known == 0 {
            return Ok(1.0);
        }
        let idf = |with| self.ranking.idf.of(self.index.entries(), with);
        let (own, other) = (idf(known), idf(with(Form::Term, near)?));
        Ok(if other > own { own / other } else { 1.0 })
    }

    /// The words near one that is asked for fuzzily, or that nothing has.
    fn near_words(
        &mut self,
        fields: &[usize],
        text: &str,
        form: query::Form,
    ) -> Result<Vec<(String, usize)>, SearchError> {
        let Some(analyzer) = fields.iter().find_map(|field| self.index.analyzer(*field)) else {
            return Ok(Vec::new());
        };
        let word = analyzer.exact(text);
        let letters = word.chars().count();
        let edits = match form {
            query::Form::Prefix => return Ok(Vec::new()),
            query::Form::Fuzzy(edits) => edits.map_or(by_length(letters), usize::from),
            query::Form::Exact
                if !self.ranking.fuzzy || self.unwanted || word.chars().any(|c| !c.is_alphabetic()) =>
            {
                return Ok(Vec::new());
            }
            query::Form::Exact => {
                // A word that stands in any searched field is no misspelling in one of them.
                let everywhere = self.fields.searched(self.ranking);
                for field in fields.iter().chain(&everywhere) {
                    let Some(analyzer) = self.index.analyzer(*field) else { continue };
                    let Some(stem) = analyzer.term(&word) else { return Ok(Vec::new()) };
                    if self.index.with(*field, Form::Term, &stem)? > FEW {
                        return Ok(Vec::new());
                    }
                }
                if letters < 4 { 0 } else { by_length(letters) }
            }
        };
        if edits == 0 {
            return Ok(Vec::new());
        }
        let mut near = self.index.near(&word, edits)?;
        near.retain(|(other, ..)| *other != word);
        if form == query::Form::Exact
            && let Some(least) = near.iter().map(|(_, edits, _)| *edits).min()
        {
            // What nobody asked for is kept small: only the nearest.
            near.retain(|(_, edits, _)| *edits == least);
        }
        near.truncate(MOST_NEAR);
        if !near.is_empty() {
            let words = near.iter().map(|(word, ..)| word.clone()).collect();
            self.plan.spread.insert(text.to_owned(), words);
        }
        Ok(near.into_iter().map(|(word, edits, _)| (word, edits)).collect())
    }

    fn weight(&self, text: &str, terms: &[Term]) -> Option<f64> {
        let words = &self.ranking.words;
        if words.is_empty() {
            return None;
        }
        let asked = text.to_lowercase();
        let known = words.get(&asked).copied();
        known.or_else(|| {
            let analyzer = terms.first().and_then(|term| self.index.analyzer(term.field))?;
            let same = |word: &String| {
                analyzer.term(word).is_some_and(|stem| terms.iter().any(|term| term.text == stem))
            };
            words.iter().find(|(word, _)| same(word)).map(|(_, weight)| *weight)
        })
    }

    fn phrase(&mut self, query: &Query, field: Option<&str>, text: &str) -> Result<Option<Ask>, SearchError> {
        let fields = match field {
            None => self.searched.clone(),
            Some(name) => match (self.fields.texts.get(name), self.fields.columns.get(name)) {
                (Some(number), _) => vec![*number],
                (None, Some(column)) => return Ok(Some(self.value(*column, text).unwrap_or(Ask::Nothing))),
                (None, None) => return Err(self.no_field(query, name)),
            },
        };
        let mut by_field = Vec::new();
        for field in fields {
            let Some(analyzer) = self.index.analyzer(field).cloned() else { continue };
            let cut = cut(&analyzer, text);
            by_field.extend(self.row(field, &cut, self.ranking.stemmed_phrases));
        }
        Ok((!by_field.is_empty()).then(|| one_or(Ask::Any)(by_field)))
    }

    /// Words in a row: as they stand, or their stems.
    fn row(&mut self, field: usize, cut: &[Cut], stemmed: bool) -> Option<Ask> {
        let first = cut.first()?.0;
        let mut words: Vec<(u32, Term)> = Vec::with_capacity(cut.len());
        for (position, exact, stem) in cut {
            let place = position - first;
            match stem {
                Some(stem) if stemmed => words.push((place, term(field, Form::Term, stem.clone(), 1.0))),
                None if stemmed && cut.len() > 1 => {}
                _ => words.push((place, term(field, Form::Exact, exact.clone(), 1.0))),
            }
        }
        let mixed = words.iter().any(|(_, word)| word.form == Form::Exact)
            && words.iter().any(|(_, word)| word.form == Form::Term);
        if mixed || words.is_empty() {
            words = cut
                .iter()
                .map(|(position, exact, _)| (position - first, term(field, Form::Exact, exact.clone(), 1.0)))
                .collect();
        }
        let marked: Vec<String> = cut.iter().map(|(_, exact, _)| exact.clone()).collect();
        if !self.plan.marks.phrases.contains(&marked) {
            self.plan.marks.phrases.push(marked);
        }
        Some(match words.as_slice() {
            [(_, word)] => Ask::Term(word.clone()),
            _ => Ask::Phrase { words },
        })
    }

    /// Two near each other: in one field, whichever.
    fn near(&mut self, left: &Query, right: &Query, distance: u32) -> Result<Option<Ask>, SearchError> {
        for side in [left, right] {
            if let Some(part) = placeless(side) {
                let message = "NEAR needs words or phrases on both sides".to_owned();
                return Err(QueryError { position: part.span.start, message }.into());
            }
        }
        let searched = self.searched.clone();
        let mut by_field = Vec::new();
        for field in &searched {
            self.searched = vec![*field];
            let sides = (self.any(left)?, self.any(right)?);
            if let (Some(left), Some(right)) = sides {
                by_field.push(Ask::Near { left: Box::new(left), right: Box::new(right), distance });
            }
        }
        self.searched = searched;
        Ok((!by_field.is_empty()).then(|| one_or(Ask::Any)(by_field)))
    }

    fn span(
        &self,
        query: &Query,
        field: &str,
        from: Option<&str>,
        to: Option<&str>,
    ) -> Result<Ask, SearchError> {
        let fail = |message: String| SearchError::from(QueryError { position: query.span.start, message });
        let Some(column) = self.fields.columns.get(field).copied() else {
            if self.fields.texts.contains_key(field) {
                let message =
                    format!("{field} has words, not numbers or dates: say `column: number` in the index");
                return Err(fail(message));
            }
            return Err(self.no_field(query, field));
        };
        match self.fields.schema.fields[column].kind {
            index::Kind::Number => {
                let number = |text: &str| {
                    let value = text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
                    value.ok_or_else(|| fail(format!("{text} is no number")))
                };
                let (from, to) = (from.map(number).transpose()?, to.map(number).transpose()?);
                Ok(Ask::Between { field: column, from, to })
            }
            index::Kind::Date => {
                let date = |text: &str| {
                    dates::span(text)
                        .ok_or_else(|| fail(format!("{text} is no date: write 2026, 2026-11 or 2026-11-15")))
                };
                let (from, to) = (from.map(date).transpose()?, to.map(date).transpose()?);
                let (from, to) = (from.map(|(start, _)| start as f64), to.map(|(_, end)| (end - 1) as f64));
                Ok(Ask::Between { field: column, from, to })
            }
            _ => Err(fail(format!(
                "{field} has values, not numbers or dates: name one of them, as in {field}:value"
            ))),
        }
    }

    /// A part that is a condition, not words: a filter, a range, a value of a column that has no words.
    fn is_condition(&self, query: &Query) -> bool {
        match &query.node {
            Node::Filter { .. } | Node::Span { .. } => true,
            Node::Word { field: Some(name), .. } | Node::Phrase { field: Some(name), .. } => {
                !self.fields.texts.contains_key(name) && self.fields.columns.contains_key(name)
            }
            Node::Not(part) => self.is_condition(part),
            _ => false,
        }
    }

    fn no_field(&self, query: &Query, name: &str) -> SearchError {
        let message = format!("the index has no field {name}");
        QueryError { position: query.span.start, message }.into()
    }
}

/// A word of a query: position, as it stands, stem.
type Cut = (u32, String, Option<String>);

fn cut(analyzer: &text::Analyzer, text: &str) -> Vec<Cut> {
    let mut words = Vec::new();
    analyzer.each(text, &mut |word| {
        words.push((word.position, word.exact.to_owned(), word.term.map(str::to_owned)));
    });
    words
}

fn term(field: usize, form: Form, text: String, boost: f64) -> Term {
    Term { field, form, text, boost }
}

/// A part of a side of NEAR that stands nowhere.
fn placeless(query: &Query) -> Option<&Query> {
    match &query.node {
        Node::Word { .. } | Node::Phrase { .. } => None,
        Node::Near { left, right, .. } => placeless(left).or_else(|| placeless(right)),
        Node::Or(parts) | Node::And(parts) | Node::Xor(parts) => parts.iter().find_map(placeless),
        Node::Loose(parts) => parts.iter().find_map(|(_, part)| placeless(part)),
        Node::Everything | Node::Span { .. } | Node::Filter { .. } | Node::Not(_) => Some(query),
    }
}

fn one_or(many: fn(Vec<Ask>) -> Ask) -> impl FnOnce(Vec<Ask>) -> Ask {
    move |mut parts| if parts.len() == 1 { parts.remove(0) } else { many(parts) }
}

/// Edits that are still the same word to most people.
fn by_length(letters: usize) -> usize {
    match letters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

fn filter_ask(query: &Query, filter: Filter, value: &str) -> Result<Ask, SearchError> {
    let keyword = |field, value: String| Ask::Keyword { field, value };
    let date = || {
        dates::span(value).ok_or_else(|| {
            let message = format!("{value} is no date: write 2026, 2026-11 or 2026-11-15");
            SearchError::from(QueryError { position: query.span.start, message })
        })
    };
    Ok(match filter {
        Filter::Site => keyword(built_in::SITE, value.trim_matches('.').to_lowercase()),
        Filter::FileType => keyword(built_in::TYPE, value.trim_start_matches('.').to_lowercase()),
        Filter::Language => keyword(built_in::LANGUAGE, value.to_lowercase()),
        Filter::Before => {
            Ask::Between { field: built_in::DATE, from: None, to: Some((date()?.0 - 1) as f64) }
        }
        Filter::After => Ask::Between { field: built_in::DATE, from: Some(date()?.0 as f64), to: None },
    })
}

impl Fields {
    /// The fields of words that name none, by weight.
    pub(crate) fn searched(&self, ranking: &Ranking) -> Vec<usize> {
        let weighted = |name: &str| ranking.weights.get(name).copied();
        let texts = self.texts.iter().filter(|(name, number)| {
            weighted(name).map_or(**number < built_in::COUNT, |weight| weight > 0.0)
        });
        let mut searched: Vec<usize> = texts.map(|(_, number)| *number).collect();
        searched.sort_unstable();
        searched
    }
}
