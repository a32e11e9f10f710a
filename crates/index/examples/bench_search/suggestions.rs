//! Suggestions at their largest: how long they take to make, to write and to read, and to answer what people type.

use std::time::Instant;

use testkit::made_up::{Dice, percentiles, times};
use text::spell::Vocabulary;
use text::suggest::{Entry, Source, Suggestions};

/// Makes of a title what someone types.
type Typed = fn(&mut Dice, &str) -> String;

const WORDS: u64 = 250_000;
const TYPED: usize = 1_000;

pub(crate) fn run(seed: u64) {
    let mut dice = Dice(seed);
    let words: Vec<String> = (0..WORDS).map(|_| word(&mut dice)).collect();
    let phrases: Vec<String> = (0..Suggestions::MOST).map(|_| phrase(&mut dice, &words)).collect();
    let letters: usize = phrases.iter().map(String::len).sum();
    println!("{} phrases of {} letters", phrases.len(), letters / phrases.len());
    let entries = phrases.iter().map(|phrase| {
        let weight = 1.0 / (1 + dice.roll(1_000)) as f64;
        Entry::new(phrase.clone(), weight, Source::Title)
    });
    let entries: Vec<Entry> = entries.collect();
    let suggestions = timed("suggestions, made", || Suggestions::build(entries));
    let mut bytes = Vec::new();
    timed("suggestions, written", || suggestions.write(&mut bytes).unwrap());
    println!("measure: size, suggestions = {:.1} MB", bytes.len() as f64 / 1e6);
    let suggestions = timed("suggestions, read", || Suggestions::read(&bytes).unwrap());
    assert!(suggestions.len() > Suggestions::MOST * 9 / 10);

    let kinds: [(&str, Typed); 5] = [
        ("begun", |dice, phrase| begun(dice, phrase, 1)),
        ("mistyped", |dice, phrase| {
            let typed = begun(dice, phrase, 5);
            let once = mistyped(dice, &typed);
            if dice.roll(2) == 0 { once } else { mistyped(dice, &once) }
        }),
        ("numbers", |dice, _| dice.roll([10, 100, 3_000, 1_000_000][dice.0 as usize % 4]).to_string()),
        ("a word and no more", |dice, phrase| format!("{} ", begun(dice, phrase, 3))),
        ("anything", |dice, _| {
            let words = 1 + dice.roll(30);
            (0..words).map(|_| word(dice)).collect::<Vec<_>>().join(" ")
        }),
    ];
    for (name, type_in) in kinds {
        let typed: Vec<Vec<String>> = (0..TYPED)
            .map(|_| {
                let phrase = &phrases[dice.roll(phrases.len() as u64) as usize];
                vec![type_in(&mut dice, phrase)]
            })
            .collect();
        let mut found = 1;
        let times = times(&typed, |typed| {
            found += suggestions.find(&typed[0], 10).len();
            found
        });
        println!("{name}: {} suggestions for {TYPED}", found / 3);
        percentiles(&format!("suggestions, {name}"), times);
    }

    let counted = words.iter().map(|word| (word, 1 + dice.roll(1_000) as u32));
    let counted: Vec<_> = counted.collect();
    let vocabulary = timed("words, made", || Vocabulary::new(counted));
    let mut bytes = Vec::new();
    vocabulary.write(&mut bytes).unwrap();
    timed("words, read", || Vocabulary::read(&bytes).unwrap());
}

fn timed<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let made = work();
    println!("measure: {name} = {:.3} s", started.elapsed().as_secs_f64());
    made
}

/// Two to five syllables.
fn word(dice: &mut Dice) -> String {
    const BEFORE: [&str; 16] =
        ["b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "st", "tr", "ch"];
    const AFTER: [&str; 12] = ["a", "e", "i", "o", "u", "an", "er", "in", "on", "ar", "ea", "es"];
    let syllables = 2 + dice.roll(4);
    let mut syllable = || {
        let before = BEFORE[dice.roll(16) as usize];
        [before, AFTER[dice.roll(12) as usize]].concat()
    };
    (0..syllables).map(|_| syllable()).collect()
}

/// Two to nine words, some of them numbers.
fn phrase(dice: &mut Dice, words: &[String]) -> String {
    let length = 2 + dice.roll(8);
    let one = |_| {
        if dice.roll(20) == 0 {
            return dice.roll(3_000).to_string();
        }
        let share = dice.roll(1 << 24) as f64 / f64::from(1 << 24);
        words[((words.len() as f64).powf(share) - 1.0) as usize].clone()
    };
    (0..length).map(one).collect::<Vec<_>>().join(" ")
}

/// The beginning of a phrase.
fn begun(dice: &mut Dice, phrase: &str, least: u64) -> String {
    let length = least + dice.roll(20);
    phrase.chars().take(length as usize).collect::<String>().trim_end().to_owned()
}

/// One letter changed, left out, put in or swapped with the next.
fn mistyped(dice: &mut Dice, typed: &str) -> String {
    let mut letters: Vec<char> = typed.chars().collect();
    let at = dice.roll(letters.len() as u64 - 1) as usize;
    let other = char::from(b'a' + dice.roll(26) as u8);
    match dice.roll(4) {
        0 => letters[at] = other,
        1 => drop(letters.remove(at)),
        2 => letters.insert(at, other),
        _ => letters.swap(at, at + 1),
    }
    letters.into_iter().collect()
}
