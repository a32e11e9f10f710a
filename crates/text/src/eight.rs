//! Eight bytes at a time: most texts are ASCII, of which a machine word tells as much as a look at each letter.

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
            None => {
                let mut chunk = [rest; 8];
                chunk[..bytes.len()].copy_from_slice(bytes);
                Eight(u64::from_le_bytes(chunk))
            }
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

    /// The first of them, up to eight, as a number.
    #[inline]
    pub fn begin(self, count: usize) -> u64 {
        if count == 0 { 0 } else { self.0 << (64 - 8 * count) >> (64 - 8 * count) }
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
        Eight(self.0).begin(of).count_ones() as usize
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
            check(eight.equal(byte), &bytes, |at| bytes[at] == byte)?;
            check(eight.equal(bytes[3]), &bytes, |at| bytes[at] == bytes[3])?;
            if (1..128).contains(&byte) {
                let marks = eight.at_least(byte);
                check(marks, &bytes, |at| bytes[at] >= byte)?;
                let is_next = |at: usize| bytes.get(at + 1).map_or(ninth, |next| *next >= byte);
                check(marks.in_a_row(ninth), &bytes, |at| bytes[at] >= byte && is_next(at))?;
            }
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
