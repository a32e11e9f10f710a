//! Visible text as words: white space collapsed, lines kept apart, words counted.

use eight::{Eight, plain_blocks};

/// The words so far.
#[derive(Default)]
pub(crate) struct Words {
    text: String,
    count: usize,
    gap: Gap,
    /// Set when `text` has reached its limit; words are still counted.
    full: bool,
}

/// What lies between the last character and the next.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    /// Nothing: the word goes on.
    None,
    Space,
    #[default]
    Line,
}

/// Bytes of text kept of one page.
const MAX_TEXT: usize = 1 << 20;

/// Bytes from which on what has no space in it is no word, or many.
const LONG_WORD: usize = 256;

/// Bytes that are set aside for the text of a page before it is read.
const MAX_ROOM: usize = 64 << 10;

impl Words {
    /// Words of a page of so many bytes: room is made once, not again and again.
    pub(crate) fn of_page(bytes: usize) -> Words {
        Words { text: String::with_capacity((bytes / 2).min(MAX_ROOM)), ..Words::default() }
    }

    /// Words that are counted and not kept.
    pub(crate) fn counted() -> Words {
        Words { full: true, ..Words::default() }
    }

    /// Adds a piece of text and calls `each(part, index, starts)` for each part of a word in it: the index of the
    /// word in the page, and whether the word starts here.
    #[inline]
    pub(crate) fn add(&mut self, text: &str, each: impl FnMut(&str, usize, bool)) {
        self.add_parts(text, |_, part| (word_end(part), 1), each);
    }

    /// Adds a piece of text, many words at a time, and tells the index of the first word in it.
    pub(crate) fn add_all(&mut self, text: &str) -> Option<usize> {
        if let Some(first) = self.count_all(text) {
            return first;
        }
        let mut first = None;
        let many = |words: &Words, part: &str| {
            let has_room = words.full || words.text.len() + part.len() < MAX_TEXT;
            let run = has_room.then(|| plain_run(part)).flatten();
            run.unwrap_or_else(|| (word_end(part), 1))
        };
        self.add_parts(text, many, |_, index, _| _ = first.get_or_insert(index));
        first
    }

    /// Counts the words of a piece of text, eight bytes at a time, and tells the index of the first; none where they are to
    /// be kept, or are not ASCII.
    #[inline]
    pub(crate) fn count_all(&mut self, text: &str) -> Option<Option<usize>> {
        let bytes = text.as_bytes();
        if !self.full || bytes.is_empty() {
            return None;
        }
        let begins = !is_space(bytes[0]) && self.gap == Gap::None;
        let mut after_space = self.gap != Gap::None;
        let mut words = 0;
        for eight in bytes.chunks(8) {
            let eight = Eight::of(eight, b' ');
            if !eight.is_ascii() {
                return None;
            }
            let spaces = eight.equal(b' ') | eight.between(0x09, 0x0d);
            words += (!spaces & spaces.behind(after_space)).count(8);
            after_space = spaces.has_last();
        }
        if words == 0 && !begins {
            self.gap = self.gap.max(Gap::Space);
            return Some(None);
        }
        let first = self.count - usize::from(begins);
        self.count += words;
        self.gap = if is_space(bytes[bytes.len() - 1]) { Gap::Space } else { Gap::None };
        Some(Some(first))
    }

    /// Adds a piece of text part by part: `length` tells of what a part begins with where it ends, and how many words
    /// it has.
    #[inline]
    fn add_parts(
        &mut self,
        text: &str,
        length: impl Fn(&Words, &str) -> (usize, usize),
        mut each: impl FnMut(&str, usize, bool),
    ) {
        let mut rest = text;
        loop {
            let part = after_space(rest);
            if part.len() != rest.len() {
                self.gap = self.gap.max(Gap::Space);
            }
            if part.is_empty() {
                return;
            }
            let (end, words) = length(self, part);
            let starts = self.gap != Gap::None;
            self.push(&part[..end], words);
            each(&part[..end], self.count - words, starts);
            rest = &part[end..];
        }
    }

    /// The next word stands apart.
    pub(crate) fn space(&mut self) {
        self.gap = self.gap.max(Gap::Space);
    }

    /// The next word stands on a line of its own.
    pub(crate) fn line(&mut self) {
        self.gap = Gap::Line;
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Bytes of text so far.
    pub(crate) fn length(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    /// Adds so many words, or parts of them, that stand as they are to be kept.
    fn push(&mut self, part: &str, words: usize) {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        self.count += words - usize::from(gap == Gap::None);
        if self.full {
            return;
        }
        // Words and all, unless that is a text without spaces: what fits of it is kept.
        let fits = self.text.len() + part.len() < MAX_TEXT;
        self.full = !fits;
        if !fits && part.len() < LONG_WORD {
            return;
        }
        match gap {
            Gap::Space => self.text.push(' '),
            Gap::Line if !self.text.is_empty() => self.text.push('\n'),
            _ => {}
        }
        push_within(&mut self.text, part, MAX_TEXT);
    }
}

/// The text without the white space that it begins with. Most of it is ASCII, which is told byte by byte.
#[inline]
fn after_space(text: &str) -> &str {
    match text.bytes().position(|byte| !is_space(byte)) {
        None => "",
        Some(at) if text.as_bytes()[at].is_ascii() => &text[at..],
        Some(at) => text[at..].trim_start(),
    }
}

/// Where the word ends with which the text begins.
#[inline]
fn word_end(text: &str) -> usize {
    match text.bytes().position(|byte| is_space(byte) || !byte.is_ascii()) {
        None => text.len(),
        Some(at) if text.as_bytes()[at].is_ascii() => at,
        Some(at) => text[at..].find(char::is_whitespace).map_or(text.len(), |rest| at + rest),
    }
}

/// Where the words end with which the text begins, as long as these are ASCII and single spaces stand between them; and
/// how many they are.
fn plain_run(text: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    if !bytes.first()?.is_ascii_graphic() {
        return None;
    }
    let is_plain = |byte: u8, next: u8| (b' '..=b'~').contains(&byte) & ((byte != b' ') | (next != b' '));
    let mut end = plain_blocks(bytes, is_plain);
    let mut spaces = memchr::memchr_iter(b' ', &bytes[..end]).count();
    loop {
        let eight = Eight::of(&bytes[end..], 0);
        let space = eight.equal(b' ');
        let wide = space.in_a_row(bytes.get(end + 8) == Some(&b' '));
        let before = (wide | !eight.at_least(b' ') | eight.at_least(b'~' + 1)).first();
        spaces += space.count(before);
        end += before;
        if before < 8 {
            break;
        }
    }
    // What follows the last space is no word, or one of another kind.
    if bytes[end - 1] == b' ' {
        (end, spaces) = (end - 1, spaces - 1);
    }
    Some((end, spaces + 1))
}

/// ASCII white space as Unicode has it, with the vertical tab.
#[inline]
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 0x09..=0x0d)
}

/// Adds `text` to `collapsed` with its white space collapsed, up to `limit` bytes.
pub(crate) fn collapse_into(collapsed: &mut String, text: &str, limit: usize) {
    for word in text.split_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        push_within(collapsed, word, limit);
        if collapsed.len() >= limit {
            return;
        }
    }
}

/// As much of `text` as fits, whole characters only.
pub(crate) fn push_within(target: &mut String, text: &str, limit: usize) {
    let room = limit.saturating_sub(target.len());
    target.push_str(&text[..text.floor_char_boundary(room)]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_go_on_until_white_space() {
        let mut words = Words::default();
        let mut heard = Vec::new();
        for text in [" one t", "wo\u{a0}", "", "three", "\n"] {
            words.add(text, |part, index, starts| heard.push((part.to_owned(), index, starts)));
        }
        words.line();
        words.space();
        words.add("four", |_, _, _| {});
        let expected = [("one", 0, true), ("t", 1, true), ("wo", 1, false), ("three", 2, true)];
        assert_eq!(heard, expected.map(|(part, index, starts)| (part.to_owned(), index, starts)));
        assert_eq!((words.count(), words.finish().as_str()), (4, "one two three\nfour"));
    }

    proptest! {
        #[test]
        fn words_are_told_apart_as_unicode_has_it(text in "[a\u{a0}\u{2003}\u{85}\u{b}\u{1c}é \n\t]{0,12}") {
            prop_assert_eq!(after_space(&text), text.trim_start());
            let word = text.trim_start();
            prop_assert_eq!(word_end(word), word.find(char::is_whitespace).unwrap_or(word.len()));
        }

        #[test]
        fn many_words_at_a_time_are_the_same_words(
            pieces in prop::collection::vec("([a-c]{1,9} ){0,12}[a\u{a0}é \u{1}\n\t]{0,3}([a-c]{1,9} ?){0,9}", 0..6),
            kept in any::<bool>(),
        ) {
            let new = || if kept { Words::default() } else { Words::counted() };
            let (mut one_by_one, mut at_once) = (new(), new());
            for piece in &pieces {
                let mut first = None;
                one_by_one.add(piece, |_, index, _| _ = first.get_or_insert(index));
                prop_assert_eq!(at_once.add_all(piece), first);
                prop_assert_eq!(at_once.count(), one_by_one.count());
            }
            prop_assert_eq!(at_once.finish(), one_by_one.finish());
        }
    }

    #[test]
    fn text_ends_at_its_limit_and_words_are_still_counted() {
        let mut words = Words::default();
        (0..100_000).for_each(|_| words.add("word ", |_, _, _| {}));
        let _ = words.add_all(&"word ".repeat(200_000));
        assert_eq!(words.count(), 300_000);
        let text = words.finish();
        assert!(text.len() <= MAX_TEXT && text.len() > MAX_TEXT - 10 && text.ends_with("word"));
    }

    #[test]
    fn a_text_without_spaces_is_cut_between_characters() {
        let long = "磨坊".repeat(MAX_TEXT / 4);
        for with_all in [false, true] {
            let mut words = Words::default();
            words.add("a ", |_, _, _| {});
            if with_all {
                words.add_all(&long);
            } else {
                words.add(&long, |_, _, _| {});
            }
            words.add(" b", |_, _, _| {});
            assert_eq!(words.count(), 3);
            let text = words.finish();
            assert!((MAX_TEXT - 3..=MAX_TEXT).contains(&text.len()) && text.ends_with(['磨', '坊']));
        }
    }

    #[test]
    fn collapsed_text_is_cut_between_characters() {
        let mut text = String::new();
        collapse_into(&mut text, "  a \n b", 100);
        collapse_into(&mut text, "ééé", 6);
        assert_eq!(text, "a b é");
    }
}
