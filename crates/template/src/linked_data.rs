//! Linked data: JSON-LD scripts and microdata, both as JSON objects with their `@type`, and paths into them.

use html::{Kind, NodeId, Tree};
use serde_json::{Map, Value as Json};

use crate::json::Path;
use crate::markup;

/// A compiled path: a type, if it begins with one, and the way from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DataPath {
    kind: Option<String>,
    path: Option<Path>,
}

/// Items nested in one another, and objects looked at for their type.
const MAX_NESTING: usize = 16;
const MAX_OBJECTS: usize = 20_000;

impl DataPath {
    /// Compiles `Product.offers.price`: a first part with a capital letter is a type.
    pub(crate) fn parse(text: &str) -> Result<DataPath, (usize, &'static str)> {
        let (first, rest) = text.split_once('.').unwrap_or((text, ""));
        if !first.starts_with(char::is_uppercase) {
            return Path::parse(text).map(|path| DataPath { kind: None, path: Some(path) });
        }
        let before = first.chars().count() + 1;
        let path = match rest {
            "" if text.ends_with('.') => return Err((before, "a key is missing")),
            "" => None,
            rest => Some(Path::parse(rest).map_err(|(place, reason)| (before + place, reason))?),
        };
        Ok(DataPath { kind: Some(first.to_owned()), path })
    }

    /// What the path leads to in these items.
    pub(crate) fn select<'a>(&self, items: &'a [Json]) -> Vec<&'a Json> {
        let from = match &self.kind {
            Some(kind) => of_type(items, kind),
            None => items.iter().collect(),
        };
        let Some(path) = &self.path else { return from };
        let mut found: Vec<&Json> = from.into_iter().flat_map(|item| path.select(item)).collect();
        // A property with several values is a list in JSON, and several properties in markup.
        found = found
            .into_iter()
            .flat_map(|value| value.as_array().map_or(vec![value], |list| list.iter().collect()))
            .collect();
        found
    }
}

/// All objects of a type, outermost first.
fn of_type<'a>(items: &'a [Json], kind: &str) -> Vec<&'a Json> {
    let is_of = |value: &Json| {
        let local = |name: &str| name.rsplit(['/', '#', ':']).next() == Some(kind);
        match value.get("@type") {
            Some(Json::String(name)) => local(name),
            Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).any(local),
            _ => false,
        }
    };
    let mut found = Vec::new();
    let mut level: Vec<&Json> = items.iter().collect();
    let mut looked = 0;
    while !level.is_empty() && looked < MAX_OBJECTS {
        let mut next = Vec::new();
        for value in level {
            looked += 1;
            if is_of(value) {
                found.push(value);
            }
            match value {
                Json::Array(list) => next.extend(list),
                Json::Object(map) => {
                    next.extend(map.values().filter(|inner| inner.is_object() || inner.is_array()))
                }
                _ => {}
            }
        }
        level = next;
    }
    found
}

/// A found value as text; an object by what names it.
pub(crate) fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(truth) => Some(truth.to_string()),
        Json::Object(map) => ["@value", "name", "url", "contentUrl", "@id"]
            .iter()
            .find_map(|key| map.get(*key))
            .filter(|inner| !inner.is_object() && !inner.is_array())
            .and_then(text),
        Json::Null | Json::Array(_) => None,
    }
}

/// A found value as the address it names.
pub(crate) fn address(value: &Json) -> Option<String> {
    match value {
        Json::Object(map) => {
            ["url", "contentUrl", "@id"].iter().find_map(|key| map.get(*key)?.as_str()).map(str::to_owned)
        }
        other => text(other),
    }
}

/// The JSON-LD below a node.
pub(crate) fn json_ld(tree: &Tree, from: NodeId) -> Vec<Json> {
    let scripts = tree.descendants(from).filter(|node| {
        tree.name(*node) == Some("script")
            && tree.attribute(*node, "type").is_some_and(|kind| {
                kind.split(';')
                    .next()
                    .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"))
            })
    });
    scripts.filter_map(|script| crate::json::embedded(&tree.text_content(script))).collect()
}

/// The outermost microdata items at and below a node.
pub(crate) fn microdata(tree: &Tree, from: NodeId) -> Vec<Json> {
    let mut items = Vec::new();
    let nodes: Vec<NodeId> = std::iter::once(from).chain(tree.descendants(from)).collect();
    let mut at = 0;
    while let Some(node) = nodes.get(at).copied() {
        at += 1;
        if tree.attribute(node, "itemscope").is_some() {
            items.push(item(tree, node, 0));
            at += below(tree, node);
        }
    }
    items
}

/// Nodes below a node: ids in document order are without gaps.
fn below(tree: &Tree, node: NodeId) -> usize {
    tree.descendants(node).size_hint().0
}

fn item(tree: &Tree, scope: NodeId, depth: usize) -> Json {
    let mut map = Map::new();
    if let Some(kind) = tree.attribute(scope, "itemtype") {
        map.insert("@type".to_owned(), kind.split_whitespace().next().unwrap_or_default().into());
    }
    let nodes: Vec<NodeId> = tree.descendants(scope).collect();
    let mut at = 0;
    while let Some(node) = nodes.get(at).copied() {
        at += 1;
        if tree.kind(node) != Kind::Element {
            continue;
        }
        let nested = tree.attribute(node, "itemscope").is_some();
        if let Some(names) = tree.attribute(node, "itemprop") {
            let value = match nested {
                true if depth < MAX_NESTING => item(tree, node, depth + 1),
                true => Json::Null,
                false => markup::property(tree, node).into(),
            };
            for name in names.split_whitespace() {
                add(&mut map, name, value.clone());
            }
        }
        if nested {
            at += below(tree, node);
        }
    }
    Json::Object(map)
}

/// A second value makes the first a list.
fn add(map: &mut Map<String, Json>, name: &str, value: Json) {
    match map.get_mut(name) {
        None => {
            map.insert(name.to_owned(), value);
        }
        Some(Json::Array(list)) => list.push(value),
        Some(one) => *one = Json::Array(vec![one.take(), value]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tests::tree;

    /// The path gives these texts.
    fn check(items: &[Json], path: &str, expected: &[&str]) {
        let found = DataPath::parse(path).unwrap();
        let texts: Vec<String> = found.select(items).into_iter().filter_map(text).collect();
        assert_eq!(texts, expected, "{path}");
    }

    #[test]
    fn json_ld_is_found_by_type_at_any_depth() {
        let tree = tree(
            r#"<script type="application/ld+json">{"@graph": [{"@type": ["Thing", "Product"], "name": "Tent",
                "offers": [{"@type": "Offer", "price": 12.5}, {"price": 9}], "brand": {"name": "Heron"}}]}</script>
               <script type="application/ld+json">not json</script>"#,
        );
        let items = json_ld(&tree, tree.root());
        check(&items, "Product.name", &["Tent"]);
        check(&items, "Product.offers.price", &["12.5", "9"]);
        check(&items, "Offer.price", &["12.5"]);
        check(&items, "Product.brand", &["Heron"]);
        check(&items, "Person.name", &[]);
    }

    #[test]
    fn microdata_reads_like_json_ld() {
        let tree = tree(
            r#"<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>Tent</b>
                <i itemprop=color>red</i><i itemprop=color>blue</i>
                <p itemprop=offers itemscope itemtype="https://schema.org/Offer"><meta itemprop=price content=12.50></p>
                <a itemprop=url href=/tent>more</a></div>"#,
        );
        let items = microdata(&tree, tree.root());
        check(&items, "Product.name", &["Tent"]);
        check(&items, "Product.color", &["red", "blue"]);
        check(&items, "Product.offers.price", &["12.50"]);
        check(&items, "Product.url", &["/tent"]);
        assert_eq!(items.len(), 1, "{}", json!(items));
    }
}
