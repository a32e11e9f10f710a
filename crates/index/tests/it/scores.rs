//! Scores equal the formula, for any k and b, whatever was deleted before.

use index::{Demand, Idf, Order, Query, Request, Scoring};
use proptest::prelude::*;

use crate::corpus::{Dice, Named, assert_same, expected, lively, term, word};

#[test]
fn scores_equal_brute_force_for_any_k_and_b() {
    let seed = 20_261_115;
    println!("seed {seed}");
    let dir = tempfile::tempdir().unwrap();
    let (index, plains) = lively(&dir.path().join("i"), seed, 900);
    let view = Named::new(&index, &plains);
    let mut dice = Dice(seed);
    for round in 0..24 {
        let b = [0.0, 1.0].get(round).copied().unwrap_or_else(|| dice.share());
        let mut scoring = Scoring::even(4, dice.share() * 4.0, b, Idf::Standard);
        if round % 3 == 0 {
            scoring.idf = Idf::Paper;
        }
        scoring.weight[0] = dice.share() * 3.0;
        scoring.k[0] = dice.share() * 2.0;
        let words: Vec<String> = (0..1 + dice.roll(4)).map(|_| word(&mut dice)).collect();
        let terms = words.iter().flat_map(|word| [Query::Term(term(0, word)), Query::Term(term(1, word))]);
        let query = Query::Any(terms.collect());
        let what = format!("round {round}, b {b}, {words:?}");
        assert_same(&view.matches(&query, &scoring), &expected(&plains, &query, &scoring), &what);
    }
}

#[test]
fn an_index_with_deletes_equals_a_rebuilt_one() {
    let dir = tempfile::tempdir().unwrap();
    let (index, plains) = lively(&dir.path().join("i"), 7, 600);
    let rebuilt = index::Index::create(&dir.path().join("r"), crate::corpus::schema()).unwrap();
    let mut writer = crate::corpus::writer(&rebuilt);
    for (id, plain) in &plains {
        writer.add(&crate::corpus::entry(id, plain)).unwrap();
    }
    writer.commit("").unwrap();
    writer.close().unwrap();
    let scoring = Scoring::even(4, 1.2, 0.75, Idf::Standard);
    let (before, after) = (Named::new(&index, &plains), Named::new(&rebuilt, &plains));
    for number in 0..20 {
        let query = Query::Any(vec![Query::Term(term(1, &format!("w{number}"))), Query::Term(term(0, "w3"))]);
        let (one, other) = (before.matches(&query, &scoring), after.matches(&query, &scoring));
        assert_eq!(one, other, "w{number}");
    }
}

#[test]
fn what_is_left_out_is_never_among_the_best() {
    let dir = tempfile::tempdir().unwrap();
    let (index, plains) = lively(&dir.path().join("i"), 13, 900);
    let view = index.view().unwrap();
    let named = Named::new(&index, &plains);
    let config = ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(seed in any::<u64>(), most in 1_usize..30, k in 0.0..4.0, b in 0.0..=1.0)| {
        let mut dice = Dice(seed);
        let mut scoring = Scoring::even(4, k, b, Idf::Standard);
        scoring.weight[0] = dice.share() * 3.0;
        let words: Vec<String> = (0..1 + dice.roll(5)).map(|_| word(&mut dice)).collect();
        let part = |word: &String| Query::Any(vec![Query::Term(term(0, word)), Query::Term(term(1, word))]);
        let query = Query::Loose(words.iter().map(|word| (Demand::May, part(word))).collect());
        let statistics = view.statistics(&query).unwrap();
        let mut request = Request {
            query: &query,
            filters: &[],
            statistics: &statistics,
            scoring: &scoring,
            most,
            all_first: false,
            order: Order::Score,
            signals: None,
            facets: &[],
            count: true,
        };
        let full = view.search(&request).unwrap();
        request.count = false;
        let pruned = view.search(&request).unwrap();
        prop_assert_eq!(&pruned.candidates, &full.candidates);
        prop_assert!(named.matches(&query, &scoring).len() >= pruned.candidates.len());
    });
}
