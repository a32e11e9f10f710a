//! HTTP over TLS, with a certificate authority of the test's own.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use fetch::{Agent, FetchError, Fetcher, HttpFetcher, HttpSettings, NextStep, Request};
use model::{ErrorKind, Fetched, PageUrl};
use net::{AddressGuard, Connector, ProcessClock, TlsSettings};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::server::{Act, NOW, Seen, ok, serve};

struct Site {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    ca: tempfile::NamedTempFile,
}

/// A site that signed its own certificate for `shop.test`.
async fn site(script: impl Fn(usize, &str) -> Act + Send + Sync + 'static) -> Site {
    let signed = rcgen::generate_simple_self_signed(["shop.test".to_owned()]).unwrap();
    let ca = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(ca.path(), signed.cert.pem()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).unwrap();
    let mut config =
        config.with_no_client_auth().with_single_cert(vec![signed.cert.der().clone()], key).unwrap();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (log, script) = (seen.clone(), Arc::new(script));
    tokio::spawn(async move {
        for connection in 0.. {
            let (stream, _) = listener.accept().await.unwrap();
            let (acceptor, log, script) = (acceptor.clone(), log.clone(), script.clone());
            tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
                    // `Reset` gives the stream back, to be dropped without TLS's good-bye.
                    drop(serve(stream, connection, &log, &*script).await);
                }
            });
        }
    });
    Site { address, seen, ca }
}

fn fetcher(settings: &TlsSettings) -> HttpFetcher {
    let guard = Arc::new(AddressGuard { allow_private: true, allow: Vec::new() });
    let connector = Connector::new(guard, settings).unwrap();
    let settings = HttpSettings::new(Agent::new("gannet", &[]).unwrap());
    HttpFetcher::new(connector, Arc::new(ProcessClock::start()), settings)
}

fn trusting(site: &Site) -> HttpFetcher {
    fetcher(&TlsSettings { ca: vec![site.ca.path().to_owned()], accept_invalid: false })
}

async fn get(fetcher: &HttpFetcher, site: &Site, name: &str) -> Result<Fetched, FetchError> {
    let url = PageUrl::parse(&format!("https://{name}:{}/", site.address.port())).unwrap();
    let request = Request::new(url, IpAddr::V4(Ipv4Addr::LOCALHOST), NOW);
    fetcher.fetch(request).await.map(|answer| answer.fetched().clone())
}

#[tokio::test]
async fn pages_come_over_tls_on_one_connection() {
    let site = site(|_, _| Act::Send(ok("secret"))).await;
    let fetcher = trusting(&site);
    for _ in 0..3 {
        let page = get(&fetcher, &site, "shop.test").await.unwrap();
        assert_eq!((&page.body[..], page.cut), (&b"secret"[..], None));
        assert!(page.head.starts_with(b"HTTP/1.1 200 OK\r\n"));
        assert!(page.request.starts_with(b"GET / HTTP/1.1\r\nHost: shop.test:"));
    }
    let connections: Vec<usize> = site.seen.lock().unwrap().iter().map(|seen| seen.connection).collect();
    assert_eq!(connections, [0, 0, 0]);
}

#[tokio::test]
async fn a_certificate_that_proves_nothing_is_a_tls_error() {
    let site = site(|_, _| Act::Send(ok("secret"))).await;
    let error = get(&fetcher(&TlsSettings::default()), &site, "shop.test").await.unwrap_err();
    assert_eq!((error.kind(), error.next_step()), (ErrorKind::Tls, NextStep::Drop));
    let error = get(&trusting(&site), &site, "other.test").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Tls);
    assert!(site.seen.lock().unwrap().is_empty());
    let careless = fetcher(&TlsSettings { ca: Vec::new(), accept_invalid: true });
    assert_eq!(get(&careless, &site, "other.test").await.unwrap().body, "secret");
}

#[tokio::test]
async fn a_body_may_end_with_the_connection() {
    let site = site(|_, _| Act::SendAndClose(b"HTTP/1.1 200 OK\r\n\r\nuntil the end".to_vec())).await;
    let page = get(&trusting(&site), &site, "shop.test").await.unwrap();
    assert_eq!((&page.body[..], page.cut), (&b"until the end"[..], None));
}
