//! `gannet simulate` as people meet it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use webs::demo::Demo;

use crate::gannet::gannet;
use crate::served::Served;

/// A column of a list of downloads, of one order.
fn column(files: &[(String, Vec<u8>)], order: &str, at: usize) -> Vec<String> {
    let (_, list) = files.iter().find(|(name, _)| name == "downloads.csv").unwrap();
    let list = String::from_utf8(list.clone()).unwrap();
    let lines = list.lines().filter(|line| line.starts_with(order));
    lines.map(|line| line.split(',').nth(at).unwrap().to_owned()).collect()
}

/// Simulates a file's text → what was said, and the files written.
fn simulate(dir: &Path, text: &str, name: &str) -> (String, Vec<(String, Vec<u8>)>) {
    let plan = dir.join("sim.yaml");
    fs::write(&plan, text).unwrap();
    let out = dir.join(name);
    let [data, plan] = [dir.join("data"), plan].map(|path| path.display().to_string());
    let said = gannet(&["simulate", "-p", &plan, "--out", &out.display().to_string(), "--data", &data]);
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
        "hours.csv",
        "load.csv",
        "load.png",
        "load.svg",
        "mass-by-time.png",
        "mass-by-time.svg",
        "mass.png",
        "mass.svg",
        "order-of-download.png",
        "order-of-download.svg",
        "outcomes.json",
        "pages-by-time.png",
        "pages-by-time.svg",
        "rank-by-hour.png",
        "rank-by-hour.svg",
        "relevant.png",
        "relevant.svg",
        "table.csv",
        "verdict.txt",
    ];
    assert_eq!(names, expected);
    let one = text.replace("workers: 8", "workers: 1");
    let (_, files) = simulate(dir.path(), &one, "one");
    assert!(files.iter().all(|(name, _)| name != "load.svg"), "of the simulation before");
}

#[test]
fn a_list_of_edges_is_crawled_from_where_it_says() {
    let dir = tempfile::tempdir().unwrap();
    let edges = dir.path().join("edges.tsv");
    fs::write(&edges, "a b\na c\nb d\nd e\nx a\n").unwrap();
    let web = format!(
        "web: {{edges: {}}}\norders: [breadth-first, depth-first]\nrate: unlimited\n",
        edges.display()
    );
    // Numbers are the order in which the list names pages.
    let (_, files) = simulate(dir.path(), &web, "a");
    for order in ["breadth-first", "depth-first"] {
        assert_eq!(column(&files, order, 3).join(" "), "0 1 2 3 4", "{order}");
        assert_eq!(column(&files, order, 4).join(" "), "a b c d e", "{order}");
    }
    let (_, files) = simulate(dir.path(), &format!("{web}start: [d]\n"), "d");
    assert_eq!(column(&files, "breadth-first", 4).join(" "), "d e");
    let plan = dir.path().join("wrong.yaml");
    fs::write(&plan, format!("{web}start: [nowhere]\n")).unwrap();
    let out = dir.path().join("wrong");
    let said = gannet(&["simulate", "-p", &plan.display().to_string(), "--out", &out.display().to_string()]);
    assert!(said.err.contains("has no page nowhere") && said.code == Some(2), "{}", said.err);
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0, "what failed leaves nothing");
}

#[test]
fn the_table_tells_pages_a_second() {
    let dir = tempfile::tempdir().unwrap();
    let text = "web: {generated: {pages: 300}}\norders: [breadth-first]\nrate: 2/s\n";
    let (said, _) = simulate(dir.path(), text, "out");
    let lines: Vec<Vec<&str>> = said.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0].last(), Some(&"PAGES/S"), "{said}");
    assert_eq!(lines[2].first(), Some(&"breadth-first"), "{said}");
    assert_eq!(lines[2].last(), Some(&"2.0"), "{said}");
}

/// Pages of the demo site, crawled as the project `demo` → the flag that names its data directory.
fn crawled(dir: &Path) -> String {
    let site = Served::start(Arc::new(Demo::new(1, 1)));
    let project = dir.join("demo.yaml");
    let text =
        format!("version: 1\nproject: demo\nstart: ['{}']\ncrawl: {{max_pages: 60}}\n", site.start_url());
    fs::write(&project, text).unwrap();
    let (project, data) = (project.display().to_string(), format!("--data={}", dir.join("data").display()));
    let said = gannet(&["crawl", "--project", &project, &data, "-q", "--allow-private", "--rate=unlimited"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    data
}

/// How many pages a data directory has.
fn pages(data: &str) -> usize {
    gannet(&["pages", data, "--outcome=fetched", "--json"]).out.lines().count()
}

#[test]
fn an_archive_and_the_crawl_that_made_it_are_simulated_whole() {
    let dir = tempfile::tempdir().unwrap();
    let data = crawled(dir.path());
    let (_, of_crawl) = simulate(dir.path(), "web: {crawl: demo}\norders: [breadth-first]\n", "crawl");
    let mut urls = column(&of_crawl, "breadth-first", 4);
    assert_eq!((urls.len(), pages(&data)), (60, 60));
    let first = urls[0].clone();
    let warc = dir.path().join("demo.warc.gz").display().to_string();
    assert_eq!(gannet(&["export", "warc", &data, "-o", &warc]).code, Some(0));
    let text = format!("web: {{warc: [{warc}]}}\norders: [breadth-first]\n");
    let (_, of_warc) = simulate(dir.path(), &text, "warc");
    let mut archived = column(&of_warc, "breadth-first", 4);
    assert_eq!(archived[0], first, "where the crawl began");
    urls.sort();
    archived.sort();
    assert_eq!(archived, urls);
    // It begins elsewhere where that is said.
    let text = format!("web: {{crawl: demo}}\norders: [breadth-first]\nstart: ['{}']\n", urls[5]);
    let (_, files) = simulate(dir.path(), &text, "elsewhere");
    assert_eq!(column(&files, "breadth-first", 4)[0], urls[5]);
}

#[test]
fn what_cannot_be_simulated_is_refused_before_anything_is_fetched() {
    let dir = tempfile::tempdir().unwrap();
    let data = crawled(dir.path());
    let plan = dir.path().join("sim.yaml");
    let refused = |more: &[&str], words: &str| {
        let said = gannet(&[&["simulate", &data], more].concat());
        assert_eq!(said.code, Some(2), "{more:?}: {}", said.err);
        assert!(said.err.contains(words), "{more:?}: {}", said.err);
    };
    refused(&["--run=1", "--order=topic", "--fill=3"], "order topic needs a topic");
    refused(&["--run=1", "--out=figures"], "cannot be used with");
    refused(&["--order=random", "--out=figures"], "cannot be used with");
    let file = plan.display().to_string();
    fs::write(&plan, "web: {crawl: demo}\norders: [random, topic]\n").unwrap();
    refused(&["-p", &file, "--fill=3"], "order topic needs a topic");
    refused(&["-p", &file], "order topic goes by a topic, and the web to simulate has none");
    let runs = gannet(&["runs", &data, "--json"]).out;
    assert_eq!(runs.lines().count(), 1, "{runs}");
    assert_eq!(pages(&data), 60);
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
