//! Indexes: settings that are refused or kept, suggestions, and what a search says of itself.

use std::collections::BTreeMap;

use search::IndexSettings;
use serde_json::Value;
use service::{IndexRequest, Request, SearchRequest, ServiceError, SuggestRequest};

use crate::site::{NOW, Says, Site, project};

pub(crate) fn settings(yaml: &str) -> IndexSettings {
    IndexSettings::read(yaml).unwrap()
}

pub(crate) fn create(site: &Site, name: &str, yaml: &str) -> Result<Value, ServiceError> {
    let (name, settings) = (name.to_owned(), Box::new(settings(yaml)));
    let request = Request::Index(IndexRequest::Create { name, settings, projects: Vec::new() });
    Ok(site.ask(&request)?.remove(0))
}

pub(crate) fn search(site: &Site, index: &str, query: &str) -> Value {
    let search = search::Search { query: query.to_owned(), ..search::Search::default() };
    site.ask(&Request::Search(SearchRequest { index: Some(index.to_owned()), search })).unwrap().remove(0)
}

fn suggested(site: &Site, index: &str, typed: &str) -> Result<Vec<String>, ServiceError> {
    let request = SuggestRequest { index: Some(index.to_owned()), typed: typed.to_owned(), limit: None };
    let found = site.ask(&Request::Suggest(request))?;
    Ok(found.iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect())
}

/// Three pages with titles and a link's words.
fn camp() -> Site {
    let page = |html: &'static str| Says::Html { html, links: Vec::new(), noindex: false };
    let links = vec![("http://shop.test/a", "Green canopy"), ("http://shop.test/b", "")];
    let pages = BTreeMap::from([
        (
            "http://shop.test/",
            Says::Html { html: "<title>Home</title><p>Welcome home.", links, noindex: false },
        ),
        ("http://shop.test/island", page("<title>Island</title><p>Nothing here at all.")),
        ("http://shop.test/a", page("<title>Grey tents</title><p>tents for two")),
        ("http://shop.test/b", page("<title>Green stoves</title><p>stoves and tents, green or grey")),
    ]);
    let mut site = Site::empty();
    let entry = site.runtime.block_on(site.data().catalog().upsert_project(&project(), NOW)).unwrap();
    site.crawl = entry.crawl;
    site.run(&pages);
    site
}

#[test]
fn titles_links_and_queries_that_were_asked_often_are_suggested() {
    let site = camp();
    for index in ["once", "often"] {
        create(&site, index, "analysis: {language: en}").unwrap();
        // Misspelled, meant for the language, or without a hit.
        for query in ["grean", "green AND tents", "gre*", "-grey", "title:grey", "green zeppelin", "green~"] {
            search(&site, index, query);
        }
    }
    search(&site, "once", "green tents");
    for query in ["green tents", "Green  tents", "green tents"] {
        search(&site, "often", query);
    }
    // Titles and the words of links stand before what was asked once, behind what was asked often.
    assert_eq!(
        suggested(&site, "once", "gre").unwrap(),
        ["Green canopy", "Green stoves", "Grey tents", "green tents"]
    );
    assert_eq!(
        suggested(&site, "often", "gre").unwrap(),
        ["green tents", "Green canopy", "Green stoves", "Grey tents"]
    );
}

#[test]
fn names_of_fields_that_nothing_has_are_refused() {
    let site = camp();
    let check = |yaml: &str, parts: &[&str]| {
        let error = create(&site, "own", yaml).expect_err(yaml).to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{yaml}: {error}");
    };
    check("fields: {titel: {weight: 2}}", &["fields", "titel", "anchor", "title"]);
    check("ranking: {weights: {titel: 2}}", &["ranking.weights", "titel", "text, title, url"]);
    check("ranking: {fields: {titel: {k: 2}}}", &["ranking.fields", "titel"]);
    create(&site, "own", "fields: {title: {weight: 2}}").unwrap();
    let ranked = |set: &str| {
        let ranking = search::Ranking::default().with([set]).unwrap();
        let search =
            search::Search { query: "tents".to_owned(), ranking: Some(ranking), ..search::Search::default() };
        site.ask(&Request::Search(SearchRequest { index: Some("own".to_owned()), search }))
    };
    let error = ranked("weights.nosuch=2").unwrap_err().to_string();
    assert!(error.contains("nosuch") && error.contains("title"), "{error}");
    let error = ranked("fields.nosuch.k=2").unwrap_err().to_string();
    assert!(error.contains("nosuch"), "{error}");
    ranked("weights.title=2").unwrap();
}

#[test]
fn k_and_b_of_a_field_act_at_query_time_and_leave_the_files() {
    let site = camp();
    create(&site, "own", "analysis: {language: en}").unwrap();
    let score = |yaml: &str| {
        create(&site, "own", &format!("analysis: {{language: en}}\n{yaml}")).unwrap();
        search(&site, "own", "stoves")["hits"][0]["score"].as_f64().unwrap()
    };
    let files = || {
        let dir = site.path().join("index/own/documents/segments");
        let mut names: Vec<_> =
            std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let usual = score("");
    let before = files();
    let (own, asked) =
        (score("fields: {text: {k: 9, b: 0}}"), score("ranking: {fields: {text: {k: 9, b: 0}}}"));
    assert!((own - asked).abs() < 1e-9 && (own - usual).abs() > 1e-3, "{usual} {own} {asked}");
    // What is asked for goes before the field's own.
    let both = score("fields: {text: {k: 9, b: 0}}\nranking: {fields: {text: {k: 1.2, b: 0.75}}}");
    assert!((both - usual).abs() < 1e-9, "{usual} {both}");
    score("fields: {title: {weight: 3}, depth: {variable: far}}\nranking: {formula: 'log(2 + far)'}");
    assert_eq!(files(), before);
    score("fields: {title: {analysis: {stem: false}}}");
    assert_ne!(files(), before);
}

#[test]
fn a_search_says_which_index_stands_in_for_that_of_the_project() {
    let site = camp();
    create(&site, "shop", "{}").unwrap();
    create(&site, "tents", "{}").unwrap();
    let asked = |index: Option<&str>| {
        let search = search::Search { query: "tents".to_owned(), ..search::Search::default() };
        let index = index.map(str::to_owned);
        let answer = site.ask(&Request::Search(SearchRequest { index, search })).unwrap().remove(0);
        (answer["index"].as_str().unwrap().to_owned(), answer["instead_of"].as_str().map(str::to_owned))
    };
    assert_eq!(asked(None), ("shop".to_owned(), None));
    site.ask(&Request::Index(IndexRequest::Drop { name: "shop".to_owned() })).unwrap();
    assert_eq!(asked(None), ("tents".to_owned(), Some("shop".to_owned())));
    assert_eq!(asked(Some("shop")), ("tents".to_owned(), Some("shop".to_owned())));
    assert_eq!(asked(Some("tents")), ("tents".to_owned(), None));
}

#[test]
fn a_dictionary_is_a_small_table_in_the_data_directory_and_nothing_else() {
    let site = Site::crawled();
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.tsv");
    std::fs::write(&secret, "root\t1\n").unwrap();
    let check = |name: &str, part: &str| {
        let refused = create(&site, "own", &format!("suggestions: {{dictionary: {name:?}}}"));
        let error = refused.expect_err(name).to_string();
        assert!(error.contains("suggestions.dictionary") && error.contains(part), "{name}: {error}");
    };
    check(secret.to_str().unwrap(), "data directory");
    check("/etc/passwd", "data directory");
    check("../secret.tsv", "without ..");
    check("words/../../secret.tsv", "without ..");
    check("", "name a file");
    check("nosuch.tsv", "belongs into the data directory");
    std::fs::write(site.path().join("keys"), "root\t1\n").unwrap();
    check("keys", ".tsv");
    std::fs::create_dir(site.path().join("folder.tsv")).unwrap();
    check("folder.tsv", "no file");
    std::fs::write(site.path().join("bytes.tsv"), b"ro\xffot\n").unwrap();
    check("bytes.tsv", "UTF-8");
    std::fs::write(site.path().join("scores.tsv"), "root\tmany\n").unwrap();
    check("scores.tsv", "line 1");
    let large = std::fs::File::create(site.path().join("large.tsv")).unwrap();
    large.set_len(65 << 20).unwrap();
    check("large.tsv", "at most");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&secret, site.path().join("link.tsv")).unwrap();
        check("link.tsv", "leads out");
    }
    assert!(site.ask(&Request::Index(IndexRequest::List)).unwrap().is_empty(), "nothing was made");

    std::fs::write(site.path().join("own.tsv"), "root vegetables\t5\tturnips;swedes\n").unwrap();
    create(&site, "own", "suggestions: {dictionary: own.tsv}").unwrap();
    assert_eq!(suggested(&site, "own", "roo").unwrap(), ["root vegetables"]);
    assert_eq!(suggested(&site, "own", "swe").unwrap(), ["root vegetables"]);
    create(&site, "own", "suggestions: {dictionary: own.tsv, synonyms: false}").unwrap();
    assert_eq!(suggested(&site, "own", "swe").unwrap(), Vec::<String>::new());
}
