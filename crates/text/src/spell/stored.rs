//! A vocabulary as bytes: mark, version, q, number of words; then for each word, in order, the number of bytes it
//! shares with the one before, the number of others, those, and its count; then a checksum over all. The index of
//! runs is made again when it is read.

use std::io;

use crate::{TextError, edits};

use super::Vocabulary;

const MARK: &[u8; 4] = b"GVOC";
const VERSION: u8 = 1;

impl Vocabulary {
    /// Writes the vocabulary, to be read by [`Vocabulary::read`].
    pub fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let mut bytes = MARK.to_vec();
        bytes.push(VERSION);
        bytes.push(self.q as u8);
        put(&mut bytes, self.len() as u32);
        let mut before = "";
        for (word, count) in self.words() {
            let shared = before.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count();
            put(&mut bytes, shared as u32);
            put(&mut bytes, (word.len() - shared) as u32);
            bytes.extend_from_slice(&word.as_bytes()[shared..]);
            put(&mut bytes, count);
            before = word;
        }
        bytes.extend_from_slice(&checksum(&bytes).to_le_bytes());
        out.write_all(&bytes)
    }

    /// Reads what [`Vocabulary::write`] wrote; anything else is refused.
    pub fn read(bytes: &[u8]) -> Result<Vocabulary, TextError> {
        let refused = |reason: &'static str| TextError::Vocabulary { reason };
        let rest = bytes.strip_prefix(MARK).ok_or(refused("it is no vocabulary"))?;
        match rest.first() {
            Some(&VERSION) => {}
            _ => return Err(refused("it has a version this program does not know")),
        }
        let (content, sum) = bytes.split_last_chunk::<8>().ok_or(refused("it is cut off"))?;
        if checksum(content) != u64::from_le_bytes(*sum) {
            return Err(refused("its checksum is wrong"));
        }
        let damaged = refused("it is damaged");
        let mut content = content.get(MARK.len() + 1..).ok_or(damaged.clone())?;
        let (&q, after) = content.split_first().ok_or(damaged.clone())?;
        content = after;
        if !(1..=8).contains(&q) {
            return Err(damaged);
        }
        let number = take(&mut content).ok_or(damaged.clone())?;
        let mut words: Vec<(String, u32)> = Vec::new();
        for _ in 0..number {
            let word =
                next_word(&mut content, words.last().map_or("", |(word, _)| word)).ok_or(damaged.clone())?;
            words.push(word);
        }
        if !content.is_empty() {
            return Err(damaged);
        }
        Ok(Vocabulary::of_sorted(q.into(), words.iter().map(|(word, count)| (word.as_str(), *count))))
    }
}

fn next_word(content: &mut &[u8], before: &str) -> Option<(String, u32)> {
    let shared = take(content)? as usize;
    let others = take(content)? as usize;
    let mut word = before.as_bytes().get(..shared)?.to_vec();
    word.extend_from_slice(content.get(..others)?);
    *content = &content[others..];
    let count = take(content)?;
    let word = String::from_utf8(word).ok()?;
    let fits = word.as_str() > before && word.chars().nth(edits::LONGEST).is_none();
    fits.then_some((word, count))
}

/// Seven bits a byte, the lowest first.
fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0u32;
    for shift in [0, 7, 14, 21, 28] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u32::from(byte & 0x7f);
        number |= part.checked_shl(shift).filter(|moved| moved >> shift == part)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
