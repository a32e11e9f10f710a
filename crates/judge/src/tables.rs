//! The judge's tables: what is kept of each page's text, and where each text and each looked-up hash stands.
//!
//! They are written in the same batch as the visit that brought the text, and can be made again from the archive.

use kv::{Record, Table};
use model::UrlKey;
use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;

/// The fingerprint of a page as last read: crawl, host, page.
pub const FINGERPRINTS: Table<(u32, u64, u128), Fingerprint> = Table::new("fingerprints").point_reads();

/// Pages by the hash of their main text: crawl, hash, host, page. The value is the hash of all that is visible.
pub const EXACT_TEXTS: Table<(u32, u64, u64, u128), u64> = Table::new("exact_texts").scans();

/// Pages by each hash that is looked up: crawl, hash.
pub const HOLDERS: Table<(u32, u64), Holders> = Table::new("holders").many_point_reads();

/// Near duplicates of a page among those read before it: crawl, host, page.
pub const TWINS: Table<(u32, u64, u128), Twins> = Table::new("twins").point_reads();

/// The pages that hold a hash, bounded: what more of them share is boilerplate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holders {
    /// The first of them.
    pub pages: Vec<UrlKey>,
}

/// Near duplicates of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Twins {
    /// Most alike first.
    pub twins: Vec<Twin>,
}

/// A near duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Twin {
    /// The other page.
    pub page: UrlKey,
    /// The exact hash of its text then: with another text it counts no more.
    pub exact: u64,
    /// How alike, in thousandths.
    pub similarity: u16,
}

impl Record for Fingerprint {
    const VERSION: u8 = 1;
}

impl Record for Holders {
    const VERSION: u8 = 1;
}

impl Record for Twins {
    const VERSION: u8 = 1;
}
