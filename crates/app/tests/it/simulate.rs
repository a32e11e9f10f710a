//! `gannet simulate` as people meet it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use webs::demo::Demo;

use crate::gannet::gannet;
use crate::served::Served;

/// Simulates a file's text → what was said, and the files written.
fn simulate(dir: &Path, text: &str, name: &str) -> (String, Vec<(String, Vec<u8>)>) {
    let plan = dir.join("sim.yaml");
    fs::write(&plan, text).unwrap();
    let out = dir.join(name);
    let said = gannet(&["simulate", "-p", &plan.display().to_string(), "--out", &out.display().to_string()]);
    assert_eq!((said.err.as_str(), said.code), ("", Some(0)));
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    (said.out, files)
}

#[test]
fn the_same_simulation_writes_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let text = "web: {generated: {pages: 1000, hosts: 5, topic: 0.1}}\norders: [breadth-first, pagerank, topic]\n\
                seeds: [1, 2]\nrate: 2/s\nworkers: 8\n";
    let (said, files) = simulate(dir.path(), text, "one");
    assert_eq!((said, files.clone()), simulate(dir.path(), text, "two"));
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "curves.csv",
        "downloads.csv",
        "load.png",
        "load.svg",
        "mass-by-time.png",
        "mass-by-time.svg",
        "mass.png",
        "mass.svg",
        "outcomes.json",
        "rank-by-hour.png",
        "rank-by-hour.svg",
        "relevant.png",
        "relevant.svg",
        "table.csv",
        "verdict.txt",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_list_of_edges_is_crawled_from_where_it_says() {
    let dir = tempfile::tempdir().unwrap();
    let edges = dir.path().join("edges.tsv");
    fs::write(&edges, "a b\na c\nb d\nd e\nx a\n").unwrap();
    let web = format!("web: {{edges: {}}}\norders: [breadth-first, depth-first]\n", edges.display());
    let orders = |files: &[(String, Vec<u8>)]| {
        let (_, list) = files.iter().find(|(name, _)| name == "downloads.csv").unwrap();
        let list = String::from_utf8(list.clone()).unwrap();
        let of = |order: &str| {
            let lines = list.lines().filter(|line| line.starts_with(order));
            lines.map(|line| line.split(',').nth(3).unwrap()).collect::<Vec<_>>().join(" ")
        };
        (of("breadth-first"), of("depth-first"))
    };
    // Numbers are the order in which the list names pages: a b c d e x.
    let (_, files) = simulate(dir.path(), &web, "a");
    assert_eq!(orders(&files), ("0 1 2 3 4".to_owned(), "0 1 2 3 4".to_owned()));
    let (_, files) = simulate(dir.path(), &format!("{web}start: [d]\n"), "d");
    assert_eq!(orders(&files).0, "3 4");
    let plan = dir.path().join("wrong.yaml");
    fs::write(&plan, format!("{web}start: [nowhere]\n")).unwrap();
    let said = gannet(&["simulate", "-p", &plan.display().to_string()]);
    assert!(said.err.contains("has no page nowhere") && said.code != Some(0), "{}", said.err);
}

#[test]
fn missing_pages_are_fetched_and_kept_when_asked() {
    let site = Served::start(Arc::new(Demo::new(1, 1)));
    let dir = tempfile::tempdir().unwrap();
    let (start, data) = (site.start_url(), format!("--data={}", dir.path().display()));
    let crawl = ["crawl", &start, &data, "-q", "--allow-private", "--rate=unlimited", "--max-pages=5"];
    assert_eq!(gannet(&crawl).code, Some(0));
    let told = |more: &[&str]| {
        let said = gannet(&[&["simulate", "--run=1", "--rate=1/s", "--json", &data], more].concat());
        assert_eq!(said.code, Some(0), "{}", said.err);
        serde_json::from_str::<serde_json::Value>(&said.out).unwrap()
    };
    let before = told(&[]);
    assert_eq!(before["pages"], 5);
    assert!(before["known"].as_u64() > Some(15), "{before}");
    // The project has its limit of five pages still, so that no more of them are simulated.
    let after = told(&["--fill=10"]);
    assert_eq!(after["pages"], 5);
    assert!(after["known"].as_u64() > before["known"].as_u64(), "{before} {after}");
    let fetched = gannet(&["pages", &data, "--outcome=fetched", "--json"]);
    assert_eq!(fetched.out.lines().count(), 15, "{}", fetched.out);
    let said = gannet(&["simulate", "--fill=10", &data]);
    assert!(said.code == Some(2) && said.err.contains("--fill goes on with a crawl"), "{}", said.err);
}
