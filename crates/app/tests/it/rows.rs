//! Rows as people meet them: read from the demo site and a small shop, shown, followed live, exported, compared and
//! read again from the archive.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use archive::rows::{ROW_CONTENTS, ROW_COUNTS, ROW_PAGES, ROW_RUNS, ROWS, TEMPLATES};
use kv::{Durability, Reader, Store};
use serde_json::{Value, json};
use webs::demo::Demo;
use webs::truth::TruthOptions;
use webs::{Answer, Request};

use crate::gannet::{Said, gannet};
use crate::process::{LONGEST, Running, eventually};
use crate::served::{Served, missing, small};

/// A folder with a project file and a data directory.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new(project: &str) -> Desk {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("project.yaml"), project).unwrap();
        Desk { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn args(&self, args: &[&str]) -> Vec<String> {
        let args = args.iter().map(|arg| (*arg).to_owned());
        args.chain(["--data".to_owned(), self.path("data").to_str().unwrap().to_owned()]).collect()
    }

    fn crawl_args(&self, more: &[&str]) -> Vec<String> {
        let project = self.path("project.yaml");
        let crawl = ["crawl", "-q", "--allow-private", "-p", project.to_str().unwrap()];
        self.args(&[&crawl, more].concat())
    }

    fn ask(&self, args: &[&str]) -> Said {
        self.said(&self.args(args))
    }

    fn crawl(&self, more: &[&str]) -> Said {
        self.said(&self.crawl_args(&[&["--rate", "unlimited"], more].concat()))
    }

    fn said(&self, args: &[String]) -> Said {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let said = gannet(&args);
        assert_eq!(said.code, Some(0), "{args:?}: {}{}", said.out, said.err);
        said
    }

    fn start(&self, args: &[String]) -> Running {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        Running::start(&args)
    }

    fn rows(&self, args: &[&str]) -> Vec<Value> {
        lines(&self.ask(&[&["rows", "--json"], args].concat()).out)
    }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

struct DemoShop {
    demo: Arc<Demo>,
    site: Served,
    desk: Desk,
}

impl DemoShop {
    fn open(epoch: u64) -> DemoShop {
        let demo = Arc::new(Demo::new(1, epoch));
        let site = Served::start(demo.clone());
        let example = include_str!("../../../../docs/examples/demo-shop.yaml");
        let desk = Desk::new(&example.replace("http://127.0.0.1:8080/", &site.start_url()));
        DemoShop { demo, site, desk }
    }

    fn truth(&self) -> webs::truth::Truth {
        self.demo.truth(self.site.start_url().trim_end_matches('/'), TruthOptions::default())
    }
}

#[test]
fn the_demo_shop_gives_one_row_for_each_product_of_every_kind_of_list() {
    let shop = DemoShop::open(1);
    let told = shop.desk.crawl(&[]).out;
    let truth = shop.truth();
    let lists: Vec<_> = truth.lists.iter().filter(|list| list.url.contains("/shop/")).collect();
    let columns = "page,_page,title,name,number,amount,currency";
    let rows = shop.desk.rows(&["--columns", columns]);
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in &rows {
        let text = |name: &str| row[name].as_str().unwrap();
        found.entry(text("_page")).or_default().push(text("page"));
        let product = truth.products.iter().find(|product| product.url == text("page")).unwrap();
        // The list's title, and what the product's own page adds.
        assert_eq!(
            [text("title"), text("name"), text("number")],
            [&*product.title, &product.title, &product.sku]
        );
        assert_eq!(row["amount"].as_f64().unwrap(), product.price.parse::<f64>().unwrap());
        assert_eq!(text("currency"), product.currency);
    }
    let expected: BTreeMap<&str, Vec<&str>> =
        lists.iter().map(|list| (&*list.url, list.items.iter().map(String::as_str).collect())).collect();
    assert_eq!(found, expected);
    let kinds: BTreeSet<&str> = lists.iter().map(|list| &*list.pagination).collect();
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["next-link", "numbered", "pattern"]);
    assert!(told.contains(&format!("\nrows         {} from ", rows.len())), "{told}");
}

#[test]
fn further_pages_of_a_list_are_no_deeper_than_the_list() {
    let shop = DemoShop::open(1);
    // The shop, its lists with all their pages, the products.
    shop.desk.crawl(&["--max-depth", "2"]);
    let truth = shop.truth();
    let lists = truth.lists.iter().filter(|list| list.url.contains("/shop/"));
    let items: usize = lists.map(|list| list.items.len()).sum();
    assert_eq!(shop.desk.rows(&["--where", "name not empty"]).len(), items);
    let pages = lines(&shop.desk.ask(&["pages", "--json", "--outcome", "fetched"]).out);
    let depth = |page: &Value| page["depth"].as_u64().unwrap();
    assert_eq!(pages.iter().map(depth).max(), Some(2));
}

#[test]
fn a_second_run_tells_new_changed_and_gone_rows_and_diff_names_the_fields() {
    let shop = DemoShop::open(1);
    shop.desk.crawl(&[]);
    let before = shop.truth();
    shop.demo.set_epoch(2);
    let told = shop.desk.crawl(&["--fresh", "--json"]).out;
    let after = shop.truth();
    let in_lists = |truth: &webs::truth::Truth| -> BTreeSet<String> {
        let lists = truth.lists.iter().filter(|list| list.url.contains("/shop/"));
        lists.flat_map(|list| list.items.clone()).collect()
    };
    let (old, new) = (in_lists(&before), in_lists(&after));
    let price = |truth: &webs::truth::Truth, url: &str| {
        truth.products.iter().find(|product| product.url == url).unwrap().price.clone()
    };
    let repriced: BTreeSet<String> =
        old.intersection(&new).filter(|url| price(&before, url) != price(&after, url)).cloned().collect();
    assert!(!repriced.is_empty(), "the epoch changes some price");
    let pages_of = |args: &[&str]| -> BTreeSet<String> {
        let rows = shop.desk.rows(&[args, &["--columns", "page"]].concat());
        rows.iter().map(|row| row["page"].as_str().unwrap().to_owned()).collect()
    };
    let fresh: BTreeSet<String> = new.difference(&old).cloned().collect();
    let gone: BTreeSet<String> = old.difference(&new).cloned().collect();
    assert_eq!(pages_of(&["--status", "new"]), fresh);
    assert_eq!(pages_of(&["--status", "gone"]), gone);
    let changed = pages_of(&["--status", "changed"]);
    assert!(repriced.is_subset(&changed), "{repriced:?} {changed:?}");
    let counts: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(counts["row_changes"]["changed"], changed.len());
    // The same in the comparison of two runs, field by field.
    let diff = lines(&shop.desk.ask(&["diff", "1", "2", "--json"]).out);
    let mut seen = BTreeSet::new();
    for row in diff.iter().filter(|row| row["status"] == "changed") {
        let page = row["cells"]["page"].as_str().unwrap();
        let changes = row["changes"].as_array().unwrap();
        let amount = changes.iter().find(|change| change["field"] == "amount");
        assert_eq!(amount.is_some(), repriced.contains(page), "{row}");
        if let Some(amount) = amount {
            assert_eq!(amount["before"].as_f64().unwrap(), price(&before, page).parse::<f64>().unwrap());
            assert_eq!(amount["after"].as_f64().unwrap(), price(&after, page).parse::<f64>().unwrap());
        }
        seen.insert(page.to_owned());
    }
    assert_eq!(seen, changed);
    // The first run's rows are still there.
    assert_eq!(shop.desk.rows(&["1"]).len(), old.len());
    // Nothing has happened since: all is unchanged.
    shop.desk.crawl(&["--fresh"]);
    let unchanged = shop.desk.rows(&["--status", "unchanged"]).len();
    assert_eq!((unchanged, pages_of(&["--status", "new,changed,gone,unseen"])), (new.len(), BTreeSet::new()));
}

/// Forty list pages of five items; each item has reviews on a page of its own.
fn long_list(request: &Request) -> Answer {
    let number = |prefix: &str| request.path.strip_prefix(prefix).and_then(|rest| rest.parse::<usize>().ok());
    let html = if let Some(page) = number("/list/").filter(|page| (1..=PAGES).contains(page)) {
        let items = (0..5).map(|at| page * 10 + at);
        let items =
            items.map(|item| format!("<li><b>Item {item}</b> <a href=/reviews/{item}>reviews</a></li>"));
        let items: String = items.collect();
        format!("<title>{page}</title><ul>{items}</ul><a rel=next href=/list/{}>next</a>", page + 1)
    } else if let Some(item) = number("/reviews/") {
        format!("<title>r</title><p class=review>good {item}</p><p class=review>bad {item}</p>")
    } else {
        return missing();
    };
    Answer::new(200, "text/html", html)
}

const PAGES: usize = 40;

fn long_project(site: &Served, follow: &str) -> String {
    format!(
        "version: 1\nproject: long\nstart: [{}list/1]\nfields:\n  list:\n    url: /list/*\n    rows: li\n    read:\n      \
         name: b\n      {follow}\n    next: a[rel=next]\n    links: []\n  review:\n    url: /reviews/*\n    \
         rows: p.review\n    read: {{words: .}}\n    links: []\n",
        site.start_url()
    )
}

#[test]
fn child_rows_know_their_parent() {
    let site = Served::start(small(&["long.test"], long_list));
    let follow = "page: {css: a, kind: link, follow: {page: review, as: children}}";
    let desk = Desk::new(&long_project(&site, follow));
    desk.crawl(&[]);
    let parents = desk.rows(&["--type", "list", "--columns", "name,_key"]);
    let children = desk.rows(&["--type", "review", "--columns", "words,_parent"]);
    assert_eq!((parents.len(), children.len()), (PAGES * 5, PAGES * 5 * 2));
    let names: BTreeMap<&str, &str> =
        parents.iter().map(|row| (row["_key"].as_str().unwrap(), row["name"].as_str().unwrap())).collect();
    for child in &children {
        let words = child["words"].as_str().unwrap();
        let parent = names[child["_parent"].as_str().unwrap()];
        assert_eq!(parent.strip_prefix("Item "), words.split(' ').next_back(), "{words} of {parent}");
    }
    // The page behind the last one is asked for and is not there; that is no mistake of the list.
    let why = desk.ask(&["why", &format!("{}list/{}", site.start_url(), PAGES + 1)]).out;
    assert!(why.contains("404"), "{why}");
}

/// Further pages of a start URL are as deep as that, and no start URLs all the same.
#[test]
fn a_further_page_that_leads_elsewhere_does_not_widen_the_scope() {
    let site = Served::start(small(&["long.test"], |request: &Request| match request.path.as_str() {
        "/list/2" => Answer::redirect(302, "http://elsewhere.test/"),
        _ => long_list(request),
    }));
    let desk = Desk::new(&long_project(&site, "other: {css: u}"));
    desk.crawl(&[]);
    let pages = lines(&desk.ask(&["pages", "--json"]).out);
    let page = |url: &str| pages.iter().find(|page| page["url"] == url).unwrap();
    assert_eq!(page(&format!("{}list/2", site.start_url()))["depth"], 0);
    assert_eq!(page("http://elsewhere.test/")["outcome"], "off-site");
}

#[test]
fn rows_are_followed_and_exported_while_the_crawl_runs() {
    let site = Served::start(small(&["long.test"], long_list));
    let desk = Desk::new(&long_project(&site, "other: {css: u}"));
    let mut crawl = desk.start(&desk.crawl_args(&["--rate", "20/s"]));
    site.wait_for(2, 0, || crawl.is_alive());
    let follow = desk.args(&["rows", "--follow", "--json", "--columns", "name"]);
    let mut follow = desk.start(&follow);
    eventually("the first row is shown", LONGEST, || {
        (!follow.output().is_empty() || !follow.is_alive()).then_some(())
    });
    assert!(!follow.output().is_empty(), "{}", follow.errors());
    // The crawl is held, so that what is exported is a part for certain.
    desk.ask(&["pause"]);
    assert!(crawl.is_alive() && follow.is_alive());
    let part = desk.path("part.csv");
    desk.ask(&["export", "rows", "-o", part.to_str().unwrap()]);
    let part = std::fs::read_to_string(part).unwrap();
    let part: Vec<&str> = part.lines().skip(1).collect();
    assert!(!part.is_empty() && part.len() < PAGES * 5, "{} rows", part.len());
    desk.ask(&["resume"]);
    crawl.finish();
    let followed: Vec<Value> = lines(&follow.finish().out);
    let all = desk.path("all.csv");
    desk.ask(&["export", "rows", "-o", all.to_str().unwrap()]);
    let all = std::fs::read_to_string(all).unwrap();
    let all: Vec<&str> = all.lines().skip(1).collect();
    assert_eq!(all[..part.len()], part);
    let names = (1..=PAGES).flat_map(|page| (0..5).map(move |at| format!("Item {}", page * 10 + at)));
    let names: Vec<String> = names.collect();
    let followed: Vec<&str> = followed.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(followed, names);
    let exported: Vec<&str> = all.iter().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(exported, names);
}

/// A page that was missing once is kept with its rows, and repair does not know better.
#[test]
fn repair_leaves_a_page_its_rows_that_was_missing_once() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let round = Arc::new(AtomicU32::new(0));
    let seen = round.clone();
    let site = Served::start(small(&["long.test"], move |request: &Request| {
        match (request.path.as_str(), seen.load(Ordering::Relaxed)) {
            ("/list/2", 1) => missing(),
            ("/list/2", 2) => Answer::redirect(302, "/list/1"),
            _ => long_list(request),
        }
    }));
    let desk = Desk::new(&long_project(&site, "other: {css: u}"));
    desk.crawl(&[]);
    let rows = || {
        let rows = desk.rows(&["--columns", "name"]);
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    let all = rows();
    assert_eq!(all.len(), PAGES * 5);
    for now in 1..=2 {
        round.store(now, Ordering::Relaxed);
        desk.ask(&["refresh", "-q"]);
        assert_eq!(rows(), all, "round {now}");
        desk.ask(&["repair"]);
        assert_eq!(rows(), all, "round {now}, repaired");
    }
}

#[test]
fn lost_rows_are_read_again_from_the_archive() {
    let shop = DemoShop::open(1);
    shop.desk.crawl(&["--max-pages", "40"]);
    shop.desk.crawl(&[]);
    let columns = "_page,_position,_key,_type,_read,title,price,name,number,shade";
    let all = |desk: &Desk| (desk.rows(&["--columns", columns]), desk.rows(&["1", "--columns", columns]));
    let before = all(&shop.desk);
    assert!(before.0.len() > before.1.len() && !before.1.is_empty());
    let lose = |some: fn(usize) -> bool| {
        let store = Store::open(&shop.desk.path("data/crawl"), kv::Options::default()).unwrap();
        let mut batch = store.batch();
        macro_rules! lose {
            ($($table:expr),*) => {$(
                for (at, key) in store.iter(&$table).keys().enumerate() {
                    if some(at) {
                        batch.remove(&$table, &key.unwrap());
                    }
                }
            )*};
        }
        lose!(ROWS);
        if some(0) {
            lose!(ROW_PAGES, ROW_CONTENTS, ROW_COUNTS, ROW_RUNS, TEMPLATES);
        }
        store.commit(batch, Durability::Synced).unwrap();
    };
    for some in [|_| true, |at| at % 3 == 1] as [fn(usize) -> bool; 2] {
        lose(some);
        assert_ne!(shop.desk.rows(&["--columns", columns]), before.0);
        let told = shop.desk.ask(&["repair"]).out;
        assert!(told.contains(" pages were read again from the archive"), "{told}");
        assert_eq!(all(&shop.desk), before);
        shop.desk.ask(&["check"]);
        // There is nothing left to do, and the crawl goes on as if nothing had been.
        assert!(!shop.desk.ask(&["repair"]).out.contains("read again"));
    }
    shop.desk.crawl(&[]);
    assert_eq!(all(&shop.desk).0, before.0);
}

#[test]
fn a_link_outside_the_scope_of_links_says_so() {
    let shop = DemoShop::open(1);
    shop.desk.crawl(&[]);
    let why = shop.desk.ask(&["why", &format!("{}blog/", shop.site.start_url()), "--json"]).out;
    let why: Value = serde_json::from_str(&why).unwrap();
    assert_eq!(why["outcome"], "excluded");
    let refusal = json!({
        "rule": "links_in", "passes": false,
        "refusal": "excluded by links_in: every link to it stands outside the parts of pages where links are \
                    followed (links, links_in)",
    });
    assert!(why["rules"].as_array().unwrap().contains(&refusal), "{why}");
}
