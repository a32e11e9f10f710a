//! Expressions and trees made to hurt: whatever is asked of whatever, fuel ends it.

use super::grown::{Growth, deep, tree};
use crate::Tree;
use crate::select::{Fuel, OutOfFuel, Selected, Selector};

const FUEL: u64 = 3_000_000;

fn select(tree: &Tree, xpath: &str) -> Result<Selected, OutOfFuel> {
    let selector = Selector::xpath(xpath).unwrap_or_else(|error| panic!("{error}"));
    selector.select(tree, tree.root(), &mut Fuel::new(FUEL))
}

fn check(tree: &Tree, xpath: &str, expected: Result<f64, OutOfFuel>) {
    assert_eq!(select(tree, xpath), expected.map(Selected::Number), "{xpath}");
}

#[test]
fn trees_of_any_depth_are_walked_within_a_few_steps_a_node() {
    let tree = deep(100_000);
    check(&tree, "count(//a)", Ok(100_000.0));
    check(&tree, "count(//a//a//a//a)", Ok(99_997.0));
    check(&tree, "count(//a[@k='x']//a/@k)", Ok(99_999.0));
    check(&tree, "count(//text()/ancestor::a)", Ok(100_000.0));
    check(&tree, "count(//a/ancestor-or-self::*)", Ok(100_000.0));
    check(&tree, "count(//a[a])", Ok(99_999.0));
    check(&tree, "count(//a/..)", Ok(100_000.0));
    check(&tree, "count(//a/preceding::*) + count(//a/following::*)", Ok(0.0));
    check(&tree, "string-length(/)", Ok(1.0));
}

#[test]
fn wide_trees_are_walked_within_a_few_steps_a_node() {
    let tree = tree((0..100_000).flat_map(|_| [Growth::Open("a", Some("x")), Growth::Close]));
    check(&tree, "count(//a/following-sibling::a)", Ok(99_999.0));
    check(&tree, "count(//a/preceding-sibling::a)", Ok(99_999.0));
    check(&tree, "count(//a/following::a | //a/preceding::a)", Ok(100_000.0));
    check(&tree, "count(//a[following-sibling::a[1]])", Ok(99_999.0));
    check(&tree, "count(//a[1] | //a[last()])", Ok(2.0));
}

#[test]
fn costly_questions_end_with_their_fuel() {
    let tree = deep(100_000);
    let long_union = vec!["//a"; 800].join("|");
    let nested = "//a[".repeat(30) + "1" + &"]".repeat(30);
    let exponential = "//a[.//a[.//a[.//a[.//a[.='x']]]]]";
    let ancestors = "//a[count(ancestor::a[count(ancestor::a) > 5]) > 5]";
    for xpath in [
        &*long_union,
        &nested,
        exponential,
        ancestors,
        "//a[contains(., 'y')]",
        "//a[ancestor::a[last()]]",
        "count(//a[position() mod 2 = 1]/descendant::a[position() mod 2 = 1])",
        "//a[//a = //a/@k]",
        "//*[. = 'x']",
    ] {
        assert_eq!(select(&tree, xpath), Err(OutOfFuel), "{xpath}");
    }
}

#[test]
fn texts_do_not_grow_beyond_their_fuel() {
    let long: &'static str = "0123456789abcdef".repeat(1 << 14).leak();
    let tree =
        tree([Growth::Open("a", None), Growth::Text(long), Growth::Open("a", None), Growth::Text("x")]);
    let concat = format!("string-length(concat({}))", vec!["//a"; 500].join(","));
    assert_eq!(select(&tree, &concat), Err(OutOfFuel));
}

#[test]
fn long_chains_need_no_depth() {
    let tree = deep(10);
    check(&tree, &vec!["1"; 2000].join("+"), Ok(2000.0));
    check(&tree, &format!("{}1", "-".repeat(4000)), Ok(1.0));
    check(&tree, &format!("count({})", vec!["a"; 2000].join("/")), Ok(0.0));
    check(&tree, &format!("number({})", vec!["1"; 1300].join("=")), Ok(1.0));
    check(&tree, &format!("count(//a{})", "[1]".repeat(1300)), Ok(10.0));
}

proptest::proptest! {
    #[test]
    fn any_text_is_an_expression_or_a_mistake_with_its_place(text in ".{0,40}") {
        check_any(&text);
    }

    #[test]
    fn any_tokens_are_an_expression_or_a_mistake_with_its_place(
        tokens in proptest::collection::vec(proptest::sample::select(&TOKENS[..]), 0..12)
    ) {
        check_any(&tokens.concat());
    }
}

const TOKENS: [&str; 40] = [
    "//",
    "/",
    "a",
    "*",
    "@",
    "k",
    "[",
    "]",
    "(",
    ")",
    "1",
    "0.5",
    ".",
    "..",
    "::",
    "child::",
    "ancestor::",
    "preceding::",
    "text()",
    "node()",
    "count(",
    "string(",
    "last()",
    "position()",
    "=",
    "!=",
    "<",
    ">=",
    "+",
    "-",
    " and ",
    " or ",
    " mod ",
    " div ",
    "|",
    ",",
    "'x'",
    "\"",
    "$v",
    ":",
];

fn check_any(text: &str) {
    let page = crate::parse("<a k=x>1<b>2</b></a>", &mut ());
    match Selector::xpath(text) {
        Ok(selector) => {
            selector.select(&page, page.root(), &mut Fuel::new(100_000)).ok();
        }
        Err(error) => assert!(error.position <= text.chars().count(), "{text:?}: {error}"),
    }
    if let Err(error) = Selector::css(text) {
        assert!(error.position <= text.chars().count(), "{text:?}: {error}");
    }
}
