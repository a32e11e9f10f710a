//! Path patterns: `*` stands for anything, `$` at the end for the end. Matching is linear in the path.

/// A compiled pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// The first part, which the path begins with.
    start: Box<str>,
    /// What follows each `*`; runs of `*` are one.
    parts: Vec<Box<str>>,
    /// The path ends where the pattern does.
    to_end: bool,
    length: usize,
}

impl Pattern {
    /// Compiles the value of an Allow or Disallow line.
    pub(super) fn new(text: &[u8]) -> Pattern {
        let (text, to_end) = match text.strip_suffix(b"$") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let stars = text.iter().filter(|byte| **byte == b'*').count();
        let mut parts = text.split(|byte| *byte == b'*');
        let start = normalise(parts.next().unwrap_or_default()).into_boxed_str();
        let mut after: Vec<Box<str>> = parts.map(|part| normalise(part).into_boxed_str()).collect();
        let length =
            start.len() + after.iter().map(|part| part.len()).sum::<usize>() + stars + usize::from(to_end);
        // Empty parts between stars say nothing; one at the very end says that anything may follow.
        let last = after.len().saturating_sub(1);
        let mut index = 0;
        after.retain(|part| {
            index += 1;
            !part.is_empty() || index - 1 == last
        });
        Pattern { start, parts: after, to_end, length }
    }

    /// How specific it is: its length in octets, normalised.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Does it match a normalised path?
    pub(super) fn matches(&self, path: &str) -> bool {
        let Some(mut rest) = path.strip_prefix(&*self.start) else { return false };
        let Some((last, middle)) = self.parts.split_last() else {
            return !self.to_end || rest.is_empty();
        };
        // The leftmost place for each part leaves most room for those that follow, so there is no going back.
        for part in middle {
            let Some(at) = rest.find(&**part) else { return false };
            rest = &rest[at + part.len()..];
        }
        if self.to_end { rest.ends_with(&**last) } else { rest.contains(&**last) }
    }
}

/// One spelling for paths and patterns: what needs no percent-encoding has none, all else has, in upper case.
///
/// `*` and `$` come out bare: in a pattern the special ones have been taken out before.
pub(super) fn normalise(path: &[u8]) -> String {
    let mut text = String::with_capacity(path.len());
    let mut at = 0;
    while let Some(&byte) = path.get(at) {
        let decoded = match (byte, path.get(at + 1), path.get(at + 2)) {
            (b'%', Some(high), Some(low)) => hex(*high).zip(hex(*low)).map(|(high, low)| high * 16 + low),
            _ => None,
        };
        at += if decoded.is_some() { 3 } else { 1 };
        let is_bare = match decoded {
            Some(byte) => is_unreserved(byte) || matches!(byte, b'*' | b'$'),
            None => is_unreserved(byte) || b"%:/?#[]@!$&'()*+,;=".contains(&byte),
        };
        let byte = decoded.unwrap_or(byte);
        if is_bare {
            text.push(char::from(byte));
        } else {
            text.push('%');
            text.push(char::from(HEX[usize::from(byte >> 4)]));
            text.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    text
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(pattern: &str, path: &str, expected: bool) {
        let matches = Pattern::new(pattern.as_bytes()).matches(&normalise(path.as_bytes()));
        assert_eq!(matches, expected, "{pattern:?} on {path:?}");
    }

    #[test]
    fn stars_and_ends() {
        check("/fish", "/fish", true);
        check("/fish", "/fishheads/yummy.html", true);
        check("/fish", "/Fish", false);
        check("/fish", "/catfish", false);
        check("/fish*", "/fish", true);
        check("/fish/", "/fish", false);
        check("/*.php", "/a/b.php?c", true);
        check("/*.php", "/windows.PHP", false);
        check("/*.php$", "/a.php", true);
        check("/*.php$", "/a.php?x", false);
        check("/*.php$", "/a.php/b.php", true);
        check("/fish*.php", "/fishheads/cat.php?x", true);
        check("/a*b*c$", "/abc-abc", true);
        check("/a*b*c$", "/acb", false);
        check("*", "/anything", true);
        check("**/***x", "/a/x", true);
        check("/a$b", "/a$b", true);
        check("/a$b", "/a", false);
        check("/a*$", "/abc", true);
        check("/$", "/", true);
        check("/$", "/a", false);
        check("$", "/", false);
        check("/ab*ab$", "/ab", false);
        check("/ab*ab$", "/abab", true);
        check("/a*a$", "/a", false);
    }

    #[test]
    fn encodings_do_not_matter_where_they_mean_nothing() {
        check("/%7Ejoe/", "/~joe/x", true);
        check("/~joe/", "/%7ejoe/x", true);
        check("/a%3cd", "/a%3Cd", true);
        check("/a/ツ", "/a/%E3%83%84", true);
        check("/a/%e3%83%84", "/a/ツ", true);
        check("/a%2fb", "/a/b", false);
        check("/a%2fb", "/a%2Fb", true);
        check("/%62", "/b", true);
        check("/a b", "/a%20b", true);
        check("/a|b", "/a%7Cb", true);
        check("/file-with-a-%2A.html", "/file-with-a-*.html", true);
        check("/file-with-a-%2A.html", "/file-with-a-xyz.html", false);
        check("/a%24", "/a$b", true);
        check("/a%24", "/ab", false);
        check("/%zz%4", "/%zz%4", true);
    }

    /// The plain definition, by trying everything.
    fn slow(pattern: &[u8], path: &[u8]) -> bool {
        match pattern {
            [] => true,
            [b'$'] => path.is_empty(),
            [b'*', rest @ ..] => (0..=path.len()).any(|skip| slow(rest, &path[skip..])),
            [byte, rest @ ..] => path.first() == Some(byte) && slow(rest, &path[1..]),
        }
    }

    proptest! {
        #[test]
        fn matches_agree_with_the_definition(pattern in "[ab*$]{0,8}", path in "[ab$]{0,10}") {
            let expected = slow(pattern.as_bytes(), path.as_bytes());
            prop_assert_eq!(Pattern::new(pattern.as_bytes()).matches(&path), expected);
        }

        #[test]
        fn one_spelling_stays(path: Vec<u8>) {
            let once = normalise(&path);
            prop_assert_eq!(normalise(once.as_bytes()), once);
        }
    }
}
