//! Where a list goes on: a link that says "next", or numbered pages.

use html::NodeId;

use super::outline::Outline;
use super::selectors::{Expression, nodes};
use html::select::Selector;

/// How a list goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextPage {
    /// Selects the link to the next page.
    pub selector: Expression,
    /// Its address as written.
    pub href: String,
    /// True when the pages are numbered in their addresses.
    pub numbered: bool,
}

pub(super) fn next_page(outline: &Outline<'_>) -> Option<NextPage> {
    let links: Vec<NodeId> = outline.elements().filter(|node| is_link(outline, *node)).collect();
    let best =
        links.iter().copied().max_by_key(|node| (says_next(outline, *node), std::cmp::Reverse(*node)))?;
    if says_next(outline, best) > 0 {
        let href = outline.tree.attribute(best, "href")?.to_owned();
        let numbered = numbered_siblings(outline, best);
        return Some(NextPage { selector: selector_of(outline, best)?, href, numbered });
    }
    // No "next", but a row of numbers with page 2 in it.
    let second =
        links.into_iter().find(|node| outline.words(*node) == "2" && numbered_siblings(outline, *node))?;
    let href = outline.tree.attribute(second, "href")?.to_owned();
    Some(NextPage { selector: selector_of(outline, second)?, href, numbered: true })
}

fn is_link(outline: &Outline<'_>, node: NodeId) -> bool {
    let href = outline.tree.attribute(node, "href").unwrap_or_default();
    matches!(outline.tree.name(node), Some("a")) && !href.is_empty() && !href.starts_with('#')
}

/// How sure it is that a link leads to the next page: 0 not at all.
fn says_next(outline: &Outline<'_>, node: NodeId) -> u8 {
    let tree = outline.tree;
    let has_word = |attribute: &str, word: &str| {
        tree.attribute(node, attribute).is_some_and(|value| {
            value.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part.eq_ignore_ascii_case(word))
        })
    };
    if has_word("rel", "next") {
        return 5;
    }
    let text = outline.words(node).to_lowercase();
    let text = text.trim_matches(|c: char| !c.is_alphanumeric() && !ARROWS.contains(c)).trim();
    let bare = text.trim_matches(|c: char| ARROWS.contains(c) || c.is_whitespace());
    if NEXT.contains(&bare) {
        return 4;
    }
    if has_word("class", "next") || has_word("aria-label", "next") || has_word("title", "next") {
        return 3;
    }
    if !text.is_empty() && text.chars().all(|c| ARROWS.contains(c)) {
        return 2;
    }
    0
}

const ARROWS: &str = "›»→>";
const NEXT: [&str; 20] = [
    "next",
    "next page",
    "older",
    "older posts",
    "older entries",
    "more",
    "load more",
    "show more",
    "weiter",
    "nächste",
    "nächste seite",
    "suivant",
    "suivante",
    "page suivante",
    "siguiente",
    "próxima",
    "successiva",
    "volgende",
    "dalej",
    "次へ",
];

/// True when the link stands among links whose texts are numbers.
fn numbered_siblings(outline: &Outline<'_>, node: NodeId) -> bool {
    let mut at = node;
    for _ in 0..3 {
        let Some(parent) = outline.tree.parent(at) else { return false };
        let numbers = outline.tree.descendants(parent).take(200).filter(|inner| {
            outline.tree.name(*inner) == Some("a") && outline.words(*inner).parse::<u32>().is_ok()
        });
        if numbers.count() >= 2 {
            return true;
        }
        at = parent;
    }
    false
}

fn selector_of(outline: &Outline<'_>, node: NodeId) -> Option<Expression> {
    let tree = outline.tree;
    let mut candidates = Vec::new();
    if tree.attribute(node, "rel").is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word == "next"))
    {
        candidates.push(Expression::Css("a[rel~=\"next\"]".to_owned()));
    }
    for class in outline
        .classes(node)
        .filter(|class| class.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_'))
    {
        candidates.push(Expression::Css(format!("a.{class}")));
    }
    for class in tree.parent(node).into_iter().flat_map(|parent| outline.classes(parent)) {
        if class.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
            candidates.push(Expression::Css(format!(".{class} > a")));
        }
    }
    if let Some(label) = tree.attribute(node, "aria-label").filter(|label| !label.contains(['"', '\\'])) {
        candidates.push(Expression::Css(format!("a[aria-label=\"{label}\"]")));
    }
    let words = outline.words(node);
    if !words.contains(['"', '\'']) {
        candidates.push(Expression::XPath(format!("//a[normalize-space()='{words}']")));
        candidates.push(Expression::XPath(format!("(//a[normalize-space()='{words}'])[last()]")));
    }
    candidates.into_iter().find(|candidate| {
        let compiled = match candidate {
            Expression::Css(text) => Selector::css(text),
            Expression::XPath(text) => Selector::xpath(text),
        };
        // The same link twice, above and below the list, is one way on.
        compiled.is_ok_and(|selector| {
            let found = nodes(&selector, tree, tree.root());
            let href = tree.attribute(node, "href");
            !found.is_empty() && found.iter().all(|found| tree.attribute(*found, "href") == href)
        })
    })
}
