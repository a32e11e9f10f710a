//! The order of fetching, exactly.

use model::{CrawlSettings, PageUrl};

use crate::driver::Driver;
use crate::web::{FakeHost, FakeWeb, project, url};

/// Pages of one host, as `page: links`, the first being the start → the order in which they are leased.
fn check(order: &str, rate: Option<&str>, pages: &[(&str, &str)], expected: &str) {
    let mut web = FakeWeb::default();
    let page = |name: &str| url("a.web", name);
    for (name, links) in pages {
        let links: Vec<PageUrl> = links.split_whitespace().map(page).collect();
        web.page(&page(name), &links);
    }
    let edit = |settings: &mut CrawlSettings| {
        settings.order = order.parse().unwrap();
        settings.rate = rate.map(|rate| rate.parse().unwrap());
    };
    let mut driver = Driver::new(web, project(&[page(pages[0].0)], edit), 1);
    let leased = driver.run_plainly();
    let names: Vec<&str> = leased.iter().map(|url| url.trim_start_matches("http://a.web/")).collect();
    assert_eq!(names.join(" "), expected, "{order} {rate:?}");
}

/// s ─ a ─ c ─ f       Ties are broken by discovery.
///   └ b ┬ d
///       └ e
const TREE: &[(&str, &str)] =
    &[("s", "a b"), ("a", "c"), ("b", "d e"), ("c", "f"), ("d", ""), ("e", ""), ("f", "")];

#[test]
fn breadth_first_goes_level_by_level() {
    check("breadth-first", None, TREE, "s a b c d e f");
    check("breadth-first", Some("unlimited"), TREE, "s a b c d e f");
}

#[test]
fn depth_first_goes_down_first() {
    check("depth-first", None, TREE, "s a c f b d e");
}

#[test]
fn depth_first_by_the_batch_goes_down_batch_by_batch() {
    check("depth-first", Some("unlimited"), TREE, "s a b c d e f");
    // What is left of a full batch waits for all that is deeper.
    let wide: String = (0..70).map(|n| format!("w{n} ")).collect();
    let names: Vec<String> = (0..70).map(|n| format!("w{n}")).collect();
    let mut pages = vec![("s", wide.as_str()), ("w0", "deep"), ("deep", "")];
    pages.extend(names.iter().skip(1).map(|name| (name.as_str(), "")));
    let expected = format!("s {} deep {}", names[..64].join(" "), names[64..].join(" "));
    check("depth-first", Some("unlimited"), &pages, &expected);
}

#[test]
fn a_page_that_comes_closer_moves_up() {
    // `far` is found at depth 3 first, then at depth 1 by way of the redirecting start's second link.
    check(
        "breadth-first",
        None,
        &[("s", "a b"), ("a", "c"), ("b", "x y far"), ("c", "far"), ("x", ""), ("y", ""), ("far", "")],
        "s a b c x y far",
    );
    check(
        "depth-first",
        None,
        &[("s", "a b"), ("a", "c"), ("c", "far"), ("b", "c"), ("far", "z"), ("z", "")],
        "s a c far z b",
    );
}

#[test]
fn among_ready_hosts_the_best_url_wins() {
    // The start names hosts at depth 1; each has a page at depth 2. All depth 1 before any depth 2, though a
    // host with both is ready again before some others had their turn.
    let mut web = FakeWeb::default();
    let hosts: Vec<String> = (0..20).map(|n| format!("h{n}.web")).collect();
    let firsts: Vec<PageUrl> = hosts.iter().map(|host| url(host, "1")).collect();
    let start = url("start.web", "");
    web.page(&start, &firsts);
    for (n, host) in hosts.iter().enumerate() {
        web.page(&url(host, "1"), &[url(host, "2"), url(&hosts[(n + 1) % 20], "2")]);
        web.page(&url(host, "2"), &[]);
        web.hosts.insert(url(host, "").host(), FakeHost::at(n as u8));
    }
    for (order, first) in [("breadth-first", 1), ("depth-first", 0)] {
        let edit = |settings: &mut CrawlSettings| {
            settings.order = order.parse().unwrap();
            settings.rate = Some("10/s".parse().unwrap());
        };
        let mut driver = Driver::new(web.clone(), project(std::slice::from_ref(&start), edit), 1);
        driver.run_plainly();
        let depths: Vec<u32> =
            driver.order.iter().flat_map(|lease| &lease.urls).map(|leased| leased.depth).collect();
        assert_eq!(depths.len(), 41);
        match first {
            1 => assert!(depths.is_sorted(), "{depths:?}"),
            // What the first of a host leads to elsewhere comes at once; at home the host rests first.
            _ => assert_eq!(depths[..5], [0, 1, 2, 1, 2], "{depths:?}"),
        }
    }
}
