//! The references of a page: most are plain, and are joined without being parsed.

use url::{Position, Url};

use super::{MAX_INPUT, Normalise, PageUrl, UrlError, hex, push_query};

/// Resolves the references of one page: what they share is looked at once.
pub struct Joiner<'a> {
    base: &'a Url,
    normalise: Normalise,
    /// Where the base's path begins and where its folder ends, if it is as plain as most references are.
    plain: Option<(usize, usize)>,
    text: String,
    /// The last reference without its fragment, and where it leads: half of all links on many pages lead where the one
    /// before did.
    last_reference: String,
    last: Option<PageUrl>,
}

impl<'a> Joiner<'a> {
    /// For a parsed base, which may come from `<base href>`.
    pub fn new(base: &'a Url, normalise: Normalise) -> Joiner<'a> {
        let is_plain = normalise == Normalise::default()
            && matches!(base.scheme(), "http" | "https")
            && base.username().is_empty()
            && base.password().is_none()
            && base.host_str().is_some_and(|host| !host.ends_with('.'))
            && Survey::of(base.path()).is_plain;
        let start = base[..Position::AfterPath].len() - base.path().len();
        let plain = base.path().rfind('/').filter(|_| is_plain).map(|slash| (start, start + slash));
        Joiner { base, normalise, plain, text: String::new(), last_reference: String::new(), last: None }
    }

    /// Resolves a reference.
    pub fn join(&mut self, reference: &str) -> Result<PageUrl, UrlError> {
        if reference.len() > MAX_INPUT {
            return Err(UrlError::TooLong);
        }
        let bare = &reference[..memchr::memchr(b'#', reference.as_bytes()).unwrap_or(reference.len())];
        if let Some(last) = self.last.as_ref().filter(|_| self.last_reference == bare) {
            return Ok(last.clone());
        }
        let url = match self.join_plain(bare) {
            Some(url) => url,
            None => {
                let url = self.base.join(reference);
                self.normalise.canonical(&url.map_err(|error| UrlError::Invalid(error.to_string()))?)?
            }
        };
        self.last_reference.clear();
        self.last_reference.push_str(bare);
        // A space at the end is nothing, but before a fragment it is one.
        self.last = Some(url.clone()).filter(|_| bare.bytes().last().is_none_or(|byte| byte > b' '));
        Ok(url)
    }

    /// The same, of a plain reference, without parsing; none means that it takes a closer look.
    fn join_plain(&mut self, reference: &str) -> Option<PageUrl> {
        if self.normalise != Normalise::default() {
            return None;
        }
        let whole = reference.strip_prefix("https://").or_else(|| reference.strip_prefix("http://"));
        let survey = Survey::of(whole.unwrap_or(reference));
        if !survey.is_plain {
            return None;
        }
        match whole {
            Some(rest) => self.join_absolute(reference, rest, survey),
            None => self.join_relative(reference, survey),
        }
    }

    fn join_relative(&mut self, reference: &str, survey: Survey) -> Option<PageUrl> {
        let (start, folder) = self.plain?;
        let (path, query) = (&reference[..survey.path], reference.get(survey.path + 1..));
        let whole = &self.base[..Position::AfterPath];
        self.text.clear();
        if path.is_empty() {
            if query.is_none() && self.base.query().is_some() {
                return None;
            }
            self.text.push_str(whole);
            return Some(self.with_query(query));
        }
        let (mut folder, mut rest) = match path.strip_prefix('/') {
            Some(rest) => (&whole[..start], rest),
            None => (&whole[..folder], path),
        };
        // `//host`.
        if rest.len() < path.len() && rest.starts_with('/') {
            return None;
        }
        while let Some(further) = rest.strip_prefix("../") {
            folder = &folder[..folder[start..].rfind('/').map_or(start, |slash| start + slash)];
            rest = further;
        }
        // Segments that begin with a dot may mean their folder.
        if rest.starts_with('.') || survey.last_dot > path.len() - rest.len() {
            return None;
        }
        self.text.push_str(folder);
        self.text.push('/');
        self.text.push_str(rest);
        Some(self.with_query(query))
    }

    /// A URL with its scheme, whose `rest` is a name in small letters and what follows it: taken as it is.
    fn join_absolute(&mut self, reference: &str, rest: &str, survey: Survey) -> Option<PageUrl> {
        let name = &rest[..survey.name];
        if !is_plain_name(name) || survey.last_dot > 0 {
            return None;
        }
        let (path, query) = (survey.name..survey.path, rest.get(survey.path + 1..));
        if !path.is_empty() && query.is_none() {
            return Some(PageUrl(reference.into()));
        }
        self.text.clear();
        self.text.push_str(&reference[..reference.len() - rest.len() + path.end]);
        if path.is_empty() {
            self.text.push('/');
        }
        Some(self.with_query(query))
    }

    /// The text that was begun, with this query.
    fn with_query(&mut self, query: Option<&str>) -> PageUrl {
        if let Some(query) = query {
            push_query(&mut self.text, query);
        }
        PageUrl(self.text.as_str().into())
    }
}

/// What one look at a reference tells that has no fragment.
struct Survey {
    /// Bytes before its first slash, and before its query.
    name: usize,
    path: usize,
    /// Whether it is made of what a URL may have as it is. Its encodings are in capitals, and of what needs them.
    is_plain: bool,
    /// Where the last segment begins that begins with a dot and is not the first.
    last_dot: usize,
}

impl Survey {
    fn of(reference: &str) -> Survey {
        let bytes = reference.as_bytes();
        let mut survey = Survey { name: bytes.len(), path: bytes.len(), is_plain: true, last_dot: 0 };
        let mut last = 0;
        for (at, byte) in bytes.iter().enumerate() {
            if *byte == b'?' {
                let query = &bytes[at + 1..];
                survey.is_plain &= (0..query.len()).all(|at| is_plain(&query[at..], IN_QUERY));
                survey.path = at;
                break;
            }
            survey.is_plain &= is_plain(&bytes[at..], IN_PATH);
            if *byte == b'/' {
                survey.name = survey.name.min(at);
            } else if *byte == b'.' && last == b'/' {
                survey.last_dot = at;
            }
            last = *byte;
        }
        survey.name = survey.name.min(survey.path);
        survey
    }
}

/// Where a byte means itself.
const IN_PATH: u8 = 1;
const IN_QUERY: u8 = 2;

static MEANS_ITSELF: [u8; 256] = {
    let mut places = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        places[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => IN_PATH | IN_QUERY,
            b'=' | b'&' | b'+' | b',' | b':' | b'@' | b'!' | b'*' | b'(' | b')' | b'$' | b'?' => IN_QUERY,
            _ => 0,
        };
        byte += 1;
    }
    places
};

/// Whether what begins here stays as it is.
#[inline]
fn is_plain(bytes: &[u8], place: u8) -> bool {
    MEANS_ITSELF[usize::from(bytes[0])] & place != 0 || bytes[0] == b'%' && is_needed(bytes)
}

/// Whether an encoding is in capitals, and of a byte that needs it.
fn is_needed(encoding: &[u8]) -> bool {
    let digit = |at: usize| {
        encoding.get(at).filter(|digit| !digit.is_ascii_lowercase()).and_then(|digit| hex(*digit))
    };
    match (digit(1), digit(2)) {
        (Some(high), Some(low)) => {
            let byte = high * 16 + low;
            !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'.' | b'_' | b'~')
        }
        _ => false,
    }
}

/// Whether a name of a host stays as it is: small letters, digits and `-`. Letters at its end, so it is no number; `xn--` is
/// to be decoded.
fn is_plain_name(name: &str) -> bool {
    let (mut label, mut is_word) = (0, true);
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            b'a'..=b'z' => {}
            b'0'..=b'9' | b'-' => is_word = false,
            b'.' if at > label => (label, is_word) = (at + 1, true),
            _ => return false,
        }
        if byte == b'-' && name[label..].starts_with("xn--") {
            return false;
        }
    }
    label < name.len() && is_word
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Most references are never parsed; nobody may be able to tell.
        #[test]
        fn a_plain_reference_is_joined_as_any_other(
            (wishes, normalise) in any::<(bool, [bool; 3])>(),
            base in "https?://(u(:p)?@)?((www\\.)?h\\.test\\.?|127\\.0\\.0\\.1|\\[::1\\])(:80|:81)?(/[a-c.]{0,3}(%2[0EF])?){0,4}(\\?q=[a1])?(#f)?",
            references in prop::collection::vec(
                prop_oneof![
                    "(\\.\\./|\\./|/){0,4}[a-c./~_:-]{0,8}(#x)?",
                    "(\\.\\./|/)?[a-c./]{0,4}(%[2F][0EFaf])?[a-c]{0,2}(\\?[a-c=&+:@%'.;?/-]{0,8})?(#x)?",
                    "[a-c/]{0,2}\\?([&=]|a=[b1]|utm_a=b|GCLID=1|sid=[a1]{14,18}|%[26][05EFef]|%){0,5}(#x)?",
                    "[ -~]{0,12}",
                    "[ -~]{0,2}#[ -~]{0,2}",
                    "https?://([a-c0-9_-]{0,3}|xn--[a-c0-9]{1,4}|0x1)(\\.[a-cA-C0-9-]{0,4}|\\.xn--a){0,3}\\.?(:80)?(/[a-c.~]{0,3}(%[2F][0EF])?){0,3}(\\?[a-c=&]{0,4}(%[2F][0EF])?)?(#y)?",
                ],
                1..6,
            ),
        ) {
            let base = Url::parse(&base).unwrap();
            let [drop_query, drop_trailing_slash, drop_www] = normalise.map(|flag| flag && wishes);
            let normalise = Normalise { drop_query, drop_trailing_slash, drop_www };
            let mut joiner = Joiner::new(&base, normalise);
            for reference in references.iter().flat_map(|reference| [reference.clone(), format!("{reference}#z")]) {
                let joined = base.join(&reference).map_err(|error| UrlError::Invalid(error.to_string()));
                let expected = joined.and_then(|url| normalise.canonical(&url));
                prop_assert_eq!(joiner.join(&reference), expected, "{}", reference);
            }
        }
    }

    #[test]
    fn what_is_on_most_pages_needs_no_parsing() {
        let base = Url::parse("http://e.com/a%20b/c?d").unwrap();
        for (reference, expected) in [
            ("", None),
            ("x", Some("http://e.com/a%20b/x")),
            ("../../x.html", Some("http://e.com/x.html")),
            ("/x%2Fy?a=b&utm_source=c", Some("http://e.com/x%2Fy?a=b")),
            ("?fbclid=1", Some("http://e.com/a%20b/c")),
            ("https://f.org", Some("https://f.org/")),
            ("https://f.org?a", Some("https://f.org/?a")),
            (
                "https://bugs.f.org/enter?product=A%20b&c=d:e",
                Some("https://bugs.f.org/enter?product=A%20b&c=d:e"),
            ),
            ("x%2fy", None),
            ("x%41", None),
            ("x?a=%", None),
            ("x;y", None),
            ("a/./b", None),
            ("https://f.org/a/../b", None),
            ("https://F.org/", None),
        ] {
            let mut joiner = Joiner::new(&base, Normalise::default());
            assert_eq!(joiner.join_plain(reference).as_ref().map(PageUrl::as_str), expected, "{reference}");
        }
    }
}
