//! Orders against each other on generated Webs. Every figure is printed with its seed.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::time::Duration;

use model::CrawlSettings;
use simulate::{Plan, PowerLaw, SimWeb, best_possible, hourly, mass, ranks, run};

fn plan(order: &str, rate: &str, pages: u64) -> Plan {
    let mut settings = CrawlSettings::default();
    settings.order = order.parse().unwrap();
    settings.rate = Some(rate.parse().unwrap());
    settings.max_pages = pages;
    settings.max_depth = 0;
    Plan { seeds: vec![0], settings, workers: 1, latency: Duration::from_millis(10) }
}

/// 60,000 pages: what each order gathers in a tenth and a quarter of them.
fn check_mass(seed: u64) {
    let shape = PowerLaw { seed, ..PowerLaw::default() };
    let web = shape.web();
    let (all, tenth, quarter) = (web.pages() as usize, web.pages() as usize / 10, web.pages() as usize / 4);
    let ranks = ranks(&web).unwrap();
    let best = best_possible(&web, &[0], &ranks, quarter);
    let of = |order: &str| {
        let found = run(&web, &plan(order, "unlimited", quarter as u64)).unwrap().order();
        assert_eq!(found.len(), quarter, "{order}");
        (mass(&found, &ranks, tenth), mass(&found, &ranks, quarter))
    };
    let (best_tenth, best_quarter) = (mass(&best, &ranks, tenth), mass(&best, &ranks, quarter));
    let (tenth, quarter) = of("pagerank");
    let (plain_tenth, plain_quarter) = of("breadth-first");
    println!(
        "{shape:?}, {all} pages: pagerank {:.3} and {:.3} of the best, {:.2}× and {:.2}× breadth-first",
        tenth / best_tenth,
        quarter / best_quarter,
        tenth / plain_tenth,
        quarter / plain_quarter,
    );
    assert!(tenth >= 0.90 * best_tenth && quarter >= 0.95 * best_quarter);
    assert!(tenth >= 1.2 * plain_tenth && quarter >= 1.1 * plain_quarter);
}

#[test]
fn pagerank_order_is_near_the_best_possible_with_seed_1() {
    check_mass(1);
}

#[test]
fn pagerank_order_is_near_the_best_possible_with_seed_2() {
    check_mass(2);
}

#[test]
fn pagerank_order_is_near_the_best_possible_with_seed_3() {
    check_mass(3);
}

#[test]
fn pagerank_order_is_near_the_best_possible_with_seed_4() {
    check_mass(4);
}

#[test]
fn pagerank_order_is_near_the_best_possible_with_seed_5() {
    check_mass(5);
}

#[test]
fn the_same_simulation_gives_the_same_run() {
    let web = PowerLaw { seed: 7, pages: 2_000, hosts: 20, ..PowerLaw::default() }.web();
    for order in ["breadth-first", "pagerank", "pvalue", "random"] {
        let plan = Plan { workers: 8, ..plan(order, "1/s", 500) };
        let first = run(&web, &plan).unwrap();
        assert_eq!(first.fetched.len(), 500, "{order}");
        assert_eq!(first, run(&web, &plan).unwrap(), "{order}");
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

#[test]
fn the_mean_rank_of_an_hour_falls_as_the_crawl_proceeds() {
    let web = PowerLaw { seed: 2, pages: 12_000, hosts: 1, ..PowerLaw::default() }.web();
    let ranks = ranks(&web).unwrap();
    let run = run(&web, &Plan { workers: 4, ..plan("pagerank", "30/m", 0) }).unwrap();
    let hours = hourly(&run, &ranks);
    println!("{hours:?}");
    let thirds: Vec<f64> = hours
        .chunks(hours.len().div_ceil(3))
        .map(|part| part.iter().map(|(_, mean)| mean).sum::<f64>() / part.len() as f64)
        .collect();
    assert!(hours.len() >= 3 && thirds.is_sorted_by(|a, b| a > b), "{thirds:?}");
}

#[test]
fn a_web_of_one_page_is_crawled_and_an_empty_one_refused() {
    let one = SimWeb::new(&[vec![0]], vec![0]);
    assert_eq!(run(&one, &plan("pagerank", "unlimited", 0)).unwrap().order(), [0]);
    assert!(run(&SimWeb::new(&[], vec![]), &plan("pagerank", "unlimited", 0)).is_err());
}
