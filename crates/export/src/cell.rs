//! One value of a row, as tables know it.

use std::borrow::Cow;

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
