//! Visible text.

use crate::{read, read_bytes, read_with};

fn check(html: &str, expected: &str) {
    assert_eq!(read(html).text, expected, "in {html:?}");
}

#[test]
fn blocks_stand_on_lines_of_their_own() {
    check("<h1>Title</h1><p>one  two\n three<p>four", "Title\none two three\nfour");
    check("<div>a<div>b</div>c</div>d", "a\nb\nc\nd");
    check("a<br>b<hr>c", "a\nb\nc");
    check("<ul><li>a<li>b</ul>", "a\nb");
    check("<table><tr><td>a<td>b<tr><td>c</table>d", "a b\nc\nd");
    check("<body>  </body>", "");
}

#[test]
fn words_span_inline_elements() {
    check("foo<b>bar</b><!-- x --><i>baz</i> q", "foobarbaz q");
    check("a&nbsp;b&amp;c&lt;d", "a b&c<d");
    check("caf\u{e9}\u{3000}\u{4e16}<span>\u{754c}</span>", "caf\u{e9} \u{4e16}\u{754c}");
    check("a\0b", "ab");
}

#[test]
fn what_is_not_shown_is_left_out() {
    check("<title>t</title>a<style>s</style><script>x</script>b", "ab");
    check("a <template>x<template>y</template>z</template>b", "a b");
    check("<noscript><p>x</noscript>a<textarea>y</textarea><iframe>z</iframe>", "a");
    check("<select><option>x<option>y</select>a", "a");
    check("<select><option>x</option></select>a<datalist><option>y</datalist>b", "ab");
    check("<form><option>x</form>a", "a");
    check("<head><title>t</title><p>a", "a");
    check("<img alt=x>a", "a");
    check("<svg><title>x</svg>a<svg><text>b</text></svg>", "ab");
    check("<noframes><p>x</noframes>a", "a");
}

#[test]
fn plain_text_has_lines_and_no_links() {
    let page = read_with("<a href=x>\n\n  one   two\r\nthree", &[("content-type", "text/plain")]);
    assert_eq!((page.text.as_str(), page.links.len()), ("<a href=x>\none two\nthree", 0));
    assert_eq!(page.charset, "UTF-8");
}

#[test]
fn other_content_gives_an_empty_page() {
    let page = read_bytes(b"<p>x", &[("content-type", "image/svg+xml")], 10);
    assert_eq!(page, model::Page::unread("no text is read from content of this kind"));
    let page = read_bytes(b"<p>x", &[("content-type", "image/png")], 10);
    assert_eq!(page, model::Page::default(), "a picture is not there for its text");
}

#[test]
fn text_is_decoded_as_declared() {
    let page = read_bytes(b"<meta charset=windows-1251><p>\xCF\xF0\xE8\xE2\xE5\xF2", &[], 10);
    assert_eq!((page.text.as_str(), page.charset.as_str()), ("Привет", "windows-1251"));
    let page = read_bytes(b"\xFF\xFE<\0p\0>\0x\0", &[], 10);
    assert_eq!((page.text.as_str(), page.charset.as_str()), ("x", "UTF-16LE"));
    let page = read_bytes(b"\xEF\xBB\xBFx", &[("content-type", "text/html")], 10);
    assert_eq!(page.text, "x");
}

#[test]
fn a_text_without_spaces_is_cut_and_not_lost() {
    let long = "磨坊在树林和小溪之间".repeat(60_000);
    for (body, kind) in [
        (long.clone(), "text/plain"),
        (format!("# {long}\n\nmore"), "text/markdown"),
        (format!("<h1>{long}</h1><p>more"), "text/html"),
        (format!("<x><y>{long}</y> more</x>"), "text/xml"),
    ] {
        let page = read_bytes(body.as_bytes(), &[("content-type", kind)], 10);
        assert!((1_000_000..=1 << 20).contains(&page.text.len()), "{} bytes of {kind}", page.text.len());
        assert!(page.text.starts_with("磨坊在") && !page.text.contains('\u{fffd}'));
        assert_eq!(page.main.len(), page.text.len());
        assert!(page.title.len() <= 1_024);
        assert!(page.headings.iter().all(|heading| heading.text.len() <= 1_024));
    }
}
