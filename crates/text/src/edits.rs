//! Edit distance: how many letters must be inserted, left out, replaced or swapped with their neighbour to turn one
//! word into another. No place is edited twice.

/// Longer words are compared with nothing.
pub(crate) const LONGEST: usize = 64;

const ROW: usize = LONGEST + 1;

/// The distance, if it is at most `most`.
pub(crate) fn distance(a: &[char], b: &[char], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most || a.len().max(b.len()) > LONGEST {
        return None;
    }
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    let same = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - same], &b[..b.len() - same]);
    let last = rows(a, b, most)?;
    let distance = last[b.len()] as usize;
    (distance <= most).then_some(distance)
}

/// The distance of `typed` to the nearest beginning of `word`, if it is at most `most`.
pub(crate) fn prefix_distance(typed: &[char], word: &[char], most: usize) -> Option<usize> {
    if typed.len() > word.len() + most || typed.len() > LONGEST {
        return None;
    }
    let word = &word[..word.len().min(typed.len() + most).min(LONGEST)];
    let last = rows(typed, word, most)?;
    let distance = last[..=word.len()].iter().copied().min().map_or(usize::MAX, usize::from);
    (distance <= most).then_some(distance)
}

/// Which letters a word has, one bit for each of 32 kinds. Each edit brings in at most one kind, and takes away one.
pub(crate) fn kinds_of(letters: impl Iterator<Item = char>) -> u32 {
    letters.fold(0, |kinds, c| kinds | 1 << (c as u32 % 32))
}

/// The last row of the table of distances; none if all of a row is more than `most`.
fn rows(a: &[char], b: &[char], most: usize) -> Option<[u8; ROW]> {
    let mut before = [0u8; ROW];
    let mut above = [0u8; ROW];
    let mut row = [0u8; ROW];
    for (at, cell) in above.iter_mut().enumerate() {
        *cell = at as u8;
    }
    for (i, &from) in a.iter().enumerate() {
        row[0] = i as u8 + 1;
        let mut least = row[0];
        for (j, &to) in b.iter().enumerate() {
            let mut cell = (above[j] + u8::from(from != to)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && from == b[j - 1] && a[i - 1] == to {
                cell = cell.min(before[j - 1] + 1);
            }
            row[j + 1] = cell;
            least = least.min(cell);
        }
        // A swap reaches back two rows, and costs one.
        if least as usize > most + 1 {
            return None;
        }
        (before, above, row) = (above, row, before);
    }
    Some(above)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn letters(word: &str) -> Vec<char> {
        word.chars().collect()
    }

    fn check(a: &str, b: &str, expected: usize) {
        assert_eq!(distance(&letters(a), &letters(b), 9), Some(expected), "{a} {b}");
        assert_eq!(distance(&letters(b), &letters(a), expected), Some(expected), "{b} {a}");
        if expected > 0 {
            assert_eq!(distance(&letters(a), &letters(b), expected - 1), None, "{a} {b}");
        }
    }

    #[test]
    fn edits_are_counted() {
        check("gannet", "gannet", 0);
        check("gannet", "ganet", 1);
        check("gannet", "gannets", 1);
        check("gannet", "gamnet", 1);
        check("gannet", "gannte", 1);
        check("freiburgerin", "breifurgerin", 2);
        check("", "ab", 2);
        check("ca", "abc", 3);
        check("java", "javascript", 6);
    }

    #[test]
    fn a_beginning_is_near_its_word() {
        let near = |typed: &str, word: &str| prefix_distance(&letters(typed), &letters(word), 2);
        assert_eq!(near("univ", "university"), Some(0));
        assert_eq!(near("unvi", "university"), Some(1));
        assert_eq!(near("unixer", "university"), Some(1));
        assert_eq!(near("university", "univ"), None);
        assert_eq!(near("gannet", "heron"), None);
    }

    /// The table in full, by its definition.
    fn plain(a: &[char], b: &[char]) -> usize {
        let mut table = vec![vec![0usize; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let mut least = (table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]))
                        .min(table[i - 1][j] + 1)
                        .min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        least = least.min(table[i - 2][j - 2] + 1);
                    }
                    least
                };
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn cutting_short_changes_no_distance(a in "[abc]{0,9}", b in "[abc]{0,9}", most in 0usize..5) {
            let (a, b) = (letters(&a), letters(&b));
            let expected = plain(&a, &b);
            prop_assert_eq!(distance(&a, &b, most), (expected <= most).then_some(expected));
            let prefix = (0..=b.len()).map(|end| plain(&a, &b[..end])).min().unwrap_or(0);
            prop_assert_eq!(prefix_distance(&a, &b, most), (prefix <= most).then_some(prefix));
        }
    }
}
