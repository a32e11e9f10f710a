//! Whatever is typed: a result, or a message that points into the text.

use proptest::prelude::*;
use search::{Ranking, Search, SearchError};

use crate::corpus::{Corpus, asked, many};

/// Strings that look like queries.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("tent"),
        Just("lamp"),
        Just(" "),
        Just(" AND "),
        Just(" OR "),
        Just(" NOT "),
        Just(" XOR "),
        Just(" NEAR "),
        Just(" NEAR/2 "),
        Just("NEAR/0 "),
        Just("NEAR/99999999999"),
        Just("("),
        Just(")"),
        Just("\""),
        Just("+"),
        Just("-"),
        Just("title:"),
        Just("site:"),
        Just("price:"),
        Just("made:"),
        Just("kind:"),
        Just("before:"),
        Just("lang:"),
        Just(".."),
        Just("10"),
        Just("1e999"),
        Just("-5"),
        Just("2025-02-30"),
        Just("*"),
        Just("~"),
        Just("~2"),
        Just("~9"),
        Just(":"),
        Just(">="),
        Just("the"),
        Just("ü"),
        Just("日本語"),
        Just("\u{0}"),
        Just("\u{301}"),
        Just("brand:"),
        Just("date:"),
        Just("mountian"),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

#[test]
fn any_string_gives_a_result_or_a_message_with_a_place_in_it() {
    let corpus = Corpus::new(&many(40, 5));
    let lower =
        Ranking { lower_case_operators: true, stemmed_phrases: true, per_site: 2, ..Ranking::default() };
    let searches = prop_oneof![pieces(), "\\PC{0,60}", pieces().prop_map(|text| text.to_lowercase())];
    proptest!(ProptestConfig::with_cases(1_500), |(query in searches, changed in any::<bool>())| {
        let ranking = changed.then(|| lower.clone());
        let search = Search { ranking, explain: true, facets: vec!["price".to_owned()], ..asked(&query) };
        match corpus.try_search(&search) {
            Ok(answer) => {
                prop_assert!(answer.hits.iter().all(|hit| hit.score.is_finite()));
                prop_assert!(answer.hits.len() as u64 <= answer.total);
            }
            Err(SearchError::Query(error)) => {
                prop_assert!(error.position <= query.chars().count(), "{query:?}: {error}");
                prop_assert!(!error.message.is_empty());
            }
            Err(error) => return Err(TestCaseError::fail(format!("{query:?}: {error}"))),
        }
    });
}

#[test]
fn a_very_long_query_is_answered_or_refused() {
    let corpus = Corpus::new(&many(40, 5));
    for query in [
        "tent ".repeat(800),
        "a*".repeat(3_000),
        "(".repeat(4_000),
        "NOT ".repeat(1_000),
        "tent~2 ".repeat(500),
    ] {
        match corpus.try_search(&asked(&query)) {
            Ok(_) => {}
            Err(SearchError::Query(error)) => assert!(error.position <= query.chars().count()),
            Err(error) => panic!("{error}"),
        }
    }
}
