//! How long a server asks us to stay away: `Retry-After`.

use std::time::Duration;

use model::{Headers, Timestamp};

/// Longest wait that is obeyed; beyond it a typing error is likelier than a wish.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// How long the answer with these headers, received at `now`, asks us to wait.
///
/// A date is read against the answer's own `Date`, as the server's clock may differ from ours.
pub fn retry_after(headers: &Headers, now: Timestamp) -> Option<Duration> {
    let sent = headers.get("date").and_then(http_date).unwrap_or(now);
    parse_retry_after(headers.get("retry-after")?.as_bytes(), sent)
}

/// Reads the value of the header: seconds, or a date counted from `sent`. None when it is neither.
pub fn parse_retry_after(value: &[u8], sent: Timestamp) -> Option<Duration> {
    let value = std::str::from_utf8(value).ok()?.trim();
    // Whole seconds by the standard; some servers send fractions. The whole part is what counts, rounded up.
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !whole.is_empty() && digits(whole) && digits(fraction) {
        let seconds = whole.parse().unwrap_or(u64::MAX);
        let part = u64::from(fraction.bytes().any(|byte| byte != b'0'));
        return Some(Duration::from_secs(seconds.saturating_add(part)).min(MAX_RETRY_AFTER));
    }
    Some(http_date(value)?.since(sent).min(MAX_RETRY_AFTER))
}

/// The moment that a header names.
pub fn http_date(text: &str) -> Option<Timestamp> {
    let moment = httpdate::parse_http_date(text).ok()?;
    let since = moment.duration_since(std::time::UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok().map(Timestamp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    const SENT: Timestamp = Timestamp(784_111_777_000);

    fn check(value: &str, expected: Option<u64>) {
        assert_eq!(
            parse_retry_after(value.as_bytes(), SENT),
            expected.map(Duration::from_secs),
            "for {value:?}"
        );
    }

    #[test]
    fn seconds_and_dates_are_understood() {
        check("120", Some(120));
        check(" 0 ", Some(0));
        check("1.5", Some(2));
        check("2.0", Some(2));
        check("Sun, 06 Nov 1994 08:50:37 GMT", Some(60));
        check("Sunday, 06-Nov-94 08:50:37 GMT", Some(60));
        check("Sun Nov  6 08:50:37 1994", Some(60));
        check("Sun, 06 Nov 1994 08:00:00 GMT", Some(0));
    }

    #[test]
    fn absurd_values_are_capped_or_ignored() {
        check("999999999999999999999999", Some(86_400));
        check("Fri, 31 Dec 9999 23:59:59 GMT", Some(86_400));
        for nonsense in ["", "-5", "soon", "5s", "1e3", ".", "Sun, 99 Nov 1994 08:50:37 GMT"] {
            check(nonsense, None);
        }
    }

    #[test]
    fn a_date_counts_from_the_servers_own_clock() {
        let headers = |pairs: &[(&str, &str)]| {
            Headers(pairs.iter().map(|(name, value)| (name.to_string(), value.to_string().into())).collect())
        };
        let later = ("Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT");
        let skewed = headers(&[("Date", "Sun, 06 Nov 1994 08:50:07 GMT"), later]);
        assert_eq!(retry_after(&skewed, SENT), Some(Duration::from_secs(30)));
        assert_eq!(retry_after(&headers(&[later]), SENT), Some(Duration::from_secs(60)));
        assert_eq!(retry_after(&headers(&[("Date", "never"), later]), SENT), Some(Duration::from_secs(60)));
        assert_eq!(retry_after(&headers(&[]), SENT), None);
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_bounded_wait(value: Vec<u8>, sent: u64) {
            let wait = parse_retry_after(&value, Timestamp(sent));
            prop_assert!(wait.unwrap_or_default() <= MAX_RETRY_AFTER);
        }

        #[test]
        fn any_number_of_seconds_is_read(seconds in 0u64..86_400) {
            let wait = parse_retry_after(seconds.to_string().as_bytes(), SENT);
            prop_assert_eq!(wait, Some(Duration::from_secs(seconds)));
        }
    }
}
