//! A stretch of entries, evaluated at once: which of them match, and with what score.
//!
//! Operators become operations on bits, and a query costs its postings once, in order.

/// Entries in a stretch.
pub(crate) const WINDOW: u32 = 2_048;
const CELLS: usize = WINDOW as usize / 64;

/// Matches of a stretch. The score of an entry that does not match means nothing.
pub(crate) struct Window {
    pub(crate) bits: [u64; CELLS],
    pub(crate) scores: Box<[f64; WINDOW as usize]>,
}

impl Window {
    pub(crate) fn new() -> Window {
        Window { bits: [0; CELLS], scores: Box::new([0.0; WINDOW as usize]) }
    }

    pub(crate) fn clear(&mut self) {
        self.bits = [0; CELLS];
        self.scores.fill(0.0);
    }

    #[inline]
    pub(crate) fn add(&mut self, place: usize, score: f64) {
        self.bits[place / 64] |= 1 << (place % 64);
        self.scores[place] += score;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bits.iter().all(|cell| *cell == 0)
    }

    pub(crate) fn contains(&self, place: usize) -> bool {
        self.bits[place / 64] >> (place % 64) & 1 == 1
    }

    /// Takes what another has in addition.
    pub(crate) fn add_all(&mut self, other: &Window) {
        each(&other.bits, |place| self.add(place, other.scores[place]));
    }

    /// Keeps what both have, with both scores.
    pub(crate) fn keep_common(&mut self, other: &Window) {
        for (mine, theirs) in self.bits.iter_mut().zip(other.bits) {
            *mine &= theirs;
        }
        let bits = self.bits;
        each(&bits, |place| self.scores[place] += other.scores[place]);
    }

    /// Turns matches around among the first `entries`, without scores.
    pub(crate) fn invert(&mut self, entries: u32) {
        for (cell, bits) in self.bits.iter_mut().enumerate() {
            let first = cell as u32 * 64;
            let mask = match entries.saturating_sub(first) {
                0 => 0,
                64.. => u64::MAX,
                some => (1 << some) - 1,
            };
            *bits = !*bits & mask;
        }
        self.scores.fill(0.0);
    }
}

/// Calls `f` with every place that is set.
#[inline]
pub(crate) fn each(bits: &[u64; CELLS], mut f: impl FnMut(usize)) {
    for (cell, bits) in bits.iter().enumerate() {
        let mut rest = *bits;
        while rest != 0 {
            f(cell * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}
