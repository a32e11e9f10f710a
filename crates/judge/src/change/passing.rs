//! What passes by: words that clocks, calendars, counters and makers of tokens write.

use std::ops::Range;

use eight::{Eight, plain_blocks};
use xxhash_rust::xxh3::xxh3_64;

use super::text::{WordChange, words as word_changes};

/// Words of a text between the first and the last that differ, beyond which it is a passage and no clock.
const LONGEST: usize = 40;

/// Words that may come and that may go.
const MOST: usize = 12;

/// What a word may be the work of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A time or a date, or a part of one.
    Time,
    /// A number that machines make up.
    Token,
    /// A whole number.
    Number(u128),
    /// Whoever wrote the page.
    Other,
}

/// Names in times and dates.
const TIMES: [&str; 24] = [
    "ago",
    "am",
    "day",
    "days",
    "gmt",
    "hour",
    "hours",
    "hrs",
    "min",
    "mins",
    "minute",
    "minutes",
    "now",
    "pm",
    "sec",
    "second",
    "seconds",
    "today",
    "tomorrow",
    "utc",
    "week",
    "weeks",
    "yesterday",
    "uhr",
];

/// The beginnings of months and days of the week, which are written whole or in part.
const DATES: [&str; 19] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Codes of money that stand beside a number, and signs that stand in it: such numbers tell something.
const MONEY: [&str; 14] =
    ["eur", "usd", "gbp", "chf", "jpy", "cny", "inr", "sek", "nok", "dkk", "pln", "czk", "kr", "euro"];
const SIGNS: [char; 13] = ['$', '€', '£', '¥', '₹', '₽', '₩', '₺', '₴', '¢', '%', '‰', '°'];

/// The words by which a text differs from the one before, where they are only the time, a token, or numbers that grow;
/// none where anything else differs.
pub fn between(old: &str, new: &str) -> Option<Vec<WordChange>> {
    let changes = differing(old, new)?;
    let kinds = |added: bool| -> Vec<Kind> {
        let words = changes.iter().filter(|change| change.added == added);
        words.flat_map(|change| change.words.split(' ')).map(kind).collect()
    };
    let (went, came) = (kinds(false), kinds(true));
    if went.len() > MOST || came.len() > MOST || went.iter().chain(&came).any(|kind| *kind == Kind::Other) {
        return None;
    }
    let numbers = |kinds: &[Kind]| -> Vec<u128> {
        let number = |kind: &Kind| if let Kind::Number(number) = kind { Some(*number) } else { None };
        kinds.iter().filter_map(number).collect()
    };
    let (less, more) = (numbers(&went), numbers(&came));
    if less.is_empty() && more.is_empty() {
        return Some(changes);
    }
    if old.split(' ').chain(new.split(' ')).any(is_money) {
        return None;
    }
    // The 30th is followed by the 1st, and what was five minutes ago may be two minutes ago.
    let texts: [Vec<&str>; 2] = [old.split_whitespace().collect(), new.split_whitespace().collect()];
    let is_date = changes.iter().all(|change| {
        let around = change.at.saturating_sub(1)..=change.at + change.words.split(' ').count();
        let words = &texts[usize::from(change.added)];
        around.filter_map(|at| words.get(at)).any(|word| kind(word) == Kind::Time)
    });
    let grows = less.len() == more.len() && less.iter().zip(&more).all(|(less, more)| less < more);
    (is_date || grows).then_some(changes)
}

/// The same of the values of an attribute, of which numbers may shrink.
pub fn between_values(old: &str, new: &str) -> bool {
    let cut = |value: &str| {
        let words = value.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" ")
    };
    let made = |word: &str| word.contains(|c: char| c.is_ascii_digit()) || is_token(word);
    let (old, new) = (cut(old), cut(new));
    let changes = differing(&old, &new);
    changes.is_some_and(|changes| changes.iter().flat_map(|change| change.words.split(' ')).all(made))
}

/// A hash of what lasts of a page, by which it is known at a visit whether more than noise has changed: its words, and the
/// numbers of its main text that are no times and no tokens. Counters mostly stand outside of that. Zero where there is no
/// text.
pub fn lasting_hash(text: &str, main: &str) -> u64 {
    let main = if main.is_empty() { text } else { main };
    let text = text.trim_start_matches([' ', '\n']);
    let mut lasting = Vec::with_capacity(text.len() + 64);
    let mut from = 0;
    for special in specials(text) {
        // Everything before it lasts as it is, with one space behind each word.
        push_words(&mut lasting, &text.as_bytes()[from..special.start]);
        from = special.end;
        each_word(&text[special], |word, is_numbered| {
            if !is_numbered {
                push_word(&mut lasting, word);
            }
        });
    }
    push_words(&mut lasting, &text.as_bytes()[from..]);
    for special in specials(main) {
        each_word(&main[special], |word, is_numbered| {
            if is_numbered && !is_passing(word) {
                push_word(&mut lasting, word);
            }
        });
    }
    if lasting.is_empty() { 0 } else { xxh3_64(&lasting).max(1) }
}

/// Adds a word and a space.
fn push_word(lasting: &mut Vec<u8>, word: &str) {
    lasting.extend_from_slice(word.as_bytes());
    lasting.push(b' ');
}

/// Adds words with one space or line end between them, and a space behind the last.
fn push_words(lasting: &mut Vec<u8>, words: &[u8]) {
    let Some(last) = words.last() else { return };
    lasting.extend(words.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }));
    if !is_gap(last) {
        lasting.push(b' ');
    }
}

/// The stretches of a text that are more than words of ASCII without digits and single gaps: words with anything else, and
/// wide gaps. Each begins and ends where a word begins, or with the text.
fn specials(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = first_special(bytes, at)?;
        let start = bytes[at..first].iter().rposition(is_gap).map_or(at, |before| at + before + 1);
        let gap = bytes[first..].iter().position(is_gap).map_or(bytes.len(), |gap| first + gap);
        let word = bytes[gap..].iter().position(|byte| !is_gap(byte));
        at = word.map_or(bytes.len(), |word| gap + word);
        Some(start..at)
    })
}

/// Where the first byte stands, from `from` on, that is neither a letter or mark of ASCII nor a single gap.
fn first_special(bytes: &[u8], from: usize) -> Option<usize> {
    let is_plain = |byte: u8, next: u8| {
        let is_other = !(b' '..=b'~').contains(&byte) & (byte != b'\n') | byte.is_ascii_digit();
        !is_other & !(is_gap(&byte) & is_gap(&next))
    };
    let mut at = from + plain_blocks(&bytes[from..], is_plain);
    while at < bytes.len() {
        let eight = Eight::of(&bytes[at..], b'.');
        let line = eight.equal(b'\n');
        let gaps = (eight.equal(b' ') | line).in_a_row(bytes.get(at + 8).is_some_and(is_gap));
        let digits = eight.between(b'0', b'9');
        let others = eight.at_least(b'~' + 1) | !(eight.at_least(b' ') | line);
        let before = (gaps | digits | others).first();
        if before < 8 {
            return Some(at + before);
        }
        at += 8;
    }
    None
}

/// What stands between words of most texts.
fn is_gap(byte: &u8) -> bool {
    (*byte == b' ') | (*byte == b'\n')
}

/// Calls `each` with the words of a text, and whether there is a digit in them; of ASCII in one pass, without asking of each
/// letter what Unicode says of it.
fn each_word<'a>(text: &'a str, mut each: impl FnMut(&'a str, bool)) {
    if !text.is_ascii() {
        return text.split_whitespace().for_each(|word| each(word, has_digit(word)));
    }
    let (mut start, mut is_numbered) = (0, false);
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        if matches!(byte, b'\t'..=b'\r' | b' ') {
            if start < at {
                each(&text[start..at], is_numbered);
            }
            (start, is_numbered) = (at + 1, false);
        } else {
            is_numbered |= byte.is_ascii_digit();
        }
    }
}

fn has_digit(word: &str) -> bool {
    let (mut digits, mut others) = (false, false);
    for byte in word.bytes() {
        digits |= byte.is_ascii_digit();
        others |= !byte.is_ascii();
    }
    digits || others && word.contains(is_numeric)
}

/// As Unicode has it. Of the letters of Europe and of the signs of texts, such as dashes and quotation marks, it is told
/// without a look into its tables.
fn is_numeric(letter: char) -> bool {
    !matches!(letter, '\u{80}'..='\u{b1}' | '\u{b4}'..='\u{b8}' | '\u{bf}'..='\u{65f}' | '\u{2000}'..='\u{206f}')
        && letter.is_numeric()
}

/// What differs between two texts of words with one space between; none where that is long.
fn differing(old: &str, new: &str) -> Option<Vec<WordChange>> {
    let (first, second): (Vec<&str>, Vec<&str>) = (old.split(' ').collect(), new.split(' ').collect());
    let start = first.iter().zip(&second).take_while(|(old, new)| old == new).count();
    let (first, second) = (&first[start..], &second[start..]);
    let end = first.iter().rev().zip(second.iter().rev()).take_while(|(old, new)| old == new).count();
    let is_short = first.len() - end <= LONGEST && second.len() - end <= LONGEST;
    is_short.then(|| word_changes(old, new))
}

fn is_money(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    word.contains(SIGNS) || MONEY.contains(&bare.as_str())
}

fn is_token(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let letters = word.chars().filter(char::is_ascii_alphabetic).count();
    letters >= 1 && digits + letters >= 12 && digits * 4 >= digits + letters
}

fn kind(word: &str) -> Kind {
    if word.contains(SIGNS) {
        return Kind::Other;
    }
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    if !has_digit(word) {
        let lower = word.to_lowercase();
        let is_part = |whole: &&str| lower.len() >= 3 && whole.starts_with(&lower);
        let is_time = TIMES.contains(&lower.as_str()) || DATES.iter().any(is_part);
        return if is_time { Kind::Time } else { Kind::Other };
    }
    if is_time(word) {
        return Kind::Time;
    }
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    // Thousands are cut off by threes; any other point makes a fraction, which no counter has.
    let is_whole = word.split(['.', ',', '\'']).skip(1).all(|part| part.len() == 3);
    let rest = word.chars().filter(|c| !c.is_ascii_digit() && !c.is_alphabetic());
    match digits.parse() {
        _ if is_token(word) => Kind::Token,
        Ok(number) if letters <= 2 && is_whole && rest.clone().all(|c| matches!(c, '.' | ',' | '\'')) => {
            Kind::Number(number)
        }
        _ => Kind::Other,
    }
}

/// Whether a word with a digit is a time or a token.
fn is_passing(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    (is_time(bare) || is_token(bare)) && !word.contains(SIGNS)
}

/// Whether a word with a digit is a time or a date.
fn is_time(word: &str) -> bool {
    let is_clock = word.split_once(':').is_some_and(|(hours, rest)| {
        let minutes = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        hours.ends_with(|c: char| c.is_ascii_digit()) && minutes.len() == 2
    });
    let is_part =
        |part: &str| matches!(part.len(), 1 | 2 | 4) && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = || word.split([':', '-', '.', '/', 'T']);
    let is_date = || {
        let lengths = parts().map(str::len);
        parts().all(is_part) && parts().count() == 3 && lengths.sum::<usize>() >= 4
    };
    is_clock || is_date()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clocks_dates_counters_and_tokens_pass_by() {
        for (old, new) in [
            ("12:01", "12:02"),
            ("Updated at 12:59:01.", "Updated at 1:00:07."),
            ("Updated 5 minutes ago", "Updated 2 minutes ago"),
            ("Monday, 30 November 2026", "Tuesday, 1 December 2026"),
            ("as of 2026-11-18", "as of 2026-11-19"),
            ("18.11.2026", "1.12.2026"),
            ("You are visitor 1,999", "You are visitor 2,000"),
            ("minute 0a second 0b", "minute 1a second 1b"),
            ("session 9f86d081884c7d65", "session 60303ae22b998861"),
        ] {
            assert!(between(old, new).is_some(), "{old} → {new}");
        }
    }

    #[test]
    fn what_somebody_wrote_or_sells_does_not() {
        for (old, new) in [
            ("100 EUR", "107 EUR"),
            ("$100", "$107"),
            ("price: €9", "price: €10"),
            ("12.34", "12.35"),
            ("only 5 left", "only 4 left"),
            ("2:1", "2:2"),
            ("14°", "15°"),
            ("Headline number 1: tides", "Headline number 2: storms"),
            ("The harbour is open", "The harbour is closed"),
            ("12:01 open", "12:02 closed"),
        ] {
            assert_eq!(between(old, new), None, "{old} → {new}");
        }
        let numbers = |from: u32| (from..from + 60).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
        assert_eq!(between(&numbers(1), &numbers(100)), None, "a table is no counter");
    }

    #[test]
    fn values_of_attributes_pass_by_when_machines_made_them() {
        for (old, new, is_made) in [
            ("/advert1.png", "/advert2.png", true),
            ("a9", "a3", true),
            ("t=9f86d081884c7d65&x=1", "t=60303ae22b998861&x=1", true),
            ("/tides", "/storms", false),
            ("Boats in the harbour", "Boats at sea", false),
        ] {
            assert_eq!(between_values(old, new), is_made, "{old} → {new}");
        }
    }

    #[test]
    fn a_hash_of_what_lasts_bears_clocks_and_counters_beside_the_main_text() {
        let hash = |main: &str, footer: &str| lasting_hash(&format!("{main} {footer}"), main);
        let page = hash("Tent 100 EUR", "Visitor 1000 at 12:01");
        assert_eq!(page, hash("Tent 100 EUR", "Visitor 1001 at 12:02"));
        for (main, footer) in
            [("Tent 107 EUR", "Visitor 1000 at 12:01"), ("Tent 100 EUR", "Visitors 1000 at 12:01")]
        {
            assert_ne!(page, hash(main, footer), "{main}, {footer}");
        }
        assert_eq!(hash("Updated 2026-11-18 12:01", ""), hash("Updated 2026-11-19 1:05", ""));
        assert_eq!(lasting_hash("", ""), 0);
    }

    #[test]
    fn numbers_are_those_of_unicode() {
        assert!(('\0'..=char::MAX).all(|letter| is_numeric(letter) == letter.is_numeric()));
    }

    proptest! {
        /// Stored hashes stay what they were.
        #[test]
        fn what_lasts_is_the_same_word_by_word(
            text in "([a-z]{1,6}|[0-9:.$/-]{1,4}|[ \\n\\u{a0}é]| ){0,60}",
            main in "([a-z]{1,6}|[0-9:.$/-]{1,9}|[0-9a-f]{12,16}|[ \\n]| ){0,30}",
        ) {
            let has_digit = |word: &&str| word.contains(char::is_numeric);
            let mut words: Vec<&str> = text.split_whitespace().filter(|word| !has_digit(word)).collect();
            let numbered = if main.is_empty() { &text } else { &main };
            let lasts = |word: &&str| has_digit(word) && !matches!(kind(word), Kind::Time | Kind::Token);
            words.extend(numbered.split_whitespace().filter(lasts));
            let joined: String = words.iter().flat_map(|word| [*word, " "]).collect();
            let expected = if words.is_empty() { 0 } else { xxh3_64(joined.as_bytes()).max(1) };
            prop_assert_eq!(lasting_hash(&text, &main), expected);
        }

        #[test]
        fn any_words_have_a_kind(old in "\\PC{0,30}", new in "\\PC{0,30}") {
            between(&old, &new);
            between_values(&old, &new);
            lasting_hash(&old, &new);
        }
    }
}
