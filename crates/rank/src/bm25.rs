//! BM25: how much a word in a document says, from how often it stands there, how long the document is and how rare
//! the word is. The score of a word is `idf · tf_star`.

use serde::{Deserialize, Serialize};

/// How rarity counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdfForm {
    /// `ln(1 + (N − df + ½) / (df + ½))`: never negative, never zero.
    #[default]
    Standard,
    /// `log2(N / df)`: a word that stands in every document counts nothing.
    Paper,
}

/// The weight of a word that stands in `df` of `n` documents.
pub fn idf(form: IdfForm, n: f64, df: f64) -> f64 {
    // Counts that disagree for a moment must not turn a weight negative.
    let n = n.max(df);
    match form {
        IdfForm::Standard => (1.0 + (n - df + 0.5) / (df + 0.5)).ln(),
        IdfForm::Paper if df > 0.0 => (n / df).log2(),
        IdfForm::Paper => 0.0,
    }
}

/// How much `tf` occurrences count in a document of `len` words where the average is `avg`. More occurrences count
/// less and less, the sooner the smaller `k`; a longer document counts less, the more the larger `b`.
pub fn tf_star(tf: f64, len: f64, avg: f64, k: f64, b: f64) -> f64 {
    if tf <= 0.0 {
        return 0.0;
    }
    tf * (k + 1.0) / (norm(len, avg, k, b) + tf)
}

/// What is added to `tf` below the line: `k · (1 − b + b · len / avg)`.
pub fn norm(len: f64, avg: f64, k: f64, b: f64) -> f64 {
    let share = if avg > 0.0 { len / avg } else { 1.0 };
    k * (1.0 - b + b * share)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Three documents of 26, 21 and 49 words, k = 1.75, b = 0.75.
    fn check(tf: f64, len: f64, df: f64, expected: f64) {
        let score = tf_star(tf, len, 32.0, 1.75, 0.75) * idf(IdfForm::Paper, 3.0, df);
        assert!((score - expected).abs() < 1e-4, "{score} instead of {expected}");
    }

    #[test]
    fn the_worked_example_comes_out() {
        check(3.0, 26.0, 2.0, 1.0715); // university, document 1
        check(1.0, 49.0, 2.0, 0.4666); // university, document 3
        check(2.0, 21.0, 2.0, 0.9753); // freiburg, document 2
        check(1.0, 26.0, 1.0, 1.7407); // officially, document 1
        check(5.0, 26.0, 3.0, 0.0); // a word in all documents
        let both = 2.0 * tf_star(3.0, 26.0, 32.0, 1.75, 0.75) * idf(IdfForm::Paper, 3.0, 2.0);
        assert!((both - 2.1430).abs() < 1e-4, "university of freiburg, document 1: {both}");
    }

    #[test]
    fn the_ends_of_k_and_b_are_plain() {
        assert_eq!(tf_star(7.0, 10.0, 5.0, 0.0, 0.75), 1.0);
        assert_eq!(tf_star(1.0, 10.0, 5.0, 1.0, 0.0), tf_star(1.0, 99.0, 5.0, 1.0, 0.0));
        assert_eq!(tf_star(1.0, 10.0, 0.0, 1.0, 1.0), 1.0);
        assert_eq!(tf_star(0.0, 10.0, 5.0, 0.0, 0.0), 0.0);
    }

    proptest! {
        #[test]
        fn scores_are_never_negative_nor_more_than_their_bound(
            tf in 0u32..9999, len in 1u32..99999, avg in 0u32..9999, k in 0.0..10.0, b in 0.0..=1.0, n in 0u32..9999, df in 0u32..9999
        ) {
            let counted = tf_star(tf.into(), len.into(), avg.into(), k, b);
            prop_assert!(counted >= 0.0 && counted <= k + 1.0 + 1e-9);
            for form in [IdfForm::Standard, IdfForm::Paper] {
                let weight = idf(form, n.into(), df.into());
                prop_assert!(weight >= 0.0 && weight.is_finite());
            }
        }
    }
}
