//! Which links are found, where they lead and how they look.

use std::fmt::Write as _;

use model::{Link, LinkKind};

use crate::{read, read_bytes, read_with};

fn urls(html: &str) -> Vec<String> {
    read(html).links.iter().map(|link| link.url.to_string()).collect()
}

fn check_urls(html: &str, expected: &[&str]) {
    assert_eq!(urls(html), expected, "in {html:?}");
}

fn only(html: &str) -> Link {
    let mut links = read(html).links;
    assert_eq!(links.len(), 1, "in {html:?}");
    links.remove(0)
}

fn check_anchor(html: &str, expected: &str) {
    assert_eq!(&*only(html).anchor, expected, "in {html:?}");
}

/// Visibility of the one link.
fn check_visibility(html: &str, expected: u8) {
    assert_eq!(only(html).look.visibility, expected, "in {html:?}");
}

fn check_positions(html: &str, expected: &[u8]) {
    let positions: Vec<u8> = read(html).links.iter().map(|link| link.look.position).collect();
    assert_eq!(positions, expected, "in {html:?}");
}

#[test]
fn links_are_resolved_and_kept_in_order() {
    check_urls(
        "<a href=x>1</a><a href='/y?a=1&amp;b=2'>2</a><a href=x>3</a>",
        &["http://e.com/dir/x", "http://e.com/y?a=1&b=2", "http://e.com/dir/x"],
    );
    check_urls("<a href=' //f.com/a#b\n'>x", &["http://f.com/a"]);
    check_urls("<map><area href=n alt=North></map><a name=top>", &["http://e.com/dir/n"]);
    check_urls("<A HREF=HTTP://F.COM>x</A>", &["http://f.com/"]);
}

#[test]
fn what_leads_to_no_page_is_dropped() {
    check_urls(
        "<a href='mailto:a@b.c'>1</a><a href=javascript:void(0)>2</a><a href='ftp://f.com'>3</a>",
        &[],
    );
    check_urls("<a href='java\nscript:x'>1</a><a href='http://'>2</a><a href='http://a b/'>3</a>", &[]);
    check_urls("<template><a href=x>1</a></template><!-- <a href=y> --><script>'<a href=z>'</script>", &[]);
    check_urls(
        "<template><template></template><a href=x>1</a></template><a href=y>",
        &["http://e.com/dir/y"],
    );
    check_urls("<noscript><a href=x>1</a></noscript>", &["http://e.com/dir/x"]);
}

#[test]
fn the_first_base_counts_for_the_whole_page() {
    check_urls(
        "<a href=x>1</a><base href='/b/'><base href='/c/'><a href=y>2</a>",
        &["http://e.com/b/x", "http://e.com/b/y"],
    );
    check_urls("<base target=_top><base href='http://f.com'><a href=y>", &["http://f.com/y"]);
    check_urls("<base href='data:x'><base href='/c/'><a href=y>", &["http://e.com/dir/y"]);
    check_urls("<base href='http://['><a href=y>", &["http://e.com/dir/y"]);
}

#[test]
fn frames_and_refreshes_are_links() {
    let kinds = |html: &str| -> Vec<(LinkKind, String, u8)> {
        read(html).links.iter().map(|link| (link.kind, link.url.to_string(), link.look.weight())).collect()
    };
    let frame = |name: &str| (LinkKind::Frame, format!("http://e.com/dir/{name}"), 1);
    assert_eq!(kinds("<frameset><frame src=a><frame></frameset>"), [frame("a")]);
    assert_eq!(kinds("<iframe src=b></iframe><iframe src=''>"), [frame("b")]);
    let refresh =
        "<meta http-equiv=Refresh content='5; url=http://f.com/'><meta http-equiv=refresh content=5>";
    assert_eq!(kinds(refresh), [(LinkKind::Refresh, "http://f.com/".to_owned(), 5)]);
    assert_eq!(kinds("<noscript><meta http-equiv=refresh content='0;url=/nojs'></noscript>"), []);
}

#[test]
fn the_canonical_address_comes_from_head_or_header() {
    let canonical = |html: &str, headers: &[(&str, &str)]| {
        let mut all = vec![("content-type", "text/html")];
        all.extend_from_slice(headers);
        let page = read_with(html, &all);
        let links = page.links.iter().filter(|link| link.kind == LinkKind::Canonical).count();
        (page.canonical.map(|url| url.to_string()), links)
    };
    let address = |path: &str| Some(format!("http://e.com{path}"));
    assert_eq!(canonical("<link rel='alternate Canonical' href=/c>", &[]), (address("/c"), 1));
    assert_eq!(canonical("<link rel=canonical href=c><base href=/b/>", &[]), (address("/b/c"), 1));
    assert_eq!(canonical("<body><link rel=canonical href=/c>", &[]), (None, 0));
    assert_eq!(canonical("words<link rel=canonical href=/c>", &[]), (None, 0));
    let header = ("link", "<h>; rel=canonical");
    assert_eq!(canonical("<base href=/b/>", &[header]), (address("/dir/h"), 1));
    assert_eq!(canonical("<link rel=canonical href=/c>", &[header]), (address("/dir/h"), 2));
    assert_eq!(canonical("<link rel=canonical href='mailto:x'>", &[]), (None, 0));
}

#[test]
fn anchors_are_the_words_of_their_link() {
    check_anchor("<a href=x>  one\n<b>t</b>wo <br>three</a> four", "one two three");
    check_anchor("foo<a href=x>bar</a>baz", "bar");
    check_anchor("<a href=x><img alt=' An\n image '><img alt=two></a>", "An image two");
    check_anchor("<a href=x><img alt=image>words</a>", "words");
    check_anchor("<map><area href=x alt='North  pier'>text", "North pier");
    check_anchor("<a href=x>one<script>no</script><textarea>no</textarea> two</a>", "one two");
    check_anchor("<a href=x><p>one</p><p>two</p></a>", "one two");
    check_anchor("<a href=x>never closed", "never closed");
    check_anchor("<a href=x>one<a>two</a>", "one");
    check_anchor("<table><td><a href=x>one<td>two</table>three", "one");
    check_anchor("<a href=x><table><td>one<td>two</table>three</a>four", "one two three");
    assert_eq!(only(&format!("<a href=x>{}", "\u{e9}".repeat(5_000))).anchor.len(), 1_024);
}

#[test]
fn rel_words_are_read() {
    let rel = only("<a href=x rel='NoFollow noopener ugc'>").rel;
    assert!(rel.nofollow && rel.ugc && !rel.sponsored && !rel.next);
    let rel = only("<area href=x rel='sponsored next'>").rel;
    assert!(!rel.nofollow && !rel.ugc && rel.sponsored && rel.next);
}

#[test]
fn bold_and_italic_count_around_and_inside() {
    check_visibility("<a href=x>a</a>", 1);
    check_visibility("<b><a href=x>a</a></b>", 2);
    check_visibility("<a href=x>a <strong>b</strong></a>", 2);
    check_visibility("<i><a href=x>a</a></i>", 2);
    check_visibility("<b><a href=x><em>a</em></a></b>", 3);
    check_visibility("<strong><b><a href=x>a</a></b></strong>", 2);
    check_visibility("<b>a</b><a href=x>b</a><i>c</i>", 1);
    check_visibility("<b><p>a</p><a href=x>b</a>", 2);
    check_visibility("<b></strong><a href=x>b</a>", 2);
    check_visibility("</b><b></b><a href=x>b</a>", 1);
    check_visibility("<a href=x><img><b></b></a>", 2);
    check_visibility("<table><td><b>a<td><a href=x>b</a></table>", 1);
    check_visibility("<b><table><td>a<td><a href=x>b</a></table>", 2);
    check_visibility("<b><area href=x>", 2);
}

#[test]
fn position_is_the_third_of_the_first_word() {
    check_positions("<a href=x>a</a> b c", &[3]);
    check_positions("a <a href=x>b</a> c", &[2]);
    check_positions("a b <a href=x>c</a>", &[1]);
    // Three links over six words: floor(3i/6).
    check_positions("<a href=1>a</a> b <a href=2>c</a> d <a href=3>e</a> f", &[3, 2, 1]);
    check_positions("a <a href=1>b</a> c <a href=2>d</a> e <a href=3>f</a>", &[3, 2, 1]);
    // Without words of its own: the next word, or the end.
    check_positions(
        "<a href=1><img></a>a <a href=2><img></a>b <a href=3><img></a>c <a href=4><img></a>",
        &[3, 2, 1, 1],
    );
    check_positions("<a href=1></a>", &[3]);
    // A word may span elements, and blocks part words.
    check_positions("f<b>o</b><a href=1>o</a> b c", &[3]);
    check_positions("a<p><a href=1>b</a><p>c", &[2]);
    check_positions("a<br><a href=1>b</a><td>c", &[2]);
    // Hidden words do not count.
    check_positions("<script>a b c</script><a href=1>d</a> e f<noscript>g h i</noscript><option>j k", &[3]);
    check_positions("a <noscript><a href=1>x</a></noscript> b c", &[2]);
}

#[test]
fn distance_is_another_host() {
    assert_eq!(only("<a href=/x>").look.distance, 1);
    assert_eq!(only("<a href=//f.com/x>").look.distance, 5);
    assert_eq!(only("<a href=//e.com:8080/x>").look.distance, 5);
}

#[test]
fn a_page_with_too_many_links_is_marked() {
    let html: String = (0..20).map(|nth| format!("<a href=mailto:x>m</a><a href={nth}>{nth}</a>")).collect();
    let check = |max, kept, cut| {
        let page = read_bytes(html.as_bytes(), &[("content-type", "text/html")], max);
        assert_eq!((page.links.len(), page.links_cut), (kept, cut), "at most {max}");
    };
    check(100, 20, false);
    check(20, 20, false);
    check(19, 19, true);
    check(0, 0, true);
    let mut many = String::new();
    (0..50_000).for_each(|nth| write!(many, "<a href={nth}>{nth}</a>").unwrap());
    assert_eq!(read(&many).links.len(), extract::MAX_LINKS);
}
