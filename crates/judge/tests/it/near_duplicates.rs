//! How well near duplicates are told from others: documents of this machine, or else our own, edited in graded ways, each
//! pair labelled by the part of the text that really stands in both.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use judge::book::{self, StoredTexts};
use judge::compare::{Prepared, THRESHOLD, pairs};
use judge::fingerprint::{FingerprintMaker, Threshold};
use judge::lookup::{Fingerprints, MOST_HOLDERS, MemoryIndex, Sketch};
use judge::tables::HOLDERS;
use judge::winnow::Winnowing;
use kv::{Batch, Durability, Reader, Store};
use model::{CrawlId, CrawlSettings, Duplicates, HostKey, Page, UrlKey};

/// Documents used, and characters of each.
const DOCUMENTS: usize = 24;
const LENGTH: usize = 6_000;
/// Part of the words that an edit changes, in percent.
const GRADES: [usize; 8] = [1, 2, 5, 10, 20, 30, 45, 60];

/// At or above the first a pair is one of near duplicates, at or below the second it is none, between nobody asks.
const POSITIVE: f64 = 0.8;
const NEGATIVE: f64 = 0.5;

struct Labelled {
    original: usize,
    text: String,
}

/// What stands around every page of a site: menus, a notice and a foot.
const HEAD: &str = "Skip to content. Home, products, solutions, pricing, documentation, community, about us, careers, \
    contact. Sign in or create an account. Search this site. We and our partners use cookies to store and read \
    information on your device, to measure how our pages are used and to show you what others have found useful. You \
    can change your choice at any time under settings at the foot of every page. Accept all, refuse all, more choices. \
    You are here: start, articles, archive.";
const FOOT: &str = "Share this page by mail or print it. Did you find what you were looking for? Tell us what we can do \
    better. More articles from this part of the archive follow below, the newest ones first. Subscribe to our letter, \
    which comes once a month, and never more often. Imprint, privacy, terms of use, accessibility, press, jobs, \
    status. All rights reserved; names and marks belong to those who own them. Made with care by the people of this \
    site, who answer questions on working days between nine and five.";

#[test]
fn near_duplicates_are_told_from_others() {
    let (documents, edited) = labelled(&documents());
    let settings = Winnowing::default();
    let prepare = |text: &String| Prepared::new(text, settings);
    let originals: Vec<Prepared> = documents.iter().map(prepare).collect();
    let copies: Vec<Prepared> = edited.iter().map(|edit| prepare(&edit.text)).collect();

    let mut index = MemoryIndex::default();
    for (id, original) in originals.iter().enumerate() {
        index.add(id as u64, &Sketch::of(original.hashes())).unwrap();
    }
    let mut counts = Counts::default();
    let mut curve = Curve::default();
    let mut by_hashes = Vec::new();
    for (edit, copy) in edited.iter().zip(&copies) {
        let candidates = index.candidates(&Sketch::of(copy.hashes())).unwrap();
        for (id, original) in originals.iter().enumerate() {
            // All pairs of unlike documents would be most of the work and say the same again and again.
            if id != edit.original && (id + edit.text.len()) % 9 != 0 {
                continue;
            }
            let share = true_share(&documents[id], &edit.text, settings.certain());
            let similarity = original.likeness(copy).similarity;
            let judged = similarity.max(original.share(copy)) >= THRESHOLD;
            let looked_up = candidates.iter().any(|candidate| candidate.id == id as u64);
            by_hashes.push((share, similarity));
            counts.add(share, judged, looked_up);
            curve.add(share, judged, looked_up);
        }
    }
    println!("{counts:?}\n{curve}");
    for threshold in [0.3, 0.4, 0.5, 0.6, 0.7, 0.8] {
        let part = |of: &dyn Fn(f64) -> bool| {
            let all: Vec<_> = by_hashes.iter().filter(|(share, _)| of(*share)).collect();
            let above = all.iter().filter(|(_, similarity)| *similarity >= threshold).count();
            above as f64 / all.len().max(1) as f64
        };
        let (found, wrong) = (part(&|share| share >= POSITIVE), part(&|share| share <= NEGATIVE));
        println!("hashes alone at {threshold}: {found:.3} of near duplicates, {wrong:.3} of others");
    }
    assert!(counts.positive >= 100 && counts.negative >= 100, "{counts:?}");
    let precision = counts.right as f64 / (counts.right + counts.wrong).max(1) as f64;
    let recall = counts.right as f64 / counts.positive as f64;
    let looked_up = counts.looked_up as f64 / counts.positive as f64;
    assert!(precision >= 0.99 && recall >= 0.97 && looked_up >= 0.95, "{precision} {recall} {looked_up}");

    // The same, as all pairs of many are found.
    let some: Vec<&String> =
        documents.iter().take(10).chain(edited.iter().take(20).map(|edit| &edit.text)).collect();
    let found = pairs(&some, settings, THRESHOLD);
    assert!(found.iter().all(|pair| pair.similarity >= THRESHOLD), "{found:?}");
    for first in 0..some.len() {
        for second in first + 1..some.len() {
            let (a, b) = (prepare(some[first]), prepare(some[second]));
            let expected = a.likeness(&b).similarity.max(a.share(&b)) >= THRESHOLD;
            let has = found.iter().any(|pair| (pair.first, pair.second) == (first, second));
            assert_eq!(has, expected, "{first} and {second}");
        }
    }
}

/// As a crawl judges, by its usual settings: by what it keeps of a page, among what it looks up.
#[test]
fn a_crawl_tells_near_duplicates_from_others() {
    let (documents, edited) = labelled(&documents());
    let settings = CrawlSettings { duplicates: Duplicates::Winnowing, ..CrawlSettings::default() };
    let settings = settings.duplicate_settings();
    let mut maker = FingerprintMaker::of(&settings).unwrap();
    let store = Store::memory();
    let key = |number: usize| UrlKey { host: HostKey(1), page: (number as u128) << 96 };
    let mut judged = |batch: &mut Batch, number: usize, text: &str| {
        let page = Page { main: text.to_owned(), text: text.to_owned(), ..Page::default() };
        let print = maker.of_page(&page).unwrap();
        let texts = &mut StoredTexts { batch, crawl: CrawlId(1) };
        book::judge(texts, key(number), &print, Threshold::of(&settings)).unwrap()
    };
    let mut batch = store.batch();
    for (number, text) in documents.iter().enumerate() {
        judged(&mut batch, number, text);
    }
    store.commit(batch, Durability::Synced).unwrap();
    let mut counts = Counts::default();
    let mut curve = Curve::default();
    for edit in edited {
        let verdict = judged(&mut store.batch(), documents.len(), &edit.text);
        let found = |number: usize| {
            verdict.copy_of == Some(key(number)) || verdict.twins.iter().any(|twin| twin.page == key(number))
        };
        for (number, text) in documents.iter().enumerate() {
            if number == edit.original || found(number) {
                let share = true_share(text, &edit.text, Winnowing::default().certain());
                // What others of the site are found beside the original says nothing of what is missed.
                if number == edit.original || share <= NEGATIVE {
                    counts.add(share, found(number), found(number));
                    curve.add(share, found(number), found(number));
                }
            }
        }
    }
    println!("{counts:?}\n{curve}");
    let precision = counts.right as f64 / (counts.right + counts.wrong).max(1) as f64;
    let recall = counts.right as f64 / counts.positive as f64;
    assert!(counts.positive >= 100 && precision >= 0.99 && recall >= 0.95, "{precision} {recall}");
}

/// More pages of one site than a hash has holders and a look-up candidates: what all of them have in common counts as
/// boilerplate, and the one that a page is a copy of is found all the same.
#[test]
fn a_near_duplicate_is_found_among_many_pages_with_the_same_boilerplate() {
    const PAGES: usize = 3 * MOST_HOLDERS;
    let settings = CrawlSettings { duplicates: Duplicates::Winnowing, ..CrawlSettings::default() };
    let settings = settings.duplicate_settings();
    let mut maker = FingerprintMaker::of(&settings).unwrap();
    let text = |number: usize, edited: bool| {
        let mut words: Vec<String> = (0..250_u64)
            .map(|place| (number as u64 * 1_009 + place).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40)
            .map(|word| format!("{word:x}"))
            .collect();
        if edited {
            words[number % 250] = "edited".to_owned();
        }
        format!("{HEAD} {} {FOOT}", words.join(" "))
    };
    let key = |number: usize| UrlKey { host: HostKey(1), page: (number as u128) << 96 };
    let store = Store::memory();
    let mut batch = store.batch();
    let mut judged = |number: usize, text: &str| {
        let page = Page { main: text.to_owned(), text: text.to_owned(), ..Page::default() };
        let print = maker.of_page(&page).unwrap();
        let texts = &mut StoredTexts { batch: &mut batch, crawl: CrawlId(1) };
        book::judge(texts, key(number), &print, Threshold::of(&settings)).unwrap()
    };
    for number in 0..PAGES {
        assert!(!judged(number, &text(number, false)).is_duplicate(), "{number}");
    }
    for number in 0..PAGES {
        let verdict = judged(PAGES + number, &text(number, true));
        let found: Vec<UrlKey> = verdict.twins.iter().map(|twin| twin.page).collect();
        assert_eq!(found, [key(number)], "{number}");
    }
    let full =
        batch.prefix(&HOLDERS, &1_u32).map(Result::unwrap).filter(|row| row.1.pages.len() == MOST_HOLDERS);
    assert!(full.count() > 0, "some hashes have all the holders they may have");
}

/// Pairs by tenths of the text that they share: all, those judged near duplicates, and those that a look-up finds.
#[derive(Default)]
struct Curve([(usize, usize, usize); 11]);

impl Curve {
    fn add(&mut self, share: f64, judged: bool, looked_up: bool) {
        let tenth = &mut self.0[((share * 10.0) as usize).min(10)];
        tenth.0 += 1;
        tenth.1 += usize::from(judged);
        tenth.2 += usize::from(looked_up);
    }
}

impl std::fmt::Display for Curve {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (tenth, (all, judged, looked_up)) in self.0.iter().enumerate().filter(|(_, tenth)| tenth.0 > 0) {
            let part = |count: &usize| 100.0 * *count as f64 / *all as f64;
            writeln!(
                f,
                "share {:.1}: {all} pairs, {:.1} % judged near duplicates, {:.1} % looked up",
                tenth as f64 / 10.0,
                part(judged),
                part(looked_up)
            )?;
        }
        Ok(())
    }
}

#[derive(Debug, Default)]
struct Counts {
    positive: usize,
    negative: usize,
    /// Near duplicates that were judged so.
    right: usize,
    /// Others that were judged near duplicates.
    wrong: usize,
    looked_up: usize,
}

impl Counts {
    fn add(&mut self, share: f64, judged: bool, looked_up: bool) {
        if share >= POSITIVE {
            self.positive += 1;
            self.right += usize::from(judged);
            self.looked_up += usize::from(looked_up);
        } else if share <= NEGATIVE {
            self.negative += 1;
            self.wrong += usize::from(judged);
        }
    }
}

/// The part of both texts that stands in common runs of at least `run` letters and digits, found the slow way.
fn true_share(a: &str, b: &str, run: usize) -> f64 {
    let normal = |text: &str| -> Vec<char> {
        text.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
    };
    let (a, b) = (normal(a), normal(b));
    let part = |of: &[char], other: &[char]| {
        let grams: HashSet<&[char]> = other.windows(run).collect();
        let mut covered = vec![false; of.len()];
        for (at, gram) in of.windows(run).enumerate() {
            if grams.contains(gram) {
                covered[at..at + run].fill(true);
            }
        }
        covered.iter().filter(|covered| **covered).count() as f64 / of.len().max(1) as f64
    };
    part(&a, &b).min(part(&b, &a))
}

/// Originals and edited ones: the documents alone, and half of them, whole and short, as pages of one site.
fn labelled(documents: &[String]) -> (Vec<String>, Vec<Labelled>) {
    let mut edited = edited(documents);
    let mut originals = documents.to_vec();
    let half = documents.len() / 2;
    for words in [usize::MAX, 400, 250] {
        let page = |document: &String| {
            let text: Vec<&str> = document.split_whitespace().take(words).collect();
            format!("{HEAD} {} {FOOT}", text.join(" "))
        };
        for (one, other) in documents[..half].iter().zip(&documents[half..]) {
            // The same boilerplate with other text; the same text with one more sentence in the same boilerplate.
            edited.push(Labelled { original: originals.len(), text: page(other) });
            let more = page(one).replace(HEAD, &format!("{HEAD} A sentence that was written later."));
            edited.push(Labelled { original: originals.len(), text: more });
            originals.push(page(one));
        }
    }
    (originals, edited)
}

fn edited(documents: &[String]) -> Vec<Labelled> {
    let mut edited = Vec::new();
    for (original, text) in documents.iter().enumerate() {
        let words: Vec<&str> = text.split_whitespace().collect();
        let other: Vec<&str> = documents[(original + 1) % documents.len()].split_whitespace().collect();
        let mut add = |words: Vec<&str>| edited.push(Labelled { original, text: words.join(" ") });
        for grade in GRADES {
            let count = words.len() * grade / 100;
            let mut scattered = words.clone();
            for nth in 0..count {
                let at = (nth * words.len() / count.max(1) + nth * 7 % 5).min(words.len() - 1);
                scattered[at] = other[(nth * 31 + original) % other.len()];
            }
            add(scattered);
            let start = (words.len() - count) / 3;
            let block = other.iter().copied().cycle().take(count);
            add(words[..start]
                .iter()
                .copied()
                .chain(block)
                .chain(words[start + count..].iter().copied())
                .collect());
        }
        // Paragraphs in other places; the same text among other menus; other text among the same menus.
        let mut moved: Vec<&[&str]> = words.chunks(80).collect();
        moved.reverse();
        add(moved.concat());
        let around: Vec<&str> = HEAD.split_whitespace().collect();
        let below: Vec<&str> = FOOT.split_whitespace().collect();
        add([below.clone(), words.clone(), around.clone()].concat());
        add([below, other, around].concat());
    }
    edited
}

/// Documents of this machine, the beginnings of files that differ; where these are too few, parts of our own.
fn documents() -> Vec<String> {
    let mut files = Vec::new();
    collect(Path::new("/usr/share/doc"), 3, &mut files);
    files.sort();
    let beginnings = files.iter().filter_map(|file| std::fs::read_to_string(file).ok());
    let beginnings = beginnings.map(|text| text.chars().take(LENGTH).collect());
    let documents = unlike(beginnings.chain(own_parts()));
    assert_eq!(documents.len(), DOCUMENTS, "too few documents in /usr/share/doc and of our own");
    documents
}

/// The first of these texts that share little with each other.
fn unlike(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut documents: Vec<String> = Vec::new();
    for text in texts {
        let is_prose = text.split_whitespace().count() > 400;
        if is_prose && documents.iter().all(|known| true_share(known, &text, 27) < 0.1) {
            documents.push(text);
        }
        if documents.len() == DOCUMENTS {
            break;
        }
    }
    documents
}

/// Parts of what is written about this project.
fn own_parts() -> impl Iterator<Item = String> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut files = vec![root.join("README.md"), root.join("CHANGELOG.md"), root.join("ARCHITECTURE.md")];
    files.extend(["docs", "docs/adr"].iter().flat_map(|folder| {
        let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "md"))
    }));
    files.sort();
    files.into_iter().filter_map(|file| std::fs::read_to_string(file).ok()).flat_map(|text| {
        let letters: Vec<char> = text.chars().collect();
        letters.chunks(LENGTH * 2 / 3).map(|part| part.iter().collect()).collect::<Vec<String>>()
    })
}

/// On a machine without documents the same is measured.
#[test]
fn our_own_documents_are_enough() {
    assert_eq!(unlike(own_parts()).len(), DOCUMENTS);
}

fn collect(folder: &Path, depth: u32, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_text = path.extension().is_some_and(|end| end == "txt" || end == "html")
            || path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("README"));
        if path.is_dir() && depth > 0 && !path.is_symlink() {
            collect(&path, depth - 1, files);
        } else if is_text && entry.metadata().is_ok_and(|facts| facts.len() > 4_000) {
            files.push(path);
        }
    }
}
