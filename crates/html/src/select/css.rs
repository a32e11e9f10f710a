//! CSS selectors: compiled and matched by the `selectors` crate over our tree.
//!
//! The crate knows no fuel, so each move it makes through the tree is counted; when none is left the tree looks
//! empty to it and it comes home.

mod element;
mod grammar;

use std::cell::Cell;

use cssparser::{ParseErrorKind, Parser as Tokens};
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::matches_selector;
use selectors::parser::{ParseRelative, Selector, SelectorList};

use super::{Found, Fuel, MAX_NESTING, OutOfFuel, SelectError, characters_before};
use crate::tree::Data;
use crate::{Kind, NodeId, Tree};
use element::{Element, View};
use grammar::{Grammar, Language, Part, Problem, reason};

/// Deepest tree in which `:has` is answered: the crate recurses there. The parser's trees are half as deep.
const MAX_HAS_DEPTH: u32 = 2 * crate::limits::DEPTH;

/// Most names, tests and combinators in one selector: the crate recurses over them.
const MAX_PARTS: usize = 512;

/// A compiled list of selectors.
pub(super) struct Plan {
    branches: Vec<Branch>,
    has: bool,
}

struct Branch {
    selector: Selector<Language>,
    part: Option<Part>,
    /// Whether the starting node itself is asked too.
    with_start: bool,
    /// Only elements of this name can match.
    name: Option<html5ever::LocalName>,
}

pub(super) fn compile(text: &str) -> Result<Plan, SelectError> {
    let list = match parse(text) {
        Ok(list) => list,
        Err(problem) => {
            let position = characters_before(text, place_of_mistake(text));
            return Err(SelectError { position, reason: reason(&problem) });
        }
    };
    let mut branches = Vec::new();
    for selector in list.slice() {
        if selector.len() > MAX_PARTS {
            let reason = format!("a selector of more than {MAX_PARTS} parts; shorten it");
            return Err(SelectError { position: 0, reason });
        }
        let part = selector.pseudo_element().cloned();
        // `::text` alone is about the starting node's own text too, as in Scrapy.
        let bare = part.is_some() && selector.len() <= 2;
        branches.push(Branch {
            name: grammar::name_of_subject(selector),
            with_start: bare || selector.has_scope_selector(),
            selector: selector.clone(),
            part,
        });
    }
    Ok(Plan { branches, has: text.to_ascii_lowercase().contains("has(") })
}

impl Plan {
    pub(super) fn select(&self, tree: &Tree, from: NodeId, fuel: &mut Fuel) -> Result<Vec<Found>, OutOfFuel> {
        if self.has && tree.depth() > MAX_HAS_DEPTH {
            return Err(OutOfFuel);
        }
        let view = View { tree, fuel: Cell::new(fuel.left) };
        let mut caches = SelectorCaches::default();
        let mut found = Vec::new();
        for branch in &self.branches {
            branch.select(&view, from, &mut caches, &mut found);
        }
        let left = view.fuel.get();
        fuel.left = left;
        if left == 0 {
            return Err(OutOfFuel);
        }
        if !found.is_sorted_by(|one, other| one < other) {
            found.sort_unstable();
            found.dedup();
        }
        Ok(found)
    }
}

impl Branch {
    fn select<'a>(
        &'a self,
        view: &'a View<'a>,
        from: NodeId,
        caches: &'a mut SelectorCaches,
        found: &mut Vec<Found>,
    ) {
        let mode = match self.part {
            Some(_) => MatchingMode::ForStatelessPseudoElement,
            None => MatchingMode::Normal,
        };
        let mut context = MatchingContext::new(
            mode,
            None,
            caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        let tree = view.tree;
        if tree.kind(from) == Kind::Element {
            context.scope_element = Some(element::opaque(tree, from));
        }
        let start = if self.with_start { from.0 } else { from.0 + 1 };
        for id in start..tree.end_of(from) {
            let Data::Element { name, .. } = &tree.nodes[id as usize].data else { continue };
            if !view.burn() {
                return;
            }
            if self.name.as_ref().is_some_and(|wanted| wanted != name) {
                continue;
            }
            let node = NodeId(id);
            if matches_selector(&self.selector, 0, None, Element { view, node }, &mut context) {
                self.take(view, node, found);
            }
        }
    }

    fn take(&self, view: &View<'_>, node: NodeId, found: &mut Vec<Found>) {
        let tree = view.tree;
        match &self.part {
            None => found.push(Found::Node(node)),
            Some(Part::Text) => {
                let texts = tree.children(node).take_while(|_| view.burn());
                found.extend(texts.filter(|child| tree.kind(*child) == Kind::Text).map(Found::Node));
            }
            Some(Part::Attribute(wanted)) => {
                let place = tree.attributes(node).position(|(name, _, _)| *name == **wanted);
                found.extend(place.map(|place| Found::Attribute(node, place as u32)));
            }
        }
    }
}

fn parse(text: &str) -> Result<SelectorList<Language>, ParseErrorKind<Problem>> {
    let mut tokens = Tokens::new(text);
    tokens.set_nested_block_limit(MAX_NESTING as u8);
    tokens
        .parse_entirely(|tokens| SelectorList::parse(&Grammar, tokens, ParseRelative::No))
        .map_err(|error| error.kind)
}

/// Where a text stops being a selector: the parser does not tell. Open brackets and texts close by themselves at
/// the end, so the longest beginning that is a selector ends just before the mistake.
fn place_of_mistake(text: &str) -> usize {
    let boundaries: Vec<usize> = text
        .char_indices()
        .filter(|(_, character)| !character.is_alphanumeric())
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let good = boundaries.iter().rev().find(|end| parse(&text[..**end]).is_ok()).copied().unwrap_or(0);
    let blanks = text[good..].len() - text[good..].trim_start().len();
    good + blanks
}

#[cfg(test)]
mod tests;
