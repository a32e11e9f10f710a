//! What reading a page gives.

use serde::{Deserialize, Serialize};

use crate::{Link, PageUrl};

/// A page as read: the part of an answer that people and the index care about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// The words of `<title>`, white space collapsed.
    pub title: String,
    /// `<meta name=description>`.
    pub description: String,
    /// Language as declared (`<html lang>`, `Content-Language`).
    pub language: Option<String>,
    /// Name of the character encoding it was read with.
    pub charset: String,
    /// Visible text: words in document order, white space collapsed, block elements on lines of their own.
    pub text: String,
    /// The address the page calls its own.
    pub canonical: Option<PageUrl>,
    /// What the page asks of robots.
    pub directives: PageDirectives,
    /// Its links in document order.
    pub links: Vec<Link>,
    /// True when the page had more links than the limit.
    pub links_cut: bool,
    /// All `<meta name|property content>` pairs, in order, bounded.
    pub meta: Vec<(String, String)>,
}

/// `<meta name=robots>` and `X-Robots-Tag`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageDirectives {
    /// Do not show it in search.
    pub noindex: bool,
    /// Do not follow its links.
    pub nofollow: bool,
}
