//! Rows: what templates read from pages, kept with the visit that brought them.
//!
//! A page's rows are one record, in the order in which pages were committed, so that they can be followed while
//! they come and read in one sweep. A page that is visited again gets a new record; the latest stands. The
//! columns' names are kept by template version, because a project's template changes and its rows remain.
//! Everything but the templates can be read again from the WARC files. How rows are shown, joined and compared
//! is decided elsewhere.

use kv::{Batch, KvError, Reader, Record, Table};
use model::{
    CrawlId, Field, FieldKind, Keep, PageType, PageUrl, Row, Template, TemplateVersion, Timestamp, UrlKey,
};
use serde::{Deserialize, Serialize};

pub use crate::row_audit::{audit, reindex};

/// What was read from each visited page: crawl, number in the order of commits.
pub const ROWS: Table<(u32, u64), PageRows> = Table::new("rows").scans();

/// The records of a page: crawl, host, page, number in [`ROWS`]. The last one stands.
pub const ROW_PAGES: Table<(u32, u64, u128, u64), ()> = Table::new("row_pages");

/// Where a row's content stood first: crawl, content hash; the number in [`ROWS`].
pub const ROW_CONTENTS: Table<(u32, u128), u64> = Table::new("row_contents").point_reads();

/// How many rows a crawl has.
pub const ROW_COUNTS: Table<u32, RowCounts> = Table::new("row_counts");

/// Where the records of each run begin: crawl, run; the number of its first one.
pub const ROW_RUNS: Table<(u32, u64), u64> = Table::new("row_runs");

/// What the columns of a crawl's rows are called: crawl, template version.
pub const TEMPLATES: Table<(u32, u64), TemplateColumns> = Table::new("templates");

/// What one visit said of a page's rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageRows {
    /// The page.
    pub url: PageUrl,
    /// Start of the visit, its name among those of its page.
    pub visited: Timestamp,
    /// How the page stood.
    pub stand: Stand,
    /// The template that read it.
    pub template: TemplateVersion,
    /// Its rows complete rows of other pages and are none of their own.
    pub detail: bool,
    /// False when rows were left out by a limit: a row that is not here may be on the page all the same.
    pub whole: bool,
    /// Its rows, in their order.
    pub rows: Vec<Row>,
}

/// How a page stood when it was visited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stand {
    /// It was read.
    Read,
    /// It is no more (404 or 410).
    Gone,
    /// It is elsewhere.
    Moved {
        /// There.
        to: PageUrl,
    },
}

/// Counts of a crawl's rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowCounts {
    /// Distinct rows; what a page adds to rows of other pages is not counted.
    pub rows: u64,
    /// Rows whose content another row has already.
    pub duplicates: u64,
    /// Pages that have rows.
    pub pages: u64,
    /// Records that a later one of the same page replaced.
    pub replaced: u64,
    /// The number of the next record.
    pub next: u64,
}

/// What a page brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Put {
    /// Rows that nobody had yet.
    pub new: u64,
    /// Rows whose content is known.
    pub duplicates: u64,
    /// Rows that there was no room for.
    pub left_out: u64,
}

/// The page types of a template, as far as its rows need them to be understood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateColumns {
    /// In the template's order.
    pub pages: Vec<PageColumns>,
}

/// One page type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageColumns {
    /// Its name.
    pub name: String,
    /// Its fields, in the order of a row's values.
    pub columns: Vec<Column>,
}

/// One field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its values are amounts of money.
    pub price: bool,
    /// The page type that the pages behind its links are read as.
    pub follow: Option<String>,
    /// Their values join the row; else they are rows below it.
    pub merge: bool,
}

/// Keeps what a visit said of a page's rows. Of rows that would be more than the crawl may have, `most`, only those are
/// kept whose content is known.
pub fn put(batch: &mut Batch, crawl: CrawlId, mut page: PageRows, most: u64) -> Result<Put, KvError> {
    let mut counts = batch.get(&ROW_COUNTS, &crawl.0)?.unwrap_or_default();
    if let Some((number, former)) = latest(batch, crawl, UrlKey::of(&page.url))? {
        take_back(batch, crawl, number, &former, &mut counts)?;
    }
    let number = counts.next;
    counts.next += 1;
    let mut put = Put::default();
    // After the former rows of the page went: a page that is read again has room for what it had.
    let room = most.saturating_sub(counts.rows);
    if !page.detail {
        let mut kept = Vec::with_capacity(page.rows.len());
        for row in std::mem::take(&mut page.rows) {
            let content = (crawl.0, row.content_hash());
            if batch.contains(&ROW_CONTENTS, &content)? {
                put.duplicates += 1;
            } else if put.new < room {
                batch.put(&ROW_CONTENTS, &content, &number);
                put.new += 1;
            } else {
                put.left_out += 1;
                continue;
            }
            kept.push(row);
        }
        page.rows = kept;
        page.whole &= put.left_out == 0;
    }
    counts.rows += put.new;
    counts.duplicates += put.duplicates;
    counts.pages += u64::from(!page.rows.is_empty());
    let key = UrlKey::of(&page.url);
    batch.put(&ROWS, &(crawl.0, number), &page);
    batch.put(&ROW_PAGES, &(crawl.0, key.host.0, key.page, number), &());
    batch.put(&ROW_COUNTS, &crawl.0, &counts);
    Ok(put)
}

/// Keeps the names of a template's columns, which its rows need. Before its first row.
pub fn put_template(batch: &mut Batch, crawl: CrawlId, template: &Template) {
    batch.put(&TEMPLATES, &(crawl.0, template.version().0), &TemplateColumns::of(template));
}

/// How many rows a crawl has.
pub fn counts(reader: &impl Reader, crawl: CrawlId) -> Result<RowCounts, KvError> {
    Ok(reader.get(&ROW_COUNTS, &crawl.0)?.unwrap_or_default())
}

/// What the latest visit said of a page's rows, and its number.
pub fn latest(
    reader: &impl Reader,
    crawl: CrawlId,
    page: UrlKey,
) -> Result<Option<(u64, PageRows)>, KvError> {
    before(reader, crawl, page, u64::MAX)
}

/// As [`latest`], of the records with a number below `end`.
pub fn before(
    reader: &impl Reader,
    crawl: CrawlId,
    page: UrlKey,
    end: u64,
) -> Result<Option<(u64, PageRows)>, KvError> {
    let first = (crawl.0, page.host.0, page.page, 0);
    let last = (crawl.0, page.host.0, page.page, end);
    let Some(key) = reader.range(&ROW_PAGES, first..last).keys().next_back() else { return Ok(None) };
    let number = key?.3;
    Ok(reader.get(&ROWS, &(crawl.0, number))?.map(|rows| (number, rows)))
}

/// Pages that have more than one record: the numbers below `end` that no longer stand, in order.
pub fn superseded(reader: &impl Reader, crawl: CrawlId, end: u64) -> Result<Vec<u64>, KvError> {
    let mut old = Vec::new();
    let mut last: Option<(u64, u128, u64)> = None;
    for key in reader.prefix(&ROW_PAGES, &crawl.0).keys() {
        let (_, host, page, number) = key?;
        if number >= end {
            continue;
        }
        if let Some((_, _, former)) = last.filter(|(h, p, _)| (*h, *p) == (host, page)) {
            old.push(former);
        }
        last = Some((host, page, number));
    }
    old.sort_unstable();
    Ok(old)
}

/// Drops up to `most` records of a crawl; true when none are left.
pub fn drop_some(batch: &mut Batch, crawl: CrawlId, most: usize) -> Result<bool, KvError> {
    fn drop_from<K: kv::Key, V: kv::Value>(
        batch: &mut Batch,
        table: &Table<K, V>,
        crawl: CrawlId,
        most: usize,
    ) -> Result<bool, KvError>
    where
        u32: kv::Prefix<K>,
    {
        let keys: Vec<K> = batch.prefix(table, &crawl.0).keys().take(most).collect::<Result<_, _>>()?;
        keys.iter().for_each(|key| batch.remove(table, key));
        Ok(keys.is_empty())
    }
    let mut done = drop_from(batch, &ROWS, crawl, most)?;
    done &= drop_from(batch, &ROW_PAGES, crawl, most)?;
    done &= drop_from(batch, &ROW_CONTENTS, crawl, most)?;
    done &= drop_from(batch, &TEMPLATES, crawl, most)?;
    done &= drop_from(batch, &ROW_RUNS, crawl, most)?;
    if done {
        batch.remove(&ROW_COUNTS, &crawl.0);
    }
    Ok(done)
}

/// A former record no longer counts.
fn take_back(
    batch: &mut Batch,
    crawl: CrawlId,
    number: u64,
    former: &PageRows,
    counts: &mut RowCounts,
) -> Result<(), KvError> {
    counts.replaced += 1;
    counts.pages = counts.pages.saturating_sub(u64::from(!former.rows.is_empty()));
    if former.detail {
        return Ok(());
    }
    for row in &former.rows {
        let content = (crawl.0, row.content_hash());
        if batch.get(&ROW_CONTENTS, &content)? == Some(number) {
            batch.remove(&ROW_CONTENTS, &content);
            counts.rows = counts.rows.saturating_sub(1);
        } else {
            counts.duplicates = counts.duplicates.saturating_sub(1);
        }
    }
    Ok(())
}

impl TemplateColumns {
    /// What a template's rows need to be understood by.
    pub fn of(template: &Template) -> TemplateColumns {
        let column = |field: &Field| Column {
            name: field.name.clone(),
            price: field.kind == FieldKind::Price,
            follow: field.follow.as_ref().map(|follow| follow.page.clone()),
            merge: field.follow.as_ref().is_some_and(|follow| follow.keep == Keep::Merge),
        };
        let page = |page: &PageType| PageColumns {
            name: page.name.clone(),
            columns: page.read.iter().map(column).collect(),
        };
        TemplateColumns { pages: template.pages.iter().map(page).collect() }
    }

    /// True when the rows of this page type join rows of others and are none of their own.
    pub fn is_detail(&self, page_type: &str) -> bool {
        let mut columns = self.pages.iter().flat_map(|page| &page.columns);
        columns.any(|column| column.merge && column.follow.as_deref() == Some(page_type))
    }

    /// The page type of this name.
    pub fn page(&self, name: &str) -> Option<&PageColumns> {
        self.pages.iter().find(|page| page.name == name)
    }
}

impl Record for PageRows {
    const VERSION: u8 = 1;
}

impl Record for RowCounts {
    const VERSION: u8 = 1;
}

impl Record for TemplateColumns {
    const VERSION: u8 = 1;
}
