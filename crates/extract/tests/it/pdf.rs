//! PDF: words, links, facts; files broken on purpose; figures on a folder of real ones.

use std::collections::HashMap;
use std::path::PathBuf;

use bytes::Bytes;
use extract::{Input, pdf};
use model::{Headers, Normalise, Page, PageUrl};
use proptest::prelude::*;

fn read(body: &[u8]) -> Option<Page> {
    let url = PageUrl::parse("http://e.com/dir/file.pdf").unwrap();
    let headers = Headers(vec![("content-type".to_owned(), Bytes::from_static(b"application/pdf"))]);
    let normalise = Normalise::default();
    pdf(&Input { url: &url, headers: &headers, body, normalise, max_links: 1_000, agent: "gannet" })
}

/// A document of these objects, the first of which is its catalog.
fn document(objects: &[&[u8]], trailer: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    for (number, object) in objects.iter().enumerate() {
        out.extend(format!("{} 0 obj\n", number + 1).bytes());
        out.extend_from_slice(object);
        out.extend_from_slice(b"\nendobj\n");
    }
    out.extend(format!("trailer\n<< /Root 1 0 R {trailer} >>\n").bytes());
    out
}

/// A stream object.
fn stream(dict: &str, content: &[u8]) -> Vec<u8> {
    [format!("<< /Length {} {dict} >>\nstream\n", content.len()).as_bytes(), content, b"\nendstream"].concat()
}

const CATALOG: &[u8] = b"<< /Type /Catalog /Pages 2 0 R /Lang (en-GB) /Outlines 6 0 R >>";
const PAGES: &[u8] = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
const LEAF: &[u8] = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R \
    /Resources << /Font << /F 5 0 R >> /XObject << /X 7 0 R >> >> \
    /Annots [<< /Type /Annot /Subtype /Link /Rect [50 595 90 615] /A << /S /URI /URI (/tides) >> >>] >>";
const FONT: &[u8] = b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding \
    << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [1 /fi /germandbls] >> >>";
const OUTLINE: &[u8] = b"<< /First << /Title (Ebb) /Next << /Title (Flow) >> >> >>";

/// A document whose one page is drawn so.
fn drawn(content: &[u8], form: &[u8]) -> Vec<u8> {
    document(
        &[CATALOG, PAGES, LEAF, &stream("", content), FONT, OUTLINE, &stream("/Subtype /Form", form)],
        "/Info << /Title <FEFF004700E4007A> /Author (A. Name) /CreationDate (D:20261101080000+01'00') >>",
    )
}

fn check(content: &str, expected: &str) {
    let page = read(&drawn(content.as_bytes(), b"BT /F 10 Tf 50 300 Td (within a form) Tj ET")).unwrap();
    assert_eq!(page.text, expected, "of {content}");
}

#[test]
fn words_are_told_apart_by_their_places() {
    check("BT /F 10 Tf 50 700 Td (one) Tj ( two) Tj ET", "one two");
    // Letters placed one by one; a gap in the middle.
    check("BT /F 10 Tf 50 700 Td [(o) 0 (n) 20 (e) -600 (two)] TJ ET", "one two");
    // A line that is full, with and without a hyphen; a new paragraph below.
    check(
        "BT /F 10 Tf 12 TL 50 700 Td (one) Tj T* (two exam-) Tj T* (ple) Tj 0 -40 Td (three) Tj ET",
        "one two example\nthree",
    );
    check(
        "BT /F 10 Tf 12 TL 50 700 Td (well-known) Tj T* (Anglo-) Tj T* (Saxon) Tj ET",
        "well-known Anglo- Saxon",
    );
    // Ligatures and codes of the font's own.
    check("BT /F 10 Tf 50 700 Td (\\001nal gru\\002 \\344) Tj ET", "final gruß ä");
    check("BT /F 10 Tf 50 700 Td (page) Tj ET /X Do", "page\nwithin a form");
    check(
        "/Artifact << /Type /Pagination >> BDC BT /F 10 Tf 50 780 Td (page 7) Tj ET EMC /Span << /ActualText (right) >> BDC BT /F 10 Tf 50 700 Td (wrong) Tj ET EMC",
        "right",
    );
    check("BT (no font) Tj ET", "");
}

#[test]
fn a_pdf_gives_links_headings_and_facts() {
    let page = read(&drawn(b"BT /F 10 Tf 52 600 Td (table here, and more) Tj ET", b"")).unwrap();
    assert_eq!(page.links.len(), 1);
    assert_eq!((page.links[0].url.as_str(), &*page.links[0].anchor), ("http://e.com/tides", "table"));
    let headings: Vec<_> = page.headings.iter().map(|heading| heading.text.as_str()).collect();
    assert_eq!(headings, ["Ebb", "Flow"]);
    assert_eq!((page.title.as_str(), page.author.as_deref()), ("Gäz", Some("A. Name")));
    assert_eq!(page.published.as_ref().map(|date| date.at.as_str()), Some("2026-11-01T08:00:00+01:00"));
    assert_eq!(page.language.as_deref(), Some("en-GB"));
}

#[test]
fn a_pdf_that_gives_no_title_is_called_by_its_largest_words() {
    let content = b"BT /F 8 Tf 50 780 Td (Journal of the sea) Tj ET BT /F 20 Tf 50 700 Td (A table) Tj 0 -22 Td (of tides) Tj ET \
        BT /F 10 Tf 50 600 Td (The sea comes in twice a day, and goes out again as often.) Tj ET";
    let titled = |info: &str, description: &str| {
        let metadata = stream("/Type /Metadata /Subtype /XML", description.as_bytes());
        let catalog = b"<< /Type /Catalog /Pages 2 0 R /Metadata 6 0 R >>";
        let info = format!("/Info << /Title ({info}) >>");
        read(&document(&[catalog, PAGES, LEAF, &stream("", content), FONT, &metadata, b"null"], &info))
            .unwrap()
            .title
    };
    let described = |title: &str| {
        format!(
            "<x:xmpmeta><rdf:RDF><rdf:Description><dc:title><rdf:Alt><rdf:li>{title}</rdf:li><rdf:li>Gezeiten</rdf:li>\
            </rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>"
        )
    };
    assert_eq!(titled("Tides", &described("Ebb &amp; flow")), "Tides");
    assert_eq!(titled("untitled", &described("Ebb &amp; flow")), "Ebb & flow");
    for none in ["", "Microsoft Word - tides.doc", "tides.indd", "Slide 1"] {
        assert_eq!(titled(none, &described("untitled")), "A table of tides", "for {none:?}");
        assert_eq!(titled(none, "<broken"), "A table of tides", "for {none:?}");
    }
}

#[test]
fn what_is_no_pdf_gives_no_page() {
    for body in [&b""[..], b"%PDF-1.7", b"words", b"%PDF-1.7\ntrailer << /Root 1 0 R >>"] {
        assert_eq!(read(body), None, "{}", String::from_utf8_lossy(body));
    }
}

#[test]
fn files_made_to_do_harm_do_none() {
    // A form that draws itself, an outline and a page tree that are circles, a state set aside for ever.
    read(&drawn(b"/X Do", b"/X Do /X Do /X Do /X Do /X Do /X Do /X Do /X Do"));
    read(&drawn("q ".repeat(100_000).as_bytes(), b""));
    read(&drawn("[ ".repeat(100_000).as_bytes(), b""));
    let circle = document(
        &[
            CATALOG,
            b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>",
            LEAF,
            b"",
            FONT,
            b"<< /First 6 0 R /Next 6 0 R /Title (x) >>",
        ],
        "",
    );
    read(&circle);
    let good = drawn(b"BT /F 10 Tf 50 700 Td (words) Tj ET", b"");
    for at in 0..good.len() {
        for byte in [0x00, 0xff, b'<', b'9'] {
            let mut bad = good.clone();
            bad[at] = byte;
            read(&bad);
        }
        read(&good[..at]);
    }
}

proptest! {
    #[test]
    fn any_drawing_is_read(content in "([()<>\\[\\]/ -9.]|BT|ET|Tj|TJ|Tf|Tm|Td|cm|q|Q|Do|/F|/X|BDC|EMC){0,60}", form: Vec<u8>) {
        read(&drawn(content.as_bytes(), &form));
    }
}

/// `GANNET_PDFS=folder cargo test --release -p extract -- --ignored --nocapture pdf_figures`: each `*.pdf` with the
/// text that another program reads, `*.txt`, beside it.
#[test]
#[ignore = "prints figures, checks nothing"]
fn pdf_figures() {
    let folder = PathBuf::from(std::env::var("GANNET_PDFS").expect("GANNET_PDFS names a folder"));
    let mut files: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut all = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "pdf")) {
        let body = std::fs::read(file).unwrap();
        let before = crate::speed::cpu_seconds();
        let page = read(&body);
        let seconds = crate::speed::cpu_seconds() - before;
        let Some(page) = page else {
            println!("unreadable: {}", file.display());
            continue;
        };
        if std::env::var_os("GANNET_PDFS_WRITE").is_some() {
            std::fs::write(file.with_extension("ours"), &page.text).unwrap();
        }
        let theirs = std::fs::read_to_string(file.with_extension("txt")).unwrap_or_default();
        let score = word_f1(&page.text, &theirs);
        all.push(score);
        println!(
            "{score:.3} {seconds:.2} s {:>8} bytes {:>8} of text {:>4} links {:>3} headings {:?} {}",
            body.len(),
            page.text.len(),
            page.links.len(),
            page.headings.len(),
            page.title,
            file.file_name().unwrap().display()
        );
    }
    println!("mean word F1 {:.3} of {}", all.iter().sum::<f64>() / all.len() as f64, all.len());
}

fn word_f1(a: &str, b: &str) -> f64 {
    let count = |text: &str| {
        let mut counts: HashMap<String, i64> = HashMap::new();
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            *counts.entry(word.to_lowercase()).or_default() += 1;
        }
        counts
    };
    let (a, b) = (count(a), count(b));
    let common: i64 = a.iter().map(|(word, count)| *count.min(b.get(word).unwrap_or(&0))).sum();
    2.0 * common as f64 / (a.values().sum::<i64>() + b.values().sum::<i64>()).max(1) as f64
}
