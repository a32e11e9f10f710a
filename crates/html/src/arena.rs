//! The tree while it grows, as the HTML5 tree builder wants it.
//!
//! The builder may put nodes before others, move them and join texts; [`Arena::finish`] brings ids and text into
//! document order and leaves out what fell off the tree.

use std::borrow::Cow;
use std::cell::{Ref, RefCell, RefMut};
use std::collections::{HashMap, HashSet};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, Namespace, QualName, ns};

use crate::limits;
use crate::tree::{Attribute, Data, Link, Node, Space, Span, Tree};

/// A growing tree.
pub(crate) struct Arena(RefCell<Growing>);

/// What has grown so far.
pub(crate) struct Growing {
    tree: Tree,
    depths: Vec<u32>,
    /// Texts that grew after others had been written behind them: joining in place would be quadratic.
    moved_texts: HashMap<u32, String>,
    moved_bytes: usize,
    /// `<annotation-xml>` elements that hold HTML.
    islands: HashSet<u32>,
    /// Depth of the last element put into the tree, or of the current element if asked for since.
    depth: u32,
    asking: bool,
}

impl Arena {
    pub(crate) fn new() -> Arena {
        Arena(RefCell::new(Growing {
            tree: Tree {
                nodes: vec![Node::alone(Data::Document)],
                attributes: Vec::new(),
                text: String::new(),
                cut: false,
                depth: Default::default(),
            },
            depths: vec![0],
            moved_texts: HashMap::new(),
            moved_bytes: 0,
            islands: HashSet::new(),
            depth: 0,
            asking: false,
        }))
    }

    /// Depth of the last element put into the tree: at least that of the current one.
    pub(crate) fn depth(&self) -> u32 {
        self.0.borrow().depth
    }

    /// Learns the depth of the current element: `ask` must make the builder add a comment, which is not added.
    pub(crate) fn measure_depth(&self, ask: impl FnOnce()) -> u32 {
        self.0.borrow_mut().asking = true;
        ask();
        let mut growing = self.0.borrow_mut();
        growing.asking = false;
        growing.depth
    }

    /// Nodes, and bytes of text, so far.
    pub(crate) fn size(&self) -> (usize, usize) {
        let growing = self.0.borrow();
        (growing.tree.nodes.len(), growing.tree.text.len() + growing.moved_bytes)
    }

    fn get(&self) -> Ref<'_, Growing> {
        self.0.borrow()
    }

    fn get_mut(&self) -> RefMut<'_, Growing> {
        self.0.borrow_mut()
    }
}

/// An element's name, as the builder asks for it.
#[derive(Debug)]
pub(crate) struct Name(Namespace, LocalName);

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.0
    }

    fn local_name(&self) -> &LocalName {
        &self.1
    }
}

impl TreeSink for Arena {
    type Handle = u32;
    type Output = Tree;
    type ElemName<'a> = Name;

    fn finish(self) -> Tree {
        self.0.into_inner().finish()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> u32 {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a u32) -> Name {
        match &self.get().tree.nodes[*target as usize].data {
            Data::Element { name, space, .. } => Name(namespace(*space), name.clone()),
            _ => Name(ns!(), LocalName::default()),
        }
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<html5ever::Attribute>,
        flags: ElementFlags,
    ) -> u32 {
        let mut growing = self.get_mut();
        let start = growing.tree.attributes.len() as u32;
        for attribute in attributes {
            growing.add_attribute(attribute);
        }
        let attributes = Span { start, end: growing.tree.attributes.len() as u32 };
        let id = growing.create(Data::Element { name: name.local, space: space(&name.ns), attributes });
        if flags.mathml_annotation_xml_integration_point {
            growing.islands.insert(id);
        }
        id
    }

    fn create_comment(&self, text: StrTendril) -> u32 {
        let mut growing = self.get_mut();
        if growing.asking {
            return ASKED;
        }
        let span = growing.write(&text);
        growing.create(Data::Comment(span))
    }

    fn create_pi(&self, _: StrTendril, data: StrTendril) -> u32 {
        self.create_comment(data)
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        self.get_mut().insert(*parent, Link::NONE, child);
    }

    fn append_based_on_parent_node(&self, element: &u32, previous: &u32, child: NodeOrText<u32>) {
        let mut growing = self.get_mut();
        match growing.tree.nodes[*element as usize].parent.get() {
            Some(parent) => growing.insert(parent, Link::to(*element), child),
            None => growing.insert(*previous, Link::NONE, child),
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, _: StrTendril, _: StrTendril) {
        let mut growing = self.get_mut();
        let span = growing.write(&name);
        let id = growing.create(Data::Doctype(span));
        growing.insert(0, Link::NONE, NodeOrText::AppendNode(id));
    }

    /// Its children: selectors shall find what is in a template, as people see it in the source.
    fn get_template_contents(&self, target: &u32) -> u32 {
        *target
    }

    fn same_node(&self, one: &u32, other: &u32) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        let mut growing = self.get_mut();
        if let Some(parent) = growing.tree.nodes[*sibling as usize].parent.get() {
            growing.insert(parent, Link::to(*sibling), child);
        }
    }

    fn add_attrs_if_missing(&self, target: &u32, attributes: Vec<html5ever::Attribute>) {
        self.get_mut().add_missing(*target, attributes);
    }

    fn remove_from_parent(&self, target: &u32) {
        self.get_mut().detach(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        let mut growing = self.get_mut();
        while let Some(child) = growing.tree.nodes[*node as usize].first.get() {
            growing.insert(*new_parent, Link::NONE, NodeOrText::AppendNode(child));
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &u32) -> bool {
        self.get().islands.contains(target)
    }

    /// A shadow root is shown in place of its host's children; here the template stays a template.
    fn allow_declarative_shadow_roots(&self, _: &u32) -> bool {
        false
    }
}

/// Stands for the comment that was never made.
const ASKED: u32 = u32::MAX - 1;

impl Growing {
    fn create(&mut self, data: Data) -> u32 {
        self.tree.nodes.push(Node::alone(data));
        self.depths.push(0);
        (self.tree.nodes.len() - 1) as u32
    }

    fn write(&mut self, text: &str) -> Span {
        let start = self.tree.text.len() as u32;
        self.tree.text.push_str(text);
        Span { start, end: self.tree.text.len() as u32 }
    }

    fn add_attribute(&mut self, attribute: html5ever::Attribute) {
        let value = self.write(&attribute.value);
        let space = space(&attribute.name.ns);
        self.tree.attributes.push(Attribute { name: attribute.name.local, space, value });
    }

    fn add_missing(&mut self, target: u32, attributes: Vec<html5ever::Attribute>) {
        let Data::Element { attributes: span, .. } = self.tree.nodes[target as usize].data else { return };
        let known = self.tree.attributes[span.range()].to_vec();
        let room = limits::ATTRIBUTES.saturating_sub(known.len());
        let missing: Vec<_> = attributes
            .into_iter()
            .filter(|new| known.iter().all(|old| old.name != new.name.local))
            .take(room)
            .collect();
        if missing.is_empty() {
            return;
        }
        let start = self.tree.attributes.len() as u32;
        self.tree.attributes.extend(known);
        for attribute in missing {
            self.add_attribute(attribute);
        }
        let end = self.tree.attributes.len() as u32;
        if let Data::Element { attributes, .. } = &mut self.tree.nodes[target as usize].data {
            *attributes = Span { start, end };
        }
    }

    /// Puts a node or text into `parent`, before one of its children or at its end.
    fn insert(&mut self, parent: u32, before: Link, child: NodeOrText<u32>) {
        let previous = match before.get() {
            Some(before) => self.tree.nodes[before as usize].previous,
            None => self.tree.nodes[parent as usize].last,
        };
        match child {
            NodeOrText::AppendNode(ASKED) => self.depth = self.depths[parent as usize],
            NodeOrText::AppendNode(id) => {
                self.detach(id);
                self.attach(parent, before, id);
                if matches!(self.tree.nodes[id as usize].data, Data::Element { .. }) {
                    self.depth = self.depths[id as usize];
                }
            }
            NodeOrText::AppendText(text) => {
                if let Some(previous) = previous.get()
                    && let Data::Text(span) = self.tree.nodes[previous as usize].data
                {
                    self.join(previous, span, &text);
                } else {
                    let span = self.write(&text);
                    let id = self.create(Data::Text(span));
                    self.attach(parent, before, id);
                }
            }
        }
    }

    /// Adds to an existing text.
    fn join(&mut self, id: u32, span: Span, text: &str) {
        if let Some(moved) = self.moved_texts.get_mut(&id) {
            moved.push_str(text);
            self.moved_bytes += text.len();
        } else if span.end as usize == self.tree.text.len() {
            let end = self.write(text).end;
            self.tree.nodes[id as usize].data = Data::Text(Span { start: span.start, end });
        } else {
            let moved = [&self.tree.text[span.range()], text].concat();
            self.moved_bytes += moved.len();
            self.moved_texts.insert(id, moved);
        }
    }

    fn attach(&mut self, parent: u32, before: Link, id: u32) {
        self.depths[id as usize] = self.depths[parent as usize] + 1;
        let previous = match before.get() {
            Some(before) => std::mem::replace(&mut self.tree.nodes[before as usize].previous, Link::to(id)),
            None => std::mem::replace(&mut self.tree.nodes[parent as usize].last, Link::to(id)),
        };
        match previous.get() {
            Some(previous) => self.tree.nodes[previous as usize].next = Link::to(id),
            None => self.tree.nodes[parent as usize].first = Link::to(id),
        }
        let node = &mut self.tree.nodes[id as usize];
        (node.parent, node.previous, node.next) = (Link::to(parent), previous, before);
    }

    fn detach(&mut self, id: u32) {
        let nodes = &mut self.tree.nodes;
        let node = &mut nodes[id as usize];
        let (parent, previous, next) = (node.parent, node.previous, node.next);
        (node.parent, node.previous, node.next) = (Link::NONE, Link::NONE, Link::NONE);
        let Some(parent) = parent.get() else { return };
        match previous.get() {
            Some(previous) => nodes[previous as usize].next = next,
            None => nodes[parent as usize].first = next,
        }
        match next.get() {
            Some(next) => nodes[next as usize].previous = previous,
            None => nodes[parent as usize].last = previous,
        }
    }

    fn finish(self) -> Tree {
        let whole =
            self.document_order().enumerate().take_while(|(place, id)| *place == *id as usize).count();
        let ordered = whole == self.tree.nodes.len() && self.moved_texts.is_empty();
        let mut tree = if ordered { self.tree } else { self.rebuilt() };
        tree.close();
        tree
    }

    /// All nodes that hang on the tree, in document order. Walks links: depth is no stack.
    fn document_order(&self) -> impl Iterator<Item = u32> + '_ {
        let nodes = &self.tree.nodes;
        std::iter::successors(Some(0_u32), move |at| {
            if let Some(first) = nodes[*at as usize].first.get() {
                return Some(first);
            }
            let mut at = *at;
            loop {
                if let Some(next) = nodes[at as usize].next.get() {
                    return Some(next);
                }
                at = nodes[at as usize].parent.get()?;
            }
        })
    }

    fn rebuilt(mut self) -> Tree {
        let order: Vec<u32> = self.document_order().collect();
        let mut new_ids = vec![Link::NONE; self.tree.nodes.len()];
        for (new, old) in order.iter().enumerate() {
            new_ids[*old as usize] = Link::to(new as u32);
        }
        let renamed = |link: Link| link.get().map_or(Link::NONE, |old| new_ids[old as usize]);
        let mut tree = Tree {
            nodes: Vec::with_capacity(order.len()),
            attributes: Vec::new(),
            text: String::with_capacity(self.tree.text.len()),
            cut: self.tree.cut,
            depth: Default::default(),
        };
        let old_text = &self.tree.text;
        for old in order {
            let node = &self.tree.nodes[old as usize];
            let mut write = |text: &str| {
                let start = tree.text.len() as u32;
                tree.text.push_str(text);
                Span { start, end: tree.text.len() as u32 }
            };
            let data = match &node.data {
                Data::Document => Data::Document,
                Data::Doctype(span) => Data::Doctype(write(&old_text[span.range()])),
                Data::Comment(span) => Data::Comment(write(&old_text[span.range()])),
                Data::Text(span) => match self.moved_texts.remove(&old) {
                    Some(moved) => Data::Text(write(&moved)),
                    None => Data::Text(write(&old_text[span.range()])),
                },
                Data::Element { name, space, attributes } => {
                    let start = tree.attributes.len() as u32;
                    for old in &self.tree.attributes[attributes.range()] {
                        let value = write(&old_text[old.value.range()]);
                        tree.attributes.push(Attribute { name: old.name.clone(), space: old.space, value });
                    }
                    let attributes = Span { start, end: tree.attributes.len() as u32 };
                    Data::Element { name: name.clone(), space: *space, attributes }
                }
            };
            tree.nodes.push(Node {
                parent: renamed(node.parent),
                previous: renamed(node.previous),
                next: renamed(node.next),
                first: renamed(node.first),
                last: renamed(node.last),
                end: 0,
                data,
            });
        }
        tree
    }
}

fn space(namespace: &Namespace) -> Space {
    match *namespace {
        ns!() => Space::None,
        ns!(html) => Space::Html,
        ns!(svg) => Space::Svg,
        ns!(mathml) => Space::MathMl,
        _ => Space::Other,
    }
}

fn namespace(space: Space) -> Namespace {
    match space {
        Space::None | Space::Other => ns!(),
        Space::Html => ns!(html),
        Space::Svg => ns!(svg),
        Space::MathMl => ns!(mathml),
    }
}
