//! Hosts that ask for a pause: 429 and 503 with every kind of `Retry-After`. They recover by the
//! time since the server's start, however often they were asked; those with an absurd wish never.

use super::book::{Book, HTML, Spot};
use super::truth::{Ending, Why};
use crate::dates::Day;
use crate::serve::{Answer, Request};

const PAGES: [&str; 2] = ["/one.html", "/two.html"];
/// Longest pause that a crawler is expected to keep.
const LONGEST: u64 = 24 * 60 * 60;
/// Requests that a page may cost until its host recovers: each is an own pause of the crawler's.
const WHILE_BUSY: u64 = 20;

/// Label, status, `Retry-After`, and the seconds it means.
const HOSTS: [(&str, u16, &str, u64); 9] = [
    ("pace-seconds", 429, "1", 1),
    ("pace-seconds-503", 503, "2", 2),
    ("pace-fraction", 429, "1.5", 1),
    ("pace-date", 503, "date", 2),
    ("pace-past", 429, "past", 0),
    ("pace-negative", 429, "-7", 0),
    ("pace-garbage", 503, "soon; very\tsoon, 12 o'clock", 0),
    ("pace-empty", 429, "", 0),
    ("pace-none", 503, "none", 0),
];
/// The same for hosts whose pause outlasts any test.
const ABSURD: [(&str, u16, &str); 3] = [
    ("pace-years", 503, "94608000"),
    ("pace-overflow", 429, "99999999999999999999999999"),
    ("pace-far-date", 503, "far"),
];

pub(super) fn write(book: &mut Book) {
    book.chapter("pace");
    for (label, _, _, seconds) in HOSTS {
        book.host(label, Spot::Pace);
        book.lead(book.url(label, "/"));
        let first = book.truth.urls.len();
        book.site(label, &PAGES, Vec::new());
        book.allow_requests(first, WHILE_BUSY);
        book.wait(label, seconds);
    }
    for (label, status, _) in ABSURD {
        book.host(label, Spot::Pace);
        book.lead(book.url(label, "/"));
        // Whoever asked for something else before the page was told to wait then, and the page waits.
        book.expect(label, "/", [Why::Status(status).into(), Ending::Waiting], 1);
        book.wait(label, LONGEST);
    }
}

pub(super) fn answer(book: &Book, label: &str, request: &Request) -> Option<Answer> {
    let recovered = request.since_start >= book.options.recovers_after;
    let hosts = HOSTS.iter().map(|(label, status, value, _)| (label, status, value));
    let absurd = ABSURD.iter().map(|(label, status, value)| (label, status, value));
    let mut busy = hosts.filter(|_| !recovered).chain(absurd);
    let (_, status, value) = busy.find(|(known, _, _)| **known == label)?;
    if request.path == "/robots.txt" {
        return None;
    }
    // No clock but the web's own: a date counts from the answer's `Date`.
    let today = Day(20_000 + book.chance.with("day").below(2_000) as i64);
    let answer = Answer::new(*status, HTML, "<p>Too busy.</p>\n").with("date", today.http());
    Some(match *value {
        "none" => answer,
        "date" => answer.with("retry-after", today.http().replace("06:00:00", "06:00:02")),
        "past" => answer.with("retry-after", Day(today.0 - 1).http()),
        "far" => answer.with("retry-after", Day::of(9_999, 12, 31).http()),
        value => answer.with("retry-after", value),
    })
}
