//! `why-not`: the chain from crawl to rank, each kind of break.

use std::collections::BTreeMap;

use service::{Request, WhyNot, WhyNotRequest};

use crate::indexes::create;
use crate::site::{NOW, Says, Site, project};

const HOME: &str = "http://shop.test/";

/// Pages about tents of different worth, one hidden, and what a crawl does not get.
fn site() -> Site {
    let page = |html: &'static str| Says::Html { html, links: Vec::new(), noindex: false };
    let links = ["best", "good", "long", "hidden", "stove", "gone", "denied", "private/x"];
    let links = links.map(|name| (&*format!("{HOME}{name}").leak(), "more"));
    let long = format!("<title>Long</title><p>tent {}", "pole peg rope canvas stone ".repeat(80));
    let pages = BTreeMap::from([
        (HOME, Says::Html { html: "<title>Home</title><p>Welcome.", links: links.to_vec(), noindex: false }),
        ("http://shop.test/island", page("<title>Island</title><p>Nothing here.")),
        ("http://shop.test/best", page("<html lang=en><title>Tent</title><p>tent tent tent, green canvas")),
        ("http://shop.test/good", page("<html lang=de><title>Camp</title><p>tent of grey canvas")),
        ("http://shop.test/long", page(long.leak())),
        ("http://shop.test/hidden", Says::Html { html: "<p>tent", links: Vec::new(), noindex: true }),
        ("http://shop.test/stove", page("<title>Stove</title><p>a small stoves and its gas, never a flame")),
        ("http://shop.test/gone", Says::Status(404)),
        ("http://shop.test/denied", Says::Denied(2)),
    ]);
    let mut site = Site::empty();
    let entry = site.runtime.block_on(site.data().catalog().upsert_project(&project(), NOW)).unwrap();
    site.crawl = entry.crawl;
    site.run(&pages);
    site
}

fn why_not(site: &Site, index: &str, path: &str, query: &str) -> WhyNot {
    let url = format!("{HOME}{path}");
    let request = WhyNotRequest { index: Some(index.to_owned()), url, query: query.to_owned() };
    serde_json::from_value(site.ask(&Request::WhyNot(request)).unwrap().remove(0)).unwrap()
}

/// What the chain and the advice say of a page, in an index with this ranking.
#[track_caller]
fn check(site: &Site, ranking: &str, path: &str, query: &str, parts: &[&str]) -> WhyNot {
    create(site, "tents", &format!("analysis: {{language: en}}\nranking: {ranking}")).unwrap();
    let told = why_not(site, "tents", path, query);
    let text = format!("{}\n→ {}", told.chain.join("\n"), told.advice.clone().unwrap_or_default());
    for part in parts {
        assert!(text.contains(part), "{path} for {query}: no {part:?} in\n{text}");
    }
    told
}

#[test]
fn what_the_crawl_did_not_bring_is_told_from_its_side() {
    let site = site();
    let check = |path: &str, parts: &[&str]| {
        let told = check(&site, "{}", path, "tent", parts);
        assert_eq!(told.place, None);
    };
    check("nowhere", &["never met", "the crawl has not found it", "start"]);
    check("private/x", &["excluded by", "/private/*", "was not fetched"]);
    check("denied", &["robots.txt", "was not fetched"]);
    check("gone", &["status 404"]);
    check("hidden", &["crawl shop: fetched", "noindex"]);
    create(&site, "rows", "of: rows").unwrap();
    let told = why_not(&site, "rows", "best", "tent");
    assert!(told.chain.last().unwrap().contains("it holds rows"), "{told:?}");
}

#[test]
fn what_does_not_hold_of_a_query_is_named() {
    let site = site();
    let check = |path: &str, query: &str, parts: &[&str]| {
        let told = check(&site, "{}", path, query, parts);
        assert_eq!(told.place, None, "{told:?}");
        assert!(told.chain.contains(&"the query does not match the page".to_owned()), "{told:?}");
    };
    check("good", "camel", &["it does not have “camel”; the nearest it has is “camp”", "synonyms"]);
    check("best", "stove", &["it does not have “stove”", "words that the page has"]);
    check("good", "tent lang:en", &["the condition lang:en does not hold: its lang is “de”"]);
    check(
        "good",
        "tent site:other.test",
        &["the condition site:other.test does not hold: its host is “shop.test”"],
    );
    check("good", "tent depth:5..9", &["depth:5..9", "its depth is “1”"]);
    check("good", "tent after:2020", &["after:2020", "its date is not known"]);
    check("good", "title:tent", &["its title does not have “tent”: it is “Camp”"]);
    check("best", "\"canvas tent\"", &["it has the words of “canvas tent”, but not one after the other"]);
    check("best", "\"canvas stove\"", &["“stove” of the phrase “canvas stove”"]);
    check("long", "tent NEAR/2 rope", &["it has tent and rope, but not within 2 words"]);
    check("good", "tent -grey", &["it has grey, which the query does not want"]);
    check("good", "tent AND stove", &["it does not have “stove”"]);
    check("good", "tent AND NOT canvas", &["it has canvas, which the query does not want"]);
}

#[test]
fn what_leaves_a_matching_page_out_is_named() {
    let site = site();
    let missing = |ranking: &str, path: &str, parts: &[&str]| {
        let told = check(&site, ranking, path, "tent", parts);
        assert_eq!(told.place, None, "{told:?}");
    };
    let best = "{url: 'http://shop.test/b*', do: block}";
    missing(
        &format!("{{rules: [{best}]}}"),
        "best",
        &["rule 1 (http://shop.test/b*) blocks it", "change rule 1"],
    );
    missing(
        "{rules: [{url: shop.test, do: block, query: tent}]}",
        "best",
        &["rule 1", "for the query “tent”"],
    );
    missing("{cut: 0.9}", "long", &["cut leaves it out", "less than 0.9 of the best", "cut=0"]);
    missing("{per_site: 1}", "good", &["per_site leaves it out: 1 better hits of shop.test", "number 2"]);
    // A rule for another query says nothing.
    let told = check(&site, "{rules: [{url: shop.test, do: block, query: other}]}", "best", "tent", &[]);
    assert_eq!(told.place, Some(1));
    assert!(!told.chain.iter().any(|step| step.contains("rule")), "{told:?}");
}

#[test]
fn a_hit_is_told_its_place_and_what_the_one_above_has() {
    let site = site();
    let first = check(&site, "{}", "best", "tent", &["it is number 1 of 3 hits"]);
    assert_eq!((first.place, &first.advice), (Some(1), &None));
    let second = check(
        &site,
        "{}",
        "good",
        "tent",
        &["above it is http://shop.test/best with", "“tent” in title:", "there, 0.000 here", "--explain"],
    );
    assert_eq!(second.place, Some(2));
    check(&site, "{}", "long", "tent", &["words where", "b below 0.75"]);
    check(&site, "{b: 0}", "long", "tent", &["--explain"]);
    check(
        &site,
        "{}",
        "long",
        "green canvas",
        &["does not have “green”", "hits with all words come first", "it lacks “green”"],
    );
    let demoted = "{rules: [{url: 'http://shop.test/best', do: {demote: 0.1}}]}";
    check(&site, demoted, "best", "tent", &["rule 1 (http://shop.test/best) multiplies its score by 0.1"]);
    let pinned = "{rules: [{url: 'http://shop.test/stove', do: pin}]}";
    check(&site, pinned, "stove", "tent", &["rule 1 (http://shop.test/stove) pins it", "it is number 1"]);
    check(&site, pinned, "best", "tent", &["above it is http://shop.test/stove, which is pinned"]);
}
