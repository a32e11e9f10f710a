//! `why`.

use service::{Request, Why, WhyRequest};

use crate::site::{Site, url};

fn why(site: &Site, text: &str) -> Why {
    let request = Request::Why(WhyRequest { url: text.to_owned(), project: None });
    serde_json::from_value(site.ask(&request).unwrap().remove(0)).unwrap()
}

#[test]
fn a_page_is_explained_from_its_start_to_its_record() {
    let site = Site::crawled();
    let why = why(&site, "HTTP://shop.test/new?utm_source=x#top");
    assert_eq!(why.url, url("http://shop.test/new"));
    assert_eq!(
        why.canonicalised,
        ["fragment #top dropped", "parameter utm_source dropped (tracking or session)"]
    );
    let path: Vec<(&str, &str, Option<&str>)> =
        why.path.iter().map(|step| (step.url.path(), step.how.as_str(), step.anchor.as_deref())).collect();
    assert_eq!(
        path,
        [
            ("/", "start", None),
            ("/old", "link", Some("Old")),
            ("/older", "redirect", None),
            ("/new", "redirect", None)
        ]
    );
    assert_eq!((why.words.as_str(), why.depth), ("fetched", Some(1)));
    assert!(why.rules.iter().all(|rule| rule.passes), "{:?}", why.rules);
    assert_eq!(why.robots.words, "no line speaks of it: allowed");
    assert_eq!(why.fetches.len(), 1);
    assert_eq!(why.fetches[0].status, Some(200));
    assert!(why.fetches[0].archived.as_ref().unwrap().starts_with("00001/00001.warc.gz byte "));
    assert_eq!(why.due, None);
}

#[test]
fn refusals_name_their_rule_or_line() {
    let site = Site::crawled();
    let excluded = why(&site, "http://shop.test/private/x");
    let refusals: Vec<_> = excluded.rules.iter().filter(|rule| !rule.passes).collect();
    assert_eq!((refusals.len(), refusals[0].rule.as_str()), (1, "exclude"));
    let denied = why(&site, "http://shop.test/denied");
    assert_eq!(denied.words, "disallowed by robots.txt line 2");
    assert_eq!(denied.robots.words, "line 2 forbids it: Disallow: /denied");
    assert_eq!(
        (denied.robots.allowed, denied.robots.version.as_deref()),
        (Some(false), Some("0000000000000007"))
    );
    let elsewhere = why(&site, "http://other.test/");
    assert_eq!(elsewhere.rules.iter().find(|rule| !rule.passes).unwrap().rule, "scope");
    assert_eq!(elsewhere.robots.words, "robots.txt of http://other.test has not been asked for yet");
}

#[test]
fn a_url_that_waits_says_until_when_and_why() {
    let site = Site::crawled();
    let due = why(&site, "http://shop.test/flaky").due.unwrap();
    assert!(due.because.starts_with("its host was busy: status 503"), "{}", due.because);
    assert!(due.at.0 > crate::site::NOW);
}

#[test]
fn a_url_never_met_is_judged_all_the_same() {
    let site = Site::crawled();
    let unknown = why(&site, "http://shop.test/unknown");
    assert!(!unknown.known && unknown.path.is_empty() && unknown.outcome.is_none());
    assert_eq!(unknown.words, "never met; if a page linked to it, it would be fetched");
    assert_eq!(
        why(&site, "http://shop.test/private/y").words,
        "never met; it would be refused: excluded by exclude /private/*"
    );
    assert_eq!(why(&site, "http://shop.test/denied/too").words, "never met; robots.txt would forbid it");
    let request = Request::Why(WhyRequest { url: "ftp://x/".into(), project: None });
    let refused = site.ask(&request).unwrap_err().sentence();
    assert_eq!(
        refused,
        "\"ftp://x/\" names no page: the scheme \"ftp\" names no Web page (http and https do)"
    );
}

#[test]
fn a_guard_names_its_number_and_its_setting() {
    let site = Site::crawled();
    let parameters: Vec<String> = (0..17).map(|number| format!("p{number}=1")).collect();
    let check = |path: &str, setting: &str, words: &str| {
        let why = why(&site, &format!("http://shop.test/{path}"));
        let refusal = why.rules.iter().find(|rule| !rule.passes).unwrap();
        let rest = format!("{setting} allows ");
        let told = refusal.refusal.as_ref().unwrap();
        assert_eq!(refusal.rule, setting);
        assert!(told.starts_with(&format!("trap: {words}, {rest}")), "{told}");
        assert!(told.ends_with("(raise it to go on, 0 switches it off)"), "{told}");
        assert_eq!(why.words, format!("never met; it would be refused: {told}"));
    };
    check(&format!("f?{}", parameters.join("&")), "max_parameters", "too many parameters: 17 parameters");
    check("a/b/a/c/a/a", "max_repeats", "a path segment repeats: 3 repeats of a path segment");
    let deep: Vec<String> = (0..21).map(|number| number.to_string()).collect();
    check(&deep.join("/"), "max_segments", "too many path segments: 21 path segments");
}
