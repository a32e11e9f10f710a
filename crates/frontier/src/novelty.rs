//! Novelty: does a page say anything that its host has not said before?
//!
//! What every page of a site repeats (menus, footers) stands in blocks of its own, so blocks that the host has
//! shown lately are left out first. Of what is left, too few words are no news; nor are words most of whose
//! neighbours are those of an earlier page: a near-copy. Memory is bounded: the latest blocks of a host, and
//! samples of its latest pages with news.
//!
//! This is a cheap first look for the guards. Which page is a copy of which other is not said here.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use eight::Eight;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// A page with fewer new words has no news: a date, a heading and a phrase.
const FEWEST_WORDS: u64 = 24;

/// A page shares this many of four of its word pairs with earlier ones: a near-copy.
const KNOWN_OF_FOUR: usize = 3;

/// Word pairs sampled of a page; the share of known ones is right within 5 percent points or so.
const SAMPLE: usize = 64;

/// Words of a block beyond which it keeps no more than a sample of its pairs.
const LONG: usize = 4 * SAMPLE;

/// Pages with news that are remembered by their sample: of a host, and of a URL template. A template needs more:
/// what its pages put together anew each time (a month's days, a few events) is known only after some of them.
pub(crate) const HOST_PAGES: usize = 4;
pub(crate) const TEMPLATE_PAGES: usize = 16;

/// Blocks of a host that are remembered.
const BLOCKS: usize = 512;

/// Words and blocks of a page that are looked at.
const MOST_WORDS: usize = 20_000;
const MOST_BLOCKS: usize = 4_096;

/// What a page's text leaves for comparison. Made where the page is read, judged where it is settled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextMark {
    /// Of the whole text.
    pub(crate) hash: u64,
    blocks: Vec<Block>,
    /// Hashes of each block's word pairs; of a long one the smallest.
    pairs: Vec<u32>,
    /// Whoever compares whole texts knows it from another page.
    pub(crate) known: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    hash: u32,
    words: u32,
    /// Where its pairs end.
    pairs_end: u32,
}

impl TextMark {
    /// The text stands on another page, of whatever host: no news.
    pub fn is_known(&mut self) {
        self.known = true;
    }

    /// The mark of a text whose blocks stand on lines of their own.
    pub fn of(text: &str) -> TextMark {
        let mut mark = TextMark { hash: xxh3_64(text.as_bytes()), ..TextMark::default() };
        let mut words_left = MOST_WORDS;
        mark.pairs.reserve(text.len() / 6);
        let bytes = text.as_bytes();
        for line in lines(bytes).filter(|line| !bytes[line.clone()].trim_ascii().is_empty()).take(MOST_BLOCKS)
        {
            let start = mark.pairs.len();
            let (mut last, mut whole) = (0, 0u64);
            // Other white space has been collapsed where the text was read.
            mark.pairs.extend((WordHashes { bytes, line }).take(words_left).map(|hash| {
                let pair = (last ^ hash.rotate_left(21)).wrapping_mul(MIXER);
                whole = whole.rotate_left(7) ^ pair;
                last = hash;
                // The high half: the low bits of a product know only the low bits of its factors.
                (pair >> 32) as u32
            }));
            let words = mark.pairs.len() - start;
            words_left -= words;
            if words > LONG {
                let count = smallest(&mut mark.pairs[start..]);
                mark.pairs.truncate(start + count);
            }
            let pairs_end = mark.pairs.len() as u32;
            mark.blocks.push(Block { hash: (whole ^ (whole >> 32)) as u32, words: words as u32, pairs_end });
            if words_left == 0 {
                break;
            }
        }
        mark
    }
}

/// An odd number whose bits look like those of chance.
const MIXER: u64 = 0x9E37_79B9_7F4A_7C15;

fn lines(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text).chain([text.len()]);
    ends.map(move |end| std::mem::replace(&mut start, end + 1)..end)
}

/// Hashes of the words of a line.
struct WordHashes<'a> {
    /// All of the text: where there is more of it, eight bytes can be looked at together at the end of a line as well.
    bytes: &'a [u8],
    /// What is left of the line.
    line: Range<usize>,
}

impl Iterator for WordHashes<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let mut hash = 0u64;
        let mut start = self.line.start;
        let mut at = start;
        // No word goes on behind the line's end.
        while at < self.line.end {
            let bytes = Eight::of(&self.bytes[at..], b' ');
            let length = (!bytes.at_least(b'!')).first();
            if length > 0 {
                hash = (hash ^ bytes.begin(length)).wrapping_mul(MIXER);
                hash ^= hash >> 29;
            }
            at += length;
            if length < 8 {
                if at > start {
                    break;
                }
                at += 1;
                start = at;
            }
        }
        self.line.start = at + 1;
        (at > start).then_some(hash)
    }
}

/// Blocks that a host has shown lately.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    seen: HashMap<u32, u64, BuildHasherDefault<AsItIs>>,
    clock: u64,
}

/// Blocks are known by their hashes, so these need no other. Who makes two alike has a page that is no news.
#[derive(Clone, Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u32(&mut self, hash: u32) {
        // A table looks at the highest and at the lowest bits.
        self.0 = u64::from(hash).wrapping_mul(MIXER);
    }
}

/// Samples of the latest pages with news.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Samples(VecDeque<Vec<u32>>);

/// What is new on a page: a sample of its word pairs; none when it has no news.
pub(crate) fn news(mark: &TextMark, blocks: &mut Blocks, known: &[&Samples]) -> Option<Vec<u32>> {
    let mut words = 0;
    let mut start = 0;
    let mut pairs = Vec::with_capacity(mark.pairs.len());
    for block in &mark.blocks {
        let own = start..block.pairs_end as usize;
        start = own.end;
        if !blocks.see(block.hash) {
            words += u64::from(block.words);
            pairs.extend_from_slice(&mark.pairs[own]);
        }
    }
    blocks.forget_old();
    // The smallest of all blocks are among the smallest of each.
    let count = smallest(&mut pairs);
    let pairs = &pairs[..count];
    let mut familiar = [false; SAMPLE];
    known.iter().for_each(|samples| samples.mark(pairs, &mut familiar));
    let count = familiar.iter().filter(|familiar| **familiar).count();
    let is_copy = count * 4 >= pairs.len() * KNOWN_OF_FOUR;
    (words >= FEWEST_WORDS && !is_copy).then(|| pairs.to_vec())
}

/// Brings the smallest of them to the front, in order, each once, as many as a sample has; says how many. Sorting all would
/// cost more than reading them.
fn smallest(pairs: &mut [u32]) -> usize {
    const AMONG: usize = 2 * SAMPLE;
    let mut low = pairs.len();
    if low > AMONG {
        // They are as good as random, so about so many are not above this.
        let limit = (u64::from(u32::MAX) * AMONG as u64 / pairs.len() as u64) as u32;
        low = 0;
        for at in 0..pairs.len() {
            let is_low = pairs[at] <= limit;
            pairs.swap(at, low);
            low += usize::from(is_low);
        }
    }
    let count = sort_distinct(&mut pairs[..low]);
    if count >= SAMPLE || low == pairs.len() { count.min(SAMPLE) } else { sort_distinct(pairs).min(SAMPLE) }
}

/// Sorts them, each once, to the front; says how many.
fn sort_distinct(pairs: &mut [u32]) -> usize {
    pairs.sort_unstable();
    let mut count = 0;
    for at in 0..pairs.len() {
        if at == 0 || pairs[at] != pairs[count - 1] {
            pairs[count] = pairs[at];
            count += 1;
        }
    }
    count
}

impl Blocks {
    /// True when it was seen before.
    fn see(&mut self, block: u32) -> bool {
        self.clock += 1;
        self.seen.insert(block, self.clock).is_some()
    }

    fn forget_old(&mut self) {
        if self.seen.len() > BLOCKS * 2 {
            let mut ages: Vec<u64> = self.seen.values().copied().collect();
            let surplus = ages.len() - BLOCKS;
            let oldest = *ages.select_nth_unstable(surplus).1;
            self.seen.retain(|_, age| *age >= oldest);
        }
    }

    fn newest(&self) -> Vec<u32> {
        let mut by_age: Vec<(u64, u32)> = self.seen.iter().map(|(block, age)| (*age, *block)).collect();
        by_age.sort_unstable();
        let surplus = by_age.len().saturating_sub(BLOCKS);
        by_age.into_iter().skip(surplus).map(|(_, block)| block).collect()
    }
}

impl From<Vec<u32>> for Blocks {
    fn from(oldest_first: Vec<u32>) -> Blocks {
        let clock = oldest_first.len() as u64;
        Blocks { seen: oldest_first.into_iter().zip(0..).collect(), clock }
    }
}

impl From<&Blocks> for Vec<u32> {
    fn from(blocks: &Blocks) -> Vec<u32> {
        blocks.newest()
    }
}

impl Samples {
    /// Remembers a page, among the latest `most`.
    pub(crate) fn remember(&mut self, sample: Vec<u32>, most: usize) {
        while self.0.len() >= most {
            self.0.pop_front();
        }
        self.0.push_back(sample);
    }

    /// Marks those of the pairs that a page has had. Both stand in order, so each is looked at once; and without branches, as
    /// nothing foretells which of two is the smaller.
    fn mark(&self, pairs: &[u32], familiar: &mut [bool; SAMPLE]) {
        for sample in &self.0 {
            let (mut at, mut other) = (0, 0);
            while at < pairs.len() && other < sample.len() {
                let (pair, known) = (pairs[at], sample[other]);
                familiar[at] |= pair == known;
                at += usize::from(pair <= known);
                other += usize::from(known <= pair);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Words that follow from a number.
    fn words(number: u64, count: u64) -> String {
        let word = |place: u64| format!("w{}", (number.wrapping_mul(7919).wrapping_add(place * 31)) % 9973);
        (0..count).map(word).collect::<Vec<_>>().join(" ")
    }

    struct Host {
        blocks: Blocks,
        samples: Samples,
    }

    impl Host {
        fn new() -> Host {
            Host { blocks: Blocks::default(), samples: Samples::default() }
        }

        fn shows(&mut self, text: &str) -> bool {
            let news = news(&TextMark::of(text), &mut self.blocks, &[&self.samples]);
            let any = news.is_some();
            news.into_iter().for_each(|sample| self.samples.remember(sample, HOST_PAGES));
            any
        }
    }

    #[test]
    fn a_short_text_between_long_menus_is_news() {
        let menu: Vec<String> = (0..200u64).map(|entry| words(entry, 3)).collect();
        let page = |number: u64| format!("{}\n{}\n{}", menu.join("\n"), words(1_000 + number, 30), menu[0]);
        let mut host = Host::new();
        for number in 0..100 {
            assert!(host.shows(&page(number)), "{number}");
        }
        assert!(!host.shows(&page(99)), "the same again");
        assert!(!host.shows(&menu.join("\n")), "nothing but menus");
    }

    #[test]
    fn a_date_and_a_phrase_are_no_news() {
        let mut host = Host::new();
        for number in 0..50u64 {
            assert!(!host.shows(&format!("{number} May 2031\nNothing happens today. {}", words(number, 12))));
        }
    }

    #[test]
    fn scrambled_copies_are_soon_no_news() {
        let common: Vec<String> = (0..400).map(|place| words(place, 1)).collect();
        let mut host = Host::new();
        let mut fresh = 0;
        for number in 0..200u64 {
            let mut text = common.clone();
            for place in 0..24 {
                let at = (number * 131 + place * 97 + number * place * 7) % 400;
                text[at as usize] = format!("s{number}x{place}");
            }
            fresh += u32::from(host.shows(&text.join(" ")));
        }
        assert!(fresh < 10, "{fresh} of 200 copies were taken for news");
    }

    #[test]
    fn what_is_remembered_is_bounded_and_comes_back_the_same() {
        let mut host = Host::new();
        for number in 0..5_000 {
            host.shows(&format!("{}\nb{number}", words(number, 40)));
        }
        assert!(host.blocks.seen.len() <= BLOCKS * 2);
        let stored = Vec::from(&host.blocks);
        assert_eq!(stored.len(), BLOCKS);
        assert_eq!(Vec::from(&Blocks::from(stored.clone())), stored);
        assert_eq!(host.samples.0.len(), HOST_PAGES);
    }

    #[test]
    fn a_sample_is_the_smallest_pairs_each_once() {
        for (count, of) in [
            (0u64, 10),
            (63, 1_000),
            (64, 1_000),
            (129, 7),
            (500, 40),
            (500, 65),
            (5_000, 1 << 31),
            (5_000, 1 << 32),
        ] {
            let mut pairs: Vec<u32> = (0..count).map(|place| (place * 2_654_435_761 % of) as u32).collect();
            let mut expected = pairs.clone();
            expected.sort_unstable();
            expected.dedup();
            expected.truncate(SAMPLE);
            let found = smallest(&mut pairs);
            assert_eq!(pairs[..found], expected, "{count} of {of}");
        }
    }

    #[test]
    fn words_are_hashed_alike_wherever_they_stand() {
        let of_line = |text: &str, line| WordHashes { bytes: text.as_bytes(), line }.collect::<Vec<_>>();
        let hashes = |text: &str| of_line(text, 0..text.len());
        let text = "  a bc seven77 eightxyz nine nine\u{a0}ten  ä\tsixteen-letters! \r seventeen-letters ";
        let all = hashes(text);
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        assert_eq!(all.len(), words.len());
        for (word, hash) in words.iter().zip(&all) {
            assert_eq!(hashes(word), [*hash], "{word}");
        }
        let different: HashSet<&u64> = all.iter().collect();
        assert_eq!(different.len(), words.len(), "no two of these words are the same");
        assert_eq!((hashes(""), hashes("   ")), (vec![], vec![]));
        assert_eq!(lines(b"a\n\nb").collect::<Vec<_>>(), [0..1, 2..2, 3..4]);
        for word in words {
            let text = format!("{word}\nand more");
            assert_eq!(of_line(&text, 0..word.len()), hashes(word), "{word}, with a line below");
        }
    }

    #[test]
    fn hostile_texts_leave_small_marks() {
        for text in ["x ".repeat(1 << 20), "\n".repeat(1 << 20), "a\n".repeat(1 << 20), "x".repeat(1 << 21)] {
            let mark = TextMark::of(&text);
            assert!(mark.blocks.len() <= MOST_BLOCKS && mark.pairs.len() <= MOST_WORDS);
        }
    }
}
