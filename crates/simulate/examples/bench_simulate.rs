//! `cargo xtask bench simulate [-- PAGES FETCHES]`: simulated fetches per second at fifteen links a page.
//!
//! A hundred thousand pages, all of them, unless said; by two orders. Of a larger Web, most links lead to pages that are
//! met for the first time: `-- 1000000 100000`.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark ends where it fails, and measures time"
)]

use std::time::{Duration, Instant};

use model::CrawlSettings;
use simulate::{Expand, Plan, PowerLaw, run};
use testkit::process_kib;

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let argument = |at: usize, unless: u64| {
        std::env::args().nth(at).and_then(|text| text.parse().ok()).unwrap_or(unless)
    };
    let (pages, fetches) = (argument(1, 100_000), argument(2, 100_000));
    // The tree has one link a page.
    let shape = PowerLaw { pages: pages as u32, hosts: 1_000, links: 14.5, ..PowerLaw::default() };
    println!("{shape:?}, {fetches} fetches");
    let begin = Instant::now();
    let web = shape.web();
    println!("measure: web = {:.2} M pages/s", pages as f64 / begin.elapsed().as_secs_f64() / 1e6);
    for order in ["breadth-first", "pagerank"] {
        let settings = CrawlSettings {
            order: order.parse().unwrap(),
            rate: Some("unlimited".parse().unwrap()),
            max_pages: fetches,
            max_depth: 0,
            ..CrawlSettings::default()
        };
        let plan = Plan {
            seeds: vec![0],
            settings,
            by_rules: false,
            workers: 64,
            latency: Duration::from_millis(100),
            queue: 0,
            expand: Expand::All,
            time: None,
            replay: false,
        };
        let begin = Instant::now();
        let done = run(&web, &plan).unwrap();
        let speed = done.fetched.len() as f64 / begin.elapsed().as_secs_f64();
        println!("measure: {order} = {:.1} k fetches/s", speed / 1e3);
    }
    println!("measure: peak of memory = {} MiB", process_kib("VmHWM").unwrap_or_default() / 1_024);
}
