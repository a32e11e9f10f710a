//! Is a page on topic? By counting the words of the topic, or by likeness to a profile learned from example texts.
//!
//! The topic's words are compared by their stems; several words in one entry are a phrase. What follows from a page
//! being off topic is decided elsewhere.

use std::collections::HashMap;

use model::PageUrl;
use text::{Analysis, Analyzer, TextError};

/// Terms of a profile at most: the weightiest.
const PROFILE: usize = 256;

/// How a topic is described.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicChoice {
    /// Words and phrases.
    pub words: Vec<String>,
    /// Texts on the topic.
    pub examples: Vec<String>,
    /// ISO 639-1 code of their language; guessed when it is not said, else English.
    pub language: Option<String>,
    /// How to measure.
    pub method: Method,
    /// At or above this a page is on topic; the method's own when it is not said.
    pub threshold: Option<f64>,
    /// Weight of a match in the text (φ), in the title (η), and of a word of the topic (θ).
    pub weights: Weights,
}

/// What the words of a link count of its promise (β of shark-search); the rest are the words of its URL.
const OF_ANCHOR: f64 = 0.8;

/// How to measure relevance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// By the profile where there are examples, else by counts.
    #[default]
    Auto,
    /// Matches in title and text for each word of the topic: (φ·W_D + η·W_T) / (θ·W_N).
    Counts,
    /// The same fraction the other way up, as paper S4 prints it; 0 without matches.
    S4Printed,
    /// The cosine to the words of the examples.
    Profile,
}

/// The weights of counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Of a match in the text.
    pub text: f64,
    /// Of a match in the title.
    pub title: f64,
    /// Of a word of the topic.
    pub word: f64,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights { text: 1.0, title: 2.0, word: 1.0 }
    }
}

/// How relevant a page is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Relevance {
    /// By the method's own measure, from 0.
    pub value: f64,
    /// From 0 to 1, one half at the threshold.
    pub share: f64,
    /// At or above the threshold.
    pub on_topic: bool,
}

/// A topic, ready to judge pages.
#[derive(Clone, Debug)]
pub struct Topic {
    analyzer: Analyzer,
    /// Words and phrases, as stems.
    wanted: Vec<Vec<String>>,
    /// Weight of each term, of length 1 together.
    profile: HashMap<String, f64>,
    method: Method,
    threshold: f64,
    weights: Weights,
}

impl Topic {
    /// Makes a topic ready; none when nothing describes it.
    pub fn new(choice: &TopicChoice) -> Result<Option<Topic>, TextError> {
        let guessed = || text::language(&choice.examples.join("\n")).map(|language| language.code.to_owned());
        let language = choice.language.clone().or_else(guessed).unwrap_or_else(|| "en".to_owned());
        let analyzer = Analyzer::new(&Analysis::of_language(&language))?;
        let mut wanted: Vec<Vec<String>> = choice.words.iter().map(|words| terms(&analyzer, words)).collect();
        wanted.retain(|words| !words.is_empty());
        wanted.sort_unstable();
        wanted.dedup();
        let profile = profile(&analyzer, &choice.examples, &wanted);
        if wanted.is_empty() && profile.is_empty() {
            return Ok(None);
        }
        let by_profile = wanted.is_empty() || !choice.examples.is_empty();
        let method = match choice.method {
            Method::Auto | Method::Profile if by_profile => Method::Profile,
            // No example to learn from, or no word to count: the others have to do.
            Method::Profile => Method::Counts,
            Method::Counts | Method::S4Printed if wanted.is_empty() => Method::Profile,
            Method::Auto => Method::Counts,
            method => method,
        };
        let usual = if method == Method::Profile { 0.15 } else { 1.0 };
        let threshold = choice.threshold.filter(|least| *least > 0.0).unwrap_or(usual);
        Ok(Some(Topic { analyzer, wanted, profile, method, threshold, weights: choice.weights }))
    }

    /// How relevant a page is.
    pub fn relevance(&self, title: &str, text: &str) -> Relevance {
        let value = match self.method {
            Method::Profile => self.cosine(&[(title, 2.0), (text, 1.0)]),
            method => {
                let Weights { text: by_text, title: by_title, word } = self.weights;
                let matched = by_text * self.matches(text) as f64 + by_title * self.matches(title) as f64;
                let all = word * self.wanted.len() as f64;
                match method == Method::S4Printed {
                    true if matched > 0.0 => all / matched,
                    false if all > 0.0 => matched / all,
                    _ => 0.0,
                }
            }
        };
        let value = if value.is_finite() { value.max(0.0) } else { 0.0 };
        Relevance { value, share: self.share(value), on_topic: value >= self.threshold }
    }

    /// Relevance by the topic's measure as a share of 1: one half at the threshold.
    pub fn share(&self, value: f64) -> f64 {
        value / (value + self.threshold)
    }

    /// What a link promises of what it leads to, from 0 to 1: by its words, and by those of its URL.
    pub fn link_promise(&self, anchor: &str, url: &PageUrl) -> f32 {
        let path = url.as_str().splitn(4, '/').nth(3).unwrap_or_default();
        let words = path.replace(|c: char| !c.is_alphanumeric(), " ");
        (OF_ANCHOR * self.promise(anchor) + (1.0 - OF_ANCHOR) * self.promise(&words)) as f32
    }

    /// What a short text promises of what it names, from 0 to 1: the text of a link, the words of a URL.
    pub fn promise(&self, text: &str) -> f64 {
        if text.is_empty() {
            return 0.0;
        }
        let matches = self.matches(text) as f64;
        // The first match tells most.
        let counted = matches / (matches + 0.5);
        if self.profile.is_empty() {
            counted
        } else {
            counted.max((2.0 * self.cosine(&[(text, 1.0)])).min(1.0))
        }
    }

    /// How often words and phrases of the topic stand in a text.
    fn matches(&self, text: &str) -> usize {
        if text.is_empty() || self.wanted.is_empty() {
            return 0;
        }
        let longest = self.wanted.iter().map(Vec::len).max().unwrap_or(1);
        let mut window: Vec<String> = Vec::with_capacity(longest);
        let mut count = 0;
        self.analyzer.each(text, &mut |word| {
            // A stop word stands between the words of a phrase without parting them.
            let Some(term) = word.term else { return };
            if window.len() == longest {
                window.remove(0);
            }
            window.push(term.to_owned());
            count += self.wanted.iter().filter(|wanted| window.ends_with(wanted)).count();
        });
        count
    }

    /// The cosine of the profile and of texts, each with its weight; many of one word count by their logarithm.
    fn cosine(&self, texts: &[(&str, f64)]) -> f64 {
        let mut counts: HashMap<String, f64> = HashMap::new();
        for (text, weight) in texts {
            self.analyzer.each(text, &mut |word| {
                if let Some(term) = word.term {
                    match counts.get_mut(term) {
                        Some(count) => *count += weight,
                        None => _ = counts.insert(term.to_owned(), *weight),
                    }
                }
            });
        }
        let mut terms: Vec<(&String, f64)> =
            counts.iter().map(|(term, count)| (term, (1.0 + count).ln())).collect();
        // Sums of floats depend on their order, and that of a hash map on nothing.
        terms.sort_unstable_by(|a, b| a.0.cmp(b.0));
        let product: f64 =
            terms.iter().filter_map(|(term, weight)| Some(weight * self.profile.get(*term)?)).sum();
        let length = terms.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        if length > 0.0 { (product / length).min(1.0) } else { 0.0 }
    }
}

fn terms(analyzer: &Analyzer, text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    analyzer.each(text, &mut |word| terms.extend(word.term.map(str::to_owned)));
    terms
}

/// What examples have in common: a term weighs by how often it stands in each and in how many it stands. Words of the
/// topic weigh like a term of every example.
fn profile(analyzer: &Analyzer, examples: &[String], wanted: &[Vec<String>]) -> HashMap<String, f64> {
    let mut weights: HashMap<String, (f64, f64)> = HashMap::new();
    for example in examples {
        let mut counts: HashMap<String, f64> = HashMap::new();
        analyzer.each(example, &mut |word| {
            if let Some(term) = word.term {
                *counts.entry(term.to_owned()).or_default() += 1.0;
            }
        });
        for (term, count) in counts {
            let weight = weights.entry(term).or_default();
            *weight = (weight.0 + (1.0 + count).ln(), weight.1 + 1.0);
        }
    }
    let all = examples.len().max(1) as f64;
    let mut ranked: Vec<(String, f64)> =
        weights.into_iter().map(|(term, (sum, texts))| (term, sum / all * (texts / all))).collect();
    ranked.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ranked.truncate(PROFILE);
    let top = ranked.first().map_or(1.0, |(_, weight)| *weight);
    let mut profile: HashMap<String, f64> = ranked.iter().cloned().collect();
    for term in wanted.iter().flatten().filter(|_| !examples.is_empty()) {
        profile.insert(term.clone(), top);
    }
    let mut squares: Vec<f64> = profile.values().map(|weight| weight * weight).collect();
    squares.sort_unstable_by(f64::total_cmp);
    let length = squares.iter().sum::<f64>().sqrt();
    profile.values_mut().for_each(|weight| *weight /= length);
    profile
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(words: &[&str], examples: &[&str]) -> TopicChoice {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        TopicChoice {
            words: texts(words),
            examples: texts(examples),
            language: Some("en".to_owned()),
            method: Method::Auto,
            threshold: None,
            weights: Weights::default(),
        }
    }

    fn topic(choice: &TopicChoice) -> Topic {
        Topic::new(choice).unwrap_or_else(|error| panic!("{error}")).expect("described")
    }

    #[test]
    fn matches_in_title_and_text_are_counted_for_each_word_of_the_topic() {
        let boats = topic(&choice(&["boat", "sea"], &[]));
        let value = |title, text| boats.relevance(title, text).value;
        // W_D = 3, W_T = 1, W_N = 2.
        assert_eq!(value("Boats", "The boats at sea; a boating party"), (3.0 + 2.0) / 2.0);
        assert_eq!(value("Hills", "Nothing of that"), 0.0);
        assert!(boats.relevance("Boats", "").on_topic && !boats.relevance("", "A boat").on_topic);
        assert_eq!(boats.relevance("Boats", "").share, 0.5);
    }

    #[test]
    fn weights_and_threshold_are_settable_and_the_fraction_can_be_turned_over() {
        let weights = Weights { text: 0.5, title: 4.0, word: 2.0 };
        let other = TopicChoice { weights, threshold: Some(3.0), ..choice(&["boat"], &[]) };
        let found = topic(&other).relevance("a boat", "boats, boats");
        assert_eq!((found.value, found.on_topic), ((2.0 * 0.5 + 4.0) / 2.0, false));
        let printed = TopicChoice { method: Method::S4Printed, ..choice(&["boat"], &[]) };
        assert_eq!(topic(&printed).relevance("", "boat boat").value, 0.5);
        assert_eq!(topic(&printed).relevance("", "hill").value, 0.0);
    }

    #[test]
    fn several_words_are_a_phrase() {
        let phrase = topic(&choice(&["wooden boats"], &[]));
        assert_eq!(phrase.relevance("", "A wooden boat. Boats, wooden.").value, 1.0);
        assert_eq!(phrase.promise("boats"), 0.0);
        assert!(phrase.promise("Our wooden boat") > 0.5);
    }

    #[test]
    fn a_profile_tells_what_is_like_its_examples() {
        let examples = [
            "Sailing boats need wind. The crew sets the sails and steers the boat across the bay.",
            "A sailor reads wind and tide; the boat heels, the sails fill, the harbour falls behind.",
        ];
        let sailing = topic(&choice(&[], &examples));
        let near = sailing
            .relevance("A day under sail", "Wind in the sails, the boat left the harbour with the tide.");
        let far =
            sailing.relevance("Tax forms", "File the form with the office before the end of the month.");
        assert!(near.on_topic && !far.on_topic && near.value > 3.0 * far.value, "{near:?} {far:?}");
        assert!(sailing.promise("sailing boats") > sailing.promise("tax office"));
    }

    #[test]
    fn words_alone_are_counted_and_examples_alone_are_a_profile_whatever_the_method() {
        let by = |method, words: &[&str], examples: &[&str]| {
            let topic = topic(&TopicChoice { method, ..choice(words, examples) });
            topic.relevance("A boat", "Boats").value
        };
        assert_eq!(by(Method::Profile, &["boat"], &[]), 3.0);
        let profile = by(Method::Counts, &[], &["boats"]);
        assert!((0.5..=1.0).contains(&profile), "{profile}");
    }

    #[test]
    fn a_topic_without_words_is_none() {
        assert!(Topic::new(&choice(&[], &[])).unwrap_or(None).is_none());
        assert!(Topic::new(&choice(&["the", " "], &[])).unwrap_or(None).is_none());
    }
}
