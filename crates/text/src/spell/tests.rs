//! Near words, corrections, and bytes that are no vocabulary.

use proptest::prelude::*;

use super::*;

fn birds() -> Vocabulary {
    Vocabulary::new([
        ("gannet", 40),
        ("gannets", 12),
        ("garnet", 9),
        ("planet", 80),
        ("java", 50),
        ("javascript", 900),
        ("jave", 1),
        ("lava", 20),
        ("the", 1000),
        ("their", 700),
        ("there", 650),
        ("receive", 33),
        ("house", 400),
        ("horse", 400),
        ("mouse", 4),
        ("straße", 6),
    ])
}

fn check(typed: &str, expected: Option<&str>) {
    assert_eq!(birds().correct(typed).map(|near| near.word).as_deref(), expected, "{typed}");
}

#[test]
fn near_words_come_nearest_first() {
    let found = birds().near("gannet", 2);
    let found: Vec<_> = found.iter().map(|near| (near.word.as_str(), near.edits, near.df)).collect();
    assert_eq!(found, [("gannet", 0, 40), ("gannets", 1, 12), ("garnet", 1, 9)]);
    assert_eq!(birds().near("gannet", 0).len(), 1);
    assert!(birds().near("", 2).is_empty());
    assert!(birds().near(&"x".repeat(99), 2).is_empty());
}

#[test]
fn mistyped_words_are_corrected() {
    check("gannte", Some("gannet"));
    check("gnnet", Some("gannet"));
    check("ganneet", Some("gannet"));
    check("gannwt", Some("gannet"));
    check("recieve", Some("receive"));
    check("javascrpt", Some("javascript"));
    check("jvaascrpit", Some("javascript"));
    check("hte", Some("the"));
    check("strase", Some("straße"));
}

#[test]
fn well_known_words_numbers_and_strangers_stay() {
    check("java", None);
    check("gannet", None);
    check("mouse", None);
    check("2024", None);
    check("xyzzyq", None);
    check("", None);
}

#[test]
fn a_rare_word_gives_way_only_to_a_far_more_common_one() {
    check("jave", None); // java stands in only 50 times as many documents
    let vocabulary = Vocabulary::new([("jave", 1), ("java", 500), ("javascript", 9000)]);
    assert_eq!(vocabulary.correct("jave").map(|near| near.word).as_deref(), Some("java"));
}

#[test]
fn q_changes_no_result() {
    let words = ["gannet", "gannets", "garnet", "planet", "java", "javascript", "lava"].map(|word| (word, 5));
    for q in 1..=8 {
        let found = Vocabulary::with_q(q, words).near("gannte", 2);
        assert_eq!(found.len(), 3, "q = {q}: {found:?}");
    }
}

fn bytes_of(vocabulary: &Vocabulary) -> Vec<u8> {
    let mut bytes = Vec::new();
    vocabulary.write(&mut bytes).expect("memory has room");
    bytes
}

#[test]
fn a_vocabulary_survives_a_file() {
    let bytes = bytes_of(&birds());
    let read = Vocabulary::read(&bytes).expect("what was written");
    assert_eq!(read.words().collect::<Vec<_>>(), birds().words().collect::<Vec<_>>());
    assert_eq!(read.correct("gannte"), birds().correct("gannte"));
    assert!(Vocabulary::read(&bytes_of(&Vocabulary::new([("", 1)]))).expect("empty").is_empty());
}

#[test]
fn the_first_version_is_still_read() {
    let bytes = b"GVOC\x01\x03\x02\x00\x03cat\x05\x03\x01s\x02\x27\x82\xb3\x6e\xab\x7e\x65\x72";
    let read = Vocabulary::read(bytes);
    assert_eq!(read.expect("version 1").words().collect::<Vec<_>>(), [("cat", 5), ("cats", 2)]);
}

#[test]
fn damage_is_refused() {
    let bytes = bytes_of(&birds());
    for at in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[at] ^= 0x10;
        assert!(Vocabulary::read(&broken).is_err(), "byte {at}");
        assert!(Vocabulary::read(&bytes[..at]).is_err(), "cut at {at}");
    }
    let mut newer = bytes;
    newer[4] = 2;
    assert_eq!(
        Vocabulary::read(&newer).expect_err("version 2").to_string(),
        "this vocabulary cannot be read: it has a version this program does not know; build it again"
    );
}

#[test]
fn each_vocabulary_has_one_form() {
    let read = |words: &[u8]| {
        Vocabulary::read(&crate::seal([b"GVOC\x01\x03\x02\x00\x03cat\x05".as_slice(), words].concat()))
    };
    assert_eq!(read(b"\x03\x01s\x06").expect("its form").words().last(), Some(("cats", 6)));
    assert!(read(b"\x03\x01s\x86\x00").is_err(), "a count with a byte too many");
    assert!(read(b"\x02\x02ts\x06").is_err(), "a shared letter written again");
}

proptest! {
    /// Even with a checksum that fits.
    #[test]
    fn hostile_bytes_do_no_harm(content in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut bytes = b"GVOC\x01\x03".to_vec();
        bytes.extend(&content);
        let bytes = crate::seal(bytes);
        if let Ok(vocabulary) = Vocabulary::read(&bytes) {
            prop_assert_eq!(bytes_of(&vocabulary), bytes);
        }
    }

    #[test]
    fn near_is_what_a_walk_over_all_words_finds(words in prop::collection::vec("[abcé]{1,7}", 1..20), word in "[abcé]{1,7}", most in 0usize..4) {
        let vocabulary = Vocabulary::new(words.iter().map(|word| (word, 1)));
        let letters = |word: &str| word.chars().collect::<Vec<_>>();
        let found: Vec<_> = vocabulary.near(&word, most).into_iter().map(|near| (near.word, near.edits)).collect();
        let mut expected: Vec<_> = vocabulary
            .words()
            .filter_map(|(other, df)| Some((edits::distance(&letters(&word), &letters(other), most)?, std::cmp::Reverse(df), other.to_owned())))
            .collect();
        expected.sort();
        prop_assert_eq!(found, expected.into_iter().map(|(edits, _, word)| (word, edits)).collect::<Vec<_>>());
    }
}
