//! URLs: the first line is a page's address, the second a reference found on it.

use model::{Normalise, PageUrl, UrlKey};

pub(crate) fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (base, reference) = text.split_once('\n').unwrap_or((&text, ""));
    for flags in 0..8u8 {
        let normalise = Normalise {
            drop_query: flags & 1 != 0,
            drop_trailing_slash: flags & 2 != 0,
            drop_www: flags & 4 != 0,
        };
        let Ok(url) = normalise.parse(base) else { continue };
        check_canonical(&url, normalise);
        if let Ok(joined) = normalise.join(&url, reference) {
            check_canonical(&joined, normalise);
            let again = normalise.join(&url, joined.as_str());
            assert_eq!(again.as_ref(), Ok(&joined), "an absolute reference does not depend on its page");
        }
    }
}

/// Canonical once is canonical for ever, and the parts are those of the whole.
fn check_canonical(url: &PageUrl, normalise: Normalise) {
    let text = url.as_str();
    assert_eq!(normalise.parse(text).as_ref(), Ok(url), "canonical twice");
    assert_eq!(PageUrl::parse(text).as_ref(), Ok(url), "canonical without further wishes");
    assert!(text.bytes().all(|byte| byte.is_ascii_graphic()), "printable: {text:?}");
    assert!(!text.contains('#'), "no fragment: {text:?}");
    assert_eq!(format!("{}{}", url.origin(), url.path_and_query()), text);
    assert_eq!(format!("{}://{}{}", url.scheme(), url.authority(), url.path_and_query()), text);
    assert!(url.path().starts_with('/'), "{text:?}");
    let host = url.host();
    assert!(!host.name().is_empty() && host.as_str().ends_with(&format!(":{}", host.port())), "{text:?}");
    assert_eq!(url.origin().robots_url().host(), host);
    assert_eq!(UrlKey::of(url), UrlKey::of(&PageUrl::parse(text).expect("parsed above")));
    let json = serde_json::to_string(url).expect("a URL has a JSON form");
    assert_eq!(serde_json::from_str::<PageUrl>(&json).as_ref().ok(), Some(url), "through JSON");
    let target = http::uri::PathAndQuery::try_from(url.path_and_query());
    assert_eq!(target.map(|target| target.to_string()).ok().as_deref(), Some(url.path_and_query()));
    assert!(!archive::surt(text).is_empty());
}
