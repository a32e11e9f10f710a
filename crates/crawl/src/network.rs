//! The network as a run's settings want it: resolver, address guard, fetcher.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use fetch::{
    Agent, Answer, CookieJar, FetchError, Fetcher, HttpFetcher, HttpSettings, Proxies, ProxyChoice, Request,
    StartCookie,
};
use model::{CrawlSettings, ErrorKind, Host, HostKey, Project, ProxyPer, ProxyScheme, ProxyUrl, Rate};
use net::{
    AddressGuard, Allowed, Connector, Hosts, Login, Proxy, ProxyKind, ResolveError, Resolved, Resolver,
    ResolverSettings, TlsSettings,
};

use crate::{CrawlError, WallClock};

/// The network as a run's settings want it.
pub struct Network {
    /// Names to addresses, guarded.
    pub resolver: Arc<Resolver>,
    /// Requests to answers.
    pub fetcher: HttpFetcher,
    /// What we call ourselves towards robots.txt.
    pub agent: String,
    /// What we call ourselves towards servers.
    pub user_agent: String,
    guard: Arc<AddressGuard>,
    /// Names are resolved by the proxies.
    remote_dns: bool,
}

impl Network {
    /// Sets it up. `allow` names addresses that may be asked although they are private, `idle` bounds the connections
    /// that are kept for later.
    pub fn new(
        project: &Project,
        allow: &[SocketAddr],
        idle: usize,
        clock: WallClock,
    ) -> Result<Network, CrawlError> {
        let settings = &project.crawl;
        let guard = Arc::new(AddressGuard {
            allow_private: settings.allow_private,
            allow: allow.iter().copied().map(Allowed::Socket).chain(ranges(settings)?).collect(),
        });
        let process: Arc<dyn net::Clock> = Arc::new(clock.process());
        let resolver_settings = ResolverSettings {
            dns: settings.dns.iter().map(|server| server.0).collect(),
            hosts: hosts(settings)?,
            ..ResolverSettings::default()
        };
        let resolver = Arc::new(Resolver::new(resolver_settings, guard.clone(), process.clone()));
        let tls = TlsSettings {
            ca: settings.ca.iter().cloned().collect(),
            accept_invalid: settings.accept_invalid_tls,
        };
        let connector = Connector::new(guard.clone(), &tls)?;
        let user_agent = user_agent(settings);
        let extra: Vec<_> =
            settings.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut http = HttpSettings::new(Agent::new(&user_agent, &extra)?);
        http.cookies = Some(Arc::new(CookieJar::new(start_cookies(project))));
        http.limits.connect = settings.connect_timeout.duration();
        http.limits.total = settings.timeout.duration();
        http.idle_per_host = settings.connections_per_host as usize;
        http.idle_total = idle;
        http.http2 = settings.http2;
        http.streams_per_host = match settings.rate {
            Some(Rate::Unlimited) => settings.connections_per_host as usize,
            _ => 1,
        };
        // Only where every proxy is told addresses need we know them.
        let local_dns = settings.proxies.iter().all(|proxy| proxy.scheme == ProxyScheme::Socks5);
        if !settings.proxies.is_empty() {
            let list = settings.proxies.iter().map(proxy).collect();
            let (resolver, process) = (resolver.clone(), process.clone());
            let proxies = Proxies::new(list, proxy_choice(settings), local_dns, resolver, process);
            http.proxies = Some(Arc::new(proxies));
        }
        Ok(Network {
            resolver,
            guard,
            remote_dns: !local_dns,
            fetcher: HttpFetcher::new(connector, process, http),
            user_agent,
            agent: settings.user_agent.clone().unwrap_or_else(|| "gannet".to_owned()),
        })
    }

    /// Our name where a page speaks to one crawler: the first word of what we call ourselves.
    pub fn product(&self) -> &str {
        self.agent.split(['/', ' ']).next().unwrap_or_default()
    }

    /// Asks for a page. A mistake in reading the answer costs this page, not the run.
    pub async fn fetch(&self, request: Request) -> Result<Answer, FetchError> {
        let host = request.url.host();
        let mut work = pin!(self.fetcher.fetch(request));
        poll_fn(|context| {
            let step = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
            step.unwrap_or_else(|_| Poll::Ready(Err(FetchError::Ours { host: host.clone() })))
        })
        .await
    }

    /// How long all proxies still rest; none while requests can be made.
    pub fn proxies_rest(&self) -> Option<Duration> {
        self.fetcher.proxies()?.all_rest()
    }

    /// The address to ask for a host.
    pub async fn address(&self, host: &Host) -> Result<(IpAddr, Duration), ErrorKind> {
        if self.remote_dns {
            let Some(address) = net::literal_address(host.name()) else {
                return Ok((stand_in(host), NO_END));
            };
            let allowed = self.guard.check_socket(SocketAddr::new(address, host.port()));
            return allowed.map(|()| (address, NO_END)).map_err(|_| ErrorKind::ForbiddenAddress);
        }
        match self.resolver.resolve(host.name(), host.port()).await {
            Ok(Resolved { addresses, valid_for }) => match addresses.first() {
                Some(address) => Ok((*address, valid_for)),
                None => Err(ErrorKind::Dns),
            },
            Err(ResolveError::Forbidden { .. }) => Err(ErrorKind::ForbiddenAddress),
            Err(error) => {
                tracing::debug!(%host, %error, "name does not resolve");
                Err(ErrorKind::Dns)
            }
        }
    }
}

/// Name and port of the proxy that a host is asked through while it is well; none without proxies.
pub fn usual_proxy(settings: &CrawlSettings, host: &Host) -> Option<String> {
    let list: Vec<Proxy> = settings.proxies.iter().map(proxy).collect();
    proxy_choice(settings).usual(&list, host.name()).map(|number| list[number].label())
}

fn proxy_choice(settings: &CrawlSettings) -> ProxyChoice {
    match settings.proxy_per {
        ProxyPer::Host => ProxyChoice::PerHost,
        ProxyPer::Run => ProxyChoice::PerRun,
    }
}

/// What an address that nobody looked up is good for.
const NO_END: Duration = Duration::from_secs(24 * 60 * 60);

/// Where a proxy resolves names, a host's address is not known. This stands for it, one for each host, in the range
/// that leads nowhere (RFC 6666): hosts then share no clock, and a mistake could reach nobody.
fn stand_in(host: &Host) -> IpAddr {
    let number = HostKey::of(host).0;
    let [a, b, c, d] = [number >> 48, number >> 32, number >> 16, number].map(|part| part as u16);
    Ipv6Addr::new(0x100, 0, 0, 0, a, b, c, d).into()
}

fn proxy(url: &ProxyUrl) -> Proxy {
    let kind = match url.scheme {
        ProxyScheme::Http => ProxyKind::Http,
        ProxyScheme::Socks5 | ProxyScheme::Socks5h => ProxyKind::Socks5,
    };
    let login = url.login.clone().map(|(user, password)| Login { user, password });
    Proxy { kind, host: url.host.clone(), port: url.port, login }
}

/// The addresses that the project allows by name.
fn ranges(settings: &CrawlSettings) -> Result<Vec<Allowed>, CrawlError> {
    Ok(settings.allow_addresses.iter().map(|range| range.as_str().parse()).collect::<Result<_, _>>()?)
}

/// The whole `User-Agent` header.
fn user_agent(settings: &CrawlSettings) -> String {
    let contact = settings.contact.as_deref();
    match &settings.user_agent {
        Some(name) => match contact {
            Some(contact) => format!("{name} (+{contact})"),
            None => name.clone(),
        },
        None => Agent::user_agent(env!("CARGO_PKG_VERSION"), contact),
    }
}

fn hosts(settings: &CrawlSettings) -> Result<Hosts, CrawlError> {
    let Some(path) = &settings.hosts else { return Ok(Hosts::default()) };
    let text = std::fs::read_to_string(path)
        .map_err(|source| CrawlError::ReadHosts { path: path.clone(), source })?;
    Hosts::parse(&text).map_err(|source| CrawlError::Hosts { path: path.clone(), source })
}

/// The project's own cookies. Without a domain of their own they belong to the hosts of the start URLs.
fn start_cookies(project: &Project) -> Vec<StartCookie> {
    let start_hosts: BTreeSet<String> =
        project.start.iter().map(|url| url.host().name().to_owned()).collect();
    let mut cookies = Vec::new();
    for text in &project.crawl.cookies {
        let mut parts = text.as_str().split(';').map(str::trim);
        let (name, value) = parts.next().and_then(|pair| pair.split_once('=')).unwrap_or_default();
        let mut cookie = StartCookie {
            domain: String::new(),
            path: "/".to_owned(),
            name: name.trim().to_owned(),
            value: value.trim().to_owned(),
            secure: false,
        };
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            match key.trim().to_ascii_lowercase().as_str() {
                "domain" => cookie.domain = value.trim().trim_start_matches('.').to_owned(),
                "path" => cookie.path = value.trim().to_owned(),
                "secure" => cookie.secure = true,
                _ => {}
            }
        }
        let domains: Vec<String> = match cookie.domain.is_empty() {
            true => start_hosts.iter().cloned().collect(),
            false => vec![cookie.domain.clone()],
        };
        cookies.extend(domains.into_iter().map(|domain| StartCookie { domain, ..cookie.clone() }));
    }
    cookies
}
