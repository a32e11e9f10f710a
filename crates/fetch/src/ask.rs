//! Sending a request and waiting for the head of its answer.
//!
//! A connection for it is found in `lines`. A request that the server has not looked at is said once more, on a new
//! one.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::{HOST, HeaderMap, HeaderValue, PROXY_AUTHORIZATION};
use http::uri::{Authority, Parts, PathAndQuery, Scheme};
use http::{Method, StatusCode, Uri, Version};
use http_body_util::Empty;
use hyper::body::Incoming;
use model::{Cut, Headers, Host, HttpVersion};
use net::{ConnectError, Proxy};

use crate::body::Read;
use crate::http2::{self, Fault};
use crate::lines::{Found, Line, Taken};
use crate::pool::Key;
use crate::proxies::wants_whole_urls;
use crate::{FetchError, HttpFetcher, Request, wire};

/// An answer has begun.
pub(crate) struct Begun {
    pub(crate) response: http::Response<Incoming>,
    /// The request's head, for the archive.
    pub(crate) request_head: Bytes,
    /// The answer's head, for the archive.
    pub(crate) head: Bytes,
    pub(crate) headers: Headers,
    /// Whom was asked, as far as it is known.
    pub(crate) address: Option<SocketAddr>,
    /// What connecting cost.
    pub(crate) connected: Duration,
    /// When the request was sent, by the clock.
    pub(crate) sent: Duration,
    /// When the answer began, by the clock.
    pub(crate) first_byte: Duration,
    key: Key,
    taken: Taken,
}

/// How a request names its target.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form<'a> {
    /// By its path.
    Path,
    /// By its whole URL, to a proxy; with the login there.
    ToProxy(&'a Proxy),
    /// In parts, as HTTP/2 has it.
    Http2,
}

impl Begun {
    pub(crate) fn version(&self) -> HttpVersion {
        match self.taken {
            Taken::Http1(_) => HttpVersion::Http1,
            Taken::Http2 { .. } => HttpVersion::Http2,
        }
    }
}

impl HttpFetcher {
    /// Sends the request and waits for the answer's head. `asked_at` tells at any time whom it is asking.
    pub(crate) async fn ask(
        &self,
        request: &Request,
        host: &Host,
        headers: &HeaderMap,
        asked_at: &Mutex<Option<Key>>,
    ) -> Result<Begun, FetchError> {
        let Some(proxies) = &self.settings.proxies else {
            return self.ask_at(request, host, headers, key(request, host, None), asked_at).await;
        };
        let mut failed = Vec::new();
        let mut reason = "all proxies rest".to_owned();
        while let Some(number) = proxies.choose(host.name(), &failed) {
            let key = key(request, host, Some(number));
            match self.ask_at(request, host, headers, key, asked_at).await {
                // Nothing has been asked of the site: the next proxy can do it.
                Err(FetchError::Connect { source: error @ ConnectError::Proxy { .. }, .. }) => {
                    failed.push(number);
                    reason = error.to_string();
                }
                other => return other,
            }
        }
        Err(FetchError::NoProxy { host: host.clone(), reason })
    }

    async fn ask_at(
        &self,
        request: &Request,
        host: &Host,
        headers: &HeaderMap,
        key: Key,
        asked_at: &Mutex<Option<Key>>,
    ) -> Result<Begun, FetchError> {
        let limits = &self.settings.limits;
        *asked_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(key.clone());
        let mut once_more = true;
        loop {
            let Found { mut taken, reused, connected } = self.line(request, host, &key, once_more).await?;
            let form = self.form(request, &key, &taken);
            let message = message(request, host, headers, form)?;
            if let Some(turn) = &request.turn {
                turn.wait().await;
            }
            let sent = self.clock.elapsed();
            let (error, unheard) = match &mut taken {
                Taken::Http1(line) => match line.send(message, limits).await {
                    Ok(response) => {
                        self.heard(&key, form, response.status())
                            .map_err(|source| FetchError::Connect { host: host.clone(), source })?;
                        let mut begun = self.begun(key.clone(), response, taken, connected, sent);
                        if form != Form::Path {
                            // As the site would have seen it; the proxy's password is nobody's business.
                            begun.request_head = request_head(request, headers);
                        }
                        return Ok(begun);
                    }
                    // The server closed the idle connection while our request was on its way.
                    Err(error) => (error, reused && !line.is_answered()),
                },
                Taken::Http2 { line, exchange, .. } => {
                    match line.send(message, request.longest(), limits).await {
                        Ok((response, begun)) if response.headers().len() <= limits.head_lines => {
                            *exchange = Some(begun);
                            let mut begun = self.begun(key, response, taken, connected, sent);
                            begun.request_head = request_head(request, headers);
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

    /// How the request is to name its target on this connection.
    fn form(&self, request: &Request, key: &Key, taken: &Taken) -> Form<'_> {
        match (taken, &self.settings.proxies, key.proxy) {
            (Taken::Http2 { .. }, _, _) => Form::Http2,
            (_, Some(proxies), Some(number)) => {
                let proxy = proxies.get(number);
                if wants_whole_urls(proxy, request.url.is_https()) {
                    Form::ToProxy(proxy)
                } else {
                    Form::Path
                }
            }
            _ => Form::Path,
        }
    }

    /// The head of an answer came; it may be the proxy's own.
    fn heard(&self, key: &Key, form: Form<'_>, status: StatusCode) -> Result<(), ConnectError> {
        let (Some(proxies), Some(number)) = (&self.settings.proxies, key.proxy) else { return Ok(()) };
        match form {
            Form::ToProxy(_) if status == StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
                Err(proxies.refused(number))
            }
            _ => {
                proxies.answered(number);
                Ok(())
            }
        }
    }

    /// No answer came in time.
    pub(crate) fn timed_out(&self, request: &Request, asked_at: &Mutex<Option<Key>>) {
        let key = asked_at.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(key) = key.filter(|_| self.may_share(request)) {
            self.spoken.failed(&key);
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
        let known = key.proxy.is_none() || self.settings.proxies.as_ref().is_some_and(|all| all.local_dns());
        let address = known.then_some(key.address);
        match &taken {
            Taken::Http1(line) => {
                let exchange = line.exchange();
                let headers = wire::headers(&exchange.head);
                let first_byte = exchange.first_byte.unwrap_or(sent);
                let (request_head, head) = (exchange.request, exchange.head);
                Begun {
                    response,
                    request_head,
                    head,
                    headers,
                    address,
                    connected,
                    sent,
                    first_byte,
                    key,
                    taken,
                }
            }
            Taken::Http2 { .. } => {
                let (head, headers) = (http2::response_head(&response), http2::headers(response.headers()));
                let request_head = Bytes::new();
                Begun {
                    response,
                    request_head,
                    head,
                    headers,
                    address,
                    connected,
                    sent,
                    first_byte: now,
                    key,
                    taken,
                }
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

    pub(crate) fn may_share(&self, request: &Request) -> bool {
        self.settings.http2 && request.url.is_https()
    }
}

fn key(request: &Request, host: &Host, proxy: Option<usize>) -> Key {
    Key { origin: request.url.origin(), address: SocketAddr::new(request.address, host.port()), proxy }
}

fn request_head(request: &Request, headers: &HeaderMap) -> Bytes {
    http2::request_head(request.url.path_and_query(), request.url.authority(), headers)
}

fn message(
    request: &Request,
    host: &Host,
    headers: &HeaderMap,
    form: Form<'_>,
) -> Result<http::Request<Empty<Bytes>>, FetchError> {
    let refused = |what: &str| FetchError::Request { host: host.clone(), what: what.to_owned() };
    let target = PathAndQuery::try_from(request.url.path_and_query()).map_err(|_| refused("the path"))?;
    let mut message = http::Request::new(Empty::new());
    *message.method_mut() = Method::GET;
    *message.headers_mut() = headers.clone();
    let scheme = match form {
        Form::Path => {
            *message.uri_mut() = target.into();
            return Ok(message);
        }
        Form::ToProxy(proxy) => {
            if let Some(login) = proxy.authorization() {
                let mut login = HeaderValue::try_from(login).map_err(|_| refused("the proxy's login"))?;
                login.set_sensitive(true);
                message.headers_mut().insert(PROXY_AUTHORIZATION, login);
            }
            Scheme::HTTP
        }
        Form::Http2 => {
            *message.version_mut() = Version::HTTP_2;
            // It goes with the URL.
            message.headers_mut().remove(HOST);
            Scheme::HTTPS
        }
    };
    let authority = Authority::try_from(request.url.authority()).map_err(|_| refused("the host name"))?;
    let mut parts = Parts::default();
    (parts.scheme, parts.authority) = (Some(scheme), Some(authority));
    parts.path_and_query = Some(target);
    *message.uri_mut() = Uri::from_parts(parts).map_err(|_| refused("the URL"))?;
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
            let said = |form| message(&request, &url.host(), &HeaderMap::new(), form).unwrap().uri().to_string();
            prop_assert_eq!(said(Form::Path), url.path_and_query());
            prop_assert_eq!(said(Form::Http2), format!("https://e.com{}", url.path_and_query()));
        }
    }
}
