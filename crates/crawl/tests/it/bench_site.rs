//! What the tests share: a data directory, a served web, a crawl of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crawl::{Ended, Run, Setup};
use frontier::tables::{URLS, UrlRecord};
use kv::{Reader, Store};
use model::{CrawlId, CrawlSettings, PageUrl, Project};
use tempfile::TempDir;

pub(crate) const CRAWL: CrawlId = CrawlId(1);

/// A data directory that lives as long as the test.
pub(crate) struct Bench {
    pub(crate) dir: TempDir,
    pub(crate) store: Store,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench::over(TempDir::new().unwrap())
    }

    pub(crate) fn over(dir: TempDir) -> Bench {
        let store = Store::open(&dir.path().join("crawl"), kv::Options::default()).unwrap();
        Bench { dir, store }
    }

    pub(crate) fn archive(&self) -> PathBuf {
        self.dir.path().join("archive")
    }

    pub(crate) fn start(&self, project: Project) -> Run {
        let setup = Setup {
            store: self.store.clone(),
            dir: self.dir.path().to_owned(),
            archive: self.archive(),
            crawl: CRAWL,
            project,
            allow: Vec::new(),
            retry_failed: false,
            watcher: None,
            paused: false,
            neighbours: crawl::Neighbours::default(),
            refresh: false,
        };
        Run::start(setup).unwrap()
    }

    pub(crate) async fn crawl(&self, project: Project) -> Ended {
        self.start(project).wait().await.unwrap()
    }

    /// Every URL met, by its text.
    pub(crate) fn urls(&self) -> BTreeMap<String, UrlRecord> {
        self.store
            .iter(&URLS)
            .map(|row| row.unwrap().1)
            .map(|record| (record.url.to_string(), record))
            .collect()
    }
}

/// A project that crawls loopback as fast as it answers.
pub(crate) fn project(start: &str, edit: impl FnOnce(&mut CrawlSettings)) -> Project {
    let mut crawl = CrawlSettings {
        allow_private: true,
        rate: Some(model::Rate::Unlimited),
        retry_wait: model::Span::from_millis(20),
        // One request less at each host, for tests that count them.
        crawl_hints: false,
        ..CrawlSettings::default()
    };
    edit(&mut crawl);
    Project {
        name: "test".parse().unwrap(),
        start: vec![PageUrl::parse(start).unwrap()],
        crawl,
        fields: None,
        index: None,
    }
}
