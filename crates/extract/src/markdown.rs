//! Markdown as a page: its words without the marks, its links and headings. The common core, line by line.

use std::collections::HashMap;
use std::ops::Range;

use model::{DateSource, Heading, LinkKind, Page, PageDate};
use url::Url;

use crate::dates;
use crate::links::Links;
use crate::page::Input;
use crate::parts::MAX_HEADING;
use crate::words::{Words, push_within};

/// Headings kept of one page, and targets that links may refer to.
const MOST_HEADINGS: usize = 300;
const MOST_TARGETS: usize = 10_000;
/// Bytes in which a bracket that was opened must be closed, and brackets that may be opened in it: so that looking for
/// the end of each costs little, whatever a file holds.
const SPAN: usize = 4_096;
const MOST_OPEN: u32 = 8;
/// Bytes of what a file says of itself before it begins.
const MAX_FRONT: usize = 16 * 1_024;
/// Brackets within brackets that are looked into: an image in a link.
const DEEPEST: u8 = 2;

/// Targets by the names that links call them by.
type Targets = HashMap<String, String>;

/// A part of a line.
enum Piece<'a> {
    Text(&'a str),
    Code(&'a str),
    Image(&'a str),
    Link { words: &'a str, target: &'a str },
}

/// Reads Markdown.
pub(crate) fn markdown(text: &str, input: &Input<'_>) -> Page {
    let mut page = Page::default();
    let text = after_front_matter(text, &mut page);
    let targets = targets(text);
    let mut writer = Writer { words: Words::default(), links: Links::new(input.max_links) };
    // Levels, and where the words of each begin and end.
    let mut headings = Vec::new();
    let mut in_code = false;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim_start();
        if is_fence(trimmed) {
            in_code = !in_code;
            continue;
        }
        writer.words.line();
        if in_code {
            writer.add(line, None);
            continue;
        }
        if definition(trimmed).is_some() {
            continue;
        }
        let marks = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        let underlined = lines.peek().and_then(|next| underline(trimmed, next));
        let (level, line) = if (1..=6).contains(&marks) && trimmed[marks..].starts_with(' ') {
            (Some(marks as u8), trimmed[marks..].trim().trim_end_matches('#'))
        } else if underlined.is_some() {
            lines.next();
            (underlined, trimmed)
        } else {
            (None, unmarked(trimmed))
        };
        let start = writer.words.length();
        writer.inline(line, &targets, None, 0);
        if let Some(level) = level
            && headings.len() < MOST_HEADINGS
        {
            headings.push((level, start..writer.words.length()));
        }
    }
    let count = writer.words.count();
    if let Ok(own) = Url::parse(input.url.as_str()) {
        (page.links, page.links_cut) = writer.links.finish(input.url, &own, input.normalise, count);
    }
    page.text = writer.words.finish();
    let heading = |(level, range): (u8, Range<usize>)| {
        let mut text = String::new();
        push_within(&mut text, page.text.get(range).unwrap_or_default().trim(), MAX_HEADING);
        Heading { level, text }
    };
    page.headings = headings.into_iter().map(heading).filter(|heading| !heading.text.is_empty()).collect();
    if page.title.is_empty() {
        page.title = page.headings.first().map(|heading| heading.text.clone()).unwrap_or_default();
    }
    page.main.clone_from(&page.text);
    page
}

/// Takes what a file says of itself in lines between two fences, and gives the rest.
fn after_front_matter<'a>(text: &'a str, page: &mut Page) -> &'a str {
    let text = text.trim_start_matches('\u{feff}');
    let (fence, mark) = match text.get(..4) {
        Some("---\n" | "---\r") => ("---", ':'),
        Some("+++\n" | "+++\r") => ("+++", '='),
        _ => return text,
    };
    let mut end = 0;
    let mut facts = Vec::new();
    for (at, line) in text[..text.floor_char_boundary(MAX_FRONT)].split_inclusive('\n').enumerate() {
        end += line.len();
        let line = line.trim_end();
        match (at, line.split_once(mark)) {
            (0, _) => {}
            _ if line == fence => {
                add_facts(page, &facts);
                return &text[end..];
            }
            // Two rulers with words between them.
            (1, None) => return text,
            (_, Some(fact)) => facts.push(fact),
            (_, None) => {}
        }
    }
    text
}

fn add_facts(page: &mut Page, facts: &[(&str, &str)]) {
    for (name, value) in facts {
        let value = value.trim().trim_matches(['"', '\'']);
        if value.is_empty() || value.starts_with(['[', '{', '|', '>']) {
            continue;
        }
        let date = || {
            let at = dates::value(value, None)?;
            Some(PageDate { at, source: DateSource::Meta, confidence: 80 })
        };
        match name.trim_end() {
            "title" => page.title = value.to_owned(),
            "description" => page.description = value.to_owned(),
            "author" => page.author = Some(value.to_owned()),
            "lang" | "language" => page.language = crate::directives::language(value),
            "date" => page.published = date(),
            "updated" | "lastmod" => page.modified = date(),
            _ => {}
        }
    }
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// The targets that a file defines, on lines of their own.
fn targets(text: &str) -> Targets {
    let mut targets = Targets::new();
    let mut in_code = false;
    for line in text.lines().map(str::trim_start) {
        in_code ^= is_fence(line);
        if let Some((label, target)) = definition(line)
            && !in_code
            && targets.len() < MOST_TARGETS
        {
            targets.entry(key(label)).or_insert_with(|| target.to_owned());
        }
    }
    targets
}

/// `[label]: target`.
fn definition(line: &str) -> Option<(&str, &str)> {
    let end = closing(line, b'[', b']')?;
    let label = &line[1..end];
    let target = destination(line[end + 1..].strip_prefix(':')?);
    (!label.starts_with('^') && !label.trim().is_empty() && !target.is_empty()).then_some((label, target))
}

fn key(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The level of a line that the next one makes a heading.
fn underline(line: &str, next: &str) -> Option<u8> {
    let next = next.trim();
    if line.trim().is_empty() || line.starts_with(['-', '*', '+', '>', '#', '|']) || next.len() < 2 {
        return None;
    }
    let all = |mark: u8| next.bytes().all(|byte| byte == mark);
    if all(b'=') { Some(1) } else { all(b'-').then_some(2) }
}

/// A line without the mark of a list or a quotation.
fn unmarked(line: &str) -> &str {
    let line = line.trim_start_matches(['>', ' ']);
    for mark in ["- ", "* ", "+ "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return rest;
        }
    }
    line
}

fn pieces<'a>(line: &'a str, targets: &'a Targets) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(next) = line[at..].find(['[', '<', '`', '\\']).map(|next| at + next) {
        let rest = &line[next..];
        let found = match rest.as_bytes()[0] {
            b'\\' => {
                // The mark that follows is none.
                let is_mark = rest.as_bytes().get(1).is_some_and(u8::is_ascii_punctuation);
                if is_mark {
                    pieces.push(Piece::Text(&line[from..next]));
                    from = next + 1;
                }
                at = next + 1 + usize::from(is_mark);
                continue;
            }
            b'`' => code(rest),
            b'<' => autolink(rest),
            _ => link(rest, targets),
        };
        let Some((mut piece, length)) = found else {
            at = next + rest.bytes().take_while(|byte| *byte == b'`').count().max(1);
            continue;
        };
        let mut before = &line[from..next];
        if let (&Piece::Link { words, .. }, Some(rest)) = (&piece, before.strip_suffix('!'))
            && line[next..].starts_with('[')
        {
            (piece, before) = (Piece::Image(words), rest);
        }
        pieces.push(Piece::Text(before));
        pieces.push(piece);
        (from, at) = (next + length, next + length);
    }
    pieces.push(Piece::Text(&line[from..]));
    pieces
}

/// What stands in marks of code, and its length with them.
fn code(text: &str) -> Option<(Piece<'_>, usize)> {
    let marks = text.bytes().take_while(|byte| *byte == b'`').count();
    let inner = within(text).get(marks..)?;
    let end = inner.find(&text[..marks])?;
    Some((Piece::Code(&inner[..end]), end + 2 * marks))
}

fn autolink(text: &str) -> Option<(Piece<'_>, usize)> {
    let end = within(text).find('>')?;
    let target = &text[1..end];
    let is_url = target.starts_with("http://") || target.starts_with("https://");
    let is_link = is_url && !target.contains(char::is_whitespace);
    is_link.then_some((Piece::Link { words: target, target }, end + 1))
}

/// `[words](target)`, `[words][label]`, `[label][]`, `[label]`.
fn link<'a>(text: &'a str, targets: &'a Targets) -> Option<(Piece<'a>, usize)> {
    let end = closing(text, b'[', b']')?;
    let (words, after) = (&text[1..end], &text[end + 1..]);
    if let Some(close) = closing(after, b'(', b')') {
        return Some((Piece::Link { words, target: destination(&after[1..close]) }, end + close + 2));
    }
    let label = closing(after, b'[', b']');
    let name = label.map(|close| &after[1..close]).filter(|name| !name.is_empty()).unwrap_or(words);
    let target = targets.get(&key(name))?;
    Some((Piece::Link { words, target }, end + 1 + label.map_or(0, |close| close + 1)))
}

/// The target without its title.
fn destination(text: &str) -> &str {
    let text = text.trim_start();
    match text.strip_prefix('<') {
        Some(rest) => rest.split('>').next().unwrap_or_default(),
        None => text.split_whitespace().next().unwrap_or_default(),
    }
}

/// Where the bracket is closed that the text begins with.
fn closing(text: &str, open: u8, close: u8) -> Option<usize> {
    let (mut depth, mut escaped) = (0, false);
    for (at, byte) in within(text).bytes().enumerate() {
        if at == 0 && byte != open {
            return None;
        }
        if std::mem::take(&mut escaped) {
            continue;
        }
        escaped = byte == b'\\';
        if byte == open {
            depth += 1;
            if depth > MOST_OPEN {
                return None;
            }
        } else if byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

fn within(text: &str) -> &str {
    &text[..text.floor_char_boundary(SPAN)]
}

struct Writer {
    words: Words,
    links: Links,
}

impl Writer {
    fn inline(&mut self, line: &str, targets: &Targets, link: Option<usize>, depth: u8) {
        for piece in pieces(line, targets) {
            match piece {
                Piece::Text(text) => self.add(&text.replace(['*', '`'], "").replace("__", ""), link),
                Piece::Code(text) => self.add(text, link),
                Piece::Image(words) | Piece::Link { words, .. } if depth >= DEEPEST => self.add(words, link),
                Piece::Image(words) => self.inline(words, targets, link, depth + 1),
                Piece::Link { words, target } => {
                    let own = self.links.add(LinkKind::Anchor, target, Default::default());
                    self.inline(words, targets, own.or(link), depth + 1);
                }
            }
        }
    }

    fn add(&mut self, text: &str, link: Option<usize>) {
        let links = &mut self.links;
        self.words.add(text, |part, index, starts| {
            links.place(index);
            if let Some(link) = link {
                links.add_anchor(link, part, starts);
            }
        });
    }
}
