//! A field (inspector): where its value is, what kind of value it is, how it is cleaned up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_saphyr::Spanned;

use super::ordered;
use super::selector::{Language, Place, SelectorText};

/// One field: where its value is, and what becomes of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Field {
    /// Its key in the file, and the column's name.
    #[serde(skip)]
    pub name: String,
    /// Where it stands in the file.
    #[serde(skip)]
    pub place: Place,
    /// Where its value is: CSS selector, relative to the row; may end in `::text` or `::attr(NAME)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub css: Option<SelectorText>,
    /// Where its value is: XPath expression, relative to the row (`.//h2`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xpath: Option<SelectorText>,
    /// Text of the table header above the value, or of the label (`th`, `dt`) before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-form" = "text"))]
    pub header: Option<String>,
    /// Path in the page's JSON-LD, beginning with the type: `Product.offers.price`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-form" = "TYPE.property.property"))]
    pub json_ld: Option<String>,
    /// Path in the row's or page's microdata, beginning with the type: `Product.offers.price`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-form" = "TYPE.property.property"))]
    pub microdata: Option<String>,
    /// Name or property of a meta element of the page: `og:title`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-form" = "name"))]
    pub meta: Option<String>,
    /// JSON embedded in a script: its path, or `in` (selector of the script) and `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("x-form" = "$.path[0].to.*, or {in: selector, path: …}"))]
    pub json: Option<JsonPlace>,
    /// Take this attribute of what was selected instead of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-form" = "name"))]
    pub attribute: Option<String>,
    /// What the value is.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(with = "String", extend("x-form" = "text, number, price, date, link, image, html or json"))]
    pub kind: FieldKind,
    /// Take all that is found, as a list, instead of the first.
    #[serde(skip_serializing_if = "is_default")]
    pub all: bool,
    /// Steps that clean the found texts up, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>", extend("x-form" = "trim, lower, upper, first, last, join: TEXT, split: TEXT, match: REGEX, replace: [REGEX, TEXT]"))]
    pub clean: Vec<Step>,
    /// Order of day, month and year when `kind` is date, as in `%d.%m.%Y`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-form" = "%d %m %Y %H %M"))]
    pub format: Option<String>,
    /// How numbers and dates are written: a language such as `de` or `en-GB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-form" = "language"))]
    pub locale: Option<String>,
    /// The text when nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-form" = "text"))]
    pub default: Option<String>,
    /// A row without it is kept and marked incomplete.
    #[serde(skip_serializing_if = "is_default")]
    pub required: bool,
    /// Name of the value in the ranking formula, at most 10 letters, digits and `_`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-form" = "name"))]
    pub variable: Option<String>,
    /// Visit the link and read its page as this page type, whose values join the row; or {page: NAME, as: children},
    /// which keeps that page's rows as rows of their own below this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("x-form" = "page type, or {page: NAME, as: merge or children}"))]
    pub follow: Option<Follow>,
}

/// Where a field's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// Markup.
    Selector(&'a SelectorText),
    /// The cell below a header or beside a label.
    Header(&'a str),
    /// A path in JSON-LD.
    JsonLd(&'a str),
    /// A path in microdata.
    Microdata(&'a str),
    /// A meta element.
    Meta(&'a str),
    /// A path in embedded JSON.
    Json(&'a JsonPlace),
}

/// What a value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// Words, white space collapsed.
    #[default]
    Text,
    /// A number.
    Number,
    /// An amount with its currency.
    Price,
    /// A day or moment.
    Date,
    /// A link's URL.
    Link,
    /// An image's URL.
    Image,
    /// Markup.
    Html,
    /// JSON.
    Json,
}

/// One step of clean-up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Without white space at the ends.
    Trim,
    /// In small letters.
    Lower,
    /// In capitals.
    Upper,
    /// Only the first of several texts.
    First,
    /// Only the last of several texts.
    Last,
    /// All texts as one, with this between them.
    Join(String),
    /// Each text cut where this stands.
    Split(String),
    /// What the regular expression matches, or its first group; a text that it does not match goes.
    Match(String),
    /// Each match of the regular expression replaced by a text in which `$1` is the first group.
    Replace(String, String),
}

/// Where embedded JSON is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JsonPlace {
    /// The script, or what else has JSON as its text; all scripts with JSON when not given.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub within: Option<SelectorText>,
    /// The path in it.
    pub path: String,
}

/// A link whose page is read, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Follow {
    /// The page type that the link's page is expected to be.
    pub page: String,
    /// What becomes of its rows.
    #[serde(rename = "as")]
    pub keep: Keep,
}

/// What becomes of the rows of a followed page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// Its values join the row with the link.
    #[default]
    Merge,
    /// They stay rows of their own, below the row with the link.
    Children,
}

impl Field {
    /// Where the value comes from; none for a field with only a default.
    pub fn source(&self) -> Option<Source<'_>> {
        let selector = self.css.as_ref().or(self.xpath.as_ref()).map(Source::Selector);
        selector
            .or(self.header.as_deref().map(Source::Header))
            .or(self.json_ld.as_deref().map(Source::JsonLd))
            .or(self.microdata.as_deref().map(Source::Microdata))
            .or(self.meta.as_deref().map(Source::Meta))
            .or(self.json.as_ref().map(Source::Json))
    }

    /// How many sources are named.
    pub(super) fn sources(&self) -> usize {
        [
            self.css.is_some(),
            self.xpath.is_some(),
            self.header.is_some(),
            self.json_ld.is_some(),
            self.microdata.is_some(),
            self.meta.is_some(),
            self.json.is_some(),
        ]
        .into_iter()
        .filter(|named| *named)
        .count()
    }

    /// A field that is a selector and nothing else.
    pub fn selected(name: &str, selector: SelectorText) -> Field {
        let (css, xpath) = match selector.language {
            Language::Css => (Some(selector), None),
            Language::XPath => (None, Some(selector)),
        };
        Field { name: name.to_owned(), css, xpath, ..Field::default() }
    }
}

impl FieldKind {
    /// As in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            FieldKind::Text => "text",
            FieldKind::Number => "number",
            FieldKind::Price => "price",
            FieldKind::Date => "date",
            FieldKind::Link => "link",
            FieldKind::Image => "image",
            FieldKind::Html => "html",
            FieldKind::Json => "json",
        }
    }
}

impl ordered::Named for Field {
    fn named(value: Spanned<Field>, name: String) -> Field {
        let place = Place::of(&value);
        let mut field = Field { name, place, ..value.value };
        for selector in [&mut field.css, &mut field.xpath].into_iter().flatten() {
            if !selector.place.is_known() {
                selector.place = place;
            }
        }
        field
    }

    fn name(&self) -> &str {
        &self.name
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Field, D::Error> {
        #[derive(Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[derive(Default)]
        struct Keys {
            css: Option<SelectorText>,
            xpath: Option<SelectorText>,
            header: Option<String>,
            json_ld: Option<String>,
            microdata: Option<String>,
            meta: Option<String>,
            json: Option<JsonPlace>,
            attribute: Option<String>,
            kind: FieldKind,
            all: bool,
            clean: Vec<Step>,
            format: Option<String>,
            locale: Option<String>,
            default: Option<String>,
            required: bool,
            variable: Option<String>,
            follow: Option<Follow>,
        }
        ordered::text_or_map(
            deserializer,
            |text| Field::selected("", SelectorText::guess(text)),
            |keys: Keys| Field {
                name: String::new(),
                place: Place::default(),
                css: keys.css.map(|css| css.in_language(Language::Css)),
                xpath: keys.xpath.map(|xpath| xpath.in_language(Language::XPath)),
                header: keys.header,
                json_ld: keys.json_ld,
                microdata: keys.microdata,
                meta: keys.meta,
                json: keys.json,
                attribute: keys.attribute,
                kind: keys.kind,
                all: keys.all,
                clean: keys.clean,
                format: keys.format,
                locale: keys.locale,
                default: keys.default,
                required: keys.required,
                variable: keys.variable,
                follow: keys.follow,
            },
        )
    }
}

impl<'de> Deserialize<'de> for JsonPlace {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<JsonPlace, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Keys {
            #[serde(rename = "in")]
            within: Option<SelectorText>,
            path: String,
        }
        let text = |text: &str| JsonPlace { within: None, path: text.to_owned() };
        ordered::text_or_map(deserializer, text, |Keys { within, path }| JsonPlace { within, path })
    }
}

impl<'de> Deserialize<'de> for Follow {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Follow, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Keys {
            page: String,
            #[serde(default, rename = "as")]
            keep: Keep,
        }
        let text = |text: &str| Follow { page: text.to_owned(), keep: Keep::Merge };
        ordered::text_or_map(deserializer, text, |Keys { page, keep }| Follow { page, keep })
    }
}
