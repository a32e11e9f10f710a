//! URLs in pieces, for tables that are scrolled, and how many have which outcome.
//!
//! What is rare among many URLs is found once and remembered for as long as the crawl stands still.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use frontier::tables::{PageKey, STATS, Stats, URLS};
use kv::{Reader, Snapshot};
use model::{CrawlId, HostKey, ProjectName};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::pages::{Rows, host_of_prefix};
use crate::select::{check_outcomes, host_keys};
use crate::walk::{Met, Walk};
use crate::{Data, Listing, PageRow, ServiceError};

/// URLs in one piece, unless said and at most.
const USUAL: usize = 50;
const MOST: usize = 1_000;

/// Of fewer URLs nothing is remembered.
const MANY: u64 = 20_000;

/// An outcome is rare when one URL in so many has it.
const RARE: u64 = 50;

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

/// Where the URLs with rare outcomes are, by crawl.
#[derive(Default)]
pub(crate) struct RareOutcomes(Mutex<HashMap<CrawlId, Arc<Rare>>>);

/// Keys of a crawl's URLs by outcome, in order, when its counts were these.
struct Rare {
    counts: u64,
    keys: BTreeMap<String, Vec<PageKey>>,
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
    if let Some(keys) = rare(data, &snapshot, entry.crawl, request)? {
        let begin = keys.partition_point(|key| *key < from);
        for key in &keys[begin..] {
            let Some(met) = Walk::within(&snapshot, *key..=*key).next().transpose()? else { continue };
            if items.len() == limit {
                return Ok(Listing { items, next: Some(cursor(&met)) });
            }
            if wanted(&met, request) && hosts.as_ref().is_none_or(|hosts| hosts.contains(&met.key.host)) {
                items.push(rows.row(met)?);
            }
        }
        return Ok(Listing { items, next: None });
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
    for met in walks.into_iter().flatten() {
        let met = met?;
        if items.len() == limit {
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
    let stats = data.store().get(&STATS, &entry.crawl.0)?.unwrap_or_default();
    Ok(stats.outcomes.into_iter().filter(|(_, count)| *count > 0).collect())
}

/// The keys of all URLs with the outcomes that are asked for, if these are rare ones of a crawl that stands still.
fn rare(
    data: &Data,
    snapshot: &Snapshot,
    crawl: CrawlId,
    request: &PagesPageRequest,
) -> Result<Option<Vec<PageKey>>, ServiceError> {
    let stats = snapshot.get(&STATS, &crawl.0)?.unwrap_or_default();
    let is_rare = |name: &String| count_of(&stats, name) <= stats.distinct / RARE;
    if request.outcomes.is_empty() || !request.outcomes.iter().all(is_rare) {
        return Ok(None);
    }
    if request.outcomes.iter().all(|name| count_of(&stats, name) == 0) {
        return Ok(Some(Vec::new()));
    }
    if stats.distinct < MANY || data.is_crawled(crawl) {
        return Ok(None);
    }
    let counts = xxh3_64(format!("{:?} {} {}", stats.outcomes, stats.requests, stats.distinct).as_bytes());
    let known = &data.rare_outcomes().0;
    let found = known.lock().unwrap_or_else(PoisonError::into_inner).get(&crawl).cloned();
    let found = match found.filter(|found| found.counts == counts) {
        Some(found) => found,
        None => {
            let mut keys: BTreeMap<String, Vec<PageKey>> = BTreeMap::new();
            for row in snapshot.prefix(&URLS, &crawl.0) {
                let (key, record) = row?;
                let name = record.outcome.name().to_owned();
                if is_rare(&name) {
                    keys.entry(name).or_default().push(key);
                }
            }
            let found = Arc::new(Rare { counts, keys });
            known.lock().unwrap_or_else(PoisonError::into_inner).insert(crawl, found.clone());
            found
        }
    };
    let lists = request.outcomes.iter().filter_map(|name| found.keys.get(name));
    let mut keys: Vec<PageKey> = lists.flatten().copied().collect();
    keys.sort_unstable();
    Ok(Some(keys))
}

fn count_of(stats: &Stats, outcome: &str) -> u64 {
    stats.outcomes.get(outcome).copied().unwrap_or(0)
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
