//! The book of texts: judges a page against all that were read before it, and notes it.
//!
//! Everything is read and written through the caller's batch, so that a verdict and the visit it belongs to become
//! durable together, and a crash repeats both. What follows from a verdict is the caller's to do.

use kv::{Batch, KvError, Reader};
use model::{CrawlId, HostKey, UrlKey};

use crate::fingerprint::{Fingerprint, Marks};
use crate::lookup::{Candidate, Fingerprints, MOST_HOLDERS, Sketch, ranked};
use crate::tables::{EXACT_TEXTS, FINGERPRINTS, HOLDERS, Holder, TWINS, Twin, Twins};

/// Candidates that are compared, those that share most first.
const MOST_COMPARED: usize = 16;

/// Holders of one exact text that are looked at to find one that is the same in all that is visible.
const MOST_SAME: usize = 16;

/// What is known of a page's text when it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// A page with exactly the same main text.
    pub copy_of: Option<UrlKey>,
    /// One of those pages is the same in all that is visible.
    pub same_in_all: bool,
    /// Near duplicates, most alike first; none are looked for of an exact one.
    pub twins: Vec<Twin>,
}

impl Verdict {
    /// True of a page whose text is not its own.
    pub fn is_duplicate(&self) -> bool {
        self.copy_of.is_some() || !self.twins.is_empty()
    }
}

/// Judges a page, and notes its text in place of the one it had.
pub fn judge(
    batch: &mut Batch,
    crawl: CrawlId,
    page: UrlKey,
    fingerprint: &Fingerprint,
    threshold: f64,
) -> Result<Verdict, KvError> {
    let row = (crawl.0, page.host.0, page.page);
    let former = batch.get(&FINGERPRINTS, &row)?;
    if former.as_ref() == Some(fingerprint) {
        // Judged before; what has come since was judged against it.
        let twins = batch.get(&TWINS, &row)?.unwrap_or_default().twins;
        return Ok(Verdict { twins, ..exact(batch, crawl, page, fingerprint)? });
    }
    forget_text(batch, crawl, page, former.as_ref())?;
    judge_new(batch, crawl, page, fingerprint, threshold)
}

/// Judges a page that has no text in the book yet, and notes it.
pub fn judge_new(
    batch: &mut Batch,
    crawl: CrawlId,
    page: UrlKey,
    fingerprint: &Fingerprint,
    threshold: f64,
) -> Result<Verdict, KvError> {
    let row = (crawl.0, page.host.0, page.page);
    let mut verdict = exact(batch, crawl, page, fingerprint)?;
    let text = (crawl.0, fingerprint.exact, page.host.0, page.page);
    batch.put(&EXACT_TEXTS, &text, &fingerprint.whole);
    if verdict.copy_of.is_none() && !fingerprint.sketch.is_empty() {
        let sketch = fingerprint.sketch();
        let candidates = StoredIndex { batch, crawl }.meet(Holder::of(page), &sketch)?;
        verdict.twins = twins(batch, crawl, page, fingerprint, &candidates, threshold)?;
        if !verdict.twins.is_empty() {
            batch.put(&TWINS, &row, &Twins { twins: verdict.twins.clone() });
        }
    }
    batch.put(&FINGERPRINTS, &row, fingerprint);
    Ok(verdict)
}

/// Forgets a page's text: it has gone, or says too little now.
pub fn forget(batch: &mut Batch, crawl: CrawlId, page: UrlKey) -> Result<(), KvError> {
    let former = batch.get(&FINGERPRINTS, &(crawl.0, page.host.0, page.page))?;
    forget_text(batch, crawl, page, former.as_ref())
}

/// True of a crawl of which no page has a text in the book.
pub fn is_empty(reader: &impl Reader, crawl: CrawlId) -> Result<bool, KvError> {
    Ok(reader.prefix(&FINGERPRINTS, &crawl.0).keys().next().transpose()?.is_none())
}

/// Near duplicates of a page that still count.
pub fn standing_twins(reader: &impl Reader, crawl: CrawlId, twins: &Twins) -> Result<Vec<Twin>, KvError> {
    let mut standing = Vec::new();
    for twin in &twins.twins {
        let text = (crawl.0, twin.exact, twin.page.host.0, twin.page.page);
        if reader.contains(&EXACT_TEXTS, &text)? {
            standing.push(*twin);
        }
    }
    Ok(standing)
}

/// Drops up to `most` rows of each table of a crawl; true when none are left.
pub fn drop_some(batch: &mut Batch, crawl: CrawlId, most: usize) -> Result<bool, KvError> {
    let mut done = true;
    macro_rules! drop_rows {
        ($($table:expr),*) => {$(
            let keys: Vec<_> = batch.prefix($table, &crawl.0).keys().take(most).collect::<Result<_, _>>()?;
            done &= keys.is_empty();
            keys.iter().for_each(|key| batch.remove($table, key));
        )*};
    }
    drop_rows!(&FINGERPRINTS, &EXACT_TEXTS, &HOLDERS, &TWINS);
    Ok(done)
}

fn exact(
    reader: &impl Reader,
    crawl: CrawlId,
    page: UrlKey,
    fingerprint: &Fingerprint,
) -> Result<Verdict, KvError> {
    let mut verdict = Verdict::default();
    for holder in reader.prefix(&EXACT_TEXTS, &(crawl.0, fingerprint.exact)).take(MOST_SAME) {
        let ((_, _, host, other), whole) = holder?;
        let other = UrlKey { host: HostKey(host), page: other };
        if other != page {
            verdict.copy_of.get_or_insert(other);
            verdict.same_in_all |= whole == fingerprint.whole;
        }
    }
    Ok(verdict)
}

fn twins(
    reader: &impl Reader,
    crawl: CrawlId,
    page: UrlKey,
    fingerprint: &Fingerprint,
    candidates: &[Candidate<Holder>],
    threshold: f64,
) -> Result<Vec<Twin>, KvError> {
    let mut twins = Vec::new();
    let least = fewest_shared(fingerprint, threshold);
    let likely = candidates.iter().filter(|candidate| candidate.shared >= least);
    let likely = likely.flat_map(|candidate| reader.range(&FINGERPRINTS, candidate.id.keys(crawl)));
    for row in likely.take(MOST_COMPARED) {
        let ((_, host, key), other) = row?;
        let other_page = UrlKey { host: HostKey(host), page: key };
        let Some(likeness) = fingerprint.likeness(&other) else { continue };
        if other_page != page && likeness.similarity >= threshold {
            let similarity = (likeness.similarity * 1_000.0).round() as u16;
            let nearness = fingerprint.nearness(&other);
            twins.push((Twin { page: other_page, exact: other.exact, similarity }, nearness));
        }
    }
    // The SimHash orders those that are equally alike; it leaves none out.
    twins.sort_unstable_by(|(first, near), (second, nearer)| {
        let alike = second.similarity.cmp(&first.similarity);
        alike.then(nearer.total_cmp(near)).then(first.page.cmp(&second.page))
    });
    Ok(twins.into_iter().map(|(twin, _)| twin).collect())
}

/// Looked-up hashes that near duplicates share at least. Of two texts with the part t of the larger in common, each of
/// the least hashes of both together is shared by chance t / (2 − t): a third of what is to be expected is as good as
/// certain (of 16 at 0.6, missed twice in a thousand), and what shares less shares a menu. Words may stand in any order,
/// so that nothing is certain of them.
fn fewest_shared(fingerprint: &Fingerprint, threshold: f64) -> u32 {
    if !matches!(fingerprint.marks, Marks::Hashes(_)) {
        return 1;
    }
    let expected = fingerprint.sketch.len() as f64 * threshold / (2.0 - threshold).max(1.0);
    (expected / 3.0) as u32
}

fn forget_text(
    batch: &mut Batch,
    crawl: CrawlId,
    page: UrlKey,
    former: Option<&Fingerprint>,
) -> Result<(), KvError> {
    let Some(former) = former else { return Ok(()) };
    let row = (crawl.0, page.host.0, page.page);
    batch.remove(&FINGERPRINTS, &row);
    batch.remove(&TWINS, &row);
    batch.remove(&EXACT_TEXTS, &(crawl.0, former.exact, page.host.0, page.page));
    StoredIndex { batch, crawl }.remove(Holder::of(page), &former.sketch())
}

/// The index of looked-up hashes in the store.
struct StoredIndex<'a> {
    batch: &'a mut Batch,
    crawl: CrawlId,
}

impl StoredIndex<'_> {
    /// Candidates, and the page is noted: each hash is read once.
    fn meet(&mut self, page: Holder, sketch: &Sketch) -> Result<Vec<Candidate<Holder>>, KvError> {
        let mut met = Vec::new();
        for hash in sketch.hashes() {
            let key = (self.crawl.0, *hash);
            let mut holders = self.batch.get(&HOLDERS, &key)?.unwrap_or_default();
            met.extend_from_slice(&holders.pages);
            if holders.pages.len() < MOST_HOLDERS && !holders.pages.contains(&page) {
                holders.pages.push(page);
                self.batch.put(&HOLDERS, &key, &holders);
            }
        }
        Ok(ranked(met.into_iter()))
    }
}

impl Fingerprints for StoredIndex<'_> {
    type Document = Holder;
    type Error = KvError;

    fn candidates(&self, sketch: &Sketch) -> Result<Vec<Candidate<Holder>>, KvError> {
        let mut holders = Vec::new();
        for hash in sketch.hashes() {
            holders.extend(self.batch.get(&HOLDERS, &(self.crawl.0, *hash))?);
        }
        Ok(ranked(holders.into_iter().flat_map(|holders| holders.pages)))
    }

    fn add(&mut self, page: Holder, sketch: &Sketch) -> Result<(), KvError> {
        for hash in sketch.hashes() {
            let mut holders = self.batch.get(&HOLDERS, &(self.crawl.0, *hash))?.unwrap_or_default();
            if holders.pages.len() < MOST_HOLDERS && !holders.pages.contains(&page) {
                holders.pages.push(page);
                self.batch.put(&HOLDERS, &(self.crawl.0, *hash), &holders);
            }
        }
        Ok(())
    }

    fn remove(&mut self, page: Holder, sketch: &Sketch) -> Result<(), KvError> {
        for hash in sketch.hashes() {
            let key = (self.crawl.0, *hash);
            let Some(mut holders) = self.batch.get(&HOLDERS, &key)? else { continue };
            holders.pages.retain(|holder| *holder != page);
            match holders.pages.is_empty() {
                true => self.batch.remove(&HOLDERS, &key),
                false => self.batch.put(&HOLDERS, &key, &holders),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "book_tests.rs"]
mod tests;
