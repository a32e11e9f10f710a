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

#[test]
fn numbers_are_found_by_their_beginning_and_never_taken_for_others() {
    let found = Suggestions::build([
        Entry::new("Report 20261", 1.0, Source::Title),
        Entry::new("Report 20262", 2.0, Source::Title),
    ]);
    let texts =
        |typed: &str| found.find(typed, 5).into_iter().map(|found| found.text).collect::<Vec<_>>().join(", ");
    assert_eq!(texts("2026"), "Report 20262, Report 20261");
    assert_eq!(texts("20261"), "Report 20261");
    assert_eq!(texts("20263"), "");
    assert_eq!(texts("reprot 20262"), "Report 20262");
}

fn bytes_of(suggestions: &Suggestions) -> Vec<u8> {
    let mut bytes = Vec::new();
    suggestions.write(&mut bytes).expect("memory has room");
    bytes
}

#[test]
fn suggestions_survive_a_file() {
    let bytes = bytes_of(&birds());
    let read = Suggestions::read(&bytes).expect("what was written");
    for typed in ["gan", "solan", "gannte", "gannet ", "b", "c++", "zebra"] {
        assert_eq!(read.find(typed, 10), birds().find(typed, 10), "{typed}");
    }
    assert_eq!(bytes_of(&read), bytes);
    assert!(Suggestions::read(&bytes_of(&Suggestions::default())).expect("empty").is_empty());
}

#[test]
fn damage_is_refused() {
    let bytes = bytes_of(&birds());
    for at in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[at] ^= 0x10;
        assert!(Suggestions::read(&broken).is_err(), "byte {at}");
        assert!(Suggestions::read(&bytes[..at]).is_err(), "cut at {at}");
    }
    let mut newer = bytes;
    newer[4] = 2;
    assert_eq!(
        Suggestions::read(&newer).expect_err("version 2").to_string(),
        "this file of suggestions cannot be read: it has a version this program does not know; build it again"
    );
}

/// Even with a checksum that fits, byte by byte.
#[test]
fn hostile_bytes_do_no_harm() {
    let bytes = bytes_of(&birds());
    let content = &bytes[..bytes.len() - 8];
    for at in 5..content.len() {
        for flip in [1, 0x10, 0x80, 0xff] {
            let mut changed = content.to_vec();
            changed[at] ^= flip;
            if let Ok(read) = Suggestions::read(&crate::seal(changed)) {
                for typed in ["gan", "gannte", "gannet ", "b", "solan"] {
                    read.find(typed, 10);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn every_beginning_of_a_word_finds_its_phrase(phrases in prop::collection::vec("[abéÄ ]{1,8}", 1..10), typed in "[abéÄ ]{0,6}") {
        let suggestions = Suggestions::build(phrases.iter().map(|phrase| Entry::new(phrase, 1.0, Source::Title)));
        let found = suggestions.find(&typed, 100);
        let wanted = key(&typed);
        for phrase in suggestions.shown.iter() {
            let begins = format!(" {}", key(phrase)).contains(&format!(" {wanted}"));
            if begins && !wanted.is_empty() && !typed.ends_with(' ') {
                prop_assert!(found.iter().any(|found| found.text == phrase), "{phrase:?}");
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
