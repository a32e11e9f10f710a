//! The real `warcio` reads our files and finds what was written.

use std::path::Path;
use std::process::Command;

use archive::file_name;

use crate::samples::{archive, samples};
use testkit::python;

#[test]
fn warcio_reads_what_was_written() {
    let Some(python) = python("warcio") else { return };
    let dir = tempfile::tempdir().unwrap();
    let samples = samples();
    let (_, committed) = archive(dir.path(), &samples);
    let files: Vec<_> = (1..=committed.file).map(|number| dir.path().join(file_name(number))).collect();

    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/read_warc.py");
    let run = |command: &str| {
        let output = Command::new(&python).arg(&script).arg(command).args(&files).output().unwrap();
        let (stdout, stderr) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{command}: {stdout}{stderr}");
        stdout
    };
    let report = run("check");
    assert!(report.contains("digest pass") && !report.contains("no digest to check"), "{report}");
    let records: Vec<serde_json::Value> =
        run("list").lines().map(|line| serde_json::from_str(line).unwrap()).collect();

    let of = |kind: &str| records.iter().filter(|record| record["type"] == kind).collect::<Vec<_>>();
    assert_eq!(of("warcinfo").len(), committed.file as usize);
    // A revisit has neither beside it.
    let whole = || samples.iter().filter(|sample| sample.original.is_none());
    assert_eq!(of("metadata").len(), whole().count());
    assert_eq!(of("request").len(), whole().filter(|sample| !sample.fetched.request.is_empty()).count());
    let info = of("warcinfo")[0]["payload"].as_str().unwrap();
    assert!(!info.contains(&hex(b"\nevil")), "a setting must not forge a field");
    for (kind, is_revisit) in [("response", false), ("revisit", true)] {
        let expected: Vec<_> =
            samples.iter().filter(|sample| sample.original.is_some() == is_revisit).collect();
        let found = of(kind);
        assert_eq!(found.len(), expected.len());
        for (sample, record) in expected.into_iter().zip(found) {
            assert_eq!(record["url"], sample.fetched.url.as_str());
            assert_eq!(record["status"], sample.fetched.status.to_string());
            assert_eq!(record["payload"].as_str().unwrap(), hex(&sample.content), "{}", sample.fetched.url);
            assert_eq!(
                record["truncated"] == "length",
                sample.fetched.cut.is_some() || sample.fetched.status == 200 && is_revisit
            );
        }
    }
    let chunked = of("response")
        .into_iter()
        .find(|record| record["url"].as_str().unwrap().ends_with("/chunked"))
        .unwrap();
    assert_eq!(chunked["chunks"], "chunked", "the field is kept under another name");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
