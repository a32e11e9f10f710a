//! Documents of word processors: text, headings, links and facts of DOCX and ODT.
//!
//! Their XML is read as a stream, so neither depth nor size can hurt; what is no such document gives an empty page.

use std::collections::HashMap;

use model::{DateSource, Heading, LinkKind, Page, PageDate};
use url::Url;

use crate::dates;
use crate::links::Links;
use crate::page::Input;
use crate::parts::MAX_HEADING;
use crate::words::{Words, push_within};
use crate::xml::{Event, Xml};
use crate::zip;

/// Headings kept of one document, targets of links in its list of them, and styles.
const MOST_HEADINGS: usize = 300;
const MOST_TARGETS: usize = 10_000;
/// Bytes of one field's instruction: a URL and little more.
const MAX_INSTRUCTION: usize = 2_048;

/// Reads a document. None where it is neither of the two.
pub(crate) fn document(input: &Input<'_>) -> Option<Page> {
    let part = |name: &str| zip::entry(input.body, name);
    let docx = part("word/document.xml");
    let is_docx = docx.is_some();
    let (body, facts) = match docx {
        Some(body) => (body, part("docProps/core.xml")),
        None => (part("content.xml")?, part("meta.xml")),
    };
    let of_docx = |name: &str| part(name).filter(|_| is_docx).unwrap_or_default();
    let mut reader = Reader {
        page: Page { charset: "UTF-8".to_owned(), ..Page::default() },
        words: Words::default(),
        links: Links::new(input.max_links),
        link: None,
        heading: None,
        is_docx,
        targets: targets(&of_docx("word/_rels/document.xml.rels")),
        levels: levels(&of_docx("word/styles.xml")),
        instruction: None,
        ignored: 0,
        in_text: 0,
    };
    let mut xml = Xml::new(body.as_slice());
    while let Some(event) = xml.next() {
        reader.hear(event);
    }
    let mut page = reader.page;
    let count = reader.words.count();
    if let Ok(own) = Url::parse(input.url.as_str()) {
        (page.links, page.links_cut) = reader.links.finish(input.url, &own, input.normalise, count);
    }
    page.text = reader.words.finish();
    page.main.clone_from(&page.text);
    if let Some(facts) = facts {
        add_facts(&mut page, &facts);
    }
    Some(page)
}

struct Reader {
    page: Page,
    words: Words,
    links: Links,
    link: Option<usize>,
    heading: Option<Heading>,
    is_docx: bool,
    /// Targets of links by their names, in DOCX; ODT writes them in place.
    targets: HashMap<String, String>,
    /// Styles of headings, in DOCX, by their names.
    levels: HashMap<String, u8>,
    /// What the field says that has begun, in DOCX.
    instruction: Option<String>,
    /// Open elements whose text is not the document's.
    ignored: u32,
    /// Open elements that hold text.
    in_text: u32,
}

impl Reader {
    fn hear(&mut self, event: Event) {
        match event {
            Event::Start { name, attributes, empty, .. } => {
                let get = |key: &str| {
                    attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
                };
                match name.as_str() {
                    name if is_ignored(name) && !empty => self.ignored += 1,
                    "p" => {
                        self.words.line();
                        self.in_text += u32::from(!self.is_docx && !empty);
                    }
                    "h" => {
                        self.words.line();
                        self.in_text += u32::from(!self.is_docx && !empty);
                        let level =
                            get("text:outline-level").and_then(|level| level.parse().ok()).unwrap_or(1);
                        self.heading = Some(Heading { level, text: String::new() });
                    }
                    "pStyle" => {
                        let level = get("w:val").and_then(|style| {
                            let named = || style.strip_prefix("Heading")?.parse().ok();
                            self.levels.get(style).copied().or_else(named)
                        });
                        self.heading = level.map(|level| Heading { level, text: String::new() });
                    }
                    "outlineLvl" => {
                        let level = get("w:val").and_then(outline_level);
                        self.heading = level.map(|level| Heading { level, text: String::new() });
                    }
                    "t" if self.is_docx && !empty => self.in_text += 1,
                    "fldChar" => match get("w:fldCharType") {
                        Some("begin") => self.instruction = Some(String::new()),
                        Some("separate") => self.field(),
                        _ => (self.link, self.instruction) = (None, None),
                    },
                    "fldSimple" => {
                        self.instruction = get("w:instr").map(str::to_owned);
                        self.field();
                    }
                    "tab" | "s" => self.words.space(),
                    "br" | "cr" | "line-break" => self.words.line(),
                    "hyperlink" => {
                        let target = get("r:id").and_then(|id| self.targets.get(id));
                        self.link = target
                            .and_then(|href| self.links.add(LinkKind::Anchor, href, Default::default()));
                    }
                    "a" if !self.is_docx => {
                        let href = get("xlink:href").filter(|href| !href.starts_with('#'));
                        self.link =
                            href.and_then(|href| self.links.add(LinkKind::Anchor, href, Default::default()));
                    }
                    _ => {}
                }
            }
            Event::End { name } => match name.as_str() {
                name if is_ignored(name) => self.ignored = self.ignored.saturating_sub(1),
                "p" | "h" => {
                    self.words.line();
                    self.in_text = self.in_text.saturating_sub(u32::from(!self.is_docx));
                    if let Some(heading) = self.heading.take()
                        && !heading.text.is_empty()
                        && self.page.headings.len() < MOST_HEADINGS
                    {
                        self.page.headings.push(heading);
                    }
                }
                "t" => self.in_text = self.in_text.saturating_sub(u32::from(self.is_docx)),
                "tc" | "table-cell" => self.words.space(),
                "hyperlink" | "a" | "fldSimple" => self.link = None,
                _ => {}
            },
            Event::Text(text) => {
                if self.ignored > 0 {
                    return;
                }
                if self.in_text == 0 {
                    if let Some(instruction) = &mut self.instruction
                        && instruction.len() + text.len() <= MAX_INSTRUCTION
                    {
                        instruction.push_str(&text);
                    }
                    return;
                }
                let (links, link, heading) = (&mut self.links, self.link, &mut self.heading);
                self.words.add(&text, |part, index, starts| {
                    links.place(index);
                    if let Some(link) = link {
                        links.add_anchor(link, part, starts);
                    }
                    if let Some(heading) = heading {
                        if starts && !heading.text.is_empty() {
                            push_within(&mut heading.text, " ", MAX_HEADING);
                        }
                        push_within(&mut heading.text, part, MAX_HEADING);
                    }
                });
            }
        }
    }
}

impl Reader {
    /// What the field is was said; its text follows.
    fn field(&mut self) {
        let instruction = self.instruction.take().unwrap_or_default();
        let target = instruction.trim_start().strip_prefix("HYPERLINK").and_then(|rest| {
            // `\l` names a place in the document itself.
            let (target, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
            Some(target.to_owned())
        });
        if let Some(target) = target {
            self.link = self.links.add(LinkKind::Anchor, &target, Default::default());
        }
    }
}

/// Elements whose text is not the document's: notes on it, what was deleted or moved away, and what older programs show
/// instead of a text box.
fn is_ignored(name: &str) -> bool {
    matches!(name, "annotation" | "tracked-changes" | "del" | "moveFrom" | "Fallback")
}

/// A level of DOCX, which counts from 0; 9 is body text.
fn outline_level(value: &str) -> Option<u8> {
    value.parse::<u8>().ok().filter(|level| *level < 9).map(|level| level + 1)
}

/// The levels of a DOCX's styles, by the names of these, which differ from language to language.
fn levels(xml: &[u8]) -> HashMap<String, u8> {
    let mut levels = HashMap::new();
    let mut style = None;
    let mut xml = Xml::new(xml);
    while let Some(event) = xml.next() {
        let Event::Start { name, attributes, .. } = event else { continue };
        let get = |key: &str| attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        if name == "style" {
            style = get("w:styleId").cloned();
            continue;
        }
        let level = get("w:val").and_then(|value| match name.as_str() {
            "outlineLvl" => outline_level(value),
            "name" => value.strip_prefix("heading ")?.parse().ok(),
            _ => None,
        });
        if let Some((style, level)) = style.clone().zip(level)
            && levels.len() < MOST_TARGETS
        {
            levels.insert(style, level);
        }
    }
    levels
}

/// Links of a DOCX by their names.
fn targets(xml: &[u8]) -> HashMap<String, String> {
    let mut targets = HashMap::new();
    let mut xml = Xml::new(xml);
    while let Some(event) = xml.next() {
        if let Event::Start { name, attributes, .. } = event
            && name == "Relationship"
            && targets.len() < MOST_TARGETS
        {
            let get =
                |key: &str| attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone());
            if let (Some(id), Some(target), Some("External")) =
                (get("Id"), get("Target"), get("TargetMode").as_deref())
            {
                targets.insert(id, target);
            }
        }
    }
    targets
}

/// Title, author, language and dates from a document's own description.
fn add_facts(page: &mut Page, xml: &[u8]) {
    let mut xml = Xml::new(xml);
    let mut text = String::new();
    while let Some(event) = xml.next() {
        match event {
            Event::Start { .. } => text.clear(),
            Event::Text(more) if text.len() < 2_048 => text.push_str(&more),
            Event::Text(_) => {}
            Event::End { name } => {
                let value = text.trim();
                if value.is_empty() {
                    continue;
                }
                let date = || {
                    dates::value(value, None).map(|at| PageDate {
                        at,
                        source: DateSource::Meta,
                        confidence: 80,
                    })
                };
                match name.as_str() {
                    "title" => page.title = value.to_owned(),
                    "creator" | "initial-creator" => {
                        page.author.get_or_insert_with(|| value.to_owned());
                    }
                    "description" => page.description = value.to_owned(),
                    "language" => page.language = crate::directives::language(value),
                    "created" | "creation-date" => page.published = date(),
                    "modified" | "date" => page.modified = date(),
                    _ => {}
                }
                text.clear();
            }
        }
    }
}
