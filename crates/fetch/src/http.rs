//! The fetcher: a request's headers, cookies and limits, and what becomes of its answer.
//!
//! How it is asked stands in `ask`, how a connection is found in `lines`.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::header::{COOKIE, HOST, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use model::{Fetched, Host, Timings};
use net::{Clock, Connector};

use crate::agent::{Agent, header};
use crate::body::{Read, read_body};
use crate::cookies::CookieJar;
use crate::decode::{DecodeLimits, decode};
use crate::lines::Line;
use crate::pool::{Pool, PoolLimits};
use crate::proxies::Proxies;
use crate::spoken::Spoken;
use crate::{Answer, Decoded, FetchError, Fetcher, Limits, Request, Share};

/// How a run asks.
#[derive(Clone)]
pub struct HttpSettings {
    /// Who we say we are.
    pub agent: Agent,
    /// What one fetch may cost.
    pub limits: Limits,
    /// Cookies sent and taken; none when absent.
    pub cookies: Option<Arc<CookieJar>>,
    /// Offer HTTP/2 where TLS lets a server choose.
    pub http2: bool,
    /// Requests at once on an HTTP/2 connection; further ones wait for their turn.
    pub streams_per_host: usize,
    /// Asks through these; directly when absent.
    pub proxies: Option<Arc<Proxies>>,
    /// Idle connections kept to one host.
    pub idle_per_host: usize,
    /// Idle connections kept in all.
    pub idle_total: usize,
    /// How long an idle connection is kept.
    pub idle_time: Duration,
}

/// Fetches over HTTP/1.1, plain and TLS, and HTTP/2.
pub struct HttpFetcher {
    pub(crate) connector: Connector,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) settings: HttpSettings,
    pub(crate) pool: Pool<Line>,
    pub(crate) spoken: Spoken,
}

impl HttpSettings {
    /// The usual limits for this agent, with an empty cookie jar.
    pub fn new(agent: Agent) -> HttpSettings {
        HttpSettings {
            agent,
            limits: Limits::default(),
            cookies: Some(Arc::default()),
            http2: true,
            proxies: None,
            streams_per_host: 1,
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
        let spoken = Spoken::new(settings.streams_per_host);
        HttpFetcher { connector, clock, settings, pool: Pool::new(limits), spoken }
    }

    /// Closes connections that have been idle too long; they go by themselves only while others are used.
    pub fn close_idle(&self) {
        self.pool.sweep(self.clock.elapsed());
    }

    /// The proxies that it asks through.
    pub fn proxies(&self) -> Option<&Proxies> {
        self.settings.proxies.as_deref()
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
        let asked_at = Mutex::new(None);
        let mut deadline = pin!(tokio::time::sleep(limits.total));
        let mut begun = tokio::select! {
            biased;
            begun = self.ask(&request, &host, &headers, &asked_at) => begun?,
            () = &mut deadline => {
                self.timed_out(&request, &asked_at);
                return Err(FetchError::TimedOut { host, limit: limits.total });
            }
        };

        let status = begun.response.status();
        let headers = begun.headers.clone();
        if let Some(jar) = &self.settings.cookies {
            jar.store(&request.url, &headers, request.started);
        }
        let unwanted = status.is_success().then(|| request.wanted.refuse(&headers)).flatten();
        let most = if status.is_success() {
            request.limit_of(&headers)
        } else {
            request.body_limit.min(limits.error_body)
        };
        let read = match unwanted {
            Some(_) => Read::default(),
            None => {
                let (body, room) = (begun.response.body_mut(), request.room.as_ref());
                read_body(body, most, limits, room, &*self.clock, deadline.as_mut()).await
            }
        };
        let now = self.clock.elapsed();
        let timings = Timings {
            connect: begun.connected,
            first_byte: begun.first_byte.saturating_sub(begun.sent),
            total: now.saturating_sub(began),
        };
        let (address, version) = (begun.address, begun.version());
        let (request_head, head) = (begun.request_head.clone(), begun.head.clone());
        self.put_back(begun, &read, unwanted.is_some());

        let codings = headers.all("content-encoding").collect::<Vec<_>>().join(",");
        let decoded = self.decode(&read.body, codings, most, &host, request.room.as_ref()).await?;
        let fetched = Fetched {
            url: request.url,
            address,
            version,
            started: request.started,
            timings,
            request: request_head,
            status: status.as_u16(),
            head,
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

impl HttpFetcher {
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

    async fn decode(
        &self,
        body: &Bytes,
        codings: String,
        length: u64,
        host: &Host,
        room: Option<&Share>,
    ) -> Result<Decoded, FetchError> {
        /// Below this, decoding is quicker than moving to another thread.
        const SMALL: usize = 32 * 1024;
        let limits = DecodeLimits { length, ratio: self.settings.limits.decode_ratio };
        let refused = |codings: String| FetchError::Coding { host: host.clone(), coding: codings };
        if codings.is_empty() {
            return decode(body, &codings, limits).ok_or_else(|| refused(codings));
        }
        if let Some(room) = room {
            // How long it will be is not known before; what is too much is given back.
            room.grow_to(body.len() as u64 + limits.longest(body.len())).await;
        }
        let decoded = if body.len() < SMALL {
            decode(body, &codings, limits)
        } else {
            let (body, codings) = (body.clone(), codings.clone());
            let decoding = tokio::task::spawn_blocking(move || decode(&body, &codings, limits)).await;
            // Fails only when the runtime shuts down.
            decoding.unwrap_or(None)
        };
        if let Some(room) = room {
            let content = decoded.as_ref().map_or(0, |decoded| decoded.content.len());
            room.shrink_to((body.len() + content) as u64);
        }
        decoded.ok_or_else(|| refused(codings))
    }

    pub(crate) fn failed(&self, host: &Host, source: hyper::Error) -> FetchError {
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
