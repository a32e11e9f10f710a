//! Odd corners: every kind of page and link that real sites have and crawlers trip over, and the
//! calendar that never ends.

use super::Reply;
use super::layout::{Head, begin, end};
use super::site::Site;
use crate::dates::{Day, month_name};
use crate::page::{Anchor, Drawn, Page};

/// The page at a path below `/oddities/`.
pub(crate) fn page(site: &Site, base: &str, path: &str) -> Option<Reply> {
    let drawn = match path {
        "/oddities/" => index(site, base),
        "/oddities/latin" => return Some(latin(base)),
        "/oddities/nihongo" => return Some(nihongo(base)),
        "/oddities/utf16" => return Some(utf16(base)),
        "/oddities/base" => with_base(base),
        "/oddities/frames" => frames(site, base),
        "/oddities/frameset" => frameset(base),
        "/oddities/frame-left" => {
            bare(base, "Left frame", "The left frame has a ", "/shop/", "door to the shop")
        }
        "/oddities/frame-right" => {
            bare(base, "Right frame", "The right frame leads to the ", "/docs/", "manual")
        }
        "/oddities/map" => map(site, base),
        "/oddities/moved" => moved(base),
        "/oddities/noindex" => robots(site, base, "noindex", "Not for the index", "/about"),
        "/oddities/nofollow" => {
            robots(site, base, "nofollow", "Read, but go no further", "/oddities/hidden-room")
        }
        "/oddities/hidden-room" => bare(
            base,
            "Hidden room",
            "One page only links here, and asks you not to follow. Back to the ",
            "/oddities/",
            "corners",
        ),
        "/oddities/gr%C3%B6%C3%9Fen" => sizes(site, base),
        "/oddities/styles" => styles(site, base),
        "/oddities/unseen" => unseen(site, base),
        _ => return None,
    };
    Some(Reply::html(drawn))
}

/// A month of the endless calendar, `/calendar/2026/03`.
pub(crate) fn calendar(site: &Site, base: &str, path: &str) -> Option<Drawn> {
    let (year, month) = path.strip_prefix("/calendar/")?.split_once('/')?;
    let (year, month): (i64, u32) = (year.parse().ok()?, month.parse().ok()?);
    if !(1..=12).contains(&month) || !(0..=9_999_999).contains(&year) || calendar_path(year, month) != path {
        return None;
    }
    let title = format!("{} {year}", month_name(month));
    let head = Head { title: &format!("Events in {title}"), ..Head::default() };
    let mut page = begin(base, &head);
    page.html(&format!(
        "<main class=\"wrap\">\n<h1>{title}</h1>\n<nav class=\"pager\" aria-label=\"Months\">\n"
    ));
    let before = if month == 1 { (year - 1, 12) } else { (year, month - 1) };
    let after = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    if before.0 >= 0 {
        page.a(&calendar_path(before.0, before.1), "Previous month");
        page.html("\n");
    }
    page.a(&calendar_path(after.0, after.1), "Next month");
    page.html("\n</nav>\n<table class=\"calendar\">\n<thead>\n<tr><th>Mon</th> <th>Tue</th> <th>Wed</th> <th>Thu</th> <th>Fri</th> <th>Sat</th> <th>Sun</th></tr>\n</thead>\n<tbody>\n<tr>\n");
    let first = Day::of(year, month, 1);
    let days = Day::of(after.0, after.1, 1).0 - first.0;
    // 1 January 1970 was a Thursday.
    let offset = (first.0 + 3).rem_euclid(7);
    for _ in 0..offset {
        page.html("<td></td>\n");
    }
    for day in 0..days {
        if day > 0 && (offset + day) % 7 == 0 {
            page.html("</tr>\n<tr>\n");
        }
        let events = ["Open workshop", "Repair evening", "Map talk"];
        let chance = site.chance.with("event").at((first.0 + day).unsigned_abs());
        let event = if chance.percent(12) { chance.with("kind").pick(&events) } else { "" };
        page.html(&format!("<td><b>{}</b> {event}</td>\n", day + 1));
    }
    page.html("</tr>\n</tbody>\n</table>\n</main>\n");
    Some(end(site, page))
}

pub(crate) fn calendar_path(year: i64, month: u32) -> String {
    format!("/calendar/{year:04}/{month:02}")
}

fn index(site: &Site, base: &str) -> Drawn {
    let head = Head { title: "Odd corners", canonical: "/oddities/", ..Head::default() };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap prose\">\n<h1>Odd corners</h1>\n<p class=\"lead\">Pages as they really are: old encodings, frames, detours. They are here so that you can see what a crawler makes of them.</p>\n<h2>Pages</h2>\n<ul>\n");
    for (path, name) in [
        ("/oddities/latin", "A page in windows-1252"),
        ("/oddities/nihongo", "A page in Shift JIS"),
        ("/oddities/utf16", "A page in UTF-16"),
        ("/oddities/base", "A page with another base"),
        ("/oddities/frames", "A page with an inline frame"),
        ("/oddities/frameset", "A page made of frames"),
        ("/oddities/map", "An image map"),
        ("/oddities/moved", "A page that sends you on"),
        ("/oddities/noindex", "A page that wants no index"),
        ("/oddities/nofollow", "A page that wants no followers"),
        ("/oddities/styles", "Links in all styles"),
        ("/oddities/unseen", "Words that nobody sees"),
        ("/live/", "A room that needs JavaScript"),
    ] {
        page.html("<li>");
        page.a(path, name);
        page.html("</li>\n");
    }
    page.html("</ul>\n<h2>Detours</h2>\n<ul>\n");
    for (path, name) in [
        ("/go/start", "A chain of three redirects"),
        ("/p/1000", "An address from the old shop"),
        ("/today", "Today's entry"),
        ("/nowhere", "A dead link"),
        ("/search?q=lamp", "A search that robots may not do"),
    ] {
        page.html("<li>");
        page.a(path, name);
        page.html("</li>\n");
    }
    page.html("</ul>\n<p>And to the ");
    page.link(&Anchor::new("/oddities/", "top of this page").written("#top"));
    page.html("</p>\n</main>\n");
    end(site, page)
}

/// A page without the shop around it.
fn bare(base: &str, title: &str, text: &str, path: &str, link: &str) -> Drawn {
    let mut page = old_page(base, "en", title, "<meta charset=\"utf-8\">\n");
    page.html("<p>");
    page.text(text);
    page.a(path, link);
    page.html("</p>\n");
    page.finish()
}

fn old_page<'a>(base: &'a str, language: &str, title: &str, meta: &str) -> Page<'a> {
    let mut page = Page::new(base, language, title);
    page.head(meta);
    page.head_title();
    page.body("");
    page.html("<h1>");
    page.text(title);
    page.html("</h1>\n");
    page
}

fn latin(base: &str) -> Reply {
    let mut page = old_page(base, "de", "Größe, Maß und Übermut", "");
    page.charset("windows-1252");
    page.html("<p>Die „alte“ Seite für 5 € – im Kopf der Antwort steht ihre Kodierung. Zurück zum ");
    page.a("/de/", "Anfang für Möwen");
    page.html("</p>\n");
    Reply::encoded(page.finish(), "text/html; charset=windows-1252", |text| {
        encoding_rs::WINDOWS_1252.encode(text).0.into_owned()
    })
}

fn nihongo(base: &str) -> Reply {
    let meta = "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=Shift_JIS\">\n";
    let mut page = old_page(base, "ja", "山の道具 案内", meta);
    page.charset("shift_jis");
    page.html("<p>この ページ は 古い 文字コード で 書かれて います。 テント と ランプ は ");
    page.a("/shop/", "店の 棚");
    page.html(" に あります。</p>\n");
    Reply::encoded(page.finish(), "text/html", |text| encoding_rs::SHIFT_JIS.encode(text).0.into_owned())
}

fn utf16(base: &str) -> Reply {
    let mut page = old_page(base, "en", "Sixteen bits – wide enough?", "");
    page.charset("utf-16le");
    page.html("<p>Nothing but a mark at the very beginning says how this page is written. Ελληνικά, кириллица, and back to the ");
    page.a("/oddities/", "odd corners");
    page.html("</p>\n");
    Reply::encoded(page.finish(), "text/html", |text| {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    })
}

fn with_base(base: &str) -> Drawn {
    let mut page = Page::new(base, "en", "Another base");
    page.head("<meta charset=\"utf-8\">\n<base href=\"/docs/maps/\">\n");
    page.head_title();
    page.body("");
    page.html("<h1>Another base</h1>\n<p>Relative links on this page start elsewhere: ");
    page.link(&Anchor::new("/docs/maps/contour-lines", "contour lines").written("contour-lines"));
    page.html(", ");
    page.link(&Anchor::new("/docs/sync/", "sync").written("../sync/"));
    page.html(" and, from the root, ");
    page.a("/oddities/", "odd corners");
    page.html("</p>\n");
    page.finish()
}

fn frames(site: &Site, base: &str) -> Drawn {
    let head = Head { title: "A page with a frame", ..Head::default() };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap prose\">\n<h1>A page with a frame</h1>\n<p>Below is another page.</p>\n");
    page.frame("iframe", "/oddities/frame-left", "width=\"400\" height=\"120\" title=\"left\"");
    page.html("<p>Above was another page.</p>\n</main>\n");
    end(site, page)
}

fn frameset(base: &str) -> Drawn {
    let mut page = Page::new(base, "en", "Frames");
    page.head("<meta charset=\"utf-8\">\n");
    page.head_title();
    page.head("</head>\n");
    page.html("<frameset cols=\"50%,50%\">\n");
    page.frame("frame", "/oddities/frame-left", "name=\"left\"");
    page.html("\n");
    page.frame("frame", "/oddities/frame-right", "name=\"right\"");
    page.html("\n</frameset>\n");
    page.finish()
}

fn map(site: &Site, base: &str) -> Drawn {
    let head = Head { title: "Map of the harbour", canonical: "/oddities/map", ..Head::default() };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap\">\n<h1>Map of the harbour</h1>\n<img src=\"/img/harbour.svg\" usemap=\"#harbour\" alt=\"Harbour\" width=\"640\" height=\"320\">\n<map name=\"harbour\">\n");
    page.area("/team", "0,0,213,320", "Workshop");
    page.area("/shop/", "213,0,426,320", "Shop");
    page.area("http://elsewhere.test/ferry", "426,0,640,320", "Ferry");
    page.html("</map>\n<p>Left the workshop, in the middle the shop, on the right the ferry to other shores.</p>\n</main>\n");
    end(site, page)
}

fn moved(base: &str) -> Drawn {
    let mut page = Page::new(base, "en", "We have moved");
    page.head("<meta charset=\"utf-8\">\n");
    page.head_title();
    page.refresh(3, "/contact");
    page.body("");
    page.html("<p>This page sends you on after three seconds.</p>\n");
    page.finish()
}

fn robots(site: &Site, base: &str, meta: &str, title: &str, path: &str) -> Drawn {
    let mut page = begin(base, &Head { title, robots: meta, ..Head::default() });
    page.html(&format!(
        "<main class=\"wrap prose\">\n<h1>{title}</h1>\n<p>The head of this page says {meta}. It links to "
    ));
    page.a(path, "another page");
    page.html("</p>\n</main>\n");
    end(site, page)
}

fn sizes(site: &Site, base: &str) -> Drawn {
    let head = Head { title: "Größentabelle", language: "de", ..Head::default() };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap prose\">\n<h1>Größentabelle</h1>\n<table>\n<tr><th>Größe</th> <th>Brust</th></tr>\n<tr><td>S</td> <td>88 cm</td></tr>\n<tr><td>M</td> <td>96 cm</td></tr>\n<tr><td>L</td> <td>104 cm</td></tr>\n</table>\n</main>\n");
    end(site, page)
}

/// Every style in every third.
fn styles(site: &Site, base: &str) -> Drawn {
    let head = Head { title: "Links in all styles", ..Head::default() };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap prose\">\n<h1>Links in all styles</h1>\n");
    for (third, word) in ["begin", "middle", "end"].iter().enumerate() {
        page.html("<p>");
        page.html(&format!("In the {word} there is a "));
        page.a("/shop/", "plain link");
        page.html(", a ");
        page.link(&Anchor::new("/shop/", "<b>bold link</b>"));
        page.html(", an ");
        page.html("<em>");
        page.a("/shop/", "italic link");
        page.html("</em>, a ");
        page.html("<strong>");
        page.link(&Anchor::new("/shop/", "link with <i>both</i> styles"));
        page.html("</strong> and a ");
        page.link(
            &Anchor::new("/shop/", "<img src=\"/img/icon.svg\" alt=\"picture\" width=\"16\" height=\"16\">")
                .alt("picture"),
        );
        page.html(" link.</p>\n");
        if third < 2 {
            page.html(&format!("<p>{}</p>\n", "Words and more words fill the space between. ".repeat(8)));
        }
    }
    page.html("</main>\n");
    end(site, page)
}

/// Text that is in the markup but not on the page.
fn unseen(site: &Site, base: &str) -> Drawn {
    let head = Head { title: "Words that nobody sees", ..Head::default() };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap prose\">\n<h1>Words that nobody sees</h1>\n<script>var words = \"these five are not words\";</script>\n<style>.quiet { color: grey }</style>\n<template><p>Nor are these, in a template</p></template>\n<noscript><p>Nor these</p></noscript>\n<!-- nor a comment -->\n<p>Only this sentence counts, and ");
    page.a("/oddities/", "this link");
    page.html("</p>\n</main>\n");
    end(site, page)
}
