//! Hosts whose robots.txt is late, elsewhere, too long, or no text. The silent one stands on the
//! raw listener ([`super::wire`]).

use super::book::{Book, HTML, Spot};
use super::truth::{Ending, Why};
use crate::serve::{Answer, Request};

const OPEN: &str = "/open.html";
const DENIED: &str = "/denied/page.html";
const RULES: &str = "User-agent: *\nDisallow: /denied/\n";
/// Where readers of a long robots.txt may stop.
pub(super) const READ_BYTES: usize = 500 * 1024;

/// Hosts whose rules can be had; all deny `/denied/`.
const READABLE: [&str; 8] = [
    "robots-chain-5",
    "robots-large",
    "robots-mark",
    "robots-crlf",
    "robots-cr",
    "robots-mixed",
    "robots-type",
    "robots-delay",
];
/// Hosts without usable rules: a denial may or may not be understood.
const UNREADABLE: [&str; 3] = ["robots-chain-6", "robots-html", "robots-utf-16"];
/// Hosts in trouble: nothing may be asked.
const TROUBLED: [(&str, u16); 3] = [("robots-500", 500), ("robots-503", 503), ("robots-599", 599)];

pub(super) fn write(book: &mut Book) {
    book.chapter("robots");
    for label in READABLE.into_iter().chain(UNREADABLE) {
        book.host(label, Spot::Robots);
        book.lead(book.url(label, "/"));
        book.site(label, &[OPEN], vec![DENIED.to_owned()]);
        match READABLE.contains(&label) {
            true => book.expect(label, DENIED, [Ending::Disallowed], 0),
            false => book.expect(label, DENIED, [Ending::Fetched, Ending::Disallowed], 1),
        }
    }
    for path in ["/edge/page.html", "/late/page.html"] {
        book.lead(book.url("robots-large", path));
    }
    book.expect("robots-large", "/edge/page.html", [Ending::Disallowed], 0);
    book.page("robots-large", "/late/page.html", Vec::new());
    book.delay("robots-delay", book.options.crawl_delay.as_secs());
    for (label, _) in TROUBLED {
        book.host(label, Spot::Robots);
        expect_closed(book, label);
    }
}

/// A host whose robots.txt cannot be had: its pages may not be asked for.
pub(super) fn expect_closed(book: &mut Book, label: &str) {
    for path in ["/", OPEN] {
        book.lead(book.url(label, path));
        let endings = [Ending::Disallowed, Why::RobotsUnreachable.into(), Ending::Waiting];
        book.expect(label, path, endings, 0);
    }
}

pub(super) fn answer(book: &Book, label: &str, request: &Request) -> Option<Answer> {
    if !label.starts_with("robots-") {
        return None;
    }
    if request.path == DENIED || request.path == "/edge/page.html" {
        return Some(Answer::new(200, HTML, "<p>Nobody should read this.</p>\n"));
    }
    let text = |text: &str| Answer::new(200, "text/plain", text.to_owned());
    if let Some(step) = request.path.strip_prefix("/robots-").and_then(|rest| rest.strip_suffix(".txt")) {
        let chain: u32 = label.strip_prefix("robots-chain-")?.parse().ok()?;
        let step: u32 = step.parse().ok().filter(|step| *step <= chain)?;
        return Some(chain_hop(step, chain).unwrap_or_else(|| text(RULES)));
    }
    if request.path != "/robots.txt" {
        return None;
    }
    if let Some((_, status)) = TROUBLED.iter().find(|(known, _)| *known == label) {
        return Some(Answer::new(*status, HTML, "<p>Out of order.</p>\n"));
    }
    Some(match label {
        "robots-chain-5" => chain_hop(0, 5)?,
        "robots-chain-6" => chain_hop(0, 6)?,
        "robots-large" => text(&large(book)),
        "robots-mark" => text(&format!("\u{feff}{RULES}")),
        "robots-crlf" => text(&RULES.replace('\n', "\r\n")),
        "robots-cr" => text(&RULES.replace('\n', "\r")),
        "robots-mixed" => {
            text("\0\u{1}junk\n: :\nuser-AGENT :*\r\n\r\n#x\rDISALLOW:/denied/ # why\n\nFoo: bar\n")
        }
        "robots-type" => Answer::new(200, "application/octet-stream", RULES),
        "robots-delay" => text(&format!("{RULES}Crawl-delay: {}\n", book.options.crawl_delay.as_secs())),
        "robots-html" => Answer::new(
            200,
            HTML,
            format!(
                "<!doctype html><title>Welcome</title>\n<p>All robots are welcome.</p><pre>{RULES}</pre>\n"
            ),
        ),
        "robots-utf-16" => {
            let units = format!("\u{feff}{RULES}");
            let bytes: Vec<u8> = units.encode_utf16().flat_map(u16::to_le_bytes).collect();
            Answer::new(200, "text/plain; charset=utf-16", bytes)
        }
        _ => return None,
    })
}

/// The redirect at a step of the chain; the rules stand at its end.
fn chain_hop(step: u32, length: u32) -> Option<Answer> {
    (step < length).then(|| Answer::redirect(301, &format!("/robots-{}.txt", step + 1)))
}

/// Rules at the beginning and just before the limit, and one behind it.
fn large(book: &Book) -> String {
    let edge = "Disallow: /edge/\n";
    let mut text = RULES.to_owned();
    let mut number = 0;
    while text.len() + 80 < READ_BYTES {
        let line = book.chance.with("robots line").at(number).below(1 << 60);
        text.push_str(&format!("Disallow: /nowhere/{line:015x}/\n"));
        number += 1;
    }
    text.push('#');
    text.push_str(&".".repeat(READ_BYTES - text.len() - edge.len() - 1));
    text.push('\n');
    text.push_str(edge);
    debug_assert_eq!(text.len(), READ_BYTES);
    text.push_str("Disallow: /late/\n");
    text.push_str(&"# and so on\n".repeat(5_000));
    text
}

#[cfg(test)]
mod tests {
    use super::super::TortureOptions;
    use super::*;

    #[test]
    fn the_long_robots_txt_has_a_rule_on_each_side_of_the_limit() {
        let text = large(&Book::new(3, 80, TortureOptions::default()));
        let (read, rest) = text.split_at(READ_BYTES);
        assert!(read.starts_with(RULES) && read.ends_with("\nDisallow: /edge/\n"), "{}", &read[..99]);
        assert!(rest.starts_with("Disallow: /late/\n"));
    }
}
