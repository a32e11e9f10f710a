//! Words near a mistyped one. All words of the phrases are looked at, most popular first: by the letters they have,
//! which most fail, then by their distance. Words with digits are left out: a number is not mistyped but another one.

use std::collections::HashSet;

use crate::edits::{self, Pattern};
use crate::stored::{Reading, Writing};
use crate::strings::Strings;

/// The words of all phrases, each once, that of the most popular phrase first.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    words: Strings,
    /// Which letters stand among the first six of each word, the first nine, and in all of it.
    letters: [Vec<u32>; 3],
    /// How many it has.
    lengths: Vec<u8>,
}

const BEGINNINGS: [usize; 3] = [6, 9, edits::LONGEST];

/// Words that are kept: looking at all of them takes less than a millisecond.
const MOST_WORDS: usize = 300_000;
/// A shorter word is near to anything.
const SHORTEST: usize = 3;

/// So many readings of one mistyped word are tried.
const READINGS: usize = 8;
/// So many words have their distance counted, for all words that were typed together: this bounds what an answer takes.
pub(super) const MOST_COMPARED: usize = 40_000;

impl Words {
    /// From words in the order of their phrases.
    pub(super) fn new<'a>(words: impl Iterator<Item = &'a str>) -> Words {
        let mut known = HashSet::new();
        let mut kept = Strings::default();
        for word in words {
            if kept.len() >= MOST_WORDS {
                break;
            }
            let fits = word.chars().nth(SHORTEST - 1).is_some() && word.chars().nth(edits::LONGEST).is_none();
            if fits && !word.chars().any(char::is_numeric) && known.insert(word) && !kept.push(word) {
                break;
            }
        }
        Words::of(kept)
    }

    fn of(words: Strings) -> Words {
        let letters = BEGINNINGS
            .map(|length| words.iter().map(|word| edits::kinds_of(word.chars().take(length))).collect());
        let lengths = words.iter().map(|word| word.chars().count() as u8).collect();
        Words { words, letters, lengths }
    }

    /// Words near a typed one, or with such a beginning, itself left out: nearest first, then most popular. No more than
    /// `most_compared` have their distance counted, the most popular.
    pub(super) fn near(&self, typed: &str, is_begun: bool, most_compared: usize) -> Vec<(usize, &str)> {
        let letters: Vec<char> = typed.chars().take(edits::LONGEST + 1).collect();
        let most = match letters.len() {
            4..=6 => 1,
            7..=edits::LONGEST => 2,
            _ => return Vec::new(),
        };
        if typed.chars().any(char::is_numeric) {
            return Vec::new();
        }
        let Some(pattern) = Pattern::new(&letters) else { return Vec::new() };
        let looked_at = letters.len() + most;
        let column =
            BEGINNINGS.iter().position(|&length| looked_at <= length).unwrap_or(BEGINNINGS.len() - 1);
        let kinds = edits::kinds_of(letters.iter().copied());
        let lengths = letters.len() - most..=if is_begun { edits::LONGEST } else { looked_at };
        // By edits; words come popular first, and nothing is nearer than one edit.
        let mut found: [Vec<usize>; 2] = Default::default();
        let mut compared = 0;
        for (id, (others, length)) in self.letters[column].iter().zip(&self.lengths).enumerate() {
            if (kinds & !others).count_ones() as usize > most || !lengths.contains(&usize::from(*length)) {
                continue;
            }
            compared += 1;
            let word = self.words.get(id).chars();
            let edits = match is_begun {
                true => pattern.prefix_distance(word, most),
                false => pattern.distance(word, most),
            };
            if let Some(edits @ 1..=2) = edits
                && found[edits - 1].len() < READINGS
            {
                found[edits - 1].push(id);
            }
            if found[0].len() == READINGS || compared >= most_compared {
                break;
            }
        }
        let all = found.iter().enumerate().flat_map(|(at, ids)| ids.iter().map(move |&id| (at + 1, id)));
        all.take(READINGS).map(|(edits, id)| (edits, self.words.get(id))).collect()
    }

    pub(super) fn write(&self, out: &mut Writing) {
        self.words.write(out);
        self.letters.iter().for_each(|letters| out.list(letters));
        out.bytes(&self.lengths);
    }

    pub(super) fn read(bytes: &mut Reading<'_>) -> Option<Words> {
        let words = Strings::read(bytes)?;
        let letters = [bytes.list()?, bytes.list()?, bytes.list()?];
        let lengths = bytes.bytes(words.len())?.to_vec();
        let whole = letters.iter().all(|letters| letters.len() == words.len());
        whole.then_some(Words { words, letters, lengths })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Looking at letters first, and stopping early, loses nothing.
        #[test]
        fn the_nearest_and_most_popular_are_found(words in prop::collection::vec("[abc]{3,9}", 1..40), typed in "[abc]{4,9}", is_begun: bool) {
            let known = Words::new(words.iter().map(String::as_str));
            let letters: Vec<char> = typed.chars().collect();
            let most = if letters.len() < 7 { 1 } else { 2 };
            let mut expected: Vec<(usize, usize)> = known.words.iter().enumerate().filter_map(|(id, word)| {
                let word: Vec<char> = word.chars().collect();
                let edits = match is_begun {
                    true => (0..=word.len()).filter_map(|end| edits::distance(&letters, &word[..end], most)).min(),
                    false => edits::distance(&letters, &word, most),
                };
                edits.filter(|&edits| edits > 0).map(|edits| (edits, id))
            }).collect();
            expected.sort_unstable();
            let expected: Vec<_> = expected.into_iter().take(READINGS).map(|(edits, id)| (edits, known.words.get(id))).collect();
            prop_assert_eq!(known.near(&typed, is_begun, MOST_COMPARED), expected);
        }
    }
}
