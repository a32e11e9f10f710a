//! Cuts a page into tags and pieces of text, as browsers do, without an allocation per token.
//!
//! The tokenizer of the HTML standard, written for speed: it looks for the next byte that means something instead of
//! stepping through states, and hands over slices of the page wherever nothing has to be decoded. Both paths
//! stand on it; they differ in the [`Sink`]. Tests hold it to html5ever's.

use std::borrow::Cow;

use eight::{Eight, find};
use memchr::{memchr, memchr2, memmem};

use crate::ElementName;
use crate::doctype::Doctype;
use crate::events::{Attribute, Span, Tag, Texts};
use crate::limits;
use crate::references::{self, reference};

/// Takes the tokens of a page.
pub(crate) trait Sink {
    /// Whether comments and doctypes are wanted at all.
    const ALL: bool;

    /// Whether the attributes of this start tag are looked at.
    fn wants_attributes(&self, element: ElementName) -> bool;
    /// A start tag. The answer is how its content is to be read, if not as usual.
    fn start(&mut self, tag: &Tag<'_>) -> Option<State>;
    fn end(&mut self, name: &str, element: ElementName);
    fn text(&mut self, text: &str);
    /// A NUL in the text, which HTML drops and `<svg>` replaces.
    fn nul(&mut self);
    fn comment(&mut self, text: &str);
    fn doctype(&mut self, name: &str, public: Option<&str>, system: Option<&str>, force_quirks: bool);
    /// Whether the current element is one of `<svg>` or `<math>`, so that CDATA sections are text.
    fn in_foreign(&mut self) -> bool;
}

/// How content that is no markup is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Text with character references, up to the end tag.
    RcData,
    /// Text up to the end tag.
    RawText,
    /// The same, but an end tag inside `<!-- <script>` is none.
    ScriptData,
    /// Text up to the end of the page.
    PlainText,
}

/// Hands all tokens of `html` to `sink`.
pub(crate) fn tokenize(html: &str, sink: &mut impl Sink) {
    let html = &*unified(html);
    let mut tokenizer = Tokenizer {
        html,
        at: 0,
        has_nul: memchr(0, html.as_bytes()).is_some(),
        sink,
        name: Span::default(),
        element: ElementName::default(),
        rewritten: String::new(),
        attributes: Vec::new(),
    };
    while tokenizer.at < html.len() {
        if let Some(state) = tokenizer.markup() {
            tokenizer.raw(state);
        }
    }
}

/// The page with line feeds alone as ends of lines.
fn unified(html: &str) -> Cow<'_, str> {
    if memchr(b'\r', html.as_bytes()).is_none() {
        return Cow::Borrowed(html);
    }
    Cow::Owned(html.replace("\r\n", "\n").replace('\r', "\n"))
}

struct Tokenizer<'p, S> {
    html: &'p str,
    at: usize,
    has_nul: bool,
    sink: &'p mut S,
    /// The name of the tag being read, and of the last start tag.
    name: Span,
    element: ElementName,
    /// What of the tag is not on the page as HTML knows it.
    rewritten: String,
    attributes: Vec<Attribute>,
}

impl<S: Sink> Tokenizer<'_, S> {
    /// Reads markup up to the end, or to a start tag whose content is read otherwise.
    fn markup(&mut self) -> Option<State> {
        loop {
            let rest = &self.html[self.at..];
            let Some(stop) = next_markup(rest.as_bytes()) else {
                self.text(rest);
                self.at = self.html.len();
                return None;
            };
            if stop > 0 {
                self.text(&rest[..stop]);
                self.at += stop;
            }
            let (first, second) = (rest.as_bytes()[stop], rest.as_bytes().get(stop + 1));
            match (first, second) {
                (b'&', _) => self.reference(),
                (_, Some(letter)) if letter.is_ascii_alphabetic() => {
                    if let Some(state) = self.start_tag() {
                        return Some(state);
                    }
                }
                (_, Some(b'/')) => self.end_tag(),
                (_, Some(b'!')) => self.declaration(),
                (_, Some(b'?')) => self.bogus_comment(self.at + 1),
                _ => self.character(),
            }
        }
    }

    /// Text outside of raw content, where a NUL is announced.
    fn text(&mut self, text: &str) {
        if !self.has_nul {
            if !text.is_empty() {
                self.sink.text(text);
            }
            return;
        }
        for (nth, part) in text.split('\0').enumerate() {
            if nth > 0 {
                self.sink.nul();
            }
            if !part.is_empty() {
                self.sink.text(part);
            }
        }
    }

    /// A `<` or `&` that is only that.
    fn character(&mut self) {
        self.sink.text(&self.html[self.at..=self.at]);
        self.at += 1;
    }

    fn reference(&mut self) {
        match reference(&self.html[self.at..], false) {
            Some((characters, length)) => {
                for character in characters.into_iter().flatten() {
                    self.sink.text(character.encode_utf8(&mut [0; 4]));
                }
                self.at += length;
            }
            None => self.character(),
        }
    }

    fn start_tag(&mut self) -> Option<State> {
        let self_closing = self.tag(self.at + 1, true)?;
        let texts = Texts { page: self.html, rewritten: &self.rewritten };
        let name = texts.at(self.name);
        self.sink.start(&Tag {
            name,
            element: self.element,
            self_closing,
            texts,
            attributes: &self.attributes,
        })
    }

    fn end_tag(&mut self) {
        match self.html.as_bytes().get(self.at + 2) {
            Some(letter) if letter.is_ascii_alphabetic() => {
                if self.tag(self.at + 2, false).is_some() {
                    let name = Texts { page: self.html, rewritten: &self.rewritten }.at(self.name);
                    self.sink.end(name, self.element);
                }
            }
            // `</>` is nothing.
            Some(b'>') => self.at += 3,
            Some(_) => self.bogus_comment(self.at + 2),
            None => {
                self.sink.text("</");
                self.at += 2;
            }
        }
    }

    /// Reads a tag from its name on, and goes behind it: whether it ends with `/>`. None at the end of the page, where a
    /// tag that was begun is none.
    fn tag(&mut self, start: usize, keep: bool) -> Option<bool> {
        let bytes = self.html.as_bytes();
        self.rewritten.clear();
        self.attributes.clear();
        let mut at = self.tag_name(start);
        if keep
            && !self.sink.wants_attributes(self.element)
            && let Some(end) = tag_end(bytes, at)
        {
            self.at = end + 1;
            return Some(false);
        }
        let ended = loop {
            match bytes.get(at) {
                Some(b'>') => break Some(false),
                Some(b'/') if bytes.get(at + 1) == Some(&b'>') => {
                    at += 1;
                    break Some(true);
                }
                Some(b'/') => at += 1,
                Some(byte) if is_space(*byte) => at += 1,
                Some(_) => match self.attribute(at, keep) {
                    Some(after) => at = after,
                    None => break None,
                },
                None => break None,
            }
        };
        self.at = if ended.is_some() { at + 1 } else { bytes.len() };
        ended
    }

    /// Takes the name of a tag that begins at `start`, and tells where it ends on the page.
    fn tag_name(&mut self, start: usize) -> usize {
        if let Some((length, letters)) = short_name(&self.html.as_bytes()[start..]) {
            self.name = Span { start, end: start + length, is_rewritten: false };
            self.element = ElementName::short(letters);
            return start + length;
        }
        let end;
        (self.name, end) = self.name_at(start, ends_name);
        self.element = ElementName::of(Texts { page: self.html, rewritten: &self.rewritten }.at(self.name));
        end
    }

    /// The name that begins at `start` with any byte, and where it ends on the page.
    fn name_at(&mut self, start: usize, ends: impl Fn(u8) -> bool) -> (Span, usize) {
        let rest = &self.html.as_bytes()[start..];
        let is_other = |byte: u8| byte.is_ascii_uppercase() || byte == 0;
        let mut is_rewritten = is_other(rest[0]);
        let length = rest[1..].iter().position(|byte| {
            is_rewritten |= is_other(*byte);
            ends(*byte)
        });
        let end = start + length.map_or(rest.len(), |length| length + 1);
        if !is_rewritten {
            return (Span { start, end, is_rewritten }, end);
        }
        let from = self.rewritten.len();
        push_lower(&mut self.rewritten, &self.html[start..end]);
        (Span { start: from, end: self.rewritten.len(), is_rewritten }, end)
    }

    /// Reads the attribute at `start`: where it ends, unless the page does.
    fn attribute(&mut self, start: usize, keep: bool) -> Option<usize> {
        let bytes = self.html.as_bytes();
        // A `=` at the start belongs to the name.
        let (name, name_end) = self.name_at(start, |byte| ends_name(byte) || byte == b'=');
        let skip = |from: usize| (from..bytes.len()).find(|at| !is_space(bytes[*at]));
        let (mut value, mut after) = (Span { start: name_end, end: name_end, is_rewritten: false }, name_end);
        let mut is_plain = true;
        let equals = skip(name_end)?;
        if bytes[equals] == b'=' {
            let begin = skip(equals + 1)?;
            let end;
            match bytes[begin] {
                quote @ (b'"' | b'\'') => {
                    (end, is_plain) = quoted_end(bytes, begin + 1, quote)?;
                    value = Span { start: begin + 1, end, is_rewritten: false };
                    after = end + 1;
                }
                b'>' => after = begin,
                _ => {
                    (end, is_plain) = value_end(bytes, begin, |byte| is_space(byte) || byte == b'>')?;
                    value = Span { start: begin, end, is_rewritten: false };
                    after = end;
                }
            }
        }
        if keep {
            self.keep(name, value, is_plain);
        }
        Some(after)
    }

    /// Puts an attribute among the others, unless one of its name is there.
    fn keep(&mut self, name: Span, mut value: Span, is_plain: bool) {
        let texts = Texts { page: self.html, rewritten: &self.rewritten };
        let own = texts.bytes_at(name);
        if self.attributes.len() == limits::ATTRIBUTES
            || self.attributes.iter().any(|other| texts.bytes_at(other.name) == own)
        {
            return;
        }
        if !is_plain {
            let start = self.rewritten.len();
            references::push_value(&mut self.rewritten, &self.html[value.start..value.end]);
            value = Span { start, end: self.rewritten.len(), is_rewritten: true };
        }
        if value.end - value.start > limits::VALUE {
            let text = if value.is_rewritten { &self.rewritten } else { self.html };
            value.end = text.floor_char_boundary(value.start + limits::VALUE);
        }
        self.attributes.push(Attribute { name, value });
    }

    /// What begins with `<!`.
    fn declaration(&mut self) {
        let rest = &self.html[self.at + 2..];
        let begins =
            |name: &str| rest.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name));
        if rest.starts_with("--") {
            self.comment();
        } else if begins("doctype") {
            self.doctype();
        } else if rest.starts_with("[CDATA[") && self.sink.in_foreign() {
            let text = &rest[7..];
            let length = memmem::find(text.as_bytes(), b"]]>");
            self.text(&text[..length.unwrap_or(text.len())]);
            self.at = length.map_or(self.html.len(), |length| self.at + 9 + length + 3);
        } else {
            self.bogus_comment(self.at + 2);
        }
    }

    fn comment(&mut self) {
        let text = &self.html[self.at + 4..];
        let (length, end) = comment_end(text);
        self.at += 4 + end;
        if S::ALL {
            self.sink.comment(&without_nul(&text[..length]));
        }
    }

    fn bogus_comment(&mut self, start: usize) {
        let text = &self.html[start..];
        let length = memchr(b'>', text.as_bytes());
        self.at = length.map_or(self.html.len(), |length| start + length + 1);
        if S::ALL {
            self.sink.comment(&without_nul(&text[..length.unwrap_or(text.len())]));
        }
    }

    fn doctype(&mut self) {
        let start = self.at + "<!doctype".len();
        let text = &self.html[start..];
        let length = memchr(b'>', text.as_bytes());
        self.at = length.map_or(self.html.len(), |length| start + length + 1);
        if S::ALL {
            let text = without_nul(&text[..length.unwrap_or(text.len())]);
            let Doctype { name, public, system, force_quirks } = Doctype::read(&text, length.is_none());
            self.sink.doctype(&name, public, system, force_quirks);
        }
    }

    /// Reads the content of the element just begun, and its end tag.
    fn raw(&mut self, state: State) {
        let name = Texts { page: self.html, rewritten: &self.rewritten }.at(self.name).to_owned();
        let end = match state {
            State::PlainText => self.html.len(),
            State::ScriptData => script_end(self.html, self.at, &name),
            State::RcData | State::RawText => raw_end(self.html, self.at, &name),
        };
        let text = without_nul(&self.html[self.at..end]);
        let mut rest = &*text;
        if state == State::RcData {
            while let Some(at) = memchr(b'&', rest.as_bytes()) {
                let (characters, length) = reference(&rest[at..], false).unwrap_or(([Some('&'), None], 1));
                if at > 0 {
                    self.sink.text(&rest[..at]);
                }
                for character in characters.into_iter().flatten() {
                    self.sink.text(character.encode_utf8(&mut [0; 4]));
                }
                rest = &rest[at + length..];
            }
        }
        if !rest.is_empty() {
            self.sink.text(rest);
        }
        self.at = end;
        if end < self.html.len() {
            self.end_tag();
        }
    }
}

/// Bytes that are looked at eight at a time: most texts are not longer.
const NEAR: usize = 16;

/// Where the next byte stands that may begin markup or a reference.
fn next_markup(bytes: &[u8]) -> Option<usize> {
    let near = &bytes[..bytes.len().min(NEAR)];
    let found = find(near, 0, |eight| eight.equal(b'<') | eight.equal(b'&'));
    found.or_else(|| Some(near.len() + memchr2(b'<', b'&', &bytes[near.len()..])?))
}

/// A name of up to seven small letters and digits, as most are: how long it is, and its letters, the first in the lowest
/// byte.
fn short_name(bytes: &[u8]) -> Option<(usize, u64)> {
    let eight = Eight::from(*bytes.first_chunk()?);
    let length = (!(eight.between(b'a', b'z') | eight.between(b'0', b'9'))).first();
    let is_whole = (1..8).contains(&length) && ends_name(bytes[length]);
    is_whole.then(|| (length, eight.begin(length)))
}

/// Where the tag ends whose attributes begin at `from`, if all their values are in quotes; otherwise it takes a closer look.
fn tag_end(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let at = find(bytes, from, |eight| eight.equal(b'>') | eight.equal(b'='))?;
        if bytes[at] == b'>' {
            return Some(at);
        }
        // A `=` without a name before it is a name itself.
        bytes[from..at].iter().rfind(|byte| !is_space(**byte)).filter(|byte| **byte != b'/')?;
        let quote = at + 1 + bytes[at + 1..].iter().position(|byte| !is_space(*byte))?;
        if !matches!(bytes[quote], b'"' | b'\'') {
            return None;
        }
        from = find(bytes, quote + 1, |eight| eight.equal(bytes[quote]))? + 1;
    }
}

/// Where the value ends that begins at `start`, and whether it stands for itself. None where the page ends before it.
fn value_end(bytes: &[u8], start: usize, ends: impl Fn(u8) -> bool) -> Option<(usize, bool)> {
    let mut is_plain = true;
    let length = bytes[start..].iter().position(|byte| {
        is_plain &= !matches!(byte, b'&' | 0);
        ends(*byte)
    })?;
    Some((start + length, is_plain))
}

/// The same of a value in quotes.
fn quoted_end(bytes: &[u8], start: usize, quote: u8) -> Option<(usize, bool)> {
    let at = find(bytes, start, |eight| eight.equal(quote) | eight.equal(b'&') | eight.equal(0))?;
    let is_plain = bytes[at] == quote;
    Some((if is_plain { at } else { at + memchr(quote, &bytes[at..])? }, is_plain))
}

/// White space between attributes; carriage returns are gone.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | 0x0c)
}

/// A name as HTML knows it: in small letters.
fn push_lower(to: &mut String, name: &str) {
    let start = to.len();
    to.push_str(name);
    if name.bytes().any(|byte| byte.is_ascii_uppercase() || byte == 0) {
        to[start..].make_ascii_lowercase();
        if name.contains('\0') {
            let replaced = to[start..].replace('\0', "\u{fffd}");
            to.truncate(start);
            to.push_str(&replaced);
        }
    }
}

/// Text where a NUL is replaced.
pub(crate) fn without_nul(text: &str) -> Cow<'_, str> {
    match memchr(0, text.as_bytes()) {
        Some(_) => Cow::Owned(text.replace('\0', "\u{fffd}")),
        None => Cow::Borrowed(text),
    }
}

/// How long a comment is, and where what follows it begins; `text` is what follows `<!--`.
fn comment_end(text: &str) -> (usize, usize) {
    if text.starts_with('>') {
        return (0, 1);
    }
    if text.starts_with("->") {
        return (0, 2);
    }
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(dashes) = memmem::find(&bytes[from..], b"--") {
        let at = from + dashes;
        match &bytes[at + 2..] {
            [b'>', ..] => return (at, at + 3),
            [b'!', b'>', ..] => return (at, at + 4),
            _ => from = at + 1,
        }
    }
    let open = ["--!", "--", "-"].into_iter().find(|end| text.ends_with(end)).unwrap_or_default();
    (text.len() - open.len(), text.len())
}

/// Where the end tag of this name stands, from `from` on, or the end.
fn raw_end(html: &str, from: usize, name: &str) -> usize {
    let found = memchr::memchr_iter(b'<', &html.as_bytes()[from..]).map(|at| from + at);
    found.into_iter().find(|at| is_end_tag(html, *at, name)).unwrap_or(html.len())
}

/// Whether `</name` stands here, and the name ends there.
fn is_end_tag(html: &str, at: usize, name: &str) -> bool {
    let Some(rest) = html.as_bytes()[at..].strip_prefix(b"</") else { return false };
    rest.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name.as_bytes()))
        && rest.get(name.len()).is_some_and(|byte| ends_name(*byte))
}

fn ends_name(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'/' | b'>')
}

/// Where a script ends. Behind `<!--` a `<script>` opens another, whose end tag is not ours, until `-->`.
fn script_end(html: &str, from: usize, name: &str) -> usize {
    #[derive(Clone, Copy, PartialEq)]
    enum Depth {
        Plain,
        Comment,
        ScriptInComment,
    }
    let bytes = html.as_bytes();
    let is_script = |rest: &[u8]| {
        rest.get(..6).is_some_and(|begin| begin.eq_ignore_ascii_case(b"script"))
            && rest.get(6).is_some_and(|byte| ends_name(*byte))
    };
    let (mut at, mut depth) = (from, Depth::Plain);
    loop {
        let rest = &bytes[at..];
        let step = if depth == Depth::Plain { memchr(b'<', rest) } else { memchr2(b'<', b'>', rest) };
        let Some(step) = step else { return html.len() };
        at += step;
        match (&bytes[at..], depth) {
            ([b'>', ..], _) if bytes[..at].ends_with(b"--") => depth = Depth::Plain,
            (_, Depth::Plain | Depth::Comment) if is_end_tag(html, at, name) => return at,
            ([b'<', b'!', b'-', b'-', ..], Depth::Plain) => {
                depth = Depth::Comment;
                at += 3;
            }
            ([b'<', rest @ ..], Depth::Comment) if is_script(rest) => depth = Depth::ScriptInComment,
            ([b'<', b'/', rest @ ..], Depth::ScriptInComment) if is_script(rest) => depth = Depth::Comment,
            _ => {}
        }
        at += 1;
    }
}
