//! Text: two numbers for it, how much of it is another, and which words came and went.

use std::collections::HashSet;

/// How much of a text is another, by runs of words that stand in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The same text.
    None,
    /// The same words in other white space or order, so that all runs are common.
    NoText,
    /// 70 % or more is common.
    Small,
    /// 30 % or more.
    Medium,
    /// Less.
    Large,
    /// Nothing is.
    Complete,
}

/// A word that came or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordChange {
    /// True for one that came.
    pub added: bool,
    /// The words, one space between.
    pub words: String,
    /// Words before it in the text that has it.
    pub at: usize,
}

/// Words in a run.
const SHINGLE: usize = 3;

/// Words of the differing middle that are compared one by one; a longer one is taken as a whole.
const MOST_WORDS: usize = 2_000;

/// Text I: the sum of all code points over the number of different characters.
pub fn one(text: &str) -> f64 {
    let sum: u64 = text.chars().map(|c| u64::from(u32::from(c))).sum();
    let distinct = text.chars().collect::<HashSet<char>>().len();
    if distinct == 0 { 0.0 } else { sum as f64 / distinct as f64 }
}

/// Text II: the root of the sum of all squared code points over the number of characters.
pub fn two(text: &str) -> f64 {
    let (mut squares, mut count) = (0.0, 0_u64);
    for c in text.chars() {
        squares += f64::from(u32::from(c)).powi(2);
        count += 1;
    }
    if count == 0 { 0.0 } else { squares.sqrt() / count as f64 }
}

/// How much of the text is another.
pub fn severity(old: &str, new: &str) -> Severity {
    if old == new {
        return Severity::None;
    }
    let (old, new) = (words_of(old), words_of(new));
    let (runs, others) = (runs(&old), runs(&new));
    if runs.is_empty() && others.is_empty() {
        return Severity::NoText;
    }
    let common = runs.intersection(&others).count() as f64;
    let share = common / runs.len().max(others.len()) as f64;
    match share {
        _ if share >= 1.0 => Severity::NoText,
        _ if share >= 0.7 => Severity::Small,
        _ if share >= 0.3 => Severity::Medium,
        _ if share > 0.0 => Severity::Large,
        _ => Severity::Complete,
    }
}

/// The words that came and went, in order.
pub fn words(old: &str, new: &str) -> Vec<WordChange> {
    let (old, new) = (words_of(old), words_of(new));
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old_rest[..old_rest.len() - end], &new_rest[..new_rest.len() - end]);
    let mut changes = Vec::new();
    let mut note = |added: bool, words: &[&str], at: usize| {
        if !words.is_empty() {
            changes.push(WordChange { added, words: words.join(" "), at });
        }
    };
    if old_rest.len() > MOST_WORDS || new_rest.len() > MOST_WORDS {
        note(false, old_rest, start);
        note(true, new_rest, start);
        return changes;
    }
    let kept = longest_common(old_rest, new_rest);
    let (mut from_old, mut from_new) = (0, 0);
    for (in_old, in_new) in kept.into_iter().chain([(old_rest.len(), new_rest.len())]) {
        note(false, &old_rest[from_old..in_old], start + from_old);
        note(true, &new_rest[from_new..in_new], start + from_new);
        (from_old, from_new) = (in_old + 1, in_new + 1);
    }
    changes
}

fn words_of(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// All runs of a few words, a short text being one.
fn runs<'a>(words: &[&'a str]) -> HashSet<Vec<&'a str>> {
    words.windows(SHINGLE.min(words.len()).max(1)).map(<[&str]>::to_vec).collect()
}

/// Places of the words of a longest common sequence.
fn longest_common<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut lengths = vec![0_u16; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            lengths[a * width + b] = if old[a] == new[b] {
                lengths[(a + 1) * width + b + 1] + 1
            } else {
                lengths[(a + 1) * width + b].max(lengths[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b, mut kept) = (0, 0, Vec::new());
    while a < old.len() && b < new.len() {
        if old[a] == new[b] {
            kept.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if lengths[(a + 1) * width + b] >= lengths[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_as_defined() {
        // a, b, a: 97 + 98 + 97 of two different ones; √(97² + 98² + 97²) / 3.
        assert_eq!(one("aba"), 146.0);
        assert!((two("aba") - 168.588_255_2 / 3.0).abs() < 1e-6, "{}", two("aba"));
        assert_eq!((one(""), two("")), (0.0, 0.0));
        // Anagrams have the same numbers, which is why they do not decide.
        assert_eq!((one("on"), two("on")), (one("no"), two("no")));
    }

    /// The worked example of the source paper, by what its text adds up to.
    #[test]
    fn the_paper_s_text_has_its_numbers() {
        let text = "Nearly every semester in her classroom, she says, students on the women's cross-country team set \
                    the curve on her exams. So recently she started speculating if there was a vital and overlooked \
                    link between brawn and brains, if long hours at the gym could somehow build up not just muscles, \
                    but minds.";
        assert_eq!(text.chars().count(), 300);
        assert!((one(text) - 906.483_871).abs() < 1e-6, "{}", one(text));
        assert!((two(text) - 5.687_562).abs() < 1e-6, "{}", two(text));
    }

    #[test]
    fn severity_goes_by_common_runs() {
        let old = "one two three four five six seven eight nine ten eleven twelve";
        let check = |new: &str, expected| assert_eq!(severity(old, new), expected, "{new}");
        check(old, Severity::None);
        check(&old.replace(' ', "  "), Severity::NoText);
        check(&format!("{old} thirteen"), Severity::Small);
        check(&old.replace("six", "6"), Severity::Small);
        check(&old.replace("four", "4").replace("nine", "9"), Severity::Medium);
        check(&old.replace("four", "4").replace("seven", "7").replace("ten", "10"), Severity::Large);
        check("other words altogether", Severity::Complete);
        check("", Severity::Complete);
    }

    #[test]
    fn words_that_came_and_went_are_told() {
        let found = words("the sea comes in twice a day", "the sea goes out twice each day");
        let shown: Vec<String> =
            found.iter().map(|c| format!("{}{}{}", if c.added { '+' } else { '-' }, c.at, c.words)).collect();
        assert_eq!(shown, ["-2comes in", "+2goes out", "-5a", "+5each"]);
        assert_eq!(words("a b", "a  b"), []);
    }

    proptest! {
        /// Undoing what went and doing what came gives the new text.
        #[test]
        fn changes_lead_from_one_text_to_the_other(old in "[abc ]{0,30}", new in "[abc ]{0,30}") {
            let mut result: Vec<String> = words_of(&old).iter().map(ToString::to_string).collect();
            let found = words(&old, &new);
            for change in found.iter().rev().filter(|change| !change.added) {
                result.drain(change.at..change.at + change.words.split(' ').count());
            }
            for change in found.iter().filter(|change| change.added) {
                let words = change.words.split(' ').map(ToOwned::to_owned);
                result.splice(change.at..change.at, words);
            }
            prop_assert_eq!(result.join(" "), words_of(&new).join(" "));
        }
    }
}
