//! WARC: the input is the file, plain or compressed.

use std::io::{BufReader, Write};

use archive::{ArchiveError, HttpHead, Record, WarcReader};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Longest block that is read whole.
const LONGEST: u64 = 1 << 20;

pub(crate) fn check(input: &[u8]) {
    let (records, error) = read(input);
    for pair in records.windows(2) {
        assert!(pair[0].head.offset <= pair[1].head.offset, "records stand in their order");
    }
    for record in &records {
        assert_eq!(record.block.len() as u64, record.head.length);
        assert!(record.head.offset <= input.len() as u64);
        let (head, body) = HttpHead::split(&record.block);
        assert_eq!([&head.bytes[..], body].concat(), record.block, "head and body are the whole block");
        let _ = (record.head.kind(), record.head.target());
    }
    let (in_sips, sipped_error) = read_from(WarcReader::new(BufReader::with_capacity(1, input)));
    // How far damaged bytes are read before the damage is seen depends on the pieces in which they come.
    let both = records.len().min(in_sips.len());
    assert_eq!(records[..both], in_sips[..both], "the same records");
    assert_eq!(error.is_some(), sipped_error.is_some(), "{error:?} and {sipped_error:?}");
    if error.is_none() {
        assert_eq!(records.len(), in_sips.len());
    }
    check_skipping(input, &records, error.is_some());
    if input.starts_with(b"WARC/") {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let packed = encoder.write_all(input).and_then(|()| encoder.finish()).expect("memory takes all");
        let (unpacked, packed_error) = read(&packed);
        let plain = |records: &[Record]| -> Vec<_> {
            records.iter().map(|record| (record.head.fields.clone(), record.block.clone())).collect()
        };
        assert_eq!(plain(&records), plain(&unpacked), "compression does not matter");
        assert_eq!(error.is_some(), packed_error.is_some());
    }
}

fn read(input: &[u8]) -> (Vec<Record>, Option<ArchiveError>) {
    read_from(WarcReader::new(input))
}

fn read_from(mut reader: WarcReader<impl std::io::BufRead>) -> (Vec<Record>, Option<ArchiveError>) {
    let mut records = Vec::new();
    loop {
        let head = match reader.next_record() {
            Ok(Some(head)) => head,
            Ok(None) => return (records, None),
            Err(error) => return (records, Some(error)),
        };
        match reader.read_block(LONGEST) {
            Ok(block) => records.push(Record { head, block }),
            Err(error) => return (records, Some(error)),
        }
    }
}

/// Whoever skips blocks meets the same heads.
fn check_skipping(input: &[u8], records: &[Record], broken: bool) {
    let mut reader = WarcReader::new(input);
    for record in records {
        let head = reader.next_record();
        assert_eq!(head.ok().flatten().as_ref(), Some(&record.head));
    }
    if !broken {
        assert!(matches!(reader.next_record(), Ok(None)), "the same end");
    }
}
