//! Hosts that speak TLS: good ones, those whose certificate proves nothing, those with which no
//! handshake ends, and those that fall silent after it.
//!
//! One listener for all of them, which tells them apart by the name in the client's hello. A connection
//! belongs to that name: a request for another one is answered 421. What is said in HTTP/2 on the hosts
//! `h2-…` is [`super::frames`]' affair.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::server::Acceptor;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use tokio_rustls::{LazyConfigAcceptor, StartHandshake};

use super::book::{Book, DOMAIN, Spot};
use super::certificates::Certificates;
use super::raw::{Act, Raw, Script, attend, read_head};
use super::truth::{Ending, Why};
use super::wire::{BODY, OK, say, send, told};
use super::{Torture, frames};
use crate::serve::{Place, Request, Secure, Shared, converse};

/// Good sites, by what they speak.
const SITES: [&str; 3] = ["tls-1-2", "tls-1-3", "h2"];
/// A certificate that proves nothing: such a host may never get a request.
const UNPROVEN: [&str; 6] =
    ["tls-expired", "tls-early", "tls-wrong-name", "tls-unknown", "tls-forged", "tls-self-signed"];
/// The first byte of a TLS handshake.
const HANDSHAKE: u8 = 22;
const DRIP: Duration = Duration::from_millis(100);

pub(super) fn write(book: &mut Book) {
    book.chapter("tls");
    for label in SITES {
        book.host(label, Spot::Tls);
        book.lead(book.url(label, "/"));
        book.site(label, &["/page.html", "/news/", "/news/1.html"], Vec::new());
    }
    let [tls, connect, timeout, broken] =
        [Why::Tls, Why::Connect, Why::Timeout, Why::Broken].map(Ending::from);
    for label in UNPROVEN {
        refuse(book, label, vec![tls.clone()]);
    }
    refuse(book, "tls-garbage", vec![tls.clone()]);
    refuse(book, "tls-alert", vec![tls.clone()]);
    refuse(book, "tls-1-0", vec![tls.clone()]);
    refuse(book, "tls-hello-flood", vec![tls.clone(), connect.clone(), broken.clone()]);
    refuse(book, "tls-long-chain", vec![tls.clone()]);
    let hung_up = vec![tls, connect, timeout.clone(), broken.clone(), Ending::Waiting];
    for label in ["tls-silent", "tls-drip", "tls-closed", "tls-reset", "tls-half"] {
        refuse(book, label, hung_up.clone());
    }
    for (label, endings) in
        [("tls-hushed", vec![timeout]), ("tls-truncated", vec![Ending::Fetched, broken.clone()])]
    {
        book.host(label, Spot::Tls);
        book.lead(book.url(label, "/"));
        book.expect(label, "/", endings, book.tries());
        book.lead(book.url(label, "/plain.html"));
        let first = book.truth.urls.len();
        book.page(label, "/plain.html", Vec::new());
        book.allow_requests(first, book.tries());
    }
    // The wrong protocol for the port, on hosts that are asked for good pages as well.
    let plain = book.url("tls-1-3", "/plain").replace("https:", "http:");
    book.lead(plain.clone());
    book.expect_url(plain, [Ending::from(Why::Status(400))], 1);
    let secure = book.url("alpha", "/secure").replace("http:", "https:");
    book.lead(secure.clone());
    book.expect_url(secure, [Ending::from(Why::Tls), broken, Why::Connect.into()], 0);
    frames::write(book);
}

/// A host with which no TLS can be agreed on, so that no request ever reaches it.
fn refuse(book: &mut Book, label: &str, endings: Vec<Ending>) {
    book.host(label, Spot::Tls);
    book.lead(book.url(label, "/"));
    book.draw(label, "/", Vec::new());
    book.expect(label, "/", endings, 0);
}

/// The TLS listener of one web.
pub(super) struct Tls {
    pub(super) web: Arc<Torture>,
    pub(super) shared: Arc<Shared>,
    pub(super) certificates: Certificates,
}

/// What one conversation needs.
struct Talk {
    tls: Tls,
    address: IpAddr,
    /// For clients that speak plain HTTP here.
    plain: Raw,
    /// For HTTP that a library refuses to speak.
    odd: Raw,
}

impl Tls {
    /// Serves until the task is aborted; then every connection closes.
    pub(super) async fn serve(self, listener: TcpListener, address: IpAddr) {
        let options = &self.web.book.options;
        let (connections, patience) = (options.connections, options.patience);
        let numbers = Arc::clone(&self.shared.connections);
        let raw = |tls: bool, script: Box<dyn Fn(&Request) -> Script + Send + Sync>| Raw {
            tls,
            log: Arc::clone(&self.shared.log),
            numbers: Arc::clone(&numbers),
            connections,
            patience,
            script,
        };
        let plain =
            raw(false, Box::new(|_| say(400, "HTTP/1.1 400 TLS Wanted\r\nContent-Length: 0\r\n\r\n")));
        let web = Arc::clone(&self.web);
        let odd = raw(true, Box::new(move |request| script(&web.book, request)));
        let talk = Arc::new(Talk { tls: self, address, plain, odd });
        attend(listener, connections, patience, &numbers, |stream, number| {
            let talk = Arc::clone(&talk);
            async move { talk.converse(stream, number).await }
        })
        .await;
    }
}

impl Talk {
    async fn converse(&self, stream: TcpStream, number: u64) {
        let _ = stream.set_nodelay(true);
        let mut first = [0];
        match stream.peek(&mut first).await {
            Ok(1) if first[0] == HANDSHAKE => {}
            Ok(1) => return self.plain.converse(stream, self.address, number).await,
            _ => return,
        }
        let Ok(start) = LazyConfigAcceptor::new(Acceptor::default(), stream).await else { return };
        let name = start.client_hello().server_name().unwrap_or_default().to_ascii_lowercase();
        let label = name.strip_suffix(DOMAIN).and_then(|name| name.strip_suffix('.')).unwrap_or_default();
        let Some(start) = self.no_handshake(start, label).await else { return };
        let Ok(stream) = start.into_stream(self.tls.certificates.of(label)).await else { return };
        let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        let place =
            Place { address: self.address, number, secure: Some(Secure { name: name.clone(), http2 }) };
        match label {
            "tls-hushed" | "tls-truncated" => self.misspeak(stream, number).await,
            _ if http2 && frames::is_odd(label) => {
                frames::converse(stream, label, &place, &self.tls.web, &self.tls.shared.log).await;
            }
            _ => converse(stream, place, &self.tls.shared).await,
        }
    }

    /// Ends the handshake before it has begun, if that is the host's way.
    async fn no_handshake(
        &self,
        start: StartHandshake<TcpStream>,
        label: &str,
    ) -> Option<StartHandshake<TcpStream>> {
        let alert = |version: u8, what: u8| send_bytes(&[21, 3, version, 0, 2, 2, what]);
        let acts = match label {
            "tls-silent" => vec![Act::Silence],
            "tls-closed" => Vec::new(),
            "tls-reset" => vec![Act::Reset],
            "tls-garbage" => vec![send("\x16\x03\x03\x00\x10this is no hello at all, and never was one")],
            // handshake_failure
            "tls-alert" => vec![alert(3, 40)],
            "tls-1-0" => vec![send_bytes(&old_hello())],
            "tls-hello-flood" => {
                // Records full of HelloRequests.
                let record = [&[HANDSHAKE, 3, 3, 0x40, 0][..], &[0; 0x4000]].concat();
                let bytes = self.tls.web.book.options.endless_bytes;
                vec![Act::Repeat { piece: record.into(), pause: Duration::ZERO, bytes }]
            }
            "tls-half" | "tls-drip" => {
                let mut io = start.io;
                let Ok(mut server) = start.accepted.into_connection(self.tls.certificates.of(label)) else {
                    return None;
                };
                let mut hello = Vec::new();
                let _ = server.write_tls(&mut hello);
                let half = &hello[..hello.len() / 2];
                if label == "tls-half" {
                    let _ = io.write_all(half).await;
                    return None;
                }
                for byte in half {
                    if io.write_all(&[*byte]).await.is_err() {
                        return None;
                    }
                    sleep(DRIP).await;
                }
                return None;
            }
            _ => return Some(start),
        };
        let mut io = start.io;
        for act in acts {
            if let Act::Reset = act {
                let _ = io.set_zero_linger();
            }
            if !play(&mut io, act).await {
                break;
            }
        }
        None
    }

    /// HTTP/1.1 with mischief, after a good handshake.
    async fn misspeak(&self, mut stream: impl AsyncRead + AsyncWrite + Unpin, number: u64) {
        let mut read = Vec::new();
        while let Some(head) = read_head(&mut stream, &mut read).await {
            let script = self.odd.answer(&head, self.address, number);
            for act in script.acts {
                if !play(&mut stream, act).await {
                    return;
                }
            }
            if !script.keep {
                return;
            }
        }
    }
}

fn script(book: &Book, request: &Request) -> Script {
    match (book.label(&request.host).unwrap_or_default(), request.path.as_str()) {
        ("tls-hushed", "/") => told(0, vec![Act::Silence]),
        // The connection ends within the body, without TLS's good-bye.
        ("tls-truncated", "/") => say(200, &format!("{OK}Content-Length: 5000\r\n\r\n{BODY}")),
        _ => super::wire::script(book, request),
    }
}

/// Does one thing to a connection; false when it is over.
pub(super) async fn play(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), act: Act) -> bool {
    match act {
        Act::Send(bytes) => stream.write_all(&bytes).await.is_ok() && stream.flush().await.is_ok(),
        Act::Repeat { piece, pause, bytes } => {
            let mut sent = 0;
            while sent < bytes && !piece.is_empty() {
                if stream.write_all(&piece).await.is_err() {
                    return false;
                }
                sent += piece.len() as u64;
                if !pause.is_zero() {
                    sleep(pause).await;
                }
            }
            stream.flush().await.is_ok()
        }
        Act::Silence => {
            let mut heard = [0; 4096];
            while matches!(stream.read(&mut heard).await, Ok(1..)) {}
            false
        }
        Act::Reset => false,
    }
}

/// The hello of a server that speaks nothing newer than TLS 1.0.
fn old_hello() -> Vec<u8> {
    let mut hello = vec![2, 0, 0, 38, 3, 1];
    hello.extend([7; 32]);
    // No session, TLS_RSA_WITH_AES_128_CBC_SHA, no compression.
    hello.extend([0, 0, 0x2f, 0]);
    [&[HANDSHAKE, 3, 1, 0, hello.len() as u8][..], &hello].concat()
}

fn send_bytes(bytes: &[u8]) -> Act {
    Act::Send(bytes.to_vec().into())
}
