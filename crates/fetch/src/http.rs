//! HTTP/1.1 on kept-alive connections, within limits of time, size and rate.

use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::Method;
use http::header::{COOKIE, HOST, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use http::uri::PathAndQuery;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use model::{Cut, Fetched, Host, Timings};
use net::{Clock, Connector};
use tokio::time::Sleep;

use crate::agent::{Agent, header};
use crate::cookies::CookieJar;
use crate::decode::{DecodeLimits, decode};
use crate::pool::{Connection, Key, Pool, PoolLimits};
use crate::wire::{self, Tape, Wire};
use crate::{Answer, FetchError, Fetcher, Limits, Request};

/// How a run asks.
#[derive(Clone)]
pub struct HttpSettings {
    /// Who we say we are.
    pub agent: Agent,
    /// What one fetch may cost.
    pub limits: Limits,
    /// Cookies sent and taken; none when absent.
    pub cookies: Option<Arc<CookieJar>>,
    /// Idle connections kept to one host.
    pub idle_per_host: usize,
    /// Idle connections kept in all.
    pub idle_total: usize,
    /// How long an idle connection is kept.
    pub idle_time: Duration,
}

/// Fetches over HTTP/1.1, plain and TLS.
pub struct HttpFetcher {
    connector: Connector,
    clock: Arc<dyn Clock>,
    settings: HttpSettings,
    pool: Pool,
}

impl HttpSettings {
    /// The usual limits for this agent, with an empty cookie jar.
    pub fn new(agent: Agent) -> HttpSettings {
        HttpSettings {
            agent,
            limits: Limits::default(),
            cookies: Some(Arc::default()),
            idle_per_host: 8,
            idle_total: 256,
            idle_time: Duration::from_secs(30),
        }
    }
}

impl HttpFetcher {
    /// A fetcher with its own pool of connections.
    pub fn new(connector: Connector, clock: Arc<dyn Clock>, settings: HttpSettings) -> HttpFetcher {
        let limits = PoolLimits {
            per_host: settings.idle_per_host,
            total: settings.idle_total,
            idle: settings.idle_time,
        };
        HttpFetcher { connector, clock, settings, pool: Pool::new(limits) }
    }

    /// Closes connections that have been idle too long; they go by themselves only while others are used.
    pub fn close_idle(&self) {
        self.pool.sweep(self.clock.elapsed());
    }

    /// How many idle connections are open.
    pub fn idle_connections(&self) -> usize {
        self.pool.len()
    }
}

impl Fetcher for HttpFetcher {
    async fn fetch(&self, request: Request) -> Result<Answer, FetchError> {
        let limits = &self.settings.limits;
        let host = request.url.host();
        let headers = self.request_headers(&request, &host)?;
        let began = self.clock.elapsed();
        let mut deadline = pin!(tokio::time::sleep(limits.total));
        let mut opened = tokio::select! {
            biased;
            opened = self.ask(&request, &host, &headers) => opened?,
            () = &mut deadline => return Err(FetchError::TimedOut { host, limit: limits.total }),
        };

        let exchange = opened.connection.tape.take();
        let status = opened.response.status();
        let headers = wire::headers(&exchange.head);
        if let Some(jar) = &self.settings.cookies {
            jar.store(&request.url, &headers, request.started);
        }
        let unwanted = status.is_success().then(|| request.wanted.refuse(&headers)).flatten();
        let most =
            if status.is_success() { request.body_limit } else { request.body_limit.min(limits.error_body) };
        let read = match unwanted {
            Some(_) => Read::default(),
            None => read_body(opened.response.body_mut(), most, limits, deadline.as_mut()).await,
        };
        // A connection with an unread rest cannot be used again, and is dropped here.
        if read.whole {
            self.pool.put(opened.key, opened.connection, self.clock.elapsed());
        }

        let now = self.clock.elapsed();
        let timings = Timings {
            connect: opened.connected,
            first_byte: exchange.first_byte.unwrap_or(opened.sent).saturating_sub(opened.sent),
            total: now.saturating_sub(began),
        };
        let decoded = self.decode(&read.body, headers.all("content-encoding"), most, &host).await?;
        let fetched = Fetched {
            url: request.url,
            address: opened.address,
            started: request.started,
            timings,
            request: exchange.request,
            status: status.as_u16(),
            head: exchange.head,
            headers,
            body: read.body,
            content: decoded.content,
            cut: read.cut.or(decoded.cut),
        };
        Ok(match unwanted {
            Some(what) => Answer::Unwanted { fetched, what },
            None => Answer::Fetched(fetched),
        })
    }
}

/// A connection on which an answer has begun.
struct Opened {
    connection: Connection,
    key: Key,
    response: http::Response<Incoming>,
    address: SocketAddr,
    connected: Duration,
    sent: Duration,
}

impl HttpFetcher {
    /// Sends the request and waits for the answer's head.
    async fn ask(&self, request: &Request, host: &Host, headers: &HeaderMap) -> Result<Opened, FetchError> {
        let address = SocketAddr::new(request.address, host.port());
        let key = (request.url.origin(), address);
        let mut kept = self.kept(&key).await;
        loop {
            let reused = kept.is_some();
            let before = self.clock.elapsed();
            let mut connection = match kept.take() {
                Some(connection) => connection,
                None => self.open(request, host, address).await?,
            };
            let sent = self.clock.elapsed();
            connection.tape.start(self.settings.limits.head_bytes);
            let message = message(request, host, headers)?;
            match connection.sender.send_request(message).await {
                Ok(response) => {
                    let connected = if reused { Duration::ZERO } else { sent.saturating_sub(before) };
                    return Ok(Opened { connection, key, response, address, connected, sent });
                }
                // The server closed the idle connection while our request was on its way: it has not been
                // heard, so it is said once more, on a new connection.
                Err(_) if reused && !connection.tape.is_answered() => {}
                Err(error) => return Err(self.failed(host, error)),
            }
        }
    }

    async fn kept(&self, key: &Key) -> Option<Connection> {
        while let Some(mut connection) = self.pool.take(key, self.clock.elapsed()) {
            if connection.sender.ready().await.is_ok() {
                return Some(connection);
            }
        }
        None
    }

    async fn open(
        &self,
        request: &Request,
        host: &Host,
        address: SocketAddr,
    ) -> Result<Connection, FetchError> {
        let limits = &self.settings.limits;
        let tls_name = request.url.is_https().then(|| host.name());
        let stream = self.connector.connect(address, tls_name, limits.connect).await;
        let stream = stream.map_err(|source| FetchError::Connect { host: host.clone(), source })?;
        let tape = Tape::default();
        let wire = Wire::new(stream, tape.clone(), self.clock.clone());
        let (sender, connection) = http1::Builder::new()
            .max_headers(limits.head_lines)
            .max_header_size(limits.head_bytes)
            .title_case_headers(true)
            // What browsers forgive, we forgive: the page is still there.
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .handshake(TokioIo::new(wire))
            .await
            .map_err(|error| self.failed(host, error))?;
        // Ends when the sender is dropped or the server hangs up. Its error is told to the sender, too.
        tokio::spawn(async move { drop(connection.await) });
        Ok(Connection { sender, tape })
    }

    fn request_headers(&self, request: &Request, host: &Host) -> Result<HeaderMap, FetchError> {
        let refused = |what: String| FetchError::Request { host: host.clone(), what };
        let mut headers = HeaderMap::new();
        let authority = HeaderValue::from_str(request.url.authority());
        headers.insert(HOST, authority.map_err(|_| refused("the host name".to_owned()))?);
        headers.extend(self.settings.agent.headers().clone());
        for (name, text) in &request.headers {
            let (name, value) = header(name, text).map_err(|error| refused(error.to_string()))?;
            headers.insert(name, value);
        }
        // These came from a server: what cannot be sent back is left out.
        let remembered = [
            (IF_NONE_MATCH, request.validators.etag.clone()),
            (IF_MODIFIED_SINCE, request.validators.last_modified.clone()),
            (
                COOKIE,
                self.settings.cookies.as_ref().and_then(|jar| jar.header(&request.url, request.started)),
            ),
        ];
        for (name, text) in remembered {
            if let Some(Ok(value)) = text.map(|text| HeaderValue::from_bytes(text.as_bytes())) {
                headers.insert(name, value);
            }
        }
        Ok(headers)
    }

    async fn decode<'a>(
        &self,
        body: &Bytes,
        codings: impl Iterator<Item = &'a str>,
        length: u64,
        host: &Host,
    ) -> Result<crate::Decoded, FetchError> {
        /// Below this, decoding is quicker than moving to another thread.
        const SMALL: usize = 32 * 1024;
        let codings = codings.collect::<Vec<_>>().join(",");
        let limits = DecodeLimits { length, ratio: self.settings.limits.decode_ratio };
        let decoded = if codings.is_empty() || body.len() < SMALL {
            decode(body, &codings, limits)
        } else {
            let (body, codings) = (body.clone(), codings.clone());
            let decoding = tokio::task::spawn_blocking(move || decode(&body, &codings, limits)).await;
            // Fails only when the runtime shuts down.
            decoding.unwrap_or(None)
        };
        decoded.ok_or_else(|| FetchError::Coding { host: host.clone(), coding: codings })
    }

    fn failed(&self, host: &Host, source: hyper::Error) -> FetchError {
        let host = host.clone();
        if source.is_parse_too_large() {
            let Limits { head_bytes: bytes, head_lines: lines, .. } = self.settings.limits;
            FetchError::HeadTooLarge { host, bytes, lines }
        } else if source.is_parse() || source.is_parse_status() {
            FetchError::Malformed { host, source }
        } else {
            FetchError::Broken { host, source }
        }
    }
}

fn message(
    request: &Request,
    host: &Host,
    headers: &HeaderMap,
) -> Result<http::Request<Empty<Bytes>>, FetchError> {
    let target = PathAndQuery::try_from(request.url.path_and_query())
        .map_err(|_| FetchError::Request { host: host.clone(), what: "the path".to_owned() })?;
    let mut message = http::Request::new(Empty::new());
    *message.method_mut() = Method::GET;
    *message.uri_mut() = target.into();
    *message.headers_mut() = headers.clone();
    Ok(message)
}

/// What was read of a body.
#[derive(Default)]
struct Read {
    body: Bytes,
    cut: Option<Cut>,
    whole: bool,
}

async fn read_body(body: &mut Incoming, most: u64, limits: &Limits, mut deadline: Pin<&mut Sleep>) -> Read {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let enough = limits.lowest_rate.saturating_mul(limits.rate_window.as_secs().max(1));
    let mut kept = BytesMut::new();
    let mut window = pin!(tokio::time::sleep(limits.rate_window));
    let mut in_window = 0u64;
    let cut = loop {
        tokio::select! {
            biased;
            frame = body.frame() => match frame {
                None => break None,
                Some(Err(_)) => break Some(Cut::Disconnect),
                Some(Ok(frame)) => {
                    let Ok(data) = frame.into_data() else { continue };
                    in_window = in_window.saturating_add(data.len() as u64);
                    let room = most - kept.len();
                    kept.extend_from_slice(&data[..data.len().min(room)]);
                    if data.len() > room {
                        break Some(Cut::Length);
                    }
                }
            },
            () = &mut deadline => break Some(Cut::Time),
            () = &mut window => {
                if in_window < enough {
                    break Some(Cut::Time);
                }
                in_window = 0;
                window.set(tokio::time::sleep(limits.rate_window));
            }
        }
    };
    Read { body: kept.freeze(), cut, whole: cut.is_none() }
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
            let message = message(&request, &url.host(), &HeaderMap::new()).unwrap();
            prop_assert_eq!(message.uri().to_string(), url.path_and_query());
        }
    }
}
