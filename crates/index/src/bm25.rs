//! BM25 for any k and b: what one word is worth in one entry.
//!
//! `idf · tf(k+1) / (k·α + tf)` with `α = 1 − b + b · length / average length`.

use serde::{Deserialize, Serialize};

/// What a rare word is worth against a common one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Idf {
    /// `ln(1 + (N − df + ½) / (df + ½))`: never below zero.
    #[default]
    Standard,
    /// `log2(N / df)`: a word that is everywhere is worth nothing.
    Paper,
}

/// How words are scored, chosen per query.
#[derive(Clone, Debug, PartialEq)]
pub struct Scoring {
    /// The worth of rare words.
    pub idf: Idf,
    /// Per field: how slowly further occurrences stop to count.
    pub k: Vec<f64>,
    /// Per field: how much long entries are held back, 0 to 1.
    pub b: Vec<f64>,
    /// Per field: what its words count.
    pub weight: Vec<f64>,
}

impl Idf {
    /// The worth of a word that `with` of `all` entries have.
    pub fn of(self, all: u64, with: u64) -> f64 {
        if all == 0 {
            return 0.0;
        }
        // Statistics of several views may be added up at different moments.
        let (all, with) = (all as f64, (with.min(all) as f64).max(0.0));
        match self {
            Idf::Standard => (1.0 + (all - with + 0.5) / (with + 0.5)).ln(),
            Idf::Paper if with > 0.0 => (all / with).log2(),
            Idf::Paper => 0.0,
        }
    }
}

impl Scoring {
    /// The same k and b for all fields, each counting as much as the others.
    pub fn even(fields: usize, k: f64, b: f64, idf: Idf) -> Scoring {
        Scoring { idf, k: vec![k; fields], b: vec![b; fields], weight: vec![1.0; fields] }
    }
}

/// The formula for one word in one field, with what does not depend on the entry worked out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curve {
    /// idf, weight and k + 1.
    height: f64,
    /// k·(1 − b).
    flat: f64,
    /// k·b / average length.
    slope: f64,
}

impl Curve {
    pub(crate) fn new(worth: f64, k: f64, b: f64, average: f64) -> Curve {
        let slope = if average > 0.0 { k * b / average } else { 0.0 };
        Curve { height: worth * (k + 1.0), flat: k * (1.0 - b), slope }
    }

    /// What no number of occurrences exceeds.
    pub(crate) fn height(&self) -> f64 {
        self.height.max(0.0)
    }

    #[inline]
    pub(crate) fn score(&self, occurrences: f64, length: f64) -> f64 {
        self.height * occurrences / (occurrences + self.flat + self.slope * length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example: three texts of 26, 21 and 49 words, k 1.75, b 0.75.
    #[test]
    fn the_papers_example() {
        let check = |occurrences: f64, length: f64, with: u64, expected: f64| {
            let curve = Curve::new(Idf::Paper.of(3, with), 1.75, 0.75, 32.0);
            let score = curve.score(occurrences, length);
            assert!((score - expected).abs() < 1e-4, "{score} instead of {expected}");
        };
        check(3.0, 26.0, 2, 1.0715);
        check(1.0, 49.0, 2, 0.4666);
        check(2.0, 21.0, 2, 0.9753);
        check(1.0, 26.0, 1, 1.7407);
        check(5.0, 26.0, 3, 0.0);
    }

    #[test]
    fn a_word_in_every_entry_is_worth_little_but_never_less_than_nothing() {
        for all in [1, 2, 10, 1_000_000] {
            assert!(Idf::Standard.of(all, all) > 0.0);
            assert_eq!(Idf::Paper.of(all, all), 0.0);
            assert!(Idf::Standard.of(all, 0) > Idf::Standard.of(all, all));
        }
        assert_eq!(Idf::Standard.of(0, 0), 0.0);
    }
}
