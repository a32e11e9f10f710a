//! What detection needs to know of every element, gathered in one walk over the tree.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use html::{Kind, NodeId, Space, Tree};

/// The outline of a page: its elements in document order.
pub(super) struct Outline<'t> {
    pub(super) tree: &'t Tree,
    elements: HashMap<NodeId, Element>,
    order: Vec<NodeId>,
    /// Visible characters of the whole page.
    pub(super) text_length: usize,
}

/// What is known of one element.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// Hash of the tag names from the root down to it.
    pub(super) path: u64,
    /// Visible characters under it.
    pub(super) text_length: usize,
    /// True inside menus, page heads and feet, side columns.
    pub(super) margin: bool,
    /// True for what nobody reads: scripts, styles, forms' controls.
    pub(super) unread: bool,
}

impl<'t> Outline<'t> {
    pub(super) fn of(tree: &'t Tree) -> Outline<'t> {
        let mut outline = Outline { tree, elements: HashMap::new(), order: Vec::new(), text_length: 0 };
        for node in tree.descendants(tree.root()) {
            match tree.kind(node) {
                Kind::Element => {
                    let parent = tree.parent(node).and_then(|parent| outline.elements.get(&parent));
                    let mut path = DefaultHasher::new();
                    (parent.map(|parent| parent.path), tree.name(node)).hash(&mut path);
                    let element = Element {
                        path: path.finish(),
                        text_length: 0,
                        margin: parent.is_some_and(|parent| parent.margin) || is_margin(tree, node),
                        unread: parent.is_some_and(|parent| parent.unread) || is_unread(tree, node),
                    };
                    outline.elements.insert(node, element);
                    outline.order.push(node);
                }
                Kind::Text => outline.count_text(node),
                _ => {}
            }
        }
        outline
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.order.iter().copied()
    }

    pub(super) fn element(&self, node: NodeId) -> Option<&Element> {
        self.elements.get(&node)
    }

    pub(super) fn is_unread(&self, node: NodeId) -> bool {
        self.element(node).is_none_or(|element| element.unread)
    }

    pub(super) fn text_length_of(&self, node: NodeId) -> usize {
        self.element(node).map_or(0, |element| element.text_length)
    }

    /// The words under a node, one space between, without what nobody reads.
    pub(super) fn words(&self, node: NodeId) -> String {
        let mut words = String::new();
        for inner in self.tree.descendants(node).filter(|inner| self.tree.kind(*inner) == Kind::Text) {
            if self.tree.parent(inner).is_none_or(|parent| self.is_unread(parent)) {
                continue;
            }
            for word in self.tree.text(inner).split_whitespace() {
                if !words.is_empty() {
                    words.push(' ');
                }
                words.push_str(word);
            }
            if words.len() > MOST_TEXT {
                break;
            }
        }
        words
    }

    /// True when the element has words of its own, not only through its children.
    pub(super) fn has_own_words(&self, node: NodeId) -> bool {
        self.tree
            .children(node)
            .any(|child| self.tree.kind(child) == Kind::Text && has_word(self.tree.text(child)))
    }

    /// The element's classes, in the order of writing.
    pub(super) fn classes(&self, node: NodeId) -> impl Iterator<Item = &'t str> + use<'t> {
        self.tree.attribute(node, "class").unwrap_or_default().split_ascii_whitespace()
    }

    /// The child elements.
    pub(super) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.tree.children(node).filter(|child| self.tree.kind(*child) == Kind::Element)
    }

    fn count_text(&mut self, text: NodeId) {
        let Some(parent) = self.tree.parent(text) else { return };
        if self.is_unread(parent) {
            return;
        }
        let length: usize =
            self.tree.text(text).split_whitespace().map(|word| word.chars().count() + 1).sum();
        if length == 0 {
            return;
        }
        self.text_length += length;
        let mut at = Some(parent);
        // Deep pages are rare and their text hangs at the top; a bound keeps the walk linear on those that are not.
        for _ in 0..MOST_DEPTH {
            let Some(node) = at else { break };
            if let Some(element) = self.elements.get_mut(&node) {
                element.text_length += length;
            }
            at = self.tree.parent(node);
        }
    }
}

const MOST_TEXT: usize = 4_000;
const MOST_DEPTH: usize = 60;

/// True for text with a letter or digit: bullets and bars between links are no words.
fn has_word(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn is_unread(tree: &Tree, node: NodeId) -> bool {
    let name = tree.name(node).unwrap_or_default();
    matches!(
        name,
        "script"
            | "style"
            | "noscript"
            | "template"
            | "head"
            | "button"
            | "select"
            | "option"
            | "textarea"
            | "iframe"
    ) || tree.space(node) != Some(Space::Html)
}

fn is_margin(tree: &Tree, node: NodeId) -> bool {
    let name = tree.name(node).unwrap_or_default();
    if matches!(name, "nav" | "footer" | "aside" | "form") {
        return true;
    }
    // A page's head, not a card's.
    if name == "header" {
        return tree.parent(node).and_then(|parent| tree.name(parent)) == Some("body");
    }
    if matches!(name, "html" | "body" | "main") {
        return false;
    }
    let role = tree.attribute(node, "role").unwrap_or_default();
    let named = [tree.attribute(node, "class"), tree.attribute(node, "id")];
    let says = |word: &str| {
        named
            .iter()
            .flatten()
            .flat_map(|value| value.split(|c: char| !c.is_ascii_alphanumeric()))
            .any(|part| part.eq_ignore_ascii_case(word))
    };
    matches!(role, "navigation" | "contentinfo" | "banner" | "complementary" | "menu")
        || MARGIN_WORDS.iter().any(|word| says(word))
}

const MARGIN_WORDS: [&str; 12] = [
    "nav",
    "navbar",
    "menu",
    "breadcrumb",
    "breadcrumbs",
    "footer",
    "sidebar",
    "pagination",
    "pager",
    "toolbar",
    "toc",
    "cookie",
];
