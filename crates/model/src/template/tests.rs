//! Tests of the `fields` section: what is read, its round trip, and each mistake with its place and words.

use super::*;
use crate::Project;

const HEAD: &str = "version: 1\nproject: shop\nstart: [http://a.test/]\n";

const SHOP: &str = "\
fields:
  list:
    url: /shop/*
    rows: ul.cards > li
    key: link
    read:
      title: h2
      price: {css: .price, kind: price, clean: [trim, {replace: ['from ', '']}], locale: de}
      link: {css: a, kind: link, follow: product}
      tags: {xpath: './/li/text()', all: true, clean: [{split: ','}, trim]}
    next: {url: '?page={n}', to: 20}
  reviews:
    has: blockquote
    rows: //blockquote
    read: {author: footer}
    next: a.next
    links: []
  product:
    read:
      sku: {json_ld: Product.sku, required: true, variable: sku}
      stock: {json: {in: 'script#state', path: $.stock}, kind: number, default: 0}
      reviews: {css: a.reviews, kind: link, follow: {page: reviews, as: children}}
";

/// The template of a project with this section.
fn read(fields: &str) -> Template {
    Project::parse(&format!("{HEAD}{fields}"), "shop.yaml")
        .unwrap_or_else(|error| panic!("{error}"))
        .fields
        .unwrap()
}

/// A section, which begins on line 4, is refused with this message.
fn check_refused(fields: &str, message: &str) {
    let error = Project::parse(&format!("{HEAD}{fields}"), "shop.yaml")
        .err()
        .unwrap_or_else(|| panic!("taken:\n{fields}"));
    assert_eq!(error.to_string(), message, "for\n{fields}");
}

#[test]
fn page_types_and_fields_keep_their_order_and_places() {
    let template = read(SHOP);
    let names: Vec<&str> = template.pages.iter().map(|page| page.name.as_str()).collect();
    assert_eq!(names, ["list", "reviews", "product"]);
    let list = &template.pages[0];
    let fields: Vec<&str> = list.read.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(fields, ["title", "price", "link", "tags"]);
    assert_eq!(list.key, ["link"]);
    let title = list.read[0].css.as_ref().unwrap();
    assert_eq!((title.place.line, title.place.column), (10, 14));
    let price = &list.read[1];
    assert_eq!((price.css.as_ref().unwrap().place.line, price.css.as_ref().unwrap().place.column), (11, 20));
    assert_eq!(price.clean, [Step::Trim, Step::Replace("from ".to_owned(), String::new())]);
    assert_eq!(list.read[2].follow, Some(Follow { page: "product".to_owned(), keep: Keep::Merge }));
    assert_eq!(list.next.as_ref().unwrap().to, Some(20));
    assert_eq!(template.pages[1].rows.as_ref().unwrap().language, Language::XPath);
    assert_eq!(template.pages[1].links, Some(Vec::new()));
    let reviews = template.pages[2].read[2].follow.as_ref().unwrap();
    assert_eq!(reviews.keep, Keep::Children);
    assert_eq!(template.pages[2].read[1].default.as_deref(), Some("0"));
}

#[test]
fn a_template_survives_its_file_and_json() {
    let project = Project::parse(&format!("{HEAD}{SHOP}"), "shop.yaml").unwrap();
    let yaml = project.to_yaml();
    let again = Project::parse(&yaml, "again").unwrap_or_else(|error| panic!("{error}\n{yaml}"));
    assert_eq!(again, project, "{yaml}");
    let json = serde_json::to_string(&project).unwrap();
    assert_eq!(serde_json::from_str::<Project>(&json).unwrap(), project, "{json}");
    assert_eq!(again.fields.unwrap().version(), project.fields.unwrap().version());
}

#[test]
fn the_version_changes_with_the_definition_alone() {
    let version = |text: &str| read(text).version();
    let one = version("fields: {a: {read: {title: h2}}}\n");
    assert_eq!(one, version("fields:\n  a:\n    read:\n      title: h2\n"));
    assert_ne!(one, version("fields: {a: {read: {title: h3}}}\n"));
    assert_ne!(one, version("fields: {a: {read: {name: h2}}}\n"));
}

#[test]
fn page_types_may_stand_in_a_file() {
    let template = read("fields: {from: shop.fields.yaml}\n");
    assert_eq!(template.from.as_deref(), Some(std::path::Path::new("shop.fields.yaml")));
    let own = Template::parse("list: {rows: li, read: {title: h2}}\n", "shop.fields.yaml").unwrap();
    assert_eq!(own.pages[0].name, "list");
    let error = Template::parse("list: {rows: li, red: {title: h2}}\n", "f.yaml").unwrap_err();
    assert_eq!(error.to_string(), "f.yaml:1:18: unknown key \"red\" in fields; did you mean \"read\"?");
}

#[test]
fn mistakes_are_told_with_place_and_remedy() {
    let page = |rest: &str| format!("fields:\n  list:\n    {rest}\n");
    check_refused("fields: {}\n", "shop.yaml: fields names no page type; write one, or from: FILE");
    check_refused(
        &page("read: {title: {csss: h2}}"),
        "shop.yaml:6:20: unknown key \"csss\" in read; did you mean \"css\"?",
    );
    check_refused(
        &page("read: {title: {kind: text}}"),
        "shop.yaml:6:19: list: title: it says not where the value is; add css, xpath or another source",
    );
    check_refused(
        &page("read: {title: {css: a, meta: b}}"),
        "shop.yaml:6:19: list: title: the value has one source; keep one of css, xpath, header, json_ld, microdata, meta, json",
    );
    check_refused(
        &page("read: {title: {css: a, follow: x}}"),
        "shop.yaml:6:19: list: title: only a link can be followed; add kind: link",
    );
    check_refused(
        &page("read: {title: {css: a, kind: link, follow: x}}"),
        "shop.yaml:6:19: list: title: follow: there is no page type \"x\"",
    );
    check_refused(
        &page("read: {title: {css: a, clean: [{match: '(a'}]}}"),
        "shop.yaml:6:19: list: title: the regular expression \"(a\", at character 1: unclosed group",
    );
    check_refused(
        &page("{read: {title: h2}, next: {url: '?page=n'}}"),
        "shop.yaml:6:5: list: next: \"?page=n\" needs {n}, once, for the page's number",
    );
    check_refused(
        &page("{read: {title: h2}, key: [sku]}"),
        "shop.yaml:6:5: list: key: there is no field \"sku\"",
    );
    check_refused(
        "fields: {a: {read: {b: c}}, d: {read: {e: f}}}\n",
        "shop.yaml:4:13: a: it takes every page, so those after it are never tried; give it a url or has, or put it last",
    );
    check_refused(
        &page("read: {a: {css: b, variable: v}, c: {css: d, variable: v}}"),
        "shop.yaml:6:41: list.c: the variable v comes twice",
    );
}
