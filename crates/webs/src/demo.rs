//! The bundled demo site: a shop, a journal, a manual, and odd corners; what newcomers crawl first.
//!
//! The facts live in `demo/site.rs`, pages are drawn by the other files of `demo/`, and this file
//! finds the page for a path, adds what HTTP adds, and tells the ground truth. The site changes
//! with its epoch (`/_control/epoch?set=N`), never with visits.
//!
//! Control URLs: `/_control/epoch` (read, or `?set=N`), `/_control/truth.json`
//! (`?nofollow=follow`, `?redirects=deepen`, `?trap_depth=N`); the server adds `/_control/log`.

mod blog;
mod company;
mod files;
mod layout;
mod live;
mod manual;
mod oddities;
mod phrases;
mod shop;
mod site;
mod slots;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use crate::dates::Day;
use crate::encode::encoded;
use crate::page::Drawn;
use crate::serve::{Answer, Request, Web};
use crate::truth::{Facts, Link, Look, Outcome, STRIPPED_PARAMETERS, Trap, Truth, TruthOptions, walk};
use site::Site;

/// The name under which the demo site is served besides its address.
pub const HOST: &str = "demo.test";

/// The demo site as a web.
pub struct Demo {
    seed: u64,
    now: Mutex<Epochs>,
}

struct Epochs {
    epoch: u64,
    /// Facts of the last epochs used: asking when a page last changed looks back.
    sites: BTreeMap<u64, Arc<Site>>,
}

/// Epochs that `Last-Modified` looks back; a page unchanged for longer is dated to the oldest.
const LOOK_BACK: u64 = 8;

impl Demo {
    /// The site of `seed` at `epoch`.
    pub fn new(seed: u64, epoch: u64) -> Self {
        Self { seed, now: Mutex::new(Epochs { epoch, sites: BTreeMap::new() }) }
    }

    /// The epoch that is shown.
    pub fn epoch(&self) -> u64 {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).epoch
    }

    /// Shows another epoch.
    pub fn set_epoch(&self, epoch: u64) {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).epoch = epoch.min(site::LAST_EPOCH);
    }

    /// What a crawler ought to find from `base` (`http://host:port`) at the epoch that is shown.
    pub fn truth(&self, base: &str, options: TruthOptions) -> Truth {
        truth_of(&self.site(self.epoch()), base, options)
    }

    fn site(&self, epoch: u64) -> Arc<Site> {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let site = now.sites.entry(epoch).or_insert_with(|| Arc::new(Site::new(self.seed, epoch)));
        let site = Arc::clone(site);
        while now.sites.len() > LOOK_BACK as usize + 2 {
            // Keep the ones near the epoch in use.
            let (first, last) = (now.sites.first_key_value(), now.sites.last_key_value());
            let far = |other: Option<(&u64, &Arc<Site>)>| other.map_or(0, |(other, _)| other.abs_diff(epoch));
            if far(first) >= far(last) {
                now.sites.pop_first()
            } else {
                now.sites.pop_last()
            };
        }
        site
    }

    /// The day on which the page got its present body.
    fn modified(&self, site: &Site, base: &str, path: &str, query: Option<&str>, body: &[u8]) -> Day {
        let mut since = site.epoch;
        while since > 0 && site.epoch - since < LOOK_BACK {
            let before = reply(&self.site(since - 1), base, path, query);
            if before.status != 200 || before.body != body {
                break;
            }
            since -= 1;
        }
        Day(site.today.0 - (site.epoch - since) as i64)
    }

    fn control(&self, request: &Request) -> Option<Answer> {
        match request.path.as_str() {
            "/_control/epoch" => {
                if let Some(set) = request.parameter("set") {
                    let Ok(epoch) = set.parse() else {
                        return Some(Answer::new(400, "text/plain", "set is not a number\n"));
                    };
                    self.set_epoch(epoch);
                }
                let body = format!("{{\"seed\":{},\"epoch\":{}}}\n", self.seed, self.epoch());
                Some(Answer::new(200, "application/json", body))
            }
            "/_control/truth.json" => {
                let options = truth_options(request);
                let truth = self.truth(&request.base(), options);
                let body = serde_json::to_vec(&truth).expect("a truth has only plain fields");
                Some(Answer::new(200, "application/json", body))
            }
            _ => None,
        }
    }

    /// Login, logout and what is behind them: the only pages that look at a cookie.
    fn session(&self, site: &Site, request: &Request) -> Option<Answer> {
        let token = format!("{:016x}", site.chance.with("session").below(u64::MAX));
        let base = request.base();
        let cookie = |value: &str| format!("session={value}; Path=/; HttpOnly; SameSite=Lax");
        match (request.method.as_str(), request.path.as_str()) {
            ("POST", "/login") => {
                let given = (request.parameter("user"), request.parameter("password"));
                if given == (Some("demo".to_owned()), Some("demo".to_owned())) {
                    Some(Answer::redirect(303, "/account/").with("set-cookie", cookie(&token)))
                } else {
                    let page = company::login(site, &base, "That was not it. Try demo and demo.");
                    Some(Answer::new(403, HTML, page.html))
                }
            }
            (_, "/logout") => {
                Some(Answer::redirect(303, "/").with("set-cookie", format!("{}; Max-Age=0", cookie("out"))))
            }
            (_, path) if path.starts_with("/account/") => {
                let cookies = request.header("cookie").unwrap_or_default();
                let known = cookies.split(';').any(|pair| pair.trim() == format!("session={token}"));
                let page = known.then(|| company::account(site, &base, path))?;
                Some(match page {
                    Some(page) => Answer::new(200, HTML, page.html).with("cache-control", "no-store"),
                    None => Answer::new(404, "text/plain", "no such page\n"),
                })
            }
            ("POST", "/contact" | "/cart/add") => Some(Answer::redirect(303, "/")),
            _ => None,
        }
    }
}

impl Web for Demo {
    fn answer(&self, request: &Request) -> Answer {
        if let Some(answer) = self.control(request) {
            return answer;
        }
        let site = self.site(self.epoch());
        if let Some(answer) = self.session(&site, request) {
            return answer;
        }
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Answer::new(405, "text/plain", "only GET here\n").with("allow", "GET, HEAD");
        }
        let base = request.base();
        let query = request.query.as_deref().map(without_tracking).filter(|query| !query.is_empty());
        let reply = reply(&site, &base, &request.path, query.as_deref());
        self.over_http(&site, request, query.as_deref(), reply)
    }

    fn hosts(&self) -> Vec<String> {
        vec![HOST.to_owned()]
    }
}

impl Demo {
    /// Adds validators and content coding.
    fn over_http(&self, site: &Site, request: &Request, query: Option<&str>, reply: Reply) -> Answer {
        let mut answer = Answer::new(reply.status, &reply.content_type, Vec::new());
        for (name, value) in &reply.headers {
            answer = answer.with(name, value.as_str());
        }
        if let Some(location) = &reply.location {
            answer = answer.with("location", location.as_str());
        }
        if reply.status == 200 {
            let day = self.modified(site, &request.base(), &request.path, query, &reply.body);
            let tag = format!("\"{:016x}\"", xxh3_64(&reply.body));
            let fresh = match (request.header("if-none-match"), request.header("if-modified-since")) {
                (Some(tags), _) => tags.split(',').any(|known| known.trim().trim_start_matches("W/") == tag),
                (None, Some(since)) => Day::from_http(since).is_some_and(|since| since >= day),
                (None, None) => false,
            };
            answer = answer.with("etag", tag).with("last-modified", day.http());
            if fresh {
                answer.status = 304;
                return answer;
            }
        }
        let worth = reply.body.len() > 200 && !reply.content_type.starts_with("image/png");
        let accepted = request.header("accept-encoding").filter(|_| worth).unwrap_or_default();
        answer = answer.with("vary", "accept-encoding");
        match encoded(accepted, xxh3_64(request.path.as_bytes()), &reply.body) {
            Some((coding, packed)) => {
                answer.body = packed.into();
                answer.with("content-encoding", coding)
            }
            None => {
                answer.body = reply.body.into();
                answer
            }
        }
    }
}

/// What a crawler ought to find on the demo site of `seed` at `epoch`, served at `base`
/// (`http://host:port`), with default options.
pub fn truth(seed: u64, epoch: u64, base: &str) -> Truth {
    truth_with(seed, epoch, base, TruthOptions::default())
}

/// The same with other options.
pub fn truth_with(seed: u64, epoch: u64, base: &str, options: TruthOptions) -> Truth {
    truth_of(&Site::new(seed, epoch), base, options)
}

/// Reads the options of a truth from a control URL.
pub(crate) fn truth_options(request: &Request) -> TruthOptions {
    let defaults = TruthOptions::default();
    TruthOptions {
        follow_nofollow: request.parameter("nofollow").as_deref() == Some("follow"),
        redirects_deepen: request.parameter("redirects").as_deref() == Some("deepen"),
        trap_depth: request
            .parameter("trap_depth")
            .and_then(|depth| depth.parse().ok())
            .map_or(defaults.trap_depth, |depth: u32| depth.min(50)),
    }
}

const HTML: &str = "text/html; charset=utf-8";

/// What the site has at a path, before HTTP adds its part.
pub(crate) struct Reply {
    status: u16,
    content_type: String,
    /// As written; the canonical form is `to`.
    location: Option<String>,
    to: Option<String>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    links: Vec<Link>,
    facts: Facts,
}

impl Reply {
    fn html(drawn: Drawn) -> Self {
        Self::encoded(drawn, HTML, |text| text.as_bytes().to_vec())
    }

    fn encoded(drawn: Drawn, content_type: &str, encode: impl Fn(&str) -> Vec<u8>) -> Self {
        let mut reply = Self::file(content_type, encode(&drawn.html));
        reply.links = drawn.links;
        reply.facts = drawn.facts;
        reply
    }

    fn file(content_type: &str, body: Vec<u8>) -> Self {
        Self {
            status: 200,
            content_type: content_type.to_owned(),
            location: None,
            to: None,
            headers: Vec::new(),
            body,
            links: Vec::new(),
            facts: Facts::default(),
        }
    }

    /// A redirect to `written`, which means the path `to`.
    fn redirect(status: u16, written: &str, to: &str) -> Self {
        let mut reply = Self::file(HTML, b"<p>See elsewhere.</p>\n".to_vec());
        reply.status = status;
        reply.location = Some(written.to_owned());
        reply.to = Some(to.to_owned());
        reply
    }

    /// An error page; its links are nobody's business.
    fn failed(status: u16, words: &str) -> Self {
        let mut reply = Self::file(
            HTML,
            format!("<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{status}</title><link rel=\"stylesheet\" href=\"/style.css\"></head>\n<body><main class=\"wrap\"><h1>{words}</h1><p><a href=\"/\">Home</a></p></main></body>\n</html>\n").into_bytes(),
        );
        reply.status = status;
        reply
    }
}

/// Finds the page for a path; `query` without tracking parameters.
fn reply(site: &Site, base: &str, path: &str, query: Option<&str>) -> Reply {
    if let Some(reply) = detour(site, path).or_else(|| files::file(site, base, path)) {
        return reply;
    }
    if let Some(slug) = path.strip_prefix("/product/") {
        return match site.product(slug) {
            Some(product) => Reply::html(shop::product(site, base, product)),
            None => Reply::failed(site.missing_product(slug), "No longer made"),
        };
    }
    if path.starts_with("/oddities/") {
        let reply = oddities::page(site, base, path);
        return reply.unwrap_or_else(|| Reply::failed(404, "Nothing here"));
    }
    if let Some(data) = live::data(site, path) {
        return Reply::file("application/json", data.to_string().into_bytes());
    }
    let words = query.and_then(|query| query.strip_prefix("q=")).unwrap_or_default();
    let drawn = match path.split('/').nth(1).unwrap_or_default() {
        "shop" => shop::page(site, base, path, query),
        "blog" => blog::page(site, base, path, query),
        "print" => blog::print(site, base, path),
        "docs" => manual::page(site, base, path),
        "live" => live::page(site, base, path),
        "calendar" => oddities::calendar(site, base, path),
        "search" | "cart" => company::closed(site, base, path, words),
        _ => company::page(site, base, path),
    };
    drawn.map_or_else(|| Reply::failed(404, "Nothing here"), Reply::html)
}

/// Redirects and failures.
fn detour(site: &Site, path: &str) -> Option<Reply> {
    Some(match path {
        "/today" => {
            let newest = site.posts.first().map_or_else(|| "/blog/".to_owned(), site::Post::path);
            Reply::redirect(302, &newest, &newest)
        }
        "/go/start" => Reply::redirect(301, "/go/second", "/go/second"),
        "/go/second" => Reply::redirect(302, "third", "/go/third"),
        "/go/third" => Reply::redirect(308, "../docs/", "/docs/"),
        "/account/" | "/account/orders" => Reply::redirect(302, "/login", "/login"),
        "/campaign/spring" => Reply::failed(410, "The campaign has ended"),
        "/status/broken" => Reply::failed(500, "Something is broken, as always"),
        // Repaired by the next epoch (then `company` has the page), not by asking again.
        "/status/maintenance" if site.epoch == 0 => {
            let mut reply = Reply::failed(503, "Back soon");
            reply.headers.push(("retry-after".to_owned(), "1".to_owned()));
            reply
        }
        _ => {
            let number: u64 = path.strip_prefix("/p/")?.parse().ok()?;
            let to = site.product_path(number.checked_sub(1_000).filter(|id| *id < 10_000)?);
            Reply::redirect(301, &to, &to)
        }
    })
}

/// The query without parameters that name a visitor or a campaign.
fn without_tracking(query: &str) -> String {
    let tracking = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default();
        name.starts_with("utm_") || STRIPPED_PARAMETERS.contains(&name)
    };
    query.split('&').filter(|pair| !tracking(pair)).collect::<Vec<_>>().join("&")
}

fn truth_of(site: &Site, base: &str, options: TruthOptions) -> Truth {
    let robots = files::robots(base);
    let look = |url: &str| {
        let Some(target) = url.strip_prefix(base).filter(|target| target.starts_with('/')) else {
            return Look::unasked(Outcome::OffSite);
        };
        if let Some(line) = robots.denying_line(target) {
            return Look::unasked(Outcome::Disallowed { line });
        }
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (target, None),
        };
        let reply = reply(site, base, path, query);
        let content_type = reply.content_type.split(';').next().unwrap_or_default().to_owned();
        let outcome = match (reply.status, &reply.to) {
            (_, Some(to)) => Outcome::Redirected { to: format!("{base}{to}") },
            (200, None) if matches!(content_type.as_str(), "text/html" | "application/pdf") => {
                Outcome::Fetched
            }
            (200, None) => Outcome::UnwantedType,
            _ => Outcome::Failed,
        };
        Look {
            status: Some(reply.status),
            outcome,
            content_type: Some(content_type),
            facts: reply.facts,
            links: reply.links,
            trap: path.starts_with("/calendar/").then(|| "calendar".to_owned()),
        }
    };
    let start = format!("{base}/");
    let (year, month, _) = site.first_day.civil();
    let trap = Trap {
        name: "calendar".to_owned(),
        root: format!("{base}{}", oddities::calendar_path(year, month)),
        pattern: "/calendar/[0-9]+/[0-9]{2}$".to_owned(),
        listed_depth: options.trap_depth,
    };
    let mut lists = shop::lists(site, base);
    lists.extend(blog::lists(site, base));
    Truth {
        web: "demo".to_owned(),
        seed: site.seed,
        epoch: site.epoch,
        pages: walk(&start, options, look),
        start,
        traps: vec![trap],
        lists,
        products: shop::rows(site, base),
        posts: blog::rows(site, base),
        stripped_parameters: STRIPPED_PARAMETERS.map(str::to_owned).to_vec(),
    }
}
