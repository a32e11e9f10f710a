use super::*;
use crate::select::{Selected, Selector as Compiled};

const PAGE: &str = r##"<!doctype html><html lang=en><head><title>Shop</title></head><body>
<h1 id=top class="big Red">Things <em>we</em> sell</h1>
<ul class=list>
<li class="item first" data-id=1><a href="/a">A</a> <b class=price>1.50</b></li>
<li class=item data-id=2><a href="/b" title="Second thing">B</a></li>
<li class="item sold" data-id=3><a HREF="/c">C</a> <b class=price>3</b><!-- gone --></li>
</ul>
<p></p><p> </p><p><!-- only this --></p>
<svg viewBox="0 0 1 1"><linearGradient id=g /><a xlink:href="#x">in</a></svg>
<input type=checkbox checked><input disabled required>
</body></html>"##;

/// What a selector finds, seen from the first element that `from` finds.
fn found(from: Option<&str>, css: &str) -> Vec<String> {
    let tree = crate::parse(PAGE, &mut ());
    let nodes = |from, css| {
        let selected = Compiled::css(css).unwrap().select(&tree, from, &mut Fuel::new(1_000_000)).unwrap();
        let Selected::Nodes(nodes) = selected else { panic!("not nodes") };
        nodes
    };
    let start = from.map_or(tree.root(), |from| nodes(tree.root(), from)[0].node());
    nodes(start, css).iter().map(|node| node.string_value(&tree)).collect()
}

fn check(css: &str, expected: &[&str]) {
    assert_eq!(found(None, css), expected, "{css}");
}

fn check_from(from: &str, css: &str, expected: &[&str]) {
    assert_eq!(found(Some(from), css), expected, "{css}");
}

#[test]
fn names_classes_and_combinators_match() {
    check("li a", &["A", "B", "C"]);
    check("li > b", &["1.50", "3"]);
    check("LI A", &["A", "B", "C"]);
    check("h1 + ul > .first a", &["A"]);
    check("h1 ~ p", &["", " ", ""]);
    check("#top.big.Red em", &["we"]);
    check(".red", &[]);
    check("em, title, em", &["Shop", "we"]);
    check("linearGradient", &[""]);
    check("svg|a", &["in"]);
    check("html|a", &["A", "B", "C"]);
}

#[test]
fn attributes_match_by_every_operator() {
    check("[title]", &["B"]);
    check("a[href='/b']", &["B"]);
    check("a[href='/B']", &[]);
    check("a[href='/B' i]", &["B"]);
    check("li[class~=sold] a", &["C"]);
    check("html[lang|=en] title", &["Shop"]);
    check("a[title^=Second]", &["B"]);
    check("a[title$=thing]", &["B"]);
    check("a[title*='d t']", &["B"]);
    check("[data-id='3'] b", &["3"]);
    check("svg a[href]", &[]);
    check("svg a[*|href]", &["in"]);
}

#[test]
fn classes_of_structure_match() {
    check("li:first-child a", &["A"]);
    check("li:nth-child(2n) a", &["B"]);
    check("li:last-of-type b", &["3"]);
    check("li:nth-child(2 of :has(b)) a", &["C"]);
    check("li:not(.sold, .first) a", &["B"]);
    check("li:has(> b.price):not(.first) a", &["C"]);
    check("li:is(.first, .sold) b", &["1.50", "3"]);
    check("li:where(.first) + li a", &["B"]);
    check("p:empty", &["", ""]);
    check(":root > head > title", &["Shop"]);
    check("input:checked, input:disabled:required", &["", ""]);
    check("a:any-link", &["A", "B", "C"]);
}

#[test]
fn parts_are_taken() {
    check("h1::text", &["Things ", " sell"]);
    check("h1 ::text", &["we"]);
    check("li a::attr(href)", &["/a", "/b", "/c"]);
    check("a::attr(HREF), a::text", &["/a", "A", "/b", "B", "/c", "C", "#x", "in"]);
    check("a::attr(none)", &[]);
}

#[test]
fn the_starting_node_is_the_scope() {
    check_from("ul", ":scope > li > b", &["1.50", "3"]);
    check_from("ul", ".list > li > b", &["1.50", "3"]);
    check_from("ul", "ul", &[]);
    check_from("h1", ":scope::text", &["Things ", " sell"]);
    check_from("h1", "::text", &["Things ", "we", " sell"]);
    check_from("li", ":scope::attr(data-id)", &["1"]);
}

#[test]
fn mistakes_are_told_with_their_place() {
    let deep = ":not(".repeat(40);
    let long = "a>".repeat(300) + "a";
    let table = [
        ("", "at character 1: a selector is missing"),
        ("li:hover a", "at character 3: :hover is not known here, or means nothing in a page at rest"),
        ("li >", "at character 4: a selector is missing after the last `>`, `+`, `~` or blank"),
        ("li, .", "at character 3: the selector or a bracket in it ends too early"),
        ("a[href=]", "at character 7: the selector or a bracket in it ends too early"),
        ("a::attr()", "at character 2: ::attr() needs a name, as in ::attr(href)"),
        ("a::text b", "at character 9: not a CSS selector from here on"),
        ("é:not(é:foo)", "at character 8: :foo is not known here, or means nothing in a page at rest"),
        (&*deep, "at character 1: more than 32 brackets in each other"),
        (&*long, "at character 1: a selector of more than 512 parts; shorten it"),
    ];
    let told = table.map(|(css, _)| (css, Compiled::css(css).unwrap_err().to_string()));
    assert_eq!(told, table.map(|(css, expected)| (css, expected.to_owned())));
}

#[test]
fn fuel_ends_a_search() {
    let html = "<div><p>".repeat(250) + &"<i></i>".repeat(2000);
    let tree = crate::parse(&html, &mut ());
    for css in [
        ".x div p div p div p div p i",
        "div:has(b), p:has(u), i:nth-child(2 of :not(i))",
        "u ~ i ~ i ~ i ~ i",
        ":not(:not(:has(div p div p div p b)))",
    ] {
        let mut fuel = Fuel::new(100_000);
        let selected = Compiled::css(css).unwrap().select(&tree, tree.root(), &mut fuel);
        assert_eq!((selected, fuel.left()), (Err(OutOfFuel), 0), "{css}");
    }
}
