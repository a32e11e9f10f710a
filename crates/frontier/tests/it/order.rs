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

/// s ┬ a ┬ d       `d` is linked by two pages, `e` by one.
///   ├ b ┘ └ e
///   └ c
const DIAMOND: &[(&str, &str)] = &[("s", "a b c"), ("a", "d e"), ("b", "d"), ("c", ""), ("d", ""), ("e", "")];

#[test]
fn backlink_takes_what_most_pages_link_to() {
    check("backlink", None, DIAMOND, "s a b d c e");
    check("backlink", Some("unlimited"), DIAMOND, "s a b d c e");
    check("breadth-first", None, DIAMOND, "s a b c d e");
}

#[test]
fn pagerank_takes_what_important_pages_link_to() {
    // What a page hands on lets its targets rank above their elders.
    check("pagerank", None, DIAMOND, "s a d e b c");
    // A page that many link to comes before those that one page links to.
    let pages: &[(&str, &str)] = &[
        ("s", "a b c x y"),
        ("a", "hub"),
        ("b", "p q r hub"),
        ("c", "hub"),
        ("x", ""),
        ("y", ""),
        ("p", ""),
        ("q", ""),
        ("r", ""),
        ("hub", ""),
    ];
    check("pagerank", Some("unlimited"), pages, "s a hub b p q r c x y");
}

#[test]
fn opic_takes_what_holds_most_cash() {
    check("opic", None, DIAMOND, "s a b d c e");
}

#[test]
fn location_takes_short_urls_first() {
    let pages: &[(&str, &str)] = &[
        ("s", "long/way/down q?a=1&b=2 plain dir/"),
        ("long/way/down", ""),
        ("q?a=1&b=2", ""),
        ("plain", ""),
        ("dir/", ""),
    ];
    check("location", None, pages, "s dir/ plain long/way/down q?a=1&b=2");
}

#[test]
fn forward_link_keeps_to_discovery_on_one_host() {
    check("forward-link", None, TREE, "s a b c d e f");
}

/// Nine equals, cut into three lists after each page, served four, two and one at a time; the start was the first turn.
#[test]
fn pvalue_serves_its_lanes_in_turn_so_that_nothing_starves() {
    let names: Vec<String> = (0..9).map(|n| format!("w{n}")).collect();
    let links = names.join(" ");
    let mut pages = vec![("s", links.as_str())];
    pages.extend(names.iter().map(|name| (name.as_str(), "")));
    check("pvalue", None, &pages, "s w0 w1 w2 w5 w6 w8 w3 w4 w7");
}

#[test]
fn mixed_orders_fetch_by_their_sum() {
    check("0.999 location + 0.001 backlink", None, DIAMOND, "s a b d c e");
    check("0.999 breadth-first + 0.001 backlink", None, DIAMOND, "s a b c d e");
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
