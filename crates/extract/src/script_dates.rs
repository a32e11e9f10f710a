//! The day of publication in a page's scripts, for pages that tell it nowhere else: `"publishDate": "2026-11-15"`.
//!
//! Nothing is parsed: names are sought in what stands between the tags of scripts, and what follows one is read.

use memchr::memmem;

use crate::dates;

/// Names looked at, and bytes of one and of its value.
const MOST_NAMES: usize = 256;
const MAX_NAME: usize = 32;
const MAX_VALUE: usize = 40;

/// How such names end, in small letters and without marks.
const ENDS: &[&str] = &[
    "datepublished",
    "datepublish",
    "publishdate",
    "publishdatetime",
    "publisheddate",
    "publishedat",
    "publishedon",
    "publishedtime",
    "publishtime",
    "publishtimestamp",
    "publishedtimestamp",
    "publishat",
    "publicationdate",
    "publicationtime",
    "firstpublished",
    "pubdate",
    "pubtime",
];
/// Begins of names that end so and mean another day.
const OTHERS: &[&str] = &["last", "un", "re", "next", "expire"];

/// The days that the scripts of a page name as those of publication, the first first.
pub(crate) fn days(body: &[u8], language: Option<&str>) -> Vec<String> {
    let mut days = Vec::new();
    let mut names = 0;
    let (start, end) = (memmem::Finder::new(b"<script"), memmem::Finder::new(b"</script"));
    let mut rest = body;
    while let Some(at) = start.find(rest) {
        rest = &rest[at..];
        let length = end.find(rest).unwrap_or(rest.len());
        let script = &rest[..length];
        rest = &rest[length..];
        // What JSON-LD says of the page is known, and it says more of others.
        let tag = &script[..memchr::memchr(b'>', script).unwrap_or(length)];
        if memmem::find(tag, b"ld+json").is_some() {
            continue;
        }
        // All of the names have it, and few other words.
        for at in memmem::find_iter(script, b"ub") {
            let Some(after) = after_name(script, at) else { continue };
            names += 1;
            if names > MOST_NAMES {
                return days;
            }
            days.extend(value(after).and_then(|value| dates::value(value, language)));
        }
    }
    days
}

/// What follows a name that has "ub" at a place.
fn after_name(script: &[u8], at: usize) -> Option<&[u8]> {
    if !matches!(script.get(at.checked_sub(1)?), Some(b'p' | b'P')) {
        return None;
    }
    let is_letter = |byte: &&u8| byte.is_ascii_alphabetic() || **byte == b'_';
    let before = script[..at].iter().rev().take(MAX_NAME).take_while(is_letter).count();
    let after = script[at..].iter().take(MAX_NAME).take_while(is_letter).count();
    let letters = script[at - before..at + after].iter().filter(|byte| **byte != b'_');
    let name: String = letters.map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    let is_other = OTHERS.iter().any(|begin| name.starts_with(begin));
    (!is_other && ENDS.iter().any(|end| name.ends_with(end))).then(|| &script[at + after..])
}

/// The text or the number after `":`.
fn value(after: &[u8]) -> Option<&str> {
    let skip = |bytes: &mut &[u8], any: &[u8]| {
        let count = bytes.iter().take(8).take_while(|byte| any.contains(byte)).count();
        *bytes = &bytes[count..];
        count
    };
    let mut rest = after;
    skip(&mut rest, b"\\\"' \t");
    if !matches!(skip(&mut rest, b":="), 1..=3) {
        return None;
    }
    skip(&mut rest, b" \n\t\r");
    rest = rest.strip_prefix(b"new Date(").unwrap_or(rest);
    let is_text = skip(&mut rest, b"\\\"'") > 0;
    let is_value = |byte: &&u8| match byte {
        b'"' | b'\'' | b'\\' => false,
        byte => is_text || byte.is_ascii_digit(),
    };
    let length = rest.iter().take(MAX_VALUE).take_while(is_value).count();
    std::str::from_utf8(&rest[..length]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: &[&str]) {
        assert_eq!(days(body.as_bytes(), None), expected, "in {body}");
    }

    #[test]
    fn the_names_of_days_of_publication_are_known() {
        for script in [
            r#"{"datePublished":"2026-11-15"}"#,
            r#"dataLayer.push({'article_publish_date' : '20261115'})"#,
            r#"var page = { pubDate: "15 Nov 2026" }"#,
            r#"x.publishedAt = new Date("2026-11-15")"#,
            r#"push("{\"first_published\":\"2026-11-15\"}")"#,
        ] {
            check(&format!("<script type=x>{script}</script>"), &["2026-11-15"]);
        }
        check("<script>{\"publishTime\":1794745805123}</script>", &["2026-11-15T12:30:05Z"]);
    }

    #[test]
    fn other_names_and_other_places_are_none() {
        for body in [
            "<script>{\"lastPublishedAt\":\"2026-11-15\",\"republishDate\":\"2026-11-15\"}</script>",
            "<script>{\"publishDate\":null,\"pubDate\":\"YYYY-MM-DD\",\"publisher\":\"2026-11-15\"}</script>",
            "<script>publishDate(\"2026-11-15\")</script>",
            "<p>{\"publishDate\":\"2026-11-15\"}</p>",
            "<script type='application/ld+json'>{\"datePublished\":\"2026-11-15\"}</script>",
            "<script>ub",
            "<script>\"pubDate\"",
            "<script>pubDate:",
        ] {
            check(body, &[]);
        }
    }

    #[test]
    fn many_names_are_not_read_to_the_end() {
        let script = format!("<script>{}</script>", "pubDate:'2026-11-15',".repeat(1_000));
        assert_eq!(days(script.as_bytes(), None).len(), MOST_NAMES);
    }
}
