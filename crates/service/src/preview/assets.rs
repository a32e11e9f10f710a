//! Pictures and styles of a page that is looked at, asked for by us, guarded like every request.

use std::net::SocketAddr;

use crawl::{Network, WallClock};
use fetch::{Answer, Request};
use model::{Normalise, PageUrl};

use super::{Preview, proposed};
use crate::ServiceError;

/// Longest picture or style.
const LONGEST: u64 = 4 << 20;

/// Redirects on the way to one.
const MOST_HOPS: usize = 3;

/// A picture or a style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// What it is, as one of a few safe kinds.
    pub content_type: &'static str,
    /// Its bytes; in styles every address leads through us.
    pub bytes: bytes::Bytes,
}

impl Preview {
    /// A picture or a style that the page names; none when it is something else or cannot be had.
    pub async fn asset(
        &self,
        address: &str,
        path: &str,
        clock: &WallClock,
    ) -> Result<Option<Asset>, ServiceError> {
        match &self.network {
            Some(network) => ask(network, address, path, clock).await,
            None => Ok(None),
        }
    }
}

/// A picture of a page that was crawled; none when it is something else or cannot be had. `allow` names private
/// addresses that may be asked all the same.
pub async fn picture(
    address: &str,
    allow: &[SocketAddr],
    clock: &WallClock,
) -> Result<Option<Asset>, ServiceError> {
    let url =
        PageUrl::parse(address).map_err(|source| ServiceError::Url { text: address.to_owned(), source })?;
    let network = Network::new(&proposed(&url), allow, 1, *clock)?;
    let found = ask(&network, address, "", clock).await?;
    Ok(found.filter(|found| found.content_type.starts_with("image/")))
}

async fn ask(
    network: &Network,
    address: &str,
    path: &str,
    clock: &WallClock,
) -> Result<Option<Asset>, ServiceError> {
    let mut url =
        PageUrl::parse(address).map_err(|source| ServiceError::Url { text: address.to_owned(), source })?;
    for _ in 0..=MOST_HOPS {
        let Ok((ip, _)) = network.address(&url.host()).await else { return Ok(None) };
        let mut request = Request::new(url.clone(), ip, clock.now());
        request.body_limit = LONGEST;
        let Ok(Answer::Fetched(fetched) | Answer::Unwanted { fetched, .. }) = network.fetch(request).await
        else {
            return Ok(None);
        };
        if (300..400).contains(&fetched.status) {
            let target = fetched.headers.get("location");
            match target.and_then(|target| Normalise::default().join(&url, target).ok()) {
                Some(target) => url = target,
                None => return Ok(None),
            }
            continue;
        }
        if fetched.status != 200 {
            return Ok(None);
        }
        let said = fetched.headers.get("content-type").unwrap_or_default();
        let Some(content_type) = safe_type(said) else { return Ok(None) };
        let bytes = if content_type.starts_with("text/css") {
            let css = String::from_utf8_lossy(&fetched.content);
            rewrite_css(&css, &url, path).into()
        } else {
            fetched.content.clone()
        };
        return Ok(Some(Asset { content_type, bytes }));
    }
    Ok(None)
}

/// Kinds that a frame without scripts shows, under our own name for them.
fn safe_type(said: &str) -> Option<&'static str> {
    const KINDS: [&str; 10] = [
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/avif",
        "image/x-icon",
        "image/bmp",
        "font/woff2",
        "font/woff",
        "image/svg+xml",
    ];
    let kind = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "text/css" => Some("text/css; charset=utf-8"),
        "image/jpg" => Some("image/jpeg"),
        "image/vnd.microsoft.icon" => Some("image/x-icon"),
        kind => KINDS.into_iter().find(|known| *known == kind),
    }
}

/// The path that asks us for an address; none for addresses that are none.
pub(super) fn proxied(address: &str, base: &PageUrl, path: &str) -> Option<String> {
    let url = Normalise::default().join(base, address.trim()).ok()?;
    let encoded: String = url::form_urlencoded::byte_serialize(url.as_str().as_bytes()).collect();
    Some(format!("{path}{encoded}"))
}

/// The style with every address leading through us. What cannot be understood is left out: the policy of the answer
/// forbids everything that does not come from us anyway.
pub(super) fn rewrite_css(css: &str, base: &PageUrl, path: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = next_address(rest) {
        let (before, tail) = rest.split_at(at.start);
        out.push_str(before);
        let address = &tail[at.address.clone()];
        let data = address.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("data:image/"));
        let target = if data && !address.contains(['"', '\\', '\n']) {
            Some(address.to_owned())
        } else {
            proxied(address, base, path)
        };
        let _ = match target {
            Some(target) => std::fmt::Write::write_fmt(&mut out, format_args!("url(\"{target}\")")),
            None => std::fmt::Write::write_fmt(&mut out, format_args!("url()")),
        };
        rest = &tail[at.length..];
    }
    out.push_str(rest);
    out
}

/// An address in a style: `url(…)`, or the text after `@import`.
struct Address {
    start: usize,
    length: usize,
    /// Within what starts at `start`.
    address: std::ops::Range<usize>,
}

fn next_address(css: &str) -> Option<Address> {
    let lower = css.to_ascii_lowercase();
    let url = lower.find("url(");
    let import = lower.find("@import").and_then(|at| {
        let quote = at + 7 + css[at + 7..].find(|c: char| !c.is_whitespace())?;
        matches!(css.as_bytes()[quote], b'"' | b'\'').then_some(quote)
    });
    match (url, import) {
        (url, Some(import)) if url.is_none_or(|url| import < url) => {
            let quote = char::from(css.as_bytes()[import]);
            let end = css[import + 1..].find(quote).map_or(css.len() - import - 1, |end| end);
            let length = (end + 2).min(css.len() - import);
            Some(Address { start: import, length, address: 1..end + 1 })
        }
        (Some(url), _) => {
            let inner = &css[url + 4..];
            let skipped = inner.len() - inner.trim_start().len();
            let quote = inner[skipped..].chars().next().filter(|c| matches!(c, '"' | '\''));
            let from = skipped + usize::from(quote.is_some());
            let stop = match quote {
                Some(quote) => inner[from..].find(quote),
                None => inner[from..].find(')'),
            };
            let end = from + stop.unwrap_or(inner.len() - from);
            let close = inner[end..].find(')').map_or(inner.len(), |close| end + close + 1);
            Some(Address { start: url, length: 4 + close, address: 4 + from..4 + end })
        }
        (None, None) => None,
        (None, Some(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(css: &str, expected: &str) {
        let base = PageUrl::parse("http://shop.test/css/all.css").unwrap();
        assert_eq!(rewrite_css(css, &base, "/a?u="), expected);
    }

    #[test]
    fn addresses_in_styles_lead_through_us() {
        check("a{b:url(x.png)}c", "a{b:url(\"/a?u=http%3A%2F%2Fshop.test%2Fcss%2Fx.png\")}c");
        check("a{b: URL( '../x.png' )}", "a{b: url(\"/a?u=http%3A%2F%2Fshop.test%2Fx.png\")}");
        check("@import \"b.css\";", "@import url(\"/a?u=http%3A%2F%2Fshop.test%2Fcss%2Fb.css\");");
        check("a{b:url(data:image/png;base64,AA==)}", "a{b:url(\"data:image/png;base64,AA==\")}");
        check("a{b:url(javascript:alert(1))}", "a{b:url())}");
    }

    #[test]
    fn only_pictures_styles_and_fonts_are_handed_on() {
        assert_eq!(safe_type("Image/PNG; x=y"), Some("image/png"));
        assert_eq!(safe_type("text/html"), None);
        assert_eq!(safe_type("application/javascript"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_style_is_rewritten(css in "(url\\(|@import |[\"'() a\\\\é]){0,30}") {
            let base = PageUrl::parse("http://shop.test/").unwrap();
            rewrite_css(&css, &base, "/a?u=");
        }
    }
}
