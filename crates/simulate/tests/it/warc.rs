//! WARC files as a Web to simulate: our own, whose metadata say what was fetched for what, and anybody's.

use std::fs;
use std::path::Path;

use archive::{Digest, Kept, Original, Purpose, RecordWriter, Visit};
use bytes::Bytes;
use model::{CrawlId, Fetched, Headers, PageUrl, Timestamp};
use simulate::{Scenario, of_warc, run};

use crate::plan;

const CRAWL: CrawlId = CrawlId(3);
const HTML: &str = "text/html; charset=utf-8";

fn url(path: &str) -> PageUrl {
    PageUrl::parse(&format!("http://site.test{path}")).unwrap()
}

fn fetched(path: &str, status: u16, header: (&str, &str), body: &str) -> Fetched {
    let head = format!("HTTP/1.1 {status} Said\r\n{}: {}\r\n\r\n", header.0, header.1);
    Fetched {
        url: url(path),
        address: None,
        version: model::HttpVersion::Http1,
        started: Timestamp(1_763_196_319_123),
        timings: model::Timings::default(),
        request: Bytes::from_static(b"GET / HTTP/1.1\r\n\r\n"),
        status,
        head: head.into(),
        headers: Headers(vec![(header.0.to_owned(), Bytes::copy_from_slice(header.1.as_bytes()))]),
        body: Bytes::copy_from_slice(body.as_bytes()),
        content: Bytes::copy_from_slice(body.as_bytes()),
        cut: None,
    }
}

/// A visit, told with its depth and the page that it was found on.
fn visit(fetched: &Fetched, purpose: Purpose, depth: u32, kept: Kept<'_>) -> Vec<u8> {
    let via = (depth > 0).then(|| url("/"));
    let visit =
        Visit { crawl: CRAWL, fetched, purpose, via: via.as_ref(), depth, outcome: None, page: None, kept };
    RecordWriter::default().records(&visit).bytes
}

/// A site as our crawls keep it: what goes before the first page, two starts, a page whose body another's stands for.
fn our_archive(file: &Path) {
    let whole = |path: &str, depth, body: &str| {
        visit(&fetched(path, 200, ("Content-Type", HTML), body), Purpose::Page, depth, Kept::Whole)
    };
    let beside = |path: &str, kind: &str, purpose| {
        visit(&fetched(path, 200, ("Content-Type", kind), "{}"), purpose, 0, Kept::Whole)
    };
    let list = "<a href=/list/1>1</a> <a href=/list/2>2</a>";
    let first = fetched("/list", 200, ("Content-Type", HTML), list);
    let original = Original {
        crawl: CRAWL,
        url: &first.url,
        started: first.started,
        payload: Digest::of(list.as_bytes()),
    };
    let again = fetched("/list?again", 200, ("Content-Type", HTML), list);
    let moved = fetched("/old", 301, ("Location", "/new"), "");
    let records = [
        RecordWriter::default().warcinfo("00001.warc.gz", &[], first.started),
        beside("/robots.txt", "text/plain", Purpose::Robots),
        beside("/.well-known/crawl-hints.json", "application/json", Purpose::Hints),
        beside("/sitemap.xml", HTML, Purpose::Sitemap),
        whole("/", 0, "<a href=/list>L</a> <a href='/list?again'>A</a> <a href=/old>O</a> <a href=/no>N</a>"),
        visit(&first, Purpose::Page, 1, Kept::Whole),
        visit(&again, Purpose::Page, 1, Kept::SamePayload(original)),
        visit(&moved, Purpose::Page, 1, Kept::Whole),
        visit(&fetched("/no", 404, ("Content-Type", HTML), ""), Purpose::Page, 1, Kept::Whole),
        whole("/new", 1, "<a href=/>home</a>"),
        whole("/list/1", 2, "one"),
        whole("/list/2", 2, "two"),
        whole("/island", 0, "<a href=/beach>beach</a>"),
        whole("/beach", 1, "sand"),
    ];
    fs::write(file, records.concat()).unwrap();
}

/// Where a crawl of the files begins, and what it fetches, both by path.
fn simulated(file: &Path, start: &[&str]) -> (Vec<String>, Vec<String>) {
    let start: Vec<String> = start.iter().map(|path| url(path).to_string()).collect();
    let web = of_warc(&[file.to_owned()], &start, None).unwrap();
    let path = |page: u32| web.url(page).unwrap().path_and_query().to_owned();
    let seeds = web.seeds().iter().map(|page| path(*page)).collect();
    let plan = simulate::Plan { seeds: web.seeds().to_vec(), ..plan("breadth-first", "unlimited", 0) };
    (seeds, run(&web, &plan).unwrap().order().into_iter().map(path).collect())
}

#[test]
fn our_own_archive_is_crawled_whole_from_where_its_crawl_began() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("00001.warc.gz");
    our_archive(&file);
    let (seeds, fetched) = simulated(&file, &[]);
    assert_eq!(seeds, ["/", "/island"]);
    // Those that another's body stands for have its links; what was fetched beside the pages is none. A redirect is no step.
    assert_eq!(fetched, ["/", "/island", "/list", "/list?again", "/beach", "/new", "/list/1", "/list/2"]);
    let (seeds, fetched) = simulated(&file, &["/list?again"]);
    assert_eq!((seeds, fetched.len()), (vec!["/list?again".to_owned()], 3));
    let scenario = format!("web: {{warc: [{}]}}\nstart: [http://site.test/nowhere]\n", file.display());
    let refused = Scenario::parse(&scenario).unwrap().run(&mut |_, _, _, _| ());
    assert!(refused.is_err_and(|error| error.to_string().contains("has no page http://site.test/nowhere")));
}

#[test]
fn what_the_files_do_not_have_takes_no_time() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("some.warc.gz");
    let body = "<a href=/no/1>1</a> <a href=/no/2>2</a> <a href=/a>a</a>";
    let page = |path: &str, depth, body: &str| {
        visit(&fetched(path, 200, ("Content-Type", HTML), body), Purpose::Page, depth, Kept::Whole)
    };
    fs::write(&file, [page("/", 0, body), page("/a", 1, "")].concat()).unwrap();
    let web = of_warc(&[file], &[], None).unwrap();
    for (rate, millis) in [("unlimited", 20), ("1/s", 1_010)] {
        let ran = run(&web, &plan("breadth-first", rate, 0)).unwrap();
        assert_eq!((ran.requests, ran.fetched[1].millis), (2, millis), "{rate}");
    }
}

#[test]
fn links_of_files_weigh_what_they_look_like() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("some.warc.gz");
    let body = "<a href=/plain>p</a> <a href=/bold><b><i>b</i></b></a> one two three four five six";
    let page = |path: &str, depth, body: &str| {
        visit(&fetched(path, 200, ("Content-Type", HTML), body), Purpose::Page, depth, Kept::Whole)
    };
    fs::write(&file, [page("/", 0, body), page("/plain", 1, ""), page("/bold", 1, "")].concat()).unwrap();
    let web = of_warc(&[file], &[], None).unwrap();
    let ran = run(&web, &plan("pagerank", "unlimited", 0)).unwrap();
    let paths: Vec<_> =
        ran.order().into_iter().map(|page| web.url(page).unwrap().path().to_owned()).collect();
    assert_eq!(paths, ["/", "/bold", "/plain"]);
}

#[test]
fn a_foreign_archive_begins_at_its_first_html_page() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("foreign.warc");
    let record = |path: &str, kind: &str, body: &str| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n{body}");
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:{path}>\r\nWARC-Target-URI: <{}>\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            url(path),
            block.len()
        )
    };
    let metadata = "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Concurrent-To: <urn:/main.css>\r\n\
                    Content-Length: 6\r\n\r\nvia: x\r\n\r\n";
    let records = [
        record("/robots.txt", "text/html", "User-agent: *"),
        record("/main.css", "text/css", "a {}"),
        metadata.to_owned(),
        record("/", "Text/HTML; charset=utf-8", "<a href=/a>a</a> <a href=/main.css>style</a>"),
        record("/a", "application/xhtml+xml", "<p>a</p>"),
    ];
    fs::write(&file, records.concat()).unwrap();
    let (seeds, fetched) = simulated(&file, &[]);
    assert_eq!(
        (seeds, fetched),
        (vec!["/".to_owned()], ["/", "/a", "/main.css"].map(str::to_owned).to_vec())
    );
}
