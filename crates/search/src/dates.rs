//! Dates as people type them: a year, a month or a day.

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;

/// The seconds since 1970 at which a year, month or day begins, and at which the next one does.
pub(crate) fn span(text: &str) -> Option<(i64, i64)> {
    let mut parts = text.trim().split(['-', '/', '.']);
    let number = |part: &str| part.parse::<i16>().ok();
    let year = number(parts.next()?).filter(|year| (1..=9_998).contains(year))?;
    let Some(month) = parts.next() else {
        return Some((seconds(date(year, 1, 1))?, seconds(date(year + 1, 1, 1))?));
    };
    let month = i8::try_from(number(month)?).ok().filter(|month| (1..=12).contains(month))?;
    let Some(day) = parts.next() else {
        let first = date(year, month, 1);
        return Some((seconds(first)?, seconds(first.last_of_month().tomorrow().ok()?)?));
    };
    // A time behind the day is left out.
    let day = i8::try_from(number(day.split('T').next()?)?).ok()?;
    let day = Date::new(year, month, day).ok()?;
    parts.next().is_none().then_some(())?;
    Some((seconds(day)?, seconds(day.tomorrow().ok()?)?))
}

/// The day that a moment is in.
pub fn day(seconds: i64) -> Option<String> {
    let moment = jiff::Timestamp::from_second(seconds).ok()?;
    Some(moment.to_zoned(TimeZone::UTC).date().to_string())
}

fn seconds(day: Date) -> Option<i64> {
    day.to_zoned(TimeZone::UTC).ok().map(|midnight| midnight.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_in_days() {
        assert_eq!(day(0).as_deref(), Some("1970-01-01"));
        assert_eq!(day(1_709_251_199).as_deref(), Some("2024-02-29"));
        assert_eq!(day(i64::MAX), None);
    }

    #[test]
    fn years_months_and_days() {
        let check = |text: &str, expected: Option<(i64, i64)>| assert_eq!(span(text), expected, "{text}");
        check("1970", Some((0, 31_536_000)));
        check("1970-02", Some((2_678_400, 5_097_600)));
        check("1970-01-02", Some((86_400, 172_800)));
        check("2024-02-29", Some((1_709_164_800, 1_709_251_200)));
        for wrong in ["", "x", "2023-02-29", "2023-13", "0", "2023-01-01-01", "99999"] {
            check(wrong, None);
        }
    }
}
