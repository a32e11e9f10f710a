//! Spans of time as people write them: `30s`, `250ms`, `1h30m`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::ValueError;
use super::text::written_as_text;

/// A span of time in whole milliseconds. Where it is a limit, zero means none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

written_as_text!(Span, "time: 250ms, 30s, 5m, 1h30m, 2d");

/// Units from the longest down, in milliseconds.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// A hundred years: longer is a slip of the pen, and sums with a clock must not overflow.
const LONGEST: u64 = 36_525 * 86_400_000;

impl Span {
    /// From whole milliseconds.
    pub const fn from_millis(millis: u64) -> Span {
        Span(millis)
    }

    /// From whole seconds.
    pub const fn from_secs(seconds: u64) -> Span {
        Span(seconds.saturating_mul(1_000))
    }

    /// As the standard library counts time.
    pub const fn duration(self) -> Duration {
        Duration::from_millis(self.0)
    }

    /// True for zero, which as a limit means none.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The span as a limit: none for zero.
    pub fn limit(self) -> Option<Duration> {
        (self.0 > 0).then(|| self.duration())
    }
}

impl From<Span> for Duration {
    fn from(span: Span) -> Duration {
        span.duration()
    }
}

impl FromStr for Span {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Span, ValueError> {
        let refuse = |hint: &str| ValueError::new(text, "span of time", hint);
        if text == "0" {
            return Ok(Span(0));
        }
        let mut rest = text;
        let mut total: u64 = 0;
        while !rest.is_empty() || total == 0 && text.is_empty() {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, tail) = rest.split_at(digits);
            let letters = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
            let (unit, tail) = tail.split_at(letters);
            let (_, millis) = UNITS
                .iter()
                .find(|(name, _)| *name == unit && digits > 0)
                .ok_or_else(|| refuse("write 250ms, 30s, 5m, 1h30m or 2d"))?;
            let number: u64 = number.parse().map_err(|_| refuse("it is too long"))?;
            total = number
                .checked_mul(*millis)
                .and_then(|part| total.checked_add(part))
                .filter(|total| *total <= LONGEST)
                .ok_or_else(|| refuse("it is too long"))?;
            rest = tail;
        }
        Ok(Span(total))
    }
}

/// In the longest unit that gives a whole number: `90s`, `2h`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|(_, millis)| self.0 > 0 && self.0.is_multiple_of(*millis)) {
            Some((unit, millis)) => write!(f, "{}{unit}", self.0 / millis),
            None => f.write_str("0"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::{check, check_refused};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spans_print_in_the_longest_whole_unit() {
        check::<Span>("30s", "30s");
        check::<Span>("60m", "1h");
        check::<Span>("1h30m", "90m");
        check::<Span>("250ms", "250ms");
        check::<Span>("48h", "2d");
        check::<Span>("0", "0");
        check::<Span>("0s", "0");
    }

    #[test]
    fn a_span_without_unit_is_refused() {
        let hint = "write 250ms, 30s, 5m, 1h30m or 2d";
        check_refused::<Span>("30", &format!("\"30\" is no span of time; {hint}"));
        check_refused::<Span>("", &format!("\"\" is no span of time; {hint}"));
        check_refused::<Span>("s", &format!("\"s\" is no span of time; {hint}"));
        check_refused::<Span>("1.5s", &format!("\"1.5s\" is no span of time; {hint}"));
        check_refused::<Span>("-1s", &format!("\"-1s\" is no span of time; {hint}"));
        check_refused::<Span>("99999999d", "\"99999999d\" is no span of time; it is too long");
    }

    proptest! {
        #[test]
        fn a_span_reads_back_as_printed(millis in 0..LONGEST) {
            prop_assert_eq!(Span(millis).to_string().parse::<Span>(), Ok(Span(millis)));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "[0-9dhms.]{0,12}|\\PC{0,20}") {
            if let Ok(span) = text.parse::<Span>() {
                prop_assert_eq!(span.to_string().parse::<Span>(), Ok(span));
            }
        }
    }
}
