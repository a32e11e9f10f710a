//! `pages`: every URL with its outcome.

use archive::tables::VisitRecord;
use frontier::page_key;
use frontier::tables::{HOSTS, HostRecord, ROBOTS, RobotsAnswer, RobotsRecord, URLS};
use kv::{Reader, Snapshot};
use model::{CrawlId, ErrorKind, HostKey, Origin, Outcome, PageUrl, UrlKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::select::{check_outcomes, host_keys};
use crate::sink::Sink;
use crate::walk::{Met, Walk};
use crate::{Data, Moment, PagesRequest, ServiceError};

/// A URL with its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PageRow {
    /// The URL.
    #[schema(value_type = String)]
    pub url: PageUrl,
    /// Name of the outcome.
    pub outcome: String,
    /// The outcome in words.
    pub words: String,
    /// Status of the latest answer.
    pub status: Option<u16>,
    /// Links on the shortest known path from a start URL.
    pub depth: u32,
    /// When it was first met.
    #[schema(value_type = String)]
    pub found_at: Moment,
    /// When it was last asked for.
    #[schema(value_type = Option<String>)]
    pub fetched_at: Option<Moment>,
    /// How long the latest answer took.
    pub millis: Option<u64>,
    /// Bytes of the latest body, as transferred.
    pub bytes: Option<u64>,
    /// Content type.
    pub content_type: Option<String>,
    /// Title, if it is a page.
    pub title: Option<String>,
    /// The page before it on its path.
    #[schema(value_type = Option<String>)]
    pub via: Option<PageUrl>,
    /// How often it has failed.
    pub tries: u32,
    /// When it is due, if it waits.
    #[schema(value_type = Option<String>)]
    pub due: Option<Moment>,
}

pub(crate) fn pages(data: &Data, request: &PagesRequest, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    check_outcomes(&request.outcomes)?;
    let entry = data.project(request.project.as_ref())?;
    let snapshot = data.store().snapshot();
    let mut rows = Rows::new(&snapshot, entry.crawl);
    let mut left = request.limit.unwrap_or(u64::MAX);
    let hosts = match &request.host {
        Some(host) => Some(host_keys(host)?),
        None => request.prefix.as_deref().and_then(host_of_prefix).map(|host| vec![host]),
    };
    let walks = match hosts {
        Some(hosts) => hosts.into_iter().map(|host| Walk::host(&snapshot, entry.crawl, host)).collect(),
        None => vec![Walk::all(&snapshot, entry.crawl)],
    };
    for met in walks.into_iter().flatten() {
        if left == 0 {
            break;
        }
        let met = met?;
        if wanted(&met, request) {
            out.send(&rows.row(met)?)?;
            left -= 1;
        }
    }
    Ok(())
}

fn wanted(met: &Met, request: &PagesRequest) -> bool {
    let name = met.record.outcome.name();
    if !request.outcomes.is_empty() && !request.outcomes.iter().any(|outcome| outcome == name) {
        return false;
    }
    if request.prefix.as_ref().is_some_and(|prefix| !met.record.url.as_str().starts_with(prefix.as_str())) {
        return false;
    }
    if request.from.is_none() && request.to.is_none() {
        return true;
    }
    met.last.as_ref().is_some_and(|(at, _)| {
        request.from.is_none_or(|from| *at >= from.0) && request.to.is_none_or(|to| *at < to.0)
    })
}

/// The host that every URL with this prefix has, if the prefix reaches into the path.
pub(crate) fn host_of_prefix(prefix: &str) -> Option<HostKey> {
    let (_, rest) = prefix.split_once("://")?;
    rest.contains('/').then(|| PageUrl::parse(prefix).ok())?.map(|url| HostKey::of(&url.host()))
}

/// The URL of a key.
pub(crate) fn url_of(
    reader: &impl Reader,
    crawl: CrawlId,
    key: UrlKey,
) -> Result<Option<PageUrl>, ServiceError> {
    Ok(reader.get(&URLS, &page_key(crawl, key))?.map(|record| record.url))
}

/// What a visit adds to the words of its outcome: why nothing was read.
pub(crate) fn unread(visit: Option<&VisitRecord>) -> String {
    match visit.and_then(|visit| visit.error.as_ref()) {
        Some(error @ ErrorKind::Unread(_)) => format!(", {error}"),
        _ => String::new(),
    }
}

/// Makes rows; remembers the host it looked at last, since a host's URLs lie together.
pub(crate) struct Rows<'a> {
    snapshot: &'a Snapshot,
    crawl: CrawlId,
    host: Option<(HostKey, Option<HostRecord>)>,
    robots: Option<(Origin, Option<RobotsRecord>)>,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, crawl: CrawlId) -> Rows<'a> {
        Rows { snapshot, crawl, host: None, robots: None }
    }

    pub(crate) fn row(&mut self, met: Met) -> Result<PageRow, ServiceError> {
        let mut words = met.words();
        let Met { key, record, again, last, title, content_type, .. } = met;
        let via = record.via.map(|via| url_of(self.snapshot, self.crawl, via)).transpose()?.flatten();
        let mut due = None;
        match again.as_ref().unwrap_or(&record.outcome) {
            Outcome::Waiting => {
                due = self.host(key.host)?.map(|host| host.next.into());
                if let Some(RobotsRecord { answer: RobotsAnswer::Unreachable { reason }, expires, .. }) =
                    self.robots(&record.url)?
                {
                    words = words.replace(
                        "waiting",
                        &format!("waiting: robots.txt could not be had ({reason}), asked again {expires}"),
                    );
                }
            }
            Outcome::Retrying { due: at, .. } => due = Some((*at).into()),
            _ => {}
        }
        words.push_str(&unread(last.as_ref().map(|(_, visit)| visit)));
        let visit = last.as_ref().map(|(_, visit)| visit);
        Ok(PageRow {
            outcome: record.outcome.name().to_owned(),
            words,
            status: visit.and_then(|visit| visit.status),
            depth: record.depth,
            found_at: record.found.into(),
            fetched_at: last.as_ref().map(|(at, _)| (*at).into()),
            millis: visit.map(|visit| visit.millis),
            bytes: visit.map(|visit| visit.bytes),
            content_type,
            title,
            via,
            tries: record.tries,
            due,
            url: record.url,
        })
    }

    fn host(&mut self, key: HostKey) -> Result<Option<&HostRecord>, ServiceError> {
        if self.host.as_ref().is_none_or(|(known, _)| *known != key) {
            self.host = Some((key, self.snapshot.get(&HOSTS, &key.0)?));
        }
        Ok(self.host.as_ref().and_then(|(_, record)| record.as_ref()))
    }

    fn robots(&mut self, url: &PageUrl) -> Result<Option<&RobotsRecord>, ServiceError> {
        let origin = url.origin();
        if self.robots.as_ref().is_none_or(|(known, _)| *known != origin) {
            let record = self.snapshot.get(&ROBOTS, &origin.as_str().to_owned())?;
            self.robots = Some((origin, record));
        }
        Ok(self.robots.as_ref().and_then(|(_, record)| record.as_ref()))
    }
}
