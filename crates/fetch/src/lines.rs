//! Finding a connection: a kept one, one that others are using, or a new one, straight or through a proxy.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use model::Host;
use net::{ConnectError, Stream, Target, Tls};
use tokio::sync::OwnedSemaphorePermit;

use crate::pool::Key;
use crate::proxies::{Proxies, wants_whole_urls};
use crate::spoken::Speaks;
use crate::{FetchError, HttpFetcher, Request, http1, http2};

/// A connection, kept for later.
pub(crate) enum Line {
    Http1(http1::Line),
    Http2(http2::Line),
}

/// A connection in use.
pub(crate) enum Taken {
    Http1(http1::Line),
    Http2 { line: Arc<http2::Line>, exchange: Option<http2::Exchange>, _stream: OwnedSemaphorePermit },
}

/// A connection found.
pub(crate) struct Found {
    pub(crate) taken: Taken,
    /// It has served a request before.
    pub(crate) reused: bool,
    pub(crate) connected: Duration,
}

impl HttpFetcher {
    /// A kept connection, where wished, or a new one.
    pub(crate) async fn line(
        &self,
        request: &Request,
        host: &Host,
        key: &Key,
        kept: bool,
    ) -> Result<Found, FetchError> {
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
        let opened = self.open(request, host, key, true).await?;
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
        let opened = self.open(request, host, key, false).await?;
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

    async fn open(&self, request: &Request, host: &Host, key: &Key, http2: bool) -> Result<Line, FetchError> {
        let limits = &self.settings.limits;
        let tls = request.url.is_https().then(|| Tls { name: host.name(), http2 });
        let stream = match (&self.settings.proxies, key.proxy) {
            (Some(proxies), Some(number)) => self.connect_via(proxies, number, host, key.address, tls).await,
            _ => self.connector.connect(key.address, tls, limits.connect).await,
        };
        let stream = stream.map_err(|source| FetchError::Connect { host: host.clone(), source })?;
        let opened = if stream.is_http2() && http2 {
            http2::Line::open(stream, limits).await.map(Line::Http2)
        } else {
            http1::Line::open(stream, limits, self.clock.clone()).await.map(Line::Http1)
        };
        opened.map_err(|error| self.failed(host, error))
    }
}

impl HttpFetcher {
    /// A connection through a proxy, whose health is kept.
    async fn connect_via(
        &self,
        proxies: &Proxies,
        number: usize,
        host: &Host,
        address: SocketAddr,
        tls: Option<Tls<'_>>,
    ) -> Result<Stream, ConnectError> {
        let proxy = proxies.get(number);
        let target = Target {
            name: host.name(),
            port: host.port(),
            address: proxies.local_dns().then(|| address.ip()),
        };
        let connected = match proxies.address(number).await {
            Ok(at) => self.connector.connect_via(proxy, at, target, tls, self.settings.limits.connect).await,
            Err(error) => Err(error),
        };
        if connected.is_ok() && wants_whole_urls(proxy, tls.is_some()) {
            proxies.reached(number);
            return connected;
        }
        let at_fault = proxies.tried(number, connected.as_ref().err());
        connected.map_err(|error| match error {
            // So often silent that it is the proxy, and not the site, that does not answer.
            ConnectError::Through { proxy, reason, .. } if at_fault => ConnectError::Proxy { proxy, reason },
            error => error,
        })
    }
}

fn found_kept(line: http1::Line) -> Found {
    Found { taken: Taken::Http1(line), reused: true, connected: Duration::ZERO }
}
