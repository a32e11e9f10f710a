//! The numbers of URLs, found by their keys: four bytes and a little for each, since the keys lie with what is numbered.

use std::hash::{BuildHasher, RandomState};

/// No number: of a place where none ever was, and of one whose number is forgotten, behind which others may lie.
const FREE: u32 = u32::MAX;
const GONE: u32 = u32::MAX - 1;

/// Numbers by key, at most half full.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// As many as a power of two.
    slots: Vec<u32>,
    /// Places that are not free.
    taken: usize,
    /// Keys are hashes of what strangers choose, who must not be able to choose many that fall together.
    secret: u64,
}

impl Default for Numbers {
    fn default() -> Numbers {
        Numbers { slots: vec![FREE; 16], taken: 0, secret: RandomState::new().hash_one(0u8) }
    }
}

impl Numbers {
    /// The number of a key; `key_of` tells the key of a number.
    pub(crate) fn get(&self, key: u128, key_of: impl Fn(u32) -> u128) -> Option<u32> {
        let mut place = self.place(key);
        loop {
            match self.slots[place] {
                FREE => return None,
                number if number != GONE && key_of(number) == key => return Some(number),
                _ => place = (place + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Numbers a key that has none.
    pub(crate) fn insert(&mut self, key: u128, number: u32, key_of: impl Fn(u32) -> u128) {
        if 2 * (self.taken + 1) > self.slots.len() {
            let lasting = self.slots.iter().filter(|number| **number < GONE).count();
            // Where many are forgotten there is room enough.
            let room = if 4 * lasting > self.slots.len() { 2 * self.slots.len() } else { self.slots.len() };
            let before = std::mem::replace(&mut self.slots, vec![FREE; room]);
            self.taken = 0;
            for number in before.into_iter().filter(|number| *number < GONE) {
                self.fill(key_of(number), number);
            }
        }
        self.fill(key, number);
    }

    /// Each number becomes what stands in its place here, or is forgotten.
    pub(crate) fn renumber(&mut self, new: &[Option<u32>]) {
        for number in self.slots.iter_mut().filter(|number| **number < GONE) {
            *number = new[*number as usize].unwrap_or(GONE);
        }
    }

    fn fill(&mut self, key: u128, number: u32) {
        let mut place = self.place(key);
        while self.slots[place] < GONE {
            place = (place + 1) & (self.slots.len() - 1);
        }
        self.taken += usize::from(self.slots[place] == FREE);
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
    fn each_key_has_its_number_until_it_is_forgotten() {
        let key = |at: u32| u128::from(at).pow(2) << 60;
        let mut numbers = Numbers::default();
        let mut keys: Vec<u128> = Vec::new();
        let mut next = 0;
        for round in 0..20 {
            for _ in 0..1_000 {
                let (key, number) = (key(next), keys.len() as u32);
                next += 1;
                assert_eq!(numbers.get(key, |number| keys[number as usize]), None, "round {round}");
                keys.push(key);
                numbers.insert(key, number, |number| keys[number as usize]);
            }
            for (number, key) in (0..).zip(&keys) {
                assert_eq!(numbers.get(*key, |number| keys[number as usize]), Some(number), "round {round}");
            }
            // Two of three go.
            let mut kept = 0..;
            let new: Vec<Option<u32>> =
                (0..keys.len()).map(|at| (at % 3 == 0).then(|| kept.next().unwrap_or_default())).collect();
            numbers.renumber(&new);
            let gone: Vec<u128> =
                keys.iter().zip(&new).filter(|(_, new)| new.is_none()).map(|(key, _)| *key).collect();
            keys = keys.iter().zip(&new).filter_map(|(key, new)| new.map(|_| *key)).collect();
            for key in gone {
                assert_eq!(numbers.get(key, |number| keys[number as usize]), None, "round {round}");
            }
        }
        assert!(numbers.slots.len() <= 8_192, "{} places for {}", numbers.slots.len(), keys.len());
    }
}
