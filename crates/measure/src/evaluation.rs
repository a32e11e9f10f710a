//! All judged queries measured, and their means.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Judgments, Measure, Ranking};

/// The figures of every judged query that has an answer, and the mean of each figure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// By the measure's name.
    pub mean: BTreeMap<String, f64>,
    /// In the order of the query ids.
    pub queries: Vec<QueryFigures>,
}

/// One query's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryFigures {
    /// The query's id in the judgments.
    pub query: String,
    /// By the measure's name.
    pub figures: BTreeMap<String, f64>,
}

/// Measures what `search` returns for each query with at least one relevant document. A query that returns nothing
/// counts with zeros.
pub fn evaluate<E>(
    judgments: &Judgments,
    measures: &[Measure],
    mut search: impl FnMut(&str) -> Result<Ranking, E>,
) -> Result<Evaluation, E> {
    let mut evaluation = Evaluation::default();
    for (query, grades) in judgments.answerable() {
        let ranking = search(query)?;
        let figures =
            measures.iter().map(|measure| (measure.to_string(), measure.of(&ranking, grades))).collect();
        evaluation.queries.push(QueryFigures { query: query.to_owned(), figures });
    }
    for measure in measures.iter().map(Measure::to_string) {
        let sum: f64 = evaluation.queries.iter().filter_map(|query| query.figures.get(&measure)).sum();
        evaluation.mean.insert(measure, if sum == 0.0 { 0.0 } else { sum / evaluation.queries.len() as f64 });
    }
    Ok(evaluation)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn the_mean_is_over_queries_with_an_answer_and_silence_counts_as_zero() {
        let judgments = Judgments::parse("1\ta\t1\n2\tb\t1\n3\tc\t0").expect("judgments");
        let found = |query: &str| {
            Ok::<Ranking, Infallible>(if query == "1" {
                ["a"].into_iter().collect()
            } else {
                Ranking::default()
            })
        };
        let evaluation = evaluate(&judgments, &[Measure::AveragePrecision], found).expect("never fails");
        assert_eq!(evaluation.queries.len(), 2);
        assert_eq!(evaluation.mean["map"], 0.5);
    }

    #[test]
    fn without_judged_queries_the_mean_is_zero() {
        let evaluation = evaluate(&Judgments::default(), &Measure::USUAL, |_| {
            Ok::<Ranking, Infallible>(Ranking::default())
        });
        assert_eq!(evaluation.expect("never fails").mean["map"], 0.0);
    }
}
