//! The demo site keeps its word.

use std::collections::HashSet;
use std::sync::Arc;

use webs::Server;
use webs::demo::{self, Demo};
use webs::truth::{LinkKind, Outcome, Truth, TruthOptions};

use crate::client::{Connection, get};
use crate::served::demo as start;
use crate::truth::{assert_denied, assert_links};

async fn at_epoch(epoch: u64) -> (Server, Truth) {
    let addr = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::start(Arc::new(Demo::new(3, epoch)), addr).await.expect("starts");
    let truth = demo::truth(3, epoch, &server.base());
    (server, truth)
}

fn decoded(charset: &str, body: &[u8]) -> String {
    let encoding = encoding_rs::Encoding::for_label(charset.as_bytes()).expect("a known label");
    let (text, _, broken) = encoding.decode(body);
    assert!(!broken, "{charset}");
    text.into_owned()
}

#[tokio::test]
async fn every_url_of_the_truth_answers_as_told_and_has_the_links_told() {
    for epoch in [0, 7] {
        let (server, truth) = at_epoch(epoch).await;
        let host = server.addr().to_string();
        let known: HashSet<&str> = truth.pages.iter().map(|page| page.url.as_str()).collect();
        let mut connection = Connection::open(server.addr()).await;
        for page in &truth.pages {
            let Some(target) = page.url.strip_prefix(&server.base()) else {
                let outside = matches!(page.outcome, Outcome::OffSite | Outcome::NotFollowed);
                assert!(outside, "{}", page.url);
                continue;
            };
            let got = connection.get(&host, target, &[]).await;
            if let Some(status) = page.status {
                assert_eq!(got.status, status, "{}", page.url);
                let content_type = got.header("content-type").split(';').next().unwrap_or_default();
                assert_eq!(Some(content_type), page.content_type.as_deref(), "{}", page.url);
            }
            match &page.outcome {
                Outcome::Fetched if page.content_type.as_deref() == Some("text/html") => {
                    let html = decoded(&page.facts.charset, &got.body);
                    assert_links(page, &html);
                    if page.trap.is_none() {
                        for link in &page.links {
                            assert!(known.contains(link.url.as_str()), "{} on {}", link.url, page.url);
                        }
                    }
                }
                Outcome::Redirected { to } => {
                    let here = url::Url::parse(&page.url).expect("absolute");
                    assert_eq!(here.join(got.header("location")).expect("a URL").as_str(), to);
                    assert!(known.contains(to.as_str()), "{to}");
                }
                Outcome::Disallowed { line } => {
                    let robots = connection.get(&host, "/robots.txt", &[]).await.text();
                    assert_denied(&robots, *line, target);
                }
                _ => {}
            }
        }
        let fetched = truth.pages.iter().filter(|page| page.outcome == Outcome::Fetched).count();
        assert!(fetched >= 300, "{fetched} pages");
        assert!(truth.products.len() >= 120 && truth.posts.len() >= 60);
    }
}

#[tokio::test]
async fn rows_and_lists_of_the_truth_are_on_the_pages() {
    let (server, truth) = at_epoch(2).await;
    let base = server.base();
    for row in truth.products.iter().step_by(5) {
        let html = get(server.addr(), row.url.strip_prefix(&base).expect("on site"), &[]).await.text();
        for part in [&row.title, &row.price_text, &row.sku, &format!("\"price\":\"{}\"", row.price)] {
            assert!(html.contains(part.as_str()), "{part} on {}", row.url);
        }
        assert_eq!(html.contains("class=\"colour\""), row.colour.is_some(), "{}", row.url);
        assert_eq!(html.contains("class=\"discount\""), row.discount.is_some(), "{}", row.url);
    }
    for row in truth.posts.iter().step_by(5) {
        let html = get(server.addr(), row.url.strip_prefix(&base).expect("on site"), &[]).await.text();
        for part in [&row.title, &row.author, &format!("datetime=\"{}\"", row.published), &row.summary] {
            assert!(html.contains(part.as_str()), "{part} on {}", row.url);
        }
    }
    let kinds: HashSet<&str> = truth.lists.iter().map(|list| list.pagination.as_str()).collect();
    assert_eq!(kinds, HashSet::from(["next-link", "numbered", "pattern"]));
    for list in &truth.lists {
        let page = truth.page(&list.url).unwrap_or_else(|| panic!("{} is not reached", list.url));
        let targets: Vec<&str> = page.links.iter().map(|link| link.url.as_str()).collect();
        for target in list.items.iter().chain(&list.next) {
            assert!(targets.contains(&target.as_str()), "{target} on {}", list.url);
        }
    }
}

#[test]
fn every_kind_of_page_and_link_occurs() {
    let truth = demo::truth(1, 0, "http://demo.test");
    let has = |what: &str, is_there: bool| assert!(is_there, "no {what}");
    let links = || truth.pages.iter().flat_map(|page| &page.links);
    for kind in [LinkKind::Anchor, LinkKind::Area, LinkKind::Frame, LinkKind::Refresh, LinkKind::Canonical] {
        has(&format!("{kind:?}"), links().any(|link| link.kind == kind));
    }
    for visibility in 1..=3 {
        for position in 1..=3 {
            let there = links().any(|link| (link.visibility, link.position) == (visibility, position));
            has(&format!("link of {visibility}, {position}"), there);
        }
    }
    has("other host", links().any(|link| link.distance == 5));
    has("nofollow", links().any(|link| link.nofollow));
    let outcome = |wanted: fn(&Outcome) -> bool| truth.pages.iter().any(|page| wanted(&page.outcome));
    has("redirect", outcome(|outcome| matches!(outcome, Outcome::Redirected { .. })));
    has("denied page", outcome(|outcome| matches!(outcome, Outcome::Disallowed { .. })));
    has("file", outcome(|outcome| *outcome == Outcome::UnwantedType));
    has("off-site page", outcome(|outcome| *outcome == Outcome::OffSite));
    has("unfollowed page", outcome(|outcome| *outcome == Outcome::NotFollowed));
    for status in [200, 301, 302, 308, 404, 410, 500, 503] {
        has(&status.to_string(), truth.pages.iter().any(|page| page.status == Some(status)));
    }
    for charset in ["utf-8", "windows-1252", "shift_jis", "utf-16le"] {
        has(charset, truth.pages.iter().any(|page| page.facts.charset == charset));
    }
    has("German page", truth.pages.iter().any(|page| page.facts.language == "de"));
    has("noindex", truth.pages.iter().any(|page| page.facts.noindex));
    has("print version without canonical", {
        let print = |page: &&webs::truth::TruthPage| page.url.contains("/print/");
        truth.pages.iter().filter(print).any(|page| page.facts.canonical.is_none())
    });
    assert!(truth.pages.iter().all(|page| !page.url.contains("/_control/")));
}

/// A crawler may treat rel=canonical as a link or not: it finds the same pages at the same depths.
#[test]
fn canonical_links_never_shorten_a_path() {
    let truth = demo::truth(1, 0, "http://demo.test");
    for page in &truth.pages {
        let canonicals = page.links.iter().filter(|link| link.kind == LinkKind::Canonical);
        for link in canonicals {
            let target = truth.page(&link.url).expect("known");
            assert!(target.depth <= page.depth, "{} from {}", link.url, page.url);
        }
    }
}

#[test]
fn the_trap_is_listed_to_the_depth_asked_for() {
    let count = |trap_depth| {
        let options = TruthOptions { trap_depth, ..TruthOptions::default() };
        let truth = demo::truth_with(1, 0, "http://demo.test", options);
        let in_trap: Vec<_> =
            truth.pages.iter().filter(|page| page.trap.is_some()).map(|page| page.url.clone()).collect();
        assert!(in_trap.contains(&truth.traps[0].root));
        in_trap.len()
    };
    assert_eq!((count(0), count(1), count(4)), (1, 3, 9));
}

#[test]
fn the_same_seed_gives_the_same_site_and_another_seed_another() {
    let json =
        |seed, epoch| serde_json::to_string(&demo::truth(seed, epoch, "http://demo.test")).expect("JSON");
    assert_eq!(json(5, 2), json(5, 2));
    assert_ne!(json(5, 2), json(6, 2));
    assert_ne!(json(5, 2), json(5, 3));
}

#[tokio::test]
async fn the_site_changes_with_its_epoch_and_not_with_visits() {
    let server = start().await;
    let addr = server.addr();
    let prices = || async { get(addr, "/api/prices.json", &[]).await.text() };
    let before = prices().await;
    assert_eq!(prices().await, before);
    assert_eq!(get(addr, "/status/maintenance", &[]).await.header("retry-after"), "1");
    assert_eq!(get(addr, "/status/maintenance", &[]).await.status, 503);
    assert_eq!(get(addr, "/_control/epoch?set=4", &[]).await.text(), "{\"seed\":1,\"epoch\":4}\n");
    assert_ne!(prices().await, before);
    assert_eq!(get(addr, "/status/maintenance", &[]).await.status, 200);

    let (old, new) = (demo::truth(1, 0, &server.base()), demo::truth(1, 4, &server.base()));
    let urls = |truth: &Truth| truth.products.iter().map(|row| row.url.clone()).collect::<HashSet<_>>();
    let gone: Vec<String> = urls(&old).difference(&urls(&new)).cloned().collect();
    assert!(!gone.is_empty() && urls(&new).difference(&urls(&old)).count() == 12);
    for url in gone {
        let status = get(addr, url.strip_prefix(&server.base()).expect("on site"), &[]).await.status;
        assert!(matches!(status, 404 | 410), "{url}: {status}");
    }
    let unchanged = old.products.iter().filter(|row| new.products.contains(row)).count();
    assert!(unchanged > old.products.len() / 4, "{unchanged} unchanged");

    get(addr, "/_control/epoch?set=0", &[]).await;
    assert_eq!(prices().await, before);
}

#[tokio::test]
async fn a_page_is_304_exactly_as_long_as_its_body_stays() {
    let server = start().await;
    let addr = server.addr();
    let truth = demo::truth(1, 0, &server.base());
    let targets: Vec<&str> = truth
        .pages
        .iter()
        .filter(|page| page.outcome == Outcome::Fetched && page.trap.is_none())
        .filter_map(|page| page.url.strip_prefix(&server.base()))
        .step_by(9)
        .collect();
    let (mut kept, mut changed) = (0, 0);
    for target in targets {
        get(addr, "/_control/epoch?set=0", &[]).await;
        let first = get(addr, target, &[]).await;
        let (tag, day) = (first.header("etag"), first.header("last-modified"));
        assert_eq!(get(addr, target, &[("if-none-match", tag)]).await.status, 304);
        assert_eq!(get(addr, target, &[("if-modified-since", day)]).await.status, 304);
        assert_eq!(get(addr, target, &[("if-none-match", "\"other\"")]).await.status, 200);
        get(addr, "/_control/epoch?set=3", &[]).await;
        let later = get(addr, target, &[]).await;
        let same = later.status == 200 && later.body == first.body;
        assert_eq!(get(addr, target, &[("if-none-match", tag)]).await.status == 304, same, "{target}");
        assert_eq!(get(addr, target, &[("if-modified-since", day)]).await.status == 304, same, "{target}");
        if same { kept += 1 } else { changed += 1 }
    }
    assert!(kept > 0 && changed > 0, "{kept} kept, {changed} changed");
}

#[tokio::test]
async fn bodies_come_in_the_codings_that_are_accepted() {
    let server = start().await;
    let plain = get(server.addr(), "/shop/", &[]).await;
    assert_eq!(plain.header("content-encoding"), "");
    for coding in ["gzip", "deflate", "br"] {
        let got = get(server.addr(), "/shop/", &[("accept-encoding", coding)]).await;
        assert_eq!(got.header("content-encoding"), coding);
        let mut body = Vec::new();
        let mut packed = got.body.as_slice();
        use std::io::Read;
        match coding {
            "gzip" => flate2::read::GzDecoder::new(packed).read_to_end(&mut body).map(drop),
            "deflate" => flate2::read::ZlibDecoder::new(packed).read_to_end(&mut body).map(drop),
            _ => brotli::BrotliDecompress(&mut packed, &mut body),
        }
        .expect("decodes");
        assert_eq!(body, plain.body, "{coding}");
    }
}

#[tokio::test]
async fn the_account_needs_the_cookie_that_the_login_gives() {
    let server = start().await;
    let addr = server.addr();
    assert_eq!(get(addr, "/account/", &[]).await.header("location"), "/login");
    let mut connection = Connection::open(addr).await;
    let head = "POST /login HTTP/1.1\r\nhost: demo.test\r\n";
    assert_eq!(connection.ask(head, "user=demo&password=guess").await.status, 403);
    let given = connection.ask(head, "user=demo&password=demo").await;
    assert_eq!((given.status, given.header("location")), (303, "/account/"));
    let cookie = given.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
    let account = get(addr, "/account/", &[("cookie", &cookie)]).await;
    assert!(account.text().contains("Welcome back"));
}
