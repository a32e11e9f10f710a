//! Pages as they are read from whole answers, with and without a tree.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod charsets;
mod documents;
mod labelled;
mod links;
mod main_text;
mod meta;
mod parts;
mod pdf;
mod sitemaps;
mod snapshot;
mod speed;
mod text;
mod totality;

use bytes::Bytes;
use extract::Input;
use model::{Headers, Normalise, Page, PageUrl};

/// Reads `html` as found at `http://e.com/dir/page`, on both paths.
fn read(html: &str) -> Page {
    read_with(html, &[("content-type", "text/html; charset=utf-8")])
}

fn read_with(html: &str, headers: &[(&str, &str)]) -> Page {
    read_bytes(html.as_bytes(), headers, extract::MAX_LINKS)
}

fn read_bytes(body: &[u8], headers: &[(&str, &str)], max_links: usize) -> Page {
    let url = PageUrl::parse("http://e.com/dir/page").unwrap();
    let header =
        |(name, value): &(&str, &str)| ((*name).to_owned(), Bytes::copy_from_slice(value.as_bytes()));
    let headers = Headers(headers.iter().map(header).collect());
    let normalise = Normalise::default();
    let input = Input { url: &url, headers: &headers, body, normalise, max_links, agent: "gannet" };
    let page = extract::page(&input);
    let (with_tree, _) = extract::page_and_tree(&input);
    assert_eq!(page, with_tree, "both paths of {:?}", String::from_utf8_lossy(body));
    // Read for its links alone, it has the same links and says the same of itself.
    let lean = extract::page_links(&input);
    let said = |page: &Page| {
        let Page { canonical, directives, links_cut, .. } = page.clone();
        (canonical, directives, links_cut)
    };
    // A heading may stand for the title, where headings are read.
    assert!(lean.title.is_empty() || lean.title == page.title);
    // What the markup does not say of its language, words do.
    assert!(lean.language.is_none() || lean.language == page.language);
    assert_eq!((&lean.links, said(&lean)), (&page.links, said(&page)), "{:?}", String::from_utf8_lossy(body));
    let whole = extract::page_with_tables(&input);
    assert_eq!(Page { tables: Vec::new(), ..whole.clone() }, page);
    whole
}
