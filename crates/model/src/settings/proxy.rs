//! Proxies as the user names them: `http://user:password@proxy.test:3128`, `socks5://127.0.0.1:1080`.

use std::fmt;
use std::str::FromStr;

use url::Url;

use super::ValueError;
use super::text::written_as_text;

/// One proxy. Its password is written into the project file and nowhere else: `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ProxyUrl {
    text: String,
    /// What it speaks.
    pub scheme: ProxyScheme,
    /// Its name or address; an IPv6 address without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// User and password.
    pub login: Option<(String, String)>,
}

/// What a proxy speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProxyScheme {
    /// `http`: CONNECT for https, whole URLs for http.
    Http,
    /// `socks5`: names are resolved here.
    Socks5,
    /// `socks5h`: names are resolved by the proxy.
    Socks5h,
}

/// Whether the proxies share the hosts, or one serves the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProxyPer {
    /// Each host has its own.
    #[default]
    Host,
    /// The first that works serves all.
    Run,
}

written_as_text!(ProxyUrl, "URL: http://proxy.test:3128, http://user:password@…, socks5://…, socks5h://…");
written_as_text!(ProxyPer, "host or run");

impl FromStr for ProxyUrl {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<ProxyUrl, ValueError> {
        let refuse = || {
            // What stands before the last @ may be a password; without one, what should be a port.
            let shown = match (text.rsplit_once('@'), text.rsplit_once(':')) {
                (Some((_, host)), _) => format!("…@{host}"),
                (None, Some((before, after))) if !after.starts_with("//") => format!("{before}:…"),
                _ => text.to_owned(),
            };
            let hint = "write http://proxy.test:3128, socks5://… or socks5h://…, with user:password@ before the name";
            ValueError::new(&shown, "proxy", hint)
        };
        let url = Url::parse(text).map_err(|_| refuse())?;
        let (scheme, usual_port) = match url.scheme() {
            "http" => (ProxyScheme::Http, 80),
            "socks5" => (ProxyScheme::Socks5, 1080),
            "socks5h" => (ProxyScheme::Socks5h, 1080),
            _ => return Err(refuse()),
        };
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(refuse)?;
        let bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
        if !bare || host.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(refuse());
        }
        let login = match (url.username(), url.password()) {
            ("", None) => None,
            (user, password) => Some((
                decoded(user).ok_or_else(refuse)?,
                decoded(password.unwrap_or_default()).ok_or_else(refuse)?,
            )),
        };
        Ok(ProxyUrl {
            text: text.to_owned(),
            scheme,
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: url.port().unwrap_or(usual_port),
            login,
        })
    }
}

/// With its `%40` and the like undone.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match hex.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.chars().any(char::is_control))
}

impl fmt::Display for ProxyUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for ProxyUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProxyUrl({:?} {}:{})", self.scheme, self.host, self.port)
    }
}

impl FromStr for ProxyPer {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<ProxyPer, ValueError> {
        match text {
            "host" => Ok(ProxyPer::Host),
            "run" => Ok(ProxyPer::Run),
            _ => Err(ValueError::new(text, "choice of proxies", "write host or run")),
        }
    }
}

impl fmt::Display for ProxyPer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProxyPer::Host => "host",
            ProxyPer::Run => "run",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_proxy_has_a_scheme_a_place_and_perhaps_a_login() {
        let check = |text: &str, scheme, host: &str, port, login: Option<(&str, &str)>| {
            let proxy: ProxyUrl = text.parse().unwrap();
            let login = login.map(|(user, password)| (user.to_owned(), password.to_owned()));
            assert_eq!((proxy.scheme, &*proxy.host, proxy.port), (scheme, host, port), "{text}");
            assert_eq!((proxy.login.clone(), proxy.to_string()), (login, text.to_owned()));
        };
        check("http://proxy.test:3128", ProxyScheme::Http, "proxy.test", 3128, None);
        check("http://10.0.0.1/", ProxyScheme::Http, "10.0.0.1", 80, None);
        check("socks5://[::1]:9050", ProxyScheme::Socks5, "::1", 9050, None);
        check("socks5h://127.0.0.1", ProxyScheme::Socks5h, "127.0.0.1", 1080, None);
        check("http://ann:p%40ss@p.test:1", ProxyScheme::Http, "p.test", 1, Some(("ann", "p@ss")));
        check("http://ann@p.test:1", ProxyScheme::Http, "p.test", 1, Some(("ann", "")));
    }

    #[test]
    fn a_password_is_told_to_nobody() {
        for text in [
            "https://ann:s3cret@p.test",
            "ann:s3cret@p.test",
            "http://ann:s3cret@p.test/x",
            "ftp://a:s3cret@p",
            "http://ann:s3cret",
            "ann:s3cret",
            "socks5://ann:s3cret p.test",
        ] {
            let error = text.parse::<ProxyUrl>().unwrap_err();
            assert!(
                !error.to_string().contains("s3cret") && !format!("{error:?}").contains("s3cret"),
                "{error}"
            );
        }
        let proxy: ProxyUrl = "http://ann:s3cret@p.test:1".parse().unwrap();
        assert_eq!(format!("{proxy:?}"), "ProxyUrl(Http p.test:1)");
    }

    proptest! {
        #[test]
        fn any_text_is_a_proxy_or_refused(text in "(http|socks5|socks5h)?(://)?[ -~]{0,20}@?[a-z.:\\[\\]0-9%]{0,12}") {
            if let Ok(proxy) = text.parse::<ProxyUrl>() {
                prop_assert!(!proxy.host.is_empty());
                prop_assert_eq!(proxy.to_string().parse::<ProxyUrl>(), Ok(proxy));
            }
        }
    }
}
