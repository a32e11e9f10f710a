//! A generated web of any size: many hosts, links within and across them, and everyday trouble.
//!
//! No page is kept: host and number of a page give its text, links and faults by hashing, so a web
//! of a million pages costs nothing until it is asked. Every page can be reached from the start
//! page: the homes of the hosts form a tree, and so do the pages of each host; all other links are
//! chance. Dead links, redirects, files and pages closed to robots come on top of the counted pages.

use std::time::Duration;

use crate::WebsError;
use crate::chance::Chance;
use crate::demo::truth_options;
use crate::page::{Anchor, Drawn, Page};
use crate::robots::Robots;
use crate::serve::{Answer, Request, Web};
use crate::truth::{Facts, Look, Outcome, STRIPPED_PARAMETERS, Truth, TruthOptions, walk};

/// The shape of a generated web.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Everything follows from it.
    pub seed: u64,
    /// Number of hosts, `h001.test` and so on.
    pub hosts: u32,
    /// Number of pages, dead ends not counted.
    pub pages: u64,
    /// Links on a page, about.
    pub links_per_page: u32,
    /// Percent of the chance links that lead to another host.
    pub across_percent: u32,
    /// Smallest and largest size of a page in bytes, about.
    pub page_bytes: (u32, u32),
    /// Pages of a thousand that answer late, by up to `slowest`.
    pub slow_per_mille: u32,
    /// The longest delay.
    pub slowest: Duration,
    /// Pages of a thousand that answer 503 for the time `recovers_after` from the server's start.
    pub failing_per_mille: u32,
    /// When failing pages recover.
    pub recovers_after: Duration,
}

impl Default for Generated {
    fn default() -> Self {
        Self {
            seed: 1,
            hosts: 50,
            pages: 5_000,
            links_per_page: 20,
            across_percent: 20,
            page_bytes: (5_000, 30_000),
            slow_per_mille: 5,
            slowest: Duration::from_millis(300),
            failing_per_mille: 5,
            recovers_after: Duration::from_secs(2),
        }
    }
}

impl Generated {
    /// Where a crawl starts when the web is served on `port`.
    pub fn start_url(&self, port: u16) -> String {
        format!("http://{}/", self.authority(0, port))
    }

    fn authority(&self, host: u32, port: u16) -> String {
        match port {
            80 => self.host_name(host),
            _ => format!("{}:{port}", self.host_name(host)),
        }
    }

    fn host_name(&self, host: u32) -> String {
        let digits = self.hosts.to_string().len().max(3);
        format!("h{:0digits$}.test", host + 1)
    }

    /// The host of a `name:port`.
    fn host_number(&self, authority: &str) -> Option<u32> {
        let name = authority.split(':').next()?;
        let number: u32 = name.strip_prefix('h')?.strip_suffix(".test")?.parse().ok()?;
        let host = number.checked_sub(1).filter(|&host| host < self.hosts)?;
        (self.host_name(host) == name).then_some(host)
    }

    fn chance(&self) -> Chance {
        Chance::new(self.seed).with("generated")
    }

    /// Pages on a host.
    fn pages_on(&self, host: u32) -> u64 {
        self.pages / u64::from(self.hosts) + u64::from(u64::from(host) < self.pages % u64::from(self.hosts))
    }

    /// Children of a page in its tree.
    fn fan_out(&self) -> u64 {
        u64::from(self.links_per_page / 3).clamp(2, 12)
    }
}

/// A generated web, ready to answer.
pub struct GeneratedWeb {
    shape: Generated,
}

impl GeneratedWeb {
    /// Checks that the shape has a page for every host.
    pub fn new(shape: Generated) -> Result<Self, WebsError> {
        if shape.hosts == 0 || shape.pages < u64::from(shape.hosts) {
            return Err(WebsError::TooSmall { hosts: shape.hosts, pages: shape.pages });
        }
        Ok(Self { shape })
    }

    /// What a crawler ought to find from the start page when the web is served on `port`.
    pub fn truth(&self, port: u16, options: TruthOptions) -> Truth {
        let start = self.shape.start_url(port);
        Truth {
            web: "generated".to_owned(),
            seed: self.shape.seed,
            epoch: 0,
            pages: walk(&start, options, |url| self.look(url, port)),
            start,
            traps: Vec::new(),
            lists: Vec::new(),
            products: Vec::new(),
            posts: Vec::new(),
            stripped_parameters: STRIPPED_PARAMETERS.map(str::to_owned).to_vec(),
        }
    }

    fn look(&self, url: &str, port: u16) -> Look {
        let rest = url.strip_prefix("http://").unwrap_or(url);
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = self.shape.host_number(authority);
        let Some(host) = host.filter(|&host| self.shape.authority(host, port) == authority) else {
            return Look::unasked(Outcome::OffSite);
        };
        if let Some(line) = self.robots(host).and_then(|robots| robots.denying_line(path)) {
            return Look::unasked(Outcome::Disallowed { line });
        }
        match self.find(host, path) {
            Found::Page(number) => {
                let drawn = self.draw(host, number, port);
                let facts = Facts {
                    recovers: self.recovers(host, number),
                    slow_ms: self.delay(host, number).as_millis() as u64,
                    ..drawn.facts
                };
                known(200, Outcome::Fetched, "text/html", facts, drawn.links)
            }
            Found::Private(number) => {
                let drawn = self.draw_private(host, number, port);
                known(200, Outcome::Fetched, "text/html", drawn.facts, drawn.links)
            }
            Found::Redirect(number) => {
                let (host, page) = self.redirect_target(host, number);
                let to = format!("http://{}{}", self.shape.authority(host, port), self.path(host, page));
                known(301, Outcome::Redirected { to }, "text/html", Facts::default(), Vec::new())
            }
            Found::File => known(200, Outcome::UnwantedType, "application/zip", Facts::default(), Vec::new()),
            Found::Nothing => known(404, Outcome::Failed, "text/html", Facts::default(), Vec::new()),
        }
    }

    fn robots(&self, host: u32) -> Option<Robots> {
        let variant = if host == 0 { 1 } else { self.here(host).with("robots").below(4) };
        let mut robots = Robots::default();
        match variant {
            // No robots.txt at all: everything is open.
            0 => return None,
            1 => {
                robots.line("User-agent: *");
                robots.rule(false, "/private/");
            }
            2 => {
                robots.line("# nobody reads this");
                robots.line("User-agent: otherbot");
                robots.line("Disallow: /");
                robots.line("");
                robots.line("User-agent: *");
                robots.rule(false, "/private/");
            }
            _ => {
                robots.line("user-agent: *");
                robots.rule(false, "/priv");
                robots.rule(true, "/private/1");
            }
        }
        Some(robots)
    }

    fn here(&self, host: u32) -> Chance {
        self.shape.chance().with("host").at(u64::from(host))
    }

    fn at(&self, host: u32, number: u64) -> Chance {
        self.here(host).with("page").at(number)
    }

    fn path(&self, host: u32, number: u64) -> String {
        match number {
            0 => "/".to_owned(),
            _ => format!("/{}/{number}.html", self.at(host, number).with("section").pick(&SECTIONS)),
        }
    }

    fn find(&self, host: u32, path: &str) -> Found {
        let number = |prefix: &str, suffix: &str, bound: u64| -> Option<u64> {
            let text = path.strip_prefix(prefix)?.strip_suffix(suffix)?;
            let number: u64 = text.parse().ok()?;
            (number < bound && number.to_string() == text).then_some(number)
        };
        if let Some(number) = number("/private/", "", EXTRAS) {
            return Found::Private(number);
        }
        if let Some(number) = number("/moved/", "", EXTRAS) {
            return Found::Redirect(number);
        }
        if number("/files/", ".zip", EXTRAS).is_some() {
            return Found::File;
        }
        let last = path.rsplit('/').next().unwrap_or_default();
        let page = match path {
            "/" => Some(0),
            _ => last.strip_suffix(".html").and_then(|number| number.parse().ok()),
        };
        match page {
            Some(page) if page < self.shape.pages_on(host) && self.path(host, page) == path => {
                Found::Page(page)
            }
            _ => Found::Nothing,
        }
    }

    fn redirect_target(&self, host: u32, number: u64) -> (u32, u64) {
        let chance = self.here(host).with("moved").at(number);
        (host, chance.below(self.shape.pages_on(host)))
    }

    fn recovers(&self, host: u32, number: u64) -> bool {
        // Not the homes: a crawl that starts at once should have something to do.
        number > 0
            && self.at(host, number).with("failing").below(1_000) < u64::from(self.shape.failing_per_mille)
    }

    fn delay(&self, host: u32, number: u64) -> Duration {
        let chance = self.at(host, number).with("slow");
        if chance.below(1_000) >= u64::from(self.shape.slow_per_mille) {
            return Duration::ZERO;
        }
        Duration::from_millis(1 + chance.with("delay").below(self.shape.slowest.as_millis() as u64))
    }

    /// Where the links of a page lead, tree first, as absolute URLs.
    fn targets(&self, host: u32, number: u64, port: u16) -> Vec<String> {
        let fan_out = self.shape.fan_out();
        let pages = self.shape.pages_on(host);
        let url = |host: u32, path: &str| format!("http://{}{path}", self.shape.authority(host, port));
        let mut targets = Vec::new();
        let children = (number * fan_out + 1)..=(number * fan_out + fan_out);
        targets
            .extend(children.filter(|&child| child < pages).map(|child| url(host, &self.path(host, child))));
        if number == 0 {
            let first = u64::from(host) * fan_out + 1;
            let homes = (first..first + fan_out).filter(|&home| home < u64::from(self.shape.hosts));
            targets.extend(homes.map(|home| url(home as u32, "/")));
        }
        let chance = self.at(host, number).with("links");
        let wanted = self.shape.links_per_page as usize;
        for place in targets.len()..wanted.max(targets.len() + 2) {
            let chance = chance.at(place as u64);
            let extra = chance.with("extra").below(EXTRAS);
            targets.push(match chance.with("kind").below(1_000) {
                0..15 => url(host, &format!("/gone/{extra}.html")),
                15..30 => url(host, &format!("/moved/{extra}")),
                30..40 => url(host, &format!("/private/{extra}")),
                40..45 => url(host, &format!("/files/{extra}.zip")),
                45..50 => format!("http://outside.example/{extra}"),
                _ if chance.with("across").below(100) < u64::from(self.shape.across_percent) => {
                    let other = chance.with("host").below(u64::from(self.shape.hosts)) as u32;
                    let page = chance.with("page").below(self.shape.pages_on(other));
                    url(other, &self.path(other, page))
                }
                _ => url(host, &self.path(host, chance.with("page").below(pages))),
            });
        }
        targets
    }

    fn draw(&self, host: u32, number: u64, port: u16) -> Drawn {
        let chance = self.at(host, number);
        let base = format!("http://{}", self.shape.authority(host, port));
        let title = words(chance.with("title"), 4);
        let mut page = Page::new(&base, "en", &title);
        page.head("<meta charset=\"utf-8\">\n");
        page.head_title();
        page.body("");
        page.html(&format!("<h1>{title}</h1>\n"));
        let (least, most) = self.shape.page_bytes;
        let size = u64::from(least) + chance.with("size").below(u64::from(most.saturating_sub(least)) + 1);
        let targets = self.targets(host, number, port);
        // Paragraphs of equal length, one link in each, so that links stand in all thirds.
        let share = size.saturating_sub(400 + 90 * targets.len() as u64) / targets.len() as u64;
        for (place, target) in targets.iter().enumerate() {
            let chance = chance.with("paragraph").at(place as u64);
            page.html("<p>");
            let half = share / 2 / LETTERS_PER_WORD + 1;
            page.html(&words(chance.with("before"), half));
            page.html(" ");
            link(&mut page, chance, &base, target);
            page.html(" ");
            page.html(&words(chance.with("after"), half));
            page.html(".</p>\n");
        }
        page.finish()
    }

    fn draw_private(&self, host: u32, number: u64, port: u16) -> Drawn {
        let base = format!("http://{}", self.shape.authority(host, port));
        let mut page = Page::new(&base, "en", &format!("Private {number}"));
        page.head_title();
        page.body("");
        page.html("<p>Open here, closed elsewhere. Back to the ");
        page.a("/", "home page");
        page.html("</p>\n");
        page.finish()
    }
}

impl Web for GeneratedWeb {
    fn answer(&self, request: &Request) -> Answer {
        let port = request.host.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).unwrap_or(80);
        if request.path == "/_control/truth.json" {
            let truth = self.truth(port, truth_options(request));
            let body = serde_json::to_vec(&truth).expect("a truth has only plain fields");
            return Answer::new(200, "application/json", body);
        }
        let Some(host) = self.shape.host_number(&request.host) else {
            return Answer::new(421, HTML, "<p>No such host in this web.</p>\n");
        };
        if request.path == "/robots.txt" {
            return match self.robots(host) {
                Some(robots) => Answer::new(200, "text/plain", robots.text()),
                None => Answer::new(404, HTML, "<p>No robots.txt.</p>\n"),
            };
        }
        match self.find(host, &request.path) {
            Found::Page(number)
                if self.recovers(host, number) && request.since_start < self.shape.recovers_after =>
            {
                Answer::new(503, HTML, "<p>Come back in a second.</p>\n").with("retry-after", "1")
            }
            Found::Page(number) => {
                let mut answer = Answer::new(200, HTML, self.draw(host, number, port).html);
                answer.delay = self.delay(host, number);
                answer
            }
            Found::Private(number) => Answer::new(200, HTML, self.draw_private(host, number, port).html),
            Found::Redirect(number) => {
                let (host, page) = self.redirect_target(host, number);
                Answer::redirect(301, &self.path(host, page))
            }
            Found::File => Answer::new(200, "application/zip", "PK\u{5}\u{6}"),
            Found::Nothing => Answer::new(404, HTML, "<p>Nothing here.</p>\n"),
        }
    }

    fn hosts(&self) -> Vec<String> {
        (0..self.shape.hosts).map(|host| self.shape.host_name(host)).collect()
    }
}

/// Numbers of dead links, redirects, files and private pages on each host.
const EXTRAS: u64 = 20;
const LETTERS_PER_WORD: u64 = 6;
const HTML: &str = "text/html; charset=utf-8";
const SECTIONS: [&str; 6] = ["news", "notes", "archive", "people", "places", "a-z"];

enum Found {
    Page(u64),
    Private(u64),
    Redirect(u64),
    File,
    Nothing,
}

fn known(
    status: u16,
    outcome: Outcome,
    content_type: &str,
    facts: Facts,
    links: Vec<crate::truth::Link>,
) -> Look {
    Look {
        status: Some(status),
        outcome,
        content_type: Some(content_type.to_owned()),
        facts,
        links,
        trap: None,
    }
}

fn link(page: &mut Page<'_>, chance: Chance, base: &str, target: &str) {
    let text = words(chance.with("anchor"), 1 + chance.with("anchor length").below(4));
    let inner = match chance.with("style").below(10) {
        0 => format!("<b>{text}</b>"),
        1 => format!("<em>{text}</em>"),
        2 => format!("<strong><i>{text}</i></strong>"),
        _ => text,
    };
    let rel = if chance.with("nofollow").percent(1) { "nofollow" } else { "" };
    // Links within the host are mostly written without it.
    let local = target.strip_prefix(base).filter(|local| local.starts_with('/'));
    let written = local.filter(|_| chance.with("relative").percent(80)).unwrap_or(target);
    page.link(&Anchor::new(target, &inner).written(written).rel(rel));
}

/// So many words, one space between.
pub(crate) fn words(chance: Chance, count: u64) -> String {
    let mut out = String::with_capacity((count * (LETTERS_PER_WORD + 1)) as usize);
    for place in 0..count {
        if place > 0 {
            out.push(' ');
        }
        out.push_str(chance.at(place).pick(&WORDS));
    }
    out
}

const WORDS: [&str; 120] = [
    "about", "above", "after", "again", "air", "along", "among", "answer", "apple", "autumn", "away", "barn",
    "basket", "before", "bell", "below", "between", "bird", "boat", "book", "bread", "bridge", "bright",
    "brother", "build", "candle", "carry", "chair", "change", "child", "city", "clay", "clear", "cloud",
    "coast", "cold", "colour", "copper", "corner", "count", "country", "cross", "dark", "door", "draw",
    "dream", "early", "earth", "east", "every", "face", "farm", "field", "fire", "flower", "follow",
    "forest", "friend", "garden", "glass", "grain", "green", "ground", "hand", "harbour", "heart", "hill",
    "honey", "horse", "house", "iron", "island", "journey", "kitchen", "lake", "language", "large", "leaf",
    "letter", "light", "line", "listen", "market", "meadow", "measure", "mill", "moon", "morning",
    "mountain", "music", "night", "north", "ocean", "orchard", "paper", "path", "people", "picture", "plain",
    "quiet", "rain", "river", "road", "roof", "salt", "school", "season", "shore", "silver", "sister",
    "snow", "south", "spring", "stone", "street", "summer", "table", "thread", "water", "winter",
];
