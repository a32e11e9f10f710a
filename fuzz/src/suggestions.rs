//! Suggestions: the first line is typed, what follows is the user's dictionary, and the content of a stored file.

use text::suggest::{Entry, Source, Suggestions, dictionary};

use crate::first_line;

pub(crate) fn check(input: &[u8]) {
    let (typed, rest) = first_line(input);
    let typed = String::from_utf8_lossy(typed);
    if let Ok(entries) = dictionary(&String::from_utf8_lossy(rest)) {
        check_found(&typed, entries);
    }
    let lines = String::from_utf8_lossy(rest);
    check_found(&typed, lines.lines().map(|line| Entry::new(line, 1.0, Source::Title)).collect());
    // Damaged, with a checksum that fits.
    if let Ok(read) = Suggestions::read(&text::seal(rest.to_vec())) {
        ask(&read, &typed);
        assert_eq!(bytes_of(&read), text::seal(rest.to_vec()), "what is read is written the same");
    }
}

fn check_found(typed: &str, entries: Vec<Entry>) {
    let built = Suggestions::build(entries);
    let found = ask(&built, typed);
    let bytes = bytes_of(&built);
    let read = Suggestions::read(&bytes).expect("what was written is read");
    assert_eq!(ask(&read, typed), found, "the same from a file");
}

/// Few and many, begun and ended.
fn ask(suggestions: &Suggestions, typed: &str) -> Vec<text::suggest::Suggestion> {
    let few = suggestions.find(typed, 3);
    assert!(few.len() <= 3);
    suggestions.find(&format!("{typed} "), 10);
    few
}

fn bytes_of(suggestions: &Suggestions) -> Vec<u8> {
    let mut bytes = Vec::new();
    suggestions.write(&mut bytes).expect("memory takes all");
    bytes
}
