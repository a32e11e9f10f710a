//! Several shards answer as one.

use search::settings::{Act, Rule};
use search::{Answer, Ranking, Search};

use crate::corpus::{Corpus, asked, many, settings, text};

fn shape(answer: &Answer) -> Vec<(String, f64, bool, String)> {
    let hit = |hit: &search::Hit| (hit.id.clone(), hit.score, hit.all_words, hit.title.with("[", "]"));
    answer.hits.iter().map(hit).collect()
}

/// The same documents in one, two and five parts: the same hits with the same scores in the same order.
#[test]
fn shards_answer_exactly_as_one() {
    let documents = many(190, 23);
    let one = Corpus::with(settings(), &documents, 1);
    let rankings = [
        Ranking::default(),
        Ranking {
            formula: Some("log(1 + votes) + age / 1000".to_owned()),
            proximity: 0.0,
            ..Ranking::default()
        },
        Ranking { all_words_first: false, k: 0.4, b: 0.1, ..Ranking::default() },
        Ranking {
            per_site: 3,
            rules: vec![Rule { url: "s2.test".to_owned(), query: None, act: Act::Demote(0.5) }],
            ..Ranking::default()
        },
    ];
    for shards in [2, 5] {
        let several = Corpus::with(settings(), &documents, shards);
        for query in [
            "tent",
            "tent lamp stove",
            "\"yellow light\"",
            "tent NEAR/2 lamp",
            "NOT tent",
            "ten* OR ropes~",
            "yelow mountian",
            "+boat -knife winter",
            "tent lang:en price:10..60",
            "",
            "kayak",
        ] {
            for ranking in &rankings {
                let facets = vec!["brand".to_owned(), "price".to_owned()];
                let search = Search { ranking: Some(ranking.clone()), facets, ..asked(query) };
                let (expected, found) = (one.search(&search), several.search(&search));
                assert_eq!(shape(&found), shape(&expected), "{shards} shards: {query}");
                assert_eq!((found.total, found.with_all_words), (expected.total, expected.with_all_words));
                assert_eq!(found.also, expected.also, "{shards} shards: {query}");
                assert_eq!(found.did_you_mean, expected.did_you_mean, "{shards} shards: {query}");
                let counts = |answer: &Answer| {
                    answer.facets.iter().map(|facet| (facet.values.clone(), facet.ends)).collect::<Vec<_>>()
                };
                assert_eq!(counts(&found), counts(&expected), "{shards} shards: {query}");
            }
        }
    }
}

/// The first of three parts knows only the rarer of two words that are equally near.
#[test]
fn what_was_meant_is_weighed_over_all_shards() {
    let word = |number: usize| match number % 3 {
        0 if number < 9 => "shore",
        0 => "lamp",
        _ => "store",
    };
    let documents: Vec<_> = (0..90).map(|number| text(&format!("d{number}"), word(number))).collect();
    for shards in [1, 3] {
        let corpus = Corpus::with(settings(), &documents, shards);
        let meant = |query: &str| corpus.find(query).did_you_mean;
        assert_eq!(meant("sgore").as_deref(), Some("store"), "{shards} shards");
        assert_eq!(meant("lapm").as_deref(), Some("lamp"), "{shards} shards");
        assert_eq!(meant("shore"), None, "{shards} shards");
    }
}
