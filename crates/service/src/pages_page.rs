//! URLs in pieces, for tables that are scrolled, and how many have which outcome.
//!
//! What is looked for among many URLs is found by an index, for as long as the crawl stands still. While it runs, a
//! piece ends after so many URLs looked at, even if none of them was wanted.

use std::collections::BTreeMap;

use frontier::tables::{REVISITS, STATS, Stats, URLS};
use kv::{Reader, Snapshot};
use model::{CrawlId, HostKey, Outcome, ProjectName};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::page_index::Sought;
use crate::pages::{Rows, host_of_prefix};
use crate::select::{check_outcomes, host_keys};
use crate::walk::{Met, Walk};
use crate::{Data, Listing, PageRow, ServiceError};

/// URLs in one piece, unless said and at most.
const USUAL: usize = 50;
const MOST: usize = 1_000;

/// Fewer URLs are looked at one by one.
const MANY: u64 = 10_000;

/// URLs of a running crawl looked at for one piece.
const LOOKED_AT: usize = 10_000;

/// Pages that are asked for again whose outcomes are looked at one by one to count them.
const LOOKED_UP: u64 = 100_000;

/// Which URLs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PagesPageRequest {
    /// Of this project; the one that ran last unless said.
    pub project: Option<ProjectName>,
    /// With one of these outcomes; any if empty.
    pub outcomes: Vec<String>,
    /// Of this host, `name` or `name:port`.
    pub host: Option<String>,
    /// Beginning like this.
    pub prefix: Option<String>,
    /// Where an earlier piece ended.
    pub cursor: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// A piece of a project's URLs. From a blocking thread.
pub fn pages_page(data: &Data, request: &PagesPageRequest) -> Result<Listing<PageRow>, ServiceError> {
    check_outcomes(&request.outcomes)?;
    let entry = data.project(request.project.as_ref())?;
    let snapshot = data.store().snapshot();
    let limit = request.limit.unwrap_or(USUAL).clamp(1, MOST);
    let first = request.cursor.as_deref().map(read_cursor).transpose()?.unwrap_or((0, 0));
    let (crawl, from) = (entry.crawl.0, (entry.crawl.0, first.0, first.1));
    let mut hosts = match &request.host {
        Some(host) => Some(host_keys(host)?),
        None => request.prefix.as_deref().and_then(host_of_prefix).map(|host| vec![host]),
    };
    if let Some(hosts) = &mut hosts {
        hosts.sort();
    }
    let mut rows = Rows::new(&snapshot, entry.crawl);
    let mut items = Vec::new();
    let stats = snapshot.get(&STATS, &crawl)?.unwrap_or_default();
    let outcomes = &request.outcomes;
    if !outcomes.is_empty() {
        let counts = counts_of(&snapshot, entry.crawl, &stats)?.outcomes;
        if outcomes.iter().all(|name| !counts.contains_key(name)) {
            return Ok(Listing { items, next: None });
        }
    }
    let filters = !outcomes.is_empty() || request.prefix.is_some();
    // Also while what it left is put in order.
    let running = data.is_crawled(entry.crawl) || data.shelf().is_followed(entry.crawl);
    if filters && !running && stats.distinct >= MANY {
        let index = data.shelf().pages(data, &snapshot, entry.crawl, moment(&stats))?;
        let wanted = Sought { outcomes, prefix: request.prefix.as_deref(), hosts: hosts.as_deref(), from };
        let found = index.select(&snapshot, &wanted, limit + 1);
        let found = found.or_else(|error| {
            tracing::warn!(%error, "an index of pages is spoilt; it is thrown away, and all pages are read");
            index.remove().map(|()| None)
        })?;
        if let Some(keys) = found {
            for key in keys {
                let Some(met) = Walk::within(&snapshot, key..=key).next().transpose()? else { continue };
                if items.len() == limit {
                    return Ok(Listing { items, next: Some(cursor(&met)) });
                }
                items.push(rows.row(met)?);
            }
            return Ok(Listing { items, next: None });
        }
    }
    let walks: Vec<Walk> = match hosts {
        None => vec![Walk::within(&snapshot, from..=(crawl, u64::MAX, u128::MAX))],
        Some(hosts) => {
            let walk = |host: HostKey| {
                let begin = if host.0 == first.0 { first.1 } else { 0 };
                Walk::within(&snapshot, (crawl, host.0, begin)..=(crawl, host.0, u128::MAX))
            };
            hosts.into_iter().filter(|host| host.0 >= first.0).map(walk).collect()
        }
    };
    for (looked_at, met) in walks.into_iter().flatten().enumerate() {
        let met = met?;
        if items.len() == limit || (running && looked_at == LOOKED_AT) {
            return Ok(Listing { items, next: Some(cursor(&met)) });
        }
        if wanted(&met, request) {
            items.push(rows.row(met)?);
        }
    }
    Ok(Listing { items, next: None })
}

/// How many URLs of a project have which outcome. From a blocking thread.
pub fn outcome_counts(
    data: &Data,
    project: Option<&ProjectName>,
) -> Result<BTreeMap<String, u64>, ServiceError> {
    let entry = data.project(project)?;
    let snapshot = data.store().snapshot();
    let stats = snapshot.get(&STATS, &entry.crawl.0)?.unwrap_or_default();
    Ok(counts_of(&snapshot, entry.crawl, &stats)?.outcomes)
}

/// URLs by outcome.
pub(crate) struct OutcomeCounts {
    /// A page that is asked for again counts as what it was. Those that occur.
    pub(crate) outcomes: BTreeMap<String, u64>,
    /// Such pages.
    pub(crate) again: u64,
}

/// How many URLs of a crawl have which outcome, by its counts.
pub(crate) fn counts_of(
    reader: &impl Reader,
    crawl: CrawlId,
    stats: &Stats,
) -> Result<OutcomeCounts, ServiceError> {
    let (mut outcomes, mut again) = (stats.outcomes.clone(), 0);
    for row in reader.prefix(&REVISITS, &crawl.0) {
        let (key, was) = row.map(|(key, record)| (key, record.was))?;
        // Of very many each of the others is taken for one that has not been tried yet.
        let is = match again < LOOKED_UP {
            true => reader.get(&URLS, &key)?.map_or(Outcome::Waiting, |record| record.outcome),
            false => Outcome::Waiting,
        };
        if was.is_page() && is.is_open() {
            again += 1;
            outcomes.entry(is.name().to_owned()).and_modify(|count| *count = count.saturating_sub(1));
            *outcomes.entry(was.name().to_owned()).or_default() += 1;
        }
    }
    outcomes.retain(|_, count| *count > 0);
    Ok(OutcomeCounts { outcomes, again })
}

/// Makes the index of a crawl's URLs, if there are many and the crawl stands still.
pub(crate) fn prepare_pages(data: &Data, snapshot: &Snapshot, crawl: CrawlId) -> Result<(), ServiceError> {
    let stats = snapshot.get(&STATS, &crawl.0)?.unwrap_or_default();
    if stats.distinct < MANY || data.is_crawled(crawl) {
        return Ok(());
    }
    data.shelf().pages(data, snapshot, crawl, moment(&stats)).map(drop)
}

/// Tells moments of a crawl apart: nothing happens to its URLs that is not counted.
fn moment(stats: &Stats) -> u64 {
    xxh3_64(format!("{:?} {} {}", stats.outcomes, stats.requests, stats.distinct).as_bytes())
}

fn wanted(met: &Met, request: &PagesPageRequest) -> bool {
    let name = met.record.outcome.name();
    let by_outcome = request.outcomes.is_empty() || request.outcomes.iter().any(|outcome| outcome == name);
    let prefix = request.prefix.as_deref().unwrap_or_default();
    by_outcome && met.record.url.as_str().starts_with(prefix)
}

fn cursor(met: &Met) -> String {
    format!("{:x}-{:x}", met.key.host.0, met.key.page)
}

fn read_cursor(text: &str) -> Result<(u64, u128), ServiceError> {
    let read = || {
        let (host, page) = text.split_once('-')?;
        Some((u64::from_str_radix(host, 16).ok()?, u128::from_str_radix(page, 16).ok()?))
    };
    read().ok_or_else(|| ServiceError::Cursor(text.to_owned()))
}
