//! What is read from a page, as the crawl reads it: main text, author, dates, links.

use extract::Input;
use model::{Headers, Link, LinkKind, Normalise, Page, PageDate, PageUrl};
use serde_json::{Value, json};

/// Reads a page that stands at `url`.
pub fn read_page(body: &[u8], headers: &Headers, url: &PageUrl) -> Page {
    let max_links = extract::MAX_LINKS * 10;
    let input = Input { url, headers, body, normalise: Normalise::default(), max_links, agent: "gannet" };
    if extract::kind(headers.get("content-type"), body) == extract::Kind::Pdf {
        return crawl::read_document(&input);
    }
    let page = extract::page(&input);
    // A crawl keeps pictures for what they show; here somebody asked what there is to read.
    if page.charset.is_empty() && page.unread_why().is_none() && !body.is_empty() {
        return Page::unread("no text is read from pictures");
    }
    page
}

/// All of it, as JSON has it.
pub fn read_json(page: &Page, url: &PageUrl) -> Value {
    let date =
        |date: &PageDate| json!({ "at": date.at, "source": date.source, "confidence": date.confidence });
    json!({
        "url": url,
        "title": page.title,
        "text": page.main,
        "author": page.author,
        "published": page.published.as_ref().map(PageDate::day),
        "modified": page.modified.as_ref().map(PageDate::day),
        "dates": {
            "published": page.published.as_ref().map(date),
            "modified": page.modified.as_ref().map(date),
        },
        "language": page.language,
        "charset": page.charset,
        "canonical": page.canonical,
        "description": page.description,
        "headings": page.headings,
        "images": page.images,
        "tables": page.tables,
        "unread": page.unread_why(),
        // The canonical address is a fact of its own.
        "links": page.links.iter().filter(|link| link.kind != LinkKind::Canonical).map(link).collect::<Vec<_>>(),
        "links_cut": page.links_cut,
    })
}

fn link(link: &Link) -> Value {
    let words = [
        (link.rel.nofollow, "nofollow"),
        (link.rel.sponsored, "sponsored"),
        (link.rel.ugc, "ugc"),
        (link.rel.next, "next"),
    ];
    let rel: Vec<&str> = words.iter().filter(|(set, _)| *set).map(|(_, word)| *word).collect();
    json!({
        "url": link.url,
        "anchor": link.anchor,
        "visibility": link.look.visibility,
        "position": link.look.position,
        "distance": link.look.distance,
        "rel": rel,
        "kind": link.kind,
    })
}
