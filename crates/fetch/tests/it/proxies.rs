//! Asking through proxies.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use fetch::{Agent, Fetcher, HttpFetcher, HttpSettings, NextStep, Proxies, ProxyChoice, Request};
use model::{ErrorKind, HttpVersion, PageUrl};
use net::{
    AddressGuard, Connector, Login, ProcessClock, Proxy, ProxyKind, Resolver, ResolverSettings, TlsSettings,
};
use testkit::{Speaks, TestProxy};

use crate::http2_site::{self, say};
use crate::server::{NOW, Server, ok};

const LOGIN: (&str, &str) = ("ann", "s3cret");

fn proxy(kind: ProxyKind, port: u16, login: Option<(&str, &str)>) -> Proxy {
    let login = login.map(|(user, password)| Login { user: user.to_owned(), password: password.to_owned() });
    Proxy { kind, host: "127.0.0.1".to_owned(), port, login }
}

/// A fetcher that may not ask private addresses, as is usual.
fn fetcher(list: Vec<Proxy>, local_dns: bool, tls: &TlsSettings, guard: AddressGuard) -> HttpFetcher {
    let (guard, clock) = (Arc::new(guard), Arc::new(ProcessClock::start()));
    let resolver = Arc::new(Resolver::new(ResolverSettings::default(), guard.clone(), clock.clone()));
    let connector = Connector::new(guard, tls).unwrap();
    let mut settings = HttpSettings::new(Agent::new("gannet", &[]).unwrap());
    let proxies = Proxies::new(list, ProxyChoice::PerHost, local_dns, resolver, clock.clone());
    settings.proxies = Some(Arc::new(proxies));
    HttpFetcher::new(connector, clock, settings)
}

fn through(list: Vec<Proxy>) -> HttpFetcher {
    fetcher(list, false, &TlsSettings::default(), AddressGuard::default())
}

/// The address stands for one that nobody looked up.
fn request(url: &str) -> Request {
    Request::new(PageUrl::parse(url).unwrap(), "100::1".parse().unwrap(), NOW)
}

#[tokio::test]
async fn a_plain_page_is_asked_of_an_http_proxy_by_its_whole_url() {
    let site = Server::with(ok("page")).await;
    let server = TestProxy::start(Speaks::Http, Some(LOGIN), 0).await.unwrap();
    let fetcher = through(vec![proxy(ProxyKind::Http, server.address.port(), Some(LOGIN))]);
    let url = format!("http://a.test:{}/x?y", site.address.port());
    for _ in 0..2 {
        let page = fetcher.fetch(request(&url)).await.unwrap().fetched().clone();
        assert_eq!((&page.body[..], page.address), (&b"page"[..], None));
        let asked = String::from_utf8(page.request.to_vec()).unwrap();
        assert!(asked.starts_with("GET /x?y HTTP/1.1\r\nHost: a.test:"), "{asked}");
        assert!(!asked.to_lowercase().contains("proxy-"), "the password must not be archived: {asked}");
    }
    assert_eq!(server.asked(), [format!("GET {url}")], "one connection");
    assert!(site.seen()[0].head.starts_with("GET /x?y HTTP/1.1\r\n"), "{:?}", site.seen());
}

#[tokio::test]
async fn https_goes_through_a_tunnel_and_speaks_http2_there() {
    let site = http2_site::Site::well(|_, path, respond| async move { say(respond, &path).await }).await;
    let cases = [(ProxyKind::Http, Speaks::Http, "CONNECT"), (ProxyKind::Socks5, Speaks::Socks5, "SOCKS")];
    for (kind, speaks, word) in cases {
        let server = TestProxy::start(speaks, Some(LOGIN), 0).await.unwrap();
        let list = vec![proxy(kind, server.address.port(), Some(LOGIN))];
        let fetcher = fetcher(list, false, &site.tls(), AddressGuard::default());
        let place = format!("a.test:{}", site.address.port());
        for _ in 0..2 {
            let page = fetcher.fetch(request(&format!("https://{place}/x"))).await.unwrap().fetched().clone();
            assert_eq!((&page.body[..], page.version), (&b"/x"[..], HttpVersion::Http2));
        }
        assert_eq!(server.asked(), [format!("{word} {place}")]);
    }
}

#[tokio::test]
async fn socks_is_told_names_or_addresses() {
    let site = Server::with(ok("page")).await;
    let port = site.address.port();
    for (local_dns, told) in [(false, "a.test"), (true, "127.0.0.1")] {
        let server = TestProxy::start(Speaks::Socks5, None, 0).await.unwrap();
        let list = vec![proxy(ProxyKind::Socks5, server.address.port(), None)];
        let guard = AddressGuard { allow_private: local_dns, allow: Vec::new() };
        let fetcher = fetcher(list, local_dns, &TlsSettings::default(), guard);
        let mut asked = request(&format!("http://a.test:{port}/"));
        asked.address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let page = fetcher.fetch(asked).await.unwrap().fetched().clone();
        assert_eq!(page.address, local_dns.then_some(site.address));
        assert!(page.request.starts_with(b"GET / HTTP/1.1\r\n"));
        assert_eq!(server.asked(), [format!("SOCKS {told}:{port}")]);
    }
}

#[tokio::test]
async fn a_proxy_is_no_way_around_the_guard() {
    let site = Server::with(ok("secret")).await;
    let port = site.address.port();
    let server = TestProxy::start(Speaks::Http, None, 0).await.unwrap();
    let list = || vec![proxy(ProxyKind::Http, server.address.port(), None)];
    let strict = through(list());
    for name in ["127.0.0.1", "localhost", "x.localhost", "[::1]", "2130706433", "0x7f.1", "169.254.169.254"]
    {
        let error = strict.fetch(request(&format!("http://{name}:{port}/"))).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ForbiddenAddress, "{name}");
    }
    // Where names are resolved here, by what they resolve to.
    let resolving = fetcher(list(), true, &TlsSettings::default(), AddressGuard::default());
    let mut inward = request(&format!("http://a.test:{port}/"));
    inward.address = IpAddr::V4(Ipv4Addr::LOCALHOST);
    assert_eq!(resolving.fetch(inward).await.unwrap_err().kind(), ErrorKind::ForbiddenAddress);
    assert!(server.asked().is_empty() && site.seen().is_empty(), "{:?}", server.asked());
}

/// A port at which nobody listens.
async fn closed_port() -> u16 {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    listener.local_addr().unwrap().port()
}

#[tokio::test]
async fn when_one_proxy_fails_another_stands_in() {
    let site = Server::with(ok("page")).await;
    let server = TestProxy::start(Speaks::Http, None, 0).await.unwrap();
    let dead = closed_port().await;
    let list = vec![proxy(ProxyKind::Http, dead, None), proxy(ProxyKind::Http, server.address.port(), None)];
    let fetcher = through(list);
    // Which hosts are the dead one's own lies with the ports; among 64 there are three.
    for host in 0..64 {
        let url = format!("http://h{host}.test:{}/", site.address.port());
        assert_eq!(fetcher.fetch(request(&url)).await.unwrap().fetched().body, "page");
        if fetcher.proxies().unwrap().states()[0].rests.is_some() {
            break;
        }
    }
    let states = fetcher.proxies().unwrap().states();
    assert_eq!((states[0].failed, states[1].failed), (3, 0), "it rests after three failures: {states:?}");
    assert!(states[0].rests.is_some() && states[1].rests.is_none());
    assert_eq!(fetcher.proxies().unwrap().all_rest(), None);
}

#[tokio::test]
async fn when_all_proxies_fail_the_site_is_not_to_blame() {
    let check = async |list: Vec<Proxy>, url: &str, reason: &str| {
        let fetcher = through(list);
        for _ in 0..3 {
            let error = fetcher.fetch(request(url)).await.unwrap_err();
            assert_eq!((error.kind(), error.next_step()), (ErrorKind::Proxy, NextStep::RetrySoft));
            let words = format!("{error} {error:?}");
            assert!(words.contains(reason) && !words.contains("s3cret"), "{words}");
        }
        assert!(fetcher.proxies().unwrap().all_rest().is_some());
    };
    let dead = closed_port().await;
    check(vec![proxy(ProxyKind::Http, dead, Some(LOGIN))], "http://a.test/", "refused").await;
    check(vec![proxy(ProxyKind::Socks5, dead, Some(LOGIN))], "https://a.test/", "refused").await;
    let (http, socks) = (Speaks::Http, Speaks::Socks5);
    let other = Some(("ann", "another"));
    for (kind, speaks, url) in [
        (ProxyKind::Http, http, "http://a.test/"),
        (ProxyKind::Http, http, "https://a.test/"),
        (ProxyKind::Socks5, socks, "http://a.test/"),
    ] {
        let server = TestProxy::start(speaks, other, 0).await.unwrap();
        let list = vec![proxy(kind, server.address.port(), Some(LOGIN))];
        check(list, url, "it refuses our login").await;
        assert_eq!(server.asked(), ["REFUSED", "REFUSED", "REFUSED"]);
    }
    // One speaks what the other does not and stays silent; it might as well be waiting for the site.
    let server = TestProxy::start(socks, None, 0).await.unwrap();
    let list = vec![proxy(ProxyKind::Http, server.address.port(), None)];
    let error = through(list).fetch(request("https://a.test/")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
}

#[tokio::test]
async fn a_site_out_of_reach_behind_a_proxy_is_the_sites_failure() {
    let dead = closed_port().await;
    for (kind, speaks) in [(ProxyKind::Http, Speaks::Http), (ProxyKind::Socks5, Speaks::Socks5)] {
        let server = TestProxy::start(speaks, None, 0).await.unwrap();
        let fetcher = through(vec![proxy(kind, server.address.port(), None)]);
        for _ in 0..5 {
            let error = fetcher.fetch(request(&format!("https://a.test:{dead}/"))).await.unwrap_err();
            assert_eq!(
                (error.kind(), error.next_step()),
                (ErrorKind::Connect, NextStep::RetryHard),
                "{error:?}"
            );
        }
        assert_eq!(fetcher.proxies().unwrap().all_rest(), None);
    }
}

#[tokio::test]
async fn a_host_keeps_its_proxy() {
    /// So many that all of them go one way once in 2^39 times: ports are drawn, and with them the ways.
    const HOSTS: usize = 40;
    let site = Server::with(ok("page")).await;
    let servers = [
        TestProxy::start(Speaks::Socks5, None, 0).await.unwrap(),
        TestProxy::start(Speaks::Socks5, None, 0).await.unwrap(),
    ];
    let list = servers.iter().map(|server| proxy(ProxyKind::Socks5, server.address.port(), None)).collect();
    let fetcher = through(list);
    for path in ["/robots.txt", "/"] {
        for host in 0..HOSTS {
            // A fetcher that forgets its connections would ask again, and the same one.
            let url = format!("http://h{host}.test:{}{path}", site.address.port());
            fetcher.fetch(request(&url)).await.unwrap();
        }
    }
    let [first, second] = servers.map(|server| server.asked());
    assert!(!first.is_empty() && !second.is_empty(), "both are used: {first:?} {second:?}");
    assert!(first.iter().all(|asked| !second.contains(asked)), "{first:?} {second:?}");
}
