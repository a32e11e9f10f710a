//! Dates as people write them -> ISO 8601. A date that may mean two days means none.

use jiff::civil;
use jiff::fmt::strtime;

/// Longest text that is looked at, in bytes.
const MAX_DATE: usize = 200;

/// A text as an ISO day or moment. `locale` decides between 3/4 in March and in April; nothing here knows what
/// today is, so "yesterday" and dates without a year are not understood.
pub(crate) fn date(text: &str, format: Option<&str>, locale: Option<&str>) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_DATE {
        return None;
    }
    match format {
        Some(format) => formatted(text, format),
        None => iso(text).or_else(|| spelled(text, locale)),
    }
}

/// True if the format can be used.
pub(crate) fn is_format(format: &str) -> bool {
    let day = civil::date(2026, 3, 14).at(15, 9, 26, 0);
    strtime::format(format, day).is_ok_and(|text| formatted(&text, format).is_some())
}

fn formatted(text: &str, format: &str) -> Option<String> {
    let parts = strtime::parse(format, text).ok()?;
    let date = parts.to_date().ok()?;
    Some(match parts.to_time() {
        Ok(time) if parts.hour().is_some() => format!("{date}T{time}"),
        _ => date.to_string(),
    })
}

/// `2026-11-15`, `2026-11-15T12:30`, `2026-11-15 12:30:00.5+01:00`, `20261115`.
fn iso(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    if bytes.len() == 8 && bytes.iter().all(u8::is_ascii_digit) {
        return text.parse::<civil::Date>().ok().map(|date| date.to_string());
    }
    let date: civil::Date = text.get(..10).filter(|day| day.as_bytes()[4] == b'-')?.parse().ok()?;
    let rest = &text[10..];
    let Some(clock) = rest.strip_prefix(['T', 't', ' ']) else {
        return rest.is_empty().then(|| date.to_string());
    };
    let digits = |c: char| c.is_ascii_digit() || c == ':' || c == '.';
    let end = clock.find(|c| !digits(c)).unwrap_or(clock.len());
    let time: civil::Time = clock[..end].parse().ok()?;
    // Parts of a second are of no use in a table.
    let time = time.with().subsec_nanosecond(0).build().ok()?;
    let zone = offset(clock[end..].trim())?;
    Some(format!("{date}T{time}{zone}"))
}

/// A zone as ISO writes it; nothing for none.
fn offset(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some(String::new());
    }
    if ["z", "utc", "gmt"].iter().any(|name| text.eq_ignore_ascii_case(name)) {
        return Some("Z".to_owned());
    }
    let sign = text.chars().next().filter(|sign| ['+', '-'].contains(sign))?;
    let digits: String = text[1..].chars().filter(|c| *c != ':').collect();
    let hours: u8 = digits.get(..2)?.parse().ok()?;
    let minutes: u8 = if digits.len() == 2 { 0 } else { digits.get(2..4)?.parse().ok()? };
    let fits = digits.len() <= 4 && hours <= 15 && minutes < 60 && digits.is_ascii();
    fits.then(|| format!("{sign}{hours:02}:{minutes:02}"))
}

/// Words and numbers: `15 November 2026`, `Nov 15, 2026 3:30 pm`, `15.11.2026`, `11/15/2026`.
fn spelled(text: &str, locale: Option<&str>) -> Option<String> {
    let (time, text) = clock(text);
    let tokens: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|token| !token.is_empty()).collect();
    let month = tokens.iter().find_map(|token| month(token));
    let numbers: Vec<&str> = tokens
        .iter()
        .map(|token| token.trim_end_matches(|c: char| c.is_ascii_alphabetic()))
        .filter(|token| {
            !token.is_empty() && token.len() <= 4 && token.bytes().all(|byte| byte.is_ascii_digit())
        })
        .collect();
    let date = match month {
        Some(month) => {
            let year = numbers.iter().find(|number| number.len() == 4)?;
            let day = numbers.iter().find(|number| number.len() <= 2)?;
            civil::Date::new(year.parse().ok()?, month, day.parse().ok()?).ok()?
        }
        None => in_digits(&text, &numbers, locale)?,
    };
    Some(match time {
        Some(time) => format!("{date}T{time}"),
        None => date.to_string(),
    })
}

fn in_digits(text: &str, numbers: &[&str], locale: Option<&str>) -> Option<civil::Date> {
    let [first, second, third] = numbers else { return None };
    let number = |text: &str| text.parse::<i16>().ok();
    let (a, b, c) = (number(first)?, number(second)?, number(third)?);
    if first.len() == 4 {
        return civil::Date::new(a, i8::try_from(b).ok()?, i8::try_from(c).ok()?).ok();
    }
    let year = match third.len() {
        4 => c,
        2 if c < 70 => 2000 + c,
        2 => 1900 + c,
        _ => return None,
    };
    let day_first = match locale {
        _ if a > 12 => true,
        _ if b > 12 => false,
        _ if !text.contains('/') => true,
        Some(locale) => !(locale.eq_ignore_ascii_case("en") || locale.to_ascii_lowercase().ends_with("-us")),
        None if a == b => true,
        None => return None,
    };
    let (day, month) = if day_first { (a, b) } else { (b, a) };
    civil::Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// The time of day in a text, and the text without it.
fn clock(text: &str) -> (Option<civil::Time>, String) {
    let Some(colon) = text.find(':') else { return (None, text.to_owned()) };
    let before = text[..colon].chars().rev().take_while(char::is_ascii_digit).count();
    let minutes =
        |text: &str| text.get(..2).filter(|two| two.bytes().all(|b| b.is_ascii_digit())).map(str::to_owned);
    let (hour, rest) = (&text[colon - before..colon], &text[colon + 1..]);
    let Some(minute) = minutes(rest) else { return (None, text.to_owned()) };
    let mut rest = &rest[2..];
    let mut second = "0".to_owned();
    if let Some(seconds) = rest.strip_prefix(':').and_then(minutes) {
        second = seconds;
        rest = &rest[3..];
    }
    let after = rest.trim_start().to_ascii_lowercase();
    let half = |name: &str| after.starts_with(name);
    let hour = match hour.parse::<i8>() {
        Ok(12) if half("am") || half("a.m") => Ok(0),
        Ok(hour @ 0..12) if half("pm") || half("p.m") => Ok(hour + 12),
        other => other,
    };
    let time =
        hour.ok().and_then(|hour| civil::Time::new(hour, minute.parse().ok()?, second.parse().ok()?, 0).ok());
    // What follows the time is a zone or half of the day; neither has numbers that make a date.
    let rest: String = rest.chars().skip_while(|c| *c != ',' && !c.is_whitespace()).collect();
    let rest = if rest.trim_start().starts_with(['+', '-']) { String::new() } else { rest };
    (time, format!("{} {rest}", &text[..colon - before]))
}

/// The month of a name, long or short, in the languages below.
fn month(word: &str) -> Option<i8> {
    let word = word.to_lowercase();
    let number = MONTHS.iter().position(|names| names.split(' ').any(|name| name == word));
    number.map(|number| number as i8 + 1)
}

/// English, German, French, Spanish, Italian, Portuguese, Dutch.
const MONTHS: [&str; 12] = [
    "january jan januar jänner janvier janv enero ene gennaio gen janeiro januari",
    "february feb februar février févr febrero febbraio fevereiro fev februari",
    "march mar märz mär mrz mars marzo março maart mrt",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août agosto ago augustus",
    "september sep sept septembre septiembre settembre set setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, locale: Option<&str>, expected: Option<&str>) {
        assert_eq!(date(text, None, locale).as_deref(), expected, "{text:?} in {locale:?}");
    }

    #[test]
    fn iso_dates_stay_what_they_are() {
        check("2026-11-15", None, Some("2026-11-15"));
        check(" 2026-11-15T12:30Z ", None, Some("2026-11-15T12:30:00Z"));
        check("2026-11-15 12:30:05.25+0100", None, Some("2026-11-15T12:30:05+01:00"));
        check("20261115", None, Some("2026-11-15"));
        check("2026-02-30", None, None);
    }

    #[test]
    fn spelled_dates_are_read_in_many_languages() {
        check("15 November 2026", None, Some("2026-11-15"));
        check("November 15th, 2026", None, Some("2026-11-15"));
        check("Published: 3. März 2026", None, Some("2026-03-03"));
        check("le 1 août 2026", None, Some("2026-08-01"));
        check("Nov 15, 2026 3:30 pm", None, Some("2026-11-15T15:30:00"));
        check("Sun, 15 Nov 2026 12:30:45 +0000", None, Some("2026-11-15T12:30:45"));
        check("November 2026", None, None);
        check("yesterday", None, None);
    }

    #[test]
    fn dates_in_digits_follow_the_language_and_are_never_guessed() {
        check("15.11.2026", None, Some("2026-11-15"));
        check("3.4.26", None, Some("2026-04-03"));
        check("11/15/2026", None, Some("2026-11-15"));
        check("15/11/2026", None, Some("2026-11-15"));
        check("3/4/2026", None, None);
        check("3/4/2026", Some("en-US"), Some("2026-03-04"));
        check("3/4/2026", Some("en-GB"), Some("2026-04-03"));
        check("3/4/2026", Some("fr"), Some("2026-04-03"));
        check("2026/4/3", None, Some("2026-04-03"));
    }

    #[test]
    fn a_format_is_obeyed() {
        assert_eq!(date("04|03|2026", Some("%m|%d|%Y"), None).as_deref(), Some("2026-04-03"));
        assert_eq!(
            date("3.4.2026 12:05", Some("%d.%m.%Y %H:%M"), None).as_deref(),
            Some("2026-04-03T12:05:00")
        );
        assert!(is_format("%d.%m.%Y") && is_format("%d.%m.%Y %H:%M"));
        assert!(!is_format("%d.%m") && !is_format("%Q"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "([0-9]{1,4}|[:/. T+-]|am|Nov|\\PC){0,20}") {
            let _ = (date(&text, None, None), date(&text, None, Some("en")), date(&text, Some("%d.%m.%Y"), None));
        }

        #[test]
        fn every_day_survives_its_spelling(days in 0i32..40_000) {
            use jiff::ToSpan;
            let day = civil::date(1950, 1, 1).checked_add(i64::from(days).days()).unwrap();
            let text = strtime::format("%A, %B %e, %Y", day).unwrap();
            prop_assert_eq!(date(&text, None, None), Some(day.to_string()), "{}", text);
        }
    }
}
