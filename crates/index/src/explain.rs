//! Where an entry's score comes from: the same numbers as the search, one entry at a time.

use crate::eval::Basis;
use crate::view::{DocAddress, View};
use crate::window::{WINDOW, Window};
use crate::{Demand, Form, IndexError, Query, Scoring, Statistics, Term};

/// A part of a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is.
    pub label: String,
    /// What it is worth.
    pub value: f64,
    /// How its value comes from its parts.
    pub how: How,
    /// Its parts.
    pub parts: Vec<Part>,
}

/// How a value comes from parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It has none.
    Value,
    /// They are added.
    Sum,
    /// They are multiplied.
    Product,
    /// The largest counts.
    Max,
}

impl View {
    /// Where an entry's word score comes from; none if the query does not match it.
    pub fn explain(
        &self,
        query: &Query,
        statistics: &Statistics,
        scoring: &Scoring,
        address: DocAddress,
    ) -> Result<Option<Part>, IndexError> {
        let basis = Basis { view: self, segment: address.segment as usize, statistics, scoring };
        part(&basis, query, address.doc)
    }

    /// Whether a query matches an entry.
    pub fn matches(&self, query: &Query, address: DocAddress) -> Result<bool, IndexError> {
        let scoring = Scoring::even(0, 0.0, 0.0, crate::Idf::Standard);
        let statistics = Statistics::default();
        let basis = Basis {
            view: self,
            segment: address.segment as usize,
            statistics: &statistics,
            scoring: &scoring,
        };
        Ok(score(&basis, query, address.doc)?.is_some())
    }
}

/// The score of a query for an entry, as the search has it.
fn score(basis: &Basis<'_>, query: &Query, doc: u32) -> Result<Option<f64>, IndexError> {
    let mut cursor = basis.cursor(query)?;
    let base = doc / WINDOW * WINDOW;
    let entries = WINDOW.min(basis.view.segment(basis.segment).max_doc() - base);
    let mut window = Window::new();
    cursor.fill(base, entries, &mut window);
    let place = (doc - base) as usize;
    Ok(window.contains(place).then(|| window.scores[place]))
}

fn part(basis: &Basis<'_>, query: &Query, doc: u32) -> Result<Option<Part>, IndexError> {
    let Some(value) = score(basis, query, doc)? else { return Ok(None) };
    let sum = |label: &str, parts: &mut dyn Iterator<Item = &Query>, how: How| {
        let mut found = Vec::new();
        for query in parts {
            found.extend(part(basis, query, doc)?);
        }
        // What stands alone needs no roof.
        if found.len() == 1 && found[0].value == value {
            return Ok(found.pop());
        }
        Ok(Some(Part { label: label.to_owned(), value, how, parts: found }))
    };
    match query {
        Query::Term(term) => word(basis, std::slice::from_ref(term), value, doc).map(Some),
        Query::Phrase { words } => {
            let terms: Vec<Term> = words.iter().map(|(_, term)| term.clone()).collect();
            word(basis, &terms, value, doc).map(Some)
        }
        Query::Near { left, right, distance } => {
            let label = format!("within {distance} words of each other");
            sum(&label, &mut [&**left, &**right].into_iter(), How::Sum)
        }
        Query::All(parts) => sum("all of", &mut parts.iter(), How::Sum),
        Query::Any(parts) => sum("any of", &mut parts.iter(), How::Sum),
        Query::Odd(parts) => sum("an odd number of", &mut parts.iter(), How::Sum),
        Query::Best(parts) => sum("the best of", &mut parts.iter(), How::Max),
        Query::Loose(parts) => {
            let wanted = parts.iter().filter(|(demand, _)| *demand != Demand::MustNot);
            sum("the words", &mut wanted.map(|(_, part)| part), How::Sum)
        }
        Query::Plus(query, more) => {
            let added =
                Part { label: "its own weight".to_owned(), value: *more, how: How::Value, parts: Vec::new() };
            let parts = part(basis, query, doc)?.into_iter().chain([added]).collect();
            Ok(Some(Part { label: "a weighted word".to_owned(), value, how: How::Sum, parts }))
        }
        Query::Everything
        | Query::Nothing
        | Query::Not(_)
        | Query::Silent(_)
        | Query::Keyword { .. }
        | Query::Between { .. } => {
            let label = "a condition, without score".to_owned();
            Ok(Some(Part { label, value, how: How::Value, parts: Vec::new() }))
        }
    }
}

/// A word, or words that count as one: worth times a share that grows with its occurrences.
fn word(basis: &Basis<'_>, terms: &[Term], value: f64, doc: u32) -> Result<Part, IndexError> {
    let field = terms.first().map_or(0, |term| term.field);
    let length = basis.lengths(field)?.of(doc);
    let worth: f64 = terms.iter().map(|term| basis.worth(term)).sum();
    let weight = basis.scoring.weight.get(field).copied().unwrap_or(1.0);
    let share = if worth * weight == 0.0 { 0.0 } else { value / (worth * weight) };
    let average = basis.statistics.average_length(field);
    let text: Vec<&str> = terms.iter().map(|term| term.text.as_str()).collect();
    let name = basis.view.schema().fields.get(field).map_or("", |field| &field.name);
    let exact = if terms.iter().any(|term| term.form == Form::Exact) { " as written" } else { "" };
    let leaf = |label: String, value: f64| Part { label, value, how: How::Value, parts: Vec::new() };
    let mut parts = vec![leaf(
        format!("how often it stands here: length {length} words, {average:.1} on average"),
        share,
    )];
    let rare = |term: &Term| {
        let with = basis.statistics.with(term.field, term.form, &term.text);
        let mut label = format!("how rare “{}” is: in {with} of {}", term.text, basis.statistics.entries);
        if term.boost != 1.0 {
            label.push_str(&format!(", times {:.3}", term.boost));
        }
        leaf(label, basis.worth(term))
    };
    if let [term] = terms {
        parts.push(rare(term));
    } else {
        let rares = terms.iter().map(rare).collect();
        parts.push(Part {
            label: "how rare its words are".into(),
            value: worth,
            how: How::Sum,
            parts: rares,
        });
    }
    if weight != 1.0 {
        parts.push(leaf(format!("weight of {name}"), weight));
    }
    let label = format!("“{}”{exact} in {name}", text.join(" "));
    Ok(Part { label, value, how: How::Product, parts })
}
