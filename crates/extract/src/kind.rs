//! What kind of content an answer is: by its type, else by its first bytes.

use std::borrow::Cow;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8};
use memchr::{memchr_iter, memmem};

use crate::charset::{charset_parameter, utf16};
use crate::picture::begins_as_picture;
use crate::sitemap::{is_root, packed};

/// How a body is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As HTML.
    Html,
    /// As XML: a sitemap or feed, else its text.
    Xml,
    /// As text without markup.
    PlainText,
    /// As Markdown.
    Markdown,
    /// As a document of a word processor: DOCX, ODT.
    Document,
    /// As PDF, by [`pdf`](crate::pdf): apart from the others.
    Pdf,
    /// Not at all.
    Other,
}

/// How to read a body with this `Content-Type`; its first bytes decide when the type is missing or says nothing, and
/// where they are those of a list or document that nobody would show to people as they are.
pub fn kind(content_type: Option<&str>, body: &[u8]) -> Kind {
    let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    match essence.to_ascii_lowercase().as_str() {
        // Whatever the type says, there is no text to read. HTML is read as browsers read it, whatever is in it.
        "text/html"
        | "application/xhtml+xml"
        | "text/plain"
        | "text/markdown"
        | "text/x-markdown"
        | "text/xml"
        | "application/xml"
            if is_something_else(body) =>
        {
            by_mark(body).unwrap_or(Kind::Other)
        }
        "text/plain" | "text/markdown" | "text/x-markdown" | "text/xml" | "application/xml"
            if is_no_text(content_type, body) =>
        {
            Kind::Other
        }
        // Servers that know no better call everything HTML.
        "text/html" | "text/plain" if is_list(body) => Kind::Xml,
        "text/html" | "application/xhtml+xml" => Kind::Html,
        "text/plain" => Kind::PlainText,
        "text/markdown" | "text/x-markdown" => Kind::Markdown,
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        | "application/vnd.oasis.opendocument.text" => Kind::Document,
        "application/pdf" | "application/x-pdf" => Kind::Pdf,
        "text/xml" | "application/xml" => {
            if is_xhtml(body) {
                Kind::Html
            } else {
                Kind::Xml
            }
        }
        "application/rss+xml" | "application/atom+xml" | "application/rdf+xml" | "application/feed+json" => {
            Kind::Xml
        }
        "" | "*/*" | "unknown/unknown" | "application/unknown" => sniff(body),
        // `application/octet-stream`, and whatever else a list or document may be called.
        _ => by_mark(body).unwrap_or(Kind::Other),
    }
}

/// Whether it is [`Kind::Pdf`]. Most content says by its type and its first bytes that it is not.
pub fn is_pdf(content_type: Option<&str>, body: &[u8]) -> bool {
    let is_called_so = || content_type.is_some_and(|name| name.to_ascii_lowercase().contains("pdf"));
    (body.starts_with(PDF) || is_called_so()) && kind(content_type, body) == Kind::Pdf
}

/// How a PDF begins.
const PDF: &[u8] = b"%PDF-";

/// Bytes that are looked at.
const PREFIX: usize = 1_024;

fn sniff(body: &[u8]) -> Kind {
    if let Some(kind) = by_mark(body) {
        return kind;
    }
    let prefix = start(body);
    let start = prefix.trim_ascii_start();
    if is_html(start) {
        Kind::Html
    } else if start.starts_with(b"<?xml") {
        if is_xhtml(&prefix) { Kind::Html } else { Kind::Xml }
    } else if prefix.is_empty() || prefix.iter().any(|byte| is_binary(*byte)) {
        Kind::Other
    } else {
        Kind::PlainText
    }
}

/// The first bytes without a mark, as UTF-8 where they are UTF-16.
fn start(body: &[u8]) -> Cow<'_, [u8]> {
    let start = &body[..body.len().min(PREFIX)];
    let (encoding, mark) = match Encoding::for_bom(start) {
        Some((encoding, mark)) => (encoding, mark),
        None => (utf16(start).unwrap_or(UTF_8), 0),
    };
    if encoding == UTF_8 {
        return Cow::Borrowed(&start[mark..]);
    }
    Cow::Owned(encoding.decode_without_bom_handling(&start[mark..]).0.into_owned().into_bytes())
}

/// What the first bytes of a document or list say.
fn by_mark(body: &[u8]) -> Option<Kind> {
    if body.starts_with(b"PK\x03\x04") {
        Some(Kind::Document)
    } else if body.starts_with(PDF) {
        Some(Kind::Pdf)
    } else {
        (packed(body).is_some() || is_list(body)).then_some(Kind::Xml)
    }
}

/// A sitemap or feed says so with its first element, its first lines or its version; words may stand before it where it
/// begins with a declaration.
fn is_list(body: &[u8]) -> bool {
    let prefix = start(body);
    let start = prefix.trim_ascii_start();
    match start.first() {
        Some(b'{') => is_json_feed(start),
        Some(b'h' | b'H') if is_list_of_lines(start) => true,
        _ => match memmem::find(start, b"<?xml") {
            Some(at) => tags(&start[at..]).any(is_root) && !is_xhtml(start),
            None => from_first_element(start).strip_prefix(b"<").is_some_and(is_root),
        },
    }
}

/// What follows each `<`.
fn tags(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    memchr_iter(b'<', text).map(|at| &text[at + 1..])
}

/// What follows comments and declarations.
fn from_first_element(start: &[u8]) -> &[u8] {
    let mut rest = start;
    loop {
        let end = match rest {
            [b'<', b'!', b'-', b'-', ..] => &b"-->"[..],
            [b'<', b'!' | b'?', ..] => b">",
            _ => return rest,
        };
        rest = memmem::find(rest, end).map_or(&[][..], |at| &rest[at + end.len()..]).trim_ascii_start();
    }
}

/// One URL a line, and nothing else in the first lines.
fn is_list_of_lines(start: &[u8]) -> bool {
    // The last may be cut off.
    let lines = start.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
    let lines = lines.filter(|line| !line.is_empty());
    let begins = |line: &[u8], scheme: &[u8]| {
        line.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    // A table has further columns.
    let is_url = |line: &[u8]| {
        let url = line.split(|byte| *byte == b'\t').next().unwrap_or_default();
        (begins(url, b"http://") || begins(url, b"https://")) && !url.iter().any(u8::is_ascii_whitespace)
    };
    lines.take(20).all(is_url)
}

/// A JSON Feed names its version.
fn is_json_feed(body: &[u8]) -> bool {
    find(&body[..body.len().min(PREFIX)], b"jsonfeed.org").is_some()
}

/// XHTML says so in its first lines.
fn is_xhtml(body: &[u8]) -> bool {
    let is_html = |tag: &[u8]| tag.get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"html"));
    tags(&body[..body.len().min(PREFIX)]).any(is_html)
}

/// Tags that a page without a type may start with, as the sniffing standard has them.
fn is_html(start: &[u8]) -> bool {
    const TAGS: &str = "html head script iframe h1 div font table a style title b body br p meta link";
    let names = TAGS.split(' ').map(|name| format!("<{name}"));
    start.starts_with(b"<!--")
        || names.chain(["<!doctype html".to_owned()]).any(|tag| {
            start.len() > tag.len()
                && start[..tag.len()].eq_ignore_ascii_case(tag.as_bytes())
                && (start[tag.len()] == b'>' || start[tag.len()].is_ascii_whitespace())
        })
}

/// Documents, what is packed, and pictures say so with their first bytes.
fn is_something_else(body: &[u8]) -> bool {
    body.starts_with(b"PK\x03\x04")
        || body.starts_with(PDF)
        || packed(body).is_some()
        || begins_as_picture(body)
}

/// Pictures, sounds and programs: one byte in ten is a control character, of texts next to none.
fn is_no_text(content_type: Option<&str>, body: &[u8]) -> bool {
    const ONE_IN: usize = 20;
    // In two bytes a character, any may stand for a control character.
    let label = content_type.and_then(charset_parameter);
    let named = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    if named.is_some_and(|named| !named.is_ascii_compatible() && named != ISO_2022_JP) {
        return false;
    }
    let start = start(body);
    start.iter().filter(|byte| is_binary(**byte)).count() * ONE_IN > start.len().max(2 * ONE_IN)
}

/// Control characters that text does not have.
fn is_binary(byte: u8) -> bool {
    matches!(byte, 0x00..=0x08 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F)
}

pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content_type: Option<&str>, body: &[u8], expected: Kind) {
        assert_eq!(
            kind(content_type, body),
            expected,
            "{content_type:?} {:?}",
            String::from_utf8_lossy(body)
        );
    }

    #[test]
    fn the_type_decides() {
        check(Some("text/html; charset=utf-8"), b"plain", Kind::Html);
        check(Some(" Text/HTML"), b"", Kind::Html);
        check(Some("application/xhtml+xml"), b"", Kind::Html);
        check(Some("text/plain"), b"<html>", Kind::PlainText);
        check(Some("application/pdf"), b"<html>", Kind::Pdf);
        check(Some("image/png"), b"", Kind::Other);
        check(Some("text/xml"), b"<urlset>", Kind::Xml);
        check(Some("application/xml"), b"<?xml version='1.0'?><html>", Kind::Html);
        check(Some("application/gzip"), b"\x1f\x8b", Kind::Xml);
        check(Some("application/gzip"), b"PK", Kind::Other);
        check(Some("binary/octet-stream"), b"\x1f\x8b", Kind::Xml);
        check(Some("application/octet-stream"), b"%PDF-1.7", Kind::Pdf);
        check(Some("application/octet-stream"), b"PK\x03\x04", Kind::Document);
        check(Some("application/octet-stream"), b"<rss version='2.0'>", Kind::Xml);
        check(Some("application/octet-stream"), b"<html>", Kind::Other);
        check(Some("application/octet-stream"), b"words", Kind::Other);
        check(Some("application/json"), b"{\"version\":\"https://jsonfeed.org/version/1.1\"}", Kind::Xml);
        check(Some("application/json"), b"{}", Kind::Other);
    }

    #[test]
    fn what_is_no_text_is_not_read_as_text() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde";
        let noise = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0\x60\x4e\0\0\0\0\0\0\x40\0";
        check(Some("text/plain"), noise, Kind::Other);
        check(Some("text/xml"), noise, Kind::Other);
        check(Some("text/html"), noise, Kind::Html);
        for kind in ["text/html", "text/plain; charset=utf-8", "text/markdown", "text/xml"] {
            check(Some(kind), png, Kind::Other);
            check(Some(kind), b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0", Kind::Other);
            check(Some(kind), b"PK\x03\x04", Kind::Document);
            check(Some(kind), b"%PDF-1.7", Kind::Pdf);
            check(Some(kind), b"\x1f\x8b\x08", Kind::Xml);
        }
        // A stray one or two; a text in sixteen bits, declared or not; one in an encoding with escapes.
        check(Some("text/html"), b"a\0b\x01", Kind::Html);
        check(Some("text/html"), b"t\0e\0x\0t\0", Kind::Html);
        check(Some("text/html; charset=utf-16be"), b"\x4e\x01\x4e\x02\x4e\x03\x4e\x04", Kind::Html);
        check(Some("text/plain"), b"\x1b$B\x1b(B\x1b$B\x1b(B", Kind::PlainText);
    }

    #[test]
    fn lists_are_known_whatever_they_are_called() {
        check(Some("text/html"), b"<?xml version='1.0'?><urlset><url>", Kind::Xml);
        check(Some("text/html"), b"\xEF\xBB\xBF<?xml version='1.0'?>\n<rss>", Kind::Xml);
        check(Some("text/html"), b"<?xml version='1.0'?><html><body><feed>", Kind::Html);
        check(Some("text/html"), b"<p>An <urlset> is a list", Kind::Html);
        check(Some("text/html"), b"\n<rss version='2.0'><channel>", Kind::Xml);
        check(Some("text/html"), b"<feed xmlns='http://www.w3.org/2005/Atom'>", Kind::Xml);
        check(Some("text/html"), b"<feedback>How do you like it?", Kind::Html);
        check(Some("text/html"), b"{\"version\":\"https://jsonfeed.org/version/1\"}", Kind::Xml);
        check(Some("text/html"), b"<br><b>Notice</b>: x\n<?xml version='1.0'?><urlset><url>", Kind::Xml);
        check(Some("text/html"), b"<!-- x > y --><!DOCTYPE urlset>\n<s:URLSET>", Kind::Xml);
        check(Some("text/html"), b"<!-- x --><!DOCTYPE html><p>An <urlset> is a list", Kind::Html);
        check(Some("text/html"), b"\n\x1f\x8b\x08", Kind::Xml);
        check(Some("text/html"), b"<\0r\0s\0s\0>\0", Kind::Xml);
        check(Some("text/plain"), b"http://e.com/a\rhttp://e.com/b\r", Kind::Xml);
        check(Some("text/plain"), b"HTTPS://e.com/a\t2026-01-02\nhttp://e.com/b\t2026-01-02", Kind::Xml);
        check(Some("text/plain"), b"http://e.com/a\nhttps://e.com/b\r\n\nhttp://e.com/c", Kind::Xml);
        check(Some("text/plain"), b"http://e.com/a is where I live", Kind::PlainText);
        check(Some("text/plain"), b"http://e.com/a\nand more", Kind::PlainText);
    }

    #[test]
    fn without_a_type_the_bytes_decide() {
        check(None, b"\xEF\xBB\xBF\n <!DOCTYPE HTML>x", Kind::Html);
        check(Some(""), b"<p>x", Kind::Html);
        check(None, b"<pre>", Kind::PlainText);
        check(None, b"<!-- x", Kind::Html);
        check(None, b"<?xml version='1.0'?><html>", Kind::Html);
        check(None, b"<?xml version='1.0'?><rss>", Kind::Xml);
        check(None, b"%PDF-1.7", Kind::Pdf);
        check(None, b"PK\x03\x04", Kind::Document);
        check(None, b"\x89PNG\r\n\x1a\n", Kind::Other);
        check(None, b"\xFF\xFE<\0p\0>\0", Kind::Html);
        check(None, b"\xFE\xFF\0x", Kind::PlainText);
        check(None, b"<\0p\0>\0x\0", Kind::Html);
        check(None, b"\0w\0o\0r\0d", Kind::PlainText);
        check(None, b"\xFF\xFE<\0r\0s\0s\0>\0", Kind::Xml);
        check(None, b"\x01\0\x02\0\x03\0\x04\0", Kind::Other);
        check(None, b"words", Kind::PlainText);
        check(None, b"", Kind::Other);
    }
}
