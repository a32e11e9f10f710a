//! One value of a row, as tables know it.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

/// A value in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Nothing.
    Empty,
    /// Words.
    Text(Cow<'a, str>),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// Several: an array in JSON, joined by `; ` where a cell is one text.
    List(Vec<Cell<'a>>),
    /// A structure: itself in JSON, its JSON text elsewhere.
    Json(serde_json::Value),
}

impl Cell<'_> {
    /// The cell as one text, without any guard; none if it is empty.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Cell::Empty => return None,
            Cell::Text(text) => Cow::Borrowed(text),
            Cell::Integer(number) => number.to_string().into(),
            Cell::Number(number) => number.to_string().into(),
            Cell::Flag(flag) => Cow::Borrowed(if *flag { "true" } else { "false" }),
            Cell::List(cells) => {
                cells.iter().map(|cell| cell.text().unwrap_or_default()).collect::<Vec<_>>().join("; ").into()
            }
            Cell::Json(json) => json.to_string().into(),
        })
    }
}

/// As JSON has it: a number that JSON does not know is null.
impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Empty => serializer.serialize_none(),
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Integer(number) => serializer.serialize_i64(*number),
            // 5, not 5.0: what was read as a number is shown as it stood.
            Cell::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
                serializer.serialize_i64(*number as i64)
            }
            Cell::Number(number) => serializer.serialize_f64(*number),
            Cell::Flag(flag) => serializer.serialize_bool(*flag),
            Cell::List(cells) => serializer.collect_seq(cells),
            Cell::Json(json) => json.serialize(serializer),
        }
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Cell<'a> {
        Cell::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Cell::Text(Cow::Owned(text))
    }
}

impl From<u16> for Cell<'_> {
    fn from(number: u16) -> Self {
        Cell::Integer(number.into())
    }
}

impl From<u32> for Cell<'_> {
    fn from(number: u32) -> Self {
        Cell::Integer(number.into())
    }
}

/// Counts beyond 2^63 do not occur; one would be shown as the largest.
impl From<u64> for Cell<'_> {
    fn from(number: u64) -> Self {
        Cell::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Cell<'a> {
        value.map_or(Cell::Empty, Into::into)
    }
}
