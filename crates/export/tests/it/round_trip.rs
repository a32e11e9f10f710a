//! What was exported is read back the same by Python's own readers.

use std::path::Path;
use std::process::Command;

use export::{Csv, FileTarget, JsonLines, PageRow, Sitemap, SqlitePages, unguard_formula};
use model::{PageUrl, Timestamp};
use serde_json::{Value, json};

use testkit::python;

pub(crate) const TITLES: [&str; 12] = [
    "plain",
    "=HYPERLINK(\"http://evil.example\")",
    "-5",
    "'=1",
    "a,b;c\td",
    "line\r\nbreak\nand\rreturn",
    "quote \" and '",
    "nul \0 inside",
    "emoji \u{1f980} ümlaut \u{202e}",
    "",
    " spaces ",
    "\u{feff}mark",
];

fn rows() -> Vec<PageRow> {
    let url = |text: &str| PageUrl::parse(text).unwrap();
    let row = |(number, title): (usize, &&str)| PageRow {
        url: url(&format!("http://example.com/{number}?a=1&b='2'")),
        outcome: "fetched".to_owned(),
        detail: "fetched".to_owned(),
        status: Some(200),
        depth: 3,
        fetched_at: Some(Timestamp(1_763_196_319_123)),
        millis: Some(17),
        content_type: Some("text/html".to_owned()),
        bytes: Some(u64::MAX / 2),
        title: Some((*title).to_owned()),
        via: Some(url("http://example.com/")),
        location: None,
    };
    let mut rows: Vec<_> = TITLES.iter().enumerate().map(row).collect();
    rows.push(PageRow {
        url: url("http://example.com/denied"),
        outcome: "disallowed".to_owned(),
        detail: "disallowed by robots.txt line 2".to_owned(),
        status: None,
        depth: 0,
        fetched_at: None,
        millis: None,
        content_type: None,
        bytes: None,
        title: None,
        via: None,
        location: None,
    });
    rows
}

/// The row as every reader should see it.
fn expected(row: &PageRow) -> Value {
    json!({
        "url": row.url.as_str(), "outcome": row.outcome, "detail": row.detail, "status": row.status,
        "depth": row.depth, "fetched_at": row.fetched_at.map(|moment| moment.to_string()), "millis": row.millis,
        "content_type": row.content_type, "bytes": row.bytes, "title": row.title,
        "via": row.via.as_ref().map(PageUrl::as_str), "location": row.location.as_ref().map(PageUrl::as_str),
    })
}

pub(crate) fn read(kind: &str, path: &Path) -> Option<Vec<Value>> {
    let python = python(&format!("export {kind}"))?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/read_export.py");
    let output = Command::new(python).arg(script).arg(kind).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn json_lines_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("pages.jsonl");
    let mut out = JsonLines::new(FileTarget::create(&path, false).unwrap());
    rows().iter().for_each(|row| out.push(row).unwrap());
    out.finish().unwrap().commit().unwrap();
    let Some(found) = read("jsonl", &path) else { return };
    assert_eq!(found, rows().iter().map(expected).collect::<Vec<_>>());
}

#[test]
fn csv_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("pages.csv");
    let mut out = Csv::new(FileTarget::create(&path, false).unwrap(), &PageRow::COLUMNS).unwrap();
    rows().iter().for_each(|row| out.push(&row.cells()).unwrap());
    out.finish().unwrap().commit().unwrap();
    let Some(found) = read("csv", &path) else { return };
    assert_eq!(found.len(), rows().len());
    for (found, row) in found.iter().zip(rows()) {
        for (column, value) in expected(&row).as_object().unwrap() {
            let text = match value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(unguard_formula(found[column].as_str().unwrap()), text, "{column} of {}", row.url);
        }
    }
    assert_eq!(found[1]["title"], "'=HYPERLINK(\"http://evil.example\")");
    assert_eq!(found[2]["title"], "-5");
}

#[tokio::test]
async fn sqlite_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("pages.sqlite");
    let data = [b"<p>\0\xff", &[b'x'; 100_000][..]].concat();
    let mut out = SqlitePages::create(&path, false).await.unwrap();
    for row in rows() {
        out.push(&row, row.status.map(|_| &data[..])).await.unwrap();
    }
    // Enough for several transactions.
    let last = rows().pop().unwrap();
    for _ in 0..2_500 {
        out.push(&last, None).await.unwrap();
    }
    assert_eq!(out.finish().await.unwrap(), rows().len() as u64 + 2_500);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "one file remains");

    let Some(found) = read("sqlite", &path) else { return };
    let columns: Vec<_> = found[0].as_object().unwrap().keys().take(5).collect();
    assert_eq!(columns, ["id", "url", "fetched_at", "status", "data"]);
    assert_eq!(found.len(), rows().len() + 2_500);
    let hex: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
    for ((id, found), row) in (1..).zip(&found).zip(rows()) {
        assert_eq!(found["id"], id);
        assert_eq!(found["data"].as_str(), row.status.map(|_| &*hex));
        for (column, value) in expected(&row).as_object().unwrap() {
            assert_eq!(&found[column], value, "{column} of {}", row.url);
        }
    }
}

#[tokio::test]
async fn an_unfinished_sqlite_file_leaves_nothing_and_an_old_one_stays() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("pages.sqlite");
    SqlitePages::create(&path, false).await.unwrap().finish().await.unwrap();
    let old = std::fs::read(&path).unwrap();
    assert!(SqlitePages::create(&path, false).await.is_err());
    let mut out = SqlitePages::create(&path, true).await.unwrap();
    out.push(&rows()[0], Some(&[1; 1_000_000])).await.unwrap();
    drop(out);
    assert_eq!(std::fs::read(&path).unwrap(), old);
    assert!(!dir.path().join("pages.sqlite.part").exists());
}

#[test]
fn a_sitemap_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sitemap.xml");
    let mut sitemap = Sitemap::create(&path, false, None).unwrap();
    let rows: Vec<_> = rows().into_iter().filter(PageRow::belongs_in_sitemap).collect();
    assert_eq!(rows.len(), TITLES.len());
    rows.iter().for_each(|row| sitemap.push(&row.url, row.fetched_at).unwrap());
    sitemap.finish().unwrap();
    let Some(found) = read("xml", &path) else { return };
    let expected = rows
        .iter()
        .map(|row| json!({ "loc": row.url.as_str(), "lastmod": row.fetched_at.unwrap().to_string() }));
    assert_eq!(found, expected.collect::<Vec<_>>());
}
