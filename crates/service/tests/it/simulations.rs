//! What a simulation tells of a crawl, and what the map of a crawl tells of what it met.

use std::collections::BTreeMap;

use archive::tables::{Edge, LINKS, Links, VISITS, VisitRecord};
use catalog::RunId;
use frontier::tables::{URLS, UrlRecord};
use kv::Durability;
use model::{LinkKind, LinkLook, Outcome, PageUrl, Rel, Timestamp, UrlKey};
use service::{
    Fill, Request, SimulatedRow, WhatIfRequest, fill, forecast, outlook, simulate, site_map, what_if,
};
use simulate::Scenario;

use crate::site::{self, NOW, Site};

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
    assert!(refused.is_some_and(|words| words.contains("name its words, --topic")));
}

/// A start that leads to twelve pages, all on one host: the last two are about boats, and lead to two more.
fn boats() -> Site {
    let plain = |html: &'static str, links: Vec<(&'static str, &'static str)>| site::Says::Html {
        html,
        links,
        noindex: false,
    };
    let mut site = Site::empty();
    let entry = site.runtime.block_on(site.data().catalog().upsert_project(&site::project(), NOW)).unwrap();
    site.crawl = entry.crawl;
    let mut pages =
        BTreeMap::from([("http://shop.test/island", plain("<title>Island</title><p>Text", Vec::new()))]);
    let names: [&'static str; 12] = [
        "http://shop.test/p0",
        "http://shop.test/p1",
        "http://shop.test/p2",
        "http://shop.test/p3",
        "http://shop.test/p4",
        "http://shop.test/p5",
        "http://shop.test/p6",
        "http://shop.test/p7",
        "http://shop.test/p8",
        "http://shop.test/p9",
        "http://shop.test/q0",
        "http://shop.test/q1",
    ];
    pages.insert(
        "http://shop.test/",
        plain(
            "<title>Home</title><p>Text",
            names.map(|name| (name, if name.contains("/q") { "a boat" } else { "further" })).to_vec(),
        ),
    );
    for name in names {
        pages.insert(name, plain("<title>Fruit</title><p>Text", Vec::new()));
    }
    let deeper = [("http://shop.test/d0", "boat one"), ("http://shop.test/d1", "boat two")];
    for (name, (deep, anchor)) in [names[10], names[11]].into_iter().zip(deeper) {
        pages.insert(name, plain("<title>Wooden boats</title><p>Text", vec![(deep, anchor)]));
        pages.insert(deep, plain("<title>A boat</title><p>Text", Vec::new()));
    }
    site.run(&pages);
    site
}

#[test]
fn a_what_if_may_have_a_topic_that_the_crawl_had_not() {
    let site = boats();
    let ask = |order: &str, topic: &[&str]| {
        let topic = topic.iter().map(|&words| words.to_owned()).collect();
        let order = Some(order.parse().unwrap());
        what_if(site.data(), &WhatIfRequest { order, topic, ..WhatIfRequest::default() })
    };
    let none = ask("breadth-first", &[]).unwrap();
    assert_eq!((none.topic.len(), none.on_topic, none.pages), (0, None, 16));
    assert!(!none.words.contains("on topic") && !none.basis.contains("judged"), "{none:?}");
    let broad = ask("breadth-first", &["boat"]).unwrap();
    let topic = ask("topic", &["boat"]).unwrap();
    // Stems count; the start, the island and ten pages of fruit are on no such topic.
    assert_eq!((broad.on_topic, topic.on_topic), (Some(4), Some(4)));
    assert_eq!((topic.topic.clone(), topic.pages), (vec!["boat".to_owned()], 16));
    assert!(topic.words.contains("; 4 on topic, nine tenths of them after "), "{}", topic.words);
    assert!(topic.basis.contains("16 pages were judged anew"), "{}", topic.basis);
    // Pages and links on topic lead to more of them, before what is left of the first level.
    let after = |told: &service::WhatIf| told.on_topic_after.unwrap();
    assert!(after(&topic) < after(&broad), "{} s, {} s by breadth", after(&topic), after(&broad));
    let other = ask("topic", &["fruit"]).unwrap();
    assert_eq!(other.on_topic, Some(10));
    let phrase = ask("relevance", &["wooden boat", "island"]).unwrap();
    assert_eq!(phrase.on_topic, Some(3));
    assert_eq!(ask("topic", &["zeppelin"]).unwrap().on_topic, Some(0));
    for (order, words, told) in [("topic", &["!!"][..], "no word to look for"), ("topic", &[], "--topic")] {
        let refused = ask(order, words).unwrap_err().to_string();
        assert!(refused.contains(told), "{refused}");
    }
    // The same words for a simulation of several orders.
    let text = "web: {crawl: shop}\norders: [breadth-first, topic]\ntopic: [boat]\n";
    let told = simulate(site.data(), &Scenario::parse(text).unwrap()).unwrap();
    let relevant: Vec<u64> = told.outcomes.iter().map(|outcome| outcome.relevant.unwrap()[3]).collect();
    assert_eq!(relevant, [4, 4, 4]);
    // The project's topic, given after its crawl, is what pages are judged by, too.
    let mut project = site.data().project(None).unwrap().project;
    project.crawl.topic = vec!["boat".to_owned()];
    site.runtime.block_on(site.data().catalog().upsert_project(&project, NOW)).unwrap();
    assert_eq!(ask("topic", &[]).unwrap().on_topic, Some(4));
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
    refused("name its words, --topic");
    settings.crawl.topic = vec!["boat".to_owned()];
    site.runtime.block_on(site.data().catalog().upsert_project(&settings, NOW)).unwrap();
    refused("no page of this crawl is kept that could be judged");
    let scenario = Scenario::parse("web: {crawl: shop}\norders: [breadth-first, topic]\n").unwrap();
    let error = simulate(site.data(), &scenario).unwrap_err().to_string();
    assert!(error.contains("could be judged by the topic"), "{error}");
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
        let wanted = Fill { run: None, project: None, orders, topic: Vec::new(), relevant, pages: 3 };
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
    let words = told.words.clone().unwrap();
    assert!(words.contains(" % of link mass after ") && words.contains(", "), "{words}");
    assert!(told.basis.starts_with("The 12 URLs met so far, their links"), "{}", told.basis);
    assert!(told.share_seconds <= told.seconds && told.pages >= fetched, "{words}");
    // Of what is known some is refused or gone: the rest is all that there will be.
    assert!(told.share >= 0.9 * told.share_in_the_end && told.share_in_the_end < 0.99, "{told:?}");
    assert!(words.ends_with(&format!(", {:.0} % in the end", 100.0 * told.share_in_the_end)), "{words}");
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
