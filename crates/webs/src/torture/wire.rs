//! What the raw listener says: HTTP that is slow, endless, silent, or wrong in a way of its own.
//!
//! Each way has a host of its own with the mischief at `/` and an ordinary `/plain.html`, so that one
//! does not stand in the shadow of another.

use std::time::Duration;

use bytes::Bytes;

use super::book::{Book, Spot};
use super::raw::{Act, Script};
use super::robots::expect_closed;
use super::truth::{Ending, Why};
use crate::serve::Request;

const PLAIN: &str = "/plain.html";
pub(super) const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
pub(super) const BODY: &str = "<!doctype html><title>Odd</title><p>An odd page, to its end.</p>\n";
/// What the header injection tries to smuggle into a request.
const SMUGGLED: &str = "x-smuggled";
/// Its target, as it stands in a URL.
const SMUGGLING: &str = "/hit%0d%0aX-Smuggled:%20yes%0d%0a%0d%0aGET%20/admin";
pub(super) const MANY_HEADERS: usize = 10_000;
pub(super) const HUGE_HEADER: usize = 1 << 20;
const DRIP: Duration = Duration::from_millis(100);

/// Hosts whose robots.txt never comes.
const CLOSED: [&str; 2] = ["robots-silent", "robots-reset"];

/// Label, what may be made of it.
fn hosts() -> Vec<(&'static str, Vec<Ending>)> {
    let fetched = Ending::Fetched;
    let [timeout, broken, malformed, body] =
        [Why::Timeout, Why::Broken, Why::Malformed, Why::Body].map(Ending::from);
    let cut = vec![fetched.clone(), timeout.clone(), broken.clone(), malformed.clone(), body.clone()];
    let bad_head = vec![malformed.clone(), broken.clone()];
    let hung_up = vec![broken.clone(), malformed.clone()];
    vec![
        ("drip", vec![fetched.clone(), timeout.clone()]),
        ("drip-head", vec![timeout.clone(), malformed.clone()]),
        ("endless", cut.clone()),
        ("endless-chunks", cut.clone()),
        ("endless-head", vec![malformed.clone(), timeout.clone(), broken.clone()]),
        ("silent", vec![timeout.clone()]),
        ("length-long", cut.clone()),
        ("length-short", vec![fetched.clone()]),
        ("length-two", bad_head.clone()),
        ("length-chunked", vec![fetched.clone(), malformed.clone()]),
        ("length-negative", bad_head.clone()),
        ("length-overflow", cut.clone()),
        ("chunk-letters", cut.clone()),
        ("chunk-overflow", cut.clone()),
        ("chunk-cut", cut.clone()),
        ("no-status", bad_head.clone()),
        ("status-letters", bad_head.clone()),
        ("status-999", vec![Why::Status(999).into(), malformed.clone()]),
        ("version-9", bad_head.clone()),
        ("http-0-9", bad_head.clone()),
        ("continue-flood", cut.clone()),
        ("huge-header", bad_head.clone()),
        ("many-headers", bad_head.clone()),
        ("bare-return", vec![fetched.clone(), malformed.clone(), broken.clone()]),
        ("nul-header", bad_head.clone()),
        ("folded-header", vec![fetched.clone(), malformed.clone(), broken.clone()]),
        ("blank-in-name", vec![fetched.clone(), malformed.clone(), broken.clone()]),
        ("two-answers", vec![fetched]),
        ("reset-at-once", hung_up.clone()),
        ("reset-head", hung_up.clone()),
        ("reset-body", cut),
        ("closed", hung_up),
    ]
}

pub(super) fn write(book: &mut Book) {
    book.chapter("wire");
    for (label, endings) in hosts() {
        book.host(label, Spot::Raw);
        book.lead(book.url(label, "/"));
        book.expect(label, "/", endings, book.tries());
        book.lead(book.url(label, PLAIN));
        let first = book.truth.urls.len();
        book.page(label, PLAIN, Vec::new());
        // A kept connection that the host breaks may cost another request.
        book.allow_requests(first, book.tries());
    }
    book.host("smuggling", Spot::Raw);
    book.lead(book.url("smuggling", "/"));
    // As canonical URLs write it.
    let to = book.url("smuggling", &SMUGGLING.replace("%0d", "%0D").replace("%0a", "%0A"));
    book.expect("smuggling", "/", [Ending::Redirected { to: to.clone() }, Why::BadRedirect.into()], 1);
    book.expect_url(to, [Ending::Fetched, Ending::Unmet], book.tries());
    book.expect("smuggling", "/admin", [Ending::Unmet], 0);
    for label in CLOSED {
        book.host(label, Spot::Raw);
        expect_closed(book, label);
    }
}

/// The answer to one request.
pub(super) fn script(book: &Book, request: &Request) -> Script {
    let label = book.label(&request.host).unwrap_or_default();
    if request.header(SMUGGLED).is_some() {
        return page(400, "<p>That header was smuggled.</p>\n");
    }
    match (label, request.path.as_str()) {
        ("robots-silent", _) => told(0, vec![Act::Silence]),
        ("robots-reset", _) => told(0, vec![Act::Reset]),
        (_, "/robots.txt") => {
            let answer = book.plain_robots(label);
            page(answer.status, &String::from_utf8_lossy(&answer.body))
        }
        ("smuggling", "/") => {
            say(302, &format!("HTTP/1.1 302 Found\r\nLocation: {SMUGGLING}\r\nContent-Length: 0\r\n\r\n"))
        }
        ("smuggling", _) => page(200, BODY),
        (_, "/") => mischief(book, label).unwrap_or_else(|| page(404, "<p>Nothing here.</p>\n")),
        (_, path) => match book.ordinary(label, path) {
            Some(html) => page(200, &html),
            None => page(404, "<p>Nothing here.</p>\n"),
        },
    }
}

fn mischief(book: &Book, label: &str) -> Option<Script> {
    let most = book.options.endless_bytes;
    let long = BODY.repeat(100);
    let repeat = |piece: &str, pause, bytes| Act::Repeat { piece: text(piece), pause, bytes };
    let sized = |length: &str| format!("{OK}Content-Length: {length}\r\n\r\n{BODY}");
    let chunked = format!("{OK}Transfer-Encoding: chunked\r\n\r\n");
    let with = |header: &str| format!("{OK}{header}\r\nContent-Length: {}\r\n\r\n{BODY}", BODY.len());
    Some(match label {
        "drip" => {
            let head = send(&format!("{OK}Content-Length: 100000\r\n\r\n"));
            told(200, vec![head, repeat("d", DRIP, 100_000)])
        }
        "drip-head" => told(200, vec![send("HTTP/1.1 200 OK\r\nX-Drip: "), repeat("d", DRIP, 100_000)]),
        "endless" => told(200, vec![send(&format!("{OK}\r\n")), repeat(&long, Duration::ZERO, most)]),
        "endless-chunks" => {
            let chunk = format!("{:x}\r\n{long}\r\n", long.len());
            told(200, vec![send(&chunked), repeat(&chunk, Duration::ZERO, most)])
        }
        "endless-head" => {
            told(200, vec![send(OK), repeat("X-More: and more and more\r\n", Duration::ZERO, most)])
        }
        "silent" => told(0, vec![Act::Silence]),
        "length-long" => say(200, &sized("5000")),
        "length-short" => say(200, &sized("40")),
        "length-two" => say(200, &format!("{OK}Content-Length: 30\r\nContent-Length: 40\r\n\r\n{BODY}")),
        "length-chunked" => {
            let body = format!("{:x}\r\n{BODY}\r\n0\r\n\r\n", BODY.len());
            say(200, &format!("{OK}Content-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n{body}"))
        }
        "length-negative" => say(200, &sized("-1")),
        "length-overflow" => say(200, &sized("99999999999999999999999")),
        "chunk-letters" => say(200, &format!("{chunked}10\r\n0123456789abcdef\r\nzz\r\n{BODY}")),
        "chunk-overflow" => say(200, &format!("{chunked}fffffffffffffffffffff\r\n{BODY}")),
        "chunk-cut" => say(200, &format!("{chunked}1000\r\n{BODY}")),
        "no-status" => say(0, &format!("Content-Type: text/html\r\nContent-Length: 9\r\n\r\n{BODY}")),
        "status-letters" => say(0, &format!("HTTP/1.1 2oo Fine\r\n\r\n{BODY}")),
        "status-999" => say(999, "HTTP/1.1 999 Beyond\r\nContent-Length: 0\r\n\r\n"),
        "version-9" => say(200, &format!("HTTP/9.9 200 OK\r\n\r\n{BODY}")),
        "http-0-9" => say(0, BODY),
        "continue-flood" => {
            let interim = repeat("HTTP/1.1 100 Continue\r\n\r\n", Duration::ZERO, 100_000);
            told(200, vec![interim, send(&sized(&BODY.len().to_string()))])
        }
        "huge-header" => say(200, &with(&format!("X-Huge: {}", "h".repeat(HUGE_HEADER)))),
        "many-headers" => {
            let many: String = (0..MANY_HEADERS).map(|number| format!("X-{number}: {number}\r\n")).collect();
            say(200, &with(many.trim_end()))
        }
        "bare-return" => say(200, &with("X-Odd: a\rSet-Cookie: injected=1\nX-Bare: b")),
        "nul-header" => say(200, &with("X-Odd: a\0b")),
        "folded-header" => say(200, &with("X-Odd: a\r\n  Content-Length: 1\r\n\tfolded")),
        "blank-in-name" => say(200, &with("X Odd : a\r\n: nameless\r\nno colon at all")),
        "two-answers" => {
            let whole = sized(&BODY.len().to_string());
            let poison = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\npoison";
            Script { keep: true, ..say(200, &format!("{whole}{poison}")) }
        }
        "reset-at-once" => told(0, vec![Act::Reset]),
        "reset-head" => told(0, vec![send("HTTP/1.1 200 OK\r\nContent-Ty"), Act::Reset]),
        "reset-body" => told(200, vec![send(&sized("5000")), Act::Reset]),
        "closed" => told(0, Vec::new()),
        _ => return None,
    })
}

/// A proper answer on a connection that stays.
fn page(status: u16, body: &str) -> Script {
    let head = format!(
        "HTTP/1.1 {status} Said\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    Script { keep: true, ..say(status, &format!("{head}{body}")) }
}

/// Says one thing and hangs up.
pub(super) fn say(status: u16, bytes: &str) -> Script {
    told(status, vec![send(bytes)])
}

pub(super) fn told(status: u16, acts: Vec<Act>) -> Script {
    Script { status, acts, keep: false }
}

pub(super) fn send(bytes: &str) -> Act {
    Act::Send(text(bytes))
}

fn text(bytes: &str) -> Bytes {
    Bytes::copy_from_slice(bytes.as_bytes())
}
