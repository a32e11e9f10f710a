//! What each number of a ranking does to scores and order, end to end through an index.

use std::collections::BTreeMap;

use index::Idf;
use search::settings::FieldSettings;
use search::{Document, IndexSettings, Ranking};

use crate::corpus::{Corpus, ids, text};

/// BM25 over the text alone.
fn plain() -> Ranking {
    let weights = [("title", 0.0), ("url", 0.0), ("anchor", 0.0), ("text", 1.0)];
    let weights = weights.map(|(name, weight)| (name.to_owned(), weight)).into_iter().collect();
    Ranking { proximity: 0.0, weights, ..Ranking::default() }
}

fn titled(id: &str, title: &str, body: &str) -> Document {
    Document { title: title.to_owned(), ..text(id, body) }
}

fn scores(corpus: &Corpus, query: &str, ranking: &Ranking) -> BTreeMap<String, f64> {
    let answer = corpus.ranked(query, ranking.clone());
    answer.hits.iter().map(|hit| (hit.id.clone(), hit.score)).collect()
}

fn assert_near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-4, "{what}: {found} instead of {expected}");
}

/// Three texts of 26, 21 and 49 words, k 1.75, b 0.75, the worth of a word by log2(N / df).
#[test]
fn the_worked_example_holds_through_an_index() {
    let body = |words: &str, length: usize, filler: &str| {
        let more = length - words.split(' ').count();
        format!("{words} {}", (0..more).map(|n| format!("{filler}{n}")).collect::<Vec<_>>().join(" "))
    };
    let first = "university university university freiburg freiburg freiburg of officially";
    let documents = [
        text("1", &body(first, 26, "x")),
        text("2", &body("freiburg freiburg of", 21, "y")),
        text("3", &body("university of", 49, "z")),
    ];
    let ranking = Ranking { k: 1.75, b: 0.75, idf: Idf::Paper, ..plain() };
    for shards in [1, 3] {
        let corpus = Corpus::with(IndexSettings::default(), &documents, shards);
        let check = |query: &str, id: &str, expected: f64| {
            assert_near(scores(&corpus, query, &ranking)[id], expected, &format!("{query} in {id}"));
        };
        check("university", "1", 1.0715);
        check("university", "3", 0.4666);
        check("freiburg", "2", 0.9753);
        check("officially", "1", 1.7407);
        check("of", "1", 0.0);
        check("of", "3", 0.0);
        check("university of freiburg", "1", 2.1430);
        assert_eq!(ids(&corpus.ranked("university of freiburg", ranking.clone()))[0], "1");
    }
}

#[test]
fn rare_words_are_worth_what_the_idf_says() {
    let corpus =
        Corpus::new(&[text("a", "tent"), text("b", "tent"), text("c", "tent lamp"), text("d", "tent")]);
    let of = |idf: Idf| scores(&corpus, "tent", &Ranking { idf, b: 0.0, ..plain() })["a"];
    assert_eq!(of(Idf::Paper), 0.0);
    // Once in a text, whatever k: ln(1 + 0.5 / 4.5).
    assert_near(of(Idf::Standard), (1.0_f64 + 0.5 / 4.5).ln(), "standard");
    let rare = |idf: Idf| scores(&corpus, "lamp", &Ranking { idf, b: 0.0, ..plain() })["c"];
    assert_near(rare(Idf::Paper), 2.0, "log2(4 / 1)");
    assert_near(rare(Idf::Standard), (1.0_f64 + 3.5 / 1.5).ln(), "standard");
}

#[test]
fn words_close_to_each_other_change_the_order() {
    let between = "stone ".repeat(10);
    let corpus = Corpus::new(&[
        text("often", &format!("tent tent {between} stove stove")),
        text("close", &format!("tent stove {between} stone stone")),
        text("other", &between),
    ]);
    let order = |proximity: f64| {
        let mut found = ids(&corpus.ranked("tent stove", Ranking { proximity, ..plain() }));
        found.truncate(2);
        found
    };
    assert_eq!(order(0.0), ["often", "close"]);
    assert_eq!(order(3.0), ["close", "often"]);
}

#[test]
fn weights_of_fields_change_the_order() {
    let documents =
        [titled("title", "tent", "stone stone stone stone"), titled("body", "stone", "tent tent stone")];
    let corpus = Corpus::new(&documents);
    let weighed = |title: f64| {
        let mut ranking = plain();
        ranking.weights.insert("title".to_owned(), title);
        ids(&corpus.ranked("tent", ranking))
    };
    assert_eq!(weighed(0.0), ["body", "title"]);
    assert_eq!(weighed(5.0), ["title", "body"]);
    // The weight of a field's own settings, which the ranking's overrides.
    let mut settings = crate::corpus::settings();
    settings
        .fields
        .insert("title".to_owned(), FieldSettings { weight: Some(5.0), ..FieldSettings::default() });
    let corpus = Corpus::with(settings, &documents, 1);
    let flat = Ranking { proximity: 0.0, ..Ranking::default() };
    assert_eq!(ids(&corpus.ranked("tent", flat.clone())), ["title", "body"]);
    let weights = [("title".to_owned(), 0.0)].into_iter().collect();
    assert_eq!(ids(&corpus.ranked("tent", Ranking { weights, ..flat })), ["body", "title"]);
}

#[test]
fn fields_may_have_k_and_b_of_their_own() {
    let documents = [text("short", "tent"), text("long", &format!("tent tent {}", "stone ".repeat(30)))];
    let with = |k: Option<f64>, b: Option<f64>| {
        let mut settings = crate::corpus::settings();
        settings.fields.insert("text".to_owned(), FieldSettings { k, b, ..FieldSettings::default() });
        scores(&Corpus::with(settings, &documents, 1), "tent", &plain())
    };
    let worth = (1.0_f64 + 0.5 / 2.5).ln();
    // Without b lengths do not count; without k occurrences neither.
    assert_near(with(Some(1.0), Some(0.0))["long"], worth * 2.0 * 2.0 / 3.0, "k 1, b 0");
    assert_near(with(Some(0.0), None)["long"], worth, "k 0");
    assert_near(with(Some(1.0), Some(1.0))["short"], worth * 2.0 / (1.0 + 2.0 / 33.0), "k 1, b 1");
}

#[test]
fn weights_of_words_are_added_to_the_score() {
    let corpus =
        Corpus::new(&[text("tent", "tents here"), text("lamp", "lamp here"), text("other", "stone")]);
    let with = |words: &[(&str, f64)]| Ranking {
        words: words.iter().map(|(word, weight)| ((*word).to_owned(), *weight)).collect(),
        ..plain()
    };
    let bare = scores(&corpus, "tent lamp", &plain());
    let weighed = scores(&corpus, "tent lamp", &with(&[("tent", 2.5), ("lamp", -0.5)]));
    assert_near(weighed["tent"] - bare["tent"], 2.5, "tent");
    assert_near(weighed["lamp"] - bare["lamp"], -0.5, "lamp");
    assert_eq!(ids(&corpus.ranked("tent lamp", with(&[("lamp", 1.0)])))[0], "lamp");
    assert_eq!(ids(&corpus.ranked("tent lamp", with(&[("tent", 1.0)])))[0], "tent");
    // Only of words that are asked for.
    assert_eq!(scores(&corpus, "lamp", &with(&[("tent", 9.0)])), scores(&corpus, "lamp", &plain()));
}
