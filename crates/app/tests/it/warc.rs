//! What a crawl archives, read by somebody else's reader.

use std::process::Command;

use crate::gannet::gannet;
use webs::program::{Options, start};

/// Prints each record's type and target, and fails on a digest that does not fit.
const READ: &str = r#"
import sys
from warcio.archiveiterator import ArchiveIterator
with open(sys.argv[1], "rb") as stream:
    for record in ArchiveIterator(stream, check_digests="raise"):
        target = record.rec_headers.get_header("WARC-Target-URI") or "-"
        status = record.http_headers.get_statuscode() if record.rec_type == "response" else "-"
        record.raw_stream.read()
        print(record.rec_type, status, target)
"#;

#[test]
fn warcio_reads_what_a_crawl_archived_however_it_was_compressed() {
    let Some(python) = testkit::python("warcio") else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let site = runtime.block_on(start(&Options::default())).unwrap();
    let url = format!("{}/", site.base());
    let sizes = ["small", "fast", "none"].map(|compression| {
        let here = tempfile::tempdir().unwrap();
        let (data, file) = (here.path().join("data"), here.path().join("crawl.warc.gz"));
        let (data, file) = (data.to_str().unwrap(), file.to_str().unwrap());
        let crawl = ["crawl", &url, "--data", data, "--compression", compression];
        let limits = ["--allow-private", "--rate", "unlimited", "--max-pages", "80", "--quiet", "--json"];
        let said = gannet(&[&crawl[..], &limits].concat());
        assert_eq!(said.code, Some(0), "{}", said.err);
        let summary: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let said = gannet(&["export", "warc", "--data", data, "-o", file]);
        assert_eq!(said.code, Some(0), "{}", said.err);

        let output = Command::new(&python).args(["-c", READ, file]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).unwrap();
        let count = |prefix: &str| lines.lines().filter(|line| line.starts_with(prefix)).count() as u64;
        assert!(count("warcinfo") >= 1);
        assert!(lines.contains(&format!("response 200 {url}robots.txt")), "robots.txt is archived, too");
        assert_eq!(count("response"), count("request"));
        assert_eq!(count("response"), count("metadata"));
        let pages = summary["pages_fetched"].as_u64().unwrap();
        assert_eq!((pages, count("response 200")), (80, pages + 1), "one response a page, and robots.txt");
        std::fs::metadata(file).unwrap().len()
    });
    assert!(sizes[0] < sizes[1] && sizes[1] < sizes[2], "{sizes:?}");
}
