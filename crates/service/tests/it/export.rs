//! `export`.

use std::fs;
use std::path::PathBuf;

use base64::Engine as _;
use service::{ExportPart, ExportRequest, Request};

use crate::site::Site;

fn request(format: &str, path: Option<PathBuf>) -> ExportRequest {
    ExportRequest {
        project: None,
        format: format.to_owned(),
        path,
        force: false,
        outcomes: Vec::new(),
        rows: None,
    }
}

/// The bytes that were handed over, and the last line.
fn export(site: &Site, request: ExportRequest) -> (Vec<u8>, ExportPart) {
    let mut bytes = Vec::new();
    let mut last = None;
    for row in site.ask(&Request::Export(request)).unwrap() {
        match serde_json::from_value(row).unwrap() {
            ExportPart::Piece { base64 } => {
                bytes.extend(base64::engine::general_purpose::STANDARD.decode(base64).unwrap());
            }
            part => last = Some(part),
        }
    }
    (bytes, last.expect("the last line"))
}

#[test]
fn rows_come_in_pieces_or_into_a_file() {
    let site = Site::crawled();
    for format in ["jsonl", "csv"] {
        let (bytes, last) = export(&site, request(format, None));
        assert_eq!(last, ExportPart::Exported { rows: Some(12), files: vec![], left_out: 0 });
        let lines = String::from_utf8(bytes.clone()).unwrap().lines().count();
        assert_eq!(lines, if format == "csv" { 13 } else { 12 });
        let path = site.path().join(format!("pages.{format}"));
        let (handed_over, last) = export(&site, request(format, Some(path.clone())));
        assert_eq!(last, ExportPart::Exported { rows: Some(12), files: vec![path.clone()], left_out: 0 });
        assert!(handed_over.is_empty());
        assert_eq!(fs::read(path).unwrap(), bytes);
    }
    let only = ExportRequest { outcomes: vec!["redirected".into()], ..request("jsonl", None) };
    let text = String::from_utf8(export(&site, only).0).unwrap();
    assert!(text.lines().count() == 2 && text.contains("\"location\":\"http://shop.test/new\""), "{text}");
}

#[test]
fn the_archive_is_copied_as_it_is() {
    let site = Site::crawled();
    let (bytes, _) = export(&site, request("warc", None));
    assert_eq!(bytes, fs::read(site.data().archive_dir(site.crawl).join("00001.warc.gz")).unwrap());
}

#[test]
fn a_sitemap_lists_the_pages() {
    let site = Site::crawled();
    let (bytes, last) = export(&site, request("sitemap", None));
    assert_eq!(last, ExportPart::Exported { rows: Some(5), files: vec![], left_out: 0 });
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("<loc>http://shop.test/island</loc>") && !text.contains("gone"), "{text}");
    let left: Vec<_> = fs::read_dir(site.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("sitemap")), "{left:?}");
}

#[test]
fn sqlite_holds_the_pages_with_their_content() {
    let site = Site::crawled();
    let path = site.path().join("shop.db");
    let (_, last) = export(&site, request("sqlite", Some(path.clone())));
    assert_eq!(last, ExportPart::Exported { rows: Some(12), files: vec![path.clone()], left_out: 0 });
    let bytes = fs::read(&path).unwrap();
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(bytes.starts_with(b"SQLite format 3") && has("<p>http://shop.test/island"));
}

#[test]
fn what_cannot_be_written_is_refused_with_the_reason() {
    let site = Site::crawled();
    let refused = |request| {
        let error = site.ask(&Request::Export(request)).unwrap_err();
        (error.class(), error.sentence().replace(&site.path().display().to_string(), "DIR"))
    };
    let usage = |text: &str| (service::Class::Request, text.to_owned());
    assert_eq!(refused(request("sqlite", None)), usage("sqlite needs a file: name one with --output"));
    assert_eq!(refused(request("csv", Some("x.csv".into()))), usage("x.csv is no absolute path"));
    assert_eq!(
        refused(request("xlsx", None)),
        usage("unknown export format \"xlsx\"; known are jsonl, json, csv, sqlite, sitemap, warc")
    );
    let path = site.path().join("there.csv");
    fs::write(&path, "mine").unwrap();
    assert_eq!(
        refused(request("csv", Some(path))),
        usage("DIR/there.csv exists already; --force replaces it")
    );
}
