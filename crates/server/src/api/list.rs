//! Lists, a page at a time.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::problem::Problem;

/// Items of a page, unless said.
const USUAL: u64 = 50;

/// Items of a page, at most.
pub(crate) const MOST: u64 = 1_000;

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct List<T> {
    /// The items.
    pub(crate) items: Vec<T>,
    /// The cursor of the next page; none at the end.
    pub(crate) next: Option<String>,
}

/// Which page of a list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Paging {
    /// Items of the page, 50 unless said.
    #[param(minimum = 1, maximum = 1000)]
    pub(crate) limit: Option<u64>,
    /// The `next` of the page before.
    pub(crate) cursor: Option<String>,
}

impl<T> List<T> {
    /// A list that fits into one page.
    pub(crate) fn whole(items: Vec<T>) -> List<T> {
        List { items, next: None }
    }

    /// A page from one item more than asked for, so that it is known whether more follow.
    pub(crate) fn cut(mut items: Vec<T>, paging: &Paging) -> Result<List<T>, Problem> {
        let (offset, limit) = (paging.offset()?, paging.limit()?);
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(items.len());
        let mut items = items.split_off(start);
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let next = (items.len() > most).then(|| (offset + limit).to_string());
        items.truncate(most);
        Ok(List { items, next })
    }
}

impl Paging {
    /// Items of the page.
    pub(crate) fn limit(&self) -> Result<u64, Problem> {
        match self.limit.unwrap_or(USUAL) {
            limit @ 1..=MOST => Ok(limit),
            limit => Err(Problem::request(format!("limit is {limit}: it must be from 1 to {MOST}"))),
        }
    }

    /// Items before the page.
    pub(crate) fn offset(&self) -> Result<u64, Problem> {
        let Some(cursor) = self.cursor.as_deref().filter(|cursor| !cursor.is_empty()) else { return Ok(0) };
        let offset = cursor.parse().ok().filter(|offset: &u64| *offset < 1 << 40);
        offset.ok_or_else(|| Problem::request(format!("{cursor:?} is no cursor; use the next of a page")))
    }

    /// Items to ask for: all up to the page's end, and one more.
    pub(crate) fn up_to(&self) -> Result<u64, Problem> {
        Ok(self.offset()? + self.limit()? + 1)
    }
}
