//! Audit: do the frontier's tables agree with each other? Read-only, over a snapshot, in bounded memory.

use std::collections::BTreeMap;

use kv::Reader;
use model::{CrawlId, HostKey, Outcome, UrlKey};

use crate::FrontierError;
use crate::tables::{LATER, QUEUE, SCHEDULE, SITES, STATS, SiteRecord, URLS};

/// Something that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding(pub String);

/// Compares queue, schedule, counts and outcomes of a crawl.
pub fn audit(reader: &impl Reader, id: CrawlId) -> Result<Vec<Finding>, FrontierError> {
    let mut findings = Vec::new();
    let mut find = |text: String| findings.push(Finding(text));
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    let mut sites: BTreeMap<u64, SiteRecord> = BTreeMap::new();
    let mut distinct = 0;
    for row in reader.prefix(&URLS, &id.0) {
        let ((_, host, page), record) = row?;
        distinct += 1;
        *outcomes.entry(record.outcome.name().to_owned()).or_default() += 1;
        if UrlKey::of(&record.url) != (UrlKey { host: HostKey(host), page }) {
            find(format!("{} is kept under another URL's key", record.url));
        }
        let site = sites.entry(host).or_default();
        match &record.outcome {
            outcome if outcome.is_page() => site.pages += 1,
            Outcome::Waiting => {
                site.waiting += 1;
                let place = (id.0, host, (record.priority, record.arrival));
                if reader.get(&QUEUE, &place)?.is_none_or(|waiting| waiting.page != page) {
                    find(format!("{} waits but is in no queue", record.url));
                }
            }
            Outcome::Retrying { due, .. } => {
                site.later += 1;
                if !reader.contains(&LATER, &(id.0, host, (due.0, page)))? {
                    find(format!("{} is to be retried but has no turn", record.url));
                }
            }
            _ => {}
        }
    }
    let waiting: u64 = sites.values().map(|site| site.waiting).sum();
    let later: u64 = sites.values().map(|site| site.later).sum();
    let queued = count(reader.prefix(&QUEUE, &id.0).keys())?;
    let postponed = count(reader.prefix(&LATER, &id.0).keys())?;
    if queued != waiting {
        find(format!("{queued} rows in the queue for {waiting} waiting URLs"));
    }
    if postponed != later {
        find(format!("{postponed} rows for {later} URLs to be retried"));
    }
    let mut scheduled = 0;
    for row in reader.prefix(&SITES, &id.0) {
        let ((_, host), record) = row?;
        let counted = sites.remove(&host).unwrap_or_default();
        if record.pages != counted.pages {
            find(format!("host {host:016x} counts {} pages, has {}", record.pages, counted.pages));
        }
        if (record.waiting, record.later) != (counted.waiting, counted.later) {
            find(format!(
                "host {host:016x} counts {}+{} open URLs, has {}+{}",
                record.waiting, record.later, counted.waiting, counted.later
            ));
        }
        if (record.waiting + record.later > 0) != record.scheduled.is_some() {
            find(format!(
                "host {host:016x} has {} open URLs but its place in the schedule is {:?}",
                record.waiting + record.later,
                record.scheduled
            ));
        }
        if let Some(due) = record.scheduled {
            scheduled += 1;
            if !reader.contains(&SCHEDULE, &(id.0, due.0, host))? {
                find(format!("host {host:016x} is not in the schedule"));
            }
        }
    }
    for (host, site) in sites.iter().filter(|(_, site)| site.waiting + site.later + site.pages > 0) {
        find(format!("host {host:016x} has {} open URLs and no record", site.waiting + site.later));
    }
    let rows = count(reader.prefix(&SCHEDULE, &id.0).keys())?;
    if rows != scheduled {
        find(format!("{rows} rows in the schedule for {scheduled} hosts"));
    }
    if let Some(stats) = reader.get(&STATS, &id.0)? {
        let counted: BTreeMap<_, _> = stats.outcomes.into_iter().filter(|(_, count)| *count > 0).collect();
        if counted != outcomes {
            find(format!("outcomes are counted as {counted:?}, but are {outcomes:?}"));
        }
        if stats.distinct != distinct {
            find(format!("{} URLs are counted, {distinct} are known", stats.distinct));
        }
    } else if distinct > 0 {
        find(format!("{distinct} URLs are known, but none are counted"));
    }
    Ok(findings)
}

fn count<T>(rows: impl Iterator<Item = Result<T, kv::KvError>>) -> Result<u64, FrontierError> {
    let mut rows_seen = 0;
    for row in rows {
        row?;
        rows_seen += 1;
    }
    Ok(rows_seen)
}
