//! PDF: words in the order they are drawn, links with the words they lie on, facts and outline.
//!
//! What is measured here is work, not time: pages, drawing operations, bytes of content. The library's own
//! decompression knows no limit, so strangers' files are read in a process of their own; that is left to the caller.

mod drawn;
mod place;
mod title;

use std::panic::{AssertUnwindSafe, catch_unwind};

use encoding_rs::{UTF_8, UTF_16BE, WINDOWS_1252};
use hayro_syntax::Pdf;
use hayro_syntax::metadata::Metadata;
use hayro_syntax::object::{Array, DateTime, Dict, Name, Rect, Stream, String as PdfString};
use hayro_syntax::page::Page as PdfPage;
use model::{DateSource, Heading, LinkKind, Page, PageDate};
use url::Url;

use crate::dates;
use crate::links::Links;
use crate::page::Input;
use crate::words::collapse_into;
use crate::xml::{Event, Xml};
use drawn::Drawing;
use title::is_title;

/// Pages of one document that are read.
const MOST_PAGES: usize = 5_000;
/// Headings kept of one outline.
const MOST_HEADINGS: usize = 300;
/// Links looked at on one page of the document.
const MOST_ANNOTATIONS: usize = 500;
/// Bytes of one title, author or heading.
const MOST_OF_A_FACT: usize = 1_024;

/// Reads a PDF; none where it is none, is broken beyond repair, or asks for a password.
///
/// Memory is bounded by what its streams inflate to, which is not bounded: give it a process with limits.
pub fn pdf(input: &Input<'_>) -> Option<Page> {
    // A mistake in the library is as good as a broken file.
    catch_unwind(AssertUnwindSafe(|| read(input))).ok().flatten()
}

fn read(input: &Input<'_>) -> Option<Page> {
    let pdf = Pdf::new(input.body.to_vec()).ok()?;
    let mut page = Page { charset: "UTF-8".to_owned(), ..Page::default() };
    let mut links = Links::new(input.max_links);
    let mut drawing = Drawing::new();
    for leaf in pdf.pages().iter().take(MOST_PAGES) {
        let marked = annotations(leaf, &mut links);
        drawing.page(leaf, &marked, &mut links);
        if drawing.is_full() {
            break;
        }
    }
    let (words, largest) = drawing.finish(&mut links);
    let count = words.count();
    if let Ok(own) = Url::parse(input.url.as_str()) {
        (page.links, page.links_cut) = links.finish(input.url, &own, input.normalise, count);
    }
    page.text = words.finish();
    page.main.clone_from(&page.text);
    add_facts(&mut page, pdf.metadata());
    if let Some(root) = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id()) {
        if page.title.is_empty() {
            page.title = described_title(&root).unwrap_or_default();
        }
        let language = root.get::<PdfString<'_>>("Lang");
        page.language = language.and_then(|language| crate::directives::language(&text(&language)));
        if let Some(outline) = root.get::<Dict<'_>>("Outlines") {
            add_headings(&mut page.headings, &outline, 1);
        }
    }
    if page.title.is_empty() {
        page.title = largest.unwrap_or_default();
    }
    Some(page)
}

/// The title in the document's description, which newer programs write.
fn described_title(root: &Dict<'_>) -> Option<String> {
    let description = root.get::<Stream<'_>>("Metadata")?.decoded_data().ok()?;
    let mut xml = Xml::new(&description[..]);
    let (mut in_title, mut title) = (false, String::new());
    while let Some(event) = xml.next() {
        match event {
            Event::Start { name, .. } if name == "title" => in_title = true,
            Event::Text(text) if in_title => collapse_into(&mut title, &text, MOST_OF_A_FACT),
            // In several languages, the first of which is the document's own.
            Event::End { name } if in_title && (name == "li" || name == "title") => break,
            _ => {}
        }
    }
    Some(title).filter(|title| is_title(title))
}

/// The areas of a page that are links, with the numbers of those links.
fn annotations(leaf: &PdfPage<'_>, links: &mut Links) -> Vec<(Rect, usize)> {
    let mut areas = Vec::new();
    let Some(all) = leaf.raw().get::<Array<'_>>("Annots") else { return areas };
    for annotation in all.iter::<Dict<'_>>().take(MOST_ANNOTATIONS) {
        let action = annotation.get::<Dict<'_>>("A");
        let Some(target) = action.and_then(|action| action.get::<PdfString<'_>>("URI")) else { continue };
        let is_link = annotation.get::<Name<'_>>("Subtype").is_some_and(|name| &*name == b"Link");
        if let (true, Some(area)) = (is_link, annotation.get::<Rect>("Rect"))
            && let Some(link) = links.add(LinkKind::Anchor, &text(&target), Default::default())
        {
            areas.push((area, link));
        }
    }
    areas
}

/// Headings from the outline, depth first. Its entries are a chained list that may be a circle.
fn add_headings(headings: &mut Vec<Heading>, parent: &Dict<'_>, level: u8) {
    let mut next = parent.get::<Dict<'_>>("First");
    while let Some(entry) = next {
        if headings.len() >= MOST_HEADINGS {
            return;
        }
        let title = entry.get::<PdfString<'_>>("Title");
        headings.push(Heading { level, text: title.map(|title| fact(&title)).unwrap_or_default() });
        if level < 6 {
            add_headings(headings, &entry, level + 1);
        }
        next = entry.get::<Dict<'_>>("Next");
    }
    if level == 1 {
        headings.retain(|heading| !heading.text.is_empty());
    }
}

fn add_facts(page: &mut Page, facts: &Metadata) {
    let named = |bytes: &Option<Box<[u8]>>| bytes.as_deref().map(fact).filter(|text| !text.is_empty());
    page.title = named(&facts.title).filter(|title| is_title(title)).unwrap_or_default();
    page.author = named(&facts.author);
    page.description = named(&facts.subject).unwrap_or_default();
    page.published = facts.creation_date.and_then(date);
    page.modified = facts.modification_date.and_then(date);
}

fn date(date: DateTime) -> Option<PageDate> {
    let DateTime { year, month, day, hour, minute, second, utc_offset_hour, utc_offset_minute } = date;
    let moment = format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{utc_offset_hour:+03}:{utc_offset_minute:02}"
    );
    dates::value(&moment, None).map(|at| PageDate { at, source: DateSource::Meta, confidence: 80 })
}

fn fact(bytes: &[u8]) -> String {
    let mut collapsed = String::new();
    collapse_into(&mut collapsed, &text(bytes).replace('\0', ""), MOST_OF_A_FACT);
    collapsed
}

/// A text string: in one of two encodings by its mark, else nearly windows-1252.
fn text(bytes: &[u8]) -> String {
    let bytes = &bytes[..bytes.len().min(8 * MOST_OF_A_FACT)];
    match bytes {
        [0xFE, 0xFF, ..] => UTF_16BE.decode_with_bom_removal(bytes).0.into_owned(),
        [0xEF, 0xBB, 0xBF, ..] => UTF_8.decode_with_bom_removal(bytes).0.into_owned(),
        _ => WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    }
}
