//! Proxies on loopback: HTTP and SOCKS5, with or without a login. Every name leads to this machine.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A running proxy.
pub struct TestProxy {
    /// Where it listens.
    pub address: SocketAddr,
    log: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

/// What a proxy speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    /// CONNECT, and whole URLs.
    Http,
    /// SOCKS5.
    Socks5,
}

impl TestProxy {
    /// Starts a proxy at this port, or at any when 0. It lets in who has this login, or anyone.
    pub async fn start(speaks: Speaks, login: Option<(&str, &str)>, port: u16) -> io::Result<TestProxy> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let log = Arc::new(Mutex::new(Vec::new()));
        let login = login.map(|(user, password)| (user.to_owned(), password.to_owned()));
        let shared = log.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, login) = (shared.clone(), login.clone());
                tokio::spawn(async move {
                    // What a client breaks off is its own affair.
                    let _ = match speaks {
                        Speaks::Http => http(stream, login, &log).await,
                        Speaks::Socks5 => socks(stream, login, &log).await,
                    };
                });
            }
        });
        Ok(TestProxy { address, log, task })
    }

    /// What it was asked for so far: `CONNECT name:port`, `GET URL`, `SOCKS name:port`; refused logins are `REFUSED`.
    pub fn asked(&self) -> Vec<String> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for TestProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type Login = Option<(String, String)>;

fn note(log: &Mutex<Vec<String>>, text: String) {
    log.lock().unwrap_or_else(PoisonError::into_inner).push(text);
}

#[expect(clippy::disallowed_methods, reason = "a test's own proxy, to this machine only")]
async fn onward(port: u16) -> io::Result<TcpStream> {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await
}

fn odd(what: &str) -> io::Error {
    io::Error::other(what.to_owned())
}

async fn http(mut stream: TcpStream, login: Login, log: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut words = head.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if let Some((user, password)) = login {
        // Written out here, so that the code under test is not what checks itself.
        let expected = base64(format!("{user}:{password}").as_bytes());
        let told = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("proxy-authorization").then_some(value)
        });
        if told != Some(&format!("Basic {expected}")) {
            note(log, "REFUSED".to_owned());
            return stream.write_all(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n").await;
        }
    }
    note(log, format!("{method} {target}"));
    let authority = target.strip_prefix("http://").unwrap_or(target);
    let (authority, path) = authority.split_at(authority.find('/').unwrap_or(authority.len()));
    let port = authority.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).unwrap_or(80);
    let Ok(mut site) = onward(port).await else {
        return stream.write_all(b"HTTP/1.1 502 Nobody there\r\nContent-Length: 0\r\n\r\n").await;
    };
    if method == "CONNECT" {
        stream.write_all(b"HTTP/1.1 200 Go ahead\r\n\r\n").await?;
    } else {
        let lines = head.lines().skip(1).filter(|line| !line.to_ascii_lowercase().starts_with("proxy-"));
        let lines: Vec<&str> = lines.collect();
        site.write_all(format!("{method} {path} HTTP/1.1\r\n{}\r\n", lines.join("\r\n")).as_bytes()).await?;
    }
    tokio::io::copy_bidirectional(&mut stream, &mut site).await.map(drop)
}

async fn socks(mut stream: TcpStream, login: Login, log: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut hello = [0; 2];
    stream.read_exact(&mut hello).await?;
    let mut methods = vec![0; usize::from(hello[1])];
    stream.read_exact(&mut methods).await?;
    if let Some((user, password)) = login {
        if !methods.contains(&2) {
            note(log, "REFUSED".to_owned());
            return stream.write_all(&[5, 255]).await;
        }
        stream.write_all(&[5, 2]).await?;
        stream.read_u8().await?;
        let told = (text(&mut stream).await?, text(&mut stream).await?);
        if told != (user, password) {
            note(log, "REFUSED".to_owned());
            return stream.write_all(&[1, 1]).await;
        }
        stream.write_all(&[1, 0]).await?;
    } else {
        stream.write_all(&[5, 0]).await?;
    }
    let mut request = [0; 4];
    stream.read_exact(&mut request).await?;
    let name = match request[3] {
        1 => {
            let mut octets = [0; 4];
            stream.read_exact(&mut octets).await?;
            Ipv4Addr::from(octets).to_string()
        }
        3 => text(&mut stream).await?,
        _ => return Err(odd("an address of another kind")),
    };
    let port = stream.read_u16().await?;
    note(log, format!("SOCKS {name}:{port}"));
    let Ok(mut site) = onward(port).await else {
        return stream.write_all(&[5, 5, 0, 1, 0, 0, 0, 0, 0, 0]).await;
    };
    stream.write_all(&[5, 0, 0, 1, 127, 0, 0, 1, 0, 0]).await?;
    tokio::io::copy_bidirectional(&mut stream, &mut site).await.map(drop)
}

async fn text(stream: &mut TcpStream) -> io::Result<String> {
    let mut bytes = vec![0; usize::from(stream.read_u8().await?)];
    stream.read_exact(&mut bytes).await?;
    String::from_utf8(bytes).map_err(|_| odd("not a text"))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let number =
            (0..3).fold(0u32, |number, place| number << 8 | u32::from(*chunk.get(place).unwrap_or(&0)));
        for place in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * place)) as usize & 63];
            out.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    out
}
