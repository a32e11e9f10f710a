//! What changes a score beside words: the formula, freshness and PageRank.

use std::sync::Arc;

use index::{Change, DocAddress, IndexError, NumberColumn, Segment, Signals, View};
use rank::{Formula, Scratch};

use crate::SearchError;
use crate::document::{Fields, built_in};
use crate::links::{Joined, Links};
use crate::settings::{FormulaIs, Freshness, Ranking};

/// Names that every formula may use, beside those of the fields.
pub const BUILT_IN: [&str; 6] = ["age", "depth", "length", "score", "pagerank", "inlinks"];

const DAY: f64 = 86_400.0;

/// The formula, freshness and PageRank of a ranking.
pub(crate) struct RankSignals {
    formula: Option<(Formula, Vec<Variable>, FormulaIs)>,
    freshness: Option<Freshness>,
    /// The weight of PageRank, where it has one.
    pagerank: Option<f64>,
    now: i64,
    links: Option<Arc<Links>>,
}

/// What the signals make of one document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignalParts {
    /// What the formula gave, and its variables.
    pub formula: Option<(f64, Vec<(String, f64)>)>,
    /// What freshness added.
    pub fresh: Option<f64>,
    /// What PageRank added, and the rank of the page where it is known.
    pub pagerank: Option<(f64, Option<f64>)>,
}

/// Where a variable's value comes from.
#[derive(Clone, Copy)]
enum Variable {
    /// A column of the index.
    Column(usize),
    /// Days since it was published, or fetched.
    Age,
    /// The score of its words.
    Score,
    /// The rank of its page by links, which stands outside the index.
    PageRank,
    /// The pages that link to its page.
    InLinks,
    /// Not known here.
    Unknown,
}

impl RankSignals {
    /// None where there is nothing to add.
    pub(crate) fn new(
        ranking: &Ranking,
        fields: &Fields,
        now: i64,
        links: Option<Arc<Links>>,
    ) -> Result<Option<RankSignals>, SearchError> {
        let formula = match ranking.formula.as_deref().filter(|text| !text.trim().is_empty()) {
            None => None,
            Some(text) => {
                let formula = parse(text, fields)?;
                let variables = formula.names().iter().map(|name| match name.as_str() {
                    "age" => Variable::Age,
                    "score" => Variable::Score,
                    name => match (fields.variables.get(name), name) {
                        (Some(column), _) => Variable::Column(*column),
                        (None, "pagerank") => Variable::PageRank,
                        (None, "inlinks") => Variable::InLinks,
                        (None, _) => Variable::Unknown,
                    },
                });
                let variables = variables.collect();
                Some((formula, variables, ranking.formula_is))
            }
        };
        let pagerank = Some(ranking.pagerank).filter(|weight| *weight > 0.0);
        if formula.is_none() && ranking.freshness.is_none() && pagerank.is_none() {
            return Ok(None);
        }
        Ok(Some(RankSignals { formula, freshness: ranking.freshness, pagerank, now, links }))
    }

    /// What each of them makes of a document whose words are worth `words`.
    pub(crate) fn parts(
        &self,
        view: &View,
        address: DocAddress,
        words: f64,
    ) -> Result<SignalParts, SearchError> {
        let columns = view.columns(address);
        let reader = Columns::new(self, &columns)?;
        let doc = address.doc();
        let formula = self.formula.as_ref().map(|(formula, ..)| {
            let at = 0..formula.names().len();
            let values: Vec<f64> = at.map(|at| reader.value(self, at, doc, words)).collect();
            let named = formula.names().iter().cloned().zip(values.iter().copied()).collect();
            (formula.eval(&values, self.neutral()), named)
        });
        Ok(SignalParts {
            formula,
            fresh: self.freshness.map(|freshness| reader.fresh(self, freshness, doc)),
            pagerank: self.pagerank.map(|weight| (reader.linked(weight, doc), reader.pagerank(doc))),
        })
    }

    fn neutral(&self) -> f64 {
        match self.formula {
            Some((_, _, FormulaIs::Multiplied)) => 1.0,
            _ => 0.0,
        }
    }
}

impl Fields {
    /// Refuses a formula that cannot be computed over these fields.
    pub fn check_formula(&self, ranking: &Ranking) -> Result<(), SearchError> {
        match ranking.formula.as_deref().filter(|text| !text.trim().is_empty()) {
            Some(text) => parse(text, self).map(|_| ()),
            None => Ok(()),
        }
    }
}

/// Reads a formula, with the names that an index knows.
fn parse(text: &str, fields: &Fields) -> Result<Formula, SearchError> {
    let known = |name: &str| BUILT_IN.contains(&name) || fields.variables.contains_key(name);
    // Bytes there, characters for people.
    let place = |byte: usize| text[..text.floor_char_boundary(byte)].chars().count();
    Formula::parse(text, &known).map_err(|error| SearchError::Formula {
        start: place(error.start),
        end: place(error.end),
        message: error.message,
    })
}

/// The columns that a formula, freshness and PageRank need.
struct Columns {
    variables: Vec<Option<NumberColumn>>,
    links: Option<Arc<Joined>>,
    date: NumberColumn,
    fetched: NumberColumn,
}

impl Columns {
    fn new(signals: &RankSignals, segment: &Segment<'_>) -> Result<Columns, IndexError> {
        let mut variables = Vec::new();
        let mut of_formula = signals.formula.iter().flat_map(|(_, variables, _)| variables);
        let by_links = |variable: &Variable| matches!(variable, Variable::PageRank | Variable::InLinks);
        let links = match &signals.links {
            Some(known) if signals.pagerank.is_some() || of_formula.any(by_links) => {
                Some(known.of_segment(segment)?)
            }
            _ => None,
        };
        for variable in signals.formula.iter().flat_map(|(_, variables, _)| variables) {
            variables.push(match variable {
                Variable::Column(field) => Some(segment.numbers(*field)?),
                _ => None,
            });
        }
        let (date, fetched) = (segment.numbers(built_in::DATE)?, segment.numbers(built_in::FETCHED)?);
        Ok(Columns { variables, links, date, fetched })
    }

    fn age(&self, signals: &RankSignals, doc: u32) -> f64 {
        let date = self.date.first(doc).or_else(|| self.fetched.first(doc));
        // A date in the future is as new as today.
        date.map_or(f64::NAN, |date| ((signals.now as f64 - date) / DAY).max(0.0))
    }

    fn fresh(&self, signals: &RankSignals, freshness: Freshness, doc: u32) -> f64 {
        let age = self.age(signals, doc);
        if age.is_nan() { 0.0 } else { freshness.weight * rank::freshness(age, freshness.half_life) }
    }

    /// The rank of a document's page, where links say anything of it.
    fn pagerank(&self, doc: u32) -> Option<f64> {
        self.links.as_ref().and_then(|links| links.of(doc)).map(|links| f64::from(links.pagerank))
    }

    /// What its rank adds to a document. Ranks differ by powers, so that a page of the mean rank gets the weight, one of
    /// three times as much twice the weight, and so on.
    fn linked(&self, weight: f64, doc: u32) -> f64 {
        self.pagerank(doc).map_or(0.0, |rank| weight * rank.max(0.0).ln_1p() / std::f64::consts::LN_2)
    }

    /// The value of a variable, NaN where there is none.
    fn value(&self, signals: &RankSignals, at: usize, doc: u32, words: f64) -> f64 {
        let links = || self.links.as_ref().and_then(|links| links.of(doc));
        let variable = signals.formula.as_ref().and_then(|(_, variables, _)| variables.get(at));
        let value = match variable.unwrap_or(&Variable::Unknown) {
            Variable::Column(_) => self.variables[at].as_ref().and_then(|column| column.first(doc)),
            Variable::Age => Some(self.age(signals, doc)),
            Variable::Score => Some(words),
            Variable::PageRank => self.pagerank(doc),
            Variable::InLinks => links().map(|links| f64::from(links.inlinks)),
            Variable::Unknown => None,
        };
        value.unwrap_or(f64::NAN)
    }
}

/// Room for the numbers of many documents.
#[derive(Default)]
struct Room {
    /// A column for each variable.
    columns: Vec<Vec<f64>>,
    values: Vec<f64>,
    scratch: Scratch,
}

impl Columns {
    fn change(&self, signals: &RankSignals, docs: &[u32], scores: &mut [f64], room: &mut Room) {
        let Room { columns, values, scratch } = room;
        columns.resize_with(self.variables.len(), Vec::new);
        for (at, column) in columns.iter_mut().enumerate() {
            column.clear();
            let rows = docs.iter().zip(scores.iter());
            column.extend(rows.map(|(doc, words)| self.value(signals, at, *doc, *words)));
        }
        values.clear();
        values.resize(docs.len(), signals.neutral());
        if let Some((formula, ..)) = &signals.formula {
            formula.eval_many(columns, signals.neutral(), scratch, values);
        }
        let multiplied = matches!(signals.formula, Some((_, _, FormulaIs::Multiplied)));
        for ((score, value), doc) in scores.iter_mut().zip(values).zip(docs) {
            let mut changed = if multiplied { *score * *value } else { *score + *value };
            if let Some(freshness) = signals.freshness {
                changed += self.fresh(signals, freshness, *doc);
            }
            if let Some(weight) = signals.pagerank {
                changed += self.linked(weight, *doc);
            }
            // Two finite numbers can still make an infinite one; an order needs a number.
            if changed.is_finite() {
                *score = changed;
            }
        }
    }
}

impl Signals for RankSignals {
    fn segment<'s>(&'s self, segment: &Segment<'s>) -> Result<Change<'s>, IndexError> {
        let columns = Columns::new(self, segment)?;
        let mut room = Room::default();
        Ok(Box::new(move |docs, scores| columns.change(self, docs, scores, &mut room)))
    }
}
