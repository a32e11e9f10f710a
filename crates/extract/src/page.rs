//! An answer's bytes and headers -> a page.

use std::borrow::Cow;
use std::cmp::Reverse;

use encoding_rs::{Encoding, UTF_8};
use html::Tree;
use model::{Fetched, Headers, Link, LinkKind, LinkLook, Normalise, Page, PageUrl};

use crate::charset::{charset_parameter, guess, was_converted};
use crate::dates;
use crate::directives;
use crate::document::document;
use crate::kind::{Kind, kind};
use crate::language;
use crate::links;
use crate::markdown::markdown;
use crate::picture::is_picture;
use crate::reader::{Reader, Wanted};
use crate::sitemap::{Listed, SitemapKind, encoding, packed, sitemap};
use crate::words::{Words, collapse_into};
use crate::xml::{Event, Xml};

/// What a page is read from.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Where the page was found; links are relative to it.
    pub url: &'a PageUrl,
    /// The answer's headers: `Content-Type`, `Content-Language`, `Link` and `X-Robots-Tag` count.
    pub headers: &'a Headers,
    /// The body, its content coding undone.
    pub body: &'a [u8],
    /// How the project wants its URLs.
    pub normalise: Normalise,
    /// Links kept; a page with more is marked.
    pub max_links: usize,
    /// Our name, for directives meant for one robot.
    pub agent: &'a str,
}

/// Links kept of one page, unless the project says otherwise.
pub const MAX_LINKS: usize = 1_000;

/// Bytes of the main text from which a language is guessed: more costs more and tells little.
pub(crate) const GUESSED_FROM: usize = 1_024;

/// Bytes of a feed's title.
const MAX_TITLE: usize = 1_024;

impl<'a> Input<'a> {
    /// An answer, read with the usual limits.
    pub fn of(fetched: &'a Fetched, normalise: Normalise) -> Input<'a> {
        Input {
            url: &fetched.url,
            headers: &fetched.headers,
            body: &fetched.content,
            normalise,
            max_links: MAX_LINKS,
            agent: "gannet",
        }
    }
}

/// Reads a page. What is neither HTML, XML, text nor a document gives an empty one, with what the headers say; so
/// does PDF, which has a way of its own ([`pdf`](crate::pdf)).
pub fn page(input: &Input<'_>) -> Page {
    read(input, |html, reader| html::read(html, reader)).0
}

/// The same with its tables of data, which nobody in a crawl asks for.
pub fn page_with_tables(input: &Input<'_>) -> Page {
    read_for(input, Wanted::Tables, |html, reader| html::read(html, reader)).0
}

/// Reads a page for its links and what it says of itself, not for its text; half the work.
pub fn page_links(input: &Input<'_>) -> Page {
    read_for(input, Wanted::Links, |html, reader| html::read(html, reader)).0
}

/// Reads a page and builds its tree; the page is the same as that of [`page`]. No HTML, no tree.
pub fn page_and_tree(input: &Input<'_>) -> (Page, Option<Tree>) {
    read(input, |html, reader| html::parse(html, reader))
}

/// XML as a page: the URLs of a sitemap or feed are its links, newest first where it says when they changed; other
/// XML has text alone. Numbers of links are bounded by the sitemap's own limit.
fn listed(input: &Input<'_>) -> Page {
    let (body, encoding) = decoded(input);
    let mut page = Page { charset: encoding.name().to_owned(), ..Page::default() };
    let mut found = sitemap(input.body, input.url, input.normalise);
    if found.kind == SitemapKind::Unknown && packed(input.body).is_some() {
        return Page::unread(NO_LIST);
    }
    if found.kind == SitemapKind::Unknown || found.kind == SitemapKind::Rss || found.kind == SitemapKind::Atom
    {
        let mut words = Words::default();
        let mut xml = Xml::new(body.as_ref());
        let mut in_title = false;
        while let Some(event) = xml.next() {
            match event {
                Event::Text(text) => {
                    if in_title && page.title.is_empty() {
                        collapse_into(&mut page.title, &text, MAX_TITLE);
                    }
                    words.add_all(&text);
                }
                Event::Start { name, .. } => {
                    in_title = name.eq_ignore_ascii_case("title");
                    words.line();
                }
                Event::End { .. } => {
                    in_title = false;
                    words.line();
                }
            }
        }
        page.text = words.finish();
        page.main.clone_from(&page.text);
    }
    // A day that is yet to come says nothing.
    let served = input.headers.get("date").and_then(|day| dates::value(day, None));
    let latest = served.and_then(|day| dates::next_day(day.get(..10)?));
    let newest = |listed: &Listed| {
        let modified = listed.modified.clone();
        modified.filter(|at| latest.as_ref().is_none_or(|latest| at.get(..10) <= Some(latest.as_str())))
    };
    // Stable: of equal days, and of those without, the first comes first.
    found.urls.sort_by_cached_key(|listed| Reverse(newest(listed)));
    page.links_cut = found.cut;
    page.links = found
        .sitemaps
        .into_iter()
        .chain(found.urls)
        .map(|listed| Link {
            look: LinkLook::plain(links::distance(input.url, &listed.url)),
            url: listed.url,
            anchor: Default::default(),
            rel: Default::default(),
            kind: LinkKind::Listed,
        })
        .collect();
    page
}

/// The bytes of an XML file as UTF-8, and what they were: by the header, its mark, what it says of itself unless that is
/// plainly wrong, or a guess.
/// What is compressed stays unread.
fn decoded<'a>(input: &Input<'a>) -> (Cow<'a, [u8]>, &'static Encoding) {
    if packed(input.body).is_some() {
        return (Cow::Borrowed(&[]), UTF_8);
    }
    let start = &input.body[..input.body.len().min(1_024)];
    let label = input.headers.get("content-type").and_then(charset_parameter);
    let named = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    let encoding = match named.or_else(|| encoding(start).filter(|named| !was_converted(input.body, named))) {
        Some(encoding) => encoding,
        // Whatever says that it is UTF-8 and is not.
        None => guess(input.body, input.url),
    };
    if encoding == UTF_8 {
        return (Cow::Borrowed(input.body), UTF_8);
    }
    let bytes = match encoding.decode(input.body).0 {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    (bytes, encoding)
}

fn read<T>(input: &Input<'_>, parse: impl FnOnce(&str, &mut Reader<'_>) -> T) -> (Page, Option<T>) {
    read_for(input, Wanted::Page, parse)
}

fn read_for<T>(
    input: &Input<'_>,
    wanted: Wanted,
    parse: impl FnOnce(&str, &mut Reader<'_>) -> T,
) -> (Page, Option<T>) {
    let content_type = input.headers.get("content-type");
    let kind = kind(content_type, input.body);
    let mut page = Page::default();
    let mut tree = None;
    if kind == Kind::Xml {
        page = listed(input);
    } else if kind == Kind::Document {
        page = document(input).unwrap_or_else(|| Page::unread(NO_DOCUMENT));
    } else if !matches!(kind, Kind::Other | Kind::Pdf) {
        let (text, encoding) = crate::decode(input.body, content_type, kind, input.url);
        if kind == Kind::Html {
            let mut reader = Reader::new(input, wanted);
            tree = Some(parse(&text, &mut reader));
            page = reader.finish();
        } else if kind == Kind::Markdown {
            page = markdown(&text, input, wanted);
        } else {
            let mut words = Words::default();
            for line in text.lines() {
                words.add_all(line);
                words.line();
            }
            page.text = words.finish();
            page.main.clone_from(&page.text);
        }
        page.charset = encoding.name().to_owned();
    }
    if kind == Kind::Other && !input.body.is_empty() && !content_type.is_some_and(is_picture) {
        page = Page::unread(NO_KIND);
    }
    if page.title.is_empty() {
        page.title = other_title(&page);
    }
    add_headers(&mut page, input);
    (page, tree)
}

/// Why no text is read.
const NO_DOCUMENT: &str = "broken, or no DOCX or ODT";
const NO_LIST: &str = "packed, and no sitemap or feed";
const NO_KIND: &str = "no text is read from content of this kind";

/// What a page without a title calls itself.
fn other_title(page: &Page) -> String {
    let named = page.meta.iter().find(|(name, _)| name == "og:title").map(|(_, value)| value);
    let headed = || page.headings.iter().find(|heading| heading.level == 1).map(|heading| &heading.text);
    let mut title = String::new();
    if let Some(words) = named.or_else(headed) {
        collapse_into(&mut title, words, MAX_TITLE);
    }
    title
}

/// Adds what the headers say about a page; and its language by its words, where nothing says it.
pub fn add_headers(page: &mut Page, input: &Input<'_>) {
    if page.language.is_none() {
        let language = input.headers.get("content-language");
        page.language = language.and_then(directives::language);
    }
    if page.language.is_none() {
        let start = &page.main[..page.main.floor_char_boundary(GUESSED_FROM)];
        page.language = text::language(start).map(|guess| guess.code.to_owned());
    } else if let Some(other) =
        page.language.as_deref().and_then(|named| language::instead(named, &page.main))
    {
        page.language = Some(other.to_owned());
    }
    for value in input.headers.all("x-robots-tag") {
        directives::add_header(&mut page.directives, value, input.agent);
    }
}
