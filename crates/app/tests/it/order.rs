//! The order decides what comes first, never what is found: depth is the shortest path, whichever was taken.

use std::sync::Arc;

use tempfile::TempDir;
use webs::demo::Demo;

use crate::gannet::gannet;
use crate::kept::{Kept, assert_same};
use crate::process::Running;
use crate::served::{Served, missing, small};

fn crawl(site: &Served, folder: &TempDir, order: &str) -> Kept {
    let data = folder.path().join(order);
    let (data_flag, order) = (format!("--data={}", data.display()), format!("--order={order}"));
    let start = site.start_url();
    let args = ["crawl", &start, &data_flag, &order, "-q", "--allow-private", "--rate=unlimited"];
    Running::start(&[&args[..], &["--retry-wait=20ms", "--exclude=/calendar/*"]].concat()).finish();
    Kept::read(&data)
}

#[test]
fn every_order_finds_what_breadth_first_finds() {
    let site = Served::start(Arc::new(Demo::new(1, 1)));
    let folder = tempfile::tempdir().unwrap();
    let plain = crawl(&site, &folder, "breadth-first");
    for order in ["depth-first", "pagerank", "pvalue"] {
        assert_same(&plain, &crawl(&site, &folder, order));
    }
}

#[test]
fn the_shortest_way_counts_also_of_links_that_are_not_followed() {
    let site = Served::start(small(&[], |request| {
        let page = |links: &str| webs::Answer::new(200, "text/html", links.to_owned());
        match request.path.as_str() {
            // Depth-first goes down by /a and meets everything there first.
            "/" => page("<a href=/a>a</a> <a href=/z>z</a>"),
            "/a" => page("<a href=/b>b</a>"),
            "/b" => page("<a href=/c>c</a> <a rel=nofollow href=/n>n</a>"),
            "/c" => page("<a href=/d>d</a>"),
            "/d" => page("<a rel=nofollow href=/m>m</a>"),
            "/z" => page("<a href=/d>d</a> <a rel=nofollow href=/n>n</a>"),
            _ => missing(),
        }
    }));
    let folder = tempfile::tempdir().unwrap();
    for order in ["breadth-first", "depth-first"] {
        let kept = crawl(&site, &folder, order);
        let depth = |path: &str| kept.urls[&format!("{}{path}", site.start_url())].depth;
        let found = ["a", "b", "c", "d", "n", "m", "z"].map(depth);
        assert_eq!(found, [1, 2, 3, 2, 2, 3, 1], "{order}");
    }
}

/// A start page that leads to boats and to rain.
fn boats_and_rain() -> Served {
    Served::start(small(&[], |request| match request.path.as_str() {
        "/" => {
            let links = (0..40).map(|n| {
                let kind = ["boat", "rain"][n % 2];
                format!("<p><a href=/{kind}{n}>{kind}</a></p>")
            });
            webs::Answer::new(200, "text/html", links.collect::<String>())
        }
        "/robots.txt" => missing(),
        path => {
            let kind = &path[1..5];
            let text = format!("<title>{kind}</title><p>A {kind} with the name {path}</p>");
            webs::Answer::new(200, "text/html", text)
        }
    }))
}

#[test]
fn a_topic_is_given_to_a_crawl_at_work() {
    let site = boats_and_rain();
    let folder = tempfile::tempdir().unwrap();
    let data = format!("--data={}", folder.path().display());
    let start = site.start_url();
    let crawl = ["crawl", &start, &data, "-q", "--allow-private", "--rate=8/s", "--order=topic"];
    let mut run = Running::start(&[&crawl[..], &["--topic=boat", "--max-pages=22"]].concat());
    site.wait_for(7, 0, || run.is_alive());
    let told = gannet(&["runs", &data]);
    assert!(
        told.out.contains("\nrun 1: at 8/s per host, ") && told.out.contains(" % of link mass after "),
        "{}",
        told.out
    );
    assert!(
        told.out.contains("\nBasis: The ") && told.out.contains(" that wait are counted"),
        "{}",
        told.out
    );
    let refused = gannet(&["order", &data]);
    assert!(refused.code == Some(2) && refused.err.contains("<ORDER>"), "{}", refused.err);
    let given = gannet(&["order", "--topic", "rain", "--topic", "wet weather", &data]);
    assert_eq!(
        given.out,
        "the topic rain, wet weather from now on; what waits moves to its place little by little\n",
        "{}",
        given.err
    );
    run.finish();
    let asked: Vec<String> = site.log().into_iter().map(|entry| entry.target).collect();
    let pages: Vec<&str> = asked.iter().map(String::as_str).filter(|path| path.len() > 4).collect();
    let pages: Vec<&str> = pages.into_iter().filter(|path| *path != "/robots.txt").collect();
    assert!(pages[..5].iter().all(|path| path.starts_with("/boat")), "{asked:?}");
    let first_rain = pages.iter().position(|path| path.starts_with("/rain")).unwrap();
    assert!(
        first_rain <= 12 && pages[first_rain..].iter().all(|path| path.starts_with("/rain")),
        "{asked:?}"
    );
    let log = gannet(&["log", &data]);
    assert!(log.out.contains("topic from now on: rain, wet weather"), "{}{}", log.out, log.err);
    // As it was judged when it was fetched.
    let boat = format!("{}{}", start.trim_end_matches('/'), pages[0]);
    let why = gannet(&["why", &boat, &data]);
    assert!(why.out.contains("on topic, relevance "), "{}{}", why.out, why.err);
}
