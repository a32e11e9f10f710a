//! Pages that a simulation misses, fetched from the real Web: the project's crawl goes on for so many pages, politely as
//! any, and keeps them.

use std::sync::Arc;

use catalog::RunId;
use frontier::tables::STATS;
use kv::Reader;
use model::{CrawlSettings, Order, ProjectName, Timestamp};

use super::{Begin, begin};
use crate::{Data, ServiceError};

/// Which crawl goes on, and how far.
#[derive(Clone, Debug)]
pub struct Fill {
    /// That of this run's project.
    pub run: Option<i64>,
    /// That of this project; of the one that ran last unless said.
    pub project: Option<ProjectName>,
    /// By the first of these, which are simulated then; by the project's own if there is none.
    pub orders: Vec<Order>,
    /// By the topic of these words; by the project's own if there are none.
    pub topic: Vec<String>,
    /// Only links of pages on topic are followed in the simulation.
    pub relevant: bool,
    /// Until so many pages more are kept.
    pub pages: u64,
}

/// Goes on with a crawl until enough is kept or nothing waits; how many pages were fetched. Nothing is, where one of the
/// orders, or which links are followed, needs a topic and there is none. The limit is that of the
/// run: should it be cut off, the project's own is what it was. Must be called within a tokio runtime.
pub async fn fill(data: &Arc<Data>, wanted: Fill, now: impl Fn() -> Timestamp) -> Result<u64, ServiceError> {
    let Fill { run, project, orders, topic, relevant, pages } = wanted;
    let words = topic.clone();
    let order = orders.first().copied();
    let asked = data.clone();
    let found = tokio::task::spawn_blocking(move || {
        let entry = match run {
            Some(id) => asked.project_of_run(RunId(id))?,
            None => asked.project(project.as_ref())?,
        };
        let mut settings = entry.project.crawl.clone();
        if !words.is_empty() {
            (settings.topic, settings.topic_examples) = (words, Vec::new());
        }
        check(&settings, &orders, relevant)?;
        let kept = asked.store().get(&STATS, &entry.crawl.0)?.map_or(0, |stats| stats.pages());
        Ok::<_, ServiceError>((entry.project, kept))
    });
    let (project, kept) = found.await.map_err(|_| ServiceError::Lost)??;
    let page_limit = Some(kept.saturating_add(pages));
    let started = begin(data, Begin { page_limit, ..Begin::of(project) }, now()).await?;
    if !topic.is_empty() {
        started.controls().set_topic(topic, Vec::new());
    }
    if let Some(order) = order {
        started.controls().set_order(order);
    }
    let progress = started.progress();
    started.finish(&now).await?;
    Ok(progress.borrow().pages_now)
}

/// Refuses what the project cannot have.
fn check(settings: &CrawlSettings, orders: &[Order], relevant: bool) -> Result<(), ServiceError> {
    let wrong = |error: crawl::CrawlError| ServiceError::Settings(error.to_string());
    let order = orders.first().copied().unwrap_or(settings.order);
    let topic = crawl::topic_of(&CrawlSettings { order, ..settings.clone() }).map_err(wrong)?;
    match orders.iter().find(|order| order.needs_topic()) {
        Some(order) if topic.is_none() => Err(wrong(crawl::CrawlError::NoTopic(*order))),
        None if relevant && topic.is_none() => Err(ServiceError::Settings(
            "expand: relevant needs a topic; give the project its words, topic: [words]".to_owned(),
        )),
        _ => Ok(()),
    }
}
