//! Documents of word processors and Markdown: text, links, facts, and files made to do harm.

use std::io::Write as _;

use model::Page;
use proptest::prelude::*;

use crate::read_bytes;

const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const ODT: &str = "application/vnd.oasis.opendocument.text";

/// A ZIP archive of these files, deflated.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(content).unwrap();
        let packed = encoder.finish().unwrap();
        let at = out.len() as u32;
        let length = (name.len() as u16).to_le_bytes();
        let sizes = [(packed.len() as u32).to_le_bytes(), (content.len() as u32).to_le_bytes()].concat();
        out.extend(
            [
                b"PK\x03\x04",
                &[20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
                &sizes,
                &length,
                &[0, 0],
                name.as_bytes(),
                &packed,
            ]
            .concat(),
        );
        directory.extend(
            [
                b"PK\x01\x02",
                &[20, 0, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
                &sizes,
                &length,
                &[0; 12],
                &at.to_le_bytes(),
                name.as_bytes(),
            ]
            .concat(),
        );
    }
    let (at, size, count) = (out.len() as u32, directory.len() as u32, (files.len() as u16).to_le_bytes());
    out.extend(directory);
    out.extend(
        [b"PK\x05\x06", &[0; 4][..], &count, &count, &size.to_le_bytes(), &at.to_le_bytes(), &[0, 0]]
            .concat(),
    );
    out
}

fn read(body: &[u8], kind: &str) -> Page {
    read_bytes(body, &[("content-type", kind)], 100)
}

fn links(page: &Page) -> Vec<(String, String)> {
    page.links.iter().map(|link| (link.url.to_string(), link.anchor.to_string())).collect()
}

const CORE: &[u8] = b"<cp:coreProperties><dc:title>Tides</dc:title><dc:creator>A. Name</dc:creator>\
    <dcterms:created>2026-11-01T08:00:00Z</dcterms:created><dcterms:modified>2026-11-15T08:00:00Z</dcterms:modified></cp:coreProperties>";

#[test]
fn a_docx_gives_text_headings_links_and_facts() {
    let body = b"<w:document><w:body><w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r><w:t>The sea</w:t></w:r></w:p>\
        <w:p><w:r><w:t xml:space=\"preserve\">It comes </w:t></w:r><w:r><w:t>and goes, see </w:t></w:r>\
        <w:hyperlink r:id=\"r1\"><w:r><w:t>the table</w:t></w:r></w:hyperlink><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>\
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>high</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>low</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>";
    let rels =
        b"<Relationships><Relationship Id=\"r1\" Target=\"http://e.com/table\" TargetMode=\"External\"/>\
        <Relationship Id=\"r2\" Target=\"styles.xml\"/></Relationships>";
    let files: &[(&str, &[u8])] =
        &[("docProps/core.xml", CORE), ("word/document.xml", body), ("word/_rels/document.xml.rels", rels)];
    let page = read(&archive(files), DOCX);
    assert_eq!(page.main, "The sea\nIt comes and goes, see the table\nhigh\nlow");
    assert_eq!(links(&page), [("http://e.com/table".to_owned(), "the table".to_owned())]);
    assert_eq!((page.title.as_str(), page.author.as_deref()), ("Tides", Some("A. Name")));
    assert_eq!(page.published.as_ref().map(|date| date.day()), Some("2026-11-01"));
    assert_eq!(page.modified.as_ref().map(|date| date.day()), Some("2026-11-15"));
    assert_eq!(page.headings[0].text, "The sea");
}

#[test]
fn an_odt_gives_text_headings_links_and_facts() {
    let body = b"<office:document-content><office:body><office:text><text:tracked-changes>gone</text:tracked-changes>\
        <text:h text:outline-level=\"2\">Ebb</text:h><text:p>See <text:a xlink:href=\"http://e.com/a\">this<text:s/>page</text:a>\
        <text:line-break/>now<office:annotation><text:p>a note</text:p></office:annotation></text:p></office:text></office:body></office:document-content>";
    let meta = b"<office:meta><dc:title>Ebb</dc:title><meta:initial-creator>B. Name</meta:initial-creator><dc:language>en-GB</dc:language></office:meta>";
    let page =
        read(&archive(&[("mimetype", ODT.as_bytes()), ("content.xml", body), ("meta.xml", meta)]), ODT);
    assert_eq!(page.main, "Ebb\nSee this page\nnow");
    assert_eq!(links(&page), [("http://e.com/a".to_owned(), "this page".to_owned())]);
    assert_eq!(
        (page.headings[0].level, page.language.as_deref(), page.author.as_deref()),
        (2, Some("en-GB"), Some("B. Name"))
    );
}

#[test]
fn markdown_gives_words_links_and_headings() {
    let text = "# The *sea*\n\nIt [comes](/in \"title\") and `goes`.\n\n- one ![image](x.png)\n> two <http://f.com/x>\n\n```\n# code\n```\n## Ebb ##\n[broken](";
    let page = read(text.as_bytes(), "text/markdown");
    assert_eq!(
        page.text,
        "The sea\nIt comes and goes.\none image\ntwo http://f.com/x\n# code\nEbb\n[broken]("
    );
    let found: Vec<String> = page.links.iter().map(|link| link.url.to_string()).collect();
    assert_eq!(found, ["http://e.com/in", "http://f.com/x"]);
    let headings: Vec<_> =
        page.headings.iter().map(|heading| (heading.level, heading.text.as_str())).collect();
    assert_eq!((page.title.as_str(), headings), ("The sea", vec![(1, "The sea"), (2, "Ebb")]));
}

#[test]
fn files_made_to_do_harm_do_none() {
    // 300 MiB in 300 KiB, a document nested 500,000 deep, one of a single endless tag, directories that lie.
    let bomb = vec![b' '; 300 << 20];
    assert_eq!(read(&archive(&[("word/document.xml", &bomb)]), DOCX).text, "");
    let deep = "<w:p><w:t>x".repeat(500_000);
    assert!(read(&archive(&[("word/document.xml", deep.as_bytes())]), DOCX).text.len() <= 1 << 20);
    let endless = format!("<w:p {}", "a='b' ".repeat(1 << 20));
    assert_eq!(read(&archive(&[("content.xml", endless.as_bytes())]), ODT).text, "");
    let good = archive(&[("content.xml", b"<text:p>words</text:p>")]);
    for at in 0..good.len() {
        for byte in [0x00, 0xff, b'P'] {
            let mut bad = good.clone();
            bad[at] = byte;
            read(&bad, ODT);
        }
        read(&good[..at], ODT);
    }
    assert_eq!(read(b"PK\x03\x04", ODT), Page::default());
}

proptest! {
    #[test]
    fn any_bytes_are_read_as_documents_and_markdown(bytes: Vec<u8>, text in "[\\[\\]()<>#*`! a-z\n]{0,60}") {
        read(&bytes, DOCX);
        read(&archive(&[("content.xml", &bytes)]), ODT);
        read(text.as_bytes(), "text/markdown");
    }
}
