//! Lines told by how they begin: most begin otherwise, by their first three letters.

/// Beginnings of lines, in small letters.
pub(crate) struct Beginnings {
    list: &'static [&'static str],
    /// For each first letter, the second and third ones that may follow.
    second: [u32; 26],
    third: [u32; 26],
}

impl Beginnings {
    pub(crate) const fn of(list: &'static [&'static str]) -> Beginnings {
        let (mut second, mut third) = ([0; 26], [0; 26]);
        let mut at = 0;
        while at < list.len() {
            let word = list[at].as_bytes();
            assert!(word[0].is_ascii_lowercase() || !word[0].is_ascii(), "it begins with a small letter");
            if word[0].is_ascii_lowercase() {
                let first = (word[0] - b'a') as usize;
                second[first] |= if word.len() > 1 { bit(word[1]) } else { u32::MAX };
                third[first] |= if word.len() > 2 { bit(word[2]) } else { u32::MAX };
            }
            at += 1;
        }
        Beginnings { list, second, third }
    }

    /// Whether words begin with one of these, whatever their case.
    pub(crate) fn begin(&self, words: &str) -> bool {
        let may = match words.as_bytes() {
            [first, rest @ ..] if first.is_ascii_alphabetic() => {
                let first = usize::from(first.to_ascii_lowercase() - b'a');
                let follows =
                    |nth: usize, letters: u32| letters & rest.get(nth).map_or(OTHER, |byte| bit(*byte)) != 0;
                follows(0, self.second[first]) && follows(1, self.third[first])
            }
            [first, ..] => !first.is_ascii(),
            [] => false,
        };
        may && self.one_begins(words)
    }

    fn one_begins(&self, words: &str) -> bool {
        let Some(first) = words.chars().next().and_then(|first| first.to_lowercase().next()) else {
            return false;
        };
        // Most of the others are told apart by the first byte.
        let first = first.encode_utf8(&mut [0; 4]).as_bytes().first().copied();
        self.list.iter().filter(|start| start.as_bytes().first().copied() == first).any(|start| {
            let own = words.as_bytes().get(..start.len());
            own.is_some_and(|own| own.eq_ignore_ascii_case(start.as_bytes()))
                || !start.is_ascii() && {
                    let mut lower = words.chars().flat_map(char::to_lowercase);
                    start.chars().all(|letter| lower.next() == Some(letter))
                }
        })
    }
}

/// What is no letter of ASCII.
const OTHER: u32 = 1 << 26;

const fn bit(byte: u8) -> u32 {
    if byte.is_ascii_alphabetic() { 1 << (byte.to_ascii_lowercase() - b'a') } else { OTHER }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_begins_with_one_of_a_list_whatever_its_case() {
        static SOME: Beginnings = Beginnings::of(&["join date", "beiträge:", "сообщений:", "x", "ab"]);
        for (words, expected) in [
            ("Join Date: 2020", true),
            ("JOIN DATE", true),
            ("joined", false),
            ("Join", false),
            ("BEITRÄGE: 5", true),
            ("Beitrag", false),
            ("Сообщений: 7", true),
            ("сообщ", false),
            ("X", true),
            ("xyz", true),
            ("Abc", true),
            ("a", false),
            ("(a) 2020", false),
            ("", false),
        ] {
            assert_eq!(SOME.begin(words), expected, "{words}");
        }
    }
}
