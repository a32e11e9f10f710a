//! Page types: the input is the YAML; what can be compiled reads a page.

use model::{Normalise, PageUrl, ProjectError};

/// A list, a table, data for machines, links: something for each kind of source.
const PAGE: &str = r#"<!doctype html><title>Lamps</title><meta name=description content="Two lamps">
<script type="application/ld+json">{"@type":"Product","name":"Lamp","offers":[{"price":"12.50"}]}</script>
<script id=data type="application/json">{"items":[{"id":1,"name":"x"},{"id":2}]}</script>
<ul class=list><li class=item><a href=/p/1>One</a> <b>1.234,50 EUR</b><time datetime=2026-03-01>1 March</time></li>
<li class=item><a href=/p/2>Two</a> <b>7</b></li></ul>
<table><tr><th>Size<th>Weight<tr><td>4<td>2 kg</table>
<p itemscope itemtype="https://schema.org/Product"><span itemprop=name>Lamp</span></p>
<nav><a rel=next href="?page=2">2</a> <a href="?page=3">3</a></nav>"#;

pub(crate) fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let template = match model::Template::parse(&text, "fields.yaml") {
        Ok(template) => template,
        Err(error) => return check_error(&error, &text),
    };
    assert!(template.from.is_none());
    let Ok(compiled) = template::Template::compile(&template, &[], Normalise::default()) else { return };
    assert_eq!(compiled.version(), template.version());
    let tree = html::parse(PAGE, &mut ());
    let url = PageUrl::parse("http://shop.test/list?page=1").expect("a URL");
    let reading = compiled.read(&tree, &url);
    assert_eq!(compiled.read(&tree, &url), reading, "the same again");
    assert!(reading.rows.len() <= template::MAX_ROWS);
    if reading.page_type.is_none() {
        assert!(reading.rows.is_empty());
    }
    for coverage in &reading.coverage {
        assert!(coverage.found <= coverage.rows && coverage.odd <= coverage.found, "{coverage:?}");
    }
}

fn check_error(error: &ProjectError, text: &str) {
    let message = error.to_string();
    assert!(message.starts_with("fields.yaml"), "{message:?}");
    if let ProjectError::At { line, problem, .. } = error {
        let lines = text.split(['\n', '\r']).count() as u64;
        assert!((1..=lines + 1).contains(line), "line {line} of {lines}: {message}");
        assert!(!problem.is_empty());
    }
}
