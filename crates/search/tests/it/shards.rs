//! Several shards answer as one.

use search::settings::{Act, Rule};
use search::{Answer, Ranking, Search};

use crate::corpus::{Corpus, asked, many, number, settings, text};

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

/// Well above the number of hits that are looked at where very many match; page by page as at once.
#[test]
fn shards_answer_as_one_where_thousands_match() {
    let documents = many(3_000, 29);
    let (one, three) = (Corpus::with(settings(), &documents, 1), Corpus::with(settings(), &documents, 3));
    let formula = Ranking { formula: Some("log(1 + votes) + age / 1000".to_owned()), ..Ranking::default() };
    for query in ["tent lamp", "tent lamp stove river", "yellow light NEAR winter", "+boat heavy rope"] {
        for ranking in [Ranking::default(), formula.clone()] {
            let search = Search { ranking: Some(ranking), ..asked(query) };
            let (expected, found) = (one.search(&search), three.search(&search));
            assert!(expected.total > 300, "{query}: {}", expected.total);
            assert_eq!(shape(&found), shape(&expected), "{query}");
            let few = one.search(&Search { limit: Some(7), ..search.clone() });
            assert_eq!(shape(&few), shape(&expected)[..7], "{query}");
        }
    }
}

/// Where not too many match, every hit has the score and the place that it has when it is looked at alone.
#[test]
fn every_match_is_scored_in_full() {
    let mut documents = many(1_000, 31);
    for (number_of, document) in documents.iter_mut().enumerate() {
        document.fields = vec![number("price", number_of as f64)];
    }
    let corpus = Corpus::with(settings(), &documents, 2);
    let query = "tent lamp stove";
    let ranking = Ranking { proximity: 2.0, ..Ranking::default() };
    let search = Search { ranking: Some(ranking), ..asked(query) };
    let found = corpus.search(&search);
    assert!(found.total > 800 && found.hits.len() as u64 == found.total, "{}", found.total);
    let mut alone = Vec::new();
    for number_of in 0..documents.len() {
        let filters = vec![format!("price:{number_of}")];
        alone.extend(corpus.search(&Search { filters, ..search.clone() }).hits);
    }
    alone.sort_by(|one, other| other.all_words.cmp(&one.all_words).then(other.score.total_cmp(&one.score)));
    let scores = |hits: &[search::Hit]| hits.iter().map(|hit| (hit.all_words, hit.score)).collect::<Vec<_>>();
    assert_eq!(scores(&found.hits), scores(&alone));
    let mut by_id: Vec<_> = found.hits.iter().map(|hit| (&hit.id, hit.score)).collect();
    let mut expected: Vec<_> = alone.iter().map(|hit| (&hit.id, hit.score)).collect();
    by_id.sort_by(|one, other| one.0.cmp(other.0));
    expected.sort_by(|one, other| one.0.cmp(other.0));
    assert_eq!(by_id, expected);
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
