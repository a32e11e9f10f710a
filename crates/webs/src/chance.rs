//! Chance without state: every "random" choice is a hash of the seed and of what is chosen.
//!
//! So a page can be drawn alone, in any order and on any thread, and always looks the same; and a
//! web of a million pages is kept nowhere.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A place in the tree of choices; `with` and `at` step to a branch, the rest read a value there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(mix(seed ^ 0x6761_6e6e_6574))
    }

    /// The branch named `what`.
    pub(crate) fn with(self, what: &str) -> Self {
        Self(xxh3_64_with_seed(what.as_bytes(), self.0))
    }

    /// The `index`-th branch.
    pub(crate) fn at(self, index: u64) -> Self {
        Self(mix(self.0 ^ mix(index)))
    }

    /// A number below `bound`; 0 when `bound` is 0.
    pub(crate) fn below(self, bound: u64) -> u64 {
        // Multiply and shift: no bias that matters at our bounds, and no division by zero.
        ((u128::from(mix(self.0)) * u128::from(bound)) >> 64) as u64
    }

    /// True in `percent` of all places.
    pub(crate) fn percent(self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, which must not be empty.
    pub(crate) fn pick<T: Copy>(self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// The numbers below `count` in a shuffled order.
    pub(crate) fn shuffled(self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, self.at(last as u64).below(last as u64 + 1) as usize);
        }
        order
    }
}

/// The finaliser of splitmix64: every input bit reaches every output bit.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_below_their_bound_and_are_spread() {
        let mut seen = [0u32; 7];
        for index in 0..7_000 {
            seen[Chance::new(1).at(index).below(7) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| (800..1_200).contains(&count)), "{seen:?}");
    }

    #[test]
    fn a_shuffle_keeps_every_number() {
        let mut order = Chance::new(5).shuffled(50);
        assert_ne!(order, (0..50).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..50).collect::<Vec<_>>());
    }
}
