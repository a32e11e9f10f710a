//! Order and choice: what is pinned, blocked, demoted, cut, grouped, counted, sorted and paged.

use std::collections::BTreeSet;

use search::settings::{Act, Freshness, Rule};
use search::{Document, Ranking, Search, SearchError};

use crate::corpus::{Corpus, DAY, NOW, asked, ids, many, number, text, word};

fn rule(url: &str, act: Act) -> Rule {
    Rule { url: url.to_owned(), query: None, act }
}

fn at(id: &str, url: &str, words: &str) -> Document {
    Document { url: url.to_owned(), ..text(id, words) }
}

fn five() -> Corpus {
    Corpus::new(&[
        at("best", "http://a.test/best", "tent tent tent"),
        at("good", "http://a.test/good", "tent tent stone"),
        at("fair", "http://b.test/fair", "tent stone stone"),
        at("poor", "http://c.b.test/poor", "tent stone stone stone stone stone stone stone"),
        at("none", "http://d.test/none", "stone"),
    ])
}

fn with(rules: Vec<Rule>) -> Ranking {
    Ranking { rules, ..Ranking::default() }
}

#[test]
fn rules_pin_block_and_demote() {
    let corpus = five();
    let check = |rules: Vec<Rule>, expected: &[&str]| {
        assert_eq!(ids(&corpus.ranked("tent", with(rules.clone()))), expected, "{rules:?}");
    };
    check(vec![], &["best", "good", "fair", "poor"]);
    check(vec![rule("http://c.b.test/poor", Act::Pin)], &["poor", "best", "good", "fair"]);
    // Pinned whether it has the words or not; one that does not exist changes nothing.
    check(vec![rule("http://d.test/none", Act::Pin)], &["none", "best", "good", "fair", "poor"]);
    check(vec![rule("http://d.test/gone", Act::Pin)], &["best", "good", "fair", "poor"]);
    check(vec![rule("b.test", Act::Block)], &["best", "good"]);
    check(vec![rule("http://a.test/*", Act::Block)], &["fair", "poor"]);
    check(vec![rule("http://a.test/best", Act::Demote(0.1))], &["good", "fair", "poor", "best"]);
    check(vec![rule("a.test", Act::Demote(0.05))], &["fair", "poor", "best", "good"]);
    let only = |query: &str| Rule { query: Some(query.to_owned()), ..rule("a.test", Act::Block) };
    check(vec![only(" TENT ")], &["fair", "poor"]);
    check(vec![only("other")], &["best", "good", "fair", "poor"]);
}

/// A demoted hit stands where its score puts it among all that match, whatever page of hits is asked for.
#[test]
fn demoted_hits_stand_in_one_place_for_every_limit_and_page() {
    // The best by far are of the demoted site.
    let mut documents: Vec<Document> = (0..150)
        .map(|n| {
            at(&format!("down{n:03}"), &format!("http://down.test/old/{n}"), &"tent ".repeat(3 + n % 40))
        })
        .collect();
    let body = |n: usize| format!("tent {}", "stone ".repeat(1 + n % 30));
    documents.extend((0..450).map(|n| at(&format!("d{n:03}"), &format!("http://up.test/{n}"), &body(n))));
    let check = |pattern: &str, by: f64, shards: usize| {
        let corpus = Corpus::with(crate::corpus::settings(), &documents, shards);
        let ranking = with(vec![rule(pattern, Act::Demote(by))]);
        let search = |limit: usize, cursor: Option<String>| {
            let ranking = Some(ranking.clone());
            corpus.search(&Search { limit: Some(limit), cursor, ranking, ..asked("tent") })
        };
        let all = search(1_000, None);
        let plain = corpus.find("tent");
        let mut expected: Vec<(String, f64)> = Vec::new();
        for hit in &plain.hits {
            let factor = if hit.id.starts_with("down") { by } else { 1.0 };
            expected.push((hit.id.clone(), hit.score * factor));
        }
        expected.sort_by(|one, other| other.1.total_cmp(&one.1));
        let scores = |answer: &search::Answer| answer.hits.iter().map(|hit| hit.score).collect::<Vec<_>>();
        assert_eq!(all.hits.len(), 600);
        let expected: Vec<f64> = expected.into_iter().map(|(_, score)| score).collect();
        assert_eq!(scores(&all), expected, "{pattern}, {shards} shards");
        for limit in [1, 2, 7, 30] {
            assert_eq!(ids(&search(limit, None)), ids(&all)[..limit], "{pattern}, the first {limit}");
        }
        let (mut paged, mut cursor) = (Vec::new(), None);
        loop {
            let page = search(70, cursor.clone());
            paged.extend(ids(&page));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(paged, ids(&all), "{pattern}, page by page");
        assert!(!all.hits[0].id.starts_with("down"), "{}", all.hits[0].id);
    };
    check("down.test", 0.01, 1);
    check("down.test", 0.01, 3);
    check("http://down.test/*", 0.2, 1);
    check("*/old/*", 0.3, 2);
}

#[test]
fn a_score_below_nothing_is_not_raised_by_demoting() {
    let corpus = five();
    let words = [("tent".to_owned(), -5.0)].into_iter().collect();
    let plain = Ranking { words, ..Ranking::default() };
    let demoted = Ranking { rules: vec![rule("c.b.test", Act::Demote(0.1))], ..plain.clone() };
    let (before, after) = (corpus.ranked("tent", plain), corpus.ranked("tent", demoted));
    assert!(before.hits[3].score < 0.0 && before.hits[3].id == "poor");
    assert_eq!(ids(&after), ids(&before));
}

#[test]
fn a_pinned_row_is_shown_once() {
    let mut row = at("row", "http://a.test/x", "tent");
    row.kind = search::DocumentKind::Row;
    let corpus = Corpus::new(&[row, at("other", "http://a.test/y", "tent tent")]);
    let answer = corpus.ranked("tent", with(vec![rule("http://a.test/x", Act::Pin)]));
    assert_eq!(ids(&answer), ["row", "other"]);
    assert!(answer.hits[0].pinned && !answer.hits[1].pinned);
}

#[test]
fn the_tail_is_cut_at_a_share_of_the_best() {
    let corpus = five();
    let cut = |cut: f64| ids(&corpus.ranked("tent", Ranking { cut, ..Ranking::default() })).len();
    assert_eq!((cut(0.0), cut(1.0)), (4, 1));
    assert!((2..4).contains(&cut(0.7)));
    // Without scores there is nothing to cut by.
    assert_eq!(ids(&corpus.ranked("site:test", Ranking { cut: 0.5, ..Ranking::default() })).len(), 5);
    let negative = Ranking { cut: 0.5, words: [("tent".to_owned(), -9.0)].into(), ..Ranking::default() };
    assert_eq!(ids(&corpus.ranked("tent", negative)).len(), 4);
}

#[test]
fn a_site_shows_no_more_than_it_may_and_others_still_come() {
    // One site with many good hits, far more than a page holds, and one with a poor one.
    let mut documents: Vec<Document> =
        (0..400).map(|n| at(&format!("a{n}"), &format!("http://a.test/{n}"), "tent tent")).collect();
    documents.push(at("b", "http://b.test/", "tent stone stone stone"));
    let corpus = Corpus::new(&documents);
    let search = |per_site: usize| Search {
        limit: Some(5),
        ranking: Some(Ranking { per_site, ..Ranking::default() }),
        ..asked("tent")
    };
    let answer = corpus.search(&search(2));
    assert_eq!(answer.hits.len(), 3);
    assert_eq!(answer.hits[2].id, "b");
    assert!(answer.hits[1].more_of_site && !answer.hits[2].more_of_site);
    assert_eq!(answer.next, None);
    assert_eq!(corpus.search(&search(0)).hits.len(), 5);
}

#[test]
fn filters_narrow_and_leave_the_query_as_it_is() {
    let corpus = five();
    let find = |query: &str, filters: &[&str]| {
        let filters = filters.iter().map(|&filter| filter.to_owned()).collect();
        corpus.search(&Search { filters, ..asked(query) })
    };
    let check = |query: &str, filters: &[&str], expected: &[&str]| {
        let mut found = ids(&find(query, filters));
        found.sort_unstable();
        assert_eq!(found, expected, "{query:?} {filters:?}");
    };
    // The query stays a condition beside a filter of words: "none" has a stone and no tent.
    check("tent", &["text:stone"], &["fair", "good", "poor"]);
    check("tent", &["stone", "site:b.test"], &["fair", "poor"]);
    check("tent", &["-site:b.test"], &["best", "good"]);
    check("", &["text:stone", "-text:tent"], &["none"]);
    check("tent", &[" "], &["best", "fair", "good", "poor"]);
    // Signs that the query leaves open do not reach into the filter.
    check("\"tent", &["site:d.test"], &[]);
    // Scores are those of the query alone.
    let score =
        |filters: &[&str]| find("tent", filters).hits.iter().find(|hit| hit.id == "fair").unwrap().score;
    assert_eq!(score(&[]), score(&["stone"]));
    let wrong = Search { filters: vec!["(stone".to_owned()], ..asked("tent") };
    let said = corpus.try_search(&wrong).unwrap_err().to_string();
    assert!(said.contains("filter \"(stone\"") && said.contains("character"), "{said}");
}

#[test]
fn pages_give_every_hit_once_and_in_order() {
    let corpus = Corpus::new(&many(150, 11));
    for (query, ranking) in [
        ("tent", Ranking::default()),
        ("tent lamp boat", Ranking { all_words_first: false, ..Ranking::default() }),
        ("", Ranking::default()),
        ("tent", with(vec![rule("http://s0.test/none", Act::Pin), rule("s1.test", Act::Demote(0.3))])),
        ("lamp", Ranking { per_site: 7, ..Ranking::default() }),
        ("lamp", with(vec![rule("s2.test", Act::Block)])),
        ("lamp stove", Ranking { cut: 0.4, ..Ranking::default() }),
    ] {
        let whole = Search { ranking: Some(ranking.clone()), ..asked(query) };
        let expected = ids(&corpus.search(&whole));
        assert!(expected.len() > 10, "{query}");
        let mut paged = Vec::new();
        let mut cursor = None;
        loop {
            let answer = corpus.search(&Search { limit: Some(7), cursor: cursor.clone(), ..whole.clone() });
            assert!(answer.hits.len() <= 7);
            let places: Vec<usize> = answer.hits.iter().map(|hit| hit.place).collect();
            assert_eq!(places, (paged.len() + 1..=paged.len() + places.len()).collect::<Vec<_>>());
            paged.extend(ids(&answer));
            cursor = answer.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(paged, expected, "{query}");
        assert_eq!(paged.iter().collect::<BTreeSet<_>>().len(), paged.len(), "{query}");
    }
}

#[test]
fn a_cursor_of_another_query_is_refused() {
    let corpus = Corpus::new(&many(50, 1));
    let next = corpus.search(&Search { limit: Some(3), ..asked("tent") }).next.unwrap();
    for (query, cursor) in
        [("lamp", next.as_str()), ("tent", "x"), ("tent", ""), ("tent", "ffffff.0"), ("tent", "-1.")]
    {
        let search = Search { cursor: Some(cursor.to_owned()), ..asked(query) };
        assert!(matches!(corpus.try_search(&search), Err(SearchError::Cursor)), "{query} {cursor}");
    }
}

#[test]
fn facets_count_all_that_match() {
    let row = |id: &str, brand: &str, price: f64, days: i64| {
        let mut document = at(id, "http://a.test/", "tent");
        document.fields = vec![word("brand", brand), number("price", price)];
        document.date = Some(NOW - days * DAY);
        document
    };
    let documents = [
        row("a", "Acme", 5.0, 1),
        row("b", "Acme", 50.0, 1),
        row("c", "Bolt", 55.0, 400),
        text("none", "tent"),
        row("x", "Acme", 1.0, 1),
    ];
    let mut documents = documents.to_vec();
    documents[4].text = "lamp".to_owned();
    let corpus = Corpus::new(&documents);
    let facets = ["brand", "price", "site", "date"].map(str::to_owned).to_vec();
    let answer = corpus.search(&Search { facets, limit: Some(1), ..asked("tent") });
    let counts = |n: usize| {
        let values: Vec<String> =
            answer.facets[n].values.iter().map(|(value, count)| format!("{value}={count}")).collect();
        values.join(" ")
    };
    assert_eq!(counts(0), "Acme=2 Bolt=1");
    assert_eq!((counts(1), answer.facets[1].ends), ("1..10=1 10..100=2".to_owned(), Some((5.0, 55.0))));
    assert_eq!(counts(2), "a.test=3 test=3");
    // Years of 365.2425 days, back from now.
    assert_eq!(counts(3), "2024-01-01..2024-12-31=1 2024-12-31..2026-01-01=2");
    let unknown = Search { facets: vec!["colour".to_owned()], ..asked("tent") };
    assert!(matches!(corpus.try_search(&unknown), Err(SearchError::Setting(_))));
}

#[test]
fn hits_are_sorted_by_a_column_and_those_without_come_last() {
    let priced = |id: &str, price: f64| {
        let mut document = text(id, "tent");
        document.fields = vec![number("price", price)];
        document
    };
    let corpus =
        Corpus::new(&[priced("b", 20.0), text("none", "tent"), priced("a", -1.0), priced("c", 300.5)]);
    let sorted = |sort: &str| ids(&corpus.search(&Search { sort: Some(sort.to_owned()), ..asked("tent") }));
    assert_eq!(sorted("price"), ["a", "b", "c", "none"]);
    assert_eq!(sorted("-price"), ["c", "b", "a", "none"]);
    assert_eq!(sorted(" ").len(), 4);
    for wrong in ["brand", "-", "title", "colour"] {
        let search = Search { sort: Some(wrong.to_owned()), ..asked("tent") };
        let error = corpus.try_search(&search).unwrap_err();
        assert!(error.to_string().contains("cannot sort by"), "{error}");
    }
}

#[test]
fn newer_is_better_where_freshness_counts() {
    let dated = |id: &str, days: Option<i64>| Document {
        date: days.map(|days| NOW - days * DAY),
        fetched: NOW - 5_000 * DAY,
        ..text(id, "tent")
    };
    let corpus = Corpus::new(&[
        dated("old", Some(900)),
        dated("new", Some(1)),
        dated("unknown", None),
        dated("future", Some(-9)),
    ]);
    let freshness = Some(Freshness { half_life: 30.0, weight: 2.0 });
    let found = ids(&corpus.ranked("tent", Ranking { freshness, ..Ranking::default() }));
    assert_eq!(found, ["future", "new", "old", "unknown"]);
}
