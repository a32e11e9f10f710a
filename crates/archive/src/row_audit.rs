//! Rows that fit together: what is kept twice, for speed, says the same; and is made again where it does not.

use kv::{Durability, KvError, Reader, Store};
use model::{CrawlId, UrlKey};

use crate::rows::{ROW_CONTENTS, ROW_COUNTS, ROW_PAGES, ROWS, RowCounts, TEMPLATES, counts, superseded};

/// Records written anew in one commit.
const GROUP: usize = 1_000;

/// What does not fit, in words; and how many rows were looked at.
pub fn audit(reader: &impl Reader, crawl: CrawlId) -> Result<(Vec<String>, u64), KvError> {
    let mut findings = Vec::new();
    let counted = counts(reader, crawl)?;
    let mut found = RowCounts { replaced: counted.replaced, ..RowCounts::default() };
    let mut rows = 0;
    let (mut records, mut unlisted, mut unknown, mut nameless) = (0_u64, 0_u64, 0_u64, 0_u64);
    for record in reader.prefix(&ROWS, &crawl.0) {
        let ((_, number), page) = record?;
        let key = UrlKey::of(&page.url);
        records += 1;
        found.next = number + 1;
        rows += page.rows.len() as u64;
        found.pages += u64::from(!page.rows.is_empty());
        unlisted += u64::from(!reader.contains(&ROW_PAGES, &(crawl.0, key.host.0, key.page, number))?);
        nameless +=
            u64::from(!page.rows.is_empty() && !reader.contains(&TEMPLATES, &(crawl.0, page.template.0))?);
        for row in page.rows.iter().filter(|_| !page.detail && counted.replaced == 0) {
            unknown += u64::from(!reader.contains(&ROW_CONTENTS, &(crawl.0, row.content_hash()))?);
        }
    }
    let mut listed = 0;
    for key in reader.prefix(&ROW_PAGES, &crawl.0).keys() {
        key?;
        listed += 1;
    }
    for content in reader.prefix(&ROW_CONTENTS, &crawl.0).keys() {
        content?;
        found.rows += 1;
    }
    let mut find = |wrong: bool, words: String| findings.extend(wrong.then_some(words));
    find(unlisted > 0, format!("{unlisted} pages with rows cannot be found by their URL"));
    find(listed + unlisted != records, format!("{listed} pages with rows are listed, {records} are kept"));
    find(unknown > 0, format!("{unknown} rows are missing in the list of contents"));
    find(nameless > 0, format!("{nameless} pages have rows whose columns' names are lost"));
    find(found.next > counted.next, "the number of the next record of rows is used already".to_owned());
    find(
        found.rows != counted.rows || counted.replaced == 0 && found.pages != counted.pages,
        format!(
            "rows are counted as {} on {} pages, there are {} on {}",
            counted.rows, counted.pages, found.rows, found.pages
        ),
    );
    Ok((findings, rows))
}

/// Makes again what can be made of the records themselves: lists and counts.
pub fn reindex(store: &Store, crawl: CrawlId) -> Result<(), KvError> {
    loop {
        let mut batch = store.batch();
        let pages: Vec<_> =
            store.prefix(&ROW_PAGES, &crawl.0).keys().take(GROUP).collect::<Result<_, _>>()?;
        pages.iter().for_each(|key| batch.remove(&ROW_PAGES, key));
        let contents = store.prefix(&ROW_CONTENTS, &crawl.0).keys().take(GROUP);
        let contents: Vec<_> = contents.collect::<Result<_, _>>()?;
        contents.iter().for_each(|key| batch.remove(&ROW_CONTENTS, key));
        if batch.is_empty() {
            break;
        }
        store.commit(batch, Durability::Buffered)?;
    }
    let mut made = RowCounts::default();
    let mut batch = store.batch();
    for record in store.snapshot().prefix(&ROWS, &crawl.0) {
        let ((_, number), page) = record?;
        let key = UrlKey::of(&page.url);
        batch.put(&ROW_PAGES, &(crawl.0, key.host.0, key.page, number), &());
        made.next = number + 1;
        if batch.len() >= GROUP {
            store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Buffered)?;
        }
    }
    store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Buffered)?;
    let replaced = superseded(store, crawl, u64::MAX)?;
    made.replaced = replaced.len() as u64;
    for record in store.snapshot().prefix(&ROWS, &crawl.0) {
        let ((_, number), page) = record?;
        if replaced.binary_search(&number).is_ok() {
            continue;
        }
        made.pages += u64::from(!page.rows.is_empty());
        for row in page.rows.iter().filter(|_| !page.detail) {
            let content = (crawl.0, row.content_hash());
            if batch.contains(&ROW_CONTENTS, &content)? {
                made.duplicates += 1;
            } else {
                batch.put(&ROW_CONTENTS, &content, &number);
                made.rows += 1;
            }
        }
        if batch.len() >= GROUP {
            store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Buffered)?;
        }
    }
    batch.put(&ROW_COUNTS, &crawl.0, &made);
    store.commit(batch, Durability::Synced)
}
