//! Rows into an index. A page that completes rows of others brings those again.

use archive::rows::{self, ROWS};
use catalog::ProjectEntry;
use kv::Reader;
use model::Value;
use search::{Document, DocumentKind, FieldValue};

use super::feed::{Cursor, Work, seconds_of};
use crate::rows::{Layout, Listed, Listing, RowState};
use crate::{Data, ServiceError};

/// Records of rows that are looked at again when a page that completes rows comes.
const LOOK_BACK: u64 = 20_000;

pub(super) fn rows_of(
    data: &Data,
    entry: &ProjectEntry,
    work: &mut Work<'_>,
    cursor: &mut Cursor,
) -> Result<(), ServiceError> {
    let name = entry.project.name.as_str().to_owned();
    let snapshot = data.store().snapshot();
    let end = rows::counts(&snapshot, entry.crawl)?.next;
    let read = cursor.0[&name].clone();
    if read.rows >= end {
        return Ok(());
    }
    let mut completes = false;
    for record in snapshot.range(&ROWS, (entry.crawl.0, read.rows)..(entry.crawl.0, end)) {
        let (_, page) = record?;
        completes |= page.detail;
        work.remove_rows(&name, page.url.as_str())?;
    }
    let from =
        if completes { read.open.max(read.rows.saturating_sub(LOOK_BACK)).min(read.rows) } else { read.rows };
    let layout = Layout::of(&snapshot, entry.crawl, entry.project.fields.as_ref())?;
    let state = RowState { crawl: entry.crawl, end, normalise: entry.project.crawl.normalise() };
    let mut first_open = end;
    let mut put = |listed: Listed| {
        if !listed.unread.is_empty() {
            first_open = first_open.min(listed.number);
        }
        work.put(row(&name, &layout, &listed))?;
        Ok(true)
    };
    Listing::new(&snapshot, &state, &layout)?.walk(from, &mut put)?;
    if let Some(of_project) = cursor.0.get_mut(&name) {
        of_project.rows = end;
        of_project.open = if completes || read.open >= read.rows { first_open } else { read.open };
    }
    Ok(())
}

/// A row as a document: its link is where it leads, its best words are its title.
fn row(project: &str, layout: &Layout, listed: &Listed) -> Document {
    let page = listed.page.url.as_str();
    let mut document = Document {
        id: format!("row {project} {page} {} {}", listed.page_type, listed.position),
        kind: DocumentKind::Row,
        project: project.to_owned(),
        url: page.to_owned(),
        page: Some(page.to_owned()),
        fetched: i64::try_from(listed.page.visited.0 / 1_000).unwrap_or(i64::MAX),
        ..Document::default()
    };
    let mut linked = false;
    let mut texts: Vec<String> = Vec::new();
    for (at, value) in listed.values.iter().enumerate() {
        let name = layout.field_name(at);
        let values: &[Value] = match value {
            Value::List(values) => values,
            one => std::slice::from_ref(one),
        };
        for value in values {
            let (value, is_text) = match value {
                Value::Empty | Value::Html(_) | Value::Json(_) | Value::List(_) => continue,
                Value::Text(text) => (FieldValue::Text(text.clone()), true),
                Value::Number(number) => (FieldValue::Number(*number, number.to_string()), true),
                Value::Price { amount, currency } => {
                    let written = format!("{amount} {}", currency.as_deref().unwrap_or_default());
                    (FieldValue::Number(*amount, written.trim().to_owned()), true)
                }
                Value::Date(text) => match seconds_of(text) {
                    Some(seconds) => {
                        document.date.get_or_insert(seconds);
                        (FieldValue::Date(seconds, text.clone()), false)
                    }
                    None => (FieldValue::Text(text.clone()), false),
                },
                Value::Link(url) => {
                    if !std::mem::replace(&mut linked, true) {
                        document.url = url.clone();
                    }
                    (FieldValue::Text(url.clone()), false)
                }
                Value::Image(url) => {
                    document.image.get_or_insert_with(|| url.clone());
                    (FieldValue::Text(url.clone()), false)
                }
            };
            if is_text && document.title.is_empty() && matches!(name, "title" | "name" | "headline") {
                document.title = value.text().to_owned();
            } else if is_text && !texts.iter().any(|known| known == value.text()) {
                texts.push(value.text().to_owned());
            }
            document.fields.push((name.to_owned(), value));
        }
    }
    if document.title.is_empty() && !texts.is_empty() {
        document.title = texts.remove(0);
    }
    document.text = texts.join("\n");
    document
}
