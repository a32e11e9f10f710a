//! What reading a page gives.

use serde::{Deserialize, Serialize};

use crate::{Link, PageUrl};

/// A page as read: the part of an answer that people and the index care about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// The words of `<title>`, white space collapsed; where there are none, what else the page calls itself.
    pub title: String,
    /// `<meta name=description>`.
    pub description: String,
    /// Language as declared (`<html lang>`, `Content-Language`), else as its words sound.
    pub language: Option<String>,
    /// Name of the character encoding it was read with.
    pub charset: String,
    /// Visible text: words in document order, white space collapsed, block elements on lines of their own.
    pub text: String,
    /// The part of the text that the page is there for: no menus, notices, teasers or comments. All of it where
    /// nothing stands out.
    pub main: String,
    /// Who wrote it, as far as the page says.
    pub author: Option<String>,
    /// When it was first published.
    pub published: Option<PageDate>,
    /// When it was last changed.
    pub modified: Option<PageDate>,
    /// Its headings in document order, bounded.
    pub headings: Vec<Heading>,
    /// Its images in document order, bounded.
    pub images: Vec<Image>,
    /// Tables of data, row by row, bounded, where they are asked for; tables that only arrange the page are left out.
    pub tables: Vec<Vec<Vec<String>>>,
    /// The address the page calls its own.
    pub canonical: Option<PageUrl>,
    /// What the page asks of robots.
    pub directives: PageDirectives,
    /// Its links in document order.
    pub links: Vec<Link>,
    /// True when the page had more links than the limit.
    pub links_cut: bool,
    /// All `<meta name|property|itemprop content>` pairs, in order, bounded.
    pub meta: Vec<(String, String)>,
}

/// A date that a page gives for itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageDate {
    /// The day, `2026-11-15`, or the moment as written there, `2026-11-15T12:30:00+01:00`.
    pub at: String,
    /// Where it was found.
    pub source: DateSource,
    /// How sure it is, 0 to 100.
    pub confidence: u8,
}

/// Where a date was found, surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateSource {
    /// JSON-LD: `datePublished`, `dateModified`.
    LinkedData,
    /// `<meta>`.
    Meta,
    /// Markup in the text: `<time>`, `itemprop`.
    Markup,
    /// The page's own URL.
    Url,
    /// Words that people read.
    Text,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its words.
    pub text: String,
}

/// An image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Where it is.
    pub url: PageUrl,
    /// Its alternative text.
    pub alt: String,
}

impl Page {
    /// A page of which nothing could be read. Of all pages only such a one has no encoding.
    pub fn unread(why: &str) -> Page {
        Page { meta: vec![(UNREAD.to_owned(), why.to_owned())], ..Page::default() }
    }

    /// Why nothing of it could be read, if so. A page that was read may say of itself what it likes.
    pub fn unread_why(&self) -> Option<&str> {
        let meta = if self.charset.is_empty() { self.meta.as_slice() } else { &[] };
        meta.iter().find(|(name, _)| name == UNREAD).map(|(_, why)| why.as_str())
    }
}

/// The name in `meta` of why nothing could be read.
const UNREAD: &str = "unread";

impl PageDate {
    /// The day alone.
    pub fn day(&self) -> &str {
        self.at.get(..10).unwrap_or(&self.at)
    }
}

/// `<meta name=robots>` and `X-Robots-Tag`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageDirectives {
    /// Do not show it in search.
    pub noindex: bool,
    /// Do not follow its links.
    pub nofollow: bool,
}
