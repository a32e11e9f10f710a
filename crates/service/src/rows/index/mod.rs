//! A columnar index over a crawl's rows at one moment: answers any filter and sort of many rows without reading them.
//!
//! An index is a folder below `<data>/rows/`. Each column is some files there: the kinds of values, the numbers, the
//! texts, the texts in small letters, and the order of the rows. Besides, where each row is, what became of it since
//! the run before, and by their keys all rows, also those that were
//! replaced. A query reads the parts it needs, a few bytes per row. An index never
//! changes; it can be thrown away at any time. Which there are, and when they are made, says `shelf`.

mod build;
mod column;

use std::fs;
use std::path::{Path, PathBuf};

use kv::Snapshot;
use model::RowKey;
use serde::{Deserialize, Serialize};

use self::column::{Column, compare_ranks};
use super::compare::{Mark, Place, Side};
use super::filter::Condition;
use super::layout::Shown;
use crate::ServiceError;
use crate::sections::{Records, lower_bound, read, spoilt};

/// Form of the files.
const VERSION: u32 = 3;

/// More rows are not indexed.
const MOST_ROWS: u64 = 1 << 31;

/// Kinds of values.
const EMPTY: u8 = 0;
const NUMBER: u8 = 1;
const NUMERIC_TEXT: u8 = 2;
const TEXT: u8 = 3;
const LIST: u8 = 4;

/// In the order of rows: the value is the same as that of the row before.
const SAME: u32 = 1 << 31;

const HEAD: &str = "head.json";
const PLACES: &str = "places";
const MARKS: &str = "marks";
const KEYS: &str = "keys";

/// Bytes of a place, and of a key with its place.
const PLACE: usize = 12;
const KEY: usize = 16 + PLACE;

/// What an index is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    version: u32,
    /// The rows of records below this number.
    pub(crate) end: u64,
    /// What they are compared with: a crawl, and the number its records end at.
    pub(crate) base: Option<(u32, u64)>,
    /// Rows, lost ones included; those come last.
    rows: u64,
    /// Rows that are there.
    live: u64,
}

/// An index.
pub(crate) struct Index {
    dir: PathBuf,
    pub(crate) head: Head,
}

/// A row that was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) place: Place,
    /// It is not there any more: the place is in the state before.
    pub(crate) lost: bool,
    pub(crate) mark: Mark,
}

/// What is asked of an index.
pub(crate) struct Selection<'a> {
    /// Rows that meet all of these.
    pub(crate) conditions: &'a [(Shown, &'a Condition)],
    /// In this order; that of the crawl if empty.
    pub(crate) sort: &'a [(Shown, bool)],
    /// Of which this became; any that are there if empty.
    pub(crate) status: &'a [Mark],
    /// Rows passed over first.
    pub(crate) skip: usize,
    /// At most so many.
    pub(crate) limit: usize,
}

impl Index {
    /// Makes an index in this folder, of which nothing may be there.
    pub(crate) fn make(
        dir: &Path,
        snapshot: &Snapshot,
        now: &Side,
        base: Option<&Side>,
    ) -> Result<Index, ServiceError> {
        let part = dir.with_extension("part");
        build::remove(&part)?;
        build::remove(dir)?;
        fs::create_dir_all(&part).map_err(ServiceError::io("create", &part))?;
        let head = build::build(&part, snapshot, now, base)?;
        let json = serde_json::to_vec(&head).expect("numbers only");
        let path = part.join(HEAD);
        fs::write(&path, json).map_err(ServiceError::io("write", &path))?;
        fs::rename(&part, dir).map_err(ServiceError::io("rename", &part))?;
        Ok(Index { dir: dir.to_owned(), head })
    }

    /// The index in a folder; none if there is none that this program can read.
    pub(crate) fn open(dir: &Path) -> Option<Index> {
        let head: Head = serde_json::from_slice(&fs::read(dir.join(HEAD)).ok()?).ok()?;
        (head.version == VERSION).then(|| Index { dir: dir.to_owned(), head })
    }

    /// Throws it away.
    pub(crate) fn remove(&self) -> Result<(), ServiceError> {
        build::remove(&self.dir)
    }

    /// True when it has this column.
    pub(crate) fn has(&self, column: &Shown) -> bool {
        Column::open(&self.dir, column).is_some()
    }

    /// The rows that are asked for, and how many there are in all.
    pub(crate) fn select(&self, asked: &Selection<'_>) -> Result<(Vec<Found>, u64), ServiceError> {
        let Head { rows, live, .. } = self.head;
        let wanted = asked.limit.saturating_add(asked.skip);
        let mut hits = self.by_status(asked.status)?;
        for (column, condition) in asked.conditions {
            hits = Some(self.column(column)?.holds(condition, hits.as_deref())?);
        }
        let is_hit = |row: u32| hits.as_ref().is_none_or(|hits| hits.get(row as usize) == Some(&true));
        let columns = asked.sort.iter().map(|(column, _)| self.column(column));
        let columns: Vec<Column<'_>> = columns.collect::<Result<_, _>>()?;
        let mut chosen: Vec<u32> = Vec::new();
        match columns.split_first() {
            None => match &hits {
                None => chosen.extend(0..live.min(wanted as u64) as u32),
                Some(hits) => {
                    let all = hits.iter().enumerate().filter(|(_, hit)| **hit);
                    chosen.extend(all.map(|(row, _)| row as u32).take(wanted));
                }
            },
            Some((first, rest)) => {
                let mut ties = Vec::with_capacity(rest.len());
                for (column, (_, descending)) in rest.iter().zip(&asked.sort[1..]) {
                    ties.push((column.ranks()?, *descending));
                }
                first.in_order(asked.sort[0].1, &mut |group: &[u32]| {
                    let start = chosen.len();
                    let room = wanted - start;
                    let found = group.iter().map(|row| row & !SAME).filter(|row| is_hit(*row));
                    if ties.is_empty() {
                        chosen.extend(found.take(room));
                        return chosen.len() < wanted;
                    }
                    chosen.extend(found);
                    let order = |a: &u32, b: &u32| {
                        let each = ties.iter().map(|(ranks, descending)| {
                            compare_ranks(ranks[*a as usize], ranks[*b as usize], *descending)
                        });
                        // Equals in the order of the crawl.
                        each.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then).then(a.cmp(b))
                    };
                    // Of many equals only those that are wanted are sorted.
                    if chosen.len() - start > room {
                        chosen[start..].select_nth_unstable_by(room, order);
                        chosen.truncate(wanted);
                    }
                    chosen[start..].sort_unstable_by(order);
                    chosen.len() < wanted
                })?;
            }
        }
        let total = hits.as_ref().map_or(live, |hits| hits.iter().filter(|hit| **hit).count() as u64);
        debug_assert!(total <= rows, "each row once");
        Ok((self.places(chosen.get(asked.skip..).unwrap_or_default())?, total))
    }

    /// Where rows of a key are, or were before their pages were read again.
    pub(crate) fn places_of(&self, key: RowKey) -> Result<Vec<Place>, ServiceError> {
        let keys = Records::<KEY>::open(&self.dir, KEYS)?;
        let key_at = |at: u64| Ok::<_, ServiceError>(number_of(&keys.get(at)?[..16]));
        let mut found = Vec::new();
        for at in lower_bound(keys.count, |at| Ok(key_at(at)? < key.0))?..keys.count {
            if key_at(at)? != key.0 {
                break;
            }
            found.push(place_of(&keys.get(at)?[16..]));
        }
        Ok(found)
    }

    fn by_status(&self, status: &[Mark]) -> Result<Option<Vec<bool>>, ServiceError> {
        let Head { rows, live, .. } = self.head;
        if !status.is_empty() {
            let marks = read(&self.dir, MARKS)?.ok_or_else(|| spoilt(&self.dir))?;
            let wanted = |mark: &u8| status.iter().any(|wanted| *wanted as u8 == *mark);
            return Ok(Some(marks.iter().map(wanted).collect()));
        }
        Ok((live < rows).then(|| (0..rows).map(|row| row < live).collect()))
    }

    fn column(&self, shown: &Shown) -> Result<Column<'_>, ServiceError> {
        Column::open(&self.dir, shown).ok_or_else(|| spoilt(&self.dir))
    }

    /// Where rows are, by their numbers in the index.
    fn places(&self, chosen: &[u32]) -> Result<Vec<Found>, ServiceError> {
        let places = Records::<PLACE>::open(&self.dir, PLACES)?;
        let marks = Records::<1>::open(&self.dir, MARKS)?;
        let mut found = Vec::with_capacity(chosen.len());
        for row in chosen.iter().map(|row| u64::from(*row)) {
            let place = place_of(&places.get(row)?);
            let mark =
                Mark::ALL.into_iter().find(|mark| *mark as u8 == marks.get(row).map_or(0, |mark| mark[0]));
            found.push(Found { place, lost: row >= self.head.live, mark: mark.unwrap_or(Mark::New) });
        }
        Ok(found)
    }
}

fn place_of(bytes: &[u8]) -> Place {
    let (number, position) = bytes.split_at(8);
    Place { number: number_of(number) as u64, position: number_of(position) as u32 }
}

/// Up to sixteen bytes, the smallest first.
fn number_of(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte))
}
