//! Deleting a project: it is gone at once, what it had is dropped in bounded steps, also by the next start.

use std::sync::Arc;

use model::{ProjectName, Timestamp};

use super::expect;
use crate::runs::drop_abandoned;
use crate::select::hint;
use crate::{Data, ServiceError, indexes};

/// Deletes a project with all it has crawled; its WARC files stay if they are to be kept. `expected` is the version
/// that was seen; any when none.
pub async fn delete_project(
    data: &Arc<Data>,
    name: &ProjectName,
    expected: Option<&str>,
    keep_archive: bool,
    now: Timestamp,
) -> Result<(), ServiceError> {
    let Some(entry) = data.catalog().project_by_name(name).await? else {
        let projects = data.catalog().projects().await?;
        let known: Vec<&str> = projects.iter().map(|entry| entry.project.name.as_str()).collect();
        return Err(ServiceError::UnknownProject {
            name: name.to_string(),
            hint: hint(name.as_str(), &known),
        });
    };
    expect(&entry.project, expected)?;
    let _occupied = data.occupy(entry.id, name)?;
    // Before the project goes: what names a project that is not there cannot be opened.
    let (owner, gone) = (data.clone(), name.clone());
    let dropped = tokio::task::spawn_blocking(move || indexes::project_deleted(&owner, &gone, now));
    dropped.await.map_err(|_| ServiceError::Lost)??;
    data.catalog().delete_project(entry.id, keep_archive).await?;
    drop_abandoned(data).await
}
