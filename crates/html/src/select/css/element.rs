//! Elements of our tree, as the `selectors` crate wants to see them. Every move is paid for.

use std::cell::Cell;
use std::fmt;

use html5ever::{LocalName, Namespace, ns};
use selectors::OpaqueElement;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::MatchingContext;
use selectors::matching::ElementSelectorFlags;

use super::grammar::{Language, Name, Part, State, Value};
use crate::tree::Data;
use crate::{Kind, NodeId, Space, Tree};

/// A tree, and what may still be spent on it.
pub(super) struct View<'a> {
    pub(super) tree: &'a Tree,
    pub(super) fuel: Cell<u64>,
}

impl View<'_> {
    /// Pays for a step; false when that was the last.
    pub(super) fn burn(&self) -> bool {
        let left = self.fuel.get().saturating_sub(1);
        self.fuel.set(left);
        left > 0
    }
}

/// An element.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) node: NodeId,
}

pub(super) fn opaque(tree: &Tree, node: NodeId) -> OpaqueElement {
    OpaqueElement::new(tree.node(node))
}

impl fmt::Debug for Element<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} {:?}", self.node, self.view.tree.name(self.node))
    }
}

impl<'a> Element<'a> {
    /// The first element from `start` on, along `step`.
    fn walk(
        &self,
        start: Option<NodeId>,
        step: impl Fn(&'a Tree, NodeId) -> Option<NodeId>,
    ) -> Option<Element<'a>> {
        let view = self.view;
        let mut at = start;
        while let Some(node) = at {
            if !view.burn() {
                return None;
            }
            if view.tree.kind(node) == Kind::Element {
                return Some(Element { view, node });
            }
            at = step(view.tree, node);
        }
        None
    }

    fn name(&self) -> Option<(&'a LocalName, Space)> {
        match &self.view.tree.node(self.node).data {
            Data::Element { name, space, .. } => Some((name, *space)),
            _ => None,
        }
    }

    fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut attributes = self.view.tree.attributes(self.node);
        attributes.find(|(key, space, _)| *key == name && *space == Space::None).map(|(_, _, value)| value)
    }

    fn is(&self, names: &[&str]) -> bool {
        self.name().is_some_and(|(name, space)| space == Space::Html && names.contains(&&**name))
    }

    fn has(&self, attribute: &str) -> bool {
        self.attribute(attribute).is_some()
    }
}

fn namespace(space: Space) -> Namespace {
    match space {
        Space::Html => ns!(html),
        Space::Svg => ns!(svg),
        Space::MathMl => ns!(mathml),
        Space::None | Space::Other => ns!(),
    }
}

const LINKS: [&str; 2] = ["a", "area"];
const CONTROLS: [&str; 7] = ["button", "input", "select", "textarea", "optgroup", "option", "fieldset"];
const FIELDS: [&str; 3] = ["input", "select", "textarea"];

impl selectors::Element for Element<'_> {
    type Impl = Language;

    fn opaque(&self) -> OpaqueElement {
        opaque(self.view.tree, self.node)
    }

    fn parent_element(&self) -> Option<Self> {
        self.walk(self.view.tree.parent(self.node), |_, _| None)
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.walk(self.view.tree.previous(self.node), |tree, at| tree.previous(at))
    }

    fn next_sibling_element(&self) -> Option<Self> {
        self.walk(self.view.tree.next(self.node), |tree, at| tree.next(at))
    }

    fn first_element_child(&self) -> Option<Self> {
        self.walk(self.view.tree.first_child(self.node), |tree, at| tree.next(at))
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.name().is_some_and(|(_, space)| space == Space::Html)
    }

    fn has_local_name(&self, wanted: &Name) -> bool {
        self.name().is_some_and(|(name, _)| *name == wanted.0)
    }

    fn has_namespace(&self, wanted: &Namespace) -> bool {
        self.name().is_some_and(|(_, space)| namespace(space) == *wanted)
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.name() == other.name()
    }

    fn attr_matches(
        &self,
        space: &NamespaceConstraint<&Namespace>,
        name: &Name,
        operation: &AttrSelectorOperation<&Value>,
    ) -> bool {
        let anywhere = match space {
            NamespaceConstraint::Any => true,
            NamespaceConstraint::Specific(space) if **space == ns!() => false,
            NamespaceConstraint::Specific(_) => return false,
        };
        self.view.burn();
        let tree = self.view.tree;
        let Data::Element { attributes, .. } = &tree.node(self.node).data else { return false };
        tree.attributes[attributes.range()]
            .iter()
            .filter(|attribute| attribute.name == name.0 && (anywhere || attribute.space == Space::None))
            .any(|attribute| operation.eval_str(&tree.text[attribute.value.range()]))
    }

    fn match_non_ts_pseudo_class(&self, state: &State, _: &mut MatchingContext<'_, Language>) -> bool {
        match state {
            State::Link => self.is_link(),
            State::Checked => {
                (self.is(&["input"]) && self.has("checked")) || (self.is(&["option"]) && self.has("selected"))
            }
            State::Disabled => self.is(&CONTROLS) && self.has("disabled"),
            State::Enabled => self.is(&CONTROLS) && !self.has("disabled"),
            State::Required => self.is(&FIELDS) && self.has("required"),
            State::Optional => self.is(&FIELDS) && !self.has("required"),
        }
    }

    fn match_pseudo_element(&self, _: &Part, _: &mut MatchingContext<'_, Language>) -> bool {
        false
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        self.is(&LINKS) && self.has("href")
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn pseudo_element_originating_element(&self) -> Option<Self> {
        Some(*self)
    }

    fn has_id(&self, wanted: &Name, case: CaseSensitivity) -> bool {
        self.view.burn();
        self.attribute("id").is_some_and(|id| case.eq(id.as_bytes(), wanted.0.as_bytes()))
    }

    fn has_class(&self, wanted: &Name, case: CaseSensitivity) -> bool {
        self.view.burn();
        let Some(classes) = self.attribute("class") else { return false };
        classes.split_ascii_whitespace().any(|class| case.eq(class.as_bytes(), wanted.0.as_bytes()))
    }

    fn has_custom_state(&self, _: &Name) -> bool {
        false
    }

    fn imported_part(&self, _: &Name) -> Option<Name> {
        None
    }

    fn is_part(&self, _: &Name) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        let tree = self.view.tree;
        let mut children = tree.children(self.node).take_while(|_| self.view.burn());
        !children.any(|child| matches!(tree.kind(child), Kind::Element | Kind::Text))
    }

    fn is_root(&self) -> bool {
        self.view.tree.parent(self.node).is_some_and(|parent| parent == self.view.tree.root())
    }

    /// None: one question does not repay a filter that would have to hold every class and attribute.
    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}
