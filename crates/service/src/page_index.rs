//! An index over a crawl's URLs at one moment: their keys in order, the outcome of each, and all of them in the order
//! of their texts. Finds URLs by outcome and beginning without reading them all. A folder beside the indexes of rows; can
//! be thrown away at any time.

use std::fs;
use std::path::{Path, PathBuf};

use frontier::kept_as;
use frontier::tables::{PageKey, URLS};
use kv::{Reader, Snapshot};
use model::{CrawlId, HostKey, UrlKey};

use crate::ServiceError;
use crate::sections::{Records, SectionWriter, lower_bound, read, spoilt, write};

/// What the names of folders begin with; the number is the form of the files.
const PREFIX: &str = "pages-2-";

/// Of more URLs the texts are not sorted, which is done in memory.
const MOST_SORTED: usize = 5_000_000;

const KEYS: &str = "keys";
const OUTCOMES: &str = "outcomes";
const NAMES: &str = "names.json";
const TEXTS: &str = "by-text";

/// An index.
pub(crate) struct PageIndex {
    dir: PathBuf,
    /// The outcomes that occur; a URL's is a number in this list.
    names: Vec<String>,
}

/// Which URLs.
pub(crate) struct Sought<'a> {
    /// With one of these outcomes; any if empty.
    pub(crate) outcomes: &'a [String],
    /// Beginning like this.
    pub(crate) prefix: Option<&'a str>,
    /// Of these hosts.
    pub(crate) hosts: Option<&'a [HostKey]>,
    /// From this key on.
    pub(crate) from: PageKey,
}

impl PageIndex {
    /// The index of a moment.
    pub(crate) fn open(folder: &Path, moment: u64) -> Option<PageIndex> {
        let dir = folder.join(format!("{PREFIX}{moment:016x}"));
        let names = serde_json::from_slice(&fs::read(dir.join(NAMES)).ok()?).ok()?;
        Some(PageIndex { dir, names })
    }

    /// Makes it; those of other moments go.
    pub(crate) fn make(
        folder: &Path,
        snapshot: &Snapshot,
        crawl: CrawlId,
        moment: u64,
    ) -> Result<PageIndex, ServiceError> {
        let name = format!("{PREFIX}{moment:016x}");
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(|name| name.starts_with("pages-")) {
                let path = entry.path();
                fs::remove_dir_all(&path).map_err(ServiceError::io("remove", &path))?;
            }
        }
        let part = folder.join(format!("{name}.part"));
        fs::create_dir_all(&part).map_err(ServiceError::io("create", &part))?;
        let names = build(&part, snapshot, crawl)?;
        let json = serde_json::to_vec(&names).expect("texts only");
        let path = part.join(NAMES);
        fs::write(&path, json).map_err(ServiceError::io("write", &path))?;
        let dir = folder.join(name);
        fs::rename(&part, &dir).map_err(ServiceError::io("rename", &part))?;
        Ok(PageIndex { dir, names })
    }

    /// Throws it away.
    pub(crate) fn remove(&self) -> Result<(), ServiceError> {
        fs::remove_dir_all(&self.dir).map_err(ServiceError::io("remove", &self.dir))
    }

    /// The keys of the first URLs sought, in order; none when this index cannot tell.
    pub(crate) fn select(
        &self,
        snapshot: &Snapshot,
        sought: &Sought<'_>,
        limit: usize,
    ) -> Result<Option<Vec<PageKey>>, ServiceError> {
        let crawl = sought.from.0;
        let keys = Records::<24>::open(&self.dir, KEYS)?;
        let key = |at: u64| keys.get(at).map(|bytes| read_key(crawl, &bytes));
        let position = |wanted: PageKey| lower_bound(keys.count, |at| Ok(key(at)? < wanted));
        let outcomes = read(&self.dir, OUTCOMES)?.ok_or_else(|| spoilt(&self.dir))?;
        let begins = match sought.prefix {
            None => None,
            Some(prefix) => match self.beginning(snapshot, &keys, crawl, prefix)? {
                None => return Ok(None),
                found => found,
            },
        };
        let codes: Vec<bool> = self
            .names
            .iter()
            .map(|name| sought.outcomes.is_empty() || sought.outcomes.contains(name))
            .collect();
        let first = position(sought.from)?;
        let ranges = match sought.hosts {
            None => vec![(first, keys.count)],
            Some(hosts) => {
                let mut ranges = Vec::with_capacity(hosts.len());
                for host in hosts {
                    let begin = position((crawl, host.0, 0))?.max(first);
                    let end = match host.0.checked_add(1) {
                        Some(next) => position((crawl, next, 0))?,
                        None => keys.count,
                    };
                    ranges.push((begin, end));
                }
                ranges
            }
        };
        let is_sought = |at: &u64| {
            let code = outcomes.get(*at as usize).copied().unwrap_or(u8::MAX);
            codes.get(usize::from(code)) == Some(&true)
                && begins.as_ref().is_none_or(|begins| begins.get(*at as usize) == Some(&true))
        };
        let found = ranges.into_iter().flat_map(|(begin, end)| begin..end).filter(is_sought).take(limit);
        found.map(key).collect::<Result<_, _>>().map(Some)
    }

    /// Which URLs begin like this; none when they are not sorted.
    fn beginning(
        &self,
        snapshot: &Snapshot,
        keys: &Records<24>,
        crawl: u32,
        prefix: &str,
    ) -> Result<Option<Vec<bool>>, ServiceError> {
        if !self.dir.join(TEXTS).exists() {
            return Ok(None);
        }
        let sorted = Records::<4>::open(&self.dir, TEXTS)?;
        let text = |at: u64| {
            let row = u32::from_le_bytes(sorted.get(at)?);
            let key = read_key(crawl, &keys.get(u64::from(row))?);
            let url = snapshot.get(&URLS, &key)?.map(|record| record.url.as_str().to_owned());
            Ok::<_, ServiceError>(url.unwrap_or_default())
        };
        let begin = lower_bound(sorted.count, |at| Ok(text(at)?.as_str() < prefix))?;
        let end = lower_bound(sorted.count, |at| {
            let text = text(at)?;
            Ok(text.as_str() < prefix || text.starts_with(prefix))
        })?;
        let mut begins = vec![false; keys.count as usize];
        let rows = read(&self.dir, TEXTS)?.ok_or_else(|| spoilt(&self.dir))?;
        let (rows, _) = rows.as_chunks::<4>();
        for row in rows.get(begin as usize..end.max(begin) as usize).unwrap_or_default() {
            if let Some(begins) = begins.get_mut(u32::from_le_bytes(*row) as usize) {
                *begins = true;
            }
        }
        Ok(Some(begins))
    }
}

fn build(dir: &Path, snapshot: &Snapshot, crawl: CrawlId) -> Result<Vec<String>, ServiceError> {
    let mut keys = SectionWriter::new(dir, KEYS);
    let mut outcomes = SectionWriter::new(dir, OUTCOMES);
    let mut names: Vec<String> = Vec::new();
    let (mut texts, mut ends) = (Vec::new(), Vec::new());
    let mut count = 0_usize;
    for row in snapshot.prefix(&URLS, &crawl.0) {
        let ((_, host, page), record) = row?;
        let key = UrlKey { host: HostKey(host), page };
        let kept_as = kept_as(snapshot, crawl, key, &record.outcome)?;
        let name = kept_as.as_ref().unwrap_or(&record.outcome).name();
        let code = names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        });
        keys.add(&host.to_be_bytes())?;
        keys.add(&page.to_be_bytes())?;
        outcomes.add(&[code as u8])?;
        count += 1;
        match count <= MOST_SORTED {
            true => {
                texts.extend_from_slice(record.url.as_str().as_bytes());
                ends.push(texts.len());
            }
            false => (texts, ends) = (Vec::new(), Vec::new()),
        }
    }
    keys.finish()?;
    outcomes.finish()?;
    if count <= MOST_SORTED {
        let text = |row: u32| {
            let row = row as usize;
            &texts[if row == 0 { 0 } else { ends[row - 1] }..ends[row]]
        };
        let mut sorted: Vec<u32> = (0..count as u32).collect();
        sorted.sort_unstable_by(|a, b| text(*a).cmp(text(*b)));
        let bytes: Vec<u8> = sorted.iter().flat_map(|row| row.to_le_bytes()).collect();
        write(dir, TEXTS, &bytes)?;
    }
    Ok(names)
}

fn read_key(crawl: u32, bytes: &[u8; 24]) -> PageKey {
    let (host, page) = bytes.split_at(8);
    let host = u64::from_be_bytes(host.try_into().unwrap_or_default());
    (crawl, host, u128::from_be_bytes(page.try_into().unwrap_or_default()))
}
