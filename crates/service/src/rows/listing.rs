//! A crawl's rows as they stand: latest records only, each content once, pages behind links joined.
//!
//! Joins are made here and not when pages are read, so that no page waits for another. Memory grows with the
//! number of rows by a few dozen bytes each, whatever they hold.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use archive::rows::{self, PageRows, ROW_CONTENTS, ROW_PAGES, ROWS, Stand};
use frontier::page_key;
use frontier::tables::URLS;
use kv::{KvError, Reader, Snapshot};
use model::{CrawlId, ErrorKind, Normalise, Outcome, PageUrl, Row, RowKey, Timestamp, UrlKey, Value};

use super::compare::Mark;
use super::layout::{Layout, MOST_JOINS};
use crate::ServiceError;

/// Redirects followed from a link to the page that was read.
const MOST_MOVES: usize = 10;

/// Rows of a page that join one row: a detail page is one row, so the first.
const JOINED: usize = 1;

/// Records that are looked up one by one before it pays to look for all that were replaced.
const LOOKED_UP: usize = 500;

/// Where a page's rows come from.
#[derive(Debug)]
pub(crate) struct PageHead {
    pub(crate) url: PageUrl,
    pub(crate) visited: Timestamp,
}

/// The rows of a crawl at some moment: those in records with a number below `end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub(crate) crawl: CrawlId,
    pub(crate) end: u64,
    /// How the crawl wrote its URLs.
    pub(crate) normalise: Normalise,
}

/// One row with what belongs to it.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// Number of the record that holds it.
    pub(crate) number: u64,
    pub(crate) position: u32,
    pub(crate) page: Arc<PageHead>,
    pub(crate) page_type: String,
    pub(crate) key: RowKey,
    pub(crate) parent: Option<RowKey>,
    pub(crate) incomplete: bool,
    /// One for each field of the layout.
    pub(crate) values: Vec<Value>,
    /// Fields that are empty because the page that has them was not read, in order.
    pub(crate) unread: Vec<usize>,
    /// Against an earlier run, where that was asked for.
    pub(crate) mark: Option<Mark>,
}

/// The rows of a crawl up to some record.
pub(crate) struct Listing<'a> {
    snapshot: &'a Snapshot,
    crawl: CrawlId,
    end: u64,
    normalise: Normalise,
    pub(crate) layout: &'a Layout,
    /// Records that a later one of the same page replaced; found out when many are walked.
    superseded: Option<Vec<u64>>,
    /// Rows say what they hang from.
    with_parents: bool,
    /// The first record walked.
    from: u64,
    /// Contents listed.
    seen: HashSet<u128>,
    /// Records that were joined to a row.
    joined: HashSet<u64>,
    /// Rows that pages of child rows hang from; found out when the first child is met.
    parents: Option<HashMap<UrlKey, RowKey>>,
}

impl<'a> Listing<'a> {
    /// The rows of a state.
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        state: &State,
        layout: &'a Layout,
    ) -> Result<Listing<'a>, ServiceError> {
        let State { crawl, end, normalise } = *state;
        Ok(Listing {
            superseded: (rows::counts(snapshot, crawl)?.replaced == 0).then(Vec::new),
            with_parents: true,
            snapshot,
            crawl,
            end,
            normalise,
            layout,
            from: 0,
            seen: HashSet::new(),
            joined: HashSet::new(),
            parents: None,
        })
    }

    /// Without looking for the rows that others hang from, which takes a walk through all of them.
    pub(crate) fn without_parents(self) -> Listing<'a> {
        Listing { with_parents: false, ..self }
    }

    /// Hands over the rows of records from number `from` on until `take` says false.
    pub(crate) fn walk(
        &mut self,
        from: u64,
        take: &mut dyn FnMut(Listed) -> Result<bool, ServiceError>,
    ) -> Result<(), ServiceError> {
        let mut has_details = false;
        self.from = from;
        let mut looked_at = 0;
        let range = (self.crawl.0, from)..(self.crawl.0, self.end);
        for record in self.snapshot.range(&ROWS, range) {
            let ((_, number), page) = record?;
            looked_at += 1;
            if !self.stands(number, &page.url, looked_at)? {
                continue;
            }
            if page.detail {
                has_details = true;
                continue;
            }
            if !self.page(number, page, take)? {
                return Ok(());
            }
        }
        // Which details belong to no row is known only when all rows were looked at.
        if !has_details || from > 0 {
            return Ok(());
        }
        // Details that no row leads to: shown as rows, rather than lost.
        for record in self.records(0)? {
            let (number, page) = record?;
            if page.detail && !self.joined.contains(&number) && !self.page(number, page, take)? {
                break;
            }
        }
        Ok(())
    }

    /// The row at this place of a record.
    pub(crate) fn row(&mut self, number: u64, position: u32) -> Result<Option<Listed>, ServiceError> {
        let Some(page) = self.snapshot.get(&ROWS, &(self.crawl.0, number))? else { return Ok(None) };
        let head = Arc::new(PageHead { url: page.url, visited: page.visited });
        let row = page.rows.into_iter().find(|row| row.position == position);
        row.map(|row| self.listed(number, &head, page.template.0, row)).transpose()
    }

    /// True when no later record of the same page is there. The first few are looked up one by one.
    fn stands(&mut self, number: u64, url: &PageUrl, looked_at: usize) -> Result<bool, ServiceError> {
        if self.superseded.is_none() && looked_at <= LOOKED_UP {
            let page = UrlKey::of(url);
            let (first, last) = (number + 1, self.end);
            let later =
                (self.crawl.0, page.host.0, page.page, first)..(self.crawl.0, page.host.0, page.page, last);
            return Ok(
                first >= last || self.snapshot.range(&ROW_PAGES, later).keys().next().transpose()?.is_none()
            );
        }
        Ok(self.superseded()?.binary_search(&number).is_err())
    }

    fn superseded(&mut self) -> Result<&[u64], KvError> {
        if self.superseded.is_none() {
            self.superseded = Some(rows::superseded(self.snapshot, self.crawl, self.end)?);
        }
        Ok(self.superseded.as_deref().unwrap_or_default())
    }

    fn records(
        &mut self,
        from: u64,
    ) -> Result<impl Iterator<Item = Result<(u64, PageRows), KvError>> + use<>, ServiceError> {
        let superseded = self.superseded()?.to_vec();
        let range = (self.crawl.0, from)..(self.crawl.0, self.end);
        let records = self.snapshot.range(&ROWS, range);
        let records = records.map(|record| record.map(|((_, number), page)| (number, page)));
        Ok(records.filter(move |record| {
            record.as_ref().map_or(true, |(number, _)| superseded.binary_search(number).is_err())
        }))
    }

    fn page(
        &mut self,
        number: u64,
        page: PageRows,
        take: &mut dyn FnMut(Listed) -> Result<bool, ServiceError>,
    ) -> Result<bool, ServiceError> {
        let head = Arc::new(PageHead { url: page.url, visited: page.visited });
        for row in page.rows {
            let content = row.content_hash();
            if !self.seen.insert(content) || self.came_before(content)? {
                continue;
            }
            let listed = self.listed(number, &head, page.template.0, row)?;
            if !take(listed)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True when a content stood in a record that is not walked.
    fn came_before(&self, content: u128) -> Result<bool, ServiceError> {
        if self.from == 0 {
            return Ok(false);
        }
        let first = self.snapshot.get(&ROW_CONTENTS, &(self.crawl.0, content))?;
        Ok(first.is_some_and(|first| first < self.from))
    }

    fn listed(
        &mut self,
        number: u64,
        head: &Arc<PageHead>,
        template: u64,
        row: Row,
    ) -> Result<Listed, ServiceError> {
        let hangs_from = match row.parent {
            None if self.with_parents && self.layout.is_child(&row.page_type) => self.parent_of(&head.url)?,
            known => known,
        };
        let mut listed = Listed {
            number,
            position: row.position,
            page: head.clone(),
            page_type: row.page_type.clone(),
            key: row.key,
            parent: hangs_from.filter(|parent| *parent != row.key),
            incomplete: row.incomplete,
            values: vec![Value::Empty; self.layout.width()],
            unread: Vec::new(),
            mark: None,
        };
        self.join(&mut listed, None, template, row, 0)?;
        Ok(listed)
    }

    /// Puts a row's values in their columns, then those of the pages behind its links.
    fn join(
        &mut self,
        listed: &mut Listed,
        into: Option<&str>,
        template: u64,
        row: Row,
        depth: usize,
    ) -> Result<(), ServiceError> {
        let layout = self.layout;
        let Some(places) = layout.places(template, into, &row.page_type) else { return Ok(()) };
        listed.incomplete |= row.incomplete;
        let top = into.unwrap_or(&row.page_type).to_owned();
        let columns = layout.columns(template, &row.page_type);
        let followed = columns.iter().zip(&row.values).filter(|(column, _)| column.merge);
        let followed: Vec<_> = followed
            .filter_map(|(column, value)| {
                Some((column.follow.clone()?, value.url().and_then(|url| self.normalise.parse(url).ok())?))
            })
            .collect();
        for (place, value) in places.iter().zip(row.values) {
            if listed.values[*place].is_empty() {
                listed.values[*place] = value;
            }
        }
        for (follow, url) in followed {
            if depth >= MOST_JOINS {
                break;
            }
            match self.resolve(&url)? {
                Some((number, page)) if page.stand == Stand::Read => {
                    if page.detail {
                        self.joined.insert(number);
                    }
                    let version = page.template.0;
                    for detail in page.rows.into_iter().take(JOINED) {
                        self.join(listed, Some(&top), version, detail, depth + 1)?;
                    }
                }
                Some(_) => {}
                None => {
                    let missing = layout.places(template, Some(&top), &follow).unwrap_or_default();
                    listed.unread.extend(missing);
                }
            }
        }
        Ok(())
    }

    /// What is known of the page that a URL leads to, redirects followed; none if it was not read.
    fn resolve(&self, url: &PageUrl) -> Result<Option<(u64, PageRows)>, ServiceError> {
        let mut key = UrlKey::of(url);
        for _ in 0..MOST_MOVES {
            match rows::before(self.snapshot, self.crawl, key, self.end)? {
                Some((_, PageRows { stand: Stand::Moved { to }, .. })) => key = UrlKey::of(&to),
                found => return Ok(found),
            }
        }
        Ok(None)
    }

    fn parent_of(&mut self, page: &PageUrl) -> Result<Option<RowKey>, ServiceError> {
        let parents = match self.parents.take() {
            Some(parents) => parents,
            None => self.find_parents()?,
        };
        let parent = parents.get(&UrlKey::of(page)).copied();
        self.parents = Some(parents);
        Ok(parent)
    }

    fn find_parents(&mut self) -> Result<HashMap<UrlKey, RowKey>, ServiceError> {
        let mut parents = HashMap::new();
        for record in self.records(0)? {
            let (_, page) = record?;
            for row in &page.rows {
                let columns = self.layout.columns(page.template.0, &row.page_type);
                for (column, value) in columns.iter().zip(&row.values) {
                    if column.follow.is_none() || column.merge {
                        continue;
                    }
                    let links = match value {
                        Value::List(values) => values.as_slice(),
                        one => std::slice::from_ref(one),
                    };
                    for url in links.iter().filter_map(Value::url) {
                        let Ok(url) = self.normalise.parse(url) else { continue };
                        if let Some((_, child)) = self.resolve(&url)? {
                            parents.entry(UrlKey::of(&child.url)).or_insert(row.key);
                        }
                    }
                }
            }
        }
        Ok(parents)
    }
}

/// How a page stands at the end of a listing: true when it was read whole or is known to be gone.
pub(crate) fn was_settled(snapshot: &Snapshot, state: &State, url: &PageUrl) -> Result<bool, ServiceError> {
    let mut key = UrlKey::of(url);
    for _ in 0..MOST_MOVES {
        if let Some((_, page)) = rows::before(snapshot, state.crawl, key, state.end)? {
            match page.stand {
                Stand::Read => return Ok(page.whole),
                Stand::Gone => return Ok(true),
                Stand::Moved { to } => key = UrlKey::of(&to),
            }
            continue;
        }
        // A page without rows may have been read all the same.
        match snapshot.get(&URLS, &page_key(state.crawl, key))?.map(|record| record.outcome) {
            Some(Outcome::Fetched | Outcome::NotModified) => return Ok(true),
            Some(Outcome::Failed { error: ErrorKind::Status(404 | 410), .. }) => return Ok(true),
            Some(Outcome::Redirected { to }) => key = UrlKey::of(&to),
            _ => return Ok(false),
        }
    }
    Ok(false)
}
