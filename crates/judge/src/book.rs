//! The book of texts: judges a page against all that were read before it, and notes it.
//!
//! What it reads and writes is anything that keeps [`Texts`]. A crawl's are [`StoredTexts`]: through the caller's batch, so
//! that a verdict and the visit it belongs to become durable together, and a crash repeats both. What follows from a
//! verdict is the caller's to do.

use kv::{Batch, KvError, Reader};
use model::{CrawlId, HostKey, UrlKey};

use crate::fingerprint::{Fingerprint, Marks, Threshold};
use crate::lookup::{Candidate, Fingerprints, MOST_HOLDERS, Sketch, Texts, ranked};
use crate::tables::{EXACT_TEXTS, FINGERPRINTS, HOLDERS, Holder, TWINS, Twin, Twins};

/// Candidates that are compared, those that share most first.
const MOST_COMPARED: usize = 16;

/// Holders of one exact text that are looked at to find one that is the same in all that is visible.
pub const MOST_SAME: usize = 16;

/// What is known of a page's text when it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// A page with exactly the same main text.
    pub copy_of: Option<UrlKey>,
    /// Those of these pages that are the same in all that is visible, bounded.
    pub same_in_all: Vec<UrlKey>,
    /// Near duplicates, most alike first; none are looked for of an exact one.
    pub twins: Vec<Twin>,
    /// Pages that are the same in all as this one was before its text changed, bounded.
    pub left_behind: Vec<UrlKey>,
}

impl Verdict {
    /// True of a page whose text is not its own.
    pub fn is_duplicate(&self) -> bool {
        self.copy_of.is_some() || !self.twins.is_empty()
    }
}

/// Judges a page, and notes its text in place of the one it had.
pub fn judge<T: Texts>(
    texts: &mut T,
    page: UrlKey,
    fingerprint: &Fingerprint,
    threshold: Threshold,
) -> Result<Verdict, T::Error> {
    let former = texts.text_of(page)?;
    if former.as_ref() == Some(fingerprint) {
        // Judged before; what has come since was judged against it.
        return Ok(Verdict { twins: texts.twins(page)?, ..exact(texts, page, fingerprint)? });
    }
    let left_behind = forget_text(texts, page, former.as_ref())?;
    Ok(Verdict { left_behind, ..judge_new(texts, page, fingerprint, threshold)? })
}

/// Judges a page that has no text in the book yet, and notes it.
pub fn judge_new<T: Texts>(
    texts: &mut T,
    page: UrlKey,
    fingerprint: &Fingerprint,
    threshold: Threshold,
) -> Result<Verdict, T::Error> {
    let mut verdict = exact(texts, page, fingerprint)?;
    if verdict.copy_of.is_none() && !fingerprint.sketch.is_empty() {
        let candidates = texts.meet(texts.name(page), &fingerprint.sketch())?;
        verdict.twins = twins(texts, page, fingerprint, candidates, threshold)?;
    }
    texts.put(page, fingerprint, &verdict.twins)?;
    Ok(verdict)
}

/// Forgets a page's text: it has gone, or says too little now. Returns the pages that are the same in all, bounded.
pub fn forget<T: Texts>(texts: &mut T, page: UrlKey) -> Result<Vec<UrlKey>, T::Error> {
    let former = texts.text_of(page)?;
    forget_text(texts, page, former.as_ref())
}

/// Other pages that are the same in all that is visible, bounded.
pub fn same_in_all<T: Texts>(texts: &T, page: UrlKey) -> Result<Vec<UrlKey>, T::Error> {
    let Some(text) = texts.text_of(page)? else { return Ok(Vec::new()) };
    Ok(exact(texts, page, &text)?.same_in_all)
}

/// True of a crawl of which no page has a text in the book.
pub fn is_empty(reader: &impl Reader, crawl: CrawlId) -> Result<bool, KvError> {
    Ok(reader.prefix(&FINGERPRINTS, &crawl.0).keys().next().transpose()?.is_none())
}

/// Near duplicates of a page that still count. For one that changed since a copy of what it was counts.
pub fn standing_twins(reader: &impl Reader, crawl: CrawlId, twins: &Twins) -> Result<Vec<Twin>, KvError> {
    let mut standing = Vec::new();
    for twin in &twins.twins {
        let text = (crawl.0, twin.exact, twin.page.host.0, twin.page.page);
        if reader.contains(&EXACT_TEXTS, &text)? {
            standing.push(*twin);
        } else if let Some(copy) = reader.prefix(&EXACT_TEXTS, &(crawl.0, twin.exact)).keys().next() {
            let (_, _, host, page) = copy?;
            standing.push(Twin { page: UrlKey { host: HostKey(host), page }, ..*twin });
        }
    }
    Ok(standing)
}

/// Near duplicates of a page, most alike first: those that were read before it, and as far as a look-up finds them those
/// that were read after it and name it.
pub fn near(reader: &impl Reader, crawl: CrawlId, page: UrlKey) -> Result<Vec<Twin>, KvError> {
    let row = (crawl.0, page.host.0, page.page);
    let Some(own) = reader.get(&FINGERPRINTS, &row)? else { return Ok(Vec::new()) };
    let twins = reader.get(&TWINS, &row)?.unwrap_or_default();
    let mut found = standing_twins(reader, crawl, &twins)?;
    let mut holders = Vec::new();
    for hash in &own.sketch {
        holders.extend(reader.get(&HOLDERS, &(crawl.0, *hash))?);
    }
    for candidate in ranked(holders.into_iter().flat_map(|holders| holders.pages)) {
        for later in reader.range(&FINGERPRINTS, candidate.id.keys(crawl)) {
            let (row @ (_, host, page), text) = later?;
            let named = reader.get(&TWINS, &row)?.unwrap_or_default();
            if let Some(twin) = named.twins.iter().find(|twin| twin.exact == own.exact) {
                let page = UrlKey { host: HostKey(host), page };
                found.push(Twin { page, exact: text.exact, similarity: twin.similarity });
            }
        }
    }
    found.sort_unstable_by_key(|twin| (std::cmp::Reverse(twin.similarity), twin.page));
    Ok(found)
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

fn exact<T: Texts>(texts: &T, page: UrlKey, fingerprint: &Fingerprint) -> Result<Verdict, T::Error> {
    let mut verdict = Verdict::default();
    for holder in texts.copies(fingerprint.exact).take(MOST_SAME) {
        let (other, whole) = holder?;
        if other != page {
            verdict.copy_of.get_or_insert(other);
            if whole == fingerprint.whole {
                verdict.same_in_all.push(other);
            }
        }
    }
    Ok(verdict)
}

fn twins<T: Texts>(
    texts: &T,
    page: UrlKey,
    fingerprint: &Fingerprint,
    candidates: Vec<Candidate<T::Document>>,
    threshold: Threshold,
) -> Result<Vec<Twin>, T::Error> {
    let mut twins = Vec::new();
    let least = fewest_shared(fingerprint, threshold);
    let likely = candidates.into_iter().filter(|candidate| candidate.shared >= least);
    for row in likely.flat_map(|candidate| texts.named(candidate.id)).take(MOST_COMPARED) {
        let (other_page, other) = row?;
        let Some(likeness) = fingerprint.likeness(&other) else { continue };
        let least = fingerprint.least_likeness(Some(&other), threshold);
        if other_page != page && likeness.similarity >= least {
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
fn fewest_shared(fingerprint: &Fingerprint, threshold: Threshold) -> u32 {
    if !matches!(fingerprint.marks, Marks::Hashes(_)) {
        return 1;
    }
    let least = fingerprint.least_likeness(None, threshold);
    let expected = fingerprint.sketch.len() as f64 * least / (2.0 - least).max(1.0);
    (expected / 3.0) as u32
}

fn forget_text<T: Texts>(
    texts: &mut T,
    page: UrlKey,
    former: Option<&Fingerprint>,
) -> Result<Vec<UrlKey>, T::Error> {
    let Some(former) = former else { return Ok(Vec::new()) };
    let twins = texts.twins(page)?;
    texts.take(page, former)?;
    let was_found = texts.remove(texts.name(page), &former.sketch())?;
    let left_behind = exact(texts, page, former)?;
    // Its copies were found through it, and through it are near others: one of them takes its place.
    if let Some(heir) = left_behind.copy_of.filter(|_| was_found || !twins.is_empty())
        && let Some(text) = texts.text_of(heir)?
    {
        if was_found {
            texts.add(texts.name(heir), &text.sketch())?;
        }
        if !twins.is_empty() && texts.twins(heir)?.is_empty() {
            texts.put(heir, &text, &twins)?;
        }
    }
    Ok(left_behind.same_in_all)
}

/// The texts of a crawl in the store, read and written through a batch.
pub struct StoredTexts<'a> {
    /// The batch.
    pub batch: &'a mut Batch,
    /// The crawl.
    pub crawl: CrawlId,
}

impl Texts for StoredTexts<'_> {
    fn name(&self, page: UrlKey) -> Holder {
        Holder::of(page)
    }

    fn named(&self, id: Holder) -> impl Iterator<Item = Result<(UrlKey, Fingerprint), KvError>> {
        let rows = self.batch.range(&FINGERPRINTS, id.keys(self.crawl));
        rows.map(|row| row.map(|((_, host, page), text)| (UrlKey { host: HostKey(host), page }, text)))
    }

    fn text_of(&self, page: UrlKey) -> Result<Option<Fingerprint>, KvError> {
        self.batch.get(&FINGERPRINTS, &(self.crawl.0, page.host.0, page.page))
    }

    fn copies(&self, exact: u64) -> impl Iterator<Item = Result<(UrlKey, u64), KvError>> {
        let rows = self.batch.prefix(&EXACT_TEXTS, &(self.crawl.0, exact));
        rows.map(|row| row.map(|((_, _, host, page), whole)| (UrlKey { host: HostKey(host), page }, whole)))
    }

    fn twins(&self, page: UrlKey) -> Result<Vec<Twin>, KvError> {
        let row = (self.crawl.0, page.host.0, page.page);
        Ok(self.batch.get(&TWINS, &row)?.unwrap_or_default().twins)
    }

    fn put(&mut self, page: UrlKey, fingerprint: &Fingerprint, twins: &[Twin]) -> Result<(), KvError> {
        let row = (self.crawl.0, page.host.0, page.page);
        let text = (self.crawl.0, fingerprint.exact, page.host.0, page.page);
        self.batch.put(&EXACT_TEXTS, &text, &fingerprint.whole);
        if !twins.is_empty() {
            self.batch.put(&TWINS, &row, &Twins { twins: twins.to_vec() });
        }
        self.batch.put(&FINGERPRINTS, &row, fingerprint);
        Ok(())
    }

    fn take(&mut self, page: UrlKey, former: &Fingerprint) -> Result<(), KvError> {
        let row = (self.crawl.0, page.host.0, page.page);
        self.batch.remove(&FINGERPRINTS, &row);
        self.batch.remove(&TWINS, &row);
        self.batch.remove(&EXACT_TEXTS, &(self.crawl.0, former.exact, page.host.0, page.page));
        Ok(())
    }
}

impl Fingerprints for StoredTexts<'_> {
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

    fn remove(&mut self, page: Holder, sketch: &Sketch) -> Result<bool, KvError> {
        let mut was_noted = false;
        for hash in sketch.hashes() {
            let key = (self.crawl.0, *hash);
            let Some(mut holders) = self.batch.get(&HOLDERS, &key)? else { continue };
            let before = holders.pages.len();
            holders.pages.retain(|holder| *holder != page);
            if holders.pages.len() == before {
                continue;
            }
            was_noted = true;
            match holders.pages.is_empty() {
                true => self.batch.remove(&HOLDERS, &key),
                false => self.batch.put(&HOLDERS, &key, &holders),
            }
        }
        Ok(was_noted)
    }

    /// Each hash is read once.
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

#[cfg(test)]
#[path = "book_tests.rs"]
mod tests;
