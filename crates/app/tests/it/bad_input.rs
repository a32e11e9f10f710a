//! A data directory that cannot be used: one clear sentence, the exit code for it, and nothing changed on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::gannet::gannet;
use crate::kept::Kept;
use crate::process::Running;
use crate::served::{Served, missing, page, small};

/// Runs a crawl into `data` that must fail so.
#[track_caller]
fn check(data: &Path, code: i32, sentence: &str) {
    let before = tree(data);
    let said = gannet(&["crawl", "http://127.0.0.1:9/", "--allow-private", "--data", data.to_str().unwrap()]);
    assert_eq!((said.err.as_str(), said.out.as_str()), (format!("gannet: {sentence}\n").as_str(), ""));
    assert_eq!(said.code, Some(code));
    assert_eq!(tree(data), before, "nothing is changed");
}

/// Every file below, or the file itself, with its content.
fn tree(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            found.extend(tree(&entry.unwrap().path()));
        }
        found.insert(format!("{}/", path.display()), Vec::new());
    } else if path.exists() {
        found.insert(path.display().to_string(), fs::read(path).unwrap());
    }
    found
}

/// A directory with a finished crawl in it.
fn crawled(folder: &Path) -> Served {
    let site = Served::start(small(&[], |request| match request.path.as_str() {
        "/" => page(["/1"]),
        "/1" => page(["/"]),
        _ => missing(),
    }));
    crawl(&site, folder).finish();
    site
}

fn crawl(site: &Served, data: &Path) -> Running {
    let data = format!("--data={}", data.display());
    let endless = "--max-stale-per-template=0";
    Running::start(&["crawl", &site.start_url(), &data, "-q", "--allow-private", "--rate=unlimited", endless])
}

#[test]
fn a_file_in_place_of_the_directory_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::write(&data, "mine").unwrap();
    let shown = data.display();
    check(&data, 1, &format!("cannot read {shown}/VERSION: Not a directory (os error 20)"));
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("letter.txt"), "Dear all").unwrap();
    let shown = folder.path().display();
    let sentence =
        format!("{shown} is not a data directory: it has no VERSION file; name another or an empty one");
    check(folder.path(), 2, &sentence);
}

#[test]
fn another_version_is_refused_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let site = crawled(&data);
    let shown = data.display();
    let version = data.join("VERSION");
    fs::write(&version, "7\n").unwrap();
    let newer = "a newer version of it wrote this: update it";
    check(&data, 2, &format!("{shown} has format 7, this program reads format 1; {newer}"));
    fs::write(&version, "0\n").unwrap();
    let older = "an older version of it wrote this";
    check(&data, 2, &format!("{shown} has format 0, this program reads format 1; {older}"));
    for damaged in ["", "one\n", "1 1\n", "\u{fffd}"] {
        fs::write(&version, damaged).unwrap();
        check(&data, 4, &format!("{shown}/VERSION cannot be read as a version number"));
    }
    fs::write(&version, [0xff, 0xfe]).unwrap();
    check(&data, 4, &format!("{shown}/VERSION cannot be read as a version number"));
    // Nothing was lost by it.
    fs::write(&version, "1\n").unwrap();
    crawl(&site, &data).finish();
    assert_eq!(Kept::read(&data).pages().len(), 2);
}

#[test]
fn a_damaged_catalog_is_not_taken_for_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let site = crawled(&data);
    let log = site.log().len();
    // Its journal may still hold all of it.
    for journal in ["gannet.db-wal", "gannet.db-shm"] {
        let _ = fs::remove_file(data.join(journal));
    }
    fs::write(data.join("gannet.db"), "this is no database, but long enough to be looked at as one").unwrap();
    let said = gannet(&["crawl", &site.start_url(), "--allow-private", "--data", data.to_str().unwrap()]);
    assert_eq!(said.code, Some(4), "{}", said.err);
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    assert!(said.err.contains("gannet.db"), "{}", said.err);
    assert_eq!(site.log().len(), log);
}

#[test]
fn a_second_process_on_one_directory_is_told_so() {
    let site = Served::start(small(&[], |request| match request.path.as_str() {
        "/robots.txt" => missing(),
        path => page([format!("{path}1"), format!("{path}2")]),
    }));
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let shown = data.display().to_string();
    let mut first = crawl(&site, &data);
    site.wait_for(3, 0, || first.is_alive());
    let second = gannet(&["crawl", "http://127.0.0.1:9/", "--allow-private", "--data", &shown]);
    assert_eq!(second.err, format!("gannet: {shown} is in use by another process\n"));
    assert_eq!((second.code, second.out.as_str()), (Some(3), ""));
    assert!(first.is_alive(), "the first one goes on");
    first.signal("INT");
    assert_eq!(first.wait().code, Some(130));
    assert!(Kept::read(&data).pages().len() > 2);
}

#[test]
fn a_bad_pattern_or_a_half_written_project_makes_no_directory() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let file = folder.path().join("shop.yaml");
    let text = "version: 1\nproject: shop\nstart: [http://127.0.0.1:9/]\ncrawl:\n  exclude: [\"/calendar/*\", \"regex:a";
    let shown = (data.to_str().unwrap(), file.to_str().unwrap());
    // Not between two whole keys: a file that ends there is a whole file.
    for last in
        ["vers", "version:", "proj", "start: [http", "/]\ncra", "exclu", "[\"/calendar", "/*\", ", "regex:a"]
    {
        let end = text.find(last).unwrap() + last.len();
        fs::write(&file, &text[..end]).unwrap();
        let said = gannet(&["crawl", "-p", shown.1, "--data", shown.0]);
        assert_eq!(said.code, Some(2), "{:?}: {}", &text[..end], said.err);
        assert_eq!(said.err.lines().count(), 1, "{:?}: {}", &text[..end], said.err);
        assert!(
            said.err.starts_with(&format!("gannet: {}", shown.1)) || said.err.contains("no URL"),
            "{}",
            said.err
        );
    }
    let said = gannet(&["crawl", "http://a.test/", "--data", shown.0, "--include", "regex:[a"]);
    assert_eq!(said.code, Some(2));
    assert_eq!(
        said.err,
        "gannet: --include: \"regex:[a\" is no pattern; at character 7: unclosed character class\n"
    );
    assert!(!data.exists());
}
