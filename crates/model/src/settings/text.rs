//! Settings that are written as one word of text: how they are read, printed and described.
//!
//! Each such type has `FromStr` and `Display`; the macro here adds serde and the schema, so that a project
//! file, a flag, the environment and the API all read it with the same words.

use std::fmt;

/// A text that is no value of its kind, and how to write one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is no {kind}; {hint}", quoted(.given))]
pub struct ValueError {
    /// The text given.
    pub given: String,
    /// What it should have been: "rate".
    pub kind: &'static str,
    /// How to write one.
    pub hint: String,
}

impl ValueError {
    pub(crate) fn new(given: &str, kind: &'static str, hint: impl Into<String>) -> ValueError {
        ValueError { given: given.to_owned(), kind, hint: hint.into() }
    }
}

/// The text in quotation marks, cut where it would fill the screen.
pub(crate) fn quoted(text: &str) -> impl fmt::Display {
    const LONGEST: usize = 80;
    let cut = text.chars().take(LONGEST).collect::<String>();
    if cut.len() < text.len() { format!("{cut:?}…") } else { format!("{cut:?}") }
}

/// Serde and schema of a type with `FromStr` and `Display`.
macro_rules! written_as_text {
    ($type:ident, $form:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                crate::settings::text::deserialize(deserializer)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "x-form": $form })
            }
        }
    };
}
pub(crate) use written_as_text;

/// Reads a value from its text.
pub(crate) fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: std::str::FromStr<Err: fmt::Display>,
{
    struct Text<T>(std::marker::PhantomData<T>);

    impl<T: std::str::FromStr<Err: fmt::Display>> serde::de::Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("text")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }

    // The YAML reader gives the digits of a number to those who ask for text.
    deserializer.deserialize_str(Text(std::marker::PhantomData))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fmt::{Debug, Display};
    use std::str::FromStr;

    /// `text` reads, prints as `printed`, and survives JSON.
    pub(crate) fn check<T>(text: &str, printed: &str)
    where
        T: FromStr<Err: Display>
            + Display
            + Debug
            + PartialEq
            + serde::Serialize
            + serde::de::DeserializeOwned,
    {
        let value: T = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(value.to_string(), printed, "for {text}");
        let json = serde_json::to_string(&value).unwrap();
        assert_eq!(serde_json::from_str::<T>(&json).unwrap(), value, "for {text}");
    }

    /// `text` is refused with exactly these words.
    pub(crate) fn check_refused<T: FromStr<Err: Display> + Debug>(text: &str, words: &str) {
        let error = text.parse::<T>().err().unwrap_or_else(|| panic!("{text:?} was taken"));
        assert_eq!(error.to_string(), words);
    }
}
