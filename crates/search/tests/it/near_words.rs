//! Near spellings: what is found by them, what is not, and what is suggested.

use search::Ranking;

use crate::corpus::{Corpus, ids, settings, text};

#[test]
fn a_word_that_something_has_is_not_looked_for_in_other_spellings() {
    let corpus =
        Corpus::new(&[text("java", "java beans"), text("lava", "lava stones"), text("script", "javascript")]);
    for query in ["java", "+java", "java AND beans", "title:java OR java", "java NEAR beans"] {
        let answer = corpus.find(query);
        assert_eq!((ids(&answer), answer.also.len()), (vec!["java".to_owned()], 0), "{query}");
    }
    // Asked for, near ones come below.
    assert_eq!(corpus.ids("java~"), ["java", "lava"]);
}

#[test]
fn java_never_becomes_javascript() {
    let corpus = Corpus::new(&[text("script", "javascript"), text("other", "stone")]);
    for query in ["java", "java~", "java~2", "jav", "javas~2"] {
        assert_eq!(corpus.set(query), "", "{query}");
    }
    assert_eq!(corpus.find("java").did_you_mean, None);
}

/// Rare words are worth more, but not more than the word that was typed.
#[test]
fn a_rare_near_word_stays_below_the_typed_one() {
    let mut documents = vec![text("near", "stove pipes")];
    documents.extend((0..30).map(|n| text(&format!("typed{n:02}"), "stone pipes")));
    documents.extend((0..30).map(|n| text(&format!("other{n:02}"), "wooden pipes")));
    let corpus = Corpus::new(&documents);
    let found = corpus.ids("stone~");
    assert_eq!((found.len(), found.last().map(String::as_str)), (31, Some("near")));
}

#[test]
fn a_word_that_nothing_has_finds_the_nearest_and_says_so() {
    let corpus = Corpus::new(&[text("a", "mountain rivers"), text("b", "fountain pens"), text("c", "stone")]);
    let answer = corpus.find("mountian");
    assert_eq!(ids(&answer), ["a"]);
    assert_eq!(answer.also, [("mountian".to_owned(), vec!["mountain".to_owned()])]);
    assert_eq!(answer.did_you_mean.as_deref(), Some("mountain"));
    let exact = Ranking { fuzzy: false, ..Ranking::default() };
    assert!(corpus.ranked("mountian", exact).hits.is_empty());
    // Nearer ones are worth more.
    let corpus = Corpus::new(&[text("two", "fountains"), text("one", "mountains"), text("c", "stone")]);
    assert_eq!(corpus.ids("mountaims~2"), ["one", "two"]);
}

/// A misspelling that some page has finds the word that was meant too, always behind what has it as it was typed.
#[test]
fn a_word_that_few_have_finds_near_ones_below() {
    let long = format!("a stov {}", "stone ".repeat(400));
    let mut documents = vec![text("typed", &long)];
    documents.extend((0..20).map(|n| text(&format!("near{n:02}"), "stove stove stove")));
    documents.extend((0..20).map(|n| text(&format!("other{n:02}"), "wooden pipes")));
    let corpus = Corpus::new(&documents);
    let answer = corpus.find("stov");
    assert_eq!((answer.total, answer.with_all_words, answer.hits[0].id.as_str()), (21, 1, "typed"));
    assert_eq!(answer.also, [("stov".to_owned(), vec!["stove".to_owned()])]);
    assert!(answer.unknown.is_empty());
    assert!(corpus.ids("stov AND wooden").is_empty());
    assert_eq!(corpus.find("stov pipes").total, 41);
    assert_eq!(corpus.ranked("stov", Ranking { fuzzy: false, ..Ranking::default() }).total, 1);
    // As good as it in all else, a near one is still worth less.
    let mut even = vec![text("typed", "stov pipes")];
    even.extend((0..20).map(|n| text(&format!("near{n:02}"), "stove pipes")));
    let by_score = Ranking { all_words_first: false, ..Ranking::default() };
    assert_eq!(ids(&Corpus::new(&even).ranked("stov", by_score))[0], "typed");
    // Many enough have the other.
    assert_eq!(corpus.find("stove").also, []);
}

/// What is only looked for in other spellings, and what nothing has.
#[test]
fn a_word_is_unknown_only_if_nothing_has_it() {
    let corpus = Corpus::new(&[text("a", "tent"), text("b", "tens"), text("c", "stone")]);
    let check = |query: &str, also: usize, unknown: &[&str]| {
        let answer = corpus.find(query);
        assert_eq!(
            (answer.also.len(), answer.unknown.as_slice()),
            (also, unknown.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>().as_slice()),
            "{query}"
        );
    };
    check("tent~", 1, &[]);
    check("stome", 1, &["stome"]);
    check("stome tent~", 2, &["stome"]);
    check("stone", 0, &[]);
}

#[test]
fn what_was_meant_keeps_the_rest_of_the_query() {
    let documents: Vec<_> = (0..5).map(|n| text(&n.to_string(), "yellow mountain tents")).collect();
    let corpus = Corpus::new(&documents);
    let check = |query: &str, expected: Option<&str>| {
        assert_eq!(corpus.find(query).did_you_mean.as_deref(), expected, "{query}");
    };
    check("yelow", Some("yellow"));
    check("+yelow -\"steep mountian\" tents", None);
    check("(yelow AND mountian) OR tents", Some("(yellow AND mountain) OR tents"));
    check("ünd yelow", Some("ünd yellow"));
    check("yellow mountain", None);
    check("qqqqqqqqq", None);
    check("site:mountian.test", None);
}

/// Values of fields, ranges and conditions are no words to be spelled.
#[test]
fn what_was_meant_keeps_fields_of_rows() {
    let words = ["tent brandt late reef halden", "tent late brandt price harden"];
    let documents: Vec<_> = (0..20).map(|n| text(&n.to_string(), words[n % 2])).collect();
    let corpus = Corpus::new(&documents);
    let check = |query: &str, expected: Option<&str>| {
        assert_eq!(corpus.find(query).did_you_mean.as_deref(), expected, "{query}");
    };
    check("brand:\"Halden & Reef\"", None);
    check("tent date:2024..", None);
    check("tentt date:2024.. brand:brantd", Some("tent date:2024.. brand:brantd"));
    check("price:10..50 tentt", Some("price:10..50 tent"));
    check("lat:52 tentt -brand:Acme", Some("lat:52 tent -brand:Acme"));
}

#[test]
fn synonyms_are_found_and_count_less() {
    let mut settings = settings();
    settings.analysis.synonyms = vec![vec!["car".to_owned(), "automobile".to_owned()]];
    let corpus =
        Corpus::with(settings, &[text("synonym", "an automobile"), text("word", "a car"), text("c", "x")], 1);
    let answer = corpus.find("car");
    assert_eq!(ids(&answer), ["word", "synonym"]);
    assert_eq!(answer.hits[1].passages[0].with("[", "]"), "an [automobile]");
}

/// A synonym of several words is these in a row; they lead to the others in the same way.
#[test]
fn synonyms_of_several_words_are_phrases() {
    let mut settings = settings();
    settings.analysis.synonyms = vec![vec!["tent".to_owned(), "tarp shelter".to_owned()]];
    let documents = [
        text("tent", "a tent for two"),
        text("row", "the tarp shelter is light"),
        text("tarp", "a tarp alone"),
        text("apart", "a tarp, and then a shelter"),
        text("other", "stone"),
    ];
    let corpus = Corpus::with(settings, &documents, 1);
    let check = |query: &str, expected: &[&str]| assert_eq!(corpus.ids(query), expected, "{query}");
    check("tent", &["tent", "row"]);
    check("\"tarp shelter\"", &["row", "tent"]);
    check("tent AND light", &["row"]);
    let answer = corpus.find("tarp shelter");
    let all: Vec<(&str, bool)> = answer.hits.iter().map(|hit| (hit.id.as_str(), hit.all_words)).collect();
    assert_eq!((all.len(), all[3]), (4, ("tarp", false)), "{all:?}");
    assert!(all.contains(&("tent", true)) && all.contains(&("row", true)), "{all:?}");
    // Other words in between, or in another order, are no synonym.
    assert_eq!(corpus.set("shelter tarp"), "apart row tarp");
    assert_eq!(corpus.set("tarp light shelter"), "apart row tarp");
    assert_eq!(corpus.find("tent").hits[1].passages[0].with("[", "]"), "the [tarp shelter] is light");
}
