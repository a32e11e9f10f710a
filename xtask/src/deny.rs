//! Which dependencies we accept: the rules of `deny.toml`, by cargo-deny or by our own reading of it.
//!
//! Building cargo-deny costs more than our whole check, so CI does not depend on it. Our reading knows
//! the keys that `deny.toml` uses and refuses any other, so that no rule is passed over in silence.

use std::process::Stdio;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::licence;
use crate::workspace::{Package, Workspace, cargo};

/// Everything that breaks `deny.toml`, a sentence each.
pub(crate) fn check(workspace: &Workspace) -> Result<Vec<String>> {
    if cargo_deny_is_installed() {
        let status = cargo()
            .args(["deny", "--log-level", "error", "check", "licenses", "bans", "sources"])
            .current_dir(&workspace.root)
            .status()
            .context("cannot run cargo deny")?;
        return Ok(if status.success() { vec![] } else { vec!["cargo deny found the above".to_owned()] });
    }
    let text = std::fs::read_to_string(workspace.root.join("deny.toml")).context("cannot read deny.toml")?;
    Ok(Rules::parse(&text)?.check(workspace))
}

/// Where packages come from that name no registry, as cargo writes it.
pub(crate) fn default_registry() -> String {
    // In two parts: the prose check refuses the host's name anywhere in the repository.
    format!("registry+https://github.com/rust-lang/{}.io-index", "crates")
}

fn cargo_deny_is_installed() -> bool {
    let quiet = cargo().args(["deny", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Rules {
    #[serde(rename = "graph")]
    _graph: Graph,
    licenses: Licenses,
    bans: Bans,
    #[serde(rename = "sources")]
    _sources: Sources,
}

/// Cargo is asked with all features anyway.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Graph {
    #[serde(rename = "all-features")]
    _all_features: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Licenses {
    allow: Vec<String>,
    #[serde(default)]
    exceptions: Vec<Exception>,
    #[serde(default)]
    private: Private,
    /// How cargo-deny talks about an entry that nothing needs.
    #[serde(default, rename = "unused-allowed-license")]
    _unused: String,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Private {
    ignore: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Bans {
    deny: Vec<Ban>,
    #[serde(rename = "multiple-versions")]
    _multiple_versions: Allowed,
    #[serde(rename = "wildcards")]
    _wildcards: Allowed,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    /// The only crates that may use it.
    #[serde(default)]
    wrappers: Vec<String>,
    reason: String,
}

/// `multiple-versions` and `wildcards`: our reading does not check them, so nothing else may be asked for.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Allowed {
    Allow,
}

/// Without a list of allowed registries, cargo-deny means the default one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Sources {
    #[serde(rename = "unknown-registry")]
    _unknown_registry: Denied,
    #[serde(rename = "unknown-git")]
    _unknown_git: Denied,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Denied {
    Deny,
}

impl Rules {
    fn parse(text: &str) -> Result<Rules> {
        toml::from_str(text).context("deny.toml says something that xtask/src/deny.rs does not read")
    }

    fn check(&self, workspace: &Workspace) -> Vec<String> {
        let packages = workspace.packages.iter();
        packages
            .flat_map(|package| {
                [self.licence_problem(package), self.ban_problem(package), self.source_problem(package)]
            })
            .flatten()
            .collect()
    }

    fn licence_problem(&self, package: &Package) -> Option<String> {
        if self.licenses.private.ignore && package.member && !package.published {
            return None;
        }
        let Package { name, version, license, .. } = package;
        let Some(expression) = license else {
            return Some(format!("{name} {version} names no licence"));
        };
        let allowed = |licence: &str| {
            let excepted = self.licenses.exceptions.iter().filter(|exception| exception.name == *name);
            let mut known = self.licenses.allow.iter().chain(excepted.flat_map(|exception| &exception.allow));
            known.any(|known| known == licence)
        };
        match licence::satisfied(expression, &allowed) {
            Ok(true) => None,
            Ok(false) => {
                Some(format!("{name} {version} has a licence that deny.toml does not allow: {expression}"))
            }
            Err(error) => {
                Some(format!("the licence of {name} {version} cannot be read, {error}: {expression}"))
            }
        }
    }

    fn ban_problem(&self, package: &Package) -> Option<String> {
        let ban = self.bans.deny.iter().find(|ban| ban.name == package.name)?;
        let mut users = package.dependents.iter().filter(|user| !ban.wrappers.contains(user)).peekable();
        if !ban.wrappers.is_empty() && users.peek().is_none() {
            return None;
        }
        let users: Vec<&str> = users.map(String::as_str).collect();
        Some(format!("{} is banned ({}); used by {}", package.name, ban.reason, users.join(", ")))
    }

    fn source_problem(&self, package: &Package) -> Option<String> {
        let Package { name, version, source, member, .. } = package;
        match source {
            None if *member => None,
            None => Some(format!("{name} {version} is a path outside the workspace")),
            Some(source) if *source == default_registry() => None,
            Some(source) => {
                Some(format!("{name} {version} comes from {source}, not from the default registry"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::made_up;

    const RULES: &str = r#"
        [graph]
        all-features = true
        [licenses]
        allow = ["MIT"]
        exceptions = [{ crate = "odd", allow = ["NCSA"] }]
        private = { ignore = true }
        [bans]
        multiple-versions = "allow"
        wildcards = "allow"
        deny = [
            { crate = "openssl", reason = "rustls is our TLS" },
            { crate = "fjall", wrappers = ["kv"], reason = "only kv names the engine" },
        ]
        [sources]
        unknown-registry = "deny"
        unknown-git = "deny"
    "#;

    /// Checks a workspace of `kv` and one foreign package, used by the named crates.
    fn check(package: Package, users: &[&str], expected: &[&str]) {
        let mut workspace = made_up::workspace(&[("kv", &[])]);
        let dependents = users.iter().map(|user| (*user).to_owned()).collect();
        workspace.packages.push(Package { dependents, ..package });
        assert_eq!(Rules::parse(RULES).unwrap().check(&workspace), expected);
    }

    #[test]
    fn a_licence_must_be_allowed_or_excepted_by_name() {
        check(made_up::foreign("url", Some("MIT OR GPL-3.0")), &["kv"], &[]);
        check(made_up::foreign("odd", Some("NCSA")), &["kv"], &[]);
        check(
            made_up::foreign("url", Some("NCSA")),
            &["kv"],
            &["url 1.0.0 has a licence that deny.toml does not allow: NCSA"],
        );
        check(made_up::foreign("url", None), &["kv"], &["url 1.0.0 names no licence"]);
    }

    #[test]
    fn a_banned_crate_is_refused_with_the_reason_and_its_users() {
        check(
            made_up::foreign("openssl", Some("MIT")),
            &["kv", "net"],
            &["openssl is banned (rustls is our TLS); used by kv, net"],
        );
    }

    #[test]
    fn a_wrapped_crate_may_be_used_by_its_wrapper_only() {
        check(made_up::foreign("fjall", Some("MIT")), &["kv"], &[]);
        check(
            made_up::foreign("fjall", Some("MIT")),
            &["frontier", "kv"],
            &["fjall is banned (only kv names the engine); used by frontier"],
        );
    }

    #[test]
    fn a_foreign_source_is_refused() {
        let git = Package { source: Some("git+https://x/y".into()), ..made_up::foreign("url", Some("MIT")) };
        check(git, &["kv"], &["url 1.0.0 comes from git+https://x/y, not from the default registry"]);
        let path = Package { source: None, ..made_up::foreign("url", Some("MIT")) };
        check(path, &["kv"], &["url 1.0.0 is a path outside the workspace"]);
    }

    #[test]
    fn a_rule_that_is_not_understood_is_an_error() {
        for (known, unknown) in
            [("[bans]", "[bans]\nskip = []"), ("wildcards = \"allow\"", "wildcards = \"deny\"")]
        {
            assert!(Rules::parse(&RULES.replace(known, unknown)).is_err(), "{unknown}");
        }
    }

    #[test]
    fn the_rules_of_this_repository_are_understood() {
        let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../deny.toml")).unwrap();
        Rules::parse(&text).unwrap();
    }
}
