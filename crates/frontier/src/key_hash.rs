//! Maps by keys that are hashes already: they need no more than a secret that strangers cannot guess.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};

/// A map by hosts, URLs or their names.
pub(crate) type KeyMap<K, V> = HashMap<K, V, KeyHash>;

/// A set of hosts or URLs.
pub(crate) type KeySet<K> = HashSet<K, KeyHash>;

/// Mixes keys with a secret of the map's own: the names of URLs are chosen by strangers, who must not be able to choose
/// many that fall together.
#[derive(Clone, Debug)]
pub(crate) struct KeyHash(u64);

impl Default for KeyHash {
    fn default() -> KeyHash {
        KeyHash(RandomState::new().hash_one(0u8))
    }
}

impl BuildHasher for KeyHash {
    type Hasher = Folded;

    fn build_hasher(&self) -> Folded {
        Folded(self.0)
    }
}

/// A product of 128 bits, its halves folded.
pub(crate) struct Folded(u64);

impl Hasher for Folded {
    fn write_u64(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u128(&mut self, number: u128) {
        self.write_u64(number as u64);
        self.write_u64((number >> 64) as u64);
    }

    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut number = [0; 8];
            number[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(number));
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
