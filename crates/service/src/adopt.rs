//! Crawls without a project, as a lost catalog leaves them: each gets a project again, named as its archive
//! says and starting where it started. Its settings are lost.

use std::path::Path;

use archive::tables::POSITIONS;
use archive::{ArchiveReader, Position, RecordKind, file_number};
use frontier::tables::URLS;
use kv::Reader;
use model::{CrawlId, CrawlSettings, Normalise, PageUrl, Project, ProjectName, Timestamp};

use crate::data::archived_crawls;
use crate::{Data, ServiceError, rebuild};

/// Start URLs found again at most.
const MOST_STARTS: usize = 10_000;

/// Longest warcinfo record that is read.
const LONGEST_INFO: u64 = 64 * 1024;

/// Gives projects to crawls that have none and were not given up. Tells what it did.
pub(crate) fn adopt(data: &Data, now: Timestamp) -> Result<Vec<(CrawlId, String)>, ServiceError> {
    let known: Vec<CrawlId> = data.crawls()?.into_iter().map(|(crawl, _)| crawl).collect();
    let abandoned = data.wait(data.catalog().abandoned_crawls())?;
    let abandoned: Vec<CrawlId> = abandoned.iter().map(|abandoned| abandoned.crawl).collect();
    let mut crawls = archived_crawls(data.dir())?;
    for crawl in data.store().iter(&POSITIONS).keys() {
        crawls.push(CrawlId(crawl?));
    }
    crawls.sort_unstable();
    crawls.dedup();
    let mut notes = Vec::new();
    for crawl in crawls.into_iter().filter(|crawl| !known.contains(crawl) && !abandoned.contains(crawl)) {
        let start = starts(data, crawl)?;
        if start.is_empty() {
            notes.push((
                crawl,
                "no project works on this crawl, and nothing tells where it began; kept as it is".into(),
            ));
            continue;
        }
        let name = name(&data.archive_dir(crawl), crawl, &start[0]);
        let urls = start.len();
        let mut project =
            Project { name: name.clone(), start, crawl: CrawlSettings::default(), fields: None, index: None };
        if !data.wait(data.catalog().adopt_crawl(&project, crawl, now))? {
            // Somebody took the name meanwhile.
            project.name = numbered(&name, crawl);
            data.wait(data.catalog().adopt_crawl(&project, crawl, now))?;
        }
        notes.push((
            crawl,
            format!(
                "belonged to no project: now {} with {urls} start URLs; its settings are lost",
                project.name
            ),
        ));
    }
    Ok(notes)
}

/// URLs that no page led to: from the tables, else from the archive.
fn starts(data: &Data, crawl: CrawlId) -> Result<Vec<PageUrl>, ServiceError> {
    let mut starts = Vec::new();
    for row in data.store().snapshot().prefix(&URLS, &crawl.0) {
        // Rows that cannot be read are dropped later.
        let Ok((_, record)) = row else { continue };
        if record.depth == 0 && record.via.is_none() && starts.len() < MOST_STARTS {
            starts.push(record.url);
        }
    }
    if starts.is_empty() {
        rebuild::visits(&data.archive_dir(crawl), None, Normalise::default(), &mut |archived| {
            let is_start = archived.metadata.depth == 0 && archived.metadata.via.is_none();
            if is_start && starts.len() < MOST_STARTS && !starts.contains(&archived.url) {
                starts.push(archived.url);
            }
            Ok(())
        })?;
    }
    starts.sort();
    Ok(starts)
}

/// The name in the archive's own words, else its first host's.
fn name(dir: &Path, crawl: CrawlId, start: &PageUrl) -> ProjectName {
    let told = || {
        let mut numbers: Vec<u32> =
            dir.read_dir().ok()?.flatten().filter_map(|entry| file_number(&entry.file_name())).collect();
        numbers.sort_unstable();
        let all = Position { file: u32::MAX, length: u64::MAX };
        let mut reader = ArchiveReader::new(dir).file(*numbers.first()?, all).ok()?;
        let head = reader.next_record().ok()??;
        if head.kind() != Some(RecordKind::Warcinfo) {
            return None;
        }
        let info = String::from_utf8(reader.read_block(LONGEST_INFO).ok()?).ok()?;
        info.lines().find_map(|line| line.strip_prefix("isPartOf: ")?.trim().parse().ok())
    };
    told().unwrap_or_else(|| numbered(&ProjectName::of(start), crawl))
}

fn numbered(name: &ProjectName, crawl: CrawlId) -> ProjectName {
    let short: String = name.as_str().chars().take(50).collect();
    format!("{short}-{}", crawl.0).parse().unwrap_or_else(|_| name.clone())
}
