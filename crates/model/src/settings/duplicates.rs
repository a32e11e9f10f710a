//! Duplicates: how they are found, and what is done with them.

use std::fmt;
use std::str::FromStr;

use super::ValueError;
use super::text::written_as_text;

/// Which pages count as duplicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Duplicates {
    /// None are looked for.
    Off,
    /// Those with exactly the same main text.
    #[default]
    Exact,
    /// Those that share most of it.
    Winnowing,
    /// Those that share most of their words, whatever the order.
    Keywords,
}

/// What is done with duplicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DuplicateAct {
    /// They are not searched, and their links not followed.
    Skip,
    /// Their links are not followed.
    SkipLinks,
    /// They are not searched: one of each group is.
    SkipIndexing,
    /// They are only marked.
    #[default]
    Mark,
}

/// Which pages count as duplicates, and what is done with them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuplicateSettings {
    /// How they are found.
    pub method: Duplicates,
    /// Winnowing: K.
    pub gram: u32,
    /// Winnowing: W.
    pub window: u32,
    /// How alike near duplicates are at least, 0 to 1.
    pub threshold: f64,
    /// The same where both texts are long.
    pub threshold_of_long: f64,
    /// What is done with exact ones.
    pub exact: DuplicateAct,
    /// What is done with near ones.
    pub near: DuplicateAct,
}

written_as_text!(Duplicates, "off, exact, winnowing or keywords");
written_as_text!(DuplicateAct, "skip, skip-links, skip-indexing or mark");

impl DuplicateAct {
    /// Links of duplicates are not followed.
    pub fn skips_links(self) -> bool {
        matches!(self, DuplicateAct::Skip | DuplicateAct::SkipLinks)
    }

    /// Duplicates are not searched.
    pub fn skips_indexing(self) -> bool {
        matches!(self, DuplicateAct::Skip | DuplicateAct::SkipIndexing)
    }
}

impl FromStr for Duplicates {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Duplicates, ValueError> {
        match text {
            "off" => Ok(Duplicates::Off),
            "exact" => Ok(Duplicates::Exact),
            "winnowing" => Ok(Duplicates::Winnowing),
            "keywords" => Ok(Duplicates::Keywords),
            _ => Err(ValueError::new(
                text,
                "way to find duplicates",
                "write off, exact, winnowing or keywords",
            )),
        }
    }
}

impl fmt::Display for Duplicates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Duplicates::Off => "off",
            Duplicates::Exact => "exact",
            Duplicates::Winnowing => "winnowing",
            Duplicates::Keywords => "keywords",
        })
    }
}

impl FromStr for DuplicateAct {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<DuplicateAct, ValueError> {
        match text {
            "skip" => Ok(DuplicateAct::Skip),
            "skip-links" => Ok(DuplicateAct::SkipLinks),
            "skip-indexing" => Ok(DuplicateAct::SkipIndexing),
            "mark" => Ok(DuplicateAct::Mark),
            _ => Err(ValueError::new(
                text,
                "way to treat duplicates",
                "write skip, skip-links, skip-indexing or mark",
            )),
        }
    }
}

impl fmt::Display for DuplicateAct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DuplicateAct::Skip => "skip",
            DuplicateAct::SkipLinks => "skip-links",
            DuplicateAct::SkipIndexing => "skip-indexing",
            DuplicateAct::Mark => "mark",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::{check, check_refused};
    use super::*;

    #[test]
    fn ways_to_find_and_treat_duplicates_read_back_as_written() {
        for text in ["off", "exact", "winnowing", "keywords"] {
            check::<Duplicates>(text, text);
        }
        for text in ["skip", "skip-links", "skip-indexing", "mark"] {
            check::<DuplicateAct>(text, text);
        }
        check_refused::<Duplicates>(
            "near",
            "\"near\" is no way to find duplicates; write off, exact, winnowing or keywords",
        );
        check_refused::<DuplicateAct>(
            "drop",
            "\"drop\" is no way to treat duplicates; write skip, skip-links, skip-indexing or mark",
        );
    }
}
