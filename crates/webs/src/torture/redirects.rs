//! Redirects: in circles, in long chains, to addresses that are none of a crawler's business, to
//! other schemes, and to nowhere.

use std::net::Ipv4Addr;

use super::book::{Book, FORBIDDEN, Spot};
use super::truth::{Ending, Why};
use crate::serve::{Answer, Request};

const LABEL: &str = "redirects";
const LOOPS: [u64; 3] = [1, 2, 3];
const CHAINS: [u64; 4] = [5, 10, 11, 50];
/// Redirects in a row that a crawler follows.
const FOLLOWED: u64 = 10;
const STATUSES: [u16; 5] = [301, 302, 303, 307, 308];

/// Names of paths under `/to/` with a `Location` that leads to nowhere; `None` sends no such header.
const NOWHERE: [(&str, Option<&str>); 11] = [
    ("file", Some("file:///etc/passwd")),
    ("ftp", Some("ftp://127.0.0.1/")),
    ("javascript", Some("javascript:alert(1)")),
    ("data", Some("data:text/html,<p>no")),
    ("mail", Some("mailto:nobody@torture.test")),
    ("no-host", Some("http://")),
    ("half-address", Some("http://[::1")),
    ("blank-in-host", Some("http://a b/")),
    ("bad-escape", Some("http://%zz/")),
    ("no-name", Some("http://:80/")),
    ("missing", None),
];

pub(super) fn write(book: &mut Book) {
    book.chapter("redirects");
    book.host(LABEL, Spot::Answers);
    book.site(LABEL, &["/about.html"], vec!["/to/relative".to_owned()]);
    book.lead(book.url(LABEL, "/"));
    for length in LOOPS {
        book.trap(
            &format!("loop of {length}"),
            LABEL,
            &format!("/loop/{length}/"),
            &hop("loop", length, 0),
            length,
        );
        book.lead(book.url(LABEL, &hop("loop", length, 0)));
    }
    for length in CHAINS {
        book.lead(book.url(LABEL, &hop("chain", length, 0)));
        let end = hop("chain", length, length);
        if length > FOLLOWED {
            let prefix = format!("/chain/{length}/");
            let root = hop("chain", length, 0);
            book.trap(&format!("chain of {length}"), LABEL, &prefix, &root, FOLLOWED + 1);
            continue;
        }
        for step in 0..length {
            let to = book.url(LABEL, &hop("chain", length, step + 1));
            book.expect(LABEL, &hop("chain", length, step), [Ending::Redirected { to }], 1);
        }
        book.page(LABEL, &end, Vec::new());
    }
    for (name, location, canonical) in private(book) {
        let path = format!("/to/{name}");
        book.lead(book.url(LABEL, &path));
        let refused = Ending::from(Why::BadRedirect);
        book.expect(LABEL, &path, [Ending::Redirected { to: canonical.clone() }, refused], 1);
        let endings = [Ending::from(Why::ForbiddenAddress), Ending::OffSite, Ending::Unmet];
        book.expect_url(canonical, endings, 0);
        debug_assert!(location.starts_with("http://"), "{location}");
    }
    for (name, _) in NOWHERE {
        let path = format!("/to/{name}");
        book.lead(book.url(LABEL, &path));
        book.expect(LABEL, &path, [Ending::from(Why::BadRedirect), Ending::OffSite], 1);
    }
    // An empty Location is a relative reference: the page itself.
    book.lead(book.url(LABEL, "/to/empty"));
    book.expect(LABEL, "/to/empty", [Ending::from(Why::BadRedirect), Why::RedirectLoop.into()], 1);
    book.lead(book.url(LABEL, "/to/far"));
    let to = book.url(LABEL, &far());
    book.expect(LABEL, "/to/far", [Ending::Redirected { to: to.clone() }, Why::BadRedirect.into()], 1);
    book.expect_url(to, [Ending::Trap, Ending::Unmet], 0);
    let to = book.url(LABEL, "/about.html");
    book.expect(LABEL, "/to/relative", [Ending::Redirected { to }], 1);
}

pub(super) fn answer(book: &Book, label: &str, request: &Request) -> Option<Answer> {
    if label != LABEL {
        return None;
    }
    let status = book.chance.with("status").with(&request.path).pick(&STATUSES);
    let mut parts = request.path.strip_prefix('/')?.split('/');
    let (kind, name) = (parts.next()?, parts.next()?);
    let location = match (kind, parts.next()) {
        ("loop" | "chain", Some(step)) => {
            let length =
                name.parse().ok().filter(|length| LOOPS.contains(length) || CHAINS.contains(length))?;
            let step: u64 = step.strip_suffix(".html").unwrap_or(step).parse().ok()?;
            match kind {
                "loop" => hop(kind, length, (step + 1) % length),
                _ if step < length => hop(kind, length, step + 1),
                _ => return None,
            }
        }
        ("to", None) => match name {
            "empty" => String::new(),
            "far" => far(),
            "relative" => "../about.html?#top".to_owned(),
            _ => match NOWHERE.iter().find(|(known, _)| *known == name) {
                Some((_, Some(location))) => (*location).to_owned(),
                Some((_, None)) => return Some(Answer::new(status, "text/plain", "somewhere else\n")),
                None => private(book).into_iter().find(|(known, _, _)| *known == name)?.1,
            },
        },
        _ => return None,
    };
    Some(Answer::redirect(status, &location))
}

fn hop(kind: &str, length: u64, step: u64) -> String {
    format!("/{kind}/{length}/{step}.html")
}

/// Longer than any URL that a crawler takes.
fn far() -> String {
    format!("/{}", "far/".repeat(3_000))
}

/// Private addresses in all their spellings: name, Location, canonical URL.
fn private(book: &Book) -> Vec<(&'static str, String, String)> {
    let port = book.colon_port();
    let number = u32::from(FORBIDDEN);
    let [a, b, c, d] = FORBIDDEN.octets();
    let nat64 = u128::from(number) | 0x0064_ff9b << 96;
    let mapped = FORBIDDEN.to_ipv6_mapped().segments();
    let spellings = [
        ("dotted", FORBIDDEN.to_string(), FORBIDDEN.to_string()),
        ("decimal", number.to_string(), FORBIDDEN.to_string()),
        ("octal", format!("0{a:o}.0{b:o}.{c}.{d}"), FORBIDDEN.to_string()),
        ("hexadecimal", format!("0x{number:x}"), FORBIDDEN.to_string()),
        ("short", format!("{a}.{b}.{d}"), FORBIDDEN.to_string()),
        ("zero", "0.0.0.0".to_owned(), "0.0.0.0".to_owned()),
        ("mapped", format!("[::ffff:{FORBIDDEN}]"), format!("[::ffff:{:x}:{:x}]", mapped[6], mapped[7])),
        (
            "nat64",
            format!("[{}]", std::net::Ipv6Addr::from(nat64)),
            format!("[{}]", std::net::Ipv6Addr::from(nat64)),
        ),
        ("loopback6", "[::1]".to_owned(), "[::1]".to_owned()),
        ("private-net", "10.0.0.1".to_owned(), Ipv4Addr::new(10, 0, 0, 1).to_string()),
        ("home-net", "192.168.0.1".to_owned(), "192.168.0.1".to_owned()),
        ("metadata", "169.254.169.254".to_owned(), "169.254.169.254".to_owned()),
    ];
    let full = |(name, written, canonical): (&'static str, String, String)| {
        let url = |host: &str| format!("http://{host}{port}/secret/{name}");
        (name, url(&written), url(&canonical))
    };
    spellings.into_iter().map(full).collect()
}
