//! A crawl simulated by its own order fetches as it did, and its map tells what it met.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use catalog::RunId;
use crawl::{Neighbours, Run, Setup};
use frontier::tables::URLS;
use kv::{Reader, Store};
use model::{CrawlId, CrawlSettings, Order, Outcome, PageUrl, Project, Timestamp, UrlKey};
use service::{WhatIfRequest, forecast, outlook, site_map, what_if};
use simulate::{Expand, Plan, of_crawl};
use webs::Server;
use webs::generated::{Generated, GeneratedWeb};
use webs::serve::ServeOptions;

use crate::site::{NOW, Site};

const CRAWL: CrawlId = CrawlId(1);

/// A crawl of a generated web → what its server was asked for, and what a simulation of the same asks for.
async fn both(shape: Generated, edit: impl Fn(&mut CrawlSettings)) -> (Vec<PageUrl>, Vec<PageUrl>) {
    let dir = tempfile::tempdir().unwrap();
    let web = Arc::new(GeneratedWeb::new(shape.clone()).unwrap());
    let server = Server::start_with(web, &ServeOptions::on_loopbacks(shape.hosts as u8, 0)).await.unwrap();
    let hosts = dir.path().join("hosts");
    std::fs::write(&hosts, server.hosts_file()).unwrap();
    let mut crawl = CrawlSettings {
        allow_private: true,
        crawl_hints: false,
        scope: "any".parse().unwrap(),
        rate: Some("9/s".parse().unwrap()),
        hosts: Some(hosts),
        retry: 0,
        ..CrawlSettings::default()
    };
    edit(&mut crawl);
    let start = vec![PageUrl::parse(&shape.start_url(server.addr().port())).unwrap()];
    let project = Project {
        name: "test".parse().unwrap(),
        start: start.clone(),
        crawl: crawl.clone(),
        fields: None,
        index: None,
    };
    let store = Store::open(&dir.path().join("crawl"), kv::Options::default()).unwrap();
    let setup = Setup {
        store: store.clone(),
        dir: dir.path().to_owned(),
        archive: dir.path().join("archive"),
        crawl: CRAWL,
        project,
        allow: Vec::new(),
        retry_failed: false,
        refresh: false,
        watcher: None,
        paused: false,
        neighbours: Neighbours::default(),
    };
    Run::start(setup).unwrap().wait().await.unwrap();
    let fetched = |url: &PageUrl| {
        let key = UrlKey::of(url);
        let record = store.get(&URLS, &frontier::page_key(CRAWL, key)).unwrap();
        record.is_some_and(|record| record.outcome == Outcome::Fetched)
    };
    let asked = server.log().entries().into_iter();
    let asked =
        asked.filter_map(|entry| PageUrl::parse(&format!("http://{}{}", entry.host, entry.target)).ok());
    let topic = crawl::topic_of(&crawl).unwrap();
    let web = of_crawl(&store, CRAWL, &start, topic.as_ref()).unwrap();
    let plan = Plan {
        seeds: web.seeds().to_vec(),
        workers: crawl.connections as usize,
        by_rules: true,
        latency: Duration::from_millis(5),
        queue: 0,
        expand: Expand::All,
        time: crawl.walltime.limit(),
        settings: crawl,
    };
    let simulated = simulate::run(&web, &plan).unwrap().order();
    let simulated = simulated.into_iter().map(|page| web.url(page).unwrap()).collect();
    (asked.filter(fetched).collect(), simulated)
}

/// No late answers and no failures: what is left depends on the order alone.
fn calm(hosts: u32, pages: u64) -> Generated {
    Generated {
        hosts,
        pages,
        links_per_page: 8,
        across_percent: 0,
        page_bytes: (500, 2_000),
        slow_per_mille: 0,
        failing_per_mille: 0,
        ..Generated::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_of_one_connection_is_simulated_in_its_exact_order() {
    let mixed = "0.5 opic + 0.5 location".parse().unwrap();
    let orders = model::Policy::ALL.into_iter().map(Order::only).chain([mixed]);
    let crawl = |order: Order| {
        tokio::spawn(async move {
            let edit = |crawl: &mut CrawlSettings| {
                (crawl.connections, crawl.order) = (1, order);
                crawl.walltime = "10m".parse().unwrap();
                crawl.topic = ["boat", "harbour", "river", "lake"].map(str::to_owned).to_vec();
            };
            (order, both(calm(1, 30), edit).await)
        })
    };
    let crawls: Vec<_> = orders.map(crawl).collect();
    for crawl in crawls {
        let (order, (asked, simulated)) = crawl.await.unwrap();
        assert!(asked.len() >= 30, "{order}: {} pages", asked.len());
        assert_eq!(asked, simulated, "{order}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_of_many_connections_is_simulated_in_the_order_of_each_host() {
    let by_host = |urls: Vec<PageUrl>| {
        let mut hosts: BTreeMap<String, Vec<PageUrl>> = BTreeMap::new();
        urls.into_iter().for_each(|url| hosts.entry(url.host().as_str().to_owned()).or_default().push(url));
        hosts
    };
    // Of a host's queue alone: not of what pages of other hosts say of it.
    let orders = ["breadth-first", "depth-first", "location", "random", "forward-link"];
    let crawls = orders.map(|order| {
        tokio::spawn(async move {
            let edit = |crawl: &mut CrawlSettings| {
                (crawl.connections, crawl.order) = (64, order.parse().unwrap());
            };
            (order, both(calm(4, 60), edit).await)
        })
    });
    for crawl in crawls {
        let (order, (asked, simulated)) = crawl.await.unwrap();
        assert!(asked.len() >= 60, "{order}: {} pages", asked.len());
        assert_eq!(by_host(asked), by_host(simulated), "{order}");
    }
}

#[test]
fn what_another_order_would_bring_is_told_with_its_basis() {
    let site = Site::crawled();
    let order = Some("depth-first".parse().unwrap());
    let request = WhatIfRequest { order, rate: Some("1/s".parse().unwrap()), ..WhatIfRequest::default() };
    let told = what_if(site.data(), &request).unwrap();
    assert_eq!((told.order.as_str(), told.rate.as_deref(), told.known), ("depth-first", Some("1/s"), 12));
    assert!(told.pages >= 2 && told.seconds >= (told.pages - 1) as f64 && told.mass > 0.0, "{told:?}");
    assert!(told.words.starts_with("depth-first at 1/s per host: "), "{}", told.words);
    assert!(told.basis.starts_with("The 12 URLs that this crawl has met"), "{}", told.basis);
    let topic = WhatIfRequest { order: Some("topic".parse().unwrap()), ..WhatIfRequest::default() };
    let refused = what_if(site.data(), &topic).err().map(|error| error.to_string());
    assert!(refused.is_some_and(|words| words.contains("needs a topic")));
}

#[test]
fn a_run_says_what_its_pages_are_worth_and_how_long_the_crawl_takes() {
    let site = Site::crawled();
    let entry = site.data().project(None).unwrap();
    let begun = site.data().catalog().begin_run(entry.id, &entry.project.crawl, NOW);
    let run = site.runtime.block_on(begun).unwrap();
    let later = Timestamp(NOW.0 + 24 * 3_600_000);
    let told = outlook(site.data(), run, later).unwrap();
    let fetched: u64 = told.quarters.iter().map(|quarter| quarter.fetched).sum();
    assert_eq!(told.hours.iter().map(|hour| hour.pages).sum::<u64>(), fetched);
    assert!(fetched >= 2 && told.hours.iter().all(|hour| hour.hour >= 1 && hour.mean > 0.0), "{told:?}");
    assert!(told.relevance.is_empty() && told.relevance_blocks.is_empty(), "there is no topic");
    let told = forecast(site.data(), run).unwrap();
    let words = told.words.unwrap();
    assert!(words.contains(" % of link mass after ") && words.contains(", "), "{words}");
    assert!(told.basis.starts_with("The 12 URLs met so far, their links"), "{}", told.basis);
    assert!(told.share >= 0.9 && told.share_seconds <= told.seconds && told.pages >= fetched, "{words}");
    assert!(forecast(site.data(), RunId(99)).is_err() && outlook(site.data(), RunId(99), later).is_err());
}

#[test]
fn the_map_counts_every_url_and_names_what_matters_most() {
    let site = Site::crawled();
    let name = "shop".parse().unwrap();
    let map = site_map(site.data(), &name, 100).unwrap();
    let urls: u64 = map.hosts.iter().map(|host| host.pages + host.waiting + host.failed + host.other).sum();
    assert_eq!(urls, 12);
    assert_eq!(map.depths.iter().map(|depth| depth.urls).sum::<u64>(), 12);
    assert_eq!(map.pages.len(), 12);
    assert_eq!(map.pages[0].url, "http://shop.test/gone");
    assert_eq!(map.pages[0].path.first().map(String::as_str), Some("http://shop.test/"));
    assert!(map.pages.is_sorted_by(|a, b| a.rank >= b.rank));
    assert!(map.links.links >= 10 && map.links.broken >= 1, "{:?}", map.links);
    assert!(!map.arcs.is_empty() && map.arcs.iter().all(|(from, to)| from != to && *to < 12));
    assert_eq!(site_map(site.data(), &name, 3).unwrap().pages.len(), 3);
}
