//! Who we say we are: the headers that go with every request, checked once.

use http::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderMap,
    HeaderName, HeaderValue, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};

/// The headers of every request of a run.
#[derive(Clone, Debug)]
pub struct Agent {
    headers: HeaderMap,
}

/// A header that cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// Not a header's name.
    #[error("{0:?} is no header name")]
    Name(String),
    /// Line breaks and other control characters would end the header.
    #[error("the header {0} has a value with control characters")]
    Value(String),
    /// These belong to the connection, not to the user.
    #[error("the header {0} is set by the crawler itself")]
    Reserved(String),
}

/// What a request says about its own framing; a user's value could only break it.
const RESERVED: [HeaderName; 8] =
    [HOST, CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, TE, TRAILER, UPGRADE, EXPECT];

impl Agent {
    /// An agent with this `User-Agent` and further headers, which may replace the defaults.
    pub fn new(user_agent: &str, extra: &[(String, String)]) -> Result<Agent, AgentError> {
        let mut agent = Agent { headers: HeaderMap::new() };
        agent.headers.insert(USER_AGENT, value("User-Agent", user_agent)?);
        agent.headers.insert(
            ACCEPT,
            HeaderValue::from_static("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
        );
        agent.headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static("en,*;q=0.5"));
        agent.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate, br, zstd"));
        for (name, text) in extra {
            let (name, value) = header(name, text)?;
            agent.headers.insert(name, value);
        }
        Ok(agent)
    }

    /// `gannet/1.2 (+https://example.org/crawler)`: name, version, and where to complain.
    pub fn user_agent(version: &str, contact: Option<&str>) -> String {
        match contact {
            Some(contact) => format!("gannet/{version} (+{contact})"),
            None => format!("gannet/{version}"),
        }
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }
}

/// Checks one header that a user or a caller asks for.
pub(crate) fn header(name: &str, text: &str) -> Result<(HeaderName, HeaderValue), AgentError> {
    let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| AgentError::Name(name.to_owned()))?;
    if RESERVED.contains(&parsed) || parsed.as_str().starts_with("proxy-") {
        return Err(AgentError::Reserved(name.to_owned()));
    }
    Ok((parsed, value(name, text)?))
}

fn value(name: &str, text: &str) -> Result<HeaderValue, AgentError> {
    HeaderValue::from_bytes(text.as_bytes()).map_err(|_| AgentError::Value(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_agent_names_itself_and_where_to_complain() {
        assert_eq!(Agent::user_agent("0.1", Some("https://e.org/bot")), "gannet/0.1 (+https://e.org/bot)");
        assert_eq!(Agent::user_agent("0.1", None), "gannet/0.1");
    }

    #[test]
    fn headers_cannot_be_smuggled_in() {
        let extra =
            |name: &str, value: &str| Agent::new("x", &[(name.to_owned(), value.to_owned())]).unwrap_err();
        assert_eq!(extra("X-A", "1\r\nX-B: 2"), AgentError::Value("X-A".into()));
        assert_eq!(extra("X-A", "1\nX-B: 2"), AgentError::Value("X-A".into()));
        assert_eq!(extra("X-A: 1\r\nX-B", "2"), AgentError::Name("X-A: 1\r\nX-B".into()));
        assert_eq!(extra("", "2"), AgentError::Name("".into()));
        assert_eq!(extra("host", "other.example"), AgentError::Reserved("host".into()));
        assert_eq!(extra("Content-Length", "5"), AgentError::Reserved("Content-Length".into()));
        assert_eq!(extra("Proxy-Authorization", "5"), AgentError::Reserved("Proxy-Authorization".into()));
        assert_eq!(Agent::new("x\r\ny", &[]).unwrap_err(), AgentError::Value("User-Agent".into()));
    }

    #[test]
    fn a_user_may_replace_a_default() {
        let agent = Agent::new("x", &[("accept-language".into(), "de".into())]).unwrap();
        assert_eq!(agent.headers().get_all(ACCEPT_LANGUAGE).iter().collect::<Vec<_>>(), ["de"]);
    }

    proptest! {
        #[test]
        fn no_accepted_header_breaks_its_line(name: String, text: String) {
            if let Ok((name, value)) = header(&name, &text) {
                prop_assert!(!name.as_str().contains(['\r', '\n', ':', ' ']));
                prop_assert!(!value.as_bytes().iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)));
            }
        }
    }
}
