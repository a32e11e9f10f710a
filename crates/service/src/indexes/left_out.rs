//! Pages that an index leaves out because others stand for them, so that they come back when nobody does any more.
//!
//! The file names at least all of them: it is written before the commit that leaves a page out, and a page that came back
//! is struck out behind the commit that has it. Putting one that is there does no harm.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;

use export::FileTarget;
use model::{CrawlId, HostKey, UrlKey};

use crate::ServiceError;

/// What the file begins with: its kind and version.
const MAGIC: &[u8; 16] = b"gannet left out\x01";

/// Bytes of a page: crawl, host, page.
const ROW: usize = 28;

/// The pages of an index's projects that are not in it.
pub(crate) struct LeftOut {
    file: PathBuf,
    pages: HashSet<(CrawlId, UrlKey)>,
    /// Those of them that the next commit brings back.
    coming: HashSet<(CrawlId, UrlKey)>,
    changed: bool,
}

impl LeftOut {
    /// As the file tells; none if there is none, or none that can be read.
    pub(crate) fn read(file: PathBuf) -> LeftOut {
        let bytes = std::fs::read(&file).unwrap_or_default();
        let pages = decoded(&bytes).unwrap_or_else(|| {
            if !bytes.is_empty() {
                tracing::warn!(file = %file.display(), "cannot be read; \"gannet index rebuild\" brings back what was left out");
            }
            HashSet::new()
        });
        LeftOut { file, pages, coming: HashSet::new(), changed: false }
    }

    /// True of a page that is left out.
    pub(crate) fn contains(&self, crawl: CrawlId, page: UrlKey) -> bool {
        self.pages.contains(&(crawl, page)) && !self.coming.contains(&(crawl, page))
    }

    /// The pages of a crawl that are left out.
    pub(crate) fn of(&self, crawl: CrawlId) -> Vec<UrlKey> {
        let here = self.pages.iter().filter(|page| page.0 == crawl && !self.coming.contains(page));
        let mut pages: Vec<UrlKey> = here.map(|(_, page)| *page).collect();
        pages.sort_unstable();
        pages
    }

    /// A page is left out from here on.
    pub(crate) fn insert(&mut self, crawl: CrawlId, page: UrlKey) {
        self.coming.remove(&(crawl, page));
        self.changed |= self.pages.insert((crawl, page));
    }

    /// A page is put into the index, or is no page any more.
    pub(crate) fn remove(&mut self, crawl: CrawlId, page: UrlKey) {
        if self.pages.contains(&(crawl, page)) {
            self.coming.insert((crawl, page));
        }
    }

    /// All documents go, those of one crawl or of all: nothing has to come back.
    pub(crate) fn forget(&mut self, crawl: Option<CrawlId>) {
        let before = self.pages.len();
        self.pages.retain(|page| crawl.is_some_and(|crawl| crawl != page.0));
        self.coming.retain(|page| self.pages.contains(page));
        self.changed |= self.pages.len() < before;
    }

    /// Keeps what the next commit leaves out.
    pub(crate) fn before_commit(&mut self) -> Result<(), ServiceError> {
        if std::mem::take(&mut self.changed) { self.keep() } else { Ok(()) }
    }

    /// Strikes out what the commit has brought back.
    pub(crate) fn after_commit(&mut self) -> Result<(), ServiceError> {
        if self.coming.is_empty() {
            return Ok(());
        }
        for page in self.coming.drain() {
            self.pages.remove(&page);
        }
        self.keep()
    }

    fn keep(&self) -> Result<(), ServiceError> {
        let mut bytes = MAGIC.to_vec();
        for (crawl, page) in &self.pages {
            bytes.extend_from_slice(&crawl.0.to_le_bytes());
            bytes.extend_from_slice(&page.host.0.to_le_bytes());
            bytes.extend_from_slice(&page.page.to_le_bytes());
        }
        let mut file = FileTarget::create(&self.file, true)?;
        file.write_all(&bytes).map_err(ServiceError::io("write to", &self.file))?;
        file.commit()?;
        Ok(())
    }
}

fn decoded(bytes: &[u8]) -> Option<HashSet<(CrawlId, UrlKey)>> {
    let (rows, rest) = bytes.strip_prefix(MAGIC)?.as_chunks::<ROW>();
    let row = |row: &[u8; ROW]| {
        let crawl = CrawlId(u32::from_le_bytes(row[..4].try_into().ok()?));
        let host = HostKey(u64::from_le_bytes(row[4..12].try_into().ok()?));
        let page = u128::from_le_bytes(row[12..].try_into().ok()?);
        Some((crawl, UrlKey { host, page }))
    };
    rest.is_empty().then(|| rows.iter().map(row).collect::<Option<_>>())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: u128) -> UrlKey {
        UrlKey { host: HostKey(7), page: number }
    }

    #[test]
    fn a_page_is_named_until_the_commit_that_brings_it_back() {
        let dir = tempfile::tempdir().unwrap();
        let read = || LeftOut::read(dir.path().join("left-out"));
        let (one, other) = (CrawlId(1), CrawlId(2));
        let mut left_out = read();
        left_out.insert(one, page(1));
        left_out.insert(one, page(2));
        left_out.insert(other, page(1));
        left_out.before_commit().unwrap();
        left_out.after_commit().unwrap();
        assert_eq!((read().of(one), read().of(other)), (vec![page(1), page(2)], vec![page(1)]));
        left_out.remove(one, page(1));
        assert_eq!(left_out.of(one), [page(2)]);
        left_out.before_commit().unwrap();
        assert_eq!(read().of(one), [page(1), page(2)], "killed here, it is put once more");
        left_out.after_commit().unwrap();
        assert_eq!(read().of(one), [page(2)]);
        // Left out again before the commit.
        left_out.remove(one, page(2));
        left_out.insert(one, page(2));
        left_out.after_commit().unwrap();
        assert!(read().contains(one, page(2)));
        left_out.forget(Some(one));
        left_out.before_commit().unwrap();
        assert_eq!((read().of(one), read().of(other)), (vec![], vec![page(1)]));
    }

    #[test]
    fn a_file_that_cannot_be_read_names_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("left-out");
        let mut left_out = LeftOut::read(file.clone());
        left_out.insert(CrawlId(1), page(1));
        left_out.before_commit().unwrap();
        let whole = std::fs::read(&file).unwrap();
        for bytes in [&whole[..0], &whole[..5], &whole[..whole.len() - 1], &[b"x", &whole[..]].concat()] {
            std::fs::write(&file, bytes).unwrap();
            assert_eq!(LeftOut::read(file.clone()).of(CrawlId(1)), []);
        }
    }
}
