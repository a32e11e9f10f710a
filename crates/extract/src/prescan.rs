//! The encoding that a page declares in its first 1,024 bytes, read as the HTML standard's prescan does; or in the rest
//! of its head, for which browsers begin anew.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use crate::kind::find;

/// The declared encoding, if any that is known.
pub(crate) fn prescan(body: &[u8]) -> Option<&'static Encoding> {
    let meta = |bytes| Scan { bytes, at: 0 }.meta_encoding();
    meta(&body[..body.len().min(PREFIX)]).or_else(|| xml_encoding(body)).or_else(|| {
        let start = &body[..body.len().min(HEAD)];
        // Where the start had none, most pages are done with here.
        find_charset(&start[PREFIX.min(start.len())..])?;
        meta(start)
    })
}

const PREFIX: usize = 1_024;
/// Bytes in which the head may say it late, after scripts and styles.
const HEAD: usize = 16 * 1_024;

fn find_charset(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2_iter(b'c', b'C', bytes)
        .find(|at| bytes[*at..].get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"charset")))
}

/// A declaration in ASCII cannot mean UTF-16, and nobody means x-user-defined.
fn as_declared(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// `<?xml encoding="…"?>`.
fn xml_encoding(body: &[u8]) -> Option<&'static Encoding> {
    let declaration = body.strip_prefix(b"<?xml")?;
    let end = declaration.iter().take(PREFIX).position(|byte| *byte == b'>')?;
    declared_encoding(&declaration[..end])
}

/// `encoding="…"`, wherever it stands.
pub(crate) fn declared_encoding(declaration: &[u8]) -> Option<&'static Encoding> {
    let value = &declaration[find(declaration, b"encoding")? + "encoding".len()..];
    let value = value.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first()?;
    let end = value.iter().position(|byte| byte == quote)?;
    Encoding::for_label(&value[..end]).map(as_declared)
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn meta_encoding(&mut self) -> Option<&'static Encoding> {
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if self.at >= PREFIX && rest.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<body")) {
                return None;
            }
            if rest.starts_with(b"<!--") {
                // `<!-->` is a whole comment: its dashes may be those of the start.
                self.at += 2;
                self.skip_past(b"-->");
            } else if starts_tag(rest, b"<meta") {
                self.at += "<meta".len();
                if let Some(encoding) = self.meta() {
                    return Some(encoding);
                }
            } else if rest.len() > 2 && is_tag_start(rest) {
                while self.peek().is_some_and(|byte| !byte.is_ascii_whitespace() && byte != b'>') {
                    self.at += 1;
                }
                while self.attribute().is_some() {}
            } else if rest.starts_with(b"<!") || rest.starts_with(b"</") || rest.starts_with(b"<?") {
                self.skip_past(b">");
            } else {
                self.at += 1;
            }
        }
        None
    }

    /// The attributes of a `<meta>`.
    fn meta(&mut self) -> Option<&'static Encoding> {
        let mut is_content_type = false;
        let mut from_content = None;
        let mut charset = None;
        let mut seen: Vec<Vec<u8>> = Vec::new();
        while let Some((name, value)) = self.attribute() {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => is_content_type = value == b"content-type",
                b"content" => from_content = charset_in_content(&value),
                b"charset" => charset = Some(Encoding::for_label(&value)),
                _ => {}
            }
            seen.push(name);
        }
        match charset {
            Some(encoding) => encoding,
            None => from_content.filter(|_| is_content_type),
        }
        .map(as_declared)
    }

    /// The next attribute, name and value in lower case; none at the end of the tag, which is passed.
    fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace() || byte == b'/') {
            self.at += 1;
        }
        let mut name = Vec::new();
        loop {
            match self.peek()? {
                b'>' => {
                    if name.is_empty() {
                        self.at += 1;
                        return None;
                    }
                    return Some((name, Vec::new()));
                }
                b'=' if !name.is_empty() => break,
                b'/' => return Some((name, Vec::new())),
                byte if byte.is_ascii_whitespace() => break,
                byte => name.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        self.skip_space();
        if self.peek()? != b'=' {
            return Some((name, Vec::new()));
        }
        self.at += 1;
        self.skip_space();
        let mut value = Vec::new();
        let first = self.peek()?;
        if first == b'"' || first == b'\'' {
            self.at += 1;
            while self.peek()? != first {
                value.push(self.peek()?.to_ascii_lowercase());
                self.at += 1;
            }
            self.at += 1;
            return Some((name, value));
        }
        while self.peek().is_some_and(|byte| !byte.is_ascii_whitespace() && byte != b'>') {
            value.push(self.peek()?.to_ascii_lowercase());
            self.at += 1;
        }
        Some((name, value))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn skip_past(&mut self, mark: &[u8]) {
        self.at =
            find(&self.bytes[self.at..], mark).map_or(self.bytes.len(), |found| self.at + found + mark.len());
    }
}

fn starts_tag(rest: &[u8], tag: &[u8]) -> bool {
    rest.len() > tag.len()
        && rest[..tag.len()].eq_ignore_ascii_case(tag)
        && (rest[tag.len()].is_ascii_whitespace() || rest[tag.len()] == b'/')
}

fn is_tag_start(rest: &[u8]) -> bool {
    rest[0] == b'<' && (rest[1].is_ascii_alphabetic() || rest[1] == b'/' && rest[2].is_ascii_alphabetic())
}

/// `text/html; charset=…`, as loosely as the standard reads it.
fn charset_in_content(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    loop {
        rest = &rest[find(rest, b"charset")? + "charset".len()..];
        if let Some(value) = rest.trim_ascii_start().strip_prefix(b"=") {
            rest = value.trim_ascii_start();
            break;
        }
    }
    let first = *rest.first()?;
    let label = if first == b'"' || first == b'\'' {
        let end = rest[1..].iter().position(|byte| *byte == first)?;
        &rest[1..=end]
    } else {
        let end =
            rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b';').unwrap_or(rest.len());
        &rest[..end]
    };
    Encoding::for_label(label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(html: &str, expected: Option<&str>) {
        assert_eq!(prescan(html.as_bytes()).map(Encoding::name), expected, "in {html:?}");
    }

    #[test]
    fn declarations_are_found() {
        check("<meta charset=utf-8>", Some("UTF-8"));
        check("<html><head><META\nCharset = 'Latin1' />", Some("windows-1252"));
        check("<meta http-equiv=Content-Type content='text/html; charset=gb2312'>", Some("GBK"));
        check("<meta content='text/html; charset = \"koi8-r\" ' http-equiv=content-type>", Some("KOI8-R"));
        check("<title>x</title><meta charset=big5>", Some("Big5"));
        check("<?xml version='1.0' encoding='iso-8859-2'?><html>", Some("ISO-8859-2"));
        check("<p a='<meta charset=big5>'><meta charset=utf-8>", Some("UTF-8"));
        check("<!--><meta charset=big5>", Some("Big5"));
        let script = format!("<script>{}</script>", "x".repeat(3_000));
        check(&format!("<head>{script}<META Charset=big5>"), Some("Big5"));
        check("<?xml version = '1.0' encoding = 'iso-8859-2' ?><html>", Some("ISO-8859-2"));
    }

    #[test]
    fn what_is_no_declaration_is_not_taken_for_one() {
        check("", None);
        check("<meta charset>", None);
        check("<meta charset=nonsense>", None);
        check("<!-- <meta charset=big5> -->", None);
        check("<meta content='text/html; charset=gb2312'>", None);
        check("<meta name=charset content=big5>", None);
        check("<metacharset=big5>", None);
        check("<meta http-equiv=content-type content=charset>", None);
        check(&format!("{}<meta charset=big5>", " ".repeat(HEAD - 10)), None);
        check(&format!("{}<body><meta charset=big5>", " ".repeat(PREFIX)), None);
    }

    #[test]
    fn a_declaration_in_ascii_is_not_utf_16() {
        check("<meta charset=utf-16>", Some("UTF-8"));
        check("<meta charset=utf-16be>", Some("UTF-8"));
        check("<meta charset=x-user-defined>", Some("windows-1252"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_scanned(bytes: Vec<u8>, html in "(<(meta|!--|/a|p)?[ a=/'\">;-]{0,6}|charset=?|http-equiv=content-type){0,20}") {
            let _ = prescan(&bytes);
            let _ = prescan(html.as_bytes());
        }
    }
}
