//! `links`: broken links, redirect chains, orphans, slow pages.
//!
//! In-links are found by scanning the pages' own links once for a set of wanted targets. The set is bounded: a
//! crawl with more targets than fit is gone through in slices, one scan each.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use archive::tables::LINKS;
use frontier::tables::{PageKey, URLS, UrlRecord};
use frontier::{kept_as, page_key};
use kv::{Reader, Snapshot};
use model::{CrawlId, HostKey, Outcome, PageUrl, UrlKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::sink::Sink;
use crate::walk::{Met, Walk};
use crate::{Data, LinksRequest, ServiceError};

/// Targets looked for in one scan: some tens of megabytes.
const SLICE: usize = 500_000;

/// Slow pages reported unless said otherwise.
const SLOWEST: u64 = 20;

/// Redirects followed in a report.
const MOST_HOPS: usize = 20;

/// A report on links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkList {
    /// Links whose target failed.
    Broken,
    /// Where redirects lead.
    Redirects,
    /// Pages that no page links to.
    Orphans,
    /// The slowest pages.
    Slow,
}

/// A line of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "list", rename_all = "kebab-case")]
pub enum LinkRow {
    /// A link whose target failed.
    Broken {
        /// Where it leads.
        target: PageUrl,
        /// What became of that.
        outcome: String,
        /// The page it stands on; none when the target is a start URL or known by redirect only.
        source: Option<PageUrl>,
        /// Its words.
        anchor: String,
    },
    /// A chain of redirects.
    Redirects {
        /// From the first URL to the last.
        chain: Vec<PageUrl>,
        /// What became of the last one.
        end: String,
        /// It leads back into itself.
        circle: bool,
    },
    /// A page that no other page links to.
    Orphans {
        /// The page.
        url: PageUrl,
        /// How it is known all the same.
        known: String,
    },
    /// A slow page.
    Slow {
        /// The page.
        url: PageUrl,
        /// How long its answer took.
        millis: u64,
        /// Its size as transferred.
        bytes: u64,
    },
    /// The last line: how much there is of each, also beyond the limit.
    Counts(LinkCounts),
}

/// How much there is of each report that was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkCounts {
    /// URLs that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_targets: Option<u64>,
    /// Links to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_links: Option<u64>,
    /// Chains of redirects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_chains: Option<u64>,
    /// Pages without in-links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orphans: Option<u64>,
    /// Pages whose time was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timed_pages: Option<u64>,
}

pub(crate) fn links(data: &Data, request: &LinksRequest, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let entry = data.project(request.project.as_ref())?;
    let wants = |list| request.lists.is_empty() || request.lists.contains(&list);
    let mut report = Report {
        snapshot: data.store().snapshot(),
        crawl: entry.crawl,
        limit: request.limit.unwrap_or(u64::MAX),
        counts: LinkCounts::default(),
    };
    if wants(LinkList::Broken) {
        report.broken(out)?;
    }
    if wants(LinkList::Redirects) {
        report.redirects(out)?;
    }
    if wants(LinkList::Orphans) {
        report.orphans(out)?;
    }
    if wants(LinkList::Slow) {
        report.slow(request.limit.unwrap_or(SLOWEST), out)?;
    }
    out.send(&LinkRow::Counts(report.counts))
}

struct Report {
    snapshot: Snapshot,
    crawl: CrawlId,
    limit: u64,
    counts: LinkCounts,
}

impl Report {
    fn broken(&mut self, out: &mut Sink<'_>) -> Result<(), ServiceError> {
        let (mut targets, mut links) = (0, 0);
        let mut from = Some(self.first());
        while let Some(start) = from {
            // Wanted targets of this slice, and whether a link to each was found.
            let mut wanted: HashMap<UrlKey, (UrlRecord, bool)> = HashMap::new();
            let failed = |record: &UrlRecord| Ok(matches!(record.outcome, Outcome::Failed { .. }));
            from = self.slice(start, failed, |key, record| _ = wanted.insert(key, (record, false)))?;
            targets += wanted.len() as u64;
            if wanted.is_empty() {
                continue;
            }
            for row in self.snapshot.prefix(&LINKS, &self.crawl.0) {
                let (source, found) = row?;
                for edge in found.edges {
                    let Some((record, linked)) = wanted.get_mut(&edge.target) else { continue };
                    *linked = true;
                    links += 1;
                    if links <= self.limit {
                        let outcome = record.outcome.to_string();
                        let source = self.snapshot.get(&URLS, &source)?.map(|record| record.url);
                        let target = record.url.clone();
                        out.send(&LinkRow::Broken {
                            target,
                            outcome,
                            source,
                            anchor: edge.anchor.to_string(),
                        })?;
                    }
                }
            }
            for (record, _) in wanted.into_values().filter(|(_, linked)| !linked) {
                links += 1;
                if links <= self.limit {
                    let outcome = record.outcome.to_string();
                    let row =
                        LinkRow::Broken { target: record.url, outcome, source: None, anchor: String::new() };
                    out.send(&row)?;
                }
            }
        }
        (self.counts.broken_targets, self.counts.broken_links) = (Some(targets), Some(links));
        Ok(())
    }

    fn redirects(&mut self, out: &mut Sink<'_>) -> Result<(), ServiceError> {
        let mut chains = 0;
        for row in self.snapshot.prefix(&URLS, &self.crawl.0) {
            let (_, record) = row?;
            // A URL that was itself found by redirect is part of the chain that led to it.
            let Outcome::Redirected { to } = &record.outcome else { continue };
            if record.hops > 0 {
                continue;
            }
            chains += 1;
            if chains <= self.limit {
                let (chain, end, circle) = self.chain(record.url.clone(), to.clone())?;
                out.send(&LinkRow::Redirects { chain, end, circle })?;
            }
        }
        self.counts.redirect_chains = Some(chains);
        Ok(())
    }

    fn chain(&self, first: PageUrl, next: PageUrl) -> Result<(Vec<PageUrl>, String, bool), ServiceError> {
        let mut chain = vec![first];
        let mut next = next;
        loop {
            let circle = chain.contains(&next);
            chain.push(next.clone());
            if circle {
                return Ok((chain, "redirects in a circle".to_owned(), true));
            }
            let record = self.snapshot.get(&URLS, &page_key(self.crawl, UrlKey::of(&next)))?;
            match record.map(|record| record.outcome) {
                Some(Outcome::Redirected { to }) if chain.len() <= MOST_HOPS => next = to,
                Some(outcome) => return Ok((chain, outcome.to_string(), false)),
                None => return Ok((chain, "unknown".to_owned(), false)),
            }
        }
    }

    fn orphans(&mut self, out: &mut Sink<'_>) -> Result<(), ServiceError> {
        let mut orphans = 0;
        let mut from = Some(self.first());
        while let Some(start) = from {
            let mut without: HashSet<UrlKey> = HashSet::new();
            // Whoever is found by redirect has its in-link where the chain begins.
            let is_page = |record: &UrlRecord| {
                let key = UrlKey::of(&record.url);
                let is_page = record.outcome.is_page()
                    || kept_as(&self.snapshot, self.crawl, key, &record.outcome)?.is_some();
                Ok(is_page && record.hops == 0)
            };
            from = self.slice(start, is_page, |key, _| _ = without.insert(key))?;
            if without.is_empty() {
                continue;
            }
            for row in self.snapshot.prefix(&LINKS, &self.crawl.0) {
                let ((_, host, page), found) = row?;
                let source = UrlKey { host: HostKey(host), page };
                for edge in found.edges.iter().filter(|edge| edge.target != source) {
                    without.remove(&edge.target);
                }
            }
            for key in without {
                orphans += 1;
                if orphans > self.limit {
                    continue;
                }
                let Some(record) = self.snapshot.get(&URLS, &page_key(self.crawl, key))? else { continue };
                let known = match record.via {
                    None => "start URL",
                    Some(_) => "linked when it was found, no longer",
                };
                out.send(&LinkRow::Orphans { url: record.url, known: known.to_owned() })?;
            }
        }
        self.counts.orphans = Some(orphans);
        Ok(())
    }

    fn slow(&mut self, limit: u64, out: &mut Sink<'_>) -> Result<(), ServiceError> {
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut timed = 0;
        let mut slowest: BinaryHeap<Reverse<(u64, u64, UrlKey)>> = BinaryHeap::new();
        for met in Walk::all(&self.snapshot, self.crawl) {
            let Met { key, record, last, .. } = met?;
            let (Outcome::Fetched, Some((_, visit))) = (record.outcome, last) else { continue };
            timed += 1;
            slowest.push(Reverse((visit.millis, visit.bytes, key)));
            if slowest.len() > most {
                slowest.pop();
            }
        }
        for Reverse((millis, bytes, key)) in slowest.into_sorted_vec() {
            if let Some(record) = self.snapshot.get(&URLS, &page_key(self.crawl, key))? {
                out.send(&LinkRow::Slow { url: record.url, millis, bytes })?;
            }
        }
        self.counts.timed_pages = Some(timed);
        Ok(())
    }

    fn first(&self) -> PageKey {
        (self.crawl.0, 0, 0)
    }

    /// Takes up to a slice of URLs that `wanted` picks, from `start` on; where to go on, if that is not the end.
    fn slice(
        &self,
        start: PageKey,
        wanted: impl Fn(&UrlRecord) -> Result<bool, ServiceError>,
        mut take: impl FnMut(UrlKey, UrlRecord),
    ) -> Result<Option<PageKey>, ServiceError> {
        let mut taken = 0;
        for row in self.snapshot.range(&URLS, start..=(self.crawl.0, u64::MAX, u128::MAX)) {
            let (row, record) = row?;
            if taken == SLICE {
                return Ok(Some(row));
            }
            if wanted(&record)? {
                taken += 1;
                take(UrlKey { host: HostKey(row.1), page: row.2 }, record);
            }
        }
        Ok(None)
    }
}
