//! The knife: where words begin and end. What they become is left to [`crate::Analyzer`].
//!
//! [`words`] keeps to the Unicode word boundaries in prose. Where the Web is not prose:
//!
//! - letters and digits form words: "mp3", "1970s"; an underscore, a hyphen and a colon separate ("e-mail" is "e",
//!   "mail": two words side by side);
//! - a point or comma between digits belongs to the number: "3.14", "10,000", "192.168.0.1";
//! - a point between letters separates, so that "node.js", file names, URLs and e-mail addresses are found by their
//!   parts, and so that a full stop without a space does not glue two sentences. Single letters with points between
//!   them stay one word: "U.S.A", "e.g";
//! - an apostrophe between letters belongs to the word ("don't", "O'Neil"), except in languages that elide an
//!   article, where it separates ("l'avion" is "l", "avion");
//! - "C++", "g++", "C#" and "F#" keep their signs; ".NET" is "NET";
//! - scripts that put no space between words (Chinese, Japanese, Thai, …) and Korean are cut into overlapping pairs
//!   of characters; a lone character is a word.

use unicode_normalization::char::is_combining_mark;

/// One piece of text: bytes from start to end, and whether it is a word of its own or a pair of characters.
pub(crate) struct Piece {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) is_word: bool,
}

const OTHER: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const BEYOND_ASCII: u8 = 3;

const CLASSES: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            128.. => BEYOND_ASCII,
            _ => OTHER,
        };
        byte += 1;
    }
    classes
};

/// Words as people read them.
pub(crate) fn words(text: &str, elision: bool, mut each: impl FnMut(Piece)) {
    let bytes = text.as_bytes();
    let class = |at: usize| bytes.get(at).map_or(OTHER, |&byte| CLASSES[byte as usize]);
    let mut at = 0;
    'words: while at < bytes.len() {
        let first = class(at);
        if first == OTHER {
            at += 1;
            continue;
        }
        let start = at;
        let mut beyond = first == BEYOND_ASCII;
        while !beyond {
            at += 1;
            match class(at) {
                LETTER | DIGIT => {}
                BEYOND_ASCII => beyond = true,
                _ if at >= bytes.len() => break,
                _ => {
                    let next = class(at + 1);
                    let joins = match bytes[at] {
                        b'\'' => !elision && next == LETTER,
                        b',' => class(at - 1) == DIGIT && next == DIGIT,
                        b'.' => {
                            class(at - 1) == DIGIT && next == DIGIT
                                || next == LETTER
                                    && class(at - 1) == LETTER
                                    && (at - 1 == start || bytes[at - 2] == b'.')
                                    && matches!(class(at + 2), OTHER)
                        }
                        _ => false,
                    };
                    if !joins {
                        if bytes[at] == b'\'' && next == BEYOND_ASCII {
                            beyond = true;
                        } else {
                            break;
                        }
                    }
                }
            }
        }
        if beyond {
            // Up to the next space the slower rules for all scripts hold.
            let end = bytes[at..].iter().position(u8::is_ascii_whitespace).map_or(bytes.len(), |n| at + n);
            words_of_any_script(text, start, end, elision, &mut each);
            at = end;
            continue 'words;
        }
        at = with_signs(bytes, start, at);
        each(Piece { start, end: at, is_word: true });
    }
}

/// Whatever stands between white space.
pub(crate) fn between_spaces(text: &str, mut each: impl FnMut(Piece)) {
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (c.is_whitespace(), start) {
            (true, Some(from)) => {
                each(Piece { start: from, end: at, is_word: true });
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    if let Some(from) = start {
        each(Piece { start: from, end: text.len(), is_word: true });
    }
}

/// Runs of letters with their marks.
pub(crate) fn letters(text: &str, mut each: impl FnMut(Piece)) {
    let mut start = None;
    for (at, c) in text.char_indices() {
        let inside = c.is_alphabetic() || start.is_some() && continues(c);
        match (inside, start) {
            (false, Some(from)) => {
                each(Piece { start: from, end: at, is_word: true });
                start = None;
            }
            (true, None) => start = Some(at),
            _ => {}
        }
    }
    if let Some(from) = start {
        each(Piece { start: from, end: text.len(), is_word: true });
    }
}

/// Overlapping pairs of the characters between two bytes, marks counted to their letter.
pub(crate) fn pairs(text: &str, start: usize, end: usize, each: &mut impl FnMut(Piece)) {
    // The beginnings of the last two characters.
    let (mut before, mut last) = (None, start);
    let mut emitted = false;
    for (offset, c) in text[start..end].char_indices().skip(1) {
        if continues(c) {
            continue;
        }
        let at = start + offset;
        if let Some(from) = before {
            each(Piece { start: from, end: at, is_word: false });
            emitted = true;
        }
        before = Some(last);
        last = at;
    }
    let from = before.unwrap_or(last);
    debug_assert!(!emitted || before.is_some());
    each(Piece { start: from, end, is_word: false });
}

/// Whether the script of this character puts no space between words.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Myanmar
        | '\u{1100}'..='\u{11ff}' // Hangul letters
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}' // kana
        | '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' // Han
        | '\u{ac00}'..='\u{d7af}' // Hangul syllables
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{323af}')
}

/// Whether a character belongs to the letter before it: a mark, a soft hyphen, a joiner.
pub(crate) fn continues(c: char) -> bool {
    !c.is_ascii() && (is_combining_mark(c) || is_ignored(c))
}

/// Whether a character within a word has no sound and no shape of its own.
pub(crate) fn is_ignored(c: char) -> bool {
    matches!(c, '\u{00ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// Whether a character is an apostrophe in one of its shapes.
pub(crate) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | '＇')
}

fn words_of_any_script(text: &str, from: usize, to: usize, elision: bool, each: &mut impl FnMut(Piece)) {
    #[derive(Clone, Copy, PartialEq)]
    enum Run {
        None,
        Word(usize),
        Unspaced(usize),
    }
    let mut run = Run::None;
    let mut last = ' ';
    let mut end_run = |run: Run, at: usize| match run {
        Run::None => at,
        Run::Word(start) => {
            let end = with_signs(text.as_bytes(), start, at);
            each(Piece { start, end, is_word: true });
            end
        }
        Run::Unspaced(start) => {
            pairs(text, start, at, each);
            at
        }
    };
    let mut skip_to = from;
    for (offset, c) in text[from..to].char_indices() {
        let at = from + offset;
        if at < skip_to {
            continue;
        }
        if run != Run::None && continues(c) {
            continue;
        }
        let next = || text[at + c.len_utf8()..to].chars().next().unwrap_or(' ');
        let is_word = c.is_alphanumeric();
        let goes_on = match run {
            Run::None => false,
            Run::Word(_) if is_word => !is_unspaced(c),
            Run::Word(_) if is_apostrophe(c) => !elision && next().is_alphabetic() && !is_unspaced(next()),
            Run::Word(_) => matches!(c, '.' | ',') && last.is_numeric() && next().is_numeric(),
            Run::Unspaced(_) => is_word && is_unspaced(c),
        };
        if !goes_on {
            skip_to = end_run(run, at);
            run = match () {
                () if !is_word || at < skip_to => Run::None,
                () if is_unspaced(c) => Run::Unspaced(at),
                () => Run::Word(at),
            };
        }
        last = c;
    }
    end_run(run, to);
}

/// Where the word ends if "++" or "#" belongs to it.
#[inline]
fn with_signs(bytes: &[u8], start: usize, end: usize) -> usize {
    let Some(&sign) = bytes.get(end) else { return end };
    if sign != b'+' && sign != b'#' || !bytes[end - 1].is_ascii_alphabetic() {
        return end;
    }
    let after = |at: usize| bytes.get(at).copied().unwrap_or(b' ');
    if sign == b'+' && after(end + 1) == b'+' {
        let next = after(end + 2);
        if next != b'+' && !next.is_ascii_alphabetic() {
            return end + 2;
        }
    }
    if sign == b'#' && end - start == 1 && !after(end + 1).is_ascii_alphanumeric() {
        return end + 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        check_elided(text, false, expected);
    }

    fn check_elided(text: &str, elision: bool, expected: &[&str]) {
        let mut found = Vec::new();
        words(text, elision, |piece| found.push(&text[piece.start..piece.end]));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn prose_is_cut_at_word_boundaries() {
        check("The boundary-layer, (again) \"flows\".", &["The", "boundary", "layer", "again", "flows"]);
        check("Zoë’s naïve café—open", &["Zoë’s", "naïve", "café", "open"]);
        check("co\u{ad}operate", &["co\u{ad}operate"]);
        check("", &[]);
        check(" .,;'", &[]);
    }

    #[test]
    fn numbers_keep_points_and_commas_between_digits() {
        check("3.14, 10,000 and 192.168.0.1.", &["3.14", "10,000", "and", "192.168.0.1"]);
        check("v1.2.3 mp3 1970s 5.a", &["v1.2.3", "mp3", "1970s", "5", "a"]);
        check("№3.5é", &["3.5é"]);
    }

    #[test]
    fn names_of_languages_keep_their_signs() {
        check("C++, C# and F#; g++.", &["C++", "C#", "and", "F#", "g++"]);
        check(
            "C++11 a+b x+++ a++b ab#c .NET ASP.NET",
            &["C++", "11", "a", "b", "x", "a", "b", "ab", "c", "NET", "ASP", "NET"],
        );
        check("éC++", &["éC++"]);
    }

    #[test]
    fn addresses_are_cut_into_their_parts() {
        check(
            "https://www.example.com/a-b_c.html?q=1",
            &["https", "www", "example", "com", "a", "b", "c", "html", "q", "1"],
        );
        check(
            "jo.doe@example.org node.js e-mail title:word",
            &["jo", "doe", "example", "org", "node", "js", "e", "mail", "title", "word"],
        );
    }

    #[test]
    fn single_letters_with_points_are_one_word() {
        check(
            "the U.S.A. e.g. this, i.e. J.R.Smith",
            &["the", "U.S.A", "e.g", "this", "i.e", "J.R", "Smith"],
        );
        check("a.Then it ended.Next", &["a", "Then", "it", "ended", "Next"]);
    }

    #[test]
    fn apostrophes_join_or_elide() {
        check("don't O'Neil 'tis dogs' 90's", &["don't", "O'Neil", "tis", "dogs", "90's"]);
        check_elided("l'avion qu’il l'été", true, &["l", "avion", "qu", "il", "l", "été"]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_pairs() {
        check("東京都", &["東京", "京都"]);
        check("iPhone手机 2024年", &["iPhone", "手机", "2024", "年"]);
        check("鳥が、飛ぶ", &["鳥が", "飛ぶ"]);
        check("한국어", &["한국", "국어"]);
        check("ที่นี่", &["ที่นี่"]);
    }

    #[test]
    fn the_simple_knives_keep_their_word() {
        let mut found = Vec::new();
        between_spaces(" a,b  c\u{3000}d", |piece| found.push((piece.start, piece.end)));
        assert_eq!(found, [(1, 4), (6, 7), (10, 11)]);
        let mut found = Vec::new();
        letters("ab1cé.d", |piece| found.push((piece.start, piece.end)));
        assert_eq!(found, [(0, 2), (3, 6), (7, 8)]);
    }

    proptest! {
        /// The two paths must agree: a text is cut alike whether or not the Unicode path is taken.
        #[test]
        fn a_letter_beyond_ascii_changes_nothing_else(text in "[a-c1-2'.,+#:_A ]{0,12}") {
            let mut quick = Vec::new();
            words(&text, false, |piece| quick.push((piece.start, piece.end)));
            let mut slow = Vec::new();
            for (start, word) in text.split(' ').scan(0, |at, word| { let s = *at; *at += word.len() + 1; Some((s, word)) }) {
                words_of_any_script(&text, start, start + word.len(), false, &mut |piece: Piece| slow.push((piece.start, piece.end)));
            }
            // Acronyms are an ASCII matter.
            if !text.contains('.') {
                prop_assert_eq!(quick, slow);
            }
        }

        #[test]
        fn pieces_are_in_order_and_inside(text in any::<String>()) {
            let mut before = 0;
            words(&text, false, |piece| {
                assert!(piece.start >= before && piece.end > piece.start);
                assert!(!text[piece.start..piece.end].is_empty());
                before = piece.start;
            });
        }
    }
}
