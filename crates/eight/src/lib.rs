//! Eight bytes at a time: most texts are ASCII, of which a machine word tells as much as a look at each letter, and a loop
//! over each would end where no processor foresees it.

use std::ops::{BitAnd, BitOr, Not};

/// A one in each byte, and the highest bit of each.
const ONES: u64 = u64::MAX / 255;
const HIGH: u64 = ONES << 7;

/// Eight bytes that are looked at together.
#[derive(Clone, Copy, Debug)]
pub struct Eight(u64);

/// Which of eight bytes are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks(u64);

impl Eight {
    /// The first eight bytes; where there are fewer, `rest` follows them.
    #[inline]
    pub fn of(bytes: &[u8], rest: u8) -> Eight {
        match bytes.first_chunk() {
            Some(chunk) => Eight(u64::from_le_bytes(*chunk)),
            None => Eight(few(bytes) | (ONES * u64::from(rest)) << (8 * bytes.len())),
        }
    }

    /// Bytes that are this one.
    #[inline]
    pub fn equal(self, byte: u8) -> Marks {
        let other = self.0 ^ (ONES * u64::from(byte));
        Marks(!(((other & !HIGH) + !HIGH) | other) & HIGH)
    }

    /// Bytes that are as great as this one or greater; it is one of ASCII, but not the first.
    #[inline]
    pub fn at_least(self, byte: u8) -> Marks {
        Marks((((self.0 & !HIGH) + ONES * u64::from(128 - byte)) | self.0) & HIGH)
    }

    /// Whether all are ASCII.
    #[inline]
    pub fn is_ascii(self) -> bool {
        self.0 & HIGH == 0
    }

    /// Bytes from one to another, both of ASCII.
    #[inline]
    pub fn between(self, least: u8, most: u8) -> Marks {
        self.at_least(least) & !self.at_least(most + 1)
    }

    /// The first of them, up to eight, as a number.
    #[inline]
    pub fn begin(self, count: usize) -> u64 {
        if count == 0 { 0 } else { self.0 << (64 - 8 * count) >> (64 - 8 * count) }
    }
}

/// Fewer than eight bytes, the first one lowest: four at each end, of which some may be the same.
#[inline]
fn few(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            u64::from(first) | u64::from(last) << (8 * (bytes.len() - 4))
        }
        _ => bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)),
    }
}

impl From<[u8; 8]> for Eight {
    #[inline]
    fn from(bytes: [u8; 8]) -> Eight {
        Eight(u64::from_le_bytes(bytes))
    }
}

impl Marks {
    /// How many bytes stand before the first that is meant.
    #[inline]
    pub fn first(self) -> usize {
        self.0.trailing_zeros() as usize / 8
    }

    /// How many of the first so many are meant.
    #[inline]
    pub fn count(self, of: usize) -> usize {
        // Each mark is the one of its byte; the product has their sum in its highest byte.
        ((Eight(self.0).begin(of) >> 7).wrapping_mul(ONES) >> 56) as usize
    }

    /// Bytes that stand right behind one of these; what stands before the first is one or not.
    #[inline]
    pub fn behind(self, first: bool) -> Marks {
        Marks(self.0 << 8 | u64::from(first) << 7)
    }

    /// Whether the last byte is meant.
    #[inline]
    pub fn has_last(self) -> bool {
        self.0 >> 63 != 0
    }

    /// Bytes of these that are followed by another of these; the ninth byte is one or not.
    #[inline]
    pub fn in_a_row(self, ninth: bool) -> Marks {
        Marks(self.0 & (self.0 >> 8 | u64::from(ninth) << 63))
    }
}

impl BitOr for Marks {
    type Output = Marks;

    #[inline]
    fn bitor(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }
}

impl BitAnd for Marks {
    type Output = Marks;

    #[inline]
    fn bitand(self, other: Marks) -> Marks {
        Marks(self.0 & other.0)
    }
}

impl Not for Marks {
    type Output = Marks;

    #[inline]
    fn not(self) -> Marks {
        Marks(!self.0 & HIGH)
    }
}

/// Where the first byte stands, from `from` on, that is `meant`.
#[inline]
pub fn find(bytes: &[u8], from: usize, meant: impl Fn(Eight) -> Marks) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = &bytes[at..];
        let first = meant(Eight::of(rest, 0)).first();
        if first < 8 || rest.len() <= 8 {
            return (first < rest.len().min(8)).then_some(at + first);
        }
        at += 8;
    }
}

/// How many bytes may be passed over, 32 at a time, of which `is_plain(byte, next)` holds, whatever follows. It is asked
/// of all 32 at once, so it should decide without branching.
#[inline]
pub fn plain_blocks(bytes: &[u8], is_plain: impl Fn(u8, u8) -> bool) -> usize {
    let mut at = 0;
    while let Some(block) = bytes[at..].first_chunk::<33>() {
        let mut all = true;
        for place in 0..32 {
            all &= is_plain(block[place], block[place + 1]);
        }
        if !all {
            break;
        }
        at += 32;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(marks: Marks, bytes: &[u8; 8], is_meant: impl Fn(usize) -> bool) -> Result<(), TestCaseError> {
        let expected: Vec<usize> = (0..8).filter(|at| is_meant(*at)).collect();
        prop_assert_eq!(marks.first(), expected.first().copied().unwrap_or(8), "{:?}", bytes);
        for of in 0..=8 {
            prop_assert_eq!(marks.count(of), expected.iter().filter(|at| **at < of).count(), "{:?}", bytes);
        }
        let rest = !marks;
        prop_assert_eq!((rest & marks).first(), 8);
        prop_assert_eq!((rest | marks).count(8), 8);
        Ok(())
    }

    proptest! {
        #[test]
        fn marks_are_those_of_each_byte(bytes in any::<[u8; 8]>(), byte in 0..=255_u8, ninth in any::<bool>()) {
            let eight = Eight::of(&bytes, 0);
            prop_assert_eq!(eight.is_ascii(), bytes.is_ascii());
            check(eight.equal(byte), &bytes, |at| bytes[at] == byte)?;
            check(eight.equal(bytes[3]), &bytes, |at| bytes[at] == bytes[3])?;
            if (1..128).contains(&byte) {
                let marks = eight.at_least(byte);
                check(marks, &bytes, |at| bytes[at] >= byte)?;
                let least = byte.min(100);
                check(eight.between(least, 126), &bytes, |at| (least..=126).contains(&bytes[at]))?;
                let is_next = |at: usize| bytes.get(at + 1).map_or(ninth, |next| *next >= byte);
                check(marks.in_a_row(ninth), &bytes, |at| bytes[at] >= byte && is_next(at))?;
                let is_behind = |at: usize| at.checked_sub(1).map_or(ninth, |before| bytes[before] >= byte);
                check(marks.behind(ninth), &bytes, is_behind)?;
                prop_assert_eq!(marks.has_last(), bytes[7] >= byte);
            }
        }

        #[test]
        fn the_first_byte_is_found(bytes in prop::collection::vec(97..100_u8, 0..30), from in 0..30_usize) {
            let from = from.min(bytes.len());
            for byte in [b'a', b'c', b'x', 0] {
                let expected = bytes[from..].iter().position(|other| *other == byte).map(|at| from + at);
                prop_assert_eq!(find(&bytes, from, |eight| eight.equal(byte)), expected);
            }
        }

        #[test]
        fn blocks_are_plain_where_each_byte_is(bytes in "(a{1,40}b?){0,6}") {
            let passed = plain_blocks(bytes.as_bytes(), |byte, next| (byte == b'a') & (next == b'a'));
            let plain = bytes.bytes().zip(bytes.bytes().skip(1)).take_while(|two| *two == (b'a', b'a')).count();
            prop_assert_eq!(passed, plain / 32 * 32);
        }

        #[test]
        fn short_texts_are_filled_up(bytes in prop::collection::vec(any::<u8>(), 0..12), rest in any::<u8>()) {
            let eight = Eight::of(&bytes, rest);
            let whole: Vec<u8> = bytes.iter().copied().chain([rest; 8]).take(8).collect();
            for count in 0..=8 {
                let mut begin = [0; 8];
                begin[..count].copy_from_slice(&whole[..count]);
                prop_assert_eq!(eight.begin(count), u64::from_le_bytes(begin));
            }
        }
    }
}
