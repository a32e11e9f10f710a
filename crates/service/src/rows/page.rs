//! Rows in pieces, for tables that are scrolled.

use archive::rows::counts;
use model::{FieldKind, Template};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;

use super::layout::{Shown, Source};
use super::{Query, RowsRequest};
use crate::{Data, ServiceError};

/// Rows in one piece, unless said and at most.
const USUAL: u64 = 50;
const MOST: u64 = 1_000;

/// A piece of the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RowsPage {
    /// The rows: by column, and `_key` and `_page` in each.
    #[schema(value_type = Vec<Object>)]
    pub items: Vec<Map<String, Json>>,
    /// The cursor of the next piece; none when this was the last.
    pub next: Option<String>,
    /// The columns.
    pub columns: Vec<RowColumn>,
    /// How many rows there are in all; none when nobody has counted those that meet the conditions.
    pub total: Option<u64>,
    /// How many pages the rows lag behind: of a running crawl's many rows those of a moment ago are sorted and filtered.
    pub behind: u64,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RowColumn {
    /// Its name.
    pub name: String,
    /// `text`, `number`, `price`, `date`, `link`, `image`, …
    pub kind: String,
}

/// A piece of the rows. `limit` of the request is the size of a piece. From a blocking thread.
pub fn rows_page(data: &Data, request: &RowsRequest, cursor: Option<&str>) -> Result<RowsPage, ServiceError> {
    let snapshot = data.store().snapshot();
    let limit = request.limit.unwrap_or(USUAL).clamp(1, MOST);
    let (skip, end) = cursor.map(read_cursor).transpose()?.unwrap_or((0, None));
    let asked = RowsRequest { limit: Some(limit + 1), ..request.clone() };
    // Pieces of one list are of one moment, whatever comes meanwhile.
    let mut query = Query::at(data, &snapshot, &asked, false, end)?;
    let all = counts(&snapshot, query.asked.state.crawl)?;
    let end = query.asked.state.end;
    query.skip = skip;
    let mut items = Vec::new();
    let extra = [query.layout.find("_key")?, query.layout.find("_page")?];
    let total = query.run(&mut |row| {
        let cells = query.shown.iter().chain(&extra);
        items.push(cells.map(|column| (column.name.clone(), column.value(row).to_json())).collect());
        Ok(())
    })?;
    let more = items.len() as u64 > limit;
    items.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let next = more.then(|| format!("{}.{end}", skip as u64 + limit));
    let whole = request.conditions.is_empty() && request.page_type.is_none() && request.status.is_empty();
    let counted = (whole && end >= all.next).then_some(all.rows);
    let columns = columns(&query.shown, query.asked.entry.project.fields.as_ref());
    let behind = if data.is_crawled(query.asked.state.crawl) { all.next - end.min(all.next) } else { 0 };
    Ok(RowsPage { items, next, columns, total: total.or(counted), behind })
}

/// `OFFSET.END`.
fn read_cursor(cursor: &str) -> Result<(usize, Option<u64>), ServiceError> {
    let read = || {
        let (skip, end) = cursor.split_once('.')?;
        Some((skip.parse().ok()?, Some(end.parse().ok()?)))
    };
    read().ok_or_else(|| ServiceError::Cursor(cursor.to_owned()))
}

fn columns(shown: &[Shown], fields: Option<&Template>) -> Vec<RowColumn> {
    let kind_of = |name: &str| {
        let all = fields.iter().flat_map(|fields| &fields.pages).flat_map(|page| &page.read);
        all.clone().find(|field| field.name == name).map(|field| field.kind)
    };
    let kind = |column: &Shown| match column.source {
        Source::Position => "number".to_owned(),
        Source::Page => "link".to_owned(),
        Source::Read => "date".to_owned(),
        Source::Field(_) => kind_name(kind_of(&column.name).unwrap_or_default()),
        _ => "text".to_owned(),
    };
    shown.iter().map(|column| RowColumn { name: column.name.clone(), kind: kind(column) }).collect()
}

fn kind_name(kind: FieldKind) -> String {
    match serde_json::to_value(kind) {
        Ok(Json::String(name)) => name,
        _ => "text".to_owned(),
    }
}
