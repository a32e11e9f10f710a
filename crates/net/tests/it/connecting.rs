//! Connections, plain and TLS.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use net::{AddressGuard, ConnectError, Connector, Stream, Tls, TlsSettings};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

const PATIENCE: Duration = Duration::from_secs(10);

fn connector(settings: &TlsSettings) -> Connector {
    let guard = AddressGuard { allow_private: true, allow: Vec::new() };
    Connector::new(Arc::new(guard), settings).unwrap()
}

/// A server that greets whoever agrees on TLS with it, and its authority's certificate in a file.
async fn tls_server(names: &[&str], year_of_end: i32) -> (SocketAddr, PathBuf, TempDir) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.not_after = rcgen::date_time_ymd(year_of_end, 1, 1);
    let certificate = params.signed_by(&key, &authority).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, authority.pem()).unwrap();

    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = config.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if let Ok(mut stream) = acceptor.accept(stream).await {
                    let name = stream.get_ref().1.server_name().unwrap_or("nobody").to_owned();
                    // And hangs up without TLS's good-bye.
                    drop(stream.write_all(format!("hello to {name}").as_bytes()).await);
                }
            });
        }
    });
    (address, file, folder)
}

async fn greeting(connector: &Connector, address: SocketAddr, name: &str) -> Result<String, ConnectError> {
    let mut stream = connector.connect(address, Some(Tls { name, http2: false }), PATIENCE).await?;
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    Ok(text)
}

#[tokio::test]
async fn a_trusted_authority_is_believed() {
    let (address, ca, _folder) = tls_server(&["shop.test", "127.0.0.1"], 2100).await;
    let trusting = connector(&TlsSettings { ca: vec![ca], accept_invalid: false });
    // The name is told to the server; an address is not a name.
    assert_eq!(greeting(&trusting, address, "shop.test").await.unwrap(), "hello to shop.test");
    assert_eq!(greeting(&trusting, address, "127.0.0.1").await.unwrap(), "hello to nobody");
    let error = greeting(&trusting, address, "other.test").await.unwrap_err();
    assert!(matches!(error, ConnectError::Tls { .. }), "{error:?}");
}

#[tokio::test]
async fn nobody_else_is() {
    let (address, ca, _folder) = tls_server(&["shop.test"], 2100).await;
    let error = greeting(&connector(&TlsSettings::default()), address, "shop.test").await.unwrap_err();
    assert_eq!(error.to_string(), format!("TLS with shop.test at {address} failed"));
    let (old, old_ca, _old_folder) = tls_server(&["shop.test"], 2020).await;
    let trusting = connector(&TlsSettings { ca: vec![ca, old_ca], accept_invalid: false });
    assert!(greeting(&trusting, address, "shop.test").await.is_ok());
    assert!(greeting(&trusting, old, "shop.test").await.is_err());
}

#[tokio::test]
async fn invalid_certificates_can_be_accepted_on_demand() {
    let (address, _, _folder) = tls_server(&["shop.test"], 2020).await;
    let careless = connector(&TlsSettings { ca: Vec::new(), accept_invalid: true });
    assert_eq!(greeting(&careless, address, "other.test").await.unwrap(), "hello to other.test");
}

#[tokio::test]
async fn plain_http_where_tls_is_expected_is_a_tls_error() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        stream.read_to_end(&mut Vec::new()).await
    });
    let error = greeting(&connector(&TlsSettings::default()), address, "shop.test").await.unwrap_err();
    assert!(matches!(error, ConnectError::Tls { .. }), "{error:?}");
}

#[tokio::test]
async fn a_line_that_breaks_in_the_handshake_is_no_matter_of_trust() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_u8().await.unwrap();
        // Dropped like this, the line breaks with a reset.
        stream.set_zero_linger().unwrap();
    });
    let error = greeting(&connector(&TlsSettings::default()), address, "shop.test").await.unwrap_err();
    assert!(matches!(error, ConnectError::Tcp { .. }), "{error:?}");
}

#[tokio::test]
async fn a_server_silent_in_the_handshake_is_given_up() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let limit = Duration::from_millis(200);
    let tls = Some(Tls { name: "shop.test", http2: true });
    let error = connector(&TlsSettings::default()).connect(address, tls, limit).await.unwrap_err();
    assert_eq!(error.to_string(), format!("no connection to {address} within 200ms"));
}

#[tokio::test]
async fn the_guard_is_asked_before_the_network() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let strict = Connector::new(Arc::default(), &TlsSettings::default()).unwrap();
    let error = strict.connect(address, None, PATIENCE).await.unwrap_err();
    assert!(matches!(error, ConnectError::Forbidden(_)), "{error:?}");
    let open = connector(&TlsSettings::default()).connect(address, None, PATIENCE).await.unwrap();
    assert!(matches!(open, Stream::Plain(_)));
    // The one that was let through is the only one that came.
    let (_, client) = listener.accept().await.unwrap();
    let Stream::Plain(open) = open else { panic!("plain") };
    assert_eq!(client, open.local_addr().unwrap());
}

#[test]
fn a_bad_file_of_authorities_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    let error = || {
        let settings = TlsSettings { ca: vec![file.clone()], accept_invalid: false };
        Connector::new(Arc::default(), &settings).err().unwrap().to_string()
    };
    assert!(
        error().starts_with(&format!("cannot read certificates from {}: ", file.display())),
        "{}",
        error()
    );
    std::fs::write(&file, "no certificate").unwrap();
    assert_eq!(error(), format!("cannot read certificates from {}: no certificate in it", file.display()));
}
