//! Content types that a crawl wants: `text/html`, `text/*`.

use std::fmt;
use std::str::FromStr;

use super::ValueError;
use super::text::written_as_text;

/// A content type, or a star for all subtypes or all types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MediaPattern(String);

written_as_text!(MediaPattern, "content type: text/html, text/*, */*");

impl MediaPattern {
    /// True for a content type that the pattern takes; parameters (`; charset=…`) and case do not count.
    pub fn matches(&self, content_type: &str) -> bool {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        let Some((kind, subtype)) = essence.split_once('/') else { return false };
        let agrees = |wanted: &str, given: &str| wanted == "*" || wanted.eq_ignore_ascii_case(given);
        self.0.split_once('/').is_some_and(|wanted| agrees(wanted.0, kind) && agrees(wanted.1, subtype))
    }
}

impl FromStr for MediaPattern {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<MediaPattern, ValueError> {
        let refuse = || ValueError::new(text, "content type", "write text/html, text/* or */*");
        let (kind, subtype) = text.split_once('/').ok_or_else(refuse)?;
        if !(is_name(kind) || kind == "*" && subtype == "*") || !(is_name(subtype) || subtype == "*") {
            return Err(refuse());
        }
        Ok(MediaPattern(text.to_ascii_lowercase()))
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
}

impl fmt::Display for MediaPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::{check, check_refused};
    use super::*;
    use proptest::prelude::*;

    fn check_match(pattern: &str, content_type: &str, expected: bool) {
        let pattern: MediaPattern = pattern.parse().unwrap();
        assert_eq!(pattern.matches(content_type), expected, "{pattern} on {content_type}");
    }

    #[test]
    fn parameters_and_case_do_not_count() {
        check_match("text/html", "Text/HTML; charset=utf-8", true);
        check_match("text/html", "text/plain", false);
        check_match("text/*", "text/plain", true);
        check_match("text/*", "image/png", false);
        check_match("*/*", "image/png", true);
        check_match("*/*", "nonsense", false);
        check_match("application/xhtml+xml", "application/xhtml+xml", true);
    }

    #[test]
    fn content_types_read_back_as_written() {
        check::<MediaPattern>("text/html", "text/html");
        check::<MediaPattern>("TEXT/*", "text/*");
        check::<MediaPattern>("*/*", "*/*");
        for text in ["html", "", "text/", "/html", "*/html", "text/html; charset=utf-8"] {
            let words = format!("{text:?} is no content type; write text/html, text/* or */*");
            check_refused::<MediaPattern>(text, &words);
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "[a-z*/+;]{0,12}|\\PC{0,20}", content_type in "\\PC{0,20}") {
            if let Ok(pattern) = text.parse::<MediaPattern>() {
                pattern.matches(&content_type);
                prop_assert_eq!(pattern.to_string().parse::<MediaPattern>(), Ok(pattern));
            }
        }
    }
}
