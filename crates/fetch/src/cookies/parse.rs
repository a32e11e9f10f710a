//! Reads one `Set-Cookie` line, by RFC 6265 §5.2.

use std::time::Duration;

use model::Timestamp;

use super::date;

/// A `Set-Cookie` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SetCookie<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a str,
    /// In lower case, without a leading dot.
    pub(super) domain: Option<String>,
    pub(super) path: Option<&'a str>,
    pub(super) secure: bool,
    /// None: until the run ends.
    pub(super) expires: Option<Timestamp>,
}

/// Longest name and value, together, and longest attribute.
const LONGEST: usize = 4096;
const LONGEST_ATTRIBUTE: usize = 1024;

/// Reads a line that came at `now`; none when it sets nothing.
pub(super) fn set_cookie(line: &str, now: Timestamp) -> Option<SetCookie<'_>> {
    if line.bytes().any(|byte| matches!(byte, 0..=8 | 10..=31 | 127)) {
        return None;
    }
    let mut parts = line.split(';');
    let pair = parts.next().unwrap_or_default();
    let (name, value) = pair.split_once('=').unwrap_or(("", pair));
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() && value.is_empty() || name.len() + value.len() > LONGEST {
        return None;
    }
    let mut cookie = SetCookie { name, value, domain: None, path: None, secure: false, expires: None };
    let mut max_age = None;
    for part in parts {
        let (attribute, value) = part.split_once('=').unwrap_or((part, ""));
        let (attribute, value) = (attribute.trim(), value.trim());
        if value.len() > LONGEST_ATTRIBUTE {
            continue;
        }
        match attribute.to_ascii_lowercase().as_str() {
            "domain" => {
                let domain = value.strip_prefix('.').unwrap_or(value).to_ascii_lowercase();
                cookie.domain = (!domain.is_empty()).then_some(domain);
            }
            "path" => cookie.path = Some(value),
            "secure" => cookie.secure = true,
            "max-age" => max_age = age(value).or(max_age),
            "expires" => cookie.expires = date::parse(value).or(cookie.expires),
            _ => {}
        }
    }
    // The span wins over the date: it does not depend on the server's clock.
    if let Some(age) = max_age {
        cookie.expires = Some(now + age);
    }
    Some(cookie)
}

/// Zero and below: at once.
fn age(value: &str) -> Option<Duration> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let seconds = if value.starts_with('-') { 0 } else { digits.parse().unwrap_or(u64::from(u32::MAX)) };
    Some(Duration::from_secs(seconds.min(u32::MAX.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn check(line: &str, expected: Option<(&str, &str)>) {
        let pair = set_cookie(line, NOW).map(|cookie| (cookie.name, cookie.value));
        assert_eq!(pair, expected, "for {line:?}");
    }

    #[test]
    fn name_and_value_are_found() {
        check("a=b", Some(("a", "b")));
        check(" a = b ; Path=/", Some(("a", "b")));
        check("a=b=c", Some(("a", "b=c")));
        check("a=", Some(("a", "")));
        check("a=\"b\"", Some(("a", "\"b\"")));
        check("alone", Some(("", "alone")));
        check("=alone", Some(("", "alone")));
        check("=", None);
        check("", None);
        check("; Path=/", None);
        check("a=b\u{7}", None);
        check("a=b\r\nX: y", None);
        check(&format!("a={}", "b".repeat(4096)), None);
    }

    #[test]
    fn attributes_are_found() {
        let cookie =
            set_cookie("a=b; DOMAIN=.E.com; path=/x; SECURE; HttpOnly; SameSite=Lax; max-age=5", NOW)
                .unwrap();
        let expected = SetCookie {
            name: "a",
            value: "b",
            domain: Some("e.com".into()),
            path: Some("/x"),
            secure: true,
            expires: Some(Timestamp(1_005_000)),
        };
        assert_eq!(cookie, expected);
    }

    #[test]
    fn the_span_wins_over_the_date() {
        let ends = |line: &str| set_cookie(line, NOW).unwrap().expires;
        let date = Some(Timestamp(784_111_777_000));
        assert_eq!(ends("a=b; expires=Sun, 06 Nov 1994 08:49:37 GMT"), date);
        assert_eq!(ends("a=b; expires=Sun, 06 Nov 1994 08:49:37 GMT; expires=nonsense"), date);
        assert_eq!(ends("a=b; max-age=-1; expires=Sun, 06 Nov 1994 08:49:37 GMT"), Some(NOW));
        assert_eq!(ends("a=b; max-age=x; expires=Sun, 06 Nov 1994 08:49:37 GMT"), date);
        assert_eq!(
            ends("a=b; max-age=99999999999999999999999"),
            Some(Timestamp(1_000_000 + 4_294_967_295_000))
        );
        assert_eq!(ends("a=b"), None);
    }
}
