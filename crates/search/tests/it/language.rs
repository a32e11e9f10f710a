//! What each part of the query language finds.

use proptest::prelude::*;
use search::{Document, Ranking, SearchError};

use crate::corpus::{Corpus, DAY, NOW, asked, ids, number, text, word};

/// Eight documents, one for every way in which three words can be there or not: `abc`, `ab`, … `-` for none.
fn eight() -> Corpus {
    let documents: Vec<Document> = (0..8_u8).map(|bits| text(&name(bits), &body(bits))).collect();
    Corpus::new(&documents)
}

fn name(bits: u8) -> String {
    let name: String =
        ["a", "b", "c"].iter().enumerate().filter(|(n, _)| bits >> n & 1 == 1).map(|(_, c)| *c).collect();
    if name.is_empty() { "-".to_owned() } else { name }
}

fn body(bits: u8) -> String {
    let words = ["apple", "banana", "cherry"];
    let mut body = "stone".to_owned();
    for (_, word) in words.iter().enumerate().filter(|(n, _)| bits >> n & 1 == 1) {
        body.push(' ');
        body.push_str(word);
    }
    body
}

fn check(query: &str, expected: &str) {
    assert_eq!(eight().set(query), expected, "{query}");
}

#[test]
fn operators_have_their_truth_tables() {
    check("apple AND banana", "ab abc");
    check("apple OR banana", "a ab abc ac b bc");
    check("apple XOR banana", "a ac b bc");
    check("NOT apple", "- b bc c");
    check("apple AND NOT banana", "a ac");
    check("NOT (apple OR banana OR cherry)", "-");
    check("apple XOR banana XOR cherry", "a abc b c");
    check("(apple XOR banana) XOR cherry", "a abc b c");
}

#[test]
fn operators_bind_not_and_xor_or() {
    check("apple OR banana AND cherry", "a ab abc ac bc");
    check("(apple OR banana) AND cherry", "abc ac bc");
    check("apple XOR banana AND cherry", "a ab ac bc");
    check("apple OR banana XOR cherry", "a ab abc ac b c");
    check("NOT apple AND banana", "b bc");
    check("NOT (apple AND banana)", "- a ac b bc c");
}

#[test]
fn words_side_by_side_find_any_and_those_with_all_come_first() {
    let corpus = eight();
    let answer = corpus.find("apple banana");
    assert_eq!((answer.total, answer.with_all_words), (6, 2));
    let all: Vec<bool> = answer.hits.iter().map(|hit| hit.all_words).collect();
    assert_eq!(all, [true, true, false, false, false, false]);
    // Even where one word alone is worth more than all words: once in a long text against often in a short one.
    let long = format!("{} apple banana", "stone ".repeat(300));
    let mut documents = vec![text("often", "apple apple apple"), text("all", &long)];
    documents.extend((0..30).map(|n| text(&format!("x{n}"), "banana")));
    let few = Corpus::new(&documents);
    assert_eq!(few.ids("apple banana")[..2], ["all", "often"]);
    let by_score = Ranking { all_words_first: false, ..Ranking::default() };
    assert_eq!(ids(&few.ranked("apple banana", by_score))[..2], ["often", "all"]);
}

#[test]
fn signs_demand_and_forbid() {
    check("+apple banana", "a ab abc ac");
    check("apple -banana", "a ac");
    check("+apple +banana -cherry", "ab");
    check("-apple", "- b bc c");
    check("-apple -banana", "- c");
    check("+apple -(banana cherry)", "a");
}

/// A word that nothing has is looked for in near spellings, but never shuts out what has one of those.
#[test]
fn an_unknown_word_forbids_nothing() {
    check("apple -bananna", "a ab abc ac");
    check("apple AND NOT bananna", "a ab abc ac");
}

#[test]
fn an_empty_query_finds_everything_and_signs_without_words_nothing() {
    check("", "- a ab abc ac b bc c");
    check("   ", "- a ab abc ac b bc c");
    check("!!!", "");
    check("\"...\"", "");
    check("depth:deep", "");
}

/// A query of random operators, as text and as a function.
#[derive(Clone, Debug)]
enum Expression {
    Word(u8),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Xor(Box<Expression>, Box<Expression>),
    Not(Box<Expression>),
}

impl Expression {
    fn written(&self) -> String {
        match self {
            Expression::Word(n) => ["apple", "banana", "cherry"][usize::from(*n)].to_owned(),
            Expression::And(one, other) => format!("({} AND {})", one.written(), other.written()),
            Expression::Or(one, other) => format!("({} OR {})", one.written(), other.written()),
            Expression::Xor(one, other) => format!("({} XOR {})", one.written(), other.written()),
            Expression::Not(one) => format!("NOT {}", one.written()),
        }
    }

    fn holds(&self, bits: u8) -> bool {
        match self {
            Expression::Word(n) => bits >> n & 1 == 1,
            Expression::And(one, other) => one.holds(bits) && other.holds(bits),
            Expression::Or(one, other) => one.holds(bits) || other.holds(bits),
            Expression::Xor(one, other) => one.holds(bits) != other.holds(bits),
            Expression::Not(one) => !one.holds(bits),
        }
    }
}

fn expressions() -> impl Strategy<Value = Expression> {
    (0..3_u8).prop_map(Expression::Word).prop_recursive(5, 24, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            pair.clone().prop_map(|(one, other)| Expression::And(one.into(), other.into())),
            pair.clone().prop_map(|(one, other)| Expression::Or(one.into(), other.into())),
            pair.prop_map(|(one, other)| Expression::Xor(one.into(), other.into())),
            inner.prop_map(|one| Expression::Not(one.into())),
        ]
    })
}

#[test]
fn any_nesting_of_operators_means_what_logic_says() {
    let corpus = eight();
    proptest!(|(expression in expressions())| {
        let mut expected: Vec<String> = (0..8).filter(|bits| expression.holds(*bits)).map(name).collect();
        expected.sort_unstable();
        prop_assert_eq!(corpus.set(&expression.written()), expected.join(" "), "{}", expression.written());
    });
}

#[test]
fn near_counts_words_in_either_order() {
    let apart = |one: &str, other: &str, words: usize| {
        let between = "stone ".repeat(words - 1);
        text(&format!("{}{words:02}", &one[..1]), &format!("start {one} {between}{other} end"))
    };
    let mut documents = Vec::new();
    for words in [1, 3, 10, 11, 14] {
        documents.push(apart("alpha", "beta", words));
        documents.push(apart("beta", "alpha", words));
    }
    let corpus = Corpus::new(&documents);
    let check = |query: &str, expected: &str| assert_eq!(corpus.set(query), expected, "{query}");
    check("alpha NEAR/1 beta", "a01 b01");
    check("alpha NEAR/2 beta", "a01 b01");
    check("beta NEAR/3 alpha", "a01 a03 b01 b03");
    check("alpha NEAR beta", "a01 a03 a10 b01 b03 b10");
    check("alpha NEAR/11 beta", "a01 a03 a10 a11 b01 b03 b10 b11");
    check("(alpha OR gamma) NEAR/1 end", "b01 b03 b10 b11 b14");
    check("\"start alpha\" NEAR/1 beta", "a01");
    check("alpha NEAR/1 beta AND NOT start", "");
    check("start NEAR/1 (alpha NEAR/1 beta)", "a01 b01");
    // A word is not near itself.
    check("end NEAR/5 end", "");
}

/// Words of one field are counted once, and places of different fields are never compared.
#[test]
fn near_looks_at_the_named_field_alone() {
    let document = |id: &str, title: &str, body: &str| {
        let mut document = text(id, body);
        document.title = title.to_owned();
        document
    };
    let far = format!("dome {} tent", "stone ".repeat(20));
    let corpus = Corpus::new(&[
        document("title", "dome tent", "stone"),
        document("body", "stone", "dome tent"),
        document("across", "dome", "tent"),
        document("far", &far, "stone"),
        text("other", "stone"),
    ]);
    let check = |query: &str, expected: &str| assert_eq!(corpus.set(query), expected, "{query}");
    check("title:(dome NEAR tent)", "title");
    check("title:dome NEAR tent", "title");
    check("dome NEAR title:tent", "title");
    check("title:dome NEAR title:tent", "title");
    check("(title:dome OR dome) NEAR/1 tent", "body title");
    check("title:(dome NEAR/30 tent)", "far title");
    let score = |query: &str| corpus.find(query).hits[0].score;
    let plain = Ranking { proximity: 0.0, ..Ranking::default() };
    let ranked = |query: &str| corpus.ranked(query, plain.clone()).hits[0].score;
    assert_eq!(score("title:(dome NEAR tent)"), score("title:dome NEAR title:tent"));
    assert!((ranked("title:(dome NEAR tent)") - ranked("title:dome AND title:tent")).abs() < 1e-9);
    let refused = |query: &str, position: usize| match corpus.try_search(&asked(query)) {
        Err(SearchError::Query(error)) => assert_eq!(error.position, position, "{query}: {error}"),
        other => panic!("{query}: {other:?}"),
    };
    refused("title:dome NEAR text:tent", 16);
    refused("stone title:dome NEAR (text:tent OR url:tent)", 22);
    refused("tent NEAR kind:page", 10);
}

#[test]
fn near_binds_tighter_than_and_and_looser_than_not() {
    let corpus = Corpus::new(&[
        text("close", "alpha beta gamma"),
        text("far", &format!("alpha {} beta", "stone ".repeat(20))),
    ]);
    assert_eq!(corpus.set("gamma AND alpha NEAR beta"), "close");
    assert_eq!(corpus.set("alpha NEAR beta OR stone"), "close far");
    let error = corpus.try_search(&asked("alpha NEAR NOT beta")).unwrap_err();
    assert!(matches!(&error, SearchError::Query(error) if error.position == 6), "{error}");
}

#[test]
fn phrases_are_exact_and_words_are_stemmed() {
    let corpus = Corpus::new(&[
        text("one", "the running shoe of a runner"),
        text("two", "he runs in shoes"),
        text("apart", "running in a shoe"),
    ]);
    assert_eq!(corpus.set("running"), "apart one two");
    assert_eq!(corpus.set("\"running\""), "apart one");
    assert_eq!(corpus.set("\"running shoe\""), "one");
    assert_eq!(corpus.set("\"shoe running\""), "");
    // Words that are too common alone count in a phrase.
    assert_eq!(corpus.set("\"shoe of a runner\""), "one");
    assert_eq!(corpus.set("\"running in a shoe\""), "apart");
    let stemmed = Ranking { stemmed_phrases: true, ..Ranking::default() };
    assert_eq!(ids(&corpus.ranked("\"running in shoe\"", stemmed)), ["two"]);
}

#[test]
fn words_that_are_too_common_are_left_out_unless_there_are_no_others() {
    let corpus = Corpus::new(&[text("one", "the cat and the dog"), text("two", "a cat")]);
    let answer = corpus.find("the cat");
    assert_eq!((ids(&answer).len(), answer.ignored.as_slice()), (2, ["the".to_owned()].as_slice()));
    assert_eq!(corpus.set("the"), "one");
    assert_eq!(corpus.set("the AND dog"), "one");
    assert_eq!(corpus.find("the NEAR cat").ignored, ["the"]);
}

/// Six documents with all that can be asked for.
fn shop() -> Corpus {
    let document =
        |id: &str, title: &str, url: &str, language: &str, kind: &str, day: i64, price: f64, brand: &str| {
            let mut document = text(id, "something to sleep in");
            document.title = title.to_owned();
            document.url = url.to_owned();
            document.language = Some(language.to_owned());
            document.file_type = Some(kind.to_owned());
            document.date = Some(NOW - day * DAY);
            document.anchors = vec![format!("see {id}")];
            document.fields = vec![number("price", price), word("brand", brand)];
            document
        };
    let mut documents = vec![
        document("a", "Tent", "http://shop.test/tents/1", "en", "html", 10, 100.0, "Acme"),
        document("b", "Tent light", "http://www.shop.test/2", "en", "pdf", 400, 49.5, "Bolt Works"),
        document("c", "Hut", "http://other.test/shop", "de", "html", 800, 50.0, "acme"),
        document("d", "Zelt", "http://notshop.test/", "de", "html", 1_200, 10.0, "Acme"),
    ];
    documents.push(text("bare", "something without anything else"));
    Corpus::new(&documents)
}

#[test]
fn fields_filters_and_ranges_find_what_they_say() {
    let corpus = shop();
    let check = |query: &str, expected: &str| assert_eq!(corpus.set(query), expected, "{query}");
    check("title:tent", "a b");
    check("title:\"tent light\"", "b");
    check("title:(hut OR zelt)", "c d");
    check("TITLE:tent", "a b");
    check("url:tents", "a");
    check("anchor:see", "a b c d");
    check("text:tent", "a b");
    check("site:shop.test", "a b");
    check("site:www.shop.test", "b");
    check("site:test", "a b c d");
    check("something site:shop.test", "a b");
    check("something -site:shop.test", "bare c d");
    check("-site:shop.test", "bare c d");
    check("NOT site:shop.test", "bare c d");
    check("filetype:pdf", "b");
    check("filetype:.PDF", "b");
    check("lang:de", "c d");
    check("lang:DE filetype:html -site:other.test", "d");
    check("before:2025", "b c d");
    check("before:2024", "c d");
    check("after:2025", "a");
    check("after:2024-11 before:2025", "b");
    check("after:2025-12-22", "a");
    check("after:2025-12-23", "");
    check("price:50..100", "a c");
    check("price:..49.5", "b d");
    check("price:50..", "a c");
    check("price:>=50", "a c");
    check("price:>50", "a");
    check("price:<=50", "b c d");
    check("price:<50", "b d");
    check("price:50", "c");
    check("brand:acme", "a c d");
    check("brand:\"bolt works\"", "b");
    check("price:50..100 title:tent", "a");
    check("kind:page price:10..60 tent", "b");
    check("made:2020..2021", "");
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let corpus = shop();
    let refused = |query: &str, position: usize, part: &str| match corpus.try_search(&asked(query)) {
        Err(SearchError::Query(error)) => {
            assert_eq!(error.position, position, "{query}: {error}");
            assert!(error.message.contains(part), "{query}: {error}");
        }
        other => panic!("{query}: {other:?}"),
    };
    refused("tent before:soon", 12, "soon");
    refused("before:\"next week\"", 8, "next week");
    refused("price:a..b", 6, "a is no number");
    refused("price:1..b", 9, "b is no number");
    refused("tent -price:>b", 12, "b is no number");
    refused("price:b..", 6, "b is no number");
    refused("price:..b", 8, "b is no number");
    refused("zelt title:1..2", 5, "title");
    refused("(tent", 0, "never closed");
    refused("tent AND", 5, "AND");
    refused("äöü ) tent", 4, "closes nothing");
    refused("made:yesterday..today", 5, "no date");
    refused("made:2024..today", 11, "no date");
    refused("price:10..inf", 10, "no number");
}

#[test]
fn a_name_before_a_colon_is_a_word_unless_the_index_has_the_field() {
    let corpus = Corpus::new(&[text("time", "at 10:30 sharp"), text("other", "at noon")]);
    assert_eq!(corpus.set("10:30"), "time");
    assert!(corpus.try_search(&asked("re:start")).is_ok());
}

#[test]
fn beginnings_find_every_word_that_begins_so() {
    let corpus = Corpus::new(&[
        text("a", "tent"),
        text("b", "tents and poles"),
        text("c", "tension"),
        text("d", "intent"),
    ]);
    let check = |query: &str, expected: &str| assert_eq!(corpus.set(query), expected, "{query}");
    check("ten*", "a b c");
    check("tent*", "a b");
    check("TENT*", "a b");
    check("text:ten*", "a b c");
    check("title:ten*", "");
    check("xyz*", "");
    check("ten* -tension", "a b");
}
