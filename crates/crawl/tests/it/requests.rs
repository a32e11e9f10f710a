//! What a request carries, and how many are under way at once. Read from the server's side.

use std::time::Duration;

use model::CrawlSettings;
use webs::{Answer, Request};

use crate::bench_site::Bench;
use crate::site::{Site, after, not_found, page};

fn header(request: &Request, name: &str) -> String {
    request.header(name).unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_contact_headers_and_cookies_reach_the_server() {
    let site = Site::serve(|request| match request.path.as_str() {
        "/robots.txt" => not_found(),
        _ => page("Page", &["/next"]),
    })
    .await;
    let check = async |edit: fn(&mut CrawlSettings), agent: &str| {
        let bench = Bench::new();
        let before = site.asked().len();
        bench.crawl(site.project(&bench, &[site.url("/")], edit)).await;
        let asked = site.asked().split_off(before);
        assert_eq!(asked.len(), 3);
        for request in &asked {
            assert_eq!(header(request, "user-agent"), agent, "{}", request.path);
        }
        asked
    };
    let version = env!("CARGO_PKG_VERSION");
    check(|_| (), &format!("gannet/{version}")).await;
    let contact = |crawl: &mut CrawlSettings| crawl.contact = Some("https://e.org/bot".to_owned());
    check(contact, &format!("gannet/{version} (+https://e.org/bot)")).await;
    let all = |crawl: &mut CrawlSettings| {
        crawl.user_agent = Some("mybot/2".to_owned());
        crawl.contact = Some("me@e.org".to_owned());
        crawl.headers = [("X-Mine".to_owned(), "yes".to_owned())].into();
        crawl.cookies = vec!["banner=seen".parse().unwrap(), "deep=1; Path=/next".parse().unwrap()];
    };
    for request in check(all, "mybot/2 (+me@e.org)").await {
        assert_eq!(header(&request, "x-mine"), "yes");
        let cookies = if request.path == "/next" { "deep=1; banner=seen" } else { "banner=seen" };
        assert_eq!(header(&request, "cookie"), cookies, "{}", request.path);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cookie_comes_back_to_its_own_host_only() {
    let site = Site::serve_hosts(&["a.test", "b.test"], |request| match request.path.as_str() {
        "/robots.txt" => not_found(),
        "/" => {
            let other = request.base().replace("a.test", "b.test");
            page("Start", &["/next", &format!("{other}/next")]).with("set-cookie", "session=of-a")
        }
        _ => page("Next", &[]),
    })
    .await;
    let bench = Bench::new();
    let start = [site.url_at("a.test", "/")];
    bench.crawl(site.project(&bench, &start, |crawl| crawl.scope = model::Scope::Any)).await;
    let cookie = |host: &str| {
        let asked = site.asked();
        let next = asked.iter().find(|request| request.host.starts_with(host) && request.path == "/next");
        header(next.unwrap(), "cookie")
    };
    assert_eq!(cookie("a.test"), "session=of-a");
    assert_eq!(cookie("b.test"), "");
}

/// Pages of 200 ms each, all linked from the start page.
async fn slow_site(pages: usize) -> Site {
    Site::serve(move |request| match request.path.as_str() {
        "/robots.txt" => not_found(),
        "/" => {
            let links: Vec<String> = (0..pages).map(|number| format!("/page/{number}")).collect();
            page("Start", &links.iter().map(String::as_str).collect::<Vec<_>>())
        }
        _ => after(200, page("Page", &[])),
    })
    .await
}

/// Most requests for pages that the server had open at once; each takes 200 ms.
fn most_at_once(site: &Site) -> usize {
    let log = site.server.log().entries();
    let starts: Vec<u64> =
        log.iter().filter(|entry| entry.target.starts_with("/page/")).map(|entry| entry.us).collect();
    let open_at = |moment: u64| {
        let began = moment.saturating_sub(195_000)..=moment;
        starts.iter().filter(|start| began.contains(*start)).count()
    };
    starts.iter().map(|start| open_at(*start)).max().unwrap()
}

/// Connections in all and per host → most requests open at once.
async fn check_connections(all: u32, per_host: u32, expected: usize) {
    let site = slow_site(12).await;
    let bench = Bench::new();
    let edit = |crawl: &mut CrawlSettings| {
        crawl.connections = all;
        crawl.connections_per_host = per_host;
    };
    bench.crawl(site.project(&bench, &[site.url("/")], edit)).await;
    let most = most_at_once(&site);
    assert!(most <= expected, "{most} at once; connections {all}, per host {per_host}");
    assert!(most >= expected.min(2), "{most} at once; connections {all}, per host {per_host}");
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_used_and_never_more_than_allowed() {
    tokio::join!(check_connections(64, 4, 4), check_connections(3, 8, 3), check_connections(8, 1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_side_by_side_keep_the_gap() {
    let site = slow_site(10).await;
    let bench = Bench::new();
    let edit = |crawl: &mut CrawlSettings| {
        crawl.connections_per_host = 4;
        crawl.rate = Some("25/s".parse().unwrap());
    };
    bench.crawl(site.project(&bench, &[site.url("/")], edit)).await;
    assert!(most_at_once(&site) >= 2, "{} at once", most_at_once(&site));
    let gap = site.shortest_gap("127.0.0.1");
    // What connecting takes comes off the gap as the server sees it: a few milliseconds on a busy machine.
    assert!(gap >= Duration::from_millis(25), "{gap:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_after_is_kept_also_on_a_redirect() {
    let site = Site::serve(|request| match request.path.as_str() {
        "/robots.txt" => not_found(),
        "/" => page("Start", &["/moved", "/other"]),
        "/moved" => Answer::redirect(302, "/there").with("retry-after", "1"),
        _ => page("Page", &[]),
    })
    .await;
    let bench = Bench::new();
    bench.crawl(site.project(&bench, &[site.url("/")], |_| ())).await;
    assert_eq!(site.asked_paths(), ["/", "/moved", "/other", "/there"]);
    let log = site.server.log().entries();
    let at = |path: &str| log.iter().find(|entry| entry.target == path).unwrap().ms;
    assert!(at("/other") - at("/moved") >= 999, "{} ms", at("/other") - at("/moved"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_can_be_allowed_without_all_private_ones() {
    let site = Site::serve(|request| match request.path.as_str() {
        "/" => page("Start", &["http://127.0.0.2:1/"]),
        _ => not_found(),
    })
    .await;
    let bench = Bench::new();
    let project = site.project(&bench, &[site.url("/")], |crawl| {
        crawl.allow_private = false;
        crawl.scope = model::Scope::Any;
        crawl.allow_addresses = vec!["127.0.0.1".parse().unwrap()];
    });
    bench.crawl(project).await;
    let urls = bench.urls();
    let outcome = |url: &str| urls[url].outcome.clone();
    assert_eq!(outcome(&site.url("/")), model::Outcome::Fetched);
    let forbidden = model::Outcome::Failed { error: model::ErrorKind::ForbiddenAddress, tries: 0 };
    assert_eq!(outcome("http://127.0.0.2:1/"), forbidden);
}
