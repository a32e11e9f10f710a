//! The URLs that a sitemap or feed names.

use extract::{Listed, Sitemap, SitemapKind};
use model::{Normalise, PageUrl};
use serde_json::{Value, json};

use crate::ServiceError;

/// What a sitemap or feed at this URL names.
pub fn sitemap(body: &[u8], url: &PageUrl) -> Result<Sitemap, ServiceError> {
    let found = extract::sitemap(body, url, Normalise::default());
    match found.kind {
        SitemapKind::Unknown => Err(ServiceError::Question(
            "neither a sitemap nor a feed; expected <urlset>, <sitemapindex>, RSS, Atom, JSON Feed or one URL a line"
                .to_owned(),
        )),
        _ => Ok(found),
    }
}

/// The same, as JSON has it.
pub fn sitemap_json(found: &Sitemap) -> Value {
    let urls = |list: &[Listed]| list.iter().map(|listed| listed.url.to_string()).collect::<Vec<_>>();
    let dated = found
        .urls
        .iter()
        .chain(&found.sitemaps)
        .filter_map(|listed| Some((listed.url.to_string(), Value::from(listed.modified.clone()?))));
    json!({
        "kind": found.kind.as_str(),
        "urls": urls(&found.urls),
        "sitemaps": urls(&found.sitemaps),
        "modified": dated.collect::<serde_json::Map<_, _>>(),
        "cut": found.cut,
    })
}
