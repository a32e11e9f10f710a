//! What is kept of a crawled page to find its copies: hashes of its text, whole and in parts.
//!
//! Made where a page is read; compared and kept by [`book`](crate::book). Similarity is that of the main text, so that
//! the same text in other menus is found; whether a page is the same in all that is visible is told beside it.

use std::collections::HashMap;

use model::{DuplicateSettings, Duplicates, Page};
use serde::{Deserialize, Serialize};
use text::{Analysis, Analyzer};
use xxhash_rust::xxh3::xxh3_64;

use crate::compare::Likeness;
use crate::lookup::{KEPT, Sketch};
use crate::simhash::{self, simhash};
use crate::winnow::{Letters, Winnowing};

/// Letters and digits without which a text says nothing: every page of a gallery has "next" and "previous".
pub const FEWEST_CHARACTERS: u32 = 128;

/// Different words kept of one page, the most frequent.
const MOST_WORDS: usize = 2_048;

/// Longest run that is hashed, and hashes of which one is kept.
const MOST_GRAM: u32 = 1_024;

/// Text that is looked at, in bytes.
const LONGEST: usize = 1 << 20;

/// Hashes from which on a text is long, about 1,300 letters. In a short one the words of a template are most of what
/// there is, and other names in it are another page; a long one loses more hashes than letters to single words that
/// changed all over it.
const LONG: usize = 200;

/// How alike near duplicates are at least, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// Usually.
    pub usual: f64,
    /// Where both texts are long.
    pub of_long: f64,
}

/// What is kept of a page's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Hash of the main text, letters and digits only.
    pub exact: u64,
    /// Hash of all visible text as it is.
    pub whole: u64,
    /// Letters and digits of the main text.
    pub length: u32,
    /// The SimHash of what decides, or of the words where only exact duplicates are looked for.
    pub simhash: u64,
    /// What is looked up, least first.
    pub sketch: Vec<u64>,
    /// What decides.
    pub marks: Marks,
}

/// What decides whether two pages are near duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Marks {
    /// Nothing: only exact duplicates are looked for.
    #[default]
    None,
    /// The upper halves of the hashes that winnowing keeps, in order, four bytes each.
    Hashes(#[serde(with = "as_bytes")] Vec<u8>),
    /// Hashes of stems and how often each stands there, by hash.
    Words(Vec<(u32, u32)>),
}

/// A number for the settings by which fingerprints are made: those by others cannot be compared.
pub fn made_by(settings: &DuplicateSettings) -> u64 {
    let (gram, window) = (u64::from(settings.gram), u64::from(settings.window));
    match settings.method {
        Duplicates::Off => 0,
        Duplicates::Exact => 1,
        Duplicates::Winnowing => 2 | gram.min(0xFF_FFFF) << 8 | window << 32,
        Duplicates::Keywords => 3,
    }
}

/// Makes fingerprints by a project's settings.
#[derive(Clone, Debug)]
pub struct FingerprintMaker {
    method: Duplicates,
    winnowing: Winnowing,
    letters: Letters,
    /// Room for the hashes of words.
    pairs: Vec<u64>,
}

impl Threshold {
    /// By a project's settings.
    pub fn of(settings: &DuplicateSettings) -> Threshold {
        Threshold { usual: settings.threshold, of_long: settings.threshold_of_long }
    }

    /// The same for all texts.
    pub fn even(least: f64) -> Threshold {
        Threshold { usual: least, of_long: least }
    }
}

impl FingerprintMaker {
    /// By these settings; none when nothing is looked for.
    pub fn of(settings: &DuplicateSettings) -> Option<FingerprintMaker> {
        let winnowing = Winnowing {
            gram: settings.gram.clamp(1, MOST_GRAM) as usize,
            window: settings.window.clamp(1, MOST_GRAM) as usize,
            ..Winnowing::default()
        };
        let letters = Letters::default();
        (settings.method != Duplicates::Off).then_some(FingerprintMaker {
            method: settings.method,
            winnowing,
            letters,
            pairs: Vec::new(),
        })
    }

    /// The fingerprint of a page; none of a page that says too little to be anyone's copy.
    pub fn of_page(&mut self, page: &Page) -> Option<Fingerprint> {
        let main = if page.main.is_empty() { &page.text } else { &page.main };
        self.of_text(main, &page.text, page.language.as_deref())
    }

    fn of_text(&mut self, main: &str, whole: &str, language: Option<&str>) -> Option<Fingerprint> {
        let main = &main[..main.floor_char_boundary(LONGEST)];
        let whole = &whole[..whole.floor_char_boundary(LONGEST)];
        self.letters.read(main);
        let length = self.letters.count();
        if length < FEWEST_CHARACTERS {
            return None;
        }
        let exact = xxh3_64(self.letters.as_bytes());
        let whole = xxh3_64(whole.as_bytes());
        let (simhash, sketch, marks) = match self.method {
            Duplicates::Off | Duplicates::Exact => {
                (simhash::of_words(main, &mut self.pairs), Vec::new(), Marks::None)
            }
            Duplicates::Winnowing => self.winnowed(),
            Duplicates::Keywords => words(main, language),
        };
        Some(Fingerprint { exact, whole, length, simhash, sketch, marks })
    }

    fn winnowed(&mut self) -> (u64, Vec<u64>, Marks) {
        let mut hashes = self.winnowing.hashes(&mut self.letters).to_vec();
        hashes.sort_unstable();
        hashes.dedup();
        let mut halves = Vec::with_capacity(hashes.len() * 4);
        hashes.iter().for_each(|hash| halves.extend_from_slice(&((hash >> 32) as u32).to_be_bytes()));
        (simhash(&hashes), hashes[..hashes.len().min(KEPT)].to_vec(), Marks::Hashes(halves))
    }
}

impl Fingerprint {
    /// What is looked up.
    pub fn sketch(&self) -> Sketch {
        Sketch::of_least(self.sketch.clone())
    }

    /// The method that it was made for.
    pub fn method(&self) -> Duplicates {
        match self.marks {
            Marks::None => Duplicates::Exact,
            Marks::Hashes(_) => Duplicates::Winnowing,
            Marks::Words(_) => Duplicates::Keywords,
        }
    }

    /// How alike two texts are, by what decides; none where they were judged by different methods.
    pub fn likeness(&self, other: &Fingerprint) -> Option<Likeness> {
        if self.exact == other.exact {
            return Some(Likeness { similarity: 1.0, of_first: 1.0, of_second: 1.0 });
        }
        match (&self.marks, &other.marks) {
            (Marks::Hashes(first), Marks::Hashes(second)) => Some(common(first, second)),
            (Marks::Words(first), Marks::Words(second)) => {
                let similarity = cosine(first, second);
                Some(Likeness { similarity, of_first: similarity, of_second: similarity })
            }
            _ => None,
        }
    }

    /// How alike this text and another that is near it are at least; a text of its own length unless said.
    pub(crate) fn least_likeness(&self, other: Option<&Fingerprint>, threshold: Threshold) -> f64 {
        let is_long =
            |text: &Fingerprint| matches!(&text.marks, Marks::Hashes(halves) if halves.len() >= 4 * LONG);
        if is_long(self) && other.is_none_or(is_long) { threshold.of_long } else { threshold.usual }
    }

    /// How alike their SimHashes are: an order among those that are equally alike.
    pub fn nearness(&self, other: &Fingerprint) -> f64 {
        simhash::likeness(self.simhash, other.simhash)
    }
}

/// Stems with their counts; looked up by pairs of stems in a row, as single ones stand in every text.
fn words(main: &str, language: Option<&str>) -> (u64, Vec<u64>, Marks) {
    let code = language.and_then(|code| code.split(['-', '_']).next()).unwrap_or_default();
    let known = Analyzer::new(&Analysis::of_language(code));
    let Ok(analyzer) = known.or_else(|_| Analyzer::new(&Analysis::default())) else {
        return (0, Vec::new(), Marks::None);
    };
    let mut counts: HashMap<u32, u32> = HashMap::new();
    let (mut pairs, mut last) = (Vec::new(), 0_u64);
    analyzer.each(main, &mut |word| {
        if let Some(term) = word.term {
            let hash = xxh3_64(term.as_bytes());
            *counts.entry((hash >> 32) as u32).or_default() += 1;
            let pair = (last.rotate_left(23) ^ hash).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            pairs.push(pair ^ (pair >> 29));
            last = hash;
        }
    });
    let mut words: Vec<(u32, u32)> = counts.into_iter().collect();
    words.sort_unstable_by_key(|(word, count)| (std::cmp::Reverse(*count), *word));
    words.truncate(MOST_WORDS);
    words.sort_unstable();
    pairs.sort_unstable();
    pairs.dedup();
    let simhash = simhash(&pairs);
    pairs.truncate(KEPT);
    (simhash, pairs, Marks::Words(words))
}

/// What two lists of four-byte hashes, each in order, have in common. Two different hashes may share a half: of two pages with
/// 1,024 each that happens once in four thousand comparisons, of two with 10,000 each by one hash in forty.
fn common(first: &[u8], second: &[u8]) -> Likeness {
    let (mut a, mut b) =
        (first.as_chunks::<4>().0.iter().peekable(), second.as_chunks::<4>().0.iter().peekable());
    let mut common = 0_usize;
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => _ = a.next(),
            std::cmp::Ordering::Greater => _ = b.next(),
            std::cmp::Ordering::Equal => {
                common += 1;
                a.next();
                b.next();
            }
        }
    }
    let of = |bytes: usize| if bytes == 0 { 0.0 } else { (common * 4) as f64 / bytes as f64 };
    Likeness {
        similarity: of(first.len().max(second.len())),
        of_first: of(first.len()),
        of_second: of(second.len()),
    }
}

fn cosine(first: &[(u32, u32)], second: &[(u32, u32)]) -> f64 {
    let square = |words: &[(u32, u32)]| words.iter().map(|(_, count)| f64::from(*count).powi(2)).sum::<f64>();
    let (mut product, mut at) = (0.0, 0);
    for (word, count) in first {
        while second.get(at).is_some_and(|(other, _)| other < word) {
            at += 1;
        }
        if let Some((_, other)) = second.get(at).filter(|(other, _)| other == word) {
            product += f64::from(*count) * f64::from(*other);
        }
    }
    let lengths = (square(first) * square(second)).sqrt();
    if lengths == 0.0 { 0.0 } else { (product / lengths).min(1.0) }
}

/// Bytes in one piece, which are written as they were one by one.
mod as_bytes {
    use std::fmt;

    use serde::de::{Error, SeqAccess, Visitor};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_byte_buf(Bytes)
    }

    struct Bytes;

    impl<'de> Visitor<'de> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut bytes: A) -> Result<Vec<u8>, A::Error> {
            let mut all = Vec::new();
            while let Some(byte) = bytes.next_element()? {
                all.push(byte);
            }
            Ok(all)
        }
    }
}
