//! What is shown of a hit: passages with what was looked for marked, bounded, whatever the text.

use proptest::prelude::*;
use search::{Document, DocumentKind, Ranking, Search};

use crate::corpus::{Corpus, asked, settings, text};

/// The passages of the only document, marks in brackets.
fn check(body: &str, query: &str, expected: &[&str]) {
    let corpus = Corpus::new(&[text("one", body)]);
    let answer = corpus.find(query);
    let found: Vec<String> = answer.hits[0].passages.iter().map(|passage| passage.with("[", "]")).collect();
    assert_eq!(found, expected, "{query}");
}

#[test]
fn passages_mark_what_was_found() {
    check("Many tents stand by the river.", "tent river", &["Many [tents] stand by the [river]."]);
    check("A red tent and a tent that is red.", "\"red tent\"", &["A [red tent] and a tent that is red."]);
    check("Mountains, fountains.", "mountians", &["[Mountains], fountains."]);
    check("A tension in tents.", "ten*", &["A [tension] in [tents]."]);
    check("No dogs here, cats only.", "cats -birds", &["No dogs here, [cats] only."]);
    check("White  space\n\tis   single.", "space", &["White [space] is single."]);
    check("Ça va, São Paulo?", "sao", &["Ça va, [São] Paulo?"]);
}

#[test]
fn what_is_kept_of_a_url_is_its_page_and_not_a_row_that_leads_there() {
    const URL: &str = "https://a.test/1";
    let page = Document { url: URL.to_owned(), ..text("page", "The page itself.") };
    let row = |id: &str| Document { kind: DocumentKind::Row, url: URL.to_owned(), ..text(id, "A row.") };
    for at in 0..6 {
        let mut documents: Vec<Document> = ["v", "w", "x", "y", "z"].map(row).into();
        documents.insert(at, page.clone());
        for shards in [1, 3] {
            assert_eq!(Corpus::with(settings(), &documents, shards).kept(URL), "The page itself.");
        }
    }
    assert_eq!(Corpus::new(&[row("x")]).kept(URL), "A row.");
}

#[test]
fn words_in_a_row_are_marked_by_their_stems_where_they_are_found_by_them() {
    let corpus = Corpus::new(&[text("one", "A red tent, red tents, the reds of tents, and tents.")]);
    let shown = |stemmed_phrases: bool| {
        let ranking = Ranking { stemmed_phrases, ..Ranking::default() };
        let answer = corpus.search(&Search { ranking: Some(ranking), ..asked("\"red tents\"") });
        answer.hits[0].passages[0].with("[", "]")
    };
    assert_eq!(shown(false), "A red tent, [red tents], the reds of tents, and tents.");
    assert_eq!(shown(true), "A [red tent], [red tents], the reds of tents, and tents.");
}

#[test]
fn without_a_word_to_mark_the_beginning_is_shown() {
    check("Some words.", "", &["Some words."]);
    let corpus = Corpus::new(&[text("one", &"word ".repeat(200)), text("two", "")]);
    let answer = corpus.find("");
    let shown: Vec<_> = answer.hits.iter().map(|hit| hit.passages.clone()).collect();
    let one = shown.iter().find(|passages| !passages.is_empty()).unwrap()[0].with("", "");
    assert!(one.ends_with('…') && one.chars().count() < 200, "{one}");
    assert!(shown.iter().any(Vec::is_empty));
}

#[test]
fn long_texts_show_the_passages_with_the_most_words() {
    let noise = "stone and water and wood ".repeat(40);
    let body =
        format!("{noise} tent alone {noise} a tent with a lamp and a stove {noise} lamp alone {noise}");
    let corpus = Corpus::new(&[text("one", &body)]);
    let answer = corpus.find("tent lamp stove");
    let shown: Vec<String> = answer.hits[0].passages.iter().map(|passage| passage.with("[", "]")).collect();
    assert!(
        shown.iter().any(|passage| passage.contains("a [tent] with a [lamp] and a [stove]")),
        "{shown:?}"
    );
    assert!(shown.len() <= 3 && shown.iter().all(|passage| passage.chars().count() < 400), "{shown:?}");
}

#[test]
fn titles_are_marked_too() {
    let corpus = Corpus::new(&[Document { title: "Tents & lamps".to_owned(), ..text("one", "x") }]);
    assert_eq!(corpus.find("tent").hits[0].title.with("<", ">"), "<Tents> & lamps");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Whatever a page says: no panic, at most three passages, none of them long, and what is marked was there.
    #[test]
    fn any_text_is_shown_within_bounds(
        body in prop_oneof!["\\PC{0,400}", "(tent|lamp|\u{301}|ß|日本語|🎪|İ| |\n|-|'|\\.){0,200}", "[a-z]{300,900}"],
        query in prop_oneof!["\\PC{0,20}", Just("tent lamp".to_owned()), Just("\"tent lamp\" te* ß 日本".to_owned()), Just("a*".to_owned())],
    ) {
        let document = Document { title: body.clone(), ..text("one", &body) };
        let corpus = Corpus::new(&[document, text("two", "stone")]);
        let ranking = Ranking { stemmed_phrases: true, ..Ranking::default() };
        let search = search::Search { ranking: Some(ranking), ..crate::corpus::asked(&query) };
        if let Ok(answer) = corpus.try_search(&search) {
            for hit in &answer.hits {
                prop_assert!(hit.passages.len() <= 3);
                for passage in &hit.passages {
                    let shown = passage.with("", "");
                    prop_assert!(shown.chars().count() <= 400, "{} characters", shown.chars().count());
                    for piece in passage.0.iter().filter(|piece| piece.marked) {
                        prop_assert!(piece.text.chars().any(|c| !c.is_whitespace()));
                    }
                }
            }
        }
    }
}
