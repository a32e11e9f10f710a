//! The sort-friendly form of a URL, under which replay tools look a page up: `com,example)/path?a=1&b=2`.
//!
//! Made so that two URLs which usually name one page get one key: host labels reversed and without `www.`,
//! everything in lower case, parameters in order. Agrees with the form that pywb makes of ordinary URLs.

use url::Url;

/// The sort key of a URL. A text that is no URL is its own key.
pub fn surt(text: &str) -> String {
    let Ok(url) = Url::parse(text) else {
        return escape(text.as_bytes());
    };
    let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
        return escape(text.as_bytes());
    };
    let mut key = reversed(host);
    if let Some(port) = url.port() {
        key.push_str(&format!(":{port}"));
    }
    key.push(')');
    key.push_str(&path_key(url.path()));
    if let Some(query) = url.query().filter(|query| !query.is_empty()) {
        key.push('?');
        key.push_str(&query_key(query));
    }
    key.make_ascii_lowercase();
    key
}

/// The host's labels from the last to the first, without `www.`, `www2.`, …; addresses too, as others do it.
fn reversed(host: &str) -> String {
    let host = host.trim_start_matches('[').trim_end_matches(']').trim_matches('.');
    let numbered = host.strip_prefix("www").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let host = numbered.and_then(|rest| rest.strip_prefix('.')).unwrap_or(host);
    host.rsplit('.').collect::<Vec<_>>().join(",")
}

/// The path without empty segments, dot segments and trailing slash.
fn path_key(path: &str) -> String {
    let plain = unescape(path.as_bytes());
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in plain.split(|&byte| byte == b'/') {
        match segment {
            b"" | b"." => {}
            b".." if !kept.is_empty() => drop(kept.pop()),
            segment => kept.push(segment),
        }
    }
    kept.iter().fold(String::new(), |key, segment| key + "/" + &escape(segment))
        + if kept.is_empty() { "/" } else { "" }
}

/// The parameters sorted by name, then value.
fn query_key(query: &str) -> String {
    let plain = escape(&unescape(query.as_bytes())).to_ascii_lowercase();
    let mut parameters: Vec<_> =
        plain.split('&').map(|parameter| parameter.split_once('=').ok_or(parameter)).collect();
    parameters.sort_by_key(|parameter| match *parameter {
        Ok((name, value)) => (name, Some(value)),
        Err(name) => (name, None),
    });
    let texts = parameters.into_iter().map(|parameter| match parameter {
        Ok((name, value)) => format!("{name}={value}"),
        Err(name) => name.to_owned(),
    });
    texts.collect::<Vec<_>>().join("&")
}

/// Undoes percent-encoding until there is none left, so that double encoding makes no second key.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    for &byte in text {
        plain.push(byte);
        // Undone on the way: each byte that completes an escape may complete another with what stands before.
        while let [.., b'%', high, low] = plain[..] {
            let Some(value) = hex(high).zip(hex(low)).map(|(high, low)| high << 4 | low) else { break };
            plain.truncate(plain.len() - 3);
            plain.push(value);
        }
    }
    plain
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// Escapes once what would break a line of an index or read as an escape.
fn escape(plain: &[u8]) -> String {
    let mut text = String::with_capacity(plain.len());
    for &byte in plain {
        match byte {
            b'%' | b'#' | ..=b' ' | 0x7f.. => text.push_str(&format!("%{byte:02x}")),
            _ => text.push(char::from(byte)),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(url: &str, expected: &str) {
        assert_eq!(surt(url), expected, "for {url}");
    }

    /// The expected keys are those of pywb's own key maker.
    #[test]
    fn ordinary_urls_have_the_keys_that_replay_tools_look_for() {
        check("http://example.com/", "com,example)/");
        check("https://www.Example.co.uk/A/b.HTML", "uk,co,example)/a/b.html");
        check("http://www2.example.com/a/", "com,example)/a");
        check("http://wwwx.example.com/", "com,example,wwwx)/");
        check("http://example.com:8080/x?b=2&a=1&a=0&c", "com,example:8080)/x?a=0&a=1&b=2&c");
        check("https://example.com:443/x?", "com,example)/x");
        check("http://example.com/a//b/../c/", "com,example)/a/c");
        check("http://example.com/%C3%BC?q=%C3%9C%20x", "com,example)/%c3%bc?q=%c3%9c%20x");
        check("http://example.com/a%2fb%252Fc%23", "com,example)/a/b/c%23");
        check("http://127.0.0.1:8000/", "1,0,0,127:8000)/");
        check("http://example.com/x?a=%26b", "com,example)/x?a=&b");
        check("http://example.com/%zz%", "com,example)/%25zz%25");
        check("http://xn--bcher-kva.example/", "example,xn--bcher-kva)/");
    }

    proptest! {
        #[test]
        fn a_key_never_breaks_its_line(text in prop_oneof![".*", "https?://[a-z.]{1,10}/[ -~ä\n]{0,30}"]) {
            let key = surt(&text);
            prop_assert!(key.bytes().all(|byte| byte > b' ' && byte < 0x7f), "{}", key);
        }
    }
}
