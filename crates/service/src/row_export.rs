//! Rows in the formats of `export`: wide, one line or object per row.
//!
//! Where a cell is one text or number (CSV, SQLite) a price is two columns; in JSON it is an object.

use std::io::Write;
use std::path::Path;

use export::{Cell, Csv, Format, JsonRows, SqliteRows};
use model::Value;

use crate::rows::{Listed, Query, Shown};
use crate::{Data, RowsRequest, ServiceError};

/// Writes rows as CSV, JSON or JSON lines. Returns how many.
pub(crate) fn stream(
    data: &Data,
    request: &RowsRequest,
    format: Format,
    out: &mut impl Write,
) -> Result<u64, ServiceError> {
    let snapshot = data.store().snapshot();
    let query = Query::new(data, &snapshot, request, format == Format::Csv)?;
    let columns = names(&query.shown);
    let mut rows = 0;
    match format {
        Format::Csv => {
            let mut csv = Csv::new(out, &columns)?;
            query.run(&mut |row| {
                rows += 1;
                Ok(csv.push(&flat(&query.shown, row))?)
            })?;
            csv.finish()?;
        }
        format => {
            let mut json = match format {
                Format::Json => JsonRows::array(out, &columns)?,
                _ => JsonRows::lines(out, &columns),
            };
            query.run(&mut |row| {
                rows += 1;
                let cells = query.shown.iter().map(|column| match column.value(row) {
                    Value::Empty => Cell::Empty,
                    value => Cell::Json(value.to_json()),
                });
                Ok(json.push(&cells.collect::<Vec<_>>())?)
            })?;
            json.finish()?;
        }
    }
    Ok(rows)
}

/// Writes rows as a SQLite file. Returns how many.
pub(crate) fn sqlite(
    data: &Data,
    request: &RowsRequest,
    path: &Path,
    force: bool,
) -> Result<u64, ServiceError> {
    let snapshot = data.store().snapshot();
    let query = Query::new(data, &snapshot, request, true)?;
    let mut file = data.wait(SqliteRows::create(path, force, &names(&query.shown)))?;
    query.run(&mut |row| Ok(data.wait(file.push(&flat(&query.shown, row)))?))?;
    Ok(data.wait(file.finish())?)
}

fn names(shown: &[Shown]) -> Vec<&str> {
    shown.iter().map(|column| column.name.as_str()).collect()
}

fn flat(shown: &[Shown], row: &Listed) -> Vec<Cell<'static>> {
    shown.iter().map(|column| cell(column.value(row))).collect()
}

fn cell(value: Value) -> Cell<'static> {
    match value {
        Value::Empty => Cell::Empty,
        Value::Number(number) => Cell::Number(number),
        Value::Price { amount, .. } => Cell::Number(amount),
        // The currency of one price among several has no column.
        Value::List(values) => Cell::List(
            values
                .into_iter()
                .map(|value| match value {
                    price @ Value::Price { .. } => price.to_string().into(),
                    value => cell(value),
                })
                .collect(),
        ),
        Value::Text(text)
        | Value::Date(text)
        | Value::Link(text)
        | Value::Image(text)
        | Value::Html(text)
        | Value::Json(text) => text.into(),
    }
}
