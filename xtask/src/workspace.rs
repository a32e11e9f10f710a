//! The workspace as `cargo metadata` tells it: packages, who depends on whom, and where things lie.
//!
//! Only reading; what is allowed is said in `floors` and `deny`.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// Our crates and everything they depend on.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    pub(crate) packages: Vec<Package>,
}

/// One package of the dependency graph.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    /// The registry or repository it came from; `None` for a path.
    pub(crate) source: Option<String>,
    pub(crate) manifest: PathBuf,
    /// One of ours.
    pub(crate) member: bool,
    pub(crate) published: bool,
    /// As declared in its manifest.
    pub(crate) dependencies: Vec<Dependency>,
    /// Names of the packages that use it, features and platforms resolved.
    pub(crate) dependents: BTreeSet<String>,
}

/// A line under `[dependencies]` or its siblings.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    #[serde(default, deserialize_with = "kind")]
    pub(crate) kind: Kind,
}

/// Which table a dependency stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Kind {
    #[default]
    Normal,
    Build,
    Dev,
}

impl Workspace {
    /// Asks cargo about the workspace that this command was started in.
    pub(crate) fn load() -> Result<Workspace> {
        let output = cargo()
            .args(["metadata", "--format-version", "1", "--all-features"])
            .args(locked())
            .output()
            .context("cannot run cargo metadata")?;
        if !output.status.success() {
            bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Workspace::parse(&String::from_utf8(output.stdout).context("cargo metadata is not UTF-8")?)
    }

    /// Reads the JSON of `cargo metadata --format-version 1`.
    pub(crate) fn parse(json: &str) -> Result<Workspace> {
        let metadata: Metadata = serde_json::from_str(json).context("cannot read cargo metadata")?;
        let names: HashMap<&str, &str> =
            metadata.packages.iter().map(|package| (package.id.as_str(), package.name.as_str())).collect();
        let mut dependents: HashMap<&str, BTreeSet<String>> = HashMap::new();
        for node in metadata.resolve.iter().flat_map(|resolve| &resolve.nodes) {
            let Some(user) = names.get(node.id.as_str()) else { continue };
            for used in &node.deps {
                dependents.entry(&used.pkg).or_default().insert((*user).to_owned());
            }
        }
        let packages = metadata.packages.iter().map(|package| Package {
            name: package.name.clone(),
            version: package.version.clone(),
            license: package.license.clone(),
            source: package.source.clone(),
            manifest: package.manifest_path.clone(),
            member: metadata.workspace_members.contains(&package.id),
            published: package.publish.as_ref().is_none_or(|registries| !registries.is_empty()),
            dependencies: package.dependencies.clone(),
            dependents: dependents.remove(package.id.as_str()).unwrap_or_default(),
        });
        Ok(Workspace {
            packages: packages.collect(),
            root: metadata.workspace_root,
            target: metadata.target_directory,
        })
    }

    /// Our own crates.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.member)
    }
}

/// The cargo that started us, so that nested calls use the same toolchain.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Whether this is the run that must not skip anything.
pub(crate) fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

/// In CI a lock file that is not up to date is an error, not something to mend in passing.
pub(crate) fn locked() -> &'static [&'static str] {
    if is_ci() { &["--locked"] } else { &[] }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<RawPackage>,
    workspace_members: Vec<String>,
    resolve: Option<Resolve>,
    target_directory: PathBuf,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct RawPackage {
    name: String,
    version: String,
    id: String,
    license: Option<String>,
    source: Option<String>,
    manifest_path: PathBuf,
    publish: Option<Vec<String>>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<NodeDep>,
}

#[derive(Deserialize)]
struct NodeDep {
    pkg: String,
}

fn kind<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Kind, D::Error> {
    // cargo writes null for the ordinary table.
    Ok(match Option::<String>::deserialize(deserializer)?.as_deref() {
        Some("dev") => Kind::Dev,
        Some("build") => Kind::Build,
        _ => Kind::Normal,
    })
}

/// A made-up workspace for tests of the checks.
#[cfg(test)]
pub(crate) mod made_up {
    use std::path::PathBuf;

    use super::{Dependency, Kind, Package, Workspace};

    /// A workspace of our own crates: name and dependencies (`"dev:webs"`, `"build:model"`, `"model"`).
    pub(crate) fn workspace(members: &[(&str, &[&str])]) -> Workspace {
        let packages = members.iter().map(|(name, dependencies)| {
            let folder =
                if ["xtask", "fuzz"].contains(name) { (*name).to_owned() } else { format!("crates/{name}") };
            Package {
                member: true,
                source: None,
                published: false,
                license: None,
                manifest: PathBuf::from(format!("/repo/{folder}/Cargo.toml")),
                dependencies: dependencies.iter().map(|text| dependency(text)).collect(),
                ..foreign(name, None)
            }
        });
        Workspace { packages: packages.collect(), root: "/repo".into(), target: "/target".into() }
    }

    /// A package of somebody else, used by nobody yet.
    pub(crate) fn foreign(name: &str, license: Option<&str>) -> Package {
        Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: license.map(str::to_owned),
            source: Some(crate::deny::default_registry()),
            manifest: PathBuf::from(format!("/registry/{name}/Cargo.toml")),
            member: false,
            published: true,
            dependencies: Vec::new(),
            dependents: Default::default(),
        }
    }

    fn dependency(text: &str) -> Dependency {
        let (kind, name) = match text.split_once(':') {
            Some(("dev", name)) => (Kind::Dev, name),
            Some(("build", name)) => (Kind::Build, name),
            _ => (Kind::Normal, text),
        };
        Dependency { name: name.to_owned(), kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_members_and_dependents_are_read() {
        let json = serde_json::json!({
            "packages": [
                { "name": "model", "version": "0.1.0", "id": "m", "license": null, "source": null,
                  "manifest_path": "/repo/crates/model/Cargo.toml", "publish": [],
                  "dependencies": [
                      { "name": "url", "kind": null }, { "name": "insta", "kind": "dev" } ] },
                { "name": "url", "version": "2.5.0", "id": "u", "license": "MIT",
                  "source": "registry+x", "manifest_path": "/r/url/Cargo.toml", "publish": null,
                  "dependencies": [] },
            ],
            "workspace_members": ["m"],
            "resolve": { "nodes": [
                { "id": "m", "deps": [{ "pkg": "u" }] }, { "id": "u", "deps": [] } ] },
            "target_directory": "/t", "workspace_root": "/repo",
        });
        let workspace = Workspace::parse(&json.to_string()).unwrap();
        let [model, url] = &workspace.packages[..] else { panic!("two packages") };
        assert!(model.member && !model.published && model.dependencies[1].kind == Kind::Dev);
        assert!(!url.member && url.published);
        assert_eq!(url.dependents, BTreeSet::from(["model".to_owned()]));
    }
}
