//! `url`, `robots`, `select`, `detect`, `read`, `sitemap` and `reference`: by hand and in batches.

use std::io::Write;

use webs::Answer;

use crate::gannet::{gannet, gannet_with, next_line, start};
use crate::served::{Served, missing, small};

#[test]
fn url_prints_the_canonical_form() {
    let said = gannet(&["url", "HTTP://Shop.test:80/a/../b?utm_source=x#top", "https://b.test"]);
    assert_eq!(said.out, "http://shop.test/b\nhttps://b.test/\n");
    assert_eq!(said.code, Some(0));
    let said = gannet(&["url", "--base", "https://shop.test/list/", "../item?a=1", "--drop-query"]);
    assert_eq!(said.out, "https://shop.test/item\n");
}

#[test]
fn an_invalid_url_is_told_apart_and_the_rest_go_on() {
    let said = gannet(&["url", "mailto:a@b.test", "http://a.test"]);
    assert_eq!(said.out, "http://a.test/\n");
    assert_eq!(
        said.err,
        "gannet: \"mailto:a@b.test\": the scheme \"mailto\" names no Web page (http and https do)\n"
    );
    assert_eq!(said.code, Some(1));
    let said = gannet(&["url", "--json", "x", "http://a.test"]);
    assert_eq!(
        said.out,
        "{\"url\":\"x\",\"error\":\"not a URL: relative URL without a base\"}\n\
         {\"url\":\"http://a.test\",\"canonical\":\"http://a.test/\"}\n"
    );
    assert_eq!(said.code, Some(1));
}

#[test]
fn url_batch_answers_every_line_in_order() {
    let input = b"{\"url\": \"HTTP://A.test\"}\n\
        nonsense\n\
        {\"url\": \"../x\", \"base\": \"http://a.test/b/c\"}\n\
        {\"url\": \"ftp://a.test/\"}\n\
        {\"url\": \"x\", \"base\": \"y\"}\n\
        {\"url\": \"http://last.test/\"}";
    let said = gannet_with(&["url", "--batch"], input, &[]);
    let expected = [
        r#"{"canonical":"http://a.test/"}"#,
        r#"{"error":"not understood: expected ident at column 2","line":2}"#,
        r#"{"canonical":"http://a.test/x"}"#,
        r#"{"error":"the scheme \"ftp\" names no Web page (http and https do)"}"#,
        r#"{"error":"base \"y\": not a URL: relative URL without a base"}"#,
        r#"{"canonical":"http://last.test/"}"#,
    ];
    assert_eq!(said.out.lines().collect::<Vec<_>>(), expected);
    assert_eq!((said.err.as_str(), said.code), ("", Some(0)));
}

#[test]
fn a_batch_answers_before_the_next_question() {
    let mut child = start(&["url", "--batch"], &[]);
    for host in ["a", "b", "c"] {
        let question = format!("{{\"url\": \"http://{host}.test\"}}\n");
        child.stdin.as_mut().unwrap().write_all(question.as_bytes()).unwrap();
        assert_eq!(next_line(&mut child), format!("{{\"canonical\":\"http://{host}.test/\"}}"));
    }
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn who_closes_the_output_early_is_not_told_of_an_error() {
    let mut child = start(&["url", "--batch"], &[]);
    drop(child.stdout.take());
    // The program may be gone before all is written.
    let _ = child.stdin.take().unwrap().write_all("{\"url\": \"http://a.test\"}\n".repeat(10_000).as_bytes());
    let output = child.wait_with_output().unwrap();
    assert_eq!((String::from_utf8_lossy(&output.stderr).as_ref(), output.status.code()), ("", Some(0)));
}

#[test]
fn demo_site_says_where_it_is_and_stops_on_ctrl_c() {
    let mut child = start(&["demo-site", "--port", "0"], &[]);
    let line = next_line(&mut child);
    assert!(line.starts_with("serving demo at http://127.0.0.1:"), "{line}");
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

const ROBOTS: &str = "User-agent: *\nDisallow: /cart\nAllow: /cart/help\nCrawl-delay: 2\n\nUser-agent: other\n\
    Disallow: /\n\nSitemap: https://shop.test/sitemap.xml\n";

#[test]
fn robots_names_the_deciding_line() {
    let args = [
        "robots",
        "-",
        "--agent",
        "gannet",
        "https://shop.test/cart?x=1",
        "https://shop.test/cart/help",
        "/a",
    ];
    let said = gannet_with(&args, ROBOTS.as_bytes(), &[]);
    assert_eq!(
        said.out,
        "deny  https://shop.test/cart?x=1  (line 2: Disallow: /cart)\n\
         allow  https://shop.test/cart/help  (line 3: Allow: /cart/help)\n\
         allow  /a  (no rule speaks of it)\n\
         crawl-delay: 2 s\n\
         sitemap: https://shop.test/sitemap.xml\n"
    );
    assert_eq!(said.code, Some(0));
    let said = gannet_with(&["robots", "-", "--agent", "Other/1.0", "--json", "/a"], ROBOTS.as_bytes(), &[]);
    assert_eq!(
        said.out,
        "{\"allowed\":false,\"line\":7,\"crawl_delay\":null,\"sitemaps\":[\"https://shop.test/sitemap.xml\"],\"url\":\"/a\"}\n"
    );
}

#[test]
fn robots_reads_a_file_and_says_which_it_cannot() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("robots.txt");
    std::fs::write(&file, ROBOTS).unwrap();
    let said = gannet(&["robots", file.to_str().unwrap(), "https://shop.test/cart", "mailto:a@b.test"]);
    assert!(said.out.starts_with("deny  https://shop.test/cart  (line 2"), "{}", said.out);
    assert_eq!(
        said.err,
        "gannet: \"mailto:a@b.test\": the scheme \"mailto\" names no Web page (http and https do)\n"
    );
    assert_eq!(said.code, Some(1));
    let said = gannet(&["robots", "/nowhere/robots.txt", "/a"]);
    assert_eq!(said.err, "gannet: cannot read /nowhere/robots.txt: No such file or directory (os error 2)\n");
    assert_eq!(said.code, Some(2));
}

#[test]
fn robots_batch_answers_every_line_in_order() {
    let input = concat!(
        r#"{"robots": "User-agent: *\nDisallow: /a\nCrawl-delay: 0.5", "agent": "gannet", "url": "http://x.test/a/b"}"#,
        "\n",
        r#"{"robots": "", "agent": "gannet", "url": "http://x.test/?utm_source=y"}"#,
        "\n",
        r#"{"robots": "User-agent: *\nDisallow: /*?utm_", "agent": "gannet", "url": "http://x.test/?utm_source=y"}"#,
        "\n",
        r#"{"robots_base64": "VXNlci1hZ2VudDogKgpEaXNhbGxvdzogL/8K", "agent": "gannet", "url": "http://x.test/%FF"}"#,
        "\n",
        r#"{"robots_base64": "!", "agent": "gannet", "url": "http://x.test/"}"#,
        "\n",
        r#"{"agent": "gannet", "url": "http://x.test/"}"#,
        "\n",
        r#"{"robots": ""}"#,
        "\n",
        r#"{"robots": "", "agent": "gannet", "url": "x"}"#,
        "\n",
    );
    let said = gannet_with(&["robots", "--batch"], input.as_bytes(), &[]);
    let expected = [
        r#"{"allowed":false,"line":2,"crawl_delay":0.5,"sitemaps":[]}"#,
        r#"{"allowed":true,"line":null,"crawl_delay":null,"sitemaps":[]}"#,
        r#"{"allowed":false,"line":2,"crawl_delay":null,"sitemaps":[]}"#,
        r#"{"allowed":false,"line":2,"crawl_delay":null,"sitemaps":[]}"#,
        r#"{"error":"robots_base64: Invalid symbol 33, offset 0."}"#,
        r#"{"error":"give either robots or robots_base64"}"#,
        r#"{"error":"not understood: missing field `url` at column 14","line":7}"#,
        r#"{"error":"url: not a URL: relative URL without a base"}"#,
    ];
    assert_eq!(said.out.lines().collect::<Vec<_>>(), expected);
    assert_eq!((said.err.as_str(), said.code), ("", Some(0)));
}

#[test]
fn reference_prints_every_key() {
    let said = gannet(&["reference"]);
    assert_eq!(said.code, Some(0));
    assert!(said.out.contains("| `max_pages` |") && said.out.contains("`GANNET_MAX_PAGES`"), "{}", said.out);
}

const LIST: &str = "<ul><li class=a><a href=/1>one\ntwo</a><li><a href=/2>three</a></ul>";

#[test]
fn select_prints_one_value_a_line() {
    fn check(arguments: &[&str], expected: &str) {
        let said = gannet_with(&[&["select", "-"], arguments].concat(), LIST.as_bytes(), &[]);
        assert_eq!(
            (said.out.as_str(), said.err.as_str(), said.code),
            (expected, "", Some(0)),
            "{arguments:?}"
        );
    }
    check(&["//a/@href"], "/1\n/2\n");
    check(&["a::text"], "one two\nthree\n");
    check(&[".a a"], "one two\n");
    check(&["count(//a)"], "2\n");
    check(&["//b"], "");
    check(&["--xpath", "html"], "one twothree\n");
    check(&["--css", "a", "--json"], "{\"type\":\"nodes\",\"values\":[\"one\\ntwo\",\"three\"]}\n");
    check(&["0 div 0", "--json"], "{\"type\":\"number\",\"values\":[\"NaN\"]}\n");
}

#[test]
fn select_names_the_place_of_a_mistake() {
    let said = gannet_with(&["select", "-", "//a["], LIST.as_bytes(), &[]);
    let expected = "gannet: \"//a[\" at character 5: a name, `*`, `.`, `@` or node() is missing here\n";
    assert_eq!((said.out.as_str(), said.err.as_str(), said.code), ("", expected, Some(2)));
    let said = gannet(&["select", "no-such-file.html", "//a"]);
    assert!(said.err.starts_with("gannet: cannot read no-such-file.html: "), "{}", said.err);
    assert_eq!(said.code, Some(2));
}

#[test]
fn select_batch_answers_every_line_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, b"<meta charset=latin1><p>caf\xe9").unwrap();
    let file = serde_json::to_string(&file).unwrap();
    let input = format!(
        "{{\"html\": \"<p>a<p>b\", \"xpath\": \"//p\"}}\n\
         {{\"html\": \"<p>a<p>b\", \"css\": \"p:last-child\"}}\n\
         {{\"html\": \"<p>a\", \"xpath\": \"string(//p)\"}}\n\
         {{\"html\": \"<p>a\", \"xpath\": \"count(//p) div 4\"}}\n\
         {{\"html\": \"<p>a\", \"xpath\": \"//p = 'a'\"}}\n\
         {{\"html\": \"<p>a\", \"xpath\": \"//p[\"}}\n\
         {{\"html\": \"<p>a\"}}\n\
         {{\"file\": {file}, \"xpath\": \"//p\"}}\n"
    );
    let said = gannet_with(&["select", "--batch"], input.as_bytes(), &[]);
    let expected = [
        r#"{"type":"nodes","values":["a","b"]}"#,
        r#"{"type":"nodes","values":["b"]}"#,
        r#"{"type":"string","values":["a"]}"#,
        r#"{"type":"number","values":[0.25]}"#,
        r#"{"type":"boolean","values":[true]}"#,
        r#"{"error":"a name, `*`, `.`, `@` or node() is missing here","position":4}"#,
        r#"{"error":"give one of xpath and css"}"#,
        r#"{"type":"nodes","values":["café"]}"#,
    ];
    assert_eq!(said.out.lines().collect::<Vec<_>>(), expected);
    assert_eq!((said.err.as_str(), said.code), ("", Some(0)));
}

#[test]
fn select_asks_for_a_url_within_its_robots_txt() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let site = runtime.block_on(webs::program::start(&webs::program::Options::default())).unwrap();
    let home = format!("http://{}/", site.addr());
    let said = gannet(&["select", &home, "count(//title)", "--allow-private"]);
    assert_eq!((said.out.as_str(), said.err.as_str(), said.code), ("1\n", "", Some(0)));
    let said = gannet(&["select", &home, "//title"]);
    assert!(
        said.err.contains("is at a private address; --allow-private asks it all the same"),
        "{}",
        said.err
    );
    assert_eq!(said.code, Some(1));
}

#[test]
fn detect_shows_the_lists_and_writes_a_project_that_reads_them() {
    let folder = tempfile::tempdir().unwrap();
    let page = webs::lists::pages(1).remove(0);
    let file = folder.path().join("shop.yaml");
    let file = file.to_str().unwrap();
    let arguments = ["detect", "-", "--base", "https://shop.test/list", "--output", file];
    let said = gannet_with(&arguments, page.html.as_bytes(), &[]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.starts_with(&format!("1. {} rows by article.card\n", page.rows.len())), "{}", said.out);
    let project = model::Project::parse(&std::fs::read_to_string(file).unwrap(), file).unwrap();
    assert_eq!(project.fields.unwrap().pages[0].rows.as_ref().unwrap().text, "article.card");
    let again = gannet_with(&arguments, page.html.as_bytes(), &[]);
    assert_eq!(again.code, Some(2), "a file is not overwritten: {}", again.out);
    let none = gannet_with(&["detect", "-"], b"<p>One paragraph.", &[]);
    assert_eq!(none.code, Some(1));
    assert!(none.err.contains("no repeated list"), "{}", none.err);
}

const ARTICLE: &str = "<html lang=en><title>Tides</title><nav><a href=/>Home</a> <a href=/about>About</a></nav>\
    <article><h1>Tides</h1><p class=byline>By A. Name, 3 May 2026</p><p>The sea comes in twice a day, and goes out again \
    as often; nobody has ever asked it to. <a href=/table rel=nofollow><b>Table</b></a></p><p>Those who live near it know \
    the hours by heart, and all others buy a small book of numbers.</p></article><footer>All rights reserved</footer>";

#[test]
fn read_gives_the_main_text_and_its_facts() {
    let said =
        gannet_with(&["read", "-", "--base", "https://shop.test/tides", "--json"], ARTICLE.as_bytes(), &[]);
    let page: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let text = page["text"].as_str().unwrap();
    assert!(text.starts_with("Tides\nThe sea comes in") && text.ends_with("book of numbers."), "{text}");
    assert_eq!((&page["title"], &page["author"]), (&"Tides".into(), &"A. Name".into()));
    assert_eq!((&page["published"], &page["modified"]), (&"2026-05-03".into(), &serde_json::Value::Null));
    assert_eq!(page["language"], "en");
    let link = &page["links"][2];
    assert_eq!((&link["url"], &link["anchor"]), (&"https://shop.test/table".into(), &"Table".into()));
    assert_eq!(
        (&link["visibility"], &link["distance"], &link["rel"][0]),
        (&2.into(), &1.into(), &"nofollow".into())
    );
    let said = gannet_with(&["read", "-"], ARTICLE.as_bytes(), &[]);
    assert!(
        said.out.contains("published  2026-05-03") && said.out.contains("The sea comes in"),
        "{}",
        said.out
    );
    let said = gannet(&["read", "/does/not/exist.html"]);
    assert!(said.code == Some(2) && said.err.contains("/does/not/exist.html"), "{}", said.err);
}

#[test]
fn read_batch_answers_every_line_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("page.html");
    std::fs::write(&file, ARTICLE).unwrap();
    let question = serde_json::json!({ "file": file, "url": "https://shop.test/tides" });
    let input = format!(
        "{question}\n{{\"html\":\"<title>T</title>w\u{f6}rter\",\"url\":\"http://e.test/\"}}\n\
         {{\"html_base64\":\"PHA+4Q==\",\"url\":\"http://e.test/\",\"content_type\":\"text/html; charset=iso-8859-1\"}}\n\
         {{\"url\":\"http://e.test/\"}}\n{{\"html\":\"\",\"url\":\"nonsense\"}}\nnonsense\n"
    );
    let said = gannet_with(&["read", "--batch"], input.as_bytes(), &[]);
    let lines: Vec<serde_json::Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[0]["published"], "2026-05-03");
    assert_eq!((&lines[1]["title"], &lines[1]["text"]), (&"T".into(), &"w\u{f6}rter".into()));
    assert_eq!(lines[2]["text"], "\u{e1}");
    assert_eq!(lines[3]["error"], "give one of html, html_base64 and file; a batch fetches nothing");
    assert!(lines[4]["error"].as_str().unwrap().starts_with("url: "), "{}", lines[4]);
    assert_eq!(lines[5]["line"], 6);
}

#[test]
fn read_takes_what_is_given_as_html_for_html() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("page");
    std::fs::write(&file, "<article><p>One <b>two</b></p></article>").unwrap();
    // "<section>x</section>" without padding and on two lines, a link, a canonical address, a day to come.
    let input = format!(
        "{{\"html_base64\":\"PHNlY3Rpb24+\\neDwvc2VjdGlvbj4\",\"url\":\"http://e.test/\"}}\n{}\n\
         {{\"html\":\"<link rel=canonical href=/c><h1>Fair</h1><p>3 May 2099</p><a href=/a rel='Nofollow noopener x-own'>A</a>\",\"url\":\"http://e.test/\"}}\n\
         {{\"html_base64\":\"SGVsbG8gASA8cD53b3JsZDwvcD4=\",\"url\":\"http://e.test/\"}}\n\
         {{\"html\":\"x\",\"url\":\"http://e.test/\",\"content_type\":\"image/png\"}}\n\
         {{\"html_base64\":\"PHA-8J-Qpg\"}}\n{{\"html_base64\":\"<p>words\"}}\n\
         {{\"html_base64\":\"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1Pe\",\"content_type\":\"text/html\"}}\n",
        serde_json::json!({ "file": file, "url": "http://e.test/" })
    );
    let said = gannet_with(&["read", "--batch"], input.as_bytes(), &[]);
    let lines: Vec<serde_json::Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["text"], "x");
    assert_eq!(lines[1]["text"], "One two");
    let odd = lines[3]["text"].as_str().unwrap();
    assert!(odd.starts_with("Hello") && odd.ends_with("world"), "a control character within: {odd:?}");
    assert_eq!(lines[4]["unread"], "no text is read from pictures");
    assert_eq!(lines[5]["text"], "\u{1f426}", "base64 for URLs");
    let error = lines[6]["error"].as_str().unwrap();
    assert!(error.starts_with("html_base64: neither base64 nor base64url"), "{error}");
    assert_eq!(lines[7]["unread"], "no text is read from content of this kind", "a picture called HTML");
    assert_eq!((&lines[2]["title"], &lines[2]["links_cut"]), (&"Fair".into(), &false.into()));
    assert_eq!(lines[2]["published"], serde_json::Value::Null);
    assert_eq!(lines[2]["canonical"], "http://e.test/c");
    let links = lines[2]["links"].as_array().unwrap();
    assert_eq!((links.len(), &links[0]["url"]), (1, &"http://e.test/a".into()));
    assert_eq!(
        (&links[0]["anchor"], &links[0]["rel"]),
        (&"A".into(), &serde_json::json!(["nofollow", "noopener", "x-own"]))
    );
}

#[test]
fn read_says_what_a_page_on_the_web_holds() {
    let site = library();
    let said = gannet(&["read", &format!("{}moved", site.start_url()), "--allow-private", "--json"]);
    let page: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(page["url"], format!("{}a", site.start_url()));
    assert!(page["text"].as_str().unwrap().starts_with("The harbour master"), "{page}");
    assert_eq!((&page["language"], &page["charset"]), (&"en".into(), &"UTF-8".into()));
    let said = gannet(&["read", &format!("{}nowhere", site.start_url()), "--allow-private"]);
    assert!(said.code == Some(1) && said.err.contains("status 404"), "{}", said.err);
}

/// The questions come from standard input, so no page can.
#[test]
fn a_batch_has_no_page_on_its_standard_input() {
    for verb in ["read", "sitemap"] {
        let input = b"{\"file\":\"-\",\"url\":\"http://e.test/\"}\nnonsense\n";
        let said = gannet_with(&[verb, "--batch"], input, &[]);
        let lines: Vec<&str> = said.out.lines().collect();
        assert!(lines[0].contains("file: - is standard input"), "{verb}: {}", lines[0]);
        assert_eq!((lines.len(), said.code), (2, Some(0)), "{verb}");
    }
}

#[test]
fn the_bytes_of_a_file_decide_before_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let read = |name: &str, body: &[u8]| {
        let file = directory.path().join(name);
        std::fs::write(&file, body).unwrap();
        let said = gannet(&["read", "--json", file.to_str().unwrap()]);
        serde_json::from_str::<serde_json::Value>(&said.out).unwrap()
    };
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let sea = pdf("", b"BT /F 10 Tf 50 700 Td (The sea) Tj ET");
    assert_eq!(read("page.html", &sea)["text"], "The sea");
    assert_eq!(read("page.html.gz", &gzip(b"<p>The <b>sea"))["text"], "The sea");
    assert_eq!(read("page.md.gz", &gzip(b"# The *sea*"))["text"], "The sea");
    assert_eq!(read("page.html", &gzip(b"<p>The <b>sea"))["text"], "The sea");
    assert_eq!(read("sheet.docx", b"PK\x03\x04 no more")["unread"], "broken, or no DOCX or ODT");
    assert_eq!(read("noise", &[0, 159, 146, 150])["unread"], "no text is read from content of this kind");
    assert_eq!(read("page.html", b"<p>words")["unread"], serde_json::Value::Null);
}

#[test]
fn compare_tells_what_two_texts_share() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let page = file("page.html", ARTICLE);
    let quote =
        file("quote.txt", "As they say: THE SEA comes in twice a day, and goes out again as often. Indeed.");
    let said = gannet(&["compare", &page, &quote, "--json"]);
    let found: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let passage = &found["passages"][0];
    assert_eq!(passage["b"]["text"], "THE SEA comes in twice a day, and goes out again as often");
    assert!(found["b_in_a"].as_f64().unwrap() > 0.4, "{found}");
    let said = gannet(&["compare", &page, &page]);
    assert!(said.out.starts_with("similarity  100.0 %"), "{}", said.out);
    for (threshold, verdict, code) in
        [("0.2", "near duplicates at 20.0 %", 0), ("0.9", "no near duplicates at 90.0 %", 1)]
    {
        let said = gannet(&["compare", &page, &quote, "--threshold", threshold]);
        assert_eq!((said.out.lines().next(), said.code), (Some(verdict), Some(code)), "{}", said.out);
    }
    let said = gannet(&["compare", "/does/not/exist.txt", &page]);
    assert!(said.code == Some(2) && said.err.contains("/does/not/exist.txt"), "{}", said.err);
}

#[test]
fn compare_all_finds_near_duplicates() {
    let text = |from: u32| (from..from + 80).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
    let line = |id: &str, text: String| format!("{}\n", serde_json::json!({ "id": id, "text": text }));
    let input =
        [line("a", text(0)), line("b", text(500)), line("c", text(4)), line("d", text(0).to_uppercase())]
            .concat();
    let said = gannet_with(&["compare", "--all", "-", "--json"], input.as_bytes(), &[]);
    let pairs: Vec<serde_json::Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found: Vec<_> = pairs.iter().map(|pair| (pair["a"].clone(), pair["b"].clone())).collect();
    assert_eq!(found, [("a", "c"), ("a", "d"), ("c", "d")].map(|(a, b)| (a.into(), b.into())));
    assert_eq!(pairs[1]["similarity"], 1.0);
    // Single words changed all over cost more hashes than letters: the share decides, and is what is told.
    let edited: Vec<String> = text(0)
        .split(' ')
        .enumerate()
        .map(|(at, word)| match at % 9 {
            4 => "other".to_owned(),
            _ => word.to_owned(),
        })
        .collect();
    let scattered = [line("a", text(0)), line("e", edited.join(" "))].concat();
    for threshold in ["0.5", "0.6", "0.7", "0.8"] {
        let args = ["compare", "--all", "-", "--json", "--threshold", threshold];
        for pair in gannet_with(&args, scattered.as_bytes(), &[]).out.lines() {
            let pair: serde_json::Value = serde_json::from_str(pair).unwrap();
            assert!(pair["similarity"].as_f64() >= threshold.parse().ok(), "{threshold}: {pair}");
        }
    }
    let said = gannet_with(&["compare", "--all", "-"], input.as_bytes(), &[]);
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<Vec<String>> = said.out.lines().map(cells).collect();
    assert_eq!((lines.len(), lines[0].join(" ").as_str()), (4, "SIMILARITY SHARE A B"), "{}", said.out);
    assert!(lines[2].starts_with(&cells("100.0 %")) && lines[2].ends_with(&cells("a d")), "{}", said.out);
    let said = gannet_with(&["compare", "--all", "-"], line("b", text(500)).as_bytes(), &[]);
    assert_eq!((said.out.as_str(), said.err.trim()), ("", "no near duplicates were found"));
    let said = gannet_with(&["compare", "--all", "-"], b"{\"id\": 1}\n", &[]);
    assert!(said.code == Some(2) && said.err.contains("line 1 is not {id, text}"), "{}", said.err);
}

#[test]
fn fingerprint_shows_the_hash_of_the_literature() {
    let said =
        gannet_with(&["fingerprint", "-", "--hash", "md5", "-k", "3", "-w", "1", "--json"], b"A-b c!", &[]);
    let found: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(found["minutiae"][0]["hash"], "900150983cd24fb0");
    assert_eq!((&found["minutiae"][0]["start"], &found["minutiae"][0]["end"]), (&0.into(), &5.into()));
    let said = gannet_with(&["fingerprint", "-", "-k", "0"], b"", &[]);
    assert_eq!(said.code, Some(2));
}

/// A PDF with one page, drawn by a stream of this dictionary and content.
/// Two pages on the Web, of which one says a little more.
fn library() -> Served {
    const TEXT: &str = "The harbour master counts the boats every morning, and writes their number into a large book \
        that nobody but the keeper of the lighthouse has ever asked to see.";
    let html = |text: &str| Answer::new(200, "text/html", format!("<!doctype html><main><p>{text}</main>"));
    Served::start(small(&[], move |request| match request.path.as_str() {
        "/a" => html(TEXT),
        "/b" => html(&format!("{TEXT} He is proud of it.")),
        "/moved" => Answer::redirect(301, "/a"),
        "/bytes" => Answer::new(200, "application/octet-stream", vec![0, 159, 146, 150]),
        "/closed" => Answer::new(403, "text/html", "<p>No."),
        "/busy" => Answer::new(503, "text/html", "<p>Later."),
        "/robots.txt" => crate::served::robots("User-agent: *\nDisallow: /secret\n"),
        _ => missing(),
    }))
}

#[test]
fn pages_on_the_web_are_fingerprinted_and_compared() {
    let site = library();
    let base = site.start_url();
    let (a, b, moved) = (format!("{base}a"), format!("{base}b"), format!("{base}moved"));
    let json = |args: &[&str]| -> Vec<serde_json::Value> {
        let said = gannet(&[args, &["--allow-private", "--json"]].concat());
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{args:?}");
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    for hash in [&["--hash", "md5"][..], &[]] {
        let told = json(&[&["fingerprint", &a, &b], hash].concat());
        assert_eq!((&told[0]["name"], &told[1]["name"]), (&a.as_str().into(), &b.as_str().into()));
        let hashes = |told: &serde_json::Value| -> Vec<String> {
            let kept = told["minutiae"].as_array().unwrap_or_else(|| panic!("{told}"));
            kept.iter().map(|kept| kept["hash"].as_str().unwrap().to_owned()).collect()
        };
        let (first, second) = (hashes(&told[0]), hashes(&told[1]));
        assert!(first.len() > 5 && second.len() > first.len(), "{told:?}");
        // A file with the same text has the same fingerprint, whatever stands around it.
        let text = "The harbour master counts the boats every morning, and writes their number into a large book that \
            nobody but the keeper of the lighthouse has ever asked to see.";
        let given = gannet_with(&[&["fingerprint", "-", "--json"], hash].concat(), text.as_bytes(), &[]);
        assert_eq!(hashes(&serde_json::from_str(&given.out).unwrap()), first);
        let compared = json(&[&["compare", &a, &b], hash].concat()).remove(0);
        assert_eq!(compared["a_in_b"], 1.0, "{compared}");
        assert!((0.7..1.0).contains(&compared["similarity"].as_f64().unwrap()), "{compared}");
    }
    let md5 = gannet(&["fingerprint", &a, "--hash", "md5", "--allow-private"]).out;
    let rolling = gannet(&["fingerprint", &a, "--allow-private"]).out;
    assert!(md5 != rolling && md5.starts_with(&format!("{a}: ")), "{md5}{rolling}");
    assert_eq!(json(&["compare", &moved, &a]).remove(0)["similarity"], 1.0, "redirects are followed");
    let words = gannet(&["compare", &a, &b, "--allow-private"]).out;
    assert!(words.contains("A in B      100.0 %") && words.contains("B: The harbour master"), "{words}");
    let asked: Vec<String> = site.log().iter().map(|entry| entry.target.clone()).collect();
    assert_eq!(asked[0], "/robots.txt", "which is asked first: {asked:?}");
}

#[test]
fn what_cannot_be_compared_is_named_with_what_to_do() {
    let site = library();
    let base = site.start_url();
    let folder = tempfile::tempdir().unwrap();
    let bytes = folder.path().join("bytes.dat");
    std::fs::write(&bytes, [0, 159, 146, 150]).unwrap();
    let (bytes, folder) = (bytes.to_str().unwrap(), folder.path().to_str().unwrap());
    let at = |path: &str| format!("{base}{path}");
    let check = |name: &str, code: i32, words: &[&str]| {
        for args in [&["fingerprint", name][..], &["compare", name, name]] {
            let said = gannet(&[args, &["--allow-private"]].concat());
            assert_eq!((said.code, said.out.as_str()), (Some(code), ""), "{args:?}: {}", said.err);
            assert!(said.err.lines().count() == 1 && said.err.starts_with("gannet: "), "{}", said.err);
            let named = name.strip_prefix("http://").map_or(name, |rest| rest.split('/').next().unwrap());
            for words in words.iter().chain([&named]) {
                assert!(said.err.contains(words), "{words}: {}", said.err);
            }
        }
    };
    check("nowhere.html", 2, &["cannot read nowhere.html: No such file", "begins with http://"]);
    check("shop.test/a", 2, &["cannot read shop.test/a: ", "begins with http://"]);
    check(folder, 2, &["Is a directory", "name a file in it"]);
    check(bytes, 2, &["no text is read from a file of this kind", "give HTML, XML, plain text"]);
    check(&at("bytes"), 2, &["/bytes: no text is read from application/octet-stream", "PDF, DOCX or ODT"]);
    check(&at("nowhere"), 1, &["/nowhere answers with status 404; check the address"]);
    check(&at("closed"), 1, &["/closed answers with status 403; ", "headers or cookies"]);
    check(&at("busy"), 1, &["/busy answers with status 503; try again later"]);
    check(&at("secret"), 1, &["robots.txt of ", " disallows ", "/secret"]);
    check("http://127.0.0.1:9/", 1, &["cannot connect to 127.0.0.1:9", "try again later"]);
    check("http://nowhere.invalid/", 1, &["no address to ask", "check the name"]);
    let private = gannet(&["fingerprint", &at("a")]);
    assert!(private.code == Some(1) && private.err.contains("--allow-private"), "{}", private.err);
    let said = gannet(&["compare", "--all", "nowhere.jsonl"]);
    assert!(
        said.code == Some(2) && said.err.starts_with("gannet: cannot read nowhere.jsonl: No such file"),
        "{}",
        said.err
    );
    let said = gannet(&["compare", "--all", bytes]);
    assert!(said.code == Some(2) && said.err.contains("line 1 is not {id, text}"), "{}", said.err);
}

fn pdf(dict: &str, content: &[u8]) -> Vec<u8> {
    let head = format!(
        "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n\
         3 0 obj <</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources <</Font <</F <</Type/Font/Subtype/Type1\
         /BaseFont/Helvetica>>>>>>>> endobj\n4 0 obj <</Length {} {dict}>>\nstream\n",
        content.len()
    );
    let end = "\nendstream endobj\ntrailer <</Root 1 0 R/Info <</Title(Tides)>>>>\n";
    [head.as_bytes(), content, end.as_bytes()].concat()
}

#[test]
fn a_pdf_is_read_and_a_bomb_is_put_out() {
    let directory = tempfile::tempdir().unwrap();
    let read = |body: &[u8]| {
        let file = directory.path().join("file.pdf");
        std::fs::write(&file, body).unwrap();
        let said = gannet(&["read", "--json", file.to_str().unwrap()]);
        serde_json::from_str::<serde_json::Value>(&said.out).unwrap()
    };
    let page = read(&pdf("", b"BT /F 10 Tf 50 700 Td (The sea comes in twice a day) Tj ET"));
    assert_eq!((&page["title"], &page["text"]), (&"Tides".into(), &"The sea comes in twice a day".into()));
    assert_eq!(page["unread"], serde_json::Value::Null);
    assert_eq!(read(b"%PDF-1.7 and no more")["unread"], "broken or locked");
    // Two layers: 2 GiB in some kilobytes.
    let layer = |bytes: &mut dyn std::io::Read| {
        let mut out = Vec::new();
        let mut encoder = flate2::write::ZlibEncoder::new(&mut out, flate2::Compression::fast());
        std::io::copy(bytes, &mut encoder).unwrap();
        encoder.finish().unwrap();
        out
    };
    let inner = layer(&mut std::io::Read::take(std::io::repeat(b' '), 2 << 30));
    let bomb = pdf("/Filter[/FlateDecode/FlateDecode]", &layer(&mut inner.as_slice()));
    assert!(bomb.len() < 1_000_000, "{} bytes", bomb.len());
    assert_eq!(read(&bomb)["unread"], "too much work to read");
}

#[test]
fn sitemap_lists_urls_and_says_what_is_no_list() {
    let sitemap =
        "<urlset><url><loc>/a</loc><lastmod>2026-05-03</lastmod></url><url><loc>/b</loc></url></urlset>";
    let said =
        gannet_with(&["sitemap", "-", "--base", "https://shop.test/sitemap.xml"], sitemap.as_bytes(), &[]);
    assert_eq!(
        said.out,
        "page     2026-05-03            https://shop.test/a\npage     -                     https://shop.test/b\n"
    );
    let directory = tempfile::tempdir().unwrap();
    let (good, bad) = (directory.path().join("s.xml"), directory.path().join("page.html"));
    std::fs::write(&good, sitemap).unwrap();
    std::fs::write(&bad, ARTICLE).unwrap();
    let line = |file: &std::path::Path| serde_json::json!({ "file": file, "url": "https://shop.test/s.xml" });
    let input = format!("{}\n{}\n", line(&good), line(&bad));
    let said = gannet_with(&["sitemap", "--batch"], input.as_bytes(), &[]);
    let lines: Vec<serde_json::Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["urls"], serde_json::json!(["https://shop.test/a", "https://shop.test/b"]));
    assert_eq!(lines[0]["sitemaps"], serde_json::json!([]));
    assert!(lines[1]["error"].as_str().unwrap().contains("neither a sitemap nor a feed"), "{}", lines[1]);
    let said = gannet(&["sitemap", "nowhere.xml"]);
    let start = "gannet: cannot read nowhere.xml: No such file";
    assert!(
        said.code == Some(2) && said.err.starts_with(start) && said.err.contains("http://"),
        "{}",
        said.err
    );
}

/// Of a file of 70 MiB the first 50 are read.
#[test]
fn a_sitemap_that_is_too_long_is_read_as_far_as_its_limit() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("s.xml");
    let mut sitemap = b"<urlset><url><loc>http://e.test/a</loc></url>".to_vec();
    sitemap.resize(70 << 20, b' ');
    sitemap.extend_from_slice(b"<url><loc>http://e.test/b</loc></url></urlset>");
    std::fs::write(&file, sitemap).unwrap();
    let said = gannet(&["sitemap", "--json", file.to_str().unwrap()]);
    let found: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&found["urls"], &found["cut"]), (&serde_json::json!(["http://e.test/a"]), &true.into()));
}
