//! Documents of word processors: text, headings, links and facts of DOCX and ODT.
//!
//! Their XML is read as a stream, so neither depth nor size can hurt; what is no such document gives an empty page.

use std::collections::HashMap;

use model::{DateSource, Heading, LinkKind, Page, PageDate};
use url::Url;

use crate::dates;
use crate::links::Links;
use crate::page::Input;
use crate::words::Words;
use crate::xml::{Event, Xml};
use crate::zip;

/// Headings kept of one document, and targets of links in its list of them.
const MOST_HEADINGS: usize = 300;
const MOST_TARGETS: usize = 10_000;

/// Reads a document. None where it is neither of the two.
pub(crate) fn document(input: &Input<'_>) -> Option<Page> {
    let (body, facts, targets) = if let Some(body) = zip::entry(input.body, "word/document.xml") {
        let targets = zip::entry(input.body, "word/_rels/document.xml.rels").map(|xml| targets(&xml));
        (body, zip::entry(input.body, "docProps/core.xml"), targets)
    } else {
        (zip::entry(input.body, "content.xml")?, zip::entry(input.body, "meta.xml"), None)
    };
    let mut reader = Reader {
        page: Page { charset: "UTF-8".to_owned(), ..Page::default() },
        words: Words::default(),
        links: Links::new(input.max_links),
        link: None,
        heading: None,
        targets,
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
    /// Targets of links by their names, in DOCX; ODT writes them in place.
    targets: Option<HashMap<String, String>>,
    /// Open elements whose text is not the document's.
    ignored: u32,
    /// Open elements that hold text, in DOCX.
    in_text: u32,
}

impl Reader {
    fn hear(&mut self, event: Event) {
        let is_docx = self.targets.is_some();
        match event {
            Event::Start { name, attributes, empty, .. } => {
                let get = |key: &str| {
                    attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
                };
                match name.as_str() {
                    "annotation" | "tracked-changes" | "del" if !empty => self.ignored += 1,
                    "p" => self.words.line(),
                    "h" => {
                        self.words.line();
                        let level =
                            get("text:outline-level").and_then(|level| level.parse().ok()).unwrap_or(1);
                        self.heading = Some(Heading { level, text: String::new() });
                    }
                    "pStyle" => {
                        let level =
                            get("w:val").and_then(|style| style.strip_prefix("Heading")?.parse().ok());
                        self.heading = level.map(|level| Heading { level, text: String::new() });
                    }
                    "t" if !empty => self.in_text += 1,
                    "tab" | "s" => self.words.space(),
                    "br" | "cr" | "line-break" => self.words.line(),
                    "hyperlink" => {
                        let target = get("r:id").and_then(|id| self.targets.as_ref()?.get(id)).cloned();
                        self.link = target
                            .and_then(|href| self.links.add(LinkKind::Anchor, &href, Default::default()));
                    }
                    "a" if !is_docx => {
                        let href = get("xlink:href").filter(|href| !href.starts_with('#'));
                        self.link =
                            href.and_then(|href| self.links.add(LinkKind::Anchor, href, Default::default()));
                    }
                    _ => {}
                }
            }
            Event::End { name } => match name.as_str() {
                "annotation" | "tracked-changes" | "del" => self.ignored = self.ignored.saturating_sub(1),
                "p" | "h" => {
                    self.words.line();
                    if let Some(heading) = self.heading.take()
                        && !heading.text.is_empty()
                        && self.page.headings.len() < MOST_HEADINGS
                    {
                        self.page.headings.push(heading);
                    }
                }
                "t" => self.in_text = self.in_text.saturating_sub(1),
                "tc" | "table-cell" => self.words.space(),
                "hyperlink" | "a" => self.link = None,
                _ => {}
            },
            Event::Text(text) => {
                if self.ignored > 0 || is_docx && self.in_text == 0 {
                    return;
                }
                let (links, link, heading) = (&mut self.links, self.link, &mut self.heading);
                self.words.add(&text, |part, index, starts| {
                    links.place(index);
                    if let Some(link) = link {
                        links.add_anchor(link, part, starts);
                    }
                    if let Some(heading) = heading
                        && heading.text.len() < 1_024
                    {
                        if starts && !heading.text.is_empty() {
                            heading.text.push(' ');
                        }
                        heading.text.push_str(part);
                    }
                });
            }
        }
    }
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
