//! SimHash: 64 bits of a text that differ in few places where texts differ in few words, from the hashes of its parts.
//!
//! It may put candidates in order or accept one early; it never excludes one, as lightly edited short texts lose it.

/// Hashes that are looked at.
const MOST: usize = 1 << 15;

/// Bits by the majority of these hashes of parts of a text; 0 of a text without any.
pub fn simhash(hashes: &[u64]) -> u64 {
    // Sixteen bits of 64 counters each, upright: a hash is added to all of them at once.
    let mut planes = [0_u64; 16];
    let hashes = &hashes[..hashes.len().min(MOST)];
    for hash in hashes {
        // The least hashes of a text begin with zeros.
        let mixed = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut carry = mixed ^ (mixed >> 29);
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
        |bit: u32| (0..16).fold(0_usize, |sum, plane| sum | ((planes[plane] >> bit) as usize & 1) << plane);
    (0..64).fold(0, |bits, bit| bits | u64::from(ones(bit) * 2 > hashes.len()) << bit)
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
    fn texts_of_any_length_have_one() {
        assert_eq!(simhash(&[]), 0);
        assert_eq!(simhash(&vec![7; 1 << 20]), simhash(&[7]));
    }
}
