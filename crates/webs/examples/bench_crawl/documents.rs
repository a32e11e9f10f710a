//! A server of real documentation pages: every site a folder, held in memory, on a loopback address of its own.
//!
//! As light as it can be, since it shares the machine with what is measured: answers are made once and written whole.
//! It counts what it was asked for, and says so when a line comes in on its standard input.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rcgen::{CertificateParams, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::Failure;

/// Links on one page of a site's list of all its pages, so that no crawler's limit of links is reached.
const LISTED: usize = 400;

/// How documents are served.
#[derive(Clone, Debug, Default)]
pub(crate) struct Serving {
    /// Over TLS; the certificate to trust is written to this file.
    pub(crate) certificate: Option<PathBuf>,
    /// Answers on one connection, after which it is closed; 0 = no limit.
    pub(crate) per_connection: u64,
    /// Sites at most; 0 = all.
    pub(crate) sites: usize,
}

/// What was asked for.
#[derive(Default)]
struct Counts {
    pages: AtomicU64,
    others: AtomicU64,
    connections: AtomicU64,
    resumed: AtomicU64,
}

/// A site: the whole answer for each path, with the length of its body.
type Site = HashMap<String, (Vec<u8>, u64)>;

/// Serves the folders in `folder` until the process ends; says where on the standard output.
pub(crate) async fn serve(folder: &Path, serving: Serving) -> Result<(), Failure> {
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    folders.sort();
    if serving.sites > 0 {
        folders.truncate(serving.sites);
    }
    let scheme = if serving.certificate.is_some() { "https" } else { "http" };
    let addresses: Vec<String> = (1..=folders.len()).map(|last| format!("127.0.0.{last}")).collect();
    let acceptor = serving.certificate.as_deref().map(|file| tls(&addresses, file)).transpose()?;
    let counts = Arc::new(Counts::default());
    let (mut port, mut starts) = (0, Vec::new());
    let (mut pages, mut bytes) = (0, 0);
    for (address, folder) in addresses.iter().zip(&folders) {
        let site = Arc::new(read(folder)?);
        pages += site.len();
        bytes += site.values().map(|(_, length)| length).sum::<u64>();
        let listener = TcpListener::bind(SocketAddr::new(address.parse()?, port)).await?;
        port = listener.local_addr()?.port();
        starts.push(format!("{scheme}://{address}:{port}/"));
        let (counts, acceptor, limit) = (counts.clone(), acceptor.clone(), serving.per_connection);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (site, counts, acceptor) = (site.clone(), counts.clone(), acceptor.clone());
                tokio::spawn(async move {
                    let _ = stream.set_nodelay(true);
                    counts.connections.fetch_add(1, Ordering::Relaxed);
                    match acceptor {
                        // A client that hangs up is no error of ours.
                        None => drop(converse(stream, &site, &counts, limit).await),
                        Some(acceptor) => {
                            if let Ok(stream) = acceptor.accept(stream).await {
                                let kind = stream.get_ref().1.handshake_kind();
                                let resumed = kind == Some(rustls::HandshakeKind::Resumed);
                                counts.resumed.fetch_add(u64::from(resumed), Ordering::Relaxed);
                                drop(converse(stream, &site, &counts, limit).await);
                            }
                        }
                    }
                });
            }
        });
    }
    println!("pages {pages} bytes {bytes}");
    println!("start {}", starts.join(" "));
    // A line in asks for a line out; when nobody can ask any more, nobody needs us.
    let ended = tokio::task::spawn_blocking(move || {
        for _ in std::io::stdin().lines().map_while(Result::ok) {
            let read = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
            let Counts { pages, others, connections, resumed } = &*counts;
            println!("{} {} {} {}", read(pages), read(others), read(connections), read(resumed));
        }
    });
    Ok(ended.await?)
}

/// Every page of a folder under its path, and lists of them all: `/` leads to those.
fn read(folder: &Path) -> Result<Site, Failure> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next)? {
            let path = entry?.path();
            // No links: they would show the same page twice.
            if path.symlink_metadata()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "html") && path.is_file() {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let mut site = Site::new();
    let mut names = Vec::new();
    for path in paths {
        let name = format!("/{}", path.strip_prefix(folder)?.to_string_lossy());
        if name.bytes().all(|byte| byte.is_ascii_graphic()) {
            site.insert(name.clone(), page(&std::fs::read(&path)?));
            names.push(name);
        }
    }
    let mut start = String::from("<!doctype html><title>All pages</title>\n");
    for (number, part) in names.chunks(LISTED).enumerate() {
        let mut list = format!("<!doctype html><title>Pages, part {number}</title>\n<ul>\n");
        for name in part {
            writeln!(list, "<li><a href=\"{name}\">{name}</a>")?;
        }
        site.insert(format!("/all-pages-{number}.html"), page(list.as_bytes()));
        writeln!(start, "<p><a href=\"/all-pages-{number}.html\">Part {number}</a>")?;
    }
    site.insert("/".to_owned(), page(start.as_bytes()));
    Ok(site)
}

fn page(body: &[u8]) -> (Vec<u8>, u64) {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: keep-alive\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    ([head.as_bytes(), body].concat(), body.len() as u64)
}

/// Answers requests without a body, one after the other.
async fn converse(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    site: &Site,
    counts: &Counts,
    limit: u64,
) -> std::io::Result<()> {
    let mut answers = 0;
    let mut buffer: Vec<u8> = Vec::with_capacity(4_096);
    loop {
        let end = loop {
            if let Some(at) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            if buffer.len() > 64 << 10 || stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        };
        let path = buffer.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
        let path = path.split(|byte| matches!(byte, b'?' | b'#')).next().unwrap_or_default();
        let path = std::str::from_utf8(path).unwrap_or_default();
        match site.get(path) {
            Some((answer, _)) => {
                counts.pages.fetch_add(1, Ordering::Relaxed);
                answers += 1;
                if answers == limit {
                    let (status, rest) = answer.split_at("HTTP/1.1 200 OK\r\n".len());
                    stream.write_all(&[status, b"Connection: close\r\n", rest].concat()).await?;
                    return stream.shutdown().await;
                }
                stream.write_all(answer).await?;
            }
            None => {
                counts.others.fetch_add(1, Ordering::Relaxed);
                stream
                    .write_all(
                        b"HTTP/1.1 404 Not Found\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
                    )
                    .await?;
            }
        }
        buffer.drain(..end);
    }
}

/// A certificate for these addresses, which clients find in `file`.
fn tls(addresses: &[String], file: &Path) -> Result<TlsAcceptor, Failure> {
    let key = KeyPair::generate()?;
    let own = CertificateParams::new(addresses.to_vec())?.self_signed(&key)?;
    std::fs::write(file, own.pem())?;
    let key = PrivateKeyDer::try_from(key.serialize_der())?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![own.der().clone()], key)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
