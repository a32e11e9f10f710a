//! `repair`: each kind of damage, and that the crawl can go on.

use std::collections::BTreeMap;
use std::fs;

use archive::tables::{LINKS, VISITS};
use frontier::tables::{QUEUE, SITES, URLS};
use kv::{Durability, Reader};
use service::{Access, PageRow, PagesRequest, RepairRow, Repaired, Request};

use crate::check::check;
use crate::site::{Site, pages, url};

fn repair(site: &Site) -> (Vec<String>, Repaired) {
    let mut notes = Vec::new();
    let mut whole = None;
    for row in site.ask(&Request::Repair).unwrap() {
        match serde_json::from_value(row).unwrap() {
            RepairRow::Note { words, .. } => notes.push(words),
            RepairRow::Repaired(repaired) => whole = Some(repaired),
        }
    }
    (notes, whole.expect("the last row"))
}

/// What matters of every URL.
fn story(site: &Site) -> BTreeMap<String, (String, u32, Option<u16>, Option<String>)> {
    let rows = site.ask(&Request::Pages(PagesRequest::default())).unwrap();
    let rows = rows.into_iter().map(|row| serde_json::from_value::<PageRow>(row).unwrap());
    rows.map(|row| (row.url.to_string(), (row.outcome, row.depth, row.status, row.title))).collect()
}

fn assert_clean(site: &Site) {
    let (findings, checked) = check(site);
    assert!(checked.sound, "{findings:?}");
}

#[test]
fn a_sound_directory_is_left_alone() {
    let site = Site::crawled();
    let before = story(&site);
    let (notes, done) = repair(&site);
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(done, Repaired { crawls: 1, index_lines: 9, ..Repaired::default() });
    assert_eq!(story(&site), before);
    assert!(site.data().archive_dir(site.crawl).join("index.cdxj").is_file());
    assert_clean(&site);
}

#[test]
fn lost_visits_links_and_queues_come_back() {
    let site = Site::crawled();
    let before = story(&site);
    let store = site.data().store();
    let mut batch = store.batch();
    let visits: Vec<_> = store.prefix(&VISITS, &site.crawl.0).collect::<Result<_, _>>().unwrap();
    let links: Vec<_> = store.prefix(&LINKS, &site.crawl.0).collect::<Result<_, _>>().unwrap();
    visits.iter().take(3).for_each(|(key, _)| batch.remove(&VISITS, key));
    links.iter().for_each(|(key, _)| batch.remove(&LINKS, key));
    for key in store.prefix(&SITES, &site.crawl.0).keys() {
        batch.remove(&SITES, &key.unwrap());
    }
    batch.put(&QUEUE, &(site.crawl.0, 5, (1, 1)), &frontier::tables::Waiting { page: 9 });
    store.commit(batch, Durability::Synced).unwrap();
    assert!(!check(&site).1.sound);

    let (_, done) = repair(&site);
    assert_eq!((done.visits_restored, done.links_restored), (3, links.len() as u64));
    assert_eq!(store.prefix(&VISITS, &site.crawl.0).collect::<Result<Vec<_>, _>>().unwrap(), visits);
    assert_eq!(store.prefix(&LINKS, &site.crawl.0).collect::<Result<Vec<_>, _>>().unwrap(), links);
    assert_eq!(story(&site), before);
    assert_clean(&site);
}

#[test]
fn urls_that_are_lost_are_found_again() {
    let site = Site::crawled();
    let before = story(&site);
    let store = site.data().store();
    let mut batch = store.batch();
    for lost in ["http://shop.test/a", "http://other.test/", "http://shop.test/gone"] {
        batch.remove(&URLS, &frontier::page_key(site.crawl, model::UrlKey::of(&url(lost))));
    }
    store.commit(batch, Durability::Synced).unwrap();
    repair(&site);
    assert_eq!(story(&site), before);
    assert_clean(&site);
}

#[test]
fn a_page_whose_record_is_damaged_is_fetched_again() {
    let site = Site::crawled();
    let before = story(&site);
    let store = site.data().store();
    let key = frontier::page_key(site.crawl, model::UrlKey::of(&url("http://shop.test/b")));
    let visit = store.prefix(&VISITS, &key).next().unwrap().unwrap().1;
    let file = site.data().archive_dir(site.crawl).join("00001.warc.gz");
    let mut bytes = fs::read(&file).unwrap();
    bytes[visit.location.unwrap().offset as usize + 40] ^= 0xff;
    fs::write(&file, &bytes).unwrap();
    let (notes, done) = repair(&site);
    assert_eq!(done.to_fetch_again, 1, "{notes:?}");
    assert_eq!(story(&site)["http://shop.test/b"].0, "waiting");
    site.run(&pages());
    let settled = |mut story: BTreeMap<_, _>| {
        story.remove("http://shop.test/flaky");
        story
    };
    assert_eq!(settled(story(&site)), settled(before));
    // The damaged bytes stay where they are, and are told.
    let (findings, _) = check(&site);
    assert!(findings.iter().all(|told| told.starts_with("archive: ")), "{findings:?}");
}

#[test]
fn a_store_beyond_use_is_set_aside_and_rebuilt_from_the_archive() {
    let mut site = Site::crawled();
    let before = story(&site);
    site.close();
    // What the engine needs to open at all.
    let data = site.path().join("crawl/data");
    for entry in fs::read_dir(&data).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && path.file_name().unwrap() != "FORMAT" {
            fs::write(path, "garbage").unwrap();
        }
    }
    fs::remove_dir_all(data.join("keyspaces")).unwrap();
    let refused = site.open(Access::Existing).unwrap_err();
    assert_eq!(refused.class(), service::Class::Damaged, "{}", refused.sentence());

    let notes = site.runtime.block_on(service::repair_unopened(site.path())).unwrap();
    assert!(notes[0].contains("crawl.orphan-1"), "{notes:?}");
    assert!(site.path().join("crawl.orphan-1").is_dir());
    site.open(Access::Existing).unwrap();
    let (notes, done) = repair(&site);
    assert_eq!(done.visits_restored, 9, "{notes:?}");
    assert_clean(&site);
    let after = story(&site);
    for (url, told) in &before {
        let (outcome, depth, ..) = &after[url];
        match told.0.as_str() {
            // Never fetched, or in trouble: found out again by the next run.
            "disallowed" | "retrying" => assert_eq!(outcome, "waiting", "{url}"),
            expected => assert_eq!((outcome.as_str(), depth), (expected, &told.1), "{url}"),
        }
    }
    assert_eq!(after.len(), before.len());
    site.run(&pages());
    assert_eq!(story(&site), before);
    assert_clean(&site);
}

#[test]
fn a_catalog_beyond_use_is_set_aside_and_its_crawls_get_projects_again() {
    let mut site = Site::crawled();
    let before = story(&site);
    site.close();
    for part in ["gannet.db", "gannet.db-wal", "gannet.db-shm"] {
        let path = site.path().join(part);
        if path.exists() {
            fs::write(path, "no database at all, but long enough to have a header of its own").unwrap();
        }
    }
    assert_eq!(site.open(Access::Existing).unwrap_err().class(), service::Class::Damaged);
    site.runtime.block_on(service::repair_unopened(site.path())).unwrap();
    site.open(Access::Existing).unwrap();
    let refused = site.ask(&Request::Pages(PagesRequest::default())).unwrap_err();
    assert!(
        refused.sentence().ends_with("has archived crawls but no project; \"gannet repair\" gives them one")
    );
    assert_eq!(refused.class(), service::Class::Damaged);
    let (notes, _) = repair(&site);
    assert!(notes[0].contains("now shop with 2 start URLs"), "{notes:?}");
    let entry = site.data().project(None).unwrap();
    assert_eq!((entry.project.name.as_str(), entry.crawl), ("shop", site.crawl));
    assert_eq!(story(&site), before);
}

#[test]
fn a_store_that_forgot_everything_is_found_out_and_rebuilt() {
    let mut site = Site::crawled();
    let before = story(&site);
    site.close();
    // The engine opens such a directory without a word.
    fs::remove_dir_all(site.path().join("crawl")).unwrap();
    site.open(Access::Existing).unwrap();
    let (findings, checked) = check(&site);
    assert!(!checked.sound);
    assert_eq!(findings, ["archive: the store knows nothing of these files: it was lost"]);
    repair(&site);
    assert_clean(&site);
    site.run(&pages());
    assert_eq!(story(&site), before);
}
