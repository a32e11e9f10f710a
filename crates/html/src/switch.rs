//! How the content of an element is read when no tree builder is there to say it.
//!
//! By name: `<script>` holds no tags, `<title>` only character references, and so on. Inside `<svg>` and
//! `<math>` the same names hold ordinary markup and CDATA sections are text, so their open elements are followed.
//! What needs a whole tree to decide is not attempted: around an `<svg>` an element counts as open until it is
//! closed by name, `<frameset>` does not turn off `<script>`, nor does `<template><col>`.

use crate::events::Tag;
use crate::tokens::State;
use crate::{ElementName, by_element_name};

/// Follows what is open inside `<svg>` and `<math>`.
pub(crate) struct Switch {
    open: Vec<Open>,
    /// How many elements are open outside, by their number, or by a small hash of names that HTML does not know.
    outside: [u32; OUTSIDE],
}

/// Places for known elements, and for hashes of names.
const OUTSIDE: usize = ElementName::COUNT + HASHES;
const HASHES: usize = 64;

const SVG: ElementName = ElementName::of("svg");
const MATH: ElementName = ElementName::of("math");

/// An open element inside a drawing or a formula, or that drawing or formula itself.
struct Open {
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Svg,
    Math,
    /// Foreign, but its children are HTML: `<foreignObject>`, `<mi>`.
    Island(Island),
    Html,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Island {
    Svg,
    MathText,
    /// `<annotation-xml>`: HTML where its encoding says so.
    Annotation {
        html: bool,
    },
}

/// Open elements that are followed; deeper ones are forgotten.
const MOST_OPEN: usize = 256;

impl Default for Switch {
    fn default() -> Switch {
        Switch { open: Vec::new(), outside: [0; OUTSIDE] }
    }
}

impl Switch {
    /// Whether something follows from the attributes of a tag: only where drawings and formulas are.
    pub(crate) fn wants_attributes(&self, element: ElementName) -> bool {
        !self.open.is_empty() || matches!(element, SVG | MATH)
    }

    /// The state in which the content of this element is read, if not as usual.
    pub(crate) fn start(&mut self, tag: &Tag<'_>) -> Option<State> {
        match self.open.last().map(|open| open.kind) {
            None if matches!(tag.element_name(), SVG | MATH) => {
                self.push_root(tag);
                None
            }
            None => {
                self.outside[slot(tag.name(), tag.element_name())] += 1;
                content_state(tag.element_name())
            }
            Some(kind) => self.start_inside(tag, kind),
        }
    }

    pub(crate) fn end(&mut self, name: &str, element: ElementName) {
        let Some(top) = self.open.last() else {
            let count = &mut self.outside[slot(name, element)];
            *count = count.saturating_sub(1);
            return;
        };
        if top.kind == Kind::Html {
            let island = self.open.iter().rposition(|open| open.kind != Kind::Html);
            let start = island.map_or(0, |at| at + 1);
            if let Some(at) = self.open[start..].iter().rposition(|open| open.name == name) {
                self.open.truncate(start + at);
            }
            return;
        }
        if matches!(name, "br" | "p") {
            return self.break_out();
        }
        let html = self.open.iter().rposition(|open| open.kind == Kind::Html);
        let start = html.map_or(0, |at| at + 1);
        match self.open[start..].iter().rposition(|open| open.name == name) {
            Some(at) => self.open.truncate(start + at),
            None if is_void(name) || is_raw(element) || matches!(element, SVG | MATH) => {}
            None if html.is_none() => {
                let count = &mut self.outside[slot(name, element)];
                if *count > 0 {
                    // It closes an element around the drawing, which ends with it.
                    *count -= 1;
                    self.open.clear();
                }
            }
            None => {
                self.open.truncate(start);
                self.end(name, element);
            }
        }
    }

    /// Whether CDATA sections are text here.
    pub(crate) fn in_foreign(&self) -> bool {
        self.open.last().is_some_and(|open| open.kind != Kind::Html)
    }

    fn start_inside(&mut self, tag: &Tag<'_>, kind: Kind) -> Option<State> {
        let name = tag.name();
        let as_html = match kind {
            Kind::Html | Kind::Island(Island::Svg | Island::Annotation { html: true }) => true,
            Kind::Island(Island::MathText) => !matches!(name, "mglyph" | "malignmark"),
            Kind::Island(Island::Annotation { html: false }) => name == "svg",
            Kind::Svg | Kind::Math => false,
        };
        if as_html {
            if matches!(tag.element_name(), SVG | MATH) {
                self.push_root(tag);
                return None;
            }
            // A link ends the one it stands in, a paragraph the one before it.
            let ends_itself = matches!(name, "a" | "button" | "nobr")
                || matches!(name, "dd" | "dt" | "li" | "option" | "p" | "td" | "th" | "tr")
                    && self.open.last().is_some_and(|open| open.name == name);
            if ends_itself && kind == Kind::Html {
                self.end(name, tag.element_name());
            }
            if !is_void(name) {
                self.push(name, Kind::Html);
            }
            return content_state(tag.element_name());
        }
        if ends_foreign(tag) {
            self.break_out();
            return self.start(tag);
        }
        self.push_foreign(tag);
        None
    }

    /// Leaves the drawing or formula up to where HTML is allowed.
    fn break_out(&mut self) {
        while let Some(open) = self.open.last() {
            match open.kind {
                Kind::Html | Kind::Island(Island::Svg | Island::MathText) => break,
                Kind::Island(Island::Annotation { html: true }) => break,
                _ => self.open.pop(),
            };
        }
    }

    /// Enters a drawing or a formula.
    fn push_root(&mut self, tag: &Tag<'_>) {
        if !tag.self_closing() {
            self.push(tag.name(), if tag.element_name() == SVG { Kind::Svg } else { Kind::Math });
        }
    }

    fn push_foreign(&mut self, tag: &Tag<'_>) {
        if tag.self_closing() {
            return;
        }
        let name = tag.name();
        let around = self.open.iter().rev().map(|open| open.kind).find(|kind| *kind != Kind::Html);
        let in_svg = matches!(around, Some(Kind::Svg | Kind::Island(Island::Svg)));
        let kind = match name {
            "foreignobject" | "desc" | "title" if in_svg => Kind::Island(Island::Svg),
            _ if in_svg => Kind::Svg,
            "mi" | "mo" | "mn" | "ms" | "mtext" => Kind::Island(Island::MathText),
            "annotation-xml" => {
                let encoding = tag.attribute("encoding").unwrap_or_default();
                let html = encoding.eq_ignore_ascii_case("text/html")
                    || encoding.eq_ignore_ascii_case("application/xhtml+xml");
                Kind::Island(Island::Annotation { html })
            }
            _ => Kind::Math,
        };
        self.push(name, kind);
    }

    fn push(&mut self, name: &str, kind: Kind) {
        if self.open.len() < MOST_OPEN {
            self.open.push(Open { name: name.to_owned(), kind });
        }
    }
}

/// Where elements of this name are counted.
fn slot(name: &str, element: ElementName) -> usize {
    if element != ElementName::default() {
        return element.index();
    }
    let bytes = name.as_bytes();
    let (first, last) = (bytes.first().copied().unwrap_or(0), bytes.last().copied().unwrap_or(0));
    ElementName::COUNT + (usize::from(first) * 31 + usize::from(last) * 5 + bytes.len()) % HASHES
}

/// The state for the content of an HTML element. `<noscript>` is read as markup: nobody here runs scripts.
fn content_state(element: ElementName) -> Option<State> {
    const fn of(name: &[u8]) -> Option<State> {
        match name {
            b"script" => Some(State::ScriptData),
            b"title" | b"textarea" => Some(State::RcData),
            b"style" | b"iframe" | b"noembed" | b"noframes" | b"xmp" => Some(State::RawText),
            b"plaintext" => Some(State::PlainText),
            _ => None,
        }
    }
    static STATES: [Option<State>; ElementName::COUNT] = by_element_name!(of);
    STATES[element.index()]
}

/// True of elements without content, old ones included.
pub fn is_void(name: &str) -> bool {
    matches!(
        name.as_bytes(),
        b"area"
            | b"base"
            | b"basefont"
            | b"bgsound"
            | b"br"
            | b"col"
            | b"embed"
            | b"frame"
            | b"hr"
            | b"image"
            | b"img"
            | b"input"
            | b"keygen"
            | b"link"
            | b"meta"
            | b"param"
            | b"source"
            | b"track"
            | b"wbr"
    )
}

/// Elements whose content is no markup: they never hold another element open.
pub(crate) fn is_raw(element: ElementName) -> bool {
    content_state(element).is_some()
}

/// Tags that are so surely HTML that they end the drawing or formula they stand in.
fn ends_foreign(tag: &Tag<'_>) -> bool {
    match tag.name().as_bytes() {
        b"b" | b"big" | b"blockquote" | b"body" | b"br" | b"center" | b"code" | b"dd" | b"div" | b"dl"
        | b"dt" | b"em" | b"embed" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"head" | b"hr"
        | b"i" | b"img" | b"li" | b"listing" | b"menu" | b"meta" | b"nobr" | b"ol" | b"p" | b"pre"
        | b"ruby" | b"s" | b"small" | b"span" | b"strike" | b"strong" | b"sub" | b"sup" | b"table"
        | b"tt" | b"u" | b"ul" | b"var" => true,
        b"font" => ["color", "face", "size"].iter().any(|name| tag.attribute(name).is_some()),
        _ => false,
    }
}
