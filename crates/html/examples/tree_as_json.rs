//! Writes the tree of a page as JSON, one object per node in document order: for comparisons with other engines.

use std::io::{Read, Write};

use html::{Kind, Space, Tree};
use serde_json::json;

fn main() -> std::io::Result<()> {
    let mut page = String::new();
    match std::env::args().nth(1) {
        Some(path) => page = std::fs::read_to_string(path)?,
        None => {
            std::io::stdin().read_to_string(&mut page)?;
        }
    }
    let tree = html::parse(&page, &mut ());
    let mut numbers = std::collections::HashMap::from([(tree.root(), 0)]);
    let mut nodes = vec![json!({ "kind": "document", "parent": null })];
    for node in tree.descendants(tree.root()) {
        numbers.insert(node, nodes.len());
        let parent = tree.parent(node).map(|parent| numbers[&parent]);
        nodes.push(match tree.kind(node) {
            Kind::Element => json!({
                "kind": "element",
                "parent": parent,
                "name": tree.name(node),
                "attributes": attributes(&tree, node),
            }),
            Kind::Text => json!({ "kind": "text", "parent": parent, "text": tree.text(node) }),
            Kind::Comment => json!({ "kind": "comment", "parent": parent, "text": tree.text(node) }),
            Kind::Doctype | Kind::Document => json!({ "kind": "doctype", "parent": parent }),
        });
    }
    serde_json::to_writer(std::io::stdout().lock(), &nodes)?;
    std::io::stdout().write_all(b"\n")
}

/// Prefix, name, value of each.
fn attributes(tree: &Tree, node: html::NodeId) -> Vec<(Option<&str>, &str, &str)> {
    let named = |(name, space, value)| match (space, name) {
        (Space::Other, "lang" | "space") => (Some("xml"), name, value),
        (Space::Other, _) => (Some("xlink"), name, value),
        (_, "xml:lang") => (Some("xml"), "lang", value),
        (_, name) => (None, name, value),
    };
    tree.attributes(node).map(named).collect()
}
