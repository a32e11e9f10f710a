//! What became of each row since the run before, and the rows that are lost.

use kv::Snapshot;
use model::Value;

use super::compare::{Mark, Place, Side, compare};
use super::layout::Layout;
use super::listing::{Listed, Listing};
use crate::ServiceError;

/// What became of rows; those not named are new.
#[derive(Default)]
pub(crate) struct Marks {
    kept: Vec<(Place, Mark)>,
    /// Rows of the state before that are not there any more.
    pub(crate) lost: Vec<(Place, Mark)>,
}

impl Marks {
    /// What became of the rows of one state in a later one.
    pub(crate) fn between(snapshot: &Snapshot, base: &Side, now: &Side) -> Result<Marks, ServiceError> {
        let mut marks = Marks::default();
        compare(snapshot, base, now, &mut |compared| {
            match (compared.after, compared.before) {
                (Some(_), _) if compared.mark == Mark::New => {}
                (Some(after), _) => marks.kept.push((after, compared.mark)),
                (None, Some(before)) => marks.lost.push((before, compared.mark)),
                (None, None) => {}
            }
            Ok(())
        })?;
        marks.kept.sort_unstable();
        marks.lost.sort_unstable();
        Ok(marks)
    }

    /// The mark of a row of the later state.
    pub(crate) fn of(&self, row: &Listed) -> Mark {
        let place = Place { number: row.number, position: row.position };
        match self.kept.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(at) => self.kept[at].1,
            Err(_) => Mark::New,
        }
    }
}

/// Rows of a former state, in the columns of today.
pub(crate) struct Former<'a> {
    listing: Listing<'a>,
    /// The former column of each column of today.
    columns: Vec<Option<usize>>,
}

impl<'a> Former<'a> {
    /// The rows of this state.
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        base: &'a Side,
        today: &Layout,
    ) -> Result<Former<'a>, ServiceError> {
        let former = |at: usize| {
            let name = today.field_name(at);
            (0..base.layout.width()).find(|old| base.layout.field_name(*old) == name)
        };
        let columns = (0..today.width()).map(former).collect();
        Ok(Former { listing: Listing::new(snapshot, &base.state, &base.layout)?, columns })
    }

    /// The row at this place.
    pub(crate) fn row(&mut self, place: Place, mark: Mark) -> Result<Option<Listed>, ServiceError> {
        let Some(row) = self.listing.row(place.number, place.position)? else { return Ok(None) };
        let value = |old: &Option<usize>| old.and_then(|old| row.values.get(old)).cloned();
        let values: Vec<Value> = self.columns.iter().map(|old| value(old).unwrap_or_default()).collect();
        Ok(Some(Listed { values, mark: Some(mark), ..row }))
    }
}
