//! Fingerprints of texts made again from the archive: those that a damaged or lost table took.
//!
//! Pages are judged in the order of their keys, each against all that have a fingerprint, so the groups are the same.

use catalog::ProjectEntry;
use crawl::judged_otherwise;
use frontier::tables::{FACTS, URLS};
use frontier::{kept_as, texts_fact};
use judge::book::{self, StoredTexts};
use judge::fingerprint::{FingerprintMaker, Threshold, made_by};
use judge::tables::FINGERPRINTS;
use kv::{Durability, Reader, Store};
use model::{CrawlId, HostKey, UrlKey};

use crate::versions::KeptPages;
use crate::{Data, ServiceError};

/// Texts, or rows, of one commit.
const GROUP: usize = 500;

/// Judges archived pages that have no fingerprint; returns how many got one.
pub(crate) fn restore_texts(data: &Data, crawl: CrawlId, entry: &ProjectEntry) -> Result<u64, ServiceError> {
    let settings = entry.project.crawl.duplicate_settings();
    let Some(mut maker) = FingerprintMaker::of(&settings) else { return Ok(0) };
    let store = data.store();
    let pages = KeptPages::of(data, entry)?;
    let snapshot = store.snapshot();
    let mut batch = store.batch();
    let mut restored = 0;
    for row in snapshot.prefix(&URLS, &crawl.0) {
        let ((_, host, page), record) = row?;
        let key = UrlKey { host: HostKey(host), page };
        let is_page = record.outcome.is_page() || kept_as(&snapshot, crawl, key, &record.outcome)?.is_some();
        if !is_page || snapshot.contains(&FINGERPRINTS, &(crawl.0, host, page))? {
            continue;
        }
        // What cannot be read is named elsewhere.
        let Ok(read) = pages.latest(&snapshot, crawl, &record.url) else { continue };
        let Some(fingerprint) = maker.of_page(&read) else { continue };
        let texts = &mut StoredTexts { batch: &mut batch, crawl };
        book::judge(texts, key, &fingerprint, Threshold::of(&settings))?;
        restored += 1;
        if restored % GROUP as u64 == 0 {
            store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Buffered)?;
        }
    }
    if !judged_otherwise(&batch, crawl, &settings)? {
        batch.put(&FACTS, &texts_fact(crawl), &made_by(&settings));
    }
    store.commit(batch, Durability::Synced)?;
    Ok(restored)
}

/// Forgets all texts of a crawl, so that they are made again: tables that lost rows do not fit together.
pub(crate) fn forget_texts(store: &Store, crawl: CrawlId) -> Result<(), ServiceError> {
    loop {
        let mut batch = store.batch();
        let done = book::drop_some(&mut batch, crawl, GROUP)?;
        batch.remove(&FACTS, &texts_fact(crawl));
        store.commit(batch, Durability::Buffered)?;
        if done {
            return Ok(());
        }
    }
}
