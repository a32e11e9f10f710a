//! A page as a tree: one list of nodes in document order, one text that holds all their characters.
//!
//! Selectors come on top of this; here is only what they walk on.

use std::sync::OnceLock;

use html5ever::LocalName;

/// A node of a [`Tree`]. Ids are in document order: a node's id is smaller than those of all that follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// Its place in document order, from 0 for the document.
    pub fn index(self) -> u32 {
        self.0
    }
}

/// A parsed page.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) text: String,
    pub(crate) cut: bool,
    /// Asked for rarely, so found out when asked.
    pub(crate) depth: OnceLock<u32>,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The root.
    Document,
    /// `<!DOCTYPE …>`; its text is the name.
    Doctype,
    /// An element.
    Element,
    /// Text.
    Text,
    /// `<!-- … -->`.
    Comment,
}

/// The vocabulary that an element or attribute belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// None: ordinary attributes.
    None,
    /// HTML.
    Html,
    /// Drawings.
    Svg,
    /// Formulas.
    MathMl,
    /// `xlink:`, `xml:` and `xmlns:` attributes.
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) parent: Link,
    pub(crate) previous: Link,
    pub(crate) next: Link,
    pub(crate) first: Link,
    pub(crate) last: Link,
    /// The id after the last one under this node; set when the tree is finished.
    pub(crate) end: u32,
    pub(crate) data: Data,
}

#[derive(Clone, Debug)]
pub(crate) enum Data {
    Document,
    Doctype(Span),
    Element { name: LocalName, space: Space, attributes: Span },
    Text(Span),
    Comment(Span),
}

#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: LocalName,
    pub(crate) space: Space,
    pub(crate) value: Span,
}

/// A part of the tree's text or of its list of attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A node or none, in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link(u32);

impl Link {
    pub(crate) const NONE: Link = Link(u32::MAX);

    pub(crate) fn to(id: u32) -> Link {
        Link(id)
    }

    pub(crate) fn get(self) -> Option<u32> {
        (self.0 != u32::MAX).then_some(self.0)
    }
}

impl Span {
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Node {
    pub(crate) fn alone(data: Data) -> Node {
        let none = Link::NONE;
        Node { parent: none, previous: none, next: none, first: none, last: none, end: 0, data }
    }
}

impl Tree {
    /// The document.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The node at a place in document order, as [`NodeId::index`] tells it.
    pub fn at(&self, index: u32) -> Option<NodeId> {
        ((index as usize) < self.nodes.len()).then_some(NodeId(index))
    }

    /// How many nodes there are; their ids are `0..len`.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: there is always the document.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// True when the page asked for a larger tree than the limits allow, so that its end is missing here.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// What a node is.
    pub fn kind(&self, node: NodeId) -> Kind {
        match self.node(node).data {
            Data::Document => Kind::Document,
            Data::Doctype(_) => Kind::Doctype,
            Data::Element { .. } => Kind::Element,
            Data::Text(_) => Kind::Text,
            Data::Comment(_) => Kind::Comment,
        }
    }

    /// The node it stands in.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.node(node).parent.get().map(NodeId)
    }

    /// Its first child.
    pub fn first_child(&self, node: NodeId) -> Option<NodeId> {
        self.node(node).first.get().map(NodeId)
    }

    /// Its last child.
    pub fn last_child(&self, node: NodeId) -> Option<NodeId> {
        self.node(node).last.get().map(NodeId)
    }

    /// The sibling before it.
    pub fn previous(&self, node: NodeId) -> Option<NodeId> {
        self.node(node).previous.get().map(NodeId)
    }

    /// The sibling after it.
    pub fn next(&self, node: NodeId) -> Option<NodeId> {
        self.node(node).next.get().map(NodeId)
    }

    /// Its children in order.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.first_child(node), |child| self.next(*child))
    }

    /// All nodes under it, in document order.
    pub fn descendants(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (node.0 + 1..self.end_of(node)).map(NodeId)
    }

    /// An element's name: lower-case in HTML, as the standard writes it elsewhere (`foreignObject`).
    pub fn name(&self, node: NodeId) -> Option<&str> {
        match &self.node(node).data {
            Data::Element { name, .. } => Some(name),
            _ => None,
        }
    }

    /// An element's vocabulary.
    pub fn space(&self, node: NodeId) -> Option<Space> {
        match self.node(node).data {
            Data::Element { space, .. } => Some(space),
            _ => None,
        }
    }

    /// The value of an element's attribute.
    pub fn attribute(&self, node: NodeId, name: &str) -> Option<&str> {
        self.attributes(node).find(|(key, _, _)| *key == name).map(|(_, _, value)| value)
    }

    /// An element's attributes: name, vocabulary, value.
    pub fn attributes(&self, node: NodeId) -> impl Iterator<Item = (&str, Space, &str)> + '_ {
        let span = match self.node(node).data {
            Data::Element { attributes, .. } => attributes,
            _ => Span::default(),
        };
        self.attributes[span.range()].iter().map(|at| (&*at.name, at.space, &self.text[at.value.range()]))
    }

    /// The characters of a text or comment, the name of a doctype; nothing for others.
    pub fn text(&self, node: NodeId) -> &str {
        match self.node(node).data {
            Data::Text(span) | Data::Comment(span) | Data::Doctype(span) => &self.text[span.range()],
            _ => "",
        }
    }

    /// All text under a node, joined: the string value of XPath.
    pub fn text_content(&self, node: NodeId) -> String {
        let mut content = String::new();
        if self.kind(node) != Kind::Document && self.kind(node) != Kind::Element {
            content.push_str(self.text(node));
        }
        for inner in self.descendants(node).filter(|inner| self.kind(*inner) == Kind::Text) {
            content.push_str(self.text(inner));
        }
        content
    }

    pub(crate) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }

    /// Sets where each node's descendants end. Ids must be in document order.
    pub(crate) fn close(&mut self) {
        for at in (0..self.nodes.len()).rev() {
            self.nodes[at].end = match self.nodes[at].last.get() {
                Some(last) => self.nodes[last as usize].end,
                None => at as u32 + 1,
            };
        }
    }

    /// The id after the last one under `node`.
    pub(crate) fn end_of(&self, node: NodeId) -> u32 {
        self.node(node).end
    }

    /// How many nodes stand above the deepest one.
    pub(crate) fn depth(&self) -> u32 {
        *self.depth.get_or_init(|| {
            let mut depths = vec![0_u32; self.nodes.len()];
            for at in 1..self.nodes.len() {
                let parent = self.nodes[at].parent.get().unwrap_or_default();
                depths[at] = depths[parent as usize] + 1;
            }
            depths.into_iter().max().unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_may_move_between_threads() {
        fn check<T: Send + Sync>() {}
        check::<Tree>();
    }

    #[test]
    fn a_node_is_small() {
        assert!(size_of::<Node>() <= 48, "{} bytes", size_of::<Node>());
    }
}
