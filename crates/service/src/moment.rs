//! Moments as people and scripts read and write them: RFC 3339 in UTC, or a date.

use std::fmt;
use std::str::FromStr;

use model::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment, written `2026-11-15T08:45:19.123Z`; a date alone is its midnight in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub Timestamp);

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Moment, String> {
        let moment = text.parse::<jiff::Timestamp>().ok().or_else(|| {
            let date: jiff::civil::DateTime = text.parse().ok()?;
            Some(date.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
        });
        let millis = moment.and_then(|moment| u64::try_from(moment.as_millisecond()).ok());
        millis.map(|millis| Moment(Timestamp(millis))).ok_or_else(|| {
            format!("{text:?} is no time; write 2026-11-15, 2026-11-15T08:00 or 2026-11-15T08:00:00Z (UTC)")
        })
    }
}

impl Moment {
    /// The last moment of the day that a date names: of one written without a time.
    pub(crate) fn end_of_day(self) -> Moment {
        const DAY: u64 = 86_400_000;
        let is_midnight = self.0.0.is_multiple_of(DAY);
        if is_midnight { Moment(Timestamp(self.0.0.saturating_add(DAY - 1))) } else { self }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Timestamp> for Moment {
    fn from(at: Timestamp) -> Moment {
        Moment(at)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Moment, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, millis: Option<u64>) {
        assert_eq!(text.parse::<Moment>().ok(), millis.map(|millis| Moment(Timestamp(millis))), "{text}");
    }

    #[test]
    fn times_and_dates_are_read_in_utc() {
        check("1970-01-02", Some(86_400_000));
        check("1970-01-01T00:01", Some(60_000));
        check("1970-01-01T01:00:00+01:00", Some(0));
        check("1970-01-01T00:00:00.250Z", Some(250));
        check("1969-12-31", None);
        check("yesterday", None);
        check("", None);
    }

    #[test]
    fn a_date_lasts_until_its_end() {
        let check = |text: &str, millis: u64| {
            assert_eq!(text.parse::<Moment>().unwrap().end_of_day(), Moment(Timestamp(millis)), "{text}");
        };
        check("1970-01-02", 2 * 86_400_000 - 1);
        check("1970-01-02T08:00", 86_400_000 + 8 * 3_600_000);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let moment = Moment(Timestamp(1_763_196_319_123));
        assert_eq!(serde_json::from_str::<Moment>(&serde_json::to_string(&moment).unwrap()).unwrap(), moment);
    }
}
