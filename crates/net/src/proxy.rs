//! The way through a proxy: HTTP (CONNECT) and SOCKS5. Which proxy, and whether it is well, is left to others.
//!
//! The user named the proxy, so its own address is not guarded. What is asked for through it is: where names are
//! resolved here by their address, elsewhere as far as the name itself is an address.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::connect::open;
use crate::{ConnectError, Connector, Stream, Tls};

/// A proxy as the user named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    /// What it speaks.
    pub kind: ProxyKind,
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Who we are to it.
    pub login: Option<Login>,
}

/// What a proxy speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyKind {
    /// HTTP: CONNECT for https, whole URLs for http.
    Http,
    /// SOCKS version 5.
    Socks5,
}

/// User and password. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// The user.
    pub user: String,
    /// The password.
    pub password: String,
}

/// Whom to ask for behind a proxy.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its port.
    pub port: u16,
    /// Its address, where the name was resolved here; else the proxy resolves it.
    pub address: Option<IpAddr>,
}

/// Longest answer of a proxy that is read.
const LONGEST_ANSWER: usize = 16 * 1024;

impl Proxy {
    /// `host:port`, without login.
    pub fn label(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// The value of `Proxy-Authorization`.
    pub fn authorization(&self) -> Option<String> {
        let login = self.login.as_ref()?;
        Some(format!("Basic {}", STANDARD.encode(format!("{}:{}", login.user, login.password))))
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login(…)")
    }
}

/// Why a proxy did not bring us there.
enum Refusal {
    /// It does not work for us at all.
    Proxy(String),
    /// It works, and does not reach the target.
    Target(String),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Proxy(error.to_string())
    }
}

impl Connector {
    /// Connects to `target` through a proxy whose own address is `at`. Where an HTTP proxy is asked for a plain http
    /// site, the connection is to the proxy itself, which wants whole URLs.
    pub async fn connect_via(
        &self,
        proxy: &Proxy,
        at: SocketAddr,
        target: Target<'_>,
        tls: Option<Tls<'_>>,
        limit: Duration,
    ) -> Result<Stream, ConnectError> {
        if let Some(address) = target.address.or_else(|| literal_address(target.name)) {
            self.guard.check_socket(SocketAddr::new(address, target.port))?;
        }
        let label = proxy.label();
        let broken = |reason: String| ConnectError::Proxy { proxy: label.clone(), reason };
        let mut tcp = match tokio::time::timeout(limit, open(at)).await {
            Ok(Ok(tcp)) => tcp,
            Ok(Err(error)) => return Err(broken(error.to_string())),
            Err(_) => return Err(broken(format!("no connection within {limit:?}"))),
        };
        let through = |reason: String, silent: bool| ConnectError::Through {
            proxy: label.clone(),
            target: authority(&target),
            reason,
            silent,
        };
        let reaching = async {
            let reached = match (proxy.kind, tls) {
                (ProxyKind::Http, None) => Ok(()),
                (ProxyKind::Http, Some(_)) => tunnel(&mut tcp, proxy, &target).await,
                (ProxyKind::Socks5, _) => socks(&mut tcp, proxy, &target).await,
            };
            reached.map_err(|refusal| match refusal {
                Refusal::Proxy(reason) => broken(reason),
                Refusal::Target(reason) => through(reason, false),
            })?;
            match tls {
                None => Ok(Stream::Plain(tcp)),
                Some(tls) => self.encrypt(tcp, at, tls).await,
            }
        };
        match tokio::time::timeout(limit, reaching).await {
            Ok(result) => result,
            Err(_) => Err(through(format!("no answer within {limit:?}"), true)),
        }
    }
}

/// The address that a name is or always means, without asking anyone.
pub fn literal_address(name: &str) -> Option<IpAddr> {
    if name == "localhost" || name.ends_with(".localhost") {
        return Some(IpAddr::from([127, 0, 0, 1]));
    }
    name.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn authority(target: &Target<'_>) -> String {
    match target.address {
        Some(address) => SocketAddr::new(address, target.port).to_string(),
        None => match literal_address(target.name) {
            Some(IpAddr::V6(address)) => format!("[{address}]:{}", target.port),
            _ => format!("{}:{}", target.name, target.port),
        },
    }
}

/// HTTP's CONNECT.
async fn tunnel<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    proxy: &Proxy,
    target: &Target<'_>,
) -> Result<(), Refusal> {
    let to = authority(target);
    let mut request = format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n");
    if let Some(authorization) = proxy.authorization() {
        request.push_str(&format!("Proxy-Authorization: {authorization}\r\n"));
    }
    request.push_str("\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut head = Vec::new();
    // Byte by byte, so that nothing of what follows is swallowed.
    while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
        if head.len() >= LONGEST_ANSWER {
            return Err(Refusal::Proxy("its answer does not end".to_owned()));
        }
        head.push(stream.read_u8().await?);
    }
    match status(&head) {
        Some(200..=299) => Ok(()),
        Some(407) => Err(Refusal::Proxy("it refuses our login".to_owned())),
        Some(status @ (429 | 500 | 501)) => Err(Refusal::Proxy(format!("status {status}"))),
        Some(status) => Err(Refusal::Target(format!("status {status}"))),
        None => Err(Refusal::Proxy("it does not answer in HTTP".to_owned())),
    }
}

fn status(head: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(head.split(|byte| *byte == b'\n').next()?).ok()?;
    let rest = line.strip_prefix("HTTP/1.")?.get(1..)?.strip_prefix(' ')?;
    rest.get(..3)?.parse().ok()
}

/// SOCKS5, with or without login.
async fn socks<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    proxy: &Proxy,
    target: &Target<'_>,
) -> Result<(), Refusal> {
    const NO_LOGIN: u8 = 0;
    const LOGIN: u8 = 2;
    let no_socks = || Refusal::Proxy("it does not answer in SOCKS5".to_owned());
    let offered: &[u8] = if proxy.login.is_some() { &[5, 2, NO_LOGIN, LOGIN] } else { &[5, 1, NO_LOGIN] };
    stream.write_all(offered).await?;
    let mut chosen = [0; 2];
    stream.read_exact(&mut chosen).await?;
    match (chosen, &proxy.login) {
        ([5, NO_LOGIN], _) => {}
        ([5, LOGIN], Some(login)) => {
            let mut message = vec![1];
            put_text(&mut message, &login.user)?;
            put_text(&mut message, &login.password)?;
            stream.write_all(&message).await?;
            let mut verdict = [0; 2];
            stream.read_exact(&mut verdict).await?;
            if verdict[1] != 0 {
                return Err(Refusal::Proxy("it refuses our login".to_owned()));
            }
        }
        ([5, 0xff], _) => return Err(Refusal::Proxy("it wants another login".to_owned())),
        _ => return Err(no_socks()),
    }
    let mut message = vec![5, 1, 0];
    match target.address.or_else(|| literal_address(target.name)) {
        Some(IpAddr::V4(address)) => {
            message.push(1);
            message.extend(address.octets());
        }
        Some(IpAddr::V6(address)) => {
            message.push(4);
            message.extend(address.octets());
        }
        None => {
            message.push(3);
            put_text(&mut message, target.name)?;
        }
    }
    message.extend(target.port.to_be_bytes());
    stream.write_all(&message).await?;
    let mut answer = [0; 4];
    stream.read_exact(&mut answer).await?;
    let [5, reply, _, kind] = answer else { return Err(no_socks()) };
    if reply != 0 {
        return Err(Refusal::Target(reply_words(reply)));
    }
    let bound = match kind {
        1 => 4,
        4 => 16,
        3 => usize::from(stream.read_u8().await?),
        _ => return Err(no_socks()),
    };
    let mut rest = vec![0; bound + 2];
    stream.read_exact(&mut rest).await?;
    Ok(())
}

fn put_text(message: &mut Vec<u8>, text: &str) -> Result<(), Refusal> {
    let length =
        u8::try_from(text.len()).map_err(|_| Refusal::Proxy("a text is too long for SOCKS5".to_owned()))?;
    message.push(length);
    message.extend(text.as_bytes());
    Ok(())
}

fn reply_words(reply: u8) -> String {
    let words = match reply {
        1 => "it failed",
        2 => "its rules forbid it",
        3 => "the network is out of reach",
        4 => "the host is out of reach",
        5 => "the connection was refused",
        6 => "no answer in time",
        _ => return format!("SOCKS5 reply {reply}"),
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn proxy(kind: ProxyKind, login: bool) -> Proxy {
        let login = login.then(|| Login { user: "ann".to_owned(), password: "s3cret".to_owned() });
        Proxy { kind, host: "proxy.test".to_owned(), port: 3128, login }
    }

    #[test]
    fn a_password_is_not_printed() {
        let proxy = proxy(ProxyKind::Http, true);
        assert!(!format!("{proxy:?} {}", proxy.label()).contains("s3cret"), "{proxy:?}");
        assert_eq!(proxy.authorization().as_deref(), Some("Basic YW5uOnMzY3JldA=="));
    }

    /// What a proxy that sends these bytes makes of a request.
    fn answered(bytes: &[u8], kind: ProxyKind, login: bool) -> Result<(), String> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (mut ours, mut theirs) = tokio::io::duplex(1 << 16);
            theirs.write_all(bytes).await.unwrap();
            theirs.shutdown().await.unwrap();
            let target = Target { name: "shop.test", port: 443, address: None };
            let result = match kind {
                ProxyKind::Http => tunnel(&mut ours, &proxy(kind, login), &target).await,
                ProxyKind::Socks5 => socks(&mut ours, &proxy(kind, login), &target).await,
            };
            result.map_err(|refusal| match refusal {
                Refusal::Proxy(reason) => format!("proxy: {reason}"),
                Refusal::Target(reason) => format!("target: {reason}"),
            })
        })
    }

    #[test]
    fn a_proxys_failure_is_told_from_the_targets() {
        let check = |kind, login, bytes: &[u8], expected: Result<(), &str>| {
            assert_eq!(answered(bytes, kind, login), expected.map_err(str::to_owned), "{bytes:?}");
        };
        let http = |text: &str, expected| check(ProxyKind::Http, false, text.as_bytes(), expected);
        http("HTTP/1.1 200 Fine\r\nX: y\r\n\r\n", Ok(()));
        http("HTTP/1.0 407 Who\r\n\r\n", Err("proxy: it refuses our login"));
        http("HTTP/1.1 502 No\r\n\r\n", Err("target: status 502"));
        http("HTTP/1.1 403 No\r\n\r\n", Err("target: status 403"));
        http("SSH-2.0\r\n\r\n", Err("proxy: it does not answer in HTTP"));
        http("HTTP/1.1 200 Fi", Err("proxy: unexpected end of file"));
        http(&"HTTP/1.1 200 OK\r\n".repeat(2_000), Err("proxy: its answer does not end"));
        let socks = |login, bytes: &[u8], expected| check(ProxyKind::Socks5, login, bytes, expected);
        socks(false, &[5, 0, 5, 0, 0, 1, 1, 2, 3, 4, 0, 80], Ok(()));
        socks(true, &[5, 2, 1, 0, 5, 0, 0, 3, 1, b'x', 0, 80], Ok(()));
        socks(true, &[5, 2, 1, 1], Err("proxy: it refuses our login"));
        socks(false, &[5, 2], Err("proxy: it does not answer in SOCKS5"));
        socks(false, &[5, 255], Err("proxy: it wants another login"));
        socks(false, &[5, 0, 5, 4, 0, 1], Err("target: the host is out of reach"));
        socks(false, b"HTTP/1.1 400", Err("proxy: it does not answer in SOCKS5"));
    }

    proptest! {
        #[test]
        fn any_answer_of_a_proxy_is_taken_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..40), login: bool) {
            let _ = answered(&bytes, ProxyKind::Http, login);
            let _ = answered(&bytes, ProxyKind::Socks5, login);
            let _ = answered(&[&[5, 0, 5, 0, 0][..], &bytes].concat(), ProxyKind::Socks5, login);
        }
    }
}
