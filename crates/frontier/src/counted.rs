//! What the guards have counted, for those who explain a refusal. Read-only, over any reader of the store.

use kv::Reader;
use model::{CrawlId, HostKey, PageUrl};

use crate::FrontierError;
use crate::tables::{GUARDS, URL_TEMPLATES};

/// What the guards have counted for a URL's template and host: for `gannet why`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The URL's template: `/calendar/*`.
    pub template: String,
    /// Combinations of parameters met at its path.
    pub combinations: usize,
    /// Pages of the template.
    pub pages: u64,
    /// Those with news.
    pub news: u64,
    /// URLs of the template met.
    pub met: u64,
    /// Depth of the deepest page of the template that a page outside it leads to.
    pub invited_depth: u32,
    /// Pages of the host with news.
    pub host_news: u64,
    /// Pages of the host without.
    pub host_stale: u64,
}

/// What the guards have counted for a URL's template and host.
pub fn counted(reader: &impl Reader, id: CrawlId, url: &PageUrl) -> Result<Counted, FrontierError> {
    let host = HostKey::of(&url.host());
    let record = reader.get(&GUARDS, &(id.0, host.0))?.unwrap_or_default();
    let template = record.places.template(url);
    let own = reader.get(&URL_TEMPLATES, &(id.0, host.0, template.key))?.unwrap_or_default();
    Ok(Counted {
        combinations: record.places.combinations(url),
        template: template.text,
        pages: own.pages,
        news: own.news,
        met: own.met,
        invited_depth: own.invited_depth,
        host_news: record.news,
        host_stale: record.stale,
    })
}
