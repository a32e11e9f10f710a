//! The archive's tables: what can be asked about visits and links without opening a WARC file.
//!
//! They are written in the same batch as the frontier's, and can be rebuilt from the WARC files, but for what readers
//! have accepted.

use kv::{DecodeError, Record, Table};
use model::{Cut, ErrorKind, Link, LinkKind, LinkLook, PageUrl, Rel, SharedText, Timestamp, UrlKey};
use serde::{Deserialize, Serialize};

use crate::{Location, Position};

/// Every visit of a URL: crawl, host, page, start of the request. The latest one kept is the page's version.
pub const VISITS: Table<(u32, u64, u128, u64), VisitRecord> = Table::new("visits");

/// The links of a page as last read: crawl, host, page.
pub const LINKS: Table<(u32, u64, u128), Links> = Table::new("links");

/// How far each crawl's archive is committed.
pub const POSITIONS: Table<u32, Committed> = Table::new("positions");

/// The version of a page that its reader has accepted: crawl, host, page. Nobody but the reader knows it: it cannot be
/// rebuilt.
pub const ACCEPTED: Table<(u32, u64, u128), Accepted> = Table::new("accepted").point_reads();

/// A version that was accepted: what later ones are compared with besides the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// When the version was fetched.
    pub version: Timestamp,
    /// When it was accepted.
    pub at: Timestamp,
}

/// One visit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisitRecord {
    /// Status, if there was an answer.
    pub status: Option<u16>,
    /// Why there was none, or why it was no page.
    pub error: Option<ErrorKind>,
    /// Milliseconds from request to the end of the body.
    pub millis: u64,
    /// Bytes of the body as transferred.
    pub bytes: u64,
    /// Bytes of the content, decoded.
    pub content_bytes: u64,
    /// Content type, without parameters.
    pub content_type: Option<String>,
    /// Why the body ends early, if it does.
    pub cut: Option<Cut>,
    /// Title, if it is a page.
    pub title: Option<String>,
    /// 64-bit hash of the content, decoded.
    pub content_hash: u64,
    /// The response record, if one is kept.
    pub location: Option<Location>,
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
    /// The page asks not to be shown in search.
    pub noindex: bool,
    /// The address it calls its own, where that is another.
    pub canonical: Option<PageUrl>,
    /// Hash of what lasts of its text; another one is a change that is no noise. Zero where it is not known.
    pub text_hash: u64,
}

/// The links of a page, in document order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links {
    /// Its links.
    pub edges: Vec<Edge>,
}

/// One link: a row (source, target) of the link graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// Where it leads; the URL itself is in the frontier's table.
    pub target: UrlKey,
    /// Its words.
    pub anchor: SharedText,
    /// How prominent it is.
    pub look: LinkLook,
    /// What its `rel` asks of us.
    pub rel: Rel,
    /// Which markup it came from.
    pub kind: LinkKind,
    /// Whether it was followed.
    pub followed: bool,
}

/// How far an archive is committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Committed {
    /// The end of the last committed record.
    pub position: Position,
    /// When.
    pub at: Timestamp,
}

impl Edge {
    /// A link as found on a page; its URL has this key.
    pub fn of(link: &Link, target: UrlKey, followed: bool) -> Edge {
        Edge {
            target,
            anchor: link.anchor.clone(),
            look: link.look,
            rel: link.rel,
            kind: link.kind,
            followed,
        }
    }
}

impl Record for VisitRecord {
    const VERSION: u8 = 2;

    fn migrate(version: u8, fields: &[u8]) -> Result<Self, DecodeError> {
        match version {
            // Without a hash of the text.
            1 => kv::read_fields(&[fields, &[0]].concat()),
            found => Err(DecodeError::Version { found, known: Self::VERSION }),
        }
    }
}

impl Record for Accepted {
    const VERSION: u8 = 1;
}

impl Record for Committed {
    const VERSION: u8 = 1;
}

#[cfg(test)]
mod tests {
    use kv::Value as _;

    use super::*;

    #[test]
    fn visits_of_before_are_read() {
        let visit = VisitRecord { status: Some(200), content_hash: 7, ..VisitRecord::default() };
        let mut bytes = Vec::new();
        visit.encode(&mut bytes);
        bytes[0] = 1;
        bytes.pop();
        assert_eq!(VisitRecord::decode(&bytes).unwrap(), visit);
    }

    /// What a later program wrote is refused, not misread.
    #[test]
    fn accepted_versions_say_their_form() {
        let accepted = Accepted { version: Timestamp(7), at: Timestamp(9) };
        let mut bytes = Vec::new();
        accepted.encode(&mut bytes);
        assert_eq!(bytes, [1, 7, 9]);
        assert_eq!(Accepted::decode(&bytes).unwrap(), accepted);
        assert!(Accepted::decode(&[2, 7, 9]).is_err());
    }
}
