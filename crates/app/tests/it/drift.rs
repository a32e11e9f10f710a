//! The drift alarm: a site changes its markup between two runs, and the second one says what is not found any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::{Value, json};
use webs::{Answer, Request};

use crate::gannet::gannet;
use crate::served::{Served, missing, small};

/// A list of four pages with eight items each; every item has a page of its own.
const PAGES: usize = 4;
const ITEMS: usize = 8;

/// What the site does with its markup.
#[derive(Clone, Copy, PartialEq)]
enum Mood {
    Steady,
    /// Prices are called otherwise.
    Prices,
    /// The same, but only from the third page on.
    LatePrices,
    /// Rows and the items' own pages are built anew.
    Rebuilt,
}

const MOODS: [Mood; 4] = [Mood::Steady, Mood::Prices, Mood::LatePrices, Mood::Rebuilt];

const PROJECT: &str = "
fields:
  list:
    url: /list/*
    rows: li.item
    read:
      name: h3
      price: {css: .price, kind: price}
      badge: .badge
      page: {css: a, kind: link, follow: item}
    next: a[rel=next]
    links: []
  item:
    url: /item/*
    read: {title: h1, weight: {css: .weight, kind: number}}
    links: []
";

struct Shop {
    site: Served,
    mood: Arc<AtomicU8>,
    folder: tempfile::TempDir,
}

impl Shop {
    fn open() -> Shop {
        let mood = Arc::new(AtomicU8::new(0));
        let shown = mood.clone();
        let site = Served::start(small(&["shop.test"], move |request: &Request| {
            answer(request, MOODS[usize::from(shown.load(Ordering::SeqCst))])
        }));
        let folder = tempfile::tempdir().unwrap();
        let project = format!("version: 1\nproject: shop\nstart: [{}list/1]\n{PROJECT}", site.start_url());
        std::fs::write(folder.path().join("shop.yaml"), project).unwrap();
        Shop { site, mood, folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn ask(&self, args: &[&str]) -> crate::gannet::Said {
        let data = self.path("data");
        let said = gannet(&[args, &["--data", &data]].concat());
        assert_eq!(said.code, Some(0), "{args:?}: {}{}", said.out, said.err);
        said
    }

    /// Crawls the site in this mood; the summary.
    fn crawl(&self, mood: Mood, more: &[&str]) -> String {
        let at = MOODS.iter().position(|known| *known == mood).unwrap();
        self.mood.store(at as u8, Ordering::SeqCst);
        let project = self.path("shop.yaml");
        let crawl = ["crawl", "-p", &project, "--fresh", "--allow-private", "--rate", "unlimited"];
        self.ask(&[&crawl, more].concat()).out
    }

    fn drift(&self, mood: Mood) -> Vec<Value> {
        let summary: Value = serde_json::from_str(&self.crawl(mood, &["--json"])).unwrap();
        summary.get("drift").and_then(Value::as_array).cloned().unwrap_or_default()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.site.start_url())
    }
}

fn answer(request: &Request, mood: Mood) -> Answer {
    let number = |prefix: &str| request.path.strip_prefix(prefix).and_then(|rest| rest.parse::<usize>().ok());
    let html = if let Some(page) = number("/list/").filter(|page| (1..=PAGES).contains(page)) {
        let price = match mood {
            Mood::Prices => "cost",
            Mood::LatePrices if page >= 3 => "cost",
            _ => "price",
        };
        let class = if mood == Mood::Rebuilt { "card" } else { "item" };
        let items = (0..ITEMS).map(|at| (page - 1) * ITEMS + at).map(|item| {
            // Sparse: one item in eight has one.
            let badge = if item % 8 == page { "<i class=badge>New</i>" } else { "" };
            format!(
                "<li class={class}><h3>Item {item}</h3>{badge}<b class={price}>{item}.50 €</b> \
                 <b class=old>{}.00 €</b> <a href=/item/{item}>more</a></li>",
                item + 100
            )
        });
        let items: String = items.collect();
        let next = if page < PAGES {
            format!("<a rel=next href=/list/{}>next</a>", page + 1)
        } else {
            String::new()
        };
        format!("<!doctype html><title>List {page}</title><ul>{items}</ul>{next}")
    } else if let Some(item) = number("/item/") {
        match mood {
            Mood::Rebuilt => {
                format!("<title>x</title><h2>Item {item}</h2><p>Weighs <em class=mass>{}</em> g", item + 500)
            }
            _ => format!(
                "<title>x</title><h1>Item {item}</h1><p>Weighs <em class=weight>{}</em> g",
                item + 500
            ),
        }
    } else {
        return missing();
    };
    Answer::new(200, "text/html; charset=utf-8", html)
}

#[test]
fn a_field_that_is_not_found_any_more_is_named_with_its_page_and_a_selector_that_works() {
    let shop = Shop::open();
    assert_eq!(shop.drift(Mood::Steady), [] as [Value; 0]);
    assert_eq!(shop.drift(Mood::Steady), [] as [Value; 0]);
    let drift = shop.drift(Mood::Prices);
    let expected = json!({
        "page_type": "list", "field": "price", "rows": 32, "found": 0,
        "before_run": 2, "before_rows": 32, "before_found": 32,
        "since": shop.url("list/1"), "proposal": ".cost",
    });
    assert_eq!(drift, [expected]);
    // In words, and as long as it lasts: the next run has seen better times as well.
    let sentence = format!(
        "list: price found in 0 % of rows, 100 % in run 2; missing since {}; \".cost\" finds it on stored pages",
        shop.url("list/1")
    );
    let summary = shop.crawl(Mood::Prices, &[]);
    assert!(summary.contains(&format!("\ndrift        {sentence}\n")), "{summary}");
    let runs = shop.ask(&["runs"]).out;
    assert!(runs.ends_with(&format!("\ndrift in run 4: {sentence}\ndrift in run 3: {sentence}\n")), "{runs}");
    let rows = shop.ask(&["rows", "--limit", "1"]);
    assert_eq!(rows.err, format!("drift: {sentence}\n"));
    // What is proposed does work.
    let project = std::fs::read_to_string(shop.path("shop.yaml")).unwrap();
    std::fs::write(shop.path("shop.yaml"), project.replace("css: .price", "css: .cost")).unwrap();
    assert_eq!(shop.drift(Mood::Prices), [] as [Value; 0]);
}

#[test]
fn a_change_in_the_middle_of_a_run_is_told_from_its_first_page() {
    let shop = Shop::open();
    shop.crawl(Mood::Steady, &[]);
    let drift = shop.drift(Mood::LatePrices);
    assert_eq!(drift.len(), 1, "{drift:?}");
    assert_eq!((&drift[0]["found"], &drift[0]["since"]), (&json!(16), &json!(shop.url("list/3"))));
    assert_eq!(drift[0]["proposal"], ".cost");
}

#[test]
fn pages_that_give_no_rows_any_more_are_told() {
    let shop = Shop::open();
    shop.crawl(Mood::Steady, &[]);
    // Its own pages are asked for, as no row leads there any more.
    let items: Vec<String> = (0..ITEMS).map(|item| shop.url(&format!("item/{item}"))).collect();
    let project = std::fs::read_to_string(shop.path("shop.yaml")).unwrap();
    let start = format!("start: [{}list/1]", shop.site.start_url());
    let more = format!("start: [{}list/1, {}]", shop.site.start_url(), items.join(", "));
    std::fs::write(shop.path("shop.yaml"), project.replace(&start, &more)).unwrap();
    let drift = shop.drift(Mood::Rebuilt);
    let told: Vec<_> = drift
        .iter()
        .map(|drift| (&drift["page_type"], &drift["field"], &drift["found"], &drift["proposal"]))
        .map(|(page, field, found, proposal)| json!([page, field, found, proposal]))
        .collect();
    let expected = [
        json!(["list", null, 0, null]),
        json!(["item", "title", 0, "h2"]),
        json!(["item", "weight", 0, ".mass"]),
    ];
    assert_eq!(told, expected);
    let summary = shop.ask(&["runs"]).out;
    assert!(
        summary.contains("drift in run 2: list: 4 of 4 pages that had rows in run 1 have none"),
        "{summary}"
    );
}
