//! The corpora as ordinary tests: what the fuzzer starts from holds without it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fuzz::{LONGEST, TARGETS, Target};

/// Bytes that all corpora may have: they are seeds, not a collection.
const MOST_BYTES: u64 = 300_000;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn seeds(target: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus().join(target)).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn check(name: &str) {
    let target = Target::named(name).unwrap();
    for seed in seeds(name) {
        println!("{}", seed.display());
        let input = std::fs::read(&seed).unwrap();
        assert!(input.len() <= LONGEST, "{} is longer than inputs that are tried", seed.display());
        (target.check)(&input);
    }
}

#[test]
fn urls_hold() {
    check("url");
}

#[test]
fn robots_files_hold() {
    check("robots");
}

#[test]
fn pages_hold() {
    check("page");
}

#[test]
fn responses_hold() {
    check("response");
}

#[test]
fn content_codings_hold() {
    check("decode");
}

#[test]
fn warc_files_hold() {
    check("warc");
}

#[test]
fn project_files_hold() {
    check("project");
}

#[test]
fn patterns_hold() {
    check("pattern");
}

#[test]
fn selectors_hold() {
    check("select");
}

#[test]
fn crawl_hints_hold() {
    check("hints");
}

#[test]
fn page_types_hold() {
    check("template");
}

#[test]
fn queries_hold() {
    check("query");
}

#[test]
fn formulas_hold() {
    check("formula");
}

#[test]
fn suggestions_hold() {
    check("suggestions");
}

#[test]
fn vocabularies_hold() {
    check("vocabulary");
}

#[test]
fn every_target_has_seeds_and_every_folder_a_target() {
    let folders: BTreeSet<String> = std::fs::read_dir(corpus())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(folders, TARGETS.iter().map(|target| target.name.to_owned()).collect());
    let all = TARGETS.iter().flat_map(|target| seeds(target.name));
    let bytes: u64 = all.map(|seed| seed.metadata().unwrap().len()).sum();
    assert!(bytes <= MOST_BYTES, "{bytes} bytes of seeds");
}
