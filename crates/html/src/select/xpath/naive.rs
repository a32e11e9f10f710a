//! XPath read off the standard, without any thought of speed: what the engine must agree with on random trees.
//!
//! Axes are told by parents alone, every node of the tree is asked for every step, and positions are counted out.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::grown::{Growth, tree};
use crate::select::{Found, Fuel, Selected, Selector};
use crate::{Kind, NodeId, Tree};

#[derive(Clone, Debug)]
struct Step {
    axis: &'static str,
    test: &'static str,
    predicates: Vec<Predicate>,
}

#[derive(Clone, Debug)]
enum Predicate {
    At(usize),
    Last,
    BeforeLast,
    Odd,
    K(&'static str),
    Has(Box<Step>),
    HasNot(Box<Step>),
    More(Box<Step>, usize),
}

const AXES: [&str; 12] = [
    "ancestor",
    "ancestor-or-self",
    "attribute",
    "child",
    "descendant",
    "descendant-or-self",
    "following",
    "following-sibling",
    "parent",
    "preceding",
    "preceding-sibling",
    "self",
];
const TESTS: [&str; 7] = ["a", "b", "*", "node()", "text()", "comment()", "k"];

fn written(step: &Step) -> String {
    let predicates: String = step
        .predicates
        .iter()
        .map(|predicate| match predicate {
            Predicate::At(position) => format!("[{position}]"),
            Predicate::Last => "[last()]".to_owned(),
            Predicate::BeforeLast => "[position() < last()]".to_owned(),
            Predicate::Odd => "[position() mod 2 = 1]".to_owned(),
            Predicate::K(value) => format!("[@k='{value}']"),
            Predicate::Has(step) => format!("[{}]", written(step)),
            Predicate::HasNot(step) => format!("[not({})]", written(step)),
            Predicate::More(step, count) => format!("[count({}) > {count}]", written(step)),
        })
        .collect();
    format!("{}::{}{predicates}", step.axis, step.test)
}

/// All nodes and attributes, in document order.
fn everything(tree: &Tree) -> Vec<Found> {
    let nodes = std::iter::once(tree.root()).chain(tree.descendants(tree.root()));
    nodes
        .flat_map(|node| {
            let attributes =
                (0..tree.attributes(node).count()).map(move |place| Found::Attribute(node, place as u32));
            std::iter::once(Found::Node(node)).chain(attributes)
        })
        .collect()
}

fn parent(tree: &Tree, found: Found) -> Option<NodeId> {
    match found {
        Found::Node(node) => tree.parent(node),
        other => Some(other.node()),
    }
}

fn is_above(tree: &Tree, upper: Found, lower: Found) -> bool {
    let mut at = parent(tree, lower);
    while let Some(node) = at {
        if Found::Node(node) == upper {
            return true;
        }
        at = tree.parent(node);
    }
    false
}

/// Whether `other` is on the axis of `from`.
fn on_axis(tree: &Tree, axis: &str, from: Found, other: Found) -> bool {
    let is_node = |found: Found| matches!(found, Found::Node(_));
    let siblings =
        is_node(from) && is_node(other) && from != other && parent(tree, from) == parent(tree, other);
    // What follows or precedes an attribute does so for its element, as lxml has it.
    let place = Found::Node(from.node());
    let apart =
        is_node(other) && other != place && !is_above(tree, place, other) && !is_above(tree, other, place);
    match axis {
        "self" => from == other,
        "parent" => parent(tree, from).map(Found::Node) == Some(other),
        "child" => is_node(other) && parent(tree, other).map(Found::Node) == Some(from),
        "attribute" => !is_node(other) && Found::Node(other.node()) == from,
        "ancestor" => is_above(tree, other, from),
        "ancestor-or-self" => from == other || is_above(tree, other, from),
        "descendant" => is_node(other) && is_above(tree, from, other),
        "descendant-or-self" => from == other || (is_node(other) && is_above(tree, from, other)),
        "following-sibling" => siblings && from < other,
        "preceding-sibling" => siblings && other < from,
        "following" => apart && place < other,
        "preceding" => apart && other < place,
        _ => unreachable!("{axis}"),
    }
}

fn passes(tree: &Tree, step: &Step, found: Found) -> bool {
    match (found, step.test) {
        (_, "node()") => true,
        (Found::Node(node), "text()") => tree.kind(node) == Kind::Text,
        (Found::Node(node), "comment()") => tree.kind(node) == Kind::Comment,
        (Found::Node(node), "*") => tree.kind(node) == Kind::Element,
        (Found::Node(node), name) => tree.name(node) == Some(name),
        (_, name) => step.axis == "attribute" && matches!(name, "*" | "k"),
    }
}

fn select(tree: &Tree, step: &Step, from: Found) -> BTreeSet<Found> {
    let mut near: Vec<Found> = everything(tree)
        .into_iter()
        .filter(|other| on_axis(tree, step.axis, from, *other) && passes(tree, step, *other))
        .collect();
    if ["ancestor", "ancestor-or-self", "preceding", "preceding-sibling"].contains(&step.axis) {
        near.reverse();
    }
    for predicate in &step.predicates {
        let size = near.len();
        let keep =
            |(place, found): (usize, Found)| holds(tree, predicate, found, place + 1, size).then_some(found);
        near = near.into_iter().enumerate().filter_map(keep).collect();
    }
    near.into_iter().collect()
}

fn holds(tree: &Tree, predicate: &Predicate, found: Found, position: usize, size: usize) -> bool {
    match predicate {
        Predicate::At(wanted) => position == *wanted,
        Predicate::Last => position == size,
        Predicate::BeforeLast => position < size,
        Predicate::Odd => position % 2 == 1,
        Predicate::K(value) => {
            matches!(found, Found::Node(node) if tree.attribute(node, "k") == Some(value))
        }
        Predicate::Has(step) => !select(tree, step, found).is_empty(),
        Predicate::HasNot(step) => select(tree, step, found).is_empty(),
        Predicate::More(step, count) => select(tree, step, found).len() > *count,
    }
}

fn growths() -> impl Strategy<Value = Vec<Growth>> {
    let value = prop::sample::select(&[None, Some("x"), Some("y")][..]);
    let name = prop::sample::select(&["a", "b"][..]);
    let growth = prop_oneof![
        4 => (name, value).prop_map(|(name, value)| Growth::Open(name, value)),
        2 => Just(Growth::Text("t")),
        1 => Just(Growth::Comment("c")),
        3 => Just(Growth::Close),
    ];
    prop::collection::vec(growth, 1..16)
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(2), 1..4)
}

fn step(nesting: u32) -> BoxedStrategy<Step> {
    let predicate = if nesting == 0 { plain_predicate().boxed() } else { any_predicate(nesting - 1).boxed() };
    (
        prop::sample::select(&AXES[..]),
        prop::sample::select(&TESTS[..]),
        prop::collection::vec(predicate, 0..3),
    )
        .prop_map(|(axis, test, predicates)| Step { axis, test, predicates })
        .boxed()
}

fn plain_predicate() -> impl Strategy<Value = Predicate> {
    prop_oneof![
        (1_usize..4).prop_map(Predicate::At),
        Just(Predicate::Last),
        Just(Predicate::BeforeLast),
        Just(Predicate::Odd),
        prop::sample::select(&["x", "y"][..]).prop_map(Predicate::K),
    ]
}

fn any_predicate(nesting: u32) -> impl Strategy<Value = Predicate> {
    let inner = || step(nesting).prop_map(Box::new);
    prop_oneof![
        3 => plain_predicate(),
        1 => inner().prop_map(Predicate::Has),
        1 => inner().prop_map(Predicate::HasNot),
        1 => (inner(), 0_usize..3).prop_map(|(step, count)| Predicate::More(step, count)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_finds_what_the_standard_says(growths in growths(), steps in steps(), from_root in any::<bool>()) {
        let tree = tree(growths);
        let path: Vec<String> = steps.iter().map(written).collect();
        let path = path.join("/");
        // From the document, and from every node at once.
        let (xpath, mut expected): (String, BTreeSet<Found>) = match from_root {
            true => (format!("/{path}"), BTreeSet::from([Found::Node(tree.root())])),
            false => (format!("//{path}"), everything(&tree).into_iter().filter(|found| matches!(found, Found::Node(_))).collect()),
        };
        for step in &steps {
            expected = expected.into_iter().flat_map(|from| select(&tree, step, from)).collect();
        }
        let given = Selector::xpath(&xpath).unwrap().select(&tree, tree.root(), &mut Fuel::new(10_000_000));
        prop_assert_eq!(given, Ok(Selected::Nodes(expected.into_iter().collect())), "{}", xpath);
    }
}
