//! Documents and XML: the first line is the content type, the rest the body.

use bytes::Bytes;
use extract::Input;
use model::{Headers, Normalise, PageUrl};

/// Links kept of a document here: few, so that the limit is met.
const LINKS: usize = 20;

pub(crate) fn check(input: &[u8]) {
    let (content_type, body) = super::first_line(input);
    let url = PageUrl::parse("http://e.com/dir/file").expect("a URL");
    let headers = Headers(vec![("Content-Type".to_owned(), Bytes::copy_from_slice(content_type))]);
    let normalise = Normalise::default();
    let input = Input { url: &url, headers: &headers, body, normalise, max_links: LINKS, agent: "gannet" };
    // The library's mistakes are caught, but by unwinding, which the fuzzer does not do.
    let page = match extract::kind(std::str::from_utf8(content_type).ok(), body) {
        extract::Kind::Pdf => extract::pdf(&input).unwrap_or_default(),
        _ => extract::page(&input),
    };
    assert!(page.text.len() <= 1 << 20, "text has a limit");
    assert!(page.main.len() <= page.text.len() + 1, "the main text is a part of the text");
    for date in page.published.iter().chain(&page.modified) {
        assert_eq!(date.day().len(), 10, "{:?} is no day", date.at);
    }
}
