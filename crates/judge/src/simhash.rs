//! SimHash: 64 bits of a text that differ in few places where texts differ in few words.
//!
//! It may put candidates in order or accept one early; it never excludes one, as lightly edited short texts lose it.

use xxhash_rust::xxh3::xxh3_64;

/// Words of a text that are looked at.
const MOST_WORDS: usize = 20_000;

/// Bits by the majority of the hashes of all pairs of words in a row; 0 of a text without words.
pub fn simhash(text: &str) -> u64 {
    // Sixteen bits of 64 counters each, upright: a hash is added to all of them at once.
    let mut planes = [0_u64; 16];
    let (mut pairs, mut last) = (0_u32, 0_u64);
    for word in text.split_ascii_whitespace().take(MOST_WORDS) {
        let hash = xxh3_64(word.as_bytes());
        let pair = (last.rotate_left(23) ^ hash).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let pair = pair ^ (pair >> 29);
        last = hash;
        pairs += 1;
        let mut carry = pair;
        for plane in &mut planes {
            let both = *plane & carry;
            *plane ^= carry;
            carry = both;
            if carry == 0 {
                break;
            }
        }
    }
    let ones =
        |bit: u32| (0..16).fold(0_u32, |sum, plane| sum | ((planes[plane] >> bit) as u32 & 1) << plane);
    (0..64).fold(0, |bits, bit| bits | u64::from(ones(bit) * 2 > pairs) << bit)
}

/// How alike two of them are, 0 to 1; texts with nothing in common come to about a half.
pub fn likeness(first: u64, second: u64) -> f64 {
    1.0 - f64::from((first ^ second).count_ones()) / 64.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(seed: u64, count: u64) -> Vec<String> {
        (0..count).map(|n| format!("w{:x}", (seed * 7_919 + n).wrapping_mul(BIG) >> 44)).collect()
    }

    const BIG: u64 = 0x9E37_79B9_7F4A_7C15;

    #[test]
    fn few_other_words_change_few_bits() {
        for seed in 1..50 {
            let text = words(seed, 300);
            let mut edited = text.clone();
            edited[100] = "another".into();
            let alike = likeness(simhash(&text.join(" ")), simhash(&edited.join("\n")));
            let other = likeness(simhash(&text.join(" ")), simhash(&words(seed + 100, 300).join(" ")));
            assert!(alike > 0.85 && other < 0.8, "seed {seed}: {alike} and {other}");
        }
    }

    #[test]
    fn texts_of_any_length_have_one() {
        assert_eq!(simhash(""), 0);
        assert_eq!(simhash(&"x ".repeat(1 << 20)), simhash(&"x ".repeat(1 << 16)));
    }
}
