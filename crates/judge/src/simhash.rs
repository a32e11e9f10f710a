//! SimHash: 64 bits of a text that differ in few places where texts differ in few words, from the hashes of its parts.
//!
//! It may put candidates in order or name some where nothing else was kept; it never excludes one, as lightly edited
//! short texts lose it.

/// Hashes that are looked at.
const MOST: usize = 1 << 15;

/// Bytes of letters that are not ASCII after which a word ends: not every script has spaces.
const LONGEST_FOREIGN: usize = 6;

/// Bytes after which any word ends.
const LONGEST_WORD: usize = 64;

/// Neighbours that each is compared with, in each of the orders.
const NEIGHBOURS: usize = 8;

/// Orders in which neighbours are looked for, each by other bits first.
const ORDERS: u32 = 16;

/// Pairs that are named.
const MOST_PAIRS: usize = 1 << 16;

/// The SimHash of a text by its words, two in a row each time: most single ones stand in every text. `pairs` is room for
/// their hashes.
pub fn of_words(text: &str, pairs: &mut Vec<u64>) -> u64 {
    pairs.clear();
    let (mut last, mut rest) = (0_u64, text.as_bytes());
    while let Some((word, after)) = plain_word(rest).or_else(|| any_word(rest)) {
        pairs.push((last.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        (last, rest) = (word, after);
    }
    simhash(pairs)
}

/// The hash of the next word and what follows it, where that word is ASCII and not the last, as most are: told eight bytes
/// at a time.
fn plain_word(text: &[u8]) -> Option<(u64, &[u8])> {
    let mut rest = text;
    loop {
        let eight = u64::from_le_bytes(*rest.first_chunk()?);
        let letters = letters(eight);
        // Up to the first letter, or past all eight.
        match letters.trailing_zeros() as usize / 8 {
            0 if letters == HIGH => return long_word(rest),
            0 => {
                let length = (!letters & HIGH).trailing_zeros() / 8;
                let word = eight & !(u64::MAX << (8 * length));
                let is_ascii = word & HIGH == 0;
                return is_ascii.then(|| (mixed(u64::from(length), word | SPACES), &rest[length as usize..]));
            }
            start => rest = &rest[start..],
        }
    }
}

/// The same of a word of eight letters or more, with which the text begins.
fn long_word(text: &[u8]) -> Option<(u64, &[u8])> {
    let mut length = 8;
    while length < LONGEST_WORD {
        let letters = letters(u64::from_le_bytes(*text.get(length..)?.first_chunk()?));
        length += (!letters & HIGH).trailing_zeros() as usize / 8;
        if letters != HIGH {
            break;
        }
    }
    let (word, after) = text.split_at(length.min(LONGEST_WORD));
    word.is_ascii().then(|| (hash_of(word), after))
}

/// The same of any word.
fn any_word(text: &[u8]) -> Option<(u64, &[u8])> {
    let start = text.iter().position(|byte| is_letter(*byte))?;
    let rest = &text[start..];
    let longest = &rest[..rest.len().min(LONGEST_WORD)];
    let mut length = longest.iter().position(|byte| !is_letter(*byte)).unwrap_or(longest.len());
    if let Some(foreign) = rest[..length].iter().position(|byte| !byte.is_ascii()) {
        length = length.min(foreign + LONGEST_FOREIGN);
    }
    Some((hash_of(&rest[..length]), &rest[length..]))
}

/// The highest bit of each of eight bytes, and a space in each.
const HIGH: u64 = 0x8080_8080_8080_8080;
const SPACES: u64 = 0x2020_2020_2020_2020;

/// The highest bit of each byte that is a letter, as `is_letter` has it.
fn letters(eight: u64) -> u64 {
    let each = |byte: u8| u64::from_le_bytes([byte; 8]);
    let low = eight & !HIGH;
    // Sums reach the highest bit from the first of a range on.
    let within =
        |bytes: u64, first: u8, last: u8| (bytes + each(0x80 - first)) & !(bytes + each(0x7f - last));
    ((within(low | SPACES, b'a', b'z') | within(low, b'0', b'9')) & HIGH) | (eight & HIGH)
}

/// Letters and digits of ASCII, and all that is beyond.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// Without case: of ASCII letters it is one bit, which digits have set.
fn hash_of(word: &[u8]) -> u64 {
    let (eights, rest) = word.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let pieces = eights.iter().chain([&last]).map(|piece| u64::from_le_bytes(*piece) | SPACES);
    pieces.fold(word.len() as u64, mixed)
}

fn mixed(hash: u64, piece: u64) -> u64 {
    let mixed = (hash ^ piece).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 31)
}

/// Places of two that differ in at most so many bits, those with fewest first, of four billion at most. With bounded work for each of them, so that
/// some are not found: the more there are, and the more two of them differ.
pub fn near_pairs(hashes: &[u64], most_bits: u32) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut order: Vec<usize> = (0..hashes.len()).collect();
    for turn in 0..ORDERS {
        let turned = |place: usize| hashes[place].rotate_left(turn * (64 / ORDERS));
        order.sort_unstable_by_key(|place| (turned(*place), *place));
        for (at, first) in order.iter().enumerate() {
            for second in order.iter().skip(at + 1).take(NEIGHBOURS) {
                let bits = (hashes[*first] ^ hashes[*second]).count_ones();
                if bits <= most_bits {
                    found.push((bits, *first.min(second) as u32, *first.max(second) as u32));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(MOST_PAIRS);
    }
    found.into_iter().map(|(_, first, second)| (first as usize, second as usize)).collect()
}

/// Bits by the majority of these hashes of parts of a text; 0 of a text without any.
pub fn simhash(hashes: &[u64]) -> u64 {
    // Sixteen bits of 64 counters each, upright: a hash is added to all of them at once.
    let mut planes = [0_u64; 16];
    let hashes = &hashes[..hashes.len().min(MOST)];
    // Eight at a time, so that the higher bits are touched seldom.
    let (eights, rest) = hashes.as_chunks::<8>();
    for eight in eights {
        let [a, b, c, d, e, f, g, h] = eight.map(spread);
        let twos = [(a, b), (c, d), (e, f), (g, h)].map(|(one, other)| add(&mut planes[0], one, other));
        let fours =
            [(twos[0], twos[1]), (twos[2], twos[3])].map(|(one, other)| add(&mut planes[1], one, other));
        let carry = add(&mut planes[2], fours[0], fours[1]);
        ripple(&mut planes[3..], carry);
    }
    rest.iter().for_each(|hash| ripple(&mut planes, spread(*hash)));
    let ones =
        |bit: u32| (0..16).fold(0_usize, |sum, plane| sum | ((planes[plane] >> bit) as usize & 1) << plane);
    (0..64).fold(0, |bits, bit| bits | u64::from(ones(bit) * 2 > hashes.len()) << bit)
}

/// The least hashes of a text begin with zeros.
fn spread(hash: u64) -> u64 {
    let mixed = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 29)
}

/// Adds two bits to a third in each place; what is carried.
fn add(plane: &mut u64, one: u64, other: u64) -> u64 {
    let (before, either) = (*plane, one ^ other);
    *plane = before ^ either;
    (one & other) | (before & either)
}

fn ripple(planes: &mut [u64], mut carry: u64) {
    for plane in planes {
        if carry == 0 {
            break;
        }
        (*plane, carry) = (*plane ^ carry, *plane & carry);
    }
}

/// How alike two of them are, 0 to 1; texts with nothing in common come to about a half.
pub fn likeness(first: u64, second: u64) -> f64 {
    1.0 - f64::from((first ^ second).count_ones()) / 64.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::winnow::Winnowing;

    fn of(words: &[String]) -> u64 {
        let text = words.join(" ");
        let hashes: Vec<u64> =
            Winnowing::default().fingerprint(&text).iter().map(|minutia| minutia.hash).collect();
        simhash(&hashes)
    }

    fn words(seed: u64, count: u64) -> Vec<String> {
        (0..count).map(|n| format!("w{:x}", (seed * 7_919 + n).wrapping_mul(BIG) >> 44)).collect()
    }

    const BIG: u64 = 0x9E37_79B9_7F4A_7C15;

    #[test]
    fn eight_bytes_are_letters_or_not_as_each_is() {
        for byte in 0..=u8::MAX {
            let [one, other] = [
                [byte, b'-', byte, b'a', 0, 255, b' ', byte],
                [b'z', byte, b'9', b'[', b'@', byte, b'/', b':'],
            ];
            for eight in [one, other] {
                let expected = eight.map(|byte| if is_letter(byte) { 0x80 } else { 0 });
                assert_eq!(letters(u64::from_le_bytes(eight)).to_le_bytes(), expected, "{eight:?}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn plain_words_are_read_as_any(text in "([A-Za-z0-9]{1,9}|[A-Za-z0-9]{7,70}|[ .,-]{1,3}|é|語{1,4}){0,40}") {
            let mut rest = text.as_bytes();
            while let Some(word) = any_word(rest) {
                proptest::prop_assert!(plain_word(rest).is_none_or(|plain| plain == word));
                rest = word.1;
            }
            proptest::prop_assert!(plain_word(rest).is_none());
        }
    }

    #[test]
    fn few_other_words_change_few_bits() {
        for seed in 1..50 {
            let text = words(seed, 300);
            let mut edited = text.clone();
            edited[100] = "another".into();
            let alike = likeness(of(&text), of(&edited));
            let other = likeness(of(&text), of(&words(seed + 100, 300)));
            assert!(alike > 0.8 && other < 0.8, "seed {seed}: {alike} and {other}");
        }
    }

    #[test]
    fn among_many_texts_those_that_differ_in_few_words_are_found() {
        let mut room = Vec::new();
        let mut texts: Vec<Vec<String>> = (0..2_000).map(|seed| words(seed, 200)).collect();
        for original in (0..100).map(|nth| nth * 20) {
            let mut edited = texts[original].clone();
            (0..3).for_each(|edit| edited[original % 60 + edit * 60] = "another".into());
            texts.push(edited);
        }
        let hashes: Vec<u64> = texts.iter().map(|text| of_words(&text.join(" "), &mut room)).collect();
        let pairs = near_pairs(&hashes, 12);
        let is_right = |(first, second): &&(usize, usize)| {
            second.checked_sub(2_000).is_some_and(|nth| nth * 20 == *first)
        };
        let right = pairs.iter().filter(is_right).count();
        assert!(right >= 95, "{right} of 100 found");
        assert!(pairs.len() - right <= 100, "{} of {} are none", pairs.len() - right, pairs.len());
        assert_eq!(near_pairs(&[7, 0, 7], 0), [(0, 2)]);
        assert_eq!(near_pairs(&[], 64), []);
    }

    #[test]
    fn case_and_what_separates_words_do_not_count() {
        let of = |text: &str| of_words(text, &mut Vec::new());
        assert_eq!(of("The Sea, and\nthe boats."), of("the sea and the boats"));
        assert_ne!(of("the sea and the boats"), of("the boats and the sea"));
        assert_eq!(of(" .,- "), 0);
        assert_ne!(of("海は広くて大きい船が行く"), of("山は高くて青い空が見える"));
    }

    #[test]
    fn texts_of_any_length_have_one() {
        assert_eq!(simhash(&[]), 0);
        assert_eq!(simhash(&vec![7; 1 << 20]), simhash(&[7]));
        // As counted one by one.
        for count in 1..100_u64 {
            let hashes: Vec<u64> = (0..count).map(|n| n.wrapping_mul(BIG)).collect();
            let ones = |bit: u32| hashes.iter().filter(|hash| spread(**hash) >> bit & 1 == 1).count();
            let counted = (0..64).fold(0, |bits, bit| bits | u64::from(ones(bit) * 2 > hashes.len()) << bit);
            assert_eq!(simhash(&hashes), counted, "{count} hashes");
        }
    }
}
