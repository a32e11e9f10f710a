//! A site's hints to crawlers: `/.well-known/crawl-hints.json`, and the feed of changes that it may name.
//!
//! Reading is bounded and never fails loudly: what is not understood is as if not said. A hint can slow a
//! crawler or name URLs; nothing in it can lift a limit, so nothing here needs to be believed.
//! The form is described in `docs/crawl-hints.md`.

use std::time::Duration;

use model::Timestamp;
use serde_json::Value;

use crate::robots::VisitTime;

/// Where a site keeps its hints.
pub const HINTS_PATH: &str = "/.well-known/crawl-hints.json";

/// Bytes of a hints file; a longer one is not read.
pub const MOST_HINTS_BYTES: usize = 64 * 1024;

/// Bytes of a feed of changes; a longer one is not read.
pub const MOST_FEED_BYTES: usize = 1 << 20;

/// URLs taken from one feed; the others are left.
pub const MOST_CHANGES: usize = 10_000;

/// Slower than one request in this time nobody can ask us to be: robots.txt is there to keep crawlers out.
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 3600);

const VERSION: u64 = 1;
const DAY: u16 = 24 * 60;

/// What a site hints at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// How many URLs it has, by its own count.
    pub urls: Option<u64>,
    /// The pause between two requests that keeps to its rate.
    pub pause: Option<Duration>,
    /// When it wants to be visited.
    pub hours: Option<VisitTime>,
    /// Where it lists what changed, as written.
    pub changes: Option<String>,
}

/// A line of a feed of changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// As written.
    pub url: String,
    /// When it changed, as written.
    pub lastmod: Option<String>,
}

impl Hints {
    /// Reads a hints file; `None` when it is none of ours.
    pub fn parse(bytes: &[u8]) -> Option<Hints> {
        let file = version_1(bytes, MOST_HINTS_BYTES)?;
        let rate = &file["rate"];
        Some(Hints {
            urls: file["urls"].as_u64(),
            pause: rate["requests_per_second"].as_f64().and_then(pause),
            hours: hours(rate),
            changes: file["changes"].as_str().map(str::to_owned),
        })
    }

    /// The first moment from `now` on at which the site wants to be visited.
    pub fn next_visit(&self, now: Timestamp) -> Timestamp {
        self.hours.map_or(now, |hours| hours.next(now))
    }
}

/// Reads a feed of changes; `None` when it is none.
pub fn changes(bytes: &[u8]) -> Option<Vec<Change>> {
    let file = version_1(bytes, MOST_FEED_BYTES)?;
    let rows = file["changes"].as_array()?.iter().take(MOST_CHANGES);
    let change = |row: &Value| {
        let text = |name: &str| row[name].as_str().map(str::to_owned);
        Some(Change { url: text("url")?, lastmod: text("lastmod") })
    };
    Some(rows.filter_map(change).collect())
}

/// The JSON object of a file of our version.
fn version_1(bytes: &[u8], most: usize) -> Option<Value> {
    if bytes.len() > most {
        return None;
    }
    // The library refuses what is nested deeper than 128.
    let file: Value = serde_json::from_slice(bytes).ok()?;
    (file["version"].as_u64() == Some(VERSION)).then_some(file)
}

fn pause(per_second: f64) -> Option<Duration> {
    if !per_second.is_finite() || per_second <= 0.0 {
        return None;
    }
    let pause = Duration::try_from_secs_f64(1.0 / per_second).unwrap_or(LONGEST_PAUSE);
    Some(pause.min(LONGEST_PAUSE))
}

/// `"hours": "22:00-06:00"`, with `"time_zone": "UTC"` or an offset such as `"+02:00"`.
fn hours(rate: &Value) -> Option<VisitTime> {
    let (from, to) = rate["hours"].as_str()?.split_once('-')?;
    let (from, to) = (minute(from.trim())?, minute(to.trim())?);
    let east = match &rate["time_zone"] {
        Value::Null => 0,
        Value::String(zone) => offset(zone.trim())?,
        _ => return None,
    };
    if from % DAY == to % DAY {
        // Round the clock.
        return None;
    }
    let utc = |minute: u16| (i32::from(minute) - east).rem_euclid(i32::from(DAY)) as u16;
    // The end is the first minute outside.
    Some(VisitTime { from: utc(from), to: utc(to + DAY - 1) })
}

/// Minutes east of UTC.
fn offset(zone: &str) -> Option<i32> {
    if zone.eq_ignore_ascii_case("utc") || zone == "Z" {
        return Some(0);
    }
    let (sign, rest) = match zone.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    Some(sign * i32::from(minute(rest)?))
}

/// `06:30` as minutes of the day; `24:00` is its end.
fn minute(text: &str) -> Option<u16> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |text: &str| text.parse::<u16>().ok().filter(|_| text.len() == 2);
    match (number(hours)?, number(minutes)?) {
        (24, 0) => Some(DAY),
        (hours @ 0..=23, minutes @ 0..=59) => Some(hours * 60 + minutes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: u64 = 3_600_000;

    fn rate(text: &str) -> Hints {
        Hints::parse(format!(r#"{{"version":1,"rate":{text}}}"#).as_bytes()).expect("a hints file")
    }

    #[test]
    fn a_whole_file_is_understood() {
        let text = br#"{"version":1,"urls":1234,"changes":"/changes.json","later":[1],
            "rate":{"requests_per_second":2,"hours":"22:00-06:00","time_zone":"UTC"}}"#;
        let expected = Hints {
            urls: Some(1_234),
            pause: Some(Duration::from_millis(500)),
            hours: Some(VisitTime { from: 22 * 60, to: 6 * 60 - 1 }),
            changes: Some("/changes.json".to_owned()),
        };
        assert_eq!(Hints::parse(text), Some(expected));
    }

    #[test]
    fn what_is_not_ours_is_as_if_not_there() {
        let check = |text: &str| assert_eq!(Hints::parse(text.as_bytes()), None, "{text:.40}");
        check("");
        check("<html>");
        check("[]");
        check("1");
        check("{}");
        check(r#"{"version":2}"#);
        check(r#"{"version":"1"}"#);
        check(&format!("{}{}", "[".repeat(30_000), "]".repeat(30_000)));
        check(&format!(r#"{{"version":1,"x":"{}"}}"#, "y".repeat(MOST_HINTS_BYTES)));
    }

    #[test]
    fn a_rate_is_a_pause_of_a_day_at_most() {
        let check = |text: &str, millis: Option<u64>| {
            let found = rate(&format!(r#"{{"requests_per_second":{text}}}"#)).pause;
            assert_eq!(found, millis.map(Duration::from_millis), "{text}");
        };
        check("1000", Some(1));
        check("0.1", Some(10_000));
        check("1e-300", Some(86_400_000));
        check("1e300", Some(0));
        for odd in ["0", "-1", "\"2\"", "null", "[]"] {
            check(odd, None);
        }
    }

    #[test]
    fn hours_open_and_close_in_their_zone() {
        // Text and zone; an hour of the day in UTC; hours to wait.
        let check = |hours: &str, zone: &str, hour: u64, wait: u64| {
            let hints = rate(&format!(r#"{{"hours":"{hours}","time_zone":"{zone}"}}"#));
            let now = Timestamp(1_000 * 24 * HOUR + hour * HOUR);
            assert_eq!(hints.next_visit(now), Timestamp(now.0 + wait * HOUR), "{hours} {zone} at {hour}");
        };
        check("22:00-06:00", "UTC", 23, 0);
        check("22:00-06:00", "UTC", 5, 0);
        check("22:00-06:00", "UTC", 6, 16);
        check("22:00-06:00", "+02:00", 20, 0);
        check("22:00-06:00", "+02:00", 4, 16);
        check("22:00-06:00", "-05:00", 3, 0);
        check("00:00-24:00", "UTC", 12, 0);
        check("09:00-09:00", "UTC", 3, 0);
        for odd in ["", "9-17", "25:00-26:00", "09:60-10:00", "09:00", "09:00-x"] {
            check(odd, "UTC", 3, 0);
        }
        check("09:00-10:00", "Mars/North", 3, 0);
    }

    #[test]
    fn a_feed_names_urls_and_no_more_than_it_may() {
        let check = |text: &str, expected: Option<&[&str]>| {
            let found = changes(text.as_bytes());
            let urls = found.as_ref().map(|rows| rows.iter().map(|row| row.url.as_str()).collect::<Vec<_>>());
            assert_eq!(urls.as_deref(), expected, "{text:.60}");
        };
        check(
            r#"{"version":1,"changes":[{"url":"/a","lastmod":"2026-01-02"},{"url":"http://b/"},{"x":1},7]}"#,
            Some(&["/a", "http://b/"]),
        );
        check(r#"{"version":1,"changes":{}}"#, None);
        check(r#"{"changes":[]}"#, None);
        let many = r#"{"url":"/"},"#.repeat(MOST_CHANGES + 5);
        let many = format!(r#"{{"version":1,"changes":[{}]}}"#, many.trim_end_matches(','));
        assert_eq!(changes(many.as_bytes()).map(|rows| rows.len()), Some(MOST_CHANGES));
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_odd(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = (Hints::parse(&bytes), changes(&bytes));
        }

        #[test]
        fn no_hours_are_too_odd(hours in "[0-9:-]{0,12}", zone in "[+-]?[0-9:UTC]{0,6}", now: u64) {
            let hints = rate(&format!(r#"{{"hours":"{hours}","time_zone":"{zone}"}}"#));
            let next = hints.next_visit(Timestamp(now));
            prop_assert!(next.0 >= now && next.0 - now <= 24 * HOUR);
        }
    }
}
