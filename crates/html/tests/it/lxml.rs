//! Every expression of `tests/xpath/expressions.txt` gives on every page what lxml gives on the same tree.
//! `tests/xpath/expect.py` asked lxml.

use html::Tree;
use html::select::{Found, Fuel, Selected, Selector};
use serde_json::{Value, json};

const EXPECTED: &str = include_str!("../xpath/expected.json");

fn check(page: &str, html: &str) {
    let expected: Value = serde_json::from_str(EXPECTED).unwrap();
    let expected = expected[page].as_object().unwrap();
    assert!(expected.len() >= 150, "{page}: only {} expressions", expected.len());
    let tree = html::parse(html, &mut ());
    let mut wrong = Vec::new();
    for (line, answer) in expected {
        let (from, xpath) = line.split_once('\t').unwrap_or(("/*", line));
        let given = written(&tree, select(&tree, from, xpath));
        if given != *answer {
            wrong.push(format!("{line}\n  lxml: {answer}\n  here: {given}"));
        }
    }
    assert!(wrong.is_empty(), "{page}: {} differ\n{}", wrong.len(), wrong.join("\n"));
}

/// What `xpath` gives, seen from the first node that `from` gives; lxml cannot start from attributes and texts,
/// so they are the start of a path.
fn select(tree: &Tree, from: &str, xpath: &str) -> Selected {
    let fuel = &mut Fuel::new(10_000_000);
    let starts = Selector::xpath(from).unwrap().select(tree, tree.root(), fuel).unwrap();
    let Selected::Nodes(starts) = starts else { panic!("{from}: not nodes") };
    match starts[0] {
        Found::Node(node) if tree.kind(node) == html::Kind::Element => {
            Selector::xpath(xpath).unwrap().select(tree, node, fuel).unwrap()
        }
        _ => {
            let path = format!("({from})[1]/{xpath}");
            Selector::xpath(&path).unwrap().select(tree, tree.root(), fuel).unwrap()
        }
    }
}

fn written(tree: &Tree, selected: Selected) -> Value {
    match selected {
        Selected::Boolean(boolean) => json!({ "boolean": boolean }),
        Selected::Text(text) => json!({ "text": text }),
        Selected::Number(number) if number.is_nan() => json!({ "number": "nan" }),
        Selected::Number(number) => json!({ "number": format!("{number:?}") }),
        Selected::Nodes(found) => {
            // lxml has no name for the document and leaves it out.
            let named = found.into_iter().filter(|found| *found != Found::Node(tree.root()));
            let numbers: Vec<String> = named.map(|found| number_of(tree, found)).collect();
            json!({ "nodes": numbers })
        }
    }
}

fn number_of(tree: &Tree, found: Found) -> String {
    let node = found.node();
    let number =
        std::iter::once(tree.root()).chain(tree.descendants(tree.root())).position(|id| id == node).unwrap();
    match found {
        Found::Node(_) => number.to_string(),
        Found::Namespace(_) => "namespace xml".to_owned(),
        Found::Attribute(_, place) => {
            let (name, space, _) = tree.attributes(node).nth(place as usize).unwrap();
            let prefix = if space == html::Space::Other { "xlink:" } else { "" };
            format!("{number}@{prefix}{name}")
        }
    }
}

#[test]
fn expressions_give_on_a_shop_page_what_lxml_gives() {
    check("shop", include_str!("../pages/shop.html"));
}

#[test]
fn expressions_give_on_an_old_page_what_lxml_gives() {
    check("blog", include_str!("../pages/blog.html"));
}

#[test]
fn expressions_give_on_a_manual_what_lxml_gives() {
    check("manual", include_str!("../pages/manual.html"));
}
