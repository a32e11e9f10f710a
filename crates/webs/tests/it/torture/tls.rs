//! The TLS listener: certificates, handshakes, HTTP/2.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use webs::torture::TortureServer;

use super::{authority, quick, start, url};
use crate::client::Connection;

/// Long enough for a handshake, shorter than the listener's patience.
const QUIET: Duration = Duration::from_millis(700);

#[expect(clippy::disallowed_methods, reason = "the webs are judged without the crawler's network code")]
async fn handshake(
    server: &TortureServer,
    addr: SocketAddr,
    name: &str,
    protocol: &[u8],
) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(server.ca().as_bytes()).expect("PEM")).expect("an authority");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let mut config = config.expect("versions").with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    let stream = TcpStream::connect(addr).await?;
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

/// A connection to a TLS host, which must come about.
pub(super) async fn open(
    server: &TortureServer,
    addr: SocketAddr,
    name: &str,
    protocol: &[u8],
) -> Connection {
    Connection::on(handshake(server, addr, name, protocol).await.expect("a handshake"))
}

fn tls_addr(server: &TortureServer) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 9], server.addr().port()))
}

#[tokio::test]
async fn no_client_with_care_shakes_hands_with_the_odd_ones() {
    let server = start(51, quick()).await;
    let check = async |label: &str, expected: &str| {
        let name = format!("{label}.torture.test");
        let shaken = timeout(QUIET, handshake(&server, tls_addr(&server), &name, b"http/1.1")).await;
        let told = match shaken {
            Err(_) => "nothing".to_owned(),
            Ok(Ok(_)) => "agreed".to_owned(),
            Ok(Err(error)) => format!("{:?} {error:?}", error.kind()),
        };
        assert!(told.contains(expected), "{label}: {told}");
    };
    check("tls-1-2", "agreed").await;
    check("tls-1-3", "agreed").await;
    check("tls-expired", "Expired").await;
    check("tls-early", "NotValidYet").await;
    check("tls-wrong-name", "NotValidForName").await;
    check("tls-unknown", "BadSignature").await;
    check("tls-forged", "InvalidCertificate").await;
    check("tls-self-signed", "InvalidCertificate").await;
    check("tls-garbage", "InvalidMessage").await;
    check("tls-alert", "AlertReceived(HandshakeFailure)").await;
    check("tls-1-0", "PeerIncompatible").await;
    check("tls-hello-flood", "InvalidData").await;
    check("tls-long-chain", "Invalid").await;
    check("tls-closed", "UnexpectedEof").await;
    check("tls-half", "UnexpectedEof").await;
    check("tls-reset", "ConnectionReset").await;
    check("tls-silent", "nothing").await;
    check("tls-drip", "nothing").await;
    assert_eq!(server.log().entries(), []);
}

#[tokio::test]
async fn a_connection_is_good_for_the_name_it_was_opened_for() {
    let server = start(52, quick()).await;
    let addr = tls_addr(&server);
    let mut connection = open(&server, addr, "tls-1-3.torture.test", b"http/1.1").await;
    let own = connection.get(&authority(&server, "tls-1-3"), "/page.html", &[]).await;
    let other = connection.get(&authority(&server, "tls-1-2"), "/page.html", &[]).await;
    assert_eq!((own.status, other.status), (200, 421));
    let missing = server.truth().missing(&server.log().entries());
    let secure = |label: &str| url(&server, label, "/page.html").replace("http:", "https:");
    assert!(!missing.contains(&secure("tls-1-3")) && missing.contains(&secure("tls-1-2")));
    // Plain HTTP is refused, whatever is asked for.
    let plain = Connection::open(addr).await.get(&authority(&server, "tls-1-3"), "/", &[]).await;
    assert_eq!(plain.status, 400);
}

/// Asks in HTTP/2; the status and the body's length, or the library's word for what went wrong.
async fn ask(server: &TortureServer, label: &str, path: &str) -> Result<(u16, usize), String> {
    let stream = handshake(server, tls_addr(server), &format!("{label}.torture.test"), b"h2").await;
    let said = |error: h2::Error| error.to_string();
    let mut client = h2::client::Builder::new();
    let connected = client
        .max_header_list_size(16 * 1024)
        .handshake::<_, bytes::Bytes>(stream.expect("a handshake"))
        .await;
    let (mut sender, connection) = connected.map_err(said)?;
    let connection = tokio::spawn(connection);
    let asking = async {
        let uri = format!("https://{}{path}", authority(server, label));
        let request = http::Request::get(uri).body(()).expect("a request");
        let (response, _) = sender.send_request(request, true).map_err(said)?;
        let response = response.await.map_err(said)?;
        let status = response.status().as_u16();
        let mut body = response.into_body();
        let mut length = 0;
        while let Some(data) = body.data().await {
            let data = data.map_err(|error| format!("{status} and {length} bytes, then {error}"))?;
            length += data.len();
            if length > 1 << 20 {
                return Err("more and more".to_owned());
            }
            body.flow_control().release_capacity(data.len()).map_err(said)?;
        }
        Ok((status, length))
    };
    let told = timeout(QUIET, asking).await;
    connection.abort();
    told.unwrap_or_else(|_| Err("nothing".to_owned()))
}

#[tokio::test]
async fn http_2_is_misspoken_as_described() {
    let server = start(53, quick()).await;
    let check = async |label: &str, expected: &str| {
        let (plain, _) = ask(&server, label, "/plain.html").await.expect("an ordinary page");
        assert_eq!(plain, 200, "{label}");
        let told = match ask(&server, label, "/").await {
            Ok((status, length)) => format!("{status} and {length} bytes"),
            Err(error) => error,
        };
        assert!(told.contains(expected), "{label}: {told}");
    };
    assert_eq!(ask(&server, "h2", "/news/").await.expect("a page").0, 200);
    check("h2-reset", "200 and 65 bytes, then stream error received: unexpected internal error").await;
    check("h2-reset-at-once", "stream error received: unexpected internal error").await;
    check("h2-refused", "stream error received: refused stream").await;
    check("h2-reset-flood", "error").await;
    check("h2-goaway", "not a result of an error").await;
    check("h2-goaway-late", "200 and 65 bytes").await;
    check("h2-goaway-cut", "200 and 65 bytes, then").await;
    check("h2-settings-flood", "").await;
    check("h2-ping-flood", "").await;
    check("h2-window-flood", "").await;
    check("h2-empty-flood", "").await;
    check("h2-endless-head", "error").await;
    check("h2-huge-header", "error").await;
    check("h2-header-bomb", "error").await;
    check("h2-endless", "more and more").await;
    check("h2-overrun", "error").await;
    check("h2-stall", "nothing").await;
    check("h2-silent", "nothing").await;
    check("h2-push", "").await;
    check("h2-garbage", "error").await;
    check("h2-length", "error").await;
    check("h2-no-status", "error").await;
    check("h2-upper-case", "error").await;
    check("h2-bad-settings", "error").await;
    check("h2-closed", "").await;
}

#[tokio::test]
async fn who_speaks_http_1_only_gets_the_ordinary_pages_there() {
    let server = start(54, quick()).await;
    let mut connection = open(&server, tls_addr(&server), "h2-reset.torture.test", b"http/1.1").await;
    let host = authority(&server, "h2-reset");
    assert_eq!(connection.get(&host, "/", &[]).await.status, 426);
    assert_eq!(connection.get(&host, "/plain.html", &[]).await.status, 200);
}
