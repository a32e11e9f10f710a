//! Answers for people: what a hit shows, what is said of those that are not shown, and indexes over what came later.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use webs::{Answer, Web};

use crate::search::{Desk, hits};
use crate::served::{missing, small};

fn project(name: &'static str) -> impl FnOnce(&str) -> String {
    move |start| {
        format!(
            "version: 1\nproject: {name}\nstart: [{start}]\ncrawl: {{scope: host, allow_private: true}}\n"
        )
    }
}

/// A front page and three others: when `changed`, one says something else, one must not be shown, one leads elsewhere.
fn camp(changed: &Arc<AtomicBool>) -> Arc<dyn Web> {
    let changed = Arc::clone(changed);
    small(&[], move |request| {
        let changed = changed.load(Ordering::Relaxed);
        let html = |text: &str| Answer::new(200, "text/html", text.to_owned());
        match request.path.as_str() {
            "/" => html(
                "<title>Home</title><p>All about camping.</p>\
                 <a href=/tent>first</a> <a href=/stove>second</a> <a href=/lamp>third</a>",
            ),
            "/tent" if changed => html("<title>Tent</title><p>Tents of canvas, new."),
            "/tent" => html(
                "<title>Tent</title><meta name=author content='Ada Camper'>\
                 <meta property='article:published_time' content='2024-05-06T10:00:00Z'>\
                 <meta property='og:image' content='http://images.test/tent.png'><p>Tents of silk, old.",
            ),
            "/stove" if changed => {
                html("<title>Stove</title><meta name=robots content=noindex><p>A gas stove.")
            }
            "/stove" => html("<title>Stove</title><p>A gas stove and a tent."),
            "/lamp" if changed => html("<title>Lamp</title><p>An oil lamp beside the tent."),
            "/lamp" => html("<title>Lamp</title><p>An oil lamp in the tent."),
            _ => missing(),
        }
    })
}

#[test]
fn a_hit_shows_who_wrote_it_and_when_and_what_is_left_out_is_said() {
    let desk = Desk::new(camp(&Arc::default()), project("camp"));
    desk.crawl(&[]);
    let answer = desk.find(&["silk"]);
    let hit = &hits(&answer)[0];
    assert_eq!(
        (hit["author"].as_str(), hit["image"].as_str()),
        (Some("Ada Camper"), Some("http://images.test/tent.png"))
    );
    assert_eq!(hit["date"].as_i64(), Some(1_714_989_600));
    let text = desk.ask(&["search", "silk"]);
    assert!(text.contains("by Ada Camper · 2024-05-06"), "{text}");

    let text = desk.ask(&["search", "tent", "--set", "per_site=1"]);
    assert!(
        text.starts_with("3 hits, 3 with all words, 1 shown: 2 more of the same site (per_site)\n"),
        "{text}"
    );
    assert!(text.contains("more of this site"), "{text}");
    let text = desk.ask(&["search", "tent~"]);
    assert!(!text.contains("nothing has"), "{text}");
    let like = desk.ask(&["search", "--like", &format!("{}tent", desk.site.start_url())]);
    assert!(!like.contains("all words"), "{like}");

    desk.ask(&["index", "create", "other"]);
    desk.ask(&["index", "drop", "camp"]);
    let text = desk.ask(&["search", "tent"]);
    assert!(text.starts_with("in index other: project camp has none"), "{text}");
    let status = desk.ask(&["index", "status"]);
    assert!(
        status.contains("other: ") && status.contains("columns: ") && status.contains("date (date)"),
        "{status}"
    );
    assert!(status.contains("settings: the usual ones"), "{status}");
    let file = desk.path("own.yaml");
    std::fs::write(&file, "fields: {title: {weight: 2}}\nranking: {k: 2}\n").unwrap();
    desk.ask(&["index", "create", "own", "--settings", file.to_str().unwrap()]);
    let status = desk.ask(&["index", "status", "own"]);
    assert!(status.contains("  fields.title.weight: 2") && status.contains("  ranking.k: 2"), "{status}");
    assert!(!status.contains("ranking.b"), "{status}");
}

#[test]
fn a_refresh_replaces_what_changed_and_removes_what_must_not_be_shown() {
    let changed = Arc::new(AtomicBool::new(false));
    let desk = Desk::new(camp(&changed), project("camp"));
    desk.crawl(&[]);
    let total = |word: &str| desk.find(&[word, "--set", "fuzzy=false"])["total"].as_u64().unwrap();
    assert_eq!((total("silk"), total("canvas"), total("gas"), total("oil")), (1, 0, 1, 1));
    changed.store(true, Ordering::Relaxed);
    desk.ask(&["refresh", "-q"]);
    assert_eq!((total("silk"), total("canvas"), total("gas"), total("oil")), (0, 1, 0, 1));
    assert_eq!(desk.find(&["tent"])["total"], 2);
}

#[test]
fn an_index_over_two_projects_finds_pages_of_both_and_is_measured() {
    let desk = Desk::new(camp(&Arc::default()), project("camp"));
    desk.crawl(&[]);
    let other = Desk::new(camp(&Arc::default()), project("other")).at(&desk.data);
    other.crawl(&[]);
    desk.ask(&["index", "create", "both", "--project", "camp", "--project", "other"]);
    let find = |query: &str| -> Vec<Value> { hits(&desk.find(&[query, "-i", "both"])).to_vec() };
    let urls: Vec<String> = find("silk").iter().map(|hit| hit["url"].as_str().unwrap().to_owned()).collect();
    assert_eq!(urls.len(), 2, "{urls:?}");
    assert!(urls.contains(&format!("{}tent", desk.site.start_url())), "{urls:?}");
    assert!(urls.contains(&format!("{}tent", other.site.start_url())), "{urls:?}");
    assert_eq!(find("silk project:other").len(), 1);
    assert_eq!(desk.find(&["tent", "-i", "both"])["total"], 6);

    let (queries, qrels) = (desk.path("queries.tsv"), desk.path("qrels.tsv"));
    std::fs::write(&queries, "1\tsilk\n2\toil\n").unwrap();
    let start = desk.site.start_url();
    std::fs::write(&qrels, format!("1\t{start}tent\t1\n2\t{start}lamp\t1\n")).unwrap();
    let (queries, qrels) = (queries.to_str().unwrap(), qrels.to_str().unwrap());
    let evaluate = ["evaluate", "-i", "both", "--queries", queries, "--qrels", qrels];
    let answer =
        &desk.json(&[&evaluate[..], &["--measure", "set_recall", "--measure", "set_precision"]].concat())[0];
    assert_eq!(
        (answer["mean"]["recall"].as_f64(), answer["mean"]["precision"].as_f64()),
        (Some(1.0), Some(0.5))
    );
    let compared = &desk.json(&[&evaluate[..], &["--against", "k=0"]].concat())[0];
    assert!(compared["comparison"].as_array().is_some_and(|all| !all.is_empty()), "{compared}");
    assert!(desk.ask(&evaluate).contains("2 judged queries"));
}
