//! What links say of pages, joined to the index from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use index::{Index, WriterSettings};
use search::{Document, Fields, Links, Local, PageLinks, Ranking, Search, Searcher};

use crate::corpus::{ids, settings, text};

/// Pages 0 to 9 of the same words, in two segments; page n has n links. Of page 5 nothing is known.
#[test]
fn a_formula_reads_ranks_and_links_which_are_joined_once_per_segment() {
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
    let find = |formula: &str| {
        let shard = Local::new(index.view().unwrap(), Arc::clone(&fields), || None);
        let shard = shard.with_links(Arc::clone(&links));
        let searcher = Searcher { fields: &fields, settings: &settings, shards: &[&shard], now: 0 };
        let ranking = Ranking { formula: Some(formula.to_owned()), ..settings.ranking.clone() };
        let search = Search { query: "tent".to_owned(), ranking: Some(ranking), ..Search::default() };
        ids(&searcher.search(&search).unwrap()).join(" ")
    };
    assert_eq!(find("inlinks + has(inlinks)"), "9 8 7 6 4 3 2 1 0 5");
    assert_eq!(find("pagerank"), "0 1 2 3 4 6 7 8 9 5");
    assert_eq!(asked.load(Ordering::Relaxed), 10, "each page once, however many searches");
}
