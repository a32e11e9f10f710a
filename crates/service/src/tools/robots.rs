//! What a robots.txt says of a URL, and which line of it decides.

use std::time::Duration;

use base64::Engine as _;
use fetch::robots::Robots;
use model::PageUrl;
use serde::{Deserialize, Serialize};

/// A robots.txt and a URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotsQuestion {
    /// The file.
    #[serde(default)]
    pub robots: Option<String>,
    /// The file, where it is no text.
    #[serde(default)]
    pub robots_base64: Option<String>,
    /// Name of the crawler that asks; `gannet` unless said.
    #[serde(default)]
    pub agent: Option<String>,
    /// The URL, or its path.
    pub url: String,
}

/// What the rules say of one URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotsVerdict {
    /// It may be asked for.
    pub allowed: bool,
    /// The deciding line, from 1; none when no rule speaks of the URL.
    pub line: Option<u32>,
    /// Seconds.
    pub crawl_delay: Option<serde_json::Number>,
    /// The sitemaps that the file names.
    pub sitemaps: Vec<String>,
}

impl RobotsQuestion {
    /// The verdict, or what is wrong with the question.
    pub fn answer(&self, usual_agent: &str) -> Result<RobotsVerdict, String> {
        let robots = match (&self.robots, &self.robots_base64) {
            (Some(text), None) => text.clone().into_bytes(),
            (None, Some(text)) => base64::engine::general_purpose::STANDARD
                .decode(text)
                .map_err(|error| format!("robots_base64: {error}"))?,
            _ => return Err("give either robots or robots_base64".to_owned()),
        };
        let agent = self.agent.as_deref().unwrap_or(usual_agent);
        RobotsVerdict::of(&robots, agent, &self.url).map_err(|error| format!("url: {error}"))
    }
}

impl RobotsVerdict {
    /// What a file says of a URL or path.
    pub fn of(robots: &[u8], agent: &str, url: &str) -> Result<RobotsVerdict, String> {
        let path = path_of(url)?;
        let robots = Robots::parse(robots);
        let rules = robots.rules(agent);
        let fetch::robots::Verdict { allowed, line } = rules.verdict(&path);
        let crawl_delay = rules.crawl_delay().map(seconds);
        Ok(RobotsVerdict { allowed, line, crawl_delay, sitemaps: robots.sitemaps().to_vec() })
    }
}

/// Path and query of a URL, or of a path alone. As written: robots.txt is asked about this URL, not about the
/// canonical one that a crawl would make of it.
fn path_of(text: &str) -> Result<String, String> {
    if text.starts_with('/') {
        return Ok(text.to_owned());
    }
    PageUrl::parse(text).map_err(|error| error.to_string())?;
    let url = url::Url::parse(text).map_err(|error| format!("not a URL: {error}"))?;
    Ok(match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    })
}

/// Seconds as people write them: 2, 0.5.
fn seconds(span: Duration) -> serde_json::Number {
    match span.subsec_nanos() {
        0 => span.as_secs().into(),
        _ => serde_json::Number::from_f64(span.as_secs_f64()).unwrap_or_else(|| span.as_secs().into()),
    }
}
