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

/// `x` and `y` have the same rank: a quarter of what `p` hands on, and two eighths, of `q` and of `t`. Two pages link to `y`,
/// which was found after `x`.
#[test]
fn pagerank_breaks_ties_by_links_to_a_page() {
    let names = |letter: char, count: usize| (0..count).map(|n| format!("{letter}{n}")).collect::<Vec<_>>();
    let (f, g, h) = (names('f', 3), names('g', 7), names('h', 7));
    let (p, q, t) =
        (format!("x {}", f.join(" ")), format!("y {}", g.join(" ")), format!("y {}", h.join(" ")));
    let mut pages = vec![("s", "p q t"), ("p", p.as_str()), ("q", q.as_str()), ("t", t.as_str())];
    pages.extend([("x", ""), ("y", "")]);
    pages.extend(f.iter().chain(&g).chain(&h).map(|name| (name.as_str(), "")));
    let rest = format!("{} {} {}", f.join(" "), g.join(" "), h.join(" "));
    check("pagerank", None, &pages, &format!("s p q t y x {rest}"));
    check("pagerank", Some("unlimited"), &pages, &format!("s p q t y x {rest}"));
}

#[test]
fn opic_takes_what_holds_most_cash() {
    check("opic", None, DIAMOND, "s a b d c e");
    // All that `b` has goes to `g`; what `a` has is shared by four.
    let pages: &[(&str, &str)] =
        &[("s", "a b"), ("a", "c d e f"), ("b", "g"), ("c", ""), ("d", ""), ("e", ""), ("f", ""), ("g", "")];
    check("opic", None, pages, "s a b g c d e f");
    check("backlink", None, pages, "s a b c d e f g");
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

/// Hosts whose first pages have so many links, each with a second page that is named when all hosts have rested → the
/// order in which the second pages are leased.
fn second_pages(order: &str, hosts: &[(&str, usize)]) -> String {
    let mut web = FakeWeb::default();
    let first = |host: &str| url(&format!("{host}.web"), "1");
    let second = |host: &str| url(&format!("{host}.web"), "2");
    let far = |count: usize| (0..count).map(|number| url("far.web", &number.to_string())).collect::<Vec<_>>();
    let way: Vec<PageUrl> = (0..4).map(|number| url("way.web", &number.to_string())).collect();
    let firsts = hosts.iter().map(|(host, _)| first(host));
    web.page(&way[0], &firsts.chain([way[1].clone()]).collect::<Vec<_>>());
    web.page(&way[1], &way[2..3]);
    web.page(&way[2], &way[3..]);
    web.page(&way[3], &hosts.iter().map(|(host, _)| second(host)).collect::<Vec<_>>());
    for (host, count) in hosts {
        web.page(&first(host), &far(*count));
        web.page(&second(host), &[]);
    }
    let most = hosts.iter().map(|(_, count)| *count).max().unwrap();
    far(most).iter().for_each(|page| web.page(page, &[]));
    let edit = |settings: &mut CrawlSettings| {
        settings.order = order.parse().unwrap();
        settings.rate = Some("1/s".parse().unwrap());
    };
    let leased = Driver::new(web, project(&way[..1], edit), 1).run_plainly();
    assert_eq!(leased.len(), way.len() + 2 * hosts.len() + most);
    let host = |url: &String| Some(url.strip_prefix("http://")?.strip_suffix(".web/2")?.to_owned());
    leased.iter().filter_map(host).filter(|host| host != "far" && host != "way").collect::<Vec<_>>().join(" ")
}

/// The links on paper S1's pages A to E.
const ON_S1S_PAGES: &[(&str, usize)] = &[("a", 13), ("b", 22), ("c", 17), ("d", 10), ("e", 5)];

#[test]
fn forward_link_takes_hosts_with_many_links_on_their_pages() {
    assert_eq!(second_pages("breadth-first", ON_S1S_PAGES), "a b c d e");
    assert_eq!(second_pages("forward-link", ON_S1S_PAGES), "b c a d e");
}

/// In a young crawl links to a page weigh next to nothing against those on it.
#[test]
fn pvalue_takes_s1s_hosts_by_the_links_on_their_pages() {
    assert_eq!(second_pages("pvalue", ON_S1S_PAGES), "b c a d e");
}

/// Paper S1's pages A to E, each on a host of its own as the second page: so many links on its first page tell of those on
/// it, and so many pages link to it → the order in which they are leased.
fn s1s_pages(order: &str, aging: Option<u64>) -> String {
    let mut web = FakeWeb::default();
    let table = [("a", 13, 8), ("b", 22, 10), ("c", 17, 9), ("d", 10, 11), ("e", 5, 3)];
    let page = |host: &str, name: &str| url(&format!("{host}.web"), name);
    let linking: Vec<PageUrl> = (0..11).map(|number| page(&format!("l{number}"), "")).collect();
    let far: Vec<PageUrl> = (0..22).map(|number| page("far", &number.to_string())).collect();
    let start = page("start", "");
    let firsts: Vec<PageUrl> = table.iter().map(|(host, _, _)| page(host, "1")).collect();
    web.page(&start, &[&firsts[..], &linking].concat());
    for (number, source) in linking.iter().enumerate() {
        let linked = table.iter().filter(|(_, _, backward)| number < *backward);
        web.page(source, &linked.map(|(host, _, _)| page(host, "2")).collect::<Vec<_>>());
    }
    for (host, forward, _) in table {
        web.page(&page(host, "1"), &far[..forward]);
        web.page(&page(host, "2"), &[]);
    }
    far.iter().for_each(|page| web.page(page, &[]));
    let edit = |settings: &mut CrawlSettings| {
        // Level by level at first, gathering what links say: then all is known of the second pages, and the hosts have rested.
        settings.order = "0.999 breadth-first + 0.001 backlink".parse().unwrap();
        settings.rate = Some("10/s".parse().unwrap());
        settings.order_aging = aging.unwrap_or(settings.order_aging);
    };
    let mut driver = Driver::new(web, project(&[start], edit), 1);
    let leased = driver.run_plainly_changing(1 + 5 + 11, order.parse().unwrap());
    assert_eq!(leased.len(), 1 + 11 + 22 + 10);
    let second = |url: &String| Some(url.strip_prefix("http://")?.strip_suffix(".web/2")?.to_owned());
    leased.iter().filter_map(second).filter(|host| host != "far").collect::<Vec<_>>().join(" ")
}

/// S1's table at aging factors of 1, and in a young crawl, where links to a page weigh next to nothing.
#[test]
fn pvalue_fetches_s1s_table_in_its_order() {
    assert_eq!(s1s_pages("breadth-first", None), "a b c d e");
    assert_eq!(s1s_pages("pvalue", Some(0)), "b c a e d");
    assert_eq!(s1s_pages("pvalue", None), "b c a d e");
}

/// Of two pages of one host that are equal otherwise, the one with fewer links to it comes first.
#[test]
fn pvalue_takes_what_fewer_pages_link_to_on_one_host() {
    let pages: &[(&str, &str)] = &[("s", "a x y"), ("a", "x"), ("x", ""), ("y", "")];
    check("pvalue", None, pages, "s a y x");
    check("backlink", None, pages, "s a x y");
}

/// Pages that the start leads to, in their order by `random` with this seed.
fn by_chance(host: &str, seed: u64) -> Vec<String> {
    let names: Vec<PageUrl> = (0..40).map(|n| url(host, &format!("w{n}"))).collect();
    let mut web = FakeWeb::default();
    web.page(&url(host, ""), &names);
    names.iter().for_each(|name| web.page(name, &[]));
    let edit = |settings: &mut CrawlSettings| {
        (settings.order, settings.order_seed) = ("random".parse().unwrap(), seed);
    };
    let leased = Driver::new(web, project(&[url(host, "")], edit), 1).run_plainly();
    leased[1..].iter().map(|url| url.rsplit_once('/').unwrap().1.to_owned()).collect()
}

/// Chance is in the URLs and the seed, so that a crawl and its simulation have the same order.
#[test]
fn random_takes_each_page_once_in_an_order_of_the_urls_and_the_seed_alone() {
    let (one, again, other) = (by_chance("a.web", 0), by_chance("a.web", 0), by_chance("b.web", 0));
    let (seeded, seeded_again) = (by_chance("a.web", 7), by_chance("a.web", 7));
    assert_eq!((&one, &seeded), (&again, &seeded_again));
    assert_ne!(one, other);
    assert_ne!(one, seeded);
    let found: Vec<String> = (0..40).map(|n| format!("w{n}")).collect();
    for order in [one, other, seeded] {
        let place = |name: &String| found.iter().position(|other| other == name).unwrap();
        let places: Vec<usize> = order.iter().map(place).collect();
        // Of 39 steps about half go up.
        let ups = places.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!((10..=29).contains(&ups), "{places:?}");
        let mut sorted = places;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..40).collect::<Vec<_>>());
    }
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

/// The heaviest part shares the turns as it would alone; a light one does not.
#[test]
fn a_mixed_order_has_the_lanes_of_its_heaviest_part() {
    let names: Vec<String> = (0..9).map(|n| format!("w{n}")).collect();
    let links = names.join(" ");
    let mut pages = vec![("s", links.as_str())];
    pages.extend(names.iter().map(|name| (name.as_str(), "")));
    let (in_lanes, in_a_row) = ("s w0 w1 w2 w5 w6 w8 w3 w4 w7", "s w0 w1 w2 w3 w4 w5 w6 w7 w8");
    check("0.7 pvalue + 0.3 backlink", None, &pages, in_lanes);
    check("0.3 backlink + 0.7 pvalue", None, &pages, in_lanes);
    check("0.5 pvalue + 0.5 backlink", None, &pages, in_lanes);
    check("0.5 backlink + 0.5 pvalue", None, &pages, in_a_row);
    check("0.3 pvalue + 0.7 backlink", None, &pages, in_a_row);
}

#[test]
fn mixed_orders_fetch_by_their_sum() {
    check("0.999 location + 0.001 backlink", None, DIAMOND, "s a b d c e");
    check("0.999 breadth-first + 0.001 backlink", None, DIAMOND, "s a b c d e");
}

/// The same with a topic: `page: relevance, links`, each link with what it promises; relevance from 0.5 is on topic.
fn check_topic(order: &str, distance: Option<u32>, pages: &[(&str, f32, &str)], expected: &str) -> Driver {
    let mut web = FakeWeb::default();
    let page = |name: &str| url("a.web", name);
    for (name, relevance, links) in pages {
        let links: Vec<(&str, f32)> = links
            .split_whitespace()
            .map(|link| {
                link.split_once(':').map_or((link, 0.0), |(to, promise)| (to, promise.parse().unwrap()))
            })
            .collect();
        web.page(&page(name), &links.iter().map(|(to, _)| page(to)).collect::<Vec<_>>());
        let promises = links.iter().map(|(_, promise)| *promise).collect();
        let (value, on_topic) = (*relevance, *relevance >= 0.5);
        let topic = frontier::PageTopic { tag: 0, value, relevance: value, on_topic, promises };
        web.topics.insert(page(name), topic);
    }
    let edit = |settings: &mut CrawlSettings| {
        settings.order = order.parse().unwrap();
        settings.off_topic_distance = distance;
    };
    let mut driver = Driver::new(web, project(&[page(pages[0].0)], edit), 1);
    let leased = driver.run_plainly();
    let names: Vec<&str> = leased.iter().map(|url| url.trim_start_matches("http://a.web/")).collect();
    assert_eq!(names.join(" "), expected, "{order} {distance:?}");
    driver
}

/// s ┬ a ─ c ─ f    `b` and `d` are on topic, `e` is named by a promising link.
///   └ b ┬ d ─ g
///       └ e
const TOPIC: &[(&str, f32, &str)] = &[
    ("s", 0.6, "a b"),
    ("a", 0.1, "c"),
    ("b", 0.9, "d e:0.8"),
    ("c", 0.2, "f"),
    ("d", 0.8, "g"),
    ("e", 0.3, ""),
    ("f", 0.0, ""),
    ("g", 0.1, ""),
];

#[test]
fn relevance_takes_what_relevant_pages_link_to() {
    // s 0.6 → a b; a 0.1 → c; b 0.9 → d e; d 0.8 → g.
    check_topic("relevance", None, TOPIC, "s a b d e g c f");
}

#[test]
fn topic_takes_what_links_promise_and_relevant_pages_lead_to() {
    // a b: ¼·0.6 = 0.15; c: ½·(½·½·0.6) = 0.075; d: ¼·0.9 = 0.225; e: 0.225 + ½·0.8; g: ¼·0.8 = 0.2; f below c.
    check_topic("topic", None, TOPIC, "s a b e d g c f");
    check_topic("0.9 topic + 0.1 breadth-first", None, TOPIC, "s a b e d g c f");
}

#[test]
fn links_of_pages_off_topic_are_followed_to_the_set_distance() {
    check_topic("breadth-first", None, TOPIC, "s a b c d e f g");
    check_topic("breadth-first", Some(2), TOPIC, "s a b c d e f g");
    // `f` lies behind `a` and `c`.
    check_topic("breadth-first", Some(1), TOPIC, "s a b c d e g");
    let driver = check_topic("breadth-first", Some(0), TOPIC, "s a b d e g");
    assert_eq!(driver.known()["http://a.web/c"].0, "excluded by off_topic_distance");
    // A page on topic leads there after all.
    let found: &[(&str, f32, &str)] =
        &[("s", 0.6, "a b"), ("a", 0.1, "x"), ("b", 0.9, "x"), ("x", 0.1, "y"), ("y", 0.9, "")];
    check_topic("breadth-first", Some(0), found, "s a b x");
    check_topic("breadth-first", Some(1), found, "s a b x y");
}

#[test]
fn timed_breadth_first_begins_no_page_that_would_end_too_late() {
    let names: Vec<String> = (0..40).map(|n| format!("w{n}")).collect();
    let page = |name: &str| url("a.web", name);
    let mut web = FakeWeb::default();
    web.page(&page("s"), &names.iter().map(|name| page(name)).collect::<Vec<_>>());
    names.iter().for_each(|name| web.page(&page(name), &[]));
    let mut host = FakeHost::at(1);
    host.took = std::time::Duration::from_millis(700);
    web.hosts.insert(page("s").host(), host);
    let edit = |settings: &mut CrawlSettings| {
        settings.order = "timed-breadth-first".parse().unwrap();
        settings.rate = Some("1/s".parse().unwrap());
    };
    let mut driver = Driver::new(web, project(&[page("s")], edit), 1);
    // Requests begin every second and take 0.7 s: the one at 10 s would end in time, the one at 11 s would not.
    driver.deadline(std::time::Duration::from_millis(11_500));
    let leased = driver.run_plainly();
    let first: Vec<String> =
        ["s"].into_iter().map(str::to_owned).chain(names[..10].iter().cloned()).collect();
    assert_eq!(leased, first.iter().map(|name| page(name).to_string()).collect::<Vec<_>>());
}

#[test]
fn timed_breadth_first_goes_level_by_level_while_there_is_time() {
    check("timed-breadth-first", None, TREE, "s a b c d e f");
    check("timed-breadth-first", Some("unlimited"), DIAMOND, "s a b c d e");
}

#[test]
fn another_order_in_the_middle_of_a_crawl_moves_all_that_waits() {
    let names: Vec<String> = (0..30).map(|n| format!("w{n}")).collect();
    let page = |name: &str| url("a.web", name);
    let mut web = FakeWeb::default();
    web.page(&page("s"), &names.iter().map(|name| page(name)).collect::<Vec<_>>());
    for name in &names {
        web.page(&page(name), &[page(&format!("deep/{name}"))]);
        web.page(&page(&format!("deep/{name}")), &[]);
    }
    let edit = |settings: &mut CrawlSettings| settings.order = "breadth-first".parse().unwrap();
    let mut driver = Driver::new(web, project(&[page("s")], edit), 1);
    let leased = driver.run_plainly_changing(6, "depth-first".parse().unwrap());
    let names: Vec<&str> = leased.iter().map(|url| url.trim_start_matches("http://a.web/")).collect();
    assert_eq!(names[..6], ["s", "w0", "w1", "w2", "w3", "w4"]);
    // What was found so far and lies deepest, then each with what it leads to.
    assert_eq!(names[6..11], ["deep/w0", "deep/w1", "deep/w2", "deep/w3", "deep/w4"]);
    assert_eq!(names[11..15], ["w5", "deep/w5", "w6", "deep/w6"]);
    assert_eq!(names.len(), 61);
}

/// Five pages link to the same ten thousand: each time all of them are worth more.
#[test]
fn no_commit_moves_more_than_4096_urls() {
    let many: Vec<PageUrl> = (0..10_000).map(|number| url("many.web", &number.to_string())).collect();
    let start = url("start.web", "");
    let linking: Vec<PageUrl> = (0..5).map(|number| url(&format!("l{number}.web"), "")).collect();
    for order in ["backlink", "pagerank", "opic", "pvalue", "0.5 backlink + 0.5 topic"] {
        let mut web = FakeWeb::default();
        web.page(&start, &linking);
        linking.iter().for_each(|page| web.page(page, &many));
        many.iter().for_each(|page| web.page(page, &[]));
        let edit = |settings: &mut CrawlSettings| {
            settings.order = order.parse().unwrap();
            settings.rate = Some("1/h".parse().unwrap());
        };
        let mut driver = Driver::new(web, project(std::slice::from_ref(&start), edit), 1);
        let moved = driver.most_moves(24);
        assert!((1..=4_096).contains(&moved), "{order}: {moved}");
    }
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
