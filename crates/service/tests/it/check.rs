//! `check`.

use std::fs;

use archive::tables::{LINKS, VISITS};
use frontier::tables::{QUEUE, URLS};
use kv::{Durability, Reader, Table};
use service::{CheckRow, Checked, Request};

use crate::site::Site;

pub(crate) fn check(site: &Site) -> (Vec<String>, Checked) {
    let mut findings = Vec::new();
    let mut whole = None;
    for row in site.ask(&Request::Check).unwrap() {
        match serde_json::from_value(row).unwrap() {
            CheckRow::Finding { part, words, damage, .. } => {
                findings.push(format!("{}{part}: {words}", if damage { "" } else { "(left over) " }));
            }
            CheckRow::Checked(checked) => whole = Some(checked),
        }
    }
    (findings, whole.expect("the last row"))
}

#[test]
fn a_sound_directory_is_clean() {
    let (findings, checked) = check(&Site::crawled());
    assert_eq!(findings, Vec::<String>::new());
    assert!(checked.sound);
    assert_eq!((checked.crawls, checked.urls, checked.visits, checked.links), (1, 12, 9, 11));
    assert_eq!((checked.archive_files, checked.archive_records), (1, 1 + 3 * 9));
}

#[test]
fn lost_and_foreign_rows_are_found() {
    let site = Site::crawled();
    let store = site.data().store();
    let mut batch = store.batch();
    let gone = frontier::page_key(site.crawl, model::UrlKey::of(&crate::site::url("http://shop.test/gone")));
    batch.remove(&URLS, &gone);
    batch.put(&QUEUE, &(site.crawl.0, 5, (1, 1)), &frontier::tables::Waiting { page: 9 });
    store.commit(batch, Durability::Synced).unwrap();
    let (findings, checked) = check(&site);
    assert!(!checked.sound);
    let has =
        |part: &str, words: &str| findings.iter().any(|told| told.starts_with(part) && told.contains(words));
    assert!(has("frontier", "1 rows in the queue for 0 waiting URLs"), "{findings:?}");
    assert!(has("visits", "for a URL that nobody knows"), "{findings:?}");
    assert!(has("links", "http://shop.test/ has 1 links to URLs that nobody knows"), "{findings:?}");
}

#[test]
fn unreadable_rows_are_found() {
    let site = Site::crawled();
    let store = site.data().store();
    // The same table with another type: what a bad disk would leave.
    const RAW: Table<(u32, u64, u128), Vec<u8>> = Table::new("links");
    let key = store.prefix(&LINKS, &site.crawl.0).keys().next().unwrap().unwrap();
    let mut batch = store.batch();
    batch.put(&RAW, &key, &vec![1, 255, 255]);
    store.commit(batch, Durability::Synced).unwrap();
    let (findings, checked) = check(&site);
    assert!(findings[0].starts_with("table links: table links holds bytes it cannot read"), "{findings:?}");
    assert!(!checked.sound);
}

#[test]
fn damage_in_the_archive_is_found_by_its_visit_and_by_itself() {
    let site = Site::crawled();
    let file = site.data().archive_dir(site.crawl).join("00001.warc.gz");
    let visit = site.data().store().prefix(&VISITS, &site.crawl.0).next().unwrap().unwrap().1;
    let mut bytes = fs::read(&file).unwrap();
    let at = visit.location.unwrap().offset as usize + 40;
    bytes[at] ^= 0xff;
    fs::write(&file, &bytes).unwrap();
    let (findings, checked) = check(&site);
    assert!(!checked.sound);
    assert!(findings.iter().any(|told| told.starts_with("visits: ")), "{findings:?}");
    assert!(findings.iter().any(|told| told.starts_with("archive: ")), "{findings:?}");
}

#[test]
fn what_a_crash_leaves_is_no_damage() {
    let site = Site::crawled();
    let file = site.data().archive_dir(site.crawl).join("00001.warc.gz");
    let mut bytes = fs::read(&file).unwrap();
    bytes.extend_from_slice(b"half a record");
    fs::write(&file, &bytes).unwrap();
    let (findings, checked) = check(&site);
    assert!(checked.sound);
    assert_eq!(findings.len(), 1);
    assert!(
        findings[0].starts_with("(left over) archive: 00001.warc.gz: 13 uncommitted bytes"),
        "{findings:?}"
    );
}
