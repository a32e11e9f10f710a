//! Which part of the Web a crawl stays in, and whether it heeds robots.txt.

use std::fmt;
use std::str::FromStr;

use super::ValueError;
use super::text::written_as_text;

/// How far from the start URLs a crawl may go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The hosts of the start URLs.
    #[default]
    Host,
    /// Their registered domains, with every host in them.
    Domain,
    /// URLs that begin like a start URL, up to its last slash.
    Prefix,
    /// Hosts whose name ends in this, in canonical form: `de`, `ac.uk`.
    Suffix(String),
    /// The start URLs only.
    List,
    /// Anywhere.
    Any,
}

/// Whether robots.txt decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RobotsMode {
    /// What robots.txt forbids is not asked for.
    #[default]
    Obey,
    /// robots.txt is not asked for. For one's own sites only.
    Ignore,
}

/// What is kept of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeepPages {
    /// Everything: the answer as it came, and what was read from it.
    #[default]
    All,
    /// Nothing but that they were visited, and their links.
    None,
}

written_as_text!(Scope, "host, domain, prefix, suffix:NAME, list or any");
written_as_text!(RobotsMode, "obey or ignore");
written_as_text!(KeepPages, "all or none");

impl FromStr for Scope {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Scope, ValueError> {
        match text {
            "host" => Ok(Scope::Host),
            "domain" => Ok(Scope::Domain),
            "prefix" => Ok(Scope::Prefix),
            "list" => Ok(Scope::List),
            "any" => Ok(Scope::Any),
            _ => match text.strip_prefix("suffix:") {
                Some(suffix) => canonical_suffix(suffix).map(Scope::Suffix).ok_or_else(|| {
                    ValueError::new(
                        text,
                        "scope",
                        "after suffix: comes the end of host names, as in suffix:ac.uk",
                    )
                }),
                None => Err(ValueError::new(
                    text,
                    "scope",
                    "write host, domain, prefix, suffix:NAME, list or any",
                )),
            },
        }
    }
}

/// The suffix as it stands in canonical URLs.
fn canonical_suffix(suffix: &str) -> Option<String> {
    let suffix = suffix.trim_start_matches('.');
    // The URL standard also reads addresses and strange spellings as hosts; a suffix is made of labels.
    let plain = |text: &str| {
        !text.contains(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '-' && c != '.')
    };
    match url::Host::parse(suffix) {
        // Also as the standard writes it: a small bracket becomes a plain one.
        Ok(url::Host::Domain(name))
            if plain(suffix) && plain(&name) && !name.split('.').any(str::is_empty) =>
        {
            Some(name)
        }
        _ => None,
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Host => f.write_str("host"),
            Scope::Domain => f.write_str("domain"),
            Scope::Prefix => f.write_str("prefix"),
            Scope::Suffix(suffix) => write!(f, "suffix:{suffix}"),
            Scope::List => f.write_str("list"),
            Scope::Any => f.write_str("any"),
        }
    }
}

impl FromStr for RobotsMode {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<RobotsMode, ValueError> {
        match text {
            "obey" => Ok(RobotsMode::Obey),
            "ignore" => Ok(RobotsMode::Ignore),
            _ => Err(ValueError::new(text, "way to treat robots.txt", "write obey or ignore")),
        }
    }
}

impl fmt::Display for RobotsMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RobotsMode::Obey => "obey",
            RobotsMode::Ignore => "ignore",
        })
    }
}

impl FromStr for KeepPages {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<KeepPages, ValueError> {
        match text {
            "all" => Ok(KeepPages::All),
            "none" => Ok(KeepPages::None),
            _ => Err(ValueError::new(text, "part of pages to keep", "write all or none")),
        }
    }
}

impl fmt::Display for KeepPages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeepPages::All => "all",
            KeepPages::None => "none",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::{check, check_refused};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scopes_read_back_as_written() {
        for text in ["host", "domain", "prefix", "suffix:de", "suffix:ac.uk", "list", "any"] {
            check::<Scope>(text, text);
        }
        check::<Scope>("suffix:.DE", "suffix:de");
        check::<Scope>("suffix:münchen.de", "suffix:xn--mnchen-3ya.de");
    }

    #[test]
    fn words_that_are_no_scope_are_refused() {
        let hint = "write host, domain, prefix, suffix:NAME, list or any";
        check_refused::<Scope>("site", &format!("\"site\" is no scope; {hint}"));
        let hint = "after suffix: comes the end of host names, as in suffix:ac.uk";
        for text in [
            "suffix:",
            "suffix:.",
            "suffix:a..b",
            "suffix:﹙",
            "suffix:a b",
            "suffix:127.0.0.1",
            "suffix:*.de",
            "suffix:de.",
        ] {
            check_refused::<Scope>(text, &format!("{text:?} is no scope; {hint}"));
        }
    }

    #[test]
    fn robots_modes_read_back_as_written() {
        check::<RobotsMode>("obey", "obey");
        check::<RobotsMode>("ignore", "ignore");
        check_refused::<RobotsMode>("no", "\"no\" is no way to treat robots.txt; write obey or ignore");
    }

    #[test]
    fn what_to_keep_reads_back_as_written() {
        check::<KeepPages>("all", "all");
        check::<KeepPages>("none", "none");
        check_refused::<KeepPages>("some", "\"some\" is no part of pages to keep; write all or none");
    }

    proptest! {
        #[test]
        fn no_text_makes_the_scope_parser_panic(text in "suffix:\\PC{0,20}|\\PC{0,20}") {
            if let Ok(scope) = text.parse::<Scope>() {
                prop_assert_eq!(scope.to_string().parse::<Scope>(), Ok(scope));
            }
        }
    }
}
