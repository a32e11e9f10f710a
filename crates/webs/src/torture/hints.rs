//! Hosts with hostile crawl hints (`/.well-known/crawl-hints.json`): whatever they say, the pages of the
//! host are fetched, and nothing that they name elsewhere is asked for.

use super::book::{Book, FORBIDDEN, HTML, Spot};
use super::truth::Ending;
use crate::serve::{Answer, Request};

const PATH: &str = "/.well-known/crawl-hints.json";
const HOSTS: [&str; 6] =
    ["hints-deep", "hints-huge", "hints-numbers", "hints-foreign", "hints-feed", "hints-round"];

pub(super) fn write(book: &mut Book) {
    book.chapter("hints");
    for label in HOSTS {
        book.host(label, Spot::Robots);
        book.lead(book.url(label, "/"));
        book.site(label, &["/page.html"], Vec::new());
    }
    book.expect_url(forbidden(book), [Ending::Unmet], 0);
    book.expect("hints-feed", "/named.html", [Ending::Unmet, Ending::Fetched], 1);
}

pub(super) fn answer(book: &Book, label: &str, request: &Request) -> Option<Answer> {
    if !HOSTS.contains(&label) {
        return None;
    }
    let json = |text: String| Some(Answer::new(200, "application/json", text));
    let named = |urls: &[String]| {
        let rows: Vec<String> = urls.iter().map(|url| format!("{{\"url\":{url:?}}}")).collect();
        json(format!("{{\"version\":1,\"changes\":[{}]}}", rows.join(",")))
    };
    match (label, request.path.as_str()) {
        ("hints-deep", PATH) => json("[".repeat(50_000)),
        ("hints-huge", PATH) => json(format!("{{\"version\":1,\"x\":\"{}\"}}", "y".repeat(8 << 20))),
        ("hints-numbers", PATH) => json(
            "{\"version\":1,\"urls\":-1e308,\"rate\":{\"requests_per_second\":1e308,\"hours\":\"99:99-00:61\"}}"
                .to_owned(),
        ),
        ("hints-round", PATH) => Some(Answer::redirect(302, PATH)),
        ("hints-foreign", PATH) => json(format!("{{\"version\":1,\"changes\":{:?}}}", forbidden(book))),
        ("hints-feed", PATH) => json("{\"version\":1,\"changes\":\"/changes.json\"}".to_owned()),
        ("hints-feed", "/changes.json") => {
            let foreign = ["file:///etc/passwd", "javascript:0", "http://example.com/", "/named.html"];
            let foreign = foreign.map(str::to_owned).into_iter().chain([forbidden(book)]);
            named(&foreign.collect::<Vec<_>>())
        }
        ("hints-feed", "/named.html") => Some(Answer::new(200, HTML, "<p>Named.</p>\n")),
        _ => None,
    }
}

fn forbidden(book: &Book) -> String {
    format!("http://{FORBIDDEN}{}/secret/hint", book.colon_port())
}
