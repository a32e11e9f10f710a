//! Reading without a tree.

use crate::ElementName;
use crate::events::{Listener, Tag};
use crate::switch::Switch;
use crate::tokens::{Sink, State, tokenize};

/// Tells `listener` what is written in `html`, building nothing.
pub fn read(html: &str, listener: &mut impl Listener) {
    tokenize(html, &mut Fast { listener, switch: Switch::default() });
}

struct Fast<'l, L> {
    listener: &'l mut L,
    switch: Switch,
}

impl<L: Listener> Sink for Fast<'_, L> {
    const ALL: bool = false;

    fn wants_attributes(&self, element: ElementName) -> bool {
        self.listener.wants_attributes(element) || self.switch.wants_attributes(element)
    }

    fn start(&mut self, tag: &Tag<'_>) -> Option<State> {
        self.listener.start(tag);
        self.switch.start(tag)
    }

    fn end(&mut self, name: &str, element: ElementName) {
        self.listener.end(name, element);
        self.switch.end(name, element);
    }

    fn text(&mut self, text: &str) {
        self.listener.text(text);
    }

    fn nul(&mut self) {}

    fn comment(&mut self, _: &str) {}

    fn doctype(&mut self, _: &str, _: Option<&str>, _: Option<&str>, _: bool) {}

    fn in_foreign(&mut self) -> bool {
        self.switch.in_foreign()
    }
}
