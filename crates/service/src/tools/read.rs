//! What is read from a page, as the crawl reads it: main text, author, dates, links.

use extract::Input;
use model::{Headers, Link, LinkKind, Normalise, Page, PageDate, PageUrl};
use serde_json::{Value, json};

/// Reads a page that stands at `url`.
pub fn read_page(body: &[u8], headers: &Headers, url: &PageUrl) -> Page {
    read(&input(body, headers, url))
}

fn input<'a>(body: &'a [u8], headers: &'a Headers, url: &'a PageUrl) -> Input<'a> {
    let max_links = extract::MAX_LINKS * 10;
    Input { url, headers, body, normalise: Normalise::default(), max_links, agent: "gannet" }
}

fn read(input: &Input<'_>) -> Page {
    let Input { headers, body, .. } = *input;
    if extract::is_pdf(headers.get("content-type"), body) {
        return crawl::read_document(input);
    }
    let page = extract::page_with_tables(input);
    // A crawl keeps pictures for what they show; here somebody asked what there is to read.
    if page.charset.is_empty() && page.unread_why().is_none() && !body.is_empty() {
        return Page::unread("no text is read from pictures");
    }
    page
}

/// All of it, as JSON has it.
pub fn read_json(body: &[u8], headers: &Headers, url: &PageUrl) -> Value {
    let input = input(body, headers, url);
    let page = read(&input);
    let rels = extract::rel_words(&input, &page.links);
    // The canonical address is a fact of its own.
    let links = page.links.iter().zip(&rels).filter(|(link, _)| link.kind != LinkKind::Canonical);
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
        "links": links.map(|(found, rel)| link(found, rel)).collect::<Vec<_>>(),
        "links_cut": page.links_cut,
    })
}

fn link(link: &Link, rel: &[String]) -> Value {
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
