//! The block of a metadata record: what is known of a visit beyond its bytes, as JSON with a version, so
//! that pages and links can be rebuilt from the archive alone. A revisit record has it in a field of its head.
//!
//! The form is spelled out here and not taken from `model`, which may change without the archive noticing.

use std::borrow::Cow;

use model::{CrawlId, Link, LinkKind, LinkLook, Outcome, Page, PageUrl, Rel};
use serde::{Deserialize, Serialize, Serializer};

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
    /// Its scheme and host, which the URLs of its links are written without where they have the same. The first versions
    /// wrote them all.
    #[serde(default)]
    pub origin: Cow<'a, str>,
    /// Its links in document order.
    links: Vec<StoredLink<'a>>,
}

/// A link with its attributes: its URL, its words, where it stands (1 to 3), and what is not as usual. It has no URL where it
/// leads where the link before it does, as half of all links do; the first three versions wrote them all.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Written<'a>")]
struct StoredLink<'a> {
    url: Cow<'a, str>,
    anchor: Cow<'a, str>,
    position: u8,
    unusual: Unusual,
}

/// What most links have not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Unusual {
    /// How far it stands out: 1 to 3.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    visibility: u8,
    /// How far it leads: 1 or 5.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    distance: u8,
    /// Words of its `rel`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rel: Vec<StoredRel>,
    /// Its markup.
    #[serde(default = "anchor", skip_serializing_if = "is_anchor")]
    kind: LinkKind,
}

/// The forms in which links were written.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written<'a> {
    Usual(Cow<'a, str>, Cow<'a, str>, u8),
    Unusual(Cow<'a, str>, Cow<'a, str>, u8, Unusual),
    /// In the first two versions.
    Named {
        url: Cow<'a, str>,
        anchor: Cow<'a, str>,
        position: u8,
        #[serde(flatten)]
        unusual: Unusual,
    },
}

/// A word of a link's `rel` that matters to a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredRel {
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
    pub const VERSION: u32 = 4;

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
    pub(crate) fn of(page: &'a Page, own: &'a PageUrl) -> PageFacts<'a> {
        let origin = own.as_str().strip_suffix(own.path_and_query()).unwrap_or_default();
        PageFacts {
            title: Cow::Borrowed(&page.title),
            charset: Cow::Borrowed(&page.charset),
            language: page.language.as_deref().map(Cow::Borrowed),
            canonical: page.canonical.as_ref().map(Cow::Borrowed),
            noindex: page.directives.noindex,
            nofollow: page.directives.nofollow,
            links_cut: page.links_cut,
            unread: page.unread_why().map(Cow::Borrowed),
            origin: Cow::Borrowed(origin),
            links: StoredLink::all(&page.links, origin),
        }
    }

    /// Its links as everyone else knows them, in document order.
    pub fn links(&self) -> impl Iterator<Item = Link> {
        let mut before = None;
        self.links.iter().filter_map(move |link| {
            if !link.url.is_empty() {
                before = link.target(&self.origin);
            }
            Some(link.link(before.clone()?))
        })
    }
}

impl<'a> StoredLink<'a> {
    fn all(links: &'a [Link], origin: &str) -> Vec<StoredLink<'a>> {
        let mut before: Option<&PageUrl> = None;
        let stored = links.iter().map(|link| {
            let is_same = before.replace(&link.url) == Some(&link.url);
            StoredLink::of(link, if is_same { "" } else { without_origin(&link.url, origin) })
        });
        stored.collect()
    }

    fn of(link: &'a Link, url: &'a str) -> StoredLink<'a> {
        let words = [
            (link.rel.nofollow, StoredRel::Nofollow),
            (link.rel.sponsored, StoredRel::Sponsored),
            (link.rel.ugc, StoredRel::Ugc),
            (link.rel.next, StoredRel::Next),
        ];
        StoredLink {
            url: Cow::Borrowed(url),
            anchor: Cow::Borrowed(&link.anchor),
            position: link.look.position,
            unusual: Unusual {
                visibility: link.look.visibility,
                distance: link.look.distance,
                rel: words.into_iter().filter(|(set, _)| *set).map(|(_, word)| word).collect(),
                kind: link.kind,
            },
        }
    }

    fn target(&self, origin: &str) -> Option<PageUrl> {
        match self.url.starts_with('/') {
            true => PageUrl::parse(&[origin, &self.url].concat()).ok(),
            false => PageUrl::parse(&self.url).ok(),
        }
    }

    fn link(&self, url: PageUrl) -> Link {
        let Unusual { visibility, distance, rel, kind } = &self.unusual;
        let has = |word| rel.contains(&word);
        Link {
            url,
            look: LinkLook { visibility: *visibility, position: self.position, distance: *distance },
            rel: Rel {
                nofollow: has(StoredRel::Nofollow),
                sponsored: has(StoredRel::Sponsored),
                ugc: has(StoredRel::Ugc),
                next: has(StoredRel::Next),
            },
            kind: *kind,
            anchor: (*self.anchor).into(),
        }
    }
}

fn without_origin<'a>(url: &'a PageUrl, origin: &str) -> &'a str {
    url.as_str().strip_prefix(origin).filter(|path| path.starts_with('/')).unwrap_or(url.as_str())
}

impl Serialize for StoredLink<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let StoredLink { url, anchor, position, unusual } = self;
        match unusual {
            Unusual { visibility: 1, distance: 1, rel, kind: LinkKind::Anchor } if rel.is_empty() => {
                (url, anchor, position).serialize(serializer)
            }
            _ => (url, anchor, position, unusual).serialize(serializer),
        }
    }
}

impl<'a> From<Written<'a>> for StoredLink<'a> {
    fn from(written: Written<'a>) -> StoredLink<'a> {
        let usual = Unusual { visibility: 1, distance: 1, rel: Vec::new(), kind: LinkKind::Anchor };
        let (url, anchor, position, unusual) = match written {
            Written::Usual(url, anchor, position) => (url, anchor, position, usual),
            Written::Unusual(url, anchor, position, unusual)
            | Written::Named { url, anchor, position, unusual } => (url, anchor, position, unusual),
        };
        StoredLink { url, anchor, position, unusual }
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
