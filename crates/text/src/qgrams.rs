//! A q-gram index: which words share how many runs of q letters with a given one. Words that share too few cannot be
//! near, so that only the others need their edit distance computed.
//!
//! Runs are counted as multisets: the second "an" of "banana" is a run of its own. Words are padded, so that their
//! ends count as much as their middle.

/// Stands before the first letter and behind the last.
const PAD: char = '$';

/// A word's number in its list.
pub(crate) type WordId = u32;

#[derive(Clone, Debug)]
pub(crate) struct QGrams {
    q: usize,
    words: usize,
    /// Hashes of runs, in order. Two runs with the same hash share a list: that costs a comparison, never a word.
    runs: Vec<u64>,
    /// Where each run's words begin, and one more.
    starts: Vec<u32>,
    postings: Vec<WordId>,
}

impl QGrams {
    /// Indexes words under their place in the list.
    pub(crate) fn new<'a>(q: usize, words: impl Iterator<Item = &'a str>) -> QGrams {
        let mut index =
            QGrams { q: q.clamp(1, 8), words: 0, runs: Vec::new(), starts: Vec::new(), postings: Vec::new() };
        let mut pairs: Vec<(u64, WordId)> = Vec::new();
        let mut letters = Vec::new();
        for (id, word) in words.enumerate() {
            letters.clear();
            letters.extend(word.chars());
            pairs.extend(index.runs_of(&letters).into_iter().map(|run| (run, id as WordId)));
            index.words += 1;
        }
        pairs.sort_unstable();
        index.postings.reserve_exact(pairs.len());
        for (run, id) in pairs {
            if index.runs.last() != Some(&run) {
                index.runs.push(run);
                index.starts.push(index.postings.len() as u32);
            }
            index.postings.push(id);
        }
        index.starts.push(index.postings.len() as u32);
        index
    }

    /// Calls for every word that may be within `edits` of the given one. With so few letters that any word may, all
    /// are called.
    pub(crate) fn candidates(&self, word: &[char], edits: usize, mut call: impl FnMut(WordId)) {
        let runs = self.runs_of(word);
        // One edit touches q runs; a swap of two letters q + 1.
        let fewest = runs.len().saturating_sub((self.q + 1) * edits);
        if fewest == 0 {
            (0..self.words as WordId).for_each(call);
            return;
        }
        let mut shared = vec![0u8; self.words];
        for run in &runs {
            if let Ok(at) = self.runs.binary_search(run) {
                for &id in &self.postings[self.starts[at] as usize..self.starts[at + 1] as usize] {
                    shared[id as usize] = shared[id as usize].saturating_add(1);
                }
            }
        }
        for (id, &shared) in shared.iter().enumerate() {
            if shared as usize >= fewest {
                call(id as WordId);
            }
        }
    }

    fn runs_of(&self, letters: &[char]) -> Vec<u64> {
        let padding = self.q - 1;
        let length = letters.len() + 2 * padding;
        let letter =
            |at: usize| at.checked_sub(padding).and_then(|at| letters.get(at)).copied().unwrap_or(PAD) as u64;
        let mut runs: Vec<u64> = (0..(length + 1).saturating_sub(self.q))
            .map(|start| (start..start + self.q).fold(self.q as u64, |hash, at| mix(hash ^ letter(at))))
            .collect();
        runs.sort_unstable();
        // The second of equal runs becomes another.
        let mut nth = 0;
        let originals = runs.clone();
        for at in 1..runs.len() {
            nth = if originals[at] == originals[at - 1] { nth + 1 } else { 0 };
            if nth > 0 {
                runs[at] = mix(originals[at] ^ nth);
            }
        }
        runs
    }
}

fn mix(hash: u64) -> u64 {
    let hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 29
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::edits;

    fn letters(word: &str) -> Vec<char> {
        word.chars().collect()
    }

    #[test]
    fn runs_are_counted_as_multisets() {
        let unpadded = |q: usize, a: &str, b: &str| {
            let runs = |word: &str| {
                let letters = letters(word);
                letters.windows(q).map(<[char]>::to_vec).collect::<Vec<_>>()
            };
            let mut left = runs(b);
            runs(a)
                .iter()
                .filter(|run| left.iter().position(|other| other == *run).map(|at| left.remove(at)).is_none())
                .count()
        };
        assert_eq!(unpadded(2, "freiburgerin", "breifurgerin"), 3);
        let index = QGrams::new(3, std::iter::empty());
        let runs = index.runs_of(&letters("banana"));
        assert_eq!(runs.len(), 8);
        assert_eq!(runs.iter().collect::<std::collections::HashSet<_>>().len(), 8);
    }

    proptest! {
        /// The promise on which look-ups rest: no word within reach is pruned away.
        #[test]
        fn no_near_word_is_lost(
            words in prop::collection::vec("[abc]{1,9}", 1..20), word in "[abc]{1,9}", q in 1usize..5, most in 0usize..4
        ) {
            let index = QGrams::new(q, words.iter().map(String::as_str));
            let mut found = vec![false; words.len()];
            index.candidates(&letters(&word), most, |id| found[id as usize] = true);
            for (at, other) in words.iter().enumerate() {
                let other = letters(other);
                prop_assert!(found[at] || edits::distance(&letters(&word), &other, most).is_none());
            }
        }
    }
}
