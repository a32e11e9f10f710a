//! An answer as a response body: made on a blocking thread, sent as it comes, stopped when nobody listens.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::body::Frame;
use service::{Class, Data, Request, ServiceError};
use tokio::sync::mpsc;

use crate::Now;
use crate::wire::{Line, Trouble};

/// Lines gathered before they are sent.
const CHUNK: usize = 16 * 1024;

/// Chunks on their way; beyond that the answer waits for its reader.
const CHUNKS: usize = 16;

/// The media type of JSON lines.
pub(crate) const JSON_LINES: &str = "application/x-ndjson";

/// Answers a request. What fails before the first row gets a status of its own.
pub(crate) async fn respond(data: Arc<Data>, now: Now, request: Request) -> Response {
    let (sender, mut receiver) = mpsc::channel(CHUNKS);
    tokio::task::spawn_blocking(move || answer(&data, &now, &request, &sender));
    let first = receiver.recv().await;
    let status = match &first {
        Some(Chunk { trouble: Some(trouble), .. }) => status(trouble.class),
        Some(_) => StatusCode::OK,
        None => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let body = Body::new(Chunks { first: first.map(|chunk| chunk.lines), rest: receiver });
    (status, [(header::CONTENT_TYPE, JSON_LINES)], body).into_response()
}

/// Some lines; the trouble that they consist of, if they do.
struct Chunk {
    lines: Bytes,
    trouble: Option<Trouble>,
}

fn answer(data: &Data, now: &Now, request: &Request, sender: &mpsc::Sender<Chunk>) {
    let mut lines = Vec::new();
    let mut rows = 0;
    let send = |lines: &mut Vec<u8>, trouble| {
        let chunk = Chunk { lines: std::mem::take(lines).into(), trouble };
        match sender.blocking_send(chunk) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    };
    let result = service::answer(data, request, now(), &mut |row| {
        rows += 1;
        Line::Row(row).write(&mut lines);
        if lines.len() >= CHUNK { send(&mut lines, None) } else { ControlFlow::Continue(()) }
    });
    let mut trouble = None;
    match &result {
        Ok(()) => Line::End(rows).write(&mut lines),
        Err(error) => {
            tracing::debug!(error = %ServiceError::sentence(error), "request failed");
            let found = Trouble::from(error);
            trouble = (rows == 0).then(|| found.clone());
            Line::Error(found).write(&mut lines);
        }
    }
    let _ = send(&mut lines, trouble);
}

fn status(class: Class) -> StatusCode {
    match class {
        Class::Request => StatusCode::BAD_REQUEST,
        Class::Busy => StatusCode::CONFLICT,
        Class::Damaged | Class::Failed => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// A body of bytes as they come.
pub(crate) fn body(pieces: mpsc::Receiver<Bytes>) -> Body {
    Body::new(Pieces(pieces))
}

struct Pieces(mpsc::Receiver<Bytes>);

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

struct Chunks {
    first: Option<Bytes>,
    rest: mpsc::Receiver<Chunk>,
}

impl HttpBody for Chunks {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        self.rest.poll_recv(context).map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk.lines))))
    }
}
