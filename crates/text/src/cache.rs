//! What became of the words met last, so that a common word is analysed once and not at every place where it
//! stands. A table of fixed size in which a newer word takes the older one's slot and its memory: no allocation
//! per word, however long the text.

const SLOTS: usize = 8192;

/// Words and what became of them.
pub(crate) struct Cache {
    slots: Vec<Slot>,
}

/// One word, its exact form and its term, one behind the other.
#[derive(Default)]
pub(crate) struct Slot {
    text: String,
    /// Where the exact form begins; 0 in a slot that was never used.
    exact: u32,
    term: u32,
    has_term: bool,
}

impl Cache {
    pub(crate) fn new() -> Cache {
        Cache { slots: std::iter::repeat_with(Slot::default).take(SLOTS).collect() }
    }

    /// The slot of a word; `fill` is asked for its exact form and its term when it is not there.
    #[inline]
    pub(crate) fn get(
        &mut self,
        word: &str,
        fill: impl FnOnce(&str, &mut String) -> (usize, Option<usize>),
    ) -> &Slot {
        let slot = &mut self.slots[hash(word.as_bytes()) as usize % SLOTS];
        let known = slot.exact as usize == word.len() && slot.text.as_bytes().starts_with(word.as_bytes());
        if !known {
            slot.text.clear();
            slot.text.push_str(word);
            let (exact_end, term_end) = fill(word, &mut slot.text);
            slot.exact = word.len() as u32;
            slot.term = exact_end as u32;
            slot.has_term = term_end.is_some();
        }
        slot
    }
}

impl Slot {
    #[inline]
    pub(crate) fn exact(&self) -> &str {
        &self.text[self.exact as usize..self.term as usize]
    }

    #[inline]
    pub(crate) fn term(&self) -> Option<&str> {
        self.has_term.then(|| &self.text[self.term as usize..])
    }
}

/// Eight bytes at a time: words are short, and a slot compares its word anyway.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let chunk = u64::from_le_bytes([
            chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7],
        ]);
        hash = (hash ^ chunk).wrapping_mul(FACTOR).rotate_left(29);
    }
    let mut rest = 0u64;
    for &byte in chunks.remainder() {
        rest = rest << 8 | u64::from(byte);
    }
    let hash = (hash ^ rest).wrapping_mul(FACTOR);
    hash ^ hash >> 32
}
