//! Reading with a tree: each token goes to the listener and then to the HTML5 tree builder.
//!
//! The tokenizer is ours (`tokens`), not the tree builder's companion: that one compares every attribute of a tag
//! with all others, so a page of one tag with 700,000 attributes would keep it busy for minutes.

use std::collections::HashMap;

use html5ever::interface::{QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Doctype, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, QualName, ns};

use crate::ElementName;
use crate::arena::Arena;
use crate::events::{Listener, Tag};
use crate::limits;
use crate::switch::{Switch, is_raw, is_void};
use crate::tokens::{Sink, State, tokenize};
use crate::tree::Tree;

/// Tells `listener` what is written in `html`, and builds its tree.
pub fn parse(html: &str, listener: &mut impl Listener) -> Tree {
    let options = TreeBuilderOpts {
        exact_errors: false,
        // As a reader without scripts: `<noscript>` holds markup.
        scripting_enabled: false,
        iframe_srcdoc: false,
        drop_doctype: false,
        quirks_mode: QuirksMode::NoQuirks,
    };
    let mut parsing = Parsing {
        listener,
        builder: TreeBuilder::new(Arena::new(), options),
        text: String::new(),
        skipped: Skipped::default(),
        work: 0,
        most_text: html.len() + limits::REPEATED_TEXT,
        cut: None,
    };
    tokenize(html, &mut parsing);
    parsing.finish()
}

struct Parsing<'l, L> {
    listener: &'l mut L,
    builder: TreeBuilder<u32, Arena>,
    /// Text not yet handed to the builder.
    text: String,
    skipped: Skipped,
    /// Steps spent on looking through what is open, as far as they can be told from outside.
    work: u64,
    most_text: usize,
    /// Set when the tree has reached its limits: it grows no further, and names decide how content is read.
    cut: Option<Switch>,
}

/// Elements too deep for the tree, still open.
#[derive(Default)]
struct Skipped {
    names: Vec<LocalName>,
    counts: HashMap<LocalName, u32>,
}

impl<L: Listener> Parsing<'_, L> {
    fn finish(mut self) -> Tree {
        self.flush();
        let _ = self.builder.process_token(Token::EOFToken, 1);
        self.builder.end();
        let cut = self.cut.is_some();
        let mut tree = self.builder.sink.finish();
        tree.cut = cut;
        tree
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            let text = StrTendril::from(&*self.text);
            self.text.clear();
            self.send(Token::CharacterTokens(text));
        }
    }

    fn send(&mut self, token: Token) -> Option<State> {
        if self.cut.is_some() {
            return None;
        }
        let answer = self.builder.process_token(token, 1);
        let (nodes, text) = self.builder.sink.size();
        if nodes > limits::NODES || text > self.most_text || self.work > limits::WORK {
            self.cut = Some(Switch::default());
        }
        match answer {
            TokenSinkResult::RawData(RawKind::Rcdata) => Some(State::RcData),
            TokenSinkResult::RawData(RawKind::Rawtext) => Some(State::RawText),
            TokenSinkResult::RawData(_) => Some(State::ScriptData),
            TokenSinkResult::Plaintext => Some(State::PlainText),
            // Scripts are not run, and the encoding was settled before.
            TokenSinkResult::Continue
            | TokenSinkResult::Script(_)
            | TokenSinkResult::EncodingIndicator(_) => None,
        }
    }

    /// Whether another element would be too deep.
    fn is_deep(&self) -> bool {
        let arena = &self.builder.sink;
        arena.depth() >= limits::DEPTH
            && arena.measure_depth(|| {
                let _ = self.builder.process_token(Token::CommentToken(StrTendril::new()), 1);
            }) >= limits::DEPTH
    }
}

impl<L: Listener> Sink for Parsing<'_, L> {
    const ALL: bool = true;

    fn wants_attributes(&self, _: ElementName) -> bool {
        true
    }

    fn start(&mut self, tag: &Tag<'_>) -> Option<State> {
        self.listener.start(tag);
        if let Some(switch) = &mut self.cut {
            return switch.start(tag);
        }
        self.flush();
        let name = LocalName::from(tag.name());
        let stays_open = !is_void(tag.name()) && !is_raw(tag.element_name());
        if stays_open && (!self.skipped.names.is_empty() || self.is_deep()) {
            self.skipped.push(name);
            return None;
        }
        self.work += u64::from(self.builder.sink.depth());
        let attrs = tag
            .attributes()
            .map(|(name, value)| Attribute {
                name: QualName::new(None, ns!(), LocalName::from(name)),
                value: StrTendril::from(value),
            })
            .collect();
        let state = self.send(Token::TagToken(html5ever::tokenizer::Tag {
            kind: TagKind::StartTag,
            name,
            self_closing: tag.self_closing(),
            attrs,
            had_duplicate_attributes: false,
        }));
        if is_formatting(tag.name()) {
            // It was compared, attribute by attribute, with others of its kind: at most all it stands in.
            self.work += u64::from(self.builder.sink.depth()) * (8 + tag.attributes.len() as u64);
        }
        state
    }

    fn end(&mut self, name: &str, element: ElementName) {
        self.listener.end(name, element);
        if let Some(switch) = &mut self.cut {
            return switch.end(name, element);
        }
        self.flush();
        let local_name = LocalName::from(name);
        if self.skipped.close(&local_name) {
            return;
        }
        self.work += u64::from(self.builder.sink.depth());
        self.send(Token::TagToken(html5ever::tokenizer::Tag {
            kind: TagKind::EndTag,
            name: local_name,
            self_closing: false,
            attrs: Vec::new(),
            had_duplicate_attributes: false,
        }));
    }

    fn text(&mut self, text: &str) {
        self.listener.text(text);
        if self.cut.is_none() {
            self.text.push_str(text);
        }
    }

    fn nul(&mut self) {
        self.flush();
        self.send(Token::NullCharacterToken);
    }

    fn comment(&mut self, text: &str) {
        self.flush();
        self.send(Token::CommentToken(StrTendril::from(text)));
    }

    fn doctype(&mut self, name: &str, public: Option<&str>, system: Option<&str>, force_quirks: bool) {
        self.flush();
        self.send(Token::DoctypeToken(Doctype {
            name: Some(name).filter(|name| !name.is_empty()).map(StrTendril::from),
            public_id: public.map(StrTendril::from),
            system_id: system.map(StrTendril::from),
            force_quirks,
        }));
    }

    fn in_foreign(&mut self) -> bool {
        if let Some(switch) = &self.cut {
            return switch.in_foreign();
        }
        self.flush();
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl Skipped {
    fn push(&mut self, name: LocalName) {
        *self.counts.entry(name.clone()).or_default() += 1;
        self.names.push(name);
    }

    /// Whether the end tag belongs to a skipped element, which is then closed with all inside it.
    fn close(&mut self, name: &LocalName) -> bool {
        if self.names.is_empty() {
            return false;
        }
        if self.counts.get(name).is_none_or(|count| *count == 0) {
            // It closes an element in the tree, and with it all that was skipped inside.
            *self = Skipped::default();
            return false;
        }
        while let Some(last) = self.names.pop() {
            if let Some(count) = self.counts.get_mut(&last) {
                *count -= 1;
            }
            if last == *name {
                break;
            }
        }
        true
    }
}

/// Elements that HTML opens again when they were not closed before the end of their paragraph. (`<a>` and
/// `<nobr>`, too, but of those only one is open at a time.)
fn is_formatting(name: &str) -> bool {
    const NAMES: &[&str] =
        &["b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u"];
    NAMES.contains(&name)
}
