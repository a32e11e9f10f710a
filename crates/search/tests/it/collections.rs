//! How good the ranking is, by judged queries: a small set of our own, and known collections where they are at hand.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use measure::{Judgments, Measure};
use search::{Collection, Document, IndexSettings, Ranking};

const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/collections/small");

/// Documents and judged queries of a folder.
struct Judged {
    collection: Collection,
    queries: BTreeMap<String, String>,
    judgments: Judgments,
}

impl Judged {
    fn read(dir: &Path) -> Judged {
        let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
        let document = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let field = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
            let id = line["id"].as_str().map_or_else(|| line["id"].to_string(), str::to_owned);
            Document { id, title: field("title"), text: field("text"), ..Document::default() }
        };
        let documents: Vec<Document> = read("docs.jsonl").lines().map(document).collect();
        let queries = read("queries.tsv")
            .lines()
            .filter_map(|line| {
                line.split_once('\t').map(|(id, text)| (id.trim().to_owned(), text.trim().to_owned()))
            })
            .collect();
        let judgments = Judgments::parse(&read("qrels.tsv")).unwrap();
        let collection = Collection::new(IndexSettings::default(), &documents).unwrap();
        Judged { collection, queries, judgments }
    }

    /// MAP and nDCG@10 of a ranking.
    fn figures(&self, ranking: &Ranking) -> (f64, f64) {
        let measures: [Measure; 2] = ["map", "ndcg@10"].map(|name| name.parse().unwrap());
        let id = |document: Document| document.id;
        let evaluate = |searcher: &search::Searcher<'_>| {
            search::evaluate(searcher, ranking, &self.queries, &self.judgments, &measures, id)
        };
        let evaluation = self.collection.with(evaluate).unwrap();
        (evaluation.mean["map"], evaluation.mean["ndcg@10"])
    }
}

#[test]
fn the_small_collection_has_its_figures() {
    let (map, ndcg) = Judged::read(Path::new(SMALL)).figures(&Ranking::default());
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
        let (map, ndcg) = Judged::read(&Path::new(&dir).join(name)).figures(&Ranking::default());
        println!("{name}: map {map:.4}, ndcg@10 {ndcg:.4}");
        assert!(map > least_map && ndcg > least_ndcg, "{name}: map {map:.4}, ndcg@10 {ndcg:.4}");
    }
}

#[test]
fn bm25_on_cranfield_is_as_good_as_lucenes_at_the_same_k_and_b() {
    compare_with_lucene("cranfield");
}

#[test]
fn bm25_on_cisi_is_as_good_as_lucenes_at_the_same_k_and_b() {
    compare_with_lucene("cisi");
}

/// What was measured with Lucene's BM25, with stems and stop words, is in a file beside the collections. The default
/// fields are compared with all of it; the text alone, with nothing but BM25, with Lucene itself.
fn compare_with_lucene(collection: &str) {
    let Some(dir) = std::env::var_os("GANNET_IR_DATA") else {
        println!("GANNET_IR_DATA names no folder of collections: nothing to compare with");
        return;
    };
    let dir = Path::new(&dir);
    let text = std::fs::read_to_string(dir.join("baselines.json")).unwrap();
    let known: serde_json::Value = serde_json::from_str(&text).unwrap();
    let judged = Judged::read(&dir.join(collection));
    let mut compared = 0;
    let mut by_default: HashMap<String, (f64, f64)> = HashMap::new();
    for (name, figures) in known["baselines"][collection].as_object().unwrap() {
        let stems = name.contains("snowball-en") || name.contains("porter");
        if !stems || !name.contains("stop-en") || name.contains("no-stop") || name.contains("_trec") {
            continue;
        }
        let number = |key: &str| {
            let rest = name.split_once(key).unwrap().1;
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            rest[..end].parse::<f64>().unwrap()
        };
        let (k, b) = (number("k1="), number("b="));
        let least = ["AP", "nDCG@10"].map(|measure| figures[measure].as_f64().unwrap() - 0.005);
        let check = |what: &str, (map, ndcg): (f64, f64)| {
            println!(
                "{collection}, k {k}, b {b}, {what}: {map:.4}, {ndcg:.4}; at least {least:.4?} by {name}"
            );
            assert!(
                map >= least[0] && ndcg >= least[1],
                "{what}: {map:.4}, {ndcg:.4}; {least:.4?} by {name}"
            );
        };
        let all = || judged.figures(&Ranking { k, b, ..Ranking::default() });
        check("default fields", *by_default.entry(format!("{k} {b}")).or_insert_with(all));
        if name.starts_with("Anserini") {
            let weights = ["title", "url", "anchor"].map(|field| (field.to_owned(), 0.0)).into();
            let alone =
                Ranking { k, b, weights, proximity: 0.0, all_words_first: false, ..Ranking::default() };
            check("the text alone", judged.figures(&alone));
        }
        compared += 1;
    }
    assert_eq!(compared, 5);
}
