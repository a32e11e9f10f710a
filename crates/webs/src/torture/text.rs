//! Pages that are hard to read: charsets that are wrong, missing or lies, markup that is broken,
//! too deep or too long, NULs, and storms of cookies.
//!
//! Each hard page links, in plain letters before the hard part, to `/found/NAME.html`: whoever read
//! the beginning found it.

use bytes::Bytes;

use super::book::{Book, HTML, Spot};
use super::truth::{Ending, Why};
use crate::serve::{Answer, Request};

const LABEL: &str = "text";
const COOKIES: &str = "cookies";
const COOKIE_PAGES: [&str; 3] = ["/one.html", "/two.html", "/three.html"];
/// Cookies that come with each page, new ones each time; and with the flood, beyond any fair head.
const STORM: u64 = 150;
const FLOOD: u64 = 2_000;
/// Longest Cookie header that the host takes, in bytes.
const MOST_COOKIE: usize = 16 * 1024;
pub(super) const DEEP: usize = 100_000;
const MILLION: usize = 1_000_000;

/// Name, `Content-Type`, and the text after the link in bytes of its real encoding.
type Hard = (&'static str, &'static str, fn() -> Vec<u8>);

const HARD: [Hard; 21] = [
    ("lying-header", "text/html; charset=iso-8859-1", || "<p>Größe, 東京, ещё</p>".into()),
    ("lying-meta", "text/html", || sjis("<meta charset=utf-8><p>東京の本</p>")),
    ("quarrel", "text/html; charset=utf-8", || latin("<meta charset=koi8-r><p>Größe und Länge</p>")),
    ("missing", "text/html", || latin("<p>Größe und Länge, schön übermütig</p>")),
    ("unknown", "text/html; charset=x-martian", || "<p>Größe</p>".into()),
    ("utf-7", "text/html; charset=utf-7", || "<p>+ADw-script+AD4-</p>".into()),
    ("many-labels", "text/html; charset=utf-8; charset=gbk; charset=", || "<p>Größe</p>".into()),
    ("half-letters", HTML, || b"<p>\xff\xfe\xc3 \xe6\x9d \xf0\x9f\x92 \xed\xa0\x80 \xc0\x80</p>".to_vec()),
    ("nul", HTML, || b"<p>be\0fore</p><p \0a\0=\"\0\">\0</p><a\0b><!--\0--><script>\0</script>\0".to_vec()),
    ("controls", HTML, || (1..32).chain(127..160).flat_map(|byte| [b' ', byte]).collect()),
    ("unclosed", HTML, || {
        b"<table><tr><td><b><i><p><table><a href=/found/x<td></b></p><select><option>".to_vec()
    }),
    ("open-comment", HTML, || b"<p>a<!-- b <p>c".to_vec()),
    ("open-script", HTML, || b"<p>a<script>if (a </scrip b".to_vec()),
    ("open-tag", HTML, || b"<p>a<a href=\"/found/never.html".to_vec()),
    ("strange-tags", HTML, || {
        b"<><//><?php ?><!x><![CDATA[x]]></ p><3 <a<b<c>&#x110000;&#0;&#xd800;&nosuch;&amp".to_vec()
    }),
    ("formatting", HTML, || [b"<b><i><u><s>".repeat(2_000), b"<p>x".repeat(200)].concat()),
    ("deep", HTML, || ["<div>".repeat(DEEP), "bottom".into(), "</div>".repeat(DEEP)].concat().into()),
    ("long-attribute", HTML, || format!("<p title=\"{}\">x</p>", "a".repeat(1 << 20)).into()),
    ("many-attributes", HTML, million_attributes),
    ("one-word", HTML, || vec![b'w'; 2 << 20]),
    ("many-links", HTML, || (0..20_000).map(|_| "<a href=\"/about.html\">x</a>").collect::<String>().into()),
];

pub(super) fn write(book: &mut Book) {
    book.chapter("text");
    book.host(LABEL, Spot::Answers);
    book.site(LABEL, &["/about.html"], Vec::new());
    book.lead(book.url(LABEL, "/"));
    for name in HARD.iter().map(|(name, _, _)| *name).chain(["utf-16", "utf-16-mark"]) {
        // A hard page is a page: it must be fetched, even if cut.
        let path = format!("/hard/{name}");
        book.lead(book.url(LABEL, &path));
        book.page(LABEL, &path, Vec::new());
        book.page(LABEL, &found(name), Vec::new());
    }
    for name in ["no-type", "odd-type"] {
        let path = format!("/hard/{name}");
        book.lead(book.url(LABEL, &path));
        book.expect(LABEL, &path, [Ending::Fetched, Ending::Unwanted], 1);
        book.expect(LABEL, &found(name), [Ending::Fetched, Ending::Unmet], 1);
    }
    book.host(COOKIES, Spot::Answers);
    book.lead(book.url(COOKIES, "/"));
    book.site(COOKIES, &COOKIE_PAGES, vec!["/flood.html".to_owned()]);
    book.draw(COOKIES, "/flood.html", Vec::new());
    book.expect(COOKIES, "/flood.html", [Ending::Fetched, Why::Malformed.into()], 1);
}

pub(super) fn answer(book: &Book, label: &str, request: &Request) -> Option<Answer> {
    match label {
        LABEL => match request.path.strip_prefix("/found/") {
            Some(_) => Some(Answer::new(200, HTML, "<p>Found.</p>\n")),
            None => hard(request.path.strip_prefix("/hard/")?),
        },
        COOKIES => cookies(book, request),
        _ => None,
    }
}

fn hard(name: &str) -> Option<Answer> {
    let start = format!("<!doctype html><title>Hard</title><a href=\"{}\">found</a>\n", found(name));
    let wide = |mark: &str, text: &str| -> Bytes {
        let text = format!("{mark}{start}{text}");
        text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>().into()
    };
    Some(match name {
        "utf-16" => Answer::new(200, "text/html; charset=utf-16le", wide("", "<p>Größe")),
        // The mark at the beginning wins over the header's lie.
        "utf-16-mark" => Answer::new(200, "text/html; charset=iso-8859-1", wide("\u{feff}", "<p>Größe")),
        "no-type" => Answer::new(200, "", start),
        "odd-type" => Answer::new(200, "text/html, ;;=\"\\ application/pdf; charset", start),
        _ => {
            let (_, content_type, rest) = HARD.iter().find(|(known, _, _)| *known == name)?;
            let mut body = start.into_bytes();
            body.extend(rest());
            Answer::new(200, content_type, body)
        }
    })
}

fn found(name: &str) -> String {
    format!("/found/{name}.html")
}

/// Hundreds of cookies with every page; whoever sends them all back is told that it is too much.
fn cookies(book: &Book, request: &Request) -> Option<Answer> {
    if request.header("cookie").is_some_and(|cookie| cookie.len() > MOST_COOKIE) {
        return Some(Answer::new(431, HTML, "<p>Too many cookies.</p>\n"));
    }
    let mut answer = Answer::new(200, HTML, book.ordinary(COOKIES, &request.path)?);
    let here = book.chance.with("cookies").with(&request.path);
    let count = if request.path == "/flood.html" { FLOOD } else { STORM };
    for number in 0..count {
        let value = "x".repeat(20 + here.at(number).below(100) as usize);
        answer = answer.with(
            "set-cookie",
            format!("c{:x}={value}; Path=/", here.at(number).with("name").below(1 << 40)),
        );
    }
    let odd = [
        "domain=1; Domain=test".to_owned(),
        "foreign=1; Domain=gamma.torture.test".to_owned(),
        "outside=1; Domain=example.com".to_owned(),
        "old=1; Expires=Thu, 99 Foo 9999 99:99:99 GMT; Max-Age=-99999999999999999999".to_owned(),
        "=; ; ;; =;".to_owned(),
        format!("long={}", "y".repeat(8 * 1024)),
        format!("path=1; Path=/{}", "z".repeat(4 * 1024)),
    ];
    Some(odd.into_iter().fold(answer, |answer, cookie| answer.with("set-cookie", cookie)))
}

fn million_attributes() -> Vec<u8> {
    let mut tag = Vec::with_capacity(7 * MILLION);
    tag.extend(b"<p");
    for number in 0..MILLION {
        tag.extend(format!(" a{number:x}").bytes());
    }
    tag.extend(b">end</p>");
    tag
}

fn latin(text: &str) -> Vec<u8> {
    encoding_rs::WINDOWS_1252.encode(text).0.into_owned()
}

fn sjis(text: &str) -> Vec<u8> {
    encoding_rs::SHIFT_JIS.encode(text).0.into_owned()
}
