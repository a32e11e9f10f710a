//! Vocabularies: the first line is a word, what follows is the content of a stored file, or words with a line each.

use text::spell::Vocabulary;

use crate::first_line;

pub(crate) fn check(input: &[u8]) {
    let (word, rest) = first_line(input);
    let word = String::from_utf8_lossy(word);
    // Damaged, with a checksum that fits.
    let sealed = text::seal(rest.to_vec());
    if let Ok(read) = Vocabulary::read(&sealed) {
        ask(&read, &word);
        assert_eq!(bytes_of(&read), sealed, "what is read is written the same");
    }
    let lines = String::from_utf8_lossy(rest);
    let built = Vocabulary::new(lines.lines().map(|line| (line, 1)));
    let read = Vocabulary::read(&bytes_of(&built)).expect("what was written is read");
    assert_eq!(ask(&read, &word), ask(&built, &word), "the same from a file");
}

/// No near word is farther than asked for, and a correction is one of them.
fn ask(vocabulary: &Vocabulary, word: &str) -> Vec<text::spell::Near> {
    let near = vocabulary.near(word, 2);
    assert!(near.iter().all(|near| near.edits <= 2));
    assert!(near.is_sorted_by_key(|near| near.edits));
    if let Some(corrected) = vocabulary.correct(word) {
        assert!(near.contains(&corrected), "{corrected:?}");
    }
    near
}

fn bytes_of(vocabulary: &Vocabulary) -> Vec<u8> {
    let mut bytes = Vec::new();
    vocabulary.write(&mut bytes).expect("memory takes all");
    bytes
}
