//! Scores: explained to the last part, and numbers whatever the formula.

use proptest::prelude::*;
use search::settings::{Act, FormulaIs, Freshness, Rule};
use search::{Ranking, Search, SearchError};

use crate::corpus::{Corpus, asked, ids, many, number, text};

const QUERIES: [&str; 16] = [
    "tent",
    "tent lamp",
    "tent lamp stove river",
    "\"tent lamp\"",
    "tent AND (lamp OR stove)",
    "tent XOR lamp",
    "NOT tent",
    "tent NEAR/3 lamp",
    "title:tent winter",
    "ten* rope",
    "ropes~ boat",
    "+tent -lamp heavy",
    "yelow mountain",
    "tent lang:en price:10..80",
    "lang:de",
    "",
];

const FORMULAS: [Option<&str>; 9] = [
    None,
    Some("log(1 + votes)"),
    Some("price / (votes - votes)"),
    Some("if(has(price), price / 10, 1)"),
    Some("score * 2 + age / 100"),
    Some("exp(score * 1000)"),
    Some("depth + length - 3"),
    Some("pagerank"),
    Some("-1e30 * votes"),
];

fn rankings() -> impl Strategy<Value = Ranking> {
    let numbers = (0.0..3.0, 0.0..=1.0, prop_oneof![Just(0.0), 0.0..2.0]);
    let formula = (0..FORMULAS.len(), any::<bool>());
    let fresh = prop_oneof![Just(None), (1.0..500.0, 0.0..5.0).prop_map(Some)];
    let demoted = prop_oneof![Just(None), (0.0..=1.0).prop_map(Some)];
    (numbers, formula, fresh, demoted, any::<bool>(), prop_oneof![Just(None), (-3.0..3.0).prop_map(Some)])
        .prop_map(|((k, b, proximity), (formula, multiplied), fresh, demoted, first, weighted)| Ranking {
            k,
            b,
            proximity,
            formula: FORMULAS[formula].map(str::to_owned),
            formula_is: if multiplied { FormulaIs::Multiplied } else { FormulaIs::Added },
            freshness: fresh.map(|(half_life, weight)| Freshness { half_life, weight }),
            rules: demoted
                .map(|by| Rule { url: "s1.test".to_owned(), query: None, act: Act::Demote(by) })
                .into_iter()
                .collect(),
            all_words_first: first,
            words: weighted.map(|weight: f64| ("tent".to_owned(), weight)).into_iter().collect(),
            ..Ranking::default()
        })
}

/// The promise of `--explain`: every value follows from those below it, and the one at the top is the score.
#[test]
fn explanations_add_up_to_scores_whatever_the_ranking() {
    let corpus = Corpus::new(&many(120, 7));
    let search = |query: &str, ranking: &Ranking, sort: bool| Search {
        ranking: Some(ranking.clone()),
        explain: true,
        sort: sort.then(|| "-price".to_owned()),
        ..asked(query)
    };
    proptest!(ProptestConfig::with_cases(96), |(query in 0..QUERIES.len(), ranking in rankings(), sort in any::<bool>())| {
        let query = QUERIES[query];
        let answer = corpus.search(&search(query, &ranking, sort));
        let mut before: Option<(bool, f64)> = None;
        for hit in &answer.hits {
            prop_assert!(hit.score.is_finite(), "{query}: {}", hit.score);
            let tree = hit.explanation.as_ref().unwrap();
            prop_assert!(tree.check().is_ok(), "{query}: {tree}");
            let apart = (tree.value - hit.score).abs();
            let size = tree.children.iter().map(|child| child.value.abs()).fold(hit.score.abs(), f64::max);
            prop_assert!(apart <= 1e-6 * size.max(1e-9), "{query}: score {}\n{tree}", hit.score);
            let this = (hit.all_words && ranking.all_words_first, hit.score);
            if !sort && let Some(before) = before.replace(this) {
                prop_assert!(before >= this, "{query}: {before:?} before {this:?}");
            }
        }
    });
}

#[test]
fn a_formula_without_value_is_neutral() {
    let mut documents = many(30, 3);
    documents.push({
        let mut infinite = text("infinite", "tent");
        infinite.fields = vec![number("price", f64::INFINITY), number("reviews", f64::NAN)];
        infinite
    });
    let corpus = Corpus::new(&documents);
    let plain = Ranking { proximity: 0.0, ..Ranking::default() };
    let expected = corpus.ranked("tent lamp", plain.clone());
    for formula in
        ["1 / 0", "0 / 0", "log(0)", "log(-1)", "sqrt(-1)", "exp(1e9)", "1e300 * 1e300", "pagerank", "-1 / 0"]
    {
        for formula_is in [FormulaIs::Added, FormulaIs::Multiplied] {
            let ranking = Ranking { formula: Some(formula.to_owned()), formula_is, ..plain.clone() };
            let answer = corpus.ranked("tent lamp", ranking);
            assert_eq!(ids(&answer), ids(&expected), "{formula}");
            let scores =
                |answer: &search::Answer| answer.hits.iter().map(|hit| hit.score).collect::<Vec<_>>();
            assert_eq!(scores(&answer), scores(&expected), "{formula}");
        }
    }
}

#[test]
fn a_formula_orders_by_the_numbers_of_rows() {
    let row = |id: &str, votes: f64| {
        let mut document = text(id, "tent");
        document.fields = vec![number("reviews", votes)];
        document
    };
    let corpus = Corpus::new(&[row("few", 1.0), row("many", 900.0), text("none", "tent"), row("some", 30.0)]);
    let with = |formula: &str| Ranking { formula: Some(formula.to_owned()), ..Ranking::default() };
    assert_eq!(ids(&corpus.ranked("tent", with("log(1 + votes)"))), ["many", "some", "few", "none"]);
    assert_eq!(ids(&corpus.ranked("tent", with("0 - reviews")))[3], "many");
    assert_eq!(ids(&corpus.ranked("tent", with("default(votes, 1000)")))[0], "none");
}

#[test]
fn a_wrong_formula_is_refused_with_its_place() {
    let corpus = Corpus::new(&[text("a", "tent")]);
    let refused = |formula: &str, at: usize| {
        let ranking = Ranking { formula: Some(formula.to_owned()), ..Ranking::default() };
        match corpus.try_search(&Search { ranking: Some(ranking), ..asked("tent") }) {
            Err(error @ SearchError::Formula { start, .. }) => {
                assert_eq!(start, at, "{formula}: {error}");
                assert!(error.to_string().contains(&format!("at character {}", at + 1)), "{error}");
            }
            other => panic!("{formula}: {other:?}"),
        }
    };
    refused("1 + popularity", 4);
    refused("log(", 4);
    refused("1 + * 2", 4);
    // Characters, not bytes.
    refused("has(`größe`) + x", 4);
    refused("  unknown", 2);
}

#[test]
fn numbers_that_make_no_order_are_refused() {
    let corpus = Corpus::new(&[text("a", "tent")]);
    let refused = |ranking: Ranking, part: &str| {
        let error = corpus.try_search(&Search { ranking: Some(ranking), ..asked("tent") }).unwrap_err();
        assert!(matches!(error, SearchError::Setting(_)) && error.to_string().contains(part), "{error}");
    };
    refused(Ranking { k: f64::NAN, ..Ranking::default() }, "ranking.k");
    refused(Ranking { b: 1.5, ..Ranking::default() }, "ranking.b");
    refused(Ranking { cut: -0.1, ..Ranking::default() }, "ranking.cut");
    refused(Ranking { proximity: f64::INFINITY, ..Ranking::default() }, "ranking.proximity");
    let fresh = Freshness { half_life: 0.0, weight: 1.0 };
    refused(Ranking { freshness: Some(fresh), ..Ranking::default() }, "half_life");
    let rule = |url: &str| Rule { url: url.to_owned(), query: None, act: Act::Pin };
    refused(Ranking { rules: vec![rule("http://a.test/*")], ..Ranking::default() }, "pinned");
    refused(Ranking { rules: vec![rule("a.test")], ..Ranking::default() }, "pinned");
}
