//! Reading: one page with one template.
//!
//! The page's type is the first that takes it; its rows are the containers in document order; each field is read
//! within its container. What is not there is empty. Steps, rows and bytes are counted, so that no page costs more
//! than the limits here.

use std::collections::{HashMap, HashSet};

use html::select::{Found, Fuel, Selected, Selector};
use html::{NodeId, Tree};
use model::{FieldKind, PageUrl, Row, RowKey, Value};
use serde_json::Value as Json;
use url::Url;

use crate::compile::{Field, PageType, Source, Template};
use crate::reading::{Coverage, Reading, Wanted, Why};
use crate::{date, follow, json, linked_data, markup, number, table};

/// Steps that all selectors of a page may take together.
pub const FUEL: u64 = 50_000_000;
/// Rows of one page.
pub const MAX_ROWS: usize = 10_000;
/// Bytes of one text, and of one piece of markup or JSON.
pub(crate) const MAX_TEXT: usize = 64 << 10;
/// Bytes of one value of markup or JSON.
pub(crate) const MAX_MARKUP: usize = 256 << 10;
/// Values of a list.
pub(crate) const MAX_LIST: usize = 1_000;
/// Bytes of all values of a page.
const MAX_PAGE: usize = 16 << 20;

impl Template {
    /// Reads a page.
    pub fn read(&self, tree: &Tree, url: &PageUrl) -> Reading {
        let mut page = Page::new(self, tree, url);
        let mut reading = Reading::default();
        let mut links = None;
        if let Some((page_type, containers)) = page.page_type() {
            reading.page_type = Some(page_type.name.clone());
            page.rows(page_type, &containers, &mut reading);
            follow::next(&mut page, page_type, &mut reading);
            links = page_type.links.as_deref();
        }
        let links = links.or((!self.links_in.is_empty()).then_some(self.links_in.as_slice()));
        reading.links_in = links.map(|selectors| follow::inside(&mut page, selectors));
        reading.cut = page.cut;
        reading
    }
}

impl Template {
    /// True of a value that was found on the page and understood: not missing, not the field's default, not words
    /// where the field wants something else. False for fields that the template does not have.
    pub fn is_found(&self, page_type: &str, field: &str, value: &Value) -> bool {
        let page = self.pages.iter().find(|page| page.name == page_type);
        let field = page.and_then(|page| page.fields.iter().find(|known| known.name == field));
        field.is_some_and(|field| {
            let is_default = || field.default.as_ref().is_some_and(|default| said(field, default) == *value);
            !value.is_empty() && !is_odd(field.kind, value) && !is_default()
        })
    }
}

/// One page while it is read.
pub(crate) struct Page<'a> {
    pub(crate) template: &'a Template,
    pub(crate) tree: &'a Tree,
    pub(crate) url: &'a PageUrl,
    /// What relative links are relative to.
    pub(crate) base: Url,
    fuel: Fuel,
    bytes: usize,
    cut: bool,
    json_ld: Option<Vec<Json>>,
    metas: Option<HashMap<String, Vec<String>>>,
    scripts: HashMap<NodeId, Option<Json>>,
    pub(crate) headers: table::Headers,
}

impl<'a> Page<'a> {
    pub(crate) fn new(template: &'a Template, tree: &'a Tree, url: &'a PageUrl) -> Page<'a> {
        Page {
            template,
            tree,
            url,
            base: follow::base(tree, url),
            fuel: Fuel::new(FUEL),
            bytes: MAX_PAGE,
            cut: tree.is_cut(),
            json_ld: None,
            metas: None,
            scripts: HashMap::new(),
            headers: table::Headers::default(),
        }
    }

    /// What a selector gives; nothing once the fuel is gone.
    pub(crate) fn select(&mut self, selector: &Selector, from: NodeId) -> Selected {
        selector.select(self.tree, from, &mut self.fuel).unwrap_or_else(|_| {
            self.cut = true;
            Selected::Nodes(Vec::new())
        })
    }

    /// The nodes that a selector gives.
    pub(crate) fn nodes(&mut self, selector: &Selector, from: NodeId) -> Vec<NodeId> {
        match self.select(selector, from) {
            Selected::Nodes(found) => {
                let mut nodes: Vec<NodeId> = found.iter().map(Found::node).collect();
                nodes.dedup();
                nodes
            }
            _ => Vec::new(),
        }
    }

    /// The first type that takes the page, and its containers.
    fn page_type(&mut self) -> Option<(&'a PageType, Vec<NodeId>)> {
        let root = self.tree.root();
        for page in &self.template.pages {
            if !page.url.is_empty() && !page.url.iter().any(|pattern| pattern.matches(self.url)) {
                continue;
            }
            if let Some(has) = &page.has
                && !is_something(&self.select(has, root))
            {
                continue;
            }
            let Some(rows) = &page.rows else { return Some((page, vec![root])) };
            let containers = self.nodes(rows, root);
            if page.url.is_empty() && page.has.is_none() && containers.is_empty() {
                continue;
            }
            return Some((page, containers));
        }
        None
    }

    fn rows(&mut self, page: &PageType, containers: &[NodeId], reading: &mut Reading) {
        reading.coverage = page
            .fields
            .iter()
            .map(|field| Coverage { field: field.name.clone(), rows: 0, found: 0, odd: 0 })
            .collect();
        self.cut |= containers.len() > MAX_ROWS;
        let mut wanted = HashSet::new();
        for container in containers.iter().take(MAX_ROWS) {
            let mut values = Vec::with_capacity(page.fields.len());
            let mut seen = Vec::with_capacity(page.fields.len());
            for field in &page.fields {
                let mut value = self.value(field, *container);
                seen.push(!value.is_empty());
                if let (Value::Empty, Some(default)) = (&value, &field.default) {
                    value = self.understood(field, default);
                }
                values.push(value);
            }
            // A whole page on which nothing was found is no row; a container is one, whatever it lacks.
            if page.rows.is_none() && !seen.contains(&true) {
                continue;
            }
            for ((coverage, field), (value, found)) in
                reading.coverage.iter_mut().zip(&page.fields).zip(values.iter().zip(&seen))
            {
                coverage.rows += 1;
                coverage.found += u64::from(*found);
                coverage.odd += u64::from(*found && is_odd(field.kind, value));
            }
            let missing =
                page.fields.iter().zip(&values).any(|(field, value)| field.required && value.is_empty());
            for (field, value) in page.fields.iter().zip(&values) {
                let Some(page_type) = &field.follow else { continue };
                for url in links_of(value) {
                    if url != *self.url && wanted.insert(url.clone()) {
                        let why = Why::Detail { field: field.name.clone(), page_type: page_type.clone() };
                        reading.wanted.push(Wanted { url, why });
                    }
                }
            }
            reading.rows.push(Row {
                page_type: page.name.clone(),
                position: reading.rows.len() as u32,
                key: key(page, &values),
                parent: None,
                incomplete: missing,
                values,
            });
        }
    }

    /// A field's value in a row; empty when nothing is found.
    pub(crate) fn value(&mut self, field: &Field, container: NodeId) -> Value {
        let mut texts = self.texts(field, container);
        for step in &field.clean {
            texts = step.apply(texts);
        }
        let mut values =
            texts.iter().filter(|text| !text.is_empty()).map(|text| self.understood(field, text));
        let values: Vec<Value> =
            if field.all { values.by_ref().collect() } else { values.next().into_iter().collect() };
        let value = match (field.all, values) {
            (_, values) if values.is_empty() => Value::Empty,
            (true, values) => Value::List(values),
            (false, mut values) => values.swap_remove(0),
        };
        let size: usize = texts.iter().map(String::len).sum();
        match self.bytes.checked_sub(size) {
            Some(left) => {
                self.bytes = left;
                value
            }
            None => {
                self.cut = true;
                Value::Empty
            }
        }
    }

    /// The texts that a field's source gives, in order, before clean-up.
    fn texts(&mut self, field: &Field, container: NodeId) -> Vec<String> {
        let Some(source) = &field.source else { return Vec::new() };
        let most = if field.all || field.clean.iter().any(|step| step.needs_all()) { MAX_LIST } else { 1 };
        match source {
            Source::Select(selector) => match self.select(selector, container) {
                Selected::Nodes(found) => {
                    let mut texts = Vec::new();
                    for found in found {
                        if texts.len() == most {
                            break;
                        }
                        texts.extend(self.text_of(field, found));
                    }
                    texts
                }
                Selected::Text(text) => whole_text(text),
                Selected::Number(number) if number.is_nan() => Vec::new(),
                Selected::Number(number) => vec![number.to_string()],
                Selected::Boolean(truth) => vec![truth.to_string()],
            },
            Source::Header(header) => {
                let cell = table::cell(self.tree, container, header, &mut self.headers);
                cell.and_then(|cell| self.text_of(field, Found::Node(cell))).into_iter().collect()
            }
            Source::Meta(name) => {
                let metas = self.metas.get_or_insert_with(|| metas(self.tree));
                metas.get(name).into_iter().flatten().take(most).cloned().collect()
            }
            Source::JsonLd(path) => {
                let inside = linked_data::json_ld(self.tree, container);
                if inside.is_empty() {
                    let tree = self.tree;
                    let items = self.json_ld.get_or_insert_with(|| linked_data::json_ld(tree, tree.root()));
                    json_texts(path.select(items), field.kind, most)
                } else {
                    json_texts(path.select(&inside), field.kind, most)
                }
            }
            Source::Microdata(path) => {
                let items = linked_data::microdata(self.tree, container);
                json_texts(path.select(&items), field.kind, most)
            }
            Source::Json(within, path) => {
                let scripts = match within {
                    Some(selector) => match self.select(selector, container) {
                        Selected::Nodes(found) if found.is_empty() && container != self.tree.root() => {
                            self.nodes(selector, self.tree.root())
                        }
                        Selected::Nodes(found) => found.iter().map(Found::node).collect(),
                        _ => Vec::new(),
                    },
                    None => json_scripts(self.tree),
                };
                let mut texts = Vec::new();
                for script in scripts {
                    let tree = self.tree;
                    let json = self
                        .scripts
                        .entry(script)
                        .or_insert_with(|| json::embedded(&tree.text_content(script)));
                    if let Some(json) = json {
                        texts.extend(json_texts(path.select(json), field.kind, most - texts.len()));
                    }
                    if texts.len() >= most {
                        break;
                    }
                }
                texts
            }
        }
    }

    /// What a found node says, seen as the field's kind.
    pub(crate) fn text_of(&mut self, field: &Field, found: Found) -> Option<String> {
        let tree = self.tree;
        let node = match found {
            Found::Node(node) => node,
            other => {
                let mut text = other.string_value(tree);
                self.cut_to(&mut text, MAX_TEXT);
                return Some(text.trim().to_owned()).filter(|text| !text.is_empty());
            }
        };
        let text = if let Some(attribute) = &field.attribute {
            tree.attribute(node, attribute).map(|value| value.trim().to_owned())
        } else {
            match field.kind {
                FieldKind::Link => follow::href(tree, node).map(str::to_owned),
                FieldKind::Image => follow::src(tree, node).map(str::to_owned),
                FieldKind::Html => {
                    let (html, cut) = markup::html(tree, node, MAX_MARKUP);
                    self.cut |= cut;
                    Some(html)
                }
                FieldKind::Json => {
                    let mut text = tree.text_content(node);
                    self.cut_to(&mut text, MAX_MARKUP);
                    Some(text.trim().to_owned())
                }
                kind => {
                    // A moment is better said in a time's attribute, the rest in its words.
                    let is_time = tree.name(node) == Some("time");
                    let spoken = markup::spoken(tree, node).filter(|_| kind == FieldKind::Date || !is_time);
                    Some(match spoken {
                        Some(spoken) => markup::collapsed(spoken).into_owned(),
                        None => {
                            let (words, cut) = markup::words(tree, node, MAX_TEXT);
                            self.cut |= cut;
                            words
                        }
                    })
                }
            }
        };
        text.filter(|text| !text.is_empty())
    }

    fn cut_to(&mut self, text: &mut String, most: usize) {
        self.cut |= text.len() > most;
        markup::cut(text, most);
    }

    /// A text as a value of the field's kind; one that cannot be understood stays text.
    pub(crate) fn understood(&self, field: &Field, text: &str) -> Value {
        let as_text = || Value::Text(text.to_owned());
        match field.kind {
            FieldKind::Link => match self.template.normalise.join_url(&self.base, text) {
                Ok(url) => Value::Link(url.as_str().to_owned()),
                Err(_) => self.base.join(text).map_or_else(|_| as_text(), |url| Value::Link(url.into())),
            },
            FieldKind::Image => {
                self.base.join(text).map_or_else(|_| as_text(), |url| Value::Image(url.into()))
            }
            _ => said(field, text),
        }
    }
}

/// A text as a value of the field's kind, where that does not depend on the page.
fn said(field: &Field, text: &str) -> Value {
    let as_text = || Value::Text(text.to_owned());
    match field.kind {
        FieldKind::Text => Value::Text(markup::collapsed(text).into_owned()),
        FieldKind::Number => number::number(text, field.decimal, false).map_or_else(as_text, Value::Number),
        FieldKind::Price => number::number(text, field.decimal, true).map_or_else(as_text, |amount| {
            Value::Price { amount, currency: number::currency(text).map(str::to_owned) }
        }),
        FieldKind::Date => {
            let locale = field.locale.as_deref();
            date::date(text, field.format.as_deref(), locale).map_or_else(as_text, Value::Date)
        }
        FieldKind::Html => Value::Html(text.to_owned()),
        FieldKind::Json => match serde_json::from_str::<Json>(text) {
            Ok(json) => Value::Json(json.to_string()),
            Err(_) => as_text(),
        },
        FieldKind::Link | FieldKind::Image => as_text(),
    }
}

/// Declared fields, else the link to the row's own page, else everything.
fn key(page: &PageType, values: &[Value]) -> RowKey {
    let declared: Vec<&Value> = page.key.iter().map(|place| &values[*place]).collect();
    if declared.iter().any(|value| !value.is_empty()) {
        return RowKey::of(&page.name, declared);
    }
    let link =
        page.fields.iter().zip(values).find(|(field, value)| field.follow.is_some() && !value.is_empty());
    match link {
        Some((_, link)) => RowKey::of(&page.name, [link]),
        None => RowKey::of(&page.name, values),
    }
}

fn links_of(value: &Value) -> Vec<PageUrl> {
    match value {
        Value::Link(url) => PageUrl::parse(url).into_iter().collect(),
        Value::List(values) => values.iter().flat_map(links_of).collect(),
        _ => Vec::new(),
    }
}

/// True if a value stayed text although its field wanted something else.
fn is_odd(kind: FieldKind, value: &Value) -> bool {
    match value {
        Value::Text(_) => kind != FieldKind::Text,
        Value::List(values) => values.iter().any(|value| is_odd(kind, value)),
        _ => false,
    }
}

fn is_something(selected: &Selected) -> bool {
    match selected {
        Selected::Nodes(found) => !found.is_empty(),
        Selected::Text(text) => !text.is_empty(),
        Selected::Number(number) => *number != 0.0 && !number.is_nan(),
        Selected::Boolean(truth) => *truth,
    }
}

/// The text of an expression that gives text.
fn whole_text(mut text: String) -> Vec<String> {
    markup::cut(&mut text, MAX_TEXT);
    let text = markup::collapsed(&text).into_owned();
    if text.is_empty() { Vec::new() } else { vec![text] }
}

fn json_texts(values: Vec<&Json>, kind: FieldKind, most: usize) -> Vec<String> {
    let text = |value: &Json| match kind {
        FieldKind::Json => Some(value.to_string()).filter(|text| text.len() <= MAX_MARKUP),
        FieldKind::Link | FieldKind::Image => linked_data::address(value),
        FieldKind::Html => value.as_str().map(str::to_owned),
        _ => linked_data::text(value),
    };
    let lists_open = kind != FieldKind::Json;
    let flat = values.into_iter().flat_map(|value| match value.as_array().filter(|_| lists_open) {
        Some(list) => list.iter().collect(),
        None => vec![value],
    });
    let texts = flat.filter_map(text).map(|mut text| {
        markup::cut(&mut text, MAX_MARKUP);
        text
    });
    texts.filter(|text| !text.trim().is_empty()).take(most).collect()
}

/// Scripts that say they are JSON.
fn json_scripts(tree: &Tree) -> Vec<NodeId> {
    let is_json = |node: &NodeId| {
        tree.name(*node) == Some("script")
            && tree.attribute(*node, "type").is_some_and(|kind| kind.to_ascii_lowercase().contains("json"))
    };
    tree.descendants(tree.root()).filter(is_json).collect()
}

/// The contents of meta elements by name, property or itemprop in small letters.
fn metas(tree: &Tree) -> HashMap<String, Vec<String>> {
    let mut metas: HashMap<String, Vec<String>> = HashMap::new();
    for node in tree.descendants(tree.root()).filter(|node| tree.name(*node) == Some("meta")) {
        let content = tree.attribute(node, "content").map(str::trim).filter(|content| !content.is_empty());
        let Some(content) = content else { continue };
        for key in ["name", "property", "itemprop", "http-equiv"] {
            if let Some(name) = tree.attribute(node, key) {
                metas.entry(name.trim().to_lowercase()).or_default().push(content.to_owned());
            }
        }
    }
    metas
}
