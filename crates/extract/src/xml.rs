//! XML as a stream of tags and text, forgivingly: what is no tag is text, what is not closed ends with the file.
//!
//! Nothing is resolved but the five names and numbers of characters: no entities of a file's own, no other files. A
//! text that is longer than the limit comes in pieces and a tag is cut, so that any file can be read in little memory.

use std::io::BufRead;

/// A piece of a file. Names are without their prefix.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Start {
        name: String,
        prefix: String,
        attributes: Vec<(String, String)>,
        empty: bool,
    },
    End {
        name: String,
    },
    /// Decoded.
    Text(String),
}

/// Reads a file from its bytes.
pub(crate) struct Xml<R> {
    input: R,
    /// What was taken for part of a token and was not; read before the rest of the input.
    again: Vec<u8>,
    /// How much of it has been read.
    again_at: usize,
    /// How often a comment or section may yet be read as if it had not begun.
    chances: u8,
    /// A tag has been opened with `<`.
    in_tag: bool,
    /// A section has been opened, and part of its text was given.
    in_section: bool,
}

/// Where a token ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// At the mark.
    Mark,
    /// Before it: no more is kept at once.
    Full,
    /// With the input.
    Input,
}

/// Bytes of one token that are kept.
const MAX_TOKEN: usize = 64 * 1_024;
const MAX_ATTRIBUTES: usize = 32;

impl<R: BufRead> Xml<R> {
    pub(crate) fn new(input: R) -> Xml<R> {
        Xml { input, again: Vec::new(), again_at: 0, chances: 4, in_tag: false, in_section: false }
    }

    /// The next piece; none at the end, or where the input can be read no further.
    pub(crate) fn next(&mut self) -> Option<Event> {
        loop {
            if self.in_section {
                let (text, end) = self.until(b'>');
                match self.section(text, end, false) {
                    Some(text) => return Some(text),
                    None => continue,
                }
            }
            if !self.in_tag {
                let (text, end) = self.text();
                self.in_tag = end == End::Mark;
                let text = decode(&String::from_utf8_lossy(&text));
                // Space alone counts: it may be all that stands between two words.
                if !text.is_empty() {
                    return Some(Event::Text(text));
                }
                if end == End::Input {
                    return None;
                }
                continue;
            }
            self.in_tag = false;
            let (mut token, mut end) = self.until(b'>');
            if token.starts_with(b"!--") {
                self.pass_comment(token, end);
                continue;
            }
            if let Some(text) = token.strip_prefix(b"![CDATA[") {
                match self.section(text.to_vec(), end, true) {
                    Some(text) => return Some(text),
                    None => continue,
                }
            }
            while end == End::Full {
                end = self.until(b'>').1;
            }
            let mut found = end == End::Mark;
            if matches!(token.first(), Some(b'?' | b'!')) {
                // A document type may hold declarations, in brackets.
                let mut ends = !(token.starts_with(b"!") && token.contains(&b'[')) || token.ends_with(b"]");
                while end != End::Input && !ends {
                    let (more, again) = self.until(b'>');
                    ends = again == End::Mark && more.trim_ascii_end().ends_with(b"]");
                    end = again;
                }
                continue;
            }
            let mut tries = 0;
            loop {
                match extent(&token) {
                    Extent::Whole => break,
                    Extent::Less(end) => {
                        if found {
                            token.push(b'>');
                        }
                        let rest = token.split_off(end);
                        self.read_again(rest.strip_prefix(b">").unwrap_or(&rest));
                        found = true;
                        break;
                    }
                    Extent::More if !found || tries == 16 || token.len() >= MAX_TOKEN => break,
                    Extent::More => {
                        let (more, end) = self.until(b'>');
                        token.push(b'>');
                        append(&mut token, &more);
                        found = end == End::Mark;
                        tries += 1;
                    }
                }
            }
            match token.strip_prefix(b"/") {
                None => return Some(start(&token)),
                Some(name) if found => {
                    let (_, name) = split_name(name);
                    return Some(Event::End { name });
                }
                // The file was cut off within a name: nobody knows what of.
                Some(_) => {}
            }
        }
    }

    /// The text up to the next tag, or as much of it as is kept at once. A bare `<` is text.
    fn text(&mut self) -> (Vec<u8>, End) {
        let (mut text, mut end) = self.until(b'<');
        while end == End::Mark && !self.is_at_tag() && text.len() < MAX_TOKEN {
            text.push(b'<');
            let (more, again) = self.until(b'<');
            text.extend_from_slice(&more);
            end = again;
        }
        if end == End::Full {
            self.keep_whole(&mut text);
        }
        (text, end)
    }

    /// Gives back what may be part of a character, of a reference to one or of a section's end, at the end of a piece.
    fn keep_whole(&mut self, piece: &mut Vec<u8>) {
        let near = piece.len() - piece.len().min(12);
        let last =
            |is: &dyn Fn(&u8) -> bool| piece[near..].iter().rposition(is).map_or(piece.len(), |at| near + at);
        let char_start = last(&|byte| !(0x80..0xC0).contains(byte));
        let brackets = piece.iter().rev().take(2).take_while(|byte| **byte == b']').count();
        let end = char_start.min(last(&|byte| *byte == b'&')).min(piece.len() - brackets);
        let rest = piece.split_off(end);
        self.read_again(&rest);
    }

    /// The text of a section, or as much of it as is kept at once, from what was read up to a `>`.
    fn section(&mut self, mut text: Vec<u8>, mut end: End, begins: bool) -> Option<Event> {
        self.in_section = false;
        while end == End::Mark && !text.ends_with(b"]]") && text.len() < MAX_TOKEN {
            text.push(b'>');
            let (more, again) = self.until(b'>');
            text.extend_from_slice(&more);
            end = again;
        }
        if end == End::Input && begins && self.chances > 0 {
            // What is never closed was perhaps never opened.
            self.chances -= 1;
            self.read_again(text.strip_suffix(b"]").unwrap_or(&text));
            return None;
        }
        if let Some(whole) = text.strip_suffix(b"]]").filter(|_| end == End::Mark) {
            text.truncate(whole.len());
        } else if end != End::Input {
            if end == End::Mark {
                text.push(b'>');
            }
            self.in_section = true;
            self.keep_whole(&mut text);
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        (!text.is_empty()).then_some(Event::Text(text))
    }

    /// Passes over a comment, of which the bytes up to a `>` are given.
    fn pass_comment(&mut self, mut token: Vec<u8>, mut end: End) {
        // `<!-->` is a whole comment, and `--!>` ends one, as browsers have it.
        let ends = |token: &[u8]| {
            token.ends_with(b"--") && token.len() >= 5
                || token == b"!--"
                || token == b"!---"
                || token.ends_with(b"--!")
        };
        let mut is_cut = false;
        while end != End::Input && !(end == End::Mark && ends(&token)) {
            if end == End::Mark {
                token.push(b'>');
            }
            let (more, again) = self.until(b'>');
            token.extend_from_slice(&more);
            end = again;
            if token.len() >= MAX_TOKEN {
                // Too long to keep; only its end matters now.
                token.drain(8..token.len() - 8);
                is_cut = true;
            }
        }
        // What is never closed was perhaps never opened.
        if end == End::Input && !is_cut && self.chances > 0 {
            self.chances -= 1;
            self.read_again(&token[3..]);
        }
    }

    fn is_at_tag(&mut self) -> bool {
        let first = self.fill().first();
        first.is_some_and(|byte| byte.is_ascii_alphabetic() || b"_:!?/".contains(byte) || *byte >= 0x80)
    }

    /// The bytes up to `mark`, as many as are kept of one token.
    fn until(&mut self, mark: u8) -> (Vec<u8>, End) {
        let mut token = Vec::new();
        loop {
            let room = MAX_TOKEN - token.len();
            let buffer = self.fill();
            if buffer.is_empty() {
                return (token, End::Input);
            }
            let part = &buffer[..buffer.len().min(room)];
            let end = memchr::memchr(mark, part);
            let part = &part[..end.unwrap_or(part.len())];
            token.extend_from_slice(part);
            let used = part.len() + usize::from(end.is_some());
            self.consume(used);
            if end.is_some() {
                return (token, End::Mark);
            }
            if token.len() == MAX_TOKEN {
                return (token, End::Full);
            }
        }
    }

    /// What comes next; nothing at the end, or where the input can be read no further.
    fn fill(&mut self) -> &[u8] {
        match self.again.get(self.again_at..) {
            Some(again) if !again.is_empty() => again,
            _ => self.input.fill_buf().unwrap_or_default(),
        }
    }

    fn consume(&mut self, bytes: usize) {
        if self.again_at < self.again.len() {
            self.again_at += bytes;
        } else {
            self.input.consume(bytes);
        }
    }

    fn read_again(&mut self, bytes: &[u8]) {
        let later = self.again.split_off(self.again_at.min(self.again.len()));
        self.again = [bytes, &later].concat();
        self.again_at = 0;
    }
}

fn append(token: &mut Vec<u8>, part: &[u8]) {
    let room = MAX_TOKEN.saturating_sub(token.len());
    token.extend_from_slice(&part[..part.len().min(room)]);
}

/// How far a tag reaches, of which the bytes up to a `>` are given.
enum Extent {
    Whole,
    /// Its own `>` is missing, or a quote in it is never closed.
    Less(usize),
    /// The `>` stands in a quoted value.
    More,
}

fn extent(token: &[u8]) -> Extent {
    let mut open = None;
    let mut after_equals = false;
    // The first `>` and `<` within the quotes.
    let (mut closed, mut opened) = (None, false);
    for (at, byte) in token.iter().enumerate() {
        match (open, byte) {
            (Some(quote), byte) if quote == *byte => open = None,
            (Some(_), b'>') => closed = closed.or(Some(at)),
            (Some(_), b'<') => match closed {
                Some(end) if !opened => return Extent::Less(end),
                _ => opened = true,
            },
            (None, b'"' | b'\'') if after_equals => (open, closed, opened) = (Some(*byte), None, false),
            (None, b'<') => return Extent::Less(at),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            after_equals = *byte == b'=';
        }
    }
    if open.is_some() { Extent::More } else { Extent::Whole }
}

/// Prefix and local name at the start of a tag.
fn split_name(token: &[u8]) -> (String, String) {
    let end =
        token.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'/').unwrap_or(token.len());
    let name = String::from_utf8_lossy(&token[..end.min(128)]).into_owned();
    match name.split_once(':') {
        Some((prefix, local)) => (prefix.to_owned(), local.to_owned()),
        None => (String::new(), name),
    }
}

fn start(token: &[u8]) -> Event {
    let empty = token.ends_with(b"/");
    let text = String::from_utf8_lossy(token);
    let (prefix, name) = split_name(token);
    let mut attributes = Vec::new();
    let whole = prefix.len() + name.len() + usize::from(!prefix.is_empty());
    let mut rest = text.get(whole..).unwrap_or_default();
    while attributes.len() < MAX_ATTRIBUTES {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        let Some(equals) = rest.find('=') else { break };
        let key = rest[..equals].trim().rsplit(char::is_whitespace).next().unwrap_or_default();
        let value = rest[equals + 1..].trim_start();
        let (value, after) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            _ => {
                let end = value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len());
                (value[..end].trim_end_matches('/'), &value[end..])
            }
        };
        attributes.push((key.to_owned(), decode(value)));
        rest = after;
    }
    Event::Start { name, prefix, attributes, empty }
}

/// Character references; unknown ones stay as they are.
pub(crate) fn decode(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let end = after.bytes().take(12).position(|byte| byte == b';');
        let known = end.and_then(|end| named(&after[..end]).map(|c| (c, end)));
        match known {
            Some((c, end)) => {
                out.push(c);
                rest = &after[end + 1..];
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn named(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some('\u{a0}'),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|c| *c != '\0')
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn events(text: &str) -> Vec<String> {
        let mut xml = Xml::new(text.as_bytes());
        let mut events = Vec::new();
        while let Some(event) = xml.next() {
            events.push(match event {
                Event::Start { name, prefix, attributes, empty } => {
                    let attributes: String =
                        attributes.iter().map(|(key, value)| format!(" {key}={value}")).collect();
                    format!("<{prefix}:{name}{attributes}{}", if empty { "/" } else { "" })
                }
                Event::End { name } => format!("/{name}"),
                Event::Text(text) => text,
            });
        }
        events
    }

    #[test]
    fn tags_and_text_come_in_order() {
        assert_eq!(
            events(
                "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'b'>]><a x:b='1&amp;2' c=\"d>e\"/>t&lt;&#x41;<!-- <b> --><![CDATA[<c>]]></a>"
            ),
            ["<:a x:b=1&2 c=d>e/", "t<A", "<c>", "/a"]
        );
    }

    #[test]
    fn broken_files_give_what_is_readable() {
        assert_eq!(events("a < b <c"), ["a < b ", "<:c"]);
        assert_eq!(events("1 << 2 <3</a>"), ["1 << 2 <3", "/a"]);
        assert_eq!(events("<a b='never closed><c>"), ["<:a b=never closed", "<:c"]);
        assert_eq!(events("<a b='x><c d='y'/>"), ["<:a b=x", "<:c d=y/"]);
        assert_eq!(events("<a b='<c> d>' e=f>g</a"), ["<:a b=<c> d> e=f", "g"]);
        assert_eq!(events("<a <b>c</b</a><:d>"), ["<:a", "<:b", "c", "/b", "/a", "<:d"]);
        assert_eq!(events("<!--><a><!-- b --!><c><!-- d ><e/>"), ["<:a", "<:c", " d >", "<:e/"]);
        assert_eq!(events("<![CDATA[a <b>c</b>]"), ["a ", "<:b", "c", "/b"]);
        assert_eq!(events("<![CDATA[open"), ["open"]);
        assert_eq!(events("&unknown; &"), ["&unknown; &"]);
        assert_eq!(events("<a>x</a> <a><![CDATA[ ]]></a>"), ["<:a", "x", "/a", " ", "<:a", " ", "/a"]);
    }

    #[test]
    fn long_texts_come_in_pieces_and_long_tags_are_cut() {
        let text = "磨&amp;x".repeat(40_000);
        for (body, expected) in [
            (format!("<a>{text}</a>"), decode(&text)),
            (format!("<a><![CDATA[{text}]]></a>"), text.clone()),
            (format!("<a><![CDATA[{}]]>]]></a>", "x>]".repeat(60_000)), "x>]".repeat(60_000) + "]]>"),
            (format!("<a><!-- {text} --> b</a>"), " b".to_owned()),
            (format!("<a><b c='{text}'/>d</a>"), "d".to_owned()),
        ] {
            let found = events(&body);
            let joined: String =
                found.iter().filter(|event| !event.starts_with(['<', '/'])).map(String::as_str).collect();
            assert_eq!(joined, expected, "of {} …", &body[..9]);
            assert_eq!((found[0].as_str(), found[found.len() - 1].as_str()), ("<:a", "/a"));
            assert!(found.iter().all(|event| event.len() <= 3 * MAX_TOKEN));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes: Vec<u8>, text in "[<>/!\\[\\]CDATA&;='\" a-c-]{0,80}") {
            for input in [bytes.as_slice(), text.as_bytes()] {
                let mut xml = Xml::new(input);
                let mut count = 0;
                while xml.next().is_some() {
                    count += 1;
                    prop_assert!(count <= 2 * input.len() + 2);
                }
            }
        }
    }
}
