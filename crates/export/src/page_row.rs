//! What an export says of one URL.

use model::{PageUrl, Timestamp};
use serde::{Serialize, Serializer};

use crate::Cell;

/// One URL and what became of it, as plain data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageRow {
    /// The URL.
    pub url: PageUrl,
    /// Short name of what became of it, as `model::Outcome::name` gives it.
    pub outcome: String,
    /// The outcome in words.
    pub detail: String,
    /// Status of the last answer.
    pub status: Option<u16>,
    /// Length of the shortest known path from a start URL.
    pub depth: u32,
    /// When it was fetched last.
    #[serde(serialize_with = "as_text")]
    pub fetched_at: Option<Timestamp>,
    /// Milliseconds that took.
    pub millis: Option<u64>,
    /// `type/subtype`.
    pub content_type: Option<String>,
    /// Bytes of the content, decoded.
    pub bytes: Option<u64>,
    /// Title of the page.
    pub title: Option<String>,
    /// The page on which it was found first.
    pub via: Option<PageUrl>,
    /// Where it redirects to.
    pub location: Option<PageUrl>,
}

impl PageRow {
    /// The columns, in the order of `cells`.
    pub const COLUMNS: [&'static str; 12] = [
        "url",
        "outcome",
        "detail",
        "status",
        "depth",
        "fetched_at",
        "millis",
        "content_type",
        "bytes",
        "title",
        "via",
        "location",
    ];

    /// The row as cells.
    pub fn cells(&self) -> [Cell<'_>; 12] {
        [
            self.url.as_str().into(),
            self.outcome.as_str().into(),
            self.detail.as_str().into(),
            self.status.into(),
            self.depth.into(),
            self.fetched_at.map(|moment| moment.to_string()).into(),
            self.millis.into(),
            self.content_type.as_deref().into(),
            self.bytes.into(),
            self.title.as_deref().into(),
            self.via.as_ref().map(PageUrl::as_str).into(),
            self.location.as_ref().map(PageUrl::as_str).into(),
        ]
    }

    /// True for a page that visitors can open: what a sitemap lists.
    pub fn belongs_in_sitemap(&self) -> bool {
        matches!(self.outcome.as_str(), "fetched" | "not-modified")
    }
}

/// RFC 3339, as everywhere that people read.
fn as_text<S: Serializer>(moment: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    moment.map(|moment| moment.to_string()).serialize(serializer)
}
