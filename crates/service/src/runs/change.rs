//! Changing a run at work: what it leaves out, how fast it asks, what comes first, what it is about, what it tries again.

use std::net::SocketAddr;
use std::sync::Arc;

use catalog::{ProjectEntry, RunId};
use frontier::tables::URLS;
use kv::Reader;
use model::{CrawlSettings, Order, Pattern, Rate};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Now, RunView, StartRun, run_view, start_run};
use crate::{Data, OrderRequest, ServiceError};

/// Examples given.
const EXAMPLES: usize = 10;

/// How often a change is tried while somebody else edits the project.
const TRIES: usize = 5;

/// What patterns leave out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Excluded {
    /// URLs that wait, and will not be asked for.
    pub waiting: u64,
    /// Some of them.
    pub examples: Vec<String>,
}

/// Leaves out URLs that patterns match, or only counts those that wait. The project keeps the patterns, so that what
/// is left out stays out. From a blocking thread.
pub fn exclude(data: &Data, id: RunId, patterns: &[String], dry_run: bool) -> Result<Excluded, ServiceError> {
    let entry = entry_of(data, id)?;
    let parse =
        |text: &String| text.parse::<Pattern>().map_err(|error| ServiceError::Settings(error.to_string()));
    let patterns: Vec<Pattern> = patterns.iter().map(parse).collect::<Result<_, _>>()?;
    let snapshot = data.store().snapshot();
    let mut found = Excluded { waiting: 0, examples: Vec::new() };
    for row in snapshot.prefix(&URLS, &entry.crawl.0) {
        let (_, record) = row?;
        if record.outcome.is_open() && patterns.iter().any(|pattern| pattern.matches(&record.url)) {
            found.waiting += 1;
            if found.examples.len() < EXAMPLES {
                found.examples.push(record.url.to_string());
            }
        }
    }
    if !dry_run {
        edit(data, id, |crawl| {
            for pattern in &patterns {
                if !crawl.exclude.contains(pattern) {
                    crawl.exclude.push(pattern.clone());
                }
            }
        })?;
        let name = &entry.project.name;
        if let Some(live) = data.live_runs().iter().find(|live| live.project == *name) {
            live.controls.exclude(patterns);
        }
    }
    Ok(found)
}

/// Changes how fast a run at work asks each host; with `keep` also in the project. From a blocking thread.
pub fn change_speed(data: &Data, id: RunId, rate: &str, keep: bool) -> Result<RunView, ServiceError> {
    let rate: Rate =
        rate.parse().map_err(|error: model::ValueError| ServiceError::Settings(error.to_string()))?;
    let Some(live) = data.live_run(id).filter(|live| live.is_crawling()) else {
        run_view(data, id)?;
        return Err(ServiceError::RunEnded(id.0));
    };
    live.set_rate(rate);
    if keep {
        edit(data, id, |crawl| crawl.rate = Some(rate))?;
    }
    run_view(data, id)
}

/// Changes which URLs a run at work takes first, or what it is about; with `keep` also in the project. From a blocking
/// thread.
pub fn change_order(data: &Data, id: RunId, wanted: &OrderRequest) -> Result<RunView, ServiceError> {
    let order: Option<Order> = wanted
        .order
        .as_deref()
        .map(str::parse)
        .transpose()
        .map_err(|error: model::ValueError| ServiceError::Settings(error.to_string()))?;
    let Some(live) = data.live_run(id).filter(|live| live.is_crawling()) else {
        run_view(data, id)?;
        return Err(ServiceError::RunEnded(id.0));
    };
    let mut settings = entry_of(data, id)?.project.crawl;
    live.given().apply(&mut settings);
    let change = |settings: &mut CrawlSettings| {
        settings.order = order.unwrap_or(settings.order);
        wanted.topic.iter().for_each(|words| settings.topic.clone_from(words));
        wanted.topic_examples.iter().for_each(|texts| settings.topic_examples.clone_from(texts));
    };
    change(&mut settings);
    crawl::topic_of(&settings).map_err(|error| ServiceError::Settings(error.to_string()))?;
    // An order that goes by the topic comes after it, one that does not, before: each can be had when its turn comes.
    let give_order = || order.into_iter().for_each(|order| live.set_order(order));
    if !settings.order.needs_topic() {
        give_order();
    }
    if wanted.topic.is_some() || wanted.topic_examples.is_some() {
        live.set_topic(settings.topic.clone(), settings.topic_examples.clone());
    }
    if settings.order.needs_topic() {
        give_order();
    }
    if wanted.keep {
        edit(data, id, change)?;
    }
    run_view(data, id)
}

/// Puts URLs that failed back into the queue: of the project's run at work, or of a run that is begun for it.
pub async fn retry(
    data: &Arc<Data>,
    id: RunId,
    allow: Vec<SocketAddr>,
    now: Now,
) -> Result<RunView, ServiceError> {
    let run = data.catalog().run(id).await?.ok_or(ServiceError::UnknownRun(id.0))?;
    let entry = data.catalog().project_by_id(run.project).await?.ok_or(ServiceError::UnknownRun(id.0))?;
    let name = entry.project.name;
    let at_work = data.live_runs().into_iter().find(|live| live.project == name && live.is_crawling());
    let Some(live) = at_work else {
        let wanted = StartRun { project: name, fresh: false, only_failed: true, refresh: false, allow };
        return start_run(data, wanted, now).await;
    };
    live.controls.retry_failed();
    let (data, id) = (data.clone(), live.id);
    tokio::task::spawn_blocking(move || run_view(&data, id)).await.map_err(|_| ServiceError::Lost)?
}

fn entry_of(data: &Data, id: RunId) -> Result<ProjectEntry, ServiceError> {
    let run = data.wait(data.catalog().run(id))?.ok_or(ServiceError::UnknownRun(id.0))?;
    data.wait(data.catalog().project_by_id(run.project))?.ok_or(ServiceError::UnknownRun(id.0))
}

/// Changes the settings of a run's project.
fn edit(data: &Data, id: RunId, change: impl Fn(&mut CrawlSettings)) -> Result<(), ServiceError> {
    for _ in 0..TRIES {
        let entry = entry_of(data, id)?;
        let mut after = entry.project.clone();
        change(&mut after.crawl);
        if after == entry.project
            || data.wait(data.catalog().replace_project(entry.id, &entry.project, &after))?
        {
            return Ok(());
        }
    }
    let entry = entry_of(data, id)?;
    let name = entry.project.name.to_string();
    Err(ServiceError::Stale { name, version: crate::version(&entry.project) })
}
