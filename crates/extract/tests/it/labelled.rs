//! Pages of many makes with what a person would call their main text, their dates and their author.
//!
//! Each `tests/pages/<name>.html` was written for this repository, with `<name>.json` beside it; NOTICE lists them by
//! their kinds.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use bytes::Bytes;
use extract::Input;
use model::{Headers, Normalise, Page, PageUrl};
use serde_json::Value as Json;

struct Labelled {
    name: String,
    html: Vec<u8>,
    gold: Json,
}

fn labelled() -> Vec<Labelled> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let mut pages: Vec<Labelled> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .map(|path| Labelled {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            html: fs::read(path.with_extension("html")).unwrap(),
            gold: serde_json::from_slice(&fs::read(&path).unwrap()).unwrap(),
        })
        .collect();
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    pages
}

fn read(page: &Labelled) -> Page {
    let url = PageUrl::parse(page.gold["url"].as_str().unwrap()).unwrap();
    let headers = Headers(vec![("content-type".to_owned(), Bytes::from_static(b"text/html"))]);
    let (body, normalise) = (page.html.as_slice(), Normalise::default());
    let input = Input { url: &url, headers: &headers, body, normalise, max_links: 1_000, agent: "gannet" };
    extract::page(&input)
}

/// Words in lower case; where words are not written apart, characters.
fn words(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        let alone = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        if (!c.is_alphanumeric() || alone) && !word.is_empty() {
            *words.entry(std::mem::take(&mut word)).or_default() += 1;
        }
        if alone {
            *words.entry(c.to_string()).or_default() += 1;
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// The harmonic mean of how much of the text is right and how much of what is right is there.
fn f1(found: &str, gold: &str) -> f64 {
    let (found, gold) = (words(found), words(gold));
    let both: usize =
        gold.iter().map(|(word, count)| (*count).min(found.get(word).copied().unwrap_or(0))).sum();
    let (found, gold): (usize, usize) = (found.values().sum(), gold.values().sum());
    if found + gold == 0 { 1.0 } else { 2.0 * both as f64 / (found + gold) as f64 }
}

/// The pages that NOTICE names, with their kinds.
fn noticed() -> Vec<(String, String)> {
    let notice = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../NOTICE")).unwrap();
    let mut kind = String::new();
    let mut pages = Vec::new();
    for line in notice.lines() {
        if let Some(names) = line.strip_prefix("  ") {
            pages.extend(names.split_whitespace().map(|name| (name.to_owned(), kind.clone())));
        } else {
            kind = line.trim_end_matches(':').to_owned();
        }
    }
    pages.sort();
    pages
}

#[test]
fn notice_names_every_page_with_its_kind() {
    let noticed = noticed();
    let (pages, names) = (labelled(), noticed.iter().map(|(name, _)| name.as_str()));
    assert_eq!(names.collect::<Vec<_>>(), pages.iter().map(|page| page.name.as_str()).collect::<Vec<_>>());
    for kind in ["news", "blog", "forum", "shop", "docs", "listing"] {
        let count = noticed.iter().filter(|(_, of)| of == kind).count();
        assert!(count >= 5, "{count} pages of kind {kind}");
    }
    let language = |page: &Labelled| page.gold["language"].as_str().map(|tag| tag[..2].to_owned());
    let languages: HashSet<String> = pages.iter().filter_map(language).collect();
    assert!(languages.len() >= 20, "{} languages", languages.len());
}

#[test]
fn the_main_text_is_what_a_person_would_mark() {
    let pages = labelled();
    let mut sum = 0.0;
    let mut report = String::new();
    for page in &pages {
        let score = f1(&read(page).main, page.gold["text"].as_str().unwrap());
        report += &format!("{score:.3} {}\n", page.name);
        sum += score;
    }
    let mean = sum / pages.len() as f64;
    println!("{report}word F1 {mean:.4} over {} pages", pages.len());
    assert!(mean >= 0.93, "word F1 {mean:.4}\n{report}");
    assert!(pages.len() >= 60, "{} pages", pages.len());
}

#[test]
fn dates_are_what_a_person_would_find() {
    let (mut right, mut all) = (0, 0);
    let mut wrong = String::new();
    for page in labelled() {
        let read = read(&page);
        for (name, found) in [("published", &read.published), ("modified", &read.modified)] {
            let (found, gold) = (found.as_ref().map(|date| date.day()), page.gold[name].as_str());
            // That there is no date where none is counts for nothing: most pages have none to find.
            all += usize::from(found.is_some() || gold.is_some());
            right += usize::from(found == gold && gold.is_some());
            if found != gold {
                wrong += &format!("{}: {name} {found:?}, not {gold:?}\n", page.name);
            }
        }
    }
    println!("{wrong}{right} of {all} dates");
    assert!(right * 100 >= all * 85, "{right} of {all} dates\n{wrong}");
}

#[test]
fn authors_titles_and_languages_are_read() {
    let (mut right, mut all) = (0, 0);
    let mut wrong = String::new();
    for page in labelled() {
        let read = read(&page);
        for (name, found) in [
            ("author", read.author.as_deref()),
            ("title", Some(read.title.as_str())),
            ("language", read.language.as_deref()),
        ] {
            all += 1;
            let gold = page.gold[name].as_str();
            let same = found == gold;
            right += usize::from(same);
            if !same {
                wrong += &format!("{}: {name} {found:?}, not {gold:?}\n", page.name);
            }
        }
    }
    println!("{wrong}{right} of {all} facts");
    assert!(right * 100 >= all * 95, "{right} of {all} facts\n{wrong}");
}

/// Writes what is read beside what should be: `LABELLED=news cargo test -p extract -- --ignored show_page`.
#[test]
#[ignore = "for people who look at one page"]
fn show_page() {
    let wanted = std::env::var("LABELLED").unwrap_or_default();
    for page in labelled().iter().filter(|page| page.name.starts_with(&wanted)) {
        println!("=== {}\n{}\n--- gold\n{}", page.name, read(page).main, page.gold["text"].as_str().unwrap());
    }
}
