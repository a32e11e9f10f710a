//! URLs in pieces, for tables that are scrolled, and how many have which outcome.

use std::collections::BTreeMap;

use frontier::tables::STATS;
use kv::Reader;
use model::{HostKey, ProjectName};
use serde::{Deserialize, Serialize};

use crate::pages::{Rows, host_of_prefix};
use crate::select::{check_outcomes, host_keys};
use crate::walk::{Met, Walk};
use crate::{Data, Listing, PageRow, ServiceError};

/// URLs in one piece, unless said and at most.
const USUAL: usize = 50;
const MOST: usize = 1_000;

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
    let stats = snapshot.get(&STATS, &entry.crawl.0)?.unwrap_or_default();
    // How many there are is known: a search for what is rare ends with the last one.
    let mut left: u64 = match request.outcomes.is_empty() {
        true => u64::MAX,
        false => request.outcomes.iter().map(|name| stats.outcomes.get(name).copied().unwrap_or(0)).sum(),
    };
    let from = request.cursor.as_deref().map(read_cursor).transpose()?;
    let mut hosts = match &request.host {
        Some(host) => Some(host_keys(host)?),
        None => request.prefix.as_deref().and_then(host_of_prefix).map(|host| vec![host]),
    };
    if let Some(hosts) = &mut hosts {
        hosts.sort();
    }
    let (crawl, first) = (entry.crawl.0, from.unwrap_or((0, 0)));
    let walks: Vec<Walk> = match hosts {
        None => vec![Walk::within(&snapshot, (crawl, first.0, first.1)..=(crawl, u64::MAX, u128::MAX))],
        Some(hosts) => {
            let walk = |host: HostKey| {
                let begin = if host.0 == first.0 { first.1 } else { 0 };
                Walk::within(&snapshot, (crawl, host.0, begin)..=(crawl, host.0, u128::MAX))
            };
            hosts.into_iter().filter(|host| host.0 >= first.0).map(walk).collect()
        }
    };
    let mut rows = Rows::new(&snapshot, entry.crawl);
    let mut items = Vec::new();
    for met in walks.into_iter().flatten() {
        let met = met?;
        if items.len() == limit {
            return Ok(Listing { items, next: Some(cursor(&met)) });
        }
        if left == 0 {
            break;
        }
        if wanted(&met, request) {
            left -= 1;
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
