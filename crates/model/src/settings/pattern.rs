//! Include and exclude patterns: which URLs a rule speaks of.
//!
//! | written | speaks of |
//! | --- | --- |
//! | `/calendar/*` | path and query, from the first slash on |
//! | `https://shop.test/*` | the whole URL |
//! | `host:*.shop.test` | the host's name, or `name:port` |
//! | `regex:[?&]page=[0-9]{4}` | any part of the whole URL |
//!
//! In the first three only `*` is special: any run of characters, slashes too; the rest must agree from end to
//! end. A question mark is a question mark, as URLs are full of them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};

use super::ValueError;
use super::text::written_as_text;
use crate::PageUrl;
use crate::url::ends_in_half_an_encoding;

/// One include or exclude pattern.
#[derive(Clone)]
pub struct Pattern {
    text: Arc<str>,
    matcher: Arc<Matcher>,
}

written_as_text!(Pattern, "pattern: /path/*, https://host/*, host:NAME or regex:RE");

enum Matcher {
    Path(Glob),
    Url(Glob),
    Host(Glob),
    Regex(Regex),
}

/// Literal texts with stars between them.
struct Glob {
    parts: Vec<Box<str>>,
}

/// Longest pattern.
const MAX_LENGTH: usize = 2_048;

/// Largest compiled regular expression, in bytes. Matching is linear in the URL whatever the expression.
const MAX_COMPILED: usize = 1 << 20;

impl Pattern {
    /// True if the pattern speaks of `url`.
    pub fn matches(&self, url: &PageUrl) -> bool {
        match &*self.matcher {
            Matcher::Path(glob) => glob.matches(url.path_and_query()),
            Matcher::Url(glob) => glob.matches(url.as_str()),
            Matcher::Host(glob) => {
                let host = url.host();
                glob.matches(host.name()) || glob.matches(host.as_str())
            }
            Matcher::Regex(regex) => regex.is_match(url.as_str()),
        }
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for Pattern {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Pattern, ValueError> {
        let refuse = |hint: String| ValueError::new(text, "pattern", hint);
        if text.len() > MAX_LENGTH {
            return Err(refuse(format!("it is longer than {MAX_LENGTH} bytes")));
        }
        let matcher = if text.starts_with('/') {
            Matcher::Path(Glob::new(&canonical_path(text).map_err(refuse)?))
        } else if let Some(expression) = text.strip_prefix("regex:") {
            Matcher::Regex(compile(expression).map_err(refuse)?)
        } else if let Some(name) = text.strip_prefix("host:") {
            Matcher::Host(Glob::new(&canonical_host(name).map_err(refuse)?))
        } else if text.contains("://") {
            Matcher::Url(Glob::new(&canonical_url(text).map_err(refuse)?))
        } else {
            let hint = "begin it with / for a path, https:// for a whole URL, host: or regex:";
            return Err(refuse(hint.to_owned()));
        };
        Ok(Pattern { text: text.into(), matcher: Arc::new(matcher) })
    }
}

impl Glob {
    fn new(text: &str) -> Glob {
        Glob { parts: text.split('*').map(Box::from).collect() }
    }

    /// Each literal at its leftmost place after the one before: if any placing fits, this one does.
    fn matches(&self, text: &str) -> bool {
        let [first, middle @ .., last] = &self.parts[..] else {
            return self.parts.first().is_some_and(|only| &**only == text);
        };
        let Some(mut rest) = text.strip_prefix(&**first).and_then(|rest| rest.strip_suffix(&**last)) else {
            return false;
        };
        for part in middle {
            match rest.find(&**part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        true
    }
}

/// Path and query in the spelling of canonical URLs.
fn canonical_path(text: &str) -> Result<String, String> {
    if let Some(at) = text.chars().position(|c| c == '#') {
        return Err(format!("at character {}: a part after # is dropped before any rule is asked", at + 1));
    }
    let mut out = String::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let [byte, rest @ ..] = bytes {
        bytes = rest;
        let encoded = match (byte, rest) {
            (b'%', [high, low, ..]) => std::str::from_utf8(&[*high, *low])
                .ok()
                .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
                .and_then(|digits| u8::from_str_radix(digits, 16).ok()),
            _ => None,
        };
        match encoded {
            Some(plain) => {
                bytes = &rest[2..];
                let bare = plain.is_ascii_alphanumeric() || b"-._~".contains(&plain);
                if bare && !(plain.is_ascii_hexdigit() && ends_in_half_an_encoding(&out)) {
                    out.push(char::from(plain));
                } else {
                    out.push_str(&format!("%{plain:02X}"));
                }
            }
            None if !byte.is_ascii() || *byte <= b' ' || b"\"<>".contains(byte) => {
                out.push_str(&format!("%{byte:02X}"));
            }
            None => out.push(char::from(*byte)),
        }
    }
    Ok(out)
}

/// A host's name in lower case, its labels in their ASCII form.
fn canonical_host(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("after host: comes a name, as in host:*.shop.test".to_owned());
    }
    if let Some((at, _)) = text.char_indices().find(|(_, c)| " /?#@".contains(*c)) {
        let at = "host:".len() + text[..at].chars().count() + 1;
        return Err(format!("at character {at}: no part of a host's name"));
    }
    // A name without brackets, as `Host::name` gives it.
    let text = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let labels = text.split('.').map(|label| {
        if label.is_ascii() {
            return Ok(label.to_ascii_lowercase());
        }
        match url::Host::parse(label) {
            Ok(url::Host::Domain(name)) if !label.contains('*') => Ok(name),
            _ => Err(format!("write {label:?} in its ASCII form (xn--…)")),
        }
    });
    Ok(labels.collect::<Result<Vec<_>, _>>()?.join("."))
}

/// A whole URL: the host in lower case, the rest as `canonical_path`.
fn canonical_url(text: &str) -> Result<String, String> {
    let (scheme, rest) = text.split_once("://").unwrap_or(("*", text));
    let slash = rest.find('/').unwrap_or(rest.len());
    let (host, path) = rest.split_at(slash);
    let mut out =
        format!("{}://{}{}", scheme.to_ascii_lowercase(), host.to_lowercase(), canonical_path(path)?);
    // A canonical URL always has a path.
    if path.is_empty() && !host.ends_with('*') {
        out.push('/');
    }
    Ok(out)
}

fn compile(expression: &str) -> Result<Regex, String> {
    // Parsed here first, as `regex` itself tells the place of a mistake only in a drawing of several lines.
    let place = |offset: usize, words: String| {
        let at = "regex:".len() + expression.get(..offset).map_or(0, |before| before.chars().count()) + 1;
        format!("at character {at}: {words}")
    };
    if expression.is_empty() {
        return Err("after regex: comes an expression".to_owned());
    }
    regex_syntax::parse(expression).map_err(|error| match error {
        regex_syntax::Error::Parse(error) => place(error.span().start.offset, error.kind().to_string()),
        regex_syntax::Error::Translate(error) => place(error.span().start.offset, error.kind().to_string()),
        _ => "no regular expression".to_owned(),
    })?;
    RegexBuilder::new(expression)
        .size_limit(MAX_COMPILED)
        .dfa_size_limit(MAX_COMPILED)
        .build()
        .map_err(|_| "the expression is too large".to_owned())
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::check_refused;
    use super::*;
    use proptest::prelude::*;

    fn check(pattern: &str, url: &str, expected: bool) {
        let parsed: Pattern = pattern.parse().unwrap_or_else(|error| panic!("{error}"));
        let url = PageUrl::parse(url).unwrap();
        assert_eq!(parsed.matches(&url), expected, "{pattern} on {url}");
        super::super::text::tests::check::<Pattern>(pattern, pattern);
    }

    #[test]
    fn a_slash_begins_a_pattern_on_path_and_query() {
        check("/calendar/*", "http://a.test/calendar/2026/11", true);
        check("/calendar/*", "http://a.test/calendar/", true);
        check("/calendar/*", "http://a.test/calendar", false);
        check("/calendar/*", "http://a.test/x/calendar/1", false);
        check("/*.pdf", "http://a.test/a/b.pdf", true);
        check("/*.pdf", "http://a.test/a/b.pdf?x=1", false);
        check("/list?page=*", "http://a.test/list?page=7", true);
        check("/list?page=*", "http://a.test/listXpage=7", false);
        check("/a*b*c", "http://a.test/abbc", true);
        check("/a*b*bc", "http://a.test/abc", false);
        check("/ab*ba", "http://a.test/aba", false);
        check("/", "http://a.test/", true);
        check("/", "http://a.test/a", false);
    }

    #[test]
    fn spellings_of_one_path_are_one_pattern() {
        check("/käse/*", "http://a.test/k%C3%A4se/1", true);
        check("/k%c3%a4se/%7Ejo", "http://a.test/käse/~jo", true);
        check("/a b", "http://a.test/a%20b", true);
        check("/100%", "http://a.test/100%", true);
    }

    #[test]
    fn a_scheme_begins_a_pattern_on_the_whole_url() {
        check("https://Shop.test/*", "https://shop.test/a", true);
        check("https://shop.test/*", "http://shop.test/a", false);
        check("*://shop.test/*", "http://shop.test/a", true);
        check("http://shop.test", "http://shop.test/", true);
        check("http://*.test/a", "http://x.y.test/a", true);
    }

    #[test]
    fn host_patterns_are_on_name_or_name_and_port() {
        check("host:*.shop.test", "http://www.shop.test/", true);
        check("host:*.shop.test", "http://shop.test/", false);
        check("host:SHOP.test", "http://shop.test:8080/", true);
        check("host:shop.test:8080", "http://shop.test:8080/", true);
        check("host:shop.test:8080", "http://shop.test/", false);
        check("host:bücher.example", "http://bücher.example/", true);
        check("host:[::1]", "http://[::1]:8080/", true);
    }

    #[test]
    fn regular_expressions_search_the_whole_url() {
        check("regex:[?&]page=[0-9]{4}", "http://a.test/l?page=2026", true);
        check("regex:[?&]page=[0-9]{4}", "http://a.test/l?page=12", false);
        check("regex:^https:", "http://a.test/", false);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let hint = "begin it with / for a path, https:// for a whole URL, host: or regex:";
        check_refused::<Pattern>("*.pdf", &format!("\"*.pdf\" is no pattern; {hint}"));
        check_refused::<Pattern>("", &format!("\"\" is no pattern; {hint}"));
        check_refused::<Pattern>("regex:a(b", "\"regex:a(b\" is no pattern; at character 8: unclosed group");
        check_refused::<Pattern>(
            "regex:ä\\p{Nonsense}",
            "\"regex:ä\\\\p{Nonsense}\" is no pattern; at character 8: Unicode property not found",
        );
        check_refused::<Pattern>("regex:", "\"regex:\" is no pattern; after regex: comes an expression");
        check_refused::<Pattern>(
            "regex:(a{1000}){1000}",
            "\"regex:(a{1000}){1000}\" is no pattern; the expression is too large",
        );
        check_refused::<Pattern>(
            "host:a/b",
            "\"host:a/b\" is no pattern; at character 7: no part of a host's name",
        );
        check_refused::<Pattern>(
            "/a#b",
            "\"/a#b\" is no pattern; at character 3: a part after # is dropped before any rule is asked",
        );
    }

    #[test]
    fn a_long_pattern_is_refused_and_quoted_in_part() {
        let error = "/a".repeat(2_000).parse::<Pattern>().unwrap_err().to_string();
        assert!(error.ends_with("\"… is no pattern; it is longer than 2048 bytes"), "{error}");
        assert!(error.len() < 150, "{error}");
    }

    /// What a star means, said as slowly as possible.
    fn slow(glob: &[u8], text: &[u8]) -> bool {
        match glob {
            [] => text.is_empty(),
            [b'*', rest @ ..] => (0..=text.len()).any(|skip| slow(rest, &text[skip..])),
            [byte, rest @ ..] => text.first() == Some(byte) && slow(rest, &text[1..]),
        }
    }

    proptest! {
        #[test]
        fn globs_match_as_their_definition_does(glob in "[ab*]{0,8}", text in "[ab]{0,10}") {
            prop_assert_eq!(Glob::new(&glob).matches(&text), slow(glob.as_bytes(), text.as_bytes()));
        }

        #[test]
        fn no_text_makes_a_pattern_panic(
            text in "(/|host:|regex:|https://)?[a-z%*?#\\[\\](){}\\\\.ü ]{0,24}|\\PC{0,30}",
        ) {
            let url = PageUrl::parse("http://a.test/b?c=d").unwrap();
            if let Ok(pattern) = text.parse::<Pattern>() {
                pattern.matches(&url);
                prop_assert_eq!(pattern.to_string().parse::<Pattern>(), Ok(pattern));
            }
        }

        #[test]
        fn a_url_without_a_star_matches_itself(path in "/[a-z0-9/%äé .~-]{0,20}(\\?[a-z=&]{1,8})?") {
            let url = PageUrl::parse(&format!("http://a.test{path}")).unwrap();
            let pattern: Pattern = url.path_and_query().parse().unwrap();
            prop_assert!(pattern.matches(&url), "{pattern} on {url}");
        }
    }
}
