//! `gannet try`: rows, coverage and links of one page, from the Web or from a file.

use std::path::PathBuf;

use serde_json::Value;

use crate::gannet::{gannet, next_line, start};

/// A file of the documentation.
fn example(name: &str) -> String {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples").join(name);
    file.to_str().unwrap().to_owned()
}

fn file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (dir, path)
}

#[test]
fn a_page_of_the_demo_site_is_shown_as_the_crawl_would_read_it() {
    let mut site = start(&["demo-site", "--port", "0"], &[]);
    let base =
        next_line(&mut site).split_whitespace().find(|word| word.starts_with("http")).unwrap().to_owned();
    let base = base.trim_end_matches('/');
    let said = gannet(&["try", &format!("{base}/shop/tents/"), "-p", &example("demo-shop.yaml"), "--json"]);
    assert_eq!((said.err.as_str(), said.code), ("", Some(0)));
    let page: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(page["page_type"], "next-link");
    assert_eq!(page["rows"].as_array().unwrap().len(), 8);
    assert_eq!(page["coverage"][0]["found"], 8);
    let links = page["links"].as_array().unwrap();
    let next = links.iter().find(|link| link["wanted"]["next"] == true).unwrap();
    assert_eq!(next["url"], format!("{base}/shop/tents/page/2"));
    // The project begins elsewhere, so the scope is elsewhere.
    assert!(links.iter().any(|link| link["reason"] == "outside the links to follow (links, links_in)"));
    let said = gannet(&["try", &format!("{base}/shop/tents/"), "-p", &example("demo-shop.yaml")]);
    assert!(said.out.contains("next-link, 8 rows\n\ntitle  "), "{}", said.out);
    assert!(said.out.contains("\nFIELD  "), "{}", said.out);
    // The blog's page types stand in a file of their own.
    let said = gannet(&["try", &format!("{base}/blog/"), "-p", &example("demo-blog.yaml")]);
    assert!(said.out.contains("no page type takes this page"), "{}{}", said.out, said.err);
    site.kill().unwrap();
    site.wait().unwrap();
}

#[test]
fn a_file_is_read_as_if_it_stood_at_its_url() {
    let (_one, page) = file("page.html", "<ul><li><b>A</b> <a href=1>x</a><li><b>B</b></ul>");
    let (_two, project) = file(
        "p.yaml",
        "version: 1\nproject: p\nstart: [http://a.test/]\nfields:\n  list:\n    rows: li\n    read: {name: b, page: {css: a, kind: link, required: true}}\n",
    );
    let said = gannet(&["try", &page, "--url", "http://a.test/l/", "-p", &project]);
    let expected = "http://a.test/l/: list, 2 rows\n\n\
        name  page\nA     http://a.test/l/1\nB\n\n\
        FIELD  KIND  FOUND  NOTE\nname   text    2/2\npage   link    1/2  required, missing in 1\n\n\
        1 links would be followed, 0 not\n  follow  http://a.test/l/1\n";
    assert_eq!((said.out.as_str(), said.code), (expected, Some(0)), "{}", said.err);
}

#[test]
fn a_wrong_selector_is_refused_with_its_place() {
    let (_dir, project) = file(
        "p.yaml",
        "version: 1\nproject: p\nstart: [http://a.test/]\nfields:\n  list:\n    read: {name: 'b['}\n",
    );
    let said = gannet(&["try", "page.html", "-p", &project]);
    assert_eq!(said.code, Some(2));
    let start = format!("gannet: {project}:6:18: list: name: the CSS selector \"b[\", at character ");
    assert!(said.err.starts_with(&start), "{}", said.err);
}
