//! Collects what the tokenizer finds into tags and pieces of text, without an allocation per token.
//!
//! This is the only module that names the tokenizer. Both paths stand on it; they differ in the [`Sink`].

use html5gum::{Emitter, Error, Tokenizer};

use crate::events::{Attribute, Tag};
use crate::limits;

pub(crate) use html5gum::State;

/// Takes the tokens of a page.
pub(crate) trait Sink {
    /// Whether comments and doctypes are wanted at all.
    const ALL: bool;

    /// A start tag. The answer is the state in which its content is to be read, if not as usual.
    fn start(&mut self, tag: &Tag<'_>) -> Option<State>;
    fn end(&mut self, name: &str);
    fn text(&mut self, text: &str);
    /// A NUL in the text, which HTML drops and `<svg>` replaces.
    fn nul(&mut self);
    fn comment(&mut self, text: &str);
    fn doctype(&mut self, name: &str, public: Option<&str>, system: Option<&str>, force_quirks: bool);
    /// Whether the current element is one of `<svg>` or `<math>`, so that CDATA sections are text.
    fn in_foreign(&mut self) -> bool;
}

/// Hands all tokens of `html` to `sink`.
pub(crate) fn tokenize(html: &str, sink: &mut impl Sink) {
    let emitter = Collector {
        sink,
        is_end: false,
        self_closing: false,
        name: Vec::new(),
        last_start: Vec::new(),
        buffer: Vec::new(),
        attributes: Vec::new(),
        open: None,
        partial: Vec::new(),
        comment: Vec::new(),
        doctype: Doctype::default(),
    };
    let Ok(()) = Tokenizer::new_with_emitter(html, emitter).finish();
}

/// The token being read.
struct Collector<'s, S> {
    sink: &'s mut S,
    is_end: bool,
    self_closing: bool,
    name: Vec<u8>,
    last_start: Vec<u8>,
    buffer: Vec<u8>,
    attributes: Vec<Attribute>,
    /// The attribute being read, unless it is over the limit.
    open: Option<Attribute>,
    /// Bytes of a character that the tokenizer hands over one by one.
    partial: Vec<u8>,
    comment: Vec<u8>,
    doctype: Doctype,
}

#[derive(Default)]
struct Doctype {
    name: Vec<u8>,
    public: Option<Vec<u8>>,
    system: Option<Vec<u8>>,
    force_quirks: bool,
}

impl<S: Sink> Collector<'_, S> {
    /// Puts the attribute just read among the others, unless one of its name is there.
    fn close_attribute(&mut self) {
        let Some(mut attribute) = self.open.take() else { return };
        if self.buffer.len() - attribute.name_end > limits::VALUE {
            self.buffer.truncate(attribute.name_end + limits::VALUE);
            // The cut may have split a character.
            if let Err(error) = std::str::from_utf8(&self.buffer[attribute.name_end..]) {
                self.buffer.truncate(attribute.name_end + error.valid_up_to());
            }
        }
        attribute.value_end = self.buffer.len();
        let name = &self.buffer[attribute.start..attribute.name_end];
        let known = |other: &Attribute| &self.buffer[other.start..other.name_end] == name;
        if name.is_empty() || self.attributes.iter().any(known) {
            self.buffer.truncate(attribute.start);
        } else {
            self.attributes.push(attribute);
        }
    }

    fn begin_tag(&mut self, is_end: bool) {
        self.is_end = is_end;
        self.self_closing = false;
        self.name.clear();
        self.buffer.clear();
        self.attributes.clear();
        self.open = None;
    }

    fn text(&mut self, text: &str) {
        if memchr::memchr(0, text.as_bytes()).is_none() {
            return self.sink.text(text);
        }
        for (nth, part) in text.split('\0').enumerate() {
            if nth > 0 {
                self.sink.nul();
            }
            if !part.is_empty() {
                self.sink.text(part);
            }
        }
    }

    #[cold]
    fn text_in_bytes(&mut self, bytes: &[u8]) {
        self.partial.extend_from_slice(bytes);
        let unfinished = match std::str::from_utf8(&self.partial) {
            Ok(_) => 0,
            Err(error) if error.error_len().is_none() => self.partial.len() - error.valid_up_to(),
            // Cannot be: the page is UTF-8 and its bytes come in order. Read it all the same.
            Err(_) => 0,
        };
        let rest = self.partial.split_off(self.partial.len() - unfinished);
        let whole = std::mem::replace(&mut self.partial, rest);
        self.text(&String::from_utf8_lossy(&whole));
    }
}

impl<S: Sink> Emitter for Collector<'_, S> {
    type Token = std::convert::Infallible;

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.last_start.clear();
        self.last_start.extend_from_slice(name.unwrap_or_default());
    }

    fn emit_eof(&mut self) {}

    fn emit_error(&mut self, _: Error) {}

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    #[inline]
    fn pop_token(&mut self) -> Option<Self::Token> {
        None
    }

    fn emit_string(&mut self, bytes: &[u8]) {
        if self.partial.is_empty()
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            self.text(text);
        } else {
            self.text_in_bytes(bytes);
        }
    }

    fn init_start_tag(&mut self) {
        self.begin_tag(false);
    }

    fn init_end_tag(&mut self) {
        self.begin_tag(true);
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.close_attribute();
        let name = str_of(&self.name);
        if self.is_end {
            self.sink.end(name);
            return None;
        }
        self.last_start.clear();
        self.last_start.extend_from_slice(&self.name);
        self.sink.start(&Tag {
            name,
            self_closing: self.self_closing,
            buffer: str_of(&self.buffer),
            attributes: &self.attributes,
        })
    }

    fn set_self_closing(&mut self) {
        self.self_closing = true;
    }

    fn push_tag_name(&mut self, bytes: &[u8]) {
        self.name.extend_from_slice(bytes);
    }

    fn init_attribute(&mut self) {
        self.close_attribute();
        if !self.is_end && self.attributes.len() < limits::ATTRIBUTES {
            let start = self.buffer.len();
            self.open = Some(Attribute { start, name_end: start, value_end: start });
        }
    }

    fn push_attribute_name(&mut self, bytes: &[u8]) {
        if let Some(attribute) = &mut self.open {
            self.buffer.extend_from_slice(bytes);
            attribute.name_end = self.buffer.len();
        }
    }

    fn push_attribute_value(&mut self, bytes: &[u8]) {
        if let Some(attribute) = &self.open
            && self.buffer.len() - attribute.name_end <= limits::VALUE
        {
            self.buffer.extend_from_slice(bytes);
        }
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end && !self.last_start.is_empty() && self.name == self.last_start
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.sink.in_foreign()
    }

    fn init_comment(&mut self) {
        self.comment.clear();
    }

    fn push_comment(&mut self, bytes: &[u8]) {
        if S::ALL {
            self.comment.extend_from_slice(bytes);
        }
    }

    fn emit_current_comment(&mut self) {
        if S::ALL {
            self.sink.comment(str_of(&self.comment));
        }
    }

    fn init_doctype(&mut self) {
        self.doctype = Doctype::default();
    }

    fn push_doctype_name(&mut self, bytes: &[u8]) {
        self.doctype.name.extend_from_slice(bytes);
    }

    fn set_doctype_public_identifier(&mut self, bytes: &[u8]) {
        self.doctype.public = Some(bytes.to_vec());
    }

    fn set_doctype_system_identifier(&mut self, bytes: &[u8]) {
        self.doctype.system = Some(bytes.to_vec());
    }

    fn push_doctype_public_identifier(&mut self, bytes: &[u8]) {
        self.doctype.public.get_or_insert_default().extend_from_slice(bytes);
    }

    fn push_doctype_system_identifier(&mut self, bytes: &[u8]) {
        self.doctype.system.get_or_insert_default().extend_from_slice(bytes);
    }

    fn set_force_quirks(&mut self) {
        self.doctype.force_quirks = true;
    }

    fn emit_current_doctype(&mut self) {
        if S::ALL {
            let doctype = &self.doctype;
            let (public, system) = (doctype.public.as_deref(), doctype.system.as_deref());
            self.sink.doctype(
                str_of(&doctype.name),
                public.map(str_of),
                system.map(str_of),
                doctype.force_quirks,
            );
        }
    }
}

/// Bytes of a UTF-8 page, cut at markup, as text.
fn str_of(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}
