//! A crawl through proxies.

use std::time::Duration;

use crawl::{EndReason, Pause};
use testkit::{Speaks, TestProxy};

use crate::bench_site::Bench;
use crate::site::{Site, not_found, page};

async fn two_pages() -> Site {
    Site::serve_hosts(&["shop.test"], |request| match request.path.as_str() {
        "/" => page("Start", &["/two"]),
        "/two" => page("Two", &[]),
        _ => not_found(),
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_and_pages_go_through_the_proxy_and_no_name_is_resolved_here() {
    let site = two_pages().await;
    let proxy = TestProxy::start(Speaks::Http, Some(("ann", "s3cret")), 0).await.unwrap();
    let bench = Bench::new();
    let project = site.project(&bench, &[site.url_at("shop.test", "/")], |crawl| {
        crawl.proxies = vec![format!("http://ann:s3cret@{}", proxy.address).parse().unwrap()];
        // Neither is needed for a site behind a proxy.
        (crawl.hosts, crawl.allow_private) = (None, false);
    });
    let ended = bench.start(project).wait().await.unwrap();
    assert_eq!((ended.reason, ended.progress.pages), (EndReason::Complete, 2));
    let asked = proxy.asked();
    let host = format!("GET http://shop.test:{}", site.server.addr().port());
    assert_eq!(asked.first(), Some(&format!("{host}/robots.txt")), "{asked:?}");
    assert!(asked.iter().all(|line| line.starts_with(&host)), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_waits_while_no_proxy_works_and_goes_on_when_one_does() {
    let site = two_pages().await;
    // Reserved, so that nobody else takes the port, and then let go.
    let port = TestProxy::start(Speaks::Socks5, None, 0).await.unwrap().address.port();
    let bench = Bench::new();
    let project = site.project(&bench, &[site.url_at("shop.test", "/")], |crawl| {
        crawl.proxies = vec![format!("socks5h://127.0.0.1:{port}").parse().unwrap()];
    });
    let run = bench.start(project);
    let mut progress = run.progress();
    let waiting = progress.wait_for(|now| now.paused == Some(Pause::NoProxy));
    tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("it says so").unwrap();
    assert!(site.asked().is_empty());
    let proxy = TestProxy::start(Speaks::Socks5, None, port).await.unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(30), run.wait()).await.expect("goes on").unwrap();
    assert_eq!((ended.reason, ended.progress.pages, ended.progress.errors), (EndReason::Complete, 2, 0));
    assert!(!proxy.asked().is_empty());
}
