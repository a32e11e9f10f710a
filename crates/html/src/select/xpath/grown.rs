//! Trees made node by node, for tests: deeper than a page may be, or of any shape.

use html5ever::LocalName;

use crate::tree::{Attribute, Data, Link, Node, Space, Span, Tree};

/// What comes next in the document.
#[derive(Clone, Debug)]
pub(super) enum Growth {
    /// An element, with the value of its attribute `k`.
    Open(&'static str, Option<&'static str>),
    Text(&'static str),
    Comment(&'static str),
    Close,
}

pub(super) fn tree(growth: impl IntoIterator<Item = Growth>) -> Tree {
    let mut tree = Tree {
        nodes: vec![Node::alone(Data::Document)],
        attributes: Vec::new(),
        text: String::new(),
        cut: false,
        depth: Default::default(),
    };
    let mut at = 0;
    for growth in growth {
        let mut write = |text: &str| {
            let start = tree.text.len() as u32;
            tree.text.push_str(text);
            Span { start, end: tree.text.len() as u32 }
        };
        let data = match growth {
            Growth::Close => {
                at = tree.nodes[at as usize].parent.get().unwrap_or(0);
                continue;
            }
            Growth::Text(text) => Data::Text(write(text)),
            Growth::Comment(text) => Data::Comment(write(text)),
            Growth::Open(name, value) => {
                let start = tree.attributes.len() as u32;
                if let Some(value) = value {
                    let value = write(value);
                    tree.attributes.push(Attribute { name: "k".into(), space: Space::None, value });
                }
                let attributes = Span { start, end: tree.attributes.len() as u32 };
                Data::Element { name: LocalName::from(name), space: Space::Html, attributes }
            }
        };
        let is_element = matches!(data, Data::Element { .. });
        let id = tree.nodes.len() as u32;
        let mut node = Node::alone(data);
        (node.parent, node.previous) = (Link::to(at), tree.nodes[at as usize].last);
        match node.previous.get() {
            Some(previous) => tree.nodes[previous as usize].next = Link::to(id),
            None => tree.nodes[at as usize].first = Link::to(id),
        }
        tree.nodes[at as usize].last = Link::to(id);
        tree.nodes.push(node);
        if is_element {
            at = id;
        }
    }
    tree.close();
    tree
}

/// So many elements in each other, a text in the innermost.
pub(super) fn deep(depth: usize) -> Tree {
    let open = std::iter::repeat_n(Growth::Open("a", Some("x")), depth);
    tree(open.chain([Growth::Text("t")]))
}
