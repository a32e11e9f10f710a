//! A link as its page shows it: target, words, and how prominent it is (paper S0 §5.3).

use serde::{Deserialize, Serialize};

use crate::{PageUrl, SharedText};

/// One link found on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where it leads, absolute and canonical.
    pub url: PageUrl,
    /// Its visible words, white space collapsed; the alternative text for an image link.
    pub anchor: SharedText,
    /// How prominent it is.
    pub look: LinkLook,
    /// What its `rel` asks of us.
    pub rel: Rel,
    /// Which markup it came from.
    pub kind: LinkKind,
}

/// The three attributes that weigh a link: their product is its weight, 1 to 45.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LinkLook {
    /// 3 bold and italic, 2 bold or italic, 1 plain.
    pub visibility: u8,
    /// 3 first, 2 middle, 1 last third of the page's words.
    pub position: u8,
    /// 5 another host, 1 the same host.
    pub distance: u8,
}

impl LinkLook {
    /// A link without a place on a page: a redirect, a canonical link, a frame.
    pub const fn plain(distance: u8) -> LinkLook {
        LinkLook { visibility: 1, position: 1, distance }
    }

    /// The arc's weight in the link graph.
    pub fn weight(self) -> u8 {
        self.visibility * self.position * self.distance
    }
}

/// The words of a link's `rel` that matter to a crawler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rel {
    /// The author does not vouch for it.
    pub nofollow: bool,
    /// Paid for.
    pub sponsored: bool,
    /// Written by a visitor.
    pub ugc: bool,
    /// The next page of a list.
    pub next: bool,
}

/// Which markup a link came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// `<a href>`.
    Anchor,
    /// `<area href>`.
    Area,
    /// `<frame src>`, `<iframe src>`.
    Frame,
    /// `<meta http-equiv=refresh>`.
    Refresh,
    /// `<link rel=canonical>` or the header of that name.
    Canonical,
    /// A `Location` header.
    Redirect,
    /// A start URL.
    Start,
    /// A link to a further page of a list, as a template says.
    Further,
    /// Named by a sitemap or a feed.
    Listed,
}

impl LinkKind {
    /// The depth of what such a link on a page of this depth leads to: a list's further pages are as deep as the list.
    pub fn depth_from(self, depth: u32) -> u32 {
        match self {
            LinkKind::Further => depth,
            _ => depth + 1,
        }
    }
}
