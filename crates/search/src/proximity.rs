//! Words that stand close to each other: what that is worth.
//!
//! Every occurrence of a query word meets the occurrence of another one before it; the closer, the more both gain:
//! each by the other's worth over the square of the distance. What a word has gained is then damped as BM25 damps
//! occurrences, so that a text of nothing but the query is not worth more than a good one.

use index::{DocAddress, Scoring, Statistics, Term, View};

use crate::SearchError;
use crate::shard::ShardOrder;

/// How quickly gains are damped.
const NEAR_K: f64 = 1.2;

/// Farther apart, words have nothing to do with each other.
const FARTHEST: u32 = 8;

/// Proximity of a query's words.
pub(crate) struct Proximity<'a> {
    words: &'a [Vec<Term>],
    /// The fields in which at least two of the words can stand, with their weights.
    fields: Vec<(usize, f64)>,
    /// What each word is worth, by field in the order above.
    worth: Vec<Vec<f64>>,
    weight: f64,
}

impl<'a> Proximity<'a> {
    /// None where there is nothing to look at.
    pub(crate) fn new(order: &ShardOrder<'a>) -> Option<Proximity<'a>> {
        let weight = order.ranking.proximity;
        if weight <= 0.0 || order.words.len() < 2 {
            return None;
        }
        let mut fields: Vec<usize> = order.words.iter().flatten().map(|term| term.field).collect();
        fields.sort_unstable();
        fields.dedup();
        let weighted = |field: &usize| (*field, order.scoring.weight.get(*field).copied().unwrap_or(1.0));
        let fields: Vec<(usize, f64)> = fields.iter().map(weighted).collect();
        let worth_in = |field: usize| {
            let words = order.words.iter();
            words.map(|word| worth(order.statistics, order.scoring, word, field)).collect()
        };
        let worth = fields.iter().map(|(field, _)| worth_in(*field)).collect();
        Some(Proximity { words: order.words, fields, worth, weight })
    }

    /// What it is worth in each of these documents.
    pub(crate) fn of(&self, view: &View, addresses: &[DocAddress]) -> Result<Vec<f64>, SearchError> {
        let mut totals = vec![0.0; addresses.len()];
        for ((field, weight), worth) in self.fields.iter().zip(&self.worth) {
            let mut numbers = Vec::new();
            let mut terms = Vec::new();
            for (number, word) in self.words.iter().enumerate() {
                for term in word.iter().filter(|term| term.field == *field) {
                    numbers.push(number);
                    terms.push(term.clone());
                }
            }
            let mut met: Vec<(u32, usize)> = Vec::new();
            view.places(addresses, &terms, &mut |document, places| {
                met.clear();
                for (number, places) in numbers.iter().zip(places) {
                    met.extend(places.iter().map(|place| (*place, *number)));
                }
                met.sort_unstable();
                totals[document] += weight * gained(&met, worth);
            })?;
        }
        totals.iter_mut().for_each(|total| *total *= self.weight);
        Ok(totals)
    }
}

fn worth(statistics: &Statistics, scoring: &Scoring, word: &[Term], field: usize) -> f64 {
    let term = word.iter().find(|term| term.field == field);
    term.map_or(0.0, |term| scoring.idf.of(statistics.entries, statistics.with(field, term.form, &term.text)))
}

/// What words at these places gain: by words that follow each other in the query, and stand together in the text.
fn gained(met: &[(u32, usize)], worth: &[f64]) -> f64 {
    let mut gains = vec![0.0; worth.len()];
    for (at, (place, word)) in met.iter().enumerate() {
        for (next, other) in &met[at + 1..] {
            let apart = next - place;
            if apart > FARTHEST {
                break;
            }
            if apart == 0 || word.abs_diff(*other) != 1 {
                continue;
            }
            let in_order = if other > word { 1.0 } else { 0.5 };
            gains[*word.min(other)] += in_order / f64::from(apart);
        }
    }
    let pairs = worth.windows(2).zip(&gains);
    pairs.map(|(worth, gain)| (worth[0] + worth[1]) / 2.0 * gain * (NEAR_K + 1.0) / (gain + NEAR_K)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closer_words_are_worth_more_and_strangers_nothing() {
        let worth = [2.0, 3.0];
        let at = |apart: u32| gained(&[(5, 0), (5 + apart, 1)], &worth);
        assert!(at(1) > at(2) && at(2) > at(5) && at(5) > 0.0);
        assert_eq!(at(FARTHEST + 1), 0.0);
        assert_eq!(gained(&[(1, 0), (2, 0)], &worth), 0.0);
        assert_eq!(gained(&[], &worth), 0.0);
    }
}
