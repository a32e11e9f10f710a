//! Tests of reading whole pages with whole templates.

use html::Tree;
use model::{Normalise, PageUrl, Project, Value};
use proptest::prelude::*;

use crate::{Reading, Template, Why};

/// The tree of a page.
pub(crate) fn tree(html: &str) -> Tree {
    html::parse(html, &mut ())
}

pub(crate) fn template(fields: &str) -> Template {
    let text = format!("version: 1\nproject: t\nstart: [http://a.test/]\nfields:\n{fields}\n");
    let project = Project::parse(&text, "t.yaml").unwrap_or_else(|error| panic!("{error}"));
    Template::compile(&project.fields.unwrap(), &[], Normalise::default())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn read_at(fields: &str, html: &str, url: &str) -> Reading {
    template(fields).read(&tree(html), &PageUrl::parse(url).unwrap())
}

fn read(fields: &str, html: &str) -> Reading {
    read_at(fields, html, "http://a.test/list/")
}

/// The values of all rows as people see them.
fn shown(reading: &Reading) -> Vec<Vec<String>> {
    reading.rows.iter().map(|row| row.values.iter().map(Value::to_string).collect()).collect()
}

/// A page type with one field gives these values on a page.
fn check(field: &str, html: &str, expected: &[&str]) {
    let reading = read(&format!("  p: {{rows: li, read: {{f: {field}}}}}"), html);
    let values: Vec<String> = shown(&reading).into_iter().map(|mut row| row.remove(0)).collect();
    assert_eq!(values, expected, "{field} on {html}");
}

/// The first value of a field of a whole page.
fn check_value(field: &str, html: &str, expected: Value) {
    let reading = read(&format!("  p: {{read: {{f: {field}}}}}"), html);
    let value = reading.rows.first().map_or(Value::Empty, |row| row.values[0].clone());
    assert_eq!(value, expected, "{field} on {html}");
}

#[test]
fn a_row_without_a_field_stays_a_row() {
    let html = "<ul><li><b>A</b><i>1</i><li><b>B</b><li><i>3</i><li></ul>";
    let reading =
        read("  p: {rows: li, read: {name: {css: b, required: true}, size: {css: i, kind: number}}}", html);
    assert_eq!(shown(&reading), [["A", "1"], ["B", ""], ["", "3"], ["", ""]]);
    let incomplete: Vec<bool> = reading.rows.iter().map(|row| row.incomplete).collect();
    assert_eq!(incomplete, [false, false, true, true]);
    let positions: Vec<u32> = reading.rows.iter().map(|row| row.position).collect();
    assert_eq!(positions, [0, 1, 2, 3]);
    let found: Vec<(u64, u64)> =
        reading.coverage.iter().map(|coverage| (coverage.found, coverage.rows)).collect();
    assert_eq!(found, [(2, 4), (2, 4)]);
}

#[test]
fn fields_are_read_by_css_and_xpath_within_their_row() {
    check("b", "<b>out</b><ul><li><b>A</b><li><b>B</b></ul>", &["A", "B"]);
    check("'./b[2]'", "<ul><li><b>A</b><b>B</b></ul>", &["B"]);
    check("{xpath: 'string(.//b)'}", "<ul><li><b>A</b><li>x</ul>", &["A", ""]);
    check("{xpath: 'count(b)', kind: number}", "<ul><li><b>A</b><b>B</b><li></ul>", &["2", "0"]);
    check("{css: a, attribute: title}", "<ul><li><a title=' x '>y</a></ul>", &["x"]);
    check("'a::attr(title)'", "<ul><li><a title=x>y</a></ul>", &["x"]);
    check("{css: b, all: true}", "<ul><li><b>A</b><b></b><b>B</b></ul>", &["A; B"]);
    check("b", "<ul><li><b> </b><b>B</b></ul>", &["B"]);
}

#[test]
fn kinds_understand_their_texts() {
    let text = |text: &str| Value::Text(text.to_owned());
    check_value("{css: p, kind: number}", "<p>4,5 of 5", Value::Number(4.5));
    check_value("{css: p, kind: number}", "<p>sold out", text("sold out"));
    let price = |amount, code: &str| Value::Price { amount, currency: Some(code.to_owned()) };
    check_value("{css: p, kind: price}", "<p>1.299 €", price(1299.0, "EUR"));
    check_value("{css: p, kind: price, locale: de}", "<p>CHF 1.299,5", price(1299.5, "CHF"));
    check_value("{css: p, kind: date}", "<p>3. März 2026", Value::Date("2026-03-03".to_owned()));
    check_value(
        "{css: time, kind: date}",
        "<time datetime=2026-03-03>last week</time>",
        Value::Date("2026-03-03".to_owned()),
    );
    check_value("time", "<time datetime=2026-03-03>last week</time>", text("last week"));
    check_value(
        "{css: p, kind: date, format: '%m/%d/%y'}",
        "<p>03/04/26",
        Value::Date("2026-03-04".to_owned()),
    );
    let link = |url: &str| Value::Link(url.to_owned());
    check_value("{css: p, kind: link}", "<p><a href='../b?utm_source=x#y'>z</a>", link("http://a.test/b"));
    check_value("{css: b, kind: link}", "<a href=c><b>z</b></a>", link("http://a.test/list/c"));
    check_value("{css: a, kind: link}", "<base href=/d/><a href=c>z</a>", link("http://a.test/d/c"));
    check_value("{css: a, kind: link}", "<a href=mailto:a@b.test>z</a>", link("mailto:a@b.test"));
    let image = |url: &str| Value::Image(url.to_owned());
    check_value(
        "{css: p, kind: image}",
        "<p><img src='data:x' data-src=/i.png>",
        image("http://a.test/i.png"),
    );
    check_value("{css: p, kind: html}", "<p>a<b>b</b></p>", Value::Html("<p>a<b>b</b></p>".to_owned()));
    check_value(
        "{css: script, kind: json}",
        "<script>{\"a\": 1}</script>",
        Value::Json("{\"a\":1}".to_owned()),
    );
}

#[test]
fn values_come_from_other_sources_too() {
    let text = |text: &str| Value::Text(text.to_owned());
    check_value("{meta: OG:Title}", "<meta property=og:title content='A B'>", text("A B"));
    let ld = r#"<script type="application/ld+json">{"@type":"Product","name":"Tent","image":{"url":"/t.png"}}</script>"#;
    check_value("{json_ld: Product.name}", ld, text("Tent"));
    check_value("{json_ld: Product.image, kind: image}", ld, Value::Image("http://a.test/t.png".to_owned()));
    let item = "<p itemscope itemtype=http://schema.org/Offer><b itemprop=price content=5.50>five</b>";
    check_value("{microdata: Offer.price, kind: number}", item, Value::Number(5.5));
    let state = "<script id=s>window.state = {\"items\": [{\"n\": 1}, {\"n\": 2}]};</script>";
    check_value("{json: {in: '#s', path: '$.items[1].n'}, kind: number}", state, Value::Number(2.0));
    check_value(
        "{json: items.n, all: true}",
        "<script type=application/json>{\"items\":[{\"n\":1},{\"n\":2}]}</script>",
        Value::List(vec![text("1"), text("2")]),
    );
    check_value("{header: Colour}", "<dl><dt>Colour</dt><dd>red</dd></dl>", text("red"));
    let table = "<table><tr><th>Name<th>Size<tr><td>A<td>1<tr><td>B<td>2</table>";
    let reading = read("  p: {rows: '//tr[td]', read: {size: {header: size}, name: {header: Name}}}", table);
    assert_eq!(shown(&reading), [["1", "A"], ["2", "B"]]);
    // JSON-LD in a row belongs to it.
    let rows = format!("<ul><li>{ld}<li>{}</ul>", ld.replace("Tent", "Tarp"));
    check("{json_ld: Product.name}", &rows, &["Tent", "Tarp"]);
}

#[test]
fn steps_clean_up_and_defaults_fill_in() {
    check("{css: b, clean: [{replace: ['^from ', '']}, upper]}", "<ul><li><b>from a</b></ul>", &["A"]);
    check("{css: b, clean: [{split: ','}, last]}", "<ul><li><b>a, b, c</b></ul>", &["c"]);
    check("{css: b, clean: [{join: '+'}]}", "<ul><li><b>a</b><b>b</b></ul>", &["a+b"]);
    check("{css: b, all: true, clean: [{split: '/'}]}", "<ul><li><b>a / b</b></ul>", &["a; b"]);
    check("{css: b, clean: [{match: '[0-9]+'}], kind: number}", "<ul><li><b>x</b><b>no 7</b></ul>", &["7"]);
    check("{css: b, default: none}", "<ul><li><b>a</b><li></ul>", &["a", "none"]);
    let reading = read("  p: {rows: li, read: {b: {css: b, default: '0', kind: number}}}", "<li>");
    assert_eq!((reading.rows[0].values[0].clone(), reading.coverage[0].found), (Value::Number(0.0), 0));
}

#[test]
fn the_first_page_type_that_takes_a_page_reads_it() {
    let fields = "  a: {url: /a/*, read: {f: h1}}\n  b: {has: .b, read: {f: h1}}\n  c: {rows: li, read: {f: .}}\n  d: {read: {f: h1}}";
    let check = |html: &str, url: &str, expected: Option<&str>| {
        assert_eq!(read_at(fields, html, url).page_type.as_deref(), expected, "{html} at {url}");
    };
    check("<h1>x</h1><p class=b>", "http://x.test/a/1", Some("a"));
    check("<h1>x</h1><p class=b>", "http://x.test/b", Some("b"));
    check("<li>x", "http://x.test/b", Some("c"));
    check("<h1>x</h1>", "http://x.test/b", Some("d"));
    let only = "  a: {url: /a/*, has: .b, read: {f: h1}}";
    assert_eq!(read_at(only, "<h1>x</h1>", "http://x.test/a/1").page_type, None);
    // A page on which nothing of the template is found is no row.
    assert_eq!(read(fields, "<p>about us").rows, []);
}

#[test]
fn keys_are_declared_or_the_link_or_everything() {
    let html = |size: u32| format!("<ul><li><a href=/1>A</a><i>{size}</i></ul>");
    let key = |fields: &str, size| read(fields, &html(size)).rows[0].key;
    let declared = "  p: {rows: li, key: name, read: {name: a, size: i}}";
    assert_eq!(key(declared, 1), key(declared, 2));
    let followed = "  p: {rows: li, read: {name: a, size: i, page: {css: a, kind: link, follow: p}}}";
    assert_eq!(key(followed, 1), key(followed, 2));
    let neither = "  p: {rows: li, read: {name: a, size: i}}";
    assert_ne!(key(neither, 1), key(neither, 2));
}

#[test]
fn details_and_further_pages_are_wanted_in_order_each_once() {
    let fields = |next: &str| {
        format!(
            "  p: {{rows: li, read: {{page: {{css: a, kind: link, follow: d}}}}, next: {next}}}\n  d: {{read: {{f: h1}}}}"
        )
    };
    let html = "<ul><li><a href=/1>A</a><li><a href=/2>B</a><li><a href=/1>A</a></ul>
        <nav><a href='?page=2' rel=next>2</a><a href='?page=3'>3</a></nav>";
    let check = |next: &str, url: &str, expected: &[&str]| {
        let reading = read_at(&fields(next), html, url);
        let urls: Vec<&str> = reading.wanted.iter().map(|wanted| wanted.url.as_str()).collect();
        assert_eq!(urls[..2], ["http://a.test/1", "http://a.test/2"]);
        assert_eq!(urls[2..], *expected, "{next} at {url}");
        assert!(reading.wanted[2..].iter().all(|wanted| wanted.why == Why::Next));
    };
    check("'a[rel=next]'", "http://a.test/l/", &["http://a.test/l/?page=2"]);
    check("{numbers: nav a}", "http://a.test/l/", &["http://a.test/l/?page=2", "http://a.test/l/?page=3"]);
    check("{numbers: nav a}", "http://a.test/l/?page=3", &["http://a.test/l/?page=2"]);
    check("{url: '?page={n}'}", "http://a.test/l/", &["http://a.test/l/?page=2"]);
    check("{url: '?page={n}'}", "http://a.test/l/?page=9", &["http://a.test/l/?page=10"]);
    check("{url: '?page={n}', to: 9}", "http://a.test/l/?page=9", &[]);
    check("{url: '/l/{n}.html'}", "http://a.test/l/4.html", &["http://a.test/l/5.html"]);
    let end = read_at(&fields("{url: '?page={n}'}"), "<p>nothing", "http://a.test/l/?page=9");
    assert_eq!(end.wanted, []);
}

#[test]
fn links_are_limited_to_their_scope() {
    let html = "<nav><a href=/n>n</a></nav><main><a href=/m>m</a><li><b>x</b></main><footer><a href=/f>f</a></footer>";
    let check = |links: &str, expected: Option<&[&str]>| {
        let reading = read(&format!("  p: {{rows: li, read: {{f: b}}{links}}}"), html);
        let urls =
            reading.links_in.as_ref().map(|urls| urls.iter().map(|url| url.as_str()).collect::<Vec<_>>());
        assert_eq!(urls.as_deref(), expected, "{links}");
    };
    check("", None);
    check(", links: []", Some(&[]));
    check(", links: [nav, //main]", Some(&["http://a.test/n", "http://a.test/m"]));
}

#[test]
fn wrong_selectors_are_refused_with_their_place() {
    let refused = |fields: &str| {
        let text = format!("version: 1\nproject: t\nstart: [http://a.test/]\nfields:\n{fields}\n");
        let project = Project::parse(&text, "t.yaml").unwrap_or_else(|error| panic!("{error}"));
        let error = Template::compile(&project.fields.unwrap(), &[], Normalise::default()).unwrap_err();
        (error.place.line, error.place.column, error.to_string())
    };
    let (line, column, words) = refused("  p:\n    rows: li[\n    read: {f: b}");
    assert_eq!((line, column), (6, 11), "{words}");
    assert!(words.starts_with("p: rows: the CSS selector \"li[\", at character "), "{words}");
    let (line, column, words) = refused("  p: {read: {f: {xpath: '//a['}}}");
    assert_eq!((line, column), (5, 25), "{words}");
    assert!(words.starts_with("p: f: the XPath expression \"//a[\", at character "), "{words}");
    let (_, _, words) = refused("  p: {read: {f: {json: '$.a[x]'}}}");
    assert_eq!(words, "p: f: the path \"$.a[x]\", at character 5: a number, * or a quoted key is expected");
}

#[test]
fn hostile_pages_end_within_their_limits() {
    let many = "<ul>".to_owned() + &"<li><b>x</b>".repeat(crate::MAX_ROWS + 5) + "</ul>";
    let reading = read("  p: {rows: li, read: {f: b}}", &many);
    assert!(reading.cut && reading.rows.len() == crate::MAX_ROWS);
    let costly = "<div>".repeat(500) + &"<p>x</p>".repeat(20_000);
    let reading = read("  p: {read: {f: '//div//div//div//p[count(preceding::p) > 19000]'}}", &costly);
    assert!(reading.cut);
    let long = format!("<li><b>{}</b></li>", "long ".repeat(50_000));
    let reading = read("  p: {rows: li, read: {f: b}}", &long);
    assert!(reading.cut && reading.rows[0].values[0].to_string().len() <= 64 << 10);
}

proptest! {
    #[test]
    fn any_page_is_read_without_panic(html in "(<[a-z]{1,4}( [a-z]{1,5}='[^']{0,6}')?>|</[a-z]{1,4}>|\\PC){0,40}") {
        let fields = "  p: {rows: li, read: {a: {css: a, kind: link, follow: q}, b: {header: x}, c: {microdata: A.b}}, next: {url: '?p={n}'}}\n  q: {read: {d: {json_ld: A.b}, e: {css: '*', kind: html}, f: {xpath: '//b', kind: date}, g: {css: b, kind: price}}}";
        let reading = read(fields, &html);
        prop_assert!(reading.rows.iter().all(|row| row.values.len() == 3 || row.values.len() == 4));
    }
}
