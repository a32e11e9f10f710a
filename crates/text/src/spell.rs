//! Spelling: the words near a given one, and what was meant by one that nobody writes.
//!
//! A [`Vocabulary`] knows every word of an index and in how many documents it stands. [`Vocabulary::near`] finds by
//! edit distance; [`Vocabulary::correct`] weighs how likely each word is to be mistyped so. When to ask, and with
//! which words, is left to the caller.

mod noise;
mod stored;

use crate::edits;
use crate::qgrams::{QGrams, WordId};

/// The words of an index, with the number of documents each stands in.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    q: usize,
    /// All words behind each other, in order.
    text: String,
    /// Where each word begins, and one more.
    starts: Vec<u32>,
    counts: Vec<u32>,
    /// Which letters a word has: most words that are not near differ here already.
    letters: Vec<u32>,
    lengths: Vec<u8>,
    runs: QGrams,
}

/// A word near another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The word.
    pub word: String,
    /// How many edits away: letters inserted, left out, replaced, or swapped with their neighbour.
    pub edits: usize,
    /// In how many documents it stands.
    pub df: u32,
}

/// Mistakes in a word that are put right.
pub const MOST_MISTAKES: usize = 2;

/// More edits than this make another word of it.
const MOST_EDITS: usize = 3;
/// A word in this many documents is well known, and never a mistake.
const WELL_KNOWN: u32 = 3;
/// A rare word is taken for a mistake only if another stands in this many times as many documents.
const FAR_MORE: u32 = 100;

impl Vocabulary {
    /// The q that serves most languages.
    pub const Q: usize = 3;

    /// From words and the number of documents each stands in. Words of more than 64 letters are left out; of a word
    /// given twice the numbers are added.
    pub fn new(words: impl IntoIterator<Item = (impl AsRef<str>, u32)>) -> Vocabulary {
        Vocabulary::with_q(Vocabulary::Q, words)
    }

    /// The same, with runs of q letters: a smaller q finds more at the cost of time. Settable from 1 to 8.
    pub fn with_q(q: usize, words: impl IntoIterator<Item = (impl AsRef<str>, u32)>) -> Vocabulary {
        let mut words: Vec<(String, u32)> = words
            .into_iter()
            .map(|(word, count)| (word.as_ref().to_owned(), count))
            .filter(|(word, _)| !word.is_empty() && word.chars().nth(edits::LONGEST).is_none())
            .collect();
        words.sort_unstable();
        words.dedup_by(|(word, count), (kept, sum)| {
            let same = word == kept;
            if same {
                *sum = sum.saturating_add(*count);
            }
            same
        });
        Vocabulary::of_sorted(q, words.iter().map(|(word, count)| (word.as_str(), *count)))
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// In how many documents a word stands.
    pub fn df(&self, word: &str) -> u32 {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.word(middle as WordId).cmp(word) {
                std::cmp::Ordering::Equal => return self.counts[middle],
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        0
    }

    /// The words within `most_edits` (at most 3), the word itself included: nearest first, then by documents.
    pub fn near(&self, word: &str, most_edits: usize) -> Vec<Near> {
        let mut found = Vec::new();
        self.each_near(word, most_edits, |id, _, edits| {
            found.push(Near { word: self.word(id).to_owned(), edits, df: self.counts[id as usize] });
        });
        found.sort_unstable_by(|a, b| {
            a.edits.cmp(&b.edits).then(b.df.cmp(&a.df)).then_with(|| a.word.cmp(&b.word))
        });
        found
    }

    /// What was probably meant; none if the word is well known, is a number, or nothing is near enough.
    pub fn correct(&self, word: &str) -> Option<Near> {
        let mut judge = Judge::new(word, self.df(word))?;
        self.each_near(word, judge.most_edits, |id, meant, edits| {
            judge.weigh(id, meant, edits, self.counts[id as usize]);
        });
        judge.best.map(|(_, id, edits)| Near {
            word: self.word(id).to_owned(),
            edits,
            df: self.counts[id as usize],
        })
    }

    fn each_near(&self, word: &str, most_edits: usize, mut call: impl FnMut(WordId, &[char], usize)) {
        let most_edits = most_edits.min(MOST_EDITS);
        let typed: Vec<char> = word.chars().take(edits::LONGEST + 1).collect();
        if typed.is_empty() || typed.len() > edits::LONGEST {
            return;
        }
        let kinds = edits::kinds_of(word.chars());
        let mut meant = Vec::with_capacity(edits::LONGEST);
        self.runs.candidates(&typed, most_edits, |id| {
            if typed.len().abs_diff(self.lengths[id as usize].into()) > most_edits {
                return;
            }
            let other = self.letters[id as usize];
            // Each edit brings in at most one kind of letter, and takes away one.
            let differ = (kinds & !other).count_ones().max((other & !kinds).count_ones()) as usize;
            if differ > most_edits {
                return;
            }
            meant.clear();
            meant.extend(self.word(id).chars());
            if let Some(edits) = edits::distance(&typed, &meant, most_edits) {
                call(id, &meant, edits);
            }
        });
    }

    fn of_sorted<'a>(q: usize, words: impl Iterator<Item = (&'a str, u32)>) -> Vocabulary {
        let q = q.clamp(1, 8);
        let (mut text, mut starts) = (String::new(), vec![0]);
        let (mut counts, mut letters, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        for (word, count) in words {
            // Offsets are 32 bits; what does not fit any more is rarer than anything anyone will ask for.
            if text.len() + word.len() > u32::MAX as usize {
                break;
            }
            text.push_str(word);
            starts.push(text.len() as u32);
            counts.push(count);
            letters.push(edits::kinds_of(word.chars()));
            lengths.push(word.chars().count() as u8);
        }
        text.shrink_to_fit();
        let runs = QGrams::new(q, starts.windows(2).map(|at| &text[at[0] as usize..at[1] as usize]));
        Vocabulary { q, text, starts, counts, letters, lengths, runs }
    }

    fn word(&self, id: WordId) -> &str {
        &self.text[self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize]
    }

    fn words(&self) -> impl Iterator<Item = (&str, u32)> {
        self.counts.iter().enumerate().map(|(id, &count)| (self.word(id as WordId), count))
    }
}

/// What was probably meant by a word, from all that are near to it, itself included if anybody writes it: the answer of
/// [`Vocabulary::correct`] where the words are in several vocabularies.
pub fn meant(word: &str, near: impl IntoIterator<Item = Near>) -> Option<Near> {
    let mut near: Vec<Near> = near.into_iter().collect();
    near.sort_unstable_by(|a, b| a.word.cmp(&b.word));
    let own = near.iter().find(|near| near.edits == 0).map_or(0, |own| own.df);
    let mut judge = Judge::new(word, own)?;
    for (at, near) in near.iter().enumerate() {
        let letters: Vec<char> = near.word.chars().collect();
        judge.weigh(at as WordId, &letters, near.edits, near.df);
    }
    judge.best.map(|(_, at, _)| near.swap_remove(at as usize))
}

/// Finds the word that is likeliest to be mistyped so.
struct Judge {
    typed: Vec<char>,
    own: u32,
    most_edits: usize,
    best: Option<(f64, WordId, usize)>,
}

impl Judge {
    /// For a word that stands in so many documents itself; none if it is no mistake.
    fn new(word: &str, own: u32) -> Option<Judge> {
        let typed: Vec<char> = word.chars().collect();
        if own >= WELL_KNOWN || typed.len() < 3 || typed.iter().any(|c| c.is_numeric()) {
            return None;
        }
        // In a short word two edits leave nothing to recognise it by.
        let most_edits = if own > 0 || typed.len() < 5 { 1 } else { MOST_MISTAKES };
        Some(Judge { typed, own, most_edits, best: None })
    }

    /// Weighs the next word, in their order, so that the first of two equal ones stays.
    fn weigh(&mut self, id: WordId, meant: &[char], edits: usize, df: u32) {
        let is_rare = self.own > 0 && df < self.own.saturating_mul(FAR_MORE);
        if edits == 0 || edits > self.most_edits || df == 0 || is_rare {
            return;
        }
        let score = noise::likelihood(&self.typed, meant, df);
        if self.best.is_none_or(|(so_far, ..)| score > so_far) {
            self.best = Some((score, id, edits));
        }
    }
}

#[cfg(test)]
mod tests;
