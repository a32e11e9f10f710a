//! A generated web keeps its word, too.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use webs::Server;
use webs::generated::{Generated, GeneratedWeb};
use webs::serve::{Request, ServeOptions, Web};
use webs::truth::{Outcome, TruthOptions};

use crate::client::Connection;
use crate::truth::{assert_denied, assert_links};

fn small(seed: u64) -> Generated {
    Generated {
        seed,
        hosts: 12,
        pages: 300,
        page_bytes: (2_000, 6_000),
        slow_per_mille: 20,
        slowest: Duration::from_millis(5),
        failing_per_mille: 30,
        recovers_after: Duration::ZERO,
        ..Generated::default()
    }
}

#[tokio::test]
async fn every_url_of_the_truth_answers_as_told_and_has_the_links_told() {
    for seed in [1, 2] {
        let web = Arc::new(GeneratedWeb::new(small(seed)).expect("a fit shape"));
        let server =
            Server::start_with(web.clone(), &ServeOptions::on_loopbacks(2, 0)).await.expect("starts");
        let port = server.addr().port();
        let truth = web.truth(port, TruthOptions::default());
        let mut connection = Connection::open(server.addr()).await;
        let mut seen = HashSet::new();
        for page in &truth.pages {
            let url = url::Url::parse(&page.url).expect("absolute");
            let host = format!("{}:{port}", url.host_str().expect("a host"));
            if let Outcome::Disallowed { line } = page.outcome {
                let robots = connection.get(&host, "/robots.txt", &[]).await.text();
                assert_denied(&robots, line, url.path());
            }
            let Some(status) = page.status else { continue };
            let got = connection.get(&host, url.path(), &[]).await;
            assert_eq!(got.status, status, "{} (seed {seed})", page.url);
            seen.insert(status);
            if page.outcome == Outcome::Fetched {
                assert_links(page, &got.text());
            }
            if let Outcome::Redirected { to } = &page.outcome {
                assert_eq!(url.join(got.header("location")).expect("a URL").as_str(), to);
            }
        }
        assert_eq!(seen, HashSet::from([200, 301, 404]), "seed {seed}");
        let hosts = server.hosts_file();
        assert_eq!(
            hosts.lines().take(3).collect::<Vec<_>>(),
            ["127.0.0.1 h001.test", "127.0.0.2 h002.test", "127.0.0.1 h003.test"]
        );
        assert_eq!(hosts.lines().count(), 12);
    }
}

#[test]
fn every_page_can_be_reached() {
    for (hosts, pages) in [(1, 1), (1, 40), (7, 100), (50, 5_000)] {
        let shape = Generated { hosts, pages, page_bytes: (500, 500), ..Generated::default() };
        let web = GeneratedWeb::new(shape).expect("a fit shape");
        let truth = web.truth(8080, TruthOptions::default());
        let fetched = truth.pages.iter().filter(|page| page.outcome == Outcome::Fetched);
        let counted = fetched.filter(|page| !page.url.contains("/private/")).count();
        assert_eq!(counted as u64, pages, "{hosts} hosts");
    }
    assert!(GeneratedWeb::new(Generated { hosts: 9, pages: 8, ..Generated::default() }).is_err());
}

#[test]
fn failing_pages_recover_by_time_and_not_by_asking() {
    let shape = Generated { recovers_after: Duration::from_secs(2), ..small(4) };
    let web = GeneratedWeb::new(shape).expect("a fit shape");
    let truth = web.truth(8080, TruthOptions::default());
    let page = truth.pages.iter().find(|page| page.facts.recovers).expect("a failing page");
    let url = url::Url::parse(&page.url).expect("absolute");
    let ask = |at_ms| {
        let mut request = Request::get(&format!("{}:8080", url.host_str().expect("a host")), url.path());
        request.since_start = Duration::from_millis(at_ms);
        web.answer(&request)
    };
    for _ in 0..3 {
        assert_eq!(ask(1_999).status, 503);
    }
    assert_eq!(ask(0).header("retry-after"), Some("1"));
    assert_eq!(ask(2_000).status, 200);
}

#[test]
fn pages_of_a_million_page_web_are_drawn_alone_and_have_the_size_asked_for() {
    let shape =
        Generated { hosts: 10_000, pages: 1_000_000, page_bytes: (8_000, 24_000), ..Generated::default() };
    let web = GeneratedWeb::new(shape).expect("a fit shape");
    let mut waiting = vec!["http://h00001.test:80/".to_owned()];
    for _ in 0..200 {
        let url = url::Url::parse(&waiting.pop().expect("a link")).expect("absolute");
        let answer = web.answer(&Request::get(url.host_str().expect("a host"), url.path()));
        if answer.status != 200 || !url.path().ends_with(['/', 'l']) {
            continue;
        }
        assert!((7_000..27_000).contains(&answer.body.len()), "{} bytes at {url}", answer.body.len());
        let html = String::from_utf8(answer.body.to_vec()).expect("UTF-8");
        let found = crate::truth::links(url.as_str(), &html);
        waiting.extend(found.into_iter().map(|(_, url, _)| url).filter(|url| url.contains(".test/")));
    }
}
