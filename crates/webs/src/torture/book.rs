//! The plan of one torture web: hosts, pages, traps and what is right for each URL.
//!
//! Chapters write into the book once, at the start; afterwards it is only read. Ordinary pages are
//! drawn here, mischief is the chapters' own.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr};

use super::TortureOptions;
use super::dns::Say;
use super::truth::{Ending, TortureTrap, TortureTruth, TortureUrl, Wait};
use crate::chance::Chance;
use crate::generated::words;
use crate::page::escaped;
use crate::serve::Answer;

/// Every host of the web is below this name.
pub(super) const DOMAIN: &str = "torture.test";
/// It listens, it logs, and a crawler that may ask [`ALLOWED`] only must never ask it.
pub(super) const FORBIDDEN: Ipv4Addr = Ipv4Addr::new(127, 66, 0, 1);
/// The network of all other addresses.
pub(super) const ALLOWED: &str = "127.0.0.0/24";
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// A loopback address with its kind of hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// The portal and two ordinary sites.
    First = 1,
    /// The other ordinary sites and those with odd names.
    Second = 2,
    /// URL spaces.
    Spaces = 3,
    /// Redirects, bombs, texts, cookies.
    Answers = 4,
    /// Hosts that ask for pauses.
    Pace = 5,
    /// Hosts with an odd robots.txt.
    Robots = 6,
    /// The raw listener.
    Raw = 7,
    /// Nobody listens.
    Refused = 8,
    /// The TLS listener.
    Tls = 9,
}

impl Spot {
    pub(super) fn ip(self) -> Ipv4Addr {
        Ipv4Addr::new(127, 0, 0, self as u8)
    }
}

/// The plan of one web.
pub(super) struct Book {
    pub(super) chance: Chance,
    pub(super) options: TortureOptions,
    pub(super) truth: TortureTruth,
    /// What the name server says, by full name.
    pub(super) names: HashMap<String, Say>,
    port: u16,
    /// Labels of the hosts that speak TLS.
    secure: HashSet<String>,
    /// Names with plain addresses, for the hosts file.
    hosts: Vec<(String, IpAddr)>,
    /// Links of the ordinary pages, by host label and path.
    pages: HashMap<(String, String), Vec<String>>,
    /// Chapters of the portal with their links.
    chapters: Vec<(&'static str, Vec<String>)>,
}

impl Book {
    pub(super) fn new(seed: u64, port: u16, options: TortureOptions) -> Self {
        let truth = TortureTruth {
            seed,
            starts: Vec::new(),
            urls: Vec::new(),
            traps: Vec::new(),
            waits: Vec::new(),
            delays: Vec::new(),
            allowed: ALLOWED.to_owned(),
            forbidden: vec![FORBIDDEN.into()],
        };
        Self {
            chance: Chance::new(seed).with("torture"),
            options,
            truth,
            names: HashMap::new(),
            port,
            secure: HashSet::new(),
            hosts: Vec::new(),
            pages: HashMap::new(),
            chapters: Vec::new(),
        }
    }

    /// `label.torture.test:port`
    pub(super) fn authority(&self, label: &str) -> String {
        format!("{label}.{DOMAIN}{}", self.colon_port())
    }

    /// `:port`, empty for the default one.
    pub(super) fn colon_port(&self) -> String {
        if self.port == 80 { String::new() } else { format!(":{}", self.port) }
    }

    /// The absolute URL of a path.
    pub(super) fn url(&self, label: &str, path: &str) -> String {
        let scheme = if self.secure.contains(label) { "https" } else { "http" };
        format!("{scheme}://{}{path}", self.authority(label))
    }

    /// The label of a host of this web, from `name:port`.
    pub(super) fn label<'h>(&self, host: &'h str) -> Option<&'h str> {
        let name = host.split(':').next().unwrap_or(host);
        let label = name.strip_suffix(DOMAIN)?.strip_suffix('.')?;
        self.names.contains_key(name).then_some(label)
    }

    /// Begins a chapter: a page of the portal that links to all that is led to from here on.
    pub(super) fn chapter(&mut self, name: &'static str) {
        self.chapters.push((name, Vec::new()));
    }

    /// Links to a URL from the chapter's page.
    pub(super) fn lead(&mut self, url: String) {
        let (_, leads) = self.chapters.last_mut().expect("a chapter has begun");
        leads.push(url);
    }

    /// A host with a plain address.
    pub(super) fn host(&mut self, label: &str, spot: Spot) {
        let ip = IpAddr::from(spot.ip());
        if spot == Spot::Tls {
            self.secure.insert(label.to_owned());
        }
        self.hosts.push((format!("{label}.{DOMAIN}"), ip));
        self.name(label, Say::Addresses { addresses: vec![ip], ttl: 300 });
    }

    /// A host that only the name server knows.
    pub(super) fn name(&mut self, label: &str, say: Say) {
        self.names.insert(format!("{label}.{DOMAIN}"), say);
    }

    /// An ordinary page, which must be fetched. Links are URLs, or paths as written.
    pub(super) fn page(&mut self, label: &str, path: &str, links: Vec<String>) {
        self.draw(label, path, links);
        let url = self.url(label, path);
        let endings = vec![Ending::Fetched];
        self.truth.urls.push(TortureUrl { url, legitimate: true, endings, at_most: 1 });
    }

    /// Draws a page without saying what is right for it.
    pub(super) fn draw(&mut self, label: &str, path: &str, links: Vec<String>) {
        self.pages.insert((label.to_owned(), path.to_owned()), links);
    }

    /// Pages of a small site: its home, which links to all, and the others, which link back.
    pub(super) fn site(&mut self, label: &str, paths: &[&str], more: Vec<String>) {
        let links = paths.iter().map(|path| (*path).to_owned()).chain(more).collect();
        self.page(label, "/", links);
        for path in paths {
            self.page(label, path, vec!["/".to_owned()]);
        }
    }

    /// More requests are right than one for the pages written since `first`.
    pub(super) fn allow_requests(&mut self, first: usize, at_most: u64) {
        for url in &mut self.truth.urls[first..] {
            url.at_most = at_most;
        }
    }

    /// A URL that is no ordinary page.
    pub(super) fn expect(
        &mut self,
        label: &str,
        path: &str,
        endings: impl IntoIterator<Item = Ending>,
        at_most: u64,
    ) {
        let url = self.url(label, path);
        self.expect_url(url, endings, at_most);
    }

    /// The same for an absolute URL.
    pub(super) fn expect_url(
        &mut self,
        url: String,
        endings: impl IntoIterator<Item = Ending>,
        at_most: u64,
    ) {
        let endings = endings.into_iter().collect();
        self.truth.urls.push(TortureUrl { url, legitimate: false, endings, at_most });
    }

    /// A trap: all URLs of the host that begin with `prefix`.
    pub(super) fn trap(&mut self, name: &str, label: &str, prefix: &str, root: &str, at_most: u64) {
        let prefix = self.url(label, prefix);
        let root = self.url(label, root);
        let pattern = format!("^{}", prefix.replace('.', r"\.").replace('?', r"\?"));
        let name = name.to_owned();
        self.truth.traps.push(TortureTrap { name, root, pattern, prefix, at_most });
    }

    /// A pause that a host asks for.
    pub(super) fn wait(&mut self, label: &str, seconds: u64) {
        let host = self.authority(label);
        self.truth.waits.push(Wait { host, seconds });
    }

    /// A pause that a host's robots.txt asks for.
    pub(super) fn delay(&mut self, label: &str, seconds: u64) {
        let host = self.authority(label);
        self.truth.delays.push(Wait { host, seconds });
    }

    /// Requests for a URL that fails each time.
    pub(super) fn tries(&self) -> u64 {
        u64::from(self.options.retries) + 1
    }

    /// Writes the portal, which leads to everything.
    pub(super) fn bind(&mut self) {
        self.host("www", Spot::First);
        let chapters = std::mem::take(&mut self.chapters);
        let contents = chapters.iter().map(|(name, _)| format!("/{name}.html")).collect();
        self.page("www", "/", contents);
        for (name, mut leads) in chapters {
            let order = self.chance.with("leads").with(name).shuffled(leads.len());
            let shuffled = order.into_iter().map(|place| std::mem::take(&mut leads[place])).collect();
            self.page("www", &format!("/{name}.html"), shuffled);
        }
        self.truth.starts.push(self.url("www", "/"));
    }

    /// `address name` a line, for the names whose address is no mischief.
    pub(super) fn hosts_file(&self) -> String {
        self.hosts.iter().map(|(name, ip)| format!("{ip} {name}\n")).collect()
    }

    /// The names of the hosts file.
    pub(super) fn host_names(&self) -> Vec<String> {
        self.hosts.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The markup of an ordinary page.
    pub(super) fn ordinary(&self, label: &str, path: &str) -> Option<String> {
        let links = self.pages.get(&(label.to_owned(), path.to_owned()))?;
        let here = self.chance.with(label).with(path);
        let title = words(here.with("title"), 4);
        Some(html(&title, &words(here.with("text"), 60 + here.with("length").below(200)), links))
    }

    /// The robots.txt of hosts where it is no matter: none, or one that allows everything.
    pub(super) fn plain_robots(&self, label: &str) -> Answer {
        if self.chance.with("robots").with(label).percent(50) {
            return Answer::new(404, HTML, "<p>No robots.txt.</p>\n");
        }
        Answer::new(200, "text/plain", "User-agent: *\nDisallow:\n")
    }
}

/// A page of one text and some links.
pub(super) fn html(title: &str, text: &str, links: &[String]) -> String {
    let title = escaped(title);
    let mut out =
        format!("<!doctype html>\n<html lang=\"en\">\n<head><title>{title}</title></head>\n<body>\n");
    out.push_str(&format!("<h1>{title}</h1>\n<p>{}</p>\n<ul>\n", escaped(text)));
    for (place, link) in links.iter().enumerate() {
        out.push_str(&format!("<li><a href=\"{}\">link {place}</a></li>\n", escaped(link)));
    }
    out.push_str("</ul>\n</body>\n</html>\n");
    out
}
