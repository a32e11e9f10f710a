//! The columns of a crawl's rows: the fields of its templates by name, and what is known of each row besides.
//!
//! Rows that older versions of a template read stay readable: a field keeps its column as long as it keeps its
//! name. Fields of followed pages that join their row stand behind the row's own.

use std::collections::{HashMap, HashSet};

use archive::rows::{Column, PageColumns, ROWS, TEMPLATES, TemplateColumns};
use kv::Reader;
use model::{CrawlId, Template, Value};

use super::listing::Listed;
use crate::ServiceError;
use crate::select::hint;

/// Which column a cell comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) name: String,
    pub(crate) source: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A field, by its number in the layout.
    Field(usize),
    /// The currency of a price.
    Currency(usize),
    Page,
    Type,
    Position,
    Key,
    Parent,
    Read,
    Incomplete,
    Status,
}

/// What is known of a row besides its fields. The underscore keeps them apart from fields.
const FACTS: [(&str, Source); 8] = [
    ("_page", Source::Page),
    ("_type", Source::Type),
    ("_position", Source::Position),
    ("_key", Source::Key),
    ("_parent", Source::Parent),
    ("_read", Source::Read),
    ("_incomplete", Source::Incomplete),
    ("_status", Source::Status),
];

/// The columns of a crawl.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The fields' names and whether they are prices.
    fields: Vec<(String, bool)>,
    templates: HashMap<u64, TemplateColumns>,
    /// By template version and page type: the column of each value. Under `PARENT/TYPE`, when its rows join others.
    places: HashMap<(u64, String), Vec<usize>>,
    /// Page types whose rows hang from rows of others.
    children: HashSet<String>,
}

impl Layout {
    /// The columns of a crawl's rows; those of `fields` where no page has been read yet.
    pub(crate) fn of(
        reader: &impl Reader,
        crawl: CrawlId,
        fields: Option<&Template>,
    ) -> Result<Layout, ServiceError> {
        let mut templates = Vec::new();
        for row in reader.prefix(&TEMPLATES, &crawl.0) {
            let ((_, version), columns) = row?;
            templates.push((version, columns));
        }
        if let Some(fields) = fields.filter(|_| templates.is_empty()) {
            templates.push((fields.version().0, TemplateColumns::of(fields)));
        }
        let last = reader.prefix(&ROWS, &crawl.0).next_back().transpose()?;
        let last = last.map(|(_, page)| page.template.0);
        // The columns of the template in use come first.
        templates.sort_by_key(|(version, _)| (Some(*version) != last, *version));
        let mut layout = Layout::default();
        for (version, columns) in templates {
            for page in &columns.pages {
                if !columns.is_detail(&page.name) {
                    layout.place(version, &columns, page, None, 0);
                }
            }
            // Also by themselves: a page that no row leads to is shown as a row.
            for page in columns.pages.iter().filter(|page| columns.is_detail(&page.name)) {
                layout.place(version, &columns, page, None, 0);
            }
            layout.templates.insert(version, columns);
        }
        Ok(layout)
    }

    /// Gives each field of a page type its column, and then those of the pages that join its rows.
    fn place(
        &mut self,
        version: u64,
        template: &TemplateColumns,
        page: &PageColumns,
        into: Option<&PageColumns>,
        depth: usize,
    ) {
        let name = into.map_or(page.name.clone(), |into| format!("{}/{}", into.name, page.name));
        if depth > MOST_JOINS || self.places.contains_key(&(version, name.clone())) {
            return;
        }
        let taken = |name: &str| into.is_some_and(|into| into.columns.iter().any(|other| other.name == name));
        let places = page.columns.iter().map(|column| match taken(&column.name) {
            true => self.field(&format!("{}_{}", page.name, column.name), column.price),
            false => self.field(&column.name, column.price),
        });
        let places = places.collect();
        self.places.insert((version, name), places);
        for column in &page.columns {
            let Some(follow) = column.follow.as_deref().and_then(|follow| template.page(follow)) else {
                continue;
            };
            if column.merge {
                self.place(version, template, follow, Some(into.unwrap_or(page)), depth + 1);
            } else {
                self.children.insert(follow.name.clone());
            }
        }
    }

    fn field(&mut self, name: &str, price: bool) -> usize {
        let known = self.fields.iter().position(|(known, _)| known == name);
        let at = known.unwrap_or_else(|| {
            self.fields.push((name.to_owned(), false));
            self.fields.len() - 1
        });
        self.fields[at].1 |= price;
        at
    }

    /// True when rows of this page type hang from rows of others.
    pub(crate) fn is_child(&self, page_type: &str) -> bool {
        self.children.contains(page_type)
    }

    pub(crate) fn width(&self) -> usize {
        self.fields.len()
    }

    pub(crate) fn field_name(&self, at: usize) -> &str {
        &self.fields[at].0
    }

    /// Where the values of a row of this page type go; with `into`, of one that joins a row of that type.
    pub(crate) fn places(&self, version: u64, into: Option<&str>, page_type: &str) -> Option<&[usize]> {
        let name = into.map_or(page_type.to_owned(), |into| format!("{into}/{page_type}"));
        self.places.get(&(version, name)).map(Vec::as_slice)
    }

    /// The fields of a page type as that version of the template had them.
    pub(crate) fn columns(&self, version: u64, page_type: &str) -> &[Column] {
        let page = self.templates.get(&version).and_then(|template| template.page(page_type));
        page.map_or(&[], |page| &page.columns)
    }

    /// All fields; flat, a price is two columns.
    pub(crate) fn all(&self, flat: bool) -> Vec<Shown> {
        let mut shown = Vec::new();
        for (at, (name, price)) in self.fields.iter().enumerate() {
            shown.push(Shown { name: name.clone(), source: Source::Field(at) });
            if *price && flat {
                shown.push(Shown { name: format!("{name}_currency"), source: Source::Currency(at) });
            }
        }
        shown
    }

    /// All that can be asked for.
    pub(crate) fn every(&self) -> Vec<Shown> {
        let mut every = self.all(true);
        // A field hides the fact that has its name.
        let is_hidden = |name: &str| self.fields.iter().any(|(field, _)| field == name);
        let facts = FACTS.iter().filter(|(name, _)| !is_hidden(name));
        every.extend(facts.map(|(name, source)| Shown { name: (*name).to_owned(), source: *source }));
        every
    }

    /// The column of this name.
    pub(crate) fn find(&self, name: &str) -> Result<Shown, ServiceError> {
        let fact = || FACTS.iter().find(|(fact, _)| *fact == name).map(|(_, source)| *source);
        let field = || self.fields.iter().position(|(field, _)| field == name).map(Source::Field);
        let currency = || {
            let price = name.strip_suffix("_currency")?;
            self.fields.iter().position(|(field, is_price)| field == price && *is_price).map(Source::Currency)
        };
        match field().or_else(fact).or_else(currency) {
            Some(source) => Ok(Shown { name: name.to_owned(), source }),
            None => {
                let mut known: Vec<&str> = self.fields.iter().map(|(name, _)| name.as_str()).collect();
                known.extend(FACTS.iter().map(|(name, _)| *name));
                Err(ServiceError::UnknownColumn { name: name.to_owned(), hint: hint(name, &known) })
            }
        }
    }
}

/// Pages that may join one row, one behind the other.
pub(crate) const MOST_JOINS: usize = 4;

impl Shown {
    /// The value of this column in a row.
    pub(crate) fn value(&self, row: &Listed) -> Value {
        let text = |text: String| Value::Text(text);
        match self.source {
            Source::Field(at) => row.values.get(at).cloned().unwrap_or_default(),
            Source::Currency(at) => match row.values.get(at) {
                Some(Value::Price { currency: Some(currency), .. }) => text(currency.clone()),
                _ => Value::Empty,
            },
            Source::Page => Value::Link(row.page.url.to_string()),
            Source::Type => text(row.page_type.clone()),
            Source::Position => Value::Number(f64::from(row.position)),
            Source::Key => text(row.key.to_string()),
            Source::Parent => row.parent.map_or(Value::Empty, |parent| text(parent.to_string())),
            Source::Read => Value::Date(row.page.visited.to_string()),
            Source::Incomplete => match row.incomplete {
                true => text("incomplete".to_owned()),
                false => Value::Empty,
            },
            Source::Status => row.mark.map_or(Value::Empty, |mark| text(mark.name().to_owned())),
        }
    }
}
