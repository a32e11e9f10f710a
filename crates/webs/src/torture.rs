//! The torture web: traps, faults and attackers on loopback, with ordinary pages in between.
//!
//! Everything follows from the seed and, where a host recovers or a name changes, from the time
//! since the server's start; never from how often it was asked. All hosts are `*.torture.test` on one
//! port: most on an HTTP library at 127.0.0.1 to .6, those it could not misbehave enough for on a raw
//! listener at 127.0.0.7; at 127.0.0.8 connections are refused; at 127.0.0.9 TLS is spoken, with
//! certificates by an authority of the web's own ([`TortureServer::ca`], `/_control/ca.pem`); 127.66.0.1 answers, and must never be
//! asked. A crawl starts at the portal, takes every `*.torture.test` host into its scope, may ask
//! 127.0.0.0/24 and nothing else that is private, and uses the web's name server (or its hosts file,
//! which leaves out the names whose address is the mischief), and trusts its authority.
//!
//! | host | what | right |
//! | --- | --- | --- |
//! | `www` | the portal: one page a chapter, links to everything | fetched |
//! | `alpha` `beta` `gamma` `delta` | ordinary sites, two on an address | fetched |
//! | `calendar` | `/calendar/YEAR/MONTH[/DAY]`, for ever both ways | ≤ 200 requests |
//! | `sessions` | `/s/ID/topic-N` and `/forum?NAME=ID&topic=N`, a new id with each link | ≤ 100 each |
//! | `facets` | `/shop?…`: six parameters in any order | ≤ 250 |
//! | `growth` | `/deep/` + `a/`…; `/mix/` + `x/`, `y/`, in turn; `/maze/` + new segments | ≤ 50, 100, 200 |
//! | `tarpit` | `/wiki/…`: near-copies of one text, each 50 to 200 ms late | ≤ 200 |
//! | `redirects` `/loop/N/` | circles of 1, 2, 3 | each URL once |
//! | `redirects` `/chain/N/` | chains of 5, 10 (end fetched), 11, 50 | ≤ 11 |
//! | `redirects` `/to/…` | private addresses in 12 spellings; `file:`, `ftp:`, `data:`, …; empty, missing, broken, 12,000 letters long | never asked; failed |
//! | `bombs` | 256 MiB of gzip, brotli, zstd, gzip in gzip, below 1 MiB on the wire; nine codings; truncated, damaged and false gzip | cut or failed |
//! | `text` `/hard/…` | charsets wrong, missing, lying, unknown, UTF-16, half letters; NULs, controls; broken markup; 100,000 deep; an attribute of 1 MiB; a million attributes; a word of 2 MiB; 20,000 links; no and odd content types | fetched, `/found/…` too |
//! | `cookies` | 150 new cookies with each page, foreign, public-suffix and huge ones; 431 when more than 16 KiB come back; 2,000 with `/flood.html` | fetched; the flood may be refused |
//! | `pace-…` | 429 and 503 until `recovers_after`: seconds, fraction, date, past, negative, garbage, empty, none | pause kept, fetched |
//! | `pace-years` `pace-overflow` `pace-far-date` | a pause that outlasts the crawl | one request |
//! | `robots-500` `robots-503` `robots-599` `robots-silent` `robots-reset` | robots.txt cannot be had | nothing asked |
//! | `robots-chain-5` | the rules behind five redirects | obeyed |
//! | `robots-large` | rules before and after 500 KiB | obeyed up to there |
//! | `robots-mark` `robots-crlf` `robots-cr` `robots-mixed` `robots-type` | byte order mark, line ends, junk, odd type | obeyed |
//! | `robots-delay` | a Crawl-delay of one second | kept |
//! | `robots-chain-6` `robots-html` `robots-utf-16` | no readable rules | fetched |
//! | `hints-…` | crawl hints that are no JSON, too long, absurd, in a circle, or name what is elsewhere | pages fetched, nothing else asked |
//! | `drip` `drip-head` | a byte each 100 ms | cut or timeout |
//! | `endless` `endless-chunks` `endless-head` | 64 MiB unless the client hangs up | cut or failed |
//! | `silent` | accepts, says nothing | timeout |
//! | `length-…` | Content-Length long, short, twice, beside chunks, negative, 23 digits | cut or malformed |
//! | `chunk-…` | chunk size of letters, of 21 digits, body cut within a chunk | cut or malformed |
//! | `no-status` `status-letters` `status-999` `version-9` `http-0-9` `continue-flood` | heads that are none; 4,000 × 100 Continue | malformed |
//! | `huge-header` `many-headers` | 1 MiB in one, 10,000 | malformed |
//! | `bare-return` `nul-header` `folded-header` `blank-in-name` `smuggling` | header injection, by bytes and by an escaped Location | no injected header, no `/admin` |
//! | `two-answers` | a second answer nobody asked for | `/plain.html` is its own |
//! | `reset-at-once` `reset-head` `reset-body` `closed` | hang up rudely | broken or cut |
//! | `no-such-name` `broken-name` `refused-name` `silent-name` `empty-name` `garbage-name` `alias-loop` | NXDOMAIN, SERVFAIL, REFUSED, nothing, no records, no DNS, a circle of aliases | failed |
//! | `slow-name` `ttl-0` `ttl-absurd` `alias-3` `many-addresses` `many-N` | late answers, lifetimes 0 and 136 years, aliases, 20 addresses, ten names on one | fetched |
//! | `alias-30` | thirty aliases | fetched or failed |
//! | `inside` `inside-…` | private addresses: plain, by alias, IPv6-mapped, NAT64, 6to4, IPv6's own, 10/8, metadata, 0.0.0.0 | forbidden, never asked |
//! | `inside-mixed` `rebinding` | a good and a forbidden address, at once or one after the other | the forbidden one never asked |
//! | `refused` | nobody listens | failed |
//! | `tls-1-2` `tls-1-3` `h2` | good sites over TLS 1.2, 1.3, HTTP/2 by ALPN | fetched |
//! | `tls-expired` `tls-early` `tls-wrong-name` `tls-unknown` `tls-forged` `tls-self-signed` | certificates that prove nothing | failed, never asked |
//! | `tls-garbage` `tls-alert` `tls-1-0` `tls-hello-flood` `tls-long-chain` | no handshake worth the name | failed, never asked |
//! | `tls-silent` `tls-drip` `tls-closed` `tls-reset` `tls-half` | a handshake that does not end | failed, never asked |
//! | `tls-hushed` `tls-truncated` | silence after the handshake; an end without good-bye | timeout; cut |
//! | `http:` on the TLS port, `https:` on the plain one | the wrong protocol | failed, the host's pages fetched |
//! | `h2-reset` `h2-reset-at-once` `h2-refused` `h2-closed` | RST_STREAM within the body, before it; an end | cut or broken |
//! | `h2-goaway` `h2-goaway-late` `h2-goaway-cut` | GOAWAY before, beside and instead of the rest | broken; fetched; cut |
//! | `h2-reset-flood` `h2-settings-flood` `h2-ping-flood` `h2-window-flood` `h2-empty-flood` | 200,000 frames of a kind | broken or timeout |
//! | `h2-endless-head` `h2-huge-header` `h2-header-bomb` | CONTINUATION without end, 1 MiB in one, 39 MB in 14 KB | failed |
//! | `h2-endless` `h2-overrun` `h2-stall` `h2-silent` | DATA without end within and past the window; none | cut or failed |
//! | `h2-push` `h2-garbage` `h2-length` `h2-no-status` `h2-upper-case` `h2-bad-settings` | HTTP/2 that is none | fetched or failed |
//!
//! All names of the TLS listener share an address and a certificate; a request for one of them on a
//! connection that was opened for another is answered 421.

mod bombs;
mod book;
mod certificates;
mod dns;
mod frames;
mod hints;
mod names;
mod ordinary;
mod pace;
mod raw;
mod redirects;
mod robots;
mod spaces;
mod text;
mod tls;
pub mod truth;
mod wire;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, UdpSocket};

use crate::WebsError;
use crate::log::{KEPT_ENTRIES, RequestLog};
use crate::serve::{Answer, Request, Server, Web, listen, open_log};
use book::{Book, FORBIDDEN, HTML, Spot};
use certificates::Certificates;
pub use dns::Question;
use dns::{NameServer, Questions};
use truth::TortureTruth;

/// How a torture web is served.
#[derive(Clone, Debug)]
pub struct TortureOptions {
    /// The port of all its addresses; 0 takes a free one.
    pub port: u16,
    /// Entries of the request log kept in memory.
    pub kept_entries: usize,
    /// A file that gets every entry of the request log.
    pub log_file: Option<PathBuf>,
    /// When hosts that ask for a sensible pause recover, from the server's start.
    pub recovers_after: Duration,
    /// The `Crawl-delay` of the host that has one, in whole seconds.
    pub crawl_delay: Duration,
    /// When the name that changes its address does so, from the server's start.
    pub rebinds_after: Duration,
    /// How late the slow name server is.
    pub slow_dns: Duration,
    /// Longest life of a connection to the raw listener.
    pub patience: Duration,
    /// Connections to the raw listener that are open at once.
    pub connections: usize,
    /// Where the endless answers end after all.
    pub endless_bytes: u64,
    /// Tries that a crawler may add to a failed one.
    pub retries: u32,
}

impl Default for TortureOptions {
    fn default() -> Self {
        Self {
            port: 0,
            kept_entries: KEPT_ENTRIES,
            log_file: None,
            recovers_after: Duration::from_secs(5),
            crawl_delay: Duration::from_secs(1),
            rebinds_after: Duration::from_secs(3),
            slow_dns: Duration::from_secs(1),
            patience: Duration::from_secs(30),
            connections: 256,
            endless_bytes: 64 << 20,
            retries: 3,
        }
    }
}

/// The torture web of one seed, as it is served on one port.
pub struct Torture {
    book: Book,
    /// The certificate authority of the TLS hosts, when they are served.
    ca: String,
}

impl Torture {
    /// The web without sockets: for drawing pages and reading the truth in-process.
    pub fn new(seed: u64, port: u16, options: TortureOptions) -> Self {
        let mut book = Book::new(seed, port, options);
        let lures = spaces::write(&mut book);
        ordinary::write(&mut book, &lures);
        redirects::write(&mut book);
        bombs::write(&mut book);
        text::write(&mut book);
        pace::write(&mut book);
        robots::write(&mut book);
        hints::write(&mut book);
        wire::write(&mut book);
        names::write(&mut book);
        tls::write(&mut book);
        book.bind();
        Self { book, ca: String::new() }
    }

    /// Serves the web of a seed on loopback, with its name server.
    pub async fn start(seed: u64, options: TortureOptions) -> Result<TortureServer, WebsError> {
        let log = Arc::new(open_log(options.kept_entries, options.log_file.as_deref())?);
        let sockets = Sockets::open(options.port).await?;
        let certificates = Certificates::new()?;
        let web = Arc::new(Self { ca: certificates.ca.clone(), ..Self::new(seed, sockets.port, options) });
        let numbers = Arc::<AtomicU64>::default();
        let served: Arc<dyn Web> = Arc::clone(&web) as Arc<dyn Web>;
        let mut server = Server::on(served, sockets.http, Arc::clone(&log), Arc::clone(&numbers));
        let scripts = Arc::clone(&web);
        let raw = raw::Raw {
            tls: false,
            log: Arc::clone(&log),
            numbers,
            connections: web.book.options.connections,
            patience: web.book.options.patience,
            script: Box::new(move |request| wire::script(&scripts.book, request)),
        };
        server.beside(raw.serve(sockets.raw, Spot::Raw.ip().into()));
        let tls = tls::Tls { web: Arc::clone(&web), shared: server.shared(), certificates };
        server.beside(tls.serve(sockets.tls, Spot::Tls.ip().into()));
        let questions = Arc::<Questions>::default();
        let names = web.book.names.clone();
        let name_server = NameServer { names, log, questions: Arc::clone(&questions) };
        server.beside(name_server.serve(sockets.dns));
        let refusing = sockets.refusing;
        server.beside(async move {
            // Bound, but not listening: the port stays ours, and connections to it are refused.
            let _refusing = refusing;
            std::future::pending().await
        });
        Ok(TortureServer { server, web, dns: sockets.dns_addr, questions })
    }

    /// What a well-behaved crawler makes of it.
    pub fn truth(&self) -> &TortureTruth {
        &self.book.truth
    }
}

impl Web for Torture {
    fn answer(&self, request: &Request) -> Answer {
        let book = &self.book;
        if request.path == "/_control/truth.json" {
            let body = serde_json::to_vec(&book.truth).expect("a truth has only plain fields");
            return Answer::new(200, "application/json", body);
        }
        if request.path == "/_control/ca.pem" {
            return Answer::new(200, "application/x-pem-file", self.ca.clone());
        }
        let Some(label) = book.label(&request.host) else {
            // Asked by its address: nobody has business here, so let it look worthwhile.
            return Answer::new(200, HTML, "<p>The inside of somebody's network.</p>\n");
        };
        let chapters = spaces::answer(book, label, request)
            .or_else(|| redirects::answer(book, label, request))
            .or_else(|| bombs::answer(label, request))
            .or_else(|| text::answer(book, label, request))
            .or_else(|| frames::answer(label, request))
            .or_else(|| pace::answer(book, label, request))
            .or_else(|| hints::answer(book, label, request))
            .or_else(|| robots::answer(book, label, request));
        if let Some(answer) = chapters {
            return answer;
        }
        if request.path == "/robots.txt" {
            return book.plain_robots(label);
        }
        match book.ordinary(label, &request.path) {
            Some(html) => Answer::new(200, HTML, html),
            None => Answer::new(404, HTML, "<p>Nothing here.</p>\n"),
        }
    }

    fn hosts(&self) -> Vec<String> {
        self.book.host_names()
    }

    fn hosts_file(&self, _: &[SocketAddr]) -> String {
        self.book.hosts_file()
    }
}

/// A running torture web. Dropping it closes every socket.
pub struct TortureServer {
    server: Server,
    web: Arc<Torture>,
    dns: SocketAddr,
    questions: Arc<Questions>,
}

impl TortureServer {
    /// Where a crawl starts.
    pub fn start_urls(&self) -> &[String] {
        &self.truth().starts
    }

    /// What a well-behaved crawler makes of the web.
    pub fn truth(&self) -> &TortureTruth {
        self.web.truth()
    }

    /// The requests of all listeners.
    pub fn log(&self) -> &RequestLog {
        self.server.log()
    }

    /// The address of the portal; all hosts have its port.
    pub fn addr(&self) -> SocketAddr {
        self.server.addr()
    }

    /// The name server (UDP).
    pub fn dns_addr(&self) -> SocketAddr {
        self.dns
    }

    /// The certificate authority of the TLS hosts, which a crawler must be told to trust (PEM).
    pub fn ca(&self) -> &str {
        &self.web.ca
    }

    /// The questions to the name server, oldest first.
    pub fn questions(&self) -> Vec<Question> {
        self.questions.all()
    }

    /// `address name` a line, for the names whose address is no mischief.
    pub fn hosts_file(&self) -> String {
        self.server.hosts_file()
    }

    /// The plain server, which carries everything; what else is known of the web is let go.
    pub fn into_server(self) -> Server {
        self.server
    }

    /// Closes the listeners and every connection, and waits until they are closed.
    pub async fn stop(self) {
        self.server.stop().await;
    }
}

struct Sockets {
    port: u16,
    http: Vec<(SocketAddr, TcpListener)>,
    raw: TcpListener,
    tls: TcpListener,
    refusing: TcpSocket,
    dns: UdpSocket,
    dns_addr: SocketAddr,
}

impl Sockets {
    async fn open(port: u16) -> Result<Self, WebsError> {
        let mut tries_left = if port == 0 { 20 } else { 1 };
        loop {
            tries_left -= 1;
            match Self::open_once(port).await {
                // A port that was free where others listen may be taken at the refusing address.
                Err(WebsError::PortInUse { .. }) if tries_left > 0 => {}
                result => return result,
            }
        }
    }

    async fn open_once(port: u16) -> Result<Self, WebsError> {
        let spots = [
            Spot::First,
            Spot::Second,
            Spot::Spaces,
            Spot::Answers,
            Spot::Pace,
            Spot::Robots,
            Spot::Raw,
            Spot::Tls,
        ];
        let ips = spots.iter().map(|spot| spot.ip()).chain([FORBIDDEN]);
        let mut http = listen(&ips.map(|ip| SocketAddr::from((ip, port))).collect::<Vec<_>>()).await?;
        let port = http[0].0.port();
        let mut take = |spot: Spot| {
            let place = http.iter().position(|(addr, _)| addr.ip() == IpAddr::from(spot.ip()));
            http.remove(place.expect("the address was listened on")).1
        };
        let (raw, tls) = (take(Spot::Raw), take(Spot::Tls));
        let refused = SocketAddr::from((Spot::Refused.ip(), port));
        let refusing = bound(refused).map_err(|source| failure(refused, source))?;
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let dns = UdpSocket::bind(wanted).await.map_err(|source| failure(wanted, source))?;
        let dns_addr = dns.local_addr().map_err(|source| failure(wanted, source))?;
        Ok(Self { port, http, raw, tls, refusing, dns, dns_addr })
    }
}

fn bound(addr: SocketAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(addr)?;
    Ok(socket)
}

fn failure(addr: SocketAddr, source: io::Error) -> WebsError {
    match source.kind() {
        io::ErrorKind::AddrInUse => WebsError::PortInUse { addr },
        _ => WebsError::Listen { addr, source },
    }
}
