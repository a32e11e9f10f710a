//! The bytes of a key: in place while they are few, as those of nearly all tables are, and compared eight at a time.

use std::{
    cmp::Ordering,
    fmt,
    ops::{Bound, Deref},
};

/// Bytes that have room in place; the one after them counts those that are there.
const ROOM: usize = 39;

/// Bytes by which rows are found, in their order.
#[derive(Clone)]
pub struct KeyBytes(Bytes);

#[derive(Clone)]
enum Bytes {
    /// With zeros up to the count.
    Short([u8; ROOM + 1]),
    Long(Vec<u8>),
}

/// Between which keys rows are wanted.
pub(crate) type Bounds = (Bound<KeyBytes>, Bound<KeyBytes>);

impl KeyBytes {
    /// None yet.
    pub fn new() -> KeyBytes {
        KeyBytes(Bytes::Short([0; ROOM + 1]))
    }

    /// Adds bytes at the end.
    pub fn push(&mut self, more: &[u8]) {
        match &mut self.0 {
            Bytes::Short(bytes) => {
                let length = usize::from(bytes[ROOM]);
                match bytes[..ROOM].get_mut(length..length + more.len()) {
                    Some(room) => {
                        room.copy_from_slice(more);
                        bytes[ROOM] += more.len() as u8;
                    }
                    None => self.0 = Bytes::Long([&bytes[..length], more].concat()),
                }
            }
            Bytes::Long(bytes) => bytes.extend_from_slice(more),
        }
    }
}

impl Default for KeyBytes {
    fn default() -> KeyBytes {
        KeyBytes::new()
    }
}

impl From<&[u8]> for KeyBytes {
    fn from(bytes: &[u8]) -> KeyBytes {
        let mut key = KeyBytes::new();
        key.push(bytes);
        key
    }
}

impl Deref for KeyBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Short(bytes) => &bytes[..usize::from(bytes[ROOM]).min(ROOM)],
            Bytes::Long(bytes) => bytes,
        }
    }
}

impl AsRef<[u8]> for KeyBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Ord for KeyBytes {
    fn cmp(&self, other: &KeyBytes) -> Ordering {
        match (&self.0, &other.0) {
            // Where all bytes are the same, but for zeros at the end, the shorter one comes first.
            (Bytes::Short(one), Bytes::Short(other)) => eights(one).cmp(eights(other)),
            _ => self.as_ref().cmp(other.as_ref()),
        }
    }
}

impl PartialOrd for KeyBytes {
    fn partial_cmp(&self, other: &KeyBytes) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for KeyBytes {
    fn eq(&self, other: &KeyBytes) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for KeyBytes {}

impl fmt::Debug for KeyBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

fn eights(bytes: &[u8; ROOM + 1]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<8>().0.iter().map(|eight| u64::from_be_bytes(*eight))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn keys_are_in_the_order_of_their_bytes(
            start in proptest::collection::vec(0..3_u8, 0..45),
            one in proptest::collection::vec(0..2_u8, 0..6),
            other in proptest::collection::vec(0..2_u8, 0..6),
        ) {
            let keys = [&one, &other].map(|end| {
                let mut key = KeyBytes::from(start.as_slice());
                key.push(end);
                key
            });
            let [one, other] = [one, other].map(|end| [start.as_slice(), &end].concat());
            prop_assert_eq!((&*keys[0], &*keys[1]), (one.as_slice(), other.as_slice()));
            prop_assert_eq!(keys[0].cmp(&keys[1]), one.cmp(&other));
            prop_assert_eq!(keys[0] == keys[1], one == other);
        }
    }
}
