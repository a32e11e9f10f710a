//! SHA-1 in base 32: the digest that every WARC tool reads. It finds equal payloads and broken disks;
//! it is no defence against someone who makes collisions.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha1::{Digest as _, Sha1};

/// A SHA-1 digest, written `sha1:` and 32 characters of base 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(pub [u8; 20]);

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest::of_parts(&[bytes])
    }

    /// The digest of several parts, one after the other.
    pub fn of_parts(parts: &[&[u8]]) -> Digest {
        let mut hasher = Hasher::default();
        parts.iter().for_each(|part| hasher.update(part));
        hasher.finish()
    }

    /// Reads the written form; base 16, as some tools write, is understood too.
    pub fn parse(text: &str) -> Option<Digest> {
        let (algorithm, value) = text.split_once(':')?;
        if !algorithm.eq_ignore_ascii_case("sha1") {
            return None;
        }
        let (base, bits) = match value.len() {
            32 => (ALPHABET.as_slice(), 5),
            40 => (b"0123456789ABCDEF".as_slice(), 4),
            _ => return None,
        };
        let mut bytes = [0; 20];
        for (at, symbol) in value.bytes().enumerate() {
            let digit = base.iter().position(|&known| known == symbol.to_ascii_uppercase())?;
            for bit in 0..bits {
                if digit >> (bits - 1 - bit) & 1 == 1 {
                    let place = at * bits + bit;
                    bytes[place / 8] |= 0x80 >> (place % 8);
                }
            }
        }
        Some(Digest(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = *b"sha1:________________________________";
        // Five bytes make eight symbols; twenty bytes leave no rest.
        for (group, symbols) in self.0.chunks_exact(5).zip(text[5..].chunks_exact_mut(8)) {
            let bits = group.iter().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
            for (at, symbol) in symbols.iter_mut().enumerate() {
                *symbol = ALPHABET[(bits >> (35 - 5 * at) & 31) as usize];
            }
        }
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

/// A digest in the making.
#[derive(Clone, Default)]
pub(crate) struct Hasher(Sha1);

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_digests_are_written_as_others_write_them() {
        assert_eq!(Digest::of(b"").to_string(), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        let hex = "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709";
        assert_eq!(Digest::parse(hex), Some(Digest::of(b"")));
        for wrong in
            ["", "sha1:", "md5:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBY1"]
        {
            assert_eq!(Digest::parse(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn the_written_form_is_read_back(bytes in any::<[u8; 20]>()) {
            prop_assert_eq!(Digest::parse(&Digest(bytes).to_string()), Some(Digest(bytes)));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            let _ = Digest::parse(&text);
        }
    }
}
