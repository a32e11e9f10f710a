//! Keys: an encoding whose byte order is the order of the values.
//!
//! Numbers are big-endian, tuples are their parts one after the other. A part of variable
//! length can only come last, which the types enforce: all others are [`FixedKey`].

use crate::{DecodeError, key_bytes::KeyBytes};

/// A type that can be a table's key.
pub trait Key: Sized {
    /// Appends the key's bytes. Of two keys the smaller one must give the smaller bytes.
    fn encode(&self, out: &mut KeyBytes);

    /// Takes a key off the front of `input`.
    fn decode_front(input: &mut &[u8]) -> Result<Self, DecodeError>;

    /// The key whose bytes these are, all of them.
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut rest = bytes;
        let key = Self::decode_front(&mut rest)?;
        if rest.is_empty() {
            Ok(key)
        } else {
            let expected = bytes.len() - rest.len();
            Err(DecodeError::Length { expected, found: bytes.len() })
        }
    }
}

/// A key whose encoding always has the same length, so that another part can follow it.
pub trait FixedKey: Key {}

/// The leading part of a `K`, for [`Reader::prefix`](crate::Reader::prefix): the first parts of a
/// tuple, or the beginning of a text.
pub trait Prefix<K> {
    /// Appends the bytes with which every wanted key begins.
    fn encode_prefix(&self, out: &mut KeyBytes);
}

macro_rules! number {
    ($($number:ty),*) => {$(
        impl Key for $number {
            fn encode(&self, out: &mut KeyBytes) {
                out.push(&self.to_be_bytes());
            }

            fn decode_front(input: &mut &[u8]) -> Result<Self, DecodeError> {
                take(input).map(<$number>::from_be_bytes)
            }
        }

        impl FixedKey for $number {}
    )*};
}

number!(u8, u16, u32, u64, u128);

impl<const N: usize> Key for [u8; N] {
    fn encode(&self, out: &mut KeyBytes) {
        out.push(self);
    }

    fn decode_front(input: &mut &[u8]) -> Result<Self, DecodeError> {
        take(input)
    }
}

impl<const N: usize> FixedKey for [u8; N] {}

/// The one key of a table with a single row; a byte, since the engine knows no empty key.
impl Key for () {
    fn encode(&self, out: &mut KeyBytes) {
        out.push(&[0]);
    }

    fn decode_front(input: &mut &[u8]) -> Result<Self, DecodeError> {
        take::<1>(input).map(|_| ())
    }
}

impl Key for Vec<u8> {
    fn encode(&self, out: &mut KeyBytes) {
        out.push(self);
    }

    fn decode_front(input: &mut &[u8]) -> Result<Self, DecodeError> {
        Ok(std::mem::take(input).to_vec())
    }
}

impl Key for String {
    fn encode(&self, out: &mut KeyBytes) {
        out.push(self.as_bytes());
    }

    fn decode_front(input: &mut &[u8]) -> Result<Self, DecodeError> {
        String::from_utf8(std::mem::take(input).to_vec())
            .map_err(|error| DecodeError::Malformed(error.to_string()))
    }
}

impl Prefix<String> for str {
    fn encode_prefix(&self, out: &mut KeyBytes) {
        out.push(self.as_bytes());
    }
}

impl Prefix<Vec<u8>> for [u8] {
    fn encode_prefix(&self, out: &mut KeyBytes) {
        out.push(self);
    }
}

macro_rules! tuple {
    ($($part:ident . $index:tt),* ; $last:ident . $last_index:tt) => {
        impl<$($part: FixedKey,)* $last: Key> Key for ($($part,)* $last) {
            fn encode(&self, out: &mut KeyBytes) {
                $(self.$index.encode(out);)*
                self.$last_index.encode(out);
            }

            fn decode_front(input: &mut &[u8]) -> Result<Self, DecodeError> {
                Ok(($($part::decode_front(input)?,)* $last::decode_front(input)?))
            }
        }

        impl<$($part: FixedKey,)* $last: FixedKey> FixedKey for ($($part,)* $last) {}

        // The whole tuple too: with a text at the end it asks for all that begin like it.
        impl<$($part: FixedKey,)* $last: Key> Prefix<($($part,)* $last)> for ($($part,)* $last) {
            fn encode_prefix(&self, out: &mut KeyBytes) {
                self.encode(out);
            }
        }
    };
}

tuple!(A.0; B.1);
tuple!(A.0, B.1; C.2);
tuple!(A.0, B.1, C.2; D.3);

macro_rules! prefix {
    ($prefix:ty, $whole:ty, $($part:ident: $bound:ident),*) => {
        impl<$($part: $bound),*> Prefix<$whole> for $prefix {
            fn encode_prefix(&self, out: &mut KeyBytes) {
                self.encode(out);
            }
        }
    };
}

prefix!(A, (A, B), A: FixedKey, B: Key);
prefix!(A, (A, B, C), A: FixedKey, B: FixedKey, C: Key);
prefix!((A, B), (A, B, C), A: FixedKey, B: FixedKey, C: Key);
prefix!(A, (A, B, C, D), A: FixedKey, B: FixedKey, C: FixedKey, D: Key);
prefix!((A, B), (A, B, C, D), A: FixedKey, B: FixedKey, C: FixedKey, D: Key);
prefix!((A, B, C), (A, B, C, D), A: FixedKey, B: FixedKey, C: FixedKey, D: Key);

fn take<const N: usize>(input: &mut &[u8]) -> Result<[u8; N], DecodeError> {
    let (front, rest) =
        input.split_first_chunk::<N>().ok_or(DecodeError::Length { expected: N, found: input.len() })?;
    *input = rest;
    Ok(*front)
}
