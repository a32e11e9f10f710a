//! Reading WARC: record by record from any input, or one visit by its `Location`.
//!
//! The input may be anybody's: plain or compressed, cut off anywhere, or no WARC at all. Heads are bounded,
//! blocks are streamed, lengths are believed only as far as bytes follow. Content codings are left to the
//! caller.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;

use crate::{ArchiveError, Location, Position, RecordKind, file_name};

/// Longest head of a record.
const MAX_HEAD: u64 = 256 * 1024;

/// Reads records one after the other.
///
/// `next_record` gives the head, `block` the bytes; what is left of a block is skipped by the next call. After
/// an error there is nothing more to read.
pub struct WarcReader<R> {
    layer: Layer<R>,
    /// Where the present record, or the gzip member that holds it, starts.
    start: u64,
    /// What is left of the present record's block; none between records.
    left: Option<u64>,
    /// The present member holds more than one record.
    shared: bool,
}

/// The head of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordHead {
    /// Where it starts in the input; for compressed input, where its gzip member starts.
    pub offset: u64,
    /// Length of the block.
    pub length: u64,
    /// Its fields in order.
    pub fields: Vec<(String, String)>,
}

/// A record held whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The head.
    pub head: RecordHead,
    /// The block, as stored.
    pub block: Vec<u8>,
}

/// The block of a record, as a stream. Ends with an error where the input ends too early.
pub struct Block<'a, R> {
    reader: &'a mut WarcReader<R>,
}

/// A part of an archive file, as `ArchiveReader` hands it out.
pub type FilePart = BufReader<Take<File>>;

/// Reads what an `ArchiveWriter` wrote, also while it writes on.
#[derive(Clone, Debug)]
pub struct ArchiveReader {
    dir: PathBuf,
}

enum Layer<R> {
    /// Between records, and between members of compressed input.
    Between(Counting<R>),
    Plain(Counting<R>),
    Member(Box<BufReader<GzDecoder<Counting<R>>>>),
    Ended,
}

/// Counts what was consumed.
struct Counting<R> {
    input: R,
    consumed: u64,
}

impl RecordHead {
    /// The first field of this name, without regard to case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// What the record is; none for kinds that we never write.
    pub fn kind(&self) -> Option<RecordKind> {
        let kinds = [
            RecordKind::Warcinfo,
            RecordKind::Request,
            RecordKind::Response,
            RecordKind::Metadata,
            RecordKind::Revisit,
        ];
        let word = self.get("WARC-Type")?;
        kinds.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The URL that the record is about; some writers put it in angle brackets.
    pub fn target(&self) -> Option<&str> {
        let target = self.get("WARC-Target-URI")?;
        Some(target.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(target))
    }
}

impl ArchiveReader {
    /// A reader of the archive in this directory.
    pub fn new(dir: impl Into<PathBuf>) -> ArchiveReader {
        ArchiveReader { dir: dir.into() }
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The records at a location: one, or all of a visit.
    pub fn at(&self, location: Location) -> Result<WarcReader<FilePart>, ArchiveError> {
        self.part(location.file, location.offset, u64::from(location.length))
    }

    /// The first record at a location, whole; its block may be `limit` bytes long.
    pub fn record(&self, location: Location, limit: u64) -> Result<Record, ArchiveError> {
        let mut reader = self.at(location)?;
        let cut_off = ArchiveError::CutOff { offset: location.offset };
        let head = reader.next_record()?.ok_or(cut_off)?;
        let block = reader.read_block(limit)?;
        // To the member's end, where its checksum stands.
        if reader.end_record()?.is_none() {
            let reason = "its length is wrong".to_owned();
            return Err(ArchiveError::Malformed { offset: location.offset, reason });
        }
        Ok(Record { head, block })
    }

    /// The committed records of one file.
    pub fn file(&self, number: u32, committed: Position) -> Result<WarcReader<FilePart>, ArchiveError> {
        let length = match number.cmp(&committed.file) {
            std::cmp::Ordering::Less => u64::MAX,
            std::cmp::Ordering::Equal => committed.length,
            std::cmp::Ordering::Greater => 0,
        };
        self.part(number, 0, length)
    }

    pub(crate) fn part(
        &self,
        number: u32,
        offset: u64,
        length: u64,
    ) -> Result<WarcReader<FilePart>, ArchiveError> {
        let path = self.dir.join(file_name(number));
        let mut file = File::open(&path).map_err(ArchiveError::io("open", &path))?;
        file.seek(SeekFrom::Start(offset)).map_err(ArchiveError::io("seek in", &path))?;
        let input = BufReader::with_capacity(64 * 1024, file.take(length));
        Ok(WarcReader::starting_at(offset, input))
    }
}

impl<R: BufRead> WarcReader<R> {
    /// A reader of plain WARC or of gzip members, whichever comes.
    pub fn new(input: R) -> WarcReader<R> {
        WarcReader::starting_at(0, input)
    }

    /// The head of the next record; none at the end of the input.
    pub fn next_record(&mut self) -> Result<Option<RecordHead>, ArchiveError> {
        let result = self.advance();
        if result.is_err() {
            self.layer = Layer::Ended;
        }
        result
    }

    /// The block of the record whose head was read last; empty when there is none.
    pub fn block(&mut self) -> Block<'_, R> {
        Block { reader: self }
    }

    /// What is left of the block, if that is at most `limit` bytes.
    pub fn read_block(&mut self, limit: u64) -> Result<Vec<u8>, ArchiveError> {
        let offset = self.start;
        if self.left.unwrap_or(0) > limit {
            return Err(ArchiveError::OverLimit { offset, limit });
        }
        let mut block = Vec::new();
        match self.block().read_to_end(&mut block) {
            Ok(_) => Ok(block),
            Err(error) => {
                self.layer = Layer::Ended;
                Err(broken(offset, error))
            }
        }
    }

    /// Skips to the end of the record and says how many bytes of input it took, its gzip member's where
    /// compressed. None when other records share the member, so that it cannot be found by offset and length.
    pub fn end_record(&mut self) -> Result<Option<u64>, ArchiveError> {
        let result = self.skip_rest().map(|()| match &self.layer {
            Layer::Between(input) | Layer::Plain(input) if !self.shared => Some(input.consumed - self.start),
            _ => None,
        });
        if result.is_err() {
            self.layer = Layer::Ended;
        }
        result
    }

    fn starting_at(offset: u64, input: R) -> WarcReader<R> {
        let layer = Layer::Between(Counting { input, consumed: offset });
        WarcReader { layer, start: offset, left: None, shared: false }
    }

    fn advance(&mut self) -> Result<Option<RecordHead>, ArchiveError> {
        self.skip_rest()?;
        loop {
            match std::mem::replace(&mut self.layer, Layer::Ended) {
                Layer::Ended => return Ok(None),
                Layer::Between(mut input) => {
                    self.start = input.consumed;
                    self.shared = false;
                    let start = self.start;
                    match input.fill_buf().map_err(|error| broken(start, error))?.first() {
                        None => return Ok(None),
                        Some(0x1f) => {
                            let member = BufReader::with_capacity(8 * 1024, GzDecoder::new(input));
                            self.layer = Layer::Member(Box::new(member));
                        }
                        Some(b'\r' | b'\n') => {
                            input.consume(1);
                            self.layer = Layer::Between(input);
                            continue;
                        }
                        Some(_) => self.layer = Layer::Plain(input),
                    }
                }
                Layer::Plain(input) => self.layer = Layer::Plain(input),
                Layer::Member(member) => {
                    self.shared = true;
                    self.layer = Layer::Member(member);
                }
            }
            // A member without a byte in it holds no record.
            if self.skip_line_ends()? {
                if let Layer::Plain(input) = &self.layer {
                    self.start = input.consumed;
                }
                return self.read_head().map(Some);
            }
        }
    }

    /// Skips the rest of the present record, and leaves its member where that ends with it.
    fn skip_rest(&mut self) -> Result<(), ArchiveError> {
        if self.left.is_none() {
            return Ok(());
        }
        let start = self.start;
        io::copy(&mut self.block(), &mut io::sink()).map_err(|error| broken(start, error))?;
        self.left = None;
        self.skip_line_ends()?;
        Ok(())
    }

    /// Skips the line ends between records; false at the end of the member or of plain input, which is left.
    fn skip_line_ends(&mut self) -> Result<bool, ArchiveError> {
        let start = self.start;
        while let Some(source) = self.layer.source() {
            let buffer = source.fill_buf().map_err(|error| broken(start, error))?;
            match buffer.first() {
                Some(b'\r' | b'\n') => source.consume(1),
                Some(_) => return Ok(true),
                None => {
                    self.layer = match std::mem::replace(&mut self.layer, Layer::Ended) {
                        Layer::Member(member) => Layer::Between(member.into_inner().into_inner()),
                        Layer::Plain(input) => Layer::Between(input),
                        other => other,
                    };
                    return Ok(false);
                }
            }
        }
        Ok(false)
    }

    fn read_head(&mut self) -> Result<RecordHead, ArchiveError> {
        let offset = self.start;
        let malformed = |reason: &str| ArchiveError::Malformed { offset, reason: reason.to_owned() };
        let source = self.layer.source().ok_or(ArchiveError::CutOff { offset })?;
        let mut allowed = MAX_HEAD;
        let mut line = Vec::new();
        let mut fields: Vec<(String, String)> = Vec::new();
        let mut first = true;
        loop {
            line.clear();
            let read = (&mut *source).take(allowed).read_until(b'\n', &mut line);
            allowed -= read.map_err(|error| broken(offset, error))? as u64;
            if line.pop() != Some(b'\n') {
                return Err(if allowed == 0 {
                    malformed("its head is too long")
                } else if first && !b"WARC/".starts_with(&line[..line.len().min(5)]) {
                    malformed("it does not begin with \"WARC/\"")
                } else {
                    ArchiveError::CutOff { offset }
                });
            }
            let text = String::from_utf8_lossy(line.trim_ascii_end());
            if std::mem::take(&mut first) {
                if !text.starts_with("WARC/") {
                    return Err(malformed("it does not begin with \"WARC/\""));
                }
            } else if text.is_empty() {
                break;
            } else if text.starts_with([' ', '\t']) {
                // A folded line goes on with the value before.
                let (_, value) = fields.last_mut().ok_or_else(|| malformed("its first field has no name"))?;
                value.push(' ');
                value.push_str(text.trim_start());
            } else {
                let (name, value) =
                    text.split_once(':').ok_or_else(|| malformed("a field without a colon"))?;
                fields.push((name.trim_end().to_owned(), value.trim_start().to_owned()));
            }
        }
        let mut head = RecordHead { offset, length: 0, fields };
        let length = head.get("Content-Length").and_then(|value| value.parse().ok());
        head.length = length.ok_or_else(|| malformed("no readable Content-Length"))?;
        self.left = Some(head.length);
        Ok(head)
    }
}

impl<R: BufRead> BufRead for Block<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let left = self.reader.left.unwrap_or(0);
        if left == 0 {
            return Ok(&[]);
        }
        let source = self.reader.layer.source().ok_or(io::ErrorKind::UnexpectedEof)?;
        let buffer = source.fill_buf()?;
        if buffer.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let usable = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        Ok(&buffer[..usable])
    }

    fn consume(&mut self, amount: usize) {
        if let (Some(source), Some(left)) = (self.reader.layer.source(), &mut self.reader.left) {
            source.consume(amount);
            *left = left.saturating_sub(amount as u64);
        }
    }
}

impl<R: BufRead> Read for Block<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let amount = self.fill_buf()?.read(into)?;
        self.consume(amount);
        Ok(amount)
    }
}

impl<R: BufRead> Layer<R> {
    fn source(&mut self) -> Option<&mut dyn BufRead> {
        match self {
            Layer::Plain(input) => Some(input),
            Layer::Member(member) => Some(&mut **member),
            Layer::Between(_) | Layer::Ended => None,
        }
    }
}

impl<R: BufRead> Read for Counting<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let amount = self.input.read(into)?;
        self.consumed += amount as u64;
        Ok(amount)
    }
}

impl<R: BufRead> BufRead for Counting<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.input.consume(amount);
        self.consumed += amount as u64;
    }
}

/// Tells what is wrong with the bytes from what is wrong with the disk.
fn broken(offset: u64, error: io::Error) -> ArchiveError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => ArchiveError::CutOff { offset },
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            ArchiveError::Malformed { offset, reason: error.to_string() }
        }
        _ => ArchiveError::Read { offset, source: error },
    }
}
