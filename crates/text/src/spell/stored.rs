//! A vocabulary as bytes: mark, version, q, number of words; then for each word, in order, the number of bytes it
//! shares with the one before, the number of others, those, and its count; then a checksum over all. The index of
//! runs is made again when it is read.

use std::io;

use crate::stored::{Reading, Writing};
use crate::{TextError, edits};

use super::Vocabulary;

const MARK: [u8; 4] = *b"GVOC";
const VERSION: u8 = 1;

impl Vocabulary {
    /// Writes the vocabulary, to be read by [`Vocabulary::read`].
    pub fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let mut bytes = Writing::new(MARK, VERSION);
        bytes.byte(self.q as u8);
        bytes.number(self.len() as u32);
        let mut before = "";
        for (word, count) in self.words() {
            let shared = before.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count();
            bytes.number(shared as u32);
            bytes.number((word.len() - shared) as u32);
            bytes.bytes(&word.as_bytes()[shared..]);
            bytes.number(count);
            before = word;
        }
        out.write_all(&bytes.finish())
    }

    /// Reads what [`Vocabulary::write`] wrote; anything else is refused.
    pub fn read(bytes: &[u8]) -> Result<Vocabulary, TextError> {
        let refused = |reason: &'static str| TextError::Vocabulary { reason };
        let mut bytes = Reading::new(bytes, MARK, VERSION).map_err(refused)?;
        let read = content(&mut bytes).filter(|_| bytes.is_at_end());
        let (q, words) = read.ok_or(refused("it is damaged"))?;
        Ok(Vocabulary::of_sorted(q, words.iter().map(|(word, count)| (word.as_str(), *count))))
    }
}

fn content(bytes: &mut Reading<'_>) -> Option<(usize, Vec<(String, u32)>)> {
    let q = bytes.byte().filter(|q| (1..=8).contains(q))?;
    let mut words: Vec<(String, u32)> = Vec::new();
    for _ in 0..bytes.number()? {
        let word = next_word(bytes, words.last().map_or("", |(word, _)| word))?;
        words.push(word);
    }
    Some((q.into(), words))
}

fn next_word(bytes: &mut Reading<'_>, before: &str) -> Option<(String, u32)> {
    let shared = bytes.number()? as usize;
    let others = bytes.number()? as usize;
    let own = bytes.bytes(others)?;
    if before.as_bytes().get(shared).is_some_and(|next| own.first() == Some(next)) {
        return None;
    }
    let mut word = before.as_bytes().get(..shared)?.to_vec();
    word.extend_from_slice(own);
    let count = bytes.number()?;
    let word = String::from_utf8(word).ok()?;
    let fits = word.as_str() > before && word.chars().nth(edits::LONGEST).is_none();
    fits.then_some((word, count))
}
