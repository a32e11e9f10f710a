//! `summary`: a project's counts, as a run prints them at its end.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use archive::rows::{RowCounts, counts};
use catalog::ProjectEntry;
use frontier::tables::{HOSTS, Histogram, SITES, STATS, Stats};
use kv::Reader;
use model::Outcome;
use serde::{Deserialize, Serialize};

use crate::pages_page::counts_of;
use crate::{Data, Drift, MarkCounts, ServiceError, TypeCoverage};

/// Hosts named as slowest and as failing.
const HOSTS_NAMED: usize = 5;

/// The counts of a project's crawl, over all its runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The project.
    pub project: String,
    /// Links found on pages, repeats included.
    pub links_found: u64,
    /// URLs met.
    pub urls_distinct: u64,
    /// Links to URLs that were known already.
    pub already_known: u64,
    /// URLs outside the scope.
    pub off_site: u64,
    /// URLs that a rule, a limit or a guard left out.
    pub excluded: u64,
    /// URLs that robots.txt forbids.
    pub denied: u64,
    /// Pages kept.
    pub pages_fetched: u64,
    /// Those of them that are still to be asked for again.
    #[serde(default)]
    pub to_ask_again: u64,
    /// URLs that still wait, retries included.
    pub waiting: u64,
    /// URLs by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Requests sent, robots.txt included.
    pub requests: u64,
    /// Bytes of all bodies kept, as transferred.
    pub bytes: u64,
    /// Time per fetch, in milliseconds.
    pub fetch_ms: Spread,
    /// Time of reading per page, in milliseconds.
    pub processing_ms: Spread,
    /// Size of a page, decoded, in bytes.
    pub page_bytes: Spread,
    /// robots.txt files found.
    pub robots_found: u64,
    /// Failed tries by error.
    pub errors: BTreeMap<String, u64>,
    /// Hosts with the longest mean answer.
    pub slowest_hosts: Vec<HostFigure>,
    /// Hosts with most failed requests.
    pub failing_hosts: Vec<HostFigure>,
    /// Pages kept per slot.
    pub pages_per_slot: BTreeMap<u32, u64>,
    /// Milliseconds that runs have taken.
    pub running_ms: u64,
    /// Rows that templates read, each content once.
    #[serde(default)]
    pub rows: u64,
    /// Rows whose content another row has already.
    #[serde(default)]
    pub duplicate_rows: u64,
    /// Pages that have rows.
    #[serde(default)]
    pub pages_with_rows: u64,
    /// What became of rows since the run before; at the end of a run, if there was one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_changes: Option<MarkCounts>,
    /// How often fields were found in this run's rows; at the end of a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<TypeCoverage>,
    /// Fields that are found less often than in earlier runs; at the end of a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<Drift>,
}

/// Sum, mean, 95th percentile and largest of some values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many.
    pub count: u64,
    /// Their sum.
    pub total: f64,
    /// Their mean.
    pub mean: f64,
    /// 95 of 100 do not exceed this; right within a quarter.
    pub p95: f64,
    /// The largest.
    pub max: f64,
}

/// A host with a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostFigure {
    /// Host and port.
    pub host: String,
    /// Mean milliseconds, or failed requests.
    pub figure: u64,
    /// Requests sent.
    pub requests: u64,
}

/// The counts of a project.
pub fn summary(data: &Data, entry: &ProjectEntry) -> Result<Summary, ServiceError> {
    let snapshot = data.store().snapshot();
    let mut stats = snapshot.get(&STATS, &entry.crawl.0)?.unwrap_or_default();
    let counted = counts_of(&snapshot, entry.crawl, &stats)?;
    stats.outcomes = counted.outcomes;
    let mut slowest = Vec::new();
    let mut failing = Vec::new();
    for site in snapshot.prefix(&SITES, &entry.crawl.0).keys() {
        let (_, key) = site?;
        let Some(record) = snapshot.get(&HOSTS, &key)? else { continue };
        let figure = |figure| HostFigure { host: record.host.to_string(), figure, requests: record.requests };
        if let Some(mean) = record.millis.checked_div(record.requests) {
            keep_largest(&mut slowest, figure(mean));
        }
        if record.failed > 0 {
            keep_largest(&mut failing, figure(record.failed));
        }
    }
    let RowCounts { rows, duplicates, pages, .. } = counts(&snapshot, entry.crawl)?;
    let summary = Summary::of(entry.project.name.as_str(), stats, slowest, failing);
    let to_ask_again = counted.again;
    Ok(Summary { rows, duplicate_rows: duplicates, pages_with_rows: pages, to_ask_again, ..summary })
}

fn keep_largest(list: &mut Vec<HostFigure>, figure: HostFigure) {
    list.push(figure);
    list.sort_by(|a, b| b.figure.cmp(&a.figure).then_with(|| a.host.cmp(&b.host)));
    list.truncate(HOSTS_NAMED);
}

impl Summary {
    fn of(
        project: &str,
        stats: Stats,
        slowest_hosts: Vec<HostFigure>,
        failing_hosts: Vec<HostFigure>,
    ) -> Summary {
        let count = |name: &str| stats.outcomes.get(name).copied().unwrap_or(0);
        Summary {
            project: project.to_owned(),
            links_found: stats.links_found,
            urls_distinct: stats.distinct,
            already_known: stats.links_found.saturating_sub(stats.distinct),
            off_site: count("off-site"),
            excluded: count("excluded") + count("over-limit") + count("trap"),
            denied: count("disallowed"),
            pages_fetched: count("fetched") + count("not-modified"),
            to_ask_again: 0,
            waiting: count("waiting") + count("retrying"),
            requests: stats.requests,
            bytes: stats.bytes,
            fetch_ms: Spread::of(&stats.fetch_millis, 1.0),
            processing_ms: Spread::of(&stats.processing_micros, 1e-3),
            page_bytes: Spread::of(&stats.page_bytes, 1.0),
            robots_found: stats.robots_found,
            slowest_hosts,
            failing_hosts,
            running_ms: stats.running_millis,
            outcomes: stats.outcomes.into_iter().filter(|(_, count)| *count > 0).collect(),
            statuses: stats.statuses,
            errors: stats.errors,
            pages_per_slot: stats.slots,
            rows: 0,
            duplicate_rows: 0,
            pages_with_rows: 0,
            row_changes: None,
            coverage: Vec::new(),
            drift: Vec::new(),
        }
    }
}

impl Spread {
    fn of(histogram: &Histogram, unit: f64) -> Spread {
        Spread {
            count: histogram.count,
            total: histogram.sum as f64 * unit,
            mean: histogram.mean() * unit,
            p95: histogram.percentile(0.95) as f64 * unit,
            max: histogram.max as f64 * unit,
        }
    }
}

/// For people: a few lines, each with its name in front.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, text: String| writeln!(f, "{name:<12} {text}");
        line("project", self.project.clone())?;
        let again = match self.to_ask_again {
            0 => String::new(),
            again => format!(" ({} still to be asked for again)", grouped(again)),
        };
        let (fetched, waiting) = (grouped(self.pages_fetched), grouped(self.waiting));
        line("pages", format!("{fetched} fetched{again}, {waiting} URLs wait"))?;
        if self.rows > 0 || self.duplicate_rows > 0 || self.row_changes.is_some() {
            line(
                "rows",
                format!(
                    "{} from {} pages, {:.1} a page, {} duplicates left out",
                    grouped(self.rows),
                    grouped(self.pages_with_rows),
                    self.rows as f64 / self.pages_with_rows.max(1) as f64,
                    grouped(self.duplicate_rows)
                ),
            )?;
        }
        if let Some(MarkCounts { new, unchanged, changed, gone, unseen }) = self.row_changes {
            line(
                "since before",
                format!(
                    "{} new, {} changed, {} gone, {} unchanged, {} not read again",
                    grouped(new),
                    grouped(changed),
                    grouped(gone),
                    grouped(unchanged),
                    grouped(unseen)
                ),
            )?;
        }
        for drift in &self.drift {
            line("drift", drift.to_string())?;
        }
        line(
            "links",
            format!(
                "{} found, {} distinct URLs, {} already known, {} off-site, {} excluded, {} denied by robots.txt",
                grouped(self.links_found),
                grouped(self.urls_distinct),
                grouped(self.already_known),
                grouped(self.off_site),
                grouped(self.excluded),
                grouped(self.denied)
            ),
        )?;
        let named = |name: &str| Outcome::NAMES.iter().position(|known| *known == name);
        let mut outcomes: Vec<_> = self.outcomes.iter().collect();
        outcomes.sort_by_key(|(name, _)| named(name));
        line("outcomes", list(outcomes.into_iter().map(|(name, count)| (name.clone(), *count))))?;
        line("statuses", list(self.statuses.iter().map(|(status, count)| (status.to_string(), *count))))?;
        line("errors", list(self.errors.iter().map(|(name, count)| (name.clone(), *count))))?;
        line("fetching", spread(&self.fetch_ms, millis))?;
        line("reading", spread(&self.processing_ms, millis))?;
        line("page size", spread(&self.page_bytes, bytes))?;
        line(
            "transferred",
            format!(
                "{} in {} requests, {} robots.txt found",
                bytes(self.bytes as f64),
                grouped(self.requests),
                self.robots_found
            ),
        )?;
        let slow =
            self.slowest_hosts.iter().map(|host| format!("{} {}", host.host, millis(host.figure as f64)));
        line("slowest", or_none(slow.collect::<Vec<_>>().join(", ")))?;
        let failing = self.failing_hosts.iter().map(|host| format!("{} {}×", host.host, host.figure));
        line("failing", or_none(failing.collect::<Vec<_>>().join(", ")))?;
        let slots = self.pages_per_slot.len();
        let most = self.pages_per_slot.values().max().copied().unwrap_or(0);
        let mean = self.pages_per_slot.values().sum::<u64>() as f64 / slots.max(1) as f64;
        line("slots", format!("{slots} used, {mean:.1} pages each, {most} at most"))?;
        line("time", millis(self.running_ms as f64))
    }
}

fn list(counts: impl Iterator<Item = (String, u64)>) -> String {
    let mut text = String::new();
    for (name, count) in counts {
        let separator = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{separator}{name} {}", grouped(count));
    }
    or_none(text)
}

fn or_none(text: String) -> String {
    if text.is_empty() { "none".to_owned() } else { text }
}

fn spread(spread: &Spread, unit: fn(f64) -> String) -> String {
    if spread.count == 0 {
        return "none".to_owned();
    }
    let Spread { total, mean, p95, max, .. } = *spread;
    format!("{} in all, {} mean, {} p95, {} at most", unit(total), unit(mean), unit(p95), unit(max))
}

/// 1234567 as 1,234,567.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn millis(millis: f64) -> String {
    match millis {
        ..10.0 => format!("{millis:.1} ms"),
        ..1_000.0 => format!("{millis:.0} ms"),
        ..60_000.0 => format!("{:.1} s", millis / 1e3),
        ..3_600_000.0 => format!("{:.1} min", millis / 6e4),
        _ => format!("{:.1} h", millis / 3.6e6),
    }
}

fn bytes(bytes: f64) -> String {
    match bytes {
        ..1e3 => format!("{bytes:.0} B"),
        ..1e6 => format!("{:.1} KB", bytes / 1e3),
        ..1e9 => format!("{:.1} MB", bytes / 1e6),
        _ => format!("{:.2} GB", bytes / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [3.25, 250.0, 1_500.0, 90_000.0, 7.2e6].map(millis),
            ["3.2 ms", "250 ms", "1.5 s", "1.5 min", "2.0 h"]
        );
        assert_eq!([12.0, 1_500.0, 2.5e6, 3e9].map(bytes), ["12 B", "1.5 KB", "2.5 MB", "3.00 GB"]);
    }
}
