//! The numbers of URLs, found by their keys: four bytes and a little for each, since the keys lie with what is numbered.

use std::hash::{BuildHasher, RandomState};

/// No number.
const FREE: u32 = u32::MAX;

/// Numbers by key, at most half full.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// As many as a power of two.
    slots: Vec<u32>,
    count: usize,
    /// Keys are hashes of what strangers choose, who must not be able to choose many that fall together.
    secret: u64,
}

impl Default for Numbers {
    fn default() -> Numbers {
        Numbers { slots: vec![FREE; 16], count: 0, secret: RandomState::new().hash_one(0u8) }
    }
}

impl Numbers {
    /// The number of a key; `key_of` tells the key of a number.
    pub(crate) fn get(&self, key: u128, key_of: impl Fn(u32) -> u128) -> Option<u32> {
        let mut place = self.place(key);
        loop {
            match self.slots[place] {
                FREE => return None,
                number if key_of(number) == key => return Some(number),
                _ => place = (place + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Numbers a key that has none.
    pub(crate) fn insert(&mut self, key: u128, number: u32, key_of: impl Fn(u32) -> u128) {
        if 2 * (self.count + 1) > self.slots.len() {
            let slots = vec![FREE; 2 * self.slots.len()];
            for number in std::mem::replace(&mut self.slots, slots) {
                if number != FREE {
                    self.fill(key_of(number), number);
                }
            }
        }
        self.count += 1;
        self.fill(key, number);
    }

    /// Forgets all numbers, and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
        self.slots.fill(FREE);
    }

    fn fill(&mut self, key: u128, number: u32) {
        let mut place = self.place(key);
        while self.slots[place] != FREE {
            place = (place + 1) & (self.slots.len() - 1);
        }
        self.slots[place] = number;
    }

    fn place(&self, key: u128) -> usize {
        let mixed = u128::from(key as u64 ^ self.secret) * 0x9e37_79b9_7f4a_7c15;
        (mixed as u64 ^ (mixed >> 64) as u64) as usize & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_number_until_all_are_forgotten() {
        let keys: Vec<u128> = (0..5_000u128).map(|key| (key * key) << 60).collect();
        let key_of = |number: u32| keys[number as usize];
        let mut numbers = Numbers::default();
        for round in 0..2 {
            for (key, number) in keys.iter().zip(0..) {
                assert_eq!(numbers.get(*key, key_of), None, "round {round}");
                numbers.insert(*key, number, key_of);
            }
            for (key, number) in keys.iter().zip(0..) {
                assert_eq!(numbers.get(*key, key_of), Some(number));
                assert_eq!(numbers.get(key + 1, key_of), None);
            }
            numbers.clear();
        }
    }
}
