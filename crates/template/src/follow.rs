//! Links: those a template follows, and those inside the parts of a page where links are followed.

use std::collections::HashSet;

use html::select::Selector;
use html::{NodeId, Tree};
use model::PageUrl;
use url::Url;

use crate::compile::{Next, PageType};
use crate::read::Page;
use crate::reading::{Reading, Wanted, Why};

/// Links taken from numbered pages, and from inside the link scope.
const MAX_NEXT: usize = 1_000;
const MAX_INSIDE: usize = 100_000;

/// Attributes in which pages keep the address of an image that is loaded later.
const LATER: [&str; 4] = ["data-src", "data-original", "data-lazy-src", "data-lazy"];

/// Adds the links to the further pages of a list.
pub(crate) fn next(page: &mut Page<'_>, page_type: &PageType, reading: &mut Reading) {
    let urls = match &page_type.next {
        None => return,
        Some(Next::Link(selector)) => links(page, selector, 1),
        Some(Next::Numbers(selector)) => links(page, selector, MAX_NEXT),
        Some(Next::Url { .. }) if reading.rows.is_empty() => return,
        Some(Next::Url { pattern, to }) => numbered(page, pattern, *to).into_iter().collect(),
    };
    for url in urls {
        if url != *page.url && !reading.wanted.iter().any(|wanted| wanted.url == url) {
            reading.wanted.push(Wanted { url, why: Why::Next });
        }
    }
}

/// The first so many links that a selector leads to.
fn links(page: &mut Page<'_>, selector: &Selector, most: usize) -> Vec<PageUrl> {
    let tree = page.tree;
    let found = match page.select(selector, tree.root()) {
        html::select::Selected::Nodes(found) => found,
        html::select::Selected::Text(text) => {
            return page.template.normalise.join_url(&page.base, &text).into_iter().collect();
        }
        _ => return Vec::new(),
    };
    let mut seen = HashSet::new();
    let references = found.iter().filter_map(|found| match found {
        html::select::Found::Node(node) => href(tree, *node).map(str::to_owned),
        other => Some(other.string_value(tree)),
    });
    let urls =
        references.filter_map(|reference| page.template.normalise.join_url(&page.base, &reference).ok());
    urls.filter(|url| seen.insert(url.clone())).take(most).collect()
}

/// The page after this one, by the pattern of its URL. A page that does not fit the pattern is the first.
fn numbered(page: &Page<'_>, pattern: &str, to: Option<u32>) -> Option<PageUrl> {
    /// Stands for the number while the pattern is made absolute; no page has it.
    const MARK: &str = "4294967291";
    let join =
        |number: &str| page.template.normalise.join_url(&page.base, &pattern.replace("{n}", number)).ok();
    let marked = join(MARK)?;
    let (before, after) = marked.as_str().split_once(MARK)?;
    let own = page.url.as_str().strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    let here = own.and_then(|digits| digits.parse::<u32>().ok()).unwrap_or(1);
    let next = here.checked_add(1).filter(|next| to.is_none_or(|to| *next <= to))?;
    join(&next.to_string())
}

/// The URLs of all links inside what these selectors find, each once.
pub(crate) fn inside(page: &mut Page<'_>, selectors: &[Selector]) -> Vec<PageUrl> {
    let tree = page.tree;
    let mut seen = HashSet::new();
    let mut urls = Vec::new();
    let mut looked = HashSet::new();
    for selector in selectors {
        for part in page.nodes(selector, tree.root()) {
            if !looked.insert(part) {
                continue;
            }
            for node in std::iter::once(part).chain(tree.descendants(part)) {
                let reference = match tree.name(node) {
                    Some("a" | "area") => tree.attribute(node, "href"),
                    Some("frame" | "iframe") => tree.attribute(node, "src"),
                    _ => None,
                };
                let url = reference
                    .and_then(|reference| page.template.normalise.join_url(&page.base, reference).ok());
                if let Some(url) = url.filter(|url| urls.len() < MAX_INSIDE && seen.insert(url.clone())) {
                    urls.push(url);
                }
            }
        }
    }
    urls
}

/// What relative links are relative to: the page, or its `<base href>`.
pub(crate) fn base(tree: &Tree, url: &PageUrl) -> Url {
    let own = Url::parse(url.as_str()).expect("a page's URL is a URL");
    let mut bases = tree.descendants(tree.root()).filter(|node| tree.name(*node) == Some("base"));
    let href = bases.find_map(|node| tree.attribute(node, "href"));
    let based = href.and_then(|href| own.join(href).ok());
    based.filter(|base| ["http", "https"].contains(&base.scheme())).unwrap_or(own)
}

/// Where a node leads: itself, the first link in it, or the link it stands in.
pub(crate) fn href(tree: &Tree, node: NodeId) -> Option<&str> {
    let of = |node: NodeId| match tree.name(node) {
        Some("a" | "area" | "link" | "base") => tree.attribute(node, "href"),
        Some("frame" | "iframe") => tree.attribute(node, "src"),
        Some("form") => tree.attribute(node, "action"),
        _ => None,
    };
    let around = || std::iter::successors(tree.parent(node), |node| tree.parent(*node));
    let found =
        of(node).or_else(|| tree.attribute(node, "href")).or_else(|| tree.descendants(node).find_map(of));
    let found = found.or_else(|| around().take(8).filter(|node| tree.name(*node) == Some("a")).find_map(of));
    found.map(str::trim).filter(|href| !href.is_empty())
}

/// The image that a node is or has.
pub(crate) fn src(tree: &Tree, node: NodeId) -> Option<&str> {
    let of = |node: NodeId| match tree.name(node) {
        Some("img" | "source" | "video" | "input") => {
            let shown = tree.attribute(node, "src").filter(|src| !src.starts_with("data:"));
            let later = || LATER.iter().find_map(|name| tree.attribute(node, name));
            let set = || tree.attribute(node, "srcset").and_then(|set| set.split_whitespace().next());
            let poster = || tree.attribute(node, "poster");
            // What a page loads later is the image; what it shows until then is a placeholder.
            later().or(shown).or_else(set).or_else(poster)
        }
        Some("meta") => tree.attribute(node, "content"),
        Some("a" | "link") => tree.attribute(node, "href").filter(|_| tree.first_child(node).is_none()),
        _ => None,
    };
    of(node).or_else(|| tree.descendants(node).find_map(of)).map(str::trim).filter(|src| !src.is_empty())
}
