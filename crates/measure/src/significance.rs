//! Whether the difference between two evaluations may be chance.
//!
//! Fisher's randomisation test over the queries' differences: if the settings made no difference, each query's
//! difference could as well have had the other sign. The share of sign patterns with a mean at least as far from
//! zero is p. All patterns are tried for up to 16 queries; above that, a fixed number drawn by a fixed rule, so that
//! the same figures always give the same p.

use serde::{Deserialize, Serialize};

use crate::{Evaluation, MeasureError};

const ALL_PATTERNS_UP_TO: usize = 16;
const DRAWN: u32 = 20_000;

/// How one measure differs between two evaluations of the same queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The measure's name.
    pub measure: String,
    /// Mean before.
    pub before: f64,
    /// Mean after.
    pub after: f64,
    /// Probability of a difference at least this large if there were none; small = not chance.
    pub p: f64,
    /// Queries that got better, worse, and stayed equal.
    pub better: usize,
    /// See `better`.
    pub worse: usize,
    /// See `better`.
    pub equal: usize,
    /// The difference of each query, in the order of the query ids.
    pub deltas: Vec<(String, f64)>,
}

/// Compares one measure, query by query, over the queries both evaluations have.
pub fn compare(measure: &str, before: &Evaluation, after: &Evaluation) -> Result<Comparison, MeasureError> {
    let mut pairs = Vec::new();
    for query in &before.queries {
        let other = after.queries.iter().find(|other| other.query == query.query);
        if let (Some(a), Some(b)) =
            (query.figures.get(measure), other.and_then(|other| other.figures.get(measure)))
        {
            pairs.push((query.query.clone(), *a, *b));
        }
    }
    if pairs.is_empty() {
        return Err(MeasureError::NothingShared);
    }
    let count = pairs.len() as f64;
    let deltas: Vec<(String, f64)> = pairs.iter().map(|(query, a, b)| (query.clone(), b - a)).collect();
    Ok(Comparison {
        measure: measure.to_owned(),
        before: pairs.iter().map(|pair| pair.1).sum::<f64>() / count,
        after: pairs.iter().map(|pair| pair.2).sum::<f64>() / count,
        p: randomisation(&deltas.iter().map(|delta| delta.1).collect::<Vec<f64>>()),
        better: deltas.iter().filter(|delta| delta.1 > 0.0).count(),
        worse: deltas.iter().filter(|delta| delta.1 < 0.0).count(),
        equal: deltas.iter().filter(|delta| delta.1 == 0.0).count(),
        deltas,
    })
}

fn randomisation(deltas: &[f64]) -> f64 {
    // A query without a difference keeps its 0 under either sign.
    let deltas: Vec<f64> = deltas.iter().copied().filter(|delta| *delta != 0.0).collect();
    if deltas.is_empty() {
        return 1.0;
    }
    // Sums of the same numbers in another order differ in the last bits; those are ties.
    let observed = deltas.iter().sum::<f64>().abs() * (1.0 - 1e-12);
    if deltas.len() <= ALL_PATTERNS_UP_TO {
        let patterns = 1u64 << deltas.len();
        let extreme =
            (0..patterns).filter(|&pattern| signed_sum(&deltas, |at| pattern >> at & 1 == 1) >= observed);
        return extreme.count() as f64 / patterns as f64;
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut extreme = 0;
    for _ in 0..DRAWN {
        let sum = signed_sum(&deltas, |_| {
            state = xorshift(state);
            state >> 63 == 1
        });
        extreme += u32::from(sum >= observed);
    }
    // The observed pattern is one of those that could have been drawn, so p is never 0.
    f64::from(extreme + 1) / f64::from(DRAWN + 1)
}

fn signed_sum(deltas: &[f64], mut flipped: impl FnMut(usize) -> bool) -> f64 {
    deltas.iter().enumerate().map(|(at, delta)| if flipped(at) { -delta } else { *delta }).sum::<f64>().abs()
}

fn xorshift(mut state: u64) -> u64 {
    state ^= state << 13;
    state ^= state >> 7;
    state ^ (state << 17)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::QueryFigures;

    fn evaluation(figures: &[f64]) -> Evaluation {
        let queries = figures.iter().enumerate().map(|(at, figure)| QueryFigures {
            query: format!("{at:03}"),
            figures: BTreeMap::from([("map".to_owned(), *figure)]),
        });
        Evaluation { mean: BTreeMap::new(), queries: queries.collect() }
    }

    fn p(before: &[f64], after: &[f64]) -> f64 {
        compare("map", &evaluation(before), &evaluation(after)).expect("shared queries").p
    }

    #[test]
    fn all_sign_patterns_of_few_queries_are_counted() {
        // Three equal gains: only +++ and --- are as extreme, 2 of 8.
        assert_eq!(p(&[0.1, 0.2, 0.3], &[0.2, 0.3, 0.4]), 0.25);
        // 1, 2, -3: the sum is 0, so every pattern is as extreme.
        assert_eq!(p(&[0.0, 0.0, 3.0], &[1.0, 2.0, 0.0]), 1.0);
        assert_eq!(p(&[0.5, 0.5], &[0.5, 0.5]), 1.0);
    }

    #[test]
    fn many_equal_gains_are_no_chance_and_balanced_changes_are() {
        assert!(p(&[0.0; 60], &[0.1; 60]) < 0.001);
        let balanced: Vec<f64> = (0..60).map(|at| if at % 2 == 0 { 0.1 } else { -0.1 }).collect();
        assert!(p(&[0.0; 60], &balanced) > 0.5);
    }

    #[test]
    fn the_drawn_test_agrees_with_the_exact_one() {
        let deltas: Vec<f64> = (0..16).map(|at| f64::from((at * 7 % 11) - 3) / 10.0).collect();
        let exact = randomisation(&deltas);
        // The same differences, each cut in a large and a vanishing part, are too many for all patterns.
        let padded: Vec<f64> = deltas.iter().flat_map(|delta| [*delta, 1e-9]).collect();
        assert!((exact - randomisation(&padded)).abs() < 0.02, "{exact}");
    }

    #[test]
    fn queries_are_counted_by_what_became_of_them() {
        let compared =
            compare("map", &evaluation(&[0.1, 0.5, 0.3]), &evaluation(&[0.2, 0.4, 0.3])).expect("shared");
        assert_eq!((compared.better, compared.worse, compared.equal), (1, 1, 1));
        assert_eq!(compare("rr", &evaluation(&[0.1]), &evaluation(&[0.1])), Err(MeasureError::NothingShared));
    }
}
