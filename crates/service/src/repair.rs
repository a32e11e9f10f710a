//! `repair`: rebuilds what can be rebuilt, sets aside what cannot be used, and says what is lost.
//!
//! Nothing is deleted but rows that cannot be read. Every step can be repeated.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use archive::rows::{self, ROW_CONTENTS, ROW_COUNTS, ROW_PAGES, ROW_RUNS, ROWS, TEMPLATES};
use archive::tables::{ACCEPTED, Committed, LINKS, POSITIONS, VISITS};
use archive::{ArchiveReader, ArchiveSettings, ArchiveWriter, Position};
use catalog::{Catalog, ProjectEntry};
use crawl::judged_otherwise;
use frontier::tables::{
    FACTS, GUARDS, HINTS, HOSTS, INVITED, LATER, OFF_TOPIC, QUEUE, RELEVANCE, ROBOTS, SCHEDULE, SHALLOWER,
    SITES, STATS, STOCKS, TEXTS, URL_TEMPLATES, URLS, UrlRecord,
};
use frontier::{Frontier, Offer, first_priority, page_key};
use judge::tables::{EXACT_TEXTS, FINGERPRINTS, HOLDERS, TWINS};
use kv::{Batch, Durability, Key, KvError, Reader, Store, Table, Value};
use model::{CrawlId, Duplicates, Outcome, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::adopt::adopt;
use crate::check::{check, visit_problem};
use crate::data::{Access, catalog_path, check_version, open_store, store_path};
use crate::rebuild::{self, Archived};
use crate::reindex::reindex;
use crate::restore::{Restore, edges, offer, template_reader};
use crate::restore_rows::restore_rows;
use crate::restore_texts::{forget_texts, restore_texts};
use crate::sink::Sink;
use crate::versions::is_latest;
use crate::{Data, ServiceError};

/// Visits read back, or pages whose links are offered, in one commit.
const GROUP: usize = 1_000;

/// What repairing tells: what it did, then one line about the whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "kebab-case")]
pub enum RepairRow {
    /// Something done, or something that cannot be done.
    Note {
        /// Of which crawl.
        crawl: Option<u32>,
        /// What.
        words: String,
    },
    /// The last line.
    Repaired(Repaired),
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repaired {
    /// Crawls gone through.
    pub crawls: u64,
    /// Rows that could not be read, dropped.
    pub rows_dropped: u64,
    /// Visits read back from the archive.
    pub visits_restored: u64,
    /// Link lists read back from the archive.
    pub links_restored: u64,
    /// URLs known again.
    pub urls_restored: u64,
    /// Pages whose rows were read again from the archive.
    #[serde(default)]
    pub rows_restored: u64,
    /// Pages whose text got its fingerprint again.
    #[serde(default)]
    pub texts_restored: u64,
    /// Pages whose record is damaged, to be fetched again.
    pub to_fetch_again: u64,
    /// Lines of the archives' indexes, written anew.
    pub index_lines: u64,
}

/// Before the directory can be opened: sets aside a store or catalog that is beyond use, so that it can. Tells
/// what it did; what it set aside is rebuilt by `Request::Repair`.
pub async fn repair_unopened(dir: &Path) -> Result<Vec<String>, ServiceError> {
    let mut notes = Vec::new();
    match check_version(dir, Access::Existing) {
        Err(ServiceError::BadVersion(file)) => {
            fs::write(&file, format!("{}\n", crate::VERSION)).map_err(ServiceError::io("write", &file))?;
            notes.push("VERSION could not be read and was written anew".to_owned());
        }
        result => result?,
    }
    match open_store(dir) {
        Ok(_) => {}
        Err(ServiceError::Store(error @ (KvError::Engine { .. } | KvError::NotAStore { .. }))) => {
            let path = store_path(dir);
            let aside = set_aside(&path)?;
            notes.push(format!(
                "the store cannot be used ({}) and was set aside as {}",
                ServiceError::from(error).sentence(),
                aside.display()
            ));
            notes.push(
                "pages and links are rebuilt from the archive; waiting times of hosts, robots.txt and outcomes \
                 of URLs that were never fetched are lost and will be found out again"
                    .to_owned(),
            );
        }
        Err(error) => return Err(error),
    }
    match Catalog::open(&catalog_path(dir)).await {
        Ok(catalog) => catalog.close().await,
        Err(error) if error.is_beyond_use() => {
            let path = catalog_path(dir);
            let aside = set_aside(&path)?;
            for suffix in ["-wal", "-shm"] {
                let part = dir.join(format!("gannet.db{suffix}"));
                if part.exists() {
                    set_aside(&part)?;
                }
            }
            notes.push(format!(
                "the catalog cannot be used ({error}) and was set aside as {}",
                aside.display()
            ));
            notes.push("settings of projects and the history of their runs are lost; names and start URLs are found again".to_owned());
        }
        Err(error) => return Err(error.into()),
    }
    Ok(notes)
}

pub(crate) fn repair(data: &Data, now: Timestamp, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    if data.is_crawling() {
        return beside_a_run(data, out);
    }
    let adopted = adopt(data, now)?;
    let projects = data.crawls()?;
    let mut repair = Repair {
        data,
        store: data.store(),
        now,
        out,
        crawl: None,
        done: Repaired::default(),
        dropped: 0,
        texts_dropped: 0,
    };
    repair.drop_unreadable()?;
    for (crawl, words) in adopted {
        repair.crawl = Some(crawl.0);
        repair.note(words)?;
    }
    for (crawl, entry) in &projects {
        repair.crawl = Some(crawl.0);
        repair.done.crawls += 1;
        repair.crawl(*crawl, entry)?;
    }
    let done = repair.done;
    out.send(&RepairRow::Repaired(done))
}

/// What can be done while a crawl writes: everything is checked, and the archive's indexes are written. What is
/// damaged is named; tables in use are not changed under the crawl's hands.
fn beside_a_run(data: &Data, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let mut done = Repaired::default();
    for (crawl, _) in data.crawls()? {
        done.crawls += 1;
        done.index_lines += data.write_index(crawl)?;
    }
    let mut damage = Vec::new();
    let mut collect = |row: Json| {
        if row["damage"] == true {
            damage.push(row["words"].as_str().unwrap_or_default().to_owned());
        }
        ControlFlow::Continue(())
    };
    check(data, &mut Sink(&mut collect))?;
    let words = match damage.is_empty() {
        true => "a crawl is running, and nothing is damaged",
        false => {
            "a crawl is running: its tables are in use; stop it and repair again for what is named above"
        }
    };
    for words in damage.into_iter().chain([words.to_owned()]) {
        out.send(&RepairRow::Note { crawl: None, words })?;
    }
    out.send(&RepairRow::Repaired(done))
}

struct Repair<'a, 'b> {
    data: &'a Data,
    store: &'a Store,
    now: Timestamp,
    out: &'a mut Sink<'b>,
    crawl: Option<u32>,
    done: Repaired,
    /// Rows dropped from the table of URLs.
    dropped: u64,
    /// Rows dropped from the judge's tables.
    texts_dropped: u64,
}

impl Repair<'_, '_> {
    fn note(&mut self, words: impl Into<String>) -> Result<(), ServiceError> {
        self.out.send(&RepairRow::Note { crawl: self.crawl, words: words.into() })
    }

    fn crawl(&mut self, crawl: CrawlId, entry: &ProjectEntry) -> Result<(), ServiceError> {
        let dir = self.data.archive_dir(crawl);
        let committed = self.store.get(&POSITIONS, &crawl.0)?.map(|committed| committed.position);
        if let Some(committed) = committed {
            // Cuts what no commit names and sets aside what does not fit, as every start does.
            let opened = ArchiveWriter::open(&dir, committed, ArchiveSettings::default())?;
            for finding in &opened.findings {
                self.note(format!("archive: {finding}"))?;
            }
            self.damaged_visits(crawl, committed)?;
        }
        let restored = self.restore(crawl, entry, committed)?;
        let unsound = !frontier::audit(self.store, crawl)?.is_empty();
        if restored || unsound || self.dropped > 0 {
            reindex(self.store, crawl)?;
            self.note("queue, schedule and counts were written anew")?;
        }
        if restored || self.dropped > 0 || self.has_unknown_targets(crawl)? {
            self.offer_again(crawl, entry)?;
        }
        if !rows::audit(self.store, crawl)?.0.is_empty() {
            rows::reindex(self.store, crawl)?;
            self.note("lists and counts of rows were written anew")?;
        }
        let pages = restore_rows(self.data, crawl, entry)?;
        if pages > 0 {
            self.done.rows_restored += pages;
            self.note(format!("rows of {pages} pages were read again from the archive"))?;
        }
        let settings = entry.project.crawl.duplicate_settings();
        let judges = settings.method != Duplicates::Off;
        if self.texts_dropped > 0 || judges && judged_otherwise(self.store, crawl, &settings)? {
            forget_texts(self.store, crawl)?;
        }
        let texts = restore_texts(self.data, crawl, entry)?;
        if texts > 0 {
            self.done.texts_restored += texts;
            self.note(format!("texts of {texts} pages were judged again from the archive"))?;
        }
        match self.data.write_index(crawl) {
            Ok(lines) => self.done.index_lines += lines,
            Err(error) => {
                self.note(format!("the archive's index cannot be written: {}", error.sentence()))?
            }
        }
        Ok(())
    }

    /// Drops rows that no program could read. What they said is found again in the archive, or is lost.
    fn drop_unreadable(&mut self) -> Result<(), ServiceError> {
        macro_rules! tables {
            ($($table:expr),*) => {$( self.drop_unreadable_in(&$table)?; )*};
        }
        let before = self.done.rows_dropped;
        self.drop_unreadable_in(&URLS)?;
        self.dropped = self.done.rows_dropped - before;
        tables!(
            QUEUE,
            LATER,
            SCHEDULE,
            SITES,
            SHALLOWER,
            INVITED,
            OFF_TOPIC,
            RELEVANCE,
            GUARDS,
            URL_TEMPLATES,
            STOCKS,
            TEXTS,
            HOSTS,
            ROBOTS,
            HINTS,
            STATS,
            FACTS,
            VISITS,
            LINKS,
            ACCEPTED,
            POSITIONS
        );
        tables!(ROWS, ROW_PAGES, ROW_CONTENTS, ROW_COUNTS, ROW_RUNS, TEMPLATES);
        let before = self.done.rows_dropped;
        tables!(FINGERPRINTS, EXACT_TEXTS, HOLDERS, TWINS);
        self.texts_dropped = self.done.rows_dropped - before;
        Ok(())
    }

    fn drop_unreadable_in<K: Key, V: Value>(&mut self, table: &Table<K, V>) -> Result<(), ServiceError> {
        let mut batch = self.store.batch();
        let mut dropped = 0;
        for key in self.store.snapshot().iter(table).keys() {
            let Ok(key) = key else { continue };
            if matches!(self.store.get(table, &key), Err(KvError::Decode { .. })) {
                batch.remove(table, &key);
                dropped += 1;
            }
        }
        if dropped > 0 {
            self.store.commit(batch, Durability::Synced)?;
            self.done.rows_dropped += dropped;
            self.note(format!("{dropped} unreadable rows of table {} were dropped", table.name()))?;
        }
        Ok(())
    }

    /// Pages whose record is lost are fetched again; what the tables know of them stays.
    fn damaged_visits(&mut self, crawl: CrawlId, committed: Position) -> Result<(), ServiceError> {
        let archive = ArchiveReader::new(self.data.archive_dir(crawl));
        let snapshot = self.store.snapshot();
        let mut batch = self.store.batch();
        for row in snapshot.prefix(&VISITS, &crawl.0) {
            let (visit_key @ (_, host, page, _), mut visit) = row?;
            let key = (crawl.0, host, page);
            let Some(mut record) = batch.get(&URLS, &key)? else { continue };
            let Some(problem) = visit_problem(&archive, committed, &record.url, &visit) else { continue };
            let place = visit.location.take();
            batch.put(&VISITS, &visit_key, &visit);
            let was_kept = matches!(record.outcome, Outcome::Fetched | Outcome::NotModified);
            if was_kept && is_latest(&snapshot, &key, place)? {
                self.note(format!("{}: {problem}; it will be fetched again", record.url))?;
                self.done.to_fetch_again += 1;
                record.outcome = Outcome::Waiting;
                record.priority = u32::MAX - record_priority(self.data, crawl, &record)?;
                batch.put(&URLS, &key, &record);
            }
            if batch.len() >= GROUP {
                let full = std::mem::replace(&mut batch, self.store.batch());
                self.store.commit(full, Durability::Synced)?;
            }
        }
        Ok(self.store.commit(batch, Durability::Synced)?)
    }

    /// Puts back visits, links and URLs that the archive knows and the tables do not. True if there were any.
    fn restore(
        &mut self,
        crawl: CrawlId,
        entry: &ProjectEntry,
        committed: Option<Position>,
    ) -> Result<bool, ServiceError> {
        let settings = &entry.project.crawl;
        let mut work = Restore {
            crawl,
            settings,
            pages: template_reader(&entry.project),
            batch: self.store.batch(),
            stats: self.store.get(&STATS, &crawl.0)?.unwrap_or_default(),
            pending: 0,
            done: Repaired::default(),
        };
        let store = self.store;
        let dir = self.data.archive_dir(crawl);
        let walked = rebuild::visits(&dir, committed, settings.normalise(), &mut |archived| {
            work.visit(archived)?;
            if work.pending >= GROUP {
                work.pending = 0;
                work.batch.put(&STATS, &crawl.0, &work.stats);
                let full = std::mem::replace(&mut work.batch, store.batch());
                store.commit(full, Durability::Buffered)?;
            }
            Ok(())
        })?;
        let Restore { mut batch, stats, done, .. } = work;
        let restored = done != Repaired::default();
        if restored {
            batch.put(&STATS, &crawl.0, &stats);
        }
        if committed.is_none() && walked.end.file > 0 {
            batch.put(&POSITIONS, &crawl.0, &Committed { position: walked.end, at: self.now });
        }
        self.store.commit(batch, Durability::Synced)?;
        for place in walked.skipped {
            self.note(format!("archive: a damaged record was skipped: {place}"))?;
        }
        if restored {
            let Repaired { visits_restored, links_restored, urls_restored, .. } = done;
            self.note(format!(
                "read back from the archive: {visits_restored} visits, {links_restored} pages' links, {urls_restored} URLs"
            ))?;
            self.done.visits_restored += visits_restored;
            self.done.links_restored += links_restored;
            self.done.urls_restored += urls_restored;
        }
        Ok(restored)
    }

    fn has_unknown_targets(&self, crawl: CrawlId) -> Result<bool, ServiceError> {
        for row in self.store.snapshot().prefix(&LINKS, &crawl.0) {
            for edge in row?.1.edges {
                if !self.store.contains(&URLS, &page_key(crawl, edge.target))? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Offers start URLs and all archived links to the frontier, which takes those that it does not know.
    fn offer_again(&mut self, crawl: CrawlId, entry: &ProjectEntry) -> Result<(), ServiceError> {
        let before = self.store.get(&STATS, &crawl.0)?.unwrap_or_default().distinct;
        let mut frontier = Frontier::open(self.store.clone(), self.now)?;
        frontier.begin(crawl, &entry.project)?;
        let mut batch = self.store.batch();
        for url in &entry.project.start {
            let offer = Offer { start: true, ..Offer::of(url.clone()) };
            frontier.offer(&mut batch, crawl, offer, self.now)?;
        }
        let (store, now, settings) = (self.store, self.now, &entry.project.crawl);
        let committed = store.get(&POSITIONS, &crawl.0)?.unwrap_or_default().position;
        let reader = template_reader(&entry.project);
        let mut pages = 0;
        rebuild::visits(
            &self.data.archive_dir(crawl),
            Some(committed),
            settings.normalise(),
            &mut |archived| {
                let Some(record) = batch.get(&URLS, &page_key(crawl, archived.key))? else { return Ok(()) };
                if let Outcome::Redirected { to } = &record.outcome {
                    frontier.offer(&mut batch, crawl, Offer::redirect(&record, archived.key, to), now)?;
                }
                let Archived { key, url, started, visit, metadata, answer, .. } = archived;
                let Some(page) = metadata.page else { return Ok(()) };
                let offers = match &reader {
                    Some(reader) => {
                        let fetched = answer.fetched(url, started, visit.cut, settings);
                        reader.read(&fetched).offers(key, record.depth, false).0
                    }
                    None => edges(&page, settings)
                        .map(|(edge, url)| offer(edge, url, key, record.depth))
                        .collect(),
                };
                for offer in offers {
                    frontier.offer(&mut batch, crawl, offer, now)?;
                }
                pages += 1;
                if pages % GROUP == 0 {
                    let full = std::mem::replace(&mut batch, store.batch());
                    commit(store, &mut frontier, full, now)?;
                }
                Ok(())
            },
        )?;
        commit(store, &mut frontier, batch, now)?;
        let after = store.get(&STATS, &crawl.0)?.unwrap_or_default().distinct;
        self.done.urls_restored += after.saturating_sub(before);
        self.note(format!(
            "{} URLs were found again in the links of archived pages",
            after.saturating_sub(before)
        ))
    }
}

fn commit(
    store: &Store,
    frontier: &mut Frontier,
    mut batch: Batch,
    now: Timestamp,
) -> Result<(), ServiceError> {
    frontier.seal(&mut batch, now)?;
    store.commit(batch, Durability::Synced)?;
    Ok(frontier.committed(now)?)
}

fn record_priority(data: &Data, crawl: CrawlId, record: &UrlRecord) -> Result<u32, ServiceError> {
    let entry = data.crawls()?.into_iter().find(|(known, _)| *known == crawl);
    let settings = entry.map(|(_, entry)| entry.project.crawl).unwrap_or_default();
    Ok(first_priority(&settings, &record.url, record.depth).0)
}

/// Renames something to the first free `….orphan-N`.
fn set_aside(path: &Path) -> Result<PathBuf, ServiceError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let free = (1..).map(|number| path.with_file_name(format!("{name}.orphan-{number}")));
    let aside =
        free.into_iter().find(|aside| fs::symlink_metadata(aside).is_err()).expect("numbers do not end");
    fs::rename(path, &aside).map_err(ServiceError::io("set aside", path))?;
    Ok(aside)
}
