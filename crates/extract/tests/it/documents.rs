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
    assert_eq!(page.text, "The sea\nIt comes and goes.\none\ntwo http://f.com/x\n# code\nEbb\n[broken](");
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
    let broken = read(b"PK\x03\x04", ODT);
    assert_eq!((broken.text.as_str(), broken.unread_why()), ("", Some("broken, or no DOCX or ODT")));
}

#[test]
fn what_is_not_read_says_why() {
    let good = archive(&[("word/document.xml", b"<w:p><w:t>words</w:t></w:p>")]);
    let sheet = archive(&[("xl/workbook.xml", b"<workbook/>")]);
    let why = |body: &[u8], kind: &str| read(body, kind).unread_why().map(str::to_owned);
    let no_document = Some("broken, or no DOCX or ODT".to_owned());
    assert_eq!(why(&good, DOCX), None);
    assert_eq!(why(&good[..40], DOCX), no_document);
    assert_eq!(why(&sheet, "application/zip"), no_document);
    let no_kind = Some("no text is read from content of this kind".to_owned());
    assert_eq!(why(b"\x00\x01", "application/octet-stream"), no_kind);
    // Under the name of text, too.
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde";
    for kind in ["text/html", "text/plain", "text/markdown", "text/xml"] {
        assert_eq!(why(picture, kind), no_kind, "as {kind}");
        assert_eq!(why(&sheet, kind), no_document, "as {kind}");
        assert_eq!((why(&good, kind), read(&good, kind).text), (None, "words".to_owned()), "as {kind}");
        assert_eq!(
            why(b"\x1f\x8b\x08", kind).as_deref(),
            Some("packed, and no sitemap or feed"),
            "as {kind}"
        );
    }
    // A page that says so of itself was read.
    assert_eq!(why(b"<meta name=unread content=x><p>words", "text/html"), None);
    assert_eq!(why(b"", "application/octet-stream"), None);
}

#[test]
fn a_document_that_was_cut_off_is_read_as_far_as_it_goes() {
    // Text that packs badly, so that half of the file is half of the text.
    let mut state = 1_u64;
    let words: Vec<String> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        format!("word{:x}", state >> 24)
    })
    .take(2_000)
    .collect();
    let docx: String = words.iter().map(|word| format!("<w:p><w:t>{word}</w:t></w:p>")).collect();
    let odt: String = words.iter().map(|word| format!("<text:p>{word}</text:p>")).collect();
    for (files, kind) in [
        ([("[Content_Types].xml", &b"<Types/>"[..]), ("word/document.xml", docx.as_bytes())], DOCX),
        ([("mimetype", ODT.as_bytes()), ("content.xml", odt.as_bytes())], ODT),
    ] {
        let whole = archive(&files);
        let all = read(&whole, kind).text;
        assert_eq!(all.lines().count(), 2_000);
        let directory = memchr::memmem::find(&whole, b"PK\x01\x02").unwrap();
        assert_eq!(read(&whole[..directory], kind).text, all);
        assert_eq!(read(&whole[..directory + 50], kind).text, all);
        let half = read(&whole[..whole.len() / 2], kind);
        assert!((700..1_300).contains(&half.text.lines().count()), "{} lines", half.text.lines().count());
        assert!(all.starts_with(&half.text) && half.unread_why().is_none());
        // Where the size stands behind the content.
        let mut streamed = whole[..directory].to_vec();
        let at = memchr::memmem::rfind(&streamed, b"PK\x03\x04").unwrap();
        streamed[at + 6] = 8;
        streamed[at + 18..at + 26].fill(0);
        assert_eq!(read(&streamed, kind).text, all);
    }
}

/// A DOCX of this body, with styles.
fn docx(body: &str, styles: &str) -> Page {
    let files: &[(&str, &[u8])] =
        &[("word/document.xml", body.as_bytes()), ("word/styles.xml", styles.as_bytes())];
    read(&archive(files), DOCX)
}

#[test]
fn space_alone_keeps_words_apart() {
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let body = ["Hello", " ", "wo", "rld", "\n", "again"].map(run).concat();
    assert_eq!(docx(&format!("<w:p>{body}</w:p>"), "").text, "Hello world again");
    let body =
        b"<text:p><text:span>Hello</text:span> <text:span>wor</text:span><text:span>ld</text:span></text:p>";
    assert_eq!(read(&archive(&[("content.xml", body)]), ODT).text, "Hello world");
}

#[test]
fn a_document_has_its_own_text_only_and_that_once() {
    // A text box is written twice, for new programs and old; what was deleted or moved away, and fields, are no text.
    let page = docx(
        "<w:p><mc:AlternateContent><mc:Choice><w:p><w:t>boxed</w:t></w:p></mc:Choice><mc:Fallback><w:p><w:t>boxed</w:t></w:p>\
         </mc:Fallback></mc:AlternateContent></w:p><w:p><w:instrText>PAGE</w:instrText><w:t>body</w:t><w:delText>gone</w:delText>\
         <w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>",
        "",
    );
    assert_eq!(page.text, "boxed\nbody");
    let body =
        b"<office:automatic-styles><number:date-style><number:text>. of </number:text></number:date-style>\
        </office:automatic-styles><office:text> <text:p>Body</text:p> </office:text>";
    assert_eq!(read(&archive(&[("content.xml", body)]), ODT).text, "Body");
}

#[test]
fn fields_of_a_docx_may_be_links() {
    let field = |instruction: &str| {
        format!(
            "<w:p><w:fldChar w:fldCharType=\"begin\"/><w:instrText> HYPER</w:instrText><w:instrText>{instruction}</w:instrText>\
             <w:fldChar w:fldCharType=\"separate\"/><w:t>a field</w:t><w:fldChar w:fldCharType=\"end\"/><w:t> after</w:t></w:p>"
        )
    };
    let found = [("http://e.com/f".to_owned(), "a field".to_owned())];
    assert_eq!(links(&docx(&field("LINK \"http://e.com/f\" \\o \"tip\""), "")), found);
    assert_eq!(links(&docx(&field("LINK \\l \"place\""), "")), []);
    let simple = "<w:p><w:fldSimple w:instr=' HYPERLINK \"http://e.com/f\" '><w:t>a field</w:t></w:fldSimple><w:t> after</w:t></w:p>";
    assert_eq!(links(&docx(simple, "")), found);
}

#[test]
fn headings_of_a_docx_are_known_in_any_language() {
    let paragraph = |style: &str, text: &str| format!("<w:p><w:pPr>{style}</w:pPr><w:t>{text}</w:t></w:p>");
    let body = [
        paragraph("<w:pStyle w:val=\"berschrift1\"/>", "Kopf"),
        paragraph("<w:pStyle w:val=\"Rubrik\"/>", "Under"),
        paragraph("<w:outlineLvl w:val=\"2\"/>", "Third"),
        paragraph("<w:pStyle w:val=\"Heading2\"/><w:outlineLvl w:val=\"9\"/>", "Text"),
        paragraph("<w:pStyle w:val=\"Standard\"/>", "More"),
    ];
    let styles = "<w:styles><w:style w:styleId=\"berschrift1\"><w:name w:val=\"heading 1\"/></w:style>\
        <w:style w:styleId=\"Rubrik\"><w:name w:val=\"x\"/><w:pPr><w:outlineLvl w:val=\"1\"/></w:pPr></w:style>\
        <w:style w:styleId=\"Standard\"/></w:styles>";
    let page = docx(&body.concat(), styles);
    let headings: Vec<_> = page.headings.iter().map(|one| (one.level, one.text.as_str())).collect();
    assert_eq!(headings, [(1, "Kopf"), (2, "Under"), (3, "Third")]);
}

/// Markdown, its words, and URLs and words of its links.
type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

#[test]
fn links_of_markdown_have_many_forms() {
    let cases: &[Case<'_>] = &[
        ("[![badge](b.svg)](/ci) x", "x", &[("http://e.com/ci", "badge")]),
        ("![logo](l.png) [a](/a)", "a", &[("http://e.com/a", "a")]),
        (
            "[a][1] [B  c] [d][] [e][f\ng]\n\n[1]: http://r.test/ 'title'\n[b c]:\n   </c>\n[D]: /d\n[f g]: /e",
            "a B c d e",
            &[
                ("http://r.test/", "a"),
                ("http://e.com/c", "B c"),
                ("http://e.com/d", "d"),
                ("http://e.com/e", "e"),
            ],
        ),
        (
            "see `[no](/link)` and ``a ` b`` and `two\n[lines](/no)`",
            "see [no](/link) and a ` b and two [lines](/no)",
            &[],
        ),
        (
            "[w](http://e.com/Foo_(bar)) [t](/t \"x (y)\") [s](<http://e.com/a b>) [two\nlines](/l\n'x')",
            "w t s two lines",
            &[
                ("http://e.com/Foo_(bar)", "w"),
                ("http://e.com/t", "t"),
                ("http://e.com/a%20b", "s"),
                ("http://e.com/l", "two lines"),
            ],
        ),
        (
            "[a [b] c](/x) [x\\]y](/y)",
            "a [b] c x]y",
            &[("http://e.com/x", "a [b] c"), ("http://e.com/y", "x]y")],
        ),
        (
            "<https://e.com/x> \\[no](/link)",
            "https://e.com/x [no](/link)",
            &[("https://e.com/x", "https://e.com/x")],
        ),
        (
            "see http://e.com/a, (http://e.com/b_(c)) and [http://e.com/d](/d) `http://e.com/no`",
            "see http://e.com/a, (http://e.com/b_(c)) and http://e.com/d http://e.com/no",
            &[
                ("http://e.com/a", "http://e.com/a"),
                ("http://e.com/b_(c)", "http://e.com/b_(c)"),
                ("http://e.com/d", "http://e.com/d"),
            ],
        ),
        ("- [ ] to do[^1]\n\n[^1]: a note", "to do\n1\na note", &[]),
        ("```\n[a]: /x\n[b](/y)\nhttp://e.com/no\n```\n[a]", "[a]: /x [b](/y) http://e.com/no\n[a]", &[]),
        // Fences of other lengths and marks, in lists and quotations; code that is indented.
        (
            "~~~\n[a](/no)\n```\n[b](/no)\n~~~\n[c](/c)",
            "[a](/no) ``` [b](/no)\nc",
            &[("http://e.com/c", "c")],
        ),
        (
            "> ````\n> ```\n> [a](/no)\n> ````\n\n- b\n  ```\n  [b](/no)\n  ```",
            "``` [a](/no)\nb\n[b](/no)",
            &[],
        ),
        ("words\n\n    [a](/no)\n\n[b](/b)", "words\n[a](/no)\nb", &[("http://e.com/b", "b")]),
        // HTML, of which comments and scripts are no text.
        (
            "<p align=center><a href='/h'>html</a></p>\n\na <b>b</b> &amp; &copy;<br>c\n<!--\n[no](/no)\n-->\n\n<script>x()</script>",
            "html\na b & ©\nc",
            &[("http://e.com/h", "html")],
        ),
    ];
    for (text, words, expected) in cases {
        let page = read(text.as_bytes(), "text/markdown");
        let expected: Vec<_> =
            expected.iter().map(|(url, words)| (url.to_string(), words.to_string())).collect();
        let found = page.text.split([' ']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        assert_eq!((found.as_str(), links(&page)), (*words, expected), "of {text:?}");
    }
}

#[test]
fn markdown_made_to_take_long_does_not() {
    for piece in ["[", "> ", "*a_", "![[]()", "a|b\n-|-\n", "<!-- a ", "[^1]: [^1] ", "http://a)", ")"] {
        let text = format!("http://e.com/{}", piece.repeat((1 << 18) / piece.len()));
        let started = crate::speed::cpu_seconds();
        read(text.as_bytes(), "text/markdown");
        let took = crate::speed::cpu_seconds() - started;
        assert!(took < 20.0, "{took} s of {piece:?}");
    }
}

#[test]
fn markdown_has_underlined_headings_and_says_things_of_itself() {
    let text = "---\ntitle: \"Front\"\ndate: 2024-03-05\nauthor: A. Name\ntags: [x]\n---\nTitle\n=====\n\nPart `two`\n---\n- item\n---\nwords";
    let page = read(text.as_bytes(), "text/markdown");
    let headings: Vec<_> = page.headings.iter().map(|one| (one.level, one.text.as_str())).collect();
    assert_eq!(headings, [(1, "Title"), (2, "Part two")]);
    assert_eq!((page.title.as_str(), page.author.as_deref()), ("Front", Some("A. Name")));
    assert_eq!(page.published.as_ref().map(|date| date.day()), Some("2024-03-05"));
    assert!(page.text.starts_with("Title\nPart two\nitem\n"), "{}", page.text);
    let page = read(b"---\nno front matter\n---\nwords", "text/markdown");
    assert!(page.text.contains("no front matter"));
    let page =
        read(b"two\nlines\n===\n\n    # code\n\n#no\n###\tThird ###\n\n<h4>Fourth</h4>", "text/markdown");
    let headings: Vec<_> = page.headings.iter().map(|one| (one.level, one.text.as_str())).collect();
    assert_eq!(
        (page.title.as_str(), headings),
        ("two lines", vec![(1, "two lines"), (3, "Third"), (4, "Fourth")])
    );
}

#[test]
fn front_matter_has_many_forms() {
    for (front, title, author, description) in [
        ("---\r\nTitle: T\r\nAuthor: A. Name\r\nsummary: D\r\n---\r\n", "T", "A. Name", "D"),
        (
            "--- \n# a comment\n\ntitle: 'It is: T' # x\nauthors:\n  - A. Name\n  - B. Name\ndescription: >-\n  D\n  e\n...\n",
            "It is: T",
            "A. Name, B. Name",
            "D e",
        ),
        (
            "\u{feff}---\nseo:\n  title: no\ntitle: T\nauthors: [A. Name, \"B. Name\"]\ndescription: |\n  D\n---\n",
            "T",
            "A. Name, B. Name",
            "D",
        ),
        (
            "---\nauthors:\n- name: A. Name\n  title: Dr\ntitle: T\ndescription: \"D\"\n---\n",
            "T",
            "A. Name",
            "D",
        ),
        (
            "+++\ntitle = \"T\"\nauthors = ['A. Name']\ndescription = 'D'\n[params]\ntitle = 'no'\n+++\n",
            "T",
            "A. Name",
            "D",
        ),
    ] {
        let page = read(format!("{front}words").as_bytes(), "text/markdown");
        assert_eq!(
            (page.title.as_str(), page.author.as_deref(), page.description.as_str(), page.text.as_str()),
            (title, Some(author), description, "words"),
            "of {front:?}"
        );
    }
}

#[test]
fn markdown_has_tables() {
    let page = read(b"Name | Age\n---|--:\n[Jo](/jo) | 3\nx \\| y | 4\n\nafter", "text/markdown");
    assert_eq!(page.tables, [[["Name", "Age"], ["Jo", "3"], ["x | y", "4"]]]);
    assert_eq!(page.text, "Name Age\nJo 3\nx | y 4\nafter");
    assert_eq!(links(&page), [("http://e.com/jo".to_owned(), "Jo".to_owned())]);
}

proptest! {
    #[test]
    fn any_bytes_are_read_as_documents_and_markdown(bytes: Vec<u8>, text in "[\\[\\]()<>#*`! a-z\n]{0,60}") {
        read(&bytes, DOCX);
        read(&archive(&[("content.xml", &bytes)]), ODT);
        read(text.as_bytes(), "text/markdown");
    }
}
