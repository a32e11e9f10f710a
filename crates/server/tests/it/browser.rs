//! A server on loopback and somebody who asks it, as a browser does.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::{HOST, HeaderMap};
use hyper_util::rt::TokioIo;
use model::Timestamp;
use serde_json::Value;
use server::{Site, SiteOptions};
use service::{Access, Data};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

/// A server that answers until it is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    /// The clock, in milliseconds.
    pub(crate) clock: Arc<AtomicU64>,
    links: server::SignInLinks,
    task: JoinHandle<()>,
}

/// Somebody who asks, with the headers that go along each time.
#[derive(Clone)]
pub(crate) struct Asker {
    pub(crate) address: SocketAddr,
    pub(crate) headers: Vec<(String, String)>,
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Served {
    pub(crate) async fn start(dir: &Path) -> Served {
        Served::with(dir, SiteOptions::default()).await
    }

    pub(crate) async fn with(dir: &Path, options: SiteOptions) -> Served {
        let data = Data::open(dir, Access::Create).await.unwrap();
        let clock = Arc::new(AtomicU64::new(1_763_196_319_123));
        let now = {
            let clock = clock.clone();
            Arc::new(move || Timestamp(clock.load(Ordering::Relaxed)))
        };
        let bind = SocketAddr::from(([127, 0, 0, 1], 0));
        let site = Site::bind(data, now, bind, options).await.unwrap();
        let (address, links) = (site.address(), site.links());
        let task = tokio::spawn(async move { site.run(std::future::pending()).await.unwrap() });
        Served { address, clock, links, task }
    }

    pub(crate) fn link(&self) -> String {
        self.links.link()
    }

    /// Somebody who is not signed in.
    pub(crate) fn stranger(&self) -> Asker {
        Asker { address: self.address, headers: Vec::new() }
    }

    /// Somebody who is signed in and sends the CSRF word.
    pub(crate) async fn signed_in(&self) -> Asker {
        let stranger = self.stranger();
        let link = self.link();
        let answer = stranger.get(link.split_once(&self.address.to_string()).unwrap().1).await;
        let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
        let asker = stranger.with("cookie", &cookie);
        let csrf = asker.get("/api/v1/session").await.json()["csrf"].as_str().unwrap().to_owned();
        asker.with("x-gannet-csrf", &csrf)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Asker {
    pub(crate) fn with(&self, name: &str, value: &str) -> Asker {
        let mut asker = self.without(name);
        asker.headers.push((name.to_owned(), value.to_owned()));
        asker
    }

    pub(crate) fn without(&self, name: &str) -> Asker {
        let mut asker = self.clone();
        asker.headers.retain(|(known, _)| known != name);
        asker
    }

    pub(crate) async fn get(&self, path: &str) -> Answered {
        self.send("GET", path, Bytes::new()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answered {
        self.with("content-type", "application/json").send("POST", path, body.to_string().into()).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answered {
        self.with("content-type", "application/json").send("PUT", path, body.to_string().into()).await
    }

    pub(crate) async fn send(&self, method: &str, path: &str, body: Bytes) -> Answered {
        #[expect(clippy::disallowed_methods, reason = "the server of this test, on loopback")]
        let stream = TcpStream::connect(self.address).await.unwrap();
        #[expect(clippy::disallowed_methods, reason = "the server of this test, on loopback")]
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let mut request = hyper::Request::builder().method(method).uri(path);
        if !self.headers.iter().any(|(name, _)| name == "host") {
            request = request.header(HOST, self.address.to_string());
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let response = sender.send_request(request.body(Full::new(body)).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        // Only what comes at once of a stream of events.
        let body = match parts.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream") {
            true => body.into_data_stream_first().await,
            false => body.collect().await.unwrap().to_bytes(),
        };
        Answered { status: parts.status.as_u16(), headers: parts.headers, body }
    }
}

trait First {
    async fn into_data_stream_first(self) -> Bytes;
}

impl First for hyper::body::Incoming {
    async fn into_data_stream_first(mut self) -> Bytes {
        self.frame().await.and_then(|frame| frame.ok()?.into_data().ok()).unwrap_or_default()
    }
}

impl Answered {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Answered {
        assert_eq!(self.status, status, "{}", self.text());
        if status >= 400 {
            assert_eq!(self.header("content-type"), "application/problem+json");
            assert_eq!(self.json()["status"], status);
        }
        self
    }
}
