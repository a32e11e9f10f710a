//! Operators match what their truth tables say, and nothing else.

use index::{Demand, Idf, Query, Scoring};
use proptest::prelude::*;

use crate::corpus::{Dice, Named, assert_same, expected, lively, term, word};

/// A word, a phrase, words near each other, a value or a range.
pub(crate) fn leaf(dice: &mut Dice) -> Query {
    match dice.roll(12) {
        0 => Query::Keyword { field: 2, value: format!("g{}", dice.roll(5)) },
        1 => {
            let from = dice.roll(250) as f64;
            Query::Between { field: 3, from: Some(from), to: (dice.roll(2) == 0).then_some(from + 40.0) }
        }
        2 | 3 => {
            let words = (0..2 + dice.roll(2)).map(|place| (place as u32, term(1, &word(dice)))).collect();
            Query::Phrase { words }
        }
        4 | 5 => Query::Near {
            left: Box::new(Query::Term(term(1, &word(dice)))),
            right: Box::new(Query::Any(vec![
                Query::Term(term(1, &word(dice))),
                Query::Term(term(1, &word(dice))),
            ])),
            distance: 1 + dice.roll(10) as u32,
        },
        _ => Query::Term(term(dice.roll(2) as usize, &word(dice))),
    }
}

fn tree(dice: &mut Dice, depth: u32) -> Query {
    if depth == 0 {
        return leaf(dice);
    }
    let parts = |dice: &mut Dice| (0..1 + dice.roll(3)).map(|_| tree(dice, depth - 1)).collect::<Vec<_>>();
    match dice.roll(10) {
        0 => Query::Not(Box::new(tree(dice, depth - 1))),
        1 | 2 => Query::All(parts(dice)),
        3 | 4 => Query::Any(parts(dice)),
        5 => Query::Odd(parts(dice)),
        6 => Query::Best(parts(dice)),
        7 => {
            let demands = [Demand::May, Demand::Must, Demand::MustNot, Demand::Also];
            let demand = |dice: &mut Dice| demands[dice.roll(4) as usize];
            let parts = parts(dice);
            Query::Loose(parts.into_iter().map(|part| (demand(dice), part)).collect())
        }
        8 => Query::Plus(Box::new(tree(dice, depth - 1)), 2.5),
        _ => leaf(dice),
    }
}

#[test]
fn trees_of_operators_match_what_they_say() {
    let dir = tempfile::tempdir().unwrap();
    let (index, plains) = lively(&dir.path().join("i"), 11, 600);
    let view = Named::new(&index, &plains);
    let scoring = Scoring::even(4, 1.2, 0.75, Idf::Standard);
    let config = ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(seed in any::<u64>())| {
        let query = tree(&mut Dice(seed), 2);
        assert_same(&view.matches(&query, &scoring), &expected(&plains, &query, &scoring), &format!("{query:?}"));
    });
}

#[test]
fn windows_are_crossed() {
    let dir = tempfile::tempdir().unwrap();
    let index = index::Index::create(&dir.path().join("i"), crate::corpus::schema()).unwrap();
    let mut writer = crate::corpus::writer(&index);
    let mut plains = crate::corpus::Plains::new();
    for number in 0..5_000 {
        // Rare words far apart, a common one everywhere.
        let mut text = vec!["common".to_owned()];
        if number % 2_047 == 1 {
            text.push("rare".to_owned());
        }
        let plain = crate::corpus::Plain { text, size: f64::from(number), ..Default::default() };
        writer.add(&crate::corpus::entry(&number.to_string(), &plain)).unwrap();
        plains.insert(number.to_string(), plain);
    }
    writer.commit("").unwrap();
    writer.close().unwrap();
    let view = Named::new(&index, &plains);
    let scoring = Scoring::even(4, 1.2, 0.75, Idf::Standard);
    let (common, rare) = (Query::Term(term(1, "common")), Query::Term(term(1, "rare")));
    for query in [
        Query::All(vec![rare.clone(), common.clone()]),
        Query::Any(vec![rare.clone(), common.clone()]),
        Query::All(vec![common.clone(), Query::Not(Box::new(rare.clone()))]),
        Query::Odd(vec![common, rare.clone()]),
        Query::All(vec![rare, Query::Between { field: 3, from: Some(2_000.0), to: None }]),
    ] {
        assert_same(
            &view.matches(&query, &scoring),
            &expected(&plains, &query, &scoring),
            &format!("{query:?}"),
        );
    }
}
