//! Numbers of bytes as people write them: `4MiB`, `1GB`.

use std::fmt;
use std::str::FromStr;

use super::ValueError;
use super::text::written_as_text;

/// A number of bytes. Where it is a limit, zero means none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(u64);

written_as_text!(Size, "size: 512KiB, 4MiB, 1GB");

/// Units from the largest down; powers of 1024 first, as the shorter text wins and they win ties.
const UNITS: [(&str, u64); 9] = [
    ("TiB", 1 << 40),
    ("TB", 1_000_000_000_000),
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("KB", 1_000),
    ("B", 1),
];

impl Size {
    /// From a number of bytes.
    pub const fn from_bytes(bytes: u64) -> Size {
        Size(bytes)
    }

    /// The number of bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// The size as a limit: none for zero.
    pub fn limit(self) -> Option<u64> {
        (self.0 > 0).then_some(self.0)
    }
}

impl FromStr for Size {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Size, ValueError> {
        let refuse = |hint: &str| ValueError::new(text, "size", hint);
        if text == "0" {
            return Ok(Size(0));
        }
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = &text[..text.len() - unit.len()];
        let (_, bytes) = UNITS
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(unit) && !number.is_empty())
            .ok_or_else(|| refuse("write 512KiB, 4MiB or 1GB"))?;
        let number: u64 = number.parse().map_err(|_| refuse("it is too large"))?;
        number.checked_mul(*bytes).map(Size).ok_or_else(|| refuse("it is too large"))
    }
}

/// In the unit that gives the shortest whole number.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fitting = UNITS.iter().filter(|(_, bytes)| self.0 > 0 && self.0.is_multiple_of(*bytes));
        match fitting.min_by_key(|(_, bytes)| self.0 / bytes) {
            Some((unit, bytes)) => write!(f, "{}{unit}", self.0 / bytes),
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
    fn sizes_print_in_the_shortest_whole_unit() {
        check::<Size>("4MiB", "4MiB");
        check::<Size>("4096kib", "4MiB");
        check::<Size>("1GB", "1GB");
        check::<Size>("1500kB", "1500KB");
        check::<Size>("17B", "17B");
        check::<Size>("0", "0");
        check::<Size>("128000B", "125KiB");
    }

    #[test]
    fn a_size_without_unit_is_refused() {
        check_refused::<Size>("4", "\"4\" is no size; write 512KiB, 4MiB or 1GB");
        check_refused::<Size>("MiB", "\"MiB\" is no size; write 512KiB, 4MiB or 1GB");
        check_refused::<Size>("4 MiB", "\"4 MiB\" is no size; write 512KiB, 4MiB or 1GB");
        check_refused::<Size>("99999999999TiB", "\"99999999999TiB\" is no size; it is too large");
    }

    proptest! {
        #[test]
        fn a_size_reads_back_as_printed(bytes: u64) {
            prop_assert_eq!(Size(bytes).to_string().parse::<Size>(), Ok(Size(bytes)));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "[0-9]{0,22}[KMGTiB]{0,3}|\\PC{0,20}") {
            if let Ok(size) = text.parse::<Size>() {
                prop_assert_eq!(size.to_string().parse::<Size>(), Ok(size));
            }
        }
    }
}
