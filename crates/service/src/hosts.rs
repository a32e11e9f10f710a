//! `hosts`: the politeness ledger, how each host was treated.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use catalog::ProjectEntry;
use fetch::hints::Hints;
use frontier::tables::{HINTS, HOSTS, HintsAnswer, HintsRecord, HostRecord, ROBOTS, RobotsAnswer, SITES};
use kv::{Reader, Snapshot};
use model::HostKey;
use serde::{Deserialize, Serialize};

use crate::select::host_keys;
use crate::sink::Sink;
use crate::{Data, HostsRequest, Moment, ServiceError};

/// A line of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostRow {
    /// Host and port.
    pub host: String,
    /// Requests sent, robots.txt included.
    pub requests: u64,
    /// Failed requests.
    pub failed: u64,
    /// Names and connections that failed in a row.
    pub failures_in_a_row: u32,
    /// The shortest time between two request starts.
    pub shortest_gap_ms: Option<u64>,
    /// The pause in force after the latest request.
    pub pause_ms: u64,
    /// What robots.txt asks for.
    pub crawl_delay_ms: Option<u64>,
    /// robots.txt in force, by origin.
    pub robots: Vec<RobotsInForce>,
    /// Crawl hints in force, by origin.
    #[serde(default)]
    pub hints: Vec<HintsInForce>,
    /// How often the host asked us to wait.
    pub waits_asked: u64,
    /// The longest wait it asked for.
    pub longest_wait_ms: u64,
    /// Start of the latest request.
    pub last_request: Option<Moment>,
    /// Not to be asked before.
    pub next_allowed: Moment,
    /// URLs that wait.
    pub waiting: u64,
    /// URLs that wait for a retry.
    pub retrying: u64,
    /// Pages kept.
    pub pages: u64,
    /// Mean time of an answer.
    pub mean_ms: Option<f64>,
    /// The proxy that it is asked through while that one is well: name and port.
    #[serde(default)]
    pub proxy: Option<String>,
}

/// The robots.txt that an origin's requests kept to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotsInForce {
    /// Scheme, host and port.
    pub origin: String,
    /// Hash of the file; none when there is no file.
    pub version: Option<String>,
    /// When it was asked for.
    pub read_at: Moment,
    /// What asking gave.
    pub words: String,
}

/// The crawl hints that an origin's requests kept to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HintsInForce {
    /// Scheme, host and port.
    pub origin: String,
    /// When they were asked for.
    pub read_at: Moment,
    /// What they say, or why there are none.
    pub words: String,
}

pub(crate) fn hosts(data: &Data, request: &HostsRequest, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let projects: Vec<ProjectEntry> = match &request.project {
        Some(_) => vec![data.project(request.project.as_ref())?],
        None => data.projects()?,
    };
    let snapshot = data.store().snapshot();
    if !request.hosts.is_empty() {
        for name in &request.hosts {
            for key in host_keys(name)? {
                if let Some(record) = snapshot.get(&HOSTS, &key.0)? {
                    out.send(&row(&snapshot, &projects, key, record)?)?;
                }
            }
        }
        return Ok(());
    }
    let only_its_own = request.project.is_some();
    let belongs = |key: u64| -> Result<bool, ServiceError> {
        Ok(!only_its_own || snapshot.contains(&SITES, &(projects[0].crawl.0, key))?)
    };
    let Some(limit) = request.limit else {
        for host in snapshot.iter(&HOSTS) {
            let (key, record) = host?;
            if belongs(key)? {
                out.send(&row(&snapshot, &projects, HostKey(key), record)?)?;
            }
        }
        return Ok(());
    };
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut busiest: BinaryHeap<Reverse<(u64, u64)>> = BinaryHeap::new();
    for host in snapshot.iter(&HOSTS) {
        let (key, record) = host?;
        if belongs(key)? {
            busiest.push(Reverse((record.requests, key)));
            if busiest.len() > most {
                busiest.pop();
            }
        }
    }
    for Reverse((_, key)) in busiest.into_sorted_vec() {
        if let Some(record) = snapshot.get(&HOSTS, &key)? {
            out.send(&row(&snapshot, &projects, HostKey(key), record)?)?;
        }
    }
    Ok(())
}

fn row(
    snapshot: &Snapshot,
    projects: &[ProjectEntry],
    key: HostKey,
    record: HostRecord,
) -> Result<HostRow, ServiceError> {
    let (mut waiting, mut retrying, mut pages) = (0, 0, 0);
    let mut proxy = None;
    for ProjectEntry { crawl, project, .. } in projects {
        if let Some(site) = snapshot.get(&SITES, &(crawl.0, key.0))? {
            waiting += site.waiting;
            retrying += site.later;
            pages += site.pages;
            proxy = proxy.or_else(|| crawl::usual_proxy(&project.crawl, &record.host));
        }
    }
    let (mut robots, mut hints) = (Vec::new(), Vec::new());
    for (origin, (version, read_at)) in &record.robots {
        let words = match snapshot.get(&ROBOTS, origin)?.map(|robots| robots.answer) {
            Some(RobotsAnswer::Rules { text, .. }) => format!("{} bytes of rules", text.len()),
            Some(RobotsAnswer::None { status }) => format!("none (status {status}): everything is allowed"),
            Some(RobotsAnswer::Unreachable { reason }) => format!("could not be had ({reason})"),
            None => "not kept".to_owned(),
        };
        if let Some(record) = snapshot.get(&HINTS, origin)? {
            let (origin, read_at) = (origin.clone(), record.fetched.into());
            hints.push(HintsInForce { origin, read_at, words: hint_words(&record) });
        }
        let version = (*version != 0).then(|| format!("{version:016x}"));
        robots.push(RobotsInForce { origin: origin.clone(), version, read_at: (*read_at).into(), words });
    }
    Ok(HostRow {
        host: record.host.to_string(),
        requests: record.requests,
        failed: record.failed,
        failures_in_a_row: record.failures,
        shortest_gap_ms: record.shortest_gap,
        pause_ms: record.pause,
        crawl_delay_ms: record.crawl_delay,
        robots,
        hints,
        waits_asked: record.waits_asked,
        longest_wait_ms: record.longest_wait,
        last_request: record.last_start.map(Moment),
        next_allowed: record.next.into(),
        waiting,
        retrying,
        pages,
        proxy,
        mean_ms: (record.requests > 0).then(|| record.millis as f64 / record.requests as f64),
    })
}

/// What hints say.
pub(crate) fn hint_words(record: &HintsRecord) -> String {
    let hints = match &record.answer {
        HintsAnswer::Hints { text } => Hints::parse(text).unwrap_or_default(),
        HintsAnswer::None { status } => return format!("none (status {status})"),
        HintsAnswer::Unreadable { reason } => return format!("could not be read ({reason})"),
    };
    let time = |minute: u16| format!("{:02}:{:02}", minute / 60 % 24, minute % 60);
    let words: Vec<String> = [
        hints.urls.map(|urls| format!("{urls} URLs")),
        hints.pause.map(|pause| format!("a request each {} ms at most", pause.as_millis())),
        hints.hours.map(|hours| format!("from {} to {} UTC", time(hours.from), time(hours.to + 1))),
        (record.named > 0).then(|| format!("{} changed URLs", record.named)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}
