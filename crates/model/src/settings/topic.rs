//! What a crawl is about: how relevance is measured, and what becomes of pages that are off topic.

use std::fmt;
use std::str::FromStr;

use super::ValueError;
use super::text::written_as_text;

/// How the relevance of a page is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TopicMethod {
    /// By likeness to the example texts where there are any, else by counts.
    #[default]
    Auto,
    /// Matches of the topic's words in title and text, for each word.
    Counts,
    /// The same fraction the other way up, as its paper prints it.
    S4Printed,
    /// Likeness to the example texts.
    Profile,
}

/// What becomes of pages that are off topic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OffTopic {
    /// They are kept like others.
    #[default]
    Keep,
    /// They are kept, and marked so that search indexes and sitemaps leave them out.
    Mark,
}

/// A number from 0 to 1,000,000 with up to three decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor(u32);

impl Factor {
    /// Of thousandths.
    pub const fn from_thousandths(thousandths: u32) -> Factor {
        Factor(thousandths)
    }

    /// The number.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 1e3
    }
}

written_as_text!(TopicMethod, "auto, counts, s4-printed or profile");
written_as_text!(OffTopic, "keep or mark");
written_as_text!(Factor, "a number such as 0.5");

impl FromStr for TopicMethod {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<TopicMethod, ValueError> {
        match text {
            "auto" => Ok(TopicMethod::Auto),
            "counts" => Ok(TopicMethod::Counts),
            "s4-printed" => Ok(TopicMethod::S4Printed),
            "profile" => Ok(TopicMethod::Profile),
            _ => Err(ValueError::new(
                text,
                "measure of relevance",
                "write auto, counts, s4-printed or profile",
            )),
        }
    }
}

impl fmt::Display for TopicMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TopicMethod::Auto => "auto",
            TopicMethod::Counts => "counts",
            TopicMethod::S4Printed => "s4-printed",
            TopicMethod::Profile => "profile",
        })
    }
}

impl FromStr for OffTopic {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<OffTopic, ValueError> {
        match text {
            "keep" => Ok(OffTopic::Keep),
            "mark" => Ok(OffTopic::Mark),
            _ => Err(ValueError::new(text, "way to treat pages off topic", "write keep or mark")),
        }
    }
}

impl fmt::Display for OffTopic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OffTopic::Keep => "keep",
            OffTopic::Mark => "mark",
        })
    }
}

impl FromStr for Factor {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Factor, ValueError> {
        let number: Option<f64> = text.parse().ok();
        match number.filter(|number| (0.0..=1e6).contains(number)) {
            Some(number) => Ok(Factor((number * 1e3).round() as u32)),
            None => Err(ValueError::new(text, "number", "write one from 0 to 1000000, such as 0.5")),
        }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value())
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::{check, check_refused};
    use super::*;

    #[test]
    fn settings_of_topics_read_back_as_written() {
        for text in ["auto", "counts", "s4-printed", "profile"] {
            check::<TopicMethod>(text, text);
        }
        for text in ["keep", "mark"] {
            check::<OffTopic>(text, text);
        }
        for (text, printed) in [("2", "2"), ("0.15", "0.15"), ("1e3", "1000"), ("0.0004", "0")] {
            check::<Factor>(text, printed);
        }
    }

    #[test]
    fn words_that_are_no_setting_of_topics_are_refused() {
        let hint = "write auto, counts, s4-printed or profile";
        check_refused::<TopicMethod>("bm25", &format!("\"bm25\" is no measure of relevance; {hint}"));
        check_refused::<OffTopic>("drop", "\"drop\" is no way to treat pages off topic; write keep or mark");
        for text in ["-1", "nan", "inf", "", "much"] {
            let words = format!("{text:?} is no number; write one from 0 to 1000000, such as 0.5");
            check_refused::<Factor>(text, &words);
        }
    }
}
