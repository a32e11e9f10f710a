//! Pages that a simulation misses, fetched from the real Web: the project's crawl goes on for so many pages, politely as
//! any, and keeps them.

use std::sync::Arc;

use catalog::RunId;
use model::{Order, ProjectName, Timestamp};

use super::{Begin, begin};
use crate::{Data, ServiceError};

/// Which crawl goes on, and how far.
#[derive(Clone, Debug)]
pub struct Fill {
    /// That of this run's project.
    pub run: Option<i64>,
    /// That of this project; of the one that ran last unless said.
    pub project: Option<ProjectName>,
    /// By this order; the project's own unless said.
    pub order: Option<Order>,
    /// Until about so many pages more are kept.
    pub pages: u64,
}

/// Goes on with a crawl until enough is kept or nothing waits; how many pages were fetched. Must be called within a
/// tokio runtime.
pub async fn fill(data: &Arc<Data>, wanted: Fill, now: impl Fn() -> Timestamp) -> Result<u64, ServiceError> {
    let Fill { run, project, order, pages: most } = wanted;
    let asked = data.clone();
    let found = tokio::task::spawn_blocking(move || match run {
        Some(id) => asked.project_of_run(RunId(id)),
        None => asked.project(project.as_ref()),
    });
    let kept = found.await.map_err(|_| ServiceError::Lost)??.project;
    let mut longer = kept.clone();
    if longer.crawl.max_pages > 0 {
        longer.crawl.max_pages = longer.crawl.max_pages.saturating_add(most);
    }
    let started = begin(data, Begin::of(longer), now()).await?;
    let controls = started.controls();
    if let Some(order) = order {
        controls.set_order(order);
    }
    let mut progress = started.progress();
    let watched = tokio::spawn(async move {
        loop {
            if progress.borrow_and_update().pages_now >= most {
                controls.stop();
            }
            if progress.changed().await.is_err() {
                return progress.borrow().pages_now;
            }
        }
    });
    let finished = started.finish(&now).await;
    // The limit is the project's again, also when the crawl failed.
    data.catalog().upsert_project(&kept, now()).await?;
    finished?;
    watched.await.map_err(|_| ServiceError::Lost)
}
