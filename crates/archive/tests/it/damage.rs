//! What is broken is found and named, and no bytes bring the reader down.

use std::fs;
use std::io::Read;

use archive::{ArchiveError, HttpHead, Metadata, Position, Problem, WarcReader, file_name, verify};
use proptest::prelude::*;

use crate::samples::{archive, records, samples};

/// Reads everything there is; the number of whole records, and the error at the end.
fn read_all(input: &[u8]) -> (usize, Option<ArchiveError>) {
    let mut reader = WarcReader::new(input);
    let mut whole = 0;
    loop {
        match reader.next_record() {
            Ok(None) => return (whole, None),
            Ok(Some(_)) => {
                let mut block = Vec::new();
                let _ = reader.block().read_to_end(&mut block);
                let _ = (HttpHead::split(&block), Metadata::parse(&block));
                match reader.end_record() {
                    Ok(_) => whole += 1,
                    Err(error) => return (whole, Some(error)),
                }
            }
            Err(error) => {
                assert!(reader.next_record().unwrap().is_none(), "after an error there is nothing more");
                return (whole, Some(error));
            }
        }
    }
}

fn all_bytes() -> Vec<u8> {
    records(&samples()).iter().flat_map(|records| records.bytes.clone()).collect()
}

#[test]
fn a_cut_file_gives_its_whole_records_and_the_place_of_the_cut() {
    let samples = samples();
    let records = &records(&samples)[0];
    for length in 0..records.bytes.len() {
        let whole =
            records.members.iter().take_while(|member| (member.offset + member.length) as usize <= length);
        let whole: Vec<_> = whole.collect();
        let end = whole.last().map_or(0, |member| u64::from(member.offset + member.length));
        match read_all(&records.bytes[..length]) {
            (count, None) => assert_eq!((count, end), (whole.len(), length as u64), "at {length}"),
            (count, Some(ArchiveError::CutOff { offset })) => assert_eq!((count, offset), (whole.len(), end)),
            (_, other) => panic!("at {length}: {other:?}"),
        }
    }
}

#[test]
fn a_flipped_bit_never_changes_what_is_read() {
    let whole_records = |bytes: &[u8]| {
        let mut reader = WarcReader::new(bytes);
        let mut read = Vec::new();
        while let Ok(Some(head)) = reader.next_record() {
            let block = reader.read_block(1 << 20);
            match (block, reader.end_record()) {
                (Ok(block), Ok(Some(_))) => read.push((head.fields, block)),
                _ => break,
            }
        }
        read
    };
    let bytes = &records(&samples())[5].bytes;
    let sound = whole_records(bytes);
    assert_eq!(sound.len(), 3);
    for bit in 0..bytes.len() * 8 {
        let mut broken = bytes.clone();
        broken[bit / 8] ^= 1 << (bit % 8);
        assert!(sound.starts_with(&whole_records(&broken)), "bit {bit}");
    }
}

#[test]
fn damage_is_reported_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let (locations, committed) = archive(dir.path(), &samples());
    let file = dir.path().join(file_name(1));
    let good = fs::read(&file).unwrap();
    let place = locations[1];
    assert_eq!(place.file, 1);

    let mut broken = good.clone();
    broken[place.offset as usize + 40] ^= 0xff;
    fs::write(&file, &broken).unwrap();
    let findings = verify(dir.path(), committed).unwrap().findings;
    assert_eq!((findings.len(), &*findings[0].file, findings[0].offset), (1, "00001.warc.gz", place.offset));
    assert!(findings[0].is_damage());

    // A record whose bytes are sound and whose digest is another's.
    let start = place.offset as usize;
    let mut member = flate2::bufread::GzDecoder::new(&good[start..]);
    let mut bytes = Vec::new();
    member.read_to_end(&mut bytes).unwrap();
    let rest = member.into_inner();
    let at = bytes.windows(25).position(|window| window == b"WARC-Payload-Digest: sha1").unwrap() + 28;
    bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
    fs::write(&file, [&good[..start], &crate::samples::gzip(&bytes), rest].concat()).unwrap();
    let findings = verify(dir.path(), committed).unwrap().findings;
    assert_eq!(findings[0].problem, Problem::DigestMismatch { field: "WARC-Payload-Digest" });
    assert_eq!((findings.len(), findings[0].offset), (1, place.offset));

    fs::write(&file, &good).unwrap();
    let longer = Position { length: committed.length + 1, ..committed };
    let findings = verify(dir.path(), longer).unwrap().findings;
    assert_eq!(findings[0].problem, Problem::Short { committed: longer.length, set_aside: None });
    let shorter = Position { length: committed.length - 1, ..committed };
    let findings = verify(dir.path(), shorter).unwrap().findings;
    assert_eq!(findings[0].problem, Problem::Tail { bytes: 1 });
    assert!(matches!(findings[1].problem, Problem::Unreadable { .. }));
    fs::remove_file(&file).unwrap();
    assert_eq!(verify(dir.path(), committed).unwrap().findings[0].problem, Problem::Missing);
    assert_eq!(
        verify(dir.path(), Position::default()).unwrap().findings[0].problem,
        Problem::Unknown { set_aside: None }
    );
}

#[test]
fn hostile_heads_are_refused_with_the_reason() {
    let check = |input: &[u8], expected: &str| {
        let error = WarcReader::new(input).next_record().unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check(b"GIF89a\n", "no WARC record at byte 0: it does not begin with \"WARC/\"");
    check(b"WARC/1.1\r\n\r\n", "no WARC record at byte 0: no readable Content-Length");
    check(b"WARC/1.1\r\nContent-Length: -1\r\n\r\n", "no WARC record at byte 0: no readable Content-Length");
    check(b"WARC/1.1\r\n x\r\n\r\n", "no WARC record at byte 0: its first field has no name");
    check(b"WARC/1.1\r\nx\r\n\r\n", "no WARC record at byte 0: a field without a colon");
    check(b"WARC/1.1\r\nContent-Le", "the record at byte 0 is cut off");
    let endless = [b"WARC/1.1\r\nx: ".as_slice(), &[b'x'; 1 << 20]].concat();
    check(&endless, "no WARC record at byte 0: its head is too long");

    let boast = b"WARC/1.1\r\nContent-Length: 18446744073709551615\r\n\r\nshort";
    let mut reader = WarcReader::new(&boast[..]);
    assert_eq!(reader.next_record().unwrap().unwrap().length, u64::MAX);
    assert!(matches!(reader.read_block(100), Err(ArchiveError::OverLimit { limit: 100, .. })));
    assert!(matches!(reader.read_block(u64::MAX), Err(ArchiveError::CutOff { .. })));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read_all(&bytes);
        read_all(&[b"WARC/1.1\r\n".as_slice(), &bytes].concat());
        read_all(&crate::samples::gzip(&bytes));
    }

    #[test]
    fn any_damage_is_survived(at in any::<prop::sample::Index>(), with in prop::collection::vec(any::<u8>(), 0..20), drop in 0usize..50) {
        let mut bytes = all_bytes();
        let at = at.index(bytes.len());
        let end = (at + drop).min(bytes.len());
        bytes.splice(at..end, with);
        read_all(&bytes);
    }
}
