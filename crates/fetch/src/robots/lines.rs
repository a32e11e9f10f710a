//! The lines of a robots.txt, and the groups they form.

use std::time::Duration;

use super::times::{self, RequestRate, VisitTime};
use super::{MOST_BYTES, Robots};

/// Agents and what is said to them.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// Product names, as written.
    pub(super) agents: Vec<Box<[u8]>>,
    pub(super) everyone: bool,
    pub(super) rules: Vec<Rule>,
    pub(super) crawl_delay: Option<Duration>,
    pub(super) request_rates: Vec<RequestRate>,
    pub(super) visit_times: Vec<VisitTime>,
    /// A rule has been read, even an empty one: the next agent begins a new group.
    is_closed: bool,
}

/// One Allow or Disallow.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) allow: bool,
    pub(super) text: Box<[u8]>,
    /// From 1.
    pub(super) line: u32,
}

/// The rest of a longer line is not read.
const LONGEST_LINE: usize = 8 * 2083;
/// Most timing lines kept of one group.
const MOST_TIMES: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Agent,
    Allow,
    Disallow,
    Sitemap,
    CrawlDelay,
    RequestRate,
    VisitTime,
}

/// Keys by how they begin, as people write them. The first that fits counts.
const KEYS: [(&str, Key); 19] = [
    ("user-agent", Key::Agent),
    ("useragent", Key::Agent),
    ("user agent", Key::Agent),
    ("allow", Key::Allow),
    ("disallow", Key::Disallow),
    ("dissallow", Key::Disallow),
    ("dissalow", Key::Disallow),
    ("disalow", Key::Disallow),
    ("diasllow", Key::Disallow),
    ("disallaw", Key::Disallow),
    ("sitemap", Key::Sitemap),
    ("site-map", Key::Sitemap),
    ("crawl-delay", Key::CrawlDelay),
    ("crawldelay", Key::CrawlDelay),
    ("crawl delay", Key::CrawlDelay),
    ("request-rate", Key::RequestRate),
    ("requestrate", Key::RequestRate),
    ("visit-time", Key::VisitTime),
    ("visittime", Key::VisitTime),
];

/// Reads a whole file.
pub(super) fn read(bytes: &[u8]) -> Robots {
    let mut robots = Robots::default();
    let mut group = Group::default();
    for (number, line) in (1u32..).zip(Lines(Some(within_limit(without_bom(bytes))))) {
        let Some((key, value)) = key_and_value(line) else { continue };
        match key {
            Key::Agent => {
                if group.is_closed {
                    robots.groups.push(std::mem::take(&mut group));
                }
                group.add_agent(value);
            }
            Key::Sitemap => robots.sitemaps.push(String::from_utf8_lossy(value).into_owned()),
            // What is said to nobody is said in vain.
            _ if group.agents.is_empty() && !group.everyone => {}
            Key::Allow | Key::Disallow => {
                group.is_closed = true;
                if !value.is_empty() {
                    group.rules.push(Rule { allow: key == Key::Allow, text: value.into(), line: number });
                }
            }
            // These belong to the group, but neither end its list of agents nor begin its rules: what RFC 9309
            // does not define must not change how the rest is read.
            Key::CrawlDelay => group.crawl_delay = group.crawl_delay.max(times::delay(value)),
            Key::RequestRate if group.request_rates.len() < MOST_TIMES => {
                group.request_rates.extend(times::rate(value));
            }
            Key::VisitTime if group.visit_times.len() < MOST_TIMES => {
                group.visit_times.extend(times::visit(value))
            }
            Key::RequestRate | Key::VisitTime => {}
        }
    }
    robots.groups.push(group);
    robots
}

/// The product token at the start of an agent's name.
pub(super) fn token(name: &[u8]) -> &[u8] {
    leading(name, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

impl Group {
    /// Does one of its lines name this product?
    pub(super) fn names(&self, product: &[u8]) -> bool {
        // A token has letters only by the standard, so `gannet2` speaks to `gannet`; but a product that has a
        // digit in its name is known by it.
        !product.is_empty()
            && self.agents.iter().any(|name| {
                let letters = leading(name, |byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'));
                letters.eq_ignore_ascii_case(product) || token(name).eq_ignore_ascii_case(product)
            })
    }

    fn add_agent(&mut self, value: &[u8]) {
        match value {
            [b'*'] => self.everyone = true,
            [b'*', next, ..] if next.is_ascii_whitespace() => self.everyone = true,
            // An empty or odd name still is a line of agents, to nobody.
            _ => self.agents.push(value.into()),
        }
    }
}

fn leading(name: &[u8], belongs: impl Fn(u8) -> bool) -> &[u8] {
    let end = name.iter().position(|byte| !belongs(*byte)).unwrap_or(name.len());
    &name[..end]
}

fn without_bom(bytes: &[u8]) -> &[u8] {
    // A torn mark is skipped as far as it goes, too.
    let torn = bytes.iter().zip(b"\xef\xbb\xbf").take_while(|(byte, mark)| byte == mark).count();
    &bytes[torn..]
}

/// As much as is read, cut after a whole line: half a line could forbid or allow what the whole one does not.
fn within_limit(bytes: &[u8]) -> &[u8] {
    // A file of just this length has most likely been cut there by whoever fetched it.
    if bytes.len() < MOST_BYTES {
        return bytes;
    }
    let end = bytes[..MOST_BYTES].iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
    &bytes[..end.unwrap_or(0)]
}

/// Lines that end with LF, CR or both.
struct Lines<'a>(Option<&'a [u8]>);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.0?;
        let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            self.0 = None;
            return Some(rest);
        };
        let after = if rest[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        self.0 = Some(&rest[after..]);
        Some(&rest[..end])
    }
}

fn key_and_value(line: &[u8]) -> Option<(Key, &[u8])> {
    let line = &line[..line.len().min(LONGEST_LINE)];
    let line = line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
    let (key, value) = match line.iter().position(|byte| *byte == b':') {
        Some(colon) => (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()),
        // A forgotten colon: two words, and no more.
        None => {
            let space = line.iter().position(|byte| matches!(byte, b' ' | b'\t'))?;
            let value = line[space..].trim_ascii();
            if value.iter().any(|byte| matches!(byte, b' ' | b'\t')) {
                return None;
            }
            (&line[..space], value)
        }
    };
    let begins = |known: &str| {
        key.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known.as_bytes()))
    };
    KEYS.iter().find(|(known, _)| begins(known)).map(|(_, key)| (*key, value))
}
