//! A field that is no longer found: which selector finds it on the page as it is now.
//!
//! The caller knows the values from an earlier run. Where a page changed its markup and not its contents, the
//! elements that say the same are still there; the shortest selector that finds them, and only them, is proposed.

use html::select::Selector;
use html::{Kind, NodeId, Tree};
use model::{PageUrl, Value};

use crate::compile::{Source, Template};
use crate::read::Page;

/// Rows that are looked at, and elements of one row that are tried.
const MAX_ROWS: usize = 50;
const MAX_ELEMENTS: usize = 40;
/// Selectors that are proposed.
const MAX_PROPOSALS: usize = 8;

impl Template {
    /// CSS selectors for a field of a page type, relative to the row, that find these values, by their row's place
    /// on the page, in all rows but at most a quarter; the sturdiest, then the shortest first. None for a field whose source is no
    /// selector.
    pub fn proposals(
        &self,
        page_type: &str,
        field: &str,
        tree: &Tree,
        url: &PageUrl,
        known: &[(u32, Value)],
    ) -> Vec<String> {
        let page_type = self.pages.iter().find(|page| page.name == page_type);
        let field = page_type.and_then(|page_type| page_type.fields.iter().find(|known| known.name == field));
        let (Some(page_type), Some(field)) = (page_type, field) else { return Vec::new() };
        let known: Vec<&(u32, Value)> =
            known.iter().filter(|(_, value)| !value.is_empty()).take(MAX_ROWS).collect();
        if known.is_empty() || !matches!(field.source, Some(Source::Select(_))) {
            return Vec::new();
        }
        let mut page = Page::new(self, tree, url);
        let containers = match &page_type.rows {
            Some(rows) => page.nodes(rows, tree.root()),
            None => vec![tree.root()],
        };
        let row = |place: u32| containers.get(place as usize).copied();
        let needed = known.len() - known.len() / 4;
        let finds = |page: &mut Page<'_>, selector: &Selector| {
            let mut changed = field.clone();
            changed.source = Some(Source::Select(selector.clone()));
            let agree = |(place, value): &&&(u32, Value)| {
                row(*place).is_some_and(|container| page.value(&changed, container) == *value)
            };
            known.iter().filter(agree).count() >= needed
        };
        let mut candidates: Vec<String> = Vec::new();
        for (place, value) in &known {
            let Some(container) = row(*place) else { continue };
            let same = elements_with(&mut page, field, container, value);
            candidates.extend(same.into_iter().flat_map(|node| selectors(tree, container, node)));
            if !candidates.is_empty() {
                break;
            }
        }
        candidates.sort_by_key(|text| (is_weak(text), text.matches(' ').count(), text.len()));
        candidates.dedup();
        let good = candidates
            .into_iter()
            .filter(|text| Selector::css(text).is_ok_and(|selector| finds(&mut page, &selector)));
        good.take(MAX_PROPOSALS).collect()
    }
}

/// Elements of a row that say this value, innermost last.
fn elements_with(
    page: &mut Page<'_>,
    field: &crate::compile::Field,
    container: NodeId,
    value: &Value,
) -> Vec<NodeId> {
    let tree = page.tree;
    let elements = tree.descendants(container).filter(|node| tree.kind(*node) == Kind::Element);
    let mut same = Vec::new();
    for node in elements {
        let text =
            page.text_of(field, html::select::Found::Node(node)).map(|text| vec![text]).unwrap_or_default();
        let cleaned = field.clean.iter().fold(text, |texts, step| step.apply(texts));
        if cleaned.first().is_some_and(|text| page.understood(field, text) == *value) {
            same.push(node);
        }
        if same.len() == MAX_ELEMENTS {
            break;
        }
    }
    same
}

/// Short selectors for an element in its row: by class, property, name, and by its parent's class.
fn selectors(tree: &Tree, container: NodeId, node: NodeId) -> Vec<String> {
    let own = simple(tree, node);
    let parent = tree.parent(node).filter(|parent| *parent != container);
    let around = parent.map(|parent| simple(tree, parent)).unwrap_or_default();
    let nested = around.iter().flat_map(|outer| own.iter().map(move |inner| format!("{outer} > {inner}")));
    own.iter().cloned().chain(nested).collect()
}

/// True of a selector that only names elements which stand for nothing: the next change of the page breaks it.
fn is_weak(selector: &str) -> bool {
    let speaks = ["h1", "h2", "h3", "h4", "h5", "h6", "time"].contains(&selector);
    !speaks && !selector.contains(['.', '['])
}

/// Selectors that speak of one element alone.
fn simple(tree: &Tree, node: NodeId) -> Vec<String> {
    let plain = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    let mut all = Vec::new();
    for class in
        tree.attribute(node, "class").unwrap_or_default().split_whitespace().filter(|class| plain(class))
    {
        all.push(format!(".{class}"));
    }
    if let Some(property) = tree.attribute(node, "itemprop").filter(|name| plain(name)) {
        all.push(format!("[itemprop={property}]"));
    }
    all.extend(
        tree.attributes(node)
            .map(|(name, ..)| name)
            .filter(|name| name.starts_with("data-") && plain(name))
            .map(|name| format!("[{name}]")),
    );
    all.extend(tree.name(node).filter(|name| plain(name)).map(str::to_owned));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{template, tree};

    fn check(fields: &str, html: &str, known: &[(u32, &str)], expected: Option<&str>) {
        let known: Vec<(u32, Value)> =
            known.iter().map(|(place, text)| (*place, Value::Text((*text).to_owned()))).collect();
        let url = PageUrl::parse("http://a.test/").unwrap();
        let proposed = template(fields).proposals("p", "f", &tree(html), &url, &known);
        assert_eq!(proposed.first().map(String::as_str), expected, "{html}");
    }

    #[test]
    fn a_short_and_sturdy_selector_that_still_finds_the_values_is_proposed() {
        let fields = "  p: {rows: li, read: {f: .title}}";
        let html = "<ul><li><b class=x>1</b><a class=name>A</a><li><b class=x>2</b><a class=name>B</a></ul>";
        check(fields, html, &[(0, "A"), (1, "B")], Some(".name"));
        let html = "<ul><li><b>1</b><a>A</a><li><b>2</b><a>B</a></ul>";
        check(fields, html, &[(0, "A"), (1, "B")], Some("a"));
        let html = "<ul><li><a>1</a><a class=name>A</a><li><a>2</a><a class=name>B</a></ul>";
        check(fields, html, &[(0, "A"), (1, "B")], Some(".name"));
        let html = "<ul><li><i>1</i><h3><i>A</i></h3><li><i>2</i><h3><i>B</i></h3></ul>";
        check(fields, html, &[(0, "A"), (1, "B")], Some("h3"));
        check(fields, html, &[(0, "X"), (1, "Y")], None);
        check(fields, html, &[], None);
    }
}
