//! A run looked at closely: what it fetches now, its figures over time, its log.

use archive::tables::LINKS;
use catalog::{Run, RunId};
use frontier::page_key;
use kv::Reader;
use model::{Timestamp, UrlKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::log::{self, LogPage, LogRequest};
use super::monitor::SERIES_FILE;
use super::series::{Recorder, Series};
use crate::{Data, Moment, ServiceError};

/// A URL that is asked for now, with the link that led to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Fetching {
    /// The URL.
    pub url: String,
    /// Milliseconds since its turn came.
    pub since_ms: u64,
    /// Host and port.
    pub host: String,
    /// Links from a start URL.
    pub depth: u32,
    /// The page that led to it; none for a start URL.
    pub found_on: Option<String>,
    /// The link's words.
    pub anchor: Option<String>,
    /// 3 bold and italic, 2 bold or italic, 1 plain.
    pub visibility: Option<u8>,
    /// 3 first, 2 middle, 1 last third of the page.
    pub position: Option<u8>,
    /// 5 another host, 1 the same.
    pub distance: Option<u8>,
}

/// What a run fetches now; nothing when it does not run. From a blocking thread.
pub fn live(data: &Data, id: RunId, now: Timestamp) -> Result<Vec<Fetching>, ServiceError> {
    let run = kept(data, id)?;
    let Some(live) = data.live_run(id) else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for flying in live.monitor.flying() {
        let mut link = None;
        if let Some(page) = &flying.via
            && let Some(links) = data.store().get(&LINKS, &page_key(run.crawl, UrlKey::of(page)))?
        {
            link = links.edges.into_iter().find(|edge| edge.target == flying.key);
        }
        all.push(Fetching {
            url: flying.url.to_string(),
            since_ms: u64::try_from(now.since(flying.since).as_millis()).unwrap_or(u64::MAX),
            host: flying.host.to_string(),
            depth: flying.depth,
            found_on: flying.via.as_ref().map(ToString::to_string),
            visibility: link.as_ref().map(|link| link.look.visibility),
            position: link.as_ref().map(|link| link.look.position),
            distance: link.as_ref().map(|link| link.look.distance),
            anchor: link.map(|link| link.anchor.to_string()),
        });
    }
    Ok(all)
}

/// A run's figures over time, from `from` on, in steps of at least so many seconds. From a blocking thread.
pub fn series(
    data: &Data,
    id: RunId,
    from: Option<Moment>,
    step: Option<u64>,
) -> Result<Series, ServiceError> {
    let run = kept(data, id)?;
    let recorder = match data.live_run(id) {
        Some(live) => live.monitor.recorder(),
        None => Recorder::load(&data.run_dir(run.crawl, id).join(SERIES_FILE)),
    };
    Ok(recorder.series(from.map(|from| from.0), step))
}

/// Some lines of a run's log. From a blocking thread.
pub fn log(data: &Data, id: RunId, request: &LogRequest) -> Result<LogPage, ServiceError> {
    let run = kept(data, id)?;
    let live = data.live_run(id);
    if let Some(live) = &live {
        live.monitor.flush();
    }
    log::read(&data.run_dir(run.crawl, id), request, live.is_some())
}

/// A run's log as text, line by line. From a blocking thread.
pub fn log_text(data: &Data, id: RunId) -> Result<impl Iterator<Item = String> + use<>, ServiceError> {
    let run = kept(data, id)?;
    if let Some(live) = data.live_run(id) {
        live.monitor.flush();
    }
    Ok(log::text(&data.run_dir(run.crawl, id)))
}

fn kept(data: &Data, id: RunId) -> Result<Run, ServiceError> {
    data.wait(data.catalog().run(id))?.ok_or(ServiceError::UnknownRun(id.0))
}
