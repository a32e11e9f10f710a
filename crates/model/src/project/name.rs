//! Names of projects: short, and safe in a path, a URL and a shell.

use std::fmt;
use std::str::FromStr;

use crate::settings::text::written_as_text;
use crate::{PageUrl, ValueError};

/// Letters, digits, `-`, `_` and `.`, at most 64; begins with a letter or digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectName(String);

written_as_text!(ProjectName, "name: letters, digits, - _ .");

const LONGEST: usize = 64;

impl ProjectName {
    /// A name for a crawl that was given a URL and no name: its host's.
    pub fn of(url: &PageUrl) -> ProjectName {
        let plain = |c: char| if is_plain(c) { c } else { '-' };
        let name: String = url.authority().chars().map(plain).take(LONGEST).collect();
        let name = name.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        ProjectName(if name.is_empty() { "crawl" } else { name }.to_owned())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ProjectName {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<ProjectName, ValueError> {
        let first = text.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
        if !first || text.len() > LONGEST || !text.chars().all(is_plain) {
            let hint = "write up to 64 letters, digits, - _ . and begin with a letter or digit";
            return Err(ValueError::new(text, "project name", hint));
        }
        Ok(ProjectName(text.to_owned()))
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

impl fmt::Display for ProjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::text::tests::{check, check_refused};
    use proptest::prelude::*;

    #[test]
    fn names_are_short_and_safe_in_a_path() {
        check::<ProjectName>("shop", "shop");
        check::<ProjectName>("Shop_2.test-a", "Shop_2.test-a");
        let hint = "write up to 64 letters, digits, - _ . and begin with a letter or digit";
        for text in ["", ".", "..", "-a", "a/b", "a b", "käse", &"a".repeat(65)] {
            check_refused::<ProjectName>(text, &format!("{text:?} is no project name; {hint}"));
        }
    }

    proptest! {
        #[test]
        fn every_url_gives_a_name(host in "[a-z0-9.-]{1,70}", port in 1u16..) {
            for text in [format!("http://{host}/"), format!("https://[::1]:{port}/a")] {
                if let Ok(url) = PageUrl::parse(&text) {
                    let name = ProjectName::of(&url);
                    prop_assert_eq!(name.as_str().parse::<ProjectName>(), Ok(name.clone()));
                }
            }
        }
    }
}
