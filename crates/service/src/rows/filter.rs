//! Conditions on a column's value, and the order of values.
//!
//! Numbers compare as numbers where both sides are numbers; all else as text, which orders dates as they are
//! written. A list meets a condition when one of its values does. Empty values come last in either direction.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use model::Value;
use serde::{Deserialize, Serialize};

/// `price<50`: a column, a test, and what to test against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Condition {
    /// The column's name.
    pub column: String,
    /// The test.
    pub test: Test,
    /// Against this; nothing for the tests of emptiness.
    pub value: String,
    number: Option<f64>,
    folded: String,
}

/// What is asked of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// `=`
    Is,
    /// `!=`
    IsNot,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `~`: the text has these words in it, in any case.
    Contains,
    /// `!~`
    ContainsNot,
    /// `NAME empty`
    Empty,
    /// `NAME not empty`
    NotEmpty,
}

/// A column to sort by; `-price` begins with the largest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub struct SortBy {
    /// The column's name.
    pub column: String,
    /// Largest first.
    pub descending: bool,
}

/// Signs of tests, the longer ones before those they begin with.
const SIGNS: [(&str, Test); 8] = [
    ("!=", Test::IsNot),
    ("!~", Test::ContainsNot),
    ("<=", Test::AtMost),
    (">=", Test::AtLeast),
    ("=", Test::Is),
    ("<", Test::Less),
    (">", Test::More),
    ("~", Test::Contains),
];

impl Condition {
    /// A condition.
    pub fn new(column: &str, test: Test, value: &str) -> Condition {
        let number = number_in(value);
        let folded = value.to_lowercase();
        Condition { column: column.to_owned(), test, value: value.to_owned(), number, folded }
    }

    /// Whether a value meets it.
    pub fn holds(&self, value: &Value) -> bool {
        match self.test {
            Test::Empty => value.is_empty(),
            Test::NotEmpty => !value.is_empty(),
            Test::IsNot => !self.any(value, &|ordering| ordering == Ordering::Equal),
            Test::Is => self.any(value, &|ordering| ordering == Ordering::Equal),
            Test::Less => self.any(value, &|ordering| ordering == Ordering::Less),
            Test::AtMost => self.any(value, &|ordering| ordering != Ordering::Greater),
            Test::More => self.any(value, &|ordering| ordering == Ordering::Greater),
            Test::AtLeast => self.any(value, &|ordering| ordering != Ordering::Less),
            Test::Contains => self.contains(value),
            Test::ContainsNot => !self.contains(value),
        }
    }

    /// The same for the tests that compare, of a single value that is not empty: its number, if it has one, and its
    /// text, which is not looked at when ours is a number.
    pub(crate) fn holds_for(&self, number: Option<f64>, text: &str) -> bool {
        let ordering = self.compare_parts(number, text);
        match self.test {
            Test::Is => ordering == Some(Ordering::Equal),
            Test::IsNot => ordering != Some(Ordering::Equal),
            Test::Less => ordering == Some(Ordering::Less),
            Test::AtMost => ordering.is_some_and(Ordering::is_le),
            Test::More => ordering == Some(Ordering::Greater),
            Test::AtLeast => ordering.is_some_and(Ordering::is_ge),
            Test::Contains | Test::ContainsNot | Test::Empty | Test::NotEmpty => false,
        }
    }

    /// Whether ours is a number.
    pub(crate) fn is_number(&self) -> bool {
        self.number.is_some()
    }

    /// Where our words, which are looked for in small letters, begin in a text.
    pub(crate) fn finder(&self) -> impl Fn(&[u8]) -> Option<usize> + '_ {
        let finder = memchr::memmem::Finder::new(self.folded.as_bytes());
        move |text| finder.find(text)
    }

    /// Length of our words in small letters.
    pub(crate) fn folded_len(&self) -> usize {
        self.folded.len()
    }

    fn any(&self, value: &Value, wanted: &dyn Fn(Ordering) -> bool) -> bool {
        match value {
            Value::List(values) => values.iter().any(|value| self.any(value, wanted)),
            value => self.compare(value).is_some_and(wanted),
        }
    }

    /// How a single value stands to ours; none when the two cannot be compared.
    fn compare(&self, value: &Value) -> Option<Ordering> {
        if value.is_empty() {
            return (self.test == Test::Is && self.value.is_empty()).then_some(Ordering::Equal);
        }
        let text = value.to_string();
        self.compare_parts(value.number().or_else(|| number_in(&text)), &text)
    }

    fn compare_parts(&self, number: Option<f64>, text: &str) -> Option<Ordering> {
        match (number, self.number) {
            (Some(found), Some(asked)) => found.partial_cmp(&asked),
            (None, None) => Some(text.cmp(self.value.as_str())),
            // "from 12 EUR" is neither below nor above 50; but it may be that very text.
            _ if matches!(self.test, Test::Is | Test::IsNot) => {
                (text == self.value).then_some(Ordering::Equal)
            }
            _ => None,
        }
    }

    fn contains(&self, value: &Value) -> bool {
        match value {
            Value::Empty => false,
            Value::List(values) => values.iter().any(|value| self.contains(value)),
            value => value.to_string().to_lowercase().contains(&self.folded),
        }
    }
}

/// A text that is nothing but a number.
pub(crate) fn number_in(text: &str) -> Option<f64> {
    let plausible = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if plausible { text.parse().ok().filter(|number: &f64| number.is_finite()) } else { None }
}

/// A value as it is sorted: numbers, then texts, then nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SortKey<'a> {
    Number(f64),
    Text(Cow<'a, str>),
    Empty,
}

impl SortKey<'_> {
    pub(crate) fn of(value: &Value) -> SortKey<'static> {
        match value {
            Value::Empty => SortKey::Empty,
            Value::List(values) => values.first().map_or(SortKey::Empty, SortKey::of),
            value => match value.number() {
                Some(number) => SortKey::Number(number),
                None => SortKey::Text(value.to_string().to_lowercase().into()),
            },
        }
    }

    /// Empty values last, whatever the direction.
    pub(crate) fn compare(&self, other: &SortKey<'_>, descending: bool) -> Ordering {
        let straight = match (self, other) {
            (SortKey::Empty, SortKey::Empty) => return Ordering::Equal,
            (SortKey::Empty, _) => return Ordering::Greater,
            (_, SortKey::Empty) => return Ordering::Less,
            (SortKey::Number(a), SortKey::Number(b)) => a.total_cmp(b),
            (SortKey::Number(_), SortKey::Text(_)) => Ordering::Less,
            (SortKey::Text(_), SortKey::Number(_)) => Ordering::Greater,
            (SortKey::Text(a), SortKey::Text(b)) => a.cmp(b),
        };
        if descending { straight.reverse() } else { straight }
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        let found = text.char_indices().find_map(|(at, _)| {
            let sign = SIGNS.iter().find(|(sign, _)| text[at..].starts_with(sign));
            sign.map(|(sign, test)| (&text[..at], *test, &text[at + sign.len()..]))
        });
        let words = text.trim_end();
        let condition = match found {
            Some((column, test, value)) => Some(Condition::new(column.trim(), test, value.trim())),
            None => words
                .strip_suffix(" not empty")
                .map(|column| Condition::new(column.trim(), Test::NotEmpty, ""))
                .or_else(|| {
                    let column = words.strip_suffix(" empty")?;
                    Some(Condition::new(column.trim(), Test::Empty, ""))
                }),
        };
        // What is written must be read back as the same condition.
        let is_clear = |condition: &Condition| {
            let column = condition.column.as_str();
            let ambiguous = condition.test == Test::Empty && column.ends_with(" not");
            !column.is_empty() && !column.contains(['=', '<', '>', '!', '~']) && !ambiguous
        };
        condition.filter(is_clear).ok_or_else(|| {
            format!(
                "{text:?} is no condition; write COLUMN=VALUE (or != < <= > >=), COLUMN~TEXT (contains), \
                 \"COLUMN empty\" or \"COLUMN not empty\""
            )
        })
    }
}

impl TryFrom<String> for Condition {
    type Error = String;

    fn try_from(text: String) -> Result<Condition, String> {
        text.parse()
    }
}

impl From<Condition> for String {
    fn from(condition: Condition) -> String {
        condition.to_string()
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Condition { column, test, value, .. } = self;
        match test {
            Test::Empty => write!(f, "{column} empty"),
            Test::NotEmpty => write!(f, "{column} not empty"),
            test => {
                let sign = SIGNS.iter().find(|(_, known)| known == test).map_or("=", |(sign, _)| sign);
                // A value that begins like a sign stays apart from it.
                let gap = if value.starts_with(['=', '<', '>', '!', '~']) { " " } else { "" };
                write!(f, "{column}{sign}{gap}{value}")
            }
        }
    }
}

impl From<String> for SortBy {
    fn from(text: String) -> SortBy {
        match text.strip_prefix('-') {
            Some(column) => SortBy { column: column.to_owned(), descending: true },
            None => SortBy { column: text, descending: false },
        }
    }
}

impl From<SortBy> for String {
    fn from(sort: SortBy) -> String {
        format!("{}{}", if sort.descending { "-" } else { "" }, sort.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn check(condition: &str, holds: &[Value], fails: &[Value]) {
        let condition: Condition = condition.parse().unwrap();
        for value in holds {
            assert!(condition.holds(value), "{condition} holds for {value:?}");
        }
        for value in fails {
            assert!(!condition.holds(value), "{condition} does not hold for {value:?}");
        }
    }

    #[test]
    fn numbers_compare_as_numbers_and_dates_as_they_are_written() {
        let price = |amount| Value::Price { amount, currency: Some("EUR".to_owned()) };
        let n = Value::Number;
        check(
            "price<50",
            &[price(9.5), n(-1.0), text("49")],
            &[price(50.0), text("from 12 EUR"), Value::Empty],
        );
        check("price >= 50", &[price(50.0), text("100")], &[n(9.0), Value::Empty]);
        check("price=12", &[n(12.0), price(12.0), text("12.0")], &[n(12.5), text("12 EUR")]);
        check("day<2026-02-01", &[Value::Date("2026-01-31".into())], &[Value::Date("2026-02-01".into())]);
    }

    #[test]
    fn texts_are_searched_in_any_case_and_lists_by_each_value() {
        check(
            "title~TENT",
            &[text("A tent for two"), Value::List(vec![text("x"), text("Tent")])],
            &[text("ten"), Value::Empty],
        );
        check("title!~tent", &[text("boat"), Value::Empty], &[text("Tents")]);
        check("title=Tent", &[text("Tent"), Value::List(vec![text("a"), text("Tent")])], &[text("tent")]);
        check("title!=Tent", &[text("tent"), Value::Empty], &[text("Tent")]);
        check("title empty", &[Value::Empty], &[text("")]);
        check("title not empty", &[text("x")], &[Value::Empty]);
    }

    #[test]
    fn what_is_no_condition_is_refused_with_the_forms_there_are() {
        for text in ["", "price", "<5", " empty", "price is 5"] {
            let refused = text.parse::<Condition>().unwrap_err();
            assert!(
                refused.starts_with(&format!("{text:?} is no condition; write COLUMN=VALUE")),
                "{refused}"
            );
        }
    }

    #[test]
    fn empty_values_come_last_in_either_direction() {
        let values = [text("b"), Value::Empty, Value::Number(2.0), text("A"), Value::Number(10.0)];
        let sorted = |descending| {
            let mut values = values.to_vec();
            values.sort_by(|a, b| SortKey::of(a).compare(&SortKey::of(b), descending));
            values.iter().map(Value::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!((sorted(false).as_str(), sorted(true).as_str()), ("2 10 A b ", "b A 10 2 "));
    }

    proptest! {
        #[test]
        fn any_text_is_a_condition_or_refused_and_is_read_back(text in "[a-z ]{0,4}[=<>!~]{0,3}.{0,8}( not)?( empty)?") {
            if let Ok(condition) = text.parse::<Condition>() {
                prop_assert_eq!(condition.to_string().parse::<Condition>(), Ok(condition));
            }
        }
    }
}
