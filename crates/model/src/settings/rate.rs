//! How often a host may be asked: `1/s`, `30/m`, `unlimited`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::ValueError;
use super::text::written_as_text;

/// Requests per second, minute or hour at one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rate {
    /// As fast as the host answers.
    Unlimited,
    /// So many requests in each period.
    Per {
        /// Requests, at least one.
        requests: u32,
        /// In which time.
        period: Period,
    },
}

/// What a rate counts requests in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Period {
    /// `/s`
    Second,
    /// `/m`
    Minute,
    /// `/h`
    Hour,
}

written_as_text!(Rate, "rate: 1/s, 50/s, 30/m, unlimited");

impl Rate {
    /// The time between the starts of two requests; zero when unlimited. Rounded up: never faster than asked.
    pub fn gap(self) -> Duration {
        match self {
            Rate::Unlimited => Duration::ZERO,
            Rate::Per { requests, period } => {
                let nanos = period.duration().as_nanos().div_ceil(u128::from(requests.max(1)));
                Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
            }
        }
    }
}

impl Period {
    fn duration(self) -> Duration {
        Duration::from_secs(match self {
            Period::Second => 1,
            Period::Minute => 60,
            Period::Hour => 3_600,
        })
    }
}

impl FromStr for Rate {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Rate, ValueError> {
        let refuse = || ValueError::new(text, "rate", "write 1/s, 50/s, 30/m or unlimited");
        if text == "unlimited" {
            return Ok(Rate::Unlimited);
        }
        let (requests, period) = text.split_once('/').ok_or_else(refuse)?;
        let period = match period {
            "s" => Period::Second,
            "m" => Period::Minute,
            "h" => Period::Hour,
            _ => return Err(refuse()),
        };
        // `parse` would take a plus sign.
        if !requests.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(refuse());
        }
        match requests.parse() {
            Ok(requests) if requests > 0 => Ok(Rate::Per { requests, period }),
            _ => Err(refuse()),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rate::Unlimited => f.write_str("unlimited"),
            Rate::Per { requests, period: Period::Second } => write!(f, "{requests}/s"),
            Rate::Per { requests, period: Period::Minute } => write!(f, "{requests}/m"),
            Rate::Per { requests, period: Period::Hour } => write!(f, "{requests}/h"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::{check, check_refused};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rates_read_back_as_written() {
        for text in ["1/s", "50/s", "30/m", "6/h", "unlimited"] {
            check::<Rate>(text, text);
        }
    }

    #[test]
    fn a_rate_is_a_gap_between_requests() {
        let gap = |text: &str| text.parse::<Rate>().unwrap().gap();
        assert_eq!(gap("1/s"), Duration::from_secs(1));
        assert_eq!(gap("50/s"), Duration::from_millis(20));
        assert_eq!(gap("30/m"), Duration::from_secs(2));
        assert_eq!(gap("3/s"), Duration::from_nanos(333_333_334));
        assert_eq!(gap("unlimited"), Duration::ZERO);
    }

    #[test]
    fn no_rate_is_refused_without_saying_how_to_write_one() {
        for text in ["5x", "", "0/s", "1/d", "+1/s", "-1/s", "1.5/s", "99999999999/s", "fast"] {
            let words = format!("{text:?} is no rate; write 1/s, 50/s, 30/m or unlimited");
            check_refused::<Rate>(text, &words);
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "[0-9]{0,12}/[smh]|\\PC{0,20}") {
            if let Ok(rate) = text.parse::<Rate>() {
                prop_assert_eq!(rate.to_string().parse::<Rate>(), Ok(rate));
            }
        }
    }
}
