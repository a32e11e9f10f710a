//! What a data directory holds, read through its tables and its archive once no process works on it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use archive::rows::{self, ROWS};
use archive::tables::{LINKS, POSITIONS, VISITS, VisitRecord};
use archive::{ArchiveReader, HttpHead, Metadata, Purpose, RecordKind};
use frontier::page_key;
use frontier::tables::{STATS, Stats, URLS, UrlRecord};
use judge::tables::{FINGERPRINTS, TWINS};
use kv::{Reader, Store};
use model::{CrawlId, HostKey, Outcome, UrlKey};

/// What one crawl has kept.
pub(crate) struct Kept {
    pub(crate) urls: BTreeMap<String, UrlRecord>,
    /// Source, target, words, look and markup of every link.
    pub(crate) links: BTreeSet<String>,
    pub(crate) visits: BTreeMap<String, Vec<VisitRecord>>,
    pub(crate) stats: Stats,
    /// Page, place, key and values of every row.
    pub(crate) rows: BTreeSet<String>,
    /// Pages with their texts' hashes, and pairs of near duplicates.
    pub(crate) texts: BTreeSet<String>,
    /// Status of each response in the archive, by URL, robots.txt left out.
    pub(crate) archived: BTreeMap<String, Vec<u16>>,
}

/// The folder with the archive of the only crawl.
pub(crate) fn archive_folder(data: &Path) -> PathBuf {
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(data.join("archive")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(folders.len(), 1, "one crawl, one archive: {folders:?}");
    folders.remove(0)
}

impl Kept {
    /// Reads a directory with one crawl, and checks that each part is whole and fits the others.
    #[track_caller]
    pub(crate) fn read(data: &Path) -> Kept {
        Kept::read_if_begun(data).expect("something was crawled")
    }

    /// The same; none when no crawl has begun in it.
    #[track_caller]
    pub(crate) fn read_if_begun(data: &Path) -> Option<Kept> {
        if !data.join("crawl").exists() {
            return None;
        }
        let store = Store::open(&data.join("crawl"), kv::Options::default()).unwrap();
        let crawls: Vec<u32> = store.iter(&POSITIONS).keys().map(Result::unwrap).collect();
        let id = match crawls[..] {
            [] => return None,
            [id] => CrawlId(id),
            _ => panic!("one project has one crawl: {crawls:?}"),
        };
        let mut kept = Kept {
            urls: BTreeMap::new(),
            links: BTreeSet::new(),
            visits: BTreeMap::new(),
            stats: store.get(&STATS, &id.0).unwrap().unwrap_or_default(),
            rows: BTreeSet::new(),
            texts: BTreeSet::new(),
            archived: BTreeMap::new(),
        };
        kept.read_tables(&store, id);
        assert_eq!(frontier::audit(&store, id).unwrap(), []);
        assert_eq!(archive::rows::audit(&store, id).unwrap().0, Vec::<String>::new());
        kept.read_archive(&store, id, data);
        kept.check_visits();
        Some(kept)
    }

    /// URLs of the pages kept.
    pub(crate) fn pages(&self) -> BTreeSet<&str> {
        let fetched = self.urls.iter().filter(|(_, record)| record.outcome == Outcome::Fetched);
        fetched.map(|(url, _)| url.as_str()).collect()
    }

    /// The outcome of a URL.
    #[track_caller]
    pub(crate) fn outcome(&self, url: &str) -> &Outcome {
        &self.urls.get(url).unwrap_or_else(|| panic!("{url} is not known")).outcome
    }

    /// What must not depend on when the crawl was interrupted: URL, depth, outcome. When a retry is due, and how
    /// often a host was too busy, does depend on it.
    pub(crate) fn story(&self) -> BTreeSet<String> {
        let tell = |(url, record): (&String, &UrlRecord)| match &record.outcome {
            Outcome::Retrying { error, .. } => format!("{url} depth {} retrying {error}", record.depth),
            outcome => format!("{url} depth {} {outcome:?}", record.depth),
        };
        self.urls.iter().map(tell).collect()
    }

    fn read_tables(&mut self, store: &Store, id: CrawlId) {
        let mut names: BTreeMap<UrlKey, String> = BTreeMap::new();
        for row in store.prefix(&URLS, &id.0) {
            let ((_, host, page), record) = row.unwrap();
            names.insert(UrlKey { host: HostKey(host), page }, record.url.to_string());
            self.urls.insert(record.url.to_string(), record);
        }
        for row in store.prefix(&LINKS, &id.0) {
            let ((_, host, page), links) = row.unwrap();
            let source = &names[&UrlKey { host: HostKey(host), page }];
            for edge in links.edges {
                let target = store.get(&URLS, &page_key(id, edge.target)).unwrap();
                let target =
                    target.unwrap_or_else(|| panic!("{source} links to a URL that nobody knows")).url;
                let (anchor, look, kind) = (&edge.anchor, edge.look, edge.kind);
                self.links.insert(format!("{source} -> {target} {anchor:?} {look:?} {kind:?}"));
            }
        }
        let replaced = rows::superseded(store, id, u64::MAX).unwrap();
        for record in store.prefix(&ROWS, &id.0) {
            let ((_, number), page) = record.unwrap();
            for row in page.rows.iter().filter(|_| replaced.binary_search(&number).is_err()) {
                let (url, place, key) = (&page.url, row.position, row.key);
                self.rows.insert(format!("{url} {place} {key} {:?}", row.values));
            }
        }
        for row in store.prefix(&FINGERPRINTS, &id.0) {
            let ((_, host, page), print) = row.unwrap();
            let url = &names[&UrlKey { host: HostKey(host), page }];
            self.texts.insert(format!("{url} {:x} {:x}", print.exact, print.whole));
        }
        for row in store.prefix(&TWINS, &id.0) {
            let ((_, host, page), twins) = row.unwrap();
            for twin in twins.twins {
                // Whichever came second names the other.
                let mut pair = [&names[&UrlKey { host: HostKey(host), page }], &names[&twin.page]];
                pair.sort();
                self.texts.insert(format!("{} and {} alike {}", pair[0], pair[1], twin.similarity));
            }
        }
        for row in store.prefix(&VISITS, &id.0) {
            let ((_, host, page, _), visit) = row.unwrap();
            let url = &names[&UrlKey { host: HostKey(host), page }];
            self.visits.entry(url.clone()).or_default().push(visit);
        }
    }

    fn read_archive(&mut self, store: &Store, id: CrawlId, data: &Path) {
        let committed = store.get(&POSITIONS, &id.0).unwrap().unwrap_or_default().position;
        let folder = data.join("archive").join(format!("{:05}", id.0));
        let verified = archive::verify(&folder, committed).unwrap();
        let damage: Vec<_> = verified.findings.iter().filter(|finding| finding.is_damage()).collect();
        assert!(damage.is_empty(), "{damage:?}");
        for number in 1..=committed.file {
            let mut reader = ArchiveReader::new(&folder).file(number, committed).unwrap();
            let mut status = None;
            while let Some(head) = reader.next_record().unwrap() {
                match head.kind() {
                    Some(RecordKind::Response) => {
                        let head = HttpHead::read(&mut reader.block()).unwrap();
                        let line = String::from_utf8_lossy(&head.bytes).into_owned();
                        assert_eq!(status, None, "a response is followed by its metadata");
                        status = Some(line.split(' ').nth(1).unwrap().parse().unwrap());
                    }
                    Some(RecordKind::Metadata) => {
                        let block = reader.read_block(16 << 20).unwrap();
                        let status = status.take().expect("metadata follows its response");
                        if Metadata::parse(&block).unwrap().purpose == Purpose::Page {
                            self.archived.entry(head.target().unwrap().to_owned()).or_default().push(status);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// One visit for each archived response, one good one for each page, none for what was never asked.
    fn check_visits(&self) {
        for (url, record) in &self.urls {
            let visits = self.visits.get(url).map_or(&[][..], Vec::as_slice);
            let archived = self.archived.get(url).map_or(&[][..], Vec::as_slice);
            let located = visits.iter().filter(|visit| visit.location.is_some()).count();
            assert_eq!(located, archived.len(), "{url}: visits with a record, and records");
            let good = |status: u16| (200..300).contains(&status);
            let pages = usize::from(record.outcome == Outcome::Fetched);
            assert_eq!(
                archived.iter().filter(|status| good(**status)).count(),
                pages,
                "{url}: pages archived"
            );
            let kept =
                visits.iter().filter(|visit| visit.location.is_some() && visit.status.is_some_and(good));
            assert_eq!(kept.count(), pages, "{url}: pages kept");
        }
        let unknown: Vec<_> = self.archived.keys().filter(|url| !self.urls.contains_key(*url)).collect();
        assert!(unknown.is_empty(), "archived, but not known: {unknown:?}");
    }
}

/// Both hold the same pages, rows, links, depths and outcomes.
#[track_caller]
pub(crate) fn assert_same(expected: &Kept, found: &Kept) {
    assert_same_set("URLs", &expected.story(), &found.story());
    assert_same_set("links", &expected.links, &found.links);
    assert_same_set("texts", &expected.texts, &found.texts);
    assert_same_set("rows", &expected.rows, &found.rows);
    let bytes = |kept: &Kept| -> BTreeMap<String, u64> {
        let hashes = |visits: &Vec<VisitRecord>| {
            visits
                .iter()
                .filter(|visit| visit.title.is_some())
                .map(|visit| visit.content_hash)
                .max()
                .unwrap_or(0)
        };
        kept.visits
            .iter()
            .map(|(url, visits)| (url.clone(), hashes(visits)))
            .filter(|(_, hash)| *hash != 0)
            .collect()
    };
    assert_eq!(bytes(expected), bytes(found), "the pages' content");
}

#[track_caller]
fn assert_same_set(what: &str, expected: &BTreeSet<String>, found: &BTreeSet<String>) {
    let show = |set: Vec<&String>| {
        let lines: Vec<&str> = set.iter().take(20).map(|line| line.as_str()).collect();
        format!("{} of them\n  {}", set.len(), lines.join("\n  "))
    };
    let missing: Vec<&String> = expected.difference(found).collect();
    let more: Vec<&String> = found.difference(expected).collect();
    assert!(
        missing.is_empty() && more.is_empty(),
        "{what} differ from those of an uninterrupted run\nmissing: {}\nmore: {}",
        show(missing),
        show(more)
    );
}
