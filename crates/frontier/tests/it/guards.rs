//! The guards: traps end after some dozen pages, and sites of many shapes lose nothing.
//!
//! One host at a time, through the frontier alone, with its process lost now and then.

use std::collections::{BTreeMap, HashSet};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use frontier::tables::URLS;
use frontier::{Asked, End, Frontier, Next, Sent, Settled, TextMark, counted};
use kv::{Durability, Reader, Store};
use model::{CrawlId, CrawlSettings, Guard, Outcome, PageUrl, Rate, Timestamp};
use testkit::Seed;

use crate::server::link;
use crate::web::{project, url};

const CRAWL: CrawlId = CrawlId(1);
const HOST: &str = "site.web";

/// A page: its text, block by block, and the paths it links to.
struct Page(String, Vec<String>);

/// What a crawl of a site came to.
struct Crawled {
    store: Store,
    outcomes: BTreeMap<String, Outcome>,
    fetched: usize,
}

impl Crawled {
    fn refused(&self, guard: Guard) -> usize {
        self.outcomes.values().filter(|outcome| **outcome == Outcome::Trap { guard }).count()
    }
}

/// Crawls a site from its home page to the end, or until it has cost too much.
fn crawl(
    page: &dyn Fn(&str) -> Page,
    took: Duration,
    seed: &mut Seed,
    edit: impl FnOnce(&mut CrawlSettings),
) -> Crawled {
    const TOO_MUCH: usize = 30_000;
    let project = project(&[url(HOST, "")], |settings| {
        settings.rate = Some(Rate::Unlimited);
        edit(settings);
    });
    let store = Store::memory();
    let mut now = Timestamp(1_000_000_000);
    let mut frontier = Frontier::open(store.clone(), now).unwrap();
    frontier.begin(CRAWL, &project).unwrap();
    let mut batch = store.batch();
    let home = url(HOST, "");
    let start = frontier::Offer { start: true, via: None, ..link(&home, model::UrlKey::of(&home), true) };
    frontier.offer(&mut batch, CRAWL, start, now).unwrap();
    let mut fetched = HashSet::new();
    while fetched.len() < TOO_MUCH {
        frontier.settle_refusals(&mut batch).unwrap();
        frontier.reconsider(&mut batch, CRAWL, 1_000).unwrap();
        for _ in frontier.take_shallower(&mut batch, CRAWL, 1_000).unwrap() {}
        frontier.seal(&mut batch, now).unwrap();
        store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Synced).unwrap();
        frontier.committed(now).unwrap();
        if seed.chance(1, 40) {
            // Killed with a lease in hand.
            let _ = frontier.next(CRAWL, now).unwrap();
            frontier = Frontier::open(store.clone(), now).unwrap();
            frontier.begin(CRAWL, &project).unwrap();
        }
        match frontier.next(CRAWL, now).unwrap() {
            Next::Resolve(host) => {
                let until = now + Duration::from_secs(86_400);
                frontier.resolved(&host, Ok((IpAddr::V4(Ipv4Addr::LOCALHOST), until)), now).unwrap();
            }
            Next::Lease(lease) => {
                for leased in &lease.urls {
                    assert!(fetched.insert(leased.key), "{} is fetched twice", leased.url);
                    let Page(text, links) = page(leased.url.path_and_query());
                    let links = links.iter().map(|to| PageUrl::parse(&format!("http://{HOST}{to}")).unwrap());
                    let end = End::Page {
                        bytes: 1,
                        links: links.map(|to| link(&to, leased.key, true)).collect(),
                        text: Some(TextMark::of(&text)),
                        topic: None,
                    };
                    let sent = Some(Sent { start: now, end: now + took });
                    let settled =
                        Settled { lease: lease.id, key: leased.key, sent, asked: Asked::default(), end };
                    frontier.settle(&mut batch, settled, now).unwrap();
                }
                frontier.release(lease.id, now).unwrap();
            }
            Next::Wait { until, .. } => now = until.unwrap_or(now).max(now + Duration::from_millis(1)),
            Next::Done => break,
            Next::Reached(limit) => panic!("{limit:?}"),
        }
    }
    assert_eq!(frontier::audit(&store, CRAWL).unwrap(), []);
    let rows = store.prefix(&URLS, &CRAWL.0).map(|row| row.unwrap().1);
    let outcomes = rows.map(|record| (record.url.path_and_query().to_owned(), record.outcome)).collect();
    Crawled { store, outcomes, fetched: fetched.len() }
}

/// A site that must be fetched whole.
fn check_whole(name: &str, pages: usize, page: &dyn Fn(&str) -> Page) {
    let crawled = crawl(page, Duration::from_millis(80), &mut Seed::from_env(), |_| ());
    let lost: Vec<_> =
        crawled.outcomes.iter().filter(|(_, outcome)| **outcome != Outcome::Fetched).take(3).collect();
    assert!(lost.is_empty(), "{name}: {} of {pages} fetched, lost are {lost:?} …", crawled.fetched);
    assert_eq!(crawled.fetched, pages, "{name}");
}

/// A trap that must end by itself, having cost no more than this.
fn check_trap(name: &str, at_most: usize, page: &dyn Fn(&str) -> Page) -> Crawled {
    let crawled = crawl(page, Duration::from_millis(80), &mut Seed::from_env(), |_| ());
    assert!(crawled.fetched <= at_most, "{name}: {} pages were fetched", crawled.fetched);
    for page in ["/about.html", "/news/today.html"] {
        assert_eq!(crawled.outcomes.get(page), Some(&Outcome::Fetched), "{name}: {page}");
    }
    crawled
}

/// Words that follow from a name.
fn words(name: &str, count: usize) -> String {
    let mut state = name.bytes().fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    });
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let syllables = ["ka", "lo", "mi", "ru", "se", "ta", "ven", "zo", "pra", "dil", "eng", "us"];
        (0..3).map(|place| syllables[(state >> (33 + place * 9)) as usize % 12]).collect::<String>()
    };
    (0..count).map(|_| word()).collect::<Vec<_>>().join(" ")
}

/// A number that follows from a name.
fn number(name: &str, below: usize) -> usize {
    words(name, 2).bytes().fold(7usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte as usize)) % below
}

/// What a page says, between the menus that all pages of the site have.
fn among_menus(text: &str) -> String {
    let menu: Vec<String> = (0..80).map(|entry| words(&format!("menu {entry}"), 3)).collect();
    format!("{}\n{text}\n{}", menu.join("\n"), words("footer", 40))
}

fn number_in(path: &str) -> usize {
    let digits: String = path.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

#[test]
fn ten_thousand_products_with_short_texts_are_fetched_whole() {
    // A list of 100 products a page; each product names five others, so that most are found through those.
    check_whole("products", 10_000 + 100 + 1, &|path| match path {
        "/" => Page(words(path, 50), vec!["/list?page=0".into()]),
        list if list.starts_with("/list") => {
            let page = number_in(list);
            let products = (0..100).map(|place| format!("/product/{}", page * 100 + place));
            let next = (page < 99).then(|| format!("/list?page={}", page + 1));
            let names: Vec<String> = products.clone().map(|product| words(&product, 3)).collect();
            Page(among_menus(&names.join("\n")), products.chain(next).collect())
        }
        product => {
            let others =
                (0..5).map(|place| format!("/product/{}", number(&format!("{product} {place}"), 10_000)));
            let text = format!("{}\n{}", words(product, 3), words(&format!("{product} text"), 28));
            Page(among_menus(&text), others.collect())
        }
    });
}

#[test]
fn photographs_without_words_are_fetched_if_lists_lead_to_them() {
    check_whole("photographs", 3_000 + 125 + 1, &|path| match path {
        "/" => Page(words(path, 50), vec!["/album?page=0".into()]),
        list if list.starts_with("/album") => {
            let page = number_in(list);
            let photos = (0..24).map(|place| format!("/photo/{}", page * 24 + place));
            let next = (page < 124).then(|| format!("/album?page={}", page + 1));
            Page(among_menus(&format!("page {page}")), photos.chain(next).collect())
        }
        photo => {
            let others = (0..6).map(|place| format!("/photo/{}", number(&format!("{photo} {place}"), 3_000)));
            Page(among_menus(photo), others.collect())
        }
    });
}

#[test]
fn a_blog_of_ten_years_is_fetched_whole() {
    // Year and month lists, and on each post the ones before and after it.
    let posts: Vec<String> = (0..2_400)
        .map(|post| {
            let (year, month, day) = (2015 + post / 240, post / 20 % 12 + 1, post % 20 + 1);
            let slug = words(&format!("slug {post}"), 3).replace(' ', "-");
            format!("/{year}/{month:02}/{day:02}/{slug}")
        })
        .collect();
    let below = |prefix: &str| -> Vec<String> {
        posts.iter().filter(|post| post.starts_with(prefix)).cloned().collect()
    };
    check_whole("blog", 2_400 + 120 + 10 + 1, &|path| {
        let depth = path.split('/').filter(|part| !part.is_empty()).count();
        match depth {
            0 => Page(words(path, 40), (2015..2025).map(|year| format!("/{year}/")).collect()),
            1 => Page(path.into(), (1..=12).map(|month| format!("{path}{month:02}/")).collect()),
            2 => Page(words(path, 30), below(path)),
            _ => {
                let place = posts.iter().position(|post| post == path).unwrap();
                let near = [place.checked_sub(1), Some(place + 1)].into_iter().flatten();
                let near = near.filter_map(|place| posts.get(place).cloned()).collect();
                Page(among_menus(&words(path, 150)), near)
            }
        }
    });
}

#[test]
fn a_forum_in_pages_is_fetched_whole() {
    check_whole("forum", 40 + 400 * 6 + 1, &|path| {
        let (_, query) = path.split_once('?').unwrap_or_default();
        let value = |name: &str| {
            let pair = query.split('&').find_map(|pair| pair.strip_prefix(name))?;
            pair.strip_prefix('=')?.parse::<usize>().ok()
        };
        match (value("topic"), value("page")) {
            (Some(topic), page) => {
                let page = page.unwrap_or(0);
                let next = (page < 5).then(|| format!("/forum?topic={topic}&page={}", page + 1));
                Page(among_menus(&words(path, 60)), next.into_iter().collect())
            }
            (None, Some(page)) => {
                let topics = (0..10).map(|place| format!("/forum?topic={}", page * 10 + place));
                let next = (page < 39).then(|| format!("/forum?page={}", page + 1));
                Page(words(path, 30), topics.chain(next).collect())
            }
            _ => Page(words(path, 30), vec!["/forum?page=0".into()]),
        }
    });
}

#[test]
fn a_manual_eight_levels_deep_is_fetched_whole() {
    const NAMES: [&str; 3] = ["install", "use", "extend"];
    check_whole("manual", (0..9).map(|level| 3usize.pow(level)).sum(), &|path| {
        let level = path.split('/').filter(|part| !part.is_empty()).count();
        // Names differ from level to level, as chapters do.
        let below = NAMES
            .iter()
            .map(|name| format!("{path}{name}-{}/", ["a", "b", "c", "d", "e", "f", "g", "h"][level.min(7)]));
        Page(among_menus(&words(path, 40)), if level < 8 { below.collect() } else { Vec::new() })
    });
}

#[test]
fn a_wiki_whose_articles_only_lead_to_each_other_is_fetched_whole() {
    let article = |number: usize| {
        let name: Vec<u8> = format!("{number:05}").bytes().map(|digit| digit - b'0' + b'a').collect();
        format!("/wiki/{}_{}", words(&format!("article {number}"), 1), String::from_utf8(name).unwrap())
    };
    let articles: Vec<String> = (0..4_000).map(article).collect();
    check_whole("wiki", 4_000 + 1, &|path| {
        let Some(place) = articles.iter().position(|article| article == path) else {
            return Page(words(path, 50), vec![articles[0].clone()]);
        };
        let others = (0..7).map(|link| number(&format!("{path} {link}"), 4_000));
        let links = others.chain([(place + 1) % 4_000]).map(|other| articles[other].clone()).collect();
        // Every third is a stub.
        let length = if place % 3 == 0 { 10 } else { 80 };
        Page(among_menus(&words(path, length)), links)
    });
}

#[test]
fn a_comic_with_a_word_a_page_is_followed_to_its_end() {
    check_whole("comic", 900 + 1, &|path| match path {
        "/" => Page(words(path, 50), vec!["/comic/1".into()]),
        comic => {
            let number = number_in(comic);
            let near = [number - 1, number + 1].into_iter().filter(|number| (1..=900).contains(number));
            Page(among_menus(comic), near.map(|number| format!("/comic/{number}")).collect())
        }
    });
}

/// The home page of a site with a trap and two ordinary pages.
fn home(trap: &str) -> Page {
    Page(words("home", 60), vec!["/about.html".into(), "/news/today.html".into(), trap.into()])
}

fn ordinary(path: &str) -> Option<Page> {
    path.ends_with(".html").then(|| Page(words(path, 80), vec!["/".into()]))
}

#[test]
fn a_calendar_without_end_is_given_up() {
    let crawled = check_trap("calendar", 100, &|path| {
        let parts: Vec<usize> = path.split('/').filter_map(|part| part.parse().ok()).collect();
        let [year, month, ..] = parts[..] else {
            return ordinary(path).unwrap_or_else(|| home("/cal/2030/1"));
        };
        let months = year * 12 + month;
        let mut links: Vec<String> =
            [months + 1, months - 1].iter().map(|all| format!("/cal/{}/{}", all / 12, all % 12)).collect();
        links.extend((1..29).map(|day| format!("/cal/{year}/{month}/{day}")));
        Page(format!("{path}\nNothing happens. {}", words(path, 12)), links)
    });
    assert!(crawled.refused(Guard::Template) > 0);
    let refused = crawled.outcomes.iter().find(|(_, outcome)| matches!(outcome, Outcome::Trap { .. }));
    let told = counted(&crawled.store, CRAWL, &url(HOST, &refused.unwrap().0[1..])).unwrap();
    assert_eq!(told.template, "/cal/*");
    assert!(told.pages >= 40 && told.pages < 100 && told.met > told.pages && told.news < 5, "{told:?}");
}

#[test]
fn a_calendar_of_months_is_a_chain_and_ends_later() {
    check_trap("months", 1_100, &|path| {
        let month = number_in(path);
        match path.starts_with("/events") {
            true => Page(format!("Events in month {month}\nNone."), vec![format!("/events/{}", month + 1)]),
            false => ordinary(path).unwrap_or_else(|| home("/events/24000")),
        }
    });
}

/// A chain of pages without end, each with a text of its own.
fn endless_story(path: &str) -> Page {
    match path.starts_with("/part") {
        true => Page(words(path, 200), vec![format!("/part/{}", number_in(path) + 1)]),
        false => ordinary(path).unwrap_or_else(|| home("/part/7")),
    }
}

#[test]
fn a_chain_with_new_text_on_every_page_ends_at_its_length() {
    let mut seed = Seed::from_env();
    for order in [model::Order::BREADTH_FIRST, model::Order::DEPTH_FIRST] {
        let crawled = crawl(&endless_story, Duration::from_millis(80), &mut seed, |settings| {
            settings.max_chain = 500;
            settings.order = order;
        });
        // Home, two others, the first part and 500 more.
        assert_eq!((crawled.fetched, crawled.refused(Guard::Chain)), (504, 1), "{order:?}");
        let told = counted(&crawled.store, CRAWL, &url(HOST, "part/900")).unwrap();
        assert_eq!((told.template.as_str(), told.pages, told.invited_depth), ("/part/*", 501, 1));
    }
    let limit = |settings: &mut CrawlSettings| (settings.max_chain, settings.max_pages_per_host) = (0, 2_000);
    assert_eq!(crawl(&endless_story, Duration::ZERO, &mut seed, limit).fetched, 2_000, "switched off");
}

#[test]
fn a_page_far_down_a_chain_is_fetched_when_it_is_invited_or_comes_closer() {
    // Part 607 is beyond the chain's end when it is met. A page that is deeper still leads to it.
    let page: &dyn Fn(&str) -> Page = &|path| {
        let mut page = endless_story(path);
        match path.strip_prefix("/way/") {
            Some(way) if number_in(way) < 700 => {
                page = Page(words(path, 60), vec![format!("/way/{}", number_in(way) + 1)]);
            }
            Some(_) => page = Page(words(path, 60), vec!["/part/607".into()]),
            None if path == "/" => page.1.push("/way/0".into()),
            None => {}
        }
        page
    };
    let chain = |length| move |settings: &mut CrawlSettings| settings.max_chain = length;
    let crawled = crawl(page, Duration::ZERO, &mut Seed::from_env(), |settings| {
        chain(500)(settings);
        settings.exclude = vec!["/way/7??".parse().unwrap()];
    });
    assert_eq!(crawled.outcomes.get("/part/607"), None, "{}", crawled.fetched);
    let crawled = crawl(page, Duration::ZERO, &mut Seed::from_env(), chain(800));
    assert_eq!(crawled.outcomes.get("/part/607"), Some(&Outcome::Fetched));
    // Counted on from there: depth 702, and 800 more.
    assert_eq!(crawled.refused(Guard::Chain), 1);
}

#[test]
fn a_session_in_every_link_is_given_up() {
    for form in ["/s/ID/topic-N", "/forum?visit=ID&topic=N"] {
        let at = |id: usize, topic: usize| {
            form.replace("ID", &format!("{id:08x}")).replace('N', &topic.to_string())
        };
        check_trap(form, 110, &|path| {
            if !path.contains("topic") {
                return ordinary(path).unwrap_or_else(|| home(&at(7, 0)));
            }
            let topic = number_in(path.rsplit("topic").next().unwrap_or_default());
            let id = number(path, 1 << 30);
            Page(
                words(&format!("topic {topic}"), 120),
                (1..5).map(|step| at(id, (topic + step) % 12)).collect(),
            )
        });
    }
}

#[test]
fn facets_in_any_order_are_given_up() {
    let crawled = check_trap("facets", 250, &|path| {
        let Some(("/shop", chosen)) = path.split_once('?').or((path == "/shop").then_some(("/shop", "")))
        else {
            return ordinary(path).unwrap_or_else(|| home("/shop"));
        };
        let mut links = Vec::new();
        for name in ["colour", "size", "brand", "sort", "page", "view"] {
            let kept = chosen.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with(name));
            let kept: Vec<&str> = kept.collect();
            for value in 0..3 {
                let own = format!("{name}={value}");
                links.push(format!(
                    "/shop?{}",
                    kept.iter().copied().chain([own.as_str()]).collect::<Vec<_>>().join("&")
                ));
            }
        }
        Page(words(&format!("shop {}", number(chosen, 6)), 80), links)
    });
    assert!(crawled.refused(Guard::Template) > 0);
}

#[test]
fn more_combinations_of_parameters_than_allowed_are_refused() {
    let page: &dyn Fn(&str) -> Page = &|path| match path {
        "/" => Page(
            words(path, 30),
            (0..26u8).map(|name| format!("/find?{}=1", char::from(b'a' + name))).collect(),
        ),
        _ => Page(words(path, 60), Vec::new()),
    };
    let mut seed = Seed::from_env();
    let crawled = crawl(page, Duration::ZERO, &mut seed, |settings| settings.max_combinations = 10);
    assert_eq!((crawled.refused(Guard::Combinations), crawled.fetched), (16, 11));
    let crawled = crawl(page, Duration::ZERO, &mut seed, |settings| settings.max_combinations = 0);
    assert_eq!(crawled.fetched, 27);
}

/// A tarpit: eight links to further pages on each, words in their names.
fn tarpit(path: &str, text: String) -> Page {
    let at = |place: usize| {
        format!("/wiki/{}-{:07x}", words(path, 1), number(&format!("{path} {place}"), 1 << 28))
    };
    match path.starts_with("/wiki") {
        true => Page(text, (0..8).map(at).collect()),
        false => ordinary(path).unwrap_or_else(|| home("/wiki/way-1in")),
    }
}

#[test]
fn scrambled_near_copies_are_given_up() {
    check_trap("tarpit", 150, &|path| {
        let mut text: Vec<String> = (0..400).map(|place| words(&format!("common {place}"), 1)).collect();
        for place in 0..24 {
            text[number(&format!("{path} at {place}"), 400)] = words(&format!("{path} {place}"), 1);
        }
        tarpit(path, text.join(" "))
    });
}

#[test]
fn slow_pages_without_end_are_given_up_even_if_each_is_new() {
    let page: &dyn Fn(&str) -> Page = &|path| tarpit(path, words(path, 200));
    let mut seed = Seed::from_env();
    let slow = crawl(page, Duration::from_secs(25), &mut seed, |_| ());
    assert!(slow.fetched < 100, "{} pages", slow.fetched);
    let fast = |limit| move |settings: &mut CrawlSettings| settings.max_pages_per_template = limit;
    let limited = crawl(page, Duration::from_millis(50), &mut seed, fast(1_000));
    assert!(limited.refused(Guard::TemplatePages) > 0 && limited.fetched < 1_050, "{}", limited.fetched);
}

#[test]
fn a_maze_of_made_up_segments_is_given_up() {
    check_trap("maze", 150, &|path| match path.starts_with("/maze") {
        true => {
            let ways =
                (0..3).map(|turn| format!("{path}{:04x}/", number(&format!("{path} {turn}"), 1 << 16)));
            Page(words("maze", 40), ways.collect())
        }
        false => ordinary(path).unwrap_or_else(|| home("/maze/")),
    });
}

#[test]
fn kinds_of_pages_that_invite_each_other_end_with_the_host() {
    // Two families that take turns: each page is invited by the other one.
    let page: &dyn Fn(&str) -> Page = &|path| {
        let other = if path.starts_with("/a") { "/b" } else { "/a" };
        let ways = (0..4).map(|turn| format!("{other}/{}", number(&format!("{path} {turn}"), 1 << 30)));
        match path.starts_with("/a") || path.starts_with("/b") {
            true if !path.ends_with(".html") => Page("Nothing.".into(), ways.collect()),
            _ => ordinary(path).unwrap_or_else(|| home("/a/1")),
        }
    };
    let limit = |settings: &mut CrawlSettings| settings.max_stale_per_host = 500;
    let crawled = crawl(page, Duration::ZERO, &mut Seed::from_env(), limit);
    assert!(crawled.refused(Guard::StaleHost) > 0 && crawled.fetched < 650, "{} pages", crawled.fetched);
}

#[test]
fn a_guard_that_is_switched_off_lets_a_trap_have_its_way() {
    let page: &dyn Fn(&str) -> Page = &|path| tarpit(path, "Nothing.".into());
    let crawled = crawl(page, Duration::ZERO, &mut Seed::from_env(), |settings| {
        settings.max_stale_per_template = 0;
        settings.max_pages_per_host = 800;
    });
    assert_eq!(crawled.fetched, 800);
}
