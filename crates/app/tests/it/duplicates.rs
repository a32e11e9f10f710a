//! Duplicates as people meet them: judged while they are crawled, listed in groups, compared, collapsed in a search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use webs::Answer;

use crate::gannet::{Said, gannet};
use crate::process::{Running, eventually};
use crate::served::{Served, missing, small};

pub(crate) struct Desk {
    pub(crate) site: Served,
    folder: tempfile::TempDir,
}

impl Desk {
    pub(crate) fn new(web: Arc<dyn webs::Web>) -> Desk {
        Desk { site: Served::start(web), folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn data(&self) -> String {
        self.folder.path().join("data").to_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn crawl(&self, start: &str, more: &[&str]) {
        let hosts = self.folder.path().join("hosts");
        std::fs::write(&hosts, self.site.hosts_file()).unwrap();
        let hosts = format!("--hosts={}", hosts.display());
        let data = format!("--data={}", self.data());
        let usual = ["crawl", start, &data, &hosts, "--allow-private", "--rate=unlimited", "-q"];
        Running::start(&[&usual, more].concat()).finish();
    }

    pub(crate) fn say(&self, args: &[&str]) -> Said {
        gannet(&[args, &["--data", &self.data()]].concat())
    }

    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Vec<Value> {
        let said = self.say(&[args, &["--json"]].concat());
        assert_eq!(said.code, Some(0), "{args:?}: {}{}", said.out, said.err);
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Words that follow from a number.
fn words(number: u64, count: u64) -> Vec<String> {
    let word =
        |place: u64| format!("word{:x}", (number * 7_919 + place).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44);
    (0..count).map(word).collect()
}

fn article(number: u64, edits: usize) -> String {
    let mut words = words(number, 200);
    for edit in 0..edits {
        words[7 + edit * 90] = format!("edited{edit}");
    }
    words.chunks(40).map(|words| format!("<p>{}.</p>", words.join(" "))).collect()
}

fn html(title: &str, menu: &str, main: &str, links: &[String]) -> Answer {
    let links: String = links.iter().map(|to| format!("<li><a href=\"{to}\">{to}</a>")).collect();
    let page =
        format!("<!doctype html><title>{title}</title><nav>{menu}<ul>{links}</ul></nav><main>{main}</main>");
    Answer::new(200, "text/html", page)
}

/// Five articles, each also in print, with other menus and a word or two edited; the first three on another host as they
/// are.
fn magazine(request: &webs::Request) -> Answer {
    let path = request.path.clone();
    let number = |prefix: &str| path.strip_prefix(prefix).and_then(|rest| rest.parse::<u64>().ok());
    match (request.host.as_str(), path.as_str()) {
        (_, "/robots.txt") => missing(),
        (host, "/") => {
            let port = host.split_once(':').map_or(String::new(), |(_, port)| format!(":{port}"));
            let mut links: Vec<String> = (1..=5).map(|n| format!("/read/{n}")).collect();
            links.extend((1..=5).map(|n| format!("/print/{n}")));
            links.extend((1..=3).map(|n| format!("http://mirror.test{port}/read/{n}")));
            html("Start", "Welcome", "<p>All articles of the magazine.</p>", &links)
        }
        (host, _) if host.starts_with("mirror") => match number("/read/") {
            Some(n) => html(&format!("Article {n}"), "A mirror", &article(n, 0), &[]),
            None => missing(),
        },
        _ => match (number("/read/"), number("/print/")) {
            (Some(n), _) => html(&format!("Article {n}"), "Home", &article(n, 0), &[]),
            (_, Some(n)) => html(&format!("Article {n}"), "Print", &article(n, 2), &[]),
            _ => missing(),
        },
    }
}

#[test]
fn near_duplicates_are_grouped_compared_and_collapsed() {
    let desk = Desk::new(small(&["magazine.test", "mirror.test"], magazine));
    let port = desk.site.port();
    let start = format!("http://magazine.test:{port}/");
    desk.crawl(&start, &["--scope=any", "--duplicates=winnowing"]);

    let rows = desk.json(&["duplicates"]);
    let counts = rows.last().unwrap();
    assert_eq!((counts["groups"].as_u64(), counts["pages"].as_u64()), (Some(5), Some(13)), "{rows:?}");
    let largest = &rows[0];
    assert_eq!((largest["row"].as_str(), largest["pages"].as_u64()), (Some("group"), Some(3)));
    for member in largest["members"].as_array().unwrap() {
        assert!(member["similarity"].as_f64().unwrap() >= 0.7, "{largest}");
    }

    let (read, print) = (format!("{start}read/2"), format!("{start}print/2"));
    let group = desk.json(&["duplicates", &print]).remove(0);
    assert_eq!(group["pages"].as_u64(), Some(3));
    let pair = desk.json(&["duplicates", &read, &print]).remove(0);
    assert!(pair["similarity"].as_f64().unwrap() > 0.7 && pair["share"].as_f64().unwrap() > 0.9, "{pair}");
    assert!(pair["passages"].as_array().unwrap().len() >= 2, "{pair}");
    let text = desk.say(&["duplicates", &read, &print]).out;
    assert!(text.contains("first  byte") && text.contains("second byte"), "{text}");
    let lonely = desk.say(&["duplicates", &format!("{start}nowhere")]);
    assert!(lonely.code != Some(0) && lonely.err.contains("was not judged"), "{}", lonely.err);

    // Either of a near pair names the other, whichever was read first.
    for (page, other) in [("read/5", "print/5"), ("print/5", "read/5")] {
        let why = desk.say(&["why", &format!("{start}{page}")]).out;
        assert!(why.contains(&format!("% like {start}{other}")), "{why}");
    }

    let mirrors = desk.json(&["mirrors"]);
    let has = |parts: [&str; 2], other_host: bool| {
        mirrors.iter().any(|mirror| {
            let both = [mirror["pattern"].as_str().unwrap(), mirror["copy"].as_str().unwrap()];
            parts.iter().all(|part| both.iter().any(|pattern| pattern.contains(part)))
                && mirror["other_host"] == other_host
        })
    };
    assert!(has(["//mirror.test", "//magazine.test"], true), "{mirrors:?}");
    assert!(has(["/read/*", "/print/*"], false), "{mirrors:?}");

    let word = &words(2, 200)[100];
    let answer = desk.json(&["search", word]).remove(0);
    let hits = answer["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 1, "three pages have the word, two are in the index, one is shown: {answer}");
    assert_eq!(hits[0]["near_duplicates"].as_u64(), Some(2));
    let text = desk.say(&["search", word]).out;
    assert!(text.contains("2 near-duplicates"), "{text}");
    assert!(text.starts_with("2 hits, 2 with all words, 1 shown: 1 that say the same as others"), "{text}");
    // Each of the two that are not shown is told which page stands for it.
    let shown = hits[0]["url"].as_str().unwrap();
    let others = group["members"].as_array().unwrap().iter().filter(|one| one["url"] != shown);
    for other in others.map(|one| one["url"].as_str().unwrap()) {
        let why = desk.json(&["why-not", other, word]).remove(0);
        let last = why["chain"].as_array().unwrap().last().unwrap().as_str().unwrap();
        // The copy is not in the index; the one that is nearly the same is beside the hit.
        let is_left_out = last.contains("is not in it");
        let chosen = group["chosen"].as_str().unwrap();
        let stands = if is_left_out { chosen } else { shown };
        assert!(last.ends_with(&format!("it says the same as {stands}, which stands for it")), "{why}");
        let is_copy = other != chosen && other.contains("/read/");
        assert_eq!((is_left_out, &why["place"]), (is_copy, &Value::Null), "{why}");
    }
}

#[test]
fn near_duplicates_are_found_after_a_crawl_that_looked_for_exact_ones() {
    let desk = Desk::new(small(&["magazine.test", "mirror.test"], magazine));
    let start = format!("http://magazine.test:{}/", desk.site.port());
    desk.crawl(&start, &["--scope=any", "--exact-duplicates=mark"]);
    let check = |args: &[&str], groups: u64, pages: u64| {
        let rows = desk.json(&[&["duplicates"], args].concat());
        let counts = rows.last().unwrap();
        assert_eq!(
            (counts["groups"].as_u64(), counts["pages"].as_u64()),
            (Some(groups), Some(pages)),
            "{rows:?}"
        );
    };
    check(&[], 3, 6);
    check(&["--near"], 5, 13);
    let group = desk.json(&["duplicates", "--near", &format!("{start}print/4")]).remove(0);
    assert_eq!((group["pages"].as_u64(), group["exact"].as_bool()), (Some(2), Some(false)));
    let similarity = group["members"][1]["similarity"].as_f64().unwrap();
    assert!((0.7..1.0).contains(&similarity), "{group}");
}

/// Two pages with the same text; later the first of them is written anew.
#[test]
fn a_page_that_another_stands_for_is_not_in_the_index_until_nobody_does() {
    let edited = Arc::new(AtomicBool::new(false));
    let seen = edited.clone();
    let desk = Desk::new(small(&["twins.test"], move |request| match request.path.as_str() {
        "/" => html("Start", "", "<p>Twins.</p>", &["/a".to_owned(), "/copy".to_owned()]),
        "/a" if seen.load(Ordering::Relaxed) => html("A", "", &article(9, 0), &[]),
        "/a" | "/copy" => html("A", "", &article(8, 0), &[]),
        _ => missing(),
    }));
    let start = format!("http://twins.test:{}/", desk.site.port());
    let word = &words(8, 200)[100];
    let check = |documents: u64, hits: &[&str]| {
        let answer = desk.json(&["search", word]).remove(0);
        let mut found: Vec<&str> =
            answer["hits"].as_array().unwrap().iter().map(|hit| hit["url"].as_str().unwrap()).collect();
        found.sort_unstable();
        let hits: Vec<String> = hits.iter().map(|path| format!("{start}{path}")).collect();
        // Where both are in the index, either is the hit.
        assert!(found == hits || documents == 3 && found.len() == hits.len(), "{answer}");
        let index = desk.json(&["index", "list"]).remove(0);
        assert_eq!(index["documents"].as_u64(), Some(documents), "{index}");
    };
    desk.crawl(&start, &[]);
    check(2, &["a"]);
    let why = desk.say(&["why-not", &format!("{start}copy"), word]).out;
    assert!(why.contains(&format!("it says the same as {start}a, which stands for it")), "{why}");
    // Another wish, and back.
    desk.crawl(&start, &["--exact-duplicates=mark"]);
    check(3, &["a"]);
    desk.crawl(&start, &["--exact-duplicates=skip"]);
    check(2, &["a"]);
    desk.crawl(&start, &["--duplicates=off"]);
    check(3, &["a", "copy"]);
    desk.crawl(&start, &["--duplicates=exact"]);
    check(2, &["a"]);
    // An index that is made anew leaves out the same.
    let index = desk.json(&["index", "list"]).remove(0);
    assert_eq!(desk.say(&["index", "rebuild", index["name"].as_str().unwrap()]).code, Some(0));
    check(2, &["a"]);
    edited.store(true, Ordering::Relaxed);
    assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
    check(3, &["copy"]);
}

/// Three pages link to one of two copies, then to the other; later a server is without ranks for a while.
#[test]
fn the_index_follows_when_ranks_choose_another_page_of_a_group() {
    let turned = Arc::new(AtomicBool::new(false));
    let seen = turned.clone();
    let desk = Desk::new(small(&["twins.test"], move |request| {
        let liked = if seen.load(Ordering::Relaxed) { "/other-copy" } else { "/a" };
        match request.path.as_str() {
            "/robots.txt" => missing(),
            "/" => {
                let links = ["/a", "/other-copy", "/fan/1", "/fan/2", "/fan/3"].map(str::to_owned);
                html("Start", "", "<p>Twins.</p>", &links)
            }
            "/a" | "/other-copy" => html("A", "", &article(8, 0), &[]),
            path => html("Fan", "", &format!("<p>The fan at {path}.</p>"), &[liked.to_owned()]),
        }
    }));
    let start = format!("http://twins.test:{}/", desk.site.port());
    let word = &words(8, 200)[100];
    let check = |stands: &str, hidden: &str| {
        let group = desk.json(&["duplicates", &format!("{start}{hidden}")]).remove(0);
        assert_eq!(group["chosen"].as_str(), Some(format!("{start}{stands}").as_str()), "{group}");
        let answer = desk.json(&["search", word]).remove(0);
        let hits: Vec<&str> =
            answer["hits"].as_array().unwrap().iter().map(|hit| hit["url"].as_str().unwrap()).collect();
        assert_eq!(hits, [format!("{start}{stands}")], "{answer}");
        let index = desk.json(&["index", "list"]).remove(0);
        assert_eq!(index["documents"].as_u64(), Some(5), "{index}");
        let why = desk.say(&["why-not", &format!("{start}{hidden}"), word]).out;
        assert!(why.contains(&format!("it says the same as {start}{stands}, which stands for it")), "{why}");
    };
    desk.crawl(&start, &[]);
    check("a", "other-copy");
    turned.store(true, Ordering::Relaxed);
    assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
    check("other-copy", "a");
    let server = Running::start(&["serve", "--bind", "127.0.0.1:0", "--data", &desk.data()]);
    eventually("the server is there", Duration::from_secs(30), || {
        server.output().contains("/signin?key=").then_some(())
    });
    check("other-copy", "a");
    // Without ranks the shorter URL stands for both.
    std::fs::remove_dir_all(std::path::Path::new(&desk.data()).join("ranks")).unwrap();
    check("a", "other-copy");
    assert_eq!(desk.say(&["rank"]).code, Some(0));
    check("other-copy", "a");
}

/// A site that gives every visitor a session and writes it into all links: the same pages without end.
fn sessions(request: &webs::Request) -> Answer {
    let path = request.path.clone();
    if path == "/robots.txt" {
        return missing();
    }
    let depth = path.matches('/').count() as u64;
    let main = article(1, 0);
    Answer::new(
        200,
        "text/html",
        format!(
            "<title>Shop</title><main>{main}<a href=\"{path}s{depth}/\">more</a><a href=\"/a/\">a</a></main>"
        ),
    )
}

#[test]
fn links_of_a_page_that_is_the_same_in_all_are_not_followed() {
    let desk = Desk::new(small(&["shop.test"], sessions));
    let start = format!("http://shop.test:{}/", desk.site.port());
    let paths = |desk: &Desk| {
        let rows = desk.json(&["pages", "--outcome", "fetched"]);
        rows.iter().map(|row| row["url"].as_str().unwrap().replace(&start, "/")).collect::<Vec<_>>()
    };
    desk.crawl(&start, &["--max-pages=30", "--duplicates=exact"]);
    let mut found = paths(&desk);
    found.sort();
    assert_eq!(found, ["/", "/a/", "/s1/"]);
    let why = desk.say(&["why", &format!("{start}s1/s2/")]).out;
    assert!(why.contains("duplicates"), "{why}");

    let other = Desk::new(small(&["shop.test"], sessions));
    let start = format!("http://shop.test:{}/", other.site.port());
    other.crawl(
        &start,
        &["--max-pages=30", "--duplicates=exact", "--exact-duplicates=mark", "--max-stale-per-template=0"],
    );
    assert!(other.json(&["pages", "--outcome", "fetched"]).len() > 10);
}

/// An article, another page that says nearly the same or has the same words, and one that only this other leads to.
#[test]
fn links_of_near_duplicates_are_left_alone_where_that_is_wanted() {
    let shuffled = || {
        let words = words(1, 200);
        let pairs: Vec<String> = words.chunks(2).map(|pair| pair.join(" ")).collect();
        let order = (0..pairs.len()).map(|place| pairs[place * 37 % pairs.len()].as_str());
        format!("<p>{}.</p>", order.collect::<Vec<_>>().join(" "))
    };
    let check = |judge: &str, act: &str, other: String, groups: u64, follows: bool, searched: u64| {
        let desk = Desk::new(small(&["near.test"], move |request| match request.path.as_str() {
            "/" => html("Start", "", "<p>One article.</p>", &["/first".to_owned()]),
            "/first" => html("First", "", &article(1, 0), &["/other".to_owned()]),
            "/other" => html("Other", "", &other, &["/last".to_owned()]),
            "/last" => html("Last", "", &article(2, 0), &[]),
            _ => missing(),
        }));
        let start = format!("http://near.test:{}/", desk.site.port());
        desk.crawl(&start, &[&format!("--duplicates={judge}"), &format!("--near-duplicates={act}")]);
        let rows = desk.json(&["duplicates"]);
        assert_eq!(rows.last().unwrap()["groups"].as_u64(), Some(groups), "{judge} {act}: {rows:?}");
        desk.json(&["search", &words(1, 200)[100]]);
        let index = desk.json(&["index", "list"]).remove(0);
        assert_eq!(index["documents"].as_u64(), Some(searched), "{judge} {act}: {index}");
        let why = desk.json(&["why", &format!("{start}last")]).remove(0);
        assert_eq!(why["outcome"] == "fetched", follows, "{judge} {act}: {why}");
        assert_eq!(why["rules"].to_string().contains("only duplicates of other pages"), !follows, "{why}");
    };
    check("winnowing", "skip-links", article(1, 2), 1, false, 3);
    check("winnowing", "mark", article(1, 2), 1, true, 4);
    check("winnowing", "skip-indexing", article(1, 2), 1, true, 3);
    check("winnowing", "skip", article(1, 2), 1, false, 2);
    check("keywords", "skip-links", shuffled(), 1, false, 3);
    check("keywords", "mark", shuffled(), 1, true, 4);
    // The same words in another order are another text.
    check("winnowing", "skip-links", shuffled(), 0, true, 4);
}

/// A PDF with these words, five a line.
fn pdf(words: &[String]) -> Vec<u8> {
    let lines: String = words.chunks(5).map(|line| format!("({}) Tj T* ", line.join(" "))).collect();
    let drawn = format!("BT /F 10 Tf 12 TL 50 780 Td {lines}ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R \
         /Resources << /Font << /F 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{drawn}\nendstream", drawn.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut out = "%PDF-1.7\n".to_owned();
    for (number, object) in objects.iter().enumerate() {
        out += &format!("{} 0 obj\n{object}\nendobj\n", number + 1);
    }
    (out + "trailer\n<< /Root 1 0 R >>\n").into_bytes()
}

#[test]
fn a_page_and_a_pdf_of_the_same_text_form_one_group() {
    let web = small(&["paper.test"], |request| match request.path.as_str() {
        "/" => html("Start", "", "<p>A paper.</p>", &["/paper".to_owned(), "/paper.pdf".to_owned()]),
        "/paper" => html("Paper", "Home", &article(3, 0), &[]),
        "/paper.pdf" => Answer::new(200, "application/pdf", pdf(&words(3, 200))),
        _ => missing(),
    });
    let desk = Desk::new(web);
    desk.crawl(&format!("http://paper.test:{}/", desk.site.port()), &["--duplicates=winnowing"]);
    let rows = desk.json(&["duplicates"]);
    assert_eq!(rows.len(), 2, "{rows:?}");
    let members: Vec<&str> =
        rows[0]["members"].as_array().unwrap().iter().map(|member| member["url"].as_str().unwrap()).collect();
    assert!(members[0].ends_with("/paper") && members[1].ends_with("/paper.pdf"), "{members:?}");
}

#[test]
fn repair_judges_texts_again_that_a_lost_table_took() {
    let desk = Desk::new(small(&["magazine.test", "mirror.test"], magazine));
    let start = format!("http://magazine.test:{}/", desk.site.port());
    desk.crawl(&start, &["--scope=any", "--duplicates=winnowing"]);
    let groups = desk.json(&["duplicates"]);
    assert_eq!(groups.len(), 6, "{groups:?}");
    {
        let path = std::path::Path::new(&desk.data()).join("crawl");
        let store = kv::Store::open(&path, kv::Options::default()).unwrap();
        let crawl = kv::Reader::iter(&store, &judge::tables::FINGERPRINTS).next().unwrap().unwrap().0.0;
        let mut batch = store.batch();
        while !judge::book::drop_some(&mut batch, model::CrawlId(crawl), 1_000).unwrap() {
            let next = store.batch();
            store.commit(std::mem::replace(&mut batch, next), kv::Durability::Synced).unwrap();
        }
    }
    assert_eq!(desk.json(&["duplicates"]).last().unwrap()["judged"].as_u64(), Some(0));
    let repaired = desk.json(&["repair"]);
    assert!(repaired.last().unwrap()["texts_restored"].as_u64() >= Some(13), "{repaired:?}");
    assert_eq!(desk.json(&["duplicates"]), groups);
    assert_eq!(desk.json(&["repair"]).last().unwrap()["texts_restored"].as_u64(), Some(0));
}

/// The page changes that the others of its group were found through.
#[test]
fn a_group_outlives_the_page_that_was_read_first() {
    let changed = Arc::new(AtomicBool::new(false));
    let seen = changed.clone();
    let web = small(&["pier.test"], move |request| match request.path.as_str() {
        "/" => {
            html("Start", "", "<p>All.</p>", &["/a".to_owned(), "/a-copy".to_owned(), "/a-near".to_owned()])
        }
        "/a" => html("A", "", &article(if seen.load(Ordering::Relaxed) { 9 } else { 1 }, 0), &[]),
        "/a-copy" => html("Copy", "", &article(1, 0), &[]),
        "/a-near" => html("Near", "", &article(1, 1), &[]),
        _ => missing(),
    });
    let desk = Desk::new(web);
    let start = desk.site.start_url();
    desk.crawl(&start, &["--duplicates=winnowing", "--order=breadth-first"]);
    let pages = |desk: &Desk| desk.json(&["duplicates"])[0]["pages"].as_u64();
    assert_eq!(pages(&desk), Some(3));
    changed.store(true, Ordering::Relaxed);
    assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
    let group = desk.json(&["duplicates"]).remove(0);
    let members: Vec<&str> =
        group["members"].as_array().unwrap().iter().map(|member| member["url"].as_str().unwrap()).collect();
    assert_eq!(members, [format!("{start}a-copy"), format!("{start}a-near")], "{group}");
    assert!(group["members"][1]["similarity"].as_f64().unwrap() > 0.9, "{group}");
}

/// Whichever page of a group is excluded, the others stay in it.
#[test]
fn a_group_outlives_a_page_that_is_excluded() {
    const PATHS: [&str; 4] = ["a", "b", "c", "near"];
    for excluded in PATHS {
        let desk = Desk::new(small(&["pier.test"], |request| match request.path.as_str() {
            "/" => html("Start", "", "<p>All.</p>", &PATHS.map(|path| format!("/{path}"))),
            "/a" | "/b" | "/c" => html("Page", "", &article(1, 0), &[]),
            "/near" => html("Near", "", &article(1, 1), &[]),
            _ => missing(),
        }));
        let start = desk.site.start_url();
        desk.crawl(&start, &["--duplicates=winnowing"]);
        let without = format!("--exclude=/{excluded}");
        desk.crawl(&start, &["--duplicates=winnowing", "--incremental", &without]);
        let group = desk.json(&["duplicates"]).remove(0);
        let members = group["members"].as_array().unwrap().iter();
        let mut found: Vec<&str> = members.map(|member| member["url"].as_str().unwrap()).collect();
        found.sort_unstable();
        let others = PATHS.iter().filter(|path| **path != excluded);
        assert_eq!(found, others.map(|path| format!("{start}{path}")).collect::<Vec<_>>(), "{group}");
    }
}

/// The same pages at other paths, each of which only the one before leads to. What is gone answers 404, or redirects.
#[test]
fn a_site_that_moved_is_crawled_on() {
    for old in ["missing", "redirects"] {
        let moved = Arc::new(AtomicBool::new(false));
        let seen = moved.clone();
        let web = small(&["moved.test"], move |request| {
            let (base, other) =
                if seen.load(Ordering::Relaxed) { ("/new", "/old") } else { ("/old", "/new") };
            let next =
                |n: u64| format!("{}<p><a href=\"{base}/{}\">next</a></p>", article(100 + n, 0), n + 1);
            let number = |base: &str| request.path.strip_prefix(base)?.strip_prefix('/')?.parse::<u64>().ok();
            match (request.path.as_str(), number(base), number(other)) {
                ("/", ..) => html("Start", "", &next(0), &[]),
                (_, Some(n @ 1..=5), _) => html(&format!("Page {n}"), "", &next(n), &[]),
                (_, _, Some(n @ 1..=5)) if base == "/new" && old == "redirects" => {
                    Answer::redirect(301, &format!("/new/{n}"))
                }
                _ => missing(),
            }
        });
        let desk = Desk::new(web);
        let start = desk.site.start_url();
        desk.crawl(&start, &[]);
        let fetched = |desk: &Desk, base: &str| {
            let rows = desk.json(&["pages", "--prefix", &format!("{start}{base}/")]);
            rows.iter().filter(|row| row["outcome"] == "fetched").count()
        };
        assert_eq!(fetched(&desk, "old"), 5);
        moved.store(true, Ordering::Relaxed);
        assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
        assert_eq!(fetched(&desk, "new"), 5, "{old}: {:?}", desk.json(&["pages"]));
        assert_eq!(desk.say(&["check"]).code, Some(0));
    }
}

#[test]
fn texts_judged_by_other_settings_are_judged_again_by_repair() {
    let desk = Desk::new(small(&["magazine.test", "mirror.test"], magazine));
    let start = format!("http://magazine.test:{}/", desk.site.port());
    desk.crawl(&start, &["--scope=any", "--duplicates=exact"]);
    let groups = || desk.json(&["duplicates"]).last().unwrap()["groups"].as_u64();
    assert_eq!(groups(), Some(3), "copies on the mirror");
    let hosts = format!("--hosts={}", desk.folder.path().join("hosts").display());
    let again = |more: &[&str]| {
        let usual = ["crawl", &start, &hosts, "--allow-private", "--rate=unlimited", "--scope=any"];
        let said = desk.say(&[&usual, &["--incremental", "--duplicates=winnowing"][..], more].concat());
        assert_eq!(said.code, Some(0), "{}", said.err);
        said.err.contains("judged for duplicates by other settings")
    };
    for more in [&[][..], &["--duplicates-k=10"]] {
        assert!(again(more), "said when the crawl begins: {more:?}");
        let repaired = desk.json(&["repair"]);
        assert!(repaired.last().unwrap()["texts_restored"].as_u64() >= Some(13), "{repaired:?}");
        assert_eq!(groups(), Some(5));
        assert!(!again(more), "they are judged by these");
    }
}

/// A host that says again what another has said: its pages are news to it, and to nobody else.
#[test]
fn pages_that_say_what_another_host_says_earn_their_template_no_further_ones() {
    const PAGES: u64 = 80;
    // Pages of one kind that link to each other, or of two kinds that invite each other.
    let fetched = |judge: &str, other: &'static str, limit: &str| {
        let web = small(&["first.test", "second.test"], move |request| {
            let (host, port) = request.host.split_once(':').unwrap_or((request.host.as_str(), "80"));
            let number = request.path.rsplit('/').next().and_then(|rest| rest.parse::<u64>().ok());
            match (host, request.path.as_str(), number) {
                ("first.test", "/", _) => {
                    let links: Vec<String> = (1..=PAGES).map(|n| format!("/read/{n}")).collect();
                    html("Start", "", "<p>All articles.</p>", &links)
                }
                ("first.test", _, Some(PAGES)) => {
                    html("Last", "", &article(PAGES, 0), &[format!("http://second.test:{port}/list/1")])
                }
                ("first.test", _, Some(n @ 1..PAGES)) => {
                    html(&format!("Article {n}"), "", &article(n, 0), &[])
                }
                ("second.test", _, Some(n @ 1..=PAGES)) => {
                    let kind = if request.path.starts_with("/list/") { other } else { "list" };
                    let links: Vec<String> =
                        (n + 1..n + 4).filter(|n| *n <= PAGES).map(|n| format!("/{kind}/{n}")).collect();
                    html(&format!("List {n}"), "Menu", &article(n, 1), &links)
                }
                _ => missing(),
            }
        });
        let desk = Desk::new(web);
        let start = format!("http://first.test:{}/", desk.site.port());
        let judge = format!("--duplicates={judge}");
        desk.crawl(
            &start,
            &["--scope=any", &judge, "--order=breadth-first", "--max-stale-per-template=1", limit],
        );
        let rows = desk.json(&["pages", "--outcome", "fetched"]);
        rows.iter().filter(|row| row["url"].as_str().unwrap().contains("second.test")).count() as u64
    };
    let of_host = "--max-stale-per-host=10";
    assert_eq!(fetched("off", "list", of_host), PAGES, "all are new to their host");
    let known = fetched("winnowing", "list", of_host);
    assert!(known < PAGES / 2, "{known} pages");
    // What the host has brought ends invitations, too.
    let all = fetched("winnowing", "more", "--max-stale-per-host=0");
    assert!(all >= PAGES, "{all} pages");
    let known = fetched("winnowing", "more", of_host);
    assert!((10..all / 2).contains(&known), "{known} of {all} pages");
}
