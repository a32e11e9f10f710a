//! A selector as written in a project file, with its place there.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_saphyr::Spanned;

/// A selector's text. It is compiled where there are pages to read.
#[derive(Clone)]
pub struct SelectorText {
    /// Which language it is in.
    pub language: Language,
    /// As written.
    pub text: String,
    /// Where.
    pub place: Place,
}

/// The two languages of selectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// CSS selectors.
    Css,
    /// XPath 1.0.
    XPath,
}

/// A place in a project file; zero where it is not known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// From 1.
    pub line: u64,
    /// From 1, in characters.
    pub column: u64,
}

/// Where a definition stands does not make it another one.
impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}

impl Eq for Place {}

impl Place {
    pub(super) fn of<T>(spanned: &Spanned<T>) -> Place {
        Place { line: spanned.referenced.line(), column: spanned.referenced.column() }
    }

    /// True where there is such a place.
    pub fn is_known(self) -> bool {
        self.line > 0
    }
}

impl SelectorText {
    /// A selector in the language that it looks like: XPath if it begins with `/`, `./`, `..`, `(`, `@`, an axis or
    /// a function; else CSS.
    pub fn guess(text: &str) -> SelectorText {
        let language = if looks_like_xpath(text.trim_start()) { Language::XPath } else { Language::Css };
        SelectorText { language, text: text.to_owned(), place: Place::default() }
    }

    pub(super) fn in_language(mut self, language: Language) -> SelectorText {
        self.language = language;
        self
    }
}

fn looks_like_xpath(text: &str) -> bool {
    if text.starts_with(['/', '(', '@']) || text.starts_with("./") || text.starts_with("..") || text == "." {
        return true;
    }
    let name: String = text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
    match &text[name.len()..] {
        // `a::text` and `a::attr(href)` are how CSS selectors end.
        rest if rest.starts_with("::") => AXES.contains(&name.as_str()),
        rest => !name.is_empty() && rest.starts_with('('),
    }
}

const AXES: [&str; 13] = [
    "ancestor",
    "ancestor-or-self",
    "attribute",
    "child",
    "descendant",
    "descendant-or-self",
    "following",
    "following-sibling",
    "namespace",
    "parent",
    "preceding",
    "preceding-sibling",
    "self",
];

impl PartialEq for SelectorText {
    fn eq(&self, other: &SelectorText) -> bool {
        (self.language, &self.text) == (other.language, &other.text)
    }
}

impl Eq for SelectorText {}

impl fmt::Debug for SelectorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({:?})", self.language, self.text)
    }
}

impl fmt::Display for SelectorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for SelectorText {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for SelectorText {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<SelectorText, D::Error> {
        let text = Spanned::<String>::deserialize(deserializer)?;
        Ok(SelectorText { place: Place::of(&text), ..SelectorText::guess(&text.value) })
    }
}

impl schemars::JsonSchema for SelectorText {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SelectorText".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "x-form": "selector" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_is_in_the_language_it_looks_like() {
        for text in [
            "//a",
            "./a",
            "..",
            ".",
            "(//a)[1]",
            "@href",
            "descendant::a",
            "string(.//h2)",
            "normalize-space()",
        ] {
            assert_eq!(SelectorText::guess(text).language, Language::XPath, "{text}");
        }
        for text in
            [".price", "a", "h2 > a::text", "a::attr(href)", "li:nth-child(2)", "#x", "[href]", "*", ""]
        {
            assert_eq!(SelectorText::guess(text).language, Language::Css, "{text}");
        }
    }
}
