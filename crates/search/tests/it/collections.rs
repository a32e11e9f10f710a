//! How good the ranking is, by judged queries: a small set of our own, and known collections where they are at hand.

use std::collections::BTreeMap;
use std::path::Path;

use measure::{Judgments, Measure};
use search::{Collection, Document, IndexSettings};

const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/collections/small");

/// MAP and nDCG@10 of the default ranking.
fn figures(dir: &Path) -> (f64, f64) {
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    let text = read("docs.jsonl");
    let documents: Vec<Document> = text
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let field = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
            let id = line["id"].as_str().map_or_else(|| line["id"].to_string(), str::to_owned);
            Document { id, title: field("title"), text: field("text"), ..Document::default() }
        })
        .collect();
    let queries: BTreeMap<String, String> = read("queries.tsv")
        .lines()
        .filter_map(|line| {
            line.split_once('\t').map(|(id, text)| (id.trim().to_owned(), text.trim().to_owned()))
        })
        .collect();
    let judgments = Judgments::parse(&read("qrels.tsv")).unwrap();
    let collection = Collection::new(IndexSettings::default(), &documents).unwrap();
    let measures: [Measure; 2] = ["map", "ndcg@10"].map(|name| name.parse().unwrap());
    let evaluation = collection
        .with(|searcher| {
            search::evaluate(searcher, collection.ranking(), &queries, &judgments, &measures, |document| {
                document.id
            })
        })
        .unwrap();
    (evaluation.mean["map"], evaluation.mean["ndcg@10"])
}

#[test]
fn the_small_collection_has_its_figures() {
    let (map, ndcg) = figures(Path::new(SMALL));
    println!("small: map {map:.4}, ndcg@10 {ndcg:.4}");
    assert!(map > 0.90 && ndcg > 0.93, "map {map:.4}, ndcg@10 {ndcg:.4}");
}

/// Better than BM25 as others have it, at the best of their settings. The folder is named by a variable, since the
/// collections are not ours to give away.
#[test]
fn the_default_ranking_is_better_than_plain_bm25_on_known_collections() {
    let Some(dir) = std::env::var_os("GANNET_IR_DATA") else {
        println!("GANNET_IR_DATA names no folder of collections: nothing to compare with");
        return;
    };
    for (name, least_map, least_ndcg) in [("cranfield", 0.4218, 0.4328), ("cisi", 0.2208, 0.3957)] {
        let (map, ndcg) = figures(&Path::new(&dir).join(name));
        println!("{name}: map {map:.4}, ndcg@10 {ndcg:.4}");
        assert!(map > least_map && ndcg > least_ndcg, "{name}: map {map:.4}, ndcg@10 {ndcg:.4}");
    }
}
