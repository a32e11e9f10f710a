//! What a listener hears: start tags, end tags and text, in the order they are written.
//!
//! Tags that HTML implies (`<tbody>`, `</p>`) are not announced: events follow the page as written.

use crate::ElementName;

/// Hears a page being read.
pub trait Listener {
    /// A start tag.
    fn start(&mut self, tag: &Tag<'_>);
    /// Whether the attributes of such a start tag are looked at. Where they are not, they need not be told, nor whether it
    /// closes itself.
    #[inline]
    fn wants_attributes(&self, _element: ElementName) -> bool {
        true
    }
    /// An end tag; its name is lower-case.
    fn end(&mut self, name: &str, element: ElementName);
    /// A piece of text with its character references decoded. One run of text may come in several pieces, cut
    /// anywhere between two characters.
    fn text(&mut self, text: &str);
}

/// Hears nothing: for those who want the tree alone.
impl Listener for () {
    fn start(&mut self, _: &Tag<'_>) {}
    fn end(&mut self, _: &str, _: ElementName) {}
    fn text(&mut self, _: &str) {}
}

/// A start tag as written.
#[derive(Clone, Copy)]
pub struct Tag<'a> {
    pub(crate) name: &'a str,
    pub(crate) element: ElementName,
    pub(crate) self_closing: bool,
    pub(crate) texts: Texts<'a>,
    pub(crate) attributes: &'a [Attribute],
}

/// Where names and values stand: most of them on the page.
#[derive(Clone, Copy)]
pub(crate) struct Texts<'a> {
    pub(crate) page: &'a str,
    /// Names with capitals and values with references, as HTML knows them, one after the other.
    pub(crate) rewritten: &'a str,
}

/// A stretch of one of the [`Texts`].
#[derive(Clone, Copy, Default)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) is_rewritten: bool,
}

/// An attribute of a tag.
#[derive(Clone, Copy)]
pub(crate) struct Attribute {
    pub(crate) name: Span,
    pub(crate) value: Span,
}

impl<'a> Texts<'a> {
    #[inline]
    pub(crate) fn at(self, span: Span) -> &'a str {
        let text = if span.is_rewritten { self.rewritten } else { self.page };
        &text[span.start..span.end]
    }

    /// The same as bytes, to be compared.
    #[inline]
    pub(crate) fn bytes_at(self, span: Span) -> &'a [u8] {
        let text = if span.is_rewritten { self.rewritten } else { self.page };
        &text.as_bytes()[span.start..span.end]
    }
}

impl<'a> Tag<'a> {
    /// Its name, lower-case.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The name's number.
    pub fn element_name(&self) -> ElementName {
        self.element
    }

    /// True for `<name/>`, which means something only inside `<svg>` and `<math>`.
    pub fn self_closing(&self) -> bool {
        self.self_closing
    }

    /// The value of the attribute with this lower-case name; of several, the first.
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        let is_named = |attribute: &&Attribute| self.texts.bytes_at(attribute.name) == name.as_bytes();
        self.attributes.iter().find(is_named).map(|attribute| self.texts.at(attribute.value))
    }

    /// All attributes in order: lower-case names, each once, and decoded values.
    pub fn attributes(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let texts = self.texts;
        self.attributes.iter().map(move |attribute| (texts.at(attribute.name), texts.at(attribute.value)))
    }
}
