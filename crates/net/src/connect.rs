//! Connections to a pinned address, with TLS where asked for. The one place that opens a connection.
//!
//! No name is resolved here: the address comes from the lease, and the guard looks at it once more.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::{AddressGuard, Forbidden};

/// The names of the protocols in TLS.
const HTTP1: &[u8] = b"http/1.1";
const HTTP2: &[u8] = b"h2";

/// Whom TLS trusts.
#[derive(Clone, Debug, Default)]
pub struct TlsSettings {
    /// Certificate authorities to trust besides the system's: PEM files.
    pub ca: Vec<PathBuf>,
    /// Take any certificate. For one's own test sites only.
    pub accept_invalid: bool,
}

/// TLS as one connection wants it.
#[derive(Clone, Copy, Debug)]
pub struct Tls<'a> {
    /// The name in the certificate.
    pub name: &'a str,
    /// Offer HTTP/2 besides HTTP/1.1; the server chooses.
    pub http2: bool,
}

/// Opens connections.
#[derive(Clone)]
pub struct Connector {
    pub(crate) guard: Arc<AddressGuard>,
    /// Made when it is first wanted: reading all authorities of a machine takes longer than a small crawl.
    tls: Arc<LazyLock<TlsConnectors, Box<dyn FnOnce() -> TlsConnectors + Send>>>,
}

/// By what the server is offered.
struct TlsConnectors {
    http1: TlsConnector,
    http2: TlsConnector,
}

/// A connection, plain or TLS.
#[derive(Debug)]
pub enum Stream {
    /// As it is.
    Plain(TcpStream),
    /// Encrypted.
    Tls(Box<TlsStream<TcpStream>>),
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The address may not be asked.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Neither yes nor no in time.
    #[error("no connection to {address} within {limit:?}")]
    TimedOut {
        /// Where to.
        address: SocketAddr,
        /// How long was waited.
        limit: Duration,
    },
    /// Refused or unreachable.
    #[error("no connection to {address}")]
    Tcp {
        /// Where to.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
    /// The proxy does not work, which says nothing about the site behind it.
    #[error("the proxy {proxy} does not work: {reason}")]
    Proxy {
        /// Its address, without login.
        proxy: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The proxy does not reach the site.
    #[error("no connection to {target} through the proxy {proxy}: {reason}")]
    Through {
        /// Its address, without login.
        proxy: String,
        /// Where to.
        target: String,
        /// In the proxy's words.
        reason: String,
        /// The proxy said nothing at all.
        silent: bool,
    },
    /// TLS could not be agreed on.
    #[error("TLS with {name} at {address} failed")]
    Tls {
        /// Where to.
        address: SocketAddr,
        /// The name the certificate had to carry.
        name: String,
        /// What failed.
        source: io::Error,
    },
}

/// Why TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file of authorities cannot be used.
    #[error("cannot read certificates from {path}: {reason}")]
    Ca {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The TLS library refuses its settings.
    #[error("cannot set up TLS")]
    Setup(#[from] rustls::Error),
}

impl Connector {
    /// Makes a connector. Files of authorities are read now, those of the machine when TLS is first spoken.
    pub fn new(guard: Arc<AddressGuard>, tls: &TlsSettings) -> Result<Connector, TlsError> {
        let config = client_config(tls)?;
        let connectors = move || {
            let mut config = config();
            config.alpn_protocols = vec![HTTP1.to_vec()];
            let http1 = TlsConnector::from(Arc::new(config.clone()));
            config.alpn_protocols = vec![HTTP2.to_vec(), HTTP1.to_vec()];
            TlsConnectors { http1, http2: TlsConnector::from(Arc::new(config)) }
        };
        Ok(Connector { guard, tls: Arc::new(LazyLock::new(Box::new(connectors))) })
    }

    /// Connects to exactly this address.
    pub async fn connect(
        &self,
        address: SocketAddr,
        tls: Option<Tls<'_>>,
        limit: Duration,
    ) -> Result<Stream, ConnectError> {
        self.guard.check_socket(address)?;
        let connecting = async {
            let tcp = open(address).await.map_err(|source| ConnectError::Tcp { address, source })?;
            match tls {
                None => Ok(Stream::Plain(tcp)),
                Some(tls) => self.encrypt(tcp, address, tls).await,
            }
        };
        match tokio::time::timeout(limit, connecting).await {
            Ok(result) => result,
            Err(_) => Err(ConnectError::TimedOut { address, limit }),
        }
    }

    pub(crate) async fn encrypt(
        &self,
        tcp: TcpStream,
        address: SocketAddr,
        tls: Tls<'_>,
    ) -> Result<Stream, ConnectError> {
        let Tls { name, http2 } = tls;
        let failed = |source: io::Error| match source.get_ref() {
            Some(_) => ConnectError::Tls { address, name: name.to_owned(), source },
            // The line broke during the handshake: nothing has been said about trust.
            None => ConnectError::Tcp { address, source },
        };
        let server = match name.parse::<IpAddr>() {
            Ok(ip) => ServerName::from(ip),
            Err(_) => {
                ServerName::try_from(name.to_owned()).map_err(|error| failed(io::Error::other(error)))?
            }
        };
        let connector = if http2 { &self.tls.http2 } else { &self.tls.http1 };
        let stream = connector.connect(server, tcp).await.map_err(failed)?;
        Ok(Stream::Tls(Box::new(stream)))
    }
}

impl Stream {
    /// True when the server chose HTTP/2.
    pub fn is_http2(&self) -> bool {
        match self {
            Stream::Plain(_) => false,
            Stream::Tls(stream) => stream.get_ref().1.alpn_protocol() == Some(HTTP2),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that connects, behind the guard")]
pub(crate) async fn open(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    // A request is one small write; waiting to fill a packet would only delay it.
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// How to make the settings of TLS. What is wrong with them is said at once.
fn client_config(settings: &TlsSettings) -> Result<impl FnOnce() -> ClientConfig + Send + 'static, TlsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    for path in &settings.ca {
        let wrong = |reason: String| TlsError::Ca { path: path.clone(), reason };
        let before = roots.len();
        for certificate in CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))? {
            let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
            roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
        }
        if roots.len() == before {
            return Err(wrong("no certificate in it".to_owned()));
        }
    }
    let builder =
        ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions()?;
    let accept_invalid = settings.accept_invalid;
    Ok(move || {
        if accept_invalid {
            let anyone = Arc::new(TrustAnyone(provider));
            return builder.dangerous().with_custom_certificate_verifier(anyone).with_no_client_auth();
        }
        // A machine without certificates of its own can still crawl http, and https with `--ca`.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        builder.with_root_certificates(roots).with_no_client_auth()
    })
}

/// Takes any certificate, but still checks that the server holds its key.
#[derive(Debug)]
struct TrustAnyone(Arc<CryptoProvider>);

impl ServerCertVerifier for TrustAnyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Stream::Tls(stream) => match Pin::new(stream).poll_read(cx, buffer) {
                // Many servers hang up without TLS's good-bye. HTTP says how long a body is, and its reader
                // notices a missing end; only a body that ends with the connection could be cut unnoticed.
                Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    Poll::Ready(Ok(()))
                }
                other => other,
            },
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Stream::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
