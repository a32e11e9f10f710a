//! `cargo xtask ci`: every suite, one after the other, the same here and there.
//!
//! A failing suite stops nothing. With `CI=true` a missing tool is a failure; elsewhere its suite is
//! skipped by name. Tests that need a tool find it by an environment variable (`GANNET_TEST_PYTHON`);
//! one that does not find it fails when `CI=true`, and otherwise appends the line `suite: reason` to the
//! file that `GANNET_TEST_SKIPS` names and returns.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::report::{Outcome, Report, timed};
use crate::runner::{self, TestRun};
use crate::workspace::{Workspace, cargo, is_ci, locked};
use crate::{deny, floors, fuzz, prose, python, ui};

/// A suite: the name in the table, and what it does. Quick ones first; a new one is a line here.
struct Suite {
    name: &'static str,
    run: fn(&Setting) -> Result<Outcome>,
}

const SUITES: &[Suite] = &[
    Suite { name: "format", run: format },
    Suite { name: "floors", run: |setting| Ok(of_problems("floors", floors::check(&setting.workspace)?)) },
    Suite { name: "prose", run: |setting| Ok(of_problems("prose", prose::check(&setting.workspace.root)?)) },
    Suite { name: "deny", run: |setting| Ok(of_problems("deny", deny::check(&setting.workspace)?)) },
    // Before anything is compiled: the program carries what is built here.
    Suite { name: "ui", run: ui_build },
    Suite { name: "clippy", run: clippy },
    Suite { name: "python", run: python_packages },
    Suite { name: "tests", run: all_tests },
    Suite { name: "ui tests", run: ui_tests },
    Suite { name: "doc tests", run: |_| runner::doc_tests() },
    Suite { name: "docs", run: docs },
    Suite {
        name: "fuzz",
        run: |setting| fuzz::run(&setting.workspace, None, &fuzz::ci_time, Some(fuzz::CI_SEED)),
    },
];

/// What the suites share.
struct Setting {
    workspace: Workspace,
    python: OnceCell<Result<PathBuf, String>>,
}

impl Setting {
    fn python(&self) -> &Result<PathBuf, String> {
        self.python.get_or_init(|| python::prepare(&self.workspace.target, &python::TESTS))
    }
}

/// Runs the suites named, or all.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    if arguments.iter().any(|argument| argument == "--list") {
        SUITES.iter().for_each(|suite| println!("{}", suite.name));
        return Ok(true);
    }
    if let Some(unknown) = arguments.iter().find(|name| !SUITES.iter().any(|suite| suite.name == **name)) {
        bail!("no suite {unknown:?}; cargo xtask ci --list names them");
    }
    let setting = Setting { workspace: Workspace::load()?, python: OnceCell::new() };
    let mut report = Report::default();
    for suite in
        SUITES.iter().filter(|suite| arguments.is_empty() || arguments.iter().any(|a| a == suite.name))
    {
        println!("== {}", suite.name);
        let (outcome, seconds) = timed(|| (suite.run)(&setting));
        report.add(
            suite.name,
            outcome.unwrap_or_else(|error| Outcome::failed(format!("{error:#}"))),
            seconds,
        );
    }
    print!("\n{report}");
    Ok(report.is_good())
}

fn format(_: &Setting) -> Result<Outcome> {
    if !has_cargo_tool("fmt") {
        return Ok(missing("rustfmt"));
    }
    of_command(cargo().args(["fmt", "--all", "--check"]))
}

fn clippy(_: &Setting) -> Result<Outcome> {
    if !has_cargo_tool("clippy") {
        return Ok(missing("clippy"));
    }
    let mut command = cargo();
    command.args(["clippy", "--workspace", "--all-targets", "--profile", "ci", "--keep-going"]);
    of_command(command.args(locked()).args(["--", "--deny", "warnings"]))
}

fn docs(_: &Setting) -> Result<Outcome> {
    let mut command = cargo();
    command.args(["doc", "--workspace", "--no-deps", "--profile", "ci"]).args(locked());
    of_command(command.env("RUSTDOCFLAGS", "--deny warnings"))
}

fn python_packages(setting: &Setting) -> Result<Outcome> {
    Ok(match setting.python() {
        Ok(_) => Outcome::passed(),
        Err(reason) if is_ci() => Outcome::failed(reason),
        Err(reason) => Outcome::skipped(format!("warcio suite ({reason})")),
    })
}

fn ui_build(setting: &Setting) -> Result<Outcome> {
    match ui::node() {
        Ok(()) => ui::build(&setting.workspace),
        Err(reason) => Ok(missing_tool(&reason)),
    }
}

fn ui_tests(setting: &Setting) -> Result<Outcome> {
    match ui::node().and_then(|()| ui::chromium()) {
        Ok(chromium) => ui::tests(&setting.workspace, &chromium),
        Err(reason) => Ok(missing_tool(&reason)),
    }
}

fn all_tests(setting: &Setting) -> Result<Outcome> {
    let skips = setting.workspace.target.join(format!("test-skips-{}.txt", std::process::id()));
    let mut environment = vec![("GANNET_TEST_SKIPS", skips.clone().into_os_string())];
    if let Ok(python) = setting.python() {
        environment.push(("GANNET_TEST_PYTHON", python.clone().into_os_string()));
    }
    let outcome =
        TestRun { profile: "ci", environment, ..TestRun::default() }.run(&setting.workspace.root)?;
    // No such file: no test skipped itself.
    let lines = std::fs::read_to_string(&skips).unwrap_or_default();
    let _ = std::fs::remove_file(&skips);
    Ok(with_skips(outcome, &lines, is_ci()))
}

/// Takes the tests that skipped themselves, a line each, out of those that passed.
fn with_skips(mut outcome: Outcome, lines: &str, must_not: bool) -> Outcome {
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        outcome.counts.passed = outcome.counts.passed.saturating_sub(1);
        let (suite, reason) = line.split_once(": ").unwrap_or((line, "no reason given"));
        let entry = format!("{suite} ({reason})");
        if must_not {
            outcome.counts.failed += 1;
            outcome.failures.push(format!("{entry} skipped itself although CI=true"));
        } else {
            outcome.counts.skipped += 1;
            if !outcome.skips.contains(&entry) {
                outcome.skips.push(entry);
            }
        }
    }
    outcome
}

fn of_problems(check: &str, problems: Vec<String>) -> Outcome {
    if crate::tell(check, &problems) {
        return Outcome::passed();
    }
    Outcome { failures: problems, ..Outcome::failed("") }
}

fn of_command(command: &mut Command) -> Result<Outcome> {
    let status = command.stdin(Stdio::null()).status()?;
    Ok(if status.success() { Outcome::passed() } else { Outcome::failed("see above") })
}

fn missing(tool: &str) -> Outcome {
    missing_tool(&format!("{tool} missing"))
}

fn missing_tool(reason: &str) -> Outcome {
    if is_ci() { Outcome::failed(reason) } else { Outcome::skipped(reason) }
}

fn has_cargo_tool(name: &str) -> bool {
    let quiet = cargo().args([name, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Counts;

    /// Three passed tests, of which as many skipped themselves as there are lines.
    fn check(lines: &str, must_not: bool, expected: Counts, told: &[&str]) {
        let counts = Counts { passed: 3, ..Counts::default() };
        let outcome = with_skips(Outcome { counts, ..Outcome::default() }, lines, must_not);
        assert_eq!(outcome.counts, expected);
        assert_eq!(if must_not { outcome.failures } else { outcome.skips }, told);
    }

    #[test]
    fn a_test_that_skipped_itself_has_not_passed() {
        let lines = "warcio: python missing\nwarcio: python missing\n";
        check(lines, false, Counts { passed: 1, failed: 0, skipped: 2 }, &["warcio (python missing)"]);
        check("", false, Counts { passed: 3, failed: 0, skipped: 0 }, &[]);
    }

    #[test]
    fn skipping_is_a_failure_when_nothing_may_be_missing() {
        let told = ["warcio (python missing) skipped itself although CI=true"];
        check("warcio: python missing", true, Counts { passed: 2, failed: 1, skipped: 0 }, &told);
    }
}
