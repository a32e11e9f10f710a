//! Rows in pieces, for tables that are scrolled; and what one row was in each run.

use archive::rows::{self, counts};
use frontier::page_key;
use frontier::tables::URLS;
use kv::{Reader, Snapshot};
use model::{FieldKind, PageUrl, RowKey, Template, UrlKey};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;

use super::layout::{Layout, Shown, Source};
use super::listing::{Listed, Listing, State};
use super::shelf::{MANY, Wanted};
use super::state::{Asked, has_rows, state_after};
use super::{Mark, Query, RowsRequest};
use crate::{Data, Moment, ServiceError};

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

/// A row as it was after a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RowVersion {
    /// The run.
    pub run: i64,
    /// When it began.
    #[schema(value_type = String)]
    pub started_at: Moment,
    /// What became of the row since the run before.
    #[schema(value_type = String)]
    pub status: Mark,
    /// The page it is or was on.
    pub page: String,
    /// Its fields, as they were; empty when it was not there.
    #[schema(value_type = Object)]
    pub cells: Map<String, Json>,
    /// Fields that differ from the run before.
    pub changed: Vec<String>,
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

/// What a row was after each run of its project, the latest first. From a blocking thread.
pub fn row_history(data: &Data, of: Option<&str>, key: &str) -> Result<Vec<RowVersion>, ServiceError> {
    let snapshot = data.store().snapshot();
    let asked = Asked::find(data, &snapshot, of)?;
    let unknown = || ServiceError::UnknownRow(key.to_owned());
    let key = u128::from_str_radix(key, 16).map(RowKey).map_err(|_| unknown())?;
    let fields = asked.entry.project.fields.as_ref();
    let runs = data.wait(data.catalog().runs_of(asked.entry.id))?;
    let mut versions: Vec<RowVersion> = Vec::new();
    let mut page: Option<PageUrl> = None;
    // The oldest first, so that each is compared with the one before.
    for run in runs.into_iter().rev() {
        if run.crawl != asked.state.crawl && !has_rows(&snapshot, run.crawl)? {
            continue;
        }
        let state = state_after(&snapshot, &run)?;
        let layout = Layout::of(&snapshot, run.crawl, fields)?;
        let row = row_of(data, &snapshot, state, &layout, key, page.as_ref())?;
        if let Some(row) = &row {
            page = Some(row.page.url.clone());
        }
        let cells: Map<String, Json> = row.as_ref().map_or_else(Map::new, |row| {
            let shown = layout.all(false);
            let cells = shown.iter().map(|column| (column.name.clone(), column.value(row).to_json()));
            cells.filter(|(_, value)| !value.is_null()).collect()
        });
        let before = versions.last().map(|version| &version.cells);
        let changed = before.map_or_else(Vec::new, |before| differing(before, &cells));
        let there = before.is_some_and(|before| !before.is_empty());
        let status = match (there, row.is_some()) {
            (false, false) => continue,
            (false, true) => Mark::New,
            (true, false) => Mark::Gone,
            (true, true) if changed.is_empty() => Mark::Unchanged,
            (true, true) => Mark::Changed,
        };
        versions.push(RowVersion {
            run: run.id.0,
            started_at: Moment(run.started_at),
            status,
            page: page.as_ref().map(PageUrl::to_string).unwrap_or_default(),
            cells,
            changed,
        });
    }
    versions.reverse();
    if versions.is_empty() { Err(unknown()) } else { Ok(versions) }
}

/// The row of a key: on the page where it was before, else wherever it is now.
fn row_of(
    data: &Data,
    snapshot: &Snapshot,
    state: State,
    layout: &Layout,
    key: RowKey,
    page: Option<&PageUrl>,
) -> Result<Option<Listed>, ServiceError> {
    let counted = counts(snapshot, state.crawl)?;
    let state = State { end: state.end.min(counted.next), ..state };
    let mut listing = Listing::new(snapshot, &state, layout)?.without_parents();
    if let Some(page) = page {
        let page = latest_page(snapshot, state.crawl, page)?;
        let record = rows::before(snapshot, state.crawl, UrlKey::of(&page), state.end)?;
        let place = record.and_then(|(number, page)| {
            let row = page.rows.iter().find(|row| row.key == key)?;
            Some((number, row.position))
        });
        if let Some((number, position)) = place {
            return listing.row(number, position);
        }
    }
    let wanted = Wanted { state, base: None, marked: false, fixed: false };
    let index = match counted.rows >= MANY {
        true => data.shelf().find(data, snapshot, &wanted)?,
        false => None,
    };
    if let Some(index) = index {
        let found = index.of_key(key)?.filter(|found| !found.lost);
        return match found {
            Some(found) => listing.row(found.place.number, found.place.position),
            None => Ok(None),
        };
    }
    let mut found = None;
    listing.walk(0, &mut |row| {
        found = (row.key == key).then_some(row);
        Ok(found.is_none())
    })?;
    Ok(found)
}

/// Where a page's rows are in another crawl: redirects may have been other ones there, but its URL is the same.
fn latest_page(reader: &impl Reader, crawl: model::CrawlId, url: &PageUrl) -> Result<PageUrl, ServiceError> {
    let record = reader.get(&URLS, &page_key(crawl, UrlKey::of(url)))?;
    Ok(match record.map(|record| record.outcome) {
        Some(model::Outcome::Redirected { to }) => to,
        _ => url.clone(),
    })
}

fn differing(before: &Map<String, Json>, after: &Map<String, Json>) -> Vec<String> {
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    names.into_iter().filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
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
