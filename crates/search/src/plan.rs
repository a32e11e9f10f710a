//! From what a person typed to what the index is asked: words are cut and stemmed, put into fields, and spread to
//! synonyms and near spellings.

mod columns;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use index::{Demand, Form, Query as Ask, Term};

use crate::SearchError;
use crate::document::{Fields, built_in};
use crate::query::{self, Node, Query, QueryError};
use crate::settings::Ranking;

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
    /// Those of them that nothing has as they were typed.
    pub unknown: BTreeSet<String>,
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
    pub phrases: Vec<Row>,
}

/// Words in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// One after the other; any word where there is none.
    pub words: Vec<Option<String>>,
    /// They are stems.
    pub stemmed: bool,
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

/// Near spellings beside a part.
type Beside = Vec<(Demand, Ask)>;

struct Planner<'a> {
    fields: &'a Fields,
    ranking: &'a Ranking,
    index: &'a dyn Words,
    /// The fields of words that name none.
    searched: Vec<usize>,
    /// The only field that words stand in, inside a NEAR: those that name another one are left out.
    only: Option<usize>,
    /// Stop words are looked for as they stand.
    stop_words: bool,
    /// Inside a part that is not wanted: a word that nothing has must not shut out near ones.
    unwanted: bool,
    /// Near spellings of rare words, where they can stand beside these: hits by them alone have not all words.
    aside: Option<Vec<Ask>>,
    /// The words side by side that are a synonym together, while one of them is planned, and how many they are.
    run: Option<(String, usize)>,
    plan: Plan,
}

impl<'a> Planner<'a> {
    fn new(fields: &'a Fields, ranking: &'a Ranking, index: &'a dyn Words, stop_words: bool) -> Planner<'a> {
        let plan = Plan::default();
        let searched = fields.searched(ranking);
        Planner {
            fields,
            ranking,
            index,
            searched,
            only: None,
            stop_words,
            unwanted: false,
            aside: None,
            run: None,
            plan,
        }
    }

    /// The root: conditions side by side with words hold for all.
    fn root(&mut self, query: &Query) -> Result<(Option<Ask>, Vec<Ask>), SearchError> {
        let mut filters = Vec::new();
        let Node::Loose(parts) = &query.node else {
            if self.is_condition(query) {
                let filter = self.any(query)?.into_iter().collect();
                return Ok((None, filter));
            }
            let (asked, also) = self.beside(query)?;
            if also.is_empty() {
                return Ok((asked, filters));
            }
            let parts = asked.into_iter().map(|asked| (Demand::May, asked));
            return Ok((Some(Ask::Loose(parts.chain(also).collect())), filters));
        };
        let mut rest = Vec::new();
        let runs = self.runs(&plain(parts));
        for ((demand, part), run) in parts.iter().zip(runs) {
            self.run = run;
            let asked = match demand {
                query::Demand::May if self.is_condition(part) => {
                    filters.extend(self.any(part)?);
                    continue;
                }
                query::Demand::May => {
                    let (asked, also) = self.beside(part)?;
                    rest.extend(also);
                    (Demand::May, asked)
                }
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
        self.run = None;
        if rest.iter().all(|(demand, _)| *demand == Demand::MustNot) {
            filters.extend(rest.into_iter().map(|(_, asked)| Ask::Not(Box::new(asked))));
            return Ok((None, filters));
        }
        if let [(Demand::May | Demand::Must, _)] = rest.as_slice() {
            return Ok((rest.pop().map(|(_, asked)| asked), filters));
        }
        Ok((Some(Ask::Loose(rest)), filters))
    }

    /// A part of the root, and the near spellings of it that do not count as it.
    fn beside(&mut self, query: &Query) -> Result<(Option<Ask>, Beside), SearchError> {
        self.aside = matches!(query.node, Node::Word { .. }).then(Vec::new);
        let asked = self.any(query)?;
        let also = self.aside.take().unwrap_or_default();
        Ok((asked, also.into_iter().map(|also| (Demand::Also, also)).collect()))
    }

    /// A query in whatever fields it names; none if nothing of it is looked for.
    fn any(&mut self, query: &Query) -> Result<Option<Ask>, SearchError> {
        if self.only.is_some_and(|field| !self.stands(query, field)) {
            return Ok(None);
        }
        Ok(match &query.node {
            Node::Everything => Some(Ask::Everything),
            Node::Word { field, text, form } => self.word(query, field.as_deref(), text, *form)?,
            Node::Phrase { field, text } => self.phrase(query, field.as_deref(), text)?,
            Node::Span { field, from, to, open } => {
                Some(self.span(query, field, (from.as_deref(), to.as_deref()), *open)?)
            }
            Node::Filter { filter, value } => Some(columns::filter_ask(query, *filter, value)?),
            Node::And(parts) => self.all(parts)?.map(one_or(Ask::All)),
            Node::Or(parts) => self.all(parts)?.map(one_or(Ask::Any)),
            Node::Xor(parts) => self.all(parts)?.map(one_or(Ask::Odd)),
            Node::Not(part) => self.unmarked(part)?.map(|asked| Ask::Not(Box::new(asked))),
            Node::Near { left, right, distance } => self.near(left, right, *distance)?,
            Node::Loose(parts) => {
                let mut asked = Vec::new();
                let runs = self.runs(&plain(parts));
                for ((demand, part), run) in parts.iter().zip(runs) {
                    self.run = run;
                    let demand = match demand {
                        query::Demand::May if self.is_condition(part) => Demand::Must,
                        query::Demand::May => Demand::May,
                        query::Demand::Must => Demand::Must,
                        query::Demand::MustNot => Demand::MustNot,
                    };
                    let part = if demand == Demand::MustNot { self.unmarked(part)? } else { self.any(part)? };
                    asked.extend(part.map(|part| (demand, part)));
                }
                self.run = None;
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
        let unknown = self.plan.unknown.clone();
        let outer = std::mem::replace(&mut self.unwanted, true);
        let asked = self.any(query)?;
        self.unwanted = outer;
        (self.plan.marks, self.plan.words, self.plan.spread) = (marks, words, spread);
        self.plan.unknown = unknown;
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

    /// Two near each other: in one field, whichever; words that name another one do not stand in it.
    fn near(&mut self, left: &Query, right: &Query, distance: u32) -> Result<Option<Ask>, SearchError> {
        let mut named = BTreeSet::new();
        for side in [left, right] {
            self.named(side, &mut named)?;
        }
        let fields: Vec<usize> = match self.only {
            Some(field) => vec![field],
            None => self.searched.iter().copied().chain(named).collect::<BTreeSet<_>>().into_iter().collect(),
        };
        if self.only.is_none()
            && !fields.iter().any(|field| self.stands(left, *field) && self.stands(right, *field))
        {
            let message = "words of different fields are never near each other: name one field for both, \
                           as in title:(a NEAR b)";
            return Err(QueryError { position: right.span.start, message: message.to_owned() }.into());
        }
        let (searched, only) = (self.searched.clone(), self.only);
        let mut by_field = Vec::new();
        for field in fields {
            if !self.stands(left, field) || !self.stands(right, field) {
                continue;
            }
            (self.searched, self.only) = (vec![field], Some(field));
            let sides = (self.any(left)?, self.any(right)?);
            if let (Some(left), Some(right)) = sides {
                by_field.push(Ask::Near { left: Box::new(left), right: Box::new(right), distance });
            }
        }
        (self.searched, self.only) = (searched, only);
        Ok((!by_field.is_empty()).then(|| one_or(Ask::Any)(by_field)))
    }

    /// The fields that a side of NEAR names; refused if a part of it stands nowhere.
    fn named(&self, query: &Query, named: &mut BTreeSet<usize>) -> Result<(), SearchError> {
        match &query.node {
            Node::Word { field: None, .. } | Node::Phrase { field: None, .. } => Ok(()),
            Node::Word { field: Some(name), .. } | Node::Phrase { field: Some(name), .. } => {
                match self.fields.texts.get(name) {
                    Some(field) => {
                        named.insert(*field);
                        Ok(())
                    }
                    None if self.fields.columns.contains_key(name) => Err(placeless(query)),
                    None => Err(self.no_field(query, name)),
                }
            }
            Node::Near { left, right, .. } => {
                self.named(left, named)?;
                self.named(right, named)
            }
            Node::Or(parts) | Node::And(parts) | Node::Xor(parts) => {
                parts.iter().try_for_each(|part| self.named(part, named))
            }
            Node::Loose(parts) => parts.iter().try_for_each(|(_, part)| self.named(part, named)),
            Node::Everything | Node::Span { .. } | Node::Filter { .. } | Node::Not(_) => {
                Err(placeless(query))
            }
        }
    }

    /// Whether a side of NEAR can stand in a field.
    fn stands(&self, query: &Query, field: usize) -> bool {
        match &query.node {
            Node::Word { field: Some(name), .. } | Node::Phrase { field: Some(name), .. } => {
                self.fields.texts.get(name) == Some(&field)
            }
            Node::Near { left, right, .. } => self.stands(left, field) && self.stands(right, field),
            Node::Or(parts) | Node::And(parts) | Node::Xor(parts) => {
                parts.iter().any(|part| self.stands(part, field))
            }
            Node::Loose(parts) => parts.iter().any(|(_, part)| self.stands(part, field)),
            _ => true,
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

fn term(field: usize, form: Form, text: String, boost: f64) -> Term {
    Term { field, form, text, boost }
}

/// The words among parts side by side that may be there, in whatever field.
fn plain(parts: &[(query::Demand, Query)]) -> Vec<Option<&str>> {
    let mut words = Vec::with_capacity(parts.len());
    for (demand, part) in parts {
        words.push(match &part.node {
            Node::Word { field: None, text, form: query::Form::Exact } if *demand == query::Demand::May => {
                Some(text.as_str())
            }
            _ => None,
        });
    }
    words
}

fn placeless(query: &Query) -> SearchError {
    let message = "NEAR needs words or phrases on both sides".to_owned();
    QueryError { position: query.span.start, message }.into()
}

fn one_or(many: fn(Vec<Ask>) -> Ask) -> impl FnOnce(Vec<Ask>) -> Ask {
    move |mut parts| if parts.len() == 1 { parts.remove(0) } else { many(parts) }
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
