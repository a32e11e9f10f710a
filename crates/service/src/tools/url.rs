//! The canonical form of a URL, as the crawl sees it.

use model::{Normalise, PageUrl, UrlError};
use serde::{Deserialize, Serialize};

/// A URL as found, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UrlQuestion {
    /// The URL.
    pub url: String,
    /// The page that it stands on, if it is relative.
    #[serde(default)]
    pub base: Option<String>,
    /// Drop the query.
    #[serde(default)]
    pub drop_query: bool,
    /// Drop the trailing slash of the path.
    #[serde(default)]
    pub drop_trailing_slash: bool,
    /// Drop a leading `www.` of the host.
    #[serde(default)]
    pub drop_www: bool,
}

impl UrlQuestion {
    /// The canonical form, or why there is none.
    pub fn answer(&self) -> Result<PageUrl, String> {
        let UrlQuestion { drop_query, drop_trailing_slash, drop_www, .. } = *self;
        canonical(Normalise { drop_query, drop_trailing_slash, drop_www }, &self.url, self.base.as_deref())
    }
}

/// The canonical form of a URL that stands on `base`, or why there is none.
pub fn canonical(normalise: Normalise, text: &str, base: Option<&str>) -> Result<PageUrl, String> {
    let Some(base) = base else {
        return normalise.parse(text).map_err(|error| error.to_string());
    };
    // The base is where the page was had, so it is taken as it is: only the result is normalised.
    let base = PageUrl::parse(base).map_err(|error: UrlError| format!("base {base:?}: {error}"))?;
    normalise.join(&base, text).map_err(|error| error.to_string())
}
