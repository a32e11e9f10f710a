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
use crate::winnow::{Winnowing, normal};

/// Letters and digits without which a text says nothing: every page of a gallery has "next" and "previous".
pub const FEWEST_CHARACTERS: u32 = 128;

/// Hashes kept of one page, the least: of a longer one they are a fair sample.
const MOST_HASHES: usize = 1_024;

/// Different words kept of one page, the most frequent.
const MOST_WORDS: usize = 2_048;

/// Longest run that is hashed, and hashes of which one is kept.
const MOST_GRAM: u32 = 1_024;

/// Text that is looked at, in bytes.
const LONGEST: usize = 1 << 20;

/// What is kept of a page's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Hash of the main text, letters and digits only.
    pub exact: u64,
    /// Hash of all visible text as it is.
    pub whole: u64,
    /// Letters and digits of the main text.
    pub length: u32,
    /// Its SimHash.
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
    Hashes(Vec<u8>),
    /// Hashes of stems and how often each stands there, by hash.
    Words(Vec<(u32, u32)>),
}

/// Makes fingerprints by a project's settings.
#[derive(Clone, Debug)]
pub struct FingerprintMaker {
    method: Duplicates,
    winnowing: Winnowing,
}

impl FingerprintMaker {
    /// By these settings; none when nothing is looked for.
    pub fn of(settings: &DuplicateSettings) -> Option<FingerprintMaker> {
        let winnowing = Winnowing {
            gram: settings.gram.clamp(1, MOST_GRAM) as usize,
            window: settings.window.clamp(1, MOST_GRAM) as usize,
            ..Winnowing::default()
        };
        (settings.method != Duplicates::Off)
            .then_some(FingerprintMaker { method: settings.method, winnowing })
    }

    /// The fingerprint of a page; none of a page that says too little to be anyone's copy.
    pub fn of_page(&self, page: &Page) -> Option<Fingerprint> {
        let main = if page.main.is_empty() { &page.text } else { &page.main };
        self.of_text(main, &page.text, page.language.as_deref())
    }

    fn of_text(&self, main: &str, whole: &str, language: Option<&str>) -> Option<Fingerprint> {
        let main = &main[..main.floor_char_boundary(LONGEST)];
        let whole = &whole[..whole.floor_char_boundary(LONGEST)];
        let (exact, length) = exact(main);
        if length < FEWEST_CHARACTERS {
            return None;
        }
        let whole = xxh3_64(whole.as_bytes());
        let (sketch, marks) = match self.method {
            Duplicates::Off | Duplicates::Exact => (Vec::new(), Marks::None),
            Duplicates::Winnowing => self.winnowed(main),
            Duplicates::Keywords => words(main, language),
        };
        Some(Fingerprint { exact, whole, length, simhash: simhash(main), sketch, marks })
    }

    fn winnowed(&self, main: &str) -> (Vec<u64>, Marks) {
        let mut hashes = least(self.winnowing.hashes(main));
        let halves = hashes.iter().flat_map(|hash| ((hash >> 32) as u32).to_be_bytes()).collect();
        hashes.truncate(KEPT);
        (hashes, Marks::Hashes(halves))
    }
}

impl Fingerprint {
    /// What is looked up.
    pub fn sketch(&self) -> Sketch {
        Sketch::of_least(self.sketch.clone())
    }

    /// How alike two texts are, by what decides; none where they were judged by different methods. Texts without marks
    /// are told by their SimHash, which knows only same and other.
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

    /// How alike their SimHashes are: an order to try candidates in.
    pub fn nearness(&self, other: &Fingerprint) -> f64 {
        simhash::likeness(self.simhash, other.simhash)
    }
}

/// The least hashes, in order, each once. Most of many are left out before they are sorted.
fn least(mut hashes: Vec<u64>) -> Vec<u64> {
    let some = MOST_HASHES * 2;
    if hashes.len() > some {
        let mut few = hashes.clone();
        few.select_nth_unstable(some);
        few.truncate(some);
        few.sort_unstable();
        few.dedup();
        if few.len() >= MOST_HASHES {
            hashes = few;
        }
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(MOST_HASHES);
    hashes
}

/// The hash of a text's letters and digits in lower case, and how many they are.
fn exact(text: &str) -> (u64, u32) {
    let mut kept: Vec<u8> = Vec::with_capacity(text.len());
    let mut count = 0_u32;
    let mut rest = text;
    while !rest.is_empty() {
        // Most texts are mostly ASCII: byte by byte, without a branch for each.
        let ascii = rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
        let before = kept.len();
        kept.extend(
            rest[..ascii].bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()),
        );
        count += (kept.len() - before) as u32;
        rest = &rest[ascii..];
        let mut chars = rest.chars();
        if let Some(c) = chars.next() {
            for c in normal(c) {
                kept.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                count += 1;
            }
        }
        rest = chars.as_str();
    }
    (xxh3_64(&kept), count)
}

/// Stems with their counts; looked up by pairs of stems in a row, as single ones stand in every text.
fn words(main: &str, language: Option<&str>) -> (Vec<u64>, Marks) {
    let code = language.and_then(|code| code.split(['-', '_']).next()).unwrap_or_default();
    let known = Analyzer::new(&Analysis::of_language(code));
    let Ok(analyzer) = known.or_else(|_| Analyzer::new(&Analysis::default())) else {
        return (Vec::new(), Marks::None);
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
    pairs.truncate(KEPT);
    (pairs, Marks::Words(words))
}

/// What two lists of four-byte hashes, each in order, have in common. Two of different hashes may share a half: twice in
/// a thousand comparisons of long pages, by one hash.
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
