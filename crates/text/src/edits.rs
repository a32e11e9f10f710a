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

/// Which letters a word has, one bit for each of 32 kinds. Each edit brings in at most one kind, and takes away one.
pub(crate) fn kinds_of(letters: impl Iterator<Item = char>) -> u32 {
    letters.fold(0, |kinds, c| kinds | 1 << (c as u32 % 32))
}

/// A word that many others are compared with: a column of the table of distances is two numbers, one bit for each of its
/// letters (Myers; Hyyrö for swaps).
pub(crate) struct Pattern {
    length: usize,
    /// Where a letter of the first 128 stands in it.
    plain: [u64; 128],
    others: Vec<(char, u64)>,
}

impl Pattern {
    /// None if the word is empty or too long.
    pub(crate) fn new(word: &[char]) -> Option<Pattern> {
        if word.is_empty() || word.len() > LONGEST {
            return None;
        }
        let mut pattern = Pattern { length: word.len(), plain: [0; 128], others: Vec::new() };
        for (at, &letter) in word.iter().enumerate() {
            let places = match pattern.plain.get_mut(letter as usize) {
                Some(places) => places,
                None => {
                    let known = pattern.others.iter().position(|(other, _)| *other == letter);
                    let known = known.unwrap_or_else(|| {
                        pattern.others.push((letter, 0));
                        pattern.others.len() - 1
                    });
                    &mut pattern.others[known].1
                }
            };
            *places |= 1 << at;
        }
        Some(pattern)
    }

    /// The distance to a word, if it is at most `most`.
    pub(crate) fn distance(&self, word: impl Iterator<Item = char>, most: usize) -> Option<usize> {
        let mut last = self.length;
        let mut read = 0;
        self.each_column(word.take(self.length + most + 1), |distance| {
            last = distance;
            read += 1;
        });
        (last <= most && read <= self.length + most).then_some(last)
    }

    /// The distance to the nearest beginning of a word, if it is at most `most`.
    pub(crate) fn prefix_distance(&self, word: impl Iterator<Item = char>, most: usize) -> Option<usize> {
        let mut least = self.length;
        self.each_column(word.take(self.length + most), |distance| least = least.min(distance));
        (least <= most).then_some(least)
    }

    /// Calls with the distance to each beginning of a word, but for the empty one.
    fn each_column(&self, word: impl Iterator<Item = char>, mut call: impl FnMut(usize)) {
        let end = 1u64 << (self.length - 1);
        let (mut more, mut less, mut same, mut before) = (u64::MAX, 0u64, 0u64, 0u64);
        let mut distance = self.length;
        for letter in word {
            let places = match self.plain.get(letter as usize) {
                Some(places) => *places,
                None => {
                    self.others.iter().find(|(other, _)| *other == letter).map_or(0, |(_, places)| *places)
                }
            };
            let swapped = ((!same & places) << 1) & before;
            same = ((places & more).wrapping_add(more) ^ more) | places | less | swapped;
            let (up, down) = (less | !(same | more), same & more);
            distance += usize::from(up & end != 0);
            distance -= usize::from(down & end != 0);
            let up = (up << 1) | 1;
            more = (down << 1) | !(same | up);
            less = up & same;
            before = places;
            call(distance);
        }
    }
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
        let near = |typed: &str, word: &str| {
            Pattern::new(&letters(typed)).and_then(|typed| typed.prefix_distance(word.chars(), 2))
        };
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

    #[test]
    fn long_words_fill_all_bits() {
        let long: Vec<char> = "abcdefgh".chars().cycle().take(LONGEST).collect();
        let pattern = Pattern::new(&long).unwrap();
        assert_eq!(pattern.distance(long.iter().copied(), 2), Some(0));
        assert_eq!(pattern.distance(long[1..].iter().copied(), 2), Some(1));
        assert_eq!(pattern.distance(long.iter().copied().chain(['é', 'é']), 2), Some(2));
        assert_eq!(pattern.distance(long.iter().copied().chain(['é'; 3]), 2), None);
        assert!(Pattern::new(&[]).is_none() && Pattern::new(&['x'; LONGEST + 1]).is_none());
    }

    proptest! {
        #[test]
        fn cutting_short_changes_no_distance(a in "[abé]{0,9}", b in "[abé]{0,9}", most in 0usize..5) {
            let (a, b) = (letters(&a), letters(&b));
            let expected = plain(&a, &b);
            prop_assert_eq!(distance(&a, &b, most), (expected <= most).then_some(expected));
            let prefix = (0..=b.len()).map(|end| plain(&a, &b[..end])).min().unwrap_or(0);
            let Some(pattern) = Pattern::new(&a) else { return Ok(()) };
            prop_assert_eq!(pattern.distance(b.iter().copied(), most), (expected <= most).then_some(expected));
            prop_assert_eq!(pattern.prefix_distance(b.iter().copied(), most), (prefix <= most).then_some(prefix));
        }
    }
}
