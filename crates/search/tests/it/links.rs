//! What links say of pages, joined to the index from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use index::{Index, WriterSettings};
use search::{Document, Fields, Links, Local, PageLinks, Search, Searcher};

use crate::corpus::{ids, settings, text};

/// Pages 0 to 9 of the same words, in two segments; page n has n links. Of page 5 nothing is known.
#[test]
fn ranks_and_links_are_joined_once_per_segment_and_move_hits() {
    let settings = settings();
    let fields = Arc::new(Fields::new(&settings, &[]));
    let index = Index::in_memory(fields.schema.clone()).unwrap();
    let mut writer = index.writer(WriterSettings::default()).unwrap();
    for number in 0..10 {
        let page = Document { url: format!("https://a.test/{number}"), ..text(&number.to_string(), "tent") };
        writer.add(&fields.entry(&page).unwrap()).unwrap();
        if number % 5 == 4 {
            writer.commit("").unwrap();
        }
    }
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let links = Arc::new(Links::new(move |url: &str| {
        counted.fetch_add(1, Ordering::Relaxed);
        let number: u32 = url.strip_prefix("https://a.test/")?.parse().ok()?;
        (number != 5).then_some(PageLinks { pagerank: 1.0 / (1.0 + number as f32), inlinks: number })
    }));
    // A view for each search, as a program that follows a crawl has it.
    let search = |changes: &[&str]| {
        let shard = Local::new(index.view().unwrap(), Arc::clone(&fields), || None);
        let shard = shard.with_links(Arc::clone(&links));
        let searcher = Searcher { fields: &fields, settings: &settings, shards: &[&shard], now: 0 };
        let ranking = Some(settings.ranking.with(changes.iter().copied()).unwrap());
        let search = Search { query: "tent".to_owned(), ranking, explain: true, ..Search::default() };
        searcher.search(&search).unwrap()
    };
    let find = |formula: &str| ids(&search(&[&format!("formula={formula}")])).join(" ");
    assert_eq!(find("inlinks + has(inlinks)"), "9 8 7 6 4 3 2 1 0 5");
    assert_eq!(find("pagerank"), "0 1 2 3 4 6 7 8 9 5");
    // By its weight alone, and beside a formula that says the contrary and less.
    let plain = search(&[]);
    assert!(plain.hits.iter().all(|hit| hit.score == plain.hits[0].score), "without it all are equal");
    assert_eq!(ids(&search(&["pagerank=0.1"])).join(" "), "0 1 2 3 4 6 7 8 9 5");
    assert_eq!(ids(&search(&["pagerank=1", "formula=inlinks / 1000"])).join(" "), "0 1 2 3 4 6 7 8 9 5");
    assert_eq!(ids(&search(&["pagerank=0.001", "formula=inlinks"])).join(" "), "9 8 7 6 4 3 2 1 0 5");
    let weighted = search(&["pagerank=3"]);
    for hit in &weighted.hits {
        let number: f64 = hit.id.parse().unwrap();
        let known = hit.id != "5";
        let added = if known { 3.0 * (1.0 + 1.0 / (1.0 + number)).log2() } else { 0.0 };
        let before = plain.hits.iter().find(|before| before.id == hit.id).unwrap().score;
        assert!((hit.score - before - added).abs() < 1e-6, "{}: {before}, then {}", hit.id, hit.score);
        let tree = hit.explanation.as_ref().unwrap();
        assert_eq!(tree.check(), Ok(()));
        let told = tree.to_string();
        assert_eq!(told.contains("pagerank, where the mean is 1"), known, "{told}");
        assert_eq!(told.contains("what links make of it: not known"), !known, "{told}");
    }
    for wrong in ["pagerank=-1", "pagerank=1e9", "pagerank=\"much\""] {
        let error = settings.ranking.with([wrong]).unwrap_err().to_string();
        assert!(error.contains("ranking"), "{error}");
    }
    assert_eq!(asked.load(Ordering::Relaxed), 10, "each page once, however many searches");
}
