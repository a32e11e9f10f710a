//! Suggestions while typing: phrases that go on as what was typed begins, popular first.
//!
//! A phrase is found by its beginning, by the beginning of any of its words, or by those of a synonym; when that
//! gives too few, by words that are near the typed ones. Case and accents do not matter. Where phrases come from, and
//! what makes one popular, is left to the caller; [`dictionary`] reads a list of the user's own. [`Suggestions::write`] and
//! [`Suggestions::read`] keep them for the next process.

mod build;
mod dictionary;
mod mistyped;
mod stored;

use std::collections::HashSet;
use std::ops::Range;

use crate::fold::fold;
use crate::strings::Strings;
use mistyped::{MOST_COMPARED, Words};

pub use dictionary::dictionary;

/// Where a phrase comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The title of a page.
    Title,
    /// The text of links.
    Anchor,
    /// What people searched for.
    Query,
    /// The user's own dictionary.
    Dictionary,
}

/// A phrase that may be suggested.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The phrase, as it is shown.
    pub text: String,
    /// How popular it is.
    pub weight: f64,
    /// Where it comes from.
    pub source: Source,
    /// Other phrases it is found by.
    pub synonyms: Vec<String>,
}

impl Entry {
    /// A phrase without synonyms.
    pub fn new(text: impl Into<String>, weight: f64, source: Source) -> Entry {
        Entry { text: text.into(), weight, source, synonyms: Vec::new() }
    }
}

/// A phrase that goes on as what was typed begins.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Suggestion {
    /// The phrase.
    pub text: String,
    /// How popular it is.
    pub weight: f64,
    /// Where it comes from.
    pub source: Source,
    /// The synonym it was found by, if not by itself.
    pub synonym: Option<String>,
}

/// Many phrases, ready to be asked at every key stroke.
///
/// Phrases and their synonyms stand behind each other, each as it is shown and as it is compared (its key). An entry is
/// a phrase with its synonyms; its number is its place by popularity, so that the smaller is the better suggestion.
#[derive(Clone, Debug, Default)]
pub struct Suggestions {
    /// By entry.
    weights: Vec<f64>,
    sources: Vec<Source>,
    /// Phrases and synonyms as they are shown, and as keys, each ended by a line feed.
    shown: Strings,
    keys: Strings,
    /// The entry of each; the first of an entry is its phrase.
    owners: Vec<u32>,
    /// Where the words of all keys begin, ordered by the text from there to the end of the key, and their entries.
    beginnings: Vec<u32>,
    entries: Vec<u32>,
    words: Words,
}

/// A phrase is found by so many of its bytes; nobody types more.
const LONGEST_KEY: usize = 200;
/// So many readings of all words together are tried.
const MOST_TRIES: usize = 24;
/// So many of the typed words may be mistyped, and so many are looked at at all.
const MOST_MISTYPED: usize = 3;
const MOST_TYPED: usize = 16;
const MOST_SUGGESTIONS: usize = 1000;

impl Suggestions {
    /// How many phrases there are.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there is no phrase.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// At most so many phrases that go on as typed, popular first; behind them those that need a letter changed.
    pub fn find(&self, typed: &str, most: usize) -> Vec<Suggestion> {
        let most = most.min(MOST_SUGGESTIONS);
        // A space behind a word says that the word is finished.
        let finished = typed.ends_with(char::is_whitespace);
        let typed = key(typed);
        if typed.is_empty() || most == 0 {
            return Vec::new();
        }
        let mut found = Found { most, all: Vec::new(), known: HashSet::new() };
        if finished {
            self.add(self.going_on(&format!("{typed} ")), &mut found);
            // The word may also end the phrase.
            self.add(self.ending(&typed), &mut found);
        } else {
            self.add(self.going_on(&typed), &mut found);
        }
        if found.all.len() < most {
            for reading in self.readings(&typed, finished) {
                self.add(self.going_on(&reading), &mut found);
                if found.all.len() >= most {
                    break;
                }
            }
        }
        found.all.iter().map(|&start| self.suggestion(start)).collect()
    }

    /// The beginnings that go on from `typed`.
    fn going_on(&self, typed: &str) -> Range<usize> {
        self.range(typed, |line| line.starts_with(typed))
    }

    /// The beginnings with nothing behind `typed`: they come first of those that go on from it.
    fn ending(&self, typed: &str) -> Range<usize> {
        self.range(typed, |line| line == typed)
    }

    fn range(&self, typed: &str, fits: impl Fn(&str) -> bool) -> Range<usize> {
        let text = self.keys.text();
        let from = self.beginnings.partition_point(|&start| line(text, start as usize) < typed);
        let length = self.beginnings[from..].partition_point(|&start| fits(line(text, start as usize)));
        from..from + length
    }

    /// Adds the most popular entries of a range, those found before left where they are.
    fn add(&self, range: Range<usize>, found: &mut Found) {
        let room = found.most.saturating_sub(found.all.len());
        if room == 0 {
            return;
        }
        let mut best: Vec<(u32, u32)> = Vec::new();
        let mut worst = u32::MAX;
        for (&entry, &start) in self.entries[range.clone()].iter().zip(&self.beginnings[range]) {
            if entry > worst || found.known.contains(&entry) {
                continue;
            }
            match best.binary_search_by_key(&entry, |&(entry, _)| entry) {
                // A phrase is better found by itself than by a synonym, and its own text comes first.
                Ok(place) => best[place].1 = best[place].1.min(start),
                Err(place) => {
                    best.insert(place, (entry, start));
                    best.truncate(room);
                    if best.len() == room {
                        worst = best[room - 1].0;
                    }
                }
            }
        }
        found.known.extend(best.iter().map(|&(entry, _)| entry));
        found.all.extend(best.into_iter().map(|(_, start)| start));
    }

    /// What may have been meant, the likeliest first: every word as it is or near to it, the last one perhaps
    /// only begun.
    fn readings(&self, typed: &str, finished: bool) -> Vec<String> {
        let typed: Vec<&str> = typed.split(' ').take(MOST_TYPED).collect();
        let is_begun = |place: usize| place + 1 == typed.len() && !finished;
        let is_known: Vec<bool> =
            typed.iter().enumerate().map(|(place, word)| self.is_known(word, is_begun(place))).collect();
        // Looking for near words is the dear part: it is done for those that nothing has, else for the last one.
        let mut doubted: Vec<usize> = (0..typed.len()).rev().filter(|&place| !is_known[place]).collect();
        doubted.truncate(MOST_MISTYPED);
        if doubted.is_empty() {
            doubted.push(typed.len() - 1);
        }
        let mut readings: Vec<(usize, String)> = vec![(0, String::new())];
        for (place, &word) in typed.iter().enumerate() {
            let mut near = match doubted.contains(&place) {
                true => self.words.near(word, is_begun(place), MOST_COMPARED / doubted.len()),
                false => Vec::new(),
            };
            if is_known[place] || near.is_empty() {
                near.insert(0, (0, word));
            }
            let mut longer: Vec<(usize, String)> = Vec::new();
            for (edits, begun) in &readings {
                for (more, word) in &near {
                    let space = if begun.is_empty() { "" } else { " " };
                    longer.push((edits + more, format!("{begun}{space}{word}")));
                }
            }
            longer.sort_by_key(|&(edits, _)| edits);
            longer.truncate(MOST_TRIES);
            readings = longer;
        }
        readings.into_iter().filter(|&(edits, _)| edits > 0).map(|(_, reading)| reading).collect()
    }

    /// Whether a phrase has the word, or one that begins so.
    fn is_known(&self, word: &str, is_begun: bool) -> bool {
        let text = self.keys.text();
        let has = |wanted: &str| {
            let at = self.beginnings.partition_point(|&start| line(text, start as usize) < wanted);
            self.beginnings.get(at).map(|&start| line(text, start as usize))
        };
        let goes_on = |wanted: &str| has(wanted).is_some_and(|line| line.starts_with(wanted));
        if is_begun { goes_on(word) } else { has(word) == Some(word) || goes_on(&format!("{word} ")) }
    }

    fn suggestion(&self, start: u32) -> Suggestion {
        let phrase = self.keys.with(start as usize);
        let entry = self.owners[phrase];
        let own = self.owners.partition_point(|&owner| owner < entry);
        Suggestion {
            text: self.shown.get(own).to_owned(),
            weight: self.weights[entry as usize],
            source: self.sources[entry as usize],
            synonym: (phrase > own).then(|| self.shown.get(phrase).to_owned()),
        }
    }
}

/// The places in the keys by which entries were found, in order.
struct Found {
    most: usize,
    all: Vec<u32>,
    known: HashSet<u32>,
}

/// The text from a place to the end of its key.
fn line(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    &rest[..rest.bytes().position(|byte| byte == b'\n').unwrap_or(rest.len())]
}

/// A phrase as it is compared: folded, in lower case, its words with one space between them.
fn key(phrase: &str) -> String {
    let phrase = match phrase.is_ascii() {
        true => phrase.to_ascii_lowercase(),
        false => fold(&phrase.to_lowercase()).to_string(),
    };
    let mut key = String::new();
    for word in phrase.split(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | '\'' | '.' | '&')) {
        let word = word.trim_matches(['\'', '.', '&']);
        if word.is_empty() {
            continue;
        }
        if key.len() + word.len() > LONGEST_KEY && !key.is_empty() {
            break;
        }
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(&word[..word.floor_char_boundary(LONGEST_KEY)]);
    }
    key
}

#[cfg(test)]
mod tests;
