//! What is found: pages and rows as one kind of document, their fields in an index, and what is kept to show them.

use std::collections::BTreeMap;

use index::{Entry, FieldSpec, Kind, Schema, Value};
use serde::{Deserialize, Serialize};
use text::Analysis;

use crate::SearchError;
use crate::settings::{Column, FieldSettings, IndexSettings};

/// A page or a row, as it is indexed and shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Its name in the index.
    pub id: String,
    /// Page or row.
    pub kind: DocumentKind,
    /// The project.
    pub project: String,
    /// The page, or where the row leads.
    pub url: String,
    /// The page that a row was read from.
    pub page: Option<String>,
    /// Its title.
    pub title: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// When it was published, or last changed, in seconds since 1970.
    pub date: Option<i64>,
    /// When it was fetched.
    pub fetched: i64,
    /// Its language, as a code.
    pub language: Option<String>,
    /// Its type: `html`, `pdf`.
    pub file_type: Option<String>,
    /// How many links from the start.
    pub depth: Option<u32>,
    /// A picture.
    pub image: Option<String>,
    /// Its text; of a row, all its values.
    pub text: String,
    /// Words of links to it.
    pub anchors: Vec<String>,
    /// The values of a row: field and value, in order.
    pub fields: Vec<(String, FieldValue)>,
}

/// Page or row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    /// A page.
    #[default]
    Page,
    /// A row.
    Row,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FieldValue {
    /// Words.
    Text(String),
    /// A number, and as it was written.
    Number(f64, String),
    /// A date in seconds since 1970, and as it was written.
    Date(i64, String),
}

impl FieldValue {
    /// As it was written.
    pub fn text(&self) -> &str {
        match self {
            FieldValue::Text(text) | FieldValue::Number(_, text) | FieldValue::Date(_, text) => text,
        }
    }
}

/// The fields every index begins with, by number.
pub(crate) mod built_in {
    pub(crate) const TITLE: usize = 0;
    pub(crate) const TEXT: usize = 1;
    pub(crate) const URL: usize = 2;
    pub(crate) const ANCHOR: usize = 3;
    pub(crate) const SITE: usize = 4;
    pub(crate) const HOST: usize = 5;
    pub(crate) const TYPE: usize = 6;
    pub(crate) const LANGUAGE: usize = 7;
    pub(crate) const DATE: usize = 8;
    pub(crate) const FETCHED: usize = 9;
    pub(crate) const DEPTH: usize = 10;
    pub(crate) const KIND: usize = 11;
    pub(crate) const PROJECT: usize = 12;
    pub(crate) const PAGE: usize = 13;
    pub(crate) const ADDRESS: usize = 14;
    pub(crate) const SUGGESTED: usize = 15;
    pub(crate) const COUNT: usize = 16;
}

use built_in::{
    ADDRESS, ANCHOR, COUNT, DATE, DEPTH, FETCHED, HOST, KIND, LANGUAGE, PAGE, PROJECT, SITE, SUGGESTED, TEXT,
    TITLE, TYPE, URL,
};

/// What a row field is, for the making of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowField {
    /// Its name.
    pub name: String,
    /// What its values are beside text.
    pub column: Column,
    /// Its name in formulas, if the template gives one.
    pub variable: Option<String>,
}

/// The fields of an index and what they mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Fields {
    /// In the index's order.
    pub schema: Schema,
    /// The text field of a row's field.
    pub(crate) texts: BTreeMap<String, usize>,
    /// The column of a row's field.
    pub(crate) columns: BTreeMap<String, usize>,
    /// What formulas may name: the column of each.
    pub(crate) variables: BTreeMap<String, usize>,
}

/// Marks the column of a field beside its text.
const COLUMN_MARK: char = '#';

impl Fields {
    /// The fields of an index with these settings, over rows with these fields.
    pub fn new(settings: &IndexSettings, rows: &[RowField]) -> Fields {
        let said = |name: &str| settings.fields.get(name).cloned().unwrap_or_default();
        let analysis = |name: &str| said(name).analysis.unwrap_or_else(|| settings.analysis.clone());
        let plain = Analysis { stem: false, language: None, ..Analysis::default() };
        let text = |name: &str, analysis| FieldSpec { name: name.to_owned(), kind: Kind::Text(analysis) };
        let other = |name: &str, kind| FieldSpec { name: name.to_owned(), kind };
        let mut fields = vec![
            text("title", analysis("title")),
            text("text", analysis("text")),
            text("url", said("url").analysis.unwrap_or(plain)),
            text("anchor", analysis("anchor")),
            other("site", Kind::Keyword),
            other("host", Kind::Keyword),
            other("filetype", Kind::Keyword),
            other("lang", Kind::Keyword),
            other("date", Kind::Date),
            other("fetched", Kind::Date),
            other("depth", Kind::Number),
            other("kind", Kind::Keyword),
            other("project", Kind::Keyword),
            other("page", Kind::Keyword),
            other("address", Kind::Keyword),
            other("suggested", Kind::Keyword),
        ];
        debug_assert_eq!(fields.len(), COUNT);
        let mut named: BTreeMap<&str, RowField> = BTreeMap::new();
        let built_in: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
        for row in rows {
            named.entry(&row.name).or_insert_with(|| row.clone());
        }
        for name in settings.fields.keys().filter(|name| !built_in.contains(name)) {
            named.entry(name).or_insert_with(|| RowField {
                name: name.clone(),
                column: Column::None,
                variable: None,
            });
        }
        for (name, row) in named {
            let FieldSettings { column, .. } = said(name);
            if !built_in.iter().any(|known| known == name) {
                fields.push(text(name, analysis(name)));
            }
            let kind = match column.unwrap_or(row.column) {
                Column::Facet => Some(Kind::Keyword),
                Column::Number => Some(Kind::Number),
                Column::Date => Some(Kind::Date),
                Column::None => None,
            };
            fields.extend(kind.map(|kind| other(&format!("{name}{COLUMN_MARK}"), kind)));
        }
        let mut fields = Fields::of(Schema { fields });
        fields.name_variables(settings, rows);
        fields
    }

    /// Gives columns the names that templates and settings have for them in formulas.
    pub fn name_variables(&mut self, settings: &IndexSettings, rows: &[RowField]) {
        let of_rows = rows.iter().map(|row| (&row.name, &row.variable));
        let of_settings = settings.fields.iter().map(|(name, field)| (name, &field.variable));
        for (name, variable) in of_rows.chain(of_settings) {
            if let (Some(variable), Some(column)) = (variable, self.columns.get(name)) {
                self.variables.insert(variable.clone(), *column);
            }
        }
    }

    /// The meaning of an index's fields, by their names. Variables named otherwise than their fields come with the
    /// settings.
    pub fn of(schema: Schema) -> Fields {
        let (mut texts, mut columns, mut variables) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (number, field) in schema.fields.iter().enumerate() {
            if let Some(name) = field.name.strip_suffix(COLUMN_MARK) {
                columns.insert(name.to_owned(), number);
                if matches!(field.kind, Kind::Number | Kind::Date) {
                    variables.insert(name.to_owned(), number);
                }
            } else if matches!(field.kind, Kind::Text(_)) {
                texts.insert(field.name.clone(), number);
            } else {
                columns.insert(field.name.clone(), number);
            }
        }
        variables.insert("depth".to_owned(), DEPTH);
        variables.insert("length".to_owned(), TEXT);
        Fields { schema, texts, columns, variables }
    }

    /// The columns that hits can be counted, narrowed and ordered by, by name.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &Kind)> {
        let own = ["address", "page", "suggested"];
        let named = self.columns.iter().filter(move |(name, _)| !own.contains(&name.as_str()));
        named.map(|(name, field)| (name.as_str(), &self.schema.fields[*field].kind))
    }

    /// The fields whose words spelling knows.
    pub(crate) fn spelled(&self) -> impl Iterator<Item = usize> + '_ {
        self.texts.values().copied().filter(|field| *field != URL)
    }

    /// A document as an entry of the index.
    pub fn entry(&self, document: &Document) -> Result<Entry, SearchError> {
        let mut values = vec![
            (TITLE, Value::Text(document.title.clone())),
            // A title is part of what is said, and counts as text too.
            (TEXT, Value::Text(document.title.clone())),
            (TEXT, Value::Text(document.text.clone())),
            (URL, Value::Text(url_words(&document.url))),
            (FETCHED, Value::Date(document.fetched)),
            (KIND, Value::Keyword(document.kind.name().to_owned())),
            (PROJECT, Value::Keyword(document.project.clone())),
            (ADDRESS, Value::Keyword(document.url.clone())),
        ];
        // All rows of a page are removed together.
        values.extend(
            document.page.iter().map(|page| (PAGE, Value::Keyword(page_key(&document.project, page)))),
        );
        let suggested = std::iter::once(&document.title).chain(&document.anchors);
        let suggested = suggested.map(|text| text.trim()).filter(|text| (2..=80).contains(&text.len()));
        values.extend(suggested.map(|text| (SUGGESTED, Value::Keyword(text.to_owned()))));
        values.extend(document.anchors.iter().map(|anchor| (ANCHOR, Value::Text(anchor.clone()))));
        let host = host_of(&document.url);
        if !host.is_empty() {
            values.push((HOST, Value::Keyword(host.to_owned())));
            values.extend(sites(host).map(|site| (SITE, Value::Keyword(site.to_owned()))));
        }
        values.extend(document.file_type.iter().map(|kind| (TYPE, Value::Keyword(kind.clone()))));
        values.extend(document.language.iter().map(|code| (LANGUAGE, Value::Keyword(code.clone()))));
        values.extend(document.date.map(|date| (DATE, Value::Date(date))));
        values.extend(document.depth.map(|depth| (DEPTH, Value::Number(f64::from(depth)))));
        for (name, value) in &document.fields {
            if let Some(field) = self.texts.get(name).filter(|field| **field >= COUNT) {
                values.push((*field, Value::Text(value.text().to_owned())));
            }
            let Some(field) = self.columns.get(name).filter(|field| **field >= COUNT) else { continue };
            let column = match (&self.schema.fields[*field].kind, value) {
                (Kind::Keyword, value) => Some(Value::Keyword(value.text().to_owned())),
                (Kind::Number, FieldValue::Number(number, _)) => {
                    number.is_finite().then_some(Value::Number(*number))
                }
                (Kind::Number, FieldValue::Text(text)) => {
                    text.trim().parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Number)
                }
                (Kind::Date, FieldValue::Date(seconds, _)) => Some(Value::Date(*seconds)),
                _ => None,
            };
            values.extend(column.map(|column| (*field, column)));
        }
        let stored = postcard::to_stdvec(&Stored { version: 1, document: document.clone() });
        let stored = stored.map_err(|error| SearchError::Entry(error.to_string()))?;
        Ok(Entry { id: document.id.clone(), values, stored })
    }
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u8,
    document: Document,
}

impl Document {
    /// As it was stored.
    pub fn read(stored: &[u8]) -> Result<Document, SearchError> {
        let unreadable = |error: postcard::Error| SearchError::Entry(error.to_string());
        let stored: Stored = postcard::from_bytes(stored).map_err(unreadable)?;
        if stored.version != 1 {
            return Err(SearchError::Entry(format!("version {}", stored.version)));
        }
        Ok(stored.document)
    }

    /// Its site.
    pub fn host(&self) -> &str {
        host_of(&self.url)
    }
}

impl DocumentKind {
    fn name(self) -> &'static str {
        match self {
            DocumentKind::Page => "page",
            DocumentKind::Row => "row",
        }
    }
}

/// The name under which all rows of a page are removed.
pub fn page_key(project: &str, url: &str) -> String {
    format!("{project} {url}")
}

/// The field of [`page_key`].
pub const PAGE_FIELD: usize = PAGE;

/// The field with a document's project.
pub const PROJECT_FIELD: usize = PROJECT;

/// The field with titles and anchors, for suggestions.
pub const SUGGESTED_FIELD: usize = SUGGESTED;

/// The host of a URL, without port.
pub(crate) fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if host.starts_with('[') {
        return host.split_inclusive(']').next().unwrap_or(host);
    }
    host.split(':').next().unwrap_or(host)
}

/// A host and the names above it, which `site:` finds it by.
fn sites(host: &str) -> impl Iterator<Item = &str> {
    let address = host.starts_with('[') || host.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let mut next = Some(host);
    std::iter::from_fn(move || {
        let this = next?;
        next = if address { None } else { this.split_once('.').map(|(_, above)| above) };
        Some(this)
    })
}

/// The words of a URL: its marks become spaces.
fn url_words(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect()
}
