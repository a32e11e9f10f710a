//! What is suggested, and in which order.

use proptest::prelude::*;

use super::*;

fn birds() -> Suggestions {
    let mut goose = Entry::new("Northern Gannet", 50.0, Source::Dictionary);
    goose.synonyms = vec!["Solan goose".into(), "Morus bassanus".into()];
    Suggestions::build([
        goose,
        Entry::new("Gannets and boobies", 20.0, Source::Title),
        Entry::new("gannet colony", 5.0, Source::Query),
        Entry::new("Garden birds", 90.0, Source::Title),
        Entry::new("Café «Möwe»", 3.0, Source::Anchor),
        Entry::new("C++ manual", 2.0, Source::Title),
        Entry::new("The gannet: a diary", f64::NAN, Source::Title),
        Entry::new("?!", 99.0, Source::Title),
    ])
}

fn check(typed: &str, expected: &[&str]) {
    let found = birds().find(typed, 10);
    assert_eq!(found.iter().map(|found| found.text.as_str()).collect::<Vec<_>>(), expected, "{typed}");
}

#[test]
fn beginnings_of_phrases_and_words_are_found_popular_first() {
    check("gan", &["Northern Gannet", "Gannets and boobies", "gannet colony", "The gannet: a diary"]);
    check("Garden b", &["Garden birds"]);
    check("bo", &["Gannets and boobies"]);
    check("b", &["Garden birds", "Northern Gannet", "Gannets and boobies"]);
    check("colony", &["gannet colony"]);
    check("zebra", &[]);
    check("", &[]);
    check("?!", &[]);
}

#[test]
fn case_accents_and_signs_do_not_matter() {
    check("CAFE mö", &["Café «Möwe»"]);
    check("c++", &["C++ manual"]);
    check("the gannet a", &["The gannet: a diary"]);
}

#[test]
fn a_space_ends_a_word() {
    check("gannet ", &["gannet colony", "The gannet: a diary", "Northern Gannet", "Gannets and boobies"]);
    assert_eq!(birds().find("gannet ", 3).len(), 3);
}

#[test]
fn a_synonym_that_was_typed_is_named() {
    let found = birds().find("solan", 5);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].text.as_str(), found[0].synonym.as_deref()),
        ("Northern Gannet", Some("Solan goose"))
    );
    assert_eq!((found[0].weight, found[0].source), (50.0, Source::Dictionary));
    assert_eq!(birds().find("north", 5)[0].synonym, None);
}

#[test]
fn mistyped_words_are_found_behind_the_others() {
    check("gannte", &["Northern Gannet", "Gannets and boobies", "gannet colony", "The gannet: a diary"]);
    check("nrothern gan", &["Northern Gannet"]);
    check("gardn bir", &["Garden birds"]);
    check("gzn", &[]);
}

#[test]
fn the_same_phrase_is_one_suggestion() {
    let found = Suggestions::build([
        Entry::new("home", 1.0, Source::Title),
        Entry::new("Home!", 5.0, Source::Anchor),
        Entry::new("HOME", 2.0, Source::Query),
    ])
    .find("h", 5);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].text.as_str(), found[0].weight, found[0].source), ("Home!", 8.0, Source::Anchor));
}

proptest! {
    #[test]
    fn every_beginning_of_a_word_finds_its_phrase(phrases in prop::collection::vec("[abéÄ ]{1,8}", 1..10), typed in "[abéÄ ]{0,6}") {
        let suggestions = Suggestions::build(phrases.iter().map(|phrase| Entry::new(phrase, 1.0, Source::Title)));
        let found = suggestions.find(&typed, 100);
        let wanted = key(&typed);
        for phrase in &suggestions.entries {
            let begins = format!(" {}", key(&phrase.text)).contains(&format!(" {wanted}"));
            if begins && !wanted.is_empty() && !typed.ends_with(' ') {
                prop_assert!(found.iter().any(|found| found.text == phrase.text), "{:?}", phrase.text);
            }
        }
    }

    #[test]
    fn no_text_does_harm(phrase in any::<String>(), typed in any::<String>()) {
        let suggestions = Suggestions::build([Entry::new(&phrase, 1.0, Source::Title)]);
        suggestions.find(&typed, 3);
        let begun: String = phrase.chars().take(3).collect();
        suggestions.find(&begun, 3);
        let _ = dictionary(&phrase);
    }
}
