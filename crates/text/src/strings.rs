//! Many texts behind each other: one allocation for all, four bytes to find each.

use crate::stored::{Reading, Writing};

#[derive(Clone, Debug)]
pub(crate) struct Strings {
    text: String,
    /// Where each begins, and one more.
    starts: Vec<u32>,
}

impl Default for Strings {
    fn default() -> Strings {
        Strings { text: String::new(), starts: vec![0] }
    }
}

impl Strings {
    /// Adds one; false if offsets of 32 bits do not reach so far.
    pub(crate) fn push(&mut self, text: &str) -> bool {
        let Ok(end) = u32::try_from(self.text.len() + text.len()) else { return false };
        self.text.push_str(text);
        self.starts.push(end);
        true
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn get(&self, at: usize) -> &str {
        &self.text[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.starts.windows(2).map(|at| &self.text[at[0] as usize..at[1] as usize])
    }

    /// All of them.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The one that a byte of all of them belongs to.
    pub(crate) fn with(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= byte).saturating_sub(1)
    }

    pub(crate) fn write(&self, out: &mut Writing) {
        out.text(&self.text);
        out.list(&self.starts);
    }

    /// Reads what [`Strings::write`] wrote; none for anything that would not hold.
    pub(crate) fn read(bytes: &mut Reading<'_>) -> Option<Strings> {
        let (text, starts) = (bytes.text()?, bytes.list()?);
        let whole =
            starts.first() == Some(&0) && starts.last().is_some_and(|&end| end as usize == text.len());
        let ordered = starts.is_sorted() && starts.iter().all(|&start| text.is_char_boundary(start as usize));
        (whole && ordered).then_some(Strings { text, starts })
    }
}
