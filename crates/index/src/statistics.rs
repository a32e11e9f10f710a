//! Counts over living entries, on which scores rest. They add up over views, so that many answer as one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Form, Query};

/// How many entries there are, how long they are, and how many have each word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Living entries.
    pub entries: u64,
    /// Per field: the terms of all living entries.
    pub terms: Vec<u64>,
    /// Living entries with a word: field, exact word or stem, text.
    pub with: BTreeMap<(usize, bool, String), u64>,
}

impl Statistics {
    /// Adds those of another view.
    pub fn add(&mut self, other: &Statistics) {
        self.entries += other.entries;
        self.terms.resize(self.terms.len().max(other.terms.len()), 0);
        self.terms.iter_mut().zip(&other.terms).for_each(|(mine, theirs)| *mine += theirs);
        for (word, with) in &other.with {
            *self.with.entry(word.clone()).or_default() += with;
        }
    }

    /// The mean length of a field, in terms.
    pub fn average_length(&self, field: usize) -> f64 {
        let terms = self.terms.get(field).copied().unwrap_or_default();
        if self.entries == 0 { 0.0 } else { terms as f64 / self.entries as f64 }
    }

    /// Living entries with a word.
    pub fn with(&self, field: usize, form: Form, text: &str) -> u64 {
        let key = (field, form == Form::Exact, text.to_owned());
        self.with.get(&key).copied().unwrap_or_default()
    }

    /// The words of a query for which counts are needed.
    pub(crate) fn words(query: &Query) -> Vec<(usize, Form, String)> {
        let mut words = Vec::new();
        query.each_term(&mut |term| words.push((term.field, term.form, term.text.clone())));
        words.sort_unstable();
        words.dedup();
        words
    }
}
