//! The forgiving reading of dates in cookies, by RFC 6265 §5.1.1: any order, any separators.

use model::Timestamp;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The moment a cookie's `Expires` names; none when it names none.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    let is_delimiter = |character: char| {
        matches!(character, '\t' | ' '..='/' | ';'..='@' | '['..='`' | '{'..='~') || !character.is_ascii()
    };
    for word in text.split(is_delimiter).filter(|word| !word.is_empty()) {
        if time.is_none() && clock(word).is_some() {
            time = clock(word);
        } else if day.is_none() && number(word, 1, 2).is_some() {
            day = number(word, 1, 2);
        } else if month.is_none() && month_of(word).is_some() {
            month = month_of(word);
        } else if year.is_none() {
            year = number(word, 2, 4);
        }
    }
    let year = match year? {
        year @ 70..=99 => year + 1900,
        year @ 0..=69 => year + 2000,
        year => year,
    };
    let (day, month, (hour, minute, second)) = (day?, month?, time?);
    let is_possible = (1..=31).contains(&day) && year >= 1601 && hour <= 23 && minute <= 59 && second <= 59;
    if !is_possible {
        return None;
    }
    let seconds = days(year, month, day) * 86_400 + i64::from(hour * 3600 + minute * 60 + second);
    // Before 1970: long gone, like 1970 itself.
    Some(Timestamp(u64::try_from(seconds).unwrap_or(0) * 1000))
}

/// `h:m:s`, followed by anything that is no digit.
fn clock(word: &str) -> Option<(u32, u32, u32)> {
    let mut parts = word.splitn(3, ':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let whole = |part: &str| number(part, 1, 2).filter(|_| part.bytes().all(|byte| byte.is_ascii_digit()));
    Some((whole(hour)?, whole(minute)?, number(second, 1, 2)?))
}

/// A number of so many digits, followed by anything that is no digit.
fn number(word: &str, fewest: usize, most: usize) -> Option<u32> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    (fewest..=most).contains(&digits).then(|| word[..digits].parse().ok()).flatten()
}

fn month_of(word: &str) -> Option<u32> {
    let start = word.get(..3)?.to_ascii_lowercase();
    MONTHS.iter().position(|month| *month == start).and_then(|index| u32::try_from(index + 1).ok())
}

/// Days from 1970-01-01 to a date of the Gregorian calendar, counted in years that begin in March.
fn days(year: u32, month: u32, day: u32) -> i64 {
    let year = i64::from(year) - i64::from(month <= 2);
    let month = i64::from((month + 9) % 12);
    let day_of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: Option<u64>) {
        assert_eq!(parse(text), expected.map(|seconds| Timestamp(seconds * 1000)), "for {text:?}");
    }

    #[test]
    fn dates_are_read_in_all_their_spellings() {
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777));
        check("Sunday, 06-Nov-94 08:49:37 GMT", Some(784_111_777));
        check("Sun Nov  6 08:49:37 1994", Some(784_111_777));
        check("6 november 94 8:49:37x", Some(784_111_777));
        check("Thu, 01 Jan 1970 00:00:00 GMT", Some(0));
        check("Tue, 29 Feb 2028 12:00:00 GMT", Some(1_835_438_400));
        check("Fri, 31-Dec-9999 23:59:59 GMT", Some(253_402_300_799));
        check("Mon, 01 Jan 1900 00:00:00 GMT", Some(0));
        check("01 Jan 38 00:00:00", Some(2_145_916_800));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "never",
            "0",
            "06 Nov 1994",
            "08:49:37",
            "32 Nov 1994 08:49:37",
            "6 Nov 1994 24:00:00",
            "6 Nov 1600 1:1:1",
        ] {
            check(text, None);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_not(text in ".*") {
            let _ = parse(&text);
        }

        /// Against the formatter of another library.
        #[test]
        fn printed_dates_are_read_back(seconds in 0u64..200_000_000_000) {
            let moment = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            prop_assert_eq!(parse(&httpdate::fmt_http_date(moment)), Some(Timestamp(seconds * 1000)));
        }
    }
}
