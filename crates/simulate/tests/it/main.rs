//! Orders against each other on generated Webs. Every figure is printed with its seed.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod warc;

use std::time::Duration;

use model::CrawlSettings;
use simulate::{Expand, Plan, PowerLaw, SimWeb, best_possible, harvest, hourly, mass, ranks, run};

fn plan(order: &str, rate: &str, pages: u64) -> Plan {
    let settings = CrawlSettings {
        order: order.parse().unwrap(),
        rate: Some(rate.parse().unwrap()),
        max_pages: pages,
        max_depth: 0,
        ..CrawlSettings::default()
    };
    Plan {
        seeds: vec![0],
        settings,
        by_rules: false,
        workers: 1,
        latency: Duration::from_millis(10),
        queue: 0,
        expand: Expand::All,
        time: None,
        replay: false,
    }
}

/// What each order gathers in a tenth and a quarter of the pages, by so many connections.
fn check_mass(shape: PowerLaw, workers: usize) {
    let web = shape.web();
    let (all, tenth, quarter) = (web.pages() as usize, web.pages() as usize / 10, web.pages() as usize / 4);
    let ranks = ranks(&web).unwrap();
    let best = best_possible(&web, &[0], &ranks, quarter);
    let of = |order: &str| {
        let plan = Plan { workers, ..plan(order, "unlimited", quarter as u64) };
        let found = run(&web, &plan).unwrap().order();
        assert_eq!(found.len(), quarter, "{order}");
        (mass(&found, &ranks, tenth), mass(&found, &ranks, quarter))
    };
    let (best_tenth, best_quarter) = (mass(&best, &ranks, tenth), mass(&best, &ranks, quarter));
    let (tenth, quarter) = of("pagerank");
    let (plain_tenth, plain_quarter) = of("breadth-first");
    println!(
        "{shape:?}, {all} pages, {workers} at once: pagerank {:.3} and {:.3} of the best, {:.2}× and {:.2}× \
         breadth-first",
        tenth / best_tenth,
        quarter / best_quarter,
        tenth / plain_tenth,
        quarter / plain_quarter,
    );
    assert!(tenth >= 0.90 * best_tenth && quarter >= 0.95 * best_quarter);
    assert!(tenth >= 1.2 * plain_tenth && quarter >= 1.1 * plain_quarter);
}

/// Webs to try: one, or as many as `cargo xtask soak orders` says.
fn webs() -> std::ops::RangeInclusive<u64> {
    1..=std::env::var("GANNET_SOAK").ok().and_then(|count| count.parse().ok()).unwrap_or(1)
}

#[test]
fn pagerank_order_is_near_the_best_possible() {
    webs().for_each(|seed| check_mass(PowerLaw { seed, ..PowerLaw::default() }, 1));
}

/// The best URL may be on any host, and several hosts are asked at once, each for as much as it has.
#[test]
fn pagerank_order_finds_what_is_important_among_many_hosts() {
    let pages = if *webs().end() > 1 { 60_000 } else { 30_000 };
    webs().for_each(|seed| check_mass(PowerLaw { seed, pages, hosts: 200, ..PowerLaw::default() }, 16));
}

/// A tenth of the pages is on topic: what the topic order harvests beside breadth-first.
fn check_harvest(seed: u64, pages: u32) {
    let shape = PowerLaw { seed, pages, topic: 0.1, ..PowerLaw::default() };
    let web = shape.web();
    let (tenth, quarter, half) = (pages as usize / 10, pages as usize / 4, pages as usize / 2);
    let of = |order: &str| {
        let found = run(&web, &plan(order, "unlimited", half as u64)).unwrap().order();
        assert_eq!(found.len(), half, "{order}");
        [tenth, quarter, half].map(|count| harvest(&web, &found, count) as f64)
    };
    let (topic, plain) = (of("topic"), of("breadth-first"));
    let reachable = web.reachable(&[0]);
    let all = (0..pages).filter(|page| reachable[*page as usize] && web.is_on_topic(*page)).count() as f64;
    println!(
        "{shape:?}: topic {:.2}× and {:.2}× breadth-first, {:.3} of all {all} pages on topic in half of the pages",
        topic[0] / plain[0],
        topic[1] / plain[1],
        topic[2] / all
    );
    assert!(topic[0] >= 2.0 * plain[0] && topic[1] >= 1.7 * plain[1] && topic[2] >= 0.9 * all);
}

#[test]
fn topic_order_harvests_twice_as_much() {
    let pages = if *webs().end() > 1 { 60_000 } else { 20_000 };
    webs().for_each(|seed| check_harvest(seed, pages));
}

/// No page on topic leads to another, and no link tells.
#[test]
fn topic_order_never_stalls_while_pages_on_topic_can_be_reached() {
    for order in ["topic", "relevance"] {
        let web = PowerLaw {
            seed: 5,
            pages: 3_000,
            topic: 0.02,
            together: 0.0,
            telling: 0.0,
            ..PowerLaw::default()
        }
        .web();
        let found = run(&web, &plan(order, "unlimited", 0)).unwrap().order();
        assert_eq!(
            harvest(&web, &found, usize::MAX),
            harvest(&web, &(0..3_000).collect::<Vec<_>>(), usize::MAX)
        );
    }
}

#[test]
fn the_same_simulation_gives_the_same_run() {
    let web = PowerLaw { seed: 7, pages: 2_000, hosts: 20, topic: 0.1, ..PowerLaw::default() }.web();
    for order in ["breadth-first", "pagerank", "pvalue", "random", "topic"] {
        let plan = Plan { workers: 8, ..plan(order, "1/s", 500) };
        let first = run(&web, &plan).unwrap();
        assert_eq!(first.fetched.len(), 500, "{order}");
        assert_eq!(first, run(&web, &plan).unwrap(), "{order}");
        assert!(first.fetched.iter().map(|done| done.worker).max() > Some(2), "{order}");
    }
}

#[test]
fn every_order_fetches_every_page_in_the_end() {
    let web = PowerLaw { seed: 3, pages: 600, hosts: 5, ..PowerLaw::default() }.web();
    for policy in model::Policy::ALL {
        let mut order = run(&web, &plan(policy.name(), "unlimited", 0)).unwrap().order();
        order.sort_unstable();
        assert_eq!(order, (0..600).collect::<Vec<_>>(), "{policy}");
    }
}

/// Politely, hour by hour.
fn check_hours(seed: u64, pages: u32) {
    let shape = PowerLaw { seed, pages, ..PowerLaw::default() };
    let web = shape.web();
    let ranks = ranks(&web).unwrap();
    let run = run(&web, &Plan { workers: 4, ..plan("pagerank", "30/m", 0) }).unwrap();
    let hours = hourly(&run, &ranks);
    let means: Vec<String> = hours.iter().map(|(_, mean)| format!("{mean:.2}")).collect();
    println!("{shape:?}: mean rank by hour {}", means.join(" "));
    let thirds: Vec<f64> = hours
        .chunks(hours.len().div_ceil(3))
        .map(|part| part.iter().map(|(_, mean)| mean).sum::<f64>() / part.len() as f64)
        .collect();
    assert!(hours.len() >= 3 && thirds.is_sorted_by(|a, b| a > b), "{thirds:?}");
}

#[test]
fn pagerank_order_lets_the_mean_rank_of_an_hour_fall() {
    let pages = if *webs().end() > 1 { 60_000 } else { 12_000 };
    webs().for_each(|seed| check_hours(seed, pages));
}

#[test]
fn a_web_of_one_page_is_crawled_and_an_empty_one_refused() {
    let one = SimWeb::new(&[vec![0]], vec![0]);
    assert_eq!(run(&one, &plan("pagerank", "unlimited", 0)).unwrap().order(), [0]);
    assert!(run(&SimWeb::new(&[], vec![]), &plan("pagerank", "unlimited", 0)).is_err());
}
