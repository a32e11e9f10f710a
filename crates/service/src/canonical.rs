//! What canonicalising changed in a URL, in words.
//!
//! The canonical form itself comes from `model`; this only compares.

use model::{Normalise, PageUrl};
use url::Url;

/// What leads from the text to its canonical form; empty when it is canonical already.
pub(crate) fn changes(text: &str, canonical: &PageUrl, normalise: Normalise) -> Vec<String> {
    let mut changes = Vec::new();
    let Ok(url) = Url::parse(text) else { return changes };
    if text == canonical.as_str() {
        return changes;
    }
    if !url.username().is_empty() || url.password().is_some() {
        changes.push("user name and password dropped".to_owned());
    }
    if let Some(fragment) = url.fragment() {
        changes.push(format!("fragment #{fragment} dropped"));
    }
    let typed = typed_authority(text);
    let default_port = if url.scheme() == "https" { ":443" } else { ":80" };
    if typed.ends_with(default_port) && url.port().is_none() {
        changes.push(format!("default port {default_port} dropped"));
    }
    let host = url.host_str().unwrap_or_default();
    if !typed.is_ascii() {
        changes.push(format!("host name written as {host}"));
    } else if typed != typed.to_ascii_lowercase() {
        changes.push("host name in lower case".to_owned());
    }
    if normalise.drop_www && host.starts_with("www.") && !canonical.authority().starts_with("www.") {
        changes.push("www. dropped (drop_www)".to_owned());
    }
    if url.path().to_ascii_lowercase().contains(";jsessionid=") && !canonical.path().contains(";jsessionid=")
    {
        changes.push("session id in the path dropped".to_owned());
    }
    if text.contains("/./") || text.contains("/../") || text.ends_with("/..") {
        changes.push("dot segments resolved".to_owned());
    }
    let slash = url.path().len() > 1 && url.path().ends_with('/') && !canonical.path().ends_with('/');
    if normalise.drop_trailing_slash && slash {
        changes.push("trailing slash dropped (drop_trailing_slash)".to_owned());
    }
    query(&url, canonical, normalise, &mut changes);
    if changes.is_empty() {
        changes.push("spelling: scheme, slashes, percent-encoding".to_owned());
    }
    changes
}

fn query(url: &Url, canonical: &PageUrl, normalise: Normalise, changes: &mut Vec<String>) {
    let Some(query) = url.query() else { return };
    if normalise.drop_query {
        changes.push(format!("query ?{query} dropped (drop_query)"));
        return;
    }
    let names = |query: &str| -> Vec<String> {
        let parameters = query.split('&').filter(|parameter| !parameter.is_empty());
        parameters.map(|parameter| parameter.split('=').next().unwrap_or_default().to_owned()).collect()
    };
    let mut kept = names(canonical.query().unwrap_or_default());
    for name in names(query) {
        match kept.iter().position(|other| same_name(other, &name)) {
            Some(at) => _ = kept.remove(at),
            None => changes.push(format!("parameter {name} dropped (tracking or session)")),
        }
    }
    if query.is_empty() {
        changes.push("empty query dropped".to_owned());
    }
}

/// Percent-encodings of a name may have been tidied.
fn same_name(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
        || (one.contains('%') || other.contains('%')) && one.get(..1) == other.get(..1)
}

/// Host and port as typed, without user information.
fn typed_authority(text: &str) -> &str {
    let rest = text.trim().split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, normalise: Normalise, expected: &[&str]) {
        let canonical = normalise.parse(text).unwrap();
        assert_eq!(changes(text, &canonical, normalise), expected, "{text} → {canonical}");
    }

    #[test]
    fn every_change_has_its_words() {
        let plain = Normalise::default();
        check("http://e.com/a?b=1", plain, &[]);
        check("http://e.com/a#top", plain, &["fragment #top dropped"]);
        check("http://u:p@e.com/", plain, &["user name and password dropped"]);
        check("HTTP://E.com:80/", plain, &["default port :80 dropped", "host name in lower case"]);
        check("http://e.com/a/../b", plain, &["dot segments resolved"]);
        check(
            "http://e.com/p?utm_source=x&id=1",
            plain,
            &["parameter utm_source dropped (tracking or session)"],
        );
        check("http://e.com/p;jsessionid=1A2B", plain, &["session id in the path dropped"]);
        check("http://bücher.example/", plain, &["host name written as xn--bcher-kva.example"]);
        check("http://e.com/%7eu", plain, &["spelling: scheme, slashes, percent-encoding"]);
        let all = Normalise { drop_query: true, drop_trailing_slash: true, drop_www: true };
        check(
            "http://www.e.com/a/?b=1",
            all,
            &[
                "www. dropped (drop_www)",
                "trailing slash dropped (drop_trailing_slash)",
                "query ?b=1 dropped (drop_query)",
            ],
        );
    }
}
