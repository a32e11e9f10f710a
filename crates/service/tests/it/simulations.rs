//! A crawl simulated by its own order fetches as it did, and its map tells what it met.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use archive::tables::{Edge, LINKS, Links, VISITS, VisitRecord};
use catalog::RunId;
use crawl::{Neighbours, Run, Setup};
use frontier::tables::{URLS, UrlRecord};
use kv::{Durability, Reader, Store};
use model::{
    CrawlId, CrawlSettings, LinkKind, LinkLook, Order, Outcome, PageUrl, Project, Rel, Timestamp, UrlKey,
};
use service::{
    Fill, Request, SimulatedRow, WhatIfRequest, fill, forecast, outlook, simulate, site_map, what_if,
};
use simulate::{Expand, Plan, Scenario, of_crawl};
use webs::generated::{Generated, GeneratedWeb};
use webs::serve::ServeOptions;
use webs::{Server, Web};

use crate::site::{self, NOW, Site};

const CRAWL: CrawlId = CrawlId(1);

/// A crawl of a generated web → what its server was asked for, and what a simulation of the same asks for.
async fn both(shape: Generated, edit: impl Fn(&mut CrawlSettings)) -> (Vec<PageUrl>, Vec<PageUrl>) {
    let web = Arc::new(GeneratedWeb::new(shape.clone()).unwrap());
    both_of(web, shape.hosts as u8, |port| shape.start_url(port), edit).await
}

/// The same of any web, on so many addresses.
async fn both_of(
    web: Arc<dyn Web>,
    addresses: u8,
    start: impl Fn(u16) -> String,
    edit: impl Fn(&mut CrawlSettings),
) -> (Vec<PageUrl>, Vec<PageUrl>) {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with(web, &ServeOptions::on_loopbacks(addresses, 0)).await.unwrap();
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
    let start = vec![PageUrl::parse(&start(server.addr().port())).unwrap()];
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
        replay: true,
        settings: crawl,
    };
    let simulated = ::simulate::run(&web, &plan).unwrap().order();
    let simulated = simulated.into_iter().map(|page| web.url(page).unwrap()).collect();
    let mut asked: Vec<PageUrl> = asked.filter(fetched).collect();
    // What is sent on a connection that its server has just ended is sent again: the last request brought the page.
    let mut known = HashSet::new();
    asked.reverse();
    asked.retain(|url| known.insert(url.clone()));
    asked.reverse();
    (asked, simulated)
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

/// Every order, and a mixture.
fn orders() -> impl Iterator<Item = Order> {
    let mixed = "0.5 opic + 0.5 location".parse().unwrap();
    model::Policy::ALL.into_iter().map(Order::only).chain([mixed])
}

fn alone(crawl: &mut CrawlSettings, order: Order, rate: &str) {
    (crawl.connections, crawl.order, crawl.rate) = (1, order, Some(rate.parse().unwrap()));
    crawl.walltime = "10m".parse().unwrap();
    crawl.topic = ["boat", "harbour", "river", "lake"].map(str::to_owned).to_vec();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_of_one_connection_is_simulated_in_its_exact_order_without_pauses_and_on_several_hosts() {
    // Hosts, their addresses, the rate, pages at most.
    let cases = [(1, 1, "unlimited", 150), (4, 4, "unlimited", 100)];
    for (hosts, addresses, rate, pages) in cases {
        // Not of pages that are busy at first: that they were is not known any more when they have come.
        let shape = Generated { across_percent: 20, ..calm(hosts, 160) };
        let crawl = |order: Order| {
            let shape = shape.clone();
            tokio::spawn(async move {
                let web = Arc::new(GeneratedWeb::new(shape.clone()).unwrap());
                let edit = |crawl: &mut CrawlSettings| {
                    alone(crawl, order, rate);
                    (crawl.crawl_hints, crawl.max_pages) = (true, pages);
                };
                (order, both_of(web, addresses, |port| shape.start_url(port), edit).await)
            })
        };
        let crawls: Vec<_> = orders().map(crawl).collect();
        for crawl in crawls {
            let (order, (asked, simulated)) = crawl.await.unwrap();
            assert!(asked.len() as u64 >= pages, "{order}, {hosts} hosts at {rate}: {} pages", asked.len());
            assert_eq!(asked, simulated, "{order}, {hosts} hosts on {addresses} addresses at {rate}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_of_the_demo_site_is_simulated_in_its_exact_order() {
    for order in ["breadth-first", "depth-first", "pagerank", "pvalue", "topic"] {
        let order: Order = order.parse().unwrap();
        let web = Arc::new(webs::demo::Demo::new(1, 0));
        let edit = |crawl: &mut CrawlSettings| {
            alone(crawl, order, "unlimited");
            (crawl.crawl_hints, crawl.max_pages) = (true, 300);
        };
        let start = |port| format!("http://{}:{port}/", webs::demo::HOST);
        let (asked, simulated) = both_of(web, 1, start, edit).await;
        assert!(asked.len() >= 100, "{order}: {} pages", asked.len());
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

/// A crawl of one host that has fetched its start and a page without links, and knows a hundred URLs that wait.
fn begun() -> Site {
    let mut site = Site::empty();
    let project = site::project();
    let entry = site.runtime.block_on(site.data().catalog().upsert_project(&project, NOW)).unwrap();
    site.crawl = entry.crawl;
    let store = site.data().store();
    let mut batch = store.batch();
    let start = project.start[0].clone();
    let waiting = (0..100).map(|number| format!("http://shop.test/{number}"));
    let urls: Vec<PageUrl> = waiting.map(|text| PageUrl::parse(&text).unwrap()).collect();
    let first = PageUrl::parse("http://shop.test/a").unwrap();
    let all = [&start, &first].into_iter().chain(&urls);
    for (number, url) in all.cloned().enumerate() {
        let (key, is_fetched) = (UrlKey::of(&url), number < 2);
        let record = UrlRecord {
            url,
            depth: u32::from(number > 0),
            via: (number > 0).then(|| UrlKey::of(&start)),
            found: NOW,
            outcome: if is_fetched { Outcome::Fetched } else { Outcome::Waiting },
            arrival: number as u64,
            priority: 0,
            tries: 0,
            busy: 0,
            hops: 0,
        };
        batch.put(&URLS, &frontier::page_key(site.crawl, key), &record);
        if is_fetched {
            let bytes = 1_000 + 2_000 * number as u64;
            let visit = VisitRecord { status: Some(200), millis: 100, bytes, ..VisitRecord::default() };
            batch.put(&VISITS, &(site.crawl.0, key.host.0, key.page, NOW.0), &visit);
        }
    }
    let edge = |url: &PageUrl| Edge {
        target: UrlKey::of(url),
        anchor: Default::default(),
        look: LinkLook::plain(1),
        rel: Rel::default(),
        kind: LinkKind::Anchor,
        followed: true,
    };
    let edges = std::iter::once(&first).chain(&urls).map(edge).collect();
    let key = UrlKey::of(&start);
    batch.put(&LINKS, &(site.crawl.0, key.host.0, key.page), &Links { edges });
    store.commit(batch, Durability::Synced).unwrap();
    site
}

#[test]
fn urls_that_wait_take_their_time_at_another_pace() {
    let site = begun();
    let request = WhatIfRequest { rate: Some("2/s".parse().unwrap()), ..WhatIfRequest::default() };
    let told = what_if(site.data(), &request).unwrap();
    assert_eq!((told.known, told.pages, told.requests, told.unknown), (102, 102, 102, 100));
    // 101 pauses of half a second and the last answer.
    assert!((50.4..=51.0).contains(&told.seconds), "{}", told.seconds);
    // The mean of what the host has sent.
    assert_eq!(told.bytes, 102 * 2_000);
    assert!((told.mass - 1.0).abs() < 1e-9, "{}", told.mass);
    assert!(
        told.basis.contains(" 100 of the pages are URLs that wait: they are taken for pages"),
        "{}",
        told.basis
    );
}

#[test]
fn an_order_by_topic_is_refused_where_no_page_was_judged() {
    let site = begun();
    let mut settings = site.data().project(None).unwrap().project;
    let order = Some("topic".parse().unwrap());
    let request = WhatIfRequest { order, ..WhatIfRequest::default() };
    let refused = |words: &str| {
        let error = what_if(site.data(), &request).unwrap_err().to_string();
        assert!(error.contains("topic") && error.contains(words), "{error}");
    };
    refused("needs a topic");
    settings.crawl.topic = vec!["boat".to_owned()];
    site.runtime.block_on(site.data().catalog().upsert_project(&settings, NOW)).unwrap();
    refused("has judged no page");
    let scenario = Scenario::parse("web: {crawl: shop}\norders: [breadth-first, topic]\n").unwrap();
    let error = simulate(site.data(), &scenario).unwrap_err().to_string();
    assert!(error.contains("order topic goes by a topic"), "{error}");
}

#[test]
fn nothing_is_fetched_for_an_order_that_cannot_be_simulated() {
    let site = begun();
    for (orders, relevant) in [
        (["topic", "breadth-first"], false),
        (["breadth-first", "relevance"], false),
        (["breadth-first", "pagerank"], true),
    ] {
        let orders = orders.map(|order| order.parse().unwrap()).to_vec();
        let wanted = Fill { run: None, project: None, orders, relevant, pages: 3 };
        let refused = site.runtime.block_on(fill(site.data(), wanted, || NOW)).unwrap_err().to_string();
        assert!(refused.contains("needs a topic"), "{refused}");
    }
    let entry = site.data().project(None).unwrap();
    let runs = site.runtime.block_on(site.data().catalog().runs_of(entry.id)).unwrap();
    assert_eq!(runs.len(), 0, "no run was begun");
}

#[test]
fn a_simulated_crawl_begins_where_it_is_told_and_lists_its_downloads() {
    let site = Site::crawled();
    let scenario = |start: &str| {
        let text = format!("web: {{crawl: shop}}\norders: [breadth-first]\nstart: [{start}]\n");
        Request::SimulateListed(Box::new(Scenario::parse(&text).unwrap()))
    };
    let rows = site.ask(&scenario("'http://shop.test/old'")).unwrap();
    let (mut listed, mut told) = (String::new(), None);
    for row in rows {
        match serde_json::from_value(row).unwrap() {
            SimulatedRow::Downloads(lines) => listed.push_str(&lines),
            SimulatedRow::Simulated(simulated) => told = Some(simulated),
        }
    }
    let urls: Vec<&str> = listed
        .lines()
        .filter(|line| line.starts_with("breadth-first,"))
        .map(|line| line.split(',').nth(4).unwrap())
        .collect();
    assert_eq!(urls, ["http://shop.test/new"], "{listed}");
    assert_eq!(told.unwrap().outcomes[1].pages, 1);
    let refused = site.ask(&scenario("'http://shop.test/never'")).unwrap_err().to_string();
    assert!(refused.contains("has no page http://shop.test/never"), "{refused}");
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
