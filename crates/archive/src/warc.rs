//! The WARC 1.1 records of one visit: response, request, metadata; or of a page that has not changed one revisit record;
//! and the warcinfo record that opens each file.
//!
//! Records are built as bytes by whoever has a processor to spare and appended elsewhere. The same visit gives
//! the same bytes: record ids are hashes, not random.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::net::IpAddr;

use model::{Compression, CrawlId, Cut, Fetched, HttpVersion, Outcome, Page, PageUrl, Timestamp};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::Digest;
use crate::gzip::Gzip;
use crate::metadata::{Metadata, PageFacts, Purpose};

/// One visit as the archive keeps it.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// The crawl that made it.
    pub crawl: CrawlId,
    /// Request and answer.
    pub fetched: &'a Fetched,
    /// Why it was made.
    pub purpose: Purpose,
    /// The page on which the URL was found first.
    pub via: Option<&'a PageUrl>,
    /// Length of the shortest known path from a start URL.
    pub depth: u32,
    /// What became of the URL, if this visit decided it.
    pub outcome: Option<&'a Outcome>,
    /// What was read from the answer, if it is a page.
    pub page: Option<&'a Page>,
    /// Whether the body is kept or an earlier one stands for it.
    pub kept: Kept<'a>,
}

/// Whether a visit's body is kept.
#[derive(Clone, Copy, Debug, Default)]
pub enum Kept<'a> {
    /// The whole answer, as a response record.
    #[default]
    Whole,
    /// The body equals one that is archived already: a revisit record with the head alone.
    SamePayload(Original<'a>),
    /// The server said 304: a revisit record with the head alone.
    NotModified(Original<'a>),
}

/// The response record that stands for a body.
#[derive(Clone, Copy, Debug)]
pub struct Original<'a> {
    /// The crawl that fetched it.
    pub crawl: CrawlId,
    /// Its URL.
    pub url: &'a PageUrl,
    /// When its request was sent.
    pub started: Timestamp,
    /// Digest of its payload.
    pub payload: Digest,
}

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordKind {
    /// Says who wrote the file.
    Warcinfo,
    /// A request as sent.
    Request,
    /// An answer as it came.
    Response,
    /// What is known beyond the bytes.
    Metadata,
    /// An answer whose body is archived already.
    Revisit,
}

/// The records of one visit, ready to be appended.
#[derive(Clone, Debug)]
pub struct Records {
    /// Gzip members, one per record; the response comes first, a revisit is alone.
    pub bytes: Vec<u8>,
    /// Where each record lies in `bytes`.
    pub members: Vec<Member>,
    /// Digest of the payload: the body as transferred. Of a 304 answer, the digest of the original.
    pub payload: Digest,
}

/// The place of one record within `Records::bytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// What it is.
    pub kind: RecordKind,
    /// First byte.
    pub offset: u32,
    /// Bytes, compressed.
    pub length: u32,
}

/// Builds records. Keeps its compressor, so each worker holds one.
pub struct RecordWriter {
    gzip: Gzip,
    /// For revisit records, once there are any.
    thorough: Option<Gzip>,
    head: String,
    metadata: Vec<u8>,
}

/// Room for what is written beside a body.
const SMALL_RECORDS: usize = 4_096;

/// Room for metadata that is kept from one visit to the next.
const MOST_KEPT: usize = 64 << 10;

impl RecordKind {
    /// The value of `WARC-Type`.
    pub fn as_str(self) -> &'static str {
        match self {
            RecordKind::Warcinfo => "warcinfo",
            RecordKind::Request => "request",
            RecordKind::Response => "response",
            RecordKind::Metadata => "metadata",
            RecordKind::Revisit => "revisit",
        }
    }
}

/// The id of a visit's record: a UUID made of a hash, the same for the same visit.
pub fn record_id(crawl: CrawlId, url: &PageUrl, started: Timestamp, kind: RecordKind) -> String {
    uuid(&format!("{} {} {} {}", crawl.0, started.0, kind.as_str(), url))
}

impl Default for RecordWriter {
    fn default() -> RecordWriter {
        RecordWriter::new(Compression::default())
    }
}

impl RecordWriter {
    /// A writer with nothing in it.
    pub fn new(compression: Compression) -> RecordWriter {
        let gzip = Gzip::new(compression);
        RecordWriter { gzip, thorough: None, head: String::new(), metadata: Vec::new() }
    }

    /// The records of one visit.
    pub fn records(&mut self, visit: &Visit<'_>) -> Records {
        let fetched = visit.fetched;
        let payload = match visit.kept {
            Kept::Whole => Digest::of(&fetched.body),
            Kept::SamePayload(original) | Kept::NotModified(original) => original.payload,
        };
        let room = match visit.kept {
            Kept::Whole => self.gzip.room(fetched.body.len()) + SMALL_RECORDS,
            _ => SMALL_RECORDS,
        };
        let mut records = Records { bytes: Vec::with_capacity(room), members: Vec::new(), payload };
        let answer = match visit.kept {
            Kept::Whole => RecordKind::Response,
            _ => RecordKind::Revisit,
        };
        let answer_id = record_id(visit.crawl, &fetched.url, fetched.started, answer);
        self.answer(visit, answer, &answer_id, &mut records);
        if answer == RecordKind::Revisit {
            // What was asked follows from the version it refers to, and what is known of the visit stands in its head: a
            // page that stays the same costs this one record.
            return records;
        }
        if !fetched.request.is_empty() {
            self.start(visit, RecordKind::Request);
            self.field("WARC-Concurrent-To", format_args!("<{answer_id}>"));
            self.field("Content-Type", "application/http; msgtype=request");
            self.finish(RecordKind::Request, &[&fetched.request], &mut records);
        }
        let mut block = std::mem::take(&mut self.metadata);
        block.clear();
        serde_json::to_writer(&mut block, &metadata(visit)).expect("metadata has only text keys");
        self.start(visit, RecordKind::Metadata);
        self.field("WARC-Concurrent-To", format_args!("<{answer_id}>"));
        self.field("Content-Type", "application/json");
        self.finish(RecordKind::Metadata, &[&block], &mut records);
        block.shrink_to(MOST_KEPT);
        self.metadata = block;
        records
    }

    /// The record that opens a file; `fields` say who writes it and how (`software`, `operator`, …).
    pub fn warcinfo(&mut self, file_name: &str, fields: &[(String, String)], now: Timestamp) -> Vec<u8> {
        let mut block = String::from("format: WARC File Format 1.1\r\n");
        for (name, value) in fields {
            // A line break in a setting must not become a field of its own.
            let _ = write!(block, "{}: {}\r\n", one_line(name), one_line(value));
        }
        let id = uuid(&format!("{} {} {file_name}", now.0, RecordKind::Warcinfo.as_str()));
        self.begin(RecordKind::Warcinfo, &id, now);
        self.field("WARC-Filename", file_name);
        self.field("Content-Type", "application/warc-fields");
        let mut records = Records { bytes: Vec::new(), members: Vec::new(), payload: Digest([0; 20]) };
        self.finish(RecordKind::Warcinfo, &[block.as_bytes()], &mut records);
        records.bytes
    }

    /// The response, or the revisit record in its stead.
    fn answer(&mut self, visit: &Visit<'_>, kind: RecordKind, id: &str, records: &mut Records) {
        let fetched = visit.fetched;
        let http_head = stored_head(fetched);
        self.begin(kind, id, fetched.started);
        self.field("WARC-Target-URI", &fetched.url);
        if let Some(address) = fetched.address {
            self.field("WARC-IP-Address", canonical_ip(address.ip()));
        }
        if fetched.version == HttpVersion::Http2 {
            // The head is written as HTTP/1.1 would say it; this tells what was really spoken.
            self.field("WARC-Protocol", "h2");
        }
        self.field("Content-Type", "application/http; msgtype=response");
        self.field("WARC-Payload-Digest", records.payload);
        let (profile, original) = match visit.kept {
            Kept::Whole => {
                if let Some(cut) = fetched.cut {
                    self.field("WARC-Truncated", cut_word(cut));
                }
                return self.finish(kind, &[&http_head, &fetched.body], records);
            }
            Kept::SamePayload(original) => ("identical-payload-digest", original),
            Kept::NotModified(original) => ("server-not-modified", original),
        };
        self.field("WARC-Profile", format_args!("http://netpreserve.org/warc/1.1/revisit/{profile}"));
        let original_id = record_id(original.crawl, original.url, original.started, RecordKind::Response);
        self.field("WARC-Refers-To", format_args!("<{original_id}>"));
        self.field("WARC-Refers-To-Target-URI", original.url);
        self.field("WARC-Refers-To-Date", date(original.started));
        if matches!(visit.kept, Kept::SamePayload(_)) {
            // The body came and was left out.
            self.field("WARC-Truncated", "length");
        }
        // What was read from the page is told by the version that it refers to.
        let told = Metadata { page: None, ..metadata(visit) };
        let told = serde_json::to_string(&told).expect("metadata has only text keys");
        self.field(Metadata::FIELD, one_line(&told));
        self.finish(kind, &[&http_head], records);
    }

    fn start(&mut self, visit: &Visit<'_>, kind: RecordKind) {
        let fetched = visit.fetched;
        self.begin(kind, &record_id(visit.crawl, &fetched.url, fetched.started, kind), fetched.started);
        self.field("WARC-Target-URI", &fetched.url);
    }

    fn begin(&mut self, kind: RecordKind, id: &str, at: Timestamp) {
        self.head.clear();
        self.head.push_str("WARC/1.1\r\n");
        self.field("WARC-Type", kind.as_str());
        self.field("WARC-Record-ID", format_args!("<{id}>"));
        self.field("WARC-Date", date(at));
    }

    fn field(&mut self, name: &str, value: impl std::fmt::Display) {
        let _ = write!(self.head, "{name}: {value}\r\n");
    }

    fn finish(&mut self, kind: RecordKind, block: &[&[u8]], records: &mut Records) {
        // The digest of its payload and the checksum of its gzip member say the same of a response; a second pass over
        // every body would cost a fiftieth of a crawl.
        if kind != RecordKind::Response {
            self.field("WARC-Block-Digest", Digest::of_parts(block));
        }
        self.field("Content-Length", block.iter().map(|part| part.len()).sum::<usize>());
        self.head.push_str("\r\n");
        let mut parts = Vec::with_capacity(block.len() + 2);
        parts.push(self.head.as_bytes());
        parts.extend_from_slice(block);
        parts.push(b"\r\n\r\n");
        let offset = records.bytes.len();
        let gzip = match kind {
            RecordKind::Revisit => self.thorough.get_or_insert_with(|| Gzip::new(Compression::Small)),
            _ => &mut self.gzip,
        };
        gzip.member(&parts, &mut records.bytes);
        let length = records.bytes.len() - offset;
        // Bodies are bounded far below 4 GiB; `append` refuses what is not.
        records.members.push(Member { kind, offset: offset as u32, length: length as u32 });
    }
}

/// The HTTP head as it is stored. The body was taken out of its chunks on arrival, so a head that still
/// announced chunks would make every reader look for them: that field is kept under another name.
fn stored_head(fetched: &Fetched) -> Vec<u8> {
    let mut stored = Vec::with_capacity(fetched.head.len() + 16);
    let mut lines =
        fetched.head.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let status_line = lines.next().unwrap_or_default();
    if status_line.starts_with(b"HTTP/1.") {
        stored.extend_from_slice(status_line);
    } else {
        // Readers know only HTTP/1 heads; a page that was rendered may have none at all.
        stored.extend_from_slice(format!("HTTP/1.1 {}", fetched.status).as_bytes());
    }
    stored.extend_from_slice(b"\r\n");
    if fetched.head.is_empty() {
        for (name, value) in &fetched.headers.0 {
            push_header(&mut stored, &[name.as_bytes(), b": ", value].concat());
        }
    } else {
        lines.take_while(|line| !line.is_empty()).for_each(|line| push_header(&mut stored, line));
    }
    stored.extend_from_slice(b"\r\n");
    stored
}

fn push_header(stored: &mut Vec<u8>, line: &[u8]) {
    const CHUNKS: &[u8] = b"transfer-encoding";
    let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
    if name.trim_ascii().eq_ignore_ascii_case(CHUNKS) {
        stored.extend_from_slice(b"X-Crawler-");
    }
    stored.extend_from_slice(line);
    stored.extend_from_slice(b"\r\n");
}

fn metadata<'a>(visit: &Visit<'a>) -> Metadata<'a> {
    let timings = visit.fetched.timings;
    let millis = |span: std::time::Duration| u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
    Metadata {
        version: Metadata::VERSION,
        crawl: visit.crawl,
        purpose: visit.purpose,
        via: visit.via.map(Cow::Borrowed),
        depth: visit.depth,
        connect_time_ms: millis(timings.connect),
        first_byte_time_ms: millis(timings.first_byte),
        fetch_time_ms: millis(timings.total),
        outcome: visit.outcome.map(Cow::Borrowed),
        page: visit.page.map(|page| PageFacts::of(page, &visit.fetched.url)),
    }
}

fn cut_word(cut: Cut) -> &'static str {
    match cut {
        Cut::Length => "length",
        Cut::Time => "time",
        Cut::Disconnect => "disconnect",
    }
}

/// WARC dates have four-digit years; a clock gone mad must not make the record unreadable.
fn date(moment: Timestamp) -> Timestamp {
    const END_OF_9998: u64 = 253_370_764_799_999;
    moment.min(Timestamp(END_OF_9998))
}

/// An IPv4 address also where the socket calls it `::ffff:…`.
fn canonical_ip(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_control) {
        Cow::Owned(text.replace(char::is_control, " "))
    } else {
        Cow::Borrowed(text)
    }
}

/// A UUID of version 8 (made by a rule of our own).
fn uuid(name: &str) -> String {
    let hash = xxh3_128(name.as_bytes());
    let hash = hash & !(0xf << 76) | 8 << 76;
    let hash = hash & !(0b11 << 62) | 0b10 << 62;
    let text = format!("{hash:032x}");
    format!("urn:uuid:{}-{}-{}-{}-{}", &text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..])
}
