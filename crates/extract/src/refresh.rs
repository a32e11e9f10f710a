//! Where `<meta http-equiv=refresh>` leads, read as the HTML standard does.

/// The reference in `5; url=…`; none when the page only reloads itself, or the text is invalid.
pub(crate) fn target(content: &str) -> Option<&str> {
    let is_space = |c: char| c.is_ascii_whitespace();
    let rest = content.trim_start_matches(is_space);
    let time = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if time.len() == rest.len() && !rest.starts_with('.') {
        return None;
    }
    let rest = time.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.starts_with(|c: char| is_space(c) || c == ';' || c == ',') {
        return None;
    }
    let rest = rest.trim_start_matches(is_space);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start_matches(is_space);
    let url = after_name(rest).unwrap_or(rest);
    let url = match url.chars().next() {
        Some(quote @ ('"' | '\'')) => url[1..].split(quote).next().unwrap_or_default(),
        _ => url,
    };
    (!rest.is_empty()).then_some(url)
}

/// What follows `url =`.
fn after_name(rest: &str) -> Option<&str> {
    let name = rest.get(..3).filter(|name| name.eq_ignore_ascii_case("url"))?;
    let value = rest[name.len()..].trim_start_matches(|c: char| c.is_ascii_whitespace()).strip_prefix('=')?;
    Some(value.trim_start_matches(|c: char| c.is_ascii_whitespace()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found() {
        for (content, expected) in [
            ("5; url=/next", Some("/next")),
            ("0;URL='http://e.com/a b'", Some("http://e.com/a b")),
            (" 5 , Url = \"x\"y", Some("x")),
            ("5;x", Some("x")),
            ("5 x", Some("x")),
            ("1.5;url=x", Some("x")),
            (".5;url=x", Some("x")),
            ("5;url x", Some("url x")),
            ("5;url", Some("url")),
            ("5", None),
            ("5;", None),
            ("", None),
            ("x;url=y", None),
            ("5x;url=y", None),
            ("-1;url=y", None),
        ] {
            assert_eq!(target(content), expected, "in {content:?}");
        }
    }
}
