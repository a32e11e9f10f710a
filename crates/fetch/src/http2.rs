//! HTTP/2: one connection for all requests to a host, within limits on everything that the server sends.
//!
//! The library bounds frames, headers, streams and resets; here is counted what it lets pass, so that pings, settings
//! and the like cannot come without end.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::{BufMut, Bytes, BytesMut};
use h2::Reason;
use http::header::{HOST, HeaderMap};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use model::Headers;
use net::Stream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::Limits;

/// Bytes that a server may send ahead of our reading, on all streams of a connection together.
const WINDOW: u32 = 256 * 1024;

/// Bytes that may come while nothing is asked: the rest of an answer that was cut, settings, a good-bye.
const UNASKED: u64 = WINDOW as u64 + 64 * 1024;

/// A connection that takes several requests.
pub(crate) struct Line {
    sender: SendRequest<Empty<Bytes>>,
    meter: Meter,
}

/// What a failed exchange says about the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It has not looked at the request.
    Unheard,
    /// It wants HTTP/1.1 for this.
    WantsHttp1,
    /// It breaks the rules of HTTP/2.
    Violation,
    /// It gave up, or the line broke.
    Broken,
}

impl Line {
    pub(crate) async fn open(stream: Stream, limits: &Limits) -> Result<Line, hyper::Error> {
        let meter = Meter::default();
        let (sender, connection) = Builder::new(TokioExecutor::new())
            .max_header_list_size(u32::try_from(limits.head_bytes).unwrap_or(u32::MAX))
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .handshake(TokioIo::new(Metered { stream, meter: meter.clone() }))
            .await?;
        // Ends when the last sender is dropped or the server hangs up. Its error is told to the senders, too.
        tokio::spawn(async move { drop(connection.await) });
        Ok(Line { sender, meter })
    }

    /// True while it takes requests.
    pub(crate) fn is_open(&self) -> bool {
        !self.sender.is_closed()
    }

    /// Sends a request, for an answer of at most `body` bytes, and waits for the answer's head.
    pub(crate) async fn send(
        &self,
        message: http::Request<Empty<Bytes>>,
        body: u64,
        limits: &Limits,
    ) -> Result<(http::Response<Incoming>, Exchange), hyper::Error> {
        // Twice, as small frames have heads of their own.
        let allowed = body.saturating_add(limits.head_bytes as u64).saturating_mul(2).saturating_add(UNASKED);
        let exchange = Exchange::begin(&self.meter, allowed);
        let response = self.sender.clone().send_request(message).await?;
        Ok((response, exchange))
    }
}

impl Fault {
    pub(crate) fn of(error: &hyper::Error) -> Fault {
        let Some(cause) = error.source().and_then(|source| source.downcast_ref::<h2::Error>()) else {
            return if error.is_canceled() { Fault::Unheard } else { Fault::Broken };
        };
        match cause.reason() {
            Some(Reason::HTTP_1_1_REQUIRED | Reason::INADEQUATE_SECURITY) => Fault::WantsHttp1,
            Some(Reason::REFUSED_STREAM) if cause.is_remote() => Fault::Unheard,
            // Told only to requests that came after the last one it has looked at.
            Some(_) if cause.is_remote() && cause.is_go_away() => Fault::Unheard,
            Some(_) if cause.is_library() => Fault::Violation,
            None if cause.get_io().is_some_and(|error| error.kind() == io::ErrorKind::InvalidData) => {
                Fault::Violation
            }
            _ => Fault::Broken,
        }
    }
}

/// The request's head as HTTP/1.1 would say it.
pub(crate) fn request_head(path: &str, authority: &str, headers: &HeaderMap) -> Bytes {
    let mut head = BytesMut::new();
    head.put_slice(format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\n").as_bytes());
    put_headers(&mut head, headers);
    head.freeze()
}

/// The answer's head as HTTP/1.1 would say it.
pub(crate) fn response_head(response: &http::Response<Incoming>) -> Bytes {
    let status = response.status();
    let mut head = BytesMut::new();
    let reason = status.canonical_reason().unwrap_or_default();
    head.put_slice(format!("HTTP/1.1 {} {reason}\r\n", status.as_str()).as_bytes());
    put_headers(&mut head, response.headers());
    head.freeze()
}

/// The answer's headers.
pub(crate) fn headers(map: &HeaderMap) -> Headers {
    let pairs = map.iter().map(|(name, value)| {
        let value = Bytes::copy_from_slice(value.as_bytes());
        (name.as_str().to_owned(), value)
    });
    Headers(pairs.collect())
}

fn put_headers(head: &mut BytesMut, headers: &HeaderMap) {
    for (name, value) in headers.iter().filter(|(name, _)| *name != HOST) {
        head.put_slice(name.as_str().as_bytes());
        head.put_slice(b": ");
        head.put_slice(value.as_bytes());
        head.put_slice(b"\r\n");
    }
    head.put_slice(b"\r\n");
}

/// How many bytes may still come.
#[derive(Clone)]
struct Meter(Arc<Mutex<Reading>>);

struct Reading {
    left: u64,
    exchanges: usize,
}

impl Default for Meter {
    fn default() -> Meter {
        Meter(Arc::new(Mutex::new(Reading { left: UNASKED, exchanges: 0 })))
    }
}

impl Meter {
    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn came(&self, bytes: u64) -> io::Result<()> {
        let mut reading = self.reading();
        match reading.left.checked_sub(bytes) {
            Some(left) => reading.left = left,
            None => return Err(io::Error::new(io::ErrorKind::InvalidData, "more came than was asked for")),
        }
        Ok(())
    }
}

/// A request and its answer, as long as bytes of it may come.
pub(crate) struct Exchange(Meter);

impl Exchange {
    fn begin(meter: &Meter, allowed: u64) -> Exchange {
        let mut reading = meter.reading();
        let before = if reading.exchanges == 0 { 0 } else { reading.left };
        reading.left = before.saturating_add(allowed);
        reading.exchanges += 1;
        Exchange(meter.clone())
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let mut reading = self.0.reading();
        reading.exchanges -= 1;
        if reading.exchanges == 0 {
            reading.left = UNASKED;
        }
    }
}

/// A connection whose meter stops it.
struct Metered {
    stream: Stream,
    meter: Meter,
}

impl AsyncRead for Metered {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let metered = self.get_mut();
        let before = buffer.filled().len();
        let poll = Pin::new(&mut metered.stream).poll_read(cx, buffer);
        let new = buffer.filled().len().saturating_sub(before);
        match poll {
            Poll::Ready(Ok(())) => Poll::Ready(metered.meter.came(new as u64)),
            other => other,
        }
    }
}

impl AsyncWrite for Metered {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
