//! Winnowing: the fingerprint of a text, such that what two texts have in common, their fingerprints have too.
//!
//! Of the text only letters and digits count, in lower case. Every run of K characters is hashed; of every W hashes in a
//! row the least is kept, the rightmost of equal ones. So a common run of W + K − 1 characters always leaves a common
//! hash, and a run of fewer than K never does. What to make of common hashes is left to [`compare`](crate::compare).

use std::collections::VecDeque;

use md5::{Digest, Md5};

/// How a text is winnowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Winnowing {
    /// Characters that are hashed together: K.
    pub gram: usize,
    /// Hashes of which one is kept: W.
    pub window: usize,
    /// How they are hashed.
    pub hash: Hash,
}

/// Hashes of K characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hash {
    /// A rolling one.
    #[default]
    Rolling,
    /// The first eight bytes of MD5, the highest first: the source paper's.
    Md5,
}

/// Letters and digits of a text in lower case, and room for their hashes; used again for one text after the other.
#[derive(Clone, Debug, Default)]
pub struct Letters {
    utf8: Vec<u8>,
    count: u32,
    hashes: Vec<u64>,
}

/// A kept hash, and the characters it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minutia {
    /// The hash.
    pub hash: u64,
    /// Letters and digits before it.
    pub at: usize,
    /// Its first byte in the text.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

impl Default for Winnowing {
    fn default() -> Winnowing {
        Winnowing { gram: 16, window: 12, hash: Hash::Rolling }
    }
}

impl Winnowing {
    /// The fingerprint of a text, in its order.
    pub fn fingerprint(&self, text: &str) -> Vec<Minutia> {
        let mut kept = Vec::new();
        let mut winnower = Winnower::new(*self);
        winnower.push(text, &mut kept);
        winnower.finish(&mut kept);
        kept
    }

    /// The hashes of the fingerprint alone, in its order, of equal ones in a row one: many times faster. They stand in
    /// the room given, which is used again for the next text.
    pub fn hashes<'a>(&self, letters: &'a mut Letters) -> &'a mut [u64] {
        let (gram, window) = (self.gram.max(1), self.window.max(1));
        letters.hashes.clear();
        match self.hash {
            Hash::Md5 => {
                let minutiae = self.fingerprint(letters.as_str());
                letters.hashes.extend(minutiae.iter().map(|minutia| minutia.hash));
                letters.hashes.dedup();
                return &mut letters.hashes;
            }
            Hash::Rolling if letters.count as usize == letters.utf8.len() => {
                rolling_hashes(&letters.utf8, gram, &mut letters.hashes);
            }
            Hash::Rolling => {
                let codes: Vec<u32> = letters.as_str().chars().map(u32::from).collect();
                rolling_hashes(&codes, gram, &mut letters.hashes);
            }
        }
        let kept = keep_least(&mut letters.hashes, window);
        &mut letters.hashes[..kept]
    }

    /// The shortest common run that is certain to be found.
    pub fn certain(&self) -> usize {
        self.window.max(1) + self.gram.max(1) - 1
    }
}

impl Letters {
    /// Takes those of another text.
    pub fn read(&mut self, text: &str) {
        self.utf8.clear();
        self.count = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let ascii = match rest.is_ascii() {
                true => rest.len(),
                false => rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len()),
            };
            self.push_ascii(&rest.as_bytes()[..ascii]);
            let mut chars = rest[ascii..].chars();
            for c in chars.next().into_iter().flat_map(normal) {
                self.utf8.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                self.count += 1;
            }
            rest = chars.as_str();
        }
    }

    /// Most texts are mostly ASCII: without a branch on what each byte is.
    fn push_ascii(&mut self, bytes: &[u8]) {
        let start = self.utf8.len();
        self.utf8.resize(start + bytes.len(), 0);
        let (room, mut kept) = (&mut self.utf8[start..], 0);
        for byte in bytes {
            let lower = LOWER[usize::from(byte & 127)];
            room[kept] = lower;
            kept += usize::from(lower != 0);
        }
        self.utf8.truncate(start + kept);
        self.count += kept as u32;
    }

    /// The letters and digits.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.utf8).unwrap_or_default()
    }

    /// The same in UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        &self.utf8
    }

    /// How many they are.
    pub fn count(&self) -> u32 {
        self.count
    }
}

/// ASCII letters and digits in lower case; 0 for what does not count.
const LOWER: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() {
            table[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

/// Winnows a text that comes in pieces.
pub struct Winnower {
    settings: Winnowing,
    /// The last K characters: each with its first byte and the one after its last.
    gram: VecDeque<(char, usize, usize)>,
    rolling: u64,
    /// What the oldest character of a full gram has been multiplied by.
    oldest: u64,
    /// Hashes of the window that may yet be the least, growing; the first is.
    window: VecDeque<(usize, Minutia)>,
    hashes: usize,
    characters: usize,
    bytes: usize,
    last_kept: Option<usize>,
}

const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

impl Winnower {
    /// Nothing read yet. K and W are at least one.
    pub fn new(settings: Winnowing) -> Winnower {
        let settings = Winnowing { gram: settings.gram.max(1), window: settings.window.max(1), ..settings };
        Winnower {
            settings,
            gram: VecDeque::with_capacity(settings.gram),
            rolling: 0,
            oldest: (0..settings.gram).fold(1, |power: u64, _| power.wrapping_mul(BASE)),
            window: VecDeque::new(),
            hashes: 0,
            characters: 0,
            bytes: 0,
            last_kept: None,
        }
    }

    /// Reads a further piece of the text; what is kept is added to `kept`.
    pub fn push(&mut self, text: &str, kept: &mut Vec<Minutia>) {
        for (at, c) in text.char_indices() {
            let (start, end) = (self.bytes + at, self.bytes + at + c.len_utf8());
            for c in normal(c) {
                self.character(c, start, end, kept);
            }
        }
        self.bytes += text.len();
    }

    /// The text has ended; a short one has one window.
    pub fn finish(mut self, kept: &mut Vec<Minutia>) {
        if self.hashes < self.settings.window
            && let Some((_, least)) = self.window.pop_front()
        {
            kept.push(least);
        }
    }

    fn character(&mut self, c: char, start: usize, end: usize, kept: &mut Vec<Minutia>) {
        let Winnowing { gram: length, window, hash } = self.settings;
        self.characters += 1;
        self.rolling = self.rolling.wrapping_mul(BASE).wrapping_add(code(c));
        if self.gram.len() == length
            && let Some((oldest, ..)) = self.gram.pop_front()
        {
            self.rolling = self.rolling.wrapping_sub(code(oldest).wrapping_mul(self.oldest));
        }
        self.gram.push_back((c, start, end));
        if self.gram.len() < length {
            return;
        }
        let hash = match hash {
            Hash::Rolling => mixed(self.rolling),
            Hash::Md5 => md5_of(self.gram.iter().map(|(c, ..)| *c)),
        };
        let place = self.hashes;
        self.hashes += 1;
        let start = self.gram.front().map_or(start, |(_, start, _)| *start);
        let minutia = Minutia { hash, at: self.characters - length, start, end };
        // Equal ones as well: the rightmost counts, so that a run of equal hashes moves the choice along with the
        // window and what moves within a text keeps its fingerprint.
        while self.window.back().is_some_and(|(_, earlier)| earlier.hash >= hash) {
            self.window.pop_back();
        }
        self.window.push_back((place, minutia));
        if self.window.front().is_some_and(|(first, _)| first + window <= place) {
            self.window.pop_front();
        }
        if place + 1 >= window
            && let Some((first, least)) = self.window.front()
            && self.last_kept != Some(*first)
        {
            self.last_kept = Some(*first);
            kept.push(*least);
        }
    }
}

/// The mixed hashes of all runs of `gram` characters.
pub(crate) fn rolling_hashes<C: Copy + Into<u64>>(codes: &[C], gram: usize, hashes: &mut Vec<u64>) {
    if codes.len() < gram {
        return;
    }
    let code = |c: C| -> u64 { c.into() + 1 };
    let oldest = (0..gram).fold(1, |power: u64, _| power.wrapping_mul(BASE));
    let first = codes[..gram].iter();
    let mut rolling = first.fold(0_u64, |hash, c| hash.wrapping_mul(BASE).wrapping_add(code(*c)));
    hashes.reserve(codes.len() - gram + 1);
    hashes.push(mixed(rolling));
    hashes.extend(codes[gram..].iter().zip(codes).map(|(newest, leaving)| {
        // Summed before: the next character waits for one product, not for two.
        let change = code(*newest).wrapping_sub(code(*leaving).wrapping_mul(oldest));
        rolling = rolling.wrapping_mul(BASE).wrapping_add(change);
        mixed(rolling)
    }));
}

/// Puts the least of every `window` hashes in a row in front, of equal ones in a row one, and says how many they are.
///
/// Block by block: a window is the end of one block and the beginning of the next, so its least is that of two numbers
/// that are known. No branch depends on the hashes, as every seventh would be mispredicted.
fn keep_least(hashes: &mut [u64], window: usize) -> usize {
    let Some(mut last) = hashes[..window.min(hashes.len())].iter().min().copied() else { return 0 };
    // For each place of a block the least from there to its end: in the block before, and in this one.
    let (mut before, mut own) = (vec![u64::MAX; window + 1], vec![u64::MAX; window + 1]);
    let mut kept = 1;
    for start in (0..hashes.len()).step_by(window) {
        let end = (start + window).min(hashes.len());
        if end - start == window {
            for at in (start..end).rev() {
                own[at - start] = own[at - start + 1].min(hashes[at]);
            }
        }
        if start == 0 {
            hashes[0] = last;
        } else {
            let mut since_start = u64::MAX;
            for at in start..end {
                since_start = since_start.min(hashes[at]);
                let least = since_start.min(before[at - start + 1]);
                // Never ahead of what is yet to be read: there are fewer windows than hashes.
                hashes[kept] = least;
                kept += usize::from(least != last);
                last = least;
            }
        }
        std::mem::swap(&mut before, &mut own);
    }
    kept
}

/// What counts of a character: letters and digits, in lower case.
pub(crate) fn normal(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().filter(|c| c.is_alphanumeric())
}

fn code(c: char) -> u64 {
    u64::from(u32::from(c)) + 1
}

/// Spreads the bits: the least of rolling hashes would otherwise depend on few characters.
fn mixed(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ (hash >> 31)
}

fn md5_of(gram: impl Iterator<Item = char>) -> u64 {
    let text: String = gram.collect();
    let digest = Md5::digest(text.as_bytes());
    digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SMALL: Winnowing = Winnowing { gram: 3, window: 4, hash: Hash::Rolling };

    fn characters(text: &str) -> Vec<char> {
        text.chars().flat_map(normal).collect()
    }

    /// As the definition has it, window by window.
    fn naive(settings: Winnowing, text: &str) -> Vec<(usize, u64)> {
        let characters = characters(text);
        let hash = |gram: &[char]| match settings.hash {
            Hash::Rolling => {
                mixed(gram.iter().fold(0, |hash: u64, c| hash.wrapping_mul(BASE).wrapping_add(code(*c))))
            }
            Hash::Md5 => md5_of(gram.iter().copied()),
        };
        let hashes: Vec<u64> = characters.windows(settings.gram).map(hash).collect();
        let mut kept: Vec<(usize, u64)> = Vec::new();
        for (first, window) in hashes.windows(settings.window.min(hashes.len()).max(1)).enumerate() {
            let least = window.iter().min().copied().unwrap_or_default();
            let place = first + window.iter().rposition(|hash| *hash == least).unwrap_or_default();
            if kept.last().is_none_or(|(last, _)| *last != place) {
                kept.push((place, least));
            }
        }
        kept
    }

    fn hashes(settings: Winnowing, text: &str) -> Vec<u64> {
        settings.fingerprint(text).iter().map(|minutia| minutia.hash).collect()
    }

    #[test]
    fn md5_is_the_papers() {
        // md5("abc") = 900150983cd24fb0d6963f7d28e17f72, md5("bcd") = d4b7c284882ca9e208bb65e8abd5f4c8.
        let settings = Winnowing { gram: 3, window: 1, hash: Hash::Md5 };
        assert_eq!(hashes(settings, "A-b c!"), [0x9001_5098_3cd2_4fb0]);
        assert_eq!(hashes(settings, "abcd"), [0x9001_5098_3cd2_4fb0, 0xd4b7_c284_882c_a9e2]);
        // Of two in one window the least.
        assert_eq!(hashes(Winnowing { window: 2, ..settings }, "abcd"), [0x9001_5098_3cd2_4fb0]);
        assert_eq!(hashes(Winnowing { window: 9, ..settings }, "abcd"), [0x9001_5098_3cd2_4fb0]);
        assert!(hashes(settings, "ab").is_empty());
    }

    #[test]
    fn places_are_those_of_the_text() {
        let settings = Winnowing { gram: 4, window: 1, hash: Hash::Rolling };
        let text = "«Öl, ab!»";
        let found = settings.fingerprint(text);
        let parts: Vec<&str> = found.iter().map(|minutia| &text[minutia.start..minutia.end]).collect();
        assert_eq!(parts, ["Öl, ab"]);
        assert_eq!(found[0].at, 0);
    }

    #[test]
    fn equal_hashes_keep_the_rightmost() {
        let found = SMALL.fingerprint("aaaaaaaaaa");
        assert_eq!(found.iter().map(|minutia| minutia.at).collect::<Vec<_>>(), [3, 4, 5, 6, 7]);
    }

    proptest! {
        #[test]
        fn hashes_alone_are_those_of_the_fingerprint(
            text in "[a-cA-C ]{0,80}|\\PC{0,80}", gram in 0..6_usize, window in 0..6_usize, md5: bool,
        ) {
            let settings = Winnowing { gram, window, hash: if md5 { Hash::Md5 } else { Hash::Rolling } };
            let mut expected: Vec<u64> =
                settings.fingerprint(&text).iter().map(|minutia| minutia.hash).collect();
            let mut letters = Letters::default();
            letters.read("what was read before leaves nothing");
            letters.read(&text);
            let found = settings.hashes(&mut letters).to_vec();
            expected.dedup();
            prop_assert_eq!(found, expected);
            prop_assert_eq!(letters.as_str(), characters(&text).iter().collect::<String>());
            prop_assert_eq!(letters.count() as usize, characters(&text).len());
        }

        #[test]
        fn it_is_what_the_definition_says(text in "[ab c]{0,60}", gram in 1usize..6, window in 1usize..8, md5: bool) {
            let hash = if md5 { Hash::Md5 } else { Hash::Rolling };
            let settings = Winnowing { gram, window, hash };
            let found: Vec<(usize, u64)> =
                settings.fingerprint(&text).iter().map(|minutia| (minutia.at, minutia.hash)).collect();
            prop_assert_eq!(found, naive(settings, &text));
        }

        #[test]
        fn pieces_make_no_difference(text in "\\PC{0,80}", cut in 0usize..80) {
            let at = text.floor_char_boundary(cut.min(text.len()));
            let (mut kept, mut winnower) = (Vec::new(), Winnower::new(SMALL));
            winnower.push(&text[..at], &mut kept);
            winnower.push(&text[at..], &mut kept);
            winnower.finish(&mut kept);
            prop_assert_eq!(kept, SMALL.fingerprint(&text));
        }

        /// The promise on which everything rests: a long enough quotation cannot hide.
        #[test]
        fn a_shared_run_leaves_a_shared_hash(
            letters in "[a-d]{60}", more in 0_usize..20, gram in 1_usize..=20, window in 1_usize..=16, md5: bool,
            before in "[e-h]{0,40}", after in "[e-h]{0,40}", other in "[i-l]{0,40}", rest in "[i-l]{0,40}",
        ) {
            let settings = Winnowing { gram, window, hash: if md5 { Hash::Md5 } else { Hash::Rolling } };
            let run = &letters[..settings.certain() + more];
            let a = hashes(settings, &format!("{before} {run} {after}"));
            let b = hashes(settings, &format!("{other}. {}, {rest}", run.to_uppercase()));
            prop_assert!(a.iter().any(|hash| b.contains(hash)));
        }

        /// Noise suppression: what is shorter than K never matches.
        #[test]
        fn a_run_shorter_than_a_gram_leaves_none(
            letters in "[a-d]{20}", gram in 1_usize..=20, window in 1_usize..=16, md5: bool,
            before in "[e-h]{1,40}", after in "[e-h]{1,40}", other in "[i-l]{1,40}", rest in "[i-l]{1,40}",
        ) {
            let settings = Winnowing { gram, window, hash: if md5 { Hash::Md5 } else { Hash::Rolling } };
            let run = &letters[..gram - 1];
            let a = hashes(settings, &format!("{before}{run}{after}"));
            let b = hashes(settings, &format!("{other}{run}{rest}"));
            prop_assert!(!a.iter().any(|hash| b.contains(hash)));
        }

        #[test]
        fn white_space_signs_and_case_make_no_difference(words in proptest::collection::vec("[a-z0-9]{1,6}", 0..20)) {
            prop_assert_eq!(
                hashes(SMALL, &words.concat()),
                hashes(SMALL, &words.join(" –\n\t,").to_uppercase())
            );
        }

        /// Position independence: paragraphs that change places keep their hashes, all but those at their ends.
        #[test]
        fn moved_paragraphs_keep_their_hashes(a in "[a-z]{20,60}", b in "[a-z]{20,60}") {
            let (first, second) = (hashes(SMALL, &format!("{a}\n{b}")), hashes(SMALL, &format!("{b}\n{a}")));
            let inner = |text: &str| hashes(SMALL, text);
            // Windows wholly within a paragraph are the same wherever it stands.
            for part in [&a, &b] {
                for hash in inner(part) {
                    prop_assert!(first.contains(&hash) && second.contains(&hash));
                }
            }
        }
    }
}
