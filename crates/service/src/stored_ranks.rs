//! The ranks of a crawl's pages as they were last computed: a file beside the crawl, replaced as a whole, so that who
//! reads has the ones before or the new ones. It may be deleted: `gannet rank` makes it again, and so does the next run
//! that somebody searches, or that chooses among copies.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use export::FileTarget;
use frontier::tables::URLS;
use graph::Graph;
use kv::{Reader as _, Snapshot};
use model::{CrawlId, HostKey, PageUrl, Timestamp, UrlKey};
use search::{Links, PageLinks};

use crate::{Data, ServiceError};

/// What the file begins with: its kind and version.
const MAGIC: &[u8; 16] = b"gannet ranks v2\n";

/// Bytes before the first page: magic, moment, pages.
const HEAD: usize = 32;

/// Bytes of a page: host, page, rank, pages that link to it.
const ROW: usize = 36;

/// The ranks of a crawl's pages.
#[derive(Debug, PartialEq)]
pub(crate) struct StoredRanks {
    /// When they were computed.
    at: Timestamp,
    /// By key; the ranks together are 1.
    rows: Vec<Row>,
}

#[derive(Debug, PartialEq)]
struct Row {
    key: UrlKey,
    rank: f64,
    inlinks: u32,
}

impl StoredRanks {
    /// Keeps ranks in place of those before; `snapshot` is the one that the links were read from.
    pub(crate) fn keep(
        data: &Data,
        (snapshot, crawl): (&Snapshot, CrawlId),
        links: &Graph,
        ranks: &[f64],
        at: Timestamp,
    ) -> Result<(), ServiceError> {
        let path = path(data, crawl);
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(ServiceError::io("create", dir))?;
        }
        let mut file = FileTarget::create(&path, true)?;
        let mut write = |bytes: &[u8]| file.write_all(bytes).map_err(ServiceError::io("write to", &path));
        write(MAGIC)?;
        write(&at.0.to_le_bytes())?;
        write(&(ranks.len() as u64).to_le_bytes())?;
        for (number, (key, rank)) in (0..).zip(snapshot.prefix(&URLS, &crawl.0).keys().zip(ranks)) {
            let (_, host, page) = key?;
            let inlinks = links.in_links(number).count() as u32;
            write(&host.to_le_bytes())?;
            write(&page.to_le_bytes())?;
            write(&rank.to_le_bytes())?;
            write(&inlinks.to_le_bytes())?;
        }
        file.commit()?;
        Ok(())
    }

    /// The ranks in a file; none if there is none, or none that can be read.
    fn read(path: &Path) -> Option<StoredRanks> {
        let ranks = StoredRanks::decode(&fs::read(path).ok()?);
        if ranks.is_none() {
            tracing::warn!(path = %path.display(), "ranks cannot be read; \"gannet rank\" makes them again");
        }
        ranks
    }

    /// Whether there are any.
    pub(crate) fn are_kept(data: &Data, crawl: CrawlId) -> bool {
        path(data, crawl).exists()
    }

    /// Removes the ranks of a crawl.
    pub(crate) fn drop(data: &Data, crawl: CrawlId) -> Result<(), ServiceError> {
        let path = path(data, crawl);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(ServiceError::io("remove", path)(error))
            }
            _ => Ok(()),
        }
    }

    /// What links say of a page; the mean rank of all pages is 1.
    fn of(&self, key: UrlKey) -> Option<PageLinks> {
        let at = self.rows.binary_search_by_key(&key, |row| row.key).ok()?;
        let row = &self.rows[at];
        Some(PageLinks { pagerank: (row.rank * self.rows.len() as f64) as f32, inlinks: row.inlinks })
    }

    fn decode(bytes: &[u8]) -> Option<StoredRanks> {
        let word = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        if !bytes.starts_with(MAGIC) {
            return None;
        }
        let (at, count) = (Timestamp(word(16)?), word(24)? as usize);
        let rows = bytes.get(HEAD..)?;
        if rows.len() != count.checked_mul(ROW)? {
            return None;
        }
        let row = |row: &[u8]| {
            let host = HostKey(u64::from_le_bytes(row[..8].try_into().ok()?));
            let page = u128::from_le_bytes(row[8..24].try_into().ok()?);
            let rank = f64::from_le_bytes(row[24..32].try_into().ok()?);
            let inlinks = u32::from_le_bytes(row[32..].try_into().ok()?);
            Some(Row { key: UrlKey { host, page }, rank, inlinks })
        };
        Some(StoredRanks { at, rows: rows.chunks_exact(ROW).map(row).collect::<Option<_>>()? })
    }
}

/// The ranks of some crawls, read when one is first asked for.
pub(crate) struct LazyRanks {
    /// The files, and when each was written.
    files: Vec<(PathBuf, SystemTime)>,
    links: Arc<Links>,
}

impl LazyRanks {
    /// Those of these crawls that were computed.
    pub(crate) fn of_crawls(data: &Data, crawls: impl Iterator<Item = CrawlId>) -> LazyRanks {
        let written = |path: PathBuf| {
            let moment = fs::metadata(&path).and_then(|file| file.modified()).ok()?;
            Some((path, moment))
        };
        LazyRanks::of_files(crawls.filter_map(|crawl| written(path(data, crawl))).collect())
    }

    fn of_files(files: Vec<(PathBuf, SystemTime)>) -> LazyRanks {
        let (read, paths) = (OnceLock::new(), files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>());
        LazyRanks { files, links: Arc::new(Links::new(move |url| of_url(&read, &paths, url))) }
    }

    /// True when others would come from the same files.
    pub(crate) fn is_same(&self, other: &LazyRanks) -> bool {
        self.files == other.files
    }

    /// What they say of pages.
    pub(crate) fn links(&self) -> Arc<Links> {
        Arc::clone(&self.links)
    }
}

impl Default for LazyRanks {
    fn default() -> LazyRanks {
        LazyRanks::of_files(Vec::new())
    }
}

/// What links say of a page, with the mean rank of its crawl as 1; where several crawls know it, the one that ranks it
/// highest.
fn of_url(read: &OnceLock<Vec<StoredRanks>>, files: &[PathBuf], url: &str) -> Option<PageLinks> {
    let ranks = read.get_or_init(|| files.iter().filter_map(|path| StoredRanks::read(path)).collect());
    if ranks.is_empty() {
        return None;
    }
    let key = UrlKey::of(&PageUrl::parse(url).ok()?);
    let known = ranks.iter().filter_map(|ranks| ranks.of(key));
    known.max_by(|one, other| one.pagerank.total_cmp(&other.pagerank))
}

fn path(data: &Data, crawl: CrawlId) -> PathBuf {
    data.dir().join("ranks").join(format!("{:05}", crawl.0))
}
