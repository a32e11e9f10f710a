//! Words on their way into the library.
//!
//! Texts are cut before, once for terms and exact words together. What the library is given is the words one after
//! the other with a mark between them; two marks without a word between are a place that is left out, so that the
//! others keep their distances.

use memchr::memchr2;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The tokenizer's name.
pub(crate) const CUT: &str = "cut";

/// Ends a word, and counts a place.
pub(crate) const MARK: char = '\u{1f}';

/// Ends a value: the next one is far away, so that no phrase spans both.
pub(crate) const GAP: char = '\u{1e}';

/// How far away, in places.
const FAR: usize = 100;

/// Cuts at the marks.
#[derive(Clone, Default)]
pub(crate) struct Cut {
    token: Token,
}

pub(crate) struct Words<'a> {
    rest: &'a str,
    position: usize,
    token: &'a mut Token,
}

impl Tokenizer for Cut {
    type TokenStream<'a> = Words<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Words<'a> {
        self.token.reset();
        Words { rest: text, position: 0, token: &mut self.token }
    }
}

impl TokenStream for Words<'_> {
    fn advance(&mut self) -> bool {
        while let Some(end) = memchr2(MARK as u8, GAP as u8, self.rest.as_bytes()) {
            let (word, mark) = (&self.rest[..end], self.rest.as_bytes()[end]);
            self.rest = &self.rest[end + 1..];
            let position = self.position;
            self.position += if mark == GAP as u8 { FAR } else { 1 };
            if !word.is_empty() {
                self.token.text.clear();
                self.token.text.push_str(word);
                self.token.position = position;
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

/// Text with its words marked, as [`Cut`] expects them.
#[derive(Default)]
pub(crate) struct Marked {
    pub(crate) text: String,
    pub(crate) words: u64,
    next: u32,
}

impl Marked {
    /// Adds a word at its position; positions never fall.
    pub(crate) fn push(&mut self, position: u32, word: Option<&str>) {
        while self.next < position {
            self.text.push(MARK);
            self.next += 1;
        }
        if let Some(word) = word {
            // Marks in a word would move all others.
            if memchr2(MARK as u8, GAP as u8, word.as_bytes()).is_none() {
                self.text.push_str(word);
            } else {
                self.text.extend(word.chars().filter(|c| !matches!(*c, MARK | GAP)));
            }
            self.words += 1;
            self.text.push(MARK);
            self.next = position + 1;
        }
    }

    /// The next value begins.
    pub(crate) fn gap(&mut self) {
        if !self.text.is_empty() {
            self.text.push(GAP);
            self.next = 0;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.words = 0;
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_places() {
        let mut marked = Marked::default();
        for (position, word) in [(0, None), (1, Some("quick")), (2, Some("fox")), (5, Some("dog"))] {
            marked.push(position, word);
        }
        marked.gap();
        marked.push(0, Some("next"));
        let mut cut = Cut::default();
        let mut stream = cut.token_stream(&marked.text);
        let mut seen = Vec::new();
        while stream.advance() {
            seen.push((stream.token().position, stream.token().text.clone()));
        }
        let expected = [(1, "quick"), (2, "fox"), (5, "dog"), (106, "next")];
        assert_eq!(seen, expected.map(|(position, word)| (position, word.to_owned())));
        assert_eq!(marked.words, 4);
    }

    #[test]
    fn marks_in_a_word_move_no_other() {
        let mut marked = Marked::default();
        marked.push(0, Some("a\u{1f}b\u{1e}c"));
        marked.push(1, Some("next"));
        let mut cut = Cut::default();
        let mut stream = cut.token_stream(&marked.text);
        assert!(stream.advance() && stream.token().text == "abc");
        assert!(stream.advance() && stream.token().text == "next" && stream.token().position == 1);
    }
}
