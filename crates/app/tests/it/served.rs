//! A made-up Web served in this process, so that its request log can be read: the witness of all these tests.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use webs::log::LogEntry;
use webs::serve::ServeOptions;
use webs::{Answer, Request, Server, Web};

use crate::process::{LONGEST, eventually};

/// A web being served.
pub(crate) struct Served {
    server: Server,
    _runtime: Runtime,
}

impl Served {
    /// Serves on 127.0.0.1.
    pub(crate) fn start(web: Arc<dyn Web>) -> Served {
        Served::on(1, web)
    }

    /// Serves on this many loopback addresses; the web's hosts are shared out among them.
    pub(crate) fn on(addresses: u8, web: Arc<dyn Web>) -> Served {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let options = ServeOptions::on_loopbacks(addresses, 0);
        let server = runtime.block_on(Server::start_with(web, &options)).unwrap();
        Served { server, _runtime: runtime }
    }

    /// `http://127.0.0.1:port/`.
    pub(crate) fn start_url(&self) -> String {
        format!("{}/", self.server.base())
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.server.addr().port()
    }

    /// Which name is at which address.
    pub(crate) fn hosts_file(&self) -> String {
        self.server.hosts_file()
    }

    /// All requests so far.
    pub(crate) fn log(&self) -> Vec<LogEntry> {
        self.server.log().entries()
    }

    /// The number of the latest request; requests from here on are [`Served::since`] it.
    pub(crate) fn now(&self) -> u64 {
        self.server.log().entries().last().map_or(0, |entry| entry.sequence)
    }

    /// The requests after that number.
    pub(crate) fn since(&self, sequence: u64) -> Vec<LogEntry> {
        self.server.log().entries_from(sequence + 1)
    }

    /// Waits until `count` requests have come after that number, or `alive` says no more.
    #[track_caller]
    pub(crate) fn wait_for(&self, count: usize, sequence: u64, mut alive: impl FnMut() -> bool) {
        let what = format!("{count} requests reach the server");
        eventually(&what, LONGEST, || (self.since(sequence).len() >= count || !alive()).then_some(()));
    }
}

/// The URL that was asked for.
pub(crate) fn url(entry: &LogEntry) -> String {
    format!("http://{}{}", entry.host, entry.target)
}

/// The shortest time between two requests that have the same `key`, by the server's clock.
pub(crate) fn shortest_gaps(
    log: &[LogEntry],
    key: impl Fn(&LogEntry) -> String,
) -> BTreeMap<String, Duration> {
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    let mut shortest = BTreeMap::new();
    for entry in log {
        if let Some(before) = last.insert(key(entry), entry.us) {
            // The program counts whole milliseconds.
            let gap = Duration::from_millis((entry.us - before).div_ceil(1_000));
            let known = shortest.entry(key(entry)).or_insert(gap);
            *known = gap.min(*known);
        }
    }
    shortest
}

/// A web given by a function from host and path to the answer.
pub(crate) struct Small<F> {
    hosts: Vec<String>,
    answer: F,
}

/// A web of these hosts.
pub(crate) fn small<F>(hosts: &[&str], answer: F) -> Arc<dyn Web>
where
    F: Fn(&Request) -> Answer + Send + Sync + 'static,
{
    Arc::new(Small { hosts: hosts.iter().map(ToString::to_string).collect(), answer })
}

impl<F: Fn(&Request) -> Answer + Send + Sync + 'static> Web for Small<F> {
    fn answer(&self, request: &Request) -> Answer {
        (self.answer)(request)
    }

    fn hosts(&self) -> Vec<String> {
        self.hosts.clone()
    }
}

/// A page with these links.
pub(crate) fn page(links: impl IntoIterator<Item = impl AsRef<str>>) -> Answer {
    let links: String =
        links.into_iter().map(|to| format!("<p><a href=\"{0}\">{0}</a></p>\n", to.as_ref())).collect();
    Answer::new(200, "text/html", format!("<!doctype html><title>A page</title>\n{links}"))
}

/// A robots.txt.
pub(crate) fn robots(text: &str) -> Answer {
    Answer::new(200, "text/plain", text.to_owned())
}

/// Nothing there.
pub(crate) fn missing() -> Answer {
    Answer::new(404, "text/html", "<p>Nothing here.</p>")
}
