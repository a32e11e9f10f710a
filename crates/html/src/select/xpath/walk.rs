//! Axes and node tests: from one node to others, in the order of the axis. Nothing here recurses.

use super::plan::{Axis, Prefix, Test};
use crate::select::Found;
use crate::tree::{Attribute, Data};
use crate::{NodeId, Space, Tree};

/// A node, namespace or attribute; compares as in document order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Item(u64);

const NAMESPACE: u32 = 1;
const FIRST_ATTRIBUTE: u32 = 2;

/// What stands behind an item.
pub(super) enum Thing<'t> {
    Node(&'t Data),
    Namespace,
    Attribute(&'t Attribute),
}

impl Item {
    pub(super) fn node(id: u32) -> Item {
        Item(u64::from(id) << 32)
    }

    fn within(id: u32, place: u32) -> Item {
        Item(u64::from(id) << 32 | u64::from(place))
    }

    /// The node, or the element it belongs to.
    pub(super) fn id(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn place(self) -> u32 {
        self.0 as u32
    }

    pub(super) fn is_node(self) -> bool {
        self.place() == 0
    }

    pub(super) fn thing(self, tree: &Tree) -> Thing<'_> {
        let data = &tree.nodes[self.id() as usize].data;
        match (self.place(), data) {
            (NAMESPACE, _) => Thing::Namespace,
            (place @ FIRST_ATTRIBUTE.., Data::Element { attributes, .. }) => {
                Thing::Attribute(&tree.attributes[(attributes.start + place - FIRST_ATTRIBUTE) as usize])
            }
            _ => Thing::Node(data),
        }
    }
}

impl From<Item> for Found {
    fn from(item: Item) -> Found {
        let node = NodeId(item.id());
        match item.place() {
            0 => Found::Node(node),
            NAMESPACE => Found::Namespace(node),
            place => Found::Attribute(node, place - FIRST_ATTRIBUTE),
        }
    }
}

/// A walk along an axis.
pub(super) enum Walk {
    One(Option<Item>),
    Range {
        at: u32,
        end: u32,
    },
    /// Backwards, but for what holds `from`.
    Before {
        at: u32,
        from: u32,
    },
    Next(Option<u32>),
    Previous(Option<u32>),
    Up(Option<u32>),
    ItselfThenUp(Item),
    Within {
        id: u32,
        at: u32,
        end: u32,
    },
}

impl Walk {
    pub(super) fn new(tree: &Tree, axis: Axis, item: Item) -> Walk {
        let id = item.id();
        let node = &tree.nodes[id as usize];
        let parent = if item.is_node() { node.parent.get() } else { Some(id) };
        match axis {
            Axis::Itself => Walk::One(Some(item)),
            Axis::Parent => Walk::One(parent.map(Item::node)),
            Axis::Ancestor => Walk::Up(parent),
            Axis::AncestorOrSelf => Walk::ItselfThenUp(item),
            // What follows an attribute follows its element, as libxml2 has it.
            Axis::Following => Walk::Range { at: node.end, end: tree.nodes.len() as u32 },
            Axis::Preceding => Walk::Before { at: id, from: id },
            Axis::DescendantOrSelf if !item.is_node() => Walk::One(Some(item)),
            _ if !item.is_node() => Walk::One(None),
            Axis::Child => Walk::Next(node.first.get()),
            Axis::Descendant => Walk::Range { at: id + 1, end: node.end },
            Axis::DescendantOrSelf => Walk::Range { at: id, end: node.end },
            Axis::FollowingSibling => Walk::Next(node.next.get()),
            Axis::PrecedingSibling => Walk::Previous(node.previous.get()),
            Axis::Attribute => match node.data {
                Data::Element { attributes, .. } => {
                    let end = FIRST_ATTRIBUTE + (attributes.end - attributes.start);
                    Walk::Within { id, at: FIRST_ATTRIBUTE, end }
                }
                _ => Walk::One(None),
            },
            Axis::Namespace => {
                let is_element = matches!(node.data, Data::Element { .. });
                Walk::One(is_element.then(|| Item::within(id, NAMESPACE)))
            }
        }
    }

    pub(super) fn next(&mut self, tree: &Tree) -> Option<Item> {
        match self {
            Walk::One(item) => item.take(),
            Walk::Range { at, end } => {
                let here = *at;
                *at += 1;
                (here < *end).then(|| Item::node(here))
            }
            Walk::Before { at, from } => loop {
                *at = at.checked_sub(1)?;
                if tree.nodes[*at as usize].end <= *from {
                    return Some(Item::node(*at));
                }
            },
            Walk::Next(at) => {
                let here = (*at)?;
                *at = tree.nodes[here as usize].next.get();
                Some(Item::node(here))
            }
            Walk::Previous(at) => {
                let here = (*at)?;
                *at = tree.nodes[here as usize].previous.get();
                Some(Item::node(here))
            }
            Walk::Up(at) => {
                let here = (*at)?;
                *at = tree.nodes[here as usize].parent.get();
                Some(Item::node(here))
            }
            Walk::ItselfThenUp(item) => {
                let item = *item;
                let up = if item.is_node() {
                    tree.nodes[item.id() as usize].parent.get()
                } else {
                    Some(item.id())
                };
                *self = Walk::Up(up);
                Some(item)
            }
            Walk::Within { id, at, end } => {
                let here = *at;
                *at += 1;
                (here < *end).then(|| Item::within(*id, here))
            }
        }
    }
}

/// Whether an item that was met on an axis is of the kind or name wanted.
pub(super) fn passes(tree: &Tree, axis: Axis, test: &Test, item: Item) -> bool {
    match item.thing(tree) {
        Thing::Node(data) => match (test, data) {
            (Test::Name(wanted), Data::Element { name, .. }) => name == wanted,
            (Test::Any, Data::Element { .. }) => true,
            (Test::Text, Data::Text(_)) | (Test::Comment, Data::Comment(_)) => true,
            // XPath knows no doctype.
            (Test::Node, data) => !matches!(data, Data::Doctype(_)),
            _ => false,
        },
        Thing::Attribute(attribute) => match test {
            Test::Node => true,
            _ if axis != Axis::Attribute => false,
            Test::Any => true,
            Test::Name(wanted) => has_plain_name(attribute, wanted),
            Test::Prefixed(prefix, wanted) => {
                let (own, local) = attribute_name(attribute);
                own == Some(prefix.text()) && *local == **wanted
            }
            Test::AnyOf(prefix) => attribute_name(attribute).0 == Some(prefix.text()),
            _ => false,
        },
        Thing::Namespace => match test {
            Test::Node => true,
            Test::Any => axis == Axis::Namespace,
            Test::Name(wanted) => axis == Axis::Namespace && &**wanted == "xml",
            _ => false,
        },
    }
}

/// Whether an attribute has this name, and no prefix.
pub(super) fn has_plain_name(attribute: &Attribute, wanted: &html5ever::LocalName) -> bool {
    attribute.name == *wanted && (attribute.space == Space::None || &**wanted == "xmlns")
}

/// An attribute's prefix and local name. The tree keeps no prefixes, but HTML gives one to a few names only.
pub(super) fn attribute_name(attribute: &Attribute) -> (Option<&'static str>, &str) {
    let name = &*attribute.name;
    match (attribute.space, name) {
        (Space::Other, "xmlns") => (None, name),
        (Space::Other, "xlink") => (Some("xmlns"), name),
        (Space::Other, "lang" | "space" | "base") => (Some("xml"), name),
        (Space::Other, _) => (Some("xlink"), name),
        _ => match name.strip_prefix("xml:") {
            Some(local) => (Some("xml"), local),
            None => (None, name),
        },
    }
}

impl Prefix {
    fn text(self) -> &'static str {
        match self {
            Prefix::Xml => "xml",
            Prefix::Xlink => "xlink",
        }
    }
}
