//! What robots.txt says of a URL, from the file as it was obeyed.

use fetch::robots::Robots;
use frontier::tables::{ROBOTS, RobotsAnswer};
use kv::Reader;
use model::{CrawlSettings, PageUrl, RobotsMode, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Moment, ServiceError};

/// Longest line of a robots.txt that is shown.
const LONGEST_LINE: usize = 200;

/// The word of robots.txt on a URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotsWord {
    /// Whether it may be asked for; none when that is not known yet.
    pub allowed: Option<bool>,
    /// Why, in words.
    pub words: String,
    /// The deciding line, from 1.
    pub line: Option<u32>,
    /// That line.
    pub text: Option<String>,
    /// The file's version.
    pub version: Option<String>,
    /// When it was read.
    pub read_at: Option<Moment>,
    /// When it is read again.
    pub expires_at: Option<Moment>,
    /// The pause it asks for.
    pub crawl_delay_ms: Option<u64>,
}

/// The agent that a project is to robots.txt.
pub(crate) fn agent(settings: &CrawlSettings) -> &str {
    settings.user_agent.as_deref().unwrap_or("gannet")
}

/// What the robots.txt of a URL's origin says of it.
pub(crate) fn word(
    reader: &impl Reader,
    settings: &CrawlSettings,
    url: &PageUrl,
    now: Timestamp,
) -> Result<RobotsWord, ServiceError> {
    let mut word = RobotsWord {
        allowed: None,
        words: String::new(),
        line: None,
        text: None,
        version: None,
        read_at: None,
        expires_at: None,
        crawl_delay_ms: None,
    };
    if settings.robots == RobotsMode::Ignore {
        word.allowed = Some(true);
        word.words = "not asked: the project says robots: ignore".to_owned();
        return Ok(word);
    }
    if let Some(fixed) = &settings.robots_url {
        word.words =
            format!("the project takes its rules from {fixed}, which is read at the start of each run");
        return Ok(word);
    }
    let origin = url.origin();
    let Some(record) = reader.get(&ROBOTS, &origin.as_str().to_owned())? else {
        word.words = format!("robots.txt of {origin} has not been asked for yet");
        return Ok(word);
    };
    word.read_at = Some(record.fetched.into());
    word.expires_at = Some(record.expires.into());
    match record.answer {
        RobotsAnswer::None { status } => {
            word.allowed = Some(true);
            word.words = format!("{origin} has no robots.txt (status {status}): everything is allowed");
        }
        RobotsAnswer::Unreachable { reason } => {
            let when = if record.expires > now {
                format!("asked again {}", record.expires)
            } else {
                "to be asked again now".to_owned()
            };
            word.words =
                format!("robots.txt of {origin} could not be had ({reason}): nothing is asked for; {when}");
        }
        RobotsAnswer::Rules { text, version } => {
            let rules = Robots::parse(&text).rules(agent(settings));
            let verdict = rules.verdict(url.path_and_query());
            word.allowed = Some(verdict.allowed);
            word.line = verdict.line;
            word.version = Some(format!("{version:016x}"));
            word.crawl_delay_ms = rules.pause().map(|pause| pause.as_millis() as u64);
            word.text = verdict.line.and_then(|line| line_of(&text, line));
            let says = if verdict.allowed { "allows" } else { "forbids" };
            word.words = match (verdict.line, &word.text) {
                (Some(line), Some(text)) => format!("line {line} {says} it: {text}"),
                (Some(line), None) => format!("line {line} {says} it"),
                (None, _) => "no line speaks of it: allowed".to_owned(),
            };
        }
    }
    Ok(word)
}

fn line_of(text: &[u8], number: u32) -> Option<String> {
    let at = usize::try_from(number.checked_sub(1)?).ok()?;
    // A line ends at LF, CR or both together.
    let text = String::from_utf8_lossy(text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let line = text.split('\n').nth(at)?.trim();
    Some(line.chars().filter(|c| !c.is_control()).take(LONGEST_LINE).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deciding_line_is_shown_whatever_ends_lines() {
        for text in ["a\r\nb\r\nc", "a\nb\nc", "a\rb\rc"] {
            assert_eq!(line_of(text.as_bytes(), 2).as_deref(), Some("b"));
        }
        assert_eq!(line_of(b"a", 0), None);
        assert_eq!(line_of(b"a", 2), None);
        assert_eq!(line_of(b"\x1b[31mred", 1).as_deref(), Some("[31mred"));
    }
}
