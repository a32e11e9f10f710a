//! The page that a question is about: given with it, or asked for once.

use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use crawl::{Network, WallClock, single_page};
use model::{CrawlSettings, Headers, PageUrl, Project, ProjectName};
use serde::{Deserialize, Serialize};

use crate::ServiceError;

/// A page, or where it is to be had.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Given {
    /// Its text.
    pub html: Option<String>,
    /// Its bytes.
    pub html_base64: Option<String>,
    /// Where it stands; asked for there when neither text nor bytes are given.
    pub url: Option<String>,
    /// What it is, as a server would say it.
    pub content_type: Option<String>,
    /// How to ask for it.
    pub crawl: Option<CrawlSettings>,
}

/// A page as it came.
#[derive(Clone, Debug, Default)]
pub struct RawPage {
    /// Its bytes.
    pub body: Bytes,
    /// What the server said of it.
    pub headers: Headers,
    /// Where it is from, after redirects; none when nobody says.
    pub url: Option<PageUrl>,
}

impl Given {
    /// The page. `allow` names private addresses that may be asked all the same: the bundled demo site.
    pub async fn page(self, allow: &[SocketAddr], clock: &WallClock) -> Result<RawPage, ServiceError> {
        let wrong = |problem: &str| ServiceError::Question(problem.to_owned());
        let url = self.url.as_deref().map(parse).transpose()?;
        let kind = self.content_type;
        match (self.html, self.html_base64) {
            (Some(text), None) => {
                // The text is decoded already, whatever it says of itself.
                let kind = kind.unwrap_or_else(|| "text/html".to_owned());
                let kind = format!("{}; charset=utf-8", kind.split(';').next().unwrap_or_default());
                Ok(RawPage { body: text.into(), headers: typed(Some(&kind), clock), url })
            }
            (None, Some(text)) => {
                let body = bytes_of(&text).map_err(|error| wrong(&format!("html_base64: {error}")))?;
                let kind = kind.or_else(|| html_unless_known(&body).map(str::to_owned));
                Ok(RawPage { body: body.into(), headers: typed(kind.as_deref(), clock), url })
            }
            (None, None) => {
                let url = url.ok_or_else(|| wrong("give html, html_base64 or url"))?;
                ask(url, self.crawl.unwrap_or_default(), allow, clock).await
            }
            _ => Err(wrong("give one of html and html_base64")),
        }
    }
}

/// Bytes that were written as base64, in either alphabet, with or without its padding, on one line or many.
pub fn bytes_of(base64: &str) -> Result<Vec<u8>, String> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let engine = GeneralPurpose::new(&base64::alphabet::STANDARD, config);
    // The alphabet for URLs has two other letters.
    let standard = |byte: u8| match byte {
        b'-' => b'+',
        b'_' => b'/',
        byte => byte,
    };
    let plain: Vec<u8> = base64.bytes().filter(|byte| !byte.is_ascii_whitespace()).map(standard).collect();
    engine.decode(plain).map_err(|error| {
        let why = error.to_string().to_lowercase();
        format!("neither base64 nor base64url ({})", why.trim_end_matches('.'))
    })
}

/// The type of bytes that were given as HTML without one: HTML, unless they are plainly something else.
pub fn html_unless_known(body: &[u8]) -> Option<&'static str> {
    let kind = extract::kind(None, body);
    // A stray control character makes no other kind of it.
    matches!(kind, extract::Kind::PlainText | extract::Kind::Other).then_some("text/html")
}

impl RawPage {
    /// The page as text.
    pub fn text(&self) -> String {
        let nowhere = PageUrl::parse("http://localhost/").expect("a URL");
        let url = self.url.as_ref().unwrap_or(&nowhere);
        let kind = self.headers.get("content-type");
        extract::decode(&self.body, kind, extract::Kind::Html, url).0.into_owned()
    }
}

async fn ask(
    url: PageUrl,
    crawl: CrawlSettings,
    allow: &[SocketAddr],
    clock: &WallClock,
) -> Result<RawPage, ServiceError> {
    let name = ProjectName::of(&url);
    let project = Project { name, start: vec![url.clone()], crawl, fields: None, index: None };
    let network = Network::new(&project, allow, 1, *clock)?;
    let fetched = single_page(&network, &project.crawl, &url, clock).await?;
    Ok(RawPage { body: fetched.content, headers: fetched.headers, url: Some(fetched.url) })
}

fn parse(text: &str) -> Result<PageUrl, ServiceError> {
    PageUrl::parse(text).map_err(|source| ServiceError::Url { text: text.to_owned(), source })
}

/// What a server would say of a page that is given: its type, and that it is of today at the latest.
fn typed(content_type: Option<&str>, clock: &WallClock) -> Headers {
    let header = |name: &str, value: &str| (name.to_owned(), Bytes::copy_from_slice(value.as_bytes()));
    let kind = content_type.map(|value| header("content-type", value));
    Headers(kind.into_iter().chain([header("date", &clock.now().to_string())]).collect())
}

#[cfg(test)]
mod tests {
    use super::bytes_of;

    #[test]
    fn base64_is_read_in_both_alphabets_and_with_any_padding() {
        let bytes = [0xfb, 0xff, 0xbf, 0x3e];
        for text in ["+/+/Pg==", "-_-_Pg==", "-_-_Pg", "+/+_\n Pg", "+/-/Pg=", "+/+/Pg==\r\n"] {
            assert_eq!(bytes_of(text).as_deref(), Ok(&bytes[..]), "{text:?}");
        }
        assert_eq!(bytes_of("").as_deref(), Ok(&[][..]));
        for text in ["<p>words</p>", "a", "Pg=g", "é"] {
            let error = bytes_of(text).unwrap_err();
            assert!(error.starts_with("neither base64 nor base64url (invalid "), "{text:?}: {error}");
        }
    }
}
