//! Tests of project files: what is read, and each mistake with its place and words.

use super::*;
use crate::{Order, Rate, RobotsMode, Scope, Span};
use proptest::prelude::*;

const SHOP: &str = "\
version: 1
project: shop            # one name
start: [https://Shop.test/list?utm_source=mail]
crawl: {scope: host, max_depth: 5, max_pages: 100, order: breadth-first, rate: 1/s, retry: 2, timeout: 30s,
        walltime: 60m, robots: obey, exclude: [\"/calendar/*\"]}
";

/// The file is refused with exactly this message.
fn check_refused(text: &str, message: &str) {
    let error = Project::parse(text, "shop.yaml").err().unwrap_or_else(|| panic!("taken:\n{text}"));
    assert_eq!(error.to_string(), message, "for\n{text}");
}

/// A file with this in its `crawl` section, which stands on line 4, is refused with this message.
fn check_crawl_refused(crawl: &str, message: &str) {
    check_refused(&format!("version: 1\nproject: shop\nstart: [http://a.test/]\ncrawl: {crawl}\n"), message);
}

#[test]
fn a_project_file_is_read_whole() {
    let project = Project::parse(SHOP, "shop.yaml").unwrap();
    assert_eq!(project.name.as_str(), "shop");
    assert_eq!(project.start, [PageUrl::parse("https://shop.test/list").unwrap()]);
    let expected = CrawlSettings {
        scope: Scope::Host,
        max_depth: 5,
        max_pages: 100,
        order: Order::BREADTH_FIRST,
        rate: Some("1/s".parse::<Rate>().unwrap()),
        retry: 2,
        timeout: Span::from_secs(30),
        walltime: Span::from_secs(3_600),
        robots: RobotsMode::Obey,
        exclude: vec!["/calendar/*".parse().unwrap()],
        ..CrawlSettings::default()
    };
    assert_eq!(project.crawl, expected);
}

#[test]
fn a_project_without_crawl_section_has_the_defaults() {
    for text in [
        "version: 1\nproject: a\nstart: [http://a.test]\n",
        "version: 1\nproject: 007\nstart:\n- http://a.test\ncrawl:\n",
    ] {
        assert_eq!(Project::parse(text, "a").unwrap().crawl, CrawlSettings::default());
    }
}

#[test]
fn numbers_and_nothing_need_no_quotation_marks() {
    let text = "version: 1\nproject: 007\nstart: [http://a.test]\ncrawl: {walltime: 0, max_bytes: 0, rate: null, user_agent: 1.0}\n";
    let project = Project::parse(text, "a").unwrap();
    assert_eq!(project.name.as_str(), "007");
    assert!(project.crawl.walltime.is_zero());
    assert_eq!(project.crawl.user_agent.as_deref(), Some("1.0"));
}

#[test]
fn start_urls_take_the_projects_normalisation() {
    let text = "version: 1\nproject: a\nstart: [http://www.a.test/b/?c]\ncrawl: {drop_www: true, drop_query: true, drop_trailing_slash: true}\n";
    assert_eq!(Project::parse(text, "a").unwrap().start, [PageUrl::parse("http://a.test/b").unwrap()]);
}

#[test]
fn an_unknown_key_is_refused_with_the_nearest_known_one() {
    check_refused(
        "version: 1\nproject: shop\nstart: [http://a.test/]\ncrawl:\n  max_page: 5\n",
        "shop.yaml:5:3: unknown key \"max_page\" in crawl; did you mean \"max_pages\"?",
    );
    check_refused(
        "version: 1\nprojekt: shop\n",
        "shop.yaml:2:1: unknown key \"projekt\"; did you mean \"project\"?",
    );
    check_crawl_refused(
        "{max-depth: 1}",
        "shop.yaml:4:9: unknown key \"max-depth\" in crawl; did you mean \"max_depth\"?",
    );
    check_crawl_refused(
        "{agent: x}",
        "shop.yaml:4:9: unknown key \"agent\" in crawl; did you mean \"user_agent\"?",
    );
    check_crawl_refused(
        "{zzz: 1}",
        "shop.yaml:4:9: unknown key \"zzz\" in crawl; \"gannet reference\" lists the keys",
    );
}

#[test]
fn the_version_is_asked_for_and_a_newer_one_refused() {
    check_refused(
        "project: shop\nstart: [http://a.test/]\n",
        "shop.yaml: the version is missing; add the line \"version: 1\"",
    );
    check_refused(
        "version: 2\nnovelty: 1\n",
        "shop.yaml:1:10: version 2 is newer than this program, which reads version 1; update it",
    );
    check_refused("version: 0\n", "shop.yaml:1:10: there is no version 0; write \"version: 1\"");
    check_refused("version: one\n", "shop.yaml:1:10: \"one\" is no whole number");
}

#[test]
fn a_wrong_type_is_refused_at_its_place() {
    check_crawl_refused("{max_pages: lots}", "shop.yaml:4:20: \"lots\" is no whole number");
    check_crawl_refused("{max_pages: -1}", "shop.yaml:4:20: \"-1\" is no whole number");
    check_crawl_refused("{retry: 99999999999}", "shop.yaml:4:16: \"99999999999\" is too large");
    check_crawl_refused("{drop_query: no}", "shop.yaml:4:21: \"no\" is neither true nor false");
    check_crawl_refused("{exclude: /a}", "shop.yaml:4:18: a list is expected here, as in [one, two]");
    check_crawl_refused("{max_pages: {a: 1}}", "shop.yaml:4:20: a single value is expected here");
    check_crawl_refused("{timeout: [1]}", "shop.yaml:4:18: a single value is expected here");
    check_crawl_refused("5", "shop.yaml:4:8: keys with values are expected here");
    check_refused("version: 1\nproject: [shop]\n", "shop.yaml:2:10: a single value is expected here");
    check_refused("- a\n", "shop.yaml:1:1: keys with values are expected here");
    check_refused("just words", "shop.yaml:1:1: keys with values are expected here");
}

#[test]
fn a_wrong_value_is_refused_in_its_own_words() {
    check_crawl_refused(
        "{rate: 5x}",
        "shop.yaml:4:15: \"5x\" is no rate; write 1/s, 50/s, 30/m or unlimited",
    );
    check_crawl_refused(
        "{exclude: [/a, 'regex:(']}",
        "shop.yaml:4:23: \"regex:(\" is no pattern; at character 7: unclosed group",
    );
    check_crawl_refused("{robots_url: x}", "shop.yaml:4:21: \"x\": not a URL: relative URL without a base");
    check_crawl_refused("{image_side: 48}", "shop.yaml:4:21: no side of an image; write 16, 32 or 64");
    check_crawl_refused("{connections: 0}", "shop.yaml:4:22: zero is too little here");
    check_crawl_refused(
        "{duplicates_threshold: 101}",
        "shop.yaml:4:31: more than a hundred percent; write 0 to 100",
    );
    check_crawl_refused(
        "{headers: {Host: a}}",
        "shop.yaml:4:18: \"Host\" is no header; Gannet sets it itself",
    );
    check_crawl_refused(
        "{delay: 3}",
        "shop.yaml:4:16: \"3\" is no span of time; write 250ms, 30s, 5m, 1h30m or 2d",
    );
    check_refused(
        "version: 1\nproject: a/b\n",
        "shop.yaml:2:10: \"a/b\" is no project name; write up to 64 letters, digits, - _ . and begin with a letter or digit",
    );
}

#[test]
fn start_urls_are_asked_for_and_checked() {
    check_refused("version: 1\nproject: shop\n", "shop.yaml: start is missing; write \"start: [URL]\"");
    check_refused(
        "version: 1\nproject: shop\nstart: []\n",
        "shop.yaml:3:8: start names no URL; a crawl begins somewhere",
    );
    check_refused(
        "version: 1\nproject: shop\nstart: [http://a.test, ftp://b.test]\n",
        "shop.yaml:3:24: \"ftp://b.test\": the scheme \"ftp\" names no Web page (http and https do)",
    );
    check_refused("version: 1\nstart: [http://a.test]\n", "shop.yaml: project is missing");
}

#[test]
fn broken_yaml_is_refused_at_its_place() {
    check_refused("", "shop.yaml: the file is empty");
    check_refused("version: 1\nstart: [a", "shop.yaml:2:8: not valid YAML: unclosed bracket '['");
    check_refused("version: 1\nproject: a\nproject: b\n", "shop.yaml:3:1: the key \"project\" comes twice");
    check_refused("version: 1\nproject:\n", "shop.yaml:2:8: a value is missing here");
    check_refused(
        "version: 1\nproject: a\n start: b\n",
        "shop.yaml:3:7: not valid YAML: mapping values are not allowed in this context",
    );
}

#[test]
fn strange_yaml_is_refused_in_words() {
    check_refused(
        "version: 1\nproject: a\nstart: [http://a.test]\n---\nversion: 1\n",
        "shop.yaml:4:1: a second document begins here; a project file has one",
    );
    check_refused(
        "version: 1\nproject: *none\n",
        "shop.yaml:2:10: not valid YAML: alias references unknown anchor",
    );
    check_refused("version: 1\n? [a, b]\n: c\n", "shop.yaml:2:3: a single value is expected here");
    check_refused("version: .nan\n", "shop.yaml:1:10: \".nan\" is no whole number");
}

#[test]
fn every_half_written_file_is_refused_or_a_project() {
    for end in 0..SHOP.len() {
        if let Err(error) = Project::parse(&SHOP[..end], "shop.yaml") {
            let error = error.to_string();
            assert!(error.starts_with("shop.yaml:") && !error.contains('\n'), "at {end}: {error}");
        }
    }
}

#[test]
fn bombs_are_refused_early() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        bomb += &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 8].join(", "));
    }
    for text in [bomb, format!("a: {}", "[".repeat(100_000)), format!("a:\n {}", "- ".repeat(100_000))] {
        let error = Project::parse(&text, "shop.yaml").unwrap_err().to_string();
        assert!(error.contains(": too deeply nested") && error.ends_with("for a project file"), "{error}");
    }
    let long = format!("version: 1\n#{}", "x".repeat(Project::MAX_FILE));
    check_refused(&long, "shop.yaml: longer than 1048576 bytes");
}

#[test]
fn a_project_writes_the_file_that_it_reads() {
    let project = Project::parse(SHOP, "shop.yaml").unwrap();
    let yaml = project.to_yaml();
    assert_eq!(Project::parse(&yaml, "again").unwrap(), project, "{yaml}");
    assert!(!yaml.contains("scope"), "defaults are left out:\n{yaml}");
}

proptest! {
    #[test]
    fn any_settings_survive_yaml_and_json(
        patterns in prop::collection::vec("/[ -~]{0,12}", 0..3).prop_map(|list| {
            list.into_iter().filter_map(|text| text.parse().ok()).collect::<Vec<crate::Pattern>>()
        }),
        agent in "[a-zA-Z:#'\"{}\\[\\],&*!|>%@` ]{0,12}",
        contact in "null|true|~|0x1F|1e3|-|: |no|\\PC{1,12}",
        pages: u64,
        millis in 1u64..1_000_000_000,
        bytes in 1u64..,
        value in "[ -~]{0,12}",
    ) {
        let one_line = |text: String| Some(text).filter(|text| !text.trim().is_empty());
        let crawl = CrawlSettings {
            include: patterns,
            user_agent: one_line(agent),
            contact: one_line(contact),
            max_pages: pages,
            timeout: Span::from_millis(millis),
            max_body: crate::Size::from_bytes(bytes),
            headers: [("X-Test".to_owned(), value)].into(),
            ..CrawlSettings::default()
        };
        let project = Project {
            name: "a".parse().unwrap(),
            start: vec![PageUrl::parse("http://a.test/?q=%23&b: c").unwrap()],
            crawl,
            fields: None,
            index: None,
        };
        let yaml = project.to_yaml();
        let read = Project::parse(&yaml, "again").map_err(|error| TestCaseError::fail(format!("{error}\n{yaml}")))?;
        prop_assert_eq!(&read, &project, "{}", yaml);
        let json = serde_json::to_string(&project).unwrap();
        prop_assert_eq!(serde_json::from_str::<Project>(&json).unwrap(), project);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "([a-z]{1,8}: ?|[\\[\\]{}&*!#'\",-]|\n|  |1|\\PC){0,40}") {
        let _ = Project::parse(&format!("version: 1\n{text}"), "a");
    }
}

#[test]
fn a_mistake_beside_a_proxy_does_not_tell_its_password() {
    for proxies in [
        "[\"https://ann:s3cret@p.test\"]",
        "[http://ann:s3cret]",
        "[http://ann:s3cret@p.test, http://ann:s3cret@p.test/x]",
        "http://ann:s3cret@p.test",
        "{http://ann:s3cret@p.test: 1}",
        "{a: http://ann:s3cret@p.test, a: http://ann:s3cret@p.test}",
        "{\"http://ann:s3cret@p.test\": 1, \"http://ann:s3cret@p.test\": 2}",
        "[{http://ann:s3cret@p.test: 1}]",
        "[[http://ann:s3cret@p.test]]",
        "[http://ann:s3cret@p.test",
        "[\"http://ann:s3cret@p.test]",
        "[\"http://ann:s3cret\\q@p.test\"]",
        "[!!int http://ann:s3cret@p.test]",
        "[!!bool http://ann:s3cret@p.test]",
        "[!!binary http://ann:s3cret@p.test]",
        "\n  - http://ann:s3cret@p.test\n - x",
        "[http://p.test]\n  http://ann:s3cret@p.test: [http://p.test]",
    ] {
        let text =
            format!("version: 1\nproject: shop\nstart: [http://a.test/]\ncrawl:\n  proxies: {proxies}\n");
        let error = Project::parse(&text, "shop.yaml").err().unwrap_or_else(|| panic!("taken:\n{text}"));
        assert!(!error.to_string().contains("s3cret"), "{error}, for\n{text}");
    }
}
