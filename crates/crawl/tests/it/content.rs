//! What an answer is taken for: content types, cut bodies, charsets, errors; and the counts of it all.

use std::collections::BTreeMap;

use archive::ArchiveReader;
use model::{CrawlSettings, Cut, KeepPages};
use webs::Answer;

use crate::bench_site::Bench;
use crate::site::{Site, html, not_found, page};

async fn files() -> Site {
    Site::serve(|request| match request.path.as_str() {
        "/" => page("Start", &["/a.zip", "/b.txt", "/untyped", "/gone", "/broken", "/moved", "/same"]),
        "/a.zip" => Answer::new(200, "application/zip", vec![b'x'; 2_000_000]),
        "/b.txt" => Answer::new(200, "Text/Plain; charset=utf-8", "plain words"),
        "/untyped" => Answer::new(200, "", "<title>Untyped</title>"),
        "/broken" => Answer::new(500, "text/html", "<title>Oops</title>"),
        "/moved" => Answer::redirect(301, "/b.txt"),
        "/same" => Answer::new(304, "", ""),
        _ => not_found(),
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn each_answer_has_its_outcome_and_the_counts_equal_the_servers_log() {
    let site = files().await;
    let bench = Bench::new();
    let ended = bench.crawl(site.project(&bench, &[site.url("/")], |crawl| crawl.retry = 0)).await;
    let outcomes = bench.outcomes(&site);
    let check = |path: &str, expected: &str| assert_eq!(outcomes[path], expected, "{path}");
    check("/a.zip", "unwanted: application/zip");
    check("/b.txt", "fetched");
    check("/untyped", "fetched");
    check("/gone", "failed: status 404 (tried 1×)");
    check("/broken", "failed: status 500 (tried 1×)");
    check("/moved", "redirected to /b.txt");
    // Nobody asked whether it has changed.
    check("/same", "failed: status 304 (tried 1×)");

    let pdf = &bench.visits(&site.url("/a.zip"))[0];
    assert_eq!((pdf.bytes, pdf.status, pdf.location), (0, Some(200), None));
    let gone = &bench.visits(&site.url("/gone"))[0];
    assert!(gone.location.is_some(), "an error page is archived");
    assert_eq!(gone.title, None);

    let log = site.server.log().entries();
    assert_eq!(ended.stats.requests, log.len() as u64);
    let mut statuses = BTreeMap::new();
    for entry in log.iter().filter(|entry| entry.target != "/robots.txt") {
        *statuses.entry(entry.status).or_insert(0) += 1;
    }
    assert_eq!(ended.stats.statuses, statuses);
    assert_eq!(ended.progress.pages, 3);
    assert_eq!(ended.stats.errors.values().sum::<u64>(), 3);
    assert_eq!((ended.progress.done, ended.progress.known), (8, 8));
    assert_eq!(ended.stats.slots.values().sum::<u64>(), 3, "pages per slot");
}

/// A page of a PDF with these words, the second of which is a link.
fn pdf(words: &str, link: &str) -> Vec<u8> {
    let drawn = format!("BT /F 10 Tf 50 700 Td ({words}) Tj ET");
    format!(
        "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n\
         3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources <</Font <</F 5 0 R>>>>\
         /Annots[<</Type/Annot/Subtype/Link/Rect[50 690 400 710]/A <</S/URI/URI({link})>>>>]>> endobj\n\
         4 0 obj <</Length {}>>\nstream\n{drawn}\nendstream endobj\n\
         5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj\ntrailer <</Root 1 0 R>>\n",
        drawn.len()
    )
    .into_bytes()
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_read_and_their_links_followed() {
    let site = Site::serve(|request| match request.path.as_str() {
        "/" => page("Start", &["/a.pdf", "/b.md", "/broken.pdf", "/c.xml", "/d.xml"]),
        "/a.pdf" => Answer::new(200, "application/pdf", pdf("High and low tides", "/from-pdf")),
        "/b.md" => Answer::new(200, "text/markdown", "# Notes\n\n[more](/from-markdown)\n"),
        "/c.xml" => Answer::new(200, "text/xml", "<catalogue><item>Sextant</item></catalogue>"),
        "/d.xml" => Answer::new(
            200,
            "application/xml",
            "<html xmlns='http://www.w3.org/1999/xhtml'><body><a href='/from-xml'>more</a></body></html>",
        ),
        "/broken.pdf" => Answer::new(200, "application/pdf", "%PDF-1.7 and no more"),
        "/from-pdf" | "/from-markdown" | "/from-xml" => page("Page", &[]),
        _ => not_found(),
    })
    .await;
    let bench = Bench::new();
    bench.crawl(site.project(&bench, &[site.url("/")], |_| {})).await;
    let outcomes = bench.outcomes(&site);
    let fetched: Vec<&str> =
        outcomes.iter().filter(|(_, outcome)| *outcome == "fetched").map(|(url, _)| url.as_str()).collect();
    let expected = [
        "/",
        "/a.pdf",
        "/b.md",
        "/broken.pdf",
        "/c.xml",
        "/d.xml",
        "/from-markdown",
        "/from-pdf",
        "/from-xml",
    ];
    assert_eq!(fetched, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn content_types_can_be_chosen() {
    let check = async |types: &[&str], fetched: &[&str]| {
        let site = files().await;
        let bench = Bench::new();
        let edit = |crawl: &mut CrawlSettings| {
            crawl.retry = 0;
            crawl.content_types = types.iter().map(|text| text.parse().unwrap()).collect();
        };
        bench.crawl(site.project(&bench, &[site.url("/")], edit)).await;
        let outcomes = bench.outcomes(&site);
        let found: Vec<_> = outcomes
            .iter()
            .filter(|(_, outcome)| *outcome == "fetched")
            .map(|(url, _)| url.as_str())
            .collect();
        assert_eq!(found, fetched, "{types:?}");
    };
    check(&["text/html"], &["/", "/untyped"]).await;
    check(&["text/*", "application/zip"], &["/", "/a.zip", "/b.txt", "/untyped"]).await;
    check(&["*/*"], &["/", "/a.zip", "/b.txt", "/untyped"]).await;
    check(&[], &["/", "/a.zip", "/b.txt", "/untyped"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_over_the_limit_is_cut_and_says_so_in_table_and_archive() {
    let site = Site::serve(|request| match request.path.as_str() {
        "/" => {
            html(&format!("<title>Long</title><a href=/first>1</a>{}<a href=/last>2</a>", "x".repeat(9_000)))
        }
        "/robots.txt" => not_found(),
        _ => page("Short", &[]),
    })
    .await;
    let bench = Bench::new();
    let limit = |crawl: &mut CrawlSettings| crawl.max_body = model::Size::from_bytes(2_000);
    bench.crawl(site.project(&bench, &[site.url("/")], limit)).await;
    let check = |path: &str, cut: Option<Cut>, truncated: Option<&str>| {
        let visit = &bench.visits(&site.url(path))[0];
        assert_eq!(visit.cut, cut, "{path}");
        let record = ArchiveReader::new(bench.archive()).record(visit.location.unwrap(), 1 << 20).unwrap();
        assert_eq!(record.head.get("WARC-Truncated"), truncated, "{path}");
        visit.bytes
    };
    assert_eq!(check("/", Some(Cut::Length), Some("length")), 2_000);
    check("/first", None, None);
    assert!(!bench.outcomes(&site).contains_key("/last"), "what was cut off has no links");
}

#[tokio::test(flavor = "multi_thread")]
async fn titles_are_read_in_the_charset_of_the_page() {
    let site = Site::serve(|request| match request.path.as_str() {
        "/" => page("Größe", &["/latin", "/meta", "/bom", "/sjis"]),
        "/latin" => Answer::new(200, "text/html; charset=iso-8859-1", &b"<title>Gr\xf6\xdfe</title>"[..]),
        "/meta" => Answer::new(200, "text/html", &b"<meta charset=windows-1252><title>50 \x80</title>"[..]),
        "/bom" => Answer::new(
            200,
            "text/html; charset=iso-8859-1",
            &b"\xef\xbb\xbf<title>Gr\xc3\xb6\xc3\x9fe</title>"[..],
        ),
        "/sjis" => Answer::new(200, "text/html; charset=Shift_JIS", &b"<title>\x93\xfa\x96{</title>"[..]),
        _ => not_found(),
    })
    .await;
    let bench = Bench::new();
    bench.crawl(site.project(&bench, &[site.url("/")], |_| ())).await;
    let check = |path: &str, title: &str| {
        assert_eq!(bench.visits(&site.url(path))[0].title.as_deref(), Some(title), "{path}");
    };
    check("/", "Größe");
    check("/latin", "Größe");
    check("/meta", "50 €");
    check("/bom", "Größe");
    check("/sjis", "日本");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_limit_all_links_of_a_page_are_taken() {
    let check = async |max_links: u32, expected: usize| {
        let links: Vec<String> = (0..30).map(|number| format!("/{number}")).collect();
        let site = Site::serve(move |request| match request.path.as_str() {
            "/" => page("Start", &links.iter().map(String::as_str).collect::<Vec<_>>()),
            _ => not_found(),
        })
        .await;
        let bench = Bench::new();
        let edit = |crawl: &mut CrawlSettings| crawl.max_links = max_links;
        bench.crawl(site.project(&bench, &[site.url("/")], edit)).await;
        assert_eq!(bench.urls().len(), expected + 1, "max_links {max_links}");
    };
    check(0, 30).await;
    check(7, 7).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_pages_the_same_urls_and_links_are_known_and_nothing_is_archived() {
    let site = files().await;
    let (all, none) = (Bench::new(), Bench::new());
    all.crawl(site.project(&all, &[site.url("/")], |crawl| crawl.retry = 0)).await;
    let lean = |crawl: &mut CrawlSettings| (crawl.retry, crawl.keep) = (0, KeepPages::None);
    let ended = none.crawl(site.project(&none, &[site.url("/")], lean)).await;
    assert_eq!(none.outcomes(&site), all.outcomes(&site));
    assert_eq!(ended.progress.pages, 3);
    let visit = &none.visits(&site.url("/"))[0];
    assert_eq!((visit.status, visit.location, visit.title.as_deref()), (Some(200), None, Some("Start")));
    assert!(all.visits(&site.url("/"))[0].location.is_some());
}
