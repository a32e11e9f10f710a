//! `accept`: the version of a page that its reader has looked at and found right. Later ones are compared with it too.

use archive::tables::{ACCEPTED, Accepted};
use frontier::page_key;
use kv::{Durability, Reader};
use model::{CrawlId, Timestamp, UrlKey};

use crate::change_rows::AcceptedVersion;
use crate::changes::{parse, stood_at};
use crate::versions::{Visited, versions};
use crate::{AcceptRequest, Data, ServiceError};

/// Accepts a version; the one that was accepted before is no longer.
pub(crate) fn accept(
    data: &Data,
    request: &AcceptRequest,
    now: Timestamp,
) -> Result<AcceptedVersion, ServiceError> {
    let entry = data.project(request.project.as_ref())?;
    let url = parse(&entry, &request.url)?;
    let key = UrlKey::of(&url);
    let kept = versions(&data.store().snapshot(), entry.crawl, key)?;
    let version = stood_at(&url, &kept, request.at)?.at;
    let mut batch = data.store().batch();
    batch.put(&ACCEPTED, &page_key(entry.crawl, key), &Accepted { version, at: now });
    data.store().commit(batch, Durability::Synced)?;
    Ok(AcceptedVersion { url: url.to_string(), version: version.into(), at: now.into() })
}

/// The version of a page that was accepted, if it is still kept.
pub(crate) fn accepted<'a>(
    reader: &impl Reader,
    crawl: CrawlId,
    key: UrlKey,
    kept: &'a [Visited],
) -> Result<Option<&'a Visited>, ServiceError> {
    let accepted = reader.get(&ACCEPTED, &page_key(crawl, key))?;
    Ok(accepted.and_then(|accepted| kept.iter().find(|visited| visited.at == accepted.version)))
}
