//! Search as people meet it: indexes over the demo shop and a small site, made, asked, followed and dropped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use webs::demo::Demo;
use webs::{Answer, Web};

use crate::gannet::{Said, gannet};
use crate::process::Running;
use crate::served::{Served, missing, small, url};

/// A served web, a project file and a data directory.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) site: Arc<Served>,
    folder: Arc<tempfile::TempDir>,
    pub(crate) data: PathBuf,
}

impl Desk {
    /// The demo shop with the example's project.
    pub(crate) fn shop() -> Desk {
        let example = include_str!("../../../../docs/examples/demo-shop.yaml");
        Desk::new(Arc::new(Demo::new(1, 1)), |start| example.replace("http://127.0.0.1:8080/", start))
    }

    pub(crate) fn new(web: Arc<dyn Web>, project: impl FnOnce(&str) -> String) -> Desk {
        let site = Served::start(web);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("project.yaml"), project(&site.start_url())).unwrap();
        let data = folder.path().join("data");
        Desk { site: Arc::new(site), folder: Arc::new(folder), data }
    }

    /// The same with another data directory.
    pub(crate) fn at(&self, data: &Path) -> Desk {
        Desk { data: data.to_owned(), ..self.clone() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn args(&self, args: &[&str]) -> Vec<String> {
        let args = args.iter().map(|arg| (*arg).to_owned());
        args.chain(["--data".to_owned(), self.data.to_str().unwrap().to_owned()]).collect()
    }

    pub(crate) fn crawl_args(&self, more: &[&str]) -> Vec<String> {
        let project = self.path("project.yaml");
        let crawl = ["crawl", "-q", "--allow-private", "-p", project.to_str().unwrap()];
        self.args(&[&crawl, more].concat())
    }

    /// Runs it, however it ends.
    pub(crate) fn say(&self, args: &[&str]) -> Said {
        let args = self.args(args);
        gannet(&args.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Runs it; it must end well.
    #[track_caller]
    pub(crate) fn ask(&self, args: &[&str]) -> String {
        let said = self.say(args);
        assert_eq!(said.code, Some(0), "{args:?}: {}{}", said.out, said.err);
        said.out
    }

    /// Runs it with `--json`.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Vec<Value> {
        let text = self.ask(&[args, &["--json"]].concat());
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn start(&self, args: &[String]) -> Running {
        Running::start(&args.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[track_caller]
    pub(crate) fn crawl(&self, more: &[&str]) {
        self.start(&self.crawl_args(&[&["--rate", "unlimited"], more].concat())).finish();
    }

    /// One answer to a search.
    #[track_caller]
    pub(crate) fn find(&self, args: &[&str]) -> Value {
        self.json(&[&["search"], args].concat()).remove(0)
    }

    /// The names of all documents, each once.
    #[track_caller]
    pub(crate) fn documents(&self, index: &str) -> BTreeSet<String> {
        let (mut ids, mut cursor) = (BTreeSet::new(), None::<String>);
        loop {
            let mut args = vec!["", "-n", "1000", "-i", index];
            if let Some(cursor) = &cursor {
                args.extend(["--cursor", cursor]);
            }
            let answer = self.find(&args);
            for hit in answer["hits"].as_array().unwrap() {
                assert!(ids.insert(hit["id"].as_str().unwrap().to_owned()), "{} comes twice", hit["id"]);
            }
            match answer["next"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => return ids,
            }
        }
    }
}

pub(crate) fn hits(answer: &Value) -> &[Value] {
    answer["hits"].as_array().map(Vec::as_slice).unwrap_or_default()
}

#[test]
fn the_demo_shop_is_searched_explained_and_counted() {
    let desk = Desk::shop();
    desk.crawl(&[]);
    let answer = desk.find(&["tent"]);
    assert!(answer["total"].as_u64().unwrap() > 5, "{answer}");
    for hit in hits(&answer) {
        assert!(hit["score"].as_f64().unwrap() > 0.0 && !hit["url"].as_str().unwrap().is_empty(), "{hit}");
    }
    let text = desk.ask(&["search", "tent"]);
    assert!(text.lines().next().unwrap().contains("hits") && text.contains("\n1. "), "{text}");

    let explained = desk.find(&["tent light", "--explain", "--set", "formula=log(1 + reviews)"]);
    for hit in hits(&explained) {
        let tree: rank::Explanation = serde_json::from_value(hit["explanation"].clone()).unwrap();
        assert!(tree.check().is_ok(), "{tree}");
        assert!((tree.value - hit["score"].as_f64().unwrap()).abs() < 1e-6, "{tree}");
    }
    assert!(desk.ask(&["search", "tent", "--explain"]).contains("how rare"));

    // Only rows have prices; dearest first.
    let sorted = desk.find(&["price:10..100", "--sort", "-price", "--facet", "brand", "--facet", "site"]);
    let prices: Vec<f64> = hits(&sorted).iter().map(price).collect();
    assert!(prices.len() > 2 && prices.is_sorted_by(|one, other| one >= other), "{prices:?}");
    assert!(prices.iter().all(|price| (10.0..=100.0).contains(price)), "{prices:?}");
    let counted: u64 = sorted["facets"][0]["values"]
        .as_array()
        .unwrap()
        .iter()
        .map(|value| value[1].as_u64().unwrap())
        .sum();
    assert!(counted > 0 && counted <= sorted["total"].as_u64().unwrap(), "{sorted}");

    let suggested = desk.json(&["suggest", "te"]);
    assert!(!suggested.is_empty());
    assert!(
        suggested.iter().all(|one| one["text"].as_str().unwrap().to_lowercase().contains("te")),
        "{suggested:?}"
    );

    // What was made for suggestions and near words is kept; damaged, it is made again.
    for name in ["suggestions", "words"] {
        let file = desk.path("data/index/demo-shop").join(name);
        desk.ask(&["search", "tnets"]);
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
        std::fs::write(&file, &bytes).unwrap();
        assert_eq!(desk.json(&["suggest", "te"]), suggested, "{name}");
        assert!(desk.find(&["tnets"])["total"].as_u64().unwrap() > 0, "{name}");
        assert_ne!(std::fs::read(&file).unwrap(), bytes, "{name}");
    }

    // Words of the page's own title lead to it, others do not.
    let page = format!("{}shop/tents/", desk.site.start_url());
    let why = &desk.json(&["why-not", &page, "tents"])[0];
    assert!(why["place"].as_u64().is_some(), "{why}");
    let why = &desk.json(&["why-not", &page, "zeppelin"])[0];
    assert!(why["place"].is_null() && why["chain"].to_string().contains("does not match"), "{why}");
    let like = desk.find(&["--like", &page]);
    assert!(!hits(&like).is_empty() && hits(&like).iter().all(|hit| hit["url"] != *page), "{like}");
    let copy = &desk.json(&["cached", &page, "tents"])[0];
    assert!(copy["url"] == *page && copy.to_string().contains("\"marked\":true"), "{copy}");
    let nowhere = format!("{}nowhere", desk.site.start_url());
    assert!(desk.ask(&["why-not", &nowhere, "tents"]).contains("not in it"));
}

fn price(hit: &Value) -> f64 {
    let fields = hit["fields"].as_array().unwrap();
    let price = fields.iter().find(|field| field[0] == "price").unwrap();
    price[1]["Number"][0].as_f64().unwrap()
}

#[test]
fn indexes_stand_side_by_side_and_are_made_again_and_dropped() {
    let desk = Desk::shop();
    desk.crawl(&[]);
    let settings = desk.path("rows.yaml");
    std::fs::write(
        &settings,
        "of: rows\nfields: {title: {weight: 3}}\nranking: {formula: log(1 + reviews)}\n",
    )
    .unwrap();
    desk.ask(&["index", "create", "all"]);
    desk.ask(&["index", "create", "rows", "--settings", settings.to_str().unwrap()]);
    let rows = desk.json(&["rows"]).len();
    let (all, of_rows) = (desk.documents("all"), desk.documents("rows"));
    assert_eq!(of_rows.len(), rows);
    assert!(of_rows.is_subset(&all) && all.iter().any(|id| id.starts_with("page ")), "{}", all.len());
    let status = |name: &str| desk.json(&["index", "status", name]).remove(0);
    assert_eq!(
        (status("rows")["documents"].as_u64(), status("rows")["behind"].as_u64()),
        (Some(rows as u64), Some(0))
    );
    let list: Vec<String> =
        desk.json(&["index", "list"]).iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(list, ["all", "rows"]);

    desk.ask(&["index", "rebuild", "all"]);
    assert_eq!(desk.documents("all"), all);
    assert!(desk.ask(&["index", "drop", "rows"]).contains("dropped"));
    assert!(!desk.path("data/index/rows").exists());
    let said = desk.say(&["search", "tent", "-i", "rows"]);
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert_eq!(desk.json(&["rows"]).len(), rows, "what was crawled stays");
}

#[test]
fn what_cannot_be_done_is_said_with_its_place_and_ends_with_2() {
    let desk = Desk::new(pages(&Arc::default(), 3), project);
    desk.crawl(&[]);
    let check = |args: &[&str], part: &str| {
        let said = desk.say(args);
        assert!(said.err.starts_with("gannet: ") && said.err.contains(part), "{args:?}: {}", said.err);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{args:?}: {}", said.err);
    };
    check(&["search", "x", "-i", "nosuch"], "nosuch");
    check(&["search", "common AND"], "at character 8");
    check(&["search", "(common"], "at character 1");
    check(&["search", "common before:soon"], "at character 15");
    check(&["search", "common", "--set", "formula=1 + popularity"], "at character 5");
    check(&["search", "common", "--set", "k=-1"], "ranking.k");
    check(&["search", "common", "--set", "colour=red"], "colour");
    check(&["search", "common", "--set", "k"], "name=value");
    check(&["search", "common", "--sort", "colour"], "it has date, depth, fetched");
    check(&["search", "common", "--limit", "0"], "from 1 to 1000");
    check(&["search", "common", "-n", "1001"], "from 1 to 1000");
    check(&["search", "common", "--set", "weights.nosuch=2"], "it has anchor, text, title, url");
    check(&["search", "-common"], "-- -c");
    check(&["cached", &format!("{}page/1/", desk.site.start_url())], "page/1");
    check(&["search", "common", "--facet", "colour"], "cannot count colour");
    check(&["search", "common", "--cursor", "9.9"], "cursor");
    check(&["index", "status", "nosuch"], "nosuch");
    check(&["index", "drop", "nosuch"], "nosuch");
    check(&["index", "create", "../up"], "../up");
    check(&["index", "create", "x", "--project", "nosuch"], "nosuch");
    let file = desk.path("index.yaml");
    let with = |settings: &str, part: &str| {
        std::fs::write(&file, settings).unwrap();
        check(&["index", "create", "x", "--settings", file.to_str().unwrap()], part);
    };
    with("of: wishes\n", "wishes");
    with("rankings: {}\n", "rankings");
    with("ranking: {b: 2}\n", "ranking.b");
    with("ranking: {formula: log(stars}\n", "formula, at character");
    with("analysis: {language: klingon}\n", "klingon");
    with("fields: {titel: {weight: 2}}\n", "it has anchor, date, ");
    with("suggestions: {dictionary: /etc/passwd}\n", "in the data directory");
    assert!(desk.json(&["index", "list"]).iter().all(|index| index["name"] != "x"));
}

fn project(start: &str) -> String {
    format!("version: 1\nproject: site\nstart: [{start}]\ncrawl: {{scope: host, allow_private: true}}\n")
}

/// A page that links to others, each with a word of its own. When `changed`, the second says something else and the third is gone.
fn pages(changed: &Arc<AtomicBool>, count: usize) -> Arc<dyn Web> {
    let changed = Arc::clone(changed);
    small(&[], move |request| {
        let number = match request.path.as_str() {
            "/" => 0,
            path => match path.strip_prefix("/page/").and_then(|rest| rest.parse::<usize>().ok()) {
                Some(number) if number < count => number,
                _ => return missing(),
            },
        };
        let word = match (number, changed.load(Ordering::Relaxed)) {
            (2, true) => "afterwards".to_owned(),
            (3, true) => return missing(),
            _ => format!("own{number}"),
        };
        let linked = if number == 0 { 1..count } else { 0..0 };
        let links: String = linked.map(|next| format!("<a href=\"/page/{next}\">next</a> ")).collect();
        let text = format!(
            "<title>Page {number}</title><p>The common {word} of the page and more words.</p>{links}"
        );
        Answer::new(200, "text/html", text)
    })
}

#[test]
fn a_second_crawl_replaces_what_changed_and_removes_what_is_gone() {
    let changed = Arc::new(AtomicBool::new(false));
    let desk = Desk::new(pages(&changed, 12), project);
    desk.crawl(&[]);
    assert_eq!(desk.find(&["common"])["total"], 12);
    assert_eq!(desk.find(&["own2"])["total"], 1);
    changed.store(true, Ordering::Relaxed);
    desk.crawl(&["--fresh"]);
    assert_eq!(desk.find(&["common"])["total"], 11);
    assert_eq!(desk.find(&["afterwards"])["total"], 1);
    let exact = |word: &str| desk.find(&[word, "--set", "fuzzy=false"])["total"].clone();
    assert_eq!((exact("own2"), exact("own3"), exact("own4")), (0.into(), 0.into(), 1.into()));
}

/// How long after their request pages and rows are found, in microseconds, sorted; the server's log is the clock. While
/// the crawl runs a search reads nothing itself: what it finds is what the index has followed. `page` names the page of
/// a hit.
fn waited(desk: &Desk, more: &[&str], page: impl Fn(&Value) -> Option<String>) -> Vec<u64> {
    let before = desk.site.now();
    let mut run = desk.start(&desk.crawl_args(more));
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    let mut looks = 0;
    while run.is_alive() {
        let fetched = desk.site.since(before);
        let Some(now) = fetched.last().map(|entry| entry.us) else { continue };
        let answer = desk.find(&["", "-n", "1000", "-i", "live"]);
        looks += 1;
        for page in hits(&answer).iter().filter_map(&page) {
            found.entry(page).or_insert(now);
        }
    }
    run.finish();
    let mut waited = Vec::new();
    for entry in desk.site.since(before) {
        if let Some(seen) = found.remove(&url(&entry)) {
            waited.push(seen.saturating_sub(entry.us));
        }
    }
    waited.sort_unstable();
    println!("{looks} looks, {} pages seen while it ran", waited.len());
    waited
}

#[track_caller]
fn check_p95(waited: &[u64], least: usize) {
    assert!(waited.len() > least, "{} pages", waited.len());
    let p95 = waited[waited.len() * 95 / 100];
    println!("p50 {} ms, p95 {} ms after their request", waited[waited.len() / 2] / 1_000, p95 / 1_000);
    assert!(p95 < 5_000_000, "{p95} µs");
}

#[test]
fn pages_are_found_while_the_crawl_runs() {
    const PAGES: usize = 150;
    let desk = Desk::new(pages(&Arc::default(), PAGES), project);
    desk.crawl(&["--max-pages", "1"]);
    desk.ask(&["index", "create", "live"]);
    let waited = waited(&desk, &["--rate", "30/s"], |hit| hit["url"].as_str().map(str::to_owned));
    check_p95(&waited, PAGES / 2);
    assert_eq!(desk.documents("live").len(), PAGES);
    check_same_as_anew(&desk);
}

/// What was taken from the running crawl is what the archive would have given.
#[track_caller]
fn check_same_as_anew(desk: &Desk) {
    desk.ask(&["index", "create", "anew"]);
    let all = |index: &str| desk.find(&["", "-n", "1000", "-i", index])["hits"].clone();
    let (live, anew) = (all("live"), all("anew"));
    assert!(!live.as_array().unwrap().is_empty());
    for (live, anew) in live.as_array().unwrap().iter().zip(anew.as_array().unwrap()) {
        assert_eq!(live, anew);
    }
    assert_eq!(live, anew);
}

#[test]
fn rows_are_found_while_the_crawl_runs() {
    let desk = Desk::shop();
    desk.crawl(&["--max-pages", "1"]);
    desk.ask(&["index", "create", "live"]);
    // A row's name begins with its project and its page.
    let page = |hit: &Value| {
        let mut name = hit["id"].as_str()?.split(' ');
        (name.next() == Some("row")).then(|| name.nth(1).map(str::to_owned)).flatten()
    };
    let waited = waited(&desk, &["--rate", "30/s", "--max-pages", "200"], page);
    check_p95(&waited, 5);
    check_same_as_anew(&desk);
}

#[test]
fn a_formula_knows_what_links_say_of_a_page() {
    let desk = Desk::shop();
    desk.crawl(&["--max-pages", "40"]);
    let ranked = desk.json(&["rank", "--limit", "1000"]);
    let pages = ranked.last().unwrap()["pages"].as_f64().unwrap();
    let answer = desk.find(&["tent", "-n", "5", "--set", "formula=1000 * pagerank + inlinks", "--explain"]);
    assert!(!hits(&answer).is_empty());
    for hit in hits(&answer) {
        let url = hit["url"].as_str().unwrap();
        let rank = ranked.iter().find(|row| row["id"] == url).unwrap()["rank"].as_f64().unwrap();
        let links = desk.json(&["graph", "to", url]);
        let sources = links.iter().filter_map(|link| link["source"].as_str());
        // A page's links to itself say nothing of it.
        let sources: BTreeSet<&str> = sources.filter(|source| *source != url).collect();
        let told = hit["explanation"].to_string();
        let value = |name: &str| -> f64 {
            let from = told.find(&format!("\"label\":\"{name}\"")).unwrap_or_else(|| panic!("{told}"));
            let value = &told[from..][told[from..].find("\"value\":").unwrap() + 8..];
            value[..value.find([',', '}']).unwrap()].parse().unwrap()
        };
        assert!((value("pagerank") - rank * pages).abs() < 1e-4 * rank * pages, "{url}: {told}");
        assert_eq!(value("inlinks") as usize, sources.len(), "{url}: {told}");
    }
}

#[test]
fn judged_queries_are_measured_and_compared() {
    let small = concat!(env!("CARGO_MANIFEST_DIR"), "/../search/tests/collections/small");
    let said = gannet(&["evaluate", "--collection", small, "--json"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    for measure in ["map", "ndcg@10", "p@5", "recall@100"] {
        let value = answer["mean"][measure].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&value), "{measure}: {value}");
    }
    assert_eq!(answer["queries"].as_array().unwrap().len(), 8);
    let compared =
        gannet(&["evaluate", "--collection", small, "--set", "proximity=0", "--against", "k=0", "--json"]);
    let compared: Value = serde_json::from_str(&compared.out).unwrap();
    assert!(compared["comparison"].as_array().is_some_and(|all| !all.is_empty()), "{compared}");
    let missing = gannet(&["evaluate", "--collection", "/nowhere"]);
    assert!(missing.err.contains("/nowhere") && missing.code != Some(0), "{}", missing.err);
}
