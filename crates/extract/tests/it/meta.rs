//! Title, meta data, language, directives.

use model::PageDirectives;

use crate::{read, read_with};

fn check_title(html: &str, expected: &str) {
    assert_eq!(read(html).title, expected, "in {html:?}");
}

fn check_directives(html: &str, headers: &[(&str, &str)], noindex: bool, nofollow: bool) {
    let mut all = vec![("content-type", "text/html")];
    all.extend_from_slice(headers);
    let directives = read_with(html, &all).directives;
    assert_eq!(directives, PageDirectives { noindex, nofollow }, "in {html:?} {headers:?}");
}

fn check_language(html: &str, header: &str, expected: Option<&str>) {
    let page = read_with(html, &[("content-type", "text/html"), ("content-language", header)]);
    assert_eq!(page.language.as_deref(), expected, "in {html:?} {header:?}");
}

#[test]
fn the_title_is_the_first_one() {
    check_title("<title>  A &amp;\n B<b> </title><title>C</title>", "A & B<b>");
    check_title("<svg><title>shape</title></svg><title>page</title>", "page");
    check_title("<body><p>x<title>late</title>", "late");
    check_title("<title>open", "open");
    check_title("<p>none", "");
    assert_eq!(read(&format!("<title>{}", "x".repeat(10_000))).title.len(), 1_024);
}

#[test]
fn meta_pairs_are_kept_within_bounds() {
    let page = read(
        "<meta name=Description content=' One\n line '><meta property=og:title content=T><meta name=x>\
         <meta charset=utf-8><meta name=description content=second>",
    );
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let expected = [pair("Description", "One line"), pair("og:title", "T"), pair("description", "second")];
    assert_eq!(page.meta, expected);
    assert_eq!(page.description, "One line");
    let many = "<meta name=a content=b>".repeat(1_000) + "<meta name=robots content=noindex>";
    let page = read(&many);
    assert_eq!(page.meta.len(), 64);
    assert!(page.directives.noindex, "directives count even past the limit of pairs");
    let long = read(&format!("<meta name=a content={}>", "x".repeat(10_000)));
    assert_eq!(long.meta[0].1.len(), 2_048);
}

#[test]
fn directives_come_from_page_and_headers() {
    check_directives("", &[], false, false);
    check_directives("<meta name=ROBOTS content='noindex, Follow'>", &[], true, false);
    check_directives("<meta name=gannet content=nofollow>", &[], false, true);
    check_directives("<meta name=otherbot content=none>", &[], false, false);
    check_directives("<meta name=robots content=noindex>", &[("X-Robots-Tag", "nofollow")], true, true);
    check_directives("", &[("x-robots-tag", "otherbot: none"), ("x-robots-tag", "noindex")], true, false);
    check_directives("<template><meta name=robots content=noindex></template>", &[], false, false);
}

#[test]
fn the_page_knows_its_language_better_than_the_server() {
    check_language("<html lang=de-CH>", "en", Some("de-CH"));
    check_language("<html xml:lang=fr>", "en", Some("fr"));
    check_language("<html lang=''><meta http-equiv=Content-Language content='it, en'>", "en", Some("it"));
    check_language("<p>", "en-US, fr", Some("en-US"));
    check_language("<p>", "", None);
}
