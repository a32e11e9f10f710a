//! Markdown as a page: its words without the marks, its links and headings. The common core, line by line.

use model::{Heading, LinkKind, Page};
use url::Url;

use crate::links::Links;
use crate::page::Input;
use crate::words::Words;

/// Headings kept of one page.
const MOST_HEADINGS: usize = 300;

/// Reads Markdown.
pub(crate) fn markdown(text: &str, input: &Input<'_>) -> Page {
    let mut page = Page::default();
    let mut words = Words::default();
    let mut links = Links::new(input.max_links);
    let mut in_code = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        words.line();
        if in_code {
            words.add(line, |_, index, _| links.place(index));
            continue;
        }
        let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = (1..=6).contains(&level) && trimmed[level..].starts_with(' ');
        let line = if is_heading { trimmed[level..].trim().trim_end_matches('#') } else { unmarked(trimmed) };
        inline(line, &mut words, &mut links);
        if is_heading && page.headings.len() < MOST_HEADINGS {
            let mut heading = String::new();
            plain(line, &mut heading);
            page.headings.push(Heading { level: level as u8, text: heading });
        }
    }
    let count = words.count();
    if let Ok(own) = Url::parse(input.url.as_str()) {
        (page.links, page.links_cut) = links.finish(input.url, &own, input.normalise, count);
    }
    page.title = page.headings.first().map(|heading| heading.text.clone()).unwrap_or_default();
    page.text = words.finish();
    page.main.clone_from(&page.text);
    page
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

/// The next link of a line: what stands before it, its words, its target and what follows.
fn next_link(line: &str) -> Option<(&str, &str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = line[from..].find(['[', '<']).map(|at| from + at) {
        let rest = &line[open + 1..];
        if line[open..].starts_with('<') {
            if (rest.starts_with("http://") || rest.starts_with("https://"))
                && let Some(end) = rest.find('>')
            {
                return Some((&line[..open], &rest[..end], &rest[..end], &rest[end + 1..]));
            }
        } else if let Some(middle) = rest.find("](")
            && let Some(end) = rest[middle + 2..].find(')')
        {
            let target = rest[middle + 2..middle + 2 + end].split_whitespace().next().unwrap_or_default();
            return Some((&line[..open], &rest[..middle], target, &rest[middle + 3 + end..]));
        }
        from = open + 1;
    }
    None
}

fn inline(line: &str, words: &mut Words, links: &mut Links) {
    let mut rest = line;
    while let Some((before, anchor, target, after)) = next_link(rest) {
        let is_image = before.ends_with('!');
        add(before.trim_end_matches('!'), words, links, None);
        let link = if is_image { None } else { links.add(LinkKind::Anchor, target, Default::default()) };
        add(anchor, words, links, link);
        rest = after;
    }
    add(rest, words, links, None);
}

fn add(text: &str, words: &mut Words, links: &mut Links, link: Option<usize>) {
    let text = text.replace(['*', '`'], "").replace("__", "");
    words.add(&text, |part, index, starts| {
        links.place(index);
        if let Some(link) = link {
            links.add_anchor(link, part, starts);
        }
    });
}

fn plain(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some((before, anchor, _, after)) = next_link(rest) {
        out.push_str(before);
        out.push_str(anchor);
        rest = after;
    }
    out.push_str(rest);
    *out = out.replace(['*', '`'], "").trim().to_owned();
}
