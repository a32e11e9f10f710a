//! Suggestions while typing: phrases that go on as what was typed begins, popular first.
//!
//! A phrase is found by its beginning, by the beginning of any of its words, or by those of a synonym; when that
//! gives too few, by words that are near the typed ones. Case and accents do not matter. Where phrases come from, and
//! what makes one popular, is left to the caller; [`dictionary`] reads a list of the user's own.

mod dictionary;

use std::collections::HashMap;

use crate::edits;
use crate::fold::fold;
use crate::qgrams::{QGrams, WordId};

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
#[derive(Clone, Debug)]
pub struct Suggestions {
    /// Most popular first: the smaller number is the better suggestion.
    entries: Vec<Entry>,
    /// Phrases and synonyms, folded, each ended by a line feed.
    text: String,
    /// Where each of them begins, whose it is, and which synonym (0: the phrase itself).
    keys: Vec<Key>,
    /// Where every word of every key begins, ordered by the text from there on.
    beginnings: Vec<Beginning>,
    /// Every different word, with the most popular entry that has it.
    words: Vec<(Box<str>, u32)>,
    /// Which letters the beginning of each word has, and which the whole: most words that are not near differ here.
    letters: Vec<(u32, u32)>,
    runs: QGrams,
}

#[derive(Clone, Copy, Debug)]
struct Key {
    start: u32,
    entry: u32,
    synonym: u32,
}

#[derive(Clone, Copy, Debug)]
struct Beginning {
    start: u32,
    entry: u32,
}

/// A phrase is found by so many of its characters and words; nobody types more.
const LONGEST_KEY: usize = 200;
const MOST_WORDS: usize = 16;
/// So many readings of one mistyped word are tried, and so many of all words together.
const READINGS: usize = 8;
const MOST_TRIES: usize = 24;
const MOST_SUGGESTIONS: usize = 1000;
const Q: usize = 3;
/// So many letters of a word are looked at when few were typed.
const BEGINNING: usize = 8;

impl Suggestions {
    /// Sorts phrases for [`Suggestions::find`]. The same phrase from several places is one, with the sum of their
    /// weights; weights that are no numbers count nothing.
    pub fn build(entries: impl IntoIterator<Item = Entry>) -> Suggestions {
        let entries = merged(entries);
        let (mut text, mut keys, mut beginnings) = (String::new(), Vec::new(), Vec::new());
        let mut words: HashMap<Box<str>, u32> = HashMap::new();
        'entries: for (entry, Entry { text: phrase, synonyms, .. }) in entries.iter().enumerate() {
            for (synonym, phrase) in std::iter::once(phrase).chain(synonyms).enumerate() {
                let key = key(phrase);
                // Offsets are 32 bits; the least popular come last.
                if text.len() + key.len() >= u32::MAX as usize {
                    break 'entries;
                }
                let entry = entry as u32;
                keys.push(Key { start: text.len() as u32, entry, synonym: synonym as u32 });
                let mut at = text.len();
                for word in key.split(' ').take(MOST_WORDS) {
                    beginnings.push(Beginning { start: at as u32, entry });
                    if !words.contains_key(word) && word.chars().nth(edits::LONGEST).is_none() {
                        words.insert(word.into(), entry);
                    }
                    at += word.len() + 1;
                }
                text.push_str(&key);
                text.push('\n');
            }
        }
        beginnings.sort_unstable_by(|a, b| {
            let from = |start: u32| line(&text, start as usize);
            from(a.start).cmp(from(b.start)).then(a.entry.cmp(&b.entry))
        });
        let mut words: Vec<(Box<str>, u32)> = words.into_iter().collect();
        words.sort_unstable();
        let runs = QGrams::new(Q, false, words.iter().map(|(word, _)| &**word));
        let letters = words
            .iter()
            .map(|(word, _)| (edits::kinds_of(word.chars().take(BEGINNING)), edits::kinds_of(word.chars())))
            .collect();
        Suggestions { entries, text, keys, beginnings, words, letters, runs }
    }

    /// How many phrases there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no phrase.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// At most so many phrases that go on as typed, popular first; behind them those that need a letter changed.
    pub fn find(&self, typed: &str, most: usize) -> Vec<Suggestion> {
        let most = most.min(MOST_SUGGESTIONS);
        // A space behind a word says that the word is finished.
        let finished = typed.ends_with(char::is_whitespace);
        let mut typed = key(typed);
        if typed.is_empty() || most == 0 {
            return Vec::new();
        }
        let mut found = Found { most, all: Vec::new() };
        if finished {
            typed.push(' ');
            self.find_beginning(&typed, &mut found);
            typed.pop();
            // The word may also end the phrase.
            let whole = |at: usize| line(&self.text, at) == typed;
            self.find_where(&typed, whole, &mut found);
        } else {
            self.find_beginning(&typed, &mut found);
        }
        if found.all.len() < most {
            for reading in self.readings(&typed, finished) {
                self.find_beginning(&reading, &mut found);
                if found.all.len() >= most {
                    break;
                }
            }
        }
        found.all.iter().map(|&(entry, start)| self.suggestion(entry, start)).collect()
    }

    fn find_beginning(&self, typed: &str, found: &mut Found) {
        self.find_where(typed, |_| true, found);
    }

    /// Adds the most popular entries that go on from `typed`, those found before left where they are.
    fn find_where(&self, typed: &str, fits: impl Fn(usize) -> bool, found: &mut Found) {
        let from = self.beginnings.partition_point(|at| line(&self.text, at.start as usize) < typed);
        let rest = &self.beginnings[from..];
        let length = rest.partition_point(|at| line(&self.text, at.start as usize).starts_with(typed));
        let mut best: Vec<(u32, u32)> = Vec::new();
        let room = found.most.saturating_sub(found.all.len());
        let mut worst = u32::MAX;
        for at in &rest[..length] {
            if at.entry > worst || room == 0 || !fits(at.start as usize) || found.has(at.entry) {
                continue;
            }
            match best.binary_search_by_key(&at.entry, |&(entry, _)| entry) {
                // A phrase is better found by itself than by a synonym, and its own text comes first.
                Ok(place) => best[place].1 = best[place].1.min(at.start),
                Err(place) => {
                    best.insert(place, (at.entry, at.start));
                    best.truncate(room);
                    if best.len() == room {
                        worst = best[room - 1].0;
                    }
                }
            }
        }
        found.all.extend(best);
    }

    /// What may have been meant, the likeliest first: every word as it is or near to it, the last one perhaps
    /// only begun.
    fn readings(&self, typed: &str, finished: bool) -> Vec<String> {
        let typed: Vec<&str> = typed.split(' ').take(MOST_WORDS).collect();
        let mut readings: Vec<(usize, String)> = vec![(0, String::new())];
        for (place, word) in typed.iter().enumerate() {
            let is_begun = place + 1 == typed.len() && !finished;
            let near = self.near(word, is_begun);
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

    /// Words near a typed one, or the beginnings of such, nearest and most popular first; itself at the front if it
    /// begins one.
    fn near<'a>(&'a self, typed: &'a str, is_begun: bool) -> Vec<(usize, &'a str)> {
        let letters: Vec<char> = typed.chars().collect();
        let most = match letters.len() {
            0..=3 => 0,
            4..=6 => 1,
            _ => 2,
        };
        let mut found: Vec<(usize, u32, WordId)> = Vec::new();
        if most > 0 && letters.len() <= edits::LONGEST {
            let mut other = Vec::new();
            let kinds = edits::kinds_of(letters.iter().copied());
            let looked_at = letters.len() + most;
            self.runs.candidates(&letters, most, |id| {
                let (beginning, whole) = self.letters[id as usize];
                let others = if looked_at <= BEGINNING { beginning } else { whole };
                if (kinds & !others).count_ones() as usize > most {
                    return;
                }
                other.clear();
                other.extend(self.words[id as usize].0.chars().take(looked_at + 1));
                let edits = if is_begun {
                    edits::prefix_distance(&letters, &other, most)
                } else {
                    edits::distance(&letters, &other, most)
                };
                if let Some(edits) = edits.filter(|&edits| edits > 0) {
                    found.push((edits, self.words[id as usize].1, id));
                }
            });
        }
        found.sort_unstable();
        found.truncate(READINGS);
        let at = self.words.partition_point(|(word, _)| **word < *typed);
        let is_known = self
            .words
            .get(at)
            .is_some_and(|(word, _)| if is_begun { word.starts_with(typed) } else { **word == *typed });
        let itself = (is_known || found.is_empty()).then_some((0, typed));
        itself
            .into_iter()
            .chain(found.into_iter().map(|(edits, _, id)| (edits, &*self.words[id as usize].0)))
            .collect()
    }

    fn suggestion(&self, entry: u32, start: u32) -> Suggestion {
        let Entry { text, weight, source, synonyms } = &self.entries[entry as usize];
        let key = self.keys[self.keys.partition_point(|key| key.start <= start) - 1];
        debug_assert_eq!(key.entry, entry);
        let synonym = (key.synonym as usize).checked_sub(1).map(|at| synonyms[at].clone());
        Suggestion { text: text.clone(), weight: *weight, source: *source, synonym }
    }
}

/// Entries found, with the place in the text they were found by.
struct Found {
    most: usize,
    all: Vec<(u32, u32)>,
}

impl Found {
    fn has(&self, entry: u32) -> bool {
        self.all.iter().any(|&(known, _)| known == entry)
    }
}

/// The text from a place to the end of its key.
fn line(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    &rest[..rest.bytes().position(|byte| byte == b'\n').unwrap_or(rest.len())]
}

/// A phrase as it is compared: folded, in lower case, its words with one space between them.
fn key(phrase: &str) -> String {
    let phrase = fold(&phrase.to_lowercase());
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

fn merged(entries: impl IntoIterator<Item = Entry>) -> Vec<Entry> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut merged: Vec<Entry> = Vec::new();
    // The heaviest part of a sum gives the phrase its form and its source.
    let mut heaviest: Vec<f64> = Vec::new();
    for mut entry in entries {
        if !entry.weight.is_finite() {
            entry.weight = 0.0;
        }
        let key = key(&entry.text);
        if key.is_empty() {
            continue;
        }
        let Some(&place) = places.get(&key) else {
            places.insert(key, merged.len());
            heaviest.push(entry.weight);
            merged.push(entry);
            continue;
        };
        let kept = &mut merged[place];
        kept.weight += entry.weight;
        for synonym in entry.synonyms {
            if !kept.synonyms.contains(&synonym) {
                kept.synonyms.push(synonym);
            }
        }
        if entry.weight > heaviest[place] {
            heaviest[place] = entry.weight;
            (kept.text, kept.source) = (entry.text, entry.source);
        }
    }
    merged.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.text.cmp(&b.text)));
    merged
}

#[cfg(test)]
mod tests;
