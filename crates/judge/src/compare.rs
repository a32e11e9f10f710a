//! What two texts have in common: how many of their hashes, and which passages.
//!
//! Similarity is that of the fingerprints, as the source paper has it. Edits scattered over a text cost it more hashes
//! than characters, so the share of the text that really stands in both is told beside it, passage by passage.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::winnow::{Minutia, Winnowing, normal, rolling_hashes};

/// At or above this a page is a near duplicate, unless said otherwise.
pub const THRESHOLD: f64 = 0.7;

/// Places of one run in a text that are looked at for the longest: one that repeats itself has it everywhere.
const MOST_PLACES: usize = 32;

/// A text made ready to be compared.
pub struct Prepared {
    characters: Vec<char>,
    /// For each character its first byte in the text and the one after its last.
    bytes: Vec<(u32, u32)>,
    minutiae: Vec<Minutia>,
    /// Its hashes, each once, in order.
    hashes: Vec<u64>,
    exact: u64,
    settings: Winnowing,
}

/// How much two texts have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likeness {
    /// Hashes in both, of those in the one that has more; 1 where the texts are the same.
    pub similarity: f64,
    /// Hashes in both, of the first text's.
    pub of_first: f64,
    /// Hashes in both, of the second text's.
    pub of_second: f64,
}

/// The same words in two texts: their bytes in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// In the first.
    pub first: Range<usize>,
    /// In the second.
    pub second: Range<usize>,
    /// Letters and digits.
    pub length: usize,
}

impl Prepared {
    /// Makes a text ready; of a text over 4 GiB, the beginning.
    pub fn new(text: &str, settings: Winnowing) -> Prepared {
        let text = &text[..text.floor_char_boundary(u32::MAX as usize)];
        let (mut characters, mut bytes) = (Vec::new(), Vec::new());
        for (at, c) in text.char_indices() {
            for normal in normal(c) {
                characters.push(normal);
                bytes.push((at as u32, (at + c.len_utf8()) as u32));
            }
        }
        let minutiae = settings.fingerprint(text);
        let mut hashes: Vec<u64> = minutiae.iter().map(|minutia| minutia.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        let whole: String = characters.iter().collect();
        Prepared { characters, bytes, minutiae, hashes, exact: xxh3_64(whole.as_bytes()), settings }
    }

    /// Its kept hashes with their places.
    pub fn minutiae(&self) -> &[Minutia] {
        &self.minutiae
    }

    /// Its hashes, each once, least first.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The hash of the whole text, normalised.
    pub fn exact(&self) -> u64 {
        self.exact
    }

    /// True where both texts are the same, letter by letter and digit by digit, and there are any.
    pub fn is_same(&self, other: &Prepared) -> bool {
        !self.characters.is_empty() && self.exact == other.exact && self.characters == other.characters
    }

    /// How much the fingerprints have in common.
    pub fn likeness(&self, other: &Prepared) -> Likeness {
        if self.is_same(other) {
            return Likeness { similarity: 1.0, of_first: 1.0, of_second: 1.0 };
        }
        likeness(&self.hashes, &other.hashes)
    }

    /// The passages that stand in both, at least as long as those that are certain to be found, in the order of the
    /// first text: all of it that stands in the second is in one of them. Where the second repeats itself, one of its
    /// places is told. They may overlap at their ends.
    pub fn passages(&self, other: &Prepared) -> Vec<Passage> {
        let runs = self.runs(other);
        let bytes = |text: &Prepared, run: Range<usize>| {
            text.bytes[run.start].0 as usize..text.bytes[run.end - 1].1 as usize
        };
        runs.into_iter()
            .map(|(first, second, length)| Passage {
                first: bytes(self, first..first + length),
                second: bytes(other, second..second + length),
                length,
            })
            .collect()
    }

    /// The part of each text that stands in common passages, the smaller of the two.
    pub fn share(&self, other: &Prepared) -> f64 {
        if self.is_same(other) {
            return 1.0;
        }
        let (own, others) = (self.certain_runs(), other.certain_runs());
        let part = |text: &Prepared, of: &[u64], among: &[u64]| {
            let known: HashSet<u64> = among.iter().copied().collect();
            let (mut covered, mut until) = (0, 0);
            for (at, _) in of.iter().enumerate().filter(|(_, hash)| known.contains(hash)) {
                let end = at + text.settings.certain();
                covered += end - at.max(until);
                until = end;
            }
            covered as f64 / text.characters.len().max(1) as f64
        };
        part(self, &own, &others).min(part(other, &others, &own))
    }

    /// The hash of every run that is just long enough to be certain.
    fn certain_runs(&self) -> Vec<u64> {
        let codes: Vec<u32> = self.characters.iter().map(|c| u32::from(*c)).collect();
        let mut hashes = Vec::new();
        rolling_hashes(&codes, self.settings.certain(), &mut hashes);
        hashes
    }

    /// Common runs: place in each, and length in characters. In a time that grows with the texts and not with their
    /// square, however often they repeat themselves: each run begins where the one before ends.
    fn runs(&self, other: &Prepared) -> Vec<(usize, usize, usize)> {
        let least = self.settings.certain();
        let own = self.certain_runs();
        let mut places: Vec<(u64, usize)> =
            other.certain_runs().into_iter().enumerate().map(|(at, hash)| (hash, at)).collect();
        places.sort_unstable();
        let same = |first: usize, second: usize| {
            let pairs = self.characters[first..].iter().zip(&other.characters[second..]);
            pairs.take_while(|(a, b)| a == b).count()
        };
        let (mut runs, mut first) = (Vec::new(), 0);
        while let Some(hash) = own.get(first) {
            let from = places.partition_point(|(other, _)| other < hash);
            let there = places[from..].iter().take_while(|(other, _)| other == hash).take(MOST_PLACES);
            let longest = there.map(|(_, second)| (same(first, *second), Reverse(*second))).max();
            first += match longest {
                Some((length, Reverse(second))) if length >= least => {
                    runs.push((first, second, length));
                    // The next one that reaches further than this.
                    length - least + 1
                }
                _ => 1,
            };
        }
        runs
    }
}

/// How much two fingerprints have in common; the hashes of each stand in order, each once.
pub fn likeness(first: &[u64], second: &[u64]) -> Likeness {
    let (mut common, mut at) = (0_usize, 0);
    for hash in first {
        while second.get(at).is_some_and(|other| other < hash) {
            at += 1;
        }
        common += usize::from(second.get(at) == Some(hash));
    }
    let of = |count: usize| if count == 0 { 0.0 } else { common as f64 / count as f64 };
    Likeness {
        similarity: of(first.len().max(second.len())),
        of_first: of(first.len()),
        of_second: of(second.len()),
    }
}

/// Two of many texts that are near duplicates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The place of the first among the texts.
    pub first: usize,
    /// That of the second.
    pub second: usize,
    /// How alike they are, which is held against the threshold: the part of their hashes that both have, or where that
    /// is too little their share.
    pub similarity: f64,
    /// The part of the text that they share, where that decided.
    pub share: Option<f64>,
}

/// What is kept of each of many texts.
struct Light {
    /// How many hashes it has.
    hashes: usize,
    /// The hash of the whole, if there is a letter or digit.
    exact: Option<u64>,
}

/// All pairs of which similarity or share is at or above the threshold, in order. Exact: every pair with a common hash
/// is looked at.
pub fn pairs<T: AsRef<str>>(texts: &[T], settings: Winnowing, threshold: f64) -> Vec<Pair> {
    // A text in runs no longer than need be keeps W of W + K − 1 hashes: what is far below cannot reach the threshold.
    let least = threshold * settings.window as f64 / (2 * settings.certain()) as f64;
    let mut found = Vec::new();
    let mut known: Vec<Light> = Vec::with_capacity(texts.len());
    let mut holders: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut same: HashMap<u64, Vec<usize>> = HashMap::new();
    for (second, text) in texts.iter().enumerate() {
        let prepared = Prepared::new(text.as_ref(), settings);
        let exact = (!prepared.characters.is_empty()).then_some(prepared.exact);
        let twins = exact.and_then(|exact| same.get(&exact)).into_iter().flatten();
        found.extend(twins.map(|first| Pair { first: *first, second, similarity: 1.0, share: None }));
        let mut common: HashMap<usize, usize> = HashMap::new();
        for first in prepared.hashes.iter().filter_map(|hash| holders.get(hash)).flatten() {
            *common.entry(*first).or_default() += 1;
        }
        for (first, common) in common {
            let other = &known[first];
            let similarity = common as f64 / prepared.hashes.len().max(other.hashes) as f64;
            if other.exact == exact || similarity < least {
                continue;
            }
            if similarity >= threshold {
                found.push(Pair { first, second, similarity, share: None });
                continue;
            }
            // Texts are made ready again rather than kept: that would be many times their size.
            let share = Prepared::new(texts[first].as_ref(), settings).share(&prepared);
            if share >= threshold {
                found.push(Pair { first, second, similarity: share, share: Some(share) });
            }
        }
        for hash in &prepared.hashes {
            holders.entry(*hash).or_default().push(second);
        }
        if let Some(exact) = exact {
            same.entry(exact).or_default().push(second);
        }
        known.push(Light { hashes: prepared.hashes.len(), exact });
    }
    found.sort_by_key(|pair| (pair.first, pair.second));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn prepared(text: &str) -> Prepared {
        Prepared::new(text, Winnowing { gram: 4, window: 3, ..Winnowing::default() })
    }

    #[test]
    fn passages_are_told_in_both_texts() {
        let (a, b) =
            ("One thing. The sea comes in twice a day. Another.", "«THE SEA, comes in twice» – so they say");
        let (first, second) = (prepared(a), prepared(b));
        let found = first.passages(&second);
        let parts: Vec<(&str, &str)> =
            found.iter().map(|passage| (&a[passage.first.clone()], &b[passage.second.clone()])).collect();
        assert_eq!(parts, [("The sea comes in twice", "THE SEA, comes in twice")]);
        assert!(first.share(&second) > 0.4 && first.share(&second) < 0.6, "{}", first.share(&second));
    }

    /// A text in which everything stands everywhere takes no longer than another.
    #[test]
    fn texts_that_repeat_themselves_are_compared() {
        let (first, second) = (prepared(&"ab".repeat(200_000)), prepared(&"ba".repeat(200_001)));
        let found = first.passages(&second);
        assert_eq!((found.len(), found[0].length), (1, 400_000));
        assert_eq!(first.share(&second), 1.0);
        // Of many places that with the longest passage is told; beyond those looked at, one of them.
        let text = format!("{}the sea comes in", "the sea is wide ".repeat(20));
        let found = prepared("so the sea comes in").passages(&prepared(&text));
        assert_eq!(
            found.iter().map(|passage| &text[passage.second.clone()]).collect::<Vec<_>>(),
            ["the sea comes in"]
        );
    }

    #[test]
    fn similarity_is_of_the_longer_and_containment_of_each() {
        let found = likeness(&[1, 2, 3, 4], &[2, 4]);
        assert_eq!(found, Likeness { similarity: 0.5, of_first: 0.5, of_second: 1.0 });
        assert_eq!(likeness(&[], &[]).similarity, 0.0);
        // Too short for a fingerprint, and yet the same.
        assert_eq!(prepared("a b").likeness(&prepared("A. B.")).similarity, 1.0);
        assert_eq!(prepared("").likeness(&prepared("")).similarity, 0.0);
    }

    #[test]
    fn pairs_of_many_texts_are_found() {
        let words = |from: u32| {
            (from..from + 60).map(|n| format!("{:x} ", (n + 1).wrapping_mul(0x9E37_79B1))).collect::<String>()
        };
        let texts = [words(0), words(100), words(0).to_uppercase(), words(10), "x".into(), "X!".into()];
        let settings = Winnowing { gram: 4, window: 3, ..Winnowing::default() };
        let found: Vec<(usize, usize)> =
            pairs(&texts, settings, 0.7).iter().map(|pair| (pair.first, pair.second)).collect();
        assert_eq!(found, [(0, 2), (0, 3), (2, 3), (4, 5)]);
    }

    proptest! {
        /// The guarantee: every letter of a run that is long enough is in a passage, however often the run is there.
        #[test]
        fn every_run_that_is_long_enough_is_in_a_passage(a in "[ab]{0,60}", b in "[ab]{0,60}", often in 1..50_usize) {
            let b = b.repeat(often);
            let (first, second) = (prepared(&a), prepared(&b));
            let mut told = vec![false; a.len()];
            first.passages(&second).into_iter().for_each(|passage| told[passage.first].fill(true));
            let mut expected = vec![false; a.len()];
            for at in (0..a.len()).filter(|at| a.len() - at >= 6 && b.contains(&a[*at..at + 6])) {
                expected[at..at + 6].fill(true);
            }
            prop_assert_eq!(told, expected);
        }

        #[test]
        fn any_texts_can_be_compared(a in "[ab ]{0,40}", b in "[ab ]{0,40}") {
            let (first, second) = (prepared(&a), prepared(&b));
            for passage in first.passages(&second) {
                let normal = |text: &str| text.chars().flat_map(normal).collect::<String>();
                prop_assert_eq!(normal(&a[passage.first]), normal(&b[passage.second]));
            }
            prop_assert!((0.0..=1.0).contains(&first.share(&second)));
            prop_assert_eq!(first.share(&second), second.share(&first));
            prop_assert_eq!(first.likeness(&second).similarity, second.likeness(&first).similarity);
        }
    }
}
