//! Which links are followed: redirects, scope, patterns, nofollow, canonical, normalisation, depth.

use std::collections::BTreeMap;

use model::{CrawlSettings, Order, RobotsMode, Scope};
use webs::Answer;

use crate::bench_site::Bench;
use crate::site::{Site, after, html, not_found, page};

#[tokio::test(flavor = "multi_thread")]
async fn redirects_are_hops_through_scope_and_robots() {
    let site = Site::serve(|request| match request.path.as_str() {
        "/robots.txt" => Answer::new(200, "text/plain", "User-agent: *\nDisallow: /private/\n"),
        "/" => page("Start", &["/denied", "/away", "/a", "/self", "/nowhere", "/odd", "/0", "/dropped"]),
        "/denied" => Answer::redirect(301, "/private/x"),
        "/away" => Answer::redirect(302, "http://elsewhere.test/x"),
        "/a" => Answer::redirect(307, "/b"),
        "/b" => Answer::redirect(308, "/a"),
        "/self" => Answer::redirect(301, "/self#again"),
        "/nowhere" => Answer::new(301, "text/html", "no location"),
        "/odd" => Answer::redirect(301, "mailto:me@example.org"),
        "/dropped" => Answer::redirect(303, "/b"),
        path => match path[1..].parse::<u32>() {
            Ok(number) => Answer::redirect(302, &format!("/{}", number + 1)),
            Err(_) => not_found(),
        },
    })
    .await;
    let bench = Bench::new();
    let ended = bench.crawl(site.project(&bench, &[site.url("/")], |_| ())).await;
    let outcomes = bench.outcomes(&site);
    let check = |path: &str, expected: &str| {
        assert_eq!(outcomes.get(path).map(String::as_str), Some(expected), "{path}");
    };
    check("/denied", "redirected to /private/x");
    check("/private/x", "disallowed by robots.txt line 2");
    check("/away", "redirected to http://elsewhere.test/x");
    check("http://elsewhere.test/x", "off-site");
    check("/a", "redirected to /b");
    check("/b", "redirected to /a");
    check("/self", "failed: redirects in a circle (tried 1×)");
    check("/nowhere", "failed: a redirect to nowhere (tried 1×)");
    check("/odd", "failed: a redirect to nowhere (tried 1×)");
    check("/9", "redirected to /10");
    check("/10", "failed: redirects in a circle (tried 1×)");
    assert!(!outcomes.contains_key("/11"));
    assert!(!site.asked_paths().contains(&"/private/x".to_owned()));
    assert_eq!(ended.progress.pages, 1);
    // A redirect is no click.
    assert_eq!(bench.urls()[&site.url("/10")].depth, 1);
    assert_eq!(bench.visits(&site.url("/denied"))[0].status, Some(301));
}

/// Settings → pages asked for, sorted.
async fn check(
    answers: fn(&webs::Request) -> Answer,
    edit: impl FnOnce(&mut CrawlSettings),
    expected: &[&str],
) -> (Site, Bench) {
    let site = Site::serve(answers).await;
    let bench = Bench::new();
    bench.crawl(site.project(&bench, &[site.url("/")], edit)).await;
    let mut asked = site.asked_paths();
    asked.sort();
    assert_eq!(asked, expected);
    (site, bench)
}

fn nofollow_site(request: &webs::Request) -> Answer {
    match request.path.as_str() {
        "/" => html(
            "<a href=/plain>1</a> <a rel='nofollow me' href=/marked>2</a> <a href=/page>3</a> <a href=/named>4</a> <a href=/header>5</a>",
        ),
        "/page" => html("<meta name=robots content='noindex, nofollow'><a href=/from-page>1</a>"),
        "/named" => html("<meta name=mybot content=nofollow><a href=/from-named>1</a>"),
        "/header" => html("<a href=/from-header>1</a>").with("x-robots-tag", "nofollow"),
        "/robots.txt" => not_found(),
        _ => page("Page", &[]),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nofollow_is_obeyed_where_it_stands() {
    let some = ["/", "/from-named", "/header", "/named", "/page", "/plain"];
    let (site, bench) = check(nofollow_site, |_| (), &some).await;
    let outcomes = bench.outcomes(&site);
    for path in ["/marked", "/from-page", "/from-header"] {
        assert_eq!(outcomes[path], "excluded by nofollow", "{path}");
    }
    let ours = |crawl: &mut CrawlSettings| crawl.user_agent = Some("mybot/2.0 (test)".to_owned());
    check(nofollow_site, ours, &["/", "/header", "/named", "/page", "/plain"]).await;
    let all =
        ["/", "/from-header", "/from-named", "/from-page", "/header", "/marked", "/named", "/page", "/plain"];
    check(nofollow_site, |crawl| crawl.follow_nofollow = true, &all).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canonical_link_is_followed_if_it_is_to_be_honoured() {
    let answers = |request: &webs::Request| match request.path.as_str() {
        "/" => html("<link rel=canonical href=/real><title>Copy</title>"),
        "/real" => page("Real", &[]),
        _ => not_found(),
    };
    check(answers, |_| (), &["/", "/real"]).await;
    check(answers, |crawl| crawl.honour_canonical = false, &["/"]).await;
}

fn varied_site(request: &webs::Request) -> Answer {
    match request.path.as_str() {
        "/" => page("Start", &["/a?x=1", "/a?x=2", "/a", "/b/", "/b", "/c/d/?y#z"]),
        "/robots.txt" => not_found(),
        _ => page("Page", &[]),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn urls_are_normalised_as_the_project_says() {
    check(varied_site, |_| (), &["/", "/a", "/a?x=1", "/a?x=2", "/b", "/b/", "/c/d/?y"]).await;
    check(varied_site, |crawl| crawl.drop_query = true, &["/", "/a", "/b", "/b/", "/c/d/"]).await;
    let no_slash = ["/", "/a", "/a?x=1", "/a?x=2", "/b", "/c/d?y"];
    check(varied_site, |crawl| crawl.drop_trailing_slash = true, &no_slash).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn www_is_dropped_from_start_urls_and_links() {
    let site = Site::serve_hosts(&["a.test", "www.a.test"], |request| match request.path.as_str() {
        "/robots.txt" => not_found(),
        _ => page("Page", &[&format!("{}/next", request.base().replace("//", "//www."))]),
    })
    .await;
    let bench = Bench::new();
    let start = [site.url_at("www.a.test", "/")];
    bench.crawl(site.project(&bench, &start, |crawl| crawl.drop_www = true)).await;
    assert_eq!(site.asked_paths(), ["/", "/next"]);
    assert!(site.asked().iter().all(|request| request.host.starts_with("a.test")));
}

#[tokio::test(flavor = "multi_thread")]
async fn patterns_and_lists_bound_the_crawl() {
    let answers = |request: &webs::Request| match request.path.as_str() {
        "/" => page("Start", &["/shop/1", "/shop/2?sort=up", "/blog/1", "/shop/old/3"]),
        "/robots.txt" => not_found(),
        _ => page("Page", &["/shop/deep"]),
    };
    let patterns = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
    let include = |crawl: &mut CrawlSettings| crawl.include = patterns(&["/shop/*"]);
    check(answers, include, &["/", "/shop/1", "/shop/2?sort=up", "/shop/deep", "/shop/old/3"]).await;
    let both = |crawl: &mut CrawlSettings| {
        crawl.include = patterns(&["/shop/*"]);
        crawl.exclude = patterns(&["/shop/old/*"]);
    };
    let (site, bench) = check(answers, both, &["/", "/shop/1", "/shop/2?sort=up", "/shop/deep"]).await;
    let outcomes = bench.outcomes(&site);
    assert_eq!(outcomes["/shop/old/3"], "excluded by exclude /shop/old/*");
    assert_eq!(outcomes["/blog/1"], "excluded by include: no pattern matches");
    check(answers, |crawl| crawl.scope = Scope::List, &["/"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shortest_path_counts_also_when_it_is_found_last() {
    // At host a the long way to /target is quick; the short one leads over host b, which is slow.
    let site = Site::serve_hosts(&["a.test", "b.test"], |request| {
        let at = |host: &str| request.base().replace("a.test", host).replace("b.test", host);
        match request.path.as_str() {
            "/" => page("Start", &["/1", &format!("{}/slow", at("b.test"))]),
            "/1" => page("1", &["/2"]),
            "/2" => page("2", &["/3"]),
            "/3" => page("3", &["/target"]),
            "/target" => page("Target", &["/turn"]),
            "/turn" => Answer::redirect(302, "/leaf"),
            "/leaf" => page("Leaf", &["/last"]),
            "/slow" => after(800, page("Slow", &[&format!("{}/target", at("a.test"))])),
            _ => page("Last", &[]),
        }
    })
    .await;
    for order in [Order::BREADTH_FIRST, Order::DEPTH_FIRST] {
        let bench = Bench::new();
        let start = [site.url_at("a.test", "/")];
        let project = site.project(&bench, &start, |crawl| {
            crawl.scope = Scope::Any;
            crawl.robots = RobotsMode::Ignore;
            crawl.order = order;
            crawl.max_depth = 4;
        });
        let ended = bench.crawl(project).await;
        let depths: BTreeMap<String, u32> =
            bench.urls().values().map(|record| (record.url.path().to_owned(), record.depth)).collect();
        let expected = [
            ("/", 0),
            ("/1", 1),
            ("/2", 2),
            ("/3", 3),
            ("/last", 4),
            ("/leaf", 3),
            ("/slow", 1),
            ("/target", 2),
            ("/turn", 3),
        ];
        assert_eq!(depths, expected.map(|(path, depth)| (path.to_owned(), depth)).into(), "{order:?}");
        assert_eq!(ended.progress.pages, 8, "{order:?}");
        assert_eq!(frontier::audit(&bench.store, crate::bench_site::CRAWL).unwrap(), []);
    }
}
