//! The judge's tables: what is kept of each page's text, and where each text and each looked-up hash stands.
//!
//! They are written in the same batch as the visit that brought the text, and can be made again from the archive.

use std::ops::RangeInclusive;

use kv::{DecodeError, Record, Table, read_fields};
use model::{CrawlId, UrlKey};
use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;

/// The fingerprint of a page as last read: crawl, host, page.
pub const FINGERPRINTS: Table<(u32, u64, u128), Fingerprint> = Table::new("fingerprints").absent_reads();

/// Pages by the hash of their main text: crawl, hash, host, page. The value is the hash of all that is visible.
pub const EXACT_TEXTS: Table<(u32, u64, u64, u128), u64> = Table::new("exact_texts").short_scans();

/// Pages by each hash that is looked up: crawl, hash.
pub const HOLDERS: Table<(u32, u64), Holders> = Table::new("holders").many_point_reads();

/// Near duplicates of a page among those read before it: crawl, host, page.
pub const TWINS: Table<(u32, u64, u128), Twins> = Table::new("twins").point_reads();

/// The pages that hold a hash, bounded: what more of them share is boilerplate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holders {
    /// The first of them.
    pub pages: Vec<Holder>,
}

/// A page that holds a hash: its host, and of its key as much as tells it from nearly all others of the host. There are
/// sixteen rows for every page, so each byte counts; its fingerprint has the whole key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Holder([u8; 12]);

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

impl Holder {
    /// What is kept of a page's key.
    pub fn of(page: UrlKey) -> Holder {
        let mut bytes = [0; 12];
        bytes[..8].copy_from_slice(&page.host.0.to_be_bytes());
        bytes[8..].copy_from_slice(&((page.page >> 96) as u32).to_be_bytes());
        Holder(bytes)
    }

    /// Between which keys its fingerprint is: of nearly all holders it is the only one there.
    pub fn keys(self, crawl: CrawlId) -> RangeInclusive<(u32, u64, u128)> {
        let number = self.0.iter().fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
        let (host, first) = ((number >> 32) as u64, number << 96);
        (crawl.0, host, first)..=(crawl.0, host, first | u128::MAX >> 32)
    }
}

impl Record for Fingerprint {
    const VERSION: u8 = 1;
}

impl Record for Holders {
    const VERSION: u8 = 2;

    fn migrate(version: u8, fields: &[u8]) -> Result<Holders, DecodeError> {
        match version {
            1 => {
                let pages: Vec<UrlKey> = read_fields(fields)?;
                Ok(Holders { pages: pages.into_iter().map(Holder::of).collect() })
            }
            found => Err(DecodeError::Version { found, known: Self::VERSION }),
        }
    }
}

impl Record for Twins {
    const VERSION: u8 = 1;
}

#[cfg(test)]
mod tests {
    use kv::Value;
    use model::HostKey;

    use super::*;

    #[test]
    fn a_holder_is_found_among_the_keys_of_its_host() {
        for (host, page) in [(7, 0), (7, u128::MAX), (u64::MAX, 1 << 96), (0, 0x1234_5678_9abc_def0 << 64)] {
            let keys = Holder::of(UrlKey { host: HostKey(host), page }).keys(CrawlId(3));
            assert!(keys.contains(&(3, host, page)), "{host} {page}");
            let other = page ^ 1 << 96;
            assert!(!keys.contains(&(3, host, other)) && !keys.contains(&(3, host ^ 1, page)));
        }
    }

    #[test]
    fn holders_as_they_were_first_written_are_read() {
        let pages = [UrlKey { host: HostKey(7), page: 9 << 100 }, UrlKey { host: HostKey(8), page: 1 }];
        // A version and how many; host and page in sevens of bits.
        let mut first = vec![1, 2, 7];
        first.extend([[0x80; 14].as_slice(), &[9 << 2]].concat());
        first.extend([8, 1]);
        let read = Holders::decode(&first).expect("the first version");
        assert_eq!(read.pages, pages.map(Holder::of));
        let mut bytes = Vec::new();
        read.encode(&mut bytes);
        assert_eq!((bytes.len(), Holders::decode(&bytes).ok()), (2 + 2 * 12, Some(read)));
    }
}
