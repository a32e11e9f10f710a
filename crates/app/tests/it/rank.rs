//! `gannet rank` as people meet it.

use std::sync::Arc;

use serde_json::Value;
use webs::demo::Demo;

use crate::gannet::{Said, gannet, gannet_with};
use crate::served::Served;

const EDGES: &[u8] =
    b"# source target weight\nhttp://a.test/1 http://b.test/1 3\nhttp://a.test/2 http://b.test/1\n\
    http://b.test/1 http://a.test/1\nhttp://c.test/ http://a.test/2 2\n";

fn ranks(said: &Said) -> Vec<(String, f64)> {
    assert_eq!((said.err.as_str(), said.code), ("", Some(0)));
    let read = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        (row["id"].as_str().unwrap().to_owned(), row["rank"].as_f64().unwrap())
    };
    said.out.lines().map(read).collect()
}

#[test]
fn edges_become_ranks_best_first_that_add_up_to_one() {
    let found = ranks(&gannet_with(&["rank", "--edges", "-", "--json"], EDGES, &[]));
    let names: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(names, ["http://b.test/1", "http://a.test/1", "http://a.test/2", "http://c.test/"]);
    let sum: f64 = found.iter().map(|(_, rank)| rank).sum();
    assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    let text = gannet_with(&["rank", "--edges", "-", "--limit", "1"], EDGES, &[]).out;
    assert_eq!(text, format!("http://b.test/1\t{}\n", found[0].1));
}

#[test]
fn hosts_and_distances_are_ranked_too() {
    let hosts = ranks(&gannet_with(&["rank", "--edges", "-", "--by", "hosts", "--json"], EDGES, &[]));
    let names: Vec<&str> = hosts.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(names, ["a.test", "b.test", "c.test"]);
    let near = ranks(&gannet_with(&["rank", "--edges", "-", "--by", "harmonic", "--json"], EDGES, &[]));
    assert_eq!(near[0], ("http://b.test/1".to_owned(), 2.5));
}

#[test]
fn trust_spreads_from_the_sites_named_alone() {
    let dir = tempfile::tempdir().unwrap();
    let list = dir.path().join("good.txt");
    std::fs::write(&list, "# good\nb.test\n").unwrap();
    let list = list.to_str().unwrap();
    let found = ranks(&gannet_with(&["rank", "--edges", "-", "--trusted", list, "--json"], EDGES, &[]));
    let without: Vec<&str> =
        found.iter().filter(|(_, rank)| *rank == 0.0).map(|(id, _)| id.as_str()).collect();
    assert_eq!(without, ["http://a.test/2", "http://c.test/"]);
    std::fs::write(list, "elsewhere.test\nb.test\nhttp://a.test/9\n").unwrap();
    let said = gannet_with(&["rank", "--edges", "-", "--trusted", list, "--json"], EDGES, &[]);
    assert_eq!(
        said.err,
        "gannet: 2 of 3 pages and hosts to trust are not known: elsewhere.test, http://a.test/9\n"
    );
    assert_eq!(ranks(&Said { err: String::new(), ..said }), found);
    std::fs::write(list, "elsewhere.test\n").unwrap();
    let said = gannet_with(&["rank", "--edges", "-", "--trusted", list], EDGES, &[]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("names none of the pages"), "{}", said.err);
}

#[test]
fn a_wrong_list_is_refused_by_its_line() {
    let said = gannet_with(&["rank", "--edges", "-"], b"a b\na b heavy\n", &[]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("line 2: weight \"heavy\" is not a positive number"), "{}", said.err);
    let said = gannet(&["rank", "--edges", "/nowhere/edges.tsv"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.starts_with("gannet: cannot open /nowhere/edges.tsv"), "{}", said.err);
}

/// The demo site, crawled → the flag that names its data directory.
fn crawled(dir: &std::path::Path) -> String {
    let site = Served::start(Arc::new(Demo::new(1, 1)));
    let (start, data) = (site.start_url(), format!("--data={}", dir.display()));
    let crawl = ["crawl", &start, &data, "-q", "--allow-private", "--rate=unlimited", "--max-pages=60"];
    assert_eq!(gannet(&crawl).code, Some(0));
    data
}

#[test]
fn exported_links_have_the_ranks_of_their_crawl() {
    let dir = tempfile::tempdir().unwrap();
    let data = crawled(dir.path());
    let edges = gannet(&["graph", "export", &data]);
    assert_eq!(edges.code, Some(0), "{}", edges.err);
    let listed = ranks(&gannet_with(&["rank", "--edges", "-", "--json"], edges.out.as_bytes(), &[]));
    let said = gannet(&["rank", &data, "--json", "--limit=100000"]);
    let rows = said.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let known: Vec<(String, f64)> = rows
        .filter_map(|row| Some((row["id"].as_str()?.to_owned(), row["rank"].as_f64()?)))
        .filter(|(id, _)| listed.iter().any(|(listed, _)| listed == id))
        .collect();
    // URLs without links count in the crawl alone: the order is the same, and so is each share of the listed.
    assert!(listed.len() > 50 && known.len() == listed.len(), "{} of {}", known.len(), listed.len());
    let (best, first) = (&known[0], &listed[0]);
    assert_eq!(best.0, first.0);
    let graphml = gannet(&["graph", "export", "--format=graphml", &data]).out;
    assert!(graphml.starts_with("<?xml") && graphml.trim_end().ends_with("</graphml>"), "{graphml}");
    assert!(graphml.matches("<edge ").count() >= edges.out.lines().count());
    assert!(graphml.matches("<node ").count() >= listed.len());
}

#[test]
fn a_list_of_trusted_sites_may_name_some_that_the_crawl_does_not_know() {
    let dir = tempfile::tempdir().unwrap();
    let data = crawled(dir.path());
    let list = dir.path().join("good.txt");
    let best = gannet(&["rank", &data, "--json", "--limit=1"]).out;
    let best: Value = serde_json::from_str(best.lines().next().unwrap()).unwrap();
    let host = best["id"].as_str().unwrap().split('/').nth(2).unwrap();
    let trust = |names: &str| {
        std::fs::write(&list, names).unwrap();
        gannet(&["rank", &data, "--trusted", list.to_str().unwrap()])
    };
    let said = trust(&format!("{host}\nexample.org\n"));
    assert_eq!(
        (said.err.as_str(), said.code),
        ("gannet: 1 of 2 pages and hosts to trust are not known: example.org\n", Some(0))
    );
    assert!(said.out.contains(host), "{}", said.out);
    let said = trust("example.org\n");
    assert!(
        said.code == Some(2) && said.err.contains("none of the pages and hosts to trust"),
        "{}",
        said.err
    );
}

#[test]
fn the_hours_of_a_run_are_listed_and_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let data = crawled(dir.path());
    let said = gannet(&["rank", "--by-hour=1", &data, "--json"]);
    let hour: Value = serde_json::from_str(said.out.lines().next().unwrap()).unwrap();
    assert_eq!((hour["hour"].as_u64(), hour["pages"].as_u64()), (Some(1), Some(60)), "{}", said.out);
    assert!(hour["mean"].as_f64() > Some(1.0), "important pages come first: {hour}");
    let said = gannet(&["rank", "--by-hour=1", &data]);
    assert!(said.code == Some(0) && said.out.contains("60"), "{}", said.out);
}

#[test]
fn ranks_that_nobody_asks_for_are_left_to_the_first_index() {
    let dir = tempfile::tempdir().unwrap();
    let ranks = dir.path().join("ranks").join("00001");
    let site = Served::start(Arc::new(Demo::new(1, 1)));
    let (start, data) = (site.start_url(), format!("--data={}", dir.path().display()));
    let crawl = |more: &str| {
        let crawl =
            ["crawl", &start, &data, "-q", "--allow-private", "--rate=unlimited", "--max-pages=60", more];
        assert_eq!(gannet(&crawl).code, Some(0));
    };
    crawl("--duplicates=off");
    assert!(!ranks.exists(), "no search, and no copies to choose among");
    assert_eq!(gannet(&["search", "lamp", &data]).code, Some(0));
    assert!(ranks.exists(), "the first search makes an index, and ranks for it");
    std::fs::remove_file(&ranks).unwrap();
    crawl("--duplicates=off");
    assert!(ranks.exists(), "now there is an index");
}
