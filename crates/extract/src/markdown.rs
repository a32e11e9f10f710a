//! Markdown as a page: what it says of itself before it begins, the rest as the HTML that it stands for.

use std::panic::{AssertUnwindSafe, catch_unwind};

use model::{DateSource, Page, PageDate};
use pulldown_cmark::html::push_html;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd, TextMergeStream};

use crate::dates;
use crate::page::Input;
use crate::reader::{Reader, Wanted};

/// Bytes that are read; more have more words than are kept.
const MOST_BYTES: usize = 4 << 20;
/// Bytes of what a file says of itself before it begins.
const MAX_FRONT: usize = 16 * 1_024;

/// Reads Markdown.
pub(crate) fn markdown(text: &str, input: &Input<'_>, wanted: Wanted) -> Page {
    let text = &text[..text.floor_char_boundary(MOST_BYTES)];
    let (facts, text) = front_matter(text);
    // A mistake in the library is as good as a broken file.
    let html = catch_unwind(AssertUnwindSafe(|| as_html(text))).unwrap_or_default();
    let mut reader = Reader::new(input, wanted);
    html::read(&html, &mut reader);
    let mut page = reader.finish();
    // Nothing stands beside the text.
    page.main.clone_from(&page.text);
    add_facts(&mut page, &facts);
    if page.title.is_empty() {
        let first = page.headings.iter().find(|heading| heading.level == 1).or(page.headings.first());
        page.title = first.map(|heading| heading.text.clone()).unwrap_or_default();
    }
    page
}

fn as_html(text: &str) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_GFM;
    // Links and code that are open: URLs in them are no links of their own.
    let mut inside = 0;
    let events = TextMergeStream::new(Parser::new_ext(text, options)).flat_map(|event| match event {
        Event::Start(Tag::Link { .. } | Tag::CodeBlock(_)) => {
            inside += 1;
            vec![event]
        }
        Event::End(TagEnd::Link | TagEnd::CodeBlock) => {
            inside -= 1;
            vec![event]
        }
        Event::Text(words) if inside == 0 && words.contains("http") => with_links(&words),
        // A number that leads to the end of the page.
        Event::FootnoteReference(_) => Vec::new(),
        event => vec![event],
    });
    let mut html = String::with_capacity(text.len() * 5 / 4);
    push_html(&mut html, events);
    html
}

/// A text, in which URLs are links.
fn with_links(words: &str) -> Vec<Event<'static>> {
    let text = |words: &str| Event::Text(words.to_owned().into());
    let mut events = Vec::new();
    let mut rest = words;
    while let Some((before, url)) = next_url(rest) {
        let link = Tag::Link {
            link_type: LinkType::Autolink,
            dest_url: url.to_owned().into(),
            title: "".into(),
            id: "".into(),
        };
        events.extend([text(&rest[..before]), Event::Start(link), text(url), Event::End(TagEnd::Link)]);
        rest = &rest[before + url.len()..];
    }
    events.push(text(rest));
    events
}

/// Where a URL begins, and the URL.
fn next_url(words: &str) -> Option<(usize, &str)> {
    let mut starts = words.match_indices("http").map(|(at, _)| at);
    starts.find_map(|at| {
        let rest = &words[at..];
        let scheme = ["http://", "https://"].iter().find(|scheme| rest.starts_with(**scheme))?;
        if words[..at].ends_with(char::is_alphanumeric) {
            return None;
        }
        let end = rest.find(|c: char| c.is_whitespace() || "<>\"`".contains(c)).unwrap_or(rest.len());
        let mut url = &rest[..end];
        // What ends a sentence is no part of it, and nor is a bracket that was opened before it.
        let count = |bracket: char| url.matches(bracket).count();
        let mut surplus = count(')').saturating_sub(count('('));
        loop {
            url = url.trim_end_matches(['.', ',', ':', ';', '!', '?', '*', '_', '~', '\'']);
            match url.strip_suffix(')').filter(|_| surplus > 0) {
                Some(shorter) => (url, surplus) = (shorter, surplus - 1),
                None => break,
            }
        }
        (url.len() > scheme.len()).then_some((at, url))
    })
}

/// What a file says of itself in lines between two fences, names in lower case; and the rest.
fn front_matter(text: &str) -> (Vec<(String, String)>, &str) {
    let text = text.trim_start_matches('\u{feff}');
    let start = &text[..text.floor_char_boundary(MAX_FRONT)];
    let mut lines = start.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    let (mark, ends) = match first.trim_end() {
        "---" => (':', ["---", "..."]),
        "+++" => ('=', ["+++", "+++"]),
        _ => return (Vec::new(), text),
    };
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut length = first.len();
    // The value goes on in the lines below; what follows is of a part, not of the file.
    let (mut goes_on, mut in_part) = (false, false);
    for line in lines {
        length += line.len();
        let is_indented = line.starts_with([' ', '\t', '-']);
        let line = line.trim_end();
        if ends.contains(&line) {
            return (facts, &text[length..]);
        }
        let line = line.trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if is_indented && mark == ':' {
            if let Some((_, value)) = facts.last_mut().filter(|_| goes_on) {
                add_line(value, line);
            }
            continue;
        }
        in_part |= mark == '=' && line.starts_with('[');
        let Some((name, value)) = line.split_once(mark) else {
            if facts.is_empty() && mark == ':' {
                // A ruler, with words below.
                return (Vec::new(), text);
            }
            continue;
        };
        let value = plain(value);
        goes_on = value.is_empty() || value.starts_with(['>', '|']);
        let value = if goes_on { String::new() } else { value };
        if !in_part {
            facts.push((name.trim().trim_matches(['"', '\'']).to_lowercase(), value));
        }
    }
    (Vec::new(), text)
}

/// Adds a line of a longer value: an item of a list, or more words.
fn add_line(value: &mut String, line: &str) {
    let item = line.strip_prefix("- ");
    let words = plain(item.unwrap_or(line).trim_start_matches("name:"));
    // Of an item with parts only its name is wanted.
    if words.contains(": ") {
        return;
    }
    if !value.is_empty() {
        value.push_str(if item.is_some() { ", " } else { " " });
    }
    value.push_str(&words);
}

/// A value without quotes, the brackets of a list and what is said of it behind a `#`.
fn plain(value: &str) -> String {
    let value = value.trim();
    if let Some(quote @ ('"' | '\'')) = value.chars().next()
        && let Some(end) = value[1..].rfind(quote)
    {
        return value[1..=end].to_owned();
    }
    let value = value.split(" #").next().unwrap_or_default().trim_end();
    match value.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
        Some(list) => {
            list.split(',').map(|item| item.trim().trim_matches(['"', '\''])).collect::<Vec<_>>().join(", ")
        }
        None => value.to_owned(),
    }
}

fn add_facts(page: &mut Page, facts: &[(String, String)]) {
    for (name, value) in
        facts.iter().filter(|(_, value)| !value.is_empty() && !value.starts_with(['{', '&', '*']))
    {
        let date = || {
            let at = dates::value(value, None)?;
            Some(PageDate { at, source: DateSource::Meta, confidence: 80 })
        };
        match name.as_str() {
            "title" => page.title = value.to_owned(),
            "description" | "summary" => page.description = value.to_owned(),
            "author" | "authors" => page.author = Some(value.to_owned()),
            "lang" | "language" => page.language = crate::directives::language(value),
            "date" | "published" => page.published = date().or(page.published.take()),
            "updated" | "lastmod" | "modified" => page.modified = date().or(page.modified.take()),
            _ => {}
        }
    }
}
