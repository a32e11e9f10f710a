//! Selection: what a CSS selector or an XPath 1.0 expression finds in a page's own tree.
//!
//! A [`Selector`] is compiled once and then asked of any number of trees. Every step of an evaluation is paid for
//! with [`Fuel`], so that no expression, however written, and no tree, however built, takes longer than the caller
//! allows. What is wrong with an expression is said when it is compiled, with its place; evaluation itself cannot
//! fail but by running out of fuel.
//!
//! CSS: selectors level 4 as far as a page at rest can answer them, and `::text` and `::attr(name)` at the end.
//! The tree around the starting node counts, as in a browser's `querySelectorAll`; `:scope` is the starting node.
//!
//! XPath: all of 1.0 but variables. Elements are found by their plain names (`//svg` too), as in lxml's trees of
//! HTML; the prefixes `xml` and `xlink` are known, for attributes.

mod css;
mod xpath;

use std::fmt;
use std::sync::Arc;

use crate::{Kind, NodeId, Tree};

/// Longest expression, in characters.
pub const MAX_LENGTH: usize = 4096;

/// Deepest nesting of an expression: parentheses, brackets, arguments.
pub const MAX_NESTING: usize = 32;

/// A compiled expression. Cheap to clone.
#[derive(Clone)]
pub struct Selector(Arc<Compiled>);

struct Compiled {
    text: Box<str>,
    plan: Plan,
}

enum Plan {
    Css(css::Plan),
    XPath(xpath::Plan),
}

/// What an expression gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Selected {
    /// Nodes, in document order, none twice.
    Nodes(Vec<Found>),
    /// A text.
    Text(String),
    /// A number; may be infinite or not a number.
    Number(f64),
    /// True or false.
    Boolean(bool),
}

/// A node that an expression found. Ordered as in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Found {
    /// A node of the tree.
    Node(NodeId),
    /// An attribute: its element, and its place among the element's attributes.
    Attribute(NodeId, u32),
    /// A namespace that holds for an element. Pages have but one: `xml`.
    Namespace(NodeId),
}

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {}: {reason}", position + 1)]
pub struct SelectError {
    /// How many characters stand before the place.
    pub position: usize,
    /// What is wrong there.
    pub reason: String,
}

/// How many steps evaluations may still take: about one for each node, attribute or run of text that is looked at.
#[derive(Clone, Debug)]
pub struct Fuel {
    left: u64,
}

/// An evaluation wanted more steps than it was allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the expression needs more steps on this page than are allowed; make it simpler")]
pub struct OutOfFuel;

impl Selector {
    /// Compiles a CSS selector.
    pub fn css(text: &str) -> Result<Selector, SelectError> {
        Selector::new(text, |text| css::compile(text).map(Plan::Css))
    }

    /// Compiles an XPath 1.0 expression.
    pub fn xpath(text: &str) -> Result<Selector, SelectError> {
        Selector::new(text, |text| xpath::compile(text).map(Plan::XPath))
    }

    /// Compiles an expression in the language it looks like: XPath when it begins with a path, a bracket, an axis,
    /// a function or a value, else CSS.
    pub fn guess(text: &str) -> Result<Selector, SelectError> {
        if xpath::looks_like(text) { Selector::xpath(text) } else { Selector::css(text) }
    }

    fn new(
        text: &str,
        compile: impl FnOnce(&str) -> Result<Plan, SelectError>,
    ) -> Result<Selector, SelectError> {
        if text.chars().nth(MAX_LENGTH).is_some() {
            let reason = format!("longer than {MAX_LENGTH} characters; shorten the expression");
            return Err(SelectError { position: MAX_LENGTH, reason });
        }
        Ok(Selector(Arc::new(Compiled { text: text.into(), plan: compile(text)? })))
    }

    /// The expression as it was written.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// True for XPath, false for CSS.
    pub fn is_xpath(&self) -> bool {
        matches!(self.0.plan, Plan::XPath(_))
    }

    /// What the expression gives, seen from one node.
    pub fn select(&self, tree: &Tree, from: NodeId, fuel: &mut Fuel) -> Result<Selected, OutOfFuel> {
        match &self.0.plan {
            Plan::Css(plan) => plan.select(tree, from, fuel).map(Selected::Nodes),
            Plan::XPath(plan) => plan.select(tree, from, fuel),
        }
    }
}

impl fmt::Debug for Selector {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let language = if self.is_xpath() { "xpath" } else { "css" };
        write!(out, "{language} {:?}", self.text())
    }
}

/// Selectors are equal when they were written alike.
impl PartialEq for Selector {
    fn eq(&self, other: &Selector) -> bool {
        self.is_xpath() == other.is_xpath() && self.text() == other.text()
    }
}

impl Eq for Selector {}

impl Found {
    /// The node itself, or the element that the attribute or namespace belongs to.
    pub fn node(&self) -> NodeId {
        match *self {
            Found::Node(node) | Found::Attribute(node, _) | Found::Namespace(node) => node,
        }
    }

    /// Its string value as XPath defines it: all text under an element, the value of an attribute.
    pub fn string_value(&self, tree: &Tree) -> String {
        match *self {
            Found::Node(node) if tree.kind(node) == Kind::Doctype => String::new(),
            Found::Node(node) => tree.text_content(node),
            Found::Attribute(node, place) => {
                let value = tree.attributes(node).nth(place as usize).map(|(_, _, value)| value);
                value.unwrap_or_default().to_owned()
            }
            Found::Namespace(_) => XML_NAMESPACE.to_owned(),
        }
    }

    /// Document order: an element, its namespace, its attributes, what is in it.
    fn order(&self) -> (u32, u32) {
        match *self {
            Found::Node(node) => (node.0, 0),
            Found::Namespace(node) => (node.0, 1),
            Found::Attribute(node, place) => (node.0, place + 2),
        }
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Found) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Found {
    fn cmp(&self, other: &Found) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

impl Fuel {
    /// So many steps.
    pub fn new(steps: u64) -> Fuel {
        Fuel { left: steps }
    }

    /// How many are left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Pays for some steps.
    fn burn(&mut self, steps: u64) -> Result<(), OutOfFuel> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(OutOfFuel)
            }
        }
    }
}

const XLINK_NAMESPACE: &str = "http://www.w3.org/1999/xlink";
const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";

/// How many characters stand before a byte.
fn characters_before(text: &str, byte: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < byte).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_may_move_between_threads() {
        fn check<T: Send + Sync + Clone>() {}
        check::<Selector>();
    }

    #[test]
    fn the_language_is_guessed() {
        fn check(text: &str, is_xpath: bool) {
            assert_eq!(Selector::guess(text).unwrap().is_xpath(), is_xpath, "{text}");
        }
        for xpath in ["//a", "/", ".", "..", "./a", ".//a", "(//a)[1]", "@href", "child::a", "self::node()"] {
            check(xpath, true);
        }
        for xpath in ["count(//a)", "text()", "normalize-space (.)", "'a'", "1 + 1", " //a", "-1", "a/@href"]
        {
            check(xpath, true);
        }
        for css in
            ["a", ".price", "#top", "*", "a::text", "li:not(.x)", "[href]", ":root > body", "a, b", "::text"]
        {
            check(css, false);
        }
    }

    #[test]
    fn overlong_expressions_are_refused() {
        fn check(compile: fn(&str) -> Result<Selector, SelectError>) {
            assert!(compile(&"é".repeat(MAX_LENGTH)).is_ok());
            let error = compile(&"é".repeat(MAX_LENGTH + 1)).unwrap_err();
            assert_eq!(error.position, MAX_LENGTH);
            assert!(error.to_string().starts_with("at character 4097: longer than"), "{error}");
        }
        check(Selector::css);
        check(Selector::xpath);
    }
}
