//! Pages of made-up texts, judged one after the other.

use std::collections::BTreeMap;
use std::convert::Infallible;

use kv::{Durability, Store};
use model::{CrawlSettings, Duplicates, Page, PageUrl};
use proptest::prelude::*;

use super::*;
use crate::fingerprint::FingerprintMaker;
use crate::lookup::MemoryIndex;

const CRAWL: CrawlId = CrawlId(1);

struct Book {
    store: Store,
    maker: FingerprintMaker,
    all_new: bool,
}

impl Book {
    fn by(method: Duplicates) -> Book {
        let settings = CrawlSettings { duplicates: method, ..CrawlSettings::default() };
        let maker = FingerprintMaker::of(&settings.duplicate_settings()).expect("not off");
        Book { store: Store::memory(), maker, all_new: false }
    }

    fn read(&mut self, path: &str, main: &str, menu: &str) -> Verdict {
        let page = Page { main: main.to_owned(), text: format!("{menu}\n{main}"), ..Page::default() };
        let fingerprint = self.maker.of_page(&page).expect("enough text");
        let mut batch = self.store.batch();
        let texts = &mut StoredTexts { batch: &mut batch, crawl: CRAWL };
        let by = if self.all_new { judge_new } else { judge };
        let verdict = by(texts, key(path), &fingerprint, Threshold::even(0.7)).unwrap();
        self.store.commit(batch, Durability::Synced).unwrap();
        verdict
    }

    fn rows(&self) -> (usize, usize, usize, usize) {
        let (store, crawl) = (&self.store, CRAWL.0);
        (
            store.prefix(&FINGERPRINTS, &crawl).count(),
            store.prefix(&EXACT_TEXTS, &crawl).count(),
            store.prefix(&HOLDERS, &crawl).count(),
            store.prefix(&TWINS, &crawl).count(),
        )
    }
}

fn key(path: &str) -> UrlKey {
    UrlKey::of(&PageUrl::parse(&format!("http://e.test/{path}")).expect("a URL"))
}

fn words(seed: u64, count: u64) -> Vec<String> {
    (0..count)
        .map(|n| format!("w{:x}", (seed * 1_000 + n).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44))
        .collect()
}

#[test]
fn the_same_text_is_a_copy_whatever_the_menu_and_the_spacing() {
    let mut book = Book::by(Duplicates::Exact);
    let text = words(1, 60).join(" ");
    assert_eq!(book.read("a", &text, "home"), Verdict::default());
    let other_menu = book.read("b", &text.to_uppercase().replace(' ', ",\n"), "start");
    assert_eq!((other_menu.copy_of, other_menu.same_in_all), (Some(key("a")), vec![]));
    let same_menu = book.read("c", &text, "home");
    assert!(same_menu.copy_of.is_some() && same_menu.same_in_all == [key("a")]);
    assert_eq!(book.read("d", &words(2, 60).join(" "), "home"), Verdict::default());
}

#[test]
fn near_duplicates_are_twins_by_either_judge() {
    for method in [Duplicates::Winnowing, Duplicates::Keywords] {
        let mut book = Book::by(method);
        for seed in 0..40 {
            assert!(!book.read(&format!("{seed}"), &words(seed, 300).join(" "), "").is_duplicate());
        }
        let mut edited = words(7, 300);
        edited[20] = "another".into();
        let verdict = book.read("edited", &edited.join(" "), "");
        assert_eq!(verdict.twins.first().map(|twin| twin.page), Some(key("7")), "{method}");
        assert_eq!(verdict.copy_of, None);
        assert!(verdict.twins[0].similarity >= 700 && verdict.twins[0].similarity < 1_000);
    }
}

#[test]
fn a_page_is_no_duplicate_of_itself_and_leaves_nothing_when_it_changes() {
    for method in [Duplicates::Exact, Duplicates::Winnowing, Duplicates::Keywords] {
        let mut book = Book::by(method);
        let text = words(1, 300);
        book.read("a", &text.join(" "), "");
        let rows = book.rows();
        assert_eq!(book.read("a", &text.join(" "), ""), Verdict::default(), "{method}");
        assert_eq!(book.rows(), rows);
        assert_eq!(book.read("a", &words(2, 300).join(" "), ""), Verdict::default());
        assert!(!book.read("b", &text.join(" "), "").is_duplicate(), "nobody has that text any more");
        let mut batch = book.store.batch();
        let texts = &mut StoredTexts { batch: &mut batch, crawl: CRAWL };
        forget(texts, key("a")).unwrap();
        forget(texts, key("b")).unwrap();
        book.store.commit(batch, Durability::Synced).unwrap();
        assert_eq!(book.rows(), (0, 0, 0, 0), "{method}");
    }
}

#[test]
fn a_page_without_a_text_yet_is_judged_as_by_a_look_for_one() {
    for method in [Duplicates::Exact, Duplicates::Winnowing, Duplicates::Keywords] {
        let (mut looking, mut all_new) = (Book::by(method), Book::by(method));
        all_new.all_new = true;
        assert!(is_empty(&all_new.store, CRAWL).unwrap());
        let mut edited = words(1, 300);
        edited[20] = "another".into();
        for (path, text) in [("a", words(1, 300)), ("b", words(1, 300)), ("c", edited), ("d", words(2, 300))]
        {
            let verdicts = [&mut looking, &mut all_new].map(|book| book.read(path, &text.join(" "), ""));
            assert_eq!(verdicts[0], verdicts[1], "{method} {path}");
        }
        assert_eq!(looking.rows(), all_new.rows(), "{method}");
        assert!(!is_empty(&all_new.store, CRAWL).unwrap());
        assert!(is_empty(&all_new.store, CrawlId(CRAWL.0 + 1)).unwrap());
    }
}

/// Texts that are kept in memory: what a page is judged against need be no store.
#[derive(Default)]
struct Remembered {
    index: MemoryIndex<UrlKey>,
    pages: BTreeMap<UrlKey, (Fingerprint, Vec<Twin>)>,
}

impl Fingerprints for Remembered {
    type Document = UrlKey;
    type Error = Infallible;

    fn candidates(&self, sketch: &Sketch) -> Result<Vec<Candidate<UrlKey>>, Infallible> {
        self.index.candidates(sketch)
    }

    fn add(&mut self, id: UrlKey, sketch: &Sketch) -> Result<(), Infallible> {
        self.index.add(id, sketch)
    }

    fn remove(&mut self, id: UrlKey, sketch: &Sketch) -> Result<bool, Infallible> {
        self.index.remove(id, sketch)
    }
}

impl Texts for Remembered {
    fn name(&self, page: UrlKey) -> UrlKey {
        page
    }

    fn named(&self, id: UrlKey) -> impl Iterator<Item = Result<(UrlKey, Fingerprint), Infallible>> {
        self.pages.get(&id).into_iter().map(move |(text, _)| Ok((id, text.clone())))
    }

    fn text_of(&self, page: UrlKey) -> Result<Option<Fingerprint>, Infallible> {
        Ok(self.pages.get(&page).map(|(text, _)| text.clone()))
    }

    fn copies(&self, exact: u64) -> impl Iterator<Item = Result<(UrlKey, u64), Infallible>> {
        let same = self.pages.iter().filter(move |(_, (text, _))| text.exact == exact);
        same.map(|(page, (text, _))| Ok((*page, text.whole)))
    }

    fn twins(&self, page: UrlKey) -> Result<Vec<Twin>, Infallible> {
        Ok(self.pages.get(&page).map(|(_, twins)| twins.clone()).unwrap_or_default())
    }

    fn put(&mut self, page: UrlKey, text: &Fingerprint, twins: &[Twin]) -> Result<(), Infallible> {
        self.pages.insert(page, (text.clone(), twins.to_vec()));
        Ok(())
    }

    fn take(&mut self, page: UrlKey, _: &Fingerprint) -> Result<(), Infallible> {
        self.pages.remove(&page);
        Ok(())
    }
}

#[test]
fn pages_are_judged_alike_wherever_texts_are_kept() {
    for method in [Duplicates::Exact, Duplicates::Winnowing, Duplicates::Keywords] {
        let (mut book, mut memory) = (Book::by(method), Remembered::default());
        let mut met = 0;
        for round in 0..3_usize {
            for seed in 0..20 {
                let mut text = words(seed % 14, 300);
                text[round * 40 + seed as usize] = format!("another{seed}");
                let path = format!("{}", (seed as usize * 7 + round) % 30);
                let stored = book.read(&path, &text.join(" "), "");
                let print = book.maker.of_page(&Page {
                    main: text.join(" "),
                    text: format!("\n{}", text.join(" ")),
                    ..Page::default()
                });
                let remembered =
                    judge(&mut memory, key(&path), &print.expect("enough text"), Threshold::even(0.7));
                assert_eq!(Ok(&stored), remembered.as_ref(), "{method} {path} {round}");
                met += usize::from(stored.is_duplicate());
            }
        }
        assert!(method == Duplicates::Exact || met > 20, "{method}: {met} duplicates");
        for page in 0..30 {
            let _ = forget(&mut memory, key(&page.to_string()));
        }
        assert!(memory.pages.is_empty());
    }
}

#[test]
fn a_twin_that_changed_counts_no_more() {
    let mut book = Book::by(Duplicates::Winnowing);
    let text = words(1, 300);
    book.read("a", &text.join(" "), "");
    let mut edited = text.clone();
    edited[20] = "another".into();
    book.read("b", &edited.join(" "), "");
    let row = (CRAWL.0, key("b").host.0, key("b").page);
    let twins = book.store.get(&TWINS, &row).unwrap().expect("b has a twin");
    assert_eq!(standing_twins(&book.store, CRAWL, &twins).unwrap().len(), 1);
    for (path, other) in [("a", "b"), ("b", "a")] {
        let found: Vec<_> = near(&book.store, CRAWL, key(path)).unwrap();
        assert_eq!(found.iter().map(|twin| twin.page).collect::<Vec<_>>(), [key(other)], "{path}");
    }
    book.read("a", &words(2, 300).join(" "), "");
    assert_eq!(standing_twins(&book.store, CRAWL, &twins).unwrap(), []);
}

/// Pages of a shop: the same sentences with other names in them, and articles in which single words were changed.
#[test]
fn short_texts_are_held_to_more_than_long_ones() {
    let settings = CrawlSettings { duplicates: Duplicates::Winnowing, ..CrawlSettings::default() };
    let set = settings.duplicate_settings();
    let mut maker = FingerprintMaker::of(&set).expect("not off");
    let mut of = |words: &[String]| {
        maker.of_page(&Page { text: words.join(" "), ..Page::default() }).expect("enough text")
    };
    let mut check = |count: u64, is_near: bool| {
        let (text, mut compared) = (words(1, count), 0);
        for every in 4..60 {
            let mut edited = text.clone();
            edited.iter_mut().step_by(every).for_each(|word| *word = format!("{word}edited"));
            let (one, other) = (of(&text), of(&edited));
            let similarity = one.likeness(&other).expect("the same method").similarity;
            if (0.6..0.7).contains(&similarity) {
                let least = one.least_likeness(Some(&other), Threshold::of(&set));
                assert_eq!(similarity >= least, is_near, "{count}: {similarity}");
                compared += 1;
            }
        }
        assert!(compared > 0, "{count}");
    };
    check(70, false);
    check(700, true);
    let own = CrawlSettings { duplicates_threshold: 60, ..settings }.duplicate_settings();
    assert_eq!(Threshold::of(&own), Threshold::even(0.6), "what is said holds for all");
}

/// The page that its copies are found through changes or goes: they stay near duplicates of the others.
#[test]
fn a_copy_takes_the_place_of_a_page_that_changes_or_goes() {
    for method in [Duplicates::Winnowing, Duplicates::Keywords] {
        for goes in [false, true] {
            let mut book = Book::by(method);
            let (text, mut older, mut newer) = (words(1, 300), words(1, 300), words(1, 300));
            older[20] = "another".into();
            newer[200] = "changed".into();
            for (path, text) in [("older", &older), ("first", &text), ("copy", &text), ("newer", &newer)] {
                book.read(path, &text.join(" "), "");
            }
            let twins = |book: &Book, path: &str| {
                let row = (CRAWL.0, key(path).host.0, key(path).page);
                let twins = book.store.get(&TWINS, &row).unwrap().unwrap_or_default();
                let mut found: Vec<UrlKey> = standing_twins(&book.store, CRAWL, &twins)
                    .unwrap()
                    .into_iter()
                    .map(|twin| twin.page)
                    .collect();
                found.sort();
                found
            };
            let sorted = |mut pages: Vec<UrlKey>| {
                pages.sort();
                pages
            };
            assert_eq!(twins(&book, "newer"), sorted(vec![key("older"), key("first")]), "{method}");
            match goes {
                true => {
                    let mut batch = book.store.batch();
                    let texts = &mut StoredTexts { batch: &mut batch, crawl: CRAWL };
                    assert_eq!(forget(texts, key("first")).unwrap(), [key("copy")]);
                    book.store.commit(batch, Durability::Synced).unwrap();
                }
                false => {
                    let verdict = book.read("first", &words(2, 300).join(" "), "");
                    assert_eq!(verdict.left_behind, [key("copy")]);
                }
            }
            assert_eq!(twins(&book, "newer"), sorted(vec![key("older"), key("copy")]), "{method} {goes}");
            assert_eq!(twins(&book, "copy"), [key("older")], "{method} {goes}");
            let mut latest = text.clone();
            latest[100] = "latest".into();
            let verdict = book.read("latest", &latest.join(" "), "");
            assert!(verdict.twins.iter().any(|twin| twin.page == key("copy")), "{method} {goes}");
        }
    }
}

#[test]
fn the_full_list_of_a_long_text_is_kept() {
    use crate::winnow::Winnowing;
    let text = (0..30).flat_map(|seed| words(seed, 900)).collect::<Vec<_>>().join(" ");
    let settings = CrawlSettings { duplicates: Duplicates::Winnowing, ..CrawlSettings::default() };
    let mut maker = FingerprintMaker::of(&settings.duplicate_settings()).expect("not off");
    let kept = maker.of_page(&Page { text: text.clone(), ..Page::default() }).expect("enough text");
    let mut all: Vec<u64> = Winnowing::default().fingerprint(&text).iter().map(|one| one.hash).collect();
    all.sort_unstable();
    all.dedup();
    let halves: Vec<u8> = all.iter().flat_map(|hash| ((hash >> 32) as u32).to_be_bytes()).collect();
    assert!(all.len() > 10_000, "{}", all.len());
    assert_eq!(kept.marks, Marks::Hashes(halves));
}

#[test]
fn a_text_that_says_nothing_has_no_fingerprint() {
    let settings = CrawlSettings::default().duplicate_settings();
    let mut maker = FingerprintMaker::of(&settings).expect("not off");
    let page = Page { text: "next previous home".repeat(5), ..Page::default() };
    assert_eq!(maker.of_page(&page), None);
    let off = CrawlSettings { duplicates: Duplicates::Off, ..CrawlSettings::default() };
    assert!(FingerprintMaker::of(&off.duplicate_settings()).is_none());
}

proptest! {
    /// What the crawl keeps judges as the full fingerprints of the texts do.
    #[test]
    fn kept_hashes_judge_as_whole_ones(edits in proptest::collection::vec(0..300_usize, 0..60)) {
        use crate::compare::Prepared;
        use crate::winnow::Winnowing;
        let text = words(3, 300);
        let mut edited = text.clone();
        for at in edits {
            edited[at] = format!("edit{at}");
        }
        let settings = CrawlSettings { duplicates: Duplicates::Winnowing, ..CrawlSettings::default() };
        let mut maker = FingerprintMaker::of(&settings.duplicate_settings()).expect("not off");
        let mut of = |words: &[String]| {
            maker.of_page(&Page { text: words.join(" "), ..Page::default() }).expect("enough text")
        };
        let kept = of(&text).likeness(&of(&edited)).expect("the same method");
        let whole = Prepared::new(&text.join(" "), Winnowing::default())
            .likeness(&Prepared::new(&edited.join(" "), Winnowing::default()));
        prop_assert!((kept.similarity - whole.similarity).abs() < 1e-9, "{kept:?} {whole:?}");
    }
}
