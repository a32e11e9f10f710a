//! What a request carries besides its URL, and the name server that is asked: small checked texts.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use super::ValueError;
use super::text::written_as_text;
use crate::PageUrl;

/// A cookie as a server would set it: `name=value; Domain=shop.test; Path=/`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CookieText(String);

written_as_text!(CookieText, "cookie: name=value; Domain=shop.test; Path=/");

/// Address and port of a name server; port 53 unless written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameServer(pub SocketAddr);

written_as_text!(NameServer, "address: 192.0.2.1, 192.0.2.1:5353, [2001:db8::1]:53");

/// Addresses that may be asked although they are private: one, one with its port, or a whole network.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AddressRange(String);

written_as_text!(AddressRange, "range: 127.0.0.1, 127.0.0.1:8300, 10.1.0.0/16");

impl AddressRange {
    /// As written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AddressRange {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<AddressRange, ValueError> {
        let network = text.split_once('/').is_some_and(|(address, bits)| {
            let longest = address.parse::<IpAddr>().map(|address| if address.is_ipv4() { 32 } else { 128 });
            longest.is_ok_and(|longest| bits.parse::<u8>().is_ok_and(|bits| bits <= longest))
        });
        if network || text.parse::<IpAddr>().is_ok() || text.parse::<SocketAddr>().is_ok() {
            return Ok(AddressRange(text.to_owned()));
        }
        Err(ValueError::new(text, "range of addresses", "write 127.0.0.1, 127.0.0.1:8300 or 10.1.0.0/16"))
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl CookieText {
    /// The cookie as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CookieText {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<CookieText, ValueError> {
        let pair = text.split(';').next().unwrap_or_default();
        let named = pair.split_once('=').is_some_and(|(name, _)| is_token(name.trim()));
        if !named || text.chars().any(char::is_control) {
            return Err(ValueError::new(text, "cookie", "write name=value; Domain=shop.test"));
        }
        Ok(CookieText(text.to_owned()))
    }
}

impl fmt::Display for CookieText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for NameServer {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<NameServer, ValueError> {
        let address: Option<SocketAddr> = text.parse().ok();
        let bare = || text.parse::<IpAddr>().ok().map(|address| SocketAddr::new(address, 53));
        address.or_else(bare).map(NameServer).ok_or_else(|| {
            ValueError::new(text, "name server", "write its address, as in 192.0.2.1 or 192.0.2.1:5353")
        })
    }
}

impl fmt::Display for NameServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Headers whose names and values can stand in a request. Framing and connection stay in our hands.
pub(super) fn headers<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    const OURS: [&str; 5] = ["host", "content-length", "transfer-encoding", "connection", "upgrade"];
    let headers = BTreeMap::<String, String>::deserialize(deserializer)?;
    for (name, value) in &headers {
        let refuse = |hint: &str| Err(serde::de::Error::custom(ValueError::new(name, "header", hint)));
        if !is_token(name) {
            return refuse("a name is made of letters, digits and -");
        }
        if OURS.iter().any(|ours| ours.eq_ignore_ascii_case(name)) {
            return refuse("Gannet sets it itself");
        }
        if value.chars().any(|c| c.is_control() && c != '\t') {
            return refuse("its value has control characters");
        }
    }
    Ok(headers)
}

/// A text that goes into a header, on one line.
pub(super) fn header_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    match text {
        Some(text) if text.trim().is_empty() || text.chars().any(char::is_control) => {
            Err(serde::de::Error::custom(ValueError::new(&text, "header text", "it goes on one line")))
        }
        text => Ok(text),
    }
}

/// A URL in any spelling.
pub(super) fn url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PageUrl>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let refuse =
        |error: crate::UrlError| serde::de::Error::custom(format!("{}: {error}", super::text::quoted(&text)));
    PageUrl::parse(&text).map(Some).map_err(refuse)
}

/// A number, span or size that makes no sense at zero.
pub(super) fn above_zero<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default + PartialEq,
{
    match T::deserialize(deserializer)? {
        zero if zero == T::default() => Err(serde::de::Error::custom("zero is too little here")),
        value => Ok(value),
    }
}

/// A part of a hundred.
pub(super) fn percent<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        percent @ 0..=100 => Ok(percent),
        _ => Err(serde::de::Error::custom("more than a hundred percent; write 0 to 100")),
    }
}

/// Points of a side to which images are scaled.
pub(super) fn image_side<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        side @ (16 | 32 | 64) => Ok(side),
        _ => Err(serde::de::Error::custom("no side of an image; write 16, 32 or 64")),
    }
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::{check, check_refused};
    use super::*;

    #[test]
    fn a_range_is_an_address_a_socket_or_a_network() {
        for text in ["127.0.0.1", "127.0.0.1:8300", "10.1.0.0/16", "::1", "[::1]:80", "fd00::/8"] {
            check::<AddressRange>(text, text);
        }
        for text in ["", "localhost", "10.0.0.0/33", "10.0.0.0/", "1.2.3", "::/129", "1.2.3.4/-1"] {
            let words =
                format!("{text:?} is no range of addresses; write 127.0.0.1, 127.0.0.1:8300 or 10.1.0.0/16");
            check_refused::<AddressRange>(text, &words);
        }
    }

    #[test]
    fn cookies_have_a_name_and_stay_on_one_line() {
        check::<CookieText>("session=abc; Domain=shop.test", "session=abc; Domain=shop.test");
        check::<CookieText>("empty=", "empty=");
        for text in ["session", "=x", "", "a b=c", "a=b\r\nX: y", "; a=b"] {
            let words = format!("{text:?} is no cookie; write name=value; Domain=shop.test");
            check_refused::<CookieText>(text, &words);
        }
    }

    #[test]
    fn name_servers_listen_on_port_53_unless_said() {
        check::<NameServer>("192.0.2.1", "192.0.2.1:53");
        check::<NameServer>("127.0.0.1:5353", "127.0.0.1:5353");
        check::<NameServer>("::1", "[::1]:53");
        check_refused::<NameServer>(
            "dns.test",
            "\"dns.test\" is no name server; write its address, as in 192.0.2.1 or 192.0.2.1:5353",
        );
    }
}
