//! Visits of every kind, and an archive that holds them.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use archive::{
    ArchiveSettings, ArchiveWriter, Digest, Kept, Location, Original, Position, Purpose, RecordWriter,
    Records, Visit,
};
use bytes::Bytes;
use model::{
    CrawlId, Cut, Fetched, Headers, Link, LinkKind, LinkLook, Outcome, Page, PageDirectives, PageUrl, Rel,
    Timestamp, Timings,
};

pub(crate) const CRAWL: CrawlId = CrawlId(7);
pub(crate) const NOW: Timestamp = Timestamp(1_763_196_319_123);

pub(crate) fn url(text: &str) -> PageUrl {
    PageUrl::parse(text).unwrap()
}

/// An answer with these header lines and this body as transferred.
pub(crate) fn fetched(target: &str, status_line: &str, header_lines: &[&str], body: &[u8]) -> Fetched {
    let target = url(target);
    let head = format!("HTTP/1.1 {status_line}\r\n{}\r\n\r\n", header_lines.join("\r\n"));
    let headers = header_lines.iter().filter_map(|line| line.split_once(": "));
    Fetched {
        address: Some("[::ffff:192.0.2.1]:80".parse().unwrap()),
        version: model::HttpVersion::Http1,
        started: NOW,
        timings: Timings { total: Duration::from_millis(42), ..Timings::default() },
        request: format!("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", target.path_and_query(), target.authority())
            .into(),
        status: status_line[..3].parse().unwrap(),
        head: head.into(),
        headers: Headers(
            headers
                .map(|(name, value)| (name.to_owned(), Bytes::copy_from_slice(value.as_bytes())))
                .collect(),
        ),
        body: Bytes::copy_from_slice(body),
        content: Bytes::copy_from_slice(body),
        cut: None,
        url: target,
    }
}

/// One sample: an answer, and what a reader must make of it.
pub(crate) struct Sample {
    pub(crate) fetched: Fetched,
    pub(crate) page: Option<Page>,
    /// The body with its coding undone.
    pub(crate) content: Vec<u8>,
    /// Index of the sample whose body stands for this one's, and whether the server said so.
    pub(crate) original: Option<(usize, bool)>,
}

pub(crate) const TEXT: &[u8] =
    b"<title>Words</title> and again words and again words, \xff\0\r\n\r\nWARC/1.1\r\n\r\n";

pub(crate) fn samples() -> Vec<Sample> {
    let sample = |fetched: Fetched, content: &[u8]| Sample {
        fetched,
        page: None,
        content: content.to_vec(),
        original: None,
    };
    let html = "Content-Type: Text/HTML; charset=utf-8";
    let mut all = vec![
        Sample {
            page: Some(page()),
            ..sample(fetched("http://example.com/", "200 OK", &[html, "Content-Length: 73"], TEXT), TEXT)
        },
        sample(
            fetched("http://example.com/gzip", "200 OK", &[html, "Content-Encoding: gzip"], &gzip(TEXT)),
            TEXT,
        ),
        sample(
            fetched("http://example.com/br", "200 OK", &[html, "content-encoding: br"], &brotli(TEXT)),
            TEXT,
        ),
        sample(
            fetched("http://example.com/chunked", "200 OK", &["transfer-encoding: chunked", html], TEXT),
            TEXT,
        ),
        sample(
            fetched(
                "http://example.com/chunked-gzip",
                "200 OK",
                &["Transfer-Encoding: chunked", "Content-Encoding: gzip"],
                &gzip(TEXT),
            ),
            TEXT,
        ),
        sample(fetched("https://example.com/gone?b=2&a=1", "404", &["X-Empty:"], b"gone"), b"gone"),
        sample(fetched("http://example.com/moved", "301 Moved", &["Location: /"], b""), b""),
    ];
    let mut long = sample(
        fetched("http://example.com/long", "200 OK", &["Content-Length: 99999"], &[b'x'; 5_000]),
        &[b'x'; 5_000],
    );
    long.fetched.cut = Some(Cut::Length);
    all.push(long);
    // What a rendered page has: headers, and no head as sent.
    let mut rendered = sample(fetched("http://example.com/rendered", "200 OK", &[html], b"<p>"), b"<p>");
    rendered.fetched.head = Bytes::new();
    rendered.fetched.request = Bytes::new();
    all.push(rendered);
    for (server_says_so, status_line) in [(false, "200 OK"), (true, "304 Not Modified")] {
        let mut again = sample(fetched("http://example.com/", status_line, &[html], b""), b"");
        again.fetched.started = NOW + Duration::from_secs(if server_says_so { 7_200 } else { 3_600 });
        again.original = Some((0, server_says_so));
        all.push(again);
    }
    all
}

pub(crate) fn page() -> Page {
    let link = |target: &str, anchor: &str, kind, rel| Link {
        url: url(target),
        anchor: anchor.into(),
        look: LinkLook { visibility: 2, position: 3, distance: 1 },
        rel,
        kind,
    };
    let usual = |target: &str, anchor: &str| Link {
        look: LinkLook { visibility: 1, position: 2, distance: 1 },
        ..link(target, anchor, LinkKind::Anchor, Rel::default())
    };
    let all = Rel { nofollow: true, sponsored: true, ugc: true, next: true };
    let first = usual("http://example.com/c//d?e", "usual");
    let again = Link {
        anchor: "the same again".into(),
        look: LinkLook { position: 1, ..first.look },
        ..usual("http://example.com/c//d?e", "")
    };
    Page {
        title: "Wörds \u{1f980}".to_owned(),
        charset: "utf-8".to_owned(),
        language: Some("de".to_owned()),
        canonical: Some(url("http://example.com/")),
        directives: PageDirectives { noindex: true, nofollow: false },
        links: vec![
            link("http://example.com/a", "an \"anchor\"\n", LinkKind::Anchor, Rel::default()),
            link("http://other.example/b", "", LinkKind::Area, all),
            first,
            again,
            usual("http://example.com:81/", "another port"),
        ],
        links_cut: true,
        ..Page::default()
    }
}

/// The records of all samples, in order.
pub(crate) fn records(samples: &[Sample]) -> Vec<Records> {
    let mut writer = RecordWriter::default();
    let via = url("http://example.com/via");
    let outcome = Outcome::Fetched;
    let build = |sample: &Sample| {
        let original = sample.original.map(|(index, server_says_so)| {
            let first = &samples[index].fetched;
            let original = Original {
                crawl: CRAWL,
                url: &first.url,
                started: first.started,
                payload: Digest::of(&first.body),
            };
            if server_says_so { Kept::NotModified(original) } else { Kept::SamePayload(original) }
        });
        writer.records(&Visit {
            crawl: CRAWL,
            fetched: &sample.fetched,
            purpose: Purpose::Page,
            via: Some(&via),
            depth: 3,
            outcome: Some(&outcome),
            page: sample.page.as_ref(),
            kept: original.unwrap_or_default(),
        })
    };
    samples.iter().map(build).collect()
}

/// Writes all samples to an archive that rolls often.
pub(crate) fn archive(dir: &Path, samples: &[Sample]) -> (Vec<Location>, Position) {
    let info = vec![("software".to_owned(), "test\r\nevil: 1".to_owned())];
    let settings = ArchiveSettings { roll_at: 4_000, info };
    let mut writer = ArchiveWriter::open(dir, Position::default(), settings).unwrap().writer;
    let locations =
        records(samples).iter().map(|records| writer.append(&records.bytes, NOW).unwrap()).collect();
    (locations, writer.sync().unwrap())
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut out, &Default::default()).unwrap();
    out
}
