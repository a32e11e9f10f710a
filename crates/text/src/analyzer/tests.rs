//! What becomes of words.

use proptest::prelude::*;

use super::*;
use crate::StopWords;

fn analyzer(analysis: Analysis) -> Analyzer {
    Analyzer::new(&analysis).expect("a good analysis")
}

/// The text as it is found: terms, and `-` for a word that is left out.
fn terms(analyzer: &Analyzer, text: &str) -> String {
    let mut found = Vec::new();
    analyzer.each(text, &mut |word| found.push(word.term.unwrap_or("-").to_owned()));
    found.join(" ")
}

fn check(language: &str, text: &str, expected: &str) {
    assert_eq!(terms(&analyzer(Analysis::of_language(language)), text), expected, "{language}: {text}");
}

fn check_exact(text: &str, expected: &str) {
    let mut found = Vec::new();
    analyzer(Analysis::of_language("en")).each(text, &mut |word| found.push(word.exact.to_owned()));
    assert_eq!(found.join(" "), expected, "{text}");
}

#[test]
fn english_prose_is_stemmed_without_its_stop_words() {
    check("en", "The flows of heated gases and the boundary layers", "- flow - heat gase - - boundari layer");
    check("en", "Running runners’ runs; the dog's tail", "run runner run - dog tail");
    check("en", "10,000 pages cost 3.14", "10000 page cost 3.14");
    check("en", "The U.S.A. and C++ or C#", "- usa - c++ - c#");
}

#[test]
fn the_exact_form_is_folded_and_not_stemmed() {
    check_exact("The Cafés of Zoë’s ﬁnest, don’t!", "the cafes of zoe finest don't");
    check_exact("co\u{ad}operated ＡＢＣ", "cooperated abc");
}

#[test]
fn languages_have_their_own_stems_and_stop_words() {
    check("de", "Die Häuser der Straßen", "- haus - strass");
    check("fr", "l'avion et les avions d’été", "- avion - - avion - -");
    check("ru", "Кошки и каждый день", "кошк - кажд ден");
    check("tr", "IŞIKLAR", "isik");
    check("ja", "東京都", "東京 京都");
    // Without a language a word is only lower-cased and folded.
    assert_eq!(terms(&analyzer(Analysis::default()), "The Flows"), "the flows");
}

#[test]
fn positions_count_every_word() {
    let long = "x".repeat(65);
    let mut found = Vec::new();
    analyzer(Analysis::of_language("en"))
        .each(&format!("end of {long} time"), &mut |word| found.push((word.position, word.start, word.end)));
    assert_eq!(found, [(0, 0, 3), (1, 4, 6), (3, 73, 77)]);
}

#[test]
fn lists_patterns_and_lengths_leave_words_out() {
    let own = StopWords {
        list: Some("none".into()),
        words: vec!["Käse".into()],
        patterns: vec![r"\d+".into(), "x.*".into()],
    };
    let analysis = Analysis { stop_words: own, short_words: 2, ..Analysis::of_language("en") };
    assert_eq!(terms(&analyzer(analysis), "the KÄSE 12 12a Xylem ox oxen"), "the - - 12a - - oxen");
    let other = StopWords { list: Some("de".into()), ..StopWords::default() };
    let analysis = Analysis { stop_words: other, stem: false, ..Analysis::of_language("en") };
    assert_eq!(terms(&analyzer(analysis), "the und flows"), "the - flows");
}

#[test]
fn a_lemma_ends_the_way_of_a_word() {
    let lemmas = [("Mice".to_owned(), "mouses".to_owned())].into();
    let analysis = Analysis { lemmas, ..Analysis::of_language("en") };
    assert_eq!(terms(&analyzer(analysis), "mice mouses"), "mouses mous");
}

#[test]
fn case_and_accents_stay_when_asked_for() {
    let analysis = Analysis { lower_case: false, fold: false, ..Analysis::default() };
    assert_eq!(terms(&analyzer(analysis), "The Café’s ABC"), "The Café ABC");
    let analysis = Analysis { lower_case: false, ..Analysis::of_language("en") };
    assert_eq!(terms(&analyzer(analysis), "The Café the"), "- Cafe -");
}

#[test]
fn synonyms_are_the_others_of_the_group() {
    let groups = vec![
        vec!["car".to_owned(), "Automobile".into(), "motor car".into()],
        vec!["car".to_owned(), "wagon".into()],
    ];
    let analyzer = analyzer(Analysis { synonyms: groups, ..Analysis::default() });
    assert_eq!(analyzer.synonyms("Car"), ["Automobile", "motor car", "wagon"]);
    assert_eq!(analyzer.synonyms("motor  car"), ["car", "Automobile"]);
    assert!(analyzer.synonyms("boat").is_empty());
}

#[test]
fn every_tokenizer_cuts_as_it_says() {
    let cut = |tokenizer, text| terms(&analyzer(Analysis { tokenizer, ..Analysis::default() }), text);
    assert_eq!(cut(Tokenizer::Whitespace, "Foo-bar, baz"), "foo-bar, baz");
    assert_eq!(cut(Tokenizer::Letters, "ab12cd"), "ab cd");
    assert_eq!(cut(Tokenizer::Regex(r"[a-z]\d".into()), "a1 b2c3 d"), "a1 b2 c3");
    assert_eq!(cut(Tokenizer::Bigrams, "word é a"), "wo or rd e a");
}

#[test]
fn single_words_are_treated_like_words_of_a_text() {
    let analyzer = analyzer(Analysis::of_language("en"));
    assert_eq!(analyzer.term("Running").as_deref(), Some("run"));
    assert_eq!(analyzer.term("the"), None);
    assert_eq!(analyzer.term("!"), None);
    assert_eq!(analyzer.exact("Dog's"), "dog");
    assert_eq!(analyzer.exact("!É"), "e");
    assert_eq!(analyzer.exact("!"), "!");
}

#[test]
fn mistakes_in_settings_are_named() {
    let check = |analysis: Analysis, expected: &str| {
        assert_eq!(Analyzer::new(&analysis).expect_err("a mistake").to_string(), expected);
    };
    check(
        Analysis::of_language("xx"),
        "language: unknown language \"xx\"; use an ISO 639-1 code such as en, de or fr",
    );
    let patterns = StopWords { patterns: vec!["ok".into(), "a)(b".into()], ..StopWords::default() };
    check(
        Analysis { stop_words: patterns, ..Analysis::default() },
        "stop_words.patterns, entry 2: \"a)(b\" is no regular expression: unopened group",
    );
    check(
        Analysis { tokenizer: Tokenizer::Regex("[".into()), ..Analysis::default() },
        "tokenizer.regex: \"[\" is no regular expression: unclosed character class",
    );
    let list = StopWords { list: Some("ja".into()), ..StopWords::default() };
    let error = Analyzer::new(&Analysis { stop_words: list, ..Analysis::default() }).expect_err("no list");
    assert!(
        error
            .to_string()
            .starts_with("stop_words.list: no stop words known for \"ja\"; use none or one of en,")
    );
}

#[test]
fn an_analyzer_is_shared_between_threads() {
    let analyzer = analyzer(Analysis::of_language("en"));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let analyzer = analyzer.clone();
            scope.spawn(move || assert_eq!(terms(&analyzer, "running words"), "run word"));
        }
    });
}

proptest! {
    /// Whatever stands in the cache, the answer is that of a fresh analyzer.
    #[test]
    fn the_cache_changes_nothing(text in "[a-f'é東. ]{0,40}", before in "[a-f'é東. ]{0,40}") {
        let warm = analyzer(Analysis::of_language("en"));
        terms(&warm, &before);
        prop_assert_eq!(terms(&warm, &text), terms(&analyzer(Analysis::of_language("en")), &text));
    }

    #[test]
    fn any_text_is_cut_in_any_language(text in any::<String>()) {
        for code in ["en", "de", "fr", "ru", "tr", "ar", "hi", "ta", "el", "yi", "hy", "ga", "hu", "fi", "sr"] {
            let analyzer = analyzer(Analysis::of_language(code));
            let mut position = None;
            analyzer.each(&text, &mut |word| {
                assert!(position < Some(word.position) && word.end <= text.len());
                assert!(!word.exact.is_empty() && word.term != Some(""));
                position = Some(word.position);
            });
        }
    }
}
