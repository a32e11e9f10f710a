//! How many generated typos are put right: over words of our own, and over the collections that the variable
//! `GANNET_IR_DATA` names, if it is set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use text::spell::Vocabulary;
use text::{Analysis, Analyzer};

const SEED: u64 = 0x5eed_0bad_cafe_f00d;

#[test]
fn typos_in_common_words_are_put_right() {
    // As in a text: the n-th word is n times as rare as the first.
    let words: BTreeMap<String, u32> = include_str!("words.txt")
        .split_whitespace()
        .enumerate()
        .map(|(rank, word)| (word.to_owned(), 5 + 4000 / (rank as u32 + 1)))
        .collect();
    check(&words);
}

#[test]
fn typos_in_real_vocabularies_are_put_right() {
    let Some(folder) = std::env::var_os("GANNET_IR_DATA") else {
        eprintln!("GANNET_IR_DATA is not set: nothing to try");
        return;
    };
    for collection in ["cranfield", "cisi"] {
        let file = Path::new(&folder).join(collection).join("docs.jsonl");
        check(&vocabulary(&std::fs::read_to_string(&file).expect("a collection")));
    }
}

fn vocabulary(documents: &str) -> BTreeMap<String, u32> {
    let analyzer = Analyzer::new(&Analysis::default()).expect("the default");
    let mut counts = BTreeMap::new();
    for line in documents.lines() {
        let document: serde_json::Value = serde_json::from_str(line).expect("a document");
        let mut words = BTreeSet::new();
        for part in ["title", "text"] {
            analyzer.each(document[part].as_str().unwrap_or_default(), &mut |word| {
                words.insert(word.exact.to_owned());
            });
        }
        for word in words {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts
}

fn check(words: &BTreeMap<String, u32>) {
    let vocabulary = Vocabulary::new(words.iter().map(|(word, df)| (word, *df)));
    for (edits, fewest_letters, target) in [(1, 5, 0.92), (2, 8, 0.85)] {
        let mut dice = Dice(SEED);
        let meant: Vec<&String> = words
            .iter()
            .filter(|(word, df)| {
                **df >= 5 && word.chars().count() >= fewest_letters && word.chars().all(char::is_alphabetic)
            })
            .map(|(word, _)| word)
            .collect();
        let (mut tried, mut right) = (0, 0);
        while tried < 500 {
            let word = meant[dice.below(meant.len())];
            let typed = (0..edits).fold(word.clone(), |typed, _| typo(&typed, &mut dice));
            if typed == *word || words.contains_key(&typed) {
                continue;
            }
            tried += 1;
            right += u32::from(vocabulary.correct(&typed).is_some_and(|near| near.word == *word));
        }
        let share = f64::from(right) / f64::from(tried);
        println!("seed {SEED:x}, {} words, {edits} edits: {:.1} %", meant.len(), share * 100.0);
        assert!(share >= target, "{edits} edits: {share} instead of {target}");
    }
}

/// One edit, each kind as often as the others.
fn typo(word: &str, dice: &mut Dice) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let letter = (b'a' + dice.below(26) as u8) as char;
    match dice.below(4) {
        0 => letters.insert(dice.below(letters.len() + 1), letter),
        1 => drop(letters.remove(dice.below(letters.len()))),
        2 => letters[dice.below(word.chars().count())] = letter,
        _ => {
            let at = dice.below(letters.len() - 1);
            letters.swap(at, at + 1);
        }
    }
    letters.into_iter().collect()
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end
    }
}
