//! A server that answers whatever the test says, byte for byte, and a fetcher to ask it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fetch::{Agent, Answer, FetchError, Fetcher, HttpFetcher, HttpSettings, Limits, Request};
use model::{Fetched, PageUrl, Timestamp};
use net::{AddressGuard, Connector, ProcessClock, TlsSettings};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What the server does after one request.
#[derive(Clone)]
pub(crate) enum Act {
    /// Send this and wait for the next request.
    Send(Vec<u8>),
    /// Send this and hang up.
    SendAndClose(Vec<u8>),
    /// Send this, then nothing more, and keep the line open.
    SendAndHang(Vec<u8>),
    /// Send the first, then the second again and again, a pause before each.
    Drip(Vec<u8>, Vec<u8>, Duration),
    /// Hang up with a reset instead of an answer.
    Reset,
}

/// One request as the server saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Which connection, from 0.
    pub(crate) connection: usize,
    /// The request's head.
    pub(crate) head: String,
}

/// A running server.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    /// How many connections are open.
    open: watch::Receiver<usize>,
}

impl Server {
    /// Starts a server; `script` gets the number of the request, from 0, and its head.
    pub(crate) async fn start(script: impl Fn(usize, &str) -> Act + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        let script = Arc::new(script);
        let (count, open) = watch::channel(0);
        tokio::spawn(async move {
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let (log, script, count) = (log.clone(), script.clone(), count.clone());
                count.send_modify(|open| *open += 1);
                tokio::spawn(async move {
                    let reset = serve(stream, connection, &log, &*script).await;
                    if let Some(stream) = reset {
                        // Closing with unsent data thrown away makes the kernel send a reset.
                        stream.set_zero_linger().unwrap();
                    }
                    count.send_modify(|open| *open -= 1);
                });
            }
        });
        Server { address, seen, open }
    }

    /// A server that gives every request the same answer and keeps the line open.
    pub(crate) async fn with(answer: impl Into<Vec<u8>>) -> Server {
        let answer = answer.into();
        Server::start(move |_, _| Act::Send(answer.clone())).await
    }

    pub(crate) fn url(&self, path: &str) -> PageUrl {
        PageUrl::parse(&format!("http://{}{path}", self.address)).unwrap()
    }

    /// Waits until all connections have been closed.
    pub(crate) async fn is_left_alone(&self) {
        self.open.clone().wait_for(|open| *open == 0).await.unwrap();
    }

    /// Waits until so many connections are open.
    pub(crate) async fn has_connections(&self, count: usize) {
        self.open.clone().wait_for(|open| *open >= count).await.unwrap();
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

/// Serves one connection until it ends; gives the stream back when it is to be reset.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    connection: usize,
    log: &Mutex<Vec<Seen>>,
    script: &(dyn Fn(usize, &str) -> Act + Send + Sync),
) -> Option<S> {
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            match stream.read_u8().await {
                Ok(byte) => head.push(byte),
                Err(_) => return None,
            }
        }
        let head = String::from_utf8(head).unwrap();
        let number = {
            let mut log = log.lock().unwrap();
            log.push(Seen { connection, head: head.clone() });
            log.len() - 1
        };
        match script(number, &head) {
            Act::Send(bytes) => stream.write_all(&bytes).await.ok()?,
            Act::SendAndClose(bytes) => {
                stream.write_all(&bytes).await.ok()?;
                stream.shutdown().await.ok()?;
                return None;
            }
            Act::SendAndHang(bytes) => {
                stream.write_all(&bytes).await.ok()?;
                // Until the client gives up.
                while stream.read_u8().await.is_ok() {}
                return None;
            }
            Act::Drip(first, drop, pause) => {
                stream.write_all(&first).await.ok()?;
                loop {
                    tokio::time::sleep(pause).await;
                    stream.write_all(&drop).await.ok()?;
                }
            }
            Act::Reset => return Some(stream),
        }
    }
}

pub(crate) const NOW: Timestamp = Timestamp(1_800_000_000_000);

pub(crate) fn fetcher_with(change: impl FnOnce(&mut HttpSettings)) -> HttpFetcher {
    let guard = Arc::new(AddressGuard { allow_private: true, allow: Vec::new() });
    let connector = Connector::new(guard, &TlsSettings::default()).unwrap();
    let agent = Agent::new("gannet/0.1 (+http://example.org/)", &[]).unwrap();
    let mut settings = HttpSettings::new(agent);
    change(&mut settings);
    HttpFetcher::new(connector, Arc::new(ProcessClock::start()), settings)
}

pub(crate) fn fetcher() -> HttpFetcher {
    fetcher_with(|_| {})
}

/// A fetcher whose patience fits a test.
pub(crate) fn hasty(total: u64, window: u64) -> HttpFetcher {
    fetcher_with(|settings| {
        settings.limits = Limits {
            total: Duration::from_millis(total),
            rate_window: Duration::from_millis(window),
            connect: Duration::from_millis(total),
            ..Limits::default()
        };
    })
}

pub(crate) fn request(server: &Server, path: &str) -> Request {
    Request::new(server.url(path), IpAddr::V4(Ipv4Addr::LOCALHOST), NOW)
}

pub(crate) async fn get(fetcher: &HttpFetcher, server: &Server, path: &str) -> Result<Fetched, FetchError> {
    fetcher.fetch(request(server, path)).await.map(|answer| match answer {
        Answer::Fetched(fetched) => fetched,
        Answer::Unwanted { what, .. } => panic!("unwanted: {what}"),
    })
}

/// An answer with its length.
pub(crate) fn ok(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}
