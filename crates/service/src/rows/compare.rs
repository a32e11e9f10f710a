//! What became of rows between two states of a project: new, unchanged, changed, gone, or not seen again.
//!
//! A row is the same when its key is. It is gone when its page was read without it or is no more; a page that was
//! not visited, or could not be had, says nothing. A field that is empty because the page behind a link was not
//! read has not changed.

use kv::Snapshot;
use model::{RowKey, Value};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::layout::Layout;
use super::listing::{Listed, Listing, State, was_settled};
use crate::ServiceError;

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// It was not there before.
    New,
    /// As it was.
    Unchanged,
    /// Some of its fields differ.
    Changed,
    /// Its page was read without it, or is no more.
    Gone,
    /// Its page was not read again.
    Unseen,
}

impl Mark {
    /// Every mark.
    pub const ALL: [Mark; 5] = [Mark::New, Mark::Unchanged, Mark::Changed, Mark::Gone, Mark::Unseen];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Mark::New => "new",
            Mark::Unchanged => "unchanged",
            Mark::Changed => "changed",
            Mark::Gone => "gone",
            Mark::Unseen => "unseen",
        }
    }
}

/// How many rows became what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkCounts {
    /// Not there before.
    pub new: u64,
    /// As they were.
    pub unchanged: u64,
    /// With fields that differ.
    pub changed: u64,
    /// Their page was read without them, or is no more.
    pub gone: u64,
    /// Their page was not read again.
    pub unseen: u64,
}

impl MarkCounts {
    fn add(&mut self, mark: Mark) {
        *match mark {
            Mark::New => &mut self.new,
            Mark::Unchanged => &mut self.unchanged,
            Mark::Changed => &mut self.changed,
            Mark::Gone => &mut self.gone,
            Mark::Unseen => &mut self.unseen,
        } += 1;
    }
}

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldChange {
    /// Its column.
    pub field: String,
    /// What it was.
    pub before: serde_json::Value,
    /// What it is.
    pub after: serde_json::Value,
}

/// A row in one state, the other, or both.
pub(crate) struct Compared {
    pub(crate) mark: Mark,
    pub(crate) before: Option<Place>,
    pub(crate) after: Option<Place>,
    pub(crate) changes: Vec<FieldChange>,
}

/// Where a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) number: u64,
    pub(crate) position: u32,
}

/// A state with its columns.
pub(crate) struct Side {
    pub(crate) state: State,
    pub(crate) layout: Layout,
}

impl Side {
    pub(crate) fn new(snapshot: &Snapshot, state: State) -> Result<Side, ServiceError> {
        Ok(Side { layout: Layout::of(snapshot, state.crawl, None)?, state })
    }
}

/// Compares two states, in the order of row keys. Keeps 48 bytes for each row of both.
pub(crate) fn compare(
    snapshot: &Snapshot,
    before: &Side,
    after: &Side,
    take: &mut dyn FnMut(Compared) -> Result<(), ServiceError>,
) -> Result<MarkCounts, ServiceError> {
    let mut counts = MarkCounts::default();
    let mut old_rows = Listing::new(snapshot, &before.state, &before.layout)?;
    let mut new_rows = Listing::new(snapshot, &after.state, &after.layout)?;
    let old = entries(&mut old_rows)?;
    let new = entries(&mut new_rows)?;
    let (mut at_old, mut at_new) = (0, 0);
    while at_old < old.len() || at_new < new.len() {
        let key = match (old.get(at_old), new.get(at_new)) {
            (Some(old), Some(new)) => old.key.min(new.key),
            (Some(one), None) | (None, Some(one)) => one.key,
            (None, None) => break,
        };
        let old_end = at_old + old[at_old..].partition_point(|entry| entry.key == key);
        let new_end = at_new + new[at_new..].partition_point(|entry| entry.key == key);
        let mut give = |compared: Compared| {
            counts.add(compared.mark);
            take(compared)
        };
        let (mut was, mut is) = (Vec::new(), Vec::new());
        // Both are sorted by content: what is in both is unchanged.
        let (mut a, mut b) = (at_old, at_new);
        while a < old_end || b < new_end {
            match (old[..old_end].get(a), new[..new_end].get(b)) {
                (Some(x), Some(y)) if x.content == y.content => {
                    give(Compared::both(Mark::Unchanged, x.place, y.place, Vec::new()))?;
                    (a, b) = (a + 1, b + 1);
                }
                (Some(x), y) if y.is_none_or(|y| x.content < y.content) => {
                    was.push(x.place);
                    a += 1;
                }
                (_, Some(y)) => {
                    is.push(y.place);
                    b += 1;
                }
                _ => break,
            }
        }
        let pairs = was.len().min(is.len());
        for (before_place, after_place) in was.drain(..pairs).zip(is.drain(..pairs)) {
            let changes = changes(&mut old_rows, before_place, &mut new_rows, after_place)?;
            let mark = if changes.is_empty() { Mark::Unchanged } else { Mark::Changed };
            give(Compared::both(mark, before_place, after_place, changes))?;
        }
        for place in is {
            give(Compared { mark: Mark::New, before: None, after: Some(place), changes: Vec::new() })?;
        }
        for place in was {
            let row = old_rows.row(place.number, place.position)?;
            let settled = match &row {
                Some(row) => was_settled(snapshot, &after.state, &row.page.url)?,
                None => false,
            };
            let mark = if settled { Mark::Gone } else { Mark::Unseen };
            give(Compared { mark, before: Some(place), after: None, changes: Vec::new() })?;
        }
        (at_old, at_new) = (old_end, new_end);
    }
    Ok(counts)
}

impl Compared {
    fn both(mark: Mark, before: Place, after: Place, changes: Vec<FieldChange>) -> Compared {
        Compared { mark, before: Some(before), after: Some(after), changes }
    }
}

struct Entry {
    key: RowKey,
    content: u128,
    place: Place,
}

fn entries(rows: &mut Listing<'_>) -> Result<Vec<Entry>, ServiceError> {
    let layout = rows.layout;
    let mut entries = Vec::new();
    rows.walk(0, &mut |row| {
        let place = Place { number: row.number, position: row.position };
        entries.push(Entry { key: row.key, content: content(layout, &row), place });
        Ok(true)
    })?;
    entries.sort_unstable_by_key(|entry| (entry.key, entry.content, entry.place));
    Ok(entries)
}

/// Hash of the fields that have a value, by name: a column that came or went with nothing in it changes nothing.
fn content(layout: &Layout, row: &Listed) -> u128 {
    let mut parts: Vec<(&str, RowKey)> = Vec::new();
    for (at, value) in row.values.iter().enumerate().filter(|(_, value)| !value.is_empty()) {
        let name = layout.field_name(at);
        parts.push((name, RowKey::of(name, [value])));
    }
    parts.sort_unstable();
    let mut hash = Xxh3::new();
    parts.iter().for_each(|(_, part)| hash.update(&part.0.to_le_bytes()));
    hash.digest128()
}

fn changes(
    old_rows: &mut Listing<'_>,
    before: Place,
    new_rows: &mut Listing<'_>,
    after: Place,
) -> Result<Vec<FieldChange>, ServiceError> {
    let (old_layout, new_layout) = (old_rows.layout, new_rows.layout);
    let old = old_rows.row(before.number, before.position)?;
    let new = new_rows.row(after.number, after.position)?;
    let (Some(old), Some(new)) = (old, new) else { return Ok(Vec::new()) };
    let mut changes = Vec::new();
    let mut note = |field: &str, before: &Value, after: &Value| {
        if before != after {
            let field = field.to_owned();
            changes.push(FieldChange { field, before: before.to_json(), after: after.to_json() });
        }
    };
    let mut met = vec![false; old.values.len()];
    for (at, value) in new.values.iter().enumerate() {
        let name = new_layout.field_name(at);
        let same = (0..old.values.len()).find(|old_at| old_layout.field_name(*old_at) == name);
        let unread = new.unread.contains(&at) || same.is_some_and(|same| old.unread.contains(&same));
        if let Some(same) = same {
            met[same] = true;
        }
        if !unread {
            note(name, same.map_or(&Value::Empty, |same| &old.values[same]), value);
        }
    }
    for (at, _) in met.iter().enumerate().filter(|(_, met)| !**met) {
        note(old_layout.field_name(at), &old.values[at], &Value::Empty);
    }
    Ok(changes)
}
