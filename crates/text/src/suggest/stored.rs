//! Suggestions as bytes: all lists as they stand in memory, so that reading them is little more than copying.

use std::io;

use crate::TextError;
use crate::stored::{Reading, Writing};
use crate::strings::Strings;

use super::mistyped::Words;
use super::{Source, Suggestions};

const MARK: [u8; 4] = *b"GSUG";
const VERSION: u8 = 1;
const SOURCES: [Source; 4] = [Source::Title, Source::Anchor, Source::Query, Source::Dictionary];

impl Suggestions {
    /// Writes the suggestions, to be read by [`Suggestions::read`].
    pub fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let mut bytes = Writing::new(MARK, VERSION);
        bytes.number(self.weights.len() as u32);
        self.weights.iter().for_each(|weight| bytes.bytes(&weight.to_le_bytes()));
        let number = |source: &Source| SOURCES.iter().position(|known| known == source).unwrap_or(0);
        self.sources.iter().for_each(|source| bytes.byte(number(source) as u8));
        self.shown.write(&mut bytes);
        self.keys.write(&mut bytes);
        bytes.list(&self.owners);
        bytes.list(&self.beginnings);
        bytes.list(&self.entries);
        self.words.write(&mut bytes);
        out.write_all(&bytes.finish())
    }

    /// Reads what [`Suggestions::write`] wrote; anything else is refused.
    pub fn read(bytes: &[u8]) -> Result<Suggestions, TextError> {
        let refused = |reason| TextError::Suggestions { reason };
        let mut bytes = Reading::new(bytes, MARK, VERSION).map_err(refused)?;
        let read = content(&mut bytes).filter(|read| bytes.is_at_end() && holds(read));
        read.ok_or(refused("it is damaged"))
    }
}

fn content(bytes: &mut Reading<'_>) -> Option<Suggestions> {
    let entries = bytes.number()? as usize;
    let (weights, _) = bytes.bytes(entries.checked_mul(8)?)?.as_chunks::<8>();
    let weights = weights.iter().map(|weight| f64::from_le_bytes(*weight)).collect();
    let source = |&number: &u8| SOURCES.get(usize::from(number)).copied();
    let sources = bytes.bytes(entries)?.iter().map(source).collect::<Option<_>>()?;
    Some(Suggestions {
        weights,
        sources,
        shown: Strings::read(bytes)?,
        keys: Strings::read(bytes)?,
        owners: bytes.list()?,
        beginnings: bytes.list()?,
        entries: bytes.list()?,
        words: Words::read(bytes)?,
    })
}

/// What [`Suggestions::find`] relies on not to fail; that the lists are in order is what the checksum is for.
fn holds(read: &Suggestions) -> bool {
    let phrases = read.owners.len();
    let text = read.keys.text();
    // Every entry has a phrase, and every phrase an entry.
    let owned = read.owners.is_sorted_by(|a, b| a == b || *b == a.wrapping_add(1))
        && read.owners.first().is_none_or(|&first| first == 0)
        && read.owners.last().map_or(0, |&last| last as usize + 1) == read.weights.len();
    owned
        && read.shown.len() == phrases
        && read.keys.len() == phrases
        && read.entries.len() == read.beginnings.len()
        && read.entries.iter().all(|&entry| (entry as usize) < read.weights.len())
        && read.beginnings.iter().all(|&at| (at as usize) < text.len() && text.is_char_boundary(at as usize))
        && read.weights.iter().all(|weight| weight.is_finite())
}
