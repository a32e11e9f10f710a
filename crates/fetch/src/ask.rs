//! Finding a connection for a request, sending it, and waiting for the head of the answer.
//!
//! A request that the server has not looked at is said once more, on a new connection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{HOST, HeaderMap};
use http::uri::{Authority, Parts, PathAndQuery, Scheme};
use http::{Method, Uri, Version};
use http_body_util::Empty;
use hyper::body::Incoming;
use model::{Cut, Headers, Host, HttpVersion};
use net::Tls;
use tokio::sync::OwnedSemaphorePermit;

use crate::body::Read;
use crate::http2::{self, Fault};
use crate::pool::Key;
use crate::spoken::Speaks;
use crate::{FetchError, HttpFetcher, Request, http1, wire};

/// A connection, kept for later.
pub(crate) enum Line {
    Http1(http1::Line),
    Http2(http2::Line),
}

/// An answer has begun.
pub(crate) struct Begun {
    pub(crate) response: http::Response<Incoming>,
    /// The request's head, for the archive.
    pub(crate) request_head: Bytes,
    /// The answer's head, for the archive.
    pub(crate) head: Bytes,
    pub(crate) headers: Headers,
    /// What connecting cost.
    pub(crate) connected: Duration,
    /// When the request was sent, by the clock.
    pub(crate) sent: Duration,
    /// When the answer began, by the clock.
    pub(crate) first_byte: Duration,
    key: Key,
    taken: Taken,
}

/// A connection in use.
enum Taken {
    Http1(http1::Line),
    Http2 { line: Arc<http2::Line>, exchange: Option<http2::Exchange>, _stream: OwnedSemaphorePermit },
}

/// A connection found.
struct Found {
    taken: Taken,
    /// It has served a request before.
    reused: bool,
    connected: Duration,
}

impl Begun {
    pub(crate) fn address(&self) -> SocketAddr {
        self.key.address
    }

    pub(crate) fn version(&self) -> HttpVersion {
        match self.taken {
            Taken::Http1(_) => HttpVersion::Http1,
            Taken::Http2 { .. } => HttpVersion::Http2,
        }
    }
}

impl HttpFetcher {
    /// Sends the request and waits for the answer's head.
    pub(crate) async fn ask(
        &self,
        request: &Request,
        host: &Host,
        headers: &HeaderMap,
    ) -> Result<Begun, FetchError> {
        let key = key(request, host);
        let mut once_more = true;
        loop {
            let Found { mut taken, reused, connected } = self.line(request, host, &key, once_more).await?;
            let message = message(request, host, headers, matches!(taken, Taken::Http2 { .. }))?;
            let sent = self.clock.elapsed();
            let (error, unheard) = match &mut taken {
                Taken::Http1(line) => match line.send(message, &self.settings.limits).await {
                    Ok(response) => return Ok(self.begun(key, response, taken, connected, sent)),
                    // The server closed the idle connection while our request was on its way.
                    Err(error) => (error, reused && !line.is_answered()),
                },
                Taken::Http2 { line, exchange, .. } => {
                    let limits = &self.settings.limits;
                    match line.send(message, request.body_limit, limits).await {
                        Ok((response, begun)) if response.headers().len() <= limits.head_lines => {
                            *exchange = Some(begun);
                            let mut begun = self.begun(key, response, taken, connected, sent);
                            begun.request_head = http2::request_head(
                                request.url.path_and_query(),
                                request.url.authority(),
                                headers,
                            );
                            return Ok(begun);
                        }
                        Ok(_) => {
                            let (bytes, lines) = (limits.head_bytes, limits.head_lines);
                            return Err(FetchError::HeadTooLarge { host: host.clone(), bytes, lines });
                        }
                        Err(error) => {
                            let fault = Fault::of(&error);
                            let unheard = match fault {
                                Fault::Unheard | Fault::WantsHttp1 => true,
                                Fault::Broken => reused,
                                Fault::Violation => false,
                            };
                            self.note(&key, fault, unheard && once_more);
                            (error, unheard)
                        }
                    }
                }
            };
            if !(unheard && once_more) {
                return Err(self.failed(host, error));
            }
            once_more = false;
        }
    }

    /// No answer came in time.
    pub(crate) fn timed_out(&self, request: &Request, host: &Host) {
        if self.may_share(request) {
            self.spoken.failed(&key(request, host));
        }
    }

    /// Keeps the connection for later, where it can be used again.
    pub(crate) fn put_back(&self, begun: Begun, read: &Read, unwanted: bool) {
        let Begun { response, key, taken, .. } = begun;
        // Tells the server to stop, where there is more.
        drop(response);
        let whole = read.cut.is_none() && !unwanted;
        let kept = match taken {
            // With an unread rest it cannot be used again.
            Taken::Http1(line) => whole.then_some(Line::Http1(line)),
            Taken::Http2 { line, .. } => {
                match &read.error {
                    Some(error) => self.note(&key, Fault::of(error), false),
                    None if read.cut == Some(Cut::Time) => self.spoken.failed(&key),
                    None => self.spoken.answered(&key),
                }
                let good = matches!(read.cut, None | Some(Cut::Length)) && line.is_open();
                // The last one to leave puts it back.
                Arc::into_inner(line).filter(|_| good).map(Line::Http2)
            }
        };
        if let Some(line) = kept {
            self.pool.put(key, line, self.clock.elapsed());
        }
    }

    fn begun(
        &self,
        key: Key,
        response: http::Response<Incoming>,
        taken: Taken,
        connected: Duration,
        sent: Duration,
    ) -> Begun {
        let now = self.clock.elapsed();
        match &taken {
            Taken::Http1(line) => {
                let exchange = line.exchange();
                let headers = wire::headers(&exchange.head);
                let first_byte = exchange.first_byte.unwrap_or(sent);
                let (request_head, head) = (exchange.request, exchange.head);
                Begun { response, request_head, head, headers, connected, sent, first_byte, key, taken }
            }
            Taken::Http2 { .. } => {
                let (head, headers) = (http2::response_head(&response), http2::headers(response.headers()));
                let request_head = Bytes::new();
                Begun { response, request_head, head, headers, connected, sent, first_byte: now, key, taken }
            }
        }
    }

    /// What a failure in HTTP/2 means for the host.
    fn note(&self, key: &Key, fault: Fault, said_once_more: bool) {
        match fault {
            Fault::Violation | Fault::WantsHttp1 => self.spoken.give_up_http2(key),
            Fault::Unheard | Fault::Broken if said_once_more => {}
            Fault::Unheard | Fault::Broken => self.spoken.failed(key),
        }
    }

    fn may_share(&self, request: &Request) -> bool {
        self.settings.http2 && request.url.is_https()
    }

    /// A kept connection, where wished, or a new one.
    async fn line(&self, request: &Request, host: &Host, key: &Key, kept: bool) -> Result<Found, FetchError> {
        if !self.may_share(request) {
            return self.single(request, host, key, kept).await;
        }
        let known = self.spoken.known(key);
        if matches!(known.speaks, Speaks::Http1 | Speaks::OnlyHttp1) {
            return self.single(request, host, key, kept).await;
        }
        let stream = known.streams.clone().acquire_owned().await;
        let stream = stream.expect("the semaphore is never closed");
        let looking = known.gate.lock().await;
        // Others may have found out while we waited.
        if matches!(self.spoken.known(key).speaks, Speaks::Http1 | Speaks::OnlyHttp1) {
            drop((looking, stream));
            return self.single(request, host, key, kept).await;
        }
        let shared = |line, reused, connected| {
            let taken = Taken::Http2 { line, exchange: None, _stream: stream };
            Ok(Found { taken, reused, connected })
        };
        if kept {
            if let Some(line) = self.spoken.shared(key) {
                return shared(line, true, Duration::ZERO);
            }
            match self.kept(key).await {
                Some(Line::Http2(line)) => {
                    return shared(self.spoken.share(key, line), true, Duration::ZERO);
                }
                Some(Line::Http1(line)) => return Ok(found_kept(line)),
                None => {}
            }
        }
        let before = self.clock.elapsed();
        let opened = self.open(request, host, key.address, true).await?;
        let connected = self.clock.elapsed().saturating_sub(before);
        match opened {
            Line::Http2(line) => shared(self.spoken.share(key, line), false, connected),
            Line::Http1(line) => {
                self.spoken.chose_http1(key);
                Ok(Found { taken: Taken::Http1(line), reused: false, connected })
            }
        }
    }

    /// A connection that is not shared.
    async fn single(
        &self,
        request: &Request,
        host: &Host,
        key: &Key,
        kept: bool,
    ) -> Result<Found, FetchError> {
        while kept && let Some(line) = self.kept(key).await {
            // Of HTTP/2 there may be one from before the host fell back.
            if let Line::Http1(line) = line {
                return Ok(found_kept(line));
            }
        }
        let before = self.clock.elapsed();
        let opened = self.open(request, host, key.address, false).await?;
        let connected = self.clock.elapsed().saturating_sub(before);
        match opened {
            Line::Http1(line) => Ok(Found { taken: Taken::Http1(line), reused: false, connected }),
            Line::Http2(_) => unreachable!("HTTP/2 was not offered"),
        }
    }

    async fn kept(&self, key: &Key) -> Option<Line> {
        while let Some(mut line) = self.pool.take(key, self.clock.elapsed()) {
            let good = match &mut line {
                Line::Http1(line) => line.is_ready().await,
                Line::Http2(line) => line.is_open(),
            };
            if good {
                return Some(line);
            }
        }
        None
    }

    async fn open(
        &self,
        request: &Request,
        host: &Host,
        address: SocketAddr,
        http2: bool,
    ) -> Result<Line, FetchError> {
        let limits = &self.settings.limits;
        let tls = request.url.is_https().then(|| Tls { name: host.name(), http2 });
        let stream = self.connector.connect(address, tls, limits.connect).await;
        let stream = stream.map_err(|source| FetchError::Connect { host: host.clone(), source })?;
        let opened = if stream.is_http2() && http2 {
            http2::Line::open(stream, limits).await.map(Line::Http2)
        } else {
            http1::Line::open(stream, limits, self.clock.clone()).await.map(Line::Http1)
        };
        opened.map_err(|error| self.failed(host, error))
    }
}

fn found_kept(line: http1::Line) -> Found {
    Found { taken: Taken::Http1(line), reused: true, connected: Duration::ZERO }
}

fn key(request: &Request, host: &Host) -> Key {
    Key { origin: request.url.origin(), address: SocketAddr::new(request.address, host.port()) }
}

fn message(
    request: &Request,
    host: &Host,
    headers: &HeaderMap,
    http2: bool,
) -> Result<http::Request<Empty<Bytes>>, FetchError> {
    let refused = |what: &str| FetchError::Request { host: host.clone(), what: what.to_owned() };
    let target = PathAndQuery::try_from(request.url.path_and_query()).map_err(|_| refused("the path"))?;
    let mut message = http::Request::new(Empty::new());
    *message.method_mut() = Method::GET;
    *message.headers_mut() = headers.clone();
    if http2 {
        let authority = Authority::try_from(request.url.authority()).map_err(|_| refused("the host name"))?;
        let mut parts = Parts::default();
        (parts.scheme, parts.authority) = (Some(Scheme::HTTPS), Some(authority));
        parts.path_and_query = Some(target);
        *message.uri_mut() = Uri::from_parts(parts).map_err(|_| refused("the URL"))?;
        *message.version_mut() = Version::HTTP_2;
        // It goes with the URL.
        message.headers_mut().remove(HOST);
    } else {
        *message.uri_mut() = target.into();
    }
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{PageUrl, Timestamp};
    use proptest::prelude::*;

    proptest! {
        /// Whatever names a page can be asked for, in the spelling of its canonical form.
        #[test]
        fn every_canonical_url_can_be_asked_for(path in "(/[ -~äß€]{0,12}){0,4}(\\?[ -~ä]{0,20})?") {
            let Ok(url) = PageUrl::parse(&format!("http://e.com{path}")) else { return Ok(()) };
            let request = Request::new(url.clone(), [192, 0, 2, 1].into(), Timestamp(0));
            let said = |http2| message(&request, &url.host(), &HeaderMap::new(), http2).unwrap().uri().to_string();
            prop_assert_eq!(said(false), url.path_and_query());
            prop_assert_eq!(said(true), format!("https://e.com{}", url.path_and_query()));
        }
    }
}
