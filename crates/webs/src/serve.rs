//! Carries a made-up Web over HTTP on loopback: connections, virtual hosts, log, stop.
//!
//! What is answered is the web's business ([`Web::answer`]); here are only the sockets and the
//! two control URLs every web has: `/_control/log` (JSON lines, `?from=SEQUENCE`) and
//! `/_control/hosts` (the hosts file).

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::WebsError;
use crate::log::{Arrival, KEPT_ENTRIES, RequestLog};

/// A made-up Web: every answer follows from the request, the seed and the epoch.
pub trait Web: Send + Sync + 'static {
    /// The answer to one request. Called on the server's threads: it must not block or wait.
    fn answer(&self, request: &Request) -> Answer;

    /// The names this web is served under, for the hosts file.
    fn hosts(&self) -> Vec<String>;

    /// The hosts file when the web is served on `addresses`: its names take them in turn.
    fn hosts_file(&self, addresses: &[SocketAddr]) -> String {
        let lines = self.hosts().into_iter().zip(addresses.iter().cycle());
        lines.map(|(name, address)| format!("{} {name}\n", address.ip())).collect()
    }
}

/// One request, its body read.
#[derive(Clone, Debug)]
pub struct Request {
    /// `name:port` from the Host header, or the address that was asked when it is missing or odd.
    pub host: String,
    /// The method, in upper case.
    pub method: String,
    /// The path, as sent.
    pub path: String,
    /// What follows the question mark.
    pub query: Option<String>,
    /// Header names in lower case, with values.
    pub headers: Vec<(String, String)>,
    /// The body, at most 64 KiB.
    pub body: Bytes,
    /// Time since the server's start when the head arrived.
    pub since_start: Duration,
}

impl Request {
    /// A GET request as if it came from the network, for drawing pages in-process.
    pub fn get(host: &str, target: &str) -> Self {
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (target, None),
        };
        Self {
            host: host.to_owned(),
            method: "GET".to_owned(),
            path: path.to_owned(),
            query,
            headers: Vec::new(),
            body: Bytes::new(),
            since_start: Duration::ZERO,
        }
    }

    /// The value of a header; the name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Path and query.
    pub fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// `http://name:port`, without a slash.
    pub fn base(&self) -> String {
        format!("http://{}", self.host)
    }

    /// The value of a parameter in the query or, for a POST, in the form that was sent.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let form = std::str::from_utf8(&self.body).unwrap_or_default();
        let query = self.query.as_deref().unwrap_or_default();
        let pairs = query.split('&').chain(form.split('&'));
        let value = pairs.filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name)?.1;
        Some(percent_decoded(value))
    }
}

/// One answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Headers in order; the length is added by the server.
    pub headers: Vec<(String, String)>,
    /// The body, already encoded.
    pub body: Bytes,
    /// How long the server waits before it answers.
    pub delay: Duration,
}

impl Answer {
    /// An answer of one content type.
    pub fn new(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        let mut answer = Self { status, headers: Vec::new(), body: body.into(), delay: Duration::ZERO };
        if !content_type.is_empty() {
            answer = answer.with("content-type", content_type);
        }
        answer
    }

    /// The same with one more header.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// A redirect to `location`.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::new(status, "text/html; charset=utf-8", "<p>See elsewhere.</p>\n").with("location", location)
    }

    /// The value of a header; the name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// How a web is served.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Loopback addresses to listen on. Port 0 takes a free one, the same for all addresses.
    pub addresses: Vec<SocketAddr>,
    /// Entries of the request log kept in memory.
    pub kept_entries: usize,
    /// A file that gets every entry of the request log.
    pub log_file: Option<PathBuf>,
}

impl ServeOptions {
    /// Listens on one address.
    pub fn on(addr: SocketAddr) -> Self {
        Self { addresses: vec![addr], kept_entries: KEPT_ENTRIES, log_file: None }
    }

    /// Listens on `count` addresses, 127.0.0.1 and following, all with the same port.
    pub fn on_loopbacks(count: u8, port: u16) -> Self {
        let address = |last| SocketAddr::from((Ipv4Addr::new(127, 0, 0, last), port));
        Self { addresses: (1..=count.clamp(1, 254)).map(address).collect(), ..Self::on(address(1)) }
    }
}

/// A running server. Dropping it closes every socket.
pub struct Server {
    addresses: Vec<SocketAddr>,
    shared: Arc<Shared>,
    tasks: JoinSet<()>,
}

/// What all connections of a server share.
pub(crate) struct Shared {
    pub(crate) web: Arc<dyn Web>,
    pub(crate) log: Arc<RequestLog>,
    /// Numbers the connections.
    pub(crate) connections: Arc<AtomicU64>,
    slots: Arc<Semaphore>,
    addresses: Vec<SocketAddr>,
}

/// Connections open at once; more wait in the system's queue.
const MAX_CONNECTIONS: usize = 4_096;
const MAX_REQUEST_BODY: usize = 64 * 1024;
const BODY_PATIENCE: Duration = Duration::from_secs(10);

impl Server {
    /// Serves `web` on one loopback address; port 0 takes a free one.
    pub async fn start(web: Arc<dyn Web>, addr: SocketAddr) -> Result<Self, WebsError> {
        Self::start_with(web, &ServeOptions::on(addr)).await
    }

    /// Serves `web` as the options say.
    pub async fn start_with(web: Arc<dyn Web>, options: &ServeOptions) -> Result<Self, WebsError> {
        let listeners = listen(&options.addresses).await?;
        let log = Arc::new(open_log(options.kept_entries, options.log_file.as_deref())?);
        Ok(Self::on(web, listeners, log, Arc::default()))
    }

    /// Serves `web` on open listeners, with a log and connection numbers that others may share.
    pub(crate) fn on(
        web: Arc<dyn Web>,
        listeners: Vec<(SocketAddr, TcpListener)>,
        log: Arc<RequestLog>,
        connections: Arc<AtomicU64>,
    ) -> Self {
        let addresses: Vec<SocketAddr> = listeners.iter().map(|(addr, _)| *addr).collect();
        let shared = Arc::new(Shared {
            web,
            log,
            connections,
            slots: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
            addresses: addresses.clone(),
        });
        let mut tasks = JoinSet::new();
        for (addr, listener) in listeners {
            tasks.spawn(accept(listener, addr, Arc::clone(&shared)));
        }
        Self { addresses, shared, tasks }
    }

    /// Runs something else that belongs to the web; it ends with the server.
    pub(crate) fn beside(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(task);
    }

    /// What the connections share, for another listener of the same web.
    pub(crate) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    /// The (first) address.
    pub fn addr(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// All addresses.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// `http://address:port` of the first address, without a slash.
    pub fn base(&self) -> String {
        format!("http://{}", self.addr())
    }

    /// The request log.
    pub fn log(&self) -> &RequestLog {
        &self.shared.log
    }

    /// `address name` a line, for a crawler that should find the web's hosts here.
    pub fn hosts_file(&self) -> String {
        self.shared.web.hosts_file(&self.addresses)
    }

    /// Closes the listeners and every connection, and waits until they are closed.
    pub async fn stop(mut self) {
        self.tasks.shutdown().await;
    }
}

/// A request log with these bounds.
pub(crate) fn open_log(kept: usize, file: Option<&Path>) -> Result<RequestLog, WebsError> {
    RequestLog::new(kept, file)
        .map_err(|source| WebsError::Log { path: file.map(Path::to_path_buf).unwrap_or_default(), source })
}

/// Listens on loopback addresses; the same port on all of them.
pub(crate) async fn listen(addresses: &[SocketAddr]) -> Result<Vec<(SocketAddr, TcpListener)>, WebsError> {
    if let Some(&addr) = addresses.iter().find(|addr| !addr.ip().is_loopback()) {
        return Err(WebsError::NotLoopback { addr });
    }
    let wanted_port = addresses.first().ok_or(WebsError::NoAddress)?.port();
    let mut tries_left = if wanted_port == 0 { 20 } else { 1 };
    loop {
        tries_left -= 1;
        match listen_once(addresses).await {
            // A port that was free on the first address may be taken on another one.
            Err(WebsError::PortInUse { .. }) if tries_left > 0 => {}
            result => return result,
        }
    }
}

async fn listen_once(addresses: &[SocketAddr]) -> Result<Vec<(SocketAddr, TcpListener)>, WebsError> {
    let mut listeners: Vec<(SocketAddr, TcpListener)> = Vec::new();
    for &wanted in addresses {
        let mut addr = wanted;
        if let (0, Some((first, _))) = (addr.port(), listeners.first()) {
            addr.set_port(first.port());
        }
        let refused = |source: io::Error| match source.kind() {
            io::ErrorKind::AddrInUse => WebsError::PortInUse { addr },
            _ => WebsError::Listen { addr, source },
        };
        let listener = TcpListener::bind(addr).await.map_err(refused)?;
        let bound = listener.local_addr().map_err(refused)?;
        listeners.push((bound, listener));
    }
    Ok(listeners)
}

async fn accept(listener: TcpListener, addr: SocketAddr, shared: Arc<Shared>) {
    // Connections belong to this task: when it is aborted, they close.
    let mut connections = JoinSet::new();
    loop {
        let Ok(slot) = Arc::clone(&shared.slots).acquire_owned().await else { return };
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else {
                    // Out of descriptors: give the open connections time to end.
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    continue;
                };
                let number = shared.connections.fetch_add(1, Ordering::Relaxed) + 1;
                let shared = Arc::clone(&shared);
                connections.spawn(async move {
                    let _ = stream.set_nodelay(true);
                    converse(stream, Place { address: addr.ip(), number, secure: None }, &shared).await;
                    drop(slot);
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Where a conversation takes place.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The address that was asked.
    pub(crate) address: IpAddr,
    /// The number of the connection.
    pub(crate) number: u64,
    /// How TLS was agreed on, where it was.
    pub(crate) secure: Option<Secure>,
}

/// What the client and the server agreed on.
#[derive(Clone, Debug)]
pub(crate) struct Secure {
    /// The name for which the client opened the connection.
    pub(crate) name: String,
    /// HTTP/2 instead of HTTP/1.1.
    pub(crate) http2: bool,
}

/// Answers on one connection until it ends.
pub(crate) async fn converse(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    place: Place,
    shared: &Arc<Shared>,
) {
    let http2 = place.secure.as_ref().is_some_and(|secure| secure.http2);
    let owned = Arc::clone(shared);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let (shared, place) = (Arc::clone(&owned), place.clone());
        async move { Ok::<_, Infallible>(respond(request, &place, &shared).await) }
    });
    // The wall clock has no place in a made-up Web. A client that hangs up is no error of ours.
    if http2 {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        let _ = builder.auto_date_header(false).serve_connection(TokioIo::new(stream), service).await;
    } else {
        let mut builder = http1::Builder::new();
        let _ = builder.auto_date_header(false).serve_connection(TokioIo::new(stream), service).await;
    }
}

/// Fills the status in even when the client goes away before the answer.
struct Pending<'a> {
    log: &'a RequestLog,
    sequence: u64,
    status: u16,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.log.answered(self.sequence, self.status);
    }
}

async fn respond(
    request: hyper::Request<Incoming>,
    place: &Place,
    shared: &Shared,
) -> hyper::Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    let header = |name| head.headers.get(name).map(|value: &http::HeaderValue| value.as_bytes());
    let text = |name| String::from_utf8_lossy(header(name).unwrap_or_default()).into_owned();
    // HTTP/2 names the host beside the path.
    let host = match head.uri.authority() {
        Some(authority) if header("host").is_none() => authority.to_string(),
        _ => text("host"),
    };
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let since_start = shared.log.since_start();
    let sequence = shared.log.arrived(Arrival {
        host: host.clone(),
        address: place.address.to_string(),
        connection: place.number,
        tls: place.secure.is_some(),
        method: head.method.to_string(),
        target: target.to_owned(),
        agent: text("user-agent"),
    });
    let mut pending = Pending { log: &shared.log, sequence, status: 0 };

    let read = Limited::new(body, MAX_REQUEST_BODY).collect();
    let answer = match tokio::time::timeout(BODY_PATIENCE, read).await {
        Ok(Ok(body)) => {
            let mut asked = Request::get(&host_asked(&host, place.address, shared), target);
            asked.method = head.method.to_string();
            asked.headers = head
                .headers
                .iter()
                .map(|(name, value)| {
                    (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
                })
                .collect();
            asked.body = body.to_bytes();
            asked.since_start = since_start;
            let stranger = place.secure.as_ref().is_some_and(|secure| !is_of(&secure.name, &asked.host));
            match control(&asked, shared) {
                _ if stranger => misdirected(),
                Some(answer) => answer,
                None => shared.web.answer(&asked),
            }
        }
        Ok(Err(_)) => Answer::new(413, "text/plain", "the request body is too long\n"),
        Err(_) => Answer::new(408, "text/plain", "the request body did not arrive\n"),
    };
    pending.status = answer.status;
    // Logged before the delay: what counts is when the request came and what it was told.
    drop(pending);
    if !answer.delay.is_zero() {
        tokio::time::sleep(answer.delay).await;
    }
    into_http(answer)
}

/// Whether `host` (`name:port`) is the name that a connection was opened for.
pub(crate) fn is_of(name: &str, host: &str) -> bool {
    host.split(':').next().unwrap_or(host).eq_ignore_ascii_case(name)
}

/// A connection for one name is none for another, even where certificate and address are the same.
pub(crate) fn misdirected() -> Answer {
    Answer::new(421, "text/plain", "this connection was opened for another name\n")
}

fn control(request: &Request, shared: &Shared) -> Option<Answer> {
    match request.path.as_str() {
        "/_control/log" => {
            let from = request.parameter("from").and_then(|from| from.parse().ok()).unwrap_or(0);
            Some(Answer::new(200, "application/jsonl", shared.log.json_lines(from)))
        }
        "/_control/hosts" => Some(Answer::new(200, "text/plain", shared.web.hosts_file(&shared.addresses))),
        _ => None,
    }
}

/// The Host header when it looks like one: it is printed into pages and truths.
fn host_asked(header: &str, address: IpAddr, shared: &Shared) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-:[]_".contains(c);
    if !header.is_empty() && header.len() <= 300 && header.chars().all(plain) {
        return header.to_ascii_lowercase();
    }
    let port = shared.addresses.first().map_or(80, SocketAddr::port);
    SocketAddr::new(address, port).to_string()
}

fn into_http(answer: Answer) -> hyper::Response<Full<Bytes>> {
    let mut response = hyper::Response::builder().status(answer.status);
    for (name, value) in &answer.headers {
        response = response.header(name.as_str(), value.as_bytes());
    }
    response.body(Full::new(answer.body)).unwrap_or_else(|_| {
        let mut response = hyper::Response::new(Full::new(Bytes::new()));
        *response.status_mut() = http::StatusCode::INTERNAL_SERVER_ERROR;
        response
    })
}

/// Form decoding: `+` is a space, `%41` is `A`, anything broken stays as it is.
fn percent_decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match (first, digits.and_then(|two| u8::from_str_radix(two, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            (b'+', _) => {
                bytes.push(b' ');
                rest = tail;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        let check = |target: &str, name: &str, expected: Option<&str>| {
            let found = Request::get("demo.test", target).parameter(name);
            assert_eq!(found.as_deref(), expected, "{target}");
        };
        check("/a?set=4", "set", Some("4"));
        check("/a?x=1&set=a+b%2Fc", "set", Some("a b/c"));
        check("/a?set=%zz%4", "set", Some("%zz%4"));
        check("/a", "set", None);
    }
}
