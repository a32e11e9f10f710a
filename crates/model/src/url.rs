//! URLs that are canonical once parsed, so that two names for one page compare equal before anything is fetched.
//!
//! Parsing follows the WHATWG URL standard. On top of it: user information and fragment are dropped, an empty
//! query is dropped, a host's trailing dot is dropped, percent-encodings are upper-case and used only where
//! needed, and parameters that track visitors or carry session ids are stripped by list.

mod joiner;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use url::Url;

pub use joiner::Joiner;

/// An absolute `http` or `https` URL in canonical form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct PageUrl(Arc<str>);

/// A host and its port, always written out: `example.com:443`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Host(Arc<str>);

/// Scheme, host and port: what robots.txt and cookies belong to. Written without a trailing slash.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Origin(Arc<str>);

/// Further normalisation that a project may ask for; all off by default, as each can merge pages that differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Normalise {
    /// Drop the whole query.
    pub drop_query: bool,
    /// Drop a trailing slash of the path.
    pub drop_trailing_slash: bool,
    /// Drop a leading `www.` of the host.
    pub drop_www: bool,
}

/// Why a text is no URL of a page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Not a URL.
    #[error("not a URL: {0}")]
    Invalid(String),
    /// A scheme that names no Web page.
    #[error("the scheme {0:?} names no Web page (http and https do)")]
    Scheme(String),
    /// Longer than any server takes.
    #[error("longer than {MAX_INPUT} bytes")]
    TooLong,
}

/// Longest text that is parsed at all. The frontier's own limit is far lower and settable.
const MAX_INPUT: usize = 64 * 1024;

/// Readings until a canonical form must have been found. Each takes something away; honest URLs need one.
const MOST_ROUNDS: usize = 8;

impl PageUrl {
    /// Parses an absolute URL.
    pub fn parse(text: &str) -> Result<PageUrl, UrlError> {
        Normalise::default().parse(text)
    }

    /// The URL as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True of a clone, which is told without a look at the text; others may be equal as well.
    pub fn is_clone_of(&self, other: &PageUrl) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &str {
        if self.is_https() { "https" } else { "http" }
    }

    /// True for `https`.
    pub fn is_https(&self) -> bool {
        self.0.as_bytes().get(4) == Some(&b's')
    }

    /// Host and port.
    pub fn host(&self) -> Host {
        let authority = self.authority();
        if has_port(authority) {
            Host(authority.into())
        } else {
            let port = if self.is_https() { 443 } else { 80 };
            Host(format!("{authority}:{port}").into())
        }
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> Origin {
        Origin(self.0[..self.path_start()].into())
    }

    /// True when scheme, host and port are the same.
    pub fn has_origin_of(&self, other: &PageUrl) -> bool {
        let origin = self.path_start();
        // A path begins with a slash, so nothing more of the name follows.
        other.0.as_bytes().get(origin) == Some(&b'/')
            && self.0.as_bytes()[..origin] == other.0.as_bytes()[..origin]
    }

    /// Path and query, from the first slash on: what a request line and robots.txt are about.
    pub fn path_and_query(&self) -> &str {
        &self.0[self.path_start()..]
    }

    /// The path alone.
    pub fn path(&self) -> &str {
        let rest = self.path_and_query();
        &rest[..rest.find('?').unwrap_or(rest.len())]
    }

    /// The query without its question mark.
    pub fn query(&self) -> Option<&str> {
        self.path_and_query().split_once('?').map(|(_, query)| query)
    }

    /// Host, and port where it is not the scheme's own: the `Host` header.
    pub fn authority(&self) -> &str {
        let start = self.scheme().len() + 3;
        &self.0[start..self.path_start()]
    }

    fn path_start(&self) -> usize {
        let start = self.scheme().len() + 3;
        // A loop, as hosts are short.
        let slash = self.0.as_bytes()[start..].iter().position(|byte| *byte == b'/');
        slash.map_or(self.0.len(), |slash| start + slash)
    }
}

impl Normalise {
    /// Parses an absolute URL, with this normalisation.
    pub fn parse(self, text: &str) -> Result<PageUrl, UrlError> {
        if text.len() > MAX_INPUT {
            return Err(UrlError::TooLong);
        }
        let url = Url::parse(text).map_err(|error| UrlError::Invalid(error.to_string()))?;
        self.canonical(&url)
    }

    /// Resolves a reference found on the page `base`.
    pub fn join(self, base: &PageUrl, reference: &str) -> Result<PageUrl, UrlError> {
        if reference.len() > MAX_INPUT {
            return Err(UrlError::TooLong);
        }
        let base = Url::parse(base.as_str()).map_err(|error| UrlError::Invalid(error.to_string()))?;
        self.join_url(&base, reference)
    }

    /// Resolves a reference against a parsed base, which may come from `<base href>`.
    pub fn join_url(self, base: &Url, reference: &str) -> Result<PageUrl, UrlError> {
        Joiner::new(base, self).join(reference)
    }

    /// The canonical form, which is its own: what is undone or taken away may lay bare more of the same
    /// (`%6asessionid`, `/..;jsessionid=1`), so it is read again until nothing changes.
    fn canonical(self, url: &Url) -> Result<PageUrl, UrlError> {
        let mut text = self.tidied(url)?;
        // A name without its last dots may be a number, and so an address.
        let dotted = url.host_str().is_some_and(|host| host.ends_with('.'));
        if !dotted && !url.as_str().contains(['%', ';']) {
            return Ok(PageUrl(text.into()));
        }
        for _ in 0..MOST_ROUNDS {
            let again = Url::parse(&text).map_err(|error| UrlError::Invalid(error.to_string()))?;
            let tidier = self.tidied(&again)?;
            if tidier == text {
                return Ok(PageUrl(text.into()));
            }
            text = tidier;
        }
        Err(UrlError::Invalid("it has no canonical form".to_owned()))
    }

    fn tidied(self, url: &Url) -> Result<String, UrlError> {
        let scheme = url.scheme();
        if scheme != "http" && scheme != "https" {
            return Err(UrlError::Scheme(scheme.to_owned()));
        }
        let mut host = url.host_str().unwrap_or_default().trim_end_matches('.');
        if host.is_empty() {
            return Err(UrlError::Invalid("no host".to_owned()));
        }
        while self.drop_www
            && let Some(rest) = host.strip_prefix("www.")
            && rest.contains('.')
        {
            host = rest;
        }
        let mut text = String::with_capacity(url.as_str().len());
        text.push_str(scheme);
        text.push_str("://");
        text.push_str(host);
        if let Some(port) = url.port() {
            text.push(':');
            text.push_str(&port.to_string());
        }
        let path_start = text.len();
        push_tidy(&mut text, strip_path_session(url.path()));
        if self.drop_trailing_slash {
            while text.len() > path_start + 1 && text.ends_with('/') {
                text.pop();
            }
        }
        if let Some(query) = url.query().filter(|_| !self.drop_query) {
            push_query(&mut text, query);
        }
        Ok(text)
    }
}

/// Copies `part` with percent-encodings in upper case, and undone for characters that never need them.
fn push_tidy(text: &mut String, part: &str) {
    let bytes = part.as_bytes();
    if !bytes.contains(&b'%') {
        text.push_str(part);
        return;
    }
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        let encoded = (bytes[at] == b'%')
            .then(|| Some((hex(*bytes.get(at + 1)?)?, hex(*bytes.get(at + 2)?)?)))
            .flatten();
        let Some((high, low)) = encoded else {
            at += 1;
            continue;
        };
        text.push_str(&part[copied..at]);
        let byte = high * 16 + low;
        let bare = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
        // After a stray `%` a bare digit would make an encoding that was none.
        if bare && !(byte.is_ascii_hexdigit() && ends_in_half_an_encoding(text)) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
        at += 3;
        copied = at;
    }
    text.push_str(&part[copied..]);
}

/// True after `%` and after `%4`, but not after `%41`.
pub(crate) fn ends_in_half_an_encoding(text: &str) -> bool {
    matches!(text.as_bytes(), [.., b'%'] | [.., b'%', _])
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// Appends `?query` without tracking and session parameters; nothing when nothing is left.
fn push_query(text: &mut String, query: &str) {
    let mut separator = '?';
    for parameter in query.split('&') {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        // Empty parameters (`?&a=1`, `?a=1&`) name nothing: without them the query means the same.
        if parameter.is_empty() || is_tracking(name) || is_session(name, value) {
            continue;
        }
        text.push(separator);
        push_tidy(text, parameter);
        separator = '&';
    }
}

/// Parameters that only say where a visitor came from.
const TRACKING: &[&str] = &[
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "_openstat",
    "dclid",
    "fbclid",
    "gbraid",
    "gclid",
    "gclsrc",
    "igshid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "srsltid",
    "ttclid",
    "twclid",
    "vero_id",
    "wbraid",
    "wickedid",
    "yclid",
];

/// Parameters that always carry a session.
const SESSION: &[&str] = &["aspsessionid", "cfid", "cftoken", "jsessionid", "phpsessid", "zenid"];

/// Names that carry a session only when their value looks like one.
const MAYBE_SESSION: &[&str] = &["s", "session", "session_id", "sessionid", "sess", "sid"];

fn is_tracking(name: &str) -> bool {
    begins(name, "utm_") || is_one_of(name, TRACKING)
}

fn is_session(name: &str, value: &str) -> bool {
    SESSION.iter().any(|known| begins(name, known)) || is_one_of(name, MAYBE_SESSION) && is_session_id(value)
}

fn begins(name: &str, known: &str) -> bool {
    name.as_bytes().get(..known.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(known.as_bytes()))
}

fn is_one_of(name: &str, known: &[&str]) -> bool {
    known.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Sixteen or more hexadecimal digits, or letters and digits mixed at that length: no word and no small number.
fn is_session_id(value: &str) -> bool {
    value.len() >= 16
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && value.bytes().filter(u8::is_ascii_digit).count() >= 4
}

/// Drops `;jsessionid=…` from the path's last segment.
fn strip_path_session(path: &str) -> &str {
    let last = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[last..].to_ascii_lowercase().find(";jsessionid=") {
        Some(at) => &path[..last + at],
        None => path,
    }
}

pub(crate) fn has_port(authority: &str) -> bool {
    // An IPv6 address has colons of its own, inside brackets.
    authority.rfind(':') > authority.rfind(']')
}

impl Host {
    /// `name:port` as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name alone; an IPv6 address without its brackets.
    pub fn name(&self) -> &str {
        let name = self.0.rsplit_once(':').map_or(&*self.0, |(name, _)| name);
        name.trim_start_matches('[').trim_end_matches(']')
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.0.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).unwrap_or(80)
    }

    /// The registered domain by the public suffix list (`example.co.uk`); the name itself for addresses.
    pub fn domain(&self) -> &str {
        let name = self.name();
        if name.parse::<std::net::IpAddr>().is_ok() {
            return name;
        }
        psl::domain_str(name).unwrap_or(name)
    }
}

impl Origin {
    /// `scheme://host[:port]`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where its robots.txt is.
    pub fn robots_url(&self) -> PageUrl {
        PageUrl(format!("{}/robots.txt", self.0).into())
    }
}

/// Only texts that are already canonical are read back; anything else is refused, not repaired.
impl<'de> Deserialize<'de> for PageUrl {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<PageUrl, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
        let plausible = rest.is_some_and(|rest| rest.find('/').is_some_and(|slash| slash > 0));
        if !plausible || text.bytes().any(|byte| byte <= b' ') {
            return Err(serde::de::Error::custom(format!("{text:?} is no canonical URL")));
        }
        Ok(PageUrl(text.into()))
    }
}

impl fmt::Display for PageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for PageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.0)
    }
}

/// Without the port where it is 80 or 443.
impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.strip_suffix(":80").or_else(|| self.0.strip_suffix(":443"));
        f.write_str(text.unwrap_or(&self.0))
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(input: &str, expected: &str) {
        let url = PageUrl::parse(input).unwrap_or_else(|error| panic!("{input}: {error}"));
        assert_eq!(url.as_str(), expected, "for {input}");
    }

    #[test]
    fn names_for_one_page_are_one_name() {
        check("HTTP://Example.COM", "http://example.com/");
        check("http://example.com:80/a/../b/./c", "http://example.com/b/c");
        check("https://example.com:443/", "https://example.com/");
        check("https://example.com:8443/", "https://example.com:8443/");
        check("http://example.com/?", "http://example.com/");
        check("http://example.com/a#part", "http://example.com/a");
        check("http://user:secret@example.com/", "http://example.com/");
        check("http://example.com./", "http://example.com/");
        check("http://example.com/%7euser/%2f%e4", "http://example.com/~user/%2F%E4");
        check("http://example.com/a b", "http://example.com/a%20b");
        check("http://bücher.example/ü?ö", "http://xn--bcher-kva.example/%C3%BC?%C3%B6");
        check("http://0x7f.1/", "http://127.0.0.1/");
        check("http://2130706433/", "http://127.0.0.1/");
        check("http://0177.0.0.1/", "http://127.0.0.1/");
        check("http://0/", "http://0.0.0.0/");
        check("http://[::ffff:10.0.0.1]/", "http://[::ffff:a00:1]/");
        check("http://[::0001]:8080/", "http://[::1]:8080/");
        check("http:\\\\example.com\\a", "http://example.com/a");
        check("http://example.com/%zz%4", "http://example.com/%zz%4");
    }

    #[test]
    fn tracking_and_session_parameters_are_stripped() {
        check("http://e.com/p?utm_source=x&id=1&fbclid=2", "http://e.com/p?id=1");
        check("http://e.com/p?PHPSESSID=abc", "http://e.com/p");
        check("http://e.com/p;jsessionid=0A1B2C?x=1", "http://e.com/p?x=1");
        check("http://e.com/p?sid=0123456789abcdef0123", "http://e.com/p");
        check("http://e.com/p?sid=12&s=shoes", "http://e.com/p?sid=12&s=shoes");
        check("http://e.com/p?&a=1&&b=2&", "http://e.com/p?a=1&b=2");
        check("http://e.com/p?a", "http://e.com/p?a");
    }

    #[test]
    fn a_project_may_ask_for_more() {
        let all = Normalise { drop_query: true, drop_trailing_slash: true, drop_www: true };
        assert_eq!(all.parse("http://www.e.com/a/?b=1").unwrap().as_str(), "http://e.com/a");
        assert_eq!(all.parse("http://www.e.com/").unwrap().as_str(), "http://e.com/");
        assert_eq!(all.parse("http://www.com/").unwrap().as_str(), "http://www.com/");
    }

    /// Each of these once had a canonical form whose own was another; the first and the last were found by the fuzzer.
    #[test]
    fn taking_away_lays_nothing_bare() {
        let all = Normalise { drop_query: false, drop_trailing_slash: true, drop_www: true };
        for (input, expected) in [
            ("https://e.c/m/a;jsessionid=1A2B/ ", "https://e.c/m/a"),
            ("http://e.com/a/b/..;jsessionid=1", "http://e.com/a"),
            ("http://e.com/p;%6asessionid=1", "http://e.com/p"),
            ("http://e.com/a;jsessionid=1/b;jsessionid=2", "http://e.com/a;jsessionid=1/b"),
            ("http://e.com/p?%75tm_source=x&a=1", "http://e.com/p?a=1"),
            ("http://e.com/p?sid=%30123456789abcdef0123", "http://e.com/p"),
            ("http://e.com/%4%31%%34%31", "http://e.com/%4%31%%341"),
            ("http://www.www.e.com/", "http://e.com/"),
            ("http://0...//h", "http://0.0.0.0//h"),
        ] {
            let url = all.parse(input).unwrap();
            assert_eq!(url.as_str(), expected, "for {input}");
            assert_eq!(all.parse(url.as_str()).as_ref(), Ok(&url));
        }
    }

    #[test]
    fn what_names_no_page_is_refused_with_the_reason() {
        for (input, reason) in [
            ("mailto:a@b.c", "the scheme \"mailto\" names no Web page (http and https do)"),
            ("file:///etc/passwd", "the scheme \"file\" names no Web page (http and https do)"),
            ("/relative", "not a URL: relative URL without a base"),
            ("http://", "not a URL: empty host"),
            ("http://a:99999/", "not a URL: invalid port number"),
        ] {
            assert_eq!(PageUrl::parse(input).unwrap_err().to_string(), reason);
        }
        assert_eq!(PageUrl::parse(&"x".repeat(MAX_INPUT + 1)), Err(UrlError::TooLong));
    }

    #[test]
    fn parts_are_found() {
        let url = PageUrl::parse("https://shop.example.co.uk:8443/a/b?c=d").unwrap();
        assert_eq!(url.host().as_str(), "shop.example.co.uk:8443");
        assert_eq!(url.host().domain(), "example.co.uk");
        assert_eq!(url.origin().robots_url().as_str(), "https://shop.example.co.uk:8443/robots.txt");
        assert_eq!((url.path(), url.query()), ("/a/b", Some("c=d")));
        assert_eq!(url.authority(), "shop.example.co.uk:8443");
        let plain = PageUrl::parse("http://[::1]/").unwrap();
        assert_eq!(
            (plain.host().as_str(), plain.host().name(), plain.host().port()),
            ("[::1]:80", "::1", 80)
        );
        assert_eq!(plain.host().domain(), "::1");
    }

    #[test]
    fn references_resolve_against_their_page() {
        let base = PageUrl::parse("http://e.com/a/b").unwrap();
        let join = |reference| Normalise::default().join(&base, reference).unwrap().to_string();
        assert_eq!(join("c?d#e"), "http://e.com/a/c?d");
        assert_eq!(join("../../c"), "http://e.com/c");
        assert_eq!(join("//other.com"), "http://other.com/");
        assert_eq!(join("?x=1"), "http://e.com/a/b?x=1");
        assert_eq!(
            (join("c "), join("c #d")),
            ("http://e.com/a/c".to_owned(), "http://e.com/a/c%20".to_owned())
        );
    }

    proptest! {
        /// The sieve rests on this: a canonical URL is its own canonical form.
        #[test]
        fn canonical_is_a_fixed_point(text in "https?://[a-zA-Z0-9.%-]{1,20}(:[0-9]{1,4})?(/[ -~äß€]{0,12}){0,4}(\\?[ -~ä]{0,20})?") {
            if let Ok(url) = PageUrl::parse(&text) {
                prop_assert_eq!(PageUrl::parse(url.as_str()).unwrap(), url.clone());
                let stored: PageUrl = serde_json::from_str(&serde_json::to_string(&url).unwrap()).unwrap();
                prop_assert_eq!(stored, url.clone());
                prop_assert!(url.path_and_query().starts_with('/'));
            }
        }

        #[test]
        fn any_text_is_parsed_or_refused(text in ".*") {
            let _ = PageUrl::parse(&text);
        }
    }
}
