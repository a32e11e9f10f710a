//! Visible text as words: white space collapsed, lines kept apart, words counted.

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

impl Words {
    /// Words that are counted and not kept.
    pub(crate) fn counted() -> Words {
        Words { full: true, ..Words::default() }
    }

    /// Adds a piece of text and calls `each(part, index, starts)` for each part of a word in it: the index of the
    /// word in the page, and whether the word starts here.
    #[inline]
    pub(crate) fn add(&mut self, text: &str, mut each: impl FnMut(&str, usize, bool)) {
        let mut rest = text;
        loop {
            let part = after_space(rest);
            if part.len() != rest.len() {
                self.gap = self.gap.max(Gap::Space);
            }
            if part.is_empty() {
                return;
            }
            let end = word_end(part);
            let starts = self.gap != Gap::None;
            self.push(&part[..end]);
            each(&part[..end], self.count - 1, starts);
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

    pub(crate) fn finish(self) -> String {
        self.text
    }

    fn push(&mut self, part: &str) {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        if gap != Gap::None {
            self.count += 1;
        }
        self.full |= self.text.len() + part.len() + 1 > MAX_TEXT;
        if self.full {
            return;
        }
        match gap {
            Gap::Space => self.text.push(' '),
            Gap::Line if !self.text.is_empty() => self.text.push('\n'),
            _ => {}
        }
        self.text.push_str(part);
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
    }

    #[test]
    fn text_ends_at_its_limit_and_words_are_still_counted() {
        let mut words = Words::default();
        (0..300_000).for_each(|_| words.add("word ", |_, _, _| {}));
        assert_eq!(words.count(), 300_000);
        let text = words.finish();
        assert!(text.len() <= MAX_TEXT && text.len() > MAX_TEXT - 10 && text.ends_with("word"));
    }

    #[test]
    fn collapsed_text_is_cut_between_characters() {
        let mut text = String::new();
        collapse_into(&mut text, "  a \n b", 100);
        collapse_into(&mut text, "ééé", 6);
        assert_eq!(text, "a b é");
    }
}
