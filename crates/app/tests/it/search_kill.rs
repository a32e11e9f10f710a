//! Killed while it indexes: the index goes on from its last commit, and in the end holds what was crawled, each once.

use testkit::Seed;

use crate::process::{LONGEST, eventually};
use crate::search::Desk;

/// Kills of the crawl that the index follows, and of the making of the whole index.
const KILLS: u64 = 5;

#[test]
fn an_index_agrees_with_what_was_crawled_after_kills_at_any_moment() {
    let mut seed = Seed::from_env();
    let desk = Desk::shop();
    desk.crawl(&["--max-pages", "2"]);
    desk.ask(&["index", "create", "shop"]);
    for kill in 0..KILLS {
        let before = desk.site.now();
        let mut run = desk.start(&desk.crawl_args(&["--rate", "100/s"]));
        let requests = 5 + seed.below(40);
        desk.site.wait_for(requests, before, || run.is_alive());
        if !run.is_alive() {
            break;
        }
        run.kill();
        println!("crawl killed {kill}: after {requests} requests");
        // Not always: a search brings the index up to date.
        if seed.chance(1, 3) {
            desk.documents("shop");
        }
    }
    desk.crawl(&[]);
    check(&desk);

    let segments = desk.path("data/index/shop/documents/segments");
    for kill in 0..KILLS {
        let mut run = desk.start(&desk.args(&["index", "rebuild", "shop"]));
        let files = seed.below(12);
        eventually("the index is being made", LONGEST, || {
            let made = std::fs::read_dir(&segments).map_or(0, Iterator::count);
            (made >= files || !run.is_alive()).then_some(())
        });
        run.kill();
        println!("rebuild killed {kill}: at {files} files");
    }
    check(&desk);
}

/// The index is up to date, has every row, and is what an index made from nothing would be.
fn check(desk: &Desk) {
    let found = desk.documents("shop");
    let status = desk.json(&["index", "status", "shop"]).remove(0);
    assert_eq!(status["behind"], 0, "{status}");
    assert_eq!(status["documents"], found.len(), "{status}");
    let rows = desk.json(&["rows"]).len();
    assert_eq!(found.iter().filter(|id| id.starts_with("row ")).count(), rows);
    desk.ask(&["index", "create", "anew"]);
    assert_eq!(found, desk.documents("anew"));
    desk.ask(&["index", "drop", "anew"]);
}
