//! `check`: is everything whole, each part by itself and against the others? Changes nothing, and works over a
//! snapshot while a crawl runs.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use archive::rows::{ROW_CONTENTS, ROW_COUNTS, ROW_PAGES, ROW_RUNS, ROWS, TEMPLATES};
use archive::tables::{LINKS, POSITIONS, VISITS, VisitRecord};
use archive::{ArchiveReader, Location, Position, RecordKind};
use frontier::page_key;
use frontier::tables::{
    ADDRESSES, FACTS, GUARDS, HINTS, HOSTS, INVITED, LATER, OFF_TOPIC, QUEUE, RELEVANCE, ROBOTS, SCHEDULE,
    SHALLOWER, SITES, STATS, STOCKS, TEXTS, URL_TEMPLATES, URLS,
};
use kv::{Key, KvError, Reader, Snapshot, Table, Value};
use model::{CrawlId, HostKey, Outcome, PageUrl, Timestamp, UrlKey};
use serde::{Deserialize, Serialize};

use crate::data::archived_crawls;
use crate::sink::Sink;
use crate::walk::Walk;
use crate::{Data, ServiceError};

/// Findings of one part that are told singly.
const TOLD: u64 = 1_000;

/// Link targets remembered as known: most links repeat.
const REMEMBERED: usize = 1 << 18;

/// What checking tells: findings, then one line about the whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "kebab-case")]
pub enum CheckRow {
    /// Something that is not as it should be.
    Finding {
        /// Where: a table, the archive, …
        part: String,
        /// Of which crawl.
        crawl: Option<u32>,
        /// What.
        words: String,
        /// Something is lost or wrong; else it is only left over.
        damage: bool,
    },
    /// The last line.
    Checked(Checked),
}

/// What was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// Nothing is damaged.
    pub sound: bool,
    /// Crawls.
    pub crawls: u64,
    /// Rows of all tables.
    pub rows: u64,
    /// URLs.
    pub urls: u64,
    /// Visits whose records were looked up.
    pub visits: u64,
    /// Links.
    pub links: u64,
    /// Rows that templates read.
    #[serde(default)]
    pub template_rows: u64,
    /// Archive files read.
    pub archive_files: u64,
    /// Records in them.
    pub archive_records: u64,
    /// Bytes of them.
    pub archive_bytes: u64,
    /// Findings that mean damage.
    pub damaged: u64,
    /// Other findings.
    pub left_over: u64,
}

pub(crate) fn check(data: &Data, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let projects: BTreeSet<CrawlId> = data.crawls()?.into_iter().map(|(crawl, _)| crawl).collect();
    let mut check = Check {
        snapshot: data.store().snapshot(),
        data,
        out,
        part: String::new(),
        crawl: None,
        told: 0,
        checked: Checked::default(),
    };
    let readable = check.tables()?;
    let mut crawls: BTreeSet<CrawlId> = projects.clone();
    crawls.extend(archived_crawls(data.dir())?);
    for position in check.snapshot.iter(&POSITIONS).keys() {
        crawls.insert(CrawlId(position?));
    }
    for crawl in crawls {
        check.checked.crawls += 1;
        check.crawl = Some(crawl.0);
        if !projects.contains(&crawl) {
            check.begin("projects");
            check.find("no project works on this crawl any more", false)?;
        }
        if readable {
            check.frontier(crawl)?;
            check.visits(crawl)?;
            check.links(crawl)?;
            check.page_rows(crawl)?;
        }
        check.archive(crawl)?;
    }
    let mut checked = check.checked;
    checked.sound = checked.damaged == 0;
    out.send(&CheckRow::Checked(checked))
}

struct Check<'a, 'b> {
    snapshot: Snapshot,
    data: &'a Data,
    out: &'a mut Sink<'b>,
    part: String,
    crawl: Option<u32>,
    told: u64,
    checked: Checked,
}

impl Check<'_, '_> {
    fn begin(&mut self, part: &str) {
        self.part = part.to_owned();
        self.told = 0;
    }

    fn find(&mut self, words: impl ToString, damage: bool) -> Result<(), ServiceError> {
        let count = if damage { &mut self.checked.damaged } else { &mut self.checked.left_over };
        *count += 1;
        self.told += 1;
        let words = match self.told {
            ..=TOLD => words.to_string(),
            told if told == TOLD + 1 => "and more of this kind".to_owned(),
            _ => return Ok(()),
        };
        self.out.send(&CheckRow::Finding { part: self.part.clone(), crawl: self.crawl, words, damage })
    }

    /// Reads every row of every table. False when some cannot be read.
    fn tables(&mut self) -> Result<bool, ServiceError> {
        let mut readable = true;
        macro_rules! tables {
            ($($table:expr),* $(,)?) => { $(readable &= self.table(&$table)?;)* };
        }
        tables!(
            URLS, QUEUE, LATER, SCHEDULE, SITES, HOSTS, ADDRESSES, ROBOTS, HINTS, SHALLOWER, STATS, FACTS
        );
        tables!(VISITS, LINKS, POSITIONS);
        tables!(ROWS, ROW_PAGES, ROW_CONTENTS, ROW_COUNTS, ROW_RUNS, TEMPLATES);
        tables!(INVITED, OFF_TOPIC, RELEVANCE, GUARDS, URL_TEMPLATES, STOCKS, TEXTS);
        Ok(readable)
    }

    fn table<K: Key, V: Value>(&mut self, table: &Table<K, V>) -> Result<bool, ServiceError> {
        self.begin(&format!("table {}", table.name()));
        let mut readable = true;
        for row in self.snapshot.iter(table) {
            self.checked.rows += 1;
            let Err(error) = row else { continue };
            readable = false;
            let single = matches!(error, KvError::Decode { .. });
            self.find(ServiceError::from(error).sentence(), true)?;
            if !single {
                // The engine itself cannot go on.
                break;
            }
        }
        Ok(readable)
    }

    fn frontier(&mut self, crawl: CrawlId) -> Result<(), ServiceError> {
        self.begin("frontier");
        for finding in frontier::audit(&self.snapshot, crawl)? {
            self.find(finding.0, true)?;
        }
        Ok(())
    }

    /// Every visit's record is in the archive and is about its URL; every page has a visit.
    fn visits(&mut self, crawl: CrawlId) -> Result<(), ServiceError> {
        self.begin("visits");
        let committed = self.snapshot.get(&POSITIONS, &crawl.0)?.unwrap_or_default().position;
        let archive = ArchiveReader::new(self.data.archive_dir(crawl));
        for met in Walk::all(&self.snapshot, crawl) {
            let met = met?;
            self.checked.urls += 1;
            if met.record.outcome == Outcome::Fetched && met.last.is_none() {
                self.find(format!("{} counts as fetched, but no visit is kept", met.record.url), true)?;
            }
        }
        let mut known: Option<(UrlKey, Option<PageUrl>)> = None;
        let snapshot = self.snapshot.clone();
        for row in snapshot.prefix(&VISITS, &crawl.0) {
            let ((_, host, page, start), visit) = row?;
            self.checked.visits += 1;
            let key = UrlKey { host: HostKey(host), page };
            if known.as_ref().is_none_or(|(last, _)| *last != key) {
                let record = snapshot.get(&URLS, &page_key(crawl, key))?;
                known = Some((key, record.map(|record| record.url)));
            }
            let Some(url) = known.as_ref().and_then(|(_, url)| url.as_ref()) else {
                self.find(
                    format!("a visit of {} is kept for a URL that nobody knows", Timestamp(start)),
                    true,
                )?;
                continue;
            };
            if let Some(problem) = visit_problem(&archive, committed, url, &visit) {
                self.find(format!("{url}, fetched {}: {problem}", Timestamp(start)), true)?;
            }
        }
        Ok(())
    }

    fn links(&mut self, crawl: CrawlId) -> Result<(), ServiceError> {
        self.begin("links");
        let snapshot = self.snapshot.clone();
        let mut known: HashSet<UrlKey> = HashSet::new();
        for row in snapshot.prefix(&LINKS, &crawl.0) {
            let (source, links) = row?;
            let mut unknown = 0;
            for edge in &links.edges {
                self.checked.links += 1;
                if known.contains(&edge.target) {
                    continue;
                }
                if snapshot.contains(&URLS, &page_key(crawl, edge.target))? {
                    if known.len() >= REMEMBERED {
                        known.clear();
                    }
                    known.insert(edge.target);
                } else {
                    unknown += 1;
                }
            }
            let source = snapshot.get(&URLS, &source)?.map(|record| record.url);
            match source {
                None => self.find("links are kept of a page that nobody knows", true)?,
                Some(source) if unknown > 0 => {
                    self.find(format!("{source} has {unknown} links to URLs that nobody knows"), true)?;
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// What templates read fits together, and every page with rows was visited.
    fn page_rows(&mut self, crawl: CrawlId) -> Result<(), ServiceError> {
        self.begin("rows");
        let (findings, rows) = archive::rows::audit(&self.snapshot, crawl)?;
        self.checked.template_rows += rows;
        for finding in findings {
            self.find(finding, true)?;
        }
        let snapshot = self.snapshot.clone();
        for record in snapshot.prefix(&ROWS, &crawl.0) {
            let (_, page) = record?;
            let key = page_key(crawl, UrlKey::of(&page.url));
            if !snapshot.contains(&VISITS, &(key.0, key.1, key.2, page.visited.0))? {
                self.find(
                    format!("rows of {} are kept, but not its visit of {}", page.url, page.visited),
                    true,
                )?;
            }
        }
        Ok(())
    }

    fn archive(&mut self, crawl: CrawlId) -> Result<(), ServiceError> {
        self.begin("archive");
        let dir = self.data.archive_dir(crawl);
        let committed = match self.snapshot.get(&POSITIONS, &crawl.0) {
            Ok(Some(committed)) => committed.position,
            // A run commits a position before it appends anything.
            Ok(None) if has_files(&dir) => {
                return self.find("the store knows nothing of these files: it was lost", true);
            }
            Ok(None) => Position::default(),
            Err(error) => return self.find(ServiceError::from(error).sentence(), true),
        };
        let verified = archive::verify(&dir, committed)?;
        self.checked.archive_files += u64::from(verified.files);
        self.checked.archive_records += verified.records;
        self.checked.archive_bytes += verified.bytes;
        for finding in verified.findings {
            let damage = finding.is_damage();
            // A run at work is always ahead of its last commit.
            if damage || !self.data.is_crawling() {
                self.find(&finding, damage)?;
            }
        }
        Ok(())
    }
}

fn has_files(dir: &Path) -> bool {
    let entries = dir.read_dir().into_iter().flatten().flatten();
    entries.into_iter().any(|entry| archive::file_number(&entry.file_name()).is_some())
}

/// What is wrong with the archived record of a visit, if anything.
pub(crate) fn visit_problem(
    archive: &ArchiveReader,
    committed: Position,
    url: &PageUrl,
    visit: &VisitRecord,
) -> Option<String> {
    let location = visit.location?;
    let Location { file, offset, length } = location;
    let beyond =
        file > committed.file || file == committed.file && offset + u64::from(length) > committed.length;
    if beyond {
        return Some(format!(
            "its record lies beyond the end of the archive ({} byte {offset})",
            archive::file_name(file)
        ));
    }
    let head = archive.at(location).and_then(|mut reader| {
        let head = reader.next_record()?;
        // To the end: the checksum of the compressed record stands there.
        reader.end_record()?;
        Ok(head)
    });
    match head {
        Err(error) => Some(format!("its record cannot be read: {}", ServiceError::from(error).sentence())),
        Ok(None) => Some("its record is empty".to_owned()),
        Ok(Some(head)) if !matches!(head.kind(), Some(RecordKind::Response | RecordKind::Revisit)) => {
            Some("its record is no response".to_owned())
        }
        Ok(Some(head)) if head.target() != Some(url.as_str()) => {
            Some(format!("its record is about {}", head.target().unwrap_or("nothing")))
        }
        Ok(Some(_)) => None,
    }
}
