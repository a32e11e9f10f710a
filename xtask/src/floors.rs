//! The floor rule: a crate uses only crates on lower floors, so no stage knows another stage.
//!
//! The floors stand in one table here; `ARCHITECTURE.md` tells the same in words and must name each crate.

use std::path::Path;

use anyhow::{Context, Result};

use crate::workspace::{Dependency, Kind, Package, Workspace};

/// Where a crate stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Floor(i8),
    /// Used by tests only; may itself use the floors below 3, whose seams it holds to their contracts.
    TestOnly,
    /// Checks the parsers of the others from without, up to floor 2; is used by none.
    Fuzzer,
    /// Builds and checks the others, is used by none and uses none.
    Outside,
}

use Place::{Floor, Fuzzer, Outside, TestOnly};

/// Every crate of the workspace, also those to come. A new crate is added here and to `ARCHITECTURE.md`.
const PLACES: &[(&str, Place)] = &[
    ("app", Floor(5)),
    ("server", Floor(4)),
    ("service", Floor(3)),
    ("cluster", Floor(3)),
    ("crawl", Floor(2)),
    ("search", Floor(2)),
    ("simulate", Floor(2)),
    ("frontier", Floor(1)),
    ("fetch", Floor(1)),
    ("browser", Floor(1)),
    ("extract", Floor(1)),
    ("template", Floor(1)),
    ("judge", Floor(1)),
    ("archive", Floor(1)),
    ("index", Floor(1)),
    ("rank", Floor(1)),
    ("graph", Floor(1)),
    ("measure", Floor(1)),
    ("export", Floor(1)),
    ("catalog", Floor(1)),
    ("webs", Floor(1)),
    ("model", Floor(0)),
    ("text", Floor(0)),
    ("html", Floor(0)),
    ("net", Floor(0)),
    ("kv", Floor(0)),
    ("eight", Floor(-1)),
    ("testkit", TestOnly),
    ("fuzz", Fuzzer),
    ("xtask", Outside),
];

/// What any crate's tests may use besides its lower floors.
const FOR_TESTS: &[&str] = &["testkit", "webs"];

/// Libraries that only some of our crates may name, tests aside.
const RESERVED: &[(&str, &[&str], &str)] =
    &[("anyhow", &["app", "xtask"], "a library says what went wrong in its own error enum")];

const TABLE: &str = "the table PLACES in xtask/src/floors.rs";

/// Everything that breaks the floor rule, a sentence each.
pub(crate) fn check(workspace: &Workspace) -> Result<Vec<String>> {
    let mut problems = check_dependencies(workspace);
    let architecture = workspace.root.join("ARCHITECTURE.md");
    if architecture.exists() {
        let text = std::fs::read_to_string(&architecture).context("cannot read ARCHITECTURE.md")?;
        problems.extend(check_named(workspace, &text));
    } else {
        problems.push("ARCHITECTURE.md is missing; it tells what each crate is for".to_owned());
    }
    Ok(problems)
}

fn check_dependencies(workspace: &Workspace) -> Vec<String> {
    let mut problems = Vec::new();
    for package in workspace.members() {
        let Some(place) = place_of(&package.name) else {
            problems.push(format!("crate {} has no floor: add it to {TABLE}", package.name));
            continue;
        };
        problems.extend(check_folder(workspace, package));
        for dependency in &package.dependencies {
            problems.extend(check_reserved(package, dependency));
            if !workspace.members().any(|member| member.name == dependency.name) {
                continue;
            }
            // A crate without a place is told of once, where it stands itself.
            let Some(used) = place_of(&dependency.name) else { continue };
            if let Some(reason) = objection(place, used, dependency) {
                problems.push(format!("{} must not use {}: {reason}", package.name, dependency.name));
            }
        }
    }
    problems
}

fn place_of(name: &str) -> Option<Place> {
    PLACES.iter().find(|(known, _)| *known == name).map(|(_, place)| *place)
}

/// Why a crate at `user` may not have this dependency on a crate at `used`.
fn objection(user: Place, used: Place, dependency: &Dependency) -> Option<String> {
    let for_tests = dependency.kind == Kind::Dev;
    if for_tests && user != Outside && FOR_TESTS.contains(&dependency.name.as_str()) {
        return None;
    }
    let below = match user {
        Floor(floor) => floor,
        TestOnly | Fuzzer => 3,
        Outside => 0,
    };
    match used {
        Floor(floor) if floor < below => None,
        Floor(floor) if user == Outside => Some(format!("xtask uses no crate of ours (floor {floor})")),
        Floor(floor) => Some(format!("it is on floor {floor}, only floors below {below} may be used")),
        TestOnly => Some("it may only be a dev-dependency".to_owned()),
        Fuzzer | Outside => Some("it is no part of the product".to_owned()),
    }
}

fn check_reserved(package: &Package, dependency: &Dependency) -> Option<String> {
    let (_, allowed, reason) = RESERVED.iter().find(|(name, ..)| *name == dependency.name)?;
    let fine = dependency.kind == Kind::Dev || allowed.contains(&package.name.as_str());
    (!fine).then(|| {
        let places = allowed.join(" and ");
        format!("{} must not use {}: only {places} may, {reason}", package.name, dependency.name)
    })
}

/// Folder name = crate name, one level deep.
fn check_folder(workspace: &Workspace, package: &Package) -> Option<String> {
    let expected = match place_of(&package.name) {
        Some(Fuzzer | Outside) => workspace.root.join(&package.name),
        _ => workspace.root.join("crates").join(&package.name),
    };
    let folder = package.manifest.parent().unwrap_or(Path::new(""));
    (folder != expected).then(|| {
        format!("crate {} lies in {}, not in {}", package.name, folder.display(), expected.display())
    })
}

fn check_named(workspace: &Workspace, architecture: &str) -> Vec<String> {
    let unnamed = workspace.members().filter(|package| {
        let name = &package.name;
        let spellings =
            [format!("`{name}`"), format!("`{name}/`"), format!("**{name}**"), format!("crates/{name}")];
        !spellings.iter().any(|spelling| architecture.contains(spelling))
    });
    unnamed.map(|package| format!("ARCHITECTURE.md does not name `{}`", package.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::made_up;

    /// Checks a made-up workspace: the problems found, each by a part of its sentence.
    fn check(members: &[(&str, &[&str])], expected: &[&str]) {
        let problems = check_dependencies(&made_up::workspace(members));
        assert_eq!(problems.len(), expected.len(), "{problems:?}");
        for (problem, part) in problems.iter().zip(expected) {
            assert!(problem.contains(part), "{problem:?} does not say {part:?}");
        }
    }

    #[test]
    fn lower_floors_may_be_used() {
        check(
            &[
                ("app", &["crawl", "model"]),
                ("crawl", &["fetch", "build:model"]),
                ("fetch", &["model"]),
                ("model", &[]),
            ],
            &[],
        );
    }

    #[test]
    fn the_same_floor_and_higher_ones_may_not() {
        check(
            &[("fetch", &["extract"]), ("extract", &[])],
            &["fetch must not use extract: it is on floor 1"],
        );
        check(&[("model", &["crawl"]), ("crawl", &[])], &["model must not use crawl"]);
        check(&[("fetch", &["build:extract"]), ("extract", &[])], &["fetch must not use extract"]);
    }

    #[test]
    fn tests_may_use_testkit_and_webs_but_no_higher_floor() {
        check(
            &[("kv", &["dev:testkit", "dev:webs"]), ("testkit", &["crawl"]), ("webs", &[]), ("crawl", &[])],
            &[],
        );
        check(
            &[("kv", &["testkit"]), ("testkit", &[])],
            &["kv must not use testkit: it may only be a dev-dependency"],
        );
        check(&[("fetch", &["dev:crawl"]), ("crawl", &[])], &["fetch must not use crawl"]);
        check(&[("fetch", &["webs"]), ("webs", &[])], &["fetch must not use webs"]);
    }

    #[test]
    fn xtask_stands_outside() {
        check(
            &[("xtask", &["model"]), ("model", &["xtask"])],
            &["xtask must not use model", "model must not use xtask"],
        );
    }

    #[test]
    fn the_fuzzer_reaches_the_parsers_and_nobody_reaches_it() {
        check(
            &[("fuzz", &["fetch", "crawl", "server"]), ("fetch", &[]), ("crawl", &[]), ("server", &["fuzz"])],
            &["fuzz must not use server: it is on floor 4", "server must not use fuzz: it is no part"],
        );
    }

    #[test]
    fn an_unknown_crate_is_told_where_to_be_added() {
        check(
            &[("utils", &[]), ("model", &["utils"])],
            &["crate utils has no floor: add it to the table PLACES in xtask"],
        );
    }

    #[test]
    fn a_reserved_library_is_refused_outside_its_crates() {
        check(
            &[("fetch", &["anyhow", "url"]), ("app", &["anyhow"]), ("kv", &["dev:anyhow"])],
            &["fetch must not use anyhow"],
        );
    }

    #[test]
    fn a_crate_lies_in_the_folder_of_its_name() {
        let mut workspace = made_up::workspace(&[("model", &[])]);
        workspace.packages[0].manifest = "/repo/crates/nouns/Cargo.toml".into();
        assert_eq!(
            check_dependencies(&workspace),
            ["crate model lies in /repo/crates/nouns, not in /repo/crates/model"]
        );
    }

    #[test]
    fn every_crate_is_named_in_the_architecture() {
        let workspace = made_up::workspace(&[("model", &[]), ("net", &[]), ("kv", &[])]);
        assert_eq!(
            check_named(&workspace, "the `model`, a network, **kv**"),
            ["ARCHITECTURE.md does not name `net`"]
        );
    }
}
