//! Chance that can be repeated: a seed, printed, and the numbers that follow from it.

use std::hash::{BuildHasher, RandomState};

/// The variable that repeats a run.
const VARIABLE: &str = "GANNET_SEED";

/// A source of numbers that depend on nothing but the seed (splitmix64: small, and good enough to
/// choose test cases with).
#[derive(Debug, Clone)]
pub struct Seed {
    state: u64,
}

impl Seed {
    /// The seed in `GANNET_SEED`, or a fresh one. It is printed, so that a failed test shows it.
    ///
    /// # Panics
    ///
    /// If `GANNET_SEED` is not a number: better than to test something else than asked for.
    pub fn from_env() -> Seed {
        let seed = match std::env::var(VARIABLE) {
            Ok(text) => text.parse().unwrap_or_else(|_| panic!("{VARIABLE}={text} is no number")),
            Err(_) => Seed::fresh().number() >> 32,
        };
        println!("{VARIABLE}={seed}");
        Seed::new(seed)
    }

    /// A seed that was never used before, not printed: for names that must be new.
    pub fn fresh() -> Seed {
        Seed::new(RandomState::new().hash_one(0))
    }

    /// The numbers of this seed.
    pub fn new(seed: u64) -> Seed {
        Seed { state: seed }
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.number() % limit as u64) as usize
    }

    /// True in `wins` of `of` cases.
    pub fn chance(&mut self, wins: usize, of: usize) -> bool {
        self.below(of) < wins
    }

    /// Bytes without a pattern.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..length.div_ceil(8)).flat_map(|_| self.number().to_le_bytes()).collect();
        bytes.truncate(length);
        bytes
    }

    /// A seed of its own for one of many cases, so that a single case can be repeated alone.
    pub fn fork(&mut self) -> Seed {
        Seed::new(self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let numbers = |seed| {
            let mut seed = Seed::new(seed);
            [seed.number(), seed.number(), seed.number()]
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        // Reference value of splitmix64 with seed 0.
        assert_eq!(numbers(0)[0], 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn a_number_below_a_limit_reaches_every_value() {
        let mut seed = Seed::new(1);
        let mut seen = [false; 5];
        for _ in 0..200 {
            seen[seed.below(5)] = true;
        }
        assert_eq!(seen, [true; 5]);
    }
}
