//! An answer from a Web server, as it came.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::{PageUrl, Timestamp};

/// One request and its answer.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// What was asked for.
    pub url: PageUrl,
    /// The address that was asked; none where a proxy resolved the name.
    pub address: Option<SocketAddr>,
    /// The HTTP that was spoken.
    pub version: HttpVersion,
    /// When the request was sent.
    pub started: Timestamp,
    /// Where the time went.
    pub timings: Timings,
    /// The request head as sent, for the archive. Of HTTP/2 as HTTP/1.1 would say it.
    pub request: Bytes,
    /// Status code.
    pub status: u16,
    /// The response head (status line and headers), for the archive. Of HTTP/2 as HTTP/1.1 would say it.
    pub head: Bytes,
    /// The response's headers.
    pub headers: Headers,
    /// The body as transferred, content coding kept.
    pub body: Bytes,
    /// The body with its content coding undone; the same bytes when there was none.
    pub content: Bytes,
    /// Why the body ends early, if it does.
    pub cut: Option<Cut>,
}

/// Which HTTP was spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/1.1 and older.
    #[default]
    Http1,
    /// HTTP/2.
    Http2,
}

/// Why a body is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// Longer than the limit.
    Length,
    /// Slower than the limit.
    Time,
    /// The connection broke or the coding was invalid; what came before is kept.
    Disconnect,
}

/// Where the time of a fetch went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timings {
    /// Connecting, with TLS; zero on a kept-alive connection.
    pub connect: Duration,
    /// From the request to the first byte of the answer.
    pub first_byte: Duration,
    /// From the start of the request to the end of the body.
    pub total: Duration,
}

/// Response headers in the order they came; names compare without case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(pub Vec<(String, Bytes)>);

/// What makes the next request for a page conditional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// The `ETag` of the stored version.
    pub etag: Option<String>,
    /// The `Last-Modified` of the stored version.
    pub last_modified: Option<String>,
}

impl Headers {
    /// The first header of this name, if it is readable text.
    pub fn get<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all(name).next()
    }

    /// Every header of this name that is readable text.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(key, _)| key.eq_ignore_ascii_case(name))
            .filter_map(|(_, value)| std::str::from_utf8(value).ok())
    }
}

impl Fetched {
    /// `type/subtype` in lower case, without parameters.
    pub fn content_type(&self) -> Option<String> {
        let value = self.headers.get("content-type")?;
        Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
    }

    /// The validators for a later conditional request.
    pub fn validators(&self) -> Validators {
        Validators {
            etag: self.headers.get("etag").map(str::to_owned),
            last_modified: self.headers.get("last-modified").map(str::to_owned),
        }
    }
}
