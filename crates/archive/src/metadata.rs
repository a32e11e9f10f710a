//! The block of a metadata record: what is known of a visit beyond its bytes, as JSON with a version, so
//! that pages and links can be rebuilt from the archive alone. A revisit record has it in a field of its head.
//!
//! The form is spelled out here and not taken from `model`, which may change without the archive noticing.

use std::borrow::Cow;

use model::{CrawlId, Link, LinkKind, LinkLook, Outcome, Page, PageUrl, Rel};
use serde::{Deserialize, Serialize};

use crate::reader::RecordHead;

/// Why something was fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// For its own sake.
    #[default]
    Page,
    /// As a host's robots.txt.
    Robots,
    /// As a sitemap.
    Sitemap,
    /// As a site's hints to crawlers, or the list of changes that they name.
    Hints,
}

/// A metadata record's block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata<'a> {
    /// Version of this form.
    pub version: u32,
    /// The crawl that made the visit.
    pub crawl: CrawlId,
    /// Why it was made.
    pub purpose: Purpose,
    /// The page on which the URL was found first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Cow<'a, PageUrl>>,
    /// Length of the shortest path from a start URL that was known then.
    pub depth: u32,
    /// Milliseconds to connect; zero on a kept-alive connection.
    pub connect_time_ms: u64,
    /// Milliseconds from the request to the first byte.
    pub first_byte_time_ms: u64,
    /// Milliseconds from the start of the request to the end of the body.
    pub fetch_time_ms: u64,
    /// What became of the URL, where that was decided by this visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Cow<'a, Outcome>>,
    /// What was read from the page, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageFacts<'a>>,
}

/// What was read from a page, without its text, which the response holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageFacts<'a> {
    /// Its title.
    pub title: Cow<'a, str>,
    /// The encoding it was read with.
    pub charset: Cow<'a, str>,
    /// The language it declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Cow<'a, str>>,
    /// The address it calls its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<Cow<'a, PageUrl>>,
    /// Asks not to be shown in search.
    #[serde(default, skip_serializing_if = "is_default")]
    pub noindex: bool,
    /// Asks that its links are not followed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub nofollow: bool,
    /// Had more links than were read.
    #[serde(default, skip_serializing_if = "is_default")]
    pub links_cut: bool,
    /// Why nothing could be read from it, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<Cow<'a, str>>,
    /// Its links in document order.
    pub links: Vec<StoredLink<'a>>,
}

/// A link with its attributes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredLink<'a> {
    /// Where it leads.
    pub url: Cow<'a, PageUrl>,
    /// Its words.
    pub anchor: Cow<'a, str>,
    /// How far it stands out: 1 to 3. Left out where it is 1, as most are.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub visibility: u8,
    /// Where it stands: 1 to 3.
    pub position: u8,
    /// How far it leads: 1 or 5. Left out where it is 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub distance: u8,
    /// Words of its `rel`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rel: Vec<StoredRel>,
    /// Its markup.
    #[serde(default = "anchor", skip_serializing_if = "is_anchor")]
    pub kind: LinkKind,
}

/// A word of a link's `rel` that matters to a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoredRel {
    /// The author does not vouch for it.
    Nofollow,
    /// Paid for.
    Sponsored,
    /// Written by a visitor.
    Ugc,
    /// The next page of a list.
    Next,
}

impl Metadata<'_> {
    /// Version of the form that is written.
    pub const VERSION: u32 = 2;

    /// The field of a revisit record that holds what else would be the block of a metadata record, as others name it.
    pub(crate) const FIELD: &'static str = "WARC-JSON-Metadata";

    /// What a record says of its visit in its own head; revisit records do.
    pub fn of_head(head: &RecordHead) -> Option<Metadata<'static>> {
        Metadata::parse(head.get(Metadata::FIELD)?.as_bytes())
    }

    /// Reads a metadata record's block; none when it is not ours or of an unknown version.
    pub fn parse(block: &[u8]) -> Option<Metadata<'static>> {
        let metadata: Metadata<'static> = serde_json::from_slice(block).ok()?;
        (1..=Metadata::VERSION).contains(&metadata.version).then_some(metadata)
    }
}

impl<'a> PageFacts<'a> {
    pub(crate) fn of(page: &'a Page) -> PageFacts<'a> {
        PageFacts {
            title: Cow::Borrowed(&page.title),
            charset: Cow::Borrowed(&page.charset),
            language: page.language.as_deref().map(Cow::Borrowed),
            canonical: page.canonical.as_ref().map(Cow::Borrowed),
            noindex: page.directives.noindex,
            nofollow: page.directives.nofollow,
            links_cut: page.links_cut,
            unread: page.unread_why().map(Cow::Borrowed),
            links: page.links.iter().map(StoredLink::of).collect(),
        }
    }
}

impl<'a> StoredLink<'a> {
    fn of(link: &'a Link) -> StoredLink<'a> {
        let words = [
            (link.rel.nofollow, StoredRel::Nofollow),
            (link.rel.sponsored, StoredRel::Sponsored),
            (link.rel.ugc, StoredRel::Ugc),
            (link.rel.next, StoredRel::Next),
        ];
        StoredLink {
            url: Cow::Borrowed(&link.url),
            anchor: Cow::Borrowed(&link.anchor),
            visibility: link.look.visibility,
            position: link.look.position,
            distance: link.look.distance,
            rel: words.into_iter().filter(|(set, _)| *set).map(|(_, word)| word).collect(),
            kind: link.kind,
        }
    }

    /// The link as everyone else knows it.
    pub fn into_link(self) -> Link {
        let has = |word| self.rel.contains(&word);
        Link {
            look: LinkLook { visibility: self.visibility, position: self.position, distance: self.distance },
            rel: Rel {
                nofollow: has(StoredRel::Nofollow),
                sponsored: has(StoredRel::Sponsored),
                ugc: has(StoredRel::Ugc),
                next: has(StoredRel::Next),
            },
            kind: self.kind,
            url: self.url.into_owned(),
            anchor: (*self.anchor).into(),
        }
    }
}

fn anchor() -> LinkKind {
    LinkKind::Anchor
}

fn is_anchor(kind: &LinkKind) -> bool {
    *kind == LinkKind::Anchor
}

fn one() -> u8 {
    1
}

fn is_one(value: &u8) -> bool {
    *value == 1
}

fn is_default(flag: &bool) -> bool {
    !flag
}
