//! Revisits: which pages are asked for again, and when.

use std::fmt;
use std::str::FromStr;

use super::ValueError;
use super::text::written_as_text;

/// Which pages a refresh asks for again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Revisit {
    /// None: only what is new is fetched.
    Off,
    /// All.
    #[default]
    All,
    /// Those last asked for a fixed time ago.
    Fixed,
    /// Each after a time of its own, longer when nothing has changed, shorter when something has.
    Adaptive,
    /// Those that keep the whole as fresh as can be with so many fetches a day.
    Optimal,
}

/// When pages are asked for again; times in days.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RevisitSettings {
    /// Which pages.
    pub policy: Revisit,
    /// The fixed interval, or the first.
    pub every: f64,
    /// Fetches a day.
    pub budget: f64,
    /// The shortest interval.
    pub least: f64,
    /// The longest.
    pub most: f64,
}

written_as_text!(Revisit, "off, all, fixed, adaptive or optimal");

impl FromStr for Revisit {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Revisit, ValueError> {
        match text {
            "off" => Ok(Revisit::Off),
            "all" => Ok(Revisit::All),
            "fixed" => Ok(Revisit::Fixed),
            "adaptive" => Ok(Revisit::Adaptive),
            "optimal" => Ok(Revisit::Optimal),
            _ => Err(ValueError::new(text, "way to revisit", "write off, all, fixed, adaptive or optimal")),
        }
    }
}

impl fmt::Display for Revisit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Revisit::Off => "off",
            Revisit::All => "all",
            Revisit::Fixed => "fixed",
            Revisit::Adaptive => "adaptive",
            Revisit::Optimal => "optimal",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::{check, check_refused};
    use super::*;

    #[test]
    fn ways_to_revisit_read_back_as_written() {
        for text in ["off", "all", "fixed", "adaptive", "optimal"] {
            check::<Revisit>(text, text);
        }
        check_refused::<Revisit>(
            "weekly",
            "\"weekly\" is no way to revisit; write off, all, fixed, adaptive or optimal",
        );
    }
}
