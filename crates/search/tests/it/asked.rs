//! What is asked wrongly is refused, and what is left out is counted.

use std::collections::BTreeMap;

use measure::{Judgments, Measure};
use search::settings::{Act, Rule};
use search::{Collection, Document, IndexSettings, LeftOut, Ranking, Search, SearchError};

use crate::corpus::{Corpus, asked, text};

fn at(id: &str, url: &str, words: &str) -> Document {
    Document { url: url.to_owned(), ..text(id, words) }
}

/// Many of one site, one of another.
fn sites() -> Corpus {
    let mut documents: Vec<Document> =
        (0..49).map(|n| at(&format!("a{n}"), &format!("http://a.test/{n}"), "tent tent")).collect();
    documents.push(at("b", "http://b.test/", "tent stone stone stone stone stone stone"));
    Corpus::new(&documents)
}

#[test]
fn what_is_left_out_is_counted() {
    let corpus = sites();
    let check = |ranking: Ranking, hits: usize, expected: LeftOut| {
        let answer = corpus.ranked("tent", ranking);
        assert_eq!((answer.total, answer.hits.len(), answer.left_out), (50, hits, expected));
    };
    check(Ranking::default(), 50, LeftOut::default());
    let per_site = Ranking { per_site: 1, ..Ranking::default() };
    check(per_site, 2, LeftOut { same_site: 48, ..LeftOut::default() });
    let cut = Ranking { cut: 0.9, ..Ranking::default() };
    check(cut, 49, LeftOut { cut: 1, ..LeftOut::default() });
    let rule = Rule { url: "http://a.test/1*".to_owned(), query: None, act: Act::Block };
    let blocked = Ranking { rules: vec![rule], ..Ranking::default() };
    check(blocked, 39, LeftOut { blocked: 11, ..LeftOut::default() });
}

#[test]
fn pages_of_no_hits_or_of_too_many_are_refused() {
    let corpus = sites();
    for limit in [0, 1_001, usize::MAX] {
        let refused = corpus.try_search(&Search { limit: Some(limit), ..asked("tent") });
        assert!(refused.unwrap_err().to_string().contains("from 1 to 1000"), "{limit}");
    }
    let unknown = corpus.try_search(&Search { sort: Some("colour".to_owned()), ..asked("tent") });
    let said = unknown.unwrap_err().to_string();
    assert!(said.contains("colour") && said.contains("depth") && said.contains("price"), "{said}");
    assert!(!said.contains("brand"), "only numbers and dates: {said}");
}

#[test]
fn a_cursor_holds_for_one_page_of_its_order() {
    let corpus = sites();
    let page = |like: &str| Search { like: Some(like.to_owned()), limit: Some(5), ..Search::default() };
    let first = page("http://a.test/1");
    let cursor = corpus.search(&first).next;
    assert!(cursor.is_some());
    let next = |search: Search| corpus.try_search(&Search { cursor: cursor.clone(), ..search });
    assert!(next(first.clone()).is_ok());
    for other in [
        page("http://a.test/2"),
        Search { sort: Some("depth".to_owned()), ..first.clone() },
        Search { ranking: Some(Ranking { k: 2.0, ..Ranking::default() }), ..first.clone() },
    ] {
        assert!(matches!(next(other.clone()), Err(SearchError::Cursor)), "{other:?}");
    }
}

#[test]
fn set_measures_look_at_all_that_is_returned() {
    // 1,500 documents have the word, of which the judged one comes last by any order.
    let mut documents: Vec<Document> = (0..1_500).map(|n| text(&format!("d{n}"), "tent tent tent")).collect();
    documents.push(text("judged", &format!("tent {}", "stone ".repeat(50))));
    let collection = Collection::new(IndexSettings::default(), &documents).unwrap();
    let queries = BTreeMap::from([("1".to_owned(), "tent".to_owned())]);
    let judgments = Judgments::parse("1\tjudged\t1\n").unwrap();
    let check = |measure: &str, expected: f64| {
        let measures: [Measure; 1] = [measure.parse().unwrap()];
        let evaluation = collection.with(|searcher| {
            search::evaluate(searcher, collection.ranking(), &queries, &judgments, &measures, |one| one.id)
        });
        let mean = evaluation.unwrap().mean.into_values().next().unwrap();
        assert!((mean - expected).abs() < 1e-9, "{measure}: {mean}");
    };
    check("set_recall", 1.0);
    check("set_precision", 1.0 / 1_501.0);
    check("recall@1000", 0.0);
}

#[test]
fn weights_of_fields_count_in_evaluations() {
    let titled = |id: &str, title: &str, words: &str| Document { title: title.to_owned(), ..text(id, words) };
    let documents = [titled("title", "tent", "stone stone"), titled("text", "stone", "tent tent tent tent")];
    let rank = |yaml: &str| {
        let settings = IndexSettings::read(yaml).unwrap();
        let collection = Collection::new(settings, &documents).unwrap();
        let queries = BTreeMap::from([("1".to_owned(), "tent".to_owned())]);
        let judgments = Judgments::parse("1\ttitle\t1\n").unwrap();
        let measures: [Measure; 1] = ["rr".parse().unwrap()];
        let evaluation = collection.with(|searcher| {
            search::evaluate(searcher, collection.ranking(), &queries, &judgments, &measures, |one| one.id)
        });
        evaluation.unwrap().mean.into_values().next().unwrap()
    };
    assert!((rank("fields: {title: {weight: 0.01}}") - 0.5).abs() < 1e-9);
    assert!((rank("fields: {title: {weight: 50}}") - 1.0).abs() < 1e-9);
}
