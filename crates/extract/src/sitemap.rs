//! Lists of URLs that sites publish: sitemaps, their indexes, plain lists, RSS, Atom and JSON feeds.
//!
//! Read as a stream, gzip undone on the way, up to 50 MiB and 50,000 URLs. A file that is broken gives the
//! URLs that can be read; only one that is no list at all gives none and says so.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};

use encoding_rs::{Encoding, UTF_8};
use flate2::bufread::MultiGzDecoder;
use memchr::memmem;
use model::{Normalise, PageUrl};
use serde_json::Value as Json;

use crate::charset::{utf16, was_converted};
use crate::dates;
use crate::prescan::declared_encoding;
use crate::xml::{Event, Xml, decode};

/// Bytes that are read of one file, decompressed.
pub(crate) const MOST_BYTES: u64 = 50 << 20;

/// URLs that are taken from one file, and as many again that are the same pages in other languages.
pub(crate) const MOST_URLS: usize = 50_000;

/// What a file lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sitemap {
    /// Which form it has.
    pub kind: SitemapKind,
    /// Pages, each once, in the order of the file.
    pub urls: Vec<Listed>,
    /// Further sitemaps.
    pub sitemaps: Vec<Listed>,
    /// True when the file had more than was read.
    pub cut: bool,
}

/// One URL of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The URL.
    pub url: PageUrl,
    /// When it was last changed or published, as an ISO day or moment.
    pub modified: Option<String>,
}

/// Forms of lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SitemapKind {
    /// None of them.
    #[default]
    Unknown,
    /// `<urlset>`.
    Urls,
    /// `<sitemapindex>`.
    Index,
    /// One URL a line.
    Text,
    /// RSS, of any version.
    Rss,
    /// Atom.
    Atom,
    /// JSON Feed.
    Json,
}

impl SitemapKind {
    /// Its name for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            SitemapKind::Unknown => "unknown",
            SitemapKind::Urls => "sitemap",
            SitemapKind::Index => "sitemap-index",
            SitemapKind::Text => "text",
            SitemapKind::Rss => "rss",
            SitemapKind::Atom => "atom",
            SitemapKind::Json => "json-feed",
        }
    }
}

/// Reads a list that was found at `url`. References in it are relative to that.
pub fn sitemap(body: &[u8], url: &PageUrl, normalise: Normalise) -> Sitemap {
    let mut list = List {
        url,
        normalise,
        found: Sitemap::default(),
        met: HashSet::new(),
        alternates: 0,
        bases: Vec::new(),
        in_html: false,
    };
    if let Some(packed) = packed(body) {
        // A file may be compressed twice, by its maker and by its server.
        let inner = BufReader::new(MultiGzDecoder::new(packed));
        let mut inner = BufReader::new(inner.take(MOST_BYTES));
        if inner.fill_buf().unwrap_or_default().starts_with(GZIP) {
            list.read(BufReader::new(MultiGzDecoder::new(inner)));
        } else {
            list.read(inner);
        }
    } else {
        list.read(body);
    }
    list.found
}

/// First elements of lists, in lower case.
pub(crate) const ROOTS: [&str; 5] = ["urlset", "sitemapindex", "rss", "feed", "rdf"];

/// Where a tag of this name begins, with any prefix, in any case.
pub(crate) fn find_tag(text: &[u8], before: &[u8], name: &str) -> Option<usize> {
    memmem::find_iter(text, before).find(|at| begins_tag(&text[at + before.len()..], name))
}

/// Whether what follows a `<` is the root of a sitemap or feed.
pub(crate) fn is_root(tag: &[u8]) -> bool {
    ROOTS.iter().any(|root| begins_tag(tag, root))
}

/// Whether a tag has this name, with any prefix, in any case.
fn begins_tag(tag: &[u8], name: &str) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let end = |tag: &[u8]| tag.iter().position(|byte| !is_name(byte)).unwrap_or(tag.len());
    let (first, rest) = tag.split_at(end(tag));
    let local = rest.strip_prefix(b":").map_or(first, |local| &local[..end(local)]);
    local.eq_ignore_ascii_case(name.as_bytes())
}

/// How what gzip has packed begins.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// What gzip has packed; scripts print line ends and marks before it.
pub(crate) fn packed(body: &[u8]) -> Option<&[u8]> {
    let mut body = body;
    while let Some(rest) =
        [&b"\xEF\xBB\xBF"[..], b"\n", b"\r", b" "].iter().find_map(|mark| body.strip_prefix(*mark))
    {
        body = rest;
    }
    body.starts_with(GZIP).then_some(body)
}

struct List<'a> {
    url: &'a PageUrl,
    normalise: Normalise,
    found: Sitemap,
    met: HashSet<String>,
    /// Pages in other languages among those found.
    alternates: usize,
    /// What `xml:base` of open elements says, and how many are open around each.
    bases: Vec<(usize, PageUrl)>,
    /// A page of HTML stands around it.
    in_html: bool,
}

/// The entry being read: `<url>`, `<sitemap>`, `<item>`, `<entry>`.
#[derive(Default)]
struct Entry {
    url: Option<String>,
    /// `<guid>` or `<id>`, which may be the URL.
    id: Option<String>,
    /// A link that is not quite its own: to another form of it, or of Atom in RSS.
    other_link: Option<String>,
    modified: Option<String>,
    others: Vec<String>,
    is_index: bool,
    is_open: bool,
}

/// Alternates of one entry, in other languages.
const MOST_OTHERS: usize = 100;

impl List<'_> {
    fn read(&mut self, input: impl BufRead) {
        let mut bounded = input.take(MOST_BYTES);
        let mut input = BufReader::new(&mut bounded);
        let start = input.fill_buf().unwrap_or_default();
        let start = &start[..start.len().min(1_024)];
        match encoding(start) {
            Some(encoding) => {
                let mut bytes = Vec::new();
                // An unreadable end is as good as the end.
                let _ = input.read_to_end(&mut bytes);
                let (text, _, _) =
                    if was_converted(&bytes, encoding) { UTF_8 } else { encoding }.decode(&bytes);
                self.read_utf8(text.as_bytes());
            }
            None => self.read_utf8(input),
        }
        self.found.cut |= bounded.limit() == 0;
    }

    fn read_utf8(&mut self, mut input: impl BufRead) {
        let start = input.fill_buf().unwrap_or_default();
        let is_before = |byte: &u8| byte.is_ascii_whitespace() || b"\xEF\xBB\xBF\0".contains(byte);
        let start = &start[start.iter().position(|byte| !is_before(byte)).unwrap_or(start.len())..];
        let holds = |before: &[u8]| ROOTS.iter().any(|root| find_tag(start, before, root).is_some());
        match start.first() {
            None => {}
            // Somebody took the whole file for a text. A page of HTML may speak of such files.
            Some(b'<' | b'&')
                if !holds(b"<") && holds(b"&lt;") && find_tag(start, b"<", "html").is_none() =>
            {
                let mut bytes = Vec::new();
                let _ = input.take(MOST_ESCAPED).read_to_end(&mut bytes);
                self.found.cut |= bytes.len() as u64 == MOST_ESCAPED;
                self.xml(decode(&String::from_utf8_lossy(&bytes)).as_bytes());
            }
            Some(b'<') => self.xml(input),
            Some(b'{') => self.json(input),
            // Words before the first tag, as some servers print them.
            Some(_) if holds(b"<") || memmem::find(start, b"<?xml").is_some() => self.xml(input),
            Some(_) => self.lines(input),
        }
    }

    fn xml(&mut self, input: impl BufRead) {
        let mut xml = Xml::new(input);
        let mut entry = Entry::default();
        // Names of the open elements, innermost last; only so deep as lists are.
        let mut open: Vec<String> = Vec::new();
        let mut text = String::new();
        while let Some(event) = xml.next() {
            if self.is_full() {
                break;
            }
            match event {
                // Somebody made a link of a URL.
                Event::Start { name, .. } | Event::End { name } if is_markup(&name) && is_in_value(&open) => {
                }
                Event::Start { name, prefix, attributes, empty } => {
                    let name = name.to_ascii_lowercase();
                    self.text_ends(&mut entry, &open, "", &mut text);
                    // Its end tag is missing.
                    if open.pop_if(|open| is_value(open)).is_some() {
                        self.leave(open.len());
                    }
                    self.root(&name, open.is_empty());
                    self.enter(open.len(), &attributes);
                    match name.as_str() {
                        _ if is_beside(&open) => {}
                        // A page of HTML is no list, and yet one may stand in it.
                        "html" | "body" => self.in_html |= self.found.kind == SitemapKind::Unknown,
                        "url" | "sitemap" | "item" | "entry" if self.found.kind != SitemapKind::Unknown => {
                            self.settle(&mut entry);
                            let about = attributes.iter().find(|(key, _)| key == "rdf:about");
                            entry = Entry {
                                id: about.map(|(_, url)| url.clone()),
                                is_index: name == "sitemap",
                                is_open: true,
                                ..Entry::default()
                            };
                        }
                        "link" => self.link(&mut entry, &prefix, &attributes),
                        _ => {}
                    }
                    // As HTML has it, a link is empty and its URL follows.
                    let is_empty =
                        empty && !(attributes.is_empty() && matches!(name.as_str(), "link" | "loc"));
                    if is_empty {
                        self.leave(open.len());
                    } else if open.len() < 64 {
                        open.push(name);
                    }
                }
                Event::Text(more) => {
                    if text.len() < 8_192 {
                        text.push_str(&more);
                    }
                }
                Event::End { name } => {
                    let name = name.to_ascii_lowercase();
                    self.text_ends(&mut entry, &open, &name, &mut text);
                    if let Some(at) = open.iter().rposition(|open| *open == name) {
                        open.truncate(at);
                        self.leave(at);
                    }
                    if matches!(name.as_str(), "url" | "sitemap" | "item" | "entry") && !is_beside(&open) {
                        self.settle(&mut entry);
                    }
                }
            }
        }
        // A file that was cut off ends within a value; of a URL that may be enough.
        if is_url(text.trim()) {
            self.text_ends(&mut entry, &open, "", &mut text);
        }
        self.settle(&mut entry);
    }

    /// At a tag, which may end an element of this name: the text before it is the value of the innermost one, whose own
    /// end tag may be missing.
    fn text_ends(&mut self, entry: &mut Entry, open: &[String], ended: &str, text: &mut String) {
        let owner = open.last().filter(|open| is_value(open)).map_or(ended, String::as_str);
        if !is_beside(open) {
            self.value(entry, owner, text.trim());
        }
        text.clear();
    }

    /// Tells the form of the list by an element.
    fn root(&mut self, name: &str, is_first: bool) {
        let kind = match name {
            "urlset" => SitemapKind::Urls,
            "sitemapindex" => SitemapKind::Index,
            "rss" | "rdf" => SitemapKind::Rss,
            "feed" => SitemapKind::Atom,
            // Without a root: the entries tell.
            "url" => SitemapKind::Urls,
            "sitemap" => SitemapKind::Index,
            "item" => SitemapKind::Rss,
            "entry" => SitemapKind::Atom,
            _ => return,
        };
        let is_entry = !ROOTS.contains(&name);
        if self.in_html && is_entry {
            return;
        }
        if self.found.kind == SitemapKind::Unknown || is_first {
            self.found.kind = kind;
        }
    }

    /// The text of an element that has ended.
    fn value(&mut self, entry: &mut Entry, name: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let text = || text.to_owned();
        let url = || self.absolute(&text());
        match name {
            "loc" => {
                if entry.url.is_some() {
                    // The end tag between two entries is missing.
                    let is_index = entry.is_index;
                    self.settle(entry);
                    *entry = Entry { is_index, is_open: true, ..Entry::default() };
                }
                entry.is_open = true;
                if self.found.kind == SitemapKind::Unknown {
                    self.found.kind = SitemapKind::Urls;
                }
                entry.is_index |= self.found.kind == SitemapKind::Index;
                entry.url = Some(text());
            }
            // Without a `<loc>`, or its end tag after that of the entry.
            "url"
                if entry.is_open
                    && entry.url.is_none()
                    && self.found.kind == SitemapKind::Urls
                    && is_url(&text()) =>
            {
                entry.url = Some(text());
            }
            "link" if entry.is_open && entry.url.is_none() => entry.url = Some(url()),
            "origlink" if entry.is_open => entry.url = Some(url()),
            "guid" | "id" if entry.is_open => entry.id = Some(text()),
            "lastmod" | "updated" | "modified" if entry.is_open => entry.modified = Some(text()),
            "pubdate" | "published" | "date" | "issued" | "publication_date" if entry.is_open => {
                entry.modified.get_or_insert_with(text);
            }
            _ => {}
        }
    }

    fn settle(&mut self, entry: &mut Entry) {
        let entry = std::mem::take(entry);
        if !entry.is_open {
            return;
        }
        let modified = entry.modified.as_deref().and_then(|text| dates::value(text, None));
        if let Some(url) = entry.url.or(entry.other_link).or(entry.id.filter(|id| is_url(id))) {
            self.add(&url, modified.clone(), entry.is_index);
        }
        for other in entry.others {
            if self.alternates >= MOST_URLS {
                self.found.cut = true;
                return;
            }
            let before = self.found.urls.len();
            // What others are named does not count against the list itself.
            self.alternates += 1;
            self.add(&other, modified.clone(), false);
            if self.found.urls.len() == before {
                self.alternates -= 1;
            }
        }
    }

    fn add(&mut self, text: &str, modified: Option<String>, is_index: bool) {
        // Where a line was broken, the next may be indented.
        let text: String = text.split(['\n', '\r', '\t']).map(str::trim).collect();
        let text = text.trim_matches(is_around);
        // An entity of the file's own, which is not resolved.
        if text.starts_with('&') {
            return;
        }
        // Escaped twice, or once where nothing is resolved.
        let text = text.replace("&amp;", "&");
        let text = if self.lacks_scheme(&text) { format!("{}://{text}", self.url.scheme()) } else { text };
        let Ok(url) = self.normalise.join(self.url, &text) else { return };
        if self.is_full() {
            self.found.cut = true;
            return;
        }
        if self.met.insert(url.as_str().to_owned()) {
            let list = if is_index { &mut self.found.sitemaps } else { &mut self.found.urls };
            list.push(Listed { url, modified });
        }
    }

    /// Whether a reference begins with the name of a host, as people write it.
    fn lacks_scheme(&self, text: &str) -> bool {
        let host = self.url.host();
        let own = host.name().strip_prefix("www.").unwrap_or(host.name());
        let named = text.split('/').next().unwrap_or_default();
        named.starts_with("www.") || named == own
    }

    fn is_full(&mut self) -> bool {
        let full = self.found.urls.len() + self.found.sitemaps.len() >= MOST_URLS + self.alternates;
        self.found.cut |= full;
        full
    }

    fn lines(&mut self, input: impl BufRead) {
        let mut lines = 0;
        'all: for line in input.split(b'\n').map_while(Result::ok) {
            // Lines of old Macs end so.
            for line in line.split(|byte| *byte == b'\r') {
                lines += 1;
                let line = String::from_utf8_lossy(&line[..line.len().min(8_192)]);
                let found = self.met.len();
                for url in urls_in(&line) {
                    self.add(url, None, false);
                }
                if self.met.len() == found && lines > 1_000 && self.found.urls.is_empty() {
                    return;
                }
                if self.is_full() {
                    break 'all;
                }
            }
        }
        if !self.found.urls.is_empty() {
            self.found.kind = SitemapKind::Text;
        }
    }

    fn json(&mut self, input: impl BufRead) {
        let mut bytes = Vec::new();
        let _ = input.take(MOST_JSON).read_to_end(&mut bytes);
        match serde_json::from_slice::<Json>(&bytes) {
            Ok(feed) => {
                let Some(items) = feed.get("items").and_then(Json::as_array) else { return };
                self.found.kind = SitemapKind::Json;
                items.iter().for_each(|item| self.json_item(item));
            }
            Err(_) => self.broken_json(&bytes),
        }
    }

    /// Item by item, as far as they can be read; of one that cannot be, its URL.
    fn broken_json(&mut self, bytes: &[u8]) {
        let Some(items) = memmem::find(bytes, b"\"items\"") else { return };
        let Some(list) = bytes[items..].iter().position(|byte| *byte == b'[') else { return };
        self.found.kind = SitemapKind::Json;
        let mut rest = &bytes[items + list + 1..];
        while let Some(start) = rest.iter().position(|byte| *byte == b'{') {
            if self.is_full() {
                return;
            }
            rest = &rest[start..];
            let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<Json>();
            if let Some(Ok(item)) = values.next() {
                self.json_item(&item);
                rest = &rest[values.byte_offset()..];
                continue;
            }
            // Up to where the next one seems to begin.
            let end = memmem::find(&rest[1..], b"{\"").map_or(rest.len(), |end| end + 1);
            let (item, others) = rest.split_at(end);
            if let Some(url) = json_url(item) {
                self.add(&url, None, false);
            }
            rest = others;
        }
    }

    fn json_item(&mut self, item: &Json) {
        let text = |name: &str| item.get(name).and_then(Json::as_str);
        let date = text("date_modified").or_else(|| text("date_published"));
        let id = || text("id").filter(|id| is_url(id));
        if let Some(url) = text("url").or_else(id).or_else(|| text("external_url")) {
            self.add(url, date.and_then(|date| dates::value(date, None)), false);
        }
    }
}

fn is_url(text: &str) -> bool {
    let begins =
        |scheme: &str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    begins("http://") || begins("https://")
}

/// The URLs of a line that begins with one: several with marks between, or one with what a table says of it.
fn urls_in(line: &str) -> Vec<&str> {
    let mut urls = Vec::new();
    let pieces = line.trim_matches(is_around).split(|c: char| c.is_whitespace() || "\"<>|".contains(c));
    for (nth, mut piece) in pieces.filter(|piece| !piece.is_empty()).enumerate() {
        if !is_url(piece) {
            if nth == 0 {
                break;
            }
            continue;
        }
        // These may be part of a URL, unless another follows.
        let next = |piece: &str| {
            let mut marks = piece.match_indices([',', ';']).map(|(at, _)| at);
            marks.find(|at| is_url(&piece[at + 1..]))
        };
        while let Some(end) = next(piece) {
            urls.push(&piece[..end]);
            piece = &piece[end + 1..];
        }
        urls.push(piece.trim_end_matches([',', ';']));
    }
    urls
}

/// What may stand around a URL and is no part of it: quotes, brackets, what nobody sees.
fn is_around(c: char) -> bool {
    let is_unseen = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}');
    is_unseen || c.is_whitespace() || c.is_control() || "\"'`<>“”„‘’«»".contains(c)
}

/// Elements whose text is the value of an entry; what has another in it lacks its end tag.
fn is_value(name: &str) -> bool {
    const VALUES: &[&str] = &[
        "loc",
        "link",
        "origlink",
        "guid",
        "id",
        "lastmod",
        "updated",
        "modified",
        "pubdate",
        "published",
        "date",
        "issued",
        "publication_date",
    ];
    VALUES.contains(&name)
}

fn is_in_value(open: &[String]) -> bool {
    open.last().is_some_and(|name| is_value(name))
}

/// Tags of HTML within a line of text.
fn is_markup(name: &str) -> bool {
    const NAMES: &[&str] = &["a", "b", "br", "em", "font", "i", "p", "span", "strong", "u", "wbr"];
    NAMES.iter().any(|markup| markup.eq_ignore_ascii_case(name))
}

/// Bytes of a JSON feed that are read, and of a list that is escaped as a whole: these are not read as a stream.
const MOST_JSON: u64 = 8 << 20;
const MOST_ESCAPED: u64 = 8 << 20;

/// The text after `"url":`.
fn json_url(item: &[u8]) -> Option<String> {
    let at = memmem::find(item, b"\"url\"")? + 5;
    let value = item[at..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let mut values = serde_json::Deserializer::from_slice(value).into_iter::<String>();
    values.next()?.ok()
}

/// Within an image or video, or the feed that an entry was taken from: what is named there is not the entry's. Prefixes
/// are each file's own choice, so they tell nothing.
fn is_beside(open: &[String]) -> bool {
    open.iter().any(|name| matches!(name.as_str(), "image" | "video" | "source"))
}

impl List<'_> {
    fn link(&self, entry: &mut Entry, prefix: &str, attributes: &[(String, String)]) {
        let get = |name: &str| {
            attributes.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
        };
        let Some(href) = get("href").filter(|_| entry.is_open) else { return };
        // The registry of such words names each by a URL, too.
        let is_own = |rel: &String| {
            let rel = rel.to_ascii_lowercase();
            rel.is_empty()
                || rel.split_ascii_whitespace().any(|word| word.rsplit('/').next() == Some("alternate"))
        };
        if !get("rel").is_none_or(is_own) {
            return;
        }
        let is_page = get("type").is_none_or(|kind| kind.to_ascii_lowercase().contains("html"));
        match self.found.kind {
            SitemapKind::Urls | SitemapKind::Index => {
                if entry.others.len() < MOST_OTHERS {
                    entry.others.push(href.clone());
                }
            }
            // In RSS the entry's own has no prefix; others are Atom's, of the feed or its parts.
            SitemapKind::Rss if !prefix.is_empty() => {
                entry.other_link.get_or_insert_with(|| self.absolute(href));
            }
            _ if !is_page => {
                entry.other_link.get_or_insert_with(|| self.absolute(href));
            }
            _ => {
                if entry.url.is_none() {
                    entry.url = Some(self.absolute(href));
                }
            }
        }
    }

    /// Notes what an element says of the references in it, which has so many around it.
    fn enter(&mut self, depth: usize, attributes: &[(String, String)]) {
        let Some((_, base)) = attributes.iter().find(|(key, _)| key == "xml:base") else { return };
        let around = self.bases.last().map_or(self.url, |(_, base)| base);
        if let Ok(base) = Normalise::default().join(around, base)
            && self.bases.len() < 64
        {
            self.bases.push((depth, base));
        }
    }

    /// Forgets what elements said that have at least so many around them.
    fn leave(&mut self, depth: usize) {
        while self.bases.pop_if(|(at, _)| *at >= depth).is_some() {}
    }

    /// A reference as what stands around it has it.
    fn absolute(&self, text: &str) -> String {
        let joined = self.bases.last().and_then(|(_, base)| self.normalise.join(base, text.trim()).ok());
        joined.map_or_else(|| text.to_owned(), |url| url.as_str().to_owned())
    }
}

/// The encoding, where it is not UTF-8.
pub(crate) fn encoding(start: &[u8]) -> Option<&'static Encoding> {
    if let Some((encoding, _)) = Encoding::for_bom(start) {
        return Some(encoding).filter(|encoding| *encoding != UTF_8);
    }
    let declared = || declared_encoding(&start[..start.len().min(200)]);
    utf16(start).or_else(declared).filter(|encoding| *encoding != UTF_8)
}
