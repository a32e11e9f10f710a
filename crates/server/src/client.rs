//! The other end: asks the owner of a data directory through its socket.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Method, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use service::{Class, Data, Request};
use tokio::net::UnixStream;

use crate::socket::with_short_path;
use crate::wire::Line;

/// How long the owner may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(5);

/// Longest line of an answer.
const LONGEST_LINE: usize = 64 << 20;

/// Longest status.
const LONGEST_STATUS: usize = 1 << 20;

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
    let mut body = response.into_body();
    let mut lines = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| broken(dir, error))?;
        let Ok(data) = frame.into_data() else { continue };
        lines.extend_from_slice(&data);
        let mut taken = 0;
        while let Some(length) = lines[taken..].iter().position(|&byte| byte == b'\n') {
            let line =
                serde_json::from_slice(&lines[taken..taken + length]).map_err(|error| broken(dir, error))?;
            taken += length + 1;
            match line {
                Line::Row(row) => {
                    if out(row).is_break() {
                        return Ok(true);
                    }
                }
                Line::End(_) => return Ok(true),
                Line::Error(trouble) => {
                    return Err(ClientError::Refused { class: trouble.class, message: trouble.message });
                }
            }
        }
        lines.drain(..taken);
        if lines.len() > LONGEST_LINE {
            return Err(broken(dir, "an answer's line is too long"));
        }
    }
    // A refusal of the request itself is one JSON value without a line end.
    match serde_json::from_slice(&lines) {
        Ok(Line::Error(trouble)) => {
            Err(ClientError::Refused { class: trouble.class, message: trouble.message })
        }
        _ => Err(broken(dir, "the answer was cut off")),
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
    #[expect(clippy::disallowed_methods, reason = "no Web server: our own socket, on this machine")]
    let connected = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = connected.map_err(|error| broken(dir, error))?;
    tokio::spawn(connection);
    let request = hyper::Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, "localhost")
        .header(CONTENT_TYPE, "application/json")
        .body(Full::new(body))
        .map_err(|error| broken(dir, error))?;
    sender.send_request(request).await.map(Some).map_err(|error| broken(dir, error))
}

/// No socket, or one that a dead process left.
fn is_nobody(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused | io::ErrorKind::NotADirectory
    )
}

fn broken(dir: &Path, reason: impl ToString) -> ClientError {
    ClientError::Broken { dir: dir.to_owned(), reason: reason.to_string() }
}
