//! The web UI's own suites: its packages, its build and checks, and its tests in Chromium against the real program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::report::{Counts, Outcome, Part};
use crate::runner::relay;
use crate::workspace::{Workspace, cargo, locked};

/// Builds the UI and runs what needs no browser: types, unit tests, size.
pub(crate) fn build(workspace: &Workspace) -> Result<Outcome> {
    // Not `npm ci`: it wants the packages of every platform in the lock file, also where they cannot be had.
    let steps: [&[&str]; 3] = [&["install", "--no-save"], &["run", "build"], &["run", "check"]];
    for step in steps {
        let (status, _) = relay(npm(workspace).args(step))?;
        if !status.success() {
            return Ok(Outcome::failed(format!("npm {} ended with {status}", step.join(" "))));
        }
    }
    Ok(Outcome::passed())
}

/// The UI, built: its folder.
pub(crate) fn dist(workspace: &Workspace) -> Result<PathBuf> {
    for step in [&["install", "--no-save"][..], &["run", "build"]] {
        let (status, _) = relay(npm(workspace).args(step))?;
        anyhow::ensure!(status.success(), "npm {} ended with {status}", step.join(" "));
    }
    Ok(workspace.root.join("ui/dist"))
}

/// Runs the tests in Chromium against the program of the tests' profile.
pub(crate) fn tests(workspace: &Workspace, chromium: &Path) -> Result<Outcome> {
    // As the tests build it: with the features of the whole workspace, so that nothing is built twice.
    let mut command = cargo();
    command.args(["test", "--no-run", "--quiet", "--workspace", "--profile", "ci"]).args(locked());
    if !relay(&mut command)?.0.success() {
        return Ok(Outcome::failed("the program does not build"));
    }
    let pictures = workspace.target.join("ui-pictures");
    let mut command = npm(workspace);
    command.arg("test").env("GANNET_BIN", workspace.target.join("ci/gannet"));
    command.env("CHROMIUM", chromium).env("GANNET_SHOTS", &pictures);
    let (status, lines) = relay(&mut command)?;
    println!("pictures of every page: {}", pictures.display());
    let counts = counts(&lines);
    let ran = counts.passed + counts.failed;
    let mut outcome = Outcome { counts: counts.clone(), ..Outcome::default() };
    if counts.failed > 0 {
        outcome.failures = failed(&lines);
    } else if !status.success() || ran == 0 {
        outcome.counts.failed = 1;
        outcome.failures.push(format!("the tests ended with {status}, {ran} ran"));
    }
    outcome.parts = vec![Part { name: "browser".to_owned(), counts, ..Part::default() }];
    Ok(outcome)
}

/// Node and npm; otherwise what is missing.
pub(crate) fn node() -> Result<(), String> {
    for tool in ["node", "npm"] {
        if !succeeds(Command::new(tool).arg("--version")) {
            return Err(format!("{tool} missing"));
        }
    }
    Ok(())
}

/// The system's Chromium, installed where that is allowed; otherwise what is missing.
pub(crate) fn chromium() -> Result<PathBuf, String> {
    let known = || {
        let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
        let usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
        named.into_iter().chain(usual.map(PathBuf::from)).find(|path| path.exists())
    };
    let apt = |arguments: &[&str]| succeeds(Command::new("apt-get").args(arguments));
    if known().is_none() && apt(&["update"]) {
        apt(&["install", "--yes", "--no-install-recommends", "chromium"]);
    }
    known().ok_or_else(|| "chromium missing".to_owned())
}

fn npm(workspace: &Workspace) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(workspace.root.join("ui"));
    command
}

/// Counts at the end of what node's test runner prints, as `# pass 12` or `ℹ pass 12`.
fn counts(lines: &[String]) -> Counts {
    let of = |what: &str| {
        let lines = lines.iter().filter_map(|line| line.strip_prefix("# ").or(line.strip_prefix("ℹ ")));
        lines.filter_map(|line| line.strip_prefix(what)?.trim().parse().ok()).next_back().unwrap_or(0)
    };
    Counts { passed: of("pass "), failed: of("fail ") + of("cancelled "), skipped: of("skipped ") }
}

/// Names of the tests that failed, as `not ok 3 - name` or `✖ name (12ms)`.
fn failed(lines: &[String]) -> Vec<String> {
    let name = |line: &String| {
        let line = line.trim_start();
        let tap = line.strip_prefix("not ok ").and_then(|rest| rest.split_once(" - ")).map(|(_, name)| name);
        tap.or_else(|| line.strip_prefix("✖ ").filter(|name| *name != "failing tests:")).map(str::to_owned)
    };
    let mut names: Vec<String> = lines.iter().filter_map(name).collect();
    names.sort();
    names.dedup();
    names
}

fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests_of_counts {
    use super::*;

    #[test]
    fn both_forms_of_nodes_test_runner_are_counted() {
        for lines in [
            ["ok 1 - a", "not ok 2 - b", "# pass 5", "# fail 1", "# cancelled 0", "# skipped 2"],
            ["✔ a (1ms)", "✖ b", "ℹ pass 5", "ℹ fail 1", "ℹ cancelled 0", "ℹ skipped 2"],
        ] {
            let lines = lines.map(str::to_owned);
            assert_eq!(counts(&lines), Counts { passed: 5, failed: 1, skipped: 2 });
            assert_eq!(failed(&lines), ["b"]);
        }
    }
}
