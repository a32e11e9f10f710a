//! A connection that remembers the heads that pass through it, byte for byte, for the archive.
//!
//! The HTTP library gives headers in lower case; the archive wants what was really sent.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use model::Headers;
use net::{Clock, Stream};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The connection as the HTTP library sees it.
pub(crate) struct Wire {
    stream: Stream,
    tape: Tape,
    clock: Arc<dyn Clock>,
}

/// What passed through a connection since the last `start`.
#[derive(Clone, Default)]
pub(crate) struct Tape(Arc<Mutex<Passed>>);

#[derive(Default)]
struct Passed {
    request: Vec<u8>,
    head: Vec<u8>,
    head_whole: bool,
    head_limit: usize,
    first_byte: Option<Duration>,
}

/// Bytes that are looked at together for the end of a head: most heads are not longer, and the body that comes with them is not
/// copied.
const PIECE: usize = 1_024;

/// What one exchange left on the tape.
pub(crate) struct Exchange {
    /// The request as sent.
    pub(crate) request: Bytes,
    /// The response's head, with the empty line that ends it.
    pub(crate) head: Bytes,
    /// When the first byte of the answer came, by the clock.
    pub(crate) first_byte: Option<Duration>,
}

impl Wire {
    pub(crate) fn new(stream: Stream, tape: Tape, clock: Arc<dyn Clock>) -> Wire {
        Wire { stream, tape, clock }
    }
}

impl Tape {
    /// Begins a new exchange.
    pub(crate) fn start(&self, head_limit: usize) {
        *self.passed() = Passed { head_limit, ..Passed::default() };
    }

    /// True once a byte of the answer has come.
    pub(crate) fn is_answered(&self) -> bool {
        self.passed().first_byte.is_some()
    }

    /// Takes what the exchange left.
    pub(crate) fn take(&self) -> Exchange {
        let passed = std::mem::take(&mut *self.passed());
        Exchange { request: passed.request.into(), head: passed.head.into(), first_byte: passed.first_byte }
    }

    fn passed(&self) -> MutexGuard<'_, Passed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Passed {
    fn received(&mut self, bytes: &[u8], at: Duration) {
        self.first_byte.get_or_insert(at);
        let mut rest = bytes;
        while !self.head_whole && !rest.is_empty() && self.head.len() < self.head_limit {
            // Look for the end in what is new; the blank line may have begun in what is old.
            let old = self.head.len();
            let piece = rest.len().min(self.head_limit - old).min(PIECE);
            self.head.extend_from_slice(&rest[..piece]);
            let Some(end) = head_end(&self.head, old.saturating_sub(3)) else {
                rest = &rest[piece..];
                continue;
            };
            rest = &rest[end.saturating_sub(old)..];
            self.head.truncate(end);
            // "100 Continue" and its like come before the answer.
            if is_informational(&self.head) {
                self.head.clear();
            } else {
                self.head_whole = true;
            }
        }
    }
}

/// Where the blank line ends that ends the head.
fn head_end(head: &[u8], from: usize) -> Option<usize> {
    // Blank lines before the status line are skipped by the parser, too.
    let start = head.iter().position(|byte| !matches!(byte, b'\r' | b'\n'))?;
    let from = from.max(start);
    let newlines =
        head[from..].iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(index, _)| from + index);
    for newline in newlines {
        match &head[newline + 1..] {
            [b'\n', ..] => return Some(newline + 2),
            [b'\r', b'\n', ..] => return Some(newline + 3),
            _ => {}
        }
    }
    None
}

fn is_informational(head: &[u8]) -> bool {
    let line =
        head.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let status = line.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    status.len() == 3 && status.starts_with(b"1") && status != b"101"
}

/// The headers of a head, in their order and spelling.
pub(crate) fn headers(head: &[u8]) -> Headers {
    let mut headers: Vec<(String, Vec<u8>)> = Vec::new();
    let lines = head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    for line in lines.skip_while(|line| line.is_empty()).skip(1) {
        // An old habit: a line that begins with white space continues the one before.
        if let (Some(b' ' | b'\t'), Some((_, value))) = (line.first(), headers.last_mut()) {
            value.push(b' ');
            value.extend_from_slice(line.trim_ascii());
        } else if let Some(colon) = line.iter().position(|byte| *byte == b':') {
            let name = String::from_utf8_lossy(line[..colon].trim_ascii()).into_owned();
            headers.push((name, line[colon + 1..].trim_ascii().to_vec()));
        }
    }
    Headers(headers.into_iter().map(|(name, value)| (name, value.into())).collect())
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let wire = self.get_mut();
        let before = buffer.filled().len();
        let poll = Pin::new(&mut wire.stream).poll_read(cx, buffer);
        let new = buffer.filled().get(before..).unwrap_or_default();
        if !new.is_empty() {
            let at = wire.clock.elapsed();
            wire.tape.passed().received(new, at);
        }
        poll
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let wire = self.get_mut();
        let poll = Pin::new(&mut wire.stream).poll_write(cx, bytes);
        if let Poll::Ready(Ok(written)) = &poll {
            wire.tape.passed().request.extend_from_slice(bytes.get(..*written).unwrap_or_default());
        }
        poll
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn heard(pieces: &[&[u8]]) -> (String, bool) {
        let mut passed = Passed { head_limit: 2_000, ..Passed::default() };
        for piece in pieces {
            passed.received(piece, Duration::ZERO);
        }
        (String::from_utf8_lossy(&passed.head).into_owned(), passed.head_whole)
    }

    fn check(pieces: &[&str], expected: &str) {
        let pieces: Vec<&[u8]> = pieces.iter().map(|piece| piece.as_bytes()).collect();
        assert_eq!(heard(&pieces), (expected.to_owned(), true), "for {pieces:?}");
    }

    #[test]
    fn the_head_is_kept_and_the_body_is_not() {
        let head = "HTTP/1.1 200 Fine\r\nX-Odd: 1\r\n\r\n";
        check(&["HTTP/1.1 200 Fine\r\nX-Odd: 1\r\n\r\nbody\r\n\r\n"], head);
        check(&["HTTP/1.1 200 Fine\r\nX-Odd: 1\r", "\n", "\r", "\nbody", "more\n\n"], head);
        check(&["HTTP/1.1 200 Fine\nX-Odd: 1\n\nbody"], "HTTP/1.1 200 Fine\nX-Odd: 1\n\n");
        let long = format!("HTTP/1.1 200 Fine\r\nX-Odd: {}\r\n\r\n", "1".repeat(PIECE - 29));
        for end in 0..4 {
            let shifted = long.replacen("Odd", &"O".repeat(end + 1), 1);
            assert_eq!(heard(&[format!("{shifted}body").as_bytes()]), (shifted.clone(), true));
        }
        check(&["\r\n\r\nHTTP/1.1 200 Fine\r\n\r\n"], "\r\n\r\nHTTP/1.1 200 Fine\r\n\r\n");
    }

    #[test]
    fn what_comes_before_the_answer_is_skipped() {
        check(&["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n"], "HTTP/1.1 204 No\r\n\r\n");
        check(
            &["HTTP/1.1 103 Hints\r\nLink: a\r\n\r", "\nHTTP/1.1 200 OK\r\n\r\nbody"],
            "HTTP/1.1 200 OK\r\n\r\n",
        );
    }

    #[test]
    fn an_endless_head_is_not_kept_beyond_the_limit() {
        let (head, whole) = heard(&[&[b'a'; 600], &[b'b'; 1_200], &[b'c'; 600]]);
        assert_eq!((head.len(), whole), (2_000, false));
    }

    #[test]
    fn headers_keep_order_and_spelling() {
        let found =
            headers(b"HTTP/1.1 200 OK\r\nX-b: 1\r\nA:  two \r\n folded\r\nx-B:\xff\r\nnonsense\r\n\r\n");
        let pairs: Vec<(&str, &[u8])> =
            found.0.iter().map(|(name, value)| (name.as_str(), &value[..])).collect();
        assert_eq!(pairs, [("X-b", &b"1"[..]), ("A", b"two folded"), ("x-B", b"\xff")]);
    }

    proptest! {
        /// How the network cuts the bytes does not matter.
        #[test]
        fn pieces_do_not_matter(bytes in "(HTTP/1.1 [12]00 OK\r?\n)?([a\r\n:]{0,12}\r?\n){0,4}", cut in 0usize..60) {
            let cut = cut.min(bytes.len());
            let (left, right) = bytes.as_bytes().split_at(cut);
            prop_assert_eq!(heard(&[bytes.as_bytes()]), heard(&[left, right]));
            let singly: Vec<&[u8]> = bytes.as_bytes().chunks(1).collect();
            prop_assert_eq!(heard(&[bytes.as_bytes()]), heard(&singly));
        }
    }
}
