//! Endless URL spaces: calendar, session ids, facets, paths that nest for ever, a tarpit of
//! scrambled near-copies. Each host also has ordinary pages, which a guard must not take along.

use std::time::Duration;

use super::book::{Book, HTML, Spot, html};
use crate::chance::Chance;
use crate::dates::month_name;
use crate::generated::words;
use crate::serve::{Answer, Request};

const FACETS: [(&str, u64); 6] =
    [("colour", 9), ("size", 7), ("brand", 12), ("sort", 4), ("page", 50), ("view", 3)];
/// Names of the parameter that holds the session; none that a crawler could know by its name.
const SESSION_NAMES: [&str; 4] = ["visit", "ticket", "cart", "who"];
const TOPICS: u64 = 12;
/// Words of a tarpit page, and how many of them of a thousand differ from the other pages'.
const TARPIT_WORDS: u64 = 400;
const SCRAMBLED_PER_MILLE: u64 = 60;
const TARPIT_LINKS: u64 = 8;

/// Writes the hosts and returns the ways into the traps.
pub(super) fn write(book: &mut Book) -> Vec<String> {
    book.chapter("spaces");
    let (year, month) = first_month(book);
    let calendar = format!("/calendar/{year:04}/{month:02}");
    let session = format!("/s/{}/topic-0", session_id(book.chance.with("session")));
    let forum = format!("/forum?{}={}&topic=0", session_name(book), session_id(book.chance.with("forum")));
    let tarpit = tarpit_path(book.chance.with("tarpit"));
    let pages = ["/about.html", "/contact.html", "/news.html"];
    let products = ["/product/1.html", "/product/2.html", "/product/3.html", "/product/4.html"];
    let hosts: [(&str, &[&str], &[&str]); 5] = [
        ("calendar", &pages, &[&calendar]),
        ("sessions", &pages, &[&session, &forum]),
        ("facets", &products, &["/shop"]),
        ("growth", &pages, &["/deep/", "/mix/", "/maze/"]),
        ("tarpit", &pages, &[&tarpit]),
    ];
    let mut ways_in = Vec::new();
    for (label, paths, roots) in hosts {
        book.host(label, Spot::Spaces);
        book.lead(book.url(label, "/"));
        book.site(label, paths, roots.iter().map(|root| (*root).to_owned()).collect());
        ways_in.extend(roots.iter().map(|root| book.url(label, root)));
    }
    book.trap("calendar", "calendar", "/calendar/", &calendar, 200);
    book.trap("session in path", "sessions", "/s/", &session, 100);
    book.trap("session in query", "sessions", "/forum?", &forum, 100);
    book.trap("facets", "facets", "/shop", "/shop", 250);
    book.trap("relative growth", "growth", "/deep/", "/deep/", 50);
    book.trap("alternating growth", "growth", "/mix/", "/mix/", 100);
    book.trap("maze", "growth", "/maze/", "/maze/", 200);
    book.trap("tarpit", "tarpit", "/wiki/", &tarpit, 200);
    ways_in
}

/// Answers inside a trap.
pub(super) fn answer(book: &Book, label: &str, request: &Request) -> Option<Answer> {
    match label {
        "calendar" => calendar(book, request),
        "sessions" if request.path == "/forum" => Some(forum(book, request)),
        "sessions" => session(book, request),
        "facets" if request.path == "/shop" => Some(facets(book, request)),
        "growth" => growth(book, request),
        "tarpit" if request.path.starts_with("/wiki/") => Some(tarpit(book, request)),
        _ => None,
    }
}

fn first_month(book: &Book) -> (u64, u64) {
    let here = book.chance.with("month");
    (2020 + here.with("year").below(10), 1 + here.below(12))
}

fn calendar(book: &Book, request: &Request) -> Option<Answer> {
    let mut parts = request.path.strip_prefix("/calendar/")?.split('/').map(|part| part.parse::<u64>().ok());
    let (year, month) = (parts.next()??, parts.next()??);
    if year > 1_000_000 || !(1..=12).contains(&month) {
        return None;
    }
    let link = |months: u64| format!("/calendar/{:04}/{:02}", months / 12, months % 12 + 1);
    let now = year * 12 + month - 1;
    let mut links = vec![link(now + 1), link(now.saturating_sub(1)), link(now + 12)];
    let mut title = format!("{} {year}", month_name(month as u32));
    match parts.next() {
        None => links.extend((1..=28).map(|day| format!("{}/{day:02}", link(now)))),
        Some(Some(day @ 1..=28)) => title = format!("{day} {title}"),
        Some(_) => return None,
    }
    let text = words(book.chance.with("calendar").with(&request.path), 12);
    Some(page(&title, &format!("Nothing happens on these days. {text}"), &links))
}

fn session_id(chance: Chance) -> String {
    format!("{:08x}", chance.below(1 << 32))
}

fn session_name(book: &Book) -> &'static str {
    book.chance.with("session name").pick(&SESSION_NAMES)
}

/// Every answer hands out fresh session ids: a hash of the address it was asked under.
fn session(book: &Book, request: &Request) -> Option<Answer> {
    let (_, topic) = request.path.strip_prefix("/s/")?.split_once("/topic-")?;
    let topic: u64 = topic.parse().ok().filter(|&topic| topic < TOPICS)?;
    let id = session_id(book.chance.with("id").with(&request.path));
    let links: Vec<String> =
        [1, 3, 5, 7].iter().map(|step| format!("/s/{id}/topic-{}", (topic + step) % TOPICS)).collect();
    Some(page(&format!("Topic {topic}"), &topic_text(book, topic), &links))
}

fn forum(book: &Book, request: &Request) -> Answer {
    let topic = request.parameter("topic").and_then(|topic| topic.parse().ok()).unwrap_or(0) % TOPICS;
    let id = session_id(book.chance.with("id").with(&request.target()));
    let name = session_name(book);
    let links: Vec<String> = [1, 3, 5, 7]
        .iter()
        .map(|step| format!("/forum?{name}={id}&topic={}", (topic + step) % TOPICS))
        .collect();
    page(&format!("Topic {topic}"), &topic_text(book, topic), &links)
}

fn topic_text(book: &Book, topic: u64) -> String {
    words(book.chance.with("topic").at(topic), 120)
}

/// Each link adds or changes one parameter and leaves the others in the order they were chosen.
fn facets(book: &Book, request: &Request) -> Answer {
    let query = request.query.clone().unwrap_or_default();
    let chosen: Vec<(&str, &str)> =
        query.split('&').filter_map(|pair| pair.split_once('=')).take(20).collect();
    let here = book.chance.with("facets").with(&query);
    let mut links = Vec::new();
    for (name, values) in FACETS {
        for step in 0..3 {
            let value = here.with(name).at(step).below(values);
            let kept = chosen.iter().filter(|(known, _)| *known != name);
            let mut pairs: Vec<String> = kept.map(|(known, value)| format!("{known}={value}")).collect();
            pairs.push(format!("{name}={value}"));
            links.push(format!("/shop?{}", pairs.join("&")));
        }
    }
    links.extend((1..=4).map(|number| format!("/product/{number}.html")));
    page("All products", &words(book.chance.with("shop").at(here.below(6)), 80), &links)
}

/// `deep` nests one segment, `mix` two in turn, `maze` a new one each time.
fn growth(book: &Book, request: &Request) -> Option<Answer> {
    let kind = ["/deep/", "/mix/", "/maze/"].into_iter().find(|root| request.path.starts_with(root))?;
    let here = book.chance.with("growth").with(&request.path);
    let links: Vec<String> = match kind {
        "/deep/" => vec!["a/".to_owned()],
        "/mix/" => vec!["x/".to_owned(), "y/".to_owned(), "./x/y/".to_owned()],
        _ => (0..3).map(|turn| format!("{:04x}/", here.at(turn).below(1 << 16))).collect(),
    };
    Some(page("Further down", &words(book.chance.with("growth").with(kind), 40), &links))
}

fn tarpit_path(chance: Chance) -> String {
    format!("/wiki/{}-{:07x}", words(chance.with("name"), 1), chance.below(1 << 28))
}

fn tarpit(book: &Book, request: &Request) -> Answer {
    let here = book.chance.with("tarpit").with(&request.target());
    let common = book.chance.with("tarpit text");
    let text: Vec<String> = (0..TARPIT_WORDS)
        .map(|place| {
            let scrambled = here.with("scrambled").at(place).below(1_000) < SCRAMBLED_PER_MILLE;
            words(if scrambled { here.at(place) } else { common.at(place) }, 1)
        })
        .collect();
    let links: Vec<String> =
        (0..TARPIT_LINKS).map(|place| tarpit_path(here.with("link").at(place))).collect();
    let mut answer = page(&words(here.with("title"), 3), &text.join(" "), &links);
    answer.delay = Duration::from_millis(50 + here.with("delay").below(151));
    answer
}

fn page(title: &str, text: &str, links: &[String]) -> Answer {
    Answer::new(200, HTML, html(title, text, links))
}
