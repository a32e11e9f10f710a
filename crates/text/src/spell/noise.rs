//! The noise model: how likely a word is to have been mistyped in a given way, and how likely it was meant at all.
//!
//! Costs are negative logarithms. Leaving a letter out or swapping two can be done in as many ways as there are
//! letters; putting a wrong one in or replacing one in twenty-five times as many, so that each single way is that
//! much rarer. Fingers slip to keys beside the right one, and double letters are doubled or not by ear.

use crate::edits::LONGEST;

const LEFT_OUT: f64 = 4.0;
const LEFT_OUT_OF_DOUBLE: f64 = 3.5;
const SWAPPED: f64 = 3.8;
const REPLACED: f64 = 6.5;
const REPLACED_BY_NEIGHBOUR: f64 = 5.5;
const REPLACED_VOWEL: f64 = 5.8;
const PUT_IN: f64 = 6.5;
const PUT_IN_NEIGHBOUR: f64 = 5.8;
const DOUBLED: f64 = 4.8;
/// The first letter is rarely wrong.
const AT_FIRST: f64 = 1.0;
/// Common words are meant more often, but not in proportion: people look up rare ones.
const PRIOR: f64 = 0.5;

/// How likely `meant`, which stands in `df` documents, was meant by `typed`: larger is likelier.
pub(super) fn likelihood(typed: &[char], meant: &[char], df: u32) -> f64 {
    PRIOR * f64::from(df).ln_1p() - cost(typed, meant)
}

fn cost(typed: &[char], meant: &[char]) -> f64 {
    let width = meant.len().min(LONGEST) + 1;
    let mut before = [0.0; LONGEST + 1];
    let mut above = [0.0; LONGEST + 1];
    let mut row = [0.0; LONGEST + 1];
    for j in 1..width {
        above[j] = above[j - 1] + left_out(meant, j - 1);
    }
    for (i, &letter) in typed.iter().enumerate() {
        row[0] = above[0] + put_in(typed, i, None);
        for j in 1..width {
            let to = meant[j - 1];
            let replaced = if letter == to { 0.0 } else { replaced(letter, to) + at_first(j - 1) };
            let mut cell = (above[j - 1] + replaced)
                .min(above[j] + put_in(typed, i, meant.get(j - 1)))
                .min(row[j - 1] + left_out(meant, j - 1));
            if i > 0 && j > 1 && letter == meant[j - 2] && typed[i - 1] == to && letter != to {
                cell = cell.min(before[j - 2] + SWAPPED + at_first(j - 2));
            }
            row[j] = cell;
        }
        (before, above, row) = (above, row, before);
    }
    above[width - 1]
}

fn at_first(at: usize) -> f64 {
    if at == 0 { AT_FIRST } else { 0.0 }
}

fn left_out(meant: &[char], at: usize) -> f64 {
    let doubled = at > 0 && meant[at - 1] == meant[at] || meant.get(at + 1) == Some(&meant[at]);
    (if doubled { LEFT_OUT_OF_DOUBLE } else { LEFT_OUT }) + at_first(at)
}

fn replaced(typed: char, meant: char) -> f64 {
    let is_vowel = |c: char| "aeiouy".contains(c);
    if are_neighbours(typed, meant) {
        REPLACED_BY_NEIGHBOUR
    } else if is_vowel(typed) && is_vowel(meant) {
        REPLACED_VOWEL
    } else {
        REPLACED
    }
}

/// A letter put in behind the letter `behind` of the word that was meant.
fn put_in(typed: &[char], at: usize, behind: Option<&char>) -> f64 {
    let letter = typed[at];
    let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| typed.get(at));
    let mut cost = PUT_IN + at_first(at);
    for &other in beside {
        if other == letter && behind.is_some() {
            cost = cost.min(DOUBLED);
        } else if are_neighbours(other, letter) {
            cost = cost.min(PUT_IN_NEIGHBOUR + at_first(at));
        }
    }
    cost
}

/// Whether two letters lie beside each other on the keyboards of Latin and Cyrillic.
fn are_neighbours(a: char, b: char) -> bool {
    const KEYBOARDS: [[&str; 3]; 2] =
        [["qwertyuiop", "asdfghjkl", "zxcvbnm"], ["йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"]];
    KEYBOARDS.iter().any(|rows| {
        let place = |c: char| {
            rows.iter().enumerate().find_map(|(y, row)| row.chars().position(|key| key == c).map(|x| (x, y)))
        };
        let (Some((ax, ay)), Some((bx, by))) = (place(a), place(b)) else { return false };
        // Each row is set half a key to the right of the one above it.
        match by as isize - ay as isize {
            0 => ax.abs_diff(bx) == 1,
            1 => ax == bx || ax == bx + 1,
            -1 => bx == ax || bx == ax + 1,
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(word: &str) -> Vec<char> {
        word.chars().collect()
    }

    fn check(typed: &str, likely: &str, unlikely: &str) {
        let cost = |meant: &str| super::cost(&letters(typed), &letters(meant));
        assert!(cost(likely) < cost(unlikely), "{typed}: {} {}", cost(likely), cost(unlikely));
    }

    #[test]
    fn likely_slips_cost_less() {
        check("teh", "the", "ten"); // swapped before replaced
        check("gannt", "gannet", "gaunt"); // left out before replaced
        check("ganmet", "gannet", "ganset"); // beside the right key
        check("comming", "coming", "commixg"); // doubled
        check("tannet", "tanner", "gannet"); // the first letter stays
        assert_eq!(cost(&letters("same"), &letters("same")), 0.0);
    }

    #[test]
    fn keys_have_neighbours() {
        for (a, b, expected) in [
            ('a', 's', true),
            ('a', 'q', true),
            ('s', 'e', true),
            ('a', 'e', false),
            ('g', 'b', true),
            ('q', 'p', false),
        ] {
            assert_eq!(are_neighbours(a, b), expected, "{a} {b}");
            assert_eq!(are_neighbours(b, a), expected, "{b} {a}");
        }
    }
}
