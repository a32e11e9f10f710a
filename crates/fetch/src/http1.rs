//! HTTP/1.1: a connection that takes one request after another.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper_util::rt::TokioIo;
use net::{Clock, Stream};

use crate::Limits;
use crate::wire::{Exchange, Tape, Wire};

/// A connection that can take a request.
pub(crate) struct Line {
    sender: SendRequest<Empty<Bytes>>,
    tape: Tape,
}

impl Line {
    pub(crate) async fn open(
        stream: Stream,
        limits: &Limits,
        clock: Arc<dyn Clock>,
    ) -> Result<Line, hyper::Error> {
        let tape = Tape::default();
        let wire = Wire::new(stream, tape.clone(), clock);
        let (sender, connection) = Builder::new()
            .max_headers(limits.head_lines)
            .max_header_size(limits.head_bytes)
            .title_case_headers(true)
            // What browsers forgive, we forgive: the page is still there.
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .handshake(TokioIo::new(wire))
            .await?;
        // Ends when the sender is dropped or the server hangs up. Its error is told to the sender, too.
        tokio::spawn(async move { drop(connection.await) });
        Ok(Line { sender, tape })
    }

    /// True when the server has not hung up.
    pub(crate) async fn is_ready(&mut self) -> bool {
        self.sender.ready().await.is_ok()
    }

    /// Sends a request and waits for the answer's head.
    pub(crate) async fn send(
        &mut self,
        message: http::Request<Empty<Bytes>>,
        limits: &Limits,
    ) -> Result<http::Response<Incoming>, hyper::Error> {
        self.tape.start(limits.head_bytes);
        self.sender.send_request(message).await
    }

    /// True once a byte of the answer has come.
    pub(crate) fn is_answered(&self) -> bool {
        self.tape.is_answered()
    }

    /// Takes the bytes of the exchange.
    pub(crate) fn exchange(&self) -> Exchange {
        self.tape.take()
    }
}
