//! Checks an archive: every record can be read, its digests match, every file ends where it should.

use std::io::{self, BufRead, Read};
use std::path::Path;

use crate::digest::Hasher;
use crate::writer::files;
use crate::{
    ArchiveError, ArchiveReader, Digest, Finding, HttpHead, Position, Problem, RecordHead, RecordKind,
    WarcReader, file_name,
};

/// What a check covered and found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Files read.
    pub files: u32,
    /// Records read.
    pub records: u64,
    /// Bytes read.
    pub bytes: u64,
    /// What is wrong; empty for a sound archive.
    pub findings: Vec<Finding>,
}

/// Walks the archive in `dir` up to `committed` and reports what is wrong. Changes nothing, and an error means
/// that the directory itself could not be read.
///
/// While a writer is at work there are bytes past `committed`: those are no damage (`Finding::is_damage`).
pub fn verify(dir: &Path, committed: Position) -> Result<Verified, ArchiveError> {
    let mut verified = Verified::default();
    let present = if dir.is_dir() { files(dir)? } else { Default::default() };
    for number in 1..=committed.file {
        if present.contains(&number) {
            verified.file(dir, number, committed);
        } else if number < committed.file || committed.length > 0 {
            verified.report(number, 0, Problem::Missing);
        }
    }
    for &number in present.range(committed.file.saturating_add(1)..) {
        verified.report(number, 0, Problem::Unknown { set_aside: None });
    }
    Ok(verified)
}

impl Verified {
    fn report(&mut self, number: u32, offset: u64, problem: Problem) {
        self.findings.push(Finding { file: file_name(number), offset, problem });
    }

    fn file(&mut self, dir: &Path, number: u32, committed: Position) {
        self.files += 1;
        let found = match dir.join(file_name(number)).metadata() {
            Ok(metadata) => metadata.len(),
            Err(error) => return self.report(number, 0, Problem::Unreadable { reason: error.to_string() }),
        };
        if number == committed.file && found < committed.length {
            let problem = Problem::Short { committed: committed.length, set_aside: None };
            self.report(number, found, problem);
        } else if number == committed.file && found > committed.length {
            self.report(number, committed.length, Problem::Tail { bytes: found - committed.length });
        }
        self.bytes += if number == committed.file { found.min(committed.length) } else { found };
        if let Err(error) = self.records(dir, number, committed) {
            let offset = match error {
                ArchiveError::CutOff { offset }
                | ArchiveError::Malformed { offset, .. }
                | ArchiveError::Read { offset, .. } => offset,
                _ => 0,
            };
            self.report(number, offset, Problem::Unreadable { reason: error.to_string() });
        }
    }

    fn records(&mut self, dir: &Path, number: u32, committed: Position) -> Result<(), ArchiveError> {
        let mut reader = ArchiveReader::new(dir).file(number, committed)?;
        while let Some(head) = reader.next_record()? {
            let wrong = wrong_digests(&head, &mut reader);
            let one_to_a_member = reader.end_record()?.is_some();
            let wrong = wrong.map_err(|source| ArchiveError::Read { offset: head.offset, source })?;
            self.records += 1;
            for field in wrong {
                self.report(number, head.offset, Problem::DigestMismatch { field });
            }
            if !one_to_a_member {
                let reason = "more than one record in a gzip member".to_owned();
                self.report(number, head.offset, Problem::Unreadable { reason });
            }
        }
        Ok(())
    }
}

/// The digest fields that do not match the block. A digest we cannot compute is not checked.
fn wrong_digests<R: BufRead>(head: &RecordHead, reader: &mut WarcReader<R>) -> io::Result<Vec<&'static str>> {
    let mut block = Hasher::default();
    let mut payload = Hasher::default();
    let mut source = reader.block();
    // The payload of a revisit is the one it refers to.
    let has_payload = head.kind() == Some(RecordKind::Response);
    if has_payload {
        block.update(&HttpHead::read(&mut source)?.bytes);
    }
    let mut buffer = [0; 16 * 1024];
    loop {
        match source.read(&mut buffer)? {
            0 => break,
            amount => {
                block.update(&buffer[..amount]);
                payload.update(&buffer[..amount]);
            }
        }
    }
    let differs = |field: &str, digest: Digest| {
        head.get(field).and_then(Digest::parse).is_some_and(|written| written != digest)
    };
    let mut wrong = Vec::new();
    if differs("WARC-Block-Digest", block.finish()) {
        wrong.push("WARC-Block-Digest");
    }
    if has_payload && differs("WARC-Payload-Digest", payload.finish()) {
        wrong.push("WARC-Payload-Digest");
    }
    Ok(wrong)
}
