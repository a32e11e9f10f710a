//! What was written is read back the same.

use std::borrow::Cow;
use std::io::Read;

use archive::{
    ArchiveReader, CdxEntry, Digest, HttpHead, Metadata, Position, RecordKind, WarcReader, index,
    index_covers, record_id, verify, write_index,
};
use model::{HttpVersion, Outcome, Timestamp};
use serde_json::{Value, json};

use crate::samples::{CRAWL, NOW, archive, page, records, samples, url};

const LIMIT: u64 = 1 << 20;

#[test]
fn every_visit_is_found_at_its_location() {
    let dir = tempfile::tempdir().unwrap();
    let samples = samples();
    let (locations, committed) = archive(dir.path(), &samples);
    assert!(committed.file > 1, "the samples should fill more than one file");
    let archive = ArchiveReader::new(dir.path());
    for ((sample, location), records) in samples.iter().zip(locations).zip(records(&samples)) {
        let fetched = &sample.fetched;
        for member in &records.members {
            let record = archive.record(location.of(*member), LIMIT).unwrap();
            assert_eq!(record.head.kind(), Some(member.kind));
            assert_eq!(record.head.target(), Some(fetched.url.as_str()));
            assert_eq!(record.head.get("warc-date").unwrap(), fetched.started.to_string());
            // A response has that of its payload instead.
            let digest = (member.kind != RecordKind::Response).then(|| Digest::of(&record.block).to_string());
            assert_eq!(record.head.get("WARC-Block-Digest"), digest.as_deref());
            match member.kind {
                RecordKind::Request => assert_eq!(record.block, fetched.request),
                RecordKind::Metadata => {
                    let metadata = Metadata::parse(&record.block).unwrap();
                    check_metadata(&metadata);
                    assert_eq!(metadata.page.is_some(), sample.page.is_some());
                }
                _ => {
                    assert_eq!(record.head.get("WARC-IP-Address"), Some("192.0.2.1"));
                    let (head, body) = HttpHead::split(&record.block);
                    assert_eq!(head.status, Some(fetched.status));
                    assert_eq!(head.headers.get("transfer-encoding"), None);
                    if sample.original.is_none() {
                        assert_eq!(body, fetched.body);
                    }
                }
            }
        }
        // The location of a visit is that of its answer.
        assert_eq!(records.members[0].offset, 0);
        let mut all = archive.at(location).unwrap();
        let mut kinds = Vec::new();
        while let Some(head) = all.next_record().unwrap() {
            kinds.extend(head.kind());
        }
        assert_eq!(kinds, records.members.iter().map(|member| member.kind).collect::<Vec<_>>());
    }
}

fn check_metadata(metadata: &Metadata<'_>) {
    assert_eq!((metadata.depth, metadata.fetch_time_ms), (3, 42));
    assert_eq!(metadata.via.as_deref(), Some(&url("http://example.com/via")));
    assert_eq!(metadata.outcome, Some(Cow::Owned(Outcome::Fetched)));
}

#[test]
fn an_answer_over_http2_says_so() {
    for (version, expected) in [(HttpVersion::Http1, None), (HttpVersion::Http2, Some("h2"))] {
        let mut samples = samples();
        samples.iter_mut().for_each(|sample| sample.fetched.version = version);
        for records in records(&samples) {
            let mut reader = WarcReader::new(&records.bytes[..]);
            let head = reader.next_record().unwrap().unwrap();
            assert!(matches!(head.kind(), Some(RecordKind::Response | RecordKind::Revisit)));
            assert_eq!(head.get("WARC-Protocol"), expected);
        }
    }
}

#[test]
fn links_and_their_attributes_are_rebuilt_from_the_metadata() {
    let block = metadata_of_a_page();
    let facts = Metadata::parse(&block).unwrap().page.unwrap();
    let page = page();
    assert_eq!(facts.links().collect::<Vec<_>>(), page.links);
    assert_eq!(facts.title, page.title);
    assert_eq!((facts.noindex, facts.nofollow, facts.links_cut), (true, false, true));
    let block = String::from_utf8(block).unwrap();
    assert!(block.contains(r#"["/c//d?e","usual",2]"#), "short where nothing is unusual: {block}");
    assert!(block.contains(r#"["http://example.com:81/","another port",2]"#), "{block}");
    assert!(
        block.contains(r#"["","the same again",1]"#),
        "no URL where it is that of the link before: {block}"
    );
    assert!(block.contains("\"version\":4"), "{block}");
    let other = block.replace("\"version\":4", "\"version\":5");
    assert_eq!(Metadata::parse(other.as_bytes()), None, "an unknown version is not misread");
}

#[test]
fn links_of_earlier_versions_are_read() {
    // What the first two wrote: URLs whole, everything by name, and the first one also what is usual.
    let first = json!([
        {"url": "http://example.com/a", "anchor": "an \"anchor\"\n", "visibility": 2, "position": 3, "distance": 1,
            "rel": [], "kind": "anchor"},
        {"url": "http://other.example/b", "anchor": "", "visibility": 2, "position": 3, "distance": 1,
            "rel": ["nofollow", "sponsored", "ugc", "next"], "kind": "area"},
        {"url": "http://example.com/c//d?e", "anchor": "usual", "visibility": 1, "position": 2, "distance": 1,
            "rel": [], "kind": "anchor"},
        {"url": "http://example.com/c//d?e", "anchor": "the same again", "visibility": 1, "position": 1,
            "distance": 1, "rel": [], "kind": "anchor"},
        {"url": "http://example.com:81/", "anchor": "another port", "visibility": 1, "position": 2, "distance": 1,
            "rel": [], "kind": "anchor"},
    ]);
    let second = json!([
        {"url": "http://example.com/a", "anchor": "an \"anchor\"\n", "visibility": 2, "position": 3},
        {"url": "http://other.example/b", "anchor": "", "visibility": 2, "position": 3,
            "rel": ["nofollow", "sponsored", "ugc", "next"], "kind": "area"},
        {"url": "http://example.com/c//d?e", "anchor": "usual", "position": 2},
        {"url": "http://example.com/c//d?e", "anchor": "the same again", "position": 1},
        {"url": "http://example.com:81/", "anchor": "another port", "position": 2},
    ]);
    // The third one had all of them.
    let third = json!([
        ["/a", "an \"anchor\"\n", 3, {"visibility": 2}],
        ["http://other.example/b", "", 3, {"visibility": 2, "rel": ["nofollow", "sponsored", "ugc", "next"], "kind": "area"}],
        ["/c//d?e", "usual", 2],
        ["/c//d?e", "the same again", 1],
        ["http://example.com:81/", "another port", 2],
    ]);
    let now: Value = serde_json::from_slice(&metadata_of_a_page()).unwrap();
    for (version, links) in [(1, first), (2, second), (3, third)] {
        let mut then = now.clone();
        then["version"] = json!(version);
        then["page"]["links"] = links;
        if version < 3 {
            then["page"].as_object_mut().unwrap().remove("origin").unwrap();
        }
        let facts = Metadata::parse(then.to_string().as_bytes()).unwrap().page.unwrap();
        assert_eq!(facts.links().collect::<Vec<_>>(), page().links, "version {version}");
    }
}

/// The block of the metadata record of the sample that is a page.
fn metadata_of_a_page() -> Vec<u8> {
    let records = &records(&samples())[0];
    let mut reader = WarcReader::new(&records.bytes[..]);
    while let Some(head) = reader.next_record().unwrap() {
        if head.kind() == Some(RecordKind::Metadata) {
            return reader.read_block(LIMIT).unwrap();
        }
    }
    panic!("no metadata record");
}

#[test]
fn a_revisit_names_the_record_that_stands_for_it() {
    let samples = samples();
    let records = records(&samples);
    let first = record_id(CRAWL, &samples[0].fetched.url, NOW, RecordKind::Response);
    for (sample, records) in samples.iter().zip(&records).filter(|(sample, _)| sample.original.is_some()) {
        let head = WarcReader::new(&records.bytes[..]).next_record().unwrap().unwrap();
        assert_eq!(head.kind(), Some(RecordKind::Revisit));
        // It is all there is of the visit: what else is known of it stands in its head.
        assert_eq!(records.members.len(), 1);
        assert!(records.bytes.len() < 700, "{} bytes", records.bytes.len());
        let metadata = Metadata::of_head(&head).unwrap();
        check_metadata(&metadata);
        assert_eq!(metadata.page, None);
        assert_eq!(head.get("WARC-Refers-To").unwrap(), format!("<{first}>"));
        assert_eq!(head.get("WARC-Refers-To-Date").unwrap(), NOW.to_string());
        assert_eq!(
            head.get("WARC-Payload-Digest").unwrap(),
            Digest::of(&samples[0].fetched.body).to_string()
        );
        let profile =
            if sample.fetched.status == 304 { "server-not-modified" } else { "identical-payload-digest" };
        assert!(head.get("WARC-Profile").unwrap().ends_with(profile));
    }
}

#[test]
fn the_same_visit_gives_the_same_bytes_and_another_time_another_id() {
    let (once, again) = (records(&samples()), records(&samples()));
    assert!(once.iter().zip(&again).all(|(once, again)| once.bytes == again.bytes));
    let id = |at, kind| record_id(CRAWL, &url("http://example.com/"), at, kind);
    assert_ne!(id(NOW, RecordKind::Response), id(Timestamp(NOW.0 + 1), RecordKind::Response));
    assert_ne!(id(NOW, RecordKind::Response), id(NOW, RecordKind::Request));
    // Ids are stored and referred to: this fails when they change.
    assert_eq!(id(NOW, RecordKind::Response), "urn:uuid:56b644b8-290b-80e4-ab4b-6e59ec1c8875");
}

#[test]
fn whole_and_plain_files_are_read_like_members() {
    let mut plain = Vec::new();
    for records in records(&samples()) {
        flate2::bufread::MultiGzDecoder::new(&records.bytes[..]).read_to_end(&mut plain).unwrap();
    }
    let count = |input: &[u8]| {
        let mut reader = WarcReader::new(input);
        let (mut count, mut end) = (0, 0);
        while let Some(head) = reader.next_record().unwrap() {
            count += 1;
            if let Some(length) = reader.end_record().unwrap() {
                assert_eq!(head.offset, end);
                end += length;
            }
        }
        (count, end)
    };
    let expected = records(&samples()).iter().map(|records| records.members.len()).sum::<usize>();
    assert_eq!(count(&plain), (expected, plain.len() as u64));
    // One member for all of them: readable, though not by offset.
    assert_eq!(count(&crate::samples::gzip(&plain)), (expected, 0));
}

#[test]
fn the_index_lists_every_answer_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let samples = samples();
    let (locations, committed) = archive(dir.path(), &samples);
    assert_eq!(index_covers(dir.path()), None);
    assert_eq!(write_index(dir.path(), committed).unwrap(), samples.len() as u64);
    assert_eq!(index_covers(dir.path()), Some(committed));
    let text = std::fs::read_to_string(dir.path().join(archive::INDEX)).unwrap();
    assert!(text.lines().is_sorted());
    let entries: Vec<_> = text.lines().map(|line| CdxEntry::parse(line).unwrap()).collect();
    for ((sample, location), records) in samples.iter().zip(&locations).zip(records(&samples)) {
        let place = location.of(records.members[0]);
        let found = entries.iter().find(|(_, _, entry)| {
            entry.filename == archive::file_name(place.file) && entry.offset == place.offset.to_string()
        });
        let (_, time, entry) = found.unwrap();
        assert_eq!(entry.url, sample.fetched.url.as_str());
        assert_eq!(entry.length, place.length.to_string());
        assert_eq!(entry.status, Some(sample.fetched.status.to_string()));
        assert_eq!(entry.digest, Some(records.payload.to_string()));
        assert!(["20251115084519", "20251115094519", "20251115104519"].contains(time), "{time}");
    }
    let gone = entries.iter().find(|(_, _, entry)| entry.url.contains("gone")).unwrap();
    assert_eq!(gone.0, "com,example)/gone?a=1&b=2");
    let mimes: Vec<_> = entries
        .iter()
        .filter(|(key, ..)| *key == "com,example)/")
        .map(|(_, _, entry)| &*entry.mime)
        .collect();
    assert_eq!(mimes, ["text/html", "warc/revisit", "warc/revisit"]);

    let mut earlier = Vec::new();
    let upto = Position { file: 1, length: locations[1].offset };
    assert_eq!(index(dir.path(), upto, &mut earlier).unwrap(), 1, "nothing past the position is indexed");
}

#[test]
fn a_sound_archive_has_no_findings() {
    let dir = tempfile::tempdir().unwrap();
    let samples = samples();
    let (_, committed) = archive(dir.path(), &samples);
    let verified = verify(dir.path(), committed).unwrap();
    assert_eq!(verified.findings, []);
    assert_eq!(verified.files, committed.file);
    let members: usize = records(&samples).iter().map(|records| records.members.len()).sum();
    assert_eq!(verified.records, members as u64 + u64::from(committed.file));
    assert_eq!(verify(&dir.path().join("none"), Position::default()).unwrap().findings, []);
}

#[test]
fn a_copy_is_one_sound_file_with_an_index_that_fits() {
    let dir = tempfile::tempdir().unwrap();
    let samples = samples();
    let (_, committed) = archive(dir.path(), &samples);
    // What a writer at work leaves past the committed position stays out.
    let last = dir.path().join(archive::file_name(committed.file));
    let sound = std::fs::read(&last).unwrap();
    std::fs::write(&last, [&sound[..], b"uncommitted"].concat()).unwrap();

    let mut copy = Vec::new();
    let length = archive::copy_all(dir.path(), committed, &mut copy).unwrap();
    assert_eq!(length, copy.len() as u64);
    let mut lines = Vec::new();
    archive::index_of_copy(dir.path(), committed, "all.warc.gz", &mut lines).unwrap();
    let lines = String::from_utf8(lines).unwrap();
    assert_eq!(lines.lines().count(), samples.len());
    for line in lines.lines() {
        let (_, _, entry) = CdxEntry::parse(line).unwrap();
        assert_eq!(entry.filename, "all.warc.gz");
        let start: usize = entry.offset.parse().unwrap();
        let end = start + entry.length.parse::<usize>().unwrap();
        let mut reader = WarcReader::new(&copy[start..end]);
        assert_eq!(reader.next_record().unwrap().unwrap().target(), Some(&*entry.url));
        assert!(reader.next_record().unwrap().is_none());
    }

    let missing = Position { length: sound.len() as u64 + 100, ..committed };
    let error = archive::copy_all(dir.path(), missing, &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("is damaged"), "{error}");
}
