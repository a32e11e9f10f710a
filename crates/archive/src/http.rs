//! The HTTP head at the start of a record's block.

use std::io::{self, BufRead, Read};

use bytes::Bytes;
use model::Headers;

/// Longest head that is read.
const MAX_HEAD: u64 = 1024 * 1024;

/// An answer's head as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpHead {
    /// The bytes, with the empty line that ends them.
    pub bytes: Vec<u8>,
    /// Status code; none when the first line is no status line.
    pub status: Option<u16>,
    /// The headers in order.
    pub headers: Headers,
}

impl HttpHead {
    /// Reads a head; what follows in `block` is the body, its content coding kept.
    ///
    /// Any bytes have some head: without an empty line, all of them up to a limit.
    pub fn read(block: &mut impl BufRead) -> io::Result<HttpHead> {
        let mut head = HttpHead::default();
        let mut line_start = 0;
        loop {
            let allowed = MAX_HEAD - head.bytes.len() as u64;
            let amount = block.by_ref().take(allowed).read_until(b'\n', &mut head.bytes)?;
            let line = head.bytes[line_start..].trim_ascii_end();
            if line.is_empty() {
                return Ok(head);
            }
            if line_start == 0 {
                head.status = status(line);
            } else if let Some(colon) = line.iter().position(|&byte| byte == b':') {
                let name = String::from_utf8_lossy(line[..colon].trim_ascii()).into_owned();
                head.headers.0.push((name, Bytes::copy_from_slice(line[colon + 1..].trim_ascii())));
            }
            if amount as u64 == allowed {
                return Ok(head);
            }
            line_start = head.bytes.len();
        }
    }

    /// Splits a block that is held whole into head and body.
    pub fn split(block: &[u8]) -> (HttpHead, &[u8]) {
        let mut rest = block;
        // Reading from memory does not fail.
        let head = HttpHead::read(&mut rest).unwrap_or_default();
        (head, rest)
    }

    /// `type/subtype` in lower case, without parameters.
    pub fn content_type(&self) -> Option<String> {
        let value = self.headers.get("content-type")?;
        Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
    }
}

fn status(line: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(line.get(..12.min(line.len()))?).ok()?;
    let (version, rest) = line.split_once(' ')?;
    let code = rest.get(..3)?;
    (version.starts_with("HTTP/") && code.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| code.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_head_ends_at_its_empty_line() {
        let (head, body) = HttpHead::split(b"HTTP/1.1 200 OK\r\nA: 1\r\nb:\xff\r\n\r\nbody\r\n\r\n");
        assert_eq!((head.status, body), (Some(200), &b"body\r\n\r\n"[..]));
        assert_eq!(head.headers.get("a"), Some("1"));
        let (head, body) = HttpHead::split(b"HTTP/1.0 404\nA: 1\n\nbody");
        assert_eq!((head.status, body), (Some(404), &b"body"[..]));
        let (head, body) = HttpHead::split(b"HTTP/1.0 404\nA: 1");
        assert_eq!((head.headers.get("a"), body), (Some("1"), &b""[..]));
        let long = vec![b'x'; 3 * MAX_HEAD as usize];
        let (head, body) = HttpHead::split(&long);
        assert_eq!((head.bytes.len(), body.len()), (MAX_HEAD as usize, 2 * MAX_HEAD as usize));
    }

    proptest! {
        #[test]
        fn any_bytes_are_split_without_loss(block in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b':')], 0..200)) {
            let (head, body) = HttpHead::split(&block);
            prop_assert_eq!([&head.bytes, body].concat(), block);
        }
    }
}
