//! Headings, images and tables of data, cut out of a page's text when it has been read.

use model::{Heading, Image, Joiner, Normalise};
use url::Url;

use crate::element::Element;
use crate::links;
use crate::outline::Outline;
use crate::words::{collapse_into, push_within};

/// Headings, images, tables, and rows and cells of all tables that are kept of one page.
const MOST_HEADINGS: usize = 300;
const MOST_IMAGES: usize = 200;
const MOST_TABLES: usize = 50;
const MOST_CELLS: usize = 5_000;
/// Bytes of a heading.
pub(crate) const MAX_HEADING: usize = 1_024;
/// Bytes of an image's alternative text, and of a reference to it: longer ones are images themselves.
const MAX_ALT: usize = 300;
const MAX_SOURCE: usize = 2_048;

/// The headings of a page.
pub(crate) fn headings(outline: &Outline, text: &str) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut last = None;
    for block in &outline.blocks {
        let Some(level) = outline.nodes[block.node as usize].element.level() else { continue };
        let words = text.get(block.start as usize..block.end as usize).unwrap_or_default().trim();
        if last == Some(block.node)
            && let Some(heading) = headings.last_mut()
        {
            // A heading may be cut in two by a button or a break.
            push_within(&mut heading.text, " ", MAX_HEADING);
            push_within(&mut heading.text, words, MAX_HEADING);
        } else if headings.len() < MOST_HEADINGS {
            let mut text = String::new();
            push_within(&mut text, words, MAX_HEADING);
            headings.push(Heading { level, text: text.replace('\n', " ") });
        }
        last = Some(block.node);
    }
    headings
}

/// Images while a page is read.
#[derive(Default)]
pub(crate) struct Images(Vec<(String, String)>);

impl Images {
    pub(crate) fn add(&mut self, source: &str, alt: &str) {
        if self.0.len() < MOST_IMAGES && !source.is_empty() && source.len() <= MAX_SOURCE {
            let mut words = String::new();
            collapse_into(&mut words, alt, MAX_ALT);
            self.0.push((source.to_owned(), words));
        }
    }

    /// Each image once, where it is first met.
    pub(crate) fn finish(self, base: &Url, normalise: Normalise) -> Vec<Image> {
        let mut images: Vec<Image> = Vec::with_capacity(self.0.len());
        let mut met = std::collections::HashSet::new();
        let mut joiner = Joiner::new(base, normalise);
        for (source, alt) in self.0 {
            if let Some(url) = links::resolve(&mut joiner, &source)
                && met.insert(url.clone())
            {
                images.push(Image { url, alt });
            }
        }
        images
    }
}

/// Tables with at least two rows and two columns, and no table in them.
pub(crate) fn tables(outline: &Outline, text: &str) -> Vec<Vec<Vec<String>>> {
    let nodes = &outline.nodes;
    if !nodes.iter().any(|node| node.element == Element::Table) {
        return Vec::new();
    }
    // The table that each element stands in, itself included.
    let mut table = vec![0; nodes.len()];
    let mut arranges = vec![false; nodes.len()];
    for at in 1..nodes.len() {
        let around = table[nodes[at].parent as usize];
        table[at] = around;
        if nodes[at].element == Element::Table {
            arranges[around] = true;
            table[at] = at;
        }
    }
    let mut cells = vec![String::new(); nodes.len()];
    let mut room = MOST_CELLS * 20;
    for block in &outline.blocks {
        let mut at = block.node as usize;
        if table[at] == 0 || arranges[table[at]] {
            continue;
        }
        while at > 0 && !matches!(nodes[at].element, Element::Td | Element::Th | Element::Table) {
            at = nodes[at].parent as usize;
        }
        let words = text.get(block.start as usize..block.end as usize).unwrap_or_default();
        if matches!(nodes[at].element, Element::Td | Element::Th) && room >= words.len() {
            room -= words.len();
            let cell = &mut cells[at];
            if !cell.is_empty() {
                cell.push(' ');
            }
            cell.push_str(&words.trim().replace('\n', " "));
        }
    }
    let mut found: Vec<(usize, Vec<Vec<String>>)> = Vec::new();
    let mut count = 0;
    for at in 1..nodes.len() {
        let own = table[at];
        if own == 0 || arranges[own] || count >= MOST_CELLS {
            continue;
        }
        match nodes[at].element {
            Element::Table if found.len() < MOST_TABLES => found.push((at, Vec::new())),
            Element::Tr | Element::Td | Element::Th => {
                let Some((_, rows)) = found.iter_mut().rev().find(|(node, _)| *node == own) else { continue };
                if nodes[at].element == Element::Tr || rows.is_empty() {
                    rows.push(Vec::new());
                }
                if nodes[at].element != Element::Tr
                    && let Some(last) = rows.last_mut()
                {
                    last.push(std::mem::take(&mut cells[at]));
                    count += 1;
                }
            }
            _ => {}
        }
    }
    let is_data = |rows: &Vec<Vec<String>>| {
        rows.iter().filter(|row| row.len() >= 2).count() >= 2
            && rows.iter().flatten().any(|cell| !cell.is_empty())
            && rows.iter().flatten().all(|cell| cell.len() <= 2_000)
    };
    found
        .into_iter()
        .map(|(_, mut rows)| {
            rows.retain(|row| !row.is_empty());
            rows
        })
        .filter(is_data)
        .collect()
}

/// Where an image is: scripts often load it later, from another attribute.
pub(crate) fn source<'a>(tag: &html::Tag<'a>) -> Option<&'a str> {
    let plain = tag.attribute("src").filter(|source| !source.is_empty() && !source.starts_with("data:"));
    plain.or_else(|| tag.attribute("data-src")).or_else(|| {
        let first = tag.attribute("srcset")?.split(',').next()?;
        first.split_ascii_whitespace().next()
    })
}
