//! Dates as machines and people write them, found in a text: a day, or a moment where one is written in full.
//!
//! Nothing here knows what today is: "yesterday" and dates without a year are no dates.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use model::Timestamp;

use crate::months::MONTHS;

/// A date and where it stands in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// `2026-11-15` or `2026-11-15T12:30:00Z`.
    pub(crate) at: String,
    pub(crate) range: Range<usize>,
}

/// Years that a page may have.
const YEARS: Range<u32> = 1970..2100;

/// Dates found in one text.
const MOST_DATES: usize = 8;

/// Longest text that is looked at, in bytes.
const MAX_TEXT: usize = 400;

/// The value of an attribute or a field as a date.
pub(crate) fn value(text: &str, language: Option<&str>) -> Option<String> {
    let text = text.trim();
    if let Some(at) = counted(text) {
        return Some(at);
    }
    if text.len() >= 8 && text.as_bytes()[..8].iter().all(u8::is_ascii_digit) && text.len() != 10 {
        let day = format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..8]);
        if is_day(&day) {
            return Some(day);
        }
    }
    find(text, language).into_iter().next().map(|found| found.at)
}

/// A moment in seconds or milliseconds since 1970.
fn counted(text: &str) -> Option<String> {
    let number: u64 = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())??;
    let millis = match text.len() {
        10 => number * 1_000,
        13 => number,
        _ => return None,
    };
    let at = format!("{}Z", Timestamp(millis).to_string().get(..19)?);
    is_day(&at[..10]).then_some(at)
}

/// The dates in a text, in order. The language decides between 3/4 in March and in April.
pub(crate) fn find(text: &str, language: Option<&str>) -> Vec<Found> {
    let text = &text[..text.floor_char_boundary(MAX_TEXT)];
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() && found.len() < MOST_DATES {
        match read(text, &tokens[at..], language) {
            Some((date, used)) => {
                found.push(date);
                at += used.max(1);
            }
            // A day that is not in the calendar is no date, and nor is a part of it.
            None if in_digits(text, &tokens[at..], language).is_some() => at += 5,
            None => at += 1,
        }
    }
    found
}

/// Whether a text may hold a date at all: a year is written in it.
pub(crate) fn has_year(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Most texts have no digit at all, which is seen many bytes at a time.
    let is_digit = |any: bool, byte: &u8| any | byte.is_ascii_digit() | !byte.is_ascii();
    if !bytes.chunks(64).any(|bytes| bytes.iter().fold(false, is_digit)) {
        return false;
    }
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let ascii = memchr::memchr2_iter(b'1', b'2', bytes).any(|at| {
        matches!(bytes[at..], [b'1', b'9', ..] | [b'2', b'0', ..])
            && digit(at + 2)
            && digit(at + 3)
            && !digit(at + 4)
            && (at == 0 || !digit(at - 1))
    });
    // `05.03.24`, `5/3/24`.
    let shorter = || {
        memchr::memchr_iter(b'/', bytes).any(|at| {
            let next = at + if bytes.get(at + 2) == Some(&b'/') { 2 } else { 3 };
            at >= 1
                && digit(at - 1)
                && digit(at + 1)
                && bytes.get(next) == Some(&b'/')
                && digit(next + 1)
                && digit(next + 2)
                && !digit(next + 3)
        })
    };
    let short = |mark: u8| {
        memchr::memchr_iter(mark, bytes).any(|at| {
            at >= 2
                && bytes.get(at + 3) == Some(&mark)
                && [at - 2, at - 1, at + 1, at + 2, at + 4, at + 5].into_iter().all(digit)
        })
    };
    // `5-Mar-24`, `Mar 5 '24`.
    let named = || {
        memchr::memchr2_iter(b'-', b'\'', bytes).any(|at| {
            let is_after = at > 0 && (bytes[at - 1].is_ascii_alphabetic() || bytes[at] == b'\'');
            is_after && digit(at + 1) && digit(at + 2) && !digit(at + 3)
        })
    };
    const OTHERS: &[&str] = &["٢٠", "۲۰", "۱۴", "२०", "২০", "๒๕", "25", "平成", "令和"];
    // Other digits, and the years of Thailand and Japan.
    ascii
        || short(b'.')
        || shorter()
        || named()
        || !text.is_ascii() && OTHERS.iter().any(|year| text.contains(year))
}

/// A day in the path of a URL: `/2026/11/15/`, `/2026/nov/15/`, `/2026-11-15-`, `/20261115`.
pub(crate) fn in_path(path: &str) -> Option<String> {
    let bytes = path.as_bytes();
    let digits = |from: usize, count: usize| -> Option<&str> {
        let part = path.get(from..from + count)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then_some(part)
    };
    let ends = |at: usize| !bytes.get(at).is_some_and(u8::is_ascii_digit);
    for start in (0..bytes.len()).filter(|at| *at == 0 || !bytes[at - 1].is_ascii_digit()) {
        let Some(year) = digits(start, 4) else { continue };
        let day = match bytes.get(start + 4) {
            Some(mark @ (b'/' | b'-' | b'_')) => {
                let word = path[start + 5..].split(char::from(*mark)).next().unwrap_or_default();
                let named = || MONTH_NAMES.get(word.to_ascii_lowercase().as_str()).map(u32::to_string);
                let written = digits(start + 5, 2).or_else(|| digits(start + 5, 1));
                let (month, next) = match written {
                    Some(month) => (month.to_owned(), start + 5 + month.len()),
                    None if word.len() <= 12 => match named() {
                        Some(month) => (month, start + 5 + word.len()),
                        None => continue,
                    },
                    None => continue,
                };
                // `/2026/1115/`, `/2026-11/15/`.
                let is_folder = |at: usize| at == 0 || bytes[at - 1] == b'/';
                if *mark == b'/'
                    && is_folder(start)
                    && let Some(both) = digits(start + 5, 4).filter(|_| bytes.get(start + 9) == Some(&b'/'))
                {
                    let day = format!("{year}-{}-{}", &both[..2], &both[2..]);
                    if is_day(&day) {
                        return Some(day);
                    }
                }
                let is_mixed = *mark == b'-' && is_folder(start) && bytes.get(next) == Some(&b'/');
                if bytes.get(next) != Some(mark) && !is_mixed {
                    continue;
                }
                let day = digits(next + 1, 2).or_else(|| digits(next + 1, 1));
                let Some(day) = day.filter(|day| ends(next + 1 + day.len())) else { continue };
                format!("{year}-{month:0>2}-{day:0>2}")
            }
            _ => match (digits(start + 4, 2), digits(start + 6, 2)) {
                (Some(month), Some(day)) if ends(start + 8) => format!("{year}-{month}-{day}"),
                _ => continue,
            },
        };
        if is_day(&day) {
            return Some(day);
        }
    }
    None
}

/// The day after.
pub(crate) fn next_day(day: &str) -> Option<String> {
    let number = |range: Range<usize>| day.get(range).and_then(|part| part.parse::<u32>().ok());
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    [(year, month, day + 1), (year, month + 1, 1), (year + 1, 1, 1)]
        .into_iter()
        .map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}"))
        .find(|day| is_day(day))
}

#[derive(Clone, Debug)]
struct Token {
    range: Range<usize>,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    /// Its value and how many digits it has.
    Number(u32, usize),
    Month(u32),
    /// 年, 月, 日 and their like.
    Unit(char),
    /// The year before the first one of an era.
    Era(u32),
    /// A word that may stand within a date.
    Filler,
    Word,
    Mark(char),
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        let mut end = start + c.len_utf8();
        if let Some(first) = digit(c) {
            let (mut number, mut digits) = (first, 1);
            while let Some(next) = chars.peek().and_then(|(_, c)| digit(*c)) {
                number = number.saturating_mul(10).saturating_add(next);
                digits += 1;
                end = chars.next().map_or(end, |(at, c)| at + c.len_utf8());
            }
            tokens.push(Token { range: start..end, what: What::Number(number, digits) });
        } else if matches!(c, '年' | '月' | '日' | '号' | '년' | '월' | '일') {
            tokens.push(Token { range: start..end, what: What::Unit(c) });
        } else if c.is_alphabetic() {
            let is_thai = |c: char| ('\u{e01}'..='\u{e2e}').contains(&c);
            // Thai shortens a month to two letters with a dot between.
            let joins = |at: usize, c: char| c == '.' && text[at + 1..].starts_with(is_thai);
            let is_part = |at: usize, next: char| {
                next.is_alphabetic() && !is_unit(next) || is_combining(next) || is_thai(c) && joins(at, next)
            };
            while let Some((at, c)) = chars.next_if(|(at, next)| is_part(*at, *next)) {
                end = at + c.len_utf8();
            }
            tokens.push(Token { range: start..end, what: word(&text[start..end]) });
        } else if !c.is_whitespace() {
            tokens.push(Token { range: start..end, what: What::Mark(c) });
        }
    }
    tokens
}

fn digit(c: char) -> Option<u32> {
    match c {
        '0'..='9' => Some(c as u32 - '0' as u32),
        '٠'..='٩' => Some(c as u32 - '٠' as u32),
        '۰'..='۹' => Some(c as u32 - '۰' as u32),
        '０'..='９' => Some(c as u32 - '０' as u32),
        '०'..='९' => Some(c as u32 - '०' as u32),
        '๐'..='๙' => Some(c as u32 - '๐' as u32),
        '০'..='৯' => Some(c as u32 - '০' as u32),
        _ => None,
    }
}

fn is_unit(c: char) -> bool {
    matches!(c, '年' | '月' | '日' | '号' | '년' | '월' | '일')
}

fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{652}' | '\u{900}'..='\u{94f}' | '\u{981}'..='\u{983}' | '\u{9bc}'..='\u{9d7}' | '\u{e31}' | '\u{e34}'..='\u{e4e}')
}

/// The number of each month by its names: words are looked up by the thousand.
static MONTH_NAMES: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
    let mut names = HashMap::new();
    for (month, words) in (1..).zip(MONTHS) {
        for name in words.split(' ') {
            names.entry(name).or_insert(month);
        }
    }
    names
});

fn word(word: &str) -> What {
    const FILLERS: &[&str] = &[
        "de", "del", "of", "the", "th", "st", "nd", "rd", "er", "d", "den", "ta", "r", "г", "i", "w", "a",
        "da", "di", "le", "el", "m", "ko", "ngày", "năm", "พ.ศ", "ค.ศ", "พ", "ค", "ศ",
    ];
    if word.len() > 40 {
        return What::Word;
    }
    let lower = word.to_lowercase();
    if let Some(month) = MONTH_NAMES.get(lower.as_str()) {
        return What::Month(*month);
    }
    match lower.as_str() {
        // "8 tháng 12 năm 2023": the number of the month follows.
        "tháng" => What::Unit('月'),
        lower if lower.ends_with("平成") => What::Era(1988),
        lower if lower.ends_with("令和") => What::Era(2018),
        lower if FILLERS.contains(&lower) => What::Filler,
        _ => What::Word,
    }
}

/// A date that begins with the first token, and how many tokens it takes.
fn read(text: &str, tokens: &[Token], language: Option<&str>) -> Option<(Found, usize)> {
    let first = tokens.first()?;
    let make = |year: u32, month: u32, day: u32, used: usize| {
        // Thailand counts from 543 years earlier.
        let year = if (2500..2643).contains(&year) { year - 543 } else { year };
        let at = format!("{year:04}-{month:02}-{day:02}");
        let end = tokens[used - 1].range.end;
        is_day(&at).then_some((Found { at, range: first.range.start..end }, used))
    };
    if !matches!(first.what, What::Number(..) | What::Month(_) | What::Era(_)) {
        return None;
    }
    if let Some(found) = in_digits(text, tokens, language) {
        let ((year, month, day), used) = found;
        let (mut found, mut used) = make(year, month, day, used)?;
        if matches!(first.what, What::Number(_, 4))
            && let Some((clock, end)) = clock(text, found.range.end)
        {
            found.at.push_str(&clock);
            found.range.end = end;
            used = tokens.iter().take_while(|token| token.range.start < end).count();
        }
        return Some((found, used));
    }
    // As clocks print it: `Tue Feb 18 10:22:51 UTC 2014`.
    if let [month, day, _, colon, _, second, _, zone, rest @ ..] = tokens
        && let (What::Month(month), What::Number(day, 1..=2)) = (&month.what, &day.what)
        && (&colon.what, &second.what) == (&What::Mark(':'), &What::Mark(':'))
    {
        match (&zone.what, rest.first().map(|token| &token.what)) {
            (What::Number(year, 4), _) => return make(*year, *month, *day, 8),
            (What::Word, Some(What::Number(year, 4))) => return make(*year, *month, *day, 9),
            _ => {}
        }
    }
    // The parts in order, as far as they follow each other with nothing but fillers and punctuation between.
    let mut parts: Vec<(&What, usize)> = Vec::with_capacity(6);
    for (at, token) in tokens.iter().enumerate().take(12) {
        match &token.what {
            What::Filler | What::Mark('.' | ',' | '،' | '-' | '/' | '\'' | '’') => {}
            What::Word | What::Mark(_) => break,
            // "4 آذار/مارس 2019": the month by both of its names.
            part if matches!(part, What::Month(_)) && parts.last().is_some_and(|(last, _)| *last == part) => {
            }
            part => parts.push((part, at + 1)),
        }
        if parts.len() == 6 {
            break;
        }
    }
    let kinds: Vec<&What> = parts.iter().map(|(what, _)| *what).collect();
    let used = |count: usize| parts[count - 1].1;
    match kinds.as_slice() {
        [
            What::Number(year, 4),
            What::Unit('年' | '년'),
            What::Number(month, 1..=2),
            What::Unit('月' | '월'),
            What::Number(day, 1..=2),
            ..,
        ] => make(*year, *month, *day, used(5)),
        [What::Number(day, 1..=2), What::Month(month), What::Number(year, 4), ..]
        | [What::Month(month), What::Number(day, 1..=2), What::Number(year, 4), ..]
        | [What::Number(year, 4), What::Month(month), What::Number(day, 1..=2), ..] => {
            make(*year, *month, *day, used(3))
        }
        [
            What::Number(day, 1..=2),
            What::Unit('月'),
            What::Number(month, 1..=2),
            What::Number(year, 4),
            ..,
        ] => make(*year, *month, *day, used(4)),
        [What::Number(day, 1..=2), What::Month(month), What::Number(year, 2), ..] => {
            make(2000 + *year, *month, *day, used(3))
        }
        [What::Month(month), What::Number(day, 1..=2), What::Number(year, 2), ..]
            if text[..tokens[used(3) - 1].range.start].ends_with(['\'', '’']) =>
        {
            make(2000 + *year, *month, *day, used(3))
        }
        [
            What::Era(before),
            What::Number(nth, 1..=2),
            What::Unit('年'),
            What::Number(month, 1..=2),
            What::Unit('月'),
            What::Number(day, 1..=2),
        ] => make(*before + *nth, *month, *day, used(6)),
        [
            What::Number(month, 1..=2),
            What::Unit('月'),
            What::Number(day, 1..=2),
            What::Unit('日'),
            What::Number(year, 4),
            ..,
        ] => make(*year, *month, *day, used(5)),
        // A box with the year above the day: "2026 11/15".
        [What::Number(year, 4), What::Number(month, 2), What::Number(day, 2), ..]
            if is_boxed(text, &tokens[..used(3)]) =>
        {
            make(*year, *month, *day, used(3))
        }
        _ => None,
    }
}

/// A year, white space, two numbers with a mark between.
fn is_boxed(text: &str, tokens: &[Token]) -> bool {
    let [year, month, mark, day] = tokens else { return false };
    matches!(mark.what, What::Mark('/' | '-' | '.'))
        && text[year.range.end..month.range.start].starts_with(char::is_whitespace)
        && month.range.end == mark.range.start
        && mark.range.end == day.range.start
}

/// `2026-11-15`, `15.11.2026`, `15. 11. 2026`, `11/15/2026`, `2026/11/15`.
fn in_digits(text: &str, tokens: &[Token], language: Option<&str>) -> Option<((u32, u32, u32), usize)> {
    let [a, first, b, second, c, ..] = tokens else { return None };
    let (What::Number(x, x_digits), What::Number(y, y_digits @ 1..=2), What::Number(z, z_digits)) =
        (&a.what, &b.what, &c.what)
    else {
        return None;
    };
    let (What::Mark(mark @ ('-' | '.' | '/' | '‑' | '–' | '·' | '．' | '／')), true) =
        (&first.what, first.what == second.what)
    else {
        return None;
    };
    let close = |left: &Token, right: &Token| right.range.start - left.range.end <= usize::from(*mark == '.');
    if !(close(a, first) && close(first, b) && close(b, second) && close(second, c)) {
        return None;
    }
    // Version numbers and addresses go on, and some write the time of day so.
    let is_clock = || {
        let rest = &text.as_bytes()[c.range.end..];
        *x_digits == 4 && matches!(rest, [b'-', b'0'..=b'2', b'0'..=b'9', b':', b'0'..=b'5', ..])
    };
    if !is_clock()
        && text[c.range.end..].starts_with(*mark)
        && text[c.range.end + mark.len_utf8()..].starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    match (x_digits, z_digits) {
        (4, 1..=2) => Some(((*x, *y, *z), 5)),
        (1..=2, 4) => {
            let is_american = *mark == '/' || *mark == '-' && is_before_noon_or_after(&text[c.range.end..]);
            let day_first = *x > 12 || *y <= 12 && !(is_american && is_month_first(language));
            let (day, month) = if day_first { (*x, *y) } else { (*y, *x) };
            Some(((*z, month, day), 5))
        }
        // Versions seldom have two digits everywhere.
        (2, 2) if *y_digits == 2 && is_year_first(language) => Some(((2000 + *x, *y, *z), 5)),
        (2, 2) if *y_digits == 2 && *mark == '.' => Some(((2000 + *z, *y, *x), 5)),
        // With one digit they may be parts of something, unless they stand alone or before the time of day.
        (1..=2, 2) if *mark == '/' && (*x_digits == 2 && *y_digits == 2 || is_alone(text, a, c)) => {
            let day_first = *x > 12 || *y <= 12 && !is_month_first(language);
            let (day, month) = if day_first { (*x, *y) } else { (*y, *x) };
            Some(((2000 + *z, month, day), 5))
        }
        _ => None,
    }
}

/// Whether the time of day follows as Americans write it: `, 08:00 AM`.
fn is_before_noon_or_after(rest: &str) -> bool {
    let rest = rest.trim_start_matches([',', ' ', '\u{a0}']);
    let clock = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b':').count();
    let half = rest[clock..].trim_start().as_bytes();
    clock >= 4 && matches!(half, [b'a' | b'A' | b'p' | b'P', b'm' | b'M', ..])
}

/// Whether nothing stands around a date but the time of day after it.
fn is_alone(text: &str, first: &Token, last: &Token) -> bool {
    let rest = text[last.range.end..].trim_start_matches([',', ' ', '\u{a0}']);
    let hours = rest.bytes().take_while(u8::is_ascii_digit).count();
    let is_clock = (1..=2).contains(&hours) && rest[hours..].starts_with(':');
    is_clock || rest.trim_end().is_empty() && text[..first.range.start].trim_start().is_empty()
}

/// English without a country is American more often than not.
fn is_month_first(language: Option<&str>) -> bool {
    let tag = language.unwrap_or("en").to_ascii_lowercase().replace('_', "-");
    matches!(tag.as_str(), "en" | "en-us" | "en-ph" | "es-us")
}

/// Where the day comes last, even when the year is short.
fn is_year_first(language: Option<&str>) -> bool {
    let primary = language.and_then(|tag| tag.get(..2)).unwrap_or_default().to_ascii_lowercase();
    matches!(primary.as_str(), "zh" | "ja" | "ko" | "hu")
}

/// The time of day and zone that follow at once, as ISO writes them.
fn clock(text: &str, from: usize) -> Option<(String, usize)> {
    let rest = text.get(from..)?.as_bytes();
    let number = |at: usize| -> Option<u32> {
        let (tens, ones) = (rest.get(at)?, rest.get(at + 1)?);
        (tens.is_ascii_digit() && ones.is_ascii_digit())
            .then(|| u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
    };
    if !matches!(rest.first(), Some(b'T' | b't' | b' ')) || rest.get(3) != Some(&b':') {
        return None;
    }
    let (hour, minute) = (number(1)?, number(4)?);
    let mut at = 6;
    let mut second = 0;
    if rest.get(6) == Some(&b':')
        && let Some(seconds) = number(7)
    {
        second = seconds;
        at = 9;
        if rest.get(9) == Some(&b'.') {
            at = 10 + rest[10..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        }
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut clock = format!("T{hour:02}:{minute:02}:{second:02}");
    // `12:30:05 +0100`, `12:30:05 UTC`; without seconds it may be the end of a span of time.
    if let Some(b' ') = rest.get(at).filter(|_| at > 6) {
        at += usize::from(matches!(rest.get(at + 1), Some(b'Z' | b'+' | b'-')));
        if rest[at + 1..].starts_with(b"UTC") || rest[at + 1..].starts_with(b"GMT") {
            return Some((clock + "Z", from + at + 4));
        }
    }
    match rest.get(at) {
        Some(b'Z' | b'z') => {
            clock.push('Z');
            at += 1;
        }
        Some(sign @ (b'+' | b'-')) => {
            if let Some(hours) = number(at + 1).filter(|hours| *hours <= 15) {
                let colon = usize::from(rest.get(at + 3) == Some(&b':'));
                let minutes = number(at + 3 + colon).filter(|minutes| *minutes < 60);
                clock.push(char::from(*sign));
                clock.push_str(&format!("{hours:02}:{:02}", minutes.unwrap_or(0)));
                at += 3 + minutes.map_or(0, |_| colon + 2);
            }
        }
        _ => {}
    }
    Some((clock, from + at))
}

/// Whether `2026-11-15` is in the calendar.
fn is_day(day: &str) -> bool {
    let part = |range: Range<usize>| day.get(range).and_then(|part| part.parse::<u32>().ok());
    let (Some(year), Some(month), Some(day)) = (part(0..4), part(5..7), part(8..10)) else { return false };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    YEARS.contains(&year) && (1..=last).contains(&day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, language: Option<&str>, expected: &[&str]) {
        let found: Vec<String> = find(text, language).into_iter().map(|found| found.at).collect();
        assert_eq!(found, expected, "in {text:?}");
    }

    #[test]
    fn machine_dates_are_read() {
        check("2026-11-15", None, &["2026-11-15"]);
        check("2026-11-15T12:30:05.123+01:00", None, &["2026-11-15T12:30:05+01:00"]);
        check("2026-11-15 12:30", None, &["2026-11-15T12:30:00"]);
        check("2026-11-15T12:30Z", None, &["2026-11-15T12:30:00Z"]);
        check("2026-11-15 12:30:05 +0100", None, &["2026-11-15T12:30:05+01:00"]);
        check("2026-11-15 12:30:05 UTC", None, &["2026-11-15T12:30:05Z"]);
        check("2026-11-15 12:30:05 words", None, &["2026-11-15T12:30:05"]);
        check("2026-11-15 12:30 -14:00", None, &["2026-11-15T12:30:00"]);
        check("2026-11-15-12:30:00", None, &["2026-11-15"]);
        check("2026-11-15-12", None, &[]);
        check("Sun, 15 Nov 2026 12:30:00 GMT", None, &["2026-11-15"]);
        check("Sun Nov 15 12:30:00 UTC 2026", None, &["2026-11-15"]);
        check("Sun Nov 15 12:30:00 2026", None, &["2026-11-15"]);
        assert_eq!(value("20261115", None).as_deref(), Some("2026-11-15"));
        assert_eq!(value("20261399", None), None);
        assert_eq!(value("1794745805", None).as_deref(), Some("2026-11-15T12:30:05Z"));
        assert_eq!(value("1794745805123", None).as_deref(), Some("2026-11-15T12:30:05Z"));
        assert_eq!(value("9999999999", None), None);
        assert_eq!(value("179474580", None), None);
    }

    #[test]
    fn dates_are_read_in_many_languages() {
        for text in [
            "15 November 2026",
            "November 15th, 2026",
            "Sunday, Nov. 15, 2026",
            "15. November 2026",
            "le 15 novembre 2026",
            "15 de noviembre de 2026",
            "15 novembre 2026",
            "15 de novembro de 2026",
            "15 november 2026",
            "15 listopada 2026 r.",
            "15 ноября 2026 г.",
            "15. listopadu 2026",
            "15 Kasım 2026",
            "15 Νοεμβρίου 2026",
            "2026年11月15日",
            "2026년 11월 15일",
            "١٥ نوفمبر ٢٠٢٦",
            "2026. november 15.",
            "15. marraskuuta 2026",
            "15 नवंबर 2026",
            "१५ नवम्बर २०२६",
            "15 พฤศจิกายน 2569",
            "15 בנובמבר 2026",
            "ngày 15 tháng 11 năm 2026",
            "15 ноември 2026",
            "15 листопада 2026",
            "15.11.2026",
            "15. 11. 2026",
            "15.11.26",
            "15/11/2026",
            "11/15/2026",
            "15/11/26",
            "11/15/26",
            "15-Nov-26",
            "Nov 15 '26",
            "Ноябрь 15, 2026",
            "15. новембра 2026",
            "15 Νοέμβριος 2026",
            "15 ΝΟΕΜΒΡΙΟΥ 2026",
            "2026 m. lapkričio 15 d.",
            "2026ko azaroaren 15a",
            "15 نونبر 2026",
            "15 พ.ย. 2569",
            "15 নভেম্বর 2026",
            "১৫ নভেম্বর ২০২৬",
            "令和8年11月15日",
            "11月15日, 2026",
            "2026·11·15",
            "2026 11/15",
        ] {
            check(text, None, &["2026-11-15"]);
        }
    }

    #[test]
    fn what_may_hold_a_date_has_a_year() {
        for text in
            ["in 2026", "05.03.24", "05/03/24", "5/3/24", "5-Mar-24", "Mar 5 '24", "令和8年3月5日", "২০২৬"]
        {
            assert!(has_year(text), "{text}");
        }
        for text in ["", "12345", "120260", "24/7", "x-123", "chapter 24"] {
            assert!(!has_year(text), "{text}");
        }
    }

    #[test]
    fn the_language_decides_between_day_and_month() {
        check("3/4/2026", Some("en-US"), &["2026-03-04"]);
        check("3/4/2026", Some("en-GB"), &["2026-04-03"]);
        check("3/4/2026", Some("fr"), &["2026-04-03"]);
        check("3.4.2026", Some("en-US"), &["2026-04-03"]);
        check("03/04/26", Some("en-US"), &["2026-03-04"]);
        check("03/04/26", Some("fr"), &["2026-04-03"]);
        check("03-04-2026, 08:00 AM", None, &["2026-03-04"]);
        check("03-04-2026, 08:00", None, &["2026-04-03"]);
        check("8/17/26 11:04am", None, &["2026-08-17"]);
        check("3/4/26", Some("en-US"), &["2026-03-04"]);
        check("about 3/4/26", Some("en-US"), &[]);
        check("26.03.04", Some("ko"), &["2026-03-04"]);
        check("4 آذار/مارس 2026", Some("ar"), &["2026-03-04"]);
    }

    #[test]
    fn several_dates_keep_their_order() {
        check("Posted 3 May 2025, updated 2025-06-01", None, &["2025-05-03", "2025-06-01"]);
        check("versions 1.2.24 and 10.11.26.4", None, &[]);
        check("In 2026 3/4 of all, 2026 11:15, 24/7/26; then may 15 26", None, &[]);
        check("version 10.11.2026.4, 32 May 2026, 2026-02-30, May 2026, 1999", None, &[]);
    }

    #[test]
    fn a_day_is_followed_by_the_next() {
        assert_eq!(next_day("2026-11-15").as_deref(), Some("2026-11-16"));
        assert_eq!(next_day("2024-02-28").as_deref(), Some("2024-02-29"));
        assert_eq!(next_day("2026-12-31").as_deref(), Some("2027-01-01"));
        assert_eq!(next_day("soon"), None);
    }

    #[test]
    fn paths_may_hold_a_day() {
        let check =
            |path: &str, expected: Option<&str>| assert_eq!(in_path(path).as_deref(), expected, "{path}");
        check("/2026/11/15/title", Some("2026-11-15"));
        check("/news/2026-11-15-title.html", Some("2026-11-15"));
        check("/a/20261115.html", Some("2026-11-15"));
        check("/2026/nov/15/title", Some("2026-11-15"));
        check("/2026-Nov-5-title", Some("2026-11-05"));
        check("/n1/2026/1115/c1-2.html", Some("2026-11-15"));
        check("/c/2026-11/15/content_1.htm", Some("2026-11-15"));
        check("/2026/1315/title", None);
        check("/2026/11150/title", None);
        check("/2026/now/15/title", None);
        check("/2026/11/title", None);
        check("/item/202611150", None);
        check("/2026/13/45/", None);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "([0-9]{1,4}|[:/. T+-]|年|月|Nov|mai|\\PC){0,30}") {
            for found in find(&text, None) {
                prop_assert!(is_day(&found.at[..10]) && text.get(found.range).is_some());
            }
            let _ = (value(&text, Some("en")), in_path(&text), has_year(&text));
        }
    }
}
