//! Near duplicates of a crawl that looked for exact ones only: named by the SimHashes that it kept, judged by the texts.

use std::collections::HashMap;

use catalog::ProjectEntry;
use frontier::page_key;
use frontier::tables::URLS;
use judge::compare::Prepared;
use judge::fingerprint::Marks;
use judge::simhash;
use judge::tables::FINGERPRINTS;
use judge::winnow::Winnowing;
use kv::{Reader, Snapshot};
use model::{CrawlId, HostKey, UrlKey};

use crate::duplicates::{main_text, winnowing};
use crate::versions::KeptPages;
use crate::{Data, ServiceError};

/// Bits of two SimHashes that may differ for their pages to be compared.
const MOST_BITS: u32 = 12;

/// Pairs that are compared as they are kept, those with most alike SimHashes first.
const MOST_CANDIDATES: usize = 5_000;

/// How alike such pairs are at least: what `gannet compare` calls near duplicates.
const NEAR: f64 = judge::compare::THRESHOLD;

/// Two pages that are nearly the same, each with the hash of its text.
pub(crate) struct NearPair {
    pub(crate) first: (UrlKey, u64),
    pub(crate) second: (UrlKey, u64),
    pub(crate) similarity: f64,
}

/// Near duplicates that the crawl did not look for: those whose SimHashes are most alike, compared as they are kept.
pub(crate) fn near_pairs(
    data: &Data,
    entry: &ProjectEntry,
    snapshot: &Snapshot,
) -> Result<Vec<NearPair>, ServiceError> {
    let mut texts: HashMap<u64, (UrlKey, u64)> = HashMap::new();
    for row in snapshot.prefix(&FINGERPRINTS, &entry.crawl.0) {
        let ((_, host, page), print) = row?;
        if print.simhash != 0 && print.marks == Marks::None {
            // Of pages with one text the first stands for all; they are in a group already.
            texts.entry(print.exact).or_insert((UrlKey { host: HostKey(host), page }, print.simhash));
        }
    }
    let mut texts: Vec<(u64, UrlKey, u64)> =
        texts.into_iter().map(|(exact, (key, simhash))| (exact, key, simhash)).collect();
    texts.sort_unstable_by_key(|(_, key, _)| *key);
    let hashes: Vec<u64> = texts.iter().map(|(.., simhash)| *simhash).collect();
    let candidates = simhash::near_pairs(&hashes, MOST_BITS);
    let (pages, settings) = (KeptPages::of(data, entry)?, entry.project.crawl.duplicate_settings());
    let mut kept = Kept { snapshot, crawl: entry.crawl, pages, winnowing: winnowing(&settings), last: None };
    let mut found = Vec::new();
    let likely = candidates.into_iter().take(MOST_CANDIDATES);
    let mut likely: Vec<(usize, usize)> = likely.collect();
    // Pairs of one page stand together, so that it is read once.
    likely.sort_unstable();
    for (first, second) in likely {
        let (first_text, first_key, _) = texts[first];
        let (second_text, second_key, _) = texts[second];
        let Some(similarity) = kept.similarity(first_key, second_key)? else { continue };
        if similarity >= NEAR {
            let (first, second) = ((first_key, first_text), (second_key, second_text));
            found.push(NearPair { first, second, similarity });
        }
    }
    Ok(found)
}

/// Pages as they are kept, prepared to be compared.
struct Kept<'a> {
    snapshot: &'a Snapshot,
    crawl: CrawlId,
    pages: KeptPages,
    winnowing: Winnowing,
    last: Option<(UrlKey, Prepared)>,
}

impl Kept<'_> {
    /// How alike two pages are; none where one of them is not kept.
    fn similarity(&mut self, first: UrlKey, second: UrlKey) -> Result<Option<f64>, ServiceError> {
        if self.last.as_ref().is_none_or(|(key, _)| *key != first) {
            self.last = self.prepared(first)?.map(|prepared| (first, prepared));
        }
        let (Some((_, one)), Some(other)) = (&self.last, self.prepared(second)?) else { return Ok(None) };
        Ok(Some(one.likeness(&other).similarity.max(one.share(&other))))
    }

    fn prepared(&self, key: UrlKey) -> Result<Option<Prepared>, ServiceError> {
        let Some(record) = self.snapshot.get(&URLS, &page_key(self.crawl, key))? else { return Ok(None) };
        let page = self.pages.latest(self.snapshot, self.crawl, &record.url).ok();
        Ok(page.map(|page| Prepared::new(&main_text(page), self.winnowing)))
    }
}
