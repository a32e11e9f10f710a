//! Rows: what a template reads from a page.
//!
//! Plain data that serialises compactly. Reading is left to `template`, keeping to `archive`.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

/// One record that a template read from a page version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The page type that read it; its fields name the values.
    pub page_type: String,
    /// Its place among the rows of its page, from 0.
    pub position: u32,
    /// What makes it the same row in another run.
    pub key: RowKey,
    /// The row it belongs to, where that is known.
    pub parent: Option<RowKey>,
    /// True when a required field is empty.
    pub incomplete: bool,
    /// One value for each field of the page type, in its order.
    pub values: Vec<Value>,
}

/// One cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Nothing was found.
    #[default]
    Empty,
    /// Words. A number, price or date that could not be understood stays the words it was.
    Text(String),
    /// A number.
    Number(f64),
    /// An amount of money.
    Price {
        /// How much.
        amount: f64,
        /// ISO code, where it is known.
        currency: Option<String>,
    },
    /// A day as `2026-11-15`, or a moment as `2026-11-15T12:30:00`, with `Z` or an offset if it was stated.
    Date(String),
    /// An absolute URL.
    Link(String),
    /// An image's absolute URL.
    Image(String),
    /// Markup.
    Html(String),
    /// JSON text.
    Json(String),
    /// Several values of a field that takes all.
    List(Vec<Value>),
}

/// A row's identity across runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RowKey(pub u128);

/// A template's definition, hashed: equal definitions read equal rows from equal pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TemplateVersion(pub u64);

impl Row {
    /// Hash of the page type and all values: equal for exact duplicates.
    pub fn content_hash(&self) -> u128 {
        RowKey::of(&self.page_type, &self.values).0
    }
}

impl RowKey {
    /// The key of a row of this page type that these values tell from others.
    pub fn of<'a>(page_type: &str, values: impl IntoIterator<Item = &'a Value>) -> RowKey {
        let mut hash = Xxh3::new();
        hash_text(&mut hash, page_type);
        for value in values {
            value.hash_into(&mut hash);
        }
        RowKey(hash.digest128())
    }
}

impl Value {
    /// True for a missing value.
    pub fn is_empty(&self) -> bool {
        matches!(self, Value::Empty)
    }

    /// The URL of a link or image.
    pub fn url(&self) -> Option<&str> {
        match self {
            Value::Link(url) | Value::Image(url) => Some(url),
            _ => None,
        }
    }

    /// The number to compare or rank by, where there is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Price { amount, .. } => Some(*amount),
            _ => None,
        }
    }

    /// The value in JSON's own kinds: numbers are numbers, prices are objects, lists are arrays.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match self {
            Value::Empty => Json::Null,
            Value::Number(number) => number_to_json(*number),
            Value::Price { amount, currency } => {
                serde_json::json!({ "amount": number_to_json(*amount), "currency": currency })
            }
            Value::Json(text) => serde_json::from_str(text).unwrap_or_else(|_| Json::from(text.as_str())),
            Value::List(values) => values.iter().map(Value::to_json).collect(),
            Value::Text(text)
            | Value::Date(text)
            | Value::Link(text)
            | Value::Image(text)
            | Value::Html(text) => Json::from(text.as_str()),
        }
    }

    /// Stored keys rest on this: it never changes.
    fn hash_into(&self, hash: &mut Xxh3) {
        let text = |hash: &mut Xxh3, tag: u8, text: &str| {
            hash.update(&[tag]);
            hash_text(hash, text);
        };
        match self {
            Value::Empty => hash.update(&[0]),
            Value::Text(words) => text(hash, 1, words),
            Value::Number(number) => {
                hash.update(&[2]);
                hash.update(&number.to_bits().to_le_bytes());
            }
            Value::Price { amount, currency } => {
                text(hash, 3, currency.as_deref().unwrap_or_default());
                hash.update(&amount.to_bits().to_le_bytes());
            }
            Value::Date(date) => text(hash, 4, date),
            Value::Link(url) => text(hash, 5, url),
            Value::Image(url) => text(hash, 6, url),
            Value::Html(html) => text(hash, 7, html),
            Value::Json(json) => text(hash, 8, json),
            Value::List(values) => {
                hash.update(&[9]);
                hash.update(&(values.len() as u64).to_le_bytes());
                values.iter().for_each(|value| value.hash_into(hash));
            }
        }
    }
}

/// The value as people read it; a list joined with `; `.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Empty => Ok(()),
            Value::Number(number) => write!(f, "{number}"),
            Value::Price { amount, currency: None } => write!(f, "{amount}"),
            Value::Price { amount, currency: Some(currency) } => write!(f, "{amount} {currency}"),
            Value::Text(text)
            | Value::Date(text)
            | Value::Link(text)
            | Value::Image(text)
            | Value::Html(text)
            | Value::Json(text) => f.write_str(text),
            Value::List(values) => {
                for (place, value) in values.iter().enumerate() {
                    let between = if place == 0 { "" } else { "; " };
                    write!(f, "{between}{value}")?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for RowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Display for TemplateVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Length first, so that two texts never hash like their sum.
fn hash_text(hash: &mut Xxh3, text: &str) {
    hash.update(&(text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

/// Whole numbers as such: people do not expect `3.0` where a page says 3.
fn number_to_json(number: f64) -> serde_json::Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        serde_json::Value::from(number as i64)
    } else {
        serde_json::Value::from(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn keys_tell_values_apart_that_join_to_the_same_text() {
        let key = |values: &[Value]| RowKey::of("list", values);
        assert_ne!(key(&[text("ab"), text("c")]), key(&[text("a"), text("bc")]));
        assert_ne!(key(&[text("a")]), key(&[Value::Link("a".to_owned())]));
        assert_ne!(
            key(&[Value::List(vec![text("a")]), text("b")]),
            key(&[Value::List(vec![text("a"), text("b")])])
        );
        assert_ne!(RowKey::of("list", &[text("a")]), RowKey::of("detail", &[text("a")]));
    }

    /// Keys are stored: this test fails when the hash or its input changes.
    #[test]
    fn keys_never_change() {
        let values =
            [text("Tent"), Value::Price { amount: 12.5, currency: Some("EUR".to_owned()) }, Value::Empty];
        assert_eq!(RowKey::of("list", &values).to_string(), "f5298358b7af5da86091c9e521869424");
    }

    #[test]
    fn values_are_shown_as_people_write_them() {
        let check = |value: Value, shown: &str, json: &str| {
            assert_eq!((value.to_string().as_str(), value.to_json().to_string().as_str()), (shown, json));
        };
        check(Value::Empty, "", "null");
        check(Value::Number(3.0), "3", "3");
        check(Value::Number(3.25), "3.25", "3.25");
        let price = Value::Price { amount: 1299.0, currency: Some("EUR".to_owned()) };
        check(price, "1299 EUR", r#"{"amount":1299,"currency":"EUR"}"#);
        check(Value::List(vec![text("a"), Value::Number(1.0)]), "a; 1", r#"["a",1]"#);
        check(Value::Json(r#"{"a": 1}"#.to_owned()), r#"{"a": 1}"#, r#"{"a":1}"#);
    }
}
