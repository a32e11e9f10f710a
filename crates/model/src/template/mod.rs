//! A template: which fields to read from which kind of page, and how; the `fields` section of a project file.
//!
//! Here stand the words of the file and the checks that need no page. Selectors are compiled, and pages read, by
//! the crate `template`.

mod check;
mod field;
mod ordered;
mod selector;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_saphyr::Spanned;
use xxhash_rust::xxh3::xxh3_64;

use crate::{Pattern, Setting, TemplateVersion};

pub use check::TemplateError;
pub use field::{Field, FieldKind, Follow, JsonPlace, Keep, Source, Step};
pub use selector::{Language, Place, SelectorText};

/// Which fields to read from which kind of page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// The file that holds the page types, when they stand in one of their own.
    pub from: Option<PathBuf>,
    /// Page types in the order in which they are tried.
    pub pages: Vec<PageType>,
}

/// One kind of page: how it is told, where its rows are, what is read from each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageType {
    /// What people call it; its key in the file.
    #[serde(skip)]
    pub name: String,
    /// Where it stands in the file.
    #[serde(skip)]
    pub place: Place,
    /// Pages whose URL one of these patterns matches are of this type. Without `url` and `has`, those on which
    /// `rows` finds something are, or, without `rows`, all that no type before this one took.
    #[serde(default, deserialize_with = "ordered::one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-form" = "pattern, or a list of them"))]
    pub url: Vec<Pattern>,
    /// Pages on which this selector finds something are of this type; with `url`, both must hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has: Option<SelectorText>,
    /// Selects the container of each row; fields are read inside it. Without it, the page is one row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<SelectorText>,
    /// Fields that make a row the same row in another run. Without it, the field with `follow` does, else all.
    #[serde(default, deserialize_with = "ordered::one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-form" = "field, or a list of them"))]
    pub key: Vec<String>,
    /// The fields by name: a selector, or the keys below.
    #[serde(with = "ordered")]
    #[schemars(with = "std::collections::BTreeMap<String, Field>", extend("x-form" = "NAME: selector, or NAME: map of the keys of a field"))]
    pub read: Vec<Field>,
    /// The list's further pages: a selector of the link to the next one, or the keys of `next`. They are as deep as
    /// the list, however many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-form" = "selector, or map of the keys of next"))]
    pub next: Option<Next>,
    /// Of this page's links, follow only those inside what these selectors find, besides `follow` and `next`;
    /// none for an empty list. Without it, `crawl: links_in` holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-form" = "[selector, …]"))]
    pub links: Option<Vec<SelectorText>>,
    /// How numbers and dates are written, unless a field says otherwise: a language such as `de` or `en-GB`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-form" = "language"))]
    pub locale: Option<String>,
}

/// How a list goes on; one of `link`, `numbers` and `url`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Next {
    /// Selects the link to the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<SelectorText>,
    /// Selects the links to numbered pages; all are followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<SelectorText>,
    /// URL of the next page, relative to this one, with `{n}` for its number. It is tried while a page has rows:
    /// without `to`, one page behind the last is asked for as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-form" = "URL with {n}"))]
    pub url: Option<String>,
    /// With `url`: the last page's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "pages"))]
    pub to: Option<u32>,
}

impl Template {
    /// Page types, fields in all, and rows read from one page, at most.
    pub const MAX_PAGE_TYPES: usize = 64;
    /// Fields of one page type at most.
    pub const MAX_FIELDS: usize = 256;

    /// The page type of this name.
    pub fn page(&self, name: &str) -> Option<&PageType> {
        self.pages.iter().find(|page| page.name == name)
    }

    /// Hash of the definition. The names of files and places in them do not count.
    pub fn version(&self) -> TemplateVersion {
        let plain = Template { from: None, pages: self.pages.clone() };
        let json = serde_json::to_string(&plain).expect("texts, lists and maps have a JSON form");
        TemplateVersion(xxh3_64(json.as_bytes()))
    }

    /// The keys of a page type, of `next`, and of a field, described.
    pub fn reference() -> [(&'static str, Vec<Setting>); 3] {
        [
            ("a page type", Setting::all_of(&schemars::schema_for!(PageType))),
            ("next", Setting::all_of(&schemars::schema_for!(Next))),
            ("a field", Setting::all_of(&schemars::schema_for!(Field))),
        ]
    }
}

impl PageType {
    /// The field of this name, and its place among the values of a row.
    pub fn field(&self, name: &str) -> Option<(usize, &Field)> {
        self.read.iter().enumerate().find(|(_, field)| field.name == name)
    }
}

impl Serialize for Template {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.from {
            Some(from) if self.pages.is_empty() => ordered::serialize_pair(serializer, "from", from),
            _ => ordered::serialize(&self.pages, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Template, D::Error> {
        deserializer.deserialize_map(ordered::PagesVisitor)
    }
}

impl JsonSchema for Template {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Template".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        std::collections::BTreeMap::<String, PageType>::json_schema(generator)
    }
}

impl ordered::Named for PageType {
    fn named(value: Spanned<PageType>, name: String) -> PageType {
        PageType { name, place: Place::of(&value), ..value.value }
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl<'de> Deserialize<'de> for Next {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Next, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Keys {
            link: Option<SelectorText>,
            numbers: Option<SelectorText>,
            url: Option<String>,
            to: Option<u32>,
        }
        let text = |text: &str| Next { link: Some(SelectorText::guess(text)), ..Next::default() };
        ordered::text_or_map(deserializer, text, |Keys { link, numbers, url, to }| Next {
            link,
            numbers,
            url,
            to,
        })
    }
}

#[cfg(test)]
mod tests;
