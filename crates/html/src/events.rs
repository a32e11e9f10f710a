//! What a listener hears: start tags, end tags and text, in the order they are written.
//!
//! Tags that HTML implies (`<tbody>`, `</p>`) are not announced: events follow the page as written.

/// Hears a page being read.
pub trait Listener {
    /// A start tag.
    fn start(&mut self, tag: &Tag<'_>);
    /// An end tag; its name is lower-case.
    fn end(&mut self, name: &str);
    /// A piece of text with its character references decoded. One run of text may come in several pieces, cut
    /// anywhere between two characters.
    fn text(&mut self, text: &str);
}

/// Hears nothing: for those who want the tree alone.
impl Listener for () {
    fn start(&mut self, _: &Tag<'_>) {}
    fn end(&mut self, _: &str) {}
    fn text(&mut self, _: &str) {}
}

/// A start tag as written.
#[derive(Clone, Copy)]
pub struct Tag<'a> {
    pub(crate) name: &'a str,
    pub(crate) self_closing: bool,
    /// Names and values of all attributes, one after the other.
    pub(crate) buffer: &'a str,
    pub(crate) attributes: &'a [Attribute],
}

/// Where an attribute stands in its tag's buffer: `start..name_end` and `name_end..value_end`.
#[derive(Clone, Copy)]
pub(crate) struct Attribute {
    pub(crate) start: usize,
    pub(crate) name_end: usize,
    pub(crate) value_end: usize,
}

impl<'a> Tag<'a> {
    /// Its name, lower-case.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// True for `<name/>`, which means something only inside `<svg>` and `<math>`.
    pub fn self_closing(&self) -> bool {
        self.self_closing
    }

    /// The value of the attribute with this lower-case name; of several, the first.
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        self.attributes().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// All attributes in order: lower-case names, each once, and decoded values.
    pub fn attributes(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let buffer = self.buffer;
        self.attributes
            .iter()
            .map(move |at| (&buffer[at.start..at.name_end], &buffer[at.name_end..at.value_end]))
    }
}
