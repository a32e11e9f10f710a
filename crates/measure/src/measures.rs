//! The measures, each a few lines over one ranking and its grades.

use std::fmt;
use std::str::FromStr;

use crate::{Grades, MeasureError, Ranking};

/// A figure of one ranking. Its text form (`ndcg@10`) is also its name in reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Relevant documents among the first k, divided by k even when fewer were returned.
    PrecisionAt(usize),
    /// Precision at R, the number of relevant documents; its mean is MP@R.
    PrecisionAtRelevant,
    /// Mean of the precision at each relevant document; those not returned count as 0. Its mean is MAP.
    AveragePrecision,
    /// Gain = grade, discount log2(rank + 1), divided by the same sum of the ideal order of all judged documents.
    NdcgAt(usize),
    /// Share of the relevant documents among the first k.
    RecallAt(usize),
    /// 1 / rank of the first relevant document, 0 without one.
    ReciprocalRank,
    /// Relevant and returned, divided by returned.
    SetPrecision,
    /// Relevant and returned, divided by relevant.
    SetRecall,
}

impl Measure {
    /// What a report shows when nobody asked for other figures.
    pub const USUAL: [Measure; 11] = [
        Measure::AveragePrecision,
        Measure::NdcgAt(10),
        Measure::PrecisionAt(5),
        Measure::PrecisionAt(10),
        Measure::PrecisionAtRelevant,
        Measure::RecallAt(10),
        Measure::RecallAt(100),
        Measure::RecallAt(1000),
        Measure::ReciprocalRank,
        Measure::SetPrecision,
        Measure::SetRecall,
    ];

    /// The figure, 0 where it would divide by nothing.
    pub fn of(self, ranking: &Ranking, grades: &Grades) -> f64 {
        let documents = ranking.documents();
        let relevant = grades.values().filter(|&&grade| grade > 0).count();
        let is_relevant = |id: &String| grades.get(id).is_some_and(|&grade| grade > 0);
        let found = |k: usize| documents.iter().take(k).filter(|id| is_relevant(id)).count();
        match self {
            Measure::PrecisionAt(k) => share(found(k), k),
            Measure::PrecisionAtRelevant => share(found(relevant), relevant),
            Measure::AveragePrecision => {
                let hits = (1..).zip(documents).filter(|(_, id)| is_relevant(id));
                let sum: f64 = (1..).zip(hits).map(|(nth, (rank, _))| share(nth, rank)).sum();
                if relevant == 0 { 0.0 } else { sum / relevant as f64 }
            }
            Measure::NdcgAt(k) => {
                let gained =
                    discounted(documents.iter().take(k).map(|id| grades.get(id).copied().unwrap_or(0)));
                let mut best: Vec<u32> = grades.values().copied().collect();
                best.sort_unstable_by(|a, b| b.cmp(a));
                let ideal = discounted(best.into_iter().take(k));
                if ideal == 0.0 { 0.0 } else { gained / ideal }
            }
            Measure::RecallAt(k) => share(found(k), relevant),
            Measure::ReciprocalRank => {
                documents.iter().position(is_relevant).map_or(0.0, |at| share(1, at + 1))
            }
            Measure::SetPrecision => share(found(documents.len()), documents.len()),
            Measure::SetRecall => share(found(documents.len()), relevant),
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measure::PrecisionAt(k) => write!(f, "p@{k}"),
            Measure::PrecisionAtRelevant => f.write_str("mp@r"),
            Measure::AveragePrecision => f.write_str("map"),
            Measure::NdcgAt(k) => write!(f, "ndcg@{k}"),
            Measure::RecallAt(k) => write!(f, "recall@{k}"),
            Measure::ReciprocalRank => f.write_str("rr"),
            Measure::SetPrecision => f.write_str("precision"),
            Measure::SetRecall => f.write_str("recall"),
        }
    }
}

impl FromStr for Measure {
    type Err = MeasureError;

    /// Case does not matter; the usual other names (`ap`, `mrr`, `mp@5`, `r@100`, `rprec`, `set_recall`) are known.
    fn from_str(text: &str) -> Result<Measure, MeasureError> {
        let unknown = || MeasureError::UnknownMeasure(text.chars().take(40).collect());
        let name = text.trim().to_ascii_lowercase();
        let plain = match name.as_str() {
            "map" | "ap" => Some(Measure::AveragePrecision),
            "rr" | "mrr" => Some(Measure::ReciprocalRank),
            "mp@r" | "p@r" | "rprec" => Some(Measure::PrecisionAtRelevant),
            "precision" | "set_precision" => Some(Measure::SetPrecision),
            "recall" | "set_recall" => Some(Measure::SetRecall),
            _ => None,
        };
        if let Some(measure) = plain {
            return Ok(measure);
        }
        let (kind, k) = name.split_once('@').ok_or_else(unknown)?;
        let k = k.parse().ok().filter(|&k: &usize| k > 0).ok_or_else(unknown)?;
        match kind {
            "p" | "mp" => Ok(Measure::PrecisionAt(k)),
            "ndcg" => Ok(Measure::NdcgAt(k)),
            "recall" | "r" => Ok(Measure::RecallAt(k)),
            _ => Err(unknown()),
        }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn discounted(grades: impl Iterator<Item = u32>) -> f64 {
    (2..).zip(grades).map(|(rank_and_one, grade)| f64::from(grade) / f64::from(rank_and_one).log2()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn grades(pairs: &[(&str, u32)]) -> Grades {
        pairs.iter().map(|(id, grade)| ((*id).to_owned(), *grade)).collect()
    }

    fn check(measure: &str, ranked: &str, judged: &[(&str, u32)], expected: f64) {
        let measure: Measure = measure.parse().expect("a measure's name");
        let ranking: Ranking = ranked.split_whitespace().collect();
        let figure = measure.of(&ranking, &grades(judged));
        assert!((figure - expected).abs() < 1e-9, "{measure} of {ranked}: {figure}, expected {expected}");
    }

    #[test]
    fn precision_divides_by_k_even_when_fewer_were_returned() {
        check("p@5", "a b x", &[("a", 1), ("b", 2), ("c", 1)], 0.4);
        check("p@2", "x a b", &[("a", 1), ("b", 2)], 0.5);
        check("p@5", "", &[("a", 1)], 0.0);
    }

    #[test]
    fn precision_at_r_looks_at_as_many_as_are_relevant() {
        check("mp@r", "a x b c", &[("a", 1), ("b", 1), ("c", 1)], 2.0 / 3.0);
        check("mp@r", "a", &[("x", 0)], 0.0);
    }

    // The worked example of every text book: relevant at ranks 1, 3, 6, 9, 10 of five.
    #[test]
    fn average_precision_counts_missing_documents_as_zero() {
        let judged = [("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1)];
        let expected = (1.0 + 2.0 / 3.0 + 3.0 / 6.0 + 4.0 / 9.0 + 5.0 / 10.0) / 5.0;
        check("map", "a 1 b 2 3 c 4 5 d e", &judged, expected);
        check("map", "a", &[("a", 1), ("b", 1)], 0.5);
        check("map", "x", &[("a", 1)], 0.0);
    }

    // Grades 3 2 3 0 1 2 with two more judged documents of grades 3 and 2: DCG@6 5.688, ideal 8.112 is the published
    // example with gain = grade.
    #[test]
    fn ndcg_is_ideal_over_all_judged() {
        let judged = [("a", 3), ("b", 2), ("c", 3), ("d", 0), ("e", 1), ("f", 2), ("g", 3), ("h", 2)];
        let dcg = 3.0 + 2.0 / 3f64.log2() + 3.0 / 2.0 + 1.0 / 6f64.log2() + 2.0 / 7f64.log2();
        let ideal =
            3.0 + 3.0 / 3f64.log2() + 3.0 / 2.0 + 2.0 / 5f64.log2() + 2.0 / 6f64.log2() + 2.0 / 7f64.log2();
        check("ndcg@6", "a b c d e f", &judged, dcg / ideal);
        check("ndcg@6", "a b c x e f", &judged, dcg / ideal);
        check("ndcg@10", "x", &[("a", 0)], 0.0);
    }

    #[test]
    fn recall_and_reciprocal_rank_and_the_set_figures() {
        let judged = [("a", 1), ("b", 1), ("c", 0), ("d", 2)];
        check("recall@2", "a c b", &judged, 1.0 / 3.0);
        check("recall@100", "a c b", &judged, 2.0 / 3.0);
        check("rr", "x c b", &judged, 1.0 / 3.0);
        check("rr", "x c", &judged, 0.0);
        check("precision", "a c b x", &judged, 0.5);
        check("recall", "a c b x", &judged, 2.0 / 3.0);
        check("set_precision", "a c b x", &judged, 0.5);
        check("Set_Recall", "a c b x", &judged, 2.0 / 3.0);
    }

    #[test]
    fn a_document_returned_twice_counts_once() {
        check("p@2", "a a", &[("a", 1), ("b", 1)], 0.5);
        check("map", "a a b", &[("a", 1), ("b", 1)], 1.0);
    }

    #[test]
    fn names_are_read_back_as_written_and_wrong_ones_refused() {
        for measure in Measure::USUAL {
            assert_eq!(measure.to_string().parse(), Ok(measure));
        }
        assert_eq!("MP@5".parse(), Ok(Measure::PrecisionAt(5)));
        for wrong in ["", "p", "p@0", "p@x", "ndcg", "f1@3"] {
            assert!(wrong.parse::<Measure>().is_err(), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn every_figure_lies_between_0_and_1_and_the_ideal_order_reaches_1(
            grades in proptest::collection::hash_map("[a-h]", 0u32..4, 1..8),
            ranked in proptest::collection::vec("[a-j]", 0..12),
        ) {
            let ranking: Ranking = ranked.into_iter().collect();
            for measure in Measure::USUAL {
                let figure = measure.of(&ranking, &grades);
                prop_assert!((0.0..=1.0 + 1e-12).contains(&figure), "{measure} {figure}");
            }
            let mut best: Vec<(&String, &u32)> = grades.iter().collect();
            best.sort_by(|a, b| b.1.cmp(a.1));
            let best: Ranking = best.into_iter().map(|(id, _)| id.as_str()).collect();
            if grades.values().any(|&grade| grade > 0) {
                for measure in [Measure::AveragePrecision, Measure::NdcgAt(10), Measure::ReciprocalRank] {
                    prop_assert!((measure.of(&best, &grades) - 1.0).abs() < 1e-12);
                }
            }
        }
    }
}
