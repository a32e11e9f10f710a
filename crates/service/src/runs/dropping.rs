//! Dropping crawls that were started over or cancelled: in bounded steps, also when an earlier drop was cut short.

use std::sync::Arc;

use archive::rows::{self, ROW_RUNS, ROWS};
use archive::tables::{ACCEPTED, LINKS, POSITIONS, VISITS};
use catalog::{AbandonedCrawl, ProjectEntry, RunId};
use frontier::Frontier;
use kv::{Durability, Reader};
use model::CrawlId;

use crate::stored_ranks::StoredRanks;
use crate::{Data, ServiceError};

/// Rows dropped in one commit.
const DROP: usize = 20_000;

/// Crawls that a project started over from whose rows are kept: to compare with, and to ask for by run.
const KEPT: usize = 5;

/// Runs of a project whose logs are kept; each may take some 50 MB.
const LOGS_KEPT: usize = 20;

/// Drops the rows and files of crawls that were started over or cancelled, also when an earlier drop was cut short.
pub(crate) async fn drop_abandoned(data: &Arc<Data>) -> Result<(), ServiceError> {
    // One at a time: two runs may begin at once.
    let _alone = data.dropping().lock().await;
    for AbandonedCrawl { crawl, keeps_rows, keeps_archive } in data.catalog().abandoned_crawls().await? {
        tracing::info!(crawl = crawl.0, "dropping a crawl that was given up");
        let owner = data.clone();
        let dropped = tokio::task::spawn_blocking(move || -> Result<(), ServiceError> {
            while !drop_part(&owner, crawl)? {}
            while !keeps_rows && !drop_rows(&owner, crawl)? {}
            StoredRanks::drop(&owner, crawl)?;
            let logs = owner.runs_dir(crawl);
            if !keeps_rows && logs.exists() {
                std::fs::remove_dir_all(&logs).map_err(ServiceError::io("remove", &logs))?;
            }
            let folder = owner.archive_dir(crawl);
            if !keeps_archive && folder.exists() {
                std::fs::remove_dir_all(&folder).map_err(ServiceError::io("remove", &folder))?;
            }
            Ok(())
        });
        dropped.await.map_err(|_| ServiceError::Lost)??;
        data.catalog().crawl_dropped(crawl).await?;
    }
    Ok(())
}

/// Drops the rows of all but the latest few crawls that a project started over from.
pub(super) async fn drop_old_rows(data: &Arc<Data>, entry: &ProjectEntry) -> Result<(), ServiceError> {
    let mut crawls: Vec<CrawlId> =
        data.catalog().runs_of(entry.id).await?.iter().map(|run| run.crawl).collect();
    crawls.sort_unstable();
    crawls.dedup();
    crawls.retain(|crawl| *crawl != entry.crawl);
    crawls.truncate(crawls.len().saturating_sub(KEPT));
    let data = data.clone();
    let dropped = tokio::task::spawn_blocking(move || -> Result<(), ServiceError> {
        for crawl in crawls {
            while !drop_rows(&data, crawl)? {}
        }
        Ok(())
    });
    dropped.await.map_err(|_| ServiceError::Lost)?
}

/// True when runs before this one have brought rows of the same crawl.
pub(super) fn has_earlier_rows(data: &Data, crawl: CrawlId, run: RunId) -> Result<bool, ServiceError> {
    let first = data.store().get(&ROW_RUNS, &(crawl.0, run.0.unsigned_abs()))?;
    Ok(first.is_some_and(|first| first > 0))
}

/// Drops the rows that a run has brought, and its log; those of the runs before it stand as they stood.
pub(super) async fn discard_rows(data: &Arc<Data>, crawl: CrawlId, run: RunId) -> Result<(), ServiceError> {
    let data = data.clone();
    let dropped = tokio::task::spawn_blocking(move || -> Result<(), ServiceError> {
        let store = data.store();
        let first = store.get(&ROW_RUNS, &(crawl.0, run.0.unsigned_abs()))?.unwrap_or(u64::MAX);
        remove_indexes(&data, crawl)?;
        let log = data.run_dir(crawl, run);
        if log.exists() {
            std::fs::remove_dir_all(&log).map_err(ServiceError::io("remove", &log))?;
        }
        loop {
            let range = (crawl.0, first)..=(crawl.0, u64::MAX);
            let keys: Vec<_> = store.range(&ROWS, range).keys().take(DROP).collect::<Result<_, _>>()?;
            if keys.is_empty() {
                return Ok(rows::reindex(store, crawl)?);
            }
            let mut batch = store.batch();
            keys.iter().for_each(|key| batch.remove(&ROWS, key));
            store.commit(batch, Durability::Synced)?;
        }
    });
    dropped.await.map_err(|_| ServiceError::Lost)?
}

/// Removes the logs of all but the latest runs of a project.
pub(super) async fn drop_old_logs(data: &Arc<Data>, entry: &ProjectEntry) -> Result<(), ServiceError> {
    let old = data.catalog().runs_of(entry.id).await?.into_iter().skip(LOGS_KEPT);
    let folders: Vec<_> = old.map(|run| data.run_dir(run.crawl, run.id)).collect();
    let removed = tokio::task::spawn_blocking(move || -> Result<(), ServiceError> {
        for folder in folders.into_iter().filter(|folder| folder.exists()) {
            std::fs::remove_dir_all(&folder).map_err(ServiceError::io("remove", &folder))?;
        }
        Ok(())
    });
    removed.await.map_err(|_| ServiceError::Lost)?
}

/// Drops some of what templates read; true when nothing is left.
fn drop_rows(data: &Data, crawl: CrawlId) -> Result<bool, ServiceError> {
    let mut batch = data.store().batch();
    remove_indexes(data, crawl)?;
    let done = rows::drop_some(&mut batch, crawl, DROP)?;
    data.store().commit(batch, Durability::Synced)?;
    Ok(done)
}

fn remove_indexes(data: &Data, crawl: CrawlId) -> Result<(), ServiceError> {
    let index = data.rows_dir(crawl);
    if index.exists() {
        std::fs::remove_dir_all(&index).map_err(ServiceError::io("remove", &index))?;
    }
    Ok(())
}

/// Drops some records of a crawl, all but what templates read; true when none are left.
fn drop_part(data: &Data, crawl: CrawlId) -> Result<bool, ServiceError> {
    let store = data.store();
    let mut batch = store.batch();
    let visits: Vec<_> = store.prefix(&VISITS, &crawl.0).keys().take(DROP).collect::<Result<_, _>>()?;
    visits.iter().for_each(|key| batch.remove(&VISITS, key));
    let links: Vec<_> = store.prefix(&LINKS, &crawl.0).keys().take(DROP).collect::<Result<_, _>>()?;
    links.iter().for_each(|key| batch.remove(&LINKS, key));
    let accepted: Vec<_> = store.prefix(&ACCEPTED, &crawl.0).keys().take(DROP).collect::<Result<_, _>>()?;
    accepted.iter().for_each(|key| batch.remove(&ACCEPTED, key));
    let mut done = visits.is_empty() && links.is_empty() && accepted.is_empty();
    done &= judge::book::drop_some(&mut batch, crawl, DROP)?;
    if done {
        done = Frontier::drop_crawl(&mut batch, crawl, DROP)?;
    }
    if done {
        batch.remove(&POSITIONS, &crawl.0);
    }
    store.commit(batch, Durability::Synced)?;
    Ok(done)
}
