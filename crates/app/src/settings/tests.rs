//! Tests of the layers: default, file, environment, flag.

use super::*;
use clap::Command;

fn flags(args: &[&str]) -> ArgMatches {
    let command = Command::new("test").no_binary_name(true).args(super::args());
    command.try_get_matches_from(args).unwrap_or_else(|error| panic!("{error}"))
}

fn layers(file: &str, environment: &[(&str, &str)], args: &[&str]) -> Result<Project, SettingsError> {
    let text = format!("version: 1\nproject: shop\nstart: [http://a.test/]\ncrawl: {file}\n");
    let file = Project::parse(&text, "shop.yaml").unwrap();
    let environment =
        |name: &str| environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    layered(Some(file), &[], environment, &flags(args))
}

#[track_caller]
fn check_refused(environment: &[(&str, &str)], args: &[&str], message: &str) {
    assert_eq!(layers("{}", environment, args).unwrap_err().to_string(), message);
}

#[test]
fn later_layers_win_key_by_key() {
    let pages = |file, environment, args| layers(file, environment, args).unwrap().crawl.max_pages;
    assert_eq!(pages("{}", &[], &[]), 0);
    assert_eq!(pages("{max_pages: 1}", &[], &[]), 1);
    assert_eq!(pages("{max_pages: 1}", &[("GANNET_MAX_PAGES", "2")], &[]), 2);
    assert_eq!(pages("{max_pages: 1}", &[("GANNET_MAX_PAGES", "2")], &["--max-pages", "3"]), 3);
    assert_eq!(pages("{max_pages: 1}", &[("GANNET_MAX_PAGES", "")], &[]), 1);
    assert_eq!(pages("{max_pages: 1}", &[("GANNET_MAX_DEPTH", "2")], &["--retry", "3"]), 1);
}

#[test]
fn every_setting_can_be_given_by_flag_and_by_environment() {
    for setting in model::CrawlSettings::reference() {
        let (text, value): (&str, serde_json::Value) = match (setting.key.as_str(), setting.kind) {
            (_, SettingKind::Switch) => match setting.default.as_bool() {
                Some(true) => ("false", false.into()),
                _ => ("true", true.into()),
            },
            ("image_side", _) => ("32", 32.into()),
            (_, SettingKind::Number) => ("7", 7.into()),
            (_, SettingKind::Map) => ("X-A: b", serde_json::json!({ "X-A": "b" })),
            ("scope", _) => ("suffix:de", "suffix:de".into()),
            ("order", _) => ("depth-first", "depth-first".into()),
            ("robots", _) => ("ignore", "ignore".into()),
            ("keep" | "compression", _) => ("none", "none".into()),
            ("topic_method", _) => ("counts", "counts".into()),
            ("off_topic", _) => ("mark", "mark".into()),
            ("duplicates", _) => ("winnowing", "winnowing".into()),
            ("exact_duplicates" | "near_duplicates", _) => ("skip-links", "skip-links".into()),
            ("revisit", _) => ("fixed", "fixed".into()),
            _ if setting.form.starts_with("a number") => ("0.25", "0.25".into()),
            ("rate", _) => ("2/s", "2/s".into()),
            ("dns", _) => ("192.0.2.1:5353", "192.0.2.1:5353".into()),
            ("robots_url", _) => ("http://a.test/r", "http://a.test/r".into()),
            ("cookies", _) => ("a=b", ["a=b"].into_iter().collect()),
            ("allow_addresses", _) => ("10.1.0.0/16", ["10.1.0.0/16"].into_iter().collect()),
            ("proxy_per", _) => ("run", "run".into()),
            ("proxies", _) => ("http://proxy.test:3128", ["http://proxy.test:3128"].into_iter().collect()),
            ("sitemaps" | "feeds", _) => ("http://a.test/s", ["http://a.test/s"].into_iter().collect()),
            ("content_types", _) => ("text/*", ["text/*"].into_iter().collect()),
            (_, SettingKind::List) => ("/a", ["/a"].into_iter().collect()),
            _ if setting.form.starts_with("time") => ("7s", "7s".into()),
            _ if setting.form.starts_with("size") => ("7MiB", "7MiB".into()),
            _ => ("something", "something".into()),
        };
        assert_ne!(value, setting.default, "{} needs a value of its own here", setting.key);
        let by_flag = layers("{}", &[], &[&format!("--{}={text}", setting.flag())]).unwrap();
        let by_environment = layers("{}", &[(&setting.environment(), text)], &[]).unwrap();
        assert_eq!(serde_json::to_value(&by_flag.crawl).unwrap()[&setting.key], value, "{}", setting.key);
        assert_eq!(by_environment, by_flag, "{}", setting.key);
    }
}

#[test]
fn lists_are_given_again_or_one_a_line() {
    let written =
        |project: Project| project.crawl.exclude.iter().map(ToString::to_string).collect::<Vec<_>>();
    let file = "{exclude: [/file]}";
    assert_eq!(written(layers(file, &[], &["--exclude", "/a", "--exclude", "/b"]).unwrap()), ["/a", "/b"]);
    assert_eq!(written(layers(file, &[("GANNET_EXCLUDE", "/a\n/b")], &[]).unwrap()), ["/a", "/b"]);
    let headers = layers("{}", &[], &["--header", "A: b", "--header", "C: d: e"]).unwrap().crawl.headers;
    assert_eq!(
        headers.into_iter().collect::<Vec<_>>(),
        [("A".into(), "b".into()), ("C".into(), "d: e".into())]
    );
}

#[test]
fn a_switch_needs_no_value() {
    assert!(layers("{}", &[], &["--drop-query"]).unwrap().crawl.drop_query);
    assert!(!layers("{drop_query: true}", &[], &["--drop-query=false"]).unwrap().crawl.drop_query);
}

#[test]
fn a_bad_value_is_named_with_its_flag_or_variable() {
    check_refused(&[], &["--rate", "5x"], "--rate: \"5x\" is no rate; write 1/s, 50/s, 30/m or unlimited");
    check_refused(&[], &["--max-pages", "many"], "--max-pages: \"many\" is no whole number");
    check_refused(
        &[],
        &["--exclude", "*.pdf"],
        "--exclude: \"*.pdf\" is no pattern; begin it with / for a path, https:// for a whole URL, host: or regex:",
    );
    check_refused(&[], &["--drop-query=yes"], "--drop-query: \"yes\" is neither true nor false");
    check_refused(
        &[("GANNET_RATE", "fast")],
        &[],
        "GANNET_RATE in the environment: \"fast\" is no rate; write 1/s, 50/s, 30/m or unlimited",
    );
}

#[test]
fn start_urls_on_the_command_line_replace_the_files() {
    let file = Project::parse("version: 1\nproject: shop\nstart: [http://a.test/]\n", "shop.yaml").unwrap();
    let none = |_: &str| None;
    let project =
        layered(Some(file), &["http://B.test/x?q".to_owned()], none, &flags(&["--drop-query"])).unwrap();
    assert_eq!(project.start, [PageUrl::parse("http://b.test/x").unwrap()]);
    assert_eq!(project.name.as_str(), "shop");
}

#[test]
fn a_crawl_without_file_is_named_after_its_host() {
    let none = |_: &str| None;
    let project = layered(None, &["http://127.0.0.1:8300/".to_owned()], none, &flags(&[])).unwrap();
    assert_eq!(project.name.as_str(), "127.0.0.1-8300");
    let lists = flags(&["--sitemap", "http://b.test/s.xml", "--feed", "http://a.test/feed"]);
    let project = layered(None, &[], none, &lists).unwrap();
    let start: Vec<&str> = project.start.iter().map(PageUrl::as_str).collect();
    assert_eq!((project.name.as_str(), start), ("b.test", vec!["http://b.test/s.xml", "http://a.test/feed"]));
    let error = layered(None, &["nonsense".to_owned()], none, &flags(&[])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"nonsense\": not a URL: relative URL without a base; write https://nonsense"
    );
    let error = layered(None, &[], none, &flags(&[])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no URL to start from; give one, --sitemap or --feed, or a project file with -p"
    );
}

#[test]
fn paths_in_a_project_file_are_relative_to_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.yaml");
    std::fs::write(
        &file,
        "version: 1\nproject: a\nstart: [http://a.test]\ncrawl: {hosts: hosts.txt, ca: /ca.pem}\n",
    )
    .unwrap();
    let crawl = read_project(&file).unwrap().crawl;
    assert_eq!(crawl.hosts, Some(directory.path().join("hosts.txt")));
    assert_eq!(crawl.ca, Some("/ca.pem".into()));
}

#[test]
fn a_selector_that_is_none_is_named_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.yaml");
    for key in ["links_in", "ignore_changes"] {
        let text =
            format!("version: 1\nproject: a\nstart: [http://a.test]\ncrawl:\n  {key}: [main, \"//a[\"]\n");
        std::fs::write(&file, text).unwrap();
        let error = read_project(&file).unwrap_err().to_string();
        let place = format!("shop.yaml:5:{}: {key}: the XPath expression \"//a[\", ", key.len() + 12);
        assert!(error.contains(&place), "{error}");
        let flag = format!("--{}=:::", key.replace('_', "-"));
        let error = layers("{}", &[], &[&flag]).unwrap_err().to_string();
        assert!(error.starts_with(flag.trim_end_matches("=:::")) && error.contains("\":::\""), "{error}");
    }
}

#[test]
fn seeds_are_lines_without_comments() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("seeds.txt");
    std::fs::write(&file, "# mine\nhttp://a.test\r\n\n  http://b.test  \n").unwrap();
    assert_eq!(read_seeds(&file).unwrap(), ["http://a.test", "http://b.test"]);
    std::fs::write(&file, b"\xff\xfe").unwrap();
    assert!(read_seeds(&file).unwrap_err().to_string().ends_with("seeds.txt: not UTF-8 text"));
}
