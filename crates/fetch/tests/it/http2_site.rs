//! TLS sites that speak HTTP/2 well, badly, or byte for byte as the test says.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use fetch::{Agent, FetchError, Fetcher, HttpFetcher, HttpSettings, Request};
use h2::server::SendResponse;
use model::{Fetched, PageUrl};
use net::{AddressGuard, Connector, ProcessClock, TlsSettings};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::server::{Act, NOW, ok, serve};

/// A stream of a site.
pub(crate) type Tls = TlsStream<TcpStream>;

/// The number of a connection and what was asked on it; HTTP/1.1 is marked.
pub(crate) type Log = Arc<Mutex<Vec<(usize, String)>>>;

pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) log: Log,
    ca: tempfile::NamedTempFile,
}

impl Site {
    /// A site for `a.test` and `b.test`. What it does in HTTP/2 is the test's; in HTTP/1.1 it says `old`.
    pub(crate) async fn start<F: Future<Output = ()> + Send + 'static>(
        protocols: &[&str],
        http2: impl Fn(usize, Tls, Log) -> F + Send + Sync + 'static,
    ) -> Site {
        let names = ["a.test".to_owned(), "b.test".to_owned()];
        let signed = rcgen::generate_simple_self_signed(names).unwrap();
        let ca = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(ca.path(), signed.cert.pem()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).unwrap();
        let mut config = config.with_single_cert(vec![signed.cert.der().clone()], key).unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let log = Log::default();
        let (shared, http2) = (log.clone(), Arc::new(http2));
        tokio::spawn(async move {
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, log, http2) = (acceptor.clone(), shared.clone(), http2.clone());
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                        return http2(connection, stream, log).await;
                    }
                    let script = move |_: usize, head: &str| {
                        let path = head.split(' ').nth(1).unwrap();
                        log.lock().unwrap().push((connection, format!("HTTP/1.1 {path}")));
                        Act::Send(ok("old"))
                    };
                    drop(serve(stream, connection, &Mutex::default(), &script).await);
                });
            }
        });
        Site { address, log, ca }
    }

    /// A site that speaks HTTP/2 well; `answer` gets the connection, the path and the means to answer.
    pub(crate) async fn well<F: Future<Output = ()> + Send + 'static>(
        answer: impl Fn(usize, String, SendResponse<Bytes>) -> F + Send + Sync + 'static,
    ) -> Site {
        let answer = Arc::new(answer);
        Site::start(&["h2", "http/1.1"], move |connection, stream, log| {
            let answer = answer.clone();
            async move {
                let Ok(mut accepted) = h2::server::handshake(stream).await else { return };
                while let Some(Ok((request, respond))) = accepted.accept().await {
                    let path = request.uri().path().to_owned();
                    log.lock().unwrap().push((connection, path.clone()));
                    tokio::spawn(answer(connection, path, respond));
                }
            }
        })
        .await
    }

    /// A site that answers one request of each connection with these frames, then with the last of them again and
    /// again where `endless`. `written` counts its bytes, and is complete when the line has been closed.
    pub(crate) async fn raw(
        frames: Vec<Vec<u8>>,
        endless: bool,
    ) -> (Site, Arc<tokio::sync::watch::Sender<Written>>) {
        let written = Arc::new(tokio::sync::watch::Sender::new(Written::default()));
        let (counter, frames) = (written.clone(), Arc::new(frames));
        let site = Site::start(&["h2", "http/1.1"], move |connection, stream, log| {
            let (counter, frames) = (counter.clone(), frames.clone());
            async move {
                let (mut from, mut to) = tokio::io::split(stream);
                wait_for_request(&mut from).await;
                log.lock().unwrap().push((connection, "raw".to_owned()));
                let drain = tokio::spawn(async move { while from.read_u8().await.is_ok() {} });
                let again = frames.last().filter(|_| endless);
                let settings = frame(4, 0, 0, &[]);
                let all = std::iter::once(&settings).chain(frames.iter());
                for bytes in all.chain(std::iter::repeat_n(again, usize::MAX).map_while(|again| again)) {
                    if tokio::io::AsyncWriteExt::write_all(&mut to, bytes).await.is_err() {
                        break;
                    }
                    counter.send_modify(|written| written.bytes += bytes.len());
                }
                drop(tokio::io::AsyncWriteExt::flush(&mut to).await);
                // Until the client closes the line.
                drop(drain.await);
                counter.send_modify(|written| written.closed += 1);
            }
        })
        .await;
        (site, written)
    }

    /// Settings that trust it.
    pub(crate) fn tls(&self) -> TlsSettings {
        TlsSettings { ca: vec![self.ca.path().to_owned()], accept_invalid: false }
    }

    pub(crate) fn seen(&self) -> Vec<(usize, String)> {
        self.log.lock().unwrap().clone()
    }
}

/// What a raw site has done.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) bytes: usize,
    pub(crate) closed: usize,
}

/// One frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = vec![length[1], length[2], length[3], kind, flags];
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// Reads the client's preface and frames up to the first HEADERS.
async fn wait_for_request(from: &mut (impl tokio::io::AsyncRead + Unpin)) {
    let mut preface = [0; 24];
    from.read_exact(&mut preface).await.unwrap();
    loop {
        let mut head = [0; 9];
        if from.read_exact(&mut head).await.is_err() {
            return;
        }
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        from.read_exact(&mut payload).await.unwrap();
        if head[3] == 1 {
            return;
        }
    }
}

/// Answers with this body.
pub(crate) async fn say(mut respond: SendResponse<Bytes>, body: &str) {
    let response = http::Response::builder().header("X-From", "h2").body(()).unwrap();
    let mut stream = respond.send_response(response, false).unwrap();
    stream.send_data(Bytes::copy_from_slice(body.as_bytes()), true).unwrap();
}

pub(crate) fn fetcher_with(site: &Site, change: impl FnOnce(&mut HttpSettings)) -> HttpFetcher {
    let guard = Arc::new(AddressGuard { allow_private: true, allow: Vec::new() });
    let tls = site.tls();
    let connector = Connector::new(guard, &tls).unwrap();
    let mut settings = HttpSettings::new(Agent::new("gannet", &[]).unwrap());
    change(&mut settings);
    HttpFetcher::new(connector, Arc::new(ProcessClock::start()), settings)
}

pub(crate) fn fetcher(site: &Site) -> HttpFetcher {
    fetcher_with(site, |_| {})
}

pub(crate) fn request(site: &Site, name: &str, path: &str) -> Request {
    let url = PageUrl::parse(&format!("https://{name}:{}{path}", site.address.port())).unwrap();
    Request::new(url, IpAddr::V4(Ipv4Addr::LOCALHOST), NOW)
}

pub(crate) async fn get(fetcher: &HttpFetcher, site: &Site, path: &str) -> Result<Fetched, FetchError> {
    fetcher.fetch(request(site, "a.test", path)).await.map(|answer| answer.fetched().clone())
}
