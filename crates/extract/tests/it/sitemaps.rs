//! Sitemaps and feeds: whole, extended, compressed, and broken in many ways.

use std::io::Write as _;

use extract::{Sitemap, SitemapKind, sitemap};
use model::{Normalise, PageUrl};

use crate::read_bytes;

fn list(body: &[u8]) -> Sitemap {
    sitemap(body, &PageUrl::parse("http://e.com/dir/sitemap.xml").unwrap(), Normalise::default())
}

fn urls(found: &Sitemap) -> Vec<&str> {
    found.urls.iter().map(|listed| listed.url.as_str()).collect()
}

fn check(body: impl AsRef<[u8]>, kind: SitemapKind, expected: &[&str]) {
    let found = list(body.as_ref());
    let shown = String::from_utf8_lossy(body.as_ref());
    assert_eq!((found.kind, urls(&found).as_slice()), (kind, expected), "of {shown}");
}

const A: &str = "http://e.com/a";
const B: &str = "http://e.com/b";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn sitemaps_and_indexes_are_read() {
    let found = list(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
          <url><loc>http://e.com/a?x=1&amp;y=2</loc><lastmod>2026-11-15</lastmod><changefreq>daily</changefreq></url>\n\
          <url>\n <loc> http://e.com/b </loc><lastmod>2026-11-14T10:00:00+01:00</lastmod></url><url><loc>http://e.com/b</loc></url></urlset>",
    );
    assert_eq!(urls(&found), ["http://e.com/a?x=1&y=2", B]);
    let days: Vec<_> = found.urls.iter().map(|listed| listed.modified.as_deref()).collect();
    assert_eq!(days, [Some("2026-11-15"), Some("2026-11-14T10:00:00+01:00")]);
    let index = list(
        b"<sitemapindex><sitemap><loc>http://e.com/s1.xml.gz</loc><lastmod>2026-01-02</lastmod></sitemap><sitemap><loc>s2.xml</loc></sitemap></sitemapindex>",
    );
    let sitemaps: Vec<&str> = index.sitemaps.iter().map(|listed| listed.url.as_str()).collect();
    assert_eq!(sitemaps, ["http://e.com/s1.xml.gz", "http://e.com/dir/s2.xml"]);
    assert_eq!((index.kind, index.urls.len()), (SitemapKind::Index, 0));
}

#[test]
fn extensions_add_languages_but_no_images() {
    check(
        "<urlset xmlns:image='i' xmlns:news='n' xmlns:xhtml='x'><url><loc>http://e.com/a</loc>\
         <image:image><image:loc>http://e.com/a.png</image:loc></image:image>\
         <video:video><video:content_loc>http://e.com/v.mp4</video:content_loc></video:video>\
         <news:news><news:publication_date>2026-11-15</news:publication_date><news:title>t</news:title></news:news>\
         <xhtml:link rel='alternate' hreflang='de' href='http://e.com/b'/></url></urlset>",
        SitemapKind::Urls,
        &[A, B],
    );
    let found = list(
        b"<urlset><url><loc>http://e.com/a</loc><news:news><news:publication_date>2026-11-15</news:publication_date></news:news></url></urlset>",
    );
    assert_eq!(found.urls[0].modified.as_deref(), Some("2026-11-15"));
}

#[test]
fn prefixes_are_each_files_own_choice() {
    let image = "http://www.google.com/schemas/sitemap-image/1.1";
    let cases: &[(&str, &[&str])] = &[
        (
            &format!(
                "<urlset xmlns:i='{image}'><url><loc>{A}</loc><i:image><i:loc>http://e.com/a.png</i:loc></i:image></url></urlset>"
            ),
            &[A],
        ),
        (
            &format!(
                "<urlset><url><image xmlns='{image}'><loc>http://e.com/a.png</loc></image><loc>{A}</loc></url></urlset>"
            ),
            &[A],
        ),
        (
            &format!(
                "<urlset xmlns:x='http://www.w3.org/1999/xhtml'><url><loc>{A}</loc><x:link rel='alternate' hreflang='de' href='{B}'/></url></urlset>"
            ),
            &[A, B],
        ),
        (
            &format!(
                "<urlset><url><loc>{A}</loc><link xmlns='http://www.w3.org/1999/xhtml' rel='alternate' href='{B}'/></url></urlset>"
            ),
            &[A, B],
        ),
    ];
    for (body, expected) in cases {
        check(body, SitemapKind::Urls, expected);
    }
    let found = list(format!("<urlset xmlns:n='x'><url><loc>{A}</loc><n:news><n:publication_date>2026-11-15</n:publication_date></n:news></url></urlset>").as_bytes());
    assert_eq!(found.urls[0].modified.as_deref(), Some("2026-11-15"));
    let feed = format!(
        "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:link href='{A}'/></a:entry></a:feed>"
    );
    check(feed, SitemapKind::Atom, &[A]);
}

#[test]
fn other_languages_do_not_use_up_the_limit() {
    let entry = |nth: usize| {
        let others: String = (0..9)
            .map(|language| format!("<xhtml:link rel='alternate' href='/{language}/{nth}'/>"))
            .collect();
        format!("<url><loc>http://e.com/{nth}</loc>{others}</url>")
    };
    let all: String = (0..20_000).map(entry).collect();
    let found = list(format!("<urlset>{all}</urlset>").as_bytes());
    let is_own = |listed: &&extract::Listed| listed.url.as_str().matches('/').count() == 3;
    assert_eq!((found.urls.iter().filter(is_own).count(), found.urls.len()), (20_000, 70_000));
    assert!(found.cut, "not all other languages are there");
}

#[test]
fn what_stands_beside_an_entry_is_not_the_entry() {
    check(
        format!(
            "<rss><channel><image><url>http://e.com/i.png</url><link>http://e.com/</link></image><item><image><url>http://e.com/j.png</url>\
         <link>http://e.com/j</link></image><link>{A}</link></item><item><link>{B}</link></item></channel></rss>"
        ),
        SitemapKind::Rss,
        &[A, B],
    );
    for entry in [
        "<link href='http://e.com/a'/><updated>2024-01-01</updated>SOURCE",
        "SOURCE<link href='http://e.com/a'/><updated>2024-01-01</updated>",
    ] {
        let source = "<source><id>http://planet.test/</id><link href='http://planet.test/'/><updated>2026-01-01</updated></source>";
        let found =
            list(format!("<feed><entry>{}</entry></feed>", entry.replace("SOURCE", source)).as_bytes());
        assert_eq!((urls(&found), found.urls[0].modified.as_deref()), (vec![A], Some("2024-01-01")));
    }
    check(
        format!(
            "<rss xmlns:a10='http://www.w3.org/2005/Atom'><channel><item><a10:link href='http://e.com/x'/><link>{A}</link></item></channel></rss>"
        ),
        SitemapKind::Rss,
        &[A],
    );
}

#[test]
fn references_of_a_feed_are_relative_to_its_base() {
    check(
        "<feed xml:base='http://e.com/blog/'><entry><link href='one'/></entry><entry xml:base='deep/'><link href='two'/></entry>\
         <entry><link href='three' xml:base='http://other.test/x/'/></entry><entry><link href='http://e.com/a'/></entry></feed>",
        SitemapKind::Atom,
        &["http://e.com/blog/one", "http://e.com/blog/deep/two", "http://other.test/x/three", A],
    );
}

#[test]
fn feeds_are_read() {
    check(
        "<rss version='2.0'><channel><title>t</title><link>http://e.com/</link><item><title>1</title><link>http://e.com/a</link>\
         <pubDate>Sun, 15 Nov 2026 10:00:00 GMT</pubDate></item><item><guid>http://e.com/b</guid></item></channel></rss>",
        SitemapKind::Rss,
        &[A, B],
    );
    check(
        "<rdf:RDF><channel><link>http://e.com/</link></channel><item rdf:about='x'><link>http://e.com/a</link></item></rdf:RDF>",
        SitemapKind::Rss,
        &[A],
    );
    check(
        "<feed xmlns='http://www.w3.org/2005/Atom'><link href='/'/><link rel='self' href='/f'/><entry><link rel='self' href='/x'/>\
         <link href='/a'/><updated>2026-11-15T00:00:00Z</updated></entry><entry><link rel='alternate' href='http://e.com/b'/></entry></feed>",
        SitemapKind::Atom,
        &[A, B],
    );
    check(
        "{\"version\":\"1\",\"items\":[{\"url\":\"http://e.com/a\"},{\"id\":\"http://e.com/b\"}]}",
        SitemapKind::Json,
        &[A, B],
    );
    check("http://e.com/a\r\nhttp://e.com/b\n", SitemapKind::Text, &[A, B]);
    check("http://e.com/a\rhttp://e.com/b\r", SitemapKind::Text, &[A, B]);
}

#[test]
fn compressed_lists_are_read_up_to_a_limit() {
    let plain = b"<urlset><url><loc>http://e.com/a</loc></url></urlset>";
    check(gzip(plain), SitemapKind::Urls, &[A]);
    check(gzip(&gzip(plain)), SitemapKind::Urls, &[A]);
    // 200 MiB of spaces in 200 KiB, then a URL that is never reached.
    let mut bomb = b"<urlset>".to_vec();
    bomb.resize(200 << 20, b' ');
    bomb.extend_from_slice(b"<url><loc>http://e.com/a</loc></url>");
    check(gzip(&bomb), SitemapKind::Urls, &[]);
    assert!(list(&gzip(&bomb)).cut);
    let many: String = (0..60_000).map(|nth| format!("<url><loc>http://e.com/{nth}</loc></url>")).collect();
    let found = list(format!("<urlset>{many}</urlset>").as_bytes());
    assert_eq!((found.urls.len(), found.cut), (50_000, true));
}

#[test]
fn what_stands_in_the_wrong_place_is_read_and_what_is_no_url_is_not() {
    for (body, expected) in [
        (
            "<urlset><url><loc>http://e.com/a</url></loc><url><loc>http://e.com/b</loc></url></urlset>",
            &[A, B][..],
        ),
        ("<urlset><url>http://e.com/a</url><url>soon</url></urlset>", &[A]),
        (
            "<urlset><url><loc>'http://e.com/a'</loc></url><url><loc>\"http://e.com/b\"</loc></url></urlset>",
            &[A, B],
        ),
        (
            "<!DOCTYPE u [<!ENTITY x 'http://e.com/x'>]><urlset><url><loc>&x;</loc></url><url><loc>/a</loc></url></urlset>",
            &[A],
        ),
        (
            r#"{"version":"https://jsonfeed.org/version/1","items":[{"id":"7","external_url":"http://e.com/a"},{"id":"8"},{"id":"http://e.com/b"}]}"#,
            &[A, B],
        ),
        (
            "<rss><channel><image><url>http://e.com/logo.png</url></image><item><link>/a</link></item></channel></rss>",
            &[A],
        ),
    ] {
        assert_eq!(urls(&list(body.as_bytes())), expected, "in {body}");
    }
}

#[test]
fn broken_lists_give_what_is_readable() {
    use SitemapKind::{Atom, Rss, Text, Unknown, Urls};
    let utf16: Vec<u8> = "\u{feff}<urlset><url><loc>http://e.com/a</loc></url></urlset>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let cut = gzip("<urlset><url><loc>http://e.com/a</loc></url> x".repeat(50).as_bytes());
    let cases: &[(&[u8], SitemapKind, &[&str])] = &[
        // 1: cut off within an entry, 2: within a URL, 3: within a tag.
        (b"<urlset><url><loc>http://e.com/a</loc></url><url><loc>http://e.com/b</loc>", Urls, &[A, B]),
        (b"<urlset><url><loc>http://e.com/a</loc></url><url><loc>http://e.com/b", Urls, &[A, B]),
        (b"<urlset><url><loc>http://e.com/a</loc></url><url><lo", Urls, &[A]),
        // 4: no root, 5: another root, 6: a root without a name space that is closed wrongly.
        (b"<url><loc>http://e.com/a</loc></url><url><loc>http://e.com/b</loc></url>", Urls, &[A, B]),
        (b"<urls><url><loc>http://e.com/a</loc></url></urls>", Urls, &[A]),
        (b"<urlset><url><loc>http://e.com/a</loc></urlset></url>", Urls, &[A]),
        // 7: no end tags between entries, 8: entries without <url>.
        (b"<urlset><url><loc>http://e.com/a</loc><url><loc>http://e.com/b</loc></urlset>", Urls, &[A, B]),
        (b"<urlset><loc>http://e.com/a</loc><loc>http://e.com/b</loc></urlset>", Urls, &[A, B]),
        // 9: a bare ampersand, 10: an unknown entity, 11: CDATA, 12: a comment in between.
        (b"<urlset><url><loc>http://e.com/a?x&y</loc></url></urlset>", Urls, &["http://e.com/a?x&y"]),
        (b"<urlset><url><loc>http://e.com/a&nbsp2;</loc></url></urlset>", Urls, &["http://e.com/a&nbsp2;"]),
        (b"<urlset><url><loc><![CDATA[http://e.com/a]]></loc></url></urlset>", Urls, &[A]),
        (b"<urlset><url><loc>http://e.com/<!-- x > y -->a</loc></url></urlset>", Urls, &[A]),
        // 13: white space before the declaration, 14: words before it, 15: a byte order mark twice.
        (b"\n\n <?xml version='1.0'?><urlset><url><loc>http://e.com/a</loc></url></urlset>", Urls, &[A]),
        (b"Warning: line 3\n<?xml version='1.0'?><urlset><url><loc>http://e.com/a</loc></url></urlset>", Urls, &[A]),
        (b"\xEF\xBB\xBF\xEF\xBB\xBF<?xml version='1.0'?><urlset><url><loc>http://e.com/a</loc></url></urlset>", Urls, &[A]),
        // 16: bytes that are no UTF-8, 17: another encoding, 18: UTF-16, 19: a wrong declaration of UTF-16.
        (b"<urlset><url><loc>http://e.com/\xff</loc></url><url><loc>http://e.com/a</loc></url></urlset>", Urls, &["http://e.com/%EF%BF%BD", A]),
        (b"<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>http://e.com/\xe9</loc></url></urlset>", Urls, &["http://e.com/%C3%A9"]),
        (&utf16, Urls, &[A]),
        (b"<?xml version='1.0' encoding='UTF-16'?><urlset><url><loc>http://e.com/a</loc></url></urlset>", Urls, &[A]),
        // 20: capital letters, 21: a prefix everywhere, 22: line ends within a URL, 23: relative URLs.
        (b"<URLSET><URL><LOC>http://e.com/a</LOC></URL></URLSET>", Urls, &[A]),
        (b"<ns0:urlset xmlns:ns0='x'><ns0:url><ns0:loc>http://e.com/a</ns0:loc></ns0:url></ns0:urlset>", Urls, &[A]),
        (b"<urlset><url><loc>http://e.com\n/a</loc></url></urlset>", Urls, &[A]),
        (b"<urlset><url><loc>/a</loc></url><url><loc>../b</loc></url></urlset>", Urls, &[A, B]),
        // 24: entries that are no URLs, 25: a bad day, 26: empty entries.
        (b"<urlset><url><loc>mailto:x</loc></url><url><loc>http://</loc></url><url><loc>http://e.com/a</loc></url></urlset>", Urls, &[A]),
        (b"<urlset><url><loc>http://e.com/a</loc><lastmod>soon</lastmod></url></urlset>", Urls, &[A]),
        (b"<urlset><url/><url></url><url><loc/></url><url><loc></loc></url><url><loc>http://e.com/a</loc></url></urlset>", Urls, &[A]),
        // 27: a document type with entities, 28: compressed and cut off, 29: words in a list of lines.
        (b"<!DOCTYPE urlset [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>http://e.com/a</loc></url></urlset>", Urls, &[A]),
        (&cut[..cut.len() - 9], Urls, &[A]),
        (b"# pages\nhttp://e.com/a\n\nnot a url\n  http://e.com/b  \n", Text, &[A, B]),
        // 30: a feed with HTML in it, 31: one without items' end tags, 32: an Atom feed cut off.
        (b"<rss><channel><item><description><p>x <b>y</description><link>http://e.com/a</link></item></channel></rss>", Rss, &[A]),
        (b"<rss><channel><item><link>http://e.com/a</link><item><link>http://e.com/b</link></channel></rss>", Rss, &[A, B]),
        (b"<feed><entry><link href='http://e.com/a'/><title>x</ti", Atom, &[A]),
        // An Atom feed whose links have no rel, one with a link in its text, one with two roots; an item in an item.
        (b"<feed><entry><link rel='self' href='/x'/><link rel='alternate' href='http://e.com/a'></link></entry></feed>", Atom, &[A]),
        (b"<feed><entry><id>http://e.com/a</id><title>no link</title></entry></feed>", Atom, &[A]),
        (b"<?xml version='1.0'?><rss><channel></channel></rss><rss><channel><item><link>http://e.com/a</link></item></channel></rss>", Rss, &[A]),
        (b"<rss><channel><item><item><link>http://e.com/a</link></item></item></channel></rss>", Rss, &[A]),
        // An RSS feed with a namespace that is not declared, entities of HTML, a link in CDATA with space around, no channel.
        (b"<rss><channel><item><foo:bar>x</foo:bar><title>a &eacute; b</title><link>http://e.com/a</link></item></channel></rss>", Rss, &[A]),
        (b"<rss><channel><item><link>\n <![CDATA[ http://e.com/a ]]>\n</link></item></channel></rss>", Rss, &[A]),
        (b"<rss><item><link>http://e.com/a</link></item></rss>", Rss, &[A]),
        // A JSON feed that is cut off, one with a broken item, one with a comma too many.
        (b"{\"items\":[{\"url\":\"http://e.com/a\"},{\"url\":\"http://e.com/b\",\"title\":\"x", SitemapKind::Json, &[A, B]),
        (b"{\"items\":[{\"title\":\"a \"b\"\",\"url\":\"http:\\/\\/e.com\\/a\"},{\"url\":\"http://e.com/b\"}]}", SitemapKind::Json, &[A, B]),
        (b"{\"items\":[{\"url\":\"http://e.com/a\"},],}", SitemapKind::Json, &[A]),
        (b"{\"items\":7,,", Unknown, &[]),
        // 33: a page of HTML, 34: nothing, 35: noise. These are no lists.
        (b"<!DOCTYPE html><html><body><a href='/a'>a</a></body></html>", Unknown, &[]),
        (b"", Unknown, &[]),
        (b"\x00\x01\x02 nothing", Unknown, &[]),
    ];
    for (body, kind, expected) in cases {
        check(body, *kind, expected);
    }
}

#[test]
fn marks_that_are_missing_or_too_many_cost_little() {
    for (body, expected) in [
        // A bare `<` in a URL and in words; tags without their `>`.
        (
            "<urlset><url><loc>http://e.com/a?x<3</loc></url><url><loc>http://e.com/b</loc></url></urlset>",
            &["http://e.com/a?x%3C3", B][..],
        ),
        (
            "<rss><item><title>a << b <3</title><link>http://e.com/a</link></item><item><title>if a <b</title><link>http://e.com/b</link></item></rss>",
            &[A, B],
        ),
        ("<urlset><url><loc>http://e.com/a</loc</url><url<loc>http://e.com/b</loc></url></urlset>", &[A, B]),
        // Quotes that are never closed, that are of print; none at all.
        (
            "<feed><entry><link href=\"http://e.com/a></entry><entry><link href=\"http://e.com/b\"/></entry></feed>",
            &[A, B],
        ),
        (
            "<rss><item><title a=\"x>y</title><link>http://e.com/a</link></item><item><link>http://e.com/b</link></item></rss>",
            &[A, B],
        ),
        (
            "<feed><entry><link href=“http://e.com/a”/></entry><entry><link rel=alternate href=http://e.com/b/></entry></feed>",
            &[A, B],
        ),
        // Comments and sections that are never closed, or closed as browsers have it.
        (
            "<urlset><!-- pages <url><loc>http://e.com/a</loc></url><url><loc>http://e.com/b</loc></url></urlset>",
            &[A, B],
        ),
        (
            "<urlset><!--><url><loc>http://e.com/a</loc></url><!-- x --!><url><loc>http://e.com/b</loc></url></urlset>",
            &[A, B],
        ),
        (
            "<rss><item><description><![CDATA[ x <b> </description><link>http://e.com/a</link></item><item><link>http://e.com/b</link></item></rss>",
            &[A, B],
        ),
        // Files that end within a section, a name, a scheme.
        ("<urlset><url><loc>http://e.com/a</loc></url><url><loc><![CDATA[http://e.com/b]", &[A, B]),
        ("<urlset><url><loc>http://e.com/a</loc></url><url><loc>http://e.com/b</lo", &[A, B]),
        ("<urlset><url><loc>http://e.com/a</loc></url><url><loc>htt", &[A]),
        // End tags of values that are missing or misspelt; empty ones with the value behind; links within.
        (
            "<urlset><url><loc>http://e.com/a<lastmod>2026-01-02</lastmod></url><url><loc>http://e.com/b</lco></url></urlset>",
            &[A, B],
        ),
        (
            "<rss><item><link/>http://e.com/a<pubDate>x</pubDate></item><item><link>http://e.com/b</item></rss>",
            &[A, B],
        ),
        (
            "<urlset><url><loc><a href='x'>http://e.com/a</a></loc></url><url><loc>http://e.com/<b>b</b></loc></url></urlset>",
            &[A, B],
        ),
        // What nobody sees between tags; a prefix of no letters.
        (
            "<urlset><url>\0<loc>http://e.com/a</loc>\u{feff}</url><:url><:loc>http://e.com/b</:loc></:url></urlset>",
            &[A, B],
        ),
        // Escaped as a whole, within another element, and twice.
        ("&lt;urlset&gt;&lt;url&gt;&lt;loc&gt;http://e.com/a&lt;/loc&gt;&lt;/url&gt;&lt;/urlset&gt;", &[A]),
        (
            "<?xml version='1.0'?><string>&lt;urlset&gt;&lt;url&gt;&lt;loc&gt;http://e.com/a&lt;/loc&gt;&lt;/url&gt;&lt;/urlset&gt;</string>",
            &[A],
        ),
        (
            "<urlset><url><loc>http://e.com/a?x&amp;amp;y</loc></url><url><loc><![CDATA[http://e.com/a?x&amp;z]]></loc></url></urlset>",
            &["http://e.com/a?x&y", "http://e.com/a?x&z"],
        ),
        // URLs on two lines, in brackets, with marks that nobody sees, without their scheme.
        (
            "<urlset><url><loc>http://e.com/\n    a</loc></url><url><loc>&lt;http://e.com/b&gt;</loc></url></urlset>",
            &[A, B],
        ),
        (
            "<urlset><url><loc>\u{200b}http://e.com/a\u{feff}</loc></url><url><loc>\u{201c}http://e.com/b\u{201d}</loc></url></urlset>",
            &[A, B],
        ),
        (
            "<urlset><url><loc>e.com/a</loc></url><url><loc>www.e.com/b</loc></url></urlset>",
            &[A, "http://www.e.com/b"],
        ),
    ] {
        assert_eq!(urls(&list(body.as_bytes())), expected, "in {body}");
    }
    let found = list(b"<urlset><url><loc>http://e.com/a<lastmod>2026-01-02</lastmod></url></urlset>");
    assert_eq!(found.urls[0].modified.as_deref(), Some("2026-01-02"));
}

#[test]
fn entries_name_their_pages_in_many_ways() {
    use SitemapKind::{Atom, Rss, Text, Urls};
    for (body, kind, expected) in [
        (
            "<feed><entry><link rel='Alternate nofollow' href='http://e.com/a'/></entry><entry><LINK REL='' HREF='http://e.com/b'/></entry></feed>",
            Atom,
            &[A, B][..],
        ),
        (
            "<feed><entry><link rel='http://www.iana.org/assignments/relation/alternate' href='http://e.com/a'/></entry></feed>",
            Atom,
            &[A],
        ),
        (
            "<feed><entry><link rel='alternate' type='application/json' href='/a.json'/><link type='text/html' href='/a'/></entry>\
          <entry><link type='application/json' href='/b'/></entry></feed>",
            Atom,
            &[A, B],
        ),
        (
            "<rss xmlns:atom='x'><item><atom:link href='http://e.com/a'/></item><item><atom:link rel='self' href='/x'/><guid>http://e.com/b</guid></item></rss>",
            Rss,
            &[A, B],
        ),
        (
            "<rdf:RDF><item rdf:about='http://e.com/a'><title>a</title></item><item rdf:about='/x'><link>http://e.com/b</link></item></rdf:RDF>",
            Rss,
            &[A, B],
        ),
        (
            "<urlset><url><loc>http://e.com/a</loc><xhtml:link rel='Alternate' hreflang='de' href=' http://e.com/b '/></url></urlset>",
            Urls,
            &[A, B],
        ),
        ("HTTP://e.com/a, https://e.com/b;http://e.com/c\n", Text, &[A, "https://e.com/b", "http://e.com/c"]),
        (
            "\u{feff}http://e.com/a;j=1,2\t2026-01-02\r\n<http://e.com/b>\r\n",
            Text,
            &["http://e.com/a;j=1,2", B],
        ),
        ("\"url\",\"changed\"\n\"http://e.com/a\",\"2026-01-02\"\n'http://e.com/b'\n", Text, &[A, B]),
    ] {
        check(body, kind, expected);
    }
}

#[test]
fn what_stands_before_a_list_is_passed_over() {
    let plain = "<urlset><url><loc>http://e.com/a</loc></url></urlset>";
    let notice = "<br />\n<b>Warning</b>: no such file in line <b>3</b><br />\n";
    for before in [
        "words\n",
        &"a notice of some script, again\n".repeat(100),
        "\0\u{feff}\u{feff}\n\u{feff}",
        "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n",
        "<!-- made by a program --><!DOCTYPE html>",
        "<html><head><link rel=icon href=/i></head><body>This file has no style. <a href=/b>b</a>",
        notice,
    ] {
        check(format!("{before}{plain}"), SitemapKind::Urls, &[A]);
    }
    for mark in ["\r\n", "\u{feff}"] {
        check([mark.as_bytes(), &gzip(plain.as_bytes())].concat(), SitemapKind::Urls, &[A]);
    }
    // A page that speaks of sitemaps is none.
    let page = "<html><body><p>Write &lt;urlset&gt;&lt;url&gt;&lt;loc&gt;http://e.com/a&lt;/loc&gt; and so on.</body></html>";
    check(page, SitemapKind::Unknown, &[]);
    check("<html><body><item><link>http://e.com/a</link></item></body></html>", SitemapKind::Unknown, &[]);
    let links = |body: &[u8]| read_bytes(body, &[("content-type", "text/html")], 10).links.len();
    assert_eq!(links(format!("{notice}<?xml version='1.0'?>{plain}").as_bytes()), 1);
    assert_eq!(links(format!("<!-- made by a program -->{plain}").as_bytes()), 1);
    assert_eq!(links(&[b"\n", &gzip(plain.as_bytes())[..]].concat()), 1);
    assert_eq!(links(b"<SiteMapIndex><SiteMap><Loc>/s</Loc></SiteMap></SiteMapIndex>"), 1);
}

#[test]
fn a_wrong_encoding_is_not_believed() {
    let declared = |encoding: &str, title: &[u8]| {
        let (start, end) = (
            format!("<?xml version='1.0' encoding='{encoding}'?><rss><title>"),
            "</title><item><link>/a</link></item></rss>",
        );
        let page = read_bytes(
            &[start.as_bytes(), title, end.as_bytes()].concat(),
            &[("content-type", "text/xml")],
            10,
        );
        (page.title, page.links.len())
    };
    let title = "Größe, Übermut, Öfen, Äste, Füße, Möwen";
    assert_eq!(declared("ISO-8859-1", title.as_bytes()), (title.to_owned(), 1));
    let (bytes, _, _) = encoding_rs::WINDOWS_1252.encode(title);
    assert_eq!(declared("UTF-8", &bytes), (title.to_owned(), 1));
    let words: String = "éèàùçâêîôû".chars().map(|c| format!("<url><loc>/{c}</loc></url>")).collect();
    let found =
        list(format!("<?xml version='1.0' encoding='ISO-8859-1'?><urlset>{words}</urlset>").as_bytes());
    assert_eq!(found.urls[0].url.as_str(), "http://e.com/%C3%A9");
}

/// What is read twice, lest something be lost, is read a bounded number of times.
#[test]
fn lists_made_to_take_long_do_not() {
    for piece in
        ["<a b=\">", "<a b='x>y<", "<!--", "<![CDATA[", "<", "<a ", "&lt;urlset ", "<link>", "<url><loc><a>"]
    {
        let started = crate::speed::cpu_seconds();
        list(piece.repeat((1 << 20) / piece.len()).as_bytes());
        let took = crate::speed::cpu_seconds() - started;
        assert!(took < 10.0, "{took} s of {piece:?}");
    }
}

#[test]
fn a_list_is_read_as_one_whatever_the_server_calls_it() {
    let links = |body: &[u8], kind: &str| {
        let page = read_bytes(body, &[("content-type", kind)], 10);
        page.links.iter().map(|link| link.url.to_string()).collect::<Vec<_>>()
    };
    let sitemap = b"<?xml version='1.0'?><urlset><url><loc>http://e.com/a</loc></url></urlset>";
    assert_eq!(links(sitemap, "text/html; charset=utf-8"), [A]);
    assert_eq!(links(sitemap, "text/plain"), [A]);
    assert_eq!(links(&gzip(sitemap), "application/octet-stream"), [A]);
    assert_eq!(links(&gzip(sitemap), "binary/octet-stream"), [A]);
    let rss = b"<rss version='2.0'><channel><item><link>http://e.com/a</link></item></channel></rss>";
    assert_eq!(links(rss, "application/octet-stream"), [A]);
    assert_eq!(links(rss, "text/html"), [A]);
    assert_eq!(links(b"http://e.com/a\nhttp://e.com/b\n", "text/plain"), [A, B]);
    let feed = b"{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"url\":\"/a\"}]}";
    assert_eq!(links(feed, "application/json"), [A]);
}

#[test]
fn a_sitemap_is_a_page_whose_links_are_its_urls_newest_first() {
    let body = b"<urlset><url><loc>http://e.com/old</loc><lastmod>2020-01-01</lastmod></url><url><loc>http://e.com/new</loc><lastmod>2026-01-01</lastmod></url></urlset>";
    let page = read_bytes(body, &[("content-type", "application/xml")], 10);
    let links: Vec<String> = page.links.iter().map(|link| link.url.to_string()).collect();
    assert_eq!(links, ["http://e.com/new", "http://e.com/old"]);
    assert!(page.links.iter().all(|link| link.kind == model::LinkKind::Listed));
    let page = read_bytes(b"<a><b>one</b><c>two &amp; three</c></a>", &[("content-type", "text/xml")], 10);
    assert_eq!((page.text.as_str(), page.links.len()), ("one\ntwo & three", 0));
}

#[test]
fn days_of_change_are_read_in_many_forms_or_left_out() {
    for (day, expected) in [
        (" 2024-05-03\n", Some("2024-05-03")),
        ("2024-5-3", Some("2024-05-03")),
        ("20240503T101112Z", Some("2024-05-03")),
        ("2024-05-03T10:11Z", Some("2024-05-03T10:11:00Z")),
        ("2024-05-03T10:11:12.123456+02:00", Some("2024-05-03T10:11:12+02:00")),
        ("2024-05-03t10:11:12-0500", Some("2024-05-03T10:11:12-05:00")),
        ("2024-05-03 10:11:12 +0200", Some("2024-05-03T10:11:12+02:00")),
        ("2024-05-03 10:11:12 UTC", Some("2024-05-03T10:11:12Z")),
        ("2024-05-03T25:00:00Z", Some("2024-05-03")),
        ("2024/05/03", Some("2024-05-03")),
        ("1714731072", Some("2024-05-03T10:11:12Z")),
        ("Fri, 03 May 2024 10:11:12 GMT", Some("2024-05-03")),
        ("Friday, 03-May-24 10:11:12 GMT", Some("2024-05-03")),
        ("Freitag, 3. Mai 2024", Some("2024-05-03")),
        ("2024", None),
        ("2024-02-30", None),
        ("0000-00-00 00:00:00", None),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31", None),
        ("today", None),
    ] {
        for body in [
            format!("<urlset><url><loc>{A}</loc><lastmod>{day}</lastmod></url></urlset>"),
            format!("<rss><item><link>{A}</link><pubDate>{day}</pubDate></item></rss>"),
        ] {
            assert_eq!(list(body.as_bytes()).urls[0].modified.as_deref(), expected, "of {day:?}");
        }
    }
}

#[test]
fn a_day_that_is_yet_to_come_makes_nothing_newer() {
    let entry = |path: &str, day: &str| format!("<url><loc>/{path}</loc><lastmod>{day}</lastmod></url>");
    let days = [("far", "2099-01-01"), ("old", "2020-01-01"), ("new", "2026-11-16T01:00:00Z")];
    let body = days.map(|(path, day)| entry(path, day)).concat();
    let read = |headers: &[(&str, &str)]| {
        let page = read_bytes(format!("<urlset>{body}</urlset>").as_bytes(), headers, 10);
        page.links.iter().map(|link| link.url.path().to_owned()).collect::<Vec<_>>()
    };
    let served = [("content-type", "text/xml"), ("date", "Sun, 15 Nov 2026 10:00:00 GMT")];
    assert_eq!(read(&served), ["/new", "/old", "/far"]);
    assert_eq!(read(&served[..1]), ["/far", "/new", "/old"]);
}
