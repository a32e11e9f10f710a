//! What one row was after each run. Found by its key in the crawl's latest index, which knows every row that a record ever
//! held, also those that later ones replaced: so no run needs an index of its own, and no answer reads all rows.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use archive::rows::{self, ROWS, counts};
use catalog::RunState;
use kv::{Reader, Snapshot};
use model::{CrawlId, RowKey, UrlKey};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;

use super::Mark;
use super::compare::Place;
use super::layout::Layout;
use super::listing::{Listed, Listing, State};
use super::shelf::{MANY, Shelf};
use super::state::{Asked, has_rows, state_after};
use crate::{Data, Moment, ServiceError};

/// Records that came after the index was made and are read one by one, at most.
const LATEST: u64 = 2_000;

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

/// What a row was after each run of its project, the latest first. From a blocking thread.
pub fn row_history(data: &Arc<Data>, of: Option<&str>, key: &str) -> Result<Vec<RowVersion>, ServiceError> {
    let snapshot = data.store().snapshot();
    let asked = Asked::find(data, &snapshot, of)?;
    let unknown = || ServiceError::UnknownRow(key.to_owned());
    let key = u128::from_str_radix(key, 16).map(RowKey).map_err(|_| unknown())?;
    let fields = asked.entry.project.fields.as_ref();
    let runs = data.wait(data.catalog().runs_of(asked.entry.id))?;
    let mut places: HashMap<CrawlId, Vec<Place>> = HashMap::new();
    let mut versions: Vec<RowVersion> = Vec::new();
    let mut page = String::new();
    // The oldest first, so that each is compared with the one before.
    for run in runs.into_iter().rev() {
        let is_gone = run.crawl != asked.state.crawl && !has_rows(&snapshot, run.crawl)?;
        if is_gone || run.state == RunState::Cancelled {
            continue;
        }
        let state = state_after(&snapshot, &run)?;
        let places = match places.entry(run.crawl) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(places_of(data, &snapshot, state, key)?),
        };
        let layout = Layout::of(&snapshot, run.crawl, fields)?;
        let row = row_at(&snapshot, &state, &layout, places)?;
        if let Some(row) = &row {
            page = row.page.url.to_string();
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
        let (run, started_at) = (run.id.0, Moment(run.started_at));
        versions.push(RowVersion { run, started_at, status, page: page.clone(), cells, changed });
    }
    versions.reverse();
    if versions.is_empty() { Err(unknown()) } else { Ok(versions) }
}

/// Where rows of a key are or were in a crawl, the latest first.
fn places_of(
    data: &Arc<Data>,
    snapshot: &Snapshot,
    state: State,
    key: RowKey,
) -> Result<Vec<Place>, ServiceError> {
    let crawl = state.crawl;
    let counted = counts(snapshot, crawl)?;
    let (mut places, from, to) = match counted.rows >= MANY {
        false => (Vec::new(), 0, counted.next),
        true => {
            let index = Shelf::latest(data, State { end: counted.next, ..state })?;
            // What came since is read, or not shown until the next index has it.
            (index.places_of(key)?, index.head.end, counted.next.min(index.head.end + LATEST))
        }
    };
    let mut details = Vec::new();
    for record in snapshot.range(&ROWS, (crawl.0, from)..(crawl.0, to)) {
        let ((_, number), page) = record?;
        let found = page.rows.iter().filter(|row| row.key == key);
        let found = found.map(|row| Place { number, position: row.position });
        if page.detail { details.extend(found) } else { places.extend(found) }
    }
    // What completes another row is one of its own only if no other has its key.
    if places.is_empty() {
        places = details;
    }
    places.sort_unstable_by(|a, b| b.cmp(a));
    Ok(places)
}

/// The row as it stood: in the latest record of its page at that time.
fn row_at(
    snapshot: &Snapshot,
    state: &State,
    layout: &Layout,
    places: &[Place],
) -> Result<Option<Listed>, ServiceError> {
    for place in places.iter().filter(|place| place.number < state.end) {
        let Some(record) = snapshot.get(&ROWS, &(state.crawl.0, place.number))? else { continue };
        let stood = rows::before(snapshot, state.crawl, UrlKey::of(&record.url), state.end)?;
        if stood.is_some_and(|(number, _)| number == place.number) {
            return Listing::new(snapshot, state, layout)?
                .without_parents()
                .row(place.number, place.position);
        }
    }
    Ok(None)
}

fn differing(before: &Map<String, Json>, after: &Map<String, Json>) -> Vec<String> {
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    names.into_iter().filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
}
