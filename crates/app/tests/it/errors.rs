//! Bad input: one clear sentence each, and the exit code for it.

use crate::gannet::{gannet, gannet_with};

#[track_caller]
fn check(args: &[&str], code: i32, first_line: &str) {
    let said = gannet(args);
    assert_eq!(said.err.lines().next().unwrap_or_default(), first_line, "for {args:?}");
    assert_eq!(said.code, Some(code), "for {args:?}");
    assert_eq!(said.out, "", "for {args:?}");
}

#[test]
fn wrong_usage_is_named_and_ends_with_2() {
    check(&["crawl", "--max-page", "5"], 2, "gannet: unexpected argument '--max-page' found");
    check(&["crwal"], 2, "gannet: unrecognized subcommand 'crwal'");
    check(&["why"], 2, "gannet: the following required arguments were not provided:");
    let said = gannet(&[]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("Usage: gannet"), "{}", said.err);
}

#[test]
fn a_bad_setting_is_named_with_its_flag() {
    check(
        &["crawl", "http://a.test", "--rate", "5x"],
        2,
        "gannet: --rate: \"5x\" is no rate; write 1/s, 50/s, 30/m or unlimited",
    );
    check(
        &["crawl", "http://a.test", "--exclude", "regex:a(b"],
        2,
        "gannet: --exclude: \"regex:a(b\" is no pattern; at character 8: unclosed group",
    );
    let said = gannet_with(&["crawl", "http://a.test"], b"", &[("GANNET_MAX_PAGES", "many")]);
    assert_eq!(said.err, "gannet: GANNET_MAX_PAGES in the environment: \"many\" is no whole number\n");
    assert_eq!(said.code, Some(2));
}

#[test]
fn a_start_url_is_asked_for_and_checked() {
    check(
        &["crawl"],
        2,
        "gannet: no URL to start from; give one, --sitemap or --feed, or a project file with -p",
    );
    check(
        &["crawl", "shop"],
        2,
        "gannet: \"shop\": not a URL: relative URL without a base; write https://shop",
    );
}

#[test]
fn a_bad_project_file_is_named_with_the_place() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.yaml");
    let name = file.to_str().unwrap();
    let check_file = |text: &[u8], problem: &str| {
        std::fs::write(&file, text).unwrap();
        check(&["crawl", "-p", name], 2, &format!("gannet: {name}{problem}"));
    };
    check_file(
        b"version: 1\nproject: shop\nstart: [http://a.test]\ncrawl:\n  max_page: 5\n",
        ":5:3: unknown key \"max_page\" in crawl; did you mean \"max_pages\"?",
    );
    check_file(
        b"version: 1\nproject: shop\nstart: [http://a.t",
        ":3:8: not valid YAML: unclosed bracket '['",
    );
    check_file(
        b"version: 9\n",
        ":1:10: version 9 is newer than this program, which reads version 1; update it",
    );
    check_file(b"\xff\xfe", ": not UTF-8 text");
    check_file(&[b'#'; 2 << 20], ": longer than 1048576 bytes");
    let missing = directory.path().join("none.yaml");
    let missing = missing.to_str().unwrap();
    check(
        &["crawl", "-p", missing],
        2,
        &format!("gannet: cannot read {missing}: No such file or directory (os error 2)"),
    );
}

#[test]
fn a_port_in_use_is_one_sentence() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    check(
        &["demo-site", "--port", &port.to_string()],
        2,
        &format!("gannet: port {port} of 127.0.0.1 is in use by another program"),
    );
}

#[test]
fn a_crawl_that_fetches_nothing_says_why_and_is_no_success() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let said = gannet(&["crawl", "http://127.0.0.1:9/", "--quiet", "--data", data.to_str().unwrap()]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    let line = "nothing was fetched: http://127.0.0.1:9/: failed: the address is private or reserved (tried 0×); \
                --allow-private asks it all the same, for sites of your own\n";
    assert!(said.out.ends_with(line), "{}", said.out);
}
