//! The lines about pace: Crawl-delay, Request-rate, Visit-time. No standard defines them; sites use them.

use std::time::Duration;

use model::Timestamp;

/// So many requests in so much time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestRate {
    /// How many, at least one.
    pub requests: u32,
    /// In how much time.
    pub per: Duration,
}

/// A time of day (UTC) at which a site wants to be visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitTime {
    /// First minute of the day.
    pub from: u16,
    /// Last minute of the day; before `from` when the time runs over midnight.
    pub to: u16,
}

const MINUTE: u64 = 60_000;
const DAY: u64 = 24 * 60 * MINUTE;

impl RequestRate {
    /// The pause that keeps the rate.
    pub fn pause(self) -> Duration {
        self.per / self.requests.max(1)
    }
}

impl VisitTime {
    /// The first moment from `now` on that lies in it.
    pub fn next(self, now: Timestamp) -> Timestamp {
        let of_day = now.0 % DAY;
        let minute = of_day / MINUTE;
        let (from, to) = (u64::from(self.from), u64::from(self.to));
        let inside = if from <= to { (from..=to).contains(&minute) } else { minute >= from || minute <= to };
        if inside {
            return now;
        }
        let wait = (from * MINUTE + DAY - of_day) % DAY;
        Timestamp(now.0.saturating_add(wait))
    }
}

/// Seconds, fractions allowed.
pub(super) fn delay(value: &[u8]) -> Option<Duration> {
    let end = value.iter().position(|byte| !(byte.is_ascii_digit() || *byte == b'.')).unwrap_or(value.len());
    let seconds: f64 = std::str::from_utf8(&value[..end]).ok()?.parse().ok()?;
    // A delay in words or of a hundred years is kept, for the caller to cap; no number can make it panic.
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(u32::MAX.into())))
}

/// `1/5`: one in five seconds; `30/1m`, `100/1h`. A time of day behind it is not looked at: the pace is always kept.
pub(super) fn rate(value: &[u8]) -> Option<RequestRate> {
    let value = std::str::from_utf8(value).ok()?.split_whitespace().next()?;
    let (requests, span) = value.split_once('/')?;
    let requests: u32 = requests.parse().ok().filter(|requests| *requests > 0)?;
    let digits = span.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = span.split_at(digits);
    let number: u64 = if number.is_empty() { 1 } else { number.parse().ok()? };
    let unit = match unit.to_ascii_lowercase().as_str() {
        "s" => 1,
        "" if digits > 0 => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return None,
    };
    let seconds = number.saturating_mul(unit).min(u32::MAX.into());
    Some(RequestRate { requests, per: Duration::from_secs(seconds) })
}

/// `0600-0845`, hours and minutes in UTC.
pub(super) fn visit(value: &[u8]) -> Option<VisitTime> {
    let value = std::str::from_utf8(value).ok()?;
    let (from, to) = value.split_once('-')?;
    Some(VisitTime { from: minute(from.trim())?, to: minute(to.trim())? })
}

fn minute(text: &str) -> Option<u16> {
    let digits: String = text.chars().filter(|character| *character != ':').collect();
    if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u16 = digits.parse().ok()?;
    let (hours, minutes) = (number / 100, number % 100);
    match (hours, minutes) {
        // The end of the day is its last minute.
        (24, 0) => Some(24 * 60 - 1),
        (0..=23, 0..=59) => Some(hours * 60 + minutes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn delays_may_have_fractions() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(delay(text.as_bytes()), expected.map(Duration::from_millis), "for {text:?}");
        };
        check("10", Some(10_000));
        check("0.5", Some(500));
        check(".5", Some(500));
        check("2.", Some(2_000));
        check("5s", Some(5_000));
        check("0", Some(0));
        check("99999999999999999999999999", Some(4_294_967_295_000));
        for nonsense in ["", "-1", "ten", "1.2.3", ".", "NaN", "inf"] {
            check(nonsense, None);
        }
    }

    #[test]
    fn rates_have_units() {
        let check = |text: &str, expected: Option<(u32, u64)>| {
            let rate = rate(text.as_bytes()).map(|rate| (rate.requests, rate.per.as_secs()));
            assert_eq!(rate, expected, "for {text:?}");
        };
        check("1/5", Some((1, 5)));
        check("1/10s", Some((1, 10)));
        check("30/1m", Some((30, 60)));
        check("100/2H", Some((100, 7200)));
        check("5/m", Some((5, 60)));
        check("1/5 0600-0845", Some((1, 5)));
        check("1/99999999999999999999", None);
        check("2/9999999999h", Some((2, 4_294_967_295)));
        for nonsense in ["", "1", "0/5", "-1/5", "1/", "1/5x", "a/b", "1 / 5"] {
            check(nonsense, None);
        }
        assert_eq!(rate(b"4/1m").unwrap().pause(), Duration::from_secs(15));
    }

    #[test]
    fn the_next_visit_waits_for_its_time() {
        let at = |hour: u64, minute: u64| Timestamp(20_000 * DAY + (hour * 60 + minute) * MINUTE);
        let check = |text: &str, now: Timestamp, expected: Timestamp| {
            assert_eq!(visit(text.as_bytes()).unwrap().next(now), expected, "{text} at {now}");
        };
        check("0600-0845", at(7, 0), at(7, 0));
        check("0600-0845", at(6, 0), at(6, 0));
        check("0600-0845", at(8, 45), at(8, 45));
        check("0600-0845", at(5, 59), at(6, 0));
        check("0600-0845", at(8, 46), at(30, 0));
        check("22:00 - 02:00", at(23, 0), at(23, 0));
        check("22:00 - 02:00", at(1, 0), at(1, 0));
        check("22:00 - 02:00", at(3, 0), at(22, 0));
        check("0000-2400", at(23, 59), at(23, 59));
        for nonsense in ["", "0600", "0600-", "600-845", "2500-2600", "0660-0700", "06h00-08h45"] {
            assert_eq!(visit(nonsense.as_bytes()), None, "for {nonsense:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_not(value: Vec<u8>, now in 0u64..4_000_000_000_000) {
            let _ = (delay(&value), rate(&value).map(RequestRate::pause), visit(&value));
            let _ = visit(&value).map(|time| time.next(Timestamp(now)));
        }

        #[test]
        fn the_next_visit_is_within_a_day_and_inside(from in 0u16..1440, to in 0u16..1440, now in 0u64..4_000_000_000_000) {
            let time = VisitTime { from, to };
            let next = time.next(Timestamp(now));
            prop_assert!(next.0 >= now && next.0 - now < DAY);
            prop_assert_eq!(time.next(next), next);
        }
    }
}
