//! The other end: asks the owner of a data directory through its socket, or a server through its address.

use std::error::Error;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, IF_MATCH};
use hyper::{Method, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use service::{Class, Data, Request};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use url::Url;

use crate::socket::with_short_path;
use crate::wire::Line;

/// How long the owner may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(5);

/// Longest line of an answer.
const LONGEST_LINE: usize = 64 << 20;

/// Longest status.
const LONGEST_STATUS: usize = 1 << 20;

/// What went wrong with an exchange.
type Trouble = Box<dyn Error + Send + Sync>;

/// Why asking failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The owner says no.
    #[error("{message}")]
    Refused {
        /// What it means.
        class: Class,
        /// Why.
        message: String,
    },
    /// The owner is there but does not answer as it should.
    #[error("the process that owns {} does not answer: {reason}", dir.display())]
    Broken {
        /// The data directory.
        dir: PathBuf,
        /// What went wrong.
        reason: String,
    },
    /// The owner ended before it had answered.
    #[error("the process that owns {} ended while it answered: ask again", dir.display())]
    Ended {
        /// The data directory.
        dir: PathBuf,
    },
    /// The server cannot be reached, or does not answer as it should.
    #[error("the server {server} cannot be asked: {reason}")]
    Remote {
        /// Its address.
        server: String,
        /// What went wrong.
        reason: String,
    },
}

/// A server, by its address, and the token that it is asked with.
#[derive(Clone, Debug)]
pub struct Remote {
    url: Url,
    token: Option<String>,
}

impl Remote {
    /// The server at this address; only HTTP is spoken, as servers listen on loopback.
    pub fn new(address: &str, token: Option<String>) -> Result<Remote, ClientError> {
        let refuse =
            |reason: &str| ClientError::Remote { server: address.to_owned(), reason: reason.to_owned() };
        let text = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
        let url = Url::parse(&text).map_err(|error| refuse(&error.to_string()))?;
        match (url.scheme(), url.host_str()) {
            ("http", Some(_)) => Ok(Remote { url, token }),
            ("https", _) => {
                Err(refuse("only http:// is spoken; reach the server through a tunnel, such as ssh -L"))
            }
            _ => Err(refuse("write http://127.0.0.1:7777")),
        }
    }

    /// Asks, and hands over the values as they come.
    pub async fn ask(
        &self,
        request: &Request,
        out: &mut dyn FnMut(Value) -> ControlFlow<()>,
    ) -> Result<(), ClientError> {
        let question = serde_json::to_vec(request).map_err(|error| self.broken(error))?;
        let response = self.send(Method::POST, "/api/v1/ask", question.into()).await?;
        if !response.status().is_success() {
            return Err(self.refused(response).await);
        }
        lines(response.into_body(), out, |reason| self.broken(reason)).await
    }

    /// Calls the API: the answer's JSON.
    pub async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, ClientError> {
        let body = body.map(|body| body.to_string().into()).unwrap_or_default();
        let response = self.send(method, path, body).await?;
        if !response.status().is_success() {
            return Err(self.refused(response).await);
        }
        let body = Limited::new(response.into_body(), LONGEST_LINE).collect().await;
        let body = body.map_err(|error| self.broken(error))?.to_bytes();
        if body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&body).map_err(|error| self.broken(error))
    }

    async fn send(&self, method: Method, path: &str, body: Bytes) -> Result<Response<Incoming>, ClientError> {
        let host = self.url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let port = self.url.port_or_known_default().unwrap_or(80);
        #[expect(clippy::disallowed_methods, reason = "no Web server: our own, which the user names")]
        let stream = tokio::time::timeout(PATIENCE, TcpStream::connect((host, port))).await;
        let stream = match stream {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(self.broken(error)),
            Err(_) => return Err(self.broken(format!("no word within {} s", PATIENCE.as_secs()))),
        };
        let name = self.url.authority().rsplit('@').next().unwrap_or_default().to_owned();
        // Whoever writes a command means it, whatever version is there.
        let request = hyper::Request::builder().header(IF_MATCH, "*");
        let mut request = request.method(method).uri(path).header(HOST, name);
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        exchange(stream, request, body).await.map_err(|error| self.broken(error))
    }

    async fn refused(&self, response: Response<Incoming>) -> ClientError {
        let status = response.status();
        let body = Limited::new(response.into_body(), LONGEST_STATUS).collect().await;
        let body = body.map(|body| body.to_bytes()).unwrap_or_default();
        // A problem, or the error line of a question.
        let said: Value = serde_json::from_slice(&body).unwrap_or_default();
        if let Ok(Line::Error(trouble)) = serde_json::from_value(said.clone()) {
            return ClientError::Refused { class: trouble.class, message: trouble.message };
        }
        let detail = said["detail"].as_str().unwrap_or("it refuses").to_owned();
        let class = match status {
            StatusCode::UNAUTHORIZED => {
                let message = "the server wants a token: make one in its settings, and give it with --token or \
                               GANNET_TOKEN";
                return ClientError::Refused { class: Class::Request, message: message.to_owned() };
            }
            StatusCode::CONFLICT => Class::Busy,
            status if status.is_client_error() => Class::Request,
            _ => Class::Failed,
        };
        ClientError::Refused { class, message: detail }
    }

    fn broken(&self, reason: impl ToString) -> ClientError {
        ClientError::Remote { server: self.url.to_string(), reason: reason.to_string() }
    }
}

/// How the owner stands; none when nobody listens.
pub async fn status(dir: &Path) -> Result<Option<Value>, ClientError> {
    let asked = async {
        let Some(response) = send(dir, Method::GET, "/api/v1/status", Bytes::new()).await? else {
            return Ok(None);
        };
        let body = Limited::new(response.into_body(), LONGEST_STATUS).collect().await;
        let body = body.map_err(|error| broken(dir, error))?.to_bytes();
        serde_json::from_slice(&body).map(Some).map_err(|error| broken(dir, error))
    };
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(status) => status,
        Err(_) => Err(broken(dir, format!("no word within {} s", PATIENCE.as_secs()))),
    }
}

/// A link that signs a browser in, from the process that serves browsers; none when nobody listens.
pub async fn sign_in_link(dir: &Path) -> Result<Option<String>, ClientError> {
    let Some(response) = send(dir, Method::POST, "/api/v1/signin", Bytes::new()).await? else {
        return Ok(None);
    };
    let body = Limited::new(response.into_body(), LONGEST_STATUS).collect().await;
    let body = body.map_err(|error| broken(dir, error))?.to_bytes();
    let answer: Value = serde_json::from_slice(&body).map_err(|error| broken(dir, error))?;
    if let Ok(Line::Error(trouble)) = serde_json::from_value(answer.clone()) {
        return Err(ClientError::Refused { class: trouble.class, message: trouble.message });
    }
    answer["link"].as_str().map(|link| Some(link.to_owned())).ok_or_else(|| broken(dir, "an odd answer"))
}

/// Asks, and hands over the values as they come. False when nobody listens.
pub async fn ask(
    dir: &Path,
    request: &Request,
    out: &mut dyn FnMut(Value) -> ControlFlow<()>,
) -> Result<bool, ClientError> {
    let question = serde_json::to_vec(request).map_err(|error| broken(dir, error))?;
    let Some(response) = send(dir, Method::POST, "/api/v1/ask", question.into()).await? else {
        return Ok(false);
    };
    lines(response.into_body(), out, |error| of_owner(dir, error)).await.map(|()| true)
}

/// Reads an answer line by line.
async fn lines(
    mut body: Incoming,
    out: &mut dyn FnMut(Value) -> ControlFlow<()>,
    broken: impl Fn(Trouble) -> ClientError,
) -> Result<(), ClientError> {
    let mut lines = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| broken(error.into()))?;
        let Ok(data) = frame.into_data() else { continue };
        lines.extend_from_slice(&data);
        let mut taken = 0;
        while let Some(length) = lines[taken..].iter().position(|&byte| byte == b'\n') {
            let line = serde_json::from_slice(&lines[taken..taken + length]);
            let line = line.map_err(|error| broken(error.into()))?;
            taken += length + 1;
            match line {
                Line::Row(row) => {
                    if out(row).is_break() {
                        return Ok(());
                    }
                }
                Line::End(_) => return Ok(()),
                Line::Error(trouble) => {
                    return Err(ClientError::Refused { class: trouble.class, message: trouble.message });
                }
            }
        }
        lines.drain(..taken);
        if lines.len() > LONGEST_LINE {
            return Err(broken("an answer's line is too long".into()));
        }
    }
    // A refusal of the request itself is one JSON value without a line end.
    match serde_json::from_slice(&lines) {
        Ok(Line::Error(trouble)) => {
            Err(ClientError::Refused { class: trouble.class, message: trouble.message })
        }
        _ => Err(broken("the answer was cut off".into())),
    }
}

async fn send(
    dir: &Path,
    method: Method,
    path: &str,
    body: Bytes,
) -> Result<Option<Response<Incoming>>, ClientError> {
    let socket = Data::socket_path(dir);
    let stream = match with_short_path(&socket, |path| std::os::unix::net::UnixStream::connect(path)) {
        Ok(stream) => stream,
        Err(error) if is_nobody(&error) => return Ok(None),
        Err(error) => return Err(broken(dir, error)),
    };
    let stream = stream.set_nonblocking(true).and_then(|()| UnixStream::from_std(stream));
    let stream = stream.map_err(|error| broken(dir, error))?;
    let request = hyper::Request::builder().method(method).uri(path).header(HOST, "localhost");
    exchange(stream, request, body).await.map(Some).map_err(|error| of_owner(dir, error))
}

/// One request and its response.
async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: hyper::http::request::Builder,
    body: Bytes,
) -> Result<Response<Incoming>, Trouble> {
    #[expect(clippy::disallowed_methods, reason = "no Web server: our own, which the user names")]
    let connected = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = connected?;
    tokio::spawn(connection);
    let request = request.header(CONTENT_TYPE, "application/json").body(Full::new(body))?;
    Ok(sender.send_request(request).await?)
}

/// No socket, or one that a dead process left.
fn is_nobody(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused | io::ErrorKind::NotADirectory
    )
}

fn of_owner(dir: &Path, error: Trouble) -> ClientError {
    match is_end(&*error) {
        true => ClientError::Ended { dir: dir.to_owned() },
        false => broken(dir, error),
    }
}

/// The connection ended, and with it the process at its other end.
fn is_end(error: &(dyn Error + 'static)) -> bool {
    if let Some(error) = error.downcast_ref::<hyper::Error>()
        && (error.is_canceled() || error.is_closed() || error.is_incomplete_message())
    {
        return true;
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        use io::ErrorKind::{BrokenPipe, ConnectionReset, NotConnected, UnexpectedEof};
        return matches!(error.kind(), BrokenPipe | ConnectionReset | NotConnected | UnexpectedEof);
    }
    error.source().is_some_and(is_end)
}

fn broken(dir: &Path, reason: impl ToString) -> ClientError {
    ClientError::Broken { dir: dir.to_owned(), reason: reason.to_string() }
}
