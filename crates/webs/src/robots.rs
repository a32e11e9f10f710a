//! The robots.txt of a made-up host: its text, and which line decides a path.
//!
//! Deliberately small and written apart from the crawler's parser, so that the two can disagree:
//! plain prefixes only, longest rule wins, allow wins a tie (RFC 9309).

/// One robots.txt.
#[derive(Clone, Debug, Default)]
pub struct Robots {
    lines: Vec<String>,
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    line: u32,
    allow: bool,
    prefix: String,
}

impl Robots {
    /// Adds a line that is no rule for our crawler.
    pub fn line(&mut self, text: &str) {
        self.lines.push(text.to_owned());
    }

    /// Adds a rule of the group that our crawler obeys.
    pub fn rule(&mut self, allow: bool, prefix: &str) {
        self.line(&format!("{}: {prefix}", if allow { "Allow" } else { "Disallow" }));
        let line = self.lines.len() as u32;
        self.rules.push(Rule { line, allow, prefix: prefix.to_owned() });
    }

    /// The text to serve.
    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
    }

    /// The line (from 1) that denies `path_and_query`, or `None` when it may be fetched.
    pub fn denying_line(&self, path_and_query: &str) -> Option<u32> {
        let matching = self.rules.iter().filter(|rule| path_and_query.starts_with(&rule.prefix));
        let deciding = matching.max_by_key(|rule| (rule.prefix.len(), rule.allow))?;
        (!deciding.allow).then_some(deciding.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rule_decides() {
        let mut robots = Robots::default();
        robots.line("User-agent: *");
        robots.rule(false, "/private/");
        robots.rule(true, "/private/press");
        assert_eq!(robots.denying_line("/private/a"), Some(2));
        assert_eq!(robots.denying_line("/private/press.html"), None);
        assert_eq!(robots.denying_line("/open"), None);
        assert_eq!(robots.text().lines().nth(2), Some("Allow: /private/press"));
    }
}
