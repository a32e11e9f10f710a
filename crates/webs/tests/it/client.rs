//! A client of a few lines, so that nothing of the crawler is needed to judge the webs.

use std::collections::HashMap;
use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer as it came over the wire.
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Got {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }
}

/// A kept-alive connection.
pub(crate) struct Connection(Box<dyn Wire>);

/// TCP, or TLS on it.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

impl Connection {
    #[expect(clippy::disallowed_methods, reason = "the webs are judged without the crawler's network code")]
    pub(crate) async fn open(addr: SocketAddr) -> Self {
        Self(Box::new(TcpStream::connect(addr).await.expect("connects")))
    }

    pub(crate) fn on(wire: impl Wire + 'static) -> Self {
        Self(Box::new(wire))
    }

    pub(crate) async fn ask(&mut self, head: &str, body: &str) -> Got {
        let request = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
        self.0.write_all(request.as_bytes()).await.expect("sends");
        let mut read = Vec::new();
        let end = loop {
            if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            let mut chunk = [0; 4096];
            let length = self.0.read(&mut chunk).await.expect("reads");
            assert!(length > 0, "closed within the head");
            read.extend_from_slice(&chunk[..length]);
        };
        let head = String::from_utf8(read[..end].to_vec()).expect("a plain head");
        let mut lines = head.split("\r\n");
        let status =
            lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
        let headers: HashMap<String, String> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let status = status.expect("a status");
        let length = match status {
            304 => 0,
            _ => headers.get("content-length").and_then(|length| length.parse().ok()).expect("a length"),
        };
        let mut body = read[end + 4..].to_vec();
        let missing = length - body.len();
        let mut rest = vec![0; missing];
        self.0.read_exact(&mut rest).await.expect("reads the body");
        body.extend(rest);
        Got { status, headers, body }
    }

    pub(crate) async fn get(&mut self, host: &str, target: &str, headers: &[(&str, &str)]) -> Got {
        let mut head = format!("GET {target} HTTP/1.1\r\nhost: {host}\r\nuser-agent: test\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        self.ask(&head, "").await
    }
}

/// One GET of a path on the address itself.
pub(crate) async fn get(addr: SocketAddr, target: &str, headers: &[(&str, &str)]) -> Got {
    Connection::open(addr).await.get(&addr.to_string(), target, headers).await
}
