//! Visits, links and URLs read back from the archive into the tables.

use archive::PageFacts;
use archive::tables::{Edge, LINKS, Links, VISITS, VisitRecord};
use crawl::PageReader;
use frontier::tables::{HOSTS, HostRecord, PageKey, Stats, URLS, UrlRecord};
use frontier::{Offer, Unfollowed, first_priority, page_key};
use kv::{Batch, Reader};
use model::{CrawlId, CrawlSettings, HostKey, LinkKind, Outcome, Project, Timestamp, UrlKey};

use crate::rebuild::Archived;
use crate::versions::is_latest;
use crate::{Repaired, ServiceError};

/// What is put back, batch by batch.
pub(crate) struct Restore<'a> {
    pub(crate) crawl: CrawlId,
    pub(crate) settings: &'a CrawlSettings,
    pub(crate) pages: Option<PageReader>,
    pub(crate) batch: Batch,
    pub(crate) stats: Stats,
    pub(crate) pending: usize,
    pub(crate) done: Repaired,
}

impl Restore<'_> {
    /// Takes a visit in, if the tables lack it or its links.
    pub(crate) fn visit(&mut self, archived: Archived) -> Result<(), ServiceError> {
        let Archived { url, key, started, visit, outcome, metadata, answer } = archived;
        let row = page_key(self.crawl, key);
        let visit_row = (row.0, row.1, row.2, started.0);
        let is_news = !self.batch.contains(&VISITS, &visit_row)?;
        let is_latest = is_latest(&self.batch, &row, visit.location)?;
        if is_news {
            let visit = self.like_its_version(&row, visit.clone())?;
            self.batch.put(&VISITS, &visit_row, &visit);
            self.count(&visit, &outcome);
            self.host(key.host, url.host(), started, visit.millis)?;
            self.done.visits_restored += 1;
            self.pending += 1;
        }
        if let Some(page) = &metadata.page
            && is_latest
            && (is_news || !self.batch.contains(&LINKS, &row)?)
        {
            let links = match &self.pages {
                Some(reader) => {
                    let fetched = answer.fetched(url.clone(), started, visit.cut, self.settings);
                    reader.read(&fetched).offers(key, metadata.depth, false).1.unpack()
                }
                None => Links { edges: edges(page, self.settings).map(|(edge, _)| edge).collect() },
            };
            if is_news {
                self.stats.links_found += links.edges.len() as u64;
            }
            self.batch.put(&LINKS, &row, &links);
            self.done.links_restored += 1;
            self.pending += 1;
        }
        let known = self.batch.get(&URLS, &row)?;
        let kept = known.as_ref().map(|record| &record.outcome).filter(|outcome| outcome.is_page());
        let outcome = match kept {
            // One answer that it is missing does not decide, nor did it when it came.
            Some(kept) if is_news && (is_latest || outcome.is_page()) && outcome != Outcome::Waiting => {
                let is_passing = matches!(visit.status, Some(302 | 303 | 307));
                frontier::decided(&mut self.batch, &row, kept.clone(), outcome, is_passing, started)?
            }
            _ => outcome,
        };
        let record = match known {
            // What the tables say is better than a guess, and an outcome of the same kind has more to it there.
            Some(record)
                if is_news
                    && is_latest
                    && outcome != Outcome::Waiting
                    && record.outcome.name() != outcome.name() =>
            {
                UrlRecord { outcome, ..record }
            }
            Some(_) => return Ok(()),
            None => {
                self.done.urls_restored += 1;
                let arrival = self.stats.next_arrival;
                self.stats.next_arrival += 1;
                let priority = first_priority(self.settings, &url, metadata.depth);
                UrlRecord {
                    url,
                    depth: metadata.depth,
                    via: metadata.via.as_deref().map(UrlKey::of),
                    found: started,
                    outcome,
                    arrival,
                    priority: u32::MAX - priority.0,
                    tries: 0,
                    busy: 0,
                    hops: 0,
                }
            }
        };
        self.batch.put(&URLS, &row, &record);
        self.pending += 1;
        Ok(())
    }

    /// A visit that found the same body again found what the version before it has.
    fn like_its_version(&self, row: &PageKey, visit: VisitRecord) -> Result<VisitRecord, ServiceError> {
        let is_version = |visit: &VisitRecord| matches!(visit.status, Some(200..=299));
        if visit.location.is_some() || !is_version(&visit) {
            return Ok(visit);
        }
        let mut version: Option<VisitRecord> = None;
        for found in self.batch.prefix(&VISITS, row) {
            let (_, found) = found?;
            let is_later = version.as_ref().is_none_or(|known| known.location < found.location);
            if found.location.is_some() && is_version(&found) && is_later {
                version = Some(found);
            }
        }
        let VisitRecord { status, millis, etag, last_modified, .. } = visit;
        Ok(match version {
            Some(version) => VisitRecord { status, millis, etag, last_modified, location: None, ..version },
            None => VisitRecord { status, millis, etag, last_modified, ..visit },
        })
    }

    fn count(&mut self, visit: &VisitRecord, outcome: &Outcome) {
        let stats = &mut self.stats;
        if let Some(status) = visit.status {
            *stats.statuses.entry(status).or_default() += 1;
        }
        stats.requests += 1;
        stats.fetch_millis.add(visit.millis);
        match outcome {
            Outcome::Fetched => {
                stats.bytes += visit.bytes;
                stats.page_bytes.add(visit.content_bytes);
            }
            Outcome::Failed { error, .. } => *stats.errors.entry(error.name()).or_default() += 1,
            _ => {}
        }
    }

    /// A host's clock cannot be rebuilt, but that it was asked, and when last, can.
    fn host(
        &mut self,
        key: HostKey,
        host: model::Host,
        started: Timestamp,
        millis: u64,
    ) -> Result<(), ServiceError> {
        let known = self.batch.get(&HOSTS, &key.0)?;
        // A ledger that is there is better than what the archive tells of it.
        if known.as_ref().is_some_and(|record| record.pause > 0) {
            return Ok(());
        }
        let mut record = known.unwrap_or_else(|| HostRecord::new(host));
        record.requests += 1;
        record.millis += millis;
        record.last_start = record.last_start.max(Some(started));
        record.next = record.next.max(started + std::time::Duration::from_millis(millis));
        self.batch.put(&HOSTS, &key.0, &record);
        Ok(())
    }
}

/// An archived page's links, as rows and with their URLs.
pub(crate) fn edges<'a>(
    page: &'a PageFacts<'_>,
    settings: &'a CrawlSettings,
) -> impl Iterator<Item = (Edge, model::PageUrl)> + 'a {
    page.links().map(move |link| {
        let asked_not_to = link.rel.nofollow || page.nofollow;
        let wanted = link.kind != LinkKind::Canonical || settings.honour_canonical;
        let follow = wanted && (!asked_not_to || settings.follow_nofollow);
        (Edge::of(&link, UrlKey::of(&link.url), follow), link.url)
    })
}

/// What reads the links of a project's pages, where a template has a word in them.
pub(crate) fn template_reader(project: &Project) -> Option<PageReader> {
    let has_word = project.fields.is_some() || !project.crawl.links_in.is_empty();
    let reader = has_word.then(|| PageReader::new(project, PageReader::product(&project.crawl)));
    // One that does not hold reads no rows, and no links.
    reader.and_then(Result::ok)
}

/// The offer of such a link on this page, so deep.
pub(crate) fn offer(edge: Edge, url: model::PageUrl, from: UrlKey, depth: u32) -> Offer {
    let unfollowed = match edge.kind {
        LinkKind::Canonical => Unfollowed::Canonical,
        _ => Unfollowed::Nofollow,
    };
    Offer {
        url,
        key: edge.target,
        depth: depth + 1,
        via: Some(from),
        unfollowed: (!edge.followed).then_some(unfollowed),
        start: false,
        hops: 0,
        further: false,
        weight: 1,
        links: 1,
    }
}
