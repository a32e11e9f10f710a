//! Keyword similarity: the second judge of near duplicates, by the words themselves whatever their order.

use std::collections::HashMap;

use text::Analyzer;

/// At or above this two texts are taken for near duplicates by their words.
pub const THRESHOLD: f64 = 0.9;

/// How often each stem stands in a text, stop words left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keywords(HashMap<String, u32>);

impl Keywords {
    /// Counts the words of a text.
    pub fn of(text: &str, analyzer: &Analyzer) -> Keywords {
        let mut counts = HashMap::new();
        analyzer.each(text, &mut |word| {
            if let Some(term) = word.term {
                *counts.entry(term.to_owned()).or_default() += 1;
            }
        });
        Keywords(counts)
    }

    /// The cosine of the counts, from 0 to 1.
    pub fn similarity(&self, other: &Keywords) -> f64 {
        let product: f64 = self
            .0
            .iter()
            .filter_map(|(word, count)| Some(f64::from(*count) * f64::from(*other.0.get(word)?)))
            .sum();
        let length =
            |words: &Keywords| words.0.values().map(|count| f64::from(*count).powi(2)).sum::<f64>().sqrt();
        let lengths = length(self) * length(other);
        if lengths == 0.0 { 0.0 } else { (product / lengths).min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use text::Analysis;

    #[test]
    fn order_endings_and_stop_words_do_not_count() {
        let analyzer = Analyzer::new(&Analysis::of_language("en")).unwrap_or_else(|error| panic!("{error}"));
        let check = |a: &str, b: &str| Keywords::of(a, &analyzer).similarity(&Keywords::of(b, &analyzer));
        assert!(check("the sea and the boats", "A boat; seas of boat") > 0.8);
        assert!((check("boats sea", "the sea of boat") - 1.0).abs() < 1e-9);
        assert_eq!(check("sea", "mountain"), 0.0);
        assert_eq!(check("", "the"), 0.0);
    }
}
