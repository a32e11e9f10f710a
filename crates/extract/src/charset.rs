//! Which character encoding a body is in, and its text.
//!
//! In this order: byte order mark, `Content-Type`, `<meta>` in the head, a guess from the bytes: UTF-16 by its zeros,
//! ISO-2022-JP by its escapes, others by their letters.
//! Labels are those of the encoding standard. A `<meta>` is not believed where all of the page is UTF-8: whoever stored
//! or served it has converted it and left its head as it was.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};
use model::PageUrl;

use crate::kind::Kind;
use crate::prescan::prescan;

/// A body as text, and the encoding it was read with. Bytes that are no character become U+FFFD.
pub fn decode<'a>(
    body: &'a [u8],
    content_type: Option<&str>,
    kind: Kind,
    url: &PageUrl,
) -> (Cow<'a, str>, &'static Encoding) {
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return (encoding.decode_without_bom_handling(&body[mark..]).0, encoding);
    }
    let encoding = content_type
        .and_then(charset_parameter)
        .and_then(|label| Encoding::for_label(label.as_bytes()))
        .or_else(|| {
            if kind == Kind::Html { prescan(body) } else { None }.filter(|named| !was_converted(body, named))
        })
        .unwrap_or_else(|| guess(body, url));
    (encoding.decode_without_bom_handling(body).0, encoding)
}

/// The value of `charset` in a `Content-Type`.
pub(crate) fn charset_parameter(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
    })
}

/// Characters beyond ASCII from which on a text that is UTF-8 throughout is nothing else by chance.
const SURE: usize = 8;

/// Whether a page that names another encoding is in UTF-8.
pub(crate) fn was_converted(body: &[u8], named: &'static Encoding) -> bool {
    named.is_ascii_compatible()
        && named != UTF_8
        && std::str::from_utf8(body).is_ok()
        && body.iter().filter(|byte| **byte >= 0xC0).take(SURE).count() == SURE
}

/// Bytes looked at for a guess: the first, which are often markup only, and the last.
const HEAD: usize = 16 * 1024;
const TAIL: usize = 8 * 1024;

/// Characters of UTF-8 for each broken one that no text in another encoding has: there they come about by chance.
const GOOD_PER_BAD: usize = 5;

/// The encoding that a body is most likely in.
pub(crate) fn guess(body: &[u8], url: &PageUrl) -> &'static Encoding {
    // Both of these may be taken for ASCII.
    if let Some(encoding) = utf16(body) {
        return encoding;
    }
    if is_iso_2022_jp(body) {
        return ISO_2022_JP;
    }
    match std::str::from_utf8(body) {
        Ok(_) => return UTF_8,
        // A body that was cut may end within a character.
        Err(error) if error.error_len().is_none() => return UTF_8,
        Err(_) if is_nearly_utf8(body) => return UTF_8,
        Err(_) => {}
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    if body.len() <= HEAD + TAIL {
        detector.feed(body, true);
    } else {
        let head = &body[..HEAD];
        let tail = &body[body.len() - TAIL..];
        // Cut where no encoding has the middle of a character: one broken character rules an encoding out.
        let head_end = head.iter().rposition(is_cut).unwrap_or(0);
        let tail_start = tail.iter().position(is_cut).unwrap_or(TAIL);
        detector.feed(&head[..head_end], false);
        detector.feed(&tail[tail_start..], true);
    }
    let host = url.host();
    let top = host.name().rsplit('.').next().unwrap_or_default();
    let is_label = !top.is_empty() && top.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    // UTF-8 was ruled out above for the whole body.
    detector.guess(is_label.then_some(top.as_bytes()), Utf8Detection::Deny)
}

/// A byte that went wrong, or a piece in another encoding, does not make a page something else.
fn is_nearly_utf8(body: &[u8]) -> bool {
    let (mut good, mut bad) = (0, 0);
    for chunk in body.utf8_chunks() {
        good += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good >= GOOD_PER_BAD * bad
}

/// Bytes that tell whether a text is UTF-16, characters that it must have, and of how many one must be of the first 256.
const UTF16_HEAD: usize = 1_024;
const UTF16_LEAST: usize = 4;
const UTF16_LATIN: usize = 8;

/// UTF-16 without a mark: spaces, digits and tags have a zero on one side, few characters have one on the other, and
/// none is no character. Only Chinese and Japanese without markup or spaces have too few zeros to be told so.
pub(crate) fn utf16(body: &[u8]) -> Option<&'static Encoding> {
    let head = &body[..body.len().min(UTF16_HEAD)];
    memchr::memchr(0, head)?;
    let (pairs, _) = head.as_chunks::<2>();
    let zeros = |side: usize| pairs.iter().filter(|pair| pair[side] == 0).count();
    let (first, second) = (zeros(0), zeros(1));
    let (encoding, latin) = if first > second { (UTF_16BE, first) } else { (UTF_16LE, second) };
    if pairs.len() < UTF16_LEAST || latin * UTF16_LATIN < pairs.len() {
        return None;
    }
    let unit = |pair: &[u8; 2]| match encoding == UTF_16LE {
        true => u16::from_le_bytes(*pair),
        false => u16::from_be_bytes(*pair),
    };
    let is_text = |c: char| !c.is_control() && c < '\u{FFFE}' || matches!(c, '\t' | '\n' | '\r' | '\x0c');
    let mut chars = char::decode_utf16(pairs.iter().map(unit)).peekable();
    while let Some(c) = chars.next() {
        // The last may be half of one.
        if !c.map_or(chars.peek().is_none(), is_text) {
            return None;
        }
    }
    Some(encoding)
}

/// ISO-2022-JP: nothing but ASCII, and an escape that begins Japanese.
fn is_iso_2022_jp(body: &[u8]) -> bool {
    let begins = |at: usize| matches!(body[at + 1..], [b'$', b'@' | b'B', ..]);
    memchr::memchr_iter(0x1b, body).any(begins) && body.is_ascii()
}

fn is_cut(byte: &u8) -> bool {
    matches!(byte, b'\n' | b' ' | b'<')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &[u8], content_type: Option<&str>, encoding: &str, text: &str) {
        let url = PageUrl::parse("http://example.com/").unwrap();
        let (decoded, used) = decode(body, content_type, Kind::Html, &url);
        assert_eq!((used.name(), &*decoded), (encoding, text));
    }

    #[test]
    fn the_mark_comes_first_then_the_header_then_the_page() {
        let latin = Some("text/html; charset=ISO-8859-1");
        check(b"\xEF\xBB\xBF\xC3\xA9", latin, "UTF-8", "é");
        check(b"\xFF\xFEx\0", latin, "UTF-16LE", "x");
        check(b"\xE9<meta charset=utf-8>", latin, "windows-1252", "é<meta charset=utf-8>");
        check(b"<meta charset=koi8-r>\xC1", None, "KOI8-R", "<meta charset=koi8-r>а");
        check(
            b"<meta charset=koi8-r>\xC1",
            Some("text/html; charset=nonsense"),
            "KOI8-R",
            "<meta charset=koi8-r>а",
        );
        check(b"\0x", Some("text/html;charset=\"utf-16be\""), "UTF-16BE", "x");
        check(b"\x93\xFA\x96{", Some("text/html; Charset=Shift_JIS"), "Shift_JIS", "日本");
    }

    #[test]
    fn a_page_that_says_nothing_is_guessed() {
        check("é".as_bytes(), None, "UTF-8", "é");
        check(b"x\xE2\x82", None, "UTF-8", "x\u{fffd}");
        check(
            b"caf\xE9 \xC3\xA9 \xC3\xA8 \xC3\xA0 \xC3\xB9 \xC3\xA7",
            None,
            "UTF-8",
            "caf\u{fffd} é è à ù ç",
        );
        check(b"caf\xE9 au lait, gar\xE7on", None, "windows-1252", "café au lait, garçon");
        let russian = "Привет, это обычный русский текст без объявленной кодировки.";
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(russian);
        check(&bytes, None, "windows-1251", russian);
        check(b"h\0i\0 \0\xe9\0", None, "UTF-16LE", "hi é");
        check(b"\0h\0i\0 \x4e\x16", None, "UTF-16BE", "hi 世");
        check(b"\x1b$B@$3&\x1b(B!", None, "ISO-2022-JP", "世界!");
        let japanese = "これは日本語の文章です。文字コードは書かれていません。".repeat(3);
        let (bytes, _, _) = encoding_rs::EUC_JP.encode(&japanese);
        check(&bytes, None, "EUC-JP", &japanese);
        check(b"", None, "UTF-8", "");
    }

    #[test]
    fn zeros_and_escapes_alone_make_no_encoding() {
        let is_utf16 = |body: &[u8]| utf16(body).is_some();
        // A stray zero, records that are padded, numbers, half a character.
        assert!(!is_utf16(b"one zero\0 in a text of ASCII letters"));
        assert!(!is_utf16(b"one\0\0two\0\0"));
        assert!(!is_utf16(b"\x01\0\x02\0\x03\0\x04\0"));
        assert!(!is_utf16(b"a\0\x01\xd8a\0a\0a\0"));
        assert!(is_utf16(b"a\0a\0\0\x4ea\0\x01\xd8"));
        let terminal = b"\x1b(B\x1b[mcost: 5\x1b[1m$\x1b(B";
        check(terminal, None, "UTF-8", std::str::from_utf8(terminal).unwrap());
    }

    #[test]
    fn a_page_in_utf_8_is_not_what_its_head_says() {
        let chinese = "<meta charset=gb2312>磨坊在树林和小溪之间";
        check(chinese.as_bytes(), None, "UTF-8", chinese);
        let (bytes, _, _) = encoding_rs::GBK.encode(chinese);
        check(&bytes, None, "GBK", chinese);
        // A few may come about by chance, and the answer's header knows better.
        check(
            "<meta charset=windows-1252>é".as_bytes(),
            None,
            "windows-1252",
            "<meta charset=windows-1252>Ã©",
        );
        let named = Some("text/html; charset=gbk");
        let (body, url) = (chinese.as_bytes(), PageUrl::parse("http://example.com/").unwrap());
        assert_eq!(decode(body, named, Kind::Html, &url).1.name(), "GBK");
    }

    #[test]
    fn a_long_page_is_guessed_by_its_ends() {
        let text = format!(
            "{}{}",
            "<p>markup</p>\n".repeat(5_000),
            "<p>Это русский текст в конце.</p>\n".repeat(100)
        );
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(&text);
        check(&bytes, None, "windows-1251", &text);
    }
}
