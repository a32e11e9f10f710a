//! Rebuilds what follows from the URLs alone: queue, schedule, counts of hosts, outcomes.

use std::collections::BTreeMap;

use frontier::tables::{HOSTS, LATER, QUEUE, SCHEDULE, SITES, STATS, SiteRecord, URLS, UrlRecord, Waiting};
use kv::{Batch, Durability, Reader, Store};
use model::{CrawlId, Outcome, Timestamp};

use crate::ServiceError;

/// Changes in one commit.
const GROUP: usize = 10_000;

/// Writes queue, schedule and counts of a crawl anew. Safe to repeat; in between, the crawl must not run.
pub(crate) fn reindex(store: &Store, crawl: CrawlId) -> Result<(), ServiceError> {
    let mut work = Work { store, batch: store.batch() };
    macro_rules! empty {
        ($($table:expr),*) => {$(
            for key in store.prefix(&$table, &crawl.0).keys() {
                work.batch.remove(&$table, &key?);
                work.breathe()?;
            }
        )*};
    }
    empty!(QUEUE, LATER, SCHEDULE, SITES);
    work.commit(Durability::Buffered)?;

    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    let (mut distinct, mut next_arrival) = (0, 0);
    let mut site: Option<(u64, SiteRecord, Option<Timestamp>)> = None;
    for row in store.prefix(&URLS, &crawl.0) {
        let ((_, host, page), record) = row?;
        distinct += 1;
        next_arrival = next_arrival.max(record.arrival + 1);
        *outcomes.entry(record.outcome.name().to_owned()).or_default() += 1;
        if site.as_ref().is_none_or(|(known, ..)| *known != host) {
            if let Some((host, record, later)) = site.take() {
                work.site(crawl, host, record, later)?;
            }
            site = Some((host, SiteRecord::default(), None));
        }
        let Some((_, counts, later)) = &mut site else { continue };
        work.place(crawl, host, page, &record, counts, later);
        work.breathe()?;
    }
    if let Some((host, record, later)) = site {
        work.site(crawl, host, record, later)?;
    }
    let mut stats = store.get(&STATS, &crawl.0)?.unwrap_or_default();
    stats.distinct = distinct;
    stats.next_arrival = stats.next_arrival.max(next_arrival);
    stats.outcomes = outcomes;
    work.batch.put(&STATS, &crawl.0, &stats);
    work.commit(Durability::Synced)
}

struct Work<'a> {
    store: &'a Store,
    batch: Batch,
}

impl Work<'_> {
    fn place(
        &mut self,
        crawl: CrawlId,
        host: u64,
        page: u128,
        record: &UrlRecord,
        counts: &mut SiteRecord,
        later: &mut Option<Timestamp>,
    ) {
        match &record.outcome {
            Outcome::Fetched | Outcome::NotModified => counts.pages += 1,
            Outcome::Waiting => {
                counts.waiting += 1;
                let place = (crawl.0, host, (record.priority, record.arrival));
                self.batch.put(&QUEUE, &place, &Waiting { page });
            }
            Outcome::Retrying { due, .. } => {
                counts.later += 1;
                *later = Some(later.map_or(*due, |first| first.min(*due)));
                self.batch.put(&LATER, &(crawl.0, host, (due.0, page)), &());
            }
            _ => {}
        }
    }

    fn site(
        &mut self,
        crawl: CrawlId,
        host: u64,
        mut record: SiteRecord,
        later: Option<Timestamp>,
    ) -> Result<(), ServiceError> {
        let next = self.batch.get(&HOSTS, &host)?.map_or(Timestamp::ZERO, |host| host.next);
        record.scheduled = if record.waiting > 0 { Some(next) } else { later.map(|due| due.max(next)) };
        if let Some(due) = record.scheduled {
            self.batch.put(&SCHEDULE, &(crawl.0, due.0, host), &());
        }
        if record != SiteRecord::default() {
            self.batch.put(&SITES, &(crawl.0, host), &record);
        }
        Ok(())
    }

    fn breathe(&mut self) -> Result<(), ServiceError> {
        if self.batch.len() >= GROUP { self.commit(Durability::Buffered) } else { Ok(()) }
    }

    fn commit(&mut self, durability: Durability) -> Result<(), ServiceError> {
        let batch = std::mem::replace(&mut self.batch, self.store.batch());
        Ok(self.store.commit(batch, durability)?)
    }
}
