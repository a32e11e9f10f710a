//! The order decides what comes first, never what is found: depth is the shortest path, whichever was taken.

use std::sync::Arc;

use tempfile::TempDir;
use webs::demo::Demo;

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
