//! `rows`: what templates read, filtered, sorted and joined; `diff`: what became of rows between two runs.

mod compare;
mod drift;
mod filter;
mod history;
mod index;
mod layout;
mod listing;
mod marks;
mod page;
pub(crate) mod shelf;
mod state;

use std::cmp::Ordering;

use archive::rows::{RowCounts, counts};
use kv::Snapshot;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;

pub use compare::{FieldChange, Mark, MarkCounts};
pub(crate) use drift::watch;
pub use drift::{Drift, TypeCoverage, coverage};
pub use filter::{Condition, SortBy, Test};
pub use history::{RowVersion, row_history};
pub(crate) use layout::{Layout, Shown};
pub(crate) use listing::{Listed, Listing, State as RowState};
pub use page::{RowColumn, RowsPage, rows_page};

pub use shelf::prepare_all;

use crate::sink::Sink;
use crate::{Data, ServiceError};
use compare::{Compared, Side, compare};
use filter::SortKey;
use index::{Found, Index, Selection};
use layout::Source;
use marks::{Former, Marks};
use shelf::{MANY, Wanted};
use state::{Asked, base_of};

/// More rows than this are better read in one sweep.
const MOST_WANTED: u64 = 10_000;

/// Which rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RowsRequest {
    /// Of this project, or as they stood after the run of this number; of the project that ran last unless said.
    pub of: Option<String>,
    /// That meet all of these.
    #[schema(value_type = Vec<String>)]
    pub conditions: Vec<Condition>,
    /// These columns; all fields if empty.
    pub columns: Vec<String>,
    /// Sorted by these, the first one first; in the order of the crawl if empty.
    #[schema(value_type = Vec<String>)]
    pub sort: Vec<SortBy>,
    /// At most so many.
    pub limit: Option<u64>,
    /// Read as this page type.
    pub page_type: Option<String>,
    /// Of which this became since the run before; any if empty.
    #[schema(value_type = Vec<String>)]
    pub status: Vec<Mark>,
    /// That came since: the `next` of an earlier answer. Without a sort order only.
    pub after: Option<u64>,
}

/// Which runs to compare.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffRequest {
    /// The earlier run, or a project.
    pub before: String,
    /// The later run, or a project.
    pub after: String,
    /// Only rows of which this became; all but the unchanged if empty.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub status: Vec<Mark>,
    /// At most so many rows.
    #[serde(default)]
    pub limit: Option<u64>,
}

/// What asking for rows tells: the columns, the rows, then one line about the whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "kebab-case")]
pub enum RowsPart {
    /// The first line.
    Columns {
        /// Their names.
        names: Vec<String>,
    },
    /// A row.
    Row {
        /// By column.
        cells: Map<String, Json>,
    },
    /// The last line.
    End {
        /// Rows handed over.
        rows: u64,
        /// Where to go on (`after`) when more have come.
        next: u64,
        /// Whether more may come.
        live: bool,
        /// Fields that the run found less often than earlier runs did.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        drift: Vec<Drift>,
    },
}

/// What comparing tells: rows, then one line about the whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "kebab-case")]
pub enum DiffPart {
    /// A row.
    Row {
        /// What became of it.
        status: Mark,
        /// Its key.
        key: String,
        /// The page it is or was on.
        page: String,
        /// Its fields that differ.
        changes: Vec<FieldChange>,
        /// All its fields, as they are or, if it is not there any more, as they were.
        cells: Map<String, Json>,
    },
    /// The last line.
    Counts(MarkCounts),
}

pub(crate) fn rows(data: &Data, request: &RowsRequest, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    // Before the snapshot: a run that ends in between is asked for once more rather than once too little.
    let live = data.is_crawling();
    let snapshot = data.store().snapshot();
    let query = Query::new(data, &snapshot, request, false)?;
    let names: Vec<String> = query.shown.iter().map(|column| column.name.clone()).collect();
    out.send(&RowsPart::Columns { names })?;
    let mut rows = 0;
    query.run(&mut |row| {
        rows += 1;
        let cells = query.shown.iter().map(|column| (column.name.clone(), column.value(row).to_json()));
        out.send(&RowsPart::Row { cells: cells.collect() })
    })?;
    let next = counts(&snapshot, query.asked.state.crawl)?.next;
    let summary = query.asked.run.as_ref().and_then(|run| run.summary.as_ref());
    let drift = summary.and_then(|summary| serde_json::from_value(summary["drift"].clone()).ok());
    out.send(&RowsPart::End { rows, next, live, drift: drift.unwrap_or_default() })
}

pub(crate) fn diff(data: &Data, request: &DiffRequest, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let snapshot = data.store().snapshot();
    let before = Asked::find(data, &snapshot, Some(&request.before))?;
    let after = Asked::find(data, &snapshot, Some(&request.after))?;
    if before.entry.id != after.entry.id {
        return Err(ServiceError::OtherProject {
            before: request.before.clone(),
            after: request.after.clone(),
        });
    }
    let before = Side::new(&snapshot, before.state)?;
    let after = Side::new(&snapshot, after.state)?;
    let mut old_rows = Listing::new(&snapshot, &before.state, &before.layout)?;
    let mut new_rows = Listing::new(&snapshot, &after.state, &after.layout)?;
    let mut left = request.limit.unwrap_or(u64::MAX);
    let counts = compare(&snapshot, &before, &after, &mut |compared| {
        let Compared { mark, before: was, after: is, changes } = compared;
        let wanted = match request.status.is_empty() {
            true => mark != Mark::Unchanged,
            false => request.status.contains(&mark),
        };
        if !wanted || left == 0 {
            return Ok(());
        }
        let (rows, place) = match is {
            Some(place) => (&mut new_rows, Some(place)),
            None => (&mut old_rows, was),
        };
        let layout = rows.layout;
        let row = place.map(|place| rows.row(place.number, place.position)).transpose()?.flatten();
        let Some(row) = row else { return Ok(()) };
        left -= 1;
        let shown = layout.all(false);
        let cells = shown.iter().map(|column| (column.name.clone(), column.value(&row).to_json()));
        out.send(&DiffPart::Row {
            status: mark,
            key: row.key.to_string(),
            page: row.page.url.to_string(),
            changes,
            cells: cells.filter(|(_, value)| !value.is_null()).collect(),
        })
    })?;
    out.send(&DiffPart::Counts(counts))
}

/// What became of the rows of a project's latest run since the one before; none if there is none.
pub(crate) fn latest_marks(data: &Data, project: &str) -> Result<Option<MarkCounts>, ServiceError> {
    let snapshot = data.store().snapshot();
    let asked = Asked::find(data, &snapshot, Some(project))?;
    if counts(&snapshot, asked.state.crawl)?.next == 0 {
        return Ok(None);
    }
    let Some(base) = base_of(data, &snapshot, &asked)? else { return Ok(None) };
    let (before, after) = (Side::new(&snapshot, base)?, Side::new(&snapshot, asked.state)?);
    compare(&snapshot, &before, &after, &mut |_| Ok(())).map(Some)
}

/// A request, understood.
pub(crate) struct Query<'a> {
    snapshot: &'a Snapshot,
    request: &'a RowsRequest,
    asked: Asked,
    layout: Layout,
    conditions: Vec<(Shown, &'a Condition)>,
    sort: Vec<(Shown, bool)>,
    pub(crate) shown: Vec<Shown>,
    /// The state before, when marks are asked for and there is one.
    base: Option<Side>,
    marked: bool,
    /// Where it pays.
    index: Option<Index>,
    /// Rows passed over first.
    skip: usize,
}

impl<'a> Query<'a> {
    /// Understands a request; flat, a price is two columns.
    pub(crate) fn new(
        data: &Data,
        snapshot: &'a Snapshot,
        request: &'a RowsRequest,
        flat: bool,
    ) -> Result<Query<'a>, ServiceError> {
        Query::at(data, snapshot, request, flat, None)
    }

    /// The same, of the records below a number.
    fn at(
        data: &Data,
        snapshot: &'a Snapshot,
        request: &'a RowsRequest,
        flat: bool,
        end: Option<u64>,
    ) -> Result<Query<'a>, ServiceError> {
        let mut asked = Asked::find(data, snapshot, request.of.as_deref())?;
        let RowCounts { rows, next, replaced, .. } = counts(snapshot, asked.state.crawl)?;
        asked.state.end = asked.state.end.min(end.unwrap_or(next)).min(next);
        let layout = Layout::of(snapshot, asked.state.crawl, asked.entry.project.fields.as_ref())?;
        let shown = match request.columns.is_empty() {
            true => layout.all(flat),
            false => request.columns.iter().map(|name| layout.find(name)).collect::<Result<_, _>>()?,
        };
        let conditions = request
            .conditions
            .iter()
            .map(|condition| Ok::<_, ServiceError>((layout.find(&condition.column)?, condition)));
        let conditions: Vec<_> = conditions.collect::<Result<_, _>>()?;
        let sort = request.sort.iter().map(|sort| Ok((layout.find(&sort.column)?, sort.descending)));
        let sort: Vec<_> = sort.collect::<Result<_, ServiceError>>()?;
        let mut named = shown.iter().chain(conditions.iter().map(|(column, _)| column));
        let marked = !request.status.is_empty()
            || named.any(|column| column.source == Source::Status)
            || sort.iter().any(|(column, _)| column.source == Source::Status);
        let base = match marked {
            true => base_of(data, snapshot, &asked)?.map(|base| Side::new(snapshot, base)).transpose()?,
            false => None,
        };
        let asks_much = !conditions.is_empty() || !sort.is_empty() || request.page_type.is_some() || marked;
        // Where pages were read again, it takes long to find out which of their records stand.
        let takes_long = asks_much || replaced > 0;
        let asks_few = request.limit.is_some_and(|limit| limit <= MOST_WANTED) && request.after.is_none();
        let mut index = None;
        if rows >= MANY && takes_long && asks_few {
            let wanted = Wanted { state: asked.state, base: base.as_ref(), marked, fixed: end.is_some() };
            index = data.shelf().find(data, snapshot, &wanted)?;
        }
        let named =
            || conditions.iter().map(|(column, _)| column).chain(sort.iter().map(|(column, _)| column));
        let index = index.filter(|index| named().all(|column| index.has(column)));
        if let Some(index) = &index {
            asked.state.end = index.head.end;
        }
        Ok(Query { snapshot, request, asked, layout, conditions, sort, shown, base, marked, index, skip: 0 })
    }

    /// Hands over the rows; how many meet the conditions, where that was counted.
    pub(crate) fn run(
        &self,
        take: &mut dyn FnMut(&Listed) -> Result<(), ServiceError>,
    ) -> Result<Option<u64>, ServiceError> {
        let limit = usize::try_from(self.request.limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        if let Some(index) = &self.index {
            match self.select(index, limit) {
                Ok((found, total)) => return self.hand_over(&found, take).map(|()| Some(total)),
                Err(error) => {
                    tracing::warn!(%error, "an index of rows is spoilt; it is thrown away, and all rows are read");
                    index.remove()?;
                }
            }
        }
        if self.sort.is_empty() {
            let (mut skip, mut left) = (self.skip, limit);
            self.each(&mut |row| {
                if left == 0 {
                    return Ok(false);
                }
                if skip > 0 {
                    skip -= 1;
                    return Ok(true);
                }
                left -= 1;
                take(&row)?;
                Ok(left > 0)
            })?;
            return Ok(None);
        }
        let limit = limit.saturating_add(self.skip);
        let mut best: Vec<(Vec<SortKey<'static>>, Listed)> = Vec::new();
        let order = |a: &Vec<SortKey<'_>>, b: &Vec<SortKey<'_>>| {
            let columns = self.sort.iter().zip(a.iter().zip(b));
            let orders = columns.map(|((_, descending), (a, b))| a.compare(b, *descending));
            orders.fold(Ordering::Equal, Ordering::then)
        };
        self.each(&mut |row| {
            let keys = self.sort.iter().map(|(column, _)| SortKey::of(&column.value(&row))).collect();
            best.push((keys, row));
            if best.len() >= limit.saturating_mul(2).max(1_000) {
                // Stable, so that equals stay in the order of the crawl.
                best.sort_by(|(a, _), (b, _)| order(a, b));
                best.truncate(limit);
            }
            Ok(limit > 0)
        })?;
        best.sort_by(|(a, _), (b, _)| order(a, b));
        best.iter().take(limit).skip(self.skip).try_for_each(|(_, row)| take(row))?;
        Ok(None)
    }

    /// Asks the columnar index.
    fn select(&self, index: &Index, limit: usize) -> Result<(Vec<Found>, u64), ServiceError> {
        let of_type = self.request.page_type.as_ref().map(|name| Condition::new("_type", Test::Is, name));
        let mut conditions = self.conditions.clone();
        if let Some(of_type) = &of_type {
            conditions.push((self.layout.find("_type")?, of_type));
        }
        index.select(&Selection {
            conditions: &conditions,
            sort: &self.sort,
            status: &self.request.status,
            skip: self.skip,
            limit,
        })
    }

    fn hand_over(
        &self,
        found: &[Found],
        take: &mut dyn FnMut(&Listed) -> Result<(), ServiceError>,
    ) -> Result<(), ServiceError> {
        let mut listing = self.listing()?;
        let former = self.base.as_ref().filter(|_| found.iter().any(|found| found.lost));
        let mut former = former.map(|base| Former::new(self.snapshot, base, &self.layout)).transpose()?;
        for found in found {
            let row = match &mut former {
                Some(former) if found.lost => former.row(found.place, found.mark)?,
                _ => listing.row(found.place.number, found.place.position)?,
            };
            if let Some(row) = row {
                take(&Listed { mark: self.marked.then_some(found.mark), ..row })?;
            }
        }
        Ok(())
    }

    /// The rows, without what nobody looks at.
    fn listing(&self) -> Result<Listing<'_>, ServiceError> {
        let listing = Listing::new(self.snapshot, &self.asked.state, &self.layout)?;
        let conditions = self.conditions.iter().map(|(column, _)| column);
        let sort = self.sort.iter().map(|(column, _)| column);
        let mut named = self.shown.iter().chain(conditions).chain(sort);
        let needs_parents = named.any(|column| column.source == Source::Parent);
        Ok(if needs_parents { listing } else { listing.without_parents() })
    }

    /// Rows that meet the request, in the order of the crawl.
    fn each(&self, take: &mut dyn FnMut(Listed) -> Result<bool, ServiceError>) -> Result<(), ServiceError> {
        let marks = self.marks()?;
        let mut more = true;
        let mut listing = self.listing()?;
        listing.walk(self.request.after.unwrap_or(0), &mut |mut row| {
            if self.marked {
                row.mark = Some(marks.of(&row));
            }
            more = if self.meets(&row) { take(row)? } else { true };
            Ok(more)
        })?;
        let Some(base) = self.base.as_ref().filter(|_| more) else { return Ok(()) };
        // Rows that are not there any more, in the columns of today.
        let mut former = Former::new(self.snapshot, base, &self.layout)?;
        for (place, mark) in &marks.lost {
            if !self.request.status.contains(mark) {
                continue;
            }
            let Some(row) = former.row(*place, *mark)? else { continue };
            if self.meets(&row) && !take(row)? {
                break;
            }
        }
        Ok(())
    }

    fn meets(&self, row: &Listed) -> bool {
        let RowsRequest { page_type, status, .. } = self.request;
        page_type.as_ref().is_none_or(|wanted| *wanted == row.page_type)
            && (status.is_empty() || row.mark.is_some_and(|mark| status.contains(&mark)))
            && self.conditions.iter().all(|(column, condition)| condition.holds(&column.value(row)))
    }

    fn marks(&self) -> Result<Marks, ServiceError> {
        let Some(base) = &self.base else { return Ok(Marks::default()) };
        Marks::between(self.snapshot, base, &Side::new(self.snapshot, self.asked.state)?)
    }
}
